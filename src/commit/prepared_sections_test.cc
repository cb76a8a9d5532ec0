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
  explicit Replayed(const Comparator* order = BytewiseComparator())
      : comparator(order), table(new MemTable(comparator, {}, 0)) {}
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

// --- Timestamps

// As Section(), of keys with room for a timestamp of 8 bytes.
WriteBatch StampedSection(const std::string& name, int entries) {
  WriteBatch batch(0, 0, 0, 8);
  EXPECT_TRUE(Internal::AppendMark(&batch, kTypeBeginPrepareXID).ok());
  for (int i = 0; i < entries; ++i) EXPECT_TRUE(batch.Put(name + std::to_string(i), name).ok());
  EXPECT_TRUE(Internal::AppendMark(&batch, kTypeEndPrepareXID, name).ok());
  return batch;
}
WriteBatch Committed(const std::string& name, const std::string& timestamp) {
  WriteBatch batch;
  EXPECT_TRUE(Internal::AppendMark(&batch, kTypeNoop).ok());
  EXPECT_TRUE(Internal::AppendCommitMark(&batch, name, timestamp).ok());
  return batch;
}

TEST(PreparedSectionsTest, ACommitGivesEntriesItsTimestamp) {
  Replayed replayed(BytewiseComparatorWithU64Ts());
  std::string timestamp;
  EncodeU64Ts(7, &timestamp);
  ASSERT_TRUE(replayed.Apply(StampedSection("a", 2)).ok());
  ASSERT_TRUE(replayed.Apply(StampedSection("b", 1)).ok());
  SequenceNumber next = 0;
  const Status s = replayed.Apply(Committed("a", timestamp), &next);
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(2u, next);
  EXPECT_EQ(1u, replayed.sections.sections().size());
  const std::vector<std::string> entries = Entries(*replayed.table);
  ASSERT_EQ(2u, entries.size());
  EXPECT_EQ("a0" + timestamp, entries[0].substr(0, 10));
  EXPECT_EQ("a1" + timestamp, entries[1].substr(0, 10));
  // One that is not known is passed over.
  EXPECT_TRUE(replayed.Apply(Committed("c", timestamp)).ok());
  replayed.sections.SetIncomplete();
  EXPECT_TRUE(replayed.Apply(Committed("c", timestamp)).IsCorruption());
}

TEST(PreparedSectionsTest, ATimestampThatDoesNotFitIsCorruption) {
  for (const std::string& timestamp : {std::string(), std::string(4, 't'), std::string(16, 't')}) {
    Replayed replayed(BytewiseComparatorWithU64Ts());
    ASSERT_TRUE(replayed.Apply(StampedSection("a", 1)).ok());
    EXPECT_TRUE(replayed.Apply(Committed("a", timestamp)).IsCorruption());
    EXPECT_TRUE(Entries(*replayed.table).empty());
  }
  // Keys that have no room for it.
  Replayed replayed(BytewiseComparatorWithU64Ts());
  ASSERT_TRUE(replayed.Apply(Section("a", 1)).ok());
  EXPECT_TRUE(replayed.Apply(Committed("a", std::string(8, 't'))).IsCorruption());
  // Families without timestamps need none.
  Replayed plain;
  ASSERT_TRUE(plain.Apply(Section("a", 1)).ok());
  EXPECT_TRUE(plain.Apply(Committed("a", std::string(8, 't'))).ok());
  EXPECT_EQ(1u, Entries(*plain.table).size());
}

TEST(PreparedSectionsTest, OtherPoliciesHaveNoTimestamps) {
  Replayed replayed;
  replayed.sections.SetSharesNumbers(true);
  EXPECT_TRUE(replayed.Apply(Committed("a", std::string(8, 't'))).IsNotSupported());
}

TEST(PreparedSectionsTest, AnUnknownCommitIsPassedOverUnlessSomethingIsMissing) {
  Replayed replayed;
  EXPECT_TRUE(replayed.Apply(Decided(kTypeCommitXID, "a")).ok());
  replayed.sections.SetIncomplete();
  EXPECT_TRUE(replayed.Apply(Decided(kTypeCommitXID, "a")).IsCorruption());
  EXPECT_TRUE(replayed.Apply(Decided(kTypeRollbackXID, "a")).ok());
}

// --- As RocksDB's WRITE_PREPARED numbers them

// A batch of keys and marks. Unnamed marks: "(" begins a section, "[" one that
// is not prepared, "." is a Noop; named: ")a" ends a section, "+a" commits, "-a" rolls back.
WriteBatch Steps(const std::vector<std::string>& steps, SequenceNumber sequence) {
  WriteBatch batch;
  for (const std::string& step : steps) {
    const std::string name = step.substr(1);
    Status s;
    switch (step[0]) {
      case '(':
        s = Internal::AppendMark(&batch, kTypeBeginPersistedPrepareXID);
        break;
      case '[':
        s = Internal::AppendMark(&batch, kTypeBeginUnprepareXID);
        break;
      case '.':
        s = Internal::AppendMark(&batch, kTypeNoop);
        break;
      case ')':
        s = Internal::AppendMark(&batch, kTypeEndPrepareXID, name);
        break;
      case '+':
        s = Internal::AppendMark(&batch, kTypeCommitXID, name);
        break;
      case '-':
        s = Internal::AppendMark(&batch, kTypeRollbackXID, name);
        break;
      default:
        s = batch.Put(step, "v");
    }
    EXPECT_TRUE(s.ok());
  }
  Internal::SetSequence(&batch, sequence);
  return batch;
}

std::string Numbered(const MemTable& table) {
  std::string text;
  const std::unique_ptr<InternalIterator> it(table.NewIterator());
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    ParsedInternalKey key;
    EXPECT_TRUE(ParseInternalKey(it->key(), &key).ok());
    text += key.user_key.ToString() + "@" + std::to_string(key.sequence) + " ";
  }
  return text;
}

TEST(PreparedSectionsTest, EntriesShareANumberUntilAKeyComesAgain) {
  Replayed replayed;
  replayed.sections.SetSharesNumbers(true);
  SequenceNumber next = 0;
  ASSERT_TRUE(replayed.Apply(Steps({"a", "b", "a", "b", "c", "."}, 5), &next).ok());
  EXPECT_EQ("a@6 a@5 b@6 b@5 c@6 ", Numbered(*replayed.table));
  EXPECT_EQ(7u, next);
  // A Noop ends what came, and counts for nothing where nothing did; nor is it needed at the end.
  ASSERT_TRUE(replayed.Apply(Steps({".", "d", ".", "d", "e"}, 10), &next).ok());
  EXPECT_EQ("a@6 a@5 b@6 b@5 c@6 d@11 d@10 e@11 ", Numbered(*replayed.table));
  EXPECT_EQ(12u, next);
}

TEST(PreparedSectionsTest, WhatEndsInANoopSharesNumbersUnderAnyPolicy) {
  Replayed replayed;
  SequenceNumber next = 0;
  ASSERT_TRUE(replayed.Apply(Steps({"a", "b", "."}, 5), &next).ok());
  ASSERT_TRUE(replayed.Apply(Steps({"b", "c"}, next), &next).ok());
  EXPECT_EQ("a@5 b@6 b@5 c@7 ", Numbered(*replayed.table));
  EXPECT_EQ(8u, next);
}

TEST(PreparedSectionsTest, ASharedSectionIsInsertedAndRemembered) {
  Replayed replayed;
  replayed.sections.SetSharesNumbers(true);
  SequenceNumber next = 0;
  ASSERT_TRUE(replayed.Apply(Steps({"(", "a", "b", "a", ")one"}, 5), &next).ok());
  EXPECT_EQ(7u, next);
  ASSERT_TRUE(replayed.Apply(Steps({"(", ")two"}, 7), &next).ok());
  EXPECT_EQ(8u, next);
  ASSERT_TRUE(replayed.Apply(Steps({"c", "-three", "(", "d", ")three", "."}, 8), &next).ok());
  EXPECT_EQ("a@6 a@5 b@5 c@8 d@9 ", Numbered(*replayed.table));
  ASSERT_EQ(3u, replayed.sections.sections().size());
  const auto numbers = [&](const std::string& name) {
    const auto& all = replayed.sections.sections().at(name).numbers;
    return all.size() == 1 ? std::to_string(all[0].first) + "-" + std::to_string(all[0].end) : "?";
  };
  EXPECT_EQ("5-7", numbers("one"));
  EXPECT_EQ("7-8", numbers("two"));
  EXPECT_EQ("9-10", numbers("three"));
  EXPECT_EQ((std::vector<SequenceNumber>{4, 6, 8}), replayed.sections.MomentsBefore());
  ASSERT_TRUE(replayed.Apply(Steps({"+one"}, 20), &next).ok());
  EXPECT_EQ(21u, next);
  ASSERT_TRUE(replayed.Apply(Steps({"a", "-two"}, 21)).ok());
  ASSERT_TRUE(replayed.Apply(Steps({"+unknown", "-unknown"}, 23)).ok());
  EXPECT_EQ(1u, replayed.sections.sections().size());
  EXPECT_EQ("a@21 a@6 a@5 b@5 c@8 d@9 ", Numbered(*replayed.table));
}

TEST(PreparedSectionsTest, PartsThatAreNotPreparedBecomeOne) {
  Replayed replayed;
  replayed.sections.SetSharesNumbers(true);
  ASSERT_TRUE(replayed.Apply(Steps({"[", "a", ")one"}, 5)).ok());
  ASSERT_TRUE(replayed.Apply(Steps({"[", "b", ")two"}, 6)).ok());
  ASSERT_TRUE(replayed.Apply(Steps({"(", "c", ")one"}, 7)).ok());
  const auto& sections = replayed.sections.sections();
  EXPECT_EQ(2u, sections.at("one").batch.Count());
  EXPECT_EQ(2u, sections.at("one").numbers.size());
  EXPECT_FALSE(sections.at("one").is_unprepared);
  EXPECT_TRUE(sections.at("two").is_unprepared);
}

TEST(PreparedSectionsTest, WriteCommittedsSectionsAreRefusedWhereNumbersAreShared) {
  Replayed replayed;
  replayed.sections.SetSharesNumbers(true);
  EXPECT_TRUE(replayed.Apply(Section("a", 1)).IsNotSupported());
}

// The numbers of a group of sections are those that a replay finds; a write beside them is in a
// record of its own.
TEST(PreparedSectionsTest, AQueuesSectionsHaveTheNumbersOfAReplay) {
  FakeDatabase db;
  db.counts_entries = false;
  constexpr int kThreads = 4, kEach = 50;
  std::vector<std::unique_ptr<fiber::Thread>> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.push_back(std::make_unique<fiber::Thread>("write", [&db, t] {
      for (int i = 0; i < kEach; ++i) {
        const std::string name = std::to_string(t) + "." + std::to_string(i);
        WriteBatch entries = Steps({name + "a", name + "b", name + "a"}, 0);
        WriteBatch section = Steps({"(", name + "a", name + "b", name + "a", ")" + name}, 0);
        TwoPhaseStep step{TwoPhaseStep::Kind::kPrepare};
        step.name = name;
        step.numbers = SharedNumbersOf(entries);
        EXPECT_EQ(2u, step.numbers);
        EXPECT_TRUE(db.queue()->Write({}, &section, nullptr, nullptr, &step).ok());
        EXPECT_TRUE(db.Put("k", "v").ok());
        // A mark alone takes a number where it is replayed, and none here.
        WriteBatch mark = Steps({"-unknown"}, 0);
        step.kind = TwoPhaseStep::Kind::kRollback;
        EXPECT_TRUE(db.queue()->Write({}, &mark, nullptr, nullptr, &step).ok());
      }
    }));
  }
  for (const auto& thread : threads) thread->join();
  Replayed replayed;
  replayed.sections.SetSharesNumbers(true);
  for (const std::string& record : db.log) ASSERT_TRUE(replayed.Apply(WriteBatch(record)).ok());
  // Nothing that was inserted has a section's number.
  ASSERT_EQ(size_t{kThreads * kEach}, replayed.sections.sections().size());
  const std::unique_ptr<InternalIterator> it(db.table().NewIterator());
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    ParsedInternalKey key;
    ASSERT_TRUE(ParseInternalKey(it->key(), &key).ok());
    for (const auto& [name, section] : replayed.sections.sections()) {
      EXPECT_FALSE(key.sequence >= section.numbers[0].first &&
                   key.sequence < section.numbers[0].end)
          << key.sequence << " is of " << name;
    }
  }
}

}  // namespace
}  // namespace cairn
