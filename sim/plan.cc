#include "sim/plan.h"

#include <algorithm>
#include <sstream>
#include <string>

#include "base/random.h"
#include "rocksdb/advanced_options.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/object_registry.h"
#include "table/testing/list_index.h"
#include "table/testing/run_lengths.h"

namespace cairn::sim {

namespace {

constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kFewKeys = 6;  // then most writes overwrite what memory holds

template <class T>
T OneOf(Random64* random, std::initializer_list<T> choices) {
  return choices.begin()[random->Uniform(choices.size())];
}

void MakeFifo(Options* options) {
  options->compaction_style = kCompactionStyleFIFO;
  options->compaction_options_fifo.max_table_files_size = uint64_t{1} << 40;  // nothing is lost
  options->ttl = 0;
}

Options DrawOptions(Random64* random, LifePlan* life) {
  std::string* const told = &life->told;
  Options o;
  o.create_if_missing = true;
  o.stats_dump_period_sec = 0;  // a clock that always ticks would hide that all others wait
  const auto tell = [&](const std::string& name, uint64_t value) {
    *told += name + "=" + std::to_string(value) + " ";
  };
  o.write_buffer_size = 64 << 10;
  o.max_write_buffer_number = static_cast<int>(2 + random->Uniform(3));
  o.arena_block_size = 4 << 10;
  o.target_file_size_base = OneOf<uint64_t>(random, {8 << 10, 32 << 10, 128 << 10});
  o.max_bytes_for_level_base = OneOf<uint64_t>(random, {64 << 10, 256 << 10});
  o.max_bytes_for_level_multiplier = OneOf<double>(random, {2, 4, 10});
  o.level0_file_num_compaction_trigger = static_cast<int>(1 + random->Uniform(4));
  o.level_compaction_dynamic_level_bytes = random->OneIn(2);
  o.max_background_jobs = static_cast<int>(1 + random->Uniform(4));
  o.max_subcompactions = static_cast<uint32_t>(1 + random->Uniform(3));
  if (random->OneIn(4)) {
    o.compaction_style = kCompactionStyleUniversal;
    o.compaction_options_universal.incremental = random->OneIn(2);
    if (o.compaction_options_universal.incremental) o.max_compaction_bytes = 64 << 10;
  } else if (random->OneIn(8)) {
    MakeFifo(&o);
    o.compaction_options_fifo.allow_compaction = random->OneIn(2);
  }
  if (o.compaction_style != kCompactionStyleFIFO) {
    o.ttl = random->OneIn(3) ? 1 + random->Uniform(30) : 0;  // seconds
    o.periodic_compaction_seconds = random->OneIn(4) ? 1 + random->Uniform(30) : 0;
  }
  o.compression = OneOf(random, {kNoCompression, kLZ4Compression, kSnappyCompression});
  o.enable_pipelined_write = random->OneIn(3);
  o.unordered_write = !o.enable_pipelined_write && random->OneIn(5);
  o.allow_concurrent_memtable_write = o.unordered_write || random->OneIn(2);
  o.manual_wal_flush = random->OneIn(6);
  o.recycle_log_file_num = random->Uniform(3);
  o.wal_bytes_per_sync = random->OneIn(3) ? 16 << 10 : 0;
  o.bytes_per_sync = random->OneIn(3) ? 16 << 10 : 0;
  o.max_total_wal_size = random->OneIn(4) ? 100 << 10 : 0;
  o.avoid_flush_during_recovery = random->OneIn(3);
  o.avoid_flush_during_shutdown = random->OneIn(4);
  o.max_manifest_file_size = random->OneIn(3) ? 2000 : uint64_t{1} << 30;
  o.max_open_files = random->OneIn(3) ? 20 : -1;
  o.writable_file_max_buffer_size = OneOf<size_t>(random, {4 << 10, 64 << 10, 1 << 20});
  o.paranoid_file_checks = random->OneIn(4);
  o.max_sequential_skip_in_iterations = OneOf<uint64_t>(random, {0, 2, 8});
  if (!o.allow_concurrent_memtable_write && random->OneIn(4)) {
    o.memtable_factory = std::make_shared<VectorRepFactory>();
    *told += "vector memtable ";
  }
  BlockBasedTableOptions table;
  table.block_size = OneOf<size_t>(random, {256, 1024, 4096});
  table.block_restart_interval = static_cast<int>(1 + random->Uniform(16));
  life->cache_bytes = OneOf<uint64_t>(random, {8 << 10, 64 << 10, 1 << 20});
  life->clock_cache = random->OneIn(3);
  if (random->OneIn(4)) life->second_cache_bytes = 256 << 10;
  if (random->OneIn(5)) life->rate = 2 << 20;
  table.cache_index_and_filter_blocks = random->OneIn(2);
  if (random->OneIn(2)) {
    table.filter_policy.reset(random->OneIn(3) ? NewRibbonFilterPolicy(10)
                                               : NewBloomFilterPolicy(10));
    table.whole_key_filtering = !random->OneIn(4);
  }
  if (random->OneIn(3)) {
    table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.metadata_block_size = OneOf<uint64_t>(random, {128, 1024});
    table.partition_filters = random->OneIn(2);
  }
  if (random->OneIn(3)) {
    table.data_block_index_type = BlockBasedTableOptions::kDataBlockBinaryAndHash;
  }
  table.format_version = OneOf<uint32_t>(random, {5, 5, 6, 7});
  table.checksum = OneOf(random, {kCRC32c, kxxHash64, kXXH3});
  table.optimize_filters_for_memory = random->OneIn(3);
  // Not drawn, so that older seeds play what they did.
  const int warm = table.block_restart_interval % 3;
  table.prepopulate_block_cache = static_cast<BlockBasedTableOptions::PrepopulateBlockCache>(warm);
  o.optimize_filters_for_hits = random->OneIn(5);
  if (random->OneIn(5)) {
    o.compression = kZSTD;
    o.compression_opts.max_dict_bytes = random->OneIn(2) ? 2 << 10 : 0;
  }
  // Which of the two is not drawn, so that older seeds play what they did.
  const CompressionType slow =
      table.block_restart_interval % 2 == 0 ? kBZip2Compression : kZlibCompression;
  o.bottommost_compression = random->OneIn(4) ? slow : kDisableCompressionOption;
  o.compaction_pri = OneOf(random, {kByCompensatedSize, kOldestLargestSeqFirst,
                                    kOldestSmallestSeqFirst, kMinOverlappingRatio, kRoundRobin});
  o.db_write_buffer_size = random->OneIn(6) ? 200 << 10 : 0;
  o.WAL_ttl_seconds = random->OneIn(6) ? 1 : 0;
  if (random->OneIn(4)) o.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  if (random->OneIn(3)) {
    o.prefix_extractor.reset(NewFixedPrefixTransform(4));
    o.memtable_prefix_bloom_size_ratio = random->OneIn(2) ? 0.1 : 0;
    if (!o.allow_concurrent_memtable_write && random->OneIn(2)) {
      // Not drawn, so that older seeds play what they did.
      const bool links = table.block_restart_interval % 2 == 0;
      o.memtable_factory.reset(links ? NewHashLinkListRepFactory(16, 0, 40, true, 6)
                                     : NewHashSkipListRepFactory(64));
      *told += links ? "hash linked lists " : "hash skip lists ";
    }
  }
  o.table_factory.reset(NewBlockBasedTableFactory(table));
  // Both do the same, but one never makes one operand of two.
  const std::string merges = random->OneIn(2) ? "stringappend" : "stringappendtest";
  MergeOperator::CreateFromString(ConfigOptions(), merges, &o.merge_operator)
      .PermitUncheckedError();
  o.max_successive_merges = random->OneIn(3) ? 1 + random->Uniform(4) : 0;
  if (o.unordered_write) o.max_successive_merges = 0;  // is refused
  tell("max_successive_merges", o.max_successive_merges);
  tell("jobs", static_cast<uint64_t>(o.max_background_jobs));
  tell("universal", o.compaction_style == kCompactionStyleUniversal);
  tell("incremental", o.compaction_options_universal.incremental);
  tell("fifo", o.compaction_style == kCompactionStyleFIFO);
  tell("ttl", o.ttl);
  tell("period", o.periodic_compaction_seconds);
  tell("warm", static_cast<uint64_t>(warm));
  tell("pipelined", o.enable_pipelined_write);
  tell("unordered", o.unordered_write);
  tell("concurrent", o.allow_concurrent_memtable_write);
  tell("manual_wal_flush", o.manual_wal_flush);
  tell("recycle", o.recycle_log_file_num);
  tell("wal_limit", o.max_total_wal_size);
  tell("flush_on_recovery", !o.avoid_flush_during_recovery);
  tell("flush_on_close", !o.avoid_flush_during_shutdown);
  tell("block", table.block_size);
  tell("prefixes", o.prefix_extractor != nullptr);
  tell("index", table.index_type);
  tell("format", table.format_version);
  tell("clock_cache", life->clock_cache);
  tell("second_cache", life->second_cache_bytes);
  tell("rate", static_cast<uint64_t>(life->rate));
  return o;
}

// Large values in blob files, in a third of all lives. Of a generator of its own: the other options
// of a seed are what they were before.
void DrawBlobs(LifePlan* life) {
  Random64 random(life->seed ^ 0xb10bb10b);
  if (!random.OneIn(3)) return;
  Options& o = life->options;
  o.enable_blob_files = true;
  o.min_blob_size = OneOf<uint64_t>(&random, {0, 20, 100});
  o.blob_file_size = OneOf<uint64_t>(&random, {500, 4 << 10, 64 << 10});
  o.blob_compression_type = OneOf(&random, {kNoCompression, kLZ4Compression, kZSTD});
  o.enable_blob_garbage_collection = random.OneIn(2);
  o.blob_garbage_collection_age_cutoff = OneOf<double>(&random, {0.25, 0.5, 1});
  o.blob_garbage_collection_force_threshold = OneOf<double>(&random, {0.2, 0.5, 1});
  o.blob_compaction_readahead_size = random.OneIn(2) ? 4 << 10 : 0;
  o.blob_file_starting_level = random.OneIn(3) ? 1 : 0;
  o.prepopulate_blob_cache =
      random.OneIn(2) ? PrepopulateBlobCache::kFlushOnly : PrepopulateBlobCache::kDisable;
  life->blob_cache = random.OneIn(2);
  life->told += "blobs=" + std::to_string(o.min_blob_size) +
                " collect=" + std::to_string(o.enable_blob_garbage_collection) + " ";
}

// Compressed logs, in a fifth of all lives; of a generator of its own likewise.
void DrawLogCompression(LifePlan* life) {
  if (!Random64(life->seed ^ 0x10910910).OneIn(5)) return;
  life->options.wal_compression = kZSTD;
  life->told += "compressed logs ";
}

// What is written to files of some kinds goes with its checksum, which the disk compares; in a
// quarter of all lives, of a generator of its own likewise.
void DrawHandoff(LifePlan* life) {
  Random64 random(life->seed ^ 0x4a4d0ff);
  if (!random.OneIn(4)) return;
  for (const rocksdb::FileType type : {kWalFile, kDescriptorFile, kTableFile, kBlobFile}) {
    if (random.OneIn(4)) continue;
    life->options.checksum_handoff_file_types.Add(type);
    life->told += "handoff=" + std::to_string(type) + " ";
  }
}

// Memtables of which little is worth keeping stay in memory, in a quarter of all lives; of a
// generator of its own likewise.
void DrawPurges(LifePlan* life) {
  Random64 random(life->seed ^ 0x9e39a6e);
  if (!random.OneIn(4)) return;
  life->options.experimental_mempurge_threshold = OneOf<double>(&random, {0.2, 0.6, 1, 5});
  life->told += "mempurge=" + std::to_string(life->options.experimental_mempurge_threshold) + " ";
}

// Blocks on another disk, in a quarter of all lives; of a generator of its own likewise.
void DrawPersistentCache(LifePlan* life) {
  if (!Random64(life->seed ^ 0x9e759e75).OneIn(4)) return;
  life->persistent_cache_bytes = 1 << 20;
  life->told += "persistent cache ";
}

// An index of the user's own, in a fifth of all lives; of a generator of its own likewise. Tables
// of lives before may have none.
void DrawUserIndex(LifePlan* life) {
  Random64 random(life->seed ^ 0x1d81d81d);
  if (!random.OneIn(5)) return;
  Options& o = life->options;
  if (o.compression_opts.parallel_threads > 1) return;
  auto table = *o.table_factory->GetOptions<BlockBasedTableOptions>();
  table.user_defined_index_factory = std::make_shared<testing::ListIndexFactory>();
  o.table_factory.reset(NewBlockBasedTableFactory(table));
  life->told += "user index ";
}

// Compression of the user's own, with dictionaries, in a sixth of all lives; of a generator of its
// own likewise. Tables of it are read in other lives, too: it is registered.
void DrawCompressionManager(LifePlan* life) {
  static testing::RunLengthsPlan what;
  what.sample_bytes = 300;
  [[maybe_unused]] static const bool registered = [] {
    ObjectLibrary::Default()->AddFactory<CompressionManager>(
        testing::RunLengthsManager::kClassName(),
        [](const std::string&, std::unique_ptr<CompressionManager>* made, std::string*) {
          made->reset(new testing::RunLengthsManager(&what));
          return made->get();
        });
    return true;
  }();
  if (!Random64(life->seed ^ 0xc03b7e55).OneIn(6)) return;
  Options& o = life->options;
  auto table = *o.table_factory->GetOptions<BlockBasedTableOptions>();
  table.format_version = 7;
  o.table_factory.reset(NewBlockBasedTableFactory(table));
  o.compression_manager = std::make_shared<testing::RunLengthsManager>(&what);
  if (o.compression == kNoCompression) o.compression = testing::kRunLengths;
  life->told += "compression of one's own ";
}

// `usual_nanos`: about how long the clients take.
LifePlan DrawLife(Random64* random, uint64_t usual_nanos, bool last) {
  LifePlan life;
  life.seed = random->Next();
  life.options = DrawOptions(random, &life);
  DrawBlobs(&life);
  DrawLogCompression(&life);
  DrawHandoff(&life);
  DrawPurges(&life);
  DrawPersistentCache(&life);
  DrawUserIndex(&life);
  DrawCompressionManager(&life);
  const uint64_t chance = random->Uniform(10);
  life.ending = chance < 6 ? Ending::kPowerCut : Ending::kClose;
  if (last && random->OneIn(4)) life.ending = Ending::kDamage;
  life.length_nanos = random->OneIn(4) ? random->Uniform(50 * kMillisecond)
                                       : random->Uniform(usual_nanos + usual_nanos / 4);
  // Right behind a promise is the worst moment for whatever it forgot.
  if (random->OneIn(2)) life.cut_at_promise = 1 + random->Uniform(random->OneIn(2) ? 5 : 60);
  life.lose_all = random->OneIn(3);
  if (random->OneIn(3)) {
    life.fault_at_nanos = kMillisecond + random->Uniform(usual_nanos);
    life.fault_nanos = kMillisecond + random->Uniform(500 * kMillisecond);
    switch (random->Uniform(4)) {
      case 0:
        life.fail_reads = static_cast<uint32_t>(2 + random->Uniform(20));
        break;
      case 1:
      case 2:
        life.fail_writes = static_cast<uint32_t>(1 + random->Uniform(20));
        break;
      default:
        life.fill = true;
    }
    life.spare_logs = random->OneIn(2);
    life.resume = !random->OneIn(3);
    life.shortage = life.seed % 5 < 2;
    if (life.shortage) life.resume = false;
    if (random->OneIn(2)) {
      life.cut_at_promise = 0;
      life.cut_at_promise_after_fault = 1 + random->Uniform(5);
    }
  }
  return life;
}

// What clients write fills several levels.
void MakeDeep(LifePlan* life) {
  life->options.target_file_size_base = 2 << 10;
  life->options.max_bytes_for_level_base = 8 << 10;
  life->options.max_bytes_for_level_multiplier = 2;
  life->told += "deep ";
}

// Young entries stay out of the last level, or keep their sequence numbers there.
void MakeTiered(Random64* random, LifePlan* life) {
  Options& o = life->options;
  if (o.compaction_style == kCompactionStyleFIFO) return;
  const uint64_t kind = random->Uniform(8);
  if (kind > 2) return;
  if (kind > 0) o.preclude_last_level_data_seconds = 1 + random->Uniform(20);
  if (kind != 1) o.preserve_internal_time_seconds = 1 + random->Uniform(40);
  // Else the last level of leveled style is hardly ever reached.
  o.level_compaction_dynamic_level_bytes = true;
  life->told += "tiers=" + std::to_string(o.preclude_last_level_data_seconds) + "," +
                std::to_string(o.preserve_internal_time_seconds) + " ";
}

void MakeRepaired(Random64* random, LifePlan* life) {
  life->options.recycle_log_file_num = 0;
  life->no_compactions = random->OneIn(3);
  if (life->no_compactions) {
    life->options.disable_auto_compactions = true;
    life->told += "no compactions ";
  }
  if (life->ending == Ending::kDamage || random->OneIn(4)) return;
  life->ending = Ending::kClose;
  life->repair = true;
  life->cut_at_change = 0;
}

void MakeFaulty(Random64* random, uint64_t usual_nanos, LifePlan* life) {
  if (random->OneIn(4)) return;
  life->ending = Ending::kPowerCut;
  life->lose_all = false;
  life->length_nanos = 2 * usual_nanos;
  life->cut_at_promise = life->cut_at_change = 0;
  life->fault_at_nanos = kMillisecond + random->Uniform(usual_nanos / 2);
  life->fault_nanos = kMillisecond + random->Uniform(100 * kMillisecond);
  life->fail_writes = static_cast<uint32_t>(1 + random->Uniform(3));
  life->fail_reads = 0;
  life->fill = life->spare_logs = false;
  life->flush_at_fault = true;
  life->shortage = life->seed % 5 < 2;
  life->resume = !life->shortage;
  life->cut_at_promise_after_fault = 1 + random->Uniform(8);
}

void AlternateStyle(Random64* random, bool leveled, LifePlan* life) {
  Options& o = life->options;
  life->told += leveled ? "leveled after all " : "fifo after all ";
  if (leveled) {
    o.compaction_style = kCompactionStyleLevel;
    o.level0_file_num_compaction_trigger = 1;
    life->settle = true;
    if (life->ending == Ending::kPowerCut && !random->OneIn(4)) {
      life->ending = Ending::kClose;
      life->cut_at_change = 0;
    }
  } else {
    MakeFifo(&o);
    o.ttl = o.periodic_compaction_seconds = 0;
  }
}

}  // namespace

Plan Plan::FromSeed(uint64_t seed) {
  Random64 random(seed);
  Plan plan;
  plan.seed = seed;
  plan.operations = 50 + random.Uniform(500);
  plan.think_nanos =
      OneOf<uint64_t>(&random, {0, kMillisecond, 20 * kMillisecond, 200 * kMillisecond});
  if (random.OneIn(3)) plan.disk = {1'000'000, 50'000, 10'000'000, 300'000};
  const uint64_t lives = 2 + random.Uniform(6);
  const uint64_t usual_nanos = plan.operations * (plan.think_nanos + kMillisecond);
  for (uint64_t i = 0; i < lives; ++i) {
    plan.lives.push_back(DrawLife(&random, usual_nanos, i + 1 == lives));
  }
  const uint64_t clients = 1 + random.Uniform(10);
  // Then several logs at once are not synced, and a power cut may take any of them.
  const bool nobody_syncs = random.OneIn(4);
  for (uint64_t i = 0; i < clients; ++i) {
    ClientPlan client;
    client.fiber = random.OneIn(2);
    client.without_log = random.OneIn(8);
    client.sync_one_in = nobody_syncs ? 0 : OneOf(&random, {0, 1, 5, 20, 100});
    client.late = random.OneIn(4);
    client.original = i;
    plan.clients.push_back(client);
  }
  plan.stall_one_in = OneOf<uint32_t>(&random, {0, 3, 30, 300});
  plan.families = OneOf(&random, {1, 1, 2, 3});
  plan.atomic_flush = plan.families > 1 && random.OneIn(3);
  plan.long_stall_one_in = OneOf<uint32_t>(&random, {0, 0, 100, 1000});
  for (LifePlan& life : plan.lives) {
    life.repair = random.OneIn(2);
    // Between two changes that belong together is the worst moment for their order.
    if (life.ending == Ending::kPowerCut && random.OneIn(3)) {
      life.cut_at_change = 1 + random.Uniform(random.OneIn(2) ? 12 : 200);
    }
    if (life.ending != Ending::kDamage && random.OneIn(4)) {
      life.recovery_cuts.resize(1 + random.Uniform(3));
      for (uint64_t& changes : life.recovery_cuts) changes = 1 + random.Uniform(12);
    }
  }
  plan.keys = random.OneIn(4) ? kFewKeys : kKeysOfAClient;
  plan.brief_snapshots = random.OneIn(3);
  if (random.OneIn(2)) {
    plan.long_stall_place_one_in = OneOf<uint32_t>(&random, {3, 6});
    plan.long_stall_one_in = OneOf<uint32_t>(&random, {4, 20});
    // A crowd: while one stays away for a second, memtables fill up with the same few keys, and are
    // flushed and compacted.
    if (random.OneIn(2)) {
      plan.long_stall_nanos = 1000 * kMillisecond;
      plan.think_nanos = 0;
      plan.keys = kFewKeys;
      for (ClientPlan& client : plan.clients) client.sync_one_in = OneOf(&random, {0, 100});
    }
  }
  const bool deep = random.OneIn(4);
  plan.kind = random.OneIn(6)   ? Plan::Kind::kRepairs
              : random.OneIn(8) ? Plan::Kind::kAlternatingStyles
              : random.OneIn(8) ? Plan::Kind::kFaults
                                : Plan::Kind::kMixed;
  if (plan.kind == Plan::Kind::kAlternatingStyles) {
    // An ingestion has many steps: with seconds for each a life takes a day.
    plan.long_stall_nanos = kUsualStallNanos;
  }
  if (plan.kind == Plan::Kind::kFaults) {
    plan.families = 3;
    plan.atomic_flush = false;
    // Some write before the fault and sync nothing, the others after it.
    for (ClientPlan& client : plan.clients) {
      client.sync_one_in = client.late ? OneOf(&random, {1, 5}) : 0;
    }
  }
  for (size_t i = 0; i < plan.lives.size(); ++i) {
    LifePlan& life = plan.lives[i];
    life.settle = random.OneIn(4);
    life.flush_at_fault = random.OneIn(2);
    const bool even = i % 2 == 0;
    if (deep || plan.kind == Plan::Kind::kAlternatingStyles ||
        (plan.kind == Plan::Kind::kRepairs && even)) {
      MakeDeep(&life);
    }
    switch (plan.kind) {
      case Plan::Kind::kMixed:
      case Plan::Kind::kTransactions:  // (not drawn here)
      case Plan::Kind::kTimestamps:
        break;
      case Plan::Kind::kRepairs:
        MakeRepaired(&random, &life);
        break;
      case Plan::Kind::kAlternatingStyles:
        AlternateStyle(&random, /*leveled=*/even, &life);
        break;
      case Plan::Kind::kFaults:
        MakeFaulty(&random, usual_nanos, &life);
        break;
    }
  }
  // (Logs that are there again after a repair are those of the database's directory.)
  plan.logs_elsewhere = plan.kind != Plan::Kind::kRepairs && random.OneIn(3);
  if (random.OneIn(4)) {
    plan.first_tables_bytes = OneOf<uint64_t>(&random, {0, 64 << 10, 512 << 10, 4 << 20});
  }
  if (random.OneIn(4)) plan.checksum_bytes = OneOf<uint32_t>(&random, {1, 2, 4, 8});
  plan.tracks_logs = random.OneIn(4);
  // (Not drawn from the same, so that older seeds play what they did.)
  plan.chains_logs = Random64(seed ^ 0xc4a15ed).OneIn(4);
  // (A repair, and FIFO style, have no use for a family's own.)
  const bool may_be_own =
      std::none_of(plan.lives.begin(), plan.lives.end(), [](const LifePlan& life) {
        return life.repair || life.options.compaction_style == kCompactionStyleFIFO;
      });
  plan.tables_by_family = plan.first_tables_bytes && may_be_own && random.OneIn(2);
  // (What damage does to a file depends on what stands there. Of a generator of its own, as above.)
  const bool damaged = std::any_of(plan.lives.begin(), plan.lives.end(), [](const LifePlan& life) {
    return life.ending == Ending::kDamage;
  });
  plan.encrypted = !damaged && Random64(seed ^ 0xe4c4e4c4).OneIn(3);
  Random64 tiers(seed ^ 0x71e271e2);
  for (LifePlan& life : plan.lives) MakeTiered(&tiers, &life);
  return plan;
}

Plan Plan::TransactionsFromSeed(uint64_t seed) {
  Plan plan = FromSeed(seed);
  Random64 random(~seed);
  plan.kind = Kind::kTransactions;
  // Lists grow with every write.
  plan.operations = 10 + random.Uniform(60);
  plan.keys = OneOf<uint64_t>(&random, {2, 6, 20});
  plan.think_nanos = OneOf<uint64_t>(&random, {0, kMillisecond, 20 * kMillisecond});
  plan.long_stall_nanos = kUsualStallNanos;
  const uint64_t usual_nanos = plan.operations * (plan.think_nanos + 5 * kMillisecond);
  for (LifePlan& life : plan.lives) {
    if (life.ending != Ending::kPowerCut) life.ending = Ending::kClose;
    life.length_nanos = random.Uniform(2 * usual_nanos);
    life.fault_at_nanos = 0;
    life.repair = false;
    life.options.write_buffer_size = OneOf<size_t>(&random, {4 << 10, 64 << 10});
    life.options.unordered_write = false;  // is refused
  }
  plan.write_policy = OneOf<int>(&random, {0, 0, 1, 2});
  plan.indexed = plan.write_policy == 0 && random.OneIn(3);
  return plan;
}

Plan Plan::TimestampsFromSeed(uint64_t seed) {
  Plan plan = FromSeed(seed);
  Random64 random(seed ^ 0x7153713e);
  plan.kind = Kind::kTimestamps;
  plan.tables_by_family = plan.encrypted = false;  // there are repairs
  plan.operations = 20 + random.Uniform(150);
  plan.keys = OneOf<uint64_t>(&random, {3, 12, 40});
  plan.think_nanos = OneOf<uint64_t>(&random, {0, kMillisecond, 20 * kMillisecond});
  plan.long_stall_nanos = kUsualStallNanos;
  const uint64_t usual_nanos = plan.operations * (plan.think_nanos + 2 * kMillisecond);
  for (ClientPlan& client : plan.clients) client.without_log = client.late = false;
  for (LifePlan& life : plan.lives) {
    if (life.ending != Ending::kPowerCut) life.ending = Ending::kClose;
    life.length_nanos = random.Uniform(2 * usual_nanos);
    life.fault_at_nanos = 0;
    life.repair = random.OneIn(3);
    Options& o = life.options;
    o.comparator = BytewiseComparatorWithU64Ts();
    o.write_buffer_size = OneOf<size_t>(&random, {4 << 10, 16 << 10, 64 << 10});
    o.unordered_write = false;
    if (random.OneIn(2)) MakeDeep(&life);
  }
  return plan;
}

Plan Plan::MemoryTimestampsFromSeed(uint64_t seed) {
  Plan plan = TimestampsFromSeed(seed);
  plan.persists_timestamps = false;
  plan.atomic_flush = false;  // is refused, as what follows
  for (LifePlan& life : plan.lives) {
    life.repair = false;
    life.options.persist_user_defined_timestamps = false;
    life.options.allow_concurrent_memtable_write = false;
    life.options.enable_blob_files = false;
  }
  return plan;
}

std::string Plan::Describe() const {
  std::string text = "seed " + std::to_string(seed) + ": " + std::to_string(clients.size()) +
                     " clients, " + std::to_string(operations) + " operations of each in each of " +
                     std::to_string(lives.size()) + " lives\n";
  if (families > 1) {
    text += std::to_string(families) + " column families" +
            (atomic_flush ? ", flushed together\n" : "\n");
  }
  if (kind == Kind::kRepairs) text += "most lives end by a repair\n";
  if (kind == Kind::kTransactions) {
    text += "transactions, write policy " + std::to_string(write_policy) +
            (indexed ? ", with a secondary index\n" : "\n");
  }
  if (kind == Kind::kTimestamps) {
    text += persists_timestamps ? "user-defined timestamps\n"
                                : "user-defined timestamps, which tables do not keep\n";
  }
  if (kind == Kind::kFaults) text += "in most lives the log fails\n";
  if (kind == Kind::kAlternatingStyles) text += "leveled compaction and FIFO alternate\n";
  if (logs_elsewhere) text += "the logs are in another directory\n";
  if (first_tables_bytes) {
    text += "the tables are in two directories, the first of " +
            std::to_string(*first_tables_bytes) + " bytes" +
            (tables_by_family ? ", as each family's own\n" : "\n");
  }
  if (encrypted) text += "the files are encrypted\n";
  if (tracks_logs) text += "the MANIFEST tells of the logs that are synced\n";
  if (chains_logs) text += "each log tells of the one before it\n";
  if (checksum_bytes != 0) {
    text += "entries in memory have checksums of " + std::to_string(checksum_bytes) + " bytes\n";
  }
  if (brief_snapshots) text += "snapshots are brief\n";
  if (keys != kKeysOfAClient) text += std::to_string(keys) + " keys of each client\n";
  if (long_stall_place_one_in != 0) {
    text += "one place in " + std::to_string(long_stall_place_one_in) + " is slow\n";
  }
  for (size_t i = 0; i < lives.size(); ++i) {
    const LifePlan& life = lives[i];
    text += "life " + std::to_string(i) + ": ends by ";
    text += life.ending == Ending::kClose      ? (life.repair ? "close, then repair" : "close")
            : life.ending == Ending::kPowerCut ? "power cut"
                                               : "close, then a bit flips";
    if (life.fault_at_nanos != 0) {
      text += life.fill              ? ", the disk is full"
              : life.fail_reads != 0 ? ", reads fail"
                                     : ", writes fail";
      text += " for " + std::to_string(life.fault_nanos / kMillisecond) + " ms";
      if (life.spare_logs && life.fail_reads == 0) text += ", but not of logs";
      if (life.shortage) text += ", a shortage";
      if (life.resume) text += ", Resume";
      if (life.flush_at_fault) text += ", flushed before";
    }
    if (life.cut_at_change != 0) {
      text += ", at the latest behind change " + std::to_string(life.cut_at_change);
    }
    if (life.settle && life.ending != Ending::kPowerCut) text += ", settled";
    for (const uint64_t changes : life.recovery_cuts) {
      text += ", recovery cut behind change " + std::to_string(changes);
    }
    text += "; " + life.told + "\n";
  }
  for (size_t i = 0; i < clients.size(); ++i) {
    text += "client " + std::to_string(i) + ": " + (clients[i].fiber ? "fiber" : "thread") +
            std::string(clients[i].late ? ", late" : "") +
            (clients[i].without_log ? ", no log" : "") + ", sync one in " +
            std::to_string(clients[i].sync_one_in) + "\n";
  }
  return text;
}

std::string Plan::Reduction() const {
  std::string text = "lives " + std::to_string(lives.size()) + "\noperations " +
                     std::to_string(operations) + "\nclients";
  for (const ClientPlan& client : clients) text += " " + std::to_string(client.original);
  text += "\nskipped";
  for (const auto& [client, number] : skipped) {
    text += " " + std::to_string(client) + ":" + std::to_string(number);
  }
  return text + "\n";
}

bool Plan::ApplyReduction(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    size_t number = 0;
    if (name == "lives" && words >> number && number >= 1 && number <= lives.size()) {
      lives.resize(number);
    } else if (name == "operations" && words >> number) {
      operations = number;
    } else if (name == "clients") {
      std::vector<ClientPlan> kept;
      while (words >> number) {
        if (number >= clients.size()) return false;
        kept.push_back(clients[number]);
      }
      clients = kept;
    } else if (name == "skipped") {
      int client = 0;
      char colon = 0;
      while (words >> client >> colon >> number) skipped.emplace(client, number);
    } else if (!name.empty()) {
      return false;
    }
  }
  return !clients.empty();
}

}  // namespace cairn::sim
