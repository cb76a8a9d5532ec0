// Random operations with user-defined timestamps against a std::map of each key's versions: writes,
// reads as of any time from the mark (full_history_ts_low) on, all versions between two times,
// snapshots, flushes, compactions that drop what is below the mark, and reopening with other
// options; on OS threads and on fibers.
//
// Each worker owns a part of the key space and its model of it. Timestamps come from one clock that
// all share, so that no two writes have the same one. The first worker raises the mark while the
// others read: a read as of a time that it has just left behind may be refused, a wrong answer may
// not be given. A snapshot's state needs no copy: it is what has timestamps up to that moment.
//
// CAIRN_SEED sets the seed (printed), CAIRN_MODEL_OPS five times the operations of a case.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../numbers.h"
#include "fiber/clock.h"
#include "fiber/random.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "rocksdb/cache.h"
#include "rocksdb/comparator.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/snapshot.h"
#include "rocksdb/table.h"
#include "rocksdb/write_batch.h"
#include "run_workers.h"

namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::BytewiseComparatorWithU64Ts;
using rocksdb::CompactRangeOptions;
using rocksdb::DB;
using rocksdb::DecodeU64Ts;
using rocksdb::DestroyDB;
using rocksdb::EncodeU64Ts;
using rocksdb::Env;
using rocksdb::FlushOptions;
using rocksdb::Iterator;
using rocksdb::NewBlockBasedTableFactory;
using rocksdb::NewBloomFilterPolicy;
using rocksdb::NewLRUCache;
using rocksdb::Options;
using rocksdb::ReadOptions;
using rocksdb::Slice;
using rocksdb::Snapshot;
using rocksdb::Status;
using rocksdb::WriteBatch;
using rocksdb::WriteOptions;

constexpr int kTimestampRounds = 8;
constexpr uint64_t kTimestampKeys = 400;  // of a worker
constexpr size_t kTimestampSnapshots = 2;

std::string Stamp(uint64_t ts) {
  std::string buffer;
  EncodeU64Ts(ts, &buffer);
  return buffer;
}

uint64_t NumberOf(const Slice& stamp) {
  uint64_t ts = UINT64_MAX;
  EXPECT_TRUE(DecodeU64Ts(stamp, &ts).ok());
  return ts;
}

// What all workers share.
struct Time {
  std::atomic<uint64_t> now{1};
  std::atomic<uint64_t> low{0};       // the mark, once it was raised
  std::atomic<uint64_t> low_soon{0};  // the same, before it is
};

enum class Change : uint8_t { kPut, kDelete, kDeleteRange };
struct VersionOfKey {
  Change change = Change::kDelete;
  std::string value;
};
using VersionsOfKey = std::map<uint64_t, VersionOfKey>;  // by timestamp
using History = std::map<std::string, VersionsOfKey>;

class TimestampWorker {
 public:
  TimestampWorker(int id, uint64_t seed, Time* time)
      : numbers_(seed * 1000 + static_cast<uint64_t>(id)), time_(time), raises_(id == 0) {
    char text[16];
    std::snprintf(text, sizeof(text), "w%02d/", id);
    prefix_ = text;
    end_ = prefix_;
    end_.back() = '0';  // the character after '/'
  }

  const std::string& failure() const { return failure_; }  // empty: none

  void Run(DB* db, uint64_t operations) {
    db_ = db;
    for (uint64_t i = 0; i < operations && failure_.empty(); ++i) Step();
    for (const Snap& snap : snapshots_) db_->ReleaseSnapshot(snap.snapshot);
    snapshots_.clear();
    Forget();
  }

  // All keys as of some times, while nobody changes anything.
  void CompareAll(DB* db) {
    db_ = db;
    const uint64_t low = time_->low, now = time_->now;
    for (const uint64_t ts : {low, low + (now - low) / 2, now}) {
      CheckWalk(nullptr, ts, /*whole=*/true);
      CheckVersions(nullptr, ts, now);
      for (const auto& [key, versions] : history_) CheckGet(nullptr, key, ts);
    }
  }

 private:
  struct Snap {
    const Snapshot* snapshot;
    uint64_t ts;  // of the last write before it
  };
  // ReadOptions and what they point to.
  struct Read {
    ReadOptions options;
    std::string stamp, start_stamp;
    Slice ts, start;
  };

  void Fail(const std::string& what) {
    if (failure_.empty()) failure_ = prefix_ + " " + what;
  }
  bool Ok(const char* what, const Status& s) {
    if (!s.ok()) Fail(std::string(what) + ": " + s.ToString());
    return s.ok();
  }
  std::string RandomKey() {
    char text[16];
    std::snprintf(text, sizeof(text), "%04llu",
                  static_cast<unsigned long long>(numbers_.Below(kTimestampKeys)));
    return prefix_ + text;
  }
  std::string RandomValue() {
    const uint64_t size =
        numbers_.Below(30) == 0 ? 2000 + numbers_.Below(3000) : numbers_.Below(150);
    std::string value(size, static_cast<char>('a' + numbers_.Below(26)));
    for (size_t i = 0; i < value.size(); i += 7) value[i] = static_cast<char>(numbers_.Next());
    return value;
  }
  uint64_t RandomTime() {
    const uint64_t low = time_->low, now = std::max<uint64_t>(time_->now, low);
    return numbers_.Below(3) == 0 ? now : low + numbers_.Below(now - low + 2);
  }
  const Snap* RandomSnapshot() {
    const uint64_t which = numbers_.Below(snapshots_.size() + 2);
    return which < snapshots_.size() ? &snapshots_[which] : nullptr;
  }

  void Step() {
    const uint64_t dice = numbers_.Below(1000);
    if (dice < 350) {
      const std::string key = RandomKey(), value = RandomValue();
      const uint64_t ts = Tick();
      if (Ok("Put", db_->Put(WriteOptions(), key, Stamp(ts), value))) {
        history_[key][ts] = {Change::kPut, value};
      }
    } else if (dice < 430) {
      const std::string key = RandomKey();
      const uint64_t ts = Tick();
      if (Ok("Delete", db_->Delete(WriteOptions(), key, Stamp(ts)))) history_[key][ts] = {};
    } else if (dice < 440) {
      DeleteSome();
    } else if (dice < 520) {
      ApplyBatch();
    } else if (dice < 720) {
      CheckGet(RandomSnapshot(), RandomKey(), RandomTime());
    } else if (dice < 780) {
      CheckMultiGet(RandomSnapshot(), RandomTime());
    } else if (dice < 880) {
      CheckWalk(RandomSnapshot(), RandomTime(), /*whole=*/false);
    } else if (dice < 930) {
      const uint64_t start = RandomTime();
      CheckVersions(RandomSnapshot(), start, start + numbers_.Below(3000));
    } else if (dice < 960) {
      ChangeSnapshots();
    } else if (dice < 970) {
      CheckRefusal();
    } else if (dice < 995) {
      RaiseMark();
    } else {
      Maintain();
    }
  }

  uint64_t Tick() { return last_ = ++time_->now; }

  void DeleteSome() {
    std::string begin = RandomKey(), end = RandomKey();
    if (end < begin) std::swap(begin, end);
    const uint64_t ts = Tick();
    const Status s =
        db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), begin, end, Stamp(ts));
    if (!Ok("DeleteRange", s)) return;
    for (auto at = history_.lower_bound(begin); at != history_.end() && at->first < end; ++at) {
      at->second[ts] = {Change::kDeleteRange, ""};
    }
  }

  void ApplyBatch() {
    WriteBatch batch(0, 0, 0, sizeof(uint64_t));
    std::map<std::string, VersionOfKey> changes;
    for (uint64_t n = 1 + numbers_.Below(10); n > 0; --n) {
      const std::string key = RandomKey();
      if (changes.contains(key)) continue;
      VersionOfKey& change = changes[key];
      if (numbers_.Below(4) == 0) {
        Ok("batch", batch.Delete(key));
      } else {
        change = {Change::kPut, RandomValue()};
        Ok("batch", batch.Put(key, change.value));
      }
    }
    const uint64_t ts = Tick();
    Ok("stamp", batch.UpdateTimestamps(Stamp(ts), [](uint32_t) { return sizeof(uint64_t); }));
    if (!Ok("Write", db_->Write(WriteOptions(), &batch))) return;
    for (auto& [key, change] : changes) history_[key][ts] = std::move(change);
  }

  void MakeRead(const Snap* snap, uint64_t ts, Read* read) {
    read->stamp = Stamp(ts);
    read->ts = read->stamp;
    read->options.timestamp = &read->ts;
    read->options.snapshot = snap != nullptr ? snap->snapshot : nullptr;
    read->options.async_io = numbers_.Below(4) == 0;
  }
  // The mark went by while the read was on its way.
  bool LeftBehind(const Status& s, uint64_t ts) const {
    return s.IsInvalidArgument() && ts < time_->low_soon;
  }

  // Whether a version of `at` may be shown with this timestamp: below the mark a compaction makes
  // it 0, where it does away with the sequence number.
  bool IsStampOf(const Slice& stamp, uint64_t at) const {
    const uint64_t shown = NumberOf(stamp);
    return shown == at || (shown == 0 && at < time_->low_soon);
  }

  // The version that is seen; null: none.
  const VersionOfKey* At(const Snap* snap, const VersionsOfKey& versions, uint64_t ts,
                         uint64_t* at) const {
    const uint64_t until = snap != nullptr ? std::min(ts, snap->ts) : ts;
    const auto after = versions.upper_bound(until);
    if (after == versions.begin()) return nullptr;
    const auto& [stamp, version] = *std::prev(after);
    *at = stamp;
    return version.change == Change::kPut ? &version : nullptr;
  }
  const VersionOfKey* At(const Snap* snap, const std::string& key, uint64_t ts,
                         uint64_t* at) const {
    const auto found = history_.find(key);
    return found == history_.end() ? nullptr : At(snap, found->second, ts, at);
  }

  void Compare(const char* how, const Snap* snap, const std::string& key, uint64_t ts,
               const Status& s, const Slice& value, const std::string& stamp) {
    if (LeftBehind(s, ts)) return;
    uint64_t at = 0;
    const VersionOfKey* const wanted = At(snap, key, ts, &at);
    const bool agrees = wanted == nullptr
                            ? s.IsNotFound()
                            : s.ok() && value == Slice(wanted->value) && IsStampOf(stamp, at);
    if (agrees) return;
    Fail(std::string(how) + " of " + key + " as of " + std::to_string(ts) +
         (snap != nullptr ? " in the state of " + std::to_string(snap->ts) : "") + ": " +
         (s.ok() ? std::to_string(value.size()) + " bytes of " + std::to_string(NumberOf(stamp))
                 : s.ToString()) +
         " instead of " +
         (wanted != nullptr
              ? std::to_string(wanted->value.size()) + " bytes of " + std::to_string(at)
              : "NotFound") +
         ", the mark is " + std::to_string(time_->low_soon));
  }

  void CheckGet(const Snap* snap, const std::string& key, uint64_t ts) {
    Read read;
    MakeRead(snap, ts, &read);
    std::string value, stamp;
    const Status s = db_->Get(read.options, key, &value, &stamp);
    Compare("Get", snap, key, ts, s, value, stamp);
  }

  void CheckMultiGet(const Snap* snap, uint64_t ts) {
    Read read;
    MakeRead(snap, ts, &read);
    std::vector<std::string> keys;
    for (uint64_t n = 1 + numbers_.Below(20); n > 0; --n) keys.push_back(RandomKey());
    const std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<std::string> values, stamps;
    const std::vector<Status> statuses = db_->MultiGet(read.options, slices, &values, &stamps);
    for (size_t i = 0; i < keys.size(); ++i) {
      Compare("MultiGet", snap, keys[i], ts, statuses[i], values[i], stamps[i]);
    }
  }

  // What is seen as of `ts`, in the order of the keys, walked with turns, or from end to end.
  void CheckWalk(const Snap* snap, uint64_t ts, bool whole) {
    Read read;
    MakeRead(snap, ts, &read);
    std::string low = prefix_, high = end_;
    if (!whole && numbers_.Below(3) == 0) {
      low = RandomKey();
      high = std::max(low, RandomKey());
    }
    const Slice lower(low), upper(high);
    read.options.iterate_lower_bound = &lower;
    read.options.iterate_upper_bound = &upper;
    std::map<std::string, std::pair<uint64_t, const VersionOfKey*>> seen;
    for (auto it = history_.lower_bound(low); it != history_.end() && it->first < high; ++it) {
      uint64_t at = 0;
      const VersionOfKey* const version = At(snap, it->second, ts, &at);
      if (version != nullptr) seen[it->first] = {at, version};
    }
    const std::unique_ptr<Iterator> it(db_->NewIterator(read.options));
    if (LeftBehind(it->status(), ts)) return;
    auto at = seen.end();
    uint64_t steps = whole ? seen.size() + 1 : 5 + numbers_.Below(40);
    for (bool first = true; steps > 0 && failure_.empty(); --steps, first = false) {
      const uint64_t move = whole              ? (first ? 0 : 5)
                            : at == seen.end() ? numbers_.Below(4)
                                               : numbers_.Below(20);
      if (move == 0) {
        it->SeekToFirst();
        at = seen.begin();
      } else if (move == 1) {
        it->SeekToLast();
        at = seen.empty() ? seen.end() : std::prev(seen.end());
      } else if (move == 2) {
        const std::string key = RandomKey();
        it->Seek(key);
        at = seen.lower_bound(key);
      } else if (move == 3) {
        const std::string key = RandomKey();
        it->SeekForPrev(key);
        const auto after = seen.upper_bound(key);
        at = after == seen.begin() ? seen.end() : std::prev(after);
      } else if (move < 14) {
        it->Next();
        ++at;
      } else {
        it->Prev();
        at = at == seen.begin() ? seen.end() : std::prev(at);
      }
      if (it->Valid() != (at != seen.end()) ||
          (it->Valid() &&
           (it->key() != Slice(at->first) || it->value() != Slice(at->second.second->value) ||
            !IsStampOf(it->timestamp(), at->second.first)))) {
        Fail("iterator as of " + std::to_string(ts) + ": at " +
             (it->Valid() ? it->key().ToString() + "@" + std::to_string(NumberOf(it->timestamp()))
                          : "the end") +
             " instead of " +
             (at != seen.end() ? at->first + "@" + std::to_string(at->second.first) : "the end") +
             " " + it->status().ToString());
      }
    }
    Ok("iterator", it->status());
  }

  // All versions of these times, the newest of a key first, but for what a range deletion hides.
  void CheckVersions(const Snap* snap, uint64_t start, uint64_t ts) {
    Read read;
    MakeRead(snap, ts, &read);
    read.start_stamp = Stamp(start);
    read.start = read.start_stamp;
    read.options.iter_start_ts = &read.start;
    const Slice lower(prefix_), upper(end_);
    read.options.iterate_lower_bound = &lower;
    read.options.iterate_upper_bound = &upper;
    const uint64_t until = snap != nullptr ? std::min(ts, snap->ts) : ts;
    std::vector<std::pair<std::string, const VersionOfKey*>> wanted;  // "key@time"
    for (const auto& [key, versions] : history_) {
      auto at = versions.upper_bound(until);
      while (at != versions.begin()) {
        --at;
        if (at->first < start || at->second.change == Change::kDeleteRange) break;
        wanted.emplace_back(key + "@" + std::to_string(at->first), &at->second);
      }
    }
    const std::unique_ptr<Iterator> it(db_->NewIterator(read.options));
    // What has come below the mark may be gone: only `ts` decides whether the read is refused.
    if (LeftBehind(it->status(), ts) || start < time_->low_soon) return;
    size_t i = 0;
    for (it->SeekToFirst(); it->Valid() && failure_.empty(); it->Next(), ++i) {
      // An internal key, with the timestamp and eight bytes behind the user's.
      const std::string key = it->key().ToString().substr(0, prefix_.size() + 4) + "@" +
                              std::to_string(NumberOf(it->timestamp()));
      if (i == wanted.size() || key != wanted[i].first ||
          (wanted[i].second->change == Change::kPut &&
           it->value() != Slice(wanted[i].second->value))) {
        Fail("versions from " + std::to_string(start) + " to " + std::to_string(ts) + ": " + key +
             " instead of " + (i == wanted.size() ? "the end" : wanted[i].first));
      }
    }
    if (!Ok("versions", it->status()) || i == wanted.size()) return;
    Fail("versions from " + std::to_string(start) + " to " + std::to_string(ts) +
         ": the end instead of " + wanted[i].first);
  }

  void CheckRefusal() {
    const uint64_t low = time_->low;
    if (low == 0) return;
    Read read;
    MakeRead(nullptr, numbers_.Below(low), &read);
    std::string value;
    const Status s = db_->Get(read.options, RandomKey(), &value);
    if (!s.IsInvalidArgument()) Fail("a read below the mark: " + s.ToString());
  }

  void ChangeSnapshots() {
    if (snapshots_.size() < kTimestampSnapshots && numbers_.Below(2) == 0) {
      snapshots_.push_back({db_->GetSnapshot(), last_});
    } else if (!snapshots_.empty()) {
      const size_t which = numbers_.Below(snapshots_.size());
      db_->ReleaseSnapshot(snapshots_[which].snapshot);
      snapshots_.erase(snapshots_.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }

  void RaiseMark() {
    Forget();
    if (!raises_ || numbers_.Below(4) != 0) return;
    const uint64_t low = time_->low, now = time_->now;
    const uint64_t to = low + numbers_.Below(now - low + 1);
    time_->low_soon = to;
    if (Ok("raise", db_->IncreaseFullHistoryTsLow(db_->DefaultColumnFamily(), Stamp(to)))) {
      time_->low = to;
    }
  }

  // What no read can see any more.
  void Forget() {
    uint64_t below = time_->low;
    for (const Snap& snap : snapshots_) below = std::min(below, snap.ts);
    for (auto& [key, versions] : history_) {
      const auto after = versions.upper_bound(below);
      if (after != versions.begin()) versions.erase(versions.begin(), std::prev(after));
    }
  }

  void Maintain() {
    if (numbers_.Below(3) != 0) {
      Ok("Flush", db_->Flush(FlushOptions()));
      return;
    }
    const Slice begin(prefix_), end(end_);
    Ok("CompactRange", db_->CompactRange(CompactRangeOptions(), &begin, &end));
  }

  cairn_test::Numbers numbers_;
  Time* const time_;
  const bool raises_;
  std::string prefix_, end_, failure_;
  History history_;
  std::vector<Snap> snapshots_;
  uint64_t last_ = 0;  // this worker's last timestamp
  DB* db_ = nullptr;
};

class TimestampModelTest : public ::testing::Test {
 protected:
  TimestampModelTest()
      : seed_(cairn_test::NumberFromEnvironment("CAIRN_SEED", fiber::wall_micros() % 1000000000)),
        operations_(cairn_test::NumberFromEnvironment("CAIRN_MODEL_OPS", 400000) / 5),
        numbers_(seed_) {
    std::string base;
    EXPECT_TRUE(Env::Default()->GetTestDirectory(&base).ok());
    path_ = base + "/cairn_timestamps_" + std::to_string(fiber::random_u64());
    (void)DestroyDB(path_, Options());
    std::printf("seed %llu (CAIRN_SEED overrides), %llu operations\n",
                static_cast<unsigned long long>(seed_),
                static_cast<unsigned long long>(operations_));
    std::fflush(stdout);
  }
  ~TimestampModelTest() override { (void)DestroyDB(path_, Options()); }

  Options RandomOptions() {
    Options options;
    options.create_if_missing = true;
    options.comparator = BytewiseComparatorWithU64Ts();
    options.write_buffer_size = (128 << 10) << numbers_.Below(3);
    options.target_file_size_base = 64 << 10;
    options.max_bytes_for_level_base = 256 << 10;
    options.max_bytes_for_level_multiplier = 4;
    options.level_compaction_dynamic_level_bytes = numbers_.Below(2) == 0;
    if (numbers_.Below(3) == 0) options.compaction_style = rocksdb::kCompactionStyleUniversal;
    options.compression =
        numbers_.Below(2) == 0 ? rocksdb::kNoCompression : rocksdb::kLZ4Compression;
    options.max_background_jobs = 1 + static_cast<int>(numbers_.Below(4));
    options.max_subcompactions = 1 + static_cast<uint32_t>(numbers_.Below(4));
    options.allow_concurrent_memtable_write = numbers_.Below(2) == 0;
    options.enable_pipelined_write = numbers_.Below(2) == 0;
    options.max_sequential_skip_in_iterations = numbers_.Below(2) == 0 ? 2 : 8;
    if (numbers_.Below(2) == 0) {
      options.enable_blob_files = true;
      options.min_blob_size = 100;
      options.blob_file_size = 64 << 10;
      options.enable_blob_garbage_collection = numbers_.Below(2) == 0;
      options.blob_garbage_collection_age_cutoff = 0.5;
    }
    BlockBasedTableOptions table;
    table.block_cache = NewLRUCache((256 << 10) << numbers_.Below(5));
    table.block_size = 512 << numbers_.Below(4);
    if (numbers_.Below(4) != 0) table.filter_policy.reset(NewBloomFilterPolicy(10));
    if (numbers_.Below(4) == 0) {
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = table.filter_policy != nullptr;
      table.metadata_block_size = 512;
    }
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    return options;
  }

  // `run_all` runs the given function for each worker, concurrently.
  template <typename RunAll>
  void Rounds(int workers, const RunAll& run_all) {
    Time time;
    std::vector<std::unique_ptr<TimestampWorker>> clients;
    for (int i = 0; i < workers; ++i) {
      clients.push_back(std::make_unique<TimestampWorker>(i, seed_, &time));
    }
    const uint64_t each = operations_ / kTimestampRounds / static_cast<uint64_t>(workers) + 1;
    for (int round = 0; round < kTimestampRounds; ++round) {
      SCOPED_TRACE("seed " + std::to_string(seed_) + ", round " + std::to_string(round));
      DB* raw = nullptr;
      const Status s = DB::Open(RandomOptions(), path_, &raw);
      ASSERT_TRUE(s.ok()) << s.ToString();
      const std::unique_ptr<DB> db(raw);
      // The mark comes back with the database.
      std::string low;
      const Status found = db->GetFullHistoryTsLow(db->DefaultColumnFamily(), &low);
      ASSERT_TRUE(found.ok()) << found.ToString();
      ASSERT_EQ(low.empty() ? 0 : NumberOf(low), time.low);
      for (const auto& client : clients) client->CompareAll(db.get());
      run_all(workers, [&](int i) { clients[static_cast<size_t>(i)]->Run(db.get(), each); });
      for (const auto& client : clients) client->CompareAll(db.get());
      for (const auto& client : clients) ASSERT_EQ(client->failure(), "");
      // Every other round leaves without Close: the destructor must do.
      if (round % 2 == 0) {
        ASSERT_TRUE(db->Close().ok());
      }
    }
    EXPECT_GT(time.low, 0u);
  }

  const uint64_t seed_, operations_;
  cairn_test::Numbers numbers_;
  std::string path_;
};

TEST_F(TimestampModelTest, OnThreads) {
  Rounds(6, [](int workers, const auto& run) { cairn_test::RunOnThreads(workers, run); });
}

TEST_F(TimestampModelTest, OnFibers) {
  Rounds(12, [](int workers, const auto& run) { cairn_test::RunOnFibers(workers, run); });
}

}  // namespace
