// Values as the ledger knows them: as text that tells plain values and entities (wide columns)
// apart. A plain value is itself; an entity is a mark, which no plain value begins with, and its
// stored form. An entity of the default column alone looks like a plain value to every reader, and
// so here.

#ifndef CAIRN_SIM_ENTITY_H_
#define CAIRN_SIM_ENTITY_H_

#include <cstddef>
#include <optional>
#include <string>

#include "base/namespace.h"
#include "rocksdb/iterator.h"
#include "rocksdb/wide_columns.h"

namespace cairn::sim {

// Of columns that were read, or are to be written.
std::string TextOf(const rocksdb::WideColumns& columns);
// The columns of a text. They point into it.
rocksdb::WideColumns ColumnsOf(const std::string& text);
// The first bytes of it, or of anything, to be printed: of an entity "{name=value name=value}".
std::string Printable(const std::string& text, size_t most);
// What a key has, for a message.
std::string Shown(const std::optional<std::string>& value);
// What DB::Get shows of it.
std::string DefaultOf(const std::string& text);
// What it becomes by an operand of the operator that joins with commas; nothing: there was none.
std::string Merged(const std::optional<std::string>& text, const std::string& operand);
// Whether the entry under an iterator shows it, by both calls.
bool Shows(const rocksdb::Iterator& it, const std::string& text);

}  // namespace cairn::sim

#endif  // CAIRN_SIM_ENTITY_H_
