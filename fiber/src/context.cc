#include "context.h"

#include <cxxabi.h>

namespace fiber::detail {

ExceptionGlobals* thread_exception_globals() {
  return reinterpret_cast<ExceptionGlobals*>(abi::__cxa_get_globals());
}

}  // namespace fiber::detail
