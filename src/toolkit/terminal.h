// The program's standard streams as this operating system has them: toolkit/posix and
// toolkit/windows each have one body.
#pragma once

#include "base/namespace.h"

namespace cairn {

// Before a tool prints: its output is bytes, also where C's library would turn each '\n' into
// "\r\n", which in a dumped value is damage. For the rest of the process.
void PrepareStreams();
// Whether somebody looks at the standard output, and at the standard error.
bool OutputIsTerminal();
bool ErrorIsTerminal();
// What may stand before the '\n' of a line of the standard input and is not the line's; 0: nothing.
extern const char kBeforeLineEnd;

}  // namespace cairn
