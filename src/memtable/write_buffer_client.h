// How a database takes part in a WriteBufferManager: it registers as a client, and each of its
// memtables charges what its arena takes.
//
// The manager's rules alone (rocksdb/write_buffer_manager.h) leave two holes, which the register of
// clients closes: an idle database that holds most of the memory would make all others flush over
// and over, and with allow_stall wait for ever; so whoever finds that memory is short has the
// largest holder flush. And memory that only readers hold (an iterator of a flushed memtable) comes
// back when they please, perhaps never: no writer waits for that alone.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/arena.h"
#include "base/namespace.h"
#include "rocksdb/write_buffer_manager.h"

namespace cairn {

/// One database. Register() before its first memtable, Unregister() after its last.
class WriteBufferClient : public StallInterface {
 public:
  explicit WriteBufferClient(WriteBufferManager* manager) : manager_(manager) {}
  ~WriteBufferClient() override;
  WriteBufferClient(const WriteBufferClient&) = delete;
  WriteBufferClient& operator=(const WriteBufferClient&) = delete;

  void Register();
  void Unregister();

  /// Asks that the memtable be flushed soon; may be asked again and again. Called on any thread,
  /// with a lock of the manager's held: must not block, nor call the manager.
  virtual void RequestFlush() = 0;
  /// Immutable memtables wait for a flush, or are in one. As RequestFlush.
  virtual bool IsFlushing() const = 0;
  /// The memtable that is written to has entries. As RequestFlush.
  virtual bool HasUnflushed() const = 0;

  WriteBufferManager* manager() const { return manager_; }
  /// Bytes of the memtable that is written to.
  size_t active_bytes() const { return active_bytes_.load(std::memory_order_relaxed); }

 private:
  friend class WriteBufferCharge;

  WriteBufferManager* const manager_;
  bool registered_ = false;
  std::atomic<size_t> active_bytes_{0};  // relaxed: a size
};

/// What one memtable owes its manager: all blocks of its arena. Outlives the arena.
class WriteBufferCharge final : public AllocationTracker {
 public:
  /// `client` null: nothing is charged.
  explicit WriteBufferCharge(WriteBufferClient* client) : client_(client) {}
  ~WriteBufferCharge();
  WriteBufferCharge(const WriteBufferCharge&) = delete;
  WriteBufferCharge& operator=(const WriteBufferCharge&) = delete;

  void Allocated(size_t bytes) override;
  /// The memtable is immutable from here on. Once, by its only writer.
  void StopWriting();

 private:
  WriteBufferClient* const client_;
  // Changed by whoever allocates, under the arena's lock, and by StopWriting, after the last one.
  size_t bytes_ = 0;
  bool active_ = true;
};

/// The register, within the manager.
struct WriteBufferManagerInternal {
  /// Has the largest of the databases that could give memory back flush. True: that is `self`,
  /// which was not asked and now must. False: another one was asked, or none has any.
  static bool FlushLargest(WriteBufferManager* manager, const WriteBufferClient* self);
  /// A flush anywhere is under way, or would be worth it (an eighth of the limit could come back):
  /// waiting for memory makes sense.
  static bool CanReleaseMemory(WriteBufferManager* manager);
  /// A flush is under way somewhere.
  static bool IsFlushing(WriteBufferManager* manager);

  static void Add(WriteBufferManager* manager, WriteBufferClient* client);
  static void Remove(WriteBufferManager* manager, WriteBufferClient* client);
};

}  // namespace cairn
