// What keys have without a transaction that is prepared, under the policies WRITE_PREPARED and
// WRITE_UNPREPARED (commit/two_phase.h): what a rollback writes for RocksDB's sake, and what hides
// entries that RocksDB has put into tables. Called by transactions, which hold the keys' locks, and
// by recovery.
#pragma once

#include <cstdint>
#include <span>

#include "base/namespace.h"
#include "commit/prepared_sections.h"
#include "db/database.h"
#include "rocksdb/write_batch.h"

namespace cairn {

enum class KeysOf : uint8_t { kAll, kMerges };

// For each key of `entries`, or of the merges among them, once: its value, as a Put or an entity,
// or a deletion, behind what `before` has. Entries with a sequence number of `hidden` are passed
// over. Keys of families that are gone are left out. Errors: of reads, and of merge operators.
// SUSPENDS.
[[nodiscard]] Status FindValuesBefore(Database* db, const WriteBatch& entries, KeysOf which,
                                      std::span<const PreparedSection::Numbers> hidden,
                                      WriteBatch* before);

}  // namespace cairn
