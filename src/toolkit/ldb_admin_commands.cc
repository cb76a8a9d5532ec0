// Commands of ldb over a database as a whole: its families, levels, properties, copies, repair.
#include <cinttypes>
#include <climits>
#include <memory>
#include <string>

#include "base/string_util.h"
#include "rocksdb/utilities/backup_engine.h"
#include "rocksdb/utilities/checkpoint.h"
#include "toolkit/console.h"
#include "toolkit/database_use.h"
#include "toolkit/ldb_commands.h"
#include "toolkit/manifest_picture.h"

namespace cairn {
namespace {

class CompactCommand final : public ToolCommand {
 public:
  explicit CompactCommand(const CommandLine& line)
      : ToolCommand(line, false, {ARG_FROM, ARG_TO, ARG_HEX, ARG_KEY_HEX, ARG_VALUE_HEX, ARG_TTL}),
        from_(Bound(ARG_FROM, is_key_hex_)),
        to_(Bound(ARG_TO, is_key_hex_)) {}

  void DoCommand() override {
    CompactRangeOptions options;
    options.bottommost_level_compaction = BottommostLevelCompaction::kForceOptimized;
    const std::string from = from_.value_or(""), to = to_.value_or("");
    const Slice begin = from, end = to;
    Check(db_->CompactRange(options, GetCfHandle(), from_ ? &begin : nullptr, to_ ? &end : nullptr),
          "Compaction failed: ");
  }

 private:
  const std::optional<std::string> from_, to_;
};

// Moves all of a family to as few levels as are asked for.
class ReduceLevelsCommand final : public ToolCommand {
 public:
  explicit ReduceLevelsCommand(const CommandLine& line)
      : ToolCommand(line, false, {"new_levels", "print_old_levels"}) {
    ParseIntOption(option_map_, "new_levels", new_levels_, exec_state_);
    if (new_levels_ <= 0) {
      Fail(" Use --new_levels to specify a new level number\n");
    } else if (new_levels_ == 1) {
      Fail("Invalid number of levels.\n");
    } else if (db_path_.empty()) {
      Fail("--db must be specified");
    }
  }
  bool NoDBOpen() override { return true; }

  void OverrideBaseCFOptions(ColumnFamilyOptions* options) override {
    ToolCommand::OverrideBaseCFOptions(options);
    if (open_levels_ == 0) return;
    options->num_levels = open_levels_;
    options->max_bytes_for_level_multiplier_additional.resize(static_cast<size_t>(open_levels_), 1);
    // No level is too large, so that nothing moves by itself.
    options->max_bytes_for_level_base = uint64_t{1} << 50;
    options->max_bytes_for_level_multiplier = 1;
  }

  void DoCommand() override {
    int old_levels = 0;
    if (!CountLevels(&old_levels)) return;
    if (HasFlag("print_old_levels")) {
      Print("The old number of levels in use is %d\n", old_levels);
    }
    if (old_levels <= new_levels_) return;
    open_levels_ = old_levels;
    OpenDB();
    if (exec_state_.IsFailed()) return;
    Print("Compacting the db...\n");
    CompactRangeOptions all;
    all.change_level = true;
    all.target_level = new_levels_ - 1;
    if (!Check(db_->CompactRange(all, GetCfHandle(), nullptr, nullptr))) return;
    CloseDB();
    if (exec_state_.IsFailed()) return;
    // Once more: a new MANIFEST, which does not speak of the levels that were left.
    open_levels_ = new_levels_;
    OpenDB();
  }

 private:
  // By the MANIFEST: of a database with too many levels nothing else needs to be right.
  bool CountLevels(int* levels) {
    ManifestPicture picture;
    if (!Check(picture.ReadCurrent(options_.env->GetFileSystem().get(), db_path_))) return false;
    for (const auto& [id, family] : picture.families) {
      if (family.name != column_family_name_) continue;
      for (size_t level = 0; level < family.levels.size(); ++level) {
        if (!family.levels[level].empty()) *levels = static_cast<int>(level) + 1;
      }
      return true;
    }
    Fail("Non-existing column family " + column_family_name_);
    return false;
  }

  int new_levels_ = -1;
  int open_levels_ = 0;  // 0: those of the options
};

// Makes one file of all, on level 0, where universal compaction can go on from it.
class ChangeStyleCommand final : public ToolCommand {
 public:
  explicit ChangeStyleCommand(const CommandLine& line)
      : ToolCommand(line, false, {"old_compaction_style", "new_compaction_style"}) {
    int styles[2] = {-1, -1};
    const char* const names[] = {"old", "new"};
    for (int i = 0; i < 2; ++i) {
      const std::string option = std::string(names[i]) + "_compaction_style";
      ParseIntOption(option_map_, option, styles[i], exec_state_);
      if (styles[i] == kCompactionStyleLevel || styles[i] == kCompactionStyleUniversal) continue;
      Fail("Use --" + option + " to specify " + names[i] +
           " compaction style. Check ldb help for proper compaction style value.\n");
      return;
    }
    if (styles[0] == styles[1]) {
      Fail("Old compaction style is the same as new compaction style. Nothing to do.\n");
    } else if (styles[0] == kCompactionStyleUniversal) {
      Fail("Convert from universal compaction to level compaction. Nothing to do.\n");
    }
  }

  void OverrideBaseCFOptions(ColumnFamilyOptions* options) override {
    ToolCommand::OverrideBaseCFOptions(options);
    options->disable_auto_compactions = true;
    options->target_file_size_base = INT_MAX;
    options->target_file_size_multiplier = 1;
    options->max_bytes_for_level_base = INT_MAX;
    options->max_bytes_for_level_multiplier = 1;
  }

  void DoCommand() override {
    Print("files per level before compaction: %s\n", FilesPerLevel().c_str());
    CompactRangeOptions all;
    all.change_level = true;
    all.target_level = 0;
    if (!Check(db_->CompactRange(all, GetCfHandle(), nullptr, nullptr), "Compaction failed: ")) {
      return;
    }
    for (int level = 0; level < db_->NumberLevels(GetCfHandle()); ++level) {
      const int expected = level == 0 ? 1 : 0;
      const std::string files = FilesAt(level);
      if (files == NumberToString(static_cast<uint64_t>(expected))) continue;
      Fail("Number of db files at level " + NumberToString(static_cast<uint64_t>(level)) +
           " after compaction is " + files + ", not " +
           NumberToString(static_cast<uint64_t>(expected)) + ".\n");
      return;
    }
    Print("files per level after compaction: %s\n", FilesPerLevel().c_str());
  }

 private:
  std::string FilesAt(int level) {
    std::string files;
    db_->GetProperty(
        GetCfHandle(),
        DB::Properties::kNumFilesAtLevelPrefix + NumberToString(static_cast<uint64_t>(level)),
        &files);
    return files;
  }
  std::string FilesPerLevel() {
    std::string text;
    for (int level = 0; level < db_->NumberLevels(GetCfHandle()); ++level) {
      text += (level == 0 ? "" : ",") + FilesAt(level);
    }
    return text;
  }
};

class GetPropertyCommand final : public ToolCommand {
 public:
  explicit GetPropertyCommand(const CommandLine& line) : ToolCommand(line, true, {}) {
    if (line.cmd_params.size() != 1) {
      Fail("property name must be specified");
    } else {
      property_ = line.cmd_params[0];
    }
  }
  void DoCommand() override {
    std::map<std::string, std::string> members;
    std::string value;
    if (db_->GetMapProperty(GetCfHandle(), property_, &members)) {
      if (members.empty()) Write(property_ + ": <empty map>\n");
      for (const auto& [name, member] : members) {
        std::string line = property_;
        line.append(".").append(name).append(": ").append(member);
        Write(line + "\n");
      }
    } else if (db_->GetProperty(GetCfHandle(), property_, &value)) {
      Write(property_ + ": " + value + "\n");
    } else {
      Fail("failed to get property: " + property_);
    }
  }

 private:
  std::string property_;
};

class ListFamiliesCommand final : public ToolCommand {
 public:
  explicit ListFamiliesCommand(const CommandLine& line) : ToolCommand(line, false, {}) {
    if (db_path_.empty()) Fail("--db must be specified");
  }
  bool NoDBOpen() override { return true; }
  void DoCommand() override {
    std::vector<std::string> names;
    if (!Check(DB::ListColumnFamilies(options_, db_path_, &names),
               "Error in processing db " + db_path_ + " ")) {
      return;
    }
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    Write("Column families in " + db_path_ + ": \n{" + text + "}\n");
  }
};

class CreateFamilyCommand final : public ToolCommand {
 public:
  explicit CreateFamilyCommand(const CommandLine& line) : ToolCommand(line, false, {}) {
    if (line.cmd_params.size() != 1) {
      Fail("new column family name must be specified");
    } else {
      name_ = line.cmd_params[0];
    }
  }
  void DoCommand() override {
    ColumnFamilyHandle* made = nullptr;
    if (!Check(db_->CreateColumnFamily(options_, name_, &made),
               "Fail to create new column family: ")) {
      return;
    }
    delete made;
    Print("OK\n");
  }

 private:
  std::string name_;
};

class DropFamilyCommand final : public ToolCommand {
 public:
  explicit DropFamilyCommand(const CommandLine& line) : ToolCommand(line, false, {}) {
    if (line.cmd_params.size() != 1) {
      Fail("The name of column family to drop must be specified");
    } else {
      name_ = line.cmd_params[0];
    }
  }
  void DoCommand() override {
    const auto found = cf_handles_.find(name_);
    if (found == cf_handles_.end()) {
      Fail("Column family: " + name_ + " doesn't exist in db.");
    } else if (Check(db_->DropColumnFamily(found->second), "Fail to drop column family: ")) {
      Print("OK\n");
    }
  }

 private:
  std::string name_;
};

class CheckConsistencyCommand final : public ToolCommand {
 public:
  explicit CheckConsistencyCommand(const CommandLine& line) : ToolCommand(line, true, {}) {
    if (db_path_.empty()) Fail("--db must be specified");
  }
  bool NoDBOpen() override { return true; }
  void DoCommand() override {
    options_.paranoid_checks = true;
    options_.num_levels = 64;  // whatever the database was made with
    OpenDB();
    if (!exec_state_.IsFailed()) Print("OK\n");
  }
};

class CheckpointCommand final : public ToolCommand {
 public:
  explicit CheckpointCommand(const CommandLine& line)
      : ToolCommand(line, false, {"checkpoint_dir"}) {
    if (!ParseStringOption(option_map_, "checkpoint_dir", &dir_)) {
      Fail("--checkpoint_dir: missing checkpoint directory");
    }
  }
  void DoCommand() override {
    Checkpoint* made = nullptr;
    Status s = Checkpoint::Create(db_, &made);
    const std::unique_ptr<Checkpoint> checkpoint(made);
    if (s.ok()) s = checkpoint->CreateCheckpoint(dir_);
    if (Check(s)) Print("OK\n");
  }

 private:
  std::string dir_;
};

class RepairCommand final : public ToolCommand {
 public:
  explicit RepairCommand(const CommandLine& line) : ToolCommand(line, false, {"verbose"}) {
    if (db_path_.empty()) Fail("--db must be specified");
  }
  bool NoDBOpen() override { return true; }
  void OverrideBaseOptions() override {
    ToolCommand::OverrideBaseOptions();
    options_.info_log = std::make_shared<StderrLogger>(
        HasFlag("verbose") ? InfoLogLevel::INFO_LEVEL : InfoLogLevel::WARN_LEVEL);
  }
  void DoCommand() override {
    PrepareOptions();
    if (exec_state_.IsFailed()) {
      Fail(exec_state_.ToString() +
           " (with --try_load_options=false the repair goes without the OPTIONS file)");
      return;
    }
    if (!CheckThere()) return;
    const Status s = column_families_.empty()
                         ? RepairDB(db_path_, options_)
                         : RepairDB(db_path_, options_, column_families_, options_);
    if (Check(s)) Print("OK\n");
  }

 private:
  // A repair of nothing would make a database.
  bool CheckThere() {
    std::vector<std::string> names;
    if (!Check(options_.env->GetChildren(db_path_, &names))) return false;
    if (names.empty()) Fail("nothing to repair in " + db_path_);
    return !names.empty() && Check(CheckUnused(options_.env, db_path_));
  }
};

class BackupEngineCommand : public ToolCommand {
 protected:
  explicit BackupEngineCommand(const CommandLine& line)
      : ToolCommand(
            line, false,
            {"backup_env_uri", "backup_fs_uri", "backup_dir", "num_threads", "stderr_log_level"}) {
    ParseIntOption(option_map_, "num_threads", threads_, exec_state_);
    if (threads_ < 1) Fail("num_threads must be > 0.");
    ParseStringOption(option_map_, "backup_env_uri", &env_uri_of_backup_);
    ParseStringOption(option_map_, "backup_fs_uri", &fs_uri_of_backup_);
    if (!env_uri_of_backup_.empty() && !fs_uri_of_backup_.empty()) {
      Fail("you may not specify both --backup_env_uri and --backup_fs_uri");
    }
    if (!ParseStringOption(option_map_, "backup_dir", &dir_)) {
      Fail("--backup_dir: missing backup directory");
    }
    int level;
    if (!ParseIntOption(option_map_, "stderr_log_level", level, exec_state_)) return;
    if (level < 0 || level >= InfoLogLevel::NUM_INFO_LOG_LEVELS) {
      Fail("stderr_log_level must be >= 0 and < " +
           NumberToString(InfoLogLevel::NUM_INFO_LOG_LEVELS) + ".");
    } else {
      logger_ = std::make_unique<StderrLogger>(static_cast<InfoLogLevel>(level));
    }
  }

  // What the engine is to be opened with. False: the command has failed.
  bool MakeOptions(std::unique_ptr<BackupEngineOptions>* made) {
    Env* env = options_.env;
    ConfigOptions strict = config_options_;
    strict.ignore_unsupported_options = false;
    if (!Check(Env::CreateFromUri(strict, env_uri_of_backup_, fs_uri_of_backup_, &env,
                                  &backup_env_))) {
      return false;
    }
    *made = std::make_unique<BackupEngineOptions>(dir_, env);
    (*made)->info_log = logger_.get();
    (*made)->max_background_operations = threads_;
    return true;
  }

 private:
  int threads_ = 1;
  std::string env_uri_of_backup_, fs_uri_of_backup_, dir_;
  std::shared_ptr<Env> backup_env_;
  std::unique_ptr<Logger> logger_;
};

class BackupCommand final : public BackupEngineCommand {
 public:
  explicit BackupCommand(const CommandLine& line) : BackupEngineCommand(line) {}
  void DoCommand() override {
    Print("open db OK\n");
    std::unique_ptr<BackupEngineOptions> options;
    if (!MakeOptions(&options)) return;
    BackupEngine* made = nullptr;
    Status s = BackupEngine::Open(options_.env, *options, &made);
    const std::unique_ptr<BackupEngine> engine(made);
    if (!Check(s)) return;
    Print("open backup engine OK\n");
    if (Check(engine->CreateNewBackup(db_))) Print("create new backup OK\n");
  }
};

class RestoreCommand final : public BackupEngineCommand {
 public:
  explicit RestoreCommand(const CommandLine& line) : BackupEngineCommand(line) {
    if (db_path_.empty()) Fail("--db must be specified");
  }
  bool NoDBOpen() override { return true; }
  void DoCommand() override {
    std::unique_ptr<BackupEngineOptions> options;
    if (!MakeOptions(&options)) return;
    BackupEngineReadOnly* made = nullptr;
    Status s = BackupEngineReadOnly::Open(options_.env, *options, &made);
    const std::unique_ptr<BackupEngineReadOnly> engine(made);
    if (!Check(s)) return;
    Print("open restore engine OK\n");
    if (Check(engine->RestoreDBFromLatestBackup(RestoreOptions(), db_path_, db_path_))) {
      Print("restore from backup OK\n");
    }
  }
};

}  // namespace

std::span<const CommandEntry> AdminCommands() {
  static constexpr CommandEntry kCommands[] = {
      {"checkconsistency", "", MakeCommand<CheckConsistencyCommand>},
      {"compact", " [--from] [--to] ", MakeCommand<CompactCommand>},
      {"reduce_levels", " --new_levels=<New number of levels> [--print_old_levels]",
       MakeCommand<ReduceLevelsCommand>},
      {"change_compaction_style",
       " --old_compaction_style=<Old compaction style: 0 for level compaction, 1 for universal "
       "compaction> --new_compaction_style=<New compaction style: 0 for level compaction, 1 for "
       "universal compaction>",
       MakeCommand<ChangeStyleCommand>},
      {"get_property", " <property_name>", MakeCommand<GetPropertyCommand>},
      {"list_column_families", "", MakeCommand<ListFamiliesCommand>},
      {"create_column_family", " --db=<db_path> <new_column_family_name>",
       MakeCommand<CreateFamilyCommand>},
      {"drop_column_family", " --db=<db_path> <column_family_name_to_drop>",
       MakeCommand<DropFamilyCommand>},
      {"repair", " [--verbose]", MakeCommand<RepairCommand>},
      {"backup",
       " [--backup_env_uri | --backup_fs_uri]  [--backup_dir]  [--num_threads]  "
       "[--stderr_log_level=<int (InfoLogLevel)>] ",
       MakeCommand<BackupCommand>},
      {"restore",
       " [--backup_env_uri | --backup_fs_uri]  [--backup_dir]  [--num_threads]  "
       "[--stderr_log_level=<int (InfoLogLevel)>] ",
       MakeCommand<RestoreCommand>},
      {"checkpoint", " [--checkpoint_dir] ", MakeCommand<CheckpointCommand>},
  };
  return kCommands;
}

}  // namespace cairn
