#include "server/net/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "fiber/clock.h"
#include "fiber/net.h"

namespace cairn::server {

using rocksdb::Status;

namespace {

constexpr size_t kRecordBytes = 16 << 10;  // the most that one record carries
constexpr size_t kMinWireBytes = 4 << 10;  // received at once, from a client that sends little
constexpr size_t kMaxWireBytes = 64 << 10;
constexpr size_t kMaxSendBytes = 64 << 10;  // encrypted before it is sent
constexpr size_t kKeptBytes = 4 << 10;      // of an empty buffer
// What OpenSSL itself has to say (answers to key updates) may pile up so far.
constexpr size_t kMaxAnswerBytes = 16 << 10;

TlsStream::Wire* WireOf(BIO* bio) { return static_cast<TlsStream::Wire*>(BIO_get_data(bio)); }

int ReadWire(BIO* bio, char* data, int size) {
  TlsStream::Wire* const wire = WireOf(bio);
  BIO_clear_retry_flags(bio);
  const size_t n = std::min(static_cast<size_t>(size), wire->in_end - wire->in_begin);
  if (n == 0) {
    BIO_set_retry_read(bio);
    return -1;
  }
  memcpy(data, wire->in.data() + wire->in_begin, n);
  wire->in_begin += n;
  return static_cast<int>(n);
}

int WriteWire(BIO* bio, const char* data, int size) {
  BIO_clear_retry_flags(bio);
  WireOf(bio)->out.append(data, static_cast<size_t>(size));
  return size;
}

long ControlWire(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

int CreateWire(BIO* bio) {
  BIO_set_init(bio, 1);
  return 1;
}

// Empties the thread's queue of errors; the first one says most.
std::string TakeError() {
  const unsigned long code = ERR_get_error();
  const char* const reason = ERR_reason_error_string(code);
  std::string text = reason != nullptr ? reason : "error " + std::to_string(code);
  ERR_clear_error();
  return text;
}

Status FileError(const char* what, const std::string& name) {
  return Status::InvalidArgument(std::string(what) + " " + name, TakeError());
}

uint64_t DeadlineOf(uint64_t patience_nanos) {
  return patience_nanos == 0 ? fiber::kNoDeadline : fiber::deadline_after(patience_nanos);
}

void GiveBack(std::string* buffer) {
  buffer->clear();
  if (buffer->capacity() > kKeptBytes) std::string().swap(*buffer);
}

Status Configure(SSL_CTX* ctx, const TlsOptions& options) {
  if (options.cert_file.empty() || options.key_file.empty()) {
    return Status::InvalidArgument("TLS needs tls_cert_file and tls_key_file");
  }
  if (options.auth_clients != TlsClients::kNo && options.ca_cert_file.empty()) {
    return Status::InvalidArgument(
        "tls_auth_clients asks clients for certificates: it needs tls_ca_cert_file, or to be "
        "\"no\"");
  }
  SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
  SSL_CTX_set_max_proto_version(ctx, TLS1_3_VERSION);
  // Of TLS 1.2 only what has forward secrecy and authenticates what it encrypts, as all of 1.3 do.
  if (SSL_CTX_set_cipher_list(ctx, "ECDHE+AESGCM:ECDHE+CHACHA20") != 1) {
    return Status::NotSupported("TLS ciphers", TakeError());
  }
  SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
  // Who comes again brings its session along (a ticket): the server remembers none.
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(ctx, 1);
  static constexpr unsigned char kSessionContext[] = "cairn-server";
  SSL_CTX_set_session_id_context(ctx, kSessionContext, sizeof(kSessionContext) - 1);

  // Nobody is there to type the passphrase of a key.
  SSL_CTX_set_default_passwd_cb(ctx, [](char*, int, int, void*) { return 0; });
  if (SSL_CTX_use_certificate_chain_file(ctx, options.cert_file.c_str()) != 1) {
    return FileError("tls_cert_file", options.cert_file);
  }
  if (SSL_CTX_use_PrivateKey_file(ctx, options.key_file.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(ctx) != 1) {
    return FileError("tls_key_file", options.key_file);
  }
  if (!options.ca_cert_file.empty()) {
    if (SSL_CTX_load_verify_locations(ctx, options.ca_cert_file.c_str(), nullptr) != 1) {
      return FileError("tls_ca_cert_file", options.ca_cert_file);
    }
    // Which certificates are of use, for clients that have several.
    SSL_CTX_set_client_CA_list(ctx, SSL_load_client_CA_file(options.ca_cert_file.c_str()));
  }
  int verify = SSL_VERIFY_NONE;
  if (options.auth_clients != TlsClients::kNo) verify = SSL_VERIFY_PEER;
  if (options.auth_clients == TlsClients::kYes) verify |= SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
  SSL_CTX_set_verify(ctx, verify, nullptr);
  return Status::OK();
}

// Null, with *status, if there is something wrong with the files.
SSL_CTX* MakeContext(const TlsOptions& options, Status* status) {
  ERR_clear_error();
  SSL_CTX* const ctx = SSL_CTX_new(TLS_server_method());
  *status = ctx != nullptr ? Configure(ctx, options) : Status::MemoryLimit("TLS", TakeError());
  ERR_clear_error();
  if (status->ok()) return ctx;
  SSL_CTX_free(ctx);
  return nullptr;
}

}  // namespace

Status TlsContext::Create(const TlsOptions& options, std::unique_ptr<TlsContext>* context) {
  Status s;
  SSL_CTX* const ctx = MakeContext(options, &s);
  if (ctx == nullptr) return s;
  std::unique_ptr<TlsContext> made(new TlsContext());
  {
    const fiber::MutexLock lock(&made->mutex_);
    made->context_ = ctx;
  }
  // OpenSSL has a hundred numbers for these: one serves all contexts.
  static const int kType = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK;
  BIO_METHOD* const method = made->method_ = BIO_meth_new(kType, "wire");
  if (method == nullptr) return Status::MemoryLimit("TLS", TakeError());
  BIO_meth_set_read(method, ReadWire);
  BIO_meth_set_write(method, WriteWire);
  BIO_meth_set_ctrl(method, ControlWire);
  BIO_meth_set_create(method, CreateWire);
  *context = std::move(made);
  return s;
}

Status TlsContext::Reload(const TlsOptions& options) {
  Status s;
  SSL_CTX* ctx = MakeContext(options, &s);
  if (ctx == nullptr) return s;
  {
    const fiber::MutexLock lock(&mutex_);
    std::swap(context_, ctx);
  }
  SSL_CTX_free(ctx);
  return s;
}

SSL* TlsContext::NewConnection() {
  const fiber::MutexLock lock(&mutex_);
  return SSL_new(context_);
}

TlsContext::~TlsContext() {
  const fiber::MutexLock lock(&mutex_);
  SSL_CTX_free(context_);
  BIO_meth_free(method_);
}

TlsStream::TlsStream(TlsContext* context, int fd) : fd_(fd) {
  ERR_clear_error();
  ssl_ = context->NewConnection();
  BIO* const bio = ssl_ == nullptr ? nullptr : BIO_new(context->method_);
  if (bio == nullptr) {
    SSL_free(ssl_);
    ssl_ = nullptr;
    return;
  }
  BIO_set_data(bio, &wire_);
  SSL_set_bio(ssl_, bio, bio);
  SSL_set_accept_state(ssl_);
}

TlsStream::~TlsStream() { SSL_free(ssl_); }

bool TlsStream::Handshake(uint64_t deadline, std::string* error) {
  if (ssl_ == nullptr) {
    *error = "no memory";
    return false;
  }
  for (;;) {
    bool done, more = false;
    {
      const fiber::MutexLock lock(&mutex_);
      ERR_clear_error();
      const int result = SSL_do_handshake(ssl_);
      done = result == 1;
      if (!done) {
        more = SSL_get_error(ssl_, result) == SSL_ERROR_WANT_READ;
        const long verified = SSL_get_verify_result(ssl_);
        if (!more) {
          *error = verified != X509_V_OK ? X509_verify_cert_error_string(verified) : TakeError();
        }
      }
    }
    {
      const fiber::MutexLock sending(&send_mutex_);
      // A failure is told to who listens, and to nobody else.
      const int n = Drain(done || more ? 0 : fiber::net::kDontWait, deadline, 0);
      if (n < 0 && (done || more)) {
        *error = std::strerror(-n);
        return false;
      }
    }
    if (done || !more) return done;
    const int n = ReceiveWire(deadline);
    if (n <= 0) {
      *error = n == 0 ? "the client has left" : std::strerror(-n);
      return false;
    }
  }
}

// REQUIRES: all that came before was read.
int TlsStream::ReceiveWire(uint64_t deadline) {
  std::string& in = wire_.in;
  if (in.empty()) in.resize(kMinWireBytes);
  const ptrdiff_t n = fiber::net::recv(fd_, in.data(), in.size(), 0, deadline);
  if (n <= 0) return static_cast<int>(n);
  const auto size = static_cast<size_t>(n);
  const fiber::MutexLock lock(&mutex_);
  wire_.in_begin = 0;
  wire_.in_end = size;
  return 1;
}

ptrdiff_t TlsStream::Receive(void* data, size_t size, uint64_t deadline) {
  for (;;) {
    size_t got = 0;
    int error = SSL_ERROR_NONE;
    size_t answers;
    {
      const fiber::MutexLock lock(&mutex_);
      ERR_clear_error();
      while (got < size) {
        size_t n = 0;
        if (SSL_read_ex(ssl_, static_cast<char*>(data) + got, size - got, &n) != 1) {
          error = SSL_get_error(ssl_, 0);
          ERR_clear_error();
          break;
        }
        got += n;
      }
      if (error == SSL_ERROR_WANT_READ) {
        // The buffer follows what the client sends.
        std::string& in = wire_.in;
        if (wire_.in_end == in.size()) {
          in.resize(std::min(kMaxWireBytes, 2 * in.size()));
        } else if (wire_.in_end != 0 && wire_.in_end < in.size() / 4 && in.size() > kMinWireBytes) {
          std::string(kMinWireBytes, '\0').swap(in);
        }
        wire_.in_begin = wire_.in_end = 0;
      }
      answers = wire_.out.size();
      if (answers != 0) unsent_.store(true, std::memory_order_relaxed);
    }
    if (answers != 0 && got == 0) {
      // Who asks for answers and does not take them is not listened to, either.
      if (answers > kMaxAnswerBytes) {
        const fiber::MutexLock sending(&send_mutex_);
        const int n = Drain(0, deadline, 0);
        if (n < 0) return n;
      } else if (send_mutex_.try_lock()) {
        (void)Drain(fiber::net::kDontWait, deadline, 0);
        send_mutex_.unlock();
      }
    }
    if (got != 0 || size == 0) return static_cast<ptrdiff_t>(got);
    if (error == SSL_ERROR_ZERO_RETURN) return 0;
    if (error != SSL_ERROR_WANT_READ) return -EPROTO;
    const int n = ReceiveWire(deadline);
    if (n <= 0) return n;
  }
}

ptrdiff_t TlsStream::Encrypt(const fiber::io::IoVec* parts, size_t count) {
  const fiber::MutexLock lock(&mutex_);
  ERR_clear_error();
  size_t taken = 0;
  const auto encrypt = [&](const void* data, size_t size) {
    size_t n = 0;
    return SSL_write_ex(ssl_, data, size, &n) == 1 && n == size;
  };
  size_t offset = 0;  // in parts[i]
  std::string gathered;
  bool ok = true;
  for (size_t i = 0; ok && i < count && taken < kMaxSendBytes;) {
    const char* const data = static_cast<const char*>(parts[i].iov_base) + offset;
    const size_t left = parts[i].iov_len - offset;
    size_t size = std::min({left, kRecordBytes - gathered.size(), kMaxSendBytes - taken});
    if (size == 0 && left == 0) {
      ++i;
      offset = 0;
      continue;
    }
    // A record for each small part would cost more than the copy.
    const bool last = i + 1 == count && size == left;
    if (gathered.empty() && (size == kRecordBytes || last)) {
      ok = encrypt(data, size);
    } else {
      gathered.append(data, size);
      if (last || gathered.size() == kRecordBytes || taken + size == kMaxSendBytes) {
        ok = encrypt(gathered.data(), gathered.size());
        gathered.clear();
      }
    }
    taken += size;
    offset += size;
  }
  if (ok && !gathered.empty()) ok = encrypt(gathered.data(), gathered.size());
  if (!wire_.out.empty()) unsent_.store(true, std::memory_order_relaxed);
  ERR_clear_error();
  return ok ? static_cast<ptrdiff_t>(taken) : -EPIPE;
}

int TlsStream::Drain(int flags, uint64_t deadline, uint64_t patience_nanos) {
  for (;;) {
    if (sent_ == sending_.size()) {
      sent_ = 0;
      GiveBack(&sending_);
      const fiber::MutexLock lock(&mutex_);
      if (wire_.out.empty()) {
        GiveBack(&wire_.out);
        unsent_.store(false, std::memory_order_relaxed);
        return 0;
      }
      std::swap(sending_, wire_.out);
    }
    const ptrdiff_t n =
        fiber::net::send(fd_, sending_.data() + sent_, sending_.size() - sent_, flags, deadline);
    if (n < 0) return static_cast<int>(n);
    sent_ += static_cast<size_t>(n);
    if (patience_nanos != 0) deadline = fiber::deadline_after(patience_nanos);
  }
}

ptrdiff_t TlsStream::Send(const fiber::io::IoVec* parts, size_t count, uint64_t patience_nanos) {
  const fiber::MutexLock sending(&send_mutex_);
  const ptrdiff_t taken = Encrypt(parts, count);
  if (taken < 0) return taken;
  const int n = Drain(0, DeadlineOf(patience_nanos), patience_nanos);
  return n < 0 ? n : taken;
}

ptrdiff_t TlsStream::SendNow(const void* data, size_t size) {
  if (!send_mutex_.try_lock()) return -EAGAIN;
  ptrdiff_t taken = Drain(fiber::net::kDontWait, fiber::kNoDeadline, 0);
  if (taken == 0) {
    const fiber::io::IoVec part = {const_cast<void*>(data), size};
    taken = Encrypt(&part, 1);
    // An error shows again when the rest is sent.
    if (taken > 0) (void)Drain(fiber::net::kDontWait, fiber::kNoDeadline, 0);
  }
  send_mutex_.unlock();
  return taken;
}

int TlsStream::SendRest(uint64_t patience_nanos) {
  const fiber::MutexLock sending(&send_mutex_);
  return Drain(0, DeadlineOf(patience_nanos), patience_nanos);
}

void TlsStream::SayGoodbye() {
  if (ssl_ == nullptr || !send_mutex_.try_lock()) return;
  {
    const fiber::MutexLock lock(&mutex_);
    ERR_clear_error();
    if (SSL_is_init_finished(ssl_)) (void)SSL_shutdown(ssl_);
    ERR_clear_error();
  }
  (void)Drain(fiber::net::kDontWait, fiber::kNoDeadline, 0);
  send_mutex_.unlock();
}

}  // namespace cairn::server
