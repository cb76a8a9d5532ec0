#include "fs/encryption.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/coding.h"
#include "fs/file_util.h"
#include "fs/memory_file_system.h"
#include "rocksdb/convenience.h"
#include "rocksdb/file_system.h"

namespace cairn {
namespace {

constexpr size_t kPrefix = CTREncryptionProvider::kPrefixLength;

// A block is turned by its first byte, which stays: what comes out depends on all that went in. The
// n-th call may fail.
class TurningCipher final : public BlockCipher {
 public:
  explicit TurningCipher(size_t block_size) : block_size_(block_size) {}
  const char* Name() const override { return "TurningCipher"; }
  size_t BlockSize() override { return block_size_; }
  Status Encrypt(char* data) override {
    if (fail_in > 0 && --fail_in == 0) return Status::Aborted("the key is gone");
    for (size_t i = 1; i < block_size_; ++i) {
      data[i] = static_cast<char>(data[i] * 7 + data[i - 1] + 3);
    }
    return Status::OK();
  }
  Status Decrypt(char* /*data*/) override { return Status::NotSupported("CTR does not decrypt"); }

  int fail_in = 0;

 private:
  const size_t block_size_;
};

class EncryptionTest : public ::testing::Test {
 protected:
  std::string Text(size_t n) {
    std::string text(n, '\0');
    for (char& c : text) c = static_cast<char>(Random());
    return text;
  }
  uint64_t Random() {
    return (state_ = state_ * 6364136223846793005u + 1442695040888963407u) >> 33;
  }
  uint64_t Below(uint64_t n) { return Random() % n; }

  static std::string Contents(FileSystem* fs, const std::string& path) {
    std::unique_ptr<FSSequentialFile> file;
    EXPECT_TRUE(fs->NewSequentialFile(path, FileOptions(), &file, nullptr).ok());
    std::string all, scratch(1000, '\0');
    for (Slice got;;) {
      EXPECT_TRUE(file->Read(scratch.size(), IOOptions(), &got, scratch.data(), nullptr).ok());
      if (got.empty()) return all;
      all.append(got.data(), got.size());
    }
  }
  void Write(const std::string& path, const std::string& text) {
    std::unique_ptr<FSWritableFile> file;
    ASSERT_TRUE(fs_->NewWritableFile(path, FileOptions(), &file, nullptr).ok());
    for (size_t at = 0; at < text.size();) {
      const size_t n = std::min(text.size() - at, size_t{1} + Below(300));
      ASSERT_TRUE(file->Append(Slice(text.data() + at, n), IOOptions(), nullptr).ok());
      at += n;
      EXPECT_EQ(at, file->GetFileSize(IOOptions(), nullptr));
    }
    ASSERT_TRUE(file->Close(IOOptions(), nullptr).ok());
  }
  uint64_t SizeOf(FileSystem* fs, const std::string& path) {
    uint64_t size = 0;
    EXPECT_TRUE(fs->GetFileSize(path, IOOptions(), &size, nullptr).ok());
    return size;
  }

  const std::shared_ptr<MemoryFileSystem> below_ = std::make_shared<MemoryFileSystem>();
  const std::shared_ptr<TurningCipher> cipher_ = std::make_shared<TurningCipher>(24);
  const std::shared_ptr<FileSystem> fs_ =
      NewEncryptedFS(below_, EncryptionProvider::NewCTRProvider(cipher_));
  uint64_t state_ = 1;
};

TEST_F(EncryptionTest, TheBytesAreThoseOfTheFormat) {
  const std::string text = Text(3000);
  Write("/f", text);
  const std::string raw = Contents(below_.get(), "/f");
  ASSERT_EQ(kPrefix + text.size(), raw.size());
  const uint64_t counter = DecodeFixed64(raw.data());
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t offset = kPrefix + i;
    std::string block = raw.substr(24, 24);
    EncodeFixed64(block.data(), counter + offset / 24);
    ASSERT_TRUE(cipher_->Encrypt(block.data()).ok());
    ASSERT_EQ(text[i], static_cast<char>(raw[offset] ^ block[offset % 24])) << i;
  }
  Write("/g", text);
  EXPECT_NE(raw.substr(0, 48), Contents(below_.get(), "/g").substr(0, 48));  // new for each file
}

TEST_F(EncryptionTest, AnyRangeIsRead) {
  const std::string text = Text(20000);
  Write("/f", text);
  std::unique_ptr<FSRandomAccessFile> file;
  ASSERT_TRUE(fs_->NewRandomAccessFile("/f", FileOptions(), &file, nullptr).ok());
  std::string scratch(3000, '\0');
  for (int round = 0; round < 300; ++round) {
    const size_t offset = Below(20500), n = Below(3000);
    const std::string expected = offset < text.size() ? text.substr(offset, n) : "";
    Slice got;
    ASSERT_TRUE(file->Read(offset, n, IOOptions(), &got, scratch.data(), nullptr).ok());
    EXPECT_EQ(expected, got.ToString());

    FSReadRequest request;
    request.offset = offset;
    request.len = n;
    request.scratch = scratch.data();
    std::vector<FSReadRequest> requests(2, request);
    std::string other(3000, '\0');
    requests[1].offset = 17;
    requests[1].scratch = other.data();
    ASSERT_TRUE(file->MultiRead(requests.data(), 2, IOOptions(), nullptr).ok());
    EXPECT_EQ(expected, requests[0].result.ToString());
    EXPECT_EQ(offset, requests[0].offset);
    EXPECT_EQ(text.substr(17, n), requests[1].result.ToString());

    std::string seen = "nothing";
    void* handle = nullptr;
    IOHandleDeleter deleter;
    const auto see = [&](FSReadRequest& read, void* /*arg*/) {
      EXPECT_TRUE(read.status.ok());
      EXPECT_EQ(offset, read.offset);
      seen = read.result.ToString();
    };
    ASSERT_TRUE(
        file->ReadAsync(request, IOOptions(), see, nullptr, &handle, &deleter, nullptr).ok());
    if (handle != nullptr) {
      std::vector<void*> handles{handle};
      ASSERT_TRUE(fs_->Poll(handles, 1).ok());
      deleter(handle);
    }
    EXPECT_EQ(expected, seen);
  }
}

TEST_F(EncryptionTest, SequentialFilesSkip) {
  const std::string text = Text(5000);
  Write("/f", text);
  std::unique_ptr<FSSequentialFile> file;
  ASSERT_TRUE(fs_->NewSequentialFile("/f", FileOptions(), &file, nullptr).ok());
  std::string scratch(1000, '\0');
  Slice got;
  ASSERT_TRUE(file->Skip(13).ok());
  ASSERT_TRUE(file->Read(100, IOOptions(), &got, scratch.data(), nullptr).ok());
  EXPECT_EQ(text.substr(13, 100), got.ToString());
}

TEST_F(EncryptionTest, SequentialFilesReadElsewhere) {
  std::string path;  // (the memory's have no PositionedRead)
  ASSERT_TRUE(FileSystem::Default()->GetTestDirectory(IOOptions(), &path, nullptr).ok());
  path += "/encryption_test." + Env::Default()->GenerateUniqueId();
  const auto fs =
      NewEncryptedFS(FileSystem::Default(), EncryptionProvider::NewCTRProvider(cipher_));
  const std::string text = Text(5000);
  ASSERT_TRUE(WriteStringToFile(fs.get(), text, path, false).ok());
  std::unique_ptr<FSSequentialFile> file;
  ASSERT_TRUE(fs->NewSequentialFile(path, FileOptions(), &file, nullptr).ok());
  std::string scratch(100, '\0');
  Slice got;
  ASSERT_TRUE(file->PositionedRead(4001, 77, IOOptions(), &got, scratch.data(), nullptr).ok());
  EXPECT_EQ(text.substr(4001, 77), got.ToString());
  EXPECT_TRUE(fs->DeleteFile(path, IOOptions(), nullptr).ok());
}

TEST_F(EncryptionTest, FilesAreReopenedCutAndOverwritten) {
  std::string text = Text(1000);
  Write("/f", text);
  std::unique_ptr<FSWritableFile> file;
  ASSERT_TRUE(fs_->ReopenWritableFile("/f", FileOptions(), &file, nullptr).ok());
  EXPECT_EQ(1000u, file->GetFileSize(IOOptions(), nullptr));
  const std::string more = Text(333);
  ASSERT_TRUE(file->Append(more, IOOptions(), nullptr).ok());
  ASSERT_TRUE(file->Truncate(1200, IOOptions(), nullptr).ok());
  ASSERT_TRUE(file->Close(IOOptions(), nullptr).ok());
  text = (text + more).substr(0, 1200);
  EXPECT_EQ(text, Contents(fs_.get(), "/f"));
  EXPECT_EQ(1200u, SizeOf(fs_.get(), "/f"));
  EXPECT_EQ(kPrefix + 1200u, SizeOf(below_.get(), "/f"));
  std::vector<Env::FileAttributes> files;
  ASSERT_TRUE(fs_->GetChildrenFileAttributes("/", IOOptions(), &files, nullptr).ok());
  ASSERT_EQ(1u, files.size());
  EXPECT_EQ(1200u, files[0].size_bytes);

  std::unique_ptr<FSRandomRWFile> both;
  ASSERT_TRUE(fs_->NewRandomRWFile("/f", FileOptions(), &both, nullptr).ok());
  const std::string patch = Text(40);
  ASSERT_TRUE(both->Write(701, patch, IOOptions(), nullptr).ok());
  std::string scratch(100, '\0');
  Slice got;
  ASSERT_TRUE(both->Read(690, 60, IOOptions(), &got, scratch.data(), nullptr).ok());
  text.replace(701, 40, patch);
  EXPECT_EQ(text.substr(690, 60), got.ToString());
  ASSERT_TRUE(both->Close(IOOptions(), nullptr).ok());
  EXPECT_EQ(text, Contents(fs_.get(), "/f"));

  // A log that is used again has a key stream of its own.
  const std::string prefix = Contents(below_.get(), "/f").substr(0, 48);
  ASSERT_TRUE(fs_->ReuseWritableFile("/g", "/f", FileOptions(), &file, nullptr).ok());
  ASSERT_TRUE(file->Append("new", IOOptions(), nullptr).ok());
  ASSERT_TRUE(file->Close(IOOptions(), nullptr).ok());
  EXPECT_EQ("new", Contents(fs_.get(), "/g"));
  EXPECT_NE(prefix, Contents(below_.get(), "/g").substr(0, 48));
  EXPECT_FALSE(fs_->FileExists("/f", IOOptions(), nullptr).ok());
}

// The writer died before the prefix was whole: no data can have followed it.
TEST_F(EncryptionTest, AFileWithinItsPrefixIsEmpty) {
  for (const size_t length : {size_t{0}, size_t{1}, size_t{48}, kPrefix - 1}) {
    std::unique_ptr<FSWritableFile> file;
    ASSERT_TRUE(below_->NewWritableFile("/f", FileOptions(), &file, nullptr).ok());
    ASSERT_TRUE(file->Append(Text(length), IOOptions(), nullptr).ok());
    ASSERT_TRUE(file->Close(IOOptions(), nullptr).ok());
    EXPECT_EQ("", Contents(fs_.get(), "/f"));
    EXPECT_EQ(0u, SizeOf(fs_.get(), "/f"));
    std::unique_ptr<FSRandomAccessFile> random;
    ASSERT_TRUE(fs_->NewRandomAccessFile("/f", FileOptions(), &random, nullptr).ok());
    char scratch[10];
    Slice got;
    ASSERT_TRUE(random->Read(0, 10, IOOptions(), &got, scratch, nullptr).ok());
    EXPECT_EQ(0u, got.size());
    ASSERT_TRUE(fs_->ReopenWritableFile("/f", FileOptions(), &file, nullptr).ok());
    ASSERT_TRUE(file->Append("data", IOOptions(), nullptr).ok());
    ASSERT_TRUE(file->Close(IOOptions(), nullptr).ok());
    EXPECT_EQ("data", Contents(fs_.get(), "/f"));
  }
}

// What a power cut leaves behind what was synced.
TEST_F(EncryptionTest, WhatNobodyWroteIsZeros) {
  const std::string text = Text(700);
  Write("/f", text);
  const std::string raw = Contents(below_.get(), "/f");
  for (const size_t zeros : {size_t{8}, size_t{50}, size_t{5000}}) {
    ASSERT_TRUE(WriteStringToFile(below_.get(), raw + std::string(zeros, '\0'), "/f", false).ok());
    EXPECT_EQ(text + std::string(zeros, '\0'), Contents(fs_.get(), "/f"));
  }
}

TEST_F(EncryptionTest, AReaderThatCameFirstFollowsTheWriter) {
  std::unique_ptr<FSWritableFile> file;
  ASSERT_TRUE(below_->NewWritableFile("/f", FileOptions(), &file, nullptr).ok());
  ASSERT_TRUE(file->Close(IOOptions(), nullptr).ok());
  std::unique_ptr<FSSequentialFile> reader;
  ASSERT_TRUE(fs_->NewSequentialFile("/f", FileOptions(), &reader, nullptr).ok());
  std::string scratch(100, '\0');
  Slice got("x");
  ASSERT_TRUE(reader->Read(100, IOOptions(), &got, scratch.data(), nullptr).ok());
  EXPECT_EQ(0u, got.size());
  ASSERT_TRUE(fs_->ReopenWritableFile("/f", FileOptions(), &file, nullptr).ok());
  ASSERT_TRUE(file->Append("late", IOOptions(), nullptr).ok());
  ASSERT_TRUE(reader->Read(100, IOOptions(), &got, scratch.data(), nullptr).ok());
  EXPECT_EQ("late", got.ToString());
  ASSERT_TRUE(file->Append("r still", IOOptions(), nullptr).ok());
  ASSERT_TRUE(reader->Read(100, IOOptions(), &got, scratch.data(), nullptr).ok());
  EXPECT_EQ("r still", got.ToString());
}

TEST_F(EncryptionTest, ErrorsOfTheCipherComeOut) {
  const std::string text = Text(1000);
  Write("/f", text);
  int failures = 0;
  for (int n = 1;; ++n) {
    cipher_->fail_in = n;
    std::unique_ptr<FSWritableFile> file;
    IOStatus io = fs_->NewWritableFile("/g", FileOptions(), &file, nullptr);
    if (io.ok()) io = file->Append(text, IOOptions(), nullptr);
    std::unique_ptr<FSRandomAccessFile> reader;
    if (io.ok()) io = fs_->NewRandomAccessFile("/f", FileOptions(), &reader, nullptr);
    std::string scratch(1000, '\0');
    Slice got;
    if (io.ok()) io = reader->Read(0, 1000, IOOptions(), &got, scratch.data(), nullptr);
    if (cipher_->fail_in > 0) break;  // it was not reached
    ++failures;
    EXPECT_NE(std::string::npos, io.ToString().find("the key is gone")) << n;
  }
  cipher_->fail_in = 0;
  EXPECT_GT(failures, 80);
  EXPECT_EQ(text, Contents(fs_.get(), "/f"));
}

TEST_F(EncryptionTest, WhatCannotBeIsRefused) {
  EXPECT_EQ(nullptr, NewEncryptedFS(below_, nullptr));
  EXPECT_EQ(nullptr, NewEncryptedEnv(Env::Default(), nullptr));
  Write("/f", "text");
  FileOptions mapped;
  mapped.use_mmap_reads = true;
  std::unique_ptr<FSRandomAccessFile> random;
  EXPECT_TRUE(fs_->NewRandomAccessFile("/f", mapped, &random, nullptr).IsInvalidArgument());
  std::unique_ptr<MemoryMappedFileBuffer> buffer;
  EXPECT_TRUE(fs_->NewMemoryMappedFileBuffer("/f", &buffer).IsNotSupported());

  const auto no_cipher = EncryptionProvider::NewCTRProvider(nullptr);
  const auto waiting = NewEncryptedFS(below_, no_cipher);
  std::unique_ptr<FSWritableFile> file;
  IOStatus io = waiting->NewWritableFile("/g", FileOptions(), &file, nullptr);
  EXPECT_TRUE(io.IsInvalidArgument());
  EXPECT_NE(std::string::npos, io.ToString().find("Cipher is missing"));
  EXPECT_FALSE(no_cipher->AddCipher("", "no such cipher", 14, true).ok());
  EXPECT_TRUE(no_cipher->AddCipher("", "ROT13", 16, true).ok());
  EXPECT_TRUE(no_cipher->AddCipher("", "ROT13", 16, true).IsNotSupported());
  EXPECT_TRUE(waiting->NewWritableFile("/g", FileOptions(), &file, nullptr).ok());

  for (const size_t block : {size_t{0}, size_t{7}, kPrefix / 2 + 1}) {
    const auto provider =
        EncryptionProvider::NewCTRProvider(std::make_shared<TurningCipher>(block));
    io = NewEncryptedFS(below_, provider)->NewWritableFile("/g", FileOptions(), &file, nullptr);
    EXPECT_TRUE(io.IsInvalidArgument()) << block;
    EXPECT_NE(std::string::npos, io.ToString().find("8 to 2048 bytes")) << io.ToString();
    Slice short_prefix("0123456789");
    std::unique_ptr<BlockAccessCipherStream> stream;
    EXPECT_FALSE(provider->CreateCipherStream("f", EnvOptions(), short_prefix, &stream).ok());
  }
}

TEST_F(EncryptionTest, AProviderMayLeaveFilesAlone) {
  class Nothing final : public EncryptionProvider {
   public:
    const char* Name() const override { return "Nothing"; }
    size_t GetPrefixLength() const override { return length; }
    Status CreateNewPrefix(const std::string& /*f*/, char* prefix, size_t n) const override {
      std::memset(prefix, 'p', n);
      return Status::OK();
    }
    Status AddCipher(const std::string& /*d*/, const char* /*c*/, size_t /*n*/,
                     bool /*for_write*/) override {
      return Status::NotSupported();
    }
    Status CreateCipherStream(const std::string& /*f*/, const EnvOptions& /*o*/, Slice& /*prefix*/,
                              std::unique_ptr<BlockAccessCipherStream>* /*result*/) override {
      return Status::OK();
    }
    size_t length = 0;
  };
  const auto provider = std::make_shared<Nothing>();
  const auto fs = NewEncryptedFS(below_, provider);
  std::unique_ptr<FSWritableFile> file;
  ASSERT_TRUE(fs->NewWritableFile("/f", FileOptions(), &file, nullptr).ok());
  ASSERT_TRUE(file->Append("plain", IOOptions(), nullptr).ok());
  ASSERT_TRUE(file->Close(IOOptions(), nullptr).ok());
  EXPECT_EQ("plain", Contents(below_.get(), "/f"));
  EXPECT_EQ("plain", Contents(fs.get(), "/f"));
  provider->length = 10;  // a prefix, and no stream behind it
  const IOStatus io = fs->NewWritableFile("/g", FileOptions(), &file, nullptr);
  EXPECT_TRUE(io.IsInvalidArgument());
  EXPECT_NE(std::string::npos, io.ToString().find("/g"));
}

TEST(EncryptionNames, WithoutAProviderNothingIsReadOrWritten) {
  ConfigOptions unprepared;
  unprepared.ignore_unsupported_options = false;
  unprepared.invoke_prepare_options = false;
  std::shared_ptr<FileSystem> fs;
  ASSERT_TRUE(FileSystem::CreateFromString(unprepared, "EncryptedFileSystem", &fs).ok());
  ASSERT_TRUE(fs->ConfigureOption(unprepared, "target", "MemoryFileSystem").ok());
  std::unique_ptr<FSWritableFile> file;
  const IOStatus s = fs->NewWritableFile("/f", FileOptions(), &file, nullptr);
  EXPECT_TRUE(s.IsNotFound()) << s.ToString();
  EXPECT_NE(std::string::npos, s.ToString().find("provider"));
  EXPECT_EQ(file, nullptr);
  // With one it goes on.
  ConfigOptions config = unprepared;
  config.invoke_prepare_options = true;
  ASSERT_TRUE(fs->ConfigureFromString(config, "provider={id=CTR;cipher=ROT13}").ok());
  EXPECT_TRUE(fs->NewWritableFile("/f", FileOptions(), &file, nullptr).ok());
}

TEST(EncryptionNames, ProvidersAndCiphersAreMadeByName) {
  ConfigOptions strict;
  strict.ignore_unsupported_options = false;
  std::shared_ptr<EncryptionProvider> provider;
  // (A cipher may come later, but then no options are prepared.)
  EXPECT_TRUE(EncryptionProvider::CreateFromString(strict, "CTR", &provider).IsNotFound());
  EXPECT_EQ(provider, nullptr);
  ConfigOptions unprepared = strict;
  unprepared.invoke_prepare_options = false;
  for (const char* name : {"CTR", "CTR://test", "1://test"}) {
    ASSERT_TRUE(EncryptionProvider::CreateFromString(unprepared, name, &provider).ok()) << name;
    EXPECT_STREQ("CTR", provider->Name());
    EXPECT_EQ(std::string(name) != "CTR", provider->IsInstanceOf("1://test"));
  }
  EXPECT_TRUE(EncryptionProvider::CreateFromString(strict, "CBC", &provider).IsNotSupported());
  std::shared_ptr<BlockCipher> cipher;
  ASSERT_TRUE(BlockCipher::CreateFromString(strict, "ROT13", &cipher).ok());
  EXPECT_EQ(32u, cipher->BlockSize());
  ASSERT_TRUE(BlockCipher::CreateFromString(strict, "ROT13:8", &cipher).ok());
  EXPECT_EQ(8u, cipher->BlockSize());
  char block[9] = "abcdefgh";
  ASSERT_TRUE(cipher->Encrypt(block).ok());
  EXPECT_STREQ("nopqrstu", block);
  ASSERT_TRUE(cipher->Decrypt(block).ok());
  EXPECT_STREQ("abcdefgh", block);
  EXPECT_TRUE(BlockCipher::CreateFromString(strict, "ROT13:0", &cipher).IsInvalidArgument());
  EXPECT_TRUE(BlockCipher::CreateFromString(strict, "ROT13:4097", &cipher).IsInvalidArgument());
  ASSERT_TRUE(BlockCipher::CreateFromString(strict, "", &cipher).ok());
  EXPECT_EQ(nullptr, cipher);
}

}  // namespace
}  // namespace cairn
