// The namespace of the public API. Programs written for RocksDB name it `rocksdb` or
// ROCKSDB_NAMESPACE; both work.
#pragma once

#ifndef ROCKSDB_NAMESPACE
#define ROCKSDB_NAMESPACE rocksdb
#endif
