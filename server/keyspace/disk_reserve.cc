#include "server/keyspace/disk_reserve.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "fiber/clock.h"
#include "fiber/io.h"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/metadata.h"
#include "server/keyspace/encoding.h"
#include "server/keyspace/keyspace.h"

namespace cairn::server {

using rocksdb::LiveFileMetaData;
using rocksdb::Slice;
using rocksdb::Status;

namespace {

constexpr uint64_t kLookNanos = 200'000'000;        // while the disk is full
constexpr uint64_t kRetryNanos = 1'000'000'000;     // when even the reserve did not help
constexpr uint64_t kPatientNanos = 30'000'000'000;  // while there was no room for the file
constexpr uint64_t kCompactAgainNanos = 1'000'000'000;

struct KeyRange {
  std::string first, last;

  bool Overlaps(const LiveFileMetaData& file) const {
    return file.smallestkey <= last && file.largestkey >= first;
  }
  void Cover(const LiveFileMetaData& file) {
    first = std::min(first, file.smallestkey);
    last = std::max(last, file.largestkey);
  }
};

// About what a compaction of some tables writes: each tombstone takes an entry of the usual size
// along.
struct Inputs {
  uint64_t bytes = 0, entries = 0, deletions = 0;

  void Add(const LiveFileMetaData& file) {
    bytes += file.size;
    entries += file.num_entries;
    deletions += file.num_deletions;
  }
  uint64_t outputs() const {
    const uint64_t kept = entries - std::min(entries, 2 * deletions);
    return entries == 0 ? bytes : bytes / entries * kept + bytes / 16;
  }
};

// What the outputs of a CompactRange of the range may take at a time. It goes down level by level;
// at level 0 the tables that overlap go together, however far they reach.
uint64_t NeededFor(const std::vector<LiveFileMetaData>& files, const KeyRange& range) {
  KeyRange top = range;
  for (bool grown = true; grown;) {
    grown = false;
    for (const LiveFileMetaData& file : files) {
      if (file.level != 0 || !top.Overlaps(file)) continue;
      const KeyRange before = top;
      top.Cover(file);
      grown = grown || before.first != top.first || before.last != top.last;
    }
  }
  int base = INT32_MAX;
  for (const LiveFileMetaData& file : files) {
    if (file.level > 0) base = std::min(base, file.level);
  }
  Inputs of_top, deeper;
  for (const LiveFileMetaData& file : files) {
    if (file.level <= base && top.Overlaps(file)) of_top.Add(file);
    if (file.level > 0 && range.Overlaps(file)) deeper.Add(file);
  }
  return std::max(of_top.outputs(), deeper.outputs());
}

using Namespaces = std::vector<std::pair<uint32_t, uint32_t>>;  // [first, second)

// A table that has nothing else is compacted to nothing.
bool IsOf(const Namespaces& dead, const LiveFileMetaData& file) {
  return std::any_of(dead.begin(), dead.end(), [&file](const auto& one) {
    return file.smallestkey >= EntryPrefix(one.first) && file.largestkey < EntryPrefix(one.second);
  });
}

}  // namespace

DiskReserve::DiskReserve(const std::string& directory, uint64_t bytes, Log* log)
    : directory_(directory), file_(directory + "/RESERVE"), bytes_(bytes), log_(log) {}

DiskReserve::~DiskReserve() { Stop(); }

bool DiskReserve::GiveUpFile() {
  held_.store(false, std::memory_order_relaxed);
  return bytes_ != 0 && fiber::io::unlink(file_.c_str()) == 0;
}

void DiskReserve::Start(Keyspace* keyspace) {
  if (bytes_ == 0) {
    fiber::io::unlink(file_.c_str());  // of a start that had one
    return;
  }
  keyspace_ = keyspace;
  if (!Hold(0)) {
    log_->Warn("no room for the reserve: when the disk is full deletes may be refused, too",
               {{"bytes", std::to_string(bytes_)}, {"free", std::to_string(FreeBytes())}});
  }
  thread_ = fiber::Thread("disk reserve", [this] { Keep(); });
}

void DiskReserve::Stop() {
  if (!thread_.joinable()) return;
  {
    const fiber::MutexLock lock(&state_mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  canceled_.store(true);
  thread_.join();
  keyspace_ = nullptr;
}

void DiskReserve::NoteFailure(const Status& status) {
  if (bytes_ == 0 || !status.IsNoSpace()) return;
  {
    // Before anybody makes room, the file is gone.
    const fiber::MutexLock lock(&mutex_);
    if (full()) return;
    full_.store(true, std::memory_order_relaxed);
    became_full_.store(true, std::memory_order_relaxed);
    GiveUpFile();
    LetCompactionsRun(false);
  }
  log_->Error("the disk is full: writes that need room are refused, deletes go on",
              {{"reserve", std::to_string(bytes_)}, {"error", status.ToString()}});
  const fiber::MutexLock lock(&state_mutex_);
  woken_ = true;
  changed_.notify_all();
}

bool DiskReserve::MakeRoom() {
  if (!full()) return false;
  const fiber::MutexLock lock(&mutex_);
  LetCompactionsRun(false);
  return keyspace_->db()->Resume().ok();
}

void DiskReserve::LetCompactionsRun(bool run) {
  if (compactions_run_ == run) return;
  // Whether it can be written down does not matter: the next start has options of its own.
  const Status s =
      keyspace_->db()->SetOptions({{"disable_auto_compactions", run ? "false" : "true"}});
  if (s.ok()) compactions_run_ = run;
}

uint64_t DiskReserve::FreeBytes() {
  uint64_t free = 0;
  const Status s = keyspace_->db()->GetEnv()->GetFreeSpace(directory_, &free);
  return s.ok() ? free : 0;
}

Status DiskReserve::MakeFile() {
  const int fd = fiber::io::open(file_.c_str(), fiber::io::kWriteOnly | fiber::io::kCreate, 0600);
  if (fd < 0) return Status::IOError("cannot make " + file_, std::strerror(-fd));
  fiber::io::FileStatus about = {};
  ptrdiff_t r = fiber::io::file_status(fd, &about);
  const auto there = static_cast<uint64_t>(about.st_size);
  if (r == 0 && there > bytes_) r = fiber::io::set_size(fd, bytes_);
  if (r == 0) r = fiber::io::fallocate(fd, 0, 0, bytes_);
  if (r == -EOPNOTSUPP) {
    r = 0;
    const std::string zeros(1 << 20, '\0');
    for (uint64_t at = std::min(there, bytes_); r >= 0 && at < bytes_;) {
      r = fiber::io::pwrite(fd, zeros.data(), std::min<uint64_t>(zeros.size(), bytes_ - at), at);
      if (r == 0) r = -EIO;
      if (r > 0) at += static_cast<uint64_t>(r);
    }
  }
  fiber::io::close(fd);
  if (r >= 0) return Status::OK();
  fiber::io::unlink(file_.c_str());
  return Status::IOError("cannot make " + file_, std::strerror(static_cast<int>(-r)));
}

bool DiskReserve::Hold(uint64_t spare) {
  // What is there of it already is no more to be taken.
  fiber::io::FileStatus about = {};
  const bool there = fiber::io::status(file_.c_str(), &about) == 0;
  const uint64_t has = there ? static_cast<uint64_t>(about.st_size) : 0;
  const uint64_t lacks = has >= bytes_ ? 0 : bytes_ - has;
  if (lacks != 0 && FreeBytes() < lacks + spare) return false;
  if (!MakeFile().ok()) return false;
  held_.store(true, std::memory_order_relaxed);
  return true;
}

bool DiskReserve::Pause(uint64_t nanos) {
  const uint64_t deadline = fiber::deadline_after(nanos);
  fiber::MutexLock lock(&state_mutex_);
  while (!stopping_ && !woken_ && fiber::now_nanos() < deadline) {
    (void)changed_.wait_until(&state_mutex_, deadline);
  }
  woken_ = false;
  return !stopping_;
}

void DiskReserve::Keep() {
  uint64_t pause = kPatientNanos;
  while (Pause(pause)) {
    pause = kPatientNanos;
    if (full()) {
      pause = Recover() ? kLookNanos : kRetryNanos;
    } else if (!held()) {
      Hold(bytes_ / 4);
    }
  }
}

bool DiskReserve::Recover() {
  // The store first: as long as it has an error it does nothing.
  if (!MakeRoom()) return false;
  const uint64_t removals = removals_.load(std::memory_order_relaxed);
  const uint64_t now = fiber::now_nanos();
  const bool may_hold = FreeBytes() >= bytes_ + bytes_ / 4;
  if (!may_hold && now >= compact_from_) {
    // What was deleted before may be there still, where a job held it the last time.
    const bool again = became_full_.exchange(false, std::memory_order_relaxed);
    if (again || removals != compacted_removals_ || !dropped_all_) {
      compacted_removals_ = removals;
      dropped_all_ = Compact();
      compact_from_ = fiber::now_nanos() + kCompactAgainNanos;
    }
  }
  if (!Hold(bytes_ / 4)) return true;
  const fiber::MutexLock lock(&mutex_);
  full_.store(false, std::memory_order_relaxed);
  LetCompactionsRun(true);
  log_->Info("the disk has room again: all writes go on", {{"free", std::to_string(FreeBytes())}});
  return true;
}

void DiskReserve::DropNamespaces(const Namespaces& dead) {
  if (dead.empty()) return;
  rocksdb::DB* const db = keyspace_->db();
  std::vector<std::string> bounds;
  for (const auto& [first, behind] : dead) {
    bounds.push_back(EntryPrefix(first));
    bounds.push_back(EntryPrefix(behind));
  }
  const std::vector<Slice> slices(bounds.begin(), bounds.end());
  std::vector<rocksdb::RangePtr> ranges;
  for (size_t i = 0; i < slices.size(); i += 2) ranges.emplace_back(&slices[i], &slices[i + 1]);
  rocksdb::DeleteFilesInRanges(db, db->DefaultColumnFamily(), ranges.data(), ranges.size(),
                               /*include_end=*/false)
      .PermitUncheckedError();
}

bool DiskReserve::Compact() {
  rocksdb::DB* const db = keyspace_->db();
  // Looked up before the flush, with which it is on the disk that they are dead.
  const Namespaces dead = keyspace_->DeadNamespaces();
  Status s = db->Flush(rocksdb::FlushOptions());
  if (s.ok()) DropNamespaces(dead);
  std::vector<LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  if (files.empty()) return true;
  const bool dropped_all =
      s.ok() && std::none_of(files.begin(), files.end(),
                             [&dead](const LiveFileMetaData& file) { return IsOf(dead, file); });
  // One piece for each table of the deepest level, from where the last time ended.
  int deepest = 0;
  for (const LiveFileMetaData& file : files) deepest = std::max(deepest, file.level);
  std::vector<KeyRange> pieces;
  for (const LiveFileMetaData& file : files) {
    if (file.level == deepest) pieces.push_back({file.smallestkey, file.largestkey});
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const KeyRange& a, const KeyRange& b) { return a.first < b.first; });
  const auto from = std::find_if(pieces.begin(), pieces.end(), [this](const KeyRange& piece) {
    return piece.first >= compacted_to_;
  });
  std::rotate(pieces.begin(), from, pieces.end());

  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  options.exclusive_manual_compaction = false;
  options.canceled = &canceled_;
  uint64_t too_large = 0;
  for (const KeyRange& piece : pieces) {
    if (!s.ok() || canceled_.load()) break;
    const uint64_t free = FreeBytes();
    if (free >= bytes_ + bytes_ / 2) break;
    compacted_to_ = piece.last;
    files.clear();
    db->GetLiveFilesMetaData(&files);
    std::erase_if(files, [&dead](const LiveFileMetaData& file) { return IsOf(dead, file); });
    const uint64_t needed = NeededFor(files, piece);
    if (needed > free) {
      too_large = std::max(too_large, needed);
      continue;
    }
    const Slice first = piece.first, last = piece.last;
    s = db->CompactRange(options, &first, &last);
  }
  if (!s.ok() && !canceled_.load()) {
    log_->Warn("what was deleted could not be compacted", {{"error", s.ToString()}});
  } else if (too_large != 0) {
    log_->Warn("there is no room to compact all that was deleted",
               {{"needed", std::to_string(too_large)}, {"free", std::to_string(FreeBytes())}});
  }
  return dropped_all;
}

}  // namespace cairn::server
