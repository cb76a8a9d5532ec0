#include "manifest/version.h"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstring>

#include "base/perf.h"
#include "manifest/version_set.h"

namespace cairn {

size_t FindFileInRange(const InternalKeyComparator& icmp, const LevelFiles& files,
                       const Slice& internal_key, size_t left, size_t right, uint32_t* compared) {
  uint32_t n = 0;
  while (left < right) {
    const size_t mid = left + (right - left) / 2;
    ++n;
    if (icmp.Compare(files[mid].largest, internal_key) < 0) {
      left = mid + 1;
    } else {
      right = mid;
    }
  }
  *compared += n;
  return right;
}

size_t FindFileInRange(const InternalKeyComparator& icmp, const LevelFiles& files,
                       const Slice& internal_key, size_t left, size_t right) {
  uint32_t compared = 0;
  const size_t found = FindFileInRange(icmp, files, internal_key, left, right, &compared);
  Perf().Count(&PerfContext::user_key_comparison_count, compared);
  return found;
}

size_t FindFile(const InternalKeyComparator& icmp, const LevelFiles& files,
                const Slice& internal_key) {
  return FindFileInRange(icmp, files, internal_key, 0, files.size);
}

Version::Version(ColumnFamilyState* cf, const InternalKeyComparator* icmp, VersionSet* set,
                 int num_levels, uint64_t version_number)
    : cf_(cf),
      icmp_(icmp),
      set_(set),
      version_number_(version_number),
      files_(num_levels),
      level_files_(num_levels),
      level_bytes_(num_levels),
      without_tombstones_(num_levels) {}

Version::~Version() {
  assert(refs_ == 0);
  prev_->next_ = next_;
  next_->prev_ = prev_;
  for (const auto& level : files_) {
    for (FileMetaData* f : level) {
      assert(f->refs > 0);
      if (--f->refs == 0) {
        if (set_ != nullptr) set_->ReleaseFile(*f, cf_);
        delete f;
      }
    }
  }
  if (set_ != nullptr) {
    for (const auto& f : blob_files_) set_->ReleaseBlobFile(f->number(), cf_);
  }
}

void Version::Unref() {
  assert(refs_ > 0);
  if (--refs_ == 0) delete this;
}

void Version::Finish(const ColumnFamilyOptions& options) {
  num_non_empty_levels_ = 0;
  for (int level = 0; level < num_levels(); ++level) {
    if (!files_[level].empty()) num_non_empty_levels_ = level + 1;
    uint64_t bytes = 0;
    for (const FileMetaData* f : files_[level]) bytes += f->file_size;
    level_bytes_[level] = bytes;
  }
  BuildLevelFiles();
  ComputeCompensatedSizes();
  ComputeLevelTargets(options);
  ComputeCompactionScore(options);
}

void Version::BuildLevelFiles() {
  for (int level = 0; level < num_levels(); ++level) {
    const std::vector<FileMetaData*>& files = files_[level];
    if (files.empty()) continue;
    size_t key_bytes = 0;
    for (const FileMetaData* f : files) {
      key_bytes += f->smallest.Encode().size() + f->largest.Encode().size();
    }
    char* memory = arena_.AllocateAligned(files.size() * sizeof(FileSlot));
    FileSlot* slots = reinterpret_cast<FileSlot*>(memory);
    char* keys = arena_.Allocate(key_bytes);
    const auto copy = [&keys](const Slice& key) {
      std::memcpy(keys, key.data(), key.size());
      const Slice copied(keys, key.size());
      keys += key.size();
      return copied;
    };
    for (size_t i = 0; i < files.size(); ++i) {
      // A search compares the largest keys: those lie together, the smallest follow.
      new (&slots[i]) FileSlot();
      slots[i].largest = copy(files[i]->largest.Encode());
      slots[i].number = files[i]->number;
      slots[i].file_size = files[i]->file_size;
      slots[i].meta = files[i];
    }
    for (size_t i = 0; i < files.size(); ++i) slots[i].smallest = copy(files[i]->smallest.Encode());
    level_files_[level] = LevelFiles{slots, files.size()};
  }
}

FileMetaData* Version::FindFileByNumber(uint64_t number, int* level) const {
  for (int l = 0; l < num_non_empty_levels_; ++l) {
    for (FileMetaData* f : files_[l]) {
      if (f->number != number) continue;
      if (level != nullptr) *level = l;
      return f;
    }
  }
  return nullptr;
}

bool Version::MayHaveTombstones(int level) const {
  std::atomic<bool>& without = without_tombstones_[static_cast<size_t>(level)];
  if (without.load(std::memory_order_relaxed)) return false;
  for (const FileMetaData* file : files_[static_cast<size_t>(level)]) {
    if (file->MayHaveTombstones()) return true;
  }
  without.store(true, std::memory_order_relaxed);
  return false;
}

std::pair<size_t, size_t> Version::OverlappingRange(int level, const Slice* begin_user_key,
                                                    const Slice* end_user_key) const {
  assert(level > 0);
  const LevelFiles& files = level_files_[level];
  const FileSlot* const first = files.files;
  const FileSlot* const last = first + files.size;
  const FileSlot* lower = first;
  if (begin_user_key != nullptr) {
    lower = std::partition_point(first, last, [&](const FileSlot& f) {
      return icmp_->CompareBare(ExtractUserKey(f.largest), *begin_user_key) < 0;
    });
  }
  const FileSlot* upper = last;
  if (end_user_key != nullptr) {
    upper = std::partition_point(lower, last, [&](const FileSlot& f) {
      return icmp_->CompareBare(ExtractUserKey(f.smallest), *end_user_key) <= 0;
    });
  }
  return {static_cast<size_t>(lower - first), static_cast<size_t>(upper - first)};
}

void Version::GetOverlappingInputs(int level, const Slice* begin_user_key,
                                   const Slice* end_user_key,
                                   std::vector<FileMetaData*>* inputs) const {
  inputs->clear();
  if (level >= num_non_empty_levels_) return;
  if (level > 0) {
    const auto [from, to] = OverlappingRange(level, begin_user_key, end_user_key);
    inputs->assign(files_[level].begin() + from, files_[level].begin() + to);
    return;
  }
  // Files of level 0 may overlap each other, so each one found can widen the range.
  const std::vector<FileMetaData*>& files = files_[0];
  std::vector<bool> taken(files.size(), false);
  Slice begin = begin_user_key != nullptr ? *begin_user_key : Slice();
  Slice end = end_user_key != nullptr ? *end_user_key : Slice();
  for (bool grew = true; grew;) {
    grew = false;
    for (size_t i = 0; i < files.size(); ++i) {
      if (taken[i]) continue;
      const Slice smallest = files[i]->smallest.user_key();
      const Slice largest = files[i]->largest.user_key();
      if (begin_user_key != nullptr && icmp_->CompareBare(largest, begin) < 0) continue;
      if (end_user_key != nullptr && icmp_->CompareBare(smallest, end) > 0) continue;
      taken[i] = true;
      if (begin_user_key != nullptr && icmp_->CompareBare(smallest, begin) < 0) {
        begin = smallest;
        grew = true;
      }
      if (end_user_key != nullptr && icmp_->CompareBare(largest, end) > 0) {
        end = largest;
        grew = true;
      }
    }
  }
  for (size_t i = 0; i < files.size(); ++i) {
    if (taken[i]) inputs->push_back(files[i]);
  }
}

bool Version::OverlapInLevel(int level, const Slice* smallest_user_key,
                             const Slice* largest_user_key) const {
  if (level >= num_non_empty_levels_) return false;
  if (level > 0) {
    const auto [from, to] = OverlappingRange(level, smallest_user_key, largest_user_key);
    return from < to;
  }
  for (const FileMetaData* f : files_[0]) {
    if (smallest_user_key != nullptr &&
        icmp_->CompareBare(f->largest.user_key(), *smallest_user_key) < 0) {
      continue;
    }
    if (largest_user_key != nullptr &&
        icmp_->CompareBare(f->smallest.user_key(), *largest_user_key) > 0) {
      continue;
    }
    return true;
  }
  return false;
}

bool Version::RangeMightExistBelow(int level, const Slice& smallest_user_key,
                                   const Slice& largest_user_key) const {
  for (int l = level + 1; l < num_non_empty_levels_; ++l) {
    if (OverlapInLevel(l, &smallest_user_key, &largest_user_key)) return true;
  }
  return false;
}

void Version::SetFileStats(FileMetaData* file, uint64_t num_entries, uint64_t num_deletions,
                           uint64_t raw_key_size, uint64_t raw_value_size) {
  file->num_entries = num_entries;
  file->num_deletions = num_deletions;
  file->raw_key_size = raw_key_size;
  file->raw_value_size = raw_value_size;
  file->stats_known = true;
  file->compensated_file_size = CompensatedSize(*file);
}

uint64_t Version::GetEstimatedActiveKeys() const {
  uint64_t entries = 0, deletions = 0, files = 0, known = 0;
  for (const auto& level : files_) {
    for (const FileMetaData* f : level) {
      ++files;
      if (!f->stats_known) continue;
      ++known;
      entries += f->num_entries;
      deletions += f->num_deletions;
    }
  }
  if (known == 0) return 0;
  // A tombstone hides itself and one older entry.
  const uint64_t live = entries > 2 * deletions ? entries - 2 * deletions : 0;
  return known == files ? live : static_cast<uint64_t>(static_cast<double>(live) * files / known);
}

double Version::CompressionRatioAtLevel(int level) const {
  uint64_t raw_bytes = 0, file_bytes = 0;
  for (const FileMetaData* f : files_[level]) {
    const uint64_t raw = f->raw_key_size + f->raw_value_size;
    if (!f->stats_known || raw == 0) continue;
    raw_bytes += raw;
    file_bytes += f->file_size;
  }
  return file_bytes == 0 ? -1 : static_cast<double>(raw_bytes) / static_cast<double>(file_bytes);
}

uint64_t Version::EstimateLiveDataSize() const {
  // From the last level up, count the files that no file counted before overlaps: what they hold
  // is not a newer copy of something below.
  struct Range {
    Slice smallest, largest;
  };
  const auto less = [this](const Slice& a, const Slice& b) { return icmp_->CompareBare(a, b) < 0; };
  std::map<Slice, Slice, decltype(less)> covered(less);  // largest -> smallest, disjoint
  uint64_t size = 0;
  for (int level = num_non_empty_levels_ - 1; level >= 0; --level) {
    for (const FileMetaData* f : files_[level]) {
      const Slice smallest = f->smallest.user_key();
      const Slice largest = f->largest.user_key();
      const auto at = covered.lower_bound(smallest);
      if (at != covered.end() && icmp_->CompareBare(at->second, largest) <= 0) continue;
      covered.emplace_hint(at, largest, smallest);
      size += f->file_size;
    }
  }
  for (const auto& f : blob_files_)
    size += f->file->bytes - std::min(f->garbage_bytes, f->file->bytes);
  return size;
}

void Version::AddLiveFiles(std::vector<uint64_t>* numbers) const {
  for (const auto& level : files_) {
    for (const FileMetaData* f : level) numbers->push_back(f->number);
  }
}

std::string Version::LevelSummary() const {
  char buffer[128];
  std::string r;
  std::snprintf(buffer, sizeof(buffer), "base level %d level multiplier %.2f max bytes base %llu ",
                base_level_, level_multiplier_,
                static_cast<unsigned long long>(
                    base_level_ < num_levels() ? level_max_bytes_[base_level_] : 0));
  r.append(buffer).append("files[");
  for (int level = 0; level < num_levels(); ++level) {
    if (level > 0) r.push_back(' ');
    r.append(std::to_string(files_[level].size()));
  }
  std::snprintf(buffer, sizeof(buffer), "] max score %.2f",
                scores_.empty() ? 0.0 : scores_.front().first);
  r.append(buffer);
  return r;
}

std::string Version::DebugString(bool hex_keys) const {
  std::string r;
  for (int level = 0; level < num_levels(); ++level) {
    r.append("--- level ").append(std::to_string(level));
    r.append(" --- version# ").append(std::to_string(version_number_)).append(" ---\n");
    for (const FileMetaData* f : files_[level]) {
      r.append(" ").append(std::to_string(f->number));
      r.append(":").append(std::to_string(f->file_size));
      r.append("[").append(std::to_string(f->smallest_seqno));
      r.append(" .. ").append(std::to_string(f->largest_seqno));
      r.append("][").append(f->smallest.DebugString(hex_keys));
      r.append(" .. ").append(f->largest.DebugString(hex_keys));
      r.append("](").append(std::to_string(f->oldest_blob_file_number)).append(")\n");
    }
  }
  for (const auto& f : blob_files_) {
    r.append(" blob file ").append(std::to_string(f->number()));
    r.append(":").append(std::to_string(f->file->file_size()));
    r.append("[").append(std::to_string(f->garbage_blobs));
    r.append(" of ").append(std::to_string(f->file->blobs)).append(" are garbage]\n");
  }
  return r;
}

}  // namespace cairn
