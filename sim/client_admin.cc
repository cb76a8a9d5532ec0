// What a client asks for beside reads and writes: files from outside, families that come and go,
// compactions, copies, secondaries, options.
#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/convenience.h"
#include "rocksdb/experimental.h"
#include "rocksdb/iterator.h"
#include "rocksdb/transaction_log.h"
#include "rocksdb/utilities/checkpoint.h"
#include "sim/client.h"
#include "sim/life_options.h"
#include "sim/world.h"

namespace cairn::sim {

using rocksdb::ReadOptions;
using rocksdb::Status;
using rocksdb::WriteOptions;

namespace {

constexpr uint64_t kMostPauseNanos = 5'000'000;

// Every other key goes.
class EvenKeysGo final : public rocksdb::CompactionFilter {
 public:
  static const EvenKeysGo* Instance() {
    static const EvenKeysGo filter;
    return &filter;
  }
  static bool Drops(const rocksdb::Slice& key) { return (key[key.size() - 1] - '0') % 2 == 0; }

  bool Filter(int /*level*/, const rocksdb::Slice& key, const rocksdb::Slice& /*value*/,
              std::string* /*new_value*/, bool* /*value_changed*/) const override {
    return Drops(key);
  }
  const char* Name() const override { return "EvenKeysGo"; }
};

}  // namespace

// A column family that is made, written to, thinned out and dropped.
void Client::ComeAndGo() {
  rocksdb::DB* const db = world_->db();
  rocksdb::ColumnFamilyHandle* made = nullptr;
  const std::string name = "of " + prefix_ + std::to_string(number_);
  rocksdb::ColumnFamilyOptions family_options = db->GetOptions();
  const bool thinned = world_->has_compactions() && random_.OneIn(2);
  if (thinned) family_options.compaction_filter = EvenKeysGo::Instance();
  if (!Ok("create a family", name, db->CreateColumnFamily(family_options, name, &made))) return;
  std::unique_ptr<rocksdb::ColumnFamilyHandle> handle(made);
  const uint64_t count = random_.Uniform(30);
  const std::string value = DrawValue();
  WriteOptions options;
  options.protection_bytes_per_key = world_->plan().batch_checksum_bytes();
  options.disableWAL = plan_.without_log;
  bool written = true;
  for (uint64_t i = 0; i < count && written; ++i) {
    written = Ok("write to a family", name, db->Put(options, made, KeyNumber(i), value));
  }
  if (written && random_.OneIn(3)) {
    Ok("flush a family", name, db->Flush(rocksdb::FlushOptions(), made));
  }
  if (written && thinned) Thin(made, count);
  const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(Reading(), made));
  if (thinned) written = false;  // (what is left was looked at)
  // Then it is the only one that needs the log so far.
  const bool alone = written && random_.OneIn(3);
  const uint64_t begin = fiber::now_nanos();
  if (alone) {
    const Status s = db->Flush(rocksdb::FlushOptions(), world_->families());
    if (!Ok("flush the others", name, s)) return;
    world_->NoteDurable(begin, /*memtables=*/true);
  }
  if (!Ok("drop a family", name, db->DropColumnFamily(made))) return;
  handle.reset();
  if (alone && !plan_.without_log && !WriteBehindDrop(begin)) return;
  // It stays as long as it is read.
  uint64_t seen = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) seen += it->value() == rocksdb::Slice(value);
  if (Ok("read a dropped family", name, it->status()) && written && seen != count) {
    world_->history().Violation("client " + std::to_string(id_) +
                                ": a family that it dropped has " + std::to_string(seen) + " of " +
                                std::to_string(count) + " entries");
  }
}

// A durable write, and another in the next log, which may be the one that nobody needs any more,
// under a new name. `durable_since`: what was acknowledged before is durable. False: it failed.
bool Client::WriteBehindDrop(uint64_t durable_since) {
  rocksdb::DB* const db = world_->db();
  const std::string key = DrawKey(), value = DrawValue();
  WriteOptions synced;
  synced.sync = true;
  Change({{key, value}}, "writes behind a drop", /*durable=*/true, /*from_outside=*/false,
         [&] { return db->Put(synced, world_->family_of(*this), key, value); });
  if (stopped_) return false;  // what comes after it would vouch for it
  if (!Ok("begin another log", "",
          db->Flush(World::FlushWithoutWaiting(), world_->family_of(*this)))) {
    return false;
  }
  WriteSome();
  // (The same promise again: the power may go now.)
  world_->NoteDurable(durable_since, /*memtables=*/true);
  return true;
}

// A filter and whole files take away some of its keys, which are KeyNumber(0) to `count`.
void Client::Thin(rocksdb::ColumnFamilyHandle* family, uint64_t count) {
  rocksdb::DB* const db = world_->db();
  const uint64_t from = random_.Uniform(count + 1);
  const std::string lower = KeyNumber(from), upper = KeyNumber(from + 4);
  const rocksdb::Slice begin(lower), end(upper);
  const bool files_go = random_.OneIn(2);
  if (files_go && !Ok("delete files", lower,
                      rocksdb::DeleteFilesInRange(db, family, &begin, &end, random_.OneIn(2)))) {
    return;
  }
  bool filtered = false;
  if (random_.OneIn(2)) {
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    const Status s = db->CompactRange(options, family, nullptr, nullptr);
    if (!s.IsIncomplete() && !Ok("compact a family", lower, s)) return;
    filtered = s.ok() && db->GetOptions(family).compaction_style != rocksdb::kCompactionStyleFIFO;
  }
  std::set<std::string> found;
  const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(Reading(), family));
  for (it->SeekToFirst(); it->Valid(); it->Next()) found.insert(it->key().ToString());
  ++world_->history().counts.reads;
  if (!Ok("read a family", lower, it->status())) return;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string key = KeyNumber(i);
    const bool even = EvenKeysGo::Drops(key);
    const bool deleted = files_go && lower <= key && key <= upper;
    if (found.contains(key) ? even && filtered : !even && !deleted) {
      std::string what = "client " + std::to_string(id_) + ": of " + std::to_string(count);
      what.append(" keys, thinned out from ").append(lower).append(", ").append(key);
      world_->history().Violation(what + (found.contains(key) ? " is there" : " is gone"));
      return;
    }
  }
}

// Files at random, of whatever levels, compacted into one of them or a deeper one.
void Client::CompactSome() {
  if (!world_->has_compactions()) return GetOne();
  rocksdb::DB* const db = world_->db();
  rocksdb::ColumnFamilyMetaData meta;
  db->GetColumnFamilyMetaData(world_->family_of(*this), &meta);
  std::vector<std::pair<int, std::string>> files;
  for (const rocksdb::LevelMetaData& level : meta.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files)
      files.emplace_back(level.level, file.name);
  }
  if (files.empty()) return;
  int level = 0;
  std::vector<std::string> names;
  for (uint64_t count = 1 + random_.Uniform(3); count > 0; --count) {
    const auto& [of, name] = files[random_.Uniform(files.size())];
    names.push_back(name);
    level = std::max(level, of);
  }
  const uint64_t deeper = static_cast<uint64_t>(meta.levels.back().level - level);
  const bool fifo =
      db->GetOptions(world_->family_of(*this)).compaction_style == rocksdb::kCompactionStyleFIFO;
  if (!fifo && random_.OneIn(2)) level += static_cast<int>(random_.Uniform(deeper + 1));
  ++world_->history().counts.compactions;
  const int path = world_->plan().first_tables_bytes
                       ? static_cast<int>(random_.Uniform(std::size(kTables)))
                       : -1;
  const Status s =
      db->CompactFiles(rocksdb::CompactionOptions(), world_->family_of(*this), names, level, path);
  // Another compaction has one of them, or had it; or a manual one keeps it from running.
  if (s.IsAborted() || s.IsInvalidArgument() || s.IsIncomplete()) return;
  Ok("compact files", std::to_string(names.size()) + " to level " + std::to_string(level), s);
}

// One iterator that sees with each seek what was written meanwhile.
void Client::Follow() {
  if (follower_ == nullptr) {
    ReadOptions options = Reading();
    options.tailing = true;
    follower_.reset(world_->db()->NewIterator(options, world_->family_of(*this)));
  }
  Walk(follower_.get(), ledger_.state(), "a tailing iterator");
}

// A secondary, or a reader that opens the database beside its writer, shows one state of all
// families: no money is lost on its way from one account to another, and what this client wrote
// before is there.
void Client::LookAtSecondary() {
  const Status s = secondary_ == nullptr ? world_->OpenSecondary("/secondary of " + prefix_,
                                                                 &secondary_, &secondary_families_)
                                         : secondary_->TryCatchUpWithPrimary();
  // A failed write may have left half a record in a log that goes on to be needed. On a slow disk
  // tables may come and go faster than one can open them.
  if (world_->errors_are_allowed() || s.IsTryAgain() || !Ok("catch up", "", s)) return;
  LookAtAll(secondary_.get(), secondary_families_, "a secondary");
}

void Client::LookAsReader() {
  std::unique_ptr<rocksdb::DB> reader;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  const Status s = world_->OpenReader(&reader, &families);  // TryAgain: as of a secondary
  if (!world_->errors_are_allowed() && !s.IsTryAgain() && Ok("open a reader", "", s)) {
    LookAtAll(reader.get(), families, "a reader");
  }
  for (rocksdb::ColumnFamilyHandle* const family : families) delete family;
}

void Client::LookAtAll(rocksdb::DB* db, const std::vector<rocksdb::ColumnFamilyHandle*>& families,
                       const char* what) {
  std::vector<rocksdb::Iterator*> made;
  if (!Ok("iterators of all families", what, db->NewIterators(Reading(), families, &made))) return;
  int64_t sum = 0;
  Status read;
  for (rocksdb::Iterator* const it : made) {
    for (it->Seek("account/"); it->Valid() && it->key().starts_with("account/"); it->Next()) {
      sum += std::strtoll(it->value().ToString().c_str(), nullptr, 10);
    }
    if (read.ok()) read = it->status();
  }
  ++world_->history().counts.reads;
  if (Ok("sum of all families", what, read) && sum != World::kSum) {
    world_->history().Violation("client " + std::to_string(id_) + ": " + what +
                                " shows accounts of " + std::to_string(sum) + " in all, expected " +
                                std::to_string(World::kSum) + ": a batch was seen in part");
  }
  if (!plan_.without_log && !world_->db()->GetDBOptions().manual_wal_flush) {
    const size_t own = static_cast<size_t>(place()) % families.size();
    Walk(made[own], ledger_.state(), what);
  }
  for (rocksdb::Iterator* const it : made) delete it;
}

// A copy of the whole shows what was there, all of it and nothing in part.
void Client::LookAtCheckpoint() {
  if (number_ % 2 == 0) return BackUp();
  rocksdb::Checkpoint* made = nullptr;
  if (!Ok("checkpoint", "", rocksdb::Checkpoint::Create(world_->db(), &made))) return;
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  const std::string path = "/checkpoint of " + prefix_.substr(0, 3) + "-" + std::to_string(number_);
  const Status s =
      checkpoint->CreateCheckpoint(path, random_.OneIn(2) || plan_.without_log ? 0 : UINT64_MAX);
  if (!Ok("make a checkpoint", path, s)) return;
  LookAtCopy(path, /*own_logs=*/false, &ledger_.state(), "a checkpoint");
}

void Client::LookAtCopy(const std::string& path, bool own_logs, const State* state,
                        std::string_view what) {
  const std::string name(what);
  std::unique_ptr<rocksdb::DB> copy;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  // What writes replays logs, and deletes what it does not need: its own, and none of its source's.
  const bool writes = random_.OneIn(3);
  if (Ok("open " + name, path, world_->OpenCopy(path, own_logs, !writes, &copy, &families))) {
    std::vector<rocksdb::Iterator*> made_iterators;
    int64_t sum = 0;
    // (Behind these are families that somebody has imported, with accounts of their own.)
    const std::vector<rocksdb::ColumnFamilyHandle*> own(
        families.begin(),
        families.begin() + static_cast<std::ptrdiff_t>(world_->families().size()));
    Status read = copy->NewIterators(Reading(), own, &made_iterators);
    for (rocksdb::Iterator* const it : made_iterators) {
      for (it->Seek("account/"); it->Valid() && it->key().starts_with("account/"); it->Next()) {
        sum += std::strtoll(it->value().ToString().c_str(), nullptr, 10);
      }
      if (read.ok()) read = it->status();
    }
    ++world_->history().counts.reads;
    if (Ok("read " + name, path, read)) {
      if (sum != World::kSum) {
        world_->history().Violation("client " + std::to_string(id_) + ": " + name +
                                    " has accounts of " + std::to_string(sum) +
                                    " in all, expected " + std::to_string(World::kSum));
      }
      if (state != nullptr) {
        Walk(made_iterators[static_cast<size_t>(place()) % own.size()], *state, what);
      }
    }
    for (rocksdb::Iterator* const it : made_iterators) delete it;
    for (rocksdb::ColumnFamilyHandle* const family : families) delete family;
  }
  copy.reset();
  rocksdb::Options options;
  options.env = world_->db()->GetEnv();
  Ok("remove " + name, path, rocksdb::DestroyDB(path, options));
}

// The updates since some moment come in the order of their numbers.
void Client::FollowUpdates() {
  rocksdb::DB* const db = world_->db();
  const uint64_t since = 1 + random_.Uniform(db->GetLatestSequenceNumber());
  std::unique_ptr<rocksdb::TransactionLogIterator> it;
  const Status s = db->GetUpdatesSince(since, &it);
  // The log has moved on meanwhile, or one that was listed has left before it was opened.
  if (s.IsNotFound() || s.IsTryAgain() || s.IsIOError()) return;
  if (!Ok("updates", std::to_string(since), s)) return;
  uint64_t next = 0;
  for (int i = 0; i < 20 && it->Valid(); ++i, it->Next()) {
    const rocksdb::BatchResult batch = it->GetBatch();
    if (batch.sequence < next) {
      world_->history().Violation("client " + std::to_string(id_) + ": updates since " +
                                  std::to_string(since) + " go from " + std::to_string(next) +
                                  " back to " + std::to_string(batch.sequence));
      return;
    }
    next = batch.sequence + batch.writeBatchPtr->Count();
  }
  ++world_->history().counts.reads;
  world_->history().Note(id_, "updates", std::to_string(since), std::to_string(next));
}

// What only looks, or hints.
void Client::LookAround() {
  rocksdb::DB* const db = world_->db();
  rocksdb::ColumnFamilyHandle* const family = world_->family_of(*this);
  const std::string from = DrawKey(), to = DrawKey();
  const rocksdb::Slice lower(std::min(from, to)), upper(std::max(from, to));
  const rocksdb::Range range(lower, upper);
  rocksdb::SizeApproximationOptions how;
  how.include_memtables = random_.OneIn(2);
  uint64_t size = 0;
  Ok("sizes", from, db->GetApproximateSizes(how, family, &range, 1, &size));
  std::string stats;
  if (!db->GetProperty(family, "rocksdb.stats", &stats)) {
    world_->history().Violation("no rocksdb.stats");
  }
  Ok("suggest", from, rocksdb::experimental::SuggestCompactRange(db, family, &lower, &upper));
  if (random_.OneIn(3)) {
    db->DisableManualCompaction();
    fiber::sleep_for(random_.Uniform(kMostPauseNanos));
    db->EnableManualCompaction();
  }
}

void Client::FlushAll() {
  const uint64_t begin = fiber::now_nanos();
  rocksdb::FlushOptions options;
  options.allow_write_stall = random_.OneIn(2);
  const Status s = world_->db()->Flush(options, world_->families());
  ++world_->history().counts.flushes;
  if (Ok("flush", "", s)) world_->NoteDurable(begin, /*memtables=*/true);
}

void Client::CompactRange() {
  if (!world_->has_compactions()) return GetOne();
  rocksdb::DB* const db = world_->db();
  rocksdb::CompactRangeOptions options;
  options.exclusive_manual_compaction = random_.OneIn(2);
  if (random_.OneIn(3)) {
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  }
  options.change_level =
      random_.OneIn(6) &&
      db->GetOptions(world_->family_of(*this)).compaction_style == rocksdb::kCompactionStyleLevel;
  const std::string from = DrawKey(), to = DrawKey();
  const rocksdb::Slice lower(std::min(from, to)), upper(std::max(from, to));
  const bool all = random_.OneIn(2);
  ++world_->history().counts.compactions;
  if (world_->plan().first_tables_bytes) {
    options.target_path_id = static_cast<uint32_t>(random_.Uniform(std::size(kTables)));
  }
  const Status s = db->CompactRange(options, world_->family_of(*this), all ? nullptr : &lower,
                                    all ? nullptr : &upper);
  // Another one may keep it from running.
  if (!s.IsIncomplete()) Ok("compact", all ? "" : from, s);
}

void Client::FlushLog() {
  const uint64_t begin = fiber::now_nanos();
  const Status s = world_->db()->FlushWAL(/*sync=*/true);
  if (Ok("flush and sync the log", "", s)) world_->NoteDurable(begin, /*memtables=*/false);
}

void Client::SyncLog() {
  const uint64_t begin = fiber::now_nanos();
  const Status s = world_->db()->SyncWAL();
  // Not with manual_wal_flush, as in RocksDB.
  if (!s.IsNotSupported() && Ok("sync the log", "", s)) {
    world_->NoteDurable(begin, /*memtables=*/false);
  }
}

void Client::PauseJobs() {
  Ok("pause", "", world_->db()->PauseBackgroundWork());
  fiber::sleep_for(random_.Uniform(kMostPauseNanos));
  Ok("continue", "", world_->db()->ContinueBackgroundWork());
}

void Client::VerifyOrWait() {
  rocksdb::DB* const db = world_->db();
  if (random_.OneIn(2)) {
    Ok("verify", "", db->VerifyChecksum());
    return;
  }
  rocksdb::WaitForCompactOptions options;
  options.flush = random_.OneIn(2);
  options.abort_on_pause = random_.OneIn(2);
  options.timeout = std::chrono::microseconds(random_.Uniform(200'000) + 1);
  const Status s = db->WaitForCompact(options);
  if (!s.IsTimedOut() && !s.IsAborted()) Ok("wait for compactions", "", s);
}

void Client::ChangeOptions() {
  rocksdb::DB* const db = world_->db();
  Status s = db->SetOptions(
      world_->family_of(*this),
      {{"level0_file_num_compaction_trigger", std::to_string(1 + random_.Uniform(5))},
       {"write_buffer_size", std::to_string((64 + random_.Uniform(64)) << 10)}});
  Ok("set options", "", s);
  s = db->SetDBOptions({{"max_background_jobs", std::to_string(1 + random_.Uniform(4))},
                        {"max_total_wal_size", std::to_string(random_.Uniform(4) * (100 << 10))}});
  Ok("set options of all", "", s);
}

void Client::Administer() {
  static constexpr struct {
    uint64_t weight;
    void (Client::*act)();
  } kActs[] = {
      {2, &Client::FlushAll},         {1, &Client::CompactRange},    {1, &Client::FlushLog},
      {1, &Client::SyncLog},          {1, &Client::PauseJobs},       {1, &Client::ComeAndGo},
      {2, &Client::Ingest},           {2, &Client::CompactSome},     {2, &Client::Follow},
      {2, &Client::LookAtSecondary},  {1, &Client::LookAsReader},    {1, &Client::VerifyOrWait},
      {1, &Client::LookAtCheckpoint}, {1, &Client::FollowUpdates},   {2, &Client::LookAround},
      {1, &Client::ChangeOptions},    {1, &Client::ExportAndImport},
  };
  static constexpr uint64_t kWeights = [] {
    uint64_t sum = 0;
    for (const auto& one : kActs) sum += one.weight;
    return sum;
  }();
  uint64_t drawn = random_.Uniform(kWeights);
  for (const auto& one : kActs) {
    if (drawn < one.weight) return (this->*one.act)();
    drawn -= one.weight;
  }
}

}  // namespace cairn::sim
