// The C interface: reads without copies.
#include "c/c_objects.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API
using cairn::Report;

struct rocksdb_pinnable_handle_t {
  PinnableSlice rep;
};

namespace {

rocksdb_slice_t InC(const Slice& slice) { return {slice.data(), slice.size()}; }

rocksdb_pinnable_handle_t* GetPinned(rocksdb_t* db, const rocksdb_readoptions_t* options,
                                     ColumnFamilyHandle* family, const Slice& key, char** errptr) {
  auto handle = std::make_unique<rocksdb_pinnable_handle_t>();
  const Status s = db->rep->Get(options->rep, family, key, &handle->rep);
  if (s.IsNotFound() || !Report(errptr, s)) return nullptr;
  return handle.release();
}

unsigned char GetIntoBuffer(rocksdb_t* db, const rocksdb_readoptions_t* options,
                            ColumnFamilyHandle* family, const Slice& key, char* buffer,
                            size_t buffer_size, size_t* vallen, unsigned char* found,
                            char** errptr) {
  *found = 0;
  *vallen = 0;
  PinnableSlice value;
  const Status s = db->rep->Get(options->rep, family, key, &value);
  if (s.IsNotFound() || !Report(errptr, s)) return 0;
  *found = 1;
  *vallen = value.size();
  if (value.size() > buffer_size) return 0;
  if (!value.empty()) std::memcpy(buffer, value.data(), value.size());
  return 1;
}

}  // namespace

extern "C" {

rocksdb_slice_t rocksdb_iter_key_slice(const rocksdb_iterator_t* iter) {
  return InC(iter->rep->key());
}
rocksdb_slice_t rocksdb_iter_value_slice(const rocksdb_iterator_t* iter) {
  return InC(iter->rep->value());
}
rocksdb_slice_t rocksdb_iter_timestamp_slice(const rocksdb_iterator_t* iter) {
  return InC(iter->rep->timestamp());
}

rocksdb_pinnable_handle_t* rocksdb_get_pinned_v2(rocksdb_t* db,
                                                 const rocksdb_readoptions_t* options,
                                                 const char* key, size_t keylen, char** errptr) {
  return GetPinned(db, options, db->rep->DefaultColumnFamily(), Slice(key, keylen), errptr);
}
rocksdb_pinnable_handle_t* rocksdb_get_pinned_cf_v2(rocksdb_t* db,
                                                    const rocksdb_readoptions_t* options,
                                                    rocksdb_column_family_handle_t* column_family,
                                                    const char* key, size_t keylen, char** errptr) {
  return GetPinned(db, options, column_family->rep, Slice(key, keylen), errptr);
}
const char* rocksdb_pinnable_handle_get_value(const rocksdb_pinnable_handle_t* handle,
                                              size_t* vallen) {
  *vallen = handle == nullptr ? 0 : handle->rep.size();
  return handle == nullptr ? nullptr : handle->rep.data();
}
void rocksdb_pinnable_handle_destroy(rocksdb_pinnable_handle_t* handle) { delete handle; }

unsigned char rocksdb_get_into_buffer(rocksdb_t* db, const rocksdb_readoptions_t* options,
                                      const char* key, size_t keylen, char* buffer,
                                      size_t buffer_size, size_t* vallen, unsigned char* found,
                                      char** errptr) {
  return GetIntoBuffer(db, options, db->rep->DefaultColumnFamily(), Slice(key, keylen), buffer,
                       buffer_size, vallen, found, errptr);
}
unsigned char rocksdb_get_into_buffer_cf(rocksdb_t* db, const rocksdb_readoptions_t* options,
                                         rocksdb_column_family_handle_t* column_family,
                                         const char* key, size_t keylen, char* buffer,
                                         size_t buffer_size, size_t* vallen, unsigned char* found,
                                         char** errptr) {
  return GetIntoBuffer(db, options, column_family->rep, Slice(key, keylen), buffer, buffer_size,
                       vallen, found, errptr);
}

void rocksdb_batched_multi_get_cf_slice(rocksdb_t* db, const rocksdb_readoptions_t* options,
                                        rocksdb_column_family_handle_t* column_family,
                                        size_t num_keys, const rocksdb_slice_t* keys_list,
                                        rocksdb_pinnableslice_t** values, char** errs,
                                        const bool sorted_input) {
  std::vector<const char*> keys(num_keys);
  std::vector<size_t> sizes(num_keys);
  for (size_t i = 0; i < num_keys; ++i) {
    keys[i] = keys_list[i].data;
    sizes[i] = keys_list[i].size;
  }
  rocksdb_batched_multi_get_cf(db, options, column_family, num_keys, keys.data(), sizes.data(),
                               values, errs, sorted_input);
}

}  // extern "C"
