// Writes and checks a database whose contents follow from a seed. The public API alone: compiled
// once against Cairn and once against librocksdb, so that interop_test.py can hand one database
// back and forth between the two engines.
//
//   interop_driver write  DB --phase=P [--keys=N] [--compression=C] ... [--die]
//   interop_driver verify DB --history=1:all,2:4711 ...      exit status 1: the database disagrees
//   interop_driver dump      --history=...                   what it should hold, in the format of
//   `ldb scan --hex`
//
// A phase is a fixed sequence of write batches: phase 1 loads every key, with overwrites and
// deletions among them; later ones change keys at random. Each batch also writes the key
// kProgressKey with "phase:batch", so after a kill the database itself says which prefix of the
// sequence it holds; `verify` takes "P:?" for that and prints "holds P:N". With --die the process
// kills itself after the last batch; the parent may kill it earlier.
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/comparator.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "rocksdb/write_batch.h"

namespace {

using rocksdb::Slice;
using rocksdb::Status;

const char kProgressKey[] = "\xff\xffprogress";
constexpr uint64_t kAll = UINT64_MAX;
constexpr uint64_t kUnknown = UINT64_MAX - 1;

struct Config {
  std::string command, db, compression = "none", comparator = "bytewise", history;
  uint64_t keys = 100000, phase = 1, seed = 1;
  bool die = false, dynamic_levels = false, ribbon = false, compact_files = false,
       universal = false;
};

// The same numbers with either library.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {}
  uint64_t Next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545f4914f6cdd1dull >> 16;
  }
  uint64_t Below(uint64_t n) { return Next() % n; }

 private:
  uint64_t state_;
};

// Keys of several lengths with bytes of all values, also 0x00 and 0xff; some are prefixes of
// others.
std::string KeyOf(const Config& config, uint64_t index) {
  Numbers numbers(config.seed * 1000003 + index);
  char head[32];
  std::snprintf(head, sizeof(head), "k%07llu", static_cast<unsigned long long>(index / 2));
  std::string key = head;
  if (index % 2 == 1) {
    for (uint64_t n = 1 + numbers.Below(16); n > 0; --n) {
      key.push_back(static_cast<char>(numbers.Below(256)));
    }
  }
  return key;
}

std::string ValueOf(Numbers* numbers) {
  uint64_t size = numbers->Below(200);
  if (numbers->Below(50) == 0) size = 3000 + numbers->Below(9000);
  if (numbers->Below(20) == 0) size = 0;
  std::string value;
  while (value.size() < size) {
    // Half repetitive, half noise.
    if (numbers->Below(2) == 0) {
      value.append(8 + numbers->Below(40), static_cast<char>('a' + numbers->Below(26)));
    } else {
      for (int i = 0; i < 16; ++i) value.push_back(static_cast<char>(numbers->Next()));
    }
  }
  value.resize(size);
  return value;
}

struct Operation {
  bool is_delete;
  std::string key, value;
};

// The batches of one phase, in order.
class Phase {
 public:
  Phase(const Config& config, uint64_t phase)
      : config_(config), phase_(phase), numbers_(config.seed * 7919 + phase) {
    operations_ = phase == 1 ? config.keys : config.keys / 5;
    // Odd and coprime to the number of keys often enough: a load in scattered order.
    stride_ = config.keys * 5 / 8 | 1;
    while (Gcd(stride_, config.keys) != 1) stride_ += 2;
  }
  uint64_t batch() const { return batch_; }
  bool done() const { return next_ >= operations_; }
  // Where the writer should flush, or compact everything, after the batch: several times per phase.
  bool flush_now() const { return Crossed(8); }
  bool compact_now() const { return Crossed(2) && !done(); }

  std::vector<Operation> Next() {
    std::vector<Operation> batch;
    before_ = next_;
    for (uint64_t n = 1 + numbers_.Below(24); n > 0 && !done(); --n) {
      if (phase_ == 1) {
        batch.push_back(
            {false, KeyOf(config_, next_ * stride_ % config_.keys), ValueOf(&numbers_)});
      }
      ++next_;
      const uint64_t dice = numbers_.Below(10);
      if (phase_ > 1 || dice < 3) {
        Operation again{dice % 3 == 0, KeyOf(config_, numbers_.Below(config_.keys)), ""};
        if (!again.is_delete) again.value = ValueOf(&numbers_);
        batch.push_back(std::move(again));
      }
    }
    ++batch_;
    batch.push_back({false, std::string(kProgressKey, sizeof(kProgressKey) - 1),
                     std::to_string(phase_) + ":" + std::to_string(batch_)});
    return batch;
  }

 private:
  static uint64_t Gcd(uint64_t a, uint64_t b) { return b == 0 ? a : Gcd(b, a % b); }
  bool Crossed(uint64_t parts) const {
    const uint64_t part = operations_ / parts + 1;
    return before_ / part != next_ / part;
  }

  const Config& config_;
  const uint64_t phase_;
  Numbers numbers_;
  uint64_t operations_, stride_, before_ = 0, next_ = 0, batch_ = 0;
};

using State = std::map<std::string, std::string>;

void Replay(const Config& config, uint64_t phase, uint64_t batches, State* state) {
  Phase sequence(config, phase);
  while (!sequence.done() && sequence.batch() < batches) {
    for (Operation& op : sequence.Next()) {
      if (op.is_delete) {
        state->erase(op.key);
      } else {
        (*state)[op.key] = std::move(op.value);
      }
    }
  }
}

std::vector<std::pair<uint64_t, uint64_t>> ParseHistory(const std::string& text) {
  std::vector<std::pair<uint64_t, uint64_t>> history;
  for (size_t at = 0; at < text.size();) {
    const size_t colon = text.find(':', at);
    size_t end = text.find(',', at);
    if (end == std::string::npos) end = text.size();
    const std::string count = text.substr(colon + 1, end - colon - 1);
    history.emplace_back(std::stoull(text.substr(at, colon - at)), count == "all" ? kAll
                                                                   : count == "?"
                                                                       ? kUnknown
                                                                       : std::stoull(count));
    at = end + 1;
  }
  return history;
}

void Die(const std::string& what) {
  std::fprintf(stderr, "interop_driver: %s\n", what.c_str());
  std::exit(1);
}

void Check(const char* what, const Status& status) {
  if (!status.ok()) Die(std::string(what) + ": " + status.ToString());
}

rocksdb::CompressionType CompressionOf(const std::string& name) {
  if (name == "none") return rocksdb::kNoCompression;
  if (name == "snappy") return rocksdb::kSnappyCompression;
  if (name == "zlib") return rocksdb::kZlibCompression;
  if (name == "lz4") return rocksdb::kLZ4Compression;
  if (name == "lz4hc") return rocksdb::kLZ4HCCompression;
  if (name == "zstd") return rocksdb::kZSTD;
  Die("unknown compression " + name);
  return rocksdb::kNoCompression;
}

rocksdb::Options OptionsOf(const Config& config) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.compression = CompressionOf(config.compression);
  // Small, so that a short run flushes often and fills several levels.
  options.write_buffer_size = 1 << 20;
  options.target_file_size_base = 512 << 10;
  options.max_bytes_for_level_base = 2 << 20;
  options.max_bytes_for_level_multiplier = 4;
  options.level_compaction_dynamic_level_bytes = config.dynamic_levels;
  if (config.universal) {
    options.compaction_style = rocksdb::kCompactionStyleUniversal;
    options.compaction_options_universal.allow_trivial_move = true;
  }
  if (config.comparator == "reverse") options.comparator = rocksdb::ReverseBytewiseComparator();
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(config.ribbon ? rocksdb::NewRibbonFilterPolicy(10)
                                          : rocksdb::NewBloomFilterPolicy(10));
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

std::unique_ptr<rocksdb::DB> Open(const Config& config) {
  rocksdb::DB* db = nullptr;
  Check("open", rocksdb::DB::Open(OptionsOf(config), config.db, &db));
  return std::unique_ptr<rocksdb::DB>(db);
}

// Level 0, and what it overlaps, into the last level but one; and back to automatic compactions,
// which find the levels between empty. Another compaction may be in the way: then not.
void CompactFiles(rocksdb::DB* db) {
  Check("flush", db->Flush(rocksdb::FlushOptions()));
  rocksdb::ColumnFamilyMetaData meta;
  db->GetColumnFamilyMetaData(&meta);
  std::vector<std::string> names;
  for (const auto& file : meta.levels[0].files) names.push_back(file.name);
  if (names.empty()) return;
  rocksdb::CompactionOptions options;
  options.compression = db->GetOptions().compression;
  options.output_file_size_limit = 1 << 20;
  const Status s = db->CompactFiles(options, names, db->NumberLevels() - 2);
  if (!s.IsAborted() && !s.IsInvalidArgument()) Check("compact files", s);
}

int Write(const Config& config) {
  std::unique_ptr<rocksdb::DB> db = Open(config);
  Phase sequence(config, config.phase);
  while (!sequence.done()) {
    rocksdb::WriteBatch batch;
    for (const Operation& op : sequence.Next()) {
      if (op.is_delete) {
        Check("delete", batch.Delete(op.key));
      } else {
        Check("put", batch.Put(op.key, op.value));
      }
    }
    Check("write", db->Write(rocksdb::WriteOptions(), &batch));
    if (sequence.batch() % 64 == 0) {
      std::printf("acknowledged %llu\n", static_cast<unsigned long long>(sequence.batch()));
      std::fflush(stdout);
    }
    if (sequence.flush_now()) {
      rocksdb::FlushOptions flush;
      flush.wait = false;
      Check("flush", db->Flush(flush));
    }
    if (sequence.compact_now()) {
      if (config.compact_files) {
        CompactFiles(db.get());
      } else {
        Check("compact", db->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr));
      }
    }
  }
  std::printf("acknowledged %llu\n", static_cast<unsigned long long>(sequence.batch()));
  std::fflush(stdout);
  if (config.die) kill(getpid(), SIGKILL);
  Check("close", db->Close());
  return 0;
}

std::string Hex(const std::string& bytes) {
  static const char kDigits[] = "0123456789ABCDEF";
  std::string r = "0x";
  for (const char c : bytes) {
    r.push_back(kDigits[static_cast<uint8_t>(c) >> 4]);
    r.push_back(kDigits[static_cast<uint8_t>(c) & 15]);
  }
  return r;
}

// Replays all but an unknown last count, which *progress ("phase:batch") decides.
State Expected(const Config& config, const std::string& progress) {
  State state;
  for (auto [phase, batches] : ParseHistory(config.history)) {
    if (batches == kUnknown) {
      batches = 0;  // none of the phase, unless the database says otherwise
      const std::string prefix = std::to_string(phase) + ":";
      if (progress.compare(0, prefix.size(), prefix) == 0) {
        batches = std::stoull(progress.substr(prefix.size()));
      }
      std::printf("holds %llu:%llu\n", static_cast<unsigned long long>(phase),
                  static_cast<unsigned long long>(batches));
    }
    Replay(config, phase, batches, &state);
  }
  return state;
}

template <typename Iterator>
void CheckEntry(const rocksdb::Iterator& it, const Iterator& expected) {
  if (it.key() != Slice(expected->first)) {
    Die("key " + Hex(it.key().ToString()) + " where " + Hex(expected->first) + " should be");
  }
  if (it.value() != Slice(expected->second)) Die("a wrong value of key " + Hex(expected->first));
}

int Verify(const Config& config) {
  std::unique_ptr<rocksdb::DB> db = Open(config);
  std::string progress;
  Check("progress",
        db->Get(rocksdb::ReadOptions(), Slice(kProgressKey, sizeof(kProgressKey) - 1), &progress));
  const State expected = Expected(config, progress);
  const bool reverse = config.comparator == "reverse";
  std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(rocksdb::ReadOptions()));
  size_t seen = 0;
  // Upwards in std::map's order, then downwards.
  auto up = expected.begin();
  for (reverse ? it->SeekToLast() : it->SeekToFirst(); it->Valid();
       reverse ? it->Prev() : it->Next()) {
    if (up == expected.end()) Die("an extra key " + Hex(it->key().ToString()));
    CheckEntry(*it, up++);
    ++seen;
  }
  Check("iterator", it->status());
  if (up != expected.end()) Die("key " + Hex(up->first) + " and what follows it is missing");
  auto down = expected.rbegin();
  for (reverse ? it->SeekToFirst() : it->SeekToLast(); it->Valid();
       reverse ? it->Next() : it->Prev()) {
    if (down == expected.rend()) Die("an extra key " + Hex(it->key().ToString()));
    CheckEntry(*it, down++);
  }
  Check("iterator", it->status());
  // Point reads of keys that exist, that were deleted, and that never were.
  Numbers numbers(config.seed);
  for (int i = 0; i < 20000; ++i) {
    std::string key = KeyOf(config, numbers.Below(config.keys)), value;
    if (i % 10 == 0) key.push_back('?');
    const Status s = db->Get(rocksdb::ReadOptions(), key, &value);
    const auto at = expected.find(key);
    if (at == expected.end() ? !s.IsNotFound() : !s.ok() || value != at->second) {
      Die("Get of " + Hex(key) + ": " + s.ToString());
    }
  }
  it.reset();
  Check("close", db->Close());
  std::printf("agrees on %zu keys\n", seen);
  return 0;
}

int Dump(const Config& config) {
  const State expected = Expected(config, "");
  const auto print = [](const std::pair<const std::string, std::string>& entry) {
    std::printf("%s : %s\n", Hex(entry.first).c_str(), Hex(entry.second).c_str());
  };
  if (config.comparator == "reverse") {
    for (auto it = expected.rbegin(); it != expected.rend(); ++it) print(*it);
  } else {
    for (const auto& entry : expected) print(entry);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Config config;
  std::vector<std::string> plain;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg.compare(0, 2, "--") != 0) {
      plain.push_back(arg);
      continue;
    }
    const size_t equals = arg.find('=');
    const std::string name = arg.substr(2, equals == std::string::npos ? equals : equals - 2);
    const std::string value = equals == std::string::npos ? "" : arg.substr(equals + 1);
    if (name == "compression") {
      config.compression = value;
    } else if (name == "comparator") {
      config.comparator = value;
    } else if (name == "history") {
      config.history = value;
    } else if (name == "keys") {
      config.keys = std::stoull(value);
    } else if (name == "phase") {
      config.phase = std::stoull(value);
    } else if (name == "seed") {
      config.seed = std::stoull(value);
    } else if (name == "die") {
      config.die = true;
    } else if (name == "dynamic-levels") {
      config.dynamic_levels = true;
    } else if (name == "ribbon") {
      config.ribbon = true;
    } else if (name == "universal") {
      config.universal = true;
    } else if (name == "compact-files") {
      config.compact_files = true;
    } else {
      Die("unknown argument " + arg);
    }
  }
  if (!plain.empty()) config.command = plain[0];
  if (plain.size() > 1) config.db = plain[1];
  if (config.command == "write") return Write(config);
  if (config.command == "verify") return Verify(config);
  if (config.command == "dump") return Dump(config);
  Die("usage: interop_driver write|verify|dump DB [--history=1:all,2:?] [--phase=1] [--keys=N] "
      "...");
}
