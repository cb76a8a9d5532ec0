// BlockRef: a data block that is read, or that is to be read into it.
#pragma once

#include "base/namespace.h"
#include "table/block.h"
#include "table/cache_ref.h"

namespace cairn {

inline void DeleteBlock(Block* block) { Block::Free()(block); }
using BlockRef = CacheRef<Block, &DeleteBlock>;

}  // namespace cairn
