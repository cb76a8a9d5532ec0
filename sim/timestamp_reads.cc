// What a client of a world of timestamps reads, and compares with its model.
#include <algorithm>
#include <utility>

#include "fiber/clock.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/utilities/checkpoint.h"
#include "sim/entity.h"
#include "sim/timestamp_client.h"
#include "sim/timestamp_world.h"

namespace cairn::sim {

using rocksdb::ReadOptions;
using rocksdb::Slice;
using rocksdb::Status;

namespace {

constexpr size_t kMostHeld = 3;
constexpr size_t kFooterBytes = 8;  // of an internal key, as an iterator over versions shows it

uint64_t NumberOf(const Slice& stamp) {
  uint64_t number = 0;
  return rocksdb::DecodeU64Ts(stamp, &number).ok() ? number : UINT64_MAX;
}

std::string ShownValue(const std::optional<std::string>& value) {
  return value ? Shown(value) : "a deletion";
}

// Options of a read as of a moment, and the bytes that they point to.
struct Reading {
  explicit Reading(uint64_t timestamp, const rocksdb::Snapshot* snapshot = nullptr)
      : stamp(Stamp(timestamp)), at(stamp) {
    options.timestamp = &at;
    options.snapshot = snapshot;
    options.total_order_seek = true;
  }
  const std::string stamp;
  const Slice at;
  ReadOptions options;
};

// Below the mark a version that nobody else hides may have lost its timestamp.
bool MayShow(uint64_t shown, uint64_t expected, uint64_t low) {
  return shown == expected || (shown == 0 && expected < low);
}

std::string Difference(const TimestampModel::Versions& expected,
                       const TimestampModel::Versions& found) {
  for (const auto* const one : {&expected, &found}) {
    for (const auto& [at, value] : *one) {
      const auto there = found.find(at);
      const auto wanted = expected.find(at);
      if (there != found.end() && wanted != expected.end() && there->second == wanted->second) {
        continue;
      }
      return at.first + "@" + std::to_string(at.second) + ": expected " +
             (wanted == expected.end() ? "nothing" : ShownValue(wanted->second)) + ", found " +
             (there == found.end() ? "nothing" : ShownValue(there->second));
    }
  }
  return "";
}

std::string Difference(const TimestampModel::State& expected, const TimestampModel::State& found,
                       uint64_t low) {
  for (const auto* const one : {&expected, &found}) {
    for (const auto& [key, seen] : *one) {
      const auto there = found.find(key);
      const auto wanted = expected.find(key);
      if (there != found.end() && wanted != expected.end() &&
          there->second.value == wanted->second.value &&
          MayShow(there->second.timestamp, wanted->second.timestamp, low)) {
        continue;
      }
      const auto told = [&](const auto& it, const auto& end) {
        return it == end ? "nothing"
                         : Shown(it->second.value) + "@" + std::to_string(it->second.timestamp);
      };
      return key + ": expected " + told(wanted, expected.end()) + ", found " +
             told(there, found.end());
    }
  }
  return "";
}

}  // namespace

// (Where a flush raises the mark it is not known when it does.)
uint64_t TimestampClient::Oldest() const {
  const TimestampWorld::Low& low = world_->low_of(place());
  return world_->plan().persists_timestamps ? low.asked : low.acknowledged;
}

uint64_t TimestampClient::DrawTimestamp() {
  const TimestampWorld::Low& low = world_->low_of(place());
  if (low.acknowledged != 0 && random_.OneIn(8)) return random_.Uniform(low.acknowledged);
  if (random_.OneIn(5)) return UINT64_MAX - random_.Uniform(2);
  if (random_.OneIn(5)) return low.asked;
  const uint64_t least = Oldest();
  return least + random_.Uniform(world_->now() - std::min(least, world_->now()) + 2);
}

bool TimestampClient::MayCompare(std::string_view what, std::string_view key, uint64_t timestamp,
                                 uint64_t low, const Status& s) {
  const std::string at = std::string(key) + " at " + std::to_string(timestamp);
  if (s.IsInvalidArgument() && timestamp < world_->low_of(place()).asked) {
    world_->history().Note(id_, what, at, "is below the mark");
    return false;
  }
  if (!s.ok() && !s.IsNotFound()) {
    Ok(what, at, s);
    return false;
  }
  if (timestamp < low) {
    Violate(what, at + " is served, below the mark of " + std::to_string(low));
    return false;
  }
  ++world_->history().counts.reads;
  return true;
}

void TimestampClient::CompareValue(std::string_view what, const std::string& key, Moment moment,
                                   uint64_t low, const Status& s, const std::string& value,
                                   const std::string& stamp) {
  if (!MayCompare(what, key, moment.timestamp, low, s)) return;
  const std::string at = key + " at " + std::to_string(moment.timestamp);
  world_->history().Note(id_, what, at, s.ok() ? Printable(value, 24) : "nothing");
  const auto expected = model_.At(key, moment.timestamp, moment.writes);
  if (s.ok() != expected.has_value() || (expected && expected->value != value)) {
    return Violate(what, at + ": expected " +
                             Shown(expected ? std::optional(expected->value) : std::nullopt) +
                             ", found " + Shown(s.ok() ? std::optional(value) : std::nullopt));
  }
  const uint64_t shown = stamp.empty() ? 0 : NumberOf(stamp);
  // (Of what is not there it is that of some deletion.)
  const bool right = expected ? MayShow(shown, expected->timestamp, world_->low_of(place()).asked)
                              : shown <= moment.timestamp;
  if (!right) {
    Violate(what, at + ": expected the timestamp " +
                      (expected ? std::to_string(expected->timestamp) : "of a deletion") +
                      ", found " + std::to_string(shown));
  }
}

void TimestampClient::GetOne() {
  const std::string key = DrawKey();
  const HeldSnapshot* const held = DrawSnapshot();
  const Moment moment = {DrawTimestamp(), held != nullptr ? held->writes : SIZE_MAX};
  const uint64_t low = world_->low_of(place()).acknowledged;
  const Reading reading(moment.timestamp, held != nullptr ? held->snapshot : nullptr);
  std::string value, stamp;
  const Status s = world_->db()->Get(reading.options, Family(), key, &value, &stamp);
  CompareValue("gets", key, moment, low, s, value, stamp);
}

void TimestampClient::GetMany() {
  std::vector<std::string> keys;
  for (uint64_t count = 1 + random_.Uniform(10); keys.size() < count;) keys.push_back(DrawKey());
  const HeldSnapshot* const held = DrawSnapshot();
  const Moment moment = {DrawTimestamp(), held != nullptr ? held->writes : SIZE_MAX};
  const uint64_t low = world_->low_of(place()).acknowledged;
  Reading reading(moment.timestamp, held != nullptr ? held->snapshot : nullptr);
  reading.options.async_io = random_.OneIn(3);
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<std::string> values, stamps;
  const std::vector<Status> statuses = world_->db()->MultiGet(
      reading.options, std::vector<rocksdb::ColumnFamilyHandle*>(keys.size(), Family()), slices,
      &values, &stamps);
  for (size_t i = 0; i < keys.size(); ++i) {
    CompareValue("gets many", keys[i], moment, low, statuses[i], values[i], stamps[i]);
  }
}

// All keys of `whose`, forward or backward.
void TimestampClient::Walk(std::string_view what, rocksdb::Iterator* it,
                           const TimestampClient& whose, Moment moment, uint64_t low) {
  const std::string& prefix = whose.prefix_;
  TimestampModel::State found;
  const bool backward = random_.OneIn(3);
  const auto step = [&] { backward ? it->Prev() : it->Next(); };
  std::string before;
  if (backward) {
    it->SeekForPrev(prefix + "\xff");
  } else {
    it->Seek(prefix);
  }
  for (; it->Valid() && it->key().starts_with(prefix); step()) {
    const std::string key = it->key().ToString();
    if (!before.empty() && (key < before) != backward) {
      return Violate(
          what, std::string("an iterator goes from ").append(before).append(" to ").append(key));
    }
    found[key] = {it->value().ToString(), NumberOf(it->timestamp())};
    before = key;
    // A turn and back.
    if (!random_.OneIn(30)) continue;
    backward ? it->Next() : it->Prev();
    if (!it->Valid()) break;
    step();
    if (it->Valid() && it->key() != before) {
      return Violate(what, "back from a turn it is at " + it->key().ToString() + ", not " + before);
    }
    if (!it->Valid()) break;
  }
  Status s = it->status();
  // (It has turned at an end.)
  if (s.ok() && !it->Valid() && !found.empty()) {
    it->Seek(prefix);
    found.clear();
    for (; it->Valid() && it->key().starts_with(prefix); it->Next()) {
      found[it->key().ToString()] = {it->value().ToString(), NumberOf(it->timestamp())};
    }
    s = it->status();
  }
  if (!MayCompare(what, prefix, moment.timestamp, low, s)) return;
  world_->history().Note(id_, what, prefix + " at " + std::to_string(moment.timestamp),
                         std::to_string(found.size()));
  const std::string wrong = Difference(whose.model_.At(moment.timestamp, moment.writes), found,
                                       world_->low_of(whose.place()).asked);
  if (!wrong.empty()) {
    Violate(what, "at " + std::to_string(moment.timestamp) + " " + wrong);
  }
}

void TimestampClient::Scan() {
  const HeldSnapshot* const held = DrawSnapshot();
  const Moment moment = {DrawTimestamp(), held != nullptr ? held->writes : SIZE_MAX};
  const uint64_t low = world_->low_of(place()).acknowledged;
  const Reading reading(moment.timestamp, held != nullptr ? held->snapshot : nullptr);
  const std::unique_ptr<rocksdb::Iterator> it(world_->db()->NewIterator(reading.options, Family()));
  Walk("scans", it.get(), *this, moment, low);
}

// Another's keys, at a moment of which that one can change nothing any more.
void TimestampClient::ScanOther() {
  const auto& clients = world_->clients();
  const TimestampClient& other = *clients[random_.Uniform(clients.size())];
  // (The mark is a family's.)
  if (world_->family_of(other.place()) != Family()) return GetOne();
  const Moment moment = {other.settled_, SIZE_MAX};
  const uint64_t low = world_->low_of(place()).acknowledged;
  const Reading reading(moment.timestamp);
  const std::unique_ptr<rocksdb::Iterator> it(world_->db()->NewIterator(reading.options, Family()));
  Walk("scans another's", it.get(), other, moment, low);
}

bool TimestampClient::ReadVersions(std::string_view what, rocksdb::DB* db,
                                   rocksdb::ColumnFamilyHandle* family,
                                   const rocksdb::Snapshot* snapshot, uint64_t start,
                                   uint64_t timestamp, TimestampModel::Versions* versions,
                                   Status* status) {
  Reading reading(timestamp, snapshot);
  const std::string start_stamp = Stamp(start);
  const Slice start_slice(start_stamp);
  reading.options.iter_start_ts = &start_slice;
  const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(reading.options, family));
  for (it->Seek(prefix_); it->Valid() && it->key().starts_with(prefix_); it->Next()) {
    const Slice key = it->key();  // user key, timestamp, type and sequence number
    const Slice bare(key.data(), key.size() - it->timestamp().size() - kFooterBytes);
    const char type = key[key.size() - kFooterBytes];
    const bool deleted = type == 0 || type == 7 || type == 0x14;
    const auto [place, is_new] =
        versions->emplace(std::make_pair(bare.ToString(), NumberOf(it->timestamp())),
                          deleted ? std::nullopt : std::optional(it->value().ToString()));
    if (!is_new) {
      Violate(what, "a version of " + bare.ToString() + " is shown twice");
      return false;
    }
  }
  *status = it->status();
  return true;
}

void TimestampClient::ScanVersions() {
  const HeldSnapshot* const held = DrawSnapshot();
  const Moment moment = {DrawTimestamp(), held != nullptr ? held->writes : SIZE_MAX};
  const TimestampWorld::Low& mark = world_->low_of(place());
  const uint64_t low = mark.acknowledged;
  const uint64_t start =
      mark.asked + random_.Uniform(moment.timestamp - std::min(mark.asked, moment.timestamp) + 1);
  TimestampModel::Versions found;
  Status s;
  if (!ReadVersions("scans versions", world_->db(), Family(),
                    held != nullptr ? held->snapshot : nullptr, start, moment.timestamp, &found,
                    &s) ||
      !MayCompare("scans versions", prefix_, moment.timestamp, low, s)) {
    return;
  }
  world_->history().Note(id_, "scans versions",
                         std::to_string(start) + " to " + std::to_string(moment.timestamp),
                         std::to_string(found.size()));
  const std::string wrong =
      Difference(model_.VersionsAt(start, moment.timestamp, moment.writes), found);
  if (!wrong.empty()) {
    Violate("scans versions",
            std::to_string(start) + " to " + std::to_string(moment.timestamp) + " " + wrong);
  }
}

// An iterator that lives on while files and memtables come and go, and history goes.
void TimestampClient::HoldIterator() {
  if (!iterators_.empty() && (iterators_.size() >= kMostHeld || random_.OneIn(2))) {
    const auto which =
        iterators_.begin() + static_cast<std::ptrdiff_t>(random_.Uniform(iterators_.size()));
    Walk("scans with what it held", which->iterator.get(), *this, which->moment, 0);
    if (random_.OneIn(3)) iterators_.erase(which);
    return;
  }
  HeldIterator held;
  held.moment = {Oldest() + random_.Uniform(world_->now() + 1),
                 writes_before_ + ledger_.writes().size()};
  held.timestamp = std::make_unique<std::string>(Stamp(held.moment.timestamp));
  held.slice = std::make_unique<Slice>(*held.timestamp);
  ReadOptions options;
  options.timestamp = held.slice.get();
  options.total_order_seek = true;
  held.iterator.reset(world_->db()->NewIterator(options, Family()));
  iterators_.push_back(std::move(held));
}

void TimestampClient::ChangeSnapshots() {
  if (!snapshots_.empty() && (snapshots_.size() >= kMostHeld || random_.OneIn(2))) {
    const auto which =
        snapshots_.begin() + static_cast<std::ptrdiff_t>(random_.Uniform(snapshots_.size()));
    world_->db()->ReleaseSnapshot(which->snapshot);
    snapshots_.erase(which);
    return;
  }
  const rocksdb::Snapshot* const snapshot = world_->db()->GetSnapshot();
  if (snapshot != nullptr) {
    snapshots_.push_back({snapshot, writes_before_ + ledger_.writes().size()});
  }
}

const TimestampClient::HeldSnapshot* TimestampClient::DrawSnapshot() {
  if (snapshots_.empty() || random_.OneIn(3)) return nullptr;
  return &snapshots_[random_.Uniform(snapshots_.size())];
}

// ---- Whole databases

bool TimestampClient::ReadAll(std::string_view what, rocksdb::DB* db,
                              rocksdb::ColumnFamilyHandle* family, uint64_t timestamp,
                              TimestampModel::State* state) {
  const Reading reading(timestamp);
  const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(reading.options, family));
  for (it->Seek(prefix_); it->Valid() && it->key().starts_with(prefix_); it->Next()) {
    (*state)[it->key().ToString()] = {it->value().ToString(), NumberOf(it->timestamp())};
  }
  return Ok(what, prefix_ + " at " + std::to_string(timestamp), it->status());
}

bool TimestampClient::FitTo(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, uint64_t low,
                            size_t least, Fit* fit) {
  constexpr std::string_view kWhat = "after a restart";
  const uint64_t moments[] = {low, low + (std::max(world_->now(), low) - low) / 2, UINT64_MAX};
  TimestampModel::State states[std::size(moments)];
  for (size_t i = 0; i < std::size(moments); ++i) {
    if (!ReadAll(kWhat, db, family, moments[i], &states[i])) return false;
  }
  TimestampModel::Versions versions;
  Status s;
  if (!ReadVersions(kWhat, db, family, nullptr, low, UINT64_MAX, &versions, &s) ||
      !Ok(kWhat, prefix_, s)) {
    return false;
  }
  std::string wrong;
  const auto fits = [&](size_t count) {
    const size_t writes = writes_before_ + count;
    wrong.clear();
    for (size_t i = 0; i < std::size(moments) && wrong.empty(); ++i) {
      wrong = Difference(model_.At(moments[i], writes), states[i], low);
      if (!wrong.empty()) wrong.insert(0, "at " + std::to_string(moments[i]) + " ");
    }
    if (wrong.empty()) wrong = Difference(model_.VersionsAt(low, UINT64_MAX, writes), versions);
    return wrong.empty();
  };
  std::vector<size_t> counts;
  for (size_t count = least; count <= ledger_.writes().size(); ++count) {
    if (fits(count)) counts.push_back(count);
  }
  // What a range deletion hides at the end tells them apart.
  for (const uint64_t timestamp : timestamps_) {
    if (timestamp < low || counts.size() < 2) continue;
    TimestampModel::State state;
    if (!ReadAll(kWhat, db, family, timestamp, &state)) return false;
    std::erase_if(counts, [&](size_t count) {
      wrong = Difference(model_.At(timestamp, writes_before_ + count), state, low);
      return !wrong.empty();
    });
  }
  if (counts.empty()) {
    Violate(kWhat, "its keys are as after none of its writes: " + wrong);
    return false;
  }
  *fit = {counts.front(), counts.back()};
  world_->history().Note(
      id_, "has", prefix_,
      std::to_string(fit->most) + " of " + std::to_string(ledger_.writes().size()));
  model_.Restart(writes_before_ + fit->most, low);
  writes_before_ += fit->most;
  ledger_ = Ledger();
  timestamps_.clear();
  return true;
}

void TimestampClient::CompareCopy(std::string_view what, rocksdb::DB* db,
                                  const std::vector<rocksdb::ColumnFamilyHandle*>& families,
                                  uint64_t low) {
  rocksdb::ColumnFamilyHandle* const family = families[world_->family_number_of(place())];
  const uint64_t asked = world_->low_of(place()).asked;
  for (const uint64_t timestamp : {asked, asked + 3, UINT64_MAX}) {
    TimestampModel::State state;
    if (!ReadAll(what, db, family, timestamp, &state)) return;
    ++world_->history().counts.reads;
    const std::string wrong = Difference(model_.At(timestamp, SIZE_MAX), state, asked);
    if (!wrong.empty()) return Violate(what, "at " + std::to_string(timestamp) + " " + wrong);
  }
  if (low == 0) return;
  // Below the mark it is refused there, too.
  const Reading reading(low - 1);
  std::string value;
  const Status s = db->Get(reading.options, family, DrawKey(), &value);
  if (!s.IsInvalidArgument() && !world_->power_is_off()) {
    Violate(what, std::to_string(low - 1) + " is served, below the mark of " + std::to_string(low) +
                      ": " + s.ToString());
  }
}

void TimestampClient::LookAtCheckpoint() {
  rocksdb::Checkpoint* made = nullptr;
  if (!Ok("checkpoint", "", rocksdb::Checkpoint::Create(world_->db(), &made))) return;
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  const std::string path = "/checkpoint of " + prefix_.substr(0, 3) + "-" + std::to_string(number_);
  const std::vector<TimestampWorld::Low> lows = world_->lows();
  const Status s = checkpoint->CreateCheckpoint(path, random_.OneIn(2) ? 0 : UINT64_MAX);
  if (!Ok("make a checkpoint", path, s)) return;
  std::unique_ptr<rocksdb::DB> copy;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  if (Ok("open a checkpoint", path, world_->OpenCopy(path, &copy, &families))) {
    world_->CheckLows(copy.get(), families, lows, "a checkpoint");
    CompareCopy("a checkpoint", copy.get(), families,
                lows[world_->family_number_of(place())].acknowledged);
    for (rocksdb::ColumnFamilyHandle* const family : families) delete family;
  }
  copy.reset();
  rocksdb::Options options;
  options.env = world_->db()->GetEnv();
  Ok("remove a checkpoint", path, rocksdb::DestroyDB(path, options));
}

void TimestampClient::LookAsReader() {
  // What waits in the log's buffer it does not see.
  if (world_->db()->GetDBOptions().manual_wal_flush) return SyncLog();
  std::unique_ptr<rocksdb::DB> reader;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  const std::vector<TimestampWorld::Low> lows = world_->lows();
  const Status s = world_->OpenReader(&reader, &families);
  // (Files came and went meanwhile; or the power went while a record was being written.)
  if (s.IsTryAgain() || (!s.ok() && world_->power_is_off())) return;
  if (!Ok("open a reader", "", s)) return;
  world_->CheckLows(reader.get(), families, lows, "a reader");
  CompareCopy("a reader", reader.get(), families,
              lows[world_->family_number_of(place())].acknowledged);
  for (rocksdb::ColumnFamilyHandle* const family : families) delete family;
}

}  // namespace cairn::sim
