// The commit queue's environment in its tests: a memtable, a list of log records, and checks of the
// invariants of commit_queue.h. Test-only. Write from anywhere; what is called by the leader only
// says so.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "batch/batch_reader.h"
#include "commit/batch_apply.h"
#include "commit/commit_queue.h"
#include "memtable/memtable.h"
#include "wal/wal_link.h"

namespace cairn::testing {

class FakeDatabase : private CommitEnv {
 public:
  // `comparator` is borrowed.
  explicit FakeDatabase(CommitOptions options = {},
                        const Comparator* comparator = BytewiseComparator())
      : comparator_(comparator),
        table_(new MemTable(comparator_, {}, 0)),
        sink_(table_),
        is_unordered_(options.unordered),
        queue_(this, options) {}
  ~FakeDatabase() { table_->Unref(); }

  CommitQueue* queue() { return &queue_; }
  SequenceNumber published() const { return published_.load(std::memory_order_acquire); }

  Status Put(const std::string& key, const std::string& value, const WriteOptions& options = {},
             uint64_t* seq = nullptr) {
    WriteBatch batch;
    EXPECT_TRUE(batch.Put(key, value).ok());
    return queue_.Write(options, &batch, seq);
  }
  std::string Get(const std::string& key, SequenceNumber snapshot) {
    Slice value;
    Status s;
    if (!table_->Get(LookupKey(key, snapshot), &value, &s)) return "ABSENT";
    return s.ok() ? value.ToString() : "DELETED";
  }
  const MemTable& table() const { return *table_; }
  uint64_t entries() const { return table_->num_entries(); }

  // Behaviour, set before the writers start or read atomically.
  std::function<Status(const WriteGroupInfo&)> on_prepare;
  std::function<IOStatus(const Slice&)> on_append;
  std::function<IOStatus()> on_sync;
  std::function<void()> on_insert;  // at the beginning of a group's insertion
  std::function<void(SequenceNumber)> on_publish;
  std::atomic<bool> is_something_due{false};
  bool counts_entries = true;  // else entries may share numbers
  bool keep_log = true;
  std::vector<std::string> log;  // the leader's
  std::atomic<int> groups{0};
  std::atomic<int> appends{0};
  std::atomic<int> syncs{0};
  std::atomic<int> errors{0};
  size_t prepared = 0;  // the leader's
  static constexpr uint64_t kLogNumber = 7;

 private:
  // --- CommitEnv
  Status Prepare(const WriteGroupInfo& info) override {
    // Invariant 1. Plain on purpose: tsan sees two leaders at once.
    EXPECT_EQ(leaders_, 0);
    ++leaders_;
    ++groups;
    const Status s = on_prepare ? on_prepare(info) : Status::OK();
    --leaders_;
    return s;
  }
  IOStatus AppendWal(const Slice& record, bool has_marks) override {
    ++appends;
    // What skipped the log is published before the next group forms, here.
    const SequenceNumber first = DecodeSequence(record);
    if (is_unordered_) {
      EXPECT_GT(first, logged_) << "the log has them in their order";
    } else if (counts_entries) {
      EXPECT_EQ(first, std::max(logged_, published()) + 1) << "invariant 5: no gap";
    }
    IOStatus s = on_append ? on_append(record) : IOStatus::OK();
    if (s.ok()) {
      logged_ = WalLink::LastUnpreparedSequenceOf(record);
      if (!has_marks) {
        EXPECT_EQ(logged_, WalLink::LastSequenceOf(record));
      }
    }
    if (s.ok() && keep_log) log.push_back(record.ToString());
    return s;
  }
  IOStatus SyncWal() override {
    ++syncs;
    IOStatus s = on_sync ? on_sync() : IOStatus::OK();
    if (!s.ok()) logged_ = published();  // invariant 6
    return s;
  }
  MemTableSink* MemTables() override {
    if (on_insert) on_insert();
    return &sink_;
  }
  SequenceNumber LastSequence() override { return published(); }
  void Publish(SequenceNumber last) override {
    EXPECT_GT(last, published());
    if (on_publish) on_publish(last);
    published_.store(last, std::memory_order_release);
  }
  SequenceNumber Allot(uint64_t n) override {
    return published_.fetch_add(n, std::memory_order_acq_rel) + 1;
  }
  bool IsNothingDue() override { return !is_something_due; }
  uint64_t NotePrepared(size_t sections) override {
    prepared += sections;
    return kLogNumber;
  }
  void NoteStep(TwoPhaseStep* step) override { step->log = kLogNumber; }
  void OnError(const Status& s, CommitErrorKind /*kind*/) override {
    EXPECT_FALSE(s.ok());
    ++errors;
  }
  static SequenceNumber DecodeSequence(const Slice& record) {
    return BatchReader(record).sequence();
  }

  const InternalKeyComparator comparator_;
  MemTable* table_;
  SingleMemTableSink sink_;
  const bool is_unordered_;
  std::atomic<SequenceNumber> published_{0};
  int leaders_ = 0;
  SequenceNumber logged_ = 0;  // the leader's
  CommitQueue queue_;
};

}  // namespace cairn::testing
