// What crash_writer keeps outside of the database, on a file system that nothing happens to:
//
//   STATE            a text file, replaced by a rename: which life issued which writes
//   STATE.log.LIFE   lines that a life appends while it writes, each with one system call, so that
//                    a killed process leaves all but perhaps the last:
//     b W N            writer W is about to issue write N
//     a W N P          it was acknowledged with promise P: n nothing, o the system has it, s synced
//     B I / D I P      operation I (Flush, SyncWAL, FlushWAL) begins; ended and gives promise P
//                      to all that was acknowledged before it began
//     C I PATH / E I   a checkpoint begins, and has ended well
//     X                from here on a sync promises nothing: the file system is about to break off
//
// The order of the lines is the order of what they say, across writers: b before the call, a after.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "crash/work.h"
#include "fiber/mutex.h"

namespace cairn::crash {

struct Memory {
  uint64_t life = 0;  // the one that runs, or ran last; 0: none yet
  // Of each writer, from its first write on.
  std::vector<std::vector<LifeStart>> starts;

  // False where there is none. Ends the program where it is damaged.
  static bool Load(const std::string& path, Memory* memory);
  void Save(const std::string& path) const;
};

std::string LogName(const std::string& state_path, uint64_t life);

// Thread safety: Line() by any thread or fiber.
class Journal {
 public:
  // `append`: what is in the file stays.
  explicit Journal(const std::string& path, bool append = false);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // SUSPENDS. Ends the program on an error: without the journal nothing can be verified.
  void Line(const std::string& text);

 private:
  const int fd_;
  // What two threads append at once Wine 8 writes to one place.
  fiber::Mutex mutex_;
};

// A checkpoint that a life began to make.
struct CheckpointPromise {
  std::string path;
  bool ended = false;
  std::vector<uint64_t> least, most;  // of each writer, numbers of its last write in it
};

// What the journal of a life says must be in the database, and may be.
struct Promises {
  // Of each writer, numbers of its last write ...
  std::vector<uint64_t> least;  // that must be there
  std::vector<uint64_t> most;   // that was issued
  std::vector<uint64_t> acknowledged;
  // Of each write since `least`, of each writer: what of the others had been acknowledged when it
  // began: where it is, all that must be, too.
  std::vector<std::map<uint64_t, std::vector<uint64_t>>> before;
  std::vector<CheckpointPromise> checkpoints;
};

// `held`: the writers' last writes when the life began. `power`: what a power cut must leave, else
// what a killed process must.
Promises ReadJournal(const std::string& path, const std::vector<uint64_t>& held, bool power);

// Prints the message and ends the program, with status 2: something about the check itself failed.
[[noreturn]] void Fail(const std::string& message);

// The whole file; false where there is none.
bool ReadFile(const std::string& path, std::string* text);

}  // namespace cairn::crash
