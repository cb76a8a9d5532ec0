// Reads: Get, MultiGet, iterators, snapshots. A read takes one reference (the super version), then
// the sequence number to read at, in this order: what the super version holds cannot be compacted
// away under the reader.
#include <algorithm>

#include "base/internal_key.h"
#include "db/db_impl.h"
#include "fiber/clock.h"
#include "fs/read_limits.h"
#include "read/db_iterator.h"
#include "read/point_lookup.h"
#include "rocksdb/statistics.h"

namespace cairn {
namespace {

// The name of an option that is set and that no read supports; null if there is none.
const char* UnsupportedOption(const ReadOptions& o) {
  if (o.timestamp != nullptr || o.iter_start_ts != nullptr) return "timestamp";
  if (o.managed) return "managed";
  if (o.read_tier == kMemtableTier) return "read_tier kMemtableTier";
  if (o.read_tier == kPersistedTier) return "read_tier kPersistedTier";
  return nullptr;
}
const char* UnsupportedIteratorOption(const ReadOptions& o) {
  if (o.tailing) return "tailing";
  if (o.table_filter) return "table_filter";
  if (o.max_skippable_internal_keys != 0) return "max_skippable_internal_keys";
  return UnsupportedOption(o);
}
Status Check(const char* unsupported) {
  if (unsupported == nullptr) [[likely]]
    return Status::OK();
  return Status::NotSupported(std::string("ReadOptions::") + unsupported + " is not supported");
}

}  // namespace

Status DBImpl::Get(const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
                   PinnableSlice* value) {
  Status s = CheckFamily(family);
  if (!s.ok()) return s;
  if (const char* what = UnsupportedOption(options)) [[unlikely]]
    return Check(what);
  if (ReadLimits::AreOver(options)) [[unlikely]]
    return ReadLimits(options).Error();
  const uint64_t start = statistics_ != nullptr ? fiber::now_nanos() : 0;
  {
    SuperVersionGuard sv(super_versions_.get());
    const SequenceNumber sequence = options.snapshot != nullptr
                                        ? options.snapshot->GetSequenceNumber()
                                        : versions_->LastSequence();
    if (options.async_io && value != nullptr) {
      MultiGetLookup(options, *sv.get(), table_cache_.get(), 1, &key, sequence, value, &s,
                     statistics_);
    } else {
      s = PointLookup(options, *sv.get(), table_cache_.get(), key, sequence, value, statistics_);
    }
  }
  // One that memory alone could not answer did not read its key.
  if (statistics_ != nullptr && !s.IsIncomplete()) [[unlikely]] {
    statistics_->recordTick(NUMBER_KEYS_READ, 1);
    if (s.ok() && value != nullptr) {
      statistics_->recordTick(BYTES_READ, value->size());
      statistics_->recordInHistogram(BYTES_PER_READ, value->size());
    }
    statistics_->reportTimeToHistogram(DB_GET, (fiber::now_nanos() - start) / 1000);
  }
  return s;
}

void DBImpl::MultiGet(const ReadOptions& options, ColumnFamilyHandle* family, size_t num_keys,
                      const Slice* keys, PinnableSlice* values, Status* statuses,
                      bool /*sorted_input*/) {
  Status s = CheckFamily(family);
  if (s.ok()) s = Check(UnsupportedOption(options));
  if (s.ok() && options.value_size_soft_limit != std::numeric_limits<uint64_t>::max()) {
    s = Status::NotSupported("ReadOptions::value_size_soft_limit is not supported");
  }
  if (!s.ok()) {
    std::fill(statuses, statuses + num_keys, s);
    return;
  }
  SuperVersionGuard sv(super_versions_.get());
  const SequenceNumber sequence = options.snapshot != nullptr
                                      ? options.snapshot->GetSequenceNumber()
                                      : versions_->LastSequence();
  const uint64_t start = statistics_ != nullptr ? fiber::now_nanos() : 0;
  MultiGetLookup(options, *sv.get(), table_cache_.get(), num_keys, keys, sequence, values, statuses,
                 statistics_);
  if (statistics_ != nullptr) {
    uint64_t found = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < num_keys; ++i) {
      if (statuses[i].IsIncomplete()) return;  // as Get
      if (!statuses[i].ok()) continue;
      ++found;
      bytes += values[i].size();
    }
    statistics_->recordTick(NUMBER_MULTIGET_CALLS, 1);
    statistics_->recordTick(NUMBER_MULTIGET_KEYS_READ, num_keys);
    statistics_->recordTick(NUMBER_MULTIGET_KEYS_FOUND, found);
    statistics_->recordTick(NUMBER_MULTIGET_BYTES_READ, bytes);
    statistics_->reportTimeToHistogram(DB_MULTIGET, (fiber::now_nanos() - start) / 1000);
  }
}

void DBImpl::MultiGet(const ReadOptions& options, size_t num_keys, ColumnFamilyHandle** families,
                      const Slice* keys, PinnableSlice* values, Status* statuses,
                      bool sorted_input) {
  for (size_t i = 0; i < num_keys; ++i) {
    Status s = CheckFamily(families[i]);
    if (!s.ok()) {
      std::fill(statuses, statuses + num_keys, s);
      return;
    }
  }
  MultiGet(options, DefaultColumnFamily(), num_keys, keys, values, statuses, sorted_input);
}

std::vector<Status> DBImpl::MultiGet(const ReadOptions& options,
                                     const std::vector<ColumnFamilyHandle*>& families,
                                     const std::vector<Slice>& keys,
                                     std::vector<std::string>* values) {
  std::vector<Status> statuses(keys.size());
  std::vector<PinnableSlice> pinned(keys.size());
  std::vector<ColumnFamilyHandle*> handles = families;
  MultiGet(options, keys.size(), handles.data(), keys.data(), pinned.data(), statuses.data(),
           false);
  values->assign(keys.size(), std::string());
  for (size_t i = 0; i < keys.size(); ++i) {
    if (statuses[i].ok()) (*values)[i].assign(pinned[i].data(), pinned[i].size());
  }
  return statuses;
}

bool DBImpl::KeyMayExist(const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
                         std::string* value, bool* value_found) {
  if (value_found != nullptr) *value_found = false;
  ReadOptions cached = options;
  cached.read_tier = kBlockCacheTier;
  PinnableSlice pinned;
  const Status s = Get(cached, family, key, &pinned);
  if (s.ok()) {
    if (value_found != nullptr) *value_found = true;
    if (value != nullptr) value->assign(pinned.data(), pinned.size());
  }
  // Incomplete: only the storage knows. TimedOut, Aborted: it could not be asked.
  return s.ok() || s.IsIncomplete() || s.IsTimedOut() || s.IsAborted();
}

Iterator* DBImpl::NewIterator(const ReadOptions& options, ColumnFamilyHandle* family) {
  Status s = CheckFamily(family);
  if (s.ok()) s = Check(UnsupportedIteratorOption(options));
  if (!s.ok()) return NewErrorIterator(s);
  DBIteratorEnv env;
  env.icmp = &icmp_;
  env.super_versions = super_versions_.get();
  env.tables = table_cache_.get();
  env.last_sequence = [this] { return versions_->LastSequence(); };
  env.prefix_extractor = prefix_extractor_;
  env.max_sequential_skip = max_sequential_skip_.load(std::memory_order_relaxed);
  env.statistics = statistics_;
  Iterator* const iterator = NewDBIterator(env, options);
  if (statistics_ != nullptr) {
    statistics_->recordTick(NO_ITERATOR_CREATED, 1);
    iterator->RegisterCleanup(
        [](void* statistics, void*) {
          static_cast<Statistics*>(statistics)->recordTick(NO_ITERATOR_DELETED, 1);
        },
        statistics_, nullptr);
  }
  return iterator;
}

Status DBImpl::NewIterators(const ReadOptions& options,
                            const std::vector<ColumnFamilyHandle*>& families,
                            std::vector<Iterator*>* iterators) {
  iterators->clear();
  Status s = Check(UnsupportedIteratorOption(options));
  for (ColumnFamilyHandle* family : families) {
    if (s.ok()) s = CheckFamily(family);
  }
  if (!s.ok()) return s;
  for (ColumnFamilyHandle* family : families) iterators->push_back(NewIterator(options, family));
  return s;
}

const Snapshot* DBImpl::GetSnapshot() {
  return snapshots_.Take([this] { return versions_->LastSequence(); });
}

void DBImpl::ReleaseSnapshot(const Snapshot* snapshot) {
  if (snapshot != nullptr) snapshots_.Release(snapshot);
}

}  // namespace cairn
