// Plays one life of a history on a database through the public API, and writes down what each call
// answered. What is called follows from the seed alone, never from an answer, so that two engines
// that agree leave the same transcript. One thread (or fiber); the engine's own work runs beside
// it.
//
// Left out is what may differ between correct engines: texts of messages, files and levels, sizes,
// estimates, what is in a cache, merge operands before they are merged.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "life.h"
#include "rocksdb/db.h"
#include "rocksdb/iterator.h"
#include "rocksdb/snapshot.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/status.h"
#include "rocksdb/write_batch.h"

namespace differential {

class Player {
 public:
  // `path` is the database's directory; path + ".files" holds files that are ingested, path +
  // ".checkpoint" the last checkpoint. `out` outlives the player.
  // `verbose`: also what differs between engines or is long: sequence numbers, batches, files.
  Player(const Life& life, const std::string& path, std::FILE* out, bool verbose);
  ~Player();
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  // False: the database did not open; the transcript says so.
  bool Open();
  void Play();
  // Closes the database; not where the life is killed (the caller ends the process).
  void End();

 private:
  struct Family {
    std::string name;
    FamilyTraits traits;
    rocksdb::ColumnFamilyHandle* handle = nullptr;
    bool dropped = false;  // readable as long as its handle lives, but not written to any more
    int single_keys = 0;   // put once each, so that they may be deleted by SingleDelete
    int single_deleted = 0;
  };
  struct HeldSnapshot {
    const rocksdb::Snapshot* snapshot;
  };
  struct HeldIterator {
    std::unique_ptr<std::string> lower, upper;
    std::unique_ptr<rocksdb::Slice> lower_slice, upper_slice;
    std::unique_ptr<rocksdb::Iterator> iterator;
    Family* family;
    const rocksdb::Snapshot* snapshot = nullptr;
    bool forward_only = false;  // within one prefix
    bool refreshable = false;
    int number = 0;
  };

  // ---- player.cc
  void Step();
  void CreateFamily();
  void DropFamily();
  void ForgetDroppedFamilies();
  void LetGo();
  uint64_t Below(uint64_t n) { return numbers_.Below(n); }
  bool OneIn(uint64_t n) { return numbers_.Below(n) == 0; }
  Family& AnyFamily();       // not a dropped one
  Family& ReadableFamily();  // perhaps a dropped one
  std::string Key();
  std::string EntityKey();
  std::string Value();
  rocksdb::WideColumns Columns(std::vector<std::string>* storage);
  bool Before(const Family& family, const std::string& a, const std::string& b) const;
  std::pair<std::string, std::string> Range(const Family& family);
  rocksdb::WriteOptions HowToWrite();

  void Say(const char* format, ...) __attribute__((format(printf, 2, 3)));
  // The same, if the player is verbose.
  void Note(const char* format, ...) __attribute__((format(printf, 2, 3)));
  void SayLine(const char* format, va_list arguments);
  // The status as what is the same in both engines: its code and subcode.
  static std::string Show(const rocksdb::Status& status);
  // A text that is short and tells of each byte.
  static std::string Show(const rocksdb::Slice& text);
  static std::string Show(const rocksdb::WideColumns& columns);

  // ---- player_writes.cc
  void WriteOne();
  void WriteBatch();
  void Single();
  void DeleteRange();
  void Ingest();
  // `prefix` goes before each key in it.
  rocksdb::Status MakeFile(const std::string& path, const std::string& prefix, Family& family);
  void AddToBatch(rocksdb::WriteBatch& batch);

  // ---- player_reads.cc
  void Get();
  void MultiGet();
  void GetEntity();
  void TakeSnapshot();
  void ReleaseSnapshot();
  void MakeIterator();
  void MoveIterator();
  void SayPlace(const HeldIterator& held);
  void DropIterator();
  const rocksdb::Snapshot* MaybeSnapshot();
  void NoteSnapshot(const rocksdb::Snapshot* snapshot);
  void Sweep(Family& family);

  // ---- player_admin.cc
  void Flush();
  void Compact();
  void SetOptions();
  void Checkpoint();
  void SyncLog();
  void Reopen();

  const Life life_;
  const std::string path_;
  std::FILE* const out_;
  const bool verbose_;
  Numbers numbers_;
  int step_ = 0, values_ = 0, files_ = 0, iterators_made_ = 0, families_made_ = 0;
  // Sequence numbers are told from the first one that was seen, until files come from outside:
  // which numbers these take is the engine's affair.
  uint64_t first_sequence_ = 0;
  bool sequence_known_ = true;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<std::unique_ptr<Family>> families_;
  std::vector<HeldSnapshot> snapshots_;
  std::vector<HeldIterator> iterators_;
};

// All that is in the database at `path`, in all its families, forward and backward; opened for
// reading only. False: it does not open.
bool Dump(uint64_t seed, const std::string& path, std::FILE* out);
// "path" with all in it is no more.
void RemoveTree(const std::string& path);

}  // namespace differential
