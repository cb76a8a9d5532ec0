#include "compaction/compaction_iterator.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "base/builtin_merge_operator.h"
#include "base/random.h"
#include "compaction/testing/job_fixture.h"
#include "read/testing/vector_iterator.h"

namespace cairn {
namespace {

class CompactionIteratorTest : public ::testing::Test {
 protected:
  CompactionIteratorTest() {
    // Whatever is compacted here comes from level 0 and goes to level 1. Keys from "m" to "p" may
    // exist deeper.
    versions_.Add(0, 10, "a", "z").Add(2, 5, "m", "p");
    EXPECT_TRUE(versions_.Build().ok());
  }

  std::unique_ptr<Compaction> Make(int output_level) {
    Compaction::Params params;
    params.version = versions_.version();
    params.inputs.push_back({0, params.version->files(0)});
    params.output_level = output_level;
    params.target_output_file_size = params.max_compaction_bytes = 1 << 20;
    return std::make_unique<Compaction>(&picker_, versions_.options(), std::move(params));
  }
  // Level 2 holds nothing deeper than itself.
  std::unique_ptr<Compaction> Bottommost() { return Make(2); }
  std::unique_ptr<Compaction> Middle() { return Make(1); }

  static std::string Key(const TestEntry& e) {
    std::string key;
    AppendInternalKey(&key, ParsedInternalKey(e.key, e.sequence, e.type));
    return key;
  }

  std::vector<TestEntry> Run(const std::vector<TestEntry>& entries,
                             std::vector<SequenceNumber> snapshots, const Compaction* compaction) {
    VectorIterator::Entries input;
    for (const TestEntry& e : entries) input.emplace_back(Key(e), e.value);
    VectorIterator source(versions_.icmp(), std::move(input));
    CompactionIterator it(&source, &versions_.icmp(), std::move(snapshots), compaction);
    it.SetMergeOperator(merge_operator_.get());
    std::vector<TestEntry> kept;
    for (it.Start(); it.Valid(); it.Next()) {
      ParsedInternalKey parsed;
      EXPECT_TRUE(ParseInternalKey(it.key(), &parsed).ok());
      EXPECT_EQ(parsed.user_key, it.parsed().user_key);
      EXPECT_EQ(parsed.sequence, it.parsed().sequence);
      kept.push_back(
          {parsed.user_key.ToString(), parsed.sequence, parsed.type, it.value().ToString()});
    }
    if (!may_fail_) {
      EXPECT_TRUE(it.status().ok()) << it.status().ToString();
      EXPECT_EQ(entries.size(), it.records_in());
      EXPECT_EQ(entries.size() - kept.size(), it.records_dropped());
    }
    status_ = it.status();
    return kept;
  }

  using Entries = std::vector<TestEntry>;
  std::shared_ptr<MergeOperator> merge_operator_;  // null: none
  bool may_fail_ = false;
  Status status_;
  DBOptions db_options_;
  VersionFixture versions_;
  LeveledPicker picker_{&db_options_, &versions_.icmp()};
};

TEST_F(CompactionIteratorTest, AFlushKeepsTheNewestVersionAndEveryTombstone) {
  EXPECT_EQ((Entries{{"a", 5, kTypeValue, "new"}, {"b", 6, kTypeDeletion, ""}}),
            Run({{"a", 5, kTypeValue, "new"},
                 {"a", 3, kTypeValue, "old"},
                 {"a", 2, kTypeDeletion, ""},
                 {"b", 6, kTypeDeletion, ""},
                 {"b", 4, kTypeValue, "gone"}},
                {}, nullptr));
}

TEST_F(CompactionIteratorTest, ASnapshotKeepsTheVersionThatItSees) {
  const Entries entries = {{"a", 9, kTypeValue, "9"},
                           {"a", 7, kTypeValue, "7"},
                           {"a", 5, kTypeValue, "5"},
                           {"a", 3, kTypeValue, "3"},
                           {"a", 1, kTypeValue, "1"}};
  EXPECT_EQ((Entries{entries[0], entries[2]}), Run(entries, {5}, nullptr));
  EXPECT_EQ((Entries{entries[0], entries[2]}), Run(entries, {6}, nullptr));
  EXPECT_EQ((Entries{entries[0], entries[1], entries[3]}), Run(entries, {4, 8}, nullptr));
  EXPECT_EQ((Entries{entries[0]}), Run(entries, {9}, nullptr));
  EXPECT_EQ((Entries{entries[0]}), Run(entries, {0}, nullptr)) << "sees none of them";
  EXPECT_EQ(entries, Run(entries, {1, 3, 5, 7, 9}, nullptr));
}

TEST_F(CompactionIteratorTest, TombstonesGoWhereNothingDeeperCanHoldTheKey) {
  const Entries entries = {{"a", 5, kTypeDeletion, ""},       {"a", 4, kTypeValue, "x"},
                           {"n", 6, kTypeDeletion, ""},       {"n", 3, kTypeValue, "y"},
                           {"q", 7, kTypeSingleDeletion, ""}, {"q", 2, kTypeValue, "z"}};
  EXPECT_EQ((Entries{entries[2]}), Run(entries, {}, Middle().get()))
      << "level 2 may hold n, so its tombstone stays";
  EXPECT_EQ(Entries{}, Run(entries, {}, Bottommost().get()));
}

TEST_F(CompactionIteratorTest, ATombstoneThatASnapshotNeedsStays) {
  const Entries entries = {{"a", 5, kTypeDeletion, ""}, {"a", 3, kTypeValue, "x"}};
  // The snapshot sees the value; the tombstone hides it from the present.
  EXPECT_EQ((Entries{{"a", 5, kTypeDeletion, ""}, {"a", 0, kTypeValue, "x"}}),
            Run(entries, {4}, Bottommost().get()));
  EXPECT_EQ(Entries{}, Run(entries, {5}, Bottommost().get()));
}

TEST_F(CompactionIteratorTest, SequenceNumbersBecomeZeroAtTheBottomOnly) {
  const Entries entries = {{"a", 5, kTypeValue, "x"}, {"b", 9, kTypeValue, "y"}};
  EXPECT_EQ((Entries{{"a", 0, kTypeValue, "x"}, {"b", 0, kTypeValue, "y"}}),
            Run(entries, {}, Bottommost().get()));
  EXPECT_EQ(entries, Run(entries, {}, Middle().get()));
  EXPECT_EQ(entries, Run(entries, {}, nullptr));
  EXPECT_EQ((Entries{{"a", 0, kTypeValue, "x"}, {"b", 9, kTypeValue, "y"}}),
            Run(entries, {7}, Bottommost().get()))
      << "a snapshot at 7 must not see b";
}

TEST_F(CompactionIteratorTest, MergeOperandsBecomeAValueWhereTheirBaseIsKnown) {
  merge_operator_ = BuiltinMergeOperator("stringappend");
  const Entries entries = {
      {"a", 9, kTypeMerge, "2"},      {"a", 8, kTypeMerge, "1"}, {"a", 7, kTypeValue, "base"},
      {"a", 6, kTypeMerge, "hidden"}, {"b", 5, kTypeMerge, "1"}, {"b", 4, kTypeDeletion, ""},
      {"b", 3, kTypeValue, "hidden"}, {"c", 2, kTypeMerge, "2"}, {"c", 1, kTypeMerge, "1"}};
  EXPECT_EQ((Entries{{"a", 9, kTypeValue, "base,1,2"},
                     {"b", 5, kTypeValue, "1"},
                     {"c", 2, kTypeMerge, "1,2"}}),
            Run(entries, {}, nullptr))
      << "what c stands on may be in a file";
  EXPECT_EQ((Entries{{"a", 0, kTypeValue, "base,1,2"},
                     {"b", 0, kTypeValue, "1"},
                     {"c", 0, kTypeValue, "1,2"}}),
            Run(entries, {}, Bottommost().get()));
  const Entries deeper = {{"n", 2, kTypeMerge, "2"}, {"q", 1, kTypeMerge, "1"}};
  EXPECT_EQ((Entries{{"n", 2, kTypeMerge, "2"}, {"q", 1, kTypeValue, "1"}}),
            Run(deeper, {}, Middle().get()))
      << "n may be in level 2";
}

TEST_F(CompactionIteratorTest, MergeOperandsOfTwoSnapshotsStayApart) {
  merge_operator_ = BuiltinMergeOperator("stringappend");
  const Entries entries = {{"a", 9, kTypeMerge, "4"}, {"a", 8, kTypeMerge, "3"},
                           {"a", 7, kTypeMerge, "2"}, {"a", 6, kTypeMerge, "1"},
                           {"a", 5, kTypeValue, "v"}, {"b", 4, kTypeValue, "w"}};
  EXPECT_EQ((Entries{{"a", 9, kTypeMerge, "3,4"},
                     {"a", 7, kTypeMerge, "1,2"},
                     {"a", 0, kTypeValue, "v"},
                     {"b", 0, kTypeValue, "w"}}),
            Run(entries, {5, 7}, Bottommost().get()));
  merge_operator_ = BuiltinMergeOperator("stringappendtest");  // never makes one operand of two
  EXPECT_EQ(
      (Entries{entries[0], entries[1], {"a", 0, kTypeValue, "v,1,2"}, {"b", 0, kTypeValue, "w"}}),
      Run(entries, {7}, Bottommost().get()));
}

// Fails, and says what that means.
class Failing : public MergeOperator {
 public:
  explicit Failing(OpFailureScope scope) : scope_(scope) {}
  const char* Name() const override { return "Failing"; }
  bool FullMergeV2(const MergeOperationInput&, MergeOperationOutput* out) const override {
    out->op_failure_scope = scope_;
    return false;
  }

 private:
  const OpFailureScope scope_;
};

TEST_F(CompactionIteratorTest, AFailedMergeLosesNothing) {
  const Entries entries = {{"a", 9, kTypeMerge, "2"},
                           {"a", 8, kTypeMerge, "1"},
                           {"a", 7, kTypeValue, "base"},
                           {"b", 6, kTypeValue, "x"}};
  merge_operator_ = std::make_shared<Failing>(MergeOperator::OpFailureScope::kMustMerge);
  EXPECT_EQ(entries, Run(entries, {}, Middle().get())) << "left to the readers";
  may_fail_ = true;
  merge_operator_ = std::make_shared<Failing>(MergeOperator::OpFailureScope::kDefault);
  EXPECT_EQ(Entries{}, Run(entries, {}, Middle().get()));
  EXPECT_TRUE(status_.IsCorruption()) << status_.ToString();
}

TEST_F(CompactionIteratorTest, WithoutAnOperatorMergeOperandsAndTheirBaseStay) {
  const Entries entries = {{"a", 9, kTypeMerge, "+2"},
                           {"a", 8, kTypeMerge, "+1"},
                           {"a", 7, kTypeValue, "base"},
                           {"a", 6, kTypeMerge, "hidden"},
                           {"a", 5, kTypeValue, "hidden"}};
  EXPECT_EQ((Entries{entries[0], entries[1], entries[2]}), Run(entries, {}, nullptr));
}

TEST_F(CompactionIteratorTest, BrokenInputsEndIt) {
  const auto run = [&](std::vector<std::string> keys, std::optional<size_t> fail_at = {}) {
    VectorIterator::Entries entries;
    for (const std::string& key : keys) entries.emplace_back(key, "v");
    class Unsorted : public InternalIterator {
     public:
      Unsorted(VectorIterator::Entries e, std::optional<size_t> f)
          : entries(std::move(e)), fail(f) {}
      bool Valid() const override { return at < entries.size() && at != fail; }
      void SeekToFirst() override { at = 0; }
      void SeekToLast() override {}
      void Seek(const Slice&) override {}
      void SeekForPrev(const Slice&) override {}
      void Next() override { ++at; }
      void Prev() override {}
      Slice key() const override { return entries[at].first; }
      Slice value() const override { return entries[at].second; }
      Status status() const override {
        return at == fail ? Status::IOError("injected") : Status::OK();
      }
      VectorIterator::Entries entries;
      std::optional<size_t> fail;
      size_t at = 0;
    } source(std::move(entries), fail_at);
    CompactionIterator it(&source, &versions_.icmp(), {}, nullptr);
    it.Start();
    while (it.Valid()) it.Next();
    return it.status();
  };
  const std::string a5 = Key({"a", 5, kTypeValue, ""});
  const std::string a6 = Key({"a", 6, kTypeValue, ""});
  const std::string b5 = Key({"b", 5, kTypeValue, ""});
  EXPECT_TRUE(run({a5, b5}).ok());
  EXPECT_TRUE(run({"short"}).IsCorruption());
  EXPECT_TRUE(run({b5, a5}).IsCorruption());
  EXPECT_TRUE(run({a5, a6}).IsCorruption());
  EXPECT_TRUE(run({a5, std::string("bbbbbbbb\x7e")}).IsCorruption());
  EXPECT_TRUE(run({a5, b5}, 1).IsIOError());
  EXPECT_TRUE(run({Key({"a", 5, kTypeBlobIndex, ""})}).ok()) << "it is not looked at";
  EXPECT_TRUE(run({Key({"a", 5, kTypeRangeDeletion, ""})}).IsNotSupported());
}

// What a reader at `sequence` finds: the entries, and under them what the deeper levels hold.
std::optional<std::string> Look(const std::vector<TestEntry>& entries, const std::string& key,
                                SequenceNumber sequence) {
  const TestEntry* newest = nullptr;
  for (const TestEntry& e : entries) {
    if (e.key == key && e.sequence <= sequence &&
        (newest == nullptr || e.sequence > newest->sequence)) {
      newest = &e;
    }
  }
  if (newest == nullptr) return key >= "m" && key <= "p" ? std::optional("deeper") : std::nullopt;
  return newest->type == kTypeValue ? std::optional(newest->value) : std::nullopt;
}

TEST_F(CompactionIteratorTest, NoReaderSeesADifference) {
  const uint64_t seed = 20261121;
  Random64 rng(seed);
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed) + " round " + std::to_string(round));
    Entries entries;
    const size_t n = rng.Uniform(30) + 1;
    for (SequenceNumber sequence = 1; sequence <= n; ++sequence) {
      const ValueType type = rng.OneIn(3)   ? kTypeDeletion
                             : rng.OneIn(8) ? kTypeSingleDeletion
                                            : kTypeValue;
      const std::string key(1, "abcmnopqz"[rng.Uniform(9)]);
      entries.push_back({key, sequence, type, type == kTypeValue ? std::to_string(sequence) : ""});
    }
    std::set<SequenceNumber> snapshots;
    for (size_t i = rng.Uniform(4); i > 0; --i) snapshots.insert(rng.Uniform(n + 2));
    // To the bottom only what the deepest level holds itself is among the inputs.
    const uint64_t where = rng.Uniform(3);
    if (where == 2) {
      for (const char* key : {"m", "n", "o", "p"})
        entries.push_back({key, 0, kTypeValue, "deeper"});
    }
    const std::unique_ptr<Compaction> compaction = where == 0   ? nullptr
                                                   : where == 1 ? Middle()
                                                                : Bottommost();
    const Entries kept = Run(entries, {snapshots.begin(), snapshots.end()}, compaction.get());
    ASSERT_LE(kept.size(), entries.size());

    std::vector<SequenceNumber> readers(snapshots.begin(), snapshots.end());
    readers.push_back(kMaxSequenceNumber);
    for (const SequenceNumber reader : readers) {
      for (const char c : std::string("abcmnopqz")) {
        const std::string key(1, c);
        std::optional<std::string> expected = Look(entries, key, reader);
        std::optional<std::string> got = Look(kept, key, reader);
        if (where == 2) {
          // Nothing deeper is left to look at.
          const auto none = [&](const Entries& in) {
            return std::none_of(in.begin(), in.end(), [&](const TestEntry& e) {
              return e.key == key && e.sequence <= reader;
            });
          };
          if (none(kept)) got = std::nullopt;
        }
        ASSERT_EQ(expected, got) << key << " at " << reader;
      }
    }
    if (snapshots.empty()) {
      std::set<std::string> keys;
      for (const TestEntry& e : kept) {
        ASSERT_TRUE(keys.insert(e.key).second) << "two versions of " << e.key;
        if (where == 2) {
          ASSERT_EQ(kTypeValue, e.type);
          ASSERT_EQ(0u, e.sequence);
        }
      }
    }
  }
}

}  // namespace
}  // namespace cairn
