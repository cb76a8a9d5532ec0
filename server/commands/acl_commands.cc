// ACL: users and what they may do (auth/acl.h).
#include <algorithm>
#include <string>
#include <vector>

#include "server/auth/acl.h"
#include "server/commands/command.h"
#include "server/state/server_state.h"

namespace cairn::server {

using rocksdb::Status;

namespace {

void ReplyWords(Call& call, const std::vector<std::string>& words) {
  call.reply.Array(words.size());
  for (const std::string& word : words) call.reply.Bulk(word);
}

void SetUser(Call& call) {
  if (!Acl::IsName(call[2])) {
    call.reply.Error("ERR Usernames can't contain spaces or null characters");
    return;
  }
  AclChanges changes;
  std::string error;
  if (!call.server.acl().SetUser(call[2], call.arguments.subspan(3), &changes, &error)) {
    call.reply.Error("ERR " + error);
    return;
  }
  call.server.DropUsers(changes, &call.session);
  call.reply.Ok();
}

void GetUser(Call& call) {
  const Acl::UserPtr user = call.server.acl().Find(call[2]);
  if (user == nullptr) {
    call.reply.Null();
    return;
  }
  call.reply.Map(6);
  call.reply.Bulk("flags");
  std::vector<std::string_view> flags = {user->on() ? "on" : "off"};
  if (user->nopass()) flags.push_back("nopass");
  call.reply.Set(flags.size());
  for (const std::string_view flag : flags) call.reply.Bulk(flag);
  call.reply.Bulk("passwords");
  call.reply.Array(user->passwords().size());
  for (const PasswordHash& hash : user->passwords()) call.reply.Bulk(HashToHex(hash));
  call.reply.Bulk("commands");
  call.reply.Bulk(user->DescribeCommands());
  call.reply.Bulk("keys");
  call.reply.Bulk(user->DescribeKeys());
  call.reply.Bulk("channels");
  call.reply.Bulk(user->DescribeChannels());
  call.reply.Bulk("selectors");
  call.reply.Array(0);
}

void DelUser(Call& call) {
  for (size_t i = 2; i < call.size(); ++i) {
    if (call[i] == Acl::kDefault) {
      call.reply.Error("ERR The 'default' user cannot be removed");
      return;
    }
  }
  int64_t deleted = 0;
  AclChanges changes;
  for (size_t i = 2; i < call.size(); ++i) {
    deleted += call.server.acl().Delete(call[i], &changes) ? 1 : 0;
  }
  call.server.DropUsers(changes, &call.session);
  call.reply.Integer(deleted);
}

void List(Call& call) {
  std::vector<std::string> lines;
  for (const Acl::UserPtr& user : call.server.acl().Users()) {
    lines.push_back("user " + user->name() + " " + user->Describe());
  }
  ReplyWords(call, lines);
}

void Users(Call& call) {
  std::vector<std::string> names;
  for (const Acl::UserPtr& user : call.server.acl().Users()) names.push_back(user->name());
  ReplyWords(call, names);
}

// ACL CAT [category]
void Cat(Call& call) {
  if (call.size() == 2) {
    call.reply.Array(CategoryNames().size());
    for (const std::string_view name : CategoryNames()) call.reply.Bulk(name);
    return;
  }
  uint32_t category;
  if (!FindCategory(call[2], &category)) {
    call.reply.Error("ERR Unknown category '" + std::string(call[2]) + "'");
    return;
  }
  std::vector<std::string> names;
  for (const Permission& one : CommandPermissions().all()) {
    if ((one.categories & category) != 0) names.push_back(one.name);
  }
  ReplyWords(call, names);
}

// ACL GENPASS [bits]
void GenPass(Call& call) {
  int64_t bits = 256;
  if (call.size() == 3 && (!ParseInteger(call[2], &bits) || bits <= 0 || bits > 4096)) {
    call.reply.Error(
        "ERR ACL GENPASS argument must be the number of bits for the output password, a positive "
        "number up to 4096");
    return;
  }
  const auto digits = static_cast<size_t>((bits + 3) / 4);
  const std::string password = RandomHex(digits);
  if (password.size() != digits) {
    call.reply.Error("ERR the system has no random numbers");
    return;
  }
  call.reply.Bulk(password);
}

// ACL DRYRUN user command [word ...]
void DryRun(Call& call) {
  const Acl::UserPtr user = call.server.acl().Find(call[2]);
  if (user == nullptr) {
    call.reply.Error("ERR User '" + std::string(call[2]) + "' not found");
    return;
  }
  const Command* const command = FindCommand(call[3]);
  if (command == nullptr) {
    call.reply.Error("ERR Command '" + std::string(call[3]) + "' not found");
    return;
  }
  const Arguments words = call.arguments.subspan(3);
  if (!command->ArityFits(words.size())) {
    call.reply.Error("ERR wrong number of arguments for '" + std::string(command->name) +
                     "' command");
    return;
  }
  size_t position;
  const std::string may_not = "This user has no permissions to ";
  switch (user->Check(*command, words, &position)) {
    case AclUser::Denied::kNothing:
      call.reply.Ok();
      return;
    case AclUser::Denied::kCommand:
      call.reply.Bulk(may_not + "run the '" + CommandPermissions().Of(*command, words).name +
                      "' command");
      return;
    case AclUser::Denied::kKey:
      call.reply.Bulk(may_not + (position == 0
                                     ? "access every key"
                                     : "access the '" + std::string(words[position]) + "' key"));
      return;
    case AclUser::Denied::kChannel:
      call.reply.Bulk(may_not + "access the '" + std::string(words[position]) + "' channel");
      return;
  }
}

// ACL LOG [count | RESET]
void Log(Call& call) {
  AclLog& log = call.server.acl().log();
  if (call.Is(2, "RESET")) {
    log.Reset();
    call.reply.Ok();
    return;
  }
  int64_t count = 10;
  if (call.size() == 3 && (!call.Integer(2, &count))) return;
  const std::vector<AclLog::Entry> entries =
      log.Newest(static_cast<size_t>(std::max<int64_t>(count, 0)));
  const uint64_t now_ms = call.now_ms();
  call.reply.Array(entries.size());
  for (const AclLog::Entry& entry : entries) {
    call.reply.Map(10);
    call.reply.Bulk("count");
    call.reply.Integer(static_cast<int64_t>(entry.count));
    for (const auto& [name, text] :
         {std::pair<std::string_view, std::string_view>{"reason", entry.reason},
          {"context", entry.context},
          {"object", entry.object},
          {"username", entry.user}}) {
      call.reply.Bulk(name);
      call.reply.Bulk(text);
    }
    call.reply.Bulk("age-seconds");
    call.reply.Double(static_cast<double>(now_ms - std::min(now_ms, entry.last_at_ms)) / 1000);
    call.reply.Bulk("client-info");
    call.reply.Bulk(entry.client);
    call.reply.Bulk("entry-id");
    call.reply.Integer(static_cast<int64_t>(entry.id));
    call.reply.Bulk("timestamp-created");
    call.reply.Integer(static_cast<int64_t>(entry.first_at_ms));
    call.reply.Bulk("timestamp-last-updated");
    call.reply.Integer(static_cast<int64_t>(entry.last_at_ms));
  }
}

bool HasFile(Call& call) {
  if (!call.server.acl().file().empty()) return true;
  call.reply.Error("ERR This server has no ACL file: start it with --aclfile");
  return false;
}

void Load(Call& call) {
  if (!HasFile(call)) return;
  AclChanges changes;
  const Status s = call.server.acl().Load(&changes);
  if (!s.ok()) {
    call.Fail(s);
    return;
  }
  call.server.DropUsers(changes, &call.session);
  call.reply.Ok();
}

void Save(Call& call) {
  if (!HasFile(call)) return;
  const Status s = call.server.acl().Save();
  if (s.ok()) {
    call.reply.Ok();
  } else {
    call.Fail(s);
  }
}

void WhoAmI(Call& call) { call.reply.Bulk(call.session.user); }

struct Subcommand {
  std::string_view name;
  size_t min_words, max_words;
  void (*run)(Call& call);
};
constexpr Subcommand kSubcommands[] = {
    {"CAT", 2, 3, Cat},
    {"DELUSER", 3, SIZE_MAX, DelUser},
    {"DRYRUN", 4, SIZE_MAX, DryRun},
    {"GENPASS", 2, 3, GenPass},
    {"GETUSER", 3, 3, GetUser},
    {"LIST", 2, 2, List},
    {"LOAD", 2, 2, Load},
    {"LOG", 2, 3, Log},
    {"SAVE", 2, 2, Save},
    {"SETUSER", 3, SIZE_MAX, SetUser},
    {"USERS", 2, 2, Users},
    {"WHOAMI", 2, 2, WhoAmI},
};

void RunAcl(Call& call) {
  for (const Subcommand& one : kSubcommands) {
    if (!call.Is(1, one.name) || call.size() < one.min_words || call.size() > one.max_words) {
      continue;
    }
    one.run(call);
    return;
  }
  call.NoSuchSubcommand();
}

constexpr Command kCommands[] = {
    {"acl", -2, kConnection, 0, 0, 0, RunAcl, "server"},
};

}  // namespace

std::span<const Command> AclCommands() { return kCommands; }

}  // namespace cairn::server
