#include "fs/encryption.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/coding.h"
#include "base/perf.h"
#include "fiber/random.h"
#include "rocksdb/convenience.h"
#include "rocksdb/utilities/options_type.h"

namespace cairn {
namespace {

constexpr size_t kCounterSize = 8;
constexpr size_t kRot13BlockSize = 32;  // RocksDB's

using TypeMap = std::unordered_map<std::string, OptionTypeInfo>;

class Rot13Cipher final : public BlockCipher {
 public:
  explicit Rot13Cipher(size_t block_size) : block_size_(block_size) {
    static const auto& kOptions = *new TypeMap{{"block_size", {0, OptionType::kSizeT}}};
    RegisterOptions("ROT13BlockCipherOptions", &block_size_, &kOptions);
  }

  static const char* kClassName() { return "ROT13"; }
  const char* Name() const override { return kClassName(); }
  size_t BlockSize() override { return block_size_; }
  Status PrepareOptions(const ConfigOptions& config_options) override {
    if (block_size_ == 0 || block_size_ > CTREncryptionProvider::kPrefixLength / 2) {
      return Status::InvalidArgument("a block has 1 to 2048 bytes, not",
                                     std::to_string(block_size_));
    }
    return BlockCipher::PrepareOptions(config_options);
  }
  Status Encrypt(char* data) override { return Add(13, data); }
  Status Decrypt(char* data) override { return Add(-13, data); }

 private:
  Status Add(int n, char* data) const {
    for (size_t i = 0; i < block_size_; ++i) data[i] = static_cast<char>(data[i] + n);
    return Status::OK();
  }

  size_t block_size_;
};

void FillWithRandom(char* to, size_t size) {
  while (size > 0) {
    const uint64_t random = fiber::random_u64();
    const size_t n = std::min(size, sizeof(random));
    std::memcpy(to, &random, n);
    to += n;
    size -= n;
  }
}

// Runs `work` on each block that the range touches; a block of which it has a part only, in a
// buffer.
template <typename Work>
Status ForEachBlock(size_t block_size, uint64_t offset, char* data, size_t size, Work work) {
  if (block_size == 0) return Status::InvalidArgument("a cipher with blocks of no bytes");
  std::string buffer;
  uint64_t index = offset / block_size;
  size_t skip = offset % block_size;
  while (size > 0) {
    const size_t n = std::min(size, block_size - skip);
    Status s;
    if (n == block_size) {
      s = work(index, data);
    } else {
      buffer.resize(block_size);
      std::memcpy(buffer.data() + skip, data, n);
      s = work(index, buffer.data());
      std::memcpy(data, buffer.data() + skip, n);
    }
    if (!s.ok()) return s;
    data += n;
    size -= n;
    skip = 0;
    ++index;
  }
  return Status::OK();
}

}  // namespace

CTRCipherStream::CTRCipherStream(std::shared_ptr<BlockCipher> cipher, const char* iv,
                                 uint64_t initial_counter)
    : cipher_(std::move(cipher)),
      iv_(iv, cipher_->BlockSize()),
      initial_counter_(initial_counter) {}

void CTRCipherStream::AllocateScratch(std::string& scratch) { scratch.resize(iv_.size()); }

Status CTRCipherStream::EncryptBlock(uint64_t index, char* data, char* scratch) {
  std::memcpy(scratch, iv_.data(), iv_.size());
  EncodeFixed64(scratch, initial_counter_ + index);
  Status s = cipher_->Encrypt(scratch);
  if (!s.ok()) return s;
  for (size_t i = 0; i < iv_.size(); ++i) data[i] = static_cast<char>(data[i] ^ scratch[i]);
  return s;
}

Status CTRCipherStream::DecryptBlock(uint64_t index, char* data, char* scratch) {
  return EncryptBlock(index, data, scratch);
}

CTREncryptionProvider::CTREncryptionProvider(std::shared_ptr<BlockCipher> cipher)
    : cipher_(std::move(cipher)) {
  static const auto& kOptions =
      *new TypeMap{{"cipher", OptionTypeInfo::AsCustomSharedPtr<BlockCipher>(
                                  0, OptionVerificationType::kByName, OptionTypeFlags::kNone)}};
  RegisterOptions("Cipher", &cipher_, &kOptions);
}

bool CTREncryptionProvider::IsInstanceOf(const std::string& name) const {
  // RocksDB's name of the provider with the cipher for tests.
  if (name == "1://test") return cipher_ != nullptr && cipher_->IsInstanceOf("ROT13");
  return EncryptionProvider::IsInstanceOf(name);
}

Status CTREncryptionProvider::CheckCipher(const std::string& fname) const {
  if (cipher_ == nullptr) return Status::InvalidArgument("Encryption Cipher is missing", fname);
  const size_t block_size = cipher_->BlockSize();
  if (block_size < kCounterSize || block_size > kPrefixLength / 2) {
    return Status::InvalidArgument(
        "CTR takes ciphers with blocks of 8 to 2048 bytes, not " + std::to_string(block_size),
        fname);
  }
  return Status::OK();
}

Status CTREncryptionProvider::CreateNewPrefix(const std::string& fname, char* prefix,
                                              size_t length) const {
  Status s = CheckCipher(fname);
  if (!s.ok()) return s;
  const size_t plain = 2 * cipher_->BlockSize();
  if (length < plain) return Status::InvalidArgument("too little room for the prefix", fname);
  FillWithRandom(prefix, length);
  const PerfTimer timer(Perf(), &PerfContext::encrypt_data_nanos);
  return CTRCipherStream(cipher_, prefix + plain / 2, DecodeFixed64(prefix))
      .Encrypt(0, prefix + plain, length - plain);
}

Status CTREncryptionProvider::AddCipher(const std::string& /*descriptor*/, const char* cipher,
                                        size_t len, bool /*for_write*/) {
  if (cipher_ != nullptr) {
    return Status::NotSupported("Cannot add keys to CTREncryptionProvider");
  }
  if (std::strcmp(cipher, Rot13Cipher::kClassName()) == 0) {
    cipher_ = std::make_shared<Rot13Cipher>(len);
    return Status::OK();
  }
  ConfigOptions strict;
  strict.ignore_unsupported_options = false;
  return BlockCipher::CreateFromString(strict, cipher, &cipher_);
}

Status CTREncryptionProvider::CreateCipherStream(const std::string& fname,
                                                 const EnvOptions& /*options*/, Slice& prefix,
                                                 std::unique_ptr<BlockAccessCipherStream>* result) {
  Status s = CheckCipher(fname);
  if (!s.ok()) return s;
  const size_t block_size = cipher_->BlockSize();
  if (prefix.size() < 2 * block_size) {
    return Status::Corruption("the prefix of the encrypted file is cut off", fname);
  }
  *result = std::make_unique<CTRCipherStream>(cipher_, prefix.data() + block_size,
                                              DecodeFixed64(prefix.data()));
  return s;
}

void RegisterEncryption(ObjectLibrary* library) {
  using Provider = std::unique_ptr<EncryptionProvider>;
  library->AddFactory<EncryptionProvider>(
      ObjectLibrary::PatternEntry(CTREncryptionProvider::kClassName()).AddSuffix("://test"),
      [](const std::string& name, Provider* guard, std::string* /*message*/) {
        const bool test = name != CTREncryptionProvider::kClassName();
        *guard = std::make_unique<CTREncryptionProvider>(
            test ? BlockCipher::NewROT13Cipher(kRot13BlockSize) : nullptr);
        return guard->get();
      });
  library->AddFactory<EncryptionProvider>(
      "1://test", [](const std::string& /*name*/, Provider* guard, std::string* /*message*/) {
        *guard =
            std::make_unique<CTREncryptionProvider>(BlockCipher::NewROT13Cipher(kRot13BlockSize));
        return guard->get();
      });
  library->AddFactory<BlockCipher>(
      ObjectLibrary::PatternEntry(Rot13Cipher::kClassName()).AddNumber(":"),
      [](const std::string& name, std::unique_ptr<BlockCipher>* guard, std::string* /*message*/) {
        const size_t colon = name.find(':');
        const size_t block_size = colon == std::string::npos
                                      ? kRot13BlockSize
                                      : std::strtoull(name.c_str() + colon + 1, nullptr, 10);
        *guard = std::make_unique<Rot13Cipher>(block_size);
        return guard->get();
      });
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

Status BlockAccessCipherStream::Encrypt(uint64_t fileOffset, char* data, size_t dataSize) {
  std::string scratch;
  AllocateScratch(scratch);
  return cairn::ForEachBlock(
      BlockSize(), fileOffset, data, dataSize,
      [&](uint64_t index, char* block) { return EncryptBlock(index, block, scratch.data()); });
}

Status BlockAccessCipherStream::Decrypt(uint64_t fileOffset, char* data, size_t dataSize) {
  std::string scratch;
  AllocateScratch(scratch);
  return cairn::ForEachBlock(
      BlockSize(), fileOffset, data, dataSize,
      [&](uint64_t index, char* block) { return DecryptBlock(index, block, scratch.data()); });
}

std::shared_ptr<BlockCipher> BlockCipher::NewROT13Cipher(size_t block_size) {
  return std::make_shared<cairn::Rot13Cipher>(block_size);
}

std::shared_ptr<EncryptionProvider> EncryptionProvider::NewCTRProvider(
    const std::shared_ptr<BlockCipher>& cipher) {
  return std::make_shared<cairn::CTREncryptionProvider>(cipher);
}

}  // namespace ROCKSDB_NAMESPACE
