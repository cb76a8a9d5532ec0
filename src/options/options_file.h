// The OPTIONS-<number> file: the options of a database and its column families in RocksDB's text
// format.
//
// Written at each open so that tools (and LoadLatestOptions) can find out how the database was
// configured; read for LoadLatestOptions and to check that a database is not reopened with options
// that contradict its files. The file claims rocksdb_version=7.8.3 and holds only that version's
// options, so that its tools load it.
//
// Thread safety: free functions without state.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "options/options_table.h"
#include "rocksdb/db.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"

namespace cairn {

// The text of an OPTIONS file.
std::string FormatOptionsFile(const DBOptions& db_options,
                              const std::vector<ColumnFamilyDescriptor>& families);
// Its beginning, and what it has of each family: the file is these in this order, the default
// family first.
std::string FormatOptionsHead(const DBOptions& db_options);
std::string FormatFamilyOptions(const ColumnFamilyDescriptor& family);
// Writes it to `path` (a full path), synced. The caller writes to a temporary name and renames, or
// uses WriteOptionsFile, which does both and names the file OPTIONS-<number>.
[[nodiscard]] Status PersistOptions(FileSystem* fs, const std::string& path,
                                    const DBOptions& db_options,
                                    const std::vector<ColumnFamilyDescriptor>& families);
[[nodiscard]] Status WriteOptionsFile(FileSystem* fs, const std::string& dbname, uint64_t number,
                                      FSDirectory* db_directory, const DBOptions& db_options,
                                      const std::vector<ColumnFamilyDescriptor>& families);

[[nodiscard]] Status WriteOptionsFile(FileSystem* fs, const std::string& dbname, uint64_t number,
                                      FSDirectory* db_directory, const std::string& text);

struct OptionsFileContents {
  std::string rocksdb_version;
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  // As the file names them, by family: also those that cannot be made from a name.
  std::map<std::string, std::string> comparator_names;
};

// Parses the file. Unknown options: an error, unless `rules` ignore them and the file's
// rocksdb_version is newer than ours. Objects that only code can supply (comparators, filters of
// one's own) keep their defaults.
[[nodiscard]] Status LoadOptionsFile(FileSystem* fs, const std::string& path, SetRules rules,
                                     OptionsFileContents* contents);
[[nodiscard]] Status ParseOptionsText(const std::string& text, const std::string& file_name,
                                      SetRules rules, OptionsFileContents* contents);

// Names of the newest OPTIONS file of a directory (relative). NotFound: none.
[[nodiscard]] Status FindLatestOptionsFile(FileSystem* fs, const std::string& dbname,
                                           std::string* file_name);

// Deletes (through fs) all but the newest two OPTIONS files.
void RemoveOldOptionsFiles(FileSystem* fs, const std::string& dbname);

}  // namespace cairn
