// See local.h. Nothing else may be in this file that a compiler could inline the two into.
#include "fiber/local.h"

namespace fiber::detail {

namespace {

__thread void* t_context_word = nullptr;

}  // namespace

void* context_word() { return t_context_word; }

void set_context_word(void* word) { t_context_word = word; }

}  // namespace fiber::detail
