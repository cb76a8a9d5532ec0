// BestEffortsPlan: the points of a MANIFEST to which families go back, file by file.
#include "manifest/best_efforts.h"

#include <gtest/gtest.h>

#include "fs/file_names.h"
#include "fs/file_util.h"
#include "fs/memory_file_system.h"
#include "manifest/testing/version_fixture.h"
#include "manifest/version_set.h"

namespace cairn {
namespace {

using Points = std::map<uint32_t, uint64_t>;

class BestEffortsPlanTest : public ::testing::Test {
 protected:
  BestEffortsPlanTest() { EXPECT_TRUE(CreateDirDurably(&fs_, "/db").ok()); }

  // A file of so many bytes that an edit will name, there or not.
  void Make(const std::string& path, uint64_t bytes) {
    ASSERT_TRUE(WriteStringToFile(&fs_, std::string(bytes, 'x'), path, false).ok());
  }
  // The next edit: "+5" adds a table to level 0, "-5" deletes it; "b6" adds a blob file of one
  // blob, which the tables that the same edit adds refer to, and "g6" makes that garbage.
  void Edit(uint32_t family, const std::vector<std::string>& changes, int remaining = -1) {
    VersionEdit edit;
    edit.SetColumnFamily(family);
    if (family != 0 && families_.insert(family).second) {
      edit.AddColumnFamily("family" + std::to_string(family));
    }
    if (remaining >= 0) edit.MarkAtomicGroup(static_cast<uint32_t>(remaining));
    uint64_t blob_file = kNoBlobFile;
    for (const std::string& change : changes) {
      const uint64_t number = std::stoull(change.substr(1));
      if (change[0] == 'b') {
        BlobFileAddition added;
        added.number = blob_file = number;
        added.blobs = 1;
        added.bytes = 10;
        edit.AddBlobFile(added);
      } else if (change[0] == 'g') {
        edit.AddBlobGarbage({number, 1, 10});
      } else if (change[0] == '-') {
        edit.DeleteFile(0, number);
      } else {
        FileMetaData file = MakeFile(number, "a", "b");
        file.file_size = 100;
        file.oldest_blob_file_number = blob_file;
        edit.AddFile(0, file);
      }
    }
    edits_.push_back(edit);
  }
  void Drop(uint32_t family) {
    VersionEdit edit;
    edit.SetColumnFamily(family);
    edit.DropColumnFamily();
    edits_.push_back(edit);
  }
  void Table(uint64_t number, uint64_t bytes = 100) { Make(TableFileName("/db", number), bytes); }
  void Blobs(uint64_t number) {
    BlobFileAddition file;
    file.bytes = 10;
    Make(BlobFileName("/db", number), file.file_size());
  }
  Points Plan(bool* loses_files = nullptr) {
    EXPECT_TRUE(
        VersionSet::WriteDescriptor("/db", 1, edits_, DBOptions(), &fs_, FileOptions(), nullptr)
            .ok());
    std::unique_ptr<ManifestReader> reader;
    EXPECT_TRUE(ManifestReader::Open(&fs_, DescriptorFileName("/db", 1), 1, &reader).ok());
    BestEffortsPlan plan(&fs_, {"/db"});
    const Status s = plan.Read(reader.get());
    EXPECT_TRUE(s.ok()) << s.ToString();
    if (loses_files != nullptr) *loses_files = plan.loses_files();
    return plan.files_until();
  }

  MemoryFileSystem fs_;
  std::vector<VersionEdit> edits_;
  std::set<uint32_t> families_;
};

TEST_F(BestEffortsPlanTest, AllIsThere) {
  Edit(0, {"+5"});
  Edit(0, {"+6"});
  Table(5);
  Table(6);
  bool loses_files = true;
  EXPECT_EQ(Plan(&loses_files), (Points{{0, 2}}));
  EXPECT_FALSE(loses_files);
}

TEST_F(BestEffortsPlanTest, TheNewestPointThatIsWhole) {
  Edit(0, {"+5"});
  Edit(0, {"+6"});
  Edit(0, {"+7"});
  Edit(0, {"-5", "-6", "+8"});
  Edit(0, {"+9"});
  Table(5);
  Table(7);
  bool loses_files = false;
  EXPECT_EQ(Plan(&loses_files), (Points{{0, 1}}));
  EXPECT_TRUE(loses_files);
  Table(8);
  EXPECT_EQ(Plan(), (Points{{0, 4}})) << "6 is not missed once it was compacted";
  Table(9, 99);
  EXPECT_EQ(Plan(), (Points{{0, 4}})) << "of another size";
  Table(9);
  EXPECT_EQ(Plan(&loses_files), (Points{{0, 5}}));
  EXPECT_FALSE(loses_files);
}

TEST_F(BestEffortsPlanTest, NoneIsWhole) {
  Edit(0, {"+5"});
  Edit(0, {"+6"});
  Table(6);
  EXPECT_EQ(Plan(), (Points{{0, 0}}));
}

TEST_F(BestEffortsPlanTest, EachFamilyForItself) {
  Edit(1, {});
  Edit(2, {});
  Edit(0, {"+5"});
  Edit(1, {"+6"});
  Edit(2, {"+7"});
  Drop(2);
  Edit(0, {"+8"});
  Table(5);
  Table(8);
  EXPECT_EQ(Plan(), (Points{{0, 7}, {1, 1}})) << "nobody misses what a dropped family had";
}

TEST_F(BestEffortsPlanTest, AGroupIsHadByAllOfItsFamiliesOrByNone) {
  Edit(1, {"+4"});
  Edit(0, {"+5"}, 1);
  Edit(1, {"+6"}, 0);
  Edit(0, {"+7"}, 1);
  Edit(1, {"+8"}, 0);
  Edit(0, {"+9"});
  for (const uint64_t number : {4, 5, 6, 7, 9}) Table(number);
  EXPECT_EQ(Plan(), (Points{{0, 3}, {1, 3}})) << "8 is missing";
  Table(8);
  EXPECT_EQ(Plan(), (Points{{0, 6}, {1, 5}}));
  ASSERT_TRUE(fs_.DeleteFile(TableFileName("/db", 5), IOOptions(), nullptr).ok());
  EXPECT_EQ(Plan(), (Points{{0, 0}, {1, 1}}));
}

TEST_F(BestEffortsPlanTest, WhoGoesBackBehindOneGroupTakesAlongThoseOfAnother) {
  Edit(1, {});
  Edit(2, {});
  Edit(1, {"+5"}, 1);  // 3, 4
  Edit(2, {"+6"}, 0);
  Edit(0, {"+7"}, 1);  // 5, 6
  Edit(1, {"+8"}, 0);
  for (const uint64_t number : {5, 7, 8}) Table(number);
  EXPECT_EQ(Plan(), (Points{{0, 0}, {1, 1}, {2, 2}})) << "6 is missing";
}

TEST_F(BestEffortsPlanTest, BlobFilesCountWhileTheyAreOfUse) {
  Edit(0, {"b5", "+6"});
  Edit(0, {"b7", "+8"});
  for (const uint64_t number : {6, 8}) Table(number);
  Blobs(5);
  EXPECT_EQ(Plan(), (Points{{0, 1}}));
  Blobs(7);
  EXPECT_EQ(Plan(), (Points{{0, 2}}));
  // 5 is all garbage, and nobody refers to it.
  Edit(0, {"-6", "g5"});
  ASSERT_TRUE(fs_.DeleteFile(BlobFileName("/db", 5), IOOptions(), nullptr).ok());
  EXPECT_EQ(Plan(), (Points{{0, 3}}));
}

TEST_F(BestEffortsPlanTest, ADamagedManifestHasNoPlan) {
  Edit(0, {"+5"});
  Edit(0, {"+6"});
  Table(5);
  Table(6);
  Plan();
  const std::string path = DescriptorFileName("/db", 1);
  ASSERT_TRUE(fs_.CorruptFile(path, 10, 0x40).ok());
  std::unique_ptr<ManifestReader> reader;
  ASSERT_TRUE(ManifestReader::Open(&fs_, path, 1, &reader).ok());
  BestEffortsPlan plan(&fs_, {"/db"});
  const Status s = plan.Read(reader.get());
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_NE(s.ToString().find(path), std::string::npos) << s.ToString();
}

TEST_F(BestEffortsPlanTest, ManifestsAreTriedFromTheNewest) {
  Make(DescriptorFileName("/db", 9), 10);
  Make(DescriptorFileName("/db", 12), 10);
  Make(DescriptorFileName("/db", 11), 0);
  std::vector<uint64_t> numbers;
  ASSERT_TRUE(FindManifests(&fs_, "/db", &numbers).ok());
  EXPECT_EQ(numbers, (std::vector<uint64_t>{12, 9}));
}

}  // namespace
}  // namespace cairn
