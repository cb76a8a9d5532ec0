#include "compaction/subcompaction.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "base/perf.h"
#include "base/stop_watch.h"
#include "compaction/compaction_iterator.h"
#include "compaction/courtesy.h"
#include "compaction/entry_ages.h"
#include "compaction/file_times.h"
#include "compaction/job_filter.h"
#include "compaction/level_output.h"
#include "compaction/remote_part.h"
#include "compaction/table_writer.h"
#include "compaction/tombstone_writer.h"
#include "fiber/clock.h"
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

Subcompaction::Subcompaction(const JobEnv& env, const Compaction* compaction, const EntryAges* ages,
                             std::optional<std::string> begin, std::optional<std::string> end,
                             const std::atomic<bool>* stop, int index)
    : env_(env),
      compaction_(compaction),
      ages_(ages),
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

TableWriterOptions Subcompaction::WriterOptions(bool proximal) const {
  TableWriterOptions options;
  options.level = proximal ? compaction_->proximal_level() : compaction_->output_level();
  options.path_id = compaction_->output_path_id();
  // (Where young entries stay reads of old ones pass by.)
  options.bottommost = compaction_->bottommost_level() && !proximal;
  options.compression = compaction_->output_compression();
  options.compression_opts = compaction_->output_compression_opts();
  // No more than that can come out; a limit that the user gives may be far above it.
  options.target_file_size =
      std::min(compaction_->target_output_file_size(), compaction_->total_input_bytes());
  options.epoch_number = compaction_->MinInputFileEpochNumber();
  options.oldest_ancester_time = compaction_->MinInputFileOldestAncesterTime();
  options.reason = TableFileCreationReason::kCompaction;
  options.temperature =
      proximal ? compaction_->proximal_temperature() : compaction_->output_temperature();
  options.times = &ages_->times;
  const VerifyOutputFlags verify = compaction_->options().verify_output_flags;
  const bool verifies =
      !!(verify & (env_.is_worker ? VerifyOutputFlags::kEnableForRemoteCompaction
                                  : VerifyOutputFlags::kEnableForLocalCompaction));
  options.read_back = compaction_->options().paranoid_file_checks ||
                      (verifies && !!(verify & (VerifyOutputFlags::kVerifyBlockChecksum |
                                                VerifyOutputFlags::kVerifyIteration)));
  options.verify_file_checksum = verifies && !!(verify & VerifyOutputFlags::kVerifyFileChecksum);
  return options;
}

Status Subcompaction::WriteOutputs(CompactionIterator* kept, const RangeTombstones* tombstones,
                                   Courtesy* courtesy) {
  const bool timed = compaction_->options().report_bg_io_stats;
  uint64_t read_before = Perf::State()->io.bytes_read;
  const auto note_reads = [&] {
    const uint64_t read = Perf::State()->io.bytes_read;
    ThreadOperation::AddToProperty(ThreadStatus::OP_COMPACTION, ThreadStatus::COMPACTION_BYTES_READ,
                                   read - std::exchange(read_before, read));
  };
  // (Where nothing is kept out of the last level all sequence numbers are old enough for it.)
  const SequenceNumber old_through = ages_->proximal_after;
  const auto tombstones_of = [&](SequenceNumber from, SequenceNumber through) {
    TombstoneWriter writer(env_.icmp, tombstones, env_.snapshots, compaction_->bottommost_level(),
                           env_.history_low);
    writer.Restrict(from, through);
    return writer;
  };
  TombstoneWriter old_tombstones = tombstones_of(0, old_through);
  dropped_.ranges = old_tombstones.dropped();
  LevelOutput old(env_, compaction_, WriterOptions(/*proximal=*/false), &old_tombstones, timed,
                  &counts_, note_reads);
  std::optional<TombstoneWriter> young_tombstones;
  std::optional<LevelOutput> young;
  if (compaction_->proximal_level() >= 0) {
    young_tombstones.emplace(tombstones_of(old_through + 1, kMaxSequenceNumber));
    young.emplace(env_, compaction_, WriterOptions(/*proximal=*/true), &*young_tombstones, timed,
                  &counts_, note_reads);
  }

  Status s;
  const auto write_next = [&] {
    if (kept->is_first_version()) {
      old.BeginUserKey();
      if (young) young->BeginUserKey();
    }
    const bool is_young = young && kept->parsed().sequence > old_through;
    s = (is_young ? *young : old).Add(*kept, &blobs_);
    if (s.ok()) kept->Next();
  };
  const auto step = [&] {
    const FileTimes times(timed, &counts_);
    for (int i = 0; i < kStep && s.ok() && kept->Valid(); ++i) write_next();
    if (s.ok()) s = old.status();
    if (s.ok() && young) s = young->status();
    return s.ok() && kept->Valid();
  };
  if (kept->Valid()) courtesy->Run(step);
  const FileTimes times(timed, &counts_);
  note_reads();
  if (s.ok()) s = kept->status();
  if (s.ok()) s = old.WriteRest();
  if (s.ok() && young) s = young->WriteRest();
  if (s.ok()) s = blobs_.Finish();
  if (s.ok()) s = old.Close();
  if (s.ok() && young) s = young->Close();
  Status waited = old.Wait();
  if (s.ok()) s = waited;
  outputs_ = std::move(*old.outputs());
  if (young) {
    waited = young->Wait();
    if (s.ok()) s = waited;
    proximal_outputs_ = std::move(*young->outputs());
    proximal_records_ = young->records();
  }
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
  kept.SetPreserveAfter(ages_->preserve_after);
  const Slice begin = begin_ ? Slice(*begin_) : Slice();
  const Slice end = end_ ? Slice(*end_) : Slice();
  kept.Start(begin_ ? &begin : nullptr, end_ ? &end : nullptr);
  std::function<bool()> urgent;
  if (env_.urgent) urgent = [this] { return env_.urgent(0); };
  Courtesy courtesy(urgent);
  s = WriteOutputs(&kept, tombstones.get(), &courtesy);
  counts_.Add(kept.counts());
  dropped_.Add(kept.dropped());
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
  for (std::vector<FileMetaData>* const outputs : {&outputs_, &proximal_outputs_}) {
    for (const FileMetaData& output : *outputs) {
      env_.table_cache->Evict(output.number);
      // If this fails the next open finds the file.
      env_.fs
          ->DeleteFile(TableFileName(env_.paths, output.number, output.path_id), IOOptions(),
                       nullptr)
          .PermitUncheckedError();
    }
    outputs->clear();
  }
  blobs_.Drop();
}

}  // namespace cairn
