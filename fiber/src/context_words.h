// What each context has for itself in the thread it runs on (local.h): every switch keeps it.
#pragma once

#include "fiber/local.h"

namespace fiber::detail {

struct ContextWords {
  void* word = nullptr;
  LocalValues* values = nullptr;
};

inline ContextWords context_words() { return {context_word(), local_values()}; }

inline void set_context_words(ContextWords words) {
  set_context_word(words.word);
  set_local_values(words.values);
}

}  // namespace fiber::detail
