// Writing pairs, as the fill* workloads do it. Runs in the calling client.
#pragma once

#include <cstdint>

#include "db_bench/runner.h"

namespace db_bench {

enum class Order {
  kSequential,
  kRandom,       // any key any number of times
  kUniqueRandom  // each key once at most
};

struct FillOptions {
  Order order = Order::kRandom;
  bool sync = false;
  int64_t keys_divisor = 1;  // --num / this many keys
  int value_size = 0;        // 0: --value_size
  int64_t ops = -1;          // negative: --writes, else --num
  int64_t batch = 0;         // pairs that are written together; 0: --batch_size
  bool overwrites = false;   // some keys come again: --overwrite_probability
};

// Writes `ops` pairs, in batches. Exits with a message if the database fails.
void Fill(Client* client, const FillOptions& fill);

}  // namespace db_bench
