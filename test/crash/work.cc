#include "crash/work.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "base/random.h"

namespace cairn::crash {

namespace {

constexpr uint64_t kKeys = 300;  // of each writer, that are written again and again
constexpr uint64_t kSingleEvery = 16;
constexpr uint64_t kSingleDeletedAfter = 7;

uint64_t Mix(uint64_t seed, uint32_t writer, uint64_t number) {
  return (seed * 0x9e3779b97f4a7c15ull) ^ (uint64_t{writer} << 56) ^ number;
}

std::string KeyText(uint32_t writer, char kind, uint64_t number) {
  char text[40];
  snprintf(text, sizeof(text), "%c%06llu", kind, static_cast<unsigned long long>(number));
  return KeyPrefix(writer) + text;
}

}  // namespace

std::string KeyPrefix(uint32_t writer) {
  char text[16];
  snprintf(text, sizeof(text), "w%02u/", writer);
  return text;
}

std::vector<Change> ChangesOf(uint64_t seed, uint32_t writer, uint64_t number) {
  using Kind = Change::Kind;
  // A key of its own for each SingleDelete: it must have been put once.
  const bool singles = seed % 2 == 0;
  if (singles && number % kSingleEvery == 0) return {{Kind::kPut, KeyText(writer, 's', number), 0}};
  if (singles && number % kSingleEvery == kSingleDeletedAfter && number > kSingleDeletedAfter) {
    return {{Kind::kSingleDelete, KeyText(writer, 's', number - kSingleDeletedAfter), 0}};
  }
  Random64 random(Mix(seed, writer, number));
  const uint64_t count = random.OneIn(3) ? 2 + random.Uniform(8) : 1;
  std::vector<Change> changes;
  std::set<std::string> keys;
  for (uint32_t part = 0; part < count; ++part) {
    const std::string key = KeyText(writer, 'k', random.Uniform(kKeys));
    const Kind kind = random.OneIn(4) ? Kind::kDelete : Kind::kPut;
    if (keys.insert(key).second) changes.push_back({kind, key, part});
  }
  return changes;
}

std::string ValueOf(uint64_t seed, uint32_t writer, const Version& version) {
  Random64 random(Mix(seed ^ version.life, writer, version.number * 16 + version.part));
  std::string value = std::to_string(version.life) + "." + std::to_string(version.number) + "." +
                      std::to_string(version.part) + ":";
  const size_t size = random.OneIn(40) ? random.Uniform(20000) : random.Uniform(300);
  return value + random.RandomString(size);
}

uint64_t LifeOf(const std::vector<LifeStart>& starts, uint64_t number) {
  const auto after =
      std::upper_bound(starts.begin(), starts.end(), number,
                       [](uint64_t n, const LifeStart& start) { return n < start.first; });
  return std::prev(after)->life;
}

void Apply(const std::vector<Change>& changes, uint64_t life, uint64_t number, Contents* contents) {
  for (const Change& change : changes) {
    if (change.kind == Change::Kind::kPut) {
      (*contents)[change.key] = {life, number, change.part};
    } else {
      contents->erase(change.key);
    }
  }
}

bool Match(uint64_t seed, uint32_t writer, const std::vector<LifeStart>& starts, uint64_t least,
           uint64_t most, const std::map<std::string, std::string>& found, Matches* matches,
           Contents* contents, std::string* difference) {
  contents->clear();
  for (uint64_t n = 1; n <= least; ++n) {
    Apply(ChangesOf(seed, writer, n), LifeOf(starts, n), n, contents);
  }
  const auto wrong = [&](const std::string& key) {
    const auto expected = contents->find(key);
    const auto there = found.find(key);
    if (expected == contents->end()) return there != found.end();
    return there == found.end() || there->second != ValueOf(seed, writer, expected->second);
  };
  std::set<std::string> differing;
  for (const auto& entry : *contents) {
    if (wrong(entry.first)) differing.insert(entry.first);
  }
  for (const auto& entry : found) {
    if (!contents->contains(entry.first)) differing.insert(entry.first);
  }
  difference->clear();
  for (const std::string& key : differing) {
    if (difference->size() > 1000) break;
    const auto expected = contents->find(key);
    const auto there = found.find(key);
    *difference += "\n  " + key + ": expected " +
                   (expected == contents->end() ? "nothing"
                                                : std::to_string(expected->second.life) + "." +
                                                      std::to_string(expected->second.number)) +
                   ", found " + (there == found.end() ? "nothing" : there->second.substr(0, 40));
  }
  bool any = false;
  Contents matching;
  for (uint64_t n = least;; ++n) {
    if (differing.empty()) {
      if (!any) *matches = {n, n};
      any = true;
      matches->last = n;
      matching = *contents;
    }
    if (n == most) break;
    const std::vector<Change> changes = ChangesOf(seed, writer, n + 1);
    Apply(changes, LifeOf(starts, n + 1), n + 1, contents);
    for (const Change& change : changes) {
      if (wrong(change.key)) {
        differing.insert(change.key);
      } else {
        differing.erase(change.key);
      }
    }
  }
  *contents = std::move(matching);
  return any;
}

}  // namespace cairn::crash
