// The C interface: environments, and loggers.
#include <cstdio>

#include "c/c_objects.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

namespace {

// Hands each line to a function.
class CallbackLogger final : public Logger {
 public:
  using Function = void (*)(void*, unsigned, char*, size_t);
  CallbackLogger(InfoLogLevel level, Function function, void* state)
      : Logger(level), function_(function), state_(state) {}

  using Logger::Logv;
  void Logv(const char* format, va_list ap) override { Logv(InfoLogLevel::INFO_LEVEL, format, ap); }
  void Logv(const InfoLogLevel level, const char* format, va_list ap) override {
    if (level < GetInfoLogLevel()) return;
    char line[1024];
    const int length = std::vsnprintf(line, sizeof(line), format, ap);
    if (length < 0) return;
    function_(state_, static_cast<unsigned>(level), line,
              std::min(static_cast<size_t>(length), sizeof(line) - 1));
  }

 private:
  const Function function_;
  void* const state_;
};

class StderrLogger final : public Logger {
 public:
  StderrLogger(InfoLogLevel level, const char* prefix)
      : Logger(level), prefix_(prefix == nullptr ? "" : prefix) {}

  using Logger::Logv;
  void Logv(const char* format, va_list ap) override {
    char line[1024];
    if (std::vsnprintf(line, sizeof(line), format, ap) < 0) return;
    std::fprintf(stderr, "%s%s\n", prefix_.c_str(), line);
  }

 private:
  const std::string prefix_;
};

}  // namespace

extern "C" {

rocksdb_env_t* rocksdb_create_default_env() { return new rocksdb_env_t{Env::Default(), nullptr}; }
rocksdb_env_t* rocksdb_create_mem_env() {
  std::unique_ptr<Env> env(NewMemEnv(Env::Default()));
  return new rocksdb_env_t{env.get(), std::move(env)};
}
void rocksdb_env_set_background_threads(rocksdb_env_t* env, int n) {
  env->rep->SetBackgroundThreads(n);
}
int rocksdb_env_get_background_threads(rocksdb_env_t* env) {
  return env->rep->GetBackgroundThreads();
}
void rocksdb_env_set_high_priority_background_threads(rocksdb_env_t* env, int n) {
  env->rep->SetBackgroundThreads(n, Env::HIGH);
}
int rocksdb_env_get_high_priority_background_threads(rocksdb_env_t* env) {
  return env->rep->GetBackgroundThreads(Env::HIGH);
}
void rocksdb_env_set_low_priority_background_threads(rocksdb_env_t* env, int n) {
  env->rep->SetBackgroundThreads(n, Env::LOW);
}
int rocksdb_env_get_low_priority_background_threads(rocksdb_env_t* env) {
  return env->rep->GetBackgroundThreads(Env::LOW);
}
void rocksdb_env_set_bottom_priority_background_threads(rocksdb_env_t* env, int n) {
  env->rep->SetBackgroundThreads(n, Env::BOTTOM);
}
int rocksdb_env_get_bottom_priority_background_threads(rocksdb_env_t* env) {
  return env->rep->GetBackgroundThreads(Env::BOTTOM);
}
void rocksdb_create_dir_if_missing(rocksdb_env_t* env, const char* path, char** errptr) {
  // style: the user's call
  cairn::Report(errptr, env->rep->CreateDirIfMissing(path));
}
void rocksdb_env_join_all_threads(rocksdb_env_t* env) { env->rep->WaitForJoin(); }
void rocksdb_env_lower_thread_pool_io_priority(rocksdb_env_t* env) {
  env->rep->LowerThreadPoolIOPriority();
}
void rocksdb_env_lower_high_priority_thread_pool_io_priority(rocksdb_env_t* env) {
  env->rep->LowerThreadPoolIOPriority(Env::HIGH);
}
void rocksdb_env_lower_thread_pool_cpu_priority(rocksdb_env_t* env) {
  env->rep->LowerThreadPoolCPUPriority();
}
void rocksdb_env_lower_high_priority_thread_pool_cpu_priority(rocksdb_env_t* env) {
  env->rep->LowerThreadPoolCPUPriority(Env::HIGH);
}
void rocksdb_env_destroy(rocksdb_env_t* env) { delete env; }

rocksdb_logger_t* rocksdb_logger_create_stderr_logger(int log_level, const char* prefix) {
  return new rocksdb_logger_t{
      std::make_shared<StderrLogger>(static_cast<InfoLogLevel>(log_level), prefix)};
}
rocksdb_logger_t* rocksdb_logger_create_callback_logger(
    int log_level, void (*callback)(void* state, unsigned level, char* line, size_t length),
    void* state) {
  return new rocksdb_logger_t{
      std::make_shared<CallbackLogger>(static_cast<InfoLogLevel>(log_level), callback, state)};
}
void rocksdb_logger_destroy(rocksdb_logger_t* logger) { delete logger; }
void rocksdb_options_set_info_log(rocksdb_options_t* o, rocksdb_logger_t* logger) {
  o->rep.info_log = logger == nullptr ? nullptr : logger->rep;
}
rocksdb_logger_t* rocksdb_options_get_info_log(rocksdb_options_t* o) {
  return new rocksdb_logger_t{o->rep.info_log};
}

}  // extern "C"
