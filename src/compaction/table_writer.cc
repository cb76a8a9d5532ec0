#include "compaction/table_writer.h"

#include <algorithm>
#include <utility>

#include "base/logging.h"
#include "base/stop_watch.h"
#include "base/timestamps.h"
#include "fiber/clock.h"
#include "fs/file_checksum.h"
#include "fs/file_names.h"
#include "fs/thread_list.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/listener.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/table.h"

namespace cairn {

TableWriter::TableWriter(const JobEnv& env, const ColumnFamilyOptions& cf_options,
                         const TableWriterOptions& options)
    : env_(env), cf_options_(cf_options), options_(options) {}

TableWriter::~TableWriter() {
  if (!ended_) Abandon();
}

Status TableWriter::Open(uint64_t file_number) {
  path_ = TableFileName(env_.paths, file_number, options_.path_id);
  std::unique_ptr<FSWritableFile> file;
  TellStarted();
  FileOptions file_options = env_.file_options;
  file_options.temperature = options_.temperature;
  IOStatus io = env_.fs->NewWritableFile(path_, file_options, &file, nullptr);
  if (!io.ok()) {
    TellCreated(TableProperties(), io);
    return io;
  }
  ended_ = false;
  if (env_.db_options->allow_fallocate && options_.target_file_size > 0) {
    // A little over the target, for the file runs on to the end of its last block.
    file->SetPreallocationBlockSize(options_.target_file_size + options_.target_file_size / 10);
  }
  if (env_.io_priority) file->SetIOPriority(env_.io_priority());
  file_ = std::make_unique<FileWriter>(std::move(file), path_, env_.file_options);
  file_->EnableWriteBehind();
  if (env_.db_options->checksum_handoff_file_types.Contains(kTableFile)) {
    file_->EnableChecksumHandoff();
  }
  Histograms of_activity = FILE_WRITE_COMPACTION_MICROS;
  if (options_.reason == TableFileCreationReason::kRecovery) {
    of_activity = FILE_WRITE_DB_OPEN_MICROS;
  } else if (options_.is_flush) {
    of_activity = FILE_WRITE_FLUSH_MICROS;
  }
  file_->SetStatistics(env_.statistics, SST_WRITE_MICROS, of_activity);
  if (FileChecksumGenFactory* const factory = env_.db_options->file_checksum_gen_factory.get()) {
    FileChecksumGenContext context;
    context.file_name = path_;
    file_->SetChecksumGenerator(factory->CreateFileChecksumGenerator(context));
  }

  const uint64_t now = fiber::wall_micros() / 1000000;
  TableBuilderOptions builder(*env_.icmp, options_.compression);
  builder.compression_opts = options_.compression_opts;
  builder.compression_manager = cf_options_.compression_manager;
  builder.column_family_id = env_.column_family_id;
  builder.column_family_name = env_.column_family_name;
  builder.level = options_.level;
  builder.is_bottommost = options_.bottommost;
  builder.is_flush = options_.is_flush;
  builder.level_tells_age = cf_options_.compaction_style == kCompactionStyleLevel ||
                            cf_options_.compaction_style == kCompactionStyleUniversal;
  builder.reason = options_.reason;
  builder.will_be_read_back = options_.read_back;
  builder.use_secondary_cache = env_.db_options->lowest_used_cache_tier != CacheTier::kVolatileTier;
  builder.block_protection_bytes = cf_options_.block_protection_bytes_per_key;
  builder.strip_timestamps = LacksTimestampsInTables(cf_options_);
  builder.skip_filters = options_.bottommost && cf_options_.optimize_filters_for_hits;
  builder.creation_time =
      options_.oldest_ancester_time != kUnknownFileTime ? options_.oldest_ancester_time : now;
  builder.oldest_key_time = builder.creation_time;
  builder.file_creation_time = now;
  builder.db_id = env_.db_id;
  builder.db_session_id = env_.db_session_id;
  builder.cur_file_num = file_number;
  builder.target_file_size = options_.target_file_size;
  if (cf_options_.merge_operator != nullptr) {
    builder.merge_operator_name = cf_options_.merge_operator->Name();
  }
  builder.prefix_extractor = cf_options_.prefix_extractor.get();
  builder.bloom_locality = cf_options_.bloom_locality;
  builder.collector_factories = &cf_options_.table_properties_collector_factories;
  builder.statistics = env_.statistics;
  builder.info_log = env_.info_log;
  builder_.reset(cf_options_.table_factory->NewTableBuilder(builder, file_.get()));

  hash_ = 0;
  meta_ = FileMetaData();
  meta_.number = file_number;
  meta_.epoch_number = options_.epoch_number;
  meta_.oldest_ancester_time = builder.creation_time;
  meta_.file_creation_time = now;
  meta_.user_defined_timestamps_persisted = !builder.strip_timestamps;
  meta_.path_id = options_.path_id;
  meta_.temperature = options_.temperature;
  return Status::OK();
}

void TableWriter::TellStarted() {
  if (env_.db_options->listeners.empty()) return;
  TableFileCreationBriefInfo info;
  info.db_name = env_.dbname;
  info.cf_name = env_.column_family_name;
  info.file_path = path_;
  info.job_id = env_.job_id;
  info.reason = options_.reason;
  to_be_told_ = true;
  for (const auto& listener : env_.db_options->listeners) {
    listener->OnTableFileCreationStarted(info);
  }
}

void TableWriter::TellCreated(const TableProperties& properties, const Status& s) {
  if (!std::exchange(to_be_told_, false)) return;
  TableFileCreationInfo info;
  info.db_name = env_.dbname;
  info.cf_name = env_.column_family_name;
  info.file_path = path_;
  info.job_id = env_.job_id;
  info.reason = options_.reason;
  info.file_size = s.ok() ? meta_.file_size : 0;
  info.table_properties = properties;
  info.status = s;
  info.file_checksum = s.ok() ? meta_.file_checksum : kUnknownFileChecksum;
  info.file_checksum_func_name =
      s.ok() ? meta_.file_checksum_func_name : kUnknownFileChecksumFuncName;
  for (const auto& listener : env_.db_options->listeners) listener->OnTableFileCreated(info);
}

void TableWriter::AddTombstone(const Slice& start, const Slice& end, SequenceNumber sequence,
                               const Slice& timestamp) {
  InternalKey key(start, sequence, kTypeRangeDeletion);
  // Sorts before every entry of the user key, which is not covered.
  tombstones_largest_.Set(end, kMaxSequenceNumber, kTypeRangeDeletion);
  if (timestamp.empty()) [[likely]] {
    builder_->AddTombstone(key.Encode(), end);
    if (tombstones_smallest_.empty()) tombstones_smallest_ = key;
  } else {
    const InternalKeyComparator& icmp = *env_.icmp;
    const std::string stamp = meta_.user_defined_timestamps_persisted
                                  ? timestamp.ToString()
                                  : std::string(icmp.timestamp_size(), '\0');
    const auto stamped = [&](const Slice& user_key) {
      return icmp.BareKey(user_key).ToString() + stamp;
    };
    key.Set(stamped(start), sequence, kTypeRangeDeletion);
    builder_->AddTombstone(key.Encode(), stamped(end));
    // Timestamps may come in another order than sequence numbers.
    if (tombstones_smallest_.empty() ||
        icmp.Compare(key.Encode(), tombstones_smallest_.Encode()) < 0) {
      tombstones_smallest_ = key;
    }
    tombstones_largest_.Set(WithMaxTimestamp(icmp.BareKey(end), icmp.timestamp_size()),
                            kMaxSequenceNumber, kTypeRangeDeletion);
  }
  meta_.smallest_seqno = std::min(meta_.smallest_seqno, sequence);
  meta_.largest_seqno = std::max(meta_.largest_seqno, sequence);
}

// (What is no index was refused before.)
void TableWriter::NoteBlob(const Slice& index) {
  BlobIndex at;
  if (!DecodeBlobIndex(index, &at).ok()) return;
  uint64_t* const oldest = &meta_.oldest_blob_file_number;
  if (*oldest == kNoBlobFile || at.file_number < *oldest) *oldest = at.file_number;
}

Status TableWriter::GiveUp(Status s) {
  TellCreated(TableProperties(), s);
  if (file_ != nullptr) file_->Abandon();
  builder_.reset();
  Abandon();
  return s;
}

void TableWriter::SetTimes() {
  if (options_.times == nullptr || options_.times->empty()) return;
  SeqnoToTimeMapping part = options_.times->PartFor(meta_.smallest_seqno, meta_.largest_seqno);
  part.ThinTo(SeqnoToTimeMapping::kMaxPairsPerTable);
  std::string bytes;
  part.EncodeTo(&bytes);
  builder_->SetSeqnoToTimeMapping(std::move(bytes));
}

Status TableWriter::FinishTable() {
  SetTimes();
  Status s = builder_->Finish();
  if (s.ok()) s = file_->Flush();
  return s.ok() ? s : GiveUp(std::move(s));
}

Status TableWriter::MakeDurable(FileMetaData* meta) {
  if (options_.is_flush) {
    ThreadOperation::AddToProperty(ThreadStatus::OP_FLUSH, ThreadStatus::FLUSH_BYTES_WRITTEN,
                                   builder_->FileSize());
    return SyncAndCheck(meta);
  }
  const ThreadStage stage(ThreadStatus::STAGE_COMPACTION_SYNC_FILE);
  ThreadOperation::AddToProperty(ThreadStatus::OP_COMPACTION,
                                 ThreadStatus::COMPACTION_BYTES_WRITTEN, builder_->FileSize());
  return SyncAndCheck(meta);
}

Status TableWriter::SyncAndCheck(FileMetaData* meta) {
  Status s;
  {
    const StopWatch watch(env_.statistics,
                          options_.is_flush ? TABLE_SYNC_MICROS : COMPACTION_OUTFILE_SYNC_MICROS);
    s = file_->Sync(env_.db_options->use_fsync);
  }
  if (s.ok()) s = file_->Close();
  if (s.ok()) {
    file_->GetChecksum(&meta_.file_checksum, &meta_.file_checksum_func_name);
    const TableProperties properties = builder_->GetTableProperties();
    raw_bytes_ = properties.raw_key_size + properties.raw_value_size;
    meta_.unique_id = UniqueIdOf(properties);
    if (!builder_->LastKey().empty()) meta_.largest.DecodeFrom(builder_->LastKey());
    if (!tombstones_smallest_.empty()) {
      const InternalKeyComparator& icmp = *env_.icmp;
      if (meta_.smallest.empty() ||
          icmp.Compare(tombstones_smallest_.Encode(), meta_.smallest.Encode()) < 0) {
        meta_.smallest = tombstones_smallest_;
      }
      if (meta_.largest.empty() ||
          icmp.Compare(tombstones_largest_.Encode(), meta_.largest.Encode()) > 0) {
        meta_.largest = tombstones_largest_;
      }
    }
    meta_.file_size = builder_->FileSize();
    meta_.tail_size = builder_->TailSize();
    meta_.marked_for_compaction = builder_->NeedCompact();
    meta_.num_entries = properties.num_entries;
    meta_.num_deletions = properties.num_deletions;
    meta_.has_no_tombstones = properties.num_range_deletions == 0;
    meta_.raw_key_size = properties.raw_key_size;
    meta_.raw_value_size = properties.raw_value_size;
    meta_.stats_known = true;
    TableCache::Ref table;
    TableFileId id = meta_.TableId(options_.level);
    id.slot = nullptr;
    id.for_job = true;
    s = env_.table_cache->FindTable(id, &table);
    if (s.ok() && options_.read_back) s = ReadBack(id);
    if (s.ok() && options_.verify_file_checksum) s = VerifyFileChecksum();
    if (s.ok()) {
      EventLine(env_.info_log, "table_file_creation", env_.job_id)
          .Field("cf_name", env_.column_family_name)
          .Field("file_number", meta_.number)
          .Field("file_size", meta_.file_size)
          .Field("oldest_blob_file_number", meta_.oldest_blob_file_number)
          .Field("smallest_seqno", meta_.smallest_seqno)
          .Field("largest_seqno", meta_.largest_seqno)
          .BeginObject("table_properties")
          .Field("data_size", properties.data_size)
          .Field("index_size", properties.index_size)
          .Field("filter_size", properties.filter_size)
          .Field("raw_key_size", properties.raw_key_size)
          .Field("raw_value_size", properties.raw_value_size)
          .Field("num_data_blocks", properties.num_data_blocks)
          .Field("num_entries", properties.num_entries)
          .Field("num_deletions", properties.num_deletions)
          .Field("compression", properties.compression_name)
          .EndObject();
      TellCreated(properties, s);
    }
  }
  if (s.ok() && env_.check_space) s = env_.check_space();
  if (!s.ok()) return GiveUp(std::move(s));
  ended_ = true;
  builder_.reset();
  file_.reset();
  *meta = meta_;
  return s;
}

Status TableWriter::ReadBack(const TableFileId& id) const {
  ReadOptions options;
  options.verify_checksums = true;
  options.fill_cache = false;
  options.io_activity = options_.is_flush ? Env::IOActivity::kFlush : Env::IOActivity::kCompaction;
  const std::unique_ptr<InternalIterator> it(
      env_.table_cache->NewIterator(options, id, /*for_compaction=*/true));
  uint64_t hash = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) hash = HashOn(hash, it->key(), it->value());
  if (!it->status().ok()) return it->status();
  if (hash == hash_) return Status::OK();
  return Status::Corruption(
      "Paranoid checksums do not match: the file differs from what was written", path_);
}

Status TableWriter::VerifyFileChecksum() const {
  FileChecksumGenFactory* const factory = env_.db_options->file_checksum_gen_factory.get();
  if (factory == nullptr || meta_.file_checksum_func_name == kUnknownFileChecksumFuncName) {
    return Status::OK();
  }
  return cairn::VerifyFileChecksum(env_.fs, path_, env_.file_options, factory, meta_.file_checksum,
                                   meta_.file_checksum_func_name, /*readahead=*/0, ReadLimits());
}

void TableWriter::Abandon() {
  TellCreated(TableProperties(), Status::Aborted("the job ended before the table did"));
  if (builder_ != nullptr) builder_->Abandon();
  builder_.reset();
  if (file_ != nullptr) file_->Abandon();
  file_.reset();
  env_.table_cache->Evict(meta_.number);
  // If this fails the next open finds the file.
  env_.fs->DeleteFile(path_, IOOptions(), nullptr).PermitUncheckedError();
  ended_ = true;
}

}  // namespace cairn
