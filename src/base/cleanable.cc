// The list of cleanups behind a Cleanable: the first record embedded, the others on the heap.
#include "rocksdb/cleanable.h"

#include <cassert>
#include <utility>

namespace ROCKSDB_NAMESPACE {

Cleanable::Cleanable(Cleanable&& from) noexcept : cleanup_(from.cleanup_) {
  from.cleanup_ = {nullptr, nullptr, nullptr, nullptr};
}

Cleanable& Cleanable::operator=(Cleanable&& from) noexcept {
  if (this != &from) {
    RunCleanups();
    cleanup_ = from.cleanup_;
    from.cleanup_ = {nullptr, nullptr, nullptr, nullptr};
  }
  return *this;
}

void Cleanable::RunCleanupsSlow() {
  cleanup_.function(cleanup_.arg1, cleanup_.arg2);
  for (Cleanup* record = cleanup_.next; record != nullptr;) {
    record->function(record->arg1, record->arg2);
    Cleanup* next = record->next;
    delete record;
    record = next;
  }
}

void Cleanable::RegisterCleanup(CleanupFunction function, void* arg1, void* arg2) {
  assert(function != nullptr);
  if (cleanup_.function == nullptr) {
    cleanup_ = {function, arg1, arg2, nullptr};
  } else {
    cleanup_.next = new Cleanup{function, arg1, arg2, cleanup_.next};
  }
}

void Cleanable::AdoptRecord(Cleanup* record) {
  if (cleanup_.function == nullptr) {
    cleanup_ = {record->function, record->arg1, record->arg2, nullptr};
    delete record;
  } else {
    record->next = cleanup_.next;
    cleanup_.next = record;
  }
}

void Cleanable::DelegateCleanupsTo(Cleanable* other) {
  assert(other != nullptr && other != this);
  if (cleanup_.function == nullptr) return;
  other->RegisterCleanup(cleanup_.function, cleanup_.arg1, cleanup_.arg2);
  for (Cleanup* record = cleanup_.next; record != nullptr;) {
    Cleanup* next = record->next;
    other->AdoptRecord(record);
    record = next;
  }
  cleanup_ = {nullptr, nullptr, nullptr, nullptr};
}

void SharedCleanablePtr::Allocate() { shared_ = std::make_shared<Cleanable>(); }

void SharedCleanablePtr::RegisterCopyWith(Cleanable* target) const {
  SharedCleanablePtr copy(*this);
  copy.MoveAsCleanupTo(target);
}

void SharedCleanablePtr::MoveAsCleanupTo(Cleanable* target) {
  if (shared_ == nullptr) return;
  using Pointer = std::shared_ptr<Cleanable>;
  target->RegisterCleanup([](void* pointer, void*) { delete static_cast<Pointer*>(pointer); },
                          new Pointer(std::move(shared_)), nullptr);
  shared_.reset();
}

}  // namespace ROCKSDB_NAMESPACE
