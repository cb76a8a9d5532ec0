/* The C interface: merges. Part of rocksdb/c.h, which includes it. */
#ifndef ROCKSDB_INCLUDE_C_MERGE_H_
#define ROCKSDB_INCLUDE_C_MERGE_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Callbacks may come from any thread, several at once. full_merge applies the operands, oldest
   first, to the existing value (NULL: none); partial_merge makes one operand of several. Both
   return the result, of *new_value_length bytes, and set *success, 0 if they cannot; what they
   return is given to delete_value, or to free() if that is NULL. The destructor is called with
   `state` when nobody needs the operator any more. */
extern ROCKSDB_LIBRARY_API rocksdb_mergeoperator_t* rocksdb_mergeoperator_create(
    void* state, void (*destructor)(void*),
    char* (*full_merge)(void*, const char* key, size_t key_length, const char* existing_value,
                        size_t existing_value_length, const char* const* operands_list,
                        const size_t* operands_list_length, int num_operands,
                        unsigned char* success, size_t* new_value_length),
    char* (*partial_merge)(void*, const char* key, size_t key_length,
                           const char* const* operands_list, const size_t* operands_list_length,
                           int num_operands, unsigned char* success, size_t* new_value_length),
    void (*delete_value)(void*, const char* value, size_t value_length),
    const char* (*name)(void*));
/* For one that was never given to options. */
extern ROCKSDB_LIBRARY_API void rocksdb_mergeoperator_destroy(rocksdb_mergeoperator_t*);
/* The operator is the options' from then on. */
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_merge_operator(rocksdb_options_t*,
                                                                   rocksdb_mergeoperator_t*);
/* Values and operands are 64-bit numbers, little-endian; they are added. */
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_uint64add_merge_operator(rocksdb_options_t*);

extern ROCKSDB_LIBRARY_API void rocksdb_merge(rocksdb_t* db, const rocksdb_writeoptions_t* options,
                                              const char* key, size_t keylen, const char* val,
                                              size_t vallen, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_merge_cf(rocksdb_t* db,
                                                 const rocksdb_writeoptions_t* options,
                                                 rocksdb_column_family_handle_t* column_family,
                                                 const char* key, size_t keylen, const char* val,
                                                 size_t vallen, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_merge(rocksdb_writebatch_t*, const char* key,
                                                         size_t klen, const char* val, size_t vlen);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_merge_cf(
    rocksdb_writebatch_t*, rocksdb_column_family_handle_t* column_family, const char* key,
    size_t klen, const char* val, size_t vlen);
/* Key and value in parts. */
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_mergev(rocksdb_writebatch_t* b, int num_keys,
                                                          const char* const* keys_list,
                                                          const size_t* keys_list_sizes,
                                                          int num_values,
                                                          const char* const* values_list,
                                                          const size_t* values_list_sizes);
extern ROCKSDB_LIBRARY_API void rocksdb_writebatch_mergev_cf(
    rocksdb_writebatch_t* b, rocksdb_column_family_handle_t* column_family, int num_keys,
    const char* const* keys_list, const size_t* keys_list_sizes, int num_values,
    const char* const* values_list, const size_t* values_list_sizes);

#ifdef __cplusplus
} /* end extern "C" */
#endif

#endif /* ROCKSDB_INCLUDE_C_MERGE_H_ */
