#include "server/state/tls_options.h"

namespace cairn::server {

std::string_view TlsClientsName(TlsClients clients) {
  switch (clients) {
    case TlsClients::kNo:
      return "no";
    case TlsClients::kOptional:
      return "optional";
    case TlsClients::kYes:
      return "yes";
  }
  return "?";
}

bool ParseTlsClients(std::string_view name, TlsClients* clients) {
  for (const TlsClients one : {TlsClients::kNo, TlsClients::kOptional, TlsClients::kYes}) {
    if (name != TlsClientsName(one)) continue;
    *clients = one;
    return true;
  }
  return false;
}

}  // namespace cairn::server
