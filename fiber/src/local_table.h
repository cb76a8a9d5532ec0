// The values of fiber::local in one context.
#pragma once

#include <cstdint>
#include <vector>

#include "fiber/local.h"

namespace fiber::detail {

class LocalTable {
 public:
  void* get(LocalKey key, void* (*make)(const void*), const void* argument, void (*destroy)(void*));

  // Ends *table, which the context keeps until the last value is gone (a destructor may use other
  // locals).
  static void destroy(LocalTable** table);

  uint64_t context_id = 0;        // 0: none yet
  std::vector<Function> at_exit;  // run when all values are gone

 private:
  struct Entry {
    void* value = nullptr;
    void (*destroy)(void*) = nullptr;
    uint32_t generation = 0;
  };
  std::vector<Entry> entries_;  // by key
};

}  // namespace fiber::detail
