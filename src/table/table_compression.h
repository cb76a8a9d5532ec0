// The property "rocksdb.compression" of tables of format_version 7: who decompresses their blocks.
//
//   name of the family of codecs ; types of the blocks, two hexadecimal digits each ; (more to
//   come)
//
// Stateless.
#pragma once

#include <memory>
#include <string>

#include "base/namespace.h"
#include "rocksdb/advanced_compression.h"
#include "table/compression.h"

namespace cairn {

// *by_manager: what blocks without a dictionary are decompressed with; null: they are of the
// built-in types, or none is compressed. `manager`, which may be null, is asked first, then what is
// registered. NotSupported: nobody knows the family. Corruption: the property makes no sense. (Both
// without the file's name.)
[[nodiscard]] Status FindDecompressor(const std::string& compression_name,
                                      const std::shared_ptr<CompressionManager>& manager,
                                      std::unique_ptr<DecompressionDict>* by_manager);

}  // namespace cairn
