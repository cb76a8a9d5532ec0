// The properties block: TableProperties as name/value entries, and back.
#pragma once

#include <map>
#include <string>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "rocksdb/status.h"
#include "rocksdb/table_properties.h"
#include "table/block.h"

namespace cairn {

// Names of the block-based format's own properties, and of files made for ingestion.
inline constexpr char kIndexTypeProperty[] = "rocksdb.block.based.table.index.type";
inline constexpr char kWholeKeyFilteringProperty[] =
    "rocksdb.block.based.table.whole.key.filtering";
inline constexpr char kPrefixFilteringProperty[] = "rocksdb.block.based.table.prefix.filtering";
// Of all entries, where keys have timestamps.
inline constexpr char kMinTimestampProperty[] = "rocksdb.timestamp_min";
inline constexpr char kMaxTimestampProperty[] = "rocksdb.timestamp_max";
inline constexpr char kExternalVersionProperty[] = "rocksdb.external_sst_file.version";
inline constexpr char kExternalGlobalSeqnoProperty[] = "rocksdb.external_sst_file.global_seqno";

// All entries of the properties block, in the order that the format wants.
std::map<std::string, std::string> EncodeProperties(const TableProperties& properties);

// Corruption (without the file's name) if the block or a known number in it is malformed. Unknown
// names become user_collected_properties.
[[nodiscard]] Status DecodeProperties(const Block& block, TableProperties* properties);

// The sequence number of all entries of a table that was ingested; else *global stays as it is.
// `largest_seqno`: of the table by the MANIFEST; kMaxSequenceNumber: not known. Corruption names
// the file: what the properties say of it is contradictory.
[[nodiscard]] Status FindGlobalSeqno(const TableProperties& properties,
                                     SequenceNumber largest_seqno, const std::string& file_name,
                                     SequenceNumber* global);

}  // namespace cairn
