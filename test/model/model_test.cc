// Random operations against std::map: Put, Delete, Merge, batches, reads, iterators with bounds,
// snapshots, flushes, compactions and reopening; once on OS threads and once on fibers.
//
// Each worker owns a part of the key space and its own model of it, so workers share the database
// but no state. A round runs all workers; between rounds the database is closed and opened again
// with other options, and compared as a whole.
//
// CAIRN_SEED sets the seed (printed), CAIRN_MODEL_OPS the number of operations per case.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../numbers.h"
#include "fiber/clock.h"
#include "fiber/random.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "rocksdb/cache.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/iterator.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/options.h"
#include "rocksdb/snapshot.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/table_properties_collectors.h"
#include "rocksdb/write_batch.h"
#include "run_workers.h"

namespace {

using namespace rocksdb;  // NOLINT(google-build-using-namespace): the API under test

using Model = std::map<std::string, std::string>;

constexpr int kRounds = 10;
constexpr uint64_t kKeysPerWorker = 3000;
constexpr size_t kMaxSnapshots = 3;
constexpr uint64_t kDefaultOperations = 500000;

using cairn_test::Numbers;

// One client: applies operations to the database and to its model, and compares.
class Worker {
 public:
  Worker(int id, uint64_t seed) : numbers_(seed * 1000 + static_cast<uint64_t>(id)) {
    char text[16];
    std::snprintf(text, sizeof(text), "w%02d/", id);
    prefix_ = text;
    end_ = prefix_;
    end_.back() = '0';  // the character after '/'
    end_slice_ = end_;
  }

  const Model& model() const { return model_; }
  // Empty: no disagreement so far.
  const std::string& failure() const { return failure_; }

  void Run(DB* db, uint64_t operations) {
    db_ = db;
    for (uint64_t i = 0; i < operations && failure_.empty(); ++i) Step();
    for (Snap& snap : snapshots_) db_->ReleaseSnapshot(snap.snapshot);
    snapshots_.clear();
  }

 private:
  struct Snap {
    const Snapshot* snapshot;
    Model model;
  };

  std::string RandomKey() {
    char text[16];
    std::snprintf(text, sizeof(text), "%05llu",
                  static_cast<unsigned long long>(numbers_.Below(kKeysPerWorker)));
    return prefix_ + text;
  }

  std::string RandomValue() {
    const uint64_t size =
        numbers_.Below(40) == 0 ? 4000 + numbers_.Below(6000) : numbers_.Below(120);
    std::string value(size, static_cast<char>('a' + numbers_.Below(26)));
    for (size_t i = 0; i < value.size(); i += 7) value[i] = static_cast<char>(numbers_.Next());
    return value;
  }

  std::string RandomOperand() {
    return std::string(numbers_.Below(20), static_cast<char>('A' + numbers_.Below(26)));
  }
  void Append(const std::string& key, const std::string& operand) {
    const auto [at, is_new] = model_.try_emplace(key, operand);
    if (!is_new) at->second += "," + operand;
  }

  void Fail(const std::string& what) {
    if (failure_.empty()) failure_ = prefix_ + " " + what;
  }
  bool Ok(const char* what, const Status& s) {
    if (!s.ok()) Fail(std::string(what) + ": " + s.ToString());
    return s.ok();
  }

  void Step() {
    const uint64_t dice = numbers_.Below(1000);
    if (dice < 380) {
      const std::string key = RandomKey(), value = RandomValue();
      if (Ok("Put", db_->Put(RandomWriteOptions(), key, value))) model_[key] = value;
    } else if (dice < 470) {
      const std::string key = RandomKey(), operand = RandomOperand();
      if (Ok("Merge", db_->Merge(RandomWriteOptions(), key, operand))) Append(key, operand);
    } else if (dice < 520) {
      const std::string key = RandomKey();
      if (Ok("Delete", db_->Delete(RandomWriteOptions(), key))) model_.erase(key);
    } else if (dice < 600) {
      ApplyBatch();
    } else if (dice < 850) {
      const Snap* snap = RandomSnapshot();
      CheckGet(snap, RandomKey());
    } else if (dice < 880) {
      CheckMultiGet(RandomSnapshot());
    } else if (dice < 930) {
      CheckIterator(RandomSnapshot());
    } else if (dice < 960) {
      ChangeSnapshots();
    } else if (dice < 999) {
      CheckGet(nullptr, RandomKey() + "?");  // never written
    } else {
      Maintain();
    }
  }

  WriteOptions RandomWriteOptions() {
    WriteOptions options;
    options.sync = numbers_.Below(500) == 0;
    return options;
  }

  void ApplyBatch() {
    WriteBatch batch;
    std::map<std::string, std::optional<std::string>> changes;
    for (uint64_t n = 1 + numbers_.Below(12); n > 0; --n) {
      const std::string key = RandomKey();
      if (numbers_.Below(3) == 0) {
        (void)batch.Delete(key);
        changes[key] = std::nullopt;
      } else if (numbers_.Below(3) == 0) {
        const std::string operand = RandomOperand();
        (void)batch.Merge(key, operand);
        if (changes.count(key) == 0) {
          const auto at = model_.find(key);
          changes[key] = at == model_.end() ? std::nullopt : std::optional(at->second);
        }
        std::optional<std::string>& value = changes[key];
        value = value.has_value() ? *value + "," + operand : operand;
      } else {
        const std::string value = RandomValue();
        (void)batch.Put(key, value);
        changes[key] = value;
      }
    }
    if (!Ok("Write", db_->Write(RandomWriteOptions(), &batch))) return;
    for (auto& [key, value] : changes) {
      if (value.has_value()) {
        model_[key] = std::move(*value);
      } else {
        model_.erase(key);
      }
    }
  }

  const Snap* RandomSnapshot() {
    const uint64_t which = numbers_.Below(snapshots_.size() + 2);
    return which < snapshots_.size() ? &snapshots_[which] : nullptr;
  }

  ReadOptions ReadAt(const Snap* snap) const {
    ReadOptions options;
    options.snapshot = snap != nullptr ? snap->snapshot : nullptr;
    return options;
  }
  const Model& ModelAt(const Snap* snap) const { return snap != nullptr ? snap->model : model_; }

  // `how` names the call, for the message.
  void Compare(const char* how, const Snap* snap, const std::string& key, const Status& s,
               const Slice& value) {
    const Model& model = ModelAt(snap);
    const auto at = model.find(key);
    const bool wanted = at != model.end();
    if (wanted ? s.ok() && value == Slice(at->second) : s.IsNotFound()) return;
    const auto describe = [](const Slice& v) {
      return std::to_string(v.size()) + " bytes " +
             Slice(v.data(), std::min<size_t>(v.size(), 16)).ToString(/*hex=*/true);
    };
    Fail(std::string(how) + " of " + key +
         (snap != nullptr ? " at snapshot " + std::to_string(snap->snapshot->GetSequenceNumber())
                          : std::string()) +
         ": " + (s.ok() ? describe(value) : s.ToString()) + " instead of " +
         (wanted ? describe(at->second) : "NotFound") + AskAgain(snap, key));
  }

  // What other ways of reading the same key say now: tells a wrong state from a wrong read.
  std::string AskAgain(const Snap* snap, const std::string& key) {
    const Model& model = ModelAt(snap);
    const auto at = model.find(key);
    std::string text = "; again: ";
    PinnableSlice value;
    const Status s = db_->Get(ReadAt(snap), db_->DefaultColumnFamily(), key, &value);
    const bool as_wanted =
        at == model.end() ? s.IsNotFound() : s.ok() && value == Slice(at->second);
    text += as_wanted ? "Get agrees" : "Get differs";
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadAt(snap)));
    it->Seek(key);
    const bool there = it->Valid() && it->key() == Slice(key);
    text += (at == model.end() ? !there : there && it->value() == Slice(at->second))
                ? ", iterator agrees"
                : ", iterator differs";
    std::string levels;
    (void)db_->GetProperty("rocksdb.levelstats", &levels);
    return text + "; last sequence " + std::to_string(db_->GetLatestSequenceNumber()) + "\n" +
           levels;
  }

  void CheckGet(const Snap* snap, const std::string& key) {
    PinnableSlice value;
    const Status s = db_->Get(ReadAt(snap), db_->DefaultColumnFamily(), key, &value);
    Compare("Get", snap, key, s, value);
  }

  void CheckMultiGet(const Snap* snap) {
    std::vector<std::string> keys;
    for (uint64_t n = 1 + numbers_.Below(20); n > 0; --n) keys.push_back(RandomKey());
    const std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<std::string> values;
    const std::vector<Status> statuses = db_->MultiGet(ReadAt(snap), slices, &values);
    for (size_t i = 0; i < keys.size(); ++i)
      Compare("MultiGet", snap, keys[i], statuses[i], values[i]);
  }

  // A walk of random movements within this worker's keys, next to the same walk in the model.
  void CheckIterator(const Snap* snap) {
    const Model& model = ModelAt(snap);
    ReadOptions options = ReadAt(snap);
    const std::string from = prefix_, low = RandomKey(), high = RandomKey();
    Slice lower(from), upper(end_slice_);
    if (numbers_.Below(3) == 0 && low < high) {
      lower = low;
      upper = high;
    }
    options.iterate_lower_bound = &lower;
    options.iterate_upper_bound = &upper;
    options.async_io = numbers_.Below(3) == 0;
    if (numbers_.Below(4) == 0) options.readahead_size = 1 + numbers_.Below(64 << 10);
    std::unique_ptr<Iterator> it(db_->NewIterator(options));
    const auto begin = model.lower_bound(lower.ToString()),
               end = model.lower_bound(upper.ToString());
    auto at = end;
    for (uint64_t steps = 5 + numbers_.Below(40); steps > 0 && failure_.empty(); --steps) {
      const uint64_t move = at == end ? numbers_.Below(4) : numbers_.Below(20);
      if (move == 0) {
        it->SeekToFirst();
        at = begin;
      } else if (move == 1) {
        it->SeekToLast();
        at = begin == end ? end : std::prev(end);
      } else if (move == 2) {
        const std::string key = RandomKey();
        it->Seek(key);
        at = key < lower.ToString() ? begin : model.lower_bound(key);
        if (at == model.end() || Slice(at->first).compare(upper) >= 0) at = end;
      } else if (move == 3) {
        const std::string key = RandomKey();
        it->SeekForPrev(key);
        auto after = Slice(key).compare(upper) >= 0 ? end : model.upper_bound(key);
        at = after == model.begin() || Slice(std::prev(after)->first).compare(lower) < 0
                 ? end
                 : std::prev(after);
      } else if (move < 14) {
        it->Next();
        ++at;
      } else {
        it->Prev();
        at = at == begin ? end : std::prev(at);
      }
      if (it->Valid() != (at != end)) {
        Fail("iterator: " + std::string(it->Valid() ? "at " + it->key().ToString() : "at the end") +
             " instead of " + (at != end ? at->first : "the end") + " " + it->status().ToString());
      } else if (at != end && (it->key() != Slice(at->first) || it->value() != Slice(at->second))) {
        Fail("iterator: at " + it->key().ToString() + " instead of " + at->first);
      }
    }
    Ok("iterator", it->status());
  }

  void ChangeSnapshots() {
    if (snapshots_.size() < kMaxSnapshots && numbers_.Below(2) == 0) {
      snapshots_.push_back({db_->GetSnapshot(), model_});
    } else if (!snapshots_.empty()) {
      const size_t which = numbers_.Below(snapshots_.size());
      db_->ReleaseSnapshot(snapshots_[which].snapshot);
      snapshots_.erase(snapshots_.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }

  void Maintain() {
    if (numbers_.Below(4) != 0) {
      Ok("Flush", db_->Flush(FlushOptions()));
      return;
    }
    if (numbers_.Below(2) == 0) {
      CompactSomeFiles();
      return;
    }
    const Slice begin(prefix_);
    Ok("CompactRange", db_->CompactRange(CompactRangeOptions(), &begin, &end_slice_));
  }

  void CompactSomeFiles() {
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    if (files.empty()) return;
    const LiveFileMetaData& file = files[numbers_.Below(files.size())];
    const auto levels = static_cast<uint64_t>(db_->NumberLevels() - file.level);
    const Status s = db_->CompactFiles(CompactionOptions(), {file.name},
                                       file.level + static_cast<int>(numbers_.Below(levels)));
    // Another compaction may have the file, or have finished with it.
    if (!s.IsAborted() && !s.IsInvalidArgument()) Ok("CompactFiles", s);
  }

  Numbers numbers_;
  std::string prefix_, end_, failure_;
  Slice end_slice_;
  Model model_;
  std::vector<Snap> snapshots_;
  DB* db_ = nullptr;
};

class ModelTest : public ::testing::Test {
 protected:
  ModelTest()
      : seed_(cairn_test::NumberFromEnvironment("CAIRN_SEED", fiber::wall_micros() % 1000000000)),
        operations_(cairn_test::NumberFromEnvironment("CAIRN_MODEL_OPS", kDefaultOperations)),
        numbers_(seed_) {
    std::string base;
    EXPECT_TRUE(Env::Default()->GetTestDirectory(&base).ok());
    path_ = base + "/cairn_model_" + std::to_string(fiber::random_u64());
    (void)DestroyDB(path_, Options());
    std::printf("seed %llu (CAIRN_SEED overrides), %llu operations\n",
                static_cast<unsigned long long>(seed_),
                static_cast<unsigned long long>(operations_));
    std::fflush(stdout);
  }
  ~ModelTest() override { (void)DestroyDB(path_, Options()); }

  // Small buffers and files, so that flushes and compactions run all the time.
  Options RandomOptions() {
    static constexpr CompressionType kCompressions[] = {kNoCompression, kSnappyCompression,
                                                        kBZip2Compression, kLZ4Compression, kZSTD};
    Options options;
    options.create_if_missing = true;
    options.write_buffer_size = (128 << 10) << numbers_.Below(4);
    options.target_file_size_base = 128 << 10;
    options.max_bytes_for_level_base = 512 << 10;
    options.max_bytes_for_level_multiplier = 4;
    options.level_compaction_dynamic_level_bytes = numbers_.Below(2) == 0;
    if (numbers_.Below(3) == 0) {
      options.compaction_style = kCompactionStyleUniversal;
      options.compaction_options_universal.size_ratio = static_cast<unsigned>(numbers_.Below(50));
      options.compaction_options_universal.allow_trivial_move = numbers_.Below(2) == 0;
    }
    options.compression = kCompressions[numbers_.Below(std::size(kCompressions))];
    options.max_background_jobs = 1 + static_cast<int>(numbers_.Below(4));
    options.max_subcompactions = 1 + static_cast<uint32_t>(numbers_.Below(4));
    options.allow_concurrent_memtable_write = numbers_.Below(2) == 0;
    options.enable_pipelined_write = numbers_.Below(2) == 0;
    options.recycle_log_file_num = numbers_.Below(3);
    // The second one's operands are never made one.
    EXPECT_TRUE(MergeOperator::CreateFromString(
                    ConfigOptions(), numbers_.Below(3) != 0 ? "stringappend" : "stringappendtest",
                    &options.merge_operator)
                    .ok());
    if (numbers_.Below(3) == 0) {
      options.enable_blob_files = true;
      options.min_blob_size = 60;
      options.blob_file_size = 128 << 10;
      options.enable_blob_garbage_collection = numbers_.Below(2) == 0;
      options.blob_garbage_collection_age_cutoff = 0.5;
    }
    if (numbers_.Below(3) == 0) {
      options.preclude_last_level_data_seconds = numbers_.Below(4);
      options.preserve_internal_time_seconds = numbers_.Below(6);
    }
    BlockBasedTableOptions table;
    table.block_cache = NewLRUCache((256 << 10) << numbers_.Below(6));
    table.block_size = 1024 << numbers_.Below(4);
    if (numbers_.Below(4) != 0) table.filter_policy.reset(NewBloomFilterPolicy(10));
    table.cache_index_and_filter_blocks = numbers_.Below(3) == 0;
    if (numbers_.Below(4) == 0) {
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = true;
      table.metadata_block_size = 512;
    }
    const PinningTier tiers[] = {PinningTier::kFallback, PinningTier::kNone,
                                 PinningTier::kFlushedAndSimilar, PinningTier::kAll};
    table.metadata_cache_options.top_level_index_pinning = tiers[numbers_.Below(4)];
    table.metadata_cache_options.partition_pinning = tiers[numbers_.Below(4)];
    table.metadata_cache_options.unpartitioned_pinning = tiers[numbers_.Below(4)];
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    if (numbers_.Below(3) == 0) {
      options.compression_opts.max_dict_bytes = 512u << numbers_.Below(5);
      options.compression_opts.zstd_max_train_bytes = numbers_.Below(2) == 0 ? 0 : 32 << 10;
      options.compression_opts.max_dict_buffer_bytes = numbers_.Below(2) == 0 ? 0 : 64 << 10;
    }
    if (numbers_.Below(3) == 0) {
      options.table_properties_collector_factories = {
          NewCompactOnDeletionCollectorFactory(128, 16 + numbers_.Below(64), 0.5)};
    }
    if (numbers_.Below(2) == 0) {
      options.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
    }
    return options;
  }

  // `run_all` runs the given function for each worker, concurrently.
  template <typename RunAll>
  void Rounds(int workers, const RunAll& run_all) {
    std::vector<std::unique_ptr<Worker>> clients;
    for (int i = 0; i < workers; ++i) clients.push_back(std::make_unique<Worker>(i, seed_));
    const uint64_t each = operations_ / kRounds / static_cast<uint64_t>(workers) + 1;
    for (int round = 0; round < kRounds; ++round) {
      SCOPED_TRACE("seed " + std::to_string(seed_) + ", round " + std::to_string(round));
      DB* raw = nullptr;
      const Status s = DB::Open(RandomOptions(), path_, &raw);
      ASSERT_TRUE(s.ok()) << s.ToString();
      std::unique_ptr<DB> db(raw);
      ASSERT_NO_FATAL_FAILURE(CompareAll(db.get(), clients));
      run_all(workers, [&](int i) { clients[static_cast<size_t>(i)]->Run(db.get(), each); });
      for (const auto& client : clients) ASSERT_EQ(client->failure(), "");
      ASSERT_NO_FATAL_FAILURE(CompareAll(db.get(), clients));
      if (db->GetDBOptions().file_checksum_gen_factory != nullptr) {
        const Status verified = db->VerifyFileChecksums(ReadOptions());
        ASSERT_TRUE(verified.ok()) << verified.ToString();
      }
      // Every other round leaves without Close: the destructor must do.
      if (round % 2 == 0) {
        ASSERT_TRUE(db->Close().ok());
      }
    }
  }

  static void CompareAll(DB* db, const std::vector<std::unique_ptr<Worker>>& clients) {
    std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
    it->SeekToFirst();
    for (const auto& client : clients) {
      for (const auto& [key, value] : client->model()) {
        ASSERT_TRUE(it->Valid()) << key << " " << it->status().ToString();
        ASSERT_EQ(it->key().ToString(), key);
        ASSERT_TRUE(it->value() == Slice(value)) << key;
        // An iterator takes the newest version wherever it lies; Get trusts the order of the
        // levels.
        std::string found;
        ASSERT_TRUE(db->Get(ReadOptions(), key, &found).ok()) << key;
        ASSERT_TRUE(found == value) << key;
        it->Next();
      }
    }
    ASSERT_FALSE(it->Valid()) << it->key().ToString();
    ASSERT_TRUE(it->status().ok()) << it->status().ToString();
  }

  const uint64_t seed_, operations_;
  Numbers numbers_;
  std::string path_;
};

TEST_F(ModelTest, OnThreads) {
  Rounds(8, [](int workers, const auto& run) { cairn_test::RunOnThreads(workers, run); });
}

TEST_F(ModelTest, OnFibers) {
  Rounds(24, [](int workers, const auto& run) { cairn_test::RunOnFibers(workers, run); });
}

// Both at once on one database.
TEST_F(ModelTest, OnThreadsAndFibers) {
  Rounds(12, [](int workers, const auto& run) {
    fiber::RuntimeOptions options;
    options.workers = 1;
    options.stack_size = 256 << 10;
    fiber::Runtime runtime(options);
    std::vector<fiber::JoinHandle> fibers;
    std::vector<std::unique_ptr<fiber::Thread>> threads;
    for (int i = 0; i < workers; ++i) {
      if (i % 4 == 0) {
        threads.push_back(std::make_unique<fiber::Thread>("model", [&run, i] { run(i); }));
      } else {
        fibers.push_back(runtime.spawn([&run, i] { run(i); }));
      }
    }
    for (auto& f : fibers) f.join();
    for (auto& thread : threads) thread->join();
  });
}

}  // namespace
