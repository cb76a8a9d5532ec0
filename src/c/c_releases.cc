// The C interface: the functions whose arguments, or the numbers in them, are not the same in all
// releases of RocksDB (rocksdb/c_releases.h). libcairn has those of all releases. A library that
// stands for RocksDB's of one release (cmake/CairnDropIn.cmake) has this file compiled for it
// alone, with CAIRN_C_DROPIN and CAIRN_C_RELEASE: each function by its own name, as that release
// has it.
#include "c/c_objects.h"
#include "c/statistics_numbers.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/statistics.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API
using cairn::Report;

#ifdef CAIRN_C_DROPIN
#define CAIRN_C_HAS_7 (CAIRN_C_RELEASE == 7)
#define CAIRN_C_HAS_8 (CAIRN_C_RELEASE == 8)
#define CAIRN_C_HAS_10 (CAIRN_C_RELEASE == 10)
#define CAIRN_C_HAS_11 (CAIRN_C_RELEASE == 11)
#define CAIRN_C_AS(name, release) name
#else
#define CAIRN_C_HAS_7 1
#define CAIRN_C_HAS_8 1
#define CAIRN_C_HAS_10 1
#define CAIRN_C_HAS_11 1
#define CAIRN_C_AS(name, release) name##release
#endif

namespace {

// An extractor of the caller's functions.
class CallbackTransform final : public SliceTransform {
 public:
  void* state;
  void (*destructor)(void*);
  char* (*transform)(void*, const char* key, size_t length, size_t* dst_length);
  unsigned char (*in_domain)(void*, const char* key, size_t length);
  unsigned char (*in_range)(void*, const char* key, size_t length);
  const char* (*name)(void*);

  ~CallbackTransform() override { destructor(state); }
  const char* Name() const override { return name(state); }
  Slice Transform(const Slice& key) const override {
    size_t length = 0;
    const char* const start = transform(state, key.data(), key.size(), &length);
    return Slice(start, length);
  }
  bool InDomain(const Slice& key) const override {
    return in_domain(state, key.data(), key.size()) != 0;
  }
  bool InRange(const Slice& dst) const override {
    return in_range != nullptr && in_range(state, dst.data(), dst.size()) != 0;
  }
};

// `in_range` may be null.
rocksdb_slicetransform_t* NewTransform(
    void* state, void (*destructor)(void*),
    char* (*transform)(void*, const char* key, size_t length, size_t* dst_length),
    unsigned char (*in_domain)(void*, const char* key, size_t length),
    unsigned char (*in_range)(void*, const char* key, size_t length), const char* (*name)(void*)) {
  auto made = std::make_unique<CallbackTransform>();
  made->state = state;
  made->destructor = destructor;
  made->transform = transform;
  made->in_domain = in_domain;
  made->in_range = in_range;
  made->name = name;
  return new rocksdb_slicetransform_t{std::move(made)};
}

// Its format, which earlier releases than 10.4 do not read.
[[maybe_unused]] BlockBasedTableOptions TablesOfRelease11() {
  BlockBasedTableOptions options;
  options.format_version = 7;
  return options;
}

// What a release that takes fewer arguments leaves to PlainTableOptions is its default.
void SetPlainTables(rocksdb_options_t* o, PlainTableOptions options, uint32_t user_key_len,
                    int bloom_bits_per_key, double hash_table_ratio, size_t index_sparseness) {
  options.user_key_len = user_key_len;
  options.bloom_bits_per_key = bloom_bits_per_key;
  options.hash_table_ratio = hash_table_ratio;
  options.index_sparseness = index_sparseness;
  o->rep.table_factory.reset(NewPlainTableFactory(options));
}

[[maybe_unused]] uint64_t TickerCount(const Options& options, uint32_t ticker) {
  if (options.statistics == nullptr || ticker == TICKER_ENUM_MAX) return 0;
  return options.statistics->getTickerCount(ticker);
}

[[maybe_unused]] HistogramData DataOf(const Options& options, uint32_t histogram) {
  HistogramData data;
  if (options.statistics != nullptr && histogram != HISTOGRAM_ENUM_MAX) {
    options.statistics->histogramData(histogram, &data);
  }
  return data;
}

}  // namespace

extern "C" {

#if CAIRN_C_HAS_10 || CAIRN_C_HAS_11
void rocksdb_enable_file_deletions(rocksdb_t* db, char** errptr) {
  Report(errptr, db->rep->EnableFileDeletions(/*force=*/false));
}
#endif
#if CAIRN_C_HAS_7 || CAIRN_C_HAS_8
void CAIRN_C_AS(rocksdb_enable_file_deletions, _7)(rocksdb_t* db, unsigned char force,
                                                   char** errptr) {
  Report(errptr, db->rep->EnableFileDeletions(force != 0));
}
#endif

#if CAIRN_C_HAS_8 || CAIRN_C_HAS_10
rocksdb_options_t* rocksdb_options_create() {
  auto made = std::make_unique<rocksdb_options_t>();
  made->rep.level_compaction_dynamic_level_bytes = true;
  return made.release();
}
#endif
#if CAIRN_C_HAS_11
rocksdb_options_t* CAIRN_C_AS(rocksdb_options_create, _11)() {
  auto made = std::make_unique<rocksdb_options_t>();
  made->rep.level_compaction_dynamic_level_bytes = true;
  made->rep.table_factory.reset(NewBlockBasedTableFactory(TablesOfRelease11()));
  return made.release();
}
#endif
#if CAIRN_C_HAS_7
rocksdb_options_t* CAIRN_C_AS(rocksdb_options_create, _7)() { return new rocksdb_options_t; }
#endif

#if CAIRN_C_HAS_7 || CAIRN_C_HAS_8 || CAIRN_C_HAS_10
rocksdb_block_based_table_options_t* rocksdb_block_based_options_create() {
  return new rocksdb_block_based_table_options_t;
}
#endif
#if CAIRN_C_HAS_11
rocksdb_block_based_table_options_t* CAIRN_C_AS(rocksdb_block_based_options_create, _11)() {
  return new rocksdb_block_based_table_options_t{TablesOfRelease11()};
}
#endif

#if CAIRN_C_HAS_8 || CAIRN_C_HAS_10 || CAIRN_C_HAS_11
void rocksdb_options_set_plain_table_factory(rocksdb_options_t* o, uint32_t user_key_len,
                                             int bloom_bits_per_key, double hash_table_ratio,
                                             size_t index_sparseness, size_t huge_page_tlb_size,
                                             char encoding_type, unsigned char full_scan_mode,
                                             unsigned char store_index_in_file) {
  PlainTableOptions options;
  options.huge_page_tlb_size = huge_page_tlb_size;
  options.encoding_type = static_cast<EncodingType>(encoding_type);
  options.full_scan_mode = full_scan_mode != 0;
  options.store_index_in_file = store_index_in_file != 0;
  SetPlainTables(o, options, user_key_len, bloom_bits_per_key, hash_table_ratio, index_sparseness);
}
#endif
#if CAIRN_C_HAS_7
void CAIRN_C_AS(rocksdb_options_set_plain_table_factory,
                _7)(rocksdb_options_t* o, uint32_t user_key_len, int bloom_bits_per_key,
                    double hash_table_ratio, size_t index_sparseness) {
  SetPlainTables(o, PlainTableOptions(), user_key_len, bloom_bits_per_key, hash_table_ratio,
                 index_sparseness);
}
#endif

#if CAIRN_C_HAS_7 || CAIRN_C_HAS_8 || CAIRN_C_HAS_10
rocksdb_slicetransform_t* rocksdb_slicetransform_create(
    void* state, void (*destructor)(void*),
    char* (*transform)(void*, const char* key, size_t length, size_t* dst_length),
    unsigned char (*in_domain)(void*, const char* key, size_t length),
    unsigned char (*in_range)(void*, const char* key, size_t length), const char* (*name)(void*)) {
  return NewTransform(state, destructor, transform, in_domain, in_range, name);
}
#endif
#if CAIRN_C_HAS_11
rocksdb_slicetransform_t* CAIRN_C_AS(rocksdb_slicetransform_create, _11)(
    void* state, void (*destructor)(void*),
    char* (*transform)(void*, const char* key, size_t length, size_t* dst_length),
    unsigned char (*in_domain)(void*, const char* key, size_t length), const char* (*name)(void*)) {
  return NewTransform(state, destructor, transform, in_domain, /*in_range=*/nullptr, name);
}
#endif

// RocksDB 7 has neither, so that a library in its place must not: a program that needs them is of
// another release, whose numbers it would misread.
#define CAIRN_C_STATISTICS_BY_NUMBER(release, numbering)                               \
  uint64_t CAIRN_C_AS(rocksdb_options_statistics_get_ticker_count, release)(           \
      rocksdb_options_t * opt, uint32_t ticker_type) {                                 \
    return TickerCount(opt->rep, cairn::TickerOfNumber(numbering, ticker_type));       \
  }                                                                                    \
  void CAIRN_C_AS(rocksdb_options_statistics_get_histogram_data, release)(             \
      rocksdb_options_t * opt, uint32_t histogram_type,                                \
      rocksdb_statistics_histogram_data_t* data) {                                     \
    data->rep = DataOf(opt->rep, cairn::HistogramOfNumber(numbering, histogram_type)); \
  }
#if CAIRN_C_HAS_8
CAIRN_C_STATISTICS_BY_NUMBER(_8, cairn::Numbering::k8)
#endif
#if CAIRN_C_HAS_10
CAIRN_C_STATISTICS_BY_NUMBER(, cairn::Numbering::k10)
#endif
#if CAIRN_C_HAS_11
CAIRN_C_STATISTICS_BY_NUMBER(_11, cairn::Numbering::k11)
#endif
#undef CAIRN_C_STATISTICS_BY_NUMBER

}  // extern "C"
