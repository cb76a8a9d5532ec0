#include "db/sequence_times.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/logging.h"
#include "compaction/entry_ages.h"
#include "db/families.h"
#include "fiber/clock.h"

namespace cairn {
namespace {

uint64_t Now() { return fiber::wall_micros() / 1'000'000; }

}  // namespace

void SequenceTimes::LoadFromTables(const std::vector<ColumnFamily*>& families) {
  std::vector<SeqnoTimePair> pairs;
  const uint64_t now = Now();
  for (ColumnFamily* family : families) {
    const uint64_t seconds = SecondsOfTimes(*family->options);
    if (seconds == 0) continue;
    const Version& version = *family->state->current();
    for (int level = 0; level < version.num_levels(); ++level) {
      for (const FileMetaData* file : version.files(level)) {
        // (What an older table knows is too old as well.)
        if (file->file_creation_time != kUnknownFileTime && file->file_creation_time < now &&
            now - file->file_creation_time > seconds) {
          continue;
        }
        std::shared_ptr<const TableProperties> properties;
        Status s = family->tables->GetTableProperties(file->TableId(level), &properties);
        if (s.ok()) s = SeqnoToTimeMapping::Decode(properties->seqno_to_time_mapping, &pairs);
        if (s.ok()) continue;
        LogWarn(db_.options.info_log.get(), "[%s] The times of table %s are not known: %s",
                family->name().c_str(), std::to_string(file->number).c_str(), s.ToString().c_str());
      }
    }
  }
  if (pairs.empty()) return;
  DBMutexLock lock(db_.mutex());
  // (A table of another database's may have others.)
  const SequenceNumber last = db_.versions->LastSequence();
  std::erase_if(pairs, [last](const SeqnoTimePair& pair) { return pair.sequence > last; });
  SeqnoToTimeMapping times(std::move(pairs));
  times.ThinTo(SeqnoToTimeMapping::kMaxPairs);
  Replace(std::move(times));
}

uint64_t SequenceTimes::SamplePeriod() const {
  constexpr uint64_t kSamples = SeqnoToTimeMapping::kSamplesPerPeriod;
  const uint64_t shortest = db_.families->books().shortest_times();
  return shortest / kSamples + (shortest % kSamples == 0 ? 0 : 1);
}

uint64_t SequenceTimes::Period() const {
  constexpr uint64_t kNanosPerSecond = 1'000'000'000;
  constexpr uint64_t kLongest = 1'000'000'000;  // seconds: sums with it fit
  return std::min(SamplePeriod(), kLongest) * kNanosPerSecond;
}

size_t SequenceTimes::MostPairs() const {
  constexpr uint64_t kSamples = SeqnoToTimeMapping::kSamplesPerPeriod;
  uint64_t longest = db_.families->books().longest_times();
  uint64_t shortest = db_.families->books().shortest_times();
  while (longest > UINT64_MAX / kSamples) {
    longest /= 2;
    shortest /= 2;
  }
  const uint64_t most = longest * kSamples / std::max<uint64_t>(shortest, 1);
  return static_cast<size_t>(std::min<uint64_t>(most, SeqnoToTimeMapping::kMaxPairs));
}

void SequenceTimes::Replace(SeqnoToTimeMapping times) {
  times_ = times.empty() ? nullptr : std::make_shared<const SeqnoToTimeMapping>(std::move(times));
}

void SequenceTimes::BooksChanged() {
  if (db_.mode != OpenMode::kReadWrite) return;
  const uint64_t period = SamplePeriod();
  if (period == 0) {
    times_ = nullptr;
    return;
  }
  // What is written from now on has an age that is known.
  const uint64_t now = Now();
  const uint64_t last = times_ == nullptr ? 0 : times_->pairs().back().seconds;
  if (times_ == nullptr || last > now || now - last > period) Sample();
}

void SequenceTimes::Sample() {
  if (SamplePeriod() == 0) return;
  const uint64_t longest = db_.families->books().longest_times();
  // The sequence number first: what comes meanwhile was not written by then.
  const SequenceNumber sequence = db_.versions->LastSequence();
  const uint64_t now = Now();
  SeqnoToTimeMapping times = times_ == nullptr ? SeqnoToTimeMapping() : *times_;
  times.Append(sequence, now);
  times.ForgetBefore(now > longest ? now - longest : 0);
  // (As RocksDB's, it may grow an eighth over that before it is thinned.)
  const size_t most = MostPairs();
  if (times.size() > most + most / 8) times.ThinTo(most);
  Replace(std::move(times));
  for (const auto& [id, family] : db_.families->books().placing()) {
    db_.families->books().MayCompact(family);
  }
}

std::shared_ptr<const SeqnoToTimeMapping> SequenceTimes::For(const ColumnFamily& family) const {
  return SecondsOfTimes(*family.options) == 0 ? nullptr : times_;
}

SequenceNumber SequenceTimes::YoungAfter(const ColumnFamily& family) const {
  const uint64_t seconds = family.options->preclude_last_level_data_seconds;
  if (seconds == 0) return kMaxSequenceNumber;
  const std::vector<SequenceNumber> snapshots = db_.snapshots.Sequences();
  return OldThrough(times_ == nullptr ? SeqnoToTimeMapping() : *times_, Now(), seconds,
                    snapshots.empty() ? kMaxSequenceNumber : snapshots.front());
}

}  // namespace cairn
