// TrackedKeys: the keys that a transaction has to answer for, with the moment from which on nobody
// else may have written them, and what save points must give back.
//
// An open-addressing table over one array of entries and one string with all keys: tracking a key
// that is new allocates nothing as a rule. A key that is tracked no more keeps its entry.
//
// Not thread-safe.
#ifndef CAIRN_UTILITIES_TRACKED_KEYS_H_
#define CAIRN_UTILITIES_TRACKED_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/types.h"

namespace cairn {

class TrackedKeys {
 public:
  static uint64_t HashOf(uint32_t family, const Slice& key);

  struct Entry {
    uint64_t hash;
    uint64_t offset;  // of the key among all keys, bytes
    SequenceNumber since;
    uint32_t key_size;  // bytes
    uint32_t family;
    uint32_t reads;  // for update; no write and no read: the key is not tracked
    uint32_t writes;
    bool exclusive;

    bool is_tracked() const { return reads + writes > 0; }
  };

  // Null: it is not tracked. Good until the next change.
  const Entry* Find(uint32_t family, const Slice& key) const;
  // Of one that is tracked by now the earlier moment stays, and `exclusive` once it was said.
  void Track(uint32_t family, const Slice& key, SequenceNumber since, bool read_only,
             bool exclusive);
  // Takes one read back that was tracked since the last save point, if there is one. True: the key
  // is tracked no more.
  bool UntrackRead(uint32_t family, const Slice& key);

  // What is tracked for the first time since the save point is given to `dropped`, and tracked no
  // more. REQUIRES: there is a save point.
  using Dropped = std::function<void(const Entry&, const Slice& key)>;
  void SetSavePoint() { save_points_.push_back(changes_.size()); }
  void RollbackToSavePoint(const Dropped& dropped);
  void PopSavePoint();

  void Clear();

  // Keys that are tracked.
  size_t size() const { return tracked_; }
  // All entries, in the order in which they came; skip those that are not tracked.
  const std::vector<Entry>& entries() const { return entries_; }
  Slice KeyOf(const Entry& entry) const {
    return Slice(keys_.data() + entry.offset, entry.key_size);
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Change {
    uint32_t entry;  // kNone: taken back
    bool read_only;
  };

  // Where in slots_ the key is, or belongs.
  size_t SlotOf(uint64_t hash, uint32_t family, const Slice& key) const;
  void Grow();
  // True: the key is tracked no more.
  bool TakeBack(uint32_t entry, bool read_only);

  std::vector<Entry> entries_;
  std::string keys_;
  std::vector<uint32_t> slots_;  // a power of two, at most half full; indexes of entries_, or kNone
  size_t tracked_ = 0;
  // Since the oldest save point; empty without one.
  std::vector<Change> changes_;
  std::vector<size_t> save_points_;  // sizes of changes_
};

}  // namespace cairn

#endif  // CAIRN_UTILITIES_TRACKED_KEYS_H_
