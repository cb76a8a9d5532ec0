// A simulated world: one plan, played from its start to its end. Within a fiber::Simulation.

#ifndef CAIRN_SIM_WORLD_H_
#define CAIRN_SIM_WORLD_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/namespace.h"
#include "base/random.h"
#include "fiber/mutex.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/listener.h"
#include "sim/client.h"
#include "sim/disk.h"
#include "sim/history.h"
#include "sim/machine.h"
#include "sim/plan.h"

namespace cairn::sim {

// Compactions that began.
class CompactionCounter final : public rocksdb::EventListener {
 public:
  void OnCompactionBegin(rocksdb::DB*, const rocksdb::CompactionJobInfo&) override { ++count_; }
  uint64_t count() const { return count_.load(); }

 private:
  std::atomic<uint64_t> count_{0};
};

class World : public Machine {
 public:
  static constexpr char kPath[] = "/db";
  static std::string PathOf(const std::string& name) { return std::string(kPath) + "/" + name; }
  static constexpr int kAccounts = 12;
  static constexpr int64_t kSum = 1000 * kAccounts;
  static std::string AccountKey(uint64_t number);

  World(const Plan& plan, History* history);

  // Plays all lives, or until the first violation.
  void Play();

  rocksdb::DB* db() { return db_.get(); }
  // The column family of a client's keys, or of an account.
  rocksdb::ColumnFamilyHandle* family_of(const Client& client) {
    return families_[static_cast<size_t>(client.place()) % families_.size()];
  }
  rocksdb::ColumnFamilyHandle* family_of_account(uint64_t number) {
    return families_[number % families_.size()];
  }
  const std::vector<rocksdb::ColumnFamilyHandle*>& families() const { return families_; }
  std::vector<std::unique_ptr<Client>>& clients() { return clients_; }
  fiber::Mutex& account_mutex(uint64_t number) { return account_mutexes_[number]; }
  // The disk's fault of this life, if it has one, is over, and Resume() was called if it is to be.
  bool healed() const { return healed_; }
  // Something of this life has gone wrong on purpose. After Resume() said OK, what begins then has
  // no more excuse.
  bool errors_are_allowed() const;
  bool resumed() const { return resumed_; }
  bool errors_are_allowed_after_resume() const;
  // All that was acknowledged before `begin` is durable (a sync or a flush that began then is
  // done): what is in the log, and, with `memtables`, what is not.
  void NoteDurable(uint64_t begin, bool memtables);
  static rocksdb::FlushOptions FlushWithoutWaiting();
  // From now on a family of this name, if there is one, shows this.
  void ExpectImport(const std::string& name, ImportedState expected) {
    imports_[name] = std::move(expected);
  }
  void ForgetImport(const std::string& name) { imports_.erase(name); }
  // A client, and what its keys had.
  struct Backup {
    int client;
    State state;
  };
  // By number: those that were acknowledged. Whoever touches them, or the directory, has set
  // backups_in_use().
  std::map<uint32_t, Backup>& backups() { return backups_; }
  std::atomic<bool>& backups_in_use() { return backups_in_use_; }
  // The options of this life have a prefix extractor.
  bool has_prefixes() const { return life_->options.prefix_extractor != nullptr; }
  bool has_compactions() const { return !life_->no_compactions; }
  // Compactions of this life run at workers, where they can.
  bool has_service() const { return HasService(*life_); }
  // What a snapshot shows never changes, and no batch is seen in part.
  bool has_fixed_snapshots() const { return !life_->options.unordered_write; }
  // Another database with the same families: a checkpoint, with the directories that its own
  // OPTIONS name; or (`own_logs`) what was restored, whose logs lie beside it.
  [[nodiscard]] rocksdb::Status OpenCopy(const std::string& path, bool own_logs, bool read_only,
                                         std::unique_ptr<rocksdb::DB>* db,
                                         std::vector<rocksdb::ColumnFamilyHandle*>* handles);
  // With all families, in their order, as the following. For reading, while it is open for writing.
  [[nodiscard]] rocksdb::Status OpenReader(std::unique_ptr<rocksdb::DB>* db,
                                           std::vector<rocksdb::ColumnFamilyHandle*>* handles);
  // `path`: for its LOG.
  [[nodiscard]] rocksdb::Status OpenSecondary(const std::string& path,
                                              std::unique_ptr<rocksdb::DB>* db,
                                              std::vector<rocksdb::ColumnFamilyHandle*>* handles);

 private:
  // Of which nothing that was acknowledged may be missing after a life: what went through the log,
  // and what did not.
  struct Kept {
    bool all = false;
    bool all_unlogged = false;
  };

  static constexpr uint64_t kServiceOneIn = 4;

  void PlayLife(size_t number, const LifePlan& life);
  bool BeginLife(size_t number, const LifePlan& life);
  bool EndWithClose(const LifePlan& life, Kept* kept);
  bool Recover(const LifePlan& life, Kept* kept);
  static bool HasService(const LifePlan& life) { return life.seed % kServiceOneIn == 0; }
  rocksdb::Options OptionsOf(const LifePlan& life);
  // With all families that it has; those of the plan come first.
  [[nodiscard]] rocksdb::Status TryOpen(const std::string& path, const LifePlan& life,
                                        bool read_only, std::unique_ptr<rocksdb::DB>* db,
                                        std::vector<rocksdb::ColumnFamilyHandle*>* handles);
  [[nodiscard]] rocksdb::Status TryOpen(const std::string& path, const rocksdb::Options& options,
                                        bool read_only, std::unique_ptr<rocksdb::DB>* db,
                                        std::vector<rocksdb::ColumnFamilyHandle*>* handles);
  // And drops families that a client had only begun to drop, or to import.
  bool Open(const LifePlan& life);
  void DropExtraFamilies();
  void CheckImport(rocksdb::ColumnFamilyHandle* family);
  rocksdb::Status Close();
  // Without closing first: as if the process died.
  void Abandon();
  void Found();
  // Until no job is under way that met a fault and has not said so. False: there may still be one.
  // `one_is_enough`: one that has said so is waited for, no others.
  bool AwaitFaults(bool one_is_enough);
  // After a shortage: until the database takes writes again, which it must. The same result.
  bool AwaitHealing();
  void BeginFlushes(const LifePlan& life);
  void Settle();
  void PlayClients(const LifePlan& life);
  void LosePower(const LifePlan& life, uint64_t seed);
  // Compares the database with the ledgers. `restart`: what is there is the state from now on.
  void Verify(const Kept& kept, bool restart);
  bool ReadAll(State* found);
  bool ReadFamily(rocksdb::ColumnFamilyHandle* family, State* found);
  void CheckLevels();
  void CheckLevel0(const std::string& family, std::vector<const rocksdb::LiveFileMetaData*> tables);
  void CheckForLeaks(const LifePlan& life);
  // (sim/damage.cc)
  void PlayDamage(const LifePlan& life);
  std::vector<std::string> FilesWithBytes() const;  // of the database's directory, sorted
  std::string LoseSomething(Random64* random, std::string* told);
  // Makes, before a close, the MANIFEST something that can be lost: tables tell all that it says.
  // False: they do not.
  bool DoWithoutManifest(const LifePlan& life);
  // Logs that tables have replaced are there again after a close, as after a power cut: in lives
  // without compactions, which may drop what hides an older entry, or its sequence number.
  [[nodiscard]] std::map<std::string, std::string> LogsSince(
      const std::set<std::string>& before) const;  // names and bytes
  void BringBack(const std::map<std::string, std::string>& logs);
  std::set<std::string> LogNames() const;
  std::vector<std::string> Children() const;  // of the database's directory
  void PlayRepair(const LifePlan& life, bool without_manifest);
  void EndLife();

  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;  // of db_
  std::vector<std::unique_ptr<Client>> clients_;
  std::array<fiber::Mutex, kAccounts> account_mutexes_;
  std::shared_ptr<rocksdb::Cache> cache_;           // of the database that was opened last
  std::shared_ptr<CompactionCounter> compactions_;  // of this life
  uint64_t remote_services_ = 0;                    // that there have been
  std::set<std::string> logs_before_;               // names, when this life began
  std::map<std::string, ImportedState> imports_;    // by the family's name
  std::atomic<bool> backups_in_use_{false};
  std::map<uint32_t, Backup> backups_;
  bool begins_life_ = false;        // it is being opened after a clean close, or for the first time
  const LifePlan* life_ = nullptr;  // that is played
  bool healed_ = false;
  bool resumed_ = false;
  uint64_t failures_at_resume_ = 0;
  uint64_t failures_before_ = 0;  // of the disk, when the life began
  // Virtual nanoseconds: what was acknowledged before is durable.
  uint64_t log_durable_ = 0;
  uint64_t memtables_durable_ = 0;
};

}  // namespace cairn::sim

#endif  // CAIRN_SIM_WORLD_H_
