// RocksJava's sources from release 8 on look for caches in RocksDB's header of this name.
#pragma once

#include "rocksdb/cache.h"
