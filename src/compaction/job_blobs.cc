#include "compaction/job_blobs.h"

#include <utility>

#include "compaction/compaction.h"

namespace cairn {
namespace {

std::unique_ptr<BlobFileWriter> NewWriter(const JobEnv& env, const ColumnFamilyOptions& options,
                                          int level, BlobFileCreationReason reason) {
  if (!options.enable_blob_files || level < options.blob_file_starting_level) return nullptr;
  return std::make_unique<BlobFileWriter>(env, options, reason);
}

ReadOptions JobReadOptions(const JobEnv& env) {
  ReadOptions options;
  options.verify_checksums = true;
  options.fill_cache = false;
  if (env.io_priority) options.rate_limiter_priority = env.io_priority();
  return options;
}

}  // namespace

JobBlobs::JobBlobs(const JobEnv& env, const ColumnFamilyOptions& options,
                   BlobFileCreationReason reason)
    : env_(env),
      counts_(false),
      collect_below_(0),
      read_options_(JobReadOptions(env)),
      ahead_(0),
      writer_(NewWriter(env, options, 0, reason)) {}

JobBlobs::JobBlobs(const JobEnv& env, const Compaction& compaction)
    : env_(env),
      counts_(!compaction.version()->blob_files().empty()),
      collect_below_(compaction.blob_files_to_collect_below()),
      read_options_(JobReadOptions(env)),
      ahead_(static_cast<size_t>(compaction.options().blob_compaction_readahead_size)),
      writer_(NewWriter(env, compaction.options(), compaction.output_level(),
                        BlobFileCreationReason::kCompaction)) {}

Status JobBlobs::CountInput(const Slice& user_key, const Slice& index) {
  BlobIndex at;
  Status s = DecodeBlobIndex(index, &at);
  if (!s.ok()) return Status::CopyAppendMessage(s, " of key ", user_key.ToString(/*hex=*/true));
  Flow& flow = flows_[at.file_number];
  ++flow.blobs_in;
  flow.bytes_in += BlobRecordSize(user_key.size(), at.size);
  return s;
}

Status JobBlobs::Read(const Slice& user_key, const Slice& index, Slice* value) {
  if (env_.blobs == nullptr) return Status::NotSupported("nobody reads blob files here");
  uint64_t bytes = 0;
  Status s = env_.blobs->Get(read_options_, user_key, index, &blob_, &ahead_, &bytes);
  if (!s.ok()) return s;
  ++blobs_read_;
  bytes_read_ += bytes;
  *value = blob_;
  return s;
}

void JobBlobs::Become(ValueType type, const Slice& value, ParsedInternalKey* parsed, Slice* key,
                      Slice* out_value) {
  const ParsedInternalKey changed(parsed->user_key, parsed->sequence, type);
  // (The key may be the one that was made last.)
  std::string made;
  AppendInternalKey(&made, changed);
  key_.swap(made);
  *key = key_;
  *parsed = changed;
  parsed->user_key = ExtractUserKey(*key);
  *out_value = value;
}

Status JobBlobs::Write(const Slice& user_key, const Slice& value, std::string* index) {
  index->clear();
  return writer_ == nullptr ? Status::OK() : writer_->Add(user_key, value, index);
}

Status JobBlobs::PrepareOutput(ParsedInternalKey* parsed, Slice* key, Slice* value) {
  if (parsed->type == kTypeValue) {
    Status s = Write(parsed->user_key, *value, &index_);
    if (s.ok() && !index_.empty()) Become(kTypeBlobIndex, index_, parsed, key, value);
    return s;
  }
  if (parsed->type != kTypeBlobIndex) return Status::OK();
  BlobIndex at;
  Status s = DecodeBlobIndex(*value, &at);
  if (!s.ok()) {
    return Status::CopyAppendMessage(s, " of key ", parsed->user_key.ToString(/*hex=*/true));
  }
  if (at.file_number < collect_below_) {
    Slice blob;
    s = Read(parsed->user_key, *value, &blob);
    if (s.ok()) s = Write(parsed->user_key, blob, &index_);
    if (!s.ok()) return s;
    Tick(BLOB_DB_GC_NUM_KEYS_RELOCATED);
    Tick(BLOB_DB_GC_BYTES_RELOCATED, at.size);
    if (index_.empty()) {
      Become(kTypeValue, blob, parsed, key, value);
    } else {
      Become(kTypeBlobIndex, index_, parsed, key, value);
    }
    return s;
  }
  if (const auto flow = flows_.find(at.file_number); flow != flows_.end()) {
    ++flow->second.blobs_out;
    flow->second.bytes_out += BlobRecordSize(parsed->user_key.size(), at.size);
  }
  return s;
}

Status JobBlobs::AddPrepared(const CompactionIterator& kept, TableWriter* writer) {
  ParsedInternalKey parsed = kept.parsed();
  Slice key = kept.key();
  Slice value = kept.value();
  Status s = PrepareOutput(&parsed, &key, &value);
  if (s.ok()) writer->Add(parsed, key, value);
  return s;
}

Status JobBlobs::Finish() { return writer_ == nullptr ? Status::OK() : writer_->Finish(); }

void JobBlobs::Drop() {
  if (writer_ != nullptr) writer_->Drop();
}

const std::vector<BlobFileAddition>& JobBlobs::files() const {
  static const std::vector<BlobFileAddition>& kNone = *new std::vector<BlobFileAddition>;
  return writer_ == nullptr ? kNone : writer_->files();
}

void JobBlobs::AddGarbage(std::map<uint64_t, BlobFileGarbage>* garbage) const {
  for (const auto& [number, flow] : flows_) {
    // (More than came in cannot come out: each blob has one entry.)
    if (flow.blobs_in <= flow.blobs_out) continue;
    BlobFileGarbage& of_file = (*garbage)[number];
    of_file.number = number;
    of_file.blobs += flow.blobs_in - flow.blobs_out;
    of_file.bytes += flow.bytes_in - flow.bytes_out;
  }
}

void JobBlobs::AddCounts(CompactionJobStats* counts) const {
  counts->num_blobs_read += blobs_read_;
  counts->total_blob_bytes_read += bytes_read_;
  for (const BlobFileAddition& file : files()) {
    ++counts->num_output_files_blob;
    counts->total_output_bytes_blob += file.file_size();
  }
}

}  // namespace cairn
