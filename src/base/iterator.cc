// Iterators over nothing, public and internal.
#include "rocksdb/iterator.h"

#include <cassert>

#include "base/internal_iterator.h"

namespace ROCKSDB_NAMESPACE {

Status Iterator::GetProperty(std::string prop_name, std::string* prop) {
  if (prop == nullptr) return Status::InvalidArgument("prop is nullptr");
  if (prop_name == "rocksdb.iterator.is-key-pinned") {
    *prop = "0";
    return Status::OK();
  }
  return Status::InvalidArgument("Unidentified property.");
}

namespace {

// `Base` is Iterator or InternalIterator: the same functions.
template <typename Base>
class EmptyIteratorImpl final : public Base {
 public:
  explicit EmptyIteratorImpl(const Status& status) : status_(status) {}

  bool Valid() const override { return false; }
  void SeekToFirst() override {}
  void SeekToLast() override {}
  void Seek(const Slice&) override {}
  void SeekForPrev(const Slice&) override {}
  void Next() override { assert(false); }
  void Prev() override { assert(false); }
  Slice key() const override {
    assert(false);
    return Slice();
  }
  Slice value() const override {
    assert(false);
    return Slice();
  }
  Status status() const override { return status_; }

 private:
  const Status status_;
};

}  // namespace

Iterator* NewEmptyIterator() { return new EmptyIteratorImpl<Iterator>(Status::OK()); }

Iterator* NewErrorIterator(const Status& status) { return new EmptyIteratorImpl<Iterator>(status); }

}  // namespace ROCKSDB_NAMESPACE

namespace cairn {

InternalIterator* NewEmptyInternalIterator(const Status& status) {
  return new ROCKSDB_NAMESPACE::EmptyIteratorImpl<InternalIterator>(status);
}

}  // namespace cairn
