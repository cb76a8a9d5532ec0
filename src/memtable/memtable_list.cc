#include "memtable/memtable_list.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace cairn {

MemTableListVersion::MemTableListVersion(std::vector<MemTable*> memtables)
    : memtables_(std::move(memtables)) {
  for (MemTable* m : memtables_) m->Ref();
}

MemTableListVersion::~MemTableListVersion() {
  for (MemTable* m : memtables_) m->Unref();
}

void MemTableListVersion::Unref() {
  if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

bool MemTableListVersion::Get(const LookupKey& key, Slice* value, Status* s, SequenceNumber* seq,
                              MergeOperands* operands, bool ignore_tombstones, bool* is_entity,
                              std::string* timestamp) const {
  for (const MemTable* m : memtables_) {
    if (m->Get(key, value, s, seq, operands, ignore_tombstones, is_entity, timestamp)) return true;
  }
  return false;
}

uint64_t MemTableListVersion::TotalEntries() const {
  uint64_t sum = 0;
  for (const MemTable* m : memtables_) sum += m->num_entries();
  return sum;
}

uint64_t MemTableListVersion::TotalDeletes() const {
  uint64_t sum = 0;
  for (const MemTable* m : memtables_) sum += m->num_deletes();
  return sum;
}

size_t MemTableListVersion::TotalMemoryUsage() const {
  size_t sum = 0;
  for (const MemTable* m : memtables_) sum += m->ApproximateMemoryUsage();
  return sum;
}

ImmutableMemTables::ImmutableMemTables(int min_to_merge)
    : min_to_merge_(std::max(1, min_to_merge)), current_(new MemTableListVersion({})) {}

ImmutableMemTables::~ImmutableMemTables() { current_->Unref(); }

void ImmutableMemTables::Install(std::vector<MemTable*> memtables) {
  auto* next = new MemTableListVersion(std::move(memtables));
  std::exchange(current_, next)->Unref();
  num_not_flushed_.store(static_cast<int>(next->size()), std::memory_order_relaxed);
}

void ImmutableMemTables::UpdatePending() {
  const auto waits = [](const MemTable* m) { return m->purged_ && !m->flush_in_progress_; };
  const auto& memtables = current_->memtables();
  const auto waiting =
      flush_requested_ ? 0
                       : static_cast<int>(std::count_if(memtables.begin(), memtables.end(), waits));
  const bool due = num_flush_not_started_ > waiting &&
                   (num_flush_not_started_ >= min_to_merge_ || flush_requested_);
  num_to_flush_.store(NumNotFlushed() - waiting, std::memory_order_relaxed);
  flush_pending_.store(due, std::memory_order_release);
}

void ImmutableMemTables::Add(MemTable* m) {
  m->MarkImmutable();
  m->SetID(next_id_++);
  std::vector<MemTable*> memtables;
  memtables.reserve(current_->size() + 1);
  memtables.push_back(m);
  memtables.insert(memtables.end(), current_->memtables().begin(), current_->memtables().end());
  Install(std::move(memtables));
  m->Unref();  // the list's version holds it now
  ++num_flush_not_started_;
  UpdatePending();
}

void ImmutableMemTables::PickMemtablesToFlush(uint64_t max_id, std::vector<MemTable*>* out) {
  if (IsFlushInProgress()) return;
  const auto& memtables = current_->memtables();
  for (auto it = memtables.rbegin(); it != memtables.rend() && (*it)->GetID() <= max_id; ++it) {
    (*it)->flush_in_progress_ = true;
    out->push_back(*it);
    --num_flush_not_started_;
  }
  if (num_flush_not_started_ == 0) flush_requested_ = false;
  UpdatePending();
}

void ImmutableMemTables::RollbackFlush(const std::vector<MemTable*>& picked) {
  for (MemTable* m : picked) {
    assert(m->flush_in_progress_);
    m->flush_in_progress_ = false;
    ++num_flush_not_started_;
  }
  if (!picked.empty()) flush_requested_ = true;
  UpdatePending();
}

void ImmutableMemTables::Remove(const std::vector<MemTable*>& picked) {
  assert(picked.size() <= current_->size());
  std::vector<MemTable*> rest = current_->memtables();
  for (MemTable* m : picked) {
    assert(!rest.empty() && rest.back() == m && m->flush_in_progress_);
    if (!m->flush_in_progress_) --num_flush_not_started_;
    m->MarkFlushed();
    rest.erase(std::remove(rest.begin(), rest.end(), m), rest.end());
  }
  Install(std::move(rest));
  UpdatePending();
}

void ImmutableMemTables::Replace(const std::vector<MemTable*>& picked, MemTable* purged) {
  assert(!picked.empty() && picked.size() <= current_->size());
  std::vector<MemTable*> rest = current_->memtables();
  for (MemTable* m : picked) {
    assert(rest.back() == m && m->flush_in_progress_);
    m->MarkFlushed();
    rest.pop_back();
  }
  purged->MarkImmutable();
  purged->purged_ = true;
  purged->SetID(picked.back()->GetID());
  rest.push_back(purged);
  Install(std::move(rest));
  purged->Unref();  // the list's version holds it now
  ++num_flush_not_started_;
  UpdatePending();
}

void ImmutableMemTables::Clear() {
  Install({});
  num_flush_not_started_ = 0;
  flush_requested_ = false;
  UpdatePending();
}

uint64_t ImmutableMemTables::NewestID() const {
  return current_->size() == 0 ? 0 : current_->memtables().front()->GetID();
}

}  // namespace cairn
