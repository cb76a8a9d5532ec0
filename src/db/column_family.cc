#include "db/column_family.h"

#include <algorithm>
#include <utility>

#include "compaction/fifo_picker.h"
#include "compaction/leveled_picker.h"
#include "compaction/none_picker.h"
#include "compaction/universal_picker.h"
#include "db/database.h"
#include "db/families.h"
#include "options/options_check.h"

namespace cairn {

ColumnFamily::ColumnFamily(ColumnFamilyState* family_state,
                           std::shared_ptr<const Options> live_options,
                           TableCacheOptions table_cache, BlobSourceOptions blob_source,
                           std::function<void(SuperVersion*)> retire)
    : family_id(family_state->id()),
      family_name(family_state->name()),
      state(family_state),
      icmp(live_options->comparator),
      num_levels(live_options->num_levels),
      table_factory(live_options->table_factory),
      prefix_extractor(live_options->prefix_extractor),
      merge_operator(live_options->merge_operator),
      super_versions(std::make_unique<SuperVersionSlots>(std::move(retire))),
      options(std::move(live_options)),
      max_sequential_skip(options->max_sequential_skip_in_iterations),
      disallows_writes(options->disallow_memtable_writes),
      reserves_last_level(ReservesLastLevel(*options, *options)),
      max_successive_merges(merge_operator == nullptr ? 0 : options->max_successive_merges),
      imm(options->min_write_buffer_number_to_merge),
      level_stats(num_levels) {
  table_cache.table_factory = table_factory.get();
  table_cache.icmp = &icmp;
  table_cache.prefix_extractor = prefix_extractor.get();
  tables = std::make_unique<TableCache>(std::move(table_cache));
  blobs = std::make_unique<BlobSource>(std::move(blob_source));
  tables->SetMaxFlushedFileSize(MaxFlushedFileSize(*options));
  tables->SetBlockProtection(options->block_protection_bytes_per_key);
  tables->SetCompressionManager(options->compression_manager);
  if (options->compaction_style == kCompactionStyleUniversal) {
    picker = std::make_unique<UniversalPicker>(options.get(), &icmp);
  } else if (options->compaction_style == kCompactionStyleFIFO) {
    picker = std::make_unique<FifoPicker>(options.get(), &icmp);
  } else if (options->compaction_style == kCompactionStyleNone) {
    picker = std::make_unique<NonePicker>(options.get(), &icmp);
  } else {
    picker = std::make_unique<LeveledPicker>(options.get(), &icmp);
  }
  if (reserves_last_level) picker->ReserveLastLevel();
  if (!options->cf_paths.empty()) picker->SetPaths(options->cf_paths);
  // What is kept for the next memtable is not charged: only where nothing limits the memory. It is
  // no more than that memtable may have, which is a little over its size.
  if (!options->write_buffer_manager->enabled() && options->max_write_buffer_number > 1) {
    const size_t size = options->write_buffer_size;
    huge_pages = std::make_shared<HugePagePool>(size + size / 8);
  }
}

ColumnFamily::~ColumnFamily() = default;

void ColumnFamily::Release() {
  stall_token.reset();
  pressure_token.reset();
  super_versions.reset();  // retires the current one
  if (mem != nullptr) std::exchange(mem, nullptr)->Unref();
  imm.Clear();
  picker.reset();
}

CompactionPicker* ColumnFamily::InformedPicker() const {
  const std::vector<MemTable*>& sealed = imm.current()->memtables();  // the newest first
  SequenceNumber first = kMaxSequenceNumber;
  for (const MemTable* memtable : {sealed.empty() ? mem : sealed.back(), mem}) {
    if (!memtable->IsEmpty()) first = std::min(first, memtable->GetFirstSequenceNumber());
  }
  picker->set_unflushed_from(first);
  return picker.get();
}

size_t ColumnFamily::UnflushedBytes() const {
  SuperVersionGuard sv(super_versions.get());
  return sv->mem->IsEmpty() ? 0 : sv->mem->ApproximateMemoryUsage();
}

// --- Handles

ColumnFamilyHandleImpl::ColumnFamilyHandleImpl(Database* db, ColumnFamily* family)
    : db_(db), family_(family) {
  family_->Ref();
}

ColumnFamilyHandleImpl::~ColumnFamilyHandleImpl() {
  db_->Tell(
      [this](EventListener* listener) { listener->OnColumnFamilyHandleDeletionStarted(this); });
  db_->families->UnrefFamily(family_, /*purge=*/true);
}

Status ColumnFamilyHandleImpl::GetDescriptor(ColumnFamilyDescriptor* descriptor) {
  *descriptor = ColumnFamilyDescriptor(GetName(), *db_->families->LiveOptions(family_));
  return Status::OK();
}

// --- Memtables

void FamilyMemTables::Set(uint32_t family, MemTable* memtable) {
  if (family == 0) {
    default_ = memtable;
  } else {
    Other& other = others_[family];
    other.memtable = memtable;
    other.written.store(false, std::memory_order_relaxed);
  }
}

void FamilyMemTables::NoteWritten(uint32_t family, Other* other) {
  fiber::MutexLock lock(&written_mutex_);
  if (other->written.exchange(true, std::memory_order_relaxed)) return;
  written_.push_back(family);
}

Status FamilyMemTables::Seek(uint32_t family, MemTable** memtable) {
  if (family == 0) [[likely]] {
    *memtable = default_;
    return Status::OK();
  }
  const auto it = others_.find(family);
  *memtable = it == others_.end() ? nullptr : it->second.memtable;
  if (*memtable == nullptr) return Status::OK();
  if (notes_writes_ && !it->second.written.load(std::memory_order_relaxed)) {
    NoteWritten(family, &it->second);
  }
  if ((*memtable)->ShouldFlush()) full_.store(true, std::memory_order_relaxed);
  return Status::OK();
}

}  // namespace cairn
