#include "toolkit/ldb_commands.h"

#include <ctime>

#include "base/coding.h"
#include "fs/platform.h"
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

namespace {

ReadOptions AllInOrder() {
  ReadOptions options;
  options.total_order_seek = true;
  return options;
}

}  // namespace

// The wrapper takes the times off; they are in what it wraps.
EntryScan::EntryScan(DB* db, DBWithTTL* ttl, ColumnFamilyHandle* family)
    : iterator_((ttl != nullptr ? ttl->GetBaseDB() : db)->NewIterator(AllInOrder(), family)),
      has_times_(ttl != nullptr) {}

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
  char text[80];
  return std::string(text, std::strftime(text, sizeof(text), "%c", &parts));
}

}  // namespace cairn
