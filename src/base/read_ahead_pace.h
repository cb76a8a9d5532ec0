// How far, and in what pieces, a reader of a file reads ahead; what a level's iterator hands on
// from one file to the next (ReadOptions::adaptive_readahead).
#pragma once

#include <cstddef>

#include "base/namespace.h"

namespace cairn {

struct ReadAheadPace {
  size_t first = 0;        // bytes of the first piece
  size_t largest = 0;      // and of the largest that they grow to
  size_t pieces = 2;       // read or being read, besides the one in use
  bool may_widen = false;  // more pieces, where the reader has to wait for the largest ones
};

}  // namespace cairn
