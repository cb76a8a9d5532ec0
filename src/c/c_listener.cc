// The C interface: event listeners, and what they are told.
#include "c/c_listener_objects.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API
using cairn::Show;

namespace {

// The numbers of release 10.4's WriteStallCondition.
int NumberInC(WriteStallCondition condition) {
  switch (condition) {
    case WriteStallCondition::kDelayed:
      return 0;
    case WriteStallCondition::kStopped:
      return 1;
    case WriteStallCondition::kNormal:
      break;
  }
  return 2;
}

struct Callbacks {
  void* state;
  void (*destructor)(void*);
  on_flush_begin_cb flush_begin;
  on_flush_completed_cb flush_completed;
  on_compaction_begin_cb compaction_begin;
  on_compaction_completed_cb compaction_completed;
  on_subcompaction_begin_cb subcompaction_begin;
  on_subcompaction_completed_cb subcompaction_completed;
  on_external_file_ingested_cb external_file_ingested;
  on_background_error_cb background_error;
  on_stall_conditions_changed_cb stall_conditions_changed;
  on_memtable_sealed_cb memtable_sealed;
};

// The database of an event, as C knows one: it owns nothing.
class BorrowedDB {
 public:
  explicit BorrowedDB(DB* db) { db_.rep.reset(db); }
  ~BorrowedDB() { (void)db_.rep.release(); }
  BorrowedDB(const BorrowedDB&) = delete;
  BorrowedDB& operator=(const BorrowedDB&) = delete;
  rocksdb_t* get() { return &db_; }

 private:
  rocksdb_t db_;
};

class Listener final : public EventListener {
 public:
  explicit Listener(const Callbacks& callbacks) : on_(callbacks) {}
  ~Listener() override { on_.destructor(on_.state); }

  void OnFlushBegin(DB* db, const FlushJobInfo& info) override {
    const rocksdb_flushjobinfo_t told{info};
    on_.flush_begin(on_.state, BorrowedDB(db).get(), &told);
  }
  void OnFlushCompleted(DB* db, const FlushJobInfo& info) override {
    const rocksdb_flushjobinfo_t told{info};
    on_.flush_completed(on_.state, BorrowedDB(db).get(), &told);
  }
  void OnCompactionBegin(DB* db, const CompactionJobInfo& info) override {
    const rocksdb_compactionjobinfo_t told{info, nullptr};
    on_.compaction_begin(on_.state, BorrowedDB(db).get(), &told);
  }
  void OnCompactionCompleted(DB* db, const CompactionJobInfo& info) override {
    const rocksdb_compactionjobinfo_t told{info, nullptr};
    on_.compaction_completed(on_.state, BorrowedDB(db).get(), &told);
  }
  void OnSubcompactionBegin(const SubcompactionJobInfo& info) override {
    const rocksdb_subcompactionjobinfo_t told{info};
    on_.subcompaction_begin(on_.state, &told);
  }
  void OnSubcompactionCompleted(const SubcompactionJobInfo& info) override {
    const rocksdb_subcompactionjobinfo_t told{info};
    on_.subcompaction_completed(on_.state, &told);
  }
  void OnExternalFileIngested(DB* db, const ExternalFileIngestionInfo& info) override {
    const rocksdb_externalfileingestioninfo_t told{info};
    on_.external_file_ingested(on_.state, BorrowedDB(db).get(), &told);
  }
  void OnBackgroundError(BackgroundErrorReason reason, Status* error) override {
    rocksdb_status_ptr_t told{error};
    on_.background_error(on_.state, static_cast<uint32_t>(reason), &told);
  }
  void OnStallConditionsChanged(const WriteStallInfo& info) override {
    const rocksdb_writestallinfo_t told{
        info, {NumberInC(info.condition.cur)}, {NumberInC(info.condition.prev)}};
    on_.stall_conditions_changed(on_.state, &told);
  }
  void OnMemTableSealed(const MemTableInfo& info) override {
    const rocksdb_memtableinfo_t told{info};
    on_.memtable_sealed(on_.state, &told);
  }

 private:
  const Callbacks on_;
};

}  // namespace

struct rocksdb_eventlistener_t {
  std::shared_ptr<EventListener> rep;
};

extern "C" {

CAIRN_C_TOLD_TEXT(flushjobinfo, cf_name, cf_name)
CAIRN_C_TOLD_TEXT(flushjobinfo, file_path, file_path)
CAIRN_C_TOLD(flushjobinfo, unsigned char, triggered_writes_slowdown, triggered_writes_slowdown)
CAIRN_C_TOLD(flushjobinfo, unsigned char, triggered_writes_stop, triggered_writes_stop)
CAIRN_C_TOLD(flushjobinfo, uint64_t, largest_seqno, largest_seqno)
CAIRN_C_TOLD(flushjobinfo, uint64_t, smallest_seqno, smallest_seqno)

void rocksdb_compactionjobinfo_status(const rocksdb_compactionjobinfo_t* info, char** errptr) {
  cairn::Report(errptr, info->rep.status);
}
CAIRN_C_TOLD_TEXT(compactionjobinfo, cf_name, cf_name)
CAIRN_C_TOLD(compactionjobinfo, size_t, input_files_count, input_files.size())
const char* rocksdb_compactionjobinfo_input_file_at(const rocksdb_compactionjobinfo_t* info,
                                                    size_t pos, size_t* size) {
  return Show(info->rep.input_files[pos], size);
}
CAIRN_C_TOLD(compactionjobinfo, size_t, output_files_count, output_files.size())
const char* rocksdb_compactionjobinfo_output_file_at(const rocksdb_compactionjobinfo_t* info,
                                                     size_t pos, size_t* size) {
  return Show(info->rep.output_files[pos], size);
}
CAIRN_C_TOLD(compactionjobinfo, uint64_t, elapsed_micros, stats.elapsed_micros)
uint64_t rocksdb_compactionjobinfo_num_corrupt_keys(const rocksdb_compactionjobinfo_t*) {
  return 0;
}
CAIRN_C_TOLD(compactionjobinfo, int, base_input_level, base_input_level)
CAIRN_C_TOLD(compactionjobinfo, int, output_level, output_level)
CAIRN_C_TOLD(compactionjobinfo, uint64_t, input_records, stats.num_input_records)
CAIRN_C_TOLD(compactionjobinfo, uint64_t, output_records, stats.num_output_records)
CAIRN_C_TOLD(compactionjobinfo, uint64_t, total_input_bytes, stats.total_input_bytes)
CAIRN_C_TOLD(compactionjobinfo, uint64_t, total_output_bytes, stats.total_output_bytes)
CAIRN_C_TOLD(compactionjobinfo, uint32_t, compaction_reason, compaction_reason)
CAIRN_C_TOLD(compactionjobinfo, size_t, num_input_files, stats.num_input_files)
CAIRN_C_TOLD(compactionjobinfo, size_t, num_input_files_at_output_level,
             stats.num_input_files_at_output_level)

void rocksdb_subcompactionjobinfo_status(const rocksdb_subcompactionjobinfo_t* info,
                                         char** errptr) {
  cairn::Report(errptr, info->rep.status);
}
CAIRN_C_TOLD_TEXT(subcompactionjobinfo, cf_name, cf_name)
CAIRN_C_TOLD(subcompactionjobinfo, uint64_t, thread_id, thread_id)
CAIRN_C_TOLD(subcompactionjobinfo, int, base_input_level, base_input_level)
CAIRN_C_TOLD(subcompactionjobinfo, int, output_level, output_level)

CAIRN_C_TOLD_TEXT(externalfileingestioninfo, cf_name, cf_name)
CAIRN_C_TOLD_TEXT(externalfileingestioninfo, internal_file_path, internal_file_path)

CAIRN_C_TOLD_TEXT(writestallinfo, cf_name, cf_name)
const rocksdb_writestallcondition_t* rocksdb_writestallinfo_cur(
    const rocksdb_writestallinfo_t* info) {
  return &info->cur;
}
const rocksdb_writestallcondition_t* rocksdb_writestallinfo_prev(
    const rocksdb_writestallinfo_t* info) {
  return &info->prev;
}

CAIRN_C_TOLD_TEXT(memtableinfo, cf_name, cf_name)
CAIRN_C_TOLD(memtableinfo, uint64_t, first_seqno, first_seqno)
CAIRN_C_TOLD(memtableinfo, uint64_t, earliest_seqno, earliest_seqno)
CAIRN_C_TOLD(memtableinfo, uint64_t, num_entries, num_entries)
CAIRN_C_TOLD(memtableinfo, uint64_t, num_deletes, num_deletes)

void rocksdb_reset_status(rocksdb_status_ptr_t* status_ptr) { *status_ptr->rep = Status::OK(); }

rocksdb_eventlistener_t* rocksdb_eventlistener_create(
    void* state, void (*destructor)(void*), on_flush_begin_cb on_flush_begin,
    on_flush_completed_cb on_flush_completed, on_compaction_begin_cb on_compaction_begin,
    on_compaction_completed_cb on_compaction_completed,
    on_subcompaction_begin_cb on_subcompaction_begin,
    on_subcompaction_completed_cb on_subcompaction_completed,
    on_external_file_ingested_cb on_external_file_ingested,
    on_background_error_cb on_background_error,
    on_stall_conditions_changed_cb on_stall_conditions_changed,
    on_memtable_sealed_cb on_memtable_sealed) {
  return new rocksdb_eventlistener_t{std::make_shared<Listener>(
      Callbacks{state, destructor, on_flush_begin, on_flush_completed, on_compaction_begin,
                on_compaction_completed, on_subcompaction_begin, on_subcompaction_completed,
                on_external_file_ingested, on_background_error, on_stall_conditions_changed,
                on_memtable_sealed})};
}
void rocksdb_eventlistener_destroy(rocksdb_eventlistener_t* listener) { delete listener; }
void rocksdb_options_add_eventlistener(rocksdb_options_t* opt, rocksdb_eventlistener_t* listener) {
  opt->rep.listeners.push_back(listener->rep);
}

}  // extern "C"
