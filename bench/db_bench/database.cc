#include "db_bench/database.h"

#include <cstdio>
#include <utility>

#include "db_bench/flags.h"
#include "db_bench/options.h"
#include "db_bench/support.h"
#include "fiber/clock.h"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/statistics.h"
#include "rocksdb/utilities/optimistic_transaction_db.h"
#include "rocksdb/utilities/transaction_db.h"

namespace db_bench {

namespace {

// The Env that --env_uri or --fs_uri names; *guard owns it, or nobody.
rocksdb::Env* MakeEnv(std::shared_ptr<rocksdb::Env>* guard) {
  if (!FLAGS_env_uri.empty() && !FLAGS_fs_uri.empty()) {
    Fail("Error: --env_uri and --fs_uri are mutually exclusive");
  }
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  rocksdb::Env* env = nullptr;
  const rocksdb::Status s =
      rocksdb::Env::CreateFromUri(config, FLAGS_env_uri, FLAGS_fs_uri, &env, guard);
  if (!s.ok()) Fail("Failed creating env: " + s.ToString());
  return env;
}

}  // namespace

Database::Database() : path_(FLAGS_db) {
  options_.env = MakeEnv(&env_);
  if (FLAGS_report_file_operations || FLAGS_fault_injection_read_after_reads > 0) {
    files_ = std::make_shared<FileOperations>(options_.env->GetFileSystem(),
                                              FLAGS_fault_injection_read_after_reads);
    counting_env_ = rocksdb::NewCompositeEnv(files_);
    options_.env = counting_env_.get();
  }
  if (path_.empty()) {
    const rocksdb::Status s = options_.env->GetTestDirectory(&path_);
    if (!s.ok()) Fail("no test directory, give --db: " + s.ToString());
    path_ += "/dbbench";
  }
  SetOptions(&options_);
}

void Database::OpenFirst() {
  if (!FLAGS_use_existing_db && !FLAGS_readonly && !FLAGS_use_secondary_db) {
    Destroy();
  }
  Open();
}

void Database::Recreate() {
  Close();
  Destroy();
  Open();
}

void Database::Close() {
  if (follower_ != nullptr) {
    closing_.set();
    follower_->join();
    follower_.reset();
  }
  for (rocksdb::ColumnFamilyHandle* family : families_) {
    const rocksdb::Status s = db_->DestroyColumnFamilyHandle(family);
    if (!s.ok()) Fail("close error: " + s.ToString());
  }
  families_.clear();
  db_.reset();
}

void Database::Destroy() {
  const rocksdb::Status s = rocksdb::DestroyDB(path_, options_);
  // (A path that is made with the database: nothing is there.)
  if (!s.ok() && !s.IsPathNotFound()) Fail("cannot destroy " + path_ + ": " + s.ToString());
}

void Database::Open() {
  const uint64_t start = fiber::now_nanos();
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (int i = 0; i < FLAGS_num_column_families; i++) {
    char name[40];
    std::snprintf(name, sizeof(name), "column_family_name_%06d", i);
    families.emplace_back(i == 0 ? rocksdb::kDefaultColumnFamilyName : name, options_);
  }
  rocksdb::DB* db = nullptr;
  rocksdb::Status s;
  if (FLAGS_readonly) {
    s = rocksdb::DB::OpenForReadOnly(options_, path_, families, &families_, &db);
  } else if (FLAGS_use_secondary_db) {
    if (FLAGS_secondary_path.empty()) {
      s = options_.env->GetTestDirectory(&FLAGS_secondary_path);
      if (!s.ok()) Fail("no test directory, give --secondary_path: " + s.ToString());
      FLAGS_secondary_path += "/dbbench_secondary";
    }
    s = rocksdb::DB::OpenAsSecondary(options_, path_, FLAGS_secondary_path, families, &families_,
                                     &db);
  } else if (FLAGS_transaction_db) {
    rocksdb::TransactionDB* opened = nullptr;
    s = rocksdb::TransactionDB::Open(options_, rocksdb::TransactionDBOptions(), path_, families,
                                     &families_, &opened);
    db = opened;
  } else if (FLAGS_optimistic_transaction_db) {
    rocksdb::OptimisticTransactionDB* opened = nullptr;
    s = rocksdb::OptimisticTransactionDB::Open(options_, path_, families, &families_, &opened);
    db = opened;
  } else {
    s = rocksdb::DB::Open(options_, path_, families, &families_, &db);
  }
  if (!s.ok()) Fail("open", s);
  db_.reset(db);
  if (FLAGS_use_secondary_db && FLAGS_secondary_update_interval > 0) {
    closing_.reset();
    follower_ = std::make_unique<fiber::Thread>("db_bench_follower", [this] { FollowPrimary(); });
  }
  if (FLAGS_report_open_timing) {
    std::printf("OpenDb:     %g milliseconds\n",
                static_cast<double>(fiber::now_nanos() - start) / 1e6);
  }
}

void Database::FollowPrimary() {
  const auto interval = static_cast<uint64_t>(FLAGS_secondary_update_interval) * 1000000000;
  do {
    const rocksdb::Status s = db_->TryCatchUpWithPrimary();
    if (!s.ok()) {
      std::fprintf(stderr, "Failed to catch up with primary: %s\n", s.ToString().c_str());
      return;
    }
    updates_.fetch_add(1, std::memory_order_relaxed);
  } while (!closing_.wait_until(fiber::now_nanos() + interval));
}

std::string Database::FileOperationsDone() const {
  return FLAGS_report_file_operations ? files_->PrintAndReset() : std::string();
}

std::string Database::Statistics() const {
  return options_.statistics == nullptr ? std::string() : options_.statistics->ToString();
}

rocksdb::Status Database::ResetStatistics() const {
  if (options_.statistics != nullptr) {
    const rocksdb::Status s = options_.statistics->Reset();
    if (!s.ok()) return s;
  }
  return db_->ResetStats();
}

}  // namespace db_bench
