// The program sst_dump: its command line, and what it does with each file.
#include "rocksdb/sst_dump_tool.h"

#include <algorithm>
#include <cinttypes>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_util.h"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/version.h"
#include "table/compression.h"
#include "toolkit/console.h"
#include "toolkit/manifest_dump.h"
#include "toolkit/table_file.h"
#include "toolkit/table_recompress.h"
#include "toolkit/terminal.h"

namespace cairn {
namespace {

struct DumpCompression {
  CompressionType type;
  const char* name;
};
constexpr DumpCompression kCompressions[] = {
    {kNoCompression, "kNoCompression"},         {kSnappyCompression, "kSnappyCompression"},
    {kZlibCompression, "kZlibCompression"},     {kBZip2Compression, "kBZip2Compression"},
    {kLZ4Compression, "kLZ4Compression"},       {kLZ4HCCompression, "kLZ4HCCompression"},
    {kXpressCompression, "kXpressCompression"}, {kZSTD, "kZSTD"},
};

constexpr char kSstDumpHelp[] =
    R"(sst_dump --file=<data_dir_OR_sst_file> [--command=check|scan|raw|recompress|identify]
    --file=<data_dir_OR_sst_file>
      Path to SST file or directory containing SST files

    --env_uri=<uri of underlying Env>
      URI of underlying Env, mutually exclusive with fs_uri

    --fs_uri=<uri of underlying FileSystem>
      URI of underlying FileSystem, mutually exclusive with env_uri

    --command=check|scan|raw|verify|identify
        check: Iterate over entries in files but don't print anything except if an error is encountered (default command)
        scan: Iterate over entries in files and print them to screen
        raw: Dump all the table contents to <file_name>_dump.txt
        verify: Iterate all the blocks in files verifying checksum to detect possible corruption but don't print anything except if a corruption is encountered
        recompress: reports the SST file size if recompressed with different
                    compression types
        identify: Reports a file is a valid SST file or lists all valid SST files under a directory

    --output_hex
      Can be combined with scan command to print the keys and values in Hex

    --decode_blob_index
      Decode blob indexes and print them in a human-readable format during scans.

    --from=<user_key>
      Key to start reading from when executing check|scan

    --to=<user_key>
      Key to stop reading at when executing check|scan

    --prefix=<user_key>
      Returns all keys with this prefix when executing check|scan
      Cannot be used in conjunction with --from

    --read_num=<num>
      Maximum number of entries to read when executing check|scan

    --verify_checksum
      Verify file checksum when executing check|scan

    --input_key_hex
      Can be combined with --from and --to to indicate that these values are encoded in Hex

    --show_properties
      Print table properties after iterating over the file when executing
      check|scan|raw|identify

    --set_block_size=<block_size>
      Can be combined with --command=recompress to set the block size that will
      be used when trying different compression algorithms

    --compression_types=<comma-separated list of CompressionType members, e.g.,
      kSnappyCompression>
      Can be combined with --command=recompress to run recompression for this
      list of compression types
      Supported compression types: %s

    --parse_internal_key=<0xKEY>
      Convenience option to parse an internal key on the command line. Dumps the
      internal key in hex format {'key' @ SN: type}

    --compression_level_from=<compression_level>
      Compression level to start compressing when executing recompress. One compression type
      and compression_level_to must also be specified

    --compression_level_to=<compression_level>
      Compression level to stop compressing when executing recompress. One compression type
      and compression_level_from must also be specified

    --compression_max_dict_bytes=<uint32_t>
      Maximum size of dictionary used to prime the compression library

    --compression_zstd_max_train_bytes=<uint32_t>
      Maximum size of training data passed to zstd's dictionary trainer

    --compression_max_dict_buffer_bytes=<int64_t>
      Limit on buffer size from which we collect samples for dictionary generation.

    --compression_use_zstd_finalize_dict
      Use zstd's finalizeDictionary() API instead of zstd's dictionary trainer to generate dictionary.
)";

std::string HelpText() {
  std::string names;
  for (const CompressionType type : GetSupportedCompressions()) {
    std::string name;
    if (!GetStringFromCompressionType(&name, type).ok()) continue;
    names += (names.empty() ? "" : ", ") + name;
  }
  return StringPrintf(kSstDumpHelp, names.c_str());
}

bool Unhex(std::string* text) {
  std::string bytes;
  if (!Slice(*text).starts_with("0x") ||
      !Slice(text->data() + 2, text->size() - 2).DecodeHex(&bytes)) {
    return false;
  }
  *text = std::move(bytes);
  return true;
}

// What the command line says.
struct Arguments {
  std::string file, command, env_uri, fs_uri;
  TableFile::ScanOptions scan;
  bool has_most = false;
  bool hex_keys = false, properties = false, summary = false;
  size_t block_size = 16384;  // of recompress, bytes
  std::vector<DumpCompression> types;
  std::optional<int> level_from, level_to;
  CompressionOptions compression;
  std::optional<std::string> internal_key;
  bool help = false, version = false;
};

class Parser {
 public:
  explicit Parser(Arguments* arguments) : to_(*arguments) {}

  // False: it was said what is wrong.
  bool Parse(int argc, char const* const* argv) {
    for (int i = 1; i < argc; ++i) {
      if (!ParseFlag(argv[i]) && !ParseOption(argv[i])) {
        if (wrong_.empty()) {
          PrintError("Unrecognized argument '%s'\n\n%s", argv[i], HelpText().c_str());
        } else {
          PrintError("%s\n", wrong_.c_str());
        }
        return false;
      }
    }
    return to_.help || to_.version || to_.internal_key || CheckTogether();
  }

 private:
  bool ParseFlag(std::string_view argument) {
    const struct {
      std::string_view name;
      bool* value;
    } flags[] = {
        {"--output_hex", &to_.scan.hex},
        {"--input_key_hex", &to_.hex_keys},
        {"--verify_checksum", &to_.scan.verify_checksums},
        {"--show_properties", &to_.properties},
        {"--show_summary", &to_.summary},
        {"--decode_blob_index", &to_.scan.decode_blob_index},
        {"--help", &to_.help},
        {"--version", &to_.version},
    };
    for (const auto& flag : flags) {
      if (argument != flag.name) continue;
      *flag.value = true;
      return true;
    }
    if (argument == "--compression_use_zstd_finalize_dict") {
      to_.compression.use_zstd_dict_trainer = false;
      return true;
    }
    return false;
  }

  bool ParseOption(std::string_view argument) {
    const size_t equals = argument.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string_view name = argument.substr(0, equals);
    const std::string value(argument.substr(equals + 1));
    if (name == "--file") {
      to_.file = value;
    } else if (name == "--command") {
      to_.command = value;
      return CheckCommand();
    } else if (name == "--env_uri") {
      to_.env_uri = value;
    } else if (name == "--fs_uri") {
      to_.fs_uri = value;
    } else if (name == "--from") {
      to_.scan.from = value;
    } else if (name == "--to") {
      to_.scan.to = value;
    } else if (name == "--prefix") {
      to_.scan.prefix = value;
    } else if (name == "--parse_internal_key") {
      to_.internal_key = value;
    } else if (name == "--compression_types") {
      return ParseTypes(value);
    } else {
      return ParseNumber(name.substr(std::min<size_t>(2, name.size())), value);
    }
    return true;
  }

  bool CheckCommand() {
    static constexpr std::string_view kCommands[] = {"check",      "scan",     "raw",  "verify",
                                                     "recompress", "identify", "none", ""};
    if (std::find(std::begin(kCommands), std::end(kCommands), to_.command) != std::end(kCommands)) {
      return true;
    }
    wrong_ = "unknown command " + to_.command;
    return false;
  }

  bool ParseTypes(const std::string& list) {
    for (size_t begin = 0, end; begin < list.size(); begin = end + 1) {
      end = std::min(list.find(',', begin), list.size());
      const std::string name = list.substr(begin, end - begin);
      const auto found =
          std::find_if(std::begin(kCompressions), std::end(kCompressions),
                       [&](const DumpCompression& each) { return name == each.name; });
      if (found == std::end(kCompressions)) {
        wrong_ = name + " is not a valid CompressionType";
        return false;
      }
      to_.types.push_back(*found);
    }
    return true;
  }

  bool ParseNumber(std::string_view name, const std::string& value) {
    constexpr int64_t kMost32 = std::numeric_limits<uint32_t>::max();
    const struct {
      std::string_view name;
      int64_t low, high;
    } numbers[] = {
        {"read_num", 0, INT64_MAX},
        {"set_block_size", 1, INT32_MAX},
        {"readahead_size", 0, INT64_MAX},
        {"compression_level_from", INT32_MIN, INT32_MAX},
        {"compression_level_to", INT32_MIN, INT32_MAX},
        {"compression_max_dict_bytes", 0, kMost32},
        {"compression_zstd_max_train_bytes", 0, kMost32},
        {"compression_max_dict_buffer_bytes", 0, INT64_MAX},
    };
    for (const auto& known : numbers) {
      if (name != known.name) continue;
      int64_t number;
      if (!ParseInt64(value, &number) || number < known.low || number > known.high) {
        wrong_ = std::string(name) + " must be a number from " + std::to_string(known.low) +
                 " to " + std::to_string(known.high) + ": " + value;
        return false;
      }
      SetNumber(name, number);
      return true;
    }
    return false;
  }

  void SetNumber(std::string_view name, int64_t number) {
    if (name == "read_num") {
      to_.scan.most = static_cast<uint64_t>(number);
      to_.has_most = number > 0;
    } else if (name == "set_block_size") {
      to_.block_size = static_cast<size_t>(number);
    } else if (name == "compression_level_from") {
      to_.level_from = static_cast<int>(number);
    } else if (name == "compression_level_to") {
      to_.level_to = static_cast<int>(number);
    } else if (name == "compression_max_dict_bytes") {
      to_.compression.max_dict_bytes = static_cast<uint32_t>(number);
    } else if (name == "compression_zstd_max_train_bytes") {
      to_.compression.zstd_max_train_bytes = static_cast<uint32_t>(number);
    } else if (name == "compression_max_dict_buffer_bytes") {
      to_.compression.max_dict_buffer_bytes = static_cast<uint64_t>(number);
    }  // the rest is a hint (readahead_size)
  }

  bool CheckTogether() {
    if (to_.level_from.has_value() != to_.level_to.has_value()) {
      PrintError("Specify both --compression_level_from and --compression_level_to.\n\n");
    } else if (to_.level_from.has_value() && to_.types.size() != 1) {
      PrintError("Specify one compression type.\n\n");
    } else if (to_.scan.prefix.has_value() && to_.scan.from.has_value()) {
      PrintError("Cannot specify --prefix and --from\n\n");
    } else if (to_.file.empty()) {
      PrintError("file or directory must be specified.\n\n%s", HelpText().c_str());
    } else {
      return DecodeKeys();
    }
    return false;
  }

  bool DecodeKeys() {
    if (!to_.hex_keys) return true;
    for (std::optional<std::string>* key : {&to_.scan.from, &to_.scan.to, &to_.scan.prefix}) {
      if (!key->has_value() || Unhex(&**key)) continue;
      PrintError("Invalid hex input %s.  Must start with 0x\n", (*key)->c_str());
      return false;
    }
    return true;
  }

  Arguments& to_;
  std::string wrong_;
};

// What to do with the files that were found.
class Run {
 public:
  Run(const Arguments& arguments, const Options& options)
      : arguments_(arguments), options_(options) {}

  int All() {
    if (!FindFiles()) return 1;
    for (const std::string& path : files_) {
      if (failed_ || done_) break;
      One(path);
    }
    if (failed_) return 1;
    if (arguments_.summary) PrintSummary();
    return Conclude();
  }

 private:
  bool FindFiles() {
    std::vector<std::string> names;
    const std::string& file = arguments_.file;
    is_directory_ = options_.env->GetChildren(file, &names).ok() && !names.empty();
    if (!is_directory_) {
      const Status s = options_.env->FileExists(file);
      if (!s.ok()) {
        PrintError("%s%s: No such file or directory\n", s.ToString().c_str(), file.c_str());
        return false;
      }
      names.assign(1, file);
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      if (name.size() <= 4 || name.substr(name.size() - 4) != ".sst") continue;
      files_.push_back(is_directory_ ? std::string(file).append("/").append(name) : name);
    }
    return true;
  }

  void One(const std::string& path) {
    std::unique_ptr<TableFile> table;
    const Status s = TableFile::Open(options_, path, /*quiet=*/false, &table);
    if (!s.ok()) {
      PrintError("%s: %s\n", path.c_str(), s.ToString().c_str());
      return;
    }
    valid_.push_back(path);
    const std::string& command = arguments_.command;
    const bool scans = command.empty() || command == "check" || command == "scan";
    if (scans && valid_.size() == 1) {
      Print(
          "from [%s] to [%s]\n",
          Slice(
              (arguments_.scan.prefix ? arguments_.scan.prefix : arguments_.scan.from).value_or(""))
              .ToString(true)
              .c_str(),
          Slice(arguments_.scan.to.value_or("")).ToString(true).c_str());
    }
    if (command == "recompress") {
      RecompressAll(*table);
      return;
    }
    if (command == "raw") {
      Raw(*table);
      return;
    }
    if (command == "verify") {
      Verify(*table);
      return;
    }
    if (scans) Scan(*table);
    if (arguments_.properties || arguments_.summary) CountProperties(table->properties());
  }

  void Scan(const TableFile& table) {
    TableFile::ScanOptions scan = arguments_.scan;
    scan.print = arguments_.command == "scan";
    scan.most = arguments_.has_most ? arguments_.scan.most - read_ : UINT64_MAX;
    uint64_t entries = 0;
    const Status s = table.Scan(scan, &entries);
    if (!s.ok()) {
      PrintError("%s: %s\n", table.path().c_str(), s.ToString().c_str());
      damaged_ = true;
    }
    read_ += entries;
    done_ = arguments_.has_most && read_ >= arguments_.scan.most;
  }

  void Verify(const TableFile& table) {
    const Status s = table.VerifyChecksum();
    if (s.ok()) {
      Print("The file is ok\n");
    } else {
      PrintError("%s is corrupted: %s\n", table.path().c_str(), s.ToString().c_str());
      damaged_ = true;
    }
  }

  void Raw(const TableFile& table) {
    const std::string& path = table.path();
    const std::string out = path.substr(0, path.size() - 4) + "_dump.txt";
    const Status s = DumpTable(table, options_.env->GetFileSystem().get(), out);
    if (s.ok()) {
      Write("raw dump written to file " + out + "\n");
    } else {
      PrintError("%s: %s\n", path.c_str(), s.ToString().c_str());
      failed_ = true;
    }
  }

  // Only the first file: it takes long.
  void RecompressAll(const TableFile& table) {
    done_ = true;
    Print("Block Size: %" PRIu64 "\n", arguments_.block_size);
    std::vector<DumpCompression> types = arguments_.types;
    if (types.empty()) types.assign(std::begin(kCompressions), std::end(kCompressions));
    for (const DumpCompression& type : types) {
      if (!IsCompressionSupported(type.type)) {
        Print("Unsupported compression type: %s.\n", type.name);
        continue;
      }
      Print("Compression: %-24s\n", type.name);
      const int from = arguments_.level_from.value_or(CompressionOptions::kDefaultCompressionLevel);
      const int to = arguments_.level_to.value_or(CompressionOptions::kDefaultCompressionLevel);
      for (int level = from; level <= to; ++level) {
        if (!RecompressOnce(table, type.type, level)) return;
      }
    }
  }

  bool RecompressOnce(const TableFile& table, CompressionType type, int level) {
    Print("Compression level: %d", level);
    CompressionOptions options = arguments_.compression;
    options.level = level;
    RecompressedSize size;
    const Status s = Recompress(table, arguments_.block_size, type, options, &size);
    if (!s.ok()) {
      PrintError("Failed to recompress: %s\n", s.ToString().c_str());
      failed_ = true;
      return false;
    }
    // With index blocks, if they were tried.
    const uint64_t blocks = std::max(size.data_blocks, size.compressed + size.aborted);
    const uint64_t rest = blocks - size.compressed - size.aborted;
    const auto percent = [blocks](uint64_t part) {
      return blocks == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(blocks);
    };
    Print(" Size: %10" PRIu64 " Blocks: %6" PRIu64 " Time Taken: %10" PRIu64 " microsecs",
          size.file_size, size.data_blocks, size.micros);
    Print(" Compressed: %6" PRIu64 " (%5.1f%%) Not compressed (ratio): %6" PRIu64
          " (%5.1f%%) Not compressed (abort): %6" PRIu64 " (%5.1f%%)\n",
          size.compressed, percent(size.compressed), rest, percent(rest), size.aborted,
          percent(size.aborted));
    return true;
  }

  void CountProperties(const TableProperties& properties) {
    ++files_counted_;
    data_blocks_ += properties.num_data_blocks;
    data_size_ += properties.data_size;
    index_size_ += properties.index_size;
    filter_size_ += properties.filter_size;
    if (!arguments_.properties) return;
    Write("Table Properties:\n------------------------------\n  " +
          properties.ToString("\n  ", ": ") +
          "Raw user collected properties\n------------------------------\n");
    for (const auto& [name, value] : properties.user_collected_properties) {
      Write("  # " + name + ": 0x" + Slice(value).ToString(true) + "\n");
    }
  }

  void PrintSummary() const {
    Print("total number of files: %" PRIu64 "\n", files_counted_);
    Print("total number of data blocks: %" PRIu64 "\n", data_blocks_);
    Print("total data block size: %" PRIu64 "\n", data_size_);
    Print("total index block size: %" PRIu64 "\n", index_size_);
    Print("total filter block size: %" PRIu64 "\n", filter_size_);
  }

  int Conclude() const {
    const std::string& file = arguments_.file;
    const bool identifies = arguments_.command == "identify";
    if (valid_.empty()) {
      if (is_directory_) Print("------------------------------\n");
      PrintError(
          is_directory_ ? "No valid SST files found in %s\n" : "%s is not a valid SST file\n",
          file.c_str());
      return 1;
    }
    if (identifies && is_directory_) {
      Write("------------------------------\nList of valid SST files found in " + file + ":\n");
      for (const std::string& path : valid_) Write(path + "\n");
      Print("Number of valid SST files: %" PRIu64 "\n", valid_.size());
    } else if (identifies) {
      Write(file + " is a valid SST file\n");
    }
    return damaged_ ? 1 : 0;
  }

  const Arguments& arguments_;
  const Options& options_;
  bool is_directory_ = false;
  std::vector<std::string> files_, valid_;
  uint64_t read_ = 0;  // entries so far
  bool done_ = false, failed_ = false, damaged_ = false;
  uint64_t files_counted_ = 0, data_blocks_ = 0, data_size_ = 0, index_size_ = 0, filter_size_ = 0;
};

int ShowInternalKey(std::string text) {
  const std::string given = text;
  if (!Unhex(&text)) {
    PrintError("ERROR: Invalid key input '%s' Use 0x{hex representation of internal rocksdb key}\n",
               given.c_str());
    return -1;
  }
  ParsedInternalKey key;
  const Status s = ParseInternalKey(text, &key);
  if (!s.ok()) {
    PrintError("%s\n", s.ToString().c_str());
    return -1;
  }
  Write("key=" + InternalKeyText(text, /*hex=*/true) + "\n");
  return 0;
}

}  // namespace
}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

int SSTDumpTool::Run(int argc, char const* const* argv, Options options) {
  cairn::PrepareStreams();
  cairn::Arguments arguments;
  if (!cairn::Parser(&arguments).Parse(argc, argv)) return 1;
  if (arguments.help) {
    cairn::Write(cairn::HelpText());
    return 0;
  }
  if (arguments.version) {
    cairn::Print("%s\n", GetRocksBuildInfoAsString("sst_dump").c_str());
    return 0;
  }
  if (arguments.internal_key) return cairn::ShowInternalKey(*arguments.internal_key);
  ConfigOptions config;
  config.env = options.env;
  config.ignore_unsupported_options = false;
  std::shared_ptr<Env> guard;
  const Status s =
      Env::CreateFromUri(config, arguments.env_uri, arguments.fs_uri, &options.env, &guard);
  if (!s.ok()) {
    cairn::PrintError("CreateEnvFromUri: %s\n", s.ToString().c_str());
    return 1;
  }
  cairn::Print("options.env is %p\n", static_cast<void*>(options.env));
  return cairn::Run(arguments, options).All();
}

}  // namespace ROCKSDB_NAMESPACE
