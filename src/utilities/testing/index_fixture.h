// What the tests of secondary indices share: a database of people, with an index of their cities
// and one of their plain values, and what the entries of both must be. Test-only.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/testing/db_fixture.h"
#include "rocksdb/utilities/secondary_index_simple.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/transaction_db.h"

namespace cairn::testing {

// Plain values in lower case, by their first two letters; the entry has the value as it was given.
// A value with "update", "prefix", "entry" or "search" is refused by the function of that name,
// with a status that nothing else gives.
class FoldedIndex final : public SecondaryIndex {
 public:
  static Status Refusal() { return Status::Aborted("the index says no"); }
  static std::string Folded(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  }
  static bool Names(const Slice& value, const char* function) {
    return value.ToString().find(function) != std::string::npos;
  }

  void SetPrimaryColumnFamily(ColumnFamilyHandle* family) override { primary_ = family; }
  void SetSecondaryColumnFamily(ColumnFamilyHandle* family) override { secondary_ = family; }
  ColumnFamilyHandle* GetPrimaryColumnFamily() const override { return primary_; }
  ColumnFamilyHandle* GetSecondaryColumnFamily() const override { return secondary_; }
  Slice GetPrimaryColumnName() const override { return kDefaultWideColumnName; }

  Status UpdatePrimaryColumnValue(
      const Slice& /*key*/, const Slice& value,
      std::optional<std::variant<Slice, std::string>>* updated) const override {
    if (Names(value, "update")) return Refusal();
    std::string folded = Folded(value.ToString());
    if (value != folded) *updated = std::move(folded);
    return Status::OK();
  }
  Status GetSecondaryKeyPrefix(const Slice& /*key*/, const Slice& value,
                               std::variant<Slice, std::string>* prefix) const override {
    if (Names(value, "prefix")) return Refusal();
    *prefix = Slice(value.data(), std::min<size_t>(2, value.size()));
    return Status::OK();
  }
  Status FinalizeSecondaryKeyPrefix(std::variant<Slice, std::string>* prefix) const override {
    const auto* const slice = std::get_if<Slice>(prefix);
    std::string whole = slice != nullptr ? slice->ToString() : std::get<std::string>(*prefix);
    if (Names(whole, "search")) return Refusal();
    *prefix = std::move(whole) + "/";
    return Status::OK();
  }
  Status GetSecondaryValue(const Slice& /*key*/, const Slice& /*value*/, const Slice& before,
                           std::optional<std::variant<Slice, std::string>>* value) const override {
    if (Names(before, "entry")) return Refusal();
    *value = before;
    return Status::OK();
  }

 private:
  ColumnFamilyHandle* primary_ = nullptr;
  ColumnFamilyHandle* secondary_ = nullptr;
};

// What a key of `people` was given: columns by name, a plain value without one.
using Person = std::map<std::string, std::string>;
using People = std::map<std::string, Person>;

inline std::string CityKey(const std::string& city, const std::string& key) {
  return std::string(1, static_cast<char>(city.size())) + city + key;
}
inline std::string FoldedKey(const std::string& value, const std::string& key) {
  return FoldedIndex::Folded(value.substr(0, 2)) + "/" + key;
}

class IndexTest : public DbTest {
 protected:
  using Txn = std::unique_ptr<Transaction>;

  void TearDown() override { CloseIndexed(); }

  // The indices' primary family is `people`; their secondary ones the caller sets.
  Status TryOpenWith(Options options, std::vector<std::shared_ptr<SecondaryIndex>> indices) {
    CloseIndexed();
    txn_options_.secondary_indices = std::move(indices);
    options.create_missing_column_families = true;
    std::vector<ColumnFamilyDescriptor> families;
    for (const char* name : {"default", "people", "cities", "folded"}) {
      families.emplace_back(name, options);
    }
    std::vector<ColumnFamilyHandle*> handles;
    const Status s =
        TransactionDB::Open(options, txn_options_, kDbName, families, &handles, &txn_db_);
    if (!s.ok()) return s;
    db_.reset(txn_db_);
    for (ColumnFamilyHandle* const handle : handles) handles_.emplace_back(handle);
    for (const auto& index : txn_options_.secondary_indices) {
      index->SetPrimaryColumnFamily(people());
    }
    return s;
  }
  Status TryOpenIndexed(const Options& options) {
    cities_ = std::make_shared<SimpleSecondaryIndex>("city");
    folded_ = std::make_shared<FoldedIndex>();
    const Status s = TryOpenWith(options, {cities_, folded_});
    if (!s.ok()) return s;
    cities_->SetSecondaryColumnFamily(handles_[2].get());
    folded_->SetSecondaryColumnFamily(handles_[3].get());
    return s;
  }
  void OpenIndexed() {
    const Status s = TryOpenIndexed(SmallOptions());
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void CloseIndexed() {
    handles_.clear();
    db_.reset();
    txn_db_ = nullptr;
  }
  ColumnFamilyHandle* people() { return handles_[1].get(); }

  // It waits for nothing.
  Txn Begin() {
    TransactionOptions options;
    options.lock_timeout = 0;
    return Txn(txn_db_->BeginTransaction(WriteOptions(), options));
  }
  static WideColumns ColumnsOf(const Person& person) {
    WideColumns columns;
    for (const auto& [name, value] : person) columns.emplace_back(name, value);
    return columns;
  }

  // What a family has: as a transaction sees it, if there is one.
  Contents ContentsOf(ColumnFamilyHandle* family, Transaction* txn = nullptr) {
    const std::unique_ptr<Iterator> it(txn != nullptr ? txn->GetIterator(ReadOptions(), family)
                                                      : db_->NewIterator(ReadOptions(), family));
    Contents contents;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      contents[it->key().ToString()] =
          family == people() ? Text(it->columns()) : it->value().ToString();
    }
    EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    return contents;
  }
  // The people and their entries are these, and no others.
  void ExpectPeople(const People& expected, Transaction* txn = nullptr) {
    Contents people_text, cities, folded;
    for (const auto& [key, person] : expected) {
      Person stored = person;
      if (const auto plain = person.find(""); plain != person.end()) {
        folded[FoldedKey(plain->second, key)] = plain->second;
        stored[""] = FoldedIndex::Folded(plain->second);
      }
      if (const auto city = person.find("city"); city != person.end()) {
        cities[CityKey(city->second, key)] = "";
      }
      people_text[key] = Text(ColumnsOf(stored));
    }
    EXPECT_EQ(people_text, ContentsOf(people(), txn));
    EXPECT_EQ(cities, ContentsOf(handles_[2].get(), txn));
    EXPECT_EQ(folded, ContentsOf(handles_[3].get(), txn));
  }
  // The keys that an index finds, by an iterator over `txn`, or over the database.
  std::vector<std::string> Found(const SecondaryIndex& index, const Slice& target,
                                 Transaction* txn = nullptr) {
    ColumnFamilyHandle* const family = index.GetSecondaryColumnFamily();
    SecondaryIndexIterator it(
        &index,
        std::unique_ptr<Iterator>(txn != nullptr ? txn->GetIterator(ReadOptions(), family)
                                                 : db_->NewIterator(ReadOptions(), family)));
    std::vector<std::string> keys;
    for (it.Seek(target); it.Valid(); it.Next()) keys.push_back(it.key().ToString());
    EXPECT_TRUE(it.status().ok()) << it.status().ToString();
    return keys;
  }

  TransactionDBOptions txn_options_;
  TransactionDB* txn_db_ = nullptr;  // db_
  std::shared_ptr<SimpleSecondaryIndex> cities_;
  std::shared_ptr<FoldedIndex> folded_;
  std::vector<std::unique_ptr<ColumnFamilyHandle>> handles_;  // default, people, cities, folded
};

}  // namespace cairn::testing
