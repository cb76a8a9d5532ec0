/* A program on RocksDB's C interface that prints what it gets. Compiled with the header of a release, and with RELEASE=7, 10 or 11; its output
   is the same on RocksDB's library and on the one that stands for it. The first argument is a directory that it creates and destroys. */
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char* error = NULL;

static void Expect(const char* what) {
  if (error == NULL) return;
  printf("%s: %s\n", what, error);
  exit(1);
}

static void NoState(void* state) { printf("destroyed %s\n", (const char*)state); }
static char* FirstTwo(void* state, const char* key, size_t length, size_t* prefix_length) {
  (void)state;
  *prefix_length = length < 2 ? length : 2;
  return (char*)key;
}
static unsigned char All(void* state, const char* key, size_t length) {
  (void)state;
  (void)key;
  (void)length;
  return 1;
}
static const char* TransformName(void* state) { return (const char*)state; }

static char* Join(void* state, const char* key, size_t key_length, const char* existing, size_t existing_length,
                  const char* const* operands, const size_t* lengths, int count, unsigned char* success, size_t* length) {
  (void)state;
  (void)key;
  (void)key_length;
  size_t size = existing == NULL ? 0 : existing_length;
  for (int i = 0; i < count; ++i) size += lengths[i] + 1;
  char* joined = malloc(size + 1);
  size_t at = 0;
  if (existing != NULL) {
    memcpy(joined, existing, existing_length);
    at = existing_length;
  }
  for (int i = 0; i < count; ++i) {
    if (at != 0) joined[at++] = '+';
    memcpy(joined + at, operands[i], lengths[i]);
    at += lengths[i];
  }
  *success = 1;
  *length = at;
  return joined;
}
static char* JoinPartly(void* state, const char* key, size_t key_length, const char* const* operands, const size_t* lengths, int count,
                        unsigned char* success, size_t* length) {
  return Join(state, key, key_length, NULL, 0, operands, lengths, count, success, length);
}
static const char* JoinName(void* state) {
  (void)state;
  return "join";
}
static void Nothing(void* state) { (void)state; }

static void PrintAll(rocksdb_iterator_t* it) {
  for (; rocksdb_iter_valid(it); rocksdb_iter_next(it)) {
    size_t key_length = 0, value_length = 0;
    const char* key = rocksdb_iter_key(it, &key_length);
    const char* value = rocksdb_iter_value(it, &value_length);
    printf("  %.*s=%.*s\n", (int)key_length, key, (int)value_length, value);
  }
  rocksdb_iter_get_error(it, &error);
  Expect("iterator");
}

/* The lines of the statistics' text that begin with this name. */
static void PrintTicker(const char* text, const char* name) {
  const char* line = strstr(text, name);
  printf("%.*s\n", line == NULL ? 7 : (int)strcspn(line, "\n"), line == NULL ? "no line" : line);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_compression(options, rocksdb_no_compression);
  rocksdb_options_enable_statistics(options);
  rocksdb_options_set_merge_operator(options, rocksdb_mergeoperator_create(NULL, Nothing, Join, JoinPartly, NULL, JoinName));
#if RELEASE >= 11
  rocksdb_options_set_prefix_extractor(options, rocksdb_slicetransform_create("firsttwo", NoState, FirstTwo, All, TransformName));
#else
  rocksdb_options_set_prefix_extractor(options, rocksdb_slicetransform_create("firsttwo", NoState, FirstTwo, All, NULL, TransformName));
#endif
  rocksdb_destroy_db(options, argv[1], &error);
  Expect("destroy");
  rocksdb_t* db = rocksdb_open(options, argv[1], &error);
  Expect("open");
  rocksdb_writeoptions_t* writing = rocksdb_writeoptions_create();
  rocksdb_readoptions_t* reading = rocksdb_readoptions_create();
  const char* const keys[] = {"aa1", "aa2", "ab1", "b"};
  for (int i = 0; i < 4; ++i) {
    rocksdb_put(db, writing, keys[i], strlen(keys[i]), "value", 5, &error);
    Expect("put");
  }
  rocksdb_merge(db, writing, "aa2", 3, "more", 4, &error);
  Expect("merge");
  rocksdb_delete(db, writing, "b", 1, &error);
  Expect("delete");
  size_t length = 0;
  char* value = rocksdb_get(db, reading, "aa2", 3, &length, &error);
  Expect("get");
  printf("aa2=%.*s\n", (int)length, value);
  rocksdb_free(value);
  printf("b is %s\n", rocksdb_get(db, reading, "b", 1, &length, &error) == NULL ? "not there" : "there");

  rocksdb_disable_file_deletions(db, &error);
  Expect("disable_file_deletions");
#if RELEASE >= 10
  rocksdb_enable_file_deletions(db, &error);
#else
  rocksdb_enable_file_deletions(db, 1, &error);
#endif
  Expect("enable_file_deletions");
  rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
  rocksdb_flush(db, flush, &error);
  Expect("flush");
  printf("all:\n");
  rocksdb_iterator_t* it = rocksdb_create_iterator(db, reading);
  rocksdb_iter_seek_to_first(it);
  PrintAll(it);
  rocksdb_iter_destroy(it);
  printf("of aa:\n");
  rocksdb_readoptions_set_prefix_same_as_start(reading, 1);
  it = rocksdb_create_iterator(db, reading);
  rocksdb_iter_seek(it, "aa", 2);
  PrintAll(it);
  rocksdb_iter_destroy(it);

  rocksdb_set_perf_level(rocksdb_enable_count);
  rocksdb_perfcontext_t* context = rocksdb_perfcontext_create();
  rocksdb_perfcontext_reset(context);
  value = rocksdb_get(db, reading, "aa1", 3, &length, &error);
  Expect("get");
  rocksdb_free(value);
  printf("blocks in the cache: %d; metrics: %d\n", (int)rocksdb_perfcontext_metric(context, rocksdb_block_cache_hit_count),
         (int)rocksdb_total_metric_count);
  rocksdb_perfcontext_destroy(context);

  char* text = rocksdb_options_statistics_get_string(options);
  PrintTicker(text, "rocksdb.number.keys.written");
  PrintTicker(text, "rocksdb.memtable.hit ");
  rocksdb_free(text);
#if RELEASE >= 10
  /* By their numbers in the release's statistics.h. */
  const uint32_t keys_written = RELEASE >= 11 ? 58 : 57, memtable_hit = 45, bytes_per_write = 32;
  printf("keys written: %d, memtable hits: %d\n", (int)rocksdb_options_statistics_get_ticker_count(options, keys_written),
         (int)rocksdb_options_statistics_get_ticker_count(options, memtable_hit));
  rocksdb_statistics_histogram_data_t* data = rocksdb_statistics_histogram_data_create();
  rocksdb_options_statistics_get_histogram_data(options, bytes_per_write, data);
  printf("writes: %d\n", (int)rocksdb_statistics_histogram_data_get_count(data));
  rocksdb_statistics_histogram_data_destroy(data);
#endif
  rocksdb_close(db);
  rocksdb_flushoptions_destroy(flush);
  rocksdb_destroy_db(options, argv[1], &error);
  Expect("destroy");

  /* Tables of another format, by a function that has five arguments, or nine. */
#if RELEASE >= 10
  rocksdb_options_set_plain_table_factory(options, 0, 10, 0.75, 16, 0, 0, 0, 0);
#else
  rocksdb_options_set_plain_table_factory(options, 0, 10, 0.75, 16);
#endif
  rocksdb_options_set_allow_mmap_reads(options, 1);
  db = rocksdb_open(options, argv[1], &error);
  Expect("open");
  rocksdb_put(db, writing, "plain", 5, "table", 5, &error);
  Expect("put");
  flush = rocksdb_flushoptions_create();
  rocksdb_flush(db, flush, &error);
  Expect("flush");
  rocksdb_flushoptions_destroy(flush);
  value = rocksdb_get(db, reading, "plain", 5, &length, &error);
  Expect("get");
  printf("plain=%.*s\n", (int)length, value);
  rocksdb_free(value);
  rocksdb_close(db);
  rocksdb_destroy_db(options, argv[1], &error);
  Expect("destroy");
  rocksdb_options_destroy(options);
  rocksdb_writeoptions_destroy(writing);
  rocksdb_readoptions_destroy(reading);
  return 0;
}
