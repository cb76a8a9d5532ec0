#include "fs/file_options.h"

#include <utility>

namespace ROCKSDB_NAMESPACE {

// What a file system may ask of the database's options, by handing them on to another one.
struct ImmutableDBOptions {
  explicit ImmutableDBOptions(const DBOptions& db)
      : use_direct_reads(db.use_direct_reads),
        use_direct_io_for_flush_and_compaction(db.use_direct_io_for_flush_and_compaction) {}

  const bool use_direct_reads;
  const bool use_direct_io_for_flush_and_compaction;
};

namespace {

// Of a FileOptions or an EnvOptions: what a file system does that has no wishes of its own.

template <typename Options>
Options Buffered(Options options) {
  options.use_direct_reads = false;
  return options;
}

template <typename Options>
Options ForLogWrite(Options options, const DBOptions& db) {
  options.bytes_per_sync = db.wal_bytes_per_sync;
  options.writable_file_max_buffer_size = db.writable_file_max_buffer_size;
  return options;
}

template <typename Options>
Options ForTableWrite(Options options, const ImmutableDBOptions& db) {
  options.use_direct_writes = db.use_direct_io_for_flush_and_compaction;
  return options;
}

template <typename Options>
Options ForTableRead(Options options, const ImmutableDBOptions& db) {
  options.use_direct_reads = db.use_direct_reads;
  return options;
}

}  // namespace

FileOptions FileSystem::OptimizeForLogRead(const FileOptions& file_options) const {
  return Buffered(file_options);
}
FileOptions FileSystem::OptimizeForManifestRead(const FileOptions& file_options) const {
  return Buffered(file_options);
}
FileOptions FileSystem::OptimizeForLogWrite(const FileOptions& file_options,
                                            const DBOptions& db_options) const {
  return ForLogWrite(file_options, db_options);
}
FileOptions FileSystem::OptimizeForManifestWrite(const FileOptions& file_options) const {
  return file_options;
}
FileOptions FileSystem::OptimizeForCompactionTableWrite(
    const FileOptions& file_options, const ImmutableDBOptions& db_options) const {
  return ForTableWrite(file_options, db_options);
}
FileOptions FileSystem::OptimizeForCompactionTableRead(const FileOptions& file_options,
                                                       const ImmutableDBOptions& db_options) const {
  return ForTableRead(file_options, db_options);
}
FileOptions FileSystem::OptimizeForBlobFileRead(const FileOptions& file_options,
                                                const ImmutableDBOptions& db_options) const {
  return ForTableRead(file_options, db_options);
}

// An Env over a FileSystem asks that one; one of the user's own says what it likes.

EnvOptions Env::OptimizeForLogRead(const EnvOptions& env_options) const {
  return own_files_ == nullptr ? Buffered(env_options)
                               : own_files_->OptimizeForLogRead(FileOptions(env_options));
}
EnvOptions Env::OptimizeForManifestRead(const EnvOptions& env_options) const {
  return own_files_ == nullptr ? Buffered(env_options)
                               : own_files_->OptimizeForManifestRead(FileOptions(env_options));
}
EnvOptions Env::OptimizeForLogWrite(const EnvOptions& env_options,
                                    const DBOptions& db_options) const {
  return own_files_ == nullptr
             ? ForLogWrite(env_options, db_options)
             : own_files_->OptimizeForLogWrite(FileOptions(env_options), db_options);
}
EnvOptions Env::OptimizeForManifestWrite(const EnvOptions& env_options) const {
  return own_files_ == nullptr ? env_options
                               : own_files_->OptimizeForManifestWrite(FileOptions(env_options));
}
EnvOptions Env::OptimizeForCompactionTableWrite(const EnvOptions& env_options,
                                                const ImmutableDBOptions& db_options) const {
  return own_files_ == nullptr
             ? ForTableWrite(env_options, db_options)
             : own_files_->OptimizeForCompactionTableWrite(FileOptions(env_options), db_options);
}
EnvOptions Env::OptimizeForCompactionTableRead(const EnvOptions& env_options,
                                               const ImmutableDBOptions& db_options) const {
  return own_files_ == nullptr
             ? ForTableRead(env_options, db_options)
             : own_files_->OptimizeForCompactionTableRead(FileOptions(env_options), db_options);
}
EnvOptions Env::OptimizeForBlobFileRead(const EnvOptions& env_options,
                                        const ImmutableDBOptions& db_options) const {
  return own_files_ == nullptr
             ? ForTableRead(env_options, db_options)
             : own_files_->OptimizeForBlobFileRead(FileOptions(env_options), db_options);
}

}  // namespace ROCKSDB_NAMESPACE

namespace cairn {

namespace {

FileOptions NeverDirectNorMapped(FileOptions options) {
  options.use_mmap_reads = options.use_mmap_writes = false;
  options.use_direct_reads = options.use_direct_writes = false;
  return options;
}

}  // namespace

FileOptions FileOptionsForLogRead(const FileSystem& fs, const DBOptions& db) {
  return NeverDirectNorMapped(fs.OptimizeForLogRead(FileOptions(db)));
}

FileOptions FileOptionsForLogWrite(const FileSystem& fs, const DBOptions& db) {
  FileOptions options(db);
  options.temperature = db.wal_write_temperature;
  return NeverDirectNorMapped(fs.OptimizeForLogWrite(options, db));
}

FileOptions FileOptionsForManifestWrite(const FileSystem& fs, const DBOptions& db) {
  FileOptions options(db);
  options.temperature = db.metadata_write_temperature;
  return NeverDirectNorMapped(fs.OptimizeForManifestWrite(options));
}

FileOptions FileOptionsForTableWrite(const FileSystem& fs, const DBOptions& db) {
  return fs.OptimizeForCompactionTableWrite(FileOptions(db), ImmutableDBOptions(db));
}

FileOptions FileOptionsForTableRead(const FileSystem& fs, const DBOptions& db) {
  return fs.OptimizeForCompactionTableRead(FileOptions(db), ImmutableDBOptions(db));
}

FileOptions FileOptionsForBlobRead(const FileSystem& fs, const DBOptions& db) {
  return fs.OptimizeForBlobFileRead(FileOptions(db), ImmutableDBOptions(db));
}

}  // namespace cairn
