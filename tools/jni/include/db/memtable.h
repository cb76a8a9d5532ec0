// What RocksJava's sources take from RocksDB's private header of this name.
#pragma once

#include "rocksjava/memtable.h"
