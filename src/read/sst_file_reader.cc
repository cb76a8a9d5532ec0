// SstFileReader: a table reader and the user's iterator over it.
#include "rocksdb/sst_file_reader.h"

#include <memory>
#include <string>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "fs/file_reader.h"
#include "read/db_iterator.h"
#include "read/timestamp_iterator.h"
#include "rocksdb/convenience.h"
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
  options.compression_manager = r.options.compression_manager;
  options.mapped = r.options.allow_mmap_reads;
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

namespace {

Status GetWith(Iterator* it, const Slice& key, Slice* value) {
  it->Seek(key);
  if (!it->Valid() || it->key() != key) {
    return it->status().ok() ? Status::NotFound() : it->status();
  }
  *value = it->value();
  return it->status();
}

void Assign(const Slice& from, std::string* to) { to->assign(from.data(), from.size()); }
void Assign(const Slice& from, PinnableSlice* to) { to->PinSelf(from); }

template <typename Value>
std::vector<Status> MultiGetWith(Iterator* it, const std::vector<Slice>& keys,
                                 std::vector<Value>* values) {
  std::vector<Status> statuses(keys.size());
  *values = std::vector<Value>(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    Slice value;
    statuses[i] = GetWith(it, keys[i], &value);
    if (statuses[i].ok()) Assign(value, &(*values)[i]);
  }
  return statuses;
}

}  // namespace

Status SstFileReader::Get(const ReadOptions& options, const Slice& key, std::string* value) {
  const std::unique_ptr<Iterator> it(NewIterator(options));
  Slice found;
  Status s = GetWith(it.get(), key, &found);
  if (s.ok()) Assign(found, value);
  return s;
}

Status SstFileReader::Get(const ReadOptions& options, const Slice& key, PinnableSlice* value) {
  const std::unique_ptr<Iterator> it(NewIterator(options));
  Slice found;
  Status s = GetWith(it.get(), key, &found);
  if (s.ok()) Assign(found, value);
  return s;
}

std::vector<Status> SstFileReader::MultiGet(const ReadOptions& options,
                                            const std::vector<Slice>& keys,
                                            std::vector<std::string>* values) {
  const std::unique_ptr<Iterator> it(NewIterator(options));
  return MultiGetWith(it.get(), keys, values);
}

std::vector<Status> SstFileReader::MultiGet(const ReadOptions& options,
                                            const std::vector<Slice>& keys,
                                            std::vector<PinnableSlice>* values) {
  const std::unique_ptr<Iterator> it(NewIterator(options));
  return MultiGetWith(it.get(), keys, values);
}

Status SstFileReader::VerifyNumEntries(const ReadOptions& options) {
  ReadOptions past_the_cache = options;
  past_the_cache.fill_cache = false;
  const std::unique_ptr<cairn::InternalIterator> it(rep_->table->NewIterator(past_the_cache));
  uint64_t entries = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++entries;
  if (!it->status().ok()) return it->status();
  const TableProperties& properties = *rep_->table->GetTableProperties();
  const uint64_t expected = properties.num_entries - properties.num_range_deletions;
  if (entries == expected) return Status::OK();
  return Status::Corruption("the table has " + std::to_string(entries) + " entries, not " +
                            std::to_string(expected) + " as its properties say");
}

Status VerifySstFileChecksum(const Options& options, const EnvOptions& env_options,
                             const std::string& file_path) {
  return VerifySstFileChecksum(options, env_options, ReadOptions(), file_path);
}

Status VerifySstFileChecksum(const Options& options, const EnvOptions& env_options,
                             const ReadOptions& read_options, const std::string& file_path,
                             const SequenceNumber& /*largest_seqno*/) {
  Options as_asked = options;
  as_asked.allow_mmap_reads = env_options.use_mmap_reads;
  as_asked.use_direct_reads = env_options.use_direct_reads;
  SstFileReader reader(as_asked);
  Status s = reader.Open(file_path);
  return s.ok() ? reader.VerifyChecksum(read_options) : s;
}

}  // namespace ROCKSDB_NAMESPACE
