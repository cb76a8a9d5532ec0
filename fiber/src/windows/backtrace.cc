// See backtrace.h. Here the frames come from the tables that every function of 64-bit Windows has
// (RtlVirtualUnwind), not from frame pointers. Names are those of the modules: the program's own
// symbols are not read.
#include "backtrace.h"

#include <cstring>

#include "stack_layout.h"
#include "system.h"

namespace fiber::detail {
namespace {

uintptr_t word_at(const char* base, size_t index) {
  uintptr_t value;
  memcpy(&value, base + index * sizeof(value), sizeof(value));
  return value;
}

// The register that a function addresses its frame by, 0: none (UNWIND_INFO).
unsigned frame_register(DWORD64 image, const RUNTIME_FUNCTION* function) {
  const auto* info = reinterpret_cast<const unsigned char*>(image + function->UnwindData);
  return info[3] & 0xf;
}

// One frame outwards. False: that was the last, or it cannot be told.
template <class Inside>
bool unwind(CONTEXT* context, Inside inside) {
  DWORD64 image = 0;
  RUNTIME_FUNCTION* const function = RtlLookupFunctionEntry(context->Rip, &image, nullptr);
  if (function == nullptr) {  // a leaf
    if (!inside(context->Rsp)) return false;
    memcpy(&context->Rip, reinterpret_cast<const void*>(context->Rsp), sizeof(context->Rip));
    context->Rsp += 8;
    return context->Rip != 0;
  }
  constexpr unsigned kRbp = 5;
  const unsigned by = frame_register(image, function);
  // What runs meanwhile must not lead us away from its stack.
  if (by != 0 && (by != kRbp || !inside(context->Rbp))) return false;
  const DWORD64 before = context->Rsp;
  void* handler_data = nullptr;
  DWORD64 frame = 0;
  RtlVirtualUnwind(UNW_FLAG_NHANDLER, image, context->Rip, function, context, &handler_data, &frame,
                   nullptr);
  return context->Rip != 0 && context->Rsp > before && inside(context->Rsp - 8);
}

}  // namespace

size_t backtrace_of(const Stack& stack, const Context& suspended, uintptr_t* frames) {
  auto inside = [&](uintptr_t address) {
    return address >= reinterpret_cast<uintptr_t>(stack.bottom) &&
           address + sizeof(uintptr_t) <= reinterpret_cast<uintptr_t>(stack.top) &&
           address % sizeof(uintptr_t) == 0;
  };
  const char* const sp = static_cast<const char*>(suspended.stack_pointer);
  if (!inside(reinterpret_cast<uintptr_t>(sp)) ||
      !inside(reinterpret_cast<uintptr_t>(sp + kSavedReturn * sizeof(uintptr_t)))) {
    return 0;
  }
  CONTEXT context;
  memset(&context, 0, sizeof(context));
  context.ContextFlags = CONTEXT_CONTROL | CONTEXT_INTEGER;
  context.R15 = word_at(sp, kSavedR15);
  context.R14 = word_at(sp, kSavedR14);
  context.R13 = word_at(sp, kSavedR13);
  context.R12 = word_at(sp, kSavedR12);
  context.Rsi = word_at(sp, kSavedRsi);
  context.Rdi = word_at(sp, kSavedRdi);
  context.Rbx = word_at(sp, kSavedRbx);
  context.Rbp = word_at(sp, kSavedRbp);
  context.Rip = word_at(sp, kSavedReturn);
  context.Rsp = reinterpret_cast<uintptr_t>(sp + kSavedWords * sizeof(uintptr_t));
  size_t count = 0;
  do {
    frames[count++] = context.Rip;
  } while (count < kMaxFrames && unwind(&context, inside));
  return count;
}

bool find_symbol(uintptr_t address, const char** /*name*/, uintptr_t* offset, const char** module) {
  *module = nullptr;
  HMODULE handle;
  if (!GetModuleHandleExW(
          GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
          reinterpret_cast<LPCWSTR>(address), &handle)) {
    return false;
  }
  *module = handle == GetModuleHandleW(nullptr) ? "(program)" : "(library)";
  *offset = address - reinterpret_cast<uintptr_t>(handle);
  return false;
}

}  // namespace fiber::detail
