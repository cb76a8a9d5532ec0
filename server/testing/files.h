// What tests of the server ask of files.
#pragma once

#include <cstddef>
#include <string>

namespace cairn::server::testing {

// A new directory, which the test removes. Its path: in the temporary folder of the tests, `name`
// and what no other has. A failed expectation says if it cannot be made.
std::string MakeScratchDirectory(const std::string& name);

// The lines that end in the text.
size_t LinesIn(const std::string& text);

}  // namespace cairn::server::testing
