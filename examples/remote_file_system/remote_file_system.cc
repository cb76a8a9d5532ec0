#include "remote_file_system/remote_file_system.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fiber/clock.h"

namespace remote {

using rocksdb::FileOptions;
using rocksdb::FileSystem;
using rocksdb::FSReadRequest;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

namespace {

void Prepare(RemoteRead* read, const RemoteClient& client, const std::string& name, uint64_t offset,
             size_t length, char* scratch, const IOOptions& options) {
  read->name = name;
  read->offset = offset;
  read->length = length;
  read->scratch = scratch;
  const uint64_t asked = static_cast<uint64_t>(options.timeout.count()) * 1000;
  read->deadline = fiber::deadline_after(asked > 0 ? asked : client.timeout());
}

IOStatus ReadAndWait(RemoteClient* client, const std::string& name, uint64_t offset, size_t length,
                     char* scratch, const IOOptions& options, Slice* result) {
  RemoteRead read;
  Prepare(&read, *client, name, offset, length, scratch, options);
  client->Start(&read);
  RemoteRead* const one[] = {&read};
  client->Wait(one, 1);
  *result = Slice(scratch, read.got);
  return read.status;
}

// What ReadAsync() hands out.
struct AsyncRead {
  ~AsyncRead() { client->Abort(&read); }

  // REQUIRES: the read is over.
  void Report() {
    reported = true;
    request.status = read.status;
    request.result = Slice(request.scratch, read.got);
    callback(request, argument);
  }

  std::shared_ptr<RemoteClient> client;
  RemoteRead read;
  FSReadRequest request;
  std::function<void(FSReadRequest&, void*)> callback;
  void* argument = nullptr;
  bool reported = false;  // or aborted
};

class RemoteRandomAccessFile : public rocksdb::FSRandomAccessFile {
 public:
  RemoteRandomAccessFile(std::string name, std::shared_ptr<RemoteClient> client)
      : name_(std::move(name)), client_(std::move(client)) {}

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* /*dbg*/) const override {
    return ReadAndWait(client_.get(), name_, offset, n, scratch, options, result);
  }

  IOStatus MultiRead(FSReadRequest* requests, size_t count, const IOOptions& options,
                     IODebugContext* /*dbg*/) override {
    std::vector<RemoteRead> reads(count);
    std::vector<RemoteRead*> all;
    for (size_t i = 0; i < count; ++i) {
      FSReadRequest& request = requests[i];
      Prepare(&reads[i], *client_, name_, request.offset, request.len, request.scratch, options);
      client_->Start(&reads[i]);
      all.push_back(&reads[i]);
    }
    client_->Wait(all, count);
    for (size_t i = 0; i < count; ++i) {
      requests[i].status = reads[i].status;
      requests[i].result = Slice(requests[i].scratch, reads[i].got);
    }
    return IOStatus::OK();
  }

  IOStatus ReadAsync(FSReadRequest& request, const IOOptions& options,
                     std::function<void(FSReadRequest&, void*)> callback, void* argument,
                     void** io_handle, rocksdb::IOHandleDeleter* deleter,
                     IODebugContext* /*dbg*/) override {
    auto handle = std::make_unique<AsyncRead>();
    handle->client = client_;
    handle->request.offset = request.offset;
    handle->request.len = request.len;
    handle->request.scratch = request.scratch;
    handle->callback = std::move(callback);
    handle->argument = argument;
    Prepare(&handle->read, *client_, name_, request.offset, request.len, request.scratch, options);
    client_->Start(&handle->read);
    *deleter = [](void* one) { delete static_cast<AsyncRead*>(one); };
    *io_handle = handle.release();
    return IOStatus::OK();
  }

 private:
  const std::string name_;
  const std::shared_ptr<RemoteClient> client_;
};

class RemoteSequentialFile : public rocksdb::FSSequentialFile {
 public:
  RemoteSequentialFile(std::string name, std::shared_ptr<RemoteClient> client)
      : name_(std::move(name)), client_(std::move(client)) {}

  IOStatus Read(size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* /*dbg*/) override {
    const IOStatus s = ReadAndWait(client_.get(), name_, offset_, n, scratch, options, result);
    offset_ += result->size();
    return s;
  }
  IOStatus Skip(uint64_t n) override {
    offset_ += n;
    return IOStatus::OK();
  }

 private:
  const std::string name_;
  const std::shared_ptr<RemoteClient> client_;
  uint64_t offset_ = 0;
};

}  // namespace

IOStatus RemoteFileSystem::Create(const std::string& uri, const std::shared_ptr<FileSystem>& writes,
                                  std::unique_ptr<FileSystem>* result) {
  std::shared_ptr<RemoteClient> client;
  IOStatus s = RemoteClient::Connect(uri, &client);
  if (s.ok()) result->reset(new RemoteFileSystem(writes, std::move(client)));
  return s;
}

RemoteFileSystem::RemoteFileSystem(const std::shared_ptr<FileSystem>& writes,
                                   std::shared_ptr<RemoteClient> client)
    : FileSystemWrapper(writes), client_(std::move(client)) {}

IOStatus RemoteFileSystem::CheckReadable(const std::string& name,
                                         const FileOptions& options) const {
  Slice nothing;
  return ReadAndWait(client_.get(), name, 0, 0, nullptr, options.io_options, &nothing);
}

IOStatus RemoteFileSystem::NewSequentialFile(const std::string& name, const FileOptions& options,
                                             std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                             IODebugContext* /*dbg*/) {
  IOStatus s = CheckReadable(name, options);
  if (s.ok()) *result = std::make_unique<RemoteSequentialFile>(name, client_);
  return s;
}

IOStatus RemoteFileSystem::NewRandomAccessFile(const std::string& name, const FileOptions& options,
                                               std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                                               IODebugContext* /*dbg*/) {
  IOStatus s = CheckReadable(name, options);
  if (s.ok()) *result = std::make_unique<RemoteRandomAccessFile>(name, client_);
  return s;
}

IOStatus RemoteFileSystem::Poll(std::vector<void*>& handles, size_t min_completions) {
  size_t wanted = std::min(min_completions, handles.size());
  std::vector<AsyncRead*> unreported;
  std::vector<RemoteRead*> reads;
  for (void* const handle : handles) {
    auto* const one = static_cast<AsyncRead*>(handle);
    if (one == nullptr || one->reported) {
      if (wanted > 0) --wanted;
      continue;
    }
    unreported.push_back(one);
    reads.push_back(&one->read);
  }
  client_->Wait(reads, wanted);
  for (AsyncRead* const one : unreported) {
    if (client_->IsOver(one->read)) one->Report();
  }
  return IOStatus::OK();
}

IOStatus RemoteFileSystem::AbortIO(std::vector<void*>& handles) {
  for (void* const handle : handles) {
    auto* const one = static_cast<AsyncRead*>(handle);
    if (one == nullptr) continue;
    client_->Abort(&one->read);
    one->reported = true;
  }
  return IOStatus::OK();
}

int RegisterRemoteFileSystem(rocksdb::ObjectLibrary& library, const std::string& /*argument*/) {
  library.AddFactory<FileSystem>(
      rocksdb::ObjectLibrary::PatternEntry("remote", false).AddSeparator("://"),
      [](const std::string& uri, std::unique_ptr<FileSystem>* guard, std::string* message) {
        const IOStatus s = RemoteFileSystem::Create(uri, FileSystem::Default(), guard);
        if (!s.ok()) *message = s.ToString();
        return guard->get();
      });
  return 1;
}

}  // namespace remote
