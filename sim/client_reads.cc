// A client's reads: its own keys against what it knows exactly, others' within bounds; as of
// snapshots, through iterators that it holds, and by what asks in other ways.
#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "fiber/runtime.h"
#include "rocksdb/iterator.h"
#include "sim/client.h"
#include "sim/entity.h"
#include "sim/world.h"
#include "table/testing/list_index.h"

namespace cairn::sim {

using rocksdb::PinnableSlice;
using rocksdb::ReadOptions;
using rocksdb::Status;

namespace {

constexpr uint64_t kKeys = kKeysOfAClient;
constexpr uint64_t kSingleKeys = kSingleKeysOfAClient;
constexpr uint64_t kBriefNanos = 20'000'000;
constexpr size_t kMostHeld = 3;
constexpr size_t kMostIterators = 2;

// Of the tables that have one (plan.cc).
const rocksdb::UserDefinedIndexFactory* UserIndex() {
  static const testing::ListIndexFactory factory;
  return &factory;
}

}  // namespace

ReadOptions Client::Reading() const {
  ReadOptions options;
  options.table_index_factory = UserIndex();
  // Keys of others lie behind one's own: who walks to and fro sees across prefixes.
  options.total_order_seek = world_->has_prefixes();
  return options;
}

const Client::Held* Client::DrawSnapshot() {
  if (held_.empty() || random_.OneIn(2)) return nullptr;
  return &held_[random_.Uniform(held_.size())];
}

void Client::GetOne() {
  const uint64_t chance = random_.Uniform(10);
  if (chance == 0) return GetOperands();
  if (chance == 1) return AskWhetherItMayExist();
  const std::string key =
      random_.OneIn(10) ? KeyNumber(kKeys + random_.Uniform(kSingleKeys + 5)) : DrawKey();
  const Held* const held = DrawSnapshot();
  ReadOptions options;
  if (held != nullptr) options.snapshot = held->snapshot;
  options.table_index_factory = UserIndex();
  options.fill_cache = !random_.OneIn(4);
  const State& expected = held != nullptr ? held->state : ledger_.state();
  if (random_.OneIn(2)) {
    rocksdb::PinnableWideColumns columns;
    const Status s = world_->db()->GetEntity(options, world_->family_of(*this), key, &columns);
    Compare(key, expected, s, TextOf(columns.columns()),
            held != nullptr ? "get entity at snapshot" : "get entity", /*whole=*/true);
    return;
  }
  std::string value;
  const Status s = world_->db()->Get(options, world_->family_of(*this), key, &value);
  Compare(key, expected, s, value, held != nullptr ? "get at snapshot" : "get");
}

// The operands that make a value, its base first: joined they are the value, or the default column.
void Client::GetOperands() {
  const std::string key = DrawKey();
  constexpr int kMost = 100;
  std::vector<PinnableSlice> operands(kMost);
  rocksdb::GetMergeOperandsOptions options;
  options.expected_max_number_of_operands = kMost;
  int count = 0;
  const Status s = world_->db()->GetMergeOperands(ReadOptions(), world_->family_of(*this), key,
                                                  operands.data(), &options, &count);
  if (s.IsIncomplete()) return;  // there are more
  std::string value;
  for (int i = 0; s.ok() && i < count; ++i) {
    if (i > 0) value += ',';
    value.append(operands[static_cast<size_t>(i)].data(), operands[static_cast<size_t>(i)].size());
  }
  Compare(key, ledger_.state(), s, value, "operands");
}

// What is there may exist.
void Client::AskWhetherItMayExist() {
  const std::string key = DrawKey();
  std::string value;
  bool found = false;
  const bool may =
      world_->db()->KeyMayExist(ReadOptions(), world_->family_of(*this), key, &value, &found);
  ++world_->history().counts.reads;
  const auto there = ledger_.state().find(key);
  const bool right = there == ledger_.state().end()
                         ? !(may && found)
                         : may && (!found || value == DefaultOf(there->second));
  if (!right) {
    world_->history().Violation("client " + std::to_string(id_) + ": KeyMayExist(" + key +
                                ") says " + (may ? "yes" : "no") + (found ? " and a value" : ""));
  }
}

// Within one prefix: filters and hash tables may be asked.
void Client::ScanPrefix() {
  ReadOptions options;
  options.prefix_same_as_start = world_->has_prefixes();
  const std::unique_ptr<rocksdb::Iterator> it(
      world_->db()->NewIterator(options, world_->family_of(*this)));
  const std::string from = random_.OneIn(2) ? prefix_ : DrawKey();
  auto wanted = ledger_.state().lower_bound(from);
  for (it->Seek(from); it->Valid() && it->key().starts_with(prefix_); it->Next(), ++wanted) {
    if (wanted == ledger_.state().end() || it->key() != wanted->first ||
        !Shows(*it, wanted->second)) {
      world_->history().Violation("client " + std::to_string(id_) +
                                  ": a scan of its prefix finds " + it->key().ToString() + " = " +
                                  Shown(TextOf(it->columns())));
      return;
    }
  }
  ++world_->history().counts.reads;
  if (!Ok("scan of a prefix", from, it->status())) return;
  if (wanted != ledger_.state().end()) {
    world_->history().Violation("client " + std::to_string(id_) +
                                ": a scan of its prefix ends before " + wanted->first);
  }
}

void Client::GetMany() {
  const Held* const held = DrawSnapshot();
  ReadOptions options;
  if (held != nullptr) options.snapshot = held->snapshot;
  options.async_io = random_.OneIn(2);
  options.optimize_multiget_for_io = random_.OneIn(2);
  const size_t count = 1 + random_.Uniform(20);
  std::vector<std::string> keys;
  for (size_t i = 0; i < count; ++i) keys.push_back(DrawKey());
  const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::vector<Status> statuses(count);
  const State& expected = held != nullptr ? held->state : ledger_.state();
  if (random_.OneIn(2)) {
    std::vector<rocksdb::PinnableWideColumns> results(count);
    world_->db()->MultiGetEntity(options, world_->family_of(*this), count, slices.data(),
                                 results.data(), statuses.data());
    for (size_t i = 0; i < count; ++i) {
      Compare(keys[i], expected, statuses[i], TextOf(results[i].columns()), "multiget of entities",
              /*whole=*/true);
    }
    return;
  }
  std::vector<PinnableSlice> values(count);
  world_->db()->MultiGet(options, world_->family_of(*this), count, slices.data(), values.data(),
                         statuses.data());
  for (size_t i = 0; i < count; ++i) {
    Compare(keys[i], expected, statuses[i], statuses[i].ok() ? values[i].ToString() : std::string(),
            "multiget");
  }
}

void Client::Scan() {
  if (random_.OneIn(4)) return ScanPrefix();
  const Held* const held = DrawSnapshot();
  const State& expected = held != nullptr ? held->state : ledger_.state();
  ReadOptions options = Reading();
  if (held != nullptr) options.snapshot = held->snapshot;
  options.async_io = random_.OneIn(2);
  options.auto_refresh_iterator_with_snapshot = !options.async_io;
  options.auto_prefix_mode = options.total_order_seek && random_.OneIn(3);
  if (options.auto_prefix_mode) options.total_order_seek = false;
  std::string lower = prefix_, upper = prefix_ + '\x7f';
  if (random_.OneIn(3)) {
    const std::unique_ptr<rocksdb::Iterator> free(
        world_->db()->NewIterator(options, world_->family_of(*this)));
    Walk(free.get(), expected, held != nullptr ? "an iterator at a snapshot" : "an iterator");
    return;
  }
  if (random_.OneIn(2)) lower = DrawKey();
  if (random_.OneIn(2)) upper = DrawKey();
  if (upper < lower) std::swap(lower, upper);
  const rocksdb::Slice lower_bound(lower), upper_bound(upper);
  options.iterate_lower_bound = &lower_bound;
  options.iterate_upper_bound = &upper_bound;
  const std::unique_ptr<rocksdb::Iterator> it(
      world_->db()->NewIterator(options, world_->family_of(*this)));
  const bool forward = random_.OneIn(2);
  std::vector<std::pair<std::string, std::string>> wanted(expected.lower_bound(lower),
                                                          expected.lower_bound(upper));
  if (!forward) std::reverse(wanted.begin(), wanted.end());
  size_t at = 0;
  for (forward ? it->SeekToFirst() : it->SeekToLast(); it->Valid();
       forward ? it->Next() : it->Prev()) {
    if (at == wanted.size() || it->key() != wanted[at].first || !Shows(*it, wanted[at].second)) {
      world_->history().Violation(
          "client " + std::to_string(id_) + ": a scan " + (forward ? "forward" : "backward") +
          " from " + lower + " to " + upper + (held != nullptr ? " at a snapshot" : "") +
          ": entry " + std::to_string(at) + " is " + it->key().ToString() + " = " +
          Shown(TextOf(it->columns())) + ", expected " +
          (at == wanted.size() ? "the end" : wanted[at].first + " = " + Shown(wanted[at].second)));
      return;
    }
    ++at;
  }
  ++world_->history().counts.reads;
  if (!Ok("scan", lower, it->status())) return;
  if (at != wanted.size()) {
    world_->history().Violation("client " + std::to_string(id_) + ": a scan " +
                                (forward ? "forward" : "backward") + " from " + lower + " to " +
                                upper + " ends before " + wanted[at].first);
  }
}

// Steps and seeks in any order, over the client's own keys.
void Client::Walk(rocksdb::Iterator* it, const State& expected, std::string_view what) {
  auto at = expected.end();  // where `it` should stand
  const uint64_t steps = 1 + random_.Uniform(20);
  std::string path;
  for (uint64_t i = 0; i < steps; ++i) {
    const bool placed = at != expected.end();
    const uint64_t chance = random_.Uniform(placed ? 10 : 2);
    if (chance < 2) {
      const std::string target = DrawKey() + (random_.OneIn(3) ? "+" : "");
      if (chance == 0) {
        it->Seek(target);
        at = expected.lower_bound(target);
      } else {
        it->SeekForPrev(target);
        at = expected.upper_bound(target);
        at = at == expected.begin() ? expected.end() : std::prev(at);
      }
      path += (chance == 0 ? " >=" : " <=") + target;
    } else if (chance < 6) {
      it->Next();
      ++at;
      path += " next";
    } else {
      it->Prev();
      at = at == expected.begin() ? expected.end() : std::prev(at);
      path += " prev";
    }
    // What is not ours lies before and behind.
    const bool valid = it->Valid() && it->key().starts_with(prefix_);
    if (!it->status().ok()) {
      Ok(what, path, it->status());
      return;
    }
    const auto found =
        valid ? std::optional(it->key().ToString() + " = " + Shown(TextOf(it->columns())))
              : std::nullopt;
    const auto wanted =
        at != expected.end() ? std::optional(at->first + " = " + Shown(at->second)) : std::nullopt;
    if (found != wanted || (valid && !Shows(*it, at->second))) {
      world_->history().Violation("client " + std::to_string(id_) + ": " + std::string(what) +
                                  " goes" + path + ": finds " + found.value_or("the end") +
                                  ", expected " + wanted.value_or("the end"));
      return;
    }
  }
  ++world_->history().counts.reads;
  world_->history().Note(id_, what, "", path);
}

void Client::WalkOnHeld() {
  if (iterators_.size() < kMostIterators && random_.OneIn(2)) {
    ReadOptions options = Reading();
    options.async_io = random_.OneIn(2);
    iterators_.push_back({std::unique_ptr<rocksdb::Iterator>(
                              world_->db()->NewIterator(options, world_->family_of(*this))),
                          ledger_.state()});
  }
  if (iterators_.empty()) return;
  const size_t which = random_.Uniform(iterators_.size());
  if (random_.OneIn(4)) {
    const Held* at = DrawSnapshot();
    if (Ok("refresh", at != nullptr ? "to a snapshot" : "",
           iterators_[which].iterator->Refresh(at != nullptr ? at->snapshot : nullptr))) {
      iterators_[which].state = at != nullptr ? at->state : ledger_.state();
    }
  }
  Walk(iterators_[which].iterator.get(), iterators_[which].state, "an iterator held");
  if (random_.OneIn(3)) iterators_.erase(iterators_.begin() + static_cast<std::ptrdiff_t>(which));
}

void Client::ChangeSnapshots() {
  if (held_.size() == kMostHeld || (!held_.empty() && random_.OneIn(2))) {
    return LetGo(random_.Uniform(held_.size()));
  }
  Held held = {nullptr, {}, nullptr, {}, std::nullopt};
  if (random_.OneIn(2)) {
    held.other = world_->clients()[random_.Uniform(world_->clients().size())].get();
    held.windows = held.other->LookAtAll();
  }
  held.snapshot = world_->db()->GetSnapshot();
  if (held.snapshot == nullptr) return;
  if (held.other != nullptr) held.other->EndAll(&held.windows);
  world_->history().Note(id_, "snapshot", "", std::to_string(held.snapshot->GetSequenceNumber()));
  held.state = ledger_.state();
  held_.push_back(std::move(held));
  if (held_.back().other != nullptr) ScanHeld(held_.back());
  if (!world_->plan().brief_snapshots) return;
  fiber::sleep_for(random_.Uniform(kBriefNanos));
  LetGo(held_.size() - 1);
}

void Client::LetGo(size_t which) {
  if (held_[which].other != nullptr) ScanHeld(held_[which]);
  world_->db()->ReleaseSnapshot(held_[which].snapshot);
  held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(which));
  world_->history().Note(id_, "lets a snapshot go", "", "");
}

// What another client's keys were at a snapshot is not too old; and it stays there, whatever
// flushes and compactions drop meanwhile.
void Client::ScanHeld(Held& held) {
  const std::optional<State> found = ScanOther(*held.other, held.windows, held.snapshot);
  if (!found) return;
  if (held.seen && *held.seen != *found && world_->has_fixed_snapshots()) {
    world_->history().Violation("client " + std::to_string(id_) + ": a snapshot shows other keys " +
                                "of " + held.other->prefix_ + " than when it was taken");
  }
  held.seen = found;
}

// `windows`: since before the snapshot was taken, or, if it is null, before the scan.
std::optional<State> Client::ScanOther(const Client& other, const std::vector<Window>& windows,
                                       const rocksdb::Snapshot* snapshot) {
  ReadOptions options;
  options.snapshot = snapshot;
  const std::unique_ptr<rocksdb::Iterator> it(
      world_->db()->NewIterator(options, world_->family_of(other)));
  State found;
  for (it->Seek(other.prefix_); it->Valid() && it->key().starts_with(other.prefix_); it->Next()) {
    found[it->key().ToString()] = TextOf(it->columns());
  }
  if (!Ok("scan of another", other.prefix_, it->status())) return std::nullopt;
  ++world_->history().counts.reads;
  for (uint64_t i = 0; i < kKeys; ++i) {
    const std::string key = other.KeyNumber(i);
    const auto there = found.find(key);
    const auto value = there != found.end() ? std::optional(there->second) : std::nullopt;
    if (!other.WasCurrent(key, windows[i], value)) {
      world_->history().Violation("client " + std::to_string(id_) + " scans another's keys" +
                                  (snapshot != nullptr ? " at a snapshot" : "") + ": " + key +
                                  " = " + Shown(value) + " was not its value at any moment of " +
                                  (snapshot != nullptr ? "its taking" : "the scan"));
      return std::nullopt;
    }
  }
  return found;
}

void Client::GetOfAnother() {
  const Client& other = *world_->clients()[random_.Uniform(world_->clients().size())];
  if (random_.OneIn(3)) {
    ScanOther(other, other.LookAtAll(), nullptr);
    return;
  }
  const std::string key = other.KeyNumber(random_.Uniform(world_->plan().keys));
  const Window window = other.Look(key);
  rocksdb::PinnableWideColumns columns;
  const Status s = world_->db()->GetEntity(ReadOptions(), world_->family_of(other), key, &columns);
  if (!Ok("get of another", key, s) && !s.IsNotFound()) return;
  ++world_->history().counts.reads;
  const auto found = s.ok() ? std::optional(TextOf(columns.columns())) : std::nullopt;
  if (!other.WasCurrent(key, window, found)) {
    world_->history().Violation("client " + std::to_string(id_) + " reads " + key +
                                " of another: " + Shown(found) +
                                " was not its value at any moment of the read");
  }
}

}  // namespace cairn::sim
