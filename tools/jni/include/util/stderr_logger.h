// What RocksJava's sources take from RocksDB's private header of this name: a log whose lines go to
// the standard error.
#pragma once

#include <array>
#include <cstdarg>
#include <cstdio>
#include <string>
#include <utility>

#include "rocksdb/env.h"

namespace ROCKSDB_NAMESPACE {

// Thread-safe. Each line has the time, the thread and the prefix before it.
class StderrLogger final : public Logger {
 public:
  explicit StderrLogger(const InfoLogLevel log_level = InfoLogLevel::INFO_LEVEL,
                        std::string prefix = {})
      : Logger(log_level), prefix_(std::move(prefix)) {}

  using Logger::Logv;
  void Logv(const char* format, va_list ap) override {
    va_list again;
    va_copy(again, ap);
    std::array<char, 500> small;
    const int size = vsnprintf(small.data(), small.size(), format, ap);
    std::string line = size < 0 ? "" : std::string(small.data(), small.size() - 1);
    if (size >= 0) line.resize(size);
    if (size >= static_cast<int>(small.size())) {
      vsnprintf(line.data(), line.size() + 1, format, again);
    }
    va_end(again);
    Env* const env = Env::Default();
    const std::string time = env->TimeToString(env->NowMicros() / 1000000);
    std::fprintf(stderr, "%s %llx %s%s\n", time.c_str(),
                 static_cast<unsigned long long>(env->GetThreadID()), prefix_.c_str(),
                 line.c_str());
  }

 private:
  const std::string prefix_;
};

}  // namespace ROCKSDB_NAMESPACE
