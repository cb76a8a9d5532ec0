#include "base/misuse.h"

#include <cstdio>
#include <cstdlib>

#include "base/logging.h"

namespace cairn {

void ReportMisuse(Logger* info_log, const std::string& what) {
  LogError(info_log, "%s", what.c_str());
#if !defined(NDEBUG)
  if (info_log != nullptr) info_log->Flush();
  std::fprintf(stderr, "cairn: %s\n", what.c_str());
  std::abort();
#endif
}

}  // namespace cairn
