#include "sim/life_options.h"

#include "rocksdb/persistent_cache.h"
#include "rocksdb/rate_limiter.h"
#include "rocksdb/table.h"

namespace cairn::sim {

rocksdb::Options OptionsOfLife(const Plan& plan, const LifePlan& life, rocksdb::Env* env,
                               bool begins_life, std::shared_ptr<rocksdb::Cache>* cache) {
  rocksdb::Options options = life.options;
  options.env = env;
  auto table = *options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  options.create_missing_column_families = true;
  options.atomic_flush = plan.atomic_flush;
  options.memtable_protection_bytes_per_key = plan.checksum_bytes;
  options.track_and_verify_wals_in_manifest = plan.tracks_logs;
  options.track_and_verify_wals = plan.chains_logs;
  if (plan.logs_elsewhere) options.wal_dir = kLogs;
  if (plan.first_tables_bytes) {
    auto& paths = plan.tables_by_family ? options.cf_paths : options.db_paths;
    paths = {{kTables[0], *plan.first_tables_bytes}, {kTables[1], UINT64_MAX}};
  }
  // Logs are recycled in this mode alone. It passes over damage, so it is not for what a power cut
  // left: that, recycled logs and all, is recovered to a point in time.
  if (begins_life && options.recycle_log_file_num != 0) {
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
  }
  if (options.atomic_flush) options.enable_pipelined_write = false;  // are refused together
  std::shared_ptr<rocksdb::SecondaryCache> second;
  if (life.second_cache_bytes != 0) {
    second = rocksdb::NewCompressedSecondaryCache(life.second_cache_bytes, 0);
  }
  if (life.clock_cache) {
    rocksdb::HyperClockCacheOptions made(life.cache_bytes, 1024, 0);
    made.secondary_cache = second;
    table.block_cache = made.MakeSharedCache();
  } else {
    rocksdb::LRUCacheOptions made;
    made.capacity = life.cache_bytes;
    made.num_shard_bits = 0;
    made.secondary_cache = second;
    table.block_cache = rocksdb::NewLRUCache(made);
  }
  if (life.persistent_cache_bytes != 0) {
    // Where the disk does not take it there is none.
    rocksdb::NewPersistentCache(env, kFastDisk, life.persistent_cache_bytes, nullptr,
                                /*optimized_for_nvm=*/false, &table.persistent_cache)
        .PermitUncheckedError();
  }
  // (Is refused with it.)
  if (!options.persist_user_defined_timestamps) table.user_defined_index_factory = nullptr;
  *cache = table.block_cache;
  if (life.blob_cache) options.blob_cache = table.block_cache;
  if (life.rate != 0) options.rate_limiter.reset(rocksdb::NewGenericRateLimiter(life.rate));
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

}  // namespace cairn::sim
