/* The C interface: reads without copies. Part of rocksdb/c.h, which includes it. */
#ifndef ROCKSDB_INCLUDE_C_VALUES_H_
#define ROCKSDB_INCLUDE_C_VALUES_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that belong to somebody else. */
typedef struct rocksdb_slice_t {
  const char* data;
  size_t size;
} rocksdb_slice_t;
typedef struct rocksdb_pinnable_handle_t rocksdb_pinnable_handle_t;

/* As rocksdb_iter_key() and its kin; of a valid iterator. Valid until it moves. */
extern ROCKSDB_LIBRARY_API rocksdb_slice_t rocksdb_iter_key_slice(const rocksdb_iterator_t* iter);
extern ROCKSDB_LIBRARY_API rocksdb_slice_t rocksdb_iter_value_slice(const rocksdb_iterator_t* iter);
extern ROCKSDB_LIBRARY_API rocksdb_slice_t
rocksdb_iter_timestamp_slice(const rocksdb_iterator_t* iter);

/* A value that is not copied; NULL if there is none, or with an error. */
extern ROCKSDB_LIBRARY_API rocksdb_pinnable_handle_t* rocksdb_get_pinned_v2(
    rocksdb_t* db, const rocksdb_readoptions_t* options, const char* key, size_t keylen,
    char** errptr);
extern ROCKSDB_LIBRARY_API rocksdb_pinnable_handle_t* rocksdb_get_pinned_cf_v2(
    rocksdb_t* db, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t keylen, char** errptr);
/* Valid until the handle is destroyed; NULL, with a length of 0, of a handle that is NULL. */
extern ROCKSDB_LIBRARY_API const char* rocksdb_pinnable_handle_get_value(
    const rocksdb_pinnable_handle_t* handle, size_t* vallen);
extern ROCKSDB_LIBRARY_API void rocksdb_pinnable_handle_destroy(rocksdb_pinnable_handle_t* handle);

/* Into the caller's memory. *found: there is a value; *vallen: its bytes. 1: all of it is in the
   buffer. 0: there is none, or it is larger than the buffer, which then has nothing of it. */
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_get_into_buffer(
    rocksdb_t* db, const rocksdb_readoptions_t* options, const char* key, size_t keylen,
    char* buffer, size_t buffer_size, size_t* vallen, unsigned char* found, char** errptr);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_get_into_buffer_cf(
    rocksdb_t* db, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family, const char* key, size_t keylen, char* buffer,
    size_t buffer_size, size_t* vallen, unsigned char* found, char** errptr);

/* rocksdb_batched_multi_get_cf() with slices: values and errs have room for num_keys. */
extern ROCKSDB_LIBRARY_API void rocksdb_batched_multi_get_cf_slice(
    rocksdb_t* db, const rocksdb_readoptions_t* options,
    rocksdb_column_family_handle_t* column_family, size_t num_keys,
    const rocksdb_slice_t* keys_list, rocksdb_pinnableslice_t** values, char** errs,
    const bool sorted_input);

#ifdef __cplusplus
} /* end extern "C" */
#endif

#endif /* ROCKSDB_INCLUDE_C_VALUES_H_ */
