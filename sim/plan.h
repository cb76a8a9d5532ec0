// What a seed decides before anything runs: how many clients of which kinds, how many lives the
// database has, how each of them ends and with which options. All else (who runs when, how long the
// disk takes) is the simulation's.
//
// A reducer may take away from a plan: fewer clients, lives, operations; what is left goes on as
// before, because each client draws its operations from a generator of its own.

#ifndef CAIRN_SIM_PLAN_H_
#define CAIRN_SIM_PLAN_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/options.h"
#include "sim/disk.h"

namespace cairn::sim {

// The keys that each client has to draw from, if it uses all.
inline constexpr uint64_t kKeysOfAClient = 80;
// Beside them: keys that are written once before each SingleDelete.
inline constexpr uint64_t kSingleKeysOfAClient = 10;

enum class Ending { kClose, kPowerCut, kDamage };

struct LifePlan {
  Ending ending = Ending::kClose;
  // Of a power cut: the virtual nanoseconds after the start at which it comes at the latest.
  uint64_t length_nanos = 0;
  // ... and at the latest when so many promises that something is durable were kept; 0: any number.
  uint64_t cut_at_promise = 0;
  // ... and at the latest behind so many syncs, creations, renames and deletions of files since the
  // database began to open; 0: any number.
  uint64_t cut_at_change = 0;
  bool lose_all = false;  // nothing survives it that was not synced
  // Behind so many the power goes again while the database opens after the life's end.
  std::vector<uint64_t> recovery_cuts;
  // When the disk begins to fail and for how long; 0: it does not.
  uint64_t fault_at_nanos = 0;
  uint64_t fault_nanos = 0;
  uint32_t fail_reads = 0;   // one in so many
  uint32_t fail_writes = 0;  // and syncs
  bool fill = false;
  // What fails is a shortage (base/shortage.h), opening files included, and the database is to go
  // on by itself when it is over.
  bool shortage = false;
  bool spare_logs = false;  // they are elsewhere: writes, or space, fail tables and MANIFEST alone
  // A power cut comes at the latest when so many promises were kept after the fault; 0: any number.
  uint64_t cut_at_promise_after_fault = 0;
  bool resume = false;  // ask the database to go on afterwards
  // After a close CURRENT or the MANIFEST is lost, and the database repaired.
  bool repair = false;
  bool no_compactions = false;
  bool settle = false;          // before a close all is flushed, and compactions come to an end
  bool flush_at_fault = false;  // some memtables, right before the disk begins to fail
  uint64_t seed = 0;            // of what survives and of what is damaged
  Options options;              // but for the environment and the block cache
  uint64_t cache_bytes = 0;
  uint64_t second_cache_bytes = 0;      // compressed, behind the other; 0: none
  uint64_t persistent_cache_bytes = 0;  // of a disk; 0: there is none
  bool blob_cache = false;              // the block cache is for blobs, too
  bool clock_cache = false;
  int64_t rate = 0;  // bytes per second of flushes and compactions; 0: as many as they can
  std::string told;  // the options that differ from the defaults, for people
};

struct Plan {
  enum class Kind {
    kMixed,
    // Most lives end by a close and a repair; nobody ingests, so that it can do without the
    // MANIFEST.
    kRepairs,
    // Lives of leveled compaction, which end settled, and of FIFO, in which files are ingested
    // above.
    kAlternatingStyles,
    // In most lives the log fails while memtables are flushed, and the power goes soon after
    // Resume().
    kFaults,
    // Of TransactionsFromSeed(), for a world of transactions.
    kTransactions,
    // Of TimestampsFromSeed(), for a world of timestamps.
    kTimestamps,
  };
  static constexpr uint64_t kUsualStallNanos = 50'000'000;

  uint64_t seed = 0;
  uint64_t operations = 0;       // of each client in each life
  uint64_t keys = 0;             // that a client uses, of the 80 that it has
  int write_policy = 0;          // of transactions: a TxnDBWritePolicy
  bool indexed = false;          // transactions keep a secondary index
  bool brief_snapshots = false;  // most of the time there is none
  uint64_t think_nanos = 0;      // between two operations of a client, on average
  uint32_t stall_one_in = 0;     // interruptions that keep a thread away for milliseconds; 0: none
  // Steps of a protocol between which a thread stays away for long; 0: none.
  uint32_t long_stall_one_in = 0;
  uint64_t long_stall_nanos = kUsualStallNanos;  // at most
  uint32_t long_stall_place_one_in = 0;  // so many places of the code alone have them; 0: all
  DiskOptions disk;
  int families = 1;             // column families: clients and accounts are spread over them
  bool atomic_flush = false;    // of all of them
  bool logs_elsewhere = false;  // in a directory outside of the database's (wal_dir)
  // Tables are in two directories outside of the database's (db_paths), of which the first is to
  // have so many bytes.
  std::optional<uint64_t> first_tables_bytes;
  bool tables_by_family = false;  // and these are the families' (cf_paths), the same for each
  // Of each entry's checksum in memtables (memtable_protection_bytes_per_key); 0: none. Where there
  // are some batches have them, too.
  uint32_t checksum_bytes = 0;
  size_t batch_checksum_bytes() const { return checksum_bytes == 0 ? 0 : 8; }
  bool encrypted = false;    // all files (NewEncryptedEnv)
  bool tracks_logs = false;  // in the MANIFEST (track_and_verify_wals_in_manifest)
  bool chains_logs = false;  // each log tells of the one before (track_and_verify_wals)
  // Tables keep timestamps; otherwise a flush raises the mark above what it has.
  bool persists_timestamps = true;
  Kind kind = Kind::kMixed;
  std::vector<LifePlan> lives;
  struct ClientPlan {
    bool fiber = false;
    bool late = false;         // in a life with a fault: begins when that is over
    bool without_log = false;  // it writes with disableWAL
    int sync_one_in = 0;       // its writes; 0: none
    size_t original = 0;       // its place in the plan of the seed
  };
  std::vector<ClientPlan> clients;
  // (client, number of the operation) of those that are left out: the reducer's.
  std::set<std::pair<int, uint64_t>> skipped;

  bool print_events = false;

  static Plan FromSeed(uint64_t seed);
  // For a world of transactions (sim/transaction_world.h): no faults but power cuts.
  static Plan TransactionsFromSeed(uint64_t seed);
  // For a world of timestamps (sim/timestamp_world.h): no faults but power cuts, either.
  static Plan TimestampsFromSeed(uint64_t seed);
  // The same with tables that do not keep them (persist_user_defined_timestamps=false).
  static Plan MemoryTimestampsFromSeed(uint64_t seed);
  // A line for each thing that it says.
  std::string Describe() const;
  // What a reducer has taken away, and the same plan again from it. False: no such text.
  std::string Reduction() const;
  bool ApplyReduction(const std::string& text);
};

}  // namespace cairn::sim

#endif  // CAIRN_SIM_PLAN_H_
