// Families with timestamps are refused by name where nothing was built for them.
#include "utilities/no_timestamps.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "db/testing/db_fixture.h"
#include "rocksdb/convenience.h"
#include "rocksdb/utilities/db_ttl.h"
#include "rocksdb/utilities/optimistic_transaction_db.h"
#include "rocksdb/utilities/transaction_db.h"

namespace cairn::testing {
namespace {

class NoTimestampsTest : public DbTest {
 protected:
  static void ExpectRefused(const Status& s) {
    EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
    EXPECT_NE(std::string::npos, s.ToString().find("u64ts")) << s.ToString();
  }
};

TEST_F(NoTimestampsTest, TransactionsAndTtlRefuseThem) {
  Options options = SmallOptions();
  options.comparator = BytewiseComparatorWithU64Ts();
  const std::string name = std::string(kDbName) + ".stamped";
  {
    TransactionDB* db = nullptr;
    ExpectRefused(TransactionDB::Open(options, TransactionDBOptions(), name, &db));
    EXPECT_EQ(nullptr, db);
  }
  {
    OptimisticTransactionDB* db = nullptr;
    ExpectRefused(OptimisticTransactionDB::Open(options, name, &db));
    EXPECT_EQ(nullptr, db);
  }
  {
    DBWithTTL* db = nullptr;
    ExpectRefused(DBWithTTL::Open(options, name, &db));
    EXPECT_EQ(nullptr, db);
  }
}

// One that comes later is known to the transactions that would use it.
TEST_F(NoTimestampsTest, AFamilyOfATransactionDb) {
  db_.reset();
  TransactionDB* made = nullptr;
  const std::string name = std::string(kDbName) + ".transactions";
  ASSERT_TRUE(TransactionDB::Open(SmallOptions(), TransactionDBOptions(), name, &made).ok());
  const std::unique_ptr<TransactionDB> db(made);
  ColumnFamilyOptions stamped(SmallOptions());
  stamped.comparator = BytewiseComparatorWithU64Ts();
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db->CreateColumnFamily(stamped, "stamped", &handle).ok());
  const std::unique_ptr<Transaction> txn(db->BeginTransaction(WriteOptions()));
  EXPECT_TRUE(txn->Put(handle, "k", "v").IsNotSupported());
  EXPECT_TRUE(txn->Put("k", "v").ok());
  EXPECT_TRUE(txn->Commit().ok());
  EXPECT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
}

}  // namespace
}  // namespace cairn::testing
