// What stands behind what listeners are told through the C interface.
#pragma once

#include <memory>
#include <string>

#include "c/c_objects.h"
#include "rocksdb/listener.h"

// Each lives on the stack of the one callback that is told of it, but for one that a program made.
struct rocksdb_flushjobinfo_t {
  const rocksdb::FlushJobInfo& rep;
};
struct rocksdb_compactionjobinfo_t {
  const rocksdb::CompactionJobInfo& rep;
  std::unique_ptr<rocksdb::CompactionJobInfo> owned;  // null: as the others
};
struct rocksdb_subcompactionjobinfo_t {
  const rocksdb::SubcompactionJobInfo& rep;
};
struct rocksdb_externalfileingestioninfo_t {
  const rocksdb::ExternalFileIngestionInfo& rep;
};
struct rocksdb_writestallcondition_t {
  int rep;  // bindings read the int
};
struct rocksdb_writestallinfo_t {
  const rocksdb::WriteStallInfo& rep;
  rocksdb_writestallcondition_t cur, prev;
};
struct rocksdb_memtableinfo_t {
  const rocksdb::MemTableInfo& rep;
};
struct rocksdb_status_ptr_t {
  rocksdb::Status* rep;
};

// rocksdb_<object>_<name>(): a number of what is told; `field` is its place there.
#define CAIRN_C_TOLD(object, type, name, field)                      \
  type rocksdb_##object##_##name(const rocksdb_##object##_t* info) { \
    return static_cast<type>(info->rep.field);                       \
  }
// And text.
#define CAIRN_C_TOLD_TEXT(object, name, field)                                            \
  const char* rocksdb_##object##_##name(const rocksdb_##object##_t* info, size_t* size) { \
    return Show(info->rep.field, size);                                                   \
  }

namespace cairn {

inline const char* Show(const std::string& text, size_t* size) {
  *size = text.size();
  return text.data();
}

}  // namespace cairn
