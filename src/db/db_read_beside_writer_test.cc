// Opens for reading beside a process that writes: between any two operations of the reader's the
// writer flushes, compacts, begins a MANIFEST or appends to one, and deletes what it does not need
// any more. Whatever falls between: the open succeeds, and shows what was acknowledged before it.
#include <functional>

#include "db/testing/db_fixture.h"
#include "rocksdb/file_system.h"
#include "rocksdb/utilities/options_util.h"
#include "rocksdb/write_batch.h"

namespace cairn {
namespace {

using testing::kDbName;

// The reader's: runs something before its nth operation, or before each.
class BetweenFileSystem final : public FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  static const char* kClassName() { return "BetweenFileSystem"; }
  const char* Name() const override { return kClassName(); }

  void RunBefore(uint64_t nth, std::function<void()> what) {
    left_ = nth;
    what_ = std::move(what);
  }
  bool WasRun() const { return what_ == nullptr; }
  void RunBeforeEach(std::function<void()> what) { before_each_ = std::move(what); }

  IOStatus NewSequentialFile(const std::string& path, const FileOptions& options,
                             std::unique_ptr<FSSequentialFile>* file,
                             IODebugContext* dbg) override {
    Step();
    IOStatus s = FileSystemWrapper::NewSequentialFile(path, options, file, dbg);
    if (s.ok()) *file = std::make_unique<File>(std::move(*file), this);
    return s;
  }
  IOStatus NewRandomAccessFile(const std::string& path, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* dbg) override {
    Step();
    return FileSystemWrapper::NewRandomAccessFile(path, options, file, dbg);
  }
  IOStatus GetChildren(const std::string& dir, const IOOptions& options,
                       std::vector<std::string>* names, IODebugContext* dbg) override {
    Step();
    return FileSystemWrapper::GetChildren(dir, options, names, dbg);
  }
  IOStatus GetFileSize(const std::string& path, const IOOptions& options, uint64_t* size,
                       IODebugContext* dbg) override {
    Step();
    return FileSystemWrapper::GetFileSize(path, options, size, dbg);
  }
  IOStatus FileExists(const std::string& path, const IOOptions& options,
                      IODebugContext* dbg) override {
    Step();
    return FileSystemWrapper::FileExists(path, options, dbg);
  }

 private:
  class File final : public FSSequentialFileOwnerWrapper {
   public:
    File(std::unique_ptr<FSSequentialFile> file, BetweenFileSystem* owner)
        : FSSequentialFileOwnerWrapper(std::move(file)), owner_(owner) {}
    IOStatus Read(size_t n, const IOOptions& options, Slice* result, char* scratch,
                  IODebugContext* dbg) override {
      owner_->Step();
      return FSSequentialFileOwnerWrapper::Read(n, options, result, scratch, dbg);
    }

   private:
    BetweenFileSystem* const owner_;
  };

  void Step() {
    if (before_each_ != nullptr) before_each_();
    if (what_ == nullptr || --left_ > 0) return;
    std::exchange(what_, nullptr)();
  }

  uint64_t left_ = 0;
  std::function<void()> what_;
  std::function<void()> before_each_;
};

class DbReadBesideWriterTest : public testing::DbTest {
 protected:
  void SetUp() override {
    options_ = SmallOptions();
    options_.disable_auto_compactions = true;
    options_.create_missing_column_families = true;
  }
  void TearDown() override {
    for (ColumnFamilyHandle* handle : handles_) delete handle;
    handles_.clear();
    db_.reset();
  }
  static std::vector<ColumnFamilyDescriptor> Families(const Options& options) {
    return {{"default", options}, {"one", options}};
  }
  void OpenWriter() {
    const Status s = DB::Open(options_, kDbName, Families(options_), &handles_, &db_);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void Write() {
    WriteBatch batch;
    const std::string n = std::to_string(++written_);
    for (ColumnFamilyHandle* handle : handles_) {
      ASSERT_TRUE(batch.Put(handle, "#", n).ok());
      ASSERT_TRUE(batch.Put(handle, "k" + n, n).ok());
    }
    ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  }
  void FlushAll() { ASSERT_TRUE(db_->Flush(FlushOptions(), handles_).ok()); }
  void CompactAll() {
    for (ColumnFamilyHandle* handle : handles_) {
      ASSERT_TRUE(db_->CompactRange(CompactRangeOptions(), handle, nullptr, nullptr).ok());
    }
  }
  // What is not needed any more is gone when it returns.
  void RemoveObsolete() {
    ASSERT_TRUE(db_->DisableFileDeletions().ok());
    ASSERT_TRUE(db_->EnableFileDeletions(/*force=*/true).ok());
  }
  // The writer's life between two operations of the reader: its `kind`.
  void Act(int kind) {
    Write();
    switch (kind) {
      case 0:  // the log grows
        break;
      case 1:  // a log and a part of the MANIFEST come, logs go
        FlushAll();
        Write();
        RemoveObsolete();
        break;
      case 2:  // tables go
        FlushAll();
        CompactAll();
        Write();
        RemoveObsolete();
        break;
      case 3:  // families disagree, OPTIONS changes
        ASSERT_TRUE(db_->Flush(FlushOptions(), handles_[1]).ok());
        Write();
        ASSERT_TRUE(db_->SetOptions(handles_[1], {{"write_buffer_size", "131072"}}).ok());
        RemoveObsolete();
        break;
    }
  }
  // All that was written before `known`, and some first ones of the later.
  void ExpectAtLeast(DB* reader, const std::vector<ColumnFamilyHandle*>& handles, uint64_t known) {
    uint64_t found[2];
    for (const size_t f : {0, 1}) {
      std::string value;
      const Status s = reader->Get(ReadOptions(), handles[f], "#", &value);
      ASSERT_TRUE(s.ok()) << s.ToString();
      found[f] = std::stoull(value);
      for (uint64_t n = 1; n <= found[f]; ++n) {
        const Status got = reader->Get(ReadOptions(), handles[f], "k" + std::to_string(n), &value);
        ASSERT_TRUE(got.ok()) << n << " of " << found[f] << ": " << got.ToString();
      }
    }
    EXPECT_EQ(found[0], found[1]);
    EXPECT_GE(found[0], known);
  }

  // Runs the writer's life before each operation of `look`.
  void BeforeEachOperation(int kind,
                           const std::function<Status(const Options&, uint64_t known)>& look) {
    OpenWriter();
    Write();
    FlushAll();
    Write();
    for (uint64_t nth = 1;; ++nth) {
      SCOPED_TRACE("kind " + std::to_string(kind) + ", operation " + std::to_string(nth));
      auto between = std::make_shared<BetweenFileSystem>(disk_.memory);
      const std::unique_ptr<Env> env = NewCompositeEnv(between);
      Options options = options_;
      options.env = env.get();
      const uint64_t known = written_;
      between->RunBefore(nth, [&] { Act(kind); });
      const Status s = look(options, known);
      ASSERT_TRUE(s.ok()) << s.ToString();
      if (HasFailure() || !between->WasRun()) break;
      ASSERT_LT(nth, 500u);
      if (nth % 8 == 0) {
        FlushAll();
        CompactAll();
      }
    }
    TearDown();
  }

  Options options_;
  std::vector<ColumnFamilyHandle*> handles_;
  uint64_t written_ = 0;
};

class DbReadBesideWriterKinds : public DbReadBesideWriterTest,
                                public ::testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Kinds, DbReadBesideWriterKinds, ::testing::Range(0, 8));

TEST_P(DbReadBesideWriterKinds, OpenForReadOnly) {
  // In some each edit begins a MANIFEST.
  if (GetParam() >= 4) options_.max_manifest_file_size = 1;
  for (const WALRecoveryMode mode :
       {WALRecoveryMode::kPointInTimeRecovery, WALRecoveryMode::kAbsoluteConsistency}) {
    BeforeEachOperation(GetParam() % 4, [&](Options options, uint64_t known) {
      options.wal_recovery_mode = mode;
      std::unique_ptr<DB> reader;
      std::vector<ColumnFamilyHandle*> handles;
      const Status s = DB::OpenForReadOnly(options, kDbName, Families(options), &handles, &reader);
      if (s.ok()) ExpectAtLeast(reader.get(), handles, known);
      for (ColumnFamilyHandle* handle : handles) delete handle;
      return s;
    });
  }
}

TEST_P(DbReadBesideWriterKinds, OpenAsSecondary) {
  if (GetParam() >= 4) options_.max_manifest_file_size = 1;
  BeforeEachOperation(GetParam() % 4, [&](const Options& options, uint64_t known) {
    std::unique_ptr<DB> reader;
    std::vector<ColumnFamilyHandle*> handles;
    const Status s =
        DB::OpenAsSecondary(options, kDbName, "/secondary", Families(options), &handles, &reader);
    if (s.ok()) ExpectAtLeast(reader.get(), handles, known);
    for (ColumnFamilyHandle* handle : handles) delete handle;
    return s;
  });
}

TEST_P(DbReadBesideWriterKinds, NamesAndOptions) {
  if (GetParam() >= 4) options_.max_manifest_file_size = 1;
  BeforeEachOperation(GetParam() % 4, [&](const Options& options, uint64_t /*known*/) {
    std::vector<std::string> names;
    Status s = DB::ListColumnFamilies(options, kDbName, &names);
    EXPECT_EQ(names.size(), 2u);
    if (!s.ok()) return s;
    DBOptions db_options;
    std::vector<ColumnFamilyDescriptor> families;
    s = LoadLatestOptions(kDbName, options.env, &db_options, &families);
    EXPECT_EQ(families.size(), 2u);
    return s;
  });
}

// Whenever the reader looks, the MANIFEST has gone on: it ends all the same, with a state that the
// database had after the call began.
TEST_F(DbReadBesideWriterTest, AWriterThatNeverPauses) {
  OpenWriter();
  Write();
  FlushAll();
  auto between = std::make_shared<BetweenFileSystem>(disk_.memory);
  const std::unique_ptr<Env> env = NewCompositeEnv(between);
  Options options = options_;
  options.env = env.get();
  constexpr int kMany = 200;
  int operations = 0;
  int others = 0;
  between->RunBeforeEach([&] {
    if (++operations > kMany) return;  // and it never ended
    Write();                           // which lets the reader's other fibers come here, too
    ColumnFamilyHandle* handle = nullptr;
    const std::string name = "another " + std::to_string(++others);
    ASSERT_TRUE(db_->CreateColumnFamily(options_, name, &handle).ok());
    ASSERT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
  });
  std::vector<std::string> names;
  Status s = DB::ListColumnFamilies(options, kDbName, &names);
  EXPECT_TRUE(s.ok()) << s.ToString();
  EXPECT_GE(names.size(), 2u);
  EXPECT_LE(operations, kMany);

  operations = 0;
  const uint64_t known = written_;
  std::unique_ptr<DB> reader;
  std::vector<ColumnFamilyHandle*> handles;
  s = DB::OpenForReadOnly(options, kDbName, Families(options), &handles, &reader);
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_LE(operations, kMany);
  between->RunBeforeEach(nullptr);
  ExpectAtLeast(reader.get(), handles, known);
  for (ColumnFamilyHandle* handle : handles) delete handle;
}

}  // namespace
}  // namespace cairn
