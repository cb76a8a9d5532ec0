// What a power cut may take: on a file system that forgets what was not synced (in memory, or the
// local one with cairn/fault_injection.h over it), a database is written, the power goes at a
// random moment, and after the reboot it must hold a prefix of the writes that ends at or after the
// last synced one.
//
// CAIRN_SEED sets the seed (printed).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "cairn/fault_injection.h"
#include "fiber/clock.h"
#include "fiber/random.h"
#include "fiber/runtime.h"
#include "fs/memory_file_system.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/write_batch.h"

namespace {

using namespace rocksdb;  // NOLINT(build/namespaces): the API under test

using Model = std::map<std::string, std::string>;

constexpr char kCountKey[] = "~count";  // holds the number of the write that wrote it last
constexpr int kPowerCuts = 40;
constexpr uint64_t kWritesPerLife = 400;

// Write number n always does the same, so a count says what the database must hold.
struct Change {
  std::string key, value;
  bool is_delete;
};

std::vector<Change> WriteNumber(uint64_t seed, uint64_t n) {
  cairn::Random64 random(seed * 1000003 + n);
  std::vector<Change> changes;
  for (uint64_t i = 1 + random.Uniform(5); i > 0; --i) {
    const std::string key = "key" + std::to_string(random.Uniform(500));
    if (random.OneIn(4)) {
      changes.push_back({key, "", true});
    } else {
      changes.push_back(
          {key, std::string(random.Uniform(400), static_cast<char>('a' + n % 26)), false});
    }
  }
  changes.push_back({kCountKey, std::to_string(n), false});
  return changes;
}

void Apply(const std::vector<Change>& changes, Model* model) {
  for (const Change& c : changes) {
    if (c.is_delete) {
      model->erase(c.key);
    } else {
      (*model)[c.key] = c.value;
    }
  }
}

Model Contents(DB* db) {
  Model model;
  std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    model[it->key().ToString()] = it->value().ToString();
  }
  EXPECT_TRUE(it->status().ok()) << it->status().ToString();
  return model;
}

// A disk that can lose power.
struct Disk {
  std::shared_ptr<FileSystem> fs;
  std::string path;  // of the database
  std::function<void()> freeze;
  std::function<void()> lose_unsynced;
  std::function<void(uint64_t seed)> lose_in_part;
};

Disk InMemory() {
  auto fs = std::make_shared<cairn::MemoryFileSystem>();
  return {fs, "/db", [fs] { fs->CrashAndFreeze(); }, [fs] { fs->DropUnsynced(); },
          [fs](uint64_t seed) { fs->DropUnsyncedRandomly(seed); }};
}

Disk OnTheLocalDisk() {
  auto fs = std::make_shared<cairn::fault::FaultInjectionFileSystem>(FileSystem::Default());
  const std::string path = ::testing::TempDir() + "cairn_power_cut_" +
                           std::to_string(fiber::wall_micros()) + "_" +
                           std::to_string(fiber::random_u64());
  return {fs, path, [fs] { fs->SetFilesystemActive(false); },
          [fs] {
            fs->Heal();
            EXPECT_GT(fs->UnsyncedBytes() + fs->UnsyncedNames(), 0u);
            const Status s = fs->DropUnsynced();
            ASSERT_TRUE(s.ok()) << s.ToString();
          },
          [fs](uint64_t seed) {
            fs->Heal();
            const Status s = fs->DropUnsyncedRandomly(seed);
            ASSERT_TRUE(s.ok()) << s.ToString();
          }};
}

class PowerCutTest : public ::testing::Test {
 protected:
  void Run(const Disk& disk, bool random_survival) {
    const char* text = std::getenv("CAIRN_SEED");
    const uint64_t seed =
        text != nullptr ? std::strtoull(text, nullptr, 10) : fiber::wall_micros() % 1000000000;
    std::printf("seed %llu (CAIRN_SEED overrides)\n", static_cast<unsigned long long>(seed));
    cairn::Random64 random(seed);
    std::unique_ptr<Env> env = NewCompositeEnv(disk.fs);
    Options options;
    options.env = env.get();
    options.create_if_missing = true;
    options.compression = kNoCompression;
    options.write_buffer_size = 64 << 10;  // flushes, and soon compactions, in each life
    options.target_file_size_base = 32 << 10;
    options.max_bytes_for_level_base = 64 << 10;
    uint64_t durable = 0;  // the write that must have survived
    for (int life = 0; life < kPowerCuts; ++life) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", life " + std::to_string(life));
      options.recycle_log_file_num = random.Uniform(3);
      options.enable_pipelined_write = random.OneIn(2);
      options.wal_compression = random.OneIn(3) ? kZSTD : kNoCompression;
      DB* raw = nullptr;
      const Status s = DB::Open(options, disk.path, &raw);
      ASSERT_TRUE(s.ok()) << s.ToString();
      std::unique_ptr<DB> db(raw);
      const Model found = Contents(db.get());
      const auto count = found.find(kCountKey);
      const uint64_t held = count == found.end() ? 0 : std::stoull(count->second);
      ASSERT_GE(held, durable) << "a synced write is lost";
      Model expected;
      for (uint64_t n = 1; n <= held; ++n) Apply(WriteNumber(seed, n), &expected);
      ASSERT_TRUE(found == expected) << "not the state after write " << held;

      durable = held;
      const uint64_t writes = 1 + random.Uniform(kWritesPerLife);
      for (uint64_t n = held + 1; n <= held + writes; ++n) {
        WriteBatch batch;
        for (const Change& c : WriteNumber(seed, n)) {
          ASSERT_TRUE((c.is_delete ? batch.Delete(c.key) : batch.Put(c.key, c.value)).ok());
        }
        WriteOptions write_options;
        write_options.sync = random.OneIn(20);
        const Status written = db->Write(write_options, &batch);
        ASSERT_TRUE(written.ok()) << written.ToString();
        if (write_options.sync) durable = n;
        if (random.OneIn(150)) {
          ASSERT_TRUE(db->Flush(FlushOptions()).ok());
          durable = n;  // in a table that the MANIFEST names
        }
      }
      if (life % 5 == 4) {
        ASSERT_TRUE(db->SyncWAL().ok());
        durable = held + writes;
      }
      disk.freeze();
      db.reset();  // errors now: the disk is gone
      if (random_survival) {
        disk.lose_in_part(random.Next());
      } else {
        disk.lose_unsynced();
      }
    }
    const Status destroyed = DestroyDB(disk.path, options);
    EXPECT_TRUE(destroyed.ok()) << destroyed.ToString();
  }
};

TEST_F(PowerCutTest, NoSyncedWriteIsLost) { Run(InMemory(), /*random_survival=*/false); }

TEST_F(PowerCutTest, NorIfPartsOfTheUnsyncedSurvive) { Run(InMemory(), /*random_survival=*/true); }

TEST_F(PowerCutTest, NoSyncedWriteIsLostOnTheLocalDisk) {
  Run(OnTheLocalDisk(), /*random_survival=*/false);
}

TEST_F(PowerCutTest, NorIfPartsOfTheUnsyncedSurviveOnTheLocalDisk) {
  Run(OnTheLocalDisk(), /*random_survival=*/true);
}

}  // namespace
