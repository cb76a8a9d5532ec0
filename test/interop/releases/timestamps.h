// Databases whose keys have timestamps: what a phase writes into them, and what must be there of
// every version.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "database.h"

namespace interop {

// The bytes of a timestamp.
std::string Stamp(uint64_t number);
// That of the first batch of a phase; the next ones follow.
uint64_t StartOfPhase(uint64_t phase);
// What a reader sees at this one is what the phase left.
uint64_t EndOfPhase(uint64_t phase);

void WriteStamped(const Database& database, const rocksdb_writeoptions_t* write,
                  const std::vector<Operation>& operations, uint64_t timestamp);

// Keys that come with a file, two versions of each, all below those that batches write.
void IngestStamped(const Database& database, const std::string& path, uint64_t phase);
// What they add to what the phase left.
void AddIngested(uint64_t phase, State* state);

// After the phases 1 to `phases`: the timestamps of what is found, scans at moments within the last
// phase, all versions from the mark on, both ways, the mark, and that nothing is read below it.
void VerifyHistory(const Database& database, uint64_t phases);

}  // namespace interop
