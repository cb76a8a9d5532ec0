// Mutexes and condition variables of one's own for the locks of a TransactionDB
// (TransactionDBOptions::custom_mutex_factory), so that a wait for a key can be ended, or counted,
// by whoever made them.
//
// Without a factory waits go through fiber: a fiber parks, a thread sleeps. Waits on locks of one's
// own block whatever they block.
//
// Thread safety: all of them are called from anywhere.
#pragma once

#include <cstdint>
#include <memory>

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class TransactionDBMutex {
 public:
  virtual ~TransactionDBMutex() {}

  // OK: the caller has it. Where keys are given back it is called until it is OK.
  virtual Status Lock() = 0;
  // The same, for at most `timeout_time` microseconds; negative: for ever. What is not OK fails the
  // operation: TimedOut(kMutexTimeout), say.
  virtual Status TryLockFor(int64_t timeout_time) = 0;
  virtual void UnLock() = 0;
};

class TransactionDBCondVar {
 public:
  virtual ~TransactionDBCondVar() {}

  // The caller has `mutex`, which is free meanwhile. OK: woken, or for no reason. Else: the
  // operation fails with it.
  virtual Status Wait(std::shared_ptr<TransactionDBMutex> mutex) = 0;
  // The same, for at most `timeout_time` microseconds; then TimedOut, which the database looks into
  // by its own clock.
  virtual Status WaitFor(std::shared_ptr<TransactionDBMutex> mutex, int64_t timeout_time) = 0;

  // Wakes one, or all, of those that wait. Called with the mutex held.
  virtual void Notify() = 0;
  virtual void NotifyAll() = 0;
};

class TransactionDBMutexFactory {
 public:
  virtual ~TransactionDBMutexFactory() {}

  // One for each stripe of the lock table.
  virtual std::shared_ptr<TransactionDBMutex> AllocateMutex() = 0;
  // One for each transaction that has to wait; it is used with any of the mutexes, one at a time.
  virtual std::shared_ptr<TransactionDBCondVar> AllocateCondVar() = 0;
};

}  // namespace ROCKSDB_NAMESPACE
