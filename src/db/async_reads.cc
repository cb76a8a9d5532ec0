// GetAsync and MultiGetAsync. The first try is the plain call, told to look at memory only; what it
// cannot answer is the plain call again, on a fiber. (All keys of a MultiGet again: they are of one
// state of the database.)
#include <algorithm>
#include <cassert>
#include <memory>
#include <system_error>
#include <utility>

#include "base/perf.h"
#include "db/db_impl.h"
#include "fiber/default_runtime.h"
#include "fiber/runtime.h"

namespace cairn {

namespace {

// What a callback wants to be told of its operation: measured as much as the caller had it.
struct StatsWanted {
  explicit StatsWanted(const DB::AsyncCallback& callback) : wanted(callback.EnableStats()) {
    if (!wanted) return;
    const PerfState& caller = *Perf::State();
    level = caller.level;
    by_level = caller.context.per_level_perf_context_enabled;
    disable_iostats = caller.io.disable_iostats;
  }
  void Prepare(PerfState* state) const {
    state->level = level;
    if (by_level) state->context.EnablePerLevelPerfContext();
    state->io.disable_iostats = disable_iostats;
  }

  bool wanted;
  PerfLevel level = kDisable;
  bool by_level = false;
  bool disable_iostats = false;
};

// Calls `callback` with what operation() did, unless that returns false: it is not over. The
// operation's counts are the callback's alone if that wants them.
template <class Operation>
bool RunFor(DB::AsyncCallback& callback, const StatsWanted& stats, const Operation& operation) {
  if (!stats.wanted) {
    if (!operation()) return false;
    callback.OnComplete(nullptr, nullptr);
    return true;
  }
  PerfState state;
  stats.Prepare(&state);
  {
    const PerfScope scope{Perf(&state)};
    if (!operation()) return false;
  }
  callback.OnComplete(&state.context, &state.io);
  return true;
}

}  // namespace

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

// ---- What any DB can do: read in the call.

void DB::GetAsync(const ReadOptions& options, ColumnFamilyHandle* column_family, const Slice& key,
                  PinnableSlice* value, std::string* timestamp, Status& status,
                  AsyncCallback& callback) {
  cairn::RunFor(callback, cairn::StatsWanted(callback), [&] {
    status = timestamp != nullptr ? Get(options, column_family, key, value, timestamp)
                                  : Get(options, column_family, key, value);
    return true;
  });
}

void DB::MultiGetAsync(const ReadOptions& options, size_t num_keys,
                       ColumnFamilyHandle** column_families, const Slice* keys,
                       PinnableSlice* values, std::string* timestamps, Status* statuses,
                       bool sorted_input, AsyncCallback& callback) {
  cairn::RunFor(callback, cairn::StatsWanted(callback), [&] {
    if (timestamps != nullptr) {
      MultiGet(options, num_keys, column_families, keys, values, timestamps, statuses,
               sorted_input);
    } else {
      MultiGet(options, num_keys, column_families, keys, values, statuses, sorted_input);
    }
    return true;
  });
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
  if (options.read_tier == kReadAllTier) {
    const StatsWanted stats(callback);
    if (RunFor(callback, stats, [&] {
          status = Get(InMemory(options), family, key, value, timestamp);
          return !status.IsIncomplete();
        })) {
      return;
    }
    if (fiber::Runtime* const runtime = ReadRuntime()) {
      runtime
          ->spawn([this, options, family, key, value, timestamp, stats, &status, &callback] {
            RunFor(callback, stats, [&] {
              status = Get(options, family, key, value, timestamp);
              return true;
            });
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
  if (options.read_tier == kReadAllTier) {
    const StatsWanted stats(callback);
    if (RunFor(callback, stats, [&] {
          MultiGet(InMemory(options), num_keys, families, keys, values, timestamps, statuses,
                   sorted_input);
          return std::none_of(statuses, statuses + num_keys,
                              [](const Status& s) { return s.IsIncomplete(); });
        })) {
      return;
    }
    if (fiber::Runtime* const runtime = ReadRuntime()) {
      runtime
          ->spawn([this, options, num_keys, families, keys, values, timestamps, statuses,
                   sorted_input, stats, &callback] {
            RunFor(callback, stats, [&] {
              MultiGet(options, num_keys, families, keys, values, timestamps, statuses,
                       sorted_input);
              return true;
            });
          })
          .detach();
      return;
    }
  }
  DB::MultiGetAsync(options, num_keys, families, keys, values, timestamps, statuses, sorted_input,
                    callback);
}

}  // namespace cairn
