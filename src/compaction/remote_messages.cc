#include "compaction/remote_messages.h"

#include <algorithm>
#include <utility>

#include "base/coding.h"
#include "base/crc32c.h"
#include "manifest/version_edit.h"

namespace cairn {
namespace {

constexpr uint32_t kJobMagic = 0x6a6e7263;     // "crnj"
constexpr uint32_t kResultMagic = 0x726e7263;  // "crnr"
constexpr uint32_t kVersion = 1;
constexpr size_t kHeader = 4;
constexpr size_t kTrailer = 8;
constexpr uint32_t kMostLevels = 64;  // as VersionEdit

class Writer {
 public:
  explicit Writer(uint32_t magic) { PutFixed32(&out_, magic); }
  void Number(uint64_t v) { PutVarint64(&out_, v); }
  void Text(const Slice& v) { PutLengthPrefixedSlice(&out_, v); }
  void OptionalText(const std::optional<std::string>& v) {
    Number(v.has_value() ? 1 : 0);
    if (v) Text(*v);
  }
  void Numbers(const std::vector<uint64_t>& all) {
    Number(all.size());
    for (const uint64_t v : all) Number(v);
  }
  std::string Finish() {
    PutFixed32(&out_, kVersion);
    PutFixed32(&out_, crc32c::Mask(crc32c::Value(out_.data(), out_.size())));
    return std::move(out_);
  }

 private:
  std::string out_;
};

// Remembers the first failure; what is read behind it is zero and empty.
class Reader {
 public:
  Reader(const Slice& bytes, uint32_t magic, const char* what) : what_(what) {
    if (bytes.size() < kHeader + kTrailer) {
      status_ = Bad("too short");
    } else if (DecodeFixed32(bytes.data()) != magic) {
      status_ = Bad("it begins with other bytes");
    } else if (const size_t covered = bytes.size() - 4;
               crc32c::Unmask(DecodeFixed32(bytes.data() + covered)) !=
               crc32c::Value(bytes.data(), covered)) {
      status_ = Bad("checksum mismatch");
    } else if (const uint32_t version = DecodeFixed32(bytes.data() + covered - 4);
               version != kVersion) {
      status_ = Status::NotSupported(
          std::string(what) + " has version " + std::to_string(version) + ", this is",
          "version " + std::to_string(kVersion));
    } else {
      in_ = Slice(bytes.data() + kHeader, bytes.size() - kHeader - kTrailer);
    }
  }

  uint64_t Number() {
    uint64_t v = 0;
    if (status_.ok() && !GetVarint64(&in_, &v)) status_ = Bad("a number is cut off");
    return status_.ok() ? v : 0;
  }
  // At most `most`.
  uint64_t Small(uint64_t most) {
    const uint64_t v = Number();
    if (v > most) status_ = Bad("a number is out of range");
    return status_.ok() ? v : 0;
  }
  std::string Text() {
    Slice v;
    if (status_.ok() && !GetLengthPrefixedSlice(&in_, &v)) status_ = Bad("a text is cut off");
    return status_.ok() ? v.ToString() : "";
  }
  std::optional<std::string> OptionalText() {
    if (Small(1) == 0) return std::nullopt;
    return Text();
  }
  // How many there are of something that takes a byte at least.
  size_t Count() { return Small(in_.size()); }
  std::vector<uint64_t> Numbers() {
    std::vector<uint64_t> all(Count());
    for (uint64_t& v : all) v = Number();
    return all;
  }
  int Level() { return static_cast<int>(Small(kMostLevels - 1)); }
  [[nodiscard]] Status Finish() {
    if (status_.ok() && !in_.empty()) status_ = Bad("bytes are left over");
    return status_;
  }
  void Fail(const char* why) {
    if (status_.ok()) status_ = Bad(why);
  }
  void Fail(const Status& s) {
    if (status_.ok()) status_ = s;
  }
  bool ok() const { return status_.ok(); }

 private:
  Status Bad(const char* why) const {
    return Status::Corruption(std::string(what_) + " is damaged", why);
  }

  const char* const what_;
  Slice in_;
  Status status_;
};

void PutStatus(const Status& s, Writer* to) {
  to->Number(s.code());
  to->Number(s.subcode());
  to->Text(s.getState() == nullptr ? "" : s.getState());
}

Status GetStatus(Reader* from) {
  const auto code = static_cast<Status::Code>(from->Small(Status::kMaxCode - 1));
  const auto subcode = static_cast<Status::SubCode>(from->Small(Status::kMaxSubCode - 1));
  const std::string message = from->Text();
  return code == Status::kOk ? Status::OK()
                             : Status(code, subcode, Status::kNoError, Slice(message));
}

// Calls with each of the numbers that a part counts.
template <typename Stats, typename Function>
void ForEachCount(Stats* s, const Function& with) {
  with(&s->num_blobs_read);
  with(&s->num_output_files_blob);
  with(&s->total_blob_bytes_read);
  with(&s->total_output_bytes_blob);
  with(&s->num_records_replaced);
  with(&s->total_input_raw_key_bytes);
  with(&s->total_input_raw_value_bytes);
  with(&s->num_input_deletion_records);
  with(&s->num_expired_deletion_records);
  with(&s->num_corrupt_keys);
  with(&s->file_write_nanos);
  with(&s->file_range_sync_nanos);
  with(&s->file_fsync_nanos);
  with(&s->file_prepare_write_nanos);
  with(&s->num_single_del_fallthru);
  with(&s->num_single_del_mismatch);
}

}  // namespace

std::string RemoteJob::Encode() const {
  Writer out(kJobMagic);
  out.Text(db_id);
  out.Text(column_family);
  out.Number(paths.size());
  for (const std::string& path : paths) out.Text(path);
  out.Number(options_file_number);
  out.Number(manifest_number);
  out.Number(manifest_bytes);
  out.Number(inputs.size());
  for (const Level& input : inputs) {
    out.Number(static_cast<uint64_t>(input.level));
    out.Numbers(input.files);
  }
  out.Number(static_cast<uint64_t>(output_level));
  out.OptionalText(begin);
  out.OptionalText(end);
  out.Numbers(snapshots);
  out.Text(history_low);
  out.Number(static_cast<uint64_t>(compression));
  out.Number(target_output_file_size);
  out.Number(max_compaction_bytes);
  out.Number(manual ? 1 : 0);
  out.Number(static_cast<uint64_t>(reason));
  out.Number(static_cast<uint64_t>(temperature));
  return out.Finish();
}

Status RemoteJob::Decode(const Slice& bytes) {
  Reader in(bytes, kJobMagic, "the input of a remote compaction");
  *this = RemoteJob();
  db_id = in.Text();
  column_family = in.Text();
  paths.resize(in.Count());
  for (std::string& path : paths) path = in.Text();
  options_file_number = in.Number();
  manifest_number = in.Number();
  manifest_bytes = in.Number();
  inputs.resize(in.Count());
  for (Level& input : inputs) {
    input.level = in.Level();
    input.files = in.Numbers();
    if (input.files.empty()) in.Fail("a level without files");
  }
  output_level = in.Level();
  begin = in.OptionalText();
  end = in.OptionalText();
  snapshots = in.Numbers();
  history_low = in.Text();
  compression = static_cast<CompressionType>(in.Small(0xff));
  target_output_file_size = in.Number();
  max_compaction_bytes = in.Number();
  manual = in.Small(1) == 1;
  reason = static_cast<CompactionReason>(
      in.Small(static_cast<uint64_t>(CompactionReason::kNumOfReasons) - 1));
  temperature = static_cast<Temperature>(in.Small(0xff));
  const auto ascending = [](const Level& a, const Level& b) { return a.level < b.level; };
  if (inputs.empty() || !std::is_sorted(inputs.begin(), inputs.end(), ascending) ||
      inputs.back().level > output_level) {
    in.Fail("its levels are in no order");
  }
  if (!std::is_sorted(snapshots.begin(), snapshots.end())) in.Fail("its snapshots are in no order");
  return in.Finish();
}

std::string RemoteResult::Encode() const {
  Writer out(kResultMagic);
  PutStatus(status, &out);
  out.Text(output_path);
  out.Number(static_cast<uint64_t>(output_level));
  // As the MANIFEST would have them.
  VersionEdit edit;
  for (FileMetaData file : files) {
    file.path_id = 0;
    edit.AddFile(output_level, std::move(file));
  }
  std::string encoded;
  if (!edit.EncodeTo(&encoded)) encoded.clear();  // (A table has bounds.)
  out.Number(files.size());
  out.Text(encoded);
  ForEachCount(&counts, [&](const auto* v) { out.Number(*v); });
  out.Number(counts.has_accurate_num_input_records ? 1 : 0);
  out.Number(records_in);
  out.Number(records_dropped);
  out.Number(records_filtered);
  out.Number(cpu_micros);
  out.Number(bytes_read);
  out.Number(bytes_written);
  return out.Finish();
}

Status RemoteResult::Decode(const Slice& bytes) {
  Reader in(bytes, kResultMagic, "the result of a remote compaction");
  *this = RemoteResult();
  status = GetStatus(&in);
  output_path = in.Text();
  output_level = in.Level();
  const uint64_t count = in.Number();
  const std::string encoded = in.Text();
  VersionEdit edit;
  if (in.ok()) in.Fail(edit.DecodeFrom(encoded));
  for (auto& file : edit.mutable_new_files()) {
    if (file.level != output_level) in.Fail("a table of another level");
    files.push_back(std::move(file.meta));
  }
  if (files.size() != count) in.Fail("tables are missing");
  ForEachCount(&counts, [&](auto* v) { *v = in.Number(); });
  counts.has_accurate_num_input_records = in.Small(1) == 1;
  records_in = in.Number();
  records_dropped = in.Number();
  records_filtered = in.Number();
  cpu_micros = in.Number();
  bytes_read = in.Number();
  bytes_written = in.Number();
  return in.Finish();
}

}  // namespace cairn
