// What collectors are shown, and what becomes of what they collect.

#include "table/property_collectors.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fs/info_log.h"
#include "rocksdb/convenience.h"
#include "rocksdb/utilities/table_properties_collectors.h"
#include "table/testing/table_harness.h"

namespace cairn {
namespace {

using testing::Harness;

// What the collectors of a factory saw and shall say.
struct Script {
  std::vector<std::string> seen;
  uint64_t blocks = 0, block_bytes = 0;
  UserCollectedProperties give;
  Status add, finish;
  bool need_compact = false;
};

class ScriptedCollector final : public TablePropertiesCollector {
 public:
  explicit ScriptedCollector(Script* script) : script_(script) {}
  Status AddUserKey(const Slice& key, const Slice& value, EntryType type, SequenceNumber seq,
                    uint64_t file_size) override {
    script_->seen.push_back(key.ToString() + "@" + std::to_string(seq) + ":" +
                            std::to_string(type) + "=" + value.ToString());
    EXPECT_GE(file_size, last_file_size_);
    last_file_size_ = file_size;
    return script_->add;
  }
  void BlockAdd(uint64_t raw, uint64_t /*fast*/, uint64_t /*slow*/) override {
    ++script_->blocks;
    script_->block_bytes += raw;
  }
  Status Finish(UserCollectedProperties* properties) override {
    EXPECT_TRUE(properties->empty());
    *properties = script_->give;
    return script_->finish;
  }
  UserCollectedProperties GetReadableProperties() const override {
    return {{"readable", std::to_string(script_->seen.size())}};
  }
  const char* Name() const override { return "Scripted"; }
  bool NeedCompact() const override { return script_->need_compact; }

 private:
  Script* const script_;
  uint64_t last_file_size_ = 0;
};

class ScriptedFactory final : public TablePropertiesCollectorFactory {
 public:
  ScriptedFactory(const char* name, Script* script) : name_(name), script_(script) {}
  TablePropertiesCollector* CreateTablePropertiesCollector(Context context) override {
    last_context = context;
    return script_ == nullptr ? nullptr : new ScriptedCollector(script_);
  }
  const char* Name() const override { return name_; }

  Context last_context{};

 private:
  const char* const name_;
  Script* const script_;
};

TEST(PropertyCollectorsTest, SeeEveryEntryAndBlock) {
  Script script;
  script.give = {{"mine", std::string("a\0b", 3)}};
  Harness h;
  h.table_options.block_size = 1024;
  const auto factory = std::make_shared<ScriptedFactory>("One", &script);
  h.collector_factories = {factory, std::make_shared<ScriptedFactory>("None", nullptr)};
  h.Put("a", 7, "new");
  h.Put("a", 3, "", kTypeDeletion);
  h.Put("b", 4, "", kTypeSingleDeletion);
  h.Put("c", 5, "operand", kTypeMerge);
  for (int i = 0; i < 30; ++i) h.Put("d" + std::to_string(100 + i), 9, std::string(200, 'x'));
  ASSERT_TRUE(h.Build().ok());
  ASSERT_GE(script.seen.size(), 4u);
  EXPECT_EQ(script.seen[0], "a@7:0=new");
  EXPECT_EQ(script.seen[1], "a@3:1=");
  EXPECT_EQ(script.seen[2], "b@4:2=");
  EXPECT_EQ(script.seen[3], "c@5:3=operand");
  EXPECT_EQ(script.seen.size(), 34u);
  EXPECT_EQ(script.blocks, h.properties.num_data_blocks);
  EXPECT_GT(script.blocks, 3u);
  EXPECT_GT(script.block_bytes, 30u * 200);
  EXPECT_EQ(factory->last_context.level_at_creation, -1);
  EXPECT_EQ(factory->last_context.column_family_id, 0u);
  EXPECT_EQ(h.properties.readable_properties.at("readable"), "34");

  ASSERT_TRUE(h.Open().ok());
  const auto stored = h.table->GetTableProperties();
  EXPECT_EQ(stored->user_collected_properties.at("mine"), std::string("a\0b", 3));
  EXPECT_EQ(stored->property_collectors_names, "[One,None]");
  EXPECT_TRUE(stored->readable_properties.empty());
  EXPECT_FALSE(h.need_compact);
}

TEST(PropertyCollectorsTest, CannotTakeThePlaceOfTheTablesOwnProperties) {
  Script script;
  script.give = {{"rocksdb.num.entries", "many"},
                 {"rocksdb.index.partitions", "junk"},
                 {"rocksdb.block.based.table.index.type", "junk"},
                 {"kept", "1"}};
  Harness h;
  h.collector_factories = {std::make_shared<ScriptedFactory>("One", &script)};
  h.FillRandom(3, 100);
  ASSERT_TRUE(h.Build().ok());
  const Status s = h.Open();
  ASSERT_TRUE(s.ok()) << s.ToString();
  h.CheckAll(3);
  EXPECT_EQ(h.table->GetTableProperties()->num_entries, h.model.size());
  EXPECT_EQ(h.table->GetTableProperties()->user_collected_properties.at("kept"), "1");
}

TEST(PropertyCollectorsTest, ErrorsAreLoggedAndDoNotFailTheTable) {
  Script failing, good;
  failing.give = {{"lost", "1"}};
  failing.add = Status::Aborted("no more of these");
  failing.finish = Status::Corruption("cannot finish");
  good.give = {{"kept", "1"}};
  Harness h;
  ASSERT_TRUE(NewFileLogger(&h.fs, "/LOG", &h.info_log).ok());
  h.collector_factories = {std::make_shared<ScriptedFactory>("One", &failing),
                           std::make_shared<ScriptedFactory>("Two", &good)};
  h.FillRandom(4, 100);
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  h.CheckAll(4);
  const auto& stored = h.table->GetTableProperties()->user_collected_properties;
  EXPECT_EQ(stored.count("lost"), 0u);
  EXPECT_EQ(stored.at("kept"), "1");
  EXPECT_EQ(good.seen.size(), h.model.size());
  h.info_log.reset();
  std::string log;
  ASSERT_TRUE(ReadFileToString(&h.fs, "/LOG", &log).ok());
  const size_t add = log.find("AddUserKey() with collector name: Scripted");
  EXPECT_NE(add, std::string::npos) << log;
  EXPECT_EQ(log.find("AddUserKey", add + 1), std::string::npos) << "told for each entry";
  EXPECT_NE(log.find("cannot finish"), std::string::npos) << log;
}

TEST(PropertyCollectorsTest, OneIsEnoughToAskForACompaction) {
  Script no, yes;
  yes.need_compact = true;
  Harness h;
  h.collector_factories = {std::make_shared<ScriptedFactory>("One", &no)};
  h.FillRandom(5, 10);
  ASSERT_TRUE(h.Build().ok());
  EXPECT_FALSE(h.need_compact);
  h.collector_factories.push_back(std::make_shared<ScriptedFactory>("Two", &yes));
  ASSERT_TRUE(h.Build().ok());
  EXPECT_TRUE(h.need_compact);
}

// --- CompactOnDeletionCollector

// Whether a table of these entries ('.' a value, 'd' a deletion, 's' a single one, 'r' of a range)
// is marked.
bool Marks(TablePropertiesCollectorFactory* factory, const std::string& entries,
           uint64_t file_size = 0) {
  const std::unique_ptr<TablePropertiesCollector> collector(
      factory->CreateTablePropertiesCollector({0, 0}));
  for (const char entry : entries) {
    const EntryType type = entry == 'd'   ? kEntryDelete
                           : entry == 's' ? kEntrySingleDelete
                           : entry == 'r' ? kEntryRangeDeletion
                                          : kEntryPut;
    EXPECT_TRUE(collector->AddUserKey("key", "", type, 1, file_size).ok());
  }
  UserCollectedProperties properties;
  EXPECT_TRUE(collector->Finish(&properties).ok());
  EXPECT_TRUE(properties.empty());
  return collector->NeedCompact();
}

std::string Times(size_t n, const std::string& text) {
  std::string result;
  for (size_t i = 0; i < n; ++i) result += text;
  return result;
}

TEST(CompactOnDeletionTest, AWindowWithEnoughTombstonesMarks) {
  const auto factory = NewCompactOnDeletionCollectorFactory(128, 50);
  EXPECT_FALSE(Marks(factory.get(), ""));
  EXPECT_FALSE(Marks(factory.get(), Times(1000, ".")));
  EXPECT_FALSE(Marks(factory.get(), Times(49, "d") + Times(1000, ".") + Times(49, "d")));
  EXPECT_TRUE(Marks(factory.get(), Times(500, ".") + Times(50, "d") + Times(500, ".")));
  EXPECT_TRUE(Marks(factory.get(), Times(25, "d.s")));     // 50 within 75
  EXPECT_FALSE(Marks(factory.get(), Times(1000, "d..")));  // 43 in each window
  EXPECT_TRUE(Marks(factory.get(), Times(25, ".") + Times(64, "d.")));
  EXPECT_FALSE(Marks(factory.get(), Times(1000, "r")));
  // Far apart they never come together.
  EXPECT_FALSE(Marks(factory.get(), Times(100, "d" + Times(4, "."))));
}

TEST(CompactOnDeletionTest, TheWindowIsRoundedUp) {
  const auto factory = NewCompactOnDeletionCollectorFactory(129, 2);  // 256: steps of 2
  EXPECT_TRUE(Marks(factory.get(), "d" + Times(250, ".") + "d"));
  EXPECT_FALSE(Marks(factory.get(), "d" + Times(256, ".") + "d"));
  factory->SetWindowSize(128);
  EXPECT_FALSE(Marks(factory.get(), "d" + Times(250, ".") + "d"));
  EXPECT_TRUE(Marks(factory.get(), "d" + Times(126, ".") + "d"));
  EXPECT_FALSE(Marks(factory.get(), "d" + Times(127, ".") + "d"));
  factory->SetDeletionTrigger(3);
  EXPECT_FALSE(Marks(factory.get(), "d" + Times(126, ".") + "d"));
  factory->SetWindowSize(0);
  factory->SetDeletionTrigger(0);
  EXPECT_FALSE(Marks(factory.get(), Times(1000, "d")));
}

TEST(CompactOnDeletionTest, TheRatioIsOfTheWholeTable) {
  const auto factory = NewCompactOnDeletionCollectorFactory(0, 0, 0.25);
  EXPECT_FALSE(Marks(factory.get(), ""));
  EXPECT_TRUE(Marks(factory.get(), "d..."));
  EXPECT_FALSE(Marks(factory.get(), "d...."));
  EXPECT_TRUE(Marks(factory.get(), Times(1000, ".") + Times(400, "s")));
  factory->SetDeletionRatio(1);
  EXPECT_FALSE(Marks(factory.get(), "dd."));
  EXPECT_TRUE(Marks(factory.get(), "ddd"));
  for (const double off : {0.0, -1.0, 1.5}) {
    factory->SetDeletionRatio(off);
    EXPECT_FALSE(Marks(factory.get(), "ddd")) << off;
  }
}

TEST(CompactOnDeletionTest, SmallTablesAreNotMarked) {
  const auto factory = NewCompactOnDeletionCollectorFactory(128, 2, 0.5, 1000);
  EXPECT_FALSE(Marks(factory.get(), "ddd", 999));
  EXPECT_TRUE(Marks(factory.get(), "ddd", 1000));
  EXPECT_TRUE(Marks(factory.get(), "d.", 1000));
  factory->SetMinFileSize(0);
  EXPECT_TRUE(Marks(factory.get(), "ddd"));
}

}  // namespace
}  // namespace cairn
