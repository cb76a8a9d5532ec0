// What there is to know of a command without running it: its name, what it asks of its arguments
// and of the run that it is in, and which of its words are keys. A CommandTable has all of them;
// commands/registry.h has the server's.

#ifndef CAIRN_SERVER_AUTH_COMMAND_TABLE_H_
#define CAIRN_SERVER_AUTH_COMMAND_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cairn::server {

using Arguments = std::span<const std::string_view>;

enum CommandFlag : uint32_t {
  kRead = 1 << 0,           // reads keys; runs with the reads around it
  kWrite = 1 << 1,          // holds the stripes of its keys; runs with the writes around it
  kReadsEntries = 1 << 2,   // a write that looks at the entries of its keys first
  kWritesAllKeys = 1 << 3,  // a write that names no keys: holds all stripes, runs alone
  kConnection = 1 << 4,     // is about the connection or the server; runs alone
  kNoMulti = 1 << 5,        // not in a transaction
  kImmediate = 1 << 6,      // is not queued by MULTI
  kNoAuth = 1 << 7,         // before AUTH, too
  kAdmin = 1 << 8,          // of people who run the server
  kPubSub = 1 << 9,         // of subscribers
  kBlocks = 1 << 10,        // may wait for other clients; runs alone
  kOneState = 1 << 11,      // its reads must all see one state of the database
  kPushes = 1 << 12,        // its replies are pushes, which CLIENT REPLY does not silence
  kFast = 1 << 13,          // takes the same time however large the data: only told to clients
  kRemoves = 1 << 14,       // a write that makes room, or will: goes on when the disk is full
};

struct Call;  // commands/command.h

struct Command {
  std::string_view name;  // in lower case
  int arity;              // words, the name included; negative: at least so many
  uint32_t flags;
  // Which words are keys, as COMMAND tells; 0 0 0: none. A negative last counts from the end.
  int first_key;
  int last_key;
  int key_step;
  void (*run)(Call& call);
  std::string_view group;  // "string", "hash" ...
  // For commands whose keys depend on their words ("ZUNION numkeys key..."): the positions of keys.
  void (*find_keys)(Arguments arguments, std::vector<size_t>* positions) = nullptr;

  bool Is(uint32_t flag) const { return (flags & flag) != 0; }
  bool ArityFits(size_t words) const {
    return arity >= 0 ? words == static_cast<size_t>(arity) : words >= static_cast<size_t>(-arity);
  }
};

// Calls `use(position)` for each key among the arguments.
template <class Use>
void ForEachKeyPosition(const Command& command, Arguments arguments, const Use& use) {
  if (command.find_keys != nullptr) {
    std::vector<size_t> positions;
    command.find_keys(arguments, &positions);
    for (const size_t i : positions) use(i);
    return;
  }
  if (command.first_key == 0) return;
  const auto count = static_cast<int>(arguments.size());
  const int last = command.last_key < 0 ? count + command.last_key : command.last_key;
  for (int i = command.first_key; i <= last && i < count; i += command.key_step) {
    use(static_cast<size_t>(i));
  }
}

// Calls `use(key)` for each.
template <class Use>
void ForEachKey(const Command& command, Arguments arguments, const Use& use) {
  ForEachKeyPosition(command, arguments, [&](size_t i) { use(arguments[i]); });
}

// Immutable, so thread safe. The commands are borrowed.
class CommandTable {
 public:
  explicit CommandTable(std::initializer_list<std::span<const Command>> families);

  // Null if there is no such command. Any case.
  const Command* Find(std::string_view name) const;
  const std::vector<const Command*>& all() const { return all_; }  // by name

 private:
  std::vector<const Command*> all_;
  std::unordered_map<std::string_view, const Command*> by_name_;
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_AUTH_COMMAND_TABLE_H_
