#include "server/host/requests.h"

#include <windows.h>

#include <deque>

#include "fiber/mutex.h"
#include "fiber/thread_annotations.h"
#include "server/host/windows/request_queue.h"

namespace cairn::server {

using rocksdb::Status;

namespace {

// The system calls the handler on a thread of its own.
struct Requests {
  fiber::Mutex mutex;
  fiber::CondVar changed;
  std::deque<ProcessRequest> waiting FIBER_GUARDED_BY(mutex);
  bool ended FIBER_GUARDED_BY(mutex) = false;
  bool console_ignored FIBER_GUARDED_BY(mutex) = false;
};

Requests& All() {
  static Requests* const all = new Requests;  // the handler may come when statics are gone
  return *all;
}

BOOL WINAPI OnControl(DWORD control) {
  Requests& all = All();
  fiber::MutexLock lock(&all.mutex);
  if (all.console_ignored) return TRUE;
  all.waiting.push_back(control == CTRL_BREAK_EVENT ? ProcessRequest::kReload
                                                    : ProcessRequest::kStop);
  all.changed.notify_all();
  if (control != CTRL_C_EVENT && control != CTRL_BREAK_EVENT) {
    // The system ends the process when this returns, or in some seconds.
    while (!all.ended) all.changed.wait(&all.mutex);
  }
  return TRUE;
}

}  // namespace

void PutRequest(ProcessRequest request) {
  Requests& all = All();
  fiber::MutexLock lock(&all.mutex);
  all.waiting.push_back(request);
  all.changed.notify_all();
}

void IgnoreConsole() {
  Requests& all = All();
  fiber::MutexLock lock(&all.mutex);
  all.console_ignored = true;
}

Status CatchRequests() {
  Requests& all = All();
  if (SetConsoleCtrlHandler(OnControl, TRUE)) return Status::OK();
  fiber::MutexLock lock(&all.mutex);
  return all.console_ignored ? Status::OK() : Status::IOError("no handler for the console");
}

ProcessRequest NextRequest() {
  Requests& all = All();
  fiber::MutexLock lock(&all.mutex);
  while (all.waiting.empty() && !all.ended) all.changed.wait(&all.mutex);
  if (all.waiting.empty()) return ProcessRequest::kNoMore;
  const ProcessRequest next = all.waiting.front();
  all.waiting.pop_front();
  return next;
}

void EndRequests() {
  Requests& all = All();
  fiber::MutexLock lock(&all.mutex);
  all.ended = true;
  all.changed.notify_all();
}

void LeaveAtOnce() { ExitProcess(1); }

}  // namespace cairn::server
