// NewEncryptedEnv: databases whose files are encrypted, and what stands in the files.
#include "rocksdb/env_encryption.h"

#include <algorithm>
#include <cstring>

#include "conformance.h"
#include "rocksdb/convenience.h"
#include "rocksdb/file_system.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"
#include "rocksdb/utilities/checkpoint.h"

namespace conformance {
namespace {

constexpr size_t kPrefix = 4096;  // of the CTR provider
constexpr size_t kBlock = 16;

// Eight rounds of mixing with the key: enough to tell one block, key or byte from another.
class MixingCipher : public BlockCipher {
 public:
  explicit MixingCipher(uint64_t key) : key_(key) {}
  const char* Name() const override { return "MixingCipher"; }
  size_t BlockSize() override { return kBlock; }
  Status Encrypt(char* data) override {
    uint64_t halves[2];
    std::memcpy(halves, data, kBlock);
    for (uint64_t round = 0; round < 8; ++round) {
      const uint64_t mixed = (halves[1] ^ key_) * 0x9E3779B97F4A7C15u + round;
      const uint64_t next = halves[0] ^ (mixed >> 29) ^ mixed;
      halves[0] = halves[1];
      halves[1] = next;
    }
    std::memcpy(data, halves, kBlock);
    return Status::OK();
  }
  Status Decrypt(char* /*data*/) override { return Status::NotSupported("not needed by CTR"); }

 private:
  const uint64_t key_;
};

class EncryptionConformanceTest : public DBTest {
 protected:
  EncryptionConformanceTest() { UseKey(1); }
  ~EncryptionConformanceTest() override { Shut(); }

  void UseKey(uint64_t key) {
    Shut();
    provider_ = EncryptionProvider::NewCTRProvider(std::make_shared<MixingCipher>(key));
    env_.reset(NewEncryptedEnv(TheEnv(), provider_));
    options_.env = env_.get();
  }
  // What the key stream makes of the file, from its first two blocks on.
  static std::string Decrypted(const std::string& raw, uint64_t key) {
    uint64_t counter = 0;
    std::memcpy(&counter, raw.data(), sizeof(counter));
    MixingCipher cipher(key);
    std::string plain;
    for (size_t at = kPrefix; at < raw.size(); ++at) {
      std::string block = raw.substr(kBlock, kBlock);
      const uint64_t number = counter + at / kBlock;
      std::memcpy(&block[0], &number, sizeof(number));
      EXPECT_OK(cipher.Encrypt(&block[0]));
      plain += static_cast<char>(raw[at] ^ block[at % kBlock]);
    }
    return plain;
  }

  std::shared_ptr<EncryptionProvider> provider_;
  std::unique_ptr<Env> env_;
};

TEST_F(EncryptionConformanceTest, DatabasesLiveInEncryptedFiles) {
  const std::string secret = "attack at dawn, by the northern gate";
  options_.enable_blob_files = true;
  options_.min_blob_size = 500;
  Open();
  for (int i = 0; i < 200; ++i) {
    ASSERT_OK(Put(Key(i), secret + Numbers(static_cast<uint64_t>(i)).Bytes(i % 2 == 0 ? 20 : 800)));
  }
  ASSERT_OK(Flush());
  for (int i = 100; i < 150; ++i) {
    ASSERT_OK(Put(Key(i), secret + " again"));
  }
  Open();
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 200; ++i) {
      const std::string tail = i >= 100 && i < 150
                                   ? " again"
                                   : Numbers(static_cast<uint64_t>(i)).Bytes(i % 2 == 0 ? 20 : 800);
      EXPECT_EQ(secret + tail, Get(Key(i)));
    }
    ASSERT_OK(Compact());
  }
  ASSERT_OK(db_->VerifyChecksum());
  for (const char* suffix : {".sst", ".blob", ".log", "CURRENT", "MANIFEST-"}) {
    const std::string end = suffix;
    const auto files = end == "MANIFEST-" ? FilesStartingWith(end) : FilesEndingIn(end);
    EXPECT_FALSE(files.empty()) << end;
    for (const std::string& name : files) {
      const std::string raw = ReadFile(name);
      EXPECT_EQ(std::string::npos, raw.find("attack")) << name;
      EXPECT_EQ(std::string::npos, raw.find("MANIFEST")) << name;
      EXPECT_EQ(std::string::npos, raw.find("Bytewise")) << name;
    }
  }
  EXPECT_NE(std::string::npos, ReadFile("LOG").find("Options.create_if_missing"));  // for people
}

TEST_F(EncryptionConformanceTest, TheBytesAreThoseOfTheFormat) {
  Open();
  const std::string raw = ReadFile("CURRENT");
  ASSERT_LT(kPrefix, raw.size());
  EXPECT_EQ(FilesStartingWith("MANIFEST-").at(0) + "\n", Decrypted(raw, 1));
  uint64_t size = 0;
  ASSERT_OK(env_->GetFileSize(dir_ + "/CURRENT", &size));
  EXPECT_EQ(raw.size() - kPrefix, size);
  // No two files with one key stream.
  std::set<std::string> streams;
  std::vector<std::string> names;
  ASSERT_OK(TheEnv()->GetChildren(dir_, &names));
  int files = 0;
  for (const std::string& name : names) {
    if (name == "LOG" || name == "LOCK" || name == "." || name == "..") continue;
    streams.insert(ReadFile(name).substr(0, 2 * kBlock));
    ++files;
  }
  EXPECT_LE(4, files);
  EXPECT_EQ(static_cast<size_t>(files), streams.size());
}

TEST_F(EncryptionConformanceTest, AnotherKeyOrNoneFindsCorruption) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  UseKey(2);
  EXPECT_FALSE(TryOpen().ok());
  Shut();
  options_.env = TheEnv();
  EXPECT_FALSE(TryOpen().ok());
  UseKey(1);
  Open();
  EXPECT_EQ("1", Get("a"));
}

TEST_F(EncryptionConformanceTest, DirectFilesAndIngestedOnes) {
  options_.use_direct_reads = options_.use_direct_io_for_flush_and_compaction = true;
  if (!TryOpen().ok()) GTEST_SKIP() << "no direct I/O here";
  for (int i = 0; i < 3000; ++i) {
    const std::string value = Numbers(static_cast<uint64_t>(i)).Bytes(100);
    ASSERT_OK(Put(Key(i), value));
  }
  ASSERT_OK(Compact());
  for (int i = 0; i < 3000; i += 17) {
    EXPECT_EQ(Numbers(static_cast<uint64_t>(i)).Bytes(100), Get(Key(i)));
  }
  std::vector<std::string> keys;
  std::vector<Slice> slices;
  for (int i = 0; i < 3000; i += 100) keys.push_back(Key(i));
  for (const std::string& key : keys) slices.emplace_back(key);
  std::vector<std::string> values;
  const std::vector<Status> statuses = db_->MultiGet(ReadOptions(), slices, &values);
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_OK(statuses[i]);
    EXPECT_EQ(Numbers(i * 100).Bytes(100), values[i]);
  }
}

TEST_F(EncryptionConformanceTest, CheckpointsAreEncryptedToo) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "2"));
  Checkpoint* made = nullptr;
  ASSERT_OK(Checkpoint::Create(db_, &made));
  const std::unique_ptr<Checkpoint> checkpoint(made);
  ASSERT_OK(checkpoint->CreateCheckpoint(root_ + "/copy"));
  Shut();
  dir_ = root_ + "/copy";
  Open();
  EXPECT_EQ("a=1,b=2", Contents());
  Shut();
  options_.env = TheEnv();
  EXPECT_FALSE(TryOpen().ok());
}

TEST_F(EncryptionConformanceTest, LogsAreUsedAgain) {
  options_.recycle_log_file_num = 2;
  options_.wal_recovery_mode = WALRecoveryMode::kPointInTimeRecovery;
  Open();
  for (int round = 0; round < 6; ++round) {
    ASSERT_OK(Put("a", std::to_string(round)));
    ASSERT_OK(Put(Key(round), Numbers(static_cast<uint64_t>(round)).Bytes(5000)));
    if (round < 5) {
      ASSERT_OK(Flush());
    }
  }
  Open();
  EXPECT_EQ("5", Get("a"));
  EXPECT_EQ(Numbers(5).Bytes(5000), Get(Key(5)));
}

TEST_F(EncryptionConformanceTest, TimeIsCounted) {
  SetPerfLevel(PerfLevel::kEnableTimeExceptForMutex);
  get_perf_context()->Reset();
  Open();
  ASSERT_OK(Put("a", std::string(100000, 'x')));
  ASSERT_OK(Flush());
  EXPECT_LT(0u, get_perf_context()->encrypt_data_nanos);
  Open();
  get_perf_context()->Reset();
  ReadOptions reading;
  reading.fill_cache = false;
  std::string value;
  ASSERT_OK(db_->Get(reading, "a", &value));
  EXPECT_LT(0u, get_perf_context()->decrypt_data_nanos);
  SetPerfLevel(PerfLevel::kDisable);
}

TEST_F(EncryptionConformanceTest, FilesOfTheFileSystem) {
  const std::shared_ptr<FileSystem> fs = NewEncryptedFS(TheEnv()->GetFileSystem(), provider_);
  ASSERT_NE(nullptr, fs);
  EXPECT_TRUE(fs->IsInstanceOf("EncryptedFileSystem"));
  const std::string path = root_ + "/file";
  std::unique_ptr<FSWritableFile> file;
  FileOptions options;
  options.use_mmap_writes = false;
  ASSERT_OK(fs->NewWritableFile(path, options, &file, nullptr));
  const std::string text = Numbers(7).Bytes(1000);
  for (size_t at = 0; at < 1000; at += 125) {
    ASSERT_OK(file->Append(Slice(text.data() + at, 125), IOOptions(), nullptr));
  }
  EXPECT_EQ(1000u, file->GetFileSize(IOOptions(), nullptr));
  ASSERT_OK(file->Close(IOOptions(), nullptr));
  std::string raw;
  ASSERT_OK(ReadFileToString(TheEnv(), path, &raw));
  EXPECT_EQ(text, Decrypted(raw, 1));
  std::unique_ptr<FSRandomAccessFile> random;
  ASSERT_OK(fs->NewRandomAccessFile(path, options, &random, nullptr));
  std::string scratch(1000, '\0');
  Slice got;
  for (const size_t offset : {0, 1, 15, 16, 17, 999}) {
    ASSERT_OK(random->Read(offset, 300, IOOptions(), &got, &scratch[0], nullptr));
    EXPECT_EQ(text.substr(offset, 300), got.ToString());
  }
  std::unique_ptr<FSSequentialFile> sequential;
  ASSERT_OK(fs->NewSequentialFile(path, options, &sequential, nullptr));
  ASSERT_OK(sequential->Skip(100));
  ASSERT_OK(sequential->Read(50, IOOptions(), &got, &scratch[0], nullptr));
  EXPECT_EQ(text.substr(100, 50), got.ToString());
  options.use_mmap_reads = true;
  EXPECT_CODE(InvalidArgument, fs->NewRandomAccessFile(path, options, &random, nullptr));
  EXPECT_CODE(InvalidArgument, fs->NewSequentialFile(path, options, &sequential, nullptr));
}

TEST_F(EncryptionConformanceTest, ProvidersByName) {
  ConfigOptions config;
  config.ignore_unsupported_options = false;
  config.invoke_prepare_options = false;  // the cipher comes later
  std::shared_ptr<EncryptionProvider> provider;
  ASSERT_OK(EncryptionProvider::CreateFromString(config, "CTR", &provider));
  EXPECT_EQ(std::string("CTR"), provider->Name());
  EXPECT_EQ(kPrefix, provider->GetPrefixLength());
  std::string prefix(kPrefix, '\0');
  EXPECT_CODE(InvalidArgument, provider->CreateNewPrefix("f", &prefix[0], kPrefix));
  ASSERT_OK(provider->AddCipher("", "ROT13", 32, true));
  ASSERT_OK(provider->CreateNewPrefix("f", &prefix[0], kPrefix));
  EXPECT_CODE(NotSupported, provider->AddCipher("", "ROT13", 32, true));
  ASSERT_OK(EncryptionProvider::CreateFromString(config, "CTR://test", &provider));
  EXPECT_TRUE(provider->IsInstanceOf("1://test"));
  EXPECT_EQ("", provider->GetMarker());
  std::shared_ptr<BlockCipher> cipher;
  ASSERT_OK(BlockCipher::CreateFromString(config, "ROT13:16", &cipher));
  EXPECT_EQ(16u, cipher->BlockSize());
  char block[17] = "0123456789abcdef";
  ASSERT_OK(cipher->Encrypt(block));
  EXPECT_EQ(std::string("=>?@ABCDEFnopqrs"), block);
  EXPECT_FALSE(EncryptionProvider::CreateFromString(config, "none such", &provider).ok());
}

}  // namespace
}  // namespace conformance
