// Checkpoint: a copy of an open database, as it is at one moment, that opens like any database.
//
//   rocksdb::Checkpoint* made = nullptr;
//   rocksdb::Status s = rocksdb::Checkpoint::Create(db, &made);
//   std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
//   if (s.ok()) s = checkpoint->CreateCheckpoint("/data/checkpoint-of-monday");
//
// Table files are hard links, so that a checkpoint on the same file system takes little space and
// time; MANIFEST, CURRENT, OPTIONS and logs are copies. Reads, writes, flushes and compactions go
// on meanwhile.
//
// Thread safety: any number of checkpoints at once, of different names, from threads and fibers.
#pragma once

#include <cstdint>
#include <string>

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyHandle;
class DB;
struct ExportImportFilesMetaData;

class Checkpoint {
 public:
  // The caller owns the result, which borrows the database. Does no I/O.
  static Status Create(DB* db, Checkpoint** checkpoint_ptr);

  virtual ~Checkpoint() = default;

  // Makes the directory `checkpoint_dir`, an absolute path of which all but the last part exists.
  // It is built beside its place, as `checkpoint_dir`.tmp, synced and renamed: after an error or a
  // power cut there is no checkpoint, or all of it. What a former attempt left there goes.
  //
  // What was written before the call is in the checkpoint; what is written meanwhile may be, in its
  // order. If the logs have `log_size_for_flush` bytes or more (0: always; UINT64_MAX: never) the
  // memtables are flushed first; else the checkpoint has copies of logs, and lacks what was written
  // without a log. *sequence_number_ptr, if not null: up to this one all writes are in it.
  //
  // All of it is in that directory, whatever db_paths and wal_dir the database has: it is to be
  // opened without them.
  //
  // InvalidArgument: `checkpoint_dir` exists. NotSupported: the database is open for reading
  // without all of its column families. SUSPENDS.
  virtual Status CreateCheckpoint(const std::string& checkpoint_dir,
                                  uint64_t log_size_for_flush = 0,
                                  uint64_t* sequence_number_ptr = nullptr);

  // Makes the directory `export_dir`, as CreateCheckpoint does, of the tables of one column family:
  // links, or copies where the file system has none. What was written before the call is in them
  // (the family is flushed). *metadata, which must be null, becomes what
  // DB::CreateColumnFamilyWithImport takes, in this process or another; the caller deletes it.
  //
  // InvalidArgument: `export_dir` exists. NotSupported: the family has values in blob files, or the
  // database is open for reading. ColumnFamilyDropped. After an error there is no directory, and
  // *metadata is null. SUSPENDS.
  virtual Status ExportColumnFamily(ColumnFamilyHandle* handle, const std::string& export_dir,
                                    ExportImportFilesMetaData** metadata);
};

}  // namespace ROCKSDB_NAMESPACE
