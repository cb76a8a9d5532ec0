// LDBCommand: one command of `ldb`, from the words of a command line to its result. Programs that
// want a command's result rather than its exit status make one by InitFromCmdLineArgs() and run it;
// those with commands of their own derive from it, and hand in a selector that makes them.
//
//   std::unique_ptr<rocksdb::LDBCommand> command(rocksdb::LDBCommand::InitFromCmdLineArgs(
//       {"--db=/data/db", "get", "key"}, options, rocksdb::LDBOptions(), nullptr));
//   if (command != nullptr && command->ValidateCmdLineOptions()) {
//     command->Run();
//     rocksdb::LDBCommandExecuteResult result = command->GetExecuteState();
//   }
//
// Commands print to the standard output and error, and read the standard input. Thread safety:
// none; a command belongs to who made it.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/ldb_tool.h"
#include "rocksdb/options.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/utilities/db_ttl.h"
#include "rocksdb/utilities/ldb_cmd_execute_result.h"

namespace ROCKSDB_NAMESPACE {

class LDBCommand {
 public:
  // Names of options and flags, as they stand behind "--".
  static const std::string ARG_ENV_URI;
  static const std::string ARG_FS_URI;
  static const std::string ARG_DB;
  static const std::string ARG_PATH;
  static const std::string ARG_SECONDARY_PATH;
  static const std::string ARG_HEX;
  static const std::string ARG_KEY_HEX;
  static const std::string ARG_VALUE_HEX;
  static const std::string ARG_CF_NAME;
  static const std::string ARG_TTL;
  static const std::string ARG_TTL_START;
  static const std::string ARG_TTL_END;
  static const std::string ARG_TIMESTAMP;
  static const std::string ARG_READ_TIMESTAMP;
  static const std::string ARG_TRY_LOAD_OPTIONS;
  static const std::string ARG_DISABLE_CONSISTENCY_CHECKS;
  static const std::string ARG_IGNORE_UNKNOWN_OPTIONS;
  static const std::string ARG_FROM;
  static const std::string ARG_TO;
  static const std::string ARG_MAX_KEYS;
  static const std::string ARG_BLOOM_BITS;
  static const std::string ARG_FIX_PREFIX_LEN;
  static const std::string ARG_COMPRESSION_TYPE;
  static const std::string ARG_COMPRESSION_MAX_DICT_BYTES;
  static const std::string ARG_BLOCK_SIZE;
  static const std::string ARG_AUTO_COMPACTION;
  static const std::string ARG_DB_WRITE_BUFFER_SIZE;
  static const std::string ARG_WRITE_BUFFER_SIZE;
  static const std::string ARG_FILE_SIZE;
  static const std::string ARG_CREATE_IF_MISSING;
  static const std::string ARG_NO_VALUE;
  static const std::string ARG_ENABLE_BLOB_FILES;
  static const std::string ARG_MIN_BLOB_SIZE;
  static const std::string ARG_BLOB_FILE_SIZE;
  static const std::string ARG_BLOB_COMPRESSION_TYPE;
  static const std::string ARG_ENABLE_BLOB_GARBAGE_COLLECTION;
  static const std::string ARG_BLOB_GARBAGE_COLLECTION_AGE_CUTOFF;
  static const std::string ARG_BLOB_GARBAGE_COLLECTION_FORCE_THRESHOLD;
  static const std::string ARG_BLOB_COMPACTION_READAHEAD_SIZE;
  static const std::string ARG_BLOB_FILE_STARTING_LEVEL;
  static const std::string ARG_PREPOPULATE_BLOB_CACHE;
  static const std::string ARG_DECODE_BLOB_INDEX;
  static const std::string ARG_DUMP_UNCOMPRESSED_BLOBS;

  // A command line, taken apart.
  struct ParsedParams {
    std::string cmd;
    std::vector<std::string> cmd_params;            // what follows it, without "--"
    std::map<std::string, std::string> option_map;  // --name=value
    std::vector<std::string> flags;                 // --name
  };

  // The command of this library with that name; null: there is none. The caller deletes it.
  static LDBCommand* SelectCommand(const ParsedParams& parsed_parms);

  // `args` are without the program's name. Null: they name no command that `selector` knows. The
  // caller deletes the result. `column_families` (copied, may be null): as LDBTool::Run() says.
  static LDBCommand* InitFromCmdLineArgs(
      const std::vector<std::string>& args, const Options& options, const LDBOptions& ldb_options,
      const std::vector<ColumnFamilyDescriptor>* column_families,
      const std::function<LDBCommand*(const ParsedParams&)>& selector = SelectCommand);
  // argv[0] is the program's name.
  static LDBCommand* InitFromCmdLineArgs(
      int argc, char const* const* argv, const Options& options, const LDBOptions& ldb_options,
      const std::vector<ColumnFamilyDescriptor>* column_families);

  LDBCommand(const LDBCommand&) = delete;
  LDBCommand& operator=(const LDBCommand&) = delete;
  virtual ~LDBCommand();

  // False, and a line on the standard error: an option that the command does not take, or --db
  // is missing.
  bool ValidateCmdLineOptions();

  // Fills in options_ and column_families_ from the OPTIONS file (--try_load_options), the MANIFEST
  // and the command line. What fails is in the result.
  virtual void PrepareOptions();
  // What the command line, and the command, want otherwise than options_ has it; for all families,
  // and for each.
  virtual void OverrideBaseOptions();
  virtual void OverrideBaseCFOptions(ColumnFamilyOptions* cf_opts);

  virtual void SetDBOptions(Options options) { options_ = options; }
  virtual void SetColumnFamilies(const std::vector<ColumnFamilyDescriptor>* column_families) {
    column_families_ =
        column_families == nullptr ? std::vector<ColumnFamilyDescriptor>() : *column_families;
  }
  void SetLDBOptions(const LDBOptions& ldb_options) { ldb_options_ = ldb_options; }

  const std::map<std::string, std::string>& TEST_GetOptionMap() { return option_map_; }
  const std::vector<std::string>& TEST_GetFlags() { return flags_; }

  // Run() opens no database.
  virtual bool NoDBOpen() { return false; }

  // Once. Does nothing if the command line was wrong, which the result says.
  void Run();
  // The command itself; called by Run(). The result is in exec_state_; if that stays "not started",
  // the command went well.
  virtual void DoCommand() = 0;

  LDBCommandExecuteResult GetExecuteState() { return exec_state_; }
  void ClearPreviousRunState() { exec_state_.Reset(); }

  // The bytes of "0x" and pairs of hexadecimal digits. Of anything else: empty, and a line on the
  // standard error.
  static std::string HexToString(const std::string& str);
  static std::string StringToHex(const std::string& str);

  // Between a key and its value, in what `dump` prints and `load` reads.
  static const char* const DELIM;

 protected:
  // `valid_cmd_line_options`: BuildCmdLineOptions() of the command's own, as a rule.
  LDBCommand(const std::map<std::string, std::string>& options,
             const std::vector<std::string>& flags, bool is_read_only,
             const std::vector<std::string>& valid_cmd_line_options);

  // Opens db_; else the result is a failure.
  void OpenDB();
  void CloseDB();
  // That of --column_family. REQUIRES: db_ is open
  ColumnFamilyHandle* GetCfHandle();

  // Splits a line at DELIM, and decodes what is in hexadecimal. False: it has no DELIM, or wrong
  // digits.
  bool ParseKeyValue(const std::string& line, std::string* key, std::string* value, bool is_key_hex,
                     bool is_value_hex);
  static std::string PrintKeyValue(const std::string& key, const std::string& value,
                                   bool is_key_hex, bool is_value_hex);
  static std::string PrintKeyValue(const std::string& key, const std::string& value, bool is_hex);

  static bool IsFlagPresent(const std::vector<std::string>& flags, const std::string& flag) {
    return std::find(flags.begin(), flags.end(), flag) != flags.end();
  }
  static std::string HelpRangeCmdArgs();
  // `options` and those that all commands take.
  static std::vector<std::string> BuildCmdLineOptions(std::vector<std::string> options);

  // False: there is no such option, or its value is none, which is in `exec_state`. Of the command
  // line; `options` is there for RocksDB's sake.
  bool ParseIntOption(const std::map<std::string, std::string>& options, const std::string& option,
                      int& value, LDBCommandExecuteResult& exec_state);
  bool ParseDoubleOption(const std::map<std::string, std::string>& options,
                         const std::string& option, double& value,
                         LDBCommandExecuteResult& exec_state);
  bool ParseStringOption(const std::map<std::string, std::string>& options,
                         const std::string& option, std::string* value);
  bool ParseCompressionTypeOption(const std::map<std::string, std::string>& options,
                                  const std::string& option, CompressionType& value,
                                  LDBCommandExecuteResult& exec_state);
  // "true" or "false" in any case; anything else makes the result a failure, and is the default.
  bool ParseBooleanOption(const std::map<std::string, std::string>& options,
                          const std::string& option, bool default_val);

  LDBCommandExecuteResult exec_state_;
  std::string env_uri_;
  std::string fs_uri_;
  std::string db_path_;
  // Empty: the database is opened itself. Else as a secondary instance, which leaves it alone.
  std::string secondary_path_;
  std::string column_family_name_;
  DB* db_ = nullptr;                                       // owned; null: not open
  DBWithTTL* db_ttl_ = nullptr;                            // the same with --ttl
  std::map<std::string, ColumnFamilyHandle*> cf_handles_;  // owned
  bool is_read_only_;
  bool is_key_hex_ = false;
  bool is_value_hex_ = false;
  bool is_db_ttl_ = false;
  bool timestamp_ = false;  // print the times of a database with TTL
  bool try_load_options_ = false;
  bool force_consistency_checks_ = true;
  bool enable_blob_files_ = false;
  bool enable_blob_garbage_collection_ = false;
  bool create_if_missing_ = false;
  // The command line.
  const std::map<std::string, std::string> option_map_;
  const std::vector<std::string> flags_;
  const std::vector<std::string> valid_cmd_line_options_;
  std::shared_ptr<Env> env_guard_;  // of --env_uri and --fs_uri
  Options options_;
  std::vector<ColumnFamilyDescriptor> column_families_;
  ConfigOptions config_options_;
  LDBOptions ldb_options_;

 private:
  void OpenWithTtl();
  void OpenPlain(std::vector<ColumnFamilyHandle*>* handles);
  void OverrideBlobOptions(ColumnFamilyOptions* cf_opts);
  void LoadOptions();
  // The value of an option that must lie in [low, high]; false: it is not there, or the result is a
  // failure that says `range`.
  bool ParseInRange(const std::string& option, int low, int high, const char* range, int* value);
  bool ParseFraction(const std::string& option, double* value);
};

class LDBCommandRunner {
 public:
  static void PrintHelp(const LDBOptions& ldb_options, const char* exec_name,
                        bool to_stderr = true);

  // As LDBTool::Run(), but returns the exit status.
  static int RunCommand(int argc, char const* const* argv, Options options,
                        const LDBOptions& ldb_options,
                        const std::vector<ColumnFamilyDescriptor>* column_families);
};

}  // namespace ROCKSDB_NAMESPACE
