// A client of a simulated world: a fiber or a thread that runs operations against the database and
// compares each answer with what it knows: exactly for its own keys, within bounds for those of
// others (a value that was current at some moment of the read), and as a sum for the accounts that
// all of them share (transfers are batches; every state of the database has the same sum).

#ifndef CAIRN_SIM_CLIENT_H_
#define CAIRN_SIM_CLIENT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "base/random.h"
#include "rocksdb/db.h"
#include "rocksdb/iterator.h"
#include "rocksdb/snapshot.h"
#include "rocksdb/write_batch.h"
#include "sim/ledger.h"
#include "sim/plan.h"

namespace cairn::sim {

class World;

class Client {
 public:
  Client(World* world, int id, const Plan::ClientPlan& plan);

  // Runs the operations of a life, until `count` are done, the world ends or a write has failed.
  void Run(uint64_t count);
  // Forgets what it held of the database that is gone.
  void EndLife();

  int id() const { return id_; }
  size_t place() const { return plan_.original; }  // in the plan of the seed
  const Plan::ClientPlan& plan() const { return plan_; }
  Ledger& ledger() { return ledger_; }
  const std::string& prefix() const { return prefix_; }
  // Another client's look at a key of this one: what its value may be.
  struct Window {
    size_t from;           // the version that was acknowledged when the read began
    size_t to = SIZE_MAX;  // behind the last one that was on its way when the snapshot was there
  };
  Window Look(const std::string& key) const;
  std::vector<Window> LookAtAll() const;
  // What is written from now on is not in them.
  void EndAll(std::vector<Window>* windows) const;
  // Whether `found` (nothing: no such key) was the value at some moment since.
  bool WasCurrent(const std::string& key, const Window& window,
                  const std::optional<std::string>& found) const;
  // After a restart: the values that are there are the first version.
  void RestartVersions();
  std::string KeyNumber(uint64_t number) const;

 private:
  struct Versions {
    std::vector<std::optional<std::string>> values;
    size_t acknowledged = 0;
  };
  struct Held {
    const rocksdb::Snapshot* snapshot;
    State state;
    // Another client, and its keys' windows when the snapshot was taken; or null.
    const Client* other;
    std::vector<Window> windows;
    std::optional<State> seen;  // of its keys, at the snapshot
  };
  // An iterator that lives on while files and memtables come and go below it.
  struct HeldIterator {
    std::unique_ptr<rocksdb::Iterator> iterator;
    State state;
  };

  void Step();
  bool Ok(std::string_view what, std::string_view key, const rocksdb::Status& s);
  // `whole`: `value` is the text of all columns, not that of the default one.
  void Compare(const std::string& key, const State& expected, const rocksdb::Status& s,
               const std::string& value, std::string_view what, bool whole = false);
  std::string DrawKey();
  std::string DrawValue();
  std::string DrawEntity();
  std::string DrawOperand();
  std::optional<std::string> ValueAfter(const std::vector<Effect>& effects,
                                        const std::string& key) const;
  void WriteSome();
  void SingleDelete();
  void Commit(rocksdb::WriteBatch* batch, std::vector<Effect> effects, std::string_view what);
  // Makes a change of these effects and notes that it was made. `durable`: it is, and all before
  // it, once acknowledged.
  void Change(std::vector<Effect> effects, std::string_view what, bool durable, bool from_outside,
              const std::function<rocksdb::Status()>& change);
  void GetOne();
  void GetOperands();
  void AskWhetherItMayExist();
  void GetMany();
  void ScanPrefix();
  void Scan();
  void Walk(rocksdb::Iterator* it, const State& expected, std::string_view what);
  void WalkOnHeld();
  void ChangeSnapshots();
  void LetGo(size_t which);
  void ScanHeld(Held& held);
  std::optional<State> ScanOther(const Client& other, const std::vector<Window>& windows,
                                 const rocksdb::Snapshot* snapshot);
  void GetOfAnother();
  void Transfer();
  void SumUp();
  void Administer();
  void FlushAll();
  void CompactRange();
  void FlushLog();
  void SyncLog();
  void PauseJobs();
  void VerifyOrWait();
  void ChangeOptions();
  void ComeAndGo();
  bool WriteBehindDrop(uint64_t durable_since);
  void Thin(rocksdb::ColumnFamilyHandle* family, uint64_t count);
  void CompactSome();
  void Follow();
  void LookAtSecondary();
  void LookAsReader();
  void LookAtAll(rocksdb::DB* db, const std::vector<rocksdb::ColumnFamilyHandle*>& families,
                 const char* what);
  void LookAtCheckpoint();
  void BackUp();
  // Opens, reads and destroys a copy of the database. `own_logs`: they lie beside it. `state`: of
  // the client's keys, as they must be there; null: it does not know.
  void LookAtCopy(const std::string& path, bool own_logs, const State* state,
                  std::string_view what);
  void ExportAndImport();
  bool LookAtImport(rocksdb::ColumnFamilyHandle* family, const ImportedState& expected,
                    const char* what);
  void FollowUpdates();
  void LookAround();
  void Ingest();
  [[nodiscard]] rocksdb::Status WriteOutside(const rocksdb::Options& options,
                                             const std::string& path, std::vector<Effect>* effects);
  rocksdb::ReadOptions Reading() const;  // for iterators that go anywhere
  const Held* DrawSnapshot();

  World* const world_;
  const int id_;
  const Plan::ClientPlan plan_;
  const std::string prefix_;
  Ledger ledger_;
  std::map<std::string, Versions> versions_;
  std::vector<Held> held_;
  std::vector<HeldIterator> iterators_;
  std::unique_ptr<rocksdb::Iterator> follower_;  // tailing; null: none yet
  // A secondary of its own; null: none yet.
  std::unique_ptr<rocksdb::DB> secondary_;
  std::vector<rocksdb::ColumnFamilyHandle*> secondary_families_;
  uint64_t number_ = 0;  // of the operation, over all lives
  Random64 random_{0};   // of the operation
  bool stopped_ = false;
  bool after_resume_ = false;  // all of this life's operations began after Resume() said OK
};

}  // namespace cairn::sim

#endif  // CAIRN_SIM_CLIENT_H_
