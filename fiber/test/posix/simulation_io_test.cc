// I/O in a simulation: real files and pipes, whose completions come when the seed says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "fiber/io.h"
#include "fiber/runtime.h"
#include "fiber/simulation.h"
#include "fiber/wait.h"
#include "testing.h"

namespace fiber {
namespace {

using ::testing::HasSubstr;
using testing::WithoutLeakCheck;
using Status = SimulationResult::Status;

TEST(SimulationIoTest, CompletionsComeInAnOrderOfTheSeed) {
  char path[] = "/tmp/fiber_simulation_XXXXXX";
  const int fd = mkstemp(path);
  ASSERT_GE(fd, 0);
  unlink(path);
  std::set<std::string> orders;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    std::string first;
    for (int run = 0; run < 2; run++) {
      std::string order;
      const SimulationResult result = Simulation(seed).run([&] {
        Runtime runtime;
        std::vector<JoinHandle> handles;
        for (int i = 0; i < 8; i++) {
          handles.push_back(runtime.spawn([&, i] {
            const char c = static_cast<char>('a' + i);
            EXPECT_EQ(io::pwrite(fd, &c, 1, static_cast<uint64_t>(i)), 1);
            order += c;
          }));
        }
        handles.clear();
        char all[9] = {};
        EXPECT_EQ(io::pread(fd, all, 8, 0), 8);  // on a plain thread
        EXPECT_STREQ(all, "abcdefgh");
      });
      ASSERT_TRUE(result.ok()) << result.report;
      EXPECT_GE(result.nanos, 2u * SimulationOptions().io_min_nanos);
      EXPECT_TRUE(run == 0 || order == first);
      first = order;
    }
    orders.insert(first);
  }
  EXPECT_GT(orders.size(), 8u);
  close(fd);
}

// A read of a pipe parks its fiber, or simulated thread, and not the real thread.
TEST(SimulationIoTest, APipeConnectsSimulatedThreads) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const SimulationResult result = Simulation(seed).run([&] {
      Runtime runtime;
      JoinHandle reader = runtime.spawn([&] {
        std::string all;
        char buffer[1000];
        for (ssize_t n; (n = io::read(ends[0], buffer, sizeof(buffer))) > 0;)
          all.append(buffer, static_cast<size_t>(n));
        EXPECT_EQ(all.size(), 200'000u);
      });
      const std::string data(200'000, 'x');  // more than a pipe holds
      size_t done = 0;
      while (done < data.size()) {
        const ssize_t n = io::write(ends[1], data.data() + done, data.size() - done);
        ASSERT_GT(n, 0);
        done += static_cast<size_t>(n);
      }
      io::close(ends[1]);
    });
    ASSERT_TRUE(result.ok()) << result.report;
    close(ends[0]);
  }
}

TEST(SimulationIoTest, AReadOfAPipeThatNobodyWritesIsADeadlock) {
  WithoutLeakCheck leaks;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  char c;
  EXPECT_EQ(Simulation(1).run([&] { (void)io::read(ends[0], &c, 1); }).status, Status::kDeadlock);
  EXPECT_EQ(Simulation(1)
                .run([&] {
                  Runtime runtime;
                  runtime.run([&] { (void)io::read(ends[0], &c, 1); });
                })
                .status,
            Status::kDeadlock);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace fiber
