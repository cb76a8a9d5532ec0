// How far long work is, on the standard error: "tables  42% of 12.3 GB", in one line that is
// written over, ten times a second at most. Thread safety: none.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/namespace.h"
#include "base/string_util.h"
#include "fiber/clock.h"
#include "toolkit/console.h"

namespace cairn {

class Progress {
 public:
  // `total`: bytes; 0: not known.
  Progress(bool enabled, std::string what, uint64_t total)
      : enabled_(enabled), what_(std::move(what)), total_(total) {}

  void Show(uint64_t done) {
    if (!enabled_) return;
    constexpr uint64_t kPauseNanos = 100'000'000;
    const uint64_t now = fiber::now_nanos();
    if (now - last_ < kPauseNanos) return;
    last_ = now;
    shown_ = true;
    if (total_ == 0) {
      PrintError("\r%s  %s ", what_.c_str(), BytesToHumanString(done).c_str());
    } else {
      PrintError("\r%s  %3.0f%% of %s ", what_.c_str(),
                 100.0 * static_cast<double>(done) / static_cast<double>(total_),
                 BytesToHumanString(total_).c_str());
    }
  }
  void Done() {
    if (shown_) PrintError("\r\033[K");
  }

 private:
  const bool enabled_;
  const std::string what_;
  const uint64_t total_;
  uint64_t last_ = 0;
  bool shown_ = false;
};

}  // namespace cairn
