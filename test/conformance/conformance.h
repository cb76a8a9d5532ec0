// What the conformance tests share: a database in a directory of its own, and shorthands. Only the
// public API and the standard library: this compiles against Cairn and against RocksDB. Files are
// handled through the library's Env.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/cache.h"
#include "rocksdb/comparator.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/snapshot.h"
#include "rocksdb/statistics.h"
#include "rocksdb/status.h"
#include "rocksdb/table.h"
#include "rocksdb/write_batch.h"

#define ASSERT_OK(expression) ASSERT_PRED_FORMAT1(::conformance::IsOk, expression)
#define EXPECT_OK(expression) EXPECT_PRED_FORMAT1(::conformance::IsOk, expression)
// EXPECT_CODE(NotFound, Delete("x")): which status it must be, and on failure which it was.
#define EXPECT_CODE(name, expression) \
  EXPECT_PRED_FORMAT2(::conformance::IsOfCode, &::rocksdb::Status::Is##name, expression)

namespace conformance {

using namespace rocksdb;  // NOLINT(build/namespaces): the API under test

inline testing::AssertionResult IsOk(const char* text, const Status& status) {
  if (status.ok()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << text << ": " << status.ToString();
}

inline testing::AssertionResult IsOfCode(const char* code, const char* text,
                                         bool (Status::*is_it)() const, const Status& status) {
  if ((status.*is_it)()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << text << ": " << status.ToString() << ", not " << code;
}

// A generator that gives the same numbers with either library.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed * 2 + 1) {}
  uint64_t Next() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return state_ >> 33;
  }
  uint64_t Below(uint64_t n) { return Next() % n; }
  std::string Bytes(size_t n) {
    std::string bytes(n, '\0');
    for (char& c : bytes) c = static_cast<char>(Next());
    return bytes;
  }

 private:
  uint64_t state_;
};

inline std::string Key(int i) {
  char text[16];
  std::snprintf(text, sizeof(text), "key%06d", i);
  return text;
}

// Starts `function` beside the caller and returns what waits for its end: a thread, or with
// --fibers a fiber. Of the program's main, which knows the library (main_cairn.cc,
// main_rocksdb.cc).
std::function<void()> Start(std::function<void()> function);

// The order of bytes with timestamps of 8 bytes ("leveldb.BytewiseComparator.u64ts"), which each of
// the libraries has by another call. Of the program's main.
const Comparator* TimestampComparator();

// What std::thread is to a program, on threads and on fibers alike.
class Thread {
 public:
  explicit Thread(std::function<void()> function) : join_(Start(std::move(function))) {}
  void join() { std::exchange(join_, nullptr)(); }
  Thread(Thread&& other) noexcept : join_(std::exchange(other.join_, nullptr)) {}
  Thread& operator=(Thread&&) = delete;
  ~Thread() {
    if (join_ != nullptr) std::abort();
  }

 private:
  std::function<void()> join_;
};

inline Env* TheEnv() { return Env::Default(); }

// Removes a directory of plain files and of directories of plain files.
inline void RemoveTree(const std::string& dir) {
  std::vector<std::string> names;
  if (!TheEnv()->GetChildren(dir, &names).ok()) return;
  for (const std::string& name : names) {
    if (name == "." || name == "..") continue;
    const std::string path = dir + "/" + name;
    bool is_dir = false;
    if (TheEnv()->IsDirectory(path, &is_dir).ok() && is_dir) {
      RemoveTree(path);
    } else {
      TheEnv()->DeleteFile(path).PermitUncheckedError();
    }
  }
  TheEnv()->DeleteDir(dir).PermitUncheckedError();
}

// Copies the files of a database as they are: what a kill of the process would leave.
inline void CopyFiles(const std::string& from, const std::string& to) {
  RemoveTree(to);
  ASSERT_OK(TheEnv()->CreateDirIfMissing(to));
  std::vector<std::string> names;
  ASSERT_OK(TheEnv()->GetChildren(from, &names));
  for (const std::string& name : names) {
    bool is_dir = false;
    if (name == "." || name == ".." || name == "LOCK") continue;
    if (TheEnv()->IsDirectory(from + "/" + name, &is_dir).ok() && is_dir) continue;
    std::string data;
    ASSERT_OK(ReadFileToString(TheEnv(), from + "/" + name, &data));
    ASSERT_OK(WriteStringToFile(TheEnv(), data, to + "/" + name));
  }
}

class DBTest : public testing::Test {
 protected:
  DBTest() {
    std::string base;
    EXPECT_OK(TheEnv()->GetTestDirectory(&base));
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(info->test_suite_name()) + "." + info->name();
    std::replace(name.begin(), name.end(), '/', '_');
    root_ = base + "/conformance." + TheEnv()->GenerateUniqueId().substr(0, 8) + "." + name;
    EXPECT_OK(TheEnv()->CreateDirIfMissing(root_));
    dir_ = root_ + "/db";
    options_.create_if_missing = true;
    options_.compression = kNoCompression;
  }

  ~DBTest() override {
    delete db_;
    RemoveTree(root_);
  }

  Status TryOpen() {
    Shut();
    return DB::Open(options_, dir_, &db_);
  }
  void Open() { ASSERT_OK(TryOpen()); }
  // Without a report, as most programs do.
  void Shut() {
    delete db_;
    db_ = nullptr;
  }

  Status Put(const std::string& key, const std::string& value) {
    return db_->Put(WriteOptions(), key, value);
  }
  Status Delete(const std::string& key) { return db_->Delete(WriteOptions(), key); }
  Status Flush() { return db_->Flush(FlushOptions()); }
  Status Compact() { return db_->CompactRange(CompactRangeOptions(), nullptr, nullptr); }

  // The value, or the kind of error in capitals.
  std::string Get(const std::string& key, const Snapshot* snapshot = nullptr) {
    ReadOptions options;
    options.snapshot = snapshot;
    std::string value;
    const Status s = db_->Get(options, key, &value);
    if (s.IsNotFound()) return "NOT_FOUND";
    if (s.IsCorruption()) return "CORRUPTION";
    if (s.IsIncomplete()) return "INCOMPLETE";
    return s.ok() ? value : s.ToString();
  }

  // "a=1,b=2" from the first to the last entry, and checks that going backward gives the same.
  std::string Contents(const ReadOptions& options = ReadOptions()) {
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    return BothWays(it.get());
  }
  // The same of any iterator.
  static std::string BothWays(Iterator* iterator) {
    std::vector<std::string> forward, backward;
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
      forward.push_back(iterator->key().ToString() + "=" + iterator->value().ToString());
    }
    EXPECT_OK(iterator->status());
    for (iterator->SeekToLast(); iterator->Valid(); iterator->Prev()) {
      backward.push_back(iterator->key().ToString() + "=" + iterator->value().ToString());
    }
    EXPECT_OK(iterator->status());
    std::reverse(backward.begin(), backward.end());
    EXPECT_EQ(forward, backward);
    std::string text;
    for (const std::string& entry : forward) text += (text.empty() ? "" : ",") + entry;
    return text;
  }

  std::string Property(const std::string& name) {
    std::string value;
    return db_->GetProperty(name, &value) ? value : "UNKNOWN";
  }
  uint64_t IntProperty(const std::string& name) {
    uint64_t value = 0;
    EXPECT_TRUE(db_->GetIntProperty(name, &value)) << name;
    return value;
  }
  int FilesAtLevel(int level) {
    return std::atoi(Property("rocksdb.num-files-at-level" + std::to_string(level)).c_str());
  }

  // Names in the directory that end so.
  std::vector<std::string> FilesEndingIn(const std::string& suffix, const std::string& dir) {
    std::vector<std::string> names, result;
    EXPECT_OK(TheEnv()->GetChildren(dir, &names));
    for (const std::string& name : names) {
      if (Slice(name).ends_with(suffix)) result.push_back(name);
    }
    std::sort(result.begin(), result.end());
    return result;
  }
  std::vector<std::string> FilesEndingIn(const std::string& suffix) {
    return FilesEndingIn(suffix, dir_);
  }
  std::vector<std::string> FilesStartingWith(const std::string& prefix) {
    std::vector<std::string> names, result;
    EXPECT_OK(TheEnv()->GetChildren(dir_, &names));
    for (const std::string& name : names) {
      if (Slice(name).starts_with(prefix)) result.push_back(name);
    }
    std::sort(result.begin(), result.end());
    return result;
  }

  std::string ReadFile(const std::string& name) {
    std::string data;
    EXPECT_OK(ReadFileToString(TheEnv(), dir_ + "/" + name, &data));
    return data;
  }
  void WriteFile(const std::string& name, const std::string& data) {
    ASSERT_OK(WriteStringToFile(TheEnv(), data, dir_ + "/" + name));
  }
  void FlipByte(const std::string& name, size_t offset) {
    std::string data = ReadFile(name);
    ASSERT_LT(offset, data.size());
    data[offset] = static_cast<char>(data[offset] ^ 0x40);
    WriteFile(name, data);
  }

  std::string root_;  // removed at the end
  std::string dir_;
  Options options_;
  DB* db_ = nullptr;
};

}  // namespace conformance
