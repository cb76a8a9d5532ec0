// Two-phase commit between queue, log and memtable: what writers log in groups, a replay gives the
// same numbers; and marks in orders that no writer makes.
#include "commit/prepared_sections.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/internal_iterator.h"
#include "batch/write_batch_internal.h"
#include "commit/testing/fake_database.h"
#include "commit/two_phase.h"
#include "fiber/thread.h"

namespace cairn {
namespace {

using testing::FakeDatabase;
using Internal = WriteBatchInternal;

// A section as it is logged, of `entries` of keys that begin with the name.
WriteBatch Section(const std::string& name, int entries) {
  WriteBatch batch;
  EXPECT_TRUE(Internal::AppendMark(&batch, kTypeBeginPrepareXID).ok());
  for (int i = 0; i < entries; ++i) EXPECT_TRUE(batch.Put(name + std::to_string(i), name).ok());
  EXPECT_TRUE(Internal::AppendMark(&batch, kTypeEndPrepareXID, name).ok());
  return batch;
}
WriteBatch Decided(ValueType how, const std::string& name) {
  WriteBatch batch;
  EXPECT_TRUE(Internal::AppendMark(&batch, kTypeNoop).ok());
  EXPECT_TRUE(Internal::AppendMark(&batch, how, name).ok());
  return batch;
}

// All entries with their numbers.
std::vector<std::string> Entries(const MemTable& table) {
  std::vector<std::string> entries;
  const std::unique_ptr<InternalIterator> it(table.NewIterator());
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    entries.push_back(it->key().ToString() + "=" + it->value().ToString());
  }
  return entries;
}

struct Replayed {
  Replayed() : comparator(BytewiseComparator()), table(new MemTable(comparator, {}, 0)) {}
  ~Replayed() { table->Unref(); }
  Status Apply(const WriteBatch& record, SequenceNumber* next = nullptr) {
    SingleMemTableSink sink(table);
    return sections.Apply(record.Data(), 3, &sink, next);
  }
  const InternalKeyComparator comparator;
  MemTable* const table;
  PreparedSections sections;
};

TEST(PreparedSectionsTest, AReplayGivesEveryEntryItsNumber) {
  FakeDatabase db;
  constexpr int kThreads = 4, kEach = 100;
  std::vector<std::unique_ptr<fiber::Thread>> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.push_back(std::make_unique<fiber::Thread>("write", [&db, t] {
      for (int i = 0; i < kEach; ++i) {
        const std::string name = std::to_string(t) + "." + std::to_string(i);
        WriteBatch section = Section(name, i % 5);
        TwoPhaseStep step{TwoPhaseStep::Kind::kPrepare};
        EXPECT_TRUE(db.queue()->Write({}, &section, nullptr, nullptr, &step).ok());
        EXPECT_TRUE(step.touched_log);
        EXPECT_EQ(FakeDatabase::kLogNumber, step.log);
        EXPECT_TRUE(db.Put("plain" + name, "v").ok());
        if (i % 7 == 0) continue;  // stays
        WriteBatch end = Decided(i % 3 == 0 ? kTypeRollbackXID : kTypeCommitXID, name);
        step.kind = TwoPhaseStep::Kind::kRollback;
        if (i % 3 != 0) {
          end.MarkWalTerminationPoint();
          EXPECT_TRUE(Internal::Append(&end, &section).ok());
          step.kind = TwoPhaseStep::Kind::kCommit;
        }
        EXPECT_TRUE(db.queue()->Write({}, &end, nullptr, nullptr, &step).ok());
      }
    }));
  }
  for (const auto& thread : threads) thread->join();
  EXPECT_EQ(size_t{kThreads * kEach}, db.prepared);
  EXPECT_EQ(FakeDatabase::kLogNumber, db.table().prepared_log());

  Replayed replayed;
  SequenceNumber last = 0;
  for (const std::string& record : db.log) {
    SequenceNumber next = 0;
    const Status s = replayed.Apply(WriteBatch(record), &next);
    ASSERT_TRUE(s.ok()) << s.ToString();
    last = std::max(last, next - 1);
  }
  EXPECT_EQ(db.published(), last);
  EXPECT_EQ(Entries(db.table()), Entries(*replayed.table));
  EXPECT_EQ(size_t{kThreads * ((kEach + 6) / 7)}, replayed.sections.sections().size());
}

TEST(PreparedSectionsTest, AFailedLogTellsAStepWhetherItMayBeThere) {
  FakeDatabase db;
  WriteBatch section = Section("a", 1);
  TwoPhaseStep step;
  db.on_prepare = [](const WriteGroupInfo&) { return Status::Incomplete("stall"); };
  EXPECT_TRUE(db.queue()->Write({}, &section, nullptr, nullptr, &step).IsIncomplete());
  EXPECT_FALSE(step.touched_log);
  db.on_prepare = nullptr;
  db.on_append = [](const Slice&) { return IOStatus::NoSpace(); };
  EXPECT_TRUE(db.queue()->Write({}, &section, nullptr, nullptr, &step).IsNoSpace());
  EXPECT_TRUE(step.touched_log);
  EXPECT_EQ(0u, db.prepared);
}

TEST(PreparedSectionsTest, ACopyTakesThePlaceOfTheOriginal) {
  Replayed first;
  const WriteBatch record = Section("a", 3);
  ASSERT_TRUE(first.Apply(record).ok());
  WriteBatch copy;
  ASSERT_TRUE(first.sections.sections().at("a").EncodeCopy("a", 17, &copy).ok());
  for (int life = 0; life < 2; ++life) {
    SequenceNumber next = 0;
    ASSERT_TRUE(first.Apply(copy, &next).ok());
    EXPECT_EQ(17u, next);
    EXPECT_EQ(1u, first.sections.sections().size());
  }
  EXPECT_EQ(3u, first.sections.sections().at("a").batch.Count());
}

TEST(PreparedSectionsTest, MarksThatNoWriterMakesAreCorruption) {
  const auto tail = [](ValueType type, const std::string& name = "") {
    WriteBatch batch;
    EXPECT_TRUE((name.empty() ? Internal::AppendMark(&batch, type)
                              : Internal::AppendMark(&batch, type, name))
                    .ok());
    return batch;
  };
  const WriteBatch begin = tail(kTypeBeginPrepareXID);
  for (const WriteBatch& second : {tail(kTypeBeginPrepareXID), tail(kTypeCommitXID, "a"),
                                   tail(kTypeRollbackXID, "a"), tail(kTypeNoop)}) {
    WriteBatch batch = begin;
    ASSERT_TRUE(Internal::Append(&batch, &second).ok());
    Replayed replayed;
    EXPECT_TRUE(replayed.Apply(batch).IsCorruption());
    EXPECT_TRUE(replayed.Apply(Section("a", 1)).ok()) << "what came before is forgotten";
  }
  EXPECT_TRUE(Replayed().Apply(tail(kTypeEndPrepareXID, "a")).IsCorruption());
  for (const ValueType foreign : {kTypeBeginPersistedPrepareXID, kTypeBeginUnprepareXID}) {
    EXPECT_TRUE(Replayed().Apply(tail(foreign)).IsNotSupported());
  }
}

TEST(PreparedSectionsTest, AnUnknownCommitIsPassedOverUnlessSomethingIsMissing) {
  Replayed replayed;
  EXPECT_TRUE(replayed.Apply(Decided(kTypeCommitXID, "a")).ok());
  replayed.sections.SetIncomplete();
  EXPECT_TRUE(replayed.Apply(Decided(kTypeCommitXID, "a")).IsCorruption());
  EXPECT_TRUE(replayed.Apply(Decided(kTypeRollbackXID, "a")).ok());
}

}  // namespace
}  // namespace cairn
