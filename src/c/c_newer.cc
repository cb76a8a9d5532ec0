// The C interface: what RocksDB's has since release 11.
#include "c/c_objects.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API
using cairn::Report;

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

}  // extern "C"
