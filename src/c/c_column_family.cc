// The C interface: column families.
#include <algorithm>
#include <string>
#include <vector>

#include "c/c_answers.h"
#include "c/c_objects.h"
#include "rocksdb/utilities/db_ttl.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API
using cairn::Bound;
using cairn::CopyBytes;
using cairn::Handles;
using cairn::Own;
using cairn::Report;
using cairn::Slices;

namespace {

template <class OpenFunction>
rocksdb_t* Open(int count, const char* const* names, const rocksdb_options_t* const* options,
                rocksdb_column_family_handle_t** handles, char** errptr,
                const OpenFunction& function) {
  std::unique_ptr<DB> db =
      cairn::OpenFamilies<DB>(count, names, options, handles, errptr, function);
  return db == nullptr ? nullptr : new rocksdb_t{std::move(db)};
}

}  // namespace

extern "C" {

rocksdb_t* rocksdb_open_column_families(const rocksdb_options_t* options, const char* name,
                                        int num_column_families,
                                        const char* const* column_family_names,
                                        const rocksdb_options_t* const* column_family_options,
                                        rocksdb_column_family_handle_t** column_family_handles,
                                        char** errptr) {
  return Open(num_column_families, column_family_names, column_family_options,
              column_family_handles, errptr, [&](const auto& families, auto* handles, DB** db) {
                return DB::Open(DBOptions(options->rep), name, families, handles, db);
              });
}
rocksdb_t* rocksdb_open_and_trim_history(const rocksdb_options_t* options, const char* name,
                                         int num_column_families,
                                         const char* const* column_family_names,
                                         const rocksdb_options_t* const* column_family_options,
                                         rocksdb_column_family_handle_t** column_family_handles,
                                         char* trim_ts, size_t trim_tslen, char** errptr) {
  return Open(num_column_families, column_family_names, column_family_options,
              column_family_handles, errptr, [&](const auto& families, auto* handles, DB** db) {
                return DB::OpenAndTrimHistory(DBOptions(options->rep), name, families, handles, db,
                                              std::string(trim_ts, trim_tslen));
              });
}
rocksdb_t* rocksdb_open_for_read_only_column_families(
    const rocksdb_options_t* options, const char* name, int num_column_families,
    const char* const* column_family_names, const rocksdb_options_t* const* column_family_options,
    rocksdb_column_family_handle_t** column_family_handles, unsigned char error_if_wal_file_exists,
    char** errptr) {
  return Open(num_column_families, column_family_names, column_family_options,
              column_family_handles, errptr, [&](const auto& families, auto* handles, DB** db) {
                return DB::OpenForReadOnly(DBOptions(options->rep), name, families, handles, db,
                                           error_if_wal_file_exists != 0);
              });
}
rocksdb_t* rocksdb_open_as_secondary_column_families(
    const rocksdb_options_t* options, const char* name, const char* secondary_path,
    int num_column_families, const char* const* column_family_names,
    const rocksdb_options_t* const* column_family_options,
    rocksdb_column_family_handle_t** column_family_handles, char** errptr) {
  return Open(num_column_families, column_family_names, column_family_options,
              column_family_handles, errptr, [&](const auto& families, auto* handles, DB** db) {
                return DB::OpenAsSecondary(DBOptions(options->rep), name, secondary_path, families,
                                           handles, db);
              });
}
rocksdb_column_family_handle_t* rocksdb_create_column_family(
    rocksdb_t* db, const rocksdb_options_t* column_family_options, const char* column_family_name,
    char** errptr) {
  return cairn::CreateFamily(db->rep.get(), column_family_options, column_family_name, errptr);
}
rocksdb_t* rocksdb_open_with_ttl(const rocksdb_options_t* options, const char* name, int ttl,
                                 char** errptr) {
  DBWithTTL* db = nullptr;
  if (!Report(errptr, DBWithTTL::Open(options->rep, name, &db, ttl))) return nullptr;
  return new rocksdb_t{std::unique_ptr<DB>(db)};
}
rocksdb_t* rocksdb_open_column_families_with_ttl(
    const rocksdb_options_t* options, const char* name, int num_column_families,
    const char* const* column_family_names, const rocksdb_options_t* const* column_family_options,
    rocksdb_column_family_handle_t** column_family_handles, const int* ttls, char** errptr) {
  return Open(num_column_families, column_family_names, column_family_options,
              column_family_handles, errptr, [&](const auto& families, auto* handles, DB** db) {
                DBWithTTL* ttl_db = nullptr;
                const Status s = DBWithTTL::Open(DBOptions(options->rep), name, families, handles,
                                                 &ttl_db, {ttls, ttls + num_column_families});
                *db = ttl_db;
                return s;
              });
}
rocksdb_column_family_handle_t* rocksdb_create_column_family_with_ttl(
    rocksdb_t* db, const rocksdb_options_t* column_family_options, const char* column_family_name,
    int ttl, char** errptr) {
  auto* const ttl_db = dynamic_cast<DBWithTTL*>(db->rep.get());
  if (ttl_db == nullptr) {
    Report(errptr, Status::InvalidArgument("the database was opened without ttl"));
    return nullptr;
  }
  ColumnFamilyHandle* handle = nullptr;
  const ColumnFamilyOptions options(column_family_options->rep);
  const Status s = ttl_db->CreateColumnFamilyWithTtl(options, column_family_name, &handle, ttl);
  return Report(errptr, s) ? Own(handle) : nullptr;
}
rocksdb_column_family_handle_t** rocksdb_create_column_families(
    rocksdb_t* db, const rocksdb_options_t* column_family_options, int num_column_families,
    const char* const* column_family_names, size_t* lencfs, char** errptr) {
  const std::vector<std::string> names(column_family_names,
                                       column_family_names + num_column_families);
  std::vector<ColumnFamilyHandle*> made;
  Report(errptr, db->rep->CreateColumnFamilies(ColumnFamilyOptions(column_family_options->rep),
                                               names, &made));
  auto** const list = static_cast<rocksdb_column_family_handle_t**>(
      std::malloc(sizeof(rocksdb_column_family_handle_t*) * std::max<size_t>(made.size(), 1)));
  for (size_t i = 0; i < made.size(); ++i) list[i] = Own(made[i]);
  *lencfs = made.size();
  return list;
}
void rocksdb_create_column_families_destroy(rocksdb_column_family_handle_t** list) {
  std::free(list);
}
void rocksdb_drop_column_family(rocksdb_t* db, rocksdb_column_family_handle_t* handle,
                                char** errptr) {
  Report(errptr, db->rep->DropColumnFamily(handle->rep));
}
uint32_t rocksdb_column_family_handle_get_id(rocksdb_column_family_handle_t* handle) {
  return handle->rep->GetID();
}
char* rocksdb_column_family_handle_get_name(rocksdb_column_family_handle_t* handle,
                                            size_t* name_len) {
  const std::string& name = handle->rep->GetName();
  *name_len = name.size();
  return CopyBytes(name);
}

void rocksdb_singledelete_cf(rocksdb_t* db, const rocksdb_writeoptions_t* options,
                             rocksdb_column_family_handle_t* column_family, const char* key,
                             size_t keylen, char** errptr) {
  Report(errptr, db->rep->SingleDelete(options->rep, column_family->rep, Slice(key, keylen)));
}
void rocksdb_writebatch_singledelete_cf(rocksdb_writebatch_t* b,
                                        rocksdb_column_family_handle_t* column_family,
                                        const char* key, size_t klen) {
  b->rep.SingleDelete(column_family->rep, Slice(key, klen)).PermitUncheckedError();
}
void rocksdb_multi_get_cf(rocksdb_t* db, const rocksdb_readoptions_t* options,
                          const rocksdb_column_family_handle_t* const* column_families,
                          size_t num_keys, const char* const* keys_list,
                          const size_t* keys_list_sizes, char** values_list,
                          size_t* values_list_sizes, char** errs) {
  cairn::MultiGetFrom(db->rep.get(), options->rep, Handles(num_keys, column_families),
                      Slices(num_keys, keys_list, keys_list_sizes), values_list, values_list_sizes,
                      errs);
}
unsigned char rocksdb_key_may_exist_cf(rocksdb_t* db, const rocksdb_readoptions_t* options,
                                       rocksdb_column_family_handle_t* column_family,
                                       const char* key, size_t key_len, char** value,
                                       size_t* val_len, const char* /*timestamp*/,
                                       size_t /*timestamp_len*/, unsigned char* value_found) {
  std::string found;
  bool has_value = false;
  const bool may = db->rep->KeyMayExist(options->rep, column_family->rep, Slice(key, key_len),
                                        &found, &has_value);
  if (value_found != nullptr) *value_found = static_cast<unsigned char>(has_value);
  if (has_value && value != nullptr) {
    *value = CopyBytes(found);
    if (val_len != nullptr) *val_len = found.size();
  }
  return static_cast<unsigned char>(may);
}
void rocksdb_create_iterators(rocksdb_t* db, rocksdb_readoptions_t* opts,
                              rocksdb_column_family_handle_t** column_families,
                              rocksdb_iterator_t** iterators, size_t size, char** errptr) {
  std::vector<Iterator*> made;
  if (!Report(errptr, db->rep->NewIterators(opts->rep, Handles(size, column_families), &made))) {
    return;
  }
  for (size_t i = 0; i < size; ++i) iterators[i] = Own(made[i]);
}
int rocksdb_property_int_cf(rocksdb_t* db, rocksdb_column_family_handle_t* column_family,
                            const char* propname, uint64_t* out_val) {
  return db->rep->GetIntProperty(column_family->rep, propname, out_val) ? 0 : -1;
}
void rocksdb_approximate_sizes_cf(rocksdb_t* db, rocksdb_column_family_handle_t* column_family,
                                  int num_ranges, const char* const* range_start_key,
                                  const size_t* range_start_key_len,
                                  const char* const* range_limit_key,
                                  const size_t* range_limit_key_len, uint64_t* sizes,
                                  char** errptr) {
  rocksdb_approximate_sizes_cf_with_flags(
      db, column_family, num_ranges, range_start_key, range_start_key_len, range_limit_key,
      range_limit_key_len, rocksdb_size_approximation_flags_include_files, sizes, errptr);
}
void rocksdb_approximate_sizes_cf_with_flags(
    rocksdb_t* db, rocksdb_column_family_handle_t* column_family, int num_ranges,
    const char* const* range_start_key, const size_t* range_start_key_len,
    const char* const* range_limit_key, const size_t* range_limit_key_len, uint8_t include_flags,
    uint64_t* sizes, char** errptr) {
  const std::vector<Range> ranges = cairn::Ranges(num_ranges, range_start_key, range_start_key_len,
                                                  range_limit_key, range_limit_key_len);
  const auto has = [include_flags](int flag) { return (include_flags & flag) != 0; };
  SizeApproximationOptions what;
  what.include_memtables = has(rocksdb_size_approximation_flags_include_memtable);
  what.include_files = has(rocksdb_size_approximation_flags_include_files);
  what.include_blob_files = has(rocksdb_size_approximation_flags_include_blob_files);
  Report(errptr,
         db->rep->GetApproximateSizes(what, column_family->rep, ranges.data(), num_ranges, sizes));
}
void rocksdb_compact_range_cf(rocksdb_t* db, rocksdb_column_family_handle_t* column_family,
                              const char* start_key, size_t start_key_len, const char* limit_key,
                              size_t limit_key_len) {
  const Bound start(start_key, start_key_len), limit(limit_key, limit_key_len);
  db->rep->CompactRange(CompactRangeOptions(), column_family->rep, start.use, limit.use)
      .PermitUncheckedError();
}
void rocksdb_compact_range_cf_opt(rocksdb_t* db, rocksdb_column_family_handle_t* column_family,
                                  rocksdb_compactoptions_t* opt, const char* start_key,
                                  size_t start_key_len, const char* limit_key,
                                  size_t limit_key_len) {
  const Bound start(start_key, start_key_len), limit(limit_key, limit_key_len);
  db->rep->CompactRange(opt->rep, column_family->rep, start.use, limit.use).PermitUncheckedError();
}
void rocksdb_flush_cf(rocksdb_t* db, const rocksdb_flushoptions_t* options,
                      rocksdb_column_family_handle_t* column_family, char** errptr) {
  Report(errptr, db->rep->Flush(options->rep, column_family->rep));
}
void rocksdb_flush_cfs(rocksdb_t* db, const rocksdb_flushoptions_t* options,
                       rocksdb_column_family_handle_t** column_families, int num_column_families,
                       char** errptr) {
  Report(errptr, db->rep->Flush(options->rep, Handles(num_column_families, column_families)));
}

}  // extern "C"
