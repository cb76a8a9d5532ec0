// fillanddeleteuniquerandom: entries that live for a while beside entries that stay.

#include <cinttypes>
#include <cstdio>
#include <deque>
#include <string>
#include <vector>

#include "db_bench/fill.h"
#include "db_bench/flags.h"
#include "db_bench/support.h"
#include "db_bench/workloads.h"
#include "fiber/clock.h"
#include "rocksdb/write_batch.h"
#include "support/permutation.h"

namespace db_bench {

namespace {

// Rounds of disposable entries, which are written one after the other. When a round's time has
// come, which is --disposable_entries_delete_delay after the last one of it was written, the
// entries that came of it and stay are written, and it is deleted; the rounds after it wait. Keys
// are unique, in random order. All writes and deletions count as operations.
class DisposableFill {
 public:
  explicit DisposableFill(Client* client)
      : client_(client),
        target_(client),
        order_(static_cast<uint64_t>(FLAGS_num), client->random.Next()) {}

  void Run() {
    rocksdb::DB* db = client_->shared->db;
    rocksdb::WriteBatch batch(/*reserved_bytes=*/0, /*max_bytes=*/0,
                              FLAGS_write_batch_protection_bytes_per_key, /*default_cf_ts_sz=*/0);
    Duration duration(0, Writes());
    while (!duration.Done(FLAGS_batch_size)) {
      batch.Clear();
      for (int64_t i = 0; i < FLAGS_batch_size; i++) {
        const rocksdb::Status added = Add(&batch);
        if (!added.ok()) Fail("put", added);
      }
      const rocksdb::Status s = db->Write(target_.write, &batch);
      if (!s.ok()) Fail("put", s);
      client_->stats.FinishedOps(db, FLAGS_batch_size, OpKind::kWrite);
    }
    client_->stats.AddBytes(bytes_);
    std::printf("Number of unique keys inserted (disposable+persistent): %" PRIu64
                ".\nNumber of 'disposable entry delete': %" PRIu64 "\n",
                written_, deleted_);
  }

 private:
  struct Round {
    uint64_t due;    // a now_nanos() value
    uint64_t first;  // place of its first entry
  };

  rocksdb::Status Add(rocksdb::WriteBatch* batch) {
    if (rounds_.empty() || fiber::now_nanos() < rounds_.front().due) return AddDisposable(batch);
    const uint64_t first = rounds_.front().first;
    const uint64_t step = done_++;
    if (done_ == disposable_ + persistent_) {
      rounds_.pop_front();
      done_ = 0;
    }
    if (step < persistent_) {
      return Put(batch, first + disposable_ + step, FLAGS_persistent_entries_value_size);
    }
    deleted_++;
    const uint64_t number = Number(first + step - persistent_);
    const rocksdb::Slice k = key_.Set(number);
    bytes_ += k.size();
    return target_.Delete(batch, number, k);
  }

  rocksdb::Status AddDisposable(rocksdb::WriteBatch* batch) {
    const uint64_t place = next_++;
    if (++in_round_ == disposable_) {
      rounds_.push_back({.due = fiber::now_nanos() + FLAGS_disposable_entries_delete_delay * 1000,
                         .first = next_ - disposable_});
      next_ += persistent_;
      in_round_ = 0;
    }
    return Put(batch, place, FLAGS_disposable_entries_value_size);
  }

  rocksdb::Status Put(rocksdb::WriteBatch* batch, uint64_t place, int value_size) {
    written_++;
    const uint64_t number = Number(place);
    const rocksdb::Slice k = key_.Set(number);
    bytes_ += k.size() + static_cast<uint64_t>(value_size);
    return target_.Put(batch, number, k, ValueOf(client_, static_cast<size_t>(value_size)));
  }

  uint64_t Number(uint64_t place) const {
    return order_.Of(place % static_cast<uint64_t>(FLAGS_num));
  }

  Client* const client_;
  Target target_;
  Key key_;
  const bench::Permutation order_;
  const uint64_t disposable_ = FLAGS_disposable_entries_batch_size;
  const uint64_t persistent_ = FLAGS_persistent_entries_batch_size;
  std::deque<Round> rounds_;  // that are written and not deleted
  uint64_t done_ = 0;         // of the first of them: entries that stay, then deletions
  uint64_t next_ = 0;         // place of the next disposable entry
  uint64_t in_round_ = 0;     // that are written of the round that is not whole yet
  uint64_t written_ = 0, deleted_ = 0, bytes_ = 0;
};

void FillAndDelete(Client* client) {
  if (FLAGS_disposable_entries_batch_size > 0) {
    DisposableFill(client).Run();
  } else {
    Fill(client, {.order = Order::kUniqueRandom, .overwrites = true});
  }
}

std::string WhyNoDisposables() {
  return FLAGS_disposable_entries_batch_size > 0 && FLAGS_overwrite_probability > 0
             ? "--disposable_entries_batch_size: without --overwrite_probability"
             : "";
}

}  // namespace

std::vector<NamedWorkload> DisposableWorkloads() {
  std::vector<NamedWorkload> all;
  all.push_back({.name = "fillanddeleteuniquerandom",
                 .help = "as filluniquerandom, and deletes some of what it wrote",
                 .run = FillAndDelete,
                 .fresh_db = true,
                 .single_client = true,
                 .refusal = WhyNoDisposables});
  return all;
}

}  // namespace db_bench
