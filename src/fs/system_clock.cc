// SystemClock::Default(): fiber's clocks, which a simulation may have replaced.
#include "rocksdb/system_clock.h"

#include <cstdio>
#include <ctime>

#include "base/namespace.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "fs/platform.h"
#include "rocksdb/utilities/customizable_util.h"

namespace cairn {
namespace {

class DefaultClock final : public SystemClock {
 public:
  const char* Name() const override { return kDefaultName(); }
  uint64_t NowMicros() override { return fiber::wall_micros(); }
  uint64_t NowNanos() override { return fiber::now_nanos(); }
  uint64_t CPUMicros() override { return CPUNanos() / 1000; }
  uint64_t CPUNanos() override { return fiber::thread_cpu_nanos(); }
  void SleepForMicroseconds(int micros) override {
    if (micros > 0) fiber::sleep_for(static_cast<uint64_t>(micros) * 1000);
  }
  Status GetCurrentTime(int64_t* unix_time) override {
    *unix_time = static_cast<int64_t>(fiber::wall_micros() / 1000000);
    return Status::OK();
  }
  std::string TimeToString(uint64_t time) override {
    struct tm local;
    char buf[64] = "";
    if (ToLocalTime(static_cast<int64_t>(time), &local)) {
      std::snprintf(buf, sizeof(buf), "%04d/%02d/%02d-%02d:%02d:%02d", local.tm_year + 1900,
                    local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec);
    }
    return buf;
  }
};

}  // namespace
}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

const std::shared_ptr<SystemClock>& SystemClock::Default() {
  static const std::shared_ptr<SystemClock>& instance =
      *new std::shared_ptr<SystemClock>(std::make_shared<cairn::DefaultClock>());
  return instance;
}

Status SystemClock::CreateFromString(const ConfigOptions& config_options, const std::string& value,
                                     std::shared_ptr<SystemClock>* result) {
  if (!value.empty() && !Default()->IsInstanceOf(value)) {
    return LoadSharedObject(config_options, value, result);
  }
  *result = Default();
  return Status::OK();
}

}  // namespace ROCKSDB_NAMESPACE
