// A forked child has tables of its own: the parent's may be locked by threads that it has not.
#include "base/per_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "fiber/mutex.h"
#include "fiber/sync.h"
#include "fiber/thread.h"

namespace cairn {
namespace {

struct Table {
  fiber::Mutex mutex;
  std::string entry;
};
constinit PerProcess<Table> g_table;

TEST(PerProcessTest, AProcessHasOne) {
  Table* elsewhere = nullptr;
  fiber::Thread("other", [&elsewhere] { elsewhere = &g_table.Get(); }).join();
  EXPECT_EQ(elsewhere, &g_table.Get());
}

TEST(PerProcessTest, AChildIsNotHeldUpByAThreadOfItsParent) {
  fiber::Event locked;
  fiber::Event forked;
  fiber::Thread holder("holder", [&] {
    Table& table = g_table.Get();
    fiber::MutexLock lock(&table.mutex);
    table.entry = "the parent's";
    locked.set();
    forked.wait();
  });
  locked.wait();
  // style: a second process is what this test is about
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(60);  // a hang is a failure, too
    Table& table = g_table.Get();
    fiber::MutexLock lock(&table.mutex);
    _exit(table.entry.empty() ? 0 : 1);
  }
  forked.set();
  holder.join();
  int status = -1;
  // style: a second process is what this test is about
  EXPECT_EQ(pid, waitpid(pid, &status, 0));
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(g_table.Get().entry, "the parent's");
}

}  // namespace
}  // namespace cairn
