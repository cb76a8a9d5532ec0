#include "server/host/service.h"

namespace cairn::server {

using rocksdb::Status;

Status RunAsService(const std::string& /*name*/, const std::function<Status()>& /*body*/) {
  return Status::InvalidArgument(
      "--service is for the service manager of Windows; leave it out: systemd runs the program as "
      "it is, by a unit like cairn-server.service, which is installed in share/cairn");
}

void ServiceIsReady() {}

}  // namespace cairn::server
