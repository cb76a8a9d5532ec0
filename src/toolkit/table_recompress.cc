#include "toolkit/table_recompress.h"

#include <memory>

#include "fiber/clock.h"
#include "fs/file_writer.h"
#include "fs/memory_file_system.h"
#include "rocksdb/statistics.h"
#include "table/block_based_table_factory.h"
#include "table/table_builder.h"

namespace cairn {
namespace {

[[nodiscard]] Status Fill(const TableFile& table, TableBuilder* builder) {
  ReadOptions read;
  read.fill_cache = false;
  const std::unique_ptr<InternalIterator> it(
      table.reader()->NewIterator(read, /*skip_filters=*/true, /*compaction_readahead=*/2 << 20));
  for (it->SeekToFirst(); it->Valid() && builder->status().ok(); it->Next()) {
    builder->Add(it->key(), it->value());
  }
  if (!it->status().ok()) {
    builder->Abandon();
    return it->status();
  }
  return builder->Finish();
}

}  // namespace

Status Recompress(const TableFile& table, size_t block_size, CompressionType type,
                  const CompressionOptions& options, RecompressedSize* size) {
  MemoryFileSystem memory(MemoryFileSystem::Durability::kUntracked);
  std::unique_ptr<FileWriter> out;
  Status s = FileWriter::Open(&memory, "/recompressed", FileOptions(), &out);
  if (!s.ok()) return s;
  const std::shared_ptr<Statistics> statistics = CreateDBStatistics();
  statistics->set_stats_level(StatsLevel::kAll);
  BlockBasedTableOptions table_options;
  table_options.block_size = block_size;
  const BlockBasedTableFactory factory(table_options);
  TableBuilderOptions builder_options(table.icmp(), type);
  builder_options.compression_opts = options;
  builder_options.column_family_id = TableProperties::kUnknownColumnFamily;
  builder_options.column_family_name = "";
  builder_options.statistics = statistics.get();
  const uint64_t start = fiber::now_nanos();
  const std::unique_ptr<TableBuilder> builder(factory.NewTableBuilder(builder_options, out.get()));
  s = Fill(table, builder.get());
  if (!s.ok()) return s;
  size->micros = (fiber::now_nanos() - start) / 1000;
  size->file_size = builder->FileSize();
  size->data_blocks = builder->GetTableProperties().num_data_blocks;
  size->compressed = statistics->getTickerCount(NUMBER_BLOCK_COMPRESSED);
  size->aborted = statistics->getTickerCount(NUMBER_BLOCK_NOT_COMPRESSED);
  return out->Close();
}

}  // namespace cairn
