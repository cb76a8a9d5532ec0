// DB::OpenAndTrimHistory on a disk that fails in the middle: no database comes of it, and the one
// that is there stays whole. What lies at or below the moment is untouched, each key's newer
// versions are all there or gone, and the next try ends it.
#include <memory>
#include <string>
#include <vector>

#include "db/testing/db_fixture.h"
#include "db/testing/timestamps.h"
#include "rocksdb/comparator.h"

namespace cairn::testing {
namespace {

class DbTrimFaultTest : public DbTest {
 protected:
  static constexpr uint64_t kKeys = 120;
  static constexpr uint64_t kMoment = 25;

  Options TimestampOptions() {
    Options options = SmallOptions();
    options.comparator = BytewiseComparatorWithU64Ts();
    options.disable_auto_compactions = true;
    options.target_file_size_base = 4 << 10;
    return options;
  }
  static std::string ValueAt(uint64_t i, uint64_t ts) { return Value(i * 1000 + ts, 60); }

  // Versions of each key at 10, 20, 30 and 40, in tables of several levels and in the log.
  void Fill() {
    disk_ = Disk();
    disk_.faults->SetFileFilter(
        [](const std::string& path) { return path.find("/LOG") == std::string::npos; });
    Open(TimestampOptions());
    for (const uint64_t ts : {10, 20, 30, 40}) {
      for (uint64_t i = 0; i < kKeys; ++i) {
        const Status s = db_->Put(WriteOptions(), Key(i), Ts(ts), ValueAt(i, ts));
        ASSERT_TRUE(s.ok()) << s.ToString();
      }
      if (ts < 40) Flush();
      if (ts == 10) Compact();
    }
    Close();
  }
  Status Trim() {
    const Options options = TimestampOptions();
    std::vector<ColumnFamilyHandle*> handles;
    std::unique_ptr<DB> db;
    const Status s = DB::OpenAndTrimHistory(options, kDbName, {{kDefaultColumnFamilyName, options}},
                                            &handles, &db, Ts(kMoment));
    EXPECT_EQ(s.ok() ? 1u : 0u, handles.size());
    EXPECT_EQ(s.ok(), db != nullptr);
    for (ColumnFamilyHandle* handle : handles) delete handle;
    return s;
  }
  std::string GetAt(const std::string& key, uint64_t ts) {
    const std::string stamp = Ts(ts);
    const Slice at(stamp);
    ReadOptions options;
    options.timestamp = &at;
    std::string value;
    const Status s = db_->Get(options, key, &value);
    return s.ok() ? value : s.ToString();
  }
};

TEST_F(DbTrimFaultTest, AnOperationThatFailsLeavesNothingHalfDone) {
  int failed = 0;
  uint64_t step = 1;
  for (uint64_t n = 0;; n += step, step = 1 + n / 8) {
    SCOPED_TRACE("operation " + std::to_string(n));
    ASSERT_NO_FATAL_FAILURE(Fill());
    const auto rule =
        disk_.faults->AddRule({.operations = fault::kCreate | fault::kAppend | fault::kSync |
                                             fault::kClose | fault::kRename,
                               .after = n,
                               .times = 1});
    const Status s = Trim();
    const bool hit = disk_.faults->Hits(rule) > 0;
    disk_.faults->Heal();
    if (!hit) {
      ASSERT_TRUE(s.ok()) << s.ToString();
      break;
    }
    if (!s.ok()) ++failed;
    Open(TimestampOptions());
    for (uint64_t i = 0; i < kKeys; ++i) {
      ASSERT_EQ(ValueAt(i, 10), GetAt(Key(i), 19));
      ASSERT_EQ(ValueAt(i, 20), GetAt(Key(i), kMoment));
      const std::string newest = GetAt(Key(i), 99);
      if (s.ok() || newest == ValueAt(i, 20)) {
        ASSERT_EQ(ValueAt(i, 20), newest);
      } else {
        // Not trimmed yet: what is newest is.
        ASSERT_EQ(ValueAt(i, 40), newest);
      }
    }
    Close();
    const Status again = Trim();
    ASSERT_TRUE(again.ok()) << again.ToString();
    Open(TimestampOptions());
    for (uint64_t i = 0; i < kKeys; ++i) ASSERT_EQ(ValueAt(i, 20), GetAt(Key(i), 99));
    Close();
  }
  EXPECT_GT(failed, 10);
}

}  // namespace
}  // namespace cairn::testing
