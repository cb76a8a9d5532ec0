#include "compaction/compaction_job.h"

#include <memory>

#include "base/logging.h"
#include "compaction/compaction_iterator.h"
#include "compaction/table_writer.h"
#include "fiber/clock.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "read/level_iterator.h"
#include "read/merging_iterator.h"

namespace cairn {
namespace {

// How many entries are written between two looks at whether writing still works.
constexpr uint64_t kCheckEvery = 1024;

}  // namespace

CompactionJob::CompactionJob(const JobEnv& env, Compaction* compaction)
    : env_(env), compaction_(compaction) {}

Status CompactionJob::CheckStopped() const {
  if (env_.shutting_down != nullptr && env_.shutting_down->load(std::memory_order_relaxed)) {
    return Status::ShutdownInProgress("Database shutdown");
  }
  if (env_.canceled != nullptr && env_.canceled->load(std::memory_order_relaxed)) {
    return Status::Incomplete(Status::SubCode::kManualCompactionPaused);
  }
  return Status::OK();
}

std::vector<InternalIterator*> CompactionJob::OpenInputs(const ReadOptions& read_options) {
  const size_t readahead = env_.db_options->compaction_readahead_size;
  std::vector<InternalIterator*> children;
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
    if (input.files.empty()) continue;
    if (input.level == 0) {
      for (const FileMetaData* file : input.files) {
        children.push_back(env_.table_cache->NewIterator(read_options, file->TableId(0),
                                                         /*for_compaction=*/true,
                                                         /*skip_filters=*/true, readahead));
      }
    } else {
      LevelIteratorOptions level;
      level.level = input.level;
      level.for_compaction = true;
      level.skip_filters = true;
      level.compaction_readahead = readahead;
      children.push_back(
          NewLevelIterator(read_options, env_.icmp, env_.table_cache, input.files, level));
    }
  }
  return children;
}

Status CompactionJob::WriteOutputs(CompactionIterator* kept) {
  TableWriterOptions options;
  options.level = compaction_->output_level();
  options.bottommost = compaction_->bottommost_level();
  options.compression = compaction_->output_compression();
  options.compression_opts = compaction_->output_compression_opts();
  options.target_file_size = compaction_->target_output_file_size();
  options.epoch_number = compaction_->MinInputFileEpochNumber();
  options.oldest_ancester_time = compaction_->MinInputFileOldestAncesterTime();

  OutputCutter cutter(compaction_);
  std::unique_ptr<TableWriter> writer;
  auto finish = [&]() -> Status {
    FileMetaData meta;
    Status s = writer->Finish(&meta);
    writer.reset();
    if (s.ok()) outputs_.push_back(std::move(meta));
    return s;
  };

  Status s;
  uint64_t since_check = 0;
  while (s.ok() && kept->Valid()) {
    if (++since_check % kCheckEvery == 0) {
      if (writer != nullptr) s = writer->status();
      if (!s.ok()) break;
    }
    const bool cut =
        cutter.ShouldStopBefore(kept->key(), writer == nullptr ? 0 : writer->EstimatedFileSize());
    if (writer != nullptr && cut) {
      s = finish();
      if (!s.ok()) break;
    }
    if (writer == nullptr) {
      writer = std::make_unique<TableWriter>(env_, compaction_->options(), options);
      s = writer->Open(env_.new_file_number());
      if (!s.ok()) break;
    }
    writer->Add(kept->parsed(), kept->key(), kept->value());
    kept->Next();
  }
  if (s.ok()) s = kept->status();
  if (s.ok() && writer != nullptr) s = finish();
  if (s.ok()) s = CheckStopped();
  if (s.ok() && !outputs_.empty()) s = SyncDirectory(env_.directory);
  return s;
}

Status CompactionJob::Run() {
  const uint64_t start = fiber::now_nanos();
  const uint64_t start_cpu = fiber::thread_cpu_nanos();
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
  }

  ReadOptions read_options;
  read_options.fill_cache = false;
  read_options.verify_checksums = true;
  std::unique_ptr<InternalIterator> input(NewMergingIterator(env_.icmp, OpenInputs(read_options)));
  CompactionIterator kept(input.get(), env_.icmp, env_.snapshots, compaction_,
                          [this] { return CheckStopped(); });
  kept.Start();
  Status s = WriteOutputs(&kept);

  if (s.ok()) {
    compaction_->AddInputDeletions(compaction_->edit());
    for (const FileMetaData& output : outputs_) {
      compaction_->edit()->AddFile(compaction_->output_level(), output);
      stats_.bytes_written += output.file_size;
    }
  } else {
    for (const FileMetaData& output : outputs_) {
      env_.table_cache->Evict(output.number);
      env_.fs
          ->DeleteFile(TableFileName(env_.paths, output.number, output.path_id), IOOptions(),
                       nullptr)
          .PermitUncheckedError();
    }
  }

  stats_.micros = (fiber::now_nanos() - start) / 1000;
  stats_.cpu_micros = (fiber::thread_cpu_nanos() - start_cpu) / 1000;
  stats_.output_files = static_cast<int>(outputs_.size());
  stats_.records_in = kept.records_in();
  stats_.records_dropped = kept.records_dropped();
  stats_.count = 1;
  if (env_.statistics != nullptr) {
    env_.statistics->recordTick(COMPACT_READ_BYTES,
                                stats_.bytes_read_start_levels + stats_.bytes_read_output_level);
    env_.statistics->recordTick(COMPACT_WRITE_BYTES, stats_.bytes_written);
    env_.statistics->recordInHistogram(COMPACTION_TIME, stats_.micros);
  }
  EventLine(env_.info_log, "compaction_finished", env_.job_id)
      .Field("status", s.ToString())
      .Field("compaction_time_micros", stats_.micros)
      .Field("compaction_time_cpu_micros", stats_.cpu_micros)
      .Field("output_level", compaction_->output_level())
      .Field("num_output_files", outputs_.size())
      .Field("total_output_size", stats_.bytes_written)
      .Field("num_input_records", stats_.records_in)
      .Field("num_output_records", stats_.records_in - stats_.records_dropped);
  return s;
}

}  // namespace cairn
