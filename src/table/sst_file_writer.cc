// SstFileWriter: a table builder over a file of its own. All entries have sequence number 0, and
// the properties say that a global one may take its place (version 2 of external files).
#include "rocksdb/sst_file_writer.h"

#include "base/coding.h"
#include "base/internal_key.h"
#include "base/namespace.h"
#include "base/range_tombstones.h"
#include "base/wide_column_serialization.h"
#include "fs/file_util.h"
#include "fs/file_writer.h"
#include "rocksdb/db.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/file_system.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/table.h"
#include "table/block_based_table_factory.h"
#include "table/properties.h"
#include "table/table_builder.h"
#include "table/table_options.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr uint32_t kVersion = 2;

// As for the last level, where most of a database lies.
CompressionType ChooseCompression(const Options& o, CompressionOptions* settings) {
  *settings = o.compression_opts;
  if (o.bottommost_compression != kDisableCompressionOption) {
    if (o.bottommost_compression_opts.enabled) *settings = o.bottommost_compression_opts;
    return o.bottommost_compression;
  }
  return o.compression_per_level.empty() ? o.compression : o.compression_per_level.back();
}

}  // namespace

struct SstFileWriter::Rep {
  Rep(const EnvOptions& e, const Options& o, const Comparator* c, ColumnFamilyHandle* family,
      bool invalidate, bool no_filters)
      : file_options(e),
        options(o),
        icmp(c),
        family_id(family == nullptr ? TableProperties::kUnknownColumnFamily : family->GetID()),
        family_name(family == nullptr ? "" : family->GetName()),
        invalidate_page_cache(invalidate),
        skip_filters(no_filters) {}

  FileSystem* fs() const {
    return (options.env != nullptr ? options.env : Env::Default())->GetFileSystem().get();
  }
  void Abandon();
  Status Fail(Status s);
  Status Add(const Slice& user_key, const Slice& value, cairn::ValueType type);
  // With `timestamp`; empty: without, and the comparator must have none.
  Status AddStamped(const Slice& bare_key, const Slice& timestamp, const Slice& value,
                    cairn::ValueType type);
  Status AddRange(const Slice& begin_key, const Slice& end_key, const Slice& timestamp);

  const FileOptions file_options;
  const Options options;
  // The table gets bare keys.
  bool StripsTimestamps() const {
    return !options.persist_user_defined_timestamps && icmp.timestamp_size() != 0;
  }
  // InvalidArgument: of another size, or one that the table would not have.
  Status CheckTimestamp(const Slice& timestamp) const;

  const cairn::InternalKeyComparator icmp;
  const uint32_t family_id;
  const std::string family_name;
  const bool invalidate_page_cache;
  const bool skip_filters;
  const std::string session_id = cairn::GenerateDbSessionId();
  uint64_t files = 0;  // opened so far: the file's number, for its identity
  std::unique_ptr<cairn::FileWriter> file;
  std::unique_ptr<cairn::TableBuilder> builder;  // null: no file is open
  ExternalSstFileInfo info;
  std::vector<cairn::RangeTombstone> tombstones;  // in any order
  std::string key;                                // an internal key
};

void SstFileWriter::Rep::Abandon() {
  if (builder == nullptr) return;
  builder->Abandon();
  builder.reset();
  file->Abandon();
  file.reset();
}

Status SstFileWriter::Rep::Fail(Status s) {
  Abandon();
  // What is left of it is no table.
  fs()->DeleteFile(info.file_path, IOOptions(), nullptr).PermitUncheckedError();
  return s;
}

Status SstFileWriter::Rep::Add(const Slice& user_key, const Slice& value, cairn::ValueType type) {
  if (builder == nullptr) return Status::InvalidArgument("File is not opened");
  if (info.num_entries > 0 &&
      icmp.user_comparator()->Compare(user_key, cairn::ExtractUserKey(builder->LastKey())) <= 0) {
    return Status::InvalidArgument("Keys must be added in strict ascending order.");
  }
  key.clear();
  cairn::AppendInternalKey(&key, cairn::ParsedInternalKey(user_key, 0, type));
  builder->Add(key, value);
  Status s = builder->status();
  if (!s.ok()) return s;
  if (info.num_entries++ == 0) info.smallest_key.assign(user_key.data(), user_key.size());
  info.file_size = builder->FileSize();
  return s;
}

Status SstFileWriter::Rep::CheckTimestamp(const Slice& timestamp) const {
  if (icmp.timestamp_size() != timestamp.size()) {
    return Status::InvalidArgument("Timestamp size mismatch");
  }
  if (StripsTimestamps() && timestamp != Slice(std::string(timestamp.size(), '\0'))) {
    return Status::InvalidArgument(
        "With persist_user_defined_timestamps=false only the smallest timestamp is accepted");
  }
  return Status::OK();
}

Status SstFileWriter::Rep::AddStamped(const Slice& bare_key, const Slice& timestamp,
                                      const Slice& value, cairn::ValueType type) {
  if (Status s = CheckTimestamp(timestamp); !s.ok()) return s;
  if (timestamp.empty()) return Add(bare_key, value, type);
  const std::string user_key = bare_key.ToString() + timestamp.ToString();
  return Add(user_key, value, type);
}

SstFileWriter::SstFileWriter(const EnvOptions& env_options, const Options& options,
                             const Comparator* user_comparator, ColumnFamilyHandle* column_family,
                             bool invalidate_page_cache, Env::IOPriority /*io_priority*/,
                             bool skip_filters)
    : rep_(std::make_unique<Rep>(env_options, options, user_comparator, column_family,
                                 invalidate_page_cache, skip_filters)) {}

// The file stays as it is, as in RocksDB: JRaft's RheaKV looks for the empty file of a column
// family that had nothing to write.
SstFileWriter::~SstFileWriter() { rep_->Abandon(); }

Status SstFileWriter::Open(const std::string& file_path) {
  Rep& r = *rep_;
  r.Abandon();
  const TableFactory* const factory = r.options.table_factory.get();
  if (factory == nullptr || r.icmp.user_comparator() == nullptr) {
    return Status::InvalidArgument("table_factory and comparator must not be null");
  }
  if (const auto* table = factory->GetOptions<BlockBasedTableOptions>()) {
    Status s = cairn::ValidateTableOptions(*table);
    if (!s.ok()) return s;
  }
  std::unique_ptr<FSWritableFile> file;
  const IOStatus io = r.fs()->NewWritableFile(file_path, r.file_options, &file, nullptr);
  if (!io.ok()) return io;
  r.file = std::make_unique<cairn::FileWriter>(std::move(file), file_path, r.file_options);
  if (r.options.checksum_handoff_file_types.Contains(kTableFile)) r.file->EnableChecksumHandoff();
  if (FileChecksumGenFactory* const checksums = r.options.file_checksum_gen_factory.get()) {
    FileChecksumGenContext context;
    context.file_name = file_path;
    r.file->SetChecksumGenerator(checksums->CreateFileChecksumGenerator(context));
  }

  CompressionOptions compression_opts;
  const CompressionType compression = ChooseCompression(r.options, &compression_opts);
  cairn::TableBuilderOptions builder(r.icmp, compression);
  builder.compression_opts = compression_opts;
  builder.compression_manager = r.options.compression_manager;
  builder.column_family_id = r.family_id;
  builder.column_family_name = r.family_name;
  builder.skip_filters = r.skip_filters;
  builder.strip_timestamps = r.StripsTimestamps();
  builder.db_id = "SST Writer";
  builder.db_session_id = r.session_id;
  builder.cur_file_num = ++r.files;
  builder.statistics = r.options.statistics.get();
  builder.info_log = r.options.info_log.get();
  if (r.options.merge_operator != nullptr) {
    builder.merge_operator_name = r.options.merge_operator->Name();
  }
  builder.prefix_extractor = r.options.prefix_extractor.get();
  builder.bloom_locality = r.options.bloom_locality;
  builder.collector_factories = &r.options.table_properties_collector_factories;
  cairn::PutFixed32(&builder.extra_properties[cairn::kExternalVersionProperty], kVersion);
  cairn::PutFixed64(&builder.extra_properties[cairn::kExternalGlobalSeqnoProperty], 0);
  r.builder.reset(factory->NewTableBuilder(builder, r.file.get()));
  r.info = ExternalSstFileInfo();
  r.info.file_path = file_path;
  r.info.version = kVersion;
  r.tombstones.clear();
  Status s = r.builder->status();
  return s.ok() ? s : r.Fail(s);
}

Status SstFileWriter::Put(const Slice& user_key, const Slice& value) {
  return rep_->AddStamped(user_key, Slice(), value, cairn::kTypeValue);
}
Status SstFileWriter::PutEntity(const Slice& user_key, const WideColumns& columns) {
  std::string entity;
  Status s = cairn::EncodeWideColumns(columns, &entity);
  return s.ok() ? rep_->AddStamped(user_key, Slice(), entity, cairn::kTypeWideColumnEntity) : s;
}
Status SstFileWriter::Merge(const Slice& user_key, const Slice& value) {
  return rep_->AddStamped(user_key, Slice(), value, cairn::kTypeMerge);
}
Status SstFileWriter::Delete(const Slice& user_key) {
  return rep_->AddStamped(user_key, Slice(), Slice(), cairn::kTypeDeletion);
}
Status SstFileWriter::Put(const Slice& user_key, const Slice& timestamp, const Slice& value) {
  if (timestamp.empty()) return Status::InvalidArgument("Timestamp size mismatch");
  return rep_->AddStamped(user_key, timestamp, value, cairn::kTypeValue);
}
Status SstFileWriter::Delete(const Slice& user_key, const Slice& timestamp) {
  if (timestamp.empty()) return Status::InvalidArgument("Timestamp size mismatch");
  return rep_->AddStamped(
      user_key, timestamp, Slice(),
      rep_->StripsTimestamps() ? cairn::kTypeDeletion : cairn::kTypeDeletionWithTimestamp);
}
Status SstFileWriter::DeleteRange(const Slice& begin_key, const Slice& end_key,
                                  const Slice& timestamp) {
  if (timestamp.empty()) return Status::InvalidArgument("Timestamp size mismatch");
  return rep_->AddRange(begin_key, end_key, timestamp);
}
Status SstFileWriter::DeleteRange(const Slice& begin_key, const Slice& end_key) {
  return rep_->AddRange(begin_key, end_key, Slice());
}

Status SstFileWriter::Rep::AddRange(const Slice& begin_key, const Slice& end_key,
                                    const Slice& timestamp) {
  if (Status s = CheckTimestamp(timestamp); !s.ok()) return s;
  if (builder == nullptr) return Status::InvalidArgument("File is not opened");
  const Comparator* const comparator = icmp.user_comparator();
  const int order = comparator->CompareWithoutTimestamp(begin_key, false, end_key, false);
  if (order > 0) return Status::InvalidArgument("end key comes before start key");
  if (order == 0) return Status::OK();
  const std::string begin = begin_key.ToString() + timestamp.ToString();
  const std::string end = end_key.ToString() + timestamp.ToString();
  const bool first = info.num_range_del_entries++ == 0;
  if (first || comparator->Compare(begin, info.smallest_range_del_key) < 0) {
    info.smallest_range_del_key = begin;
  }
  if (first || comparator->Compare(end, info.largest_range_del_key) > 0) {
    info.largest_range_del_key = end;
  }
  tombstones.push_back(cairn::MakeRangeTombstone(icmp, begin, end, 0));
  return Status::OK();
}

Status SstFileWriter::Finish(ExternalSstFileInfo* file_info) {
  Rep& r = *rep_;
  if (r.builder == nullptr) return Status::InvalidArgument("File is not opened");
  if (r.info.num_entries == 0 && r.info.num_range_del_entries == 0) {
    return r.Fail(Status::InvalidArgument("Cannot create sst file with no entries"));
  }
  if (r.info.num_entries > 0) {
    const Slice largest = cairn::ExtractUserKey(r.builder->LastKey());
    r.info.largest_key.assign(largest.data(), largest.size());
  }
  const cairn::RangeTombstones tombstones(r.icmp, std::move(r.tombstones));
  for (const auto& fragment : tombstones.fragments()) {
    if (fragment.timestamps.empty()) {
      const cairn::InternalKey start(fragment.start, 0, cairn::kTypeRangeDeletion);
      r.builder->AddTombstone(start.Encode(), fragment.end);
    }
    for (const Slice& timestamp : fragment.timestamps) {
      const std::string stamp = timestamp.ToString();
      const cairn::InternalKey start(r.icmp.BareKey(fragment.start).ToString() + stamp, 0,
                                     cairn::kTypeRangeDeletion);
      r.builder->AddTombstone(start.Encode(), r.icmp.BareKey(fragment.end).ToString() + stamp);
    }
  }
  Status s = r.builder->Finish();
  if (s.ok()) s = r.file->Sync(r.options.use_fsync);
  if (s.ok() && r.invalidate_page_cache) {
    r.file->file()->InvalidateCache(0, 0).PermitUncheckedError();  // a hint
  }
  if (s.ok()) s = r.file->Close();
  if (!s.ok()) return r.Fail(s);
  r.info.file_size = r.builder->FileSize();
  r.file->GetChecksum(&r.info.file_checksum, &r.info.file_checksum_func_name);
  if (r.StripsTimestamps()) {
    for (std::string* key : {&r.info.smallest_key, &r.info.largest_key,
                             &r.info.smallest_range_del_key, &r.info.largest_range_del_key}) {
      key->resize(cairn::StripTimestamp(*key, r.icmp.timestamp_size()).size());
    }
  }
  r.builder.reset();
  r.file.reset();
  if (file_info != nullptr) *file_info = r.info;
  return s;
}

uint64_t SstFileWriter::FileSize() { return rep_->info.file_size; }

}  // namespace ROCKSDB_NAMESPACE
