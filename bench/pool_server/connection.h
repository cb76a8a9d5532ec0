// A client's connection. At each moment it has at most one owner (an I/O thread that reads, or a
// pool thread that executes and sends), which alone uses it without the mutex; who owns it follows
// from the members that the mutex guards. server.h has the whole story.
#pragma once

#include <sys/uio.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/resp/reply.h"
#include "server/resp/request_parser.h"

namespace pool_server {

struct IoThread;

class Connection {
 public:
  // Takes over `fd`, which does not block.
  Connection(int fd, IoThread* thread) : home(thread), fd_(fd) {}
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  enum class Reading { kDrained, kMore, kClosed };
  // Takes what has come, up to a limit (kMore). REQUIRES: no requests, whose views it would move.
  Reading Receive();
  // Finds the complete requests in what was received, up to a limit.
  void Parse();
  bool has_requests() const { return next_ < ends_.size(); }
  // REQUIRES: has_requests(). Valid until the next Parse().
  std::span<const std::string_view> NextRequest();
  // After the last request: none can come any more.
  bool failed() const { return failed_; }
  const std::string& protocol_error() const { return parser_.error(); }

  enum class Sending { kDone, kBlocked, kBroken };
  // Sends what is left of the replies.
  Sending Send();
  bool sending() const { return !reply.empty(); }
  int fd() const { return fd_; }

  // Of the owner, who gives the memory to `home` then.
  void CloseSocket();

  IoThread* const home;
  cairn::server::ReplyWriter reply;
  bool closing = false;        // after what is in `reply`
  bool input_ended = false;    // the peer sends no more
  bool input_drained = false;  // the socket was empty at the last Receive()

  std::mutex mutex;
  bool owned = false;     // by a thread, or by the output that is blocked
  bool readable = false;  // something came while it was owned
  bool blocked = false;   // output waits for room in the socket; nobody else owns it
  // The peer has ended, or the socket failed. Written under the mutex; the owner reads it without,
  // and reads again if `readable` says that it came later.
  std::atomic<bool> hung_up{false};

 private:
  int fd_;
  cairn::server::RequestParser parser_;
  std::vector<char> input_;
  size_t begin_ = 0;  // input_[begin_, end_) is not parsed yet
  size_t end_ = 0;
  bool failed_ = false;

  std::vector<std::string_view> words_;  // of all requests
  std::vector<size_t> ends_;             // of each, in words_
  size_t next_ = 0;                      // in ends_

  std::vector<iovec> parts_;  // of `reply`; empty: not begun
  size_t next_part_ = 0;
};

}  // namespace pool_server
