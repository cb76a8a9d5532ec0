// Collectors of table properties, and the calls that show table properties.
#include <atomic>

#include "conformance.h"
#include "rocksdb/convenience.h"
#include "rocksdb/listener.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/utilities/table_properties_collectors.h"

namespace conformance {
namespace {

// What all collectors of one factory saw.
struct Seen {
  std::vector<std::string> entries;  // "key=value@sequence:type"
  int blocks = 0;
};

class Collector : public TablePropertiesCollector {
 public:
  Collector(Seen* seen, Status add, Status finish)
      : seen_(seen), add_(std::move(add)), finish_(std::move(finish)) {}
  Status AddUserKey(const Slice& key, const Slice& value, EntryType type, SequenceNumber seq,
                    uint64_t /*file_size*/) override {
    ++count_;
    seen_->entries.push_back(key.ToString() + "=" + value.ToString() + "@" + std::to_string(seq) +
                             ":" + std::to_string(type));
    return add_;
  }
  void BlockAdd(uint64_t raw, uint64_t, uint64_t) override { seen_->blocks += raw > 0; }
  Status Finish(UserCollectedProperties* properties) override {
    (*properties)["conformance.count"] = std::to_string(count_);
    (*properties)["rocksdb.num.entries"] = "not a number";
    return finish_;
  }
  UserCollectedProperties GetReadableProperties() const override {
    return {{"conformance.readable", std::to_string(count_)}};
  }
  const char* Name() const override { return "ConformanceCollector"; }

 private:
  Seen* const seen_;
  const Status add_, finish_;
  int count_ = 0;
};

class Factory : public TablePropertiesCollectorFactory {
 public:
  TablePropertiesCollector* CreateTablePropertiesCollector(Context context) override {
    contexts.push_back(context);
    return new Collector(&seen, add, finish);
  }
  const char* Name() const override { return "ConformanceFactory"; }

  Status add, finish;
  // Read while nothing is written.
  std::vector<Context> contexts;
  Seen seen;
};

class Listener : public EventListener {
 public:
  void OnTableFileCreated(const TableFileCreationInfo& info) override {
    created_count = info.table_properties.user_collected_properties.count("conformance.count");
    const auto& readable = info.table_properties.readable_properties;
    const auto it = readable.find("conformance.readable");
    if (it != readable.end()) this->readable = it->second;
  }
  void OnCompactionCompleted(DB* /*db*/, const CompactionJobInfo& info) override {
    marked += info.compaction_reason == CompactionReason::kFilesMarkedForCompaction;
  }
  size_t created_count = 0;
  std::string readable;
  std::atomic<int> marked{0};
};

class CollectorsTest : public DBTest {
 protected:
  CollectorsTest() {
    options_.table_properties_collector_factories.push_back(factory_);
    options_.disable_auto_compactions = true;
  }
  std::shared_ptr<const TableProperties> OnlyTable() {
    TablePropertiesCollection all;
    EXPECT_OK(db_->GetPropertiesOfAllTables(&all));
    EXPECT_EQ(1u, all.size());
    return all.empty() ? std::make_shared<TableProperties>() : all.begin()->second;
  }
  std::shared_ptr<Factory> factory_ = std::make_shared<Factory>();
};

TEST_F(CollectorsTest, AFlushShowsEveryEntry) {
  auto listener = std::make_shared<Listener>();
  options_.listeners.push_back(listener);
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Delete("b"));
  ASSERT_OK(db_->SingleDelete(WriteOptions(), "c"));
  ASSERT_OK(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "d", "e"));
  ASSERT_OK(Flush());
  std::vector<std::string> entries = factory_->seen.entries;
  std::sort(entries.begin(), entries.end());
  EXPECT_EQ((std::vector<std::string>{"a=1@1:0", "b=@2:1", "c=@3:2", "d=e@4:4"}), entries);
  EXPECT_GE(factory_->seen.blocks, 1);
  ASSERT_EQ(1u, factory_->contexts.size());
  EXPECT_EQ(0u, factory_->contexts[0].column_family_id);
  EXPECT_EQ(0, factory_->contexts[0].level_at_creation);

  const auto table = OnlyTable();
  EXPECT_EQ("4", table->user_collected_properties.at("conformance.count"));
  EXPECT_EQ("[ConformanceFactory]", table->property_collectors_names);
  EXPECT_EQ(4u, table->num_entries);
  EXPECT_TRUE(table->readable_properties.empty());
  EXPECT_EQ(1u, listener->created_count);
  EXPECT_EQ("4", listener->readable);
}

TEST_F(CollectorsTest, ACompactionHasCollectorsOfItsOwn) {
  Open();
  for (int i = 0; i < 10; i++) ASSERT_OK(Put(Key(i), "v"));
  ASSERT_OK(Flush());
  for (int i = 5; i < 15; i++) ASSERT_OK(Put(Key(i), "w"));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_EQ("15", OnlyTable()->user_collected_properties.at("conformance.count"));
  EXPECT_EQ(3u, factory_->contexts.size());
  EXPECT_GT(factory_->contexts.back().level_at_creation, 0);
}

TEST_F(CollectorsTest, PropertiesAreThereAfterReopening) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  options_.table_properties_collector_factories.clear();
  Open();
  EXPECT_EQ("1", OnlyTable()->user_collected_properties.at("conformance.count"));
  EXPECT_EQ("[ConformanceFactory]", OnlyTable()->property_collectors_names);
}

TEST_F(CollectorsTest, ErrorsFailNothing) {
  factory_->add = Status::Aborted("no");
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("b", "1"));
  ASSERT_OK(Flush());
  EXPECT_EQ("2", OnlyTable()->user_collected_properties.at("conformance.count"));
  EXPECT_EQ("1", Get("a"));
  factory_->finish = Status::Corruption("no");
  ASSERT_OK(Put("a", "2"));
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_EQ(0u, OnlyTable()->user_collected_properties.count("conformance.count"));
  EXPECT_EQ("2", Get("a"));
}

TEST_F(CollectorsTest, AnSstFileWriterHasThemToo) {
  const std::string path = root_ + "/external.sst";
  SstFileWriter writer(EnvOptions(), options_);
  ASSERT_OK(writer.Open(path));
  ASSERT_OK(writer.Put("a", "1"));
  ASSERT_OK(writer.Put("b", "2"));
  ASSERT_OK(writer.Finish());
  ASSERT_EQ(1u, factory_->contexts.size());
  EXPECT_EQ(uint32_t{INT32_MAX}, factory_->contexts[0].column_family_id);
  EXPECT_EQ(-1, factory_->contexts[0].level_at_creation);
  SstFileReader reader(options_);
  ASSERT_OK(reader.Open(path));
  const auto properties = reader.GetTableProperties();
  EXPECT_EQ("2", properties->user_collected_properties.at("conformance.count"));
  EXPECT_EQ(1u, properties->user_collected_properties.count("rocksdb.external_sst_file.version"));
}

TEST_F(CollectorsTest, TombstonesThatPrevailAreCompactedAway) {
  auto listener = std::make_shared<Listener>();
  options_.listeners.push_back(listener);
  options_.disable_auto_compactions = false;
  options_.level0_file_num_compaction_trigger = 100;
  options_.table_properties_collector_factories = {
      NewCompactOnDeletionCollectorFactory(128, 64, 0.9)};
  Open();
  for (int i = 0; i < 1000; i++) ASSERT_OK(Put(Key(i), "v"));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  for (int i = 0; i < 50; i++) ASSERT_OK(Delete(Key(i)));  // too few
  for (int i = 50; i < 300; i++) ASSERT_OK(Put(Key(i), "w"));
  ASSERT_OK(Flush());
  EXPECT_EQ(0u, IntProperty("rocksdb.compaction-pending"));
  EXPECT_EQ(1, FilesAtLevel(0));
  for (int i = 0; i < 700; i++) ASSERT_OK(Delete(Key(i)));
  ASSERT_OK(Flush());
  for (int i = 0; i < 10000 && listener->marked == 0; i++) TheEnv()->SleepForMicroseconds(1000);
  EXPECT_GE(listener->marked, 1);
  EXPECT_EQ(0, FilesAtLevel(0));
  EXPECT_EQ("NOT_FOUND", Get(Key(0)));
  EXPECT_EQ("v", Get(Key(700)));
}

TEST_F(CollectorsTest, TheFactoryCanBeMadeFromText) {
  std::shared_ptr<TablePropertiesCollectorFactory> factory;
  const std::string text =
      "id=CompactOnDeletionCollector;window_size=5;deletion_trigger=7;deletion_ratio=0.25";
  ASSERT_OK(TablePropertiesCollectorFactory::CreateFromString(ConfigOptions(), text, &factory));
  ASSERT_NE(nullptr, factory);
  EXPECT_EQ(
      "CompactOnDeletionCollector (Sliding window size = 5 Deletion trigger = 7 Deletion ratio = "
      "0.25)",
      factory->ToString());
  factory.reset();
  EXPECT_OK(
      TablePropertiesCollectorFactory::CreateFromString(ConfigOptions(), "nothing", &factory));
  EXPECT_EQ(nullptr, factory);
  ConfigOptions strict;
  strict.ignore_unsupported_options = false;
  EXPECT_CODE(NotSupported,
              TablePropertiesCollectorFactory::CreateFromString(strict, "nothing", &factory));
}

TEST_F(CollectorsTest, OptionsHaveThemAsText) {
  ColumnFamilyOptions options;
  options.table_properties_collector_factories = {
      factory_, NewCompactOnDeletionCollectorFactory(100, 10, 0.5)};
  std::string text;
  ASSERT_OK(GetStringFromColumnFamilyOptions(&text, options));
  EXPECT_NE(std::string::npos,
            text.find("table_properties_collectors={ConformanceFactory:{id="
                      "CompactOnDeletionCollector;deletion_ratio=0.500000;deletion_trigger=10;"
                      "window_size=100;}};"))
      << text;
  const std::string texts[] = {
      "{id=CompactOnDeletionCollector;window_size=7}",
      "{{id=CompactOnDeletionCollector;window_size=7;}}",
      "CompactOnDeletionCollector",
      "{CompactOnDeletionCollector:CompactOnDeletionCollector}",
      "{Unknown:{id=CompactOnDeletionCollector;window_size=7}}",
      "",
  };
  const size_t counts[] = {1, 1, 1, 2, 1, 0};
  for (size_t i = 0; i < 6; i++) {
    ColumnFamilyOptions parsed;
    ASSERT_OK(GetColumnFamilyOptionsFromString(ConfigOptions(), ColumnFamilyOptions(),
                                               "table_properties_collectors=" + texts[i], &parsed))
        << texts[i];
    EXPECT_EQ(counts[i], parsed.table_properties_collector_factories.size()) << texts[i];
  }
  ColumnFamilyOptions parsed;
  EXPECT_CODE(InvalidArgument,
              GetColumnFamilyOptionsFromString(
                  ConfigOptions(), ColumnFamilyOptions(),
                  "table_properties_collectors={id=CompactOnDeletionCollector;nope=1}", &parsed));
}

}  // namespace
}  // namespace conformance
