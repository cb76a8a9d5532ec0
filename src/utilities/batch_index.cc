#include "utilities/batch_index.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "base/allocation.h"
#include "base/coding.h"
#include "base/internal_key.h"
#include "cairn/compiler.h"

namespace cairn {
namespace {

// The number of `p`'s first `n` elements, which ascend, that are < `value` (kOrEqual: <=).
template <bool kOrEqual>
uint32_t CountBefore(const uint64_t* p, uint32_t n, uint64_t value) {
  const uint64_t* begin = p;
  while (n > 1) {
    const uint32_t half = n / 2;
    const uint64_t middle = begin[half - 1];
    // Without a branch: the comparison's outcome cannot be foretold.
    begin += (kOrEqual ? middle <= value : middle < value) ? half : 0;
    n -= half;
  }
  if (n == 1 && (kOrEqual ? *begin <= value : *begin < value)) ++begin;
  return static_cast<uint32_t>(begin - p);
}

size_t CommonPrefix(const Slice& a, const Slice& b) {
  const size_t n = std::min(a.size(), b.size());
  size_t i = 0;
  while (i < n && a[i] == b[i]) ++i;
  return i;
}

// Moves a node's entries from `slot` on one up.
template <class N>
void MakeRoom(N* node, uint32_t slot) {
  const size_t moved = node->count - slot;
  std::memmove(node->prefix + slot + 1, node->prefix + slot, moved * sizeof(node->prefix[0]));
  std::memmove(node->record + slot + 1, node->record + slot, moved * sizeof(node->record[0]));
}

template <class N>
void CopyUpper(const N& from, uint32_t slot, N* to) {
  to->count = from.count - slot;
  std::memcpy(to->prefix, from.prefix + slot, to->count * sizeof(to->prefix[0]));
  std::memcpy(to->record, from.record + slot, to->count * sizeof(to->record[0]));
}

WriteType TypeOf(uint8_t tag) {
  switch (tag) {
    case kTypeValue:
    case kTypeColumnFamilyValue:
      return kPutRecord;
    case kTypeMerge:
    case kTypeColumnFamilyMerge:
      return kMergeRecord;
    case kTypeDeletion:
    case kTypeColumnFamilyDeletion:
      return kDeleteRecord;
    case kTypeSingleDeletion:
    case kTypeColumnFamilySingleDeletion:
      return kSingleDeleteRecord;
    case kTypeWideColumnEntity:
    case kTypeColumnFamilyWideColumnEntity:
      return kPutEntityRecord;
    default:
      return kUnknownRecord;
  }
}

}  // namespace

template <class T>
T* BatchIndex::Pool<T>::Take() {
  while (chunk_ < chunks_.size() && used_ == std::min(size_t{1} << chunk_, kMaxChunk)) {
    ++chunk_;
    used_ = 0;
  }
  if (chunk_ == chunks_.size()) {
    chunks_.push_back(
        std::make_unique_for_overwrite<T[]>(std::min(size_t{1} << chunk_, kMaxChunk)));
  }
  return &chunks_[chunk_][used_++];
}

template <class T>
void BatchIndex::Pool<T>::Reset() {
  if (chunks_.size() > kKeptChunks) chunks_.resize(kKeptChunks);
  chunk_ = 0;
  used_ = 0;
}

BatchIndex::BatchIndex(const WriteBatch* batch, const Comparator* comparator, bool overwrite)
    : batch_(batch),
      comparator_(comparator == nullptr ? BytewiseComparator() : comparator),
      overwrite_(overwrite) {}

// --- Keys

uint64_t BatchIndex::PrefixOf(const Tree& tree, const Slice& key) {
  // Other orders know no prefixes: all are equal, and keys are compared.
  if (!tree.bytewise) return 0;
  const size_t skip = tree.shared.size();
  assert(key.size() >= skip);
  const size_t n = key.size() - skip;
  uint64_t prefix = 0;
  if (n >= sizeof(prefix)) {
    std::memcpy(&prefix, key.data() + skip, sizeof(prefix));
  } else {
    std::memcpy(&prefix, key.data() + skip, n);
  }
  return compiler::ByteSwap(prefix);
}

int BatchIndex::CompareShared(const Tree& tree, const Slice& key) {
  const size_t n = std::min(tree.shared.size(), key.size());
  const int order = std::memcmp(key.data(), tree.shared.data(), n);
  if (order != 0) return order;
  return key.size() < tree.shared.size() ? -1 : 0;
}

BatchIndex::Target BatchIndex::MakeTarget(const Tree& tree, const Slice& key, int64_t root) {
  return {key, PrefixOf(tree, key), root, tree.shared.size()};
}

// What the prefixes do not tell.
bool BatchIndex::IsBefore(const Tree& tree, uint32_t record, const Target& target) const {
  Slice key = KeyOf(record);
  int order;
  if (tree.bytewise) {
    key.remove_prefix(target.skip);
    order = key.compare(Slice(target.key.data() + target.skip, target.key.size() - target.skip));
  } else {
    order = CompareBare(tree.comparator, key, target.key);
  }
  return order < 0 || (order == 0 && int64_t{records_[record].root} > target.root);
}

// The first slot at `from` or behind it that is not before the target.
uint32_t BatchIndex::LowerBound(const Tree& tree, const Node& node, uint32_t from,
                                const Target& target) const {
  uint32_t low = from + CountBefore<false>(node.prefix + from, node.count - from, target.prefix);
  if (low == node.count || node.prefix[low] != target.prefix) return low;
  uint32_t high = low + CountBefore<true>(node.prefix + low, node.count - low, target.prefix);
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (IsBefore(tree, node.record[middle], target)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

BatchIndex::Place BatchIndex::Find(const Tree& tree, const Target& target, Step* path) const {
  Node* node = tree.root;
  for (int level = 0; level < tree.height; ++level) {
    Inner* const inner = static_cast<Inner*>(node);
    const uint32_t child = LowerBound(tree, *inner, 1, target) - 1;
    if (path != nullptr) path[level] = {inner, child};
    node = inner->child[child];
  }
  Leaf* const leaf = static_cast<Leaf*>(node);
  return {leaf, LowerBound(tree, *leaf, 0, target)};
}

WriteEntry BatchIndex::EntryOf(uint32_t record) const {
  const Record& r = records_[record];
  const char* const begin = BatchBytes() + r.offset;
  const char* const key = begin + r.key_at;
  WriteEntry entry;
  entry.type = TypeOf(static_cast<uint8_t>(*begin));
  entry.key = Slice(key, r.key_size);
  if (entry.type != kDeleteRecord && entry.type != kSingleDeleteRecord) {
    const char* const limit = BatchBytes() + batch_->GetDataSize();
    uint32_t size = 0;
    const char* const value = GetVarint32Ptr(key + r.key_size + r.tree->ts_size, limit, &size);
    assert(value != nullptr);
    entry.value = Slice(value, size);
  }
  return entry;
}

// --- Trees

const BatchIndex::Tree* BatchIndex::FindTree(uint32_t family) const {
  if (last_tree_ != nullptr && last_tree_->family == family) return last_tree_;
  const auto it = trees_.find(family);
  return it == trees_.end() ? nullptr : it->second.get();
}

const Comparator* BatchIndex::ComparatorOf(uint32_t family) const {
  const Tree* const tree = FindTree(family);
  return tree == nullptr ? comparator_ : tree->comparator;
}

BatchIndex::Tree* BatchIndex::TreeOf(uint32_t family, const Comparator* comparator) {
  if (last_tree_ != nullptr && last_tree_->family == family) return last_tree_;
  std::unique_ptr<Tree>& tree = trees_[family];
  if (tree == nullptr) {
    tree = std::make_unique<Tree>();
    tree->family = family;
    tree->comparator = comparator == nullptr ? comparator_ : comparator;
    tree->bytewise = tree->comparator == BytewiseComparator() ||
                     tree->comparator == BytewiseComparatorWithU64Ts();
    tree->ts_size = static_cast<uint32_t>(tree->comparator->timestamp_size());
  }
  last_tree_ = tree.get();
  return last_tree_;
}

// `key` is to come in, but does not begin with what all others do.
void BatchIndex::ShrinkShared(Tree* tree, const Slice& key) {
  size_t size = CommonPrefix(tree->shared, key);
  // All prefixes change. Numbers that grow do so a few times; keys that were made to, for each
  // byte: halving ends that.
  constexpr uint64_t kMostRenewals = 8;
  const uint64_t entries = tree->stat->entry_count;
  tree->renewed += entries;
  if (tree->renewed > kMostRenewals * entries) size = std::min(size, tree->shared.size() / 2);
  tree->shared.resize(size);
  RenewPrefixes(*tree, tree->root, tree->height);
}

void BatchIndex::RenewPrefixes(const Tree& tree, Node* node, int height) {
  for (uint32_t i = 0; i < node->count; ++i) {
    node->prefix[i] = PrefixOf(tree, KeyOf(node->record[i]));
    if (height > 0) RenewPrefixes(tree, static_cast<Inner*>(node)->child[i], height - 1);
  }
}

bool BatchIndex::Records::Reserve() {
  const int piece = PieceOf(static_cast<uint32_t>(size_));
  if (pieces_[piece] != nullptr) [[likely]]
    return true;
  const size_t count = size_t{kFirst} << piece;
  return WithMemory(count * sizeof(Record),
                    [&] { pieces_[piece] = std::make_unique_for_overwrite<Record[]>(count); });
}

void BatchIndex::Records::Clear() {
  size_ = 0;
  for (int i = kKeptPieces; i < kPieces; ++i) pieces_[i].reset();
}

void BatchIndex::Add(uint32_t family, const Comparator* comparator, const Slice& key,
                     WriteType type, size_t offset) {
  Tree* const tree = TreeOf(family, comparator);
  const uint32_t number = static_cast<uint32_t>(records_.size());
  const size_t key_at = 1 + (family == 0 ? 0 : VarintLength(family)) +
                        static_cast<size_t>(VarintLength(key.size() + tree->ts_size));
  Record& r = *records_.Add();
  r.offset = static_cast<uint32_t>(offset);
  r.key_size = static_cast<uint32_t>(key.size());
  r.previous = kNone;
  r.root = number;
  r.tree = tree;
  r.updates = 1;
  r.key_at = static_cast<uint8_t>(key_at);
  r.single_delete = type == kSingleDeleteRecord;
  r.overwritten_single_delete = false;
  if (tree->stat == nullptr) tree->stat = &stats_[family];

  if (tree->root == nullptr) {
    Leaf* const leaf = leaves_.Take();
    leaf->count = 0;
    leaf->previous = leaf->next = nullptr;
    tree->root = tree->first = tree->last = leaf;
    if (tree->bytewise) tree->shared.assign(key.data(), key.size());
  } else if (CompareShared(*tree, key) != 0) {
    ShrinkShared(tree, key);
  }
  const Target target = MakeTarget(*tree, key, kNone);
  Leaf* const last = tree->last;
  if (last->count > 0 && last->count < kSlots && target.prefix > last->prefix[last->count - 1]) {
    // Ascending keys need no search.
    ++tree->stat->entry_count;
    ++version_;
    last->prefix[last->count] = target.prefix;
    last->record[last->count] = number;
    ++last->count;
    return;
  }
  Step path[kMaxHeight];
  const Place place = Find(*tree, target, path);
  if (overwrite_) {
    Place at = place;
    if (at.slot == at.leaf->count && at.leaf->next != nullptr) at = {at.leaf->next, 0};
    if (at.slot < at.leaf->count && at.leaf->prefix[at.slot] == target.prefix &&
        SameKey(*tree, at.leaf->record[at.slot], key)) {
      const uint32_t older = at.leaf->record[at.slot];
      const Record& old = records_[older];
      r.updates = old.updates + 1;
      // An operand needs what is below it.
      if (type != kMergeRecord) {
        r.previous = older;
        r.root = old.root;
        r.single_delete |= old.single_delete;
        r.overwritten_single_delete = old.single_delete;
        tree->stat->overwritten_sd_count += old.single_delete && !old.overwritten_single_delete;
        at.leaf->record[at.slot] = number;
        return;
      }
    }
  }
  ++tree->stat->entry_count;
  ++version_;
  InsertAt(tree, place, path, target.prefix, number);
}

void BatchIndex::InsertAt(Tree* tree, Place place, Step* path, uint64_t prefix, uint32_t record) {
  Leaf* leaf = place.leaf;
  uint32_t slot = place.slot;
  Leaf* right = nullptr;
  if (leaf->count == kSlots) {
    // Who writes in ascending order fills the leaves.
    const uint32_t half = slot == kSlots && leaf->next == nullptr ? kSlots : kSlots / 2;
    right = leaves_.Take();
    CopyUpper<Node>(*leaf, half, right);
    leaf->count = half;
    right->previous = leaf;
    right->next = leaf->next;
    (leaf->next == nullptr ? tree->last : leaf->next->previous) = right;
    leaf->next = right;
    if (slot > half || half == kSlots) {
      leaf = right;
      slot -= half;
    }
  }
  MakeRoom(leaf, slot);
  leaf->prefix[slot] = prefix;
  leaf->record[slot] = record;
  ++leaf->count;
  if (right != nullptr) InsertChild(tree, path, right->prefix[0], right->record[0], right);
}

// `child` came into being to the right of the node that `path` led to.
void BatchIndex::InsertChild(Tree* tree, Step* path, uint64_t prefix, uint32_t record,
                             Node* child) {
  for (int level = tree->height - 1; level >= 0; --level) {
    Inner* node = path[level].node;
    uint32_t slot = path[level].child + 1;
    Inner* right = nullptr;
    if (node->count == kSlots) {
      const uint32_t half = slot == kSlots ? kSlots - 1 : kSlots / 2;
      right = inners_.Take();
      CopyUpper<Node>(*node, half, right);
      std::copy(node->child + half, node->child + kSlots, right->child);
      node->count = half;
      if (slot > half) {
        node = right;
        slot -= half;
      }
    }
    MakeRoom(node, slot);
    std::memmove(node->child + slot + 1, node->child + slot,
                 (node->count - slot) * sizeof(node->child[0]));
    node->prefix[slot] = prefix;
    node->record[slot] = record;
    node->child[slot] = child;
    ++node->count;
    if (right == nullptr) return;
    prefix = right->prefix[0];
    record = right->record[0];
    child = right;
  }
  Inner* const root = inners_.Take();
  root->count = 2;
  root->child[0] = tree->root;
  root->child[1] = child;
  root->prefix[0] = 0;
  root->prefix[1] = prefix;
  root->record[0] = record;  // any that exists
  root->record[1] = record;
  tree->root = root;
  ++tree->height;
  assert(tree->height < kMaxHeight);
}

void BatchIndex::Clear() {
  trees_.clear();
  last_tree_ = nullptr;
  stats_.clear();
  records_.Clear();
  leaves_.Reset();
  inners_.Reset();
  ++version_;
  ++shrinks_;
}

// --- Rollback

void BatchIndex::Truncate(size_t size) {
  uint32_t end = static_cast<uint32_t>(records_.size());
  while (end > 0 && records_[end - 1].offset >= size) --end;
  if (end == records_.size()) return;
  ++version_;
  ++shrinks_;
  std::unordered_set<Tree*> touched;
  for (uint32_t i = end; i < records_.size(); ++i) {
    const Record& r = records_[i];
    WriteBatchWithIndex::CFStat* const stat = r.tree->stat;
    if (r.previous == kNone) {
      --stat->entry_count;
    } else {
      stat->overwritten_sd_count -=
          r.overwritten_single_delete && !records_[r.previous].overwritten_single_delete;
    }
    touched.insert(r.tree);
  }
  for (Tree* const tree : touched) {
    Leaf* last = nullptr;
    for (Leaf* leaf = tree->first; leaf != nullptr; leaf = leaf->next) {
      uint32_t kept = 0;
      for (uint32_t i = 0; i < leaf->count; ++i) {
        uint32_t record = leaf->record[i];
        while (record != kNone && record >= end) record = records_[record].previous;
        if (record == kNone) continue;
        leaf->record[kept] = record;
        leaf->prefix[kept] = leaf->prefix[i];
        ++kept;
      }
      leaf->count = kept;
      if (kept == 0) continue;
      if (last == nullptr) {
        tree->first = leaf;
      } else {
        last->next = leaf;
      }
      leaf->previous = last;
      last = leaf;
    }
    if (last == nullptr) {
      // The first leaf serves on, and so does the comparator.
      Leaf* const leaf = tree->first;
      leaf->previous = leaf->next = nullptr;
      tree->root = tree->first = tree->last = leaf;
      tree->height = 0;
      tree->stat = nullptr;
      stats_.erase(tree->family);
      continue;
    }
    last->next = nullptr;
    tree->last = last;
    // Even where all entries stay, inner nodes may know of records that go.
    BuildInner(tree);
  }
  records_.Truncate(end);
}

void BatchIndex::BuildInner(Tree* tree) {
  // (The old inner nodes are lost to the pool until Clear.)
  std::vector<Node*> level;
  for (Leaf* leaf = tree->first; leaf != nullptr; leaf = leaf->next) level.push_back(leaf);
  tree->height = 0;
  while (level.size() > 1) {
    std::vector<Node*> above;
    for (size_t i = 0; i < level.size(); i += kSlots) {
      Inner* const inner = inners_.Take();
      inner->count = static_cast<uint32_t>(std::min<size_t>(kSlots, level.size() - i));
      for (uint32_t j = 0; j < inner->count; ++j) {
        // (Of an inner node the slot 0 was set here, too: the least below it.)
        inner->prefix[j] = level[i + j]->prefix[0];
        inner->record[j] = level[i + j]->record[0];
        inner->child[j] = level[i + j];
      }
      above.push_back(inner);
    }
    level = std::move(above);
    ++tree->height;
  }
  tree->root = level[0];
}

// --- Reading

bool BatchIndex::Newest(uint32_t family, const Slice& key, WriteEntry* entry) const {
  const Tree* const tree = FindTree(family);
  if (tree == nullptr || tree->root == nullptr || CompareShared(*tree, key) != 0) return false;
  const Target target = MakeTarget(*tree, key, kNone);
  Place place = Find(*tree, target, nullptr);
  if (place.slot == place.leaf->count) {
    if (place.leaf->next == nullptr) return false;
    place = {place.leaf->next, 0};
  }
  if (place.leaf->prefix[place.slot] != target.prefix) return false;
  const uint32_t record = place.leaf->record[place.slot];
  if (!SameKey(*tree, record, key)) return false;
  *entry = EntryOf(record);
  return true;
}

void BatchIndex::Cursor::Set(const Leaf* leaf, uint32_t slot) {
  if (leaf != nullptr && slot == leaf->count) {
    leaf = leaf->next;
    slot = 0;
  }
  version_ = index_->version_;
  leaf_ = leaf;
  slot_ = slot;
  record_ = leaf == nullptr || slot >= leaf->count ? kNone : leaf->record[slot];
}

void BatchIndex::Cursor::SeekToFirst() {
  const Tree* const tree = index_->FindTree(family_);
  Set(tree == nullptr ? nullptr : tree->first, 0);
}

void BatchIndex::Cursor::SeekToLast() {
  const Tree* const tree = index_->FindTree(family_);
  const Leaf* const leaf = tree == nullptr ? nullptr : tree->last;
  if (leaf == nullptr || leaf->count == 0) {
    Set(nullptr, 0);
  } else {
    Set(leaf, leaf->count - 1);
  }
}

void BatchIndex::Cursor::Find(const Slice& key, int64_t root) {
  const Tree* const tree = index_->FindTree(family_);
  if (tree == nullptr || tree->root == nullptr) return Set(nullptr, 0);
  const int outside = CompareShared(*tree, key);
  if (outside < 0) return Set(tree->first, 0);
  if (outside > 0) return Set(nullptr, 0);
  const Place place = index_->Find(*tree, MakeTarget(*tree, key, root), nullptr);
  Set(place.leaf, place.slot);
}

void BatchIndex::Cursor::Seek(const Slice& key) { Find(key, kNone); }

void BatchIndex::Cursor::SeekForPrev(const Slice& key) {
  Find(key, -1);
  if (Valid()) {
    Prev();
  } else {
    SeekToLast();
  }
}

void BatchIndex::Cursor::FindAgain() const {
  Cursor found(index_, family_);
  // (One of a batch that was cleared and filled anew may find itself anywhere.)
  if (record_ < index_->records_.size()) {
    found.Find(index_->KeyOf(record_), index_->records_[record_].root);
  } else {
    found.Set(nullptr, 0);
  }
  version_ = found.version_;
  leaf_ = found.leaf_;
  slot_ = found.slot_;
  record_ = found.record_;
}

void BatchIndex::Cursor::Next() {
  if (Valid()) Set(leaf_, slot_ + 1);
}

void BatchIndex::Cursor::Prev() {
  if (!Valid()) return;
  if (slot_ > 0) {
    Set(leaf_, slot_ - 1);
  } else if (leaf_->previous != nullptr) {
    Set(leaf_->previous, leaf_->previous->count - 1);
  } else {
    Set(nullptr, 0);
  }
}

WriteEntry BatchIndex::Cursor::Entry() const {
  return Valid() ? index_->EntryOf(Current()) : WriteEntry();
}

uint32_t BatchIndex::Cursor::updates() const {
  return Valid() ? index_->records_[Current()].updates : 0;
}

bool BatchIndex::Cursor::overwrote_single_delete() const {
  return Valid() && index_->records_[Current()].overwritten_single_delete;
}

void BatchIndex::Cursor::ToNewest() {
  if (!Valid()) return;
  const Tree& tree = *index_->records_[record_].tree;
  while (true) {
    Cursor before = *this;
    before.Prev();
    if (!before.Valid() || !index_->SameKey(tree, before.record_, key())) return;
    *this = before;
  }
}

void BatchIndex::Cursor::NextKey() {
  if (!Valid()) return;
  const Tree& tree = *index_->records_[record_].tree;
  const Slice before = key();
  do {
    Next();
  } while (Valid() && index_->SameKey(tree, record_, before));
}

void BatchIndex::Cursor::PrevKey() {
  ToNewest();
  if (!Valid()) return;
  Prev();
  ToNewest();
}

}  // namespace cairn
