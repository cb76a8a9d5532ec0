// The machine of a simulated world: its disk, its power, and the clients that run on it.

#ifndef CAIRN_SIM_MACHINE_H_
#define CAIRN_SIM_MACHINE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/namespace.h"
#include "base/random.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "sim/disk.h"
#include "sim/history.h"
#include "sim/plan.h"

namespace cairn::sim {

class Machine {
 public:
  Machine(const Plan& plan, History* history);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const Plan& plan() const { return plan_; }
  History& history() { return *history_; }
  // The clients are to end.
  bool over() const { return over_ || history_->violated(); }

  // Has client `id` do its next operations, `count` at most, but for those that the plan skips:
  // each is a call of `step`, which says false where the client is to stop. *number counts them
  // over all lives. *random is an operation's own: what others draw, or a reducer takes away, does
  // not change it.
  void PlayOperations(int id, uint64_t count, uint64_t* number, Random64* random,
                      const std::function<bool()>& step);

 protected:
  ~Machine() = default;

  void CutPower(std::string_view when);
  // When so many changes of files are done; 0: never.
  void CutPowerAfterChanges(uint64_t changes);
  // One more promise that something is durable was kept.
  void NotePromise();
  // After a power cut, when the database is gone: what the disk does not hold goes, too.
  void DropUnsynced(const LifePlan& life, uint64_t seed);
  // Opens the database again, with the power cuts that the plan has for that. `open` says false if
  // it cannot be opened; `lose_power(seed)` gives up what is open, and what the disk does not hold.
  // False: it cannot be opened, though there is power.
  bool Reopen(const LifePlan& life, const std::function<bool()>& open,
              const std::function<void(uint64_t)>& lose_power);
  static std::string FamilyName(int number);
  // Those of the plan.
  std::vector<rocksdb::ColumnFamilyDescriptor> FamiliesWith(const rocksdb::Options& options) const;
  // Has the clients run until they end, each as its plan says on a fiber or a thread. Meanwhile
  // `look(nanoseconds since the start)`, now and then.
  template <class ClientT>
  void RunClients(const LifePlan& life, const std::vector<std::unique_ptr<ClientT>>& clients,
                  const std::function<void(uint64_t)>& look);

  const Plan plan_;
  History* const history_;
  std::shared_ptr<MemoryFileSystem> memory_;
  std::shared_ptr<Disk> disk_;
  std::unique_ptr<rocksdb::Env> env_;
  bool over_ = false;
  bool power_is_off_ = false;
  uint64_t promises_left_ = 0;  // until the power goes; 0: that does not depend on them

 private:
  static constexpr size_t kStackBytes = 256 << 10;
};

template <class ClientT>
void Machine::RunClients(const LifePlan& life, const std::vector<std::unique_ptr<ClientT>>& clients,
                         const std::function<void(uint64_t)>& look) {
  constexpr uint64_t kLookNanos = 2'000'000;
  int running = static_cast<int>(clients.size());
  const auto run = [this, &running](ClientT* client) {
    client->Run(plan_.operations);
    --running;
  };
  const uint64_t start = fiber::now_nanos();
  fiber::RuntimeOptions options;
  options.workers = 2;
  options.stack_size = kStackBytes;
  fiber::Runtime runtime(options);
  std::vector<fiber::JoinHandle> fibers;
  std::vector<fiber::Thread> threads;
  for (const auto& client : clients) {
    ClientT* const one = client.get();
    if (client->plan().fiber) {
      fibers.push_back(runtime.spawn([&run, one] { run(one); }));
    } else {
      threads.emplace_back("client", [&run, one] { run(one); });
    }
  }
  while (running != 0) {
    fiber::sleep_for(kLookNanos);
    const uint64_t passed = fiber::now_nanos() - start;
    look(passed);
    if (life.ending == Ending::kPowerCut && passed >= life.length_nanos) {
      CutPower("the power goes");
    }
  }
  fibers.clear();
  threads.clear();
  promises_left_ = 0;
  if (life.ending == Ending::kPowerCut) CutPower("the power goes after the last operation");
}

}  // namespace cairn::sim

#endif  // CAIRN_SIM_MACHINE_H_
