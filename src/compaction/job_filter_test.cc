// Compaction filters in the iterator that applies them and in the two kinds of job.
#include "compaction/job_filter.h"

#include <gtest/gtest.h>

#include "compaction/compaction_iterator.h"
#include "compaction/compaction_job.h"
#include "compaction/testing/function_filter.h"
#include "compaction/testing/job_fixture.h"
#include "read/testing/vector_iterator.h"

namespace cairn {
namespace {

using Decision = CompactionFilter::Decision;
using Entries = std::vector<TestEntry>;

// --- The iterator

class FilteringIteratorTest : public ::testing::Test {
 protected:
  FilteringIteratorTest() {
    versions_.Add(0, 10, "a", "z").Add(2, 5, "m", "p");
    EXPECT_TRUE(versions_.Build().ok());
  }

  // From level 0; to level 2 nothing is left below, under level 1 there may be "m" to "p".
  std::unique_ptr<Compaction> Make(int output_level) {
    Compaction::Params params;
    params.version = versions_.version();
    params.inputs.push_back({0, params.version->files(0)});
    params.output_level = output_level;
    params.target_output_file_size = params.max_compaction_bytes = 1 << 20;
    return std::make_unique<Compaction>(&picker_, versions_.options(), std::move(params));
  }

  Entries Run(const Entries& entries, FunctionFilter::Function function,
              std::vector<SequenceNumber> snapshots = {}, const Compaction* compaction = nullptr) {
    VectorIterator::Entries input;
    for (const TestEntry& e : entries) {
      std::string key;
      AppendInternalKey(&key, ParsedInternalKey(e.key, e.sequence, e.type));
      input.emplace_back(std::move(key), e.value);
    }
    VectorIterator source(versions_.icmp(), std::move(input));
    CompactionIterator it(&source, &versions_.icmp(), std::move(snapshots), compaction);
    shown_.clear();
    const FunctionFilter filter(
        [&](int level, const Slice& key, const Slice& value, std::string* text) {
          shown_.push_back(key.ToString() + "=" + value.ToString());
          EXPECT_EQ(0, level);
          return function(level, key, value, text);
        });
    it.SetFilter(&filter);
    Entries kept;
    for (it.Start(); it.Valid(); it.Next()) {
      ParsedInternalKey parsed;
      EXPECT_TRUE(ParseInternalKey(it.key(), &parsed).ok());
      EXPECT_EQ(parsed.user_key, it.parsed().user_key);
      EXPECT_EQ(parsed.sequence, it.parsed().sequence);
      EXPECT_EQ(parsed.type, it.parsed().type);
      kept.push_back(
          {parsed.user_key.ToString(), parsed.sequence, parsed.type, it.value().ToString()});
    }
    status_ = it.status();
    filtered_ = it.records_filtered();
    skipped_ = it.skipped_input();
    types_ = filter.types;
    return kept;
  }
  static FunctionFilter::Function Always(Decision decision, const std::string& text = "") {
    return [=](int, const Slice&, const Slice&, std::string* out) {
      *out = text;
      return decision;
    };
  }

  DBOptions db_options_;
  VersionFixture versions_;
  LeveledPicker picker_{&db_options_, &versions_.icmp()};
  std::vector<std::string> shown_;
  std::vector<CompactionFilter::ValueType> types_;
  Status status_;
  uint64_t filtered_ = 0;
  bool skipped_ = false;
};

TEST_F(FilteringIteratorTest, TheNewestVersionIsShownIfItIsAValue) {
  const Entries entries = {{"a", 9, kTypeValue, "new"},       {"a", 4, kTypeValue, "old"},
                           {"b", 8, kTypeDeletion, ""},       {"b", 3, kTypeValue, "deleted"},
                           {"c", 7, kTypeSingleDeletion, ""}, {"c", 2, kTypeValue, "deleted"},
                           {"d", 1, kTypeValue, "only"}};
  // With a snapshot that needs every version.
  EXPECT_EQ(entries, Run(entries, Always(Decision::kKeep), {1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ((std::vector<std::string>{"a=new", "d=only"}), shown_);
  EXPECT_EQ(0u, filtered_);
}

TEST_F(FilteringIteratorTest, WhatIsRemovedBecomesATombstoneUntilNothingIsBelow) {
  const Entries entries = {{"a", 5, kTypeValue, "x"},
                           {"a", 4, kTypeValue, "old"},
                           {"n", 6, kTypeValue, "y"},
                           {"z", 7, kTypeValue, "keep"}};
  const auto remove = [](int, const Slice&, const Slice& value, std::string*) {
    return value == "keep" ? Decision::kKeep : Decision::kRemove;
  };
  EXPECT_EQ((Entries{{"a", 5, kTypeDeletion, ""}, {"n", 6, kTypeDeletion, ""}, entries[3]}),
            Run(entries, remove));
  EXPECT_EQ(2u, filtered_);
  EXPECT_FALSE(skipped_);
  EXPECT_EQ((Entries{{"n", 6, kTypeDeletion, ""}, entries[3]}),
            Run(entries, remove, {}, Make(1).get()))
      << "level 2 may hold n, but not a";
  EXPECT_EQ((Entries{{"z", 0, kTypeValue, "keep"}}), Run(entries, remove, {}, Make(2).get()));
  EXPECT_EQ((Entries{{"a", 5, kTypeSingleDeletion, ""}, {"n", 6, kTypeSingleDeletion, ""}}),
            Run({entries[0], entries[1], entries[2]}, Always(Decision::kPurge)));
}

TEST_F(FilteringIteratorTest, SnapshotsDoNotProtectTheNewestVersionButOlderOnes) {
  const Entries entries = {{"a", 5, kTypeValue, "x"}, {"a", 3, kTypeValue, "old"}};
  EXPECT_EQ((Entries{{"a", 5, kTypeDeletion, ""}, {"a", 3, kTypeValue, "old"}}),
            Run(entries, Always(Decision::kRemove), {4, 9}));
  EXPECT_EQ((Entries{{"a", 5, kTypeDeletion, ""}, {"a", 0, kTypeValue, "old"}}),
            Run(entries, Always(Decision::kRemove), {4, 9}, Make(2).get()));
  EXPECT_EQ(Entries{}, Run(entries, Always(Decision::kRemove), {5}, Make(2).get()));
}

TEST_F(FilteringIteratorTest, AChangedValueTakesThePlaceOfTheOld) {
  const Entries entries = {
      {"a", 5, kTypeValue, "x"}, {"a", 4, kTypeValue, "old"}, {"b", 6, kTypeValue, "y"}};
  const auto twice = [](int, const Slice&, const Slice& value, std::string* text) {
    *text = value.ToString() + value.ToString();
    return Decision::kChangeValue;
  };
  EXPECT_EQ((Entries{{"a", 5, kTypeValue, "xx"}, {"b", 6, kTypeValue, "yy"}}), Run(entries, twice));
  EXPECT_EQ((Entries{{"a", 0, kTypeValue, "xx"}, {"b", 0, kTypeValue, "yy"}}),
            Run(entries, twice, {}, Make(2).get()));
}

TEST_F(FilteringIteratorTest, SkippedKeysAreNeitherShownNorKept) {
  const Entries entries = {{"a", 9, kTypeValue, "x"}, {"b", 8, kTypeValue, "x"},
                           {"b", 3, kTypeValue, "x"}, {"c", 7, kTypeDeletion, ""},
                           {"d", 6, kTypeValue, "x"}, {"e", 5, kTypeValue, "x"}};
  const auto skip = [](const char* from, const char* to) {
    return [=](int, const Slice& key, const Slice&, std::string* text) {
      *text = to;
      return key == from ? Decision::kRemoveAndSkipUntil : Decision::kKeep;
    };
  };
  // A snapshot makes no difference.
  EXPECT_EQ((Entries{entries[0], entries[4], entries[5]}), Run(entries, skip("b", "d"), {3, 8}));
  EXPECT_EQ((std::vector<std::string>{"a=x", "b=x", "d=x", "e=x"}), shown_);
  EXPECT_TRUE(skipped_);
  EXPECT_EQ((Entries{entries[0]}), Run(entries, skip("b", "zzz")));
  EXPECT_EQ(Entries{}, Run(entries, skip("a", "zzz")));
  // Up to a key that is not there, and one after the other. A tombstone is never shown.
  EXPECT_EQ((Entries{entries[3], entries[5]}),
            Run(entries, [](int, const Slice& key, const Slice&, std::string* text) {
              *text = key.ToString() + "a";
              return key == "e" ? Decision::kKeep : Decision::kRemoveAndSkipUntil;
            }));
  // An empty range.
  for (const char* to : {"b", "a", ""}) {
    EXPECT_EQ((Entries{entries[0], entries[1], entries[3], entries[4], entries[5]}),
              Run(entries, skip("b", to)));
    EXPECT_FALSE(skipped_);
  }
  EXPECT_TRUE(status_.ok());
}

TEST_F(FilteringIteratorTest, MergeOperandsNewerThanAllSnapshotsAreShown) {
  const Entries entries = {{"a", 9, kTypeMerge, "+3"},
                           {"a", 8, kTypeMerge, "+2"},
                           {"a", 7, kTypeMerge, "+1"},
                           {"a", 6, kTypeValue, "base"}};
  const auto function = [](int, const Slice&, const Slice& value, std::string* text) {
    *text = "changed";
    return value == "+3" ? Decision::kRemove : Decision::kChangeValue;
  };
  EXPECT_EQ((Entries{{"a", 8, kTypeMerge, "changed"}, entries[2], entries[3]}),
            Run(entries, function, {7}));
  EXPECT_EQ((std::vector<std::string>{"a=+3", "a=+2"}), shown_);
  EXPECT_EQ(std::vector(2, CompactionFilter::kMergeOperand), types_);
}

TEST_F(FilteringIteratorTest, DecisionsThatAreNotForApplicationsEndIt) {
  for (const Decision decision :
       {Decision::kUndetermined, Decision::kChangeBlobIndex, Decision::kIOError}) {
    EXPECT_EQ(Entries{}, Run({{"a", 5, kTypeValue, "x"}}, Always(decision)));
    EXPECT_TRUE(status_.IsNotSupported()) << status_.ToString();
  }
}

// --- The jobs

class JobFilterTest : public ::testing::Test {
 protected:
  Status Flush(TableFileCreationReason reason = TableFileCreationReason::kFlush) {
    MemTable* const older = fixture_.Fill({{"a", 1, kTypeValue, "drop"}, {"b", 2, kTypeValue, ""}});
    MemTable* const newer = fixture_.Fill({{"c", 3, kTypeValue, ""}, {"d", 4, kTypeValue, "drop"}});
    FlushJob job(fixture_.env(), fixture_.cf_options(), {older, newer}, 1, "test", reason);
    FileMetaData meta;
    const Status s = job.Run(++flush_number_, &meta);
    older->Unref();
    newer->Unref();
    outputs_ = meta.file_size == 0 ? Entries() : fixture_.ReadTable(meta);
    return s;
  }
  Status Compact(uint32_t parts = 1) {
    const auto compaction = fixture_.CompactAll(0, 1, 4 << 10, parts);
    CompactionJob job(fixture_.env(), compaction.get());
    const Status s = job.Run();
    outputs_.clear();
    for (const auto& f : compaction->edit()->new_files()) {
      for (TestEntry& e : fixture_.ReadTable(f.meta)) outputs_.push_back(std::move(e));
    }
    return s;
  }
  static Decision Drop(int, const Slice&, const Slice& value, std::string*) {
    return value == "drop" ? Decision::kRemove : Decision::kKeep;
  }
  std::shared_ptr<FunctionFilterFactory> UseFactory(FunctionFilter::Function function) {
    auto factory = std::make_shared<FunctionFilterFactory>(std::move(function));
    fixture_.cf_options().compaction_filter_factory = factory;
    return factory;
  }

  JobFixture fixture_;
  uint64_t flush_number_ = 1000;
  Entries outputs_;
};

TEST_F(JobFilterTest, AFlushAsksTheFactoryAlone) {
  const FunctionFilter single([](int, const Slice&, const Slice&, std::string*) {
    ADD_FAILURE() << "the filter of compactions";
    return Decision::kRemove;
  });
  fixture_.cf_options().compaction_filter = &single;
  ASSERT_TRUE(Flush().ok());
  EXPECT_EQ(4u, outputs_.size());

  const auto factory = UseFactory(Drop);
  ASSERT_TRUE(Flush().ok());
  EXPECT_EQ(4u, outputs_.size());
  EXPECT_EQ(0u, factory->contexts().size());

  factory->filter_flushes = true;
  ASSERT_TRUE(Flush().ok());
  EXPECT_EQ((Entries{{"a", 1, kTypeDeletion, ""},
                     {"b", 2, kTypeValue, ""},
                     {"c", 3, kTypeValue, ""},
                     {"d", 4, kTypeDeletion, ""}}),
            outputs_);
  ASSERT_TRUE(Flush(TableFileCreationReason::kRecovery).ok());
  const auto contexts = factory->contexts();
  ASSERT_EQ(2u, contexts.size());
  EXPECT_EQ(TableFileCreationReason::kFlush, contexts[0].reason);
  EXPECT_EQ(TableFileCreationReason::kRecovery, contexts[1].reason);
  for (const CompactionFilter::Context& context : contexts) {
    EXPECT_FALSE(context.is_full_compaction);
    EXPECT_FALSE(context.is_manual_compaction);
    EXPECT_EQ(CompactionFilter::Context::kUnknownStartLevel, context.input_start_level);
    EXPECT_EQ(0u, context.column_family_id);
    EXPECT_TRUE(context.input_table_properties.empty());
  }
}

TEST_F(JobFilterTest, AFlushMaySkipKeysEvenAllOfThem) {
  std::string from = "b";
  const auto factory = UseFactory([&](int, const Slice& key, const Slice&, std::string* text) {
    *text = "d";
    if (from == "a") *text = "z";
    return key == from ? Decision::kRemoveAndSkipUntil : Decision::kKeep;
  });
  factory->filter_flushes = true;
  Status s = Flush();
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ((Entries{{"a", 1, kTypeValue, "drop"}, {"d", 4, kTypeValue, "drop"}}), outputs_);
  from = "a";
  s = Flush();
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_TRUE(outputs_.empty());
}

TEST_F(JobFilterTest, ACompactionSaysWhatItIs) {
  const auto factory = UseFactory(Drop);
  const FileMetaData deep = fixture_.AddFile(1, {{"a", 1, kTypeValue, "drop"}});
  const FileMetaData high =
      fixture_.AddFile(0, {{"b", 2, kTypeValue, "drop"}, {"c", 3, kTypeValue, "keep"}});
  ASSERT_TRUE(fixture_.versions().Build().ok());
  ASSERT_TRUE(Compact().ok());
  EXPECT_EQ((Entries{{"c", 0, kTypeValue, "keep"}}), outputs_);
  const auto contexts = factory->contexts();
  ASSERT_EQ(1u, contexts.size());
  const CompactionFilter::Context& context = contexts[0];
  EXPECT_TRUE(context.is_full_compaction);
  EXPECT_FALSE(context.is_manual_compaction);
  EXPECT_EQ(0, context.input_start_level);
  EXPECT_EQ(TableFileCreationReason::kCompaction, context.reason);
  ASSERT_EQ(2u, context.input_table_properties.size());
  for (const auto& [meta, entries] : {std::pair(deep, 1u), {high, 2u}}) {
    const auto found = context.input_table_properties.find(
        TableFileName(fixture_.env().paths, meta.number, meta.path_id));
    ASSERT_NE(context.input_table_properties.end(), found);
    EXPECT_EQ(entries, found->second->num_entries);
  }
}

TEST_F(JobFilterTest, EachPartHasAFilterOfItsOwn) {
  const auto factory = UseFactory(Drop);
  SequenceNumber sequence = 0;
  size_t kept = 0;
  for (int file = 0; file < 4; ++file) {
    Entries entries;
    for (int i = 0; i < 300; ++i) {
      const bool keep = i % 3 == 0;
      entries.push_back({"key" + std::to_string(1000 + i * 4 + file), ++sequence, kTypeValue,
                         keep ? "keep" + std::string(60, 'x') : "drop"});
      kept += keep;
    }
    fixture_.AddFile(0, entries);
  }
  ASSERT_TRUE(fixture_.versions().Build().ok());
  ASSERT_TRUE(Compact(/*parts=*/3).ok());
  EXPECT_EQ(3u, factory->contexts().size());
  EXPECT_EQ(kept, outputs_.size());

  // A skip ends with the part: the filters know nothing of each other.
  const auto skipping = UseFactory([](int, const Slice&, const Slice&, std::string* text) {
    *text = "z";
    return Decision::kRemoveAndSkipUntil;
  });
  ASSERT_TRUE(Compact(/*parts=*/3).ok());
  EXPECT_EQ(3u, skipping->contexts().size());
  EXPECT_TRUE(outputs_.empty());
}

TEST_F(JobFilterTest, AFilterThatHeedsSnapshotsIsRefused) {
  class Heeding : public CompactionFilterFactory {
   public:
    const char* Name() const override { return "Heeding"; }
    bool ShouldFilterTableFileCreation(TableFileCreationReason) const override { return true; }
    std::unique_ptr<CompactionFilter> CreateCompactionFilter(
        const CompactionFilter::Context&) override {
      auto filter = std::make_unique<FunctionFilter>(Drop);
      filter->ignore_snapshots = false;
      return filter;
    }
  };
  fixture_.AddFile(0, {{"b", 2, kTypeValue, "drop"}});
  ASSERT_TRUE(fixture_.versions().Build().ok());
  const std::vector<uint64_t> before = fixture_.TablesOnDisk();
  fixture_.cf_options().compaction_filter_factory = std::make_shared<Heeding>();
  EXPECT_TRUE(Flush().IsNotSupported());
  EXPECT_TRUE(Compact().IsNotSupported());
  FunctionFilter single(Drop);
  single.ignore_snapshots = false;
  fixture_.cf_options().compaction_filter = &single;
  EXPECT_TRUE(Compact().IsNotSupported());
  EXPECT_EQ(before, fixture_.TablesOnDisk());
}

}  // namespace
}  // namespace cairn
