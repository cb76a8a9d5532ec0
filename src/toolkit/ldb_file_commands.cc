// Commands of ldb about a database's files: which there are, what is in them, taking one in or out.
#include <cinttypes>
#include <memory>
#include <string>

#include "base/string_util.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "manifest/version_set.h"
#include "rocksdb/experimental.h"
#include "rocksdb/sst_file_writer.h"
#include "toolkit/blob_dump.h"
#include "toolkit/console.h"
#include "toolkit/ldb_commands.h"
#include "toolkit/manifest_dump.h"
#include "toolkit/manifest_picture.h"
#include "toolkit/offline_manifest.h"
#include "toolkit/table_file.h"
#include "toolkit/wal_dump.h"

namespace cairn {
namespace {

constexpr char kRule[] = "==============================\n";
constexpr char kThinRule[] = "------------------------------\n";

// "dir/name", however many slashes either brings along.
std::string Joined(const std::string& dir, const std::string& name) {
  std::string both = dir;
  both.append("/").append(name);
  std::string path;
  for (const char c : both) {
    if (c != '/' || path.empty() || path.back() != '/') path += c;
  }
  return path;
}

// All families, in the order of their numbers.
std::vector<ColumnFamilyMetaData> AllFamilies(
    DB* db, const std::map<std::string, ColumnFamilyHandle*>& handles) {
  std::map<uint32_t, ColumnFamilyHandle*> ordered;
  for (const auto& [name, handle] : handles) ordered[handle->GetID()] = handle;
  if (ordered.empty()) ordered[0] = db->DefaultColumnFamily();
  std::vector<ColumnFamilyMetaData> families;
  for (const auto& [id, handle] : ordered) {
    db->GetColumnFamilyMetaData(handle, &families.emplace_back());
  }
  return families;
}

class ChecksumDumpCommand final : public ToolCommand {
 public:
  explicit ChecksumDumpCommand(const CommandLine& line)
      : ToolCommand(line, false, {ARG_PATH, ARG_HEX}) {
    ParseStringOption(option_map_, ARG_PATH, &path_);
    if (HasFlag(ARG_PATH)) {
      Fail("--path: missing pathname");
    } else if (path_.empty() && db_path_.empty()) {
      Fail("--db or --path must be specified");
    }
  }
  bool NoDBOpen() override { return true; }

  void DoCommand() override {
    FileSystem* const fs = options_.env->GetFileSystem().get();
    ManifestPicture picture;
    if (!Check(path_.empty() ? picture.ReadCurrent(fs, db_path_) : picture.Read(fs, path_))) return;
    std::map<uint64_t, const FileMetaData*> files;
    for (const auto& [id, family] : picture.families) {
      for (const auto& level : family.levels) {
        for (const FileMetaData& file : level) files[file.number] = &file;
      }
    }
    for (const auto& [number, file] : files) {
      Write(NumberToString(number) + ", " + file->file_checksum_func_name + ", " +
            (HasFlag(ARG_HEX) ? StringToHex(file->file_checksum) : file->file_checksum) + "\n");
    }
    Print("Print SST file checksum information finished \n");
  }

 private:
  std::string path_;
};

class DumpLiveFilesCommand final : public ToolCommand {
 public:
  explicit DumpLiveFilesCommand(const CommandLine& line)
      : ToolCommand(line, true, {ARG_DECODE_BLOB_INDEX, ARG_DUMP_UNCOMPRESSED_BLOBS}) {}

  void DoCommand() override {
    FileSystem* const fs = options_.env->GetFileSystem().get();
    std::string manifest;
    uint64_t number;
    Write(std::string("Manifest File\n") + kRule);
    if (!Check(VersionSet::GetCurrentManifestPath(db_path_, fs, &manifest, &number))) return;
    manifest = Joined(db_path_, manifest.substr(manifest.rfind('/') + 1));
    Write(manifest + "\n");
    Check(DumpManifest(fs, manifest, {.comparator = options_.comparator}));
    Print("\n");
    for (const ColumnFamilyMetaData& family : AllFamilies(db_, cf_handles_)) Dump(fs, family);
    Write(std::string("\nWrite Ahead Log Files\n") + kRule);
    DumpLogs(fs);
  }

 private:
  void Dump(FileSystem* fs, const ColumnFamilyMetaData& family) {
    Write("Column family name: " + family.name + "\n" + kRule + "\nSST Files\n" + kRule);
    for (const LevelMetaData& level : family.levels) {
      for (const SstFileMetaData& file : level.files) {
        const std::string path = Joined(file.db_path, file.name);
        Write(path + StringPrintf(" level:%d\n", level.level) + kThinRule);
        PrintTable(options_, path,
                   {.properties = true, .decode_blob_index = HasFlag(ARG_DECODE_BLOB_INDEX)});
        Print("\n");
      }
    }
    Write(std::string("Blob Files\n") + kRule);
    for (const BlobMetaData& file : family.blob_files) {
      const std::string path = Joined(file.blob_file_path, file.blob_file_name);
      Write(path + "\n" + kThinRule);
      Check(DumpBlobFile(fs, path, {.uncompressed = HasFlag(ARG_DUMP_UNCOMPRESSED_BLOBS)}));
      Print("\n");
    }
  }

  void DumpLogs(FileSystem* fs) {
    const std::string& dir = options_.wal_dir.empty() ? db_path_ : options_.wal_dir;
    std::vector<std::string> names;
    if (!Check(fs->GetChildren(dir, IOOptions(), &names, nullptr))) return;
    std::map<uint64_t, std::string> logs;
    for (const std::string& name : names) {
      uint64_t number;
      FileType type;
      if (ParseFileName(name, &number, &type) && type == FileType::kWalFile) logs[number] = name;
    }
    for (const auto& [number, name] : logs) {
      const std::string path = Joined(dir, name);
      if (!HasWrites(fs, path)) continue;
      Write(path + "\n");
      Check(DumpWal(fs, path, {.header = true, .values = true}));
    }
  }
};

class LiveFilesMetadataCommand final : public ToolCommand {
 public:
  explicit LiveFilesMetadataCommand(const CommandLine& line)
      : ToolCommand(line, true, {"sort_by_filename"}) {}

  void DoCommand() override {
    const std::vector<ColumnFamilyMetaData> families = AllFamilies(db_, cf_handles_);
    if (HasFlag("sort_by_filename")) {
      PrintSorted(families);
    } else {
      for (const ColumnFamilyMetaData& family : families) PrintFamily(family);
    }
    Write(kThinRule);
  }

 private:
  static void PrintSorted(const std::vector<ColumnFamilyMetaData>& families) {
    std::map<std::string, std::string> lines;  // by path
    for (const ColumnFamilyMetaData& family : families) {
      for (const LevelMetaData& level : family.levels) {
        for (const SstFileMetaData& file : level.files) {
          lines[Joined(file.db_path, file.name)] =
              StringPrintf(" : level %d, column family '", level.level) + family.name + "'\n";
        }
      }
      for (const BlobMetaData& file : family.blob_files) {
        lines[Joined(file.blob_file_path, file.blob_file_name)] =
            ", column family '" + family.name + "'\n";
      }
    }
    Print("Live SST and Blob Files:\n");
    for (const auto& [path, line] : lines) Write(path + line);
  }

  static void PrintFamily(const ColumnFamilyMetaData& family) {
    Write("===== Column Family: " + family.name + " =====\nLive SST Files:\n");
    for (const LevelMetaData& level : family.levels) {
      Print("---------- level %d ----------\n", level.level);
      for (const SstFileMetaData& file : level.files) {
        Write(Joined(file.db_path, file.name) + "\n");
      }
    }
    Print("Live Blob Files:\n");
    for (const BlobMetaData& file : family.blob_files) {
      Write(Joined(file.blob_file_path, file.blob_file_name) + "\n");
    }
  }
};

class WriteExternalCommand final : public ToolCommand {
 public:
  explicit WriteExternalCommand(const CommandLine& line)
      : ToolCommand(
            line, false,
            {ARG_HEX, ARG_KEY_HEX, ARG_VALUE_HEX, ARG_FROM, ARG_TO, ARG_CREATE_IF_MISSING}) {
    if (line.cmd_params.size() != 1) {
      Fail("output SST file path must be specified");
    } else {
      path_ = line.cmd_params[0];
    }
  }

  void DoCommand() override {
    SstFileWriter writer(EnvOptions(), db_->GetOptions(GetCfHandle()), GetCfHandle());
    if (!Check(writer.Open(path_), "failed to open SST file: ")) return;
    uint64_t bad_lines = 0;
    InputLines input;
    std::string line, key, value;
    while (input.Next(&line)) {
      if (ParseKeyValue(line, &key, &value, is_key_hex_, is_value_hex_)) {
        if (!Check(writer.Put(key, value), "failed to write record to file: ")) return;
      } else if (!Slice(line).starts_with("Keys in range:")) {
        ++bad_lines;
      }
    }
    if (!Check(writer.Finish(), "Failed to finish writing to file: ")) return;
    if (bad_lines > 0) PrintError("Warning: %" PRIu64 " bad lines ignored.\n", bad_lines);
    exec_state_ = LDBCommandExecuteResult::Succeed("external SST file written to " + path_);
  }

 private:
  std::string path_;
};

class IngestCommand final : public ToolCommand {
 public:
  explicit IngestCommand(const CommandLine& line)
      : ToolCommand(
            line, false,
            {"move_files", "snapshot_consistency", "allow_global_seqno", ARG_CREATE_IF_MISSING,
             "allow_blocking_flush", "ingest_behind", "write_global_seqno"}) {
    ingest_.move_files = Flag("move_files");
    ingest_.snapshot_consistency = Flag("snapshot_consistency", true);
    ingest_.allow_global_seqno = Flag("allow_global_seqno", true);
    ingest_.allow_blocking_flush = Flag("allow_blocking_flush", true);
    ingest_.ingest_behind = Flag("ingest_behind");
    // RocksDB's tool writes the number into the file by default, for releases before 5.16.
    ingest_.write_global_seqno = Flag("write_global_seqno", false);
    if (!ingest_.allow_global_seqno && ingest_.write_global_seqno) {
      Fail("ldb cannot write global_seqno to the ingested SST when global_seqno is not allowed");
    }
    if (line.cmd_params.size() != 1) {
      Fail("input SST path must be specified");
    } else {
      path_ = line.cmd_params[0];
    }
  }
  void DoCommand() override {
    if (Check(db_->IngestExternalFile(GetCfHandle(), {path_}, ingest_),
              "failed to ingest external SST: ")) {
      exec_state_ = LDBCommandExecuteResult::Succeed("external SST files ingested");
    }
  }

 private:
  IngestExternalFileOptions ingest_;
  std::string path_;
};

// A command on a MANIFEST that no database has open.
class OfflineCommand : public ToolCommand {
 public:
  bool NoDBOpen() override { return true; }

 protected:
  OfflineCommand(const CommandLine& line, std::vector<std::string> own)
      : ToolCommand(line, false, std::move(own)) {
    if (db_path_.empty()) Fail("--db must be specified");
  }
  // False: the command has failed.
  bool Prepare() {
    PrepareOptions();
    if (column_families_.empty()) column_families_.emplace_back(kDefaultColumnFamilyName, options_);
    return !exec_state_.IsFailed();
  }
};

class RemoveTableCommand final : public OfflineCommand {
 public:
  explicit RemoveTableCommand(const CommandLine& line) : OfflineCommand(line, {}) {
    if (line.cmd_params.size() != 1) {
      Fail("SST file number must be specified");
    } else if (!ParseUint64(line.cmd_params[0], &number_)) {
      Fail("Failed to parse SST file number " + line.cmd_params[0]);
    }
  }
  void DoCommand() override {
    if (!Prepare()) return;
    OfflineManifest manifest(db_path_, options_, column_families_);
    Status s = manifest.Open();
    if (s.ok()) s = manifest.RemoveTable(number_);
    if (!Check(s, "failed to unsafely remove SST file: ")) return;
    exec_state_ = LDBCommandExecuteResult::Succeed("unsafely removed SST file");
  }

 private:
  uint64_t number_ = 0;
};

class UpdateManifestCommand final : public OfflineCommand {
 public:
  explicit UpdateManifestCommand(const CommandLine& line)
      : OfflineCommand(line, {"verbose", "update_temperatures"}) {
    verbose_ = Flag("verbose");
    if (!Flag("update_temperatures")) {
      Fail("No action like --update_temperatures specified for update_manifest");
    }
  }
  void DoCommand() override {
    if (!Prepare()) return;
    options_.info_log = std::make_shared<StderrLogger>(verbose_ ? InfoLogLevel::INFO_LEVEL
                                                                : InfoLogLevel::WARN_LEVEL);
    if (!Check(experimental::UpdateManifestForFilesState(options_, db_path_, column_families_),
               "failed to update manifest: ")) {
      return;
    }
    exec_state_ = LDBCommandExecuteResult::Succeed("Manifest updates successful");
  }

 private:
  bool verbose_ = false;
};

}  // namespace

std::span<const CommandEntry> FileCommands() {
  static constexpr CommandEntry kCommands[] = {
      {"update_manifest", " [--update_temperatures]      MUST NOT be used on a live DB.",
       MakeCommand<UpdateManifestCommand>},
      {"file_checksum_dump", " [--path=<path_to_manifest_file>]", MakeCommand<ChecksumDumpCommand>},
      {"dump_live_files", " [--decode_blob_index]  [--dump_uncompressed_blobs] ",
       MakeCommand<DumpLiveFilesCommand>},
      {"list_live_files_metadata", " [--sort_by_filename] ", MakeCommand<LiveFilesMetadataCommand>},
      {"write_extern_sst", " <output_sst_path>", MakeCommand<WriteExternalCommand>},
      {"ingest_extern_sst",
       " <input_sst_path> [--move_files]  [--snapshot_consistency]  [--allow_global_seqno]  "
       "[--allow_blocking_flush]  [--ingest_behind]  [--write_global_seqno] ",
       MakeCommand<IngestCommand>},
      {"unsafe_remove_sst_file", " <SST file number>      MUST NOT be used on a live DB.",
       MakeCommand<RemoveTableCommand>},
  };
  return kCommands;
}

}  // namespace cairn
