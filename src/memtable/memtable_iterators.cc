// What iterators over a memtable are made of.
#include <memory>
#include <string>
#include <utility>

#include "base/allocation.h"
#include "base/entry_checksum.h"
#include "memtable/checked_search.h"
#include "memtable/memtable.h"
#include "memtable/memtable_special.h"
#include "memtable/skiplist_traversal.h"

namespace cairn {
namespace {

// An iterator that need not look where the filter knows that there is no entry with the prefix.
class FilteredIterator final : public InternalIterator {
 public:
  FilteredIterator(std::unique_ptr<InternalIterator> base, const MemTableFilter* filter,
                   const SliceTransform* prefix_extractor, const InternalKeyComparator* icmp)
      : base_(std::move(base)), filter_(filter), prefix_extractor_(prefix_extractor), icmp_(icmp) {}

  bool Valid() const override { return may_match_ && base_->Valid(); }
  void SeekToFirst() override {
    may_match_ = true;
    base_->SeekToFirst();
  }
  void SeekToLast() override {
    may_match_ = true;
    base_->SeekToLast();
  }
  void Seek(const Slice& target) override {
    if (MayMatch(target)) base_->Seek(target);
  }
  void SeekForPrev(const Slice& target) override {
    if (MayMatch(target)) base_->SeekForPrev(target);
  }
  void Next() override { base_->Next(); }
  void Prev() override { base_->Prev(); }
  Slice key() const override { return base_->key(); }
  Slice value() const override { return base_->value(); }
  Status status() const override { return base_->status(); }
  bool IsKeyPinned() const override { return true; }
  bool IsValuePinned() const override { return true; }

 private:
  bool MayMatch(const Slice& target) {
    const Slice user_key = icmp_->BareKey(ExtractUserKey(target));
    may_match_ = !prefix_extractor_->InDomain(user_key) ||
                 AskFilter(*filter_, prefix_extractor_->Transform(user_key));
    return may_match_;
  }

  const std::unique_ptr<InternalIterator> base_;
  const MemTableFilter* const filter_;
  const SliceTransform* const prefix_extractor_;
  const InternalKeyComparator* const icmp_;
  bool may_match_ = true;
};

// Goes where its base goes, and looks at each entry that it comes to.
class LookingIterator : public InternalIterator {
 public:
  explicit LookingIterator(std::unique_ptr<InternalIterator> base) : base_(std::move(base)) {}

  bool Valid() const override { return status_.ok() && base_->Valid(); }
  void SeekToFirst() override {
    base_->SeekToFirst();
    LookIfValid();
  }
  void SeekToLast() override {
    base_->SeekToLast();
    LookIfValid();
  }
  void Seek(const Slice& target) override {
    base_->Seek(target);
    LookIfValid();
  }
  void SeekForPrev(const Slice& target) override {
    base_->SeekForPrev(target);
    LookIfValid();
  }
  void Next() override {
    base_->Next();
    LookIfValid();
  }
  void Prev() override {
    base_->Prev();
    LookIfValid();
  }
  Slice key() const override { return base_->key(); }
  Status status() const override { return status_.ok() ? base_->status() : status_; }
  bool IsKeyPinned() const override { return true; }

 protected:
  // At an entry of the base. Not OK: it ends there.
  virtual Status Look() = 0;

  const std::unique_ptr<InternalIterator> base_;

 private:
  void LookIfValid() { status_ = base_->Valid() ? Look() : Status::OK(); }

  Status status_;
};

}  // namespace

// An iterator over entries that have checksums, which ends at one that is not as it was.
class MemTable::CheckedIterator final : public LookingIterator {
 public:
  CheckedIterator(std::unique_ptr<InternalIterator> base, const MemTable* table)
      : LookingIterator(std::move(base)), table_(table) {}

  Slice value() const override { return base_->value(); }
  bool IsValuePinned() const override { return true; }

 private:
  Status Look() override {
    return table_->IsIntact(base_->key(), base_->value()) ? Status::OK()
                                                          : EntryChanged(base_->key());
  }

  const MemTable* const table_;
};

// An iterator over values that may be overwritten at any time: it has a copy of the one it is at.
class MemTable::CopyingIterator final : public LookingIterator {
 public:
  CopyingIterator(std::unique_ptr<InternalIterator> base, const MemTable* table)
      : LookingIterator(std::move(base)), table_(table) {}

  Slice value() const override { return value_; }
  bool IsValuePinned() const override { return false; }

 private:
  Status Look() override {
    const Slice key = base_->key();
    fiber::MutexLock lock(table_->special_->LockOf(ExtractUserKey(key)));
    const Slice value = base_->value();
    if (table_->protection_bytes() != 0 && !table_->IsIntact(key, value)) return EntryChanged(key);
    if (!AssignIfPossible(&value_, value.data(), value.size())) {
      return Status::MemoryLimit("no memory for the value");
    }
    return Status::OK();
  }

  const MemTable* const table_;
  std::string value_;
};

InternalIterator* MemTable::Checked(InternalIterator* iter) const {
  if (protection_bytes() == 0) return iter;
  return new CheckedIterator(std::unique_ptr<InternalIterator>(iter), this);
}

InternalIterator* MemTable::NewIterator(bool one_prefix) const {
  if (special_ == nullptr) return NewSkipListIterator(&list_);
  const bool by_prefix = one_prefix && special_->prefix_extractor != nullptr;
  InternalIterator* base;
  if (special_->user != nullptr) {
    base = special_->user->NewIterator(by_prefix);
  } else if (special_->checks_searches()) {
    base = NewCheckedSkipListIterator(&list_, &comparator_, std::make_unique<SearchCheck>(this))
               .release();
  } else {
    base = special_->index == nullptr ? NewSkipListIterator(&list_)
                                      : special_->index->NewIterator(by_prefix);
  }
  std::unique_ptr<InternalIterator> iter(base);
  iter.reset(updates_in_place_ ? new CopyingIterator(std::move(iter), this)
                               : Checked(iter.release()));
  if (!by_prefix || special_->filter == nullptr) return iter.release();
  return new FilteredIterator(std::move(iter), special_->filter.get(), special_->prefix_extractor,
                              &comparator_);
}

InternalIterator* MemTable::NewTraversal() const {
  if (special_ != nullptr && special_->user != nullptr) return NewIterator();
  return Checked(special_ != nullptr && special_->index != nullptr
                     ? special_->index->NewIterator(false)
                     : NewSkipListTraversal(&list_));
}

}  // namespace cairn
