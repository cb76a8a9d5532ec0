// The names of ldb's options.
#include <string>

#include "base/never_destroyed.h"
#include "rocksdb/utilities/ldb_cmd.h"

namespace ROCKSDB_NAMESPACE {

const char* const LDBCommand::DELIM = " ==> ";

CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_ENV_URI = "env_uri";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_FS_URI = "fs_uri";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_DB = "db";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_PATH = "path";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_SECONDARY_PATH = "secondary_path";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_HEX = "hex";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_KEY_HEX = "key_hex";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_VALUE_HEX = "value_hex";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_CF_NAME = "column_family";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_TTL = "ttl";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_TTL_START = "start_time";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_TTL_END = "end_time";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_TIMESTAMP = "timestamp";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_READ_TIMESTAMP = "read_timestamp";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_TRY_LOAD_OPTIONS = "try_load_options";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_DISABLE_CONSISTENCY_CHECKS =
    "disable_consistency_checks";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_IGNORE_UNKNOWN_OPTIONS =
    "ignore_unknown_options";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_FROM = "from";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_TO = "to";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_MAX_KEYS = "max_keys";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_BLOOM_BITS = "bloom_bits";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_FIX_PREFIX_LEN = "fix_prefix_len";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_COMPRESSION_TYPE = "compression_type";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_COMPRESSION_MAX_DICT_BYTES =
    "compression_max_dict_bytes";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_BLOCK_SIZE = "block_size";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_AUTO_COMPACTION = "auto_compaction";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_DB_WRITE_BUFFER_SIZE =
    "db_write_buffer_size";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_WRITE_BUFFER_SIZE = "write_buffer_size";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_FILE_SIZE = "file_size";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_CREATE_IF_MISSING = "create_if_missing";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_NO_VALUE = "no_value";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_ENABLE_BLOB_FILES = "enable_blob_files";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_MIN_BLOB_SIZE = "min_blob_size";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_BLOB_FILE_SIZE = "blob_file_size";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_BLOB_COMPRESSION_TYPE =
    "blob_compression_type";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_ENABLE_BLOB_GARBAGE_COLLECTION =
    "enable_blob_garbage_collection";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_BLOB_GARBAGE_COLLECTION_AGE_CUTOFF =
    "blob_garbage_collection_age_cutoff";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_BLOB_GARBAGE_COLLECTION_FORCE_THRESHOLD =
    "blob_garbage_collection_force_threshold";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_BLOB_COMPACTION_READAHEAD_SIZE =
    "blob_compaction_readahead_size";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_BLOB_FILE_STARTING_LEVEL =
    "blob_file_starting_level";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_PREPOPULATE_BLOB_CACHE =
    "prepopulate_blob_cache";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_DECODE_BLOB_INDEX = "decode_blob_index";
CAIRN_NEVER_DESTROYED const std::string LDBCommand::ARG_DUMP_UNCOMPRESSED_BLOBS =
    "dump_uncompressed_blobs";

}  // namespace ROCKSDB_NAMESPACE
