// Types that RocksDB's headers share with its ports. Those that Cairn has are in env.h.
#pragma once

#include "rocksdb/env.h"
