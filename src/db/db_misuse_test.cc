// A database that is closed while somebody is inside of it: LOG says so; where assertions are on
// the process ends there, with the same words, and not later in a place that says nothing.
#include <functional>
#include <string>

#include "db/testing/db_fixture.h"

namespace cairn {
namespace {

class DbMisuseTest : public testing::DbTest {
 protected:
  // `misuse` closes the database, and leaves behind what it must not leave.
  void ExpectTold(const std::function<void()>& misuse, const std::string& words) {
#if !defined(NDEBUG)
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(misuse(), "cairn: .*" + words);
#else
    misuse();
    std::string log;
    ASSERT_TRUE(
        ReadFileToString(disk_.memory.get(), std::string(testing::kDbName) + "/LOG", &log).ok());
    EXPECT_NE(log.find(words), std::string::npos) << log;
    (void)db_.release();  // what is left would meet freed memory
#endif
  }
};

TEST_F(DbMisuseTest, AnIteratorThatOutlivesItsDatabase) {
  for (const bool of_a_state_that_is_gone : {false, true}) {
    ExpectTold(
        [&] {
          Open(SmallOptions());
          PutRange(0, 10, 1);
          Iterator* const it = db_->NewIterator(ReadOptions());
          it->SeekToFirst();
          if (of_a_state_that_is_gone) {
            Flush();
            PutRange(0, 10, 2);
            Flush();
          }
          db_->Close().PermitUncheckedError();
        },
        "it is closed while somebody reads: an iterator");
  }
}

TEST_F(DbMisuseTest, AnIteratorOfAFamily) {
  ExpectTold(
      [this] {
        Open(SmallOptions());
        ColumnFamilyHandle* family = nullptr;
        EXPECT_TRUE(db_->CreateColumnFamily(SmallOptions(), "family", &family).ok());
        (void)db_->NewIterator(ReadOptions(), family);
        EXPECT_TRUE(db_->DropColumnFamily(family).ok());
        delete family;
        db_->Close().PermitUncheckedError();
      },
      "it is closed while somebody reads: an iterator");
}

TEST_F(DbMisuseTest, NothingIsSaidOfWhatWasGivenBack) {
  Open(SmallOptions());
  PutRange(0, 100, 1);
  for (int i = 0; i < 3; ++i) {
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->SeekToFirst();
    Flush();
    PutRange(0, 100, 2);
    EXPECT_TRUE(it->Valid());
  }
  Close();
  std::string log;
  ASSERT_TRUE(
      ReadFileToString(disk_.memory.get(), std::string(testing::kDbName) + "/LOG", &log).ok());
  EXPECT_EQ(log.find("it is closed while"), std::string::npos) << log;
}

}  // namespace
}  // namespace cairn
