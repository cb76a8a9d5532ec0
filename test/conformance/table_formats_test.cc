// Plain and cuckoo tables, and factories that read several formats.
#include "conformance.h"
#include "rocksdb/convenience.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/utilities/options_util.h"

namespace conformance {
namespace {

// From the first entry to the last: the model's, and no others.
void WalkOver(const std::map<std::string, std::string>& model, Iterator* it) {
  auto expected = model.begin();
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
    ASSERT_NE(expected, model.end());
    ASSERT_EQ(it->key().ToString(), expected->first);
    ASSERT_EQ(it->value().ToString(), expected->second);
  }
  ASSERT_OK(it->status());
  ASSERT_EQ(expected, model.end());
}

// The operands, one behind the other, with commas.
class TableFormatsAppend : public AssociativeMergeOperator {
 public:
  bool Merge(const Slice&, const Slice* existing, const Slice& value, std::string* result,
             Logger*) const override {
    *result = existing == nullptr ? "" : existing->ToString() + ",";
    result->append(value.data(), value.size());
    return true;
  }
  const char* Name() const override { return "TableFormatsAppend"; }
};

struct PlainSettings {
  size_t prefix;
  EncodingType encoding;
  bool index_in_file;
  bool mmap;
  uint32_t key_len;
  uint32_t locality;
};

std::vector<PlainSettings> AllPlainSettings() {
  std::vector<PlainSettings> all;
  for (const bool mmap : {false, true}) {
    for (const bool index_in_file : {false, true}) {
      for (const uint32_t key_len : {0u, 9u}) {
        for (const uint32_t locality : {0u, 1u}) {
          all.push_back({0, kPlain, index_in_file, mmap, key_len, locality});
          all.push_back({4, kPlain, index_in_file, mmap, key_len, locality});
          if (key_len == 0) all.push_back({4, kPrefix, index_in_file, mmap, 0, locality});
        }
      }
    }
  }
  return all;
}

class PlainTableTest : public DBTest {
 protected:
  void Use(const PlainSettings& p) {
    options_.prefix_extractor.reset(p.prefix == 0 ? nullptr : NewFixedPrefixTransform(p.prefix));
    options_.allow_mmap_reads = p.mmap;
    options_.bloom_locality = p.locality;
    table_ = PlainTableOptions();
    table_.user_key_len = p.key_len;
    table_.encoding_type = p.encoding;
    table_.store_index_in_file = p.index_in_file;
    table_.hash_table_ratio = p.prefix == 0 ? 0 : 0.75;
    table_.index_sparseness = 4;
    options_.table_factory.reset(NewPlainTableFactory(table_));
  }
  // With all that forbids no seek.
  void UseTotalOrder() { Use({0, kPlain, false, false, 0, 0}); }
  void UsePrefixes() { Use({4, kPlain, false, false, 0, 0}); }

  static std::string KeyOf(uint64_t prefix, uint64_t number) {
    char text[32];
    std::snprintf(text, sizeof(text), "%04d%05d", static_cast<int>(prefix),
                  static_cast<int>(number));
    return text;
  }

  PlainTableOptions table_;
};

class PlainTableModelTest : public PlainTableTest,
                            public ::testing::WithParamInterface<PlainSettings> {};

INSTANTIATE_TEST_SUITE_P(Settings, PlainTableModelTest, ::testing::ValuesIn(AllPlainSettings()));

TEST_P(PlainTableModelTest, AgreesWithAMap) {
  Use(GetParam());
  options_.merge_operator = std::make_shared<TableFormatsAppend>();
  Open();
  std::map<std::string, std::string> model;
  Numbers numbers(GetParam().prefix + GetParam().key_len);
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 300; ++i) {
      const std::string key = KeyOf(numbers.Below(12), numbers.Below(80));
      const std::string value = std::to_string(round * 1000 + i);
      switch (numbers.Below(6)) {
        case 0:
          ASSERT_OK(Delete(key));
          model.erase(key);
          break;
        case 1: {
          ASSERT_OK(db_->Merge(WriteOptions(), key, value));
          std::string& merged = model[key];
          merged += (merged.empty() ? "" : ",") + value;
          break;
        }
        default:
          ASSERT_OK(Put(key, value));
          model[key] = value;
          break;
      }
    }
    if (round == 3) {
      ASSERT_OK(Compact());
    } else {
      ASSERT_OK(Flush());
    }
    if (round == 4) Open();
    for (int prefix = 0; prefix < 13; ++prefix) {
      for (int number = 0; number < 85; number += 3) {
        const std::string key = KeyOf(static_cast<uint64_t>(prefix), static_cast<uint64_t>(number));
        const auto found = model.find(key);
        ASSERT_EQ(Get(key), found == model.end() ? "NOT_FOUND" : found->second) << key;
      }
    }
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    ASSERT_NO_FATAL_FAILURE(WalkOver(model, it.get()));
    // Within a prefix.
    ReadOptions same_prefix;
    same_prefix.prefix_same_as_start = GetParam().prefix != 0;
    const std::unique_ptr<Iterator> of_prefix(db_->NewIterator(same_prefix));
    for (int i = 0; i < 40; ++i) {
      const std::string from = KeyOf(numbers.Below(13), numbers.Below(90));
      auto at = model.lower_bound(from);
      const auto in_prefix = [&] {
        return at != model.end() &&
               (GetParam().prefix == 0 || at->first.compare(0, 4, from, 0, 4) == 0);
      };
      of_prefix->Seek(from);
      for (int step = 0; step < 10; ++step) {
        ASSERT_EQ(of_prefix->Valid(), in_prefix()) << from;
        if (!in_prefix()) break;
        ASSERT_EQ(of_prefix->key().ToString(), at->first);
        ASSERT_EQ(of_prefix->value().ToString(), at->second);
        of_prefix->Next();
        ++at;
      }
      ASSERT_OK(of_prefix->status());
    }
  }
}

TEST_F(PlainTableTest, PrefixesHaveNoTotalOrderSeek) {
  UsePrefixes();
  Open();
  ASSERT_OK(Put("aaaa1", "1"));
  ASSERT_OK(Put("bbbb1", "2"));
  ASSERT_OK(Flush());
  ReadOptions options;
  options.total_order_seek = true;
  const std::unique_ptr<Iterator> it(db_->NewIterator(options));
  it->Seek("aaaa1");
  EXPECT_FALSE(it->Valid());
  EXPECT_CODE(InvalidArgument, it->status());
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key().ToString(), "bbbb1");
}

TEST_F(PlainTableTest, DeleteRangeIsNotSupported) {
  UseTotalOrder();
  Open();
  ASSERT_OK(Put("a", "1"));
  const Status s = db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "a", "b");
  EXPECT_CODE(NotSupported, s);
  EXPECT_NE(s.ToString().find("DeleteRange not supported for table type PlainTable"),
            std::string::npos)
      << s.ToString();
}

// Without a prefix extractor a hash table has nothing to go by, which shows with the first table.
TEST_F(PlainTableTest, DefaultsNeedAPrefixExtractor) {
  options_.table_factory.reset(NewPlainTableFactory());
  Open();
  ASSERT_OK(Put("a", "1"));
  EXPECT_EQ(Get("a"), "1");
  const Status s = Flush();
  EXPECT_CODE(NotSupported, s);
  EXPECT_NE(s.ToString().find("PlainTable requires a prefix extractor"), std::string::npos)
      << s.ToString();
}

TEST_F(PlainTableTest, OpensWithItsPrefixExtractorOnly) {
  UsePrefixes();
  Open();
  ASSERT_OK(Put("aaaa1", "1"));
  ASSERT_OK(Flush());
  options_.prefix_extractor.reset(NewFixedPrefixTransform(3));
  Status s = TryOpen();
  if (s.ok()) {
    std::string value;
    s = db_->Get(ReadOptions(), "aaaa1", &value);
  }
  EXPECT_CODE(InvalidArgument, s);
  EXPECT_NE(s.ToString().find("Prefix extractor given doesn't match"), std::string::npos)
      << s.ToString();
  UsePrefixes();
  Open();
  EXPECT_EQ(Get("aaaa1"), "1");
}

TEST_F(PlainTableTest, FullScanModeReadsFromTheFirstKeyOn) {
  UseTotalOrder();
  Open();
  for (int i = 0; i < 20; ++i) ASSERT_OK(Put(Key(i), "v"));
  ASSERT_OK(Flush());
  table_.full_scan_mode = true;
  options_.table_factory.reset(NewPlainTableFactory(table_));
  Open();
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  int n = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++n;
  ASSERT_OK(it->status());
  EXPECT_EQ(n, 20);
  it->Seek(Key(3));
  EXPECT_FALSE(it->Valid());
  EXPECT_CODE(InvalidArgument, it->status());
}

TEST_F(PlainTableTest, PropertiesTellOfTheFormat) {
  Use({4, kPrefix, true, false, 0, 0});
  Open();
  for (int i = 0; i < 100; ++i) ASSERT_OK(Put(Key(i), "value"));
  ASSERT_OK(Delete(Key(1000)));
  ASSERT_OK(Flush());
  TablePropertiesCollection all;
  ASSERT_OK(db_->GetPropertiesOfAllTables(&all));
  ASSERT_EQ(all.size(), 1u);
  const TableProperties& p = *all.begin()->second;
  EXPECT_EQ(p.num_entries, 101u);
  EXPECT_EQ(p.num_deletions, 1u);
  EXPECT_EQ(p.num_data_blocks, 1u);
  EXPECT_EQ(p.format_version, 1u);
  EXPECT_EQ(p.fixed_key_len, 0u);
  EXPECT_EQ(p.prefix_extractor_name, "rocksdb.FixedPrefix.4");
  EXPECT_EQ(p.raw_key_size, 101u * 17);
  EXPECT_EQ(p.raw_value_size, 500u);
  EXPECT_EQ(p.data_size, 2144u);
  EXPECT_EQ(p.filter_size, 127u);
  EXPECT_EQ(p.index_size, 115u);
  const auto& collected = p.user_collected_properties;
  EXPECT_EQ(collected.at(PlainTablePropertyNames::kEncodingType), std::string("\1\0\0\0", 4));
  EXPECT_EQ(collected.at(PlainTablePropertyNames::kBloomVersion), "1");
  EXPECT_EQ(collected.at(PlainTablePropertyNames::kNumBloomBlocks), std::string(1, '\0'));
  EXPECT_EQ(collected.at("plain_table_hash_table_size"), "0");
}

TEST_F(PlainTableTest, PropertiesOfAnIndexThatWasMade) {
  UsePrefixes();
  Open();
  for (int i = 0; i < 100; ++i) ASSERT_OK(Put(Key(i), "value"));
  ASSERT_OK(Flush());
  TablePropertiesCollection all;
  ASSERT_OK(db_->GetPropertiesOfAllTables(&all));
  ASSERT_EQ(all.size(), 1u);
  const TableProperties& p = *all.begin()->second;
  EXPECT_EQ(p.index_size, 0u);
  EXPECT_EQ(p.filter_size, 0u);
  EXPECT_EQ(p.user_collected_properties.at("plain_table_hash_table_size"), "8");
  EXPECT_EQ(p.user_collected_properties.at("plain_table_sub_index_size"), "101");
}

TEST_F(PlainTableTest, OptionsComeFromTextAndFromTheOptionsFile) {
  ColumnFamilyOptions parsed;
  const ConfigOptions config;
  ASSERT_OK(GetColumnFamilyOptionsFromString(
      config, ColumnFamilyOptions(),
      "plain_table_factory={user_key_len=66;bloom_bits_per_key=20;hash_table_ratio=0.5;"
      "index_sparseness=8;huge_page_tlb_size=4;encoding_type=kPrefix;full_scan_mode=true;"
      "store_index_in_file=true}",
      &parsed));
  ASSERT_STREQ(parsed.table_factory->Name(), "PlainTable");
  const auto* table = parsed.table_factory->GetOptions<PlainTableOptions>();
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->user_key_len, 66u);
  EXPECT_EQ(table->bloom_bits_per_key, 20);
  EXPECT_EQ(table->hash_table_ratio, 0.5);
  EXPECT_EQ(table->index_sparseness, 8u);
  EXPECT_EQ(table->huge_page_tlb_size, 4u);
  EXPECT_EQ(table->encoding_type, kPrefix);
  EXPECT_TRUE(table->full_scan_mode);
  EXPECT_TRUE(table->store_index_in_file);
  ASSERT_OK(GetColumnFamilyOptionsFromString(
      config, ColumnFamilyOptions(), "table_factory={id=PlainTable;user_key_len=7;}", &parsed));
  EXPECT_EQ(parsed.table_factory->GetOptions<PlainTableOptions>()->user_key_len, 7u);
  ASSERT_OK(GetColumnFamilyOptionsFromString(config, ColumnFamilyOptions(),
                                             "table_factory=PlainTable", &parsed));
  EXPECT_EQ(parsed.table_factory->GetOptions<PlainTableOptions>()->index_sparseness, 16u);
  EXPECT_FALSE(GetColumnFamilyOptionsFromString(config, ColumnFamilyOptions(),
                                                "plain_table_factory={user_key_len=many}", &parsed)
                   .ok());
  PlainTableOptions plain;
  ASSERT_OK(
      GetPlainTableOptionsFromString(config, PlainTableOptions(), "index_sparseness=3", &plain));
  EXPECT_EQ(plain.index_sparseness, 3u);
  EXPECT_CODE(InvalidArgument,
              GetPlainTableOptionsFromString(config, PlainTableOptions(), "no_such=3", &plain));

  Use({4, kPrefix, true, false, 0, 0});
  Open();
  Shut();
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_OK(LoadLatestOptions(config, dir_, &db_options, &families));
  ASSERT_EQ(families.size(), 1u);
  const auto* loaded = families[0].options.table_factory->GetOptions<PlainTableOptions>();
  ASSERT_NE(loaded, nullptr);
  EXPECT_EQ(loaded->encoding_type, kPrefix);
  EXPECT_TRUE(loaded->store_index_in_file);
  EXPECT_EQ(loaded->index_sparseness, 4u);
  EXPECT_EQ(loaded->hash_table_ratio, 0.75);
}

TEST_F(PlainTableTest, SnapshotsSeeWhatTheySaw) {
  UsePrefixes();
  Open();
  ASSERT_OK(Put("aaaa1", "1"));
  ASSERT_OK(Put("aaaa2", "1"));
  const Snapshot* const snapshot = db_->GetSnapshot();
  ASSERT_OK(Put("aaaa1", "2"));
  ASSERT_OK(Delete("aaaa2"));
  ASSERT_OK(db_->SingleDelete(WriteOptions(), "aaaa3"));
  ASSERT_OK(Flush());
  EXPECT_EQ(Get("aaaa1"), "2");
  EXPECT_EQ(Get("aaaa1", snapshot), "1");
  EXPECT_EQ(Get("aaaa2"), "NOT_FOUND");
  EXPECT_EQ(Get("aaaa2", snapshot), "1");
  ReadOptions options;
  options.snapshot = snapshot;
  {
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    it->Seek("aaaa1");
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->value().ToString(), "1");
    it->Next();
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key().ToString(), "aaaa2");
  }
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(PlainTableTest, ManyKeysAtOnce) {
  UsePrefixes();
  Open();
  for (int i = 0; i < 200; ++i) ASSERT_OK(Put(Key(i), std::to_string(i)));
  ASSERT_OK(Flush());
  std::vector<std::string> texts;
  for (int i = 0; i < 300; i += 7) texts.push_back(Key(i));
  const std::vector<Slice> keys(texts.begin(), texts.end());
  for (const bool async : {false, true}) {
    ReadOptions options;
    options.async_io = async;
    std::vector<PinnableSlice> values(keys.size());
    std::vector<Status> statuses(keys.size());
    db_->MultiGet(options, db_->DefaultColumnFamily(), keys.size(), keys.data(), values.data(),
                  statuses.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      const int number = static_cast<int>(i) * 7;
      if (number < 200) {
        ASSERT_OK(statuses[i]);
        EXPECT_EQ(values[i].ToString(), std::to_string(number));
      } else {
        EXPECT_CODE(NotFound, statuses[i]);
      }
    }
  }
}

TEST_F(PlainTableTest, CompactionsInParts) {
  UseTotalOrder();
  options_.max_subcompactions = 4;
  options_.target_file_size_base = 64 << 10;
  options_.disable_auto_compactions = true;
  Open();
  for (int round = 0; round < 4; ++round) {
    for (int i = round; i < 8000; i += 4) ASSERT_OK(Put(Key(i), std::string(60, 'v')));
    ASSERT_OK(Flush());
  }
  ASSERT_OK(Compact());
  ASSERT_OK(Compact());
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  int n = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++n) ASSERT_EQ(it->key().ToString(), Key(n));
  ASSERT_OK(it->status());
  EXPECT_EQ(n, 8000);
}

// --- Cuckoo tables

struct CuckooSettings {
  double ratio;
  uint32_t block;
  bool identity;
  bool modulo;
};

class CuckooTableTest : public DBTest {
 protected:
  CuckooTableTest() { options_.allow_mmap_reads = true; }  // (RocksDB wants it)
  void Use(const CuckooSettings& c) {
    CuckooTableOptions table;
    table.hash_table_ratio = c.ratio;
    table.cuckoo_block_size = c.block;
    table.identity_as_first_hash = c.identity;
    table.use_module_hash = c.modulo;
    options_.table_factory.reset(NewCuckooTableFactory(table));
  }
};

class CuckooTableModelTest : public CuckooTableTest,
                             public ::testing::WithParamInterface<CuckooSettings> {};

INSTANTIATE_TEST_SUITE_P(Settings, CuckooTableModelTest,
                         ::testing::Values(CuckooSettings{0.9, 5, false, true},
                                           CuckooSettings{0.9, 5, false, false},
                                           CuckooSettings{0.5, 1, false, true},
                                           CuckooSettings{0.9, 5, true, true},
                                           CuckooSettings{0.5, 3, true, false}));

TEST_P(CuckooTableModelTest, AgreesWithAMap) {
  Use(GetParam());
  Open();
  std::map<std::string, std::string> model;
  Numbers numbers(3);
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 300; ++i) {
      const std::string key = Key(static_cast<int>(numbers.Below(500)));
      if (numbers.Below(4) == 0) {
        ASSERT_OK(Delete(key));
        model.erase(key);
      } else {
        const std::string value = "v" + std::to_string(10000 + round * 1000 + i);
        ASSERT_OK(Put(key, value));
        model[key] = value;
      }
    }
    if (round == 3) {
      ASSERT_OK(Compact());
    } else {
      ASSERT_OK(Flush());
    }
    if (round == 4) Open();
    for (int i = 0; i < 520; ++i) {
      const auto found = model.find(Key(i));
      ASSERT_EQ(Get(Key(i)), found == model.end() ? "NOT_FOUND" : found->second) << i;
    }
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    ASSERT_NO_FATAL_FAILURE(WalkOver(model, it.get()));
    it->Seek(Key(250));
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key().ToString(), model.lower_bound(Key(250))->first);
  }
}

TEST_F(CuckooTableTest, PropertiesTellOfTheFormat) {
  options_.table_factory.reset(NewCuckooTableFactory());
  Open();
  for (int i = 0; i < 90; ++i) ASSERT_OK(Put(Key(i), "value"));
  ASSERT_OK(Flush());
  TablePropertiesCollection all;
  ASSERT_OK(db_->GetPropertiesOfAllTables(&all));
  ASSERT_EQ(all.size(), 1u);
  const TableProperties& p = *all.begin()->second;
  EXPECT_EQ(p.num_entries, 90u);
  EXPECT_EQ(p.fixed_key_len, 17u);
  EXPECT_EQ(p.raw_key_size, 90u * 17);
  EXPECT_EQ(p.raw_value_size, 90u * 5);
  EXPECT_EQ(p.data_size, (100u + 4) * 22);
  const auto& collected = p.user_collected_properties;
  using N = CuckooTablePropertyNames;
  EXPECT_EQ(collected.at(N::kEmptyKey), std::string("key00000/\1\0\0\0\0\0\0\0", 17));
  EXPECT_EQ(collected.at(N::kValueLength), std::string("\5\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(collected.at(N::kHashTableSize), std::string("d\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(collected.at(N::kIsLastLevel), std::string(1, '\0'));
  EXPECT_EQ(collected.at(N::kCuckooBlockSize), std::string("\5\0\0\0", 4));
  EXPECT_EQ(collected.at(N::kIdentityAsFirstHash), std::string(1, '\0'));
  EXPECT_EQ(collected.at(N::kUseModuleHash), std::string(1, '\1'));
  EXPECT_EQ(collected.at(N::kUserKeyLength), std::string("\x09\0\0\0", 4));
}

TEST_F(CuckooTableTest, OptionsComeFromTextAndFromTheOptionsFile) {
  ColumnFamilyOptions parsed;
  const ConfigOptions config;
  ASSERT_OK(GetColumnFamilyOptionsFromString(
      config, ColumnFamilyOptions(),
      "table_factory={id=CuckooTable;hash_table_ratio=0.5;max_search_depth=7;cuckoo_block_size=3;"
      "identity_as_first_hash=true;use_module_hash=false}",
      &parsed));
  ASSERT_STREQ(parsed.table_factory->Name(), "CuckooTable");
  const auto* table = parsed.table_factory->GetOptions<CuckooTableOptions>();
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->hash_table_ratio, 0.5);
  EXPECT_EQ(table->max_search_depth, 7u);
  EXPECT_EQ(table->cuckoo_block_size, 3u);
  EXPECT_TRUE(table->identity_as_first_hash);
  EXPECT_FALSE(table->use_module_hash);
  static_cast<ColumnFamilyOptions&>(options_) = parsed;
  Open();
  Shut();
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_OK(LoadLatestOptions(config, dir_, &db_options, &families));
  const auto* loaded = families.at(0).options.table_factory->GetOptions<CuckooTableOptions>();
  ASSERT_NE(loaded, nullptr);
  EXPECT_EQ(loaded->cuckoo_block_size, 3u);
  EXPECT_FALSE(loaded->use_module_hash);
}

// --- Several formats

TEST_F(PlainTableTest, AnAdaptiveFactoryReadsEachFormat) {
  const std::shared_ptr<TableFactory> block_based(NewBlockBasedTableFactory());
  options_.disable_auto_compactions = true;
  options_.allow_mmap_reads = true;  // (RocksDB wants it of cuckoo tables)
  options_.table_factory = block_based;
  Open();
  for (int i = 0; i < 100; ++i) ASSERT_OK(Put(Key(i), "block"));
  ASSERT_OK(Flush());
  PlainTableOptions total_order;
  total_order.hash_table_ratio = 0;
  const std::shared_ptr<TableFactory> plain(NewPlainTableFactory(total_order));
  const std::shared_ptr<TableFactory> cuckoo(NewCuckooTableFactory());
  options_.table_factory.reset(NewAdaptiveTableFactory(plain, block_based, plain, cuckoo));
  Open();
  for (int i = 0; i < 100; i += 2) ASSERT_OK(Put(Key(i), "plain"));
  ASSERT_OK(Flush());
  options_.table_factory.reset(NewAdaptiveTableFactory(cuckoo, block_based, plain, cuckoo));
  Open();
  for (int i = 0; i < 100; i += 4) ASSERT_OK(Put(Key(i), "cucko"));
  ASSERT_OK(Flush());
  const auto check = [&] {
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(Get(Key(i)), i % 4 == 0 ? "cucko" : i % 2 == 0 ? "plain" : "block");
    }
  };
  check();
  Open();
  check();
  ASSERT_OK(Compact());  // into one cuckoo table
  check();
  options_.table_factory = cuckoo;
  Open();
  check();
  options_.table_factory = block_based;
  Status s = TryOpen();
  if (s.ok()) {
    std::string value;
    s = db_->Get(ReadOptions(), Key(1), &value);
  }
  EXPECT_CODE(Corruption, s);
}

}  // namespace
}  // namespace conformance
