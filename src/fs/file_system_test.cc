// What every file system must do alike: run over the operating system's, the one in memory, and a
// user's that wraps another and each of its files.

#include <gtest/gtest.h>

#include <algorithm>

#include "fiber/runtime.h"
#include "fs/fiber_file_system.h"
#include "fs/file_reader.h"
#include "fs/file_util.h"
#include "fs/memory_file_system.h"
#include "fs/testing/temp_dir.h"

namespace cairn {
namespace {

// All that a user's wrapper passes on, files included.
class WrappedFileSystem : public FileSystemWrapper {
 public:
  WrappedFileSystem() : FileSystemWrapper(NewFiberFileSystem()) {}
  const char* Name() const override { return "WrappedFileSystem"; }

  IOStatus NewSequentialFile(const std::string& name, const FileOptions& options,
                             std::unique_ptr<FSSequentialFile>* result,
                             IODebugContext* dbg) override {
    IOStatus s = target()->NewSequentialFile(name, options, result, dbg);
    return Wrap<FSSequentialFileOwnerWrapper>(s, result);
  }
  IOStatus NewRandomAccessFile(const std::string& name, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* result,
                               IODebugContext* dbg) override {
    IOStatus s = target()->NewRandomAccessFile(name, options, result, dbg);
    return Wrap<FSRandomAccessFileOwnerWrapper>(s, result);
  }
  IOStatus NewWritableFile(const std::string& name, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* result, IODebugContext* dbg) override {
    IOStatus s = target()->NewWritableFile(name, options, result, dbg);
    return Wrap<FSWritableFileOwnerWrapper>(s, result);
  }
  IOStatus ReopenWritableFile(const std::string& name, const FileOptions& options,
                              std::unique_ptr<FSWritableFile>* result,
                              IODebugContext* dbg) override {
    IOStatus s = target()->ReopenWritableFile(name, options, result, dbg);
    return Wrap<FSWritableFileOwnerWrapper>(s, result);
  }
  IOStatus NewDirectory(const std::string& name, const IOOptions& options,
                        std::unique_ptr<FSDirectory>* result, IODebugContext* dbg) override {
    IOStatus s = target()->NewDirectory(name, options, result, dbg);
    return Wrap<FSDirectoryWrapper>(s, result);
  }

 private:
  template <class Wrapper, class File>
  static IOStatus Wrap(const IOStatus& s, std::unique_ptr<File>* file) {
    if (s.ok()) *file = std::make_unique<Wrapper>(std::move(*file));
    return s;
  }
};

std::shared_ptr<FileSystem> MakeFileSystem(const std::string& kind) {
  if (kind == "memory") return std::make_shared<MemoryFileSystem>();
  if (kind == "wrapped") return std::make_shared<WrappedFileSystem>();
  return NewFiberFileSystem();
}

class FileSystemTest : public ::testing::TestWithParam<const char*> {
 protected:
  FileSystemTest() : fs_(MakeFileSystem(GetParam())), dir_(fs_.get(), "fs") {}

  void Write(const std::string& name, const std::string& data) {
    IOStatus s = WriteStringToFile(fs_.get(), data, dir_.File(name));
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  std::string Read(const std::string& name) {
    std::string data;
    IOStatus s = ReadFileToString(fs_.get(), dir_.File(name), &data);
    return s.ok() ? data : s.ToString();
  }
  std::vector<std::string> Children() {
    std::vector<std::string> names;
    EXPECT_TRUE(fs_->GetChildren(dir_.path(), IOOptions(), &names, nullptr).ok());
    std::sort(names.begin(), names.end());
    return names;
  }

  const std::shared_ptr<FileSystem> fs_;
  testing::TempDir dir_;
};

INSTANTIATE_TEST_SUITE_P(All, FileSystemTest, ::testing::Values("posix", "memory", "wrapped"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(FileSystemTest, WhatWasWrittenIsRead) {
  Write("a", "hello world");
  EXPECT_EQ("hello world", Read("a"));
  Write("a", "shorter");
  EXPECT_EQ("shorter", Read("a"));
  const std::string big(3 << 20, 'x');
  Write("a", big);
  EXPECT_EQ(big, Read("a"));
  uint64_t size = 0;
  ASSERT_TRUE(fs_->GetFileSize(dir_.File("a"), IOOptions(), &size, nullptr).ok());
  EXPECT_EQ(big.size(), size);
  uint64_t mtime = 0;
  ASSERT_TRUE(fs_->GetFileModificationTime(dir_.File("a"), IOOptions(), &mtime, nullptr).ok());
  EXPECT_GT(mtime, 1600000000u);
}

TEST_P(FileSystemTest, RandomReadsStopAtTheEnd) {
  Write("a", "0123456789");
  std::unique_ptr<RandomAccessFileReader> reader;
  ASSERT_TRUE(RandomAccessFileReader::Open(fs_.get(), dir_.File("a"), FileOptions(), &reader).ok());
  char scratch[32];
  Slice result;
  ASSERT_TRUE(reader->Read(IOOptions(), 2, 3, &result, scratch).ok());
  EXPECT_EQ("234", result.ToString());
  ASSERT_TRUE(reader->Read(IOOptions(), 8, 20, &result, scratch).ok());
  EXPECT_EQ("89", result.ToString());
  ASSERT_TRUE(reader->Read(IOOptions(), 10, 5, &result, scratch).ok());
  EXPECT_EQ("", result.ToString());
  ASSERT_TRUE(reader->Read(IOOptions(), 1000, 5, &result, scratch).ok());
  EXPECT_EQ("", result.ToString());
}

TEST_P(FileSystemTest, MultiReadAnswersEachRequest) {
  std::string data;
  for (int i = 0; i < 1000; ++i) data += std::to_string(i) + ",";
  Write("a", data);
  std::unique_ptr<RandomAccessFileReader> reader;
  ASSERT_TRUE(RandomAccessFileReader::Open(fs_.get(), dir_.File("a"), FileOptions(), &reader).ok());
  constexpr size_t kRequests = 70;
  std::vector<FSReadRequest> requests(kRequests);
  std::vector<std::string> buffers(kRequests, std::string(100, '\0'));
  for (size_t i = 0; i < kRequests; ++i) {
    requests[i].offset = i * 60;  // the last ones lie beyond the end
    requests[i].len = 100;
    requests[i].scratch = buffers[i].data();
  }
  ASSERT_TRUE(reader->MultiRead(IOOptions(), requests.data(), kRequests).ok());
  for (size_t i = 0; i < kRequests; ++i) {
    ASSERT_TRUE(requests[i].status.ok()) << requests[i].status.ToString();
    const std::string expected = i * 60 < data.size() ? data.substr(i * 60, 100) : "";
    EXPECT_EQ(expected, requests[i].result.ToString()) << i;
  }
}

// On a plain thread and on a fiber, with whatever the file system leaves to Poll().
TEST_P(FileSystemTest, ReadAsyncCallsBackOnceFromPollOrAtOnce) {
  std::string data;
  while (data.size() < 100000) data += std::to_string(data.size()) + ",";
  Write("a", data);
  const auto body = [&] {
    std::unique_ptr<FSRandomAccessFile> file;
    ASSERT_TRUE(fs_->NewRandomAccessFile(dir_.File("a"), FileOptions(), &file, nullptr).ok());
    (void)file->InvalidateCache(0, 0);
    constexpr size_t kReads = 40;
    constexpr size_t kLen = 5000;
    struct Read {
      std::string scratch = std::string(kLen, '\0');
      int calls = 0;
      IOStatus status;
      std::string result;
      IOHandleDeleter deleter;
    };
    std::vector<Read> reads(kReads);
    std::vector<void*> handles(kReads, nullptr);
    for (size_t i = 0; i < kReads; ++i) {
      FSReadRequest req;
      req.offset = i * 3000;  // the last ones lie beyond the end
      req.len = kLen;
      req.scratch = reads[i].scratch.data();
      const auto callback = [](FSReadRequest& done, void* arg) {
        Read* const read = static_cast<Read*>(arg);
        ++read->calls;
        read->status = done.status;
        read->result = done.result.ToString();
      };
      ASSERT_TRUE(file->ReadAsync(req, IOOptions(), callback, &reads[i], &handles[i],
                                  &reads[i].deleter, nullptr)
                      .ok());
      if (GetParam() != std::string("memory")) {
        EXPECT_EQ(0, reads[i].calls) << "called back by Poll() only";
      }
    }
    const auto completed = [&] {
      size_t n = 0;
      for (const Read& read : reads) n += static_cast<size_t>(read.calls);
      return n;
    };
    ASSERT_TRUE(fs_->Poll(handles, 1).ok());
    EXPECT_GE(completed(), 1u);
    ASSERT_TRUE(fs_->Poll(handles, 7).ok());
    EXPECT_GE(completed(), 7u);
    ASSERT_TRUE(fs_->Poll(handles, kReads).ok());
    EXPECT_EQ(completed(), kReads);
    ASSERT_TRUE(fs_->Poll(handles, kReads).ok());
    for (size_t i = 0; i < kReads; ++i) {
      EXPECT_EQ(1, reads[i].calls);
      ASSERT_TRUE(reads[i].status.ok()) << reads[i].status.ToString();
      EXPECT_EQ(i * 3000 < data.size() ? data.substr(i * 3000, kLen) : "", reads[i].result);
      if (handles[i] != nullptr) reads[i].deleter(handles[i]);
    }
  };
  body();
  fiber::Runtime({.workers = 1, .name = "fs"}).run(body);
}

TEST_P(FileSystemTest, AbortIOEndsReadsWithoutACallback) {
  const std::string data(300000, 'x');
  Write("a", data);
  const auto body = [&] {
    std::unique_ptr<FSRandomAccessFile> file;
    ASSERT_TRUE(fs_->NewRandomAccessFile(dir_.File("a"), FileOptions(), &file, nullptr).ok());
    (void)file->InvalidateCache(0, 0);
    constexpr size_t kReads = 20;
    std::vector<std::string> buffers(kReads, std::string(data.size(), '\0'));
    std::vector<void*> handles(kReads, nullptr);
    std::vector<IOHandleDeleter> deleters(kReads);
    int calls = 0;
    for (size_t i = 0; i < kReads; ++i) {
      FSReadRequest req;
      req.len = data.size();
      req.scratch = buffers[i].data();
      const auto callback = [](FSReadRequest&, void* arg) { ++*static_cast<int*>(arg); };
      ASSERT_TRUE(
          file->ReadAsync(req, IOOptions(), callback, &calls, &handles[i], &deleters[i], nullptr)
              .ok());
    }
    const int before = calls;
    ASSERT_TRUE(fs_->AbortIO(handles).ok());
    ASSERT_TRUE(fs_->Poll(handles, kReads).ok());
    EXPECT_EQ(before, calls);
    for (size_t i = 0; i < kReads; ++i) {
      if (handles[i] != nullptr) deleters[i](handles[i]);
    }
  };
  body();
  fiber::Runtime({.workers = 1, .name = "fs"}).run(body);
}

TEST_P(FileSystemTest, MappedReads) {
  std::string data;
  for (int i = 0; i < 300000; ++i) data.push_back(static_cast<char>(i * 7 / 5));
  Write("a", data);
  Write("empty", "");
  FileOptions options;
  options.use_mmap_reads = true;
  options.use_direct_reads = true;  // which gives way
  const auto body = [&] {
    std::unique_ptr<RandomAccessFileReader> file;
    ASSERT_TRUE(RandomAccessFileReader::Open(fs_.get(), dir_.File("a"), options, &file).ok());
    (void)file->file()->InvalidateCache(0, 0);
    std::string scratch(data.size() + 10, '\0');
    IOOptions io;
    for (const bool timed : {false, true}) {
      io.timeout = std::chrono::seconds(timed ? 3600 : 0);
      for (const auto& [offset, n] : std::vector<std::pair<size_t, size_t>>{{0, 10},
                                                                            {4095, 2},
                                                                            {1000, 200000},
                                                                            {299990, 10},
                                                                            {299990, 20},
                                                                            {300000, 5},
                                                                            {400000, 5},
                                                                            {0, 300000},
                                                                            {7, 0}}) {
        Slice result;
        ASSERT_TRUE(file->Read(io, offset, n, &result, scratch.data()).ok());
        EXPECT_EQ(offset < data.size() ? data.substr(offset, n) : "", result.ToString());
      }
    }
    ASSERT_TRUE(RandomAccessFileReader::Open(fs_.get(), dir_.File("empty"), options, &file).ok());
    Slice result;
    ASSERT_TRUE(file->Read(IOOptions(), 0, 10, &result, scratch.data()).ok());
    EXPECT_TRUE(result.empty());
  };
  body();
  fiber::Runtime({.workers = 1, .name = "fs"}).run(body);
}

// What comes behind the mapping is read all the same.
TEST_P(FileSystemTest, AMappedFileThatGrows) {
  Write("a", "0123456789");
  FileOptions options;
  options.use_mmap_reads = true;
  std::unique_ptr<FSRandomAccessFile> file;
  ASSERT_TRUE(fs_->NewRandomAccessFile(dir_.File("a"), options, &file, nullptr).ok());
  std::unique_ptr<FSWritableFile> more;
  ASSERT_TRUE(fs_->ReopenWritableFile(dir_.File("a"), FileOptions(), &more, nullptr).ok());
  ASSERT_TRUE(more->Append("abc", IOOptions(), nullptr).ok());
  ASSERT_TRUE(more->Close(IOOptions(), nullptr).ok());
  char scratch[16];
  Slice result;
  ASSERT_TRUE(file->Read(8, 16, IOOptions(), &result, scratch, nullptr).ok());
  EXPECT_EQ("89abc", result.ToString());
}

TEST_P(FileSystemTest, SequentialReadsAndSkips) {
  Write("a", "0123456789");
  std::unique_ptr<SequentialFileReader> reader;
  ASSERT_TRUE(SequentialFileReader::Open(fs_.get(), dir_.File("a"), FileOptions(), &reader).ok());
  char scratch[32];
  Slice result;
  ASSERT_TRUE(reader->Read(3, &result, scratch).ok());
  EXPECT_EQ("012", result.ToString());
  ASSERT_TRUE(reader->Skip(2).ok());
  EXPECT_EQ(5u, reader->offset());
  ASSERT_TRUE(reader->Read(30, &result, scratch).ok());
  EXPECT_EQ("56789", result.ToString());
  ASSERT_TRUE(reader->Read(1, &result, scratch).ok());
  EXPECT_TRUE(result.empty());
  ASSERT_TRUE(reader->Skip(100).ok());
  ASSERT_TRUE(reader->Read(1, &result, scratch).ok());
  EXPECT_TRUE(result.empty());
}

TEST_P(FileSystemTest, WritableFilesAppendReopenReuseAndTruncate) {
  std::unique_ptr<FSWritableFile> file;
  const FileOptions options;
  const IOOptions io;
  ASSERT_TRUE(fs_->NewWritableFile(dir_.File("a"), options, &file, nullptr).ok());
  ASSERT_TRUE(file->Append("12345", io, nullptr).ok());
  ASSERT_TRUE(file->Append("67890", io, nullptr).ok());
  EXPECT_EQ(10u, file->GetFileSize(io, nullptr));
  ASSERT_TRUE(file->Truncate(7, io, nullptr).ok());
  ASSERT_TRUE(file->Append("x", io, nullptr).ok());
  ASSERT_TRUE(file->Sync(io, nullptr).ok());
  ASSERT_TRUE(file->Fsync(io, nullptr).ok());
  ASSERT_TRUE(file->Close(io, nullptr).ok());
  EXPECT_EQ("1234567x", Read("a"));

  ASSERT_TRUE(fs_->ReopenWritableFile(dir_.File("a"), options, &file, nullptr).ok());
  EXPECT_EQ(8u, file->GetFileSize(io, nullptr));
  ASSERT_TRUE(file->Append("yz", io, nullptr).ok());
  ASSERT_TRUE(file->Close(io, nullptr).ok());
  EXPECT_EQ("1234567xyz", Read("a"));

  ASSERT_TRUE(fs_->ReuseWritableFile(dir_.File("b"), dir_.File("a"), options, &file, nullptr).ok());
  ASSERT_TRUE(file->Append("AB", io, nullptr).ok());
  ASSERT_TRUE(file->Close(io, nullptr).ok());
  EXPECT_EQ("AB34567xyz", Read("b"));
  EXPECT_TRUE(fs_->FileExists(dir_.File("a"), io, nullptr).IsNotFound());

  ASSERT_TRUE(fs_->Truncate(dir_.File("b"), 4, io, nullptr).ok());
  EXPECT_EQ("AB34", Read("b"));
}

TEST_P(FileSystemTest, NamesCanBeListedRenamedLinkedAndDeleted) {
  const IOOptions io;
  Write("a", "1");
  Write("b", "2");
  ASSERT_TRUE(fs_->CreateDir(dir_.File("sub"), io, nullptr).ok());
  EXPECT_EQ((std::vector<std::string>{"a", "b", "sub"}), Children());
  EXPECT_FALSE(fs_->CreateDir(dir_.File("sub"), io, nullptr).ok());
  EXPECT_TRUE(fs_->CreateDirIfMissing(dir_.File("sub"), io, nullptr).ok());
  EXPECT_FALSE(fs_->CreateDirIfMissing(dir_.File("a"), io, nullptr).ok());
  bool is_dir = false;
  EXPECT_TRUE(fs_->IsDirectory(dir_.File("sub"), io, &is_dir, nullptr).ok() && is_dir);
  EXPECT_TRUE(fs_->IsDirectory(dir_.File("a"), io, &is_dir, nullptr).ok() && !is_dir);

  ASSERT_TRUE(fs_->RenameFile(dir_.File("a"), dir_.File("b"), io, nullptr).ok());
  EXPECT_EQ("1", Read("b"));
  ASSERT_TRUE(fs_->LinkFile(dir_.File("b"), dir_.File("sub/c"), io, nullptr).ok());
  ASSERT_TRUE(fs_->DeleteFile(dir_.File("b"), io, nullptr).ok());
  EXPECT_EQ("1", Read("sub/c"));
  EXPECT_FALSE(fs_->DeleteDir(dir_.File("sub"), io, nullptr).ok());
  ASSERT_TRUE(fs_->DeleteFile(dir_.File("sub/c"), io, nullptr).ok());
  EXPECT_TRUE(fs_->DeleteDir(dir_.File("sub"), io, nullptr).ok());
  EXPECT_TRUE(Children().empty());
}

TEST_P(FileSystemTest, MissingFilesGiveAPathNotFoundThatNamesThem) {
  const std::string name = dir_.File("nowhere/none");
  std::unique_ptr<FSSequentialFile> sequential;
  std::unique_ptr<FSRandomAccessFile> random;
  std::unique_ptr<FSWritableFile> writable;
  std::unique_ptr<FSDirectory> directory;
  uint64_t size;
  const IOStatus all[] = {
      fs_->NewSequentialFile(name, FileOptions(), &sequential, nullptr),
      fs_->NewRandomAccessFile(name, FileOptions(), &random, nullptr),
      fs_->NewWritableFile(name, FileOptions(), &writable, nullptr),
      fs_->NewDirectory(name, IOOptions(), &directory, nullptr),
      fs_->GetFileSize(name, IOOptions(), &size, nullptr),
      fs_->DeleteFile(name, IOOptions(), nullptr),
      fs_->RenameFile(name, name + "2", IOOptions(), nullptr),
  };
  for (const IOStatus& s : all) {
    EXPECT_TRUE(s.IsPathNotFound()) << s.ToString();
    EXPECT_NE(std::string::npos, s.ToString().find(name)) << s.ToString();
    EXPECT_NE(std::string::npos, s.ToString().find("No such file or directory")) << s.ToString();
  }
  EXPECT_TRUE(fs_->FileExists(name, IOOptions(), nullptr).IsNotFound());
  std::vector<std::string> names;
  EXPECT_TRUE(fs_->GetChildren(name, IOOptions(), &names, nullptr).IsNotFound());
}

TEST_P(FileSystemTest, ALockExcludesThisProcessToo) {
  const std::string name = dir_.File("LOCK");
  FileLock* first = nullptr;
  FileLock* second = nullptr;
  ASSERT_TRUE(fs_->LockFile(name, IOOptions(), &first, nullptr).ok());
  const IOStatus s = fs_->LockFile(name, IOOptions(), &second, nullptr);
  EXPECT_TRUE(s.IsIOError()) << s.ToString();
  EXPECT_EQ(nullptr, second);
  EXPECT_NE(std::string::npos, s.ToString().find("lock hold by current process")) << s.ToString();
  EXPECT_NE(std::string::npos, s.ToString().find(name)) << s.ToString();
  ASSERT_TRUE(fs_->UnlockFile(first, IOOptions(), nullptr).ok());
  ASSERT_TRUE(fs_->LockFile(name, IOOptions(), &second, nullptr).ok());
  ASSERT_TRUE(fs_->UnlockFile(second, IOOptions(), nullptr).ok());
}

TEST_P(FileSystemTest, CurrentIsReplacedWhole) {
  std::unique_ptr<FSDirectory> directory;
  ASSERT_TRUE(fs_->NewDirectory(dir_.path(), IOOptions(), &directory, nullptr).ok());
  ASSERT_TRUE(SetCurrentFile(fs_.get(), dir_.path(), 5, directory.get()).ok());
  EXPECT_EQ("MANIFEST-000005\n", Read("CURRENT"));
  ASSERT_TRUE(SetCurrentFile(fs_.get(), dir_.path(), 6, nullptr).ok());
  EXPECT_EQ("MANIFEST-000006\n", Read("CURRENT"));
  EXPECT_EQ((std::vector<std::string>{"CURRENT"}), Children());
}

TEST_P(FileSystemTest, TheIdentityIsAUuid) {
  ASSERT_TRUE(SetIdentityFile(fs_.get(), dir_.path()).ok());
  std::string id;
  ASSERT_TRUE(ReadIdentityFile(fs_.get(), dir_.path(), &id).ok());
  ASSERT_EQ(36u, id.size());
  for (size_t i = 0; i < id.size(); ++i) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      EXPECT_EQ('-', id[i]);
    } else {
      EXPECT_TRUE(std::isxdigit(static_cast<unsigned char>(id[i]))) << id;
    }
  }
  ASSERT_TRUE(SetIdentityFile(fs_.get(), dir_.path(), "some-id\n").ok());
  ASSERT_TRUE(ReadIdentityFile(fs_.get(), dir_.path(), &id).ok());
  EXPECT_EQ("some-id", id);
  EXPECT_EQ(20u, GenerateDbSessionId().size());
}

TEST_P(FileSystemTest, AttributesListSizes) {
  Write("a", "123");
  Write("b", "");
  std::vector<FileAttributes> attributes;
  ASSERT_TRUE(fs_->GetChildrenFileAttributes(dir_.path(), IOOptions(), &attributes, nullptr).ok());
  ASSERT_EQ(2u, attributes.size());
  for (const FileAttributes& a : attributes) EXPECT_EQ(a.name == "a" ? 3u : 0u, a.size_bytes);
}

}  // namespace
}  // namespace cairn
