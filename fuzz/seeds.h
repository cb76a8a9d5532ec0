// What the parts of fuzz_seeds share.

#ifndef CAIRN_FUZZ_SEEDS_H_
#define CAIRN_FUZZ_SEEDS_H_

#include <functional>
#include <string>

namespace cairn::fuzz {

// Writes a seed of a target's corpus.
using AddSeed = std::function<void(const std::string& target, const std::string& name,
                                   const std::string& bytes)>;

void AddServerSeeds(const AddSeed& add);
void AddEngineSeeds(const AddSeed& add);

}  // namespace cairn::fuzz

#endif  // CAIRN_FUZZ_SEEDS_H_
