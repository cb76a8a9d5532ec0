// What stands behind the C interface's lists of files.
#pragma once

#include <cstddef>
#include <vector>

#include "c/c_objects.h"
#include "rocksdb/metadata.h"

struct rocksdb_livefiles_t {
  std::vector<rocksdb::LiveFileMetaData> rep;
  const rocksdb::LiveFileMetaData& operator[](int index) const {
    return rep[static_cast<size_t>(index)];
  }
};
