// Databases with a compaction filter: what is alive is never lost, what expired goes, also while
// threads and fibers write, and while the filter itself reads the database.
#include <atomic>
#include <functional>

#include "compaction/testing/function_filter.h"
#include "db/testing/db_fixture.h"
#include "fiber/random.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/snapshot.h"
#include "rocksdb/statistics.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::Key;
using testing::SeedText;
using testing::Value;
using Decision = CompactionFilter::Decision;

// Values begin with the time at which they expire.
std::string Expiring(uint64_t at, uint64_t seed) {
  return std::to_string(at) + " " + Value(seed, 80);
}
bool Expired(const Slice& value, uint64_t now) { return std::stoull(value.ToString()) <= now; }

class DbCompactionFilterTest : public testing::DbTest {
 protected:
  // Drops what expired by now_.
  FunctionFilter::Function DropExpired() {
    return [this](int, const Slice&, const Slice& value, std::string*) {
      return Expired(value, now_.load()) ? Decision::kRemove : Decision::kKeep;
    };
  }
  Options Filtered(FunctionFilter::Function function) {
    Options options = SmallOptions();
    options.max_background_jobs = 4;
    options.max_subcompactions = 3;
    auto factory = std::make_shared<FunctionFilterFactory>(std::move(function));
    factory->filter_flushes = true;
    options.compaction_filter_factory = std::move(factory);
    return options;
  }

  std::atomic<uint64_t> now_{0};
};

TEST_F(DbCompactionFilterTest, RandomHistoriesLoseWhatExpiredAndNothingElse) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE(SeedText(seed));
  Random64 random(seed);
  for (int life = 0; life < 8; ++life) {
    Options options = Filtered(DropExpired());
    options.compaction_style = random.OneIn(3) ? kCompactionStyleUniversal : kCompactionStyleLevel;
    options.level_compaction_dynamic_level_bytes = random.OneIn(2);
    Open(options);
    for (int i = 0; i < 2000; ++i) {
      const std::string key = Key(random.Uniform(600));
      if (random.OneIn(8)) {
        Delete(key);
      } else {
        Put(key, Expiring(now_.load() + 1 + random.Uniform(3000), random.Uniform(1 << 30)));
      }
      if (random.OneIn(2)) now_.fetch_add(1);
      if (random.OneIn(400)) Flush();
      if (random.OneIn(100)) {
        // What lives is there; what expired may be, but is never an older version.
        const std::string looked_up = Key(random.Uniform(600));
        const auto expected = model_.find(looked_up);
        const std::string found = Get(looked_up);
        if (found == "NOT_FOUND") {
          ASSERT_TRUE(expected == model_.end() || Expired(expected->second, now_.load()));
        } else {
          ASSERT_NE(model_.end(), expected) << looked_up;
          ASSERT_EQ(expected->second, found);
        }
      }
    }
    Compact();
    std::erase_if(model_, [&](const auto& entry) { return Expired(entry.second, now_.load()); });
    ExpectModel();
  }
}

TEST_F(DbCompactionFilterTest, AFilterReadsTheDatabaseWhileThreadsAndFibersWrite) {
  constexpr int kWriters = 4;  // half on threads, half on fibers
  constexpr uint64_t kKeys = 500;
  std::atomic<uint64_t> asked{0};
  // An entry "<writer>/live/<key>" lives until "<writer>/dead/<key>" is there.
  const auto name = [](int writer, const char* what, uint64_t key) {
    return std::to_string(writer) + what + Key(key);
  };
  Options options = Filtered([&](int, const Slice& key, const Slice&, std::string*) {
    std::string other = key.ToString();
    if (other.substr(1, 6) != "/live/") return Decision::kKeep;
    asked.fetch_add(1);
    std::string value;
    const Status s = db_->Get(ReadOptions(), other.replace(1, 6, "/dead/"), &value);
    EXPECT_TRUE(s.ok() || s.IsNotFound()) << s.ToString();
    return s.ok() ? Decision::kRemove : Decision::kKeep;
  });
  options.statistics = CreateDBStatistics();
  Open(options);
  const auto write_all = [&](int writer) {
    for (uint64_t i = 0; i < kKeys; ++i) {
      ASSERT_TRUE(db_->Put(WriteOptions(), name(writer, "/live/", i), Value(i, 200)).ok());
      if (i % 2 == 1) continue;
      ASSERT_TRUE(db_->Put(WriteOptions(), name(writer, "/dead/", i), "").ok());
    }
  };
  {
    fiber::RuntimeOptions runtime_options;
    runtime_options.workers = 2;
    runtime_options.stack_size = size_t{256} << 10;
    fiber::Runtime runtime(runtime_options);
    std::vector<fiber::JoinHandle> fibers;
    std::vector<fiber::Thread> threads;
    for (int writer = 0; writer < kWriters; ++writer) {
      if (writer % 2 == 0) {
        threads.emplace_back("writer", [&write_all, writer] { write_all(writer); });
      } else {
        fibers.push_back(runtime.spawn([&write_all, writer] { write_all(writer); }));
      }
    }
    for (fiber::Thread& thread : threads) thread.join();
    for (fiber::JoinHandle& handle : fibers) handle.join();
    // A fiber compacts, too.
    runtime.spawn([this] { Compact(); }).join();
  }
  EXPECT_GE(asked.load(), kWriters * kKeys);
  for (int writer = 0; writer < kWriters; ++writer) {
    for (uint64_t i = 0; i < kKeys; ++i) {
      ASSERT_EQ(i % 2 == 1 ? Value(i, 200) : "NOT_FOUND", Get(name(writer, "/live/", i)))
          << writer << " " << i;
    }
  }
  EXPECT_EQ(kWriters * kKeys / 2, options.statistics->getTickerCount(COMPACTION_KEY_DROP_USER));
}

TEST_F(DbCompactionFilterTest, AKilledDatabaseIsFilteredAgainWhenItRecovers) {
  Open(Filtered(DropExpired()));
  for (uint64_t i = 0; i < 100; ++i) Put(Key(i), Expiring(i + 1, i));
  now_ = 50;
  Kill();
  const Status s = TryOpen(Filtered(DropExpired()));
  ASSERT_TRUE(s.ok()) << s.ToString();
  std::erase_if(model_, [&](const auto& entry) { return Expired(entry.second, now_.load()); });
  EXPECT_EQ(50u, model_.size());
  ExpectModel();
}

TEST_F(DbCompactionFilterTest, ARefusedFilterStopsWritesAndLosesNothing) {
  FunctionFilter filter(DropExpired());
  filter.ignore_snapshots = false;
  Options options = SmallOptions();
  options.compaction_filter = &filter;
  Open(options);
  Put(Key(1), Expiring(100, 1));
  const Status s = db_->CompactRange(CompactRangeOptions(), nullptr, nullptr);
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  EXPECT_TRUE(db_->Put(WriteOptions(), "a", "b").IsNotSupported());
  ExpectModel();
  Open(SmallOptions());
  ExpectModel();
}

}  // namespace
}  // namespace cairn
