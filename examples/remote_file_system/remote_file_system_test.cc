// The remote file system against its server, alone and under a database. That reads overlap is seen
// at the server, by holding answers back until so many requests are in flight; no clock is asked.
#include "remote_file_system/remote_file_system.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fiber/clock.h"
#include "fiber/io.h"
#include "fiber/runtime.h"
#include "fiber/sync.h"
#include "remote_file_system/remote_server.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"

namespace remote {
namespace {

using namespace rocksdb;  // NOLINT(google-build-using-namespace): as a user's program

// Holds requests until `n` of them are there at once, then lets everything pass. Gives up, so that
// a test whose reads do not overlap fails instead of hanging.
class Gathering {
 public:
  explicit Gathering(int n) : n_(n) {}

  void Pass() {
    if (arrived_.fetch_add(1) + 1 >= n_) open_.set();
    if (!open_.wait_until(fiber::deadline_after(5'000'000'000))) open_.set();
  }

 private:
  const int n_;
  std::atomic<int> arrived_{0};
  fiber::Event open_;
};

class RemoteFileSystemTest : public ::testing::Test {
 protected:
  RemoteFileSystemTest() {
    char name[] = "/var/tmp/remote_file_system_XXXXXX";
    dir_ = ::mkdtemp(name);
    StartServer(0);
    fs_ = Connect("");
  }
  ~RemoteFileSystemTest() override {
    rest_.set();
    fs_.reset();
    server_.reset();
    std::filesystem::remove_all(dir_);
  }

  void StartServer(uint16_t port) {
    std::string error;
    server_ = RemoteServer::Start(dir_, port, &error);
    if (server_ == nullptr) throw std::runtime_error(error);
  }

  std::string Uri(const std::string& settings) const {
    return "remote://127.0.0.1:" + std::to_string(server_->port()) + settings;
  }
  std::shared_ptr<FileSystem> Connect(const std::string& settings) const {
    ConfigOptions config;
    config.ignore_unsupported_options = false;
    config.registry->AddLibrary("remote", RegisterRemoteFileSystem, "");
    std::shared_ptr<FileSystem> fs;
    const Status s = FileSystem::CreateFromString(config, Uri(settings), &fs);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return fs;
  }

  // Lives longer than what the server may still do with it.
  Gathering* Gather(int n) {
    gatherings_.push_back(std::make_unique<Gathering>(n));
    return gatherings_.back().get();
  }
  // Answers from now on are held back until `n` requests are in flight.
  void AnswerOnlyTogether(int n) {
    server_->set_hook([gathering = Gather(n)](auto&&...) { gathering->Pass(); });
  }
  // Answers from now on are held back until rest_ is set.
  void AnswerNothing() {
    server_->set_hook([this](auto&&...) { rest_.wait(); });
  }

  static char ByteAt(size_t i) { return static_cast<char>(i * 131 + i / 251); }
  // A file of `size` bytes; returns its name.
  std::string WriteFile(size_t size) {
    std::string data(size, '\0');
    for (size_t i = 0; i < size; ++i) data[i] = ByteAt(i);
    const std::string name = dir_ + "/file";
    EXPECT_TRUE(WriteStringToFile(Env::Default(), data, name).ok());
    return name;
  }
  static void ExpectBytes(const Slice& data, size_t offset, size_t size) {
    ASSERT_EQ(size, data.size());
    for (size_t i = 0; i < size; ++i) ASSERT_EQ(ByteAt(offset + i), data[i]) << offset << "+" << i;
  }
  std::unique_ptr<FSRandomAccessFile> OpenFile(const std::shared_ptr<FileSystem>& fs,
                                               const std::string& name) {
    std::unique_ptr<FSRandomAccessFile> file;
    const IOStatus s = fs->NewRandomAccessFile(name, FileOptions(), &file, nullptr);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return file;
  }
  static IOStatus ReadSome(const FSRandomAccessFile& file) {
    char scratch[100];
    Slice result;
    return file.Read(0, sizeof(scratch), IOOptions(), &result, scratch, nullptr);
  }

  fiber::Event rest_;
  std::vector<std::unique_ptr<Gathering>> gatherings_;
  std::string dir_;
  std::unique_ptr<RemoteServer> server_;
  std::shared_ptr<FileSystem> fs_;
};

TEST_F(RemoteFileSystemTest, ReadsWhatWasWritten) {
  const std::string name = dir_ + "/written";
  std::unique_ptr<FSWritableFile> writable;
  ASSERT_TRUE(fs_->NewWritableFile(name, FileOptions(), &writable, nullptr).ok());
  ASSERT_TRUE(writable->Append("hello", IOOptions(), nullptr).ok());
  ASSERT_TRUE(writable->Close(IOOptions(), nullptr).ok());
  const auto file = OpenFile(fs_, name);
  char scratch[16];
  Slice result;
  ASSERT_TRUE(file->Read(1, 3, IOOptions(), &result, scratch, nullptr).ok());
  EXPECT_EQ("ell", result.ToString());
  ASSERT_TRUE(file->Read(3, 16, IOOptions(), &result, scratch, nullptr).ok());
  EXPECT_EQ("lo", result.ToString()) << "past the end";
  ASSERT_TRUE(file->Read(99, 16, IOOptions(), &result, scratch, nullptr).ok());
  EXPECT_TRUE(result.empty()) << "beyond the end";

  std::unique_ptr<FSSequentialFile> sequential;
  ASSERT_TRUE(fs_->NewSequentialFile(name, FileOptions(), &sequential, nullptr).ok());
  ASSERT_TRUE(sequential->Read(2, IOOptions(), &result, scratch, nullptr).ok());
  EXPECT_EQ("he", result.ToString());
  ASSERT_TRUE(sequential->Skip(1).ok());
  ASSERT_TRUE(sequential->Read(16, IOOptions(), &result, scratch, nullptr).ok());
  EXPECT_EQ("lo", result.ToString());
}

TEST_F(RemoteFileSystemTest, WhatCannotBeReadIsAnError) {
  std::unique_ptr<FSRandomAccessFile> file;
  IOStatus s = fs_->NewRandomAccessFile(dir_ + "/missing", FileOptions(), &file, nullptr);
  EXPECT_TRUE(s.IsPathNotFound()) << s.ToString();
  for (const std::string& outside : {std::string("/etc/passwd"), dir_ + "/../../etc/passwd"}) {
    s = fs_->NewRandomAccessFile(outside, FileOptions(), &file, nullptr);
    EXPECT_TRUE(s.IsIOError()) << s.ToString();
    EXPECT_NE(std::string::npos, s.ToString().find(outside)) << s.ToString();
  }
  const auto empty = OpenFile(fs_, WriteFile(0));
  std::vector<char> scratch(1);
  Slice result;
  EXPECT_TRUE(
      empty->Read(0, 65 << 20, IOOptions(), &result, scratch.data(), nullptr).IsInvalidArgument())
      << "more than the protocol allows";
}

TEST_F(RemoteFileSystemTest, UrisAreChecked) {
  std::unique_ptr<FileSystem> fs;
  for (const char* uri :
       {"remote://", "remote://127.0.0.1", "remote://127.0.0.1:", "other://[::1]:1",
        "remote://127.0.0.1:99999", "remote://nowhere.invalid:1",
        "remote://127.0.0.1:1?timeout_ms=", "remote://127.0.0.1:1?timeout_ms=1s"}) {
    const IOStatus s = RemoteFileSystem::Create(uri, FileSystem::Default(), &fs);
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_NE(std::string::npos, s.ToString().find(uri)) << s.ToString();
  }
  const std::string uri = Uri("");
  server_.reset();
  ConfigOptions config;
  config.registry->AddLibrary("remote", RegisterRemoteFileSystem, "");
  std::shared_ptr<FileSystem> none;
  const Status s = FileSystem::CreateFromString(config, uri, &none);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_NE(std::string::npos, s.ToString().find("cannot connect")) << s.ToString();
}

TEST_F(RemoteFileSystemTest, TheReadsOfAMultiReadAreInFlightTogether) {
  constexpr size_t kReads = 16;
  const auto file = OpenFile(fs_, WriteFile(10000));
  FSReadRequest requests[kReads];
  char scratch[kReads][300];
  for (size_t i = 0; i < kReads; ++i) {
    requests[i].offset = i * 640;
    requests[i].len = sizeof(scratch[i]);
    requests[i].scratch = scratch[i];
  }
  AnswerOnlyTogether(kReads);
  ASSERT_TRUE(file->MultiRead(requests, kReads, IOOptions(), nullptr).ok());
  EXPECT_EQ(16, server_->most_in_flight());
  for (size_t i = 0; i < kReads; ++i) {
    ASSERT_TRUE(requests[i].status.ok()) << requests[i].status.ToString();
    ExpectBytes(requests[i].result, i * 640, 300);
  }
}

// A ReadAsync() of the test.
struct Async {
  FSReadRequest request;
  char scratch[200];
  void* handle = nullptr;
  IOHandleDeleter deleter;
  int calls = 0;

  void Start(FSRandomAccessFile* file, uint64_t offset, const IOOptions& options = {}) {
    std::fill(std::begin(scratch), std::end(scratch), '?');
    FSReadRequest asked;  // gone before the answer comes
    asked.offset = offset;
    asked.len = sizeof(scratch);
    asked.scratch = scratch;
    const auto callback = [](FSReadRequest& done, void* self) {
      static_cast<Async*>(self)->request.status = done.status;
      static_cast<Async*>(self)->request.result = done.result;
      ++static_cast<Async*>(self)->calls;
    };
    const IOStatus s = file->ReadAsync(asked, options, callback, this, &handle, &deleter, nullptr);
    ASSERT_TRUE(s.ok()) << s.ToString();
    ASSERT_NE(nullptr, handle);
  }
  ~Async() {
    if (handle != nullptr) deleter(handle);
  }
};

TEST_F(RemoteFileSystemTest, PollWaitsForAsManyAsAreWanted) {
  const auto file = OpenFile(fs_, WriteFile(10000));
  server_->set_hook([this](const RemoteServer::Request& request, RemoteServer::Answer*) {
    if (request.offset != 2000) rest_.wait();
  });
  Async reads[4];
  std::vector<void*> handles;
  for (int i = 0; i < 4; ++i) {
    reads[i].Start(file.get(), 1000 * i);
    handles.push_back(reads[i].handle);
  }
  handles.push_back(nullptr);  // counts as completed
  ASSERT_TRUE(fs_->Poll(handles, 2).ok());
  for (int i = 0; i < 4; ++i) EXPECT_EQ(i == 2 ? 1 : 0, reads[i].calls) << i;
  ExpectBytes(reads[2].request.result, 2000, 200);
  rest_.set();
  ASSERT_TRUE(fs_->Poll(handles, handles.size()).ok());
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(1, reads[i].calls) << i;
    ASSERT_TRUE(reads[i].request.status.ok());
    ExpectBytes(reads[i].request.result, 1000 * i, 200);
  }
}

TEST_F(RemoteFileSystemTest, NobodyTouchesTheBufferOfAnAbortedRead) {
  const auto file = OpenFile(fs_, WriteFile(10000));
  AnswerNothing();
  Async aborted, freed, kept;
  aborted.Start(file.get(), 0);
  freed.Start(file.get(), 1000);
  kept.Start(file.get(), 2000);
  std::vector<void*> handles = {aborted.handle, nullptr};
  ASSERT_TRUE(fs_->AbortIO(handles).ok());
  freed.deleter(std::exchange(freed.handle, nullptr));
  rest_.set();
  std::vector<void*> all = {aborted.handle, kept.handle};
  ASSERT_TRUE(fs_->Poll(all, 2).ok());  // its answer comes last
  ExpectBytes(kept.request.result, 2000, 200);
  EXPECT_EQ(0, aborted.calls);
  EXPECT_EQ(0, freed.calls);
  for (const Async* read : {&aborted, &freed}) {
    for (const char c : read->scratch) ASSERT_EQ('?', c);
  }
}

TEST_F(RemoteFileSystemTest, ALostConnectionFailsWhatIsInFlightAndTheNextReadConnectsAnew) {
  const auto file = OpenFile(fs_, WriteFile(10000));
  server_->set_hook([gathering = Gather(3)](const RemoteServer::Request& /*request*/,
                                            RemoteServer::Answer* answer) {
    gathering->Pass();
    answer->drop_connection = true;
  });
  Async reads[3];
  std::vector<void*> handles;
  for (Async& read : reads) {
    read.Start(file.get(), 0);
    handles.push_back(read.handle);
  }
  ASSERT_TRUE(fs_->Poll(handles, 3).ok());
  for (const Async& read : reads) {
    EXPECT_EQ(1, read.calls);
    EXPECT_TRUE(read.request.status.IsIOError()) << read.request.status.ToString();
    EXPECT_NE(std::string::npos, read.request.status.ToString().find("connection lost"));
  }
  server_->set_hook(nullptr);
  EXPECT_TRUE(ReadSome(*file).ok());

  const uint16_t port = server_->port();
  server_.reset();
  IOStatus s = ReadSome(*file);
  if (s.ToString().find("connection lost") != std::string::npos) s = ReadSome(*file);
  EXPECT_TRUE(s.IsIOError()) << s.ToString();
  EXPECT_NE(std::string::npos, s.ToString().find("cannot connect")) << s.ToString();
  StartServer(port);
  EXPECT_TRUE(ReadSome(*file).ok());
}

TEST_F(RemoteFileSystemTest, AWrongNumberOfBytesIsAnError) {
  const auto file = OpenFile(fs_, WriteFile(10000));
  for (const size_t size : {size_t{0}, size_t{99}, size_t{101}, size_t{5000}}) {
    server_->set_hook([size](const RemoteServer::Request&, RemoteServer::Answer* answer) {
      answer->data.resize(size);
    });
    const IOStatus s = ReadSome(*file);  // 100 bytes
    EXPECT_TRUE(s.IsIOError()) << s.ToString();
  }
  server_->set_hook(nullptr);
  EXPECT_TRUE(ReadSome(*file).ok()) << "the connection goes on";
}

TEST_F(RemoteFileSystemTest, AServerThatHangsTimesOut) {
  const std::string name = WriteFile(10000);
  const auto hasty = OpenFile(Connect("?timeout_ms=50"), name);
  const auto patient = OpenFile(fs_, name);
  AnswerNothing();
  EXPECT_TRUE(ReadSome(*hasty).IsTimedOut());
  IOOptions options;
  options.timeout = std::chrono::milliseconds(50);
  Async read;
  read.Start(patient.get(), 0, options);
  std::vector<void*> handles = {read.handle};
  ASSERT_TRUE(fs_->Poll(handles, 1).ok());
  EXPECT_TRUE(read.request.status.IsTimedOut()) << "the operation's own limit";
  for (const char c : read.scratch) ASSERT_EQ('?', c);
  rest_.set();
  EXPECT_TRUE(ReadSome(*hasty).ok()) << "late answers are dropped";
  EXPECT_TRUE(ReadSome(*patient).ok());
}

// --- a database on it

class RemoteDatabaseTest : public RemoteFileSystemTest {
 protected:
  static constexpr int kKeys = 256;
  static constexpr int kStep = 8;  // of the keys that are asked for: far apart in the files
  static constexpr int kAsked = kKeys / kStep;
  static constexpr int kTables = 4;

  // Each key in a block of its own, in four tables of level 0 with filters.
  void Open(const std::string& settings = "") {
    env_ = NewCompositeEnv(Connect(settings));
    Options options;
    options.env = env_.get();
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.compression = kNoCompression;
    BlockBasedTableOptions table;
    table.no_block_cache = true;
    table.block_size = 512;
    table.filter_policy.reset(NewBloomFilterPolicy(16));
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    DB* db = nullptr;
    Status s = DB::Open(options, dir_ + "/db", &db);
    ASSERT_TRUE(s.ok()) << s.ToString();
    db_.reset(db);
    for (int t = 0; t < kTables; ++t) {
      for (int i = 0; i < kKeys; ++i) {
        if (i / kStep % kTables != t) continue;
        ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), Value(i)).ok());
      }
      ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
    }
    db_.reset();
    s = DB::Open(options, dir_ + "/db", &db);
    ASSERT_TRUE(s.ok()) << s.ToString();
    db_.reset(db);
    // Opens the tables: from now on a key is one read.
    for (const Status& one : MultiGet(false)) ASSERT_TRUE(one.ok()) << one.ToString();
  }
  ~RemoteDatabaseTest() override { db_.reset(); }

  static std::string Key(int i) { return "key" + std::to_string(1000 + i); }
  static std::string Value(int i) { return std::string(1000, static_cast<char>('a' + i % 26)); }

  std::vector<Status> MultiGet(bool async_io, ReadOptions options = {}) {
    options.async_io = async_io;
    std::vector<std::string> keys;
    for (int i = 0; i < kAsked; ++i) keys.push_back(Key(i * kStep));
    const std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<PinnableSlice> values(kAsked);
    std::vector<Status> statuses(kAsked);
    db_->MultiGet(options, db_->DefaultColumnFamily(), kAsked, slices.data(), values.data(),
                  statuses.data());
    for (int i = 0; i < kAsked; ++i) {
      if (!statuses[i].ok()) continue;
      EXPECT_EQ(Value(i * kStep), values[i].ToString()) << i;
    }
    return statuses;
  }

  std::unique_ptr<Env> env_;
  std::unique_ptr<DB> db_;
};

TEST_F(RemoteDatabaseTest, TheReadsOfAMultiGetWithAsyncIoOverlap) {
  ASSERT_NO_FATAL_FAILURE(Open());
  AnswerOnlyTogether(kAsked);
  for (const Status& s : MultiGet(true)) EXPECT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(kAsked, server_->most_in_flight());

  AnswerOnlyTogether(kAsked);
  fiber::Runtime runtime({.workers = 1});
  runtime.run([&] {
    for (const Status& s : MultiGet(true)) EXPECT_TRUE(s.ok()) << s.ToString();
  });
  EXPECT_EQ(kAsked, server_->most_in_flight());
}

TEST_F(RemoteDatabaseTest, AFailedReadIsTheStatusOfItsKeyAlone) {
  ASSERT_NO_FATAL_FAILURE(Open("?timeout_ms=3000"));
  std::atomic<int> count{0};
  server_->set_hook([&](const RemoteServer::Request&, RemoteServer::Answer* answer) {
    switch (count.fetch_add(1)) {
      case 3:
        answer->error = EIO;
        answer->data.clear();
        break;
      case 11:
        answer->data.resize(answer->data.size() / 2);
        break;
      case 19:
        answer->data[answer->data.size() / 2] ^= 1;
        break;
      case 27:
        rest_.wait();
        break;
      default:
        break;
    }
  });
  int errors = 0, corruptions = 0, timeouts = 0;
  for (const Status& s : MultiGet(true)) {
    errors += s.IsIOError();
    corruptions += s.IsCorruption();
    timeouts += s.IsTimedOut();
    EXPECT_TRUE(s.ok() || s.IsIOError() || s.IsCorruption() || s.IsTimedOut()) << s.ToString();
  }
  EXPECT_EQ(2, errors);
  EXPECT_EQ(1, corruptions);
  EXPECT_EQ(1, timeouts);
  rest_.set();
  server_->set_hook(nullptr);
  for (const Status& s : MultiGet(true)) EXPECT_TRUE(s.ok()) << s.ToString();
}

TEST_F(RemoteDatabaseTest, TheLimitOfAReadIsKeptThoughTheServerHangs) {
  ASSERT_NO_FATAL_FAILURE(Open());
  AnswerNothing();
  ReadOptions options;
  options.io_timeout = std::chrono::milliseconds(50);
  for (const Status& s : MultiGet(true, options)) EXPECT_TRUE(s.IsTimedOut()) << s.ToString();
  std::string value;
  EXPECT_TRUE(db_->Get(options, Key(0), &value).IsTimedOut());
  rest_.set();
  for (const Status& s : MultiGet(true)) EXPECT_TRUE(s.ok()) << s.ToString();
}

TEST_F(RemoteDatabaseTest, ALostConnectionIsNoMissingKey) {
  ASSERT_NO_FATAL_FAILURE(Open());
  server_->set_hook([](const RemoteServer::Request&, RemoteServer::Answer* answer) {
    answer->drop_connection = true;
  });
  for (const Status& s : MultiGet(true)) EXPECT_TRUE(s.IsIOError()) << s.ToString();
  server_->set_hook(nullptr);
  for (const Status& s : MultiGet(true)) EXPECT_TRUE(s.ok()) << s.ToString();
}

TEST_F(RemoteDatabaseTest, ManyFibersShareOneConnection) {
  ASSERT_NO_FATAL_FAILURE(Open());
  AnswerOnlyTogether(kAsked);
  fiber::Runtime runtime({.workers = 2});
  std::vector<fiber::JoinHandle> handles;
  for (int i = 0; i < kKeys; i += kStep) {
    handles.push_back(runtime.spawn([&, i] {
      std::string value;
      const Status s = db_->Get(ReadOptions(), Key(i), &value);
      EXPECT_TRUE(s.ok()) << s.ToString();
      EXPECT_EQ(Value(i), value);
    }));
  }
  handles.clear();  // joins
  EXPECT_EQ(kAsked, server_->most_in_flight());
}

}  // namespace
}  // namespace remote
