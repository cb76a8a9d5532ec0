// A listener that remembers what it is told of errors, and lets a test wait for it. Test-only.
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/namespace.h"
#include "fiber/mutex.h"
#include "rocksdb/listener.h"

namespace cairn::testing {

class ErrorListener final : public EventListener {
 public:
  struct Error {
    BackgroundErrorReason reason;
    Status status;
  };

  void OnBackgroundError(BackgroundErrorReason reason, Status* error) override {
    if (while_told) while_told();
    Remember([&] { errors_.push_back({reason, *error}); });
    if (ignore_errors) *error = Status::OK();
  }
  void OnErrorRecoveryBegin(BackgroundErrorReason reason, Status error,
                            bool* auto_recovery) override {
    Remember([&] { begun_.push_back({reason, error}); });
    if (forbid_recovery) *auto_recovery = false;
  }
  void OnErrorRecoveryCompleted(Status old_error) override {
    Remember([&] { completed_.push_back(old_error); });
  }
  void OnErrorRecoveryEnd(const BackgroundErrorRecoveryInfo& info) override {
    Remember([&] { ended_.push_back(info); });
  }

  template <typename T>
  std::vector<T> Copy(const std::vector<T>& of) {
    fiber::MutexLock lock(&mutex_);
    return of;
  }
  std::vector<Error> errors() { return Copy(errors_); }
  std::vector<Error> begun() { return Copy(begun_); }
  std::vector<Status> completed() { return Copy(completed_); }
  std::vector<BackgroundErrorRecoveryInfo> ended() { return Copy(ended_); }
  // Until `wanted` holds.
  void Await(const std::function<bool()>& wanted) {
    while (true) {
      const uint64_t seen = changes_.load();
      if (wanted()) return;
      fiber::MutexLock lock(&mutex_);
      while (changes_.load() == seen) changed_.wait(&mutex_);
    }
  }

  std::function<void()> while_told;
  std::atomic<bool> ignore_errors{false};
  std::atomic<bool> forbid_recovery{false};

 private:
  void Remember(const std::function<void()>& what) {
    fiber::MutexLock lock(&mutex_);
    what();
    ++changes_;
    changed_.notify_all();
  }

  fiber::Mutex mutex_;
  fiber::CondVar changed_;
  std::atomic<uint64_t> changes_{0};
  std::vector<Error> errors_, begun_;
  std::vector<Status> completed_;
  std::vector<BackgroundErrorRecoveryInfo> ended_;
};

}  // namespace cairn::testing
