#include "manifest/blob_files_builder.h"

#include <gtest/gtest.h>

#include <string>

#include "manifest/version_edit.h"

namespace cairn {
namespace {

BlobFileAddition File(uint64_t number, uint64_t blobs = 10) {
  BlobFileAddition file;
  file.number = number;
  file.blobs = blobs;
  file.bytes = blobs * 100;
  return file;
}

// "3 7(2)" for files 3 and 7, of which 2 blobs are garbage.
std::string Text(const BlobFileList& files) {
  std::string text;
  for (const auto& f : files) {
    if (!text.empty()) text += " ";
    text += std::to_string(f->number());
    if (f->garbage_blobs > 0) text += "(" + std::to_string(f->garbage_blobs) + ")";
  }
  return text;
}

TEST(BlobFilesBuilderTest, AFileGoesWhenItIsOlderThanAllLinksOrAllGarbage) {
  BlobFilesBuilder first(nullptr);
  for (const uint64_t number : {3, 5, 7}) ASSERT_TRUE(first.Add(File(number)).ok());
  first.Link(5, 100);
  const BlobFileList base = first.Build();
  EXPECT_EQ(Text(base), "5 7") << "nothing can refer to 3";
  EXPECT_EQ(FindBlobFile(base, 3), nullptr);
  ASSERT_NE(FindBlobFile(base, 7), nullptr);

  BlobFilesBuilder second(&base);
  ASSERT_TRUE(second.AddGarbage({7, 10, 1000}).ok());
  ASSERT_TRUE(second.AddGarbage({5, 4, 400}).ok());
  EXPECT_EQ(Text(second.Build()), "5(4)");
  EXPECT_EQ(Text(base), "5 7") << "what is there does not change";

  BlobFilesBuilder third(&base);
  third.Unlink(5, 100);
  EXPECT_EQ(Text(third.Build()), "") << "no table refers to any";
  third.Link(7, 101);
  EXPECT_EQ(Text(third.Build()), "7");
  third.Link(99, 102);  // of a file that is not there
  EXPECT_EQ(Text(third.Build()), "7");
}

TEST(BlobFilesBuilderTest, WhatCannotBeIsCorruption) {
  BlobFilesBuilder builder(nullptr);
  ASSERT_TRUE(builder.Add(File(3)).ok());
  EXPECT_TRUE(builder.Add(File(3)).IsCorruption());
  EXPECT_TRUE(builder.AddGarbage({4, 1, 1}).IsCorruption());
  EXPECT_TRUE(builder.AddGarbage({3, 11, 10}).IsCorruption());
  EXPECT_TRUE(builder.AddGarbage({3, 1, 1001}).IsCorruption());
  ASSERT_TRUE(builder.AddGarbage({3, 6, 600}).ok());
  EXPECT_TRUE(builder.AddGarbage({3, 5, 400}).IsCorruption());
}

TEST(BlobFilesBuilderTest, TotalsAreRocksDbs) {
  BlobFilesBuilder builder(nullptr);
  ASSERT_TRUE(builder.Add(File(3)).ok());
  ASSERT_TRUE(builder.Add(File(4, 5)).ok());
  ASSERT_TRUE(builder.AddGarbage({3, 2, 200}).ok());
  builder.Link(3, 100);
  const BlobFileTotals totals = TotalsOf(builder.Build());
  EXPECT_EQ(totals.files, 2u);
  EXPECT_EQ(totals.file_bytes, 1000u + 500u + 2 * 62);
  EXPECT_EQ(totals.garbage_bytes, 200u);
  EXPECT_DOUBLE_EQ(BlobSpaceAmplification(totals), 1624.0 / 1424.0);
  EXPECT_EQ(BlobSpaceAmplification(BlobFileTotals()), 0);
}

TEST(BlobFilesBuilderTest, EditsCarryFilesAndGarbage) {
  VersionEdit edit;
  BlobFileAddition file = File(12);
  file.checksum_func = "FileChecksumCrc32c";
  file.checksum = "\1\2\3\4";
  edit.AddBlobFile(file);
  edit.AddBlobGarbage({9, 2, 222});
  std::string bytes;
  ASSERT_TRUE(edit.EncodeTo(&bytes));
  VersionEdit read;
  ASSERT_TRUE(read.DecodeFrom(bytes).ok());
  ASSERT_EQ(read.blob_additions().size(), 1u);
  EXPECT_EQ(read.blob_additions()[0].number, 12u);
  EXPECT_EQ(read.blob_additions()[0].blobs, 10u);
  EXPECT_EQ(read.blob_additions()[0].bytes, 1000u);
  EXPECT_EQ(read.blob_additions()[0].checksum_func, file.checksum_func);
  EXPECT_EQ(read.blob_additions()[0].checksum, file.checksum);
  ASSERT_EQ(read.blob_garbage().size(), 1u);
  EXPECT_EQ(read.blob_garbage()[0].number, 9u);
  EXPECT_EQ(read.blob_garbage()[0].blobs, 2u);
  EXPECT_EQ(read.blob_garbage()[0].bytes, 222u);
  // The end of a record may be cut between fields, nowhere else.
  size_t good = 0;
  for (size_t n = 0; n < bytes.size(); ++n) {
    VersionEdit cut;
    good += cut.DecodeFrom(Slice(bytes.data(), n)).ok();
  }
  EXPECT_EQ(good, 2u) << "nothing, and the first of the two";
}

TEST(BlobFilesBuilderTest, FieldsOfLaterReleasesAreSkippedIfTheyMayBe) {
  std::string bytes;
  File(12).AppendTo(&bytes);
  bytes.pop_back();
  const std::string harmless = bytes + std::string("\x05\x02xy\0", 5);
  const std::string fatal = bytes + std::string("\x45\x02xy\0", 5);
  BlobFileAddition file;
  Slice in(harmless);
  EXPECT_TRUE(file.DecodeFrom(&in));
  EXPECT_TRUE(in.empty());
  in = fatal;
  EXPECT_FALSE(file.DecodeFrom(&in));
}

}  // namespace
}  // namespace cairn
