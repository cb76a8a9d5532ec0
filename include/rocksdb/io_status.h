// IOStatus: a Status from a file operation, which also says whether a retry may help, whether
// written data may be lost, and how far the damage reaches.
#pragma once

#include <utility>

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class IOStatus : public Status {
 public:
  using Code = Status::Code;
  using SubCode = Status::SubCode;

  enum IOErrorScope : unsigned char {
    kIOErrorScopeFileSystem,
    kIOErrorScopeFile,
    kIOErrorScopeRange,
    kIOErrorScopeMax,
  };

  IOStatus() = default;
  ~IOStatus() = default;
  IOStatus(const IOStatus&) = default;
  IOStatus& operator=(const IOStatus&) = default;
  IOStatus(IOStatus&&) noexcept = default;
  IOStatus& operator=(IOStatus&&) noexcept = default;

  bool operator==(const IOStatus& rhs) const { return code_ == rhs.code_; }
  bool operator!=(const IOStatus& rhs) const { return code_ != rhs.code_; }

  void SetRetryable(bool retryable) { retryable_ = retryable; }
  void SetDataLoss(bool data_loss) { data_loss_ = data_loss; }
  void SetScope(IOErrorScope scope) { scope_ = static_cast<unsigned char>(scope); }
  bool GetRetryable() const { return retryable_; }
  bool GetDataLoss() const { return data_loss_; }
  IOErrorScope GetScope() const { return static_cast<IOErrorScope>(scope_); }

  static IOStatus OK() { return IOStatus(); }
  static IOStatus NotSupported(SubCode sub = kNone) { return IOStatus(kNotSupported, sub); }
  static IOStatus NotSupported(const Slice& msg, const Slice& msg2 = Slice()) {
    return IOStatus(kNotSupported, kNone, msg, msg2);
  }
  static IOStatus NotFound(SubCode sub = kNone) { return IOStatus(kNotFound, sub); }
  static IOStatus NotFound(const Slice& msg, const Slice& msg2 = Slice()) {
    return IOStatus(kNotFound, kNone, msg, msg2);
  }
  static IOStatus Corruption(SubCode sub = kNone) { return IOStatus(kCorruption, sub); }
  static IOStatus Corruption(const Slice& msg, const Slice& msg2 = Slice()) {
    return IOStatus(kCorruption, kNone, msg, msg2);
  }
  static IOStatus InvalidArgument(SubCode sub = kNone) { return IOStatus(kInvalidArgument, sub); }
  static IOStatus InvalidArgument(const Slice& msg, const Slice& msg2 = Slice()) {
    return IOStatus(kInvalidArgument, kNone, msg, msg2);
  }
  static IOStatus IOError(SubCode sub = kNone) { return IOStatus(kIOError, sub); }
  static IOStatus IOError(const Slice& msg, const Slice& msg2 = Slice()) {
    return IOStatus(kIOError, kNone, msg, msg2);
  }
  static IOStatus Busy(SubCode sub = kNone) { return IOStatus(kBusy, sub); }
  static IOStatus Busy(const Slice& msg, const Slice& msg2 = Slice()) {
    return IOStatus(kBusy, kNone, msg, msg2);
  }
  static IOStatus TimedOut(SubCode sub = kNone) { return IOStatus(kTimedOut, sub); }
  static IOStatus TimedOut(const Slice& msg, const Slice& msg2 = Slice()) {
    return IOStatus(kTimedOut, kNone, msg, msg2);
  }
  static IOStatus Aborted(SubCode sub = kNone) { return IOStatus(kAborted, sub); }
  static IOStatus Aborted(const Slice& msg, const Slice& msg2 = Slice()) {
    return IOStatus(kAborted, kNone, msg, msg2);
  }
  static IOStatus NoSpace() { return IOStatus(kIOError, kNoSpace); }
  static IOStatus NoSpace(const Slice& msg, const Slice& msg2 = Slice()) {
    return IOStatus(kIOError, kNoSpace, msg, msg2);
  }
  static IOStatus PathNotFound() { return IOStatus(kIOError, kPathNotFound); }
  static IOStatus PathNotFound(const Slice& msg, const Slice& msg2 = Slice()) {
    return IOStatus(kIOError, kPathNotFound, msg, msg2);
  }
  static IOStatus IOFenced() { return IOStatus(kIOError, kIOFenced); }
  static IOStatus IOFenced(const Slice& msg, const Slice& msg2 = Slice()) {
    return IOStatus(kIOError, kIOFenced, msg, msg2);
  }

 private:
  friend IOStatus status_to_io_status(Status&& status);

  explicit IOStatus(Code _code, SubCode _subcode = kNone) : Status(_code, _subcode) {}
  IOStatus(Code _code, SubCode _subcode, const Slice& msg, const Slice& msg2)
      : Status(_code, _subcode, msg, msg2) {}
};

// The same outcome as an IOStatus; what was no I/O status is not retryable and of file-system
// scope.
inline IOStatus status_to_io_status(Status&& status) {
  IOStatus result;
  static_cast<Status&>(result) = std::move(status);
  return result;
}

}  // namespace ROCKSDB_NAMESPACE
