// A database of DBWithTTL that two engines take turns on (ttl_test.py). The public API alone,
// compiled once against Cairn and once against librocksdb.
//
//   ttl_driver write DB N     values, merges and expired values of round N, in two families
//   ttl_driver verify DB N    what rounds 1 to N wrote is there, expired or not
//   ttl_driver compact DB N   compacts all with a ttl; then what has expired is not there
//   ttl_driver verify-compacted DB N
//
// Exit status 1: the database disagrees, and stderr says where.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/iterator.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/options.h"
#include "rocksdb/utilities/db_ttl.h"

namespace {

using rocksdb::Slice;
using rocksdb::Status;

constexpr int kKeys = 300;                // of a round, in each family
constexpr int32_t kTtl = 30 * 24 * 3600;  // longer than any test, shorter than since kLongAgo
constexpr uint32_t kLongAgo = 1500000000;

void Die(const std::string& what) {
  std::fprintf(stderr, "ttl_driver: %s\n", what.c_str());
  std::exit(1);
}
void Check(const char* what, const Status& s) {
  if (!s.ok()) Die(std::string(what) + ": " + s.ToString());
}

class Joined : public rocksdb::AssociativeMergeOperator {
 public:
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
             rocksdb::Logger* /*logger*/) const override {
    *result = (existing == nullptr ? "" : existing->ToString() + ",") + value.ToString();
    return true;
  }
  const char* Name() const override { return "interop.Joined"; }
};

enum Kind { kPlain, kExpired, kMerged, kExpiredAndMerged, kKinds };

std::string KeyOf(int round, int i) {
  char text[32];
  std::snprintf(text, sizeof(text), "%02d.%05d", round, i);
  return text;
}
std::string ValueOf(int round, int i) { return std::string(i % 50, 'a' + round) + KeyOf(round, i); }

std::string Expired(const std::string& value) {
  std::string stored = value;
  for (int byte = 0; byte < 4; ++byte) stored.push_back(static_cast<char>(kLongAgo >> (8 * byte)));
  return stored;
}

struct Database {
  explicit Database(const std::string& dir, int32_t ttl) {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    options.disable_auto_compactions = true;
    options.merge_operator = std::make_shared<Joined>();
    Check("open", rocksdb::DBWithTTL::Open(
                      options, dir, {{rocksdb::kDefaultColumnFamilyName, options}, {"f", options}},
                      &handles, &db, {ttl, ttl}));
  }
  ~Database() {
    for (rocksdb::ColumnFamilyHandle* const handle : handles) {
      Check("handle", db->DestroyColumnFamilyHandle(handle));
    }
    delete db;
  }
  rocksdb::DBWithTTL* db = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
};

void Write(const std::string& dir, int round) {
  Database database(dir, kTtl);
  const rocksdb::WriteOptions options;
  for (rocksdb::ColumnFamilyHandle* const handle : database.handles) {
    for (int i = 0; i < kKeys; ++i) {
      const std::string key = KeyOf(round, i), value = ValueOf(round, i);
      const int kind = i % kKinds;
      if (kind == kExpired || kind == kExpiredAndMerged) {
        Check("put", database.db->GetBaseDB()->Put(options, handle, key, Expired(value)));
      } else {
        Check("put", database.db->Put(options, handle, key, value));
      }
      if (kind == kMerged || kind == kExpiredAndMerged) {
        Check("merge", database.db->Merge(options, handle, key, "more"));
      }
    }
    if (round % 2 == 0) {
      Check("flush", database.db->Flush(rocksdb::FlushOptions(), handle));
    }
  }
}

void Verify(Database* database, int rounds, bool compacted) {
  std::map<std::string, std::string> expected;
  for (int round = 1; round <= rounds; ++round) {
    for (int i = 0; i < kKeys; ++i) {
      const int kind = i % kKinds;
      if (kind == kExpired && compacted) continue;
      expected[KeyOf(round, i)] =
          ValueOf(round, i) + (kind == kMerged || kind == kExpiredAndMerged ? ",more" : "");
    }
  }
  for (rocksdb::ColumnFamilyHandle* const handle : database->handles) {
    const std::unique_ptr<rocksdb::Iterator> it(
        database->db->NewIterator(rocksdb::ReadOptions(), handle));
    auto wanted = expected.begin();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++wanted) {
      if (wanted == expected.end()) Die("too much: " + it->key().ToString());
      if (it->key() != wanted->first) Die("not there: " + wanted->first);
      if (it->value() != wanted->second) Die("another value: " + wanted->first);
      std::string value;
      Check("get", database->db->Get(rocksdb::ReadOptions(), handle, it->key(), &value));
      if (value != wanted->second) Die("Get gives another value: " + wanted->first);
    }
    Check("iterate", it->status());
    if (wanted != expected.end()) Die("not there: " + wanted->first);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) Die("usage: ttl_driver write|verify|compact|verify-compacted DB N");
  const std::string command = argv[1];
  const int rounds = std::atoi(argv[3]);
  if (command == "write") {
    Write(argv[2], rounds);
  } else if (command == "compact") {
    Database database(argv[2], kTtl);
    for (rocksdb::ColumnFamilyHandle* const handle : database.handles) {
      rocksdb::CompactRangeOptions all;
      all.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
      Check("compact", database.db->CompactRange(all, handle, nullptr, nullptr));
    }
    Verify(&database, rounds, /*compacted=*/true);
  } else {
    Database database(argv[2], kTtl);
    Verify(&database, rounds, command == "verify-compacted");
  }
  return 0;
}
