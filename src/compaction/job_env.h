// What a flush or a compaction needs from the database, in one struct that db/ fills in, so that
// the jobs are tested without a database. Everything but the options is borrowed and outlives the
// job.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "base/seqno_to_time_mapping.h"
#include "blob/blob_source.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "rocksdb/statistics.h"
#include "table/table_cache.h"

namespace cairn {

struct JobEnv {
  std::shared_ptr<const DBOptions> db_options;  // as they were when the job began
  FileSystem* fs = nullptr;
  FileOptions file_options;        // of the output files
  std::string dbname;              // for messages and events
  std::vector<std::string> paths;  // directories by path id; blob files are in paths[0]
  // The same to sync: after an output was created there.
  std::vector<FSDirectory*> directories;
  TableCache* table_cache = nullptr;
  BlobSource* blobs = nullptr;       // of the column family; may be null: then there are none
  Statistics* statistics = nullptr;  // may be null
  Logger* info_log = nullptr;
  std::string db_id, db_session_id;
  uint32_t column_family_id = 0;
  std::string column_family_name = "default";
  const InternalKeyComparator* icmp = nullptr;
  // Set when the database closes: the job gives up with Status::ShutdownInProgress.
  const std::atomic<bool>* shutting_down = nullptr;
  // Set while a manual compaction that started the job was cancelled; may be null.
  const std::atomic<bool>* canceled = nullptr;
  std::function<uint64_t()> new_file_number;  // thread-safe
  // Live snapshots, ascending; versions that one of them can see are kept.
  std::vector<SequenceNumber> snapshots;
  // When what was written, where the family's options ask for it; null: it is not known.
  std::shared_ptr<const SeqnoToTimeMapping> times;
  // With timestamps: nobody reads below this one (DB::IncreaseFullHistoryTsLow). Empty: not known.
  std::string history_low;
  // With timestamps: what is newer goes (DB::OpenAndTrimHistory). Empty: nothing does.
  std::string trim_above;
  int job_id = 0;  // for the LOG
  // The job is another process' (CompactionService).
  bool is_worker = false;
  // For the worker of a remote compaction: the OPTIONS file in force (0: there is none), and the
  // MANIFEST, of which it must have read as much.
  uint64_t options_file_number = 0;
  uint64_t manifest_number = 0, manifest_bytes = 0;
  // Asked after each output of a compaction; an error ends the job. Empty: nothing limits it.
  std::function<Status()> check_space;
  // How the outputs ask the rate limiter, asked for each of them. Empty: not at all.
  std::function<Env::IOPriority()> io_priority;
  // Whether the job, of which so much is done (0 to 1; a compaction does not know and says 0),
  // should have its full share of the processors; asked now and then, from any thread. Empty:
  // always. See courtesy.h.
  std::function<bool(double done)> urgent;
};

// What one job did, added to the statistics of its output level.
struct JobStats {
  uint64_t micros = 0;
  uint64_t cpu_micros = 0;
  uint64_t bytes_read_start_levels = 0;  // from levels above the output level
  uint64_t bytes_read_output_level = 0;
  uint64_t bytes_written = 0;
  uint64_t bytes_moved = 0;  // trivial moves
  uint64_t bytes_read_blob = 0;
  uint64_t bytes_written_blob = 0;
  int input_files_start_levels = 0;
  int input_files_output_level = 0;
  int output_files = 0;
  uint64_t records_in = 0;
  uint64_t records_dropped = 0;
  int count = 0;  // jobs

  void Add(const JobStats& other) {
    micros += other.micros;
    cpu_micros += other.cpu_micros;
    bytes_read_start_levels += other.bytes_read_start_levels;
    bytes_read_output_level += other.bytes_read_output_level;
    bytes_written += other.bytes_written;
    bytes_moved += other.bytes_moved;
    bytes_read_blob += other.bytes_read_blob;
    bytes_written_blob += other.bytes_written_blob;
    input_files_start_levels += other.input_files_start_levels;
    input_files_output_level += other.input_files_output_level;
    output_files += other.output_files;
    records_in += other.records_in;
    records_dropped += other.records_dropped;
    count += other.count;
  }
};

}  // namespace cairn
