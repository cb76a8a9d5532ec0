// An encrypted database that two engines take turns on (encryption_test.py). The public API alone,
// compiled once against Cairn and once against librocksdb.
//
//   encryption_driver write DB N [--direct]   round N: puts and deletions, partly flushed;
//   compacted
//                                             in every third round
//   encryption_driver verify DB N             what rounds 1 to N wrote is there
//
// Exit status 1: the database disagrees, and stderr says where.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/env_encryption.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"

namespace {

constexpr uint64_t kKeys = 3000;
constexpr uint64_t kOperations = 4000;  // of a round

void Die(const std::string& what) {
  std::fprintf(stderr, "encryption_driver: %s\n", what.c_str());
  std::exit(1);
}
void Check(const char* what, const rocksdb::Status& s) {
  if (!s.ok()) Die(std::string(what) + ": " + s.ToString());
}

// Mixes 16 bytes with a key.
class MixingCipher : public rocksdb::BlockCipher {
 public:
  const char* Name() const override { return "interop.MixingCipher"; }
  size_t BlockSize() override { return 16; }
  rocksdb::Status Encrypt(char* data) override {
    uint64_t halves[2];
    std::memcpy(halves, data, sizeof(halves));
    for (uint64_t round = 0; round < 8; ++round) {
      const uint64_t mixed = (halves[1] ^ 0x5DEECE66Du) * 0x9E3779B97F4A7C15u + round;
      const uint64_t next = halves[0] ^ (mixed >> 31) ^ mixed;
      halves[0] = halves[1];
      halves[1] = next;
    }
    std::memcpy(data, halves, sizeof(halves));
    return rocksdb::Status::OK();
  }
  rocksdb::Status Decrypt(char* /*data*/) override { return rocksdb::Status::NotSupported(); }
};

// The same with either library.
class Operations {
 public:
  explicit Operations(uint64_t round) : state_(round * 2 + 1) {}
  struct One {
    bool put;
    std::string key, value;
  };
  One Next() {
    One one;
    one.put = Below(7) != 0;
    one.key = "key" + std::to_string(Below(kKeys));
    one.value = std::string(1 + Below(400), static_cast<char>('a' + Below(26)));
    return one;
  }

 private:
  uint64_t Below(uint64_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % n;
  }
  uint64_t state_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) Die("usage: encryption_driver write|verify DB N [--direct]");
  const bool write = std::strcmp(argv[1], "write") == 0;
  const uint64_t rounds = std::strtoull(argv[3], nullptr, 10);
  const bool direct = argc > 4;
  const std::unique_ptr<rocksdb::Env> env(rocksdb::NewEncryptedEnv(
      rocksdb::Env::Default(),
      rocksdb::EncryptionProvider::NewCTRProvider(std::make_shared<MixingCipher>())));
  rocksdb::Options options;
  options.env = env.get();
  options.create_if_missing = true;
  options.compression = rocksdb::kSnappyCompression;
  options.write_buffer_size = 256 << 10;
  options.enable_blob_files = true;
  options.min_blob_size = 300;
  options.use_direct_reads = options.use_direct_io_for_flush_and_compaction = direct;
  rocksdb::DB* opened = nullptr;
  Check("open", rocksdb::DB::Open(options, argv[2], &opened));
  const std::unique_ptr<rocksdb::DB> db(opened);
  if (write) {
    Operations operations(rounds);
    for (uint64_t i = 0; i < kOperations; ++i) {
      const Operations::One one = operations.Next();
      Check("write", one.put ? db->Put(rocksdb::WriteOptions(), one.key, one.value)
                             : db->Delete(rocksdb::WriteOptions(), one.key));
    }
    if (rounds % 3 == 0) {
      Check("compact", db->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr));
    }
    return 0;
  }
  std::map<std::string, std::string> model;
  for (uint64_t round = 1; round <= rounds; ++round) {
    Operations operations(round);
    for (uint64_t i = 0; i < kOperations; ++i) {
      const Operations::One one = operations.Next();
      if (one.put) {
        model[one.key] = one.value;
      } else {
        model.erase(one.key);
      }
    }
  }
  const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(rocksdb::ReadOptions()));
  auto expected = model.begin();
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
    if (expected == model.end() || it->key() != expected->first ||
        it->value() != expected->second) {
      Die("the entry at " + it->key().ToString());
    }
    std::string value;
    Check("get", db->Get(rocksdb::ReadOptions(), it->key(), &value));
    if (value != expected->second) Die("the value of " + expected->first);
  }
  Check("iterate", it->status());
  if (expected != model.end()) Die("no " + expected->first);
  std::printf("%zu entries\n", model.size());
  return 0;
}
