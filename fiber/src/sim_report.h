// SimReport: who waits where in a simulation that cannot go on, for people; and the removal of
// those waiters from the parking lot when the simulation is abandoned.
//
// Called by the scheduler, between turns: every simulated thread is off the processor then.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fiber/simulation.h"

namespace fiber::detail {

struct Context;
struct Fiber;
struct Parked;
struct SimThread;
struct Stack;
class Simulator;

class SimReport {
 public:
  explicit SimReport(Simulator* simulator);

  std::string text(SimulationResult::Status status);

  // Takes all waiters of the simulation out of the parking lot: their memory will be others'.
  void unpark_all();

 private:
  void collect_parked();
  void describe_thread(const SimThread& thread);
  void describe_fiber(const Fiber& fiber);
  void describe_parked(const Parked& parked);
  void backtrace(const Context& context, const Stack& stack);
  const Parked* parked_of(const SimThread& thread) const;
  const Parked* parked_of(const Fiber& fiber) const;
  unsigned number_of(const void* address);
  void line(const char* format, ...) __attribute__((format(printf, 2, 3)));

  Simulator* const simulator_;
  std::vector<Parked*> parked_;
  // Addresses by first mention: only looked up.
  std::map<const void*, unsigned> numbers_;
  std::string text_;
};

}  // namespace fiber::detail
