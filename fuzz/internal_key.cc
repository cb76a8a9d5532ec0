// Internal keys and the numbers that files are made of: what decodes encodes the same, the order is
// one, and separators lie where they must.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/coding.h"
#include "base/internal_key.h"
#include "base/namespace.h"
#include "fuzz/fuzz.h"
#include "rocksdb/comparator.h"

namespace cairn::fuzz {

namespace {

int Sign(int order) { return order < 0 ? -1 : order > 0; }

void CheckKey(const std::string& bytes) {
  ParsedInternalKey parsed;
  if (!ParseInternalKey(bytes, &parsed).ok()) return;
  (void)parsed.DebugString(true);
  std::string again;
  AppendInternalKey(&again, parsed);
  FUZZ_CHECK(again == bytes);
  const LookupKey lookup(parsed.user_key, parsed.sequence);
  FUZZ_CHECK(lookup.user_key() == parsed.user_key);
  FUZZ_CHECK(lookup.sequence() == parsed.sequence);
}

void CheckOrder(const InternalKeyComparator& icmp, std::vector<std::string> keys) {
  for (const std::string& a : keys) {
    FUZZ_CHECK(icmp.Compare(a, a) == 0);
    for (const std::string& b : keys) {
      const int order = Sign(icmp.Compare(a, b));
      FUZZ_CHECK(order == -Sign(icmp.Compare(b, a)));
      FUZZ_CHECK((order == 0) == (a == b));
      if (order < 0) {
        std::string separator = a;
        icmp.FindShortestSeparator(&separator, b);
        FUZZ_CHECK(icmp.Compare(a, separator) <= 0);
        FUZZ_CHECK(icmp.Compare(separator, b) < 0);
      }
    }
    std::string successor = a;
    icmp.FindShortSuccessor(&successor);
    FUZZ_CHECK(icmp.Compare(a, successor) <= 0);
  }
  std::sort(keys.begin(), keys.end(),
            [&](const std::string& a, const std::string& b) { return icmp.Compare(a, b) < 0; });
  for (size_t i = 0; i + 1 < keys.size(); ++i) {
    for (size_t j = i + 1; j < keys.size(); ++j) FUZZ_CHECK(icmp.Compare(keys[i], keys[j]) <= 0);
  }
}

void CheckNumbers(std::string_view bytes) {
  const ExactCopy copy(bytes);
  const Slice all(copy.view().data(), copy.view().size());
  for (Slice rest = all; !rest.empty();) {
    uint64_t number;
    if (!GetVarint64(&rest, &number)) break;
    std::string encoded;
    PutVarint64(&encoded, number);
    Slice again = encoded;
    uint64_t decoded;
    FUZZ_CHECK(GetVarint64(&again, &decoded) && decoded == number && again.empty());
  }
  for (Slice rest = all; !rest.empty();) {
    uint32_t number;
    if (!GetVarint32(&rest, &number)) break;
    std::string encoded;
    PutVarint32(&encoded, number);
    Slice again = encoded;
    uint32_t decoded;
    FUZZ_CHECK(GetVarint32(&again, &decoded) && decoded == number && again.empty());
  }
  for (Slice rest = all; !rest.empty();) {
    Slice part;
    if (!GetLengthPrefixedSlice(&rest, &part)) break;
    FUZZ_CHECK(part.size() < bytes.size());
  }
}

}  // namespace

}  // namespace cairn::fuzz

// The order, and keys of a length and their bytes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cairn;
  using namespace cairn::fuzz;
  Input input(data, size);
  const InternalKeyComparator icmp(input.Byte() % 2 == 0 ? BytewiseComparator()
                                                         : ReverseBytewiseComparator());
  CheckNumbers(std::string_view(reinterpret_cast<const char*>(data), size));
  std::vector<std::string> keys;
  while (!input.empty() && keys.size() < 8) {
    const std::string key(input.Take(input.Byte() % 32));
    CheckKey(key);
    if (key.size() >= kInternalKeyFooterSize) keys.push_back(key);
  }
  CheckOrder(icmp, keys);
  return 0;
}
