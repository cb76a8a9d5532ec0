// One table file as the tools look at it: outside of a database, whatever built-in comparator it
// has, past all caches.
//
// Thread safety: none. All but the accessors SUSPEND; none changes the file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "rocksdb/options.h"
#include "rocksdb/table_properties.h"
#include "table/table_reader.h"

namespace cairn {

class TableFile {
 public:
  // `options`: env, and a comparator for tables that name one which is not built in. Unless
  // `quiet`, it is said on the standard output what is opened. Aborted: the file is empty.
  // Corruption or NotSupported: it is no table, or one that cannot be read.
  [[nodiscard]] static Status Open(const Options& options, const std::string& path, bool quiet,
                                   std::unique_ptr<TableFile>* file);

  struct ScanOptions {
    std::optional<std::string> from, to, prefix;  // user keys; `to` is not in the range
    uint64_t most = UINT64_MAX;                   // entries
    bool verify_checksums = false;
    bool print = false;
    bool hex = false;
    bool decode_blob_index = false;  // where a value in a blob file is
  };
  // *entries receives how many were read, and one more if there were more than `most`.
  [[nodiscard]] Status Scan(const ScanOptions& options, uint64_t* entries) const;
  [[nodiscard]] Status VerifyChecksum() const;

  const TableProperties& properties() const { return *properties_; }
  const InternalKeyComparator& icmp() const { return icmp_; }
  TableReader* reader() const { return reader_.get(); }
  const std::string& path() const { return path_; }

 private:
  TableFile(std::string path, const Comparator* comparator)
      : path_(std::move(path)), icmp_(comparator) {}

  const std::string path_;
  const InternalKeyComparator icmp_;
  std::unique_ptr<TableReader> reader_;
  std::shared_ptr<const TableProperties> properties_;
};

// Writes all that is in the table, as text: footer, metaindex, properties, index, tombstones, each
// data block. (table_text.cc)
[[nodiscard]] Status DumpTable(const TableFile& table, FileSystem* fs, const std::string& out_path);

// What `ldb dump --path=x.sst` prints: all entries, and with `properties` those. Errors are told on
// the standard error.
struct TableDumpOptions {
  bool hex = false;
  bool properties = false;
  bool decode_blob_index = false;
  std::string from = "", to = "";  // no bound
};
void PrintTable(const Options& options, const std::string& path, const TableDumpOptions& dump);

}  // namespace cairn
