// The C interface: transactions of either kind.
#include <string>
#include <vector>

#include "c/c_answers.h"
#include "c/c_objects.h"
#include "c/c_transaction_objects.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API
using cairn::GetBy;
using cairn::GetPinnedBy;
using cairn::GiveAnswers;
using cairn::Handles;
using cairn::Report;
using cairn::Slices;

namespace {

// The default one, as Transaction understands it.
constexpr ColumnFamilyHandle* kDefault = nullptr;

// In malloc()ed memory: rocksdb_free() gives it back.
template <class T>
T* Lend(const T& object) {
  void* const memory = std::malloc(sizeof(T));
  return memory == nullptr ? nullptr : new (memory) T(object);
}

}  // namespace

extern "C" {

void rocksdb_transaction_destroy(rocksdb_transaction_t* txn) { delete txn; }

void rocksdb_transaction_commit(rocksdb_transaction_t* txn, char** errptr) {
  Report(errptr, txn->rep->Commit());
}
void rocksdb_transaction_rollback(rocksdb_transaction_t* txn, char** errptr) {
  Report(errptr, txn->rep->Rollback());
}
void rocksdb_transaction_prepare(rocksdb_transaction_t* txn, char** errptr) {
  Report(errptr, txn->rep->Prepare());
}
void rocksdb_transaction_set_name(rocksdb_transaction_t* txn, const char* name, size_t name_len,
                                  char** errptr) {
  Report(errptr, txn->rep->SetName(std::string(name, name_len)));
}
char* rocksdb_transaction_get_name(rocksdb_transaction_t* txn, size_t* name_len) {
  const std::string name = txn->rep->GetName();
  *name_len = name.size();
  return cairn::CopyBytes(name);
}
void rocksdb_transaction_set_savepoint(rocksdb_transaction_t* txn) { txn->rep->SetSavePoint(); }
void rocksdb_transaction_rollback_to_savepoint(rocksdb_transaction_t* txn, char** errptr) {
  Report(errptr, txn->rep->RollbackToSavePoint());
}
const rocksdb_snapshot_t* rocksdb_transaction_get_snapshot(rocksdb_transaction_t* txn) {
  return Lend(rocksdb_snapshot_t{txn->rep->GetSnapshot()});
}

// Reading
char* rocksdb_transaction_get(rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options,
                              const char* key, size_t klen, size_t* vlen, char** errptr) {
  return GetBy(vlen, errptr, [&](PinnableSlice* value) {
    return txn->rep->Get(options->rep, Slice(key, klen), value);
  });
}
char* rocksdb_transaction_get_cf(rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options,
                                 rocksdb_column_family_handle_t* column_family, const char* key,
                                 size_t klen, size_t* vlen, char** errptr) {
  return GetBy(vlen, errptr, [&](PinnableSlice* value) {
    return txn->rep->Get(options->rep, column_family->rep, Slice(key, klen), value);
  });
}
rocksdb_pinnableslice_t* rocksdb_transaction_get_pinned(rocksdb_transaction_t* txn,
                                                        const rocksdb_readoptions_t* options,
                                                        const char* key, size_t klen,
                                                        char** errptr) {
  return GetPinnedBy(errptr, [&](PinnableSlice* value) {
    return txn->rep->Get(options->rep, Slice(key, klen), value);
  });
}
rocksdb_pinnableslice_t* rocksdb_transaction_get_pinned_cf(
    rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t klen, char** errptr) {
  return GetPinnedBy(errptr, [&](PinnableSlice* value) {
    return txn->rep->Get(options->rep, column_family->rep, Slice(key, klen), value);
  });
}
void rocksdb_transaction_multi_get(rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options,
                                   size_t num_keys, const char* const* keys_list,
                                   const size_t* keys_list_sizes, char** values_list,
                                   size_t* values_list_sizes, char** errs) {
  std::vector<std::string> values(num_keys);
  const std::vector<Status> statuses =
      txn->rep->MultiGet(options->rep, Slices(num_keys, keys_list, keys_list_sizes), &values);
  GiveAnswers(statuses, values, values_list, values_list_sizes, errs);
}
void rocksdb_transaction_multi_get_cf(rocksdb_transaction_t* txn,
                                      const rocksdb_readoptions_t* options,
                                      const rocksdb_column_family_handle_t* const* column_families,
                                      size_t num_keys, const char* const* keys_list,
                                      const size_t* keys_list_sizes, char** values_list,
                                      size_t* values_list_sizes, char** errs) {
  std::vector<std::string> values(num_keys);
  const std::vector<Status> statuses =
      txn->rep->MultiGet(options->rep, Handles(num_keys, column_families),
                         Slices(num_keys, keys_list, keys_list_sizes), &values);
  GiveAnswers(statuses, values, values_list, values_list_sizes, errs);
}

// Reading for an update
char* rocksdb_transaction_get_for_update(rocksdb_transaction_t* txn,
                                         const rocksdb_readoptions_t* options, const char* key,
                                         size_t klen, size_t* vlen, unsigned char exclusive,
                                         char** errptr) {
  return GetBy(vlen, errptr, [&](PinnableSlice* value) {
    return txn->rep->GetForUpdate(options->rep, Slice(key, klen), value, exclusive != 0);
  });
}
char* rocksdb_transaction_get_for_update_cf(rocksdb_transaction_t* txn,
                                            const rocksdb_readoptions_t* options,
                                            rocksdb_column_family_handle_t* column_family,
                                            const char* key, size_t klen, size_t* vlen,
                                            unsigned char exclusive, char** errptr) {
  return GetBy(vlen, errptr, [&](PinnableSlice* value) {
    return txn->rep->GetForUpdate(options->rep, column_family->rep, Slice(key, klen), value,
                                  exclusive != 0);
  });
}
rocksdb_pinnableslice_t* rocksdb_transaction_get_pinned_for_update(
    rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options, const char* key, size_t klen,
    unsigned char exclusive, char** errptr) {
  return GetPinnedBy(errptr, [&](PinnableSlice* value) {
    return txn->rep->GetForUpdate(options->rep, Slice(key, klen), value, exclusive != 0);
  });
}
rocksdb_pinnableslice_t* rocksdb_transaction_get_pinned_for_update_cf(
    rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t klen,
    unsigned char exclusive, char** errptr) {
  return GetPinnedBy(errptr, [&](PinnableSlice* value) {
    return txn->rep->GetForUpdate(options->rep, column_family->rep, Slice(key, klen), value,
                                  exclusive != 0);
  });
}
void rocksdb_transaction_multi_get_for_update(rocksdb_transaction_t* txn,
                                              const rocksdb_readoptions_t* options, size_t num_keys,
                                              const char* const* keys_list,
                                              const size_t* keys_list_sizes, char** values_list,
                                              size_t* values_list_sizes, char** errs) {
  std::vector<std::string> values(num_keys);
  const std::vector<Status> statuses = txn->rep->MultiGetForUpdate(
      options->rep, Slices(num_keys, keys_list, keys_list_sizes), &values);
  GiveAnswers(statuses, values, values_list, values_list_sizes, errs);
}
void rocksdb_transaction_multi_get_for_update_cf(
    rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options,
    const rocksdb_column_family_handle_t* const* column_families, size_t num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes, char** values_list,
    size_t* values_list_sizes, char** errs) {
  std::vector<std::string> values(num_keys);
  const std::vector<Status> statuses =
      txn->rep->MultiGetForUpdate(options->rep, Handles(num_keys, column_families),
                                  Slices(num_keys, keys_list, keys_list_sizes), &values);
  GiveAnswers(statuses, values, values_list, values_list_sizes, errs);
}

rocksdb_iterator_t* rocksdb_transaction_create_iterator(rocksdb_transaction_t* txn,
                                                        const rocksdb_readoptions_t* options) {
  return cairn::Own(txn->rep->GetIterator(options->rep));
}
rocksdb_iterator_t* rocksdb_transaction_create_iterator_cf(
    rocksdb_transaction_t* txn, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family) {
  return cairn::Own(txn->rep->GetIterator(options->rep, column_family->rep));
}

// Writing
void rocksdb_transaction_put(rocksdb_transaction_t* txn, const char* key, size_t klen,
                             const char* val, size_t vlen, char** errptr) {
  Report(errptr, txn->rep->Put(kDefault, Slice(key, klen), Slice(val, vlen)));
}
void rocksdb_transaction_put_cf(rocksdb_transaction_t* txn,
                                rocksdb_column_family_handle_t* column_family, const char* key,
                                size_t klen, const char* val, size_t vlen, char** errptr) {
  Report(errptr, txn->rep->Put(column_family->rep, Slice(key, klen), Slice(val, vlen)));
}
void rocksdb_transaction_merge(rocksdb_transaction_t* txn, const char* key, size_t klen,
                               const char* val, size_t vlen, char** errptr) {
  Report(errptr, txn->rep->Merge(kDefault, Slice(key, klen), Slice(val, vlen)));
}
void rocksdb_transaction_merge_cf(rocksdb_transaction_t* txn,
                                  rocksdb_column_family_handle_t* column_family, const char* key,
                                  size_t klen, const char* val, size_t vlen, char** errptr) {
  Report(errptr, txn->rep->Merge(column_family->rep, Slice(key, klen), Slice(val, vlen)));
}
void rocksdb_transaction_delete(rocksdb_transaction_t* txn, const char* key, size_t klen,
                                char** errptr) {
  Report(errptr, txn->rep->Delete(kDefault, Slice(key, klen)));
}
void rocksdb_transaction_delete_cf(rocksdb_transaction_t* txn,
                                   rocksdb_column_family_handle_t* column_family, const char* key,
                                   size_t klen, char** errptr) {
  Report(errptr, txn->rep->Delete(column_family->rep, Slice(key, klen)));
}
void rocksdb_transaction_put_log_data(rocksdb_transaction_t* txn, const char* blob, size_t len) {
  txn->rep->PutLogData(Slice(blob, len));
}
rocksdb_writebatch_wi_t* rocksdb_transaction_get_writebatch_wi(rocksdb_transaction_t* txn) {
  return Lend(rocksdb_writebatch_wi_t{txn->rep->GetWriteBatch()});
}
void rocksdb_transaction_rebuild_from_writebatch(rocksdb_transaction_t* txn,
                                                 rocksdb_writebatch_t* writebatch, char** errptr) {
  Report(errptr, txn->rep->RebuildFromWriteBatch(&writebatch->rep));
}
void rocksdb_transaction_rebuild_from_writebatch_wi(rocksdb_transaction_t* txn,
                                                    rocksdb_writebatch_wi_t* wi, char** errptr) {
  Report(errptr, txn->rep->RebuildFromWriteBatch(wi->rep->GetWriteBatch()));
}

// Timestamps
void rocksdb_transaction_set_commit_timestamp(rocksdb_transaction_t* txn,
                                              uint64_t commit_timestamp) {
  txn->rep->SetCommitTimestamp(commit_timestamp).PermitUncheckedError();
}
void rocksdb_transaction_set_read_timestamp_for_validation(rocksdb_transaction_t* txn,
                                                           uint64_t read_timestamp) {
  txn->rep->SetReadTimestampForValidation(read_timestamp).PermitUncheckedError();
}

}  // extern "C"
