// Plain and cuckoo tables: what is built is read back as a map has it, by each combination of the
// settings that change the file; and damage is told. (RocksDB 7.8.3's sst_dump reads neither
// format, not even its own files: test/interop has its engine do so.)

#include <gtest/gtest.h>

#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/coding.h"
#include "base/random.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"
#include "rocksdb/slice_transform.h"
#include "table/adaptive_table_factory.h"
#include "table/flat_table.h"
#include "table/plain_table_format.h"
#include "table/properties.h"
#include "table/read_properties.h"
#include "table/testing/table_harness.h"

namespace cairn {
namespace {

using testing::IKey;
using testing::InternalLess;
using testing::Model;

// Builds a table with one factory and opens it with another.
struct FlatHarness {
  FlatHarness() : model(InternalLess(&icmp)) {}

  void Put(const std::string& user_key, SequenceNumber seq, const std::string& value,
           ValueType type = kTypeValue) {
    model[IKey(user_key, seq, type)] = value;
  }

  Status Build() {
    std::unique_ptr<FileWriter> writer;
    Status s = FileWriter::Open(&fs, "/t.sst", FileOptions(), &writer);
    if (!s.ok()) return s;
    TableBuilderOptions options(icmp, kNoCompression);
    options.prefix_extractor = extractor.get();
    options.bloom_locality = bloom_locality;
    options.extra_properties = extra_properties;
    options.cur_file_num = 12;
    options.db_id = "test-db";
    options.db_session_id = "SESSION0000000000001";
    std::unique_ptr<TableBuilder> builder(factory->NewTableBuilder(options, writer.get()));
    for (const auto& [key, value] : model) builder->Add(key, value);
    s = builder->Finish();
    properties = builder->GetTableProperties();
    if (s.ok()) s = writer->Sync(false);
    if (s.ok()) s = writer->Close();
    EXPECT_TRUE(!s.ok() || writer->file_size() == builder->FileSize());
    EXPECT_TRUE(!s.ok() || builder->LastKey() == Slice(model.rbegin()->first));
    return s;
  }

  Status Open(SequenceNumber largest_seqno = kMaxSequenceNumber) {
    uint64_t size = 0;
    Status s = fs.GetFileSize("/t.sst", IOOptions(), &size, nullptr);
    std::unique_ptr<RandomAccessFileReader> reader;
    if (s.ok()) s = RandomAccessFileReader::Open(&fs, "/t.sst", FileOptions(), &reader);
    if (!s.ok()) return s;
    TableReaderOptions options(icmp);
    options.prefix_extractor = extractor.get();
    options.largest_seqno = largest_seqno;
    return (opener != nullptr ? opener : factory)
        ->NewTableReader(options, std::move(reader), size, &table);
  }

  std::string Bytes() {
    std::string bytes;
    EXPECT_TRUE(ReadFileToString(&fs, "/t.sst", &bytes).ok());
    return bytes;
  }
  void Write(const std::string& bytes) {
    EXPECT_TRUE(WriteStringToFile(&fs, bytes, "/t.sst", false).ok());
  }

  void CheckForward(const ReadOptions& options = ReadOptions()) {
    std::unique_ptr<InternalIterator> it(table->NewIterator(options));
    auto expected = model.begin();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
      ASSERT_NE(expected, model.end());
      ASSERT_EQ(it->key().ToString(true), Slice(expected->first).ToString(true));
      ASSERT_EQ(it->value().ToString(), expected->second);
    }
    ASSERT_TRUE(it->status().ok()) << it->status().ToString();
    ASSERT_EQ(expected, model.end());
  }

  // The newest entry of the key that is not newer than `seq`.
  void CheckGet(const std::string& user, SequenceNumber seq) {
    const auto at = model.lower_bound(IKey(user, seq, kValueTypeForSeek));
    const bool present = at != model.end() && ExtractUserKey(at->first) == Slice(user);
    PinnableSlice value;
    SequenceNumber found = 0;
    GetContext context(icmp.user_comparator(), user, &value, &found);
    const Status s = table->Get(ReadOptions(), IKey(user, seq, kValueTypeForSeek), &context);
    ASSERT_TRUE(s.ok()) << s.ToString();
    if (!present) {
      ASSERT_EQ(context.state(), GetContext::kNotFound) << user;
      return;
    }
    ASSERT_EQ(found, ExtractSequence(at->first));
    if (ExtractValueType(at->first) == kTypeValue) {
      ASSERT_EQ(context.state(), GetContext::kFound) << user;
      ASSERT_EQ(value.ToString(), at->second);
    } else {
      ASSERT_EQ(context.state(), GetContext::kDeleted) << user;
    }
  }

  // A key that is there, or one like it.
  std::string AnyKey(Random64* random) {
    auto at = model.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random->Uniform(model.size())));
    std::string user = ExtractUserKey(at->first).ToString();
    switch (random->Uniform(4)) {
      case 0:
        user[random->Uniform(user.size())] = static_cast<char>('a' + random->Uniform(26));
        break;
      case 1:
        user.back() = static_cast<char>(user.back() + 1);
        break;
      default:
        break;
    }
    return user;
  }

  InternalKeyComparator icmp{BytewiseComparator()};
  MemoryFileSystem fs{MemoryFileSystem::Durability::kUntracked};
  std::shared_ptr<TableFactory> factory;
  std::shared_ptr<TableFactory> opener;  // null: factory
  std::shared_ptr<const SliceTransform> extractor;
  uint32_t bloom_locality = 0;
  UserCollectedProperties extra_properties;
  Model model;
  TableProperties properties;
  std::unique_ptr<TableReader> table;
};

// Keys of 10 bytes and values of 6.
void FillCuckoo(uint64_t seed, size_t n, bool zeros, FlatHarness* h) {
  Random64 random(seed);
  for (size_t i = 0; i < n; ++i) {
    char key[32];
    snprintf(key, sizeof(key), "%010llu", static_cast<unsigned long long>(i * 7919 % 100000));
    const bool deleted = !zeros && random.Uniform(8) == 0;
    h->Put(key, zeros ? 0 : i + 1, deleted ? std::string() : "v" + std::to_string(10000 + i),
           deleted ? kTypeDeletion : kTypeValue);
  }
}

// ---- Plain tables

struct PlainCase {
  PlainTableOptions options;
  size_t prefix = 0;  // bytes; 0: no extractor
  uint32_t bloom_locality = 0;

  std::string Text() const {
    return "prefix " + std::to_string(prefix) + " encoding " +
           std::to_string(options.encoding_type) + " index " +
           std::to_string(options.store_index_in_file) + " bloom " +
           std::to_string(options.bloom_bits_per_key) + " sparseness " +
           std::to_string(options.index_sparseness) + " len " +
           std::to_string(options.user_key_len) + " locality " + std::to_string(bloom_locality);
  }
};

// Of all that changes the file.
std::vector<PlainCase> PlainCases() {
  std::vector<PlainCase> cases;
  for (const size_t prefix : {0u, 3u}) {
    for (const EncodingType encoding : {kPlain, kPrefix}) {
      if (prefix == 0 && encoding == kPrefix) continue;
      for (const bool in_file : {false, true}) {
        for (const int bloom : {0, 10}) {
          for (const size_t sparseness : {0u, 1u, 4u, 16u}) {
            if (encoding == kPrefix && sparseness == 0) continue;
            for (const uint32_t length : {0u, 8u}) {
              PlainCase c;
              c.prefix = prefix;
              c.options.encoding_type = encoding;
              c.options.store_index_in_file = in_file;
              c.options.bloom_bits_per_key = bloom;
              c.options.index_sparseness = sparseness;
              c.options.user_key_len = length;
              c.options.hash_table_ratio = prefix == 0 ? 0 : 0.75;
              c.bloom_locality = bloom != 0 && in_file && sparseness == 4 ? 1 : 0;
              cases.push_back(c);
            }
          }
        }
      }
    }
  }
  return cases;
}

void UsePlain(const PlainCase& c, FlatHarness* h) {
  h->factory.reset(NewPlainTableFactory(c.options));
  h->bloom_locality = c.bloom_locality;
  h->extractor.reset(c.prefix == 0 ? nullptr : NewFixedPrefixTransform(c.prefix));
}

// Keys of 8 bytes with few prefixes; several versions, deletions, operands; sequence number 0, too.
// Without `fixed` some are longer, one by much.
void FillPlain(uint64_t seed, size_t n, bool fixed, FlatHarness* h) {
  Random64 random(seed);
  for (size_t i = 0; i < n; ++i) {
    char key[32];
    snprintf(key, sizeof(key), "p%02llu%05llu", static_cast<unsigned long long>(random.Uniform(20)),
             static_cast<unsigned long long>(random.Uniform(500)));
    std::string user = key;
    if (!fixed && random.Uniform(3) == 0) user += std::string(random.Uniform(5), 'x');
    if (!fixed && i == 3) user += std::string(300, 'y');
    const ValueType types[] = {kTypeDeletion, kTypeMerge, kTypeValue, kTypeValue, kTypeValue};
    const SequenceNumber seq = random.Uniform(4) == 0 ? 0 : i + 1;
    h->Put(user, seq, std::string(random.Uniform(200), static_cast<char>('a' + i % 26)),
           seq == 0 ? kTypeValue : types[random.Uniform(5)]);
  }
}

TEST(PlainTableTest, AgreesWithAMap) {
  uint64_t seed = 1;
  for (const PlainCase& c : PlainCases()) {
    SCOPED_TRACE(c.Text());
    FlatHarness h;
    UsePlain(c, &h);
    FillPlain(++seed, 400, c.options.user_key_len != 0, &h);
    ASSERT_TRUE(h.Build().ok());
    ASSERT_TRUE(h.Open().ok());
    h.CheckForward();
    ASSERT_TRUE(h.table->VerifyChecksum(ReadOptions()).ok());
    EXPECT_EQ(h.table->HasFilter(), c.options.bloom_bits_per_key > 0);
    EXPECT_GT(h.table->ApproximateMemoryUsage(), h.properties.data_size);
    Random64 random(seed);
    const std::unique_ptr<InternalIterator> it(h.table->NewIterator(ReadOptions()));
    for (int i = 0; i < 200; ++i) {
      const std::string user = h.AnyKey(&random);
      const SequenceNumber seq = random.Uniform(500);
      const std::string target = IKey(user, seq, kValueTypeForSeek);
      auto at = h.model.lower_bound(target);
      it->Seek(target);
      ASSERT_TRUE(it->status().ok()) << it->status().ToString();
      if (c.prefix != 0) {
        const auto has_prefix = [&](const std::string& key) {
          return Slice(key).starts_with(Slice(user.data(), c.prefix));
        };
        auto first = h.model.lower_bound(IKey(user.substr(0, c.prefix), kMaxSequenceNumber));
        if (first == h.model.end() || !has_prefix(first->first)) {
          ASSERT_FALSE(it->Valid());
          ASSERT_TRUE(it->PrefixIsAbsent());
          continue;
        }
        // Beyond the last one of its prefix a seek finds the next prefix's, or nothing.
        if (at == h.model.end() || !has_prefix(at->first)) {
          if (it->Valid()) {
            ASSERT_EQ(it->key().ToString(), at->first);
          }
          continue;
        }
      }
      for (int step = 0; step < 10; ++step) {
        ASSERT_EQ(it->Valid(), at != h.model.end());
        if (!it->Valid()) break;
        ASSERT_EQ(it->key().ToString(true), Slice(at->first).ToString(true));
        ASSERT_EQ(it->value().ToString(), at->second);
        it->Next();
        ++at;
      }
    }
  }
}

TEST(PlainTableTest, GetsFollowVersions) {
  for (const PlainCase& c : PlainCases()) {
    SCOPED_TRACE(c.Text());
    FlatHarness h;
    UsePlain(c, &h);
    Random64 random(7);
    for (size_t i = 0; i < 500; ++i) {
      char key[32];
      snprintf(key, sizeof(key), "%c%c%c%05llu", static_cast<int>('a' + random.Uniform(3)),
               static_cast<int>('a' + random.Uniform(3)), 'x',
               static_cast<unsigned long long>(random.Uniform(60)));
      h.Put(key, i, std::to_string(i), random.Uniform(6) == 0 ? kTypeDeletion : kTypeValue);
    }
    ASSERT_TRUE(h.Build().ok());
    ASSERT_TRUE(h.Open().ok());
    for (int i = 0; i < 500; ++i) h.CheckGet(h.AnyKey(&random), random.Uniform(600));
    for (const auto& [key, value] : h.model) {
      h.CheckGet(ExtractUserKey(key).ToString(), ExtractSequence(key));
    }
  }
}

// The bytes as the format has them.
TEST(PlainTableTest, RowsOfBothEncodings) {
  FlatHarness h;
  PlainCase c;
  c.prefix = 4;
  c.options.encoding_type = kPrefix;
  UsePlain(c, &h);
  for (const char* key : {"00000001", "000000021", "00000002x", "0001100", "00020001"}) {
    h.Put(key, 0, "v");
  }
  h.Put("00020001", 5, "w", kTypeMerge);
  ASSERT_TRUE(h.Build().ok());
  std::string expected;
  // Whole keys, a prefix with a suffix, a suffix; 0xff for number 0.
  expected += std::string(
      "\x08"
      "00000001\xff\x01v",
      12);
  expected += std::string(
      "\x44\x85"
      "00021\xff\x01v",
      10);
  expected += std::string(
      "\x85"
      "0002x\xff\x01v",
      9);
  expected += std::string(
      "\x07"
      "0001100\xff\x01v",
      11);
  expected += std::string(
      "\x08"
      "00020001\x02\x05\0\0\0\0\0\0\x01w",
      19);
  expected += std::string(
      "\x44\x84"
      "0001\xff\x01v",
      9);
  EXPECT_EQ(Slice(h.Bytes().data(), expected.size()).ToString(true),
            Slice(expected).ToString(true));
  EXPECT_EQ(h.properties.data_size, expected.size());

  h.factory.reset(NewPlainTableFactory());
  ASSERT_TRUE(h.Build().ok());
  expected = std::string(
      "\x08"
      "00000001\xff\x01v\x09"
      "000000021\xff\x01v",
      25);
  EXPECT_EQ(Slice(h.Bytes().data(), expected.size()).ToString(true),
            Slice(expected).ToString(true));
  // The footer of format_version 0.
  EXPECT_EQ(DecodeFixed64(h.Bytes().data() + h.Bytes().size() - 8), kPlainTableMagicOfVersion0);
}

TEST(PlainTableTest, WhatHasNoWayBackSaysSo) {
  FlatHarness h;
  PlainCase c;
  c.prefix = 3;
  UsePlain(c, &h);
  FillPlain(3, 100, true, &h);
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  const std::string middle = std::next(h.model.begin(), 50)->first;
  const std::unique_ptr<InternalIterator> it(h.table->NewIterator(ReadOptions()));
  const auto refused = [&](const char* call) {
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().IsNotSupported()) << it->status().ToString();
    EXPECT_NE(it->status().ToString().find(std::string(call) + "() is not supported"),
              std::string::npos)
        << it->status().ToString();
    it->SeekToFirst();
    EXPECT_TRUE(it->Valid());
    EXPECT_TRUE(it->status().ok());
  };
  it->SeekToLast();
  refused("SeekToLast");
  it->SeekForPrev(middle);
  refused("SeekForPrev");
  it->Prev();
  refused("Prev");

  ReadOptions total;
  total.total_order_seek = true;
  const std::unique_ptr<InternalIterator> of_total(h.table->NewIterator(total));
  of_total->Seek(middle);
  EXPECT_FALSE(of_total->Valid());
  EXPECT_TRUE(of_total->status().IsInvalidArgument());
  of_total->SeekToFirst();
  EXPECT_TRUE(of_total->Valid());
  // A compaction may begin anywhere.
  const std::unique_ptr<InternalIterator> of_job(
      h.table->NewIterator(total, false, 0, /*for_compaction=*/true));
  of_job->Seek(middle);
  ASSERT_TRUE(of_job->Valid());
  EXPECT_EQ(of_job->key().ToString(), middle);
}

TEST(PlainTableTest, FullScanModeHasIteratorsFromTheFirstOnAlone) {
  FlatHarness h;
  PlainCase c;
  c.prefix = 3;
  UsePlain(c, &h);
  FillPlain(4, 100, false, &h);
  ASSERT_TRUE(h.Build().ok());
  c.options.full_scan_mode = true;
  h.opener.reset(NewPlainTableFactory(c.options));
  h.extractor.reset();  // and no prefix extractor is asked for
  ASSERT_TRUE(h.Open().ok());
  h.CheckForward();
  const std::unique_ptr<InternalIterator> it(h.table->NewIterator(ReadOptions()));
  it->Seek(h.model.begin()->first);
  EXPECT_TRUE(it->status().IsInvalidArgument()) << it->status().ToString();
  PinnableSlice value;
  GetContext context(BytewiseComparator(), "p", &value);
  const Status s = h.table->Get(ReadOptions(), IKey("p", 1), &context);
  EXPECT_EQ(s.ToString(), "Invalid argument: Get() is not allowed in full scan mode.: /t.sst");
}

TEST(PlainTableTest, OpensByTheRightExtractorOnly) {
  FlatHarness h;
  PlainCase c;
  c.prefix = 3;
  UsePlain(c, &h);
  FillPlain(4, 10, false, &h);
  ASSERT_TRUE(h.Build().ok());
  h.extractor.reset(NewFixedPrefixTransform(4));
  Status s = h.Open();
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_NE(s.ToString().find("doesn't match"), std::string::npos);
  h.extractor.reset();
  s = h.Open();
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_NE(s.ToString().find("Prefix extractor is missing"), std::string::npos);
  ASSERT_TRUE(h.Build().ok());
  s = h.Open();  // hash_table_ratio is not 0
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
}

TEST(PlainTableTest, TheFilterIsCounted) {
  FlatHarness h;
  PlainCase c;
  c.options.hash_table_ratio = 0;
  UsePlain(c, &h);
  FillCuckoo(5, 200, /*zeros=*/false, &h);
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  const PerfLevel before = GetPerfLevel();
  SetPerfLevel(kEnableCount);
  get_perf_context()->Reset();
  uint64_t found = 0;
  for (const auto& [key, value] : h.model) {
    h.CheckGet(ExtractUserKey(key).ToString(), 1000);
    ++found;
  }
  EXPECT_EQ(get_perf_context()->bloom_sst_hit_count, found);
  for (int i = 0; i < 1000; ++i) h.CheckGet("absent" + std::to_string(i), 1000);
  EXPECT_GT(get_perf_context()->bloom_sst_miss_count, 900u);
  SetPerfLevel(before);
}

TEST(PlainTableTest, AnIngestedTableHasItsNumber) {
  FlatHarness h;
  PlainCase c;
  c.options.hash_table_ratio = 0;
  UsePlain(c, &h);
  PutFixed32(&h.extra_properties[kExternalVersionProperty], 2);
  PutFixed64(&h.extra_properties[kExternalGlobalSeqnoProperty], 0);
  for (int i = 0; i < 50; ++i) h.Put("key" + std::to_string(100 + i), 0, std::to_string(i));
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open(/*largest_seqno=*/77).ok());
  Model renumbered{InternalLess(&h.icmp)};
  for (const auto& [key, value] : h.model) {
    renumbered[IKey(ExtractUserKey(key).ToString(), 77)] = value;
  }
  h.model = renumbered;
  h.CheckForward();
  for (int i = 0; i < 50; ++i) {
    h.CheckGet("key" + std::to_string(100 + i), 76);
    h.CheckGet("key" + std::to_string(100 + i), 77);
  }
}

TEST(PlainTableTest, RefusesWhatItCannotWrite) {
  FlatHarness h;
  PlainCase c;
  c.options.user_key_len = 4;
  UsePlain(c, &h);
  h.Put("four", 1, "v");
  h.Put("fifth", 2, "v");
  Status s = h.Build();
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  EXPECT_NE(s.ToString().find("user_key_len"), std::string::npos);
  c.options.encoding_type = kPrefix;
  UsePlain(c, &h);
  s = h.Build();
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_NE(s.ToString().find("encoding_type"), std::string::npos);

  std::unique_ptr<FileWriter> writer;
  ASSERT_TRUE(FileWriter::Open(&h.fs, "/u.sst", FileOptions(), &writer).ok());
  const TableBuilderOptions options(h.icmp, kNoCompression);
  h.factory.reset(NewPlainTableFactory());
  std::unique_ptr<TableBuilder> builder(h.factory->NewTableBuilder(options, writer.get()));
  builder->AddTombstone(IKey("a", 1, kTypeRangeDeletion), "b");
  EXPECT_TRUE(builder->status().IsNotSupported());
  EXPECT_NE(builder->status().ToString().find("Range deletion unsupported"), std::string::npos);
  builder->Abandon();
}

// Anything may stand where rows, index or filter are: a wrong answer at worst, never a crash.
void ReadAllOf(FlatHarness* h, uint64_t seed) {
  Random64 random(seed);
  const std::unique_ptr<InternalIterator> it(
      h->table->NewIterator(ReadOptions(), false, 0, /*for_compaction=*/seed % 2 == 0));
  size_t n = 0;
  for (it->SeekToFirst(); it->Valid() && n < 100000; it->Next()) n += it->key().size() > 0;
  for (int i = 0; i < 20; ++i) {
    const std::string user = h->AnyKey(&random);
    it->Seek(IKey(user, 10, kValueTypeForSeek));
    if (it->Valid()) n += it->value().size();
    PinnableSlice value;
    GetContext context(BytewiseComparator(), user, &value);
    h->table->Get(ReadOptions(), IKey(user, 10, kValueTypeForSeek), &context)
        .PermitUncheckedError();
  }
  h->table->VerifyChecksum(ReadOptions()).PermitUncheckedError();
  std::vector<TableAnchor> anchors;
  h->table->GetAnchors(4, &anchors).PermitUncheckedError();
}

void CheckDamage(FlatHarness* h, size_t step) {
  const std::string good = h->Bytes();
  Random64 random(99);
  for (size_t at = 0; at < good.size(); at += step) {
    std::string bad = good;
    bad[at] = static_cast<char>(random.Next());
    if (at + 1 < bad.size() && random.Uniform(3) == 0) bad[at + 1] = '\xff';
    h->Write(bad);
    Status s = h->Open();
    if (s.ok()) ReadAllOf(h, at);
    EXPECT_TRUE(s.ok() || s.ToString().find("/t.sst") != std::string::npos) << s.ToString();
  }
  for (size_t size = 0; size < good.size(); size += 1 + step / 3) {
    h->Write(good.substr(0, size));
    const Status s = h->Open();
    EXPECT_TRUE(s.IsCorruption()) << size << ": " << s.ToString();
    EXPECT_NE(s.ToString().find("/t.sst"), std::string::npos) << s.ToString();
  }
  h->Write(good);
}

TEST(PlainTableTest, DamageIsNoCrash) {
  for (const PlainCase& c : PlainCases()) {
    if (c.options.index_sparseness != 4) continue;
    SCOPED_TRACE(c.Text());
    FlatHarness h;
    UsePlain(c, &h);
    FillPlain(11, 60, c.options.user_key_len != 0, &h);
    ASSERT_TRUE(h.Build().ok());
    CheckDamage(&h, 7);
  }
}

TEST(PlainTableTest, TheFactorySaysWhatItIs) {
  FlatHarness h;
  h.factory.reset(NewPlainTableFactory());
  EXPECT_STREQ(h.factory->Name(), "PlainTable");
  EXPECT_FALSE(h.factory->IsDeleteRangeSupported());
  ASSERT_NE(h.factory->GetOptions<PlainTableOptions>(), nullptr);
  EXPECT_EQ(h.factory->GetOptions<BlockBasedTableOptions>(), nullptr);
  EXPECT_NE(h.factory->GetPrintableOptions().find("index_sparseness: 16"), std::string::npos);
  h.extractor.reset(NewFixedPrefixTransform(2));
  h.Put("aa1", 1, "v");
  ASSERT_TRUE(h.Build().ok());
  h.opener.reset(NewBlockBasedTableFactory());
  Status s = h.Open();
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  h.opener.reset(NewCuckooTableFactory());
  s = h.Open();
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_NE(s.ToString().find("not a cuckoo table"), std::string::npos);
}

// ---- Cuckoo tables

struct CuckooCase {
  CuckooTableOptions options;
  bool zeros = false;  // only values of sequence number 0

  std::string Text() const {
    return "ratio " + std::to_string(options.hash_table_ratio) + " depth " +
           std::to_string(options.max_search_depth) + " block " +
           std::to_string(options.cuckoo_block_size) + " identity " +
           std::to_string(options.identity_as_first_hash) + " modulo " +
           std::to_string(options.use_module_hash) + " zeros " + std::to_string(zeros);
  }
};

std::vector<CuckooCase> CuckooCases() {
  std::vector<CuckooCase> cases;
  for (const double ratio : {0.3, 0.9}) {
    for (const uint32_t block : {1u, 5u}) {
      for (const bool identity : {false, true}) {
        for (const bool modulo : {false, true}) {
          for (const bool zeros : {false, true}) {
            CuckooCase c;
            c.options.hash_table_ratio = ratio;
            c.options.cuckoo_block_size = block;
            c.options.identity_as_first_hash = identity;
            c.options.use_module_hash = modulo;
            c.zeros = zeros;
            cases.push_back(c);
          }
        }
      }
    }
  }
  return cases;
}

TEST(CuckooTableTest, AgreesWithAMap) {
  uint64_t seed = 1;
  for (const CuckooCase& c : CuckooCases()) {
    SCOPED_TRACE(c.Text());
    FlatHarness h;
    h.factory.reset(NewCuckooTableFactory(c.options));
    FillCuckoo(++seed, 1000, c.zeros, &h);
    ASSERT_TRUE(h.Build().ok());
    ASSERT_TRUE(h.Open().ok());
    EXPECT_EQ(h.properties.user_collected_properties[CuckooTablePropertyNames::kIsLastLevel],
              std::string(1, c.zeros ? '\1' : '\0'));
    ASSERT_TRUE(h.table->VerifyChecksum(ReadOptions()).ok());
    Random64 random(seed);
    for (const auto& [key, value] : h.model) {
      h.CheckGet(ExtractUserKey(key).ToString(), ExtractSequence(key));
      if (ExtractSequence(key) > 0) {
        h.CheckGet(ExtractUserKey(key).ToString(), ExtractSequence(key) - 1);
      }
    }
    for (int i = 0; i < 300; ++i) h.CheckGet(h.AnyKey(&random), random.Uniform(1200));
    h.CheckGet("short", 5);
    const std::unique_ptr<InternalIterator> it(h.table->NewIterator(ReadOptions()));
    it->SeekToFirst();
    for (auto at = h.model.begin(); at != h.model.end(); ++at, it->Next()) {
      ASSERT_TRUE(it->Valid());
      ASSERT_EQ(it->key().ToString(true), Slice(at->first).ToString(true));
      if (!at->second.empty()) {
        ASSERT_EQ(it->value().ToString(), at->second);
      }
    }
    ASSERT_FALSE(it->Valid());
    it->SeekToLast();
    for (auto at = h.model.rbegin(); at != h.model.rend(); ++at, it->Prev()) {
      ASSERT_TRUE(it->Valid());
      ASSERT_EQ(it->key().ToString(true), Slice(at->first).ToString(true));
    }
    ASSERT_FALSE(it->Valid());
    for (int i = 0; i < 200; ++i) {
      const std::string target = IKey(h.AnyKey(&random), random.Uniform(1200), kValueTypeForSeek);
      auto at = h.model.lower_bound(target);
      it->Seek(target);
      ASSERT_EQ(it->Valid(), at != h.model.end());
      if (it->Valid()) {
        ASSERT_EQ(it->key().ToString(true), Slice(at->first).ToString(true));
      }
      it->SeekForPrev(target);
      at = h.model.upper_bound(target);
      ASSERT_EQ(it->Valid(), at != h.model.begin());
      if (it->Valid()) {
        ASSERT_EQ(it->key().ToString(true), Slice(std::prev(at)->first).ToString(true));
      }
    }
  }
}

// The first key's number alone does not tell what the others have.
TEST(CuckooTableTest, OneEntryWithANumberKeepsThemAll) {
  FlatHarness h;
  h.factory.reset(NewCuckooTableFactory());
  h.Put("aaaaaaaa", 0, "1");
  h.Put("bbbbbbbb", 9, "2");
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  h.CheckForward();
  h.CheckGet("bbbbbbbb", 8);
  h.CheckGet("bbbbbbbb", 9);
}

TEST(CuckooTableTest, RefusesWhatItCannotWrite) {
  const auto refusal = [](const std::vector<std::pair<std::string, std::string>>& entries,
                          ValueType type, const CuckooTableOptions& options) {
    FlatHarness h;
    h.factory.reset(NewCuckooTableFactory(options));
    for (const auto& [key, value] : entries) h.Put(key, 7 + h.model.size(), value, type);
    return h.Build();
  };
  CuckooTableOptions options;
  Status s = refusal({{"a", "1"}, {"ab", "2"}}, kTypeValue, options);
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  EXPECT_NE(s.ToString().find("all keys have to be the same size"), std::string::npos);
  s = refusal({{"a", "1"}, {"b", "22"}}, kTypeValue, options);
  EXPECT_NE(s.ToString().find("all values have to be the same size"), std::string::npos);
  s = refusal({{"a", "1"}}, kTypeMerge, options);
  EXPECT_NE(s.ToString().find("Unsupported key type 2"), std::string::npos) << s.ToString();
  s = refusal({{"a", "1"}, {"a", "2"}}, kTypeValue, options);
  EXPECT_NE(s.ToString().find("Same key is being inserted again."), std::string::npos);
  options.identity_as_first_hash = true;
  s = refusal({{"a", "1"}}, kTypeValue, options);
  EXPECT_NE(s.ToString().find("identity_as_first_hash"), std::string::npos) << s.ToString();
  options.identity_as_first_hash = false;
  options.hash_table_ratio = 0;
  s = refusal({{"a", "1"}}, kTypeValue, options);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_NE(s.ToString().find("hash_table_ratio"), std::string::npos);
}

TEST(CuckooTableTest, DamageIsNoCrash) {
  for (const CuckooCase& c : CuckooCases()) {
    if (c.options.hash_table_ratio < 0.5) continue;
    SCOPED_TRACE(c.Text());
    FlatHarness h;
    h.factory.reset(NewCuckooTableFactory(c.options));
    FillCuckoo(17, 40, c.zeros, &h);
    ASSERT_TRUE(h.Build().ok());
    CheckDamage(&h, 5);
  }
}

// ---- All formats

TEST(AdaptiveTableFactoryTest, OpensEachByItsMagicNumber) {
  PlainTableOptions plain;
  plain.hash_table_ratio = 0;
  const std::shared_ptr<TableFactory> formats[] = {
      std::shared_ptr<TableFactory>(NewBlockBasedTableFactory()),
      std::shared_ptr<TableFactory>(NewPlainTableFactory(plain)),
      std::shared_ptr<TableFactory>(NewCuckooTableFactory())};
  FlatHarness h;
  h.opener.reset(NewAdaptiveTableFactory(formats[1], nullptr, formats[1]));
  EXPECT_STREQ(h.opener->Name(), "AdaptiveTableFactory");
  EXPECT_FALSE(h.opener->IsDeleteRangeSupported());
  EXPECT_NE(h.opener->GetPrintableOptions().find("PlainTable options:"), std::string::npos);
  FillCuckoo(3, 100, /*zeros=*/true, &h);
  for (const auto& format : formats) {
    h.factory = format;
    ASSERT_TRUE(h.Build().ok());
    ASSERT_TRUE(h.Open().ok()) << format->Name();
    h.CheckForward();
    Random64 random(5);
    for (int i = 0; i < 50; ++i) h.CheckGet(h.AnyKey(&random), 10);
    TableProperties properties;
    std::unique_ptr<RandomAccessFileReader> reader;
    ASSERT_TRUE(RandomAccessFileReader::Open(&h.fs, "/t.sst", FileOptions(), &reader).ok());
    ASSERT_TRUE(ReadTableProperties(std::move(reader), h.Bytes().size(), &properties).ok());
    EXPECT_EQ(properties.num_entries, 100u);
    EXPECT_EQ(properties.db_session_id, "SESSION0000000000001");
  }
  h.factory = h.opener;
  ASSERT_TRUE(h.Build().ok());
  h.opener = formats[1];
  ASSERT_TRUE(h.Open().ok());
  h.opener = h.factory;
  h.Write(std::string(100, 'x'));
  const Status s = h.Open();
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
}

}  // namespace
}  // namespace cairn
