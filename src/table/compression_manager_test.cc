// Tables of a CompressionManager of the user's own, and the built-in types as one.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "rocksdb/advanced_compression.h"
#include "rocksdb/convenience.h"
#include "rocksdb/utilities/object_registry.h"
#include "table/table_compression.h"
#include "table/testing/run_lengths.h"
#include "table/testing/table_harness.h"

namespace cairn {
namespace {

using testing::Harness;
using testing::kRunLengths;
using testing::RunLengthsManager;
using testing::RunLengthsPlan;

class CompressionManagerTest : public ::testing::Test {
 protected:
  CompressionManagerTest() {
    h_.table_options.format_version = 7;
    h_.table_options.block_size = 1000;
    h_.table_options.verify_compression = true;
    h_.compression = kRunLengths;
    h_.compression_manager = std::make_shared<RunLengthsManager>(&plan_);
    h_.FillRandom(7, 400);
  }
  void BuildAndCheck() {
    const Status built = h_.Build();
    ASSERT_TRUE(built.ok()) << built.ToString();
    const Status opened = h_.Open();
    ASSERT_TRUE(opened.ok()) << opened.ToString();
    h_.CheckAll(7, 40);
    EXPECT_EQ(plan_.areas, 0);
  }

  RunLengthsPlan plan_;
  Harness h_;
};

TEST_F(CompressionManagerTest, TablesAreReadByTheirManager) {
  BuildAndCheck();
  EXPECT_EQ(h_.properties.compression_name, "cairn_run_lengths;8A;");
  EXPECT_NE(h_.properties.compression_options.find("_compression_manager=cairn_run_lengths; "),
            std::string::npos);
  EXPECT_GT(plan_.compressed, 5);
  EXPECT_GT(plan_.decompressed, plan_.compressed);
  EXPECT_TRUE(h_.table->VerifyChecksum(ReadOptions()).ok());
}

TEST_F(CompressionManagerTest, ATableOfAnUnknownManagerDoesNotOpen) {
  ASSERT_TRUE(h_.Build().ok());
  const auto manager = std::move(h_.compression_manager);
  Status s = h_.Open();
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  h_.compression_manager = GetBuiltinV2CompressionManager();
  EXPECT_TRUE(h_.Open().IsNotSupported());
  h_.compression_manager = manager;
  EXPECT_TRUE(h_.Open().ok());
}

TEST_F(CompressionManagerTest, ItsTablesAreMadeAsItSays) {
  h_.compression = kNoCompression;
  BuildAndCheck();
  EXPECT_EQ(h_.properties.compression_name, ";;");
  EXPECT_EQ(plan_.compressed, 0);
  // Nobody is needed to read them.
  h_.compression_manager = nullptr;
  EXPECT_TRUE(h_.Open().ok());
}

TEST_F(CompressionManagerTest, DictionariesOfSamplesAndGivenOnes) {
  plan_.sample_bytes = 500;
  BuildAndCheck();
  const std::string first = h_.properties.compression_name;
  EXPECT_EQ(first, "cairn_run_lengths;8A;");
  plan_.sample_bytes = 0;
  plan_.given_dict = "abc";
  BuildAndCheck();
  plan_.forgets_dictionaries = true;
  Status s = h_.Open();
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
}

TEST_F(CompressionManagerTest, SeveralThreadsCompressOneTable) {
  BuildAndCheck();
  const uint64_t size = h_.properties.data_size;
  plan_.threads = 3;
  BuildAndCheck();
  EXPECT_EQ(h_.properties.data_size, size);
  plan_.sample_bytes = 500;
  BuildAndCheck();
}

TEST_F(CompressionManagerTest, CompressorsThatFailOrLie) {
  plan_.compress_fails = true;
  EXPECT_TRUE(h_.Build().IsAborted());
  plan_.compress_fails = false;
  plan_.wrong_size = true;
  EXPECT_TRUE(h_.Build().IsCorruption());
  plan_.wrong_size = false;
  plan_.wrong_bytes = true;  // verify_compression sees it
  EXPECT_TRUE(h_.Build().IsCorruption());
  plan_.wrong_bytes = false;
  ASSERT_TRUE(h_.Build().ok());
  ASSERT_TRUE(h_.Open().ok());
  plan_.decompress_fails = true;
  const std::unique_ptr<InternalIterator> it(h_.table->NewIterator(ReadOptions()));
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsCorruption()) << it->status().ToString();
  EXPECT_NE(it->status().ToString().find("/t.sst"), std::string::npos);
  EXPECT_EQ(plan_.areas, 0);
}

// By a name that stays registered.
class RegisteredManager final : public RunLengthsManager {
 public:
  explicit RegisteredManager(RunLengthsPlan* plan) : RunLengthsManager(plan) {}
  const char* Name() const override { return "cairn_registered"; }
  const char* CompatibilityName() const override { return Name(); }
};

TEST_F(CompressionManagerTest, OneThatIsRegisteredReadsWithoutOptions) {
  static RunLengthsPlan plan;
  h_.compression_manager = std::make_shared<RegisteredManager>(&plan);
  ASSERT_TRUE(h_.Build().ok());
  EXPECT_EQ(h_.properties.compression_name, "cairn_registered;8A;");
  h_.compression_manager = nullptr;
  ObjectLibrary::Default()->AddFactory<CompressionManager>(
      "cairn_registered",
      [](const std::string&, std::unique_ptr<CompressionManager>* made, std::string*) {
        made->reset(new RegisteredManager(&plan));
        return made->get();
      });
  ASSERT_TRUE(h_.Open().ok());
  h_.CheckAll(7, 20);
  EXPECT_GT(plan.decompressed, 0);
}

// ---- The built-in types

// Hands all on to the built-in types, and counts.
class CountingManager final : public CompressionManagerWrapper {
 public:
  CountingManager() : CompressionManagerWrapper(GetBuiltinV2CompressionManager()) {}
  const char* Name() const override { return "CountingManager"; }
  std::unique_ptr<Compressor> GetCompressorForSST(const FilterBuildingContext& context,
                                                  const CompressionOptions& options,
                                                  CompressionType preferred) override {
    ++tables;
    name = context.column_family_name;
    return wrapped_->GetCompressorForSST(context, options, preferred);
  }
  int tables = 0;
  std::string name;
};

TEST(BuiltinManagerTest, AWrapperOfItWritesTheSameTables) {
  for (const uint32_t version : {5u, 7u}) {
    for (const CompressionType type :
         {kNoCompression, kSnappyCompression, kZlibCompression, kBZip2Compression, kLZ4Compression,
          kLZ4HCCompression, kZSTD}) {
      for (const uint32_t dict_bytes : {0u, 2000u}) {
        SCOPED_TRACE(std::to_string(version) + " " + std::to_string(type) + " " +
                     std::to_string(dict_bytes));
        Harness h;
        h.table_options.format_version = version;
        h.table_options.block_size = 700;
        h.table_options.verify_compression = true;
        h.compression = type;
        h.compression_opts.max_dict_bytes = dict_bytes;
        h.FillRandom(3, 500);
        ASSERT_TRUE(h.Build().ok());
        const TableProperties plain = h.properties;
        const auto counting = std::make_shared<CountingManager>();
        h.compression_manager = counting;
        ASSERT_TRUE(h.Build().ok());
        EXPECT_EQ(counting->tables, 1);
        EXPECT_EQ(counting->name, "default");
        EXPECT_EQ(h.properties.data_size, plain.data_size);
        EXPECT_EQ(h.properties.compression_name, plain.compression_name);
        ASSERT_TRUE(h.Open().ok());
        h.CheckAll(3, 30);
        h.compression_manager = nullptr;
        ASSERT_TRUE(h.Open().ok());
        h.CheckAll(3, 30);
      }
    }
  }
}

TEST(BuiltinManagerTest, WhatItSaysOfItself) {
  const auto& manager = GetBuiltinV2CompressionManager();
  EXPECT_STREQ(manager->CompatibilityName(), "BuiltinV2");
  EXPECT_EQ(manager->GetCompressor(CompressionOptions(), kNoCompression), nullptr);
  EXPECT_TRUE(manager->SupportsCompressionType(kZSTD));
  EXPECT_FALSE(manager->SupportsCompressionType(kXpressCompression));
  EXPECT_FALSE(manager->SupportsCompressionType(kCustomCompression80));
  EXPECT_EQ(manager->CompressionTypeToString(kLZ4HCCompression), "LZ4HC");
  EXPECT_EQ(manager->CompressionTypeToString(kCustomCompression8A), "Custom8A");
  EXPECT_EQ(manager->CompressionTypeToString(static_cast<CompressionType>(0x4f)), "Reserved4F");
  EXPECT_EQ(manager->CompressionTypeToString(kDisableCompressionOption), "DisableOption");
  EXPECT_EQ(manager->FindCompatibleCompressionManager("BuiltinV2"), manager);
  EXPECT_EQ(manager->FindCompatibleCompressionManager("nobody"), nullptr);
  std::shared_ptr<CompressionManager> made;
  EXPECT_TRUE(CompressionManager::CreateFromString(ConfigOptions(), "BuiltinV2", &made).ok());
  EXPECT_EQ(made, manager);
  EXPECT_TRUE(CompressionManager::CreateFromString(ConfigOptions(), "nullptr", &made).ok());
  EXPECT_EQ(made, nullptr);
  ConfigOptions strict;
  strict.ignore_unsupported_options = false;
  EXPECT_TRUE(CompressionManager::CreateFromString(strict, "nobody", &made).IsNotSupported());
}

TEST(BuiltinManagerTest, BlocksByItsObjects) {
  const auto& manager = GetBuiltinV2CompressionManager();
  const std::string raw(3000, 'x');
  for (const CompressionType type : {kSnappyCompression, kZSTD, kBZip2Compression}) {
    const auto compressor = manager->GetCompressor(CompressionOptions(), type);
    ASSERT_NE(compressor, nullptr);
    EXPECT_EQ(compressor->GetPreferredCompressionType(), type);
    std::string buffer(raw.size(), '\0');
    size_t size = buffer.size();
    CompressionType made = kNoCompression;
    ASSERT_TRUE(compressor->CompressBlock(raw, buffer.data(), &size, &made, nullptr).ok());
    EXPECT_EQ(made, type);
    Decompressor::Args args;
    args.compression_type = made;
    args.compressed_data = Slice(buffer.data(), size);
    const auto decompressor = manager->GetDecompressorOptimizeFor(type);
    ASSERT_TRUE(decompressor->ExtractUncompressedSize(args).ok());
    ASSERT_EQ(args.uncompressed_size, raw.size());
    std::string again(raw.size(), '\0');
    ASSERT_TRUE(decompressor->DecompressBlock(args, again.data()).ok());
    EXPECT_TRUE(again == raw);
    // Without room it is declined.
    size = 3;
    ASSERT_TRUE(compressor->CompressBlock(raw, buffer.data(), &size, &made, nullptr).ok());
    EXPECT_EQ(made, kNoCompression);
  }
}

TEST(TableCompressionTest, PropertiesThatMakeNoSense) {
  std::unique_ptr<DecompressionDict> found;
  for (const char* name : {"ZSTD", "BuiltinV2;07", "BuiltinV2;7;", "BuiltinV2;0G;", "BuiltinV2;00;",
                           "BuiltinV2;FF;"}) {
    EXPECT_TRUE(FindDecompressor(name, nullptr, &found).IsCorruption()) << name;
  }
  for (const char* name : {"", ";;", "BuiltinV2;;", "BuiltinV2;07;", "BuiltinV2;0704;more;"}) {
    EXPECT_TRUE(FindDecompressor(name, nullptr, &found).ok()) << name;
    EXPECT_EQ(found, nullptr);
  }
  const Status s = FindDecompressor("nobody;80;", nullptr, &found);
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
}

}  // namespace
}  // namespace cairn
