#include "options/options_keeper.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "cairn/fault_injection.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "fs/memory_file_system.h"
#include "options/options_file.h"

namespace cairn {
namespace {

constexpr char kDb[] = "/db";

class OptionsKeeperTest : public ::testing::Test {
 protected:
  OptionsKeeperTest() { Begin(); }

  void Begin() {
    directory_.reset();
    memory_ = std::make_shared<MemoryFileSystem>();
    faults_ = std::make_shared<fault::FaultInjectionFileSystem>(memory_);
    EXPECT_TRUE(CreateDirDurably(memory_.get(), kDb).ok());
    EXPECT_TRUE(faults_->NewDirectory(kDb, IOOptions(), &directory_, nullptr).ok());
    keeper_ = std::make_unique<OptionsKeeper>(faults_.get(), kDb, /*patch_from=*/0);
    families_.clear();
    Add("default");
    number_ = 5;
  }

  void Add(const std::string& name) {
    ColumnFamilyOptions options;
    options.write_buffer_size = (64 << 10) + families_.size();
    families_.emplace_back(name, options);
  }
  // As OptionsChanges::PersistLiveOptions.
  Status Persist(const OptionsKeeper::Change* change) {
    ++number_;
    if (change != nullptr && keeper_->CanPatch() &&
        keeper_->Patch(number_, directory_.get(), db_options_, *change).ok()) {
      return Status::OK();
    }
    Status s = keeper_->Write(number_, directory_.get(), db_options_, families_, change);
    if (s.ok()) RemoveOldOptionsFiles(faults_.get(), kDb);
    return s;
  }
  Status Create(const std::string& name) {
    Add(name);
    OptionsKeeper::Change change;
    change.written = {families_.back()};
    return Persist(&change);
  }
  Status Drop(size_t index) {
    OptionsKeeper::Change change;
    change.dropped = {families_[index].name};
    families_.erase(families_.begin() + static_cast<std::ptrdiff_t>(index));
    return Persist(&change);
  }
  Status Set(size_t index, size_t write_buffer_size) {
    families_[index].options.write_buffer_size = write_buffer_size;
    OptionsKeeper::Change change;
    change.written = {families_[index]};
    return Persist(index == 0 ? nullptr : &change);
  }

  // What the newest file has, by family.
  std::map<std::string, size_t> Newest() {
    std::string name;
    EXPECT_TRUE(FindLatestOptionsFile(memory_.get(), kDb, &name).ok());
    OptionsFileContents contents;
    const Status s =
        LoadOptionsFile(memory_.get(), std::string(kDb) + "/" + name, SetRules(), &contents);
    EXPECT_TRUE(s.ok()) << name << ": " << s.ToString();
    std::map<std::string, size_t> sizes;
    for (const auto& family : contents.families) {
      EXPECT_TRUE(sizes.emplace(family.name, family.options.write_buffer_size).second);
    }
    EXPECT_TRUE(contents.families.empty() || contents.families[0].name == "default");
    return sizes;
  }
  std::map<std::string, size_t> Wanted() const {
    std::map<std::string, size_t> sizes;
    for (const auto& family : families_) sizes[family.name] = family.options.write_buffer_size;
    return sizes;
  }
  size_t Files() {
    std::vector<std::string> names;
    EXPECT_TRUE(memory_->GetChildren(kDb, IOOptions(), &names, nullptr).ok());
    return names.size();
  }

  std::shared_ptr<MemoryFileSystem> memory_;
  std::shared_ptr<fault::FaultInjectionFileSystem> faults_;
  std::unique_ptr<FSDirectory> directory_;
  std::unique_ptr<OptionsKeeper> keeper_;
  DBOptions db_options_;
  std::vector<ColumnFamilyDescriptor> families_;
  uint64_t number_ = 5;
};

TEST_F(OptionsKeeperTest, AFamilyCostsWhatItsOwnOptionsTake) {
  ASSERT_TRUE(Persist(nullptr).ok());
  ASSERT_TRUE(Create("a").ok());
  ASSERT_TRUE(Create("b").ok());
  const uint64_t before = keeper_->bytes_written();
  constexpr uint64_t kFamilies = 1000;
  for (uint64_t i = 0; i < kFamilies; ++i) {
    ASSERT_TRUE(Create("family" + std::to_string(i)).ok());
  }
  const uint64_t section = FormatFamilyOptions(families_.back()).size();
  // Each of the two files gets it once.
  EXPECT_LE(keeper_->bytes_written() - before, kFamilies * section * 2 + 10 * section);
  EXPECT_EQ(Newest(), Wanted());
  EXPECT_EQ(Files(), 2u);
}

TEST_F(OptionsKeeperTest, TheNewestFileHasAllThatIsTrue) {
  Random64 random(301);
  ASSERT_TRUE(Persist(nullptr).ok());
  for (int step = 0; step < 300; ++step) {
    const uint64_t what = random.Uniform(6);
    if (what == 0 && families_.size() > 1) {
      ASSERT_TRUE(Drop(1 + random.Uniform(families_.size() - 1)).ok());
    } else if (what <= 2) {
      ASSERT_TRUE(Set(random.Uniform(families_.size()), (64 << 10) + random.Uniform(1000)).ok());
    } else if (what == 3 && random.OneIn(5)) {
      ASSERT_TRUE(Persist(nullptr).ok());
    } else {
      // (Names come back.)
      const std::string name = "f" + std::to_string(random.Uniform(40));
      if (!Wanted().contains(name)) {
        ASSERT_TRUE(Create(name).ok());
      }
    }
    ASSERT_EQ(Newest(), Wanted()) << step;
    ASSERT_LE(Files(), 2u);
  }
}

// Emptied lines do not pile up.
TEST_F(OptionsKeeperTest, AFileOfEmptyLinesIsWrittenAnew) {
  ASSERT_TRUE(Persist(nullptr).ok());
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(Create("f" + std::to_string(i)).ok());
  const uint64_t whole = FormatOptionsFile(db_options_, families_).size();
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(Set(7, (64 << 10) + static_cast<size_t>(i)).ok());
    std::string name;
    ASSERT_TRUE(FindLatestOptionsFile(memory_.get(), kDb, &name).ok());
    uint64_t size = 0;
    ASSERT_TRUE(
        memory_->GetFileSize(std::string(kDb) + "/" + name, IOOptions(), &size, nullptr).ok());
    ASSERT_LE(size, whole * 5 / 2);
  }
  EXPECT_EQ(Newest(), Wanted());
}

// After a power cut at any change of the file system the newest file is whole, and has what was
// acknowledged.
TEST_F(OptionsKeeperTest, APowerCutLosesNothingThatWasAcknowledged) {
  for (uint64_t cut = 0; cut < 60; ++cut) {
    SCOPED_TRACE(cut);
    Begin();
    ASSERT_TRUE(Persist(nullptr).ok());
    ASSERT_TRUE(Create("a").ok());
    ASSERT_TRUE(Create("b").ok());
    std::map<std::string, size_t> acknowledged = Wanted();
    faults_->FailNthOperation(cut + 1, fault::kAll, IOStatus::IOError("the power is gone"),
                              UINT64_MAX);
    std::map<std::string, size_t> attempted = acknowledged;
    for (int i = 0; i < 6; ++i) {
      const Status s = i % 3 == 2 ? Drop(1) : Create("c" + std::to_string(i));
      attempted = Wanted();
      if (!s.ok()) break;
      acknowledged = attempted;
    }
    memory_->CrashAndFreeze();
    memory_->DropUnsyncedRandomly(cut);
    const std::map<std::string, size_t> found = Newest();
    EXPECT_TRUE(found == acknowledged || found == attempted);
  }
}

}  // namespace
}  // namespace cairn
