#include "base/allocation.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "cairn/compiler.h"

namespace cairn {

namespace {
std::atomic<size_t> fails_from{SIZE_MAX};  // relaxed: tests set it when nobody allocates
}  // namespace

bool detail::IsToFail(size_t bytes) { return bytes >= fails_from.load(std::memory_order_relaxed); }

void FailAllocationsFrom(size_t bytes) {
  fails_from.store(bytes == 0 ? SIZE_MAX : bytes, std::memory_order_relaxed);
}

bool MemoryIsThere(size_t bytes) {
  return WithMemory(bytes, [bytes] {
    void* const memory = ::operator new(bytes);
    compiler::Use(memory);  // or the compiler leaves both out
    ::operator delete(memory);
  });
}

bool ReserveIfPossible(std::string* s, size_t size) {
  if (size <= s->capacity()) return true;
  const size_t ample = std::max(size, 2 * s->capacity());
  return WithMemory(ample, [&] { s->reserve(ample); }) || WithMemory(size, [&] {
           // (A string that grows takes twice what it had at least; a new one what it is told.)
           std::string exact;
           exact.reserve(size);
           exact.append(*s);
           s->swap(exact);
         });
}

bool AppendIfPossible(std::string* s, const char* data, size_t size) {
  if (!ReserveIfPossible(s, s->size() + size)) return false;
  s->append(data, size);
  return true;
}

bool AssignIfPossible(std::string* s, const char* data, size_t size) {
  s->clear();
  return AppendIfPossible(s, data, size);
}

Status CopyInto(PinnableSlice* value, const Slice& bytes) {
  if (!AssignIfPossible(value->GetSelf(), bytes.data(), bytes.size())) [[unlikely]] {
    value->Reset();
    return Status::MemoryLimit("no memory for a value of " + std::to_string(bytes.size()) +
                               " bytes");
  }
  value->PinSelf();
  return Status::OK();
}

}  // namespace cairn
