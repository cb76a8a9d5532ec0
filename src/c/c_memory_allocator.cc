// The C interface: where the blocks of caches lie.
#include "c/c_objects.h"
#include "rocksdb/memory_allocator.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

struct rocksdb_memory_allocator_t {
  std::shared_ptr<MemoryAllocator> rep;
};

extern "C" {

rocksdb_memory_allocator_t* rocksdb_jemalloc_nodump_allocator_create(char** errptr) {
  auto allocator = std::make_unique<rocksdb_memory_allocator_t>();
  JemallocAllocatorOptions options;
  const Status s = NewJemallocNodumpAllocator(options, &allocator->rep);
  return cairn::Report(errptr, s) ? allocator.release() : nullptr;
}
void rocksdb_memory_allocator_destroy(rocksdb_memory_allocator_t* allocator) { delete allocator; }
void rocksdb_lru_cache_options_set_memory_allocator(rocksdb_lru_cache_options_t* options,
                                                    rocksdb_memory_allocator_t* allocator) {
  options->rep.memory_allocator = allocator == nullptr ? nullptr : allocator->rep;
}
void rocksdb_hyper_clock_cache_options_set_memory_allocator(
    rocksdb_hyper_clock_cache_options_t* options, rocksdb_memory_allocator_t* allocator) {
  options->rep.memory_allocator = allocator == nullptr ? nullptr : allocator->rep;
}

}  // extern "C"
