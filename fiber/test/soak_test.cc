// Every primitive at once, on the same objects, between fibers of two runtimes (one engine each)
// and plain threads, for as long as asked: FIBER_SOAK_SECONDS (two by default). Each participant
// picks its next act at random and checks what that act promises; at the end the sums must agree.
// A hang is the test runner's to end.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "fiber/guest.h"
#include "fiber/io.h"
#include "fiber/local.h"
#include "fiber/mutex.h"
#include "fiber/net.h"
#include "fiber/random.h"
#include "fiber/runtime.h"
#include "fiber/std.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "fiber/wait.h"
#include "testing.h"

namespace fiber {
namespace {

using namespace std::chrono_literals;

constexpr int kFibersEach = 24;
constexpr int kThreads = 4;
constexpr uint64_t kPause = 20000;  // ns
constexpr size_t kRecord = 64;
constexpr int kRecords = 16;

uint32_t pick(uint32_t n) { return static_cast<uint32_t>(random_u64() >> 33) % n; }

// What an act starts beside itself: fibers of the runtime or plain threads.
class Helpers {
 public:
  explicit Helpers(Runtime* runtime) : runtime_(runtime) {}
  void start(std::function<void()> body) {
    if (pick(2) == 0) {
      fibers_.push_back(runtime_->spawn(std::move(body)));
    } else {
      threads_.emplace_back("helper", std::move(body));
    }
  }
  void join() {
    for (JoinHandle& fiber : fibers_) fiber.join();
    for (Thread& thread : threads_) thread.join();
  }

 private:
  Runtime* const runtime_;
  std::vector<JoinHandle> fibers_;
  std::vector<Thread> threads_;
};

class Soak {
 public:
  Soak(Runtime* one, Runtime* other) : runtimes_{one, other} {
    const std::string path = testing::scratch_path("soak");
    file_ = io::open(path.c_str(), io::kCreate | io::kExclusive | io::kReadWrite, 0600);
    EXPECT_GE(file_, 0);
    const std::string blank(kRecord * kRecords, 'a');
    EXPECT_EQ(io::pwrite(file_, blank.data(), blank.size(), 0),
              static_cast<ptrdiff_t>(blank.size()));
    EXPECT_EQ(io::unlink(path.c_str()), 0);
  }
  ~Soak() {
    (void)io::close(file_);
    // What was put and not taken.
    EXPECT_EQ(put_.load(), taken_.load() + queue_.size());
    EXPECT_EQ(left_, right_);
    EXPECT_EQ(left_, sections_.load());
    EXPECT_EQ(using_.load(), 0);
    EXPECT_EQ(permits_.value(), kPermits);
    for (size_t i = 0; i < done_.size(); i++)
      std::printf("%s %zu\n", kActs[i].name, done_[i].load());
  }

  void participate(uint64_t end) {
    uint64_t own = 0;
    while (now_nanos() < end) {
      const uint32_t i = pick(static_cast<uint32_t>(kActs.size()));
      (this->*kActs[i].act)();
      done_[i].fetch_add(1, std::memory_order_relaxed);
      EXPECT_EQ(++*mine_, ++own) << "fiber::local is another's";
      EXPECT_EQ(++*also_mine_, own) << "thread_local_ptr is another's";
    }
  }

 private:
  static constexpr uint32_t kPermits = 5;
  static constexpr size_t kCapacity = 8;

  void section(uint64_t* a, uint64_t* b) {
    EXPECT_EQ(*a, *b);
    ++*a;
    if (pick(4) == 0) yield();
    ++*b;
  }
  void mutex() {
    MutexLock lock(&mutex_);
    section(&left_, &right_);
    sections_++;
  }
  void try_mutex() {
    if (!mutex_.try_lock()) return;
    section(&left_, &right_);
    mutex_.unlock();
    sections_++;
  }
  void timed_mutex() {
    fiber_std::unique_lock held(timed_, 30us);
    if (held.owns_lock()) section(&timed_left_, &timed_right_);
  }
  void recursive_mutex() {
    fiber_std::lock_guard outer(recursive_);
    fiber_std::lock_guard inner(recursive_);
    section(&recursive_left_, &recursive_right_);
  }
  void shared_mutex() {
    if (pick(4) == 0) {
      WriterLock lock(&shared_);
      section(&shared_left_, &shared_right_);
    } else {
      ReaderLock lock(&shared_);
      EXPECT_EQ(shared_left_, shared_right_);
    }
  }
  void shared_timed_mutex() {
    if (pick(4) == 0) {
      if (!shared_timed_.try_lock_for(30us)) return;
      section(&shared_timed_left_, &shared_timed_right_);
      shared_timed_.unlock();
    } else if (shared_timed_.try_lock_shared_for(30us)) {
      EXPECT_EQ(shared_timed_left_, shared_timed_right_);
      shared_timed_.unlock_shared();
    }
  }
  void put() {
    MutexLock lock(&queue_mutex_);
    const uint64_t deadline = deadline_after(kPause);
    while (queue_.size() >= kCapacity) {
      if (!not_full_.wait_until(&queue_mutex_, deadline)) return;
    }
    queue_.push_back(put_++);
    not_empty_.notify_one();
  }
  void take() {
    MutexLock lock(&queue_mutex_);
    const uint64_t deadline = deadline_after(kPause);
    while (queue_.empty()) {
      if (!not_empty_.wait_until(&queue_mutex_, deadline)) return;
    }
    EXPECT_EQ(queue_.front(), taken_.load()) << "out of order";
    queue_.pop_front();
    taken_++;
    if (pick(2) == 0) {
      not_full_.notify_one();
    } else {
      not_full_.notify_all();
    }
  }
  void semaphore() {
    const uint32_t n = 1 + pick(2);
    if (!permits_.acquire_until(deadline_after(kPause), n)) return;
    EXPECT_LE(using_.fetch_add(n) + n, kPermits);
    if (pick(2) == 0) yield();
    using_.fetch_sub(n);
    permits_.release(n);
  }
  void raw_wait() {
    const uint32_t seen = word_.load();
    if (pick(2) == 0) {
      word_.fetch_add(1);
      (void)wake(&word_, 1 + pick(3));
    } else {
      (void)wait(&word_, seen, deadline_after(kPause));
    }
  }
  void latch_and_event() {
    const uint32_t n = 1 + pick(3);
    auto latch = std::make_unique<Latch>(n);
    Event go;
    std::atomic<uint32_t> ran{0};
    Helpers helpers(runtime());
    for (uint32_t i = 0; i < n; i++) {
      helpers.start([&] {
        go.wait();
        ran++;
        latch->count_down();
      });
    }
    go.set();
    latch->wait();
    EXPECT_EQ(ran, n);
    helpers.join();
  }
  void barrier() {
    constexpr int kParties = 3;
    std::atomic<int> phase{0}, late{0};
    fiber_std::barrier meet(kParties, [&phase]() noexcept { phase++; });
    Helpers helpers(runtime());
    for (int p = 0; p < kParties; p++) {
      helpers.start([&] {
        for (int i = 1; i <= 3; i++) {
          meet.arrive_and_wait();
          if (phase < i) late++;
        }
      });
    }
    helpers.join();
    EXPECT_EQ(late, 0);
    EXPECT_EQ(phase, 3);
  }
  void once() {
    struct Shared {
      OnceFlag flag;
      std::atomic<int> ran{0};
    };
    auto shared = std::make_shared<Shared>();
    Helpers helpers(runtime());
    const auto call = [shared] {
      call_once(shared->flag, [&] {
        yield();
        shared->ran++;
      });
      EXPECT_EQ(shared->ran, 1);
    };
    helpers.start(call);
    call();
    helpers.join();
  }
  void future() {
    auto answer = fiber_std::async(
        fiber_std::launch::async,
        [](int n) {
          yield();
          if (n == 0) throw std::runtime_error("zero");
          return 2 * n;
        },
        static_cast<int>(pick(4)));
    try {
      EXPECT_GT(answer.get(), 0);
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "zero");
    }
  }
  void stop_token() {
    fiber_std::mutex lock;
    fiber_std::condition_variable_any cond;
    bool stopped = false;
    {
      fiber_std::jthread worker([&](fiber_std::stop_token token) {
        fiber_std::unique_lock held(lock);
        stopped = !cond.wait(held, token, [] { return false; });
      });
      if (pick(2) == 0) sleep_for(kPause);
    }
    EXPECT_TRUE(stopped);
  }
  void exceptions() {
    try {
      try {
        throw std::out_of_range("inner");
      } catch (...) {
        yield();
        std::throw_with_nested(std::logic_error("outer"));
      }
    } catch (const std::exception& outer) {
      sleep_for(pick(kPause));
      EXPECT_STREQ(outer.what(), "outer");
      try {
        std::rethrow_if_nested(outer);
        ADD_FAILURE() << "lost what was nested";
      } catch (const std::out_of_range& inner) {
        EXPECT_STREQ(inner.what(), "inner");
      }
    }
  }
  void sleep() {
    const uint64_t until = deadline_after(pick(kPause));
    sleep_until(until);
    EXPECT_GE(now_nanos(), until);
  }
  void move() {
    yield();
    if (!in_fiber()) return;
    const int to = static_cast<int>(pick(2));
    const int error = migrate(to);
    if (error == 0) EXPECT_EQ(current_worker(), to);
  }
  void gather_reads() {
    std::array<char, kRecord> first{}, second{};
    std::array<Function, 2> reads = {Function([&] { read_record(&first); }),
                                     Function([&] { read_record(&second); })};
    gather(reads);
  }
  // A record is written in one call: all its bytes are the same.
  void read_record(std::array<char, kRecord>* out) {
    const int i = static_cast<int>(pick(kRecords));
    ReaderLock lock(&record_locks_[i]);
    ASSERT_EQ(io::pread(file_, out->data(), kRecord, kRecord * i), static_cast<ptrdiff_t>(kRecord));
    for (char c : *out) ASSERT_EQ(c, (*out)[0]);
  }
  void write_file() {
    const int i = static_cast<int>(pick(kRecords));
    const std::string record(kRecord, static_cast<char>('a' + pick(26)));
    WriterLock lock(&record_locks_[i]);
    ASSERT_EQ(io::pwrite(file_, record.data(), kRecord, kRecord * i),
              static_cast<ptrdiff_t>(kRecord));
    if (pick(8) == 0) ASSERT_EQ(io::fdatasync(file_), 0);
  }
  void socket() {
    int fds[2];
    ASSERT_EQ(net::socket_pair(fds), 0);
    Helpers helpers(runtime());
    helpers.start([fd = fds[1]] {
      char byte;
      while (net::recv(fd, &byte, 1) == 1)
        (void)net::send(fd, &byte, 1, 0, testing::far_deadline());
    });
    for (char c = 'a'; c < 'd'; c++) {
      char back = 0;
      ASSERT_EQ(net::send(fds[0], &c, 1), 1);
      ASSERT_EQ(net::recv(fds[0], &back, 1, 0, testing::far_deadline()), 1);
      ASSERT_EQ(back, c);
    }
    char nothing;
    ASSERT_EQ(net::recv(fds[0], &nothing, 1, 0, deadline_after(kPause)), -ETIMEDOUT);
    ASSERT_EQ(net::shutdown(fds[0], net::kShutBoth), 0);
    helpers.join();
    ASSERT_EQ(net::close(fds[0]), 0);
    ASSERT_EQ(net::close(fds[1]), 0);
  }

  struct Act {
    const char* name;
    void (Soak::*act)();
  };
  static constexpr std::array kActs = {
      Act{"Mutex", &Soak::mutex},
      Act{"Mutex::try_lock", &Soak::try_mutex},
      Act{"timed_mutex", &Soak::timed_mutex},
      Act{"recursive_mutex", &Soak::recursive_mutex},
      Act{"SharedMutex", &Soak::shared_mutex},
      Act{"shared_timed_mutex", &Soak::shared_timed_mutex},
      Act{"CondVar, put", &Soak::put},
      Act{"CondVar, take", &Soak::take},
      Act{"Semaphore", &Soak::semaphore},
      Act{"wait and wake", &Soak::raw_wait},
      Act{"Latch and Event", &Soak::latch_and_event},
      Act{"barrier", &Soak::barrier},
      Act{"call_once", &Soak::once},
      Act{"async", &Soak::future},
      Act{"jthread and stop_token", &Soak::stop_token},
      Act{"exceptions", &Soak::exceptions},
      Act{"sleep", &Soak::sleep},
      Act{"yield and migrate", &Soak::move},
      Act{"gather of reads", &Soak::gather_reads},
      Act{"pwrite, fdatasync", &Soak::write_file},
      Act{"sockets", &Soak::socket},
  };

  Runtime* runtime() const { return runtimes_[pick(2)]; }

  Runtime* const runtimes_[2];
  int file_ = -1;

  Mutex mutex_;
  uint64_t left_ FIBER_GUARDED_BY(mutex_) = 0, right_ FIBER_GUARDED_BY(mutex_) = 0;
  std::atomic<uint64_t> sections_{0};
  fiber_std::timed_mutex timed_;
  uint64_t timed_left_ = 0, timed_right_ = 0;
  fiber_std::recursive_mutex recursive_;
  uint64_t recursive_left_ = 0, recursive_right_ = 0;
  SharedMutex shared_;
  uint64_t shared_left_ = 0, shared_right_ = 0;
  fiber_std::shared_timed_mutex shared_timed_;
  uint64_t shared_timed_left_ = 0, shared_timed_right_ = 0;
  Mutex queue_mutex_;
  CondVar not_full_, not_empty_;
  std::deque<uint64_t> queue_ FIBER_GUARDED_BY(queue_mutex_);
  std::atomic<uint64_t> put_{0}, taken_{0};
  Semaphore permits_{kPermits};
  std::atomic<uint32_t> using_{0};
  std::atomic<uint32_t> word_{0};
  std::array<SharedMutex, kRecords> record_locks_;
  local<uint64_t> mine_;
  fiber_std::thread_local_ptr<uint64_t> also_mine_;
  std::array<std::atomic<size_t>, kActs.size()> done_{};
};

TEST(SoakTest, EveryPrimitiveBetweenFibersAndThreads) {
  const char* const wish = std::getenv("FIBER_SOAK_SECONDS");
  const uint64_t seconds = wish != nullptr ? std::strtoull(wish, nullptr, 10) : 2;
  Runtime ring({.workers = 2, .name = "ring"});
  Runtime epoll({.workers = 2, .engine = Engine::kEpoll, .name = "epoll"});
  Soak soak(&ring, &epoll);
  const uint64_t end = deadline_after(seconds * testing::kSecond);
  std::vector<JoinHandle> fibers;
  std::vector<Thread> threads;
  for (int i = 0; i < kFibersEach; i++) {
    fibers.push_back(ring.spawn([&] { soak.participate(end); }));
    fibers.push_back(epoll.spawn([&] { soak.participate(end); }));
  }
  for (int i = 0; i < kThreads; i++) threads.emplace_back("soak", [&] { soak.participate(end); });
  for (JoinHandle& fiber : fibers) fiber.join();
  for (Thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace fiber
