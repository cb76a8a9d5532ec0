// See fiber/simulation.h. The run itself is simulator.cc.
#include "fiber/simulation.h"

#include <memory>

#include "simulator.h"

namespace fiber {

const char* to_string(SimulationResult::Status status) {
  switch (status) {
    case SimulationResult::Status::kFinished:
      return "finished";
    case SimulationResult::Status::kException:
      return "ended with an exception";
    case SimulationResult::Status::kDeadlock:
      return "deadlock: nobody is ready, no timer or I/O runs";
    case SimulationResult::Status::kLeftover:
      return "threads left behind: the function returned, they wait for ever";
    case SimulationResult::Status::kStepLimit:
      return "step limit reached: a livelock?";
    case SimulationResult::Status::kTimeLimit:
      return "time limit reached: a livelock?";
    case SimulationResult::Status::kRefused:
      return "refused";
  }
  return "?";
}

SimulationResult Simulation::run(Function function) {
  if (inside()) {
    SimulationResult result;
    result.status = SimulationResult::Status::kRefused;
    result.seed = options_.seed;
    result.report = "refused: a simulation within a simulation\n";
    return result;
  }
  return std::make_unique<detail::Simulator>(options_)->run(std::move(function));
}

bool Simulation::inside() { return detail::simulator() != nullptr; }

}  // namespace fiber
