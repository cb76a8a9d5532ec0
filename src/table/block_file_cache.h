// Cairn's PersistentCache: blocks in files on a disk (rocksdb/persistent_cache.h says what it
// does).
//
//   record   masked CRC32C of what follows (4) | key size (4) | value size (4) | key | value
//   chunk    records, then zeros up to a multiple of 4096
//   file     chunks
//
// A chunk is filled in memory and written as a whole by whoever fills it; meanwhile the next one is
// filled. The places of all records are in memory, by their keys, and go with their file. Nothing
// is synced: after a restart nothing is read.
//
// Thread-safe. Insert and Lookup SUSPEND: one in a while writes, a hit reads.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/namespace.h"
#include "fiber/mutex.h"
#include "fs/file_reader.h"
#include "fs/file_writer.h"
#include "rocksdb/persistent_cache.h"

namespace cairn {

class BlockFileCache final : public PersistentCache {
 public:
  struct Options {
    std::shared_ptr<FileSystem> fs;
    std::string path;
    uint64_t size = 0;  // bytes
    std::shared_ptr<Logger> log;
    bool direct = false;
  };
  static constexpr uint64_t kMinSize = 1 << 20;
  static constexpr uint64_t kMaxFileSize = 100 << 20;
  static constexpr size_t kMaxChunkSize = 1 << 20;

  explicit BlockFileCache(Options options);
  // Removes its files.
  ~BlockFileCache() override;
  BlockFileCache(const BlockFileCache&) = delete;
  BlockFileCache& operator=(const BlockFileCache&) = delete;

  // Before all else.
  [[nodiscard]] Status Open();

  Status Insert(const Slice& key, const char* data, size_t size) override;
  Status Lookup(const Slice& key, std::unique_ptr<char[]>* data, size_t* size) override;
  bool IsCompressed() override { return true; }
  StatsType Stats() override;
  std::string GetPrintableOptions() const override;
  uint64_t NewId() override;

 private:
  struct File {
    explicit File(uint64_t n) : number(n) {}
    const uint64_t number;
    uint64_t size = 0;  // of the chunks that are for it, in bytes
    std::vector<std::string> keys;
    // By the writer of chunks alone, until its first chunk is not writing_ any more.
    std::unique_ptr<FileWriter> writer;
    std::unique_ptr<RandomAccessFileReader> reader;
  };
  using FilePtr = std::shared_ptr<File>;
  struct Place {
    FilePtr file;
    uint64_t offset = 0;
    size_t size = 0;  // of the record
  };
  struct Chunk {
    FilePtr file;
    uint64_t offset = 0;    // in it
    uint64_t capacity = 0;  // bytes, a multiple of kPage
    std::string bytes;
    std::vector<std::string> keys;
  };
  using ChunkPtr = std::shared_ptr<Chunk>;

  std::string Folder() const { return options_.path + "/cache"; }
  std::string NameOf(const File& file) const {
    return Folder() + "/" + std::to_string(file.number) + ".rc";
  }
  [[nodiscard]] Status RemoveLeftovers();
  // The next one, of so many bytes, in the newest file or one that is newer still.
  ChunkPtr NewChunk(uint64_t capacity) FIBER_REQUIRES(mu_);
  // Takes the oldest files out of the cache until `bytes` more fit; they are to be removed.
  std::vector<FilePtr> MakeRoom(uint64_t bytes) FIBER_REQUIRES(mu_);
  void Forget(const std::vector<std::string>& keys, const File& file) FIBER_REQUIRES(mu_);
  [[nodiscard]] IOStatus WriteChunk(const Chunk& chunk);
  void RemoveFile(File* file);
  Status Missed(bool is_error);
  // Whether `record` is what was written for `key`; *value is what it has.
  static bool IsSound(const Slice& record, const Slice& key, Slice* value);

  const Options options_;
  const uint64_t file_size_;   // of one file, at most
  const uint64_t chunk_size_;  // usual
  mutable fiber::Mutex mu_;
  std::unordered_map<std::string, Place> places_ FIBER_GUARDED_BY(mu_);
  std::deque<FilePtr> files_ FIBER_GUARDED_BY(mu_);  // oldest first; the last one is filled
  uint64_t total_ FIBER_GUARDED_BY(mu_) = 0;         // of the files' sizes
  uint64_t next_file_ FIBER_GUARDED_BY(mu_) = 0;
  ChunkPtr filling_ FIBER_GUARDED_BY(mu_);  // null: nothing was inserted yet
  ChunkPtr writing_ FIBER_GUARDED_BY(mu_);  // null: nobody writes
  Status failed_ FIBER_GUARDED_BY(mu_);     // why nothing is inserted any more
  uint64_t next_id_ FIBER_GUARDED_BY(mu_) = 1;

  struct Counts {
    uint64_t inserted = 0, inserted_bytes = 0, written = 0, written_bytes = 0, dropped = 0;
    uint64_t hits = 0, hit_bytes = 0, misses = 0, errors = 0;
  };
  Counts counts_ FIBER_GUARDED_BY(mu_);
};

}  // namespace cairn
