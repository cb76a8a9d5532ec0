// RocksJava's sources from release 8 on name a reason that no compaction of Cairn has.
#pragma once

#define kLevelL0FilesNum kRefitLevel = 1 << 20, kLevelL0FilesNum = 1

#include_next <rocksdb/listener.h>

#undef kLevelL0FilesNum
