// The C interface: the files of a column family, by level, and of all; waiting for compactions.
#include <chrono>

#include <optional>
#include "c/c_live_files.h"

#include "c/c_objects.h"
#include "rocksdb/metadata.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

struct rocksdb_column_family_metadata_t {
  ColumnFamilyMetaData rep;
};
struct rocksdb_column_family_metadata_options_t {
  int level = -1;
  std::optional<std::string> start, end;
};
// The parents own what these show.
struct rocksdb_level_metadata_t {
  const LevelMetaData* rep;
};
struct rocksdb_sst_file_metadata_t {
  const SstFileMetaData* rep;
};
struct rocksdb_wait_for_compact_options_t {
  WaitForCompactOptions rep;
};

using cairn::CopyBytes;
using cairn::CopyString;

namespace {

void Keep(const char* key, size_t size, std::optional<std::string>* kept) {
  if (key == nullptr) {
    kept->reset();
  } else {
    kept->emplace(key, size);
  }
}
const char* Show(const std::optional<std::string>& kept, size_t* size) {
  *size = kept ? kept->size() : 0;
  return kept ? kept->data() : nullptr;
}
OptSlice InCpp(const std::optional<std::string>& kept) {
  return kept ? OptSlice(*kept) : OptSlice();
}
rocksdb_column_family_metadata_t* MetadataOf(
    rocksdb_t* db, ColumnFamilyHandle* family,
    const rocksdb_column_family_metadata_options_t& options) {
  auto* const meta = new rocksdb_column_family_metadata_t;
  db->rep->GetColumnFamilyMetaData(
      family,
      GetColumnFamilyMetaDataOptions(InCpp(options.start), InCpp(options.end), options.level),
      &meta->rep);
  return meta;
}

}  // namespace

extern "C" {

rocksdb_column_family_metadata_t* rocksdb_get_column_family_metadata(rocksdb_t* db) {
  auto* const meta = new rocksdb_column_family_metadata_t;
  db->rep->GetColumnFamilyMetaData(&meta->rep);
  return meta;
}
rocksdb_column_family_metadata_t* rocksdb_get_column_family_metadata_cf(
    rocksdb_t* db, rocksdb_column_family_handle_t* column_family) {
  auto* const meta = new rocksdb_column_family_metadata_t;
  db->rep->GetColumnFamilyMetaData(column_family->rep, &meta->rep);
  return meta;
}
void rocksdb_column_family_metadata_destroy(rocksdb_column_family_metadata_t* cf_meta) {
  delete cf_meta;
}
uint64_t rocksdb_column_family_metadata_get_size(rocksdb_column_family_metadata_t* cf_meta) {
  return cf_meta->rep.size;
}
size_t rocksdb_column_family_metadata_get_file_count(rocksdb_column_family_metadata_t* cf_meta) {
  return cf_meta->rep.file_count;
}
char* rocksdb_column_family_metadata_get_name(rocksdb_column_family_metadata_t* cf_meta) {
  return CopyString(cf_meta->rep.name);
}
size_t rocksdb_column_family_metadata_get_level_count(rocksdb_column_family_metadata_t* cf_meta) {
  return cf_meta->rep.levels.size();
}
rocksdb_level_metadata_t* rocksdb_column_family_metadata_get_level_metadata(
    rocksdb_column_family_metadata_t* cf_meta, size_t i) {
  if (i >= cf_meta->rep.levels.size()) return nullptr;
  return new rocksdb_level_metadata_t{&cf_meta->rep.levels[i]};
}

void rocksdb_level_metadata_destroy(rocksdb_level_metadata_t* level_meta) { delete level_meta; }
int rocksdb_level_metadata_get_level(rocksdb_level_metadata_t* level_meta) {
  return level_meta->rep->level;
}
uint64_t rocksdb_level_metadata_get_size(rocksdb_level_metadata_t* level_meta) {
  return level_meta->rep->size;
}
size_t rocksdb_level_metadata_get_file_count(rocksdb_level_metadata_t* level_meta) {
  return level_meta->rep->files.size();
}
rocksdb_sst_file_metadata_t* rocksdb_level_metadata_get_sst_file_metadata(
    rocksdb_level_metadata_t* level_meta, size_t i) {
  if (i >= level_meta->rep->files.size()) return nullptr;
  return new rocksdb_sst_file_metadata_t{&level_meta->rep->files[i]};
}

void rocksdb_sst_file_metadata_destroy(rocksdb_sst_file_metadata_t* file_meta) { delete file_meta; }
char* rocksdb_sst_file_metadata_get_relative_filename(rocksdb_sst_file_metadata_t* file_meta) {
  return CopyString(file_meta->rep->relative_filename);
}
char* rocksdb_sst_file_metadata_get_directory(rocksdb_sst_file_metadata_t* file_meta) {
  return CopyString(file_meta->rep->directory);
}
uint64_t rocksdb_sst_file_metadata_get_size(rocksdb_sst_file_metadata_t* file_meta) {
  return file_meta->rep->size;
}
char* rocksdb_sst_file_metadata_get_smallestkey(rocksdb_sst_file_metadata_t* file_meta,
                                                size_t* len) {
  *len = file_meta->rep->smallestkey.size();
  return CopyBytes(file_meta->rep->smallestkey);
}
char* rocksdb_sst_file_metadata_get_largestkey(rocksdb_sst_file_metadata_t* file_meta,
                                               size_t* len) {
  *len = file_meta->rep->largestkey.size();
  return CopyBytes(file_meta->rep->largestkey);
}

const rocksdb_livefiles_t* rocksdb_livefiles(rocksdb_t* db) {
  auto* const files = new rocksdb_livefiles_t;
  db->rep->GetLiveFilesMetaData(&files->rep);
  return files;
}
void rocksdb_livefiles_destroy(const rocksdb_livefiles_t* files) { delete files; }
int rocksdb_livefiles_count(const rocksdb_livefiles_t* files) {
  return static_cast<int>(files->rep.size());
}
const char* rocksdb_livefiles_column_family_name(const rocksdb_livefiles_t* files, int index) {
  return (*files)[index].column_family_name.c_str();
}
const char* rocksdb_livefiles_name(const rocksdb_livefiles_t* files, int index) {
  return (*files)[index].name.c_str();
}
int rocksdb_livefiles_level(const rocksdb_livefiles_t* files, int index) {
  return (*files)[index].level;
}
size_t rocksdb_livefiles_size(const rocksdb_livefiles_t* files, int index) {
  return (*files)[index].size;
}
const char* rocksdb_livefiles_smallestkey(const rocksdb_livefiles_t* files, int index,
                                          size_t* size) {
  *size = (*files)[index].smallestkey.size();
  return (*files)[index].smallestkey.data();
}
const char* rocksdb_livefiles_largestkey(const rocksdb_livefiles_t* files, int index,
                                         size_t* size) {
  *size = (*files)[index].largestkey.size();
  return (*files)[index].largestkey.data();
}
uint64_t rocksdb_livefiles_entries(const rocksdb_livefiles_t* files, int index) {
  return (*files)[index].num_entries;
}
uint64_t rocksdb_livefiles_deletions(const rocksdb_livefiles_t* files, int index) {
  return (*files)[index].num_deletions;
}

rocksdb_wait_for_compact_options_t* rocksdb_wait_for_compact_options_create() {
  return new rocksdb_wait_for_compact_options_t;
}
void rocksdb_wait_for_compact_options_destroy(rocksdb_wait_for_compact_options_t* opt) {
  delete opt;
}
CAIRN_C_SETTER(wait_for_compact_options, unsigned char, abort_on_pause)
CAIRN_C_SETTER(wait_for_compact_options, unsigned char, flush)
CAIRN_C_SETTER(wait_for_compact_options, unsigned char, close_db)
CAIRN_C_OPTION(wait_for_compact_options, unsigned char, wait_for_purge)
unsigned char rocksdb_wait_for_compact_options_get_abort_on_pause(
    rocksdb_wait_for_compact_options_t* opt) {
  return static_cast<unsigned char>(opt->rep.abort_on_pause);
}
unsigned char rocksdb_wait_for_compact_options_get_flush(rocksdb_wait_for_compact_options_t* opt) {
  return static_cast<unsigned char>(opt->rep.flush);
}
unsigned char rocksdb_wait_for_compact_options_get_close_db(
    rocksdb_wait_for_compact_options_t* opt) {
  return static_cast<unsigned char>(opt->rep.close_db);
}
void rocksdb_wait_for_compact_options_set_timeout(rocksdb_wait_for_compact_options_t* opt,
                                                  uint64_t microseconds) {
  opt->rep.timeout = std::chrono::microseconds(microseconds);
}
uint64_t rocksdb_wait_for_compact_options_get_timeout(rocksdb_wait_for_compact_options_t* opt) {
  return static_cast<uint64_t>(opt->rep.timeout.count());
}
void rocksdb_wait_for_compact(rocksdb_t* db, rocksdb_wait_for_compact_options_t* options,
                              char** errptr) {
  cairn::Report(errptr, db->rep->WaitForCompact(options->rep));
}

rocksdb_column_family_metadata_options_t* rocksdb_column_family_metadata_options_create(void) {
  return new rocksdb_column_family_metadata_options_t;
}
void rocksdb_column_family_metadata_options_destroy(
    rocksdb_column_family_metadata_options_t* options) {
  delete options;
}
void rocksdb_column_family_metadata_options_set_level(rocksdb_column_family_metadata_options_t* opt,
                                                      int v) {
  opt->level = v;
}
int rocksdb_column_family_metadata_options_get_level(
    rocksdb_column_family_metadata_options_t* opt) {
  return opt->level;
}
void rocksdb_column_family_metadata_options_set_start_key(
    rocksdb_column_family_metadata_options_t* options, const char* key, size_t key_len) {
  Keep(key, key_len, &options->start);
}
void rocksdb_column_family_metadata_options_set_end_key(
    rocksdb_column_family_metadata_options_t* options, const char* key, size_t key_len) {
  Keep(key, key_len, &options->end);
}
const char* rocksdb_column_family_metadata_options_get_start_key(
    const rocksdb_column_family_metadata_options_t* options, size_t* key_len) {
  return Show(options->start, key_len);
}
const char* rocksdb_column_family_metadata_options_get_end_key(
    const rocksdb_column_family_metadata_options_t* options, size_t* key_len) {
  return Show(options->end, key_len);
}
rocksdb_column_family_metadata_t* rocksdb_get_column_family_metadata_with_options(
    rocksdb_t* db, const rocksdb_column_family_metadata_options_t* options) {
  return MetadataOf(db, db->rep->DefaultColumnFamily(), *options);
}
rocksdb_column_family_metadata_t* rocksdb_get_column_family_metadata_cf_with_options(
    rocksdb_t* db, rocksdb_column_family_handle_t* column_family,
    const rocksdb_column_family_metadata_options_t* options) {
  return MetadataOf(db, column_family->rep, *options);
}

}  // extern "C"
