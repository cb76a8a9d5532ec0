#include "commit/commit_queue.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/allocation.h"
#include "base/coding.h"
#include "base/perf.h"
#include "batch/write_batch_internal.h"
#include "commit/commit_group.h"
#include "fiber/clock.h"
#include "fiber/cpu.h"
#include "fiber/interleave.h"
#include "fiber/runtime.h"
#include "fiber/wait.h"

namespace cairn {
namespace {

// Whether a group that has handed over the lead still inserts.
enum UnderWay : uint32_t {
  kNoneUnderWay = 0,
  kUnderWay = 1,
  kAwaited = 2,  // it does, and the leader sleeps until it has ended, or is about to
};

// RocksDB's rule for what a leader waits for.
constexpr size_t kSmallBatchBytes = size_t{128} << 10;

// Spinning pays only for groups that end sooner than a sleep and a wake-up would take.
constexpr uint64_t kSpinIfGroupBelowNanos = 12'000;
constexpr uint64_t kSpinSlackNanos = 2'000;
constexpr int kSpinsPerClockRead = 32;

// The leader of a sync group waits for company for this fraction of a sync.
constexpr uint64_t kCompanyShare = 2;
constexpr uint64_t kCompanyYieldNanos = 100'000;
constexpr uint64_t kCompanyPauseNanos = 20'000;
constexpr uint64_t kCompanyPauses = 32;  // in the time of a sync, at most

// Where the others of a leader's worker went first, and none of them came to write, up to so many
// leaders do without.
constexpr uint32_t kMaxSiblingsSkip = 64;

// The duration of one group in so many is measured.
constexpr uint64_t kMeasureEvery = 8;

// How many groups one writer leads in a row, its own included. A fiber's serve the others of its
// worker, too, which it lets come before each.
constexpr int kMaxRounds = 2;
constexpr int kMaxRoundsOfFiber = 4;

// A group hands over early if that lets so much work go on at once: what a wake-up costs between
// two processors, and a little more, so that the option is never slower than its absence.
constexpr uint64_t kWorthOverlapNanos = 40'000;
constexpr uint64_t kEntryNanosUnit = 16;

// A merge buffer larger than this is given back.
constexpr size_t kKeepMergedBytes = size_t{4} << 20;

}  // namespace

CommitQueue::CommitQueue(CommitEnv* env, const CommitOptions& options)
    : env_(std::move(env)), options_(options), may_spin_(fiber::hardware_concurrency() > 1) {}

CommitQueue::~CommitQueue() { assert(IsEmpty()); }

Status CommitQueue::Write(const WriteOptions& options, WriteBatch* batch, uint64_t* seq_used,
                          const CommitCheck* check, TwoPhaseStep* step, const CommitHook* published,
                          UserWriteCallback* told) {
  Writer w;
  w.batch = batch;
  w.bytes = WriteBatchInternal::ByteSize(batch);
  w.count = step == nullptr ? WriteBatchInternal::Count(batch) : step->NumbersOf(batch);
  w.slot = fiber::slot();
  w.sync = options.sync;
  w.disable_wal = options.disableWAL;
  w.no_slowdown = options.no_slowdown;
  w.ignore_missing_families = options.ignore_missing_column_families;
  w.protection = WriteBatchInternal::Protection(batch);
  w.check = check;
  w.step = step;
  w.published = published;
  w.told = told;

  if (options_.unordered && WriteAtOnce(&w)) {
    if (seq_used != nullptr) *seq_used = w.sequence;
    return std::move(w.status);
  }
  const JoinResult joined = Join(&w);
  if (told != nullptr && joined != JoinResult::kRefused) [[unlikely]]
    told->OnWriteEnqueued();
  switch (joined) {
    case JoinResult::kRefused:
      return Status::Incomplete("Write stall");
    case JoinResult::kLeads:
      Lead(&w);
      break;
    case JoinResult::kFollows: {
      const auto await = [&] {
        const PerfTimer timer(Perf(), &PerfContext::write_thread_wait_nanos, kEnableWait);
        return Await(&w);
      };
      uint32_t state = await();
      if (state == kInsert) {
        if (w.sink != nullptr) {
          FinishAtOnce(&w);
          break;
        }
        // Before the insertion is counted as finished: afterwards the leader may signal again.
        w.state.store(kWaiting, std::memory_order_relaxed);
        FinishParallelInsert(&w);
        state = await();
      }
      if (state == kLead) Lead(&w);
      break;
    }
  }
  if (seq_used != nullptr) *seq_used = w.sequence;
  return std::move(w.status);
}

CommitQueue::Exclusive::Exclusive(CommitQueue* queue) : queue_(queue) {
  if (queue_->Join(&writer_) == JoinResult::kFollows) {
    const uint32_t state = queue_->Await(&writer_);
    assert(state == kLead);
    (void)state;
  }
  queue_->Drain();
}

CommitQueue::Exclusive::~Exclusive() {
  queue_->OpenGate();
  queue_->Leave(&writer_);
}

CommitQueue::JoinResult CommitQueue::Join(Writer* w) {
  uintptr_t seen = newest_.load(std::memory_order_relaxed);
  uintptr_t next;
  do {
    if ((seen & kStallMark) != 0 && w->no_slowdown) return JoinResult::kRefused;
    w->older = reinterpret_cast<Writer*>(seen & ~kStallMark);
    next = reinterpret_cast<uintptr_t>(w) | (seen & kStallMark);
    // release: the leader will read this writer. acquire: an empty queue hands on what the last
    // leader left.
  } while (!newest_.compare_exchange_weak(seen, next, std::memory_order_acq_rel,
                                          std::memory_order_relaxed));
  fiber::interleave();
  if (w->older != nullptr) return JoinResult::kFollows;
  leader_ = known_newest_ = w;
  return JoinResult::kLeads;
}

// What a thread does before it sleeps, if that can pay.
template <class Done>
bool CommitQueue::SpinUntil(Done done) const {
  const uint64_t expected_nanos = group_nanos_.load(std::memory_order_relaxed);
  if (!may_spin_ || expected_nanos >= kSpinIfGroupBelowNanos || fiber::in_fiber()) return false;
  const uint64_t deadline = fiber::now_nanos() + 2 * expected_nanos + kSpinSlackNanos;
  do {
    for (int i = 0; i < kSpinsPerClockRead; ++i) {
      fiber::cpu_relax();
      if (done()) return true;
    }
  } while (fiber::now_nanos() < deadline);
  return false;
}

uint32_t CommitQueue::Await(Writer* w) {
  uint32_t state = w->state.load(std::memory_order_acquire);
  if (state > kParked) return state;
  if (SpinUntil([&] { return (state = w->state.load(std::memory_order_acquire)) > kParked; }))
    return state;
  fiber::interleave();
  state = kWaiting;
  if (!w->state.compare_exchange_strong(state, kParked, std::memory_order_acquire,
                                        std::memory_order_acquire)) {
    return state;
  }
  do {
    fiber::wait(&w->state, kParked);
    state = w->state.load(std::memory_order_acquire);
  } while (state == kParked);
  return state;
}

void CommitQueue::Signal(Writer* w, uint32_t state) {
  // After the exchange the writer may be gone: only its address is used.
  if (w->state.exchange(state, std::memory_order_acq_rel) == kParked) fiber::wake(&w->state, 1);
}

void CommitQueue::Lead(Writer* self) {
  assert(leader_ == self);
  const bool on_fiber = fiber::in_fiber();
  const int rounds = on_fiber ? kMaxRoundsOfFiber : kMaxRounds;
  bool go_on = true;
  for (int round = 1; go_on; ++round) {
    Writer* const leader = leader_;
    if (on_fiber && !leader->sync && !leader->disable_wal && !leader->IsAlone() &&
        leader->batch != nullptr) {
      AwaitSiblings();
    }
    go_on = LeadGroup(leader, self, round < rounds);
  }
}

// One group, led by `leader` for itself, or by `self` in its stead. True: there is another one for
// `self` to lead, which is only so if `may_go_on`.
bool CommitQueue::LeadGroup(Writer* leader, Writer* self, bool may_go_on) {
  const bool measure = groups_++ % kMeasureEvery == 0;

  WriteGroupInfo info;
  info.sync = leader->sync;
  info.disable_wal = leader->disable_wal;
  info.no_slowdown = leader->no_slowdown;
  info.leader_bytes = leader->bytes;
  info.last_group_bytes = last_group_bytes();
  info.in_passing = leader != self;
  info.queue = this;
  Status s = env_->Prepare(info);
  if (info.in_passing && s.IsBusy()) {
    OpenGate();
    Signal(leader, kLead);
    return false;
  }
  assert((newest_.load(std::memory_order_relaxed) & kStallMark) == 0);
  if (s.ok() && leader->check != nullptr) [[unlikely]] {
    Drain();
    s = (*leader->check)();
  }

  // Stalls are not what spinning should be measured by: from here.
  const uint64_t start = measure ? fiber::now_nanos() : 0;
  const Perf perf;
  Group group;
  group.leader = leader;
  group.executor = self;
  if (s.ok() && leader->sync) {
    const PerfTimer timer(perf, &PerfContext::write_thread_wait_nanos, kEnableWait);
    AwaitCompany(*leader);
  }
  bool at_once = false;
  {
    const PerfTimer timer(perf, &PerfContext::write_pre_and_post_process_time);
    FormGroup(&group);
    at_once = s.ok() && options_.unordered && InsertsAtOnce(group);
    if (s.ok()) AssignSequences(&group, at_once);
  }
  if (s.ok()) {
    const PerfTimer timer(perf, &PerfContext::write_wal_time);
    const uint64_t log_start = options_.pipelined ? fiber::now_nanos() : 0;
    s = Log(group);
    if (options_.pipelined) group.log_nanos = fiber::now_nanos() - log_start;
  }
  if (s.ok() && at_once) {
    if (measure) MeasureGroup(start);
    InsertAtOnce(&group);
    return false;
  }
  const bool early = s.ok() && HandsOverEarly(group);
  if (s.ok()) {
    InsertLogged(&group, early, measure);
  } else {
    group.ForEach([&s](Writer* w) { w->status = s; });
  }
  if (measure) MeasureGroup(start);
  OpenGate();
  const PerfTimer timer(perf, &PerfContext::write_pre_and_post_process_time);
  // What comes next first: its work is what the others wait for.
  Writer* const next = early ? nullptr : PassOver(group.last);
  const bool go_on = next != nullptr && may_go_on && !options_.unordered &&
                     next->batch != nullptr && !next->sync && !next->IsAlone() && s.ok();
  if (next != nullptr && !go_on) Signal(next, kLead);
  Dismiss(group);
  return go_on;
}

void CommitQueue::MeasureGroup(uint64_t since) {
  const uint64_t nanos = fiber::now_nanos() - since;
  const uint64_t old = group_nanos_.load(std::memory_order_relaxed);
  group_nanos_.store(old == 0 ? nanos : (3 * old + nanos) / 4, std::memory_order_relaxed);
}

// What is logged is inserted and published; `early`: the next leader begins meanwhile.
[[gnu::always_inline]] inline void CommitQueue::InsertLogged(Group* group, bool early,
                                                             bool measure) {
  last_assigned_ = group->first + group->count - 1;
  counters_.CountGroup(group->writers, group->count, group->bytes, !group->leader->disable_wal);
  const Perf perf;
  {
    const PerfTimer timer(perf, &PerfContext::write_thread_wait_nanos, kEnableWait);
    AwaitInsertion();
  }
  if (early) {
    under_way_.store(kUnderWay, std::memory_order_relaxed);
    // From here on another leader may be at work.
    Leave(group->last);
  }
  {
    const PerfTimer timer(perf, &PerfContext::write_memtable_time, kEnableWait);
    const uint64_t start = measure ? fiber::now_nanos() : 0;
    Insert(group);
    if (measure) MeasureInsertion(*group, fiber::now_nanos() - start);
  }
  fiber::interleave();
  if (group->count > 0) env_->Publish(group->first + group->count - 1);
  fiber::interleave();
  if (const CommitHook* const published = group->leader->published;
      published != nullptr && group->leader->status.ok()) [[unlikely]] {
    (*published)(env_->LastSequence());
  }
  if (early) EndInsertion();
  last_group_bytes_.store(group->bytes, std::memory_order_relaxed);
  if (options_.statistics != nullptr) Record(*group);
}

// Appends what joined since to the known queue; returns how many.
size_t CommitQueue::PullArrivals() {
  // acquire: pairs with the join of each writer on the chain (their CASes form one release
  // sequence).
  auto* const top =
      reinterpret_cast<Writer*>(newest_.load(std::memory_order_acquire) & ~kStallMark);
  Writer* newer = nullptr;
  size_t count = 0;
  for (Writer* w = top; w != known_newest_; w = w->older) {
    w->newer = newer;
    newer = w;
    ++count;
  }
  known_newest_->newer = newer;
  known_newest_ = top;
  return count;
}

void CommitQueue::AwaitSiblings() {
  if (siblings_to_skip_ > 0) {
    --siblings_to_skip_;
    return;
  }
  if (!fiber::yield()) return;
  siblings_skip_ = PullArrivals() > 0 ? 0 : std::min(2 * siblings_skip_ + 1, kMaxSiblingsSkip);
  siblings_to_skip_ = siblings_skip_;
}

void CommitQueue::AwaitCompany(const Writer& leader) {
  if (last_sync_writers_ < 2) return;
  size_t present = 1;
  for (const Writer* w = leader.newer; w != nullptr; w = w->newer) ++present;
  present += PullArrivals();
  const uint64_t start = fiber::now_nanos();
  const uint64_t deadline = start + sync_nanos_ / kCompanyShare;
  // Fibers come back within microseconds, and some of them on this very worker.
  const uint64_t yield_until = fiber::in_fiber() ? start + kCompanyYieldNanos : 0;
  const uint64_t pause = std::max(kCompanyPauseNanos, sync_nanos_ / kCompanyPauses);
  for (uint64_t now = start; present < last_sync_writers_ && now < deadline;
       now = fiber::now_nanos()) {
    if (now < yield_until) {
      fiber::yield();
    } else {
      fiber::sleep_for(pause);
    }
    present += PullArrivals();
  }
}

namespace {

// What RocksDB counts in a record must not be more than here. So what it counts by itself stands
// only among its like: a section, which takes the numbers that it finds there; and a mark without
// an entry, which takes none here.
enum class Counted : uint8_t { kByEntries, kBySections, kNot };

Counted HowCounted(const TwoPhaseStep* step, const WriteBatch* batch) {
  if (step == nullptr || !step->shares_numbers()) return Counted::kByEntries;
  if (step->kind == TwoPhaseStep::Kind::kPrepare) return Counted::kBySections;
  return WriteBatchInternal::Count(batch) == 0 ? Counted::kNot : Counted::kByEntries;
}

}  // namespace

void CommitQueue::FormGroup(Group* group) {
  Writer* const leader = group->leader;
  group->last = leader;
  group->bytes = leader->bytes;
  group->count = leader->count;
  group->has_steps = leader->step != nullptr;
  group->has_checksums = leader->protection != nullptr;
  PullArrivals();
  if (leader->IsAlone() || leader->newer == nullptr) return;
  const size_t max_group = static_cast<size_t>(options_.max_write_batch_group_size_bytes);
  const size_t small = std::min(kSmallBatchBytes, max_group / 8);
  const size_t limit = leader->bytes <= small ? leader->bytes + small : max_group;
  const Counted counted = HowCounted(leader->step, leader->batch);
  for (Writer* w = leader->newer; w != nullptr; w = w->newer) {
    const bool fits =
        w->batch != nullptr && !w->IsAlone() && HowCounted(w->step, w->batch) == counted &&
        w->disable_wal == leader->disable_wal && w->no_slowdown == leader->no_slowdown &&
        (!w->sync || leader->sync) && group->bytes + w->bytes <= limit;
    if (!fits) break;
    group->last = w;
    group->writers += 1;
    group->bytes += w->bytes;
    group->count += w->count;
    group->has_steps |= w->step != nullptr;
    group->has_checksums |= w->protection != nullptr;
    if (w->slot != group->executor->slot) group->count_elsewhere += w->count;
  }
}

void CommitQueue::AssignSequences(Group* group, bool at_once) {
  // What is logged may not be published yet.
  SequenceNumber next =
      at_once ? env_->Allot(group->count) : std::max(env_->LastSequence(), last_assigned_) + 1;
  group->first = next;
  group->ForEach([&next](Writer* w) {
    w->sequence = next;
    WriteBatchInternal::SetSequence(w->batch, next);
    next += w->count;
  });
}

bool CommitQueue::MergedRecord(const Group& group, Slice* record) {
  if (group.writers == 1 && group.leader->batch->GetWalTerminationPoint().is_cleared()) {
    *record = WriteBatchInternal::Contents(group.leader->batch);
    return true;
  }
  if (merged_.capacity() > kKeepMergedBytes) std::string().swap(merged_);
  if (!ReserveIfPossible(&merged_, WriteBatchInternal::kHeader + group.bytes)) return false;
  merged_.resize(WriteBatchInternal::kHeader);
  uint32_t total = 0;
  group.ForEach([this, &total](Writer* w) {
    uint32_t count = 0;
    const Slice records = WriteBatchInternal::LoggedRecords(w->batch, &count);
    merged_.append(records.data(), records.size());
    total += count;
  });
  EncodeFixed64(merged_.data(), group.first);
  EncodeFixed32(merged_.data() + sizeof(uint64_t), total);
  *record = merged_;
  return true;
}

Status CommitQueue::VerifyRecord(const Group& group, const Slice& record) {
  BatchReader reader(record);
  Status s;
  group.ForEach([&](const Writer* w) {
    uint32_t count = 0;
    (void)WriteBatchInternal::LoggedRecords(w->batch, &count);
    if (s.ok() && w->protection != nullptr) {
      s = w->protection->Verify(&reader, count);
    } else if (s.ok()) {
      s = reader.Skip(count);
    }
  });
  return s;
}

// Called by the leader before it hands over, so in the order of the turns.
Status CommitQueue::Log(const Group& group) {
  if (options_.trace_in_order != nullptr &&
      options_.trace_in_order->load(std::memory_order_relaxed)) [[unlikely]] {
    group.ForEach([this](Writer* w) { env_->TraceWrite(*w->batch); });
  }
  if (!group.leader->disable_wal) {
    Slice record;
    if (!MergedRecord(group, &record)) return Status::MemoryLimit("no memory for a log record");
    if (group.has_checksums) [[unlikely]] {
      Status s = VerifyRecord(group, record);
      if (!s.ok()) return s;
    }
    if (record.size() > WriteBatchInternal::kHeader) {  // empty batches leave no trace
      IOStatus io = env_->AppendWal(record, group.has_steps);
      if (group.has_steps) [[unlikely]] {
        group.ForEach([](Writer* w) {
          if (w->step != nullptr) w->step->touched_log = true;
        });
      }
      if (!io.ok()) {
        Status s = std::move(io);
        Fail(s, CommitErrorKind::kWalWrite);
        return s;
      }
    }
  }
  if (group.leader->sync) {
    const uint64_t start = fiber::now_nanos();
    IOStatus io = env_->SyncWal();
    if (!io.ok()) {
      Status s = std::move(io);
      Fail(s, CommitErrorKind::kWalSync);
      return s;
    }
    sync_nanos_ = (3 * sync_nanos_ + fiber::now_nanos() - start) / 4;
    last_sync_writers_ = group.writers;
  }
  if (group.has_steps) [[unlikely]]
    NotePrepared(group);
  if (group.leader->told != nullptr && !group.leader->disable_wal) [[unlikely]]
    group.leader->told->OnWalWriteFinish();
  return Status::OK();
}

void CommitQueue::NotePrepared(const Group& group) {
  size_t sections = 0;
  const auto prepares = [](const Writer* w) {
    return w->step != nullptr && !w->step->shares_numbers() &&
           w->step->kind == TwoPhaseStep::Kind::kPrepare;
  };
  group.ForEach([&](const Writer* w) {
    sections += prepares(w);
    if (w->step != nullptr && w->step->shares_numbers()) env_->NoteStep(w->step);
  });
  if (sections == 0) return;
  const uint64_t log = env_->NotePrepared(sections);
  group.ForEach([&](Writer* w) {
    if (prepares(w)) w->step->log = log;
  });
}

bool CommitQueue::MayInsertInParallel(const Group& group) const {
  // Work only runs beside the leader's if it belongs to another thread, on another core.
  return options_.allow_concurrent_memtable_write && may_spin_ &&
         group.count_elsewhere >= options_.parallel_insert_min_entries &&
         !group.sink->FoldsOperands();
}

void CommitQueue::ApplyOwn(Writer* w, MemTableSink* sink, bool concurrent) {
  if (w->count == 0) return;
  if (w->step != nullptr) [[unlikely]] {
    ApplyStep(w, sink, concurrent);
    return;
  }
  w->status = ApplyBatch(WriteBatchInternal::Contents(w->batch), w->sequence, sink, concurrent,
                         w->ignore_missing_families, /*next_seq=*/nullptr, /*marks=*/nullptr,
                         w->protection);
}

void CommitQueue::ApplyStep(Writer* w, MemTableSink* sink, bool concurrent) {
  if (!w->step->inserts()) return;
  CommittedMarks marks(w->step->shares_numbers() ? 0 : w->step->log);
  w->status = ApplyBatch(WriteBatchInternal::Contents(w->batch), w->sequence, sink, concurrent,
                         w->ignore_missing_families, /*next_seq=*/nullptr, &marks, w->protection);
  w->step->touched_log |= !w->status.ok();
}

void CommitQueue::FinishParallelInsert(Writer* w) {
  Group* const group = w->group;
  Writer* const executor = group->executor;
  {
    const PerfTimer timer(Perf(), &PerfContext::write_memtable_time, kEnableWait);
    ApplyOwn(w, group->sink, /*concurrent=*/true);
  }
  // acq_rel: the last one hands everybody's insertions to the executor. The group may be gone after
  // this unless we are last.
  if (group->inserting.fetch_sub(1, std::memory_order_acq_rel) == 1) Signal(executor, kLead);
}

// Fetches for the batches of `w` and of those behind it; returns how many.
size_t CommitQueue::PrefetchFrom(const Group& group, const Writer* w) {
  Slice reps[kPrefetchBatches];
  size_t count = 0;
  for (;; w = w->newer) {
    reps[count++] = WriteBatchInternal::Contents(w->batch);
    if (w == group.last || count == kPrefetchBatches) break;
  }
  if (count > 1) PrefetchBatches(reps, count, group.sink);
  return count;
}

void CommitQueue::InsertInParallel(Group* group) {
  group->inserting.store(group->writers, std::memory_order_relaxed);
  group->executor->state.store(kWaiting, std::memory_order_relaxed);
  group->ForEach([group](Writer* w) {
    w->group = group;
    if (w != group->leader) Signal(w, kInsert);
  });
  ApplyOwn(group->leader, group->sink, /*concurrent=*/true);
  if (group->inserting.fetch_sub(1, std::memory_order_acq_rel) != 1) Await(group->executor);
}

void CommitQueue::Insert(Group* group) {
  if (group->count == 0) return;
  group->sink = env_->MemTables();
  const auto insert_serially = [group] {
    size_t fetched = 0;
    group->ForEach([group, &fetched](Writer* w) {
      if (fetched == 0) fetched = PrefetchFrom(*group, w);
      --fetched;
      ApplyOwn(w, group->sink, /*concurrent=*/false);
    });
  };
  if (!MayInsertInParallel(*group)) {
    insert_serially();
  } else {
    const bool parallel = !options_.measure_insertion || insertion_choice_.Parallel(group->count);
    const uint64_t start = fiber::now_nanos();
    if (parallel) {
      InsertInParallel(group);
    } else {
      insert_serially();
    }
    insertion_choice_.Record(parallel, group->count, fiber::now_nanos() - start);
  }
  const Writer* failed = nullptr;
  group->ForEach([&failed](Writer* w) {
    if (!w->status.ok() && failed == nullptr) failed = w;
  });
  if (failed != nullptr) Fail(failed->status, CommitErrorKind::kMemtable);
}

// Whether the next group is to form while this one is inserted. Behind a sync always: the next sync
// is what everybody waits for. Else what goes on at once is the shorter of this insertion and the
// next record, of which one knows only that the last ones took so long.
bool CommitQueue::HandsOverEarly(const Group& group) const {
  if (options_.unordered) return false;  // it has the memtables for itself
  if (group.leader->sync) return true;
  if (!options_.pipelined) return false;
  if (!options_.measure_overlap) return true;
  const uint64_t insert_nanos =
      group.count * entry_nanos_.load(std::memory_order_relaxed) / kEntryNanosUnit;
  return std::min(group.log_nanos, insert_nanos) >= kWorthOverlapNanos;
}

void CommitQueue::MeasureInsertion(const Group& group, uint64_t nanos) {
  if (group.count == 0) return;
  const uint64_t sample = nanos * kEntryNanosUnit / group.count;
  const uint64_t old = entry_nanos_.load(std::memory_order_relaxed);
  // As InsertionChoice: one that was preempted says nothing.
  entry_nanos_.store(old == 0 ? sample : (7 * old + std::min(sample, 2 * old + 1)) / 8,
                     std::memory_order_relaxed);
}

// Leader only, so that there is one waiter at most.
void CommitQueue::AwaitInsertion() {
  uint32_t state = under_way_.load(std::memory_order_acquire);
  if (state == kNoneUnderWay) [[likely]]
    return;
  if (SpinUntil([&] { return under_way_.load(std::memory_order_acquire) == kNoneUnderWay; }))
    return;
  fiber::interleave();
  if (!under_way_.compare_exchange_strong(state, kAwaited, std::memory_order_acquire,
                                          std::memory_order_acquire)) {
    return;
  }
  do {
    fiber::wait(&under_way_, kAwaited);
  } while (under_way_.load(std::memory_order_acquire) == kAwaited);
}

// Called by the group that handed over early. release: all that it inserted and published is the
// next one's to see.
void CommitQueue::EndInsertion() {
  if (under_way_.exchange(kNoneUnderWay, std::memory_order_acq_rel) == kAwaited)
    fiber::wake(&under_way_, 1);
}

// Takes the group that ends with `last`, and still waits, off the queue. Returns the writer after
// it, which is to be led or to lead; null: there is none, and the leadership is given up.
CommitQueue::Writer* CommitQueue::PassOver(Writer* last) {
  if (known_newest_ == last) {
    auto expected = reinterpret_cast<uintptr_t>(last);
    // release: hands the leader's fields to whoever leads next. From here on another leader may be
    // at work.
    if (newest_.compare_exchange_strong(expected, 0, std::memory_order_acq_rel,
                                        std::memory_order_relaxed)) {
      return nullptr;
    }
    fiber::interleave();
    PullArrivals();
  }
  assert(last->newer != nullptr);
  leader_ = last->newer;
  return leader_;
}

// Gives up the leadership: to the writer after `last`, or to nobody if there is none.
void CommitQueue::Leave(Writer* last) {
  if (Writer* const next = PassOver(last)) Signal(next, kLead);
}

// Tells everybody but who led, who merely returns.
void CommitQueue::Dismiss(const Group& group) {
  for (Writer* w = group.leader;;) {
    const bool is_last = w == group.last;
    Writer* const next = is_last ? nullptr : w->newer;  // invariant 4
    if (w != group.executor) Signal(w, kDone);
    if (is_last) return;
    w = next;
  }
}

void CommitQueue::BeginStall() {
  newest_.fetch_or(kStallMark, std::memory_order_acq_rel);
  PullArrivals();
  Writer* before = leader_;
  for (Writer* w = leader_->newer; w != nullptr;) {
    if (w->batch == nullptr || !w->no_slowdown) {
      before = w;
      w = w->newer;
      continue;
    }
    if (w == known_newest_) {
      uintptr_t expected = reinterpret_cast<uintptr_t>(w) | kStallMark;
      const uintptr_t next = reinterpret_cast<uintptr_t>(before) | kStallMark;
      if (newest_.compare_exchange_strong(expected, next, std::memory_order_acq_rel,
                                          std::memory_order_relaxed)) {
        known_newest_ = before;
        w->newer = nullptr;
      } else {
        PullArrivals();  // somebody stands behind it now
      }
    }
    before->newer = w->newer;
    Writer* const next = w->newer;
    w->status = Status::Incomplete("Write stall");
    Signal(w, kDone);
    w = next;
  }
}

void CommitQueue::EndStall() { newest_.fetch_and(~kStallMark, std::memory_order_acq_rel); }

void CommitQueue::Fail(const Status& s, CommitErrorKind kind) const { env_->OnError(s, kind); }

void CommitQueue::Record(const Group& group) const {
  RecordGroup(group.writers, group.count, group.bytes, !group.leader->disable_wal);
  group.ForEach(
      [this](Writer* w) { options_.statistics->recordInHistogram(BYTES_PER_WRITE, w->bytes); });
}

void CommitQueue::RecordGroup(size_t writers, uint64_t count, size_t bytes, bool logged) const {
  Statistics* const statistics = options_.statistics;
  statistics->recordTick(NUMBER_KEYS_WRITTEN, count);
  statistics->recordTick(BYTES_WRITTEN, bytes);
  statistics->recordTick(WRITE_DONE_BY_SELF, 1);
  if (writers > 1) statistics->recordTick(WRITE_DONE_BY_OTHER, writers - 1);
  if (logged) {
    statistics->recordTick(WRITE_WITH_WAL, writers);
    statistics->recordTick(WAL_FILE_BYTES, bytes);
  }
}

}  // namespace cairn
