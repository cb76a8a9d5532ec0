#include "table/table_cache.h"

#include <algorithm>

#include "base/coding.h"
#include "base/perf.h"
#include "base/stop_watch.h"
#include "fiber/limits.h"
#include "fs/file_names.h"
#include "fs/file_reader.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"

namespace cairn {

namespace {

// Capacity, in tables, when all stay open.
constexpr size_t kUnlimited = size_t{1} << 22;

// The sockets of a server, logs and other databases need descriptors, too.
size_t Capacity(int max_open_files) {
  const size_t wanted =
      max_open_files < 0 ? kUnlimited : static_cast<size_t>(std::max(1, max_open_files));
  return std::max<size_t>(1, std::min<uint64_t>(wanted, fiber::descriptor_limit() / 4 * 3));
}

size_t MostPinned(int max_open_files) {
  return max_open_files < 0 ? Capacity(max_open_files) / 4 * 3 : 0;
}

void DeleteTable(const Slice& /*key*/, void* value) { delete static_cast<TableReader*>(value); }

struct TableKey {
  explicit TableKey(uint64_t number) { EncodeFixed64(bytes, number); }
  Slice slice() const { return Slice(bytes, sizeof(bytes)); }
  char bytes[8];
};

}  // namespace

// ---- TableSlot

void TableSlot::Release() {
  if (reader_.load(std::memory_order_relaxed) == nullptr) return;
  reader_.store(nullptr, std::memory_order_relaxed);
  tables_->cache()->Release(handle_);
  tables_->pinned_.fetch_sub(1, std::memory_order_relaxed);
  tables_ = nullptr;
  handle_ = nullptr;
}

// ---- OpenTables

OpenTables::OpenTables(int max_open_files, int num_shard_bits)
    : cache_(NewLRUCache(Capacity(max_open_files),
                         // Few tables: one shard, or each would hold too few of them.
                         Capacity(max_open_files) >= 1024 ? std::clamp(num_shard_bits, 0, 19) : 0,
                         /*strict_capacity_limit=*/false, /*high_pri_pool_ratio=*/0.0, nullptr,
                         /*use_adaptive_mutex=*/false, kDontChargeCacheMetadata)),
      most_pinned_(MostPinned(max_open_files)) {}

void OpenTables::SetMaxOpenFiles(int max_open_files) {
  most_pinned_.store(MostPinned(max_open_files), std::memory_order_relaxed);
  fiber::MutexLock lock(&capacity_mutex_);
  cache_->SetCapacity(Capacity(max_open_files));
}

bool OpenTables::CloseSome() {
  fiber::MutexLock lock(&capacity_mutex_);
  const size_t used = cache_->GetUsage();
  const size_t in_use = cache_->GetPinnedUsage();
  if (used <= in_use) return false;
  const size_t capacity = cache_->GetCapacity();
  cache_->SetCapacity(in_use + (used - in_use) / 2);
  cache_->SetCapacity(capacity);
  // (Few, in many shards.)
  if (cache_->GetUsage() >= used) cache_->EraseUnRefEntries();
  return true;
}

// ---- TableCache::Ref

TableCache::Ref::Ref(Ref&& other) noexcept
    : reader_(other.reader_), cache_(other.cache_), handle_(other.handle_) {
  other.reader_ = nullptr;
  other.cache_ = nullptr;
  other.handle_ = nullptr;
}

TableCache::Ref& TableCache::Ref::operator=(Ref&& other) noexcept {
  if (this != &other) {
    Reset();
    std::swap(reader_, other.reader_);
    std::swap(cache_, other.cache_);
    std::swap(handle_, other.handle_);
  }
  return *this;
}

void TableCache::Ref::Reset() {
  if (handle_ != nullptr) cache_->Release(handle_);
  reader_ = nullptr;
  cache_ = nullptr;
  handle_ = nullptr;
}

// ---- TableCache

TableCache::TableCache(TableCacheOptions options)
    : options_(std::move(options)),
      pin_all_(options_.max_open_files < 0),
      open_tables_(options_.open_tables != nullptr
                       ? options_.open_tables
                       : std::make_shared<OpenTables>(options_.max_open_files,
                                                      options_.table_cache_numshardbits)),
      cache_(open_tables_->cache()),
      rows_(options_.row_cache == nullptr
                ? nullptr
                : std::make_unique<RowCache>(options_.row_cache, options_.statistics)) {}

TableCache::~TableCache() = default;

Status TableCache::OpenTable(const TableFileId& file, const ReadLimits& limits,
                             std::unique_ptr<TableReader>* table) {
  const std::string name = TableFileName(options_.paths, file.number, file.path_id);
  std::unique_ptr<RandomAccessFileReader> reader;
  Status s = RandomAccessFileReader::Open(options_.fs, name, options_.file_options, &reader);
  if (s.ok()) {
    const StopWatch watch(options_.statistics, TABLE_OPEN_IO_MICROS);
    reader->SetStatistics({.statistics = options_.statistics,
                           .last_level = file.level + 1 == options_.num_levels,
                           .temperature = file.temperature});
    TableReaderOptions reader_options(*options_.icmp);
    reader_options.statistics = options_.statistics;
    reader_options.block_trace = options_.block_trace;
    reader_options.info_log = options_.info_log;
    reader_options.level = file.level;
    reader_options.max_flushed_file_size = max_flushed_file_size_.load(std::memory_order_relaxed);
    reader_options.file_number = file.number;
    reader_options.tail_size = file.tail_size;
    reader_options.largest_seqno = file.largest_seqno;
    reader_options.limits = limits;
    reader_options.for_job = file.for_job;
    reader_options.expects_bare_keys = file.expects_bare_keys;
    reader_options.prefix_extractor = options_.prefix_extractor;
    reader_options.use_secondary_cache = options_.use_secondary_cache;
    reader_options.mapped = options_.file_options.use_mmap_reads;
    reader_options.block_protection_bytes = block_protection_bytes_.load(std::memory_order_relaxed);
    {
      const fiber::MutexLock lock(&manager_mu_);
      reader_options.compression_manager = compression_manager_;
    }
    s = options_.table_factory->NewTableReader(reader_options, std::move(reader), file.file_size,
                                               table);
    if (s.ok() && options_.verify_unique_ids && file.unique_id != nullptr &&
        *file.unique_id != kNullUniqueId) {
      s = CheckUniqueId(*file.unique_id, *(*table)->GetTableProperties(), name);
      if (!s.ok()) table->reset();
    }
  }
  if (options_.statistics != nullptr) {
    options_.statistics->recordTick(s.ok() ? NO_FILE_OPENS : NO_FILE_ERRORS, 1);
  }
  return s;
}

// Leaves a reference in the file's slot, so that the next lookup finds the reader there. REQUIRES:
// the open lock.
void TableCache::Pin(const TableFileId& file, Ref* table, bool in_any_case) {
  TableSlot* slot = file.slot;
  if (!pin_all_.load(std::memory_order_relaxed) || slot == nullptr ||
      slot->reader_.load(std::memory_order_relaxed) != nullptr ||
      (!in_any_case && !open_tables_->HasPinToSpare())) {
    return;
  }
  cache_->Ref(table->handle_);
  open_tables_->pinned_.fetch_add(1, std::memory_order_relaxed);
  slot->tables_ = open_tables_.get();
  slot->handle_ = table->handle_;
  slot->reader_.store(table->reader_, std::memory_order_release);
}

Status TableCache::FindTable(const TableFileId& file, Ref* table, bool no_io,
                             const ReadLimits& limits) {
  table->Reset();
  if (file.slot != nullptr) {
    if (TableReader* reader = file.slot->reader()) {
      table->reader_ = reader;
      return Status::OK();
    }
  }
  const PerfTimer timer(Perf(), &PerfContext::find_table_nanos);
  fiber::Mutex& mu = open_mu_[file.number % kOpenLocks];
  if (Cache::Handle* const handle = cache_->Lookup(TableKey(file.number).slice())) {
    table->cache_ = cache_;
    table->handle_ = handle;
    table->reader_ = static_cast<TableReader*>(cache_->Value(handle));
    if (file.slot != nullptr && file.slot->MayHaveTombstones() &&
        table->reader_->range_tombstones() == nullptr) {
      file.slot->may_have_tombstones_.store(false, std::memory_order_relaxed);
    }
    // Not if the lock is held: another table is being opened, which may take long.
    if (pin_all_.load(std::memory_order_relaxed) && file.slot != nullptr &&
        open_tables_->HasPinToSpare() && mu.try_lock()) {
      Pin(file, table);
      mu.unlock();
    }
    return Status::OK();
  }
  if (no_io) return Status::Incomplete("table is not open");

  if (!mu.try_lock_until(limits.NanosDeadline())) return limits.Error();
  Status s = OpenOnce(file, limits, table);
  if (s.ok() && file.slot != nullptr && table->reader_->range_tombstones() == nullptr) {
    file.slot->may_have_tombstones_.store(false, std::memory_order_relaxed);
  }
  if (s.ok()) Pin(file, table);
  mu.unlock();
  return s;
}

Status TableCache::KeepOpen(const TableFileId& file, const ReadLimits& limits) {
  Ref table;
  Status s = FindTable(file, &table, /*no_io=*/false, limits);
  if (s.ok() && table.handle_ != nullptr) {
    fiber::MutexLock lock(&open_mu_[file.number % kOpenLocks]);
    Pin(file, &table, /*in_any_case=*/true);
  }
  return s;
}

// REQUIRES: the open lock.
Status TableCache::OpenOnce(const TableFileId& file, const ReadLimits& limits, Ref* table) {
  const TableKey key(file.number);
  Cache::Handle* handle = cache_->Lookup(key.slice());
  if (handle == nullptr) {
    std::unique_ptr<TableReader> reader;
    Status s = OpenTable(file, limits, &reader);
    if (!s.ok()) return s;
    s = cache_->Insert(key.slice(), reader.get(), 1, &DeleteTable, &handle);
    if (!s.ok()) return s;
    (void)reader.release();  // the cache has it
  }
  table->cache_ = cache_;
  table->handle_ = handle;
  table->reader_ = static_cast<TableReader*>(cache_->Value(handle));
  return Status::OK();
}

Status TableCache::GetSlow(const ReadOptions& options, const TableFileId& file,
                           const Slice& internal_key, GetContext* context, bool skip_filters) {
  Ref table;
  Status s = FindTable(file, &table, options.read_tier == kBlockCacheTier, ReadLimits(options));
  if (s.IsIncomplete()) {
    // The caller may look further, but cannot rely on an absence.
    context->MarkKeyMayExist();
    return s;
  }
  if (!s.ok()) return s;
  return table->Get(options, internal_key, context, skip_filters);
}

Status TableCache::GetRow(const ReadOptions& options, const TableFileId& file,
                          const Slice& internal_key, GetContext* context) {
  // What range tombstones hide depends on the moment, and on ignore_range_deletions.
  const TableReader* const open = file.slot == nullptr ? nullptr : file.slot->reader();
  if (context->value() == nullptr || (open != nullptr && open->range_tombstones() != nullptr)) {
    return Get(options, file, internal_key, context);
  }
  RowCache::Lookup row(*rows_, file.number, file.largest_seqno, internal_key, context);
  if (row.Find()) return Status::OK();
  Ref table;
  Status s = FindTable(file, &table, options.read_tier == kBlockCacheTier, ReadLimits(options));
  if (s.IsIncomplete()) {
    context->MarkKeyMayExist();
    return s;
  }
  if (s.ok()) s = table->Get(options, internal_key, context);
  if (s.ok() && !context->key_may_exist() && table->range_tombstones() == nullptr) row.Keep();
  return s;
}

InternalIterator* TableCache::NewIterator(const ReadOptions& options, const TableFileId& file,
                                          bool for_compaction, bool skip_filters,
                                          size_t compaction_readahead) {
  Ref table;
  TableFileId wanted = file;
  wanted.for_job |= for_compaction;
  const Status s =
      FindTable(wanted, &table, options.read_tier == kBlockCacheTier, ReadLimits(options));
  if (!s.ok()) return NewEmptyInternalIterator(s);
  if (options.table_filter && !options.table_filter(*table->GetTableProperties())) {
    return NewEmptyInternalIterator();
  }
  const PerfTimer timer(Perf(), &PerfContext::new_table_iterator_nanos);
  InternalIterator* iterator =
      table->NewIterator(options, skip_filters, compaction_readahead, for_compaction);
  if (table.handle_ != nullptr) {
    iterator->RegisterCleanup(
        [](void* cache, void* handle) {
          static_cast<Cache*>(cache)->Release(static_cast<Cache::Handle*>(handle));
        },
        table.cache_, table.handle_);
    table.handle_ = nullptr;
  }
  return iterator;
}

Status TableCache::GetTableProperties(const TableFileId& file,
                                      std::shared_ptr<const TableProperties>* properties,
                                      bool no_io) {
  Ref table;
  Status s = FindTable(file, &table, no_io);
  if (s.ok()) *properties = table->GetTableProperties();
  return s;
}

Status TableCache::VerifyChecksum(const ReadOptions& options, const TableFileId& file) {
  Ref table;
  Status s = FindTable(file, &table, /*no_io=*/false, ReadLimits(options));
  return s.ok() ? table->VerifyChecksum(options) : s;
}

uint64_t TableCache::ApproximateOffsetOf(const ReadOptions& options, const TableFileId& file,
                                         const Slice& internal_key) {
  Ref table;
  if (!FindTable(file, &table).ok()) return 0;
  return table->ApproximateOffsetOf(options, internal_key);
}

size_t TableCache::ApproximateMemoryUsage() const {
  size_t sum = 0;
  cache_->ApplyToAllEntries(
      [&](const Slice&, void* value, size_t, Cache::DeleterFn deleter) {
        if (deleter != &DeleteTable) return;  // a blob file
        sum += static_cast<TableReader*>(value)->ApproximateMemoryUsage();
      },
      {});
  return sum;
}

void TableCache::SetMaxOpenFiles(int max_open_files) {
  pin_all_.store(max_open_files < 0, std::memory_order_relaxed);
  open_tables_->SetMaxOpenFiles(max_open_files);
}

void TableCache::Evict(uint64_t number) { cache_->Erase(TableKey(number).slice()); }

}  // namespace cairn
