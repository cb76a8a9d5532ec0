// A client's socket as its Connection uses it: plain, or with TLS on it. A plain one costs the look
// at a null pointer.
//
// One fiber receives, any number send; whoever wants to send several things one behind the other
// sees to that. Results are those of fiber/net.h.

#ifndef CAIRN_SERVER_NET_TRANSPORT_H_
#define CAIRN_SERVER_NET_TRANSPORT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "fiber/clock.h"
#include "fiber/net.h"
#include "server/host/machine.h"
#include "server/net/tls.h"

namespace cairn::server {

class Transport {
 public:
  // Both are borrowed; `context`: null for none. `patience_nanos`: a send that comes no further for
  // so long fails; 0: never.
  Transport(int fd, TlsContext* context, uint64_t patience_nanos)
      : fd_(fd),
        patience_nanos_(patience_nanos),
        tls_(context == nullptr ? nullptr : std::make_unique<TlsStream>(context, fd)) {}

  bool encrypted() const { return tls_ != nullptr; }
  // SUSPENDS. First of all, if it is encrypted.
  bool Handshake(uint64_t deadline, std::string* error) { return tls_->Handshake(deadline, error); }

  // SUSPENDS until there is something.
  ptrdiff_t Receive(void* data, size_t size, uint64_t deadline) {
    if (tls_ != nullptr) [[unlikely]] {
      return tls_->Receive(data, size, deadline);
    }
    return fiber::net::recv(fd_, data, size, 0, deadline);
  }
  // SUSPENDS until some of the parts is sent.
  ptrdiff_t Send(fiber::io::IoVec* parts, size_t count) {
    if (tls_ != nullptr) [[unlikely]] {
      return tls_->Send(parts, count, patience_nanos_);
    }
    const uint64_t deadline =
        patience_nanos_ == 0 ? fiber::kNoDeadline : fiber::deadline_after(patience_nanos_);
    if (count == 1) return fiber::net::send(fd_, parts->iov_base, parts->iov_len, 0, deadline);
    fiber::net::Message message = {};
    message.msg_iov = parts;
    message.msg_iovlen = std::min<size_t>(count, 512);
    return fiber::net::sendmsg(fd_, &message, 0, deadline);
  }
  // Takes what it can without waiting.
  ptrdiff_t SendNow(const void* data, size_t size) {
    if (tls_ != nullptr) [[unlikely]] {
      return tls_->SendNow(data, size);
    }
    return fiber::net::send(fd_, data, size, fiber::net::kDontWait);
  }
  // Whether SendNow() has taken what is not yet sent; SendRest() sends it. SUSPENDS.
  bool unsent() const { return tls_ != nullptr && tls_->unsent(); }
  int SendRest() { return tls_->SendRest(patience_nanos_); }

  // Whether the client has hung up, perhaps behind requests that were not received yet.
  bool Gone() const { return HasHungUp(fd_); }
  // Before the socket is closed: the end is meant, with TLS. Plain sockets tell it by themselves.
  void SayGoodbye() {
    if (tls_ != nullptr) tls_->SayGoodbye();
  }
  // After that: takes what the client still sends until it hangs up. A socket that is closed with
  // input unread resets the connection, and the client's send fails before it reads the reply.
  // SUSPENDS until the deadline at the latest.
  void Linger(uint64_t deadline) {
    fiber::net::shutdown(fd_, fiber::net::kShutSend);
    char unread[1024];
    while (fiber::net::recv(fd_, unread, sizeof(unread), 0, deadline) > 0) {
    }
  }

 private:
  const int fd_;
  const uint64_t patience_nanos_;
  const std::unique_ptr<TlsStream> tls_;
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_NET_TRANSPORT_H_
