// Ledger: what of a directory tree a power cut may take. The tree itself, on the backing file
// system, is always what a running system sees; the ledger remembers how it came from what is
// durable:
//
//   bytes   of each file the changes since it was last synced, with what was there before;
//   names   the creations, removals and renames that no sync has made durable, in their order.
//
// An fsync makes a file's bytes and size durable; an fsync of a directory makes its entries
// durable. One that fails has lost what it was to write: as on Linux those pages count as clean,
// and no later sync brings them back. At a cut each unsynced change survives or not, by a seed;
// renames are atomic, and what no durable name leads to is gone. What POSIX leaves open is one of
// two kinds of file system:
//
//   ordered  names go through a journal, as in ext4 and xfs: any sync makes all earlier changes of
//            names durable, and what survives a cut is the beginning of the rest;
//   strict   a sync of a file says nothing about its name, one of a directory nothing about the
//            directory's own, and names survive each for itself.
//
// Thread safety: none; FaultStorage has a lock. Symbolic links and other devices are not expected.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "slowfs/storage.h"

namespace faultfs {

struct Node;  // a file or a directory

enum class Names : uint8_t { kOrdered, kStrict };

class Ledger {
 public:
  using Operation = slowfs::Operation;

  // `root`: a descriptor of the directory, borrowed. All that is in it is durable.
  Ledger(int root, Names names);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // What a change needs to know of how it was before.
  struct Before {
    uint64_t file_size = 0;
    std::string bytes;
    std::shared_ptr<Node> node;  // whose name goes
  };
  // Around each operation that changes something; the second one if it was done: `result`, what it
  // returned, is not negative.
  Before Prepare(const Operation& operation);
  void Done(const Operation& operation, Before before, int64_t result);

  // A sync was done; or failed and lost the file's unsynced bytes. `visible`: the file is without
  // them at once, as where the pages have left memory, else only after a cut.
  void Synced(const Operation& operation);
  void SyncLost(const Operation& operation, bool visible);

  struct Survival {
    uint64_t bytes_lost = 0, bytes_survived = 0, bytes_torn = 0;  // changes of files
    uint64_t names_lost = 0, names_survived = 0;
  };
  // Makes the empty directory `target` what is there after the power was cut now. 0 or -errno.
  int WriteSurvivors(cairn::Random64* random, const std::string& target, Survival* survival);

 private:
  using Entry = std::pair<ino_t, std::string>;
  struct NameChange {
    std::shared_ptr<Node> gone_from, come_to;  // directories; null where nothing goes, or comes
    std::string gone_name, come_name;
    std::shared_ptr<Node> node;  // what the names are of
  };

  std::shared_ptr<Node> NodeOf(int fd, const char* name);
  static void Apply(const NameChange& change);
  void MakeNamesDurable(const Node* directory);
  void ForgetUnreachable();
  static std::string Content(const Node& node);
  static std::string Survivor(const Node& node, cairn::Random64* random, Survival* survival);

  const Names names_mode_;
  std::map<ino_t, std::shared_ptr<Node>> nodes_;
  std::shared_ptr<Node> root_;
  std::vector<NameChange> pending_;
  uint64_t changes_ = 0;
};

}  // namespace faultfs
