// How a DBImpl begins and ends, for a process that was forked from the one that made it
// (fiber/fork.h). Apart from its uses: GCC 12 warns of an operator delete that destroys where it
// sees through operator new.
#include <atomic>
#include <new>

#include "db/db_impl.h"

namespace cairn {

void* DBImpl::operator new(size_t size) { return ::operator new(size); }

// In a forked process nothing is destroyed, no member either: at the moment of the fork another
// thread, which is not here, may have been changing it, and what it was freeing would be freed
// twice. Its locks may be held for ever by threads that are not here, and its files' positions and
// locks are the parent's, too. It stays reachable, or it would be taken for a leak.
void DBImpl::operator delete(DBImpl* db, std::destroying_delete_t) {
  if (!db->db_.Forked()) {
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
