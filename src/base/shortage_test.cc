#include "base/shortage.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "rocksdb/io_status.h"

// Not every system has them.
#ifndef EDQUOT
#define EDQUOT ENOSPC
#endif
#ifndef ESTALE
#define ESTALE EIO
#endif

namespace cairn {
namespace {

TEST(Shortage, WhatPassesAndWhatDoesNot) {
  for (const int err : {EMFILE, ENFILE, ENOMEM, ENOBUFS, EINTR, EAGAIN, ENOSPC, EDQUOT}) {
    EXPECT_TRUE(IsShortage(err)) << err;
  }
  for (const int err : {0, EIO, EROFS, ENOENT, EACCES, EINVAL, ESTALE, EPERM}) {
    EXPECT_FALSE(IsShortage(err)) << err;
  }
  EXPECT_FALSE(IsShortage(Status::OK()));
  EXPECT_FALSE(IsShortage(Status::Corruption("c")));
  EXPECT_FALSE(IsShortage(IOStatus::IOError("io")));
  EXPECT_TRUE(IsShortage(Status::NoSpace("full")));
  EXPECT_TRUE(IsShortage(Status::MemoryLimit("cache")));
  IOStatus retryable = IOStatus::IOError("busy");
  retryable.SetRetryable(true);
  EXPECT_TRUE(IsShortage(retryable));
  const Status copy = Status::CopyAppendMessage(retryable, ": ", "file");
  EXPECT_TRUE(IsShortage(copy)) << "on its way up";
  EXPECT_TRUE(IsShortage(NoMemory("file")));
}

}  // namespace
}  // namespace cairn
