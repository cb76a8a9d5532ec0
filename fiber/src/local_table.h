// The values of fiber::local in one context.
#pragma once

#include <cstdint>
#include <vector>

#include "fiber/local.h"

namespace fiber::detail {

class LocalTable {
 public:
  LocalTable() = default;
  ~LocalTable();
  LocalTable(const LocalTable&) = delete;
  LocalTable& operator=(const LocalTable&) = delete;

  // REQUIRES: the table of the current context, whose local_values() the entries become.
  void* get(LocalKey key, void* (*make)(const void*), const void* argument, void (*destroy)(void*));

  // Ends *table, which the context keeps until the last value is gone (a destructor may use other
  // locals).
  static void destroy(LocalTable** table);

  uint64_t context_id = 0;        // 0: none yet
  std::vector<Function> at_exit;  // run when all values are gone

 private:
  void grow(uint32_t index);

  LocalValues* values_ = nullptr;  // owned, null before the first use
};

}  // namespace fiber::detail
