// The kinds of memtable. Cairn has one, the skip list.
#pragma once

#include <cstddef>

#include "rocksdb/customizable.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class MemTableRepFactory : public Customizable {
 public:
  static const char* Type() { return "MemTableRepFactory"; }
  virtual bool IsInsertConcurrentlySupported() const { return false; }
};

// A lock-free skip list that many writers insert into at once. DB::Open accepts no other.
class SkipListFactory : public MemTableRepFactory {
 public:
  // `lookahead` is accepted and ignored.
  explicit SkipListFactory(size_t lookahead = 0) : lookahead_(lookahead) {}

  static const char* kClassName() { return "SkipListFactory"; }
  static const char* kNickName() { return "skip_list"; }
  const char* Name() const override { return kClassName(); }
  bool IsInsertConcurrentlySupported() const override { return true; }
  size_t lookahead() const { return lookahead_; }

 protected:
  const char* NickName() const override { return kNickName(); }

 private:
  const size_t lookahead_;
};

}  // namespace ROCKSDB_NAMESPACE
