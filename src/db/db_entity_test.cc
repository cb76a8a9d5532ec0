// Wide columns in a whole database: what RocksDB 7.8.3, against which the conformance tests run,
// does not have yet (merges over entities, MultiGetEntity, attribute groups, FilterV3), damaged
// entities, and the ways into a database.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/wide_column_serialization.h"
#include "batch/write_batch_internal.h"
#include "db/testing/db_fixture.h"
#include "fiber/random.h"
#include "rocksdb/attribute_groups.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/convenience.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/statistics.h"
#include "rocksdb/wide_columns.h"

namespace cairn::testing {
namespace {

// The existing value ("none"), and "+operand" for each; fails on the operand "bad".
class Append : public MergeOperator {
 public:
  const char* Name() const override { return "EntityAppend"; }
  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override {
    out->new_value = in.existing_value == nullptr ? "none" : in.existing_value->ToString();
    for (const Slice& operand : in.operand_list) {
      if (operand == "bad") return false;
      out->new_value += "+" + operand.ToString();
    }
    return true;
  }
};

class DbEntityTest : public DbTest {
 protected:
  Options EntityOptions() {
    Options options = SmallOptions();
    options.disable_auto_compactions = true;
    options.merge_operator = std::make_shared<Append>();
    return options;
  }
  void PutEntity(const std::string& key, const WideColumns& columns) {
    const Status s = db_->PutEntity(WriteOptions(), db_->DefaultColumnFamily(), key, columns);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void Merge(const std::string& key, const std::string& operand) {
    const Status s = db_->Merge(WriteOptions(), key, operand);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  // An entry whose value claims to be an entity.
  void PutRaw(const std::string& key, const std::string& bytes) {
    WriteBatch batch;
    const Slice key_slice(key), value(bytes);
    const SliceParts value_parts(&value, 1);
    ASSERT_TRUE(WriteBatchInternal::AppendRecord(&batch, kTypeWideColumnEntity, 0,
                                                 SliceParts(&key_slice, 1), &value_parts)
                    .ok());
    const Status s = db_->Write(WriteOptions(), &batch);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  std::string EntityOf(DB* db, const std::string& key, const ReadOptions& options = {}) {
    PinnableWideColumns columns;
    const Status s = db->GetEntity(options, db->DefaultColumnFamily(), key, &columns);
    if (s.IsNotFound()) return "NOT_FOUND";
    return s.ok() ? Text(columns.columns()) : s.ToString();
  }
  std::string Entity(const std::string& key, const Snapshot* snapshot = nullptr) {
    ReadOptions options;
    options.snapshot = snapshot;
    return EntityOf(db_.get(), key, options);
  }
  // "key(value)[columns] ...", the same in both directions.
  std::string Shown(DB* db) {
    std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
    return Shown(it.get());
  }
  std::string Shown(Iterator* it) {
    std::string forward, backward;
    const auto entry = [&] {
      return it->key().ToString() + "(" + it->value().ToString() + ")[" + Text(it->columns()) +
             "] ";
    };
    for (it->SeekToFirst(); it->Valid(); it->Next()) forward += entry();
    EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    for (it->SeekToLast(); it->Valid(); it->Prev()) backward = entry() + backward;
    EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    EXPECT_EQ(forward, backward);
    return forward;
  }
  std::string Shown() { return Shown(db_.get()); }
};

TEST_F(DbEntityTest, MergesChangeTheDefaultColumn) {
  Open(EntityOptions());
  PutEntity("a", {{"", "v"}, {"other", "w"}});
  PutEntity("b", {{"other", "w"}});
  PutEntity("c", {{"", "v"}});
  PutEntity("d", {});
  std::string all;
  for (int round = 0; round < 3; ++round) {
    const std::string operand = std::to_string(round);
    all += "+" + operand;
    for (const char* key : {"a", "b", "c", "d", "e"}) Merge(key, operand);
    for (int flushed = 0; flushed < 2; ++flushed) {
      EXPECT_EQ(Get("a"), "v" + all);
      EXPECT_EQ(Get("b"), all);
      EXPECT_EQ(Entity("a"), ":v" + all + ",other:w");
      EXPECT_EQ(Entity("b"), ":" + all + ",other:w");
      EXPECT_EQ(Entity("c"), ":v" + all);
      EXPECT_EQ(Entity("d"), ":" + all);
      EXPECT_EQ(Entity("e"), ":none" + all);
      EXPECT_EQ(Shown(), "a(v" + all + ")[:v" + all + ",other:w] b(" + all + ")[:" + all +
                             ",other:w] c(v" + all + ")[:v" + all + "] d(" + all + ")[:" + all +
                             "] e(none" + all + ")[:none" + all + "] ");
      Flush();
    }
    if (round == 1) Compact();
  }
  Compact();
  EXPECT_EQ(Entity("a"), ":v+0+1+2,other:w");
  EXPECT_EQ(Entity("e"), ":none+0+1+2");
}

TEST_F(DbEntityTest, MergesAtSnapshotsStandOnTheirEntity) {
  Open(EntityOptions());
  PutEntity("k", {{"", "1"}, {"c", "1"}});
  Merge("k", "a");
  const Snapshot* const first = db_->GetSnapshot();
  PutEntity("k", {{"", "2"}});
  Merge("k", "b");
  const Snapshot* const second = db_->GetSnapshot();
  ASSERT_TRUE(db_->Delete(WriteOptions(), "k").ok());
  Merge("k", "c");
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(Entity("k", first), ":1+a,c:1");
    EXPECT_EQ(Entity("k", second), ":2+b");
    EXPECT_EQ(Entity("k"), ":none+c");
    Flush();
    Compact();
  }
  db_->ReleaseSnapshot(first);
  db_->ReleaseSnapshot(second);
}

TEST_F(DbEntityTest, MergeOperandsBeginWithTheDefaultColumn) {
  for (const bool flushed : {false, true}) {
    Options options = EntityOptions();
    options.merge_operator = nullptr;  // a flush merges nothing
    Open(options);
    PutEntity("a", {{"", "v"}, {"x", "y"}});
    PutEntity("b", {{"x", "y"}});
    if (flushed) Flush();
    for (const char* key : {"a", "b"}) {
      WriteBatch batch;
      ASSERT_TRUE(batch.Merge(key, "1").ok());
      Open(EntityOptions());
      ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
      PinnableSlice found[3];
      GetMergeOperandsOptions operand_options;
      operand_options.expected_max_number_of_operands = 3;
      int count = 0;
      ASSERT_TRUE(db_->GetMergeOperands(ReadOptions(), db_->DefaultColumnFamily(), key, found,
                                        &operand_options, &count)
                      .ok());
      ASSERT_EQ(count, 2);
      EXPECT_EQ(found[0].ToString(), key == std::string("a") ? "v" : "");
      EXPECT_EQ(found[1].ToString(), "1");
    }
    db_.reset();
    ASSERT_TRUE(DestroyDB(kDbName, options).ok());
  }
}

TEST_F(DbEntityTest, RunsOfOperandsAreFoldedIntoTheEntity) {
  Options options = EntityOptions();
  options.max_successive_merges = 2;
  Open(options);
  PutEntity("k", {{"", "v"}, {"c", "d"}});
  for (int i = 0; i < 5; ++i) Merge("k", std::to_string(i));
  EXPECT_EQ(Entity("k"), ":v+0+1+2+3+4,c:d");
  EXPECT_EQ(Get("k"), "v+0+1+2+3+4");
  Open(options);
  EXPECT_EQ(Entity("k"), ":v+0+1+2+3+4,c:d");
}

TEST_F(DbEntityTest, AFailedMergeIsTheReadersError) {
  Open(EntityOptions());
  PutEntity("k", {{"", "v"}, {"c", "d"}});
  Merge("k", "bad");
  EXPECT_EQ(Entity("k"), "Corruption: Merge operator failed");
  EXPECT_EQ(Get("k"), "Corruption: Merge operator failed");
}

TEST_F(DbEntityTest, ManyAreReadAtOnce) {
  Open(EntityOptions());
  for (uint64_t i = 0; i < 300; ++i) {
    const std::string value = Value(i, 40);
    if (i % 3 == 0) {
      Put(Key(i), value);
    } else {
      PutEntity(Key(i), {{"", value}, {"n", std::to_string(i)}});
    }
    if (i % 100 == 99) Flush();
  }
  for (uint64_t i = 0; i < 300; i += 7) Merge(Key(i), "m");
  for (const bool flushed : {false, true}) {
    if (flushed) Flush();
    for (const int way : {0, 1, 2}) {
      Open(EntityOptions());  // cold
      ReadOptions options;
      options.async_io = way > 0;
      options.optimize_multiget_for_io = way > 1;
      std::vector<std::string> keys;
      for (uint64_t i = 0; i < 310; i += 2) keys.push_back(Key(i));
      const std::vector<Slice> slices(keys.begin(), keys.end());
      std::vector<PinnableWideColumns> results(keys.size());
      std::vector<Status> statuses(keys.size());
      results[0].SetPlainValue(Slice("of before"));
      db_->MultiGetEntity(options, db_->DefaultColumnFamily(), keys.size(), slices.data(),
                          results.data(), statuses.data());
      for (size_t k = 0; k < keys.size(); ++k) {
        const uint64_t i = 2 * k;
        if (i >= 300) {
          ASSERT_TRUE(statuses[k].IsNotFound());
          ASSERT_TRUE(results[k].columns().empty());
          continue;
        }
        ASSERT_TRUE(statuses[k].ok()) << statuses[k].ToString();
        const std::string expected = ":" + Value(i, 40) + (i % 7 == 0 ? "+m" : "") +
                                     (i % 3 == 0 ? "" : ",n:" + std::to_string(i));
        ASSERT_EQ(Text(results[k].columns()), expected) << way;
        ASSERT_EQ(EntityOf(db_.get(), keys[k], options), expected);
      }
      std::vector<std::string> values;
      for (const Status& s : db_->MultiGet(options, {slices[0], slices[1]}, &values)) {
        EXPECT_TRUE(s.ok());
      }
      EXPECT_EQ(values[1], Value(2, 40));
    }
  }
}

TEST_F(DbEntityTest, AttributeGroupsAreOneEntityInEachFamily) {
  Open(EntityOptions());
  ColumnFamilyHandle* other = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(EntityOptions(), "other", &other).ok());
  ColumnFamilyHandle* const one = db_->DefaultColumnFamily();
  EXPECT_TRUE(db_->PutEntity(WriteOptions(), "k", AttributeGroups()).IsInvalidArgument());
  EXPECT_TRUE(db_->PutEntity(WriteOptions(), "k", {AttributeGroup(nullptr, {{"a", "1"}})})
                  .IsInvalidArgument());
  ASSERT_TRUE(
      db_->PutEntity(WriteOptions(), "k",
                     {AttributeGroup(one, {{"a", "1"}}), AttributeGroup(other, {{"b", "2"}})})
          .ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), other, "l", "v").ok());
  PinnableAttributeGroups found;
  found.emplace_back(other);
  found.emplace_back(one);
  ASSERT_TRUE(db_->GetEntity(ReadOptions(), "k", &found).ok());
  EXPECT_EQ(Text(found[0].columns()), "b:2");
  EXPECT_EQ(Text(found[1].columns()), "a:1");
  ASSERT_TRUE(db_->GetEntity(ReadOptions(), "l", &found).ok());
  EXPECT_EQ(Text(found[0].columns()), ":v");
  EXPECT_TRUE(found[1].status().IsNotFound());
  EXPECT_TRUE(found[1].columns().empty());

  PinnableAttributeGroups several[2];
  several[0].emplace_back(one);
  several[1].emplace_back(one);
  several[1].emplace_back(other);
  const Slice keys[] = {"k", "l"};
  db_->MultiGetEntity(ReadOptions(), 2, keys, several);
  EXPECT_EQ(Text(several[0][0].columns()), "a:1");
  EXPECT_TRUE(several[1][0].status().IsNotFound());
  EXPECT_EQ(Text(several[1][1].columns()), ":v");

  ColumnFamilyHandle* families[] = {other, one};
  PinnableWideColumns results[2];
  Status statuses[2];
  const Slice same[] = {"k", "k"};
  db_->MultiGetEntity(ReadOptions(), 2, families, same, results, statuses);
  EXPECT_EQ(Text(results[0].columns()), "b:2");
  EXPECT_EQ(Text(results[1].columns()), "a:1");

  found.emplace_back(nullptr);
  EXPECT_TRUE(db_->GetEntity(ReadOptions(), "k", &found).IsInvalidArgument());
  EXPECT_TRUE(found[0].status().IsIncomplete());
  EXPECT_TRUE(found[2].status().IsInvalidArgument());
  delete other;
}

TEST_F(DbEntityTest, ADamagedOneIsAnErrorOfItsReadersAlone) {
  Open(EntityOptions());
  Put("a", "1");
  PutRaw("b", "no entity");
  PutEntity("c", {{"x", "2"}});
  PutRaw("d", "\x02\x01");
  const std::string hex = Slice("b").ToString(true);
  for (int round = 0; round < 3; ++round) {
    for (const std::string& found : {Get("b"), Entity("b")}) {
      EXPECT_TRUE(found.find("of key " + hex) != std::string::npos) << found;
    }
    EXPECT_TRUE(Get("d").starts_with("Not implemented")) << Get("d");
    PinnableWideColumns columns;
    columns.SetPlainValue(Slice("before"));
    EXPECT_FALSE(db_->GetEntity(ReadOptions(), db_->DefaultColumnFamily(), "b", &columns).ok());
    EXPECT_TRUE(columns.columns().empty());
    EXPECT_EQ(Get("a"), "1");
    EXPECT_EQ(Entity("c"), "x:2");
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->SeekToFirst();
    ASSERT_TRUE(it->Valid());
    it->Next();
    EXPECT_FALSE(it->Valid());
    EXPECT_FALSE(it->status().ok());
    it->Seek("c");
    ASSERT_TRUE(it->Valid()) << "it goes on behind";
    EXPECT_EQ(Text(it->columns()), "x:2");
    it->Prev();
    EXPECT_FALSE(it->Valid());
    EXPECT_FALSE(it->status().ok());
    it->SeekToFirst();
    EXPECT_TRUE(it->Valid());
    EXPECT_EQ(Text(it->columns()), ":1");
    it.reset();
    // What nobody asks for its columns is carried as it is.
    round == 0 ? Flush() : Compact();
  }
}

TEST_F(DbEntityTest, AllMemtablesHoldThem) {
  for (int kind = 0; kind < 3; ++kind) {
    Options options = EntityOptions();
    if (kind == 1) {
      options.memtable_factory = std::make_shared<VectorRepFactory>();
      options.allow_concurrent_memtable_write = false;
    } else if (kind == 2) {
      options.prefix_extractor.reset(NewFixedPrefixTransform(1));
      options.memtable_factory.reset(NewHashSkipListRepFactory(16));
      options.allow_concurrent_memtable_write = false;
    }
    Open(options);
    PutEntity("a", {{"", "v"}, {"x", "y"}});
    PutEntity("b", {{"x", "y"}});
    Merge("b", "1");
    EXPECT_EQ(Get("a"), "v");
    EXPECT_EQ(Entity("a"), ":v,x:y");
    EXPECT_EQ(Entity("b"), ":+1,x:y");
    db_.reset();
    ASSERT_TRUE(DestroyDB(kDbName, options).ok());
  }
}

TEST_F(DbEntityTest, ReadOnlyAndSecondaryDatabasesReadThem) {
  Open(EntityOptions());
  PutEntity("a", {{"", "v"}, {"x", "y"}});
  Flush();
  PutEntity("b", {{"x", "y"}});
  Merge("a", "1");
  const std::string expected = "a(v+1)[:v+1,x:y] b()[x:y] ";
  std::unique_ptr<DB> secondary;
  ASSERT_TRUE(DB::OpenAsSecondary(EntityOptions(), kDbName, "/secondary", &secondary).ok());
  EXPECT_EQ(Shown(secondary.get()), expected);
  PutEntity("c", {{"", "later"}});
  ASSERT_TRUE(secondary->TryCatchUpWithPrimary().ok());
  EXPECT_EQ(EntityOf(secondary.get(), "c"), ":later");
  EXPECT_TRUE(secondary->PutEntity(WriteOptions(), secondary->DefaultColumnFamily(), "d", {})
                  .IsNotSupported());
  secondary.reset();
  ASSERT_TRUE(TryOpenReadOnly(EntityOptions()).ok());
  EXPECT_EQ(Shown(), expected + "c(later)[:later] ");
  EXPECT_EQ(Entity("a"), ":v+1,x:y");
}

TEST_F(DbEntityTest, FilesFromOutsideBringThem) {
  Open(EntityOptions());
  PutEntity("b", {{"old", "1"}});
  SstFileWriter writer(EnvOptions(), EntityOptions());
  EXPECT_TRUE(writer.PutEntity("a", {}).IsInvalidArgument()) << "no file";
  ASSERT_TRUE(writer.Open("/outside.sst").ok());
  ASSERT_TRUE(writer.PutEntity("a", {{"y", "2"}, {"", "1"}}).ok());
  EXPECT_TRUE(writer.PutEntity("aa", {{"y", "2"}, {"y", "1"}}).IsCorruption());
  ASSERT_TRUE(writer.PutEntity("b", {{"new", "1"}}).ok());
  EXPECT_TRUE(writer.PutEntity("b", {{"new", "1"}}).IsInvalidArgument()) << "out of order";
  ASSERT_TRUE(writer.Put("c", "plain").ok());
  ASSERT_TRUE(writer.Finish().ok());
  const std::string expected = "a(1)[:1,y:2] b()[new:1] c(plain)[:plain] ";
  SstFileReader reader(EntityOptions());
  ASSERT_TRUE(reader.Open("/outside.sst").ok());
  std::unique_ptr<Iterator> it(reader.NewIterator(ReadOptions()));
  EXPECT_EQ(Shown(it.get()), expected);
  it.reset();
  ASSERT_TRUE(db_->IngestExternalFile({"/outside.sst"}, IngestExternalFileOptions()).ok());
  EXPECT_EQ(Shown(), expected);
  EXPECT_EQ(Get("b"), "");
  Merge("b", "1");
  Compact();
  EXPECT_EQ(Entity("b"), ":+1,new:1");
}

TEST_F(DbEntityTest, MemoryAloneKnowsWhatItHas) {
  Open(EntityOptions());
  PutEntity("k", {{"", "v"}, {"x", std::string(200, 'y')}});
  Flush();
  Open(EntityOptions());
  ReadOptions cached;
  cached.read_tier = kBlockCacheTier;
  PinnableWideColumns columns;
  EXPECT_TRUE(db_->GetEntity(cached, db_->DefaultColumnFamily(), "k", &columns).IsIncomplete());
  EXPECT_EQ(Get("k"), "v");
  ASSERT_TRUE(db_->GetEntity(cached, db_->DefaultColumnFamily(), "k", &columns).ok());
  EXPECT_EQ(columns.columns().size(), 2u);
  std::string value;
  bool found = false;
  EXPECT_TRUE(db_->KeyMayExist(cached, "k", &value, &found));
  EXPECT_TRUE(found);
  EXPECT_EQ(value, "v");
  PinnableSlice pinned;
  ASSERT_TRUE(db_->Get(ReadOptions(), db_->DefaultColumnFamily(), "k", &pinned).ok());
  EXPECT_TRUE(pinned.IsPinned()) << "no copy is made of a default column";
  EXPECT_EQ(pinned, "v");
}

TEST_F(DbEntityTest, ReadsAreCounted) {
  Options options = EntityOptions();
  options.statistics = CreateDBStatistics();
  Open(options);
  PutEntity("k", {{"", "v"}});
  EXPECT_EQ(Entity("k"), ":v");
  EXPECT_EQ(options.statistics->getTickerCount(NUMBER_KEYS_READ), 1u);
  const Slice key("k");
  PinnableWideColumns columns;
  Status s;
  db_->MultiGetEntity(ReadOptions(), db_->DefaultColumnFamily(), 1, &key, &columns, &s);
  EXPECT_EQ(options.statistics->getTickerCount(NUMBER_MULTIGET_KEYS_FOUND), 1u);
}

// By the key's first letter.
class ByLetter : public CompactionFilter {
 public:
  const char* Name() const override { return "ByLetter"; }
  Decision FilterV3(int /*level*/, const Slice& key, ValueType type, const Slice* value,
                    const WideColumns* columns, std::string* new_value,
                    std::vector<std::pair<std::string, std::string>>* new_columns,
                    std::string* skip_until) const override {
    EXPECT_EQ(value == nullptr, type == ValueType::kWideColumnEntity);
    EXPECT_EQ(columns != nullptr, type == ValueType::kWideColumnEntity);
    switch (key[0]) {
      case 'r':
        return Decision::kRemove;
      case 'p':
        return Decision::kPurge;
      case 'v':
        *new_value = columns != nullptr ? Text(*columns) : "was " + value->ToString();
        return Decision::kChangeValue;
      case 'e':
        *new_columns = {{"z", "1"}, {"", columns != nullptr ? "entity" : "value"}};
        return Decision::kChangeWideColumnEntity;
      case 'd':
        *new_columns = {{"z", "1"}, {"z", "2"}};
        return Decision::kChangeWideColumnEntity;
      case 's':
        *skip_until = "t";
        return Decision::kRemoveAndSkipUntil;
      default:
        return Decision::kKeep;
    }
  }
};

TEST_F(DbEntityTest, FilterV3SeesAndMakesThem) {
  const ByLetter filter;
  Options options = EntityOptions();
  options.compaction_filter = &filter;
  Open(options);
  for (const char* letter : {"e", "k", "p", "r", "s", "v"}) {
    Put(letter + std::string("1"), "plain");
    PutEntity(letter + std::string("2"), {{"", "d"}, {"c", letter}});
  }
  Flush();
  Compact();
  EXPECT_EQ(Shown(),
            "e1(value)[:value,z:1] e2(entity)[:entity,z:1] k1(plain)[:plain] k2(d)[:d,c:k] "
            "v1(was plain)[:was plain] v2(:d,c:v)[::d,c:v] ");
}

TEST_F(DbEntityTest, AFilterThatNamesAColumnTwiceFailsTheJob) {
  const ByLetter filter;
  Options options = EntityOptions();
  options.compaction_filter = &filter;
  Open(options);
  Put("d", "plain");
  Flush();
  EXPECT_TRUE(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).IsCorruption());
}

TEST_F(DbEntityTest, AFilterIsNotShownADamagedOne) {
  const ByLetter filter;
  Options options = EntityOptions();
  options.compaction_filter = &filter;
  Open(options);
  PutRaw("k", "no entity");
  Flush();
  const Status s = db_->CompactRange(CompactRangeOptions(), nullptr, nullptr);
  EXPECT_FALSE(s.ok());
  EXPECT_NE(s.ToString().find("of key 6B"), std::string::npos) << s.ToString();
}

TEST_F(DbEntityTest, RandomHistoriesMatchAModel) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE(SeedText(seed));
  Random64 random(seed);
  std::map<std::string, std::map<std::string, std::string>> model;
  Options options = EntityOptions();
  options.disable_auto_compactions = false;
  Open(options);
  for (int i = 0; i < 6000; ++i) {
    const std::string key = Key(random.Uniform(300));
    const uint64_t what = random.Uniform(20);
    if (what < 9) {
      std::map<std::string, std::string> columns;
      for (uint64_t n = random.Uniform(5); n > 0; --n) {
        const uint64_t name = random.Uniform(6);
        columns[name == 0 ? "" : "c" + std::to_string(name)] = Value(i, random.Uniform(120));
      }
      WideColumns written;
      for (const auto& [name, value] : columns) {
        written.insert(written.begin(), WideColumn(name, value));
      }
      PutEntity(key, written);
      model[key] = std::move(columns);
    } else if (what < 12) {
      const std::string value = Value(i, random.Uniform(120));
      ASSERT_TRUE(db_->Put(WriteOptions(), key, value).ok());
      model[key] = {{"", value}};
    } else if (what < 16) {
      const std::string operand = std::to_string(i);
      Merge(key, operand);
      const auto at = model.find(key);
      if (at == model.end()) {
        model[key] = {{"", "none+" + operand}};
      } else {
        at->second[""] += "+" + operand;
      }
    } else if (what < 17) {
      ASSERT_TRUE(db_->Delete(WriteOptions(), key).ok());
      model.erase(key);
    } else if (what < 18 && random.OneIn(10)) {
      const std::string end = Key(random.Uniform(300));
      if (key < end) {
        ASSERT_TRUE(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), key, end).ok());
        model.erase(model.lower_bound(key), model.lower_bound(end));
      }
    } else {
      const std::string found = Entity(key);
      const auto at = model.find(key);
      if (at == model.end()) {
        ASSERT_EQ(found, "NOT_FOUND") << key;
      } else {
        WideColumns columns;
        for (const auto& [name, value] : at->second) columns.emplace_back(name, value);
        ASSERT_EQ(found, Text(columns)) << key;
        const auto standard = at->second.find("");
        ASSERT_EQ(Get(key), standard == at->second.end() ? "" : standard->second) << key;
      }
    }
    if (random.OneIn(1500)) Open(options);
    if (random.OneIn(700)) Flush();
  }
  std::string expected;
  for (const auto& [key, columns] : model) {
    WideColumns listed;
    for (const auto& [name, value] : columns) listed.emplace_back(name, value);
    const auto standard = columns.find("");
    expected += key + "(" + (standard == columns.end() ? "" : standard->second) + ")[" +
                Text(listed) + "] ";
  }
  EXPECT_EQ(Shown(), expected);
  Compact();
  EXPECT_EQ(Shown(), expected);
}

}  // namespace
}  // namespace cairn::testing
