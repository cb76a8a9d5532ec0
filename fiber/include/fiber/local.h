// local<T>: a value per fiber, or per thread outside a fiber. The fiber's answer to thread_local.
#pragma once

#include <cstdint>
#include <type_traits>

#include "fiber/function.h"

namespace fiber {

namespace detail {

// Keys are small and reused; the generation tells the values of a former user of a key from the
// present one's.
struct LocalKey {
  uint32_t index;
  uint32_t generation;
};
LocalKey allocate_local_key();
void free_local_key(LocalKey key);
// The current context's value of `key`; created with make(argument) at the first use, destroyed
// with destroy() when the context ends, in an undefined order among keys.
void* get_local(LocalKey key, void* (*make)(const void* argument), const void* argument,
                void (*destroy)(void*));

// The values of one context, by the indices of their keys: `count` entries lie behind it.
struct LocalEntry {
  void* value = nullptr;
  void (*destroy)(void*) = nullptr;
  uint32_t generation = 0;  // 0, which no key has: there is no value
};
struct alignas(LocalEntry) LocalValues {
  uint64_t count = 0;

  LocalEntry* entries() { return reinterpret_cast<LocalEntry*>(this + 1); }
};
// Those of the current context; null if it has none, or has not asked since the library forgot
// them. Switches keep them with their context. Read anew at each call, also within a function that
// goes on on another thread (migrate()): a compiler may keep the address of a thread-local.
#if !defined(_WIN32) && defined(__x86_64__)
extern __thread LocalValues* t_local_values __attribute__((tls_model("initial-exec")));
inline LocalValues* local_values() {
  LocalValues* values;
  asm volatile(
      "movq _ZN5fiber6detail14t_local_valuesE@gottpoff(%%rip), %0\n\t"
      "movq %%fs:(%0), %0"
      : "=r"(values));
  return values;
}
inline void set_local_values(LocalValues* values) {
  void* offset;
  asm volatile(
      "movq _ZN5fiber6detail14t_local_valuesE@gottpoff(%%rip), %0\n\t"
      "movq %1, %%fs:(%0)"
      : "=&r"(offset)
      : "r"(values));
}
#else
LocalValues* local_values();
void set_local_values(LocalValues* values);
#endif

// The current context's value of `key` if it has been made, else null: the short way to what
// get_local() returns.
inline void* find_local(LocalKey key) {
  LocalValues* const values = local_values();
  if (values == nullptr || key.index >= values->count) return nullptr;
  const LocalEntry& entry = values->entries()[key.index];
  return entry.generation == key.generation ? entry.value : nullptr;
}

// Runs `action` when the current context ends, after all its values have been destroyed (on a plain
// thread also after its thread_local objects; on the main thread not at all if the process ends
// with it). Actions run in the order of their registration; they must not throw.
void at_context_exit(Function action);

// A number that no other context, fiber or plain thread, has or had; never 0. Given at the first
// call. set_context_id() gives the current context one that new_context_id() made.
uint64_t new_context_id();
uint64_t context_id();
void set_context_id(uint64_t id);

// Tells the contexts that live at one moment apart; the cheapest identity. Never null.
const void* context_token();

// One word of the current context's own, null at its start: a local at the price of a thread_local,
// for one user in the process (the database's performance contexts). Switches keep it with its
// context, which nobody destroys for it: the value of a local that sets the word clears it in its
// destructor.
#if defined(_WIN32)
// Not inlined: compilers there keep the address of a thread-local within a function, also over a
// call after which it runs on another thread (mingw's GCC asks a function for it, cl.exe without
// /GT reads it once).
void* context_word();
void set_context_word(void* word);
#else
extern __thread void* t_context_word __attribute__((tls_model("initial-exec")));
inline void* context_word() { return t_context_word; }
inline void set_context_word(void* word) { t_context_word = word; }
#endif

}  // namespace detail

// Best a static or a member of something that outlives the contexts that use it. If it goes first,
// their values stay until each context ends (or its key is reused by that context).
template <class T>
class local {
  static_assert(std::is_default_constructible_v<T>);

 public:
  local() : key_(detail::allocate_local_key()) {}
  ~local() { detail::free_local_key(key_); }
  local(const local&) = delete;
  local& operator=(const local&) = delete;

  // The current context's own value, default-constructed at its first use there.
  T& get() {
    if (void* const made = detail::find_local(key_)) return *static_cast<T*>(made);
    return *static_cast<T*>(detail::get_local(
        key_, [](const void*) -> void* { return new T(); }, nullptr,
        [](void* value) { delete static_cast<T*>(value); }));
  }
  T* operator->() { return &get(); }
  T& operator*() { return get(); }

 private:
  const detail::LocalKey key_;
};

}  // namespace fiber
