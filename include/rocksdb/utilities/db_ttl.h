// DBWithTTL: a database that forgets what was written longer ago than its time to live.
//
//   rocksdb::DBWithTTL* db;
//   rocksdb::Status s = rocksdb::DBWithTTL::Open(options, "/data/db", &db, /*ttl=*/3600);
//
// Each value and merge operand is stored with the second at which it was written, four bytes behind
// it. Flushes leave them alone; a compaction drops a value whose second lies more than `ttl`
// seconds back, and until one comes along it is still read. CompactRange() looks at all; left to
// itself the database rewrites each table once a month (periodic_compaction_seconds). A merge gets
// the second at which it was computed; operands alone never expire.
//
// Whatever is read through this database comes without the four bytes. A database that was opened
// so must always be, with the same families: DB::Open shows the four bytes, and writes values
// without. In the other direction a value without a time, or with one before May 2013, is
// Corruption. The same holds for what GetBaseDB() writes, and for ingested files: their values must
// have it.
//
// The user's compaction filter, factory and merge operator work as ever, on values without the
// time; the filter is not asked about what has expired. GetOptions() shows the wrappers around
// them. Entities (PutEntity(), GetEntity(), NewCoalescingIterator() and their kin) are
// NotSupported.
//
// Thread safety: all functions from anywhere, threads and fibers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/utilities/stackable_db.h"

namespace ROCKSDB_NAMESPACE {

class DBWithTTL : public StackableDB {
 public:
  // As DB::Open() and, if read_only, DB::OpenForReadOnly(). The caller owns the result. `ttl` in
  // seconds; 0 and less: nothing expires. It may be another one at each opening, and counts for
  // what is there, too.
  static Status Open(const Options& options, const std::string& dbname, DBWithTTL** dbptr,
                     int32_t ttl = 0, bool read_only = false);
  // ttls[i] is that of column_families[i]. InvalidArgument: they are not equally many.
  static Status Open(const DBOptions& db_options, const std::string& dbname,
                     const std::vector<ColumnFamilyDescriptor>& column_families,
                     std::vector<ColumnFamilyHandle*>* handles, DBWithTTL** dbptr,
                     const std::vector<int32_t>& ttls, bool read_only = false);

  // (CreateColumnFamily() makes one in which nothing expires.)
  virtual Status CreateColumnFamilyWithTtl(const ColumnFamilyOptions& options,
                                           const std::string& column_family_name,
                                           ColumnFamilyHandle** handle, int ttl) = 0;

  // For the compactions that begin from now on; the first one is of the default family.
  virtual void SetTtl(int32_t ttl) = 0;
  virtual void SetTtl(ColumnFamilyHandle* h, int32_t ttl) = 0;

 protected:
  explicit DBWithTTL(DB* db) : StackableDB(db) {}
};

}  // namespace ROCKSDB_NAMESPACE
