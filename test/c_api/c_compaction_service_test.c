/* The C interface, in C: remote compaction. The worker is this program, too: the service runs it when it is waited for.
   Exit status 0: all that it says holds. The first argument is a directory that it may create and destroys. */
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "database.h"

static const char* name;
static rocksdb_compaction_service_options_override_t* overrides;
static rocksdb_open_and_compact_options_t* how;

/* The service's, which runs one job at a time. */
static int states, scheduled, waited, told, canceled;
static int schedule_says, wait_says, installed;
static char* kept_input = NULL;
static size_t kept_size;
static char work_error[500];

static void Directory(char* path) { snprintf(path, 500, "%s.remote%d", name, scheduled); }

static rocksdb_compactionservice_scheduleresponse_t* Schedule(
    void* state, const rocksdb_compactionservice_jobinfo_t* info, const char* input, size_t size) {
  size_t length;
  CHECK(state == &states);
  const char* text = rocksdb_compactionservice_jobinfo_t_get_db_name(info, &length);
  CHECK(length == strlen(name) && memcmp(text, name, length) == 0);
  text = rocksdb_compactionservice_jobinfo_t_get_cf_name(info, &length);
  CHECK(length == 7 && memcmp(text, "default", 7) == 0);
  CHECK(rocksdb_compactionservice_jobinfo_t_get_db_id(info, &length) != NULL && length > 0);
  CHECK(rocksdb_compactionservice_jobinfo_t_get_db_session_id(info, &length) != NULL && length > 0);
  CHECK(rocksdb_compactionservice_jobinfo_t_get_cf_id(info) == 0);
  CHECK(rocksdb_compactionservice_jobinfo_t_get_job_id(info) != 0);
  CHECK(rocksdb_compactionservice_jobinfo_t_get_priority(info) == 1);
  CHECK(rocksdb_compactionservice_jobinfo_t_get_compaction_reason(info) == 9);
  CHECK(rocksdb_compactionservice_jobinfo_t_get_base_input_level(info) == 0);
  CHECK(rocksdb_compactionservice_jobinfo_t_get_output_level(info) > 0);
  CHECK(rocksdb_compactionservice_jobinfo_t_is_manual_compaction(info) == 1);
  CHECK(rocksdb_compactionservice_jobinfo_t_is_full_compaction(info) == 1);
  CHECK(rocksdb_compactionservice_jobinfo_t_is_bottommost_level(info) == 1);
  free(kept_input);
  kept_input = malloc(size);
  memcpy(kept_input, input, size);
  kept_size = size;
  ++scheduled;
  if (schedule_says == -1) return NULL;
  rocksdb_compactionservice_scheduleresponse_t* response =
      rocksdb_compactionservice_scheduleresponse_create("the job", schedule_says, &error);
  CHECK_OK(error);
  return response;
}

static int Wait(void* state, const char* id, char** result, size_t* result_len) {
  char directory[500];
  char* failed = NULL;
  CHECK(state == &states && strcmp(id, "the job") == 0);
  ++waited;
  if (wait_says != rocksdb_compactionservice_jobstatus_success) return wait_says;
  Directory(directory);
  *result = rocksdb_open_and_compact_with_options(how, name, directory, kept_input, kept_size,
                                                  result_len, overrides, &failed);
  work_error[0] = '\0';
  if (failed != NULL) {
    CHECK(*result == NULL);
    snprintf(work_error, sizeof(work_error), "%s", failed);
    rocksdb_free(failed);
    return rocksdb_compactionservice_jobstatus_failure;
  }
  return rocksdb_compactionservice_jobstatus_success;
}

static void Cancel(void* state) {
  CHECK(state == &states);
  ++canceled;
}

static void OnInstallation(void* state, const char* id, int status) {
  CHECK(state == &states && strcmp(id, "the job") == 0);
  ++told;
  installed = status;
}

static void Destroy(void* state) {
  CHECK(state == &states);
  --states;
}

static void Fill(rocksdb_t* db, const char* value) {
  for (int file = 0; file < 2; ++file) {
    Put(db, "a", value);
    Put(db, "b", file == 0 ? "old" : value);
    rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
    rocksdb_flush(db, flush, &error);
    CHECK_OK(error);
    rocksdb_flushoptions_destroy(flush);
  }
}

/* A manual compaction. `expected`: NULL, or a part of the error that the worker must have given. */
static void Compact(rocksdb_t* db, const char* expected) {
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  if (expected != NULL && strstr(work_error, expected) == NULL) fprintf(stderr, "the worker: %s\n", work_error);
  CHECK(expected == NULL || strstr(work_error, expected) != NULL);
}

/* Of jobs that there may have been: what is left there is a LOG. */
static void DestroyDirectories(void) {
  for (scheduled = 1; scheduled < 20; ++scheduled) {
    char directory[500];
    Directory(directory);
    rocksdb_destroy_db(options, directory, &error);
    CHECK_OK(error);
  }
  scheduled = 0;
}

static void TestService(void) {
  phase = "a service";
  CHECK(rocksdb_compactionservice_scheduleresponse_create("x", 4, &error) == NULL);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_compactionservice_scheduleresponse_t* response =
      rocksdb_compactionservice_scheduleresponse_create_with_status(
          rocksdb_compactionservice_jobstatus_use_local, &error);
  CHECK_OK(error);
  size_t size;
  CHECK(rocksdb_compactionservice_scheduleresponse_getstatus(response) == 3);
  rocksdb_compactionservice_scheduleresponse_get_scheduled_job_id(response, &size);
  CHECK(size == 0);
  rocksdb_compactionservice_scheduleresponse_t_destroy(response);

  rocksdb_t* db = rocksdb_open(options, name, &error);
  CHECK_OK(error);
  Fill(db, "1");
  Compact(db, NULL);
  CHECK(scheduled == 1 && waited == 1 && told == 1 && installed == 0);
  ExpectGet(db, reading, "a", "1");
  ExpectGet(db, reading, "b", "1");

  phase = "a service that declines";
  Fill(db, "2");
  schedule_says = rocksdb_compactionservice_jobstatus_use_local;
  Compact(db, NULL);
  CHECK(scheduled == 2 && waited == 1 && told == 1);
  ExpectGet(db, reading, "b", "2");
  schedule_says = rocksdb_compactionservice_jobstatus_success;
  wait_says = rocksdb_compactionservice_jobstatus_use_local;
  Fill(db, "3");
  Compact(db, NULL);
  CHECK(scheduled == 3 && waited == 2 && told == 1);
  ExpectGet(db, reading, "b", "3");

  phase = "failures";
  Fill(db, "4");
  wait_says = rocksdb_compactionservice_jobstatus_failure;
  Compact(db, NULL);
  CHECK(scheduled == 4 && waited == 3 && told == 1);
  schedule_says = -1;
  Compact(db, NULL);
  CHECK(scheduled == 5 && waited == 3);
  schedule_says = rocksdb_compactionservice_jobstatus_success;
  wait_says = rocksdb_compactionservice_jobstatus_success;

  phase = "a worker that is cancelled";
  unsigned char* flag = rocksdb_open_and_compact_canceled_create();
  rocksdb_open_and_compact_canceled_set(flag, 1);
  rocksdb_open_and_compact_options_set_canceled(how, flag);
  Compact(db, "paused");
  rocksdb_open_and_compact_options_set_canceled(how, NULL);
  rocksdb_open_and_compact_canceled_destroy(flag);

  phase = "a worker that is to resume";
  CHECK(rocksdb_open_and_compact_options_get_allow_resumption(how) == 0);
  rocksdb_open_and_compact_options_set_allow_resumption(how, 1);
  CHECK(rocksdb_open_and_compact_options_get_allow_resumption(how) == 1);
  Compact(db, "allow_resumption");
  rocksdb_open_and_compact_options_set_allow_resumption(how, 0);

  phase = "a worker with tables of another format";
  rocksdb_cuckoo_table_options_t* cuckoo = rocksdb_cuckoo_options_create();
  rocksdb_compaction_service_options_override_set_cuckoo_table_factory(overrides, cuckoo);
  Compact(db, "not a cuckoo table");
  rocksdb_cuckoo_options_destroy(cuckoo);
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_compaction_service_options_override_set_block_based_table_factory(overrides, table);
  rocksdb_block_based_options_destroy(table);

  phase = "a worker that was given wrong things";
  char directory[500];
  Directory(directory);
  CHECK(rocksdb_open_and_compact(name, directory, "x", 1, &size, overrides, &error) == NULL);
  CHECK(error != NULL && strncmp(error, "Corruption", 10) == 0);
  rocksdb_free(error);
  error = NULL;
  CHECK(rocksdb_open_and_compact(NULL, directory, "x", 1, &size, overrides, &error) == NULL);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;

  phase = "a worker after all";
  Compact(db, NULL);
  CHECK(told == 2 && installed == 0);
  ExpectGet(db, reading, "a", "4");
  CHECK(canceled == 0);
  rocksdb_close(db);
  CHECK(canceled > 0);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  name = argv[1];
  phase = "the start";
  options = rocksdb_options_create();
  reading = rocksdb_readoptions_create();
  writing = rocksdb_writeoptions_create();
  rocksdb_destroy_db(options, name, &error);
  CHECK_OK(error);
  DestroyDirectories();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_disable_auto_compactions(options, 1);
  states = 1;
  rocksdb_options_set_compaction_service(options, NULL);
  rocksdb_options_set_compaction_service(
      options, rocksdb_compactionservice_create(&states, Destroy, Schedule, "a service", Wait,
                                                Cancel, OnInstallation));
  CHECK(rocksdb_compaction_service_options_override_create_from_options(NULL) == NULL);
  overrides = rocksdb_compaction_service_options_override_create_from_options(options);
  rocksdb_compaction_service_options_override_destroy(overrides);
  overrides = rocksdb_compaction_service_options_override_create();
  rocksdb_compaction_service_options_override_set_option(overrides, "block_size", "1000");
  rocksdb_compaction_service_options_override_set_option(overrides, "no_such_option", "1");
  rocksdb_compaction_service_options_override_set_statistics(overrides, options);
  rocksdb_compaction_service_options_override_set_comparator(overrides, NULL);
  rocksdb_compaction_service_options_override_set_merge_operator(overrides, NULL);
  rocksdb_compaction_service_options_override_set_compaction_filter(overrides, NULL);
  rocksdb_compaction_service_options_override_set_compaction_filter_factory(overrides, NULL);
  rocksdb_compaction_service_options_override_set_prefix_extractor(
      overrides, rocksdb_slicetransform_create_noop());
  rocksdb_compaction_service_options_override_set_info_log(overrides, NULL);
  rocksdb_file_checksum_gen_factory_t* checksums = rocksdb_file_checksum_gen_crc32c_factory_create();
  rocksdb_compaction_service_options_override_set_file_checksum_gen_factory(overrides, checksums);
  rocksdb_file_checksum_gen_factory_destroy(checksums);
  rocksdb_sst_partitioner_factory_t* partitioner =
      rocksdb_sst_partitioner_fixed_prefix_factory_create(1);
  rocksdb_compaction_service_options_override_set_sst_partitioner_factory(overrides, partitioner);
  rocksdb_sst_partitioner_factory_destroy(partitioner);
  rocksdb_compaction_service_options_override_add_table_properties_collector_factory(overrides, NULL);
  rocksdb_compaction_service_options_override_add_event_listener(overrides, NULL);
  rocksdb_env_t* env = rocksdb_create_default_env();
  rocksdb_compaction_service_options_override_set_env(overrides, env);
  how = rocksdb_open_and_compact_options_create();

  TestService();

  phase = "the end";
  rocksdb_destroy_db(options, name, &error);
  CHECK_OK(error);
  DestroyDirectories();
  rocksdb_open_and_compact_options_destroy(how);
  rocksdb_compaction_service_options_override_destroy(overrides);
  rocksdb_options_destroy(options);
  rocksdb_env_destroy(env);
  CHECK(states == 0);
  free(kept_input);
  rocksdb_readoptions_destroy(reading);
  rocksdb_writeoptions_destroy(writing);
  return 0;
}
