// The C interface: traces of operations (rocksdb/c_traces.h).
#include "c/c_objects.h"
#include "rocksdb/block_cache_trace_writer.h"
#include "rocksdb/trace_reader_writer.h"
#include "rocksdb/trace_record_result.h"
#include "rocksdb/utilities/replayer.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API
using cairn::Report;

struct rocksdb_trace_options_t {
  TraceOptions rep;
};
struct rocksdb_replay_options_t {
  ReplayOptions rep;
};
struct rocksdb_replayer_t {
  std::unique_ptr<Replayer> rep;
};
struct rocksdb_trace_reader_t {
  std::unique_ptr<TraceReader> rep;
};
struct rocksdb_block_cache_trace_options_t {
  BlockCacheTraceOptions rep;
};
struct rocksdb_block_cache_trace_writer_options_t {
  BlockCacheTraceWriterOptions rep;
};

namespace {

Env* EnvOf(rocksdb_env_t* env) { return env == nullptr ? Env::Default() : env->rep; }
EnvOptions OptionsOf(const rocksdb_envoptions_t* options) {
  return options == nullptr ? EnvOptions() : options->rep;
}

std::unique_ptr<TraceReader> OpenTrace(rocksdb_env_t* env, const rocksdb_envoptions_t* options,
                                       const char* path, char** errptr) {
  std::unique_ptr<TraceReader> reader;
  Report(errptr, NewFileTraceReader(EnvOf(env), OptionsOf(options), path, &reader));
  return reader;
}

// Null: an error was reported.
std::unique_ptr<TraceWriter> NewTrace(rocksdb_env_t* env, const rocksdb_envoptions_t* options,
                                      const char* path, char** errptr) {
  std::unique_ptr<TraceWriter> writer;
  Report(errptr, NewFileTraceWriter(EnvOf(env), OptionsOf(options), path, &writer));
  return writer;
}

}  // namespace

extern "C" {

rocksdb_trace_options_t* rocksdb_trace_options_create(void) { return new rocksdb_trace_options_t; }
void rocksdb_trace_options_destroy(rocksdb_trace_options_t* options) { delete options; }
CAIRN_C_OPTION(trace_options, uint64_t, max_trace_file_size)
CAIRN_C_OPTION(trace_options, uint64_t, sampling_frequency)
CAIRN_C_OPTION(trace_options, uint64_t, filter)
CAIRN_C_OPTION(trace_options, unsigned char, preserve_write_order)

void rocksdb_start_trace(rocksdb_t* db, rocksdb_env_t* env, const rocksdb_envoptions_t* env_options,
                         const rocksdb_trace_options_t* options, const char* trace_path,
                         char** errptr) {
  std::unique_ptr<TraceWriter> writer = NewTrace(env, env_options, trace_path, errptr);
  if (writer != nullptr) Report(errptr, db->rep->StartTrace(options->rep, std::move(writer)));
}
void rocksdb_end_trace(rocksdb_t* db, char** errptr) { Report(errptr, db->rep->EndTrace()); }

rocksdb_trace_reader_t* rocksdb_trace_reader_create(rocksdb_env_t* env,
                                                    const rocksdb_envoptions_t* env_options,
                                                    const char* trace_path, char** errptr) {
  std::unique_ptr<TraceReader> reader = OpenTrace(env, env_options, trace_path, errptr);
  return reader == nullptr ? nullptr : new rocksdb_trace_reader_t{std::move(reader)};
}
void rocksdb_trace_reader_destroy(rocksdb_trace_reader_t* reader) { delete reader; }
char* rocksdb_trace_reader_read(rocksdb_trace_reader_t* reader, size_t* size, char** errptr) {
  *size = 0;
  std::string data;
  const Status s = reader->rep->Read(&data);
  if (s.IsIncomplete() || !Report(errptr, s)) return nullptr;
  *size = data.size();
  return cairn::CopyBytes(data);
}
void rocksdb_trace_reader_reset(rocksdb_trace_reader_t* reader, char** errptr) {
  Report(errptr, reader->rep->Reset());
}
void rocksdb_trace_reader_close(rocksdb_trace_reader_t* reader, char** errptr) {
  Report(errptr, reader->rep->Close());
}

rocksdb_replayer_t* rocksdb_new_default_replayer(rocksdb_t* db,
                                                 rocksdb_column_family_handle_t** column_families,
                                                 size_t num_column_families, rocksdb_env_t* env,
                                                 const rocksdb_envoptions_t* env_options,
                                                 const char* trace_path, char** errptr) {
  std::unique_ptr<TraceReader> reader = OpenTrace(env, env_options, trace_path, errptr);
  if (reader == nullptr) return nullptr;
  std::vector<ColumnFamilyHandle*> handles;
  for (size_t i = 0; i < num_column_families; ++i) handles.push_back(column_families[i]->rep);
  auto replayer = std::make_unique<rocksdb_replayer_t>();
  const Status s = db->rep->NewDefaultReplayer(handles, std::move(reader), &replayer->rep);
  return Report(errptr, s) ? replayer.release() : nullptr;
}
void rocksdb_replayer_destroy(rocksdb_replayer_t* replayer) { delete replayer; }
void rocksdb_replayer_prepare(rocksdb_replayer_t* replayer, char** errptr) {
  Report(errptr, replayer->rep->Prepare());
}
uint64_t rocksdb_replayer_get_header_timestamp(const rocksdb_replayer_t* replayer) {
  return replayer->rep->GetHeaderTimestamp();
}
void rocksdb_replayer_replay(rocksdb_replayer_t* replayer, const rocksdb_replay_options_t* options,
                             char** errptr) {
  Report(errptr, replayer->rep->Replay(options->rep, nullptr));
}
rocksdb_replay_options_t* rocksdb_replay_options_create(void) {
  return new rocksdb_replay_options_t;
}
void rocksdb_replay_options_destroy(rocksdb_replay_options_t* options) { delete options; }
CAIRN_C_OPTION(replay_options, uint32_t, num_threads)
CAIRN_C_OPTION(replay_options, double, fast_forward)

rocksdb_block_cache_trace_options_t* rocksdb_block_cache_trace_options_create(void) {
  return new rocksdb_block_cache_trace_options_t;
}
void rocksdb_block_cache_trace_options_destroy(rocksdb_block_cache_trace_options_t* options) {
  delete options;
}
CAIRN_C_OPTION(block_cache_trace_options, uint64_t, sampling_frequency)
rocksdb_block_cache_trace_writer_options_t* rocksdb_block_cache_trace_writer_options_create(void) {
  return new rocksdb_block_cache_trace_writer_options_t;
}
void rocksdb_block_cache_trace_writer_options_destroy(
    rocksdb_block_cache_trace_writer_options_t* options) {
  delete options;
}
CAIRN_C_OPTION(block_cache_trace_writer_options, uint64_t, max_trace_file_size)
void rocksdb_start_block_cache_trace(rocksdb_t* db, rocksdb_env_t* env,
                                     const rocksdb_envoptions_t* env_options,
                                     const rocksdb_trace_options_t* options, const char* trace_path,
                                     char** errptr) {
  std::unique_ptr<TraceWriter> writer = NewTrace(env, env_options, trace_path, errptr);
  if (writer == nullptr) return;
  Report(errptr, db->rep->StartBlockCacheTrace(options->rep, std::move(writer)));
}
void rocksdb_start_block_cache_trace_with_options(
    rocksdb_t* db, rocksdb_env_t* env, const rocksdb_envoptions_t* env_options,
    const rocksdb_block_cache_trace_options_t* options,
    const rocksdb_block_cache_trace_writer_options_t* writer_options, const char* trace_path,
    char** errptr) {
  std::unique_ptr<TraceWriter> writer = NewTrace(env, env_options, trace_path, errptr);
  if (writer == nullptr) return;
  Report(errptr,
         db->rep->StartBlockCacheTrace(
             options->rep, NewBlockCacheTraceWriter(EnvOf(env)->GetSystemClock().get(),
                                                    writer_options->rep, std::move(writer))));
}
void rocksdb_end_block_cache_trace(rocksdb_t* db, char** errptr) {
  Report(errptr, db->rep->EndBlockCacheTrace());
}
void rocksdb_start_io_trace(rocksdb_t* db, rocksdb_env_t* env,
                            const rocksdb_envoptions_t* env_options,
                            const rocksdb_trace_options_t* options, const char* trace_path,
                            char** errptr) {
  std::unique_ptr<TraceWriter> writer = NewTrace(env, env_options, trace_path, errptr);
  if (writer == nullptr) return;
  Report(errptr, db->rep->StartIOTrace(options->rep, std::move(writer)));
}
void rocksdb_end_io_trace(rocksdb_t* db, char** errptr) { Report(errptr, db->rep->EndIOTrace()); }

}  // extern "C"
