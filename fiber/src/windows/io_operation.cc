// See io_operation.h.
#include "io_operation.h"

#include <algorithm>
#include <cerrno>
#include <vector>

#include "fiber/clock.h"
#include "handles.h"
#include "os_clock.h"
#include "os_net.h"
#include "raw_lock.h"
#include "win_error.h"
// After winsock2.h.
#include <mswsock.h>

namespace fiber::detail {

namespace {

static_assert(sizeof(OsOverlapped) == sizeof(OVERLAPPED));
static_assert(IoOperation::kAddressBytes >= 2 * (sizeof(sockaddr_storage) + 16));

using Kind = IoOperation::Kind;

OVERLAPPED* overlapped_of(IoOperation* operation) {
  return reinterpret_cast<OVERLAPPED*>(&operation->overlapped);
}

SOCKET socket_of(int fd) { return reinterpret_cast<SOCKET>(handle_of(fd)); }

// An extension of Winsock, which has no name to link to. All providers have the same.
template <class Function>
Function extension(SOCKET socket, GUID id) {
  Function found = nullptr;
  DWORD bytes = 0;
  if (WSAIoctl(socket, SIO_GET_EXTENSION_FUNCTION_POINTER, &id, sizeof(id), &found, sizeof(found),
               &bytes, nullptr, nullptr) != 0) {
    return nullptr;
  }
  return found;
}

// Of a call that said `ok`, or left an error.
int64_t begun(bool ok, DWORD bytes, DWORD error) {
  if (ok) return bytes;
  if (error == ERROR_IO_PENDING) return -EINPROGRESS;
  if (error == ERROR_HANDLE_EOF) return 0;
  return errno_of(error);
}

size_t buffers_of(const IoOperation& operation, WSABUF (&buffers)[IoOperation::kMaxParts]) {
  if (operation.parts == nullptr) {
    buffers[0] = {static_cast<ULONG>(operation.size), static_cast<char*>(operation.data)};
    return 1;
  }
  const size_t count = std::min(operation.part_count, IoOperation::kMaxParts);
  for (size_t i = 0; i < count; i++) {
    buffers[i] = {static_cast<ULONG>(std::min<size_t>(operation.parts[i].iov_len, size_t{1} << 30)),
                  static_cast<char*>(operation.parts[i].iov_base)};
  }
  return count;
}

int64_t start_file(IoOperation* operation, HANDLE handle) {
  operation->overlapped.offset_low = static_cast<uint32_t>(operation->offset);
  operation->overlapped.offset_high = static_cast<uint32_t>(operation->offset >> 32);
  DWORD bytes = 0;
  const DWORD size = static_cast<DWORD>(operation->size);
  const BOOL ok = operation->kind == Kind::kRead
                      ? ReadFile(handle, operation->data, size, &bytes, overlapped_of(operation))
                      : WriteFile(handle, operation->data, size, &bytes, overlapped_of(operation));
  return begun(ok != 0, bytes, ok ? 0 : GetLastError());
}

int64_t start_accept(IoOperation* operation, SOCKET listener) {
  static std::atomic<LPFN_ACCEPTEX> known{nullptr};
  LPFN_ACCEPTEX accept_ex = known.load(std::memory_order_relaxed);
  if (accept_ex == nullptr) {
    accept_ex = extension<LPFN_ACCEPTEX>(listener, WSAID_ACCEPTEX);
    if (accept_ex == nullptr) return errno_of(static_cast<DWORD>(WSAGetLastError()));
    known.store(accept_ex, std::memory_order_relaxed);
  }
  constexpr DWORD kEach = sizeof(sockaddr_storage) + 16;
  DWORD bytes = 0;
  const BOOL ok = accept_ex(listener, socket_of(operation->accepted), operation->data, 0, kEach,
                            kEach, &bytes, overlapped_of(operation));
  return begun(ok != 0, 0, ok ? 0 : static_cast<DWORD>(WSAGetLastError()));
}

int64_t start_connect(IoOperation* operation, SOCKET socket) {
  static std::atomic<LPFN_CONNECTEX> known{nullptr};
  LPFN_CONNECTEX connect_ex = known.load(std::memory_order_relaxed);
  if (connect_ex == nullptr) {
    connect_ex = extension<LPFN_CONNECTEX>(socket, WSAID_CONNECTEX);
    if (connect_ex == nullptr) return errno_of(static_cast<DWORD>(WSAGetLastError()));
    known.store(connect_ex, std::memory_order_relaxed);
  }
  DWORD bytes = 0;
  const BOOL ok = connect_ex(socket, static_cast<const sockaddr*>(operation->address),
                             operation->address_size, nullptr, 0, &bytes, overlapped_of(operation));
  return begun(ok != 0, 0, ok ? 0 : static_cast<DWORD>(WSAGetLastError()));
}

int64_t start_transfer(IoOperation* operation, SOCKET socket) {
  WSABUF buffers[IoOperation::kMaxParts];
  const auto count = static_cast<DWORD>(buffers_of(*operation, buffers));
  DWORD bytes = 0;
  DWORD flags = static_cast<DWORD>(operation->flags);
  const int error =
      operation->kind == Kind::kReceive
          ? WSARecv(socket, buffers, count, &bytes, &flags, overlapped_of(operation), nullptr)
          : WSASend(socket, buffers, count, &bytes, flags, overlapped_of(operation), nullptr);
  return begun(error == 0, bytes, error == 0 ? 0 : static_cast<DWORD>(WSAGetLastError()));
}

// Events for plain threads that wait, kept for the next one. As many as ever waited at once.
RawLock g_lock;
std::vector<HANDLE>& spare_events() FIBER_REQUIRES(g_lock) {
  static auto* const events = new std::vector<HANDLE>;  // never destroyed: threads may outlive main
  return *events;
}

class Event {
 public:
  Event() {
    {
      RawLockGuard guard(&g_lock);
      std::vector<HANDLE>& spare = spare_events();
      if (!spare.empty()) {
        handle_ = spare.back();
        spare.pop_back();
        return;
      }
    }
    handle_ = CreateEventW(nullptr, /*bManualReset=*/TRUE, FALSE, nullptr);
  }
  ~Event() {
    if (handle_ == nullptr) return;
    RawLockGuard guard(&g_lock);
    spare_events().push_back(handle_);
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  HANDLE get() const { return handle_; }

 private:
  HANDLE handle_;
};

}  // namespace

PollEntry IoOperation::stream() const {
  const HandleEntry* const entry = moves_bytes() ? handle_entry(fd) : nullptr;
  if (entry == nullptr || entry->kind != HandleKind::kSocket) return {};
  return {.fd = fd, .events = kind == Kind::kRead ? kPollIn : kPollOut, .revents = 0};
}

int64_t start_operation(IoOperation* operation, void* event) {
  void* const handle = handle_of(operation->fd);
  if (handle == nullptr) return -EBADF;
  // The lowest bit keeps the completion out of the port that the handle may belong to.
  operation->overlapped = {};
  if (event != nullptr)
    operation->overlapped.event =
        reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(event) | uintptr_t{1});
  switch (operation->kind) {
    case Kind::kRead:
    case Kind::kWrite:
      return start_file(operation, handle);
    case Kind::kReceive:
    case Kind::kSend:
      return start_transfer(operation, reinterpret_cast<SOCKET>(handle));
    case Kind::kAccept:
      return start_accept(operation, reinterpret_cast<SOCKET>(handle));
    case Kind::kConnect:
      return start_connect(operation, reinterpret_cast<SOCKET>(handle));
    case Kind::kNone:
      break;
  }
  return -EINVAL;
}

int64_t result_of(IoOperation* operation) {
  void* const handle = handle_of(operation->fd);
  if (handle == nullptr) return -ECANCELED;
  DWORD bytes = 0;
  if (operation->kind == Kind::kRead || operation->kind == Kind::kWrite) {
    const BOOL ok = GetOverlappedResult(handle, overlapped_of(operation), &bytes, FALSE);
    return begun(ok != 0, bytes, ok ? 0 : GetLastError());
  }
  DWORD flags = 0;
  const BOOL ok = WSAGetOverlappedResult(reinterpret_cast<SOCKET>(handle), overlapped_of(operation),
                                         &bytes, FALSE, &flags);
  return begun(ok != 0, bytes, ok ? 0 : static_cast<DWORD>(WSAGetLastError()));
}

void cancel_operation(IoOperation* operation) {
  void* const handle = handle_of(operation->fd);
  if (handle != nullptr) (void)CancelIoEx(handle, overlapped_of(operation));
}

int64_t perform_on_thread(IoOperation* operation, uint64_t deadline, bool (*closing)(void*),
                          void* argument) {
  const Event event;
  if (event.get() == nullptr) return last_error();
  ResetEvent(event.get());
  const int64_t result = start_operation(operation, event.get());
  if (result != -EINPROGRESS) return result;
  bool cancelled = closing != nullptr && closing(argument);
  bool late = false;
  if (cancelled) cancel_operation(operation);
  for (;;) {
    const DWORD millis = cancelled ? INFINITE : os_millis_until(deadline);
    const DWORD waited = WaitForSingleObject(event.get(), millis);
    if (waited != WAIT_TIMEOUT) break;
    if (cancelled || now_nanos() < deadline) continue;
    cancelled = late = true;
    cancel_operation(operation);
  }
  const int64_t end = result_of(operation);
  return late && end == -ECANCELED ? -ETIMEDOUT : end;
}

}  // namespace fiber::detail
