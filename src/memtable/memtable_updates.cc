// Updates in place (Options::inplace_update_support).
#include <cstring>
#include <string>
#include <utility>

#include "base/entry_checksum.h"
#include "memtable/memtable.h"
#include "memtable/memtable_special.h"

namespace cairn {

Status MemTable::UpdateInPlace(SequenceNumber seq, ValueType type, const Slice& key,
                               const Slice& value, const uint64_t* checksum, std::string* made,
                               PutFate* fate) {
  const bool asks = special_->inplace_callback != nullptr && type == kTypeValue;
  *fate = asks ? PutFate::kUnknown : PutFate::kAdd;
  const LookupKey lookup(key, seq);
  const SkipList::Node* const found = special_->index != nullptr
                                          ? special_->index->Find(lookup.internal_key())
                                          : list_.FindGreaterOrEqual(lookup.internal_key());
  if (found == nullptr || ExtractValueType(found->key()) != type ||
      !comparator_.EqualUserKey(ExtractUserKey(found->key()), key)) {
    return Status::OK();
  }
  // (What a range tombstone hides comes back by an entry that is newer than that.)
  if (num_range_tombstones() != 0 &&
      range_tombstones()->Covering(key, seq) > ExtractSequence(found->key())) {
    return Status::OK();
  }
  auto* const node = const_cast<SkipList::Node*>(found);
  char* const stored = node->key_data() + node->key_size;
  fiber::MutexLock lock(special_->LockOf(ExtractUserKey(node->key())));
  const uint32_t size = node->value_size;
  uint32_t new_size = size;
  if (asks) {
    if (checksum != nullptr && EntryChecksum(type, key, value) != *checksum) {
      return EntryChanged(node->key());
    }
    UpdateStatus answer = UPDATE_FAILED;
    try {
      answer = special_->inplace_callback(stored, &new_size, value, made);
    } catch (...) {
      return Status::Aborted("inplace_callback threw");
    }
    if (answer != UPDATED_INPLACE) {
      *fate = answer == UPDATED ? PutFate::kAddMade : PutFate::kDone;
      return Status::OK();
    }
    if (new_size > size) return Status::Aborted("inplace_callback made a value longer in place");
  } else {
    if (value.size() > size) return Status::OK();
    new_size = static_cast<uint32_t>(value.size());
    std::memcpy(stored, value.data(), new_size);
    if (checksum != nullptr && EntryChecksum(type, key, Slice(stored, new_size)) != *checksum) {
      return EntryChanged(node->key());
    }
  }
  node->value_size = new_size;
  if (const size_t bytes = special_->protection_bytes; bytes != 0) {
    EncodeChecksum(
        XorSequence(EntryChecksum(type, key, node->value()), ExtractSequence(node->key())), bytes,
        stored + new_size);
  }
  *fate = PutFate::kDone;
  if (special_->statistics != nullptr) special_->statistics->recordTick(NUMBER_KEYS_UPDATED, 1);
  return Status::OK();
}

Status MemTable::AskCallback(const std::string* existing, const Slice& value, std::string* made,
                             PutFate* fate) const {
  std::string buffer = existing == nullptr ? std::string() : *existing;
  auto size = static_cast<uint32_t>(buffer.size());
  UpdateStatus answer = UPDATE_FAILED;
  try {
    answer = special_->inplace_callback(existing == nullptr ? nullptr : buffer.data(),
                                        existing == nullptr ? nullptr : &size, value, made);
  } catch (...) {
    return Status::Aborted("inplace_callback threw");
  }
  *fate = answer == UPDATE_FAILED ? PutFate::kDone : PutFate::kAddMade;
  if (answer != UPDATED_INPLACE) return Status::OK();
  if (existing == nullptr || size > buffer.size()) {
    return Status::Aborted("inplace_callback made a value longer in place");
  }
  buffer.resize(size);
  *made = std::move(buffer);
  return Status::OK();
}

}  // namespace cairn
