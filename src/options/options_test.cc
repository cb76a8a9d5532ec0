#include <gtest/gtest.h>

#include "fs/file_names.h"
#include "fs/file_util.h"
#include "fs/memory_file_system.h"
#include "options/options_check.h"
#include "options/options_file.h"
#include "options/options_table.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/rate_limiter.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/object_registry.h"

namespace cairn {
namespace {

TEST(OptionStrings, SplitsNestedMaps) {
  OptionMap map;
  ASSERT_TRUE(SplitOptions(" a = 1 ; b={c=2;d={e=3;}}; f=g h;", &map).ok());
  EXPECT_EQ(map.size(), 3u);
  EXPECT_EQ(map["a"], "1");
  EXPECT_EQ(map["b"], "c=2;d={e=3;}");
  EXPECT_EQ(map["f"], "g h");
  EXPECT_TRUE(SplitOptions("", &map).ok());
  EXPECT_TRUE(map.empty());
  for (const char* bad : {"a", "=1", "a={b=1", "a=b}"}) {
    EXPECT_TRUE(SplitOptions(bad, &map).IsInvalidArgument()) << bad;
  }
}

TEST(OptionStrings, ParsesNumbersWithSuffixes) {
  ColumnFamilyOptions base, parsed;
  ASSERT_TRUE(GetColumnFamilyOptionsFromString(
                  base, "write_buffer_size=64M;max_bytes_for_level_base=2G;num_levels=4", &parsed)
                  .ok());
  EXPECT_EQ(parsed.write_buffer_size, 64u << 20);
  EXPECT_EQ(parsed.max_bytes_for_level_base, uint64_t{2} << 30);
  EXPECT_EQ(parsed.num_levels, 4);
  DBOptions db;
  ASSERT_TRUE(GetDBOptionsFromString(DBOptions(), "max_open_files=-1;bytes_per_sync=1k", &db).ok());
  EXPECT_EQ(db.max_open_files, -1);
  EXPECT_EQ(db.bytes_per_sync, 1024u);
}

TEST(OptionStrings, RefusesWhatItDoesNotKnowAndKeepsTheBase) {
  DBOptions base, parsed;
  base.max_open_files = 77;
  for (const char* bad : {"no_such_option=1", "max_open_files=abc", "max_open_files=99999999999",
                          "create_if_missing=maybe", "wal_recovery_mode=kNever"}) {
    const Status s = GetDBOptionsFromString(base, bad, &parsed);
    EXPECT_TRUE(s.IsInvalidArgument()) << bad;
    EXPECT_EQ(parsed.max_open_files, 77);
  }
  ConfigOptions tolerant;
  tolerant.ignore_unknown_options = true;
  EXPECT_TRUE(GetDBOptionsFromString(tolerant, base, "no_such_option=1", &parsed).ok());
}

TEST(OptionStrings, NestedTableOptions) {
  Options parsed;
  ASSERT_TRUE(GetOptionsFromString(Options(),
                                   "create_if_missing=true;compression=kZSTD;"
                                   "block_based_table_factory={block_size=8K;"
                                   "filter_policy=bloomfilter:9.9:false;block_cache=1M}",
                                   &parsed)
                  .ok());
  EXPECT_TRUE(parsed.create_if_missing);
  EXPECT_EQ(parsed.compression, kZSTD);
  const auto* table = parsed.table_factory->GetOptions<BlockBasedTableOptions>();
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->block_size, 8192u);
  ASSERT_NE(table->filter_policy, nullptr);
  ASSERT_NE(table->block_cache, nullptr);
  EXPECT_EQ(table->block_cache->GetCapacity(), 1u << 20);
}

// An object whose name comes with RocksDB is made, or refused by name.
TEST(OptionStrings, NoObjectIsDroppedInSilence) {
  Options parsed;
  for (const char* lacking :
       {"block_based_table_factory={persistent_cache=p}",
        "block_based_table_factory={block_cache_compressed=1M}",
        "block_based_table_factory={filter_policy=rocksdb.internal.LegacyBloomFilter:10}"}) {
    const Status s = GetOptionsFromString(Options(), lacking, &parsed);
    EXPECT_TRUE(s.IsNotSupported()) << lacking << ": " << s.ToString();
    const std::string text = lacking;
    EXPECT_NE(s.ToString().find(text.substr(0, text.find('='))), std::string::npos) << s.ToString();
  }
  ASSERT_TRUE(GetOptionsFromString(
                  Options(), "comparator={id=rocksdb.ReverseBytewiseComparator.u64ts;}", &parsed)
                  .ok());
  EXPECT_EQ(parsed.comparator, ReverseBytewiseComparatorWithU64Ts());
  const Comparator* comparator = nullptr;
  ASSERT_TRUE(Comparator::CreateFromString(ConfigOptions(),
                                           "rocksdb.ReverseBytewiseComparator.u64ts", &comparator)
                  .ok());
  EXPECT_EQ(comparator, ReverseBytewiseComparatorWithU64Ts());
  ASSERT_TRUE(GetOptionsFromString(Options(),
                                   "comparator={id=rocksdb.ReverseBytewiseComparator;};"
                                   "sst_partitioner_factory=nullptr;rate_limiter_bytes_per_sec=1M;"
                                   "compaction_filter={id=RemoveEmptyValueCompactionFilter;};"
                                   "memtable_insert_with_hint_prefix_extractor=fixed:3;"
                                   "block_based_table_factory={persistent_cache=nullptr;"
                                   "filter_policy=rocksdb.internal.Standard128RibbonFilter:10}",
                                   &parsed)
                  .ok());
  EXPECT_EQ(parsed.comparator, ReverseBytewiseComparator());
  ASSERT_NE(parsed.rate_limiter, nullptr);
  EXPECT_EQ(parsed.rate_limiter->GetBytesPerSecond(), 1 << 20);
  ASSERT_NE(parsed.compaction_filter, nullptr);
  EXPECT_STREQ(parsed.compaction_filter->Name(), "RemoveEmptyValueCompactionFilter");
  ASSERT_NE(parsed.memtable_insert_with_hint_prefix_extractor, nullptr);
  const auto* table = parsed.table_factory->GetOptions<BlockBasedTableOptions>();
  ASSERT_NE(table->filter_policy, nullptr);
}

TEST(OptionStrings, TableFormats) {
  ColumnFamilyOptions parsed;
  ASSERT_TRUE(GetColumnFamilyOptionsFromString(
                  ColumnFamilyOptions(),
                  "plain_table_factory={user_key_len=16;encoding_type=kPrefix;}", &parsed)
                  .ok());
  const auto* plain = parsed.table_factory->GetOptions<PlainTableOptions>();
  ASSERT_NE(plain, nullptr);
  EXPECT_EQ(plain->encoding_type, kPrefix);
  // What is not named stays as it is set, in the same format.
  ColumnFamilyOptions more;
  ASSERT_TRUE(GetColumnFamilyOptionsFromString(
                  parsed, "table_factory={id=PlainTable;index_sparseness=4}", &more)
                  .ok());
  plain = more.table_factory->GetOptions<PlainTableOptions>();
  EXPECT_EQ(plain->user_key_len, 16u);
  EXPECT_EQ(plain->index_sparseness, 4u);
  ASSERT_TRUE(GetColumnFamilyOptionsFromString(
                  parsed, "table_factory={id=CuckooTable;cuckoo_block_size=2}", &more)
                  .ok());
  const auto* cuckoo = more.table_factory->GetOptions<CuckooTableOptions>();
  ASSERT_NE(cuckoo, nullptr);
  EXPECT_EQ(cuckoo->cuckoo_block_size, 2u);
  for (const char* bad :
       {"table_factory={id=PlainTable;cuckoo_block_size=2}",
        "plain_table_factory={encoding_type=kNone}",
        "table_factory={id=CuckooTable;hash_table_ratio=x}", "table_factory=NoSuchTable"}) {
    const Status s = GetColumnFamilyOptionsFromString(ColumnFamilyOptions(), bad, &more);
    EXPECT_TRUE(s.IsInvalidArgument()) << bad << ": " << s.ToString();
  }

  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families{{"default", parsed}, {"other", more}};
  families[1].options.table_factory.reset(NewAdaptiveTableFactory());
  OptionsFileContents contents;
  const std::string text = FormatOptionsFile(db_options, families);
  EXPECT_NE(text.find("[TableOptions/PlainTable \"default\"]"), std::string::npos) << text;
  ASSERT_TRUE(ParseOptionsText(text, "OPTIONS", SetRules(), &contents).ok());
  plain = contents.families[0].options.table_factory->GetOptions<PlainTableOptions>();
  ASSERT_NE(plain, nullptr);
  EXPECT_EQ(plain->user_key_len, 16u);
  EXPECT_STREQ(contents.families[1].options.table_factory->Name(), "BlockBasedTable");
}

TEST(OptionChecks, TableFormats) {
  const auto refusal = [](TableFactory* factory, const char* extractor,
                          const Comparator* comparator = BytewiseComparator()) {
    ColumnFamilyOptions options;
    options.table_factory.reset(factory);
    options.comparator = comparator;
    if (extractor != nullptr) options.prefix_extractor.reset(NewFixedPrefixTransform(3));
    return CheckOptions(DBOptions(), options);
  };
  EXPECT_TRUE(refusal(NewPlainTableFactory(), nullptr).ok());
  EXPECT_TRUE(refusal(NewCuckooTableFactory(), nullptr).ok());
  EXPECT_TRUE(refusal(NewAdaptiveTableFactory(), nullptr).ok());
  PlainTableOptions plain;
  plain.encoding_type = kPrefix;
  EXPECT_TRUE(refusal(NewPlainTableFactory(plain), "fixed:3").ok());
  EXPECT_TRUE(refusal(NewPlainTableFactory(plain), nullptr).IsInvalidArgument());
  plain.index_sparseness = 0;
  EXPECT_TRUE(refusal(NewPlainTableFactory(plain), "fixed:3").IsInvalidArgument());
  EXPECT_TRUE(
      refusal(NewAdaptiveTableFactory(std::shared_ptr<TableFactory>(NewPlainTableFactory(plain))),
              "fixed:3")
          .IsInvalidArgument());
  plain = PlainTableOptions();
  plain.hash_table_ratio = -1;
  EXPECT_TRUE(refusal(NewPlainTableFactory(plain), "fixed:3").IsInvalidArgument());
  plain = PlainTableOptions();
  plain.bloom_bits_per_key = -1;
  EXPECT_TRUE(refusal(NewPlainTableFactory(plain), "fixed:3").IsInvalidArgument());
  CuckooTableOptions cuckoo;
  cuckoo.hash_table_ratio = 1.5;
  EXPECT_TRUE(refusal(NewCuckooTableFactory(cuckoo), nullptr).IsInvalidArgument());
  const Status s = refusal(NewPlainTableFactory(), "fixed:3", BytewiseComparatorWithU64Ts());
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  EXPECT_NE(s.ToString().find("PlainTable"), std::string::npos);
}

// What only the caller can make stays with the caller, or is refused where that was asked for.
TEST(OptionStrings, AUsersObjectStaysWithTheCaller) {
  ConfigOptions strict;
  strict.ignore_unsupported_options = false;
  for (const char* users :
       {"comparator=mine", "compaction_filter=mine", "compaction_filter_factory=mine",
        "merge_operator=mine", "memtable_factory=mine", "prefix_extractor=mine",
        "sst_partitioner_factory=mine", "wal_filter=mine", "file_checksum_gen_factory=mine",
        "table_properties_collectors={mine}", "block_based_table_factory={filter_policy=mine}",
        "block_based_table_factory={flush_block_policy_factory=mine;block_size=7K}"}) {
    Options base, parsed;
    const Status s = GetOptionsFromString(base, users, &parsed);
    EXPECT_TRUE(s.ok()) << users << ": " << s.ToString();
    EXPECT_EQ(parsed.comparator, base.comparator);
    const Status refused = GetOptionsFromString(strict, base, users, &parsed);
    EXPECT_TRUE(refused.IsNotSupported()) << users << ": " << refused.ToString();
    EXPECT_NE(refused.ToString().find("mine"), std::string::npos);
  }
}

// Where the ConfigOptions' registry has it, it is made.
TEST(OptionStrings, ARegisteredCompactionFilterIsMade) {
  class Filter final : public CompactionFilter {
   public:
    const char* Name() const override { return "mine"; }
  };
  static Filter filter;
  ConfigOptions config;
  config.registry->AddLibrary("mine")->AddFactory<CompactionFilter>(
      "mine", [](const std::string&, std::unique_ptr<CompactionFilter>*, std::string*) {
        return static_cast<CompactionFilter*>(&filter);
      });
  Options parsed;
  ASSERT_TRUE(GetOptionsFromString(config, Options(), "compaction_filter=mine", &parsed).ok());
  EXPECT_EQ(parsed.compaction_filter, &filter);
  const Status s = GetOptionsFromString(config, parsed, "compaction_filter=nullptr", &parsed);
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(parsed.compaction_filter, nullptr);
}

TEST(OptionStrings, CompressionOptionsInBothNotations) {
  ColumnFamilyOptions parsed;
  ASSERT_TRUE(
      GetColumnFamilyOptionsFromString(ColumnFamilyOptions(), "compression_opts=4:5:6:7", &parsed)
          .ok());
  EXPECT_EQ(parsed.compression_opts.level, 5);
  EXPECT_EQ(parsed.compression_opts.max_dict_bytes, 7u);
  ASSERT_TRUE(GetColumnFamilyOptionsFromString(
                  parsed, "bottommost_compression_opts={level=3;enabled=true}", &parsed)
                  .ok());
  EXPECT_EQ(parsed.bottommost_compression_opts.level, 3);
  EXPECT_TRUE(parsed.bottommost_compression_opts.enabled);
}

// Every option is printed, parsed, and printed the same, also away from its default.
TEST(OptionStrings, EverythingRoundTrips) {
  DBOptions db;
  db.max_open_files = 123;
  db.wal_recovery_mode = WALRecoveryMode::kAbsoluteConsistency;
  db.db_host_id = "host:with#odd\\chars";
  db.wal_dir = "/some/where";
  db.wal_compression = kZSTD;
  db.access_hint_on_compaction_start = DBOptions::WILLNEED;
  db.WAL_ttl_seconds = UINT64_MAX;
  std::string text, again;
  ASSERT_TRUE(GetStringFromDBOptions(&text, db).ok());
  DBOptions parsed;
  const Status s = GetDBOptionsFromString(DBOptions(), text, &parsed);
  ASSERT_TRUE(s.ok()) << s.ToString();
  ASSERT_TRUE(GetStringFromDBOptions(&again, parsed).ok());
  EXPECT_EQ(again, text);
  EXPECT_EQ(parsed.db_host_id, db.db_host_id);

  ColumnFamilyOptions cf;
  cf.compression_per_level = {kNoCompression, kLZ4Compression, kZSTD};
  cf.max_bytes_for_level_multiplier_additional = {1, 2, 3};
  cf.max_bytes_for_level_multiplier = 7.5;
  cf.comparator = ReverseBytewiseComparator();
  cf.compaction_pri = kRoundRobin;
  cf.compression_opts.level = 9;
  cf.compaction_options_universal.stop_style = kCompactionStopStyleSimilarSize;
  ASSERT_TRUE(GetStringFromColumnFamilyOptions(&text, cf).ok());
  ColumnFamilyOptions cf_parsed;
  const Status cs = GetColumnFamilyOptionsFromString(ColumnFamilyOptions(), text, &cf_parsed);
  ASSERT_TRUE(cs.ok()) << cs.ToString();
  ASSERT_TRUE(GetStringFromColumnFamilyOptions(&again, cf_parsed).ok());
  EXPECT_EQ(again, text);
  EXPECT_EQ(cf_parsed.comparator, ReverseBytewiseComparator());
}

TEST(OptionStrings, AnEmptyValueThatIsNotTheDefaultIsWritten) {
  ColumnFamilyOptions cf, cf_parsed;
  cf.max_bytes_for_level_multiplier_additional.clear();
  std::string text;
  ASSERT_TRUE(GetStringFromColumnFamilyOptions(&text, cf).ok());
  ASSERT_TRUE(GetColumnFamilyOptionsFromString(ColumnFamilyOptions(), text, &cf_parsed).ok());
  EXPECT_TRUE(cf_parsed.max_bytes_for_level_multiplier_additional.empty());

  DBOptions db, db_parsed;
  db.db_host_id.clear();
  ASSERT_TRUE(GetStringFromDBOptions(&text, db).ok());
  ASSERT_TRUE(GetDBOptionsFromString(DBOptions(), text, &db_parsed).ok());
  EXPECT_TRUE(db_parsed.db_host_id.empty());
}

Options SomeOptions() {
  Options options;
  options.create_if_missing = true;
  options.max_background_jobs = 5;
  options.write_buffer_size = 1 << 20;
  options.compression_per_level = {kNoCompression, kSnappyCompression};
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBloomFilterPolicy(9.5));
  table.block_size = 16384;
  table.checksum = kCRC32c;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  return options;
}

TEST(OptionsFile, RoundTrips) {
  MemoryFileSystem fs;
  ASSERT_TRUE(fs.CreateDirIfMissing("/db", IOOptions(), nullptr).ok());
  const Options options = SomeOptions();
  for (const uint64_t number : {7, 9, 11}) {
    const Status s = WriteOptionsFile(&fs, "/db", number, nullptr, options, {{"default", options}});
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  std::string name;
  ASSERT_TRUE(FindLatestOptionsFile(&fs, "/db", &name).ok());
  EXPECT_EQ(name, "OPTIONS-000011");
  RemoveOldOptionsFiles(&fs, "/db");
  EXPECT_FALSE(fs.FileExists("/db/OPTIONS-000007", IOOptions(), nullptr).ok());
  EXPECT_TRUE(fs.FileExists("/db/OPTIONS-000009", IOOptions(), nullptr).ok());
  OptionsFileContents contents;
  const Status s = LoadOptionsFile(&fs, "/db/" + name, SetRules(), &contents);
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(FormatOptionsFile(contents.db_options, contents.families),
            FormatOptionsFile(options, {{"default", options}}));
  EXPECT_EQ(contents.db_options.max_background_jobs, 5);
  const auto* table =
      contents.families[0].options.table_factory->GetOptions<BlockBasedTableOptions>();
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->block_size, 16384u);
  EXPECT_EQ(table->checksum, kCRC32c);
}

TEST(OptionsFile, UnknownOptionsOnlyFromNewerVersions) {
  const std::string text = FormatOptionsFile(SomeOptions(), {{"default", SomeOptions()}});
  std::string with_unknown = text;
  const size_t at = with_unknown.find("  use_fsync=");
  ASSERT_NE(at, std::string::npos);
  with_unknown.insert(at, "  some_new_option=42  # of the future\n");
  OptionsFileContents contents;
  EXPECT_TRUE(ParseOptionsText(with_unknown, "f", SetRules(), &contents).IsInvalidArgument());
  EXPECT_TRUE(ParseOptionsText(with_unknown, "f", SetRules{.ignore_unknown = true}, &contents)
                  .IsInvalidArgument());
  const size_t version = with_unknown.find("7.8.3");
  with_unknown.replace(version, 5, "11.1.0");
  EXPECT_TRUE(ParseOptionsText(with_unknown, "f", SetRules(), &contents).IsInvalidArgument());
  EXPECT_TRUE(
      ParseOptionsText(with_unknown, "f", SetRules{.ignore_unknown = true}, &contents).ok());
  EXPECT_EQ(contents.rocksdb_version, "11.1.0");
  // Members of structs are options, too.
  const size_t member = with_unknown.find("window_bits=");
  ASSERT_NE(member, std::string::npos);
  with_unknown.insert(member, "new_member=7;newer_member={a=1;b=2;};");
  EXPECT_TRUE(ParseOptionsText(with_unknown, "f", SetRules(), &contents).IsInvalidArgument());
  ASSERT_TRUE(
      ParseOptionsText(with_unknown, "f", SetRules{.ignore_unknown = true}, &contents).ok());
  EXPECT_EQ(contents.families[0].options.compression_opts.level,
            SomeOptions().compression_opts.level);
}

TEST(OptionsFile, ObjectsAreMadeOrRefusedByName) {
  std::string text = FormatOptionsFile(SomeOptions(), {{"default", SomeOptions()}});
  const auto with = [&text](const std::string& option, const std::string& value) {
    std::string changed = text;
    const size_t at = changed.find("  " + option + "=") + option.size() + 3;
    changed.replace(at, changed.find('\n', at) - at, value);
    return changed;
  };
  OptionsFileContents contents;
  const std::string filter = "RemoveEmptyValueCompactionFilter";
  const ConfigOptions config;
  ASSERT_TRUE(
      ParseOptionsText(with("compaction_filter", filter), "f", RulesOf(config), &contents).ok());
  ASSERT_NE(contents.families[0].options.compaction_filter, nullptr);
  EXPECT_EQ(contents.families[0].options.compaction_filter->Name(), filter);
  // Who checks what it wrote itself makes none.
  ASSERT_TRUE(ParseOptionsText(with("compaction_filter", filter), "f", {}, &contents).ok());
  EXPECT_EQ(contents.families[0].options.compaction_filter, nullptr);

  const std::string timestamps = "leveldb.BytewiseComparator.u64ts";
  ASSERT_TRUE(
      ParseOptionsText(with("comparator", timestamps), "the file", RulesOf(config), &contents)
          .ok());
  EXPECT_EQ(contents.families[0].options.comparator, BytewiseComparatorWithU64Ts());
}

TEST(OptionsFile, DamageNamesFileAndOffset) {
  OptionsFileContents contents;
  for (const char* bad :
       {"", "x", "[DBOptions]\n", "[Version]\n rocksdb_version=7.8.3\n[DBOptions]\n", "[Version\n",
        "[Version]\n nonsense\n"}) {
    const Status s = ParseOptionsText(bad, "/db/OPTIONS-000007", SetRules(), &contents);
    EXPECT_TRUE(s.IsCorruption()) << bad;
    EXPECT_NE(s.ToString().find("/db/OPTIONS-000007"), std::string::npos);
    EXPECT_NE(s.ToString().find("offset"), std::string::npos);
  }
}

}  // namespace
}  // namespace cairn
