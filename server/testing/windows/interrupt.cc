// interrupt PROGRAM [ARGUMENT...]: runs a program in a console of its own, whose Ctrl+C it gives it
// for each line of standard input (server/windows_check.py). What the program prints goes on to
// standard error; exit status: the program's, or 125 if it cannot be run.
//
// Windows has no other way to ask a process of another console for its end.
#include <windows.h>

#include <cstdio>
#include <string>
#include <thread>

namespace {

constexpr int kCannot = 125;

int Fail(const char* what) {
  std::fprintf(stderr, "interrupt: %s: error %lu\n", what, GetLastError());
  return kCannot;
}

// This process is of the program's console, too, and outlives its Ctrl+C.
BOOL WINAPI Ignore(DWORD /*control*/) { return TRUE; }

// (Wine 8 refuses a second event of the same attachment.)
void Interrupt(DWORD process) {
  FreeConsole();
  if (!AttachConsole(process)) {
    Fail("AttachConsole");
  } else if (!SetConsoleCtrlHandler(Ignore, TRUE) || !GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0)) {
    Fail("GenerateConsoleCtrlEvent");
  }
}

// Each argument in quotes: none of windows_check.py's has a quote, or a backslash at its end.
std::wstring CommandLine(int argc, wchar_t** argv) {
  std::wstring line;
  for (int i = 1; i < argc; ++i) line += (i > 1 ? L" \"" : L"\"") + std::wstring(argv[i]) + L"\"";
  return line;
}

}  // namespace

int wmain(int argc, wchar_t** argv) {
  std::wstring line = CommandLine(argc, argv);
  STARTUPINFOW start = {};
  start.cb = sizeof(start);
  start.dwFlags = STARTF_USESTDHANDLES;
  start.hStdInput = INVALID_HANDLE_VALUE;
  start.hStdOutput = GetStdHandle(STD_ERROR_HANDLE);
  start.hStdError = GetStdHandle(STD_ERROR_HANDLE);
  PROCESS_INFORMATION started = {};
  if (!CreateProcessW(nullptr, line.data(), nullptr, nullptr, /*bInheritHandles=*/TRUE,
                      CREATE_NO_WINDOW, nullptr, nullptr, &start, &started)) {
    return Fail("CreateProcess");
  }
  std::thread([&started] {  // style: it is no program of Cairn's
    char text[16];
    while (std::fgets(text, sizeof(text), stdin) != nullptr) Interrupt(started.dwProcessId);
  })
      .detach();
  WaitForSingleObject(started.hProcess, INFINITE);
  DWORD status = kCannot;
  GetExitCodeProcess(started.hProcess, &status);
  ExitProcess(status);  // (not through the reader's standard input, which it still waits for)
}
