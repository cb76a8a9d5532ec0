#include "fs/space_manager.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cairn/fault_injection.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fiber/simulation.h"
#include "fs/file_util.h"
#include "fs/managed_file_system.h"
#include "fs/memory_file_system.h"
#include "rocksdb/statistics.h"

namespace cairn {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;  // nanoseconds

// The body of each test runs in a simulation: its seconds are virtual.
class SpaceManagerTest : public ::testing::Test {
 protected:
  template <typename Body>
  void Simulate(const Body& body) {
    const fiber::SimulationResult result = fiber::Simulation(11).run(body);
    EXPECT_TRUE(result.ok()) << result.report;
  }
  std::unique_ptr<SpaceManager> Make(int64_t rate, double ratio = 100) {
    memory_ = std::make_shared<MemoryFileSystem>();
    fs_ = std::make_shared<fault::FaultInjectionFileSystem>(memory_);
    EXPECT_TRUE(memory_->CreateDir("/db", IOOptions(), nullptr).ok());
    return std::make_unique<SpaceManager>(fs_, nullptr, rate, ratio, /*bytes_max_delete_chunk=*/0);
  }
  void Write(SpaceManager* manager, const std::string& path, size_t size) {
    EXPECT_TRUE(WriteStringToFile(memory_.get(), std::string(size, 'x'), path).ok());
    EXPECT_TRUE(manager->Track(path).ok());
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    EXPECT_TRUE(memory_->GetChildren("/db", IOOptions(), &names, nullptr).ok());
    std::sort(names.begin(), names.end());
    return names;
  }

  std::shared_ptr<MemoryFileSystem> memory_;
  std::shared_ptr<fault::FaultInjectionFileSystem> fs_;
};

using Strings = std::vector<std::string>;

TEST_F(SpaceManagerTest, DeletesAtTheRate) {
  Simulate([this] {
    const auto manager = Make(/*rate=*/100);
    const std::shared_ptr<Statistics> statistics = CreateDBStatistics();
    manager->SetStatisticsPtr(statistics);
    for (int i = 1; i <= 3; ++i)
      Write(manager.get(), "/db/00000" + std::to_string(i) + ".sst", 1000);
    const uint64_t start = fiber::now_nanos();
    for (int i = 1; i <= 3; ++i) {
      ASSERT_TRUE(manager->DeleteFile("/db/00000" + std::to_string(i) + ".sst", false).ok());
    }
    // The first at once, each other ten seconds after the one before.
    fiber::sleep_for(kSecond);
    EXPECT_EQ(Names(), (Strings{"000002.sst.trash", "000003.sst.trash"}));
    EXPECT_EQ(2000u, manager->GetTotalTrashSize());
    EXPECT_EQ(2000u, manager->GetTotalSize());
    fiber::sleep_until(start + 9 * kSecond);
    EXPECT_EQ(2u, Names().size());
    fiber::sleep_until(start + 11 * kSecond);
    EXPECT_EQ(Names(), Strings{"000003.sst.trash"});
    // A new rate ends the pause.
    manager->SetDeleteRateBytesPerSecond(1'000'000);
    fiber::sleep_until(start + 12 * kSecond);
    EXPECT_TRUE(Names().empty());
    EXPECT_EQ(0u, manager->GetTotalTrashSize());
    EXPECT_EQ(0u, manager->GetTotalSize());
    EXPECT_EQ(3u, statistics->getTickerCount(FILES_MARKED_TRASH));
    EXPECT_EQ(3u, statistics->getTickerCount(FILES_DELETED_FROM_TRASH_QUEUE));
  });
}

TEST_F(SpaceManagerTest, TrashHasANameOfItsOwn) {
  Simulate([this] {
    const auto manager = Make(/*rate=*/1);
    Write(manager.get(), "/db/000009.sst", 10);
    ASSERT_TRUE(manager->DeleteFile("/db/000009.sst", false).ok());
    fiber::sleep_for(kSecond / 10);  // it is gone, and the pause is for ten seconds
    for (int i = 0; i < 3; ++i) {
      Write(manager.get(), "/db/000012.sst", 10);
      ASSERT_TRUE(manager->DeleteFile("/db/000012.sst", false).ok());
    }
    EXPECT_EQ(Names(), (Strings{"000012.sst.trash", "000012.sst0.trash", "000012.sst1.trash"}));
    for (const std::string& name : Names()) EXPECT_TRUE(IsTrashFileName(name)) << name;
    EXPECT_EQ(30u, manager->GetTotalTrashSize());
  });
}

TEST_F(SpaceManagerTest, WhatCannotBeRenamedIsDeletedAtOnce) {
  Simulate([this] {
    const auto manager = Make(/*rate=*/1);
    Write(manager.get(), "/db/000012.sst", 10);
    fs_->AddRule({.operations = fault::kRename});
    ASSERT_TRUE(manager->DeleteFile("/db/000012.sst", false).ok());
    EXPECT_TRUE(Names().empty());
    EXPECT_EQ(0u, manager->GetTotalSize());
  });
}

TEST_F(SpaceManagerTest, WhatCannotBeDeletedStaysAndIsCounted) {
  Simulate([this] {
    const auto manager = Make(/*rate=*/1'000'000);
    Write(manager.get(), "/db/000012.sst", 10);
    Write(manager.get(), "/db/000013.sst", 10);
    fs_->AddRule({.operations = fault::kDelete, .times = 1});
    ASSERT_TRUE(manager->DeleteFile("/db/000012.sst", false).ok());
    ASSERT_TRUE(manager->DeleteFile("/db/000013.sst", false).ok());
    fiber::sleep_for(kSecond);
    EXPECT_EQ(Names(), Strings{"000012.sst.trash"});
    EXPECT_EQ(10u, manager->GetTotalSize());
    EXPECT_EQ(0u, manager->GetTotalTrashSize());  // nobody waits for it
    // The next opening finds it.
    manager->DeleteTrashOf("/db");
    fiber::sleep_for(kSecond);
    EXPECT_TRUE(Names().empty());
    EXPECT_EQ(0u, manager->GetTotalSize());
  });
}

// Whoever destroys a database, or opens it, lists what waits for its deletion already.
TEST_F(SpaceManagerTest, WhatWaitsIsNotTakenTwice) {
  Simulate([this] {
    const auto manager = Make(/*rate=*/1);
    for (const char* path : {"/db/000009.log", "/db/000012.sst"}) {
      Write(manager.get(), path, 10);
      ASSERT_TRUE(manager->DeleteFile(path, false).ok());
    }
    fiber::sleep_for(kSecond);  // the first one is gone; the pause is for ten seconds
    ASSERT_EQ(Names(), Strings{"000012.sst.trash"});
    ASSERT_TRUE(manager->DeleteFile("/db/000012.sst.trash", /*force_slow=*/true).ok());
    manager->DeleteTrashOf("/db");
    EXPECT_EQ(10u, manager->GetTotalTrashSize());
    fiber::sleep_for(20 * kSecond);
    EXPECT_TRUE(Names().empty());
    EXPECT_EQ(0u, manager->GetTotalTrashSize());
    EXPECT_EQ(0u, manager->GetTotalSize());
  });
}

// What is counted is taken back, also where the file has become another meanwhile.
TEST_F(SpaceManagerTest, TrashThatSomebodyElseRemovesIsNotCounted) {
  Simulate([this] {
    const auto manager = Make(/*rate=*/1);
    for (const char* path : {"/db/000009.sst", "/db/000012.sst", "/db/000013.sst"}) {
      Write(manager.get(), path, 10);
      ASSERT_TRUE(manager->DeleteFile(path, false).ok());
    }
    fiber::sleep_for(kSecond);
    ASSERT_TRUE(memory_->DeleteFile("/db/000012.sst.trash", IOOptions(), nullptr).ok());
    ASSERT_TRUE(WriteStringToFile(memory_.get(), "cut", "/db/000013.sst.trash").ok());
    EXPECT_EQ(20u, manager->GetTotalTrashSize());
    fiber::sleep_for(30 * kSecond);
    EXPECT_TRUE(Names().empty());
    EXPECT_EQ(0u, manager->GetTotalTrashSize());
    EXPECT_EQ(0u, manager->GetTotalSize());
  });
}

TEST_F(SpaceManagerTest, OnlyADatabasesFilesAreTrash) {
  for (const char* name : {"000012.sst.trash", "000012.blob.trash", "000012.log.trash",
                           "000012.sst0.trash", "000012.sst17.trash"}) {
    EXPECT_TRUE(IsTrashFileName(name)) << name;
  }
  for (const char* name : {"mine.trash", ".trash", "000012.sst", "CURRENT.trash", "12.trash",
                           "000012.sst.trash.old", "MANIFEST-000001.trash", ""}) {
    EXPECT_FALSE(IsTrashFileName(name)) << name;
  }
}

TEST_F(SpaceManagerTest, CallsWhoWaitsForRoom) {
  struct Waiter final : SpaceManager::Waiter {
    void LimiterMayHaveRoom() override { ++calls; }
    int calls = 0;
  };
  Simulate([this] {
    const auto manager = Make(/*rate=*/0);
    Waiter waiter;
    Write(manager.get(), "/db/000012.sst", 1000);
    manager->SetMaxAllowedSpaceUsage(1500);
    EXPECT_FALSE(manager->Reserve(501, &waiter));
    EXPECT_TRUE(manager->Reserve(500, &waiter));
    EXPECT_TRUE(manager->IsMaxAllowedSpaceReachedIncludingCompactions());
    EXPECT_FALSE(manager->IsMaxAllowedSpaceReached());
    EXPECT_TRUE(manager->CheckSpace().ok());
    EXPECT_EQ(0, waiter.calls);
    manager->Unreserve(500);
    EXPECT_EQ(1, waiter.calls);
    manager->Unreserve(0);
    EXPECT_EQ(1, waiter.calls);  // once, unless it is refused again
    EXPECT_FALSE(manager->Reserve(501, &waiter));
    ASSERT_TRUE(manager->DeleteFile("/db/000012.sst", false).ok());
    EXPECT_EQ(2, waiter.calls);
    EXPECT_FALSE(manager->Reserve(1501, &waiter));
    manager->ForgetWaiter(&waiter);
    manager->SetMaxAllowedSpaceUsage(0);
    EXPECT_EQ(2, waiter.calls);
  });
}

TEST_F(SpaceManagerTest, AFileSystemTellsItOfTheDatabasesFilesAlone) {
  Simulate([this] {
    const std::shared_ptr<SpaceManager> manager = Make(/*rate=*/0);
    ManagedFileSystem files(fs_, manager, {"/db"});
    ASSERT_TRUE(memory_->CreateDir("/other", IOOptions(), nullptr).ok());
    for (const char* path : {"/db/000001.sst", "/db/000002.blob", "/db/000003.log", "/db/CURRENT",
                             "/other/000004.sst"}) {
      ASSERT_TRUE(WriteStringToFile(&files, "12345", path).ok()) << path;
    }
    EXPECT_EQ(10u, manager->GetTotalSize());
    ASSERT_TRUE(files.RenameFile("/db/000001.sst", "/db/000005.sst", IOOptions(), nullptr).ok());
    EXPECT_EQ(1u, manager->GetTrackedFiles().count("/db/000005.sst"));
    ASSERT_TRUE(files.RenameFile("/db/000005.sst", "/other/000005.sst", IOOptions(), nullptr).ok());
    EXPECT_EQ(5u, manager->GetTotalSize());
    ASSERT_TRUE(files.LinkFile("/other/000004.sst", "/db/000006.sst", IOOptions(), nullptr).ok());
    EXPECT_EQ(10u, manager->GetTotalSize());
    ASSERT_TRUE(files.DeleteFile("/db/000006.sst", IOOptions(), nullptr).ok());
    ASSERT_TRUE(files.DeleteFile("/db/000002.blob", IOOptions(), nullptr).ok());
    EXPECT_EQ(0u, manager->GetTotalSize());
    EXPECT_FALSE(files.DeleteFile("/db/000002.blob", IOOptions(), nullptr).ok());
  });
}

}  // namespace
}  // namespace cairn
