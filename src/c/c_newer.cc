// The C interface: what RocksDB's has since release 11.
#include "c/c_transaction_objects.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/sst_partitioner.h"
#include "rocksdb/table_properties.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API
using cairn::Report;

struct rocksdb_sst_partitioner_factory_t {
  std::shared_ptr<SstPartitionerFactory> rep;
};
struct rocksdb_file_checksum_gen_factory_t {
  std::shared_ptr<FileChecksumGenFactory> rep;
};
struct rocksdb_flushwaloptions_t {
  FlushWALOptions rep;
};

extern "C" {

void rocksdb_verify_checksum(rocksdb_t* db, char** errptr) {
  Report(errptr, db->rep->VerifyChecksum());
}
void rocksdb_verify_checksum_with_options(rocksdb_t* db, const rocksdb_readoptions_t* options,
                                          char** errptr) {
  Report(errptr, db->rep->VerifyChecksum(options->rep));
}
void rocksdb_pause_background_work(rocksdb_t* db, char** errptr) {
  Report(errptr, db->rep->PauseBackgroundWork());
}
void rocksdb_continue_background_work(rocksdb_t* db, char** errptr) {
  Report(errptr, db->rep->ContinueBackgroundWork());
}

CAIRN_C_OPTION(options, unsigned char, flush_verify_memtable_count)
CAIRN_C_OPTION(options, unsigned char, strict_bytes_per_sync)
CAIRN_C_OPTION(options, uint64_t, delayed_write_rate)
CAIRN_C_OPTION(options, uint64_t, max_write_batch_group_size_bytes)
CAIRN_C_OPTION(options, unsigned char, avoid_flush_during_shutdown)
CAIRN_C_OPTION(options, int, max_bgerror_resume_count)
CAIRN_C_OPTION(options, uint64_t, bgerror_resume_retry_interval)
CAIRN_C_OPTION(options, unsigned char, paranoid_file_checks)
CAIRN_C_OPTION(options, uint64_t, sample_for_compression)

CAIRN_C_OPTION(options, unsigned char, open_files_async)

CAIRN_C_OPTION(fifo_compaction_options, uint64_t, max_data_files_size)

CAIRN_C_OPTION(readoptions, uint64_t, value_size_soft_limit)
CAIRN_C_OPTION(readoptions, unsigned char, optimize_multiget_for_io)
CAIRN_C_OPTION(readoptions, unsigned char, auto_prefix_mode)
CAIRN_C_OPTION(readoptions, unsigned char, adaptive_readahead)
CAIRN_C_OPTION(readoptions, int, rate_limiter_priority)

CAIRN_C_OPTION(writeoptions, int, rate_limiter_priority)

CAIRN_C_GETTER(readoptions, unsigned char, auto_readahead_size)

CAIRN_C_TABLE_OPTION(int, index_block_search_type)
CAIRN_C_TABLE_OPTION(double, data_block_hash_table_util_ratio)
CAIRN_C_TABLE_OPTION(unsigned char, verify_compression)
CAIRN_C_TABLE_OPTION(unsigned char, enable_index_compression)
CAIRN_C_TABLE_OPTION(int, index_shortening)
CAIRN_C_TABLE_OPTION(size_t, initial_auto_readahead_size)
CAIRN_C_TABLE_OPTION(size_t, max_auto_readahead_size)
CAIRN_C_TABLE_OPTION(uint64_t, num_file_reads_for_auto_readahead)

const char* rocksdb_options_get_db_log_dir(rocksdb_options_t* o, size_t* size) {
  *size = o->rep.db_log_dir.size();
  return o->rep.db_log_dir.data();
}
const char* rocksdb_options_get_wal_dir(rocksdb_options_t* o, size_t* size) {
  *size = o->rep.wal_dir.size();
  return o->rep.wal_dir.data();
}
void rocksdb_options_set_db_host_id(rocksdb_options_t* o, const char* v) { o->rep.db_host_id = v; }
const char* rocksdb_options_get_db_host_id(rocksdb_options_t* o, size_t* size) {
  *size = o->rep.db_host_id.size();
  return o->rep.db_host_id.data();
}
CAIRN_C_OPTION(options, unsigned char, persist_user_defined_timestamps)

rocksdb_sst_partitioner_factory_t* rocksdb_sst_partitioner_fixed_prefix_factory_create(
    size_t prefix_len) {
  return new rocksdb_sst_partitioner_factory_t{NewSstPartitionerFixedPrefixFactory(prefix_len)};
}
void rocksdb_sst_partitioner_factory_destroy(rocksdb_sst_partitioner_factory_t* factory) {
  delete factory;
}
void rocksdb_options_set_sst_partitioner_factory(rocksdb_options_t* o,
                                                 rocksdb_sst_partitioner_factory_t* factory) {
  if (factory != nullptr) o->rep.sst_partitioner_factory = factory->rep;
}

rocksdb_file_checksum_gen_factory_t* rocksdb_file_checksum_gen_crc32c_factory_create() {
  return new rocksdb_file_checksum_gen_factory_t{GetFileChecksumGenCrc32cFactory()};
}
void rocksdb_file_checksum_gen_factory_destroy(rocksdb_file_checksum_gen_factory_t* factory) {
  delete factory;
}
void rocksdb_options_set_file_checksum_gen_factory(rocksdb_options_t* o,
                                                   rocksdb_file_checksum_gen_factory_t* factory) {
  if (factory != nullptr) o->rep.file_checksum_gen_factory = factory->rep;
}

void rocksdb_readoptions_set_table_filter(rocksdb_readoptions_t* o, void* state,
                                          void (*destructor)(void*),
                                          rocksdb_readoptions_table_filter_cb table_filter) {
  // Iterators copy the filter, and may outlive the options.
  const std::shared_ptr<void> owner(state, [destructor](void* of) {
    if (destructor != nullptr) destructor(of);
  });
  o->rep.table_filter = nullptr;
  if (table_filter == nullptr) return;
  o->rep.table_filter = [owner, table_filter](const TableProperties& props) {
    return table_filter(owner.get(), reinterpret_cast<const rocksdb_table_properties_t*>(&props)) !=
           0;
  };
}
void rocksdb_readoptions_clear_table_filter(rocksdb_readoptions_t* o) {
  o->rep.table_filter = nullptr;
}
unsigned char rocksdb_readoptions_has_table_filter(const rocksdb_readoptions_t* o) {
  return o->rep.table_filter ? 1 : 0;
}

rocksdb_flushwaloptions_t* rocksdb_flushwaloptions_create() {
  return new rocksdb_flushwaloptions_t;
}
void rocksdb_flushwaloptions_destroy(rocksdb_flushwaloptions_t* o) { delete o; }
CAIRN_C_OPTION(flushwaloptions, unsigned char, sync)
CAIRN_C_OPTION(flushwaloptions, int, rate_limiter_priority)
void rocksdb_flush_wal_with_options(rocksdb_t* db, const rocksdb_flushwaloptions_t* options,
                                    char** errptr) {
  Report(errptr, db->rep->FlushWAL(options->rep));
}
void rocksdb_transactiondb_flush_wal_with_options(rocksdb_transactiondb_t* txn_db,
                                                  const rocksdb_flushwaloptions_t* options,
                                                  char** errptr) {
  Report(errptr, txn_db->rep->FlushWAL(options->rep));
}

}  // extern "C"
