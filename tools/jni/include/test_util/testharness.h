// RocksJava's sources include RocksDB's private header of this name and use nothing of it.
#pragma once

#include "rocksdb/env.h"
