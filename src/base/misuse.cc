#include "base/misuse.h"

#include <cstdio>
#include <cstdlib>

#include "base/logging.h"

namespace cairn {

void ReportMisuse(Logger* log, const std::string& what) {
  LogError(log, "%s", what.c_str());
#if !defined(NDEBUG)
  if (log != nullptr) log->Flush();
  std::fprintf(stderr, "cairn: %s\n", what.c_str());
  std::abort();
#endif
}

}  // namespace cairn
