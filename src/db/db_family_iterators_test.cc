// Iterators over several families: NewCoalescingIterator, NewAttributeGroupIterator.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/testing/db_fixture.h"
#include "fiber/random.h"
#include "rocksdb/attribute_groups.h"
#include "rocksdb/comparator.h"
#include "rocksdb/wide_columns.h"

namespace cairn::testing {
namespace {

class DbFamilyIteratorsTest : public DbTest {
 protected:
  void OpenFamilies(int count) {
    Options options = SmallOptions();
    options.disable_auto_compactions = true;
    Open(options);
    families_ = {db_->DefaultColumnFamily()};
    for (int i = 1; i < count; ++i) {
      ColumnFamilyHandle* made = nullptr;
      ASSERT_TRUE(db_->CreateColumnFamily(options, "family " + std::to_string(i), &made).ok());
      owned_.emplace_back(made);
      families_.push_back(made);
    }
  }
  void TearDown() override {
    owned_.clear();
    DbTest::TearDown();
  }
  void PutEntity(int family, const std::string& key, const WideColumns& columns) {
    const Status s = db_->PutEntity(WriteOptions(), families_[family], key, columns);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void PutIn(int family, const std::string& key, const std::string& value) {
    ASSERT_TRUE(db_->Put(WriteOptions(), families_[family], key, value).ok());
  }
  // "0[columns]2[columns]": the groups, by the index of the family.
  std::string Groups(const AttributeGroupIterator& it) {
    std::string text;
    for (const IteratorAttributeGroup& group : it.attribute_groups()) {
      const auto at = std::find(families_.begin(), families_.end(), group.column_family());
      text += std::to_string(at - families_.begin()) + "[" + Text(group.columns()) + "]";
    }
    return text;
  }

  std::vector<ColumnFamilyHandle*> families_;
  std::vector<std::unique_ptr<ColumnFamilyHandle>> owned_;
};

TEST_F(DbFamilyIteratorsTest, LaterFamiliesShadowColumnByColumn) {
  OpenFamilies(3);
  PutEntity(0, "a", {{"col_1", "foo"}, {"col_2", "baz"}});
  PutEntity(1, "a", {{"col_2", "quux"}, {"col_3", "bla"}});
  PutIn(0, "b", "plain 0");
  PutEntity(1, "b", {{"x", "1"}});
  PutIn(1, "c", "first");
  PutIn(2, "c", "second");
  PutEntity(2, "d", {});
  std::string expected;
  for (int round = 0; round < 2; ++round) {
    const std::unique_ptr<Iterator> it = db_->NewCoalescingIterator(ReadOptions(), families_);
    std::string forward, backward;
    const auto shown = [&] {
      return it->key().ToString() + "(" + it->value().ToString() + ")[" + Text(it->columns()) +
             "] ";
    };
    for (it->SeekToFirst(); it->Valid(); it->Next()) forward += shown();
    EXPECT_TRUE(it->status().ok());
    for (it->SeekToLast(); it->Valid(); it->Prev()) backward = shown() + backward;
    EXPECT_TRUE(it->status().ok());
    EXPECT_EQ(forward,
              "a()[col_1:foo,col_2:quux,col_3:bla] b(plain 0)[:plain 0,x:1] "
              "c(second)[:second] d()[] ");
    EXPECT_EQ(forward, backward);
    ASSERT_TRUE(db_->Flush(FlushOptions(), families_).ok());
  }
  // In the other order of families.
  const std::unique_ptr<Iterator> it =
      db_->NewCoalescingIterator(ReadOptions(), {families_[2], families_[1], families_[0]});
  it->Seek("a");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(Text(it->columns()), "col_1:foo,col_2:baz,col_3:bla");
  it->SeekForPrev("cc");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value(), "first");
}

TEST_F(DbFamilyIteratorsTest, GroupsStayApart) {
  OpenFamilies(3);
  PutEntity(0, "a", {{"x", "1"}});
  PutIn(2, "a", "plain");
  PutEntity(1, "b", {{"y", "2"}});
  const auto it = db_->NewAttributeGroupIterator(ReadOptions(), families_);
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), "a");
  EXPECT_EQ(Groups(*it), "0[x:1]2[:plain]");
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(Groups(*it), "1[y:2]");
  it->Prev();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(Groups(*it), "0[x:1]2[:plain]");
  EXPECT_EQ(Groups(*it), "0[x:1]2[:plain]") << "asked twice";
  it->Prev();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok());
}

TEST_F(DbFamilyIteratorsTest, WrongFamiliesAreTold) {
  OpenFamilies(2);
  Options reverse = SmallOptions();
  reverse.comparator = ReverseBytewiseComparator();
  ColumnFamilyHandle* made = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(reverse, "reverse", &made).ok());
  owned_.emplace_back(made);
  for (const auto& families : std::vector<std::vector<ColumnFamilyHandle*>>{
           {}, {families_[0], made}, {families_[0], nullptr}}) {
    const auto it = db_->NewCoalescingIterator(ReadOptions(), families);
    it->SeekToFirst();
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().IsInvalidArgument()) << it->status().ToString();
    const auto groups = db_->NewAttributeGroupIterator(ReadOptions(), families);
    groups->SeekToLast();
    EXPECT_FALSE(groups->Valid());
    EXPECT_TRUE(groups->status().IsInvalidArgument());
  }
  ASSERT_TRUE(db_->Put(WriteOptions(), made, "a", "1").ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), made, "b", "2").ok());
  const auto it = db_->NewCoalescingIterator(ReadOptions(), {made});
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), "b");
}

TEST_F(DbFamilyIteratorsTest, AnErrorOfOneIsAnErrorOfAll) {
  OpenFamilies(2);
  PutIn(0, "a", "1");
  PutIn(1, "b", "2");
  ASSERT_TRUE(db_->Flush(FlushOptions(), families_).ok());
  ReadOptions cached;
  cached.read_tier = kBlockCacheTier;
  const auto it = db_->NewCoalescingIterator(cached, families_);
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsIncomplete()) << it->status().ToString();
  // Now the blocks are in memory.
  const auto all = db_->NewCoalescingIterator(ReadOptions(), families_);
  for (all->SeekToFirst(); all->Valid(); all->Next()) {
  }
  it->SeekToFirst();
  EXPECT_TRUE(it->Valid());
  EXPECT_TRUE(it->status().ok());
}

TEST_F(DbFamilyIteratorsTest, RandomWalksMatchAModel) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE(SeedText(seed));
  Random64 random(seed);
  constexpr int kFamilies = 4;
  OpenFamilies(kFamilies);
  // Of each key: by family, the value of the column "c<n>".
  std::map<std::string, std::map<int, std::pair<std::string, std::string>>> model;
  for (int i = 0; i < 600; ++i) {
    const int family = static_cast<int>(random.Uniform(kFamilies));
    const std::string key = Key(random.Uniform(200));
    if (random.OneIn(5)) {
      ASSERT_TRUE(db_->Delete(WriteOptions(), families_[family], key).ok());
      const auto at = model.find(key);
      if (at != model.end()) {
        at->second.erase(family);
        if (at->second.empty()) model.erase(at);
      }
    } else {
      const std::string name = "c" + std::to_string(random.Uniform(3));
      const std::string value = std::to_string(i);
      PutEntity(family, key, {{name, value}});
      model[key][family] = {name, value};
    }
    if (random.OneIn(100)) {
      ASSERT_TRUE(db_->Flush(FlushOptions(), families_).ok());
    }
  }
  const std::string upper = Key(180);
  const Slice bound(upper);
  ReadOptions options;
  options.iterate_upper_bound = &bound;
  model.erase(model.lower_bound(upper), model.end());
  const auto coalescing = db_->NewCoalescingIterator(options, families_);
  const auto groups = db_->NewAttributeGroupIterator(options, families_);
  auto at = model.end();
  for (int step = 0; step < 3000; ++step) {
    const uint64_t what = at == model.end() ? random.Uniform(4) : random.Uniform(20);
    const std::string target = Key(random.Uniform(210)) + (random.OneIn(2) ? "+" : "");
    const auto move = [&](auto* it) {
      if (what == 0) return it->SeekToFirst();
      if (what == 1) return it->SeekToLast();
      if (what == 2) return it->Seek(target);
      if (what == 3) return it->SeekForPrev(target);
      return what % 2 == 0 ? it->Next() : it->Prev();
    };
    move(coalescing.get());
    move(groups.get());
    const auto before = [&](auto place) {
      return place == model.begin() ? model.end() : std::prev(place);
    };
    if (what == 0) {
      at = model.begin();
    } else if (what == 1) {
      at = before(model.end());
    } else if (what == 2) {
      at = model.lower_bound(target);
    } else if (what == 3) {
      at = before(model.upper_bound(target));
    } else {
      at = what % 2 == 0 ? std::next(at) : before(at);
    }
    ASSERT_EQ(coalescing->Valid(), at != model.end()) << step;
    ASSERT_EQ(groups->Valid(), at != model.end()) << step;
    ASSERT_TRUE(coalescing->status().ok());
    if (at == model.end()) continue;
    ASSERT_EQ(coalescing->key(), at->first) << step;
    ASSERT_EQ(groups->key(), at->first) << step;
    std::map<std::string, std::string> columns;
    std::string apart, together;
    for (const auto& [family, column] : at->second) {
      columns[column.first] = column.second;
      apart += std::to_string(family) + "[" + column.first + ":" + column.second + "]";
    }
    for (const auto& [name, value] : columns) {
      together += (together.empty() ? "" : ",") + name + ":" + value;
    }
    ASSERT_EQ(Text(coalescing->columns()), together) << step;
    ASSERT_EQ(Groups(*groups), apart) << step;
  }
}

}  // namespace
}  // namespace cairn::testing
