#include "table/table_compression.h"

#include <utility>
#include <vector>

#include "rocksdb/convenience.h"

namespace cairn {

namespace {

// -1: none.
int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool ParseTypes(const std::string& digits, std::vector<CompressionType>* types) {
  if (digits.size() % 2 != 0) return false;
  for (size_t i = 0; i < digits.size(); i += 2) {
    const int high = HexDigit(digits[i]);
    const int low = HexDigit(digits[i + 1]);
    const int type = high * 16 + low;
    if (high < 0 || low < 0 || type == kNoCompression || type == kDisableCompressionOption) {
      return false;
    }
    types->push_back(static_cast<CompressionType>(type));
  }
  return true;
}

}  // namespace

Status FindDecompressor(const std::string& compression_name,
                        const std::shared_ptr<CompressionManager>& manager,
                        std::unique_ptr<DecompressionDict>* by_manager) {
  if (compression_name.empty()) return Status::OK();  // very old: of the built-in types
  const size_t name_end = compression_name.find(';');
  if (name_end == std::string::npos) {
    return Status::Corruption("Missing separator in compression_name property");
  }
  const size_t types_end = compression_name.find(';', name_end + 1);
  if (types_end == std::string::npos) {
    return Status::Corruption("Missing second field from compression_name");
  }
  std::vector<CompressionType> types;
  if (!ParseTypes(compression_name.substr(name_end + 1, types_end - name_end - 1), &types)) {
    return Status::Corruption("Error parsing second field of compression_name");
  }
  const std::string name = compression_name.substr(0, name_end);
  const std::shared_ptr<CompressionManager>& builtin = GetBuiltinV2CompressionManager();
  if (manager == nullptr && (name.empty() || name == builtin->CompatibilityName())) {
    return Status::OK();
  }
  std::shared_ptr<CompressionManager> found;
  if (manager != nullptr) found = manager->FindCompatibleCompressionManager(name);
  if (found == nullptr) {
    ConfigOptions strict;
    strict.ignore_unknown_options = false;
    strict.ignore_unsupported_options = false;
    Status s = CompressionManager::CreateFromString(strict, name, &found);
    if (!s.ok()) return s;
  }
  if (found == nullptr || found == builtin) return Status::OK();
  std::shared_ptr<Decompressor> decompressor =
      found->GetDecompressorForTypes(types.data(), types.data() + types.size());
  if (decompressor == nullptr) {
    if (types.empty()) return Status::OK();  // nothing is compressed
    return Status::Corruption("no decompressor for the types of", compression_name);
  }
  // The manager lives as long as its decompressor.
  Decompressor* const its = decompressor.get();
  std::shared_ptr<Decompressor> kept(its, [found, decompressor](Decompressor*) {});
  return DecompressionDict::OfManager(std::string(), std::move(kept), by_manager);
}

}  // namespace cairn
