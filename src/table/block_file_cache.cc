#include "table/block_file_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/allocation.h"
#include "base/coding.h"
#include "base/crc32c.h"
#include "base/logging.h"
#include "fs/file_util.h"

namespace cairn {

namespace {

constexpr uint64_t kPage = 4096;
constexpr size_t kRecordHeader = 12;
constexpr char kSuffix[] = ".rc";

constexpr uint64_t RoundUp(uint64_t n) { return (n + kPage - 1) / kPage * kPage; }
constexpr uint64_t RoundDown(uint64_t n) { return n / kPage * kPage; }

size_t RecordSize(const Slice& key, size_t size) { return kRecordHeader + key.size() + size; }

void AppendRecord(const Slice& key, const char* data, size_t size, std::string* bytes) {
  const size_t begin = bytes->size();
  PutFixed32(bytes, 0);
  PutFixed32(bytes, static_cast<uint32_t>(key.size()));
  PutFixed32(bytes, static_cast<uint32_t>(size));
  bytes->append(key.data(), key.size());
  bytes->append(data, size);
  const uint32_t crc = crc32c::Value(bytes->data() + begin + 4, bytes->size() - begin - 4);
  EncodeFixed32(bytes->data() + begin, crc32c::Mask(crc));
}

}  // namespace

BlockFileCache::BlockFileCache(Options options)
    : options_(std::move(options)),
      file_size_(RoundDown(std::min(options_.size / 8, kMaxFileSize))),
      chunk_size_(std::min<uint64_t>(file_size_, kMaxChunkSize)) {}

BlockFileCache::~BlockFileCache() {
  std::deque<FilePtr> files;
  {
    fiber::MutexLock lock(&mu_);
    places_.clear();
    files.swap(files_);
  }
  for (const FilePtr& file : files) RemoveFile(file.get());
}

Status BlockFileCache::Open() {
  Status s = CreateDirDurably(options_.fs.get(), options_.path);
  if (s.ok()) s = CreateDirDurably(options_.fs.get(), Folder());
  return s.ok() ? RemoveLeftovers() : s;
}

Status BlockFileCache::RemoveLeftovers() {
  std::vector<std::string> names;
  Status s = options_.fs->GetChildren(Folder(), IOOptions(), &names, nullptr);
  for (const std::string& name : names) {
    if (!s.ok()) break;
    if (!name.ends_with(kSuffix)) continue;
    s = options_.fs->DeleteFile(Folder() + "/" + name, IOOptions(), nullptr);
  }
  return s;
}

// ---- Insertion

BlockFileCache::ChunkPtr BlockFileCache::NewChunk(uint64_t capacity) {
  if (files_.empty() || files_.back()->size + capacity > file_size_) {
    files_.push_back(std::make_shared<File>(next_file_++));
  }
  auto chunk = std::make_shared<Chunk>();
  chunk->file = files_.back();
  chunk->offset = chunk->file->size;
  chunk->capacity = capacity;
  chunk->file->size += capacity;
  total_ += capacity;
  return chunk;
}

void BlockFileCache::Forget(const std::vector<std::string>& keys, const File& file) {
  for (const std::string& key : keys) {
    const auto at = places_.find(key);
    if (at != places_.end() && at->second.file.get() == &file) places_.erase(at);
  }
}

std::vector<BlockFileCache::FilePtr> BlockFileCache::MakeRoom(uint64_t bytes) {
  std::vector<FilePtr> gone;
  // The last one is being filled, or written.
  while (files_.size() > 1 && total_ + bytes > options_.size) {
    FilePtr oldest = std::move(files_.front());
    files_.pop_front();
    total_ -= oldest->size;
    Forget(oldest->keys, *oldest);
    gone.push_back(std::move(oldest));
  }
  return gone;
}

Status BlockFileCache::Insert(const Slice& key, const char* data, size_t size) {
  const size_t record = RecordSize(key, size);
  ChunkPtr full;
  std::vector<FilePtr> gone;
  {
    fiber::MutexLock lock(&mu_);
    if (!failed_.ok()) return failed_;
    ++counts_.inserted;
    counts_.inserted_bytes += size;
    const std::string name = key.ToString();
    if (places_.contains(name)) return Status::OK();
    if (RoundUp(record) > file_size_) {
      ++counts_.dropped;
      return Status::NotSupported("the block is larger than a file of the cache");
    }
    if (filling_ == nullptr || filling_->bytes.size() + record > filling_->capacity) {
      if (writing_ != nullptr) {
        ++counts_.dropped;
        return Status::TryAgain("the cache is still writing what came before");
      }
      const uint64_t capacity = std::max<uint64_t>(chunk_size_, RoundUp(record));
      std::string memory;
      if (!WithMemory(capacity, [&] { memory.reserve(capacity); })) {
        ++counts_.dropped;
        return Status::MemoryLimit("no memory for a chunk of the cache");
      }
      gone = MakeRoom(capacity);
      ChunkPtr next = NewChunk(capacity);
      next->bytes = std::move(memory);
      full = writing_ = std::move(filling_);
      filling_ = std::move(next);
    }
    Place& place = places_[name];
    place = {filling_->file, filling_->offset + filling_->bytes.size(), record};
    filling_->file->keys.push_back(name);
    filling_->keys.push_back(name);
    AppendRecord(key, data, size, &filling_->bytes);
  }
  for (const FilePtr& file : gone) RemoveFile(file.get());
  if (full == nullptr) return Status::OK();
  const IOStatus s = WriteChunk(*full);
  fiber::MutexLock lock(&mu_);
  if (s.ok()) {
    ++counts_.written;
    counts_.written_bytes += full->capacity;
  } else {
    Forget(full->keys, *full->file);
    ++counts_.errors;
    failed_ = s;
    LogWarn(options_.log.get(), "The persistent cache takes no more blocks: %s",
            s.ToString().c_str());
  }
  writing_ = nullptr;
  return s;
}

// By one caller at a time: it is writing_.
IOStatus BlockFileCache::WriteChunk(const Chunk& chunk) {
  File* const file = chunk.file.get();
  const std::string name = NameOf(*file);
  IOStatus s;
  if (file->writer == nullptr) {
    FileOptions options;
    options.use_direct_writes = options_.direct;
    s = FileWriter::Open(options_.fs.get(), name, options, &file->writer);
    if (!s.ok() && options_.direct) {
      options.use_direct_writes = false;
      s = FileWriter::Open(options_.fs.get(), name, options, &file->writer);
    }
  }
  if (s.ok()) s = file->writer->Append(chunk.bytes);
  if (s.ok()) s = file->writer->Pad(chunk.capacity - chunk.bytes.size());
  if (s.ok()) s = file->writer->Flush();
  // No chunk follows that is for it (NewChunk).
  const bool is_last = chunk.offset + chunk.capacity + chunk_size_ > file_size_;
  if (s.ok() && is_last) s = file->writer->Close();
  if (!s.ok() || file->reader != nullptr) return s;
  FileOptions options;
  options.use_direct_reads = options_.direct;
  s = RandomAccessFileReader::Open(options_.fs.get(), name, options, &file->reader);
  if (!s.ok() && options_.direct) {
    options.use_direct_reads = false;
    s = RandomAccessFileReader::Open(options_.fs.get(), name, options, &file->reader);
  }
  return s;
}

void BlockFileCache::RemoveFile(File* file) {
  // It may be read, or, if nothing else was there to go, written.
  (void)options_.fs->DeleteFile(NameOf(*file), IOOptions(), nullptr);
}

// ---- Lookup

bool BlockFileCache::IsSound(const Slice& record, const Slice& key, Slice* value) {
  if (record.size() < kRecordHeader) return false;
  const uint32_t crc = crc32c::Unmask(DecodeFixed32(record.data()));
  if (crc32c::Value(record.data() + 4, record.size() - 4) != crc) return false;
  const uint32_t key_size = DecodeFixed32(record.data() + 4);
  const uint32_t value_size = DecodeFixed32(record.data() + 8);
  if (uint64_t{kRecordHeader} + key_size + value_size != record.size()) return false;
  *value = Slice(record.data() + kRecordHeader + key_size, value_size);
  return Slice(record.data() + kRecordHeader, key_size) == key;
}

Status BlockFileCache::Missed(bool is_error) {
  fiber::MutexLock lock(&mu_);
  ++counts_.misses;
  if (is_error) ++counts_.errors;
  return Status::NotFound("not in the persistent cache");
}

Status BlockFileCache::Lookup(const Slice& key, std::unique_ptr<char[]>* data, size_t* size) {
  const std::string name = key.ToString();
  Place place;
  ChunkPtr chunk;  // that has it in memory
  {
    fiber::MutexLock lock(&mu_);
    const auto at = places_.find(name);
    if (at == places_.end()) {
      ++counts_.misses;
      return Status::NotFound("not in the persistent cache");
    }
    place = at->second;
    for (const ChunkPtr& held : {writing_, filling_}) {
      if (held == nullptr || held->file != place.file || place.offset < held->offset) continue;
      if (place.offset - held->offset < held->bytes.size()) chunk = held;
    }
  }
  std::unique_ptr<char[]> scratch;
  if (!WithMemory(place.size,
                  [&] { scratch = std::make_unique_for_overwrite<char[]>(place.size); })) {
    return Missed(/*is_error=*/true);
  }
  Slice record;
  IOStatus s;
  if (chunk != nullptr) {
    // (Its bytes never move: there is room for all that it will take, and records stay.)
    record = Slice(chunk->bytes.data() + (place.offset - chunk->offset), place.size);
  } else {
    s = place.file->reader->Read(IOOptions(), place.offset, place.size, &record, scratch.get());
  }
  Slice value;
  if (!s.ok() || record.size() != place.size || !IsSound(record, key, &value)) {
    fiber::MutexLock lock(&mu_);
    const auto at = places_.find(name);
    if (at != places_.end() && at->second.file == place.file && at->second.offset == place.offset) {
      places_.erase(at);
    }
    ++counts_.misses;
    ++counts_.errors;
    return Status::NotFound("not in the persistent cache any more");
  }
  // Its own memory, moved to the front, if the record lies there.
  if (record.data() != scratch.get()) std::memcpy(scratch.get(), record.data(), record.size());
  const size_t at = static_cast<size_t>(value.data() - record.data());
  std::memmove(scratch.get(), scratch.get() + at, value.size());
  *size = value.size();
  *data = std::move(scratch);
  fiber::MutexLock lock(&mu_);
  ++counts_.hits;
  counts_.hit_bytes += value.size();
  return Status::OK();
}

// ---- What it tells

PersistentCache::StatsType BlockFileCache::Stats() {
  fiber::MutexLock lock(&mu_);
  const auto each = [](uint64_t sum, uint64_t count) {
    return count == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(count);
  };
  const uint64_t lookups = counts_.hits + counts_.misses;
  const auto number = [](uint64_t n) { return static_cast<double>(n); };
  const std::string prefix = "persistentcache.blockcachetier.";
  return {{{prefix + "bytes_piplined", each(counts_.inserted_bytes, counts_.inserted)},
           {prefix + "bytes_written", each(counts_.written_bytes, counts_.written)},
           {prefix + "bytes_read", each(counts_.hit_bytes, counts_.hits)},
           {prefix + "insert_dropped", number(counts_.dropped)},
           {prefix + "cache_hits", number(counts_.hits)},
           {prefix + "cache_misses", number(counts_.misses)},
           {prefix + "cache_errors", number(counts_.errors)},
           {prefix + "cache_hits_pct", 100 * each(counts_.hits, lookups)},
           {prefix + "cache_misses_pct", 100 * each(counts_.misses, lookups)}}};
}

std::string BlockFileCache::GetPrintableOptions() const {
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    text.append("    ").append(name).append(": ").append(value).append("\n");
  };
  line("path", options_.path);
  line("enable_direct_reads", std::to_string(static_cast<int>(options_.direct)));
  line("enable_direct_writes", std::to_string(static_cast<int>(options_.direct)));
  line("cache_size", std::to_string(options_.size));
  line("cache_file_size", std::to_string(file_size_));
  line("write_buffer_size", std::to_string(chunk_size_));
  line("is_compressed", "1");
  return text;
}

uint64_t BlockFileCache::NewId() {
  fiber::MutexLock lock(&mu_);
  return next_id_++;
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

Status NewPersistentCache(Env* env, const std::string& path, uint64_t size,
                          const std::shared_ptr<Logger>& log, bool optimized_for_nvm,
                          std::shared_ptr<PersistentCache>* cache) {
  if (cache == nullptr) return Status::IOError("invalid argument cache");
  if (env == nullptr || path.empty()) return Status::InvalidArgument("empty or null args");
  if (size < cairn::BlockFileCache::kMinSize) return Status::InvalidArgument("invalid cache size");
  auto made = std::make_shared<cairn::BlockFileCache>(
      cairn::BlockFileCache::Options{env->GetFileSystem(), path, size, log, optimized_for_nvm});
  Status s = made->Open();
  if (s.ok()) *cache = std::move(made);
  return s;
}

}  // namespace ROCKSDB_NAMESPACE
