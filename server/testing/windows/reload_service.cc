// reload_service NAME: asks a running service for its reload (SERVICE_CONTROL_PARAMCHANGE), as
// "sc.exe control NAME paramchange" does, which Wine's does not know (server/windows_check.py).
#include <windows.h>

#include <cstdio>

namespace {

int Fail(const char* what) {
  std::fprintf(stderr, "reload_service: %s: error %lu\n", what, GetLastError());
  return 1;
}

}  // namespace

int wmain(int argc, wchar_t** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "reload_service NAME\n");
    return 1;
  }
  const SC_HANDLE manager = OpenSCManagerW(nullptr, nullptr, SC_MANAGER_CONNECT);
  if (manager == nullptr) return Fail("OpenSCManager");
  const SC_HANDLE service = OpenServiceW(manager, argv[1], SERVICE_PAUSE_CONTINUE);
  if (service == nullptr) return Fail("OpenService");
  SERVICE_STATUS status = {};
  if (!ControlService(service, SERVICE_CONTROL_PARAMCHANGE, &status)) return Fail("ControlService");
  return 0;
}
