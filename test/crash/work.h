// What crash_writer writes. Each writer has keys of its own, and its write number n is always the
// same, given the seed and the life (the run of the program) that issued it: so what its keys must
// hold after n writes can be worked out later, by another process. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cairn::crash {

// A life issued the writes from `first` on, until the next life's.
struct LifeStart {
  uint64_t life;
  uint64_t first;
};

// Which write gave a key its value.
struct Version {
  uint64_t life = 0;
  uint64_t number = 0;
  uint32_t part = 0;  // in its batch
};

struct Change {
  enum class Kind { kPut, kDelete, kSingleDelete };
  Kind kind;
  std::string key;
  uint32_t part;
};

// Keys that are not there are not in it.
using Contents = std::map<std::string, Version>;

// "w03/": what all keys of a writer begin with.
std::string KeyPrefix(uint32_t writer);

// One change, or the changes of one batch; no key twice. An odd seed has no SingleDelete: that is
// for runs in which a write may fail and is then issued again (a key would be put twice).
std::vector<Change> ChangesOf(uint64_t seed, uint32_t writer, uint64_t number);

// Some tens of bytes, now and then some thousands.
std::string ValueOf(uint64_t seed, uint32_t writer, const Version& version);

// The life of a write. REQUIRES: `starts` ascend, and the first is not behind `number`.
uint64_t LifeOf(const std::vector<LifeStart>& starts, uint64_t number);

void Apply(const std::vector<Change>& changes, uint64_t life, uint64_t number, Contents* contents);

// The numbers of writes, of those from `least` to `most`, after which a writer's keys are as they
// were found. (They may be several: a delete of what is not there changes nothing.)
struct Matches {
  uint64_t first;
  uint64_t last;
};

// `found`: keys and values as the database has them. True: *matches, and *contents. False: there is
// none; *difference says how it differs from what is there after `least`.
bool Match(uint64_t seed, uint32_t writer, const std::vector<LifeStart>& starts, uint64_t least,
           uint64_t most, const std::map<std::string, std::string>& found, Matches* matches,
           Contents* contents, std::string* difference);

}  // namespace cairn::crash
