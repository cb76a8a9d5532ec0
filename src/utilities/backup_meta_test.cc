// The names in a backup directory, and the files in meta/ as text. (What an engine makes of wrong
// ones: test/conformance/backup_damage_test.cc.)
#include "utilities/backup_meta.h"

#include <gtest/gtest.h>

#include "utilities/backup_names.h"

namespace cairn {
namespace {

TEST(BackupNamesTest, ThereAndBack) {
  const auto naming = [](uint32_t bits) {
    return static_cast<BackupEngineOptions::ShareFilesNaming>(bits);
  };
  const SharedFileMarks marks{.session = "0123456789ABCDEFGHIJ", .crc32c = 77, .size = 999};
  const SharedFileMarks old{.session = "", .crc32c = 77, .size = 999};
  const std::pair<std::string, std::string> names[] = {
      {SharedChecksumPath("000012.sst", naming(BackupEngineOptions::kUseDbSessionId), marks),
       "shared_checksum/000012_s0123456789ABCDEFGHIJ.sst"},
      {SharedChecksumPath(
           "000012.sst",
           naming(BackupEngineOptions::kUseDbSessionId | BackupEngineOptions::kFlagIncludeFileSize),
           marks),
       "shared_checksum/000012_s0123456789ABCDEFGHIJ_999.sst"},
      {SharedChecksumPath("000012.sst", naming(BackupEngineOptions::kUseDbSessionId), old),
       "shared_checksum/000012_77_999.sst"},
      {SharedChecksumPath("000012.sst", naming(BackupEngineOptions::kLegacyCrc32cAndFileSize),
                          marks),
       "shared_checksum/000012_77_999.sst"},
  };
  for (const auto& [path, expected] : names) {
    EXPECT_EQ(expected, path);
    EXPECT_EQ("000012.sst", DatabaseFileName(path));
    EXPECT_TRUE(IsBackupFilePath(path));
    EXPECT_TRUE(IsSharedBackupFile(path));
    const bool has_size = path.find("999") != std::string::npos;
    EXPECT_EQ(has_size ? std::optional<uint64_t>(999) : std::nullopt, SizeInName(path)) << path;
  }
  EXPECT_EQ("shared/000012.sst", "shared/" + DatabaseFileName("shared/000012.sst"));
  EXPECT_EQ("CURRENT", DatabaseFileName("private/3/CURRENT"));
  EXPECT_EQ("shared/.000012.sst.tmp", TemporaryBackupPath("shared/000012.sst"));
  EXPECT_EQ("meta/.7.tmp", TemporaryBackupPath(BackupMetaPath(7)));
  EXPECT_TRUE(IsTemporaryBackupName(".7.tmp"));
  EXPECT_FALSE(IsTemporaryBackupName("7"));
}

TEST(BackupNamesTest, PathsLeadNowhereElse) {
  for (const char* path : {"private/1/CURRENT", "shared/000001.sst", "shared_checksum/x"}) {
    EXPECT_TRUE(IsBackupFilePath(path)) << path;
  }
  for (const char* path :
       {"", "/", "CURRENT", "meta/1", "private/CURRENT", "private/x/CURRENT", "private/0/CURRENT",
        "private/1/..", "private/1/a/b", "private/../1", "shared/..", "shared/", "shared/a/b",
        "../shared/a", "/shared/a", "sharedx/a"}) {
    EXPECT_FALSE(IsBackupFilePath(path)) << path;
  }
}

TEST(BackupNamesTest, IdsAreWholeNumbers) {
  BackupID id = 0;
  EXPECT_TRUE(ParseBackupId("4294967295", &id));
  EXPECT_EQ(4294967295u, id);
  for (const char* name : {"", "0", "01", "-1", "+1", " 1", "1 ", "1x", "4294967296"}) {
    EXPECT_FALSE(ParseBackupId(name, &id)) << name;
  }
}

TEST(BackupMetaTest, WhatIsWrittenIsRead) {
  BackupMeta meta;
  meta.timestamp = 1700000000;
  meta.sequence = 4711;
  meta.app_metadata = std::string("a\0\n b", 5);
  meta.files.push_back(std::make_shared<BackupFile>(
      BackupFile{"private/1/CURRENT", 16, 0xffffffff, Temperature::kUnknown}));
  meta.files.push_back(
      std::make_shared<BackupFile>(BackupFile{"shared/000012.sst", 999, 0, Temperature::kWarm}));
  EXPECT_EQ(1015u, meta.size());
  for (const int schema : {1, 2}) {
    const std::string text = FormatBackupMeta(meta, schema);
    BackupMeta read;
    std::vector<BackupMetaEntry> entries;
    std::vector<std::string> ignored;
    const IOStatus s = ParseBackupMeta("meta/1", text, &read, &entries, &ignored);
    ASSERT_TRUE(s.ok()) << s.ToString();
    EXPECT_TRUE(ignored.empty());
    EXPECT_EQ(meta.timestamp, read.timestamp);
    EXPECT_EQ(meta.sequence, read.sequence);
    EXPECT_EQ(meta.app_metadata, read.app_metadata);
    ASSERT_EQ(2u, entries.size());
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(meta.files[i]->path, entries[i].file.path);
      EXPECT_EQ(meta.files[i]->crc32c, entries[i].file.crc32c);
      EXPECT_EQ(schema == 2, entries[i].has_size);
      if (schema == 1) continue;
      EXPECT_EQ(meta.files[i]->size, entries[i].file.size);
      EXPECT_EQ(meta.files[i]->temperature, entries[i].file.temperature);
    }
    // Cut off anywhere it is damaged, or (in the last line) it is not.
    for (size_t size = 0; size < text.size(); ++size) {
      BackupMeta part;
      std::vector<BackupMetaEntry> some;
      const IOStatus cut = ParseBackupMeta("meta/1", text.substr(0, size), &part, &some, &ignored);
      if (some.size() < 2) {
        EXPECT_TRUE(cut.IsCorruption() || cut.IsNotSupported()) << size;
      }
    }
  }
}

TEST(BackupMetaTest, ErrorsNameTheFileAndTheLine) {
  BackupMeta meta;
  std::vector<BackupMetaEntry> entries;
  std::vector<std::string> ignored;
  const IOStatus s = ParseBackupMeta("/b/meta/9", "1\n2\n1\nprivate/9/CURRENT crc32 x\n", &meta,
                                     &entries, &ignored);
  EXPECT_TRUE(s.IsCorruption());
  EXPECT_NE(std::string::npos, s.ToString().find("/b/meta/9, line 4")) << s.ToString();
}

TEST(BackupMetaTest, FilesThatWereLeftOut) {
  const std::string path = "shared_checksum/000012_s0123456789ABCDEFGHIJ_7.sst";
  BackupMeta meta;
  meta.files.push_back(std::make_shared<BackupFile>(
      BackupFile{"private/1/CURRENT", 16, 1234, Temperature::kUnknown}));
  meta.excluded = {path};
  const std::string text = FormatBackupMeta(meta, 2);
  EXPECT_NE(text.find("\n1\nprivate"), std::string::npos) << "they are not counted: " << text;
  EXPECT_TRUE(text.ends_with(path + " ni::excluded true\n")) << text;
  const auto parse = [](const std::string& of, BackupMeta* to) {
    std::vector<BackupMetaEntry> entries;
    std::vector<std::string> ignored;
    return ParseBackupMeta("meta/1", of, to, &entries, &ignored);
  };
  BackupMeta again;
  ASSERT_TRUE(parse(text, &again).ok());
  EXPECT_EQ(again.excluded, meta.excluded);
  const std::string head = "schema_version 2.0\n1\n2\n";
  BackupMeta other;
  EXPECT_TRUE(parse(head + "1\n" + path + " ni::excluded false\n", &other).ok());
  EXPECT_TRUE(other.excluded.empty());
  EXPECT_TRUE(parse(head + "0\n" + path + " ni::excluded maybe\n", &other).IsNotSupported());
  EXPECT_TRUE(parse(head + "0\nprivate/1/CURRENT ni::excluded true\n", &other).IsCorruption());
  EXPECT_TRUE(parse("1\n2\n0\n" + path + " ni::excluded true\n", &other).IsCorruption())
      << "schema 1 has no fields";
}

}  // namespace
}  // namespace cairn
