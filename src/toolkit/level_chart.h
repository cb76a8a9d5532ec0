// The levels of a database as people look at them: a table of text, and a picture.
//
// Pure functions of what a MANIFEST says.
#pragma once

#include <string>

#include "base/namespace.h"
#include "toolkit/manifest_picture.h"

namespace cairn {

// For each family a line for each level that has files: how many, their size, a bar, the keys that
// they span. `width`: columns of the bar.
std::string LevelTable(const ManifestPicture& picture, size_t width = 30);

// An SVG: for each family a row for each level, in it each table as wide as it is large, the
// largest level over the whole width. What a table is stands in its tooltip.
std::string LevelSvg(const ManifestPicture& picture, const std::string& title);

}  // namespace cairn
