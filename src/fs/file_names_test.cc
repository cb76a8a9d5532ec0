#include "fs/file_names.h"

#include <gtest/gtest.h>

namespace cairn {
namespace {

TEST(FileNames, AreTheOnesThatRocksDBTakes) {
  EXPECT_EQ("db/000012.sst", TableFileName("db", 12));
  EXPECT_EQ("db/1234567.sst", TableFileName("db", 1234567));
  EXPECT_EQ("b/000001.sst", TableFileName({"a", "b"}, 1, 1));
  EXPECT_EQ("b/000001.sst", TableFileName({"a", "b"}, 1, 7));
  EXPECT_EQ("db/000003.log", LogFileName("db", 3));
  EXPECT_EQ("db/MANIFEST-000005", DescriptorFileName("db", 5));
  EXPECT_EQ("db/CURRENT", CurrentFileName("db"));
  EXPECT_EQ("db/LOCK", LockFileName("db"));
  EXPECT_EQ("db/IDENTITY", IdentityFileName("db"));
  EXPECT_EQ("db/OPTIONS-000007", OptionsFileName("db", 7));
  EXPECT_EQ("db/OPTIONS-000007.dbtmp", TempOptionsFileName("db", 7));
  EXPECT_EQ("db/000009.dbtmp", TempFileName("db", 9));
  EXPECT_EQ("db/LOG", InfoLogFileName("db"));
  EXPECT_EQ("logs/data_my_db_LOG", InfoLogFileName("/data/my/db", "logs"));
  EXPECT_EQ("db/LOG.old.17", OldInfoLogFileName("db", 17));
}

TEST(FileNames, ParseUndoesMaking) {
  const struct {
    std::string name;
    uint64_t number;
    FileType type;
  } kCases[] = {
      {"000012.sst", 12, FileType::kTableFile},
      {"12.ldb", 12, FileType::kTableFile},
      {"000003.log", 3, FileType::kWalFile},
      {"000004.blob", 4, FileType::kBlobFile},
      {"MANIFEST-000005", 5, FileType::kDescriptorFile},
      {"CURRENT", 0, FileType::kCurrentFile},
      {"LOCK", 0, FileType::kLockFile},
      {"IDENTITY", 0, FileType::kIdentityFile},
      {"OPTIONS-000007", 7, FileType::kOptionsFile},
      {"OPTIONS-000007.dbtmp", 7, FileType::kTempFile},
      {"000009.dbtmp", 9, FileType::kTempFile},
      {"LOG", 0, FileType::kInfoLogFile},
      {"LOG.old", 0, FileType::kInfoLogFile},
      {"LOG.old.1700000000000000", 1700000000000000, FileType::kInfoLogFile},
      {"METADB-000002", 2, FileType::kMetaDatabase},
      {"18446744073709551615.log", UINT64_MAX, FileType::kWalFile},
  };
  for (const auto& c : kCases) {
    uint64_t number = 99;
    FileType type{};
    ASSERT_TRUE(ParseFileName(c.name, &number, &type)) << c.name;
    EXPECT_EQ(c.number, number) << c.name;
    EXPECT_EQ(c.type, type) << c.name;
  }
  uint64_t number;
  FileType type;
  ASSERT_TRUE(ParseFileName("data_db_LOG.old.5", &number, &type, "data_db_LOG"));
  EXPECT_EQ(5u, number);
}

TEST(FileNames, ForeignFilesAreLeftAlone) {
  for (const char* name : {"",
                           "foo",
                           "foo-dx-100.log",
                           ".log",
                           "manifest",
                           "CURREN",
                           "CURRENTX",
                           "MANIFES",
                           "MANIFEST",
                           "MANIFEST-",
                           "XMANIFEST-3",
                           "MANIFEST-3x",
                           "LOC",
                           "LOCKx",
                           "LO",
                           "LOGx",
                           "LOG.old.",
                           "100",
                           "100.",
                           "100.lop",
                           "18446744073709551616.log",
                           "184467440737095516150.log",
                           "-1.log",
                           "OPTIONS-",
                           "OPTIONS-3.tmp",
                           "100.sst.bak",
                           "IDENTITY.dbtmp"}) {
    uint64_t number;
    FileType type;
    EXPECT_FALSE(ParseFileName(name, &number, &type)) << name;
  }
}

}  // namespace
}  // namespace cairn
