// Writes that hand the checksum of their bytes to the file system.
#include <atomic>

#include "conformance.h"
#include "rocksdb/file_system.h"
#include "rocksdb/slice.h"

namespace conformance {
namespace {

// CRC32C, bit by bit, as the four bytes that are handed over.
std::string Crc32cOf(const Slice& data) {
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < data.size(); i++) {
    crc ^= static_cast<unsigned char>(data[i]);
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78 : 0);
  }
  crc = ~crc;
  std::string bytes;
  for (int i = 0; i < 4; i++) bytes.push_back(static_cast<char>(crc >> (8 * i)));
  return bytes;
}

std::string KindOf(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name.compare(0, 9, "MANIFEST-") == 0) return "manifest";
  return name.find('.') == std::string::npos ? name : name.substr(name.find('.') + 1);
}

struct Handed {
  std::atomic<int> with{0}, without{0}, wrong{0};
  std::atomic<bool> refuse{false};
};

class CheckingFileSystem : public FileSystemWrapper {
 public:
  CheckingFileSystem() : FileSystemWrapper(FileSystem::Default()) {}
  const char* Name() const override { return "CheckingFileSystem"; }
  Handed& Of(const std::string& kind) { return kinds_.at(kind); }

  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file, IODebugContext* dbg) override {
    IOStatus s = target()->NewWritableFile(path, options, file, dbg);
    const auto kind = kinds_.find(KindOf(path));
    if (s.ok() && kind != kinds_.end()) file->reset(new File(std::move(*file), &kind->second));
    return s;
  }

 private:
  class File : public FSWritableFileOwnerWrapper {
   public:
    File(std::unique_ptr<FSWritableFile>&& file, Handed* handed)
        : FSWritableFileOwnerWrapper(std::move(file)), handed_(handed) {}
    IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* dbg) override {
      handed_->without++;
      return target()->Append(data, options, dbg);
    }
    IOStatus Append(const Slice& data, const IOOptions& options, const DataVerificationInfo& info,
                    IODebugContext* dbg) override {
      handed_->with++;
      if (info.checksum.ToString() != Crc32cOf(data)) handed_->wrong++;
      if (handed_->refuse) return IOStatus::Corruption("not what was sent");
      return target()->Append(data, options, info, dbg);
    }

   private:
    Handed* const handed_;
  };

  std::map<std::string, Handed> kinds_ = [] {
    std::map<std::string, Handed> kinds;
    for (const char* kind : {"log", "sst", "manifest", "blob"}) kinds[kind];
    return kinds;
  }();
};

class ChecksumHandoffTest : public DBTest {
 protected:
  ChecksumHandoffTest() {
    options_.env = env_.get();
    options_.enable_blob_files = true;
    options_.min_blob_size = 500;
    options_.disable_auto_compactions = true;
  }
  ~ChecksumHandoffTest() override { Shut(); }
  void Write() {
    for (int i = 0; i < 100; i++) ASSERT_OK(Put(Key(i), std::string(100 + 6 * i, 'v')));
    ASSERT_OK(Put("long", std::string(200'000, 'l')));
    ASSERT_OK(Flush());
    ASSERT_OK(Put("more", "logged"));
  }

  const std::shared_ptr<CheckingFileSystem> files_ = std::make_shared<CheckingFileSystem>();
  const std::unique_ptr<Env> env_ = NewCompositeEnv(files_);
};

TEST_F(ChecksumHandoffTest, OfTheKindsThatAreNamed) {
  const std::pair<FileType, const char*> kKinds[] = {
      {kWalFile, "log"}, {kDescriptorFile, "manifest"}, {kTableFile, "sst"}, {kBlobFile, "blob"}};
  for (const auto& chosen : kKinds) {
    SCOPED_TRACE(chosen.second);
    for (const auto& kind : kKinds) {
      files_->Of(kind.second).with = 0;
      files_->Of(kind.second).without = 0;
    }
    options_.checksum_handoff_file_types = FileTypeSet();
    options_.checksum_handoff_file_types.Add(chosen.first);
    Open();
    Write();
    for (const auto& kind : kKinds) {
      const Handed& handed = files_->Of(kind.second);
      EXPECT_EQ(chosen.first == kind.first, handed.with > 0) << kind.second;
      EXPECT_EQ(chosen.first == kind.first, handed.without == 0) << kind.second;
      EXPECT_EQ(0, handed.wrong) << kind.second;
    }
  }
  EXPECT_EQ("logged", Get("more"));
}

TEST_F(ChecksumHandoffTest, WhatTheFileSystemRefusesIsAnError) {
  options_.checksum_handoff_file_types.Add(kWalFile);
  options_.checksum_handoff_file_types.Add(kTableFile);
  Open();
  Write();
  files_->Of("log").refuse = true;
  EXPECT_CODE(Corruption, Put("a", "refused"));
  files_->Of("log").refuse = false;
  EXPECT_FALSE(Put("b", "refused, too").ok());
  Open();
  EXPECT_EQ("logged", Get("more"));
  EXPECT_EQ("NOT_FOUND", Get("a"));
  ASSERT_OK(Put("c", "to be flushed"));
  files_->Of("sst").refuse = true;
  EXPECT_CODE(Corruption, Flush());
  files_->Of("sst").refuse = false;
  Open();
  EXPECT_EQ("to be flushed", Get("c"));
}

}  // namespace
}  // namespace conformance
