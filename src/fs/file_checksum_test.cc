#include "fs/file_checksum.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "fiber/clock.h"
#include "fs/file_util.h"
#include "fs/file_writer.h"
#include "fs/memory_file_system.h"

namespace cairn {
namespace {

std::string Checksum(const std::string& data) {
  const auto generator = GetFileChecksumGenCrc32cFactory()->CreateFileChecksumGenerator({"f", ""});
  generator->Update(data.data(), data.size());
  generator->Finalize();
  return generator->GetChecksum();
}

// A direct file over a buffered one.
class DirectFile final : public FSWritableFile {
 public:
  explicit DirectFile(std::string* data) : data_(data) {}
  bool use_direct_io() const override { return true; }
  size_t GetRequiredBufferAlignment() const override { return 512; }
  IOStatus Append(const Slice&, const IOOptions&, IODebugContext*) override {
    return IOStatus::NotSupported("direct");
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions&,
                            IODebugContext*) override {
    EXPECT_EQ(offset % 512, 0u);
    EXPECT_EQ(data.size() % 512, 0u);
    data_->resize(static_cast<size_t>(offset));
    data_->append(data.data(), data.size());
    return IOStatus::OK();
  }
  IOStatus Truncate(uint64_t size, const IOOptions&, IODebugContext*) override {
    data_->resize(static_cast<size_t>(size));
    return IOStatus::OK();
  }
  IOStatus Close(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Flush(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Fsync(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  uint64_t GetFileSize(const IOOptions&, IODebugContext*) override { return data_->size(); }

 private:
  std::string* const data_;
};

TEST(FileChecksumTest, Crc32cIsBigEndian) {
  EXPECT_EQ(Checksum("123456789"), std::string("\xe3\x06\x92\x83", 4));
  EXPECT_EQ(Checksum(""), std::string(4, '\0'));
  const auto factory = GetFileChecksumGenCrc32cFactory();
  EXPECT_NE(factory->CreateFileChecksumGenerator({"f", kStandardDbFileChecksumFuncName}), nullptr);
  EXPECT_EQ(factory->CreateFileChecksumGenerator({"f", "Another"}), nullptr);
}

// Writes pieces of many sizes, with flushes between them; true if the checksum is that of the file.
void CheckWriter(FileWriter* writer, const std::function<std::string()>& contents, uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  writer->SetChecksumGenerator(
      GetFileChecksumGenCrc32cFactory()->CreateFileChecksumGenerator({"/f", ""}));
  Random64 random(seed);
  std::string expected;
  for (int i = 0; i < 400; ++i) {
    const std::string piece =
        random.RandomBinaryString(static_cast<size_t>(random.Skewed(i % 50 == 0 ? 19 : 11)));
    ASSERT_TRUE(writer->Append(piece).ok());
    expected += piece;
    if (random.OneIn(20)) {
      ASSERT_TRUE(writer->Flush().ok());
    }
  }
  ASSERT_TRUE(writer->Sync(false).ok());
  ASSERT_TRUE(writer->Close().ok());
  std::string checksum, name;
  writer->GetChecksum(&checksum, &name);
  EXPECT_EQ(contents(), expected);
  EXPECT_EQ(checksum, Checksum(expected));
  EXPECT_EQ(name, kStandardDbFileChecksumFuncName);
}

TEST(FileChecksumTest, IsThatOfAllThatIsWritten) {
  for (const size_t buffer : {size_t{1}, size_t{4096}, size_t{1} << 20}) {
    FileOptions options;
    options.writable_file_max_buffer_size = buffer;
    MemoryFileSystem fs;
    std::unique_ptr<FileWriter> writer;
    ASSERT_TRUE(FileWriter::Open(&fs, "/f", options, &writer).ok());
    CheckWriter(
        writer.get(),
        [&] {
          std::string data;
          EXPECT_TRUE(ReadFileToString(&fs, "/f", &data).ok());
          return data;
        },
        buffer);
    for (const bool behind : {false, true}) {
      std::string data;
      FileWriter direct(std::make_unique<DirectFile>(&data), "/f", options);
      if (behind) direct.EnableWriteBehind();
      CheckWriter(&direct, [&] { return data; }, buffer + 1);
    }
  }
}

TEST(FileChecksumTest, WithoutAGeneratorItIsUnknown) {
  MemoryFileSystem fs;
  std::unique_ptr<FileWriter> writer;
  ASSERT_TRUE(FileWriter::Open(&fs, "/f", FileOptions(), &writer).ok());
  ASSERT_TRUE(writer->Append("x").ok());
  ASSERT_TRUE(writer->Close().ok());
  std::string checksum = "?", name = "?";
  writer->GetChecksum(&checksum, &name);
  EXPECT_EQ(checksum, "");
  EXPECT_EQ(name, "Unknown");
}

class VerifyFileChecksumTest : public ::testing::Test {
 protected:
  Status Verify(const std::string& expected,
                const std::string& name = kStandardDbFileChecksumFuncName, size_t readahead = 0,
                const ReadLimits& limits = {}) {
    return VerifyFileChecksum(&fs_, "/f", FileOptions(), GetFileChecksumGenCrc32cFactory().get(),
                              expected, name, readahead, limits);
  }
  MemoryFileSystem fs_;
};

TEST_F(VerifyFileChecksumTest, ReadsFilesOfAllSizes) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{999}, size_t{1000}, size_t{256} << 10,
                            (size_t{256} << 10) + 1, size_t{600000}}) {
    std::string data = Random64(size).RandomBinaryString(size);
    ASSERT_TRUE(WriteStringToFile(&fs_, data, "/f", false).ok());
    for (const size_t readahead : {size_t{0}, size_t{1000}}) {
      const Status s = Verify(Checksum(data), kStandardDbFileChecksumFuncName, readahead);
      EXPECT_TRUE(s.ok()) << size << s.ToString();
      if (size == 0) continue;
      for (const size_t at : {size_t{0}, size / 2, size - 1}) {
        std::string damaged = data;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        const Status bad = Verify(Checksum(damaged), kStandardDbFileChecksumFuncName, readahead);
        EXPECT_TRUE(bad.IsCorruption()) << bad.ToString();
        EXPECT_NE(bad.ToString().find("/f file checksum mismatch"), std::string::npos)
            << bad.ToString();
      }
    }
  }
}

TEST_F(VerifyFileChecksumTest, NamesWhatItCannotDo) {
  EXPECT_TRUE(Verify("xxxx").IsNotFound() || Verify("xxxx").IsPathNotFound() ||
              Verify("xxxx").IsIOError());
  ASSERT_TRUE(WriteStringToFile(&fs_, "data", "/f", false).ok());
  const Status s = Verify("xxxx", "Another");
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_NE(s.ToString().find("Another"), std::string::npos) << s.ToString();
  ReadLimits over;
  over.deadline = std::chrono::microseconds(fiber::wall_micros() - 1);
  EXPECT_TRUE(Verify(Checksum("data"), kStandardDbFileChecksumFuncName, 0, over).IsTimedOut());
}

TEST(FileChecksumListTest, KeepsWhatItIsGiven) {
  std::unique_ptr<FileChecksumList> list(NewFileChecksumList());
  std::string checksum, name;
  EXPECT_TRUE(list->SearchOneFileChecksum(7, &checksum, &name).IsNotFound());
  EXPECT_TRUE(list->RemoveOneFileChecksum(7).IsNotFound());
  EXPECT_TRUE(list->InsertOneFileChecksum(7, "a", "F").ok());
  EXPECT_TRUE(list->InsertOneFileChecksum(9, "b", "F").ok());
  EXPECT_TRUE(list->InsertOneFileChecksum(7, "c", "G").ok());
  EXPECT_EQ(list->size(), 2u);
  EXPECT_TRUE(list->SearchOneFileChecksum(7, &checksum, &name).ok());
  EXPECT_EQ(checksum + name, "cG");
  std::vector<uint64_t> numbers;
  std::vector<std::string> checksums, names;
  EXPECT_TRUE(list->GetAllFileChecksums(&numbers, &checksums, &names).ok());
  EXPECT_EQ(numbers, (std::vector<uint64_t>{7, 9}));
  EXPECT_EQ(checksums, (std::vector<std::string>{"c", "b"}));
  EXPECT_EQ(names, (std::vector<std::string>{"G", "F"}));
  EXPECT_TRUE(list->GetAllFileChecksums(nullptr, &checksums, &names).IsInvalidArgument());
  EXPECT_TRUE(list->SearchOneFileChecksum(7, nullptr, &name).IsInvalidArgument());
  EXPECT_TRUE(list->RemoveOneFileChecksum(7).ok());
  list->reset();
  EXPECT_EQ(list->size(), 0u);
}

}  // namespace
}  // namespace cairn
