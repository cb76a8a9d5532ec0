#include "utilities/backup_meta.h"

#include <cctype>
#include <string_view>
#include <utility>

#include "base/string_util.h"
#include "rocksdb/slice.h"
#include "utilities/backup_names.h"

namespace cairn {
namespace {

constexpr std::string_view kSchema = "schema_version ";
constexpr std::string_view kAppMetadata = "metadata";
constexpr std::string_view kChecksum = "crc32";
constexpr std::string_view kSize = "size";
constexpr std::string_view kTemperature = "temp";
constexpr std::string_view kExcluded = "ni::excluded";
constexpr std::string_view kFooter = "// FOOTER";
constexpr std::string_view kNotIgnorable = "ni::";

constexpr std::pair<Temperature, std::string_view> kTemperatures[] = {{Temperature::kHot, "kHot"},
                                                                      {Temperature::kWarm, "kWarm"},
                                                                      {Temperature::kCool, "kCool"},
                                                                      {Temperature::kCold, "kCold"},
                                                                      {Temperature::kIce, "kIce"}};

class Parser {
 public:
  Parser(const std::string& name, std::string_view text, BackupMeta* meta,
         std::vector<BackupMetaEntry>* entries, std::vector<std::string>* ignored)
      : name_(name), rest_(text), meta_(meta), entries_(entries), ignored_(ignored) {}

  IOStatus Parse() {
    IOStatus s = ParseHead();
    if (s.ok()) s = ParseFields();
    if (s.ok()) s = ParseFiles();
    if (s.ok() && footer_) s = ParseFooter();
    return s;
  }

 private:
  // False at the end. A line without an end is one, too.
  bool NextLine() {
    if (rest_.empty()) return false;
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return true;
  }
  IOStatus Bad(const std::string& what) const {
    return IOStatus::Corruption(name_ + ", line " + std::to_string(number_), what);
  }
  IOStatus Future(const std::string& what) const {
    return IOStatus::NotSupported(name_ + ", line " + std::to_string(number_),
                                  what + " (of a newer version?)");
  }

  IOStatus ParseHead() {
    if (!NextLine()) return Bad("an empty file");
    if (line_.starts_with(kSchema)) {
      const std::string_view version = line_.substr(kSchema.size());
      if (version != "2" && !version.starts_with("2.")) {
        return Future("unknown schema version " + std::string(version));
      }
      schema_ = 2;
      if (!NextLine()) return Bad("no time");
    }
    if (!ParseInt64(line_, &meta_->timestamp)) return Bad("not a time");
    if (!NextLine() || !ParseUint64(line_, &meta_->sequence)) return Bad("no sequence number");
    return IOStatus::OK();
  }

  // Up to the number of files.
  IOStatus ParseFields() {
    while (NextLine()) {
      if (!line_.empty() && std::isdigit(static_cast<unsigned char>(line_[0])) != 0) {
        return ParseUint64(line_, &files_) ? IOStatus::OK() : Bad("not a number of files");
      }
      const size_t space = line_.find(' ');
      if (space == std::string_view::npos) return Bad("neither a number of files nor a field");
      const std::string_view field = line_.substr(0, space);
      if (field == kAppMetadata) {
        if (!Slice(line_.substr(space + 1)).DecodeHex(&meta_->app_metadata)) {
          return Bad("metadata that is not hexadecimal");
        }
      } else if (schema_ < 2) {
        return Bad("neither a number of files nor \"metadata\"");
      } else {
        IOStatus s = PassOver(field);
        if (!s.ok()) return s;
      }
    }
    return Bad("no number of files");
  }

  IOStatus ParseFiles() {
    while (NextLine()) {
      if (schema_ >= 2 && line_ == kFooter) {
        footer_ = true;
        break;
      }
      IOStatus s = ParseFile();
      if (!s.ok()) return s;
    }
    if (entries_->size() == files_) return IOStatus::OK();
    return Bad(std::to_string(entries_->size()) + " files instead of " + std::to_string(files_));
  }

  IOStatus ParseFile() {
    std::vector<std::string_view> words;
    for (std::string_view rest = line_;;) {
      const size_t space = rest.find(' ');
      words.push_back(rest.substr(0, space));
      if (space == std::string_view::npos) break;
      rest.remove_prefix(space + 1);
    }
    BackupMetaEntry entry;
    excluded_ = false;
    entry.file.path = words[0];
    if (!IsBackupFilePath(entry.file.path)) return Bad("not a backup's file: " + entry.file.path);
    if (schema_ < 2 && (words.size() != 3 || words[1] != kChecksum)) {
      return Bad("not a file and its checksum: " + entry.file.path);
    }
    if (words.size() % 2 == 0) return Bad("a field without a value");
    for (size_t i = 1; i < words.size(); i += 2) {
      IOStatus s = ParseFileField(words[i], words[i + 1], &entry);
      if (!s.ok()) return s;
    }
    if (!excluded_) {
      entries_->push_back(std::move(entry));
    } else if (IsSharedBackupFile(entry.file.path)) {
      meta_->excluded.push_back(std::move(entry.file.path));
    } else {
      return Bad("no shared file, and yet left out: " + entry.file.path);
    }
    return IOStatus::OK();
  }

  IOStatus ParseFileField(std::string_view field, std::string_view value, BackupMetaEntry* entry) {
    if (field == kChecksum) {
      uint64_t crc = 0;
      if (!ParseUint64(value, &crc) || crc > UINT32_MAX || std::to_string(crc) != value) {
        return Bad("not a checksum of " + entry->file.path);
      }
      entry->file.crc32c = static_cast<uint32_t>(crc);
    } else if (field == kSize) {
      entry->has_size = ParseUint64(value, &entry->file.size);
      if (!entry->has_size) return Bad("not a size of " + entry->file.path);
    } else if (field == kTemperature) {
      // One that is not known says nothing.
      for (const auto& [temperature, text] : kTemperatures) {
        if (value == text) entry->file.temperature = temperature;
      }
    } else if (field == kExcluded) {
      excluded_ = value == "true";
      if (!excluded_ && value != "false") return Future("unknown value " + std::string(value));
    } else {
      return PassOver(field);
    }
    return IOStatus::OK();
  }

  IOStatus ParseFooter() {
    while (NextLine()) {
      const size_t space = line_.find(' ');
      if (space == std::string_view::npos) return Bad("not a field of the footer");
      IOStatus s = PassOver(line_.substr(0, space));
      if (!s.ok()) return s;
    }
    return IOStatus::OK();
  }

  IOStatus PassOver(std::string_view field) {
    if (field.starts_with(kNotIgnorable)) return Future("unknown field " + std::string(field));
    ignored_->emplace_back(field);
    return IOStatus::OK();
  }

  const std::string& name_;
  std::string_view rest_;
  std::string_view line_;
  int number_ = 0;  // of line_
  BackupMeta* const meta_;
  std::vector<BackupMetaEntry>* const entries_;
  std::vector<std::string>* const ignored_;
  int schema_ = 1;
  uint64_t files_ = 0;
  bool footer_ = false;
  bool excluded_ = false;  // the file of line_
};

}  // namespace

uint64_t BackupMeta::size() const {
  uint64_t bytes = 0;
  for (const auto& file : files) bytes += file->size;
  return bytes;
}

IOStatus ParseBackupMeta(const std::string& name, const std::string& text, BackupMeta* meta,
                         std::vector<BackupMetaEntry>* entries, std::vector<std::string>* ignored) {
  return Parser(name, text, meta, entries, ignored).Parse();
}

std::string FormatBackupMeta(const BackupMeta& meta, int schema) {
  std::string text;
  if (schema >= 2) text.append(kSchema).append("2.0\n");
  text += std::to_string(meta.timestamp) + "\n" + std::to_string(meta.sequence) + "\n";
  if (!meta.app_metadata.empty()) {
    text.append(kAppMetadata).append(" ").append(Slice(meta.app_metadata).ToString(/*hex=*/true));
    text += "\n";
  }
  text += std::to_string(meta.files.size()) + "\n";
  const auto add = [&text](std::string_view field, std::string_view value) {
    text.append(" ").append(field).append(" ").append(value);
  };
  for (const auto& file : meta.files) {
    text += file->path;
    if (file->crc32c.has_value()) add(kChecksum, std::to_string(*file->crc32c));
    if (schema >= 2) {
      for (const auto& [temperature, name] : kTemperatures) {
        if (file->temperature == temperature) add(kTemperature, name);
      }
      add(kSize, std::to_string(file->size));
    }
    text += "\n";
  }
  for (const std::string& path : meta.excluded) {
    text += path;
    add(kExcluded, "true");
    text += "\n";
  }
  return text;
}

}  // namespace cairn
