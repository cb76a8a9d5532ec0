// MultiGet over file systems that are not ours: what a user's own must do for its reads to overlap,
// on a plain thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fiber/mutex.h"
#include "fiber/runtime.h"
#include "fs/memory_file_system.h"
#include "read/point_lookup.h"
#include "read/testing/lsm_fixture.h"
#include "rocksdb/file_system.h"

namespace cairn {
namespace {

// Files in memory. With `asynchronous` ReadAsync only notes what is to be read, and Poll reads it;
// without, there is Read alone.
class UsersDisk final : public FileSystemWrapper {
 public:
  explicit UsersDisk(bool asynchronous)
      : FileSystemWrapper(std::make_shared<MemoryFileSystem>()), asynchronous_(asynchronous) {}
  const char* Name() const override { return "UsersDisk"; }

  IOStatus NewRandomAccessFile(const std::string& name, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* dbg) override {
    std::unique_ptr<FSRandomAccessFile> target;
    IOStatus s = FileSystemWrapper::NewRandomAccessFile(name, options, &target, dbg);
    if (s.ok()) *file = std::make_unique<File>(this, std::move(target));
    return s;
  }

  IOStatus Poll(std::vector<void*>& handles, size_t) override {
    for (void* handle : handles) {
      auto* pending = static_cast<Pending*>(handle);
      if (pending->over) continue;
      pending->over = true;
      --started_;
      FSReadRequest& req = pending->request;
      req.status = pending->target->Read(req.offset, req.len, IOOptions(), &req.result, req.scratch,
                                         nullptr);
      pending->callback(req, pending->argument);
    }
    return IOStatus::OK();
  }
  IOStatus AbortIO(std::vector<void*>& handles) override {
    for (void* handle : handles) {
      auto* pending = static_cast<Pending*>(handle);
      if (!pending->over) --started_;
      pending->over = true;
    }
    return IOStatus::OK();
  }

  // While nobody reads.
  void ResetCounts() { reads = reads_on_fibers = most_started = 0; }

  int reads = 0;            // by Read
  int reads_on_fibers = 0;  // of them those that would block others of the same thread
  int most_started = 0;     // by ReadAsync and not polled yet
  int started() const { return started_; }

 private:
  struct Pending {
    FSReadRequest request;
    FSRandomAccessFile* target;
    std::function<void(FSReadRequest&, void*)> callback;
    void* argument;
    bool over = false;
  };

  class File final : public FSRandomAccessFile {
   public:
    File(UsersDisk* disk, std::unique_ptr<FSRandomAccessFile> target)
        : disk_(disk), target_(std::move(target)) {}
    IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                  IODebugContext* dbg) const override {
      {
        fiber::MutexLock lock(&disk_->mutex_);
        ++disk_->reads;
        disk_->reads_on_fibers += fiber::in_fiber();
      }
      return target_->Read(offset, n, options, result, scratch, dbg);
    }
    IOStatus ReadAsync(FSReadRequest& req, const IOOptions& options,
                       std::function<void(FSReadRequest&, void*)> callback, void* argument,
                       void** handle, IOHandleDeleter* deleter, IODebugContext* dbg) override {
      if (!disk_->asynchronous_) {
        return FSRandomAccessFile::ReadAsync(req, options, std::move(callback), argument, handle,
                                             deleter, dbg);
      }
      auto* pending = new Pending{{}, target_.get(), std::move(callback), argument};
      pending->request.offset = req.offset;
      pending->request.len = req.len;
      pending->request.scratch = req.scratch;
      *handle = pending;
      *deleter = [](void* h) { delete static_cast<Pending*>(h); };
      disk_->most_started = std::max(disk_->most_started, ++disk_->started_);
      return IOStatus::OK();
    }

   private:
    UsersDisk* const disk_;
    const std::unique_ptr<FSRandomAccessFile> target_;
  };

  const bool asynchronous_;
  fiber::Mutex mutex_;
  int started_ = 0;
};

class UserFileSystemTest : public ::testing::TestWithParam<bool> {
 protected:
  static constexpr int kKeys = 512, kFiles = 8;

  UserFileSystemTest()
      : disk_(std::make_shared<UsersDisk>(GetParam())),
        lsm_(BytewiseComparator(), LsmFixture::SmallBlocks(), disk_) {
    for (int i = 0; i < kKeys; ++i) lsm_.Add(kTypeValue, Key(i), "value");
    lsm_.FlushToLevel(1, kFiles);
    lsm_.Install();
  }

  // One key of each file, `offset` keys from its beginning.
  void AskEachFile(int offset) {
    std::vector<std::string> keys;
    for (int i = 0; i < kFiles; ++i) keys.push_back(Key(i * (kKeys / kFiles) + offset));
    const std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<PinnableSlice> values(keys.size());
    std::vector<Status> statuses(keys.size());
    ReadOptions options;
    options.async_io = true;
    SuperVersionGuard sv(lsm_.slots());
    MultiGetLookup({options, *sv.get(), lsm_.tables(), lsm_.last_sequence()}, keys.size(),
                   slices.data(), values.data(), statuses.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_TRUE(statuses[i].ok()) << statuses[i].ToString();
      EXPECT_EQ(values[i], "value");
    }
  }

  const std::shared_ptr<UsersDisk> disk_;
  LsmFixture lsm_;
};

INSTANTIATE_TEST_SUITE_P(, UserFileSystemTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "ReadAsync" : "ReadAlone"; });

TEST_P(UserFileSystemTest, ReadsOverlapOnAPlainThread) {
  AskEachFile(3);  // opens the files; what they cannot do is found out
  disk_->ResetCounts();
  AskEachFile(40);
  if (GetParam()) {
    EXPECT_EQ(disk_->most_started, kFiles) << "all are started before the first is waited for";
    EXPECT_EQ(disk_->started(), 0);
  } else {
    EXPECT_GE(disk_->reads, kFiles);
    EXPECT_EQ(disk_->reads_on_fibers, 0) << "by threads of the pool, which a read may block";
  }
}

TEST_P(UserFileSystemTest, OnAFiberToo) {
  fiber::Runtime runtime({.workers = 1});
  runtime
      .spawn([&] {
        AskEachFile(3);
        AskEachFile(40);
      })
      .join();
  EXPECT_EQ(disk_->started(), 0);
  if (GetParam()) {
    EXPECT_EQ(disk_->most_started, kFiles);
  }
}

}  // namespace
}  // namespace cairn
