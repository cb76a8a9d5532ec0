// ReadOptions::request_id: which calls of the file system are told of it.
#include <set>

#include "db/testing/db_fixture.h"
#include "fiber/mutex.h"

namespace cairn {
namespace {

using testing::Key;
using testing::Value;

// Notes whose each read of a table is; "" of nobody's.
class Witness final : public FileSystemWrapper {
 public:
  explicit Witness(const std::shared_ptr<FileSystem>& target) : FileSystemWrapper(target) {}
  const char* Name() const override { return "Witness"; }
  IOStatus NewRandomAccessFile(const std::string& path, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* dbg) override {
    IOStatus s = target()->NewRandomAccessFile(path, options, file, dbg);
    if (s.ok()) *file = std::make_unique<File>(std::move(*file), this);
    return s;
  }
  std::set<std::string> Take() {
    fiber::MutexLock lock(&mutex_);
    return std::exchange(seen_, {});
  }

 private:
  class File final : public FSRandomAccessFileOwnerWrapper {
   public:
    File(std::unique_ptr<FSRandomAccessFile> file, Witness* witness)
        : FSRandomAccessFileOwnerWrapper(std::move(file)), witness_(witness) {}
    IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                  IODebugContext* dbg) const override {
      witness_->Note(options, dbg);
      return target()->Read(offset, n, options, result, scratch, dbg);
    }
    IOStatus MultiRead(FSReadRequest* requests, size_t count, const IOOptions& options,
                       IODebugContext* dbg) override {
      witness_->Note(options, dbg);
      return target()->MultiRead(requests, count, options, dbg);
    }
    IOStatus ReadAsync(FSReadRequest& request, const IOOptions& options,
                       std::function<void(FSReadRequest&, void*)> done, void* argument,
                       void** handle, IOHandleDeleter* deleter, IODebugContext* dbg) override {
      witness_->Note(options, dbg);
      return target()->ReadAsync(request, options, std::move(done), argument, handle, deleter, dbg);
    }

   private:
    Witness* const witness_;
  };
  void Note(const IOOptions& options, const IODebugContext* dbg) {
    fiber::MutexLock lock(&mutex_);
    EXPECT_EQ(options.request_id != nullptr, dbg != nullptr);
    if (dbg != nullptr) {
      EXPECT_EQ(*options.request_id, dbg->request_id);
      EXPECT_EQ(dbg->trace_data, 1u);
    }
    seen_.insert(dbg == nullptr ? "" : dbg->request_id);
  }

  fiber::Mutex mutex_;
  std::set<std::string> seen_ FIBER_GUARDED_BY(mutex_);
};

using Names = std::set<std::string>;

class DbRequestIdTest : public testing::DbTest {};

TEST_F(DbRequestIdTest, ReadsTellWhoseTheyAre) {
  const auto witness = std::make_shared<Witness>(disk_.faults);
  const std::unique_ptr<Env> env = NewCompositeEnv(witness);
  Options options = SmallOptions();
  options.env = env.get();
  options.enable_blob_files = true;
  options.min_blob_size = 1000;
  BlockBasedTableOptions table;
  table.no_block_cache = true;
  table.block_size = 500;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  Open(options);
  PutRange(0, 500, 1);
  PutRange(500, 520, 1, 3000);
  Flush();
  WaitForCompactions();
  for (const bool async : {false, true}) {
    const std::string name = "request 7";
    ReadOptions read;
    read.async_io = async;
    read.request_id = &name;
    std::string value;
    (void)witness->Take();
    ASSERT_TRUE(db_->Get(read, Key(3), &value).ok());
    EXPECT_EQ(witness->Take(), Names{name});
    ASSERT_TRUE(db_->Get(read, Key(510), &value).ok());
    EXPECT_EQ(witness->Take(), Names{name});
    const std::vector<std::string> texts = {Key(1), Key(200), Key(501)};
    const std::vector<Slice> keys(texts.begin(), texts.end());
    std::vector<std::string> values;
    for (const Status& s : db_->MultiGet(read, keys, &values)) EXPECT_TRUE(s.ok());
    EXPECT_EQ(witness->Take(), Names{name});
    {
      const std::unique_ptr<Iterator> it(db_->NewIterator(read));
      size_t entries = 0;
      for (it->SeekToFirst(); it->Valid(); it->Next()) ++entries;
      EXPECT_EQ(entries, model_.size());
      EXPECT_EQ(witness->Take(), Names{name});
    }
    read.request_id = nullptr;
    ASSERT_TRUE(db_->Get(read, Key(3), &value).ok());
    EXPECT_EQ(witness->Take(), Names{""});
  }
  db_.reset();
}

}  // namespace
}  // namespace cairn
