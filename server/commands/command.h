// A command of the server: its name, what it asks of its arguments and of the run that it is in,
// and the function that does it. The tables of the families (strings.cc, keys.cc ...) are put
// together in registry.cc; executor.h runs them.
//
// A command's function checks first and writes then: it shares its transaction with the commands
// before and behind it in the pipeline, so when it replies with an error it must have written
// nothing.

#ifndef CAIRN_SERVER_COMMANDS_COMMAND_H_
#define CAIRN_SERVER_COMMANDS_COMMAND_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "server/commands/session.h"
#include "server/keyspace/encoding.h"
#include "server/keyspace/keyspace.h"
#include "server/keyspace/transaction.h"
#include "server/resp/reply.h"

namespace cairn::server {

class Server;
struct Call;

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

// Null if there is no such command. Any case.
const Command* FindCommand(std::string_view name);
const std::vector<const Command*>& AllCommands();  // by name

// How a command that may wait for other clients (kBlocks) says so. Its function is called again
// when one of its keys has changed, or when the time is over.
struct BlockedOn {
  bool would_wait = false;     // set by the function: nothing was replied or written
  uint64_t timeout_nanos = 0;  // set by the function; 0: for ever
  bool timed_out = false;      // it must not wait any more
  bool woken = false;          // it has waited already
};

// What Find() found.
enum class Found { kYes, kNo, kFailed };

// One execution of a command.
struct Call {
  const Command& command;
  Arguments arguments;  // the name first
  Transaction& transaction;
  ReplyWriter& reply;
  Session& session;
  Server& server;
  BlockedOn* blocked;  // null: it must not wait

  std::string_view operator[](size_t i) const { return arguments[i]; }
  size_t size() const { return arguments.size(); }
  uint32_t ns() const { return session.ns; }
  uint64_t now_ms() const { return transaction.now_ms(); }

  // The entry of a key of one type. kFailed: it was replied that the key has another type, or that
  // the store failed.
  Found Find(std::string_view key, Type type, Entry* entry, rocksdb::PinnableSlice* bytes);
  // The same for a command that may wait for the key: to one that has waited already, a key of
  // another type is none.
  Found FindAwaited(std::string_view key, Type type, Entry* entry, rocksdb::PinnableSlice* bytes);
  // Of any type.
  Found Find(std::string_view key, Entry* entry, rocksdb::PinnableSlice* bytes);

  // Replies with a value at the end of `bytes`, which stay pinned if they are large.
  void ReplyTail(rocksdb::PinnableSlice&& bytes, size_t value_size);

  // Replies with "ERR <the status>". Returns false, for `return call.Fail(s)`.
  bool Fail(const rocksdb::Status& status);
  bool SyntaxError();
  bool NotAnInteger();
  bool WrongArity();
  // For commands with subcommands (word 1): there is none of the name, or it takes other words.
  void NoSuchSubcommand();
  // Parses the word or replies with the error.
  bool Integer(size_t i, int64_t* value);
  bool Float(size_t i, double* value);
  bool Float(size_t i, long double* value);
  // Whether the word is `name` (given in capitals), in any case.
  bool Is(size_t i, std::string_view name) const;
};

// A whole number as Redis takes it: no plus sign, no leading zeros, no spaces.
bool ParseInteger(std::string_view text, int64_t* value);
bool ParseUnsigned(std::string_view text, uint64_t* value);
// A decimal number, "inf", "+inf" or "-inf", without spaces; no NaN.
bool ParseDouble(std::string_view text, double* value);
// The same for INCRBYFLOAT and HINCRBYFLOAT, which calculate with more digits than they store, so
// that 0.1 and 0.2 are 0.3.
bool ParseLongDouble(std::string_view text, long double* value);
std::string FormatLongDouble(long double value);
bool EqualsIgnoringCase(std::string_view text, std::string_view capitals);
// Redis's patterns: * ? [a-c] [^a] \x.
bool MatchesPattern(std::string_view pattern, std::string_view text, bool ignore_case = false);
// Of a pattern: what every match begins with.
std::string LiteralPrefix(std::string_view pattern);

// A client as CLIENT LIST and ACL LOG have it. Of any session that cannot go away.
std::string DescribeClient(const Session& session, uint64_t now_ms);

// The release of Redis whose behaviour is followed, for clients that ask.
inline constexpr std::string_view kRedisVersion = "7.0.15";
inline constexpr size_t kMaxStringBytes = size_t{512} << 20;
inline constexpr std::string_view kWrongType =
    "WRONGTYPE Operation against a key holding the wrong kind of value";
inline constexpr std::string_view kNotAnInteger = "ERR value is not an integer or out of range";
inline constexpr std::string_view kSyntaxError = "ERR syntax error";

// The tables of the families.
std::span<const Command> StringCommands();
std::span<const Command> BitCommands();
std::span<const Command> LcsCommands();
std::span<const Command> KeyCommands();
std::span<const Command> ObjectCommands();
std::span<const Command> SortCommands();
std::span<const Command> ListCommands();
std::span<const Command> BlockingListCommands();
std::span<const Command> ConnectionCommands();
std::span<const Command> PubSubCommands();
std::span<const Command> ServerCommands();
std::span<const Command> AclCommands();
std::span<const Command> HashCommands();
std::span<const Command> SetCommands();
std::span<const Command> SetAlgebraCommands();
std::span<const Command> SortedSetCommands();
std::span<const Command> SortedSetRangeCommands();
std::span<const Command> SortedSetPopCommands();
std::span<const Command> SortedSetAlgebraCommands();

}  // namespace cairn::server

#endif  // CAIRN_SERVER_COMMANDS_COMMAND_H_
