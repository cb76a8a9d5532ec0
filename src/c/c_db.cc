// The C interface: databases, reads and writes, iterators, snapshots, administration.
#include <string>
#include <unordered_map>
#include <vector>

#include "c/c_answers.h"
#include "c/c_objects.h"
#include "rocksdb/convenience.h"
#include "rocksdb/experimental.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API
using cairn::Bound;
using cairn::CopyBytes;
using cairn::CopyString;
using cairn::ErrorOf;
using cairn::Report;
using cairn::Slices;

namespace {

rocksdb_t* Opened(DB* db) { return new rocksdb_t{std::unique_ptr<DB>(db)}; }

char* Get(rocksdb_t* db, const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
          size_t* vallen, char** errptr) {
  return cairn::GetBy(vallen, errptr, [&](PinnableSlice* value) {
    return db->rep->Get(options, family, key, value);
  });
}

rocksdb_pinnableslice_t* GetPinned(rocksdb_t* db, const ReadOptions& options,
                                   ColumnFamilyHandle* family, const Slice& key, char** errptr) {
  return cairn::GetPinnedBy(
      errptr, [&](PinnableSlice* value) { return db->rep->Get(options, family, key, value); });
}

std::unordered_map<std::string, std::string> OptionPairs(int count, const char* const keys[],
                                                         const char* const values[]) {
  std::unordered_map<std::string, std::string> out;
  for (int i = 0; i < count; ++i) out[keys[i]] = values[i];
  return out;
}

}  // namespace

extern "C" {

rocksdb_t* rocksdb_open(const rocksdb_options_t* options, const char* name, char** errptr) {
  DB* db = nullptr;
  return Report(errptr, DB::Open(options->rep, name, &db)) ? Opened(db) : nullptr;
}
rocksdb_t* rocksdb_open_for_read_only(const rocksdb_options_t* options, const char* name,
                                      unsigned char error_if_wal_file_exists, char** errptr) {
  DB* db = nullptr;
  return Report(errptr, DB::OpenForReadOnly(options->rep, name, &db, error_if_wal_file_exists != 0))
             ? Opened(db)
             : nullptr;
}
rocksdb_t* rocksdb_open_as_secondary(const rocksdb_options_t* options, const char* name,
                                     const char* secondary_path, char** errptr) {
  DB* db = nullptr;
  return Report(errptr, DB::OpenAsSecondary(options->rep, name, secondary_path, &db)) ? Opened(db)
                                                                                      : nullptr;
}
void rocksdb_try_catch_up_with_primary(rocksdb_t* db, char** errptr) {
  Report(errptr, db->rep->TryCatchUpWithPrimary());
}
void rocksdb_close(rocksdb_t* db) { delete db; }
void rocksdb_destroy_db(const rocksdb_options_t* options, const char* name, char** errptr) {
  Report(errptr, DestroyDB(name, options->rep));
}
void rocksdb_repair_db(const rocksdb_options_t* options, const char* name, char** errptr) {
  Report(errptr, RepairDB(name, options->rep));
}
char** rocksdb_list_column_families(const rocksdb_options_t* options, const char* name,
                                    size_t* lencf, char** errptr) {
  std::vector<std::string> names;
  *lencf = 0;
  if (!Report(errptr, DB::ListColumnFamilies(DBOptions(options->rep), name, &names)))
    return nullptr;
  char** const list = cairn::CopyStrings(names);
  if (list != nullptr) *lencf = names.size();
  return list;
}
void rocksdb_list_column_families_destroy(char** list, size_t len) {
  cairn::FreeStrings(list, len);
}
rocksdb_column_family_handle_t* rocksdb_get_default_column_family_handle(rocksdb_t* db) {
  return new rocksdb_column_family_handle_t{db->rep->DefaultColumnFamily(), nullptr};
}
void rocksdb_column_family_handle_destroy(rocksdb_column_family_handle_t* handle) { delete handle; }

// Writing
void rocksdb_put(rocksdb_t* db, const rocksdb_writeoptions_t* options, const char* key,
                 size_t keylen, const char* val, size_t vallen, char** errptr) {
  Report(errptr, db->rep->Put(options->rep, Slice(key, keylen), Slice(val, vallen)));
}
void rocksdb_put_cf(rocksdb_t* db, const rocksdb_writeoptions_t* options,
                    rocksdb_column_family_handle_t* column_family, const char* key, size_t keylen,
                    const char* val, size_t vallen, char** errptr) {
  Report(errptr,
         db->rep->Put(options->rep, column_family->rep, Slice(key, keylen), Slice(val, vallen)));
}
void rocksdb_delete_range_cf(rocksdb_t* db, const rocksdb_writeoptions_t* options,
                             rocksdb_column_family_handle_t* column_family, const char* start_key,
                             size_t start_key_len, const char* end_key, size_t end_key_len,
                             char** errptr) {
  Report(errptr,
         db->rep->DeleteRange(options->rep, column_family->rep, Slice(start_key, start_key_len),
                              Slice(end_key, end_key_len)));
}
void rocksdb_delete(rocksdb_t* db, const rocksdb_writeoptions_t* options, const char* key,
                    size_t keylen, char** errptr) {
  Report(errptr, db->rep->Delete(options->rep, Slice(key, keylen)));
}
void rocksdb_delete_cf(rocksdb_t* db, const rocksdb_writeoptions_t* options,
                       rocksdb_column_family_handle_t* column_family, const char* key,
                       size_t keylen, char** errptr) {
  Report(errptr, db->rep->Delete(options->rep, column_family->rep, Slice(key, keylen)));
}
void rocksdb_singledelete(rocksdb_t* db, const rocksdb_writeoptions_t* options, const char* key,
                          size_t keylen, char** errptr) {
  Report(errptr, db->rep->SingleDelete(options->rep, Slice(key, keylen)));
}
void rocksdb_write(rocksdb_t* db, const rocksdb_writeoptions_t* options,
                   rocksdb_writebatch_t* batch, char** errptr) {
  Report(errptr, db->rep->Write(options->rep, &batch->rep));
}

// Reading
char* rocksdb_get(rocksdb_t* db, const rocksdb_readoptions_t* options, const char* key,
                  size_t keylen, size_t* vallen, char** errptr) {
  return Get(db, options->rep, db->rep->DefaultColumnFamily(), Slice(key, keylen), vallen, errptr);
}
char* rocksdb_get_cf(rocksdb_t* db, const rocksdb_readoptions_t* options,
                     rocksdb_column_family_handle_t* column_family, const char* key, size_t keylen,
                     size_t* vallen, char** errptr) {
  return Get(db, options->rep, column_family->rep, Slice(key, keylen), vallen, errptr);
}
rocksdb_pinnableslice_t* rocksdb_get_pinned(rocksdb_t* db, const rocksdb_readoptions_t* options,
                                            const char* key, size_t keylen, char** errptr) {
  return GetPinned(db, options->rep, db->rep->DefaultColumnFamily(), Slice(key, keylen), errptr);
}
rocksdb_pinnableslice_t* rocksdb_get_pinned_cf(rocksdb_t* db, const rocksdb_readoptions_t* options,
                                               rocksdb_column_family_handle_t* column_family,
                                               const char* key, size_t keylen, char** errptr) {
  return GetPinned(db, options->rep, column_family->rep, Slice(key, keylen), errptr);
}
void rocksdb_pinnableslice_destroy(rocksdb_pinnableslice_t* v) { delete v; }
const char* rocksdb_pinnableslice_value(const rocksdb_pinnableslice_t* t, size_t* vlen) {
  *vlen = t == nullptr ? 0 : t->rep.size();
  return t == nullptr ? nullptr : t->rep.data();
}
void rocksdb_multi_get(rocksdb_t* db, const rocksdb_readoptions_t* options, size_t num_keys,
                       const char* const* keys_list, const size_t* keys_list_sizes,
                       char** values_list, size_t* values_list_sizes, char** errs) {
  cairn::MultiGetFrom(db->rep.get(), options->rep, db->rep->DefaultColumnFamily(),
                      Slices(num_keys, keys_list, keys_list_sizes), values_list, values_list_sizes,
                      errs);
}
void rocksdb_batched_multi_get_cf(rocksdb_t* db, const rocksdb_readoptions_t* options,
                                  rocksdb_column_family_handle_t* column_family, size_t num_keys,
                                  const char* const* keys_list, const size_t* keys_list_sizes,
                                  rocksdb_pinnableslice_t** values, char** errs,
                                  const bool sorted_input) {
  const std::vector<Slice> keys = Slices(num_keys, keys_list, keys_list_sizes);
  std::vector<PinnableSlice> found(num_keys);
  std::vector<Status> statuses(num_keys);
  db->rep->MultiGet(options->rep, column_family->rep, num_keys, keys.data(), found.data(),
                    statuses.data(), sorted_input);
  for (size_t i = 0; i < num_keys; ++i) {
    values[i] = statuses[i].ok() ? new rocksdb_pinnableslice_t{std::move(found[i])} : nullptr;
    errs[i] = ErrorOf(statuses[i]);
  }
}
unsigned char rocksdb_key_may_exist(rocksdb_t* db, const rocksdb_readoptions_t* options,
                                    const char* key, size_t key_len, char** value, size_t* val_len,
                                    const char* /*timestamp*/, size_t /*timestamp_len*/,
                                    unsigned char* value_found) {
  std::string found;
  bool has_value = false;
  const bool may = db->rep->KeyMayExist(options->rep, Slice(key, key_len), &found, &has_value);
  if (value_found != nullptr) *value_found = static_cast<unsigned char>(has_value);
  if (has_value && value != nullptr) {
    *value = CopyBytes(found);
    if (val_len != nullptr) *val_len = found.size();
  }
  return static_cast<unsigned char>(may);
}

// Iterators
rocksdb_iterator_t* rocksdb_create_iterator(rocksdb_t* db, const rocksdb_readoptions_t* options) {
  return cairn::Own(db->rep->NewIterator(options->rep));
}
rocksdb_iterator_t* rocksdb_create_iterator_cf(rocksdb_t* db, const rocksdb_readoptions_t* options,
                                               rocksdb_column_family_handle_t* column_family) {
  return cairn::Own(db->rep->NewIterator(options->rep, column_family->rep));
}
void rocksdb_iter_destroy(rocksdb_iterator_t* it) { delete it; }
unsigned char rocksdb_iter_valid(const rocksdb_iterator_t* it) {
  return static_cast<unsigned char>(it->rep->Valid());
}
void rocksdb_iter_seek_to_first(rocksdb_iterator_t* it) { it->rep->SeekToFirst(); }
void rocksdb_iter_seek_to_last(rocksdb_iterator_t* it) { it->rep->SeekToLast(); }
void rocksdb_iter_seek(rocksdb_iterator_t* it, const char* k, size_t klen) {
  it->rep->Seek(Slice(k, klen));
}
void rocksdb_iter_seek_for_prev(rocksdb_iterator_t* it, const char* k, size_t klen) {
  it->rep->SeekForPrev(Slice(k, klen));
}
void rocksdb_iter_next(rocksdb_iterator_t* it) { it->rep->Next(); }
void rocksdb_iter_prev(rocksdb_iterator_t* it) { it->rep->Prev(); }
const char* rocksdb_iter_key(const rocksdb_iterator_t* it, size_t* klen) {
  const Slice key = it->rep->key();
  *klen = key.size();
  return key.data();
}
const char* rocksdb_iter_value(const rocksdb_iterator_t* it, size_t* vlen) {
  const Slice value = it->rep->value();
  *vlen = value.size();
  return value.data();
}
void rocksdb_iter_get_error(const rocksdb_iterator_t* it, char** errptr) {
  Report(errptr, it->rep->status());
}
void rocksdb_iter_refresh(const rocksdb_iterator_t* it, char** errptr) {
  Report(errptr, it->rep->Refresh());
}

// Snapshots
const rocksdb_snapshot_t* rocksdb_create_snapshot(rocksdb_t* db) {
  return new rocksdb_snapshot_t{db->rep->GetSnapshot()};
}
void rocksdb_release_snapshot(rocksdb_t* db, const rocksdb_snapshot_t* snapshot) {
  db->rep->ReleaseSnapshot(snapshot->rep);
  delete snapshot;
}
uint64_t rocksdb_snapshot_get_sequence_number(const rocksdb_snapshot_t* snapshot) {
  return snapshot->rep->GetSequenceNumber();
}
uint64_t rocksdb_get_latest_sequence_number(rocksdb_t* db) {
  return db->rep->GetLatestSequenceNumber();
}

// Administration
char* rocksdb_property_value(rocksdb_t* db, const char* propname) {
  return cairn::PropertyOf(db->rep.get(), propname);
}
char* rocksdb_property_value_cf(rocksdb_t* db, rocksdb_column_family_handle_t* column_family,
                                const char* propname) {
  std::string value;
  return db->rep->GetProperty(column_family->rep, propname, &value) ? CopyString(value) : nullptr;
}
int rocksdb_property_int(rocksdb_t* db, const char* propname, uint64_t* out_val) {
  return db->rep->GetIntProperty(propname, out_val) ? 0 : -1;
}
void rocksdb_approximate_sizes(rocksdb_t* db, int num_ranges, const char* const* range_start_key,
                               const size_t* range_start_key_len,
                               const char* const* range_limit_key,
                               const size_t* range_limit_key_len, uint64_t* sizes, char** errptr) {
  const std::vector<Range> ranges = cairn::Ranges(num_ranges, range_start_key, range_start_key_len,
                                                  range_limit_key, range_limit_key_len);
  Report(errptr,
         db->rep->GetApproximateSizes(SizeApproximationOptions(), db->rep->DefaultColumnFamily(),
                                      ranges.data(), num_ranges, sizes));
}
void rocksdb_compact_range(rocksdb_t* db, const char* start_key, size_t start_key_len,
                           const char* limit_key, size_t limit_key_len) {
  const Bound start(start_key, start_key_len), limit(limit_key, limit_key_len);
  db->rep->CompactRange(CompactRangeOptions(), start.use, limit.use).PermitUncheckedError();
}
void rocksdb_compact_range_opt(rocksdb_t* db, rocksdb_compactoptions_t* opt, const char* start_key,
                               size_t start_key_len, const char* limit_key, size_t limit_key_len) {
  const Bound start(start_key, start_key_len), limit(limit_key, limit_key_len);
  db->rep->CompactRange(opt->rep, start.use, limit.use).PermitUncheckedError();
}
void rocksdb_delete_file_in_range(rocksdb_t* db, const char* start_key, size_t start_key_len,
                                  const char* limit_key, size_t limit_key_len, char** errptr) {
  const Bound start(start_key, start_key_len), limit(limit_key, limit_key_len);
  Report(errptr,
         DeleteFilesInRange(db->rep.get(), db->rep->DefaultColumnFamily(), start.use, limit.use));
}
void rocksdb_delete_file_in_range_cf(rocksdb_t* db, rocksdb_column_family_handle_t* column_family,
                                     const char* start_key, size_t start_key_len,
                                     const char* limit_key, size_t limit_key_len, char** errptr) {
  const Bound start(start_key, start_key_len), limit(limit_key, limit_key_len);
  Report(errptr, DeleteFilesInRange(db->rep.get(), column_family->rep, start.use, limit.use));
}
void rocksdb_suggest_compact_range(rocksdb_t* db, const char* start_key, size_t start_key_len,
                                   const char* limit_key, size_t limit_key_len, char** errptr) {
  const Bound start(start_key, start_key_len), limit(limit_key, limit_key_len);
  Report(errptr, experimental::SuggestCompactRange(db->rep.get(), start.use, limit.use));
}
void rocksdb_suggest_compact_range_cf(rocksdb_t* db, rocksdb_column_family_handle_t* column_family,
                                      const char* start_key, size_t start_key_len,
                                      const char* limit_key, size_t limit_key_len, char** errptr) {
  const Bound start(start_key, start_key_len), limit(limit_key, limit_key_len);
  Report(errptr, experimental::SuggestCompactRange(db->rep.get(), column_family->rep, start.use,
                                                   limit.use));
}
char* rocksdb_get_db_identity(rocksdb_t* db, size_t* id_len) {
  std::string identity;
  if (!db->rep->GetDbIdentity(identity).ok()) return nullptr;
  *id_len = identity.size();
  return CopyBytes(identity);
}
void rocksdb_flush(rocksdb_t* db, const rocksdb_flushoptions_t* options, char** errptr) {
  Report(errptr, db->rep->Flush(options->rep));
}
void rocksdb_flush_wal(rocksdb_t* db, unsigned char sync, char** errptr) {
  Report(errptr, db->rep->FlushWAL(sync != 0));
}
void rocksdb_disable_file_deletions(rocksdb_t* db, char** errptr) {
  Report(errptr, db->rep->DisableFileDeletions());
}
void rocksdb_delete_file(rocksdb_t* db, const char* name) {
  db->rep->DeleteFile(name).PermitUncheckedError();  // there is nowhere to say it
}
void rocksdb_disable_manual_compaction(rocksdb_t* db) { db->rep->DisableManualCompaction(); }
void rocksdb_enable_manual_compaction(rocksdb_t* db) { db->rep->EnableManualCompaction(); }
void rocksdb_set_options(rocksdb_t* db, int count, const char* const keys[],
                         const char* const values[], char** errptr) {
  Report(errptr, db->rep->SetOptions(OptionPairs(count, keys, values)));
}
void rocksdb_set_options_cf(rocksdb_t* db, rocksdb_column_family_handle_t* handle, int count,
                            const char* const keys[], const char* const values[], char** errptr) {
  Report(errptr, db->rep->SetOptions(handle->rep, OptionPairs(count, keys, values)));
}
void rocksdb_set_db_options(rocksdb_t* db, int count, const char* const keys[],
                            const char* const values[], char** errptr) {
  Report(errptr, db->rep->SetDBOptions(OptionPairs(count, keys, values)));
}
void rocksdb_cancel_all_background_work(rocksdb_t* db, unsigned char wait) {
  CancelAllBackgroundWork(db->rep.get(), wait != 0);
}

}  // extern "C"
