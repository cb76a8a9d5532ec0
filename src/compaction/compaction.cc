#include "compaction/compaction.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "compaction/compaction_picker.h"
#include "manifest/version_set.h"
#include "options/options_check.h"

namespace cairn {

Compaction::Compaction(CompactionPicker* picker, const ColumnFamilyOptions& options, Params params)
    : picker_(picker), options_(options), params_(std::move(params)) {
  params_.version->Ref();
  bool first = true;
  for (const CompactionInputFiles& input : params_.inputs) {
    for (const FileMetaData* f : input.files) {
      if (first || icmp().CompareBare(f->smallest.user_key(), smallest_user_key_) < 0) {
        smallest_user_key_ = f->smallest.user_key();
      }
      if (first || icmp().CompareBare(f->largest.user_key(), largest_user_key_) > 0) {
        largest_user_key_ = f->largest.user_key();
      }
      first = false;
    }
  }
  // What stays in level 0 may be older than an output that stays there, too.
  bottommost_ =
      !params_.may_get_older &&
      (output_level() > 0 || input(0).files.back() == version()->files(0).back()) &&
      !version()->RangeMightExistBelow(output_level(), smallest_user_key_, largest_user_key_);
  size_t all_files = 0;
  for (int level = 0; level < version()->num_levels(); ++level) {
    all_files += version()->files(level).size();
  }
  full_ = all_files == num_input_files();
  MarkInputs(true);
  picker_->Register(this);
}

Compaction::~Compaction() {
  ReleaseInputs();
  params_.version->Unref();
}

void Compaction::MarkInputs(bool being_compacted) {
  for (const CompactionInputFiles& input : params_.inputs) {
    for (FileMetaData* f : input.files) f->being_compacted = being_compacted;
  }
}

void Compaction::ReleaseInputs() {
  if (released_) return;
  released_ = true;
  MarkInputs(false);
  picker_->Unregister(this);
  // What is free again counts again: if the job failed, these files still wait to be compacted.
  ColumnFamilyState* const cf = column_family();
  version()->ComputeCompactionScore(cf != nullptr ? cf->options() : options_);
  if (cf != nullptr && cf->current() != nullptr && cf->current() != version()) {
    cf->current()->ComputeCompactionScore(cf->options());
  }
}

size_t Compaction::num_input_files() const {
  size_t n = 0;
  for (const CompactionInputFiles& input : params_.inputs) n += input.files.size();
  return n;
}

uint64_t Compaction::total_input_bytes() const {
  uint64_t bytes = 0;
  for (const CompactionInputFiles& input : params_.inputs) {
    for (const FileMetaData* f : input.files) bytes += f->file_size;
  }
  return bytes;
}

// Side by side in one level, so they must be.
bool Compaction::InputsAreDisjoint() const {
  std::vector<const FileMetaData*> by_key;
  for (const CompactionInputFiles& input : params_.inputs) {
    by_key.insert(by_key.end(), input.files.begin(), input.files.end());
  }
  std::sort(by_key.begin(), by_key.end(), [this](const FileMetaData* a, const FileMetaData* b) {
    return icmp().CompareBare(a->smallest.user_key(), b->smallest.user_key()) < 0;
  });
  for (size_t i = 1; i < by_key.size(); ++i) {
    if (icmp().CompareBare(by_key[i - 1]->largest.user_key(), by_key[i]->smallest.user_key()) >=
        0) {
      return false;
    }
  }
  return true;
}

std::unique_ptr<SstPartitioner> Compaction::NewPartitioner() const {
  if (options_.sst_partitioner_factory == nullptr || output_level() == 0) return nullptr;
  SstPartitioner::Context context;
  context.is_full_compaction = is_full_compaction();
  context.is_manual_compaction = is_manual();
  context.output_level = output_level();
  context.smallest_user_key = smallest_user_key_;
  context.largest_user_key = largest_user_key_;
  return options_.sst_partitioner_factory->CreatePartitioner(context);
}

bool Compaction::IsTrivialMove() const {
  if (!MayBeMoved()) return false;
  const std::unique_ptr<SstPartitioner> partitioner = NewPartitioner();
  if (partitioner == nullptr) return true;
  for (const CompactionInputFiles& input : params_.inputs) {
    if (input.level == output_level()) continue;  // there already
    for (const FileMetaData* f : input.files) {
      if (!partitioner->CanDoTrivialMove(f->smallest.user_key(), f->largest.user_key())) {
        return false;
      }
    }
  }
  return true;
}

bool Compaction::MayBeMoved() const {
  if (!params_.trivial_move_allowed || start_level() == output_level()) return false;
  // Only a rewrite tells young entries from old ones.
  if (proximal_level() >= 0) return false;
  // The user asked for it: the filter looks at everything.
  if (params_.manual && HasCompactionFilter(options_)) return false;
  // A marked file goes down to where its tombstones can be dropped. There it must be rewritten.
  if (params_.reason == CompactionReason::kFilesMarkedForCompaction && bottommost_) return false;
  if (options_.compaction_style == kCompactionStyleUniversal) return InputsAreDisjoint();
  if (num_input_levels() != 1) return false;
  const std::vector<FileMetaData*>& files = input(0).files;
  if (start_level() == 0 && !InputsAreDisjoint()) return false;
  const int base_level = version()->base_level();
  if (CompressionForLevel(options_, *version(), start_level(), base_level, false) !=
      params_.compression) {
    return false;
  }
  for (const FileMetaData* f : files) {
    if (f->path_id != params_.output_path_id) return false;
    // A moved file that overlaps much of the next level makes its own compaction expensive.
    uint64_t bytes = f->file_size;
    for (const FileMetaData* g : params_.grandparents) {
      if (icmp().CompareBare(g->largest.user_key(), f->smallest.user_key()) >= 0 &&
          icmp().CompareBare(g->smallest.user_key(), f->largest.user_key()) <= 0) {
        bytes += g->file_size;
      }
    }
    if (bytes > params_.max_compaction_bytes) return false;
  }
  return true;
}

bool Compaction::KeyNotExistsBeyondOutputLevel(const Slice& user_key,
                                               std::vector<size_t>* cursors) const {
  if (bottommost_) return true;
  if (output_level() == 0 || params_.may_get_older) return false;
  cursors->resize(static_cast<size_t>(version()->num_levels()), 0);
  for (int level = output_level() + 1; level < version()->num_non_empty_levels(); ++level) {
    const LevelFiles& files = version()->level_files(level);
    size_t& at = (*cursors)[static_cast<size_t>(level)];
    while (at < files.size && icmp().CompareBare(ExtractUserKey(files[at].largest), user_key) < 0) {
      ++at;
    }
    if (at < files.size && icmp().CompareBare(ExtractUserKey(files[at].smallest), user_key) <= 0) {
      return false;
    }
  }
  return true;
}

uint64_t Compaction::blob_files_to_collect_below() const {
  const bool collects = params_.blob_gc_policy == BlobGarbageCollectionPolicy::kForce ||
                        (params_.blob_gc_policy == BlobGarbageCollectionPolicy::kUseDefault &&
                         options_.enable_blob_garbage_collection);
  if (!collects) return 0;
  const bool has_own = params_.blob_gc_age_cutoff >= 0 && params_.blob_gc_age_cutoff <= 1;
  const BlobFileList& files = version()->blob_files();
  const size_t within = version()->BlobFilesWithin(
      has_own ? params_.blob_gc_age_cutoff : options_.blob_garbage_collection_age_cutoff);
  return within >= files.size() ? UINT64_MAX : files[within]->number();
}

uint64_t Compaction::MinInputFileEpochNumber() const {
  uint64_t least = UINT64_MAX;
  for (const CompactionInputFiles& input : params_.inputs) {
    for (const FileMetaData* f : input.files) least = std::min(least, f->epoch_number);
  }
  return least;
}

uint64_t Compaction::MinInputFileOldestAncesterTime() const {
  uint64_t least = UINT64_MAX;
  for (const CompactionInputFiles& input : params_.inputs) {
    for (const FileMetaData* f : input.files) {
      const uint64_t time = f->oldest_ancester_time != kUnknownFileTime ? f->oldest_ancester_time
                                                                        : f->file_creation_time;
      if (time != kUnknownFileTime) least = std::min(least, time);
    }
  }
  return least == UINT64_MAX ? kUnknownFileTime : least;
}

void Compaction::AddInputDeletions(VersionEdit* edit) const {
  for (const CompactionInputFiles& input : params_.inputs) {
    for (const FileMetaData* f : input.files) edit->DeleteFile(input.level, f->number);
  }
}

void Compaction::AddTrivialMove(VersionEdit* edit) const {
  for (const CompactionInputFiles& input : params_.inputs) {
    if (input.level == output_level()) continue;  // there already
    for (const FileMetaData* f : input.files) {
      edit->DeleteFile(input.level, f->number);
      edit->AddFile(output_level(), *f);
    }
  }
}

std::string Compaction::InputSummary() const {
  std::string r;
  for (const CompactionInputFiles& input : params_.inputs) {
    if (!r.empty()) r.append(" + ");
    r.append(std::to_string(input.files.size())).append("@").append(std::to_string(input.level));
  }
  char score[48];
  std::snprintf(score, sizeof(score), ", score %.2f", params_.score);
  return r + " files to L" + std::to_string(output_level()) + score;
}

bool OutputCutter::IsPartitionBorder(const Slice& user_key, uint64_t current_file_size) {
  if (partitioner_ == nullptr) return false;
  const bool border =
      seen_key_ && partitioner_->ShouldPartition(PartitionerRequest(
                       Slice(previous_key_), user_key, current_file_size)) == kRequired;
  previous_key_.assign(user_key.data(), user_key.size());
  return border;
}

bool OutputCutter::ShouldStopBeforeUserKey(const Slice& user_key, uint64_t current_file_size) {
  const InternalKeyComparator& icmp = compaction_->icmp();
  const std::vector<FileMetaData*>& below = compaction_->grandparents();
  bool crossed = false;
  while (grandparent_ < below.size() &&
         icmp.CompareBare(user_key, below[grandparent_]->largest.user_key()) > 0) {
    // Only what this output reaches over counts; before its first key there is none.
    if (seen_key_) overlapped_bytes_ += below[grandparent_]->file_size;
    ++grandparent_;
    crossed = true;
  }
  const bool border = IsPartitionBorder(user_key, current_file_size);
  const bool first = !seen_key_;
  seen_key_ = true;
  if (first || compaction_->output_level() == 0) return false;
  const uint64_t target = compaction_->target_output_file_size();
  // At a border of the level below a file may end a little early: the next one then starts where
  // its own compaction would have to start anyway.
  const bool good_place = crossed && current_file_size >= target - target / 4;
  if (border || current_file_size >= target || good_place ||
      (crossed && overlapped_bytes_ > compaction_->max_compaction_bytes())) {
    overlapped_bytes_ = 0;
    return true;
  }
  return false;
}

}  // namespace cairn
