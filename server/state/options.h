// What a server is started with. main.cc fills it from the command line and the configuration
// file; CONFIG GET shows it, CONFIG SET changes what can be changed while the server runs
// (settings.h).

#ifndef CAIRN_SERVER_STATE_OPTIONS_H_
#define CAIRN_SERVER_STATE_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "rocksdb/options.h"
#include "server/state/session.h"
#include "server/state/tls_options.h"

namespace cairn::server {

struct ServerOptions {
  // An address that is not of this machine alone needs a password.
  std::string bind = "127.0.0.1";
  int port = 6379;          // 0: any that is free; -1: none
  std::string unix_socket;  // a path; empty: none
  int tls_port = -1;        // as port, with TLS
  TlsOptions tls;
  uint64_t tls_handshake_timeout_s = 10;
  int workers = 0;  // 0: as many as there are processors

  std::string directory = "cairn-data";
  std::string checkpoint_directory;  // absolute; empty: beside the data, "<directory>-checkpoints"
  size_t checkpoints_kept = 2;
  int databases = 16;
  rocksdb::Options engine;
  Durability durability = Durability::kSystem;

  std::string password;  // of the user "default"; empty: none is asked for
  std::string acl_file;  // the users; empty: none

  // Limits. 0: none, where it says so.
  size_t max_clients = 10000;
  // Of the process; CONFIG SET maxclients fits clients and open tables into it. 0: as if there were
  // enough for all.
  uint64_t descriptor_limit = 0;
  uint64_t disk_reserve_bytes = 0;  // kept for deletes when the disk is full (disk_reserve.h)
  size_t max_request_bytes = size_t{1} << 30;
  size_t max_argument_bytes = size_t{512} << 20;
  size_t max_arguments = size_t{1} << 20;
  size_t max_reply_bytes = size_t{1} << 30;  // of one command
  // Of what clients size, all together (memory_budget.h); 0: half of what there is.
  uint64_t max_client_memory = 0;
  size_t max_pipeline = 1024;                // requests that are run before their replies are sent
  size_t max_push_bytes = size_t{32} << 20;  // that wait for a subscriber; a slower one is dropped
  uint64_t idle_timeout_s = 0;               // 0: none
  uint64_t send_timeout_s = 60;   // a client that takes nothing for so long is dropped; 0: never
  uint64_t drain_timeout_s = 10;  // of a shutdown

  int64_t slow_log_micros = 10000;  // negative: nothing is logged
  size_t slow_log_length = 128;
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_STATE_OPTIONS_H_
