// What people who run the server ask it, and what clients' libraries ask of any server.
#include <algorithm>
#include <cstdio>
#include <string>

#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "server/auth/permissions.h"
#include "server/commands/command.h"
#include "server/commands/info.h"
#include "server/commands/settings.h"
#include "server/state/server_state.h"

namespace cairn::server {

using rocksdb::Status;

namespace {

void Info(Call& call) {
  call.reply.Verbatim("txt", InfoText(call.server, call.arguments.subspan(1)));
}

// CONFIG SET name value [name value ...]: all or nothing.
void ConfigSet(Call& call) {
  struct Change {
    const Setting* setting;
    std::string_view value;
    std::string before;
  };
  std::vector<Change> changes;
  const auto fail = [&call](std::string_view name, const std::string& error) {
    call.reply.Error("ERR CONFIG SET failed (possibly related to argument '" + std::string(name) +
                     "') - " + error);
  };
  for (size_t i = 2; i < call.size(); i += 2) {
    const Setting* const setting = FindSetting(call[i]);
    if (setting == nullptr) {
      call.reply.Error("ERR Unknown option or number of arguments for CONFIG SET - '" +
                       std::string(call[i]) + "'");
      return;
    }
    if (setting->set == nullptr) return fail(call[i], "can't set immutable config");
    if (std::any_of(changes.begin(), changes.end(),
                    [setting](const Change& one) { return one.setting == setting; })) {
      return fail(call[i], "duplicate parameter");
    }
    changes.push_back({setting, call[i + 1], setting->get(call.server)});
  }
  // The password is not shown, so that it could not be given back; but it is never refused.
  const auto password = std::find_if(changes.begin(), changes.end(), [](const Change& one) {
    return one.setting->name == "requirepass";
  });
  if (password != changes.end()) std::rotate(password, password + 1, changes.end());
  for (size_t i = 0; i < changes.size(); ++i) {
    std::string error;
    if (changes[i].setting->set(call.server, changes[i].value, &error)) continue;
    fail(changes[i].setting->name, error);
    for (size_t j = 0; j < i; ++j) {
      (void)changes[j].setting->set(call.server, changes[j].before, &error);
    }
    return;
  }
  call.reply.Ok();
}

void Config(Call& call) {
  if (call.Is(1, "GET") && call.size() >= 3) {
    std::vector<std::pair<std::string, std::string>> found;
    for (const Setting& setting : Settings()) {
      for (size_t i = 2; i < call.size(); ++i) {
        if (!MatchesPattern(call[i], setting.name, /*ignore_case=*/true)) continue;
        found.emplace_back(setting.name, setting.get(call.server));
        break;
      }
    }
    call.reply.Map(found.size());
    for (const auto& [name, value] : found) {
      call.reply.Bulk(name);
      call.reply.Bulk(value);
    }
  } else if (call.Is(1, "SET") && call.size() >= 4 && call.size() % 2 == 0) {
    ConfigSet(call);
  } else if (call.Is(1, "RESETSTAT") && call.size() == 2) {
    call.server.stats().Reset();
    call.reply.Ok();
  } else {
    call.NoSuchSubcommand();
  }
}

void DescribeCommand(Call& call, const Command* command) {
  if (command == nullptr) {
    call.reply.NullArray();
    return;
  }
  std::vector<std::string_view> flags;
  const std::pair<uint32_t, std::string_view> names[] = {
      {kRead, "readonly"}, {kWrite, "write"},     {kAdmin, "admin"},    {kPubSub, "pubsub"},
      {kFast, "fast"},     {kBlocks, "blocking"}, {kNoAuth, "no_auth"}, {kNoMulti, "no_multi"}};
  for (const auto& [flag, name] : names) {
    if (command->Is(flag)) flags.push_back(name);
  }
  if (command->find_keys != nullptr) flags.push_back("movablekeys");
  call.reply.Array(10);
  call.reply.Bulk(command->name);
  call.reply.Integer(command->arity);
  call.reply.Set(flags.size());
  for (const std::string_view flag : flags) call.reply.Simple(flag);
  call.reply.Integer(command->first_key);
  call.reply.Integer(command->last_key);
  call.reply.Integer(command->key_step);
  std::vector<std::string> categories;
  for (size_t i = 0; i < CategoryNames().size(); ++i) {
    if ((CommandPermissions().CategoriesOf(*command) >> i & 1) == 0) continue;
    categories.push_back("@" + std::string(CategoryNames()[i]));
  }
  call.reply.Set(categories.size());
  for (const std::string& category : categories) call.reply.Simple(category);
  call.reply.Array(0);  // tips
  call.reply.Array(0);  // key specifications
  call.reply.Array(0);  // subcommands
}

void CommandGetKeys(Call& call) {
  const Command* const command = FindCommand(call[2]);
  if (command == nullptr) {
    call.reply.Error("ERR Invalid command specified");
    return;
  }
  const Arguments inner = call.arguments.subspan(2);
  if (!command->ArityFits(inner.size())) {
    call.reply.Error("ERR Invalid number of arguments specified for command");
    return;
  }
  std::vector<std::string_view> keys;
  ForEachKey(*command, inner, [&keys](std::string_view key) { keys.push_back(key); });
  if (keys.empty()) {
    call.reply.Error("ERR The command has no key arguments");
    return;
  }
  call.reply.Array(keys.size());
  for (const std::string_view key : keys) call.reply.Bulk(key);
}

// COMMAND LIST [FILTERBY MODULE name | ACLCAT category | PATTERN pattern]
void CommandList(Call& call) {
  const bool all = call.size() == 2;
  if (!all && (call.size() != 5 || !call.Is(2, "FILTERBY"))) {
    call.SyntaxError();
    return;
  }
  uint32_t category = 0;
  const bool by_pattern = !all && call.Is(3, "PATTERN");
  if (!all && call.Is(3, "ACLCAT")) {
    (void)FindCategory(call[4], &category);
  } else if (!all && !by_pattern && !call.Is(3, "MODULE")) {
    call.SyntaxError();
    return;
  }
  // Subcommands are listed, too. There are no modules.
  std::vector<std::string_view> names;
  for (const Permission& one : CommandPermissions().all()) {
    const bool fits = by_pattern ? MatchesPattern(call[4], one.name, /*ignore_case=*/true)
                                 : (one.categories & category) != 0;
    if (all || fits) names.push_back(one.name);
  }
  call.reply.Array(names.size());
  for (const std::string_view name : names) call.reply.Bulk(name);
}

void CommandCommand(Call& call) {
  if (call.size() == 1) {
    call.reply.Array(AllCommands().size());
    for (const Command* const command : AllCommands()) DescribeCommand(call, command);
  } else if (call.Is(1, "COUNT") && call.size() == 2) {
    call.reply.Integer(static_cast<int64_t>(AllCommands().size()));
  } else if (call.Is(1, "LIST")) {
    CommandList(call);
  } else if (call.Is(1, "INFO")) {
    if (call.size() == 2) {
      call.reply.Array(AllCommands().size());
      for (const Command* const command : AllCommands()) DescribeCommand(call, command);
    } else {
      call.reply.Array(call.size() - 2);
      for (size_t i = 2; i < call.size(); ++i) DescribeCommand(call, FindCommand(call[i]));
    }
  } else if (call.Is(1, "DOCS")) {
    std::vector<const Command*> asked;
    if (call.size() == 2) asked = AllCommands();
    for (size_t i = 2; i < call.size(); ++i) {
      if (const Command* const command = FindCommand(call[i])) asked.push_back(command);
    }
    call.reply.Map(asked.size());
    for (const Command* const command : asked) {
      call.reply.Bulk(command->name);
      call.reply.Map(2);
      call.reply.Bulk("group");
      call.reply.Bulk(command->group);
      call.reply.Bulk("arity");
      call.reply.Integer(command->arity);
    }
  } else if (call.Is(1, "GETKEYS") && call.size() >= 3) {
    CommandGetKeys(call);
  } else {
    call.NoSuchSubcommand();
  }
}

void SlowLogCommand(Call& call) {
  SlowLog& log = call.server.slow_log();
  if (call.Is(1, "LEN") && call.size() == 2) {
    call.reply.Integer(static_cast<int64_t>(log.Size()));
  } else if (call.Is(1, "RESET") && call.size() == 2) {
    log.Reset();
    call.reply.Ok();
  } else if (call.Is(1, "GET") && call.size() <= 3) {
    int64_t count = 10;
    if (call.size() == 3 && (!ParseInteger(call[2], &count) || count < -1)) {
      call.reply.Error("ERR count should be greater than or equal to -1");
      return;
    }
    const auto entries = log.Newest(count < 0 ? SIZE_MAX : static_cast<size_t>(count));
    call.reply.Array(entries.size());
    for (const SlowLog::Entry& entry : entries) {
      call.reply.Array(6);
      call.reply.Integer(static_cast<int64_t>(entry.id));
      call.reply.Integer(static_cast<int64_t>(entry.at_s));
      call.reply.Integer(static_cast<int64_t>(entry.micros));
      call.reply.Array(entry.words.size());
      for (const std::string& word : entry.words) call.reply.Bulk(word);
      call.reply.Bulk(entry.address);
      call.reply.Bulk(entry.client_name);
    }
  } else {
    call.NoSuchSubcommand();
  }
}

void Debug(Call& call) {
  double seconds;
  if (call.Is(1, "SLEEP") && call.size() == 3) {
    if (!call.Float(2, &seconds)) return;
    // Only this client waits: the others are other fibers.
    fiber::sleep_for(static_cast<uint64_t>(std::clamp(seconds, 0.0, 3600.0) * 1e9));
    call.reply.Ok();
  } else if (call.Is(1, "ERROR") && call.size() == 3) {
    call.reply.Error(call[2]);  // for tests of clients
  } else {
    call.reply.Error("ERR DEBUG knows SLEEP and ERROR only");
  }
}

void Time(Call& call) {
  const uint64_t micros = fiber::wall_micros();
  call.reply.Array(2);
  call.reply.Bulk(std::to_string(micros / 1'000'000));
  call.reply.Bulk(std::to_string(micros % 1'000'000));
}

// WAIT replicas timeout: there are none, so nobody waits.
void Wait(Call& call) {
  int64_t replicas, timeout;
  if (!call.Integer(1, &replicas) || !call.Integer(2, &timeout)) return;
  if (timeout < 0) {
    call.reply.Error("ERR timeout is negative");
    return;
  }
  call.reply.Integer(0);
}

// ROLE: of a server without replicas.
void Role(Call& call) {
  call.reply.Array(3);
  call.reply.Bulk("master");
  call.reply.Integer(0);
  call.reply.Array(0);
}

void Save(Call& call) {
  const Status s = call.server.checkpoints().Save(call.transaction.keyspace().db());
  if (s.ok()) {
    call.reply.Ok();
  } else if (s.IsBusy()) {
    call.reply.Error("ERR Background save already in progress");
  } else {
    call.Fail(s);
  }
}

// BGSAVE [SCHEDULE]
void BgSave(Call& call) {
  if (call.size() > 2 || (call.size() == 2 && !call.Is(1, "SCHEDULE"))) {
    call.SyntaxError();
    return;
  }
  const Status s = call.server.checkpoints().SaveInBackground(call.transaction.keyspace().db(),
                                                              &call.server.runtime());
  if (s.ok()) {
    call.reply.Simple("Background saving started");
  } else {
    call.reply.Error("ERR Background save already in progress");
  }
}

void LastSave(Call& call) {
  const uint64_t last = call.server.checkpoints().last_s();
  call.reply.Integer(static_cast<int64_t>(last != 0 ? last : call.server.started_at_ms() / 1000));
}

void Shutdown(Call& call) {
  for (size_t i = 1; i < call.size(); ++i) {
    // Everything that was acknowledged is in the log, which is synced at the end, whatever is said.
    if (!call.Is(i, "SAVE") && !call.Is(i, "NOSAVE") && !call.Is(i, "NOW") &&
        !call.Is(i, "FORCE")) {
      call.SyntaxError();
      return;
    }
  }
  call.server.log().Info("a client asks for the shutdown", {{"address", call.session.address}});
  call.session.close_after_reply = true;
  call.server.frontend().Stop();
}

constexpr Command kCommands[] = {
    {"bgsave", -1, kConnection | kAdmin, 0, 0, 0, BgSave, "server"},
    {"command", -1, kConnection, 0, 0, 0, CommandCommand, "server"},
    {"config", -2, kConnection | kAdmin, 0, 0, 0, Config, "server"},
    {"debug", -2, kConnection | kAdmin, 0, 0, 0, Debug, "server"},
    {"info", -1, kConnection, 0, 0, 0, Info, "server"},
    {"lastsave", 1, kConnection | kAdmin | kFast, 0, 0, 0, LastSave, "server"},
    {"role", 1, kConnection | kAdmin | kFast, 0, 0, 0, Role, "server"},
    {"save", 1, kConnection | kAdmin | kNoMulti, 0, 0, 0, Save, "server"},
    {"shutdown", -1, kConnection | kAdmin | kNoMulti, 0, 0, 0, Shutdown, "server"},
    {"slowlog", -2, kConnection | kAdmin, 0, 0, 0, SlowLogCommand, "server"},
    {"time", 1, kConnection | kFast, 0, 0, 0, Time, "server"},
    {"wait", 3, kConnection, 0, 0, 0, Wait, "generic"},
};

}  // namespace

std::span<const Command> ServerCommands() { return kCommands; }

}  // namespace cairn::server
