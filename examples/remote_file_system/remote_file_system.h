// A user's file system: files are written to a directory that a server has as well (through the
// wrapped file system), and read from that server over TCP.
//
// All reads share one connection, and any number may be in flight on it: by Read() of several
// fibers or threads, by MultiRead(), and by ReadAsync(), whose answers FileSystem::Poll() waits
// for. An answer that does not come in time, that is wrong, or a connection that is lost, is the
// status of the reads concerned; the next read connects anew.
//
// Including this file is not enough for URIs "remote://ADDRESS:PORT": RegisterRemoteFileSystem().
#pragma once

#include <memory>
#include <string>

#include "remote_file_system/remote_client.h"
#include "rocksdb/file_system.h"
#include "rocksdb/utilities/object_registry.h"

namespace remote {

class RemoteFileSystem : public rocksdb::FileSystemWrapper {
 public:
  // `uri`: as RemoteClient::Connect() takes it, with its errors.
  static rocksdb::IOStatus Create(const std::string& uri,
                                  const std::shared_ptr<rocksdb::FileSystem>& writes,
                                  std::unique_ptr<rocksdb::FileSystem>* result);

  const char* Name() const override { return "RemoteFileSystem"; }

  rocksdb::IOStatus NewSequentialFile(const std::string& name, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                      rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                                        rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus Poll(std::vector<void*>& handles, size_t min_completions) override;
  rocksdb::IOStatus AbortIO(std::vector<void*>& handles) override;

 private:
  RemoteFileSystem(const std::shared_ptr<rocksdb::FileSystem>& writes,
                   std::shared_ptr<RemoteClient> client);
  rocksdb::IOStatus CheckReadable(const std::string& name,
                                  const rocksdb::FileOptions& options) const;

  const std::shared_ptr<RemoteClient> client_;
};

// Makes FileSystem::CreateFromString() know "remote://...", over the default file system. Returns
// the number of factories added; has the signature of a RegistrarFunc.
int RegisterRemoteFileSystem(rocksdb::ObjectLibrary& library, const std::string& argument);

}  // namespace remote
