// TLS 1.2 and 1.3, by OpenSSL: a context for the server and a stream for each connection.
//
// OpenSSL sees memory only, never a socket: what it wants to read was received before, what it
// writes is kept here and sent then. So it never waits, and between a call of it and the look at
// its errors, which are the thread's, the fiber does not suspend.
//
// What a call of Send() or SendNow() has taken is encrypted and in order at once; what of it the
// socket does not take stays here until it does. Bytes are lost only with the connection.

#ifndef CAIRN_SERVER_NET_TLS_H_
#define CAIRN_SERVER_NET_TLS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fiber/io.h"
#include "fiber/mutex.h"
#include "rocksdb/status.h"
#include "server/state/tls_options.h"

struct bio_method_st;
struct ssl_ctx_st;
struct ssl_st;

namespace cairn::server {

// Thread safe once made.
class TlsContext {
 public:
  // Reads the files.
  static rocksdb::Status Create(const TlsOptions& options, std::unique_ptr<TlsContext>* context);
  // Reads them again: for the connections that come from now on. All stays as it was if they are
  // wrong. Who comes back with a ticket of an older one makes a whole handshake.
  rocksdb::Status Reload(const TlsOptions& options);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

 private:
  friend class TlsStream;
  TlsContext() = default;
  // Null: no memory for it.
  ssl_st* NewConnection();

  fiber::Mutex mutex_;
  ssl_ctx_st* context_ FIBER_GUARDED_BY(mutex_) = nullptr;  // its connections keep it alive
  bio_method_st* method_ = nullptr;  // how OpenSSL reads and writes a TlsStream's buffers
};

// One connection over a connected socket, which is borrowed, as is the context. One fiber receives,
// any number send. Results are those of fiber/net.h; -EPROTO: what came is no TLS, or is forged.
class TlsStream {
 public:
  TlsStream(TlsContext* context, int fd);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // SUSPENDS. First of all. False: *error says why; the client was told, if it listens.
  bool Handshake(uint64_t deadline, std::string* error);
  // SUSPENDS until there is something.
  ptrdiff_t Receive(void* data, size_t size, uint64_t deadline);
  // SUSPENDS until all that was taken, at least a byte, is sent. `patience_nanos`: a client that
  // takes nothing for so long ends it (-ETIMEDOUT); 0: never.
  ptrdiff_t Send(const fiber::io::IoVec* parts, size_t count, uint64_t patience_nanos);
  // Takes what it can without waiting; -EAGAIN: nothing.
  ptrdiff_t SendNow(const void* data, size_t size);
  // Whether the socket has not yet taken all that was taken here.
  bool unsent() const { return unsent_.load(std::memory_order_relaxed); }
  // SUSPENDS until it has. 0 or an error.
  int SendRest(uint64_t patience_nanos);
  // Tells the client that nothing follows; never waits.
  void SayGoodbye();

  // For OpenSSL's calls alone.
  struct Wire {
    std::string in;  // [in_begin, in_end) has come and was not read
    size_t in_begin = 0;
    size_t in_end = 0;
    std::string out;  // was written and is not yet under way
  };

 private:
  int ReceiveWire(uint64_t deadline);
  ptrdiff_t Encrypt(const fiber::io::IoVec* parts, size_t count);
  // Sends until nothing is left. `patience_nanos`: as of Send(), begins anew with each step.
  int Drain(int flags, uint64_t deadline, uint64_t patience_nanos) FIBER_REQUIRES(send_mutex_);

  const int fd_;
  // Taken in this order. Who sends; who calls OpenSSL.
  fiber::Mutex send_mutex_;
  fiber::Mutex mutex_;
  ssl_st* ssl_ = nullptr;  // null: no memory for it. Its calls are made under mutex_
  // Under mutex_, but for `in` while in_begin == in_end: that is the receiver's.
  Wire wire_;
  std::string sending_ FIBER_GUARDED_BY(send_mutex_);  // left wire_.out, is being sent
  size_t sent_ FIBER_GUARDED_BY(send_mutex_) = 0;      // of sending_
  // Set under mutex_, reset under both; read by who has just sent.
  std::atomic<bool> unsent_{false};
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_NET_TLS_H_
