#include "sim/world.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <utility>

#include "base/random.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "fs/file_util.h"
#include "rocksdb/cache.h"
#include "rocksdb/convenience.h"
#include "rocksdb/iterator.h"
#include "rocksdb/metadata.h"
#include "rocksdb/utilities/options_util.h"
#include "sim/entity.h"
#include "sim/life_options.h"
#include "sim/remote_service.h"

namespace cairn::sim {

using rocksdb::DB;
using rocksdb::Status;

namespace {

constexpr uint64_t kUntilFaultsAreToldNanos = 30'000'000'000;
constexpr uint64_t kUntilHealedNanos = 60'000'000'000;
constexpr uint64_t kLookNanos = 2'000'000;
constexpr std::chrono::microseconds kMostUntilSettled(10'000'000);
constexpr size_t kIdleCacheBytes = 0;  // pinned in a cache that nobody uses

}  // namespace

std::string World::AccountKey(uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof(text), "account/%02d", static_cast<int>(number));
  return text;
}

World::World(const Plan& plan, History* history) : Machine(plan, history) {
  for (size_t i = 0; i < plan.clients.size(); ++i) {
    clients_.push_back(std::make_unique<Client>(this, static_cast<int>(i), plan.clients[i]));
  }
}

rocksdb::FlushOptions World::FlushWithoutWaiting() {
  rocksdb::FlushOptions options;
  options.wait = false;
  options.allow_write_stall = true;
  return options;
}

bool World::errors_are_allowed() const {
  return power_is_off_ || disk_->failures() != failures_before_;
}

bool World::errors_are_allowed_after_resume() const {
  return power_is_off_ || disk_->failures() != failures_at_resume_;
}

void World::NoteDurable(uint64_t begin, bool memtables) {
  log_durable_ = std::max(log_durable_, begin);
  if (memtables) memtables_durable_ = std::max(memtables_durable_, begin);
  NotePromise();
}

void World::Play() {
  for (size_t i = 0; i < plan_.lives.size() && !history_->violated(); ++i) {
    PlayLife(i, plan_.lives[i]);
  }
  // What the last life left.
  if (!history_->violated() && !plan_.lives.empty() &&
      plan_.lives.back().ending != Ending::kDamage) {
    LifePlan last = plan_.lives.back();
    if (Open(last)) {
      for (const auto& client : clients_) client->ledger().Restart(client->ledger().state());
      const Status s = Close();
      if (!s.ok()) history_->Violation("the last Close: " + s.ToString());
    }
    Abandon();
  }
  history_->counts.faults = disk_->failures();
}

rocksdb::Options World::OptionsOf(const LifePlan& life) {
  rocksdb::Options options = OptionsOfLife(plan_, life, env_.get(), begins_life_, &cache_);
  if (HasService(life)) {
    options.compaction_service =
        std::make_shared<RemoteService>(life.seed, remote_services_++, options);
  }
  if (compactions_ != nullptr) options.listeners.push_back(compactions_);
  return options;
}

Status World::TryOpen(const std::string& path, const LifePlan& life, bool read_only,
                      std::unique_ptr<DB>* db, std::vector<rocksdb::ColumnFamilyHandle*>* handles) {
  return TryOpen(path, OptionsOf(life), read_only, db, handles);
}

Status World::OpenCopy(const std::string& path, bool own_logs, bool read_only,
                       std::unique_ptr<DB>* db,
                       std::vector<rocksdb::ColumnFamilyHandle*>* handles) {
  rocksdb::ConfigOptions config;
  config.env = env_.get();
  rocksdb::DBOptions own;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  const Status s = rocksdb::LoadLatestOptions(config, path, &own, &families);
  if (!s.ok()) return s;
  rocksdb::Options options = OptionsOf(*life_);
  options.wal_dir = own_logs ? "" : own.wal_dir;
  options.db_paths.clear();
  options.cf_paths.clear();
  options.listeners.clear();  // of the database itself
  return TryOpen(path, options, read_only, db, handles);
}

Status World::TryOpen(const std::string& path, const rocksdb::Options& options, bool read_only,
                      std::unique_ptr<DB>* db, std::vector<rocksdb::ColumnFamilyHandle*>* handles) {
  std::vector<std::string> names;
  for (int i = 0; i < plan_.families; ++i) names.push_back(FamilyName(i));
  // (No list: there is no database yet, or the opening will say what is wrong with it.)
  std::vector<std::string> existing;
  DB::ListColumnFamilies(options, path, &existing).PermitUncheckedError();
  for (const std::string& name : existing) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (const std::string& name : names) families.emplace_back(name, options);
  return read_only ? DB::OpenForReadOnly(options, path, families, handles, db)
                   : DB::Open(options, path, families, handles, db);
}

Status World::OpenSecondary(const std::string& path, std::unique_ptr<DB>* db,
                            std::vector<rocksdb::ColumnFamilyHandle*>* handles) {
  rocksdb::Options options = OptionsOf(*life_);
  options.max_open_files = -1;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (auto* const handle : families_) families.emplace_back(handle->GetName(), options);
  return DB::OpenAsSecondary(options, kPath, path, families, handles, db);
}

Status World::OpenReader(std::unique_ptr<DB>* db,
                         std::vector<rocksdb::ColumnFamilyHandle*>* handles) {
  rocksdb::Options options = OptionsOf(*life_);
  options.max_open_files = -1;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (auto* const handle : families_) families.emplace_back(handle->GetName(), options);
  return DB::OpenForReadOnly(options, kPath, families, handles, db);
}

bool World::Open(const LifePlan& life) {
  const Status s = TryOpen(kPath, life, /*read_only=*/false, &db_, &families_);
  history_->Note(-1, "opens", "", s.ToString());
  if (!s.ok()) {
    if (!power_is_off_) history_->Violation("Open: " + s.ToString());
    return false;
  }
  DropExtraFamilies();
  return true;
}

void World::CheckImport(rocksdb::ColumnFamilyHandle* family) {
  const auto expected = imports_.find(family->GetName());
  if (expected == imports_.end()) return;
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(options, family));
  std::string difference;
  const Status s = expected->second.Check(it.get(), &difference);
  if (s.IsCorruption()) difference = s.ToString();
  if (!difference.empty()) {
    history_->Violation("after an opening the " + family->GetName() + " " + difference);
  }
}

void World::DropExtraFamilies() {
  while (families_.size() > static_cast<size_t>(plan_.families)) {
    CheckImport(families_.back());
    const Status s = db_->DropColumnFamily(families_.back());
    if (!s.ok() && !power_is_off_) history_->Violation("dropping a family: " + s.ToString());
    delete families_.back();
    families_.pop_back();
  }
}

Status World::Close() {
  for (rocksdb::ColumnFamilyHandle* handle : families_) delete handle;
  families_.clear();
  const Status s = db_->Close();
  // Whatever it pinned it has let go.
  if (const size_t pinned = s.ok() ? cache_->GetPinnedUsage() : 0; pinned > kIdleCacheBytes) {
    history_->Violation(std::to_string(pinned) + " bytes of the cache are pinned after a close");
  }
  return s;
}

void World::Abandon() {
  for (rocksdb::ColumnFamilyHandle* handle : families_) delete handle;
  families_.clear();
  db_.reset();
}

// The accounts, once.
void World::Found() {
  std::string value;
  if (db_->Get(rocksdb::ReadOptions(), family_of_account(0), AccountKey(0), &value).ok()) return;
  rocksdb::WriteBatch batch;
  for (uint64_t i = 0; i < kAccounts; ++i) {
    batch.Put(family_of_account(i), AccountKey(i), "1000").PermitUncheckedError();
  }
  rocksdb::WriteOptions options;
  options.sync = true;
  const Status s = db_->Write(options, &batch);
  if (!s.ok()) history_->Violation("the first write: " + s.ToString());
}

// Opens the database and has the clients play. False: it cannot be opened.
bool World::BeginLife(size_t number, const LifePlan& life) {
  history_->Note(-1, "begins life", std::to_string(number), "");
  failures_before_ = disk_->failures();
  power_is_off_ = false;
  over_ = false;
  life_ = &life;
  logs_before_.clear();
  if (plan_.kind == Plan::Kind::kRepairs) {
    compactions_ = std::make_shared<CompactionCounter>();
    logs_before_ = LogNames();
  }
  // The first one has nothing to lose before it is founded.
  if (number != 0) CutPowerAfterChanges(life.cut_at_change);
  begins_life_ = true;
  const bool is_open = Open(life);
  begins_life_ = false;
  if (!is_open && !power_is_off_) return false;
  if (number == 0) {
    Found();
    CutPowerAfterChanges(life.cut_at_change);
  }
  log_durable_ = memtables_durable_ = 0;
  promises_left_ = life.ending == Ending::kPowerCut ? life.cut_at_promise : 0;
  for (const auto& client : clients_) client->RestartVersions();
  if (is_open) PlayClients(life);
  return true;
}

// Closes the database, and what its ending asks for beside. False: there is nothing to recover.
bool World::EndWithClose(const LifePlan& life, Kept* kept) {
  ++history_->counts.clean_restarts;
  const bool repairs = life.repair && life.ending == Ending::kClose && !errors_are_allowed();
  std::map<std::string, std::string> logs;
  if (repairs && compactions_ != nullptr) logs = LogsSince(logs_before_);
  const bool without_manifest = repairs && DoWithoutManifest(life);
  if (history_->violated()) return false;
  const Status s = Close();
  history_->Note(-1, "closes", "", s.ToString());
  if (!s.ok() && !errors_are_allowed()) history_->Violation("Close: " + s.ToString());
  db_.reset();
  // What the log's buffer holds may be lost where it could not be written.
  kept->all = s.ok() || !life.options.manual_wal_flush;
  // Nor is there a flush at the end where a background error stands.
  kept->all_unlogged = s.ok() && !errors_are_allowed() && !life.options.avoid_flush_during_shutdown;
  if (s.ok() && !errors_are_allowed()) CheckForLeaks(life);
  if (life.ending == Ending::kDamage) {
    PlayDamage(life);
    return false;
  }
  if (compactions_ != nullptr && compactions_->count() != 0) logs.clear();
  if (repairs && s.ok() && kept->all_unlogged) BringBack(logs);
  if (repairs && s.ok() && !history_->violated()) PlayRepair(life, without_manifest);
  return !history_->violated();
}

// False: it cannot be opened.
bool World::Recover(const LifePlan& life, Kept* kept) {
  failures_before_ = disk_->failures();
  const auto lose_power = [&](uint64_t seed) {
    LosePower(life, seed);
    *kept = Kept();
  };
  return Reopen(life, [&] { return Open(life); }, lose_power);
}

void World::PlayLife(size_t number, const LifePlan& life) {
  if (!BeginLife(number, life)) return;
  CutPowerAfterChanges(0);
  if (history_->violated()) {
    EndLife();
    return;
  }
  if (!power_is_off_ && life.settle && !errors_are_allowed()) Settle();
  if (!power_is_off_) {
    // What is still in memory only may go with the close, so the ledgers stay as they are.
    Verify({.all = true, .all_unlogged = true}, /*restart=*/false);
    CheckLevels();
  }
  EndLife();
  if (history_->violated()) return;
  Kept kept;
  if (power_is_off_) {
    LosePower(life, life.seed);
  } else if (!EndWithClose(life, &kept)) {
    return;
  }
  if (!Recover(life, &kept)) return;
  Verify(kept, /*restart=*/true);
  CheckLevels();
  for (const auto& client : clients_) client->EndLife();
  const Status s = Close();
  if (!s.ok()) history_->Violation("Close after recovery: " + s.ToString());
  db_.reset();
}

// After a power cut: the database goes, and with it what the disk does not hold.
void World::LosePower(const LifePlan& life, uint64_t seed) {
  Abandon();
  DropUnsynced(life, seed);
}

void World::PlayClients(const LifePlan& life) {
  healed_ = life.fault_at_nanos == 0;
  resumed_ = false;
  bool faulty = false;
  RunClients(life, clients_, [&](uint64_t passed) {
    if (!faulty && !healed_ && passed >= life.fault_at_nanos) {
      if (life.flush_at_fault) BeginFlushes(life);
      disk_->FailReads(life.fail_reads);
      disk_->FailWrites(life.fail_writes);
      disk_->FailForShortage(life.shortage);
      disk_->Fill(life.fill);
      disk_->SpareLogs(life.spare_logs);
      faulty = true;
      history_->Note(-1, "the disk begins to fail", "", "");
    }
    if (faulty && passed >= life.fault_at_nanos + life.fault_nanos) {
      disk_->FailReads(0);
      disk_->FailWrites(0);
      disk_->Fill(false);
      faulty = false;
      history_->Note(-1, "the disk is well again", "", "");
      if (life.shortage) resumed_ = AwaitHealing();
      if (life.resume) {
        // What met the fault says so first: a Resume() before that has nothing to mend.
        // (After an error Resume() itself waits for what is under way.)
        const bool told = AwaitFaults(/*one_is_enough=*/true);
        Status s = db_->Resume();
        history_->Note(-1, "resumes", "", s.ToString());
        if (!s.ok() && told && !s.IsCorruption() && !power_is_off_) {
          // It may have met what was under way when the disk became well: now nothing is.
          s = db_->Resume();
          history_->Note(-1, "resumes again", "", s.ToString());
          if (!s.ok() && !s.IsCorruption() && !power_is_off_) {
            history_->Violation("Resume on a disk that is well: " + s.ToString());
          }
        }
        resumed_ = s.ok() && told;
        failures_at_resume_ = disk_->failures();
      }
      // A write that reads a table may tell of the fault long after it met it, and what cannot be
      // inserted is an error of the database (seed 188266149).
      if (life.options.max_successive_merges != 0) resumed_ = false;
      healed_ = true;
      if (life.ending == Ending::kPowerCut && life.cut_at_promise_after_fault != 0) {
        promises_left_ = life.cut_at_promise_after_fault;
      }
    }
  });
  disk_->FailReads(0);
  disk_->FailWrites(0);
  disk_->Fill(false);
}

// Then memtables are immutable, and those after them empty, when the log can no longer be written.
void World::BeginFlushes(const LifePlan& life) {
  for (size_t i = 0; i < families_.size(); ++i) {
    if (families_.size() > 1 && i == life.seed % families_.size()) continue;
    const Status s = db_->Flush(FlushWithoutWaiting(), families_[i]);
    history_->Note(-1, "flushes", families_[i]->GetName(), s.ToString());
  }
}

// Level 0 is empty then, where compactions begin with one file of it. (With files that are soon
// too old there is always something to compact.)
void World::Settle() {
  rocksdb::WaitForCompactOptions options;
  options.flush = true;
  options.timeout = kMostUntilSettled;
  const Status s = db_->WaitForCompact(options);
  history_->Note(-1, "settles", "", s.ToString());
  if (!s.ok() && !s.IsTimedOut() && !errors_are_allowed()) {
    history_->Violation("WaitForCompact: " + s.ToString());
  }
}

bool World::AwaitFaults(bool one_is_enough) {
  const uint64_t start = fiber::now_nanos();
  while (fiber::now_nanos() - start < kUntilFaultsAreToldNanos) {
    uint64_t flushes = 0;
    uint64_t compactions = 0;
    uint64_t errors = 0;
    db_->GetIntProperty("rocksdb.num-running-flushes", &flushes);
    db_->GetIntProperty("rocksdb.num-running-compactions", &compactions);
    db_->GetIntProperty("rocksdb.background-errors", &errors);
    if (flushes + compactions == 0 || (one_is_enough && errors != 0)) return true;
    fiber::sleep_for(kLookNanos);
  }
  return false;
}

bool World::AwaitHealing() {
  // Another one may say so long after the database went on (seed 246433369).
  const bool told = AwaitFaults(/*one_is_enough=*/false);
  const uint64_t start = fiber::now_nanos();
  rocksdb::WriteOptions options;
  options.sync = true;
  Status s;
  do {
    rocksdb::WriteBatch nothing;
    s = db_->Write(options, &nothing);
    if (s.ok() || power_is_off_ || s.IsCorruption()) break;
    fiber::sleep_for(kLookNanos);
  } while (fiber::now_nanos() - start < kUntilHealedNanos);
  history_->Note(-1, "goes on by itself", "", s.ToString());
  if (!s.ok() && !power_is_off_ && !s.IsCorruption()) {
    history_->Violation("the shortage is over, and the database does not go on: " + s.ToString());
  }
  failures_at_resume_ = disk_->failures();
  return s.ok() && told;
}

void World::EndLife() {
  for (const auto& client : clients_) client->EndLife();
}

bool World::ReadAll(State* found) {
  for (rocksdb::ColumnFamilyHandle* family : families_) {
    if (!ReadFamily(family, found)) return false;
  }
  return true;
}

bool World::ReadFamily(rocksdb::ColumnFamilyHandle* family, State* found) {
  rocksdb::ReadOptions all;
  all.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(all, family));
  std::string before;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    std::string key = it->key().ToString();
    if (!before.empty() && key <= before) {
      history_->Violation(
          std::string("an iterator goes from ").append(before).append(" to ").append(key));
      return false;
    }
    if (!found->emplace(key, TextOf(it->columns())).second) {
      history_->Violation(key + " is in two column families");
      return false;
    }
    before = std::move(key);
  }
  if (!it->status().ok()) {
    history_->Violation("reading all: " + it->status().ToString());
    return false;
  }
  return true;
}

void World::Verify(const Kept& kept, bool restart) {
  State found;
  if (!ReadAll(&found)) return;
  int64_t sum = 0;
  int accounts = 0;
  std::map<std::string, State> states;
  for (const auto& [key, value] : found) {
    if (key.rfind("account/", 0) == 0) {
      sum += std::strtoll(value.c_str(), nullptr, 10);
      ++accounts;
    } else {
      states[key.substr(0, key.find('/') + 1)][key] = value;
    }
  }
  if (accounts != kAccounts || sum != kSum) {
    history_->Violation("after a restart: " + std::to_string(accounts) + " accounts with " +
                        std::to_string(sum) + " in all, expected " + std::to_string(kSum));
    return;
  }
  // The log is one: a write that came through brings with it all that were acknowledged before it
  // began.
  uint64_t came_through = log_durable_;
  std::vector<std::pair<Client*, Ledger::Fit>> fits;
  for (const auto& client : clients_) {
    Ledger& ledger = client->ledger();
    const bool unlogged = client->plan().without_log;
    const size_t least = (unlogged ? kept.all_unlogged : kept.all)
                             ? ledger.AllAcknowledged()
                             : ledger.Durable(unlogged ? memtables_durable_ : log_durable_);
    Ledger::Fit fit;
    std::string difference;
    const State& state = states[client->prefix()];
    if (!ledger.FitTo(state, least, &fit, &difference)) {
      history_->Violation("client " + std::to_string(client->id()) +
                          ": its keys are as after none of its writes: " + difference);
      return;
    }
    history_->Note(client->id(), "has", "",
                   std::to_string(fit.most) + " of " + std::to_string(ledger.writes().size()));
    if (!unlogged && fit.least > 0) {
      came_through = std::max(came_through, ledger.writes()[fit.least - 1].begin);
    }
    if (!unlogged) fits.emplace_back(client.get(), fit);
  }
  for (const auto& [client, fit] : fits) {
    const auto& writes = client->ledger().writes();
    if (fit.most < writes.size() && writes[fit.most].end != 0 &&
        writes[fit.most].end < came_through) {
      history_->Violation("client " + std::to_string(client->id()) + ": write " +
                          std::to_string(fit.most) +
                          " is lost, which was acknowledged before one began that is there");
      return;
    }
  }
  if (!restart) return;
  for (const auto& client : clients_) client->ledger().Restart(states[client->prefix()]);
}

void World::CheckLevels() {
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  std::map<std::pair<std::string, int>, std::map<std::string, std::string>> levels;
  std::map<std::string, std::vector<const rocksdb::LiveFileMetaData*>> level0;
  for (const rocksdb::LiveFileMetaData& file : files) {
    if (file.smallestkey > file.largestkey) {
      history_->Violation("table " + file.name + " ends before it begins");
    }
    if (file.level == 0) {
      level0[file.column_family_name].push_back(&file);
    } else {
      levels[{file.column_family_name, file.level}][file.smallestkey] = file.largestkey;
    }
  }
  for (const auto& [family, tables] : level0) CheckLevel0(family, tables);
  for (const auto& [level, tables] : levels) {
    const std::string* end = nullptr;
    for (const auto& [smallest, largest] : tables) {
      // (They may touch: where a table ends with a range tombstone its last key lies outside.)
      if (end != nullptr && smallest < *end) {
        history_->Violation("level " + std::to_string(level.second) + " of " + level.first +
                            " has two tables with " + smallest);
      }
      end = &largest;
    }
  }
}

// RocksDB before 7.10 goes by sequence numbers: of two tables the newer one has the larger largest
// number, and must have the larger smallest one, too, unless the older one has a single number, as
// a file from outside. (It looks at neighbours. But a compaction can take away what lies between
// two others.)
void World::CheckLevel0(const std::string& family,
                        std::vector<const rocksdb::LiveFileMetaData*> tables) {
  std::sort(tables.begin(), tables.end(), [](const auto* a, const auto* b) {
    return std::make_pair(a->largest_seqno, a->smallest_seqno) >
           std::make_pair(b->largest_seqno, b->smallest_seqno);
  });
  size_t least = 0;  // which one has the smallest number of those before
  for (size_t i = 1; i < tables.size(); ++i) {
    const rocksdb::LiveFileMetaData& older = *tables[i];
    const bool single = older.smallest_seqno == older.largest_seqno;
    if (tables[i - 1]->smallest_seqno < tables[least]->smallest_seqno) least = i - 1;
    const rocksdb::LiveFileMetaData& newer = *tables[single ? i - 1 : least];
    const bool in_order = single ? older.smallest_seqno < newer.largest_seqno
                                 : older.smallest_seqno < newer.smallest_seqno;
    if (!in_order && older.largest_seqno != 0) {
      history_->Violation("level 0 of " + family + ": RocksDB 7.9 cannot order " + newer.name +
                          " [" + std::to_string(newer.smallest_seqno) + ", " +
                          std::to_string(newer.largest_seqno) + "] and " + older.name + " [" +
                          std::to_string(older.smallest_seqno) + ", " +
                          std::to_string(older.largest_seqno) + "]");
    }
  }
}

void World::CheckForLeaks(const LifePlan& life) {
  std::unique_ptr<DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  const Status s = TryOpen(kPath, life, /*read_only=*/true, &db, &handles);
  if (!s.ok()) {
    history_->Violation("OpenForReadOnly: " + s.ToString());
    return;
  }
  for (rocksdb::ColumnFamilyHandle* handle : handles) delete handle;
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  std::set<std::string> live;
  for (const rocksdb::LiveFileMetaData& file : files) {
    live.insert(file.name[0] == '/' ? file.name.substr(1) : file.name);
  }
  std::vector<std::string> children;
  const IOStatus listed = memory_->GetChildren(kPath, IOOptions(), &children, nullptr);
  if (!listed.ok()) history_->Violation("listing the directory: " + listed.ToString());
  if (plan_.first_tables_bytes) {
    for (const char* const path : kTables) {
      std::vector<std::string> tables;
      memory_->GetChildren(path, IOOptions(), &tables, nullptr).PermitUncheckedError();
      children.insert(children.end(), tables.begin(), tables.end());
    }
  }
  int manifests = 0;
  for (const std::string& child : children) {
    if (child.ends_with(".sst") && !live.contains(child)) {
      history_->Violation("table " + child + " belongs to nobody and is not deleted");
    }
    if (child.ends_with(".dbtmp")) history_->Violation(child + " is not deleted");
    manifests += child.starts_with("MANIFEST-");
  }
  if (manifests != 1) {
    history_->Violation("there are " + std::to_string(manifests) + " MANIFESTs after a close");
  }
}

bool World::DoWithoutManifest(const LifePlan& life) {
  // Logs that wait to be recycled are not needed, but only the MANIFEST says so.
  if (life.options.recycle_log_file_num != 0) return false;
  // (What is only in the log has no family without it.)
  const Status s = db_->Flush(rocksdb::FlushOptions(), families_);
  if (!s.ok()) {
    history_->Violation("the flush before a close: " + s.ToString());
    return false;
  }
  for (rocksdb::ColumnFamilyHandle* const family : families_) {
    rocksdb::TablePropertiesCollection tables;
    db_->GetPropertiesOfAllTables(family, &tables).PermitUncheckedError();
    for (const auto& [name, properties] : tables) {
      // One that was ingested does not say which sequence number it got.
      if (properties->user_collected_properties.contains("rocksdb.external_sst_file.version")) {
        return false;
      }
    }
  }
  return true;
}

std::vector<std::string> World::Children() const {
  std::vector<std::string> children;
  // (There may be no directory yet.)
  memory_->GetChildren(kPath, IOOptions(), &children, nullptr).PermitUncheckedError();
  return children;
}

std::set<std::string> World::LogNames() const {
  std::vector<std::string> names = Children();
  std::erase_if(names, [](const std::string& name) { return !name.ends_with(".log"); });
  return {names.begin(), names.end()};
}

std::map<std::string, std::string> World::LogsSince(const std::set<std::string>& before) const {
  std::map<std::string, std::string> logs;
  for (const std::string& name : LogNames()) {
    if (before.contains(name)) continue;
    // (One that is deleted meanwhile does not come back.)
    std::string bytes;
    const std::string path = std::string(kPath) + "/" + name;
    if (ReadFileToString(memory_.get(), path, &bytes).ok()) logs[name] = bytes;
  }
  return logs;
}

void World::BringBack(const std::map<std::string, std::string>& logs) {
  const std::set<std::string> there = LogNames();
  for (const auto& [name, bytes] : logs) {
    if (there.contains(name)) continue;
    const IOStatus s = WriteStringToFile(memory_.get(), bytes, std::string(kPath) + "/" + name);
    history_->Note(-1, "log is there again", name, s.ToString());
  }
}

// CURRENT or the MANIFEST is lost or damaged; after a repair all is there.
void World::PlayRepair(const LifePlan& life, bool without_manifest) {
  Random64 random(life.seed);
  std::vector<std::string> children = Children();
  const auto found = std::find_if(children.begin(), children.end(), [](const std::string& name) {
    return name.rfind("MANIFEST-", 0) == 0;
  });
  if (found == children.end()) return;
  const std::string current = std::string(kPath) + "/CURRENT";
  const std::string manifest = std::string(kPath) + "/" + *found;
  std::string bytes;
  IOStatus done = ReadFileToString(memory_.get(), manifest, &bytes);
  const bool lost =
      without_manifest && (plan_.kind == Plan::Kind::kRepairs ? !random.OneIn(6) : random.OneIn(2));
  const uint64_t how = random.Uniform(3) + (lost ? 3 : 0);
  switch (how) {
    case 0:
      done = memory_->DeleteFile(current, IOOptions(), nullptr);
      break;
    case 1:
      done = WriteStringToFile(memory_.get(), "MANIFEST-", current);
      break;
    case 2:  // it is sound
      break;
    case 3:
      done = memory_->DeleteFile(manifest, IOOptions(), nullptr);
      break;
    case 4:
      bytes.resize(random.Uniform(bytes.size()));
      done = WriteStringToFile(memory_.get(), bytes, manifest);
      break;
    default:
      done = memory_->CorruptFile(manifest, random.Uniform(bytes.size()), 1);
  }
  if (!done.ok()) history_->Violation("damaging " + manifest + ": " + done.ToString());
  const Status s = rocksdb::RepairDB(kPath, OptionsOf(life));
  ++history_->counts.repaired;
  history_->Note(-1, "repairs", std::to_string(how), s.ToString());
  if (!s.ok()) history_->Violation("RepairDB: " + s.ToString());
}

// A bit of one file flips at rest: an error, or what was there, or, if it was in the log, less of
// it (but for files that were ingested later). Never anything else.

}  // namespace cairn::sim
