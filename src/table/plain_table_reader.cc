#include "table/plain_table_reader.h"

#include <utility>
#include <vector>

#include "base/allocation.h"
#include "base/perf.h"

namespace cairn {

namespace {

// ReadOptions as RocksDB's plain tables take them.
bool SeeksByPrefix(const ReadOptions& options) {
  return options.prefix_same_as_start || (!options.total_order_seek && !options.auto_prefix_mode);
}

ParsedInternalKey TargetOf(const Slice& internal_key) {
  ParsedInternalKey target;
  target.user_key = ExtractUserKey(internal_key);
  UnpackSequenceAndType(ExtractInternalKeyFooter(internal_key), &target.sequence, &target.type);
  return target;
}

}  // namespace

// ---- Opening

Status PlainTable::Open(const PlainTableOptions& table_options, const TableReaderOptions& options,
                        std::unique_ptr<RandomAccessFileReader>&& file, uint64_t file_size,
                        std::unique_ptr<TableReader>* table) {
  table->reset();
  if (file_size > kMaxPlainTableSize) {
    return Status::NotSupported("File is too large for PlainTableReader!", file->file_name());
  }
  std::unique_ptr<PlainTable> t(new PlainTable(options, std::move(file)));
  t->table_options_ = table_options;
  t->extractor_ = options.prefix_extractor;
  FlatTail tail;
  Status s = t->Load(options, file_size, kPlainTableMagic, &tail);
  if (!s.ok()) return s;
  auto properties = std::make_shared<TableProperties>(std::move(tail.properties));
  t->properties_ = properties;
  t->rows_ = Slice(t->whole_.bytes().data(), static_cast<size_t>(properties->data_size));
  if (!table_options.full_scan_mode) s = t->CheckExtractor();
  if (s.ok()) s = t->TakeEncoding();
  if (s.ok() && !table_options.full_scan_mode) s = t->FindIndex(tail, properties.get());
  if (s.ok()) *table = std::move(t);
  return s;
}

Status PlainTable::CheckExtractor() const {
  const std::string& of_table = properties_->prefix_extractor_name;
  if (of_table.empty() || of_table == "nullptr") return Status::OK();
  if (extractor_ == nullptr) {
    return Status::InvalidArgument(
        "Prefix extractor is missing when opening a PlainTable built using a prefix extractor",
        file_->file_name());
  }
  if (of_table != extractor_->AsString()) {
    return Status::InvalidArgument(
        "Prefix extractor given doesn't match the one used to build PlainTable",
        file_->file_name());
  }
  return Status::OK();
}

Status PlainTable::TakeEncoding() {
  const auto& extra = properties_->user_collected_properties;
  const auto type = extra.find(PlainTablePropertyNames::kEncodingType);
  if (type != extra.end()) {
    if (type->second.size() != 4) return Corrupt("bad encoding type in the table properties");
    const uint32_t number = DecodeFixed32(type->second.data());
    if (number > static_cast<uint32_t>(kPrefix)) {
      return Status::NotSupported("encoding type " + std::to_string(number) + " of a plain table",
                                  file_->file_name());
    }
    encoding_ = static_cast<EncodingType>(number);
  }
  if (properties_->fixed_key_len > kMaxPlainTableSize) return Corrupt("bad length of the keys");
  fixed_key_len_ = static_cast<uint32_t>(properties_->fixed_key_len);
  return Status::OK();
}

Status PlainTable::FindIndex(const FlatTail& tail, TableProperties* properties) {
  if (extractor_ == nullptr && table_options_.hash_table_ratio != 0) {
    return Status::NotSupported("PlainTable requires a prefix extractor enable prefix hash mode.",
                                file_->file_name());
  }
  const auto in_file = [&](const char* name, Slice* bytes) {
    const auto block = tail.blocks.find(name);
    if (block == tail.blocks.end()) return false;
    const auto [offset, size] = block->second;
    *bytes = Slice(whole_.bytes().data() + offset, static_cast<size_t>(size));
    return true;
  };
  auto& extra = properties->user_collected_properties;
  Slice index, bloom;
  if (in_file(kPlainIndexBlockName, &index)) {
    if (const char* error = index_.Init(index)) return Corrupt(error);
    if (IsTotalOrder() && index_.num_buckets() > 1) {
      return Status::NotSupported(
          "PlainTable cannot issue non-prefix seek unless in total order mode.",
          file_->file_name());
    }
    if (in_file(kPlainBloomBlockName, &bloom)) {
      uint32_t blocks = 0;
      const auto number = extra.find(PlainTablePropertyNames::kNumBloomBlocks);
      if (number != extra.end()) {
        Slice input = number->second;
        if (!GetVarint32(&input, &blocks)) return Corrupt("bad size of the Bloom filter");
      }
      if (!bloom_.Init(bloom, blocks)) return Corrupt("bad size of the Bloom filter");
    }
    // (As RocksDB says it of an index that it did not make.)
    extra["plain_table_hash_table_size"] = extra["plain_table_sub_index_size"] = "0";
    return Status::OK();
  }
  return MakeIndex(properties);
}

Status PlainTable::MakeIndex(TableProperties* properties) {
  PlainIndexBuilder builder(!IsTotalOrder(), table_options_.hash_table_ratio,
                            table_options_.index_sparseness);
  std::vector<uint32_t> hashes;
  const bool has_bloom = table_options_.bloom_bits_per_key > 0;
  PlainRowReader row = NewRowReader();
  Status s;
  const auto read_all = [&] {
    for (uint32_t offset = 0; offset < row.end(); offset = row.next()) {
      if (const char* error = row.Read(offset)) {
        s = BadRow(error, offset);
        return;
      }
      if (has_bloom && IsTotalOrder()) hashes.push_back(PlainHash(row.user_key()));
      builder.Add(PrefixOf(row.user_key()), offset, row.has_whole_key());
    }
    made_index_ = builder.Finish();
    if (!has_bloom || rows_.empty()) return;
    const std::vector<uint32_t>& keys = IsTotalOrder() ? hashes : builder.prefix_hashes();
    uint32_t blocks;
    made_bloom_ = PlainBloom::Make(
        keys, keys.size() * static_cast<uint64_t>(table_options_.bloom_bits_per_key),
        /*locality=*/1, &blocks);
    (void)bloom_.Init(made_bloom_, blocks);
  };
  if (!WithMemory(rows_.size() / 4, read_all)) {
    return Status::MemoryLimit("no memory for the index of", file_->file_name());
  }
  if (!s.ok()) return s;
  if (const char* error = index_.Init(made_index_)) return Corrupt(error);
  auto& extra = properties->user_collected_properties;
  extra["plain_table_hash_table_size"] = std::to_string(size_t{4} * index_.num_buckets());
  extra["plain_table_sub_index_size"] = std::to_string(index_.lists_size());
  return s;
}

// ---- Lookups

Status PlainTable::BadRow(const char* error, uint32_t offset) const {
  return Status::Corruption(error + InFileAt(file_->file_name(), offset));
}

bool PlainTable::BloomMayContain(uint32_t hash) const {
  if (bloom_.empty()) return true;
  const bool may = bloom_.MayContain(hash);
  Perf().Count(may ? &PerfContext::bloom_sst_hit_count : &PerfContext::bloom_sst_miss_count, 1);
  return may;
}

// Where to begin: at a row before `target`, or at its own. `has_prefix`: that row's is `prefix`.
Status PlainTable::FindStart(const ParsedInternalKey& target, const Slice& prefix, uint32_t hash,
                             PlainRowReader* row, uint32_t* start, bool* has_prefix) const {
  PlainIndex::Rows rows;
  if (const char* error = index_.Find(hash, &rows)) return Corrupt(error);
  *has_prefix = false;
  if (rows.count == 0) return Status::NotFound();
  *start = rows[0];
  if (rows.count == 1) return Status::OK();
  // The last row before the target, or the first of all.
  uint32_t low = 0, high = rows.count;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    row->Jump();
    if (const char* error = row->ReadKey(rows[middle])) return BadRow(error, rows[middle]);
    if (icmp_.Compare(KeyOf(*row), target) <= 0) {
      low = middle;
    } else {
      high = middle;
    }
  }
  *start = rows[low];
  row->Jump();
  if (const char* error = row->ReadKey(*start)) return BadRow(error, *start);
  if (PrefixOf(row->user_key()) == prefix) {
    *has_prefix = true;
    return Status::OK();
  }
  // It is of a prefix before: the target's can only begin with the next one.
  if (high == rows.count) return Status::NotFound();
  *start = rows[high];
  return Status::OK();
}

Status PlainTable::Seek(const ParsedInternalKey& target, PlainRowReader* row,
                        uint32_t* offset) const {
  const Slice prefix = PrefixOf(target.user_key);
  const uint32_t hash = IsTotalOrder() ? 0 : PlainHash(prefix);
  bool has_prefix;
  Status s = FindStart(target, prefix, hash, row, offset, &has_prefix);
  if (!s.ok()) return s;
  row->Jump();
  uint64_t compared = 0;
  for (; *offset < row->end(); *offset = row->next()) {
    if (const char* error = row->Read(*offset)) return BadRow(error, *offset);
    if (!has_prefix && PrefixOf(row->user_key()) != prefix) return Status::NotFound();
    has_prefix = true;
    ++compared;
    if (icmp_.Compare(KeyOf(*row), target) >= 0) break;
  }
  Perf().Count(&PerfContext::user_key_comparison_count, compared);
  return *offset < row->end() ? s : Status::NotFound();
}

Status PlainTable::SeekByScan(const ParsedInternalKey& target, PlainRowReader* row,
                              uint32_t* offset) const {
  row->Jump();
  for (*offset = 0; *offset < row->end(); *offset = row->next()) {
    if (const char* error = row->Read(*offset)) return BadRow(error, *offset);
    if (icmp_.Compare(KeyOf(*row), target) >= 0) return Status::OK();
  }
  return Status::NotFound();
}

Status PlainTable::Get(const ReadOptions& /*options*/, const Slice& internal_key,
                       GetContext* context, bool skip_filters) {
  if (index_.empty()) {
    return Status::InvalidArgument("Get() is not allowed in full scan mode.", file_->file_name());
  }
  const ParsedInternalKey target = TargetOf(internal_key);
  const Slice hashed = IsTotalOrder() ? target.user_key : PrefixOf(target.user_key);
  if (!skip_filters && !BloomMayContain(PlainHash(hashed))) return Status::OK();
  PlainRowReader row = NewRowReader();
  uint32_t offset;
  Status s = Seek(target, &row, &offset);
  if (s.IsCorruption()) context->MarkCorrupt();
  if (!s.ok()) return s.IsNotFound() ? Status::OK() : s;
  while (icmp_.EqualUserKey(row.user_key(), target.user_key)) {
    const ParsedInternalKey key = KeyOf(row);
    if (!context->SaveMatch(key.sequence, key.type, row.value(), nullptr)) {
      if (context->state() != GetContext::kUnsupported) break;
      return Status::NotSupported("value type " + std::to_string(key.type) +
                                  InFileAt(file_->file_name(), offset));
    }
    offset = row.next();
    if (offset >= row.end()) break;
    if (const char* error = row.Read(offset)) {
      context->MarkCorrupt();
      return BadRow(error, offset);
    }
  }
  return Status::OK();
}

uint64_t PlainTable::ApproximateOffsetOf(const ReadOptions& /*options*/,
                                         const Slice& internal_key) {
  if (!IsTotalOrder() || index_.empty()) return 0;
  PlainRowReader row = NewRowReader();
  uint32_t offset;
  const Status s = Seek(TargetOf(internal_key), &row, &offset);
  return s.ok() ? offset : properties_->data_size;
}

// ---- The iterator

class PlainTableIterator final : public InternalIterator {
 public:
  // `any_key`: a seek finds keys of any prefix, if need be from the first row on.
  PlainTableIterator(const PlainTable* table, bool by_prefix, bool any_key, bool pin_data,
                     bool skip_filters)
      : table_(table),
        by_prefix_(by_prefix),
        any_key_(any_key),
        pin_data_(pin_data),
        skip_filters_(skip_filters),
        row_(table->NewRowReader()),
        offset_(row_.end()) {}

  bool Valid() const override { return offset_ < row_.end(); }
  void SeekToFirst() override {
    status_ = Status::OK();
    row_.Jump();
    Enter(0);
  }
  void SeekToLast() override { Refuse("SeekToLast() is not supported in PlainTable"); }
  void Seek(const Slice& internal_key) override;
  void SeekForPrev(const Slice& /*internal_key*/) override {
    Refuse("SeekForPrev() is not supported in PlainTable");
  }
  void Next() override { Enter(row_.next()); }
  void Prev() override { Refuse("Prev() is not supported in PlainTable"); }
  Slice key() const override;
  Slice value() const override { return row_.value(); }
  Status status() const override { return status_; }
  bool PrefixIsAbsent() const override { return prefix_is_absent_; }
  bool IsKeyPinned() const override { return pin_data_ && KeyIsInFile(); }
  bool IsValuePinned() const override { return pin_data_; }

 private:
  void Close(Status s) {
    offset_ = row_.end();
    status_ = std::move(s);
  }
  void Refuse(const char* what) { Close(Status::NotSupported(what, table_->file_->file_name())); }
  void Enter(uint32_t offset) {
    has_key_ = false;
    offset_ = offset;
    if (offset >= row_.end()) return;
    if (const char* error = row_.Read(offset)) Close(table_->BadRow(error, offset));
  }
  bool KeyIsInFile() const {
    return row_.footer_in_rows() && table_->global_seqno_ == kDisableGlobalSequenceNumber;
  }

  const PlainTable* const table_;
  const bool by_prefix_;
  const bool any_key_;
  const bool pin_data_;
  const bool skip_filters_;
  PlainRowReader row_;
  uint32_t offset_;
  Status status_;
  bool prefix_is_absent_ = false;
  mutable bool has_key_ = false;
  mutable std::string key_;
};

void PlainTableIterator::Seek(const Slice& internal_key) {
  const auto invalid = [&](const char* what) {
    Close(Status::InvalidArgument(what, table_->file_->file_name()));
  };
  has_key_ = false;
  prefix_is_absent_ = false;
  const bool total = table_->IsTotalOrder();
  const ParsedInternalKey target = TargetOf(internal_key);
  Status s;
  if (any_key_ && (!total || table_->index_.empty())) {
    s = table_->SeekByScan(target, &row_, &offset_);
  } else if (table_->index_.empty()) {
    return invalid("Seek() is not allowed in full scan mode.");
  } else if (!total && !by_prefix_) {
    return invalid("total_order_seek not implemented for PlainTable.");
  } else if (!total && !skip_filters_ &&
             !table_->BloomMayContain(PlainHash(table_->PrefixOf(target.user_key)))) {
    s = Status::NotFound();
  } else {
    s = table_->Seek(target, &row_, &offset_);
  }
  if (s.ok()) {
    status_ = s;
    return;
  }
  prefix_is_absent_ = s.IsNotFound() && !total && !any_key_;
  Close(s.IsNotFound() ? Status::OK() : s);
}

Slice PlainTableIterator::key() const {
  const Slice& user_key = row_.user_key();
  if (KeyIsInFile()) return Slice(user_key.data(), user_key.size() + kInternalKeyFooterSize);
  if (!has_key_) {
    key_.assign(user_key.data(), user_key.size());
    const ParsedInternalKey key = table_->KeyOf(row_);
    AppendInternalKeyFooter(&key_, key.sequence, key.type);
    has_key_ = true;
  }
  return key_;
}

InternalIterator* PlainTable::NewIterator(const ReadOptions& options, bool skip_filters,
                                          size_t /*compaction_readahead*/, bool for_compaction) {
  return new PlainTableIterator(this, SeeksByPrefix(options), for_compaction, options.pin_data,
                                skip_filters);
}

}  // namespace cairn
