#include "table/block_cache_key.h"

#include <string>

#include "base/hash.h"

namespace cairn {

std::optional<uint64_t> CachePrefixOf(const TableProperties& properties, uint64_t file_number,
                                      uint64_t file_size, bool bare_keys) {
  if (properties.db_session_id.empty() || properties.orig_file_number == 0) return std::nullopt;
  std::string id = properties.db_session_id + properties.db_id;
  PutFixed64(&id, file_number);
  if (properties.orig_file_number != file_number) {
    PutFixed64(&id, properties.orig_file_number);
    PutFixed64(&id, file_size);
    PutFixed64(&id, properties.data_size);
    PutFixed64(&id, properties.num_entries);
    PutFixed64(&id, properties.raw_value_size);
  }
  // (With timestamps its blocks are others than without, where they are read so, too.)
  if (bare_keys) id.push_back('\1');
  return HashSlice64(id);
}

}  // namespace cairn
