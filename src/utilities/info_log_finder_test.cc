// (Debian's library does not export it: there is nothing to compare with.)
#include "rocksdb/utilities/info_log_finder.h"

#include "db/testing/db_fixture.h"

namespace cairn {
namespace {

class InfoLogFinderTest : public testing::DbTest {
 protected:
  static std::vector<std::string> Logs(DB* db) {
    std::vector<std::string> logs = {"what was there"};
    const Status s = GetInfoLogList(db, &logs);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return logs;
  }
};

TEST_F(InfoLogFinderTest, FindsTheLogAndOlderOnes) {
  std::vector<std::string> logs;
  EXPECT_TRUE(GetInfoLogList(nullptr, &logs).IsInvalidArgument());
  Open();
  EXPECT_EQ(Logs(db_.get()), std::vector<std::string>{"LOG"});
  Open();
  logs = Logs(db_.get());
  ASSERT_EQ(logs.size(), 2u);
  EXPECT_EQ(logs[0], "LOG");
  EXPECT_TRUE(logs[1].starts_with("LOG.old.")) << logs[1];
}

TEST_F(InfoLogFinderTest, FindsThemElsewhereAmongThoseOfOthers) {
  Options options = SmallOptions();
  options.db_log_dir = "/logs";
  ASSERT_TRUE(options.env->CreateDirIfMissing("/logs").ok());
  ASSERT_TRUE(WriteStringToFile(options.env, "", "/logs/another_database_LOG").ok());
  Open(options);
  EXPECT_EQ(Logs(db_.get()), std::vector<std::string>{"db_LOG"});
}

}  // namespace
}  // namespace cairn
