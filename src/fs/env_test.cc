#include "rocksdb/env.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fs/memory_file_system.h"
#include "rocksdb/convenience.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "rocksdb/system_clock.h"

namespace cairn {
namespace {

TEST(Env, TheDefaultIsTheSameAlways) {
  EXPECT_EQ(Env::Default(), Env::Default());
  EXPECT_EQ(FileSystem::Default(), Env::Default()->GetFileSystem());
}

TEST(Env, ClocksRun) {
  Env* env = Env::Default();
  int64_t seconds = 0;
  ASSERT_TRUE(env->GetCurrentTime(&seconds).ok());
  EXPECT_GE(seconds, 1600000000);
  EXPECT_LE(static_cast<uint64_t>(seconds), env->NowMicros() / 1000000);
  const uint64_t before = env->NowNanos();
  env->SleepForMicroseconds(100);
  EXPECT_GE(env->NowNanos(), before + 100000);
  EXPECT_EQ(19u, env->TimeToString(1700000000).size());
  EXPECT_EQ("2023/11/1", env->TimeToString(1700000000).substr(0, 9));
}

TEST(Env, ItsTimeIsAClockToo) {
  const std::shared_ptr<SystemClock>& clock = Env::Default()->GetSystemClock();
  EXPECT_EQ(SystemClock::Default(), clock);
  const uint64_t before = Env::Default()->NowMicros();
  EXPECT_LE(before, clock->NowMicros());
  EXPECT_LT(0u, clock->NowNanos());
  EXPECT_EQ(Env::Default()->TimeToString(1700000000), clock->TimeToString(1700000000));
  std::shared_ptr<SystemClock> made;
  EXPECT_TRUE(SystemClock::CreateFromString(ConfigOptions(), "DefaultClock", &made).ok());
  EXPECT_EQ(clock, made);
  ConfigOptions strict;
  strict.ignore_unsupported_options = false;
  EXPECT_TRUE(SystemClock::CreateFromString(strict, "SundialClock", &made).IsNotSupported());

  class LateClock : public SystemClockWrapper {
   public:
    using SystemClockWrapper::SystemClockWrapper;
    const char* Name() const override { return "LateClock"; }
    uint64_t NowMicros() override { return 42; }
  };
  LateClock late(clock);
  EXPECT_EQ(42u, static_cast<SystemClock&>(late).NowMicros());
  int64_t seconds = 0;
  EXPECT_TRUE(late.GetCurrentTime(&seconds).ok());
  EXPECT_LE(before / 1000000, static_cast<uint64_t>(seconds));
}

TEST(Env, FilesOfAMemoryEnvLiveInIt) {
  const std::unique_ptr<Env> a(NewMemEnv(Env::Default()));
  const std::unique_ptr<Env> b(NewMemEnv(nullptr));
  ASSERT_TRUE(a->CreateDirIfMissing("/dir/sub").ok());
  ASSERT_TRUE(rocksdb::WriteStringToFile(a.get(), "data", "/dir/sub/f", true).ok());
  std::string data;
  ASSERT_TRUE(rocksdb::ReadFileToString(a.get(), "/dir/sub/f", &data).ok());
  EXPECT_EQ("data", data);
  EXPECT_TRUE(a->FileExists("/dir/sub/f").ok());
  EXPECT_TRUE(b->FileExists("/dir/sub/f").IsNotFound());
  uint64_t size = 0;
  ASSERT_TRUE(a->GetFileSize("/dir/sub/f", &size).ok());
  EXPECT_EQ(4u, size);
  std::vector<std::string> names;
  ASSERT_TRUE(a->GetChildren("/dir", &names).ok());
  EXPECT_EQ(std::vector<std::string>{"sub"}, names);
  ASSERT_TRUE(a->RenameFile("/dir/sub/f", "/dir/g").ok());
  ASSERT_TRUE(a->DeleteFile("/dir/g").ok());
  ASSERT_TRUE(a->DeleteDir("/dir/sub").ok());
  FileLock* lock = nullptr;
  ASSERT_TRUE(a->LockFile("/dir/LOCK", &lock).ok());
  ASSERT_TRUE(a->UnlockFile(lock).ok());
}

TEST(Env, ACompositeEnvUsesItsFileSystem) {
  const auto fs = std::make_shared<MemoryFileSystem>();
  const std::unique_ptr<Env> env = NewCompositeEnv(fs);
  ASSERT_TRUE(rocksdb::WriteStringToFile(env.get(), "x", "/f").ok());
  EXPECT_TRUE(fs->FileExists("/f", IOOptions(), nullptr).ok());
  std::shared_ptr<Logger> logger;
  ASSERT_TRUE(NewEnvLogger("/LOG", env.get(), &logger).ok());
  EXPECT_TRUE(fs->FileExists("/LOG", IOOptions(), nullptr).ok());
}

TEST(Env, OptionsOfFilesComeFromTheDatabases) {
  DBOptions db;
  db.use_direct_reads = true;
  db.bytes_per_sync = 123;
  db.allow_fallocate = false;
  db.writable_file_max_buffer_size = 777;
  const FileOptions options(db);
  EXPECT_TRUE(options.use_direct_reads);
  EXPECT_EQ(123u, options.bytes_per_sync);
  EXPECT_FALSE(options.allow_fallocate);
  EXPECT_EQ(777u, options.writable_file_max_buffer_size);
}

TEST(Env, UniqueIdsDiffer) {
  EXPECT_NE(Env::Default()->GenerateUniqueId(), Env::Default()->GenerateUniqueId());
  std::string host;
  EXPECT_TRUE(Env::Default()->GetHostNameString(&host).ok());
  EXPECT_NE(0u, Env::Default()->GetThreadID());
}

}  // namespace
}  // namespace cairn
