// Families with timestamps are refused by name where nothing was built for them.
#include "utilities/no_timestamps.h"

#include <gtest/gtest.h>

#include <string>

#include "db/testing/db_fixture.h"
#include "rocksdb/utilities/db_ttl.h"
#include "rocksdb/utilities/optimistic_transaction_db.h"

namespace cairn::testing {
namespace {

class NoTimestampsTest : public DbTest {
 protected:
  static void ExpectRefused(const Status& s) {
    EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
    EXPECT_NE(std::string::npos, s.ToString().find("u64ts")) << s.ToString();
  }
};

TEST_F(NoTimestampsTest, OptimisticTransactionsAndTtlRefuseThem) {
  Options options = SmallOptions();
  options.comparator = BytewiseComparatorWithU64Ts();
  const std::string name = std::string(kDbName) + ".stamped";
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

}  // namespace
}  // namespace cairn::testing
