// OpenSSL 3 for Swift: its own functions, and thin wrappers for what it spells as macros.
#ifndef ADIT_COPENSSL_H
#define ADIT_COPENSSL_H

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#endif
