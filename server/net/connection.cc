#include "server/net/connection.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "fiber/net.h"
#include "fiber/runtime.h"
#include "server/commands/pubsub_commands.h"
#include "server/net/server.h"

namespace cairn::server {

namespace {

constexpr size_t kInputBytes = 4 << 10;  // of a client that sends little
// A buffer that was needed once is given back when it is empty and larger than this.
constexpr size_t kKeptBytes = 64 << 10;
constexpr size_t kKeptWords = 16 << 10;  // likewise
// Of a word of a request while that runs: where it is, its key in the store, what is found there.
constexpr size_t kBytesPerWord = 128;
// Larger replies do not wait for others.
constexpr size_t kOutboxBytes = 16 << 10;
// What the input grows by for a large request, at least.
constexpr size_t kMinGrowth = 64 << 10;
// For a client whose request was refused in the middle to send its rest and read the reply.
constexpr uint64_t kLingerNanos = 1'000'000'000;

}  // namespace

Connection::Connection(Server* server, int fd, uint64_t id, TlsContext* tls)
    : server_(server),
      state_(server->state()),
      fd_(fd),
      transport_(fd, tls, server->state().options().send_timeout_s * 1'000'000'000),
      input_share_(&server->state().keyspace().memory()),
      subscriber_(server->state().options().max_push_bytes, [this] { Kill(); }),
      executor_(&state_, &session_, &reply_,
                {[this] { return Flush(); }, [this] { FlushNow(); },
                 [this] { return transport_.Gone(); }}) {
  session_.id = id;
  session_.fd = fd;
  session_.subscriber = &subscriber_;
  session_.durability = server->state().default_durability();
  session_.authenticated = !server->state().needs_password();
  session_.connected_at_ms = server->state().keyspace().NowMillis();
  session_.last_active_ms.store(session_.connected_at_ms, std::memory_order_relaxed);
  fiber::net::Address address;
  if (fiber::net::peer_address(fd, &address) == 0) session_.address = address.to_string();
  if (fiber::net::local_address(fd, &address) == 0) session_.local_address = address.to_string();
}

uint64_t Connection::IdleDeadline() const {
  const uint64_t seconds = state_.idle_timeout_s();
  return seconds == 0 || session_.subscriptions != 0
             ? fiber::kNoDeadline
             : fiber::deadline_after(seconds * 1'000'000'000);
}

void Connection::Serve() {
  if (!transport_.encrypted() || Greet()) {
    do {
      if (server_->stopping()) break;
    } while (Receive() && RunRequests());
    Leave();
  }
  {
    const fiber::MutexLock lock(&close_mutex_);
    closed_ = true;
    fiber::net::close(fd_);
  }
  // Not before: who comes instead takes a descriptor, too.
  server_->RemoveConnection(this);
}

void Connection::Leave() {
  LeaveOutbox();
  if (session_.subscriptions != 0) UnsubscribeFromAll(state_, session_);
  subscriber_.Close();
  if (subscriber_.dropped()) {
    state_.stats().AddDroppedSubscriber();
    state_.log().Warn("a subscriber was too slow",
                      {{"address", session_.address}, {"client", std::to_string(session_.id)}});
  }
  // No more comes. The messenger ends with what it is sending.
  WriteMessages(session_, reply_);
  Flush();
  if (messenger_.joinable()) messenger_.join();
  transport_.SayGoodbye();
  if (lingers_) {
    idle_.store(true, std::memory_order_seq_cst);
    if (!server_->stopping()) transport_.Linger(fiber::deadline_after(kLingerNanos));
  }
}

void Connection::Kill() {
  session_.killed.store(true);
  Wake();
  const fiber::MutexLock lock(&close_mutex_);
  if (!closed_) fiber::net::shutdown(fd_, fiber::net::kShutBoth);
}

bool Connection::Greet() {
  std::string error;
  const uint64_t seconds = state_.options().tls_handshake_timeout_s;
  if (transport_.Handshake(fiber::deadline_after(seconds * 1'000'000'000), &error)) return true;
  server_->NoteFailedHandshake(session_.address, error);
  return false;
}

bool Connection::MakeRoom() {
  input_share_.Set(input_.size());
  if (begin_ == end_) {
    begin_ = end_ = 0;
    // The buffer follows what the client sends: who fills it has more behind it.
    size_t size = input_.size();
    if (last_received_ == size) {
      size = std::max(kInputBytes, 4 * size);
    } else if (last_received_ < size / 8) {
      size = kInputBytes;
    }
    size = std::clamp(size, kInputBytes, kKeptBytes);
    if (size != input_.size()) {
      input_ = std::string();
      input_.resize(size);
      input_share_.Set(size);
    }
    return true;
  }
  if (begin_ != 0) {
    memmove(input_.data(), input_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == input_.size()) {
    return Grow(GrownInput(end_, parser_.bytes_needed(), kMinGrowth));
  }
  if (input_.size() < kMinGrowth && last_received_ >= input_.size() - end_) {
    // The rest of the room would take but a part of what there is.
    return Grow(kMinGrowth);
  }
  return true;
}

bool Connection::Grow(size_t size) {
  // Both at once, while the bytes move.
  bool grown = input_share_.Set(input_.size() + size);
  try {
    if (grown) input_.resize(size);
  } catch (const std::bad_alloc&) {
    grown = false;
  }
  input_share_.Set(input_.size());
  if (grown) return true;
  LeaveOutbox();
  RefuseForMemory();
  return false;
}

void Connection::RefuseForMemory() {
  reply_.Error("OOM not enough memory for the request");
  lingers_ = true;
}

bool Connection::Receive() {
  if (!MakeRoom()) return false;
  idle_.store(begin_ == end_ && !in_outbox_ && !sender_.joinable(), std::memory_order_seq_cst);
  // Who is told to stop either sees this, or is seen by it.
  if (server_->stopping() && begin_ == end_) return false;
  receiving_ = true;
  const ptrdiff_t n =
      transport_.Receive(input_.data() + end_, input_.size() - end_, IdleDeadline());
  receiving_ = false;
  idle_.store(false, std::memory_order_seq_cst);
  if (n <= 0) return false;
  last_received_ = static_cast<size_t>(n);
  end_ += last_received_;
  state_.stats().AddReceived(last_received_);
  return true;
}

bool Connection::RunRequests() {
  try {
    return RunRequestsOrThrow();
  } catch (const std::bad_alloc&) {
    // Beside what is counted; what was replied may end anywhere.
    executor_.LetGo();
    LeaveOutbox();
    reply_.Clear();
    RefuseForMemory();
    return false;
  }
}

bool Connection::RunRequestsOrThrow() {
  if (in_outbox_ || sender_.joinable()) [[unlikely]] {
    // It has sent more without waiting for its reply.
    LeaveOutbox();
    if (session_.killed.load(std::memory_order_relaxed) || !Flush()) return false;
  }
  for (;;) {
    parser_.set_limits(session_.authenticated ? server_->request_limits()
                                              : RequestParser::Unauthenticated());
    words_.clear();
    if (words_.capacity() > kKeptWords) std::vector<std::string_view>().swap(words_);
    ends_.clear();
    RequestParser::Outcome outcome = RequestParser::Outcome::kNeedMore;
    while (ends_.size() < state_.options().max_pipeline) {
      size_t consumed = 0;
      outcome =
          parser_.Next(std::string_view(input_.data() + begin_, end_ - begin_), &consumed, &words_);
      begin_ += consumed;
      if (outcome != RequestParser::Outcome::kRequest) break;
      ends_.push_back(words_.size());
      // What it may send depends on this one.
      if (!session_.authenticated) break;
    }
    // Who sends many small words makes much more memory of them.
    if (words_.capacity() > kKeptWords &&
        !input_share_.Set(input_.size() + kBytesPerWord * words_.capacity())) {
      RefuseForMemory();
      return false;
    }
    const size_t count = ends_.size();
    requests_.clear();
    for (size_t i = 0, from = 0; i < count; from = ends_[i++]) {
      requests_.emplace_back(words_.data() + from, ends_[i] - from);
    }
    if (count != 0) {
      session_.last_active_ms.store(state_.keyspace().NowMillis(), std::memory_order_relaxed);
      executor_.Run(requests_);
      parser_.ForgetInline();
      if (session_.close_after_reply || session_.killed.load(std::memory_order_relaxed)) {
        return false;
      }
    }
    if (outcome == RequestParser::Outcome::kError) {
      state_.stats().AddProtocolError();
      reply_.Error("ERR " + parser_.error());
      lingers_ = true;
      return false;
    }
    if (outcome == RequestParser::Outcome::kNeedMore) break;
    if (!Flush()) return false;
  }
  return FlushLater();
}

bool Connection::FlushLater() {
  if (!reply_.contiguous() || reply_.size() > kOutboxBytes || transport_.encrypted() ||
      messenger_.joinable() || session_.subscriptions != 0) {
    return Flush();
  }
  if (!reply_.empty()) server_->outbox().Add(this);
  return true;
}

void Connection::SendFromOutbox() {
  const auto sent = [this] {
    if (receiving_ && begin_ == end_) idle_.store(true, std::memory_order_seq_cst);
  };
  FlushNow();
  if (reply_.empty()) {
    reply_.Shrink(kKeptBytes);
    sent();
    return;
  }
  sender_ = fiber::spawn({.name = "sender", .worker = fiber::current_worker()}, [this, sent] {
    if (SendReply()) {
      sent();
    } else {
      Kill();
    }
  });
}

void Connection::LeaveOutbox() {
  if (in_outbox_) server_->outbox().Remove(this);
  if (sender_.joinable()) [[unlikely]] {
    sender_.join();
  }
}

bool Connection::Flush() {
  if (messenger_.joinable() || session_.subscriptions != 0) [[unlikely]] {
    return FlushBesideMessages();
  }
  if (reply_.empty() && !transport_.unsent()) return true;
  // Most clients have room for their reply: no need to park, nor for a timer.
  if (reply_.contiguous()) {
    FlushNow();
    if (reply_.empty() && !transport_.unsent()) {
      reply_.Shrink(kKeptBytes);
      executor_.ReplySent();
      return true;
    }
  }
  return SendReply();
}

bool Connection::FlushBesideMessages() {
  bool ok = true;
  {
    const fiber::MutexLock lock(&send_mutex_);
    if (!reply_.empty() || transport_.unsent()) ok = SendReply();
    // Without subscriptions, version 2 has no place for messages: EXEC may have left some.
    if (session_.subscriptions == 0 && reply_.version() == 2) subscriber_.TakeAll();
    subscriber_.Release(reply_.version());
  }
  if (!messenger_.joinable()) {
    messenger_ = fiber::spawn({.name = "messenger", .worker = fiber::current_worker()},
                              [this] { SendMessages(); });
  }
  return ok;
}

bool Connection::SendReply() {
  std::vector<fiber::io::IoVec> parts;
  reply_.ForEachPart([&parts](const char* data, size_t size) {
    parts.push_back({const_cast<char*>(data), size});
  });
  bool ok = SendParts(parts);
  if (ok && transport_.unsent()) ok = transport_.SendRest() == 0;
  reply_.Clear();
  reply_.Shrink(kKeptBytes);
  executor_.ReplySent();
  if (!ok) session_.close_after_reply = true;
  return ok;
}

bool Connection::SendParts(std::vector<fiber::io::IoVec>& parts) {
  size_t first = 0;
  uint64_t sent_all = 0;
  bool ok = true;
  while (ok && first < parts.size()) {
    const ptrdiff_t n = transport_.Send(&parts[first], parts.size() - first);
    ok = n > 0;
    size_t sent = ok ? static_cast<size_t>(n) : 0;
    sent_all += sent;
    while (first < parts.size() && sent >= parts[first].iov_len) sent -= parts[first++].iov_len;
    if (sent != 0) {
      parts[first].iov_base = static_cast<char*>(parts[first].iov_base) + sent;
      parts[first].iov_len -= sent;
    }
  }
  state_.stats().AddBytesOut(sent_all);
  return ok;
}

void Connection::SendMessages() {
  std::vector<Subscriber::Frame> frames;
  std::vector<fiber::io::IoVec> parts;
  while (subscriber_.Wait()) {
    const fiber::MutexLock lock(&send_mutex_);
    int version;
    subscriber_.Take(&frames, &version);
    parts.clear();
    for (const Subscriber::Frame& frame : frames) {
      char* const text = const_cast<char*>(frame->data());
      if (version < 3) {
        parts.push_back({text, frame->size()});
      } else {
        static constexpr char kPush = '>';
        parts.push_back({const_cast<char*>(&kPush), 1});
        parts.push_back({text + 1, frame->size() - 1});
      }
    }
    if (!SendParts(parts)) {
      // Perhaps within a message: nothing may follow it.
      Kill();
      return;
    }
    subscriber_.Sent(frames);
  }
}

void Connection::FlushNow() {
  if (!reply_.contiguous() || reply_.empty()) return;
  // A message must not come into the middle of a reply.
  if (messenger_.joinable() || session_.subscriptions != 0) return;
  const std::string_view text = reply_.text();
  const ptrdiff_t n = transport_.SendNow(text.data(), text.size());
  if (n <= 0) return;
  state_.stats().AddBytesOut(static_cast<uint64_t>(n));
  reply_.DropSent(static_cast<size_t>(n));
}

}  // namespace cairn::server
