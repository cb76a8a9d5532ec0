// The C interface: databases whose transactions look for conflicts when they commit.
#include "c/c_answers.h"
#include "c/c_objects.h"
#include "c/c_transaction_objects.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API
using cairn::Report;

struct rocksdb_optimistictransaction_options_t {
  OptimisticTransactionOptions rep;
};
struct rocksdb_optimistictransactiondb_options_t {
  OptimisticTransactionDBOptions rep;
};
struct rocksdb_optimistictransactiondb_lock_buckets_t {
  std::shared_ptr<OccLockBuckets> rep;
};

namespace {

rocksdb_optimistictransactiondb_t* OpenFamilies(const rocksdb_options_t* options,
                                                const OptimisticTransactionDBOptions& occ_options,
                                                const char* name, int count,
                                                const char* const* names,
                                                const rocksdb_options_t* const* family_options,
                                                rocksdb_column_family_handle_t** handles,
                                                char** errptr) {
  std::unique_ptr<OptimisticTransactionDB> db = cairn::OpenFamilies<OptimisticTransactionDB>(
      count, names, family_options, handles, errptr,
      [&](const auto& families, auto* opened_handles, OptimisticTransactionDB** opened) {
        return OptimisticTransactionDB::Open(DBOptions(options->rep), occ_options, name, families,
                                             opened_handles, opened);
      });
  return db == nullptr ? nullptr : new rocksdb_optimistictransactiondb_t{std::move(db)};
}

// With the default family alone, for which nobody wants a handle.
rocksdb_optimistictransactiondb_t* OpenDefault(const rocksdb_options_t* options,
                                               const OptimisticTransactionDBOptions& occ_options,
                                               const char* name, char** errptr) {
  const char* const names[] = {kDefaultColumnFamilyName.c_str()};
  const rocksdb_options_t* const family_options[] = {options};
  rocksdb_column_family_handle_t* handle = nullptr;
  rocksdb_optimistictransactiondb_t* const db =
      OpenFamilies(options, occ_options, name, 1, names, family_options, &handle, errptr);
  rocksdb_column_family_handle_destroy(handle);
  return db;
}

}  // namespace

extern "C" {

rocksdb_optimistictransaction_options_t* rocksdb_optimistictransaction_options_create() {
  return new rocksdb_optimistictransaction_options_t;
}
void rocksdb_optimistictransaction_options_destroy(rocksdb_optimistictransaction_options_t* opt) {
  delete opt;
}
CAIRN_C_OPTION(optimistictransaction_options, unsigned char, set_snapshot)

rocksdb_optimistictransactiondb_options_t* rocksdb_optimistictransactiondb_options_create() {
  return new rocksdb_optimistictransactiondb_options_t;
}
void rocksdb_optimistictransactiondb_options_destroy(
    rocksdb_optimistictransactiondb_options_t* opt) {
  delete opt;
}
CAIRN_C_OPTION(optimistictransactiondb_options, int, validate_policy)
CAIRN_C_OPTION(optimistictransactiondb_options, uint32_t, occ_lock_buckets)

rocksdb_optimistictransactiondb_lock_buckets_t* rocksdb_optimistictransactiondb_lock_buckets_create(
    size_t bucket_count, unsigned char cache_aligned) {
  return new rocksdb_optimistictransactiondb_lock_buckets_t{
      MakeSharedOccLockBuckets(bucket_count, cache_aligned != 0)};
}
void rocksdb_optimistictransactiondb_lock_buckets_destroy(
    rocksdb_optimistictransactiondb_lock_buckets_t* lock_buckets) {
  delete lock_buckets;
}
size_t rocksdb_optimistictransactiondb_lock_buckets_approximate_memory_usage(
    rocksdb_optimistictransactiondb_lock_buckets_t* lock_buckets) {
  return lock_buckets->rep->ApproximateMemoryUsage();
}
void rocksdb_optimistictransactiondb_options_set_shared_lock_buckets(
    rocksdb_optimistictransactiondb_options_t* opt,
    rocksdb_optimistictransactiondb_lock_buckets_t* lock_buckets) {
  opt->rep.shared_lock_buckets = lock_buckets == nullptr ? nullptr : lock_buckets->rep;
}

rocksdb_optimistictransactiondb_t* rocksdb_optimistictransactiondb_open(
    const rocksdb_options_t* options, const char* name, char** errptr) {
  return OpenDefault(options, OptimisticTransactionDBOptions(), name, errptr);
}
rocksdb_optimistictransactiondb_t* rocksdb_optimistictransactiondb_open_column_families(
    const rocksdb_options_t* options, const char* name, int num_column_families,
    const char* const* column_family_names, const rocksdb_options_t* const* column_family_options,
    rocksdb_column_family_handle_t** column_family_handles, char** errptr) {
  return OpenFamilies(options, OptimisticTransactionDBOptions(), name, num_column_families,
                      column_family_names, column_family_options, column_family_handles, errptr);
}
rocksdb_optimistictransactiondb_t* rocksdb_optimistictransactiondb_open_with_otxn_db_options(
    const rocksdb_options_t* options,
    const rocksdb_optimistictransactiondb_options_t* otxn_db_options, const char* name,
    char** errptr) {
  return OpenDefault(options, otxn_db_options->rep, name, errptr);
}
rocksdb_optimistictransactiondb_t*
rocksdb_optimistictransactiondb_open_column_families_with_otxn_db_options(
    const rocksdb_options_t* options,
    const rocksdb_optimistictransactiondb_options_t* otxn_db_options, const char* name,
    int num_column_families, const char* const* column_family_names,
    const rocksdb_options_t* const* column_family_options,
    rocksdb_column_family_handle_t** column_family_handles, char** errptr) {
  return OpenFamilies(options, otxn_db_options->rep, name, num_column_families, column_family_names,
                      column_family_options, column_family_handles, errptr);
}
void rocksdb_optimistictransactiondb_close(rocksdb_optimistictransactiondb_t* otxn_db) {
  delete otxn_db;
}
rocksdb_t* rocksdb_optimistictransactiondb_get_base_db(rocksdb_optimistictransactiondb_t* otxn_db) {
  return cairn::LendBase(otxn_db->rep.get());
}
void rocksdb_optimistictransactiondb_close_base_db(rocksdb_t* base_db) { cairn::EndLoan(base_db); }

rocksdb_transaction_t* rocksdb_optimistictransaction_begin(
    rocksdb_optimistictransactiondb_t* otxn_db, const rocksdb_writeoptions_t* write_options,
    const rocksdb_optimistictransaction_options_t* otxn_options, rocksdb_transaction_t* old_txn) {
  return cairn::Begin(otxn_db->rep.get(), write_options->rep, otxn_options->rep, old_txn);
}
void rocksdb_optimistictransactiondb_write(rocksdb_optimistictransactiondb_t* otxn_db,
                                           const rocksdb_writeoptions_t* options,
                                           rocksdb_writebatch_t* batch, char** errptr) {
  Report(errptr, otxn_db->rep->Write(options->rep, &batch->rep));
}
char* rocksdb_optimistictransactiondb_property_value(rocksdb_optimistictransactiondb_t* db,
                                                     const char* propname) {
  return cairn::PropertyOf(db->rep.get(), propname);
}
int rocksdb_optimistictransactiondb_property_int(rocksdb_optimistictransactiondb_t* db,
                                                 const char* propname, uint64_t* out_val) {
  return db->rep->GetIntProperty(propname, out_val) ? 0 : -1;
}

}  // extern "C"
