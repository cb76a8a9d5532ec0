// What the user's EventListeners are told. Events that come up under the mutex wait in a queue, and
// are told without it, in their order.
//
// Guards: the mutex.
#pragma once

#include <deque>
#include <string>

#include "base/namespace.h"
#include "db/database.h"

namespace cairn {

class EventNotifier final : public Part {
 public:
  using Part::Part;

  // Events are told in the order in which they were queued, by DeliverEvents, which releases the
  // mutex for it; if somebody else is telling, he goes on with these.
  void QueueEvent(Database::Event event) FIBER_REQUIRES(database_mutex);
  void DeliverEvents() FIBER_REQUIRES(database_mutex);
  // Until listeners were told of all that is queued by now. Not on the thread of a listener.
  void AwaitEvents() FIBER_REQUIRES(database_mutex);
  void QueueStallEvent(const ColumnFamily& family, StallCondition before)
      FIBER_REQUIRES(database_mutex);
  void QueueSealed(const ColumnFamily& family, const MemTable& sealed)
      FIBER_REQUIRES(database_mutex);
  FlushJobInfo DescribeFlush(const ColumnFamily& family, uint64_t file_number, int job_id) const
      FIBER_REQUIRES(database_mutex);
  void TellDeleted(const std::string& path, const Status& s) const;

 private:
  std::deque<Database::Event> events_ FIBER_GUARDED_BY(database_mutex);
  bool delivering_events_ FIBER_GUARDED_BY(database_mutex) = false;
  uint64_t told_ FIBER_GUARDED_BY(database_mutex) = 0;  // events, ever
};

}  // namespace cairn
