// How releases_driver ends. The bodies are in posix/ and windows/.
#pragma once

namespace interop {

// As a kill: no destructor runs, in no library, and no other thread runs on.
[[noreturn]] void EndAtOnce();

}  // namespace interop
