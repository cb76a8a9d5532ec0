// A simulated world of user-defined timestamps: clients write versions of their own keys with
// timestamps that grow, read as of older ones, and raise the mark below which nobody reads
// (full_history_ts_low), while flushes and compactions drop what it allows; lives end by closes and
// power cuts. What a reader at or above the mark sees must be what the model says, at once, at
// snapshots, in checkpoints and after a restart; one below it must be refused; and a mark that was
// acknowledged must be there after any end. Where tables do not keep timestamps a flush raises the
// mark, too, so that any read of the past may be refused.

#ifndef CAIRN_SIM_TIMESTAMP_WORLD_H_
#define CAIRN_SIM_TIMESTAMP_WORLD_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/namespace.h"
#include "fiber/mutex.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "sim/history.h"
#include "sim/machine.h"
#include "sim/plan.h"
#include "sim/timestamp_client.h"

namespace cairn::sim {

class TimestampWorld : public Machine {
 public:
  // The mark of a family.
  struct Low {
    uint64_t acknowledged = 0;  // it is at least this
    uint64_t asked = 0;         // ... and at most this
  };

  // `plan`: of Plan::TimestampsFromSeed().
  TimestampWorld(const Plan& plan, History* history);

  // Plays all lives, or until the first violation.
  void Play();

  // --- For the clients.
  rocksdb::DB* db() { return db_.get(); }
  const std::vector<std::unique_ptr<TimestampClient>>& clients() const { return clients_; }
  size_t family_number_of(size_t place) const { return place % lows_.size(); }
  rocksdb::ColumnFamilyHandle* family_of(size_t place) {
    return families_[family_number_of(place)];
  }
  const std::vector<rocksdb::ColumnFamilyHandle*>& families() const { return families_; }
  Low& low_of(size_t place) { return lows_[family_number_of(place)]; }
  bool power_is_off() const { return power_is_off_; }
  uint64_t now() const { return now_; }
  uint64_t NextTimestamp();
  // Where tables do not keep them timestamps are written in their order, whoever writes: who draws
  // one holds this until it is written. Otherwise it is nobody's.
  std::unique_lock<fiber::Mutex> KeepOrder();
  // All that was acknowledged before `begin` is durable.
  void NoteDurable(uint64_t begin);
  // Another database with the same families: a checkpoint, a reader or a secondary of this one.
  [[nodiscard]] rocksdb::Status OpenCopy(const std::string& path, std::unique_ptr<rocksdb::DB>* db,
                                         std::vector<rocksdb::ColumnFamilyHandle*>* families);
  [[nodiscard]] rocksdb::Status OpenReader(std::unique_ptr<rocksdb::DB>* db,
                                           std::vector<rocksdb::ColumnFamilyHandle*>* families);
  // Whether the mark of each family of a copy is one that it may have had since `before`.
  void CheckLows(rocksdb::DB* db, const std::vector<rocksdb::ColumnFamilyHandle*>& families,
                 const std::vector<Low>& before, std::string_view what);
  const std::vector<Low>& lows() const { return lows_; }

 private:
  void PlayLife(size_t number, const LifePlan& life);
  // False: it cannot be opened, which is a violation unless the power is off.
  bool Open(const LifePlan& life, bool begins_life);
  void Close(std::string_view what);
  void Abandon();
  void LosePower(const LifePlan& life, uint64_t seed);
  void PlayRepair(const LifePlan& life);
  // Logs say of which size the timestamps of their records are: RocksDB 8 and later recover none
  // that does not.
  void CheckLogs();
  // Opens it again, with the power cuts that the plan has for that. False: it cannot be opened.
  bool Recover(const LifePlan& life, bool* clean);
  // Compares all with the models, which go on from what is there.
  void Verify(bool clean);

  const LifePlan* life_ = nullptr;
  std::shared_ptr<rocksdb::Cache> cache_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
  std::vector<Low> lows_;  // by family
  std::vector<std::unique_ptr<TimestampClient>> clients_;
  uint64_t now_ = 0;      // the largest timestamp that was given
  fiber::Mutex order_;    // see KeepOrder()
  uint64_t durable_ = 0;  // virtual nanoseconds
};

}  // namespace cairn::sim

#endif  // CAIRN_SIM_TIMESTAMP_WORLD_H_
