// Options to and from text, and other helpers beside DB.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "rocksdb/compression_type.h"
#include "rocksdb/db.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"
#include "rocksdb/table.h"

namespace ROCKSDB_NAMESPACE {

class ObjectRegistry;

// How text is read and written. Text is "name=value" pairs with `delimiter` between them; a nested
// value stands in braces.
struct ConfigOptions {
  enum SanityLevel : unsigned char {
    kSanityLevelNone = 0x01,
    kSanityLevelLooselyCompatible = 0x02,
    kSanityLevelExactMatch = 0xFF,
  };
  enum Depth { kDepthDefault, kDepthShallow, kDepthDetailed };

  ConfigOptions();
  explicit ConfigOptions(const DBOptions& db_options);

  // Names that are not known are left out instead of being InvalidArgument (of a Configurable:
  // NotFound).
  bool ignore_unknown_options = false;
  // Objects that nobody makes are left out instead of being NotSupported.
  bool ignore_unsupported_options = true;
  // The text has backslashes before special characters.
  bool input_strings_escaped = true;
  // A Configurable is made ready for use once it has its options (PrepareOptions()).
  bool invoke_prepare_options = true;
  // Only options that DB::SetOptions could change.
  bool mutable_options_only = false;
  std::string delimiter = ";";
  Depth depth = Depth::kDepthDefault;
  // How strictly CheckOptionsCompatibility compares.
  SanityLevel sanity_level = SanityLevel::kSanityLevelExactMatch;
  size_t file_readahead_size = 512 * 1024;
  Env* env = Env::Default();
  // Where the objects of a text are looked up by their ids (utilities/object_registry.h);
  // each ConfigOptions begins with one of its own, which knows what ObjectRegistry::Default() does.
  std::shared_ptr<ObjectRegistry> registry;

  bool IsShallow() const { return depth == Depth::kDepthShallow; }
  bool IsDetailed() const { return depth == Depth::kDepthDetailed; }
  bool IsCheckDisabled() const { return sanity_level == SanityLevel::kSanityLevelNone; }
  bool IsCheckEnabled(SanityLevel level) const {
    return level > SanityLevel::kSanityLevelNone && level <= sanity_level;
  }
};

// Each: a copy of the base options with what the text or map says. On error (InvalidArgument naming
// the option) *new_options is the base.
Status GetDBOptionsFromMap(const ConfigOptions& config_options, const DBOptions& base_options,
                           const std::unordered_map<std::string, std::string>& opts_map,
                           DBOptions* new_options);
Status GetColumnFamilyOptionsFromMap(const ConfigOptions& config_options,
                                     const ColumnFamilyOptions& base_options,
                                     const std::unordered_map<std::string, std::string>& opts_map,
                                     ColumnFamilyOptions* new_options);
Status GetBlockBasedTableOptionsFromMap(
    const ConfigOptions& config_options, const BlockBasedTableOptions& table_options,
    const std::unordered_map<std::string, std::string>& opts_map,
    BlockBasedTableOptions* new_table_options);

Status GetDBOptionsFromString(const ConfigOptions& config_options, const DBOptions& base_options,
                              const std::string& opts_str, DBOptions* new_options);
Status GetDBOptionsFromString(const DBOptions& base_options, const std::string& opts_str,
                              DBOptions* new_options);
Status GetColumnFamilyOptionsFromString(const ConfigOptions& config_options,
                                        const ColumnFamilyOptions& base_options,
                                        const std::string& opts_str,
                                        ColumnFamilyOptions* new_options);
Status GetColumnFamilyOptionsFromString(const ColumnFamilyOptions& base_options,
                                        const std::string& opts_str,
                                        ColumnFamilyOptions* new_options);
Status GetBlockBasedTableOptionsFromString(const ConfigOptions& config_options,
                                           const BlockBasedTableOptions& table_options,
                                           const std::string& opts_str,
                                           BlockBasedTableOptions* new_table_options);
Status GetBlockBasedTableOptionsFromString(const BlockBasedTableOptions& table_options,
                                           const std::string& opts_str,
                                           BlockBasedTableOptions* new_table_options);
Status GetPlainTableOptionsFromMap(const ConfigOptions& config_options,
                                   const PlainTableOptions& table_options,
                                   const std::unordered_map<std::string, std::string>& opts_map,
                                   PlainTableOptions* new_table_options);
Status GetPlainTableOptionsFromString(const ConfigOptions& config_options,
                                      const PlainTableOptions& table_options,
                                      const std::string& opts_str,
                                      PlainTableOptions* new_table_options);
Status GetPlainTableOptionsFromString(const PlainTableOptions& table_options,
                                      const std::string& opts_str,
                                      PlainTableOptions* new_table_options);
// Options of the database and of the column family mixed.
Status GetOptionsFromString(const ConfigOptions& config_options, const Options& base_options,
                            const std::string& opts_str, Options* new_options);
Status GetOptionsFromString(const Options& base_options, const std::string& opts_str,
                            Options* new_options);

Status GetStringFromDBOptions(const ConfigOptions& config_options, const DBOptions& db_options,
                              std::string* opts_str);
Status GetStringFromDBOptions(std::string* opts_str, const DBOptions& db_options,
                              const std::string& delimiter = ";  ");
Status GetStringFromColumnFamilyOptions(const ConfigOptions& config_options,
                                        const ColumnFamilyOptions& cf_options,
                                        std::string* opts_str);
Status GetStringFromColumnFamilyOptions(std::string* opts_str,
                                        const ColumnFamilyOptions& cf_options,
                                        const std::string& delimiter = ";  ");

// "kSnappyCompression" and so on.
Status GetStringFromCompressionType(std::string* compression_str, CompressionType compression_type);
// What this build can read and write.
std::vector<CompressionType> GetSupportedCompressions();

// Splits "a=1;b={c=2}" at the top level.
Status StringToMap(const std::string& opts_str,
                   std::unordered_map<std::string, std::string>* opts_map);

// Ends the background work of a database that is about to be closed: what skipped the WAL is
// flushed, then no flush or compaction begins any more, and those under way stop early. With `wait`
// they have ended when this returns. Reads go on; a write that needs background work
// (a full memtable) is refused with ShutdownInProgress. There is no way back but to reopen.
void CancelAllBackgroundWork(DB* db, bool wait = false);

// Deletes the files below level 0 that lie in the range as a whole (null: no bound), without a look
// into them: the quick way to give back the space of a range that DeleteRange deletes. What other
// files hold of the range stays, also older entries of keys that were deleted with a file; and
// snapshots do not keep the files. Files that are being compacted stay.
Status DeleteFilesInRange(DB* db, ColumnFamilyHandle* column_family, const Slice* begin,
                          const Slice* end, bool include_end = true);
// Several ranges at once, with one write of the MANIFEST.
Status DeleteFilesInRanges(DB* db, ColumnFamilyHandle* column_family, const RangePtr* ranges,
                           size_t n, bool include_end = true);

// Reads every block of a table file that no database needs to have open. Corruption names the file
// and the offset. `options`: the family's. SUSPENDS.
Status VerifySstFileChecksum(const Options& options, const EnvOptions& env_options,
                             const std::string& file_path);
// `largest_seqno`: of the database's word for it, not needed here.
Status VerifySstFileChecksum(const Options& options, const EnvOptions& env_options,
                             const ReadOptions& read_options, const std::string& file_path,
                             const SequenceNumber& largest_seqno = 0);

}  // namespace ROCKSDB_NAMESPACE
