// One execution of a command (auth/command_table.h says what a command is), and what its function
// has to work with. registry.h has the tables of the families (strings.cc, keys.cc ...); executor.h
// runs them.
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
#include "server/auth/command_table.h"
#include "server/commands/registry.h"
#include "server/keyspace/encoding.h"
#include "server/keyspace/keyspace.h"
#include "server/keyspace/transaction.h"
#include "server/resp/reply.h"
#include "server/resp/words.h"
#include "server/state/session.h"

namespace cairn::server {

class ServerState;

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
  ServerState& server;
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

// A client as CLIENT LIST and ACL LOG have it. Of any session that cannot go away.
std::string DescribeClient(const Session& session, uint64_t now_ms);

// The release of Redis whose behaviour is followed, for clients that ask.
inline constexpr std::string_view kRedisVersion = "7.0.15";
inline constexpr size_t kMaxStringBytes = size_t{512} << 20;
inline constexpr std::string_view kWrongType =
    "WRONGTYPE Operation against a key holding the wrong kind of value";
inline constexpr std::string_view kNotAnInteger = "ERR value is not an integer or out of range";
inline constexpr std::string_view kSyntaxError = "ERR syntax error";

}  // namespace cairn::server

#endif  // CAIRN_SERVER_COMMANDS_COMMAND_H_
