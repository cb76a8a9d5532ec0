// Filters: any bytes can be asked, and what a builder was given it never denies.
#include <string>
#include <string_view>
#include <vector>

#include "base/namespace.h"
#include "fuzz/fuzz.h"
#include "table/bloom.h"
#include "table/filter_policy.h"

namespace cairn::fuzz {

namespace {

void Ask(std::string_view bytes, const std::vector<std::string>& keys) {
  const ExactCopy copy(bytes);
  const FilterReader reader(Slice(copy.view().data(), copy.view().size()));
  bool useless = !reader.is_useful();
  for (const std::string& key : keys) {
    const bool may_match = reader.MayMatch(key);
    FUZZ_CHECK(!useless || may_match);
  }
}

}  // namespace

}  // namespace cairn::fuzz

// Bits for each key, keys, and a filter.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cairn;
  using namespace cairn::fuzz;
  Input input(data, size);
  const int millibits = static_cast<int>(input.Below(40000));
  std::vector<std::string> keys(input.Byte());
  for (std::string& key : keys) key = input.Take(input.Byte() % 16);
  Ask(input.Rest(), keys);
  if (millibits == 0) return 0;
  std::vector<uint64_t> hashes;
  for (const std::string& key : keys) hashes.push_back(BloomHash(key));
  const std::string filter = BuildBloom(hashes, millibits);
  const BloomReader reader(filter);
  for (const std::string& key : keys) FUZZ_CHECK(reader.MayMatch(key));
  const std::string ribbon = BuildRibbon(hashes, RibbonSize(hashes.size(), 1 + millibits / 100.0));
  const FilterReader ribbon_reader(ribbon);
  for (const std::string& key : keys) FUZZ_CHECK(ribbon.empty() || ribbon_reader.MayMatch(key));
  return 0;
}
