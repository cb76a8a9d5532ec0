#include "../end_at_once.h"

#include <unistd.h>

namespace interop {

void EndAtOnce() { _exit(0); }

}  // namespace interop
