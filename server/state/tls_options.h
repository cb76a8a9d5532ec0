// How the server speaks TLS (net/tls.h).

#ifndef CAIRN_SERVER_STATE_TLS_OPTIONS_H_
#define CAIRN_SERVER_STATE_TLS_OPTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace cairn::server {

// Whether clients show a certificate of the authority. kOptional: one that is shown must be good.
enum class TlsClients : uint8_t { kNo, kOptional, kYes };

std::string_view TlsClientsName(TlsClients clients);  // "no", "optional", "yes"
bool ParseTlsClients(std::string_view name, TlsClients* clients);

struct TlsOptions {
  std::string cert_file;  // PEM: the server's certificate, then those between it and the authority
  std::string key_file;   // PEM, not encrypted
  std::string ca_cert_file;  // PEM: who signs the clients' certificates
  TlsClients auth_clients = TlsClients::kYes;
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_STATE_TLS_OPTIONS_H_
