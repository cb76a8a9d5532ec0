#include "engine.h"

#include "support/shared_library.h"

namespace interop {

bool Load(const std::string& library, Engine* engine, std::string* error) {
  void* const handle = bench::OpenLibrary(library, error);
  if (handle == nullptr) return false;
#define INTEROP_LOOK_UP(name) \
  engine->name =              \
      reinterpret_cast<decltype(engine->name)>(bench::FindFunction(handle, "rocksdb_" #name));
#define INTEROP_REQUIRE(name)                          \
  INTEROP_LOOK_UP(name)                                \
  if (engine->name == nullptr) {                       \
    *error = library + ": no function rocksdb_" #name; \
    return false;                                      \
  }
  INTEROP_FUNCTIONS(INTEROP_REQUIRE)
  INTEROP_LATER_FUNCTIONS(INTEROP_LOOK_UP)
  engine->cairn = bench::FindFunction(handle, "fiber_runtime_create") != nullptr;
  INTEROP_LOOK_UP(block_based_options_set_separate_key_value_in_data_block)
  INTEROP_LOOK_UP(options_set_plain_table_factory)
#undef INTEROP_REQUIRE
#undef INTEROP_LOOK_UP
  return true;
}

}  // namespace interop
