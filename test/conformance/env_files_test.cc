// An Env's own functions for files, and databases over an Env of the user's that has some.
#include <atomic>
#include <functional>

#include "conformance.h"

namespace conformance {
namespace {

// --- Through an Env

class EnvFilesTest : public DBTest {
 protected:
  std::string Path(const std::string& name) { return root_ + "/" + name; }
  void Write(const std::string& name, const std::string& data) {
    std::unique_ptr<WritableFile> file;
    ASSERT_OK(TheEnv()->NewWritableFile(Path(name), &file, EnvOptions()));
    ASSERT_OK(file->Append(data));
    ASSERT_OK(file->Flush());
    ASSERT_OK(file->Sync());
    EXPECT_EQ(data.size(), file->GetFileSize());
    ASSERT_OK(file->Close());
  }
  std::string Read(const std::string& name) {
    std::string data;
    EXPECT_OK(ReadFileToString(TheEnv(), Path(name), &data));
    return data;
  }
};

TEST_F(EnvFilesTest, AFileIsReadFromItsStart) {
  Write("a", "hello world");
  std::unique_ptr<SequentialFile> file;
  ASSERT_OK(TheEnv()->NewSequentialFile(Path("a"), &file, EnvOptions()));
  char scratch[100];
  Slice got;
  ASSERT_OK(file->Read(5, &got, scratch));
  EXPECT_EQ("hello", got.ToString());
  ASSERT_OK(file->Skip(1));
  ASSERT_OK(file->Read(100, &got, scratch));
  EXPECT_EQ("world", got.ToString());
  ASSERT_OK(file->Read(1, &got, scratch));
  EXPECT_EQ("", got.ToString());
  EXPECT_FALSE(file->use_direct_io());
}

TEST_F(EnvFilesTest, AFileIsReadAnywhere) {
  Write("a", "0123456789");
  std::unique_ptr<RandomAccessFile> file;
  ASSERT_OK(TheEnv()->NewRandomAccessFile(Path("a"), &file, EnvOptions()));
  char scratch[3][10];
  Slice got;
  ASSERT_OK(file->Read(3, 4, &got, scratch[0]));
  EXPECT_EQ("3456", got.ToString());
  ASSERT_OK(file->Read(8, 10, &got, scratch[0]));
  EXPECT_EQ("89", got.ToString());
  ReadRequest requests[3];
  const uint64_t offsets[] = {7, 0, 4};
  for (int i = 0; i < 3; ++i) {
    requests[i].offset = offsets[i];
    requests[i].len = 2;
    requests[i].scratch = scratch[i];
  }
  ASSERT_OK(file->MultiRead(requests, 3));
  const char* const expected[] = {"78", "01", "45"};
  for (int i = 0; i < 3; ++i) {
    EXPECT_OK(requests[i].status);
    EXPECT_EQ(expected[i], requests[i].result.ToString());
  }
  file->Hint(RandomAccessFile::RANDOM);
  EXPECT_OK(file->Prefetch(0, 10));
}

TEST_F(EnvFilesTest, AFileIsWrittenAnewOrOn) {
  Write("a", "one");
  Write("a", "two");
  EXPECT_EQ("two", Read("a"));
  std::unique_ptr<WritableFile> file;
  ASSERT_OK(TheEnv()->ReopenWritableFile(Path("a"), &file, EnvOptions()));
  ASSERT_OK(file->Append("three"));
  ASSERT_OK(file->Fsync());
  ASSERT_OK(file->Close());
  EXPECT_EQ("twothree", Read("a"));
  ASSERT_OK(TheEnv()->ReuseWritableFile(Path("b"), Path("a"), &file, EnvOptions()));
  ASSERT_OK(file->Append("ONE"));
  ASSERT_OK(file->Close());
  EXPECT_EQ("ONE", Read("b").substr(0, 3));
  EXPECT_CODE(NotFound, TheEnv()->FileExists(Path("a")));
}

TEST_F(EnvFilesTest, AFileIsReadAndWrittenAnywhere) {
  std::unique_ptr<RandomRWFile> file;
  const Status missing = TheEnv()->NewRandomRWFile(Path("none"), &file, EnvOptions());
  EXPECT_TRUE(missing.IsPathNotFound() || missing.IsNotFound()) << missing.ToString();
  Write("a", "0123456789");
  ASSERT_OK(TheEnv()->NewRandomRWFile(Path("a"), &file, EnvOptions()));
  ASSERT_OK(file->Write(4, "four"));
  char scratch[20];
  Slice got;
  ASSERT_OK(file->Read(2, 8, &got, scratch));
  EXPECT_EQ("23four89", got.ToString());
  ASSERT_OK(file->Write(12, "ab"));
  ASSERT_OK(file->Read(10, 20, &got, scratch));
  EXPECT_EQ(std::string("\0\0ab", 4), got.ToString());
  ASSERT_OK(file->Flush());
  ASSERT_OK(file->Sync());
  ASSERT_OK(file->Fsync());
  ASSERT_OK(file->Close());
  EXPECT_EQ(14u, Read("a").size());
}

TEST_F(EnvFilesTest, NamesSizesAndLinks) {
  Env* const env = TheEnv();
  Write("a", "12345");
  ASSERT_OK(env->LinkFile(Path("a"), Path("b")));
  uint64_t links = 0;
  ASSERT_OK(env->NumFileLinks(Path("a"), &links));
  EXPECT_EQ(2u, links);
  bool same = false;
  ASSERT_OK(env->AreFilesSame(Path("a"), Path("b"), &same));
  EXPECT_TRUE(same);
  std::vector<Env::FileAttributes> files;
  ASSERT_OK(env->GetChildrenFileAttributes(root_, &files));
  uint64_t bytes = 0;
  for (const auto& file : files) {
    if (file.name == "a" || file.name == "b") bytes += file.size_bytes;
  }
  EXPECT_EQ(10u, bytes);
  std::unique_ptr<Directory> directory;
  ASSERT_OK(env->NewDirectory(root_, &directory));
  EXPECT_OK(directory->Fsync());
  EXPECT_OK(directory->Close());
  std::unique_ptr<SequentialFile> none;
  const Status s = env->NewSequentialFile(Path("none"), &none, EnvOptions());
  EXPECT_TRUE(s.IsPathNotFound() || s.IsNotFound()) << s.ToString();
}

TEST_F(EnvFilesTest, OptionsForEachKindOfFile) {
  DBOptions db;
  db.wal_bytes_per_sync = 12345;
  db.bytes_per_sync = 1;
  db.use_direct_reads = true;
  const EnvOptions any(db);
  EXPECT_TRUE(any.use_direct_reads);
  EXPECT_FALSE(TheEnv()->OptimizeForLogRead(any).use_direct_reads);
  EXPECT_FALSE(TheEnv()->OptimizeForManifestRead(any).use_direct_reads);
  EXPECT_EQ(12345u, TheEnv()->OptimizeForLogWrite(any, db).bytes_per_sync);
  EXPECT_EQ(1u, TheEnv()->OptimizeForManifestWrite(any).bytes_per_sync);
}

// --- Below a database

// What an Env does with its files.
struct Conduct {
  std::atomic<int> opened{0}, reads{0}, writes{0};
  std::atomic<int> fail_write_in{-1};  // 0: the next one fails
  bool FailsWrite() { return fail_write_in >= 0 && fail_write_in-- == 0; }
};

std::string Scrambled(const Slice& data) {
  std::string bytes = data.ToString();
  for (char& c : bytes) c = static_cast<char>(c ^ 0x5a);
  return bytes;
}

void Unscramble(Slice* result, char* scratch) {
  const std::string bytes = Scrambled(*result);
  memcpy(scratch, bytes.data(), bytes.size());
  *result = Slice(scratch, bytes.size());
}

class ScrambledSequentialFile final : public SequentialFileWrapper {
 public:
  ScrambledSequentialFile(std::unique_ptr<SequentialFile> file, Conduct* conduct)
      : SequentialFileWrapper(file.get()), file_(std::move(file)), conduct_(*conduct) {}
  Status Read(size_t n, Slice* result, char* scratch) override {
    ++conduct_.reads;
    Status s = SequentialFileWrapper::Read(n, result, scratch);
    if (s.ok()) Unscramble(result, scratch);
    return s;
  }

 private:
  const std::unique_ptr<SequentialFile> file_;
  Conduct& conduct_;
};

class ScrambledRandomAccessFile final : public RandomAccessFile {
 public:
  ScrambledRandomAccessFile(std::unique_ptr<RandomAccessFile> file, Conduct* conduct)
      : file_(std::move(file)), conduct_(*conduct) {}
  Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const override {
    ++conduct_.reads;
    Status s = file_->Read(offset, n, result, scratch);
    if (s.ok()) Unscramble(result, scratch);
    return s;
  }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  Conduct& conduct_;
};

class ScrambledWritableFile final : public WritableFileWrapper {
 public:
  ScrambledWritableFile(std::unique_ptr<WritableFile> file, Conduct* conduct)
      : WritableFileWrapper(file.get()), file_(std::move(file)), conduct_(*conduct) {}
  Status Append(const Slice& data) override {
    ++conduct_.writes;
    if (conduct_.FailsWrite()) return Status::IOError("the user's Env says no");
    return WritableFileWrapper::Append(Scrambled(data));
  }
  Status Append(const Slice& data, const DataVerificationInfo& /*info*/) override {
    return Append(data);
  }

 private:
  const std::unique_ptr<WritableFile> file_;
  Conduct& conduct_;
};

// Stores nothing as it is.
class ScramblingEnv final : public EnvWrapper {
 public:
  explicit ScramblingEnv(Conduct* conduct) : EnvWrapper(TheEnv()), conduct_(*conduct) {}
  const char* Name() const override { return "ScramblingEnv"; }

  Status NewSequentialFile(const std::string& f, std::unique_ptr<SequentialFile>* r,
                           const EnvOptions& options) override {
    std::unique_ptr<SequentialFile> file;
    Status s = target()->NewSequentialFile(f, &file, options);
    if (s.ok()) r->reset(new ScrambledSequentialFile(std::move(file), &conduct_));
    return s;
  }
  Status NewRandomAccessFile(const std::string& f, std::unique_ptr<RandomAccessFile>* r,
                             const EnvOptions& options) override {
    ++conduct_.opened;
    std::unique_ptr<RandomAccessFile> file;
    Status s = target()->NewRandomAccessFile(f, &file, options);
    if (s.ok()) r->reset(new ScrambledRandomAccessFile(std::move(file), &conduct_));
    return s;
  }
  Status NewWritableFile(const std::string& f, std::unique_ptr<WritableFile>* r,
                         const EnvOptions& options) override {
    return Wrap(r, [&](std::unique_ptr<WritableFile>* file) {
      return target()->NewWritableFile(f, file, options);
    });
  }
  Status ReopenWritableFile(const std::string& f, std::unique_ptr<WritableFile>* r,
                            const EnvOptions& options) override {
    return Wrap(r, [&](std::unique_ptr<WritableFile>* file) {
      return target()->ReopenWritableFile(f, file, options);
    });
  }
  Status ReuseWritableFile(const std::string& f, const std::string& old,
                           std::unique_ptr<WritableFile>* r, const EnvOptions& options) override {
    return Wrap(r, [&](std::unique_ptr<WritableFile>* file) {
      return target()->ReuseWritableFile(f, old, file, options);
    });
  }

 private:
  Status Wrap(std::unique_ptr<WritableFile>* result,
              const std::function<Status(std::unique_ptr<WritableFile>*)>& create) {
    std::unique_ptr<WritableFile> file;
    Status s = create(&file);
    if (s.ok()) result->reset(new ScrambledWritableFile(std::move(file), &conduct_));
    return s;
  }

  Conduct& conduct_;
};

class OwnEnvFilesTest : public DBTest {
 protected:
  OwnEnvFilesTest() {
    options_.env = &env_;
    options_.disable_auto_compactions = true;
  }
  ~OwnEnvFilesTest() override { Shut(); }  // before the Env goes

  // Whether a file of the database has these bytes.
  bool IsOnDisk(const std::string& bytes) {
    std::vector<std::string> names;
    EXPECT_OK(TheEnv()->GetChildren(dir_, &names));
    for (const std::string& name : names) {
      std::string data;
      if (name == "." || name == ".." || name.find("LOG") != std::string::npos) continue;
      if (!ReadFileToString(TheEnv(), dir_ + "/" + name, &data).ok()) continue;
      if (data.find(bytes) != std::string::npos) return true;
    }
    return false;
  }

  Conduct conduct_;
  ScramblingEnv env_{&conduct_};
};

TEST_F(OwnEnvFilesTest, ADatabaseReadsAndWritesThroughIt) {
  Open();
  for (int i = 0; i < 200; ++i) ASSERT_OK(Put(Key(i), "plain-text-" + std::to_string(i)));
  ASSERT_OK(Flush());
  for (int i = 100; i < 300; ++i) ASSERT_OK(Put(Key(i), "newer-text-" + std::to_string(i)));
  ASSERT_OK(db_->SyncWAL());
  EXPECT_FALSE(IsOnDisk("plain-text"));
  EXPECT_FALSE(IsOnDisk("newer-text"));
  EXPECT_TRUE(IsOnDisk(Scrambled("plain-text")));
  EXPECT_TRUE(IsOnDisk(Scrambled("newer-text")));

  Open();
  EXPECT_EQ("plain-text-99", Get(Key(99)));
  EXPECT_EQ("newer-text-100", Get(Key(100)));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_EQ("newer-text-299", Get(Key(299)));
  std::vector<std::string> keys = {Key(1), Key(150), Key(1000)}, values;
  const std::vector<Slice> slices(keys.begin(), keys.end());
  const std::vector<Status> statuses = db_->MultiGet(ReadOptions(), slices, &values);
  EXPECT_OK(statuses[0]);
  EXPECT_EQ("plain-text-1", values[0]);
  EXPECT_EQ("newer-text-150", values[1]);
  EXPECT_TRUE(statuses[2].IsNotFound());
  EXPECT_GT(conduct_.opened, 0);
  EXPECT_GT(conduct_.reads, 0);
  EXPECT_GT(conduct_.writes, 0);
}

TEST_F(OwnEnvFilesTest, WithoutItTheFilesMakeNoSense) {
  Open();
  ASSERT_OK(Put("a", "1"));
  Shut();
  options_.env = TheEnv();
  EXPECT_FALSE(TryOpen().ok());
  options_.env = &env_;
  Open();
  EXPECT_EQ("1", Get("a"));
}

TEST_F(OwnEnvFilesTest, AnAsynchronousScanGoesThroughIt) {
  Open();
  std::string expected;
  for (int i = 0; i < 300; ++i) {
    ASSERT_OK(Put(Key(i), std::string(100, static_cast<char>('a' + i % 26))));
    expected +=
        (i == 0 ? "" : ",") + Key(i) + "=" + std::string(100, static_cast<char>('a' + i % 26));
  }
  ASSERT_OK(Flush());
  Open();
  ReadOptions options;
  options.async_io = true;
  options.readahead_size = 4096;
  EXPECT_EQ(expected, Contents(options));
}

TEST_F(OwnEnvFilesTest, RecycledLogsGoThroughIt) {
  options_.recycle_log_file_num = 2;
  Open();
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 20; ++i) ASSERT_OK(Put(Key(i), std::to_string(round * 100 + i)));
    ASSERT_OK(Flush());
  }
  ASSERT_OK(Put("last", "word"));
  Open();
  EXPECT_EQ("307", Get(Key(7)));
  EXPECT_EQ("word", Get("last"));
}

// At each write in turn: nothing that was acknowledged is lost.
TEST_F(OwnEnvFilesTest, ItsErrorsAreTheDatabases) {
  for (int n = 0; n < 25; ++n) {
    SCOPED_TRACE(n);
    conduct_.fail_write_in = -1;
    Open();
    ASSERT_OK(Put("acknowledged", std::to_string(n)));
    conduct_.fail_write_in = n;
    std::string last = std::to_string(n);
    Status s;
    for (int i = 0; i < 8 && s.ok(); ++i) {
      s = Put("acknowledged", std::to_string(n) + "." + std::to_string(i));
      if (s.ok()) last = std::to_string(n) + "." + std::to_string(i);
    }
    if (s.ok()) Flush().PermitUncheckedError();
    conduct_.fail_write_in = -1;
    Open();
    const std::string now = Get("acknowledged");
    // (What failed may be there all the same.)
    EXPECT_TRUE(now == last ||
                now.substr(0, std::to_string(n).size() + 1) == std::to_string(n) + ".")
        << now << " instead of " << last;
    if (s.ok()) {
      EXPECT_EQ(last, now);
    }
  }
}

}  // namespace
}  // namespace conformance
