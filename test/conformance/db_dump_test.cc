// A database as one file, and back (db_dump_tool.h).
#include "rocksdb/db_dump_tool.h"

#include "conformance.h"

namespace conformance {
namespace {

class DbDumpTest : public DBTest {
 protected:
  bool Dump(bool anonymous = true) {
    DumpOptions dump;
    dump.db_path = dir_;
    dump.dump_location = file_;
    dump.anonymous = anonymous;
    return DbDumpTool().Run(dump, options_);
  }
  bool Undump(const std::string& to, bool compact = false) {
    UndumpOptions undump;
    undump.db_path = to;
    undump.dump_location = file_;
    undump.compact_db = compact;
    return DbUndumpTool().Run(undump, options_);
  }
  std::string Bytes() {
    std::string bytes;
    EXPECT_OK(ReadFileToString(TheEnv(), file_, &bytes));
    return bytes;
  }

  const std::string file_ = root_ + "/dump";
};

TEST_F(DbDumpTest, TheFile) {
  Open();
  ASSERT_OK(Put("a", "one"));
  ASSERT_OK(Put("b", "gone"));
  ASSERT_OK(Put("bc", ""));
  ASSERT_OK(Delete("b"));
  Shut();
  ASSERT_TRUE(Dump());
  EXPECT_EQ(std::string("ROCKDUMP\0\0\0\0\0\0\0\1\2\0\0\0{}"
                        "\1\0\0\0a\3\0\0\0one\2\0\0\0bc\0\0\0\0",
                        44),
            Bytes());
  ASSERT_TRUE(Dump(/*anonymous=*/false));
  const std::string named = Bytes();
  for (const std::string& part : {"{ \"database-path\": \"" + dir_ + "\", \"hostname\": \"",
                                  std::string("\", \"creation-time\": ")}) {
    EXPECT_NE(std::string::npos, named.find(part)) << named;
  }
  EXPECT_EQ(Bytes().substr(named.size() - 22),
            std::string("\1\0\0\0a\3\0\0\0one\2\0\0\0bc\0\0\0\0", 22));
}

TEST_F(DbDumpTest, ComesBack) {
  Open();
  Numbers numbers(11);
  for (int i = 0; i < 3000; ++i) {
    ASSERT_OK(Put(numbers.Bytes(1 + numbers.Below(40)), numbers.Bytes(numbers.Below(3000))));
    if (i == 1000) {
      ASSERT_OK(Flush());
    }
  }
  const std::string all = Contents();
  Shut();
  ASSERT_TRUE(Dump());
  for (const bool compact : {false, true}) {
    dir_ = root_ + "/again" + std::to_string(compact);
    ASSERT_TRUE(Undump(dir_, compact));
    Open();
    EXPECT_TRUE(all == Contents());
    if (compact) {
      EXPECT_EQ(0, FilesAtLevel(0));
    }
    // What is there besides stays.
    ASSERT_OK(Put("own", "1"));
    Shut();
    ASSERT_TRUE(Undump(dir_, compact));
    Open();
    EXPECT_EQ("1", Get("own"));
    Shut();
  }
}

TEST_F(DbDumpTest, WhatIsNoDump) {
  Open();
  ASSERT_OK(Put("key", "value"));
  Shut();
  ASSERT_TRUE(Dump());
  const std::string whole = Bytes();
  const std::string to = root_ + "/to";
  const auto refuses = [&](const std::string& bytes) {
    EXPECT_OK(WriteStringToFile(TheEnv(), bytes, file_));
    return !Undump(to);
  };
  EXPECT_TRUE(refuses(""));
  EXPECT_TRUE(refuses("ROCKDUMB" + whole.substr(8)));
  EXPECT_TRUE(refuses(whole.substr(0, 15) + "\2" + whole.substr(16)));
  EXPECT_TRUE(refuses(whole.substr(0, 18)));
  EXPECT_TRUE(refuses(whole.substr(0, whole.size() - 1)));
  EXPECT_TRUE(refuses(whole.substr(0, whole.size() - 7)));
  ASSERT_OK(TheEnv()->DeleteFile(file_));
  EXPECT_FALSE(Undump(to));
  dir_ = root_ + "/no_database";
  EXPECT_FALSE(Dump());
}

}  // namespace
}  // namespace conformance
