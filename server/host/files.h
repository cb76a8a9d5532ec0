// Small files, read and written whole. SUSPENDS, on a fiber.

#ifndef CAIRN_SERVER_HOST_FILES_H_
#define CAIRN_SERVER_HOST_FILES_H_

#include <string>
#include <string_view>

#include "rocksdb/status.h"

namespace cairn::server {

rocksdb::Status ReadFile(const std::string& name, std::string* text);
// The old file or the new one is there, whatever happens. For its owner's eyes only.
rocksdb::Status ReplaceFile(const std::string& name, std::string_view text);

}  // namespace cairn::server

#endif  // CAIRN_SERVER_HOST_FILES_H_
