// Requests of clients through the server's parser and executor, on this very thread, without
// sockets: what scripts/instruction_guard.py counts the instructions of.
//
//   server_requests --command=get|set [--keys=N] [--requests=N] [--value_size=BYTES]
//
// One request is parsed, run and answered after the other, as of clients that do not pipeline, over
// --keys keys that were all set before, in a database of its own in a directory of its own. Prints
// {"operations": N}. Exit status 1: a reply was not what it must be, and stderr has it.
#include <fcntl.h>
#include <gflags/gflags.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fiber/io.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "server/commands/executor.h"
#include "server/host/log.h"
#include "server/net/server.h"
#include "server/resp/request_parser.h"

DEFINE_string(command, "get", "get or set");
DEFINE_uint64(keys, 1000, "keys, of 16 bytes");
DEFINE_uint64(requests, 10000, "requests that are made, after the keys are there");
DEFINE_uint64(value_size, 100, "bytes");

namespace cairn::server {
namespace {

class Requests {
 public:
  explicit Requests(ServerState* state) : executor_(state, &session_, &reply_, NobodyElse()) {}

  // False: the answer is another one. (Not inlined: what is counted is within.)
  [[gnu::noinline]] bool Make(std::string_view bytes, std::string_view expected) {
    words_.clear();
    size_t consumed = 0;
    if (parser_.Next(bytes, &consumed, &words_) != RequestParser::Outcome::kRequest) return false;
    const std::vector<Arguments> requests = {words_};
    executor_.Run(requests);
    const bool good = reply_.text() == expected;
    if (!good) std::fprintf(stderr, "server_requests: %s\n", reply_.ToString().c_str());
    reply_.Clear();
    executor_.ReplySent();
    return good;
  }

 private:
  static Executor::Client NobodyElse() {
    return {[] { return true; }, [] {}, [] { return false; }};
  }

  Session session_;
  ReplyWriter reply_;
  Executor executor_;
  RequestParser parser_;
  std::vector<std::string_view> words_;
};

std::string Words(const std::vector<std::string>& words) {
  std::string text = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string& word : words) {
    text += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
  }
  return text;
}

std::string Key(uint64_t i) {
  char text[32];
  std::snprintf(text, sizeof(text), "key%013llu", static_cast<unsigned long long>(i));
  return text;
}

bool Run(ServerState* state) {
  const std::string value(FLAGS_value_size, 'v');
  const std::string found = "$" + std::to_string(value.size()) + "\r\n" + value + "\r\n";
  std::vector<std::string> gets, sets;
  for (uint64_t i = 0; i < FLAGS_keys; ++i) {
    gets.push_back(Words({"GET", Key(i)}));
    sets.push_back(Words({"SET", Key(i), value}));
  }
  Requests requests(state);
  for (const std::string& set : sets) {
    if (!requests.Make(set, "+OK\r\n")) return false;
  }
  const bool reads = FLAGS_command == "get";
  for (uint64_t i = 0; i < FLAGS_requests; ++i) {
    const uint64_t key = i * 7919 % FLAGS_keys;
    if (!requests.Make((reads ? gets : sets)[key], reads ? found : "+OK\r\n")) return false;
  }
  return true;
}

int Main() {
  if (FLAGS_command != "get" && FLAGS_command != "set") {
    std::fprintf(stderr, "server_requests: --command is get or set\n");
    return 2;
  }
  std::string directory;
  rocksdb::Env* const env = rocksdb::Env::Default();
  if (!env->GetTestDirectory(&directory).ok()) return 1;
  directory += "/server_requests." + env->GenerateUniqueId();
  const int log_fd = fiber::io::open("/dev/null", O_WRONLY);
  Log log(log_fd);
  ServerOptions options;
  options.port = -1;
  options.unix_socket = directory + ".socket";
  options.workers = 1;
  options.directory = directory;
  options.engine.create_if_missing = true;
  std::unique_ptr<Server> server;
  rocksdb::Status s = Server::Start(options, &log, &server);
  bool good = s.ok() && Run(&server->state());
  if (server != nullptr) {
    server->Stop();
    s = server->Join();
    server.reset();
  }
  if (!s.ok()) std::fprintf(stderr, "server_requests: %s\n", s.ToString().c_str());
  good = good && s.ok() && rocksdb::DestroyDB(directory, rocksdb::Options()).ok();
  (void)env->DeleteFile(options.unix_socket);
  fiber::io::close(log_fd);
  if (good)
    std::printf("{\"operations\": %llu}\n", static_cast<unsigned long long>(FLAGS_requests));
  return good ? 0 : 1;
}

}  // namespace
}  // namespace cairn::server

int main(int argc, char** argv) {
  gflags::SetUsageMessage("requests through the server's parser and executor, without sockets");
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  return cairn::server::Main();
}
