// RocksJava's sources look for NewLRUCache in RocksDB's private header of this name.
#pragma once

#include "rocksdb/cache.h"
