// A checkpoint in one call, for the tests that go on with it.
#pragma once

#include <memory>
#include <string>

#include "conformance.h"
#include "rocksdb/utilities/checkpoint.h"

namespace conformance {

inline Status MakeCheckpoint(DB* db, const std::string& dir, uint64_t log_size_for_flush = 0,
                             uint64_t* sequence = nullptr) {
  Checkpoint* made = nullptr;
  const Status s = Checkpoint::Create(db, &made);
  const std::unique_ptr<Checkpoint> checkpoint(made);
  return s.ok() ? checkpoint->CreateCheckpoint(dir, log_size_for_flush, sequence) : s;
}

}  // namespace conformance
