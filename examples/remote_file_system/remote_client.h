// The reads of a remote file system that are in flight, and the connection they share.
//
// A read is started, then waited for, alone or with others, or aborted. The connection is made when
// the first read needs it and again after it was lost; a thread of its own receives the answers.
// What is received is copied to the reader under the lock that also guards the list of reads: after
// a read is over (answered, failed, timed out, aborted) nobody touches its buffer.
//
// Thread safety: all of RemoteClient. Every wait parks a fiber and blocks a plain thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "fiber/mutex.h"
#include "fiber/net.h"
#include "fiber/sync.h"
#include "rocksdb/io_status.h"

namespace remote {

// One read. The caller's, with its buffer, until it is over; the caller fills in the first part
// before Start().
struct RemoteRead {
  std::string name;
  uint64_t offset = 0;
  size_t length = 0;
  char* scratch = nullptr;
  uint64_t deadline = 0;  // fiber::now_nanos()

  // Once it is over.
  rocksdb::IOStatus status;
  size_t got = 0;  // fewer than `length` only at the end of the file
  uint64_t file_size = 0;

 private:
  friend class RemoteClient;
  // Guarded by the client's lock.
  uint64_t id = 0;
  const void* connection = nullptr;
  bool over = false;
  fiber::Semaphore* watcher = nullptr;
};

class RemoteClient {
 public:
  // `uri`: "remote://127.0.0.1:9000", with "?timeout_ms=N" to give up on a read after that time (10
  // seconds otherwise). Names of hosts are not resolved. InvalidArgument if it is none, IOError if
  // nobody answers there.
  static rocksdb::IOStatus Connect(const std::string& uri, std::shared_ptr<RemoteClient>* result);
  // REQUIRES: no read is in flight.
  ~RemoteClient();

  // Nanoseconds.
  uint64_t timeout() const { return timeout_; }

  // SUSPENDS, but not for the answer. A read that cannot be started is over at once.
  void Start(RemoteRead* read);
  // SUSPENDS until `wanted` of the reads are over. Nobody else waits for them meanwhile.
  void Wait(std::span<RemoteRead* const> reads, size_t wanted);
  bool IsOver(const RemoteRead& read) const;
  // The read is over, and if it was not before, its status is Aborted.
  void Abort(RemoteRead* read);

 private:
  class Connection;

  RemoteClient(std::string server, const fiber::net::Address& address, uint64_t timeout);
  // The present connection, or a new one. Null on failure.
  std::shared_ptr<Connection> Connected(uint64_t deadline, rocksdb::IOStatus* status);
  // What the connection's own thread does.
  void Receive(Connection* connection, int fd);
  void Finish(RemoteRead* read, rocksdb::IOStatus status) FIBER_REQUIRES(mutex_);

  const std::string server_;  // for messages
  const fiber::net::Address address_;
  const uint64_t timeout_;

  fiber::Mutex connecting_;  // before mutex_
  mutable fiber::Mutex mutex_;
  std::map<uint64_t, RemoteRead*> in_flight_ FIBER_GUARDED_BY(mutex_);
  uint64_t last_id_ FIBER_GUARDED_BY(mutex_) = 0;
  // Null: none yet. May be lost.
  std::shared_ptr<Connection> connection_ FIBER_GUARDED_BY(mutex_);
};

}  // namespace remote
