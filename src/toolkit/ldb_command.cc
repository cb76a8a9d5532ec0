// What all commands of ldb have in common: their command line, and how the database is opened.
#include <cctype>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/builtin_merge_operator.h"
#include "base/string_util.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/ldb_cmd.h"
#include "rocksdb/utilities/options_util.h"
#include "toolkit/console.h"
#include "toolkit/database_use.h"

namespace ROCKSDB_NAMESPACE {
namespace {

using Result = LDBCommandExecuteResult;

struct NamedCompression {
  const char* name;
  CompressionType type;
};
constexpr NamedCompression kCompressions[] = {
    {"no", kNoCompression},         {"snappy", kSnappyCompression},
    {"zlib", kZlibCompression},     {"bzip2", kBZip2Compression},
    {"lz4", kLZ4Compression},       {"lz4hc", kLZ4HCCompression},
    {"xpress", kXpressCompression}, {"zstd", kZSTD},
};

// Merge operands that nobody here knows how to merge can at least be seen.
std::shared_ptr<MergeOperator> AnyMergeOperator() {
  return cairn::BuiltinMergeOperator("stringappend", ":");
}

bool Contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

LDBCommand::LDBCommand(const std::map<std::string, std::string>& options,
                       const std::vector<std::string>& flags, bool is_read_only,
                       const std::vector<std::string>& valid_cmd_line_options)
    : is_read_only_(is_read_only),
      option_map_(options),
      flags_(flags),
      valid_cmd_line_options_(valid_cmd_line_options) {
  ParseStringOption(options, ARG_DB, &db_path_);
  ParseStringOption(options, ARG_ENV_URI, &env_uri_);
  ParseStringOption(options, ARG_FS_URI, &fs_uri_);
  ParseStringOption(options, ARG_SECONDARY_PATH, &secondary_path_);
  column_family_name_ = kDefaultColumnFamilyName;
  ParseStringOption(options, ARG_CF_NAME, &column_family_name_);
  const bool hex = IsFlagPresent(flags, ARG_HEX) || ParseBooleanOption(options, ARG_HEX, false);
  is_key_hex_ =
      hex || IsFlagPresent(flags, ARG_KEY_HEX) || ParseBooleanOption(options, ARG_KEY_HEX, false);
  is_value_hex_ = hex || IsFlagPresent(flags, ARG_VALUE_HEX) ||
                  ParseBooleanOption(options, ARG_VALUE_HEX, false);
  is_db_ttl_ = IsFlagPresent(flags, ARG_TTL);
  timestamp_ = IsFlagPresent(flags, ARG_TIMESTAMP);
  // A database that is to be made has no OPTIONS file yet; those of one with TTL would not do.
  const bool has_options =
      !db_path_.empty() && !IsFlagPresent(flags, ARG_CREATE_IF_MISSING) && !is_db_ttl_;
  try_load_options_ = IsFlagPresent(flags, ARG_TRY_LOAD_OPTIONS) ||
                      ParseBooleanOption(options, ARG_TRY_LOAD_OPTIONS, has_options);
  force_consistency_checks_ = !IsFlagPresent(flags, ARG_DISABLE_CONSISTENCY_CHECKS);
  enable_blob_files_ = IsFlagPresent(flags, ARG_ENABLE_BLOB_FILES);
  enable_blob_garbage_collection_ = IsFlagPresent(flags, ARG_ENABLE_BLOB_GARBAGE_COLLECTION);
  config_options_.ignore_unknown_options =
      IsFlagPresent(flags, ARG_IGNORE_UNKNOWN_OPTIONS) ||
      ParseBooleanOption(options, ARG_IGNORE_UNKNOWN_OPTIONS, false);
}

LDBCommand::~LDBCommand() { CloseDB(); }

LDBCommand* LDBCommand::InitFromCmdLineArgs(
    int argc, char const* const* argv, const Options& options, const LDBOptions& ldb_options,
    const std::vector<ColumnFamilyDescriptor>* column_families) {
  const std::vector<std::string> args(argv + std::min(argc, 1), argv + argc);
  return InitFromCmdLineArgs(args, options, ldb_options, column_families, SelectCommand);
}

LDBCommand* LDBCommand::InitFromCmdLineArgs(
    const std::vector<std::string>& args, const Options& options, const LDBOptions& ldb_options,
    const std::vector<ColumnFamilyDescriptor>* column_families,
    const std::function<LDBCommand*(const ParsedParams&)>& selector) {
  ParsedParams params;
  std::vector<std::string> words;
  for (const std::string& arg : args) {
    if (!Slice(arg).starts_with("--")) {
      words.push_back(arg);
      continue;
    }
    const size_t equals = arg.find('=');
    if (equals == std::string::npos || equals + 1 == arg.size()) {
      params.flags.push_back(arg.substr(2, equals - 2));
    } else {
      params.option_map[arg.substr(2, equals - 2)] = arg.substr(equals + 1);
    }
  }
  if (words.empty()) {
    cairn::PrintError("Command not specified!");
    return nullptr;
  }
  params.cmd = words.front();
  params.cmd_params.assign(words.begin() + 1, words.end());
  LDBCommand* const command = selector(params);
  if (command != nullptr) {
    command->SetDBOptions(options);
    command->SetLDBOptions(ldb_options);
    if (column_families != nullptr) command->SetColumnFamilies(column_families);
  }
  return command;
}

bool LDBCommand::ValidateCmdLineOptions() {
  for (const auto& [name, value] : option_map_) {
    if (!Contains(valid_cmd_line_options_, name)) {
      cairn::PrintError("Invalid command-line option %s\n", name.c_str());
      return false;
    }
  }
  for (const std::string& flag : flags_) {
    if (!Contains(valid_cmd_line_options_, flag)) {
      cairn::PrintError("Invalid command-line flag %s\n", flag.c_str());
      return false;
    }
  }
  if (!NoDBOpen() && option_map_.count(ARG_DB) == 0 && option_map_.count(ARG_PATH) == 0) {
    cairn::PrintError("Either %s or %s must be specified.\n", ARG_DB.c_str(), ARG_PATH.c_str());
    return false;
  }
  return true;
}

void LDBCommand::Run() {
  if (!exec_state_.IsNotStarted()) return;
  if (options_.env == nullptr || options_.env == Env::Default()) {
    Env* env = Env::Default();
    ConfigOptions strict = config_options_;
    strict.ignore_unsupported_options = false;  // not the usual files in place of those asked for
    const Status s = Env::CreateFromUri(strict, env_uri_, fs_uri_, &env, &env_guard_);
    if (!s.ok()) {
      exec_state_ = Result::Failed(s.ToString());
      return;
    }
    options_.env = env;
  }
  if (db_ == nullptr && !NoDBOpen()) OpenDB();
  if (!exec_state_.IsNotStarted()) return;
  DoCommand();
  if (exec_state_.IsNotStarted()) exec_state_ = Result::Succeed("");
  CloseDB();
}

void LDBCommand::OpenDB() {
  PrepareOptions();
  if (!exec_state_.IsNotStarted()) return;
  if (column_families_.empty() && options_.merge_operator == nullptr) {
    options_.merge_operator = AnyMergeOperator();
  }
  // Before the opening, which would make the directory, or move the LOG of whoever has it open.
  Status s;
  if (!options_.create_if_missing) s = cairn::CheckExists(options_.env, db_path_);
  if (s.ok() && !is_read_only_ && secondary_path_.empty()) {
    s = cairn::CheckUnused(options_.env, db_path_);
  }
  if (!s.ok()) {
    exec_state_ = Result::Failed(s.ToString());
    return;
  }
  std::vector<ColumnFamilyHandle*> handles;
  if (is_db_ttl_) {
    OpenWithTtl();
  } else {
    OpenPlain(&handles);
  }
  if (!exec_state_.IsNotStarted()) return;
  for (size_t i = 0; i < handles.size(); ++i) {
    cf_handles_[column_families_[i].name] = handles[i];
  }
  const bool found = cf_handles_.empty() ? column_family_name_ == kDefaultColumnFamilyName
                                         : cf_handles_.count(column_family_name_) != 0;
  if (!found) {
    exec_state_ = Result::Failed("Non-existing column family " + column_family_name_);
    CloseDB();
  }
}

void LDBCommand::OpenWithTtl() {
  if (!secondary_path_.empty()) {
    exec_state_ = Result::Failed("Open as secondary is not supported for TTL DB yet.");
    return;
  }
  if (!column_families_.empty() || column_family_name_ != kDefaultColumnFamilyName) {
    exec_state_ = Result::Failed("ldb doesn't support TTL DB with multiple column families");
    return;
  }
  const Status s = DBWithTTL::Open(options_, db_path_, &db_ttl_, /*ttl=*/0, is_read_only_);
  if (!s.ok()) exec_state_ = Result::Failed(s.ToString());
  db_ = db_ttl_;
}

void LDBCommand::OpenPlain(std::vector<ColumnFamilyHandle*>* handles) {
  Status s;
  const bool one = column_families_.empty();
  if (!secondary_path_.empty()) {
    s = one ? DB::OpenAsSecondary(options_, db_path_, secondary_path_, &db_)
            : DB::OpenAsSecondary(options_, db_path_, secondary_path_, column_families_, handles,
                                  &db_);
  } else if (is_read_only_) {
    s = one ? DB::OpenForReadOnly(options_, db_path_, &db_)
            : DB::OpenForReadOnly(options_, db_path_, column_families_, handles, &db_);
  } else {
    s = one ? DB::Open(options_, db_path_, &db_)
            : DB::Open(options_, db_path_, column_families_, handles, &db_);
  }
  if (!s.ok()) {
    db_ = nullptr;
    exec_state_ = Result::Failed(s.ToString());
  }
}

void LDBCommand::CloseDB() {
  if (db_ == nullptr) return;
  for (const auto& [name, handle] : cf_handles_) delete handle;
  cf_handles_.clear();
  const Status s = db_->Close();
  if (!s.ok() && !exec_state_.IsFailed()) {
    exec_state_ = Result::Failed("Closing the database failed: " + s.ToString());
  }
  delete db_;
  db_ = nullptr;
  db_ttl_ = nullptr;
}

ColumnFamilyHandle* LDBCommand::GetCfHandle() {
  const auto found = cf_handles_.find(column_family_name_);
  return found == cf_handles_.end() ? db_->DefaultColumnFamily() : found->second;
}

void LDBCommand::LoadOptions() {
  config_options_.env = options_.env;
  std::vector<ColumnFamilyDescriptor> families;
  const Status s = LoadLatestOptions(config_options_, db_path_, &options_, &families);
  if (s.IsNotFound()) return;
  if (!s.ok()) {
    exec_state_ = Result::Failed(s.ToString());
    return;
  }
  options_.env = config_options_.env;
  if (!options_.wal_dir.empty() && options_.env->FileExists(options_.wal_dir).IsNotFound()) {
    options_.wal_dir = db_path_;
    cairn::PrintError("wal_dir loaded from the option file doesn't exist. Ignore it.\n");
  }
  if (!column_families_.empty()) return;  // the caller's own
  column_families_ = std::move(families);
  for (ColumnFamilyDescriptor& family : column_families_) {
    // An OPTIONS file knows them by name only.
    if (options_.comparator != nullptr && options_.comparator != BytewiseComparator()) {
      family.options.comparator = options_.comparator;
    }
    if (family.options.merge_operator == nullptr) {
      family.options.merge_operator =
          options_.merge_operator != nullptr ? options_.merge_operator : AnyMergeOperator();
    }
  }
}

void LDBCommand::PrepareOptions() {
  if (!create_if_missing_ && try_load_options_) {
    LoadOptions();
    if (exec_state_.IsFailed()) return;
  }
  OverrideBaseOptions();
  if (exec_state_.IsFailed()) return;
  if (!column_families_.empty()) {
    const auto family = std::find_if(
        column_families_.begin(), column_families_.end(),
        [&](const ColumnFamilyDescriptor& each) { return each.name == column_family_name_; });
    if (family == column_families_.end()) {
      exec_state_ = Result::Failed("Non-existing column family " + column_family_name_);
      return;
    }
    OverrideBaseCFOptions(&family->options);
    return;
  }
  // Whether there is a database at all is for the opening to say.
  std::vector<std::string> names;
  if (!DB::ListColumnFamilies(options_, db_path_, &names).ok() || names.size() <= 1) return;
  for (const std::string& name : names) column_families_.emplace_back(name, options_);
}

void LDBCommand::OverrideBaseOptions() {
  options_.create_if_missing = false;
  int value;
  if (ParseInRange(ARG_DB_WRITE_BUFFER_SIZE, 0, INT_MAX, " must be >= 0.", &value)) {
    options_.db_write_buffer_size = static_cast<size_t>(value);
  }
  OverrideBaseCFOptions(&options_);
}

void LDBCommand::OverrideBaseCFOptions(ColumnFamilyOptions* cf_opts) {
  cf_opts->force_consistency_checks = force_consistency_checks_;
  int value;
  BlockBasedTableOptions table;
  bool has_table = false;
  if (ParseInRange(ARG_BLOOM_BITS, 1, INT_MAX, " must be > 0.", &value)) {
    has_table = true;
    table.filter_policy.reset(NewBloomFilterPolicy(value));
  }
  if (ParseInRange(ARG_BLOCK_SIZE, 1, INT_MAX, " must be > 0.", &value)) {
    has_table = true;
    table.block_size = static_cast<size_t>(value);
  }
  if (has_table) cf_opts->table_factory.reset(NewBlockBasedTableFactory(table));
  if (option_map_.count(ARG_AUTO_COMPACTION) != 0) {
    cf_opts->disable_auto_compactions =
        !ParseBooleanOption(option_map_, ARG_AUTO_COMPACTION, !cf_opts->disable_auto_compactions);
  }
  ParseCompressionTypeOption(option_map_, ARG_COMPRESSION_TYPE, cf_opts->compression, exec_state_);
  if (ParseInRange(ARG_COMPRESSION_MAX_DICT_BYTES, 0, INT_MAX, " must be >= 0.", &value)) {
    cf_opts->compression_opts.max_dict_bytes = static_cast<uint32_t>(value);
  }
  if (ParseInRange(ARG_WRITE_BUFFER_SIZE, 1, INT_MAX, " must be > 0.", &value)) {
    cf_opts->write_buffer_size = static_cast<size_t>(value);
  }
  if (ParseInRange(ARG_FILE_SIZE, 1, INT_MAX, " must be > 0.", &value)) {
    cf_opts->target_file_size_base = static_cast<uint64_t>(value);
  }
  if (ParseInRange(ARG_FIX_PREFIX_LEN, 1, INT_MAX, " must be > 0.", &value)) {
    cf_opts->prefix_extractor.reset(NewFixedPrefixTransform(static_cast<size_t>(value)));
  }
  OverrideBlobOptions(cf_opts);
}

void LDBCommand::OverrideBlobOptions(ColumnFamilyOptions* cf_opts) {
  cf_opts->enable_blob_files = enable_blob_files_;
  cf_opts->enable_blob_garbage_collection = enable_blob_garbage_collection_;
  int value;
  double fraction;
  if (ParseInRange(ARG_MIN_BLOB_SIZE, 0, INT_MAX, " must be >= 0.", &value)) {
    cf_opts->min_blob_size = static_cast<uint64_t>(value);
  }
  if (ParseInRange(ARG_BLOB_FILE_SIZE, 1, INT_MAX, " must be > 0.", &value)) {
    cf_opts->blob_file_size = static_cast<uint64_t>(value);
  }
  ParseCompressionTypeOption(option_map_, ARG_BLOB_COMPRESSION_TYPE, cf_opts->blob_compression_type,
                             exec_state_);
  if (ParseFraction(ARG_BLOB_GARBAGE_COLLECTION_AGE_CUTOFF, &fraction)) {
    cf_opts->blob_garbage_collection_age_cutoff = fraction;
  }
  if (ParseFraction(ARG_BLOB_GARBAGE_COLLECTION_FORCE_THRESHOLD, &fraction)) {
    cf_opts->blob_garbage_collection_force_threshold = fraction;
  }
  if (ParseInRange(ARG_BLOB_COMPACTION_READAHEAD_SIZE, 1, INT_MAX, " must be > 0.", &value)) {
    cf_opts->blob_compaction_readahead_size = static_cast<uint64_t>(value);
  }
  if (ParseInRange(ARG_BLOB_FILE_STARTING_LEVEL, 0, INT_MAX, " must be >= 0.", &value)) {
    cf_opts->blob_file_starting_level = value;
  }
  if (ParseInRange(ARG_PREPOPULATE_BLOB_CACHE, 0, 1, " must be 0 (disable) or 1 (flush only).",
                   &value)) {
    cf_opts->prepopulate_blob_cache =
        value == 1 ? PrepopulateBlobCache::kFlushOnly : PrepopulateBlobCache::kDisable;
  }
}

std::vector<std::string> LDBCommand::BuildCmdLineOptions(std::vector<std::string> options) {
  std::vector<std::string> all = {ARG_ENV_URI,
                                  ARG_FS_URI,
                                  ARG_DB,
                                  ARG_SECONDARY_PATH,
                                  ARG_BLOOM_BITS,
                                  ARG_BLOCK_SIZE,
                                  ARG_AUTO_COMPACTION,
                                  ARG_COMPRESSION_TYPE,
                                  ARG_COMPRESSION_MAX_DICT_BYTES,
                                  ARG_DB_WRITE_BUFFER_SIZE,
                                  ARG_WRITE_BUFFER_SIZE,
                                  ARG_FILE_SIZE,
                                  ARG_FIX_PREFIX_LEN,
                                  ARG_TRY_LOAD_OPTIONS,
                                  ARG_DISABLE_CONSISTENCY_CHECKS,
                                  ARG_ENABLE_BLOB_FILES,
                                  ARG_MIN_BLOB_SIZE,
                                  ARG_BLOB_FILE_SIZE,
                                  ARG_BLOB_COMPRESSION_TYPE,
                                  ARG_ENABLE_BLOB_GARBAGE_COLLECTION,
                                  ARG_BLOB_GARBAGE_COLLECTION_AGE_CUTOFF,
                                  ARG_BLOB_GARBAGE_COLLECTION_FORCE_THRESHOLD,
                                  ARG_BLOB_COMPACTION_READAHEAD_SIZE,
                                  ARG_BLOB_FILE_STARTING_LEVEL,
                                  ARG_PREPOPULATE_BLOB_CACHE,
                                  ARG_IGNORE_UNKNOWN_OPTIONS,
                                  ARG_CF_NAME};
  all.insert(all.end(), options.begin(), options.end());
  return all;
}

bool LDBCommand::ParseIntOption(const std::map<std::string, std::string>& /*options*/,
                                const std::string& option, int& value, Result& exec_state) {
  std::string text;
  if (!ParseStringOption(option_map_, option, &text)) return false;
  int64_t number;
  if (!cairn::ParseInt64(text, &number)) {
    exec_state = Result::Failed(option + " has an invalid value.");
    return false;
  }
  if (number < INT_MIN || number > INT_MAX) {
    exec_state = Result::Failed(option + " has a value out-of-range.");
    return false;
  }
  value = static_cast<int>(number);
  return true;
}

bool LDBCommand::ParseDoubleOption(const std::map<std::string, std::string>& /*options*/,
                                   const std::string& option, double& value, Result& exec_state) {
  std::string text;
  if (!ParseStringOption(option_map_, option, &text)) return false;
  if (cairn::ParseDouble(text, &value)) return true;
  exec_state = Result::Failed(option + " has an invalid value.");
  return false;
}

bool LDBCommand::ParseStringOption(const std::map<std::string, std::string>& /*options*/,
                                   const std::string& option, std::string* value) {
  const auto found = option_map_.find(option);
  if (found == option_map_.end()) return false;
  *value = found->second;
  return true;
}

bool LDBCommand::ParseCompressionTypeOption(const std::map<std::string, std::string>& /*options*/,
                                            const std::string& option, CompressionType& value,
                                            Result& exec_state) {
  std::string text;
  if (!ParseStringOption(option_map_, option, &text)) return false;
  for (const NamedCompression& each : kCompressions) {
    if (text == each.name) {
      value = each.type;
      return true;
    }
  }
  exec_state = Result::Failed("Unknown compression algorithm: " + text);
  return false;
}

bool LDBCommand::ParseBooleanOption(const std::map<std::string, std::string>& /*options*/,
                                    const std::string& option, bool default_val) {
  std::string text;
  if (!ParseStringOption(option_map_, option, &text)) return default_val;
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (text == "true" || text == "false") return text == "true";
  exec_state_ = Result::Failed("--" + option + ": neither true nor false");
  return default_val;
}

bool LDBCommand::ParseInRange(const std::string& option, int low, int high, const char* range,
                              int* value) {
  if (!ParseIntOption(option_map_, option, *value, exec_state_)) return false;
  if (*value >= low && *value <= high) return true;
  exec_state_ = Result::Failed(option + range);
  return false;
}

bool LDBCommand::ParseFraction(const std::string& option, double* value) {
  if (!ParseDoubleOption(option_map_, option, *value, exec_state_)) return false;
  if (*value >= 0 && *value <= 1) return true;
  exec_state_ = Result::Failed(option + " must be >= 0 and <= 1.");
  return false;
}

std::string LDBCommand::HexToString(const std::string& str) {
  std::string bytes;
  if (str.size() >= 2 && str[0] == '0' && str[1] == 'x' &&
      Slice(str.data() + 2, str.size() - 2).DecodeHex(&bytes)) {
    return bytes;
  }
  cairn::PrintError("Invalid hex input %s.  Must start with 0x\n", str.c_str());
  return "";
}

std::string LDBCommand::StringToHex(const std::string& str) {
  return "0x" + Slice(str).ToString(true);
}

bool LDBCommand::ParseKeyValue(const std::string& line, std::string* key, std::string* value,
                               bool is_key_hex, bool is_value_hex) {
  const size_t at = line.find(DELIM);
  if (at == std::string::npos) return false;
  *key = line.substr(0, at);
  *value = line.substr(at + std::strlen(DELIM));
  for (const auto& [text, hex] : {std::pair(key, is_key_hex), std::pair(value, is_value_hex)}) {
    if (!hex) continue;
    std::string bytes;
    if (!Slice(*text).starts_with("0x") ||
        !Slice(text->data() + 2, text->size() - 2).DecodeHex(&bytes)) {
      return false;
    }
    *text = std::move(bytes);
  }
  return true;
}

std::string LDBCommand::PrintKeyValue(const std::string& key, const std::string& value,
                                      bool is_key_hex, bool is_value_hex) {
  return (is_key_hex ? StringToHex(key) : key) + DELIM +
         (is_value_hex ? StringToHex(value) : value);
}

std::string LDBCommand::PrintKeyValue(const std::string& key, const std::string& value,
                                      bool is_hex) {
  return PrintKeyValue(key, value, is_hex, is_hex);
}

std::string LDBCommand::HelpRangeCmdArgs() { return " [--" + ARG_FROM + "] [--" + ARG_TO + "] "; }

}  // namespace ROCKSDB_NAMESPACE
