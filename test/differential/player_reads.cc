// Reads: points, several points at once, entities, iterators that are held over writes, snapshots.
#include <algorithm>
#include <memory>
#include <utility>

#include "main.h"
#include "player.h"
#include "rocksdb/wide_columns.h"

namespace differential {
namespace {

constexpr size_t kSnapshots = 4, kIterators = 3;

}  // namespace

const rocksdb::Snapshot* Player::MaybeSnapshot() {
  if (snapshots_.empty() || OneIn(2)) return nullptr;
  return snapshots_[Below(snapshots_.size())].snapshot;
}

void Player::NoteSnapshot(const rocksdb::Snapshot* snapshot) {
  if (snapshot == nullptr) return;
  Note("  at the snapshot of %llu", static_cast<unsigned long long>(snapshot->GetSequenceNumber()));
}

void Player::Get() {
  Family& family = ReadableFamily();
  rocksdb::ReadOptions options;
  options.snapshot = MaybeSnapshot();
  options.fill_cache = !OneIn(4);
  options.verify_checksums = !OneIn(4);
  const std::string key =
      OneIn(6)   ? EntityKey()
      : OneIn(8) ? "s" + std::to_string(life_.number) + "_" + std::to_string(1 + Below(30))
                 : Key();
  rocksdb::Status s;
  std::string shown;
  if (OneIn(2)) {
    std::string value;
    s = db_->Get(options, family.handle, key, &value);
    shown = Show(rocksdb::Slice(value));
  } else {
    rocksdb::PinnableSlice value;
    s = db_->Get(options, family.handle, key, &value);
    shown = Show(static_cast<const rocksdb::Slice&>(value));
  }
  NoteSnapshot(options.snapshot);
  Say("get %s %s: %s %s", family.name.c_str(), Show(key).c_str(), Show(s).c_str(),
      s.ok() ? shown.c_str() : "");
}

void Player::MultiGet() {
  rocksdb::ReadOptions options;
  options.snapshot = MaybeSnapshot();
  const size_t count = 1 + Below(OneIn(3) ? 60 : 6);
  std::vector<std::string> keys(count);
  std::vector<rocksdb::Status> statuses(count);
  std::vector<std::string> shown(count);
  const bool several = OneIn(2);
  if (several) {
    std::vector<rocksdb::ColumnFamilyHandle*> handles(count);
    std::vector<rocksdb::Slice> slices;
    for (size_t i = 0; i < count; i++) {
      keys[i] = Key();
      handles[i] = ReadableFamily().handle;
    }
    for (const std::string& key : keys) slices.emplace_back(key);
    std::vector<std::string> values;
    statuses = db_->MultiGet(options, handles, slices, &values);
    for (size_t i = 0; i < count; i++) {
      if (statuses[i].ok()) shown[i] = Show(rocksdb::Slice(values[i]));
    }
  } else {
    Family& family = ReadableFamily();
    for (std::string& key : keys) key = Key();
    const bool sorted = OneIn(2);
    if (sorted) {
      std::sort(keys.begin(), keys.end(),
                [&](const std::string& a, const std::string& b) { return Before(family, a, b); });
    }
    std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::PinnableSlice> values(count);
    db_->MultiGet(options, family.handle, count, slices.data(), values.data(), statuses.data(),
                  sorted);
    for (size_t i = 0; i < count; i++) {
      if (statuses[i].ok()) shown[i] = Show(static_cast<const rocksdb::Slice&>(values[i]));
    }
  }
  NoteSnapshot(options.snapshot);
  Say("multi get of %zu%s", count, several ? " from several families" : "");
  for (size_t i = 0; i < count; i++) {
    Say("  %s: %s %s", Show(keys[i]).c_str(), Show(statuses[i]).c_str(), shown[i].c_str());
  }
}

void Player::GetEntity() {
  Family& family = ReadableFamily();
  rocksdb::ReadOptions options;
  options.snapshot = MaybeSnapshot();
  // (RocksDB 7.8.3 crashes where such a read meets merge operands.)
  const bool plain = family.traits.merge == FamilyTraits::Merge::kNone && OneIn(3);
  const std::string key = plain ? Key() : EntityKey();
  rocksdb::PinnableWideColumns columns;
  const rocksdb::Status s = db_->GetEntity(options, family.handle, key, &columns);
  NoteSnapshot(options.snapshot);
  Say("get entity %s %s: %s %s", family.name.c_str(), Show(key).c_str(), Show(s).c_str(),
      s.ok() ? Show(columns.columns()).c_str() : "");
}

void Player::TakeSnapshot() {
  if (snapshots_.size() >= kSnapshots) return;
  snapshots_.push_back({db_->GetSnapshot()});
  Say("snapshot");
}

void Player::ReleaseSnapshot() {
  if (snapshots_.empty()) return;
  const size_t i = Below(snapshots_.size());
  // (An iterator that reads at a snapshot ends before it: RocksDB looks into the snapshot again.)
  iterators_.erase(std::remove_if(iterators_.begin(), iterators_.end(),
                                  [&](const HeldIterator& held) {
                                    return held.snapshot == snapshots_[i].snapshot;
                                  }),
                   iterators_.end());
  db_->ReleaseSnapshot(snapshots_[i].snapshot);
  snapshots_.erase(snapshots_.begin() + static_cast<std::ptrdiff_t>(i));
  Say("snapshot released");
}

void Player::MakeIterator() {
  if (iterators_.size() >= kIterators) return;
  HeldIterator held;
  held.family = &ReadableFamily();
  rocksdb::ReadOptions options;
  options.snapshot = MaybeSnapshot();
  held.snapshot = options.snapshot;
  held.refreshable = options.snapshot == nullptr && !held.family->dropped;
  // (RocksDB has an assertion where a walk within a prefix meets a key that has none.)
  if (held.family->traits.prefix != 0 && held.family->traits.capped && OneIn(3)) {
    options.prefix_same_as_start = true;
    held.forward_only = true;
  } else {
    options.total_order_seek = true;
  }
  if (!held.forward_only) {
    auto [lower, upper] = Range(*held.family);
    if (OneIn(3)) {
      held.lower = std::make_unique<std::string>(lower);
      held.lower_slice = std::make_unique<rocksdb::Slice>(*held.lower);
      options.iterate_lower_bound = held.lower_slice.get();
    }
    if (OneIn(3)) {
      held.upper = std::make_unique<std::string>(upper);
      held.upper_slice = std::make_unique<rocksdb::Slice>(*held.upper);
      options.iterate_upper_bound = held.upper_slice.get();
    }
  }
  options.pin_data = OneIn(6);
  options.readahead_size = OneIn(4) ? size_t{4} << (10 + Below(6)) : 0;
  options.adaptive_readahead = OneIn(4);
  options.async_io = OneIn(4) && ReadsAsynchronously();
  options.fill_cache = !OneIn(4);
  held.number = ++iterators_made_;
  held.iterator.reset(db_->NewIterator(options, held.family->handle));
  NoteSnapshot(options.snapshot);
  Say("iterator %d over %s%s%s%s: %s", held.number, held.family->name.c_str(),
      held.forward_only ? " within a prefix" : "", held.lower ? " lower" : "",
      held.upper ? " upper" : "", Show(held.iterator->status()).c_str());
  iterators_.push_back(std::move(held));
}

void Player::SayPlace(const HeldIterator& held) {
  rocksdb::Iterator& it = *held.iterator;
  if (!it.Valid()) {
    Say("  at the end: %s", Show(it.status()).c_str());
    return;
  }
  Say("  at %s = %s %s", Show(it.key()).c_str(), Show(it.value()).c_str(),
      Show(it.columns()).c_str());
}

void Player::MoveIterator() {
  if (iterators_.empty()) return;
  HeldIterator& held = iterators_[Below(iterators_.size())];
  rocksdb::Iterator& it = *held.iterator;
  Say("move iterator %d", held.number);
  if (held.refreshable && OneIn(6)) Say("  refresh: %s", Show(it.Refresh()).c_str());
  const uint64_t moves = 1 + Below(24);
  for (uint64_t i = 0; i < moves; i++) {
    const uint64_t kind = Below(10);
    if (held.forward_only) {
      if (it.Valid() && kind < 8) {
        it.Next();
      } else {
        const std::string key = Key();
        Say("  seek %s", Show(key).c_str());
        it.Seek(key);
      }
    } else if (it.Valid() && kind < 4) {
      it.Next();
    } else if (it.Valid() && kind < 7) {
      it.Prev();
    } else if (kind < 8) {
      const std::string key = Key();
      Say("  seek %s", Show(key).c_str());
      it.Seek(key);
    } else if (kind < 9) {
      const std::string key = Key();
      Say("  seek for prev %s", Show(key).c_str());
      it.SeekForPrev(key);
    } else if (OneIn(2)) {
      Say("  seek to first");
      it.SeekToFirst();
    } else {
      Say("  seek to last");
      it.SeekToLast();
    }
    SayPlace(held);
  }
}

void Player::DropIterator() {
  if (iterators_.empty()) return;
  const size_t i = Below(iterators_.size());
  Say("iterator %d ends", iterators_[i].number);
  iterators_.erase(iterators_.begin() + static_cast<std::ptrdiff_t>(i));
}

void Player::Sweep(Family& family) {
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(options, family.handle));
  Say("all of %s", family.name.c_str());
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    Say("  %s = %s %s", Show(it->key()).c_str(), Show(it->value()).c_str(),
        Show(it->columns()).c_str());
  }
  Say("forward: %s", Show(it->status()).c_str());
  for (it->SeekToLast(); it->Valid(); it->Prev()) {
    Say("  %s = %s", Show(it->key()).c_str(), Show(it->value()).c_str());
  }
  Say("backward: %s", Show(it->status()).c_str());
}

}  // namespace differential
