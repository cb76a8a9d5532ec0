#include "toolkit/terminal.h"

#include <unistd.h>

namespace cairn {

const char kBeforeLineEnd = 0;

void PrepareStreams() {}

bool OutputIsTerminal() { return ::isatty(STDOUT_FILENO) == 1; }

bool ErrorIsTerminal() { return ::isatty(STDERR_FILENO) == 1; }

}  // namespace cairn
