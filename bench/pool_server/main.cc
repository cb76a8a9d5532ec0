// pool_server: the rival of cairn-server: a server of the Redis protocol in the design that is
// usual for a synchronous engine, an epoll loop and a pool of threads. Its engine is any library
// with RocksDB's C interface; the protocol is cairn-server's own code. Strings only.
#include <gflags/gflags.h>

#include <csignal>
#include <cstdio>
#include <string>

#include "pool_server/server.h"
#include "pool_server/store.h"

DEFINE_string(engine, "", "the engine: a shared library, a path or a name for the linker");
DEFINE_string(db, "", "directory of the database; made if it is missing");
DEFINE_string(bind, "127.0.0.1", "numeric address to listen on");
DEFINE_int32(port, 6379, "TCP port; 0: any that is free, -1: none");
DEFINE_string(unix_socket, "", "path of a Unix socket to listen on");
DEFINE_int32(io_threads, 1, "1 to 64: threads that read requests");
DEFINE_int32(pool_threads, 64, "1 to 1024: threads that call the engine");
DEFINE_bool(sync, false, "a write is on the disk before it is answered");

namespace pool_server {
namespace {

Server* running = nullptr;

int Complain(const std::string& what, int status) {
  std::fprintf(stderr, "pool_server: %s\n", what.c_str());
  return status;
}

int Main() {
  if (FLAGS_engine.empty() || FLAGS_db.empty()) {
    return Complain("--engine=FILE and --db=DIRECTORY are needed", 2);
  }
  if (FLAGS_io_threads < 1 || FLAGS_io_threads > 64) {
    return Complain("--io_threads must be 1 to 64", 2);
  }
  if (FLAGS_pool_threads < 1 || FLAGS_pool_threads > 1024) {
    return Complain("--pool_threads must be 1 to 1024", 2);
  }
  if (FLAGS_port < -1 || FLAGS_port > 65535 || (FLAGS_port < 0 && FLAGS_unix_socket.empty())) {
    return Complain("--port must be 0 to 65535, or -1 with a --unix_socket", 2);
  }
  ServerOptions options;
  options.bind = FLAGS_bind;
  options.port = FLAGS_port;
  options.unix_socket = FLAGS_unix_socket;
  options.io_threads = FLAGS_io_threads;
  options.pool_threads = FLAGS_pool_threads;
  Store store;
  std::string error;
  if (!store.Open(FLAGS_engine, FLAGS_db, FLAGS_sync, &error)) return Complain(error, 1);
  Server server(options, &store);
  if (!server.Start(&error)) return Complain(error, 1);
  running = &server;
  const auto stop = [](int) { running->Stop(); };
  std::signal(SIGTERM, stop);
  std::signal(SIGINT, stop);
  std::fprintf(stderr, "pool_server: ready on port %d\n", server.port());
  server.Join();
  std::signal(SIGTERM, SIG_IGN);
  std::signal(SIGINT, SIG_IGN);
  return 0;
}

}  // namespace
}  // namespace pool_server

int main(int argc, char** argv) {
  gflags::SetUsageMessage(
      "--engine=FILE --db=DIRECTORY [flags]\nServes GET, SET, DEL, MGET, MSET, PING, ECHO, INFO, "
      "CONFIG GET, DBSIZE, HELLO, QUIT and SHUTDOWN from an engine with RocksDB's C interface.");
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  if (argc > 1) {
    return pool_server::Complain(
        "what is '" + std::string(argv[1]) + "'? Flags begin with --; see --help", 2);
  }
  return pool_server::Main();
}
