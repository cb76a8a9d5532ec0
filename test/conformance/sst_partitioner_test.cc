// SstPartitioner: where compactions end their files for it, which files may be moved, and its
// factory as text.
#include "rocksdb/sst_partitioner.h"

#include "conformance.h"
#include "rocksdb/convenience.h"
#include "rocksdb/utilities/options_util.h"

namespace conformance {
namespace {

// What a factory and its partitioners were asked. Read while no job runs.
struct Asked {
  std::vector<SstPartitioner::Context> contexts;
  std::vector<std::string> smallest, largest;  // of the contexts
  std::vector<std::string> keys;               // "previous<current"
  std::vector<std::string> moves;
};

// A file for each key whose last byte is '5'; moves what begins with "move".
class OwnPartitioner : public SstPartitioner {
 public:
  explicit OwnPartitioner(Asked* asked) : asked_(asked) {}
  const char* Name() const override { return "conformance.OwnPartitioner"; }
  PartitionerResult ShouldPartition(const PartitionerRequest& request) override {
    asked_->keys.push_back(request.prev_user_key->ToString() + "<" +
                           request.current_user_key->ToString());
    return request.current_user_key->ends_with("5") ? kRequired : kNotRequired;
  }
  bool CanDoTrivialMove(const Slice& smallest, const Slice& largest) override {
    asked_->moves.push_back(smallest.ToString() + ".." + largest.ToString());
    return smallest.starts_with("move");
  }

 private:
  Asked* const asked_;
};

class OwnFactory : public SstPartitionerFactory {
 public:
  explicit OwnFactory(Asked* asked) : asked_(asked) {}
  const char* Name() const override { return "conformance.OwnFactory"; }
  std::unique_ptr<SstPartitioner> CreatePartitioner(
      const SstPartitioner::Context& context) const override {
    asked_->contexts.push_back(context);
    asked_->smallest.push_back(context.smallest_user_key.ToString());
    asked_->largest.push_back(context.largest_user_key.ToString());
    if (none) return nullptr;
    return std::make_unique<OwnPartitioner>(asked_);
  }

  bool none = false;

 private:
  Asked* const asked_;
};

class SstPartitionerTest : public DBTest {
 protected:
  SstPartitionerTest() {
    options_.disable_auto_compactions = true;
    options_.level_compaction_dynamic_level_bytes = false;
  }

  // "a..b|c..d": the bounds of the files of a level, in order.
  std::string Files(int level) {
    ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(&metadata);
    std::string text;
    for (const SstFileMetaData& file : metadata.levels[static_cast<size_t>(level)].files) {
      text += (text.empty() ? "" : "|") + file.smallestkey + ".." + file.largestkey;
    }
    return text;
  }
  Status CompactForced() {
    CompactRangeOptions options;
    options.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    return db_->CompactRange(options, nullptr, nullptr);
  }
  std::vector<std::string> InL1() {
    ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(&metadata);
    std::vector<std::string> names;
    for (const SstFileMetaData& file : metadata.levels[1].files) names.push_back(file.name);
    return names;
  }
};

TEST_F(SstPartitionerTest, FilesEndWithTheirPrefix) {
  options_.sst_partitioner_factory = NewSstPartitionerFixedPrefixFactory(1);
  Open();
  for (const char* key : {"a1", "a2", "b1", "c1", "c2", "c3"}) ASSERT_OK(Put(key, "1"));
  ASSERT_OK(Flush());
  EXPECT_EQ("a1..c3", Files(0)) << "flushes do not ask";
  ASSERT_OK(Put("b2", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactForced());
  EXPECT_EQ("a1..a2|b1..b2|c1..c3", Files(1));
  EXPECT_EQ("a1=1,a2=1,b1=1,b2=1,c1=1,c2=1,c3=1", Contents());
  Open();
  EXPECT_EQ("a1=1,a2=1,b1=1,b2=1,c1=1,c2=1,c3=1", Contents());
}

TEST_F(SstPartitionerTest, AShortKeyIsItsOwnPrefix) {
  options_.sst_partitioner_factory = NewSstPartitionerFixedPrefixFactory(2);
  Open();
  for (const char* key : {"", "a", "aa", "aab", "b", "bb"}) ASSERT_OK(Put(key, "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactForced());
  EXPECT_EQ("..|a..a|aa..aab|b..b|bb..bb", Files(1));
}

TEST_F(SstPartitionerTest, APrefixOfNothingNeverPartitions) {
  options_.sst_partitioner_factory = NewSstPartitionerFixedPrefixFactory(0);
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("b", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactForced());
  EXPECT_EQ("a..b", Files(1));
}

TEST_F(SstPartitionerTest, VersionsOfAKeyStayTogether) {
  options_.sst_partitioner_factory = NewSstPartitionerFixedPrefixFactory(1);
  Open();
  ASSERT_OK(Put("a", "1"));
  const Snapshot* const snapshot = db_->GetSnapshot();
  ASSERT_OK(Put("a", "2"));
  ASSERT_OK(Put("c", "3"));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactForced());
  EXPECT_EQ("1", Get("a", snapshot));
  EXPECT_EQ("2", Get("a"));
  EXPECT_EQ("a..a|c..c", Files(1));
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(SstPartitionerTest, RangeTombstonesAreCutWithTheFiles) {
  options_.sst_partitioner_factory = NewSstPartitionerFixedPrefixFactory(1);
  Open();
  for (const char* key : {"a1", "a2", "b1", "b2", "c1"}) ASSERT_OK(Put(key, "1"));
  const Snapshot* const snapshot = db_->GetSnapshot();
  ASSERT_OK(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "a2", "b2"));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactForced());
  EXPECT_EQ("a1=1,b2=1,c1=1", Contents());
  EXPECT_EQ("1", Get("b1", snapshot));
  EXPECT_EQ(3, FilesAtLevel(1));
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(SstPartitionerTest, OnesOwn) {
  Asked asked;
  options_.sst_partitioner_factory = std::make_shared<OwnFactory>(&asked);
  Open();
  for (int i = 0; i < 20; ++i) ASSERT_OK(Put(Key(i), "1"));
  ASSERT_OK(Flush());
  EXPECT_TRUE(asked.contexts.empty());
  ASSERT_OK(CompactForced());
  EXPECT_EQ(Key(0) + ".." + Key(4) + "|" + Key(5) + ".." + Key(14) + "|" + Key(15) + ".." + Key(19),
            Files(1));
  ASSERT_LE(19u, asked.keys.size());
  EXPECT_EQ(0u, asked.keys.size() % 19) << "before each key but the first";
  EXPECT_EQ(Key(0) + "<" + Key(1), asked.keys[0]);
  EXPECT_EQ(Key(4) + "<" + Key(5), asked.keys[4]);
  EXPECT_EQ(Key(5) + "<" + Key(6), asked.keys[5]);
  ASSERT_FALSE(asked.contexts.empty());
  const SstPartitioner::Context& context = asked.contexts.back();
  EXPECT_TRUE(context.is_full_compaction);
  EXPECT_TRUE(context.is_manual_compaction);
  EXPECT_EQ(1, context.output_level);
  EXPECT_EQ(Key(0), asked.smallest.back());
  EXPECT_EQ(Key(19), asked.largest.back());
}

TEST_F(SstPartitionerTest, AFactoryMayMakeNone) {
  Asked asked;
  auto factory = std::make_shared<OwnFactory>(&asked);
  factory->none = true;
  options_.sst_partitioner_factory = factory;
  Open();
  for (int i = 0; i < 10; ++i) ASSERT_OK(Put(Key(i), "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactForced());
  EXPECT_EQ(Key(0) + ".." + Key(9), Files(1));
}

TEST_F(SstPartitionerTest, AMoveIsAskedFor) {
  Asked asked;
  options_.sst_partitioner_factory = std::make_shared<OwnFactory>(&asked);
  options_.bottommost_compression = kDisableCompressionOption;
  Open();
  ASSERT_OK(Put("move1", "1"));
  ASSERT_OK(Put("move25", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_EQ("move1..move25", Files(1)) << "moved, though it has two partitions";
  ASSERT_EQ(1u, asked.moves.size());
  EXPECT_EQ("move1..move25", asked.moves[0]);
  EXPECT_TRUE(asked.keys.empty());

  ASSERT_OK(Put("x1", "1"));
  ASSERT_OK(Put("x25", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_EQ("move1..move25|x1..x1|x25..x25", Files(1)) << "rewritten";
}

TEST_F(SstPartitionerTest, FixedPrefixesMoveWithinOneOnly) {
  options_.sst_partitioner_factory = NewSstPartitionerFixedPrefixFactory(1);
  SstPartitioner::Context context{};
  const auto partitioner = options_.sst_partitioner_factory->CreatePartitioner(context);
  EXPECT_STREQ("SstPartitionerFixedPrefix", partitioner->Name());
  EXPECT_TRUE(partitioner->CanDoTrivialMove("a1", "a9"));
  EXPECT_FALSE(partitioner->CanDoTrivialMove("a1", "b1"));
  EXPECT_FALSE(partitioner->CanDoTrivialMove("", "b1"));
  EXPECT_TRUE(partitioner->CanDoTrivialMove("", ""));
  const Slice first("a1"), second("a2"), third("b");
  EXPECT_EQ(kNotRequired, partitioner->ShouldPartition(PartitionerRequest(first, second, 7)));
  EXPECT_EQ(kRequired, partitioner->ShouldPartition(PartitionerRequest(second, third, 7)));
}

TEST_F(SstPartitionerTest, UniversalCompactionsPartition) {
  options_.compaction_style = kCompactionStyleUniversal;
  options_.num_levels = 4;
  options_.sst_partitioner_factory = NewSstPartitionerFixedPrefixFactory(1);
  Open();
  for (const char* key : {"a1", "b1", "c1"}) ASSERT_OK(Put(key, "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("a2", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactForced());
  EXPECT_EQ("a1..a2|b1..b1|c1..c1", Files(3));
}

TEST_F(SstPartitionerTest, Level0IsNotPartitioned) {
  options_.compaction_style = kCompactionStyleUniversal;
  options_.num_levels = 1;
  options_.sst_partitioner_factory = NewSstPartitionerFixedPrefixFactory(1);
  Open();
  for (const char* key : {"a1", "b1", "c1"}) ASSERT_OK(Put(key, "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("a2", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactForced());
  EXPECT_EQ("a1..c1", Files(0));
}

TEST_F(SstPartitionerTest, AutomaticCompactionsPartition) {
  options_.disable_auto_compactions = false;
  options_.level0_file_num_compaction_trigger = 2;
  options_.sst_partitioner_factory = NewSstPartitionerFixedPrefixFactory(1);
  Open();
  for (int round = 0; round < 2; ++round) {
    for (const char* key : {"a1", "b1", "c1"}) ASSERT_OK(Put(key, std::to_string(round)));
    ASSERT_OK(Flush());
  }
  // Waits for what was scheduled.
  ASSERT_OK(CompactForced());
  EXPECT_EQ("a1..a1|b1..b1|c1..c1", Files(1));
}

TEST_F(SstPartitionerTest, PartsOfOneCompactionPartition) {
  options_.max_subcompactions = 4;
  options_.target_file_size_base = 64 << 10;
  options_.sst_partitioner_factory = NewSstPartitionerFixedPrefixFactory(1);
  Open();
  std::string expected;
  for (char prefix = 'a'; prefix <= 'h'; ++prefix) {
    for (int i = 0; i < 20; ++i) {
      ASSERT_OK(Put(std::string(1, prefix) + Key(i), std::string(3000, prefix)));
    }
  }
  ASSERT_OK(Flush());
  ASSERT_OK(CompactForced());
  ColumnFamilyMetaData metadata;
  db_->GetColumnFamilyMetaData(&metadata);
  EXPECT_LE(8u, metadata.levels[1].files.size());
  for (const SstFileMetaData& file : metadata.levels[1].files) {
    EXPECT_EQ(file.smallestkey[0], file.largestkey[0]);
  }
}

TEST_F(SstPartitionerTest, ByName) {
  ConfigOptions strict;
  strict.ignore_unsupported_options = false;
  std::shared_ptr<SstPartitionerFactory> factory;
  ASSERT_OK(SstPartitionerFactory::CreateFromString(
      strict, "{id=SstPartitionerFixedPrefixFactory;length=2}", &factory));
  ASSERT_NE(nullptr, factory);
  EXPECT_STREQ("SstPartitionerFixedPrefixFactory", factory->Name());
  SstPartitioner::Context context{};
  auto partitioner = factory->CreatePartitioner(context);
  EXPECT_TRUE(partitioner->CanDoTrivialMove("aa1", "aa9"));
  EXPECT_FALSE(partitioner->CanDoTrivialMove("aa1", "ab1"));
  ASSERT_OK(SstPartitionerFactory::CreateFromString(
      strict, "id=SstPartitionerFixedPrefixFactory; length=2", &factory));
  factory.reset();
  ASSERT_OK(SstPartitionerFactory::CreateFromString(strict, "SstPartitionerFixedPrefixFactory",
                                                    &factory));
  partitioner = factory->CreatePartitioner(context);
  EXPECT_TRUE(partitioner->CanDoTrivialMove("a", "b")) << "a length of 0";
  ASSERT_OK(SstPartitionerFactory::CreateFromString(strict, "nullptr", &factory));
  EXPECT_EQ(nullptr, factory);
  EXPECT_CODE(NotSupported, SstPartitionerFactory::CreateFromString(strict, "of nobody", &factory));
  EXPECT_OK(SstPartitionerFactory::CreateFromString(ConfigOptions(), "of nobody", &factory));
  EXPECT_FALSE(SstPartitionerFactory::CreateFromString(
                   strict, "{id=SstPartitionerFixedPrefixFactory;length=x}", &factory)
                   .ok());
  EXPECT_FALSE(SstPartitionerFactory::CreateFromString(
                   strict, "{id=SstPartitionerFixedPrefixFactory;size=3}", &factory)
                   .ok());
}

TEST_F(SstPartitionerTest, InOptions) {
  ConfigOptions config;
  ColumnFamilyOptions parsed;
  ASSERT_OK(GetColumnFamilyOptionsFromString(
      config, ColumnFamilyOptions(),
      "sst_partitioner_factory={id=SstPartitionerFixedPrefixFactory;length=3}", &parsed));
  ASSERT_NE(nullptr, parsed.sst_partitioner_factory);
  std::string text;
  ASSERT_OK(GetStringFromColumnFamilyOptions(config, parsed, &text));
  EXPECT_NE(std::string::npos,
            text.find("sst_partitioner_factory={id=SstPartitionerFixedPrefixFactory;length=3;}"))
      << text;

  options_.sst_partitioner_factory = parsed.sst_partitioner_factory;
  Open();
  Shut();
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_OK(LoadLatestOptions(config, dir_, &db_options, &families));
  ASSERT_EQ(1u, families.size());
  const auto& loaded = families[0].options.sst_partitioner_factory;
  ASSERT_NE(nullptr, loaded);
  const auto partitioner = loaded->CreatePartitioner(SstPartitioner::Context{});
  EXPECT_TRUE(partitioner->CanDoTrivialMove("aaa1", "aaa9"));
  EXPECT_FALSE(partitioner->CanDoTrivialMove("aaa1", "aab1"));
}

}  // namespace
}  // namespace conformance
