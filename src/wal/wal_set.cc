#include "wal/wal_set.h"

#include <optional>
#include <utility>

#include "batch/batch_reader.h"
#include "fiber/clock.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "rocksdb/statistics.h"

namespace cairn {

WalSet::WalSet(FileSystem* fs, std::string dir, const DBOptions* options,
               const FileOptions& file_options, size_t preallocation_bytes)
    : fs_(fs),
      dir_(std::move(dir)),
      options_(options),
      file_options_(file_options),
      preallocation_bytes_(preallocation_bytes),
      bytes_per_sync_(file_options.bytes_per_sync) {}

uint64_t WalSet::TakeRecyclable() {
  fiber::MutexLock lock(&mutex_);
  if (recyclable_.empty()) return 0;
  const uint64_t number = recyclable_.front();
  recyclable_.pop_front();
  return number;
}

IOStatus WalSet::Create(uint64_t number, std::unique_ptr<LogWriter>* wal) {
  std::unique_ptr<FSWritableFile> file;
  const std::string name = LogFileName(dir_, number);
  FileOptions file_options = file_options_;
  file_options.bytes_per_sync = bytes_per_sync_.load(std::memory_order_relaxed);
  if (const uint64_t old = TakeRecyclable(); old != 0) {
    ForgetBelow(old + 1);
    // An error only means that nothing is recycled.
    fs_->ReuseWritableFile(name, LogFileName(dir_, old), file_options, &file, nullptr)
        .PermitUncheckedError();
  }
  if (file == nullptr) {
    IOStatus s = fs_->NewWritableFile(name, file_options, &file, nullptr);
    if (!s.ok()) return s;
  }
  if (preallocation_bytes_ > 0) file->SetPreallocationBlockSize(preallocation_bytes_);
  auto writer = std::make_unique<FileWriter>(std::move(file), name, file_options);
  if (options_->checksum_handoff_file_types.Contains(kWalFile)) writer->EnableChecksumHandoff();
  *wal =
      std::make_unique<LogWriter>(std::move(writer), number, recycles(), options_->manual_wal_flush,
                                  options_->wal_compression == kZSTD);
  return IOStatus::OK();
}

IOStatus WalSet::Install(std::unique_ptr<LogWriter> wal) {
  IOStatus s;
  std::optional<PredecessorWal> said;
  if (current_ != nullptr) {
    s = current_->WriteBuffer();
    const uint64_t size = current_->file()->file_size();
    // (Of one that could not be written nobody knows what it has.)
    if (s.ok() && options_->track_and_verify_wals) {
      said = {current_->log_number(), size, last_record_};
    }
    AddExisting(current_->log_number(), size);
    auto old = std::make_shared<Old>();
    old->writer = std::move(current_);
    old->end = last_logged_;
    old->bytes = size;
    old->synced.store(synced_bytes_ == size, std::memory_order_release);
    fiber::MutexLock lock(&mutex_);
    old_.push_back(std::move(old));
  }
  current_ = std::move(wal);
  current_has_records_ = false;
  last_record_ = 0;
  synced_bytes_ = 0;
  timestamp_sizes_said_ = 0;
  {
    fiber::MutexLock lock(&mutex_);
    bytes_[current_->log_number()] = 0;
    if (recycles()) written_here_.insert(current_->log_number());
  }
  current_number_.store(current_->log_number(), std::memory_order_release);
  return said ? current_->AddPredecessor(*said) : s;
}

IOStatus WalSet::AppendLink(const Slice& first_record) {
  if (last_logged_.predecessor == 0) return IOStatus::OK();
  WalLink link = last_logged_;
  link.named = link.predecessor <= named_.load(std::memory_order_relaxed);
  return current_->AddRecord(link.Encode(BatchReader(first_record).sequence()));
}

IOStatus WalSet::Append(const Slice& record, bool has_marks) {
  IOStatus s;
  if (CurrentIsEmpty()) [[unlikely]] {
    current_has_records_ = true;
    s = AppendLink(record);
  }
  if (timestamp_sizes_said_ != timestamp_sizes_.size()) [[unlikely]] {
    if (s.ok()) s = current_->AddTimestampSizes(timestamp_sizes_);
    if (s.ok()) timestamp_sizes_said_ = timestamp_sizes_.size();
  }
  if (s.ok()) s = current_->AddRecord(record);
  if (!s.ok()) return s;
  if (options_->track_and_verify_wals) last_record_ = BatchReader(record).sequence();
  const SequenceNumber last =
      has_marks ? WalLink::LastUnpreparedSequenceOf(record) : WalLink::LastSequenceOf(record);
  last_logged_ = {current_->log_number(), last, true, current_->file()->file_size()};
  return s;
}

uint64_t WalSet::total_bytes() const {
  fiber::MutexLock lock(&mutex_);
  return closed_bytes_ + (current_ == nullptr ? 0 : current_->file()->file_size());
}

uint64_t WalSet::unflushed_bytes() const {
  const uint64_t flushed_below = flushed_below_.load(std::memory_order_relaxed);
  fiber::MutexLock lock(&mutex_);
  uint64_t bytes = closed_bytes_ + (current_ == nullptr ? 0 : current_->file()->file_size());
  for (auto it = bytes_.begin(); it != bytes_.end() && it->first < flushed_below; ++it) {
    bytes -= it->second;
  }
  return bytes;
}

std::vector<WalSet::File> WalSet::Files() const {
  std::vector<File> files;
  fiber::MutexLock lock(&mutex_);
  for (const auto& [number, bytes] : bytes_) {
    if (current_ != nullptr && number == current_->log_number()) continue;
    files.push_back({number, bytes, bytes});
  }
  if (current_ != nullptr) {
    const FileWriter& file = *current_->file();
    files.push_back({current_->log_number(), file.file_size(), file.flushed_size()});
  }
  return files;
}

IOStatus WalSet::SyncDirectory() {
  const uint64_t number = current_number();
  std::unique_ptr<FSDirectory> directory;
  IOStatus s = fs_->NewDirectory(dir_, IOOptions(), &directory, nullptr);
  if (s.ok()) s = cairn::SyncDirectory(directory.get());
  if (s.ok()) NamesAreSynced(number);
  return s;
}

void WalSet::NamesAreSynced(uint64_t number) {
  uint64_t named = named_.load(std::memory_order_relaxed);
  while (named < number &&
         !named_.compare_exchange_weak(named, number, std::memory_order_relaxed)) {
  }
}

IOStatus WalSet::SyncOld(bool with_names, WalLink* end) {
  std::deque<std::shared_ptr<Old>> all;
  {
    fiber::MutexLock lock(&mutex_);
    all = old_;
  }
  if (end != nullptr && !all.empty()) *end = all.back()->end;
  for (const auto& old : all) {
    fiber::MutexLock one_at_a_time(&old->mutex);
    if (old->synced.load(std::memory_order_acquire)) continue;
    IOStatus s = old->writer->Sync(options_->use_fsync);
    if (!s.ok()) return s;
    old->synced.store(true, std::memory_order_release);
  }
  const bool named = all.empty() || all.back()->writer->log_number() <= named_.load();
  return named || !with_names ? IOStatus::OK() : SyncDirectory();
}

IOStatus WalSet::SyncClosed(WalLink* end) { return SyncOld(/*with_names=*/true, end); }

std::vector<WalSet::Synced> WalSet::UntrackedSynced() const {
  std::vector<Synced> synced;
  const uint64_t named = named_.load(std::memory_order_relaxed);
  fiber::MutexLock lock(&mutex_);
  for (const auto& old : old_) {
    const uint64_t number = old->writer->log_number();
    if (old->tracked || old->bytes == 0 || number > named) continue;
    if (old->synced.load(std::memory_order_acquire)) synced.push_back({number, old->bytes});
  }
  return synced;
}

void WalSet::NoteTracked(const std::vector<Synced>& wals) {
  fiber::MutexLock lock(&mutex_);
  for (const auto& old : old_) {
    for (const Synced& wal : wals) old->tracked |= wal.number == old->writer->log_number();
  }
}

IOStatus WalSet::Sync() {
  Statistics* const statistics = options_->statistics.get();
  const uint64_t start = statistics != nullptr ? fiber::now_nanos() : 0;
  IOStatus old = SyncOld(/*with_names=*/false);
  if (!old.ok()) return old;
  const uint64_t size = current_->file()->file_size();
  IOStatus s = current_->Sync(options_->use_fsync);
  // (The first time, for this log's name and those before it.)
  if (s.ok() && current_->log_number() > named_.load()) s = SyncDirectory();
  if (!s.ok()) return s;
  synced_bytes_ = size;
  syncs_.fetch_add(1, std::memory_order_relaxed);
  if (statistics != nullptr) {
    statistics->recordTick(WAL_FILE_SYNCED, 1);
    statistics->reportTimeToHistogram(WAL_FILE_SYNC_MICROS, (fiber::now_nanos() - start) / 1000);
  }
  return s;
}

uint64_t WalSet::buffered_bytes() const {
  if (current_ == nullptr) return 0;
  const FileWriter* const file = current_->file();
  return file == nullptr ? 0 : file->file_size() - file->flushed_size();
}

IOStatus WalSet::Flush() { return current_ == nullptr ? IOStatus::OK() : current_->WriteBuffer(); }

IOStatus WalSet::Close() {
  IOStatus first;
  std::deque<std::shared_ptr<Old>> all;
  {
    fiber::MutexLock lock(&mutex_);
    all.swap(old_);
  }
  for (const auto& old : all) {
    IOStatus s = old->writer->Close();
    if (first.ok()) first = s;
  }
  if (current_ != nullptr) {
    IOStatus s = current_->Close();
    if (first.ok()) first = s;
    current_.reset();
    current_has_records_ = false;
  }
  return first;
}

void WalSet::ForgetBelow(uint64_t number) {
  std::vector<std::shared_ptr<Old>> forgotten;
  fiber::MutexLock lock(&mutex_);
  while (!old_.empty() && old_.front()->writer->log_number() < number) {
    forgotten.push_back(std::move(old_.front()));
    old_.pop_front();
  }
  lock.unlock();
  // Their content is in table files: an error of the close loses nothing. But a sync that is under
  // way still uses its writer, and closes it at its end.
}

void WalSet::AddExisting(uint64_t number, uint64_t bytes) {
  fiber::MutexLock lock(&mutex_);
  closed_bytes_ += bytes - std::exchange(bytes_[number], bytes);
}

std::vector<uint64_t> WalSet::TakeObsolete(uint64_t min_number_to_keep) {
  std::vector<uint64_t> out;
  fiber::MutexLock lock(&mutex_);
  while (!bytes_.empty() && bytes_.begin()->first < min_number_to_keep &&
         bytes_.begin()->first != current_number()) {
    const uint64_t number = bytes_.begin()->first;
    if (written_here_.erase(number) > 0 && recyclable_.size() < options_->recycle_log_file_num) {
      recyclable_.push_back(number);
    } else {
      out.push_back(number);
    }
    closed_bytes_ -= bytes_.begin()->second;
    bytes_.erase(bytes_.begin());
  }
  return out;
}

}  // namespace cairn
