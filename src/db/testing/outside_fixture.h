// What the tests of directories outside of a database's own share: the database at /db with its
// logs in /wal or its tables in /tables, and copies of it. Test-only.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "db/testing/db_fixture.h"

namespace cairn::testing {

inline const char kWalDir[] = "/wal";
inline const char kTableDir[] = "/tables";
inline const char kCopy[] = "/copy";

class OutsideTest : public DbTest {
 protected:
  FileSystem* fs() { return disk_.memory.get(); }
  Options WithLogs() {
    Options options = SmallOptions();
    options.wal_dir = kWalDir;
    return options;
  }
  Options WithTables() {
    Options options = SmallOptions();
    options.db_paths = {{kTableDir, UINT64_MAX}};
    options.disable_auto_compactions = true;  // files that are compared must stay
    return options;
  }
  std::set<std::string> NamesIn(const std::string& dir) {
    std::vector<std::string> names;
    fs()->GetChildren(dir, IOOptions(), &names, nullptr).PermitUncheckedError();
    return {names.begin(), names.end()};
  }
  std::set<std::string> NamesIn(const std::string& dir, FileType wanted) {
    std::set<std::string> names = NamesIn(dir);
    std::erase_if(names, [wanted](const std::string& name) {
      uint64_t number;
      FileType type;
      return !ParseFileName(name, &number, &type) || type != wanted;
    });
    return names;
  }
  // Name and bytes of all that is in there.
  Contents BytesIn(const std::string& dir) {
    Contents all;
    for (const std::string& name : NamesIn(dir)) {
      if (name == "LOCK") continue;
      EXPECT_TRUE(ReadFileToString(fs(), dir + "/" + name, &all[name]).ok());
    }
    return all;
  }
  // As cp -r does.
  void Copy(const std::string& from, const std::string& to) {
    ASSERT_TRUE(fs()->CreateDirIfMissing(to, IOOptions(), nullptr).ok());
    for (const auto& [name, bytes] : BytesIn(from)) {
      ASSERT_TRUE(WriteStringToFile(fs(), bytes, to + "/" + name, true).ok());
    }
  }
  void Remove(const std::string& dir) {
    for (const std::string& name : NamesIn(dir)) {
      ASSERT_TRUE(fs()->DeleteFile(dir + "/" + name, IOOptions(), nullptr).ok());
    }
    ASSERT_TRUE(fs()->DeleteDir(dir, IOOptions(), nullptr).ok());
  }
  // In all its ways; and nothing in `outside` is touched.
  void ExpectRefused(const Options& options, const std::string& path, const std::string& outside,
                     const std::string& because) {
    const Contents before = BytesIn(outside);
    std::unique_ptr<DB> other;
    const auto expect = [&](const char* how, const Status& s) {
      EXPECT_TRUE(s.IsInvalidArgument()) << how << ": " << s.ToString();
      EXPECT_NE(s.ToString().find(because), std::string::npos) << how << ": " << s.ToString();
      EXPECT_NE(s.ToString().find(path), std::string::npos) << how << ": " << s.ToString();
      EXPECT_EQ(before, BytesIn(outside)) << how;
      other.reset();
    };
    expect("Open", DB::Open(options, path, &other));
    expect("OpenForReadOnly", DB::OpenForReadOnly(options, path, &other));
    expect("OpenAsSecondary", DB::OpenAsSecondary(options, path, "/second", &other));
    expect("RepairDB", RepairDB(path, options));
  }
  Status OpenAt(const std::string& path, const Options& options) {
    db_.reset();
    return DB::Open(options, path, &db_);
  }
};

}  // namespace cairn::testing
