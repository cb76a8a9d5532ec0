// SstFileReader: a table reader and the user's iterator over it.
#include "rocksdb/sst_file_reader.h"

#include "base/internal_key.h"
#include "base/namespace.h"
#include "fs/file_reader.h"
#include "read/db_iterator.h"
#include "read/timestamp_iterator.h"
#include "rocksdb/file_system.h"
#include "rocksdb/snapshot.h"
#include "rocksdb/table.h"
#include "table/table_options.h"
#include "table/table_reader.h"

namespace ROCKSDB_NAMESPACE {

struct SstFileReader::Rep {
  explicit Rep(const Options& o) : options(o), icmp(o.comparator) {}

  const Options options;
  const cairn::InternalKeyComparator icmp;
  std::unique_ptr<cairn::TableReader> table;
};

SstFileReader::SstFileReader(const Options& options) : rep_(std::make_unique<Rep>(options)) {}
SstFileReader::~SstFileReader() = default;

Status SstFileReader::Open(const std::string& file_path) {
  Rep& r = *rep_;
  Env* const env = r.options.env != nullptr ? r.options.env : Env::Default();
  FileSystem* const fs = env->GetFileSystem().get();
  uint64_t size = 0;
  IOStatus io = fs->GetFileSize(file_path, IOOptions(), &size, nullptr);
  std::unique_ptr<cairn::RandomAccessFileReader> file;
  if (io.ok()) {
    io = cairn::RandomAccessFileReader::Open(fs, file_path, FileOptions(r.options), &file);
  }
  if (!io.ok()) return io;
  cairn::TableReaderOptions options(r.icmp);
  options.statistics = r.options.statistics.get();
  options.info_log = r.options.info_log.get();
  options.prefix_extractor = r.options.prefix_extractor.get();
  options.block_protection_bytes = r.options.block_protection_bytes_per_key;
  return r.options.table_factory->NewTableReader(options, std::move(file), size, &r.table);
}

Iterator* SstFileReader::NewIterator(const ReadOptions& options) {
  Rep& r = *rep_;
  if (options.tailing || options.max_skippable_internal_keys != 0) {
    return NewErrorIterator(Status::NotSupported(
        "ReadOptions::tailing and max_skippable_internal_keys are not supported"));
  }
  for (const Slice* const timestamp : {options.timestamp, options.iter_start_ts}) {
    if (timestamp != nullptr &&
        (r.icmp.timestamp_size() == 0 || timestamp->size() != r.icmp.timestamp_size())) {
      return NewErrorIterator(
          Status::InvalidArgument("the timestamp is not one of the comparator's"));
    }
  }
  if (options.timestamp == nullptr && options.iter_start_ts != nullptr) {
    return NewErrorIterator(Status::InvalidArgument("iter_start_ts without a timestamp"));
  }
  cairn::DBIteratorEnv env;
  env.icmp = &r.icmp;
  env.prefix_extractor = r.options.prefix_extractor.get();
  env.merge_operator = r.options.merge_operator.get();
  env.max_sequential_skip = r.options.max_sequential_skip_in_iterations;
  env.statistics = r.options.statistics.get();
  const SequenceNumber sequence = options.snapshot != nullptr
                                      ? options.snapshot->GetSequenceNumber()
                                      : cairn::kMaxSequenceNumber;
  cairn::InternalIterator* const entries = r.table->NewIterator(options);
  return options.timestamp != nullptr ? cairn::NewTimestampIterator(env, options, entries, sequence)
                                      : cairn::NewDBIterator(env, options, entries, sequence);
}

std::shared_ptr<const TableProperties> SstFileReader::GetTableProperties() const {
  return rep_->table->GetTableProperties();
}

Status SstFileReader::VerifyChecksum(const ReadOptions& options) {
  return rep_->table->VerifyChecksum(options);
}

}  // namespace ROCKSDB_NAMESPACE
