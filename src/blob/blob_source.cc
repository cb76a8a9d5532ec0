#include "blob/blob_source.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/coding.h"
#include "base/perf.h"
#include "fs/file_names.h"
#include "fs/read_limits.h"

namespace cairn {
namespace {

// Tables have keys of 8 bytes in the cache of open files.
struct FileKey {
  explicit FileKey(uint64_t number) {
    bytes[0] = 'b';
    EncodeFixed64(bytes + 1, number);
  }
  Slice slice() const { return Slice(bytes, sizeof(bytes)); }
  char bytes[9];
};

void DeleteReader(const Slice& /*key*/, void* value) { delete static_cast<BlobFileReader*>(value); }

void DeleteBlob(const Slice& /*key*/, void* value) { delete static_cast<Blob*>(value); }

// --- To a secondary cache and back: the value, and a checksum, since another's memory is not
// trusted more than a file.

constexpr size_t kChecksumSize = 8;

uint64_t ChecksumOf(const Slice& value) { return XXH3_64bits(value.data(), value.size()); }

size_t SavedSize(void* blob) { return static_cast<Blob*>(blob)->value().size() + kChecksumSize; }

Status SaveBlob(void* blob, size_t offset, size_t length, void* out) {
  const Slice value = static_cast<Blob*>(blob)->value();
  std::string saved = value.ToString();
  PutFixed64(&saved, ChecksumOf(value));
  if (offset > saved.size() || length > saved.size() - offset) {
    return Status::InvalidArgument("a part of a blob that it does not have");
  }
  std::memcpy(out, saved.data() + offset, length);
  return Status::OK();
}

Status RestoreBlob(const void* saved, size_t size, void** blob, size_t* charge) {
  if (size < kChecksumSize) return Status::Corruption("a saved blob is too short");
  const Slice value(static_cast<const char*>(saved), size - kChecksumSize);
  if (DecodeFixed64(value.data() + value.size()) != ChecksumOf(value)) {
    return Status::Corruption("a saved blob's checksum does not match");
  }
  std::unique_ptr<Blob> restored = Blob::Allocate(value.size());
  if (restored == nullptr) return Status::MemoryLimit("no memory for a blob");
  std::memcpy(restored->memory(), value.data(), value.size());
  *charge = restored->charge();
  *blob = restored.release();
  return Status::OK();
}

const Cache::CacheItemHelper* BlobHelper() {
  static const Cache::CacheItemHelper helper(&SavedSize, &SaveBlob, &DeleteBlob);
  return &helper;
}

// The value is these bytes of the entry, which the handle holds until then.
void PinCached(const Slice& bytes, Cache* cache, Cache::Handle* handle, PinnableSlice* value) {
  value->PinSlice(
      bytes,
      [](void* from, void* pinned) {
        static_cast<Cache*>(from)->Release(static_cast<Cache::Handle*>(pinned));
      },
      cache, handle);
}

}  // namespace

class BlobSource::OpenFile {
 public:
  OpenFile() = default;
  ~OpenFile() {
    if (handle_ != nullptr) cache_->Release(handle_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  void Set(Cache* cache, Cache::Handle* handle) {
    cache_ = cache;
    handle_ = handle;
  }
  const BlobFileReader* operator->() const {
    return static_cast<const BlobFileReader*>(cache_->Value(handle_));
  }

 private:
  Cache* cache_ = nullptr;
  Cache::Handle* handle_ = nullptr;
};

struct BlobSource::CacheKey {
  CacheKey(uint64_t prefix, const BlobIndex& index) {
    EncodeFixed64(bytes, prefix);
    EncodeFixed64(bytes + 8, index.file_number);
    EncodeFixed64(bytes + 16, index.offset);
  }
  Slice slice() const { return Slice(bytes, sizeof(bytes)); }
  char bytes[24];
};

BlobSource::BlobSource(BlobSourceOptions options)
    : options_(std::move(options)),
      open_files_(options_.open_files != nullptr ? options_.open_files
                                                 : std::make_shared<OpenTables>(-1, 0)),
      cache_prefix_(options_.cache != nullptr ? options_.cache->NewId() : 0) {}

std::string BlobSource::PathOf(uint64_t number) const {
  return BlobFileName(options_.directory, number);
}

Status BlobSource::Open(uint64_t number, const ReadLimits& limits, OpenFile* file) {
  const FileKey key(number);
  Cache* const cache = open_files_->cache();
  Cache::Handle* handle = cache->Lookup(key.slice());
  if (handle == nullptr) {
    fiber::Mutex& mu = open_mu_[number % kOpenLocks];
    if (!mu.try_lock_until(limits.NanosDeadline())) return limits.Error();
    Status s;
    handle = cache->Lookup(key.slice());
    if (handle == nullptr) {
      std::unique_ptr<BlobFileReader> reader;
      s = BlobFileReader::Open(options_.fs, options_.file_options, PathOf(number),
                               options_.column_family_id, limits, options_.statistics, &reader);
      Tick(s.ok() ? NO_FILE_OPENS : NO_FILE_ERRORS);
      if (s.ok()) s = cache->Insert(key.slice(), reader.get(), 1, &DeleteReader, &handle);
      if (s.ok()) (void)reader.release();  // the cache has it
    }
    mu.unlock();
    if (!s.ok()) return s;
  }
  file->Set(cache, handle);
  return Status::OK();
}

bool BlobSource::GetFromCache(const BlobIndex& index, PinnableSlice* value) {
  Cache* const cache = options_.cache.get();
  if (cache == nullptr) return false;
  const CacheKey key(cache_prefix_, index);
  Cache::Handle* const handle =
      cache->Lookup(key.slice(), BlobHelper(), &RestoreBlob, Cache::Priority::BOTTOM,
                    /*wait=*/true, options_.statistics);
  if (handle == nullptr) {
    Tick(BLOB_DB_CACHE_MISS);
    return false;
  }
  const Slice found = static_cast<const Blob*>(cache->Value(handle))->value();
  const Perf perf;
  perf.Count(&PerfContext::blob_cache_hit_count);
  perf.Count(&PerfContext::blob_cache_read_byte, found.size());
  Tick(BLOB_DB_CACHE_HIT);
  Tick(BLOB_DB_CACHE_BYTES_READ, found.size());
  PinCached(found, cache, handle, value);
  return true;
}

void BlobSource::Pin(const BlobIndex& index, bool fill, std::unique_ptr<Blob> blob,
                     PinnableSlice* value) {
  Cache* const cache = options_.cache.get();
  if (cache != nullptr && fill) {
    const CacheKey key(cache_prefix_, index);
    Cache::Handle* handle = nullptr;
    const Slice bytes = blob->value();
    const Status s = cache->Insert(key.slice(), blob.get(), BlobHelper(), blob->charge(), &handle,
                                   Cache::Priority::BOTTOM);
    if (s.ok()) {
      (void)blob.release();  // the cache has it
      Tick(BLOB_DB_CACHE_ADD);
      Tick(BLOB_DB_CACHE_BYTES_WRITE, bytes.size());
      PinCached(bytes, cache, handle, value);
      return;
    }
    Tick(BLOB_DB_CACHE_ADD_FAILURES);
  }
  const Slice bytes = blob->value();
  value->PinSlice(
      bytes, [](void* owned, void*) { delete static_cast<Blob*>(owned); }, blob.release(), nullptr);
}

Status BlobSource::Get(const ReadOptions& options, const Slice& key, const Slice& index,
                       PinnableSlice* value, BlobReadAheads* ahead, uint64_t* bytes_read) {
  value->Reset();
  if (bytes_read != nullptr) *bytes_read = 0;
  BlobIndex at;
  Status s = DecodeBlobIndex(index, &at);
  if (!s.ok()) return Status::CopyAppendMessage(s, " of key ", key.ToString(/*hex=*/true));
  if (GetFromCache(at, value)) {
    if (ahead != nullptr) {
      const uint64_t record = at.offset - kBlobRecordHeaderSize - key.size();
      ahead->Pass(at.file_number, record, BlobRecordSize(key.size(), at.size));
    }
    return s;
  }
  if (options.read_tier == kBlockCacheTier) {
    return Status::Incomplete("Cannot read blob(s): no disk I/O allowed");
  }
  const ReadLimits limits(options);
  OpenFile file;
  s = Open(at.file_number, limits, &file);
  std::unique_ptr<Blob> blob;
  if (s.ok()) {
    s = file->Read(limits, options.verify_checksums, key, at, ahead, &blob, bytes_read,
                   options_.timestamp_size);
  }
  if (s.ok()) Pin(at, options.fill_cache, std::move(blob), value);
  return s;
}

BlobReadAheadOptions BlobSource::HowToReadAhead(const ReadOptions& options) const {
  BlobReadAheadOptions result;
  result.fixed = options.readahead_size;
  result.initial = options_.initial_auto_readahead_size;
  result.max = options_.max_auto_readahead_size;
  // A fixed size does not mean that what a jump leads to is followed by anything.
  result.reads_before = result.fixed != 0 ? 1 : options_.num_file_reads_for_auto_readahead;
  // A read that goes on in the background cannot be left behind when the time is over.
  result.background =
      options.async_io && options.deadline.count() == 0 && options.io_timeout.count() == 0;
  result.most_windows = BlobReadAheads::kMostWindows;
  if (options_.charges != nullptr) result.memory = options_.charges->For(CacheEntryRole::kMisc);
  return result;
}

void BlobSource::AddToCache(const BlobIndex& index, const Slice& value) {
  if (options_.cache == nullptr) return;
  std::unique_ptr<Blob> blob = Blob::Allocate(value.size());
  if (blob == nullptr) return;  // it is read when it is wanted
  std::memcpy(blob->memory(), value.data(), value.size());
  PinnableSlice pinned;
  Pin(index, /*fill=*/true, std::move(blob), &pinned);
}

Status BlobSource::VerifyFile(const ReadOptions& options, uint64_t number) {
  constexpr size_t kAtOnce = 256 << 10;
  const ReadLimits limits(options);
  OpenFile file;
  Status s = Open(number, limits, &file);
  if (!s.ok()) return s;
  return file->VerifyAll(limits, options.readahead_size != 0 ? options.readahead_size : kAtOnce);
}

Status BlobSource::CheckFile(uint64_t number) {
  OpenFile file;
  return Open(number, ReadLimits(), &file);
}

void BlobSource::Evict(uint64_t number) { open_files_->cache()->Erase(FileKey(number).slice()); }

}  // namespace cairn
