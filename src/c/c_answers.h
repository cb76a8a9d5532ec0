// How statuses, values, handles and iterators become what the functions of rocksdb/c.h return.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "c/c_objects.h"

namespace cairn {

// What Get() and its kin return: malloc()ed, or null if there is no value or `s` was reported.
inline char* ValueOrNull(const rocksdb::Status& s, const rocksdb::Slice& value, size_t* vallen,
                         char** errptr) {
  *vallen = 0;
  if (s.IsNotFound() || !Report(errptr, s)) return nullptr;
  *vallen = value.size();
  return CopyBytes(value);
}

// get(PinnableSlice*) gives the status. (Inlined: they stand in each point lookup through C.)
template <class Get>
[[gnu::always_inline]] inline char* GetBy(size_t* vallen, char** errptr, const Get& get) {
  rocksdb::PinnableSlice value;
  const rocksdb::Status s = get(&value);
  return ValueOrNull(s, value, vallen, errptr);
}
template <class Get>
[[gnu::always_inline]] inline rocksdb_pinnableslice_t* GetPinnedBy(char** errptr, const Get& get) {
  auto value = std::make_unique<rocksdb_pinnableslice_t>();
  const rocksdb::Status s = get(&value->rep);
  if (s.IsNotFound() || !Report(errptr, s)) return nullptr;
  return value.release();
}

// The answers of many reads, into the caller's arrays.
template <class Value>
void GiveAnswers(const std::vector<rocksdb::Status>& statuses, const std::vector<Value>& values,
                 char** values_list, size_t* values_list_sizes, char** errs) {
  for (size_t i = 0; i < statuses.size(); ++i) {
    values_list[i] = statuses[i].ok() ? CopyBytes(values[i]) : nullptr;
    values_list_sizes[i] = statuses[i].ok() ? values[i].size() : 0;
    errs[i] = ErrorOf(statuses[i]);
  }
}

// Keys of one column family.
inline void MultiGetFrom(rocksdb::DB* db, const rocksdb::ReadOptions& options,
                         rocksdb::ColumnFamilyHandle* family,
                         const std::vector<rocksdb::Slice>& keys, char** values_list,
                         size_t* values_list_sizes, char** errs) {
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> statuses(keys.size());
  db->MultiGet(options, family, keys.size(), keys.data(), values.data(), statuses.data(),
               /*sorted_input=*/false);
  GiveAnswers(statuses, values, values_list, values_list_sizes, errs);
}
// Each key with its column family.
inline void MultiGetFrom(rocksdb::DB* db, const rocksdb::ReadOptions& options,
                         std::vector<rocksdb::ColumnFamilyHandle*> families,
                         const std::vector<rocksdb::Slice>& keys, char** values_list,
                         size_t* values_list_sizes, char** errs) {
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> statuses(keys.size());
  db->MultiGet(options, keys.size(), families.data(), keys.data(), values.data(), statuses.data(),
               /*sorted_input=*/false);
  GiveAnswers(statuses, values, values_list, values_list_sizes, errs);
}

inline std::vector<rocksdb::ColumnFamilyHandle*> Handles(
    size_t n, const rocksdb_column_family_handle_t* const* families) {
  std::vector<rocksdb::ColumnFamilyHandle*> out;
  out.reserve(n);
  for (size_t i = 0; i < n; ++i) out.push_back(families[i]->rep);
  return out;
}

inline rocksdb_iterator_t* Own(rocksdb::Iterator* iterator) {
  return new rocksdb_iterator_t{std::unique_ptr<rocksdb::Iterator>(iterator)};
}
inline rocksdb_column_family_handle_t* Own(rocksdb::ColumnFamilyHandle* handle) {
  return new rocksdb_column_family_handle_t{handle,
                                            std::unique_ptr<rocksdb::ColumnFamilyHandle>(handle)};
}
inline rocksdb_column_family_handle_t* CreateFamily(rocksdb::DB* db,
                                                    const rocksdb_options_t* options,
                                                    const char* name, char** errptr) {
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  const rocksdb::ColumnFamilyOptions family_options(options->rep);
  return Report(errptr, db->CreateColumnFamily(family_options, name, &handle)) ? Own(handle)
                                                                               : nullptr;
}

// Opens a database with `count` column families and gives out their handles: null on failure.
// open_by(descriptors, vector of handles, Database**) gives the status.
template <class Database, class OpenFunction>
std::unique_ptr<Database> OpenFamilies(int count, const char* const* names,
                                       const rocksdb_options_t* const* options,
                                       rocksdb_column_family_handle_t** handles, char** errptr,
                                       const OpenFunction& open_by) {
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (int i = 0; i < count; ++i) {
    families.emplace_back(names[i], rocksdb::ColumnFamilyOptions(options[i]->rep));
  }
  Database* db = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> opened;
  if (!Report(errptr, open_by(families, &opened, &db))) return nullptr;
  for (size_t i = 0; i < opened.size(); ++i) handles[i] = Own(opened[i]);
  return std::unique_ptr<Database>(db);
}

inline char* PropertyOf(rocksdb::DB* db, const char* propname) {
  std::string value;
  return db->GetProperty(propname, &value) ? CopyString(value) : nullptr;
}

}  // namespace cairn
