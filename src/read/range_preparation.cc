#include "read/range_preparation.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/internal_key.h"
#include "base/stop_watch.h"
#include "fs/read_limits.h"
#include "read/together.h"

namespace cairn {
namespace {

constexpr uint64_t kMaxPreparedRun = 1 << 20;  // bytes of a file that are read at once

// Before all entries of a bare key.
std::string BeforeKey(const InternalKeyComparator& icmp, const Slice& key) {
  std::string internal_key = key.ToString();
  internal_key.append(icmp.timestamp_size(), '\xff');
  AppendInternalKeyFooter(&internal_key, kMaxSequenceNumber, kValueTypeForSeek);
  return internal_key;
}

bool BeginsBefore(const InternalKeyComparator& icmp, const FileSlot& file, const Slice& limit) {
  return icmp.CompareToBound(ExtractUserKey(file.smallest), limit) < 0;
}
bool OverlapsRange(const InternalKeyComparator& icmp, const FileSlot& file, const RangeOpt& keys) {
  return (!keys.limit.has_value() || BeginsBefore(icmp, file, *keys.limit)) &&
         icmp.CompareToBound(ExtractUserKey(file.largest), *keys.start) >= 0;
}

}  // namespace

Status CheckScanRange(const Comparator& comparator, const ScanOptions& scan, size_t index) {
  const auto& [start, limit] = scan.range;
  const std::string at = " at index " + std::to_string(index);
  if (!start.has_value()) return Status::InvalidArgument("Scan has no start key" + at);
  if (limit.has_value() && comparator.CompareWithoutTimestamp(*start, false, *limit, false) >= 0) {
    return Status::InvalidArgument("Scan start key is large or equal than limit" + at);
  }
  return Status::OK();
}

bool OverlapsRanges(const InternalKeyComparator& icmp, const FileSlot& file,
                    const std::vector<ScanOptions>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const ScanOptions& scan) {
    return OverlapsRange(icmp, file, scan.range);
  });
}

// What of one range lies in one file.
struct RangePreparation::Piece {
  size_t range;
  std::vector<BlockHandle> handles = {};
};

struct RangePreparation::File {
  TableFileId id;
  TableCache::Ref table = {};  // empty: it cannot be opened, or is left out
  std::vector<Piece> pieces = {};
  PreparedTable* prepared = nullptr;
  std::vector<size_t> unread = {};  // of `prepared`, what is to be read
  bool failed = false;              // the table could not be opened, or its index not be read
};

// Blocks [first, first + count) of a file's `unread`.
struct RangePreparation::Run {
  const File* file;
  size_t first;
  size_t count;
};

RangePreparation::RangePreparation(const Version& version, const ReadOptions& options,
                                   TableCache* tables, const MultiScanArgs& args)
    : version_(version), options_(options), in_memory_(options), tables_(tables), args_(args) {
  if (options.read_tier != kReadAllTier) return;
  const StopWatch watch(tables->statistics(), MULTISCAN_PREPARE_MICROS);
  in_memory_.read_tier = kBlockCacheTier;
  for (int level = 0; level < version.num_non_empty_levels(); ++level) {
    FindFiles(version.level_files(level), level);
  }
  {
    const StopWatch opening(tables->statistics(), MULTISCAN_PREPARE_ITERATORS);
    OpenTables();
  }
  LocateBlocks();
  for (File& file : files_) {
    Plan(&file);
    if (tables->statistics() != nullptr) CountPlan(file);
    if (file.prepared != nullptr) PinCached(&file);
  }
  for (File& file : files_) AddRuns(&file);
  if (runs_.empty()) return;
  const auto read = [this] { ForEachTogether(runs_.size(), [this](size_t i) { Read(runs_[i]); }); };
  if (args.use_async_io && options.deadline.count() == 0 && options.io_timeout.count() == 0) {
    reading_.start(read);
  } else {
    read();
  }
}

RangePreparation::~RangePreparation() {
  reading_.wait();
  Tick(MULTISCAN_PREFETCH_BLOCKS_WASTED, blocks_.UntakenBlocks());
}

void RangePreparation::Tick(Tickers ticker, uint64_t count) const {
  if (count > 0 && tables_->statistics() != nullptr) {
    tables_->statistics()->recordTick(ticker, count);
  }
}

void RangePreparation::CountPlan(const File& file) const {
  Tick(MULTISCAN_PREPARE_CALLS, 1);
  // (What a table_filter leaves out is no error; nor can it be told apart from what did not open.)
  if (file.failed) Tick(MULTISCAN_PREPARE_ERRORS, 1);
  if (file.prepared != nullptr) {
    tables_->statistics()->recordInHistogram(MULTISCAN_BLOCKS_PER_PREPARE, file.unread.size());
  }
}

void RangePreparation::FindFiles(const LevelFiles& files, int level) {
  const InternalKeyComparator& icmp = version_.icmp();
  const std::vector<ScanOptions>& ranges = args_.GetScanRanges();
  const auto add = [&](const FileSlot& file, size_t range) {
    const TableFileId id = file.meta->TableId(level);
    if (files_.empty() || files_.back().id.number != id.number) files_.push_back({id});
    files_.back().pieces.push_back({range});
  };
  if (level == 0) {
    for (size_t i = 0; i < files.size; ++i) {
      for (size_t range = 0; range < ranges.size(); ++range) {
        if (OverlapsRange(icmp, files[i], ranges[range].range)) add(files[i], range);
      }
    }
    return;
  }
  for (size_t range = 0; range < ranges.size(); ++range) {
    const RangeOpt& keys = ranges[range].range;
    for (size_t i = FindFile(icmp, files, BeforeKey(icmp, *keys.start));
         i < files.size && BeginsBefore(icmp, files[i], *keys.limit); ++i) {
      add(files[i], range);
    }
  }
}

void RangePreparation::OpenTables() {
  std::vector<File*> closed;
  for (File& file : files_) {
    if (!tables_->FindTable(file.id, &file.table, /*no_io=*/true).ok()) closed.push_back(&file);
  }
  const ReadLimits limits(options_);
  ForEachTogether(closed.size(), [&](size_t i) {
    const Status s = tables_->FindTable(closed[i]->id, &closed[i]->table, /*no_io=*/false, limits);
    closed[i]->failed = !s.ok();
  });
  if (!options_.table_filter) return;
  for (File& file : files_) {
    if (file.table.get() != nullptr && !options_.table_filter(*file.table->GetTableProperties())) {
      file.table.Reset();
    }
  }
}

// In the order of the file by pieces; one block may be in several of them.
void RangePreparation::LocateBlocks() {
  std::vector<std::pair<File*, Piece*>> elsewhere;  // the index is not in memory
  const auto locate = [this](const ReadOptions& options, File* file, Piece* piece) {
    const RangeOpt& keys = args_.GetScanRanges()[piece->range].range;
    piece->handles.clear();
    Status s = file->table->LocateRange(options, BeforeKey(version_.icmp(), *keys.start),
                                        *keys.limit, &piece->handles);
    return s.ok();
  };
  for (File& file : files_) {
    if (file.table.get() == nullptr) continue;
    for (Piece& piece : file.pieces) {
      if (!locate(in_memory_, &file, &piece)) elsewhere.emplace_back(&file, &piece);
    }
  }
  ForEachTogether(elsewhere.size(), [&](size_t i) {
    const auto [file, piece] = elsewhere[i];
    if (locate(options_, file, piece)) return;
    piece->handles.clear();
    file->failed = true;
  });
}

void RangePreparation::Plan(File* file) {
  struct Wanted {
    BlockHandle handle;
    size_t last_range;
  };
  std::vector<Wanted> wanted;
  for (const Piece& piece : file->pieces) {
    for (const BlockHandle& handle : piece.handles) {
      if (!wanted.empty() && wanted.back().handle.offset == handle.offset) {
        wanted.back().last_range = piece.range;
      } else if (wanted.empty() || wanted.back().handle.offset < handle.offset) {
        wanted.push_back({handle, piece.range});
      }
    }
  }
  if (wanted.empty()) return;
  file->prepared = blocks_.Add(file->id.number);
  // The limit counts in the direction of the scan.
  size_t first = 0, end = wanted.size();
  if (args_.max_prefetch_size > 0) {
    uint64_t bytes = 0;
    const auto fits = [&](const Wanted& block) {
      bytes += block.handle.size + kBlockTrailerSize;
      return bytes <= args_.max_prefetch_size;
    };
    if (args_.reverse) {
      first = end;
      while (first > 0 && fits(wanted[first - 1])) --first;
    } else {
      end = 0;
      while (end < wanted.size() && fits(wanted[end])) ++end;
    }
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    const bool beyond_limit = i < first || i >= end;
    file->prepared->Plan(wanted[i].handle, wanted[i].last_range, beyond_limit);
    if (!beyond_limit) file->unread.push_back(i);
  }
}

void RangePreparation::PinCached(File* file) {
  std::erase_if(file->unread, [&](size_t i) {
    BlockRef block;
    file->table->PinBlocks(in_memory_, {&file->prepared->handle(i), 1}, {&block, 1});
    if (!block) return false;
    file->prepared->Put(i, std::move(block));
    Tick(MULTISCAN_BLOCKS_FROM_CACHE, 1);
    return true;
  });
}

void RangePreparation::AddRuns(File* file) {
  uint64_t begin = 0, end = 0;  // of the last run, in the file
  for (size_t n = 0; n < file->unread.size(); ++n) {
    const BlockHandle& handle = file->prepared->handle(file->unread[n]);
    const uint64_t block_end = handle.offset + handle.size + kBlockTrailerSize;
    if (n > 0 && handle.offset - end <= args_.io_coalesce_threshold &&
        block_end - begin <= kMaxPreparedRun) {
      ++runs_.back().count;
      if (handle.offset != end) Tick(MULTISCAN_IO_COALESCED_NONADJACENT, 1);
    } else {
      runs_.push_back({file, n, 1});
      begin = handle.offset;
    }
    end = block_end;
  }
}

void RangePreparation::Read(const Run& run) {
  std::vector<BlockHandle> handles;
  for (size_t n = run.first; n < run.first + run.count; ++n) {
    handles.push_back(run.file->prepared->handle(run.file->unread[n]));
  }
  Tick(MULTISCAN_IO_REQUESTS, 1);
  Tick(MULTISCAN_BLOCKS_PREFETCHED, handles.size());
  Tick(MULTISCAN_PREFETCH_BYTES,
       handles.back().offset + handles.back().size + kBlockTrailerSize - handles.front().offset);
  std::vector<BlockRef> blocks(handles.size());
  run.file->table->PinBlocks(options_, handles, blocks);
  for (size_t i = 0; i < blocks.size(); ++i) {
    run.file->prepared->Put(run.file->unread[run.first + i], std::move(blocks[i]));
  }
}

}  // namespace cairn
