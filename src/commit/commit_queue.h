// The commit queue: how concurrent writes become one ordered history in WAL and memtable.
//
// Goal. Writers arrive from any number of threads and fibers. A write is acknowledged once its
// record is in the WAL (and synced, if asked) and its entries are in the memtable; sequence numbers
// become visible in the order they were given, without gaps. One system call should serve as many
// writers as happen to wait, a lone writer should meet no lock at all, and nobody should wake a
// sleeper who has nothing to do.
//
// Protocol. A writer is a record on its own stack. `newest_` points to the writer that joined last,
// each writer to the one before it, and the writer that finds the queue empty is the leader. The
// leader owns everything but `newest_`.
//
//   join:    w.older = newest_
//            CAS(newest_, w)          the only contended step, repeated if it fails
//            if w.older != null: wait until told `lead`, `insert` or `done`
//   lead:    Prepare()                the database: stalls, memtable switch, background errors
//            group = w, then those that joined since, oldest first, while they fit together
//            append the group's batches to the WAL as one record; sync if asked
//            wait for the group before, if it handed over early and still inserts
//            hand over early (below), or not: leave
//            insert: alone, or every writer its own batch if that pays
//            publish(last sequence number of the group)
//            unless it left: lead the group that gathered meanwhile, if there is one; then leave
//   leave:   if newest_ == last of the group: CAS(newest_, null), nobody is there to call
//            else: pull the new arrivals into the known queue, tell the one after last `lead`
//   dismiss: tell the group `done`
//
// Handing over early. A group that synced leaves before its insertion: the next group forms, and
// writes and syncs its record, while this one inserts and wakes its writers. With
// enable_pipelined_write others do so, too, but only those whose insertion, and whose record, take
// longer than a wake-up: what goes on at once is the shorter of the two, and a group that leaves
// early is a wake-up more, and finds fewer writers in the queue than one that gave them time to
// gather. Small groups insert in about the time of one write call, and keep the lead to the end.
//
// One waits, one inserts. A leader waits for the insertion of the group before it *with the lead*,
// and hands over only when that has ended. So no more than one group is ever logged and not
// inserted besides the one that inserts; the others gather meanwhile and become one group, instead
// of many of one writer, each asleep until its turn. And whoever ends an insertion has one sleeper
// to wake at most, which has nothing else to wait for.
//
// Two groups in a row. A leader that does not hand over early leads a second group of those that
// came meanwhile, without being of it. On another core its oldest writer may sleep: to wake it for
// the lead would put the kernel's wake-up (tens of microseconds) between any two groups, while to
// wake it with the result delays nobody. More than two would hold up the leader's own next write;
// of a fiber four, as the others of its worker are served meanwhile (below).
// In passing nothing may hold it up: if there is a stall or a memtable to switch, the lead goes to
// the group's own leader after all.
//
// Company. Who was just woken from a sync needs a moment to come back with the next write. The one
// that comes first would lead alone, and every second sync would serve one writer. So the leader of
// a sync group waits until as many as in the last sync group are there, for half of the time
// that a sync takes at most. One that waits in vain makes the next expect less.
//
// Siblings. Fibers of one worker never meet in the queue by themselves: each would lead alone, with
// a write call of its own, and hand its worker to the next one only then. So who leads a logged
// group and is a fiber lets the others of its worker go first, once: those that come to write
// join, and one call serves all. (64 fibers on two workers: a call for 8 writes instead of 2.) What
// others have to do beside writing delays the lead, so that this is left out for a while where few
// come.
//
// Invariants.
//   1. newest_ is null exactly when there is no leader; there is never more than one.
//   2. newest_ never points to a writer that has been told `done`: leave moves it on first. A
//      finished writer's stack may be reused by its next write at once, so a stale pointer would
//      close a cycle (the ABA of this list).
//   3. The known queue (links `newer`, from leader_ to known_newest_) holds, oldest first, the
//      writers up to some point of the chain from newest_; only the leader touches it. It is handed
//      on with the leadership: by the release exchange of the next leader's state and its acquire
//      load, or, when the queue empties, by the CAS of newest_.
//   4. The leader reads what it needs of a writer (its successor) before it says `done`, and
//      touches it no more afterwards.
//   5. Sequence numbers are given at group formation, in queue order, and published in that order,
//      after every entry of the group is in the memtable: a reader at a published sequence number
//      sees all of the writes up to it. Who inserts and publishes is the leader, or the one group
//      that is `under_way_`, which no leader passes.
//   6. A failed WAL write or sync fails every writer of the group, nothing of the group enters the
//      memtable, no sequence number is used up, and on_error hears of it (the database stops
//      accepting writes: the log's tail is unknown).
//   7. A writer with no_slowdown never waits out a stall: while `newest_` carries the stall mark it
//      does not join, and those that had joined are sent back with Incomplete when the mark is set.
//      The mark is a bit of `newest_` itself, so that "joined before the mark" is decided by one
//      atomic word.
//
// Who fits in a group: the same disable_wal and no_slowdown as the leader; no sync unless the
// leader syncs (it should not wait for a sync that it did not ask for); at most 1 MiB of batches,
// or the leader's size + 128 KiB if the leader is small (128 KiB), so that a small write is not
// made to wait for big ones. The first that does not fit ends the group: order stays.
//
// Unordered. With CommitOptions::unordered nobody waits for the insertions of others: readers may
// see a later write before an earlier one, and a snapshot may gain what was under way when it was
// taken. (A writer that returned finds what it wrote.) A group's sequence numbers are published
// as they are given; once it is logged, its leader leaves, each of its writers inserts its own
// batch and returns. What is not logged does not join at all, while nothing is due: there is
// nothing that a leader could do for it. Who has to have the memtables for itself (Prepare, a
// check, a step of two-phase commit, Exclusive) keeps all of them out by insertion_gate.h; it is
// the leader's to close and to open, and invariant 5 holds while it is closed.
//
// Checked writes. A transaction may ask, when its turn has come, whether what it read still holds
// (CommitCheck). Its leader first waits for the insertion of the group before, so that the check
// sees all that precedes; it groups with nobody, whom its refusal would take along, and is not led
// in passing, as the check may have to read.
//
// Prepared sections (two_phase.h) are logged among the others, and take no sequence numbers: they
// are not inserted. Their log is noted as needed before the lead is handed on, so before it can
// end. (Those of WRITE_PREPARED and WRITE_UNPREPARED take numbers, and group with their like.)
//
// Waiting. A fiber parks: its worker has other work, and parking costs nanoseconds. A thread first
// spins, but only while the groups of late have been short (a few microseconds, no sync) and
// another core can be running the leader; then it sleeps on a futex. The party that changes a
// writer's state wakes it only if it sleeps. There is no yielding to the scheduler. Each sleeps on
// a word of its own, and is woken only into what it waits for: a write costs at most one sleep as
// a follower, one more if it inserts its own batch in parallel, and one as a leader
// (commit_wakes_test.cc counts).
//
// Rejected: that the leader keeps the lead for the groups that arrived meanwhile (flat combining).
// It saves the hand-over but makes the unlucky leader wait for strangers' stalls and syncs; with
// spinning, the hand-over costs a cache line.
//
// Thread safety: all methods from anywhere, threads and fibers. None may be called with the
// database mutex held: Prepare() takes it, and a waiting writer would keep the leader out.
#ifndef CAIRN_COMMIT_COMMIT_QUEUE_H_
#define CAIRN_COMMIT_COMMIT_QUEUE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/namespace.h"
#include "commit/batch_apply.h"
#include "commit/insertion_choice.h"
#include "commit/insertion_gate.h"
#include "commit/two_phase.h"
#include "commit/write_counters.h"
#include "rocksdb/io_status.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/statistics.h"
#include "rocksdb/status.h"
#include "rocksdb/types.h"
#include "rocksdb/user_write_callback.h"
#include "rocksdb/write_batch.h"

namespace cairn {

class CommitQueue;

/// What a leader tells Prepare() about the write it leads.
struct WriteGroupInfo {
  bool sync = false;
  bool disable_wal = false;
  bool no_slowdown = false;
  // Led by a writer whose own group is done, and which nothing may hold up.
  bool in_passing = false;
  size_t leader_bytes = 0;       // size of the leader's own batch
  size_t last_group_bytes = 0;   // of the previous group: what to charge a delayed write for
  CommitQueue* queue = nullptr;  // for StallScope
};

enum class CommitErrorKind {
  kWalWrite,  // the log's tail is undefined
  kWalSync,   // the log's durability is undefined
  kMemtable,  // logged, but the memtable does not have (all of) it
};

/// What the queue needs from the database. All are called by the current leader only, so never two
/// at once, and none under a lock of the queue's.
class CommitEnv {
 public:
  /// Before a group forms: switch the memtable and the WAL if due, wait while writes are stalled
  /// (inside a StallScope), report a background error, refuse (Incomplete) what must not wait. Not
  /// OK fails the whole group; but Busy, in passing, if any of this is due: the group's own leader
  /// will ask again. May SUSPEND, unless in passing.
  virtual Status Prepare(const WriteGroupInfo& group) = 0;
  /// Appends one record to the current WAL; it has reached the operating system when this returns
  /// OK. `has_marks`: of two-phase commit. SUSPENDS.
  virtual IOStatus AppendWal(const Slice& record, bool has_marks) = 0;
  /// Makes all that was appended durable, in every WAL still needed. SUSPENDS.
  virtual IOStatus SyncWal() = 0;
  /// Where the group's entries go, good until Publish(); unordered: until Drain() or Exclusive.
  virtual MemTableSink* MemTables() = 0;
  /// The last sequence number given so far.
  virtual SequenceNumber LastSequence() = 0;
  /// Makes everything up to `last` visible to readers; becomes the next LastSequence(). Not called
  /// for a failed group.
  virtual void Publish(SequenceNumber last) = 0;
  /// Unordered only, from anywhere: gives `n` sequence numbers, visible to readers at once. Returns
  /// the first.
  virtual SequenceNumber Allot(uint64_t n) = 0;
  /// Unordered only, from anywhere: Prepare() would have nothing to do for a small write that is
  /// not logged.
  virtual bool IsNothingDue() = 0;
  /// Prepared sections have been appended to the log: it is to be kept until they are decided.
  /// Returns its number. Before any other record follows.
  virtual uint64_t NotePrepared(size_t sections) = 0;
  /// The same of one step, of any kind, of a policy beside WRITE_COMMITTED: how its transaction
  /// stands is known before another log can begin. Sets the step's log where it prepares.
  virtual void NoteStep(TwoPhaseStep* step) = 0;
  /// What a writer of the group has, before it is logged; in their order. Only while
  /// CommitOptions::trace_in_order says so. May SUSPEND.
  virtual void TraceWrite(const WriteBatch& /*batch*/) {}
  /// A group failed after it touched the log or the memtable: stop writes.
  virtual void OnError(const Status& status, CommitErrorKind kind) = 0;

 protected:
  ~CommitEnv() = default;
};

/// Asked once a write's turn has come, with all that precedes it in the memtables and published,
/// and nothing following: not OK means that it does not happen, and fails with that. For
/// transactions, which validate here what they have read. May SUSPEND, with everybody's writes
/// behind it.
using CommitCheck = std::function<Status()>;

/// Called when the write is published, and nothing that follows it: `last` is the last sequence
/// number given. Such a write is a group of its own, too. Everybody's writes wait meanwhile.
using CommitHook = std::function<void(SequenceNumber last)>;

struct CommitOptions {
  bool allow_concurrent_memtable_write = true;
  uint64_t max_write_batch_group_size_bytes = uint64_t{1} << 20;
  Statistics* statistics = nullptr;  // borrowed, may be null
  // Groups with fewer entries than this on other threads than the leader's are never inserted in
  // parallel.
  uint32_t parallel_insert_min_entries = 32;
  // Others only if measurement favours it (InsertionChoice); false: always.
  bool measure_insertion = true;
  // Groups that did not sync hand over early, too: those whose insertion overlaps enough with the
  // next record (measure_overlap), or all.
  bool pipelined = false;
  bool measure_overlap = true;
  // Writes are inserted, and seen, in no order. With allow_concurrent_memtable_write, without
  // pipelined.
  bool unordered = false;
  // Whether CommitEnv::TraceWrite is called. Borrowed, may be null.
  const std::atomic<bool>* trace_in_order = nullptr;
};

class CommitQueue {
  struct Group;
  struct Writer {
    // Word of one waiter (the owner) and one signaller (the leader, or the last inserter).
    std::atomic<uint32_t> state{0};  // a WriterState of commit_group.h
    Writer* older = nullptr;         // as joined; constant from then on
    Writer* newer = nullptr;         // the leader's (invariant 3)
    WriteBatch* batch = nullptr;     // null: Exclusive
    Group* group = nullptr;          // while inserting in parallel
    MemTableSink* sink = nullptr;    // unordered, in its stead
    size_t bytes = 0;                // of the batch
    uint32_t count = 0;              // sequence numbers that the batch consumes
    unsigned slot = 0;               // fiber::slot() of the owner
    bool sync = false;
    bool disable_wal = false;
    bool no_slowdown = false;
    bool ignore_missing_families = false;
    const BatchProtection* protection = nullptr;  // the batch's, or null
    const CommitCheck* check = nullptr;           // borrowed from the owner
    TwoPhaseStep* step = nullptr;                 // the same
    const CommitHook* published = nullptr;        // the same
    UserWriteCallback* told = nullptr;            // the same
    // It groups with nobody, and nobody leads it in its stead.
    bool IsAlone() const { return check != nullptr || published != nullptr || told != nullptr; }
    SequenceNumber sequence = 0;  // of the first record
    Status status;
  };

 public:
  // `env` is borrowed.
  CommitQueue(CommitEnv* env, const CommitOptions& options);
  ~CommitQueue();  // REQUIRES: IsEmpty()

  // Nobody writes or waits for a turn.
  bool IsEmpty() const { return newest_.load(std::memory_order_acquire) == 0; }

  CommitQueue(const CommitQueue&) = delete;
  CommitQueue& operator=(const CommitQueue&) = delete;

  /// Logs and applies `batch`, whose header receives its sequence number. Returns when the write is
  /// visible to readers. seq_used: the first sequence number of the batch. The caller has checked
  /// the batch (WriteBatchInternal::CheckWritable). Errors: what prepare says; IOError (log);
  /// Corruption or InvalidArgument (batch); Incomplete (no_slowdown). SUSPENDS. `check`, if not
  /// null, is asked on the caller's thread or fiber; such a write is a group of its own. `step`, if
  /// not null: the batch is one of its kind. `published`, if not null, is called there, too, unless
  /// the write fails. `told`, if not null, is a write's callback, and called there.
  [[nodiscard]] Status Write(const WriteOptions& options, WriteBatch* batch,
                             uint64_t* seq_used = nullptr, const CommitCheck* check = nullptr,
                             TwoPhaseStep* step = nullptr, const CommitHook* published = nullptr,
                             UserWriteCallback* told = nullptr);

  WriteCounters::Figures counters() const;

  /// Holds the leadership without writing: all earlier writes are done, later ones wait. For a
  /// memtable switch by flush, for Close, for SyncWAL. Constructor SUSPENDS. Do not nest, and do
  /// not Write inside.
  class Exclusive {
   public:
    explicit Exclusive(CommitQueue* queue);
    ~Exclusive();
    Exclusive(const Exclusive&) = delete;
    Exclusive& operator=(const Exclusive&) = delete;

   private:
    CommitQueue* const queue_;
    Writer writer_;
  };

  /// Lives in Prepare() while it waits out a stall (invariant 7). Only the leader may create one.
  class StallScope {
   public:
    explicit StallScope(CommitQueue* queue) : queue_(queue) { queue_->BeginStall(); }
    ~StallScope() { queue_->EndStall(); }
    StallScope(const StallScope&) = delete;
    StallScope& operator=(const StallScope&) = delete;

   private:
    CommitQueue* const queue_;
  };

  /// Waits until every group that was logged is in the memtable and published. For Prepare(),
  /// before it replaces the memtable; without the database mutex. Leader only. SUSPENDS.
  void Drain() {
    if (options_.unordered) CloseGate();
    AwaitInsertion();
  }

  /// Bytes of the last finished group. For stall accounting, relaxed.
  size_t last_group_bytes() const { return last_group_bytes_.load(std::memory_order_relaxed); }

 private:
  enum class JoinResult { kLeads, kFollows, kRefused };

  JoinResult Join(Writer* w);
  uint32_t Await(Writer* w);
  static void Signal(Writer* w, uint32_t state);

  // What the leader does, in this order.
  void Lead(Writer* self);
  bool LeadGroup(Writer* leader, Writer* self, bool may_go_on);
  // Unordered: the group leaves its insertion to its writers.
  bool InsertsAtOnce(const Group& group);
  void InsertAtOnce(Group* group);
  // Without the queue. False: it has to join.
  bool WriteAtOnce(Writer* w);
  void FinishAtOnce(Writer* w);
  void CloseGate();
  void OpenGate();
  void AwaitCompany(const Writer& leader);
  void AwaitSiblings();
  void FormGroup(Group* group);
  void AssignSequences(Group* group, bool at_once);
  Status Log(const Group& group);
  void NotePrepared(const Group& group);
  // False: there is no memory for it.
  bool MergedRecord(const Group& group, Slice* record);
  // Corruption: an entry of a batch that has checksums is not in the record as it was added.
  static Status VerifyRecord(const Group& group, const Slice& record);
  void MeasureGroup(uint64_t since);
  void InsertLogged(Group* group, bool early, bool measure);
  void Insert(Group* group);
  bool MayInsertInParallel(const Group& group) const;
  void InsertInParallel(Group* group);
  bool HandsOverEarly(const Group& group) const;
  void MeasureInsertion(const Group& group, uint64_t nanos);
  void AwaitInsertion();
  void EndInsertion();
  Writer* PassOver(Writer* last);
  void Leave(Writer* last);
  void Dismiss(const Group& group);

  static size_t PrefetchFrom(const Group& group, const Writer* w);
  static void ApplyOwn(Writer* w, MemTableSink* sink, bool concurrent);
  // Of a writer with a TwoPhaseStep.
  static void ApplyStep(Writer* w, MemTableSink* sink, bool concurrent);
  static void FinishParallelInsert(Writer* w);
  template <class Done>
  bool SpinUntil(Done done) const;
  size_t PullArrivals();
  void BeginStall();
  void EndStall();
  void Record(const Group& group) const;
  void RecordGroup(size_t writers, uint64_t count, size_t bytes, bool logged) const;
  void Fail(const Status& s, CommitErrorKind kind) const;

  static constexpr uintptr_t kStallMark = 1;

  CommitEnv* const env_;
  const CommitOptions options_;
  const bool may_spin_;

  // The contended word, on a line of its own: Writer* | kStallMark.
  alignas(64) std::atomic<uintptr_t> newest_{0};

  // The leader's (invariant 3): the known part of the queue is leader_ -> newer -> ... ->
  // known_newest_.
  alignas(64) Writer* leader_ = nullptr;
  Writer* known_newest_ = nullptr;
  uint64_t groups_ = 0;
  WriteCounters counters_;
  SequenceNumber last_assigned_ = 0;
  InsertionChoice insertion_choice_;  // who inserts
  size_t last_sync_writers_ = 0;
  uint32_t siblings_skip_ = 0;     // after the last time in vain: how many are left out
  uint32_t siblings_to_skip_ = 0;  // groups, from now on
  uint64_t sync_nanos_ = 0;        // smoothed
  std::string merged_;

  bool gate_is_closed_ = false;

  // Unordered.
  alignas(64) InsertionGate gate_;
  static constexpr size_t kStripes = 8;
  struct alignas(64) Stripe {
    WriteCounters counters;
  };
  Stripe stripes_[kStripes];  // of what did not join, by fiber::slot()

  // An UnderWay of commit_queue.cc. Word of one waiter (the leader) and one signaller (the group
  // that handed over early).
  alignas(64) std::atomic<uint32_t> under_way_{0};
  std::atomic<size_t> last_group_bytes_{0};
  // Smoothed duration of an insertion, per kEntryNanosUnit entries. Relaxed: a hint.
  std::atomic<uint64_t> entry_nanos_{0};
  // Smoothed duration of a group; tells a joining thread whether spinning can pay. Relaxed: a hint.
  std::atomic<uint64_t> group_nanos_{0};
};

}  // namespace cairn

#endif  // CAIRN_COMMIT_COMMIT_QUEUE_H_
