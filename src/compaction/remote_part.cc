#include "compaction/remote_part.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/logging.h"
#include "base/timestamps.h"
#include "fs/file_checksum.h"
#include "fs/file_names.h"
#include "rocksdb/file_checksum.h"

namespace cairn {
namespace {

// See base/shortage.h.
Status Passing(Status s) {
  IOStatus io = status_to_io_status(std::move(s));
  io.SetRetryable(true);
  return io;
}

const char* NameOf(const RemotePart& part) { return part.env.column_family_name.c_str(); }

RemoteJob Describe(const RemotePart& part) {
  const Compaction& compaction = part.compaction;
  RemoteJob job;
  job.db_id = part.env.db_id;
  job.column_family = part.env.column_family_name;
  for (const std::string& path : part.env.paths) {
    job.paths.push_back(path == part.env.dbname ? "" : path);
  }
  job.options_file_number = part.env.options_file_number;
  job.manifest_number = part.env.manifest_number;
  job.manifest_bytes = part.env.manifest_bytes;
  for (const CompactionInputFiles& input : compaction.inputs()) {
    RemoteJob::Level level{input.level, {}};
    for (const FileMetaData* file : input.files) level.files.push_back(file->number);
    job.inputs.push_back(std::move(level));
  }
  job.output_level = compaction.output_level();
  job.begin = part.begin;
  job.end = part.end;
  job.snapshots = part.env.snapshots;
  job.history_low = part.env.history_low;
  job.compression = compaction.output_compression();
  job.target_output_file_size = compaction.target_output_file_size();
  job.max_compaction_bytes = compaction.max_compaction_bytes();
  job.manual = compaction.is_manual();
  job.reason = compaction.reason();
  job.temperature = compaction.output_temperature();
  return job;
}

CompactionServiceJobInfo Introduce(const RemotePart& part) {
  const Compaction& compaction = part.compaction;
  const JobEnv& env = part.env;
  const uint64_t id = (static_cast<uint64_t>(env.job_id) << 32) | static_cast<uint32_t>(part.index);
  return CompactionServiceJobInfo(
      env.dbname, env.db_id, env.db_session_id, env.column_family_id, env.column_family_name, id,
      Env::LOW, compaction.reason(), compaction.is_full_compaction(), compaction.is_manual(),
      compaction.bottommost_level(), compaction.start_level(), compaction.output_level());
}

// Moves the tables of a result into the database; whatever it has not kept when it is destroyed, it
// deletes.
class Installation {
 public:
  Installation(const RemotePart& part, RemoteResult* result) : part_(part), result_(*result) {}
  ~Installation() {
    if (kept_) return;
    for (const uint64_t number : moved_) {
      part_.env.table_cache->Evict(number);
      // If this fails the next open finds the file.
      part_.env.fs->DeleteFile(PathOf(number), IOOptions(), nullptr).PermitUncheckedError();
    }
  }
  Installation(const Installation&) = delete;
  Installation& operator=(const Installation&) = delete;

  [[nodiscard]] Status Run() {
    Status s = CheckBounds();
    for (size_t i = 0; s.ok() && i < result_.files.size(); ++i) s = CheckFile(result_.files[i]);
    for (size_t i = 0; s.ok() && i < result_.files.size(); ++i) s = Take(&result_.files[i]);
    kept_ = s.ok();
    return s;
  }

 private:
  std::string PathOf(uint64_t number) const {
    return TableFileName(part_.env.paths, number, part_.compaction.output_path_id());
  }
  Status Bad(const FileMetaData& file, const char* why) const {
    return Status::Corruption(
        std::string("the result of a remote compaction is not as it should be: ") + why,
        TableFileName(result_.output_path, file.number));
  }

  // What the tables are said to have lies within the part, ascending.
  Status CheckBounds() const {
    const InternalKeyComparator& icmp = *part_.env.icmp;
    if (result_.output_level != part_.compaction.output_level()) {
      return Status::Corruption("the result of a remote compaction is of another level");
    }
    const FileMetaData* before = nullptr;
    for (const FileMetaData& file : result_.files) {
      for (const InternalKey* bound : {&file.smallest, &file.largest}) {
        if (bound->Encode().size() < 8 + icmp.timestamp_size())
          return Bad(file, "a bound is short");
      }
      if (icmp.Compare(file.smallest.Encode(), file.largest.Encode()) > 0 ||
          (before != nullptr &&
           icmp.Compare(before->largest.Encode(), file.smallest.Encode()) >= 0)) {
        return Bad(file, "its bounds are in no order");
      }
      if (!InRange(file)) return Bad(file, "it has keys of others");
      if (file.smallest_seqno > file.largest_seqno) return Bad(file, "sequence numbers");
      before = &file;
    }
    return Status::OK();
  }

  bool InRange(const FileMetaData& file) const {
    const InternalKeyComparator& icmp = *part_.env.icmp;
    const Slice first = file.smallest.user_key(), last = file.largest.user_key();
    return icmp.CompareBare(first, part_.compaction.smallest_user_key()) >= 0 &&
           icmp.CompareBare(last, part_.compaction.largest_user_key()) <= 0 &&
           (!part_.begin || icmp.CompareBare(first, *part_.begin) >= 0) &&
           // (A tombstone may end where the part does.)
           (!part_.end || icmp.CompareBare(last, *part_.end) <= 0);
  }

  Status CheckFile(const FileMetaData& file) const {
    const std::string path = TableFileName(result_.output_path, file.number);
    uint64_t size = 0;
    IOStatus io = part_.env.fs->GetFileSize(path, IOOptions(), &size, nullptr);
    if (!io.ok()) return io;
    if (size == file.file_size) return Status::OK();
    return Bad(file,
               ("it has " + std::to_string(size) + " bytes, not " + std::to_string(file.file_size))
                   .c_str());
  }

  Status Take(FileMetaData* file) {
    const std::string from = TableFileName(result_.output_path, file->number);
    file->number = part_.env.new_file_number();
    file->path_id = part_.compaction.output_path_id();
    IOStatus io = part_.env.fs->RenameFile(from, PathOf(file->number), IOOptions(), nullptr);
    if (!io.ok()) return io;
    moved_.push_back(file->number);
    TableCache::Ref table;
    TableFileId id = file->TableId(part_.compaction.output_level());
    id.slot = nullptr;  // this metadata is not the one that stays
    id.for_job = true;
    Status s = part_.env.table_cache->FindTable(id, &table);
    if (s.ok()) FillIn(*table->GetTableProperties(), file);
    if (s.ok() && ReadsAll()) s = ReadAll(*file, id);
    if (s.ok() && part_.env.check_space) s = part_.env.check_space();
    return s;
  }

  // As the worker had it.
  static void FillIn(const TableProperties& properties, FileMetaData* file) {
    file->num_entries = properties.num_entries;
    file->num_deletions = properties.num_deletions;
    file->has_no_tombstones = properties.num_range_deletions == 0;
    file->raw_key_size = properties.raw_key_size;
    file->raw_value_size = properties.raw_value_size;
    file->stats_known = true;
  }

  bool ReadsAll() const {
    const ColumnFamilyOptions& options = part_.compaction.options();
    const VerifyOutputFlags flags = options.verify_output_flags;
    using Flags = VerifyOutputFlags;
    return options.paranoid_file_checks ||
           (!!(flags & Flags::kEnableForRemoteCompaction) &&
            !!(flags & (Flags::kVerifyBlockChecksum | Flags::kVerifyIteration |
                        Flags::kVerifyFileChecksum)));
  }

  // The bytes are those that the worker wrote.
  Status ReadAll(const FileMetaData& file, const TableFileId& id) const {
    FileChecksumGenFactory* const factory = part_.env.db_options->file_checksum_gen_factory.get();
    if (factory != nullptr && file.file_checksum_func_name != kUnknownFileChecksumFuncName) {
      const Status s = VerifyFileChecksum(part_.env.fs, PathOf(file.number), FileOptions(), factory,
                                          file.file_checksum, file.file_checksum_func_name,
                                          /*readahead=*/0, ReadLimits());
      if (!s.IsNotFound() && !s.IsInvalidArgument()) return s;
    }
    ReadOptions options;
    options.fill_cache = false;
    return part_.env.table_cache->VerifyChecksum(options, id);
  }

  const RemotePart& part_;
  RemoteResult& result_;
  std::vector<uint64_t> moved_;
  bool kept_ = false;
};

Status Unscheduled(const RemotePart& part, CompactionServiceJobStatus why, bool* local) {
  Logger* const log = part.env.info_log;
  switch (why) {
    case CompactionServiceJobStatus::kUseLocal:
      LogInfo(log, "[%s] [JOB %d] The compaction service leaves it to the database", NameOf(part),
              part.env.job_id);
      *local = true;
      return Status::OK();
    case CompactionServiceJobStatus::kAborted:
      return Passing(Status::Aborted("Scheduling a remote compaction was aborted"));
    default:
      return Passing(Status::Incomplete("CompactionService failed to schedule a compaction"));
  }
}

// Of a job that failed.
Status WhyFailed(CompactionServiceJobStatus how, const std::string& answer) {
  if (how == CompactionServiceJobStatus::kAborted) {
    return Status::Aborted("Waiting for a remote compaction was aborted");
  }
  RemoteResult told;
  if (!told.Decode(answer).ok()) {
    return Status::Incomplete(
        "CompactionService failed to run a compaction, and there is no result that tells why");
  }
  if (!told.status.ok()) return told.status;
  return Status::Incomplete(
      "CompactionService failed to run a compaction, though its result says nothing of it");
}

}  // namespace

bool MayRunRemotely(const JobEnv& env, const Compaction& compaction) {
  if (env.db_options->compaction_service == nullptr) return false;
  if (!env.trim_above.empty() || LacksTimestampsInTables(compaction.options())) return false;
  if (compaction.options().enable_blob_files) return false;
  // A worker writes to one level.
  if (compaction.proximal_level() >= 0) return false;
  for (const CompactionInputFiles& input : compaction.inputs()) {
    for (const FileMetaData* file : input.files) {
      if (file->oldest_blob_file_number != kNoBlobFile) return false;
    }
  }
  return true;
}

Status RunRemotely(const RemotePart& part, RemoteResult* result, bool* local) {
  *local = false;
  CompactionService* const service = part.env.db_options->compaction_service.get();
  Logger* const log = part.env.info_log;
  LogInfo(log, "[%s] [JOB %d] Part %d goes to the compaction service %s", NameOf(part),
          part.env.job_id, part.index, service->Name());
  const CompactionServiceScheduleResponse response =
      service->Schedule(Introduce(part), Describe(part).Encode());
  if (response.status != CompactionServiceJobStatus::kSuccess) {
    return Unscheduled(part, response.status, local);
  }
  std::string answer;
  const CompactionServiceJobStatus how = service->Wait(response.scheduled_job_id, &answer);
  if (how == CompactionServiceJobStatus::kUseLocal) {
    return Unscheduled(part, how, local);
  }
  Status s = part.check();
  if (how != CompactionServiceJobStatus::kSuccess) {
    // (At the end of the database a service gives up because it is told to.)
    if (s.ok()) s = Passing(WhyFailed(how, answer));
    LogWarn(log, "[%s] [JOB %d] Remote compaction failed: %s", NameOf(part), part.env.job_id,
            s.ToString().c_str());
    return s;
  }
  if (s.ok()) {
    if (const Status decoded = result->Decode(answer); !decoded.ok()) {
      LogWarn(log, "[%s] [JOB %d] %s: the part runs here", NameOf(part), part.env.job_id,
              decoded.ToString().c_str());
      service->OnInstallation(response.scheduled_job_id, CompactionServiceJobStatus::kUseLocal);
      *local = true;
      return Status::OK();
    }
    s = result->status;
    if (s.ok()) s = Installation(part, result).Run();
    if (!s.ok()) s = Passing(std::move(s));
    if (!s.ok()) {
      LogWarn(log, "[%s] [JOB %d] What a remote compaction has made is not taken: %s", NameOf(part),
              part.env.job_id, s.ToString().c_str());
    }
  }
  service->OnInstallation(response.scheduled_job_id, s.ok() ? CompactionServiceJobStatus::kSuccess
                                                            : CompactionServiceJobStatus::kFailure);
  return s;
}

}  // namespace cairn
