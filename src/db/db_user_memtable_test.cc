// What becomes of a database whose user's memtable factory throws, or makes nothing: it says so,
// and loses nothing.
#include <stdexcept>

#include "db/testing/db_fixture.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/utilities/optimistic_transaction_db.h"

namespace cairn {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): all of it is for us

enum class Mishap { kNone, kMakesNothing, kThrows };

// The built-in skip list, of which an insertion throws if it is asked to.
class ThrowingRep final : public MemTableRep {
 public:
  ThrowingRep(Allocator* allocator, MemTableRep* base, const bool* insert_throws)
      : MemTableRep(allocator), base_(base), insert_throws_(insert_throws) {}
  KeyHandle Allocate(size_t len, char** buf) override { return base_->Allocate(len, buf); }
  void Insert(KeyHandle handle) override {
    if (*insert_throws_) throw std::runtime_error("no insertion");
    base_->Insert(handle);
  }
  bool Contains(const char* key) const override { return base_->Contains(key); }
  size_t ApproximateMemoryUsage() override { return base_->ApproximateMemoryUsage(); }
  Iterator* GetIterator(ROCKSDB_NAMESPACE::Arena* arena) override {
    return base_->GetIterator(arena);
  }

 private:
  const std::unique_ptr<MemTableRep> base_;
  const bool* const insert_throws_;
};

class ThrowingFactory final : public MemTableRepFactory {
 public:
  const char* Name() const override { return "test.ThrowingFactory"; }
  using MemTableRepFactory::CreateMemTableRep;
  MemTableRep* CreateMemTableRep(const MemTableRep::KeyComparator& order, Allocator* allocator,
                                 const SliceTransform* transform, Logger* log) override {
    if (mishap == Mishap::kMakesNothing) return nullptr;
    if (mishap == Mishap::kThrows) throw std::runtime_error("no memtable");
    return new ThrowingRep(allocator, base_.CreateMemTableRep(order, allocator, transform, log),
                           &insert_throws);
  }

  Mishap mishap = Mishap::kNone;
  bool insert_throws = false;

 private:
  SkipListFactory base_;
};

class DbUserMemTableTest : public DbTest {
 protected:
  Options UserOptions() {
    Options options = SmallOptions();
    options.allow_concurrent_memtable_write = false;
    options.memtable_factory = factory_;
    return options;
  }
  static void ExpectNames(const Status& s, const std::string& function) {
    EXPECT_TRUE(s.IsAborted()) << s.ToString();
    EXPECT_NE(s.ToString().find("test.ThrowingFactory: " + function), std::string::npos)
        << s.ToString();
  }

  const std::shared_ptr<ThrowingFactory> factory_ = std::make_shared<ThrowingFactory>();
};

TEST_F(DbUserMemTableTest, ADatabaseDoesNotOpenWithoutMemtables) {
  Open(UserOptions());
  Put("a", "1");
  for (const Mishap mishap : {Mishap::kMakesNothing, Mishap::kThrows}) {
    factory_->mishap = mishap;
    ExpectNames(TryOpen(UserOptions()), "CreateMemTableRep");
    ExpectNames(TryOpenReadOnly(UserOptions()), "CreateMemTableRep");
  }
  factory_->mishap = Mishap::kNone;
  Open(UserOptions());
  ExpectModel();
}

// The write that needs a new one fails, and so does a flush; the next one asks again.
TEST_F(DbUserMemTableTest, WithoutANewMemtableAllStays) {
  Open(UserOptions());
  Put("a", "1");
  factory_->mishap = Mishap::kThrows;
  ExpectNames(db_->Flush(FlushOptions()), "CreateMemTableRep");
  Put("b", "2");
  ExpectModel();
  Status s;
  for (int i = 0; i < 1000 && s.ok(); ++i) {
    const std::string key = Key(static_cast<uint64_t>(i));
    s = db_->Put(WriteOptions(), key, Value(1, 200));
    if (s.ok()) model_[key] = Value(1, 200);
  }
  ExpectNames(s, "CreateMemTableRep");
  ExpectModel();
  factory_->mishap = Mishap::kNone;
  Put("c", "3");
  Flush();
  ExpectModel();
  Open(UserOptions());
  ExpectModel();
}

TEST_F(DbUserMemTableTest, AColumnFamilyIsNotCreatedWithoutOne) {
  Open();
  factory_->mishap = Mishap::kMakesNothing;
  ColumnFamilyOptions family;
  family.memtable_factory = factory_;
  ColumnFamilyHandle* handle = nullptr;
  EXPECT_TRUE(db_->CreateColumnFamily(family, "other", &handle).IsInvalidArgument())
      << "the database writes concurrently";
  Options options = SmallOptions();
  options.allow_concurrent_memtable_write = false;
  Open(options);
  ExpectNames(db_->CreateColumnFamily(family, "other", &handle), "CreateMemTableRep");
  EXPECT_EQ(handle, nullptr);
  Close();
  std::vector<std::string> families;
  ASSERT_TRUE(DB::ListColumnFamilies(options, kDbName, &families).ok());
  EXPECT_EQ(families, std::vector<std::string>{kDefaultColumnFamilyName});
}

// An insertion throws: the write fails, the database takes no more, and nothing that was
// acknowledged is lost.
TEST_F(DbUserMemTableTest, AnInsertionThatThrowsEndsTheWrites) {
  Options options = UserOptions();
  Open(options);
  Put("a", "1");
  factory_->insert_throws = true;
  ExpectNames(db_->Put(WriteOptions(), "b", "2"), "InsertKey() threw: no insertion");
  factory_->insert_throws = false;
  EXPECT_FALSE(db_->Put(WriteOptions(), "c", "3").ok());
  EXPECT_NE(Get("a"), "NOT_FOUND");
  EXPECT_FALSE(db_->Flush(FlushOptions()).ok());
  db_.reset();
  Open(options);
  EXPECT_EQ(Get("a"), "1");
  EXPECT_EQ(Get("b"), "2") << "it is in the log, and whether it is to be was never said";
  EXPECT_EQ(Get("c"), "NOT_FOUND");
}

TEST_F(DbUserMemTableTest, FactoriesComeAndGo) {
  Open(UserOptions());
  PutRange(0, 300, 1);
  Open();
  ExpectModel();
  PutRange(200, 400, 2);
  Open(UserOptions());
  ExpectModel();
}

}  // namespace
}  // namespace cairn
