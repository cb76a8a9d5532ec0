/* What the C tests share: checks that end the program, and say where and in which phase. */
#ifndef CAIRN_TEST_C_API_CHECK_H_
#define CAIRN_TEST_C_API_CHECK_H_

#include <stdio.h>
#include <stdlib.h>

static const char* phase = "";

#define CHECK(condition)                                                                   \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      fprintf(stderr, "%s:%d: %s: not true: %s\n", __FILE__, __LINE__, phase, #condition); \
      exit(1);                                                                             \
    }                                                                                      \
  } while (0)
#define CHECK_OK(error)                                                     \
  do {                                                                      \
    if ((error) != NULL) {                                                  \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, phase, error); \
      exit(1);                                                              \
    }                                                                       \
  } while (0)

/* The field has what it is set to. */
#define SETS(object, of, field)                     \
  do {                                              \
    phase = #field;                                 \
    rocksdb_##object##_set_##field(of, 1);          \
    CHECK(rocksdb_##object##_get_##field(of) == 1); \
    rocksdb_##object##_set_##field(of, 0);          \
    CHECK(rocksdb_##object##_get_##field(of) == 0); \
  } while (0)

#endif
