#include "faultfs/faults.h"

#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <utility>

#include "fiber/io.h"

namespace faultfs {

namespace io = fiber::io;
using Kind = slowfs::Operation::Kind;

namespace {

constexpr std::pair<const char*, Kind> kKinds[] = {
    {"read", Kind::kRead},           {"write", Kind::kWrite},     {"fsync", Kind::kFsync},
    {"fdatasync", Kind::kFdatasync}, {"syncdir", Kind::kSyncDir}, {"truncate", Kind::kTruncate},
    {"fallocate", Kind::kFallocate}, {"open", Kind::kOpen},       {"create", Kind::kCreate},
    {"mkdir", Kind::kMkdir},         {"unlink", Kind::kUnlink},   {"rmdir", Kind::kRmdir},
    {"rename", Kind::kRename},       {"link", Kind::kLink},       {"stat", Kind::kStat},
    {"list", Kind::kList},           {"statfs", Kind::kStatfs},
};

constexpr std::pair<const char*, int> kErrors[] = {
    {"short", 0},       {"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT},
    {"EINTR", EINTR},   {"EAGAIN", EAGAIN}, {"EMFILE", EMFILE}, {"ENFILE", ENFILE},
    {"ENOMEM", ENOMEM}, {"EROFS", EROFS},   {"EACCES", EACCES}, {"EOPNOTSUPP", EOPNOTSUPP},
};

uint32_t BitOf(Kind kind) { return uint32_t{1} << static_cast<uint32_t>(kind); }

const char* NameOf(Kind kind) {
  for (const auto& [name, each] : kKinds) {
    if (each == kind) return name;
  }
  return "?";
}

const char* NameOfError(int error) {
  for (const auto& [name, each] : kErrors) {
    if (each == error) return name;
  }
  return "?";
}

bool IsSync(Kind kind) {
  return kind == Kind::kFsync || kind == Kind::kFdatasync || kind == Kind::kSyncDir;
}

bool ChangesNames(Kind kind) {
  return kind == Kind::kCreate || kind == Kind::kMkdir || kind == Kind::kUnlink ||
         kind == Kind::kRmdir || kind == Kind::kRename || kind == Kind::kLink;
}

bool ChangesBytes(Kind kind) {
  return kind == Kind::kWrite || kind == Kind::kTruncate || kind == Kind::kFallocate;
}

bool IsLackOfSpace(int error) { return error == ENOSPC || error == EDQUOT; }

// The own name of what the operation is on.
std::string OwnName(const slowfs::Operation& operation) {
  if (operation.name != nullptr) return operation.name;
  if (operation.to_name != nullptr) return operation.to_name;
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(operation.at);
  const ssize_t n = readlink(link.c_str(), path, sizeof(path));
  std::string name(path, n > 0 ? static_cast<size_t>(n) : 0);
  name.erase(0, name.rfind('/') + 1);
  if (const size_t gone = name.rfind(" (deleted)"); gone != std::string::npos) name.resize(gone);
  return name;
}

}  // namespace

FaultStorage::FaultStorage(int root, int log, Names names, bool short_reads)
    : log_(log), short_reads_(short_reads), ledger_(root, names) {}

void FaultStorage::Log(const std::string& line) {
  if (log_ < 0) return;
  const std::string text = line + "\n";
  (void)io::write(log_, text.data(), text.size());
}

void FaultStorage::Run(const Operation& operation, const Act& act, Answer answer) {
  int64_t result = 0;
  {
    fiber::MutexLock lock(&mutex_);
    ++operations_;
    if (cut_in_ > 0 && !cut_ && (IsSync(operation.kind) || ChangesNames(operation.kind)) &&
        --cut_in_ == 0) {
      Log("cut before " + std::string(NameOf(operation.kind)) + " " + OwnName(operation));
      Cut();
    }
    result = cut_ ? -EIO : Perform(operation, act);
  }
  answer(result);
}

int64_t FaultStorage::Perform(const Operation& operation, const Act& act) {
  std::string name;
  const Rule* const rule = Match(operation, &name);
  if (rule != nullptr) {
    ++injected_;
    Log(std::to_string(operations_) + " " + NameOf(operation.kind) + " " + name + " " +
        NameOfError(rule->error) + (rule->done ? " done" : ""));
  }
  // A sync is what the ledger says; the backing directory's own durability is nobody's concern.
  if (IsSync(operation.kind)) {
    if (rule == nullptr) {
      ledger_.Synced(operation);
      return 0;
    }
    if (rule->error == EIO || IsLackOfSpace(rule->error)) {
      ledger_.SyncLost(operation, rule->visible);
    }
    return -rule->error;
  }
  if (rule != nullptr && rule->error != 0 && !rule->done) return -rule->error;
  uint64_t size = operation.size;
  const bool moves = operation.kind == Kind::kWrite || operation.kind == Kind::kRead;
  if (rule != nullptr && moves && size > 1) size = 1 + random_.Uniform(size - 1);
  const bool changes = ChangesBytes(operation.kind) || ChangesNames(operation.kind);
  Ledger::Before before;
  if (changes) before = ledger_.Prepare(operation);
  const int64_t result = act(size);
  if (changes && result >= 0) ledger_.Done(operation, std::move(before), result);
  return rule != nullptr && rule->error != 0 && result >= 0 ? -rule->error : result;
}

const FaultStorage::Rule* FaultStorage::Match(const Operation& operation, std::string* name) {
  const uint32_t bit = BitOf(operation.kind);
  for (Rule& rule : rules_) {
    if ((rule.kinds & bit) == 0 || rule.times == 0) continue;
    if (rule.error == 0 && operation.kind == Kind::kRead && !short_reads_) continue;
    if (name->empty()) *name = OwnName(operation);
    if (fnmatch(rule.pattern.c_str(), name->c_str(), 0) != 0) continue;
    if (rule.skip > 0) {
      --rule.skip;
      continue;
    }
    if (random_.Uniform(100) >= rule.percent) continue;
    if (rule.times != UINT64_MAX) --rule.times;
    return &rule;
  }
  return nullptr;
}

void FaultStorage::Cut() {
  cut_ = true;
  cairn::Random64 random(cut_seed_);
  cut_status_ = ledger_.WriteSurvivors(&random, cut_target_, &survival_);
}

bool FaultStorage::Full() {
  fiber::MutexLock lock(&mutex_);
  return full_;
}

std::string FaultStorage::Text() {
  fiber::MutexLock lock(&mutex_);
  const std::pair<const char*, uint64_t> lines[] = {
      {"operations", operations_},
      {"injected", injected_},
      {"cut", cut_},
      {"cut_error", static_cast<uint64_t>(-cut_status_)},
      {"unsynced_bytes_lost", survival_.bytes_lost},
      {"unsynced_bytes_survived", survival_.bytes_survived},
      {"unsynced_bytes_torn", survival_.bytes_torn},
      {"unsynced_names_lost", survival_.names_lost},
      {"unsynced_names_survived", survival_.names_survived},
  };
  std::string text;
  for (const auto& [name, value] : lines) {
    text.append(name).append(" ").append(std::to_string(value)).append("\n");
  }
  return text;
}

bool FaultStorage::Parse(std::string_view line, Rule* rule) {
  std::istringstream words{std::string(line)};
  std::string kinds, error, word;
  if (!(words >> kinds >> rule->pattern >> error)) return false;
  std::istringstream list(kinds);
  while (std::getline(list, word, ',')) {
    uint32_t bits = 0;
    for (const auto& [name, kind] : kKinds) {
      if (word == name || word == "all") bits |= BitOf(kind);
    }
    if (bits == 0) return false;
    rule->kinds |= bits;
  }
  const auto* const known = std::find_if(std::begin(kErrors), std::end(kErrors),
                                         [&](const auto& each) { return error == each.first; });
  if (known == std::end(kErrors)) return false;
  rule->error = known->second;
  // What is opened or made and fails all the same nobody would close; a part is read or written.
  const uint32_t moved = BitOf(Kind::kRead) | BitOf(Kind::kWrite);
  if (rule->error == 0 && (rule->kinds & ~moved) != 0) return false;
  while (words >> word) {
    if (word == "done") {
      const uint32_t doable = BitOf(Kind::kWrite) | BitOf(Kind::kTruncate) |
                              BitOf(Kind::kFallocate) | BitOf(Kind::kUnlink) | BitOf(Kind::kRename);
      if ((rule->kinds & ~doable) != 0) return false;
      rule->done = true;
    } else if (word == "visible") {
      rule->visible = true;
    } else {
      uint64_t* const number = word == "skip"      ? &rule->skip
                               : word == "times"   ? &rule->times
                               : word == "percent" ? &rule->percent
                                                   : nullptr;
      if (number == nullptr || !(words >> *number)) return false;
    }
  }
  return true;
}

int FaultStorage::Command(std::string_view line) {
  fiber::MutexLock lock(&mutex_);
  Log("# " + std::string(line));
  std::istringstream words{std::string(line)};
  std::string what;
  words >> what;
  if (what == "fail") {
    Rule rule;
    if (!Parse(line.substr(what.size()), &rule)) return -EINVAL;
    // As long as it lasts, not for some operations by chance.
    full_ = full_ || (IsLackOfSpace(rule.error) && rule.times == UINT64_MAX);
    rules_.push_back(std::move(rule));
    return 0;
  }
  if (what == "seed") {
    uint64_t seed = 0;
    if (!(words >> seed)) return -EINVAL;
    random_ = cairn::Random64(seed);
    return 0;
  }
  if (what == "clear") {
    rules_.clear();
    full_ = false;
    return 0;
  }
  uint64_t seed = 0, in = 0;
  std::string target;
  if (what != "cut" || !(words >> seed >> target >> in)) return -EINVAL;
  if (cut_) return 0;
  cut_seed_ = seed;
  cut_target_ = target;
  cut_in_ = in;
  if (in == 0) {
    Log("cut at once");
    Cut();
  }
  return 0;
}

}  // namespace faultfs
