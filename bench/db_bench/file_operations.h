// A file system over another one that counts what is done to files (--report_file_operations), and
// lets reads fail from some point on (--fault_injection_read_after_reads). Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/file_system.h"

namespace db_bench {

// All relaxed: numbers to print, that order nothing.
struct FileCounters {
  using Counter = std::atomic<uint64_t>;
  Counter opens{0}, deletes{0}, renames{0};
  Counter flushes{0}, syncs{0}, fsyncs{0}, closes{0};
  Counter directory_opens{0}, directory_fsyncs{0}, directory_closes{0};
  Counter reads{0}, bytes_read{0};
  Counter appends{0}, bytes_written{0};
  std::atomic<int64_t> reads_to_fault{0};  // reads of tables that go well yet
  bool faults = false;

  // True: the read, one of `count`, is to fail.
  bool TakeFault(int64_t count);
};

class FileOperations : public rocksdb::FileSystemWrapper {
 public:
  // `good_reads`: as the flag says; 0: all go well.
  FileOperations(const std::shared_ptr<rocksdb::FileSystem>& target, int64_t good_reads);

  // RocksDB's lines, and all counters at 0 again.
  std::string PrintAndReset();

  const char* Name() const override { return "db_bench.FileOperations"; }
  rocksdb::IOStatus NewSequentialFile(const std::string& name, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                      rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                                        rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* result,
                                       rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus ReuseWritableFile(const std::string& name, const std::string& old_name,
                                      const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSWritableFile>* result,
                                      rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* result,
                                 rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* dbg) override;

 private:
  FileCounters counters_;
};

}  // namespace db_bench
