// OptionChangeMigration: looks at which levels a database uses, and where the new options cannot
// go on from there has all of it compacted into the one level from which they can.
#include "rocksdb/utilities/option_change_migration.h"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "base/namespace.h"
#include "manifest/version.h"
#include "rocksdb/db.h"
#include "rocksdb/metadata.h"

namespace cairn {
namespace {

// Bytes; what is multiplied with it stays a number.
constexpr uint64_t kOneFile = 999'999'999'999'999;

int DeepestLevel(DB* db) {
  ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(&metadata);
  int deepest = 0;
  for (const LevelMetaData& level : metadata.levels) {
    if (!level.files.empty()) deepest = std::max(deepest, level.level);
  }
  return deepest;
}

// Whether `to` can go on with a tree that `from` made, down to `deepest`.
bool CanGoOn(const Options& from, const Options& to, int deepest) {
  switch (to.compaction_style) {
    case kCompactionStyleUniversal:
      return deepest < to.num_levels;
    case kCompactionStyleFIFO:
      return from.compaction_style == kCompactionStyleFIFO && deepest < to.num_levels;
    default:
      break;
  }
  if (deepest == 0) return true;
  // Else the levels' sizes have nothing to do with one another.
  return from.compaction_style == kCompactionStyleLevel &&
         from.level_compaction_dynamic_level_bytes == to.level_compaction_dynamic_level_bytes &&
         (to.level_compaction_dynamic_level_bytes ? from.num_levels == to.num_levels
                                                  : deepest < to.num_levels);
}

// From where the options go on.
int TargetLevel(const Options& to) {
  if (to.compaction_style == kCompactionStyleFIFO) return 0;
  if (to.compaction_style == kCompactionStyleUniversal) return std::max(to.num_levels, 1) - 1;
  return to.level_compaction_dynamic_level_bytes ? std::max(to.num_levels, 2) - 1 : 1;
}

uint64_t TargetFileSize(const Options& to) {
  constexpr uint64_t kFifoFiles = 8;
  const uint64_t limit = Version::FifoLimit(to.compaction_options_fifo);
  if (to.compaction_style == kCompactionStyleFIFO && limit > 0) {
    return std::max<uint64_t>(limit / kFifoFiles, 1);
  }
  // On level 0 each file is one more to look into.
  return TargetLevel(to) == 0 ? kOneFile : to.target_file_size_base;
}

// The options with which the tree becomes what `to` needs.
Options Between(const Options& from, const Options& to) {
  Options options = from;
  options.disable_auto_compactions = true;
  options.target_file_size_base = TargetFileSize(to);
  options.target_file_size_multiplier = 1;
  if (TargetLevel(to) == 0) options.max_compaction_bytes = kOneFile;
  // FIFO style makes no level. Several files come from a level that has them in order.
  if (options.compaction_style == kCompactionStyleFIFO) {
    options.compaction_style = kCompactionStyleLevel;
  }
  options.num_levels = std::max({from.num_levels, to.num_levels, 2});
  return options;
}

Status CompactInto(DB* db, int level) {
  CompactRangeOptions all;
  all.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  all.change_level = true;
  all.target_level = level;
  // Files of level 0 are in the order of their numbers: they must be made in the order of keys.
  all.max_subcompactions = 1;
  return db->CompactRange(all, nullptr, nullptr);
}

Status Migrate(const std::string& dbname, const Options& from, const Options& to) {
  Options options = from;
  options.disable_auto_compactions = true;
  std::unique_ptr<DB> db;
  Status s = DB::Open(options, dbname, &db);
  if (!s.ok() || CanGoOn(from, to, DeepestLevel(db.get()))) return s;
  db.reset();
  const Options between = Between(from, to);
  s = DB::Open(between, dbname, &db);
  if (s.ok()) s = CompactInto(db.get(), TargetLevel(to));
  if (s.ok()) s = db->Close();
  db.reset();
  // Once more: a new MANIFEST, which does not speak of the levels that were left. RocksDB refuses
  // one that mentions more levels than there are.
  if (s.ok()) s = DB::Open(between, dbname, &db);
  if (s.ok()) s = db->Close();
  return s;
}

}  // namespace
}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

Status OptionChangeMigration(std::string dbname, const Options& old_opts, const Options& new_opts) {
  const CompactionStyle style = new_opts.compaction_style;
  if (style != kCompactionStyleLevel && style != kCompactionStyleUniversal &&
      style != kCompactionStyleFIFO) {
    return Status::NotSupported("OptionChangeMigration: not to this compaction_style");
  }
  return cairn::Migrate(dbname, old_opts, new_opts);
}

}  // namespace ROCKSDB_NAMESPACE
