// The properties block of a table: the one block whose bytes may have changed after its checksum
// was made. Called when a table is opened.
#ifndef CAIRN_TABLE_PROPERTIES_BLOCK_H_
#define CAIRN_TABLE_PROPERTIES_BLOCK_H_

#include "base/namespace.h"
#include "rocksdb/status.h"
#include "rocksdb/table_properties.h"
#include "table/block_fetcher.h"
#include "table/prefetch_buffer.h"

namespace cairn {

// Reads and decodes it, and verifies its checksum. Corruption names the file and the offset.
// `tail`: of the file, as for ReadBlock(). SUSPENDS.
[[nodiscard]] Status ReadPropertiesBlock(const BlockSource& source, const BlockHandle& handle,
                                         PrefetchBuffer* tail, TableProperties* properties);

}  // namespace cairn

#endif  // CAIRN_TABLE_PROPERTIES_BLOCK_H_
