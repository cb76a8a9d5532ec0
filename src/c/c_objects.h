// What stands behind the opaque types of rocksdb/c.h, and the two conversions that all of its
// functions share.
#pragma once

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/c.h"
#include "rocksdb/cache.h"
#include "rocksdb/comparator.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/rate_limiter.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/snapshot.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/write_batch.h"

// rocksdb_<object>_set_<field>(): `type` is that of the header.
#define CAIRN_C_SETTER(object, type, field)                              \
  void rocksdb_##object##_set_##field(rocksdb_##object##_t* o, type v) { \
    o->rep.field = static_cast<decltype(o->rep.field)>(v);               \
  }
// And rocksdb_<object>_get_<field>().
#define CAIRN_C_GETTER(object, type, field)                      \
  type rocksdb_##object##_get_##field(rocksdb_##object##_t* o) { \
    return static_cast<type>(o->rep.field);                      \
  }
#define CAIRN_C_OPTION(object, type, field) \
  CAIRN_C_SETTER(object, type, field) CAIRN_C_GETTER(object, type, field)

// The same of a table's options, whose functions do not have the type's name.
#define CAIRN_C_TABLE_SETTER(type, field)                                                        \
  void rocksdb_block_based_options_set_##field(rocksdb_block_based_table_options_t* o, type v) { \
    o->rep.field = static_cast<decltype(o->rep.field)>(v);                                       \
  }
#define CAIRN_C_TABLE_GETTER(type, field)                                                \
  type rocksdb_block_based_options_get_##field(rocksdb_block_based_table_options_t* o) { \
    return static_cast<type>(o->rep.field);                                              \
  }
#define CAIRN_C_TABLE_OPTION(type, field) \
  CAIRN_C_TABLE_SETTER(type, field) CAIRN_C_TABLE_GETTER(type, field)

// A flag that any thread may set, which is an opaque byte to the caller: its _create, _destroy and
// _set, for which a null one is none.
#define CAIRN_C_FLAG(flag)                                                     \
  unsigned char* rocksdb_##flag##_create() {                                   \
    return reinterpret_cast<unsigned char*>(new std::atomic<bool>(false));     \
  }                                                                            \
  void rocksdb_##flag##_destroy(unsigned char* f) { delete cairn::FlagOf(f); } \
  void rocksdb_##flag##_set(unsigned char* f, unsigned char value) {           \
    if (f != nullptr) cairn::FlagOf(f)->store(value != 0);                     \
  }

struct rocksdb_t {
  std::unique_ptr<rocksdb::DB> rep;
};
struct rocksdb_column_family_handle_t {
  rocksdb::ColumnFamilyHandle* rep;
  std::unique_ptr<rocksdb::ColumnFamilyHandle> owned;  // null: the database's
};
struct rocksdb_iterator_t {
  std::unique_ptr<rocksdb::Iterator> rep;
};
struct rocksdb_snapshot_t {
  const rocksdb::Snapshot* rep;
};
struct rocksdb_writebatch_t {
  rocksdb::WriteBatch rep;
};
struct rocksdb_pinnableslice_t {
  rocksdb::PinnableSlice rep;
};
struct rocksdb_options_t {
  rocksdb::Options rep;
};
struct rocksdb_readoptions_t {
  rocksdb::ReadOptions rep;
  rocksdb::Slice lower_bound, upper_bound, timestamp, iter_start_ts;      // what rep points to
  std::string request_id;                                                 // likewise
  std::shared_ptr<rocksdb::UserDefinedIndexFactory> table_index_factory;  // likewise
};
struct rocksdb_writeoptions_t {
  rocksdb::WriteOptions rep;
};
struct rocksdb_flushoptions_t {
  rocksdb::FlushOptions rep;
};
struct rocksdb_compactoptions_t {
  rocksdb::CompactRangeOptions rep;
  rocksdb::Slice full_history_ts_low;  // what rep points to
};
struct rocksdb_ratelimiter_t {
  std::shared_ptr<rocksdb::RateLimiter> rep;
};
struct rocksdb_fifo_compaction_options_t {
  rocksdb::CompactionOptionsFIFO rep;
};
struct rocksdb_universal_compaction_options_t {
  rocksdb::CompactionOptionsUniversal rep;
};
struct rocksdb_block_based_table_options_t {
  rocksdb::BlockBasedTableOptions rep;
};
struct rocksdb_cache_t {
  std::shared_ptr<rocksdb::Cache> rep;
};
struct rocksdb_lru_cache_options_t {
  rocksdb::LRUCacheOptions rep;
};
struct rocksdb_hyper_clock_cache_options_t {
  rocksdb::HyperClockCacheOptions rep;
};
struct rocksdb_filterpolicy_t {
  std::unique_ptr<const rocksdb::FilterPolicy> rep;
};
struct rocksdb_logger_t {
  std::shared_ptr<rocksdb::Logger> rep;  // may be null: none was set
};
struct rocksdb_envoptions_t {
  rocksdb::EnvOptions rep;
  std::shared_ptr<rocksdb::RateLimiter> rate_limiter;  // what rep points to
};
struct rocksdb_ingestexternalfileoptions_t {
  rocksdb::IngestExternalFileOptions rep;
};
struct rocksdb_env_t {
  rocksdb::Env* rep;
  std::unique_ptr<rocksdb::Env> owned;  // null: the process's default
};

struct rocksdb_slicetransform_t {
  std::unique_ptr<const rocksdb::SliceTransform> rep;
};
struct rocksdb_statistics_histogram_data_t {
  rocksdb::HistogramData rep;
};
// (No function of the interface makes one.)
struct rocksdb_table_properties_collector_factory_t {
  std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> rep;
};

namespace cairn {

// An error of a single record of a batch (a key of more than 4 GiB) cannot be told here; as in
// RocksDB the record is left out.
inline void Added(const rocksdb::Status& s) { s.PermitUncheckedError(); }

inline std::atomic<bool>* FlagOf(unsigned char* flag) {
  return reinterpret_cast<std::atomic<bool>*>(flag);
}

// A malloc()ed, zero-terminated copy.
inline char* CopyString(const std::string& s) { return ::strdup(s.c_str()); }
// A malloc()ed copy of the bytes, not terminated. Never null for lack of bytes.
inline char* CopyBytes(const rocksdb::Slice& s) {
  char* copy = static_cast<char*>(std::malloc(s.empty() ? 1 : s.size()));
  if (copy != nullptr && !s.empty()) std::memcpy(copy, s.data(), s.size());
  return copy;
}

// A malloc()ed list of such copies. Null: there is no memory.
inline char** CopyStrings(const std::vector<std::string>& strings) {
  auto** list = static_cast<char**>(std::malloc((strings.size() + 1) * sizeof(char*)));
  for (size_t i = 0; list != nullptr && i < strings.size(); ++i) list[i] = CopyString(strings[i]);
  return list;
}
inline void FreeStrings(char** list, size_t n) {
  for (size_t i = 0; i < n; ++i) std::free(list[i]);
  std::free(static_cast<void*>(list));
}

// Reports `s` as the header promises. True: it was OK.
inline bool Report(char** errptr, const rocksdb::Status& s) {
  if (s.ok()) return true;
  std::free(*errptr);
  *errptr = CopyString(s.ToString());
  return false;
}
// A message for errs[i] of several reads, or null.
inline char* ErrorOf(const rocksdb::Status& s) {
  return s.ok() || s.IsNotFound() ? nullptr : CopyString(s.ToString());
}

inline std::vector<rocksdb::Slice> Slices(size_t n, const char* const* data, const size_t* sizes) {
  std::vector<rocksdb::Slice> out;
  out.reserve(n);
  for (size_t i = 0; i < n; ++i) out.emplace_back(data[i], sizes[i]);
  return out;
}

inline std::vector<rocksdb::Range> Ranges(int n, const char* const* start, const size_t* start_size,
                                          const char* const* limit, const size_t* limit_size) {
  std::vector<rocksdb::Range> out;
  for (int i = 0; i < n; ++i) {
    out.emplace_back(rocksdb::Slice(start[i], start_size[i]),
                     rocksdb::Slice(limit[i], limit_size[i]));
  }
  return out;
}

// Bytewise for null. (c_table.cc)
const rocksdb::Comparator* ComparatorOf(const rocksdb_comparator_t* comparator);

// Calls `put` and `deleted` for the records of the default column family. (c_write_batch.cc)
void Iterate(const rocksdb::WriteBatch& batch, void* state,
             void (*put)(void*, const char*, size_t, const char*, size_t),
             void (*deleted)(void*, const char*, size_t));

// Null data: no bound.
struct Bound {
  Bound(const char* data, size_t size)
      : slice(data == nullptr ? "" : data, data == nullptr ? 0 : size),
        use(data == nullptr ? nullptr : &slice) {}
  const rocksdb::Slice slice;
  const rocksdb::Slice* const use;
};

}  // namespace cairn
