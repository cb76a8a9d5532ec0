// RocksJava's sources look for NewClockCache in RocksDB's private header of this name.
#pragma once

#include "rocksdb/cache.h"
