#include "db_stress/expected.h"

#include <charconv>
#include <cstdio>

namespace stress {

namespace {

constexpr uint64_t kDeletionOneIn = 5;
constexpr uint64_t kLongOneIn = 50;

uint64_t Mix(uint64_t key, Version version) { return Hash(key * 0x10001 + version); }

// The version that a value says it is; 0 if it says none.
Version VersionOf(const std::string& value) {
  const size_t dot = value.find('.');
  Version version = 0;
  if (dot != std::string::npos) {
    std::from_chars(value.data() + dot + 1, value.data() + value.size(), version);
  }
  return version;
}

}  // namespace

std::string KeyText(uint64_t key) {
  char text[32];
  std::snprintf(text, sizeof(text), "key%09llu", static_cast<unsigned long long>(key));
  return text;
}

std::optional<uint64_t> KeyNumber(std::string_view text, uint64_t keys) {
  uint64_t key = 0;
  if (text.size() < 4) return std::nullopt;
  std::from_chars(text.data() + 3, text.data() + text.size(), key);
  if (key >= keys || KeyText(key) != text) return std::nullopt;
  return key;
}

bool IsDeletion(uint64_t key, Version version) {
  return version == 0 || Mix(key, version) % kDeletionOneIn == 0;
}

std::string ValueText(uint64_t key, Version version) {
  const uint64_t mixed = Mix(key, version);
  std::string value = std::to_string(key) + "." + std::to_string(version) + ":";
  const size_t size = (mixed >> 20) % kLongOneIn == 0 ? 4000 : (mixed >> 30) % 200;
  for (size_t i = 0; i < size; ++i) value.push_back(static_cast<char>('!' + (mixed + i * i) % 90));
  return value;
}

Expected::Expected(uint64_t keys)
    : keys_(keys),
      locks_(std::make_unique<fiber::Mutex[]>(kLocks)),
      issued_(std::make_unique<std::atomic<Version>[]>(keys)),
      acknowledged_(std::make_unique<std::atomic<Version>[]>(keys)) {}

Version Expected::Issue(uint64_t key) {
  const Version version = issued_[key].load(std::memory_order_relaxed) + 1;
  issued_[key].store(version, std::memory_order_release);
  return version;
}

void Expected::Acknowledge(uint64_t key, Version version) {
  acknowledged_[key].store(version, std::memory_order_release);
}

std::vector<Version> Expected::AllAcknowledged() const {
  std::vector<Version> versions(keys_);
  for (uint64_t key = 0; key < keys_; ++key) versions[key] = acknowledged(key);
  return versions;
}

bool Expected::Fits(uint64_t key, Version from, Version to, const std::optional<std::string>& value,
                    std::string* error) {
  if (value.has_value()) {
    const Version found = VersionOf(*value);
    if (found >= from && found <= to && !IsDeletion(key, found) &&
        *value == ValueText(key, found)) {
      return true;
    }
  } else {
    for (Version version = from; version <= to; ++version) {
      if (IsDeletion(key, version)) return true;
    }
  }
  *error = KeyText(key) + ": found " + (value.has_value() ? value->substr(0, 60) : "nothing") +
           ", expected a version from " + std::to_string(from) + " to " + std::to_string(to);
  return false;
}

bool Expected::Restart(uint64_t key, Version from, const std::optional<std::string>& value,
                       std::string* error) {
  const Version to = issued(key);
  if (!Fits(key, from, to, value, error)) return false;
  Version version = from;
  if (value.has_value()) {
    version = VersionOf(*value);
  } else {
    while (!IsDeletion(key, version)) ++version;
  }
  issued_[key].store(version, std::memory_order_release);
  acknowledged_[key].store(version, std::memory_order_release);
  return true;
}

}  // namespace stress
