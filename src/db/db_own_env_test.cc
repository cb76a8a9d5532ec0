// A database asks its Env how files of each kind are to be opened, and opens them so.
#include <map>
#include <memory>
#include <string>

#include "db/testing/db_fixture.h"
#include "fiber/mutex.h"
#include "fs/file_names.h"

namespace cairn {
namespace {

// Wishes for a size of buffer of its own for each kind, and remembers what it was asked with.
class WishfulEnv final : public EnvWrapper {
 public:
  enum Wish : size_t { kLogWrite = 1001, kManifestWrite, kTableWrite, kTableRead, kLogRead };

  explicit WishfulEnv(Env* target) : EnvWrapper(target) {}
  EnvOptions OptimizeForLogWrite(const EnvOptions& options, const DBOptions& db) const override {
    return With(EnvWrapper::OptimizeForLogWrite(options, db), kLogWrite);
  }
  EnvOptions OptimizeForManifestWrite(const EnvOptions& options) const override {
    return With(EnvWrapper::OptimizeForManifestWrite(options), kManifestWrite);
  }
  EnvOptions OptimizeForCompactionTableWrite(const EnvOptions& options,
                                             const ImmutableDBOptions& db) const override {
    return With(EnvWrapper::OptimizeForCompactionTableWrite(options, db), kTableWrite);
  }
  EnvOptions OptimizeForCompactionTableRead(const EnvOptions& options,
                                            const ImmutableDBOptions& db) const override {
    return With(EnvWrapper::OptimizeForCompactionTableRead(options, db), kTableRead);
  }
  EnvOptions OptimizeForLogRead(const EnvOptions& options) const override {
    return With(EnvWrapper::OptimizeForLogRead(options), kLogRead);
  }

  Status NewWritableFile(const std::string& f, std::unique_ptr<WritableFile>* r,
                         const EnvOptions& options) override {
    Note("write", f, options);
    return EnvWrapper::NewWritableFile(f, r, options);
  }
  Status NewRandomAccessFile(const std::string& f, std::unique_ptr<RandomAccessFile>* r,
                             const EnvOptions& options) override {
    Note("read", f, options);
    return EnvWrapper::NewRandomAccessFile(f, r, options);
  }
  Status NewSequentialFile(const std::string& f, std::unique_ptr<SequentialFile>* r,
                           const EnvOptions& options) override {
    Note("read", f, options);
    return EnvWrapper::NewSequentialFile(f, r, options);
  }

  // What files of that kind were opened with last; 0: none was.
  size_t Buffer(const std::string& how, FileType type) {
    fiber::MutexLock lock(&mutex_);
    const auto found = buffers_.find({how, type});
    return found == buffers_.end() ? 0 : found->second;
  }

 private:
  static EnvOptions With(EnvOptions options, size_t buffer) {
    options.writable_file_max_buffer_size = buffer;
    return options;
  }
  void Note(const std::string& how, const std::string& path, const EnvOptions& options) {
    uint64_t number;
    FileType type;
    if (!ParseFileName(path.substr(path.rfind('/') + 1), &number, &type)) return;
    fiber::MutexLock lock(&mutex_);
    buffers_[{how, type}] = options.writable_file_max_buffer_size;
  }

  fiber::Mutex mutex_;
  std::map<std::pair<std::string, FileType>, size_t> buffers_ FIBER_GUARDED_BY(mutex_);
};

class DbOwnEnvTest : public testing::DbTest {
 protected:
  ~DbOwnEnvTest() override { db_.reset(); }  // before the Env goes
  WishfulEnv env_{disk_.env.get()};
};

TEST_F(DbOwnEnvTest, FilesAreOpenedAsItWishes) {
  Options options = SmallOptions();
  options.env = &env_;
  Open(options);
  FillAllLevels();
  ExpectModel();
  EXPECT_EQ(WishfulEnv::kLogWrite, env_.Buffer("write", FileType::kWalFile));
  EXPECT_EQ(WishfulEnv::kManifestWrite, env_.Buffer("write", FileType::kDescriptorFile));
  EXPECT_EQ(WishfulEnv::kTableWrite, env_.Buffer("write", FileType::kTableFile));
  EXPECT_EQ(WishfulEnv::kTableRead, env_.Buffer("read", FileType::kTableFile));
  Open(options);
  ExpectModel();
  EXPECT_EQ(WishfulEnv::kLogRead, env_.Buffer("read", FileType::kWalFile));
}

}  // namespace
}  // namespace cairn
