// A compaction filter made of a function, and a factory that makes them and remembers what for.
// Test-only. Thread safety: the function's; the factory's calls may come from any thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "fiber/mutex.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/slice.h"

namespace cairn {

class FunctionFilter : public CompactionFilter {
 public:
  // What FilterV2 gets, but for the value's type and the text that it may write.
  using Function =
      std::function<Decision(int level, const Slice& key, const Slice& value, std::string* text)>;

  explicit FunctionFilter(Function function) : function_(std::move(function)) {}

  const char* Name() const override { return "FunctionFilter"; }
  bool IgnoreSnapshots() const override { return ignore_snapshots; }
  // *text is the new value, or where to skip to.
  Decision FilterV2(int level, const Slice& key, ValueType type, const Slice& value,
                    std::string* new_value, std::string* skip_until) const override {
    std::string text;
    const Decision decision = function_(level, key, value, &text);
    types.push_back(type);
    if (decision == Decision::kChangeValue) *new_value = text;
    if (decision == Decision::kRemoveAndSkipUntil) *skip_until = text;
    return decision;
  }

  bool ignore_snapshots = true;
  mutable std::vector<ValueType> types;  // of what was shown

 private:
  const Function function_;
};

class FunctionFilterFactory final : public CompactionFilterFactory {
 public:
  explicit FunctionFilterFactory(FunctionFilter::Function function)
      : function_(std::move(function)) {}

  const char* Name() const override { return "FunctionFilterFactory"; }
  bool ShouldFilterTableFileCreation(TableFileCreationReason reason) const override {
    return filter_flushes || reason == TableFileCreationReason::kCompaction;
  }
  std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context& context) override {
    fiber::MutexLock lock(&mutex_);
    contexts_.push_back(context);
    return std::make_unique<FunctionFilter>(function_);
  }
  std::vector<CompactionFilter::Context> contexts() const {
    fiber::MutexLock lock(&mutex_);
    return contexts_;
  }

  bool filter_flushes = false;

 private:
  const FunctionFilter::Function function_;
  mutable fiber::Mutex mutex_;
  std::vector<CompactionFilter::Context> contexts_ FIBER_GUARDED_BY(mutex_);
};

}  // namespace cairn
