#include "compaction/table_writer.h"

#include <utility>

#include "base/logging.h"
#include "fiber/clock.h"
#include "fs/file_names.h"
#include "rocksdb/table.h"

namespace cairn {

TableWriter::TableWriter(const JobEnv& env, const ColumnFamilyOptions& cf_options,
                         const TableWriterOptions& options)
    : env_(env), cf_options_(cf_options), options_(options) {}

TableWriter::~TableWriter() {
  if (!ended_) Abandon();
}

Status TableWriter::Open(uint64_t file_number) {
  path_ = TableFileName(env_.paths, file_number, 0);
  std::unique_ptr<FSWritableFile> file;
  IOStatus io = env_.fs->NewWritableFile(path_, env_.file_options, &file, nullptr);
  if (!io.ok()) return io;
  ended_ = false;
  if (env_.db_options->allow_fallocate && options_.target_file_size > 0) {
    // A little over the target, for the file runs on to the end of its last block.
    file->SetPreallocationBlockSize(options_.target_file_size + options_.target_file_size / 10);
  }
  file_ = std::make_unique<FileWriter>(std::move(file), path_, env_.file_options);
  file_->EnableWriteBehind();

  const uint64_t now = fiber::wall_micros() / 1000000;
  TableBuilderOptions builder(*env_.icmp, options_.compression);
  builder.compression_opts = options_.compression_opts;
  builder.column_family_id = env_.column_family_id;
  builder.column_family_name = env_.column_family_name;
  builder.level = options_.level;
  builder.is_bottommost = options_.bottommost;
  builder.skip_filters = options_.bottommost && cf_options_.optimize_filters_for_hits;
  builder.creation_time =
      options_.oldest_ancester_time != kUnknownFileTime ? options_.oldest_ancester_time : now;
  builder.oldest_key_time = builder.creation_time;
  builder.file_creation_time = now;
  builder.db_id = env_.db_id;
  builder.db_session_id = env_.db_session_id;
  builder.cur_file_num = file_number;
  builder.target_file_size = options_.target_file_size;
  builder.statistics = env_.statistics;
  builder.info_log = env_.info_log;
  builder_.reset(cf_options_.table_factory->NewTableBuilder(builder, file_.get()));

  meta_ = FileMetaData();
  meta_.number = file_number;
  meta_.epoch_number = options_.epoch_number;
  meta_.oldest_ancester_time = builder.creation_time;
  meta_.file_creation_time = now;
  return Status::OK();
}

Status TableWriter::GiveUp(Status s) {
  if (file_ != nullptr) file_->Abandon();
  builder_.reset();
  Abandon();
  return s;
}

Status TableWriter::FinishTable() {
  Status s = builder_->Finish();
  if (s.ok()) s = file_->Flush();
  return s.ok() ? s : GiveUp(std::move(s));
}

Status TableWriter::MakeDurable(FileMetaData* meta) {
  Status s = file_->Sync(env_.db_options->use_fsync);
  if (s.ok()) s = file_->Close();
  if (s.ok()) {
    const TableProperties properties = builder_->GetTableProperties();
    meta_.largest.DecodeFrom(builder_->LastKey());
    meta_.file_size = builder_->FileSize();
    meta_.tail_size = builder_->TailSize();
    meta_.marked_for_compaction = builder_->NeedCompact();
    meta_.num_entries = properties.num_entries;
    meta_.num_deletions = properties.num_deletions;
    meta_.raw_key_size = properties.raw_key_size;
    meta_.raw_value_size = properties.raw_value_size;
    meta_.stats_known = true;
    TableCache::Ref table;
    TableFileId id = meta_.TableId(options_.level);
    id.slot = nullptr;
    s = env_.table_cache->FindTable(id, &table);
    if (s.ok()) {
      EventLine(env_.info_log, "table_file_creation", env_.job_id)
          .Field("cf_name", env_.column_family_name)
          .Field("file_number", meta_.number)
          .Field("file_size", meta_.file_size)
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
    }
  }
  if (!s.ok()) return GiveUp(std::move(s));
  ended_ = true;
  builder_.reset();
  file_.reset();
  *meta = meta_;
  return s;
}

void TableWriter::Abandon() {
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
