// SystemClock::Default(): fiber's clocks, which a simulation may have replaced.
#include "rocksdb/system_clock.h"

#include "base/namespace.h"
#include "rocksdb/env.h"

namespace cairn {
namespace {

// Env says what the time is; this one says it under another name.
class DefaultClock final : public SystemClock {
 public:
  const char* Name() const override { return kDefaultName(); }
  uint64_t NowMicros() override { return Env::Default()->NowMicros(); }
  uint64_t NowNanos() override { return Env::Default()->NowNanos(); }
  uint64_t CPUMicros() override { return CPUNanos() / 1000; }
  uint64_t CPUNanos() override { return Env::Default()->NowCPUNanos(); }
  void SleepForMicroseconds(int micros) override { Env::Default()->SleepForMicroseconds(micros); }
  Status GetCurrentTime(int64_t* unix_time) override {
    return Env::Default()->GetCurrentTime(unix_time);
  }
  std::string TimeToString(uint64_t time) override { return Env::Default()->TimeToString(time); }
};

}  // namespace
}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

const std::shared_ptr<SystemClock>& SystemClock::Default() {
  static const std::shared_ptr<SystemClock>& instance =
      *new std::shared_ptr<SystemClock>(std::make_shared<cairn::DefaultClock>());
  return instance;
}

Status SystemClock::CreateFromString(const ConfigOptions& /*config_options*/,
                                     const std::string& value,
                                     std::shared_ptr<SystemClock>* result) {
  if (!value.empty() && value != kDefaultName()) {
    return Status::NotSupported("Could not load SystemClock", value);
  }
  *result = Default();
  return Status::OK();
}

const std::shared_ptr<SystemClock>& Env::GetSystemClock() const { return SystemClock::Default(); }

}  // namespace ROCKSDB_NAMESPACE
