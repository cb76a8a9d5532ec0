#include "pool_server/commands.h"

#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace pool_server {
namespace {

struct Context {
  Words request;
  Server* server;
  Store* store;
  Connection* connection;
  ReplyWriter& reply() const { return connection->reply; }
};

bool Is(std::string_view word, std::string_view name) {
  return word.size() == name.size() && strncasecmp(word.data(), name.data(), name.size()) == 0;
}

void Get(const Context& c) { c.store->Get(c.request[1], &c.reply()); }
void MultiGet(const Context& c) { c.store->MultiGet(c.request.subspan(1), &c.reply()); }
void Delete(const Context& c) { c.store->Delete(c.request.subspan(1), &c.reply()); }

void Set(const Context& c) {
  if (c.request.size() != 3) {
    c.reply().Error("ERR syntax error: this server knows no options of SET");
    return;
  }
  c.store->Put(c.request[1], c.request[2], &c.reply());
}

void MultiSet(const Context& c) {
  if (c.request.size() % 2 == 0) {
    c.reply().Error("ERR wrong number of arguments for 'mset' command");
    return;
  }
  c.store->MultiPut(c.request.subspan(1), &c.reply());
}

void Ping(const Context& c) {
  if (c.request.size() > 2) {
    c.reply().Error("ERR wrong number of arguments for 'ping' command");
  } else if (c.request.size() == 2) {
    c.reply().Bulk(c.request[1]);
  } else {
    c.reply().Simple("PONG");
  }
}

void Echo(const Context& c) { c.reply().Bulk(c.request[1]); }

void Hello(const Context& c) {
  if (c.request.size() > 1) {
    if (c.request[1] != "2" && c.request[1] != "3") {
      c.reply().Error("NOPROTO unsupported protocol version");
      return;
    }
    if (c.request.size() > 2) {
      c.reply().Error("ERR syntax error: this server knows no options of HELLO");
      return;
    }
    c.reply().set_version(c.request[1] == "3" ? 3 : 2);
  }
  c.reply().Map(4);
  c.reply().Bulk("server");
  c.reply().Bulk("pool_server");
  c.reply().Bulk("proto");
  c.reply().Integer(c.reply().version());
  c.reply().Bulk("mode");
  c.reply().Bulk("standalone");
  c.reply().Bulk("role");
  c.reply().Bulk("master");
}

void Info(const Context& c) {
  const Server& server = *c.server;
  std::string text =
      "# Server\r\nserver_name:pool_server\r\nprocess_id:" + std::to_string(getpid()) +
      "\r\ntcp_port:" + std::to_string(server.port()) +
      "\r\nio_threads:" + std::to_string(server.options().io_threads) +
      "\r\npool_threads:" + std::to_string(server.options().pool_threads) +
      "\r\n\r\n# Clients\r\nconnected_clients:" + std::to_string(server.clients()) +
      "\r\n\r\n# Stats\r\ntotal_commands_processed:" + std::to_string(server.commands()) + "\r\n";
  const std::string statistics = c.store->Statistics();
  if (!statistics.empty()) text += "\r\n# Engine\r\n" + statistics;
  c.reply().Verbatim("txt", text);
}

// What redis-benchmark asks for when it starts.
void Config(const Context& c) {
  if (!Is(c.request[1], "get")) {
    c.reply().Error("ERR this server knows CONFIG GET only");
    return;
  }
  const std::pair<std::string_view, std::string_view> known[] = {{"save", ""},
                                                                 {"appendonly", "yes"}};
  const auto* const found = std::find_if(std::begin(known), std::end(known), [&](const auto& one) {
    return c.request.size() > 2 && Is(c.request[2], one.first);
  });
  if (found == std::end(known)) {
    c.reply().Map(0);
    return;
  }
  c.reply().Map(1);
  c.reply().Bulk(found->first);
  c.reply().Bulk(found->second);
}

void KeyCount(const Context& c) { c.reply().Raw(":" + c.store->EstimatedKeys() + "\r\n"); }

void Quit(const Context& c) {
  c.reply().Ok();
  c.connection->closing = true;
}

void Shutdown(const Context& c) {
  c.connection->closing = true;
  c.server->Stop();
}

struct Command {
  std::string_view name;
  size_t fewest_words;
  size_t most_words;
  void (*execute)(const Context&);
};
constexpr size_t kAny = SIZE_MAX;
constexpr Command kCommands[] = {
    {"get", 2, 2, Get},
    {"set", 3, kAny, Set},
    {"mget", 2, kAny, MultiGet},
    {"mset", 3, kAny, MultiSet},
    {"del", 2, kAny, Delete},
    {"ping", 1, kAny, Ping},
    {"echo", 2, 2, Echo},
    {"hello", 1, kAny, Hello},
    {"info", 1, kAny, Info},
    {"config", 2, kAny, Config},
    {"dbsize", 1, 1, KeyCount},
    {"quit", 1, 1, Quit},
    {"shutdown", 1, kAny, Shutdown},
};

}  // namespace

void Execute(Words request, Server* server, Store* store, Connection* connection) {
  const std::string_view name = request[0];
  for (const Command& command : kCommands) {
    if (!Is(name, command.name)) continue;
    if (request.size() < command.fewest_words || request.size() > command.most_words) {
      connection->reply.Error("ERR wrong number of arguments for '" + std::string(command.name) +
                              "' command");
    } else {
      command.execute({request, server, store, connection});
    }
    return;
  }
  connection->reply.Error("ERR unknown command '" + std::string(name.substr(0, 128)) + "'");
}

}  // namespace pool_server
