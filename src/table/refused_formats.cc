// What can be named and not used: tables of other formats, a cache on a faster disk, traces.
// DB::Open refuses the former by their factory's name (options/options_check.cc).
#include "fs/file_reader.h"
#include "rocksdb/persistent_cache.h"
#include "rocksdb/table.h"
#include "rocksdb/trace_reader_writer.h"
#include "table/table_builder.h"
#include "table/table_reader.h"

namespace ROCKSDB_NAMESPACE {
namespace {

class PlainTableFactory final : public TableFactory {
 public:
  const char* Name() const override { return kPlainTableName(); }
  Status NewTableReader(const ::cairn::TableReaderOptions& /*options*/,
                        std::unique_ptr<::cairn::RandomAccessFileReader>&& /*file*/,
                        uint64_t /*file_size*/,
                        std::unique_ptr<::cairn::TableReader>* /*table_reader*/) const override {
    return Status::NotSupported("PlainTable is not supported by this version of Cairn");
  }
  ::cairn::TableBuilder* NewTableBuilder(const ::cairn::TableBuilderOptions& /*options*/,
                                         ::cairn::FileWriter* /*file*/) const override {
    return nullptr;  // who opens a database or a file to write has asked for the name
  }
};

}  // namespace

TableFactory* NewPlainTableFactory(const PlainTableOptions& /*options*/) {
  return new PlainTableFactory;
}

Status NewPersistentCache(Env* /*env*/, const std::string& path, uint64_t /*size*/,
                          const std::shared_ptr<Logger>& /*log*/, bool /*optimized_for_nvm*/,
                          std::shared_ptr<PersistentCache>* /*cache*/) {
  return Status::NotSupported(
      "PersistentCache is not supported by this version of Cairn; use a SecondaryCache", path);
}

Status NewFileTraceWriter(Env* /*env*/, const EnvOptions& /*env_options*/,
                          const std::string& trace_filename,
                          std::unique_ptr<TraceWriter>* /*trace_writer*/) {
  return Status::NotSupported("traces are not supported by this version of Cairn", trace_filename);
}

Status NewFileTraceReader(Env* /*env*/, const EnvOptions& /*env_options*/,
                          const std::string& trace_filename,
                          std::unique_ptr<TraceReader>* /*trace_reader*/) {
  return Status::NotSupported("traces are not supported by this version of Cairn", trace_filename);
}

}  // namespace ROCKSDB_NAMESPACE
