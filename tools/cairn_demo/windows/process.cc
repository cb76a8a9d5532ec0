#include "cairn_demo/process.h"

#include <windows.h>

#include <cstdio>

#include "support/windows/system_types.h"

namespace demo {

namespace {

// Of what was ended from outside: by Kill(), or by the system, whose reasons begin there.
constexpr DWORD kKilled = 137;
constexpr DWORD kFirstOfSystem = 0xC0000000;

bool Fails(bool good, const char* what) {
  if (!good) std::fprintf(stderr, "cairn_demo: %s: error %lu\n", what, GetLastError());
  return !good;
}

// As the C runtime of the program that starts takes its command line apart: within quotes a
// backslash stands for itself unless a quote follows the run of them.
std::string Quoted(const std::string& argument) {
  std::string text = "\"";
  size_t backslashes = 0;
  for (const char c : argument) {
    if (c == '"') text.append(backslashes + 1, '\\');
    backslashes = c == '\\' ? backslashes + 1 : 0;
    text.push_back(c);
  }
  return text.append(backslashes, '\\') + "\"";
}

std::wstring OwnProgram() {
  std::wstring path(32768, L'\0');
  path.resize(GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size())));
  return path;
}

// A process is ended with the last handle of its job, which the system closes when we end.
HANDLE JobOfChildren() {
  static const HANDLE job = [] {
    const HANDLE made = CreateJobObjectW(nullptr, nullptr);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    (void)SetInformationJobObject(made, JobObjectExtendedLimitInformation, &limits, sizeof(limits));
    return made;
  }();
  return job;
}

class WindowsChild final : public Child {
 public:
  explicit WindowsChild(HANDLE process) : process_(process) {}
  ~WindowsChild() override { CloseHandle(process_); }

  bool HasEnded(Ending* ending) override {
    if (WaitForSingleObject(process_, 0) != WAIT_OBJECT_0) return false;
    *ending = Result();
    return true;
  }

  Ending Wait() override {
    (void)WaitForSingleObject(process_, INFINITE);
    return Result();
  }

  void Kill() override { (void)TerminateProcess(process_, kKilled); }

 private:
  Ending Result() const {
    Ending ending;
    DWORD status = 0;
    (void)GetExitCodeProcess(process_, &status);
    ending.by_itself = status != kKilled && status < kFirstOfSystem;
    ending.status = static_cast<int>(status);
    FILETIME made, ended, kernel, user;
    if (GetProcessTimes(process_, &made, &ended, &kernel, &user)) {
      ending.cpu_seconds = bench::Seconds(kernel) + bench::Seconds(user);
    }
    return ending;
  }

  const HANDLE process_;
};

BOOL WINAPI TakeNote(DWORD control) { return control == CTRL_C_EVENT; }

}  // namespace

std::unique_ptr<Child> Child::Start(const std::vector<std::string>& arguments) {
  std::string line = "cairn_demo";
  for (const std::string& argument : arguments) line += " " + Quoted(argument);
  std::wstring wide_line = bench::Wide(line);
  STARTUPINFOW startup = {};
  startup.cb = sizeof(startup);
  PROCESS_INFORMATION started = {};
  std::fflush(nullptr);
  // Suspended, so that it does nothing before it is in the job. It inherits the shared memory.
  if (Fails(CreateProcessW(OwnProgram().c_str(), wide_line.data(), nullptr, nullptr, TRUE,
                           CREATE_SUSPENDED, nullptr, nullptr, &startup, &started) != FALSE,
            "CreateProcess")) {
    return nullptr;
  }
  (void)AssignProcessToJobObject(JobOfChildren(), started.hProcess);
  (void)ResumeThread(started.hThread);
  CloseHandle(started.hThread);
  return std::make_unique<WindowsChild>(started.hProcess);
}

void IgnoreInterrupts() { (void)SetConsoleCtrlHandler(TakeNote, TRUE); }

void* CreateSharedMemory(size_t size, uint64_t* name) {
  SECURITY_ATTRIBUTES inherited = {};
  inherited.nLength = sizeof(inherited);
  inherited.bInheritHandle = TRUE;
  const uint64_t bytes = size;
  const HANDLE mapping =
      CreateFileMappingW(INVALID_HANDLE_VALUE, &inherited, PAGE_READWRITE,
                         static_cast<DWORD>(bytes >> 32), static_cast<DWORD>(bytes), nullptr);
  if (Fails(mapping != nullptr, "CreateFileMapping")) return nullptr;
  *name = reinterpret_cast<uintptr_t>(mapping);
  return AttachSharedMemory(size, *name);
}

void* AttachSharedMemory(size_t size, uint64_t name) {
  void* memory = MapViewOfFile(reinterpret_cast<HANDLE>(static_cast<uintptr_t>(name)),
                               FILE_MAP_ALL_ACCESS, 0, 0, size);
  (void)Fails(memory != nullptr, "MapViewOfFile");
  return memory;
}

void ReleaseSharedMemory(void* memory, size_t /*size*/, uint64_t name) {
  (void)UnmapViewOfFile(memory);
  CloseHandle(reinterpret_cast<HANDLE>(static_cast<uintptr_t>(name)));
}

bool ErrorIsTerminal() {
  DWORD mode;
  return GetConsoleMode(GetStdHandle(STD_ERROR_HANDLE), &mode) != FALSE;
}

std::string TemporaryFolder() {
  char folder[MAX_PATH + 1];  // in UTF-8, as the program's manifest says
  const DWORD size = GetTempPathA(sizeof(folder), folder);
  return size == 0 || size > MAX_PATH ? "." : std::string(folder, size - 1);
}

}  // namespace demo
