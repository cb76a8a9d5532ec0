#include "sim/machine.h"

#include "rocksdb/env_encryption.h"

namespace cairn::sim {
namespace {

std::unique_ptr<rocksdb::Env> EnvOf(const Plan& plan, const std::shared_ptr<Disk>& disk) {
  constexpr size_t kCipherBlock = 16;
  if (!plan.encrypted) return NewCompositeEnv(disk);
  return NewCompositeEnv(
      NewEncryptedFS(disk, rocksdb::EncryptionProvider::NewCTRProvider(
                               rocksdb::BlockCipher::NewROT13Cipher(kCipherBlock))));
}

}  // namespace

Machine::Machine(const Plan& plan, History* history)
    : plan_(plan),
      history_(history),
      memory_(std::make_shared<MemoryFileSystem>()),
      disk_(std::make_shared<Disk>(plan.disk, memory_)),
      env_(EnvOf(plan, disk_)) {}

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

void Machine::PlayOperations(int id, uint64_t count, uint64_t* number, Random64* random,
                             const std::function<bool()>& step) {
  for (uint64_t i = 0; i < count && !over(); ++i) {
    const uint64_t operation = (*number)++;
    if (plan_.skipped.contains({id, operation})) continue;
    *random = Random64(plan_.seed * 1'000'003 + static_cast<uint64_t>(id) * 7919 +
                       operation * 0x9e3779b97f4a7c15u);
    if (plan_.think_nanos != 0) fiber::sleep_for(random->Uniform(2 * plan_.think_nanos));
    ++history_->counts.operations;
    if (!step()) return;
  }
}

bool Machine::Reopen(const LifePlan& life, const std::function<bool()>& open,
                     const std::function<void(uint64_t)>& lose_power) {
  power_is_off_ = false;
  for (const uint64_t changes : life.recovery_cuts) {
    CutPowerAfterChanges(changes);
    if (!open() && !power_is_off_) return false;
    CutPowerAfterChanges(0);
    if (!power_is_off_) return true;  // there were not so many
    lose_power(life.seed + changes);
    power_is_off_ = false;
  }
  return open();
}

std::string Machine::FamilyName(int number) {
  return number == 0 ? rocksdb::kDefaultColumnFamilyName : "family " + std::to_string(number);
}

std::vector<rocksdb::ColumnFamilyDescriptor> Machine::FamiliesWith(
    const rocksdb::Options& options) const {
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (int i = 0; i < plan_.families; ++i) families.emplace_back(FamilyName(i), options);
  return families;
}

}  // namespace cairn::sim
