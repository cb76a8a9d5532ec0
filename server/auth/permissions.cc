#include "server/auth/permissions.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "server/resp/words.h"

namespace cairn::server {

namespace {

enum Category : uint32_t {
  kKeyspaceCommands,
  kReadCommands,
  kWriteCommands,
  kSetCommands,
  kSortedSetCommands,
  kListCommands,
  kHashCommands,
  kStringCommands,
  kBitmapCommands,
  kHyperLogLogCommands,
  kGeoCommands,
  kStreamCommands,
  kPubSubCommands,
  kAdminCommands,
  kFastCommands,
  kSlowCommands,
  kBlockingCommands,
  kDangerousCommands,
  kConnectionCommands,
  kTransactionCommands,
  kScriptingCommands,
};

constexpr std::string_view kCategories[] = {
    "keyspace", "read",   "write",       "set",       "sortedset",  "list",        "hash",
    "string",   "bitmap", "hyperloglog", "geo",       "stream",     "pubsub",      "admin",
    "fast",     "slow",   "blocking",    "dangerous", "connection", "transaction", "scripting"};

constexpr uint32_t Bit(Category category) { return uint32_t{1} << category; }

// Groups of commands whose category has another name, or that have none of their own.
constexpr std::pair<std::string_view, uint32_t> kGroups[] = {
    {"sorted-set", Bit(kSortedSetCommands)},
    {"transactions", Bit(kTransactionCommands)},
};

constexpr uint32_t kOfAdmin = Bit(kAdminCommands) | Bit(kDangerousCommands);

struct Subcommands {
  std::string_view command;
  std::string_view names;  // with spaces between
  uint32_t categories;     // beside those of the command
};
constexpr Subcommands kSubcommands[] = {
    {"acl", "deluser dryrun getuser list load log save setuser users", kOfAdmin},
    {"acl", "cat genpass whoami", 0},
    {"client", "kill list no-evict unblock", kOfAdmin},
    {"client", "getname getredir id info no-touch reply setinfo setname trackinginfo", 0},
    {"command", "count docs getkeys info list", 0},
    {"config", "get resetstat set", kOfAdmin},
    {"object", "encoding freq help idletime refcount", 0},
    {"pubsub", "channels numpat numsub shardchannels shardnumsub", 0},
    {"slowlog", "get len reset", kOfAdmin},
};

// Categories that neither the group nor the flags of a command tell.
constexpr uint32_t kOfEveryCollection =
    Bit(kSetCommands) | Bit(kSortedSetCommands) | Bit(kListCommands);
constexpr std::pair<std::string_view, uint32_t> kMore[] = {
    {"command", Bit(kConnectionCommands)},
    {"dbsize", Bit(kKeyspaceCommands)},
    {"flushall", Bit(kKeyspaceCommands) | Bit(kDangerousCommands)},
    {"flushdb", Bit(kKeyspaceCommands) | Bit(kDangerousCommands)},
    {"info", Bit(kDangerousCommands)},
    {"keys", Bit(kDangerousCommands)},
    {"sort", kOfEveryCollection | Bit(kDangerousCommands)},
    {"sort_ro", kOfEveryCollection | Bit(kDangerousCommands)},
    {"swapdb", Bit(kKeyspaceCommands) | Bit(kDangerousCommands)},
    {"wait", Bit(kConnectionCommands)},
};

// What a command does with its first key and with the others, where it is not what its flags say:
// reads read, writes do both. As in Redis, who may only write a key may see that it is there, and
// how large it is: kNoUse asks for either right.
struct KeyUses {
  std::string_view name;
  KeyUse first, others;
};
constexpr KeyUses kKeyUses[] = {
    {"append", kWritesKey, kWritesKey},
    {"bitop", kWritesKey, kReadsKey},
    {"blmove", kReadsAndWritesKey, kWritesKey},
    {"brpoplpush", kReadsAndWritesKey, kWritesKey},
    {"copy", kReadsKey, kWritesKey},
    {"del", kWritesKey, kWritesKey},
    {"exists", kNoUse, kNoUse},
    {"expire", kWritesKey, kWritesKey},
    {"expireat", kWritesKey, kWritesKey},
    {"hdel", kWritesKey, kWritesKey},
    {"hexists", kNoUse, kNoUse},
    {"hlen", kNoUse, kNoUse},
    {"hmset", kWritesKey, kWritesKey},
    {"hset", kWritesKey, kWritesKey},
    {"hsetnx", kWritesKey, kWritesKey},
    {"hstrlen", kNoUse, kNoUse},
    {"linsert", kWritesKey, kWritesKey},
    {"llen", kNoUse, kNoUse},
    {"lmove", kReadsAndWritesKey, kWritesKey},
    {"lpush", kWritesKey, kWritesKey},
    {"lpushx", kWritesKey, kWritesKey},
    {"lrem", kWritesKey, kWritesKey},
    {"lset", kWritesKey, kWritesKey},
    {"ltrim", kWritesKey, kWritesKey},
    {"mset", kWritesKey, kWritesKey},
    {"msetnx", kWritesKey, kWritesKey},
    {"object", kNoUse, kNoUse},
    {"persist", kWritesKey, kWritesKey},
    {"pexpire", kWritesKey, kWritesKey},
    {"pexpireat", kWritesKey, kWritesKey},
    {"psetex", kWritesKey, kWritesKey},
    {"rename", kReadsAndWritesKey, kWritesKey},
    {"renamenx", kReadsAndWritesKey, kWritesKey},
    {"rpoplpush", kReadsAndWritesKey, kWritesKey},
    {"rpush", kWritesKey, kWritesKey},
    {"rpushx", kWritesKey, kWritesKey},
    {"sadd", kWritesKey, kWritesKey},
    {"scard", kNoUse, kNoUse},
    {"sdiffstore", kWritesKey, kReadsKey},
    {"set", kWritesKey, kWritesKey},  // with GET it reads, too
    {"setex", kWritesKey, kWritesKey},
    {"setnx", kWritesKey, kWritesKey},
    {"setrange", kWritesKey, kWritesKey},
    {"sinterstore", kWritesKey, kReadsKey},
    {"sismember", kNoUse, kNoUse},
    {"smove", kReadsAndWritesKey, kWritesKey},
    {"sort", kReadsKey, kWritesKey},
    {"srem", kWritesKey, kWritesKey},
    {"strlen", kNoUse, kNoUse},
    {"sunionstore", kWritesKey, kReadsKey},
    {"touch", kNoUse, kNoUse},
    {"type", kNoUse, kNoUse},
    {"unlink", kWritesKey, kWritesKey},
    {"zadd", kWritesKey, kWritesKey},
    {"zcard", kNoUse, kNoUse},
    {"zdiffstore", kWritesKey, kReadsKey},
    {"zinterstore", kWritesKey, kReadsKey},
    {"zrangestore", kWritesKey, kReadsKey},
    {"zrem", kWritesKey, kWritesKey},
    {"zremrangebylex", kWritesKey, kWritesKey},
    {"zremrangebyrank", kWritesKey, kWritesKey},
    {"zremrangebyscore", kWritesKey, kWritesKey},
    {"zunionstore", kWritesKey, kReadsKey},
};

uint32_t CategoriesByTable(const Command& command) {
  uint32_t bits = 0;
  for (size_t i = 0; i < std::size(kCategories); ++i) {
    if (command.group == kCategories[i]) bits |= uint32_t{1} << i;
  }
  for (const auto& [group, bit] : kGroups) {
    if (command.group == group) bits |= bit;
  }
  const auto add = [&](bool is, uint32_t bit) { bits |= is ? bit : 0; };
  const bool of_data = command.Is(kRead | kWrite);
  add(command.Is(kRead), Bit(kReadCommands));
  add(command.Is(kWrite), Bit(kWriteCommands));
  add(command.Is(kAdmin), kOfAdmin);
  add(command.Is(kBlocks), Bit(kBlockingCommands));
  add(true, command.Is(kFast) ? Bit(kFastCommands) : Bit(kSlowCommands));
  // Those of no one type; but for SORT.
  add(of_data && command.group == "generic" && !command.name.starts_with("sort"),
      Bit(kKeyspaceCommands));
  for (const auto& [name, more] : kMore) add(command.name == name, more);
  return bits;
}

}  // namespace

std::span<const std::string_view> CategoryNames() { return kCategories; }

bool FindCategory(std::string_view name, uint32_t* bit) {
  for (size_t i = 0; i < std::size(kCategories); ++i) {
    if (!EqualsIgnoringCase(name, kCategories[i])) continue;
    *bit = uint32_t{1} << i;
    return true;
  }
  return false;
}

Permissions::Permissions(const CommandTable& table) : table_(table) {
  for (const Command* const command : table.all()) {
    KeyUse use = kNoUse;
    if (command->Is(kRead)) use = kReadsKey;
    if (command->Is(kWrite)) use = kReadsAndWritesKey;
    OfCommand one{all_.size(), 1, use, use};
    const uint32_t categories = CategoriesByTable(*command);
    all_.push_back({std::string(command->name), categories, command});
    for (const Subcommands& subs : kSubcommands) {
      if (subs.command != command->name) continue;
      for (std::string_view rest = subs.names; !rest.empty();) {
        const std::string_view name = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(rest.size(), name.size() + 1));
        all_.push_back({std::string(command->name) + "|" + std::string(name),
                        categories | subs.categories, command});
        ++one.count;
      }
    }
    const auto* const uses =
        std::find_if(std::begin(kKeyUses), std::end(kKeyUses),
                     [&](const KeyUses& known) { return known.name == command->name; });
    if (uses != std::end(kKeyUses)) {
      one.first_key = uses->first;
      one.other_keys = uses->others;
    }
    of_command_.emplace(command, one);
  }
}

size_t Permissions::PlaceOf(const Command& command, Arguments arguments) const {
  const OfCommand& own = of_command_.at(&command);
  if (arguments.size() > 1) {
    for (size_t i = own.first + 1; i < own.first + own.count; ++i) {
      const std::string_view sub = std::string_view(all_[i].name).substr(command.name.size() + 1);
      if (EqualsIgnoringCase(arguments[1], sub)) return i;
    }
  }
  return own.first;
}

std::vector<size_t> Permissions::Named(std::string_view name) const {
  std::vector<size_t> places;
  const Command* const command = table_.Find(name.substr(0, name.find('|')));
  if (command == nullptr) return places;
  const OfCommand& own = of_command_.at(command);
  const bool all = name.find('|') == std::string_view::npos;
  for (size_t i = own.first; i < own.first + own.count; ++i) {
    if (all || EqualsIgnoringCase(name, all_[i].name)) places.push_back(i);
  }
  return places;
}

uint32_t Permissions::CategoriesOf(const Command& command) const {
  return all_[of_command_.at(&command).first].categories;
}

std::vector<UsedKey> Permissions::UsedKeys(const Command& command, Arguments arguments) const {
  KeyUse first = of_command_.at(&command).first_key;
  if (command.name == "set") {
    for (size_t i = 3; i < arguments.size(); ++i) {
      if (EqualsIgnoringCase(arguments[i], "GET")) first = kReadsAndWritesKey;
    }
  }
  if (command.name == "bitfield") {
    // With GET alone it reads.
    bool changes = false;
    for (size_t i = 2; i < arguments.size(); ++i) {
      changes = changes || EqualsIgnoringCase(arguments[i], "SET") ||
                EqualsIgnoringCase(arguments[i], "INCRBY");
    }
    if (!changes) first = kReadsKey;
  }
  std::vector<UsedKey> keys;
  ForEachKeyPosition(command, arguments, [&](size_t position) {
    keys.push_back({position, keys.empty() ? first : of_command_.at(&command).other_keys});
  });
  return keys;
}

bool ReadsUnnamedKeys(const Command& command, Arguments arguments) {
  if (command.name == "range") return true;
  if (command.name != "sort" && command.name != "sort_ro") return false;
  // Patterns lead from elements to keys. (Where one stands as another option's value, no harm.)
  for (size_t i = 3; i < arguments.size(); ++i) {
    const bool by = EqualsIgnoringCase(arguments[i - 1], "BY");
    const bool get = EqualsIgnoringCase(arguments[i - 1], "GET");
    if ((by && arguments[i].find('*') != std::string_view::npos) || (get && arguments[i] != "#")) {
      return true;
    }
  }
  return false;
}

UsedChannels UsedChannelsOf(const Command& command, Arguments arguments) {
  if (command.name == "publish" || command.name == "spublish") {
    return {1, std::min<size_t>(2, arguments.size()), false};
  }
  if (command.name == "subscribe" || command.name == "ssubscribe") {
    return {1, arguments.size(), false};
  }
  if (command.name == "psubscribe") return {1, arguments.size(), true};
  return {};
}

}  // namespace cairn::server
