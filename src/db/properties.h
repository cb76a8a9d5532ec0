// GetProperty and its kin, sizes, the properties and checksums of tables.
//
// Guards: nothing of its own; the mutex as its functions say.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "db/database.h"

namespace cairn {

class Properties final : public Part {
 public:
  using Part::Part;

  bool GetProperty(ColumnFamilyHandle*, const Slice& property, std::string* value);
  bool GetMapProperty(ColumnFamilyHandle*, const Slice& property,
                      std::map<std::string, std::string>* value);
  bool GetIntProperty(ColumnFamilyHandle*, const Slice& property, uint64_t* value);
  bool GetAggregatedIntProperty(const Slice& property, uint64_t* value);
  [[nodiscard]] Status GetApproximateSizes(const SizeApproximationOptions&, ColumnFamilyHandle*,
                                           const Range* ranges, int n, uint64_t* sizes);
  void GetApproximateMemTableStats(ColumnFamilyHandle*, const Range&, uint64_t* count,
                                   uint64_t* size);
  [[nodiscard]] Status GetPropertiesOfAllTables(ColumnFamilyHandle*, TablePropertiesCollection*);
  [[nodiscard]] Status GetPropertiesOfTablesInRange(ColumnFamilyHandle*, const Range*, size_t,
                                                    TablePropertiesCollection*);
  [[nodiscard]] Status GetPropertiesOfTablesByLevel(
      ColumnFamilyHandle*, std::vector<std::unique_ptr<TablePropertiesCollection>>*);
  // What the keys of all tables' blocks in a block cache begin with (table/block_cache_key.h).
  // SUSPENDS.
  [[nodiscard]] Status GetBlockCachePrefixes(std::vector<uint64_t>* prefixes);
  [[nodiscard]] Status GetCreationTimeOfOldestFile(uint64_t* creation_time);
  [[nodiscard]] Status GetDbIdentity(std::string& identity) const;
  [[nodiscard]] Status GetDbSessionId(std::string& session_id) const;
  [[nodiscard]] Status VerifyChecksum(const ReadOptions&);
  [[nodiscard]] Status VerifyFileChecksums(const ReadOptions& options);
  // Reads the counters of tables that were not written since the opening, where they are not known
  // yet: of some of them, so that a property costs no more than that. Without the mutex. SUSPENDS.
  void LoadTableCounters(const ColumnFamily& family);
  void LoadTableCounters();  // of all families

 private:
  bool BlobIntProperty(const ColumnFamily& family, const std::string& name, uint64_t* value)
      FIBER_REQUIRES(database_mutex);
  bool IntProperty(const ColumnFamily& family, const std::string& name, uint64_t* value);
  // Numbers of the whole database.
  bool DatabaseIntProperty(const std::string& name, uint64_t* value) FIBER_REQUIRES(database_mutex);
  bool StringProperty(ColumnFamily* family, const std::string& name, std::string* value);
  // What the property of this name (without "rocksdb.") sums: all tables, or those of one level.
  // False: it is another property, or a table cannot be opened.
  static bool AggregatedTableProperties(const ColumnFamily& family, const std::string& name,
                                        TableProperties* sum);
  // Calls `visit` for every table of all families until it gives an error.
  [[nodiscard]] Status ForEachTable(
      const std::function<Status(const ColumnFamily&, int level, const FileMetaData&)>& visit);
  [[nodiscard]] Status ForEachBlobFile(
      const std::function<Status(const ColumnFamily&, const BlobFileAddition&)>& visit);
  // To `collect`: each table's level, path and properties, if it is wanted.
  using Collect = std::function<void(int level, const std::string& path,
                                     std::shared_ptr<const TableProperties> properties)>;
  [[nodiscard]] Status PropertiesOfTables(ColumnFamilyHandle* handle,
                                          const std::function<bool(const FileMetaData&)>& wanted,
                                          const Collect& collect);
};

}  // namespace cairn
