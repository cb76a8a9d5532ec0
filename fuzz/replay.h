// The targets that a build of fuzz_replay has; fuzz/CMakeLists.txt writes the table.

#ifndef CAIRN_FUZZ_REPLAY_H_
#define CAIRN_FUZZ_REPLAY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace cairn::fuzz {

struct Target {
  std::string_view name;
  int (*run)(const uint8_t* data, size_t size);
};

std::span<const Target> Targets();

}  // namespace cairn::fuzz

#endif  // CAIRN_FUZZ_REPLAY_H_
