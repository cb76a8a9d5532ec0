// Damaged tables of a database that is repaired: what can be read of one becomes a new table, and
// it goes to `lost`. What is not saved is told in LOG.
#include <algorithm>

#include "base/logging.h"
#include "compaction/table_writer.h"
#include "compaction/tombstone_writer.h"
#include "fs/file_names.h"
#include "fs/file_reader.h"
#include "repair/repair.h"
#include "table/properties.h"

namespace cairn {

Status Repairer::OpenDamaged(const Found& found, std::unique_ptr<TableSalvage>* salvage) const {
  std::unique_ptr<RandomAccessFileReader> reader;
  const std::string path = PathOfTable(found.number);
  IOStatus io = RandomAccessFileReader::Open(fs_, path, FileOptions(options_), &reader);
  if (!io.ok()) return io;
  *salvage = std::make_unique<TableSalvage>(std::move(reader), found.size);
  return (*salvage)->Open();
}

SequenceNumber Repairer::GlobalSequence(const Found& found, bool* guessed) const {
  *guessed = false;
  if (const auto remains = remains_.tables.find(found.number); remains != remains_.tables.end()) {
    // (Others, too, may have only one; their entries say it.)
    const FileMetaData& meta = remains->second.meta;
    return meta.smallest_seqno == meta.largest_seqno ? meta.largest_seqno : 0;
  }
  if (found.properties == nullptr) return 0;
  const auto& extra = found.properties->user_collected_properties;
  const auto stored = extra.find(kExternalGlobalSeqnoProperty);
  if (stored == extra.end() || stored->second.size() != 8) return 0;
  const SequenceNumber said = DecodeFixed64(stored->second.data());
  if (said != 0) return said;
  *guessed = true;
  return GuessSequence(found, *found.family);
}

// Into the new table.
struct Repairer::Saved {
  uint64_t entries = 0;
  uint64_t tombstones = 0;
  uint64_t refused = 0;  // entries with impossible sequence numbers
};

Status Repairer::Salvage(const Found& found, const Status& why, bool* complete) {
  *complete = false;
  Family* const family = found.family;
  std::unique_ptr<TableSalvage> salvage;
  if (!OpenDamaged(found, &salvage).ok()) {
    GiveUp(found, why);
    return Status::OK();
  }
  if (const auto properties = salvage->properties();
      properties != nullptr && !properties->comparator_name.empty() &&
      properties->comparator_name != family->icmp.user_comparator()->Name()) {
    GiveUp(found, why);
    return Status::OK();
  }
  const auto remains = remains_.tables.find(found.number);
  const FileMetaData* const known =
      remains != remains_.tables.end() && remains->second.meta.file_size == found.size
          ? &remains->second.meta
          : nullptr;
  auto table = std::make_unique<Table>();
  table->family = family;
  const SequenceNumber global = GlobalSequence(found, &table->guessed_sequence);

  const JobEnv env = MakeJobEnv(*family);
  TableWriterOptions options;
  options.compression = family->options->compression;
  options.compression_opts = family->options->compression_opts;
  options.reason = TableFileCreationReason::kRecovery;
  options.target_file_size = found.size;
  if (known != nullptr) {
    options.oldest_ancester_time = known->oldest_ancester_time;
  } else if (found.properties != nullptr) {
    options.oldest_ancester_time = found.properties->creation_time;
  }
  const uint64_t number = NewFileNumber();
  TableWriter writer(env, *family->options, options);
  Status s = writer.Open(number);
  Saved saved;
  if (s.ok()) s = SaveEntries(*family, global, salvage.get(), &writer, &saved);
  if (!s.ok()) return s;
  SaveTombstones(*family, global, known, *salvage, &writer, &saved);
  if (saved.entries == 0 && saved.tombstones == 0) {
    writer.Abandon();
    GiveUp(found, why);
    return Status::OK();
  }
  s = writer.Finish(&table->meta);
  if (!s.ok()) return s;
  TellSaved(found, why, number, saved, *salvage);
  *complete = salvage->is_complete() && saved.refused == 0;
  discarded_.push_back(found.number);
  made_.push_back(number);
  last_sequence_ = std::max(last_sequence_, table->meta.largest_seqno);
  tables_.push_back(std::move(table));
  return s;
}

Status Repairer::SaveEntries(const Family& family, SequenceNumber global, TableSalvage* salvage,
                             TableWriter* writer, Saved* saved) const {
  return salvage->Run(family.icmp, [&](ParsedInternalKey parsed, const Slice& value) {
    if (parsed.sequence == 0) parsed.sequence = global;
    if (parsed.sequence > kLastWritableSequence) {
      ++saved->refused;
      return Status::OK();
    }
    std::string key;
    AppendInternalKey(&key, parsed);
    writer->Add(parsed, key, value);
    ++saved->entries;
    return writer->status();
  });
}

void Repairer::SaveTombstones(const Family& family, SequenceNumber global,
                              const FileMetaData* known, const TableSalvage& salvage,
                              TableWriter* writer, Saved* saved) {
  // What the MANIFEST says of the bounds is better than what the table shows (repair_tables.cc).
  std::vector<RangeTombstone> tombstones = salvage.tombstones();
  for (RangeTombstone& tombstone : tombstones) {
    if (tombstone.sequence == 0) tombstone.sequence = global;
  }
  const RangeTombstones all(family.icmp, std::move(tombstones));
  TombstoneCollector collector(&family.icmp);
  if (known != nullptr && !known->smallest.empty()) {
    collector.AddOfTable(&all, known->smallest.Encode(), known->largest.Encode());
  } else {
    collector.Add(&all);
  }
  const auto kept = collector.Finish(nullptr, nullptr);
  if (kept != nullptr) saved->tombstones += AddTombstones(*kept, writer);
}

void Repairer::TellSaved(const Found& found, const Status& why, uint64_t number, const Saved& saved,
                         const TableSalvage& salvage) const {
  LogWarn(
      info_log_,
      "Table #%llu is damaged: %s. Saved to table #%llu: %llu entries of %llu blocks, %llu range "
      "tombstones",
      static_cast<unsigned long long>(found.number), why.ToString().c_str(),
      static_cast<unsigned long long>(number), static_cast<unsigned long long>(saved.entries),
      static_cast<unsigned long long>(salvage.blocks()),
      static_cast<unsigned long long>(saved.tombstones));
  TellLosses(found, salvage);
  if (saved.refused == 0) return;
  LogWarn(info_log_, "Table #%llu: %llu entries with impossible sequence numbers are lost",
          static_cast<unsigned long long>(found.number),
          static_cast<unsigned long long>(saved.refused));
}

void Repairer::TellLosses(const Found& found, const TableSalvage& salvage) const {
  const auto number = static_cast<unsigned long long>(found.number);
  for (const TableSalvage::Lost& part : salvage.lost()) {
    LogWarn(info_log_, "Table #%llu: bytes %llu to %llu are lost: %s", number,
            static_cast<unsigned long long>(part.begin), static_cast<unsigned long long>(part.end),
            part.why.ToString().c_str());
  }
  if (salvage.tombstones_are_lost()) {
    LogWarn(info_log_,
            "Table #%llu: its range tombstones, if it had any, are lost: what they deleted may be "
            "there again",
            number);
  }
}

}  // namespace cairn
