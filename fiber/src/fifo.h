// A first-in-first-out list of things that wait, linked through their own member `next`: it
// allocates nothing, and who is in it may also leave from the middle.
//
// Used for the operations that wait for a place in a ring, and for the jobs of the blocking pool.
// Not thread-safe. Does not own what is in it; `next` is the list's from push to removal.
#pragma once

#include <cstddef>

namespace fiber::detail {

template <typename T>
class Fifo {
 public:
  Fifo() = default;
  Fifo(const Fifo&) = delete;
  Fifo& operator=(const Fifo&) = delete;

  bool empty() const { return head_ == nullptr; }
  size_t size() const { return size_; }
  T* front() const { return head_; }

  void push_back(T* item) {
    item->next = nullptr;
    *tail_ = item;
    tail_ = &item->next;
    ++size_;
  }
  void push_front(T* item) {
    item->next = head_;
    if (head_ == nullptr) tail_ = &item->next;
    head_ = item;
    ++size_;
  }
  // Null when empty.
  T* pop_front() {
    T* const item = head_;
    if (item != nullptr) unlink(&head_);
    return item;
  }
  // False: it is not in the list. `item` is only compared, and need not exist.
  bool remove(const T* item) {
    for (T** link = &head_; *link != nullptr; link = &(*link)->next) {
      if (*link != item) continue;
      unlink(link);
      return true;
    }
    return false;
  }

 private:
  void unlink(T** link) {
    T* const item = *link;
    *link = item->next;
    if (tail_ == &item->next) tail_ = link;
    --size_;
  }

  T* head_ = nullptr;
  T** tail_ = &head_;
  size_t size_ = 0;
};

}  // namespace fiber::detail
