// What stands behind the C interface's checkpoints.
#pragma once

#include <memory>

#include "rocksdb/utilities/checkpoint.h"

struct rocksdb_checkpoint_t {
  std::unique_ptr<rocksdb::Checkpoint> rep;
};
