// Databases with collectors of table properties: who is asked for what, and what files that ask for
// a compaction get.
#include <atomic>

#include "db/testing/db_fixture.h"
#include "rocksdb/listener.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/utilities/table_properties_collectors.h"

namespace cairn {
namespace {

using testing::Key;

// Marks tables with a key that begins with "mark", as long as it is switched on.
class MarkingFactory final : public TablePropertiesCollectorFactory {
 public:
  class Collector final : public TablePropertiesCollector {
   public:
    explicit Collector(bool active) : active_(active) {}
    Status AddUserKey(const Slice& key, const Slice&, EntryType, SequenceNumber,
                      uint64_t) override {
      marked_ |= active_ && key.starts_with("mark");
      return Status::OK();
    }
    Status Finish(UserCollectedProperties* properties) override {
      (*properties)["marked"] = marked_ ? "yes" : "no";
      return Status::OK();
    }
    UserCollectedProperties GetReadableProperties() const override { return {}; }
    const char* Name() const override { return "Marking"; }
    bool NeedCompact() const override { return marked_; }

   private:
    const bool active_;
    bool marked_ = false;
  };

  TablePropertiesCollector* CreateTablePropertiesCollector(Context context) override {
    levels[static_cast<size_t>(context.level_at_creation)].fetch_add(1);
    return new Collector(active);
  }
  const char* Name() const override { return "MarkingFactory"; }

  std::atomic<bool> active{true};
  std::atomic<int> levels[8] = {};
};

class Reasons final : public EventListener {
 public:
  void OnCompactionCompleted(DB* /*db*/, const CompactionJobInfo& info) override {
    marked += info.compaction_reason == CompactionReason::kFilesMarkedForCompaction;
  }
  std::atomic<int> marked{0};
};

class DbCollectorsTest : public testing::DbTest {
 protected:
  DbCollectorsTest() {
    options_ = SmallOptions();
    options_.level0_file_num_compaction_trigger = 100;
    options_.table_properties_collector_factories = {factory_};
    options_.listeners = {reasons_};
  }
  int Marked(const char* value) {
    TablePropertiesCollection all;
    EXPECT_TRUE(db_->GetPropertiesOfAllTables(&all).ok());
    int n = 0;
    for (const auto& [name, properties] : all) {
      n += properties->user_collected_properties.at("marked") == value;
    }
    return n;
  }

  std::shared_ptr<MarkingFactory> factory_ = std::make_shared<MarkingFactory>();
  std::shared_ptr<Reasons> reasons_ = std::make_shared<Reasons>();
  Options options_;
};

TEST_F(DbCollectorsTest, FilesThatAskAreCompactedToTheLastLevelAndStay) {
  for (const CompactionStyle style : {kCompactionStyleLevel, kCompactionStyleUniversal}) {
    SCOPED_TRACE(static_cast<int>(style));
    options_.compaction_style = style;
    reasons_->marked = 0;
    Open(options_);
    PutRange(0, 100, 1);
    Flush();
    Compact();
    PutRange(0, 10, 2);
    Flush();
    WaitForCompactions();
    EXPECT_EQ(FilesAtLevel(0), 1);
    EXPECT_EQ(reasons_->marked, 0);
    Put("mark", "x");
    Flush();
    WaitForCompactions();
    // In leveled style the other file, which it does not overlap, stays where it is.
    EXPECT_EQ(FilesAtLevel(0), style == kCompactionStyleLevel ? 1 : 0);
    EXPECT_GE(reasons_->marked, 1);
    EXPECT_GE(Marked("yes"), 1);
    ExpectModel();
    db_.reset();
    ASSERT_TRUE(DestroyDB(testing::kDbName, options_).ok());
    model_.clear();
  }
  EXPECT_GT(factory_->levels[0], 3);
}

TEST_F(DbCollectorsTest, TheManifestRemembersWhatWasAskedFor) {
  options_.disable_auto_compactions = true;
  Open(options_);
  PutRange(0, 100, 1);
  Flush();
  Compact();
  Put("mark", "x");
  Flush();
  EXPECT_EQ(FilesAtLevel(0), 1);
  factory_->active = false;
  options_.disable_auto_compactions = false;
  Open(options_);
  WaitForCompactions();
  EXPECT_EQ(FilesAtLevel(0), 0);
  EXPECT_EQ(reasons_->marked, 1);
  ExpectModel();
}

TEST_F(DbCollectorsTest, TombstonesThatPrevailGoWithoutAnyTrigger) {
  options_.table_properties_collector_factories = {NewCompactOnDeletionCollectorFactory(128, 64),
                                                   NewCompactOnDeletionCollectorFactory(0, 0)};
  Open(options_);
  PutRange(0, 1000, 1);
  Flush();
  Compact();
  for (uint64_t i = 0; i < 900; ++i) Delete(Key(i));
  Flush();
  WaitForCompactions();
  EXPECT_EQ(FilesAtLevel(0), 0);
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  uint64_t deletions = 0, entries = 0;
  for (const LiveFileMetaData& file : files) {
    deletions += file.num_deletions;
    entries += file.num_entries;
  }
  EXPECT_EQ(deletions, 0u);
  EXPECT_EQ(entries, 100u);
  ExpectModel();
}

TEST_F(DbCollectorsTest, NullFactoriesAreRefused) {
  options_.table_properties_collector_factories = {nullptr};
  const Status s = TryOpen(options_);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
}

TEST_F(DbCollectorsTest, OptionsFilesNameTheCollectors) {
  options_.table_properties_collector_factories.push_back(
      NewCompactOnDeletionCollectorFactory(300, 20, 0.5));
  Open(options_);
  db_.reset();
  const std::vector<std::string> files = disk_.Files(FileType::kOptionsFile);
  ASSERT_FALSE(files.empty());
  std::string text;
  ASSERT_TRUE(ReadFileToString(disk_.memory.get(), files.back(), &text).ok());
  EXPECT_NE(text.find("table_properties_collectors={MarkingFactory:{id=CompactOnDeletionCollector;"
                      "deletion_ratio=0.500000;deletion_trigger=20;window_size=300;}}"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace cairn
