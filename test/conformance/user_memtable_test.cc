// Memtables of the user's own (rocksdb/memtablerep.h).
#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>

#include "conformance.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/slice_transform.h"

namespace conformance {
namespace {

using Held = std::lock_guard<std::mutex>;  // style: RocksDB runs here, too

// What the database did with the memtables of a factory.
struct Calls {
  std::atomic<int> made{0}, inserted{0}, concurrently{0}, gets{0}, iterators{0},
      prefix_iterators{0};
  std::atomic<int> read_only{0}, flushed{0}, gone{0};
  std::atomic<size_t> extra_memory{0};
};

// Entries in a std::set, which iterators copy.
class SetRep final : public MemTableRep {
 public:
  struct Traits {
    bool merges = true, snapshots = true;
  };

  SetRep(const KeyComparator& order, Allocator* allocator, Traits traits, Calls* calls)
      : MemTableRep(allocator),
        entries_(Before{&order}),
        order_(order),
        traits_(traits),
        calls_(calls) {
    ++calls_->made;
  }
  ~SetRep() override { ++calls_->gone; }

  void Insert(KeyHandle handle) override {
    ++calls_->inserted;
    const Held lock(mutex_);
    entries_.insert(static_cast<const char*>(handle));
  }
  void InsertConcurrently(KeyHandle handle) override {
    ++calls_->concurrently;
    const Held lock(mutex_);
    entries_.insert(static_cast<const char*>(handle));
  }
  bool Contains(const char* key) const override {
    const Held lock(mutex_);
    return entries_.count(key) > 0;
  }
  void MarkReadOnly() override { ++calls_->read_only; }
  void MarkFlushed() override { ++calls_->flushed; }
  void Get(const LookupKey& k, void* args,
           bool (*callback)(void* arg, const char* entry)) override {
    ++calls_->gets;
    MemTableRep::Get(k, args, callback);
  }
  size_t ApproximateMemoryUsage() override { return calls_->extra_memory; }
  bool IsMergeOperatorSupported() const override { return traits_.merges; }
  bool IsSnapshotSupported() const override { return traits_.snapshots; }

  class SetIterator final : public Iterator {
   public:
    explicit SetIterator(SetRep* rep) : rep_(rep) {}
    bool Valid() const override { return at_ != nullptr; }
    const char* key() const override { return at_; }
    void Next() override {
      const Held lock(rep_->mutex_);
      const auto it = rep_->entries_.upper_bound(at_);
      at_ = it == rep_->entries_.end() ? nullptr : *it;
    }
    void Prev() override {
      const Held lock(rep_->mutex_);
      const auto it = rep_->entries_.lower_bound(at_);
      at_ = it == rep_->entries_.begin() ? nullptr : *std::prev(it);
    }
    void Seek(const Slice& key, const char* /*memtable_key*/) override {
      const Held lock(rep_->mutex_);
      const auto it = std::find_if(rep_->entries_.begin(), rep_->entries_.end(),
                                   [&](const char* e) { return rep_->order_(e, key) >= 0; });
      at_ = it == rep_->entries_.end() ? nullptr : *it;
    }
    void SeekForPrev(const Slice& key, const char* /*memtable_key*/) override {
      const Held lock(rep_->mutex_);
      const auto it = std::find_if(rep_->entries_.rbegin(), rep_->entries_.rend(),
                                   [&](const char* e) { return rep_->order_(e, key) <= 0; });
      at_ = it == rep_->entries_.rend() ? nullptr : *it;
    }
    void SeekToFirst() override {
      const Held lock(rep_->mutex_);
      at_ = rep_->entries_.empty() ? nullptr : *rep_->entries_.begin();
    }
    void SeekToLast() override {
      const Held lock(rep_->mutex_);
      at_ = rep_->entries_.empty() ? nullptr : *rep_->entries_.rbegin();
    }

   private:
    SetRep* const rep_;
    const char* at_ = nullptr;
  };
  // (RocksDB gives an arena that the public headers do not define, and does not delete then.)
  Iterator* GetIterator(Arena* /*arena*/) override {
    ++calls_->iterators;
    return new SetIterator(this);
  }
  Iterator* GetDynamicPrefixIterator(Arena* /*arena*/) override {
    ++calls_->prefix_iterators;
    return new SetIterator(this);
  }

 private:
  struct Before {
    const KeyComparator* order;
    bool operator()(const char* a, const char* b) const { return (*order)(a, b) < 0; }
  };

  mutable std::mutex mutex_;  // style: RocksDB runs here, too
  std::set<const char*, Before> entries_;
  const KeyComparator& order_;
  const Traits traits_;
  Calls* const calls_;
};

class SetFactory : public MemTableRepFactory {
 public:
  explicit SetFactory(Calls* calls, bool concurrent = false, SetRep::Traits traits = {})
      : calls_(calls), concurrent_(concurrent), traits_(traits) {}
  const char* Name() const override { return "test.SetFactory"; }
  using MemTableRepFactory::CreateMemTableRep;
  MemTableRep* CreateMemTableRep(const MemTableRep::KeyComparator& order, Allocator* allocator,
                                 const SliceTransform* /*transform*/, Logger* /*log*/) override {
    return new SetRep(order, allocator, traits_, calls_);
  }
  bool IsInsertConcurrentlySupported() const override { return concurrent_; }

 private:
  Calls* const calls_;
  const bool concurrent_;
  const SetRep::Traits traits_;
};

// Another factory's memtables, counted.
template <class Base>
class ExtendedFactory final : public Base {
 public:
  explicit ExtendedFactory(Calls* calls) : calls_(calls) {}
  using Base::CreateMemTableRep;
  MemTableRep* CreateMemTableRep(const MemTableRep::KeyComparator& order, Allocator* allocator,
                                 const SliceTransform* transform, Logger* log) override {
    ++calls_->made;
    return Base::CreateMemTableRep(order, allocator, transform, log);
  }

 private:
  Calls* const calls_;
};

class AppendOperator final : public AssociativeMergeOperator {
 public:
  const char* Name() const override { return "test.AppendOperator"; }
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* merged,
             Logger* /*log*/) const override {
    *merged =
        existing == nullptr ? value.ToString() : existing->ToString() + "," + value.ToString();
    return true;
  }
};

class UserMemTableTest : public DBTest {
 protected:
  void UseSet(SetRep::Traits traits = {}) {
    options_.allow_concurrent_memtable_write = false;
    options_.memtable_factory = std::make_shared<SetFactory>(&calls_, false, traits);
  }
  void TearDown() override { Shut(); }

  // Random writes, reads and iterations against a model, with a reopening and a flush.
  void AgreeWithAModel(int writes) {
    Open();
    std::map<std::string, std::string> model;
    Numbers numbers(17);
    const auto compare = [&] {
      const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
      auto expected = model.begin();
      for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
        ASSERT_NE(model.end(), expected);
        ASSERT_EQ(expected->first, it->key().ToString());
        ASSERT_EQ(expected->second, it->value().ToString());
      }
      ASSERT_OK(it->status());
      ASSERT_EQ(model.end(), expected);
      auto backward = model.rbegin();
      for (it->SeekToLast(); it->Valid(); it->Prev(), ++backward) {
        ASSERT_NE(model.rend(), backward);
        ASSERT_EQ(backward->first, it->key().ToString());
      }
      ASSERT_EQ(model.rend(), backward);
      for (int i = 0; i < 100; i += 3) {
        const auto found = model.find(Key(i));
        ASSERT_EQ(found == model.end() ? "NOT_FOUND" : found->second, Get(Key(i)));
      }
    };
    for (int i = 0; i < writes; ++i) {
      const std::string key = Key(static_cast<int>(numbers.Below(100)));
      if (numbers.Below(4) == 0) {
        ASSERT_OK(Delete(key));
        model.erase(key);
      } else {
        const std::string value = std::to_string(i) + std::string(numbers.Below(300), 'v');
        ASSERT_OK(Put(key, value));
        model[key] = value;
      }
      if (i % (writes / 4) == 0) compare();
      if (i == writes / 2) Open();
    }
    compare();
    ASSERT_OK(Flush());
    compare();
  }

  Calls calls_;
};

TEST_F(UserMemTableTest, HasWhatWasWritten) {
  UseSet();
  AgreeWithAModel(600);
  EXPECT_STREQ("test.SetFactory", db_->GetOptions().memtable_factory->Name());
  EXPECT_GT(calls_.inserted, 0);
  EXPECT_EQ(0, calls_.concurrently);
  EXPECT_GT(calls_.gets, 0);
  EXPECT_GT(calls_.iterators, 0);
}

TEST_F(UserMemTableTest, AnExtendedFactoryIsAsked) {
  options_.memtable_factory = std::make_shared<ExtendedFactory<SkipListFactory>>(&calls_);
  AgreeWithAModel(400);
  EXPECT_GT(calls_.made, 0);
  options_.allow_concurrent_memtable_write = false;
  calls_.made = 0;
  options_.memtable_factory = std::make_shared<ExtendedFactory<VectorRepFactory>>(&calls_);
  Shut();
  EXPECT_OK(DestroyDB(dir_, options_));
  AgreeWithAModel(400);
  EXPECT_GT(calls_.made, 0);
}

TEST_F(UserMemTableTest, TakesConcurrentWritersIfItSaysSo) {
  options_.memtable_factory = std::make_shared<SetFactory>(&calls_, /*concurrent=*/false);
  EXPECT_CODE(InvalidArgument, TryOpen());
  options_.memtable_factory = std::make_shared<SetFactory>(&calls_, /*concurrent=*/true);
  Open();
  std::vector<std::unique_ptr<Thread>> writers;
  for (int w = 0; w < 4; ++w) {
    writers.push_back(std::make_unique<Thread>([this, w] {
      for (int i = 0; i < 100; ++i) EXPECT_OK(Put(Key(i) + "/" + std::to_string(w), "v"));
    }));
  }
  for (const auto& writer : writers) writer->join();
  EXPECT_EQ(400, calls_.inserted + calls_.concurrently);
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  int count = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++count;
  EXPECT_EQ(400, count);
}

TEST_F(UserMemTableTest, IsToldOfItsLife) {
  UseSet();
  Open();
  ASSERT_OK(Put("a", "1"));
  EXPECT_EQ(0, calls_.read_only);
  EXPECT_EQ(0, calls_.flushed);
  const int made = calls_.made;
  ASSERT_OK(Flush());
  EXPECT_EQ(made + 1, calls_.made);
  EXPECT_EQ(1, calls_.read_only);
  EXPECT_EQ(1, calls_.flushed);
  Shut();
  EXPECT_EQ(calls_.made, calls_.gone);
}

TEST_F(UserMemTableTest, ItsMemoryMakesItFull) {
  UseSet();
  options_.write_buffer_size = 1 << 20;
  Open();
  ASSERT_OK(Put("a", "1"));
  EXPECT_EQ(0, FilesAtLevel(0));
  calls_.extra_memory = 4 << 20;
  ASSERT_OK(Put("b", "2"));
  calls_.extra_memory = 0;
  ASSERT_OK(Put("c", "3"));  // (the switch comes with the next write)
  FlushOptions wait;
  ASSERT_OK(db_->Flush(wait));
  EXPECT_EQ(2, calls_.flushed);
}

TEST_F(UserMemTableTest, IteratorsOfAPrefixAskForThem) {
  UseSet();
  options_.prefix_extractor.reset(NewFixedPrefixTransform(2));
  Open();
  ASSERT_OK(Put("aa1", "1"));
  ASSERT_OK(Put("aa2", "2"));
  ASSERT_OK(Put("ab1", "3"));
  const auto seen = [this](bool total) {
    ReadOptions read;
    read.total_order_seek = total;
    read.prefix_same_as_start = !total;
    const std::unique_ptr<Iterator> it(db_->NewIterator(read));
    std::string text;
    for (it->Seek("aa"); it->Valid(); it->Next()) text += it->key().ToString() + " ";
    EXPECT_OK(it->status());
    return text;
  };
  calls_.iterators = calls_.prefix_iterators = 0;
  EXPECT_EQ("aa1 aa2 ab1 ", seen(/*total=*/true));
  EXPECT_EQ(1, calls_.iterators);
  EXPECT_EQ(0, calls_.prefix_iterators);
  EXPECT_EQ("aa1 aa2 ", seen(/*total=*/false));
  EXPECT_EQ(1, calls_.prefix_iterators);
}

TEST_F(UserMemTableTest, WithoutMergesNoMergeOperator) {
  UseSet({/*merges=*/false, /*snapshots=*/true});
  EXPECT_OK(TryOpen());
  Shut();
  options_.merge_operator = std::make_shared<AppendOperator>();
  EXPECT_CODE(InvalidArgument, TryOpen());
}

TEST_F(UserMemTableTest, MergesAndSnapshots) {
  UseSet();
  options_.merge_operator = std::make_shared<AppendOperator>();
  Open();
  ASSERT_OK(db_->Merge(WriteOptions(), "a", "1"));
  const Snapshot* const first = db_->GetSnapshot();
  ASSERT_OK(db_->Merge(WriteOptions(), "a", "2"));
  ASSERT_OK(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "b", "c"));
  ASSERT_OK(Put("bb", "3"));
  EXPECT_EQ("1,2", Get("a"));
  EXPECT_EQ("1", Get("a", first));
  EXPECT_EQ("NOT_FOUND", Get("bb", first));
  EXPECT_EQ("3", Get("bb"));
  ASSERT_OK(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "b", "c"));
  EXPECT_EQ("NOT_FOUND", Get("bb"));
  ASSERT_OK(Flush());
  EXPECT_EQ("1", Get("a", first));
  EXPECT_EQ("1,2", Get("a"));
  db_->ReleaseSnapshot(first);
}

TEST_F(UserMemTableTest, WithoutSnapshotsThereAreNone) {
  UseSet({/*merges=*/true, /*snapshots=*/false});
  Open();
  ASSERT_OK(Put("a", "1"));
  EXPECT_EQ(nullptr, db_->GetSnapshot());
  EXPECT_EQ("1", Get("a"));
  Shut();
  options_.memtable_factory = std::make_shared<SkipListFactory>();
  Open();
  // One such family is enough, as long as it is there.
  ColumnFamilyOptions of_family;
  of_family.memtable_factory =
      std::make_shared<SetFactory>(&calls_, false, SetRep::Traits{true, false});
  const Snapshot* const before = db_->GetSnapshot();
  ASSERT_NE(nullptr, before);
  db_->ReleaseSnapshot(before);
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(of_family, "other", &handle));
  EXPECT_EQ(nullptr, db_->GetSnapshot());
  ASSERT_OK(db_->DropColumnFamily(handle));
  ASSERT_OK(db_->DestroyColumnFamilyHandle(handle));
  const Snapshot* const after = db_->GetSnapshot();
  EXPECT_NE(nullptr, after);
  db_->ReleaseSnapshot(after);
}

}  // namespace
}  // namespace conformance
