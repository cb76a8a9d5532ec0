// The directory that a store is in, for stores that neither make it nor remove it themselves.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace peers {

// Both return an error, or nothing.
inline std::string MakeFolder(const std::string& path) {
  std::error_code error;
  // style: this library is another store's, and has no FileSystem of Cairn's
  std::filesystem::create_directories(path, error);
  return error ? path + ": " + error.message() : std::string();
}
inline std::string RemoveFolder(const std::string& path) {
  std::error_code error;
  // style: as above
  std::filesystem::remove_all(path, error);
  return error ? path + ": " + error.message() : std::string();
}

}  // namespace peers
