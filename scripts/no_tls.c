/* For the static program only: Debian's libmicrohttpd.a can speak TLS and so asks for GnuTLS, which
 * has no complete static form there (p11-kit has none). `heed serve` never asks for TLS; these
 * stand in for what it would call. All but the first refuse. */
#include <stdlib.h>

int gnutls_global_init(void);
int gnutls_global_init(void) /* called whenever libmicrohttpd starts */
{
    return 0;
}

void *(*gnutls_malloc)(size_t) = malloc;

#define REFUSE(name)                                                                               \
    long name(void);                                                                               \
    long name(void)                                                                                \
    {                                                                                              \
        return -1;                                                                                 \
    }
#define IGNORE(name)                                                                               \
    void name(void);                                                                               \
    void name(void)                                                                                \
    {                                                                                              \
    }

IGNORE(gnutls_global_deinit)
IGNORE(gnutls_deinit)
IGNORE(gnutls_certificate_free_credentials)
IGNORE(gnutls_certificate_server_set_request)
IGNORE(gnutls_certificate_set_dh_params)
IGNORE(gnutls_certificate_set_retrieve_function2)
IGNORE(gnutls_certificate_set_retrieve_function3)
IGNORE(gnutls_dh_params_deinit)
IGNORE(gnutls_priority_deinit)
IGNORE(gnutls_psk_free_server_credentials)
IGNORE(gnutls_psk_set_server_credentials_function)
IGNORE(gnutls_session_set_ptr)
IGNORE(gnutls_transport_set_int2)
REFUSE(gnutls_alpn_set_protocols)
REFUSE(gnutls_bye)
REFUSE(gnutls_certificate_allocate_credentials)
REFUSE(gnutls_certificate_set_x509_key_mem)
REFUSE(gnutls_certificate_set_x509_key_mem2)
REFUSE(gnutls_certificate_set_x509_trust_mem)
REFUSE(gnutls_cipher_get)
REFUSE(gnutls_credentials_set)
REFUSE(gnutls_dh_params_import_pkcs3)
REFUSE(gnutls_dh_params_init)
REFUSE(gnutls_handshake)
REFUSE(gnutls_init)
REFUSE(gnutls_priority_init)
REFUSE(gnutls_priority_set)
REFUSE(gnutls_protocol_get_version)
REFUSE(gnutls_psk_allocate_server_credentials)
REFUSE(gnutls_record_check_pending)
REFUSE(gnutls_record_get_direction)
REFUSE(gnutls_record_recv)
REFUSE(gnutls_record_send)

const char *gnutls_strerror(int code);
const char *gnutls_strerror(int code)
{
    (void)code;
    return "this program has no TLS";
}

void *gnutls_session_get_ptr(void *session);
void *gnutls_session_get_ptr(void *session)
{
    (void)session;
    return NULL;
}
