#include "blob/blob_format.h"

#include <gtest/gtest.h>

#include <string>

namespace cairn {
namespace {

std::string Header(const BlobFileHeader& header) {
  std::string bytes;
  AppendBlobFileHeader(header, &bytes);
  return bytes;
}

std::string Record(const std::string& key, const std::string& value) {
  std::string bytes(kBlobRecordHeaderSize, '\0');
  EncodeBlobRecordHeader(key, value, bytes.data());
  return bytes + key + value;
}

TEST(BlobFormatTest, HeaderHasTheBytesOfRocksDb) {
  const std::string expected(
      "\x37\x8f\x24\x00\x01\x00\x00\x00\x05\x00\x00\x00\x00\x04"
      "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
      30);
  EXPECT_EQ(Header({5, kLZ4Compression}), expected);
  BlobFileHeader header;
  ASSERT_TRUE(DecodeBlobFileHeader(expected, &header).ok());
  EXPECT_EQ(header.column_family_id, 5u);
  EXPECT_EQ(header.compression, kLZ4Compression);
}

TEST(BlobFormatTest, HeadersThatAreNoneAreRefused) {
  const std::string good = Header({});
  BlobFileHeader header;
  EXPECT_TRUE(DecodeBlobFileHeader(Slice(good.data(), 29), &header).IsCorruption());
  for (const size_t at : {size_t{0}, size_t{4}, size_t{14}, size_t{22}}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 2);
    EXPECT_TRUE(DecodeBlobFileHeader(bad, &header).IsCorruption()) << at;
  }
  std::string expires = good;
  expires[12] = 1;
  EXPECT_TRUE(DecodeBlobFileHeader(expires, &header).IsCorruption());
}

TEST(BlobFormatTest, AnyFlippedBitOfAFooterIsFound) {
  std::string good;
  AppendBlobFileFooter(7, &good);
  ASSERT_EQ(good.size(), kBlobFooterSize);
  uint64_t records = 0;
  ASSERT_TRUE(DecodeBlobFileFooter(good, &records).ok());
  EXPECT_EQ(records, 7u);
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_TRUE(DecodeBlobFileFooter(bad, &records).IsCorruption()) << bit;
  }
}

TEST(BlobFormatTest, AnyFlippedBitOfARecordIsFound) {
  const std::string good = Record("key", "a value");
  ASSERT_TRUE(CheckBlobRecord(good, "key", 7).ok());
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_TRUE(CheckBlobRecord(bad, "key", 7).IsCorruption()) << bit;
  }
  EXPECT_TRUE(CheckBlobRecord(good, "kex", 7).IsCorruption());
  EXPECT_TRUE(CheckBlobRecord(good, "ke", 8).IsCorruption());
  EXPECT_TRUE(CheckBlobRecord(good, "key", 6).IsCorruption());
  EXPECT_TRUE(CheckBlobRecord(Slice(good.data(), good.size() - 1), "key", 7).IsCorruption());
  EXPECT_TRUE(CheckBlobRecord(Slice(good.data(), 31), "key", 7).IsCorruption());
}

TEST(BlobFormatTest, ATableMayHaveLostTheTimestamp) {
  const std::string zeros(8, '\0');
  const std::string timed("key\5\0\0\0\0\0\0\0", 11);
  const std::string good = Record(timed, "a value");
  ASSERT_TRUE(CheckBlobRecord(good, timed, 7, 8).ok());
  EXPECT_TRUE(CheckBlobRecord(good, "key" + zeros, 7, 8).ok());
  EXPECT_TRUE(CheckBlobRecord(good, "key" + zeros, 7).IsCorruption()) << "keys have none";
  EXPECT_TRUE(CheckBlobRecord(good, "kez" + zeros, 7, 8).IsCorruption());
  EXPECT_TRUE(CheckBlobRecord(good, std::string("key\4\0\0\0\0\0\0\0", 11), 7, 8).IsCorruption());
  std::string bad = good;
  bad[kBlobRecordHeaderSize + 4] = 1;
  EXPECT_TRUE(CheckBlobRecord(bad, "key" + zeros, 7, 8).IsCorruption()) << "the checksum is of it";
}

TEST(BlobFormatTest, IndexRoundTrips) {
  BlobIndex in;
  in.file_number = 300;
  in.offset = uint64_t{1} << 40;
  in.size = 12345;
  in.compression = kZSTD;
  std::string bytes;
  AppendBlobIndex(in, &bytes);
  EXPECT_EQ(bytes[0], 1);
  BlobIndex out;
  ASSERT_TRUE(DecodeBlobIndex(bytes, &out).ok());
  EXPECT_EQ(out.file_number, in.file_number);
  EXPECT_EQ(out.offset, in.offset);
  EXPECT_EQ(out.size, in.size);
  EXPECT_EQ(out.compression, kZSTD);
  for (size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_TRUE(DecodeBlobIndex(Slice(bytes.data(), n), &out).IsCorruption()) << n;
  }
  EXPECT_TRUE(DecodeBlobIndex(bytes + "x", &out).IsCorruption());
  for (const char kind : {char{0}, char{2}, char{3}}) {
    std::string other = bytes;
    other[0] = kind;
    EXPECT_TRUE(DecodeBlobIndex(other, &out).IsCorruption()) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace cairn
