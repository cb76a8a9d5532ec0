#include "repair/table_places.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "base/random.h"
#include "manifest/testing/version_fixture.h"

namespace cairn {
namespace {

// Tables as what they hold: the sequence numbers of their keys.
class TablePlacesTest : public ::testing::Test {
 protected:
  using Contents = std::multimap<std::string, SequenceNumber>;

  void Add(const Contents& contents) {
    FileMetaData meta =
        MakeFile(files_.size() + 1, contents.begin()->first, contents.rbegin()->first);
    meta.smallest_seqno = kMaxSequenceNumber;
    meta.largest_seqno = 0;
    for (const auto& [key, sequence] : contents) {
      meta.smallest_seqno = std::min(meta.smallest_seqno, sequence);
      meta.largest_seqno = std::max(meta.largest_seqno, sequence);
    }
    contents_.push_back(contents);
    files_.push_back(meta);
  }

  void Place(int num_levels = 7) {
    std::vector<const FileMetaData*> tables;
    for (const FileMetaData& file : files_) tables.push_back(&file);
    const auto relate = [this](size_t first, size_t second, TableRelation* relation) {
      ++related_;
      for (const auto& [key, sequence] : contents_[first]) {
        const auto [begin, end] = contents_[second].equal_range(key);
        for (auto it = begin; it != end; ++it) {
          relation->first_is_newer |= sequence > it->second;
          relation->second_is_newer |= sequence < it->second;
        }
      }
      return Status::OK();
    };
    const Status s = PlaceTables(icmp_, tables, num_levels, relate, &places_);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }

  // Whoever asks the levels from the top on, and level 0 by sequence numbers, finds the newest
  // version of each key first; no two tables of a deeper level overlap; level 0 is not nested.
  void CheckPlaces() {
    ASSERT_TRUE(places_.conflict.empty());
    ASSERT_EQ(places_.order.size(), files_.size());
    ASSERT_EQ(std::set<size_t>(places_.order.begin(), places_.order.end()).size(), files_.size());
    std::map<int, std::vector<size_t>> levels;
    for (const size_t table : places_.order) levels[places_.levels[table]].push_back(table);
    std::sort(levels[0].begin(), levels[0].end(),
              [this](size_t a, size_t b) { return NewestFirstBySequence(&files_[a], &files_[b]); });
    std::vector<size_t> walk;
    for (const auto& [level, tables] : levels)
      walk.insert(walk.end(), tables.begin(), tables.end());
    std::map<std::string, SequenceNumber> oldest;
    for (const size_t table : walk) {
      for (const auto& [key, sequence] : contents_[table]) {
        EXPECT_TRUE(!oldest.contains(key) || sequence <= oldest[key]) << key;
      }
      for (const auto& [key, sequence] : contents_[table]) {
        oldest[key] = oldest.contains(key) ? std::min(oldest[key], sequence) : sequence;
      }
    }
    for (size_t a = 0; a < files_.size(); ++a) {
      for (size_t b = 0; b < files_.size(); ++b) {
        if (a == b || places_.levels[a] == 0 || places_.levels[a] != places_.levels[b]) continue;
        EXPECT_FALSE(files_[a].smallest.user_key().compare(files_[b].largest.user_key()) <= 0 &&
                     files_[b].smallest.user_key().compare(files_[a].largest.user_key()) <= 0);
      }
    }
    SequenceNumber least = kMaxSequenceNumber;
    for (const size_t table : walk) {
      if (places_.levels[table] != 0) continue;
      const FileMetaData& file = files_[table];
      if (file.smallest_seqno != file.largest_seqno) {
        EXPECT_GT(least, file.smallest_seqno);
      }
      least = std::min(least, file.smallest_seqno);
    }
  }

  const InternalKeyComparator icmp_{BytewiseComparator()};
  std::vector<Contents> contents_;
  std::vector<FileMetaData> files_;
  TablePlaces places_;
  int related_ = 0;
};

TEST_F(TablePlacesTest, NoneHaveNoPlaces) {
  Place();
  EXPECT_TRUE(places_.order.empty());
}

TEST_F(TablePlacesTest, WhatWasFlushedStaysOnLevelZeroAndIsNotRead) {
  Add({{"a", 1}, {"m", 2}, {"z", 3}});
  Add({{"a", 9}, {"z", 7}});
  Add({{"m", 5}});
  Place();
  CheckPlaces();
  EXPECT_EQ(places_.order, (std::vector<size_t>{1, 2, 0}));
  EXPECT_EQ(places_.levels, (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(related_, 0);
}

TEST_F(TablePlacesTest, OutputsOfOneCompactionGetALevel) {
  Add({{"a", 1}, {"c", 8}});
  Add({{"d", 0}, {"f", 9}});
  Add({{"g", 2}, {"i", 7}});
  Place();
  CheckPlaces();
  EXPECT_EQ(places_.levels, (std::vector<int>{6, 6, 6}));
}

TEST_F(TablePlacesTest, OneWithAGreaterNumberMayBeTheOlderOne) {
  Add({{"k", 50}, {"x", 100}});
  Add({{"k", 60}, {"l", 61}});
  Place();
  CheckPlaces();
  EXPECT_EQ(places_.order, (std::vector<size_t>{1, 0}));
  EXPECT_EQ(places_.levels, (std::vector<int>{6, 5}));
}

TEST_F(TablePlacesTest, WhatHasNoOrderIsNamed) {
  Add({{"a", 1}});
  Add({{"k", 50}, {"x", 100}});
  Add({{"k", 60}, {"x", 90}});
  Place();
  EXPECT_EQ(std::set<size_t>(places_.conflict.begin(), places_.conflict.end()),
            (std::set<size_t>{1, 2}));
}

TEST_F(TablePlacesTest, ACircleIsNamed) {
  Add({{"a", 20}, {"b", 10}});
  Add({{"b", 21}, {"c", 11}});
  Add({{"c", 22}, {"a", 12}});
  Add({{"a", 1}, {"z", 1}});
  Place();
  EXPECT_EQ(std::set<size_t>(places_.conflict.begin(), places_.conflict.end()),
            (std::set<size_t>{0, 1, 2}));
}

TEST_F(TablePlacesTest, WithoutLevelsToGoToWhatIsNestedIsNamed) {
  Add({{"a", 1}, {"c", 8}});
  Add({{"d", 2}, {"f", 7}});
  Place(/*num_levels=*/1);
  EXPECT_EQ(places_.conflict.size(), 2u);
}

// The table between them may go to another level, and then they are neighbours.
TEST_F(TablePlacesTest, OneWithASingleNumberDoesNotPartNestedOnes) {
  Add({{"a", 10}, {"c", 20}});
  Add({{"m", 18}});
  Add({{"x", 12}, {"z", 16}});
  Place();
  CheckPlaces();
  EXPECT_EQ(places_.levels, (std::vector<int>{6, 6, 6}));
  Place(/*num_levels=*/1);
  EXPECT_EQ(places_.conflict.size(), 3u);
}

// As a file from outside may be, or the table of one write.
TEST_F(TablePlacesTest, OneWithASingleNumberMayBeEnclosed) {
  Add({{"a", 10}, {"c", 20}});
  Add({{"m", 18}});
  Add({{"x", 8}, {"z", 9}});
  Place();
  CheckPlaces();
  EXPECT_EQ(places_.levels, (std::vector<int>{0, 0, 0}));
}

TEST_F(TablePlacesTest, AnyTreeIsOrderedAgain) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random64 random(seed);
    contents_.clear();
    files_.clear();
    // A tree that grows: writes, flushes, and compactions of one level into the next.
    std::vector<std::vector<Contents>> levels(5);
    SequenceNumber sequence = 1;
    for (uint64_t step = random.Uniform(25) + 1; step > 0; --step) {
      Contents flushed;
      for (uint64_t i = 1 + random.Uniform(8); i > 0; --i) {
        flushed.emplace(std::string(1, static_cast<char>('a' + random.Uniform(26))), sequence++);
      }
      levels[0].push_back(flushed);
      for (size_t level = 0; level + 1 < levels.size(); ++level) {
        if (levels[level].empty() || !random.OneIn(2 + static_cast<int>(level))) continue;
        // All of level 0, or one table; and what it overlaps below.
        std::vector<Contents> inputs;
        if (level == 0) {
          inputs.swap(levels[0]);
        } else {
          inputs.push_back(levels[level].back());
          levels[level].pop_back();
        }
        std::string least = "~", greatest;
        for (const Contents& input : inputs) {
          least = std::min(least, input.begin()->first);
          greatest = std::max(greatest, input.rbegin()->first);
        }
        auto& below = levels[level + 1];
        for (auto it = below.begin(); it != below.end();) {
          if (it->rbegin()->first < least || it->begin()->first > greatest) {
            ++it;
            continue;
          }
          inputs.push_back(*it);
          it = below.erase(it);
        }
        std::map<std::string, SequenceNumber> merged;
        for (const Contents& input : inputs) {
          for (const auto& [key, number] : input) merged[key] = std::max(merged[key], number);
        }
        Contents output;
        for (const auto& [key, number] : merged) {
          output.emplace(key, level + 2 == levels.size() && random.OneIn(2) ? 0 : number);
          if (output.size() == 4) below.push_back(std::exchange(output, {}));
        }
        if (!output.empty()) below.push_back(output);
      }
    }
    for (const auto& level : levels) {
      for (const Contents& table : level) Add(table);
    }
    Place();
    if (places_.conflict.empty()) CheckPlaces();
    // Seven levels take what five had, but for what many flushes left on level 0.
    EXPECT_TRUE(places_.conflict.empty());
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace cairn
