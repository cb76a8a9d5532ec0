// The service manager's dispatcher takes the main thread until the service has stopped. It calls
// the service's body on a thread that the system makes, and OnControl() on the main thread.
#include "server/host/service.h"

#include <windows.h>

#include <string>
#include <utility>

#include "fiber/mutex.h"
#include "fiber/thread_annotations.h"
#include "server/host/windows/request_queue.h"

namespace cairn::server {

using rocksdb::Status;

namespace {

// How long the manager waits for the next word. It sees the end of the process at once, so this is
// for a server that recovers a large log, or waits for its clients' requests (--drain_timeout).
constexpr DWORD kPatienceMillis = 600'000;
// Of the service's own: there is only one, and the log tells of it.
constexpr DWORD kFailed = 1;
// Event identifiers below 1000 show the text alone where the source's messages are those of
// EventCreate.exe (doc/windows.md).
constexpr DWORD kEventId = 1;

class Service {
 public:
  Service(std::string name, const std::function<Status()>* body)
      : name_(std::move(name)), body_(body) {}

  Status result() {
    const fiber::MutexLock lock(&mutex_);
    return result_;
  }
  void Run();
  DWORD Control(DWORD control);
  // False, and nothing: a stop that was asked for, or the end, does not become anything before it.
  bool Report(DWORD state);

 private:
  void TellEvents(const std::string& text) const;

  const std::string name_;
  const std::function<Status()>* const body_;
  fiber::Mutex mutex_;
  SERVICE_STATUS_HANDLE handle_ FIBER_GUARDED_BY(mutex_) = nullptr;
  DWORD state_ FIBER_GUARDED_BY(mutex_) = SERVICE_START_PENDING;
  Status result_ FIBER_GUARDED_BY(mutex_);
};

// Set once, before the manager makes its threads. Never destroyed: the body's thread may still
// leave it when main() returns.
Service* the_service = nullptr;

DWORD WINAPI OnControl(DWORD control, DWORD /*event*/, void* /*data*/, void* service) {
  return static_cast<Service*>(service)->Control(control);
}

void WINAPI ServiceMain(DWORD /*argc*/, wchar_t** /*argv*/) { the_service->Run(); }

// From UTF-8.
std::wstring Wide(const std::string& text) {
  const int size = static_cast<int>(text.size());
  std::wstring wide(text.size(), L'\0');  // never more units than bytes
  wide.resize(
      static_cast<size_t>(MultiByteToWideChar(CP_UTF8, 0, text.data(), size, wide.data(), size)));
  return wide;
}

// The system ignores the name of a service that has its process for itself.
wchar_t no_name[] = L"";

void Service::Run() {
  DWORD error = NO_ERROR;
  {
    const fiber::MutexLock lock(&mutex_);
    handle_ = RegisterServiceCtrlHandlerExW(no_name, OnControl, this);
    if (handle_ == nullptr) error = GetLastError();
  }
  if (error != NO_ERROR) {
    // Nobody would hear of the end of what runs without a handle.
    TellEvents("the service manager takes no handler: error " + std::to_string(error));
    LeaveAtOnce();
  }
  Report(SERVICE_START_PENDING);
  const Status s = (*body_)();
  if (!s.ok()) TellEvents(s.ToString());
  {
    const fiber::MutexLock lock(&mutex_);
    result_ = s;
  }
  // The last call: the process may end meanwhile.
  Report(SERVICE_STOPPED);
}

bool Service::Report(DWORD state) {
  const fiber::MutexLock lock(&mutex_);
  if (state_ == SERVICE_STOPPED || (state_ == SERVICE_STOP_PENDING && state != SERVICE_STOPPED)) {
    return false;
  }
  state_ = state;
  SERVICE_STATUS status = {};
  status.dwServiceType = SERVICE_WIN32_OWN_PROCESS;
  status.dwCurrentState = state;
  if (state == SERVICE_RUNNING) {
    status.dwControlsAccepted =
        SERVICE_ACCEPT_STOP | SERVICE_ACCEPT_SHUTDOWN | SERVICE_ACCEPT_PARAMCHANGE;
  } else if (state == SERVICE_STOPPED) {
    if (!result_.ok()) {
      status.dwWin32ExitCode = ERROR_SERVICE_SPECIFIC_ERROR;
      status.dwServiceSpecificExitCode = kFailed;
    }
  } else {
    status.dwWaitHint = kPatienceMillis;
  }
  SetServiceStatus(handle_, &status);
  return true;
}

DWORD Service::Control(DWORD control) {
  switch (control) {
    case SERVICE_CONTROL_INTERROGATE:
      return NO_ERROR;  // the manager has what was reported
    case SERVICE_CONTROL_PARAMCHANGE:
      PutRequest(ProcessRequest::kReload);
      return NO_ERROR;
    case SERVICE_CONTROL_STOP:
    case SERVICE_CONTROL_SHUTDOWN:
      // Once: who asks a second time does not want to wait (main.cc), which the system's shutdown
      // behind a stop does not mean.
      if (Report(SERVICE_STOP_PENDING)) PutRequest(ProcessRequest::kStop);
      return NO_ERROR;
    default:
      return ERROR_CALL_NOT_IMPLEMENTED;
  }
}

void Service::TellEvents(const std::string& text) const {
  const HANDLE events = RegisterEventSourceW(nullptr, Wide(name_).c_str());
  if (events == nullptr) return;  // the log file has it, too
  const std::wstring wide = Wide(name_ + ": " + text);
  const wchar_t* lines[] = {wide.c_str()};
  ReportEventW(events, EVENTLOG_ERROR_TYPE, 0, kEventId, nullptr, 1, 0, lines, nullptr);
  DeregisterEventSource(events);
}

}  // namespace

Status RunAsService(const std::string& name, const std::function<Status()>& body) {
  the_service = new Service(name, &body);
  IgnoreConsole();
  // style: nothing else runs on the main thread meanwhile.
  const SERVICE_TABLE_ENTRYW services[] = {{no_name, ServiceMain}, {nullptr, nullptr}};
  if (!StartServiceCtrlDispatcherW(services)) {
    const DWORD error = GetLastError();
    if (error == ERROR_FAILED_SERVICE_CONTROLLER_CONNECT) {
      return Status::InvalidArgument(
          "--service is for the service manager, which did not start this process: make a service "
          "with \"sc.exe create " +
          name + " binPath= ...\" (doc/windows.md) and start that, or leave --service out");
    }
    return Status::IOError("the service manager does not answer", "error " + std::to_string(error));
  }
  return the_service->result();
}

void ServiceIsReady() {
  if (the_service != nullptr) the_service->Report(SERVICE_RUNNING);
}

}  // namespace cairn::server
