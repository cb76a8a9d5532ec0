// Writes and checks a database whose contents follow from a seed. The public API alone: compiled
// once against Cairn and once against librocksdb, so that interop_test.py can hand one database
// back and forth between the two engines.
//
//   interop_driver write  DB --phase=P [--keys=N] [--compression=C] ... [--checkpoint=DIR] [--die]
//   interop_driver verify DB --history=1:all,2:4711 ...      exit status 1: the database disagrees
//   interop_driver follow DB --secondary=DIR --history=...  verifies at each line of input, as a
//   secondary beside a process that writes (with --wait, until its input ends)
//   interop_driver dump      --history=...                   what it should hold, in the format of
//   `ldb scan --hex`
//   interop_driver repair DB ...
//   interop_driver backup DB --backups=DIR [--style=...]     (backups.h)
//   interop_driver restore DB --backups=DIR --id=N
//   interop_driver delete-backup --backups=DIR --id=N
//   interop_driver write-sst FILE, verify-sst FILE           phase 1's outcome in one external file
//
// workload.h says what a phase is. `verify` takes "P:?" for as many batches of it as the database
// says it has, and prints "holds P:N". With --die the process kills itself after the last batch;
// the parent may kill it earlier.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backups.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/iterator.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/options.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/checkpoint.h"
#include "rocksdb/utilities/table_properties_collectors.h"
#include "rocksdb/wide_columns.h"
#include "rocksdb/write_batch.h"
#include "workload.h"

namespace {

using interop::kAll;
using interop::KeyOf;
using interop::kProgressKey;
using interop::Numbers;
using interop::Operation;
using interop::Phase;
using interop::Replay;
using interop::State;
using rocksdb::Slice;
using rocksdb::Status;

constexpr size_t kPrefix = 7;  // "k000012": 20 keys
constexpr uint64_t kUnknown = UINT64_MAX - 1;

struct Config : interop::Shape {
  std::string command, db, compression = "none", comparator = "bytewise", history, checkpoint,
                           secondary, wal_dir, tables_dir, backups, style;
  uint64_t phase = 1, family = 0, id = 0;
  bool flushes_only = false, die = false, wait = false, dynamic_levels = false, ribbon = false,
       compact_files = false, partitioned = false, universal = false, prefix = false,
       families = false, atomic_flush = false, hash_index = false, ingest = false,
       dictionary = false, checksums = false, collectors = false, cached_metadata = false,
       entities = false, blobs = false, first_keys = false;
  std::shared_ptr<rocksdb::Statistics> statistics = rocksdb::CreateDBStatistics();
};

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

// The columns of a value that is written as an entity, which its size decides: empty ones and a
// third of the others, where entities are wanted. Empty: it is a plain value.
class Entity {
 public:
  Entity(const Config& config, const std::string& value) {
    if (!config.entities || (!value.empty() && value.size() % 3 != 1)) return;
    size_ = std::to_string(value.size());
    columns_ = {{"size", size_}, {"head", Slice(value.data(), std::min<size_t>(value.size(), 9))}};
    if (!value.empty()) columns_.emplace_back(rocksdb::kDefaultWideColumnName, value);
  }
  const rocksdb::WideColumns& columns() const { return columns_; }
  // As a reader finds them, of a plain value, too.
  static rocksdb::WideColumns Found(const Entity& entity, const std::string& value) {
    rocksdb::WideColumns sorted = entity.columns_;
    if (sorted.empty()) sorted.emplace_back(rocksdb::kDefaultWideColumnName, value);
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.name().compare(b.name()) < 0; });
    return sorted;
  }

 private:
  std::string size_;
  rocksdb::WideColumns columns_;
};

rocksdb::CompressionType CompressionOf(const std::string& name) {
  if (name == "none") return rocksdb::kNoCompression;
  if (name == "snappy") return rocksdb::kSnappyCompression;
  if (name == "zlib") return rocksdb::kZlibCompression;
  if (name == "bzip2") return rocksdb::kBZip2Compression;
  if (name == "lz4") return rocksdb::kLZ4Compression;
  if (name == "lz4hc") return rocksdb::kLZ4HCCompression;
  if (name == "zstd") return rocksdb::kZSTD;
  Die("unknown compression " + name);
  return rocksdb::kNoCompression;
}

rocksdb::Options OptionsOf(const Config& config) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.wal_dir = config.wal_dir;
  if (!config.tables_dir.empty()) options.db_paths = {{config.tables_dir, UINT64_MAX}};
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
  options.disable_auto_compactions = config.flushes_only;
  if (config.comparator == "reverse") options.comparator = rocksdb::ReverseBytewiseComparator();
  rocksdb::BlockBasedTableOptions table;
  if (config.partitioned) {
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = true;
    table.metadata_block_size = 512;
  }
  table.filter_policy.reset(config.ribbon ? rocksdb::NewRibbonFilterPolicy(10, -1)
                                          : rocksdb::NewBloomFilterPolicy(10));
  if (config.first_keys) {
    table.index_type = rocksdb::BlockBasedTableOptions::kBinarySearchWithFirstKey;
  }
  if (config.hash_index) {
    table.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;
  }
  if (config.prefix) {
    options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(kPrefix));
    table.whole_key_filtering = !config.partitioned;
  }
  if (config.merge) {
    Check("merge operator", rocksdb::MergeOperator::CreateFromString(
                                rocksdb::ConfigOptions(), "stringappend", &options.merge_operator));
  }
  if (config.dictionary) {
    options.compression_opts.max_dict_bytes = 4 << 10;
    // (Of effect with ZSTD.)
    options.compression_opts.zstd_max_train_bytes = 64 << 10;
  }
  if (config.blobs) {
    options.enable_blob_files = true;
    options.min_blob_size = 60;
    options.blob_file_size = 128 << 10;
    options.blob_compression_type = options.compression;
    options.enable_blob_garbage_collection = true;
    options.blob_garbage_collection_age_cutoff = 0.5;
    options.blob_garbage_collection_force_threshold = 0.3;
    options.blob_compaction_readahead_size = 64 << 10;
  }
  if (config.checksums) {
    options.file_checksum_gen_factory = rocksdb::GetFileChecksumGenCrc32cFactory();
  }
  if (config.collectors) {
    options.table_properties_collector_factories = {
        rocksdb::NewCompactOnDeletionCollectorFactory(128, 32, 0.3)};
  }
  if (config.cached_metadata) {
    table.cache_index_and_filter_blocks = true;
    table.metadata_cache_options.partition_pinning = rocksdb::PinningTier::kFlushedAndSimilar;
  }
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.statistics = config.statistics;
  return options;
}

// With --families.
size_t FamilyOf(const std::string& key) { return !key.empty() && key.back() % 2 != 0 ? 1 : 0; }

// With its column families: all keys are in the default one, or, with --families, every second key
// in another.
struct Database {
  explicit Database(const Config& config) : config_(config) {
    rocksdb::Options options = OptionsOf(config);
    options.create_missing_column_families = true;
    options.atomic_flush = config.atomic_flush;
    std::vector<rocksdb::ColumnFamilyDescriptor> descriptors = {{"default", options}};
    if (config.families) descriptors.emplace_back("second", options);
    rocksdb::DB* opened = nullptr;
    if (config.secondary.empty()) {
      Check("open", rocksdb::DB::Open(options, config.db, descriptors, &families, &opened));
    } else {
      Check("open", rocksdb::DB::OpenAsSecondary(options, config.db, config.secondary, descriptors,
                                                 &families, &opened));
    }
    db.reset(opened);
  }
  ~Database() { DeleteHandles(); }
  void DeleteHandles() {
    for (rocksdb::ColumnFamilyHandle* handle : families) delete handle;
    families.clear();
  }
  void Close() {
    DeleteHandles();
    Check("close", db->Close());
  }
  size_t IndexOf(const std::string& key) const { return config_.families ? FamilyOf(key) : 0; }
  rocksdb::ColumnFamilyHandle* Of(const std::string& key) const { return families[IndexOf(key)]; }

  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> families;

 private:
  const Config& config_;
};

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

// One that was there, in logs, tables and manifest, and is not any more.
void ComeAndGo(rocksdb::DB* db) {
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  Check("create", db->CreateColumnFamily(db->GetOptions(), "brief", &handle));
  for (int i = 0; i < 100; ++i) {
    Check("put", db->Put(rocksdb::WriteOptions(), handle, std::to_string(i), "brief"));
    if (i == 50) Check("flush", db->Flush(rocksdb::FlushOptions(), handle));
  }
  Check("drop", db->DropColumnFamily(handle));
  delete handle;
}

// A batch as files from outside, one for each family: all or none are there afterwards, as with a
// batch. False: it is none that a file can hold.
bool Ingest(const Config& config, const Database& database,
            const std::vector<Operation>& operations) {
  const rocksdb::Options options = OptionsOf(config);
  const auto less = [&](const std::string& a, const std::string& b) {
    return options.comparator->Compare(a, b) < 0;
  };
  std::map<size_t, std::map<std::string, const Operation*, decltype(less)>> files;
  for (const Operation& op : operations) {
    if (op.kind == Operation::kDeleteRange) return false;
    auto& file = files.try_emplace(database.IndexOf(op.key), less).first->second;
    const bool again = !file.emplace(op.key, &op).second;
    if (again && op.kind == Operation::kMerge) return false;
    file[op.key] = &op;
  }
  std::vector<rocksdb::IngestExternalFileArg> args;
  for (const auto& [family, entries] : files) {
    rocksdb::IngestExternalFileArg arg;
    arg.column_family = database.families[family];
    arg.external_files = {config.db + ".outside" + std::to_string(family) + ".sst"};
    arg.options.move_files = true;
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    Check("open file", writer.Open(arg.external_files[0]));
    for (const auto& [key, op] : entries) {
      Check("add to file", op->kind == Operation::kDelete  ? writer.Delete(key)
                           : op->kind == Operation::kMerge ? writer.Merge(key, op->value)
                                                           : writer.Put(key, op->value));
    }
    Check("finish file", writer.Finish());
    args.push_back(std::move(arg));
  }
  Check("ingest", database.db->IngestExternalFiles(args));
  return true;
}

int Write(const Config& config) {
  Database database(config);
  rocksdb::DB* const db = database.db.get();
  if (config.families) ComeAndGo(db);
  Phase sequence(config, config.phase);
  while (!sequence.done()) {
    rocksdb::WriteBatch batch;
    const std::vector<Operation> operations = sequence.Next();
    const bool ingested =
        config.ingest && sequence.batch() % 97 == 0 && Ingest(config, database, operations);
    for (const Operation& op : operations) {
      if (op.kind == Operation::kDelete) {
        Check("delete", batch.Delete(database.Of(op.key), op.key));
      } else if (op.kind == Operation::kDeleteRange) {
        for (rocksdb::ColumnFamilyHandle* family : database.families) {
          Check("delete range", batch.DeleteRange(family, op.key, op.value));
        }
      } else if (op.kind == Operation::kMerge) {
        Check("merge", batch.Merge(database.Of(op.key), op.key, op.value));
      } else if (const Entity entity(config, op.value); !entity.columns().empty()) {
        Check("put entity", batch.PutEntity(database.Of(op.key), op.key, entity.columns()));
      } else {
        Check("put", batch.Put(database.Of(op.key), op.key, op.value));
      }
    }
    // Who opens a secondary then finds tables that stay, and a log.
    const bool last = config.wait && sequence.done();
    if (last) Check("compact", db->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr));
    if (!ingested) Check("write", db->Write(rocksdb::WriteOptions(), &batch));
    if (sequence.batch() % 64 == 0) {
      std::printf("acknowledged %llu\n", static_cast<unsigned long long>(sequence.batch()));
      std::fflush(stdout);
    }
    if (sequence.flush_now() && !last) {
      rocksdb::FlushOptions flush;
      flush.wait = false;
      if (config.atomic_flush) {
        Check("flush", db->Flush(flush, database.families));
      } else {
        Check("flush",
              db->Flush(flush, database.families[sequence.batch() % database.families.size()]));
      }
    }
    if (sequence.compact_now() && !config.flushes_only) {
      if (config.compact_files) {
        CompactFiles(db);
      } else {
        Check("compact", db->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr));
      }
    }
  }
  std::printf("acknowledged %llu\n", static_cast<unsigned long long>(sequence.batch()));
  std::fflush(stdout);
  if (!config.checkpoint.empty()) {
    // With logs: what the last batches wrote is not flushed.
    rocksdb::Checkpoint* made = nullptr;
    Check("checkpoint", rocksdb::Checkpoint::Create(db, &made));
    const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
    Check("checkpoint", checkpoint->CreateCheckpoint(config.checkpoint, UINT64_MAX));
  }
  if (config.die) kill(getpid(), SIGKILL);
  while (config.wait && std::getchar() != EOF) {
  }
  database.Close();
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

// What of it is in one family.
State PartOf(const Database& database, const State& state, size_t family) {
  State part;
  for (const auto& entry : state) {
    if (database.IndexOf(entry.first) == family) part.insert(entry);
  }
  return part;
}

template <typename Iterator>
void CheckEntry(const Config& config, const rocksdb::Iterator& it, const Iterator& expected) {
  if (it.key() != Slice(expected->first)) {
    Die("key " + Hex(it.key().ToString()) + " where " + Hex(expected->first) + " should be");
  }
  if (it.value() != Slice(expected->second)) Die("a wrong value of key " + Hex(expected->first));
  const Entity entity(config, expected->second);
  if (it.columns() != Entity::Found(entity, expected->second)) {
    Die("wrong columns of key " + Hex(expected->first));
  }
}

// Both ways over all that is there. Returns how many keys.
size_t CheckIterator(const Config& config, const State& expected, rocksdb::Iterator* it) {
  const bool reverse = config.comparator == "reverse";
  size_t seen = 0;
  // Upwards in std::map's order, then downwards.
  auto up = expected.begin();
  for (reverse ? it->SeekToLast() : it->SeekToFirst(); it->Valid();
       reverse ? it->Prev() : it->Next()) {
    if (up == expected.end()) Die("an extra key " + Hex(it->key().ToString()));
    CheckEntry(config, *it, up++);
    ++seen;
  }
  Check("iterator", it->status());
  if (up != expected.end()) Die("key " + Hex(up->first) + " and what follows it is missing");
  auto down = expected.rbegin();
  for (reverse ? it->SeekToFirst() : it->SeekToLast(); it->Valid();
       reverse ? it->Next() : it->Prev()) {
    if (down == expected.rend()) Die("an extra key " + Hex(it->key().ToString()));
    CheckEntry(config, *it, down++);
  }
  Check("iterator", it->status());
  return seen;
}

rocksdb::ReadOptions TotalOrder() {
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  return options;
}

// What is sought by prefix is all there, and absent prefixes are known to the filters.
template <typename Database>
void CheckPrefixes(const Config& config, const State& expected, Database* db) {
  rocksdb::ReadOptions options;
  options.prefix_same_as_start = true;
  std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(options));
  Numbers numbers(config.seed + 1);
  const uint64_t useful = config.statistics->getTickerCount(rocksdb::BLOOM_FILTER_PREFIX_USEFUL);
  for (int i = 0; i < 2000; ++i) {
    std::string key = KeyOf(config, numbers.Below(config.keys));
    if (i % 2 == 0) key[2] = 'x';  // absent
    auto at = expected.lower_bound(key);
    for (it->Seek(key); it->Valid(); it->Next()) {
      if (at == expected.end() || at->first.compare(0, kPrefix, key, 0, kPrefix) != 0) {
        Die("an extra key " + Hex(it->key().ToString()));
      }
      CheckEntry(config, *it, at++);
    }
    Check("iterator", it->status());
    if (at != expected.end() && at->first.compare(0, kPrefix, key, 0, kPrefix) == 0) {
      Die("key " + Hex(at->first) + " is missing in its prefix");
    }
  }
  if (config.statistics->getTickerCount(rocksdb::BLOOM_FILTER_PREFIX_USEFUL) < useful + 900) {
    Die("the filters do not know absent prefixes");
  }
}

// All that iterators show is what the database should hold.
State Agree(const Config& config, const Database& database, size_t* seen) {
  rocksdb::DB* const db = database.db.get();
  const std::string progress_key(kProgressKey, sizeof(kProgressKey) - 1);
  std::string progress;
  Check("progress",
        db->Get(rocksdb::ReadOptions(), database.Of(progress_key), progress_key, &progress));
  State expected = Expected(config, progress);
  *seen = 0;
  for (size_t i = 0; i < database.families.size(); ++i) {
    std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(TotalOrder(), database.families[i]));
    *seen += CheckIterator(config, PartOf(database, expected, i), it.get());
  }
  return expected;
}

int Follow(const Config& config) {
  Database database(config);
  for (int c = std::getchar(); c != EOF; c = std::getchar()) {
    if (c != '\n') continue;
    Check("catch up", database.db->TryCatchUpWithPrimary());
    size_t seen = 0;
    Agree(config, database, &seen);
    std::printf("agrees on %zu keys\n", seen);
    std::fflush(stdout);
  }
  database.Close();
  return 0;
}

int Verify(const Config& config) {
  Database database(config);
  rocksdb::DB* const db = database.db.get();
  size_t seen = 0;
  const State expected = Agree(config, database, &seen);
  if (config.checksums) {
    Check("file checksums", db->VerifyFileChecksums(rocksdb::ReadOptions()));
    std::vector<rocksdb::LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    for (const auto& file : files) {
      if (file.file_checksum.size() != 4) Die("no checksum of " + file.name);
    }
  }
  // Point reads of keys that exist, that were deleted, and that never were.
  Numbers numbers(config.seed);
  for (int i = 0; i < 20000; ++i) {
    std::string key = KeyOf(config, numbers.Below(config.keys)), value;
    if (i % 10 == 0) key.push_back('?');
    const Status s = db->Get(rocksdb::ReadOptions(), database.Of(key), key, &value);
    const auto at = expected.find(key);
    if (at == expected.end() ? !s.IsNotFound() : !s.ok() || value != at->second) {
      Die("Get of " + Hex(key) + ": " + s.ToString());
    }
    if (at == expected.end()) continue;
#ifdef INTEROP_ROCKSDB
    // 7.8.3's GetEntity does not merge, nor read blob files.
    if (config.merge || config.blobs) continue;
#endif
    rocksdb::PinnableWideColumns columns;
    Check("get entity", db->GetEntity(rocksdb::ReadOptions(), database.Of(key), key, &columns));
    const Entity entity(config, at->second);
    if (columns.columns() != Entity::Found(entity, at->second)) Die("GetEntity of " + Hex(key));
  }
  // One in ten was never there; deleted keys come on top. (Of a key without its own hash in the
  // filter others with its prefix are there.)
  const uint64_t useful = config.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL);
  if (useful < 1500 && !(config.prefix && config.partitioned)) {
    Die("filters were of use only " + std::to_string(useful) + " times");
  }
  if (config.prefix) CheckPrefixes(config, expected, db);
  database.Close();
  std::printf("agrees on %zu keys\n", seen);
  return 0;
}

int WriteSst(Config config) {
  config.history = "1:all";
  State state = Expected(config, "");
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), OptionsOf(config));
  Check("open", writer.Open(config.db));
  const auto put = [&](const auto& entry) {
    // Deletions too: those keys are then not in `state`.
    const std::string next = entry.first + std::string(1, '\0');
    const bool before = config.comparator == "reverse";
    if (before && state.count(next) == 0) Check("delete", writer.Delete(next));
    Check("put", writer.Put(entry.first, entry.second));
    if (!before && state.count(next) == 0) Check("delete", writer.Delete(next));
  };
  if (config.comparator == "reverse") {
    for (auto it = state.rbegin(); it != state.rend(); ++it) put(*it);
  } else {
    for (const auto& entry : state) put(entry);
  }
  rocksdb::ExternalSstFileInfo info;
  Check("finish", writer.Finish(&info));
  std::printf("wrote %llu entries\n", static_cast<unsigned long long>(info.num_entries));
  return 0;
}

int VerifySst(Config config) {
  config.history = "1:all";
  config.entities = false;  // 7.8.3's writer has none
  const State expected = Expected(config, "");
  rocksdb::SstFileReader reader(OptionsOf(config));
  Check("open", reader.Open(config.db));
  Check("checksums", reader.VerifyChecksum());
  const auto properties = reader.GetTableProperties();
  const auto& extra = properties->user_collected_properties;
  if (extra.at("rocksdb.external_sst_file.version") != std::string("\2\0\0\0", 4) ||
      extra.at("rocksdb.external_sst_file.global_seqno") != std::string(8, '\0')) {
    Die("not an external file");
  }
  std::unique_ptr<rocksdb::Iterator> it(reader.NewIterator(TotalOrder()));
  const size_t seen = CheckIterator(config, expected, it.get());
  if (config.prefix) CheckPrefixes(config, expected, &reader);
  config.db += ".db";
  config.families = false;
  Database database(config);
  rocksdb::DB* const db = database.db.get();
  Check("put", db->Put(rocksdb::WriteOptions(), expected.begin()->first, "hidden by the file"));
  Check("ingest", db->IngestExternalFile({config.db.substr(0, config.db.size() - 3)},
                                         rocksdb::IngestExternalFileOptions()));
  it.reset(db->NewIterator(TotalOrder()));
  CheckIterator(config, expected, it.get());
  it.reset();
  database.Close();
  std::printf("agrees on %zu keys\n", seen);
  return 0;
}

int Dump(const Config& config) {
  const State expected = Expected(config, "");
  const auto print = [&](const std::pair<const std::string, std::string>& entry) {
    if (config.families && FamilyOf(entry.first) != config.family) return;
    std::printf("%s : %s\n", Hex(entry.first).c_str(), Hex(entry.second).c_str());
  };
  if (config.comparator == "reverse") {
    for (auto it = expected.rbegin(); it != expected.rend(); ++it) print(*it);
  } else {
    for (const auto& entry : expected) print(entry);
  }
  return 0;
}

// --name, --name=value
void ParseFlag(const std::string& arg, Config* config) {
  const std::map<std::string, std::string Config::*> texts = {
      {"compression", &Config::compression}, {"comparator", &Config::comparator},
      {"history", &Config::history},         {"wal-dir", &Config::wal_dir},
      {"tables-dir", &Config::tables_dir},   {"checkpoint", &Config::checkpoint},
      {"backups", &Config::backups},         {"style", &Config::style},
      {"secondary", &Config::secondary}};
  const std::map<std::string, uint64_t Config::*> numbers = {{"keys", &Config::keys},
                                                             {"phase", &Config::phase},
                                                             {"seed", &Config::seed},
                                                             {"id", &Config::id},
                                                             {"family", &Config::family}};
  const std::map<std::string, bool Config::*> flags = {
      {"wait", &Config::wait},
      {"die", &Config::die},
      {"dynamic-levels", &Config::dynamic_levels},
      {"ribbon", &Config::ribbon},
      {"partitioned", &Config::partitioned},
      {"prefix", &Config::prefix},
      {"families", &Config::families},
      {"entities", &Config::entities},
      {"blobs", &Config::blobs},
      {"ranges", &Config::ranges},
      {"dictionary", &Config::dictionary},
      {"checksums", &Config::checksums},
      {"collectors", &Config::collectors},
      {"cached-metadata", &Config::cached_metadata},
      {"merge", &Config::merge},
      {"atomic-flush", &Config::atomic_flush},
      {"ingest", &Config::ingest},
      {"hash-index", &Config::hash_index},
      {"first-keys", &Config::first_keys},
      {"flushes-only", &Config::flushes_only},
      {"universal", &Config::universal},
      {"compact-files", &Config::compact_files}};
  const size_t equals = arg.find('=');
  const std::string name = arg.substr(2, equals == std::string::npos ? equals : equals - 2);
  const std::string value = equals == std::string::npos ? "" : arg.substr(equals + 1);
  if (const auto text = texts.find(name); text != texts.end()) {
    config->*text->second = value;
  } else if (const auto number = numbers.find(name); number != numbers.end()) {
    config->*number->second = std::stoull(value);
  } else if (const auto flag = flags.find(name); flag != flags.end()) {
    config->*flag->second = true;
  } else {
    Die("unknown argument " + arg);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Config config;
  std::vector<std::string> plain;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg.compare(0, 2, "--") == 0) {
      ParseFlag(arg, &config);
    } else {
      plain.push_back(arg);
    }
  }
  if (!plain.empty()) config.command = plain[0];
  if (plain.size() > 1) config.db = plain[1];
  if (config.command == "write") return Write(config);
  if (config.command == "follow") return Follow(config);
  if (config.command == "repair") {
    Check("repair", rocksdb::RepairDB(config.db, OptionsOf(config)));
    return 0;
  }
  if (config.command == "verify") return Verify(config);
  const auto id = static_cast<rocksdb::BackupID>(config.id);
  if (config.command == "backup") {
    Check("backup", interop::Backup(OptionsOf(config), config.db, config.backups, config.style));
    return 0;
  }
  if (config.command == "restore") {
    Check("restore", interop::Restore(config.db, config.backups, id));
    return 0;
  }
  if (config.command == "delete-backup") {
    Check("delete", interop::DeleteBackup(config.backups, id));
    return 0;
  }
  if (config.command == "dump") return Dump(config);
  if (config.command == "write-sst") return WriteSst(config);
  if (config.command == "verify-sst") return VerifySst(config);
  Die("usage: interop_driver "
      "write|verify|follow|repair|backup|restore|delete-backup|dump|write-sst|verify-sst PATH "
      "[--history=1:all,2:?] "
      "[--phase=1] [--keys=N] "
      "...");
}
