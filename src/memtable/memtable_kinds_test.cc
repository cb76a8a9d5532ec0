// The kinds of memtable beside the default, the filter, and huge pages: each against a model.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "fiber/random.h"
#include "fiber/thread.h"
#include "memtable/memtable.h"
#include "memtable/memtable_filter.h"
#include "rocksdb/comparator.h"

namespace cairn {
namespace {

struct Kind {
  const char* name;
  MemTableKind kind;
  double filter_ratio;
  bool whole_keys;
  const char* extractor;  // "fixed", "capped" or ""
  size_t protection_bytes = 0;
  uint32_t longest = 20;  // of linked lists
};

std::shared_ptr<const SliceTransform> Extractor(const std::string& name) {
  if (name == "fixed") return std::shared_ptr<const SliceTransform>(NewFixedPrefixTransform(3));
  if (name == "capped") return std::shared_ptr<const SliceTransform>(NewCappedPrefixTransform(3));
  return nullptr;
}

class MemTableKindTest : public ::testing::TestWithParam<Kind> {
 protected:
  MemTableKindTest()
      : comparator_(BytewiseComparator()), extractor_(Extractor(GetParam().extractor)) {
    MemTableOptions options;
    options.kind = GetParam().kind;
    options.prefix_extractor = extractor_.get();
    options.hash.buckets = 37;  // prefixes share buckets
    options.links.buckets = 37;
    options.links.longest = GetParam().longest;
    options.filter_bytes =
        static_cast<size_t>(GetParam().filter_ratio * static_cast<double>(64 << 10));
    options.filter_whole_keys = GetParam().whole_keys;
    options.protection_bytes = GetParam().protection_bytes;
    table_ = new MemTable(comparator_, options, 0);
  }
  ~MemTableKindTest() override { table_->Unref(); }

  // "ab", "abc", "abcd...": some without a prefix, many of one.
  std::string RandomKey(Random64* random) const {
    std::string key;
    const size_t size = random->Uniform(7);
    for (size_t i = 0; i < size; ++i) key.push_back(static_cast<char>('a' + random->Uniform(4)));
    return key;
  }

  const InternalKeyComparator comparator_;
  const std::shared_ptr<const SliceTransform> extractor_;
  MemTable* table_;
};

INSTANTIATE_TEST_SUITE_P(
    Kinds, MemTableKindTest,
    ::testing::Values(Kind{"Skiplist", MemTableKind::kSkipList, 0, false, ""},
                      Kind{"SkiplistPrefixFilter", MemTableKind::kSkipList, 0.1, false, "fixed"},
                      Kind{"SkiplistKeyFilter", MemTableKind::kSkipList, 0.1, true, ""},
                      Kind{"SkiplistTinyFilter", MemTableKind::kSkipList, 0.0001, true, "capped"},
                      Kind{"SkiplistChecksums", MemTableKind::kSkipList, 0.1, true, "fixed", 4},
                      Kind{"VectorChecksums", MemTableKind::kVector, 0, false, "", 1},
                      Kind{"HashChecksums", MemTableKind::kHashSkipList, 0, false, "fixed", 8},
                      Kind{"Vector", MemTableKind::kVector, 0, false, ""},
                      Kind{"VectorFilter", MemTableKind::kVector, 0.1, true, "fixed"},
                      Kind{"Hash", MemTableKind::kHashSkipList, 0, false, "fixed"},
                      Kind{"HashCapped", MemTableKind::kHashSkipList, 0, false, "capped"},
                      Kind{"HashFilter", MemTableKind::kHashSkipList, 0.1, false, "fixed"},
                      Kind{"Links", MemTableKind::kHashLinkList, 0, false, "fixed"},
                      Kind{"LinksCapped", MemTableKind::kHashLinkList, 0, false, "capped"},
                      Kind{"LinksFilter", MemTableKind::kHashLinkList, 0.1, true, "fixed"},
                      Kind{"LinksChecksums", MemTableKind::kHashLinkList, 0, false, "fixed", 4},
                      Kind{"LinksAlone", MemTableKind::kHashLinkList, 0, false, "fixed", 0,
                           1u << 30},
                      Kind{"LinksSoonSkip", MemTableKind::kHashLinkList, 0, false, "capped", 2, 0}),
    [](const auto& kind) { return kind.param.name; });

// Gets at every snapshot, and whole walks, between the writes.
TEST_P(MemTableKindTest, AgreesWithAModel) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random64 random(seed);
  std::map<std::string, std::map<SequenceNumber, std::string, std::greater<>>> model;
  EXPECT_TRUE(table_->IsEmpty());
  SequenceNumber seq = 0;
  uint64_t entries = 0;
  for (int round = 0; round < 30; ++round) {
    for (int i = 0; i < 150; ++i, ++entries) {
      const std::string key = RandomKey(&random);
      const bool deletes = random.OneIn(4);
      const std::string value = deletes ? "" : std::to_string(++seq);
      if (deletes) ++seq;
      ASSERT_TRUE(table_->Add(seq, deletes ? kTypeDeletion : kTypeValue, key, value, false).ok());
      model[key][seq] = deletes ? "deleted" : value;
    }
    for (int i = 0; i < 200; ++i) {
      const std::string key = RandomKey(&random);
      const SequenceNumber at = random.Uniform(seq + 2);
      std::string expected = "absent";
      if (const auto it = model.find(key); it != model.end()) {
        const auto version = it->second.lower_bound(at);  // the newest at or before
        if (version != it->second.end()) expected = version->second;
      }
      Slice value;
      Status s;
      const bool decides = table_->Get(LookupKey(key, at), &value, &s);
      ASSERT_EQ(!decides ? "absent" : s.ok() ? value.ToString() : "deleted", expected) << key;
    }
    // Total order, both ways.
    std::unique_ptr<InternalIterator> iter(table_->NewIterator());
    iter->SeekToFirst();
    for (const auto& [key, versions] : model) {
      for (const auto& [version, value] : versions) {
        ASSERT_TRUE(iter->Valid());
        ASSERT_EQ(ExtractUserKey(iter->key()), key);
        ASSERT_EQ(ExtractSequence(iter->key()), version);
        iter->Next();
      }
    }
    ASSERT_FALSE(iter->Valid());
    iter->SeekToLast();
    uint64_t steps = 0;
    for (; iter->Valid(); iter->Prev()) ++steps;
    ASSERT_EQ(steps, entries);
    const std::string target = RandomKey(&random);
    iter->Seek(LookupKey(target, kMaxSequenceNumber).internal_key());
    const auto it = model.lower_bound(target);
    ASSERT_EQ(iter->Valid(), it != model.end());
    if (iter->Valid()) {
      ASSERT_EQ(ExtractUserKey(iter->key()), it->first);
    }
    iter->SeekForPrev(InternalKey(target, 0, kTypeDeletion).Encode());
    const auto after = model.upper_bound(target);
    ASSERT_EQ(iter->Valid(), after != model.begin());
    if (iter->Valid()) {
      ASSERT_EQ(ExtractUserKey(iter->key()), std::prev(after)->first);
    }
  }
  EXPECT_FALSE(table_->IsEmpty());
  EXPECT_EQ(table_->num_entries(), entries);
  uint64_t count = 0;
  uint64_t bytes = 0;
  table_->ApproximateRange(InternalKey("", kMaxSequenceNumber, kValueTypeForSeek).Encode(),
                           InternalKey("zzz", 0, kTypeDeletion).Encode(), &count, &bytes);
  EXPECT_GT(count, entries / 4);
  EXPECT_LE(count, entries);
}

TEST_P(MemTableKindTest, ASeekOfOnePrefixSeesAllOfThePrefix) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random64 random(seed);
  std::set<std::string> model;
  SequenceNumber seq = 0;
  std::unique_ptr<InternalIterator> iter;
  for (int i = 0; i < 3000; ++i) {
    if (i < 400 || random.OneIn(3)) {
      const std::string key = RandomKey(&random);
      ASSERT_TRUE(table_->Add(++seq, kTypeValue, key, "v", false).ok());
      model.insert(key);
      iter.reset(table_->NewIterator(/*one_prefix=*/true));
      continue;
    }
    if (iter == nullptr) iter.reset(table_->NewIterator(/*one_prefix=*/true));
    const std::string target = RandomKey(&random);
    if (extractor_ != nullptr && !extractor_->InDomain(target)) continue;
    const auto within = [&](const std::string& key) {
      return extractor_ == nullptr || (extractor_->InDomain(key) &&
                                       extractor_->Transform(key) == extractor_->Transform(target));
    };
    // One entry of each key in turn, as far as the prefix goes.
    std::vector<std::string> expected;
    for (auto it = model.lower_bound(target); it != model.end() && within(*it); ++it) {
      expected.push_back(*it);
    }
    std::vector<std::string> seen;
    for (iter->Seek(LookupKey(target, kMaxSequenceNumber).internal_key()); iter->Valid();
         iter->Next()) {
      const std::string key = ExtractUserKey(iter->key()).ToString();
      if (!within(key)) break;
      if (seen.empty() || seen.back() != key) seen.push_back(key);
    }
    ASSERT_EQ(seen, expected) << target;
    expected.clear();
    for (auto it = model.upper_bound(target); it != model.begin() && within(*std::prev(it)); --it) {
      expected.push_back(*std::prev(it));
    }
    seen.clear();
    for (iter->SeekForPrev(InternalKey(target, 0, kTypeDeletion).Encode()); iter->Valid();
         iter->Prev()) {
      const std::string key = ExtractUserKey(iter->key()).ToString();
      if (!within(key)) break;
      if (seen.empty() || seen.back() != key) seen.push_back(key);
    }
    ASSERT_EQ(seen, expected) << target;
  }
}

// One writer, and readers beside it: everything that the writer has told of is found.
TEST_P(MemTableKindTest, ReadersBesideTheWriterMissNothing) {
  constexpr int kEntries = 6000;
  std::atomic<int> told{0};
  const auto key_of = [](int i) {
    return std::to_string(i * 7919 % 100003) + "-" + std::to_string(i);
  };
  std::vector<std::unique_ptr<fiber::Thread>> readers;
  for (int r = 0; r < 2; ++r) {
    readers.push_back(std::make_unique<fiber::Thread>("read", [&, r] {
      Random64 random(static_cast<uint64_t>(r));
      for (int n = 0; (n = told.load(std::memory_order_acquire)) < kEntries;) {
        if (n == 0) continue;
        const std::string key = key_of(static_cast<int>(random.Uniform(static_cast<uint64_t>(n))));
        Slice value;
        Status s;
        ASSERT_TRUE(table_->Get(LookupKey(key, kMaxSequenceNumber), &value, &s)) << key;
        ASSERT_EQ(value, Slice(key));
        if (!random.OneIn(100)) continue;
        std::unique_ptr<InternalIterator> iter(table_->NewIterator());
        int count = 0;
        std::string last;
        for (iter->SeekToFirst(); iter->Valid(); iter->Next(), ++count) {
          ASSERT_TRUE(last.empty() || comparator_.Compare(last, iter->key()) < 0);
          last = iter->key().ToString();
        }
        ASSERT_GE(count, n);
      }
    }));
  }
  for (int i = 0; i < kEntries; ++i) {
    const std::string key = key_of(i);
    ASSERT_TRUE(table_->Add(static_cast<SequenceNumber>(i) + 1, kTypeValue, key, key, false).ok());
    told.store(i + 1, std::memory_order_release);
  }
  for (auto& reader : readers) reader->join();
}

// --- The filter

TEST(MemTableFilterTest, KeepsWhatManyThreadsAdd) {
  ConcurrentArena arena(64 << 10);
  MemTableFilter filter(&arena, 20000);
  constexpr int kThreads = 4;
  constexpr int kEach = 4000;
  std::vector<std::unique_ptr<fiber::Thread>> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.push_back(std::make_unique<fiber::Thread>("add", [&filter, t] {
      for (int i = 0; i < kEach; ++i) {
        const std::string key = std::to_string(t) + "/" + std::to_string(i);
        filter.Add(key);
        ASSERT_TRUE(filter.MayContain(key));
      }
    }));
  }
  for (auto& thread : threads) thread->join();
  for (int t = 0; t < kThreads; ++t) {
    for (int i = 0; i < kEach; ++i) {
      ASSERT_TRUE(filter.MayContain(std::to_string(t) + "/" + std::to_string(i)));
    }
  }
  // Ten bits for a key: about one in a hundred is wrong. Ten times that would be a broken hash.
  int wrong = 0;
  for (int i = 0; i < 10000; ++i) wrong += filter.MayContain("absent" + std::to_string(i));
  EXPECT_LT(wrong, 1000);
}

TEST(MemTableFilterTest, ConcurrentWritersOfAFilteredMemtableAreFound) {
  const InternalKeyComparator comparator(BytewiseComparator());
  MemTableOptions options;
  options.filter_bytes = 4096;
  options.filter_whole_keys = true;
  MemTable* table = new MemTable(comparator, options, 0);
  constexpr int kThreads = 4;
  constexpr int kEach = 2000;
  std::vector<std::unique_ptr<fiber::Thread>> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.push_back(std::make_unique<fiber::Thread>("add", [&, t] {
      for (int i = 0; i < kEach; ++i) {
        const SequenceNumber seq = 1 + static_cast<SequenceNumber>(i) * kThreads + t;
        const std::string key = std::to_string(t) + "/" + std::to_string(i);
        ASSERT_TRUE(table->Add(seq, kTypeValue, key, "v", true).ok());
        Slice value;
        Status s;
        ASSERT_TRUE(table->Get(LookupKey(key, seq), &value, &s));
      }
    }));
  }
  for (auto& thread : threads) thread->join();
  for (int t = 0; t < kThreads; ++t) {
    for (int i = 0; i < kEach; ++i) {
      Slice value;
      Status s;
      ASSERT_TRUE(table->Get(
          LookupKey(std::to_string(t) + "/" + std::to_string(i), kMaxSequenceNumber), &value, &s));
    }
  }
  table->Unref();
}

// An order in which keys of different bytes are equal: a filter over bytes would hide some.
class CaseBlindComparator final : public Comparator {
 public:
  const char* Name() const override { return "test.CaseBlind"; }
  int Compare(const Slice& a, const Slice& b) const override {
    const auto lower = [](const Slice& s) {
      std::string r = s.ToString();
      for (char& c : r) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
      return r;
    };
    return lower(a).compare(lower(b));
  }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

TEST(MemTableFilterTest, IsNotUsedWhereDifferentBytesMayBeEqual) {
  const CaseBlindComparator order;
  const InternalKeyComparator comparator(&order);
  MemTableOptions options;
  options.filter_bytes = 4096;
  options.filter_whole_keys = true;
  MemTable* table = new MemTable(comparator, options, 0);
  ASSERT_TRUE(table->Add(1, kTypeValue, "Key", "v", false).ok());
  Slice value;
  Status s;
  EXPECT_TRUE(table->Get(LookupKey("kEY", kMaxSequenceNumber), &value, &s));
  table->Unref();
}

}  // namespace
}  // namespace cairn
