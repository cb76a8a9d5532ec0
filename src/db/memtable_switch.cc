// The end of a memtable, and which logs its family still needs.
#include <algorithm>
#include <set>

#include "base/coding.h"
#include "base/logging.h"
#include "commit/commit_queue.h"
#include "db/background_work.h"
#include "db/error_handler.h"
#include "db/event_notifier.h"
#include "db/families.h"
#include "db/memtable_switch.h"
#include "db/stats_reports.h"
#include "rocksdb/statistics.h"

namespace cairn {

void MemTableSwitch::NoteWritten() {
  for (const uint32_t id : db_.sink.TakeWritten()) {
    ColumnFamily* const family = db_.families->FindFamily(id);
    if (family == nullptr) continue;  // dropped since
    // The log has not changed since: who changes it asks for this before.
    family->written = true;
    family->mem->SetFirstLogNumber(db_.wals->current_number());
    NoteLogNeed(family);
  }
}

void MemTableSwitch::NoteLogNeed(ColumnFamily* family) {
  // The default family, which may be written to without a look at the sink's books, is in none.
  if (family->is_default() || family->dropped.load()) return;
  uint64_t need = 0;
  if (family->imm.NumNotFlushed() > 0) {
    need = family->imm.current()->memtables().back()->GetFirstLogNumber();
  } else if (family->written) {
    need = family->mem->GetFirstLogNumber();
  }
  db_.families->books().SetLogNeed(family, need);
  family->state->SetIdle(need == 0);
}

std::vector<ColumnFamily*> MemTableSwitch::BusyFamilies() {
  NoteWritten();
  std::vector<ColumnFamily*> out = {db_.families->default_family()};
  for (const auto& [id, family] : db_.families->books().busy()) out.push_back(family);
  db_.families->books().CountVisits(out.size());
  return out;
}

std::vector<ColumnFamily*> MemTableSwitch::FullFamilies() {
  std::vector<ColumnFamily*> full;
  for (ColumnFamily* family : BusyFamilies()) {
    if (!family->mem->IsEmpty() && family->mem->ShouldFlush()) full.push_back(family);
  }
  return full;
}

uint64_t MemTableSwitch::FirstLogNeeded(const ColumnFamily& family, size_t flushed) const {
  const std::vector<MemTable*>& sealed = family.imm.current()->memtables();  // newest first
  if (flushed < sealed.size()) return sealed[sealed.size() - 1 - flushed]->GetFirstLogNumber();
  const bool written = family.is_default() ? !family.mem->IsEmpty() : family.written;
  return written ? family.mem->GetFirstLogNumber() : db_.wals->current_number();
}

uint64_t MemTableSwitch::FirstLogNeeded(
    const std::map<const ColumnFamily*, size_t>& flushed) const {
  CountedNumbers without;
  uint64_t oldest = db_.wals->current_number();
  for (const auto& [family, memtables] : flushed) {
    if (family->log_need != 0) without.Add(family->log_need);
    oldest = std::min(oldest, FirstLogNeeded(*family, memtables));
  }
  if (!flushed.contains(db_.families->default_family())) {
    oldest = std::min(oldest, FirstLogNeeded(*db_.families->default_family(), 0));
  }
  return std::min(oldest, db_.families->books().OldestLogNeed(without));
}

uint64_t MemTableSwitch::FirstPreparedLogNeeded(std::span<const FamilyEdits> changes) {
  // In this order: see PreparedLogs.
  uint64_t oldest = db_.prepared.Oldest();
  std::set<const MemTable*> flushed;
  for (const FamilyEdits& change : changes) {
    flushed.insert(change.flushed.begin(), change.flushed.end());
  }
  const auto ask = [&](const MemTable* memtable) {
    const uint64_t log = memtable->prepared_log();
    if (log != 0 && !flushed.contains(memtable)) oldest = std::min(oldest, log);
  };
  for (const ColumnFamily* family : BusyFamilies()) {
    for (const MemTable* sealed : family->imm.current()->memtables()) ask(sealed);
    ask(family->mem);
  }
  return oldest;
}

// One that is never written to would keep all logs.
void MemTableSwitch::LetGoOfWals(const std::map<const ColumnFamily*, size_t>& flushed) {
  NoteWritten();
  const uint64_t oldest = FirstLogNeeded(flushed);
  db_.versions->LetIdleGo(oldest);
  if (db_.families->default_family()->imm.NumNotFlushed() == 0 &&
      db_.families->default_family()->mem->IsEmpty()) {
    ColumnFamilyState* const state = db_.families->default_family()->state;
    state->SetLogNumber(std::max(state->log_number(), oldest));
  }
}

std::vector<ColumnFamily*> MemTableSwitch::FamiliesOfOldestWal() {
  LetGoOfWals();
  const uint64_t oldest = db_.versions->MinLogNumberWithUnflushedData();
  std::vector<ColumnFamily*> out;
  if (flushed_wal_ == oldest) return out;  // under way
  for (ColumnFamily* family : BusyFamilies()) {
    if (family->state->log_number() <= oldest) out.push_back(family);
  }
  flushed_wal_ = oldest;
  return out;
}

ColumnFamily* MemTableSwitch::LargestFamily() {
  const std::vector<ColumnFamily*> families = BusyFamilies();
  return *std::max_element(
      families.begin(), families.end(), [](const ColumnFamily* a, const ColumnFamily* b) {
        return a->mem->ApproximateMemoryUsage() < b->mem->ApproximateMemoryUsage();
      });
}

Status MemTableSwitch::TrackSyncedWals() {
  const std::vector<WalSet::Synced> synced = db_.wals->UntrackedSynced();
  if (synced.empty()) return Status::OK();
  std::vector<WalAddition> additions;
  for (const WalSet::Synced& wal : synced) additions.push_back({wal.number, wal.bytes});
  Status s = db_.versions->TrackWals(additions, db_.mutex(), db_.directory.get());
  if (s.ok()) {
    db_.wals->NoteTracked(synced);
  } else {
    db_.errors->SetBackgroundError(s, BackgroundErrorReason::kManifestWrite, "WAL tracking");
  }
  return s;
}

// (Durably: a synced prepare must not be lost with the end of this log once the other one goes.)
IOStatus MemTableSwitch::CopyUndecided(uint64_t wal) {
  if (!db_.prepared.HasCopies()) return IOStatus::OK();
  const auto append = [this](PreparedLogs::Copy* copy) {
    const SequenceNumber last = db_.versions->LastSequence();
    EncodeFixed64(copy->record.data(), last + 1);
    IOStatus s = db_.wals->Append(copy->record, /*has_marks=*/true);
    if (s.ok()) db_.versions->SetLastSequence(last + copy->numbers);
    return s;
  };
  return db_.prepared.CopyAll(wal, append, [this] { return db_.wals->Sync(); });
}

ColumnFamily* MemTableSwitch::StatsThatKeepLogs() {
  ColumnFamily* const stats = db_.stats->on_disk()->family();
  if (stats == nullptr || stats->dropped.load() || stats->log_need == 0) return nullptr;
  CountedNumbers without;
  without.Add(stats->log_need);
  const uint64_t of_others =
      std::min(db_.families->books().OldestLogNeed(without),
               FirstLogNeeded(*db_.families->default_family(), /*flushed=*/0));
  return stats->log_need < of_others ? stats : nullptr;
}

namespace {

Tickers AtomicFlushTicker(FlushReason reason) {
  switch (reason) {
    case FlushReason::kWriteBufferFull:
      return ATOMIC_FLUSH_REQUEST_REASON_WRITE_BUFFER_FULL;
    case FlushReason::kWriteBufferManager:
      return ATOMIC_FLUSH_REQUEST_REASON_WRITE_BUFFER_MANAGER;
    default:
      return ATOMIC_FLUSH_REQUEST_REASON_OTHER;
  }
}

}  // namespace

Status MemTableSwitch::SwitchMemTables(const std::vector<ColumnFamily*>& asked, FlushReason reason,
                                       bool abandon_wal) {
  const bool all = db_.options.atomic_flush && !asked.empty();
  NoteWritten();
  std::vector<ColumnFamily*> families;
  for (ColumnFamily* family : all ? BusyFamilies() : asked) {
    if (family->written && family->mem->IsEmpty()) {
      // What was to be written failed.
      family->written = false;
      db_.sink.SetUnwritten(family->id());
      NoteLogNeed(family);
    }
    // (The flush of an empty one still says that the abandoned WAL is not needed; that of what is
    // immutable already would not say it of this one.)
    if (!family->mem->IsEmpty() || (abandon_wal && (family == db_.families->default_family() ||
                                                    family->imm.NumNotFlushed() > 0))) {
      families.push_back(family);
    }
  }
  if (families.empty()) return Status::OK();
  ColumnFamily* const stats = StatsThatKeepLogs();
  if (stats != nullptr && !stats->mem->IsEmpty() && std::ranges::count(families, stats) == 0) {
    families.push_back(stats);
  }
  // A WAL that nothing was written to (all writes skipped it) serves the next memtable too.
  const bool new_wal = !db_.wals->CurrentIsEmpty();
  const uint64_t wal_number = new_wal ? db_.versions->NewFileNumber() : db_.wals->current_number();
  const SequenceNumber last_sequence = db_.versions->LastSequence();
  db_.mutex()->unlock();
  std::vector<MemTable*> next;
  Status made;
  for (ColumnFamily* family : families) {
    next.push_back(db_.families->NewMemTable(*family, last_sequence));
    if (made.ok()) made = next.back()->creation_status();
  }
  if (!made.ok()) {
    // The user's factory: all stays as it is, and the next that needs a switch asks it again.
    for (MemTable* memtable : next) memtable->Unref();
    db_.mutex()->lock();
    return made;
  }
  IOStatus io;
  if (new_wal) {
    std::unique_ptr<LogWriter> wal;
    io = db_.wals->Create(wal_number, &wal);
    if (io.ok()) {
      io = db_.wals->Install(std::move(wal));
      // (With prepared transactions the log did not fail, see ErrorHandler, and may be needed.)
      if (abandon_wal && !db_.prepared.used()) io = IOStatus::OK();
      if (io.ok() && db_.shares_numbers) io = CopyUndecided(wal_number);
    }
  }
  db_.mutex()->lock();
  if (!io.ok()) {
    for (MemTable* memtable : next) memtable->Unref();
    db_.errors->SetBackgroundError(io, BackgroundErrorReason::kWriteCallback, "memtable switch");
    return io;
  }
  for (size_t i = 0; i < families.size(); ++i) {
    ColumnFamily* const family = families[i];
    family->mem->SetNextLogNumber(wal_number);
    family->flush_reason = reason;
    db_.events->QueueSealed(*family, *family->mem);
    family->imm.Add(family->mem);
    family->mem = next[i];
    family->mem->SetFirstLogNumber(wal_number);
    family->written = false;
    db_.sink.Set(family->id(), next[i]);
    NoteLogNeed(family);
    db_.families->books().MayFlush(family);
    LogInfo(db_.options.info_log.get(),
            "[%s] New memtable created with log file: #%llu. Immutable memtables: %d.",
            family->name().c_str(), static_cast<unsigned long long>(wal_number),
            family->imm.NumNotFlushed());
  }
  // (The others' is set when they are written to.)
  if (db_.families->default_family()->mem->IsEmpty())
    db_.families->default_family()->mem->SetFirstLogNumber(wal_number);
  if (stats != nullptr) RequestFlush(stats);
  LetGoOfWals();
  if (all && db_.statistics != nullptr) db_.statistics->recordTick(AtomicFlushTicker(reason), 1);
  for (ColumnFamily* family : families) db_.work->InstallSuperVersion(family);
  db_.events->DeliverEvents();
  return Status::OK();
}

Status MemTableSwitch::SwitchAndFlush(const std::vector<ColumnFamily*>& families,
                                      FlushReason reason) {
  Status s = SwitchMemTables(families, reason);
  if (!s.ok()) return s;
  for (ColumnFamily* family : db_.options.atomic_flush ? BusyFamilies() : families) {
    if (family->imm.NumNotFlushed() > 0) RequestFlush(family);
  }
  db_.work->MaybeScheduleWork();
  return s;
}

void MemTableSwitch::RequestFlush(ColumnFamily* family) {
  family->imm.FlushRequested();
  db_.families->books().MayFlush(family);
}

}  // namespace cairn
