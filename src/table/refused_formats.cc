// What can be named and not used: tables of other formats, a cache on a faster disk.
// DB::Open refuses the former by their factory's name (options/options_check.cc).
#include "table/refused_formats.h"

#include "fs/file_reader.h"
#include "rocksdb/persistent_cache.h"
#include "rocksdb/table.h"
#include "table/table_builder.h"
#include "table/table_reader.h"

namespace cairn {
namespace {

// Of tables that are not block-based.
class RefusedTableFactory final : public TableFactory {
 public:
  explicit RefusedTableFactory(const char* name) : name_(name) {}

  const char* Name() const override { return name_; }
  Status NewTableReader(const TableReaderOptions& /*options*/,
                        std::unique_ptr<RandomAccessFileReader>&& /*file*/, uint64_t /*file_size*/,
                        std::unique_ptr<TableReader>* /*table_reader*/) const override {
    return Status::NotSupported(std::string(name_) + " is not supported by this version of Cairn");
  }
  TableBuilder* NewTableBuilder(const TableBuilderOptions& /*options*/,
                                FileWriter* /*file*/) const override {
    return nullptr;  // who opens a database or a file to write has asked for the name
  }

 private:
  const char* const name_;
};

}  // namespace

std::unique_ptr<TableFactory> NewRefusedTableFactory(const char* name) {
  return std::make_unique<RefusedTableFactory>(name);
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

TableFactory* NewPlainTableFactory(const PlainTableOptions& /*options*/) {
  return ::cairn::NewRefusedTableFactory(TableFactory::kPlainTableName()).release();
}

Status NewPersistentCache(Env* /*env*/, const std::string& path, uint64_t /*size*/,
                          const std::shared_ptr<Logger>& /*log*/, bool /*optimized_for_nvm*/,
                          std::shared_ptr<PersistentCache>* /*cache*/) {
  return Status::NotSupported(
      "PersistentCache is not supported by this version of Cairn; use a SecondaryCache", path);
}

}  // namespace ROCKSDB_NAMESPACE
