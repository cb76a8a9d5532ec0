// FunctorWrapper: a call that is made later: a function and the arguments for it.
#pragma once

#include <functional>
#include <tuple>
#include <utility>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

// Holds the arguments as their types say: references stay references. Not thread-safe.
template <typename... Args>
class FunctorWrapper {
 public:
  explicit FunctorWrapper(std::function<void(Args...)> functor, Args&&... args)
      : functor_(std::move(functor)), args_(std::forward<Args>(args)...) {}

  // May be called more than once: the arguments are copied.
  void invoke() {
    std::tuple<Args...> args = args_;
    std::apply([this](auto&... arg) { functor_(std::forward<Args>(arg)...); }, args);
  }

 private:
  std::function<void(Args...)> functor_;
  std::tuple<Args...> args_;
};

}  // namespace ROCKSDB_NAMESPACE
