#include "sim/timestamp_client.h"

#include <algorithm>
#include <utility>

#include "fiber/clock.h"
#include "rocksdb/comparator.h"
#include "rocksdb/sst_file_writer.h"
#include "sim/entity.h"
#include "sim/keys.h"
#include "sim/timestamp_world.h"

namespace cairn::sim {

using rocksdb::Slice;
using rocksdb::Status;
using rocksdb::WriteBatch;
using rocksdb::WriteOptions;

namespace {

constexpr uint64_t kSingleKeys = 5;  // beside the others: each written once before it is deleted
constexpr uint64_t kFirstSingleKey = 900;
constexpr size_t kTimestampBytes = 8;
constexpr char kOutside[] = "/outside/";

}  // namespace

std::string Stamp(uint64_t timestamp) {
  std::string bytes;
  rocksdb::EncodeU64Ts(timestamp, &bytes);
  return bytes;
}

TimestampClient::TimestampClient(TimestampWorld* world, int id, const Plan::ClientPlan& plan)
    : world_(world), id_(id), plan_(plan), prefix_(ClientPrefix(id)) {}

std::string TimestampClient::KeyNumber(uint64_t number) const {
  return NumberedKey(prefix_, number);
}

std::string TimestampClient::DrawKey() { return KeyNumber(random_.Uniform(world_->plan().keys)); }

std::string TimestampClient::DrawValue() {
  const uint64_t size = random_.OneIn(20) ? random_.Uniform(5000) : random_.Uniform(200);
  return DrawnValue(number_, size, &random_);
}

rocksdb::ColumnFamilyHandle* TimestampClient::Family() { return world_->family_of(place()); }

void TimestampClient::Run(uint64_t count) {
  stopped_ = false;
  world_->PlayOperations(id_, count, &number_, &random_, [this] {
    Step();
    return !stopped_;
  });
}

void TimestampClient::EndLife() {
  for (const HeldSnapshot& held : snapshots_) world_->db()->ReleaseSnapshot(held.snapshot);
  snapshots_.clear();
  iterators_.clear();
}

void TimestampClient::Step() {
  const uint64_t chance = random_.Uniform(100);
  if (chance < 45) {
    WriteSome();
  } else if (chance < 49) {
    SingleDelete();
  } else if (chance < 51 && world_->plan().persists_timestamps) {
    Ingest();
  } else if (chance < 63) {
    GetOne();
  } else if (chance < 67) {
    GetMany();
  } else if (chance < 72) {
    Scan();
  } else if (chance < 76) {
    ScanOther();
  } else if (chance < 82) {
    ScanVersions();
  } else if (chance < 85) {
    HoldIterator();
  } else if (chance < 89) {
    ChangeSnapshots();
  } else {
    Administer();
  }
}

void TimestampClient::Violate(std::string_view what, std::string_view wrong) {
  world_->history().Violation("client " + std::to_string(id_) + ": " + std::string(what) + ": " +
                              std::string(wrong));
}

// Notes what an operation said. False: it failed, as it may when the power is off.
bool TimestampClient::Ok(std::string_view what, std::string_view key, const Status& s) {
  world_->history().Note(id_, what, key, s.ToString());
  if (s.ok()) return true;
  if (!world_->power_is_off() || s.IsCorruption()) {
    Violate(what, std::string(key) + ": " + s.ToString());
  }
  return false;
}

// ---- Writes

// Two writes in a row may have the same.
uint64_t TimestampClient::DrawTimestampOfWrite() {
  const bool may_be_same = last_timestamp_ != 0 && world_->plan().persists_timestamps;
  if (!may_be_same || !random_.OneIn(5)) last_timestamp_ = world_->NextTimestamp();
  return last_timestamp_;
}

// What a reader now sees of `key` after the first changes of a batch.
std::optional<std::string> TimestampClient::ValueAfter(const Changes& changes,
                                                       const std::string& key) const {
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    if (change->key == key) return change->value;
  }
  const auto seen = model_.At(key, UINT64_MAX, SIZE_MAX);
  return seen ? std::optional(seen->value) : std::nullopt;
}

void TimestampClient::DeleteRange(const std::string& begin, const std::string& end,
                                  uint64_t timestamp, Changes* changes) const {
  for (uint64_t number = 0; number < world_->plan().keys; ++number) {
    const std::string key = KeyNumber(number);
    if (key < begin || key >= end) continue;
    const bool in_batch = std::any_of(changes->begin(), changes->end(),
                                      [&](const auto& change) { return change.key == key; });
    if (in_batch || model_.Knows(key)) {
      changes->push_back({key, std::nullopt, /*by_range=*/true, timestamp});
    }
  }
}

// Batches whose timestamps are there at once, or are filled in when all are known.
void TimestampClient::WriteSome() {
  const auto order = world_->KeepOrder();
  const uint64_t timestamp = DrawTimestampOfWrite();
  const std::string stamp = Stamp(timestamp);
  const bool later = random_.OneIn(3);
  WriteBatch batch(0, 0, world_->plan().batch_checksum_bytes(), kTimestampBytes);
  Changes changes;
  Status s;
  const uint64_t count = random_.OneIn(4) ? 1 + random_.Uniform(10) : 1;
  for (uint64_t i = 0; i < count && s.ok(); ++i) {
    const std::string key = DrawKey();
    if (random_.OneIn(15)) {
      std::string end = DrawKey();
      if (end < key) end = key;  // nothing
      s = later ? batch.DeleteRange(Family(), key, end)
                : batch.DeleteRange(Family(), key, end, stamp);
      DeleteRange(key, end, timestamp, &changes);
    } else if (!later && random_.OneIn(4)) {
      const std::string operand = std::to_string(number_) + "+" + random_.RandomString(8);
      s = batch.Merge(Family(), key, stamp, operand);
      changes.push_back({key, Merged(ValueAfter(changes, key), operand), false, timestamp});
    } else if (random_.OneIn(5)) {
      s = later ? batch.Delete(Family(), key) : batch.Delete(Family(), key, stamp);
      changes.push_back({key, std::nullopt, false, timestamp});
    } else {
      const std::string value = DrawValue();
      s = later ? batch.Put(Family(), key, value) : batch.Put(Family(), key, stamp, value);
      changes.push_back({key, value, false, timestamp});
    }
  }
  if (s.ok() && later) {
    s = batch.UpdateTimestamps(stamp, [](uint32_t) { return kTimestampBytes; });
  }
  if (!s.ok()) return Violate("a batch", s.ToString());
  WriteOptions options;
  options.sync = plan_.sync_one_in != 0 && random_.OneIn(static_cast<uint64_t>(plan_.sync_one_in));
  Change(std::move(changes), "writes", options.sync,
         [&] { return world_->db()->Write(options, &batch); });
}

void TimestampClient::SingleDelete() {
  const auto order = world_->KeepOrder();
  const std::string key = KeyNumber(kFirstSingleKey + random_.Uniform(kSingleKeys));
  // A single deletion and its value have timestamps of their own.
  last_timestamp_ = world_->NextTimestamp();
  const std::string stamp = Stamp(last_timestamp_);
  if (ValueAfter({}, key)) {
    Change({{key, std::nullopt, false, last_timestamp_}}, "single delete", false,
           [&] { return world_->db()->SingleDelete(WriteOptions(), Family(), key, stamp); });
  } else {
    const std::string value = DrawValue();
    Change({{key, value, false, last_timestamp_}}, "single put", false,
           [&] { return world_->db()->Put(WriteOptions(), Family(), key, stamp, value); });
  }
}

void TimestampClient::Change(Changes changes, std::string_view what, bool durable,
                             const std::function<Status()>& change) {
  const size_t write = writes_before_ + ledger_.writes().size();
  for (const auto& one : changes) {
    model_.Add(write, one);
    timestamps_.insert(one.timestamp);
  }
  const std::string key =
      changes.empty() ? "nothing" : changes[0].key + "@" + std::to_string(changes[0].timestamp);
  const uint64_t begin = fiber::now_nanos();
  ledger_.Begin({}, begin);
  if (!Ok(what, key, change())) {
    stopped_ = true;  // whether it is there is not known: no more in this life
    return;
  }
  ++world_->history().counts.acknowledged;
  ledger_.Acknowledge(fiber::now_nanos(), durable);
  if (last_timestamp_ != 0) settled_ = last_timestamp_ - 1;
  if (durable) world_->NoteDurable(begin);
}

// A file from outside of keys that nobody has written, with up to two versions of each; or of one
// that is there, which is refused.
void TimestampClient::Ingest() {
  rocksdb::DB* const db = world_->db();
  const rocksdb::Options options = db->GetOptions(Family());
  if (!Ok("make a directory", kOutside, options.env->CreateDirIfMissing(kOutside))) return;
  const std::string path = kOutside + prefix_.substr(0, 3) + "-" + std::to_string(number_) + ".sst";
  Changes changes;
  std::string known = random_.OneIn(4) ? DrawKey() : "";
  if (!model_.At(known, UINT64_MAX, SIZE_MAX)) known.clear();
  if (!Ok("write outside", path, WriteOutside(options, path, known, &changes))) return;
  rocksdb::IngestExternalFileOptions how;
  how.move_files = random_.OneIn(2);
  if (!known.empty()) {
    const Status s = db->IngestExternalFile(Family(), {path}, how);
    world_->history().Note(id_, "ingests what is there", known, s.ToString());
    if (!s.IsInvalidArgument() && !world_->power_is_off()) {
      Violate("ingests what is there", known + ": " + s.ToString());
    }
    options.env->DeleteFile(path).PermitUncheckedError();
    return;
  }
  Change(std::move(changes), "ingest", /*durable=*/true,
         [&] { return db->IngestExternalFile(Family(), {path}, how); });
  // (Moved, or the power is off.)
  options.env->DeleteFile(path).PermitUncheckedError();
}

Status TimestampClient::WriteOutside(const rocksdb::Options& options, const std::string& path,
                                     const std::string& known, Changes* changes) {
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(options), options);
  Status s = writer.Open(path);
  const uint64_t older = world_->NextTimestamp();
  last_timestamp_ = world_->NextTimestamp();
  const uint64_t count = known.empty() ? 1 + random_.Uniform(10) : 1;
  for (uint64_t i = 0; i < count && s.ok(); ++i) {
    const std::string key =
        known.empty() ? prefix_ + "n" + std::to_string(100'000 + number_) + std::to_string(100 + i)
                      : known;
    const std::string value = DrawValue();
    if (random_.OneIn(3)) {
      s = writer.Delete(key, Stamp(last_timestamp_));
      if (s.ok()) s = writer.Put(key, Stamp(older), value);
      changes->push_back({key, value, false, older});
      changes->push_back({key, std::nullopt, false, last_timestamp_});
    } else {
      s = writer.Put(key, Stamp(last_timestamp_), value);
      changes->push_back({key, value, false, last_timestamp_});
    }
  }
  return s.ok() ? writer.Finish() : s;
}

// ---- The rest

void TimestampClient::RaiseLow() {
  TimestampWorld::Low& low = world_->low_of(place());
  const uint64_t from = low.acknowledged;
  if (world_->now() <= from) return;
  const uint64_t to = from + random_.Uniform(world_->now() - from + 1);
  low.asked = std::max(low.asked, to);
  Status s;
  if (random_.OneIn(4)) {
    const std::string stamp = Stamp(to);
    const Slice slice(stamp);
    rocksdb::CompactRangeOptions options;
    options.full_history_ts_low = &slice;
    ++world_->history().counts.compactions;
    s = world_->db()->CompactRange(options, Family(), nullptr, nullptr);
  } else {
    s = world_->db()->IncreaseFullHistoryTsLow(Family(), Stamp(to));
  }
  // Somebody else may have raised it further.
  if ((s.IsInvalidArgument() || s.IsTryAgain()) && to < low.asked) {
    world_->history().Note(id_, "raises the mark", std::to_string(to), s.ToString());
    return;
  }
  if (!Ok("raises the mark", std::to_string(to), s)) return;
  low.acknowledged = std::max(low.acknowledged, to);
  world_->NoteDurable(0);
}

void TimestampClient::Flush() {
  rocksdb::FlushOptions options;
  options.wait = random_.OneIn(2);
  options.allow_write_stall = true;
  ++world_->history().counts.flushes;
  Ok("flushes", Family()->GetName(), world_->db()->Flush(options, Family()));
}

void TimestampClient::Compact() {
  rocksdb::CompactRangeOptions options;
  if (random_.OneIn(2)) {
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  }
  const std::string begin = DrawKey();
  const Slice slice(begin);
  ++world_->history().counts.compactions;
  Ok("compacts", Family()->GetName(),
     world_->db()->CompactRange(options, Family(), random_.OneIn(2) ? &slice : nullptr, nullptr));
}

void TimestampClient::SyncLog() {
  const uint64_t begin = fiber::now_nanos();
  const bool sync = random_.OneIn(2);
  if (Ok("writes out the log", sync ? "synced" : "", world_->db()->FlushWAL(sync)) && sync) {
    world_->NoteDurable(begin);
  }
}

void TimestampClient::Administer() {
  switch (random_.Uniform(12)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return RaiseLow();
    case 4:
    case 5:
      return Flush();
    case 6:
    case 7:
      return Compact();
    case 8:
      return SyncLog();
    case 9:
      return LookAtCheckpoint();
    default:
      return LookAsReader();
  }
}

}  // namespace cairn::sim
