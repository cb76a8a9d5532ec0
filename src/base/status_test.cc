#include "rocksdb/status.h"

#include <gtest/gtest.h>

#include "base/namespace.h"
#include "rocksdb/io_status.h"

namespace cairn {
namespace {

TEST(Status, OkHasNoMessage) {
  Status s;
  EXPECT_TRUE(s.ok());
  EXPECT_EQ("OK", s.ToString());
  EXPECT_EQ(nullptr, s.getState());
  EXPECT_TRUE(Status::OkOverwritten().IsOkOverwritten());
  EXPECT_EQ("OK", Status::OkOverwritten().ToString());
}

// The texts are RocksDB 7.8.3's.
TEST(Status, TextsNameCodeSubCodeAndMessage) {
  EXPECT_EQ("NotFound: ", Status::NotFound().ToString());
  EXPECT_EQ("NotFound: a: b", Status::NotFound("a", "b").ToString());
  EXPECT_EQ("Corruption: x", Status::Corruption("x").ToString());
  EXPECT_EQ("Not implemented: x", Status::NotSupported("x").ToString());
  EXPECT_EQ("Invalid argument: x", Status::InvalidArgument("x").ToString());
  EXPECT_EQ("IO error: x", Status::IOError("x").ToString());
  EXPECT_EQ("Result incomplete: x", Status::Incomplete("x").ToString());
  EXPECT_EQ("Shutdown in progress: x", Status::ShutdownInProgress("x").ToString());
  EXPECT_EQ("Operation timed out: x", Status::TimedOut("x").ToString());
  EXPECT_EQ("Operation aborted: x", Status::Aborted("x").ToString());
  EXPECT_EQ("Resource busy: x", Status::Busy("x").ToString());
  EXPECT_EQ("Operation expired: x", Status::Expired("x").ToString());
  EXPECT_EQ("Operation failed. Try again.: x", Status::TryAgain("x").ToString());
  EXPECT_EQ("IO error: No space left on device", Status::NoSpace().ToString());
  EXPECT_EQ("IO error: No space left on device: disk", Status::NoSpace("disk").ToString());
  EXPECT_EQ("IO error: No such file or directory: f", Status::PathNotFound("f").ToString());
  EXPECT_EQ("Operation aborted: Memory limit reached", Status::MemoryLimit().ToString());
}

TEST(Status, PredicatesFollowCodeAndSubCode) {
  EXPECT_TRUE(Status::NoSpace().IsIOError());
  EXPECT_TRUE(Status::NoSpace().IsNoSpace());
  EXPECT_FALSE(Status::IOError("x").IsNoSpace());
  EXPECT_TRUE(Status::MemoryLimit().IsAborted());
  EXPECT_TRUE(Status::MemoryLimit().IsMemoryLimit());
  EXPECT_TRUE(Status::PathNotFound().IsPathNotFound());
  EXPECT_TRUE(Status::NotFound(Status::kPathNotFound, "x").IsPathNotFound());
  EXPECT_TRUE(Status::Incomplete(Status::kManualCompactionPaused).IsManualCompactionPaused());
  EXPECT_TRUE(Status::Busy(Status::kDeadlock).IsDeadlock());
}

TEST(Status, CopiesAreDeepAndMovesLeaveOk) {
  Status original = Status::Corruption("file", "offset 7");
  Status copy = original;
  EXPECT_EQ(original.ToString(), copy.ToString());
  EXPECT_NE(original.getState(), copy.getState());
  Status moved = std::move(original);
  EXPECT_EQ("Corruption: file: offset 7", moved.ToString());
  EXPECT_TRUE(original.ok());  // NOLINT(bugprone-use-after-move): the promise under test
  Status& alias = moved;
  moved = alias;
  EXPECT_EQ("Corruption: file: offset 7", moved.ToString());
  EXPECT_EQ(Status::Corruption("other"), moved);
  EXPECT_NE(Status::NotFound(), moved);
}

TEST(Status, SeverityIsCarried) {
  const Status s(Status::IOError("x"), Status::kHardError);
  EXPECT_EQ(Status::kHardError, s.severity());
  EXPECT_EQ("IO error: x", s.ToString());
}

TEST(Status, AMessageCanBeAddedTo) {
  const Status s = Status::CopyAppendMessage(Status::NoSpace("write"), ": ", "000007.log");
  EXPECT_TRUE(s.IsNoSpace());
  EXPECT_EQ("IO error: No space left on device: write: 000007.log", s.ToString());
  EXPECT_EQ("NotFound: x", Status::CopyAppendMessage(Status::NotFound(), "", "x").ToString());
}

TEST(IOStatus, KeepsItsAttributesInCopiesAndConversions) {
  IOStatus s = IOStatus::NoSpace("disk");
  s.SetRetryable(true);
  s.SetDataLoss(true);
  s.SetScope(IOStatus::kIOErrorScopeFile);
  const IOStatus copy = s;
  EXPECT_TRUE(copy.GetRetryable());
  EXPECT_TRUE(copy.GetDataLoss());
  EXPECT_EQ(IOStatus::kIOErrorScopeFile, copy.GetScope());
  EXPECT_EQ("IO error: No space left on device: disk", copy.ToString());

  Status plain = s;
  EXPECT_TRUE(plain.IsNoSpace());
  const IOStatus back = status_to_io_status(std::move(plain));
  EXPECT_TRUE(back.IsNoSpace());
  EXPECT_TRUE(back.GetRetryable());
  EXPECT_TRUE(status_to_io_status(Status::OK()).ok());
}

}  // namespace
}  // namespace cairn
