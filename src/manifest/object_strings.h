// Memtable factories and prefix extractors as text, in the notation of RocksDB's OPTIONS files.
//
// Thread safety: pure functions.
#pragma once

#include <memory>
#include <string>

#include "base/namespace.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/slice_transform.h"

namespace cairn {

// kUnknown: the text names none of ours. kMalformed: one of ours, with settings that it lacks.
enum class ObjectText { kParsed, kUnknown, kMalformed };

// What is not kParsed leaves *factory alone.
ObjectText ParseMemtableFactoryText(const std::string& text,
                                    std::unique_ptr<MemTableRepFactory>* factory);
std::string FormatMemtableFactoryText(const MemTableRepFactory& factory);

ObjectText ParsePrefixExtractorText(const std::string& text,
                                    std::shared_ptr<const SliceTransform>* extractor);

}  // namespace cairn
