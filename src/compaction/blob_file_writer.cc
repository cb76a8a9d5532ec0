#include "compaction/blob_file_writer.h"

#include <utility>

#include "base/logging.h"
#include "blob/blob_format.h"
#include "blob/blob_source.h"
#include "fiber/clock.h"
#include "fs/file_names.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/listener.h"

namespace cairn {

BlobFileWriter::BlobFileWriter(const JobEnv& env, const ColumnFamilyOptions& options,
                               BlobFileCreationReason reason)
    : env_(env), options_(options), reason_(reason) {
  if (options_.blob_compression_type != kNoCompression) {
    compressor_ =
        std::make_unique<BlockCompressor>(options_.blob_compression_type, CompressionOptions());
  }
}

BlobFileWriter::~BlobFileWriter() {
  if (file_ != nullptr) GiveUp(Status::Aborted("the job ended before the blob file did"));
}

Status BlobFileWriter::Open() {
  open_ = BlobFileAddition();
  open_.number = env_.new_file_number();
  path_ = BlobFileName(env_.paths.front(), open_.number);
  TellStarted();
  std::unique_ptr<FSWritableFile> file;
  Status s = env_.fs->NewWritableFile(path_, env_.file_options, &file, nullptr);
  if (!s.ok()) {
    TellCreated(open_, s);
    return s;
  }
  if (env_.io_priority) file->SetIOPriority(env_.io_priority());
  file_ = std::make_unique<FileWriter>(std::move(file), path_, env_.file_options);
  file_->EnableWriteBehind();
  if (env_.db_options->checksum_handoff_file_types.Contains(kBlobFile)) {
    file_->EnableChecksumHandoff();
  }
  if (FileChecksumGenFactory* const factory = env_.db_options->file_checksum_gen_factory.get()) {
    FileChecksumGenContext context;
    context.file_name = path_;
    file_->SetChecksumGenerator(factory->CreateFileChecksumGenerator(context));
  }
  std::string header;
  AppendBlobFileHeader({env_.column_family_id, options_.blob_compression_type}, &header);
  Tick(BLOB_DB_BLOB_FILE_BYTES_WRITTEN, header.size());
  return file_->Append(header);
}

Status BlobFileWriter::Add(const Slice& key, const Slice& value, std::string* index) {
  index->clear();
  if (value.empty() || value.size() < options_.min_blob_size) return Status::OK();
  Slice stored = value;
  if (compressor_ != nullptr) {
    const uint64_t start = fiber::now_nanos();
    // A file is compressed as a whole: what cannot be stays in the table.
    if (!compressor_->CompressAnyway(value, &stored)) return Status::OK();
    if (env_.statistics != nullptr) {
      env_.statistics->reportTimeToHistogram(BLOB_DB_COMPRESSION_MICROS,
                                             (fiber::now_nanos() - start) / 1000);
    }
  }
  Status s = file_ == nullptr ? Open() : Status::OK();
  char header[kBlobRecordHeaderSize];
  EncodeBlobRecordHeader(key, stored, header);
  const uint64_t start = fiber::now_nanos();
  if (s.ok()) s = file_->Append(Slice(header, sizeof(header)));
  if (s.ok()) s = file_->Append(key);
  BlobIndex at;
  at.file_number = open_.number;
  if (file_ != nullptr) at.offset = file_->file_size();
  at.size = stored.size();
  at.compression = options_.blob_compression_type;
  if (s.ok()) s = file_->Append(stored);
  if (!s.ok()) {
    GiveUp(s);
    return s;
  }
  const uint64_t bytes = BlobRecordSize(key.size(), stored.size());
  ++open_.blobs;
  open_.bytes += bytes;
  Tick(BLOB_DB_BLOB_FILE_BYTES_WRITTEN, bytes);
  if (env_.statistics != nullptr) {
    env_.statistics->reportTimeToHistogram(BLOB_DB_BLOB_FILE_WRITE_MICROS,
                                           (fiber::now_nanos() - start) / 1000);
  }
  AppendBlobIndex(at, index);
  if (reason_ == BlobFileCreationReason::kFlush && env_.blobs != nullptr &&
      options_.prepopulate_blob_cache == PrepopulateBlobCache::kFlushOnly) {
    env_.blobs->AddToCache(at, value);
  }
  return file_->file_size() >= options_.blob_file_size ? End() : s;
}

Status BlobFileWriter::Finish() { return file_ == nullptr ? Status::OK() : End(); }

Status BlobFileWriter::Sync() {
  const uint64_t start = fiber::now_nanos();
  Status s = file_->Sync(env_.db_options->use_fsync);
  if (s.ok()) s = file_->Close();
  if (s.ok()) Tick(BLOB_DB_BLOB_FILE_SYNCED);
  if (env_.statistics != nullptr) {
    env_.statistics->reportTimeToHistogram(BLOB_DB_BLOB_FILE_SYNC_MICROS,
                                           (fiber::now_nanos() - start) / 1000);
  }
  return s;
}

Status BlobFileWriter::End() {
  std::string footer;
  AppendBlobFileFooter(open_.blobs, &footer);
  Tick(BLOB_DB_BLOB_FILE_BYTES_WRITTEN, footer.size());
  Status s = file_->Append(footer);
  if (s.ok()) s = Sync();
  if (s.ok() && env_.check_space) s = env_.check_space();
  if (!s.ok()) {
    GiveUp(s);
    return s;
  }
  if (env_.db_options->file_checksum_gen_factory != nullptr) {
    file_->GetChecksum(&open_.checksum, &open_.checksum_func);
  }
  file_.reset();
  EventLine(env_.info_log, "blob_file_creation", env_.job_id)
      .Field("cf_name", env_.column_family_name)
      .Field("file_number", open_.number)
      .Field("total_blob_count", open_.blobs)
      .Field("total_blob_bytes", open_.bytes);
  TellCreated(open_, s);
  files_.push_back(std::exchange(open_, BlobFileAddition()));
  return s;
}

void BlobFileWriter::GiveUp(const Status& s) {
  if (file_ == nullptr) return;
  TellCreated(open_, s);
  file_->Abandon();
  file_.reset();
  // If this fails the next open finds the file.
  env_.fs->DeleteFile(path_, IOOptions(), nullptr).PermitUncheckedError();
  open_ = BlobFileAddition();
}

void BlobFileWriter::Drop() {
  if (file_ != nullptr) GiveUp(Status::Aborted("the job failed"));
  for (const BlobFileAddition& file : files_) {
    if (env_.blobs != nullptr) env_.blobs->Evict(file.number);
    env_.fs->DeleteFile(BlobFileName(env_.paths.front(), file.number), IOOptions(), nullptr)
        .PermitUncheckedError();
  }
  files_.clear();
}

void BlobFileWriter::TellStarted() const {
  if (env_.db_options->listeners.empty()) return;
  const BlobFileCreationBriefInfo info(env_.dbname, env_.column_family_name, path_, env_.job_id,
                                       reason_);
  for (const auto& listener : env_.db_options->listeners) listener->OnBlobFileCreationStarted(info);
}

void BlobFileWriter::TellCreated(const BlobFileAddition& file, const Status& s) const {
  if (env_.db_options->listeners.empty()) return;
  const bool has_checksum = s.ok() && !file.checksum_func.empty();
  const BlobFileCreationInfo info(
      env_.dbname, env_.column_family_name, path_, env_.job_id, reason_, file.blobs, file.bytes, s,
      has_checksum ? file.checksum : std::string(kUnknownFileChecksum),
      has_checksum ? file.checksum_func : std::string(kUnknownFileChecksumFuncName));
  for (const auto& listener : env_.db_options->listeners) listener->OnBlobFileCreated(info);
}

}  // namespace cairn
