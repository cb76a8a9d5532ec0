#include "table/user_index.h"

#include <cstring>
#include <utility>

#include "base/coding.h"

namespace cairn {

namespace {

UserDefinedIndexBuilder::ValueType KindOf(ValueType type) {
  switch (type) {
    case kTypeValue:
      return UserDefinedIndexBuilder::kValue;
    case kTypeDeletion:
    case kTypeSingleDeletion:
    case kTypeDeletionWithTimestamp:
      return UserDefinedIndexBuilder::kDelete;
    case kTypeMerge:
      return UserDefinedIndexBuilder::kMerge;
    default:
      return UserDefinedIndexBuilder::kOther;
  }
}

}  // namespace

std::string UserIndexBlockName(const UserDefinedIndexFactory& factory) {
  return std::string(kUserDefinedIndexPrefix) + factory.Name();
}

// ---- Building

Status UserIndexBuilder::Make(const UserDefinedIndexFactory& factory,
                              const InternalKeyComparator& icmp,
                              std::unique_ptr<UserIndexBuilder>* builder) {
  UserDefinedIndexOption option;
  option.comparator = icmp.user_comparator();
  std::unique_ptr<UserDefinedIndexBuilder> made;
  Status s = factory.NewBuilder(option, made);
  if (s.ok() && made != nullptr) builder->reset(new UserIndexBuilder(icmp, std::move(made)));
  return s;
}

void UserIndexBuilder::AddKey(const Slice& internal_key, const Slice& value) {
  builder_->OnKeyAdded(ExtractUserKey(internal_key), KindOf(ExtractValueType(internal_key)), value);
}

Status UserIndexBuilder::AddKeysOf(const Slice& raw, const BlockHandle* before) {
  const Block::Ptr block = Block::Allocate(raw.size(), 0, 0);
  if (block == nullptr) return Status::MemoryLimit("no memory for a block");
  std::memcpy(block->mutable_data(), raw.data(), raw.size());
  if (const char* error = block->ParseRestarts()) return Status::Corruption(error);
  DataBlockIter it;
  it.Init(block.get(), &icmp_, /*bytewise=*/false);
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    const Slice key = it.key();
    if (before != nullptr) AddBlock(last_key_, &key, *std::exchange(before, nullptr));
    AddKey(key, it.value());
    last_key_.assign(key.data(), key.size());
  }
  return it.corrupt() ? Status::Corruption("bad entry in data block") : Status::OK();
}

void UserIndexBuilder::AddBlock(const Slice& last_key, const Slice* next_key,
                                const BlockHandle& handle) {
  UserDefinedIndexBuilder::IndexEntryContext context;
  context.last_key_tag = ExtractInternalKeyFooter(last_key);
  Slice next;
  if (next_key != nullptr) {
    next = ExtractUserKey(*next_key);
    context.first_key_tag = ExtractInternalKeyFooter(*next_key);
  }
  scratch_.clear();
  builder_->AddIndexEntry(ExtractUserKey(last_key), next_key == nullptr ? nullptr : &next,
                          {handle.offset, handle.size}, &scratch_, context);
}

// ---- Reading

Status UserIndexCursor::Seek(const Slice& internal_key) {
  UserDefinedIndexIterator::SeekContext context;
  context.target_tag = ExtractInternalKeyFooter(internal_key);
  return Take(it_->SeekAndGetResult(ExtractUserKey(internal_key), &result_, context));
}

Status UserIndexCursor::Take(const Status& s) {
  valid_ = s.ok() && result_.bound_check_result == IterBoundCheck::kInbound;
  if (!valid_) return s;
  const UserDefinedIndexBuilder::BlockHandle at = it_->value();
  handle_ = {at.offset, at.size};
  key_.assign(result_.key.data(), result_.key.size());
  PutFixed64(&key_, PackSequenceAndType(0, kTypeValue));
  return s;
}

}  // namespace cairn
