#include "table/flat_table.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/allocation.h"
#include "base/coding.h"
#include "table/block.h"
#include "table/block_builder.h"
#include "table/properties.h"

namespace cairn {

namespace {

constexpr size_t kMagicSize = 8;
constexpr size_t kHandlesSize = 40;
constexpr size_t kFooterSizeOfVersion0 = kHandlesSize + kMagicSize;
// Later ones have other things where the handles are.
constexpr uint32_t kLastVersionOfFooter = 5;
// So much at once: a deadline is looked at between.
constexpr size_t kReadSize = 4 << 20;

Status CorruptFile(const std::string& what, const RandomAccessFileReader& file) {
  return Status::Corruption(what, file.file_name());
}

// Exactly `n` bytes. `*result` may point into `scratch`.
Status ReadExactly(const RandomAccessFileReader& file, uint64_t offset, size_t n,
                   const ReadLimits& limits, Slice* result, char* scratch) {
  IOOptions options;
  IOStatus io = limits.Apply(&options);
  if (io.ok()) io = file.Read(options, offset, n, result, scratch);
  if (!io.ok()) return io;
  return result->size() == n ? Status::OK() : CorruptFile("file is shorter than recorded", file);
}

// A metadata block, which has no trailer here.
Status ReadFlatBlock(const RandomAccessFileReader& file, const BlockHandle& handle,
                     const ReadLimits& limits, Block::Ptr* block) {
  *block = Block::Allocate(handle.size, 0, handle.offset);
  if (*block == nullptr) return Status::MemoryLimit("no memory for a block of", file.file_name());
  Slice bytes;
  Status s =
      ReadExactly(file, handle.offset, handle.size, limits, &bytes, (*block)->mutable_data());
  if (!s.ok()) return s;
  if (bytes.data() != (*block)->data()) {
    std::memcpy((*block)->mutable_data(), bytes.data(), bytes.size());
  }
  const char* const error = (*block)->ParseRestarts();
  return error == nullptr ? s
                          : Status::Corruption(error + InFileAt(file.file_name(), handle.offset));
}

const char* FormatName(uint64_t magic) {
  return magic == kPlainTableMagic ? "plain table" : "cuckoo table";
}

Status ReadFlatFooter(const RandomAccessFileReader& file, uint64_t file_size, uint64_t magic,
                      const ReadLimits& limits, uint64_t* end, BlockHandle* metaindex) {
  char scratch[kFooterSize];
  const size_t n = static_cast<size_t>(std::min<uint64_t>(file_size, kFooterSize));
  if (n < kFooterSizeOfVersion0) return CorruptFile("file is too short to be a table", file);
  Slice footer;
  Status s = ReadExactly(file, file_size - n, n, limits, &footer, scratch);
  if (!s.ok()) return s;
  const uint64_t found = DecodeFixed64(footer.data() + n - kMagicSize);
  const bool version_0 = found == kPlainTableMagicOfVersion0 && magic == kPlainTableMagic;
  if (!version_0 && found != magic) {
    return CorruptFile(std::string("bad table magic number (not a ") + FormatName(magic) + ")",
                       file);
  }
  const size_t size = version_0 ? kFooterSizeOfVersion0 : kFooterSize;
  if (n < size) return CorruptFile("file is too short to be a table", file);
  const char* const start = footer.data() + (n - size);
  if (!version_0) {
    const uint32_t version = DecodeFixed32(start + 1 + kHandlesSize);
    if (version == 0 || version > kLastVersionOfFooter) {
      return Status::NotSupported(
          std::string(FormatName(magic)) + " with a footer of version " + std::to_string(version),
          file.file_name());
    }
  }
  *end = file_size - size;
  Slice handles(start + (version_0 ? 0 : 1), kHandlesSize);
  if (!metaindex->DecodeFrom(&handles).ok()) return CorruptFile("bad block handle in footer", file);
  return s;
}

}  // namespace

Status ReadTableMagic(const RandomAccessFileReader& file, uint64_t file_size,
                      const ReadLimits& limits, uint64_t* magic) {
  if (file_size < kMagicSize) return CorruptFile("file is too short to be a table", file);
  char scratch[kMagicSize];
  Slice bytes;
  Status s = ReadExactly(file, file_size - kMagicSize, kMagicSize, limits, &bytes, scratch);
  if (!s.ok()) return s;
  *magic = DecodeFixed64(bytes.data());
  if (*magic == kPlainTableMagicOfVersion0) *magic = kPlainTableMagic;
  return s;
}

Status ReadFlatTail(const RandomAccessFileReader& file, uint64_t file_size, uint64_t magic,
                    const ReadLimits& limits, FlatTail* tail) {
  BlockHandle metaindex;
  Status s = ReadFlatFooter(file, file_size, magic, limits, &tail->end, &metaindex);
  if (!s.ok()) return s;
  const auto fits = [tail](const BlockHandle& handle) {
    return handle.size <= tail->end && handle.offset <= tail->end - handle.size;
  };
  if (!fits(metaindex)) return CorruptFile("metaindex block beyond the end of the table", file);
  Block::Ptr block;
  s = ReadFlatBlock(file, metaindex, limits, &block);
  if (!s.ok()) return s;
  bool good = true;
  const bool sound = ForEachEntry(*block, [&](const Slice& key, const Slice& value) {
    Slice input = value;
    BlockHandle handle;
    good = handle.DecodeFrom(&input).ok() && fits(handle);
    if (good) tail->blocks[key.ToString()] = handle;
    return good;
  });
  if (!sound || !good) return CorruptFile("bad entry in metaindex block", file);
  auto properties = tail->blocks.find(kPropertiesBlockName);
  if (properties == tail->blocks.end()) properties = tail->blocks.find(kOldPropertiesBlockName);
  if (properties == tail->blocks.end()) return CorruptFile("table without properties", file);
  s = ReadFlatBlock(file, properties->second, limits, &block);
  if (!s.ok()) return s;
  s = DecodeProperties(*block, &tail->properties);
  return s.ok() ? s : CorruptFile(s.getState() == nullptr ? "bad properties" : s.getState(), file);
}

// ---- WholeFile

void WholeFile::Free::operator()(char* memory) const { ::operator delete(memory); }

Status WholeFile::Load(const RandomAccessFileReader& file, uint64_t file_size, bool mapped,
                       const ReadLimits& limits) {
  char* memory = nullptr;
  if (file_size > SIZE_MAX || !WithMemory(static_cast<size_t>(file_size), [&] {
        memory = static_cast<char*>(::operator new(static_cast<size_t>(file_size)));
      })) {
    return Status::MemoryLimit("no memory for the table", file.file_name());
  }
  memory_.reset(memory);
  const size_t size = static_cast<size_t>(file_size);
  if (mapped) {
    Slice bytes;
    Status s = ReadExactly(file, 0, size, limits, &bytes, memory);
    if (!s.ok()) return s;
    if (bytes.data() != memory) memory_.reset();
    bytes_ = bytes;
    return s;
  }
  for (size_t at = 0; at < size; at += kReadSize) {
    const size_t n = std::min(kReadSize, size - at);
    Slice bytes;
    Status s = ReadExactly(file, at, n, limits, &bytes, memory + at);
    if (!s.ok()) return s;
    if (bytes.data() != memory + at) std::memcpy(memory + at, bytes.data(), n);
  }
  bytes_ = Slice(memory, size);
  return Status::OK();
}

// ---- FlatTable

FlatTable::FlatTable(const TableReaderOptions& options,
                     std::unique_ptr<RandomAccessFileReader>&& file)
    : icmp_(options.icmp), statistics_(options.statistics), file_(std::move(file)) {}

Status FlatTable::Load(const TableReaderOptions& options, uint64_t file_size, uint64_t magic,
                       FlatTail* tail) {
  Status s = ReadFlatTail(*file_, file_size, magic, options.limits, tail);
  if (!s.ok()) return s;
  const TableProperties& properties = tail->properties;
  if (properties.data_size > tail->end) return Corrupt("data beyond the end of the table");
  const std::string& of_table = properties.comparator_name;
  if (!of_table.empty() && of_table != icmp_.user_comparator()->Name()) {
    return Status::InvalidArgument(
        "table is sorted by comparator " + of_table + ", not " + icmp_.user_comparator()->Name(),
        file_->file_name());
  }
  s = FindGlobalSeqno(properties, options.largest_seqno, file_->file_name(), &global_seqno_);
  return s.ok() ? whole_.Load(*file_, file_size, options.mapped, options.limits) : s;
}

size_t FlatTable::ApproximateMemoryUsage() const {
  return sizeof(TableProperties) + whole_.memory_usage() + IndexMemory();
}

Status FlatTable::VerifyChecksum(const ReadOptions& options) {
  const std::unique_ptr<InternalIterator> it(
      NewIterator(options, /*skip_filters=*/true, 0, /*for_compaction=*/true));
  std::string last;
  uint64_t entries = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++entries) {
    if (entries > 0 && icmp_.Compare(last, it->key()) >= 0) return Corrupt("entries out of order");
    const Slice key = it->key();
    last.assign(key.data(), key.size());
  }
  if (!it->status().ok()) return it->status();
  return entries == properties_->num_entries
             ? Status::OK()
             : Corrupt("table of " + std::to_string(properties_->num_entries) +
                       " entries by its properties, and " + std::to_string(entries) + " in fact");
}

Status FlatTable::GetAnchors(size_t count, std::vector<TableAnchor>* anchors) {
  anchors->clear();
  const std::unique_ptr<InternalIterator> it(
      NewIterator(ReadOptions(), /*skip_filters=*/true, 0, /*for_compaction=*/true));
  const uint64_t per_anchor = std::max<uint64_t>(1, properties_->data_size / count);
  TableAnchor part;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const Slice key = ExtractUserKey(it->key());
    part.user_key.assign(key.data(), key.size());
    part.bytes += it->key().size() + it->value().size();
    if (part.bytes < per_anchor || anchors->size() + 1 >= count) continue;
    anchors->push_back(std::move(part));
    part = TableAnchor();
  }
  if (part.bytes > 0) anchors->push_back(std::move(part));
  return it->status();
}

// ---- FlatTableBuilder

FlatTableBuilder::FlatTableBuilder(const TableBuilderOptions& options, FileWriter* file)
    : icmp_(options.icmp),
      file_(file),
      collectors_(options.collector_factories, {options.column_family_id, options.level},
                  options.info_log) {
  TableProperties& p = properties_;
  p.orig_file_number = options.cur_file_num;
  p.column_family_id = options.column_family_id;
  p.column_family_name = options.column_family_name;
  p.db_id = options.db_id;
  p.db_session_id = options.db_session_id;
  p.db_host_id = options.db_host_id;
  p.num_data_blocks = 1;
  p.user_collected_properties = options.extra_properties;
  if (icmp_.timestamp_size() != 0) {
    Fail(Status::NotSupported("only block-based tables have timestamps", file->file_name()));
  }
}

void FlatTableBuilder::AddTombstone(const Slice& /*internal_key*/, const Slice& /*end_user_key*/) {
  Fail(Status::NotSupported("Range deletion unsupported", file_->file_name()));
}

bool FlatTableBuilder::Begin(const Slice& key, ParsedInternalKey* parsed) {
  if (!ok()) return false;
  if (!ParseInternalKey(key, parsed).ok() || parsed->type == kTypeRangeDeletion) {
    Fail(Status::Corruption("bad internal key while writing", file_->file_name()));
  } else if (!last_key_.empty() && icmp_.Compare(last_key_, key) >= 0) {
    Fail(Status::Corruption("out-of-order key while writing", file_->file_name()));
  }
  return ok();
}

void FlatTableBuilder::Count(const Slice& key, const Slice& value, ValueType type) {
  if (!ok()) return;
  ++properties_.num_entries;
  properties_.raw_key_size += key.size();
  properties_.raw_value_size += value.size();
  if (IsDeletionType(type)) ++properties_.num_deletions;
  if (type == kTypeMerge) ++properties_.num_merge_operands;
  last_key_.assign(key.data(), key.size());
  collectors_.Add(key, value, offset_);
}

void FlatTableBuilder::Append(const Slice& bytes) {
  if (!ok()) return;
  const IOStatus io = file_->Append(bytes);
  if (!io.ok()) {
    if (io_status_.ok()) io_status_ = io;
    return Fail(io);
  }
  offset_ += bytes.size();
}

void FlatTableBuilder::AppendBlock(const char* name, const Slice& bytes) {
  blocks_[name] = {offset_, bytes.size()};
  Append(bytes);
}

void FlatTableBuilder::FinishTail(uint64_t magic, uint32_t format_version) {
  collectors_.Finish(&properties_);
  // One restart point: the block is only ever read from its start.
  BlockBuilder properties(INT32_MAX);
  for (const auto& [name, value] : EncodeProperties(properties_)) properties.Add(name, value);
  AppendBlock(kPropertiesBlockName, properties.Finish());
  BlockBuilder metaindex(1);
  for (const auto& [name, handle] : blocks_) {
    std::string value;
    handle.EncodeTo(&value);
    metaindex.Add(name, value);
  }
  const Slice index = metaindex.Finish();
  std::string footer;
  if (format_version > 0) footer.push_back(static_cast<char>(kNoChecksum));
  const size_t handles = footer.size();
  BlockHandle{offset_, index.size()}.EncodeTo(&footer);
  BlockHandle().EncodeTo(&footer);
  footer.resize(handles + kHandlesSize, '\0');
  if (format_version > 0) PutFixed32(&footer, format_version);
  PutFixed64(&footer, magic);
  Append(index);
  Append(footer);
}

}  // namespace cairn
