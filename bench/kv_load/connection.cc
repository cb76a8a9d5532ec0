#include "kv_load/connection.h"

#include <errno.h>

#include <algorithm>
#include <cstring>

#include "fiber/clock.h"
#include "fiber/io.h"
#include "fiber/net.h"
#include "fiber/runtime.h"

namespace kv_load {
namespace {

constexpr size_t kSmallestBuffer = 2048;
// What any socket takes without the server reading: so many bytes of requests are sent without
// thinking of replies, which the server might want to get rid of first.
constexpr size_t kHarmless = size_t{32} << 10;
constexpr uint64_t kStall = 1'000'000;             // ns: then replies are looked for
constexpr uint64_t kReconnectPause = 100'000'000;  // ns

size_t BufferSize(const Plan& plan, size_t each) {
  // Ten thousand connections have 160 MB of buffers, and not more.
  const size_t largest = plan.connections <= 256 ? size_t{64} << 10 : size_t{16} << 10;
  return std::clamp(each * static_cast<size_t>(plan.pipeline), kSmallestBuffer, largest);
}

size_t ReplySize(const Plan& plan) {
  constexpr size_t kFrame = 16;
  size_t result = kFrame;
  for (const Command& command : plan.commands) {
    if (!command.returns_values()) continue;
    result = std::max(result, kFrame + command.keys() * (plan.value_size + kFrame));
  }
  return result;
}

}  // namespace

Connection::Connection(const Plan* plan, KeySpace* space, Worker* worker, int number)
    : plan_(plan),
      space_(space),
      worker_(worker),
      number_(number),
      keys_each_(plan->verify ? std::max(plan->commands[0].keys(), plan->commands[1].keys()) : 0),
      in_(BufferSize(*plan, ReplySize(*plan))),
      out_(std::max(plan->largest_request(), BufferSize(*plan, plan->largest_request()))),
      pending_(static_cast<size_t>(plan->deepest())),
      pending_keys_(pending_.size() * keys_each_) {}

int Connection::Open(std::string* error) {
  error->clear();
  const uint64_t deadline = fiber::deadline_after(plan_->timeout_nanos);
  const int fd = fiber::net::connect_to(plan_->server, deadline);
  if (fd < 0) return fd;
  if (plan_->server.family() != AF_UNIX) fiber::net::set_nodelay(fd, true);
  fiber::io::keep_registered(fd);
  fd_ = fd;
  parser_.Reset();
  if (plan_->resp == 2) return 0;
  constexpr std::string_view kHello = "*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n";
  ssize_t n = fiber::net::send_all(fd, kHello.data(), kHello.size(), deadline);
  while (n > 0) {
    n = fiber::net::recv(fd, in_.data(), in_.size(), 0, deadline);
    if (n <= 0) break;
    const char* at = in_.data();
    const ReplyParser::Result result = parser_.Parse(&at, in_.data() + n, nullptr);
    if (result == ReplyParser::Result::kMore) continue;
    if (result == ReplyParser::Result::kReply && parser_.errors() == 0) return 0;
    *error = result == ReplyParser::Result::kReply ? parser_.error_text() : "malformed reply";
    n = -EPROTO;
  }
  Close();
  return n == 0 ? -ECONNRESET : static_cast<int>(n);
}

void Connection::Close() {
  const int fd = fd_;
  fd_ = -1;
  if (fd >= 0) fiber::net::close(fd);
}

void Connection::CheckPatience(uint64_t now) {
  if (fd_ < 0 || waiting_since_ == 0 || now < waiting_since_ + plan_->timeout_nanos) return;
  timed_out_ = true;
  fiber::net::shutdown(fd_, SHUT_RDWR);
}

void Connection::Run(Phase* phase) {
  loading_ = phase->kind == Phase::Kind::kLoad;
  if (phase->period_nanos > 0) {
    RunOpen(phase);
  } else {
    RunClosed(phase);
  }
  waiting_since_ = 0;
}

void Connection::RunClosed(Phase* phase) {
  const auto depth = static_cast<uint64_t>(loading_ ? plan_->deepest() : plan_->pipeline);
  uint64_t first = 0;
  now_ = fiber::now_nanos();
  while (now_ < phase->end) {
    if (fd_ < 0 && !Reconnect(*phase)) return;
    const uint64_t n = phase->Claim(depth, &first);
    if (n == 0) return;
    if (!Exchange(first, n)) now_ = fiber::now_nanos();
  }
}

bool Connection::Exchange(uint64_t first, uint64_t n) {
  now_ = fiber::now_nanos();
  for (uint64_t i = 0; i < n; ++i) {
    if (Queue(first + i, now_)) continue;
    tally().lost.Add(n - i - 1);
    return false;
  }
  if (!Flush()) return false;
  while (awaited_ > 0) {
    if (!Receive(fiber::kNoDeadline)) return false;
  }
  return true;
}

uint64_t Connection::Due(const Phase& phase, uint64_t index) const {
  const uint64_t i =
      static_cast<uint64_t>(number_) + index * static_cast<uint64_t>(plan_->connections);
  if (i >= phase.total) return UINT64_MAX;
  const uint64_t at =
      phase.start + static_cast<uint64_t>(static_cast<double>(i) * phase.period_nanos);
  return at < phase.end ? at : UINT64_MAX;
}

void Connection::RunOpen(Phase* phase) {
  const auto depth = static_cast<size_t>(plan_->pipeline);
  uint64_t next = 0;
  bool held_up = false;  // the next request waited for a reply, or for a connection
  for (;;) {
    uint64_t due = Due(*phase, next);
    if (due == UINT64_MAX && awaited_ == 0) return;
    now_ = fiber::now_nanos();
    // Whoever was not held up may be late by a moment: what was due is sent all the same.
    if (due != UINT64_MAX && now_ >= phase->end && held_up) {
      next = CountUnsent(*phase, next);
      continue;
    }
    if (fd_ < 0) {
      held_up = true;
      if (!Reconnect(*phase)) {
        CountUnsent(*phase, next);
        return;
      }
      continue;
    }
    bool lost = false;
    for (; !lost && due <= now_ && awaited_ < depth; due = Due(*phase, ++next)) {
      if (!held_up) tally().late.Add(now_ - due);
      lost = !Queue(next, due);
    }
    if (lost || !Flush()) continue;
    held_up = awaited_ == depth && due <= now_;
    if (awaited_ == 0) {
      fiber::sleep_until(due);
    } else {
      Receive(awaited_ < depth ? due : fiber::kNoDeadline);
    }
  }
}

uint64_t Connection::CountUnsent(const Phase& phase, uint64_t next) {
  const uint64_t now = fiber::now_nanos();
  for (uint64_t due; (due = Due(phase, next)) != UINT64_MAX; ++next) {
    tally().unsent.Add(1);
    // Of which kind it would have been nobody knows; that it waited so long counts.
    if (due < now) tally().kinds[0].AddLatency(now - due);
  }
  return next;
}

const Command& Connection::CommandOf(int kind) const {
  return loading_ ? plan_->load_command : plan_->commands[kind];
}

bool Connection::Queue(uint64_t i, uint64_t at) {
  db_bench::Random* const random = &worker_->numbers;
  const int kind = loading_ || !plan_->mixed() || random->Next() < plan_->first_below ? 0 : 1;
  const Command& command = CommandOf(kind);
  if (out_used_ + command.size() > out_.size() && !Flush()) {
    tally().lost.Add(1);
    return false;
  }
  const size_t slot = (head_ + awaited_) % pending_.size();
  uint64_t* remembered = pending_keys_.data() + slot * keys_each_;
  uint64_t load_index = i;
  command.Encode(out_.data() + out_used_, &worker_->filling, [&] {
    const uint64_t key =
        loading_ ? space_->LoadOrder(load_index++) : space_->Next(command.writes(), random);
    if (keys_each_ != 0) *remembered++ = key;
    return key;
  });
  out_used_ += command.size();
  pending_[slot] = {at, kind};
  if (awaited_++ == 0) waiting_since_ = now_;
  return true;
}

bool Connection::Flush() {
  const bool harmless = awaited_ * plan_->largest_request() <= kHarmless;
  for (size_t sent = 0; sent < out_used_;) {
    const ssize_t n =
        fiber::net::send(fd_, out_.data() + sent, out_used_ - sent, 0,
                         harmless ? fiber::kNoDeadline : fiber::deadline_after(kStall));
    if (n > 0) {
      sent += static_cast<size_t>(n);
      tally().bytes_out.Add(static_cast<uint64_t>(n));
    } else if (n == -ETIMEDOUT) {
      // The server may be waiting for us to read what it has to say before it reads on.
      const ssize_t came = fiber::net::recv(fd_, in_.data(), in_.size(), MSG_DONTWAIT);
      if (came != -EAGAIN && !Received(came)) return false;
    } else {
      return Lose(std::strerror(static_cast<int>(-n)));
    }
  }
  out_used_ = 0;
  return true;
}

bool Connection::Receive(uint64_t deadline) {
  const ssize_t n = fiber::net::recv(fd_, in_.data(), in_.size(), 0, deadline);
  return n == -ETIMEDOUT && !timed_out_ ? true : Received(n);
}

bool Connection::Received(ssize_t n) {
  if (n == 0) return Lose("the server closed the connection");
  if (n < 0) return Lose(std::strerror(static_cast<int>(-n)));
  tally().bytes_in.Add(static_cast<uint64_t>(n));
  now_ = fiber::now_nanos();
  const char* at = in_.data();
  const char* const end = at + n;
  while (at < end) {
    const Pending request = pending_[head_];
    const bool check = keys_each_ != 0 && CommandOf(request.kind).returns_values();
    const ReplyParser::Result result = parser_.Parse(&at, end, check ? this : nullptr);
    if (result == ReplyParser::Result::kMore) break;
    if (result == ReplyParser::Result::kMalformed) return Lose("the server sent a malformed reply");
    if (awaited_ == 0) return Lose("the server sent a reply without a request");
    if (check && parser_.errors() == 0 && (wrong_ || checked_ != CommandOf(request.kind).keys())) {
      tally().wrong.Add(1);
    }
    wrong_ = false;
    checked_ = 0;
    TakeReply(request);
    head_ = head_ + 1 == pending_.size() ? 0 : head_ + 1;
    --awaited_;
  }
  waiting_since_ = awaited_ == 0 ? 0 : now_;
  return true;
}

void Connection::TakeReply(const Pending& request) {
  Tally& t = tally();
  t.last_reply.Raise(now_);
  if (parser_.errors() != 0) {
    t.errors.Add(1);
    if (t.first_error.empty()) t.first_error = parser_.error_text();
    return;
  }
  if (parser_.nulls() != 0) t.not_found.Add(parser_.nulls());
  KindTally& kind = t.kinds[request.kind];
  kind.replies.Add(1);
  kind.AddLatency(now_ - request.at);
}

bool Connection::Lose(std::string_view why) {
  Tally& t = tally();
  if (timed_out_) why = "no reply within --timeout";
  (timed_out_ ? t.timeouts : t.disconnects).Add(1);
  if (t.first_error.empty()) t.first_error = why;
  t.lost.Add(awaited_);
  timed_out_ = false;
  waiting_since_ = 0;
  awaited_ = 0;
  out_used_ = 0;
  wrong_ = false;
  checked_ = 0;
  Close();
  return false;
}

bool Connection::Reconnect(const Phase& phase) {
  const uint64_t give_up = std::min(phase.end, fiber::deadline_after(plan_->timeout_nanos));
  std::string error;
  while (Open(&error) != 0) {
    if (fiber::now_nanos() >= give_up) {
      if (phase.end != give_up) tally().abandoned.Add(1);
      return false;
    }
    fiber::sleep_until(std::min(give_up, fiber::deadline_after(kReconnectPause)));
  }
  return true;
}

void Connection::OnPiece(uint64_t element, uint64_t offset, std::string_view piece) {
  if (element >= CommandOf(pending_[head_].kind).keys()) {
    wrong_ = true;
    return;
  }
  const uint64_t key = pending_keys_[head_ * keys_each_ + element];
  if (!worker_->filling.values.Matches(key, offset, piece)) wrong_ = true;
}

void Connection::OnEnd(uint64_t, uint64_t size) {
  ++checked_;
  if (size != plan_->value_size) wrong_ = true;
}

void Connection::OnNull(uint64_t) {
  ++checked_;
  // After a load every key is there.
  if (plan_->load) wrong_ = true;
}

}  // namespace kv_load
