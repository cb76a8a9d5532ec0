// Memtable factories as text, in the notation of RocksDB's OPTIONS files. (object_strings.cc has
// also CreateFromString() of what else stands in them: comparators, prefix extractors, merge
// operators and so on.)
//
// Thread safety: pure functions.
#pragma once

#include <memory>
#include <string>

#include "base/namespace.h"
#include "rocksdb/memtablerep.h"

namespace cairn {

// kUnknown: the text names none of ours. kMalformed: one of ours, with settings that it lacks.
enum class ObjectText { kParsed, kUnknown, kMalformed };

// The name in "name", "name:N", "id=name;a=1"; empty if it is none of these.
std::string NameInObjectText(const std::string& text);

// What is not kParsed leaves *factory alone.
ObjectText ParseMemtableFactoryText(const std::string& text,
                                    std::unique_ptr<MemTableRepFactory>* factory);
std::string FormatMemtableFactoryText(const MemTableRepFactory& factory);

}  // namespace cairn
