// SystemClock: the time, as an object that may be handed on.
//
// Databases take the time from the operating system, or from a simulation, in any case: a clock of
// one's own is for the program's own use. RocksDB's TimedWait(), whose argument is a class that it
// does not publish, is not there. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/customizable.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"

// Where <windows.h> came first it has it as a macro.
#undef GetCurrentTime

namespace ROCKSDB_NAMESPACE {

struct ConfigOptions;

class SystemClock : public Customizable {
 public:
  static const char* Type() { return "SystemClock"; }
  static const char* kDefaultName() { return "DefaultClock"; }

  // The operating system's. Lives as long as the program.
  static const std::shared_ptr<SystemClock>& Default();

  // Default() for kDefaultName() and "", else what is registered under an id
  // (utilities/object_registry.h).
  static Status CreateFromString(const ConfigOptions& config_options, const std::string& value,
                                 std::shared_ptr<SystemClock>* result);

  // Microseconds since 1970.
  virtual uint64_t NowMicros() = 0;
  // Nanoseconds from an arbitrary start.
  virtual uint64_t NowNanos() { return NowMicros() * 1000; }
  // Of CPU, that the calling thread has used. 0: not known.
  virtual uint64_t CPUMicros() { return 0; }
  virtual uint64_t CPUNanos() { return CPUMicros() * 1000; }
  // Parks the fiber, or blocks the thread outside a fiber. SUSPENDS.
  virtual void SleepForMicroseconds(int micros) = 0;
  // Seconds since 1970.
  virtual Status GetCurrentTime(int64_t* unix_time) = 0;
  // `time` in seconds since 1970 as local "2026/11/21-18:04:05".
  virtual std::string TimeToString(uint64_t time) = 0;
};

// A clock over another one, to derive from: each function calls the other's.
class SystemClockWrapper : public SystemClock {
 public:
  // Null: Default(), from PrepareOptions() on.
  explicit SystemClockWrapper(const std::shared_ptr<SystemClock>& target);

  // Its options: "target", the other one.
  Status PrepareOptions(const ConfigOptions& options) override;
  const Customizable* Inner() const override { return target_.get(); }

  uint64_t NowMicros() override { return target_->NowMicros(); }
  uint64_t NowNanos() override { return target_->NowNanos(); }
  uint64_t CPUMicros() override { return target_->CPUMicros(); }
  uint64_t CPUNanos() override { return target_->CPUNanos(); }
  void SleepForMicroseconds(int micros) override { target_->SleepForMicroseconds(micros); }
  Status GetCurrentTime(int64_t* unix_time) override { return target_->GetCurrentTime(unix_time); }
  std::string TimeToString(uint64_t time) override { return target_->TimeToString(time); }

 protected:
  std::string SerializeOptions(const ConfigOptions& config_options,
                               const std::string& header) const override;

  std::shared_ptr<SystemClock> target_;
};

}  // namespace ROCKSDB_NAMESPACE
