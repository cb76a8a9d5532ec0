// terminator: ends processes of Windows by TerminateProcess, for crash_check.py, which under Wine
// is a process of another system and cannot. Reads their numbers from standard input, a line each,
// and answers each with "terminated N", or with "failed N: " and the system's error number.
#include <windows.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr DWORD kPatienceMillis = 60'000;
constexpr UINT kStatus = 137;  // what a shell says of SIGKILL; crash_common.py knows it

// 0, or the system's error number. Returns once the process is gone, so that its files are free.
DWORD Terminate(DWORD id) {
  const HANDLE process = OpenProcess(PROCESS_TERMINATE | SYNCHRONIZE, FALSE, id);
  if (process == nullptr) return GetLastError();
  DWORD error = 0;
  if (TerminateProcess(process, kStatus) == FALSE) {
    error = GetLastError();
  } else if (WaitForSingleObject(process, kPatienceMillis) != WAIT_OBJECT_0) {
    error = WAIT_TIMEOUT;
  }
  CloseHandle(process);
  return error;
}

}  // namespace

int main() {
  char line[64];
  while (std::fgets(line, sizeof(line), stdin) != nullptr) {
    const unsigned long id = std::strtoul(line, nullptr, 10);
    const DWORD error = Terminate(static_cast<DWORD>(id));
    if (error == 0) {
      std::printf("terminated %lu\n", id);
    } else {
      std::printf("failed %lu: %lu\n", id, error);
    }
    std::fflush(stdout);
  }
  return 0;
}
