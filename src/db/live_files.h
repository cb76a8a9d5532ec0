// Lists of files and logs, for those who copy a database or follow its writes.
//
// Guards: nothing of its own.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "db/database.h"

namespace cairn {

class LiveFiles final : public Part {
 public:
  using Part::Part;

  [[nodiscard]] Status GetLiveFiles(std::vector<std::string>& files, uint64_t* manifest_file_size,
                                    bool flush_memtable);
  [[nodiscard]] Status GetLiveFilesStorageInfo(const LiveFilesStorageInfoOptions&,
                                               std::vector<LiveFileStorageInfo>* files);
  [[nodiscard]] Status GetSortedWalFiles(VectorLogPtr& files);
  [[nodiscard]] Status GetUpdatesSince(SequenceNumber seq_number,
                                       std::unique_ptr<TransactionLogIterator>* iter,
                                       const TransactionLogIterator::ReadOptions& read_options);
  [[nodiscard]] Status GetCurrentWalFile(std::unique_ptr<LogFile>* current_log_file);
  void GetLiveFilesMetaData(std::vector<LiveFileMetaData>*);
  void GetColumnFamilyMetaData(ColumnFamilyHandle*, ColumnFamilyMetaData*);
  void GetAllColumnFamilyMetaData(std::vector<ColumnFamilyMetaData>*);
  void GetColumnFamilyMetaData(ColumnFamilyHandle*, const GetColumnFamilyMetaDataOptions&,
                               ColumnFamilyMetaData*);
  [[nodiscard]] Status GetLiveFilesChecksumInfo(FileChecksumList* checksum_list);
  // Of the first record; 0: there is none. SUSPENDS.
  [[nodiscard]] Status FirstSequenceOf(const std::string& path, uint64_t wal,
                                       SequenceNumber* sequence) const;

 private:
  // One for each of the families, all at one moment. SUSPENDS.
  void MetaDataOf(std::span<ColumnFamily* const> families,
                  std::span<ColumnFamilyMetaData> metadata);
  // Whether to flush before files are listed: if the logs have so many bytes. SUSPENDS.
  bool WantsFlush(uint64_t wal_size_for_flush);
};

}  // namespace cairn
