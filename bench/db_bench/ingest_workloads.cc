// Tables that are made outside the database and taken into it.

#include <string>
#include <vector>

#include "db_bench/flags.h"
#include "db_bench/support.h"
#include "db_bench/workloads.h"
#include "rocksdb/env.h"
#include "rocksdb/sst_file_writer.h"

namespace db_bench {

namespace {

// All --num keys in order; the bytes of keys and values.
uint64_t WriteTable(Client* client, const std::string& path) {
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), client->shared->db->GetOptions());
  rocksdb::Status s = writer.Open(path);
  if (!s.ok()) Fail("cannot make a table", s);
  Key key;
  uint64_t bytes = 0;
  for (int64_t number = 0; s.ok() && number < FLAGS_num; number++) {
    const rocksdb::Slice k = key.Set(static_cast<uint64_t>(number));
    const rocksdb::Slice value = NextValue(client);
    s = writer.Put(k, value);
    bytes += k.size() + value.size();
  }
  if (s.ok()) s = writer.Finish();
  if (!s.ok()) Fail("cannot write a table", s);
  return bytes;
}

// Each call takes tables of the same keys, which so lie above each other. An operation is a call,
// and the making of its tables.
void IngestExternalFile(Client* client) {
  rocksdb::DB* db = client->shared->db;
  rocksdb::Env* env = db->GetEnv();
  const std::string folder = db->GetName() + "/ingest_tmp";
  rocksdb::Status s = env->CreateDirIfMissing(folder);
  if (!s.ok()) Fail("cannot make a directory for the tables", s);
  rocksdb::IngestExternalFileOptions options;
  options.move_files = true;
  options.file_opening_threads = FLAGS_ingest_external_file_file_opening_threads;
  options.fill_cache = FLAGS_ingest_external_file_fill_cache;
  options.prefetch_lmax_index_and_filter_blocks =
      FLAGS_ingest_external_file_prefetch_lmax_index_and_filter_blocks;
  for (int call = 0; call < FLAGS_ingest_external_file_num_batches; call++) {
    std::vector<std::string> tables;
    for (int i = 0; i < FLAGS_ingest_external_file_batch_size; i++) {
      tables.push_back(folder + "/ingest_" + std::to_string(call) + "_" + std::to_string(i) +
                       ".sst");
      client->stats.AddBytes(WriteTable(client, tables.back()));
    }
    s = db->IngestExternalFile(tables, options);
    if (!s.ok()) Fail("ingest", s);
    client->stats.FinishedOps(db, 1, OpKind::kWrite);
  }
  s = env->DeleteDir(folder);
  if (!s.ok()) Fail("cannot remove the directory of the tables", s);
  client->stats.AddMessage("(" + std::to_string(FLAGS_ingest_external_file_num_batches) +
                           " batches x " + std::to_string(FLAGS_ingest_external_file_batch_size) +
                           " files, " + std::to_string(FLAGS_num) + " keys/file, " +
                           std::to_string(FLAGS_ingest_external_file_file_opening_threads) +
                           " threads)");
}

std::string WhyNoIngest() {
  return UsesTimestamps() ? "ingestexternalfile: without --user_timestamp_size" : "";
}

}  // namespace

std::vector<NamedWorkload> IngestWorkloads() {
  std::vector<NamedWorkload> all;
  all.push_back({.name = "ingestexternalfile",
                 .help = "make tables of N keys each and ingest them",
                 .run = IngestExternalFile,
                 .single_client = true,
                 .refusal = WhyNoIngest});
  return all;
}

}  // namespace db_bench
