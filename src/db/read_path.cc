// Reads: Get, MultiGet, iterators, snapshots. A read takes one reference (the super version), then
// the sequence number to read at, in this order: what the super version holds cannot be compacted
// away under the reader.
#include <algorithm>
#include <memory>
#include <numeric>
#include <span>

#include "base/allocation.h"
#include "base/internal_key.h"
#include "base/perf.h"
#include "base/stop_watch.h"
#include "db/database.h"
#include "db/families.h"
#include "db/primary_follower.h"
#include "db/read_path.h"
#include "fiber/clock.h"
#include "fiber/interleave.h"
#include "fs/read_limits.h"
#include "read/db_iterator.h"
#include "read/point_lookup.h"
#include "read/read_timestamp.h"
#include "read/timestamp_iterator.h"
#include "rocksdb/statistics.h"

namespace cairn {
namespace {

// The name of an option that is set and that no read supports; null if there is none.
const char* UnsupportedOption(const ReadOptions& o) {
  if (o.managed) return "managed";
  if (o.read_tier == kMemtableTier) return "read_tier kMemtableTier";
  return nullptr;
}
bool HasSizeLimit(const ReadOptions& options) {
  return options.value_size_soft_limit != std::numeric_limits<uint64_t>::max();
}

// What reads of files are for is told to those who look at it alone: it costs a copy.
bool WantsActivity(const Statistics* statistics, const ReadOptions& options) {
  return options.io_activity == Env::IOActivity::kUnknown && WantsDetailedTimes(statistics);
}

ReadOptions ReadsFor(Env::IOActivity activity, const ReadOptions& options) {
  ReadOptions named = options;
  named.io_activity = activity;
  return named;
}

ReadOptions AllTiers(const ReadOptions& options) {
  ReadOptions all = options;
  all.read_tier = kReadAllTier;
  return all;
}

// Looks the keys of `at`, of one family, up in their order (which *at then has), some at a time,
// until the values come to more than `limit` bytes: the rest is Aborted. `look_up` does it for
// some. False: they came to more.
template <class LookUp>
bool LookUpInOrder(const InternalKeyComparator& icmp, uint64_t limit, const Slice* keys,
                   std::vector<size_t>* at, const LookUp& look_up, PinnableSlice* values,
                   Status* statuses) {
  constexpr size_t kAtOnce = 32;
  uint64_t size = 0;
  std::sort(at->begin(), at->end(), [&](size_t a, size_t b) {
    // (They have no timestamps.)
    const int order =
        icmp.user_comparator()->CompareWithoutTimestamp(keys[a], false, keys[b], false);
    return order != 0 ? order < 0 : a < b;
  });
  for (size_t begin = 0; begin < at->size(); begin += kAtOnce) {
    const std::span<const size_t> some(at->data() + begin, std::min(kAtOnce, at->size() - begin));
    if (size <= limit) look_up(some);
    for (const size_t i : some) {
      if (size > limit) {
        values[i].Reset();
        statuses[i] = Status::Aborted();
      } else if (statuses[i].ok()) {
        size += values[i].size();
      }
    }
  }
  return size <= limit;
}

Status Check(const char* unsupported) {
  if (unsupported == nullptr) [[likely]]
    return Status::OK();
  return Status::NotSupported(std::string("ReadOptions::") + unsupported + " is not supported");
}

// What the family's readers at options.timestamp see; empty: it has no timestamps.
Slice ReadTimestamp(const ReadOptions& options) {
  return options.timestamp == nullptr ? Slice() : *options.timestamp;
}

}  // namespace

inline Status ReadPath::CheckTimestampIfAny(const ColumnFamily& family,
                                            const ReadOptions& options) {
  if (options.timestamp == nullptr && family.icmp.timestamp_size() == 0) [[likely]]
    return Status::OK();
  return CheckTimestamp(family, options);
}

template <bool kTimed>
[[gnu::always_inline]] inline Status ReadPath::ReadValue(const ReadOptions& options,
                                                         ColumnFamilyHandle* handle,
                                                         const Slice& key, PinnableSlice* value,
                                                         bool* is_entity, std::string* timestamp) {
  ColumnFamily* family;
  Status s = db_.families->FamilyOf(handle, &family);
  if (!s.ok()) return s;
  // (One question for all that few reads need: a Status that comes back costs as much as the rest.)
  if (options.timestamp != nullptr || options.snapshot != nullptr ||
      family->icmp.timestamp_size() != 0) [[unlikely]] {
    s = CheckSnapshot(options);
    if (s.ok()) s = CheckTimestampIfAny(*family, options);
    if (!s.ok()) return s;
  }
  if (const char* what = UnsupportedOption(options)) [[unlikely]]
    return Check(what);
  if (ReadLimits::AreOver(options)) [[unlikely]]
    return ReadLimits(options).Error();
  if (AllIsPersisted(options)) [[unlikely]]
    return GetValue(AllTiers(options), handle, key, value, is_entity, timestamp);
  if (db_.statistics != nullptr && WantsActivity(db_.statistics, options)) [[unlikely]] {
    const auto activity =
        is_entity != nullptr ? Env::IOActivity::kGetEntity : Env::IOActivity::kGet;
    return GetValue(ReadsFor(activity, options), handle, key, value, is_entity, timestamp);
  }
  if (db_.trace.IsOn()) [[unlikely]]
    db_.trace.Get(family->id(), key);
  const uint64_t start = db_.statistics != nullptr ? fiber::now_nanos() : 0;
  const PerfCpuTimerIf<kTimed> cpu_timer(&PerfContext::get_cpu_nanos);
  {
    PerfTimerIf<kTimed> timer(&PerfContext::get_snapshot_time);
    SuperVersionGuard sv(family->super_versions.get());
    fiber::interleave();
    const SequenceNumber sequence = SequenceFor(options, *sv.get());
    timer.Stop();
    const LookupRequest request{options,  *sv.get(),      family->tables.get(),
                                sequence, db_.statistics, ReadTimestamp(options)};
    if (options.timestamp != nullptr) [[unlikely]] {
      s = CheckNotBelow(family->icmp, sv->history_low, *options.timestamp);
      if (!s.ok()) return s;
    }
    if (options.async_io && value != nullptr) {
      MultiGetLookup(request, 1, &key, value, &s, is_entity, timestamp);
    } else {
      s = PointLookupIf<kTimed>(request, key, {value, is_entity, timestamp});
    }
  }
  const PerfTimerIf<kTimed> timer(&PerfContext::get_post_process_time);
  if (s.ok() && value != nullptr) Perf().Count(&PerfContext::get_read_bytes, value->size());
  // One that memory alone could not answer did not read its key.
  if (db_.statistics != nullptr && !s.IsIncomplete()) [[unlikely]] {
    db_.statistics->recordTick(NUMBER_KEYS_READ, 1);
    if (s.ok() && value != nullptr) {
      db_.statistics->recordTick(BYTES_READ, value->size());
      db_.statistics->recordInHistogram(BYTES_PER_READ, value->size());
    }
    db_.statistics->reportTimeToHistogram(DB_GET, (fiber::now_nanos() - start) / 1000);
  }
  return s;
}

Status ReadPath::GetValue(const ReadOptions& options, ColumnFamilyHandle* handle, const Slice& key,
                          PinnableSlice* value, bool* is_entity, std::string* timestamp) {
  return Perf().timed() ? ReadValue<true>(options, handle, key, value, is_entity, timestamp)
                        : ReadValue<false>(options, handle, key, value, is_entity, timestamp);
}

Status ReadPath::Get(const ReadOptions& options, ColumnFamilyHandle* handle, const Slice& key,
                     PinnableSlice* value, std::string* timestamp) {
  if (timestamp != nullptr) [[unlikely]]
    timestamp->clear();
  if (Perf().timed()) [[unlikely]]
    return GetValue(options, handle, key, value, nullptr, timestamp);
  // (Inlined: this is each Get().)
  return ReadValue<false>(options, handle, key, value, nullptr, timestamp);
}

Status ReadPath::CheckIterator(const ReadOptions& options) const {
  Status s = Check(UnsupportedOption(options));
  if (s.ok() && options.read_tier == kPersistedTier) {
    s = Status::NotSupported("ReadTier::kPersistedData is not yet supported in iterators.");
  }
  if (s.ok()) s = CheckSnapshot(options);
  if (s.ok() && options.tailing && db_.mode == OpenMode::kSecondary) {
    s = Status::NotSupported("tailing iterator not supported in secondary mode");
  }
  return s;
}

Status ReadPath::CheckMultiGet(const ReadOptions& options) const {
  Status s = Check(UnsupportedOption(options));
  if (s.ok()) s = CheckSnapshot(options);
  return s;
}

void ReadPath::MultiGet(const ReadOptions& options, ColumnFamilyHandle* handle, size_t num_keys,
                        const Slice* keys, PinnableSlice* values, Status* statuses,
                        bool /*sorted_input*/) {
  MultiGetValues(options, handle, num_keys, keys, values, statuses, nullptr);
}

void ReadPath::MultiGetValues(const ReadOptions& options, ColumnFamilyHandle* handle,
                              size_t num_keys, const Slice* keys, PinnableSlice* values,
                              Status* statuses, bool* are_entities, std::string* timestamps) {
  if (timestamps != nullptr) std::fill_n(timestamps, num_keys, std::string());
  ColumnFamily* family;
  Status s = db_.families->FamilyOf(handle, &family);
  if (s.ok()) s = CheckMultiGet(options);
  if (s.ok()) s = CheckTimestampIfAny(*family, options);
  if (!s.ok()) {
    std::fill(statuses, statuses + num_keys, s);
    return;
  }
  if (AllIsPersisted(options)) [[unlikely]] {
    return MultiGetValues(AllTiers(options), handle, num_keys, keys, values, statuses, are_entities,
                          timestamps);
  }
  if (WantsActivity(db_.statistics, options)) [[unlikely]] {
    const auto activity =
        are_entities != nullptr ? Env::IOActivity::kMultiGetEntity : Env::IOActivity::kMultiGet;
    return MultiGetValues(ReadsFor(activity, options), handle, num_keys, keys, values, statuses,
                          are_entities, timestamps);
  }
  if (HasSizeLimit(options)) [[unlikely]] {
    std::vector<ColumnFamilyHandle*> handles(num_keys, handle);
    return MultiGetValues(options, num_keys, handles.data(), keys, values, statuses, are_entities,
                          timestamps);
  }
  if (db_.trace.IsOn()) [[unlikely]] {
    const std::vector<uint32_t> ids(num_keys, family->id());
    if (num_keys > 0) db_.trace.MultiGet(num_keys, ids.data(), keys);
  }
  const Perf perf;
  const PerfCpuTimer cpu_timer(perf, &PerfContext::get_cpu_nanos);
  PerfTimer timer(perf, &PerfContext::get_snapshot_time);
  SuperVersionGuard sv(family->super_versions.get());
  fiber::interleave();
  const SequenceNumber sequence = SequenceFor(options, *sv.get());
  timer.Stop();
  const uint64_t start = db_.statistics != nullptr ? fiber::now_nanos() : 0;
  if (options.timestamp != nullptr) [[unlikely]] {
    s = CheckNotBelow(family->icmp, sv->history_low, *options.timestamp);
    if (!s.ok()) {
      std::fill(statuses, statuses + num_keys, s);
      return;
    }
  }
  MultiGetLookup(
      {options, *sv.get(), family->tables.get(), sequence, db_.statistics, ReadTimestamp(options)},
      num_keys, keys, values, statuses, are_entities, timestamps);
  CountMultiGet(num_keys, values, statuses, start);
}

void ReadPath::CountMultiGet(size_t num_keys, const PinnableSlice* values, const Status* statuses,
                             uint64_t start_nanos) const {
  const Perf perf;
  const PerfTimer timer(perf, &PerfContext::get_post_process_time);
  if (db_.statistics == nullptr && perf.counters() == nullptr) return;
  uint64_t found = 0;
  uint64_t bytes = 0;
  bool incomplete = false;
  for (size_t i = 0; i < num_keys; ++i) {
    incomplete |= statuses[i].IsIncomplete();
    if (!statuses[i].ok()) continue;
    ++found;
    bytes += values[i].size();
  }
  perf.Count(&PerfContext::multiget_read_bytes, bytes);
  if (db_.statistics == nullptr || incomplete) return;  // as Get
  db_.statistics->recordTick(NUMBER_MULTIGET_CALLS, 1);
  db_.statistics->recordTick(NUMBER_MULTIGET_KEYS_READ, num_keys);
  db_.statistics->recordTick(NUMBER_MULTIGET_KEYS_FOUND, found);
  db_.statistics->recordTick(NUMBER_MULTIGET_BYTES_READ, bytes);
  db_.statistics->recordInHistogram(BYTES_PER_MULTIGET, bytes);
  db_.statistics->reportTimeToHistogram(DB_MULTIGET, (fiber::now_nanos() - start_nanos) / 1000);
}

SequenceNumber ReadPath::AcquireTogether(const std::vector<ColumnFamily*>& families,
                                         std::vector<SuperVersion*>* super_versions) const {
  super_versions->assign(families.size(), nullptr);
  const auto release = [&] {
    for (size_t i = 0; i < families.size(); ++i) {
      families[i]->super_versions->Release((*super_versions)[i]);
    }
  };
  const auto acquire = [&] {
    for (size_t i = 0; i < families.size(); ++i) {
      (*super_versions)[i] = families[i]->super_versions->Acquire();
    }
    return db_.versions->LastSequence();
  };
  // Those that are all still current when the number was read were current together at that moment;
  // but where files from outside come to several families, one may have them already, and another
  // is about to. (Not a secondary's: a state of it is installed for one family after the other.)
  for (int attempt = 0; attempt < 3 && db_.mode != OpenMode::kSecondary; ++attempt) {
    const SequenceNumber sequence = acquire();
    fiber::interleave();
    bool together = true;
    for (size_t i = 0; i < families.size(); ++i) {
      const SuperVersion& sv = *(*super_versions)[i];
      together &= families[i]->super_versions->current_number() == sv.number && !sv.IsLimited();
    }
    if (together) return sequence;
    release();
  }
  DBMutexLock lock(db_.mutex());  // nothing is installed now
  return acquire();
}

void ReadPath::MultiGet(const ReadOptions& options, size_t num_keys, ColumnFamilyHandle** handles,
                        const Slice* keys, PinnableSlice* values, Status* statuses,
                        bool /*sorted_input*/) {
  MultiGetValues(options, num_keys, handles, keys, values, statuses, nullptr);
}

void ReadPath::MultiGetValues(const ReadOptions& options, size_t num_keys,
                              ColumnFamilyHandle** handles, const Slice* keys,
                              PinnableSlice* values, Status* statuses, bool* are_entities,
                              std::string* timestamps) {
  if (num_keys == 0) return;
  if (timestamps != nullptr) std::fill_n(timestamps, num_keys, std::string());
  if (AllIsPersisted(options)) {
    return MultiGetValues(AllTiers(options), num_keys, handles, keys, values, statuses,
                          are_entities, timestamps);
  }
  if (!HasSizeLimit(options) &&
      std::all_of(handles, handles + num_keys,
                  [&](const ColumnFamilyHandle* one) { return one == handles[0]; })) {
    MultiGetValues(options, handles[0], num_keys, keys, values, statuses, are_entities, timestamps);
    return;
  }
  Status s = CheckMultiGet(options);
  std::vector<ColumnFamily*> families;
  std::vector<std::vector<size_t>> keys_of;  // by the index of their family
  for (size_t i = 0; i < num_keys && s.ok(); ++i) {
    ColumnFamily* family;
    s = db_.families->FamilyOf(handles[i], &family);
    if (s.ok()) s = CheckTimestampIfAny(*family, options);
    if (!s.ok()) break;
    const size_t at = std::find(families.begin(), families.end(), family) - families.begin();
    if (at == families.size()) {
      families.push_back(family);
      keys_of.emplace_back();
    }
    keys_of[at].push_back(i);
  }
  if (!s.ok()) {
    std::fill(statuses, statuses + num_keys, s);
    return;
  }
  if (db_.trace.IsOn()) [[unlikely]] {
    std::vector<uint32_t> ids;
    for (size_t i = 0; i < num_keys; ++i) ids.push_back(handles[i]->GetID());
    db_.trace.MultiGet(num_keys, ids.data(), keys);
  }
  const uint64_t start = db_.statistics != nullptr ? fiber::now_nanos() : 0;
  const Perf perf;
  const PerfCpuTimer cpu_timer(perf, &PerfContext::get_cpu_nanos);
  std::vector<SuperVersion*> super_versions;
  PerfTimer timer(perf, &PerfContext::get_snapshot_time);
  SequenceNumber sequence = AcquireTogether(families, &super_versions);
  timer.Stop();
  if (options.snapshot != nullptr) sequence = options.snapshot->GetSequenceNumber();
  // A limit goes by the order of the families, as in RocksDB.
  std::vector<size_t> order(families.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return families[a]->id() < families[b]->id(); });
  bool given_up = false;
  for (const size_t f : order) {
    const auto look_up = [&](std::span<const size_t> at) {
      std::vector<Slice> some_keys;
      std::vector<PinnableSlice> some_values(at.size());
      std::vector<Status> some_statuses(at.size());
      const auto some_are_entities =
          are_entities != nullptr ? std::make_unique<bool[]>(at.size()) : nullptr;
      std::vector<std::string> some_timestamps(timestamps != nullptr ? at.size() : 0);
      for (const size_t i : at) some_keys.push_back(keys[i]);
      const Status low = options.timestamp == nullptr
                             ? Status::OK()
                             : CheckNotBelow(families[f]->icmp, super_versions[f]->history_low,
                                             *options.timestamp);
      if (low.ok()) {
        MultiGetLookup({options, *super_versions[f], families[f]->tables.get(), sequence,
                        db_.statistics, ReadTimestamp(options)},
                       at.size(), some_keys.data(), some_values.data(), some_statuses.data(),
                       some_are_entities.get(),
                       timestamps != nullptr ? some_timestamps.data() : nullptr);
      } else {
        std::fill(some_statuses.begin(), some_statuses.end(), low);
      }
      for (size_t j = 0; j < at.size(); ++j) {
        statuses[at[j]] = std::move(some_statuses[j]);
        if (timestamps != nullptr) timestamps[at[j]] = std::move(some_timestamps[j]);
        if (are_entities != nullptr) are_entities[at[j]] = some_are_entities[j];
        if (some_values[j].IsPinned()) {
          values[at[j]] = std::move(some_values[j]);
        } else {
          Status copied = CopyInto(&values[at[j]], some_values[j]);
          if (!copied.ok()) statuses[at[j]] = std::move(copied);
        }
      }
    };
    if (given_up) {
      for (const size_t i : keys_of[f]) {
        values[i].Reset();
        statuses[i] = Status::Aborted();
      }
    } else if (HasSizeLimit(options)) {
      given_up = !LookUpInOrder(families[f]->icmp, options.value_size_soft_limit, keys, &keys_of[f],
                                look_up, values, statuses);
    } else {
      look_up(keys_of[f]);
    }
    families[f]->super_versions->Release(super_versions[f]);
  }
  CountMultiGet(num_keys, values, statuses, start);
}

std::vector<Status> ReadPath::MultiGet(const ReadOptions& options,
                                       const std::vector<ColumnFamilyHandle*>& families,
                                       const std::vector<Slice>& keys,
                                       std::vector<std::string>* values,
                                       std::vector<std::string>* timestamps) {
  std::vector<Status> statuses(keys.size());
  std::vector<PinnableSlice> pinned(keys.size());
  std::vector<ColumnFamilyHandle*> handles = families;
  if (timestamps != nullptr) timestamps->assign(keys.size(), std::string());
  MultiGetValues(options, keys.size(), handles.data(), keys.data(), pinned.data(), statuses.data(),
                 nullptr, timestamps != nullptr ? timestamps->data() : nullptr);
  values->assign(keys.size(), std::string());
  for (size_t i = 0; i < keys.size(); ++i) {
    if (statuses[i].ok() && !AssignIfPossible(&(*values)[i], pinned[i].data(), pinned[i].size())) {
      statuses[i] = Status::MemoryLimit("no memory for the value");
    }
  }
  return statuses;
}

Status ReadPath::GetMergeOperands(const ReadOptions& options, ColumnFamilyHandle* handle,
                                  const Slice& key, PinnableSlice* operands,
                                  GetMergeOperandsOptions* operands_options,
                                  int* number_of_operands) {
  ColumnFamily* family;
  Status s = db_.families->FamilyOf(handle, &family);
  if (s.ok()) s = Check(UnsupportedOption(options));
  if (s.ok()) s = CheckSnapshot(options);
  if (s.ok()) s = CheckTimestampIfAny(*family, options);
  if (!s.ok()) return s;
  if (ReadLimits::AreOver(options)) return ReadLimits(options).Error();
  if (AllIsPersisted(options)) {
    return GetMergeOperands(AllTiers(options), handle, key, operands, operands_options,
                            number_of_operands);
  }
  if (db_.trace.IsOn()) [[unlikely]]
    db_.trace.Get(family->id(), key);
  SuperVersionGuard sv(family->super_versions.get());
  fiber::interleave();
  const SequenceNumber sequence = SequenceFor(options, *sv.get());
  if (options.timestamp != nullptr) {
    s = CheckNotBelow(family->icmp, sv->history_low, *options.timestamp);
    if (!s.ok()) return s;
  }
  MergeOperands found(sv->merge_operator);
  found.JustCollect();
  if (operands_options->continue_cb) found.CollectWhile(&operands_options->continue_cb);
  PinnableSlice base;
  s = PointLookup(
      {options, *sv.get(), family->tables.get(), sequence, db_.statistics, ReadTimestamp(options)},
      key, {&base}, &found);
  const bool has_base = s.ok();
  if (!has_base && !(s.IsNotFound() && !found.empty())) return s;
  const size_t count = found.size() + (has_base ? 1 : 0);
  *number_of_operands = static_cast<int>(count);
  if (operands_options->expected_max_number_of_operands < *number_of_operands) {
    return Status::Incomplete(Status::SubCode::KMergeOperandsInsufficientCapacity);
  }
  s = found.lacks_memory() ? Status::MemoryLimit("no memory for the operands") : Status::OK();
  if (s.ok() && has_base) s = CopyInto(operands++, base);
  for (const Slice& operand : found.OldestFirst()) {
    if (s.ok()) s = CopyInto(operands++, operand);
  }
  return s;
}

bool ReadPath::KeyMayExist(const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
                           std::string* value, bool* value_found, std::string* timestamp) {
  ReadOptions cached = options;
  cached.read_tier = kBlockCacheTier;
  PinnableSlice pinned;
  const Status s = Get(cached, family, key, &pinned, timestamp);
  // Incomplete: only the storage knows. TimedOut, Aborted: it could not be asked.
  const bool unknown = s.IsIncomplete() || s.IsTimedOut() || s.IsAborted();
  if (value_found != nullptr) *value_found = !unknown;
  if (value != nullptr) {
    value->clear();
    if (s.ok()) value->assign(pinned.data(), pinned.size());
  }
  return s.ok() || unknown;
}

Iterator* ReadPath::NewIterator(const ReadOptions& options, ColumnFamilyHandle* handle) {
  ColumnFamily* family;
  Status s = db_.families->FamilyOf(handle, &family);
  if (s.ok()) s = CheckIterator(options);
  if (s.ok()) s = CheckTimestampIfAny(*family, options);
  if (s.ok() && options.iter_start_ts != nullptr) s = CheckTimestamp(*family, options);
  if (s.ok() && options.timestamp != nullptr && options.tailing) {
    s = Status::NotSupported("tailing iterator over a family with timestamps");
  }
  return s.ok() ? NewFamilyIterator(options, family, nullptr) : NewErrorIterator(s);
}

Iterator* ReadPath::NewFamilyIterator(const ReadOptions& options, ColumnFamily* family,
                                      const SequenceNumber* first_sequence) {
  if (db_.options.prefix_seek_opt_in_only && !options.total_order_seek &&
      !options.auto_prefix_mode && !options.prefix_same_as_start) [[unlikely]] {
    ReadOptions all = options;
    all.total_order_seek = true;
    return NewFamilyIterator(all, family, first_sequence);
  }
  DBIteratorEnv env;
  env.icmp = &family->icmp;
  env.super_versions = family->super_versions.get();
  env.tables = family->tables.get();
  env.last_sequence = [this] { return db_.versions->LastSequence(); };
  env.prefix_extractor = family->prefix_extractor.get();
  env.max_sequential_skip = family->max_sequential_skip.load(std::memory_order_relaxed);
  env.statistics = db_.statistics;
  env.first_sequence = first_sequence;
  env.merge_operator = family->merge_operator.get();
  env.trace = &db_.trace;
  env.family = family->id();
  Iterator* const iterator = options.timestamp != nullptr ? NewTimestampIterator(env, options)
                                                          : NewDBIterator(env, options);
  if (!family->is_default()) {
    // It may outlive the handle, and the family's drop.
    family->Ref();
    iterator->RegisterCleanup(
        [](void* db, void* held) {
          static_cast<Database*>(db)->families->UnrefFamily(static_cast<ColumnFamily*>(held),
                                                            /*purge=*/false);
        },
        &db_, family);
  }
  if (db_.statistics != nullptr) {
    db_.statistics->recordTick(NO_ITERATOR_CREATED, 1);
    iterator->RegisterCleanup(
        [](void* statistics, void*) {
          static_cast<Statistics*>(statistics)->recordTick(NO_ITERATOR_DELETED, 1);
        },
        db_.statistics, nullptr);
  }
  return iterator;
}

Status ReadPath::NewIterators(const ReadOptions& options,
                              const std::vector<ColumnFamilyHandle*>& handles,
                              std::vector<Iterator*>* iterators) {
  iterators->clear();
  Status s = CheckIterator(options);
  std::vector<ColumnFamily*> families;
  for (ColumnFamilyHandle* handle : handles) {
    ColumnFamily* family = nullptr;
    if (s.ok()) s = db_.families->FamilyOf(handle, &family);
    if (s.ok()) s = CheckTimestampIfAny(*family, options);
    families.push_back(family);
  }
  if (!s.ok()) return s;
  if (db_.mode == OpenMode::kSecondary) {
    fiber::MutexLock same_state(db_.follower->catch_up_mutex());
    for (ColumnFamily* family : families) {
      iterators->push_back(NewFamilyIterator(options, family, nullptr));
    }
    return s;
  }
  // One state of all: what a snapshot can see stays until each has its super version.
  const Snapshot* const snapshot =
      db_.snapshots.Take([this] { return db_.versions->LastSequence(); });
  const SequenceNumber sequence = snapshot->GetSequenceNumber();
  for (ColumnFamily* family : families) {
    iterators->push_back(NewFamilyIterator(options, family, &sequence));
  }
  ReleaseSnapshot(snapshot);
  return s;
}

const Snapshot* ReadPath::GetSnapshot() {
  if (db_.Forked() || !db_.families->supports_snapshots()) return nullptr;
  return db_.snapshots.Take([this] { return db_.versions->LastSequence(); });
}

void ReadPath::ReleaseSnapshot(const Snapshot* snapshot) {
  if (snapshot != nullptr && !db_.Forked()) db_.snapshots.Release(snapshot);
}

}  // namespace cairn
