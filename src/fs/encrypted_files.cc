// The files of an encrypted file system: rocksdb/env_encryption.h.
#include <cstring>
#include <functional>
#include <memory>
#include <utility>

#include "base/namespace.h"
#include "base/perf.h"
#include "fs/aligned_buffer.h"
#include "rocksdb/env_encryption.h"

namespace ROCKSDB_NAMESPACE {
namespace {

using cairn::AlignedBuffer;
using cairn::Perf;
using cairn::PerfTimer;

// How many of these bytes somebody wrote. Zeros up to the end are what a storage has where nothing
// was written, or where a power cut took it: they stay zeros, as in files that are not encrypted,
// and do not become noise, which a log's reader takes for damage. (That so many encrypted bytes are
// zeros by chance is as likely as to guess a key of 64 bits.)
size_t WrittenBytes(const Slice& bytes) {
  constexpr size_t kFewest = 8;
  size_t written = bytes.size();
  while (written > 0 && bytes[written - 1] == 0) --written;
  return bytes.size() - written < kFewest ? bytes.size() : written;
}

// What was read from `offset` on, decrypted in the caller's scratch: what the file below handed out
// may be its own memory. Without a stream there is nothing yet behind the prefix.
IOStatus DecryptRead(BlockAccessCipherStream* stream, uint64_t offset, Slice* result,
                     char* scratch) {
  if (stream == nullptr) *result = Slice();
  if (result->empty()) return IOStatus::OK();
  if (result->data() != scratch) std::memmove(scratch, result->data(), result->size());
  *result = Slice(scratch, result->size());
  const PerfTimer timer(Perf(), &PerfContext::decrypt_data_nanos);
  return status_to_io_status(stream->Decrypt(offset, scratch, WrittenBytes(*result)));
}

// Hands an encrypted copy of `data`, which goes to `offset`, to `append`. The caller's bytes stay.
template <typename Append>
IOStatus AppendEncrypted(BlockAccessCipherStream* stream, size_t alignment, uint64_t offset,
                         const Slice& data, Append append) {
  if (data.empty()) return append(data);
  const AlignedBuffer buffer(alignment, data.size());
  if (buffer.data() == nullptr) return IOStatus::IOError("no memory to encrypt in");
  std::memcpy(buffer.data(), data.data(), data.size());
  {
    const PerfTimer timer(Perf(), &PerfContext::encrypt_data_nanos);
    IOStatus io = status_to_io_status(stream->Encrypt(offset, buffer.data(), data.size()));
    if (!io.ok()) return io;
  }
  return append(Slice(buffer.data(), data.size()));
}

}  // namespace

// ------------------------------------------------------------------------------------------------
// Sequential

IOStatus EncryptedSequentialFile::Read(size_t n, const IOOptions& options, Slice* result,
                                       char* scratch, IODebugContext* dbg) {
  IOStatus io = file_->Read(n, options, result, scratch, dbg);
  if (!io.ok()) return io;
  const uint64_t offset = offset_;
  offset_ += result->size();  // where the file below is, even if decryption fails
  return DecryptRead(stream_.get(), offset, result, scratch);
}

IOStatus EncryptedSequentialFile::Skip(uint64_t n) {
  IOStatus io = file_->Skip(n);
  if (io.ok()) offset_ += n;
  return io;
}

IOStatus EncryptedSequentialFile::PositionedRead(uint64_t offset, size_t n,
                                                 const IOOptions& options, Slice* result,
                                                 char* scratch, IODebugContext* dbg) {
  offset += prefixLength_;
  IOStatus io = file_->PositionedRead(offset, n, options, result, scratch, dbg);
  return io.ok() ? DecryptRead(stream_.get(), offset, result, scratch) : io;
}

bool EncryptedSequentialFile::use_direct_io() const { return file_->use_direct_io(); }
size_t EncryptedSequentialFile::GetRequiredBufferAlignment() const {
  return file_->GetRequiredBufferAlignment();
}
IOStatus EncryptedSequentialFile::InvalidateCache(size_t offset, size_t length) {
  return file_->InvalidateCache(offset + prefixLength_, length);
}
Temperature EncryptedSequentialFile::GetTemperature() const { return file_->GetTemperature(); }

// ------------------------------------------------------------------------------------------------
// Random access

IOStatus EncryptedRandomAccessFile::Read(uint64_t offset, size_t n, const IOOptions& options,
                                         Slice* result, char* scratch, IODebugContext* dbg) const {
  offset += prefixLength_;
  IOStatus io = file_->Read(offset, n, options, result, scratch, dbg);
  return io.ok() ? DecryptRead(stream_.get(), offset, result, scratch) : io;
}

IOStatus EncryptedRandomAccessFile::MultiRead(FSReadRequest* reqs, size_t num_reqs,
                                              const IOOptions& options, IODebugContext* dbg) {
  for (size_t i = 0; i < num_reqs; ++i) reqs[i].offset += prefixLength_;
  IOStatus io = file_->MultiRead(reqs, num_reqs, options, dbg);
  for (size_t i = 0; i < num_reqs; ++i) {
    FSReadRequest& req = reqs[i];
    if (io.ok() && req.status.ok()) {
      req.status = DecryptRead(stream_.get(), req.offset, &req.result, req.scratch);
    }
    req.offset -= prefixLength_;
  }
  return io;
}

IOStatus EncryptedRandomAccessFile::ReadAsync(FSReadRequest& req, const IOOptions& options,
                                              std::function<void(FSReadRequest&, void*)> cb,
                                              void* cb_arg, void** io_handle,
                                              IOHandleDeleter* del_fn, IODebugContext* dbg) {
  auto decrypt = [this, cb = std::move(cb)](FSReadRequest& read, void* arg) {
    if (read.status.ok()) {
      read.status = DecryptRead(stream_.get(), read.offset, &read.result, read.scratch);
    }
    read.offset -= prefixLength_;
    cb(read, arg);
  };
  FSReadRequest below;
  below.offset = req.offset + prefixLength_;
  below.len = req.len;
  below.scratch = req.scratch;
  return file_->ReadAsync(below, options, std::move(decrypt), cb_arg, io_handle, del_fn, dbg);
}

IOStatus EncryptedRandomAccessFile::Prefetch(uint64_t offset, size_t n, const IOOptions& options,
                                             IODebugContext* dbg) {
  return file_->Prefetch(offset + prefixLength_, n, options, dbg);
}
size_t EncryptedRandomAccessFile::GetUniqueId(char* id, size_t max_size) const {
  return file_->GetUniqueId(id, max_size);
}
void EncryptedRandomAccessFile::Hint(AccessPattern pattern) { file_->Hint(pattern); }
bool EncryptedRandomAccessFile::use_direct_io() const { return file_->use_direct_io(); }
size_t EncryptedRandomAccessFile::GetRequiredBufferAlignment() const {
  return file_->GetRequiredBufferAlignment();
}
IOStatus EncryptedRandomAccessFile::InvalidateCache(size_t offset, size_t length) {
  return file_->InvalidateCache(offset + prefixLength_, length);
}
Temperature EncryptedRandomAccessFile::GetTemperature() const { return file_->GetTemperature(); }

// ------------------------------------------------------------------------------------------------
// Writable

IOStatus EncryptedWritableFile::Append(const Slice& data, const IOOptions& options,
                                       IODebugContext* dbg) {
  return AppendEncrypted(stream_.get(), GetRequiredBufferAlignment(),
                         file_->GetFileSize(options, dbg), data,
                         [&](const Slice& bytes) { return file_->Append(bytes, options, dbg); });
}

IOStatus EncryptedWritableFile::PositionedAppend(const Slice& data, uint64_t offset,
                                                 const IOOptions& options, IODebugContext* dbg) {
  offset += prefixLength_;
  return AppendEncrypted(
      stream_.get(), GetRequiredBufferAlignment(), offset, data,
      [&](const Slice& bytes) { return file_->PositionedAppend(bytes, offset, options, dbg); });
}

uint64_t EncryptedWritableFile::GetFileSize(const IOOptions& options, IODebugContext* dbg) {
  const uint64_t size = file_->GetFileSize(options, dbg);
  return size < prefixLength_ ? 0 : size - prefixLength_;
}
IOStatus EncryptedWritableFile::Truncate(uint64_t size, const IOOptions& options,
                                         IODebugContext* dbg) {
  return file_->Truncate(size + prefixLength_, options, dbg);
}
IOStatus EncryptedWritableFile::InvalidateCache(size_t offset, size_t length) {
  return file_->InvalidateCache(offset + prefixLength_, length);
}
IOStatus EncryptedWritableFile::RangeSync(uint64_t offset, uint64_t nbytes,
                                          const IOOptions& options, IODebugContext* dbg) {
  return file_->RangeSync(offset + prefixLength_, nbytes, options, dbg);
}
void EncryptedWritableFile::PrepareWrite(size_t offset, size_t len, const IOOptions& options,
                                         IODebugContext* dbg) {
  file_->PrepareWrite(offset + prefixLength_, len, options, dbg);
}
IOStatus EncryptedWritableFile::Allocate(uint64_t offset, uint64_t len, const IOOptions& options,
                                         IODebugContext* dbg) {
  return file_->Allocate(offset + prefixLength_, len, options, dbg);
}

bool EncryptedWritableFile::IsSyncThreadSafe() const { return file_->IsSyncThreadSafe(); }
bool EncryptedWritableFile::use_direct_io() const { return file_->use_direct_io(); }
size_t EncryptedWritableFile::GetRequiredBufferAlignment() const {
  return file_->GetRequiredBufferAlignment();
}
void EncryptedWritableFile::SetPreallocationBlockSize(size_t size) {
  file_->SetPreallocationBlockSize(size);
}
void EncryptedWritableFile::GetPreallocationStatus(size_t* block_size,
                                                   size_t* last_allocated_block) {
  file_->GetPreallocationStatus(block_size, last_allocated_block);
}
IOStatus EncryptedWritableFile::Flush(const IOOptions& options, IODebugContext* dbg) {
  return file_->Flush(options, dbg);
}
IOStatus EncryptedWritableFile::Sync(const IOOptions& options, IODebugContext* dbg) {
  return file_->Sync(options, dbg);
}
IOStatus EncryptedWritableFile::Fsync(const IOOptions& options, IODebugContext* dbg) {
  return file_->Fsync(options, dbg);
}
IOStatus EncryptedWritableFile::Close(const IOOptions& options, IODebugContext* dbg) {
  return file_->Close(options, dbg);
}
void EncryptedWritableFile::SetIOPriority(Env::IOPriority pri) { file_->SetIOPriority(pri); }
Env::IOPriority EncryptedWritableFile::GetIOPriority() { return file_->GetIOPriority(); }
void EncryptedWritableFile::SetWriteLifeTimeHint(Env::WriteLifeTimeHint hint) {
  file_->SetWriteLifeTimeHint(hint);
}
Env::WriteLifeTimeHint EncryptedWritableFile::GetWriteLifeTimeHint() {
  return file_->GetWriteLifeTimeHint();
}
size_t EncryptedWritableFile::GetUniqueId(char* id, size_t max_size) const {
  return file_->GetUniqueId(id, max_size);
}

// ------------------------------------------------------------------------------------------------
// For reading and writing

IOStatus EncryptedRandomRWFile::Write(uint64_t offset, const Slice& data, const IOOptions& options,
                                      IODebugContext* dbg) {
  offset += prefixLength_;
  return AppendEncrypted(
      stream_.get(), GetRequiredBufferAlignment(), offset, data,
      [&](const Slice& bytes) { return file_->Write(offset, bytes, options, dbg); });
}

IOStatus EncryptedRandomRWFile::Read(uint64_t offset, size_t n, const IOOptions& options,
                                     Slice* result, char* scratch, IODebugContext* dbg) const {
  offset += prefixLength_;
  IOStatus io = file_->Read(offset, n, options, result, scratch, dbg);
  return io.ok() ? DecryptRead(stream_.get(), offset, result, scratch) : io;
}

bool EncryptedRandomRWFile::use_direct_io() const { return file_->use_direct_io(); }
size_t EncryptedRandomRWFile::GetRequiredBufferAlignment() const {
  return file_->GetRequiredBufferAlignment();
}
IOStatus EncryptedRandomRWFile::Flush(const IOOptions& options, IODebugContext* dbg) {
  return file_->Flush(options, dbg);
}
IOStatus EncryptedRandomRWFile::Sync(const IOOptions& options, IODebugContext* dbg) {
  return file_->Sync(options, dbg);
}
IOStatus EncryptedRandomRWFile::Fsync(const IOOptions& options, IODebugContext* dbg) {
  return file_->Fsync(options, dbg);
}
IOStatus EncryptedRandomRWFile::Close(const IOOptions& options, IODebugContext* dbg) {
  return file_->Close(options, dbg);
}
Temperature EncryptedRandomRWFile::GetTemperature() const { return file_->GetTemperature(); }

}  // namespace ROCKSDB_NAMESPACE
