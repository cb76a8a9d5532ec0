#include "utilities/backup_copy.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/crc32c.h"
#include "fiber/mutex.h"
#include "fiber/thread.h"
#include "fs/file_reader.h"
#include "fs/limited_file_system.h"

namespace cairn {
namespace {

constexpr size_t kChunk = 256 << 10;
constexpr size_t kMaxChunk = size_t{1} << 30;  // whatever a user asks for

// Calls the user's function each so many bytes of all files.
class Progress {
 public:
  explicit Progress(const CopyEnv& env)
      : call_(env.progress), interval_(std::max<uint64_t>(env.progress_interval, 1)) {}

  void Add(uint64_t bytes) {
    if (!call_) return;
    fiber::MutexLock lock(&mutex_);
    bytes_ += bytes;
    for (; bytes_ >= interval_; bytes_ -= interval_) call_();
  }

 private:
  const std::function<void()>& call_;
  const uint64_t interval_;
  fiber::Mutex mutex_;
  uint64_t bytes_ FIBER_GUARDED_BY(mutex_) = 0;  // since the last call
};

class Copier {
 public:
  Copier(const CopyEnv& env, std::vector<FileCopy>* copies)
      : env_(env), progress_(env), copies_(*copies), chunk_(ChunkOf(env)) {}

  IOStatus Run() {
    const size_t wanted = std::min<size_t>(std::max(env_.threads, 1), copies_.size());
    std::vector<fiber::Thread> threads(wanted);
    bool any = false;
    for (size_t i = 0; i < wanted; ++i) {
      const int r = fiber::Thread::create(
          "rocksdb:backup" + std::to_string(i), [this] { Work(); }, env_.nice, &threads[i]);
      any |= r == 0;
    }
    if (!any) Work();  // no thread to be had: slower, nothing else
    for (fiber::Thread& thread : threads) {
      if (thread.joinable()) thread.join();
    }
    IOStatus first;
    for (const FileCopy& copy : copies_) {
      if (!copy.status.ok() && (first.ok() || first.IsAborted())) first = copy.status;
    }
    return first;
  }

 private:
  // A request to the limiter has at most a burst.
  static size_t ChunkOf(const CopyEnv& env) {
    const size_t chunk = env.buffer_size == 0 ? kChunk : std::min(env.buffer_size, kMaxChunk);
    if (env.limiter == nullptr) return chunk;
    const int64_t burst = std::max<int64_t>(env.limiter->GetSingleBurstBytes(), 1);
    return static_cast<size_t>(std::min<uint64_t>(chunk, static_cast<uint64_t>(burst)));
  }

  void Work() {
    const auto chunk = std::make_unique<char[]>(chunk_);
    while (true) {
      // Relaxed, like the flag: the threads' end publishes what they wrote.
      const size_t i = next_.fetch_add(1, std::memory_order_relaxed);
      if (i >= copies_.size()) return;
      FileCopy& copy = copies_[i];
      if (failed_.load(std::memory_order_relaxed)) {
        copy.status = IOStatus::Aborted("another file could not be copied");
        continue;
      }
      copy.status = CopyOne(&copy, chunk.get());
      if (!copy.status.ok()) failed_.store(true, std::memory_order_relaxed);
    }
  }

  IOStatus CopyOne(FileCopy* copy, char* chunk) {
    std::unique_ptr<SequentialFileReader> source;
    IOStatus s;
    if (!copy->from.empty()) s = OpenSource(copy, &source);
    std::unique_ptr<FSWritableFile> target;
    if (s.ok() && !copy->to.empty()) {
      FileOptions options;
      options.temperature = copy->to_temperature;
      s = env_.target->NewWritableFile(copy->to, options, &target, nullptr);
    }
    if (!s.ok()) return s;
    s = source != nullptr ? Transfer(copy, source.get(), target.get(), chunk)
                          : Take(copy, copy->contents, target.get());
    if (s.ok() && copy->expected_crc32c.has_value() && copy->crc32c != *copy->expected_crc32c) {
      s = IOStatus::Corruption(copy->from, "has the checksum " + std::to_string(copy->crc32c) +
                                               " instead of " +
                                               std::to_string(*copy->expected_crc32c));
    }
    if (target == nullptr) return s;
    if (s.ok() && env_.sync) s = target->Sync(IOOptions(), nullptr);
    const IOStatus closed = target->Close(IOOptions(), nullptr);
    if (s.ok()) s = closed;
    // The first error is the one to tell.
    if (!s.ok()) env_.target->DeleteFile(copy->to, IOOptions(), nullptr).PermitUncheckedError();
    return s;
  }

  IOStatus OpenSource(FileCopy* copy, std::unique_ptr<SequentialFileReader>* source) {
    std::unique_ptr<FSSequentialFile> file;
    FileSystem* const fs = copy->source != nullptr ? copy->source : env_.source;
    IOStatus s = fs->NewSequentialFile(copy->from, copy->source_options, &file, nullptr);
    if (s.IsPathNotFound() && copy->source_options.temperature != Temperature::kUnknown) {
      // It may have gone to another tier since.
      FileOptions anywhere = copy->source_options;
      anywhere.temperature = Temperature::kUnknown;
      s = fs->NewSequentialFile(copy->from, anywhere, &file, nullptr);
    }
    if (!s.ok()) return s;
    copy->source_temperature = file->GetTemperature();
    *source = std::make_unique<SequentialFileReader>(std::move(file), copy->from);
    return s;
  }

  IOStatus Transfer(FileCopy* copy, SequentialFileReader* source, FSWritableFile* target,
                    char* chunk) {
    uint64_t left = copy->size;
    while (left > 0) {
      const auto n = static_cast<size_t>(std::min<uint64_t>(chunk_, left));
      Slice piece;
      IOStatus s = Read(source, n, &piece, chunk);
      if (s.ok() && piece.empty()) s = WrongSize(*copy, std::to_string(copy->size - left));
      if (s.ok()) s = Take(copy, piece, target);
      if (!s.ok()) return s;
      left -= piece.size();
      progress_.Add(piece.size());
    }
    if (copy->source_grows) return IOStatus::OK();
    Slice more;
    IOStatus s = Read(source, 1, &more, chunk);
    return s.ok() && !more.empty() ? WrongSize(*copy, "more than that") : s;
  }

  static IOStatus WrongSize(const FileCopy& copy, const std::string& found) {
    return IOStatus::Corruption(
        copy.from, "has not " + std::to_string(copy.size) + " bytes as expected but " + found);
  }

  IOStatus Read(SequentialFileReader* source, size_t n, Slice* piece, char* chunk) {
    // Acquire: what was done before the call that set it.
    if (env_.stop != nullptr && env_.stop->load(std::memory_order_acquire)) return BackupStopped();
    Limit(n, RateLimiter::OpType::kRead);
    IOStatus s = source->Read(n, piece, chunk);
    if (s.ok()) Count(BACKUP_READ_BYTES, piece->size());
    return s;
  }

  // The next bytes of the file.
  IOStatus Take(FileCopy* copy, const Slice& bytes, FSWritableFile* target) {
    copy->crc32c = crc32c::Extend(copy->crc32c, bytes.data(), bytes.size());
    if (target == nullptr) return IOStatus::OK();
    Limit(bytes.size(), RateLimiter::OpType::kWrite);
    IOStatus s = target->Append(bytes, IOOptions(), nullptr);
    if (s.ok()) Count(BACKUP_WRITE_BYTES, bytes.size());
    return s;
  }

  void Limit(size_t bytes, RateLimiter::OpType type) {
    if (env_.limiter == nullptr) return;
    RequestBytes(env_.limiter, bytes, Env::IO_LOW, /*statistics=*/nullptr, type);
  }
  void Count(uint32_t ticker, uint64_t bytes) {
    if (env_.statistics != nullptr) env_.statistics->recordTick(ticker, bytes);
  }

  const CopyEnv& env_;
  Progress progress_;
  std::vector<FileCopy>& copies_;  // each is its thread's until the threads are joined
  const size_t chunk_;             // bytes
  std::atomic<size_t> next_{0};
  std::atomic<bool> failed_{false};
};

}  // namespace

IOStatus CopyFiles(const CopyEnv& env, std::vector<FileCopy>* copies) {
  return copies->empty() ? IOStatus::OK() : Copier(env, copies).Run();
}

IOStatus BackupStopped() { return status_to_io_status(Status::Incomplete("Backup stopped")); }

}  // namespace cairn
