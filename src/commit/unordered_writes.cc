// The commit queue's writes that are inserted, and seen, in no order (CommitOptions::unordered).
#include <cassert>

#include "base/perf.h"
#include "batch/write_batch_internal.h"
#include "commit/commit_group.h"
#include "commit/commit_queue.h"
#include "fiber/cpu.h"
#include "fiber/interleave.h"

namespace cairn {

void CommitQueue::CloseGate() {
  gate_.Close();
  gate_is_closed_ = true;
}

void CommitQueue::OpenGate() {
  if (!gate_is_closed_) [[likely]]
    return;
  gate_is_closed_ = false;
  gate_.Open();
}

bool CommitQueue::WriteAtOnce(Writer* w) {
  if (!w->disable_wal || w->IsAlone() || w->step != nullptr) return false;
  if (!gate_.Enter()) return false;
  MemTableSink* const sink = env_->MemTables();
  const bool traced = options_.trace_in_order != nullptr &&
                      options_.trace_in_order->load(std::memory_order_relaxed);
  if (traced || sink->FoldsOperands() || !env_->IsNothingDue()) [[unlikely]] {
    gate_.Exit();
    return false;
  }
  w->sequence = env_->Allot(w->count);
  WriteBatchInternal::SetSequence(w->batch, w->sequence);
  w->sink = sink;
  stripes_[w->slot % kStripes].counters.CountShared(w->count, w->bytes);
  if (options_.statistics != nullptr) {
    RecordGroup(1, w->count, w->bytes, /*logged=*/false);
    options_.statistics->recordInHistogram(BYTES_PER_WRITE, w->bytes);
  }
  fiber::interleave();
  FinishAtOnce(w);
  return true;
}

void CommitQueue::FinishAtOnce(Writer* w) {
  {
    const PerfTimer timer(Perf(), &PerfContext::write_memtable_time, kEnableWait);
    ApplyOwn(w, w->sink, /*concurrent=*/true);
  }
  // Before the exit: who closes the gate may take the error away.
  if (!w->status.ok()) Fail(w->status, CommitErrorKind::kMemtable);
  gate_.Exit();
}

// Closes the gate for a group that has to have the memtables for itself.
bool CommitQueue::InsertsAtOnce(const Group& group) {
  if (!group.leader->IsAlone() && !group.has_steps && !env_->MemTables()->FoldsOperands()) {
    OpenGate();  // that Prepare closed
    return true;
  }
  CloseGate();
  return false;
}

void CommitQueue::InsertAtOnce(Group* group) {
  assert(group->leader == group->executor);
  last_assigned_ = group->first + group->count - 1;
  counters_.CountGroup(group->writers, group->count, group->bytes, !group->leader->disable_wal);
  last_group_bytes_.store(group->bytes, std::memory_order_relaxed);
  if (options_.statistics != nullptr) Record(*group);
  MemTableSink* const sink = env_->MemTables();
  gate_.Add(static_cast<uint32_t>(group->writers));
  group->ForEach([sink](Writer* w) { w->sink = sink; });
  // From here on another leader may be at work.
  Leave(group->last);
  fiber::interleave();
  for (Writer* w = group->leader;;) {
    const bool is_last = w == group->last;
    Writer* const next = is_last ? nullptr : w->newer;  // invariant 4
    if (w != group->leader) Signal(w, kInsert);
    if (is_last) break;
    w = next;
  }
  FinishAtOnce(group->leader);
}

WriteCounters::Figures CommitQueue::counters() const {
  WriteCounters::Figures all = counters_.figures();
  for (const Stripe& stripe : stripes_) all.Add(stripe.counters.figures());
  return all;
}

}  // namespace cairn
