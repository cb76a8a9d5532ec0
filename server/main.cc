// cairn-server: databases of Redis's types on disk, for any client of Redis.
//
// Options come from the command line and, below it, from a file of lines "name value".
#include <gflags/gflags.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fiber/thread.h"
#include "rocksdb/cache.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "rocksdb/version.h"
#include "server/admin/admin_server.h"
#include "server/host/descriptors.h"
#include "server/host/files.h"
#include "server/host/log.h"
#include "server/host/machine.h"
#include "server/host/requests.h"
#include "server/host/service.h"
#include "server/net/server.h"
#include "server/resp/request_parser.h"

DEFINE_string(config, "",
              "file with options, one a line: \"name value\"; # begins a comment. The "
              "command line overrides it");
DEFINE_string(bind, "127.0.0.1",
              "numeric address to listen on; one that other machines reach needs --password, an "
              "--aclfile that closes the default user or, on "
              "--tls_port, --tls_auth_clients=yes");
DEFINE_int32(port, 6379, "TCP port; 0: any that is free, -1: none");
DEFINE_string(unix_socket, "", "path of a Unix socket to listen on");
DEFINE_int32(tls_port, -1,
             "TCP port for clients that speak TLS (1.2 or 1.3), on --bind; 0: any that is free, "
             "-1: none");
DEFINE_string(tls_cert_file, "",
              "PEM: the server's certificate, and those between it and its authority");
DEFINE_string(tls_key_file, "", "PEM: the key of --tls_cert_file, not encrypted");
DEFINE_string(tls_ca_cert_file, "", "PEM: the authorities that sign clients' certificates");
DEFINE_string(tls_auth_clients, "yes",
              "whether clients on --tls_port need a certificate: yes, no, or optional: one that is "
              "shown must be good");
DEFINE_uint64(tls_handshake_timeout, 10, "seconds that a client has for the TLS handshake");
DEFINE_int32(admin_port, -1, "port of the page and of /metrics, on --admin_bind; -1: none");
DEFINE_string(admin_bind, "127.0.0.1",
              "address of the admin port; one that other machines reach asks for "
              "--password");
DEFINE_int32(workers, 0, "threads that serve clients; 0: as many as there are processors");
DEFINE_string(dir, "cairn-data", "directory of the data; made if it is missing");
DEFINE_string(checkpoint_dir, "",
              "absolute path of the directory for the checkpoints of SAVE and BGSAVE; "
              "empty: beside --dir, its name and \"-checkpoints\"");
DEFINE_uint64(checkpoints_kept, 2, "older checkpoints are deleted");
DEFINE_int32(databases, 16, "number of databases (SELECT 0 ...)");
DEFINE_string(durability, "os",
              "when a write is acknowledged, unless the client asks otherwise "
              "(DURABILITY): none: before it is written; os: when the system has it; sync: when "
              "the disk has it");
DEFINE_string(password, "",
              "what clients must AUTH with, as the user \"default\"; better given in the file");
DEFINE_string(aclfile, "",
              "file of users, each \"user name rules\" as ACL LIST has them; ACL LOAD reads it "
              "again, ACL SAVE replaces it");

DEFINE_uint64(max_clients, 10000,
              "more are turned away; fewer where the limit of open files (ulimit -n) is too low");
DEFINE_uint64(max_request_bytes, uint64_t{1} << 30, "of one request, and of one transaction");
DEFINE_uint64(max_value_bytes, uint64_t{512} << 20, "of one word of a request");
DEFINE_uint64(max_reply_bytes, uint64_t{1} << 30, "of one command");
DEFINE_uint64(max_client_memory, 0,
              "bytes of requests, values that commands make and replies, of all clients together; "
              "more is refused with an error. 0: half of what the process may use");
DEFINE_uint64(max_pipeline, 1024, "requests of one client that run before their replies are sent");
DEFINE_uint64(max_push_bytes, uint64_t{32} << 20,
              "of messages that wait for one subscriber; one that is slower is dropped");
DEFINE_uint64(idle_timeout, 0, "seconds after which a silent client is dropped; 0: never");
DEFINE_uint64(send_timeout, 60,
              "seconds after which a client that takes no reply is dropped; 0: never");
DEFINE_uint64(drain_timeout, 10, "seconds that a shutdown waits for requests that are under way");
DEFINE_int64(slowlog_micros, 10000, "SLOWLOG has commands that took longer; negative: none");
DEFINE_uint64(slowlog_length, 128, "commands that SLOWLOG remembers");

DEFINE_uint64(cache_bytes, uint64_t{256} << 20, "memory for blocks of tables");
DEFINE_uint64(write_buffer_bytes, uint64_t{64} << 20, "memory of one memtable");
DEFINE_int32(max_background_jobs, 2, "flushes and compactions at once");
DEFINE_uint64(disk_reserve_bytes, uint64_t{256} << 20,
              "kept in --dir for deletes when the disk is full, so that room can be made; 0: none");
DEFINE_string(compression, "lz4", "of tables: none, snappy, lz4 or zstd");
DEFINE_bool(direct_reads, false, "tables are read past the page cache");
DEFINE_bool(direct_writes, false, "tables are written past the page cache");

DEFINE_bool(service, false,
            "for Windows' service manager, which starts the program so (sc.exe create ...); all "
            "paths are absolute then. Elsewhere refused: systemd starts it as it is");
DEFINE_string(log_file, "",
              "where the log goes; standard error if empty. SIGHUP opens it again, and reads the "
              "certificates and users again");

namespace {

namespace server = cairn::server;
using rocksdb::Status;

constexpr int kStandardError = 2;

// Options that were given on the command line stay as they are.
Status ApplyFile(const std::string& name) {
  std::string text;
  Status s = server::ReadFile(name, &text);
  if (!s.ok()) return s;
  size_t begin = 0;
  for (int line_number = 1; begin < text.size(); ++line_number) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    const std::string where = name + ":" + std::to_string(line_number);
    std::vector<std::string> words;
    if (!server::SplitWords(line, &words)) {
      return Status::InvalidArgument(where, "the quotes are not balanced");
    }
    if (words.empty()) continue;
    std::replace(words[0].begin(), words[0].end(), '-', '_');
    if (words.size() != 2) return Status::InvalidArgument(where, "a line is \"name value\"");
    if (words[0] == "config") return Status::InvalidArgument(where, "one file is enough");
    if (words[0] == "service") {
      return Status::InvalidArgument(where, "--service belongs on the command line");
    }
    if (gflags::SetCommandLineOptionWithMode(words[0].c_str(), words[1].c_str(),
                                             gflags::SET_FLAGS_DEFAULT)
            .empty()) {
      return Status::InvalidArgument(
          where, "there is no option " + words[0] + " that takes this value; --help lists them");
    }
  }
  return s;
}

// A service starts in a folder of the system's.
Status RefuseRelativePath(const char* flag, const std::string& path) {
  if (!FLAGS_service || path.empty() || server::IsAbsolutePath(path)) return Status::OK();
  return Status::InvalidArgument(std::string(flag) + "=" + path,
                                 "is relative to where the program starts, which is the system's "
                                 "folder for a service: give an absolute path");
}

Status MakeOptions(server::ServerOptions* options) {
  for (const auto& [flag, path] : std::initializer_list<std::pair<const char*, std::string>>{
           {"--dir", FLAGS_dir},
           {"--unix_socket", FLAGS_unix_socket},
           {"--aclfile", FLAGS_aclfile},
           {"--tls_cert_file", FLAGS_tls_cert_file},
           {"--tls_key_file", FLAGS_tls_key_file},
           {"--tls_ca_cert_file", FLAGS_tls_ca_cert_file}}) {
    const Status s = RefuseRelativePath(flag, path);
    if (!s.ok()) return s;
  }
  options->bind = FLAGS_bind;
  options->port = FLAGS_port;
  options->unix_socket = FLAGS_unix_socket;
  options->tls_port = FLAGS_tls_port;
  options->tls.cert_file = FLAGS_tls_cert_file;
  options->tls.key_file = FLAGS_tls_key_file;
  options->tls.ca_cert_file = FLAGS_tls_ca_cert_file;
  if (!server::ParseTlsClients(FLAGS_tls_auth_clients, &options->tls.auth_clients)) {
    return Status::InvalidArgument("--tls_auth_clients takes yes, no or optional");
  }
  options->tls_handshake_timeout_s = std::max<uint64_t>(FLAGS_tls_handshake_timeout, 1);
  options->workers = FLAGS_workers;
  options->directory = FLAGS_dir;
  options->checkpoint_directory = FLAGS_checkpoint_dir;
  if (!FLAGS_checkpoint_dir.empty() && !server::IsAbsolutePath(FLAGS_checkpoint_dir)) {
    return Status::InvalidArgument("--checkpoint_dir takes an absolute path");
  }
  options->checkpoints_kept = std::max<uint64_t>(FLAGS_checkpoints_kept, 1);
  options->databases = FLAGS_databases;
  if (FLAGS_databases < 1 || FLAGS_databases > 10000) {
    return Status::InvalidArgument("--databases takes 1 to 10000");
  }
  if (!server::ParseDurability(FLAGS_durability, &options->durability)) {
    return Status::InvalidArgument("--durability takes none, os or sync");
  }
  options->password = FLAGS_password;
  options->acl_file = FLAGS_aclfile;
  if (FLAGS_max_clients == 0 || FLAGS_max_pipeline == 0 || FLAGS_max_value_bytes == 0 ||
      FLAGS_max_request_bytes < FLAGS_max_value_bytes) {
    return Status::InvalidArgument(
        "--max_clients, --max_pipeline and --max_value_bytes are at least 1, --max_request_bytes "
        "at least --max_value_bytes");
  }
  options->max_clients = FLAGS_max_clients;
  options->disk_reserve_bytes = FLAGS_disk_reserve_bytes;
  options->max_request_bytes = FLAGS_max_request_bytes;
  options->max_argument_bytes = FLAGS_max_value_bytes;
  options->max_reply_bytes = FLAGS_max_reply_bytes;
  options->max_client_memory = FLAGS_max_client_memory;
  options->max_pipeline = FLAGS_max_pipeline;
  options->max_push_bytes = FLAGS_max_push_bytes;
  options->idle_timeout_s = FLAGS_idle_timeout;
  options->send_timeout_s = FLAGS_send_timeout;
  options->drain_timeout_s = FLAGS_drain_timeout;
  options->slow_log_micros = FLAGS_slowlog_micros;
  options->slow_log_length = FLAGS_slowlog_length;

  rocksdb::Options& engine = options->engine;
  engine.create_if_missing = true;
  engine.statistics = rocksdb::CreateDBStatistics();
  engine.write_buffer_size = FLAGS_write_buffer_bytes;
  // A Get of what is in a table need not search the memtable.
  engine.memtable_prefix_bloom_size_ratio = 0.05;
  engine.memtable_whole_key_filtering = true;
  engine.max_background_jobs = FLAGS_max_background_jobs;
  engine.use_direct_reads = FLAGS_direct_reads;
  engine.use_direct_io_for_flush_and_compaction = FLAGS_direct_writes;
  const std::pair<const char*, rocksdb::CompressionType> compressions[] = {
      {"none", rocksdb::kNoCompression},
      {"snappy", rocksdb::kSnappyCompression},
      {"lz4", rocksdb::kLZ4Compression},
      {"zstd", rocksdb::kZSTD}};
  const auto* const chosen =
      std::find_if(std::begin(compressions), std::end(compressions),
                   [](const auto& one) { return FLAGS_compression == one.first; });
  if (chosen == std::end(compressions)) {
    return Status::InvalidArgument("--compression takes none, snappy, lz4 or zstd");
  }
  engine.compression = chosen->second;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(FLAGS_cache_bytes);
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  engine.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return Status::OK();
}

// Fits clients and open tables into what the process may open.
Status ShareDescriptors(server::ServerOptions* options, server::Log* log) {
  const uint64_t limit = server::RaiseDescriptorLimit();
  server::DescriptorPlan plan;
  const Status s = server::PlanDescriptors(limit, options->max_clients, &plan);
  if (!s.ok()) return s;
  if (plan.clients < options->max_clients) {
    log->Warn("fewer clients than asked for: the limit of open files (ulimit -n) is too low",
              {{"limit", std::to_string(limit)},
               {"asked", std::to_string(options->max_clients)},
               {"max_clients", std::to_string(plan.clients)},
               {"open_tables", std::to_string(plan.max_open_files)}});
  }
  options->descriptor_limit = limit;
  options->max_clients = plan.clients;
  options->engine.max_open_files = plan.max_open_files;
  return s;
}

// SUSPENDS until the server has stopped.
Status Serve(server::Log* log) {
  Status s = server::CatchRequests();
  server::ServerOptions options;
  if (s.ok()) s = MakeOptions(&options);
  if (s.ok()) s = ShareDescriptors(&options, log);
  if (!s.ok()) return s;

  std::unique_ptr<server::Server> running;
  s = server::Server::Start(options, log, &running);
  if (!s.ok()) return s;
  log->Info("ready", {{"dir", options.directory},
                      {"durability", std::string(server::DurabilityName(options.durability))},
                      {"workers", std::to_string(running->state().runtime().workers())}});

  std::unique_ptr<server::AdminServer> admin;
  if (FLAGS_admin_port != -1) {
    s = server::AdminServer::Start(&running->state(), FLAGS_admin_bind, FLAGS_admin_port, &admin);
    if (!s.ok()) return s;
  }

  fiber::Thread signals("signals", [&running, log] {
    bool asked = false;
    for (;;) {
      const server::ProcessRequest request = server::NextRequest();
      if (request == server::ProcessRequest::kNoMore) return;
      if (request == server::ProcessRequest::kReload) {
        running->Reload();
        continue;
      }
      if (asked) server::LeaveAtOnce();  // who asks twice does not want to wait
      asked = true;
      log->Info("a signal asks for the shutdown");
      running->Stop();
    }
  });
  server::ServiceIsReady();
  running->WaitForStop();
  admin.reset();
  s = running->Join();
  server::EndRequests();
  signals.join();
  return s;
}

// What is left to do when the command line was read. `stray`: what of it is no option, or "".
Status Run(const std::string& stray) {
  Status s;
  if (!stray.empty()) s = Status::InvalidArgument(stray + " is no option; try --help");
  if (s.ok()) s = RefuseRelativePath("--config", FLAGS_config);
  if (s.ok() && !FLAGS_config.empty()) s = ApplyFile(FLAGS_config);
  std::unique_ptr<server::Log> log = std::make_unique<server::Log>(kStandardError);
  if (s.ok()) s = RefuseRelativePath("--log_file", FLAGS_log_file);
  if (s.ok() && !FLAGS_log_file.empty()) s = server::Log::Open(FLAGS_log_file, &log);
  if (s.ok()) s = Serve(log.get());
  // Standard error, where main() tells it, is nowhere for many who keep a file.
  if (!s.ok() && !log->file().empty()) log->Error("it ends", {{"error", s.ToString()}});
  return s;
}

}  // namespace

int main(int argc, char** argv) {
  gflags::SetUsageMessage(
      "serves databases of Redis's types from disk, to any client of Redis.\n\n"
      "  cairn-server --dir=data --port=6379\n  redis-cli -p 6379 set greeting hello");
  gflags::SetVersionString(rocksdb::GetRocksBuildProperties().at("cairn_version"));
  gflags::ParseCommandLineNonHelpFlags(&argc, &argv, true);
  // Only our own options are of interest to whoever asks.
  if (!gflags::GetCommandLineFlagInfoOrDie("help").is_default) {
    gflags::ShowUsageWithFlagsRestrict(argv[0], "server/main");
    return 0;
  }
  gflags::HandleCommandLineHelpFlags();
  const std::string stray = argc > 1 ? argv[1] : "";
  const Status s = FLAGS_service
                       ? server::RunAsService("cairn-server", [&stray] { return Run(stray); })
                       : Run(stray);
  if (s.ok()) return 0;
  std::fprintf(stderr, "cairn-server: %s\n", s.ToString().c_str());
  return 1;
}
