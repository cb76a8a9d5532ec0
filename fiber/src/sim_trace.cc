#include "sim_trace.h"

#include <cinttypes>
#include <cstdio>

namespace fiber::detail {
namespace {

// What stands before the first number, before the second (null: it is not shown), and after.
struct Words {
  const char* before;
  const char* between = nullptr;
  const char* after = "";
};

Words words_of(SimEvent event) {
  switch (event) {
    case SimEvent::kThreadStart:
      return {"start thread "};
    case SimEvent::kThreadEnd:
      return {"end thread "};
    case SimEvent::kRun:
      return {"run thread ", " of ", " ready"};
    case SimEvent::kPreempt:
      return {"interrupt thread "};
    case SimEvent::kBlock:
      return {"wait thread ", " until "};
    case SimEvent::kWake:
      return {"wake thread ", " by "};
    case SimEvent::kTimeout:
      return {"time out thread "};
    case SimEvent::kTime:
      return {"skip to timer of thread "};
    case SimEvent::kFiberStart:
      return {"start fiber ", " from thread "};
    case SimEvent::kFiberEnd:
      return {"end fiber "};
    case SimEvent::kFiber:
      return {"run fiber ", " of ", " ready"};
    case SimEvent::kFiberYield:
      return {"interrupt fiber on thread "};
    case SimEvent::kIoStart:
      return {"start I/O ", " for "};
    case SimEvent::kIoEnd:
      return {"end I/O ", " with "};
    case SimEvent::kSpurious:
      return {"spurious on thread "};
    case SimEvent::kRandom:
      return {"random "};
    case SimEvent::kEnd:
      return {"end with status "};
  }
  return {"? "};
}

}  // namespace

void SimTrace::write(SimEvent event, uint64_t step, uint64_t nanos, uint64_t a, uint64_t b) {
  const Words words = words_of(event);
  char line[192];
  int size = snprintf(line, sizeof(line), "%" PRIu64 " %" PRIu64 " %s%" PRId64, step, nanos,
                      words.before, static_cast<int64_t>(a));
  text_.append(line, static_cast<size_t>(size));
  if (words.between != nullptr) {
    size = snprintf(line, sizeof(line), "%s%" PRId64 "%s", words.between, static_cast<int64_t>(b),
                    words.after);
    text_.append(line, static_cast<size_t>(size));
  }
  text_ += '\n';
}

}  // namespace fiber::detail
