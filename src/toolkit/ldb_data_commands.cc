// Commands of ldb that read and write entries.
#include <cinttypes>
#include <climits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/string_util.h"
#include "rocksdb/wide_columns.h"
#include "rocksdb/write_batch.h"
#include "toolkit/console.h"
#include "toolkit/ldb_commands.h"
#include "toolkit/manifest_dump.h"

namespace cairn {
namespace {

class GetCommand final : public ToolCommand {
 public:
  explicit GetCommand(const CommandLine& line)
      : ToolCommand(line, true,
                    {ARG_TTL, ARG_HEX, ARG_KEY_HEX, ARG_VALUE_HEX, ARG_READ_TIMESTAMP}) {
    if (line.cmd_params.size() != 1) {
      Fail("<key> must be specified for the get command");
    } else {
      key_ = line.cmd_params[0];
      DecodeKey(&key_);
    }
  }
  void DoCommand() override {
    std::string value;
    ReadOptions options;
    if (!ReadAsOfOption("Get failed: ", &options)) return;
    if (!Check(db_->Get(options, GetCfHandle(), key_, &value), "Get failed: ")) return;
    Write(ShowValue(value) + "\n");
  }

 private:
  std::string key_;
};

// The keys of a command that takes several.
class KeysCommand : public ToolCommand {
 protected:
  explicit KeysCommand(const CommandLine& line)
      : ToolCommand(line, true, {ARG_HEX, ARG_KEY_HEX, ARG_VALUE_HEX, ARG_READ_TIMESTAMP}),
        keys_(line.cmd_params) {
    if (keys_.empty())
      Fail("At least one <key> must be specified for the " + line.cmd + " command");
    for (std::string& key : keys_) {
      if (!DecodeKey(&key)) return;
    }
    slices_.assign(keys_.begin(), keys_.end());
  }
  // Says what there is to say of a key that was not found, or could not be read.
  void Miss(size_t i, const Status& s) {
    if (s.IsNotFound()) {
      Write("Key not found: " + ShowKey(keys_[i]) + "\n");
    } else {
      PrintError("Status for key %s: %s\n", ShowKey(keys_[i]).c_str(), s.ToString().c_str());
      Fail("one or more keys had non-okay status");
    }
  }

  std::vector<std::string> keys_;
  std::vector<Slice> slices_;
};

class MultiGetCommand final : public KeysCommand {
 public:
  explicit MultiGetCommand(const CommandLine& line) : KeysCommand(line) {}
  void DoCommand() override {
    std::vector<PinnableSlice> values(keys_.size());
    std::vector<Status> statuses(keys_.size());
    ReadOptions options;
    if (!ReadAsOfOption("MultiGet failed: ", &options)) return;
    db_->MultiGet(options, GetCfHandle(), keys_.size(), slices_.data(), values.data(),
                  statuses.data());
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (statuses[i].ok()) {
        Write(ShowKey(keys_[i]) + DELIM + ShowValue(values[i]) + "\n");
      } else {
        Miss(i, statuses[i]);
      }
    }
  }
};

// "name:value name:value"; the default column has no name.
std::string ColumnsText(const WideColumns& columns, bool hex) {
  std::string text;
  for (const WideColumn& column : columns) {
    if (!text.empty()) text += ' ';
    text += (hex ? "0x" + column.name().ToString(true) : column.name().ToString()) + ":" +
            (hex ? "0x" + column.value().ToString(true) : column.value().ToString());
  }
  return text;
}

class GetEntityCommand final : public ToolCommand {
 public:
  explicit GetEntityCommand(const CommandLine& line)
      : ToolCommand(line, true,
                    {ARG_TTL, ARG_HEX, ARG_KEY_HEX, ARG_VALUE_HEX, ARG_READ_TIMESTAMP}) {
    if (line.cmd_params.size() != 1) {
      Fail("<key> must be specified for the get_entity command");
    } else {
      key_ = line.cmd_params[0];
      DecodeKey(&key_);
    }
  }
  void DoCommand() override {
    PinnableWideColumns columns;
    ReadOptions options;
    if (!ReadAsOfOption("GetEntity failed: ", &options)) return;
    if (!Check(db_->GetEntity(options, GetCfHandle(), key_, &columns), "GetEntity failed: ")) {
      return;
    }
    Write(ColumnsText(columns.columns(), is_value_hex_) + "\n");
  }

 private:
  std::string key_;
};

class MultiGetEntityCommand final : public KeysCommand {
 public:
  explicit MultiGetEntityCommand(const CommandLine& line) : KeysCommand(line) {}
  void DoCommand() override {
    std::vector<PinnableWideColumns> columns(keys_.size());
    std::vector<Status> statuses(keys_.size());
    ReadOptions options;
    if (!ReadAsOfOption("MultiGetEntity failed: ", &options)) return;
    db_->MultiGetEntity(options, GetCfHandle(), keys_.size(), slices_.data(), columns.data(),
                        statuses.data());
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (statuses[i].ok()) {
        Write(ShowKey(keys_[i]) + DELIM + ColumnsText(columns[i].columns(), is_value_hex_) + "\n");
      } else {
        Miss(i, statuses[i]);
      }
    }
  }
};

// A command that changes something, and says "OK".
class ChangeCommand : public ToolCommand {
 public:
  void DoCommand() final {
    if (Check(Change())) Print("OK\n");
  }

 protected:
  using ToolCommand::ToolCommand;
  virtual Status Change() = 0;
};

class PutCommand final : public ChangeCommand {
 public:
  explicit PutCommand(const CommandLine& line)
      : ChangeCommand(line, false,
                      {ARG_TTL, ARG_HEX, ARG_KEY_HEX, ARG_VALUE_HEX, ARG_CREATE_IF_MISSING}) {
    if (line.cmd_params.size() != 2) {
      Fail("<key> and <value> must be specified for the put command");
      return;
    }
    key_ = line.cmd_params[0];
    value_ = line.cmd_params[1];
    if (DecodeKey(&key_)) DecodeValue(&value_);
  }

 protected:
  Status Change() override { return db_->Put(WriteOptions(), GetCfHandle(), key_, value_); }

 private:
  std::string key_, value_;
};

class PutEntityCommand final : public ChangeCommand {
 public:
  explicit PutEntityCommand(const CommandLine& line)
      : ChangeCommand(line, false,
                      {ARG_TTL, ARG_HEX, ARG_KEY_HEX, ARG_VALUE_HEX, ARG_CREATE_IF_MISSING}) {
    if (line.cmd_params.size() < 2) {
      Fail(
          "<key> and at least one column <column_name>:<column_value> must be specified for the "
          "put_entity command");
      return;
    }
    key_ = line.cmd_params[0];
    if (!DecodeKey(&key_)) return;
    for (size_t i = 1; i < line.cmd_params.size(); ++i) {
      const std::string& text = line.cmd_params[i];
      const size_t colon = text.find(':');
      if (colon == std::string::npos || text.find(':', colon + 1) != std::string::npos) {
        Fail(
            "wide column format needs to be <column_name>:<column_value> (did you mean put <key> "
            "<value>?)");
        return;
      }
      std::string name = text.substr(0, colon), value = text.substr(colon + 1);
      if (!DecodeValue(&name) || !DecodeValue(&value)) return;
      columns_.emplace_back(std::move(name), std::move(value));
    }
  }

 protected:
  Status Change() override {
    WideColumns columns;
    for (const auto& [name, value] : columns_) columns.emplace_back(name, value);
    return db_->PutEntity(WriteOptions(), GetCfHandle(), key_, columns);
  }

 private:
  std::string key_;
  std::vector<std::pair<std::string, std::string>> columns_;
};

class BatchPutCommand final : public ChangeCommand {
 public:
  explicit BatchPutCommand(const CommandLine& line)
      : ChangeCommand(line, false,
                      {ARG_TTL, ARG_HEX, ARG_KEY_HEX, ARG_VALUE_HEX, ARG_CREATE_IF_MISSING}) {
    const std::vector<std::string>& words = line.cmd_params;
    if (words.size() < 2) {
      Fail("At least one <key> <value> pair must be specified batchput.");
    } else if (words.size() % 2 != 0) {
      Fail("Equal number of <key>s and <value>s must be specified for batchput.");
    } else {
      for (size_t i = 0; i < words.size(); i += 2) {
        std::string key = words[i], value = words[i + 1];
        if (!DecodeKey(&key) || !DecodeValue(&value)) return;
        entries_.emplace_back(std::move(key), std::move(value));
      }
    }
  }

 protected:
  Status Change() override {
    WriteBatch batch;
    Status s;
    for (const auto& [key, value] : entries_) {
      if (s.ok()) s = batch.Put(GetCfHandle(), key, value);
    }
    return s.ok() ? db_->Write(WriteOptions(), &batch) : s;
  }

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

class DeleteCommand final : public ChangeCommand {
 public:
  explicit DeleteCommand(const CommandLine& line)
      : ChangeCommand(line, false, {ARG_HEX, ARG_KEY_HEX, ARG_VALUE_HEX}),
        single_(line.cmd == "singledelete") {
    if (line.cmd_params.size() != 1) {
      Fail(std::string("KEY must be specified for the ") + (single_ ? "single delete" : "delete") +
           " command");
    } else {
      key_ = line.cmd_params[0];
      DecodeKey(&key_);
    }
  }

 protected:
  Status Change() override {
    return single_ ? db_->SingleDelete(WriteOptions(), GetCfHandle(), key_)
                   : db_->Delete(WriteOptions(), GetCfHandle(), key_);
  }

 private:
  const bool single_;
  std::string key_;
};

class DeleteRangeCommand final : public ChangeCommand {
 public:
  explicit DeleteRangeCommand(const CommandLine& line)
      : ChangeCommand(line, false, {ARG_HEX, ARG_KEY_HEX, ARG_VALUE_HEX}) {
    if (line.cmd_params.size() != 2) {
      Fail("begin and end keys must be specified for the delete command");
      return;
    }
    begin_ = line.cmd_params[0];
    end_ = line.cmd_params[1];
    if (DecodeKey(&begin_)) DecodeKey(&end_);
  }

 protected:
  Status Change() override { return db_->DeleteRange(WriteOptions(), GetCfHandle(), begin_, end_); }

 private:
  std::string begin_, end_;
};

class ScanCommand final : public ToolCommand {
 public:
  explicit ScanCommand(const CommandLine& line)
      : ToolCommand(line, true,
                    {ARG_TTL, ARG_NO_VALUE, ARG_HEX, ARG_KEY_HEX, ARG_TO, ARG_VALUE_HEX, ARG_FROM,
                     ARG_TIMESTAMP, ARG_MAX_KEYS, ARG_TTL_START, ARG_TTL_END, ARG_READ_TIMESTAMP}),
        from_(Bound(ARG_FROM, is_key_hex_)),
        to_(Bound(ARG_TO, is_key_hex_)) {
    ParseIntOption(option_map_, ARG_MAX_KEYS, max_keys_, exec_state_);
    ParseIntOption(option_map_, ARG_TTL_START, start_time_, exec_state_);
    ParseIntOption(option_map_, ARG_TTL_END, end_time_, exec_state_);
    if (end_time_ < start_time_) Fail("Error: End time can't be less than start time");
  }

  void DoCommand() override {
    ReadOptions options;
    if (!ReadAsOfOption("Scan failed: ", &options)) return;
    options.total_order_seek = true;
    const bool times = is_db_ttl_ && timestamp_;
    if (times) {
      Print("Scanning key-values from %s to %s\n", TimeText(start_time_).c_str(),
            TimeText(end_time_).c_str());
    }
    EntryScan scan(db_, db_ttl_, GetCfHandle(), options);
    int left = max_keys_;
    for (scan.Seek(from_); scan.Valid() && left != 0; scan.Next()) {
      if (to_.has_value() && scan.key().compare(*to_) >= 0) break;
      if (is_db_ttl_ && (scan.seconds() < start_time_ || scan.seconds() >= end_time_)) continue;
      if (left > 0) --left;
      if (times) Print("%s ", TimeText(scan.seconds()).c_str());
      std::string text = !is_key_hex_ && ldb_options_.key_formatter != nullptr
                             ? ldb_options_.key_formatter->Format(scan.key())
                             : ShowKey(scan.key());
      if (!HasFlag(ARG_NO_VALUE)) {
        text += TimestampText(scan.timestamp()) + " : " + ShowValue(scan.value());
      }
      Write(text + "\n");
    }
    Check(scan.status());
  }

 private:
  const std::optional<std::string> from_, to_;
  int max_keys_ = -1;
  int start_time_ = kFirstTime, end_time_ = kLastTime;
};

// A prompt for a few operations on one open database.
class QueryCommand final : public ToolCommand {
 public:
  explicit QueryCommand(const CommandLine& line)
      : ToolCommand(line, false, {ARG_TTL, ARG_HEX, ARG_KEY_HEX, ARG_VALUE_HEX}) {}

  void DoCommand() override {
    InputLines input;
    std::string line;
    while (exec_state_.IsNotStarted() && input.Next(&line)) Run(line);
  }

 private:
  using Given = std::map<std::string, std::string>;

  void Run(const std::string& line) {
    std::vector<std::string> words;
    Given options;  // --name=value
    for (size_t begin = 0, end; begin <= line.size(); begin = end + 1) {
      end = std::min(line.find(' ', begin), line.size());
      const std::string word = line.substr(begin, end - begin);
      const size_t equals = word.find('=');
      if (word.starts_with("--") && equals != std::string::npos) {
        options[word.substr(2, equals - 2)] = word.substr(equals + 1);
      } else {
        words.push_back(word);
      }
    }
    const std::string command = words.empty() ? "" : words[0];
    bool known = true;
    if (command == "help") {
      Print(
          "get <key> [--read_timestamp=<uint64_ts>]\nput <key> [<write_timestamp>] <value>\n"
          "delete <key> [<write_timestamp>]\n"
          "count [--from=<start_key>] [--to=<end_key>] [--read_timestamp=<uint64_ts>]\n");
    } else if (command == "put" && options.empty() && (words.size() == 3 || words.size() == 4)) {
      Put(words);
    } else if (command == "delete" && options.empty() && (words.size() == 2 || words.size() == 3)) {
      Delete(words);
    } else if (command == "get" && words.size() == 2) {
      known = Get(words[1], options);
    } else if (command == "count" && words.size() == 1) {
      known = Count(options);
    } else {
      known = false;
    }
    if (!known) Write("Unknown command " + line + "\n");
    // A slip of the fingers does not end the session.
    if (!exec_state_.IsFailed() || !slip_) return;
    PrintError("%s\n", exec_state_.ToString().c_str());
    ClearPreviousRunState();
    slip_ = false;
  }

  // False: the command has failed, and the session goes on.
  bool Decoded(bool ok) {
    slip_ |= !ok;
    return ok;
  }
  bool Slipped(const Status& s) { return Decoded(Check(s)); }

  void Put(const std::vector<std::string>& words) {
    std::string key = words[1], value = words.back(), stamp;
    if (!Decoded(DecodeKey(&key)) || !Decoded(DecodeValue(&value))) return;
    const bool stamped = words.size() == 4;
    if (stamped && !Slipped(EncodeTimestampText(words[2], &stamp))) return;
    const Status s = stamped ? db_->Put(WriteOptions(), GetCfHandle(), key, stamp, value)
                             : db_->Put(WriteOptions(), GetCfHandle(), key, value);
    if (!Changed(s, "put " + words[1] + ": ")) return;
    std::string text = "Successfully put";
    for (size_t i = 1; i < words.size(); ++i) text += " " + words[i];
    Write(text + "\n");
  }

  void Delete(const std::vector<std::string>& words) {
    std::string key = words[1], stamp;
    if (!Decoded(DecodeKey(&key))) return;
    const bool stamped = words.size() == 3;
    if (stamped && !Slipped(EncodeTimestampText(words[2], &stamp))) return;
    const Status s = stamped ? db_->Delete(WriteOptions(), GetCfHandle(), key, stamp)
                             : db_->Delete(WriteOptions(), GetCfHandle(), key);
    if (!Changed(s, "delete " + words[1] + ": ")) return;
    Write("Successfully deleted " + words[1] + (stamped ? " " + words[2] : "") + "\n");
  }
  // What is refused (a timestamp is missing, or too much) does not end the session, either.
  bool Changed(const Status& s, const std::string& what) {
    slip_ |= s.IsInvalidArgument();
    return Check(s, what);
  }

  // False: an option is unknown.
  bool Get(const std::string& word, const Given& given) {
    std::string key = word, value;
    ReadOptions options;
    for (const auto& [name, text] : given) {
      if (name != ARG_READ_TIMESTAMP) return false;
      if (!Slipped(ReadAsOf(text, &options))) return true;
    }
    if (!Decoded(DecodeKey(&key))) return true;
    const Status s = db_->Get(options, GetCfHandle(), key, &value);
    if (s.IsNotFound()) {
      Write("Not found " + word + "\n");
    } else if (Changed(s, "get " + word + ": ")) {
      const Slice at = options.timestamp == nullptr ? Slice() : *options.timestamp;
      Write(ShowKey(key) + TimestampText(at) + DELIM + ShowValue(value) + "\n");
    }
    return true;
  }

  bool Count(const Given& given) {
    ReadOptions options;
    options.total_order_seek = true;
    std::string from, to;
    for (const auto& [name, text] : given) {
      if (name == ARG_READ_TIMESTAMP) {
        if (!Slipped(ReadAsOf(text, &options))) return true;
      } else if (name == ARG_FROM || name == ARG_TO) {
        std::string* const bound = name == ARG_FROM ? &from : &to;
        *bound = text;
        if (!Decoded(DecodeKey(bound))) return true;
      } else {
        return false;
      }
    }
    const Slice end(to);
    if (!to.empty()) options.iterate_upper_bound = &end;
    const std::unique_ptr<Iterator> it(db_->NewIterator(options, GetCfHandle()));
    uint64_t count = 0;
    for (from.empty() ? it->SeekToFirst() : it->Seek(from); it->Valid(); it->Next()) ++count;
    if (Changed(it->status(), "count: ")) Print("%" PRIu64 "\n", count);
    return true;
  }

  bool slip_ = false;  // what failed was the command as it was given
};

class ApproxSizeCommand final : public ToolCommand {
 public:
  explicit ApproxSizeCommand(const CommandLine& line)
      : ToolCommand(line, true, {ARG_HEX, ARG_KEY_HEX, ARG_VALUE_HEX, ARG_FROM, ARG_TO}),
        from_(Bound(ARG_FROM, is_key_hex_)),
        to_(Bound(ARG_TO, is_key_hex_)) {
    for (const std::string& option : {ARG_FROM, ARG_TO}) {
      if (option_map_.count(option) != 0) continue;
      Fail(option + " must be specified for approxsize command");
      break;
    }
  }

  void DoCommand() override {
    const Range range(*from_, *to_);
    uint64_t size = 0;
    if (Check(db_->GetApproximateSizes(GetCfHandle(), &range, 1, &size),
              "ApproximateSize failed: ")) {
      Print("%" PRIu64 "\n", size);
    }
  }

 private:
  const std::optional<std::string> from_, to_;
};

}  // namespace

std::span<const CommandEntry> DataCommands() {
  static constexpr CommandEntry kCommands[] = {
      {"put", " <key> <value> [--create_if_missing] [--ttl]", MakeCommand<PutCommand>},
      {"put_entity",
       " <key> <column1_name>:<column1_value> <column2_name>:<column2_value> <...> "
       "[--create_if_missing]",
       MakeCommand<PutEntityCommand>},
      {"get", " <key> [--ttl] [--read_timestamp=<uint64_ts>] ", MakeCommand<GetCommand>},
      {"multi_get", " <key_1> <key_2> <key_3> ... [--read_timestamp=<uint64_ts>] ",
       MakeCommand<MultiGetCommand>},
      {"get_entity", " <key> [--read_timestamp=<uint64_ts>] ", MakeCommand<GetEntityCommand>},
      {"multi_get_entity", " <key_1> <key_2> <key_3> ... [--read_timestamp=<uint64_ts>] ",
       MakeCommand<MultiGetEntityCommand>},
      {"batchput", " <key> <value> [<key> <value>] [..] [--create_if_missing] [--ttl]",
       MakeCommand<BatchPutCommand>},
      {"scan",
       " [--from] [--to]  [--ttl] [--timestamp] [--max_keys=<N>q]  [--start_time=<N>:- is "
       "inclusive] [--end_time=<N>:- is exclusive] [--no_value] [--read_timestamp=<uint64_ts>] ",
       MakeCommand<ScanCommand>},
      {"delete", " <key>", MakeCommand<DeleteCommand>},
      {"singledelete", nullptr, MakeCommand<DeleteCommand>},
      {"deleterange", " <begin key> <end key>", MakeCommand<DeleteRangeCommand>},
      {"query", " [--ttl]\n    Starts a REPL shell.  Type help for list of available commands.",
       MakeCommand<QueryCommand>},
      {"approxsize", " [--from] [--to] ", MakeCommand<ApproxSizeCommand>},
  };
  return kCommands;
}

}  // namespace cairn
