// See local.h. Nothing else may be in this file that a compiler could inline these into.
#include "fiber/local.h"

namespace fiber::detail {

namespace {

__thread void* t_context_word = nullptr;
__thread LocalValues* t_local_values = nullptr;

}  // namespace

void* context_word() { return t_context_word; }

void set_context_word(void* word) { t_context_word = word; }

LocalValues* local_values() { return t_local_values; }

void set_local_values(LocalValues* values) { t_local_values = values; }

}  // namespace fiber::detail
