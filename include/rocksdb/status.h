// Status: the outcome of an operation: OK, or an error code with an optional sub-code, severity and
// message.
//
// An OK status costs no allocation. A message is heap-allocated and owned. Copies are deep.
// Concurrent const use is safe.
#pragma once

#include <memory>
#include <string>

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {

class Status {
 public:
  enum Code : unsigned char {
    kOk = 0,
    kNotFound = 1,
    kCorruption = 2,
    kNotSupported = 3,
    kInvalidArgument = 4,
    kIOError = 5,
    kMergeInProgress = 6,
    kIncomplete = 7,
    kShutdownInProgress = 8,
    kTimedOut = 9,
    kAborted = 10,
    kBusy = 11,
    kExpired = 12,
    kTryAgain = 13,
    kCompactionTooLarge = 14,
    kColumnFamilyDropped = 15,
    kMaxCode
  };

  enum SubCode : unsigned char {
    kNone = 0,
    kMutexTimeout = 1,
    kLockTimeout = 2,
    kLockLimit = 3,
    kNoSpace = 4,
    kDeadlock = 5,
    kStaleFile = 6,
    kMemoryLimit = 7,
    kSpaceLimit = 8,
    kPathNotFound = 9,
    KMergeOperandsInsufficientCapacity = 10,
    kManualCompactionPaused = 11,
    kOverwritten = 12,
    kTxnNotPrepared = 13,
    kIOFenced = 14,
    kMergeOperatorFailed = 15,
    kMergeOperandThresholdExceeded = 16,
    kPrefetchLimitReached = 17,
    kMaxSubCode
  };

  // How bad a background error is: soft ones only stop background work, hard ones stop writes,
  // fatal ones need a reopen.
  enum Severity : unsigned char {
    kNoError = 0,
    kSoftError = 1,
    kHardError = 2,
    kFatalError = 3,
    kUnrecoverableError = 4,
    kMaxSeverity
  };

  Status() = default;
  ~Status() = default;
  Status(const Status& s) { CopyFrom(s); }
  Status& operator=(const Status& s) {
    if (this != &s) CopyFrom(s);
    return *this;
  }
  // The source of a move becomes OK.
  Status(Status&& s) noexcept { MoveFrom(s); }
  Status& operator=(Status&& s) noexcept {
    if (this != &s) MoveFrom(s);
    return *this;
  }
  // The same error with another severity.
  Status(const Status& s, Severity sev) {
    CopyFrom(s);
    sev_ = sev;
  }
  Status(Code _code, SubCode _subcode, Severity _sev, const Slice& msg)
      : Status(_code, _subcode, msg, Slice(), _sev) {}

  // Statuses compare by code only.
  bool operator==(const Status& rhs) const { return code_ == rhs.code_; }
  bool operator!=(const Status& rhs) const { return code_ != rhs.code_; }

  // Says to the reader that this status is dropped on purpose. Does nothing.
  void PermitUncheckedError() const {}
  void MustCheck() const {}

  Code code() const { return code_; }
  SubCode subcode() const { return subcode_; }
  Severity severity() const { return sev_; }
  // The message, NUL-terminated, owned by this object; null without one.
  const char* getState() const { return state_.get(); }

  // Factories. With messages: "msg: msg2" (msg2 left out when empty).
  static Status OK() { return Status(); }
  static Status OkOverwritten() { return Status(kOk, kOverwritten); }
  // A value was merged of more operands than ReadOptions::merge_operand_count_threshold.
  static Status OkMergeOperandThresholdExceeded() {
    return Status(kOk, kMergeOperandThresholdExceeded);
  }
  static Status NotFound(SubCode sub = kNone) { return Status(kNotFound, sub); }
  static Status NotFound(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kNotFound, kNone, msg, msg2);
  }
  static Status NotFound(SubCode sub, const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kNotFound, sub, msg, msg2);
  }
  static Status Corruption(SubCode sub = kNone) { return Status(kCorruption, sub); }
  static Status Corruption(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kCorruption, kNone, msg, msg2);
  }
  static Status NotSupported(SubCode sub = kNone) { return Status(kNotSupported, sub); }
  static Status NotSupported(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kNotSupported, kNone, msg, msg2);
  }
  static Status InvalidArgument(SubCode sub = kNone) { return Status(kInvalidArgument, sub); }
  static Status InvalidArgument(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kInvalidArgument, kNone, msg, msg2);
  }
  static Status IOError(SubCode sub = kNone) { return Status(kIOError, sub); }
  static Status IOError(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kIOError, kNone, msg, msg2);
  }
  static Status MergeInProgress(SubCode sub = kNone) { return Status(kMergeInProgress, sub); }
  static Status MergeInProgress(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kMergeInProgress, kNone, msg, msg2);
  }
  static Status PrefetchLimitReached() { return Status(kIncomplete, kPrefetchLimitReached); }
  static Status Incomplete(SubCode sub = kNone) { return Status(kIncomplete, sub); }
  static Status Incomplete(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kIncomplete, kNone, msg, msg2);
  }
  static Status ShutdownInProgress(SubCode sub = kNone) { return Status(kShutdownInProgress, sub); }
  static Status ShutdownInProgress(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kShutdownInProgress, kNone, msg, msg2);
  }
  static Status TimedOut(SubCode sub = kNone) { return Status(kTimedOut, sub); }
  static Status TimedOut(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kTimedOut, kNone, msg, msg2);
  }
  static Status Aborted(SubCode sub = kNone) { return Status(kAborted, sub); }
  static Status Aborted(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kAborted, kNone, msg, msg2);
  }
  static Status Busy(SubCode sub = kNone) { return Status(kBusy, sub); }
  static Status Busy(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kBusy, kNone, msg, msg2);
  }
  static Status Expired(SubCode sub = kNone) { return Status(kExpired, sub); }
  static Status Expired(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kExpired, kNone, msg, msg2);
  }
  static Status TryAgain(SubCode sub = kNone) { return Status(kTryAgain, sub); }
  static Status TryAgain(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kTryAgain, kNone, msg, msg2);
  }
  static Status CompactionTooLarge(SubCode sub = kNone) { return Status(kCompactionTooLarge, sub); }
  static Status CompactionTooLarge(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kCompactionTooLarge, kNone, msg, msg2);
  }
  static Status ColumnFamilyDropped(SubCode sub = kNone) {
    return Status(kColumnFamilyDropped, sub);
  }
  static Status ColumnFamilyDropped(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kColumnFamilyDropped, kNone, msg, msg2);
  }
  static Status NoSpace() { return Status(kIOError, kNoSpace); }
  static Status NoSpace(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kIOError, kNoSpace, msg, msg2);
  }
  static Status MemoryLimit() { return Status(kAborted, kMemoryLimit); }
  static Status MemoryLimit(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kAborted, kMemoryLimit, msg, msg2);
  }
  static Status SpaceLimit() { return Status(kIOError, kSpaceLimit); }
  static Status SpaceLimit(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kIOError, kSpaceLimit, msg, msg2);
  }
  static Status PathNotFound() { return Status(kIOError, kPathNotFound); }
  static Status PathNotFound(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kIOError, kPathNotFound, msg, msg2);
  }
  static Status TxnNotPrepared() { return Status(kInvalidArgument, kTxnNotPrepared); }
  static Status TxnNotPrepared(const Slice& msg, const Slice& msg2 = Slice()) {
    return Status(kInvalidArgument, kTxnNotPrepared, msg, msg2);
  }

  bool ok() const { return code_ == kOk; }
  bool IsOkOverwritten() const { return code_ == kOk && subcode_ == kOverwritten; }
  bool IsOkMergeOperandThresholdExceeded() const {
    return code_ == kOk && subcode_ == kMergeOperandThresholdExceeded;
  }
  // What MultiScanArgs::max_prefetch_size left out of a scan was reached.
  bool IsPrefetchLimitReached() const {
    return code_ == kIncomplete && subcode_ == kPrefetchLimitReached;
  }
  bool IsNotFound() const { return code_ == kNotFound; }
  bool IsCorruption() const { return code_ == kCorruption; }
  bool IsNotSupported() const { return code_ == kNotSupported; }
  bool IsInvalidArgument() const { return code_ == kInvalidArgument; }
  bool IsIOError() const { return code_ == kIOError; }
  bool IsMergeInProgress() const { return code_ == kMergeInProgress; }
  bool IsIncomplete() const { return code_ == kIncomplete; }
  bool IsShutdownInProgress() const { return code_ == kShutdownInProgress; }
  bool IsTimedOut() const { return code_ == kTimedOut; }
  bool IsAborted() const { return code_ == kAborted; }
  bool IsBusy() const { return code_ == kBusy; }
  bool IsExpired() const { return code_ == kExpired; }
  bool IsTryAgain() const { return code_ == kTryAgain; }
  bool IsCompactionTooLarge() const { return code_ == kCompactionTooLarge; }
  bool IsColumnFamilyDropped() const { return code_ == kColumnFamilyDropped; }
  // (Busy with RocksDB 7's transactions and ours, Aborted with RocksDB 11's.)
  bool IsLockLimit() const {
    return (code_ == kAborted || code_ == kBusy) && subcode_ == kLockLimit;
  }
  bool IsDeadlock() const { return code_ == kBusy && subcode_ == kDeadlock; }
  bool IsNoSpace() const { return code_ == kIOError && subcode_ == kNoSpace; }
  bool IsMemoryLimit() const { return code_ == kAborted && subcode_ == kMemoryLimit; }
  bool IsPathNotFound() const {
    return (code_ == kIOError || code_ == kNotFound) && subcode_ == kPathNotFound;
  }
  bool IsManualCompactionPaused() const {
    return code_ == kIncomplete && subcode_ == kManualCompactionPaused;
  }
  bool IsTxnNotPrepared() const { return code_ == kInvalidArgument && subcode_ == kTxnNotPrepared; }
  bool IsIOFenced() const { return code_ == kIOError && subcode_ == kIOFenced; }

  // As `s`, with `delim` and `msg` behind its message.
  static Status CopyAppendMessage(const Status& s, const Slice& delim, const Slice& msg);

  // "OK", or the error's kind, sub-code and message: "IO error: No such file or directory: /x".
  std::string ToString() const;

 protected:
  Code code_ = kOk;
  SubCode subcode_ = kNone;
  Severity sev_ = kNoError;
  bool retryable_ = false;   // I/O errors: worth trying again
  bool data_loss_ = false;   // I/O errors: bytes that were written may be gone
  unsigned char scope_ = 0;  // I/O errors: IOStatus::IOErrorScope
  std::unique_ptr<const char[]> state_;

  explicit Status(Code _code, SubCode _subcode = kNone) : code_(_code), subcode_(_subcode) {}
  Status(Code _code, SubCode _subcode, bool retryable, bool data_loss, unsigned char scope)
      : code_(_code),
        subcode_(_subcode),
        retryable_(retryable),
        data_loss_(data_loss),
        scope_(scope) {}
  Status(Code _code, SubCode _subcode, const Slice& msg, const Slice& msg2,
         Severity sev = kNoError);

  // "msg: msg2" as an owned, NUL-terminated string.
  static std::unique_ptr<const char[]> JoinMessage(const Slice& msg, const Slice& msg2);

 private:
  void CopyFrom(const Status& s);
  void MoveFrom(Status& s) noexcept {
    code_ = s.code_;
    subcode_ = s.subcode_;
    sev_ = s.sev_;
    retryable_ = s.retryable_;
    data_loss_ = s.data_loss_;
    scope_ = s.scope_;
    state_ = std::move(s.state_);
    s.code_ = kOk;
    s.subcode_ = kNone;
    s.sev_ = kNoError;
    s.retryable_ = false;
    s.data_loss_ = false;
    s.scope_ = 0;
  }
};

}  // namespace ROCKSDB_NAMESPACE
