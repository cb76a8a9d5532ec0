// The C interface: a database's files: sizes, logs, what a copy consists of, compaction of chosen
// files.
#include "c/c_listener_objects.h"
#include "c/c_objects.h"
#include "rocksdb/metadata.h"
#include "rocksdb/transaction_log.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API
using cairn::Report;

struct rocksdb_size_approximation_options_t {
  SizeApproximationOptions rep;
};
struct rocksdb_livefiles_storage_info_options_t {
  LiveFilesStorageInfoOptions rep;
};
struct rocksdb_livefiles_storage_info_t {
  std::vector<LiveFileStorageInfo> rep;
};
struct rocksdb_compaction_options_t {
  CompactionOptions rep;
};
struct rocksdb_wal_file_t {
  std::unique_ptr<LogFile> rep;
  std::string path_name;
};
struct rocksdb_wal_files_t {
  std::vector<rocksdb_wal_file_t> rep;
};

namespace {

rocksdb_wal_file_t InC(std::unique_ptr<LogFile> file) {
  std::string name = file->PathName();
  return {std::move(file), std::move(name)};
}

void ApproximateSizes(rocksdb_t* db, ColumnFamilyHandle* family,
                      const rocksdb_size_approximation_options_t* options,
                      const std::vector<Range>& ranges, uint64_t* sizes, char** errptr) {
  Report(errptr, db->rep->GetApproximateSizes(options->rep, family, ranges.data(),
                                              static_cast<int>(ranges.size()), sizes));
}

void CompactFiles(rocksdb_t* db, ColumnFamilyHandle* family,
                  const rocksdb_compaction_options_t* options, const char* const* input_file_names,
                  size_t num_input_file_names, int output_level, int output_path_id,
                  char*** output_file_names, size_t* num_output_file_names,
                  rocksdb_compactionjobinfo_t* info, char** errptr) {
  if (output_file_names != nullptr) *output_file_names = nullptr;
  if (num_output_file_names != nullptr) *num_output_file_names = 0;
  const std::vector<std::string> inputs(input_file_names, input_file_names + num_input_file_names);
  std::vector<std::string> outputs;
  const Status s = db->rep->CompactFiles(options->rep, family, inputs, output_level, output_path_id,
                                         &outputs, info == nullptr ? nullptr : info->owned.get());
  if (!Report(errptr, s) || output_file_names == nullptr || num_output_file_names == nullptr) {
    return;
  }
  *output_file_names = cairn::CopyStrings(outputs);
  if (*output_file_names != nullptr) *num_output_file_names = outputs.size();
}

}  // namespace

extern "C" {

void rocksdb_verify_file_checksums(rocksdb_t* db, char** errptr) {
  Report(errptr, db->rep->VerifyFileChecksums(ReadOptions()));
}
void rocksdb_verify_file_checksums_with_options(rocksdb_t* db, const rocksdb_readoptions_t* options,
                                                char** errptr) {
  Report(errptr, db->rep->VerifyFileChecksums(options->rep));
}

rocksdb_size_approximation_options_t* rocksdb_size_approximation_options_create() {
  return new rocksdb_size_approximation_options_t;
}
void rocksdb_size_approximation_options_destroy(rocksdb_size_approximation_options_t* options) {
  delete options;
}
CAIRN_C_OPTION(size_approximation_options, unsigned char, include_memtables)
CAIRN_C_OPTION(size_approximation_options, unsigned char, include_files)
CAIRN_C_OPTION(size_approximation_options, double, files_size_error_margin)
void rocksdb_approximate_sizes_with_options(rocksdb_t* db,
                                            const rocksdb_size_approximation_options_t* options,
                                            int num_ranges, const char* const* range_start_key,
                                            const size_t* range_start_key_len,
                                            const char* const* range_limit_key,
                                            const size_t* range_limit_key_len, uint64_t* sizes,
                                            char** errptr) {
  ApproximateSizes(db, db->rep->DefaultColumnFamily(), options,
                   cairn::Ranges(num_ranges, range_start_key, range_start_key_len, range_limit_key,
                                 range_limit_key_len),
                   sizes, errptr);
}
void rocksdb_approximate_sizes_cf_with_options(rocksdb_t* db,
                                               rocksdb_column_family_handle_t* column_family,
                                               const rocksdb_size_approximation_options_t* options,
                                               int num_ranges, const char* const* range_start_key,
                                               const size_t* range_start_key_len,
                                               const char* const* range_limit_key,
                                               const size_t* range_limit_key_len, uint64_t* sizes,
                                               char** errptr) {
  ApproximateSizes(db, column_family->rep, options,
                   cairn::Ranges(num_ranges, range_start_key, range_start_key_len, range_limit_key,
                                 range_limit_key_len),
                   sizes, errptr);
}

rocksdb_wal_files_t* rocksdb_get_sorted_wal_files(rocksdb_t* db, char** errptr) {
  VectorLogPtr found;
  if (!Report(errptr, db->rep->GetSortedWalFiles(found))) return nullptr;
  auto* const files = new rocksdb_wal_files_t;
  for (std::unique_ptr<LogFile>& file : found) files->rep.push_back(InC(std::move(file)));
  return files;
}
rocksdb_wal_file_t* rocksdb_get_current_wal_file(rocksdb_t* db, char** errptr) {
  std::unique_ptr<LogFile> found;
  if (!Report(errptr, db->rep->GetCurrentWalFile(&found))) return nullptr;
  return new rocksdb_wal_file_t(InC(std::move(found)));
}
size_t rocksdb_wal_files_count(const rocksdb_wal_files_t* files) { return files->rep.size(); }
const rocksdb_wal_file_t* rocksdb_wal_files_get_wal_file(const rocksdb_wal_files_t* files,
                                                         size_t index) {
  return index < files->rep.size() ? &files->rep[index] : nullptr;
}
void rocksdb_wal_files_destroy(rocksdb_wal_files_t* files) { delete files; }
void rocksdb_wal_file_destroy(rocksdb_wal_file_t* file) { delete file; }
const char* rocksdb_wal_file_path_name(const rocksdb_wal_file_t* file) {
  return file->path_name.c_str();
}
uint64_t rocksdb_wal_file_log_number(const rocksdb_wal_file_t* file) {
  return file->rep->LogNumber();
}
int rocksdb_wal_file_type(const rocksdb_wal_file_t* file) { return file->rep->Type(); }
uint64_t rocksdb_wal_file_start_sequence(const rocksdb_wal_file_t* file) {
  return file->rep->StartSequence();
}
uint64_t rocksdb_wal_file_size_file_bytes(const rocksdb_wal_file_t* file) {
  return file->rep->SizeFileBytes();
}

rocksdb_livefiles_storage_info_options_t* rocksdb_livefiles_storage_info_options_create() {
  return new rocksdb_livefiles_storage_info_options_t;
}
void rocksdb_livefiles_storage_info_options_destroy(
    rocksdb_livefiles_storage_info_options_t* options) {
  delete options;
}
CAIRN_C_OPTION(livefiles_storage_info_options, unsigned char, include_checksum_info)
CAIRN_C_OPTION(livefiles_storage_info_options, uint64_t, wal_size_for_flush)
rocksdb_livefiles_storage_info_t* rocksdb_get_livefiles_storage_info(
    rocksdb_t* db, const rocksdb_livefiles_storage_info_options_t* options, char** errptr) {
  std::vector<LiveFileStorageInfo> found;
  if (!Report(errptr, db->rep->GetLiveFilesStorageInfo(options->rep, &found))) return nullptr;
  return new rocksdb_livefiles_storage_info_t{std::move(found)};
}
size_t rocksdb_livefiles_storage_info_count(const rocksdb_livefiles_storage_info_t* info) {
  return info->rep.size();
}
const char* rocksdb_livefiles_storage_info_relative_filename(
    const rocksdb_livefiles_storage_info_t* info, size_t index) {
  return info->rep[index].relative_filename.c_str();
}
const char* rocksdb_livefiles_storage_info_directory(const rocksdb_livefiles_storage_info_t* info,
                                                     size_t index) {
  return info->rep[index].directory.c_str();
}
uint64_t rocksdb_livefiles_storage_info_file_number(const rocksdb_livefiles_storage_info_t* info,
                                                    size_t index) {
  return static_cast<uint64_t>(info->rep[index].file_number);
}
int rocksdb_livefiles_storage_info_file_type(const rocksdb_livefiles_storage_info_t* info,
                                             size_t index) {
  return static_cast<int>(info->rep[index].file_type);
}
uint64_t rocksdb_livefiles_storage_info_size(const rocksdb_livefiles_storage_info_t* info,
                                             size_t index) {
  return static_cast<uint64_t>(info->rep[index].size);
}
int rocksdb_livefiles_storage_info_temperature(const rocksdb_livefiles_storage_info_t* info,
                                               size_t index) {
  return static_cast<int>(info->rep[index].temperature);
}
const char* rocksdb_livefiles_storage_info_file_checksum(
    const rocksdb_livefiles_storage_info_t* info, size_t index) {
  return info->rep[index].file_checksum.c_str();
}
const char* rocksdb_livefiles_storage_info_file_checksum_func_name(
    const rocksdb_livefiles_storage_info_t* info, size_t index) {
  return info->rep[index].file_checksum_func_name.c_str();
}
unsigned char rocksdb_livefiles_storage_info_trim_to_size(
    const rocksdb_livefiles_storage_info_t* info, size_t index) {
  return static_cast<unsigned char>(info->rep[index].trim_to_size);
}
const char* rocksdb_livefiles_storage_info_replacement_contents(
    const rocksdb_livefiles_storage_info_t* info, size_t index, size_t* size) {
  return cairn::Show(info->rep[index].replacement_contents, size);
}
void rocksdb_livefiles_storage_info_destroy(rocksdb_livefiles_storage_info_t* info) { delete info; }

rocksdb_compaction_options_t* rocksdb_compaction_options_create() {
  return new rocksdb_compaction_options_t;
}
void rocksdb_compaction_options_destroy(rocksdb_compaction_options_t* options) { delete options; }
CAIRN_C_OPTION(compaction_options, int, compression)
CAIRN_C_OPTION(compaction_options, uint64_t, output_file_size_limit)
CAIRN_C_OPTION(compaction_options, uint32_t, max_subcompactions)
void rocksdb_compact_files(rocksdb_t* db, const rocksdb_compaction_options_t* options,
                           const char* const* input_file_names, size_t num_input_file_names,
                           int output_level, int output_path_id, char*** output_file_names,
                           size_t* num_output_file_names,
                           rocksdb_compactionjobinfo_t* compaction_job_info, char** errptr) {
  CompactFiles(db, db->rep->DefaultColumnFamily(), options, input_file_names, num_input_file_names,
               output_level, output_path_id, output_file_names, num_output_file_names,
               compaction_job_info, errptr);
}
void rocksdb_compact_files_cf(rocksdb_t* db, rocksdb_column_family_handle_t* column_family,
                              const rocksdb_compaction_options_t* options,
                              const char* const* input_file_names, size_t num_input_file_names,
                              int output_level, int output_path_id, char*** output_file_names,
                              size_t* num_output_file_names,
                              rocksdb_compactionjobinfo_t* compaction_job_info, char** errptr) {
  CompactFiles(db, column_family->rep, options, input_file_names, num_input_file_names,
               output_level, output_path_id, output_file_names, num_output_file_names,
               compaction_job_info, errptr);
}
void rocksdb_compact_files_output_file_names_destroy(char** output_file_names,
                                                     size_t num_output_file_names) {
  cairn::FreeStrings(output_file_names, num_output_file_names);
}

CAIRN_C_OPTION(compaction_options, unsigned char, allow_trivial_move)
CAIRN_C_OPTION(compaction_options, int, output_temperature_override)
CAIRN_C_OPTION(livefiles_storage_info_options, unsigned char, atomic_flush)
CAIRN_C_OPTION(size_approximation_options, unsigned char, include_blob_files)

CAIRN_C_FLAG(compaction_options_canceled)
void rocksdb_compaction_options_set_canceled(rocksdb_compaction_options_t* options,
                                             unsigned char* canceled) {
  options->rep.canceled = cairn::FlagOf(canceled);
}

}  // extern "C"
