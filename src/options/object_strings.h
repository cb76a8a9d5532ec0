// Memtable factories, prefix extractors, merge operators, factories of property collectors and of
// file checksums as text, in the notation of RocksDB's OPTIONS files.
//
// Thread safety: pure functions.
#pragma once

#include <memory>
#include <string>

#include "base/namespace.h"
#include "rocksdb/comparator.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/flush_block_policy.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/options.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_partitioner.h"
#include "rocksdb/table_properties.h"

namespace cairn {

// kUnknown: the text names none of ours. kMalformed: one of ours, with settings that it lacks.
enum class ObjectText { kParsed, kUnknown, kMalformed };

// The name in "name", "name:N", "id=name;a=1"; empty if it is none of these.
std::string NameInObjectText(const std::string& text);

// What is not kParsed leaves *factory alone.
ObjectText ParseMemtableFactoryText(const std::string& text,
                                    std::unique_ptr<MemTableRepFactory>* factory);
std::string FormatMemtableFactoryText(const MemTableRepFactory& factory);

// Those of rocksdb/comparator.h.
ObjectText ParseComparatorText(const std::string& text, const Comparator** comparator);

ObjectText ParsePrefixExtractorText(const std::string& text,
                                    std::shared_ptr<const SliceTransform>* extractor);

ObjectText ParseMergeOperatorText(const std::string& text,
                                  std::shared_ptr<MergeOperator>* merge_operator);

ObjectText ParseCollectorFactoryText(const std::string& text,
                                     std::shared_ptr<TablePropertiesCollectorFactory>* factory);

ObjectText ParseFileChecksumsText(const std::string& text,
                                  std::shared_ptr<FileChecksumGenFactory>* factory);

ObjectText ParseSstPartitionerText(const std::string& text,
                                   std::shared_ptr<SstPartitionerFactory>* factory);

// Those that blocks end by, by size (null in the options) or with each key.
ObjectText ParseFlushBlockPolicyText(const std::string& text,
                                     std::shared_ptr<FlushBlockPolicyFactory>* factory);

// A list, "{A:{id=B;c=1}}". What is unknown is left out, and the result is then kUnknown.
using CollectorFactories = ColumnFamilyOptions::TablePropertiesCollectorFactories;
ObjectText ParseCollectorFactoriesText(const std::string& text, CollectorFactories* factories);
// Empty: there are none.
std::string FormatCollectorFactoriesText(const CollectorFactories& factories);

}  // namespace cairn
