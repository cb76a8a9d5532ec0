/* The C interface, in C: what users give a database: comparators, prefix extractors and memtables, compaction filters, collectors of
   properties, dictionaries, merge operators, write buffer managers. Compiled against Cairn's header and library and against
   RocksDB's. Exit status 0: all that it says holds. The first argument is a directory that it may create and destroys. */
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "database.h"

static int destroyed = 0;
static void DestroyState(void* state) { *(int*)state += 1; }
static int CompareBackwards(void* state, const char* a, size_t alen, const char* b, size_t blen) {
  (void)state;
  const int order = memcmp(a, b, alen < blen ? alen : blen);
  if (order != 0) return -order;
  return alen < blen ? 1 : (alen > blen ? -1 : 0);
}
static const char* BackwardsName(void* state) {
  (void)state;
  return "test.backwards";
}

static void TestComparator(const char* path) {
  phase = "comparator";
  rocksdb_comparator_t* backwards = rocksdb_comparator_create(&destroyed, DestroyState, CompareBackwards, BackwardsName);
  rocksdb_options_t* other = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(other, 1);
  rocksdb_options_set_comparator(other, backwards);
  rocksdb_t* db = rocksdb_open(other, path, &error);
  CHECK_OK(error);
  Put(db, "a", "1");
  Put(db, "b", "2");
  rocksdb_iterator_t* it = rocksdb_create_iterator(db, reading);
  rocksdb_iter_seek_to_first(it);
  ExpectAt(it, "b", "2");
  rocksdb_iter_destroy(it);
  rocksdb_close(db);
  CHECK(rocksdb_open(options, path, &error) == NULL);
  CHECK(error != NULL && strstr(error, "test.backwards") != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_destroy_db(other, path, &error);
  CHECK_OK(error);
  rocksdb_options_destroy(other);
  rocksdb_comparator_destroy(backwards);
  CHECK(destroyed == 1);
}

static char* FirstByte(void* state, const char* key, size_t length, size_t* dst_length) {
  (void)state;
  *dst_length = length < 1 ? length : 1;
  return (char*)key;
}
static unsigned char AnyKey(void* state, const char* key, size_t length) {
  (void)state;
  (void)key;
  (void)length;
  return 1;
}
static const char* FirstByteName(void* state) {
  (void)state;
  return "test.first";
}

static void TestMemtables(const char* path) {
  phase = "memtables";
  destroyed = 0;
  for (int kind = 0; kind < 4; ++kind) {
    rocksdb_options_t* other = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(other, 1);
    rocksdb_options_set_allow_concurrent_memtable_write(other, 0);
    if (kind == 0) {
      rocksdb_options_set_memtable_vector_rep(other);
      rocksdb_options_set_prefix_extractor(other, rocksdb_slicetransform_create_fixed_prefix(1));
    } else if (kind == 3) {
      rocksdb_options_set_hash_link_list_rep(other, 10);
      rocksdb_options_set_prefix_extractor(other, rocksdb_slicetransform_create_fixed_prefix(1));
    } else {
      rocksdb_options_set_hash_skip_list_rep(other, 10, 4, 4);
      rocksdb_options_set_prefix_extractor(
          other, kind == 1 ? rocksdb_slicetransform_create_noop()
                           : rocksdb_slicetransform_create(&destroyed, DestroyState, FirstByte, AnyKey, AnyKey,
                                                           FirstByteName));
    }
    rocksdb_t* db = rocksdb_open(other, path, &error);
    CHECK_OK(error);
    Put(db, "b", "2");
    Put(db, "a1", "1");
    Put(db, "a2", "3");
    if (kind != 1) {
      rocksdb_iterator_t* it = rocksdb_create_iterator(db, reading);
      rocksdb_iter_seek(it, "a", 1);
      ExpectAt(it, "a1", "1");
      rocksdb_iter_next(it);
      ExpectAt(it, "a2", "3");
      rocksdb_iter_destroy(it);
    }
    size_t length = 0;
    char* value = rocksdb_get(db, reading, "b", 1, &length, &error);
    CHECK_OK(error);
    CHECK(length == 1 && value[0] == '2');
    rocksdb_free(value);
    rocksdb_close(db);
    rocksdb_destroy_db(other, path, &error);
    CHECK_OK(error);
    rocksdb_options_destroy(other);
  }
  CHECK(destroyed == 1);
  rocksdb_slicetransform_destroy(rocksdb_slicetransform_create_fixed_prefix(3));
}

#ifdef TEST_WRITE_BUFFER_MANAGER
static void TestWriteBufferManager(const char* path) {
  phase = "write buffer manager";
  rocksdb_cache_t* cache = rocksdb_cache_create_lru(8 << 20);
  rocksdb_write_buffer_manager_t* manager = rocksdb_write_buffer_manager_create_with_cache(1 << 20, cache, false);
  rocksdb_cache_destroy(cache);
  CHECK(rocksdb_write_buffer_manager_enabled(manager));
  CHECK(rocksdb_write_buffer_manager_cost_to_cache(manager));
  CHECK(rocksdb_write_buffer_manager_buffer_size(manager) == 1 << 20);
  rocksdb_options_t* other = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(other, 1);
  rocksdb_options_set_write_buffer_manager(other, manager);
  rocksdb_t* db = rocksdb_open(other, path, &error);
  CHECK_OK(error);
  Put(db, "a", "1");
  CHECK(rocksdb_write_buffer_manager_memory_usage(manager) > 0);
  CHECK(rocksdb_write_buffer_manager_mutable_memtable_memory_usage(manager) > 0);
  CHECK(rocksdb_write_buffer_manager_dummy_entries_in_cache_usage(manager) > 0);
  rocksdb_write_buffer_manager_set_buffer_size(manager, 2 << 20);
  rocksdb_write_buffer_manager_set_allow_stall(manager, true);
  Put(db, "b", "1");
  rocksdb_close(db);
  CHECK(rocksdb_write_buffer_manager_memory_usage(manager) == 0);
  rocksdb_destroy_db(other, path, &error);
  CHECK_OK(error);
  rocksdb_options_destroy(other);
  rocksdb_write_buffer_manager_destroy(manager);
  manager = rocksdb_write_buffer_manager_create(0, true);
  CHECK(!rocksdb_write_buffer_manager_enabled(manager));
  CHECK(!rocksdb_write_buffer_manager_cost_to_cache(manager));
  rocksdb_write_buffer_manager_destroy(manager);
}
#endif

static int filters_alive = 0;

static void FilterDone(void* state) { --*(int*)state; }
static const char* FilterName(void* state) {
  (void)state;
  return "c filter";
}
/* Drops "drop", and changes "change". */
static unsigned char Filter(void* state, int level, const char* key, size_t key_length,
                            const char* value, size_t value_length, char** new_value,
                            size_t* new_value_length, unsigned char* value_changed) {
  static char changed[] = "changed";
  (void)state;
  CHECK(level >= 0 && key != NULL && key_length > 0);
  if (value_length == 6 && memcmp(value, "change", 6) == 0) {
    *new_value = changed;
    *new_value_length = 7;
    *value_changed = 1;
  }
  return value_length == 4 && memcmp(value, "drop", 4) == 0;
}
static rocksdb_compactionfilter_t* MakeFilter(void* state,
                                              rocksdb_compactionfiltercontext_t* context) {
  CHECK(rocksdb_compactionfiltercontext_is_full_compaction(context));
  CHECK(rocksdb_compactionfiltercontext_is_manual_compaction(context));
  ++*(int*)state;
  return rocksdb_compactionfilter_create(state, FilterDone, Filter, FilterName);
}

static void TestCompactionFilter(const char* path) {
  phase = "compaction filter";
  int factories_alive = 1;
  rocksdb_compactionfilter_t* filter =
      rocksdb_compactionfilter_create(&filters_alive, FilterDone, Filter, FilterName);
  filters_alive = 1;
  for (int i = 0; i < 2; ++i) {
    rocksdb_options_t* other = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(other, 1);
    if (i == 0) {
      rocksdb_options_set_compaction_filter(other, filter);
    } else {
      rocksdb_options_set_compaction_filter_factory(
          other, rocksdb_compactionfilterfactory_create(&factories_alive, FilterDone, MakeFilter,
                                                        FilterName));
    }
    rocksdb_t* db = rocksdb_open(other, path, &error);
    CHECK_OK(error);
    Put(db, "a", "drop");
    Put(db, "b", "change");
    Put(db, "c", "stays");
    rocksdb_compact_range(db, NULL, 0, NULL, 0);
    ExpectGet(db, reading, "a", NULL);
    ExpectGet(db, reading, "b", "changed");
    ExpectGet(db, reading, "c", "stays");
    rocksdb_close(db);
    rocksdb_destroy_db(other, path, &error);
    CHECK_OK(error);
    rocksdb_options_destroy(other);
  }
  rocksdb_compactionfilter_set_ignore_snapshots(filter, 1);
  rocksdb_compactionfilter_destroy(filter);
  CHECK(filters_alive == 0);
  CHECK(factories_alive == 0);
}

/* --- Merges */

/* "(value,operand,...)"; partial: "operand,...". */
static char* Join(const char* first, size_t first_length, int has_first,
                  const char* const* operands, const size_t* lengths, int n, size_t* length) {
  size_t room = first_length + 3;
  for (int i = 0; i < n; ++i) room += lengths[i] + 1;
  char* joined = malloc(room);
  size_t at = 0;
  if (has_first) {
    memcpy(joined, first, first_length);
    at = first_length;
  }
  for (int i = 0; i < n; ++i) {
    if (at > 0) joined[at++] = ',';
    memcpy(joined + at, operands[i], lengths[i]);
    at += lengths[i];
  }
  *length = at;
  return joined;
}
static char* FullMerge(void* state, const char* key, size_t key_length, const char* value,
                       size_t value_length, const char* const* operands, const size_t* lengths,
                       int n, unsigned char* success, size_t* length) {
  (void)state;
  CHECK(key != NULL && key_length == 1);
  *success = n > 0 && !(lengths[0] == 4 && memcmp(operands[0], "fail", 4) == 0);
  return Join(value, value_length, value != NULL, operands, lengths, n, length);
}
static char* PartialMerge(void* state, const char* key, size_t key_length,
                          const char* const* operands, const size_t* lengths, int n,
                          unsigned char* success, size_t* length) {
  (void)state;
  CHECK(key != NULL && key_length == 1);
  *success = 1;
  return Join(NULL, 0, 0, operands, lengths, n, length);
}
static int values_deleted = 0;
static void DeleteValue(void* state, const char* value, size_t length) {
  (void)state;
  (void)length;
  ++values_deleted;
  free((void*)value);
}
static const char* MergeName(void* state) {
  (void)state;
  return "c merge";
}

/* Bytes of the filter of a flushed table. */
static unsigned long FilterBytes(const char* path, rocksdb_filterpolicy_t* policy) {
  rocksdb_options_t* other = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(other, 1);
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_filter_policy(table, policy);
  rocksdb_options_set_block_based_table_factory(other, table);
  rocksdb_t* db = rocksdb_open(other, path, &error);
  CHECK_OK(error);
  char key[32];
  for (int i = 0; i < 5000; ++i) {
    snprintf(key, sizeof(key), "key%06d", i);
    Put(db, key, "value");
  }
  rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
  rocksdb_flush(db, flush, &error);
  CHECK_OK(error);
  rocksdb_flushoptions_destroy(flush);
  char* text = rocksdb_property_value(db, "rocksdb.aggregated-table-properties");
  CHECK(text != NULL);
  const char* const name = "filter block size=";
  const char* found = strstr(text, name);
  CHECK(found != NULL);
  const unsigned long bytes = strtoul(found + strlen(name), NULL, 10);
  rocksdb_free(text);
  rocksdb_close(db);
  rocksdb_destroy_db(other, path, &error);
  CHECK_OK(error);
  rocksdb_block_based_options_destroy(table);
  rocksdb_options_destroy(other);
  return bytes;
}

static void TestRibbonFilters(const char* path) {
  phase = "ribbon filters";
  const unsigned long bloom = FilterBytes(path, rocksdb_filterpolicy_create_bloom_full(8));
  CHECK(bloom >= 5000);
  CHECK(FilterBytes(path, rocksdb_filterpolicy_create_ribbon(8)) < bloom * 9 / 10);
  CHECK(FilterBytes(path, rocksdb_filterpolicy_create_ribbon_hybrid(8, -1)) < bloom * 9 / 10);
  CHECK(FilterBytes(path, rocksdb_filterpolicy_create_ribbon_hybrid(8, 1)) == bloom);
}

static void TestCollectors(const char* path) {
  phase = "collectors";
  rocksdb_options_t* other = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(other, 1);
#ifdef TEST_DELETION_RATIO
  rocksdb_options_add_compact_on_deletion_collector_factory(other, 128, 100);
  rocksdb_options_add_compact_on_deletion_collector_factory_del_ratio(other, 0, 0, 0.5);
#else
  rocksdb_options_add_compact_on_deletion_collector_factory(other, 128, 1);
#endif
  rocksdb_t* db = rocksdb_open(other, path, &error);
  CHECK_OK(error);
  rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
  Put(db, "a", "1");
  rocksdb_flush(db, flush, &error);
  CHECK_OK(error);
  rocksdb_delete(db, writing, "a", 1, &error);
  CHECK_OK(error);
  rocksdb_flush(db, flush, &error);
  CHECK_OK(error);
  /* The table has nothing but a tombstone: the compaction comes by itself. */
  int files = 1;
  for (int i = 0; i < 10000000 && files > 0; ++i) {
    char* value = rocksdb_property_value(db, "rocksdb.num-files-at-level0");
    files = atoi(value);
    rocksdb_free(value);
  }
  CHECK(files == 0);
  rocksdb_flushoptions_destroy(flush);
  rocksdb_close(db);
  rocksdb_destroy_db(other, path, &error);
  CHECK_OK(error);
  rocksdb_options_destroy(other);
}

static void TestDictionaries(const char* path) {
  phase = "dictionaries";
  rocksdb_options_t* other = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(other, 1);
  rocksdb_options_set_compression(other, rocksdb_zstd_compression);
  rocksdb_options_set_compression_options(other, -14, 3, 0, 4096);
  rocksdb_options_set_compression_options_zstd_max_train_bytes(other, 65536);
  CHECK(rocksdb_options_get_compression_options_zstd_max_train_bytes(other) == 65536);
  rocksdb_options_set_compression_options_use_zstd_dict_trainer(other, 0);
  CHECK(rocksdb_options_get_compression_options_use_zstd_dict_trainer(other) == 0);
  rocksdb_options_set_compression_options_parallel_threads(other, 2);
  CHECK(rocksdb_options_get_compression_options_parallel_threads(other) == 2);
  rocksdb_options_set_compression_options_max_dict_buffer_bytes(other, 1 << 20);
  CHECK(rocksdb_options_get_compression_options_max_dict_buffer_bytes(other) == 1 << 20);
  rocksdb_options_set_bottommost_compression_options(other, -14, 3, 0, 4096, 1);
  rocksdb_options_set_bottommost_compression_options_zstd_max_train_bytes(other, 65536, 1);
  rocksdb_options_set_bottommost_compression_options_use_zstd_dict_trainer(other, 1, 1);
  CHECK(rocksdb_options_get_bottommost_compression_options_use_zstd_dict_trainer(other) == 1);
  rocksdb_options_set_bottommost_compression_options_max_dict_buffer_bytes(other, 1 << 20, 1);
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_cache_index_and_filter_blocks(table, 1);
#ifdef TEST_PINNING_TIERS
  rocksdb_block_based_options_set_unpartitioned_pinning_tier(
      table, rocksdb_block_based_k_all_pinning_tier);
  rocksdb_block_based_options_set_partition_pinning_tier(
      table, rocksdb_block_based_k_flush_and_similar_pinning_tier);
  rocksdb_block_based_options_set_top_level_index_pinning_tier(
      table, rocksdb_block_based_k_none_pinning_tier);
#endif
  rocksdb_options_set_block_based_table_factory(other, table);
  rocksdb_block_based_options_destroy(table);
  rocksdb_t* db = rocksdb_open(other, path, &error);
  CHECK_OK(error);
  char key[16], value[64];
  for (int i = 0; i < 2000; ++i) {
    snprintf(key, sizeof(key), "key%06d", i);
    snprintf(value, sizeof(value), "the value of number %d, and more of it", i);
    Put(db, key, value);
  }
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  ExpectGet(db, reading, "key000777", "the value of number 777, and more of it");
#ifdef TEST_PINNING_TIERS
  char* pinned = rocksdb_property_value(db, "rocksdb.block-cache-pinned-usage");
  CHECK(atoi(pinned) > 500);
  rocksdb_free(pinned);
#endif
  rocksdb_close(db);
  rocksdb_destroy_db(other, path, &error);
  CHECK_OK(error);
  rocksdb_options_destroy(other);
}

static void TestBzip2(const char* path) {
  phase = "bzip2";
  rocksdb_options_t* other = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(other, 1);
  rocksdb_options_set_compression(other, rocksdb_bz2_compression);
  CHECK(rocksdb_options_get_compression(other) == rocksdb_bz2_compression);
  rocksdb_t* db = rocksdb_open(other, path, &error);
  CHECK_OK(error);
  char key[16];
  char value[200];
  memset(value, 'v', sizeof(value) - 1);
  value[sizeof(value) - 1] = 0;
  for (int i = 0; i < 1000; ++i) {
    snprintf(key, sizeof(key), "key%06d", i);
    Put(db, key, value);
  }
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  ExpectGet(db, reading, "key000777", value);
  char* properties = rocksdb_property_value(db, "rocksdb.total-sst-files-size");
  CHECK(atoi(properties) > 0 && atoi(properties) < 100000);
  rocksdb_free(properties);
  rocksdb_close(db);
  rocksdb_destroy_db(other, path, &error);
  CHECK_OK(error);
  rocksdb_options_destroy(other);
}

static void TestMerge(const char* path) {
  phase = "merge";
  int alive = 2;  /* operators */
  rocksdb_mergeoperator_destroy(rocksdb_mergeoperator_create(&alive, FilterDone, FullMerge,
                                                             PartialMerge, NULL, MergeName));
  CHECK(alive == 1);
  for (int i = 0; i < 2; ++i) {
    values_deleted = 0;
    rocksdb_options_t* other = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(other, 1);
    rocksdb_options_set_merge_operator(
        other, rocksdb_mergeoperator_create(&alive, FilterDone, FullMerge, PartialMerge,
                                            i == 0 ? DeleteValue : NULL, MergeName));
    const char* names[] = {"default"};
    const rocksdb_options_t* options_of[] = {other};
    rocksdb_column_family_handle_t* family = NULL;
    rocksdb_t* db =
        rocksdb_open_column_families(other, path, 1, names, options_of, &family, &error);
    CHECK_OK(error);
    Put(db, "a", "v");
    rocksdb_writeoptions_t* how = rocksdb_writeoptions_create();
    rocksdb_merge(db, how, "a", 1, "1", 1, &error);
    CHECK_OK(error);
    rocksdb_merge_cf(db, how, family, "a", 1, "2", 1, &error);
    CHECK_OK(error);
    rocksdb_writebatch_t* batch = rocksdb_writebatch_create();
    const char* parts[] = {"3", "4"};
    const size_t lengths[] = {1, 1};
    const char* key[] = {"b"};
    rocksdb_writebatch_merge(batch, "a", 1, "3", 1);
    rocksdb_writebatch_merge_cf(batch, family, "b", 1, "1", 1);
    rocksdb_writebatch_mergev(batch, 1, key, lengths, 2, parts, lengths);
    rocksdb_writebatch_mergev_cf(batch, family, 1, key, lengths, 1, parts, lengths);
    rocksdb_writebatch_merge(batch, "c", 1, "fail", 4);
    CHECK(rocksdb_writebatch_count(batch) == 5);
    rocksdb_write(db, how, batch, &error);
    CHECK_OK(error);
    ExpectGet(db, reading, "a", "v,1,2,3");
    ExpectGet(db, reading, "b", "1,34,3");
    size_t length = 0;
    CHECK(rocksdb_get(db, reading, "c", 1, &length, &error) == NULL);
    CHECK(error != NULL);
    rocksdb_free(error);
    error = NULL;
    CHECK((values_deleted > 0) == (i == 0));
    rocksdb_writebatch_clear(batch);
    rocksdb_writebatch_delete_range(batch, "c", 1, "d", 1);
    rocksdb_writebatch_delete_range_cf(batch, family, "b", 1, "b", 1);
    rocksdb_write(db, how, batch, &error);
    CHECK_OK(error);
    rocksdb_delete_range_cf(db, how, family, "a", 1, "aa", 2, &error);
    CHECK_OK(error);
    ExpectGet(db, reading, "a", NULL);
    ExpectGet(db, reading, "b", "1,34,3");
    ExpectGet(db, reading, "c", NULL);
    rocksdb_writebatch_destroy(batch);
    rocksdb_writeoptions_destroy(how);
    rocksdb_column_family_handle_destroy(family);
    rocksdb_close(db);
    rocksdb_destroy_db(other, path, &error);
    CHECK_OK(error);
    rocksdb_options_destroy(other);
    CHECK(alive == 0);
    alive = 1;
  }
  rocksdb_options_t* adding = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(adding, 1);
  rocksdb_options_set_uint64add_merge_operator(adding);
  rocksdb_t* db = rocksdb_open(adding, path, &error);
  CHECK_OK(error);
  rocksdb_writeoptions_t* how = rocksdb_writeoptions_create();
  for (int i = 0; i < 3; ++i) {
    const char five[8] = {5, 0, 0, 0, 0, 0, 0, 0};
    rocksdb_merge(db, how, "n", 1, five, 8, &error);
    CHECK_OK(error);
  }
  size_t length = 0;
  char* sum = rocksdb_get(db, reading, "n", 1, &length, &error);
  CHECK_OK(error);
  CHECK(sum != NULL && length == 8 && sum[0] == 15);
  rocksdb_free(sum);
  rocksdb_writeoptions_destroy(how);
  rocksdb_close(db);
  rocksdb_destroy_db(adding, path, &error);
  CHECK_OK(error);
  rocksdb_options_destroy(adding);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: c_plugins_test DIRECTORY\n");
    return 2;
  }
  options = rocksdb_options_create();
  reading = rocksdb_readoptions_create();
  writing = rocksdb_writeoptions_create();
  TestComparator(argv[1]);
  TestMemtables(argv[1]);
  TestCompactionFilter(argv[1]);
  TestRibbonFilters(argv[1]);
  TestCollectors(argv[1]);
  TestDictionaries(argv[1]);
  TestBzip2(argv[1]);
  TestMerge(argv[1]);
#ifdef TEST_WRITE_BUFFER_MANAGER
  TestWriteBufferManager(argv[1]);
#endif
  rocksdb_writeoptions_destroy(writing);
  rocksdb_readoptions_destroy(reading);
  rocksdb_options_destroy(options);
  printf("what users plug in holds\n");
  return 0;
}
