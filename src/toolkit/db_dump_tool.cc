#include "rocksdb/db_dump_tool.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "base/coding.h"
#include "base/namespace.h"
#include "rocksdb/env.h"
#include "rocksdb/iterator.h"
#include "rocksdb/write_batch.h"
#include "toolkit/console.h"
#include "toolkit/json_text.h"

namespace cairn {
namespace {

// With the version behind it.
const std::string& Magic() {
  static const auto& magic = *new std::string("ROCKDUMP\0\0\0\0\0\0\0\1", 16);
  return magic;
}

constexpr size_t kPiece = size_t{1} << 20;  // bytes that are written at once

// In pieces.
class DumpWriter {
 public:
  explicit DumpWriter(WritableFile* file) : file_(file) {}
  Status Add(const Slice& bytes) {
    buffer_.append(bytes.data(), bytes.size());
    return buffer_.size() < kPiece ? Status::OK() : Flush();
  }
  Status AddSized(const Slice& bytes) {
    if (bytes.size() > UINT32_MAX) {
      return Status::NotSupported("A dump has no room for what is larger than 4 GiB");
    }
    std::string size;
    PutFixed32(&size, static_cast<uint32_t>(bytes.size()));
    Status s = Add(size);
    return s.ok() ? Add(bytes) : s;
  }
  Status Flush() {
    Status s = file_->Append(buffer_);
    buffer_.clear();
    return s;
  }

 private:
  WritableFile* const file_;
  std::string buffer_;
};

class DumpReader {
 public:
  Status Open(const std::string& path) {
    path_ = path;
    Env* const env = Env::Default();
    Status s = env->GetFileSize(path, &left_);
    if (s.ok()) s = env->NewSequentialFile(path, &file_, EnvOptions());
    std::string head;
    if (s.ok()) s = Read(std::min<uint64_t>(left_, Magic().size()), &head);
    if (!s.ok()) return s;
    const bool is_dump = head.starts_with(Magic().substr(0, 8));
    if (!is_dump) return Status::Corruption("not a recognizable dump file", path);
    if (head != Magic()) return Status::NotSupported("a dump of another version", path);
    std::string info;
    return ReadSized(&info);
  }
  bool AtEnd() const { return left_ == 0; }
  // A size and so many bytes. Null: they are passed over.
  Status ReadSized(std::string* bytes) {
    std::string text;
    Status s = Read(sizeof(uint32_t), &text);
    if (!s.ok()) return s;
    const uint32_t size = DecodeFixed32(text.data());
    if (bytes != nullptr) return Read(size, bytes);
    if (size > left_) return CutOff();
    left_ -= size;
    return file_->Skip(size);
  }

 private:
  Status CutOff() const { return Status::Corruption("the dump is cut off", path_); }
  Status Read(uint64_t n, std::string* bytes) {
    if (n > left_) return CutOff();
    bytes->resize(n);
    Slice got;
    Status s = file_->Read(n, &got, bytes->data());
    if (!s.ok()) return s;
    if (got.size() != n) return CutOff();
    if (got.data() != bytes->data()) bytes->assign(got.data(), got.size());
    left_ -= n;
    return s;
  }

  std::string path_;
  std::unique_ptr<SequentialFile> file_;
  uint64_t left_ = 0;  // bytes
};

// Of the database that is dumped.
std::string Info(const std::string& db_path) {
  Env* const env = Env::Default();
  std::string path = db_path;
  std::string host;
  int64_t time = 0;
  // What cannot be told is left as it is.
  env->GetAbsolutePath(db_path, &path).PermitUncheckedError();
  env->GetHostNameString(&host).PermitUncheckedError();
  env->GetCurrentTime(&time).PermitUncheckedError();
  JsonObject info;
  info.Text("database-path", path);
  info.Text("hostname", host);
  info.Number("creation-time", static_cast<uint64_t>(time));
  const std::string object = info.Done();
  return "{ " + object.substr(1, object.size() - 2) + " }";  // RocksDB's spaces
}

Status Dump(const DumpOptions& dump, const Options& options) {
  DB* opened = nullptr;
  Status s = DB::OpenForReadOnly(options, dump.db_path, &opened);
  const std::unique_ptr<DB> db(opened);
  std::unique_ptr<WritableFile> file;
  if (s.ok()) s = Env::Default()->NewWritableFile(dump.dump_location, &file, EnvOptions());
  if (!s.ok()) return s;
  DumpWriter writer(file.get());
  s = writer.Add(Magic());
  if (s.ok()) s = writer.AddSized(dump.anonymous ? "{}" : Info(dump.db_path));
  const std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
  for (it->SeekToFirst(); s.ok() && it->Valid(); it->Next()) {
    s = writer.AddSized(it->key());
    if (s.ok()) s = writer.AddSized(it->value());
  }
  if (s.ok()) s = it->status();
  if (s.ok()) s = writer.Flush();
  if (s.ok()) s = file->Sync();
  if (s.ok()) s = file->Close();
  return s;
}

// Whether the file is a dump from end to end.
Status Check(const std::string& path) {
  DumpReader reader;
  Status s = reader.Open(path);
  while (s.ok() && !reader.AtEnd()) {
    s = reader.ReadSized(nullptr);
    if (s.ok()) s = reader.ReadSized(nullptr);
  }
  return s;
}

Status Undump(const UndumpOptions& undump, const Options& options) {
  Status s = Check(undump.dump_location);
  DumpReader reader;
  if (s.ok()) s = reader.Open(undump.dump_location);
  DB* opened = nullptr;
  if (s.ok()) s = DB::Open(options, undump.db_path, &opened);
  const std::unique_ptr<DB> db(opened);
  WriteBatch batch;
  std::string key, value;
  while (s.ok() && !reader.AtEnd()) {
    s = reader.ReadSized(&key);
    if (s.ok()) s = reader.ReadSized(&value);
    if (s.ok()) s = batch.Put(key, value);
    if (s.ok() && (reader.AtEnd() || batch.GetDataSize() >= kPiece)) {
      s = db->Write(WriteOptions(), &batch);
      batch.Clear();
    }
  }
  if (s.ok() && undump.compact_db) s = db->CompactRange(CompactRangeOptions(), nullptr, nullptr);
  return s;
}

bool Report(const Status& s, const char* what, const std::string& db, const std::string& file) {
  if (s.ok()) return true;
  PrintError("%s of database '%s', file '%s': %s\n", what, db.c_str(), file.c_str(),
             s.ToString().c_str());
  return false;
}

}  // namespace
}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

bool DbDumpTool::Run(const DumpOptions& dump_options, Options options) {
  options.create_if_missing = false;
  return cairn::Report(cairn::Dump(dump_options, options), "Dump", dump_options.db_path,
                       dump_options.dump_location);
}

bool DbUndumpTool::Run(const UndumpOptions& undump_options, Options options) {
  options.create_if_missing = true;
  return cairn::Report(cairn::Undump(undump_options, options), "Undump", undump_options.db_path,
                       undump_options.dump_location);
}

}  // namespace ROCKSDB_NAMESPACE
