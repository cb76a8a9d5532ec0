// A database in a process that was forked from the one that opened it (fiber/fork.h): it is the
// parent's. Its threads are not here, its locks may be held for ever by threads that are not here,
// and its files' positions and locks are the parent's, too. So every call says that, and Close and
// the destructor leave all as it is.
#include <atomic>
#include <new>

#include "db/db_impl.h"

namespace cairn {

Status DBImpl::ForkedStatus() const {
  return Status::NotSupported(
      "the database was opened by the process that this one was forked from, and is that one's "
      "alone",
      dbname_);
}

// (GCC 12 warns of an operator delete that destroys where it sees through this one.)
void* DBImpl::operator new(size_t size) { return ::operator new(size); }

// Nothing of it is destroyed, no member either: at the moment of the fork another thread, which is
// not here, may have been changing it, and what it was freeing would be freed twice. It stays
// reachable, or it would be taken for a leak.
void DBImpl::operator delete(DBImpl* db, std::destroying_delete_t) {
  if (!db->Forked()) {
    db->~DBImpl();
    ::operator delete(db);
    return;
  }
  struct Left {
    DBImpl* db;
    Left* next;
  };
  static constinit std::atomic<Left*> all{nullptr};
  auto* const left = new Left{db, all.load(std::memory_order_relaxed)};
  while (!all.compare_exchange_weak(left->next, left, std::memory_order_release,
                                    std::memory_order_relaxed)) {
  }
}

}  // namespace cairn
