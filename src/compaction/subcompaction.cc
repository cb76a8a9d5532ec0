#include "compaction/subcompaction.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "base/perf.h"
#include "base/stop_watch.h"
#include "compaction/compaction_iterator.h"
#include "compaction/courtesy.h"
#include "compaction/file_times.h"
#include "compaction/job_filter.h"
#include "compaction/remote_part.h"
#include "compaction/table_writer.h"
#include "compaction/tombstone_writer.h"
#include "fiber/clock.h"
#include "fiber/thread.h"
#include "fs/file_names.h"
#include "fs/thread_list.h"
#include "read/level_iterator.h"
#include "read/run_merger.h"

namespace cairn {
namespace {

// Entries, in a step: between two looks at whether writing still works.
constexpr int kStep = 64;

// Of one input file: fine enough to cut a few files into many parts.
constexpr size_t kAnchorsPerFile = 128;

bool MayBeSplit(const Compaction& compaction) {
  return compaction.max_subcompactions() > 1 && compaction.output_level() > 0 &&
         (compaction.start_level() == 0 || compaction.is_manual() ||
          compaction.options().compaction_style == kCompactionStyleUniversal);
}

// Makes one finished table durable on a thread of its own while the next one is being written: the
// sync is most of what a compaction waits for. At most one at a time.
class TableCloser {
 public:
  // Adds to *outputs, and with `timed` what a thread waits for the file system to *counts.
  TableCloser(std::vector<FileMetaData>* outputs, bool timed, CompactionJobStats* counts)
      : outputs_(outputs), timed_(timed), counts_(counts) {}
  ~TableCloser() { Wait().PermitUncheckedError(); }
  TableCloser(const TableCloser&) = delete;
  TableCloser& operator=(const TableCloser&) = delete;

  // SUSPENDS until the table before is durable.
  [[nodiscard]] Status Close(std::unique_ptr<TableWriter> writer) {
    Status s = Take(std::move(writer));
    if (!s.ok()) return s;
    const auto finish = [this] {
      const FileTimes times(timed_, &of_thread_);
      status_ = writer_->MakeDurable(&meta_);
    };
    // Without a thread it is done here, where the caller's times are taken.
    if (fiber::Thread::create("rocksdb:sync", finish, /*nice=*/0, &thread_) != 0) {
      status_ = writer_->MakeDurable(&meta_);
    }
    return Status::OK();
  }
  // The same where nothing is left to do meanwhile.
  [[nodiscard]] Status CloseLast(std::unique_ptr<TableWriter> writer) {
    Status s = Take(std::move(writer));
    if (!s.ok()) return s;
    status_ = writer_->MakeDurable(&meta_);
    return Wait();
  }
  // Adds the table that is being closed, if there is one, to the outputs. SUSPENDS.
  [[nodiscard]] Status Wait() {
    if (writer_ == nullptr) return Status::OK();
    if (thread_.joinable()) thread_.join();
    writer_.reset();
    counts_->Add(std::exchange(of_thread_, CompactionJobStats()));
    if (status_.ok()) outputs_->push_back(std::move(meta_));
    return std::exchange(status_, Status::OK());
  }

 private:
  Status Take(std::unique_ptr<TableWriter> writer) {
    Status s = writer->FinishTable();
    const Status before = Wait();
    if (s.ok()) s = before;
    if (s.ok()) writer_ = std::move(writer);
    return s;
  }

  std::vector<FileMetaData>* const outputs_;
  const bool timed_;
  CompactionJobStats* const counts_;
  // The thread's while it runs.
  CompactionJobStats of_thread_;
  std::unique_ptr<TableWriter> writer_;
  FileMetaData meta_;
  Status status_;
  fiber::Thread thread_;
};

}  // namespace

Status PlanSubcompactions(const Compaction& compaction, TableCache* tables,
                          std::vector<std::string>* boundaries) {
  boundaries->clear();
  if (!MayBeSplit(compaction)) return Status::OK();
  std::vector<TableAnchor> anchors;
  uint64_t total = 0;
  for (const CompactionInputFiles& input : compaction.inputs()) {
    for (const FileMetaData* file : input.files) {
      TableCache::Ref table;
      TableFileId id = file->TableId(input.level);
      id.for_job = true;
      Status s = tables->FindTable(id, &table);
      std::vector<TableAnchor> of_file;
      if (s.ok()) s = table->GetAnchors(kAnchorsPerFile, &of_file);
      if (!s.ok()) return s;
      for (TableAnchor& anchor : of_file) {
        total += anchor.bytes;
        anchors.push_back(std::move(anchor));
      }
    }
  }
  const InternalKeyComparator& icmp = compaction.icmp();
  std::sort(anchors.begin(), anchors.end(), [&icmp](const TableAnchor& a, const TableAnchor& b) {
    return icmp.CompareUserKey(a.user_key, b.user_key) < 0;
  });
  const uint64_t target =
      std::max<uint64_t>({total / compaction.max_subcompactions(), compaction.min_part_bytes(), 1});
  uint64_t part = 0;
  uint64_t done = 0;
  for (const TableAnchor& anchor : anchors) {
    if (boundaries->size() + 1 == compaction.max_subcompactions()) break;
    part += anchor.bytes;
    done += anchor.bytes;
    // What is left must be worth a part, too.
    if (part < target || total - done < target / 2) continue;
    if (!boundaries->empty() && icmp.CompareBare(boundaries->back(), anchor.user_key) >= 0) {
      continue;
    }
    // Never between two versions of a key.
    const size_t ts_size = icmp.timestamp_size();
    boundaries->push_back(ts_size == 0 ? anchor.user_key
                                       : WithMaxTimestamp(icmp.BareKey(anchor.user_key), ts_size));
    part = 0;
  }
  return Status::OK();
}

Subcompaction::Subcompaction(const JobEnv& env, const Compaction* compaction,
                             std::optional<std::string> begin, std::optional<std::string> end,
                             const std::atomic<bool>* stop, int index)
    : env_(env),
      compaction_(compaction),
      begin_(std::move(begin)),
      end_(std::move(end)),
      stop_(stop),
      index_(index),
      blobs_(env, *compaction) {}

Status Subcompaction::CheckStopped() const {
  if (env_.shutting_down != nullptr && env_.shutting_down->load(std::memory_order_relaxed)) {
    return Status::ShutdownInProgress("Database shutdown");
  }
  if (env_.canceled != nullptr && env_.canceled->load(std::memory_order_relaxed)) {
    return Status::Incomplete(Status::SubCode::kManualCompactionPaused);
  }
  // (So that who failed first is known: CompactionJob::RunParts.)
  if (stop_->load(std::memory_order_acquire)) {
    return Status::Aborted("another part of the compaction failed");
  }
  return Status::OK();
}

bool Subcompaction::Overlaps(const FileMetaData& file) const {
  const InternalKeyComparator& icmp = *env_.icmp;
  return (!begin_ || icmp.CompareUserKey(file.largest.user_key(), *begin_) >= 0) &&
         (!end_ || icmp.CompareUserKey(file.smallest.user_key(), *end_) < 0);
}

std::vector<InternalIterator*> Subcompaction::OpenInputs(const ReadOptions& read_options) const {
  const size_t readahead = env_.db_options->compaction_readahead_size;
  std::vector<InternalIterator*> children;
  for (const CompactionInputFiles& input : compaction_->inputs()) {
    std::vector<FileMetaData*> files;
    for (FileMetaData* file : input.files) {
      if (Overlaps(*file)) files.push_back(file);
    }
    if (files.empty()) continue;
    if (input.level == 0) {
      for (const FileMetaData* file : files) {
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
      children.push_back(NewLevelIterator(read_options, env_.icmp, env_.table_cache, files, level));
    }
  }
  return children;
}

Status Subcompaction::CollectTombstones(std::unique_ptr<const RangeTombstones>* tombstones) const {
  TombstoneCollector collector(env_.icmp, env_.trim_above);
  for (const CompactionInputFiles& input : compaction_->inputs()) {
    for (const FileMetaData* file : input.files) {
      if (!Overlaps(*file) || !file->MayHaveTombstones()) continue;
      TableCache::Ref table;
      TableFileId id = file->TableId(input.level);
      id.for_job = true;
      Status s = env_.table_cache->FindTable(id, &table);
      if (!s.ok()) return s;
      collector.AddOfTable(table->range_tombstones(), file->smallest.Encode(),
                           file->largest.Encode());
    }
  }
  const Slice begin = begin_ ? Slice(*begin_) : Slice();
  const Slice end = end_ ? Slice(*end_) : Slice();
  *tombstones = collector.Finish(begin_ ? &begin : nullptr, end_ ? &end : nullptr);
  return Status::OK();
}

Status Subcompaction::WriteOutputs(CompactionIterator* kept, TombstoneWriter* tombstones,
                                   Courtesy* courtesy) {
  TableWriterOptions options;
  options.level = compaction_->output_level();
  options.path_id = compaction_->output_path_id();
  options.bottommost = compaction_->bottommost_level();
  options.compression = compaction_->output_compression();
  options.compression_opts = compaction_->output_compression_opts();
  // No more than that can come out; a limit that the user gives may be far above it.
  options.target_file_size =
      std::min(compaction_->target_output_file_size(), compaction_->total_input_bytes());
  options.epoch_number = compaction_->MinInputFileEpochNumber();
  options.oldest_ancester_time = compaction_->MinInputFileOldestAncesterTime();
  options.reason = TableFileCreationReason::kCompaction;
  options.temperature = compaction_->output_temperature();
  const VerifyOutputFlags verify = compaction_->options().verify_output_flags;
  const bool verifies =
      !!(verify & (env_.is_worker ? VerifyOutputFlags::kEnableForRemoteCompaction
                                  : VerifyOutputFlags::kEnableForLocalCompaction));
  options.read_back = compaction_->options().paranoid_file_checks ||
                      (verifies && !!(verify & (VerifyOutputFlags::kVerifyBlockChecksum |
                                                VerifyOutputFlags::kVerifyIteration)));
  options.verify_file_checksum = verifies && !!(verify & VerifyOutputFlags::kVerifyFileChecksum);

  OutputCutter cutter(compaction_);
  std::unique_ptr<TableWriter> writer;
  const bool timed = compaction_->options().report_bg_io_stats;
  TableCloser closer(&outputs_, timed, &counts_);

  uint64_t read_before = Perf::State()->io.bytes_read;
  const auto note_reads = [&] {
    const uint64_t read = Perf::State()->io.bytes_read;
    ThreadOperation::AddToProperty(ThreadStatus::OP_COMPACTION, ThreadStatus::COMPACTION_BYTES_READ,
                                   read - std::exchange(read_before, read));
  };
  Status s;
  const auto open_next = [&] {
    writer = std::make_unique<TableWriter>(env_, compaction_->options(), options);
    s = writer->Open(env_.new_file_number());
  };
  const auto write_next = [&] {
    const bool cut = cutter.ShouldStopBefore(kept->key(), kept->is_first_version(),
                                             writer == nullptr ? 0 : writer->EstimatedFileSize());
    if (writer != nullptr && cut) {
      const Slice next = kept->parsed().user_key;
      tombstones->WriteUpTo(&next, writer.get());
      note_reads();
      s = closer.Close(std::exchange(writer, nullptr));
      if (!s.ok()) return;
    }
    if (writer == nullptr) {
      open_next();
      if (!s.ok()) return;
    }
    s = blobs_.AddEntry(*kept, writer.get());
    kept->Next();
  };
  const auto step = [&] {
    const FileTimes times(timed, &counts_);
    for (int i = 0; i < kStep && s.ok() && kept->Valid(); ++i) write_next();
    if (s.ok() && writer != nullptr) s = writer->status();
    return s.ok() && kept->Valid();
  };
  if (kept->Valid()) courtesy->Run(step);
  const FileTimes times(timed, &counts_);
  note_reads();
  if (s.ok()) s = kept->status();
  if (s.ok() && tombstones->HasMore()) {
    if (writer == nullptr) open_next();
    if (s.ok()) tombstones->WriteUpTo(nullptr, writer.get());
  }
  if (s.ok()) s = blobs_.Finish();
  if (s.ok() && writer != nullptr) s = closer.CloseLast(std::exchange(writer, nullptr));
  const Status closed = closer.Wait();
  if (s.ok()) s = closed;
  if (s.ok()) s = CheckStopped();
  return s;
}

Status Subcompaction::Run() {
  if (MayRunRemotely(env_, *compaction_)) {
    bool local = false;
    Status s = RunElsewhere(&local);
    if (!local) return s;
  }
  return RunHere();
}

Status Subcompaction::RunElsewhere(bool* local) {
  Status s = CheckStopped();
  if (!s.ok()) return s;
  const RemotePart part{env_, *compaction_, begin_,
                        end_, index_,       [this] { return CheckStopped(); }};
  RemoteResult result;
  s = RunRemotely(part, &result, local);
  if (!s.ok() || *local) return s;
  outputs_ = std::move(result.files);
  counts_ = result.counts;
  counts_.is_remote_compaction = true;
  skipped_input_ = !result.counts.has_accurate_num_input_records;
  records_in_ = result.records_in;
  records_dropped_ = result.records_dropped;
  records_filtered_ = result.records_filtered;
  cpu_micros_ = result.cpu_micros;
  if (env_.statistics != nullptr) {
    env_.statistics->recordTick(REMOTE_COMPACT_READ_BYTES, result.bytes_read);
    env_.statistics->recordTick(REMOTE_COMPACT_WRITE_BYTES, result.bytes_written);
  }
  return s;
}

Status Subcompaction::RunHere() {
  const ThreadStage stage(ThreadStatus::STAGE_COMPACTION_PROCESS_KV);
  const uint64_t start_cpu = fiber::thread_cpu_nanos();
  JobFilter filter;
  Status s = filter.ForCompaction(env_, *compaction_);
  if (!s.ok()) return s;
  ReadOptions read_options;
  if (env_.io_priority) read_options.rate_limiter_priority = env_.io_priority();
  read_options.fill_cache = false;
  read_options.verify_checksums = true;
  read_options.io_activity = Env::IOActivity::kCompaction;
  const std::unique_ptr<InternalIterator> input(NewRunMerger(env_.icmp, OpenInputs(read_options)));
  CompactionIterator kept(input.get(), env_.icmp, env_.snapshots, compaction_,
                          [this] { return CheckStopped(); });
  kept.SetFilter(filter.get());
  if (WantsDetailedTimes(env_.statistics)) kept.SetTimesFilter();
  kept.SetBlobs(&blobs_);
  kept.SetHistoryLow(env_.history_low);
  kept.SetTrim(env_.trim_above);
  kept.SetMergeOperator(compaction_->options().merge_operator.get());
  std::unique_ptr<const RangeTombstones> tombstones;
  s = CollectTombstones(&tombstones);
  if (!s.ok()) return s;
  kept.SetRangeTombstones(tombstones.get());
  TombstoneWriter tombstone_writer(env_.icmp, tombstones.get(), env_.snapshots,
                                   compaction_->bottommost_level(), env_.history_low);
  const Slice begin = begin_ ? Slice(*begin_) : Slice();
  const Slice end = end_ ? Slice(*end_) : Slice();
  kept.Start(begin_ ? &begin : nullptr, end_ ? &end : nullptr);
  std::function<bool()> urgent;
  if (env_.urgent) urgent = [this] { return env_.urgent(0); };
  Courtesy courtesy(urgent);
  s = WriteOutputs(&kept, &tombstone_writer, &courtesy);
  counts_.Add(kept.counts());
  dropped_ = kept.dropped();
  dropped_.ranges = tombstone_writer.dropped();
  counts_.num_expired_deletion_records += dropped_.ranges;
  blobs_.AddCounts(&counts_);
  records_in_ = kept.records_in();
  records_dropped_ = kept.records_dropped();
  records_filtered_ = kept.records_filtered();
  skipped_input_ = kept.skipped_input();
  cpu_micros_ = (fiber::thread_cpu_nanos() - start_cpu + courtesy.cpu_nanos_elsewhere()) / 1000;
  return s;
}

void Subcompaction::DropOutputs() {
  for (const FileMetaData& output : outputs_) {
    env_.table_cache->Evict(output.number);
    // If this fails the next open finds the file.
    env_.fs
        ->DeleteFile(TableFileName(env_.paths, output.number, output.path_id), IOOptions(), nullptr)
        .PermitUncheckedError();
  }
  outputs_.clear();
  blobs_.Drop();
}

}  // namespace cairn
