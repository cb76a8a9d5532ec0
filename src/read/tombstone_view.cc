#include "read/tombstone_view.h"

#include <algorithm>
#include <utility>

#include "fs/read_limits.h"

namespace cairn {

void TombstoneView::AddMemTable(std::shared_ptr<const RangeTombstones> tombstones, size_t older) {
  if (tombstones == nullptr || tombstones->empty()) return;
  Source source;
  source.tombstones = std::move(tombstones);
  source.older = older;
  sources_.push_back(std::move(source));
}

void TombstoneView::AddFiles(const LevelFiles& files, int level, size_t older) {
  Source source;
  source.files = files;
  source.level = level;
  source.older = older;
  sources_.push_back(std::move(source));
}

// With timestamps: before all versions of the key.
void TombstoneView::Keep(const Slice& user_key, std::string* bound) const {
  if (icmp_->timestamp_size() == 0) [[likely]] {
    bound->assign(user_key.data(), user_key.size());
  } else {
    *bound = WithMaxTimestamp(icmp_->BareKey(user_key), icmp_->timestamp_size());
  }
}

void TombstoneView::StartAt(const Slice& user_key, bool behind) {
  const int order = has_start_ ? icmp_->CompareBare(start_, user_key) : -1;
  if (order > 0 || (order == 0 && (starts_behind_ || !behind))) return;
  Keep(user_key, &start_);
  has_start_ = true;
  starts_behind_ = behind;
}

void TombstoneView::EndAt(const Slice& user_key) {
  if (has_end_ && icmp_->CompareBare(end_, user_key) <= 0) return;
  Keep(user_key, &end_);
  has_end_ = true;
}

Status TombstoneView::Locate(const Slice& user_key) {
  located_ = has_start_ = has_end_ = starts_behind_ = false;
  newest_ = 0;
  bool only_this_key = false;
  for (Source& source : sources_) {
    if (source.tombstones != nullptr) {
      LocateIn(*source.tombstones, user_key, source.older);
    } else {
      Status s = LocateInFiles(user_key, &source, &only_this_key);
      if (!s.ok()) return s;
    }
  }
  located_ = !only_this_key;
  return Status::OK();
}

void TombstoneView::LocateIn(const RangeTombstones& tombstones, const Slice& user_key,
                             size_t older) {
  const auto& fragments = tombstones.fragments();
  const size_t i = tombstones.FindFragment(user_key);
  if (i == fragments.size() || icmp_->CompareBare(user_key, fragments[i].start) < 0) {
    if (i > 0) StartAt(fragments[i - 1].end);
    if (i < fragments.size()) EndAt(fragments[i].start);
    return;
  }
  StartAt(fragments[i].start);
  EndAt(fragments[i].end);
  const SequenceNumber found = tombstones.NewestAt(fragments[i], sequence_, timestamp_);
  if (found == 0) return;
  if (newest_ == 0) older_ = older;  // of the newest source that has one
  newest_ = std::max(newest_, found);
}

Status TombstoneView::LocateInFiles(const Slice& user_key, Source* source, bool* only_this_key) {
  const LevelFiles& files = source->files;
  // Behind a file's end that is a tombstone's, before any entry of the key.
  // (With timestamps, of any version of it.)
  std::string all_versions;
  if (icmp_->timestamp_size() != 0) Keep(user_key, &all_versions);
  const InternalKey target(icmp_->timestamp_size() == 0 ? user_key : Slice(all_versions),
                           kMaxSequenceNumber, kTypeDeletion);
  const size_t i = FindFile(*icmp_, files, target.Encode());
  if (i == files.size || icmp_->CompareBare(user_key, ExtractUserKey(files[i].smallest)) < 0) {
    if (i > 0) {
      const Slice before = files[i - 1].largest;
      StartAt(ExtractUserKey(before), /*behind=*/!EndsWithTombstone(before));
    }
    if (i < files.size) EndAt(ExtractUserKey(files[i].smallest));
    return Status::OK();
  }
  if (source->open != i) {
    source->open = SIZE_MAX;
    Status s = tables_->FindTable(files[i].meta->TableId(source->level), &source->table,
                                  options_.read_tier == kBlockCacheTier, ReadLimits(options_));
    if (!s.ok()) return s;
    source->open = i;
  }
  // All of it counts only within the file; where a file ends with an entry the next one may go on
  // with the same key, and has the same tombstones.
  StartAt(ExtractUserKey(files[i].smallest));
  if (EndsWithTombstone(files[i].largest)) {
    EndAt(ExtractUserKey(files[i].largest));
  } else if (i + 1 < files.size) {
    const Slice next = ExtractUserKey(files[i + 1].smallest);
    if (icmp_->CompareBare(user_key, next) < 0) {
      EndAt(next);
    } else {
      *only_this_key = true;
    }
  }
  const RangeTombstones* const tombstones = source->table->range_tombstones();
  if (tombstones != nullptr) LocateIn(*tombstones, user_key, source->older);
  return Status::OK();
}

}  // namespace cairn
