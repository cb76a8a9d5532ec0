#include "pool_server/connection.h"

#include <errno.h>
#include <limits.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace pool_server {
namespace {

constexpr size_t kSmallInput = size_t{4} << 10;
constexpr size_t kLargeInput = size_t{64} << 10;  // beyond it only for a request that needs it
constexpr size_t kMostRequests = 1024;            // of one job
constexpr size_t kKeptBytes = size_t{64} << 10;   // a buffer beyond that is given back

}  // namespace

Connection::~Connection() { CloseSocket(); }

void Connection::CloseSocket() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

Connection::Reading Connection::Receive() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    if (input_.size() > kKeptBytes) input_ = {};
  } else if (begin_ != 0) {
    std::memmove(input_.data(), input_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  for (;;) {
    if (end_ == input_.size()) {
      const size_t needed = parser_.bytes_needed();
      if (end_ >= kLargeInput && end_ >= needed) return Reading::kMore;
      input_.resize(cairn::server::GrownInput(end_, needed, kSmallInput));
    }
    const size_t room = input_.size() - end_;
    const ssize_t n = recv(fd_, input_.data() + end_, room, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return Reading::kDrained;
    if (n <= 0) return Reading::kClosed;
    end_ += static_cast<size_t>(n);
    // There is no edge for an end that came together with this.
    if (static_cast<size_t>(n) < room && !hung_up.load(std::memory_order_relaxed)) {
      return Reading::kDrained;
    }
  }
}

void Connection::Parse() {
  using Outcome = cairn::server::RequestParser::Outcome;
  words_.clear();
  ends_.clear();
  next_ = 0;
  parser_.ForgetInline();
  while (!failed_ && ends_.size() < kMostRequests) {
    size_t consumed = 0;
    const Outcome outcome =
        parser_.Next({input_.data() + begin_, end_ - begin_}, &consumed, &words_);
    begin_ += consumed;
    if (outcome == Outcome::kRequest) {
      ends_.push_back(words_.size());
      continue;
    }
    failed_ = outcome == Outcome::kError;
    break;
  }
}

std::span<const std::string_view> Connection::NextRequest() {
  const size_t from = next_ == 0 ? 0 : ends_[next_ - 1];
  const size_t to = ends_[next_++];
  return {words_.data() + from, to - from};
}

Connection::Sending Connection::Send() {
  if (parts_.empty()) {
    reply.ForEachPart([this](const char* data, size_t size) {
      parts_.push_back({const_cast<char*>(data), size});
    });
  }
  while (next_part_ < parts_.size()) {
    msghdr message = {};
    message.msg_iov = parts_.data() + next_part_;
    message.msg_iovlen = std::min<size_t>(parts_.size() - next_part_, IOV_MAX);
    const ssize_t n = sendmsg(fd_, &message, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN ? Sending::kBlocked : Sending::kBroken;
    for (auto left = static_cast<size_t>(n); left > 0;) {
      iovec& part = parts_[next_part_];
      const size_t taken = std::min(left, part.iov_len);
      part.iov_base = static_cast<char*>(part.iov_base) + taken;
      part.iov_len -= taken;
      left -= taken;
      if (part.iov_len == 0) ++next_part_;
    }
  }
  parts_.clear();
  next_part_ = 0;
  reply.Clear();
  reply.Shrink(kKeptBytes);
  return Sending::kDone;
}

}  // namespace pool_server
