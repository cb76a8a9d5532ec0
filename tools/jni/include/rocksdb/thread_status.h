// RocksJava's sources from release 8 on name an operation that no thread of Cairn is in.
#pragma once

#define OP_UNKNOWN OP_DBOPEN = 1 << 20, OP_UNKNOWN

#include_next <rocksdb/thread_status.h>

#undef OP_UNKNOWN
