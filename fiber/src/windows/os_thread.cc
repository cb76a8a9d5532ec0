#include "os_thread.h"

#include <process.h>

#include <cerrno>
#include <memory>

#include "system.h"
#include "thread_owned.h"

namespace fiber::detail {

namespace {

struct Start {
  OsThreadMain main;
  void* argument;
};

unsigned __stdcall run(void* start) {
  const Start copy = *static_cast<Start*>(start);
  delete static_cast<Start*>(start);
  copy.main(copy.argument);
  end_thread_owned();  // while all that the thread has is still there
  return 0;
}

}  // namespace

int os_start_thread(OsThreadMain main, void* argument, OsThread* out) {
  auto made = std::make_unique<Start>(Start{main, argument});
  const uintptr_t handle = _beginthreadex(nullptr, 0, run, made.get(), 0, nullptr);
  if (handle == 0) return errno != 0 ? -errno : -EAGAIN;
  (void)made.release();
  *out = reinterpret_cast<void*>(handle);
  return 0;
}

void os_join_thread(OsThread thread) {
  WaitForSingleObject(thread, INFINITE);
  CloseHandle(thread);
}

bool os_start_detached(OsThreadMain main, void* argument) {
  OsThread thread = nullptr;
  if (os_start_thread(main, argument, &thread) != 0) return false;
  CloseHandle(thread);
  return true;
}

void os_name_thread(const char* name) {
  // Of Windows 10, 1607.
  using Describe = HRESULT(WINAPI*)(HANDLE, PCWSTR);
  static const auto describe = reinterpret_cast<Describe>(reinterpret_cast<void*>(
      GetProcAddress(GetModuleHandleW(L"kernel32.dll"), "SetThreadDescription")));
  wchar_t wide[64];
  if (describe != nullptr && MultiByteToWideChar(CP_UTF8, 0, name, -1, wide, 64) > 0)
    (void)describe(GetCurrentThread(), wide);
}

void os_renice_thread(int nice) {
  int priority = THREAD_PRIORITY_NORMAL;
  if (nice >= 10) {
    priority = THREAD_PRIORITY_LOWEST;
  } else if (nice > 0) {
    priority = THREAD_PRIORITY_BELOW_NORMAL;
  } else if (nice < 0) {
    priority = THREAD_PRIORITY_ABOVE_NORMAL;
  }
  (void)SetThreadPriority(GetCurrentThread(), priority);
}

uint64_t os_thread_id() { return GetCurrentThreadId(); }

void os_yield() { SwitchToThread(); }

}  // namespace fiber::detail
