// OpenSSL 3 for Swift: its own functions, and thin wrappers for what it spells as macros.
#ifndef ADIT_COPENSSL_H
#define ADIT_COPENSSL_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdint.h>

// What every context here has: no renegotiation, no compression, the server's choice of cipher,
// partial writes from memory that may move. Sessions are kept by the callback only.
void adit_ssl_ctx_set_defaults(SSL_CTX *context, bool keeps_sessions);
// 0 for the least or greatest version means the library's own.
bool adit_ssl_ctx_set_versions(SSL_CTX *context, int least, int greatest);
// The callback that chooses an identity by the name that the client asks for.
void adit_ssl_ctx_set_name_callback(
  SSL_CTX *context, int (*callback)(SSL *, int *, void *), void *argument);
// The server name of the first message; null when the client gave none.
const char *adit_ssl_asked_name(const SSL *ssl);
bool adit_ssl_set_asked_name(SSL *ssl, const char *name);
// The verification that runs now is to be asked again: the handshake pauses.
void adit_ssl_retry_verify(SSL *ssl);

// Stacks of certificates, which the header spells as macros.
STACK_OF(X509) *adit_x509_stack_new(void);
bool adit_x509_stack_push(STACK_OF(X509) *stack, X509 *certificate);
int adit_x509_stack_count(const STACK_OF(X509) *stack);
X509 *adit_x509_stack_at(const STACK_OF(X509) *stack, int index);
void adit_x509_stack_free(STACK_OF(X509) *stack);

// Texts of a certificate, written to memory that the caller reads and frees.
// The whole name on one line, UTF-8, control characters escaped.
void adit_x509_write_name(BIO *output, const X509_NAME *name);
// The last common name, or the last organisation, of a subject; nothing when there is neither.
void adit_x509_write_summary(BIO *output, const X509 *certificate);
// A line for each DNS name and address that the certificate is for.
void adit_x509_write_hosts(BIO *output, X509 *certificate);
// Seconds since 1970; INT64_MIN when the time is none.
int64_t adit_asn1_seconds(const ASN1_TIME *time);

// Bytes of the record that `adit_tls13_seal_alert` makes.
#define ADIT_TLS13_ALERT_SIZE 24
// A fatal alert of TLS 1.3 as the first record under the server's traffic secret.
bool adit_tls13_seal_alert(
  const SSL *ssl, const uint8_t *secret, size_t secret_size, uint8_t description,
  uint8_t record[ADIT_TLS13_ALERT_SIZE]);

#endif
