// The program ldb: its commands, its help, its exit status.
#include "rocksdb/ldb_tool.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "rocksdb/version.h"
#include "toolkit/console.h"
#include "toolkit/ldb_commands.h"
#include "toolkit/terminal.h"

namespace cairn {
namespace {

constexpr char kCommonOptions[] =
    R"(commands MUST specify --db=<full_path_to_db_directory> when necessary

commands can optionally specify
  --env_uri=<uri_of_environment> or --fs_uri=<uri_of_filesystem> if necessary
  --secondary_path=<secondary_path> to open DB as secondary instance. Operations not supported in secondary instance will fail.

The following optional parameters control if keys/values are input/output as hex or as plain strings:
  --key_hex : Keys are input/output as hex
  --value_hex : Values are input/output as hex
  --hex : Both keys and values are input/output as hex

The following optional parameters control the database internals:
  --column_family=<string> : name of the column family to operate on. default: default column family
  --ttl with 'put','get','scan','dump','query','batchput' : DB supports ttl and value is internally timestamp-suffixed
  --try_load_options : Try to load option file from DB. Default to true if db is specified and not creating a new DB and not open as TTL DB. Can be set to false explicitly.
  --disable_consistency_checks : Set options.force_consistency_checks = false.
  --ignore_unknown_options : Ignore unknown options when loading option file.
  --bloom_bits=<int,e.g.:14>
  --fix_prefix_len=<int,e.g.:14>
  --compression_type=<no|snappy|zlib|bzip2|lz4|lz4hc|xpress|zstd>
  --compression_max_dict_bytes=<int,e.g.:16384>
  --block_size=<block_size_in_bytes>
  --auto_compaction=<true|false>
  --db_write_buffer_size=<int,e.g.:16777216>
  --write_buffer_size=<int,e.g.:4194304>
  --file_size=<int,e.g.:2097152>
  --enable_blob_files : Enable key-value separation using BlobDB
  --min_blob_size=<int,e.g.:2097152>
  --blob_file_size=<int,e.g.:2097152>
  --blob_compression_type=<no|snappy|zlib|bzip2|lz4|lz4hc|xpress|zstd>
  --enable_blob_garbage_collection : Enable blob garbage collection
  --blob_garbage_collection_age_cutoff=<double,e.g.:0.25>
  --blob_garbage_collection_force_threshold=<double,e.g.:0.25>
  --blob_compaction_readahead_size=<int,e.g.:2097152>
)";

// In the order of the help.
constexpr const char* kDataAccess[] = {"put",
                                       "put_entity",
                                       "get",
                                       "multi_get",
                                       "get_entity",
                                       "multi_get_entity",
                                       "batchput",
                                       "scan",
                                       "delete",
                                       "deleterange",
                                       "query",
                                       "approxsize",
                                       "checkconsistency",
                                       "list_file_range_deletes"};
constexpr const char* kAdmin[] = {"dump_wal",
                                  "compact",
                                  "reduce_levels",
                                  "change_compaction_style",
                                  "dump",
                                  "load",
                                  "manifest_dump",
                                  "update_manifest",
                                  "file_checksum_dump",
                                  "get_property",
                                  "list_column_families",
                                  "create_column_family",
                                  "drop_column_family",
                                  "dump_live_files",
                                  "idump",
                                  "list_live_files_metadata",
                                  "repair",
                                  "backup",
                                  "restore",
                                  "checkpoint",
                                  "write_extern_sst",
                                  "ingest_extern_sst",
                                  "unsafe_remove_sst_file"};

const CommandEntry* FindCommand(std::string_view name) {
  for (const std::span<const CommandEntry> list :
       {DataCommands(), DumpCommands(), AdminCommands(), FileCommands()}) {
    for (const CommandEntry& entry : list) {
      if (name == entry.name) return &entry;
    }
  }
  return nullptr;
}

std::string HelpOf(std::span<const char* const> names) {
  std::string text;
  for (const char* name : names) {
    text += std::string("  ") + name + FindCommand(name)->help + "\n";
  }
  return text;
}

}  // namespace
}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

LDBCommand* LDBCommand::SelectCommand(const ParsedParams& parsed_parms) {
  const cairn::CommandEntry* const entry = cairn::FindCommand(parsed_parms.cmd);
  return entry == nullptr ? nullptr : entry->make(parsed_parms);
}

void LDBCommandRunner::PrintHelp(const LDBOptions& ldb_options, const char* /*exec_name*/,
                                 bool to_stderr) {
  const std::string text = ldb_options.print_help_header + "\n\n" + cairn::kCommonOptions +
                           "\n\nData Access Commands:\n" + cairn::HelpOf(cairn::kDataAccess) +
                           "\n\nAdmin Commands:\n" + cairn::HelpOf(cairn::kAdmin) + "\n";
  if (to_stderr) {
    cairn::PrintError("%s", text.c_str());
  } else {
    cairn::Write(text);
  }
}

int LDBCommandRunner::RunCommand(int argc, char const* const* argv, Options options,
                                 const LDBOptions& ldb_options,
                                 const std::vector<ColumnFamilyDescriptor>* column_families) {
  cairn::PrepareStreams();
  const std::string_view first = argc == 2 ? argv[1] : "";
  if (first == "--version") {
    cairn::Print("ldb from RocksDB %s\n", GetRocksVersionAsString().c_str());
    return 0;
  }
  if (argc <= 2) {
    PrintHelp(ldb_options, argv[0], /*to_stderr=*/first != "--help");
    return first == "--help" ? 0 : 1;
  }
  const std::unique_ptr<LDBCommand> command(
      LDBCommand::InitFromCmdLineArgs(argc, argv, options, ldb_options, column_families));
  if (command == nullptr) {
    cairn::PrintError("Unknown command\n");
    PrintHelp(ldb_options, argv[0], /*to_stderr=*/true);
    return 1;
  }
  if (!command->ValidateCmdLineOptions()) return 1;
  command->Run();
  LDBCommandExecuteResult result = command->GetExecuteState();
  if (!result.ToString().empty()) cairn::PrintError("%s\n", result.ToString().c_str());
  return result.IsFailed() ? 1 : 0;
}

void LDBTool::Run(int argc, char** argv, Options options, const LDBOptions& ldb_options,
                  const std::vector<ColumnFamilyDescriptor>* column_families) {
  std::exit(LDBCommandRunner::RunCommand(argc, argv, options, ldb_options, column_families));
}

}  // namespace ROCKSDB_NAMESPACE
