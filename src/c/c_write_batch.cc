// The C interface: write batches.
#include <vector>

#include "c/c_objects.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API
using cairn::Added;
using cairn::Slices;

namespace {

using LogDataFunction = void (*)(void*, const char*, size_t);

class Caller final : public WriteBatch::Handler {
 public:
  Caller(void* state, void (*put)(void*, const char*, size_t, const char*, size_t),
         void (*deleted)(void*, const char*, size_t), LogDataFunction log_data = nullptr)
      : state_(state), put_(put), deleted_(deleted), log_data_(log_data) {}
  void Put(const Slice& key, const Slice& value) override {
    put_(state_, key.data(), key.size(), value.data(), value.size());
  }
  void Delete(const Slice& key) override { deleted_(state_, key.data(), key.size()); }
  void SingleDelete(const Slice& key) override { deleted_(state_, key.data(), key.size()); }
  void LogData(const Slice& blob) override {
    if (log_data_ != nullptr) log_data_(state_, blob.data(), blob.size());
  }

 private:
  void* const state_;
  void (*const put_)(void*, const char*, size_t, const char*, size_t);
  void (*const deleted_)(void*, const char*, size_t);
  const LogDataFunction log_data_;
};

class FamilyCaller final : public WriteBatch::Handler {
 public:
  using PutFunction = void (*)(void*, uint32_t, const char*, size_t, const char*, size_t);
  using DeleteFunction = void (*)(void*, uint32_t, const char*, size_t);
  FamilyCaller(void* state, PutFunction put, DeleteFunction deleted, PutFunction merge,
               LogDataFunction log_data = nullptr)
      : state_(state), put_(put), deleted_(deleted), merge_(merge), log_data_(log_data) {}
  Status PutCF(uint32_t family, const Slice& key, const Slice& value) override {
    put_(state_, family, key.data(), key.size(), value.data(), value.size());
    return Status::OK();
  }
  Status DeleteCF(uint32_t family, const Slice& key) override {
    deleted_(state_, family, key.data(), key.size());
    return Status::OK();
  }
  Status SingleDeleteCF(uint32_t family, const Slice& key) override {
    return DeleteCF(family, key);
  }
  Status MergeCF(uint32_t family, const Slice& key, const Slice& value) override {
    merge_(state_, family, key.data(), key.size(), value.data(), value.size());
    return Status::OK();
  }
  void LogData(const Slice& blob) override {
    if (log_data_ != nullptr) log_data_(state_, blob.data(), blob.size());
  }

 private:
  void* const state_;
  const PutFunction put_;
  const DeleteFunction deleted_;
  const PutFunction merge_;
  const LogDataFunction log_data_;
};

}  // namespace

void cairn::Iterate(const WriteBatch& batch, void* state,
                    void (*put)(void*, const char*, size_t, const char*, size_t),
                    void (*deleted)(void*, const char*, size_t)) {
  Caller caller(state, put, deleted);
  batch.Iterate(&caller).PermitUncheckedError();
}

extern "C" {

rocksdb_writebatch_t* rocksdb_writebatch_create() { return new rocksdb_writebatch_t; }
rocksdb_writebatch_t* rocksdb_writebatch_create_with_params(size_t reserved_bytes, size_t max_bytes,
                                                            size_t protection_bytes_per_key,
                                                            size_t default_cf_ts_sz) {
  return new rocksdb_writebatch_t{
      WriteBatch(reserved_bytes, max_bytes, protection_bytes_per_key, default_cf_ts_sz)};
}
rocksdb_writebatch_t* rocksdb_writebatch_create_from(const char* rep, size_t size) {
  return new rocksdb_writebatch_t{WriteBatch(std::string(rep, size))};
}
void rocksdb_writebatch_destroy(rocksdb_writebatch_t* b) { delete b; }
void rocksdb_writebatch_clear(rocksdb_writebatch_t* b) { b->rep.Clear(); }
int rocksdb_writebatch_count(rocksdb_writebatch_t* b) { return static_cast<int>(b->rep.Count()); }
void rocksdb_writebatch_put(rocksdb_writebatch_t* b, const char* key, size_t klen, const char* val,
                            size_t vlen) {
  Added(b->rep.Put(Slice(key, klen), Slice(val, vlen)));
}
void rocksdb_writebatch_put_cf(rocksdb_writebatch_t* b,
                               rocksdb_column_family_handle_t* column_family, const char* key,
                               size_t klen, const char* val, size_t vlen) {
  Added(b->rep.Put(column_family->rep, Slice(key, klen), Slice(val, vlen)));
}
void rocksdb_writebatch_putv(rocksdb_writebatch_t* b, int num_keys, const char* const* keys_list,
                             const size_t* keys_list_sizes, int num_values,
                             const char* const* values_list, const size_t* values_list_sizes) {
  const std::vector<Slice> key = Slices(num_keys, keys_list, keys_list_sizes);
  const std::vector<Slice> value = Slices(num_values, values_list, values_list_sizes);
  Added(b->rep.Put(SliceParts(key.data(), num_keys), SliceParts(value.data(), num_values)));
}
void rocksdb_writebatch_putv_cf(rocksdb_writebatch_t* b,
                                rocksdb_column_family_handle_t* column_family, int num_keys,
                                const char* const* keys_list, const size_t* keys_list_sizes,
                                int num_values, const char* const* values_list,
                                const size_t* values_list_sizes) {
  const std::vector<Slice> key = Slices(num_keys, keys_list, keys_list_sizes);
  const std::vector<Slice> value = Slices(num_values, values_list, values_list_sizes);
  Added(b->rep.Put(column_family->rep, SliceParts(key.data(), num_keys),
                   SliceParts(value.data(), num_values)));
}
void rocksdb_writebatch_deletev(rocksdb_writebatch_t* b, int num_keys, const char* const* keys_list,
                                const size_t* keys_list_sizes) {
  const std::vector<Slice> key = Slices(num_keys, keys_list, keys_list_sizes);
  Added(b->rep.Delete(SliceParts(key.data(), num_keys)));
}
void rocksdb_writebatch_deletev_cf(rocksdb_writebatch_t* b,
                                   rocksdb_column_family_handle_t* column_family, int num_keys,
                                   const char* const* keys_list, const size_t* keys_list_sizes) {
  const std::vector<Slice> key = Slices(num_keys, keys_list, keys_list_sizes);
  Added(b->rep.Delete(column_family->rep, SliceParts(key.data(), num_keys)));
}
void rocksdb_writebatch_delete(rocksdb_writebatch_t* b, const char* key, size_t klen) {
  Added(b->rep.Delete(Slice(key, klen)));
}
void rocksdb_writebatch_delete_cf(rocksdb_writebatch_t* b,
                                  rocksdb_column_family_handle_t* column_family, const char* key,
                                  size_t klen) {
  Added(b->rep.Delete(column_family->rep, Slice(key, klen)));
}
void rocksdb_writebatch_singledelete(rocksdb_writebatch_t* b, const char* key, size_t klen) {
  Added(b->rep.SingleDelete(Slice(key, klen)));
}
void rocksdb_writebatch_delete_range(rocksdb_writebatch_t* b, const char* start_key,
                                     size_t start_key_len, const char* end_key,
                                     size_t end_key_len) {
  Added(b->rep.DeleteRange(Slice(start_key, start_key_len), Slice(end_key, end_key_len)));
}
void rocksdb_writebatch_delete_range_cf(rocksdb_writebatch_t* b,
                                        rocksdb_column_family_handle_t* column_family,
                                        const char* start_key, size_t start_key_len,
                                        const char* end_key, size_t end_key_len) {
  Added(b->rep.DeleteRange(column_family->rep, Slice(start_key, start_key_len),
                           Slice(end_key, end_key_len)));
}
void rocksdb_writebatch_delete_rangev(rocksdb_writebatch_t* b, int num_keys,
                                      const char* const* start_keys_list,
                                      const size_t* start_keys_list_sizes,
                                      const char* const* end_keys_list,
                                      const size_t* end_keys_list_sizes) {
  const std::vector<Slice> start = Slices(num_keys, start_keys_list, start_keys_list_sizes);
  const std::vector<Slice> end = Slices(num_keys, end_keys_list, end_keys_list_sizes);
  Added(b->rep.DeleteRange(SliceParts(start.data(), num_keys), SliceParts(end.data(), num_keys)));
}
void rocksdb_writebatch_delete_rangev_cf(rocksdb_writebatch_t* b,
                                         rocksdb_column_family_handle_t* column_family,
                                         int num_keys, const char* const* start_keys_list,
                                         const size_t* start_keys_list_sizes,
                                         const char* const* end_keys_list,
                                         const size_t* end_keys_list_sizes) {
  const std::vector<Slice> start = Slices(num_keys, start_keys_list, start_keys_list_sizes);
  const std::vector<Slice> end = Slices(num_keys, end_keys_list, end_keys_list_sizes);
  Added(b->rep.DeleteRange(column_family->rep, SliceParts(start.data(), num_keys),
                           SliceParts(end.data(), num_keys)));
}
void rocksdb_writebatch_put_log_data(rocksdb_writebatch_t* b, const char* blob, size_t len) {
  Added(b->rep.PutLogData(Slice(blob, len)));
}
void rocksdb_writebatch_iterate(rocksdb_writebatch_t* b, void* state,
                                void (*put)(void*, const char* k, size_t klen, const char* v,
                                            size_t vlen),
                                void (*deleted)(void*, const char* k, size_t klen)) {
  cairn::Iterate(b->rep, state, put, deleted);
}
void rocksdb_writebatch_iterate_cf(rocksdb_writebatch_t* b, void* state,
                                   void (*put_cf)(void*, uint32_t cfid, const char* k, size_t klen,
                                                  const char* v, size_t vlen),
                                   void (*deleted_cf)(void*, uint32_t cfid, const char* k,
                                                      size_t klen),
                                   void (*merge_cf)(void*, uint32_t cfid, const char* k,
                                                    size_t klen, const char* v, size_t vlen)) {
  FamilyCaller caller(state, put_cf, deleted_cf, merge_cf);
  b->rep.Iterate(&caller).PermitUncheckedError();
}
void rocksdb_writebatch_iterate_ld(rocksdb_writebatch_t* b, void* state,
                                   void (*put)(void*, const char* k, size_t klen, const char* v,
                                               size_t vlen),
                                   void (*deleted)(void*, const char* k, size_t klen),
                                   void (*log_data)(void*, const char* blob, size_t blob_len)) {
  Caller caller(state, put, deleted, log_data);
  b->rep.Iterate(&caller).PermitUncheckedError();
}
void rocksdb_writebatch_iterate_cf_ld(
    rocksdb_writebatch_t* b, void* state,
    void (*put_cf)(void*, uint32_t cfid, const char* k, size_t klen, const char* v, size_t vlen),
    void (*deleted_cf)(void*, uint32_t cfid, const char* k, size_t klen),
    void (*merge_cf)(void*, uint32_t cfid, const char* k, size_t klen, const char* v, size_t vlen),
    void (*log_data)(void*, const char* blob, size_t blob_len)) {
  FamilyCaller caller(state, put_cf, deleted_cf, merge_cf, log_data);
  b->rep.Iterate(&caller).PermitUncheckedError();
}
void rocksdb_writebatch_verify_checksum(rocksdb_writebatch_t* b, char** errptr) {
  cairn::Report(errptr, b->rep.VerifyChecksum());
}
const char* rocksdb_writebatch_data(rocksdb_writebatch_t* b, size_t* size) {
  *size = b->rep.GetDataSize();
  return b->rep.Data().data();
}
void rocksdb_writebatch_set_save_point(rocksdb_writebatch_t* b) { b->rep.SetSavePoint(); }
void rocksdb_writebatch_rollback_to_save_point(rocksdb_writebatch_t* b, char** errptr) {
  cairn::Report(errptr, b->rep.RollbackToSavePoint());
}
void rocksdb_writebatch_pop_save_point(rocksdb_writebatch_t* b, char** errptr) {
  cairn::Report(errptr, b->rep.PopSavePoint());
}

}  // extern "C"
