// Compaction filters: what they are shown, what their decisions do, and what a job tells them.
#include "rocksdb/compaction_filter.h"

#include <atomic>
#include <functional>

#include "conformance.h"
#include "rocksdb/convenience.h"

namespace conformance {
namespace {

using Decision = CompactionFilter::Decision;

// Decides by a function of key and value; *text is the new value or the key to skip to.
using Function =
    std::function<Decision(const std::string& key, const std::string& value, std::string* text)>;

class Filter : public CompactionFilter {
 public:
  Filter(Function function, std::vector<std::string>* shown)
      : function_(std::move(function)), shown_(shown) {}
  const char* Name() const override { return "ConformanceFilter"; }
  Decision FilterV2(int level, const Slice& key, ValueType type, const Slice& value,
                    std::string* new_value, std::string* skip_until) const override {
    EXPECT_EQ(ValueType::kValue, type);
    if (shown_ != nullptr) {
      shown_->push_back(key.ToString() + "@" + std::to_string(level) + "=" + value.ToString());
    }
    std::string text;
    const Decision decision = function_(key.ToString(), value.ToString(), &text);
    if (decision == Decision::kChangeValue) *new_value = text;
    if (decision == Decision::kRemoveAndSkipUntil) *skip_until = text;
    return decision;
  }

 private:
  const Function function_;
  std::vector<std::string>* const shown_;
};

class Factory : public CompactionFilterFactory {
 public:
  explicit Factory(Function function) : function_(std::move(function)) {}
  const char* Name() const override { return "ConformanceFactory"; }
  bool ShouldFilterTableFileCreation(TableFileCreationReason reason) const override {
    return all_reasons || CompactionFilterFactory::ShouldFilterTableFileCreation(reason);
  }
  std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context& context) override {
    contexts.push_back(context);
    return std::make_unique<Filter>(function_, &shown);
  }

  bool all_reasons = false;
  // Read while no job runs.
  std::vector<CompactionFilter::Context> contexts;
  std::vector<std::string> shown;

 private:
  const Function function_;
};

Decision DropExpired(const std::string&, const std::string& value, std::string*) {
  return Slice(value).starts_with("expired") ? Decision::kRemove : Decision::kKeep;
}

class CompactionFilterTest : public DBTest {
 protected:
  CompactionFilterTest() { options_.disable_auto_compactions = true; }

  Factory* Use(Function function) {
    auto factory = std::make_shared<Factory>(std::move(function));
    options_.compaction_filter_factory = factory;
    return factory.get();
  }
  // Sorted and each once: how often an entry is shown in one CompactRange is not promised.
  static std::vector<std::string> Once(std::vector<std::string> shown) {
    std::sort(shown.begin(), shown.end());
    shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
    return shown;
  }
};

TEST_F(CompactionFilterTest, ExpiredEntriesGoWithACompaction) {
  Filter filter(DropExpired, nullptr);
  options_.compaction_filter = &filter;
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("b", "expired"));
  ASSERT_OK(Put("c", "expired"));
  ASSERT_OK(Put("c", "3"));
  ASSERT_OK(Put("d", "4"));
  ASSERT_OK(Put("d", "expired"));
  ASSERT_OK(Flush());
  EXPECT_EQ("a=1,b=expired,c=3,d=expired", Contents()) << "a flush has no filter";
  ASSERT_OK(Compact());
  EXPECT_EQ("a=1,c=3", Contents());
  EXPECT_EQ("NOT_FOUND", Get("d"));
  Open();
  EXPECT_EQ("a=1,c=3", Contents());
}

TEST_F(CompactionFilterTest, SnapshotsLoseWhatIsFilteredButNotOlderVersions) {
  Filter filter(DropExpired, nullptr);
  options_.compaction_filter = &filter;
  Open();
  ASSERT_OK(Put("a", "expired but seen"));
  ASSERT_OK(Put("b", "first"));
  const Snapshot* const first = db_->GetSnapshot();
  ASSERT_OK(Put("b", "expired"));
  const Snapshot* const second = db_->GetSnapshot();
  ASSERT_OK(Put("c", "kept"));
  ASSERT_OK(Compact());
  EXPECT_EQ("NOT_FOUND", Get("a", first));
  EXPECT_EQ("first", Get("b", first));
  EXPECT_EQ("NOT_FOUND", Get("b", second));
  EXPECT_EQ("c=kept", Contents());
  db_->ReleaseSnapshot(first);
  db_->ReleaseSnapshot(second);
}

TEST_F(CompactionFilterTest, ARemovedEntryStillHidesWhatIsBelow) {
  Filter filter(DropExpired, nullptr);
  Open();
  ASSERT_OK(Put("b", "old"));
  ASSERT_OK(Put("y", "old"));
  ASSERT_OK(Compact());
  // From level 1 to level 2, so that the next one ends above.
  std::vector<std::string> names;
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  for (const auto& file : files) names.push_back(file.name);
  ASSERT_OK(db_->CompactFiles(CompactionOptions(), names, 2));
  options_.compaction_filter = &filter;
  Open();
  ASSERT_OK(Put("b", "expired"));
  ASSERT_OK(Put("c", "expired"));
  ASSERT_OK(Put("x", "new"));
  ASSERT_OK(Flush());
  db_->GetLiveFilesMetaData(&files);
  names.clear();
  for (const auto& file : files) {
    if (file.level == 0) names.push_back(file.name);
  }
  ASSERT_OK(db_->CompactFiles(CompactionOptions(), names, 1));
  EXPECT_EQ(1, FilesAtLevel(1));
  EXPECT_EQ(1, FilesAtLevel(2));
  EXPECT_EQ("x=new,y=old", Contents());
  EXPECT_EQ("NOT_FOUND", Get("b"));
}

TEST_F(CompactionFilterTest, TheOldInterfaceRemovesAndChanges) {
  class Old : public CompactionFilter {
   public:
    const char* Name() const override { return "Old"; }
    bool Filter(int, const Slice& key, const Slice& value, std::string* new_value,
                bool* value_changed) const override {
      if (value == "change") {
        *new_value = key.ToString() + " changed";
        *value_changed = true;
      }
      if (value == "both") *value_changed = true;
      return value == "remove" || value == "both";
    }
  } filter;
  options_.compaction_filter = &filter;
  Open();
  ASSERT_OK(Put("a", "keep"));
  ASSERT_OK(Put("b", "change"));
  ASSERT_OK(Put("c", "remove"));
  ASSERT_OK(Put("d", "both"));
  ASSERT_OK(Compact());
  EXPECT_EQ("a=keep,b=b changed", Contents());
}

TEST_F(CompactionFilterTest, FilterV2ChangesPurgesAndSkips) {
  Use([](const std::string& key, const std::string& value, std::string* text) {
    if (value == "skip") {
      *text = key < "h" ? "e" : "a";  // backwards: as if kept
      return Decision::kRemoveAndSkipUntil;
    }
    if (value == "purge") return Decision::kPurge;
    if (value == "keep") return Decision::kKeep;
    *text = "changed";
    return Decision::kChangeValue;
  });
  Open();
  for (const char* key : {"a", "b", "c", "d", "e", "f", "g"}) ASSERT_OK(Put(key, "keep"));
  ASSERT_OK(Put("b", "skip"));
  ASSERT_OK(Delete("c"));
  ASSERT_OK(Put("f", "purge"));
  ASSERT_OK(Put("g", "change"));
  ASSERT_OK(Put("h", "skip"));
  ASSERT_OK(Compact());
  EXPECT_EQ("a=keep,e=keep,g=changed,h=skip", Contents());
}

TEST_F(CompactionFilterTest, TheNewestVersionIsShownIfItIsAValue) {
  Factory* const factory = Use(DropExpired);
  Open();
  ASSERT_OK(Put("a", "old"));
  ASSERT_OK(Put("b", "deleted"));
  const Snapshot* const snapshot = db_->GetSnapshot();
  ASSERT_OK(Put("a", "new"));
  ASSERT_OK(Delete("b"));
  ASSERT_OK(Flush());
  EXPECT_TRUE(factory->contexts.empty());
  ASSERT_OK(Compact());
  EXPECT_EQ((std::vector<std::string>{"a@0=new"}), factory->shown);
  ASSERT_EQ(1u, factory->contexts.size());
  EXPECT_TRUE(factory->contexts[0].is_full_compaction);
  EXPECT_TRUE(factory->contexts[0].is_manual_compaction);
  EXPECT_EQ(0u, factory->contexts[0].column_family_id);
  EXPECT_EQ(TableFileCreationReason::kCompaction, factory->contexts[0].reason);
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(CompactionFilterTest, FlushAndRecoveryAskTheFactory) {
  Factory* const factory = Use(DropExpired);
  factory->all_reasons = true;
  Filter single(
      [](const std::string&, const std::string&, std::string*) { return Decision::kRemove; },
      nullptr);
  options_.compaction_filter = &single;  // compactions alone ask it
  Open();
  ASSERT_OK(Put("a", "expired"));
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(Flush());
  EXPECT_EQ("b=2", Contents());
  EXPECT_EQ((std::vector<std::string>{"a@0=expired", "b@0=2"}), factory->shown);
  ASSERT_EQ(1u, factory->contexts.size());
  EXPECT_FALSE(factory->contexts[0].is_full_compaction);
  EXPECT_FALSE(factory->contexts[0].is_manual_compaction);
  EXPECT_EQ(TableFileCreationReason::kFlush, factory->contexts[0].reason);

  ASSERT_OK(Put("b", "expired"));
  ASSERT_OK(Put("c", "3"));
  Open();
  EXPECT_EQ("c=3", Contents());
  ASSERT_EQ(2u, factory->contexts.size());
  EXPECT_EQ(TableFileCreationReason::kRecovery, factory->contexts[1].reason);
}

TEST_F(CompactionFilterTest, CompactRangeShowsAllLevelsToAFilter) {
  Open();
  for (int i = 0; i < 10; i++) ASSERT_OK(Put(Key(i), "v"));
  ASSERT_OK(Compact());
  Factory* const factory = Use(DropExpired);
  Open();
  const auto in_level = [](int from, int to, int level) {
    std::vector<std::string> all;
    for (int i = from; i < to; i++) all.push_back(Key(i) + "@" + std::to_string(level) + "=v");
    return all;
  };
  // The bottom alone is rewritten, for there is a filter.
  ASSERT_OK(Compact());
  EXPECT_EQ(in_level(0, 10, 1), Once(factory->shown));
  factory->shown.clear();
  CompactRangeOptions skip;
  skip.bottommost_level_compaction = BottommostLevelCompaction::kSkip;
  ASSERT_OK(db_->CompactRange(skip, nullptr, nullptr));
  EXPECT_TRUE(factory->shown.empty());
  // A file that could just move is looked at, too.
  for (int i = 10; i < 20; i++) ASSERT_OK(Put(Key(i), "v"));
  ASSERT_OK(db_->CompactRange(skip, nullptr, nullptr));
  EXPECT_EQ(in_level(10, 20, 0), factory->shown);
  EXPECT_EQ(0, FilesAtLevel(0));
}

TEST_F(CompactionFilterTest, AutomaticCompactionsFilterWhatTheyMerge) {
  options_.disable_auto_compactions = false;
  options_.level0_file_num_compaction_trigger = 2;
  Filter filter(DropExpired, nullptr);
  options_.compaction_filter = &filter;
  Open();
  for (int round = 0; round < 4; round++) {
    for (int i = 0; i < 20; i++) ASSERT_OK(Put(Key(i), i % 2 == 0 ? "expired" : "v"));
    ASSERT_OK(Flush());
  }
  while (FilesAtLevel(0) >= 2 || IntProperty("rocksdb.num-running-compactions") > 0) {
    TheEnv()->SleepForMicroseconds(1000);
  }
  // What moved as it was is not filtered, and the last file may still be in level 0.
  ASSERT_OK(Compact());
  std::string expected;
  for (int i = 1; i < 20; i += 2) expected += (i == 1 ? "" : ",") + Key(i) + "=v";
  EXPECT_EQ(expected, Contents());
}

TEST_F(CompactionFilterTest, AFilterMayReadTheDatabase) {
  // What another key calls dead goes.
  Factory* const factory = Use([this](const std::string& key, const std::string&, std::string*) {
    return Get("dead-" + key) == "yes" ? Decision::kRemove : Decision::kKeep;
  });
  factory->all_reasons = true;
  Open();
  for (int i = 0; i < 30; i++) {
    ASSERT_OK(Put(Key(i), "v"));
    if (i % 3 == 0) continue;
    ASSERT_OK(Put("dead-" + Key(i), "yes"));
  }
  ASSERT_OK(Flush());
  EXPECT_EQ("NOT_FOUND", Get(Key(1)));
  ASSERT_OK(Put("dead-" + Key(0), "yes"));
  ASSERT_OK(Compact());
  EXPECT_EQ("NOT_FOUND", Get(Key(0)));
  EXPECT_EQ("v", Get(Key(3)));
}

TEST_F(CompactionFilterTest, AFilterThatHeedsSnapshotsFailsTheCompaction) {
  class Heeding : public CompactionFilter {
   public:
    const char* Name() const override { return "Heeding"; }
    bool IgnoreSnapshots() const override { return false; }
  } filter;
  options_.compaction_filter = &filter;
  Open();
  ASSERT_OK(Put("a", "1"));
  EXPECT_TRUE(Compact().IsNotSupported());
  EXPECT_EQ("1", Get("a"));
}

TEST_F(CompactionFilterTest, UndeterminedFailsTheCompaction) {
  Use([](const std::string&, const std::string&, std::string*) { return Decision::kUndetermined; });
  Open();
  ASSERT_OK(Put("a", "1"));
  EXPECT_TRUE(Compact().IsNotSupported());
  EXPECT_EQ("1", Get("a"));
}

TEST_F(CompactionFilterTest, WhatIsRemovedIsCountedAndTheNamesStandInTheOptionsFile) {
  options_.statistics = CreateDBStatistics();
  Filter filter(DropExpired, nullptr);
  options_.compaction_filter = &filter;
  Use(DropExpired);
  Open();
  ASSERT_OK(Put("a", "expired"));
  ASSERT_OK(Put("b", "expired"));
  ASSERT_OK(Put("c", "1"));
  ASSERT_OK(Compact());
  EXPECT_EQ(2u, options_.statistics->getTickerCount(COMPACTION_KEY_DROP_USER));
  const std::string text = ReadFile(FilesStartingWith("OPTIONS-").back());
  EXPECT_NE(std::string::npos, text.find("compaction_filter=ConformanceFilter\n"));
  EXPECT_NE(std::string::npos, text.find("compaction_filter_factory=ConformanceFactory\n"));
}

TEST_F(CompactionFilterTest, UniversalCompactionFiltersToo) {
  options_.compaction_style = kCompactionStyleUniversal;
  Factory* const factory = Use(DropExpired);
  Open();
  ASSERT_OK(Put("a", "expired"));
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("c", "expired"));
  ASSERT_OK(Compact());
  EXPECT_EQ("b=2", Contents());
  factory->shown.clear();
  // What is compacted already is shown again.
  ASSERT_OK(Compact());
  EXPECT_EQ(1u, factory->shown.size());
}

TEST_F(CompactionFilterTest, AnOptionsTextNamesTheOneThatRemovesEmptyValues) {
  Options named;
  ASSERT_OK(GetOptionsFromString(ConfigOptions(), options_,
                                 "compaction_filter=RemoveEmptyValueCompactionFilter", &named));
  ASSERT_NE(nullptr, named.compaction_filter);
  EXPECT_STREQ("RemoveEmptyValueCompactionFilter", named.compaction_filter->Name());
  options_ = named;
  Open();
  ASSERT_OK(Put("empty", ""));
  ASSERT_OK(Put("full", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_EQ("NOT_FOUND", Get("empty"));
  EXPECT_EQ("1", Get("full"));
}

}  // namespace
}  // namespace conformance
