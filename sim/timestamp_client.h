// A client of a world of timestamps: a fiber or a thread that writes versions of its own keys, and
// compares what it reads as of any moment with its model.

#ifndef CAIRN_SIM_TIMESTAMP_CLIENT_H_
#define CAIRN_SIM_TIMESTAMP_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/namespace.h"
#include "base/random.h"
#include "rocksdb/db.h"
#include "rocksdb/iterator.h"
#include "rocksdb/snapshot.h"
#include "rocksdb/write_batch.h"
#include "sim/ledger.h"
#include "sim/plan.h"
#include "sim/timestamp_model.h"

namespace cairn::sim {

class TimestampWorld;

// The bytes of a timestamp.
std::string Stamp(uint64_t timestamp);

class TimestampClient {
 public:
  TimestampClient(TimestampWorld* world, int id, const Plan::ClientPlan& plan);

  // Runs the operations of a life, until `count` are done, the world ends or a write has failed.
  void Run(uint64_t count);
  // Forgets what it held of the database that is gone.
  void EndLife();

  int id() const { return id_; }
  size_t place() const { return plan_.original; }  // in the plan of the seed
  const Plan::ClientPlan& plan() const { return plan_; }

  // After a restart: finds after how many of the writes of this life its keys are as they are in
  // `db`, and goes on from there. False: after none.
  struct Fit {
    size_t least, most;
  };
  bool FitTo(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, uint64_t low, size_t least,
             Fit* fit);
  // The writes of this life, without what they changed.
  const Ledger& ledger() const { return ledger_; }

 private:
  // A moment: a timestamp, and the writes that are seen.
  struct Moment {
    uint64_t timestamp;
    size_t writes;
  };
  struct HeldSnapshot {
    const rocksdb::Snapshot* snapshot;
    size_t writes;
  };
  struct HeldIterator {
    std::unique_ptr<std::string> timestamp;
    std::unique_ptr<rocksdb::Slice> slice;
    std::unique_ptr<rocksdb::Iterator> iterator;
    Moment moment;
  };

  void Step();
  bool Ok(std::string_view what, std::string_view key, const rocksdb::Status& s);
  void Violate(std::string_view what, std::string_view wrong);
  std::string KeyNumber(uint64_t number) const;
  std::string DrawKey();
  std::string DrawValue();
  rocksdb::ColumnFamilyHandle* Family();

  // --- Writes
  using Changes = std::vector<TimestampModel::Change>;
  uint64_t DrawTimestampOfWrite();
  // The oldest moment of which a read may be served.
  uint64_t Oldest() const;
  std::optional<std::string> ValueAfter(const Changes& changes, const std::string& key) const;
  void DeleteRange(const std::string& begin, const std::string& end, uint64_t timestamp,
                   Changes* changes) const;
  void WriteSome();
  void SingleDelete();
  void Ingest();
  [[nodiscard]] rocksdb::Status WriteOutside(const rocksdb::Options& options,
                                             const std::string& path, const std::string& known,
                                             Changes* changes);
  void Change(Changes changes, std::string_view what, bool durable,
              const std::function<rocksdb::Status()>& change);

  // --- Reads
  // What may be read, or, now and then, what may not.
  uint64_t DrawTimestamp();
  // What a read as of `timestamp` said that began when the mark was at least `low`. False: there is
  // nothing to compare.
  bool MayCompare(std::string_view what, std::string_view key, uint64_t timestamp, uint64_t low,
                  const rocksdb::Status& s);
  void CompareValue(std::string_view what, const std::string& key, Moment moment, uint64_t low,
                    const rocksdb::Status& s, const std::string& value, const std::string& stamp);
  void GetOne();
  void GetMany();
  void Scan();
  void ScanOther();
  void ScanVersions();
  void HoldIterator();
  void ChangeSnapshots();
  const HeldSnapshot* DrawSnapshot();
  void Walk(std::string_view what, rocksdb::Iterator* it, const TimestampClient& whose,
            Moment moment, uint64_t low);
  bool ReadAll(std::string_view what, rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family,
               uint64_t timestamp, TimestampModel::State* state);
  bool ReadVersions(std::string_view what, rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family,
                    const rocksdb::Snapshot* snapshot, uint64_t start, uint64_t timestamp,
                    TimestampModel::Versions* versions, rocksdb::Status* status);
  void CompareCopy(std::string_view what, rocksdb::DB* db,
                   const std::vector<rocksdb::ColumnFamilyHandle*>& families, uint64_t low);

  // --- The rest
  void Administer();
  void RaiseLow();
  void Flush();
  void Compact();
  void SyncLog();
  void LookAtCheckpoint();
  void LookAsReader();

  TimestampWorld* const world_;
  const int id_;
  const Plan::ClientPlan plan_;
  const std::string prefix_;
  TimestampModel model_;
  Ledger ledger_;
  size_t writes_before_ = 0;       // of former lives
  std::set<uint64_t> timestamps_;  // of the writes of this one
  uint64_t last_timestamp_ = 0;    // of a write that began
  uint64_t settled_ = 0;           // no write to come has this one or an older one
  std::vector<HeldSnapshot> snapshots_;
  std::vector<HeldIterator> iterators_;
  uint64_t number_ = 0;  // of the operation, over all lives
  Random64 random_{0};   // of the operation
  bool stopped_ = false;
};

}  // namespace cairn::sim

#endif  // CAIRN_SIM_TIMESTAMP_CLIENT_H_
