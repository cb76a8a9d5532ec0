// Commands that wait until other clients have put something where they look (BLPOP and its kin).
//
// Such a command's function has a look at its keys as any write does, under their stripes. If it
// finds nothing it takes a place in the queues of its keys (lock_table.h) before it lets go of
// them, and its fiber parks. Whoever changes one of the keys calls it; then it looks again. What it
// finds it takes in its own fiber and with its own commit, so a client that has gone away by then
// takes nothing.
#include <algorithm>

#include "fiber/clock.h"
#include "server/commands/executor.h"
#include "server/state/server_state.h"

namespace cairn::server {

namespace {

// One that nobody calls looks this often whether its client is still there. Until then it does no
// harm: it has a look at that, too, before it takes anything.
constexpr uint64_t kGoneCheckNanos = 1'000'000'000;
// Behind all who wait.
constexpr uint64_t kNoTicket = UINT64_MAX;

}  // namespace

bool Executor::MustGiveWay(const Arguments& request, const Command& command, uint64_t ticket) {
  bool must = false;
  ForEachKey(command, request, [&](std::string_view key) {
    must = must || locks_.MustGiveWay(session_->ns, key, ticket);
  });
  return must;
}

void Executor::LeaveQueues(const Arguments& request, const Command& command, uint32_t ns,
                           uint64_t ticket) {
  ForEachKey(command, request, [&](std::string_view key) { locks_.Add(ns, key); });
  locks_.Lock();
  // What it was called for and does not take is for those behind it.
  locks_.BeginLook(&session_->waiter);
  ForEachKey(command, request, [&](std::string_view key) {
    locks_.Leave(ns, key, ticket);
    locks_.PassOn(ns, key, ticket);
  });
  locks_.Unlock();
  locks_.EndLook();
}

// SUSPENDS until the command is to look again, called or for the last time. False: it ends here.
bool Executor::WaitForCall(uint64_t deadline, BlockedOn* blocked) {
  fiber::Event& event = session_->waiter.event();
  session_->blocked.store(true);
  bool look = false;
  for (bool waits = true; waits && !look;) {
    const uint64_t limit = blocked->timed_out ? fiber::kNoDeadline : deadline;
    // What woke it is told by what is looked at below.
    (void)event.wait_until(std::min(limit, fiber::deadline_after(kGoneCheckNanos)));
    event.reset();
    const Session::Unblock unblock = session_->unblock.exchange(Session::Unblock::kNo);
    if (session_->killed.load() || server_->frontend().stopping() || client_.gone()) {
      session_->close_after_reply = true;
      waits = false;
    } else if (unblock == Session::Unblock::kError) {
      if (!session_->replies_off) {
        reply_->Error("UNBLOCKED client unblocked via CLIENT UNBLOCK");
      }
      waits = false;
    } else if (unblock == Session::Unblock::kTimeout || fiber::now_nanos() >= limit) {
      look = blocked->timed_out = true;
    } else {
      look = session_->waiter.called();
    }
  }
  session_->blocked.store(false);
  return look;
}

void Executor::RunBlocking(const Arguments& request, const Command& command) {
  Waiter& waiter = session_->waiter;
  BlockedOn blocked;
  uint64_t deadline = fiber::kNoDeadline;
  uint64_t ticket = kNoTicket;
  bool queued = false;
  bool flushed = reply_->empty() && session_->subscriptions == 0;
  uint32_t queued_ns = 0;
  bool ended = false;
  const bool skip_reply = session_->skip_next_reply;
  const auto for_keys = [&](const auto& use) { ForEachKey(command, request, use); };

  waiter.event().reset();
  session_->unblock.store(Session::Unblock::kNo);
  while (!ended) {
    LockKeys([&] { for_keys([&](std::string_view key) { locks_.Add(session_->ns, key); }); });
    if (queued && session_->ns != queued_ns) {
      // FLUSHDB or SWAPDB: the database's keys are others now. The place in the queues is kept.
      locks_.Unlock();
      LeaveQueues(request, command, queued_ns, ticket);
      queued = false;
      continue;
    }
    const uint64_t begin = fiber::now_nanos();
    locks_.BeginLook(&waiter);
    blocked.would_wait = false;
    session_->skip_next_reply = skip_reply;
    const ReplyWriter::Mark mark = reply_->mark();
    bool gives_way = false;
    {
      Transaction transaction(&server_->keyspace(), &locks_);
      RunOne(command, request, transaction, &blocked);
      if (!transaction.status().ok()) blocked.would_wait = false;
      gives_way =
          !blocked.would_wait && transaction.has_writes() && MustGiveWay(request, command, ticket);
      ended = !blocked.would_wait && !gives_way;
      if (ended) {
        if (queued) {
          for_keys([&](std::string_view key) { locks_.Leave(queued_ns, key, ticket); });
        }
        if (transaction.status().ok()) Commit(transaction, mark, 1, command.Is(kRemoves));
      }
    }
    if (!ended) {
      reply_->Rewind(mark);
      if (deadline == fiber::kNoDeadline && blocked.timeout_nanos != 0) {
        deadline = fiber::deadline_after(blocked.timeout_nanos);
      }
      if (!queued && !flushed) {
        // The replies before this one, and messages, go out while nobody waits behind it.
        flushed = true;
        locks_.Unlock();
        locks_.EndLook();
        ended = !client_.flush();
        continue;
      }
      if (!queued) {
        if (ticket == kNoTicket) ticket = server_->keyspace().locks().NextTicket();
        queued_ns = session_->ns;
        for_keys([&](std::string_view key) { locks_.Join(queued_ns, key, ticket, &waiter); });
        queued = true;
      }
    }
    // Who gives way will be called by the one ahead, and passes the call on then.
    if (!gives_way) {
      for_keys([&](std::string_view key) { locks_.PassOn(session_->ns, key, ticket); });
    }
    locks_.Unlock();
    if (!gives_way) locks_.EndLook();
    if (ended) {
      locks_.Settle();
      Note(command, request, begin, fiber::now_nanos());
      break;
    }
    blocked.woken = true;
    bool look = WaitForCall(deadline, &blocked);
    if (look) {
      // Its rights may go while it waits.
      const Admitted still = Admit(request);
      look = still.command != nullptr;
      if (!look && !session_->replies_off) reply_->Error(still.error);
    }
    if (!look) {
      LeaveQueues(request, command, queued_ns, ticket);
      ended = true;
    }
  }
}

}  // namespace cairn::server
