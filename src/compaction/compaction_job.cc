#include "compaction/compaction_job.h"

#include <atomic>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/logging.h"
#include "base/stop_watch.h"
#include "fiber/clock.h"
#include "fiber/thread.h"
#include "fs/file_util.h"
#include "fs/thread_list.h"
#include "rocksdb/listener.h"

namespace cairn {

CompactionJob::CompactionJob(const JobEnv& env, Compaction* compaction)
    : env_(env), compaction_(compaction) {}

void CompactionJob::CountInputs() {
  for (const CompactionInputFiles& input : compaction_->inputs()) {
    for (const FileMetaData* file : input.files) {
      if (input.level == compaction_->output_level()) {
        stats_.bytes_read_output_level += file->file_size;
        ++stats_.input_files_output_level;
      } else {
        stats_.bytes_read_start_levels += file->file_size;
        ++stats_.input_files_start_levels;
      }
    }
  }
}

void CompactionJob::LogStart() const {
  LogInfo(env_.info_log, "[%s] [JOB %d] Compacting %s", env_.column_family_name.c_str(),
          env_.job_id, compaction_->InputSummary().c_str());
  {
    EventLine event(env_.info_log, "compaction_started", env_.job_id);
    event.Field("cf_name", env_.column_family_name);
    for (const CompactionInputFiles& input : compaction_->inputs()) {
      event.BeginList("files_L" + std::to_string(input.level));
      for (const FileMetaData* file : input.files) event.Item(file->number);
      event.EndList();
    }
    event.Field("score", compaction_->score())
        .Field("input_data_size", compaction_->total_input_bytes())
        .Field("oldest_snapshot_seqno",
               env_.snapshots.empty() ? int64_t{-1} : static_cast<int64_t>(env_.snapshots.front()));
    if (SecondsOfTimes(compaction_->options()) != 0) {
      event.Field("preserve_seqno_after", ages_.preserve_after);
    }
    if (compaction_->proximal_level() >= 0) {
      event.Field("proximal_after_seqno", ages_.proximal_after)
          .Field("proximal_output_level", compaction_->proximal_level())
          .Field("proximal_output_range",
                 compaction_->placement().full_range ? "FULL_RANGE" : "NON_LAST_RANGE");
    }
  }
}

void CompactionJob::LogEnd(const Status& s, size_t parts) const {
  EventLine event(env_.info_log, "compaction_finished", env_.job_id);
  event.Field("status", s.ToString())
      .Field("compaction_time_micros", stats_.micros)
      .Field("compaction_time_cpu_micros", stats_.cpu_micros)
      .Field("output_level", compaction_->output_level())
      .Field("num_output_files", stats_.output_files)
      .Field("num_subcompactions", parts)
      .Field("total_output_size", stats_.bytes_written)
      .Field("num_blob_output_files", counts_.num_output_files_blob)
      .Field("total_blob_output_size", stats_.bytes_written_blob)
      .Field("num_input_records", stats_.records_in)
      .Field("num_output_records", stats_.records_in - stats_.records_dropped);
  if (proximal_stats_.output_files > 0) {
    event.Field("proximal_level_num_output_files", proximal_stats_.output_files)
        .Field("proximal_level_bytes_written", proximal_stats_.bytes_written)
        .Field("proximal_level_num_output_records", proximal_stats_.records_in);
  }
}

void CompactionJob::TellPart(const Parts& parts, size_t part, const Status* end) const {
  if (env_.db_options->listeners.empty()) return;
  SubcompactionJobInfo info;
  info.cf_id = env_.column_family_id;
  info.cf_name = env_.column_family_name;
  info.job_id = env_.job_id;
  info.subcompaction_job_id = static_cast<int>(part);
  info.base_input_level = compaction_->start_level();
  info.output_level = compaction_->output_level();
  info.compaction_reason = compaction_->reason();
  info.compression = compaction_->output_compression();
  info.blob_compression_type = compaction_->options().blob_compression_type;
  if (end != nullptr) {
    const Subcompaction& done = *parts[part];
    info.status = *end;
    info.stats = done.counts();
    info.stats.has_accurate_num_input_records = !done.skipped_input();
    info.stats.cpu_micros = done.cpu_micros();
    info.stats.num_input_records = done.records_in();
    info.stats.num_output_records = done.records_in() - done.records_dropped();
    for (const auto* const outputs : {&done.outputs(), &done.proximal_outputs()}) {
      info.stats.num_output_files += outputs->size();
      for (const FileMetaData& file : *outputs) info.stats.total_output_bytes += file.file_size;
    }
    info.stats.total_output_bytes += info.stats.total_output_bytes_blob;
  }
  for (const auto& listener : env_.db_options->listeners) {
    if (end == nullptr) {
      listener->OnSubcompactionBegin(info);
    } else {
      listener->OnSubcompactionCompleted(info);
    }
  }
}

Status CompactionJob::RunParts(const Parts& parts) {
  std::vector<Status> results(parts.size());
  std::atomic<size_t> failed{parts.size()};  // the first one that did; the others may be told by it
  const auto run = [&](size_t i) {
    TellPart(parts, i, nullptr);
    results[i] = parts[i]->Run();
    TellPart(parts, i, &results[i]);
    if (results[i].ok()) return;
    size_t none = parts.size();
    failed.compare_exchange_strong(none, i);
    stop_.store(true);
  };
  std::vector<fiber::Thread> threads(parts.size());
  std::vector<size_t> mine = {0};
  for (size_t i = 1; i < parts.size(); ++i) {
    const int r = fiber::Thread::create(
        "rocksdb:sub" + std::to_string(i), [&run, i] { run(i); },
        /*nice=*/0, &threads[i]);
    if (r != 0) mine.push_back(i);  // no thread to be had: slower, nothing else
  }
  for (const size_t i : mine) run(i);
  for (fiber::Thread& thread : threads) {
    if (thread.joinable()) thread.join();
  }
  const size_t first = failed.load();
  return first == parts.size() ? Status::OK() : results[first];
}

void CompactionJob::AddBlobFiles(const Parts& parts) {
  VersionEdit* const edit = compaction_->edit();
  std::map<uint64_t, BlobFileGarbage> garbage;
  for (const auto& part : parts) {
    for (const BlobFileAddition& file : part->blobs().files()) {
      edit->AddBlobFile(file);
      stats_.bytes_written_blob += file.file_size();
    }
    part->blobs().AddGarbage(&garbage);
  }
  const BlobFileList& known = compaction_->version()->blob_files();
  for (const auto& [number, of_file] : garbage) {
    if (FindBlobFile(known, number) != nullptr) edit->AddBlobGarbage(of_file);
  }
  stats_.bytes_read_blob = counts_.total_blob_bytes_read;
}

// What is not read is lost with the inputs.
Status CompactionJob::CheckRecordCount(const Parts& parts) const {
  if (!env_.db_options->compaction_verify_record_count) return Status::OK();
  if (begin_ || end_) return Status::OK();  // some of the entries are another worker's
  for (const auto& part : parts) {
    if (part->skipped_input()) return Status::OK();
  }
  uint64_t expected = 0;
  for (const CompactionInputFiles& input : compaction_->inputs()) {
    for (const FileMetaData* file : input.files) {
      TableFileId id = file->TableId(input.level);
      id.for_job = true;
      TableCache::Ref table;
      Status s = env_.table_cache->FindTable(id, &table);
      if (!s.ok()) return s;
      const std::shared_ptr<const TableProperties> properties = table->GetTableProperties();
      // From other hands, or from before such tombstones were counted: it does not say.
      const bool has_tombstones = table->range_tombstones() != nullptr;
      if (properties->num_entries == 0 ||
          has_tombstones != (properties->num_range_deletions != 0)) {
        return Status::OK();
      }
      expected += properties->num_entries - properties->num_range_deletions;
    }
  }
  if (stats_.records_in == expected) return Status::OK();
  return Status::Corruption("compaction read " + std::to_string(stats_.records_in) +
                            " entries of tables that hold " + std::to_string(expected));
}

Status CompactionJob::SyncOutputs(const Parts& parts) const {
  std::set<uint32_t> paths;
  for (const auto& part : parts) {
    for (const FileMetaData& output : part->outputs()) paths.insert(output.path_id);
    for (const FileMetaData& output : part->proximal_outputs()) paths.insert(output.path_id);
    if (!part->blobs().files().empty()) paths.insert(0);
  }
  IOStatus s;
  for (const uint32_t path : paths) {
    if (s.ok()) s = SyncDirectory(env_.directories[path]);
  }
  return s;
}

void CompactionJob::TickStatistics(const Parts& parts) const {
  bool any_here = false;
  uint64_t written = stats_.bytes_written + stats_.bytes_written_blob;
  for (const auto& part : parts) {
    any_here |= !part->was_remote();
    for (const FileMetaData& output : part->outputs()) {
      if (part->was_remote()) written -= output.file_size;
    }
  }
  const uint64_t read = any_here ? stats_.bytes_read_start_levels + stats_.bytes_read_output_level +
                                       stats_.bytes_read_blob
                                 : 0;
  Statistics& statistics = *env_.statistics;
  statistics.recordTick(COMPACT_READ_BYTES, read);
  statistics.recordTick(COMPACT_WRITE_BYTES, written);
  const auto also = [&](Tickers reads, Tickers writes) {
    statistics.recordTick(reads, read);
    statistics.recordTick(writes, written);
  };
  switch (compaction_->reason()) {
    case CompactionReason::kFilesMarkedForCompaction:
      also(COMPACT_READ_BYTES_MARKED, COMPACT_WRITE_BYTES_MARKED);
      break;
    case CompactionReason::kPeriodicCompaction:
      also(COMPACT_READ_BYTES_PERIODIC, COMPACT_WRITE_BYTES_PERIODIC);
      break;
    case CompactionReason::kTtl:
      also(COMPACT_READ_BYTES_TTL, COMPACT_WRITE_BYTES_TTL);
      break;
    default:
      break;
  }
  statistics.recordTick(COMPACTION_KEY_DROP_USER, records_filtered_);
  statistics.recordTick(COMPACTION_KEY_DROP_NEWER_ENTRY, counts_.num_records_replaced);
  statistics.recordTick(COMPACTION_KEY_DROP_OBSOLETE, counts_.num_expired_deletion_records);
  statistics.recordTick(COMPACTION_KEY_DROP_RANGE_DEL, dropped_.by_ranges);
  statistics.recordTick(COMPACTION_RANGE_DEL_DROP_OBSOLETE, dropped_.ranges);
  statistics.recordTick(COMPACTION_OPTIMIZED_DEL_DROP_OBSOLETE, dropped_.optimized_deletions);
  statistics.recordTick(FILTER_OPERATION_TOTAL_TIME, dropped_.filter_nanos);
  statistics.reportTimeToHistogram(COMPACTION_TIME, stats_.micros);
  statistics.reportTimeToHistogram(COMPACTION_CPU_TIME, stats_.cpu_micros);
  statistics.recordTick(COMPACTION_CPU_TOTAL_TIME, stats_.cpu_micros);
  if (parts.size() > 1) statistics.recordInHistogram(NUM_SUBCOMPACTIONS_SCHEDULED, parts.size());
  statistics.recordInHistogram(NUM_FILES_IN_SINGLE_COMPACTION, compaction_->num_input_files());
}

Status CompactionJob::Run() {
  const uint64_t start = fiber::now_nanos();
  const uint64_t start_cpu = fiber::thread_cpu_nanos();
  const ThreadStage stage(ThreadStatus::STAGE_COMPACTION_RUN);
  ages_ = AgesOf(env_, *compaction_);
  LogStart();
  CountInputs();

  std::vector<std::string> boundaries;
  Status s;
  {
    const StopWatch watch(env_.statistics, SUBCOMPACTION_SETUP_TIME);
    s = PlanSubcompactions(*compaction_, env_.table_cache, &boundaries);
  }
  stats_.cpu_micros = (fiber::thread_cpu_nanos() - start_cpu) / 1000;
  Parts parts;
  for (size_t i = 0; i <= boundaries.size(); ++i) {
    parts.push_back(std::make_unique<Subcompaction>(
        env_, compaction_, &ages_, i == 0 ? begin_ : boundaries[i - 1],
        i == boundaries.size() ? end_ : boundaries[i], &stop_, static_cast<int>(i)));
  }
  if (s.ok()) s = RunParts(parts);
  for (const auto& part : parts) {
    records_filtered_ += part->records_filtered();
    counts_.Add(part->counts());
    dropped_.Add(part->dropped());
    if (part->skipped_input()) counts_.has_accurate_num_input_records = false;
    counts_.is_remote_compaction |= part->was_remote();
    stats_.cpu_micros += part->cpu_micros();
    stats_.records_in += part->records_in();
    stats_.records_dropped += part->records_dropped();
    proximal_stats_.output_files += static_cast<int>(part->proximal_outputs().size());
    proximal_stats_.records_in += part->proximal_records();
    stats_.output_files +=
        static_cast<int>(part->outputs().size() + part->proximal_outputs().size());
  }
  if (s.ok()) s = CheckRecordCount(parts);
  if (s.ok()) s = SyncOutputs(parts);

  if (s.ok()) {
    compaction_->AddInputDeletions(compaction_->edit());
    for (const auto& part : parts) {
      for (const FileMetaData& output : part->outputs()) {
        compaction_->edit()->AddFile(compaction_->output_level(), output);
        stats_.bytes_written += output.file_size;
      }
      for (const FileMetaData& output : part->proximal_outputs()) {
        compaction_->edit()->AddFile(compaction_->proximal_level(), output);
        stats_.bytes_written += output.file_size;
        proximal_stats_.bytes_written += output.file_size;
      }
    }
    AddBlobFiles(parts);
  } else {
    for (const auto& part : parts) part->DropOutputs();
    stats_.output_files = 0;
    proximal_stats_ = JobStats();
  }

  stats_.micros = (fiber::now_nanos() - start) / 1000;
  stats_.count = 1;
  if (env_.statistics != nullptr) TickStatistics(parts);
  LogEnd(s, parts.size());
  return s;
}

}  // namespace cairn
