// UniqueId: what a table is, whatever file it lies in: a value of its properties db_id,
// db_session_id and orig_file_number. The MANIFEST has it beside each table, and whoever opens the
// file under that table's number compares it, so that no other table is taken for it.
//
// It is RocksDB's internal one, bit for bit: releases from 7.3 on check it when they open our
// databases, and we check theirs. Its first word is the lower part of the session id as it is, so
// that ids of one process differ for certain; the second mixes the rest, and ends with the number.
// The public id (rocksdb/unique_id.h) is a hash of it that has an inverse.
//
// Stateless.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/table_properties.h"

namespace cairn {

using UniqueId = std::array<uint64_t, 2>;
inline constexpr UniqueId kNullUniqueId{};  // nothing is known of the table

// Null if the properties do not say enough, or the session id is none.
UniqueId UniqueIdOf(const TableProperties& properties);
// Corruption: the table with these properties, in `file`, is another one than `expected`. (All that
// a table says, however little, makes an id that is not the expected one.)
[[nodiscard]] Status CheckUniqueId(const UniqueId& expected, const TableProperties& properties,
                                   const std::string& file);
// The status is CheckUniqueId's.
bool IsUniqueIdMismatch(const Status& s);

// In the MANIFEST: 16 bytes.
std::string EncodeUniqueId(const UniqueId& id);
// False: other than 16 bytes.
bool DecodeUniqueId(const Slice& bytes, UniqueId* id);

// "{123,456}".
std::string UniqueIdText(const UniqueId& id);

}  // namespace cairn
