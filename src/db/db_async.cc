// GetAsync and MultiGetAsync. The first try is the plain call, told to look at memory only; what it
// cannot answer is the plain call again, on a fiber. (All keys of a MultiGet again: they are of one
// state of the database.)
#include <algorithm>
#include <cassert>
#include <memory>
#include <system_error>
#include <utility>

#include "db/db_impl.h"
#include "fiber/default_runtime.h"
#include "fiber/runtime.h"

namespace ROCKSDB_NAMESPACE {

// ---- What any DB can do: read in the call.

void DB::GetAsync(const ReadOptions& options, ColumnFamilyHandle* column_family, const Slice& key,
                  PinnableSlice* value, std::string* timestamp, Status& status,
                  AsyncCallback& callback) {
  status = timestamp != nullptr ? Status::NotSupported("timestamps are not supported")
                                : Get(options, column_family, key, value);
  callback.OnComplete(nullptr, nullptr);
}

void DB::MultiGetAsync(const ReadOptions& options, size_t num_keys,
                       ColumnFamilyHandle** column_families, const Slice* keys,
                       PinnableSlice* values, std::string* timestamps, Status* statuses,
                       bool sorted_input, AsyncCallback& callback) {
  if (timestamps != nullptr) {
    std::fill_n(statuses, num_keys, Status::NotSupported("timestamps are not supported"));
  } else {
    MultiGet(options, num_keys, column_families, keys, values, statuses, sorted_input);
  }
  callback.OnComplete(nullptr, nullptr);
}

namespace {

// Between a read into a PinnableSlice and a caller who wants a string. Lives until the read is
// complete.
class IntoString final : public DB::AsyncCallback {
 public:
  IntoString(std::string* value, const Status* status, DB::AsyncCallback* callback)
      : value_(value), status_(status), callback_(callback), pinnable_(value) {}

  PinnableSlice* pinnable() { return &pinnable_; }
  bool EnableStats() const override { return callback_->EnableStats(); }
  void OnComplete(const PerfContext* perf, const IOStatsContext* iostats) override {
    if (status_->ok() && pinnable_.IsPinned()) value_->assign(pinnable_.data(), pinnable_.size());
    DB::AsyncCallback* const callback = callback_;
    delete this;
    callback->OnComplete(perf, iostats);
  }

 private:
  std::string* const value_;
  const Status* const status_;
  DB::AsyncCallback* const callback_;
  PinnableSlice pinnable_;
};

}  // namespace

void DB::GetAsync(const ReadOptions& options, ColumnFamilyHandle* column_family, const Slice& key,
                  std::string* value, std::string* timestamp, Status& status,
                  AsyncCallback& callback) {
  assert(value != nullptr);
  auto* const into = new IntoString(value, &status, &callback);
  GetAsync(options, column_family, key, into->pinnable(), timestamp, status, *into);
}

}  // namespace ROCKSDB_NAMESPACE

namespace cairn {

namespace {

// Where reads go on. Null: the system refuses the threads.
fiber::Runtime* ReadRuntime() {
  if (fiber::Runtime* const current = fiber::Runtime::current()) return current;
  try {
    return &fiber::default_runtime();
  } catch (const std::system_error&) {
    return nullptr;
  }
}

ReadOptions InMemory(const ReadOptions& options) {
  ReadOptions in_memory = options;
  in_memory.read_tier = kBlockCacheTier;
  return in_memory;
}

}  // namespace

void DBImpl::GetAsync(const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
                      PinnableSlice* value, std::string* timestamp, Status& status,
                      AsyncCallback& callback) {
  if (timestamp == nullptr && options.read_tier == kReadAllTier) {
    status = Get(InMemory(options), family, key, value);
    if (!status.IsIncomplete()) {
      callback.OnComplete(nullptr, nullptr);
      return;
    }
    if (fiber::Runtime* const runtime = ReadRuntime()) {
      runtime
          ->spawn([this, options, family, key, value, &status, &callback] {
            status = Get(options, family, key, value);
            callback.OnComplete(nullptr, nullptr);
          })
          .detach();
      return;
    }
  }
  DB::GetAsync(options, family, key, value, timestamp, status, callback);
}

void DBImpl::MultiGetAsync(const ReadOptions& options, size_t num_keys,
                           ColumnFamilyHandle** families, const Slice* keys, PinnableSlice* values,
                           std::string* timestamps, Status* statuses, bool sorted_input,
                           AsyncCallback& callback) {
  if (timestamps == nullptr && options.read_tier == kReadAllTier) {
    MultiGet(InMemory(options), num_keys, families, keys, values, statuses, sorted_input);
    if (std::none_of(statuses, statuses + num_keys,
                     [](const Status& s) { return s.IsIncomplete(); })) {
      callback.OnComplete(nullptr, nullptr);
      return;
    }
    if (fiber::Runtime* const runtime = ReadRuntime()) {
      runtime
          ->spawn(
              [this, options, num_keys, families, keys, values, statuses, sorted_input, &callback] {
                MultiGet(options, num_keys, families, keys, values, statuses, sorted_input);
                callback.OnComplete(nullptr, nullptr);
              })
          .detach();
      return;
    }
  }
  DB::MultiGetAsync(options, num_keys, families, keys, values, timestamps, statuses, sorted_input,
                    callback);
}

}  // namespace cairn
