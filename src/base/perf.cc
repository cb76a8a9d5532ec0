#include "base/perf.h"

#include <algorithm>

namespace cairn {

namespace {

struct OwnState : PerfState {
  // At the end of its context.
  ~OwnState() { fiber::detail::set_context_word(nullptr); }
};

PerfState* OwnStateOf() {
  // Never destroyed: it must outlive every fiber.
  static auto* const states = new fiber::local<OwnState>;
  return &states->get();
}

}  // namespace

PerfState* Perf::MakeState() {
  PerfState* const state = OwnStateOf();
  fiber::detail::set_context_word(WordOf(state));
  return state->level > kDisable ? state : nullptr;
}

PerfState* Perf::State() {
  PerfState* const state = Perf().state_;
  return state != nullptr ? state : OwnStateOf();
}

void Perf::SetLevel(PerfLevel level) {
  PerfState* const state = State();
  state->level = std::clamp(level, kDisable, kEnableTime);
  fiber::detail::set_context_word(WordOf(state));
}

void Perf::AddAt(int level, PerfLevelMetric metric, uint64_t n) const {
  auto* const levels = state_->context.level_to_perf_context;
  if (level >= 0 && levels != nullptr) (*levels)[static_cast<uint32_t>(level)].*metric += n;
}

void PerfTimer::Begin(uint64_t* into, uint64_t (*now)()) {
  into_ = into;
  clock_ = now;
  start_ = now();
}

void PerfTimer::End() {
  const uint64_t now = clock_();
  // (Of another thread, the processor's clock may be behind.)
  *into_ += now - std::min(now, start_);
  into_ = nullptr;
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

void SetPerfLevel(PerfLevel level) { cairn::Perf::SetLevel(level); }

PerfLevel GetPerfLevel() { return cairn::Perf::State()->level; }

PerfContext* get_perf_context() { return &cairn::Perf::State()->context; }

IOStatsContext* get_iostats_context() { return &cairn::Perf::State()->io; }

}  // namespace ROCKSDB_NAMESPACE
