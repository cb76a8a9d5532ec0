// utilities/debug.h: what lies under a key.
#include "rocksdb/utilities/debug.h"

#include "conformance.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/utilities/convenience.h"

namespace conformance {
namespace {

class JoinedText : public AssociativeMergeOperator {
 public:
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
             Logger* /*logger*/) const override {
    *result =
        existing == nullptr ? value.ToString() : existing->ToString() + "," + value.ToString();
    return true;
  }
  const char* Name() const override { return "conformance.JoinedText"; }
};

class DebugTest : public DBTest {
 protected:
  DebugTest() {
    options_.disable_auto_compactions = true;
    options_.merge_operator = std::make_shared<JoinedText>();
  }
  // "key=value@sequence:type", the sequence numbers from that of the first on.
  std::string Versions(const Slice& begin, const Slice& end, size_t most = 100,
                       ColumnFamilyHandle* family = nullptr) {
    std::vector<KeyVersion> versions = {KeyVersion("what was there", "goes", 1, 1)};
    EXPECT_OK(family == nullptr ? GetAllKeyVersions(db_, begin, end, most, &versions)
                                : GetAllKeyVersions(db_, family, begin, end, most, &versions));
    std::string text;
    for (const KeyVersion& version : versions) {
      text += (text.empty() ? "" : " ") + version.user_key + "=" + version.value + "@" +
              std::to_string(version.sequence) + ":" + version.GetTypeName();
    }
    return text;
  }
};

TEST_F(DebugTest, ShowsAllVersionsOfMemtablesAndTables) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("a", "3"));
  ASSERT_OK(Delete("a"));
  ASSERT_OK(db_->Merge(WriteOptions(), "b", "4"));
  ASSERT_OK(db_->SingleDelete(WriteOptions(), "c"));
  EXPECT_EQ(
      "a=@4:TypeDeletion a=3@3:TypeValue a=1@1:TypeValue b=4@5:TypeMerge b=2@2:TypeValue "
      "c=@6:TypeSingleDeletion",
      Versions("", ""));
  EXPECT_EQ("b=4@5:TypeMerge b=2@2:TypeValue", Versions("b", "b"));
  EXPECT_EQ("a=@4:TypeDeletion a=3@3:TypeValue a=1@1:TypeValue", Versions("", "a"));
  EXPECT_EQ("c=@6:TypeSingleDeletion", Versions("bb", ""));
  EXPECT_EQ("", Versions("d", "e"));
  EXPECT_EQ("a=@4:TypeDeletion a=3@3:TypeValue", Versions("", "", 2));
  ASSERT_OK(Compact());
  EXPECT_EQ("b=2,4@0:TypeValue", Versions("", ""));
}

TEST_F(DebugTest, OfAFamily) {
  Open();
  ColumnFamilyHandle* family = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(options_, "family", &family));
  ASSERT_OK(db_->Put(WriteOptions(), family, "a", "1"));
  EXPECT_EQ("", Versions("", ""));
  EXPECT_EQ("a=1@1:TypeValue", Versions("", "", 100, family));
  delete family;
}

TEST_F(DebugTest, NullsAreRefused) {
  Open();
  std::vector<KeyVersion> versions;
  EXPECT_CODE(InvalidArgument, GetAllKeyVersions(nullptr, "", "", 1, &versions));
  EXPECT_CODE(InvalidArgument, GetAllKeyVersions(db_, nullptr, "", "", 1, &versions));
  EXPECT_EQ("Invalid", KeyVersion("", "", 1, 99).GetTypeName());
  EXPECT_EQ("TypeRangeDeletion", KeyVersion("", "", 1, 15).GetTypeName());
}

}  // namespace
}  // namespace conformance
