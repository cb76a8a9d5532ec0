#include "compaction/memtable_purge.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/logging.h"
#include "compaction/compaction_iterator.h"
#include "compaction/tombstone_writer.h"
#include "read/run_merger.h"

namespace cairn {
namespace {

// Cochran's formula, as in RocksDB: so many entries tell a share to 7% with a confidence of 95%;
// fewer, where there are few.
size_t SampleSize(uint64_t entries) {
  constexpr double kOfMany = 1.96 * 1.96 * 0.25 / (0.07 * 0.07);
  if (entries == 0) return 0;
  return static_cast<size_t>(std::ceil(kOfMany / (1 + kOfMany / static_cast<double>(entries))));
}

}  // namespace

// Of all memtables: what a key has in them.
class MemTablePurge::Readers {
 public:
  explicit Readers(const std::vector<MemTable*>& memtables) {
    for (const MemTable* memtable : memtables) {
      iterators_.emplace_back(memtable->NewIterator());
      tombstones_.push_back(memtable->range_tombstones());
    }
  }

  // An entry of memtable `of` that who reads at `at`, which is not older, does not come to.
  bool IsHidden(size_t of, const ParsedInternalKey& entry, SequenceNumber at) const {
    const LookupKey sought(entry.user_key, at);
    for (size_t i = of; i < iterators_.size(); ++i) {
      if (tombstones_[i] != nullptr &&
          tombstones_[i]->Covering(entry.user_key, at) > entry.sequence) {
        return true;
      }
      InternalIterator* const iter = iterators_[i].get();
      iter->Seek(sought.internal_key());
      ParsedInternalKey newest;
      if (!iter->Valid() || !ParseInternalKey(iter->key(), &newest).ok()) continue;
      if (newest.user_key == entry.user_key && newest.sequence > entry.sequence) return true;
    }
    return false;
  }

 private:
  std::vector<std::unique_ptr<InternalIterator>> iterators_;
  std::vector<std::shared_ptr<const RangeTombstones>> tombstones_;
};

MemTablePurge::Payload MemTablePurge::SampleOf(size_t memtable, const Readers& readers) const {
  Payload payload;
  const MemTable& sampled = *memtables_[memtable];
  sampled.Sample(SampleSize(sampled.num_entries()), [&](const Slice& key, const Slice& value) {
    ParsedInternalKey entry;
    if (!ParseInternalKey(key, &entry).ok()) return;
    const uint64_t bytes = key.size() + value.size();
    payload.all += bytes;
    // The oldest snapshot that sees it is the one that may need it.
    const auto seen_by =
        std::lower_bound(env_.snapshots.begin(), env_.snapshots.end(), entry.sequence);
    const SequenceNumber at = seen_by == env_.snapshots.end() ? kMaxSequenceNumber : *seen_by;
    // (Without an operator operands stay as they are.)
    const bool stays = entry.type == kTypeMerge && cf_options_.merge_operator == nullptr;
    if (stays || !readers.IsHidden(memtable, entry, at)) payload.useful += bytes;
  });
  return payload;
}

bool MemTablePurge::IsWorthwhile() const {
  const double threshold = cf_options_.experimental_mempurge_threshold;
  if (!(threshold > 0)) return false;
  if (threshold > static_cast<double>(memtables_.size())) return true;
  const Readers readers(memtables_);
  double useful = 0;  // bytes
  for (size_t i = 0; i < memtables_.size(); ++i) {
    const Payload payload = SampleOf(i, readers);
    if (payload.all == 0) continue;
    const double share = static_cast<double>(payload.useful) / static_cast<double>(payload.all);
    useful += static_cast<double>(memtables_[i]->ApproximateMemoryUsage()) * share;
    LogInfo(env_.info_log,
            "Mempurge sampling [CF %s] - found garbage ratio from sampling: %f. Threshold is %f",
            env_.column_family_name.c_str(), 1 - share, threshold);
  }
  return useful / static_cast<double>(cf_options_.write_buffer_size) < threshold;
}

Status MemTablePurge::CheckRoom(const MemTable& purged) const {
  if (env_.shutting_down != nullptr && env_.shutting_down->load(std::memory_order_relaxed)) {
    return Status::Aborted("the database closes");
  }
  return purged.ApproximateMemoryUsage() < cf_options_.write_buffer_size && !purged.ShouldFlush()
             ? Status::OK()
             : Status::Aborted("Mempurge filled more than one memtable.");
}

Status MemTablePurge::Run(MemTable* purged) const {
  Status s = purged->creation_status();
  uint64_t entries = 0;
  std::vector<InternalIterator*> inputs;
  TombstoneCollector collector(env_.icmp);
  for (auto it = memtables_.rbegin(); it != memtables_.rend(); ++it) {
    inputs.push_back((*it)->NewTraversal());
    entries += (*it)->num_entries();
    if (s.ok()) s = (*it)->VerifyRangeTombstones();
    collector.Add((*it)->range_tombstones().get());
  }
  const std::unique_ptr<InternalIterator> input(NewRunMerger(env_.icmp, std::move(inputs)));
  const std::unique_ptr<const RangeTombstones> tombstones = collector.Finish(nullptr, nullptr);
  CompactionIterator kept(input.get(), env_.icmp, env_.snapshots, /*compaction=*/nullptr,
                          [&] { return CheckRoom(*purged); });
  kept.SetMergeOperator(cf_options_.merge_operator.get());
  kept.SetRangeTombstones(tombstones.get());
  if (!s.ok()) return s;
  for (kept.Start(); s.ok() && kept.Valid(); kept.Next()) {
    const ParsedInternalKey& entry = kept.parsed();
    s = purged->Add(entry.sequence, entry.type, entry.user_key, kept.value(),
                    /*allow_concurrent=*/false);
    if (s.ok()) s = CheckRoom(*purged);
  }
  if (s.ok()) s = kept.status();
  if (s.ok() && kept.records_in() != entries) {
    // The flush will say so, and refuse the memtables.
    s = Status::Aborted("a memtable lacks entries");
  }
  if (!s.ok()) return s;
  TombstoneWriter writer(env_.icmp, tombstones.get(), env_.snapshots, /*bottommost=*/false);
  s = writer.AddAll([&](const Slice& start, const Slice& end, SequenceNumber sequence) {
    Status added = purged->Add(sequence, kTypeRangeDeletion, start, end,
                               /*allow_concurrent=*/false);
    return added.ok() ? CheckRoom(*purged) : added;
  });
  if (s.ok() && purged->IsEmpty()) s = Status::Aborted("nothing is worth keeping");
  return s;
}

}  // namespace cairn
