// The C interface: remote compaction (rocksdb/c_compaction_service.h).
#include <utility>

#include "c/c_listener_objects.h"
#include "c/c_objects.h"
#include "rocksdb/table_properties.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

struct rocksdb_compactionservice_jobinfo_t {
  const CompactionServiceJobInfo& rep;
};
struct rocksdb_compactionservice_scheduleresponse_t {
  CompactionServiceScheduleResponse rep;
};
struct rocksdb_compaction_service_options_override_t {
  CompactionServiceOptionsOverride rep;
};
struct rocksdb_open_and_compact_options_t {
  OpenAndCompactOptions rep;
};

// A service of the caller's functions.
struct rocksdb_compactionservice_t final : public CompactionService {
  void* state = nullptr;
  void (*destructor)(void*) = nullptr;
  rocksdb_compaction_service_schedule_cb schedule = nullptr;
  std::string name;
  rocksdb_compaction_service_wait_cb wait = nullptr;
  rocksdb_compaction_service_cancel_awaiting_jobs_cb cancel_awaiting_jobs = nullptr;
  rocksdb_compaction_service_on_installation_cb on_installation = nullptr;

  ~rocksdb_compactionservice_t() override {
    if (destructor != nullptr) destructor(state);
  }
  const char* Name() const override { return name.c_str(); }
  CompactionServiceScheduleResponse Schedule(const CompactionServiceJobInfo& info,
                                             const std::string& input) override {
    using Response = CompactionServiceScheduleResponse;
    if (schedule == nullptr) return Response(CompactionServiceJobStatus::kUseLocal);
    const rocksdb_compactionservice_jobinfo_t shown{info};
    const std::unique_ptr<rocksdb_compactionservice_scheduleresponse_t> response(
        schedule(state, &shown, input.data(), input.size()));
    return response == nullptr ? Response(CompactionServiceJobStatus::kFailure) : response->rep;
  }
  CompactionServiceJobStatus Wait(const std::string& id, std::string* result) override {
    if (wait == nullptr) return CompactionServiceJobStatus::kUseLocal;
    char* bytes = nullptr;
    size_t size = 0;
    const int status = wait(state, id.c_str(), &bytes, &size);
    if (bytes != nullptr) result->assign(bytes, size);
    std::free(bytes);
    return static_cast<CompactionServiceJobStatus>(status);
  }
  void CancelAwaitingJobs() override {
    if (cancel_awaiting_jobs != nullptr) cancel_awaiting_jobs(state);
  }
  void OnInstallation(const std::string& id, CompactionServiceJobStatus status) override {
    if (on_installation != nullptr) on_installation(state, id.c_str(), static_cast<int>(status));
  }
};

namespace {

rocksdb_compactionservice_scheduleresponse_t* Respond(const char* id, int status, char** errptr) {
  constexpr int kLast = static_cast<int>(CompactionServiceJobStatus::kUseLocal);
  if (status < 0 || status > kLast) {
    cairn::Report(errptr, Status::InvalidArgument("the status of a job is 0 to 3"));
    return nullptr;
  }
  return new rocksdb_compactionservice_scheduleresponse_t{CompactionServiceScheduleResponse(
      id == nullptr ? "" : id, static_cast<CompactionServiceJobStatus>(status))};
}

// What `set`, a function of the options, makes of `object`: who owns it is as it is there.
template <typename Object>
Options With(void (*set)(rocksdb_options_t*, Object*), Object* object) {
  rocksdb_options_t options;
  set(&options, object);
  return std::move(options.rep);
}

char* OpenAndCompact(const OpenAndCompactOptions& options, const char* db_path,
                     const char* output_directory, const char* input, size_t input_len,
                     size_t* output_len,
                     const rocksdb_compaction_service_options_override_t* override_options,
                     char** errptr) {
  if (db_path == nullptr || output_directory == nullptr || input == nullptr ||
      override_options == nullptr) {
    cairn::Report(errptr, Status::InvalidArgument("an argument is NULL"));
    return nullptr;
  }
  std::string output;
  const Status s =
      DB::OpenAndCompact(options, db_path, output_directory, std::string(input, input_len), &output,
                         override_options->rep);
  if (!cairn::Report(errptr, s)) return nullptr;
  if (output_len != nullptr) *output_len = output.size();
  return cairn::CopyBytes(output);
}

}  // namespace

// rocksdb_compaction_service_options_override_<function>(): takes what rocksdb_options_<of_options>
// makes of an object.
#define CAIRN_C_OVERRIDE(function, type, of_options, field)                       \
  void rocksdb_compaction_service_options_override_##function(                    \
      rocksdb_compaction_service_options_override_t* o, rocksdb_##type##_t* v) {  \
    if (v != nullptr) o->rep.field = With(rocksdb_options_##of_options, v).field; \
  }

extern "C" {

rocksdb_compactionservice_t* rocksdb_compactionservice_create(
    void* state, void (*destructor)(void*), rocksdb_compaction_service_schedule_cb schedule,
    const char* name, rocksdb_compaction_service_wait_cb wait,
    rocksdb_compaction_service_cancel_awaiting_jobs_cb cancel_awaiting_jobs,
    rocksdb_compaction_service_on_installation_cb on_installation) {
  auto* const made = new rocksdb_compactionservice_t;
  made->state = state;
  made->destructor = destructor;
  made->schedule = schedule;
  made->name = name == nullptr ? "CompactionService" : name;
  made->wait = wait;
  made->cancel_awaiting_jobs = cancel_awaiting_jobs;
  made->on_installation = on_installation;
  return made;
}
void rocksdb_options_set_compaction_service(rocksdb_options_t* o,
                                            rocksdb_compactionservice_t* service) {
  if (service != nullptr) o->rep.compaction_service.reset(service);
}

rocksdb_compactionservice_scheduleresponse_t* rocksdb_compactionservice_scheduleresponse_create(
    const char* scheduled_job_id, int status, char** errptr) {
  return Respond(scheduled_job_id, status, errptr);
}
rocksdb_compactionservice_scheduleresponse_t*
rocksdb_compactionservice_scheduleresponse_create_with_status(int status, char** errptr) {
  return Respond(nullptr, status, errptr);
}
int rocksdb_compactionservice_scheduleresponse_getstatus(
    const rocksdb_compactionservice_scheduleresponse_t* response) {
  return static_cast<int>(response->rep.status);
}
const char* rocksdb_compactionservice_scheduleresponse_get_scheduled_job_id(
    const rocksdb_compactionservice_scheduleresponse_t* response, size_t* len) {
  return cairn::Show(response->rep.scheduled_job_id, len);
}
void rocksdb_compactionservice_scheduleresponse_t_destroy(
    rocksdb_compactionservice_scheduleresponse_t* response) {
  delete response;
}

using cairn::Show;
CAIRN_C_TOLD_TEXT(compactionservice_jobinfo, t_get_db_name, db_name)
CAIRN_C_TOLD_TEXT(compactionservice_jobinfo, t_get_db_id, db_id)
CAIRN_C_TOLD_TEXT(compactionservice_jobinfo, t_get_db_session_id, db_session_id)
CAIRN_C_TOLD_TEXT(compactionservice_jobinfo, t_get_cf_name, cf_name)
CAIRN_C_TOLD(compactionservice_jobinfo, uint32_t, t_get_cf_id, cf_id)
CAIRN_C_TOLD(compactionservice_jobinfo, uint64_t, t_get_job_id, job_id)
CAIRN_C_TOLD(compactionservice_jobinfo, int, t_get_priority, priority)
CAIRN_C_TOLD(compactionservice_jobinfo, int, t_get_compaction_reason, compaction_reason)
CAIRN_C_TOLD(compactionservice_jobinfo, int, t_get_base_input_level, base_input_level)
CAIRN_C_TOLD(compactionservice_jobinfo, int, t_get_output_level, output_level)
CAIRN_C_TOLD(compactionservice_jobinfo, unsigned char, t_is_full_compaction, is_full_compaction)
CAIRN_C_TOLD(compactionservice_jobinfo, unsigned char, t_is_manual_compaction, is_manual_compaction)
CAIRN_C_TOLD(compactionservice_jobinfo, unsigned char, t_is_bottommost_level, bottommost_level)

rocksdb_compaction_service_options_override_t*
rocksdb_compaction_service_options_override_create() {
  return new rocksdb_compaction_service_options_override_t;
}
rocksdb_compaction_service_options_override_t*
rocksdb_compaction_service_options_override_create_from_options(rocksdb_options_t* option) {
  if (option == nullptr) return nullptr;
  const Options& from = option->rep;
  auto* const made = new rocksdb_compaction_service_options_override_t;
  CompactionServiceOptionsOverride& to = made->rep;
  to.env = from.env;
  to.file_checksum_gen_factory = from.file_checksum_gen_factory;
  to.comparator = from.comparator;
  to.merge_operator = from.merge_operator;
  to.compaction_filter = from.compaction_filter;
  to.compaction_filter_factory = from.compaction_filter_factory;
  to.prefix_extractor = from.prefix_extractor;
  to.table_factory = from.table_factory;
  to.sst_partitioner_factory = from.sst_partitioner_factory;
  to.listeners = from.listeners;
  to.statistics = from.statistics;
  to.info_log = from.info_log;
  to.table_properties_collector_factories = from.table_properties_collector_factories;
  return made;
}
void rocksdb_compaction_service_options_override_destroy(
    rocksdb_compaction_service_options_override_t* o) {
  delete o;
}
CAIRN_C_OVERRIDE(set_env, env, set_env, env)
CAIRN_C_OVERRIDE(set_comparator, comparator, set_comparator, comparator)
CAIRN_C_OVERRIDE(set_merge_operator, mergeoperator, set_merge_operator, merge_operator)
CAIRN_C_OVERRIDE(set_compaction_filter, compactionfilter, set_compaction_filter, compaction_filter)
CAIRN_C_OVERRIDE(set_compaction_filter_factory, compactionfilterfactory,
                 set_compaction_filter_factory, compaction_filter_factory)
CAIRN_C_OVERRIDE(set_prefix_extractor, slicetransform, set_prefix_extractor, prefix_extractor)
CAIRN_C_OVERRIDE(set_block_based_table_factory, block_based_table_options,
                 set_block_based_table_factory, table_factory)
CAIRN_C_OVERRIDE(set_cuckoo_table_factory, cuckoo_table_options, set_cuckoo_table_factory,
                 table_factory)
CAIRN_C_OVERRIDE(set_info_log, logger, set_info_log, info_log)
CAIRN_C_OVERRIDE(set_file_checksum_gen_factory, file_checksum_gen_factory,
                 set_file_checksum_gen_factory, file_checksum_gen_factory)
CAIRN_C_OVERRIDE(set_sst_partitioner_factory, sst_partitioner_factory, set_sst_partitioner_factory,
                 sst_partitioner_factory)
void rocksdb_compaction_service_options_override_add_event_listener(
    rocksdb_compaction_service_options_override_t* o, rocksdb_eventlistener_t* event_listener) {
  if (event_listener == nullptr) return;
  o->rep.listeners.push_back(With(rocksdb_options_add_eventlistener, event_listener).listeners[0]);
}
void rocksdb_compaction_service_options_override_set_statistics(
    rocksdb_compaction_service_options_override_t* o, rocksdb_options_t* options) {
  if (options != nullptr) o->rep.statistics = options->rep.statistics;
}
void rocksdb_compaction_service_options_override_set_option(
    rocksdb_compaction_service_options_override_t* o, const char* key, const char* value) {
  if (key != nullptr && value != nullptr) o->rep.options_map[key] = value;
}
void rocksdb_compaction_service_options_override_add_table_properties_collector_factory(
    rocksdb_compaction_service_options_override_t* o,
    rocksdb_table_properties_collector_factory_t* factory) {
  if (factory != nullptr) o->rep.table_properties_collector_factories.push_back(factory->rep);
}

CAIRN_C_FLAG(open_and_compact_canceled)

rocksdb_open_and_compact_options_t* rocksdb_open_and_compact_options_create() {
  return new rocksdb_open_and_compact_options_t;
}
void rocksdb_open_and_compact_options_destroy(rocksdb_open_and_compact_options_t* options) {
  delete options;
}
void rocksdb_open_and_compact_options_set_canceled(rocksdb_open_and_compact_options_t* options,
                                                   unsigned char* canceled) {
  options->rep.canceled = cairn::FlagOf(canceled);
}
CAIRN_C_OPTION(open_and_compact_options, unsigned char, allow_resumption)

char* rocksdb_open_and_compact(
    const char* db_path, const char* output_directory, const char* input, size_t input_len,
    size_t* output_len, const rocksdb_compaction_service_options_override_t* override_options,
    char** errptr) {
  return OpenAndCompact(OpenAndCompactOptions(), db_path, output_directory, input, input_len,
                        output_len, override_options, errptr);
}
char* rocksdb_open_and_compact_with_options(
    const rocksdb_open_and_compact_options_t* options, const char* db_path,
    const char* output_directory, const char* input, size_t input_len, size_t* output_len,
    const rocksdb_compaction_service_options_override_t* override_options, char** errptr) {
  return OpenAndCompact(options->rep, db_path, output_directory, input, input_len, output_len,
                        override_options, errptr);
}

}  // extern "C"
