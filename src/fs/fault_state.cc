#include "fs/fault_state.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <utility>

#include "fs/fiber_file_system.h"
#include "fs/file_names.h"

namespace cairn::fault {

FileKind KindOf(const std::string& path) {
  uint64_t number;
  FileType type;
  if (!ParseFileName(path.substr(path.rfind('/') + 1), &number, &type)) return kOtherFiles;
  switch (type) {
    case FileType::kWalFile:
      return kLogs;
    case FileType::kTableFile:
      return kTables;
    case FileType::kDescriptorFile:
      return kManifests;
    case FileType::kCurrentFile:
      return kCurrent;
    case FileType::kOptionsFile:
      return kOptionsFiles;
    case FileType::kInfoLogFile:
      return kInfoLogs;
    case FileType::kTempFile:
      return kTemporaryFiles;
    default:
      return kOtherFiles;
  }
}

IOStatus ErrorOf(int err) { return IOErrorFromErrno("injected fault", "", err); }

namespace detail {

RuleId FaultState::AddLocked(Rule rule) {
  Active active;
  active.random = Random64(rule.seed);
  active.rule = std::move(rule);
  rules_.emplace(++last_rule_, std::move(active));
  return last_rule_;
}

RuleId FaultState::AddRule(Rule rule) {
  fiber::MutexLock lock(&mu_);
  return AddLocked(std::move(rule));
}

uint64_t FaultState::Hits(RuleId rule) const {
  fiber::MutexLock lock(&mu_);
  const auto it = rules_.find(rule);
  return it == rules_.end() ? 0 : it->second.hits;
}

void FaultState::RemoveRule(RuleId rule) {
  fiber::MutexLock lock(&mu_);
  rules_.erase(rule);
}

void FaultState::FailNthOperation(uint64_t n, uint32_t operations, IOStatus error, uint64_t times) {
  fiber::MutexLock lock(&mu_);
  rules_.erase(std::exchange(nth_rule_, 0));
  if (n == 0) return;
  Rule rule;
  rule.operations = operations;
  rule.after = n - 1;
  rule.times = times;
  rule.error = std::move(error);
  nth_rule_ = AddLocked(std::move(rule));
}

void FaultState::FailRandomly(uint64_t seed, uint32_t operations, uint32_t one_in, IOStatus error) {
  fiber::MutexLock lock(&mu_);
  rules_.erase(std::exchange(random_rule_, 0));
  if (one_in == 0) return;
  Rule rule;
  rule.operations = operations;
  rule.one_in = one_in;
  rule.seed = seed;
  rule.error = std::move(error);
  random_rule_ = AddLocked(std::move(rule));
}

void FaultState::SetFilesystemActive(bool active, IOStatus error) {
  fiber::MutexLock lock(&mu_);
  active_ = active;
  inactive_error_ = std::move(error);
}

void FaultState::SetReadOnly(bool read_only) {
  fiber::MutexLock lock(&mu_);
  read_only_ = read_only;
}

void FaultState::SetFreeBytes(uint64_t bytes) {
  fiber::MutexLock lock(&mu_);
  free_bytes_ = bytes;
}

void FaultState::SetFileFilter(std::function<bool(const std::string&)> filter) {
  fiber::MutexLock lock(&mu_);
  filter_ = std::move(filter);
}

void FaultState::FlipBits(const std::string& path, uint64_t offset, uint8_t mask) {
  fiber::MutexLock lock(&mu_);
  if (mask != 0) {
    flips_[path][offset] = mask;
  } else if (const auto it = flips_.find(path); it != flips_.end()) {
    it->second.erase(offset);
    if (it->second.empty()) flips_.erase(it);
  }
  any_flips_.store(!flips_.empty(), std::memory_order_relaxed);
}

void FaultState::Heal() {
  fiber::MutexLock lock(&mu_);
  active_ = true;
  read_only_ = false;
  rules_.clear();
  nth_rule_ = random_rule_ = 0;
  free_bytes_ = UINT64_MAX;
  flips_.clear();
  any_flips_.store(false, std::memory_order_relaxed);
}

Verdict FaultState::Ask(Operation operation, const std::string& path) {
  fiber::MutexLock lock(&mu_);
  ++op_counts_[std::countr_zero(static_cast<uint32_t>(operation))];
  if (filter_ && !filter_(path)) return {};
  if (!active_ && (operation & kWrites) != 0) return {.error = inactive_error_};
  if (read_only_ && (operation & (kCreate | kRename | kDelete)) != 0) {
    return {.error = IOStatus::IOError("While changing a read-only directory: " + path,
                                       "Permission denied")};
  }
  return AskRules(operation, path);
}

Verdict FaultState::AskRules(Operation operation, const std::string& path) {
  for (auto& [id, active] : rules_) {
    const Rule& rule = active.rule;
    if ((rule.operations & operation) == 0 || (rule.files & KindOf(path)) == 0) continue;
    if (rule.effect == Effect::kWrongBit && operation != kRead) continue;
    if (active.hits >= rule.times || rule.one_in == 0 || (rule.where && !rule.where(path))) {
      continue;
    }
    if (active.passed < rule.after) {
      ++active.passed;
      continue;
    }
    if (!active.random.OneIn(rule.one_in)) continue;
    ++active.hits;
    const bool wrong_bit = rule.effect == Effect::kWrongBit;
    return {.error = wrong_bit ? IOStatus::OK() : rule.error,
            .torn = rule.effect == Effect::kTorn && operation == kAppend,
            .wrong_bit = wrong_bit,
            .random = active.random.Next()};
  }
  return {};
}

uint64_t FaultState::TakeSpace(uint64_t wanted) {
  fiber::MutexLock lock(&mu_);
  if (free_bytes_ == UINT64_MAX) return wanted;
  const uint64_t taken = std::min(wanted, free_bytes_);
  free_bytes_ -= taken;
  return taken;
}

void FaultState::Damage(const std::string& path, const Verdict& verdict, uint64_t offset,
                        Slice* result, char* scratch) {
  const auto flip = [&](uint64_t at, uint8_t mask) {
    // The result may lie in memory of the file; flip a copy.
    if (result->data() != scratch) std::memmove(scratch, result->data(), result->size());
    scratch[at] = static_cast<char>(scratch[at] ^ mask);
    *result = Slice(scratch, result->size());
  };
  if (verdict.wrong_bit && !result->empty()) {
    const uint64_t bit = verdict.random % (result->size() * 8);
    flip(bit / 8, static_cast<uint8_t>(1 << (bit % 8)));
  }
  if (!any_flips_.load(std::memory_order_relaxed)) return;
  fiber::MutexLock lock(&mu_);
  const auto it = flips_.find(path);
  if (it == flips_.end()) return;
  const auto end = it->second.lower_bound(offset + result->size());
  for (auto at = it->second.lower_bound(offset); at != end; ++at) {
    flip(at->first - offset, at->second);
  }
}

uint64_t FaultState::OperationCount(uint32_t operations) const {
  fiber::MutexLock lock(&mu_);
  uint64_t total = 0;
  for (unsigned i = 0; i < std::size(op_counts_); ++i) {
    if ((operations >> i) & 1) total += op_counts_[i];
  }
  return total;
}

std::vector<std::string> FaultState::OpenFileNames() const {
  fiber::MutexLock lock(&mu_);
  std::vector<std::string> names;
  for (const auto& [name, count] : open_files_) names.push_back(name);
  return names;
}

void FaultState::NoteOpened(const std::string& path, bool writable) {
  (writable ? open_writable_ : open_readable_).fetch_add(1, std::memory_order_relaxed);
  fiber::MutexLock lock(&mu_);
  ++open_files_[path];
}

void FaultState::NoteClosed(const std::string& path, bool writable) {
  (writable ? open_writable_ : open_readable_).fetch_sub(1, std::memory_order_relaxed);
  fiber::MutexLock lock(&mu_);
  if (--open_files_[path] == 0) open_files_.erase(path);
}

}  // namespace detail
}  // namespace cairn::fault
