// The pairs that the demo writes, all computed from a number, so that each can be checked without a
// second copy.
#pragma once

#include <cstdint>
#include <string>

#include "rocksdb/slice.h"

namespace demo {

// Item numbers of client c among n: c, c + n, c + 2n ... The k-th of them:
inline uint64_t ItemOf(uint64_t client, uint64_t clients, uint64_t k) {
  return k * clients + client;
}

// The key of an item: 16 hexadecimal digits of the number scrambled one to one, so that items
// written one after the other lie far apart.
std::string KeyOf(uint64_t item);
// The item of a key; false if KeyOf() makes no such key.
bool ItemOfKey(const rocksdb::Slice& key, uint64_t* item);
// 100 bytes, about half of which compress away.
std::string ValueOf(uint64_t item);

// splitmix64's finisher: scatters consecutive numbers.
uint64_t Scatter(uint64_t x);

}  // namespace demo
