// What the crash check concludes from a journal and from what it finds.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "crash/journal.h"
#include "crash/work.h"
#include "fs/file_util.h"
#include "rocksdb/file_system.h"

namespace cairn::crash {
namespace {

using Found = std::map<std::string, std::string>;

constexpr uint64_t kSeed = 8;
constexpr uint32_t kWriter = 2;

// What the keys hold after the writes that `starts` issued, up to `last`, but for `left_out`.
Found After(const std::vector<LifeStart>& starts, uint64_t last, uint64_t left_out = 0) {
  Contents contents;
  for (uint64_t n = 1; n <= last; ++n) {
    if (n == left_out) continue;
    Apply(ChangesOf(kSeed, kWriter, n), LifeOf(starts, n), n, &contents);
  }
  Found found;
  for (const auto& [key, version] : contents) found[key] = ValueOf(kSeed, kWriter, version);
  return found;
}

class MatchTest : public ::testing::Test {
 protected:
  bool MatchIs(const Found& found, uint64_t least, uint64_t most) {
    return Match(kSeed, kWriter, starts_, least, most, found, &matches_, &contents_, &difference_);
  }

  const std::vector<LifeStart> starts_ = {{1, 1}, {2, 60}};  // the second life begins with 60
  Matches matches_ = {};
  Contents contents_;
  std::string difference_;
};

TEST_F(MatchTest, FindsHowManyWritesAreThere) {
  for (uint64_t n = 40; n <= 90; ++n) {
    ASSERT_TRUE(MatchIs(After(starts_, n), 40, 100)) << n << difference_;
    EXPECT_LE(matches_.first, n);
    EXPECT_GE(matches_.last, n);
    EXPECT_LE(matches_.last, matches_.first + 3) << "writes that change nothing are rare";
  }
}

TEST_F(MatchTest, SeesThatAPromisedWriteIsLost) {
  // Whether the last one changes anything depends on its number: the states differ.
  ASSERT_NE(After(starts_, 70), After(starts_, 74));
  EXPECT_FALSE(MatchIs(After(starts_, 70), 74, 100));
  EXPECT_NE("", difference_);
}

TEST_F(MatchTest, SeesAHole) {
  // One write in the middle is missing: of each that leaves a trace it is seen.
  int seen = 0;
  for (uint64_t n = 70; n < 80; ++n) {
    const Found found = After(starts_, 80, n);
    if (found == After(starts_, 80)) continue;
    EXPECT_FALSE(MatchIs(found, 40, 100)) << n;
    ++seen;
  }
  EXPECT_GT(seen, 3);
}

TEST_F(MatchTest, SeesAValueOfALostLife) {
  // What the first life wrote as number 60 was lost; the second one wrote it anew.
  EXPECT_FALSE(MatchIs(After({{1, 1}}, 80), 40, 100));
}

class JournalTest : public ::testing::Test {
 protected:
  Promises Read(const std::string& text, bool power) {
    const std::string path = ::testing::TempDir() + "cairn_crash_journal_" + GenerateDbSessionId();
    EXPECT_TRUE(WriteStringToFile(FileSystem::Default().get(), text, path, false).ok());
    const Promises promises = ReadJournal(path, {10, 20}, power);
    EXPECT_TRUE(FileSystem::Default()->DeleteFile(path, IOOptions(), nullptr).ok());
    return promises;
  }
  static std::vector<uint64_t> Numbers(uint64_t a, uint64_t b) { return {a, b}; }
};

TEST_F(JournalTest, AnAcknowledgementPromisesWhatItsDurabilityDoes) {
  const std::string text = "b 0 11\na 0 11 o\nb 1 21\na 1 21 n\nb 0 12\n";
  EXPECT_EQ(Numbers(11, 20), Read(text, /*power=*/false).least);
  EXPECT_EQ(Numbers(10, 20), Read(text, /*power=*/true).least);
  EXPECT_EQ(Numbers(12, 21), Read(text, /*power=*/true).most);
  EXPECT_EQ(Numbers(11, 21), Read(text, /*power=*/true).acknowledged);
}

TEST_F(JournalTest, ASyncedWritePromisesWhatWasAcknowledgedBeforeItBegan) {
  const std::string text = "b 0 11\na 0 11 n\nb 1 21\nb 0 12\na 0 12 n\na 1 21 s\n";
  EXPECT_EQ(Numbers(11, 21), Read(text, /*power=*/true).least) << "12 came too late";
}

TEST_F(JournalTest, SoDoesAnOperationWhenItHasEnded) {
  const std::string begun = "b 0 11\na 0 11 n\nB 1\nb 0 12\na 0 12 n\n";
  EXPECT_EQ(Numbers(10, 20), Read(begun, /*power=*/true).least);
  EXPECT_EQ(Numbers(11, 20), Read(begun + "D 1 s\n", /*power=*/true).least);
  EXPECT_EQ(Numbers(10, 20), Read(begun + "D 1 o\n", /*power=*/true).least);
  EXPECT_EQ(Numbers(11, 20), Read(begun + "D 1 o\n", /*power=*/false).least);
}

TEST_F(JournalTest, SyncsPromiseNothingOnceTheyAreDistrusted) {
  const std::string text = "b 0 11\na 0 11 s\nX\nb 0 12\na 0 12 s\nb 1 21\na 1 21 o\n";
  EXPECT_EQ(Numbers(11, 20), Read(text, /*power=*/true).least);
  EXPECT_EQ(Numbers(12, 21), Read(text, /*power=*/false).least);
}

TEST_F(JournalTest, ALineThatWasCutShortSaysNothing) {
  EXPECT_EQ(Numbers(10, 20), Read("b 0 11\na 0 11 o", /*power=*/false).least);
}

}  // namespace
}  // namespace cairn::crash
