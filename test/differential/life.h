// What a history's lives are made of: the options of each, and of each column family, drawn from
// the seed. Knows no database; the same numbers come out with either library.
#pragma once

#include <cstdint>
#include <string>

#include "../numbers.h"
#include "rocksdb/options.h"

namespace differential {

using cairn_test::Numbers;

// What one life is like: from opening the database to its end.
struct Life {
  uint64_t seed = 0;
  int number = 0;
  int operations = 0;
  // The keys that are drawn for most operations: few, so that operations meet.
  int keys = 0;
  // Ends without closing the database, as if the process was killed.
  bool killed = false;
  // Writes may skip the log; only where the end is a close, which flushes them.
  bool without_log = false;
  rocksdb::DBOptions options;
};

// What stays with a column family for all its lives, whoever opens it.
struct FamilyTraits {
  enum class Merge { kNone, kAppend, kMax };
  bool reverse = false;  // the order of keys
  Merge merge = Merge::kNone;
  size_t prefix = 0;    // bytes of the prefix extractor; 0: has none
  bool capped = false;  // a shorter key is its own prefix; else it has none
};

// Numbers of their own for each purpose, so that a change of one does not shift the others.
Numbers NumbersFor(uint64_t seed, uint64_t purpose, const std::string& name = "");

Life MakeLife(uint64_t seed, int number, int operations);
FamilyTraits TraitsOf(uint64_t seed, const std::string& family);
// Of a family in one life: traits as ever, the rest is drawn anew.
rocksdb::ColumnFamilyOptions FamilyOptionsOf(uint64_t seed, int life, const std::string& family);

}  // namespace differential
