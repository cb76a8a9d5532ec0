#include "sim/timestamp_world.h"

#include <algorithm>
#include <set>
#include <utility>

#include "fs/file_names.h"
#include "fs/file_reader.h"
#include "fs/file_util.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/utilities/options_util.h"
#include "rocksdb/write_batch.h"
#include "sim/life_options.h"
#include "wal/log_reader.h"

namespace cairn::sim {

using rocksdb::DB;
using rocksdb::Status;

namespace {

constexpr char kPath[] = "/db";
constexpr size_t kTimestampBytes = 8;

// The families that a batch changes.
class Families final : public rocksdb::WriteBatch::Handler {
 public:
  Status PutCF(uint32_t id, const rocksdb::Slice&, const rocksdb::Slice&) override {
    return Note(id);
  }
  Status DeleteCF(uint32_t id, const rocksdb::Slice&) override { return Note(id); }
  Status SingleDeleteCF(uint32_t id, const rocksdb::Slice&) override { return Note(id); }
  Status DeleteRangeCF(uint32_t id, const rocksdb::Slice&, const rocksdb::Slice&) override {
    return Note(id);
  }
  Status MergeCF(uint32_t id, const rocksdb::Slice&, const rocksdb::Slice&) override {
    return Note(id);
  }
  const std::set<uint32_t>& ids() const { return ids_; }

 private:
  Status Note(uint32_t id) {
    ids_.insert(id);
    return Status::OK();
  }

  std::set<uint32_t> ids_;
};

}  // namespace

TimestampWorld::TimestampWorld(const Plan& plan, History* history)
    : Machine(plan, history), lows_(static_cast<size_t>(plan.families)) {
  for (size_t i = 0; i < plan.clients.size(); ++i) {
    clients_.push_back(
        std::make_unique<TimestampClient>(this, static_cast<int>(i), plan.clients[i]));
  }
}

void TimestampWorld::Play() {
  for (size_t i = 0; i < plan_.lives.size() && !history_->violated(); ++i) {
    PlayLife(i, plan_.lives[i]);
  }
}

uint64_t TimestampWorld::NextTimestamp() {
  ++now_;
  if (!plan_.persists_timestamps) {
    for (Low& low : lows_) low.asked = now_ + 1;  // by any flush
  }
  return now_;
}

std::unique_lock<fiber::Mutex> TimestampWorld::KeepOrder() {
  return plan_.persists_timestamps ? std::unique_lock<fiber::Mutex>()
                                   : std::unique_lock<fiber::Mutex>(order_);
}

void TimestampWorld::NoteDurable(uint64_t begin) {
  durable_ = std::max(durable_, begin);
  NotePromise();
}

bool TimestampWorld::Open(const LifePlan& life, bool begins_life) {
  const rocksdb::Options options = OptionsOfLife(plan_, life, env_.get(), begins_life, &cache_);
  const Status s = DB::Open(options, kPath, FamiliesWith(options), &families_, &db_);
  history_->Note(-1, "opens", "", s.ToString());
  if (!s.ok() && !power_is_off_) history_->Violation("Open: " + s.ToString());
  return s.ok();
}

Status TimestampWorld::OpenCopy(const std::string& path, std::unique_ptr<DB>* db,
                                std::vector<rocksdb::ColumnFamilyHandle*>* families) {
  rocksdb::ConfigOptions config;
  config.env = env_.get();
  rocksdb::DBOptions own;
  std::vector<rocksdb::ColumnFamilyDescriptor> named;
  const Status s = rocksdb::LoadLatestOptions(config, path, &own, &named);
  if (!s.ok()) return s;
  rocksdb::Options options = OptionsOfLife(plan_, *life_, env_.get(), false, &cache_);
  options.wal_dir = own.wal_dir;
  options.db_paths.clear();
  options.cf_paths.clear();
  return DB::OpenForReadOnly(options, path, FamiliesWith(options), families, db);
}

Status TimestampWorld::OpenReader(std::unique_ptr<DB>* db,
                                  std::vector<rocksdb::ColumnFamilyHandle*>* families) {
  rocksdb::Options options = OptionsOfLife(plan_, *life_, env_.get(), false, &cache_);
  options.max_open_files = -1;
  return DB::OpenForReadOnly(options, kPath, FamiliesWith(options), families, db);
}

void TimestampWorld::CheckLows(DB* db, const std::vector<rocksdb::ColumnFamilyHandle*>& families,
                               const std::vector<Low>& before, std::string_view what) {
  for (size_t i = 0; i < families.size(); ++i) {
    std::string text;
    uint64_t low = 0;
    Status s = db->GetFullHistoryTsLow(families[i], &text);
    if (s.ok() && !text.empty()) s = rocksdb::DecodeU64Ts(text, &low);
    history_->Note(-1, what, families[i]->GetName(), s.ok() ? std::to_string(low) : s.ToString());
    if (!s.ok()) {
      history_->Violation(std::string(what) + ": " + s.ToString());
    } else if (low < before[i].acknowledged || low > lows_[i].asked) {
      history_->Violation(std::string(what) + ": the mark of " + families[i]->GetName() + " is " +
                          std::to_string(low) + ", which was raised to " +
                          std::to_string(before[i].acknowledged) + ", at most to " +
                          std::to_string(lows_[i].asked));
    }
    // (After a restart nobody asks for more.)
    if (db == db_.get()) {
      lows_[i] = {low, plan_.persists_timestamps ? low : std::max(low, now_ + 1)};
    }
  }
}

void TimestampWorld::Close(std::string_view what) {
  for (rocksdb::ColumnFamilyHandle* handle : families_) delete handle;
  families_.clear();
  const Status s = db_->Close();
  history_->Note(-1, "closes", "", s.ToString());
  if (!s.ok()) history_->Violation(std::string(what) + ": " + s.ToString());
  db_.reset();
}

void TimestampWorld::Abandon() {
  for (rocksdb::ColumnFamilyHandle* handle : families_) delete handle;
  families_.clear();
  db_.reset();
}

void TimestampWorld::PlayLife(size_t number, const LifePlan& life) {
  history_->Note(-1, "begins life", std::to_string(number), "");
  life_ = &life;
  power_is_off_ = over_ = false;
  durable_ = 0;
  if (number != 0) CutPowerAfterChanges(life.cut_at_change);
  const bool is_open = Open(life, /*begins_life=*/true);
  if (number == 0) CutPowerAfterChanges(life.cut_at_change);
  promises_left_ = life.ending == Ending::kPowerCut ? life.cut_at_promise : 0;
  if (is_open) RunClients(life, clients_, [](uint64_t) {});
  CutPowerAfterChanges(0);
  for (const auto& client : clients_) client->EndLife();
  bool clean = false;
  if (!power_is_off_ && !history_->violated()) {
    ++history_->counts.clean_restarts;
    Close("Close");
    clean = true;
    CheckLogs();
    if (life.repair && !history_->violated()) PlayRepair(life);
  }
  if (power_is_off_) {
    LosePower(life, life.seed);
    CheckLogs();
  }
  if (history_->violated() || !Recover(life, &clean)) return Abandon();
  Verify(clean);
  if (!history_->violated()) Close("Close after recovery");
  Abandon();
}

void TimestampWorld::LosePower(const LifePlan& life, uint64_t seed) {
  Abandon();
  DropUnsynced(life, seed);
}

// CURRENT is lost or damaged, or nothing is; after a repair all is there, the marks, too.
void TimestampWorld::PlayRepair(const LifePlan& life) {
  const std::string current = std::string(kPath) + "/CURRENT";
  const uint64_t how = life.seed % 3;
  IOStatus done;
  if (how == 0) done = memory_->DeleteFile(current, IOOptions(), nullptr);
  if (how == 1) done = WriteStringToFile(memory_.get(), "MANIFEST-", current);
  if (!done.ok()) history_->Violation("damaging CURRENT: " + done.ToString());
  const rocksdb::Options options = OptionsOfLife(plan_, life, env_.get(), false, &cache_);
  const Status s = rocksdb::RepairDB(kPath, options);
  ++history_->counts.repaired;
  history_->Note(-1, "repairs", std::to_string(how), s.ToString());
  if (!s.ok()) history_->Violation("RepairDB: " + s.ToString());
}

bool TimestampWorld::Recover(const LifePlan& life, bool* clean) {
  const auto lose_power = [&](uint64_t seed) {
    LosePower(life, seed);
    *clean = false;
  };
  return Reopen(life, [&] { return Open(life, /*begins_life=*/false); }, lose_power);
}

void TimestampWorld::CheckLogs() {
  const std::string directory = plan_.logs_elsewhere ? kLogs : kPath;
  std::vector<std::string> names;
  // (There may be no directory yet.)
  memory_->GetChildren(directory, IOOptions(), &names, nullptr).PermitUncheckedError();
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    uint64_t number = 0;
    FileType type;
    if (!ParseFileName(name, &number, &type) || type != FileType::kWalFile) continue;
    std::unique_ptr<SequentialFileReader> file;
    const IOStatus opened = SequentialFileReader::Open(
        memory_.get(), std::string(directory).append("/").append(name), FileOptions(), &file);
    if (!opened.ok()) return history_->Violation("reading " + name + ": " + opened.ToString());
    LogReader reader(nullptr, std::move(file), nullptr, /*checksum=*/true, number);
    rocksdb::Slice record;
    std::string scratch;
    while (reader.ReadRecord(&record, &scratch, rocksdb::WALRecoveryMode::kPointInTimeRecovery)) {
      Families families;
      // (Some records are not of a batch.)
      rocksdb::WriteBatch(record.ToString()).Iterate(&families).PermitUncheckedError();
      for (const uint32_t id : families.ids()) {
        const auto said = reader.timestamp_sizes().find(id);
        if (said != reader.timestamp_sizes().end() && said->second == kTimestampBytes) continue;
        return history_->Violation("log " + name + " does not say which timestamps family " +
                                   std::to_string(id) + " has in the record at " +
                                   std::to_string(reader.LastRecordOffset()));
      }
    }
  }
}

void TimestampWorld::Verify(bool clean) {
  const std::vector<Low> before = lows_;
  CheckLows(db_.get(), families_, before, "after a restart");
  // The log is one: a write that came through brings with it all that were acknowledged before it
  // began.
  uint64_t came_through = durable_;
  std::vector<std::pair<TimestampClient*, size_t>> first_missing;
  std::vector<std::vector<Write>> writes;
  for (const auto& client : clients_) {
    if (history_->violated()) return;
    const Ledger& ledger = client->ledger();
    const size_t least = clean ? ledger.AllAcknowledged() : ledger.Durable(durable_);
    writes.push_back(ledger.writes());
    TimestampClient::Fit fit;
    if (!client->FitTo(db_.get(), family_of(client->place()), low_of(client->place()).acknowledged,
                       least, &fit)) {
      return;
    }
    if (fit.least > 0) came_through = std::max(came_through, writes.back()[fit.least - 1].begin);
    first_missing.emplace_back(client.get(), fit.most);
  }
  for (size_t i = 0; i < first_missing.size(); ++i) {
    const auto& [client, missing] = first_missing[i];
    if (missing >= writes[i].size() || writes[i][missing].end == 0) continue;
    if (writes[i][missing].end >= came_through) continue;
    history_->Violation("client " + std::to_string(client->id()) + ": write " +
                        std::to_string(missing) +
                        " is lost, which was acknowledged before one began that is there");
  }
}

}  // namespace cairn::sim
