// How a command of ldb went.
#pragma once

#include <string>
#include <utility>

#include "rocksdb/rocksdb_namespace.h"

#ifdef FAILED
#undef FAILED
#endif

namespace ROCKSDB_NAMESPACE {

// A value; no thread safety of its own.
class LDBCommandExecuteResult {
 public:
  enum State {
    EXEC_NOT_STARTED = 0,
    EXEC_SUCCEED = 1,
    EXEC_FAILED = 2,
  };

  LDBCommandExecuteResult() = default;
  LDBCommandExecuteResult(State state, std::string& msg) : state_(state), message_(msg) {}

  static LDBCommandExecuteResult Succeed(std::string msg) { return {EXEC_SUCCEED, msg}; }
  static LDBCommandExecuteResult Failed(std::string msg) { return {EXEC_FAILED, msg}; }

  // What ldb prints to its standard error when the command has run; empty: nothing.
  std::string ToString() {
    if (state_ == EXEC_FAILED) return "Failed: " + message_;
    if (state_ == EXEC_NOT_STARTED) return "Not started: " + message_;
    return message_;
  }

  void Reset() { *this = LDBCommandExecuteResult(); }

  bool IsSucceed() { return state_ == EXEC_SUCCEED; }
  bool IsNotStarted() { return state_ == EXEC_NOT_STARTED; }
  bool IsFailed() { return state_ == EXEC_FAILED; }

 private:
  State state_ = EXEC_NOT_STARTED;
  std::string message_;
};

}  // namespace ROCKSDB_NAMESPACE
