// What an operator does to a database: backups, restores, verification.

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>

#include "db_bench/flags.h"
#include "db_bench/options.h"
#include "db_bench/support.h"
#include "db_bench/workloads.h"
#include "rocksdb/iterator.h"
#include "rocksdb/rate_limiter.h"
#include "rocksdb/stats_history.h"
#include "rocksdb/utilities/backup_engine.h"

namespace db_bench {

namespace {

rocksdb::BackupEngineOptions EngineOptions() {
  rocksdb::BackupEngineOptions options(FLAGS_backup_dir);
  const auto limiter = [](uint64_t rate) {
    return std::shared_ptr<rocksdb::RateLimiter>(
        rate == 0 ? nullptr : rocksdb::NewGenericRateLimiter(static_cast<int64_t>(rate)));
  };
  options.backup_rate_limiter = limiter(FLAGS_backup_rate_limit);
  options.restore_rate_limiter = limiter(FLAGS_restore_rate_limit);
  return options;
}

// Into an emptied --backup_dir.
void Backup(Client* client) {
  rocksdb::DB* db = client->shared->db;
  rocksdb::BackupEngineOptions options = EngineOptions();
  options.destroy_old_data = true;
  rocksdb::BackupEngine* opened = nullptr;
  rocksdb::Status s = rocksdb::BackupEngine::Open(db->GetEnv(), options, &opened);
  if (!s.ok()) Fail("cannot open the backups", s);
  const std::unique_ptr<rocksdb::BackupEngine> engine(opened);
  s = engine->CreateNewBackup(db);
  if (!s.ok()) Fail("backup", s);
  client->stats.FinishedOps(db, 1, OpKind::kOther);
}

// The latest backup into --restore_dir, which is a database then.
void Restore(Client* client) {
  rocksdb::DB* db = client->shared->db;
  rocksdb::BackupEngineReadOnly* opened = nullptr;
  rocksdb::Status s = rocksdb::BackupEngineReadOnly::Open(db->GetEnv(), EngineOptions(), &opened);
  if (!s.ok()) Fail("cannot open the backups", s);
  const std::unique_ptr<rocksdb::BackupEngineReadOnly> engine(opened);
  s = engine->RestoreDBFromLatestBackup(FLAGS_restore_dir, FLAGS_restore_dir);
  if (!s.ok()) Fail("restore", s);
  client->stats.FinishedOps(db, 1, OpKind::kOther);
}

void VerifyChecksum(Client* client) {
  const rocksdb::Status s = client->shared->db->VerifyChecksum(MakeReadOptions());
  if (!s.ok()) Fail("verifychecksum", s);
  client->stats.FinishedOps(client->shared->db, 1, OpKind::kOther);
}

void VerifyFileChecksums(Client* client) {
  const rocksdb::Status s = client->shared->db->VerifyFileChecksums(MakeReadOptions());
  if (!s.ok()) Fail("verifyfilechecksums", s);
  client->stats.FinishedOps(client->shared->db, 1, OpKind::kOther);
}

// What a pointer that others may change costs to read.
void AcquireLoad(Client* client) {
  constexpr int kOperations = 100000;
  constexpr int kLoads = 1000;
  const int pointee = 0;
  std::atomic<const int*> pointer(&pointee);
  client->stats.AddMessage("(each op is 1000 loads)");
  for (int i = 0; i < kOperations; i++) {
    for (int load = 0; load < kLoads; load++) {
      if (pointer.load(std::memory_order_acquire) != &pointee) Fail("acquireload: another pointer");
    }
    client->stats.FinishedOps(client->shared->db, 1, OpKind::kOther);
  }
}

std::string WhyNoBackup() { return FLAGS_backup_dir.empty() ? "backup needs --backup_dir" : ""; }

std::string WhyNoRestore() {
  return FLAGS_backup_dir.empty() || FLAGS_restore_dir.empty()
             ? "restore needs --backup_dir and --restore_dir"
             : "";
}

std::string WhyNoFileChecksums() {
  return FLAGS_file_checksum ? "" : "verifyfilechecksums needs --file_checksum";
}

}  // namespace

void VerifyAgainstTruth(rocksdb::DB* db) {
  rocksdb::DB* opened = nullptr;
  rocksdb::Options options;
  options.env = db->GetEnv();
  SetOptions(&options);
  options.wal_dir.clear();  // this database's
  rocksdb::Status s = rocksdb::DB::OpenForReadOnly(options, FLAGS_truth_db, &opened);
  if (!s.ok()) Fail(("cannot open --truth_db=" + FLAGS_truth_db).c_str(), s);
  const std::unique_ptr<rocksdb::DB> truth(opened);
  rocksdb::ReadOptions all = MakeReadOptions();
  all.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> theirs(truth->NewIterator(all));
  const std::unique_ptr<rocksdb::Iterator> ours(db->NewIterator(all));
  const auto differ = [](const rocksdb::Iterator& at, const char* what) {
    Fail("verify: key " + at.key().ToString(/*hex=*/true) + ' ' + what);
  };
  // Point reads and iterators go different ways, so both are compared.
  std::fprintf(stderr, "Verifying db >= truth_db with ::Get...\n");
  rocksdb::PinnableSlice value;
  for (theirs->SeekToFirst(); theirs->Valid(); theirs->Next()) {
    value.Reset();
    s = db->Get(all, db->DefaultColumnFamily(), theirs->key(), &value);
    if (s.IsNotFound()) differ(*theirs, "of --truth_db is missing");
    if (!s.ok()) Fail("get", s);
    if (value != theirs->value()) differ(*theirs, "has another value in --truth_db");
  }
  if (!theirs->status().ok()) Fail("iterator of --truth_db", theirs->status());
  std::fprintf(stderr, "Verifying db == truth_db...\n");
  theirs->SeekToFirst();
  for (ours->SeekToFirst(); ours->Valid(); ours->Next(), theirs->Next()) {
    if (!theirs->Valid() || ours->key() != theirs->key()) differ(*ours, "is not in --truth_db");
    if (ours->value() != theirs->value()) differ(*ours, "has another value in --truth_db");
  }
  if (!ours->status().ok()) Fail("iterator", ours->status());
  if (!theirs->status().ok()) Fail("iterator of --truth_db", theirs->status());
  if (theirs->Valid()) differ(*theirs, "of --truth_db is not met by an iterator");
  std::fprintf(stderr, "...Verified\n");
}

void PrintStatsHistory(rocksdb::DB* db) {
  std::unique_ptr<rocksdb::StatsHistoryIterator> notes;
  const rocksdb::Status s = db->GetStatsHistory(0, UINT64_MAX, &notes);
  if (!s.ok()) Fail("stats_history", s);
  for (; notes->Valid(); notes->Next()) {
    const auto seconds = static_cast<time_t>(notes->GetStatsTime());
    char text[40];
    std::strftime(text, sizeof(text), "%Y/%m/%d-%H:%M:%S", std::localtime(&seconds));
    std::printf("------ %s ------\n", text);
    for (const auto& [name, count] : notes->GetStatsMap()) {
      std::printf(" %" PRIu64 "   %s  %" PRIu64 "\n", notes->GetStatsTime(), name.c_str(), count);
    }
  }
  if (!notes->status().ok()) Fail("stats_history", notes->status());
}

std::vector<NamedWorkload> UpkeepWorkloads() {
  std::vector<NamedWorkload> all;
  all.push_back({.name = "backup",
                 .help = "back the database up into an emptied --backup_dir",
                 .run = Backup,
                 .single_client = true,
                 .refusal = WhyNoBackup});
  all.push_back({.name = "restore",
                 .help = "restore the latest backup of --backup_dir into --restore_dir",
                 .run = Restore,
                 .single_client = true,
                 .refusal = WhyNoRestore});
  all.push_back({.name = "verifychecksum",
                 .help = "read every block and compare its checksum",
                 .run = VerifyChecksum,
                 .single_client = true});
  all.push_back({.name = "verifyfilechecksums",
                 .help = "compare the checksums of whole files (--file_checksum)",
                 .run = VerifyFileChecksums,
                 .single_client = true,
                 .refusal = WhyNoFileChecksums});
  all.push_back({"acquireload", "load an atomic pointer 100,000,000 times", AcquireLoad});
  return all;
}

}  // namespace db_bench
