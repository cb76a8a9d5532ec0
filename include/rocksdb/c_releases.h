/* The C interface: the functions whose arguments, or the numbers in them, are not the same in all
   releases of RocksDB that bindings are written for. Part of rocksdb/c.h, which includes it.
   CAIRN_C_RELEASE says which: 7    RocksDB 7.8 to 8.1 8    8.10 10   9 and 10, the default 11   11
   A program, or all of a binding, has one of them. The library has them all: the default by its
   name, the others by a name with the number, which the compiler is told here (GCC and clang).
   CAIRN_C_DROPIN: each by its own name, as in RocksDB's header, for what is linked with a library
   that stands for RocksDB's of the release (make install-dropin), and for nothing else. */
#ifndef ROCKSDB_INCLUDE_C_RELEASES_H_
#define ROCKSDB_INCLUDE_C_RELEASES_H_

#include "c.h"

#ifndef CAIRN_C_RELEASE
#define CAIRN_C_RELEASE 10
#endif
#ifdef CAIRN_C_DROPIN
#define CAIRN_C_NAME(name)
#elif CAIRN_C_RELEASE != 10
#ifndef __GNUC__
#error "CAIRN_C_RELEASE other than 10 needs GCC or clang"
#endif
/* bindgen reads this, too, and binds to that name. */
#define CAIRN_C_NAME(name) __asm__(name) /* // style: C has no compiler.h */
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if CAIRN_C_RELEASE == 10 && !defined(CAIRN_C_DROPIN)
/* Behind what other releases' programs call; not to be called by these names. (bindgen takes one
   function of those with the same name in the library.) */
extern ROCKSDB_LIBRARY_API void rocksdb_enable_file_deletions_7(rocksdb_t* db, unsigned char force,
                                                                char** errptr);
extern ROCKSDB_LIBRARY_API rocksdb_options_t* rocksdb_options_create_7(void);
extern ROCKSDB_LIBRARY_API rocksdb_options_t* rocksdb_options_create_11(void);
extern ROCKSDB_LIBRARY_API rocksdb_block_based_table_options_t*
rocksdb_block_based_options_create_11(void);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_plain_table_factory_7(rocksdb_options_t* opt,
                                                                          uint32_t user_key_len,
                                                                          int bloom_bits_per_key,
                                                                          double hash_table_ratio,
                                                                          size_t index_sparseness);
extern ROCKSDB_LIBRARY_API rocksdb_slicetransform_t* rocksdb_slicetransform_create_11(
    void* state, void (*destructor)(void*),
    char* (*transform)(void*, const char* key, size_t length, size_t* dst_length),
    unsigned char (*in_domain)(void*, const char* key, size_t length), const char* (*name)(void*));
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_options_statistics_get_ticker_count_8(rocksdb_options_t* opt, uint32_t ticker_type);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_options_statistics_get_ticker_count_11(rocksdb_options_t* opt, uint32_t ticker_type);
extern ROCKSDB_LIBRARY_API void rocksdb_options_statistics_get_histogram_data_8(
    rocksdb_options_t* opt, uint32_t histogram_type, rocksdb_statistics_histogram_data_t* data);
extern ROCKSDB_LIBRARY_API void rocksdb_options_statistics_get_histogram_data_11(
    rocksdb_options_t* opt, uint32_t histogram_type, rocksdb_statistics_histogram_data_t* data);
#endif

#if CAIRN_C_RELEASE < 9
/* `force`: also where files were disabled more than once. */
extern ROCKSDB_LIBRARY_API void rocksdb_enable_file_deletions(rocksdb_t* db, unsigned char force,
                                                              char** errptr)
    CAIRN_C_NAME("rocksdb_enable_file_deletions_7");
#else
extern ROCKSDB_LIBRARY_API void rocksdb_enable_file_deletions(rocksdb_t* db, char** errptr);
#endif

/* With the defaults of rocksdb::Options, but for level_compaction_dynamic_level_bytes, which from
   RocksDB 8.2 on is true, and, of 11, for tables of format_version 7, which releases before 10.4 do
   not read. */
#if CAIRN_C_RELEASE < 8
extern ROCKSDB_LIBRARY_API rocksdb_options_t* rocksdb_options_create(void)
    CAIRN_C_NAME("rocksdb_options_create_7");
#elif CAIRN_C_RELEASE < 11
extern ROCKSDB_LIBRARY_API rocksdb_options_t* rocksdb_options_create(void);
#else
extern ROCKSDB_LIBRARY_API rocksdb_options_t* rocksdb_options_create(void)
    CAIRN_C_NAME("rocksdb_options_create_11");
#endif

/* With the defaults of rocksdb::BlockBasedTableOptions; of 11 with format_version 7. */
#if CAIRN_C_RELEASE < 11
extern ROCKSDB_LIBRARY_API rocksdb_block_based_table_options_t* rocksdb_block_based_options_create(
    void);
#else
extern ROCKSDB_LIBRARY_API rocksdb_block_based_table_options_t* rocksdb_block_based_options_create(
    void) CAIRN_C_NAME("rocksdb_block_based_options_create_11");
#endif

/* See PlainTableOptions in table.h; encoding_type: 0 (kPlain) or 1 (kPrefix). */
#if CAIRN_C_RELEASE < 8
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_plain_table_factory(
    rocksdb_options_t* opt, uint32_t user_key_len, int bloom_bits_per_key, double hash_table_ratio,
    size_t index_sparseness) CAIRN_C_NAME("rocksdb_options_set_plain_table_factory_7");
#else
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_plain_table_factory(
    rocksdb_options_t* opt, uint32_t user_key_len, int bloom_bits_per_key, double hash_table_ratio,
    size_t index_sparseness, size_t huge_page_tlb_size, char encoding_type,
    unsigned char full_scan_mode, unsigned char store_index_in_file);
#endif

/* `transform` returns where the prefix starts, within `key`; `in_range` may be NULL. */
#if CAIRN_C_RELEASE < 11
extern ROCKSDB_LIBRARY_API rocksdb_slicetransform_t* rocksdb_slicetransform_create(
    void* state, void (*destructor)(void*),
    char* (*transform)(void*, const char* key, size_t length, size_t* dst_length),
    unsigned char (*in_domain)(void*, const char* key, size_t length),
    unsigned char (*in_range)(void*, const char* key, size_t length), const char* (*name)(void*));
#else
extern ROCKSDB_LIBRARY_API rocksdb_slicetransform_t* rocksdb_slicetransform_create(
    void* state, void (*destructor)(void*),
    char* (*transform)(void*, const char* key, size_t length, size_t* dst_length),
    unsigned char (*in_domain)(void*, const char* key, size_t length), const char* (*name)(void*))
    CAIRN_C_NAME("rocksdb_slicetransform_create_11");
#endif

#if CAIRN_C_RELEASE == 8
#define CAIRN_C_NUMBERED(name) CAIRN_C_NAME(name "_8")
#elif CAIRN_C_RELEASE == 11
#define CAIRN_C_NUMBERED(name) CAIRN_C_NAME(name "_11")
#else /* the C interface of 7 has neither function */
#define CAIRN_C_NUMBERED(name)
#endif
/* By the number of RocksDB 8.10, 10.4 or 11.8 (statistics.h says what each ticker is, in another
   order). 0 without statistics, and of a number that Cairn has no ticker for. */
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_options_statistics_get_ticker_count(rocksdb_options_t* opt, uint32_t ticker_type)
    CAIRN_C_NUMBERED("rocksdb_options_statistics_get_ticker_count");
/* By the same releases' numbers. All zeros without statistics, and of a number that Cairn has no
   histogram for. */
extern ROCKSDB_LIBRARY_API void rocksdb_options_statistics_get_histogram_data(
    rocksdb_options_t* opt, uint32_t histogram_type, rocksdb_statistics_histogram_data_t* data)
    CAIRN_C_NUMBERED("rocksdb_options_statistics_get_histogram_data");

#ifdef __cplusplus
} /* end extern "C" */
#endif

#endif /* ROCKSDB_INCLUDE_C_RELEASES_H_ */
