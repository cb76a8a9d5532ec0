// The C interface: write batches with an index.
#include <vector>

#include "c/c_answers.h"
#include "c/c_objects.h"
#include "c/c_transaction_objects.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API
using cairn::Added;
using cairn::Slices;

namespace {

rocksdb_iterator_t* WithBase(rocksdb_writebatch_wi_t* batch, rocksdb_iterator_t* base,
                             ColumnFamilyHandle* family, const ReadOptions* options) {
  const std::unique_ptr<rocksdb_iterator_t> taken(base);
  Iterator* const below = taken->rep.release();
  return cairn::Own(family == nullptr ? batch->rep->NewIteratorWithBase(below, options)
                                      : batch->rep->NewIteratorWithBase(family, below, options));
}

char* GetFromBatch(rocksdb_writebatch_wi_t* batch, const rocksdb_options_t* options,
                   ColumnFamilyHandle* family, const Slice& key, size_t* vallen, char** errptr) {
  std::string value;
  const Status s = batch->rep->GetFromBatch(family, DBOptions(options->rep), key, &value);
  return cairn::ValueOrNull(s, value, vallen, errptr);
}

}  // namespace

extern "C" {

rocksdb_writebatch_wi_t* rocksdb_writebatch_wi_create(size_t reserved_bytes,
                                                      unsigned char overwrite_keys) {
  return new rocksdb_writebatch_wi_t{
      new WriteBatchWithIndex(BytewiseComparator(), reserved_bytes, overwrite_keys != 0)};
}
rocksdb_writebatch_wi_t* rocksdb_writebatch_wi_create_with_params(
    rocksdb_comparator_t* backup_index_comparator, size_t reserved_bytes,
    unsigned char overwrite_key, size_t max_bytes, size_t protection_bytes_per_key) {
  return new rocksdb_writebatch_wi_t{
      new WriteBatchWithIndex(cairn::ComparatorOf(backup_index_comparator), reserved_bytes,
                              overwrite_key != 0, max_bytes, protection_bytes_per_key)};
}
void rocksdb_writebatch_wi_destroy(rocksdb_writebatch_wi_t* b) {
  delete b->rep;
  delete b;
}
void rocksdb_writebatch_wi_clear(rocksdb_writebatch_wi_t* b) { b->rep->Clear(); }
int rocksdb_writebatch_wi_count(rocksdb_writebatch_wi_t* b) {
  return static_cast<int>(b->rep->GetWriteBatch()->Count());
}

void rocksdb_writebatch_wi_put(rocksdb_writebatch_wi_t* b, const char* key, size_t klen,
                               const char* val, size_t vlen) {
  Added(b->rep->Put(Slice(key, klen), Slice(val, vlen)));
}
void rocksdb_writebatch_wi_put_cf(rocksdb_writebatch_wi_t* b,
                                  rocksdb_column_family_handle_t* column_family, const char* key,
                                  size_t klen, const char* val, size_t vlen) {
  Added(b->rep->Put(column_family->rep, Slice(key, klen), Slice(val, vlen)));
}
void rocksdb_writebatch_wi_putv(rocksdb_writebatch_wi_t* b, int num_keys,
                                const char* const* keys_list, const size_t* keys_list_sizes,
                                int num_values, const char* const* values_list,
                                const size_t* values_list_sizes) {
  const std::vector<Slice> key = Slices(num_keys, keys_list, keys_list_sizes);
  const std::vector<Slice> value = Slices(num_values, values_list, values_list_sizes);
  Added(b->rep->Put(SliceParts(key.data(), num_keys), SliceParts(value.data(), num_values)));
}
void rocksdb_writebatch_wi_putv_cf(rocksdb_writebatch_wi_t* b,
                                   rocksdb_column_family_handle_t* column_family, int num_keys,
                                   const char* const* keys_list, const size_t* keys_list_sizes,
                                   int num_values, const char* const* values_list,
                                   const size_t* values_list_sizes) {
  const std::vector<Slice> key = Slices(num_keys, keys_list, keys_list_sizes);
  const std::vector<Slice> value = Slices(num_values, values_list, values_list_sizes);
  Added(b->rep->Put(column_family->rep, SliceParts(key.data(), num_keys),
                    SliceParts(value.data(), num_values)));
}
void rocksdb_writebatch_wi_merge(rocksdb_writebatch_wi_t* b, const char* key, size_t klen,
                                 const char* val, size_t vlen) {
  Added(b->rep->Merge(Slice(key, klen), Slice(val, vlen)));
}
void rocksdb_writebatch_wi_merge_cf(rocksdb_writebatch_wi_t* b,
                                    rocksdb_column_family_handle_t* column_family, const char* key,
                                    size_t klen, const char* val, size_t vlen) {
  Added(b->rep->Merge(column_family->rep, Slice(key, klen), Slice(val, vlen)));
}
void rocksdb_writebatch_wi_mergev(rocksdb_writebatch_wi_t* b, int num_keys,
                                  const char* const* keys_list, const size_t* keys_list_sizes,
                                  int num_values, const char* const* values_list,
                                  const size_t* values_list_sizes) {
  const std::vector<Slice> key = Slices(num_keys, keys_list, keys_list_sizes);
  const std::vector<Slice> value = Slices(num_values, values_list, values_list_sizes);
  Added(b->rep->Merge(SliceParts(key.data(), num_keys), SliceParts(value.data(), num_values)));
}
void rocksdb_writebatch_wi_mergev_cf(rocksdb_writebatch_wi_t* b,
                                     rocksdb_column_family_handle_t* column_family, int num_keys,
                                     const char* const* keys_list, const size_t* keys_list_sizes,
                                     int num_values, const char* const* values_list,
                                     const size_t* values_list_sizes) {
  const std::vector<Slice> key = Slices(num_keys, keys_list, keys_list_sizes);
  const std::vector<Slice> value = Slices(num_values, values_list, values_list_sizes);
  Added(b->rep->Merge(column_family->rep, SliceParts(key.data(), num_keys),
                      SliceParts(value.data(), num_values)));
}
void rocksdb_writebatch_wi_delete(rocksdb_writebatch_wi_t* b, const char* key, size_t klen) {
  Added(b->rep->Delete(Slice(key, klen)));
}
void rocksdb_writebatch_wi_delete_cf(rocksdb_writebatch_wi_t* b,
                                     rocksdb_column_family_handle_t* column_family, const char* key,
                                     size_t klen) {
  Added(b->rep->Delete(column_family->rep, Slice(key, klen)));
}
void rocksdb_writebatch_wi_deletev(rocksdb_writebatch_wi_t* b, int num_keys,
                                   const char* const* keys_list, const size_t* keys_list_sizes) {
  const std::vector<Slice> key = Slices(num_keys, keys_list, keys_list_sizes);
  Added(b->rep->Delete(SliceParts(key.data(), num_keys)));
}
void rocksdb_writebatch_wi_deletev_cf(rocksdb_writebatch_wi_t* b,
                                      rocksdb_column_family_handle_t* column_family, int num_keys,
                                      const char* const* keys_list, const size_t* keys_list_sizes) {
  const std::vector<Slice> key = Slices(num_keys, keys_list, keys_list_sizes);
  Added(b->rep->Delete(column_family->rep, SliceParts(key.data(), num_keys)));
}
void rocksdb_writebatch_wi_singledelete(rocksdb_writebatch_wi_t* b, const char* key, size_t klen) {
  Added(b->rep->SingleDelete(Slice(key, klen)));
}
void rocksdb_writebatch_wi_singledelete_cf(rocksdb_writebatch_wi_t* b,
                                           rocksdb_column_family_handle_t* column_family,
                                           const char* key, size_t klen) {
  Added(b->rep->SingleDelete(column_family->rep, Slice(key, klen)));
}
void rocksdb_writebatch_wi_delete_range(rocksdb_writebatch_wi_t* b, const char* start_key,
                                        size_t start_key_len, const char* end_key,
                                        size_t end_key_len) {
  Added(b->rep->DeleteRange(Slice(start_key, start_key_len), Slice(end_key, end_key_len)));
}
void rocksdb_writebatch_wi_delete_range_cf(rocksdb_writebatch_wi_t* b,
                                           rocksdb_column_family_handle_t* column_family,
                                           const char* start_key, size_t start_key_len,
                                           const char* end_key, size_t end_key_len) {
  Added(b->rep->DeleteRange(column_family->rep, Slice(start_key, start_key_len),
                            Slice(end_key, end_key_len)));
}
void rocksdb_writebatch_wi_delete_rangev(rocksdb_writebatch_wi_t* b, int num_keys,
                                         const char* const* start_keys_list,
                                         const size_t* start_keys_list_sizes,
                                         const char* const* end_keys_list,
                                         const size_t* end_keys_list_sizes) {
  const std::vector<Slice> start = Slices(num_keys, start_keys_list, start_keys_list_sizes);
  const std::vector<Slice> end = Slices(num_keys, end_keys_list, end_keys_list_sizes);
  Added(b->rep->DeleteRange(SliceParts(start.data(), num_keys), SliceParts(end.data(), num_keys)));
}
void rocksdb_writebatch_wi_delete_rangev_cf(rocksdb_writebatch_wi_t* b,
                                            rocksdb_column_family_handle_t* column_family,
                                            int num_keys, const char* const* start_keys_list,
                                            const size_t* start_keys_list_sizes,
                                            const char* const* end_keys_list,
                                            const size_t* end_keys_list_sizes) {
  const std::vector<Slice> start = Slices(num_keys, start_keys_list, start_keys_list_sizes);
  const std::vector<Slice> end = Slices(num_keys, end_keys_list, end_keys_list_sizes);
  Added(b->rep->DeleteRange(column_family->rep, SliceParts(start.data(), num_keys),
                            SliceParts(end.data(), num_keys)));
}
void rocksdb_writebatch_wi_put_log_data(rocksdb_writebatch_wi_t* b, const char* blob, size_t len) {
  Added(b->rep->PutLogData(Slice(blob, len)));
}

void rocksdb_writebatch_wi_iterate(rocksdb_writebatch_wi_t* b, void* state,
                                   void (*put)(void*, const char* k, size_t klen, const char* v,
                                               size_t vlen),
                                   void (*deleted)(void*, const char* k, size_t klen)) {
  cairn::Iterate(*b->rep->GetWriteBatch(), state, put, deleted);
}
const char* rocksdb_writebatch_wi_data(rocksdb_writebatch_wi_t* b, size_t* size) {
  const WriteBatch* const batch = b->rep->GetWriteBatch();
  *size = batch->GetDataSize();
  return batch->Data().data();
}
void rocksdb_writebatch_wi_set_save_point(rocksdb_writebatch_wi_t* b) { b->rep->SetSavePoint(); }
void rocksdb_writebatch_wi_rollback_to_save_point(rocksdb_writebatch_wi_t* b, char** errptr) {
  cairn::Report(errptr, b->rep->RollbackToSavePoint());
}
void rocksdb_write_writebatch_wi(rocksdb_t* db, const rocksdb_writeoptions_t* options,
                                 rocksdb_writebatch_wi_t* wbwi, char** errptr) {
  cairn::Report(errptr, db->rep->Write(options->rep, wbwi->rep->GetWriteBatch()));
}

char* rocksdb_writebatch_wi_get_from_batch(rocksdb_writebatch_wi_t* wbwi,
                                           const rocksdb_options_t* options, const char* key,
                                           size_t keylen, size_t* vallen, char** errptr) {
  return GetFromBatch(wbwi, options, nullptr, Slice(key, keylen), vallen, errptr);
}
char* rocksdb_writebatch_wi_get_from_batch_cf(rocksdb_writebatch_wi_t* wbwi,
                                              const rocksdb_options_t* options,
                                              rocksdb_column_family_handle_t* column_family,
                                              const char* key, size_t keylen, size_t* vallen,
                                              char** errptr) {
  return GetFromBatch(wbwi, options, column_family->rep, Slice(key, keylen), vallen, errptr);
}
char* rocksdb_writebatch_wi_get_from_batch_and_db(rocksdb_writebatch_wi_t* wbwi, rocksdb_t* db,
                                                  const rocksdb_readoptions_t* options,
                                                  const char* key, size_t keylen, size_t* vallen,
                                                  char** errptr) {
  return cairn::GetBy(vallen, errptr, [&](PinnableSlice* value) {
    return wbwi->rep->GetFromBatchAndDB(db->rep.get(), options->rep, Slice(key, keylen), value);
  });
}
char* rocksdb_writebatch_wi_get_from_batch_and_db_cf(rocksdb_writebatch_wi_t* wbwi, rocksdb_t* db,
                                                     const rocksdb_readoptions_t* options,
                                                     rocksdb_column_family_handle_t* column_family,
                                                     const char* key, size_t keylen, size_t* vallen,
                                                     char** errptr) {
  return cairn::GetBy(vallen, errptr, [&](PinnableSlice* value) {
    return wbwi->rep->GetFromBatchAndDB(db->rep.get(), options->rep, column_family->rep,
                                        Slice(key, keylen), value);
  });
}
rocksdb_pinnableslice_t* rocksdb_writebatch_wi_get_pinned_from_batch_and_db(
    rocksdb_writebatch_wi_t* wbwi, rocksdb_t* db, const rocksdb_readoptions_t* options,
    const char* key, size_t keylen, char** errptr) {
  return cairn::GetPinnedBy(errptr, [&](PinnableSlice* value) {
    return wbwi->rep->GetFromBatchAndDB(db->rep.get(), options->rep, Slice(key, keylen), value);
  });
}
rocksdb_pinnableslice_t* rocksdb_writebatch_wi_get_pinned_from_batch_and_db_cf(
    rocksdb_writebatch_wi_t* wbwi, rocksdb_t* db, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t keylen, char** errptr) {
  return cairn::GetPinnedBy(errptr, [&](PinnableSlice* value) {
    return wbwi->rep->GetFromBatchAndDB(db->rep.get(), options->rep, column_family->rep,
                                        Slice(key, keylen), value);
  });
}

rocksdb_iterator_t* rocksdb_writebatch_wi_create_iterator_with_base(
    rocksdb_writebatch_wi_t* wbwi, rocksdb_iterator_t* base_iterator) {
  return WithBase(wbwi, base_iterator, nullptr, nullptr);
}
rocksdb_iterator_t* rocksdb_writebatch_wi_create_iterator_with_base_cf(
    rocksdb_writebatch_wi_t* wbwi, rocksdb_iterator_t* base_iterator,
    rocksdb_column_family_handle_t* cf) {
  return WithBase(wbwi, base_iterator, cf->rep, nullptr);
}
rocksdb_iterator_t* rocksdb_writebatch_wi_create_iterator_with_base_readopts(
    rocksdb_writebatch_wi_t* wbwi, rocksdb_iterator_t* base_iterator,
    const rocksdb_readoptions_t* options) {
  return WithBase(wbwi, base_iterator, nullptr, &options->rep);
}
rocksdb_iterator_t* rocksdb_writebatch_wi_create_iterator_with_base_cf_readopts(
    rocksdb_writebatch_wi_t* wbwi, rocksdb_iterator_t* base_iterator,
    rocksdb_column_family_handle_t* cf, const rocksdb_readoptions_t* options) {
  return WithBase(wbwi, base_iterator, cf->rep, &options->rep);
}

}  // extern "C"
