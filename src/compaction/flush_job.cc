#include "compaction/flush_job.h"

#include <algorithm>
#include <functional>
#include <memory>

#include "base/logging.h"
#include "base/timestamps.h"
#include "compaction/compaction_iterator.h"
#include "compaction/courtesy.h"
#include "compaction/job_filter.h"
#include "compaction/table_writer.h"
#include "compaction/tombstone_writer.h"
#include "fiber/clock.h"
#include "fs/file_util.h"
#include "fs/thread_list.h"
#include "read/run_merger.h"

namespace cairn {
namespace {

// Entries, in a step of the flush.
constexpr int kFlushStep = 64;

}  // namespace

FlushJob::FlushJob(const JobEnv& env, const ColumnFamilyOptions& cf_options,
                   std::vector<MemTable*> memtables, uint64_t epoch_number, const char* reason,
                   TableFileCreationReason creation_reason)
    : env_(env),
      cf_options_(cf_options),
      memtables_(std::move(memtables)),
      epoch_number_(epoch_number),
      reason_(reason),
      creation_reason_(creation_reason),
      blobs_(env, cf_options,
             creation_reason == TableFileCreationReason::kRecovery
                 ? BlobFileCreationReason::kRecovery
                 : BlobFileCreationReason::kFlush) {
  for (const MemTable* table : memtables_) {
    contents_.entries += table->num_entries();
    contents_.deletes += table->num_deletes();
    contents_.data_size += table->data_size();
    contents_.memory += table->ApproximateMemoryUsage();
  }
}

void FlushJob::CollapseHistory() {
  const Comparator& comparator = *env_.icmp->user_comparator();
  std::string newest;
  for (const MemTable* table : memtables_) {
    const std::string of_table = table->newest_timestamp();
    if (of_table.empty()) continue;
    if (newest.empty() || comparator.CompareTimestamp(newest, of_table) < 0) newest = of_table;
  }
  if (newest.empty()) return;
  const std::string& present = env_.history_low;
  if (!present.empty() && comparator.CompareTimestamp(newest, present) < 0) return;
  history_low_ = TimestampAfter(newest);
}

Status FlushJob::Run(uint64_t file_number, FileMetaData* meta) {
  const ThreadStage stage(ThreadStatus::STAGE_FLUSH_RUN);
  const uint64_t start = fiber::now_nanos();
  const uint64_t start_cpu = fiber::thread_cpu_nanos();
  *meta = FileMetaData();
  JobFilter filter;
  Status s = filter.ForFlush(env_, cf_options_, creation_reason_);
  TellStarted();
  const std::unique_ptr<InternalIterator> input(
      NewRunMerger(env_.icmp, OpenMemtables(filter.get() != nullptr)));
  CompactionIterator kept(input.get(), env_.icmp, env_.snapshots, /*compaction=*/nullptr);
  kept.SetFilter(filter.get());
  kept.SetBlobs(&blobs_);
  const bool strips = LacksTimestampsInTables(cf_options_);
  if (strips) {
    CollapseHistory();
    kept.SetStripsTimestamps();
  }
  const std::string& history_low = history_low_.empty() ? env_.history_low : history_low_;
  kept.SetHistoryLow(history_low);
  kept.SetMergeOperator(cf_options_.merge_operator.get());
  TombstoneCollector collector(env_.icmp);
  for (const MemTable* table : memtables_) {
    if (s.ok()) s = table->VerifyRangeTombstones();
    collector.Add(table->range_tombstones().get());
    table->LogDistribution();
  }
  const std::unique_ptr<const RangeTombstones> tombstones = collector.Finish(nullptr, nullptr);
  kept.SetRangeTombstones(tombstones.get());
  TombstoneWriter tombstone_writer(env_.icmp, tombstones.get(), env_.snapshots,
                                   /*bottommost=*/false, history_low);
  TableWriter writer(env_, cf_options_, WriterOptions());
  std::function<bool()> urgent;
  if (env_.urgent) {
    urgent = [&] {
      return env_.urgent(static_cast<double>(kept.records_in()) /
                         static_cast<double>(std::max<uint64_t>(contents_.entries, 1)));
    };
  }
  Courtesy courtesy(urgent);
  if (s.ok()) kept.Start();
  if (s.ok() && (kept.Valid() || tombstone_writer.HasMore())) {
    s = writer.Open(file_number);
    if (s.ok()) s = WriteTable(&kept, &tombstone_writer, &courtesy, &writer, meta);
    if (!s.ok() && meta->file_size > 0) writer.Abandon();
  } else if (s.ok()) {
    s = kept.status();
  }
  if (!s.ok()) {
    *meta = FileMetaData();
    blobs_.Drop();
  }

  stats_.micros = (fiber::now_nanos() - start) / 1000;
  stats_.cpu_micros =
      (fiber::thread_cpu_nanos() - start_cpu + courtesy.cpu_nanos_elsewhere()) / 1000;
  stats_.bytes_written = meta->file_size;
  for (const BlobFileAddition& file : blobs_.files()) stats_.bytes_written_blob += file.file_size();
  stats_.output_files = meta->file_size > 0 ? 1 : 0;
  stats_.records_in = kept.records_in();
  stats_.records_dropped = kept.records_dropped();
  stats_.count = 1;
  if (env_.statistics != nullptr) {
    env_.statistics->recordTick(FLUSH_WRITE_BYTES,
                                stats_.bytes_written + stats_.bytes_written_blob);
    env_.statistics->recordTick(COMPACTION_KEY_DROP_USER, kept.records_filtered());
    env_.statistics->reportTimeToHistogram(FLUSH_TIME, stats_.micros);
    CountPayload(kept.counts(), tombstones.get(), writer);
  }
  TellFinished(s, *meta);
  return s;
}

// How much of what was in memory is not in the table: newer entries hid it.
void FlushJob::CountPayload(const CompactionJobStats& read, const RangeTombstones* tombstones,
                            const TableWriter& writer) const {
  uint64_t payload = read.total_input_raw_key_bytes + read.total_input_raw_value_bytes;
  if (tombstones != nullptr) {
    for (const RangeTombstones::Fragment& fragment : tombstones->fragments()) {
      payload += fragment.sequences.size() *
                 (fragment.start.size() + kInternalKeyFooterSize + fragment.end.size());
    }
  }
  if (writer.raw_bytes() > payload) return;
  env_.statistics->recordTick(MEMTABLE_PAYLOAD_BYTES_AT_FLUSH, payload);
  env_.statistics->recordTick(MEMTABLE_GARBAGE_BYTES_AT_FLUSH, payload - writer.raw_bytes());
}

std::vector<InternalIterator*> FlushJob::OpenMemtables(bool filtered) const {
  std::vector<InternalIterator*> children;
  for (auto it = memtables_.rbegin(); it != memtables_.rend(); ++it) {
    // A filter may leave keys out; the faster traversal cannot seek.
    children.push_back(filtered ? (*it)->NewIterator() : (*it)->NewTraversal());
  }
  return children;
}

TableWriterOptions FlushJob::WriterOptions() const {
  TableWriterOptions options;
  options.level = 0;
  options.is_flush = true;
  options.compression = cf_options_.compression_per_level.empty()
                            ? cf_options_.compression
                            : cf_options_.compression_per_level[0];
  // The newest data are not among the part that is compressed.
  if (cf_options_.compaction_style == kCompactionStyleUniversal &&
      cf_options_.compaction_options_universal.compression_size_percent >= 0) {
    options.compression = kNoCompression;
  }
  options.compression_opts = cf_options_.compression_opts;
  options.target_file_size = contents_.data_size;
  options.epoch_number = epoch_number_;
  options.reason = creation_reason_;
  options.temperature = cf_options_.default_write_temperature;
  options.times = env_.times.get();
  options.read_back = cf_options_.paranoid_file_checks;
  return options;
}

// Into a writer that is open.
Status FlushJob::WriteTable(CompactionIterator* kept, TombstoneWriter* tombstones,
                            Courtesy* courtesy, TableWriter* writer, FileMetaData* meta) {
  const ThreadStage stage(ThreadStatus::STAGE_FLUSH_WRITE_L0);
  Status s;
  const auto step = [&] {
    for (int i = 0; i < kFlushStep && s.ok() && kept->Valid(); ++i) {
      s = blobs_.AddEntry(*kept, writer);
      kept->Next();
    }
    if (s.ok()) s = writer->status();
    return s.ok() && kept->Valid();
  };
  if (kept->Valid()) courtesy->Run(step);
  if (s.ok()) s = kept->status();
  if (s.ok() && cf_options_.check_flush_compaction_key_order && !kept->skipped_input() &&
      kept->records_in() != contents_.entries && env_.db_options->flush_verify_memtable_count) {
    s = Status::Corruption("flush read " + std::to_string(kept->records_in()) +
                           " entries of memtables that hold " + std::to_string(contents_.entries));
  }
  if (s.ok()) tombstones->WriteUpTo(nullptr, writer);
  if (s.ok()) s = blobs_.Finish();
  if (s.ok()) s = writer->Finish(meta);
  return s.ok() ? SyncDirectory(env_.directories.front()) : s;
}

void FlushJob::TellStarted() const {
  EventLine(env_.info_log, "flush_started", env_.job_id)
      .Field("num_memtables", memtables_.size())
      .Field("num_entries", contents_.entries)
      .Field("num_deletes", contents_.deletes)
      .Field("total_data_size", contents_.data_size)
      .Field("memory_usage", contents_.memory)
      .Field("flush_reason", reason_);
}

void FlushJob::TellFinished(const Status& s, const FileMetaData& meta) const {
  EventLine(env_.info_log, "flush_finished", env_.job_id)
      .Field("status", s.ToString())
      .Field("file_number", meta.number)
      .Field("file_size", meta.file_size)
      .Field("flush_time_micros", stats_.micros)
      .Field("num_input_records", stats_.records_in)
      .Field("num_dropped_records", stats_.records_dropped);
}

}  // namespace cairn
