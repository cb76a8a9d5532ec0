// Wide columns: entities beside plain values, in memory and in files, under tombstones and
// snapshots, in batches and logs. (RocksDB 7.8.3 merges nothing over entities:
// src/db/db_entity_test.cc.)
#include "rocksdb/wide_columns.h"

#include <memory>

#include "conformance.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/transaction_log.h"

namespace conformance {
namespace {

std::string ShownColumns(const WideColumns& columns) {
  std::string text;
  for (const WideColumn& column : columns) {
    text += (text.empty() ? "" : ",") + column.name().ToString() + ":" + column.value().ToString();
  }
  return text;
}

class WideColumnTest : public DBTest {
 protected:
  WideColumnTest() { options_.disable_auto_compactions = true; }
  Status PutEntity(const std::string& key, const WideColumns& columns) {
    return db_->PutEntity(WriteOptions(), db_->DefaultColumnFamily(), key, columns);
  }
  std::string Entity(const std::string& key, const Snapshot* snapshot = nullptr) {
    ReadOptions options;
    options.snapshot = snapshot;
    PinnableWideColumns columns;
    const Status s = db_->GetEntity(options, db_->DefaultColumnFamily(), key, &columns);
    if (s.IsNotFound()) return "NOT_FOUND";
    if (s.IsCorruption()) return "CORRUPTION";
    return s.ok() ? ShownColumns(columns.columns()) : s.ToString();
  }
  // "key(value)[columns] ...", the same in both directions.
  std::string Scan(const ReadOptions& options = ReadOptions()) {
    std::unique_ptr<Iterator> it(db_->NewIterator(options));
    std::vector<std::string> forward, backward;
    const auto shown = [&] {
      return it->key().ToString() + "(" + it->value().ToString() + ")[" +
             ShownColumns(it->columns()) + "]";
    };
    for (it->SeekToFirst(); it->Valid(); it->Next()) forward.push_back(shown());
    EXPECT_OK(it->status());
    for (it->SeekToLast(); it->Valid(); it->Prev()) backward.push_back(shown());
    EXPECT_OK(it->status());
    std::reverse(backward.begin(), backward.end());
    EXPECT_EQ(forward, backward);
    std::string text;
    for (const std::string& entry : forward) text += (text.empty() ? "" : " ") + entry;
    return text;
  }
};

TEST_F(WideColumnTest, EntitiesAndPlainValuesShowAsEachOther) {
  Open();
  ASSERT_OK(PutEntity("a", {{"name", "x"}, {"", "default"}, {"age", "7"}}));
  ASSERT_OK(PutEntity("b", {{"only", "y"}}));
  ASSERT_OK(Put("c", "plain"));
  ASSERT_OK(PutEntity("d", {}));
  ASSERT_OK(PutEntity("e", {{"", ""}}));
  for (int round = 0; round < 4; ++round) {
    EXPECT_EQ("default", Get("a"));
    EXPECT_EQ("", Get("b"));
    EXPECT_EQ("plain", Get("c"));
    EXPECT_EQ("", Get("d"));
    EXPECT_EQ(":default,age:7,name:x", Entity("a"));
    EXPECT_EQ("only:y", Entity("b"));
    EXPECT_EQ(":plain", Entity("c"));
    EXPECT_EQ("", Entity("d"));
    EXPECT_EQ(":", Entity("e"));
    EXPECT_EQ("NOT_FOUND", Entity("f"));
    EXPECT_EQ("a(default)[:default,age:7,name:x] b()[only:y] c(plain)[:plain] d()[] e()[:]",
              Scan());
    std::vector<std::string> values;
    for (const Status& s : db_->MultiGet(ReadOptions(), {"a", "b", "c", "d"}, &values))
      EXPECT_OK(s);
    EXPECT_EQ((std::vector<std::string>{"default", "", "plain", ""}), values);
    if (round == 0) Open();  // from the log
    if (round == 1) {
      ASSERT_OK(Flush());
    }
    if (round == 2) {
      ASSERT_OK(Compact());
    }
  }
}

TEST_F(WideColumnTest, TheNewestWins) {
  Open();
  ASSERT_OK(PutEntity("k", {{"a", "1"}}));
  const Snapshot* const first = db_->GetSnapshot();
  ASSERT_OK(Put("k", "v"));
  const Snapshot* const second = db_->GetSnapshot();
  ASSERT_OK(Flush());
  ASSERT_OK(PutEntity("k", {{"b", "2"}}));
  const Snapshot* const third = db_->GetSnapshot();
  ASSERT_OK(Delete("k"));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ("a:1", Entity("k", first));
    EXPECT_EQ(":v", Entity("k", second));
    EXPECT_EQ("b:2", Entity("k", third));
    EXPECT_EQ("", Get("k", third));
    EXPECT_EQ("NOT_FOUND", Entity("k"));
    ASSERT_OK(Flush());
    ASSERT_OK(Compact());
  }
  for (const Snapshot* snapshot : {first, second, third}) db_->ReleaseSnapshot(snapshot);
}

TEST_F(WideColumnTest, NamesMustDiffer) {
  Open();
  EXPECT_CODE(Corruption, PutEntity("k", {{"a", "1"}, {"b", "2"}, {"a", "1"}}));
  EXPECT_EQ("NOT_FOUND", Get("k"));
  WriteBatch batch;
  EXPECT_CODE(Corruption, batch.PutEntity(db_->DefaultColumnFamily(), "k", {{"", "1"}, {"", "1"}}));
  EXPECT_EQ(0u, batch.Count());
  EXPECT_FALSE(batch.HasPutEntity());
  EXPECT_CODE(InvalidArgument, batch.PutEntity(nullptr, "k", {{"a", "1"}}));
}

TEST_F(WideColumnTest, GetEntityNeedsSomewhereToPutThem) {
  Open();
  EXPECT_CODE(InvalidArgument,
              db_->GetEntity(ReadOptions(), db_->DefaultColumnFamily(), "k", nullptr));
  ASSERT_OK(PutEntity("k", {{"a", "1"}}));
  PinnableWideColumns columns;
  ASSERT_OK(db_->GetEntity(ReadOptions(), db_->DefaultColumnFamily(), "k", &columns));
  EXPECT_CODE(NotFound, db_->GetEntity(ReadOptions(), db_->DefaultColumnFamily(), "x", &columns));
  EXPECT_TRUE(columns.columns().empty());
}

// What a batch shows: "PUT k=v", "ENTITY k=columns".
class Shower : public WriteBatch::Handler {
 public:
  std::string text;
  void Put(const Slice& key, const Slice& value) override {
    text += "PUT " + key.ToString() + "=" + value.ToString() + ";";
  }
  Status PutEntityCF(uint32_t family, const Slice& key, const Slice& entity) override {
    PinnableWideColumns columns;
    const Status s = columns.SetWideColumnValue(entity);
    text += "ENTITY" + std::to_string(family) + " " + key.ToString() + "=" +
            ShownColumns(columns.columns()) + ";";
    return s;
  }
};

TEST_F(WideColumnTest, BatchesCarryThem) {
  Open();
  WriteBatch batch;
  ASSERT_OK(batch.Put("a", "1"));
  EXPECT_FALSE(batch.HasPutEntity());
  batch.SetSavePoint();
  ASSERT_OK(batch.PutEntity(db_->DefaultColumnFamily(), "b", {{"z", "2"}, {"y", "3"}}));
  EXPECT_TRUE(batch.HasPutEntity());
  EXPECT_TRUE(batch.HasPut());
  EXPECT_EQ(2u, batch.Count());
  Shower shower;
  ASSERT_OK(batch.Iterate(&shower));
  EXPECT_EQ("PUT a=1;ENTITY0 b=y:3,z:2;", shower.text);
  // The bytes are the format's.
  EXPECT_EQ(std::string("\x16\x01"
                        "b\x0a\x01\x02\x01y\x01\x01z\x01"
                        "32",
                        14),
            batch.Data().substr(batch.Data().size() - 14));
  WriteBatch copy(batch.Data());
  EXPECT_TRUE(copy.HasPutEntity());
  ASSERT_OK(db_->Write(WriteOptions(), &copy));
  EXPECT_EQ("y:3,z:2", Entity("b"));
  ASSERT_OK(batch.RollbackToSavePoint());
  EXPECT_FALSE(batch.HasPutEntity());
  EXPECT_EQ(1u, batch.Count());
  // A handler that knows nothing of them.
  class Plain : public WriteBatch::Handler {
    Status PutCF(uint32_t, const Slice&, const Slice&) override { return Status::OK(); }
  } plain;
  EXPECT_CODE(NotSupported, copy.Iterate(&plain));
}

TEST_F(WideColumnTest, TheLogShowsThem) {
  Open();
  ASSERT_OK(PutEntity("a", {{"x", "1"}}));
  std::unique_ptr<TransactionLogIterator> log;
  ASSERT_OK(db_->GetUpdatesSince(0, &log));
  ASSERT_TRUE(log->Valid());
  Shower shower;
  ASSERT_OK(log->GetBatch().writeBatchPtr->Iterate(&shower));
  EXPECT_EQ("ENTITY0 a=x:1;", shower.text);
}

TEST_F(WideColumnTest, FamiliesHaveTheirOwn) {
  Open();
  ColumnFamilyHandle* other = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(options_, "other", &other));
  WriteBatch batch;
  ASSERT_OK(batch.PutEntity(other, "k", {{"in", "other"}}));
  ASSERT_OK(batch.PutEntity(db_->DefaultColumnFamily(), "k", {{"in", "default"}}));
  Shower shower;
  ASSERT_OK(batch.Iterate(&shower));
  EXPECT_EQ("ENTITY1 k=in:other;ENTITY0 k=in:default;", shower.text);
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  PinnableWideColumns columns;
  ASSERT_OK(db_->GetEntity(ReadOptions(), other, "k", &columns));
  EXPECT_EQ("in:other", ShownColumns(columns.columns()));
  EXPECT_EQ("in:default", Entity("k"));
  delete other;
  Shut();
  std::vector<ColumnFamilyHandle*> handles;
  const std::vector<ColumnFamilyDescriptor> families = {{kDefaultColumnFamilyName, options_},
                                                        {"other", options_}};
  ASSERT_OK(DB::Open(options_, dir_, families, &handles, &db_));
  ASSERT_OK(db_->GetEntity(ReadOptions(), handles[1], "k", &columns));
  EXPECT_EQ("in:other", ShownColumns(columns.columns()));
  for (ColumnFamilyHandle* handle : handles) delete handle;
}

TEST_F(WideColumnTest, TombstonesHideThem) {
  Open();
  for (int round = 0; round < 2; ++round) {
    for (const char* key : {"a", "b", "c", "d"}) ASSERT_OK(PutEntity(key, {{"", key}, {"x", "1"}}));
    if (round == 1) {
      ASSERT_OK(Flush());
    }
    ASSERT_OK(db_->SingleDelete(WriteOptions(), "a"));
    ASSERT_OK(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "b", "d"));
    EXPECT_EQ("NOT_FOUND", Entity("a"));
    EXPECT_EQ("NOT_FOUND", Entity("b"));
    EXPECT_EQ("NOT_FOUND", Get("c"));
    EXPECT_EQ("d(d)[:d,x:1]", Scan());
    ASSERT_OK(Flush());
    ASSERT_OK(Compact());
    EXPECT_EQ("d(d)[:d,x:1]", Scan());
  }
}

TEST_F(WideColumnTest, IteratorsTurnBetweenTheKinds) {
  Open();
  ASSERT_OK(PutEntity("a", {{"", "1"}, {"x", "2"}}));
  ASSERT_OK(Put("b", "plain"));
  ASSERT_OK(PutEntity("c", {{"y", std::string(1000, 'z')}}));
  ASSERT_OK(PutEntity("d", {{"w", "4"}}));
  const std::string c = "[y:" + std::string(1000, 'z') + "]";
  const std::vector<std::string> expected = {"1[:1,x:2]", "plain[:plain]", c, "[w:4]"};
  for (int round = 0; round < 2; ++round) {
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    const auto shown = [&] {
      return it->value().ToString() + "[" + ShownColumns(it->columns()) + "]";
    };
    Numbers numbers(17);
    it->Seek("b");
    size_t at = 1;
    for (int step = 0; step < 200; ++step) {
      ASSERT_TRUE(it->Valid());
      ASSERT_EQ(expected[at], shown()) << step;
      ASSERT_EQ(expected[at], shown()) << "asked twice";
      if (at == 0 || (at < 3 && numbers.Below(2) == 0)) {
        it->Next();
        ++at;
      } else {
        it->Prev();
        --at;
      }
    }
    it->SeekForPrev("bb");
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ("plain[:plain]", shown());
    ASSERT_OK(Flush());
  }
}

TEST_F(WideColumnTest, ManyVersionsAreSteppedOver) {
  options_.max_sequential_skip_in_iterations = 2;
  Open();
  for (int i = 0; i < 10; ++i) {
    ASSERT_OK(PutEntity("a", {{"", std::to_string(i)}, {"n", "x"}}));
    ASSERT_OK(Put("b", std::to_string(i)));
    ASSERT_OK(PutEntity("c", {{"last", std::to_string(i)}}));
  }
  EXPECT_EQ("a(9)[:9,n:x] b(9)[:9] c()[last:9]", Scan());
  ASSERT_OK(Flush());
  EXPECT_EQ("a(9)[:9,n:x] b(9)[:9] c()[last:9]", Scan());
}

// Removes every plain value whose text is "drop".
class DropFilter : public CompactionFilter {
 public:
  const char* Name() const override { return "WideDrop"; }
  Decision FilterV2(int, const Slice&, ValueType type, const Slice& value, std::string*,
                    std::string*) const override {
    return type == ValueType::kValue && value == Slice("drop") ? Decision::kRemove
                                                               : Decision::kKeep;
  }
};

TEST_F(WideColumnTest, FilterV2DoesNotSeeThem) {
  DropFilter filter;
  options_.compaction_filter = &filter;
  Open();
  ASSERT_OK(PutEntity("a", {{"", "drop"}}));
  ASSERT_OK(Put("b", "drop"));
  ASSERT_OK(Put("c", "stay"));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_EQ("a(drop)[:drop] c(stay)[:stay]", Scan());
}

class TypeCounter : public TablePropertiesCollector {
 public:
  const char* Name() const override { return "TypeCounter"; }
  Status AddUserKey(const Slice&, const Slice&, EntryType type, SequenceNumber, uint64_t) override {
    ++(type == kEntryWideColumnEntity ? entities_ : others_);
    return Status::OK();
  }
  Status Finish(UserCollectedProperties* properties) override {
    (*properties)["types"] = std::to_string(entities_) + " " + std::to_string(others_);
    return Status::OK();
  }
  UserCollectedProperties GetReadableProperties() const override { return {}; }

 private:
  int entities_ = 0, others_ = 0;
};
class TypeCounterFactory : public TablePropertiesCollectorFactory {
 public:
  const char* Name() const override { return "TypeCounterFactory"; }
  TablePropertiesCollector* CreateTablePropertiesCollector(Context) override {
    return new TypeCounter;
  }
};

TEST_F(WideColumnTest, CollectorsAreToldTheType) {
  options_.table_properties_collector_factories = {std::make_shared<TypeCounterFactory>()};
  Open();
  ASSERT_OK(PutEntity("a", {{"x", "1"}}));
  ASSERT_OK(PutEntity("b", {{"x", "1"}}));
  ASSERT_OK(Put("c", "1"));
  ASSERT_OK(Flush());
  TablePropertiesCollection all;
  ASSERT_OK(db_->GetPropertiesOfAllTables(&all));
  ASSERT_EQ(1u, all.size());
  EXPECT_EQ("2 1", all.begin()->second->user_collected_properties.at("types"));
}

TEST_F(WideColumnTest, ManyEntitiesOfAllSizesComeBack) {
  options_.write_buffer_size = 64 << 10;
  Open();
  std::map<std::string, std::string> model;
  Numbers numbers(3);
  for (int i = 0; i < 2000; ++i) {
    const std::string key = Key(static_cast<int>(numbers.Below(500)));
    if (numbers.Below(4) == 0) {
      const std::string value = numbers.Bytes(numbers.Below(300));
      ASSERT_OK(Put(key, value));
      model[key] = ":" + value;
      continue;
    }
    std::vector<std::string> parts;
    const size_t count = numbers.Below(6);
    for (size_t c = 0; c < count; ++c) {
      parts.push_back(std::string(1, static_cast<char>('a' + c)) + numbers.Bytes(numbers.Below(3)));
      parts.push_back(numbers.Bytes(numbers.Below(200)));
    }
    WideColumns columns;
    for (size_t c = 0; c < count; ++c) columns.emplace_back(parts[2 * c], parts[2 * c + 1]);
    std::string expected = ShownColumns(columns);  // in order of the first letters
    std::reverse(columns.begin(), columns.end());
    ASSERT_OK(PutEntity(key, columns));
    model[key] = std::move(expected);
  }
  for (int round = 0; round < 3; ++round) {
    for (const auto& [key, expected] : model) ASSERT_EQ(expected, Entity(key)) << key;
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    auto at = model.begin();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++at) {
      ASSERT_TRUE(at != model.end());
      ASSERT_EQ(at->first, it->key().ToString());
      ASSERT_EQ(at->second, ShownColumns(it->columns()));
    }
    EXPECT_TRUE(at == model.end());
    it.reset();
    if (round == 0) Open();
    if (round == 1) {
      ASSERT_OK(Compact());
    }
  }
}

}  // namespace
}  // namespace conformance
