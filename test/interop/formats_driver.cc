// A database of plain or cuckoo tables that two engines take turns on (formats_test.py). The public
// API alone, compiled once against Cairn and once against librocksdb.
//
//   formats_driver list                  the settings that change a file, one name a line
//   formats_driver write DB NAME N       round N: puts, deletions and (not in cuckoo tables)
//                                        operands, flushed; compacted in every third round
//   formats_driver verify DB NAME N      what rounds 1 to N wrote is there, by lookups and
//   iterators formats_driver sections DB NAME      bytes of the only table that come before its
//   properties
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
#include "rocksdb/slice_transform.h"
#include "rocksdb/table.h"
#include "rocksdb/table_properties.h"

namespace {

using rocksdb::Slice;
using rocksdb::Status;

constexpr uint64_t kKeys = 2000;
constexpr uint64_t kOperations = 1500;  // of a round
constexpr size_t kPrefix = 4;

void Die(const std::string& what) {
  std::fprintf(stderr, "formats_driver: %s\n", what.c_str());
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

// One of the settings.
struct Format {
  std::string name;
  bool cuckoo = false;
  rocksdb::PlainTableOptions plain;
  rocksdb::CuckooTableOptions cuckoos;
  bool prefix = false;
  uint32_t bloom_locality = 0;
  bool one_size = false;  // of all keys and all values
};

std::vector<Format> Formats() {
  std::vector<Format> all;
  for (const bool prefix : {false, true}) {
    for (const rocksdb::EncodingType encoding : {rocksdb::kPlain, rocksdb::kPrefix}) {
      if (encoding == rocksdb::kPrefix && !prefix) continue;
      for (const bool index : {false, true}) {
        for (const bool fixed : {false, true}) {
          for (const int filter : {0, 1, 2}) {
            if (filter == 2 && !index) continue;  // (the locality shows in the file alone)
            Format f;
            f.name = std::string("plain-") + (prefix ? "prefix-" : "total-") +
                     (encoding == rocksdb::kPrefix ? "shared-" : "whole-") +
                     (index ? "index-" : "made-") + (fixed ? "fixed-" : "variable-") +
                     (filter == 0   ? "nofilter"
                      : filter == 1 ? "filter"
                                    : "lines");
            f.prefix = prefix;
            f.plain.encoding_type = encoding;
            f.plain.store_index_in_file = index;
            f.plain.hash_table_ratio = prefix ? 0.75 : 0;
            f.plain.index_sparseness = fixed ? 4 : 16;
            f.plain.bloom_bits_per_key = filter == 0 ? 0 : 10;
            f.bloom_locality = filter == 2 ? 1 : 0;
            f.one_size = fixed;
            f.plain.user_key_len = fixed ? 10 : rocksdb::kPlainTableVariableLength;
            all.push_back(f);
          }
        }
      }
    }
  }
  for (const bool identity : {false, true}) {
    for (const bool modulo : {false, true}) {
      for (const uint32_t block : {1u, 5u}) {
        Format f;
        f.name = std::string("cuckoo-") + (identity ? "identity-" : "hash-") +
                 (modulo ? "modulo-" : "power-") + std::to_string(block);
        f.cuckoo = true;
        f.one_size = true;
        f.cuckoos.identity_as_first_hash = identity;
        f.cuckoos.use_module_hash = modulo;
        f.cuckoos.cuckoo_block_size = block;
        f.cuckoos.hash_table_ratio = block == 1 ? 0.5 : 0.9;
        all.push_back(f);
      }
    }
  }
  return all;
}

Format FormatOf(const std::string& name) {
  for (const Format& format : Formats()) {
    if (format.name == name) return format;
  }
  Die("no format " + name);
  return {};
}

rocksdb::Options OptionsOf(const Format& format) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.compression = rocksdb::kNoCompression;
  options.allow_mmap_reads = format.cuckoo;  // (RocksDB wants it)
  options.bloom_locality = format.bloom_locality;
  options.disable_auto_compactions = true;
  if (format.prefix) options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(kPrefix));
  if (format.cuckoo) {
    options.table_factory.reset(rocksdb::NewCuckooTableFactory(format.cuckoos));
  } else {
    options.table_factory.reset(rocksdb::NewPlainTableFactory(format.plain));
    options.merge_operator = std::make_shared<Joined>();
  }
  return options;
}

std::unique_ptr<rocksdb::DB> Open(const Format& format, const std::string& path) {
  rocksdb::DB* db = nullptr;
  Check("open", rocksdb::DB::Open(OptionsOf(format), path, &db));
  return std::unique_ptr<rocksdb::DB>(db);
}

// The same with either library.
class Operations {
 public:
  Operations(const Format& format, int round)
      : format_(format), state_(static_cast<uint64_t>(round) * 2 + 1) {}
  enum Kind { kPut, kDelete, kMerge };
  struct One {
    Kind kind;
    std::string key, value;
  };
  One Next() {
    const uint64_t number = Below(kKeys);
    const uint64_t kind = Below(8);
    char text[64];
    std::snprintf(text, sizeof(text), "%04d%06d", static_cast<int>(number % 37),
                  static_cast<int>(number));
    One one{kind == 0 ? kDelete : kind == 1 && !format_.cuckoo ? kMerge : kPut, text, ""};
    if (!format_.one_size) one.key += std::string(number % 5, 'x');
    std::snprintf(text, sizeof(text), "%08d", static_cast<int>(Below(100000000)));
    one.value = text;
    if (!format_.cuckoo) one.value += std::string(number % 150, 'v');
    return one;
  }

 private:
  uint64_t Below(uint64_t n) {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return (state_ >> 33) % n;
  }
  const Format& format_;
  uint64_t state_;
};

void Write(const Format& format, const std::string& path, int round) {
  const std::unique_ptr<rocksdb::DB> db = Open(format, path);
  Operations operations(format, round);
  for (uint64_t i = 0; i < kOperations; ++i) {
    const Operations::One one = operations.Next();
    const rocksdb::WriteOptions options;
    Check("write", one.kind == Operations::kPut      ? db->Put(options, one.key, one.value)
                   : one.kind == Operations::kDelete ? db->Delete(options, one.key)
                                                     : db->Merge(options, one.key, one.value));
  }
  Check("flush", db->Flush(rocksdb::FlushOptions()));
  if (round % 3 == 0) {
    Check("compact", db->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr));
  }
}

void Verify(const Format& format, const std::string& path, int rounds) {
  std::map<std::string, std::string> model;
  std::vector<std::string> keys;
  for (int round = 1; round <= rounds; ++round) {
    Operations operations(format, round);
    for (uint64_t i = 0; i < kOperations; ++i) {
      const Operations::One one = operations.Next();
      keys.push_back(one.key);
      if (one.kind == Operations::kDelete) {
        model.erase(one.key);
      } else if (one.kind == Operations::kPut) {
        model[one.key] = one.value;
      } else {
        const auto found = model.find(one.key);
        model[one.key] = found == model.end() ? one.value : found->second + "," + one.value;
      }
    }
  }
  const std::unique_ptr<rocksdb::DB> db = Open(format, path);
  for (const std::string& key : keys) {
    std::string value;
    const Status s = db->Get(rocksdb::ReadOptions(), key, &value);
    const auto found = model.find(key);
    if (found == model.end() ? !s.IsNotFound() : !s.ok() || value != found->second) {
      Die("Get of " + key + ": " + s.ToString() + ", " + value);
    }
    std::string absent = key;  // one of the same size
    absent.back() = 'z';
    if (!db->Get(rocksdb::ReadOptions(), absent, &value).IsNotFound()) Die("found " + absent);
  }
  const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(rocksdb::ReadOptions()));
  auto expected = model.begin();
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
    if (expected == model.end() || it->key() != Slice(expected->first) ||
        it->value() != Slice(expected->second)) {
      Die("the iterator shows " + it->key().ToString());
    }
  }
  Check("iterator", it->status());
  if (expected != model.end()) Die("the iterator lacks " + expected->first);
  rocksdb::ReadOptions options;
  options.prefix_same_as_start = format.prefix;
  const std::unique_ptr<rocksdb::Iterator> of_prefix(db->NewIterator(options));
  for (size_t i = 0; i < keys.size(); i += 17) {
    auto at = model.lower_bound(keys[i]);
    of_prefix->Seek(keys[i]);
    for (int step = 0; step < 30; ++step) {
      const bool shown =
          at != model.end() &&
          (!format.prefix || at->first.compare(0, kPrefix, keys[i], 0, kPrefix) == 0);
      if (of_prefix->Valid() != shown)
        Die("Seek to " + keys[i] + " and on: step " + std::to_string(step));
      if (!shown) break;
      if (of_prefix->key() != Slice(at->first)) Die("Seek to " + keys[i] + " shows another key");
      of_prefix->Next();
      ++at;
    }
    Check("seek", of_prefix->status());
  }
}

void Sections(const Format& format, const std::string& path) {
  const std::unique_ptr<rocksdb::DB> db = Open(format, path);
  rocksdb::TablePropertiesCollection all;
  Check("properties", db->GetPropertiesOfAllTables(&all));
  if (all.size() != 1) Die(std::to_string(all.size()) + " tables");
  const rocksdb::TableProperties& p = *all.begin()->second;
  std::printf("%llu\n",
              static_cast<unsigned long long>(p.data_size + p.filter_size + p.index_size));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "list") {
    for (const Format& format : Formats()) std::printf("%s\n", format.name.c_str());
    return 0;
  }
  if (argc < 4) Die("see the comment at the top");
  const Format format = FormatOf(argv[3]);
  if (command == "write" && argc == 5) {
    Write(format, argv[2], std::atoi(argv[4]));
  } else if (command == "verify" && argc == 5) {
    Verify(format, argv[2], std::atoi(argv[4]));
  } else if (command == "sections") {
    Sections(format, argv[2]);
  } else {
    Die("no command " + command);
  }
  return 0;
}
