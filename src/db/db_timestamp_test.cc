// User-defined timestamps in a whole database, against a model that replays what was written; what
// the conformance tests show of single calls is not repeated here.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/internal_key.h"
#include "db/testing/db_fixture.h"
#include "db/testing/timestamps.h"
#include "fiber/random.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_writer.h"

namespace cairn::testing {
namespace {

uint64_t Number(const Slice& ts) {
  uint64_t number = 0;
  EXPECT_TRUE(DecodeU64Ts(ts, &number).ok());
  return number;
}

// What was written, in order. Timestamps never go back.
class History {
 public:
  enum class Kind { kPut, kDelete, kDeleteRange };
  struct Write {
    Kind kind;
    std::string key, value;  // of a range the end
    uint64_t ts;
  };

  void Add(Kind kind, const std::string& key, const std::string& value, uint64_t ts) {
    writes_.push_back({kind, key, value, ts});
  }
  size_t size() const { return writes_.size(); }

  // The keys that a reader at `ts` sees of the first `count` writes.
  std::map<std::string, std::string> At(uint64_t ts, size_t count) const {
    std::map<std::string, std::string> state;
    for (size_t i = 0; i < count; ++i) {
      const Write& write = writes_[i];
      if (write.ts > ts) break;
      if (write.kind == Kind::kPut) {
        state[write.key] = write.value;
      } else if (write.kind == Kind::kDelete) {
        state.erase(write.key);
      } else {
        state.erase(state.lower_bound(write.key), state.lower_bound(write.value));
      }
    }
    return state;
  }
  // What an iterator from `start` to `ts` shows: (key, timestamp descending) and the value, "-" of
  // a deletion. What a range deletion hides is not shown.
  std::vector<std::string> Versions(uint64_t start, uint64_t ts, size_t count) const {
    std::map<std::string, std::map<uint64_t, std::string, std::greater<>>> versions;
    for (size_t i = 0; i < count; ++i) {
      const Write& write = writes_[i];
      if (write.ts > ts) break;
      if (write.kind == Kind::kDeleteRange) {
        versions.erase(versions.lower_bound(write.key), versions.lower_bound(write.value));
      } else {
        versions[write.key][write.ts] = write.kind == Kind::kPut ? write.value : "-";
      }
    }
    std::vector<std::string> shown;
    for (const auto& [key, of_key] : versions) {
      for (const auto& [at, value] : of_key) {
        if (at < start) continue;
        shown.push_back(
            std::string(key).append("@").append(std::to_string(at)).append("=").append(value));
      }
    }
    return shown;
  }

 private:
  std::vector<Write> writes_;
};

class DbTimestampTest : public DbTest {
 protected:
  Options TimestampOptions(const Comparator* comparator = BytewiseComparatorWithU64Ts()) {
    Options options = SmallOptions();
    options.comparator = comparator;
    return options;
  }
  Status PutAt(const std::string& key, uint64_t ts, const std::string& value) {
    return db_->Put(WriteOptions(), key, Ts(ts), value);
  }
  // The value and its timestamp, "NOT_FOUND" with that of the deletion, or the error.
  std::string GetAt(const std::string& key, uint64_t ts) {
    const std::string stamp = Ts(ts);
    const Slice at(stamp);
    ReadOptions options;
    options.timestamp = &at;
    std::string value, found;
    const Status s = db_->Get(options, key, &value, &found);
    const std::string where = found.empty() ? "" : "@" + std::to_string(Number(found));
    if (s.IsNotFound()) return "NOT_FOUND" + where;
    return s.ok() ? value + where : s.ToString();
  }
  Status RaiseLow(uint64_t ts) {
    return db_->IncreaseFullHistoryTsLow(db_->DefaultColumnFamily(), Ts(ts));
  }
};

// --- A random history

class DbTimestampModelTest : public DbTimestampTest, public ::testing::WithParamInterface<int> {
 protected:
  static constexpr uint64_t kKeys = 24;

  Options RandomOptions(Random64* random, bool* reverse) {
    *reverse = random->Uniform(4) == 0;
    Options options = TimestampOptions(*reverse ? ReverseBytewiseComparatorWithU64Ts()
                                                : BytewiseComparatorWithU64Ts());
    BlockBasedTableOptions table;
    table.block_size = 1 + random->Uniform(3) * 200;  // a key's versions lie in several blocks
    if (random->Uniform(2) == 0) table.filter_policy.reset(NewBloomFilterPolicy(10));
    if (random->Uniform(2) == 0) {
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = table.filter_policy != nullptr;
      table.metadata_block_size = 1;
    }
    if (random->Uniform(2) == 0) {
      table.data_block_index_type = BlockBasedTableOptions::kDataBlockBinaryAndHash;
    }
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    if (random->Uniform(2) == 0) options.prefix_extractor.reset(NewFixedPrefixTransform(4));
    if (random->Uniform(2) == 0) options.memtable_prefix_bloom_size_ratio = 0.1;
    if (random->Uniform(3) == 0) options.memtable_whole_key_filtering = true;
    options.target_file_size_base = 4 << 10;
    options.max_sequential_skip_in_iterations = random->Uniform(2) == 0 ? 2 : 8;
    if (random->Uniform(3) == 0) options.compaction_style = kCompactionStyleUniversal;
    options.max_subcompactions = 1 + static_cast<uint32_t>(random->Uniform(3));
    if (random->Uniform(4) == 0) {
      options.enable_blob_files = true;
      options.min_blob_size = 20;
    }
    return options;
  }
  static std::string KeyOf(uint64_t i) { return (i % 2 == 0 ? "even" : "odd-") + Key(i); }

  void CheckGet(const History& history, uint64_t ts, size_t count, const Snapshot* snapshot);
  void CheckScan(const History& history, uint64_t ts, size_t count, const Snapshot* snapshot,
                 bool reverse);
  void CheckVersions(const History& history, uint64_t start, uint64_t ts, size_t count,
                     const Snapshot* snapshot, bool reverse);
};

void DbTimestampModelTest::CheckGet(const History& history, uint64_t ts, size_t count,
                                    const Snapshot* snapshot) {
  const auto expected = history.At(ts, count);
  const std::string stamp = Ts(ts);
  const Slice at(stamp);
  ReadOptions options;
  options.timestamp = &at;
  options.snapshot = snapshot;
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < kKeys; ++i) keys.push_back(KeyOf(i));
  for (const bool async : {false, true}) {
    options.async_io = async;
    std::vector<std::string> values, stamps;
    const std::vector<Slice> slices(keys.begin(), keys.end());
    const std::vector<Status> statuses = db_->MultiGet(options, slices, &values, &stamps);
    for (size_t i = 0; i < keys.size(); ++i) {
      const auto found = expected.find(keys[i]);
      ASSERT_EQ(found != expected.end() ? "OK" : "NotFound: ", statuses[i].ToString())
          << keys[i] << " at " << ts;
      if (found == expected.end()) continue;
      ASSERT_EQ(found->second, values[i]) << keys[i] << " at " << ts;
      ASSERT_LE(Number(stamps[i]), ts);
      std::string value;
      ASSERT_TRUE(db_->Get(options, keys[i], &value).ok());
      ASSERT_EQ(found->second, value);
    }
  }
}

void DbTimestampModelTest::CheckScan(const History& history, uint64_t ts, size_t count,
                                     const Snapshot* snapshot, bool reverse) {
  const auto expected = history.At(ts, count);
  const std::string stamp = Ts(ts);
  const Slice at(stamp);
  ReadOptions options;
  options.timestamp = &at;
  options.snapshot = snapshot;
  options.total_order_seek = true;
  std::vector<std::pair<std::string, std::string>> wanted(expected.begin(), expected.end());
  if (reverse) std::reverse(wanted.begin(), wanted.end());
  const std::unique_ptr<Iterator> it(db_->NewIterator(options));
  std::vector<std::pair<std::string, std::string>> found;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    found.emplace_back(it->key().ToString(), it->value().ToString());
    ASSERT_LE(Number(it->timestamp()), ts);
  }
  ASSERT_TRUE(it->status().ok()) << it->status().ToString();
  ASSERT_EQ(wanted, found) << "at " << ts;
  found.clear();
  for (it->SeekToLast(); it->Valid(); it->Prev()) {
    found.emplace_back(it->key().ToString(), it->value().ToString());
  }
  ASSERT_TRUE(it->status().ok()) << it->status().ToString();
  std::reverse(found.begin(), found.end());
  ASSERT_EQ(wanted, found) << "backward at " << ts;
  // Seeks, and a turn at each key.
  for (size_t i = 0; i < wanted.size(); ++i) {
    it->Seek(wanted[i].first);
    ASSERT_TRUE(it->Valid());
    ASSERT_EQ(wanted[i].second, it->value().ToString());
    it->Prev();
    ASSERT_EQ(i > 0, it->Valid());
    if (i == 0) continue;
    ASSERT_EQ(wanted[i - 1].first, it->key().ToString());
    it->Next();
    ASSERT_TRUE(it->Valid());
    ASSERT_EQ(wanted[i].first, it->key().ToString());
    it->SeekForPrev(wanted[i].first);
    ASSERT_TRUE(it->Valid());
    ASSERT_EQ(wanted[i].second, it->value().ToString());
  }
  if (wanted.size() < 3) return;
  // Between bounds.
  const Slice lower(wanted[1].first), upper(wanted.back().first);
  options.iterate_lower_bound = &lower;
  options.iterate_upper_bound = &upper;
  const std::unique_ptr<Iterator> bounded(db_->NewIterator(options));
  size_t shown = 0;
  for (bounded->SeekToFirst(); bounded->Valid(); bounded->Next()) ++shown;
  ASSERT_EQ(wanted.size() - 2, shown);
  for (bounded->SeekToLast(); bounded->Valid(); bounded->Prev()) --shown;
  ASSERT_EQ(0u, shown);
}

void DbTimestampModelTest::CheckVersions(const History& history, uint64_t start, uint64_t ts,
                                         size_t count, const Snapshot* snapshot, bool reverse) {
  if (reverse) return;  // (Within a key the order is the same, so that nothing more is to be seen.)
  const std::vector<std::string> expected = history.Versions(start, ts, count);
  const std::string stamp = Ts(ts), start_stamp = Ts(start);
  const Slice at(stamp), from(start_stamp);
  ReadOptions options;
  options.timestamp = &at;
  options.iter_start_ts = &from;
  options.snapshot = snapshot;
  options.total_order_seek = true;
  const std::unique_ptr<Iterator> it(db_->NewIterator(options));
  const auto show = [&] {
    const Slice key = it->key();
    const bool deleted = IsDeletionType(ExtractValueType(key));
    return StripTimestamp(ExtractUserKey(key), 8).ToString() + "@" +
           std::to_string(Number(it->timestamp())) + "=" + (deleted ? "-" : it->value().ToString());
  };
  std::vector<std::string> found;
  for (it->SeekToFirst(); it->Valid(); it->Next()) found.push_back(show());
  ASSERT_TRUE(it->status().ok()) << it->status().ToString();
  ASSERT_EQ(expected, found) << "from " << start << " to " << ts;
  found.clear();
  for (it->SeekToLast(); it->Valid(); it->Prev()) found.push_back(show());
  ASSERT_TRUE(it->status().ok()) << it->status().ToString();
  std::reverse(found.begin(), found.end());
  ASSERT_EQ(expected, found) << "backward from " << start << " to " << ts;
}

TEST_P(DbTimestampModelTest, WhatIsReadIsWhatWasWrittenUpToThen) {
  Random64 random(static_cast<uint64_t>(GetParam()));
  SCOPED_TRACE(SeedText(static_cast<uint64_t>(GetParam())));
  bool reverse = false;
  const Options options = RandomOptions(&random, &reverse);
  Open(options);
  History history;
  uint64_t now = 1;
  uint64_t low = 0;
  const Snapshot* snapshot = nullptr;
  size_t snapshot_count = 0;
  uint64_t snapshot_low = 0;
  const auto release = [&] {
    if (snapshot != nullptr) db_->ReleaseSnapshot(std::exchange(snapshot, nullptr));
  };
  for (int step = 0; step < 400; ++step) {
    const std::string key = KeyOf(random.Uniform(kKeys));
    if (random.Uniform(3) != 0) now += 1 + random.Uniform(3);
    switch (random.Uniform(16)) {
      default: {
        const std::string value = Value(random.Next(), random.Uniform(60));
        ASSERT_TRUE(PutAt(key, now, value).ok());
        history.Add(History::Kind::kPut, key, value, now);
        break;
      }
      case 0:
      case 1:
        ASSERT_TRUE(db_->Delete(WriteOptions(), key, Ts(now)).ok());
        history.Add(History::Kind::kDelete, key, "", now);
        break;
      case 2: {
        std::string begin = key, end = KeyOf(random.Uniform(kKeys));
        if ((begin < end) == reverse) std::swap(begin, end);
        ASSERT_TRUE(
            db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), begin, end, Ts(now)).ok());
        if (reverse) {
          // [begin, end) of the reverse order, in the model's.
          history.Add(History::Kind::kDeleteRange, end + '\0', begin + '\0', now);
        } else {
          history.Add(History::Kind::kDeleteRange, begin, end, now);
        }
        break;
      }
      case 3: {
        WriteBatch batch(0, 0, 0, 8);
        const std::string other = KeyOf(random.Uniform(kKeys));
        ASSERT_TRUE(batch.Put(key, "in a batch").ok());
        ASSERT_TRUE(batch.Delete(other).ok());
        ASSERT_TRUE(db_->Write(WriteOptions(), &batch).IsInvalidArgument());
        ASSERT_TRUE(batch.UpdateTimestamps(Ts(now), [](uint32_t) { return size_t{8}; }).ok());
        ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
        history.Add(History::Kind::kPut, key, "in a batch", now);
        history.Add(History::Kind::kDelete, other, "", now);
        break;
      }
      case 4:
        if (random.Uniform(2) == 0) Flush();
        break;
      case 5:
        if (random.Uniform(6) == 0) Compact();
        break;
      case 6:
        if (random.Uniform(8) != 0) break;
        release();
        if (random.Uniform(2) == 0) {
          Kill();
        } else {
          Close();
        }
        Open(options);
        break;
      case 7:
        if (random.Uniform(4) != 0 || now <= low) break;
        low += random.Uniform(now - low) + (random.Uniform(4) == 0 ? 1 : 0);
        ASSERT_TRUE(RaiseLow(low).ok());
        if (low > 1) {
          ASSERT_TRUE(RaiseLow(low - 1).IsInvalidArgument());
        }
        break;
      case 8:
        release();
        snapshot = db_->GetSnapshot();
        snapshot_count = history.size();
        snapshot_low = low;
        break;
      case 9: {
        const uint64_t ts = low + random.Uniform(now - std::min(low, now) + 3);
        ASSERT_NO_FATAL_FAILURE(CheckGet(history, ts, history.size(), nullptr));
        ASSERT_NO_FATAL_FAILURE(CheckScan(history, ts, history.size(), nullptr, reverse));
        if (snapshot != nullptr) {
          const uint64_t at = std::max(low, snapshot_low) + random.Uniform(5);
          ASSERT_NO_FATAL_FAILURE(CheckGet(history, at, snapshot_count, snapshot));
          ASSERT_NO_FATAL_FAILURE(CheckScan(history, at, snapshot_count, snapshot, reverse));
        }
        break;
      }
      case 10: {
        const uint64_t start = low + random.Uniform(now - std::min(low, now) + 1);
        ASSERT_NO_FATAL_FAILURE(CheckVersions(history, start, start + random.Uniform(20),
                                              history.size(), nullptr, reverse));
        break;
      }
      case 11:
        if (low == 0) break;
        ASSERT_NE(std::string::npos, GetAt(key, low - 1).find("full_history_ts_low"));
        break;
    }
  }
  Compact();
  for (uint64_t ts = low; ts <= now + 1; ++ts) {
    ASSERT_NO_FATAL_FAILURE(CheckGet(history, ts, history.size(), nullptr));
    ASSERT_NO_FATAL_FAILURE(CheckScan(history, ts, history.size(), nullptr, reverse));
  }
  ASSERT_NO_FATAL_FAILURE(CheckVersions(history, low, now, history.size(), nullptr, reverse));
  release();
}

INSTANTIATE_TEST_SUITE_P(Seeds, DbTimestampModelTest, ::testing::Range(1, 41));

// --- Single cases

TEST_F(DbTimestampTest, WhatNobodyMayReadIsDropped) {
  Options options = TimestampOptions();
  options.disable_auto_compactions = true;
  Open(options);
  for (uint64_t ts = 1; ts <= 10; ++ts) ASSERT_TRUE(PutAt("k", ts, std::to_string(ts)).ok());
  ASSERT_TRUE(db_->Delete(WriteOptions(), "gone", Ts(3)).ok());
  Compact();
  const auto entries = [this] {
    TablePropertiesCollection tables;
    EXPECT_TRUE(db_->GetPropertiesOfAllTables(&tables).ok());
    uint64_t count = 0;
    for (const auto& [name, properties] : tables) count += properties->num_entries;
    return count;
  };
  EXPECT_EQ(11u, entries());  // each version can be read
  CompactRangeOptions collapse;
  collapse.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  const std::string stamp = Ts(6);
  const Slice low(stamp);
  collapse.full_history_ts_low = &low;
  ASSERT_TRUE(db_->CompactRange(collapse, nullptr, nullptr).ok());
  EXPECT_EQ(6u, entries());  // 5 to 10: a reader at 6 sees no older one than 5 in place of 6
  for (uint64_t ts = 6; ts <= 10; ++ts) {
    EXPECT_EQ(std::to_string(ts) + "@" + std::to_string(ts), GetAt("k", ts));
  }
  std::string got;
  ASSERT_TRUE(db_->GetFullHistoryTsLow(db_->DefaultColumnFamily(), &got).ok());
  EXPECT_EQ(Ts(6), got);
  Close();
  Open(options);  // the mark is kept
  EXPECT_NE(std::string::npos, GetAt("k", 5).find("full_history_ts_low"));
  ASSERT_TRUE(db_->GetFullHistoryTsLow(db_->DefaultColumnFamily(), &got).ok());
  EXPECT_EQ(Ts(6), got);
}

// The newest version below the mark is what a reader at the mark sees.
TEST_F(DbTimestampTest, TheNewestVersionBelowTheMarkStays) {
  Open(TimestampOptions());
  ASSERT_TRUE(PutAt("k", 3, "three").ok());
  ASSERT_TRUE(PutAt("k", 4, "four").ok());
  ASSERT_TRUE(PutAt("k", 9, "nine").ok());
  ASSERT_TRUE(RaiseLow(7).ok());
  Flush();
  EXPECT_EQ("four@4", GetAt("k", 7));
  CompactRangeOptions force;
  force.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  ASSERT_TRUE(db_->CompactRange(force, nullptr, nullptr).ok());
  // At the bottom it lost its timestamp, as in RocksDB.
  EXPECT_EQ("four@0", GetAt("k", 8));
  EXPECT_EQ("nine@9", GetAt("k", 9));
}

// The operand is in memory, what it is merged over is not: MultiGet goes on where it stopped.
TEST_F(DbTimestampTest, AMergedValueHasTheTimestampOfItsNewestOperand) {
  Options options = TimestampOptions();
  options.disable_auto_compactions = true;
  ASSERT_TRUE(
      MergeOperator::CreateFromString(ConfigOptions(), "stringappend", &options.merge_operator)
          .ok());
  Open(options);
  ASSERT_TRUE(PutAt("k", 1, "base").ok());
  Flush();
  ASSERT_TRUE(db_->Merge(WriteOptions(), db_->DefaultColumnFamily(), "k", Ts(5), "more").ok());
  ASSERT_TRUE(PutAt("j", 6, "beside").ok());
  Flush();
  Close();
  BlockBasedTableOptions table;
  table.block_cache = NewLRUCache(1 << 20);
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  Open(options);
  EXPECT_EQ("beside@6", GetAt("j", 9));
  const std::string stamp = Ts(9);
  const Slice at(stamp);
  ReadOptions reading;
  reading.timestamp = &at;
  std::vector<std::string> values, stamps;
  const std::vector<Status> statuses = db_->MultiGet(reading, {"j", "k"}, &values, &stamps);
  ASSERT_TRUE(statuses[1].ok());
  EXPECT_EQ("base,more", values[1]);
  EXPECT_EQ(6u, Number(stamps[0]));
  EXPECT_EQ(5u, Number(stamps[1]));
  EXPECT_EQ("base,more@5", GetAt("k", 9));
}

TEST_F(DbTimestampTest, ADamagedKeyIsAnErrorNotACrash) {
  Open(TimestampOptions());
  WriteBatch batch(0, 0, 0, 8);
  ASSERT_TRUE(batch.Put(db_->DefaultColumnFamily(), "key", Ts(1), "value").ok());
  std::string raw = batch.Data();
  // key length 11 -> 3: a key that is too short for a timestamp, and a value of its rest.
  WriteBatch plain;
  ASSERT_TRUE(plain.Put("key", "value").ok());
  EXPECT_TRUE(db_->Write(WriteOptions(), &plain).IsInvalidArgument());
  WriteBatch unknown(plain.Data());
  EXPECT_TRUE(db_->Write(WriteOptions(), &unknown).IsInvalidArgument());
  ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  EXPECT_EQ("value@1", GetAt("key", 1));
}

TEST_F(DbTimestampTest, FamiliesWithAndWithout) {
  Open(SmallOptions());
  ColumnFamilyHandle* stamped = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(TimestampOptions(), "stamped", &stamped).ok());
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("plain", "p").ok());
  ASSERT_TRUE(batch.Put(stamped, "k", Ts(5), "v").ok());
  ASSERT_TRUE(batch.Put(stamped, "in place", "w").ok());
  EXPECT_TRUE(db_->Write(WriteOptions(), &batch).IsInvalidArgument());
  ASSERT_TRUE(
      batch
          .UpdateTimestamps(
              Ts(7), [&](uint32_t id) { return id == stamped->GetID() ? size_t{8} : size_t{0}; })
          .ok());
  ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  EXPECT_EQ("p", Get("plain"));
  EXPECT_TRUE(db_->Put(WriteOptions(), stamped, "k", "v").IsInvalidArgument());
  EXPECT_TRUE(db_->Put(WriteOptions(), "plain", Ts(1), "v").IsInvalidArgument());
  const std::string stamp = Ts(7);
  const Slice at(stamp);
  ReadOptions options;
  options.timestamp = &at;
  std::string value, ts;
  ASSERT_TRUE(db_->Get(options, stamped, "k", &value, &ts).ok());
  EXPECT_EQ(7u, Number(ts));
  EXPECT_TRUE(db_->Get(options, "plain", &value).IsInvalidArgument());
  EXPECT_TRUE(db_->Get(ReadOptions(), stamped, "k", &value).IsInvalidArgument());
  delete stamped;
  // The log says the size: another comparator does not take its keys for its own.
  Kill();
  std::vector<ColumnFamilyHandle*> handles;
  Options eight = TimestampOptions();
  ASSERT_TRUE(DB::Open(SmallOptions(), kDbName,
                       {{kDefaultColumnFamilyName, SmallOptions()}, {"stamped", eight}}, &handles,
                       &db_)
                  .ok());
  ASSERT_TRUE(db_->Get(options, handles[1], "in place", &value, &ts).ok());
  EXPECT_EQ("w", value);
  for (ColumnFamilyHandle* handle : handles) delete handle;
}

TEST_F(DbTimestampTest, IngestedFilesHaveTheirTimestamps) {
  const Options options = TimestampOptions();
  Open(options);
  ASSERT_TRUE(PutAt("b", 1, "beside").ok());
  SstFileWriter writer(EnvOptions(), options);
  ASSERT_TRUE(writer.Open("/outside.sst").ok());
  EXPECT_TRUE(writer.Put("c", "v").IsInvalidArgument());
  ASSERT_TRUE(writer.Put("c", Ts(5), "five").ok());
  EXPECT_TRUE(writer.Put("c", Ts(6), "six").IsInvalidArgument());
  ASSERT_TRUE(writer.Put("c", Ts(4), "four").ok());
  ASSERT_TRUE(writer.Delete("d", Ts(4)).ok());
  ASSERT_TRUE(writer.DeleteRange("x", "z", Ts(4)).ok());
  ASSERT_TRUE(writer.Finish().ok());
  ASSERT_TRUE(PutAt("zz", 2, "beside").ok());
  ASSERT_TRUE(db_->IngestExternalFile({"/outside.sst"}, IngestExternalFileOptions()).ok());
  EXPECT_EQ("five@5", GetAt("c", 9));
  EXPECT_EQ("four@4", GetAt("c", 4));
  EXPECT_EQ("NOT_FOUND", GetAt("c", 3));
  EXPECT_EQ("NOT_FOUND@4", GetAt("d", 9));
  ASSERT_TRUE(PutAt("y", 6, "later").ok());
  EXPECT_EQ("NOT_FOUND", GetAt("y", 5));
  EXPECT_EQ("later@6", GetAt("y", 9));
}

// Its timestamps may be older than those that are there, and its sequence number would be larger.
TEST_F(DbTimestampTest, AFileOfKeysThatAreThereIsNotIngested) {
  for (const CompactionStyle style :
       {kCompactionStyleLevel, kCompactionStyleUniversal, kCompactionStyleFIFO}) {
    SCOPED_TRACE(static_cast<int>(style));
    Options options = TimestampOptions();
    options.compaction_style = style;
    Open(options);
    const auto write = [&](const std::string& path, const std::vector<std::string>& keys) {
      SstFileWriter writer(EnvOptions(), options);
      ASSERT_TRUE(writer.Open(path).ok());
      for (const std::string& key : keys) ASSERT_TRUE(writer.Put(key, Ts(5), "outside").ok());
      ASSERT_TRUE(writer.Finish().ok());
    };
    const auto ingest = [&](const std::vector<std::string>& paths) {
      return db_->IngestExternalFile(paths, IngestExternalFileOptions()).ToString();
    };
    write("/a-c.sst", {"a", "c"});
    write("/b.sst", {"b"});
    write("/c-d.sst", {"c", "d"});
    write("/e.sst", {"e"});
    ASSERT_TRUE(PutAt("b", 7, "here").ok());
    for (int round = 0; round < 3; ++round) {
      SCOPED_TRACE(round);
      // (The range counts: nobody looks at each key.)
      for (const char* path : {"/a-c.sst", "/b.sst"}) {
        EXPECT_NE(std::string::npos, ingest({path}).find("does not overlap with key range"));
      }
      const Snapshot* const snapshot = db_->GetSnapshot();
      EXPECT_NE(std::string::npos, ingest({"/b.sst"}).find("does not overlap with key range"));
      db_->ReleaseSnapshot(snapshot);
      EXPECT_EQ("here@7", GetAt("b", 9));
      EXPECT_EQ("NOT_FOUND", GetAt("a", 9));
      if (round == 0) Flush();
      if (round == 1) Compact();
    }
    EXPECT_NE(std::string::npos, ingest({"/c-d.sst", "/a-c.sst"}).find("Not implemented"));
    EXPECT_EQ("OK", ingest({"/c-d.sst", "/e.sst"}));
    EXPECT_EQ("outside@5", GetAt("c", 9));
    EXPECT_EQ("outside@5", GetAt("e", 9));
    Close();
    ASSERT_TRUE(DestroyDB(kDbName, options).ok());
  }
}

}  // namespace
}  // namespace cairn::testing
