// What the targets share: a check that also holds without assertions, choices taken from the
// input, and damage done to a valid file as the input says.
//
// A target is a file with an LLVMFuzzerTestOneInput. clang links it with libFuzzer (scripts/fuzz),
// every other build with replay.cc, which runs its corpus and mutations of it. A target is called
// from one thread.

#ifndef CAIRN_FUZZ_FUZZ_H_
#define CAIRN_FUZZ_FUZZ_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#define FUZZ_CHECK(condition)                                                           \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      fprintf(stderr, "%s:%d: the check failed: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                          \
    }                                                                                   \
  } while (false)

namespace cairn::fuzz {

// The input from its front; behind its end it is all zeros.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

  bool empty() const { return rest_.empty(); }
  uint8_t Byte() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    return byte;
  }
  // Little endian.
  uint64_t Number(size_t bytes) {
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; ++i) number |= static_cast<uint64_t>(Byte()) << (8 * i);
    return number;
  }
  uint64_t Below(uint64_t bound) {
    return Number(bound <= 256 ? 1 : bound <= 65536 ? 2 : 4) % bound;
  }
  std::string_view Take(size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view Rest() { return Take(rest_.size()); }

 private:
  std::string_view rest_;
};

// Bytes at the end of an allocation of their own, so that the address sanitizer sees a read past
// them.
class ExactCopy {
 public:
  // (Inlined, gcc 12 believes that there may be more bytes than an object can have, and warns.)
  [[gnu::noinline]] explicit ExactCopy(std::string_view bytes)
      : size_(bytes.size()), bytes_(std::make_unique<char[]>(bytes.size())) {
    std::copy(bytes.begin(), bytes.end(), bytes_.get());
  }
  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  size_t size_;
  std::unique_ptr<char[]> bytes_;
};

// One change of *bytes, which the input describes: other bytes, fewer, more, a copy of some.
inline void DamageOnce(Input* input, std::string* bytes) {
  const uint8_t how = input->Byte();
  const size_t at = input->Below(bytes->size() + 1);
  const size_t left = bytes->size() - at;
  switch (how % 8) {
    case 0:  // a bit
      if (left != 0) (*bytes)[at] ^= static_cast<char>(1 << (how / 8 % 8));
      break;
    case 1: {  // some bytes
      const std::string_view with = input->Take(1 + how / 8);
      bytes->replace(at, std::min(left, with.size()), with);
      break;
    }
    case 2:
      bytes->erase(at, 1 + how / 8);
      break;
    case 3:
      bytes->insert(at, input->Take(1 + how / 8));
      break;
    case 4:  // a copy of what stands elsewhere
      bytes->replace(at, std::min<size_t>(left, how / 8 + 1),
                     std::string(bytes->substr(input->Below(bytes->size() + 1), how / 8 + 1)));
      break;
    case 5:  // a number that is often a limit
      bytes->replace(at, std::min<size_t>(left, how / 8 % 8 + 1), how / 8 % 8 + 1,
                     how / 64 == 0 ? '\0' : '\xff');
      break;
    case 6:
      bytes->insert(at, how / 8 + 1, '\0');
      break;
    default:
      bytes->resize(at);
  }
}

// The body of a target of an encoding: the input is bytes, or, one in four, what to make some of.
template <class Build, class Decode>
int BuildOrDecode(const uint8_t* data, size_t size, const Build& build, const Decode& decode) {
  Input input(data, size);
  if (input.Byte() % 4 == 1) {
    build(&input);
  } else {
    decode(input.Rest());
  }
  return 0;
}

}  // namespace cairn::fuzz

#endif  // CAIRN_FUZZ_FUZZ_H_
