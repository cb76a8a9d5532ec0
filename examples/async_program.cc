// A program with an event loop of its own that reads and writes by coroutines: they run on the
// loop's thread alone, while what they wait for goes on behind cairn/async.h.
#include <condition_variable>
#include <coroutine>
#include <cstdio>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "cairn/async.h"
#include "rocksdb/db.h"

namespace {

// The loop that a program has already: any thread may post, one runs.
class Loop {
 public:
  void Post(std::function<void()> task) {
    // style: a user's program, not the engine
    const std::lock_guard<std::mutex> lock(mu_);
    tasks_.push_back(std::move(task));
    some_.notify_one();
  }
  void Run() {
    while (!ended_) {
      std::function<void()> task;
      {
        // style: as above
        std::unique_lock<std::mutex> lock(mu_);
        some_.wait(lock, [this] { return !tasks_.empty(); });
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }
  void End() { ended_ = true; }

 private:
  std::mutex mu_;                 // style: as above
  std::condition_variable some_;  // style: as above
  std::deque<std::function<void()>> tasks_;
  bool ended_ = false;
};

// A coroutine that starts at once and frees itself at its end.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

constexpr int kClients = 1000;

struct Program {
  cairn::async::AsyncDB* db;
  Loop* loop;
  int ended = 0;  // no lock: the loop's thread alone counts
  int good = 0;
};

Detached Client(Program* program, int number) {
  const std::string key = "stone" + std::to_string(number);
  const rocksdb::Status put = co_await program->db->Put(rocksdb::WriteOptions(), key, "placed");
  const cairn::async::GetResult got = co_await program->db->Get(rocksdb::ReadOptions(), key);
  program->good += put.ok() && got.status.ok() && got.value == "placed";
  if (++program->ended == kClients) program->loop->End();
}

}  // namespace

int main(int argc, char** argv) {
  rocksdb::Options options;
  options.create_if_missing = true;
  std::unique_ptr<rocksdb::DB> db;
  rocksdb::Status s = rocksdb::DB::Open(options, argc > 1 ? argv[1] : "/tmp/cairn_async", &db);
  Loop loop;
  cairn::async::Options async_options;
  async_options.executor = [&loop](std::function<void()> task) { loop.Post(std::move(task)); };
  std::unique_ptr<cairn::async::AsyncDB> async;
  if (s.ok()) s = cairn::async::AsyncDB::Create(db.get(), async_options, &async);
  if (!s.ok()) {
    std::fprintf(stderr, "%s\n", s.ToString().c_str());
    return 1;
  }

  Program program{async.get(), &loop};
  for (int i = 0; i < kClients; i++) {
    loop.Post([&program, i] { Client(&program, i); });
  }
  loop.Run();
  std::printf("clients: %d of %d\n", program.good, kClients);

  // Without a loop: a future.
  const auto [status, entries, at_end] =
      async->NewIterator(rocksdb::ReadOptions())->Collect(3).Future().get();
  for (const auto& [key, value] : entries) std::printf("%s: %s\n", key.c_str(), value.c_str());
  return status.ok() && program.good == kClients ? 0 : 1;
}
