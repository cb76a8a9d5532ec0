// The C interface: user-defined timestamps (rocksdb/c_timestamps.h).
#include <utility>

#include "c/c_answers.h"
#include "c/c_objects.h"
#include "c/c_transaction_objects.h"
#include "rocksdb/utilities/write_batch_with_index.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API
using cairn::Added;
using cairn::CopyBytes;
using cairn::Report;
using cairn::Slices;

namespace {

char* GetStamped(rocksdb_t* db, const ReadOptions& options, ColumnFamilyHandle* family,
                 const Slice& key, size_t* vallen, char** ts, size_t* tslen, char** errptr) {
  std::string timestamp;
  *ts = nullptr;
  *tslen = 0;
  char* const value = cairn::GetBy(vallen, errptr, [&](PinnableSlice* found) {
    return db->rep->Get(options, family, key, found, &timestamp);
  });
  if (value == nullptr) return nullptr;
  *ts = CopyBytes(timestamp);
  *tslen = timestamp.size();
  return value;
}

void UpdateTimestamps(WriteBatch* batch, const Slice& timestamp, void* state,
                      size_t (*get_ts_size)(void*, uint32_t), char** errptr) {
  Report(errptr, batch->UpdateTimestamps(timestamp, [state, get_ts_size](uint32_t id) {
    return get_ts_size(state, id);
  }));
}

void MultiGetStamped(rocksdb_t* db, const ReadOptions& options,
                     std::vector<ColumnFamilyHandle*> families, const std::vector<Slice>& keys,
                     char** values_list, size_t* values_list_sizes, char** timestamps_list,
                     size_t* timestamps_list_sizes, char** errs) {
  std::vector<PinnableSlice> values(keys.size());
  std::vector<std::string> timestamps(keys.size());
  std::vector<Status> statuses(keys.size());
  db->rep->MultiGet(options, keys.size(), families.data(), keys.data(), values.data(),
                    timestamps.data(), statuses.data(), /*sorted_input=*/false);
  cairn::GiveAnswers(statuses, values, values_list, values_list_sizes, errs);
  for (size_t i = 0; i < keys.size(); ++i) {
    timestamps_list[i] = statuses[i].ok() ? CopyBytes(timestamps[i]) : nullptr;
    timestamps_list_sizes[i] = statuses[i].ok() ? timestamps[i].size() : 0;
  }
}

// Points to bytes of the caller's; null: to none.
const Slice* Borrow(Slice* kept, const char* ts, size_t tslen) {
  *kept = ts == nullptr ? Slice() : Slice(ts, tslen);
  return ts == nullptr ? nullptr : kept;
}

}  // namespace

extern "C" {

// Writing
void rocksdb_put_with_ts(rocksdb_t* db, const rocksdb_writeoptions_t* options, const char* key,
                         size_t keylen, const char* ts, size_t tslen, const char* val,
                         size_t vallen, char** errptr) {
  Report(errptr,
         db->rep->Put(options->rep, Slice(key, keylen), Slice(ts, tslen), Slice(val, vallen)));
}
void rocksdb_put_cf_with_ts(rocksdb_t* db, const rocksdb_writeoptions_t* options,
                            rocksdb_column_family_handle_t* column_family, const char* key,
                            size_t keylen, const char* ts, size_t tslen, const char* val,
                            size_t vallen, char** errptr) {
  Report(errptr, db->rep->Put(options->rep, column_family->rep, Slice(key, keylen),
                              Slice(ts, tslen), Slice(val, vallen)));
}
void rocksdb_delete_with_ts(rocksdb_t* db, const rocksdb_writeoptions_t* options, const char* key,
                            size_t keylen, const char* ts, size_t tslen, char** errptr) {
  Report(errptr, db->rep->Delete(options->rep, Slice(key, keylen), Slice(ts, tslen)));
}
void rocksdb_delete_cf_with_ts(rocksdb_t* db, const rocksdb_writeoptions_t* options,
                               rocksdb_column_family_handle_t* column_family, const char* key,
                               size_t keylen, const char* ts, size_t tslen, char** errptr) {
  Report(errptr,
         db->rep->Delete(options->rep, column_family->rep, Slice(key, keylen), Slice(ts, tslen)));
}
void rocksdb_singledelete_with_ts(rocksdb_t* db, const rocksdb_writeoptions_t* options,
                                  const char* key, size_t keylen, const char* ts, size_t tslen,
                                  char** errptr) {
  Report(errptr, db->rep->SingleDelete(options->rep, Slice(key, keylen), Slice(ts, tslen)));
}
void rocksdb_singledelete_cf_with_ts(rocksdb_t* db, const rocksdb_writeoptions_t* options,
                                     rocksdb_column_family_handle_t* column_family, const char* key,
                                     size_t keylen, const char* ts, size_t tslen, char** errptr) {
  Report(errptr, db->rep->SingleDelete(options->rep, column_family->rep, Slice(key, keylen),
                                       Slice(ts, tslen)));
}
void rocksdb_writebatch_put_cf_with_ts(rocksdb_writebatch_t* b,
                                       rocksdb_column_family_handle_t* column_family,
                                       const char* key, size_t klen, const char* ts, size_t tslen,
                                       const char* val, size_t vlen) {
  Added(b->rep.Put(column_family->rep, Slice(key, klen), Slice(ts, tslen), Slice(val, vlen)));
}
void rocksdb_writebatch_delete_cf_with_ts(rocksdb_writebatch_t* b,
                                          rocksdb_column_family_handle_t* column_family,
                                          const char* key, size_t klen, const char* ts,
                                          size_t tslen) {
  Added(b->rep.Delete(column_family->rep, Slice(key, klen), Slice(ts, tslen)));
}
void rocksdb_writebatch_singledelete_cf_with_ts(rocksdb_writebatch_t* b,
                                                rocksdb_column_family_handle_t* column_family,
                                                const char* key, size_t klen, const char* ts,
                                                size_t tslen) {
  Added(b->rep.SingleDelete(column_family->rep, Slice(key, klen), Slice(ts, tslen)));
}
void rocksdb_writebatch_update_timestamps(rocksdb_writebatch_t* wb, const char* ts, size_t tslen,
                                          void* state, size_t (*get_ts_size)(void*, uint32_t),
                                          char** errptr) {
  UpdateTimestamps(&wb->rep, Slice(ts, tslen), state, get_ts_size, errptr);
}

void rocksdb_writebatch_wi_update_timestamps(rocksdb_writebatch_wi_t* wbwi, const char* ts,
                                             size_t tslen, void* state,
                                             size_t (*get_ts_size)(void*, uint32_t),
                                             char** errptr) {
  UpdateTimestamps(wbwi->rep->GetWriteBatch(), Slice(ts, tslen), state, get_ts_size, errptr);
}

// Reading
void rocksdb_readoptions_set_timestamp(rocksdb_readoptions_t* o, const char* ts, size_t tslen) {
  o->rep.timestamp = Borrow(&o->timestamp, ts, tslen);
}
void rocksdb_readoptions_set_iter_start_ts(rocksdb_readoptions_t* o, const char* ts, size_t tslen) {
  o->rep.iter_start_ts = Borrow(&o->iter_start_ts, ts, tslen);
}
char* rocksdb_get_with_ts(rocksdb_t* db, const rocksdb_readoptions_t* options, const char* key,
                          size_t keylen, size_t* vallen, char** ts, size_t* tslen, char** errptr) {
  return GetStamped(db, options->rep, db->rep->DefaultColumnFamily(), Slice(key, keylen), vallen,
                    ts, tslen, errptr);
}
char* rocksdb_get_cf_with_ts(rocksdb_t* db, const rocksdb_readoptions_t* options,
                             rocksdb_column_family_handle_t* column_family, const char* key,
                             size_t keylen, size_t* vallen, char** ts, size_t* tslen,
                             char** errptr) {
  return GetStamped(db, options->rep, column_family->rep, Slice(key, keylen), vallen, ts, tslen,
                    errptr);
}
void rocksdb_multi_get_with_ts(rocksdb_t* db, const rocksdb_readoptions_t* options, size_t num_keys,
                               const char* const* keys_list, const size_t* keys_list_sizes,
                               char** values_list, size_t* values_list_sizes, char** timestamp_list,
                               size_t* timestamp_list_sizes, char** errs) {
  MultiGetStamped(db, options->rep,
                  std::vector<ColumnFamilyHandle*>(num_keys, db->rep->DefaultColumnFamily()),
                  Slices(num_keys, keys_list, keys_list_sizes), values_list, values_list_sizes,
                  timestamp_list, timestamp_list_sizes, errs);
}
void rocksdb_multi_get_cf_with_ts(rocksdb_t* db, const rocksdb_readoptions_t* options,
                                  const rocksdb_column_family_handle_t* const* column_families,
                                  size_t num_keys, const char* const* keys_list,
                                  const size_t* keys_list_sizes, char** values_list,
                                  size_t* values_list_sizes, char** timestamps_list,
                                  size_t* timestamps_list_sizes, char** errs) {
  MultiGetStamped(db, options->rep, cairn::Handles(num_keys, column_families),
                  Slices(num_keys, keys_list, keys_list_sizes), values_list, values_list_sizes,
                  timestamps_list, timestamps_list_sizes, errs);
}
const char* rocksdb_iter_timestamp(const rocksdb_iterator_t* it, size_t* tslen) {
  const Slice timestamp = it->rep->timestamp();
  *tslen = timestamp.size();
  return timestamp.data();
}

// History
void rocksdb_increase_full_history_ts_low(rocksdb_t* db,
                                          rocksdb_column_family_handle_t* column_family,
                                          const char* ts_low, size_t ts_lowlen, char** errptr) {
  Report(errptr,
         db->rep->IncreaseFullHistoryTsLow(column_family->rep, std::string(ts_low, ts_lowlen)));
}
char* rocksdb_get_full_history_ts_low(rocksdb_t* db, rocksdb_column_family_handle_t* column_family,
                                      size_t* ts_lowlen, char** errptr) {
  std::string low;
  const Status s = db->rep->GetFullHistoryTsLow(column_family->rep, &low);
  return cairn::ValueOrNull(s, low, ts_lowlen, errptr);
}
void rocksdb_compactoptions_set_full_history_ts_low(rocksdb_compactoptions_t* o, char* ts,
                                                    size_t tslen) {
  o->rep.full_history_ts_low = Borrow(&o->full_history_ts_low, ts, tslen);
}

}  // extern "C"
