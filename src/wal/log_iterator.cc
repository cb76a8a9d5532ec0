#include "wal/log_iterator.h"

#include <utility>

#include "batch/batch_reader.h"
#include "batch/sub_batches.h"
#include "batch/write_batch_internal.h"
#include "fs/file_names.h"
#include "wal/wal_link.h"

namespace cairn {

LogIterator::LogIterator(Env env, const ReadOptions& options, rocksdb::VectorLogPtr files,
                         SequenceNumber start)
    : env_(std::move(env)), options_(options), files_(std::move(files)), start_(start) {
  // The last log that begins at or before it.
  while (file_ + 1 < files_.size() && files_[file_ + 1]->StartSequence() <= start_) ++file_;
  if (!files_.empty()) Next();
}

Status LogIterator::OpenLog() {
  const uint64_t number = files_[file_]->LogNumber();
  std::unique_ptr<SequentialFileReader> file;
  IOStatus io;
  // It may have gone to the archive meanwhile.
  for (const std::string& dir : {env_.wal_dir, ArchiveDirName(env_.wal_dir)}) {
    io = SequentialFileReader::Open(env_.fs, LogFileName(dir, number), env_.file_options, &file);
    if (io.ok() || !(io.IsNotFound() || io.IsPathNotFound())) break;
  }
  if (!io.ok()) return io;
  reporter_.first = Status::OK();
  reader_ = std::make_unique<LogReader>(env_.info_log, std::move(file), &reporter_,
                                        options_.verify_checksums_, number);
  return position_ == 0 ? Status::OK() : reader_->SkipTo(position_, recyclable_);
}

bool LogIterator::ReadVisible() {
  // What was read with a block before it was written as a whole is read once more.
  for (const bool again : {false, true}) {
    if (last_ >= env_.last_sequence()) {
      reader_.reset();
      return false;
    }
    const bool fresh = reader_ == nullptr;
    if (fresh) {
      status_ = OpenLog();
      if (!status_.ok()) return false;
    }
    if (reader_->ReadRecord(&record_, &scratch_) && reporter_.first.ok()) {
      position_ = reader_->LastRecordEnd();
      recyclable_ = reader_->InRecyclableFormat();
      return true;
    }
    status_ = reader_->status().ok() ? reporter_.first : reader_->status();
    reader_.reset();
    if (fresh || again) return false;
    status_ = Status::OK();
  }
  return false;
}

// A record with sections of WRITE_PREPARED: its entries share numbers.
LogIterator::Steps LogIterator::FollowShared() {
  Steps steps;
  steps.any = true;
  steps.end = first_;
  SubBatches run;
  BatchReader reader(record_);
  BatchRecord entry;
  while (reader.Next(&entry)) {
    if (entry.counted) {
      steps.end += run.Add(entry);
    } else if (entry.type == kTypeEndPrepareXID || entry.type == kTypeRollbackXID) {
      ++steps.end;
      run.Begin();
    }
  }
  return steps;
}

LogIterator::Steps LogIterator::Follow() {
  Steps steps;
  steps.end = first_;
  bool in_section = false;
  uint32_t count = 0;
  BatchReader reader(record_);
  BatchRecord entry;
  while (reader.Next(&entry)) {
    if (entry.type == kTypeBeginPersistedPrepareXID || entry.type == kTypeBeginUnprepareXID) {
      return FollowShared();
    }
    const bool has_timestamp = entry.type == kTypeCommitXIDAndTimestamp;
    const bool is_commit = entry.type == kTypeCommitXID || has_timestamp;
    if (entry.type == kTypeBeginPrepareXID) {
      in_section = steps.any = true;
      count = 0;
    } else if (entry.type == kTypeEndPrepareXID) {
      in_section = false;
      prepared_[entry.key.ToString()] = count;
    } else if (is_commit || entry.type == kTypeRollbackXID) {
      steps.any = true;
      const Slice& name = has_timestamp ? entry.value : entry.key;
      const auto found = prepared_.find(name.ToString());
      if (found == prepared_.end()) {
        steps.ends_late = steps.ends_late || is_commit;
        continue;
      }
      if (is_commit) steps.end += found->second;
      prepared_.erase(found);
    } else if (entry.counted) {
      if (in_section) {
        ++count;
      } else {
        ++steps.end;
      }
    }
  }
  return steps;
}

void LogIterator::Next() {
  batch_.reset();
  if (!status_.ok()) return;
  while (true) {
    if (!ReadVisible()) {
      // A power cut may have torn a log, and recovery ended it there: the next one, which may not
      // have been written to yet, goes on. If it does not, the gap is found.
      if (status_.IsCorruption() && files_[file_]->LogNumber() < env_.current_log) {
        damage_ = std::exchange(status_, Status::OK());
      }
      if (!status_.ok() || last_ >= env_.last_sequence()) return;
      if (file_ + 1 == files_.size()) {
        if (ends_late_) return;
        status_ = Status::TryAgain("Create a new iterator to fetch the new tail.");
        return;
      }
      ++file_;
      position_ = 0;
      continue;
    }
    if (record_.size() < kBatchHeaderSize) {
      status_ = Status::Corruption("very small log record", reader_->file_name());
      return;
    }
    WalLink link;
    if (WalLink::Decode(record_, &link)) continue;  // no write
    const BatchReader header(record_);
    first_ = header.sequence();
    const Steps steps = Follow();
    const SequenceNumber end = steps.end;
    if (!started_ && end <= start_ && (!steps.any || end > first_ || first_ < start_)) {
      last_ = end - 1;
      ends_late_ = steps.ends_late;
      continue;
    }
    if (started_ && first_ != last_ + 1 && !(ends_late_ && first_ > last_)) {
      status_ = damage_;
      if (!status_.ok()) return;
      status_ = Status::Corruption(
          "Gap in sequence number. Could not seek to required sequence number",
          "expected " + std::to_string(last_ + 1) + ", found " + std::to_string(first_));
      return;
    }
    damage_ = Status::OK();  // nothing is missing behind it
    started_ = true;
    last_ = end - 1;
    ends_late_ = steps.ends_late;
    batch_ = std::make_unique<WriteBatch>(record_.ToString());
    return;
  }
}

rocksdb::BatchResult LogIterator::GetBatch() {
  rocksdb::BatchResult result;
  result.sequence = first_;
  result.writeBatchPtr = std::move(batch_);
  // It stays Valid(), as the caller expects until Next().
  batch_ = std::make_unique<WriteBatch>();
  return result;
}

}  // namespace cairn
