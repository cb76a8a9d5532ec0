#include "read/version_iterators.h"

#include "read/level_iterator.h"
#include "read/merging_iterator.h"
#include "read/range_preparation.h"

namespace cairn {
namespace {

bool IsOutsideBounds(const ReadOptions& options, const InternalKeyComparator& icmp,
                     const FileSlot& file) {
  return (options.iterate_upper_bound != nullptr &&
          icmp.CompareToBound(ExtractUserKey(file.smallest), *options.iterate_upper_bound) >= 0) ||
         (options.iterate_lower_bound != nullptr &&
          icmp.CompareToBound(ExtractUserKey(file.largest), *options.iterate_lower_bound) < 0);
}

}  // namespace

void AddVersionIterators(const Version& version, const ReadOptions& options, TableCache* tables,
                         TombstoneView* tombstones, std::vector<InternalIterator*>* out,
                         const std::vector<ScanOptions>* ranges) {
  const int levels = version.num_non_empty_levels();
  if (levels == 0) return;
  const LevelFiles& newest = version.level_files(0);
  for (size_t i = 0; i < newest.size; ++i) {
    if (ranges != nullptr ? !OverlapsRanges(version.icmp(), newest[i], *ranges)
                          : IsOutsideBounds(options, version.icmp(), newest[i])) {
      continue;
    }
    const TableFileId id = newest[i].meta->TableId(0);
    TableCache::Ref open;
    if (ranges != nullptr || !tables->FindTable(id, &open, /*no_io=*/true).ok()) {
      // Opened when it is sought in, maybe together with others; of ranges only those that have
      // some of it.
      LevelIteratorOptions level_options;
      level_options.level = 0;
      out->push_back(
          NewLevelIterator(options, &version.icmp(), tables, {&newest[i], 1}, level_options));
    } else {
      out->push_back(tables->NewIterator(options, id));
    }
    if (newest[i].meta->MayHaveTombstones()) tombstones->AddFiles({&newest[i], 1}, 0, out->size());
  }
  for (int level = 1; level < levels; ++level) {
    const LevelFiles& files = version.level_files(level);
    if (files.size == 0) continue;
    LevelIteratorOptions level_options;
    level_options.level = level;
    out->push_back(NewLevelIterator(options, &version.icmp(), tables, files, level_options));
    if (version.MayHaveTombstones(level)) tombstones->AddFiles(files, level, out->size());
  }
}

InternalIterator* NewSuperVersionIterator(const ReadOptions& options, const SuperVersion& sv,
                                          TableCache* tables,
                                          std::unique_ptr<TombstoneView>* tombstones,
                                          const std::vector<ScanOptions>* ranges) {
  std::vector<InternalIterator*> children;
  auto view = std::make_unique<TombstoneView>(options, &sv.current->icmp(), tables);
  const bool one_prefix = !options.total_order_seek && !options.auto_prefix_mode;
  const auto add_memtable = [&](const MemTable& table) {
    if (!table.IsEmpty()) children.push_back(table.NewIterator(one_prefix));
    view->AddMemTable(table.range_tombstones(), children.size());
  };
  add_memtable(*sv.mem);
  for (const MemTable* table : sv.imm->memtables()) add_memtable(*table);
  AddVersionIterators(*sv.current, options, tables, view.get(), &children, ranges);
  if (!options.ignore_range_deletions && !view->empty()) *tombstones = std::move(view);
  const bool seek_together = options.async_io && options.read_tier == kReadAllTier;
  return NewMergingIterator(&sv.current->icmp(), std::move(children), seek_together);
}

}  // namespace cairn
