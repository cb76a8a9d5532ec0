#include "table/prepared_blocks.h"

#include <algorithm>

namespace cairn {

void PreparedTable::Plan(const BlockHandle& handle, size_t last_range, bool beyond_limit) {
  blocks_.push_back({handle, last_range, beyond_limit ? State::kBeyondLimit : State::kReading});
}

PreparedTable::Entry* PreparedTable::Find(uint64_t offset) {
  const auto found = std::lower_bound(
      blocks_.begin(), blocks_.end(), offset,
      [](const Entry& entry, uint64_t sought) { return entry.handle.offset < sought; });
  return found == blocks_.end() || found->handle.offset != offset ? nullptr : &*found;
}

void PreparedTable::Put(size_t i, BlockRef block) {
  fiber::MutexLock lock(&all_->mutex_);
  Entry& entry = blocks_[i];
  const bool wanted = block && entry.last_range >= all_->range_;
  entry.state = wanted ? State::kHere : State::kNotHere;
  if (wanted) {
    entry.block = std::move(block);
  } else if (block) {
    ++untaken_;
  }
  all_->arrived_.notify_all();
}

PreparedTable::Answer PreparedTable::Take(uint64_t offset, BlockRef* block) {
  fiber::MutexLock lock(&all_->mutex_);
  Entry* const entry = Find(offset);
  if (entry == nullptr) return Answer::kNotHere;
  while (entry->state == State::kReading) all_->arrived_.wait(&all_->mutex_);
  if (entry->state == State::kBeyondLimit) return Answer::kBeyondLimit;
  if (entry->state == State::kNotHere) return Answer::kNotHere;
  entry->taken = true;
  *block = std::move(entry->block);
  entry->state = State::kNotHere;
  return Answer::kTaken;
}

void PreparedTable::GiveBack(uint64_t offset, BlockRef block) {
  fiber::MutexLock lock(&all_->mutex_);
  Entry* const entry = Find(offset);
  if (entry == nullptr || entry->state != State::kNotHere || entry->last_range < all_->range_) {
    return;
  }
  entry->block = std::move(block);
  entry->state = State::kHere;
}

uint64_t PreparedBlocks::UntakenBlocks() {
  fiber::MutexLock lock(&mutex_);
  uint64_t blocks = 0;
  for (const auto& [number, table] : tables_) {
    blocks += table.untaken_;
    for (const PreparedTable::Entry& entry : table.blocks_) {
      if (entry.state == PreparedTable::State::kHere && !entry.taken) ++blocks;
    }
  }
  return blocks;
}

void PreparedBlocks::Enter(size_t range) {
  fiber::MutexLock lock(&mutex_);
  range_ = range;
  for (auto& [number, table] : tables_) {
    for (; table.let_go_ < table.blocks_.size(); ++table.let_go_) {
      PreparedTable::Entry& entry = table.blocks_[table.let_go_];
      if (entry.last_range >= range) break;
      if (entry.state != PreparedTable::State::kHere) continue;
      if (!entry.taken) ++table.untaken_;
      entry.block.Reset();
      entry.state = PreparedTable::State::kNotHere;
    }
  }
}

}  // namespace cairn
