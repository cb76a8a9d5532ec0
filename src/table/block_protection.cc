// The checksums, and what cursors do with a block that has them.
#include "table/block_protection.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/coding.h"
#include "base/entry_checksum.h"
#include "table/block.h"

namespace cairn {

void BlockProtection::Add(uint32_t offset, bool is_restart, uint64_t checksum) {
  entries_.push_back(offset);
  if (is_restart) restarts_.push_back(offset);
  char sum[8];
  EncodeFixed64(sum, checksum);
  sums_.append(sum, bytes_);
}

bool BlockProtection::Matches(uint32_t offset, uint64_t checksum) const {
  const auto entry = std::lower_bound(entries_.begin(), entries_.end(), offset);
  if (entry == entries_.end() || *entry != offset) return false;
  char sum[8];
  EncodeFixed64(sum, checksum);
  const auto at = static_cast<size_t>(entry - entries_.begin()) * bytes_;
  return std::memcmp(sum, sums_.data() + at, bytes_) == 0;
}

uint32_t BlockProtection::LastRestartBefore(uint32_t end) const {
  return *(std::lower_bound(restarts_.begin(), restarts_.end(), end) - 1);
}

size_t BlockProtection::memory_usage() const {
  return sizeof(*this) + (entries_.capacity() + restarts_.capacity()) * sizeof(uint32_t) +
         sums_.capacity();
}

// ---- Block

template <typename Cursor>
const char* Block::ProtectWith(uint8_t bytes_per_key, Cursor* it) {
  const auto end = static_cast<uint32_t>(restarts_offset_);
  auto made = std::make_unique<BlockProtection>(bytes_per_key, end);
  uint32_t restart = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const auto offset = static_cast<uint32_t>(it->current_ - data());
    const bool is_restart =
        restart < num_restarts_ && DecodeFixed32(data() + end + restart * 4) == offset;
    if (is_restart) ++restart;
    made->Add(offset, is_restart, it->Checksum());
  }
  if (it->corrupt()) return "bad entry";
  if (made->entries().empty()) return nullptr;  // there is nothing to protect
  if (restart != num_restarts_) return "bad restart point";
  capacity_ += made->memory_usage();
  protection_ = made.release();
  restarts_offset_ = -1;
  num_buckets_ = 0;
  return nullptr;
}

template <typename Cursor>
bool Block::AllMatch(Cursor* it) const {
  size_t entries = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++entries;
  return !it->corrupt() && entries == protection_->entries().size();
}

const char* Block::Protect(uint8_t bytes_per_key) {
  if (bytes_per_key == 0) return nullptr;
  DataBlockIter it;
  it.Init(this, /*icmp=*/nullptr, /*bytewise=*/true);
  return ProtectWith(bytes_per_key, &it);
}

bool Block::IsAsItWas() const {
  if (protection_ == nullptr) return true;
  DataBlockIter it;
  it.Init(this, /*icmp=*/nullptr, /*bytewise=*/true);
  return AllMatch(&it);
}

// ---- DataBlockIter

uint64_t DataBlockIter::Checksum() const { return EntryChecksum(kTypeValue, key(), value()); }

void DataBlockIter::ParseChecked(const char* p) {
  const BlockProtection& protection = *block_->protection();
  const char* const end = data_ + protection.end();
  if (p >= end) return Invalidate();
  Parse(p, end);
  if (Valid() && !protection.Matches(static_cast<uint32_t>(p - data_), Checksum())) {
    SetCorrupt();
  }
}

void DataBlockIter::SeekChecked(const Slice& target) {
  if (block_->protection() == nullptr) return Invalidate();
  const std::vector<uint32_t>& restarts = block_->protection()->restarts();
  if (restarts.empty()) return Invalidate();
  // Whatever is compared is checked: else a wrong byte of another entry could lead astray.
  size_t left = 0;
  size_t right = restarts.size() - 1;
  while (left < right) {
    const size_t middle = (left + right + 1) / 2;
    ParseRestart(data_ + restarts[middle]);
    if (!Valid()) return SetCorrupt();
    ++compared_;
    if (icmp_->Compare(key(), target) < 0) {
      left = middle;
    } else {
      right = middle - 1;
    }
  }
  ScanGeneric(data_ + restarts[left], target);
}

void DataBlockIter::SeekToLastChecked() {
  if (block_->protection() == nullptr || block_->protection()->entries().empty()) {
    return Invalidate();
  }
  ParseBefore(data_ + block_->protection()->end());
}

void DataBlockIter::ParseBefore(const char* next) {
  const BlockProtection& protection = *block_->protection();
  const char* const end = data_ + protection.end();
  const auto offset = static_cast<uint32_t>(next - data_);
  const char* p = data_ + protection.LastRestartBefore(offset);
  key_size_ = 0;
  do {
    Parse(p, end);
    if (!Valid()) return SetCorrupt();
    p = next_;
  } while (p < next);
  // (Each key is made of those before it: the last one tells.)
  if (p != next || !protection.Matches(static_cast<uint32_t>(current_ - data_), Checksum())) {
    SetCorrupt();
  }
}

// ---- IndexBlock

const char* IndexBlock::Protect(uint8_t bytes_per_key) {
  if (bytes_per_key == 0) return nullptr;
  IndexBlockIter it;
  it.Init(this, /*icmp=*/nullptr, /*bytewise=*/false);
  prefixes_.reset();  // which nothing protects
  return block_->ProtectWith(bytes_per_key, &it);
}

bool IndexBlock::IsAsItWas() const {
  if (block_->protection() == nullptr) return true;
  IndexBlockIter it;
  it.Init(this, /*icmp=*/nullptr, /*bytewise=*/false);
  return block_->AllMatch(&it);
}

// ---- IndexBlockIter

uint64_t IndexBlockIter::Checksum() const {
  const Slice handle(reinterpret_cast<const char*>(&handle_), sizeof(handle_));
  const Slice parts[] = {handle, first_key_};
  const Slice whole_key = key();
  const SliceParts value(parts, 2);
  return EntryChecksum(kTypeValue, SliceParts(&whole_key, 1), &value);
}

void IndexBlockIter::ParseChecked(const char* p) {
  const BlockProtection& protection = *index_->block().protection();
  const char* const end = data_ + protection.end();
  if (p >= end) return Invalidate();
  Parse(p, end);
  if (Valid() && !protection.Matches(static_cast<uint32_t>(p - data_), Checksum())) {
    SetCorrupt();
  }
}

void IndexBlockIter::SeekToLastChecked() {
  const BlockProtection* const protection = index_->block().protection();
  if (protection == nullptr || protection->entries().empty()) return Invalidate();
  ParseBefore(data_ + protection->end());
}

void IndexBlockIter::ParseBefore(const char* next) {
  const BlockProtection& protection = *index_->block().protection();
  const auto offset = static_cast<uint32_t>(next - data_);
  const char* p = data_ + protection.LastRestartBefore(offset);
  key_size_ = 0;
  do {
    ParseChecked(p);
    if (!Valid()) return SetCorrupt();
    p = next_;
  } while (p < next);
  if (p != next) SetCorrupt();
}

uint32_t IndexBlockIter::SeekChecked(const Slice& target) {
  uint32_t compared = 0;
  const BlockProtection* const protection = index_->block().protection();
  if (protection == nullptr || protection->restarts().empty()) {
    Invalidate();
    return compared;
  }
  const std::vector<uint32_t>& restarts = protection->restarts();
  size_t left = 0;
  size_t right = restarts.size() - 1;
  while (left < right) {
    const size_t middle = (left + right + 1) / 2;
    ParseRestart(data_ + restarts[middle]);
    if (!Valid()) {
      SetCorrupt();
      return compared;
    }
    ++compared;
    if (Compare(key(), target) < 0) {
      left = middle;
    } else {
      right = middle - 1;
    }
  }
  for (ParseRestart(data_ + restarts[left]); Valid(); ParseAt(next_)) {
    ++compared;
    if (Compare(key(), target) >= 0) break;
  }
  return compared;
}

}  // namespace cairn
