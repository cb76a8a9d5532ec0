#include "db/family_books.h"

#include "db/column_family.h"

namespace cairn {

void FamilyBooks::Update(ColumnFamily* family, const FamilyFigures& figures) {
  const FamilyFigures before = std::exchange(family->figures, figures);
  wal_bytes_ += figures.wal_bytes - before.wal_bytes;
  const auto count = [](size_t* sum, bool was, bool is) { *sum += size_t{is} - size_t{was}; };
  count(&folds_, before.folds, figures.folds);
  count(&ages_, before.ages, figures.ages);
  count(&pressed_, before.pressed, figures.pressed);
  const auto list = [family](Candidates* families, bool was, bool is) {
    if (is) {
      families->emplace(family->id(), family);
    } else if (was) {
      families->erase(family->id());
    }
  };
  list(&stalled_, before.stalled, figures.stalled);
  list(&placing_, before.places, figures.places);
  if (before.times != figures.times) {
    if (before.times != 0) times_.erase(times_.find(before.times));
    if (figures.times != 0) times_.insert(figures.times);
  }
  if (before.expiry != figures.expiry) {
    if (before.expiry != UINT64_MAX) expiries_.erase({before.expiry, family});
    if (figures.expiry != UINT64_MAX) expiries_.emplace(figures.expiry, family);
  }
}

void FamilyBooks::Remove(ColumnFamily* family) {
  Update(family, FamilyFigures());
  SetLogNeed(family, 0);
  to_flush_.erase(family->id());
  to_compact_.erase(family->id());
}

std::vector<ColumnFamily*> FamilyBooks::ExpiredBefore(uint64_t now) const {
  std::vector<ColumnFamily*> expired;
  for (const auto& [expiry, family] : expiries_) {
    if (expiry >= now) break;
    expired.push_back(family);
  }
  return expired;
}

void FamilyBooks::MayFlush(ColumnFamily* family) {
  if (!family->dropped.load()) to_flush_.emplace(family->id(), family);
}

void FamilyBooks::MayCompact(ColumnFamily* family) {
  family->compaction_blocked = false;
  if (!family->dropped.load()) to_compact_.emplace(family->id(), family);
}

void FamilyBooks::SetLogNeed(ColumnFamily* family, uint64_t log) {
  const uint64_t before = std::exchange(family->log_need, log);
  if (before == log) return;
  if (before != 0) log_needs_.Remove(before);
  if (log != 0) log_needs_.Add(log);
  if (log != 0) {
    busy_.emplace(family->id(), family);
  } else {
    busy_.erase(family->id());
  }
}

}  // namespace cairn
