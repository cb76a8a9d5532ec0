// ldb's commands as classes: made from words, run, asked for their result; and commands of one's
// own.
#include "rocksdb/utilities/ldb_cmd.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "rocksdb/comparator.h"
#include "rocksdb/experimental.h"
#include "rocksdb/sst_dump_tool.h"

namespace rocksdb {
namespace {

class LdbCommandTest : public testing::Test {
 protected:
  LdbCommandTest() : env_(NewMemEnv(Env::Default())) {
    options_.env = env_.get();
    options_.create_if_missing = true;
  }

  // The result of a command line over the database in memory.
  LDBCommandExecuteResult Run(std::vector<std::string> words) {
    words.insert(words.begin(), "--db=/db");
    const std::unique_ptr<LDBCommand> command(
        LDBCommand::InitFromCmdLineArgs(words, options_, LDBOptions(), nullptr));
    if (command == nullptr) return LDBCommandExecuteResult::Failed("no such command");
    if (!command->ValidateCmdLineOptions()) return LDBCommandExecuteResult::Failed("not valid");
    command->Run();
    return command->GetExecuteState();
  }
  std::string Captured(const std::vector<std::string>& words) {
    testing::internal::CaptureStdout();
    LDBCommandExecuteResult result = Run(words);
    const std::string output = testing::internal::GetCapturedStdout();
    EXPECT_TRUE(result.IsSucceed()) << result.ToString();
    return output;
  }

  const std::unique_ptr<Env> env_;
  Options options_;
};

TEST_F(LdbCommandTest, RunsOverTheCallersEnv) {
  EXPECT_EQ(Captured({"put", "k", "v", "--create_if_missing"}), "OK\n");
  EXPECT_EQ(Captured({"get", "k"}), "v\n");
  EXPECT_EQ(Captured({"scan", "--hex"}), "0x6B : 0x76\n");
  LDBCommandExecuteResult missing = Run({"get", "other"});
  EXPECT_TRUE(missing.IsFailed());
  EXPECT_EQ(missing.ToString(), "Failed: Get failed: NotFound: ");
}

TEST_F(LdbCommandTest, WrongWordsAreNoCommand) {
  EXPECT_EQ(
      LDBCommand::InitFromCmdLineArgs({"--db=/db", "nonsense"}, options_, LDBOptions(), nullptr),
      nullptr);
  EXPECT_EQ(Run({"put", "k", "v", "--max_keys=3"}).ToString(), "Failed: not valid");
  EXPECT_TRUE(Run({"put", "k"}).IsFailed());
}

TEST_F(LdbCommandTest, FormatsKeysForScan) {
  struct Stars final : SliceFormatter {
    std::string Format(const Slice& s) const override { return "*" + s.ToString() + "*"; }
  };
  Captured({"put", "k", "v", "--create_if_missing"});
  LDBOptions ldb_options;
  ldb_options.key_formatter = std::make_shared<Stars>();
  const std::unique_ptr<LDBCommand> command(
      LDBCommand::InitFromCmdLineArgs({"--db=/db", "scan"}, options_, ldb_options, nullptr));
  testing::internal::CaptureStdout();
  command->Run();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "*k* : v\n");
}

// Of a family whose keys have timestamps.
class LdbTimestampTest : public LdbCommandTest {
 protected:
  LdbTimestampTest() {
    options_.comparator = BytewiseComparatorWithU64Ts();
    DB* db = nullptr;
    EXPECT_TRUE(DB::Open(options_, "/db", &db).ok());
    const auto put = [&](const char* key, uint64_t at, const char* value) {
      std::string stamp;
      EXPECT_TRUE(db->Put(WriteOptions(), key, EncodeU64Ts(at, &stamp), value).ok());
    };
    put("a", 3, "a3");
    put("a", 7, "a7");
    put("b", 5, "b5");
    EXPECT_TRUE(db->Flush(FlushOptions()).ok());
    std::string stamp;
    EXPECT_TRUE(db->Delete(WriteOptions(), "b", EncodeU64Ts(9, &stamp)).ok());
    EXPECT_TRUE(db->Close().ok());
    delete db;
  }
};

TEST_F(LdbTimestampTest, ReadsAsOfAMoment) {
  EXPECT_EQ(Captured({"get", "a", "--read_timestamp=4"}), "a3\n");
  EXPECT_EQ(Captured({"get", "a", "--read_timestamp=18446744073709551615"}), "a7\n");
  EXPECT_TRUE(Run({"get", "a", "--read_timestamp=2"}).IsFailed());
  EXPECT_EQ(Captured({"multi_get", "a", "b", "--read_timestamp=5"}), "a ==> a3\nb ==> b5\n");
  EXPECT_EQ(Captured({"multi_get", "b", "--read_timestamp=9"}), "Key not found: b\n");
  EXPECT_EQ(Captured({"get_entity", "a", "--read_timestamp=4"}), ":a3\n");
  EXPECT_EQ(Captured({"scan", "--read_timestamp=5"}), "a|timestamp:3 : a3\nb|timestamp:5 : b5\n");
  EXPECT_EQ(Captured({"scan", "--read_timestamp=9", "--hex"}), "0x61|timestamp:7 : 0x6137\n");
  EXPECT_EQ(Captured({"scan", "--read_timestamp=9", "--no_value"}), "a\n");
  // The newest of each.
  EXPECT_EQ(Captured({"dump"}), "a|timestamp:7 ==> a7\nKeys in range: 1\n");
}

TEST_F(LdbTimestampTest, AMomentIsNeededHereAlone) {
  const std::string missing =
      "Invalid argument: column family enables user-defined timestamp while --read_timestamp is "
      "not "
      "provided.";
  EXPECT_EQ("Failed: Get failed: " + missing, Run({"get", "a"}).ToString());
  EXPECT_EQ("Failed: Scan failed: " + missing, Run({"scan", "--read_timestamp="}).ToString());
  EXPECT_EQ("Failed: MultiGet failed: " + missing, Run({"multi_get", "a"}).ToString());
  for (const char* bad : {"x", "-1", "1x", "18446744073709551616", "0x5"}) {
    EXPECT_EQ(
        "Failed: Get failed: Invalid argument: user provided timestamp is not a valid uint64 "
        "value.",
        Run({"get", "a", std::string("--read_timestamp=") + bad}).ToString());
  }
  EXPECT_TRUE(Run({"put", "a", "v"}).IsFailed());
  EXPECT_TRUE(Run({"delete", "a"}).IsFailed());
  // And with another comparator the database does not open.
  options_.comparator = BytewiseComparator();
  EXPECT_TRUE(Run({"get", "a"}).IsFailed());
  EXPECT_EQ(Captured({"get", "a", "--read_timestamp=4", "--try_load_options"}), "a3\n");
}

TEST_F(LdbTimestampTest, AFamilyWithoutThemHasNone) {
  options_.comparator = BytewiseComparator();
  ASSERT_TRUE(DestroyDB("/db", options_).ok());
  EXPECT_EQ(Captured({"put", "k", "v", "--create_if_missing"}), "OK\n");
  EXPECT_EQ(
      "Failed: Get failed: Invalid argument: column family does not enable user-defined "
      "timestamps while --read_timestamp is provided.",
      Run({"get", "k", "--read_timestamp=4"}).ToString());
  EXPECT_EQ(Captured({"get", "k"}), "v\n");
}

TEST_F(LdbTimestampTest, InternalKeysShowThem) {
  EXPECT_EQ(Captured({"idump"}),
            "'a|timestamp:7' seq:2, type:1 => a7\n'a|timestamp:3' seq:1, type:1 => a3\n"
            "'b|timestamp:9' seq:4, type:20 => \n'b|timestamp:5' seq:3, type:1 => b5\n"
            "Internal keys in range: 4\n");
  EXPECT_EQ(Captured({"idump", "--from=a", "--to=b"}),
            "'a|timestamp:7' seq:2, type:1 => a7\n'a|timestamp:3' seq:1, type:1 => a3\n"
            "Internal keys in range: 2\n");
  std::vector<std::string> names;
  ASSERT_TRUE(env_->GetChildren("/db", &names).ok());
  for (const std::string& name : names) {
    if (!name.ends_with(".sst")) continue;
    const std::string file = "--file=/db/" + name;
    const char* words[] = {"sst_dump", file.c_str(), "--command=scan", "--from=a", "--to=b"};
    testing::internal::CaptureStdout();
    EXPECT_EQ(0, SSTDumpTool().Run(5, words, options_));
    const std::string shown = testing::internal::GetCapturedStdout();
    EXPECT_NE(std::string::npos, shown.find("'a|timestamp:7' seq:2, type:1 => a7\n"
                                            "'a|timestamp:3' seq:1, type:1 => a3\n"))
        << shown;
    EXPECT_EQ(std::string::npos, shown.find("=> b5")) << shown;
  }
}

// A command of one's own, beside those of the library.
class CountCommand final : public LDBCommand {
 public:
  explicit CountCommand(const ParsedParams& params)
      : LDBCommand(params.option_map, params.flags, /*is_read_only=*/true,
                   BuildCmdLineOptions({})) {}
  void DoCommand() override {
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions(), GetCfHandle()));
    int count = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++count;
    exec_state_ = LDBCommandExecuteResult::Succeed(std::to_string(count));
  }
};

TEST_F(LdbCommandTest, TakesCommandsOfOnesOwn) {
  Captured({"batchput", "a", "1", "b", "2", "--create_if_missing"});
  const auto selector = [](const LDBCommand::ParsedParams& params) -> LDBCommand* {
    return params.cmd == "count" ? new CountCommand(params) : LDBCommand::SelectCommand(params);
  };
  const std::unique_ptr<LDBCommand> command(LDBCommand::InitFromCmdLineArgs(
      {"--db=/db", "count"}, options_, LDBOptions(), nullptr, selector));
  ASSERT_NE(command, nullptr);
  command->Run();
  EXPECT_EQ(command->GetExecuteState().ToString(), "2");
}

TEST_F(LdbCommandTest, OpensTheFamiliesOfTheCaller) {
  Captured({"put", "k", "v", "--create_if_missing"});
  Captured({"create_column_family", "two"});
  const std::vector<ColumnFamilyDescriptor> families = {
      {kDefaultColumnFamilyName, ColumnFamilyOptions()}, {"two", ColumnFamilyOptions()}};
  const std::unique_ptr<LDBCommand> command(LDBCommand::InitFromCmdLineArgs(
      {"--db=/db", "--column_family=two", "put", "a", "b"}, options_, LDBOptions(), &families));
  testing::internal::CaptureStdout();
  command->Run();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "OK\n");
  EXPECT_EQ(Captured({"--column_family=two", "scan"}), "a : b\n");
}

TEST_F(LdbCommandTest, HexThatIsNoneIsEmpty) {
  EXPECT_EQ(LDBCommand::HexToString("0x6131"), "a1");
  testing::internal::CaptureStderr();
  EXPECT_EQ(LDBCommand::HexToString("6131"), "");
  EXPECT_NE(testing::internal::GetCapturedStderr().find("Must start with 0x"), std::string::npos);
  EXPECT_EQ(LDBCommand::StringToHex("a1"), "0x6131");
}

TEST_F(LdbCommandTest, SstDumpReadsTheCallersEnv) {
  Captured({"put", "k", "v", "--create_if_missing"});
  Captured({"compact"});
  testing::internal::CaptureStdout();
  const char* const words[] = {"sst_dump", "--file=/db", "--command=scan"};
  EXPECT_EQ(SSTDumpTool().Run(3, words, options_), 0);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("'k' seq:"), std::string::npos);
}

TEST_F(LdbCommandTest, UpdateManifestNeedsTheLock) {
  Captured({"put", "k", "v", "--create_if_missing"});
  DB* opened = nullptr;
  ASSERT_TRUE(DB::Open(options_, "/db", &opened).ok());
  const std::unique_ptr<DB> db(opened);
  const std::vector<ColumnFamilyDescriptor> families(1);
  EXPECT_TRUE(experimental::UpdateManifestForFilesState(options_, "/db", families).IsIOError());
  ASSERT_TRUE(db->Close().ok());
  EXPECT_TRUE(experimental::UpdateManifestForFilesState(options_, "/db", families).ok());
}

}  // namespace
}  // namespace rocksdb
