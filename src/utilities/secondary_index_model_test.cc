// Random lives of a database with secondary indices, against a model: two transactions at once with
// save points, prepares, commits and rollbacks, plain writes and batches, writes that an index
// refuses, flushes, compactions, closes and kills. After each step the entries are those of the
// values, for each transaction and for everybody.
#include <memory>

#include "fiber/random.h"
#include "utilities/testing/index_fixture.h"

namespace cairn {
namespace {

using testing::FoldedIndex;
using testing::People;
using testing::Person;
using testing::SeedText;

class SecondaryIndexModelTest : public testing::IndexTest {
 protected:
  static constexpr int kTransactions = 2;

  // What was written of a key. `writes`: how often since it was deleted, as a SingleDelete needs.
  // Not `logged`: it was locked, and what is not there deleted; no log tells of it.
  struct Written {
    std::optional<Person> person;
    int writes = 0;
    bool logged = false;
  };
  using Table = std::map<std::string, Written>;

  struct Party {
    Txn txn;
    std::string name;
    bool prepared = false;
    Table own;  // keys that it has written
    std::vector<Table> save_points;
  };

  Table Seen(const Party* party) const {
    Table seen = committed_;
    if (party == nullptr) return seen;
    for (const auto& [key, written] : party->own) seen[key] = written;
    return seen;
  }
  static People PeopleOf(const Table& table) {
    People people;
    for (const auto& [key, written] : table) {
      if (written.person) people[key] = *written.person;
    }
    return people;
  }
  // Whether somebody else has written the key, and not decided.
  bool IsHeld(const std::string& key, const Party* by) const {
    for (const Party& party : parties_) {
      if (&party != by && party.own.contains(key)) return true;
    }
    return false;
  }

  std::string AnyKey() { return testing::Key(random_->Uniform(12)); }
  Person AnyPerson(bool plain) {
    static const char* const kValues[] = {"A", "a", "Ab", "abc", "ABD", "", "q"};
    Person person;
    if (plain || random_->OneIn(2)) person[""] = kValues[random_->Uniform(7)];
    if (plain) return person;
    if (!random_->OneIn(4)) person["city"] = "c" + std::to_string(random_->Uniform(3));
    if (random_->OneIn(2)) person["zip"] = std::to_string(random_->Uniform(9));
    return person;
  }

  // One write, of a transaction or, without a party, plain. What it does to `table`.
  void Write(Party* party, Table* table) {
    const std::string key = AnyKey();
    const bool held = IsHeld(key, party), plain = random_->OneIn(3), tracked = random_->OneIn(2);
    Transaction* const txn = party != nullptr ? party->txn.get() : nullptr;
    const WriteOptions options;
    const Written before = Seen(party)[key];
    Written after;
    Status s;
    bool refused = false;
    if (!random_->OneIn(4)) {
      after.person = AnyPerson(plain);
      refused = random_->OneIn(8);
      if (refused) {
        static const char* const kRefused[] = {"update", "prefix", "entry"};
        (*after.person)[""] = kRefused[random_->Uniform(3)];
      }
      after.writes = before.writes + 1;
      const WideColumns columns = ColumnsOf(*after.person);
      const Slice value = plain ? columns[0].value() : Slice();
      if (txn == nullptr) {
        s = plain ? db_->Put(options, people(), key, value)
                  : db_->PutEntity(options, people(), key, columns);
      } else if (tracked) {
        s = plain ? txn->Put(people(), key, value) : txn->PutEntity(people(), key, columns);
      } else {
        s = plain ? txn->PutUntracked(people(), key, value)
                  : txn->PutEntityUntracked(people(), key, columns);
      }
    } else if (before.writes == 1 && random_->OneIn(2)) {
      s = txn == nullptr ? db_->SingleDelete(options, people(), key)
          : tracked      ? txn->SingleDelete(people(), key)
                         : txn->SingleDeleteUntracked(people(), key);
    } else {
      s = txn == nullptr ? db_->Delete(options, people(), key)
          : tracked      ? txn->Delete(people(), key)
                         : txn->DeleteUntracked(people(), key);
    }
    if (held) {
      EXPECT_TRUE(s.IsTimedOut()) << s.ToString();
    } else if (refused) {
      EXPECT_EQ(FoldedIndex::Refusal(), s) << s.ToString();
    } else {
      EXPECT_TRUE(s.ok()) << s.ToString();
      Written& written = (*table)[key];
      after.logged = written.logged || before.person || after.person;
      written = after;
    }
  }

  // Several keys at once.
  void WriteBatchOfSome() {
    WriteBatch batch;
    Table after;
    bool held = false;
    for (int i = 0; i < 3; ++i) {
      const std::string key = AnyKey();
      held |= IsHeld(key, nullptr);
      const Written before = after.contains(key) ? after[key] : committed_[key];
      if (random_->OneIn(3)) {
        after[key] = Written();
        EXPECT_TRUE(batch.Delete(people(), key).ok());
      } else {
        after[key] = {AnyPerson(/*plain=*/false), before.writes + 1, /*logged=*/true};
        EXPECT_TRUE(batch.PutEntity(people(), key, ColumnsOf(*after[key].person)).ok());
      }
    }
    const Status s = db_->Write(WriteOptions(), &batch);
    if (held) {
      EXPECT_TRUE(s.IsTimedOut()) << s.ToString();
    } else {
      EXPECT_TRUE(s.ok()) << s.ToString();
      for (const auto& [key, written] : after) committed_[key] = written;
    }
  }

  void Start(Party* party) {
    *party = Party();
    party->txn = Begin();
    party->name = "name" + std::to_string(++names_);
    EXPECT_TRUE(party->txn->SetName(party->name).ok());
  }
  void Decide(Party* party) {
    const bool commits = !random_->OneIn(3);
    const Status s = commits ? party->txn->Commit() : party->txn->Rollback();
    EXPECT_TRUE(s.ok()) << s.ToString();
    if (commits) {
      for (const auto& [key, written] : party->own) committed_[key] = written;
    }
    Start(party);
  }
  void Act(Party* party) {
    if (party->prepared) return Decide(party);
    switch (random_->Uniform(12)) {
      case 0:
        party->txn->SetSavePoint();
        party->save_points.push_back(party->own);
        return;
      case 1:
        EXPECT_EQ(!party->save_points.empty(), party->txn->RollbackToSavePoint().ok());
        if (!party->save_points.empty()) {
          party->own = party->save_points.back();
          party->save_points.pop_back();
        }
        return;
      case 2:
        EXPECT_EQ(!party->save_points.empty(), party->txn->PopSavePoint().ok());
        if (!party->save_points.empty()) party->save_points.pop_back();
        return;
      case 3:
        if (const Status s = party->txn->Prepare(); !s.ok()) {
          ADD_FAILURE() << s.ToString();
        } else {
          party->prepared = true;
        }
        return;
      case 4:
        return Decide(party);
      default:
        Write(party, &party->own);
    }
  }

  // What was not prepared is gone.
  void Reopen() {
    const bool killed = random_->OneIn(2);
    for (Party& party : parties_) {
      if (party.prepared) {
        (void)party.txn.release();  // the database's
      } else {
        party.txn.reset();
      }
    }
    if (killed) disk_.Freeze();
    CloseIndexed();
    if (killed) disk_.faults->Heal();
    OpenIndexed();
    for (Party& party : parties_) {
      if (party.prepared) {
        party.txn.reset(txn_db_->GetTransactionByName(party.name));
        ASSERT_NE(nullptr, party.txn);
        std::erase_if(party.own, [](const auto& one) { return !one.second.logged; });
      } else {
        Start(&party);
      }
    }
  }

  void FlushOrCompact() {
    ColumnFamilyHandle* const family = handles_[1 + random_->Uniform(3)].get();
    Status s = db_->Flush(FlushOptions(), family);
    if (s.ok() && random_->OneIn(2)) {
      s = db_->CompactRange(CompactRangeOptions(), family, nullptr, nullptr);
    }
    EXPECT_TRUE(s.ok()) << s.ToString();
  }

  // And a query of each index.
  void Check() {
    ExpectPeople(PeopleOf(Seen(nullptr)));
    for (Party& party : parties_) {
      const People seen = PeopleOf(Seen(&party));
      ExpectPeople(seen, party.txn.get());
      const std::string city = "c" + std::to_string(random_->Uniform(3));
      std::vector<std::string> there;
      for (const auto& [key, person] : seen) {
        if (person.contains("city") && person.at("city") == city) there.push_back(key);
      }
      EXPECT_EQ(there, Found(*cities_, city, party.txn.get()));
    }
  }

  void Live(uint64_t seed, int steps) {
    Random64 random(seed);
    random_ = &random;
    txn_options_.default_lock_timeout = 0;
    OpenIndexed();
    for (Party& party : parties_) Start(&party);
    for (int step = 0; step < steps && !HasFailure(); ++step) {
      SCOPED_TRACE(SeedText(seed) + ", step " + std::to_string(step));
      switch (random.Uniform(40)) {
        case 0:
          Reopen();
          break;
        case 1:
          FlushOrCompact();
          break;
        case 2:
          WriteBatchOfSome();
          break;
        case 3:
        case 4:
        case 5:
          Write(nullptr, &committed_);
          break;
        default:
          Act(&parties_[random.Uniform(kTransactions)]);
      }
      if (!HasFailure()) Check();
    }
    for (Party& party : parties_) party.txn.reset();
    random_ = nullptr;
  }

  Table committed_;
  Party parties_[kTransactions];
  int names_ = 0;
  Random64* random_ = nullptr;  // of the life
};

TEST_F(SecondaryIndexModelTest, EntriesAreThoseOfTheValues) {
  Live(fiber::random_u64(), /*steps=*/1500);
}

}  // namespace
}  // namespace cairn
