// kv_bench's engine, made of a Store: the functions of RocksDB's C interface that have a meaning
// for it. Another one ends the program by name when it is called: a workload that a store cannot do
// has no figure.
#include "kv_bench/engine.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#include "peers/store.h"

namespace peers {
namespace {

template <size_t kSize>
struct Name {
  consteval Name(
      const char (&name)[kSize]) {  // NOLINT(google-explicit-constructor): a template's argument
    for (size_t i = 0; i < kSize; ++i) text[i] = name[i];
  }
  char text[kSize];
};

[[noreturn]] void HasNot(const char* name) {
  std::fprintf(stderr, "kv_bench: %s has no %s\n", kStoreName, name);
  std::exit(2);
}

template <Name name, class Result, class... Arguments>
Result Refused(Arguments...) {
  HasNot(name.text);
}
template <Name name, class Result, class... Arguments>
void Refuse(Result (**function)(Arguments...)) {
  *function = Refused<name, Result, Arguments...>;
}

// What is RocksDB's own way of doing things: whatever is set, the store has its own.
template <class Result, class... Arguments>
void Ignore(Result (**function)(Arguments...)) {
  *function = [](Arguments...) -> Result {
    if constexpr (!std::is_void_v<Result>) return Result{};
  };
}

// What may be turned off, as the store never has it on.
template <Name name, class Object, class Value>
void TakeZero(void (**function)(Object, Value)) {
  *function = [](Object, Value value) {
    if (value != 0) HasNot(name.text);
  };
}

bool writes_are_synced = false;  // set before anything else

// The C interface's opaque objects, and what they are here.
struct Database {
  std::unique_ptr<Store> store;
};
struct Writing {
  bool sync = false;
};
struct Pinned {
  std::string value;
};

template <class To, class From>
To* As(From* object) {
  return reinterpret_cast<To*>(object);
}
template <class To, class From>
const To* As(const From* object) {
  return reinterpret_cast<const To*>(object);
}

char* Copy(std::string_view text) {
  char* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = 0;
  return copy;
}
void Report(const std::string& error, char** to) {
  if (!error.empty()) *to = Copy(error);
}

void FillOptions(kv_bench::Engine* e) {
  e->rocksdb_options_create = [] { return As<rocksdb_options_t>(new Settings); };
  e->rocksdb_options_destroy = [](rocksdb_options_t* o) { delete As<Settings>(o); };
  e->rocksdb_get_options_from_string = [](const rocksdb_options_t* base, const char* words,
                                          rocksdb_options_t* to, char** error) {
    *As<Settings>(to) = *As<Settings>(base);
    As<Settings>(to)->manual_wal_flush = std::string_view(words) == "manual_wal_flush=true";
    if (!As<Settings>(to)->manual_wal_flush) {
      Report(std::string(kStoreName) + " has no " + words, error);
    }
  };
  e->rocksdb_options_set_write_buffer_size = [](rocksdb_options_t* o, size_t bytes) {
    As<Settings>(o)->write_buffer_size = bytes;
  };
  e->rocksdb_options_set_compression = [](rocksdb_options_t* o, int type) {
    As<Settings>(o)->compression = type;
  };
  // The table's options are settings, too, and are merged into those of the database.
  e->rocksdb_block_based_options_create = [] {
    return As<rocksdb_block_based_table_options_t>(new Settings);
  };
  e->rocksdb_block_based_options_destroy = [](rocksdb_block_based_table_options_t* o) {
    delete As<Settings>(o);
  };
  e->rocksdb_block_based_options_set_block_size = [](rocksdb_block_based_table_options_t* o,
                                                     size_t bytes) {
    As<Settings>(o)->block_size = bytes;
  };
  e->rocksdb_cache_create_lru = [](size_t bytes) {
    return As<rocksdb_cache_t>(new uint64_t{bytes});
  };
  e->rocksdb_cache_destroy = [](rocksdb_cache_t* cache) { delete As<uint64_t>(cache); };
  e->rocksdb_block_based_options_set_block_cache = [](rocksdb_block_based_table_options_t* o,
                                                      rocksdb_cache_t* cache) {
    As<Settings>(o)->cache_size = *As<uint64_t>(cache);
  };
  e->rocksdb_filterpolicy_create_bloom_full = [](double bits) {
    return As<rocksdb_filterpolicy_t>(new double{bits});
  };
  e->rocksdb_block_based_options_set_filter_policy = [](rocksdb_block_based_table_options_t* o,
                                                        rocksdb_filterpolicy_t* policy) {
    As<Settings>(o)->bloom_bits = *As<double>(policy);
    delete As<double>(policy);
  };
  e->rocksdb_options_set_block_based_table_factory =
      [](rocksdb_options_t* o, rocksdb_block_based_table_options_t* table) {
        As<Settings>(o)->block_size = As<Settings>(table)->block_size;
        As<Settings>(o)->cache_size = As<Settings>(table)->cache_size;
        As<Settings>(o)->bloom_bits = As<Settings>(table)->bloom_bits;
      };
  Ignore(&e->rocksdb_options_set_create_if_missing);  // they always do
  Ignore(&e->rocksdb_options_set_max_write_buffer_number);
  Ignore(&e->rocksdb_options_set_max_background_jobs);
  Ignore(&e->rocksdb_options_set_target_file_size_base);
  Ignore(&e->rocksdb_options_set_max_bytes_for_level_base);
  Ignore(&e->rocksdb_options_set_max_bytes_for_level_multiplier);
  Ignore(&e->rocksdb_options_set_level_compaction_dynamic_level_bytes);
  Ignore(&e->rocksdb_options_set_max_open_files);
  Ignore(&e->rocksdb_options_statistics_get_string);  // no text: nothing is counted
  TakeZero<"direct reads">(&e->rocksdb_options_set_use_direct_reads);
  TakeZero<"way to leave files as they are">(&e->rocksdb_options_set_disable_auto_compactions);
  TakeZero<"index blocks in its cache">(
      &e->rocksdb_block_based_options_set_cache_index_and_filter_blocks);
  TakeZero<"way to be without a cache">(&e->rocksdb_block_based_options_set_no_block_cache);

  e->rocksdb_readoptions_create = [] { return As<rocksdb_readoptions_t>(new Settings); };
  e->rocksdb_readoptions_destroy = [](rocksdb_readoptions_t* o) { delete As<Settings>(o); };
  TakeZero<"readahead_size">(&e->rocksdb_readoptions_set_readahead_size);
  Ignore(&e->rocksdb_readoptions_set_total_order_seek);  // the only one
  e->rocksdb_writeoptions_create = [] { return As<rocksdb_writeoptions_t>(new Writing); };
  e->rocksdb_writeoptions_destroy = [](rocksdb_writeoptions_t* o) { delete As<Writing>(o); };
  e->rocksdb_writeoptions_set_sync = [](rocksdb_writeoptions_t* o, unsigned char sync) {
    As<Writing>(o)->sync = sync != 0;
  };
  TakeZero<"writes without a log">(&e->rocksdb_writeoptions_disable_WAL);
  Ignore(&e->rocksdb_flushoptions_create);
  Ignore(&e->rocksdb_flushoptions_destroy);
  e->rocksdb_free = [](void* bytes) { std::free(bytes); };
}

void FillDatabase(kv_bench::Engine* e) {
  e->rocksdb_open = [](const rocksdb_options_t* o, const char* path, char** error) {
    Settings settings = *As<Settings>(o);
    settings.path = path;
    settings.sync = writes_are_synced;
    std::string why;
    std::unique_ptr<Store> store = Open(settings, &why);
    Report(why, error);
    return store == nullptr ? nullptr : As<rocksdb_t>(new Database{std::move(store)});
  };
  e->rocksdb_close = [](rocksdb_t* db) { delete As<Database>(db); };
  e->rocksdb_destroy_db = [](const rocksdb_options_t*, const char* path, char** error) {
    Report(Destroy(path), error);
  };
  e->rocksdb_flush = [](rocksdb_t* db, const rocksdb_flushoptions_t*, char** error) {
    Report(As<Database>(db)->store->Flush(), error);
  };
  e->rocksdb_compact_range = [](rocksdb_t* db, const char*, size_t, const char*, size_t) {
    As<Database>(db)->store->Compact();
  };
  // No property is known.
  Ignore(&e->rocksdb_property_value);

  e->rocksdb_put = [](rocksdb_t* db, const rocksdb_writeoptions_t* o, const char* key,
                      size_t key_size, const char* value, size_t value_size, char** error) {
    Report(As<Database>(db)->store->Put({key, key_size}, {value, value_size}, As<Writing>(o)->sync),
           error);
  };
  e->rocksdb_writebatch_create = [] { return As<rocksdb_writebatch_t>(new Batch); };
  e->rocksdb_writebatch_destroy = [](rocksdb_writebatch_t* batch) { delete As<Batch>(batch); };
  e->rocksdb_writebatch_clear = [](rocksdb_writebatch_t* batch) { As<Batch>(batch)->Clear(); };
  e->rocksdb_writebatch_put = [](rocksdb_writebatch_t* batch, const char* key, size_t key_size,
                                 const char* value, size_t value_size) {
    As<Batch>(batch)->Put({key, key_size}, {value, value_size});
  };
  e->rocksdb_write = [](rocksdb_t* db, const rocksdb_writeoptions_t* o, rocksdb_writebatch_t* batch,
                        char** error) {
    Report(As<Database>(db)->store->Write(*As<Batch>(batch), As<Writing>(o)->sync), error);
  };

  e->rocksdb_get_pinned = [](rocksdb_t* db, const rocksdb_readoptions_t*, const char* key,
                             size_t key_size, char** error) -> rocksdb_pinnableslice_t* {
    auto pinned = std::make_unique<Pinned>();
    bool found = false;
    const std::string why = As<Database>(db)->store->Get({key, key_size}, &found, &pinned->value);
    Report(why, error);
    return why.empty() && found ? As<rocksdb_pinnableslice_t>(pinned.release()) : nullptr;
  };
  e->rocksdb_pinnableslice_value = [](const rocksdb_pinnableslice_t* value, size_t* size) {
    const std::string& text = As<Pinned>(value)->value;
    *size = text.size();
    return text.data();
  };
  e->rocksdb_pinnableslice_destroy = [](rocksdb_pinnableslice_t* value) {
    delete As<Pinned>(value);
  };
  // None of the stores looks several keys up in one call.
  e->rocksdb_multi_get = [](rocksdb_t* db, const rocksdb_readoptions_t*, size_t n,
                            const char* const* keys, const size_t* key_sizes, char** values,
                            size_t* value_sizes, char** errors) {
    std::string value;
    for (size_t i = 0; i < n; ++i) {
      bool found = false;
      const std::string why = As<Database>(db)->store->Get({keys[i], key_sizes[i]}, &found, &value);
      errors[i] = why.empty() ? nullptr : Copy(why);
      values[i] = why.empty() && found ? Copy(value) : nullptr;
      value_sizes[i] = found ? value.size() : 0;
    }
  };
}

void FillIterator(kv_bench::Engine* e) {
  e->rocksdb_create_iterator = [](rocksdb_t* db, const rocksdb_readoptions_t*) {
    return As<rocksdb_iterator_t>(As<Database>(db)->store->NewCursor().release());
  };
  e->rocksdb_iter_destroy = [](rocksdb_iterator_t* it) { delete As<Cursor>(it); };
  e->rocksdb_iter_valid = [](const rocksdb_iterator_t* it) -> unsigned char {
    return As<Cursor>(const_cast<rocksdb_iterator_t*>(it))->Valid();
  };
  e->rocksdb_iter_seek_to_first = [](rocksdb_iterator_t* it) { As<Cursor>(it)->First(); };
  e->rocksdb_iter_seek_to_last = [](rocksdb_iterator_t* it) { As<Cursor>(it)->Last(); };
  e->rocksdb_iter_seek = [](rocksdb_iterator_t* it, const char* key, size_t size) {
    As<Cursor>(it)->Seek({key, size});
  };
  e->rocksdb_iter_next = [](rocksdb_iterator_t* it) { As<Cursor>(it)->Next(); };
  e->rocksdb_iter_prev = [](rocksdb_iterator_t* it) { As<Cursor>(it)->Prev(); };
  e->rocksdb_iter_key = [](const rocksdb_iterator_t* it, size_t* size) {
    const std::string_view key = As<Cursor>(const_cast<rocksdb_iterator_t*>(it))->Key();
    *size = key.size();
    return key.data();
  };
  e->rocksdb_iter_value = [](const rocksdb_iterator_t* it, size_t* size) {
    const std::string_view value = As<Cursor>(const_cast<rocksdb_iterator_t*>(it))->Value();
    *size = value.size();
    return value.data();
  };
  e->rocksdb_iter_get_error = [](const rocksdb_iterator_t* it, char** error) {
    Report(As<Cursor>(const_cast<rocksdb_iterator_t*>(it))->Error(), error);
  };
}

}  // namespace
}  // namespace peers

extern "C" __attribute__((visibility("default"))) void kv_bench_fill_engine(
    kv_bench::Engine* engine, bool sync) {
  peers::writes_are_synced = sync;
#define KV_BENCH_REFUSE(function) peers::Refuse<#function>(&engine->function);
  KV_BENCH_FUNCTIONS(KV_BENCH_REFUSE)
#undef KV_BENCH_REFUSE
  peers::FillOptions(engine);
  peers::FillDatabase(engine);
  peers::FillIterator(engine);
}
