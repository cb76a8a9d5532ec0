// CompactFiles: a manual compaction of files that the user names. Picked under the mutex, once (a
// conflict is the user's to solve), and run on a background thread like any compaction.
#include <algorithm>
#include <set>

#include "db/compactions.h"
#include "db/database.h"
#include "db/error_handler.h"
#include "db/families.h"
#include "db/file_purger.h"
#include "fs/file_names.h"
#include "rocksdb/listener.h"
#include "table/compression.h"

namespace cairn {
namespace {

Status ParseTableNames(const std::vector<std::string>& names, std::set<uint64_t>* numbers) {
  for (const std::string& name : names) {
    const size_t slash = name.rfind('/');
    const std::string base = slash == std::string::npos ? name : name.substr(slash + 1);
    uint64_t number = 0;
    FileType type;
    if (!ParseFileName(base, &number, &type) || type != FileType::kTableFile) {
      return Status::InvalidArgument("Not the name of a table file", name);
    }
    numbers->insert(number);
  }
  return Status::OK();
}

}  // namespace

Status Compactions::CompactFiles(const CompactionOptions& options, ColumnFamilyHandle* handle,
                                 const std::vector<std::string>& input_file_names, int output_level,
                                 int output_path_id, std::vector<std::string>* output_file_names,
                                 CompactionJobInfo* compaction_job_info) {
  ColumnFamily* family = nullptr;
  Status s = db_.RefuseIfReadOnly();
  if (s.ok()) s = db_.families->FamilyOf(handle, &family);
  std::set<uint64_t> numbers;
  if (s.ok()) s = ParseTableNames(input_file_names, &numbers);
  if (!s.ok()) return s;
  if (output_level < 0) return Status::InvalidArgument("Output level must not be negative");
  if (output_level >= family->num_levels) {
    return Status::InvalidArgument("Output level for column family " + family->name() +
                                   " must be between [0, " +
                                   std::to_string(family->num_levels - 1) + "]");
  }
  if (output_path_id < 0 && family->paths.size() > 1) {
    return Status::NotSupported(
        "Automatic output path selection is not yet supported in CompactFiles()");
  }
  const auto path_id = static_cast<uint32_t>(std::max(output_path_id, 0));
  if (path_id >= family->paths.size()) return Status::InvalidArgument("Invalid output path ID");
  CompactionJobInfo info;
  DBMutexLock lock(db_.mutex());
  if (options.compression != kDisableCompressionOption &&
      !SupportsCompression(*family->options, options.compression)) {
    return Status::InvalidArgument("CompactionOptions::compression is not built in");
  }
  ++db_.jobs.manual;
  while ((db_.jobs.paused > 0 || db_.jobs.exclusive_manual > 0) && !db_.shutting_down.load() &&
         !db_.errors->failed() && !manual_canceled_.load()) {
    db_.jobs.changed.wait(db_.mutex());
  }
  if (db_.shutting_down.load()) {
    s = Status::ShutdownInProgress();
  } else if (db_.errors->failed()) {
    s = db_.errors->error();
  } else if (manual_canceled_.load()) {
    s = Status::Incomplete(Status::SubCode::kManualCompactionPaused);
  }
  std::unique_ptr<Compaction> compaction;
  if (s.ok()) {
    s = family->InformedPicker()->CompactFiles(*family->options, family->current(), options,
                                               numbers, output_level, path_id, &compaction);
  }
  if (s.ok()) {
    const std::atomic<bool>* const canceled =
        options.canceled != nullptr ? options.canceled : &manual_canceled_;
    s = RunManualJob(family, std::move(compaction), canceled, &info);
  }
  EndManualCall(family);
  lock.unlock();
  db_.files->Purge();
  if (s.ok() && output_file_names != nullptr) {
    output_file_names->insert(output_file_names->end(), info.output_files.begin(),
                              info.output_files.end());
  }
  if (compaction_job_info != nullptr) *compaction_job_info = std::move(info);
  return s;
}

namespace {

// Of the smallest and the largest key of all outputs.
void SetKeyPrefixes(const Compaction& compaction, CompactionJobStats* stats) {
  const Comparator* const order = compaction.icmp().user_comparator();
  Slice smallest, largest;
  bool any = false;
  for (const auto& file : compaction.edit().new_files()) {
    const Slice first = file.meta.smallest.user_key(), last = file.meta.largest.user_key();
    if (!any || order->Compare(first, smallest) < 0) smallest = first;
    if (!any || order->Compare(last, largest) > 0) largest = last;
    any = true;
  }
  constexpr size_t kMost = CompactionJobStats::kMaxPrefixLength;
  stats->smallest_output_key_prefix.assign(smallest.data(), std::min(smallest.size(), kMost));
  stats->largest_output_key_prefix.assign(largest.data(), std::min(largest.size(), kMost));
}

}  // namespace

void Compactions::ReportCompaction(const ColumnFamily& family, const Compaction& compaction,
                                   const JobStats& stats, int job_id, CompactionJobInfo* info) {
  info->cf_id = family.id();
  info->cf_name = family.name();
  info->job_id = job_id;
  info->num_l0_files = compaction.version()->NumLevelFiles(0);
  info->base_input_level = compaction.start_level();
  info->output_level = compaction.output_level();
  info->compaction_reason = compaction.reason();
  info->compression = compaction.output_compression();
  const auto add = [&](const FileMetaData& file, int level, std::vector<std::string>* paths,
                       std::vector<CompactionFileInfo>* infos) {
    paths->push_back(TableFileName(family.paths, file.number, file.path_id));
    infos->push_back({.level = level,
                      .file_number = file.number,
                      .oldest_blob_file_number = file.oldest_blob_file_number});
    TableFileId id = file.TableId(level);
    id.slot = nullptr;  // a new file's metadata is not the one that stays
    std::shared_ptr<const TableProperties> properties;
    if (family.tables->GetTableProperties(id, &properties).ok()) {
      info->table_properties[paths->back()] = std::move(properties);
    }
  };
  for (const CompactionInputFiles& input : compaction.inputs()) {
    for (const FileMetaData* file : input.files) {
      add(*file, input.level, &info->input_files, &info->input_file_infos);
    }
  }
  for (const auto& file : compaction.edit().new_files()) {
    add(file.meta, file.level, &info->output_files, &info->output_file_infos);
  }
  info->blob_compression_type = compaction.options().blob_compression_type;
  const auto blob_path = [&](uint64_t number) {
    return BlobFileName(family.paths.front(), number);
  };
  for (const BlobFileAddition& file : compaction.edit().blob_additions()) {
    info->blob_file_addition_infos.emplace_back(blob_path(file.number), file.number, file.blobs,
                                                file.bytes);
  }
  for (const BlobFileGarbage& file : compaction.edit().blob_garbage()) {
    info->blob_file_garbage_infos.emplace_back(blob_path(file.number), file.number, file.blobs,
                                               file.bytes);
  }
  CompactionJobStats& out = info->stats;
  out.elapsed_micros = stats.micros;
  out.cpu_micros = stats.cpu_micros;
  out.num_input_records = stats.records_in;
  out.num_input_files = compaction.num_input_files();
  out.num_input_files_at_output_level = static_cast<size_t>(stats.input_files_output_level);
  out.num_output_records = stats.records_in - stats.records_dropped;
  out.num_output_files = static_cast<size_t>(stats.output_files);
  if (stats.bytes_moved > 0) out.num_input_files_trivially_moved = out.num_input_files;
  out.is_full_compaction = compaction.is_full_compaction();
  out.is_manual_compaction = compaction.is_manual();
  out.total_input_bytes = compaction.total_input_bytes();
  out.total_output_bytes = stats.bytes_written + stats.bytes_written_blob;
  if (stats.output_files > 0) SetKeyPrefixes(compaction, &out);
}

}  // namespace cairn
