// BatchIndex: where in a WriteBatch each key's records are, in the order of the keys. What
// WriteBatchWithIndex puts and reads by.
//
// A B+-tree for each column family. An entry is 12 bytes in a leaf: the number of its record, and
// beside it the first eight bytes of its key, so that a search compares integers that lie together
// and looks at a key in the batch only where those are equal. What all keys of a family begin with
// is skipped ("shared"), or eight bytes would not tell keys of one table apart. Nodes come from
// pools, records from pieces of an array: an insertion allocates nothing as a rule, and copies no
// more than half a node.
//
// Order: by key, and of one key the newest record first.
//
// Overwriting (WriteBatchWithIndex's overwrite_key). A record that takes another one's place is a
// record more, linked to the one it replaced; the leaf's slot shows the newer. So the array of
// records is in the order of the batch, and a rollback takes records off its end.
//
// Keys here are bare, as users give them: where a family has timestamps (base/timestamps.h) they
// end before the room for it that the batch's keys have.
//
// Invariants:
//   1. records_ ascends by offset. A record's root is the first of its chain of replacements, and
//      orders it among those of its key; it never changes, whatever takes its place.
//   2. A slot of an inner node is a lower bound of what is below it, an entry that was there; the
//      one of slot 0 is never looked at. Its record exists: Truncate() builds inner nodes anew.
//   3. Every leaf but a tree's only one has an entry.
//   4. version_ changes whenever a slot moves. A cursor notices, and looks for its entry again.
//
// Not thread-safe; const functions and cursors may run beside each other.
#ifndef CAIRN_UTILITIES_BATCH_INDEX_H_
#define CAIRN_UTILITIES_BATCH_INDEX_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/namespace.h"
#include "base/timestamps.h"
#include "rocksdb/comparator.h"
#include "rocksdb/slice.h"
#include "rocksdb/utilities/write_batch_with_index.h"
#include "rocksdb/write_batch.h"

namespace cairn {

class BatchIndex {
  static constexpr uint32_t kSlots = 32;  // of a node

  struct Node {
    uint32_t count;
    uint32_t record[kSlots];
    uint64_t prefix[kSlots];  // see PrefixOf
  };
  struct Leaf : Node {
    Leaf* previous;
    Leaf* next;
  };
  struct Inner : Node {
    Node* child[kSlots];
  };

  // Nodes that are given back all at once; some memory stays for the next use.
  template <class T>
  class Pool {
   public:
    T* Take();
    void Reset();

   private:
    static constexpr size_t kMaxChunk = 64;  // nodes
    static constexpr size_t kKeptChunks = 3;
    std::vector<std::unique_ptr<T[]>> chunks_;
    size_t chunk_ = 0;  // where the next node comes from
    size_t used_ = 0;   // of that chunk
  };

  struct Tree {
    uint32_t family;
    const Comparator* comparator;  // borrowed
    bool bytewise;                 // bare keys are in the order of their bytes
    uint32_t ts_size;              // bytes of timestamps behind keys
    std::string shared;    // every key begins with it; empty in other orders than the bytewise one
    uint64_t renewed = 0;  // prefixes that were computed anew, as `shared` shrank
    Node* root = nullptr;
    int height = 0;  // levels of inner nodes
    Leaf* first = nullptr;
    Leaf* last = nullptr;
    WriteBatchWithIndex::CFStat* stat = nullptr;  // in stats_; null: not made yet
  };

  struct Record {
    uint32_t offset;    // of the record in the batch, bytes
    uint32_t key_size;  // bytes, without a timestamp
    uint32_t previous;  // the one whose place it took, or kNone
    uint32_t root;
    Tree* tree;
    uint32_t updates;  // this one included, of the key
    uint8_t key_at;    // of the key within the record, bytes
    bool single_delete;
    bool overwritten_single_delete;
  };

  // An array that grows without moving: piece k has kFirst << k records.
  class Records {
   public:
    size_t size() const { return size_; }
    Record& operator[](uint32_t i) { return *At(i); }
    const Record& operator[](uint32_t i) const { return *At(i); }
    // Makes room for one more. False: there is no memory for it.
    [[nodiscard]] bool Reserve();
    // REQUIRES: Reserve()
    Record* Add() { return At(static_cast<uint32_t>(size_++)); }
    void Truncate(size_t size) { size_ = size; }
    // Some memory stays for the next use.
    void Clear();

   private:
    static constexpr uint32_t kFirst = 8;
    static constexpr int kPieces = 29;  // for UINT32_MAX records
    static constexpr int kKeptPieces = 5;
    static int PieceOf(uint32_t i) { return std::bit_width(uint64_t{i} + kFirst) - 4; }
    Record* At(uint32_t i) const {
      const int piece = PieceOf(i);
      return &pieces_[piece][uint64_t{i} + kFirst - (uint64_t{kFirst} << piece)];
    }

    size_t size_ = 0;
    std::unique_ptr<Record[]> pieces_[kPieces];
  };

 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // `batch` is borrowed, and whoever changes it says so by Add() and Truncate(). `comparator`
  // (borrowed): of families whose own one is not given.
  BatchIndex(const WriteBatch* batch, const Comparator* comparator, bool overwrite);
  BatchIndex(const BatchIndex&) = delete;
  BatchIndex& operator=(const BatchIndex&) = delete;

  // Makes room for one more record. False: there is no memory for it.
  [[nodiscard]] bool Reserve() { return records_.Reserve(); }
  // The batch's record at `offset`, its last one. `comparator` null: the backup one; it matters for
  // the first of a family. REQUIRES: Reserve()
  void Add(uint32_t family, const Comparator* comparator, const Slice& key, WriteType type,
           size_t offset);
  // The batch ends at `size` again: forgets what lay beyond. Cursors that stood there are over.
  void Truncate(size_t size);
  void Clear();

  bool overwrites() const { return overwrite_; }
  // Records that were added.
  size_t size() const { return records_.size(); }
  const std::unordered_map<uint32_t, WriteBatchWithIndex::CFStat>& stats() const { return stats_; }
  // In whose order the family's keys are.
  const Comparator* ComparatorOf(uint32_t family) const;

  // A place in a family's entries, or none. Stays at its entry while others are added; where that
  // one was overwritten, at the one that took its place.
  class Cursor {
   public:
    Cursor(const BatchIndex* index, uint32_t family) : index_(index), family_(family) {}

    bool Valid() const {
      Renew();
      return record_ != kNone;
    }
    void SeekToFirst();
    void SeekToLast();
    // To the newest entry of the first key >= `key`.
    void Seek(const Slice& key);
    // To the oldest entry of the last key <= `key`.
    void SeekForPrev(const Slice& key);
    // REQUIRES: Valid()
    void Next();
    void Prev();
    // REQUIRES: Valid(). Good until the batch changes.
    Slice key() const {
      Renew();
      return index_->KeyOf(Current());
    }
    WriteEntry Entry() const;
    uint32_t updates() const;
    bool overwrote_single_delete() const;

    // The same with all entries of a key as one: to the newest of the key, or of the next or
    // previous one. REQUIRES: Valid()
    void ToNewest();
    void NextKey();
    void PrevKey();

   private:
    friend class BatchIndex;
    void Set(const Leaf* leaf, uint32_t slot);
    void Find(const Slice& key, int64_t root);
    // Looks for its entry again if slots have moved.
    void Renew() const {
      if (version_ != index_->version_) [[unlikely]]
        FindAgain();
    }
    void FindAgain() const;
    // What took the entry's place stands in its slot.
    uint32_t Current() const { return leaf_ == nullptr ? kNone : leaf_->record[slot_]; }

    const BatchIndex* index_;
    uint32_t family_;
    mutable uint64_t version_ = 0;
    mutable const Leaf* leaf_ = nullptr;
    mutable uint32_t slot_ = 0;
    mutable uint32_t record_ = kNone;
  };

  // Grows whenever entries go.
  uint64_t shrinks() const { return shrinks_; }
  // The newest entry of a key: false if there is none.
  bool Newest(uint32_t family, const Slice& key, WriteEntry* entry) const;

 private:
  // What is looked for: the first entry that is not before it.
  struct Target {
    Slice key;
    uint64_t prefix;
    // Of the entries of this key those with a larger root are before it: none of UINT32_MAX, all of
    // -1.
    int64_t root;
    size_t skip;  // bytes of `key` that all keys of the tree have, too
  };
  struct Place {
    Leaf* leaf;
    uint32_t slot;  // may be leaf->count
  };

  static uint64_t PrefixOf(const Tree& tree, const Slice& key);
  // < 0: the key is before all that begins with tree.shared; > 0: after it; 0: it begins with it.
  static int CompareShared(const Tree& tree, const Slice& key);
  static Target MakeTarget(const Tree& tree, const Slice& key, int64_t root);

  const char* BatchBytes() const { return batch_->Data().data(); }
  Slice KeyOf(uint32_t record) const {
    const Record& r = records_[record];
    return Slice(BatchBytes() + r.offset + r.key_at, r.key_size);
  }
  WriteEntry EntryOf(uint32_t record) const;
  bool SameKey(const Tree& tree, uint32_t record, const Slice& key) const {
    return tree.bytewise ? KeyOf(record) == key
                         : CompareBare(tree.comparator, KeyOf(record), key) == 0;
  }

  const Tree* FindTree(uint32_t family) const;
  Tree* TreeOf(uint32_t family, const Comparator* comparator);
  bool IsBefore(const Tree& tree, uint32_t record, const Target& target) const;
  uint32_t LowerBound(const Tree& tree, const Node& node, uint32_t from,
                      const Target& target) const;
  // The way down is put into `path`, if it is not null: for each inner node the child that was
  // taken.
  struct Step {
    Inner* node;
    uint32_t child;
  };
  static constexpr int kMaxHeight = 12;
  Place Find(const Tree& tree, const Target& target, Step* path) const;

  void InsertAt(Tree* tree, Place place, Step* path, uint64_t prefix, uint32_t record);
  void InsertChild(Tree* tree, Step* path, uint64_t prefix, uint32_t record, Node* child);
  void ShrinkShared(Tree* tree, const Slice& key);
  void RenewPrefixes(const Tree& tree, Node* node, int height);
  void BuildInner(Tree* tree);

  const WriteBatch* const batch_;
  const Comparator* const comparator_;
  const bool overwrite_;
  std::unordered_map<uint32_t, std::unique_ptr<Tree>> trees_;
  Tree* last_tree_ = nullptr;  // that was added to
  std::unordered_map<uint32_t, WriteBatchWithIndex::CFStat> stats_;
  Records records_;
  Pool<Leaf> leaves_;
  Pool<Inner> inners_;
  uint64_t version_ = 1;
  uint64_t shrinks_ = 0;
};

}  // namespace cairn

#endif  // CAIRN_UTILITIES_BATCH_INDEX_H_
