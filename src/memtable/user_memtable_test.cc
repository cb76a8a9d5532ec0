// A memtable of the user's own, behind MemTable: a model, and objects that throw or lie.
#include "memtable/user_memtable.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/memtable_factory.h"
#include "base/random.h"
#include "fiber/random.h"
#include "fiber/thread.h"
#include "memtable/memtable.h"
#include "rocksdb/comparator.h"

namespace cairn {
namespace {

// Of which function something is to go wrong, and what.
struct Fault {
  std::string function;  // ""; it throws
  bool returns_nothing = false;
};

// Another factory's memtables, with faults.
class FaultyRep final : public MemTableRep {
 public:
  FaultyRep(Allocator* allocator, MemTableRep* base, const Fault* fault)
      : MemTableRep(allocator), base_(base), fault_(fault) {}

  KeyHandle Allocate(size_t len, char** buf) override {
    if (Hit("Allocate")) return nullptr;
    return base_->Allocate(len, buf);
  }
  void Insert(KeyHandle handle) override { base_->Insert(handle); }
  bool InsertKey(KeyHandle handle) override {
    if (Hit("InsertKey")) return false;
    return base_->InsertKey(handle);
  }
  bool InsertKeyConcurrently(KeyHandle handle) override {
    if (Hit("InsertKeyConcurrently")) return false;
    return base_->InsertKeyConcurrently(handle);
  }
  void BatchPostProcess() override {
    (void)Hit("BatchPostProcess");
    ++batches;
  }
  bool Contains(const char* key) const override { return base_->Contains(key); }
  void MarkReadOnly() override {
    read_only = true;
    (void)Hit("MarkReadOnly");
  }
  void MarkFlushed() override {
    flushed = true;
    (void)Hit("MarkFlushed");
  }
  void Get(const ROCKSDB_NAMESPACE::LookupKey& k, void* args,
           bool (*callback)(void* arg, const char* entry)) override {
    if (Hit("Get")) {
      callback(args, nullptr);
      return;
    }
    base_->Get(k, args, callback);
  }
  uint64_t ApproximateNumEntries(const Slice& start, const Slice& end) override {
    (void)Hit("ApproximateNumEntries");
    return base_->ApproximateNumEntries(start, end);
  }
  size_t ApproximateMemoryUsage() override {
    (void)Hit("ApproximateMemoryUsage");
    return base_->ApproximateMemoryUsage() + extra_memory;
  }

  class FaultyIterator final : public Iterator {
   public:
    FaultyIterator(Iterator* base, const FaultyRep* rep) : base_(base), rep_(rep) {}
    bool Valid() const override { return base_->Valid(); }
    const char* key() const override { return rep_->Hit("key") ? nullptr : base_->key(); }
    void Next() override {
      if (!rep_->Hit("Next")) base_->Next();  // else it stays where it is
    }
    void Prev() override {
      if (!rep_->Hit("Prev")) base_->Prev();
    }
    void Seek(const Slice& key, const char* memtable_key) override {
      (void)rep_->Hit("Seek");
      base_->Seek(key, memtable_key);
    }
    void SeekForPrev(const Slice& key, const char* memtable_key) override {
      (void)rep_->Hit("SeekForPrev");
      base_->SeekForPrev(key, memtable_key);
    }
    void SeekToFirst() override {
      (void)rep_->Hit("SeekToFirst");
      base_->SeekToFirst();
    }
    void SeekToLast() override {
      (void)rep_->Hit("SeekToLast");
      base_->SeekToLast();
    }

   private:
    const std::unique_ptr<Iterator> base_;
    const FaultyRep* const rep_;
  };
  Iterator* GetIterator(ROCKSDB_NAMESPACE::Arena* arena) override {
    EXPECT_EQ(arena, nullptr);
    if (Hit("GetIterator")) return nullptr;
    return new FaultyIterator(base_->GetIterator(arena), this);
  }
  Iterator* GetDynamicPrefixIterator(ROCKSDB_NAMESPACE::Arena* arena) override {
    if (Hit("GetDynamicPrefixIterator")) return nullptr;
    return new FaultyIterator(base_->GetDynamicPrefixIterator(arena), this);
  }

  bool read_only = false, flushed = false;
  int batches = 0;
  size_t extra_memory = 0;

 private:
  bool Hit(const char* function) const {
    if (fault_->function != function) return false;
    if (!fault_->returns_nothing) throw std::runtime_error("a fault of the test");
    return true;
  }

  const std::unique_ptr<MemTableRep> base_;
  const Fault* const fault_;
};

class FaultyFactory final : public MemTableRepFactory {
 public:
  explicit FaultyFactory(MemTableRepFactory* base) : base_(base) {}
  const char* Name() const override { return "FaultyFactory"; }
  using MemTableRepFactory::CreateMemTableRep;
  MemTableRep* CreateMemTableRep(const MemTableRep::KeyComparator& order, Allocator* allocator,
                                 const SliceTransform* transform, Logger* log) override {
    if (fault.function == "CreateMemTableRep") {
      if (fault.returns_nothing) return nullptr;
      throw 1;
    }
    last = new FaultyRep(allocator, base_->CreateMemTableRep(order, allocator, transform, log),
                         &fault);
    return last;
  }
  bool IsInsertConcurrentlySupported() const override {
    return base_->IsInsertConcurrentlySupported();
  }
  bool CanHandleDuplicatedKey() const override { return base_->CanHandleDuplicatedKey(); }

  Fault fault;
  FaultyRep* last = nullptr;

 private:
  const std::unique_ptr<MemTableRepFactory> base_;
};

struct UserKind {
  const char* name;
  MemTableRepFactory* (*make)();
  bool prefixes;
  size_t protection_bytes;
};

class UserMemTableTest : public ::testing::TestWithParam<UserKind> {
 protected:
  UserMemTableTest() : comparator_(BytewiseComparator()), extractor_(NewFixedPrefixTransform(2)) {
    factory_ = std::make_shared<FaultyFactory>(GetParam().make());
    options_.kind = MemTableKind::kUser;
    options_.user_factory = factory_;
    options_.protection_bytes = GetParam().protection_bytes;
    if (GetParam().prefixes) options_.prefix_extractor = extractor_.get();
    Make();
  }
  ~UserMemTableTest() override { table_->Unref(); }

  void Make() {
    if (table_ != nullptr) table_->Unref();
    table_ = new MemTable(comparator_, options_, 0);
  }
  Status Put(SequenceNumber seq, const std::string& key, const std::string& value) {
    return table_->Add(seq, kTypeValue, key, value, /*allow_concurrent=*/false);
  }
  // "absent", "deleted", the value or the error.
  std::string Get(const std::string& key, SequenceNumber at) const {
    Slice value;
    Status s;
    if (!table_->Get(LookupKey(key, at), &value, &s)) return "absent";
    return s.ok() ? value.ToString() : s.IsNotFound() ? "deleted" : s.ToString();
  }
  void ExpectNames(const Status& s, const std::string& function) {
    EXPECT_TRUE(s.IsAborted()) << s.ToString();
    EXPECT_NE(s.ToString().find("FaultyFactory: " + function + "()"), std::string::npos)
        << s.ToString();
  }

  const InternalKeyComparator comparator_;
  const std::unique_ptr<const SliceTransform> extractor_;
  std::shared_ptr<FaultyFactory> factory_;
  MemTableOptions options_;
  MemTable* table_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(
    Kinds, UserMemTableTest,
    ::testing::Values(
        UserKind{"SkipList", [] { return static_cast<MemTableRepFactory*>(new SkipListFactory); },
                 false, 0},
        UserKind{"SkipListChecksums",
                 [] { return static_cast<MemTableRepFactory*>(new SkipListFactory); }, true, 4},
        UserKind{"Vector", [] { return static_cast<MemTableRepFactory*>(new VectorRepFactory); },
                 false, 0},
        UserKind{"Hash", [] { return NewHashSkipListRepFactory(7); }, true, 0},
        UserKind{"HashOfAllKeys", [] { return NewHashSkipListRepFactory(7); }, false, 1},
        UserKind{"Links", [] { return NewHashLinkListRepFactory(3); }, true, 8}),
    [](const auto& kind) { return kind.param.name; });

TEST_P(UserMemTableTest, AgreesWithAModel) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random64 random(seed);
  std::map<std::string, std::map<SequenceNumber, std::string, std::greater<>>> model;
  EXPECT_TRUE(table_->IsEmpty());
  SequenceNumber seq = 0;
  uint64_t entries = 0;
  const auto key_of = [&] {
    std::string key;
    for (size_t n = random.Uniform(6); n > 0; --n) {
      key.push_back(static_cast<char>('a' + random.Uniform(4)));
    }
    return key;
  };
  for (int round = 0; round < 12; ++round) {
    for (int i = 0; i < 150; ++i, ++entries) {
      const std::string key = key_of();
      const bool deletes = random.OneIn(4);
      const std::string value = deletes ? "" : std::to_string(seq) + std::string(seq % 200, 'v');
      ASSERT_TRUE(table_->Add(++seq, deletes ? kTypeDeletion : kTypeValue, key, value, false).ok());
      model[key][seq] = deletes ? "deleted" : value;
    }
    for (int i = 0; i < 200; ++i) {
      const std::string key = key_of();
      const SequenceNumber at = random.Uniform(seq + 2);
      std::string expected = "absent";
      if (const auto it = model.find(key); it != model.end()) {
        const auto version = it->second.lower_bound(at);
        if (version != it->second.end()) expected = version->second;
      }
      ASSERT_EQ(Get(key, at), expected) << key << " at " << at;
    }
    // All, both ways, and from somewhere.
    const std::unique_ptr<InternalIterator> iter(table_->NewIterator());
    iter->SeekToFirst();
    for (const auto& [key, versions] : model) {
      for (const auto& [number, value] : versions) {
        ASSERT_TRUE(iter->Valid()) << iter->status().ToString();
        ASSERT_EQ(ExtractUserKey(iter->key()).ToString(), key);
        ASSERT_EQ(ExtractSequence(iter->key()), number);
        if (value != "deleted") {
          ASSERT_EQ(iter->value().ToString(), value);
        }
        iter->Next();
      }
    }
    ASSERT_FALSE(iter->Valid());
    ASSERT_TRUE(iter->status().ok()) << iter->status().ToString();
    uint64_t backward = 0;
    for (iter->SeekToLast(); iter->Valid(); iter->Prev()) ++backward;
    ASSERT_EQ(backward, entries);
    const std::string from = key_of();
    iter->Seek(LookupKey(from, kMaxSequenceNumber).internal_key());
    const auto it = model.lower_bound(from);
    ASSERT_EQ(iter->Valid(), it != model.end());
    if (iter->Valid()) {
      ASSERT_EQ(ExtractUserKey(iter->key()).ToString(), it->first);
    }
  }
  EXPECT_EQ(table_->num_entries(), entries);
  EXPECT_FALSE(table_->IsEmpty());
}

TEST_P(UserMemTableTest, TellsOfItsLife) {
  ASSERT_TRUE(Put(1, "a", "1").ok());
  EXPECT_FALSE(factory_->last->read_only);
  table_->MarkImmutable();
  EXPECT_TRUE(factory_->last->read_only);
  EXPECT_FALSE(factory_->last->flushed);
  table_->MarkFlushed();
  EXPECT_TRUE(factory_->last->flushed);
}

TEST_P(UserMemTableTest, ItsOwnMemoryCounts) {
  ASSERT_TRUE(Put(1, "a", "1").ok());
  EXPECT_FALSE(table_->ShouldFlush());
  const size_t before = table_->ApproximateMemoryUsage();
  factory_->last->extra_memory = options_.write_buffer_size;
  EXPECT_EQ(table_->ApproximateMemoryUsage(), before + options_.write_buffer_size);
  EXPECT_TRUE(table_->ShouldFlush());
}

TEST_P(UserMemTableTest, AFactoryThatMakesNothingIsAnError) {
  for (const bool returns_nothing : {false, true}) {
    factory_->fault = {"CreateMemTableRep", returns_nothing};
    Make();
    ExpectNames(table_->creation_status(), "CreateMemTableRep");
    ExpectNames(Put(1, "a", "1"), "CreateMemTableRep");
    EXPECT_TRUE(table_->IsEmpty());
    EXPECT_EQ(Get("a", 9), "absent");
    const std::unique_ptr<InternalIterator> iter(table_->NewIterator());
    iter->SeekToFirst();
    EXPECT_FALSE(iter->Valid());
    EXPECT_TRUE(iter->status().ok()) << "there is nothing, and nothing was lost";
    table_->MarkImmutable();
  }
}

// A read that throws fails, and the next one does not.
TEST_P(UserMemTableTest, ReadsThatThrowFailAlone) {
  ASSERT_TRUE(Put(1, "aa1", "1").ok());
  ASSERT_TRUE(Put(2, "aa2", "2").ok());
  factory_->fault = {"Get", false};
  EXPECT_NE(Get("aa1", 9).find("FaultyFactory: Get() threw: a fault of the test"),
            std::string::npos)
      << Get("aa1", 9);
  factory_->fault = {"Get", true};
  EXPECT_NE(Get("aa1", 9).find("gave no entry"), std::string::npos) << Get("aa1", 9);
  factory_->fault = {};
  EXPECT_EQ(Get("aa1", 9), "1");

  struct Step {
    const char* function;
    std::function<void(InternalIterator*)> move;
  };
  const LookupKey middle("aa2", kMaxSequenceNumber);
  const std::vector<Step> steps = {
      {"SeekToFirst", [](InternalIterator* i) { i->SeekToFirst(); }},
      {"SeekToLast", [](InternalIterator* i) { i->SeekToLast(); }},
      {"Seek", [&](InternalIterator* i) { i->Seek(middle.internal_key()); }},
      {"SeekForPrev", [&](InternalIterator* i) { i->SeekForPrev(middle.internal_key()); }},
      {"Next", [](InternalIterator* i) { i->Next(); }},
      {"Prev", [](InternalIterator* i) { i->Prev(); }},
  };
  for (const Step& step : steps) {
    SCOPED_TRACE(step.function);
    const std::unique_ptr<InternalIterator> iter(table_->NewIterator());
    iter->SeekToFirst();
    ASSERT_TRUE(iter->Valid());
    factory_->fault = {step.function, false};
    step.move(iter.get());
    EXPECT_FALSE(iter->Valid());
    ExpectNames(iter->status(), step.function);
    factory_->fault = {};
    iter->SeekToFirst();
    EXPECT_TRUE(iter->Valid()) << iter->status().ToString();
  }
  for (const bool returns_nothing : {false, true}) {
    factory_->fault = {"GetIterator", returns_nothing};
    const std::unique_ptr<InternalIterator> iter(table_->NewIterator());
    iter->SeekToFirst();
    EXPECT_FALSE(iter->Valid());
    ExpectNames(iter->status(), "GetIterator");
  }
  factory_->fault = {"ApproximateNumEntries", false};
  uint64_t count, bytes;
  table_->ApproximateRange(LookupKey("a", 9).internal_key(), LookupKey("b", 9).internal_key(),
                           &count, &bytes);
  EXPECT_EQ(count, 0u);
  factory_->fault = {};
  table_->ApproximateRange(LookupKey("a", 9).internal_key(), LookupKey("b", 9).internal_key(),
                           &count, &bytes);
  EXPECT_EQ(count, 2u);
}

// An iterator that does not move, or stands at nothing.
TEST_P(UserMemTableTest, IteratorsThatLieAreCorruption) {
  ASSERT_TRUE(Put(1, "aa1", "1").ok());
  ASSERT_TRUE(Put(2, "aa2", "2").ok());
  std::unique_ptr<InternalIterator> iter(table_->NewIterator());
  iter->SeekToFirst();
  factory_->fault = {"Next", true};
  iter->Next();
  EXPECT_FALSE(iter->Valid());
  EXPECT_TRUE(iter->status().IsCorruption()) << iter->status().ToString();
  factory_->fault = {};
  iter->SeekToLast();
  factory_->fault = {"Prev", true};
  iter->Prev();
  EXPECT_TRUE(iter->status().IsCorruption()) << iter->status().ToString();
  factory_->fault = {"key", true};
  iter->SeekToFirst();
  EXPECT_FALSE(iter->Valid());
  EXPECT_TRUE(iter->status().IsCorruption()) << iter->status().ToString();
  factory_->fault = {"key", false};
  iter->SeekToFirst();
  ExpectNames(iter->status(), "SeekToFirst");
}

// Nobody knows what is in it then.
TEST_P(UserMemTableTest, AfterAnInsertionThatThrewAllFails) {
  ASSERT_TRUE(Put(1, "a", "1").ok());
  factory_->fault = {"Allocate", false};
  ExpectNames(Put(2, "b", "2"), "Allocate");
  factory_->fault = {"Allocate", true};
  EXPECT_TRUE(Put(2, "b", "2").IsMemoryLimit());
  factory_->fault = {"InsertKey", true};
  EXPECT_TRUE(Put(2, "b", "2").IsTryAgain());
  factory_->fault = {};
  EXPECT_EQ(Get("a", 9), "1") << "nothing was inserted, and that is known";
  ASSERT_TRUE(Put(2, "b", "2").ok());

  factory_->fault = {"InsertKey", false};
  ExpectNames(Put(3, "c", "3"), "InsertKey");
  factory_->fault = {};
  ExpectNames(Put(4, "d", "4"), "InsertKey");
  EXPECT_NE(Get("a", 9).find("InsertKey() threw"), std::string::npos);
  const std::unique_ptr<InternalIterator> iter(table_->NewTraversal());
  iter->SeekToFirst();
  EXPECT_FALSE(iter->Valid());
  ExpectNames(iter->status(), "InsertKey");
  EXPECT_FALSE(table_->IsEmpty());
}

TEST_P(UserMemTableTest, WhatOnlyTellsMayThrow) {
  ASSERT_TRUE(Put(1, "a", "1").ok());
  for (const char* function : {"MarkReadOnly", "MarkFlushed", "ApproximateMemoryUsage"}) {
    factory_->fault = {function, false};
    table_->MarkImmutable();
    table_->MarkFlushed();
    EXPECT_GT(table_->ApproximateMemoryUsage(), 0u);
    EXPECT_EQ(Get("a", 9), "1");
  }
}

TEST_P(UserMemTableTest, ADuplicateIsToldWhereTheKindKnowsIt) {
  ASSERT_TRUE(Put(1, "a", "1").ok());
  EXPECT_EQ(Put(1, "a", "1").IsTryAgain(), factory_->CanHandleDuplicatedKey());
}

TEST(UserMemTableWritersTest, ManyInsertAtOnce) {
  const InternalKeyComparator comparator(BytewiseComparator());
  const auto factory = std::make_shared<FaultyFactory>(new SkipListFactory);
  MemTableOptions options;
  options.kind = MemTableKind::kUser;
  options.user_factory = factory;
  MemTable* const table = new MemTable(comparator, options, 0);
  constexpr int kWriters = 4, kEach = 500;
  {
    std::vector<std::unique_ptr<fiber::Thread>> writers;
    for (int w = 0; w < kWriters; ++w) {
      writers.push_back(std::make_unique<fiber::Thread>("write", [table, w] {
        for (int i = 0; i < kEach; ++i) {
          const std::string key = std::to_string(i * 7919 % kEach) + "/" + std::to_string(w);
          EXPECT_TRUE(table
                          ->Add(static_cast<SequenceNumber>(1 + i * kWriters + w), kTypeValue, key,
                                key, /*allow_concurrent=*/true)
                          .ok());
        }
      }));
    }
    for (const auto& writer : writers) writer->join();
  }
  const std::unique_ptr<InternalIterator> iter(table->NewIterator());
  int count = 0;
  for (iter->SeekToFirst(); iter->Valid(); iter->Next()) {
    EXPECT_EQ(ExtractUserKey(iter->key()).ToString(), iter->value().ToString());
    ++count;
  }
  EXPECT_TRUE(iter->status().ok()) << iter->status().ToString();
  EXPECT_EQ(count, kWriters * kEach);
  factory->fault = {"BatchPostProcess", false};
  table->FinishConcurrentBatch();
  EXPECT_TRUE(table->creation_status().IsAborted());
  table->Unref();
}

}  // namespace
}  // namespace cairn
