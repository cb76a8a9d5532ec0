#include "db/remote_worker.h"

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/logging.h"
#include "base/perf.h"
#include "base/stop_watch.h"
#include "compaction/compaction_job.h"
#include "compaction/remote_messages.h"
#include "db/background_work.h"
#include "db/database.h"
#include "db/families.h"
#include "db/opening.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "fs/info_log.h"
#include "options/options_check.h"
#include "options/options_file.h"
#include "rocksdb/convenience.h"
#include "table/compression.h"

namespace cairn {
namespace {

class RemoteWorker {
 public:
  RemoteWorker(const RemoteWork& work, const RemoteJob& job)
      : work_(work),
        job_(job),
        env_(work.overrides.env != nullptr ? work.overrides.env : Env::Default()),
        fs_(env_->GetFileSystem()) {}

  [[nodiscard]] Status Run(RemoteResult* result) {
    Status s = LoadOptions();
    if (s.ok()) s = PrepareDirectory();
    if (!s.ok()) return s;
    // (No listener hears of a database that is not the user's.)
    Database db(/*db=*/nullptr, db_options_, work_.name, OpenMode::kSecondary);
    for (const std::string& path : job_.paths) {
      db.worker_paths.push_back(path.empty() ? work_.name : path);
    }
    db.worker_paths.push_back(work_.output_directory);
    s = Compact(&db, result);
    LogInfo(db_options_.info_log.get(), "Remote compaction ends: %s", s.ToString().c_str());
    return s;
  }

 private:
  // --- Options
  Status LoadOptionsFileOf(const ConfigOptions& config, OptionsFileContents* contents) const;
  Status LoadOptions();
  Status OverrideFamily(const ConfigOptions& config, ColumnFamilyOptions* options) const;

  Status PrepareDirectory();
  Status Compact(Database* db, RemoteResult* result) const;
  Status FindFamily(const Database& db, const std::vector<ColumnFamily*>& families,
                    ColumnFamily** family) const;
  // What the primary has picked.
  Status Restore(ColumnFamily* family, std::unique_ptr<Compaction>* compaction) const
      FIBER_REQUIRES(database_mutex);

  const RemoteWork& work_;
  const RemoteJob& job_;
  Env* const env_;
  const std::shared_ptr<FileSystem> fs_;
  DBOptions db_options_;
  std::vector<ColumnFamilyDescriptor> families_;  // the default one, and the one that is meant
};

Status RemoteWorker::LoadOptionsFileOf(const ConfigOptions& config,
                                       OptionsFileContents* contents) const {
  Status s = LoadOptionsFile(fs_.get(), OptionsFileName(work_.name, job_.options_file_number),
                             RulesOf(config), contents);
  // The primary may have written others since, whose options it has in force: it keeps two.
  constexpr int kAttempts = 10;
  for (int i = 0; i < kAttempts && (s.IsNotFound() || s.IsPathNotFound()); ++i) {
    std::string newest;
    s = FindLatestOptionsFile(fs_.get(), work_.name, &newest);
    if (!s.ok()) break;
    *contents = OptionsFileContents();
    s = LoadOptionsFile(fs_.get(), work_.name + "/" + newest, RulesOf(config), contents);
  }
  return s;
}

Status RemoteWorker::OverrideFamily(const ConfigOptions& config,
                                    ColumnFamilyOptions* options) const {
  const CompactionServiceOptionsOverride& from = work_.overrides;
  ColumnFamilyOptions changed;
  Status s = GetColumnFamilyOptionsFromMap(config, *options, from.options_map, &changed);
  if (!s.ok()) return s;
  *options = std::move(changed);
  options->comparator = from.comparator;
  options->merge_operator = from.merge_operator;
  options->compaction_filter = from.compaction_filter;
  options->compaction_filter_factory = from.compaction_filter_factory;
  options->prefix_extractor = from.prefix_extractor;
  if (from.table_factory != nullptr) options->table_factory = from.table_factory;
  options->sst_partitioner_factory = from.sst_partitioner_factory;
  options->table_properties_collector_factories = from.table_properties_collector_factories;
  // A primary that has them runs such compactions itself.
  options->enable_blob_files = false;
  return s;
}

Status RemoteWorker::LoadOptions() {
  const CompactionServiceOptionsOverride& from = work_.overrides;
  if (from.comparator == nullptr) return Status::InvalidArgument("the comparator is null");
  ConfigOptions config;
  config.env = env_;
  config.ignore_unknown_options = true;
  config.ignore_unsupported_options = true;
  OptionsFileContents contents;
  Status s = LoadOptionsFileOf(config, &contents);
  DBOptions db_options;
  if (s.ok()) {
    s = GetDBOptionsFromMap(config, contents.db_options, from.options_map, &db_options);
  }
  if (!s.ok()) return s;
  db_options.env = env_;
  db_options.file_checksum_gen_factory = from.file_checksum_gen_factory;
  db_options.statistics = from.statistics;
  db_options.listeners = from.listeners;
  db_options.info_log = from.info_log;
  db_options.compaction_service = nullptr;
  db_options.max_open_files = -1;
  db_options.db_log_dir.clear();
  db_options_ = SanitizeOptions(db_options, work_.name);

  for (ColumnFamilyDescriptor& family : contents.families) {
    if (family.name == job_.column_family) {
      s = OverrideFamily(config, &family.options);
    } else if (family.name != kDefaultColumnFamilyName) {
      continue;
    } else if (contents.comparator_names[family.name] == from.comparator->Name()) {
      // Nothing of it is read but the MANIFEST, whose order it is.
      family.options.comparator = from.comparator;
    }
    if (s.ok()) s = CompleteOptions(db_options_, &family.options);
    if (!s.ok()) return s;
    families_.push_back(std::move(family));
  }
  return s;
}

Status RemoteWorker::PrepareDirectory() {
  IOStatus io = CreateDirDurably(fs_.get(), work_.output_directory);
  std::vector<std::string> names;
  if (io.ok()) io = fs_->GetChildren(work_.output_directory, IOOptions(), &names, nullptr);
  if (!io.ok()) return io;
  for (const std::string& name : names) {
    uint64_t number = 0;
    FileType type;
    if (name == "." || name == "..") continue;
    if (ParseFileName(name, &number, &type) && type == FileType::kInfoLogFile) continue;
    return Status::InvalidArgument("the output directory of a remote compaction is not empty",
                                   work_.output_directory + "/" + name);
  }
  if (db_options_.info_log != nullptr) return io;
  return CreateLoggerFromOptions(work_.output_directory, db_options_, &db_options_.info_log);
}

Status RemoteWorker::FindFamily(const Database& db, const std::vector<ColumnFamily*>& families,
                                ColumnFamily** family) const {
  if (db.versions->db_id() != job_.db_id) {
    return Status::InvalidArgument(
        "the compaction is of the database " + job_.db_id + ", this one is " + db.versions->db_id(),
        work_.name);
  }
  const uint64_t manifest = db.versions->manifest_file_number();
  if (manifest < job_.manifest_number ||
      (manifest == job_.manifest_number &&
       db.versions->manifest_file_size() < job_.manifest_bytes)) {
    return Status::TryAgain("what is seen here of the MANIFEST is older than the compaction",
                            work_.name);
  }
  for (ColumnFamily* candidate : families) {
    if (candidate->name() != job_.column_family) continue;
    *family = candidate;
    return Status::OK();
  }
  return Status::InvalidArgument("the database has no column family of this name",
                                 job_.column_family);
}

Status RemoteWorker::Restore(ColumnFamily* family, std::unique_ptr<Compaction>* compaction) const {
  const ColumnFamilyOptions& options = *family->options;
  Version* const version = family->current();
  if (job_.output_level >= version->num_levels()) {
    return Status::InvalidArgument("the column family has no level " +
                                   std::to_string(job_.output_level));
  }
  if (!SupportsCompression(options, job_.compression)) {
    return Status::NotSupported("the compression of the tables is not built in");
  }
  Compaction::Params params;
  for (const RemoteJob::Level& wanted : job_.inputs) {
    CompactionInputFiles input{wanted.level, {}};
    // In the level's order.
    const std::set<uint64_t> numbers(wanted.files.begin(), wanted.files.end());
    for (FileMetaData* file : version->files(wanted.level)) {
      if (numbers.contains(file->number)) input.files.push_back(file);
    }
    if (input.files.size() != wanted.files.size()) {
      return Status::InvalidArgument("inputs of the compaction are not in the database",
                                     "of " + std::to_string(wanted.files.size()) +
                                         " tables of level " + std::to_string(wanted.level) +
                                         " it has " + std::to_string(input.files.size()));
    }
    params.inputs.push_back(std::move(input));
  }
  params.output_level = job_.output_level;
  params.output_path_id = static_cast<uint32_t>(family->paths.size() - 1);
  params.target_output_file_size = job_.target_output_file_size;
  params.max_compaction_bytes = job_.max_compaction_bytes;
  params.compression = job_.compression;
  params.compression_opts = CompressionOptionsForLevel(options, *version, job_.output_level);
  params.manual = job_.manual;
  params.reason = job_.reason;
  params.temperature = job_.temperature;
  params.may_be_placed = false;
  *compaction = family->picker->Start(options, version, std::move(params));
  return Status::OK();
}

Status RemoteWorker::Compact(Database* db, RemoteResult* result) const {
  std::vector<ColumnFamily*> families;
  ColumnFamily* family = nullptr;
  std::unique_ptr<FSDirectory> directory;
  Status s;
  {
    const StopWatch watch(db->statistics, OPEN_AND_COMPACT_DB_OPEN_MICROS);
    s = db->opening->OpenForCompaction(families_, &families);
  }
  if (s.ok()) s = FindFamily(*db, families, &family);
  if (s.ok()) s = db->fs->NewDirectory(work_.output_directory, IOOptions(), &directory, nullptr);
  if (!s.ok()) return s;
  JobEnv env;
  std::unique_ptr<Compaction> compaction;
  {
    DBMutexLock lock(db->mutex());
    s = Restore(family, &compaction);
    if (!s.ok()) return s;
    env = db->work->MakeJobEnv(*family, db->jobs.next_id.fetch_add(1), Env::IO_LOW);
  }
  env.directories.assign(env.paths.size(), nullptr);
  env.directories.back() = directory.get();
  env.snapshots = job_.snapshots;
  env.history_low = job_.history_low;
  env.canceled = work_.options.canceled;
  env.is_worker = true;
  CompactionJob job(env, compaction.get());
  job.SetRange(job_.begin, job_.end);
  const uint64_t read_before = Perf::State()->io.bytes_read;
  s = job.Run();
  if (s.ok()) {
    result->output_path = work_.output_directory;
    result->output_level = job_.output_level;
    for (const auto& file : compaction->edit()->new_files()) result->files.push_back(file.meta);
    result->counts = job.counts();
    result->records_in = job.stats().records_in;
    result->records_dropped = job.stats().records_dropped;
    result->records_filtered = job.records_filtered();
    result->cpu_micros = job.stats().cpu_micros;
    result->bytes_read = Perf::State()->io.bytes_read - read_before;
    result->bytes_written = job.stats().bytes_written;
  }
  DBMutexLock lock(db->mutex());
  compaction.reset();
  return s;
}

Status Work(const RemoteWork& work, const std::string& input, RemoteResult* result) {
  if (work.options.allow_resumption) {
    return Status::NotSupported(
        "OpenAndCompactOptions::allow_resumption is not supported by this version of Cairn");
  }
  if (work.options.canceled != nullptr && work.options.canceled->load(std::memory_order_relaxed)) {
    return Status::Incomplete(Status::SubCode::kManualCompactionPaused);
  }
  RemoteJob job;
  if (Status s = job.Decode(input); !s.ok()) return s;
  return RemoteWorker(work, job).Run(result);
}

}  // namespace

Status RunRemoteWorker(const RemoteWork& work, const std::string& input, std::string* output) {
  RemoteResult result;
  Status s = Work(work, input, &result);
  result.status = s;
  *output = result.Encode();
  return s;
}

}  // namespace cairn
