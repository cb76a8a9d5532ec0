// The commands of ldb: what they have in common beyond LDBCommand, and the lists of them.
//
// A command is a class in one of the ldb_*_commands.cc, and a line of its file's list, from which
// SelectCommand() makes it and PrintHelp() describes it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/iterator.h"
#include "rocksdb/utilities/ldb_cmd.h"

namespace cairn {

using CommandLine = LDBCommand::ParsedParams;

struct CommandEntry {
  const char* name;
  const char* help;  // what follows the name; null: the help does not speak of it, as RocksDB's
  LDBCommand* (*make)(const CommandLine& line);
};

template <typename Command>
LDBCommand* MakeCommand(const CommandLine& line) {
  return new Command(line);
}

std::span<const CommandEntry> DataCommands();
std::span<const CommandEntry> DumpCommands();
std::span<const CommandEntry> AdminCommands();
std::span<const CommandEntry> FileCommands();

class ToolCommand : public LDBCommand {
 public:
  void OverrideBaseOptions() override;

 protected:
  // `own`: the options that not all commands take. --create_if_missing among them is obeyed.
  ToolCommand(const CommandLine& line, bool is_read_only, std::vector<std::string> own);

  void Fail(const std::string& message) { exec_state_ = LDBCommandExecuteResult::Failed(message); }
  // False, and the command has failed for "<what><status>".
  bool Check(const Status& s, const std::string& what = "");
  bool HasFlag(const std::string& flag) const { return IsFlagPresent(flags_, flag); }
  // The flag, or its value as an option.
  bool Flag(const std::string& name, bool default_value = false) {
    return HasFlag(name) || ParseBooleanOption(option_map_, name, default_value);
  }
  // Replaces "0x..." by its bytes. False, and the command has failed: it is no such text.
  bool DecodeHex(std::string* text);
  // The same, where the command line has its keys, or values, in hexadecimal.
  bool DecodeKey(std::string* key) { return !is_key_hex_ || DecodeHex(key); }
  bool DecodeValue(std::string* value) { return !is_value_hex_ || DecodeHex(value); }
  // --from or --to, decoded if `hex`.
  std::optional<std::string> Bound(const std::string& option, bool hex);
  std::string ShowKey(const Slice& key) const;
  std::string ShowValue(const Slice& value) const;

  // Where the family has timestamps: reads as of --read_timestamp, which they need, and which other
  // families must not have. False, and the command has failed for "<what><status>". What *options
  // points to is the command's, until the next call.
  bool ReadAsOfOption(const std::string& what, ReadOptions* options);
  // Reads as of a number given as text, or what is wrong with it.
  Status ReadAsOf(const std::string& number, ReadOptions* options);

 private:
  std::string read_stamp_;
  Slice read_slice_;
};

// The bytes of a timestamp given as a number. InvalidArgument: it is none.
Status EncodeTimestampText(const std::string& number, std::string* stamp);

// Walks a family's entries, and knows when each was written if the database has TTL.
class EntryScan {
 public:
  // `ttl` may be null; else it is `db`. Both outlive this.
  EntryScan(DB* db, DBWithTTL* ttl, ColumnFamilyHandle* family, const ReadOptions& options);

  void Seek(const std::optional<std::string>& from);
  bool Valid() const { return status_.ok() && iterator_->Valid(); }
  void Next();
  Slice key() const { return iterator_->key(); }
  Slice value() const { return value_; }
  Slice timestamp() const { return has_timestamps_ ? iterator_->timestamp() : Slice(); }
  int seconds() const { return seconds_; }  // since 1970; 0 without TTL
  // OK where the walk came to the end.
  Status status() const { return status_.ok() ? iterator_->status() : status_; }

 private:
  void Take();

  const std::unique_ptr<Iterator> iterator_;
  const bool has_times_;
  const bool has_timestamps_;
  Slice value_;
  int seconds_ = 0;
  Status status_;
};

// The times that --start_time and --end_time stand for if they are not given: those that a database
// with TTL can have.
inline constexpr int kFirstTime = 1368146402;
inline constexpr int kLastTime = 2147483647;

// "Sat Nov 21 21:43:11 2026", local time.
std::string TimeText(int unix_seconds);

}  // namespace cairn
