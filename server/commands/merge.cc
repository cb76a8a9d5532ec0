#include "server/commands/merge.h"

namespace cairn::server {

namespace {

// A seek takes about as long as so many steps.
constexpr int kStepsBeforeSeek = 8;

}  // namespace

ElementCursor::ElementCursor(const Collection& collection) {
  if (!collection.exists()) return;
  prefix_ = ElementPrefix(collection.id());
  range_ = collection.call().transaction.NewRange(prefix_, BehindPrefix(prefix_));
  range_->SeekToFirst();
}

void ElementCursor::SkipTo(std::string_view wanted) {
  for (int i = 0; i < kStepsBeforeSeek; ++i) {
    if (!Valid() || element() >= wanted) return;
    range_->Next();
  }
  if (Valid() && element() < wanted) range_->Seek(prefix_ + std::string(wanted));
}

rocksdb::Status FirstFailure(const ElementCursors& cursors) {
  for (const ElementCursor& one : cursors) {
    if (!one.status().ok()) return one.status();
  }
  return rocksdb::Status::OK();
}

}  // namespace cairn::server
