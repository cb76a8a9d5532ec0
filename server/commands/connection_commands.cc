// What a client says of itself and of its connection. MULTI, EXEC, DISCARD, WATCH, UNWATCH and
// RESET stand here for COMMAND and for their arity; the executor does them.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "fiber/runtime.h"
#include "server/auth/acl.h"
#include "server/auth/permissions.h"
#include "server/commands/command.h"
#include "server/commands/pubsub_commands.h"
#include "server/state/server_state.h"

namespace cairn::server {

namespace {

void BecomeUser(Call& call, const Acl::UserPtr& user) {
  Session& session = call.session;
  session.Say(&session.user, user->name());
  session.user_id.store(user->id());
  session.acl_generation = 0;  // none: the rights are looked up before the next command
}

void ByTheExecutor(Call& call) {
  // Of these only RESET comes here, when the executor has done its part.
  UnsubscribeFromAll(call.server, call.session);
  WriteMessages(call.session, call.reply);
  call.session.database = 0;
  call.session.Say(&call.session.name, {});
  call.session.replies_off = call.session.skip_next_reply = false;
  call.session.durability = call.server.default_durability();
  call.session.authenticated = !call.server.needs_password();
  BecomeUser(call, call.server.acl().Find(Acl::kDefault));
  call.reply.set_version(2);
  call.session.protocol.store(2);
  call.reply.Simple("RESET");
}

void Ping(Call& call) {
  if (call.size() > 2) {
    call.reply.Error("ERR wrong number of arguments for 'ping' command");
    return;
  }
  if (call.session.subscriptions != 0 && call.reply.version() == 2) {
    call.reply.Array(2);
    call.reply.Bulk("pong");
    call.reply.Bulk(call.size() == 2 ? call[1] : std::string_view());
  } else if (call.size() == 2) {
    call.reply.Bulk(call[1]);
  } else {
    call.reply.Simple("PONG");
  }
}

void Echo(Call& call) { call.reply.Bulk(call[1]); }

void Quit(Call& call) {
  call.reply.Ok();
  call.session.close_after_reply = true;
}

constexpr uint64_t kMinDelayNanos = 10'000'000;
constexpr uint64_t kMaxDelayNanos = 500'000'000;

std::string Flags(const Session& session) {
  std::string flags;
  if (session.blocked.load(std::memory_order_relaxed)) flags += 'b';
  if (session.subscriptions.load(std::memory_order_relaxed) != 0) flags += 'P';
  if (session.queued_commands.load(std::memory_order_relaxed) >= 0) flags += 'x';
  return flags.empty() ? "N" : flags;
}

std::string Subscriptions(const Session& session) {
  const auto count = [&session](Audience audience) {
    return std::to_string(
        session.subscribed[static_cast<size_t>(audience)].load(std::memory_order_relaxed));
  };
  return " sub=" + count(Audience::kChannel) + " psub=" + count(Audience::kPattern) +
         " ssub=" + count(Audience::kShard);
}

bool LogIn(Call& call, std::string_view user, std::string_view password) {
  const Acl::UserPtr right = call.server.acl().LogIn(user, password);
  if (right == nullptr) {
    call.server.stats().AddFailedLogin();
    call.server.acl().log().Add({.reason = "auth",
                                 .context = "toplevel",
                                 .object = "AUTH",
                                 .user = std::string(user),
                                 .client = DescribeClient(call.session, call.now_ms())},
                                call.now_ms());
    call.reply.Error("WRONGPASS invalid username-password pair or user is disabled.");
    // Who guesses waits, alone; and connects anew for each few guesses.
    const int late = ++call.session.failed_logins - Session::kPromptFailedLogins;
    if (late > 0) fiber::sleep_for(std::min(kMaxDelayNanos, kMinDelayNanos << std::min(late, 16)));
    if (call.session.failed_logins >= Session::kMaxFailedLogins) {
      call.server.log().Warn("a client guessed passwords", {{"address", call.session.address}});
      call.session.close_after_reply = true;
    }
    return false;
  }
  call.session.authenticated = true;
  call.session.failed_logins = 0;
  BecomeUser(call, right);
  return true;
}

void Auth(Call& call) {
  if (call.size() > 3) {
    call.SyntaxError();
    return;
  }
  if (call.size() == 2 && !call.server.needs_password()) {
    call.reply.Error(
        "ERR AUTH <password> called without any password configured for the default user. Are you "
        "sure your configuration is correct?");
    return;
  }
  const bool ok =
      call.size() == 3 ? LogIn(call, call[1], call[2]) : LogIn(call, "default", call[1]);
  if (ok) call.reply.Ok();
}

bool IsName(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; });
}

// HELLO [version [AUTH user password] [SETNAME name]]
void Hello(Call& call) {
  int64_t version = call.reply.version();
  std::string_view name;
  bool named = false;
  if (call.size() > 1) {
    if (!ParseInteger(call[1], &version)) {
      call.reply.Error("ERR Protocol version is not an integer or out of range");
      return;
    }
    if (version < 2 || version > 3) {
      call.reply.Error("NOPROTO unsupported protocol version");
      return;
    }
  }
  for (size_t i = 2; i < call.size(); ++i) {
    if (call.Is(i, "AUTH") && i + 2 < call.size()) {
      if (!LogIn(call, call[i + 1], call[i + 2])) return;
      i += 2;
    } else if (call.Is(i, "SETNAME") && i + 1 < call.size()) {
      named = true;
      name = call[++i];
      if (!IsName(name)) {
        call.reply.Error("ERR Client names cannot contain spaces, newlines or special characters.");
        return;
      }
    } else {
      call.reply.Error("ERR Syntax error in HELLO option '" + std::string(call[i]) + "'");
      return;
    }
  }
  if (!call.session.authenticated) {
    call.reply.Error(
        "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO "
        "<proto> AUTH <user> <pass> option can be used to authenticate the client and select the "
        "RESP protocol version at the same time");
    return;
  }
  if (named) call.session.Say(&call.session.name, name);
  call.reply.set_version(static_cast<int>(version));
  call.session.protocol.store(static_cast<int>(version));
  call.reply.Map(7);
  call.reply.Bulk("server");
  call.reply.Bulk("redis");
  call.reply.Bulk("version");
  call.reply.Bulk(kRedisVersion);
  call.reply.Bulk("proto");
  call.reply.Integer(version);
  call.reply.Bulk("id");
  call.reply.Integer(static_cast<int64_t>(call.session.id));
  call.reply.Bulk("mode");
  call.reply.Bulk("standalone");
  call.reply.Bulk("role");
  call.reply.Bulk("master");
  call.reply.Bulk("modules");
  call.reply.Array(0);
}

void Select(Call& call) {
  int64_t database;
  if (!ParseInteger(call[1], &database)) {
    call.NotAnInteger();
    return;
  }
  if (database < 0 || database >= call.transaction.keyspace().databases()) {
    call.reply.Error("ERR DB index is out of range");
    return;
  }
  call.session.database = static_cast<int>(database);
  call.session.ns = call.transaction.NamespaceOf(call.session.database);
  call.reply.Ok();
}

// DURABILITY [none | os | sync]: when this connection's writes are acknowledged.
void SetDurability(Call& call) {
  if (call.size() == 1) {
    call.reply.Bulk(DurabilityName(call.session.durability));
    return;
  }
  if (call.size() > 2 || !ParseDurability(call[1], &call.session.durability)) {
    call.reply.Error("ERR DURABILITY takes none, os or sync");
    return;
  }
  call.reply.Ok();
}

// Whether clients of this type are meant; replies if there is no such type.
enum class ClientType { kNormal, kPubSub, kNone };
bool FindType(Call& call, std::string_view name, ClientType* type) {
  if (EqualsIgnoringCase(name, "NORMAL")) {
    *type = ClientType::kNormal;
  } else if (EqualsIgnoringCase(name, "PUBSUB")) {
    *type = ClientType::kPubSub;
  } else if (EqualsIgnoringCase(name, "MASTER") || EqualsIgnoringCase(name, "REPLICA") ||
             EqualsIgnoringCase(name, "SLAVE")) {
    *type = ClientType::kNone;  // nothing is replicated
  } else {
    call.reply.Error("ERR Unknown client type '" + std::string(name) + "'");
    return false;
  }
  return true;
}
bool IsOf(ClientType type, const Session& session) {
  if (type == ClientType::kNone) return false;
  return (session.subscriptions.load(std::memory_order_relaxed) != 0) ==
         (type == ClientType::kPubSub);
}

// CLIENT LIST [TYPE normal|master|replica|pubsub] | [ID id ...]
void ClientList(Call& call) {
  std::vector<uint64_t> ids;
  std::optional<ClientType> type;
  if (call.Is(2, "ID") && call.size() > 3) {
    for (size_t i = 3; i < call.size(); ++i) {
      if (!ParseUnsigned(call[i], &ids.emplace_back())) {
        call.reply.Error("ERR Invalid client ID");
        return;
      }
    }
  } else if (call.Is(2, "TYPE") && call.size() == 4) {
    if (!FindType(call, call[3], &type.emplace())) return;
  } else if (call.size() > 2) {
    call.SyntaxError();
    return;
  }
  std::string text;
  call.server.frontend().ForEachClient([&](ConnectedClient& client) {
    const Session& session = client.session();
    if (session.killed.load()) return;  // it is on its way out
    if (type.has_value() && !IsOf(*type, session)) return;
    if (!ids.empty() && std::find(ids.begin(), ids.end(), session.id) == ids.end()) return;
    text += DescribeClient(session, call.now_ms()) + "\n";
  });
  call.reply.Verbatim("txt", text);
}

struct KillFilter {
  int64_t id = -1;
  std::string_view address, local_address;
  std::optional<uint64_t> user;
  std::optional<ClientType> type;
  bool skip_me = true;

  bool Fits(const Session& session) const {
    return (id < 0 || session.id == static_cast<uint64_t>(id)) &&
           (address.empty() || session.address == address) &&
           (local_address.empty() || session.local_address == local_address) &&
           (!user.has_value() || session.user_id.load() == *user) &&
           (!type.has_value() || IsOf(*type, session));
  }
};

// Replies if it is none.
bool ParseKillFilter(Call& call, KillFilter* filter) {
  for (size_t i = 2; i < call.size(); i += 2) {
    if (i + 1 == call.size()) return call.SyntaxError();
    if (call.Is(i, "ID")) {
      if (!ParseInteger(call[i + 1], &filter->id) || filter->id <= 0) {
        call.reply.Error("ERR client-id should be greater than 0");
        return false;
      }
    } else if (call.Is(i, "ADDR")) {
      filter->address = call[i + 1];
    } else if (call.Is(i, "LADDR")) {
      filter->local_address = call[i + 1];
    } else if (call.Is(i, "USER")) {
      const Acl::UserPtr user = call.server.acl().Find(call[i + 1]);
      if (user == nullptr) {
        call.reply.Error("ERR No such user '" + std::string(call[i + 1]) + "'");
        return false;
      }
      filter->user = user->id();
    } else if (call.Is(i, "TYPE")) {
      if (!FindType(call, call[i + 1], &filter->type.emplace())) return false;
    } else if (call.Is(i, "SKIPME") && (call.Is(i + 1, "YES") || call.Is(i + 1, "NO"))) {
      filter->skip_me = call.Is(i + 1, "YES");
    } else {
      return call.SyntaxError();
    }
  }
  return true;
}

// CLIENT KILL addr | CLIENT KILL [ID id] [ADDR addr] [LADDR addr] [USER name] [TYPE type]
// [SKIPME yes|no]
void ClientKill(Call& call) {
  const bool old_form = call.size() == 3;
  KillFilter filter;
  if (old_form) {
    filter.address = call[2];
    filter.skip_me = false;
  } else if (!ParseKillFilter(call, &filter)) {
    return;
  }
  int64_t killed = 0;
  call.server.frontend().ForEachClient([&](ConnectedClient& client) {
    Session& session = client.session();
    if (session.killed.load() || !filter.Fits(session)) return;
    if (&session == &call.session) {
      if (filter.skip_me) return;
      session.close_after_reply = true;
    } else {
      client.Kill();
    }
    ++killed;
  });
  if (!old_form) {
    call.reply.Integer(killed);
  } else if (killed != 0) {
    call.reply.Ok();
  } else {
    call.reply.Error("ERR No such client");
  }
}

// CLIENT UNBLOCK id [TIMEOUT | ERROR]: ends the wait of another client.
void ClientUnblock(Call& call) {
  if (call.size() == 4 && !call.Is(3, "TIMEOUT") && !call.Is(3, "ERROR")) {
    call.reply.Error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
    return;
  }
  int64_t id;
  if (!call.Integer(2, &id)) return;
  const auto how = call.Is(3, "ERROR") ? Session::Unblock::kError : Session::Unblock::kTimeout;
  bool unblocked = false;
  call.server.frontend().ForEachClient([&](ConnectedClient& client) {
    Session& session = client.session();
    if (session.id != static_cast<uint64_t>(id) || !session.blocked.load()) return;
    session.unblock.store(how);
    client.Wake();
    unblocked = true;
  });
  call.reply.Integer(unblocked ? 1 : 0);
}

void ClientReply(Call& call) {
  if (call.size() == 3 && call.Is(2, "ON")) {
    call.session.replies_off = call.session.skip_reply = false;
    call.reply.Ok();
  } else if (call.size() == 3 && call.Is(2, "OFF")) {
    call.session.replies_off = true;
  } else if (call.size() == 3 && call.Is(2, "SKIP")) {
    call.session.skip_next_reply = true;
  } else {
    call.SyntaxError();
  }
}

void Client(Call& call) {
  Session& session = call.session;
  if (call.Is(1, "ID") && call.size() == 2) {
    call.reply.Integer(static_cast<int64_t>(session.id));
  } else if (call.Is(1, "GETNAME") && call.size() == 2) {
    if (session.name.empty()) {
      call.reply.Null();
    } else {
      call.reply.Bulk(session.name);
    }
  } else if (call.Is(1, "SETNAME") && call.size() == 3) {
    if (!IsName(call[2])) {
      call.reply.Error("ERR Client names cannot contain spaces, newlines or special characters.");
      return;
    }
    session.Say(&session.name, call[2]);
    call.reply.Ok();
  } else if (call.Is(1, "SETINFO") && call.size() == 4 && IsName(call[3])) {
    if (call.Is(2, "LIB-NAME")) {
      session.Say(&session.library_name, call[3]);
    } else if (call.Is(2, "LIB-VER")) {
      session.Say(&session.library_version, call[3]);
    } else {
      call.reply.Error("ERR Unrecognized option '" + std::string(call[2]) + "'");
      return;
    }
    call.reply.Ok();
  } else if (call.Is(1, "LIST")) {
    ClientList(call);
  } else if (call.Is(1, "INFO") && call.size() == 2) {
    call.reply.Verbatim("txt", DescribeClient(session, call.now_ms()) + "\n");
  } else if (call.Is(1, "KILL") && call.size() >= 3) {
    ClientKill(call);
  } else if (call.Is(1, "UNBLOCK") && (call.size() == 3 || call.size() == 4)) {
    ClientUnblock(call);
  } else if (call.Is(1, "REPLY")) {
    ClientReply(call);
  } else if (call.Is(1, "GETREDIR") && call.size() == 2) {
    call.reply.Integer(-1);  // no keys are tracked for clients
  } else if (call.Is(1, "TRACKINGINFO") && call.size() == 2) {
    call.reply.Map(3);
    call.reply.Bulk("flags");
    call.reply.Set(1);
    call.reply.Bulk("off");
    call.reply.Bulk("redirect");
    call.reply.Integer(-1);
    call.reply.Bulk("prefixes");
    call.reply.Array(0);
  } else if ((call.Is(1, "NO-EVICT") || call.Is(1, "NO-TOUCH")) && call.size() == 3 &&
             (call.Is(2, "ON") || call.Is(2, "OFF"))) {
    call.reply.Ok();  // nothing is evicted here
  } else {
    call.NoSuchSubcommand();
  }
}

constexpr uint32_t kOfConnection = kConnection | kFast;
constexpr uint32_t kOfTransaction = kConnection | kImmediate | kFast;
constexpr Command kCommands[] = {
    {"auth", -2, kOfConnection | kNoAuth | kNoMulti, 0, 0, 0, Auth, "connection"},
    {"client", -2, kConnection, 0, 0, 0, Client, "connection"},
    {"discard", 1, kOfTransaction, 0, 0, 0, ByTheExecutor, "transactions"},
    {"durability", -1, kOfConnection, 0, 0, 0, SetDurability, "connection"},
    {"echo", 2, kOfConnection, 0, 0, 0, Echo, "connection"},
    {"exec", 1, kConnection | kImmediate, 0, 0, 0, ByTheExecutor, "transactions"},
    {"hello", -1, kOfConnection | kNoAuth | kNoMulti, 0, 0, 0, Hello, "connection"},
    {"multi", 1, kOfTransaction, 0, 0, 0, ByTheExecutor, "transactions"},
    {"ping", -1, kOfConnection | kPubSub, 0, 0, 0, Ping, "connection"},
    {"quit", -1, kOfTransaction | kNoAuth | kPubSub, 0, 0, 0, Quit, "connection"},
    {"reset", 1, kOfTransaction | kNoAuth | kPubSub, 0, 0, 0, ByTheExecutor, "connection"},
    {"select", 2, kOfConnection, 0, 0, 0, Select, "connection"},
    {"unwatch", 1, kOfConnection, 0, 0, 0, ByTheExecutor, "transactions"},
    {"watch", -2, kOfTransaction, 1, -1, 1, ByTheExecutor, "transactions"},
};

}  // namespace

std::string DescribeClient(const Session& session, uint64_t now_ms) {
  const auto seconds_since = [now_ms](uint64_t then_ms) {
    return std::to_string((now_ms - std::min(now_ms, then_ms)) / 1000);
  };
  const Command* const command = session.last_command.load(std::memory_order_relaxed);
  const Permission* const sub = session.last_subcommand.load(std::memory_order_relaxed);
  std::string last = "NULL";
  if (command != nullptr) last = command->name;
  if (sub != nullptr && sub->command == command) last = sub->name;
  const fiber::MutexLock lock(&session.about_mutex);
  return "id=" + std::to_string(session.id) + " addr=" + session.address +
         " laddr=" + session.local_address + " fd=" + std::to_string(session.fd) +
         " name=" + session.name + " age=" + seconds_since(session.connected_at_ms) +
         " idle=" + seconds_since(session.last_active_ms.load(std::memory_order_relaxed)) +
         " flags=" + Flags(session) + " db=" + std::to_string(session.database.load()) +
         Subscriptions(session) + " multi=" + std::to_string(session.queued_commands.load()) +
         " omem=" + std::to_string(session.subscriber->bytes()) + " cmd=" + last +
         " user=" + session.user + " resp=" + std::to_string(session.protocol.load()) +
         " lib-name=" + session.library_name + " lib-ver=" + session.library_version +
         " tot-cmds=" + std::to_string(session.commands.load());
}

std::span<const Command> ConnectionCommands() { return kCommands; }

}  // namespace cairn::server
