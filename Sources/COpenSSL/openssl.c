#include "COpenSSL.h"

#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <string.h>
#include <time.h>

void adit_ssl_ctx_set_defaults(SSL_CTX *context, bool keeps_sessions) {
  SSL_CTX_set_options(
    context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
               SSL_OP_PRIORITIZE_CHACHA);
  SSL_CTX_set_mode(
    context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  long mode = SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL;
  SSL_CTX_set_session_cache_mode(context, keeps_sessions ? mode : SSL_SESS_CACHE_OFF);
}

bool adit_ssl_ctx_set_versions(SSL_CTX *context, int least, int greatest) {
  return SSL_CTX_set_min_proto_version(context, least) == 1 &&
         SSL_CTX_set_max_proto_version(context, greatest) == 1;
}

void adit_ssl_ctx_set_name_callback(
  SSL_CTX *context, int (*callback)(SSL *, int *, void *), void *argument) {
  SSL_CTX_set_tlsext_servername_callback(context, callback);
  SSL_CTX_set_tlsext_servername_arg(context, argument);
}

const char *adit_ssl_asked_name(const SSL *ssl) {
  return SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
}

bool adit_ssl_set_asked_name(SSL *ssl, const char *name) {
  return SSL_set_tlsext_host_name(ssl, name) == 1;
}

void adit_ssl_retry_verify(SSL *ssl) { (void)SSL_set_retry_verify(ssl); }

STACK_OF(X509) *adit_x509_stack_new(void) { return sk_X509_new_null(); }

bool adit_x509_stack_push(STACK_OF(X509) *stack, X509 *certificate) {
  if (!X509_up_ref(certificate)) return false;
  if (sk_X509_push(stack, certificate) > 0) return true;
  X509_free(certificate);
  return false;
}

int adit_x509_stack_count(const STACK_OF(X509) *stack) {
  return stack == NULL ? 0 : sk_X509_num(stack);
}

X509 *adit_x509_stack_at(const STACK_OF(X509) *stack, int index) {
  return sk_X509_value(stack, index);
}

void adit_x509_stack_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

void adit_x509_write_name(BIO *output, const X509_NAME *name) {
  unsigned long flags = XN_FLAG_ONELINE & ~(unsigned long)ASN1_STRFLGS_ESC_MSB;
  X509_NAME_print_ex(output, name, 0, flags);
}

void adit_x509_write_summary(BIO *output, const X509 *certificate) {
  const X509_NAME *name = X509_get_subject_name(certificate);
  static const int kinds[] = {NID_commonName, NID_organizationName};
  for (size_t kind = 0; kind < 2; kind++) {
    int last = -1;
    for (int at; (at = X509_NAME_get_index_by_NID(name, kinds[kind], last)) >= 0; last = at) {
    }
    if (last < 0) continue;
    const X509_NAME_ENTRY *entry = X509_NAME_get_entry(name, last);
    unsigned long flags = ASN1_STRFLGS_ESC_CTRL | ASN1_STRFLGS_UTF8_CONVERT;
    ASN1_STRING_print_ex(output, X509_NAME_ENTRY_get_data(entry), flags);
    return;
  }
}

// A name from the wire may hold anything: what is not plain is shown as a question mark.
static void write_plain(BIO *output, const ASN1_STRING *name) {
  const unsigned char *bytes = ASN1_STRING_get0_data(name);
  for (int index = 0; index < ASN1_STRING_length(name); index++) {
    char letter = bytes[index] > 0x20 && bytes[index] < 0x7f ? (char)bytes[index] : '?';
    BIO_write(output, &letter, 1);
  }
  BIO_write(output, "\n", 1);
}

static void write_address(BIO *output, const ASN1_OCTET_STRING *address) {
  const unsigned char *bytes = ASN1_STRING_get0_data(address);
  int length = ASN1_STRING_length(address);
  if (length == 4) {
    BIO_printf(output, "%d.%d.%d.%d\n", bytes[0], bytes[1], bytes[2], bytes[3]);
  } else if (length == 16) {
    for (int index = 0; index < 16; index += 2) {
      BIO_printf(output, "%s%x", index == 0 ? "" : ":", bytes[index] << 8 | bytes[index + 1]);
    }
    BIO_write(output, "\n", 1);
  }
}

void adit_x509_write_hosts(BIO *output, X509 *certificate) {
  GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
  for (int index = 0; names != NULL && index < sk_GENERAL_NAME_num(names); index++) {
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
    if (name->type == GEN_DNS) write_plain(output, name->d.dNSName);
    if (name->type == GEN_IPADD) write_address(output, name->d.iPAddress);
  }
  GENERAL_NAMES_free(names);
}

int64_t adit_asn1_seconds(const ASN1_TIME *time) {
  struct tm parts;
  if (time == NULL || !ASN1_TIME_to_tm(time, &parts)) return INT64_MIN;
  return timegm(&parts);
}

// HKDF-Expand-Label of RFC 8446 §7.1 without a context.
static bool expand(
  const EVP_MD *digest, const uint8_t *secret, size_t secret_size, char *label, uint8_t *output,
  size_t size) {
  EVP_KDF *function = EVP_KDF_fetch(NULL, "TLS13-KDF", NULL);
  EVP_KDF_CTX *context = function == NULL ? NULL : EVP_KDF_CTX_new(function);
  int mode = EVP_KDF_HKDF_MODE_EXPAND_ONLY;
  char prefix[] = "tls13 ";
  OSSL_PARAM parameters[] = {
    OSSL_PARAM_construct_int("mode", &mode),
    OSSL_PARAM_construct_utf8_string("digest", (char *)EVP_MD_get0_name(digest), 0),
    OSSL_PARAM_construct_octet_string("key", (void *)secret, secret_size),
    OSSL_PARAM_construct_octet_string("prefix", prefix, strlen(prefix)),
    OSSL_PARAM_construct_octet_string("label", label, strlen(label)),
    OSSL_PARAM_construct_end(),
  };
  bool done = context != NULL && EVP_KDF_derive(context, output, size, parameters) == 1;
  EVP_KDF_CTX_free(context);
  EVP_KDF_free(function);
  return done;
}

// The first record of a key has number 0, so the nonce is the key's own vector.
static bool seal(
  const EVP_CIPHER *cipher, const uint8_t *key, const uint8_t *vector, const uint8_t header[5],
  const uint8_t text[3], uint8_t output[19]) {
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  int count = 0;
  bool done =
    context != NULL && EVP_EncryptInit_ex(context, cipher, NULL, key, vector) == 1 &&
    EVP_EncryptUpdate(context, NULL, &count, header, 5) == 1 &&
    EVP_EncryptUpdate(context, output, &count, text, 3) == 1 && count == 3 &&
    EVP_EncryptFinal_ex(context, output + 3, &count) == 1 && count == 0 &&
    EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, output + 3) == 1;
  EVP_CIPHER_CTX_free(context);
  return done;
}

bool adit_tls13_seal_alert(
  const SSL *ssl, const uint8_t *secret, size_t secret_size, uint8_t description,
  uint8_t record[ADIT_TLS13_ALERT_SIZE]) {
  const SSL_CIPHER *suite = SSL_get_current_cipher(ssl);
  if (suite == NULL) return false;
  int kind = SSL_CIPHER_get_cipher_nid(suite);
  // The suites with CCM set a length of their own before the key; nobody asks for them.
  if (kind != NID_aes_128_gcm && kind != NID_aes_256_gcm && kind != NID_chacha20_poly1305) {
    return false;
  }
  const EVP_CIPHER *cipher = EVP_get_cipherbynid(kind);
  const EVP_MD *digest = SSL_CIPHER_get_handshake_digest(suite);
  if (cipher == NULL || digest == NULL) return false;
  uint8_t key[EVP_MAX_KEY_LENGTH], vector[12];
  const uint8_t header[5] = {23, 3, 3, 0, ADIT_TLS13_ALERT_SIZE - 5};
  const uint8_t text[3] = {2, description, 21};
  size_t key_size = (size_t)EVP_CIPHER_get_key_length(cipher);
  bool done = expand(digest, secret, secret_size, "key", key, key_size) &&
              expand(digest, secret, secret_size, "iv", vector, sizeof vector) &&
              seal(cipher, key, vector, header, text, record + 5);
  memcpy(record, header, sizeof header);
  OPENSSL_cleanse(key, sizeof key);
  OPENSSL_cleanse(vector, sizeof vector);
  return done;
}
