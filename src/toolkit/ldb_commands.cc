#include "toolkit/ldb_commands.h"

#include <charconv>
#include <ctime>

#include "base/coding.h"
#include "fs/platform.h"
#include "rocksdb/comparator.h"
#include "utilities/ttl_values.h"

namespace cairn {

ToolCommand::ToolCommand(const CommandLine& line, bool is_read_only, std::vector<std::string> own)
    : LDBCommand(line.option_map, line.flags, is_read_only, BuildCmdLineOptions(std::move(own))) {
  create_if_missing_ = Flag(ARG_CREATE_IF_MISSING);
}

void ToolCommand::OverrideBaseOptions() {
  LDBCommand::OverrideBaseOptions();
  options_.create_if_missing = create_if_missing_;
}

bool ToolCommand::Check(const Status& s, const std::string& what) {
  if (!s.ok()) Fail(what + s.ToString());
  return s.ok();
}

bool ToolCommand::DecodeHex(std::string* text) {
  std::string bytes;
  if (!Slice(*text).starts_with("0x") ||
      !Slice(text->data() + 2, text->size() - 2).DecodeHex(&bytes)) {
    Fail("Invalid hex input " + *text + ".  Must start with 0x");
    return false;
  }
  *text = std::move(bytes);
  return true;
}

std::optional<std::string> ToolCommand::Bound(const std::string& option, bool hex) {
  std::string text;
  if (!ParseStringOption(option_map_, option, &text)) return std::nullopt;
  if (hex && !DecodeHex(&text)) return std::nullopt;
  return text;
}

std::string ToolCommand::ShowKey(const Slice& key) const {
  return is_key_hex_ ? "0x" + key.ToString(true) : key.ToString();
}

std::string ToolCommand::ShowValue(const Slice& value) const {
  return is_value_hex_ ? "0x" + value.ToString(true) : value.ToString();
}

Status EncodeTimestampText(const std::string& number, std::string* stamp) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size()) {
    return Status::InvalidArgument("user provided timestamp is not a valid uint64 value.");
  }
  EncodeU64Ts(value, stamp);
  return Status::OK();
}

Status ToolCommand::ReadAsOf(const std::string& number, ReadOptions* options) {
  Status s = EncodeTimestampText(number, &read_stamp_);
  if (!s.ok()) return s;
  read_slice_ = read_stamp_;
  options->timestamp = &read_slice_;
  return s;
}

bool ToolCommand::ReadAsOfOption(const std::string& what, ReadOptions* options) {
  const bool has_timestamps = GetCfHandle()->GetComparator()->timestamp_size() != 0;
  const auto given = option_map_.find(ARG_READ_TIMESTAMP);
  const bool is_given = given != option_map_.end();
  Status s;
  if (has_timestamps && !is_given) {
    s = Status::InvalidArgument(
        "column family enables user-defined timestamp while --read_timestamp is not provided.");
  } else if (!has_timestamps && is_given) {
    s = Status::InvalidArgument(
        "column family does not enable user-defined timestamps while --read_timestamp is "
        "provided.");
  } else if (is_given) {
    s = ReadAsOf(given->second, options);
  }
  return Check(s, what);
}

// The wrapper takes the times off; they are in what it wraps.
EntryScan::EntryScan(DB* db, DBWithTTL* ttl, ColumnFamilyHandle* family, const ReadOptions& options)
    : iterator_((ttl != nullptr ? ttl->GetBaseDB() : db)->NewIterator(options, family)),
      has_times_(ttl != nullptr),
      has_timestamps_(family->GetComparator()->timestamp_size() != 0) {}

void EntryScan::Seek(const std::optional<std::string>& from) {
  if (from.has_value()) {
    iterator_->Seek(*from);
  } else {
    iterator_->SeekToFirst();
  }
  Take();
}

void EntryScan::Next() {
  iterator_->Next();
  Take();
}

void EntryScan::Take() {
  if (!iterator_->Valid()) return;
  value_ = iterator_->value();
  if (!has_times_) return;
  status_ = CheckTtlTime(value_);
  if (!status_.ok()) return;
  value_ = WithoutTtlTime(value_);
  seconds_ = static_cast<int>(DecodeFixed32(value_.data() + value_.size()));
}

std::string TimeText(int unix_seconds) {
  tm parts{};
  (void)ToLocalTime(unix_seconds, &parts);
  // What "%c" is on POSIX, on every system. ("%e", a day with a space for its zero, is not
  // everywhere.)
  char text[80];
  const size_t size = std::strftime(text, sizeof(text), "%a %b %d %H:%M:%S %Y", &parts);
  if (size > 8 && text[8] == '0') text[8] = ' ';
  return std::string(text, size);
}

}  // namespace cairn
