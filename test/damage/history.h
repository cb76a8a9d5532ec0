// What damage_worker writes, as a function of a seed: a list of batches over four column families,
// and what the database has after any number of them. Each value says which batch wrote it to which
// key, so that also a value out of its time can be told from one that nobody wrote.
//
// Thread safety: none needed; constant once made.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/write_batch.h"

namespace cairn::damage {

inline constexpr size_t kFamilies = 4;
// The default one; one with partitioned indexes and filters; one of entities, universal; one of an
// old table format.
inline constexpr const char* kFamilyNames[kFamilies] = {"default", "parts", "entities", "old"};
inline constexpr size_t kEntities = 2;
// In each family: how many batches were written.
inline constexpr const char* kCounterKey = "#";
// Keys that come with files from outside, and are written by nothing else.
inline constexpr const char* kIngestedPrefix = "in";

struct Op {
  enum class Kind { kPut, kDelete, kMerge, kDeleteRange, kEntity };
  Kind kind = Kind::kPut;
  size_t family = 0;
  std::string key;
  std::string value;  // kDeleteRange: the end
};

struct Ingestion {
  size_t family = 0;
  std::map<std::string, std::string> entries;
};

// An entity as text: what a read of it is compared by.
std::string EntityText(const rocksdb::WideColumns& columns);

// key -> value (of an entity: its text), for each family.
using State = std::vector<std::map<std::string, std::string>>;

class History {
 public:
  History(uint64_t seed, size_t batches);

  size_t size() const { return batches_.size(); }
  // Batch i, from 1 on.
  const std::vector<Op>& ops(size_t i) const { return batches_[i - 1]; }
  // What is ingested after batch i; null: nothing.
  const Ingestion* ingestion(size_t i) const;

  // After the first n batches and what was ingested until then.
  State After(size_t n) const;
  // All that any ingestion brings.
  const State& ingested() const { return ingested_; }
  enum class Origin : uint8_t {
    kHistory,        // the key may have had it, or lost some of its operands or older versions
    kOperandsAgain,  // each part was written to this key, but not in this order
    kNobody,
  };
  Origin OriginOf(size_t family, const std::string& key, const std::string& value) const;

  // Merge operands are strung together.
  static std::shared_ptr<rocksdb::MergeOperator> MakeMergeOperator();

 private:
  std::vector<std::vector<Op>> batches_;
  std::map<size_t, Ingestion> ingestions_;  // by the batch before
  State ingested_;
  // By family and key: the values and operands that were written, with their places in time.
  std::vector<std::map<std::string, std::map<std::string, size_t>>> written_;
};

}  // namespace cairn::damage
