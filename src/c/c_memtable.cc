// The C interface: kinds of memtable, prefix extractors, write buffer managers.
#include "c/c_objects.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/write_buffer_manager.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

struct rocksdb_write_buffer_manager_t {
  std::shared_ptr<WriteBufferManager> rep;
};

extern "C" {

void rocksdb_options_set_memtable_vector_rep(rocksdb_options_t* o) {
  o->rep.memtable_factory = std::make_shared<VectorRepFactory>();
}
void rocksdb_options_set_hash_skip_list_rep(rocksdb_options_t* o, size_t bucket_count,
                                            int32_t skiplist_height,
                                            int32_t skiplist_branching_factor) {
  o->rep.memtable_factory.reset(
      NewHashSkipListRepFactory(bucket_count, skiplist_height, skiplist_branching_factor));
}
void rocksdb_options_set_hash_link_list_rep(rocksdb_options_t* o, size_t bucket_count) {
  o->rep.memtable_factory.reset(NewHashLinkListRepFactory(bucket_count));
}

void rocksdb_options_set_prefix_extractor(rocksdb_options_t* o,
                                          rocksdb_slicetransform_t* prefix_extractor) {
  o->rep.prefix_extractor.reset();
  if (prefix_extractor == nullptr) return;
  o->rep.prefix_extractor = std::move(prefix_extractor->rep);
  delete prefix_extractor;
}
rocksdb_slicetransform_t* rocksdb_slicetransform_create_fixed_prefix(size_t length) {
  return new rocksdb_slicetransform_t{
      std::unique_ptr<const SliceTransform>(NewFixedPrefixTransform(length))};
}
rocksdb_slicetransform_t* rocksdb_slicetransform_create_noop() {
  return new rocksdb_slicetransform_t{std::unique_ptr<const SliceTransform>(NewNoopTransform())};
}
void rocksdb_slicetransform_destroy(rocksdb_slicetransform_t* transform) { delete transform; }

rocksdb_write_buffer_manager_t* rocksdb_write_buffer_manager_create(const size_t buffer_size,
                                                                    const bool allow_stall) {
  return new rocksdb_write_buffer_manager_t{
      std::make_shared<WriteBufferManager>(buffer_size, nullptr, allow_stall)};
}
rocksdb_write_buffer_manager_t* rocksdb_write_buffer_manager_create_with_cache(
    const size_t buffer_size, const rocksdb_cache_t* cache, const bool allow_stall) {
  return new rocksdb_write_buffer_manager_t{
      std::make_shared<WriteBufferManager>(buffer_size, cache->rep, allow_stall)};
}
void rocksdb_write_buffer_manager_destroy(rocksdb_write_buffer_manager_t* m) { delete m; }
bool rocksdb_write_buffer_manager_enabled(rocksdb_write_buffer_manager_t* m) {
  return m->rep->enabled();
}
bool rocksdb_write_buffer_manager_cost_to_cache(rocksdb_write_buffer_manager_t* m) {
  return m->rep->cost_to_cache();
}
size_t rocksdb_write_buffer_manager_memory_usage(rocksdb_write_buffer_manager_t* m) {
  return m->rep->memory_usage();
}
size_t rocksdb_write_buffer_manager_mutable_memtable_memory_usage(
    rocksdb_write_buffer_manager_t* m) {
  return m->rep->mutable_memtable_memory_usage();
}
size_t rocksdb_write_buffer_manager_dummy_entries_in_cache_usage(
    rocksdb_write_buffer_manager_t* m) {
  return m->rep->dummy_entries_in_cache_usage();
}
size_t rocksdb_write_buffer_manager_buffer_size(rocksdb_write_buffer_manager_t* m) {
  return m->rep->buffer_size();
}
void rocksdb_write_buffer_manager_set_buffer_size(rocksdb_write_buffer_manager_t* m,
                                                  const size_t new_size) {
  m->rep->SetBufferSize(new_size);
}
void rocksdb_write_buffer_manager_set_allow_stall(rocksdb_write_buffer_manager_t* m,
                                                  const bool new_allow_stall) {
  m->rep->SetAllowStall(new_allow_stall);
}
void rocksdb_options_set_write_buffer_manager(rocksdb_options_t* o,
                                              rocksdb_write_buffer_manager_t* m) {
  o->rep.write_buffer_manager = m->rep;
}

}  // extern "C"
