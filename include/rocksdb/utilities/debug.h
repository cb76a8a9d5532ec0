// What lies in a database under a key, for who looks for the reason of something.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/types.h"

namespace ROCKSDB_NAMESPACE {

// One entry, as it is stored: a version of a key.
struct KeyVersion {
  KeyVersion() : sequence(0), type(0) {}
  KeyVersion(const std::string& _user_key, const std::string& _value, SequenceNumber _sequence,
             int _type)
      : user_key(_user_key), value(_value), sequence(_sequence), type(_type) {}

  std::string user_key;
  std::string value;
  SequenceNumber sequence;
  int type;  // see doc/formats.md
  // "TypeValue", "TypeDeletion", "TypeMerge", ...; "Invalid" for a number that is none.
  std::string GetTypeName() const;
};

// Sets *key_versions to all entries of the keys from begin_key to end_key, both included, in the
// order in which they are stored: of one key the newest first, with those that nobody can see any
// more. An empty key is no bound. At most max_num_ikeys. Tombstones of ranges are not among them.
// Of the default family, if there is none. InvalidArgument: db or cfh is null, or db is not of this
// library. Else as an iterator's status. The database may be in use.
Status GetAllKeyVersions(DB* db, Slice begin_key, Slice end_key, size_t max_num_ikeys,
                         std::vector<KeyVersion>* key_versions);
Status GetAllKeyVersions(DB* db, ColumnFamilyHandle* cfh, Slice begin_key, Slice end_key,
                         size_t max_num_ikeys, std::vector<KeyVersion>* key_versions);

}  // namespace ROCKSDB_NAMESPACE
