// Seeds of the targets of the engine.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "base/internal_key.h"
#include "base/namespace.h"
#include "base/wide_column_serialization.h"
#include "blob/blob_format.h"
#include "compaction/remote_messages.h"
#include "fs/file_writer.h"
#include "fs/memory_file_system.h"
#include "fuzz/blob_bytes.h"
#include "fuzz/log_bytes.h"
#include "fuzz/seeds.h"
#include "fuzz/table_bytes.h"
#include "manifest/version_edit.h"
#include "options/options_file.h"
#include "rocksdb/comparator.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/table.h"
#include "rocksdb/write_batch.h"
#include "table/block_based_table_factory.h"
#include "table/block_builder.h"
#include "table/bloom.h"
#include "table/compression.h"
#include "table/format.h"
#include "table/properties.h"
#include "table/table_builder.h"
#include "trace/block_cache_trace_format.h"
#include "trace/io_trace_format.h"
#include "trace/trace_fields.h"
#include "trace/trace_format.h"

namespace cairn::fuzz {

namespace {

std::string Bytes(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text.push_back(static_cast<char>(byte));
  return text;
}

std::string Key(int i) {
  char text[16];
  snprintf(text, sizeof(text), "key%08d", i);
  return text;
}

std::string InternalKeyOf(int i, SequenceNumber sequence, ValueType type = kTypeValue) {
  return InternalKey(Key(i), sequence, type).Encode().ToString();
}

// Keys to seek in blocks, as the target `block` takes them.
std::string Targets() {
  std::string text = Bytes({3});
  for (const std::string& key : {Key(0), Key(7), std::string("z")}) {
    text += Bytes({static_cast<int>(key.size())}) + key + Bytes({9});
  }
  return text;
}

void AddBlocks(const AddSeed& add) {
  for (const int interval : {1, 4, 16}) {
    BlockBuilder data(interval);
    for (int i = 0; i < 20; ++i) data.Add(InternalKeyOf(i, 100), std::string(i % 5, 'v'));
    const std::string bytes = data.Finish().ToString();
    add("block", "data-" + std::to_string(interval), Bytes({0}) + Targets() + bytes);
    add("block", "data-reverse-" + std::to_string(interval), Bytes({4}) + Targets() + bytes);
  }
  add("block", "empty", Bytes({0}) + Targets() + BlockBuilder(1).Finish().ToString());
  for (const bool user_keys : {false, true}) {
    BlockBuilder index(1);
    for (int i = 0; i < 10; ++i) {
      std::string handle;
      BlockHandle{static_cast<uint64_t>(i) * 300, 295}.EncodeTo(&handle);
      index.Add(user_keys ? Key(i) : InternalKeyOf(i, 100), handle);
    }
    add("block", user_keys ? "index-user-keys" : "index",
        Bytes({user_keys ? 10 : 2}) + Targets() + index.Finish().ToString());
  }
  {
    // Handles as differences: the first of each interval whole, then the size's change.
    BlockBuilder index(4, true, /*values_delta_encoded=*/true);
    for (int i = 0; i < 10; ++i) {
      std::string handle, delta;
      BlockHandle{static_cast<uint64_t>(i) * 300, 295}.EncodeTo(&handle);
      PutVarint64(&delta, 0);
      const Slice change(delta);
      index.Add(Key(i), handle, &change);
    }
    add("block", "index-differences", Bytes({2 + 8 + 16}) + Targets() + index.Finish().ToString());
  }
  BlockBuilder metadata(1);
  for (const auto& [name, value] : EncodeProperties(TableProperties())) metadata.Add(name, value);
  const std::string bytes = metadata.Finish().ToString();
  add("block", "metadata", Bytes({3, 0}) + bytes);
  add("footer_properties", "properties", Bytes({3}) + bytes);
}

void AddFooters(const AddSeed& add) {
  for (uint32_t version = kMinFormatVersion; version <= kMaxFormatVersion; ++version) {
    Footer footer;
    footer.format_version = version;
    footer.checksum_type = version < 5 ? kCRC32c : kXXH3;
    constexpr uint64_t kOffset = 5000;
    footer.metaindex_handle = {kOffset - kBlockTrailerSize - 60, 60};
    if (version < 6) {
      footer.index_handle = {4000, 200};
    } else {
      footer.base_context_checksum = 0x12345678;
    }
    std::string bytes = Bytes({0});
    PutFixed64(&bytes, kOffset);
    footer.EncodeTo(kOffset, &bytes);
    add("footer_properties", "footer-" + std::to_string(version), bytes);
    add("footer_properties", "made-" + std::to_string(version),
        Bytes({1, static_cast<int>(version - kMinFormatVersion), 4, 0, 16, 0, 60, 1, 0}));
  }
  BlockBuilder metaindex(1);
  std::string handle;
  BlockHandle{100, 50}.EncodeTo(&handle);
  metaindex.Add(std::string(kFullFilterPrefix) + kBuiltinBloomName, handle);
  metaindex.Add(kIndexBlockName, handle);
  metaindex.Add(kPropertiesBlockName, handle);
  add("footer_properties", "metaindex", Bytes({2}) + metaindex.Finish().ToString());
}

void AddFilters(const AddSeed& add) {
  for (const int bits : {1, 6, 10, 20}) {
    std::vector<uint64_t> hashes;
    std::string keys = Bytes({20});
    for (int i = 0; i < 20; ++i) {
      hashes.push_back(BloomHash(Key(i)));
      keys += Bytes({11}) + Key(i);
    }
    std::string bytes;
    PutFixed32(&bytes, static_cast<uint32_t>(bits * 1000));
    bytes.resize(2);
    add("filter", "bloom-" + std::to_string(bits), bytes + keys + BuildBloom(hashes, bits * 1000));
  }
  add("filter", "nothing", Bytes({0, 0, 1, 1, 'a'}));
  // What the other kinds begin and end with: an old Bloom filter, and Ribbon's marker.
  add("filter", "old-bloom",
      Bytes({0, 0, 1, 1, 'a'}) + std::string(64, '\x55') + Bytes({6, 1, 0, 0, 0}));
  add("filter", "ribbon",
      Bytes({0, 0, 1, 1, 'a'}) + std::string(64, '\x55') + Bytes({0xfe, 0, 1, 0, 0}));
}

std::string SomeBatch() {
  WriteBatch batch;
  (void)batch.Put("a", "1");
  (void)batch.Put(Key(3), std::string(30, 'v'));
  (void)batch.Delete("a");
  (void)batch.SingleDelete("b");
  (void)batch.PutLogData("note");
  return batch.Data();
}

void AddBatches(const AddSeed& add) {
  add("write_batch", "plain", Bytes({0}) + SomeBatch());
  add("write_batch", "empty", Bytes({0}) + WriteBatch().Data());
  add("write_batch", "built",
      Bytes({1, 8, 1, 'a', 'x', 16, 1, 'b', 'y', 'z', 2, 1, 'a', 3, 1, 'b', 12, 0, 'n'}));
  // A record of each type there is, in the default family and in another one.
  for (int type = 0; type <= kTypeColumnFamilyWideColumnEntity; ++type) {
    std::string bytes = Bytes({0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, type});
    bytes += Bytes({1, 'k', 1, 'v'});
    add("write_batch", "type-" + std::to_string(type), bytes);
    add("write_batch", "family-type-" + std::to_string(type),
        Bytes({0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, type, 2, 1, 'k', 1, 'v'}));
  }
}

void AddEntities(const AddSeed& add) {
  const auto bytes = [](const WideColumns& columns) {
    std::string entity;
    (void)EncodeWideColumns(columns, &entity);
    return Bytes({0}) + entity;
  };
  add("wide_columns", "none", bytes({}));
  add("wide_columns", "default", bytes({{"", "value"}}));
  const std::string some = bytes({{"", "0"}, {"one", "1"}, {"two", ""}, {"x", "yz"}});
  add("wide_columns", "some", some);
  add("wide_columns", "long", bytes({{std::string(200, 'n'), std::string(300, 'v')}}));
  add("wide_columns", "cut", some.substr(0, some.size() - 1));
  add("wide_columns", "version-2", Bytes({0, 2, 1, 1, 'a', 0}));
  add("wide_columns", "out-of-order", Bytes({0, 1, 2, 1, 'b', 0, 1, 'a', 0}));
  add("wide_columns", "twice", Bytes({0, 1, 2, 1, 'b', 0, 1, 'b', 0}));
  add("wide_columns", "many", Bytes({0, 1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0}));
  add("wide_columns", "large", Bytes({0, 1, 1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f}));
  add("wide_columns", "built", Bytes({1, 1, 'b', 2, 'v', 'w', 0, 1, 'x', 1, 'a', 0}));
}

void AddBlobFiles(const AddSeed& add) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (int i = 0; i < 12; ++i) entries.emplace_back(Key(i), std::string(20 + i * 13, 'a' + i));
  for (const auto& [name, compression] : {std::pair("plain", kNoCompression),
                                          {"snappy", kSnappyCompression},
                                          {"zlib", kZlibCompression},
                                          {"bzip2", kBZip2Compression},
                                          {"lz4", kLZ4Compression},
                                          {"zstd", kZSTD}}) {
    const std::string file = BuildBlobFile(compression, entries);
    add("blob_file", std::string("file-") + name, Bytes({2, 30}) + file);
    add("blob_file", std::string("checked-") + name, Bytes({3, 200}) + file);
  }
  const std::string file = BuildBlobFile(kNoCompression, entries);
  add("blob_file", "file-of-nothing", Bytes({2, 1}) + BuildBlobFile(kNoCompression, {}));
  add("blob_file", "file-cut", Bytes({3, 9}) + file.substr(0, file.size() - 5));
  const size_t second = FindBlobRecords(file).at(1).offset;
  std::string longer = file;
  longer[second + 8] = static_cast<char>(0x80);  // the value's size
  add("blob_file", "file-longer-value", Bytes({3, 9}) + longer);
  longer[second + 15] = '\x7f';
  add("blob_file", "file-endless-value", Bytes({3, 9}) + longer);
  const auto index = [&](const std::string& name, const BlobIndex& at) {
    std::string bytes;
    AppendBlobIndex(at, &bytes);
    add("blob_file", "index-" + name, Bytes({0, 3, 'k', 'e', 'y'}) + bytes);
  };
  // Of the file that the target has for it.
  const size_t key = kBlobHeaderSize + BlobRecordSize(1, 1) + kBlobRecordHeaderSize + 3;
  index("sound", {kBlobFileNumber, key, 100, kNoCompression});
  index("shorter", {kBlobFileNumber, key, 99, kNoCompression});
  index("compressed", {kBlobFileNumber, key, 100, kLZ4Compression});
  index("beyond", {kBlobFileNumber, UINT64_MAX - 3, 100, kNoCompression});
  index("endless", {kBlobFileNumber, key, UINT64_MAX, kNoCompression});
  index("before", {kBlobFileNumber, 3, 1, kNoCompression});
  index("elsewhere", {kBlobFileNumber + 1, key, 100, kNoCompression});
  add("blob_file", "index-expiring", Bytes({0, 1, 'k', 2, 5, 7, 1, 1, 0}));
  add("blob_file", "index-inlined", Bytes({0, 1, 'k', 0, 5, 'v'}));
  add("blob_file", "made", Bytes({1,   40,  0, 3,   2,   'k', '1', 3,   'a', 'b', 'c', 9, 2,
                                  'k', '2', 1, 'd', 200, 2,   'k', '3', 0,   60,  1,   0, 40}));
  add("blob_file", "made-lz4",
      Bytes({1, 9, 3, 2, 1, 'a', 1, 'x', 250, 1, 'b', 2, 'y', 'z', 120, 1, 8, 0x46}));
}

void AddTraces(const AddSeed& add) {
  const auto entry = [](TraceType type, const std::string& payload) {
    return EncodeTraceEntry(1, type, payload);
  };
  const Slice lower("b"), upper("c");
  const uint32_t families[] = {0, 7};
  const Slice keys[] = {"a", "b"};
  add("trace", "header", entry(kTraceBegin, TraceHeaderText()));
  add("trace", "footer", entry(kTraceEnd, ""));
  add("trace", "version-header", entry(kTraceBegin, EncodeVersionHeader()));
  BlockCacheTraceRecord access;
  access.caller = kUserGet;
  access.block_type = kBlockTraceDataBlock;
  add("trace", "block-of-get",
      entry(kBlockTraceDataBlock, EncodeBlockAccess(access, "block", "default", "key")));
  access.caller = kUserIterator;
  add("trace", "block-of-iterator",
      entry(kBlockTraceIndexBlock, EncodeBlockAccess(access, "block", "default", "")));
  IOTraceRecord call;
  call.file_operation = "Read";
  call.file_name = "000009.sst";
  call.io_status = "OK";
  add("trace", "call", entry(kIOTracer, EncodeIOCall(call)));
  call.file_size = 3;
  call.length = 2;
  call.offset = 1;
  call.request = "id";
  add("trace", "call-with-all", entry(kIOTracer, EncodeIOCall(call)));
  add("trace", "write", entry(kTraceWrite, EncodeTracedWrite(SomeBatch())));
  add("trace", "old-write", entry(kTraceWrite, SomeBatch()));
  add("trace", "get", entry(kTraceGet, EncodeTracedGet(7, "key")));
  add("trace", "old-get", entry(kTraceGet, EncodeTracedGet(7, "key").substr(8)));
  add("trace", "seek", entry(kTraceIteratorSeek, EncodeTracedSeek(0, "a", nullptr, nullptr)));
  add("trace", "seek-for-prev",
      entry(kTraceIteratorSeekForPrev, EncodeTracedSeek(7, "a", &lower, &upper)));
  add("trace", "multi-get", entry(kTraceMultiGet, EncodeTracedMultiGet(2, families, keys)));
}

void AddLogs(const AddSeed& add) {
  const std::vector<std::string> records = {SomeBatch(), "", std::string(300, 'r'), "end"};
  for (const bool recyclable : {false, true}) {
    const std::string bytes = WriteLog(records, recyclable, 7);
    const std::string kind = recyclable ? "recyclable-" : "plain-";
    for (int mode = 0; mode < 4; ++mode) {
      add("wal_reader", kind + std::to_string(mode), Bytes({mode}) + bytes);
    }
    add("wal_reader", kind + "fixed", Bytes({16}) + bytes);
    add("wal_reader", kind + "unchecked", Bytes({32}) + bytes);
    add("wal_reader", kind + "cut", Bytes({2}) + bytes.substr(0, bytes.size() - 3));
    add("wal_reader", kind + "other-log", Bytes({0}) + bytes + WriteLog(records, recyclable, 6));
    // Lengths of records around that of a block.
    add("wal_reader", kind + "written",
        Bytes({recyclable ? 31 : 15, 1, 0xf0, 0x3f, 0xf9, 0x3f, 1, 0, 0xff, 0xff, 0, 0}));
  }
  add("wal_reader", "zeros", Bytes({0}) + std::string(64, '\0'));
  add("wal_reader", "zeros-then-more", Bytes({2}) + std::string(64, '\0') + "x");
}

FileMetaData SomeFile(uint64_t number) {
  FileMetaData file;
  file.number = number;
  file.file_size = 1000;
  file.smallest = InternalKey(Key(static_cast<int>(number) * 10), number * 100, kTypeValue);
  file.largest = InternalKey(Key(static_cast<int>(number) * 10 + 5), number * 100, kTypeValue);
  file.smallest_seqno = number * 100;
  file.largest_seqno = number * 100 + 99;
  file.epoch_number = number;
  return file;
}

void AddEdits(const AddSeed& add) {
  std::vector<std::pair<std::string, VersionEdit>> edits(6);
  edits[0].first = "first";
  edits[0].second.SetDBId("0123-4567");
  edits[0].second.SetComparatorName("leveldb.BytewiseComparator");
  edits[0].second.SetLogNumber(4);
  edits[0].second.SetNextFile(20);
  edits[0].second.SetLastSequence(2000);
  edits[1].first = "files";
  edits[1].second.AddFile(0, SomeFile(8));
  edits[1].second.AddFile(1, SomeFile(9));
  edits[1].second.SetLastSequence(3000);
  edits[2].first = "compaction";
  edits[2].second.DeleteFile(0, 8);
  edits[2].second.AddFile(1, SomeFile(10));
  edits[3].first = "family";
  edits[3].second.SetColumnFamily(1);
  edits[3].second.AddColumnFamily("other");
  edits[3].second.SetMaxColumnFamily(1);
  edits[4].first = "group";
  edits[4].second.MarkAtomicGroup(0);
  edits[4].second.SetMinLogNumberToKeep(5);
  edits[4].second.SetPrevLogNumber(0);
  edits[5].first = "drop";
  edits[5].second.SetColumnFamily(1);
  edits[5].second.DropColumnFamily();
  std::vector<std::string> records;
  std::string listed = Bytes({1});
  for (const auto& [name, edit] : edits) {
    std::string bytes;
    (void)edit.EncodeTo(&bytes);
    add("version_edit", name, Bytes({0}) + bytes);
    listed += Bytes({static_cast<int>(bytes.size())}) + bytes;
    records.push_back(bytes);
  }
  add("version_edit", "listed", listed);
  const std::string manifest = Bytes({2}) + WriteLog(records, false, 5);
  add("version_edit", "manifest", manifest);
  add("version_edit", "manifest-cut", manifest.substr(0, manifest.size() - 4));
}

// With the byte before them that has version and checksum made right, which go here.
void AddRemoteMessages(const AddSeed& add) {
  const auto unsealed = [](int how, std::string bytes) {
    bytes.resize(bytes.size() - 8);
    return Bytes({how}) + bytes;
  };
  RemoteJob job;
  job.db_id = "a database";
  job.column_family = "default";
  job.paths = {"", "/second"};
  job.options_file_number = 7;
  job.inputs = {{0, {12, 11}}, {2, {5}}};
  job.output_level = 2;
  add("remote_messages", "job", unsealed(2, job.Encode()));
  add("remote_messages", "job-whole", Bytes({0}) + job.Encode());
  job.begin = "b";
  job.end = "e";
  job.snapshots = {3, 9};
  job.history_low = "12345678";
  job.manual = true;
  job.reason = CompactionReason::kManualCompaction;
  add("remote_messages", "job-of-a-part", unsealed(2, job.Encode()));
  RemoteResult result;
  result.output_path = "/out";
  result.output_level = 2;
  for (int i = 0; i < 2; ++i) {
    FileMetaData file;
    file.number = 100 + static_cast<uint64_t>(i);
    file.file_size = 1000;
    file.smallest.DecodeFrom(InternalKeyOf(10 * i, 5));
    file.largest.DecodeFrom(InternalKeyOf(10 * i + 9, 6));
    file.smallest_seqno = 5;
    file.largest_seqno = 6;
    file.file_checksum = "sum";
    file.file_checksum_func_name = "function";
    result.files.push_back(file);
  }
  add("remote_messages", "result", unsealed(3, result.Encode()));
  add("remote_messages", "result-whole", Bytes({1}) + result.Encode());
  RemoteResult failure;
  failure.status = Status::IOError("a disk", "is broken");
  add("remote_messages", "failure", unsealed(3, failure.Encode()));
}

void AddOptions(const AddSeed& add) {
  DBOptions db;
  ColumnFamilyOptions family;
  const std::string text = FormatOptionsFile(db, {{kDefaultColumnFamilyName, family}});
  add("options_file", "default", Bytes({0}) + text);
  ColumnFamilyOptions other;
  other.compression = kZSTD;
  other.compression_per_level = {kNoCompression, kLZ4Compression};
  other.write_buffer_size = 1 << 20;
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  other.table_factory.reset(NewBlockBasedTableFactory(table));
  add("options_file", "two-families",
      Bytes({1}) +
          FormatOptionsFile(db, {{kDefaultColumnFamilyName, family}, {"o\\t[h]er=", other}}));
  add("options_file", "small",
      Bytes({1}) +
          "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n[DBOptions]\n"
          "  max_open_files=-1\n[CFOptions \"default\"]\n"
          "  compression=kSnappyCompression # why\n"
          "[TableOptions/BlockBasedTable \"default\"]\n  block_size=4096\n");
  const char* const strings[] = {
      "write_buffer_size=1024;max_write_buffer_number=2;compression=kLZ4Compression",
      "max_open_files=100;create_if_missing=true;wal_recovery_mode=kAbsoluteConsistency",
      "block_size=16K;cache_index_and_filter_blocks=1;filter_policy=bloomfilter:10:false",
      "block_based_table_factory={block_size=8192;checksum=kCRC32c};num_levels=7",
      "compression_opts=4:5:6:7;memtable={id=skip_list};prefix_extractor=rocksdb.FixedPrefix.8",
      "compression_per_level=kNoCompression:kZSTD;compaction_options_universal={size_ratio=2;}",
      "write_buffer_size=1T;;a={{b}};c={d=e;f={g}}",
  };
  int number = 0;
  for (const char* const string : strings) {
    add("options_file", "string-" + std::to_string(number++), Bytes({2}) + string);
  }
}

void AddBackupMetas(const AddSeed& add) {
  const std::string files =
      "private/1/CURRENT crc32 1234567\n"
      "shared_checksum/000012_s0123456789ABCDEFGHIJ_999.sst crc32 4294967295\n";
  add("backup_meta", "first", "1700000000\n4711\n2\n" + files);
  add("backup_meta", "app-metadata", "1700000000\n4711\nmetadata 00FF41\n2\n" + files);
  add("backup_meta", "second",
      "schema_version 2.0\n1700000000\n4711\n2\nprivate/1/CURRENT crc32 1 size 16\n"
      "shared/000012.sst crc32 2 temp kWarm size 999\n");
  add("backup_meta", "newer",
      "schema_version 2.9\n1\n2\nplace home\nmetadata 00\n1\nshared/000012.sst sha 1 crc32 2\n"
      "// FOOTER\nend of it\n");
  add("backup_meta", "not-ignorable", "schema_version 2.0\n1\n2\nni::place home\n0\n");
  add("backup_meta", "unknown", "schema_version 3.0\n1\n2\n0\n");
  add("backup_meta", "elsewhere", "1\n2\n1\nprivate/1/../../x crc32 3\n");
}

void AddKeys(const AddSeed& add) {
  std::string keys = Bytes({0}), reverse = Bytes({1});
  for (const std::string& key :
       {InternalKeyOf(1, 5), InternalKeyOf(1, 6), InternalKeyOf(2, 5, kTypeDeletion),
        InternalKey("", 0, kTypeValue).Encode().ToString(),
        InternalKey("\xff\xff", kMaxSequenceNumber, kTypeMerge).Encode().ToString()}) {
    keys += Bytes({static_cast<int>(key.size())}) + key;
    reverse += Bytes({static_cast<int>(key.size())}) + key;
  }
  add("internal_key", "bytewise", keys);
  add("internal_key", "reverse", reverse);
  add("internal_key", "short", Bytes({0, 7, 1, 2, 3, 4, 5, 6, 7}));
  add("internal_key", "numbers", Bytes({0x80, 0x80, 1, 0xff, 0xff, 0xff, 0xff, 0x0f, 5}));
}

void AddCompressed(const AddSeed& add) {
  // As the target counts the types.
  const std::pair<int, CompressionType> types[] = {{1, kSnappyCompression}, {2, kZlibCompression},
                                                   {3, kBZip2Compression},  {4, kLZ4Compression},
                                                   {5, kLZ4HCCompression},  {7, kZSTD}};
  std::string raw;
  for (int i = 0; i < 30; ++i) raw += Key(i) + "value";
  for (const auto& [number, type] : types) {
    BlockCompressor compressor(type, CompressionOptions());
    Slice compressed;
    if (!compressor.Compress(raw, &compressed)) continue;
    const std::string name = CompressionPropertyName(type);
    add("compressed_block", name, Bytes({number, 0}) + compressed.ToString());
    add("compressed_block", name + "-dictionary",
        Bytes({number, 5}) + "dicti" + compressed.ToString());
    // So that the type, counted modulo 9, is the same beyond 128.
    add("compressed_block", name + "-round",
        Bytes({126 + 9 + number, 20, 1, 2, 3, 4, 5, 6, 7, 8}) + "some text to repeat");
  }
}

std::string BuildTable(uint32_t format_version, CompressionType compression, ChecksumType checksum,
                       bool filter, int entries) {
  MemoryFileSystem fs(MemoryFileSystem::Durability::kUntracked);
  BlockBasedTableOptions table_options;
  table_options.format_version = format_version;
  table_options.checksum = checksum;
  table_options.block_size = 256;
  if (filter) table_options.filter_policy.reset(NewBloomFilterPolicy(10));
  const BlockBasedTableFactory factory(table_options);
  const InternalKeyComparator icmp(BytewiseComparator());
  std::unique_ptr<FileWriter> file;
  FUZZ_CHECK(FileWriter::Open(&fs, "/t", FileOptions(), &file).ok());
  TableBuilderOptions options(icmp, compression);
  options.cur_file_num = 12;
  options.db_id = "db";
  options.db_session_id = "SESSION0000000000001";
  const std::unique_ptr<TableBuilder> builder(factory.NewTableBuilder(options, file.get()));
  for (int i = 0; i < entries; ++i) {
    builder->Add(InternalKeyOf(i, 200, i % 9 == 8 ? kTypeDeletion : kTypeValue),
                 std::string(12, static_cast<char>('a' + i % 3)));
    if (i % 11 == 0) builder->Add(InternalKeyOf(i, 100), "older");
  }
  FUZZ_CHECK(builder->Finish().ok());
  FUZZ_CHECK(file->Close().ok());
  std::string bytes;
  FUZZ_CHECK(ReadFileToString(&fs, "/t", &bytes).ok());
  return bytes;
}

// A table of another format, all of whose keys and values have one size.
std::string BuildFlatTable(const TableFactory& factory, const SliceTransform* extractor) {
  MemoryFileSystem fs(MemoryFileSystem::Durability::kUntracked);
  const InternalKeyComparator icmp(BytewiseComparator());
  std::unique_ptr<FileWriter> file;
  FUZZ_CHECK(FileWriter::Open(&fs, "/t", FileOptions(), &file).ok());
  TableBuilderOptions options(icmp, kNoCompression);
  options.db_session_id = "SESSION0000000000001";
  options.prefix_extractor = extractor;
  const std::unique_ptr<TableBuilder> builder(factory.NewTableBuilder(options, file.get()));
  for (int i = 0; i < 40; ++i) {
    builder->Add(InternalKeyOf(i, i % 5 == 0 ? 0 : 200, i % 9 == 8 ? kTypeDeletion : kTypeValue),
                 std::string(6, static_cast<char>('a' + i % 3)));
  }
  FUZZ_CHECK(builder->Finish().ok());
  FUZZ_CHECK(file->Close().ok());
  std::string bytes;
  FUZZ_CHECK(ReadFileToString(&fs, "/t", &bytes).ok());
  return bytes;
}

void AddFlatTables(const AddSeed& add) {
  const std::unique_ptr<const SliceTransform> extractor(NewFixedPrefixTransform(4));
  for (const bool prefixes : {false, true}) {
    for (const bool in_file : {false, true}) {
      PlainTableOptions plain;
      plain.hash_table_ratio = prefixes ? 0.75 : 0;
      plain.encoding_type = prefixes ? kPrefix : kPlain;
      plain.store_index_in_file = in_file;
      plain.index_sparseness = 4;
      const std::unique_ptr<TableFactory> factory(NewPlainTableFactory(plain));
      const std::string bytes = BuildFlatTable(*factory, prefixes ? extractor.get() : nullptr);
      const std::string name =
          std::string("rows") + (prefixes ? "-prefixes" : "") + (in_file ? "-with-index" : "");
      add("table", name, Bytes({prefixes ? 16 : 0, 0}) + bytes);
      if (in_file) add("table", name + "-scanned", Bytes({prefixes ? 48 : 32, 0}) + bytes);
    }
  }
  for (const bool modulo : {false, true}) {
    CuckooTableOptions cuckoo;
    cuckoo.use_module_hash = modulo;
    cuckoo.identity_as_first_hash = modulo;
    const std::unique_ptr<TableFactory> factory(NewCuckooTableFactory(cuckoo));
    add("table", modulo ? "cuckoo-modulo" : "cuckoo",
        Bytes({0, 0}) + BuildFlatTable(*factory, nullptr));
  }
}

void AddTables(const AddSeed& add) {
  const auto add_one = [&](const std::string& name, int how, const std::string& file) {
    const std::vector<BlockHandle> blocks = FindBlocks(file);
    std::string bytes = Bytes({how, static_cast<int>(blocks.size())});
    for (const BlockHandle& block : blocks) {
      const auto offset = static_cast<int>(block.offset), size = static_cast<int>(block.size);
      bytes += Bytes({offset & 0xff, offset >> 8, size & 0xff, size >> 8});
    }
    add("table", name, bytes + file);
  };
  add_one("plain", 0, BuildTable(5, kNoCompression, kXXH3, true, 40));
  add_one("empty", 0, BuildTable(5, kNoCompression, kXXH3, true, 0));
  add_one("one", 1, BuildTable(5, kNoCompression, kCRC32c, false, 1));
  add_one("no-cache", 2, BuildTable(4, kNoCompression, kCRC32c, true, 30));
  add_one("cached-index", 4, BuildTable(5, kNoCompression, kXXH3, true, 40));
  add_one("cached-index-pinned", 12, BuildTable(5, kLZ4Compression, kXXH3, true, 40));
  add_one("version-2", 0, BuildTable(2, kNoCompression, kCRC32c, true, 30));
  add_one("version-3", 0, BuildTable(3, kNoCompression, kxxHash, true, 30));
  add_one("version-6", 0, BuildTable(6, kNoCompression, kXXH3, true, 30));
  add_one("version-7", 1, BuildTable(7, kNoCompression, kxxHash64, true, 30));
  add_one("snappy", 0, BuildTable(5, kSnappyCompression, kXXH3, true, 40));
  add_one("zlib", 0, BuildTable(5, kZlibCompression, kXXH3, true, 40));
  add_one("bzip2", 0, BuildTable(5, kBZip2Compression, kXXH3, true, 40));
  add_one("zstd", 0, BuildTable(5, kZSTD, kXXH3, false, 40));
  AddFlatTables(add);
}

void AddDirectories(const AddSeed& add) {
  add("directory", "little", Bytes({0, 0, 0, 0, 0}));
  add("directory", "cached-before", Bytes({0, 16, 0, 32 | 2, 0x28, 0x40, 3}));
  // Each recovery mode, each file, and each way to damage it, a few of them.
  for (int file = 0; file < 12; ++file) {
    add("directory", "bit-" + std::to_string(file),
        Bytes({file % 4, 14, 0, file, 0x28, 0x40, file * 16}));
    add("directory", "fixed-" + std::to_string(file),
        Bytes({file % 4, 6, 0, 32 | file, 0x09, 0x20, file * 20, 0x81, 0x02}));
    add("directory", "cut-" + std::to_string(file), Bytes({2, 2, 0, file, 7, 0x10, file}));
    add("directory", "gone-" + std::to_string(file), Bytes({1, 1, 0, 0xe0 | file}));
  }
}

}  // namespace

void AddEngineSeeds(const AddSeed& add) {
  AddBlocks(add);
  AddFooters(add);
  AddFilters(add);
  AddBatches(add);
  AddEntities(add);
  AddBlobFiles(add);
  AddTraces(add);
  AddLogs(add);
  AddEdits(add);
  AddRemoteMessages(add);
  AddOptions(add);
  AddBackupMetas(add);
  AddKeys(add);
  AddCompressed(add);
  AddTables(add);
  AddDirectories(add);
}

}  // namespace cairn::fuzz
