#include "options/options_keeper.h"

#include <memory>
#include <utility>

#include "fs/file_names.h"
#include "fs/file_util.h"
#include "options/options_file.h"

namespace cairn {

OptionsKeeper::OptionsKeeper(FileSystem* fs, std::string dbname, uint64_t patch_from)
    : fs_(fs), dbname_(std::move(dbname)), patch_from_(patch_from) {}

std::map<std::string, std::string> OptionsKeeper::Texts(const Change& change) {
  std::map<std::string, std::string> texts;
  for (const std::string& name : change.dropped) texts[name];
  for (const ColumnFamilyDescriptor& family : change.written) {
    texts[family.name] = FormatFamilyOptions(family);
  }
  return texts;
}

bool OptionsKeeper::CanPatch() const {
  // Once half of a file is empty lines a new one is written: that is paid for by what made them.
  return older_.number != 0 && older_.size >= patch_from_ && older_.blank <= older_.size / 2;
}

IOStatus OptionsKeeper::PatchFile(const std::string& path, File* file) {
  std::unique_ptr<FSWritableFile> out;
  IOStatus s = fs_->ReopenWritableFile(path, FileOptions(), &out, nullptr);
  if (!s.ok()) return s;
  std::string added;
  for (const auto& [name, text] : file->lacks) {
    if (const auto it = file->sections.find(name); it != file->sections.end()) {
      const std::string nothing(it->second.size, '\n');
      s = out->PositionedAppend(nothing, it->second.offset, IOOptions(), nullptr);
      if (!s.ok()) return s;
      bytes_written_ += nothing.size();
      file->blank += nothing.size();
      file->sections.erase(it);
    }
    if (text.empty()) continue;
    file->sections[name] = {file->size + added.size(), text.size()};
    added += text;
  }
  if (!added.empty()) {
    s = out->PositionedAppend(added, file->size, IOOptions(), nullptr);
    if (!s.ok()) return s;
    bytes_written_ += added.size();
    file->size += added.size();
  }
  s = out->Sync(IOOptions(), nullptr);
  if (s.ok()) s = out->Close(IOOptions(), nullptr);
  return s;
}

Status OptionsKeeper::Patch(uint64_t number, FSDirectory* db_directory, const DBOptions& db_options,
                            const Change& change) {
  // Until it has worked out nothing is known of the files, and the next one is written as a whole.
  File file = std::exchange(older_, File());
  File before = std::exchange(newest_, File());
  // What cannot be read back would only be found out at the worst time.
  std::vector<ColumnFamilyDescriptor> excerpt = {
      ColumnFamilyDescriptor(kDefaultColumnFamilyName, ColumnFamilyOptions())};
  excerpt.insert(excerpt.end(), change.written.begin(), change.written.end());
  OptionsFileContents check;
  Status s = ParseOptionsText(FormatOptionsFile(db_options, excerpt), OptionsFileName("", number),
                              SetRules(), &check);
  if (!s.ok()) return s;

  std::map<std::string, std::string> texts = Texts(change);
  for (const auto& [name, text] : texts) file.lacks[name] = text;
  const std::string temp = TempOptionsFileName(dbname_, number);
  // Who has it open under its old name finds out that the name is gone.
  IOStatus io = fs_->RenameFile(OptionsFileName(dbname_, file.number), temp, IOOptions(), nullptr);
  if (!io.ok()) return io;
  io = PatchFile(temp, &file);
  if (io.ok()) {
    io = fs_->RenameFile(temp, OptionsFileName(dbname_, number), IOOptions(), nullptr);
  }
  if (!io.ok()) {
    fs_->DeleteFile(temp, IOOptions(), nullptr).PermitUncheckedError();  // the next open does else
    return io;
  }
  io = SyncDirectory(db_directory);
  if (!io.ok()) return io;
  file.number = number;
  file.lacks.clear();
  newest_ = std::move(file);
  older_ = std::move(before);
  older_.lacks = std::move(texts);
  return s;
}

Status OptionsKeeper::Write(uint64_t number, FSDirectory* db_directory, const DBOptions& db_options,
                            const std::vector<ColumnFamilyDescriptor>& families,
                            const Change* change) {
  older_ = change == nullptr ? File() : std::exchange(newest_, File());
  newest_ = File();
  if (change != nullptr) older_.lacks = Texts(*change);
  File file;
  file.number = number;
  std::string text = FormatOptionsHead(db_options);
  for (const ColumnFamilyDescriptor& family : families) {
    const std::string section = FormatFamilyOptions(family);
    file.sections[family.name] = {text.size(), section.size()};
    text += section;
  }
  file.size = text.size();
  Status s = WriteOptionsFile(fs_, dbname_, number, db_directory, text);
  if (!s.ok()) {
    older_ = File();
    return s;
  }
  bytes_written_ += text.size();
  newest_ = std::move(file);
  return s;
}

}  // namespace cairn
