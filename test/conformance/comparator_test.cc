// Comparators by name: Comparator::CreateFromString and the text of options.
#include "rocksdb/comparator.h"

#include "conformance.h"
#include "rocksdb/convenience.h"
#include "rocksdb/utilities/object_registry.h"

namespace conformance {
namespace {

class Backwards : public Comparator {
 public:
  const char* Name() const override { return "conformance.Backwards"; }
  int Compare(const Slice& a, const Slice& b) const override { return b.compare(a); }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

const Comparator* Made(const std::string& text) {
  const Comparator* made = nullptr;
  EXPECT_OK(Comparator::CreateFromString(ConfigOptions(), text, &made));
  return made;
}

TEST(ComparatorTest, BuiltInOnesAreFoundByName) {
  EXPECT_EQ(BytewiseComparator(), Made("leveldb.BytewiseComparator"));
  EXPECT_EQ(ReverseBytewiseComparator(), Made("rocksdb.ReverseBytewiseComparator"));
  EXPECT_EQ(BytewiseComparator(), Made("id=leveldb.BytewiseComparator;"));
  EXPECT_EQ(nullptr, Made(""));
  const Comparator* made = BytewiseComparator();
  EXPECT_CODE(NotSupported, Comparator::CreateFromString(ConfigOptions(), "nullptr", &made));
}

TEST(ComparatorTest, ThatWithTimestampsIsFoundByName) {
  const Comparator* const made = Made("leveldb.BytewiseComparator.u64ts");
  ASSERT_NE(nullptr, made);
  EXPECT_STREQ("leveldb.BytewiseComparator.u64ts", made->Name());
  EXPECT_EQ(8u, made->timestamp_size());
  EXPECT_EQ(made, TimestampComparator());
}

TEST(ComparatorTest, AnUnknownNameLeavesWhatIsThere) {
  const Comparator* made = ReverseBytewiseComparator();
  EXPECT_OK(Comparator::CreateFromString(ConfigOptions(), "nothing", &made));
  EXPECT_EQ(ReverseBytewiseComparator(), made);
  ConfigOptions strict;
  strict.ignore_unsupported_options = false;
  EXPECT_CODE(NotSupported, Comparator::CreateFromString(strict, "nothing", &made));
  EXPECT_EQ(ReverseBytewiseComparator(), made);
  EXPECT_OK(Comparator::CreateFromString(strict, "", &made));
  EXPECT_EQ(nullptr, made);
}

TEST(ComparatorTest, WhatIsRegisteredIsFound) {
  static const Backwards backwards;
  ConfigOptions options;
  options.ignore_unsupported_options = false;
  options.registry->AddLibrary("of the test")
      ->AddFactory<const Comparator>(backwards.Name(),
                                     [](const std::string&, std::unique_ptr<const Comparator>*,
                                        std::string*) -> const Comparator* { return &backwards; });
  const Comparator* made = nullptr;
  EXPECT_OK(Comparator::CreateFromString(options, "conformance.Backwards", &made));
  EXPECT_EQ(&backwards, made);
}

TEST(ComparatorTest, OptionsAsTextHaveThem) {
  ColumnFamilyOptions parsed;
  EXPECT_OK(GetColumnFamilyOptionsFromString(ConfigOptions(), ColumnFamilyOptions(),
                                             "comparator=rocksdb.ReverseBytewiseComparator;",
                                             &parsed));
  EXPECT_EQ(ReverseBytewiseComparator(), parsed.comparator);
  EXPECT_OK(GetColumnFamilyOptionsFromString(ConfigOptions(), ColumnFamilyOptions(),
                                             "comparator=leveldb.BytewiseComparator.u64ts",
                                             &parsed));
  EXPECT_EQ(TimestampComparator(), parsed.comparator);
}

}  // namespace
}  // namespace conformance
