#include "sim/machine.h"

namespace cairn::sim {

Machine::Machine(const Plan& plan, History* history)
    : plan_(plan),
      history_(history),
      memory_(std::make_shared<MemoryFileSystem>()),
      disk_(std::make_shared<Disk>(plan.disk, memory_)),
      env_(NewCompositeEnv(disk_)) {}

void Machine::CutPower(std::string_view when) {
  if (power_is_off_) return;
  // First: the lock inside of the other may interrupt this client for long, and others meet errors.
  power_is_off_ = true;
  memory_->CrashAndFreeze();
  over_ = true;
  history_->Note(-1, when, "", "");
}

void Machine::CutPowerAfterChanges(uint64_t changes) {
  disk_->CallAfterChanges(changes, [this] { CutPower("the power goes after a change"); });
}

void Machine::NotePromise() {
  if (promises_left_ != 0 && --promises_left_ == 0) CutPower("the power goes after a promise");
}

void Machine::DropUnsynced(const LifePlan& life, uint64_t seed) {
  ++history_->counts.power_cuts;
  if (life.lose_all) {
    memory_->DropUnsynced();
  } else {
    memory_->DropUnsyncedRandomly(seed);
  }
}

}  // namespace cairn::sim
