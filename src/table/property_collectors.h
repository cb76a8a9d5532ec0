// The user's property collectors of one table: made from their factories, shown each entry, asked
// at the end. Used by the table builder. An error of a collector goes to the LOG and nowhere else.
//
// Thread safety: that of the builder, one caller at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "rocksdb/table_properties.h"

namespace cairn {

// What collectors, and other users, are told that an entry is.
EntryType EntryTypeOf(ValueType type);

class PropertyCollectors {
 public:
  using Factories = ColumnFamilyOptions::TablePropertiesCollectorFactories;

  // `factories` may be null: none. `info_log` is borrowed, and may be null.
  PropertyCollectors(const Factories* factories, TablePropertiesCollectorFactory::Context context,
                     Logger* info_log);
  ~PropertyCollectors();
  PropertyCollectors(const PropertyCollectors&) = delete;
  PropertyCollectors& operator=(const PropertyCollectors&) = delete;

  bool empty() const { return collectors_.empty(); }
  // Of the factories: "[A,B]".
  const std::string& names() const { return names_; }

  // `file_size`: bytes that the file has so far.
  void Add(const Slice& internal_key, const Slice& value, uint64_t file_size) {
    if (!collectors_.empty()) [[unlikely]]
      AddToAll(internal_key, value, file_size);
  }
  void AddBlock(uint64_t raw_bytes);
  // Puts what they collected into user_collected_properties and readable_properties; what is
  // there already stays.
  void Finish(TableProperties* properties);
  // After Finish().
  bool NeedCompact() const;

 private:
  void AddToAll(const Slice& internal_key, const Slice& value, uint64_t file_size);
  // An error of every entry would fill the LOG: each collector's first one is told.
  struct Collector {
    std::unique_ptr<TablePropertiesCollector> rep;
    bool error_told = false;
  };
  void TellError(Collector* collector, const char* method, const Status& s) const;

  Logger* const info_log_;
  std::string names_;
  std::vector<Collector> collectors_;
};

}  // namespace cairn
