// Column families as DB's functions name them: rocksdb/db.h includes this.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rocksdb/comparator.h"
#include "rocksdb/options.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

// "default"
extern const std::string kDefaultColumnFamilyName;

struct ColumnFamilyDescriptor {
  std::string name;
  ColumnFamilyOptions options;

  ColumnFamilyDescriptor() : name(kDefaultColumnFamilyName) {}
  ColumnFamilyDescriptor(const std::string& _name, const ColumnFamilyOptions& _options)
      : name(_name), options(_options) {}
};

// Refers to an open column family. Delete it (or DestroyColumnFamilyHandle) before the database.
class ColumnFamilyHandle {
 public:
  virtual ~ColumnFamilyHandle() = default;
  virtual const std::string& GetName() const = 0;
  virtual uint32_t GetID() const = 0;
  // Name and present options.
  virtual Status GetDescriptor(ColumnFamilyDescriptor* desc) = 0;
  virtual const Comparator* GetComparator() const = 0;
};

// What DB::IngestExternalFiles adds to one family.
struct IngestExternalFileArg {
  ColumnFamilyHandle* column_family = nullptr;
  std::vector<std::string> external_files;  // paths; a later one's entries are newer
  IngestExternalFileOptions options;
  // By file, or none: then the database makes them. Without effect if there is no
  // DBOptions::file_checksum_gen_factory.
  std::vector<std::string> files_checksums;
  std::vector<std::string> files_checksum_func_names;
  Temperature file_temperature = Temperature::kUnknown;  // recorded in the MANIFEST
};

}  // namespace ROCKSDB_NAMESPACE
