// The encryption that comes with Cairn, for the registry of objects: counter mode, and a cipher for
// tests. The format: rocksdb/env_encryption.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/namespace.h"
#include "rocksdb/env_encryption.h"
#include "rocksdb/utilities/object_registry.h"

namespace cairn {

void RegisterEncryption(ObjectLibrary* library);
void RegisterEncryptedFileSystem(ObjectLibrary* library);

// Counter mode. Block i of a file is XORed with the encrypted (counter + i, vector): the vector
// with its first 8 bytes replaced by that number, little-endian.
class CTRCipherStream final : public BlockAccessCipherStream {
 public:
  // `iv`: a block of bytes, copied.
  CTRCipherStream(std::shared_ptr<BlockCipher> cipher, const char* iv, uint64_t initial_counter);

  size_t BlockSize() override { return cipher_->BlockSize(); }

 protected:
  void AllocateScratch(std::string& scratch) override;
  Status EncryptBlock(uint64_t index, char* data, char* scratch) override;
  Status DecryptBlock(uint64_t index, char* data, char* scratch) override;

 private:
  const std::shared_ptr<BlockCipher> cipher_;
  const std::string iv_;
  const uint64_t initial_counter_;
};

// The prefix of a file, in blocks of the cipher's size: the counter (8 bytes of the first block),
// the vector (the second), and then random bytes that are encrypted, for providers that derive
// from RocksDB's to keep something there.
class CTREncryptionProvider final : public EncryptionProvider {
 public:
  static constexpr size_t kPrefixLength = 4096;  // a multiple of what direct I/O asks for

  // A null cipher: AddCipher() gives it, or the option "cipher".
  explicit CTREncryptionProvider(std::shared_ptr<BlockCipher> cipher);

  static const char* kClassName() { return "CTR"; }
  const char* Name() const override { return kClassName(); }
  bool IsInstanceOf(const std::string& name) const override;
  size_t GetPrefixLength() const override { return kPrefixLength; }
  Status CreateNewPrefix(const std::string& fname, char* prefix, size_t length) const override;
  Status AddCipher(const std::string& descriptor, const char* cipher, size_t len,
                   bool for_write) override;
  Status CreateCipherStream(const std::string& fname, const EnvOptions& options, Slice& prefix,
                            std::unique_ptr<BlockAccessCipherStream>* result) override;

 private:
  // OK if there is a cipher, and its blocks can be counted and find room in the prefix.
  Status CheckCipher(const std::string& fname) const;

  std::shared_ptr<BlockCipher> cipher_;
};

}  // namespace cairn
