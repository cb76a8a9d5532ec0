// The C interface: exported families and their import (rocksdb/c_import.h).
#include <utility>

#include "c/c_answers.h"
#include "c/c_checkpoint.h"
#include "c/c_live_files.h"
#include "c/c_objects.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

struct rocksdb_export_import_files_metadata_t {
  std::unique_ptr<ExportImportFilesMetaData> rep;
};
struct rocksdb_import_column_family_options_t {
  ImportColumnFamilyOptions rep;
};
struct rocksdb_livefile_t {
  LiveFileMetaData rep;
};

extern "C" {

rocksdb_export_import_files_metadata_t* rocksdb_checkpoint_export_column_family(
    rocksdb_checkpoint_t* checkpoint, rocksdb_column_family_handle_t* column_family,
    const char* export_dir, char** errptr) {
  ExportImportFilesMetaData* made = nullptr;
  const Status s = checkpoint->rep->ExportColumnFamily(column_family->rep, export_dir, &made);
  if (!cairn::Report(errptr, s)) return nullptr;
  return new rocksdb_export_import_files_metadata_t{
      std::unique_ptr<ExportImportFilesMetaData>(made)};
}
rocksdb_column_family_handle_t* rocksdb_create_column_family_with_import(
    rocksdb_t* db, rocksdb_options_t* column_family_options, const char* column_family_name,
    rocksdb_import_column_family_options_t* import_options,
    rocksdb_export_import_files_metadata_t* metadata, char** errptr) {
  ColumnFamilyHandle* handle = nullptr;
  const Status s = db->rep->CreateColumnFamilyWithImport(
      ColumnFamilyOptions(column_family_options->rep), column_family_name, import_options->rep,
      *metadata->rep, &handle);
  if (!cairn::Report(errptr, s)) return nullptr;
  return cairn::Own(handle);
}

rocksdb_import_column_family_options_t* rocksdb_import_column_family_options_create() {
  return new rocksdb_import_column_family_options_t;
}
void rocksdb_import_column_family_options_destroy(rocksdb_import_column_family_options_t* opt) {
  delete opt;
}
CAIRN_C_OPTION(import_column_family_options, unsigned char, move_files)

rocksdb_export_import_files_metadata_t* rocksdb_export_import_files_metadata_create() {
  return new rocksdb_export_import_files_metadata_t{std::make_unique<ExportImportFilesMetaData>()};
}
void rocksdb_export_import_files_metadata_destroy(
    rocksdb_export_import_files_metadata_t* metadata) {
  delete metadata;
}
char* rocksdb_export_import_files_metadata_get_db_comparator_name(
    rocksdb_export_import_files_metadata_t* metadata) {
  return cairn::CopyString(metadata->rep->db_comparator_name);
}
void rocksdb_export_import_files_metadata_set_db_comparator_name(
    rocksdb_export_import_files_metadata_t* metadata, const char* name) {
  metadata->rep->db_comparator_name = name;
}
rocksdb_livefiles_t* rocksdb_export_import_files_metadata_get_files(
    rocksdb_export_import_files_metadata_t* metadata) {
  return new rocksdb_livefiles_t{metadata->rep->files};
}
void rocksdb_export_import_files_metadata_set_files(
    rocksdb_export_import_files_metadata_t* metadata, rocksdb_livefiles_t* files) {
  metadata->rep->files = std::move(files->rep);
  delete files;
}

rocksdb_livefiles_t* rocksdb_livefiles_create() { return new rocksdb_livefiles_t; }
void rocksdb_livefiles_add(rocksdb_livefiles_t* files, rocksdb_livefile_t* livefile) {
  files->rep.push_back(std::move(livefile->rep));
  delete livefile;
}
rocksdb_livefile_t* rocksdb_livefile_create() { return new rocksdb_livefile_t; }
void rocksdb_livefile_destroy(rocksdb_livefile_t* livefile) { delete livefile; }
void rocksdb_livefile_set_column_family_name(rocksdb_livefile_t* livefile,
                                             const char* column_family_name) {
  livefile->rep.column_family_name = column_family_name;
}
CAIRN_C_SETTER(livefile, int, level)
CAIRN_C_SETTER(livefile, size_t, size)
CAIRN_C_SETTER(livefile, uint64_t, smallest_seqno)
CAIRN_C_SETTER(livefile, uint64_t, largest_seqno)
CAIRN_C_SETTER(livefile, uint64_t, num_entries)
CAIRN_C_SETTER(livefile, uint64_t, num_deletions)
void rocksdb_livefile_set_name(rocksdb_livefile_t* livefile, const char* name) {
  livefile->rep.name = name;
  livefile->rep.relative_filename = name[0] == '/' ? name + 1 : name;
}
void rocksdb_livefile_set_directory(rocksdb_livefile_t* livefile, const char* directory) {
  livefile->rep.directory = livefile->rep.db_path = directory;
}
void rocksdb_livefile_set_smallest_key(rocksdb_livefile_t* livefile, const char* smallest_key,
                                       size_t smallest_key_len) {
  livefile->rep.smallestkey.assign(smallest_key, smallest_key_len);
}
void rocksdb_livefile_set_largest_key(rocksdb_livefile_t* livefile, const char* largest_key,
                                      size_t largest_key_len) {
  livefile->rep.largestkey.assign(largest_key, largest_key_len);
}

const char* rocksdb_livefiles_directory(const rocksdb_livefiles_t* files, int index) {
  const LiveFileMetaData& file = (*files)[index];
  return (file.directory.empty() ? file.db_path : file.directory).c_str();
}
uint64_t rocksdb_livefiles_smallest_seqno(const rocksdb_livefiles_t* files, int index) {
  return (*files)[index].smallest_seqno;
}
uint64_t rocksdb_livefiles_largest_seqno(const rocksdb_livefiles_t* files, int index) {
  return (*files)[index].largest_seqno;
}

}  // extern "C"
