#include "trace_analyzer/statistics.h"

#include <algorithm>
#include <cinttypes>

namespace trace_analyzer {
namespace {

constexpr uint64_t kMicros = 1000000;

uint64_t SecondsSince(uint64_t begin, uint64_t timestamp) {
  return timestamp < begin ? 0 : (timestamp - begin) / kMicros;
}

}  // namespace

uint64_t Statistics::seconds() const { return SecondsSince(begin_ != 0 ? begin_ : created_, end_); }

rocksdb::Status Statistics::Read(cairn::TraceRecordReader* reader) {
  rocksdb::Status s = reader->ReadHeader();
  if (s.ok()) created_ = end_ = reader->header_timestamp();
  cairn::TraceRecordReader::Record record;
  while (s.ok()) {
    s = reader->Next(&record);
    if (s.IsIncomplete()) return rocksdb::Status::OK();  // whoever wrote it was killed
    if (!s.ok()) break;
    end_ = record.timestamp;
    if (record.type == rocksdb::kTraceEnd) break;
    requests_++;
    if (record.operation != nullptr) s = record.operation->Accept(this, nullptr);
  }
  return s;
}

void Statistics::NumberKeys() {
  for (auto& families : operations_) {
    for (auto& [family, stats] : families) {
      uint64_t id = 0;
      for (auto& [key, of_key] : stats.keys) of_key.id = id++;
    }
  }
}

rocksdb::Status Statistics::Handle(const rocksdb::WriteQueryTraceRecord& record, Result*) {
  writes_++;
  const rocksdb::WriteBatch batch(record.GetWriteBatchRep().ToString());
  // A transaction's entries come twice, when it is prepared and when it is committed.
  if (batch.Count() == 0 || (batch.HasBeginPrepare() && !batch.HasCommit())) {
    return rocksdb::Status::OK();
  }
  batch_time_ = record.GetTimestamp();
  return batch.Iterate(this);
}

rocksdb::Status Statistics::Handle(const rocksdb::GetQueryTraceRecord& record, Result*) {
  gets_++;
  Tell(kGet, record.GetTimestamp(), {record.GetColumnFamilyID()}, {record.GetKey()}, 0);
  return rocksdb::Status::OK();
}

rocksdb::Status Statistics::Handle(const rocksdb::IteratorSeekQueryTraceRecord& record, Result*) {
  const bool forward = record.GetTraceType() == rocksdb::kTraceIteratorSeek;
  (forward ? seeks_ : seeks_for_prev_)++;
  Tell(forward ? kSeek : kSeekForPrev, record.GetTimestamp(), {record.GetColumnFamilyID()},
       {record.GetKey()}, 0);
  return rocksdb::Status::OK();
}

rocksdb::Status Statistics::Handle(const rocksdb::MultiGetQueryTraceRecord& record, Result*) {
  multi_gets_++;
  std::vector<uint32_t> families = record.GetColumnFamilyIDs();
  std::vector<rocksdb::Slice> keys = record.GetKeys();
  const size_t n = std::min(families.size(), keys.size());
  families.resize(n);
  keys.resize(n);
  Tell(kMultiGet, record.GetTimestamp(), families, keys, 0);
  return rocksdb::Status::OK();
}

rocksdb::Status Statistics::PutCF(uint32_t family, const rocksdb::Slice& key,
                                  const rocksdb::Slice& value) {
  TellWrite(kPut, family, key, value.size());
  return rocksdb::Status::OK();
}

rocksdb::Status Statistics::PutEntityCF(uint32_t family, const rocksdb::Slice& key,
                                        const rocksdb::Slice& entity) {
  TellWrite(kPutEntity, family, key, entity.size());
  return rocksdb::Status::OK();
}

rocksdb::Status Statistics::DeleteCF(uint32_t family, const rocksdb::Slice& key) {
  TellWrite(kDelete, family, key, 0);
  return rocksdb::Status::OK();
}

rocksdb::Status Statistics::SingleDeleteCF(uint32_t family, const rocksdb::Slice& key) {
  TellWrite(kSingleDelete, family, key, 0);
  return rocksdb::Status::OK();
}

rocksdb::Status Statistics::DeleteRangeCF(uint32_t family, const rocksdb::Slice& begin,
                                          const rocksdb::Slice& end) {
  Tell(kRangeDelete, batch_time_, {family, family}, {begin, end}, 0);
  return rocksdb::Status::OK();
}

rocksdb::Status Statistics::MergeCF(uint32_t family, const rocksdb::Slice& key,
                                    const rocksdb::Slice& value) {
  TellWrite(kMerge, family, key, value.size());
  return rocksdb::Status::OK();
}

void Statistics::Tell(OperationType type, uint64_t timestamp, const std::vector<uint32_t>& families,
                      const std::vector<rocksdb::Slice>& keys, size_t value_size) {
  if (readable_.IsOpen()) {
    // Of a range its beginning alone.
    for (size_t i = 0; i < (type == kRangeDelete ? 1 : keys.size()); i++) {
      if (options_.keys_in_readable_trace) readable_.Write("0x" + keys[i].ToString(true) + " ");
      readable_.Print("%u %u %zu %" PRIu64 "\n", type, families[i], value_size, timestamp);
    }
  }
  if (passed_[type]++ % options_.sample_every != 0 || !options_.analyzed[type]) return;
  for (size_t i = 0; i < keys.size(); i++) {
    Count(type, timestamp, families[i], keys[i].ToString(),
          value_size != 0 ? value_size : kUnknownValueSize);
  }
}

void Statistics::Count(OperationType type, uint64_t timestamp, uint32_t family,
                       const std::string& key, size_t value_size) {
  if (begin_ == 0) begin_ = timestamp;
  const uint64_t second = SecondsSince(begin_, timestamp);
  OperationStats& stats = operations_[type][family];
  stats.count++;
  const auto key_size = static_cast<double>(key.size());
  const auto size = static_cast<double>(value_size);
  stats.key_bytes += key_size;
  stats.key_bytes_squared += key_size * key_size;
  stats.value_bytes += size;
  stats.value_bytes_squared += size * size;
  stats.value_sizes[value_size / options_.value_interval]++;
  stats.by_second[second]++;
  families_[family][second]++;
  if (options_.prefix_length > 0) {
    stats.prefixes_by_second[second][key.substr(0, options_.prefix_length)]++;
  }

  const auto [found, is_new] = stats.keys.try_emplace(key);
  KeyStats& of_key = found->second;
  if (is_new) {
    of_key.value_size = value_size;
    of_key.pairs.resize(options_.correlations.size());
    stats.keys_by_second[second] = stats.keys.size();
  }
  if (!options_.correlations.empty()) CountPairs(type, timestamp, family, key, &of_key);
  of_key.accesses++;
  of_key.latest = timestamp;
  if (options_.time_series) {
    stats.series.push_back({SecondsSince(created_, timestamp), found});
  }
}

// An operation of the same batch or MultiGet, which has the same time, came neither before nor
// after.
void Statistics::CountPairs(OperationType type, uint64_t timestamp, uint32_t family,
                            const std::string& key, KeyStats* stats) {
  for (size_t i = 0; i < options_.correlations.size(); i++) {
    const auto [first, second] = options_.correlations[i];
    if (second != type) continue;
    const auto others = operations_[first].find(family);
    if (others == operations_[first].end()) continue;
    const auto other = others->second.keys.find(key);
    if (other == others->second.keys.end() || other->second.accesses == 0 ||
        other->second.latest >= timestamp) {
      continue;
    }
    stats->pairs[i].count++;
    stats->pairs[i].micros += timestamp - other->second.latest;
  }
}

}  // namespace trace_analyzer
