// IngestExternalFiles: tables that were made outside become part of the database.
//
// What takes long comes first, while everybody goes on: the files are looked into, linked or
// copied, and what memory holds in their ranges is flushed. Then writers wait, from the choice of
// the files' levels until the manifest has them, and so do who takes a snapshot: where a file's
// keys are nowhere in the database its entries have sequence number 0, which every snapshot sees.
//
// A file goes to the deepest level down to which nothing overlaps it, so that what is newer still
// lies above what is older. Keys that some level does hold make it need a sequence number: the next
// one, as if it had been written. The log is synced before: a file must not survive a power cut
// that takes writes from before it.
#include <algorithm>
#include <list>
#include <optional>

#include "base/logging.h"
#include "base/perf.h"
#include "base/stop_watch.h"
#include "db/background_work.h"
#include "db/database.h"
#include "db/error_handler.h"
#include "db/external_file.h"
#include "db/families.h"
#include "db/file_purger.h"
#include "db/flushes.h"
#include "db/ingestions.h"
#include "db/memtable_switch.h"
#include "db/write_path.h"
#include "fiber/clock.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "rocksdb/listener.h"

namespace cairn {

struct Ingestions::Ingestion {
  ColumnFamily* family = nullptr;
  const IngestExternalFileArg* arg = nullptr;
  std::vector<ExternalFile> files;
  bool files_overlap = false;

  // Decided once nothing can be written and no snapshot be taken any more.
  bool needs_sequence = false;
  bool on_top = false;  // no level but 0 can be right
  int deepest = 0;      // level that comes into question
  // overlaps[i][level]: file i has keys, or ranges, in common with the level of `version`.
  std::vector<std::vector<bool>> overlaps;
  // Where there are timestamps: file i has keys, or ranges, in common with some level.
  std::vector<bool> is_known;
  Version* version = nullptr;
  VersionEdit edit;
  VersionEdit* pointer = nullptr;
};

namespace {

Status CheckIngestOptions(const IngestExternalFileOptions& o, bool behind_is_allowed) {
  if (o.move_files && o.link_files) {
    return Status::InvalidArgument("`move_files` and `link_files` can not both be true.");
  }
  if (o.ingest_behind && !behind_is_allowed) {
    return Status::InvalidArgument("can't ingest_behind file in DB with allow_ingest_behind=false");
  }
  return Status::OK();
}

}  // namespace

Status Ingestions::IngestExternalFiles(const std::vector<IngestExternalFileArg>& args) {
  const PerfTimer timer(Perf(), &PerfContext::file_ingestion_nanos);
  const uint64_t start = WantsTimes(db_.statistics) ? fiber::now_nanos() : 0;
  Status s = db_.RefuseIfReadOnly();
  if (s.ok() && args.empty()) s = Status::InvalidArgument("ingestion arg list is empty");
  std::vector<Ingestion> parts(args.size());
  for (size_t i = 0; s.ok() && i < args.size(); ++i) {
    parts[i].arg = &args[i];
    s = db_.families->FamilyOf(args[i].column_family, &parts[i].family);
    for (size_t j = 0; s.ok() && j < i; ++j) {
      if (parts[j].family == parts[i].family) {
        s = Status::InvalidArgument("ingestion args have duplicate column families");
      }
    }
    if (s.ok() && args[i].external_files.empty()) {
      s = Status::InvalidArgument("external_files[" + std::to_string(i) + "] is empty");
    }
    if (s.ok()) s = CheckIngestOptions(args[i].options, parts[i].family->reserves_last_level);
  }
  if (!s.ok()) return s;
  // (The handles keep the families.)
  std::multiset<uint64_t>::iterator protected_from;
  {
    DBMutexLock lock(db_.mutex());
    if (db_.errors->failed()) return db_.errors->error();
    protected_from = db_.files->ProtectNewFiles();
  }
  for (Ingestion& part : parts) {
    if (s.ok()) s = TakeFiles(&part);
  }
  for (const Ingestion& part : parts) {
    if (s.ok()) s = SyncDirectory(part.family->directories.front().get());
  }
  // (Of what went well alone, as in RocksDB.)
  const auto tell = [this](Histograms histogram, uint64_t since) {
    const uint64_t now = fiber::now_nanos();
    db_.statistics->reportTimeToHistogram(histogram, (now - since) / 1000);
    return now;
  };
  const uint64_t prepared =
      s.ok() && start != 0 ? tell(INGEST_EXTERNAL_FILE_PREPARE_TIME, start) : 0;
  bool keep_copies = false;
  if (s.ok()) s = AddFiles(&parts, &keep_copies);
  if (s.ok() && prepared != 0) tell(INGEST_EXTERNAL_FILE_RUN_TIME, prepared);
  {
    DBMutexLock lock(db_.mutex());
    db_.files->UnprotectNewFiles(protected_from);
  }
  for (const Ingestion& part : parts) {
    if (s.ok()) {
      FinishIngestion(part);
    } else if (!keep_copies) {
      for (const ExternalFile& file : part.files) {
        if (file.internal_path.empty()) continue;
        db_.fs->DeleteFile(file.internal_path, IOOptions(), nullptr).PermitUncheckedError();
      }
    }
  }
  db_.files->Purge();
  return s;
}

Status Ingestions::TakeFiles(Ingestion* part) {
  const std::shared_ptr<const Options> options = db_.families->LiveOptions(part->family);
  FileChecksumGenFactory* const factory = db_.options.file_checksum_gen_factory.get();
  const size_t checksums = part->arg->files_checksums.size();
  if (checksums != part->arg->files_checksum_func_names.size() ||
      (checksums != 0 && checksums != part->arg->external_files.size())) {
    return Status::InvalidArgument(
        "The numbers of external files, of their checksums and of the names of checksum functions "
        "differ");
  }
  for (const std::string& path : part->arg->external_files) {
    ExternalFile file;
    file.external_path = path;
    const size_t i = part->files.size();
    if (factory != nullptr && !part->arg->files_checksums.empty()) {
      file.checksum = part->arg->files_checksums[i];
      file.checksum_func_name = part->arg->files_checksum_func_names[i];
    }
    Status s = InspectExternalFile(*part->family, *options, db_.fs, part->arg->options, &file);
    if (s.ok() && factory != nullptr) {
      s = ChecksumExternalFile(db_.fs, db_.file_options, part->arg->options, factory, &file);
    }
    if (!s.ok()) return s;
    part->files.push_back(std::move(file));
  }
  part->files_overlap = AnyOverlap(part->family->icmp, part->files);
  if (part->files_overlap && part->arg->options.ingest_behind) {
    return Status::NotSupported(
        "Files with overlapping ranges cannot be ingested with ingestion behind mode.");
  }
  // Of equal keys the newer timestamp must have the larger sequence number, and a file from outside
  // may have any: so it must have keys of its own.
  if (part->files_overlap && part->family->icmp.timestamp_size() != 0) {
    return Status::NotSupported(
        "Files with overlapping ranges cannot be ingested to column family with user-defined "
        "timestamp enabled.");
  }
  for (ExternalFile& file : part->files) {
    file.number = db_.versions->NewFileNumber();
    file.internal_path = TableFileName(part->family->paths, file.number, 0);
    Status s = TakeExternalFile(db_.fs, db_.file_options, part->arg->options, file);
    if (!s.ok()) return s;
  }
  return Status::OK();
}

Status Ingestions::FamiliesToFlush(const std::vector<Ingestion>& parts,
                                   std::vector<ColumnFamily*>* families) const {
  families->clear();
  for (const Ingestion& part : parts) {
    SuperVersionGuard sv(part.family->super_versions.get());
    bool overlaps = false;
    for (const ExternalFile& file : part.files) {
      Status s = OverlapsMemory(*sv.get(), file, &overlaps);
      if (!s.ok()) return s;
      if (overlaps) break;
    }
    if (!overlaps) continue;
    if (part.family->icmp.timestamp_size() != 0) {
      return Status::InvalidArgument(
          "Column family enables user-defined timestamps, please make sure the key range (without "
          "timestamp) of external file does not overlap with key range in the memtables.");
    }
    if (!part.arg->options.allow_blocking_flush) {
      return Status::InvalidArgument("External file requires flush");
    }
    families->push_back(part.family);
  }
  return Status::OK();
}

Status Ingestions::AddFiles(std::vector<Ingestion>* parts, bool* keep_copies) {
  // Most of what there is to flush is flushed before anybody has to wait for it.
  FlushOptions flush;
  flush.allow_write_stall = true;
  std::vector<ColumnFamily*> families;
  Status s = FamiliesToFlush(*parts, &families);
  if (s.ok() && !families.empty()) {
    s = db_.flushes->FlushMemTables(flush, families, FlushReason::kExternalFileIngestion);
  }
  if (!s.ok()) return s;

  CommitQueue::Exclusive leadership(db_.commit.get());
  const PerfTimer timer(Perf(), &PerfContext::file_ingestion_blocking_live_writes_nanos);
  s = FamiliesToFlush(*parts, &families);
  if (s.ok() && !families.empty()) s = FlushWithLeadership(families);
  if (!s.ok()) return s;
  IOStatus io = db_.wals->Sync();
  if (!io.ok()) {
    db_.writes->OnCommitError(io, CommitErrorKind::kWalSync);
    return io;
  }
  const SnapshotList::Pause no_snapshots(&db_.snapshots);
  const SequenceNumber last = db_.versions->LastSequence();
  SequenceNumber consumed = 0;
  DBMutexLock lock(db_.mutex());
  if (db_.errors->failed()) return db_.errors->error();
  if (db_.shutting_down.load()) return Status::ShutdownInProgress();
  {
    std::list<CompactionPicker::Reservation> reservations;
    s = PlaceFiles(parts, last, &consumed, &reservations);
    if (s.ok()) s = WriteSequences(parts);
    if (s.ok()) s = RecordAllFiles(parts, keep_copies);
  }
  if (s.ok()) ShowFiles(parts, last, consumed);
  for (const Ingestion& part : *parts) db_.families->books().MayCompact(part.family);
  db_.work->JobsChanged();
  return s;
}

Status Ingestions::PlaceFiles(std::vector<Ingestion>* parts, SequenceNumber last,
                              SequenceNumber* consumed,
                              std::list<CompactionPicker::Reservation>* reservations) {
  for (Ingestion& part : *parts) {
    const CompactionStyle style = part.family->options->compaction_style;
    const bool snapshots = part.arg->options.snapshot_consistency && db_.snapshots.size() > 0;
    // (Files of databases bring the order of their entries along.)
    const bool orders = part.files_overlap && !part.arg->options.allow_db_generated_files;
    part.needs_sequence = orders || snapshots;
    part.on_top = orders || (snapshots && style == kCompactionStyleUniversal);
    part.deepest = style == kCompactionStyleFIFO ? 0 : part.family->num_levels - 1;
  }
  Status s = FindOverlaps(parts);
  for (Ingestion& part : *parts) {
    SequenceNumber sequence = last;
    for (size_t i = 0; s.ok() && i < part.files.size(); ++i) {
      s = PlaceFile(&part, i, &sequence);
      const ExternalFile& file = part.files[i];
      if (file.largest_seqno > sequence) sequence = file.largest_seqno;
      if (s.ok() && file.level > 0) {
        reservations->emplace_back(part.family->picker.get(), file.level, file.smallest.user_key(),
                                   file.largest.user_key());
      }
    }
    *consumed = std::max(*consumed, sequence - last);
  }
  return s;
}

Status Ingestions::WriteSequences(std::vector<Ingestion>* parts) {
  Status s;
  for (Ingestion& part : *parts) {
    if (!part.arg->options.write_global_seqno) continue;
    // Compactions leave room for the files, as they do while the MANIFEST is written.
    db_.mutex()->unlock();
    for (ExternalFile& file : part.files) {
      if (s.ok() && file.sequence != 0) {
        s = WriteGlobalSequence(db_.fs, db_.file_options,
                                db_.options.file_checksum_gen_factory.get(), &file);
      }
    }
    db_.mutex()->lock();
  }
  return s;
}

Status Ingestions::RecordAllFiles(std::vector<Ingestion>* parts, bool* keep_copies) {
  std::vector<FamilyEdits> changes;
  for (Ingestion& part : *parts) {
    part.pointer = &part.edit;
    RecordFiles(&part);
    changes.push_back({part.family->state, std::span(&part.pointer, 1)});
  }
  Status s = db_.versions->LogAndApply(changes, db_.mutex(), db_.directory.get());
  if (!s.ok() && db_.versions->manifest_write_failed()) {
    *keep_copies = true;  // what the manifest ends with may name them
    db_.errors->SetBackgroundError(s, BackgroundErrorReason::kManifestWrite, "ingestion of files");
  }
  return s;
}

void Ingestions::ShowFiles(std::vector<Ingestion>* parts, SequenceNumber last,
                           SequenceNumber consumed) {
  // Who has acquired a super version without the files may yet read the number: none shows what is
  // written from now on.
  for (const Ingestion& part : *parts) {
    part.family->limit->store(last, std::memory_order_relaxed);
    part.family->limit = std::make_shared<SequenceLimit>(kMaxSequenceNumber);
  }
  // The number first: who sees some of the files sees all of them.
  if (consumed > 0) db_.versions->SetLastSequence(last + consumed);
  fiber::interleave();
  for (const Ingestion& part : *parts) {
    IngestedFiles added;
    for (const ExternalFile& file : part.files) {
      added.bytes += file.size;
      added.files += 1;
      added.level0_files += file.level == 0 ? 1 : 0;
      added.keys += file.properties->num_entries;
    }
    part.family->level_stats.AddIngested(added);
    db_.work->InstallSuperVersion(part.family);
  }
}

Status Ingestions::FlushWithLeadership(const std::vector<ColumnFamily*>& families) {
  DBMutexLock lock(db_.mutex());
  if (db_.errors->failed()) return db_.errors->error();
  Status s = db_.memtables->SwitchAndFlush(families, FlushReason::kExternalFileIngestion);
  if (!s.ok()) return s;
  for (const ColumnFamily* family : families) {
    while (family->imm.NumNotFlushed() > 0) {
      if (db_.errors->failed()) return db_.errors->error();
      if (db_.shutting_down.load()) return Status::ShutdownInProgress();
      if (family->dropped.load()) return Status::ColumnFamilyDropped();
      db_.jobs.changed.wait(db_.mutex());
    }
  }
  return s;
}

// Reading for it takes a while, without the mutex; what compactions change meanwhile is looked at
// again. In the end, bounds of files have to do: a file may then end up higher than it must.
Status Ingestions::FindOverlaps(std::vector<Ingestion>* parts) {
  constexpr int kAttempts = 4;
  Status s;
  for (int attempt = 0; s.ok() && attempt < kAttempts; ++attempt) {
    for (Ingestion& part : *parts) {
      part.version = part.family->current();
      part.version->Ref();
    }
    db_.mutex()->unlock();
    for (Ingestion& part : *parts) {
      part.overlaps.assign(part.files.size(), {});
      part.is_known.assign(part.files.size(), false);
      const bool is_stamped = part.family->icmp.timestamp_size() != 0;
      if ((part.on_top && !is_stamped) || part.arg->options.ingest_behind) continue;
      for (size_t i = 0; i < part.files.size(); ++i) {
        bool overlaps = false;
        for (int level = 0; s.ok() && level < part.family->num_levels && !overlaps; ++level) {
          s = OverlapsLevel(*part.version, level, part.family->tables.get(), part.files[i],
                            &overlaps);
          part.overlaps[i].push_back(overlaps);
        }
        part.is_known[i] = is_stamped && overlaps;
      }
    }
    db_.mutex()->lock();
    bool still_so = true;
    for (Ingestion& part : *parts) {
      still_so &= part.version == part.family->current();
      part.version->Unref();
    }
    if (still_so) return s;
  }
  for (Ingestion& part : *parts) {
    const Version& version = *part.family->current();
    for (size_t i = 0; i < part.files.size(); ++i) {
      const Slice smallest = part.files[i].smallest.user_key();
      const Slice largest = part.files[i].largest.user_key();
      part.overlaps[i].clear();
      for (int level = 0; level < part.family->num_levels; ++level) {
        part.overlaps[i].push_back(version.OverlapInLevel(level, &smallest, &largest));
      }
    }
  }
  return s;
}

// Files of databases may overlap: the later ones lie above.
bool Ingestions::FitsAbove(const Ingestion& part, size_t index, int level) {
  for (size_t i = 0; level > 0 && i < index; ++i) {
    if (Overlap(part.family->icmp, part.files[i], part.files[index]) &&
        level >= part.files[i].level) {
      return false;
    }
  }
  return true;
}

// Level 0 keeps the order of sequence numbers. And what was ingested where it comes from had its
// number in that MANIFEST: here it would be older than all others.
Status Ingestions::CheckOrder(const Ingestion& part, size_t index) {
  const ExternalFile& file = part.files[index];
  for (size_t i = 0; i < index; ++i) {
    const ExternalFile& older = part.files[i];
    if (!Overlap(part.family->icmp, older, file)) continue;
    if (file.takes_sequence) {
      return Status::InvalidArgument(
          "A file that was ingested before has no sequence numbers, and cannot come above "
          "another: " +
              older.external_path,
          file.external_path);
    }
    if (file.level == 0 && older.level == 0 && file.largest_seqno < older.largest_seqno) {
      return Status::InvalidArgument(
          "Files that overlap would meet in level 0, and the later one has older entries than " +
              older.external_path,
          file.external_path);
    }
  }
  return Status::OK();
}

Status Ingestions::PlaceFile(Ingestion* part, size_t index, SequenceNumber* last) const {
  const IngestExternalFileOptions& options = part->arg->options;
  ExternalFile& file = part->files[index];
  const Version& version = *part->family->current();
  const Slice smallest = file.smallest.user_key();
  const Slice largest = file.largest.user_key();
  const auto fits = [&](int level) {
    return level == 0 || (!version.OverlapInLevel(level, &smallest, &largest) &&
                          !part->family->picker->RangeOverlapsRunning(smallest, largest, level));
  };
  const int bottom = version.num_levels() - 1;
  if (options.ingest_behind) {
    if (file.largest_seqno != 0) {
      return Status::InvalidArgument(
          "Can't ingest_behind file that has sequence numbers of its own", file.external_path);
    }
    if (!fits(bottom)) {
      return Status::InvalidArgument(
          "Can't ingest_behind file as it doesn't fit at the bottommost level!",
          file.external_path);
    }
    // Their entries might be older than the file's.
    for (int level = 0; level < bottom; ++level) {
      for (const FileMetaData* other : version.files(level)) {
        if (other->smallest_seqno != 0) continue;
        return Status::InvalidArgument(
            "Can't ingest_behind file as despite allow_ingest_behind=true there are files with 0 "
            "seqno in database at upper levels!");
      }
    }
    file.level = bottom;
    return Status::OK();
  }
  if (part->is_known[index]) {
    return Status::InvalidArgument(
        "Column family enables user-defined timestamps, please make sure the key range (without "
        "timestamp) of external file does not overlap with key range (without timestamp) in the "
        "db",
        file.external_path);
  }
  bool needs_sequence = part->needs_sequence;
  if (!part->on_top) {
    const std::vector<bool>& overlaps = part->overlaps[index];
    for (int level = 0; level < static_cast<int>(overlaps.size()); ++level) {
      if (overlaps[level]) {
        needs_sequence = true;
        break;
      }
      if (level > part->deepest || (level > 0 && level < version.base_level())) continue;
      if (fits(level) && FitsAbove(*part, index, level)) file.level = level;
    }
  }
  if (options.fail_if_not_bottommost_level && file.level < bottom) {
    return Status::TryAgain(
        "Files cannot be ingested to Lmax. Please make sure key range of Lmax and ongoing "
        "compaction's output to Lmax does not overlap with files to ingest.",
        file.external_path);
  }
  if (options.allow_db_generated_files) {
    if (!needs_sequence) return CheckOrder(*part, index);
    return Status::InvalidArgument(
        "An ingested file overlaps with existing data in the DB and has been assigned a non-zero "
        "sequence number, which is not allowed when 'allow_db_generated_files' is enabled.",
        file.external_path);
  }
  if (!needs_sequence) return Status::OK();
  if (!options.allow_global_seqno) {
    return Status::InvalidArgument("Global seqno is required, but disabled", file.external_path);
  }
  if (!file.takes_sequence) {
    return Status::InvalidArgument(
        "Trying to set global seqno for a file that don't have a global seqno field",
        file.external_path);
  }
  file.sequence = ++*last;
  return Status::OK();
}

void Ingestions::RecordFiles(Ingestion* part) {
  const uint64_t now = fiber::wall_micros() / 1000000;
  for (const ExternalFile& file : part->files) {
    const TableProperties& properties = *file.properties;
    const auto with_sequence = [&](const InternalKey& bound) {
      if (EndsWithTombstone(bound.Encode()) || file.sequence == 0) return bound;
      return InternalKey(bound.user_key(), file.sequence, ExtractValueType(bound.Encode()));
    };
    FileMetaData meta;
    meta.number = file.number;
    meta.file_size = file.size;
    meta.smallest = with_sequence(file.smallest);
    meta.largest = with_sequence(file.largest);
    meta.smallest_seqno = file.sequence != 0 ? file.sequence : file.smallest_seqno;
    meta.largest_seqno = file.sequence != 0 ? file.sequence : file.largest_seqno;
    meta.unique_id = UniqueIdOf(properties);
    meta.epoch_number = part->arg->options.ingest_behind ? kReservedEpochNumberForFileIngestedBehind
                                                         : part->family->state->NewEpochNumber();
    meta.oldest_ancester_time = meta.file_creation_time = now;
    meta.temperature = part->arg->file_temperature;
    meta.file_checksum = file.checksum;
    meta.file_checksum_func_name = file.checksum_func_name;
    // Nothing but a range that is deleted: its compaction is what frees space.
    meta.marked_for_compaction = properties.num_range_deletions == 1 &&
                                 properties.num_entries == properties.num_range_deletions;
    meta.num_entries = properties.num_entries;
    meta.num_deletions = properties.num_deletions;
    meta.raw_key_size = properties.raw_key_size;
    meta.raw_value_size = properties.raw_value_size;
    meta.has_no_tombstones = !file.has_tombstones;
    meta.user_defined_timestamps_persisted = !file.has_bare_keys;
    part->edit.AddFile(file.level, std::move(meta));
  }
}

void Ingestions::FinishIngestion(const Ingestion& part) {
  for (const ExternalFile& file : part.files) {
    LogInfo(db_.options.info_log.get(),
            "[AddFile] External SST file %s was ingested in L%d with path %s (global_seqno=%llu)",
            file.external_path.c_str(), file.level, file.internal_path.c_str(),
            static_cast<unsigned long long>(file.sequence));
    if (part.arg->options.move_files) {
      RemoveOriginal(db_.fs, db_.options.info_log.get(), file.external_path);
    }
    if (!db_.has_listeners()) continue;
    ExternalFileIngestionInfo info;
    info.cf_name = part.family->name();
    info.external_file_path = file.external_path;
    info.internal_file_path = file.internal_path;
    info.global_seqno = file.sequence;
    info.table_properties = *file.properties;
    db_.Tell([&](EventListener* listener) { listener->OnExternalFileIngested(db_.self, info); });
  }
}

}  // namespace cairn
