#include "sim/transaction_client.h"

#include <algorithm>
#include <utility>

#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "rocksdb/iterator.h"
#include "rocksdb/snapshot.h"
#include "sim/transaction_world.h"

namespace cairn::sim {

using rocksdb::ReadOptions;
using rocksdb::Status;
using rocksdb::WriteOptions;
using Outcome = TransactionRecord::Outcome;

namespace {

constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kMostOperations = 6;  // of a transaction

// What a transaction appended to the key, in its order.
TokenList OwnTokens(const std::vector<TransactionRecord::Append>& appends, const std::string& key) {
  TokenList own;
  for (const auto& append : appends) {
    if (append.key == key) own.push_back(append.token);
  }
  return own;
}

bool EndsWith(const TokenList& list, const TokenList& end) {
  return end.size() <= list.size() && std::equal(end.rbegin(), end.rend(), list.rbegin());
}

}  // namespace

void TransactionClient::Run(uint64_t count) {
  stopped_ = false;
  world_->PlayOperations(id_, count, &number_, &random_, [this] {
    Step();
    return !stopped_;
  });
}

void TransactionClient::Think(uint64_t most_nanos) {
  if (most_nanos != 0) fiber::sleep_for(random_.Uniform(2 * most_nanos));
}

uint64_t TransactionClient::DrawKey() { return random_.Uniform(world_->plan().keys); }

WriteOptions TransactionClient::Writing() {
  WriteOptions options;
  options.protection_bytes_per_key = world_->plan().batch_checksum_bytes();
  options.sync = plan_.sync_one_in != 0 && random_.OneIn(static_cast<uint64_t>(plan_.sync_one_in));
  return options;
}

void TransactionClient::Step() {
  const uint64_t chance = random_.Uniform(100);
  if (chance < 70) {
    RunTransaction();
  } else if (chance < 80 && !world_->plan().indexed) {
    WritePlainly();  // merges
  } else if (chance < 94) {
    if (!stamped_.empty() && random_.OneIn(2)) {
      LookBack();
    } else {
      LookAtAll();
    }
  } else {
    Administer();
  }
}

bool TransactionClient::Went(std::string_view what, std::string_view key, const Status& s) {
  world_->history().Note(id_, what, key, s.ToString());
  if (s.ok() || s.IsNotFound()) return true;
  const bool in_the_way = s.IsTimedOut() || s.IsBusy() || s.IsExpired() || s.IsTryAgain();
  if (!in_the_way && (!world_->power_is_off() || s.IsCorruption())) {
    world_->history().Violation("client " + std::to_string(id_) + ": " + std::string(what) + " " +
                                std::string(key) + ": " + s.ToString());
  }
  return false;
}

std::unique_ptr<rocksdb::Transaction> TransactionClient::Begin(const WriteOptions& writing,
                                                               bool* expires) {
  if (world_->optimistic() != nullptr) {
    rocksdb::OptimisticTransactionOptions options;
    options.set_snapshot = random_.OneIn(4);
    return std::unique_ptr<rocksdb::Transaction>(
        world_->optimistic()->BeginTransaction(writing, options));
  }
  rocksdb::TransactionOptions options;
  options.set_snapshot = random_.OneIn(4);
  options.deadlock_detect = random_.OneIn(2);
  options.lock_timeout = static_cast<int64_t>(random_.OneIn(4) ? 0 : random_.Uniform(50));
  *expires = random_.OneIn(8);
  if (*expires) options.expiration = static_cast<int64_t>(1 + random_.Uniform(20));
  return std::unique_ptr<rocksdb::Transaction>(
      world_->pessimistic()->BeginTransaction(writing, options));
}

void TransactionClient::RunTransaction() {
  Running running;
  running.record.id = world_->NewId();
  running.record.begin = fiber::now_nanos();
  const WriteOptions writing = Writing();
  running.transaction = Begin(writing, &running.expires);
  if (world_->pessimistic() != nullptr && random_.OneIn(3)) {
    running.record.named = Went("names", "", running.transaction->SetName(running.record.Name()));
  }
  bool goes_on = true;
  for (uint64_t left = 1 + random_.Uniform(kMostOperations); left != 0 && goes_on; --left) {
    if (random_.OneIn(3)) Think(kMillisecond);
    // Who meets another may go on without that.
    goes_on = Work(&running) || (!world_->power_is_off() && random_.OneIn(3));
  }
  End(&running, goes_on && !random_.OneIn(6));
  world_->Record(std::move(running.record));
}

bool TransactionClient::Work(Running* running) {
  const uint64_t key = DrawKey();
  switch (random_.Uniform(8)) {
    case 0:
    case 1:
      return Read(running, key, /*and_append=*/false);
    case 2:
    case 3:
    case 4:
      return Read(running, key, /*and_append=*/true);
    case 5:
    case 6:
      return Append(running, key);
    default:
      return SavePoint(running);
  }
}

// Reads for update: what a transaction only reads, too, must still be so when it commits.
bool TransactionClient::Read(Running* running, uint64_t number, bool and_append) {
  const std::string key = TransactionWorld::KeyNumber(number);
  std::string value;
  const bool exclusive = and_append || random_.OneIn(2);
  const Status s = running->transaction->GetForUpdate(ReadOptions(), world_->family_of(number), key,
                                                      &value, exclusive);
  if (!Went("reads", key, s)) return false;
  ++world_->history().counts.reads;
  std::optional<TokenList> list = ListOf(s.ok() ? value : "");
  const TokenList own = OwnTokens(running->record.appends, key);
  if (!list || !EndsWith(*list, own)) {
    world_->history().Violation("transaction " + std::to_string(running->record.id) +
                                " does not see what it appended to " + key + " itself: " + value);
    return false;
  }
  list->resize(list->size() - own.size());
  running->record.reads.push_back({key, *list});
  if (!and_append) return true;
  const Token token = {running->record.id, running->appended++};
  value += (value.empty() ? "" : ",") + TextOf(token);
  const Status written = running->transaction->Put(world_->family_of(number), key, value);
  if (!Went("writes", key, written)) return false;
  running->record.appends.push_back({key, token});
  return true;
}

// Without having read it.
bool TransactionClient::Append(Running* running, uint64_t number) {
  // (Merges are refused there.)
  if (world_->plan().indexed) return Read(running, number, /*and_append=*/true);
  const std::string key = TransactionWorld::KeyNumber(number);
  const Token token = {running->record.id, running->appended++};
  const Status s = running->transaction->Merge(world_->family_of(number), key, TextOf(token));
  if (!Went("appends", key, s)) return false;
  running->record.appends.push_back({key, token});
  return true;
}

// Sets one, or goes back to the last: what was read since is no longer protected.
bool TransactionClient::SavePoint(Running* running) {
  TransactionRecord& record = running->record;
  if (running->save_points.empty() || random_.OneIn(2)) {
    running->transaction->SetSavePoint();
    running->save_points.push_back({record.appends.size(), record.reads.size()});
    return true;
  }
  const auto [appends, reads] = running->save_points.back();
  running->save_points.pop_back();
  if (random_.OneIn(4)) return Went("pops", "", running->transaction->PopSavePoint());
  const Status s = running->transaction->RollbackToSavePoint();
  if ((running->expires && s.IsInvalidArgument()) || !Went("goes back", "", s)) return false;
  record.appends.resize(appends);
  record.reads.resize(reads);
  return true;
}

void TransactionClient::End(Running* running, bool commit) {
  TransactionRecord& record = running->record;
  // (A rollback after Prepare() is another thing than one before.)
  if (record.named && (commit || random_.OneIn(2)) && !Prepare(running)) return;
  if (!commit) return RollBack(running);
  const bool synced = running->transaction->GetWriteOptions()->sync && !record.appends.empty();
  record.decided = true;
  const uint64_t begin = fiber::now_nanos();
  const Status s = Commit(running);
  NoteCommit(s, synced, &record);
  if (s.ok() && synced) world_->NoteDurable(begin);
  running->transaction.reset();
}

Status TransactionClient::Commit(Running* running) {
  if (!world_->stamps_snapshots() || !random_.OneIn(4)) return running->transaction->Commit();
  Stamped stamped{world_->NewTimestamp(), fiber::now_nanos(), 0, running->record.appends};
  std::shared_ptr<const rocksdb::Snapshot> snapshot;
  Status s =
      running->transaction->CommitAndTryCreateSnapshot(nullptr, stamped.timestamp, &snapshot);
  // (One with a later timestamp may have come first.)
  if (s.ok() && snapshot != nullptr) {
    stamped.end = fiber::now_nanos();
    world_->NoteStamped(running->record.id, stamped.timestamp);
    stamped_.push_back(std::move(stamped));
  }
  return s;
}

bool TransactionClient::Prepare(Running* running) {
  TransactionRecord& record = running->record;
  const bool synced = running->transaction->GetWriteOptions()->sync && !record.appends.empty();
  const uint64_t begin = fiber::now_nanos();
  const Status s = running->transaction->Prepare();
  if (!Went("prepares", std::to_string(record.id), s)) {
    if (s.IsExpired()) {
      record.outcome = Outcome::kAborted;
    } else {
      stopped_ = true;  // whether it is prepared is not known
    }
    running->transaction.reset();
    return false;
  }
  record.prepared = fiber::now_nanos();
  record.prepare_synced = synced;
  if (synced) world_->NoteDurable(begin);
  if (random_.OneIn(2)) Think(kMillisecond);
  if (!random_.OneIn(20)) return true;
  prepared_.push_back(std::move(running->transaction));
  return false;
}

void TransactionClient::RollBack(Running* running) {
  TransactionRecord& record = running->record;
  record.outcome = Outcome::kAborted;
  // By the destructor, too, unless it is prepared.
  if (record.prepared != 0 || random_.OneIn(2)) {
    record.decided = record.rolled_back = true;
    const Status s = running->transaction->Rollback();
    // (What could not be written may be prepared after a restart.)
    if (!s.ok()) record.outcome = record.prepared != 0 ? Outcome::kUnknown : Outcome::kAborted;
    if (!running->expires || !s.IsInvalidArgument()) Went("rolls back", "", s);
  }
  running->transaction.reset();
}

void TransactionClient::NoteCommit(const Status& s, bool synced, TransactionRecord* record) {
  if (Went("commits", std::to_string(record->id), s)) {
    record->outcome = Outcome::kCommitted;
    record->end = fiber::now_nanos();
    record->synced = synced;
    ++world_->history().counts.acknowledged;
  } else if (s.IsTimedOut() || s.IsBusy() || s.IsExpired() || s.IsTryAgain()) {
    record->outcome = Outcome::kAborted;
  } else {
    // Whether it is there is not known: no more in this life.
    record->outcome = Outcome::kUnknown;
    stopped_ = true;
  }
}

// Without a transaction of its own.
void TransactionClient::WritePlainly() {
  TransactionRecord record;
  record.id = world_->NewId();
  record.begin = fiber::now_nanos();
  rocksdb::WriteBatch batch;
  const uint64_t count = random_.OneIn(2) ? 1 : 1 + random_.Uniform(3);
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t number = DrawKey();
    const std::string key = TransactionWorld::KeyNumber(number);
    const Token token = {record.id, i};
    batch.Merge(world_->family_of(number), key, TextOf(token)).PermitUncheckedError();
    record.appends.push_back({key, token});
  }
  const WriteOptions writing = Writing();
  const uint64_t begin = fiber::now_nanos();
  const Status s = world_->db()->Write(writing, &batch);
  NoteCommit(s, writing.sync, &record);
  if (s.ok() && writing.sync) world_->NoteDurable(begin);
  world_->Record(std::move(record));
}

// A snapshot is a moment between two transactions.
void TransactionClient::LookAtAll() {
  TransactionRecord record;
  record.id = world_->NewId();
  record.begin = fiber::now_nanos();
  const rocksdb::Snapshot* const snapshot = world_->db()->GetSnapshot();
  if (snapshot == nullptr) return;
  record.end = fiber::now_nanos();
  Think(kMillisecond);
  const Status s = ReadAll(snapshot, &record);
  world_->db()->ReleaseSnapshot(snapshot);
  if (Went("looks at all", "", s)) RecordLook(std::move(record));
}

void TransactionClient::RecordLook(TransactionRecord record) {
  ++world_->history().counts.reads;
  record.outcome = Outcome::kCommitted;
  world_->Record(std::move(record));
}

Status TransactionClient::ReadAll(const rocksdb::Snapshot* snapshot, TransactionRecord* record) {
  ReadOptions options;
  options.snapshot = snapshot;
  Status s;
  for (uint64_t number = 0; number < world_->plan().keys && s.ok(); ++number) {
    const std::string key = TransactionWorld::KeyNumber(number);
    std::string value;
    s = world_->db()->Get(options, world_->family_of(number), key, &value);
    if (s.IsNotFound()) s = Status::OK();
    const std::optional<TokenList> list = ListOf(value);
    if (s.ok() && !list) {
      world_->history().Violation(std::string(key).append(" is no list: ").append(value));
    }
    if (s.ok() && list) record->reads.push_back({key, *list});
  }
  return s.ok() ? world_->CheckIndex(options) : s;
}

// It has the commit as the last, however long ago that was, and none with a later timestamp.
void TransactionClient::LookBack() {
  const size_t which = random_.Uniform(stamped_.size());
  const Stamped stamped = stamped_[which];
  rocksdb::TransactionDB* const db = world_->pessimistic();
  if (random_.OneIn(8)) {
    world_->NoteReleased(stamped.timestamp);
    db->ReleaseTimestampedSnapshotsOlderThan(stamped.timestamp);
  }
  const std::shared_ptr<const rocksdb::Snapshot> snapshot =
      db->GetTimestampedSnapshot(stamped.timestamp);
  const std::string name = std::to_string(stamped.timestamp);
  const std::string where = "at the snapshot with timestamp " + name + " ";
  if (snapshot == nullptr) {
    if (stamped.timestamp >= world_->released_below()) {
      world_->history().Violation("the snapshot with timestamp " + name + " is gone");
    }
    stamped_.erase(stamped_.begin() + static_cast<ptrdiff_t>(which));
    return;
  }
  TransactionRecord record;
  record.id = world_->NewId();
  record.begin = stamped.begin;
  record.end = stamped.end;
  if (!Went("looks back at", name, ReadAll(snapshot.get(), &record))) return;
  for (const auto& [key, list] : record.reads) {
    if (!EndsWith(list, OwnTokens(stamped.appends, key))) {
      world_->history().Violation(std::string(where).append(key).append(
          " does not end with what its commit appended: " + TextOf(list)));
    }
    for (const Token& token : list) {
      if (world_->TimestampOf(token.transaction) > stamped.timestamp) {
        world_->history().Violation(std::string(where).append(key).append(
            " has what a later one's commit appended: " + TextOf(token)));
      }
    }
  }
  RecordLook(std::move(record));
}

void TransactionClient::Administer() {
  rocksdb::DB* const db = world_->db();
  rocksdb::ColumnFamilyHandle* const family = world_->family_of(DrawKey());
  const uint64_t begin = fiber::now_nanos();
  switch (random_.Uniform(4)) {
    case 0: {
      rocksdb::FlushOptions options;
      options.wait = random_.OneIn(2);
      options.allow_write_stall = true;
      ++world_->history().counts.flushes;
      Went("flushes", family->GetName(), db->Flush(options, family));
      return;
    }
    case 1:
      ++world_->history().counts.compactions;
      Went("compacts", family->GetName(),
           db->CompactRange(rocksdb::CompactRangeOptions(), family, nullptr, nullptr));
      return;
    case 2:
      if (Went("syncs the log", "", db->FlushWAL(/*sync=*/true))) world_->NoteDurable(begin);
      return;
    default:
      Went("flushes the log", "", db->FlushWAL(/*sync=*/false));
  }
}

}  // namespace cairn::sim
