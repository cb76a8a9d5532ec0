// Snapshots with a timestamp: made by a commit at its own moment, or apart from one; found by their
// timestamps; alive until they are released.
#include <atomic>

#include "transaction_fixture.h"

namespace conformance {
namespace {

using Shared = std::shared_ptr<const Snapshot>;

class TimestampedSnapshots : public TransactionTest {
 protected:
  TimestampedSnapshots() { options_.disable_auto_compactions = true; }

  // What `key` has at the snapshot.
  std::string ReadAt(const Shared& snapshot, const std::string& key) {
    return snapshot == nullptr ? "no snapshot" : Get(key, snapshot.get());
  }
  // Commits key -> value, with a snapshot at `timestamp`.
  Shared CommitAt(TxnTimestamp timestamp, const std::string& key, const std::string& value) {
    Txn txn = Begin();
    EXPECT_OK(txn->Put(key, value));
    Shared snapshot;
    EXPECT_OK(txn->CommitAndTryCreateSnapshot(nullptr, timestamp, &snapshot));
    return snapshot;
  }
  std::vector<TxnTimestamp> All() {
    std::vector<Shared> snapshots;
    EXPECT_OK(txn_db_->GetAllTimestampedSnapshots(snapshots));
    return TimestampsOf(snapshots);
  }
  std::vector<TxnTimestamp> Between(TxnTimestamp from, TxnTimestamp to) {
    std::vector<Shared> snapshots;
    EXPECT_OK(txn_db_->GetTimestampedSnapshots(from, to, snapshots));
    return TimestampsOf(snapshots);
  }
  static std::vector<TxnTimestamp> TimestampsOf(const std::vector<Shared>& snapshots) {
    std::vector<TxnTimestamp> timestamps;
    for (const Shared& snapshot : snapshots) timestamps.push_back(snapshot->GetTimestamp());
    return timestamps;
  }
  uint64_t Live() {
    uint64_t count = 0;
    EXPECT_TRUE(db_->GetIntProperty("rocksdb.num-snapshots", &count));
    return count;
  }
};

using Timestamps = std::vector<TxnTimestamp>;

class Hears : public TransactionNotifier {
 public:
  void SnapshotCreated(const Snapshot* snapshot) override {
    ++count;
    timestamp = snapshot->GetTimestamp();
  }
  int count = 0;
  TxnTimestamp timestamp = 0;
};

TEST_P(TimestampedSnapshots, ThereAreNoneAtFirst) {
  EXPECT_EQ(nullptr, txn_db_->GetLatestTimestampedSnapshot());
  EXPECT_EQ(nullptr, txn_db_->GetTimestampedSnapshot(5));
  EXPECT_EQ(Timestamps(), All());
  txn_db_->ReleaseTimestampedSnapshotsOlderThan(kMaxTxnTimestamp);
}

TEST_P(TimestampedSnapshots, OthersHaveNoTimestamp) {
  const Snapshot* const snapshot = db_->GetSnapshot();
  EXPECT_EQ(kMaxTxnTimestamp, snapshot->GetTimestamp());
  db_->ReleaseSnapshot(snapshot);
  Txn txn = BeginWithSnapshot();
  ASSERT_NE(nullptr, txn->GetTimestampedSnapshot());
  EXPECT_EQ(txn->GetSnapshot(), txn->GetTimestampedSnapshot().get());
  EXPECT_EQ(kMaxTxnTimestamp, txn->GetTimestampedSnapshot()->GetTimestamp());
}

TEST_P(TimestampedSnapshots, ACommitTakesOneAtItsMoment) {
  const Shared first = CommitAt(10, "a", "1");
  const Shared second = CommitAt(20, "a", "2");
  Put("a", "3");
  ASSERT_NE(nullptr, first);
  ASSERT_NE(nullptr, second);
  EXPECT_EQ(10u, first->GetTimestamp());
  EXPECT_EQ(20u, second->GetTimestamp());
  EXPECT_LT(first->GetSequenceNumber(), second->GetSequenceNumber());
  EXPECT_EQ("1", ReadAt(first, "a"));
  EXPECT_EQ("2", ReadAt(second, "a"));
  EXPECT_OK(db_->Flush(FlushOptions()));
  EXPECT_OK(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  EXPECT_EQ("1", ReadAt(first, "a"));
  EXPECT_EQ("2", ReadAt(second, "a"));
}

TEST_P(TimestampedSnapshots, OfACommitWithoutWrites) {
  Put("a", "1");
  Txn txn = Begin();
  Shared snapshot;
  ASSERT_OK(txn->CommitAndTryCreateSnapshot(nullptr, 7, &snapshot));
  Put("a", "2");
  EXPECT_EQ("1", ReadAt(snapshot, "a"));
}

TEST_P(TimestampedSnapshots, TheTransactionHasIt) {
  Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->CommitAndTryCreateSnapshot(nullptr, 10));
  ASSERT_NE(nullptr, txn->GetTimestampedSnapshot());
  EXPECT_EQ(10u, txn->GetTimestampedSnapshot()->GetTimestamp());
  EXPECT_EQ(txn->GetTimestampedSnapshot(), txn_db_->GetTimestampedSnapshot(10));
  EXPECT_EQ(txn->GetSnapshot(), txn->GetTimestampedSnapshot().get());
}

TEST_P(TimestampedSnapshots, TheNotifierHears) {
  auto hears = std::make_shared<Hears>();
  Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->CommitAndTryCreateSnapshot(hears, 10));
  EXPECT_EQ(1, hears->count);
  EXPECT_EQ(10u, hears->timestamp);
}

TEST_P(TimestampedSnapshots, TheTimestampMayHaveBeenSetBefore) {
  Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->SetCommitTimestamp(30));
  Shared snapshot;
  EXPECT_TRUE(txn->CommitAndTryCreateSnapshot(nullptr, 31, &snapshot).IsInvalidArgument());
  EXPECT_EQ(nullptr, snapshot);
  ASSERT_OK(txn->CommitAndTryCreateSnapshot(nullptr, 30, &snapshot));
  ASSERT_NE(nullptr, snapshot);
  EXPECT_EQ(30u, snapshot->GetTimestamp());
  txn = Begin();
  ASSERT_OK(txn->Put("a", "2"));
  ASSERT_OK(txn->SetCommitTimestamp(40));
  ASSERT_OK(txn->CommitAndTryCreateSnapshot());
  EXPECT_EQ((Timestamps{30, 40}), All());
}

TEST_P(TimestampedSnapshots, OneIsNeeded) {
  Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  Shared snapshot;
  EXPECT_TRUE(
      txn->CommitAndTryCreateSnapshot(nullptr, kMaxTxnTimestamp, &snapshot).IsInvalidArgument());
  EXPECT_EQ("NOT_FOUND", Get("a"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("1", Get("a"));
  EXPECT_EQ(Timestamps(), All());
}

TEST_P(TimestampedSnapshots, APreparedTransactionTakesOne) {
  Txn txn = Begin();
  ASSERT_OK(txn->SetName("x"));
  ASSERT_OK(txn->Put("a", "1"));
  ASSERT_OK(txn->Prepare());
  Put("b", "before");
  Shared snapshot;
  ASSERT_OK(txn->CommitAndTryCreateSnapshot(nullptr, 10, &snapshot));
  Put("a", "2");
  Put("b", "after");
  EXPECT_EQ("1", ReadAt(snapshot, "a"));
  EXPECT_EQ("before", ReadAt(snapshot, "b"));
}

// What does not succeed takes none.
TEST_P(TimestampedSnapshots, ACommitThatFailsTakesNone) {
  TransactionOptions options;
  options.expiration = 0;
  Txn txn = Begin(options);
  ASSERT_OK(CommitAt(5, "b", "1") != nullptr ? Status::OK() : Status::Aborted());
  (void)txn->Put("a", "1");
  Shared snapshot = txn_db_->GetLatestTimestampedSnapshot();
  EXPECT_TRUE(txn->CommitAndTryCreateSnapshot(nullptr, 10, &snapshot).IsExpired());
  EXPECT_EQ(nullptr, snapshot);
  EXPECT_EQ(Timestamps{5}, All());
}

// The writes are committed; that there is no snapshot is seen by it alone.
TEST_P(TimestampedSnapshots, NoneIsOlderThanTheOneBefore) {
  ASSERT_NE(nullptr, CommitAt(10, "a", "1"));
  EXPECT_EQ(nullptr, CommitAt(9, "a", "2"));
  EXPECT_EQ("2", Get("a"));
  EXPECT_EQ(nullptr, CommitAt(10, "a", "3")) << "another state with the same timestamp";
  EXPECT_EQ("3", Get("a"));
  EXPECT_EQ(Timestamps{10}, All());
  EXPECT_EQ(1u, Live());
  EXPECT_TRUE(txn_db_->CreateTimestampedSnapshot(10).first.IsInvalidArgument());
  EXPECT_TRUE(txn_db_->CreateTimestampedSnapshot(9).first.IsInvalidArgument());
}

TEST_P(TimestampedSnapshots, ApartFromACommit) {
  EXPECT_TRUE(txn_db_->CreateTimestampedSnapshot(kMaxTxnTimestamp).first.IsInvalidArgument());
  Put("a", "1");
  auto [s, snapshot] = txn_db_->CreateTimestampedSnapshot(100);
  ASSERT_OK(s);
  Put("a", "2");
  EXPECT_EQ(100u, snapshot->GetTimestamp());
  EXPECT_EQ("1", ReadAt(snapshot, "a"));
  EXPECT_EQ(snapshot, txn_db_->GetTimestampedSnapshot(100));
  EXPECT_EQ(snapshot, txn_db_->GetLatestTimestampedSnapshot());
  EXPECT_EQ(nullptr, txn_db_->GetTimestampedSnapshot(99));
}

TEST_P(TimestampedSnapshots, TheSameStateAgain) {
  Put("a", "1");
  auto [s, snapshot] = txn_db_->CreateTimestampedSnapshot(100);
  ASSERT_OK(s);
  auto [again, same] = txn_db_->CreateTimestampedSnapshot(100);
  ASSERT_OK(again);
  EXPECT_EQ(snapshot, same);
  auto [later, other] = txn_db_->CreateTimestampedSnapshot(200);
  ASSERT_OK(later);
  EXPECT_NE(snapshot, other);
  EXPECT_EQ(snapshot->GetSequenceNumber(), other->GetSequenceNumber());
  EXPECT_EQ((Timestamps{100, 200}), All());
}

TEST_P(TimestampedSnapshots, TheyAreFoundByTheirTimestamps) {
  for (TxnTimestamp timestamp : {10, 20, 30, 40})
    CommitAt(timestamp, "a", std::to_string(timestamp));
  EXPECT_EQ((Timestamps{10, 20, 30, 40}), All());
  EXPECT_EQ((Timestamps{20, 30}), Between(20, 40)) << "the upper bound is not included";
  EXPECT_EQ((Timestamps{20, 30, 40}), Between(11, 41));
  EXPECT_EQ(Timestamps(), Between(41, 100));
  std::vector<Shared> snapshots = {txn_db_->GetTimestampedSnapshot(30)};
  EXPECT_TRUE(txn_db_->GetTimestampedSnapshots(20, 20, snapshots).IsInvalidArgument());
  EXPECT_TRUE(txn_db_->GetTimestampedSnapshots(21, 20, snapshots).IsInvalidArgument());
  EXPECT_EQ("40", ReadAt(txn_db_->GetLatestTimestampedSnapshot(), "a"));
}

TEST_P(TimestampedSnapshots, TheyLiveUntilTheyAreReleased) {
  Shared kept = CommitAt(10, "a", "1");
  for (TxnTimestamp timestamp : {20, 30}) CommitAt(timestamp, "a", std::to_string(timestamp));
  EXPECT_EQ(3u, Live()) << "nobody else holds two of them";
  txn_db_->ReleaseTimestampedSnapshotsOlderThan(30);
  EXPECT_EQ(Timestamps{30}, All());
  EXPECT_EQ(2u, Live()) << "one is held still";
  Put("a", "later");
  EXPECT_OK(db_->Flush(FlushOptions()));
  EXPECT_OK(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  EXPECT_EQ("1", ReadAt(kept, "a"));
  kept = nullptr;
  EXPECT_EQ(1u, Live());
  txn_db_->ReleaseTimestampedSnapshotsOlderThan(kMaxTxnTimestamp);
  EXPECT_EQ(0u, Live());
  EXPECT_NE(nullptr, CommitAt(5, "a", "again")) << "there is no later one any more";
}

TEST_P(TimestampedSnapshots, ClosingReleasesThem) {
  CommitAt(10, "a", "1");
  Shared kept = CommitAt(20, "a", "2");
  delete other_;
  other_ = nullptr;
  EXPECT_TRUE(db_->Close().IsAborted()) << "the user holds one";
  kept = nullptr;
  EXPECT_OK(db_->Close());
}

// One that was asked for and not taken by an operation would be the commit's: which needs a
// timestamp.
TEST_P(TimestampedSnapshots, OneAskedForAndNeverTaken) {
  Txn txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  auto hears = std::make_shared<Hears>();
  txn->SetSnapshotOnNextOperation(hears);
  EXPECT_TRUE(txn->Commit().IsInvalidArgument());
  EXPECT_EQ(0, hears->count);
  EXPECT_EQ("NOT_FOUND", Get("a"));
  txn = Begin();
  ASSERT_OK(txn->Put("a", "1"));
  txn->SetSnapshotOnNextOperation(hears);
  ASSERT_OK(txn->SetCommitTimestamp(3));
  EXPECT_OK(txn->Commit());
  EXPECT_EQ(1, hears->count);
  EXPECT_EQ(Timestamps{3}, All());
}

// Many commit at once: each snapshot has its own commit, and no later one.
TEST_P(TimestampedSnapshots, EachIsOfItsOwnCommit) {
  OpenForThreads();
  constexpr int kWriters = 4;
  constexpr int kRounds = 50;
  std::atomic<TxnTimestamp> clock{1};
  std::atomic<int> taken{0};
  std::vector<std::function<void()>> joins;
  for (int w = 0; w < kWriters; ++w) {
    joins.push_back(Start([&, w] {
      const std::string key = "key" + std::to_string(w);
      for (int round = 0; round < kRounds; ++round) {
        Txn txn = Begin();
        const std::string value = std::to_string(round);
        ASSERT_OK(txn->Put(key, value));
        Shared snapshot;
        ASSERT_OK(txn->CommitAndTryCreateSnapshot(nullptr, clock.fetch_add(1), &snapshot));
        // (A later timestamp may have come first.)
        if (snapshot == nullptr) continue;
        taken.fetch_add(1);
        ASSERT_EQ(value, ReadAt(snapshot, key));
        Put("noise", value);
      }
    }));
  }
  for (const auto& join : joins) join();
  EXPECT_GT(taken.load(), 0);
  // In their order the states are in the order of their timestamps.
  std::vector<Shared> snapshots;
  ASSERT_OK(txn_db_->GetAllTimestampedSnapshots(snapshots));
  for (size_t i = 1; i < snapshots.size(); ++i) {
    EXPECT_LE(snapshots[i - 1]->GetSequenceNumber(), snapshots[i]->GetSequenceNumber());
  }
}

INSTANTIATE_TEST_SUITE_P(Stripes, TimestampedSnapshots, testing::Values(16));

// --- Of the other policies, and of optimistic transactions

class SnapshotsOfOtherPolicies : public TransactionTest {};

TEST_P(SnapshotsOfOtherPolicies, CommitsHaveNone) {
  Txn txn = Begin();
  ASSERT_OK(txn->SetName("x"));
  ASSERT_OK(txn->Put("a", "1"));
  EXPECT_TRUE(txn->CommitAndTryCreateSnapshot(nullptr, 10).IsNotSupported());
  EXPECT_EQ("NOT_FOUND", Get("a"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ("1", Get("a"));
}

INSTANTIATE_TEST_SUITE_P(Policies, SnapshotsOfOtherPolicies,
                         testing::Values(WithPolicy(WRITE_PREPARED), WithPolicy(WRITE_UNPREPARED)),
                         PolicyOf);

}  // namespace
}  // namespace conformance
