// OBJECT: how a key's value is stored, as far as that means something here.
#include <string>
#include <string_view>

#include "server/commands/command.h"

namespace cairn::server {

using rocksdb::PinnableSlice;

namespace {

// The longest string that Redis keeps beside its header.
constexpr size_t kMaxEmbeddedBytes = 44;

// Redis's names. Elements are pairs of the store however many they are, so collections have the
// names of Redis's large ones.
std::string_view EncodingOf(const Entry& entry) {
  int64_t number;
  switch (entry.type) {
    case Type::kString:
      if (ParseInteger(entry.value, &number)) return "int";
      return entry.value.size() <= kMaxEmbeddedBytes ? "embstr" : "raw";
    case Type::kList:
      return "quicklist";
    case Type::kSet:
    case Type::kHash:
      return "hashtable";
    case Type::kSortedSet:
      return "skiplist";
  }
  return "unknown";
}

void Object(Call& call) {
  const bool encoding = call.Is(1, "ENCODING"), references = call.Is(1, "REFCOUNT"),
             idle = call.Is(1, "IDLETIME"), frequency = call.Is(1, "FREQ"),
             help = call.Is(1, "HELP");
  if (!encoding && !references && !idle && !frequency && !help) {
    call.reply.Error("ERR unknown subcommand '" + std::string(call[1].substr(0, 128)) +
                     "'. Try OBJECT HELP.");
    return;
  }
  if (call.size() != (help ? 2 : 3)) {
    std::string name(call[1]);
    for (char& c : name) c = Lower(c);
    call.reply.Error("ERR wrong number of arguments for 'object|" + name + "' command");
    return;
  }
  if (help) {
    const std::string_view lines[] = {
        "OBJECT <subcommand> [<key>]. Subcommands are:",
        "ENCODING <key>",
        "    The name that Redis has for the way in which such a value is stored.",
        "REFCOUNT <key>",
        "    1: values are not shared.",
        "IDLETIME <key>, FREQ <key>",
        "    An error: nothing is evicted, so the use of keys is not tracked.",
        "HELP",
        "    This text."};
    call.reply.Array(std::size(lines));
    for (const std::string_view line : lines) call.reply.Simple(line);
    return;
  }
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[2], &entry, &bytes);
  if (found == Found::kNo) call.reply.Null();
  if (found != Found::kYes) return;
  if (encoding) {
    call.reply.Bulk(EncodingOf(entry));
  } else if (references) {
    call.reply.Integer(1);
  } else {
    call.reply.Error(idle ? "ERR idle times are not tracked"
                          : "ERR access frequencies are not tracked");
  }
}

constexpr Command kCommands[] = {
    {"object", -2, kRead, 2, 2, 1, Object, "generic"},
};

}  // namespace

std::span<const Command> ObjectCommands() { return kCommands; }

}  // namespace cairn::server
