// What a write costs in sleeps and wake-ups, through the whole write path and with each option of
// it: counts for each write, as commit_wakes_test.cc has them for the queue alone. No option may be
// a trap that opens with the number of writers.
#include <memory>
#include <string>
#include <vector>

#include "db/testing/db_fixture.h"
#include "fiber/stats.h"
#include "fiber/sync.h"
#include "fiber/thread.h"

namespace cairn {
namespace {

struct Setting {
  const char* name;
  void (*set)(Options* options, WriteOptions* write);
};

const Setting kSettings[] = {
    {"default", [](Options*, WriteOptions*) {}},
    {"pipelined", [](Options* o, WriteOptions*) { o->enable_pipelined_write = true; }},
    {"unordered", [](Options* o, WriteOptions*) { o->unordered_write = true; }},
    {"two queues", [](Options* o, WriteOptions*) { o->two_write_queues = true; }},
    {"log flushed by hand", [](Options* o, WriteOptions*) { o->manual_wal_flush = true; }},
    {"one hand inserts",
     [](Options* o, WriteOptions*) { o->allow_concurrent_memtable_write = false; }},
    {"no log", [](Options*, WriteOptions* w) { w->disableWAL = true; }},
    {"synced", [](Options*, WriteOptions* w) { w->sync = true; }},
    {"pipelined, no log",
     [](Options* o, WriteOptions* w) { o->enable_pipelined_write = w->disableWAL = true; }},
    {"pipelined, synced",
     [](Options* o, WriteOptions* w) { o->enable_pipelined_write = w->sync = true; }},
};

class DbWriteWakesTest : public testing::DbTest {
 protected:
  // Futex calls of each write by so many threads at once.
  double CallsPerWrite(const Setting& setting, int writers, int writes) {
    disk_ = testing::Disk();
    Options options = SmallOptions();
    options.write_buffer_size = 64 << 20;
    WriteOptions write;
    setting.set(&options, &write);
    Open(options);
    const fiber::FutexCalls before = fiber::futex_calls();
    {
      fiber::Latch all_here(static_cast<uint32_t>(writers));
      std::vector<fiber::Thread> threads;
      for (int w = 0; w < writers; ++w) {
        threads.emplace_back("write", [&, w] {
          all_here.arrive_and_wait();
          for (int i = 0; i < writes; ++i) {
            ASSERT_TRUE(db_->Put(write, testing::Key(static_cast<uint64_t>(w)), "v").ok());
          }
        });
      }
      for (fiber::Thread& thread : threads) thread.join();
    }
    const fiber::FutexCalls after = fiber::futex_calls();
    Close();
    return static_cast<double>(after.sleeps - before.sleeps + after.wakes - before.wakes) /
           (writers * writes);
  }
};

// A follower sleeps and is woken once, once more if it inserts its own batch; a leader waits for
// what others do in its group. (A herd made it 50.)
TEST_F(DbWriteWakesTest, NoOptionWakesAHerd) {
  for (const Setting& setting : kSettings) {
    SCOPED_TRACE(setting.name);
    EXPECT_LE(CallsPerWrite(setting, 64, 60), 12);
  }
}

}  // namespace
}  // namespace cairn
