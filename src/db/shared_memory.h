// The database and its write buffer manager, which may be shared with others (shared_memory.cc).
//
// Guards: fields of its own, without the mutex, but where a function says so.
#pragma once

#include <atomic>
#include <memory>

#include "base/namespace.h"
#include "db/database.h"
#include "memtable/write_buffer_client.h"

namespace cairn {

class SharedMemory final : public Part {
 public:
  explicit SharedMemory(Database* db);
  ~SharedMemory();

  // Waits while the manager stalls writers; flushes what it asks for meanwhile.
  [[nodiscard]] Status WaitForMemory(const WriteGroupInfo& group) FIBER_REQUIRES(database_mutex);
  // From here on the manager knows it, and may ask for flushes; until Leave.
  void Join();
  void Leave();
  WriteBufferClient* client() const { return buffer_client_.get(); }  // what memtables charge

 private:
  class BufferClient;
  // What another database's writer asked for.
  void FlushForManager();

  std::unique_ptr<WriteBufferClient> buffer_client_;  // outlives all memtables
  std::unique_ptr<BackgroundScheduler> manager_flusher_;
  // Another database's writer asked for a flush that has not begun.
  std::atomic<bool> manager_wants_flush_{false};
};

}  // namespace cairn
