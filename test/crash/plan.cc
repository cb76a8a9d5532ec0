#include "crash/plan.h"

#include "base/random.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"

namespace cairn::crash {

namespace {

void Widen(uint64_t seed, uint64_t life, const std::string& db, Plan* plan) {
  Options& o = plan->options;
  // The same in all lives of a database.
  Random64 fixed(seed * 7919 + 5);
  const uint64_t families = 1 + fixed.Uniform(3);
  for (uint64_t i = 1; i < families; ++i) plan->families.push_back("family" + std::to_string(i));
  if (fixed.OneIn(3)) o.wal_dir = db + "-wal";

  Random64 random(seed * 31337 + life);
  o.create_missing_column_families = true;
  // Without the log families agree after a crash only if they are flushed together.
  o.atomic_flush = families > 1 && (!plan->log() || random.OneIn(3));
  if (o.atomic_flush) o.enable_pipelined_write = false;
  o.bgerror_resume_retry_interval = 20'000;
  if (random.OneIn(4)) o.WAL_ttl_seconds = 1;
  o.allow_fallocate = !random.OneIn(3);
  plan->checkpoints = random.OneIn(2);
}

}  // namespace

Plan DrawPlan(uint64_t seed, uint64_t life, const std::string& durability, bool wide,
              const std::string& db) {
  Random64 random(seed * 1000003 + life);
  Plan plan;
  plan.families = {kDefaultColumnFamilyName};
  plan.durability = static_cast<Durability>(random.Uniform(4));
  for (int i = 0; i < 4; ++i) {
    if (durability == kDurabilityNames[i]) plan.durability = static_cast<Durability>(i);
  }
  const uint64_t sync_one_in[] = {1, 3, 20, 100};
  plan.sync_one_in = plan.durability == Durability::kSync     ? sync_one_in[random.Uniform(4)]
                     : plan.durability == Durability::kManual ? 50
                                                              : 0;
  plan.fibers = random.OneIn(2);
  plan.pause_micros = random.OneIn(2) ? 5'000 : 100'000;
  Options& o = plan.options;
  o.create_if_missing = true;
  o.write_buffer_size = random.OneIn(2) ? 64 << 10 : 512 << 10;
  o.max_write_buffer_number = static_cast<int>(2 + random.Uniform(3));
  o.target_file_size_base = 64 << 10;
  o.max_bytes_for_level_base = 128 << 10;
  o.level0_file_num_compaction_trigger = static_cast<int>(1 + random.Uniform(4));
  o.max_background_jobs = static_cast<int>(1 + random.Uniform(4));
  o.max_subcompactions = static_cast<uint32_t>(1 + random.Uniform(3));
  if (random.OneIn(4)) o.compaction_style = kCompactionStyleUniversal;
  o.compression = random.OneIn(2) ? kNoCompression : kLZ4Compression;
  o.enable_pipelined_write = random.OneIn(3);
  o.allow_concurrent_memtable_write = random.OneIn(2);
  o.manual_wal_flush = plan.durability == Durability::kManual;
  o.recycle_log_file_num = random.Uniform(3);
  o.wal_bytes_per_sync = random.OneIn(3) ? 16 << 10 : 0;
  o.bytes_per_sync = random.OneIn(3) ? 16 << 10 : 0;
  o.max_total_wal_size = random.OneIn(4) ? 200 << 10 : 0;
  o.avoid_flush_during_recovery = random.OneIn(3);
  o.avoid_flush_during_shutdown = random.OneIn(4);
  o.max_manifest_file_size = random.OneIn(3) ? 2000 : uint64_t{1} << 30;
  o.max_open_files = random.OneIn(3) ? 20 : -1;
  o.use_direct_io_for_flush_and_compaction = random.OneIn(4);
  o.use_direct_reads = random.OneIn(6);
  o.use_fsync = random.OneIn(4);
  o.paranoid_file_checks = random.OneIn(4);
  BlockBasedTableOptions table;
  table.block_size = 1024;
  if (random.OneIn(2)) table.filter_policy.reset(NewBloomFilterPolicy(10));
  o.table_factory.reset(NewBlockBasedTableFactory(table));
  if (Random64(seed ^ life ^ 0x10910910).OneIn(5)) o.wal_compression = kZSTD;
  if (wide) Widen(seed, life, db, &plan);
  return plan;
}

void AddBlobs(uint64_t seed, uint64_t life, Options* options) {
  Random64 random(seed * 15485863 + life);
  options->enable_blob_files = !random.OneIn(8);  // (those that are there stay)
  options->min_blob_size = random.Uniform(200);
  options->blob_file_size = (8 << 10) << random.Uniform(5);
  options->enable_blob_garbage_collection = !random.OneIn(4);
  options->blob_garbage_collection_age_cutoff = random.OneIn(2) ? 1.0 : 0.5;
  options->blob_garbage_collection_force_threshold = random.OneIn(2) ? 0.3 : 1.0;
  if (random.OneIn(3)) options->blob_compression_type = kLZ4Compression;
}

size_t FamilyOf(const std::string& key, size_t families) {
  uint64_t sum = 0;
  for (const char c : key) sum = sum * 31 + static_cast<unsigned char>(c);
  return sum % families;
}

}  // namespace cairn::crash
