// Ids of tables, against those that librocksdb 7.8.3 gives for the same properties.
#include "table/unique_id.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "fs/file_util.h"
#include "rocksdb/unique_id.h"

namespace cairn {
namespace {

TableProperties Properties(const std::string& session, uint64_t number) {
  TableProperties properties;
  properties.db_id = "f03b1f5e-1d2c-4a9e-9c1b-3b8a4b4c5d6e";
  properties.db_session_id = session;
  properties.orig_file_number = number;
  return properties;
}

TEST(UniqueId, IsRocksDbs) {
  struct Case {
    const char* session;
    uint64_t number;
    const char* text;
  };
  for (const Case& c : {
           Case{"ABCDEFGHIJ0123456789", 7, "554592D35738D187-1844270A7720725C-2A6C00E8C0FABFB4"},
           Case{"ABCDEFGHIJ0123456789", 123456789012,
                "F6AB2A773C97178C-4466097AD007EC80-F7F47AFBFE4080DD"},
           Case{"abcdefghij0123456789", 7, "554592D35738D187-1844270A7720725C-2A6C00E8C0FABFB4"},
           Case{"ZZZZZZZZZZZZZZZZZZZZ", 7, "2CF0D808F15F938B-143B302D9BEA0258-E431D15B9A009338"},
           Case{"0000000000000000000A", 7, "17CDDDE699707C48-4EBFC403F5864593-7CB4B11916614FE5"},
           Case{"ABCDEFGHIJKLM", 123456789012,
                "689E1267B2992D31-5ABA10AC11E91593-B6DFC084A28C2208"},
       }) {
    const TableProperties properties = Properties(c.session, c.number);
    std::string id;
    ASSERT_TRUE(GetExtendedUniqueIdFromTableProperties(properties, &id).ok());
    EXPECT_EQ(UniqueIdToHumanString(id), c.text);
    std::string shorter;
    ASSERT_TRUE(GetUniqueIdFromTableProperties(properties, &shorter).ok());
    EXPECT_EQ(shorter, id.substr(0, 16));
  }
}

TEST(UniqueId, OfTablesThatSayTooLittle) {
  std::string id = "kept";
  TableProperties properties;
  const auto error = [&] {
    const Status s = GetUniqueIdFromTableProperties(properties, &id);
    EXPECT_EQ(id, "");
    EXPECT_EQ(UniqueIdOf(properties), kNullUniqueId);
    return s.ToString();
  };
  EXPECT_EQ(error(), "Not implemented: Missing db_id");
  properties.db_id = "x";
  EXPECT_EQ(error(), "Not implemented: Missing or bad file number");
  properties.orig_file_number = 1;
  EXPECT_EQ(error(), "Not implemented: Missing db_session_id");
  properties.db_session_id = "ABCDEFGHIJKL";
  EXPECT_EQ(error(), "Not implemented: Too short db_session_id");
  properties.db_session_id = "ABCDEFGHIJ012345678901234";
  EXPECT_EQ(error(), "Not implemented: Too long db_session_id");
  properties.db_session_id = "ABCDEFGHIJ-123456789";
  EXPECT_EQ(error(), "Not implemented: Bad digit in db_session_id");
}

TEST(UniqueId, AnotherTableIsNotTheExpectedOne) {
  const TableProperties table = Properties("ABCDEFGHIJ0123456789", 7);
  const UniqueId id = UniqueIdOf(table);
  ASSERT_NE(id, kNullUniqueId);
  EXPECT_TRUE(CheckUniqueId(id, table, "/db/000007.sst").ok());
  TableProperties of_another_database = table;
  of_another_database.db_id = "9e9c1b3b-1d2c-4a9e-9c1b-3b8a4b4c5d6e";
  for (const TableProperties& other :
       {Properties("ABCDEFGHIJ0123456789", 8), Properties("ABCDEFGHIJ0123456788", 7),
        Properties("BBCDEFGHIJ0123456789", 7), of_another_database, TableProperties(),
        Properties("short", 7), Properties("", 7)}) {
    const Status s = CheckUniqueId(id, other, "/db/000007.sst");
    EXPECT_TRUE(IsUniqueIdMismatch(s)) << s.ToString();
    EXPECT_NE(s.ToString().find("/db/000007.sst"), std::string::npos) << s.ToString();
  }
  EXPECT_FALSE(IsUniqueIdMismatch(Status::Corruption("block checksum mismatch")));
  EXPECT_FALSE(IsUniqueIdMismatch(Status::OK()));
}

TEST(UniqueId, GoesThroughBytes) {
  const UniqueId id{0x0123456789abcdef, 1};
  UniqueId decoded{};
  ASSERT_TRUE(DecodeUniqueId(EncodeUniqueId(id), &decoded));
  EXPECT_EQ(decoded, id);
  EXPECT_EQ(EncodeUniqueId(id).substr(0, 2), "\xef\xcd");
  EXPECT_FALSE(DecodeUniqueId("fifteen bytes..", &decoded));
  EXPECT_EQ(UniqueIdText({1, 2}), "{1,2}");
  EXPECT_EQ(UniqueIdToHumanString(""), "");
  EXPECT_EQ(UniqueIdToHumanString("abc"), "616263");
  EXPECT_EQ(UniqueIdToHumanString("abcdefghij"), "6162636465666768-696A");
}

TEST(UniqueId, SessionsHaveIdsOfTheFormat) {
  std::set<uint64_t> first_words;
  for (int i = 0; i < 100; ++i) {
    const std::string session = GenerateDbSessionId();
    ASSERT_EQ(session.size(), 20u);
    EXPECT_EQ(session.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"), std::string::npos);
    const UniqueId id = UniqueIdOf(Properties(session, 1));
    EXPECT_NE(id[0], 0u);
    first_words.insert(id[0]);
  }
  EXPECT_EQ(first_words.size(), 100u);
}

}  // namespace
}  // namespace cairn
