// A whole table file of any bytes, of any format: opened, searched, walked both ways and verified,
// it gives entries or an error. Places whose checksums are to be made right come with the input, so
// that damage gets past them.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/internal_iterator.h"
#include "base/internal_key.h"
#include "base/namespace.h"
#include "fs/file_reader.h"
#include "fs/memory_file_system.h"
#include "fuzz/fuzz.h"
#include "fuzz/table_bytes.h"
#include "rocksdb/cache.h"
#include "rocksdb/comparator.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/table.h"
#include "table/table_reader.h"

namespace cairn::fuzz {

namespace {

// More than any seed has; a walk that is longer goes in circles, or a block was made large.
constexpr size_t kMaxSteps = 1 << 20;
constexpr size_t kMaxFileBytes = 32 << 10;

struct How {
  bool verify;
  bool cache;
  bool cache_index;
  bool pin;
  bool prefixes;   // of plain tables
  bool full_scan;  // likewise
};

std::unique_ptr<TableReader> Open(MemoryFileSystem* fs, const InternalKeyComparator& icmp,
                                  const How& how, size_t size) {
  BlockBasedTableOptions options;
  options.filter_policy.reset(NewBloomFilterPolicy(10));
  options.no_block_cache = !how.cache;
  if (how.cache) options.block_cache = NewLRUCache(256 << 10, 0);
  options.cache_index_and_filter_blocks = how.cache_index && how.cache;
  options.pin_l0_filter_and_index_blocks_in_cache = how.pin;
  PlainTableOptions plain;
  plain.full_scan_mode = how.full_scan;
  plain.hash_table_ratio = how.prefixes ? 0.75 : 0;
  const std::unique_ptr<TableFactory> factory(NewAdaptiveTableFactory(
      nullptr, std::shared_ptr<TableFactory>(NewBlockBasedTableFactory(options)),
      std::shared_ptr<TableFactory>(NewPlainTableFactory(plain))));
  std::unique_ptr<RandomAccessFileReader> file;
  FUZZ_CHECK(RandomAccessFileReader::Open(fs, "/000012.sst", FileOptions(), &file).ok());
  std::unique_ptr<TableReader> table;
  static const SliceTransform* const extractor = NewFixedPrefixTransform(4);
  TableReaderOptions reader_options(icmp);
  if (how.prefixes) reader_options.prefix_extractor = extractor;
  const Status s = factory->NewTableReader(reader_options, std::move(file), size, &table);
  FUZZ_CHECK(s.ok() == (table != nullptr));
  return table;
}

// Some of the keys that are met.
void Walk(TableReader* table, const ReadOptions& options, std::vector<std::string>* keys) {
  const std::unique_ptr<InternalIterator> iter(table->NewIterator(options));
  size_t steps = 0;
  for (iter->SeekToFirst(); iter->Valid(); iter->Next()) {
    FUZZ_CHECK(++steps < kMaxSteps);
    FUZZ_CHECK(iter->key().size() >= kInternalKeyFooterSize);
    if (keys->size() < 16 && steps % 5 == 1) keys->push_back(iter->key().ToString());
    (void)iter->value().ToString();
  }
  (void)iter->status();
  steps = 0;
  for (iter->SeekToLast(); iter->Valid(); iter->Prev()) FUZZ_CHECK(++steps < kMaxSteps);
  for (const std::string& key : *keys) {
    iter->Seek(key);
    for (int i = 0; i < 2 && iter->Valid(); ++i) iter->Next();
    iter->SeekForPrev(key);
    for (int i = 0; i < 2 && iter->Valid(); ++i) iter->Prev();
  }
}

void Ask(TableReader* table, const InternalKeyComparator& icmp, const ReadOptions& options,
         const std::string& key) {
  PinnableSlice value;
  SequenceNumber sequence = 0;
  GetContext context(icmp.user_comparator(), ExtractUserKey(key), &value, &sequence);
  if (table->Get(options, key, &context).ok() && context.state() == GetContext::kFound) {
    (void)value.ToString();
  }
  BlockHandle handle;
  (void)table->LocateBlock(options, key, &handle);
  std::vector<MetaPart> parts;
  table->AddMissingParts(key, &parts);
  for (const MetaPart& part : parts) {
    Cleanable pins;
    (void)table->LoadPart(options, part, &pins);
  }
  (void)table->ApproximateOffsetOf(options, key);
}

void Use(const std::string& bytes, const How& how) {
  MemoryFileSystem fs(MemoryFileSystem::Durability::kUntracked);
  FUZZ_CHECK(WriteStringToFile(&fs, bytes, "/000012.sst").ok());
  const InternalKeyComparator icmp(BytewiseComparator());
  const std::unique_ptr<TableReader> table = Open(&fs, icmp, how, bytes.size());
  if (table == nullptr) return;
  ReadOptions options;
  options.verify_checksums = how.verify;
  std::vector<std::string> keys;
  for (const char* const user_key : {"", "a", "key00000010", "key00000010x", "\xff\xff\xff"}) {
    keys.push_back(InternalKey(user_key, 1000, kValueTypeForSeek).Encode().ToString());
  }
  Walk(table.get(), options, &keys);
  for (const std::string& key : keys) Ask(table.get(), icmp, options, key);
  (void)table->VerifyChecksum(options);
  std::vector<TableAnchor> anchors;
  (void)table->GetAnchors(4, &anchors);
  (void)table->GetTableProperties()->ToString();
  (void)table->ApproximateMemoryUsage();
}

}  // namespace

}  // namespace cairn::fuzz

// How it is opened; places of blocks, each an offset and a size of 2 bytes; the file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cairn;
  using namespace cairn::fuzz;
  Input input(data, size);
  const uint8_t how = input.Byte();
  std::vector<BlockHandle> blocks(input.Byte() % 64);
  for (BlockHandle& block : blocks) {
    block.offset = input.Number(2);
    block.size = input.Number(2);
  }
  std::string bytes(input.Rest().substr(0, kMaxFileBytes));
  FixTableChecksums(blocks, &bytes);
  Use(bytes, {(how & 1) == 0, (how & 2) == 0, (how & 4) != 0, (how & 8) != 0, (how & 16) != 0,
              (how & 32) != 0});
  return 0;
}
