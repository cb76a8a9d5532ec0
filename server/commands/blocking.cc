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

// One run of such a command, from its first look to its end.
struct Executor::BlockedRun {
  const Arguments& request;
  const Command& command;
  const bool skip_reply;  // this one's, whenever it comes
  BlockedOn blocked = {};
  uint64_t deadline = fiber::kNoDeadline;
  uint64_t ticket = kNoTicket;  // its place in the queues, kept for good
  bool queued = false;
  uint32_t ns = 0;         // in whose queues it is
  bool flushed = false;    // nothing that is to go out waits behind it
  bool gives_way = false;  // it found something that one ahead of it was called for

  template <class Use>
  void ForKeys(const Use& use) const {
    ForEachKey(command, request, use);
  }
};

bool Executor::MustGiveWay(const BlockedRun& run) {
  bool must = false;
  run.ForKeys([&](std::string_view key) {
    must = must || locks_.MustGiveWay(session_->ns, key, run.ticket);
  });
  return must;
}

void Executor::LeaveQueues(BlockedRun* run) {
  run->ForKeys([&](std::string_view key) { locks_.Add(run->ns, key); });
  locks_.Lock();
  // What it was called for and does not take is for those behind it.
  locks_.BeginLook(&session_->waiter);
  run->ForKeys([&](std::string_view key) {
    locks_.Leave(run->ns, key, run->ticket);
    locks_.PassOn(run->ns, key, run->ticket);
  });
  locks_.Unlock();
  locks_.EndLook();
  run->queued = false;
}

// SUSPENDS until the command is to look again, called or for the last time. False: it ends here.
bool Executor::WaitForCall(BlockedRun* run) {
  fiber::Event& event = session_->waiter.event();
  session_->blocked.store(true);
  bool look = false;
  for (bool waits = true; waits && !look;) {
    const uint64_t limit = run->blocked.timed_out ? fiber::kNoDeadline : run->deadline;
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
      look = run->blocked.timed_out = true;
    } else {
      look = session_->waiter.called();
    }
  }
  session_->blocked.store(false);
  return look;
}

// Runs the command under the stripes of its keys. True: it has ended, with whatever reply; false:
// it has to wait, and is as if it had not run.
bool Executor::TryBlocking(BlockedRun* run) {
  run->blocked.would_wait = false;
  session_->skip_next_reply = run->skip_reply;
  const ReplyWriter::Mark mark = reply_->mark();
  Transaction transaction(&server_->keyspace(), &locks_);
  RunOne(run->command, run->request, transaction, &run->blocked);
  const bool ok = transaction.status().ok();
  if (!ok) run->blocked.would_wait = false;
  run->gives_way = !run->blocked.would_wait && transaction.has_writes() && MustGiveWay(*run);
  if (run->blocked.would_wait || run->gives_way) {
    reply_->Rewind(mark);
    return false;
  }
  if (run->queued) {
    run->ForKeys([&](std::string_view key) { locks_.Leave(run->ns, key, run->ticket); });
  }
  if (ok) Commit(transaction, mark, 1, run->command.Is(kRemoves));
  return true;
}

// One look at the keys. SUSPENDS.
Executor::Look Executor::LookAtKeys(BlockedRun* run) {
  LockKeys([&] { run->ForKeys([&](std::string_view key) { locks_.Add(session_->ns, key); }); });
  if (run->queued && session_->ns != run->ns) {
    // FLUSHDB or SWAPDB: the database's keys are others now. The place in the queues is kept.
    locks_.Unlock();
    LeaveQueues(run);
    return Look::kAgain;
  }
  const uint64_t begin = fiber::now_nanos();
  locks_.BeginLook(&session_->waiter);
  const bool ended = TryBlocking(run);
  if (!ended && run->deadline == fiber::kNoDeadline && run->blocked.timeout_nanos != 0) {
    run->deadline = fiber::deadline_after(run->blocked.timeout_nanos);
  }
  if (!ended && !run->queued) {
    if (!run->flushed) {
      // The replies before this one, and messages, go out while nobody waits behind it.
      run->flushed = true;
      locks_.Unlock();
      locks_.EndLook();
      return client_.flush() ? Look::kAgain : Look::kEnded;
    }
    if (run->ticket == kNoTicket) run->ticket = server_->keyspace().locks().NextTicket();
    run->ns = session_->ns;
    run->ForKeys(
        [&](std::string_view key) { locks_.Join(run->ns, key, run->ticket, &session_->waiter); });
    run->queued = true;
  }
  // Who gives way will be called by the one ahead, and passes the call on then.
  if (!run->gives_way) {
    run->ForKeys([&](std::string_view key) { locks_.PassOn(session_->ns, key, run->ticket); });
  }
  locks_.Unlock();
  if (!run->gives_way) locks_.EndLook();
  if (!ended) return Look::kWaits;
  locks_.Settle();
  Note(run->command, run->request, begin, fiber::now_nanos());
  return Look::kEnded;
}

void Executor::RunBlocking(const Arguments& request, const Command& command) {
  BlockedRun run{.request = request,
                 .command = command,
                 .skip_reply = session_->skip_next_reply,
                 .flushed = reply_->empty() && session_->subscriptions == 0};
  session_->waiter.event().reset();
  session_->unblock.store(Session::Unblock::kNo);
  for (;;) {
    const Look look = LookAtKeys(&run);
    if (look == Look::kEnded) return;
    if (look == Look::kAgain) continue;
    run.blocked.woken = true;
    bool goes_on = WaitForCall(&run);
    if (goes_on) {
      // Its rights may go while it waits.
      const Admitted still = Admit(request);
      goes_on = still.command != nullptr;
      if (!goes_on && !session_->replies_off) reply_->Error(still.error);
    }
    if (!goes_on) {
      LeaveQueues(&run);
      return;
    }
  }
}

}  // namespace cairn::server
