// Status in text, and its heap-allocated message.
#include "rocksdb/status.h"

#include <cstring>
#include <string>

namespace ROCKSDB_NAMESPACE {

namespace {

const char* CodeText(Status::Code code) {
  switch (code) {
    case Status::kOk:
      return "OK";
    case Status::kNotFound:
      return "NotFound: ";
    case Status::kCorruption:
      return "Corruption: ";
    case Status::kNotSupported:
      return "Not implemented: ";
    case Status::kInvalidArgument:
      return "Invalid argument: ";
    case Status::kIOError:
      return "IO error: ";
    case Status::kMergeInProgress:
      return "Merge in progress: ";
    case Status::kIncomplete:
      return "Result incomplete: ";
    case Status::kShutdownInProgress:
      return "Shutdown in progress: ";
    case Status::kTimedOut:
      return "Operation timed out: ";
    case Status::kAborted:
      return "Operation aborted: ";
    case Status::kBusy:
      return "Resource busy: ";
    case Status::kExpired:
      return "Operation expired: ";
    case Status::kTryAgain:
      return "Operation failed. Try again.: ";
    case Status::kCompactionTooLarge:
      return "Compaction too large: ";
    case Status::kColumnFamilyDropped:
      return "Column family dropped: ";
    case Status::kMaxCode:
      break;
  }
  return "Unknown code: ";
}

const char* SubCodeText(Status::SubCode subcode) {
  switch (subcode) {
    case Status::kNone:
      return "";
    case Status::kMutexTimeout:
      return "Timeout Acquiring Mutex";
    case Status::kLockTimeout:
      return "Timeout waiting to lock key";
    case Status::kLockLimit:
      return "Failed to acquire lock due to max_num_locks limit";
    case Status::kNoSpace:
      return "No space left on device";
    case Status::kDeadlock:
      return "Deadlock";
    case Status::kStaleFile:
      return "Stale file handle";
    case Status::kMemoryLimit:
      return "Memory limit reached";
    case Status::kSpaceLimit:
      return "Space limit reached";
    case Status::kPathNotFound:
      return "No such file or directory";
    case Status::KMergeOperandsInsufficientCapacity:
      return "Insufficient capacity for merge operands";
    case Status::kManualCompactionPaused:
      return "Manual compaction paused";
    case Status::kOverwritten:
      return " (overwritten)";
    case Status::kTxnNotPrepared:
      return "Txn not prepared";
    case Status::kIOFenced:
      return "IO fenced off";
    case Status::kMergeOperatorFailed:
      return "Merge operator failed";
    case Status::kMergeOperandThresholdExceeded:
      return "Number of operands merged exceeded threshold";
    case Status::kPrefetchLimitReached:
      return "MultiScan reached file prefetch limit";
    case Status::kMaxSubCode:
      break;
  }
  return "Unknown sub-code";
}

}  // namespace

Status::Status(Code _code, SubCode _subcode, const Slice& msg, const Slice& msg2, Severity sev)
    : code_(_code), subcode_(_subcode), sev_(sev), state_(JoinMessage(msg, msg2)) {}

std::unique_ptr<const char[]> Status::JoinMessage(const Slice& msg, const Slice& msg2) {
  const size_t size = msg.size() + (msg2.empty() ? 0 : 2 + msg2.size());
  std::unique_ptr<char[]> text(new char[size + 1]);
  char* end = text.get();
  if (!msg.empty()) std::memcpy(end, msg.data(), msg.size());
  end += msg.size();
  if (!msg2.empty()) {
    *end++ = ':';
    *end++ = ' ';
    std::memcpy(end, msg2.data(), msg2.size());
    end += msg2.size();
  }
  *end = '\0';
  return text;
}

void Status::CopyFrom(const Status& s) {
  code_ = s.code_;
  subcode_ = s.subcode_;
  sev_ = s.sev_;
  retryable_ = s.retryable_;
  data_loss_ = s.data_loss_;
  scope_ = s.scope_;
  state_ = s.state_ == nullptr ? nullptr : JoinMessage(Slice(s.state_.get()), Slice());
}

Status Status::CopyAppendMessage(const Status& s, const Slice& delim, const Slice& msg) {
  Status result = s;
  std::string text = s.state_ == nullptr ? "" : s.state_.get();
  text.append(delim.data(), delim.size()).append(msg.data(), msg.size());
  result.state_ = JoinMessage(text, Slice());
  return result;
}

std::string Status::ToString() const {
  std::string result = CodeText(code_);
  if (code_ == kOk) return result;
  if (subcode_ != kNone) result += SubCodeText(subcode_);
  if (state_ != nullptr) {
    if (subcode_ != kNone) result += ": ";
    result += state_.get();
  }
  return result;
}

}  // namespace ROCKSDB_NAMESPACE
