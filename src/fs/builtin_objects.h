// The file systems and Envs that can be had by name without registering anything.

#ifndef CAIRN_FS_BUILTIN_OBJECTS_H_
#define CAIRN_FS_BUILTIN_OBJECTS_H_

#include <memory>

#include "base/namespace.h"
#include "rocksdb/utilities/object_registry.h"

namespace cairn {

// A new library with their factories; ObjectRegistry::Default() has one.
std::shared_ptr<ObjectLibrary> NewBuiltinLibrary();

}  // namespace cairn

#endif  // CAIRN_FS_BUILTIN_OBJECTS_H_
