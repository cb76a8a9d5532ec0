// Bits of strings as clients see them, and against a model; redis_check.py asks a redis-server.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fiber/random.h"
#include "server/testing/local_server.h"

namespace cairn::server {
namespace {

using testing::Choices;
using testing::LocalClient;
using testing::LocalServer;

class BitsTest : public ::testing::Test {
 protected:
  LocalServer server_;
  LocalClient run_{server_.get()};
};

TEST_F(BitsTest, BitsAreSetAndRead) {
  EXPECT_EQ("0 1 1 0 0 \"A\"", run_.Pipeline({"SETBIT s 1 1", "SETBIT s 1 1", "GETBIT s 1",
                                              "GETBIT s 1000", "SETBIT s 7 1", "GET s"}));
  EXPECT_EQ("0 3 0", run_.Pipeline({"SETBIT s 20 0", "STRLEN s", "GETBIT none 7"}));
  EXPECT_EQ("ERR bit offset is not an integer or out of range", run_("SETBIT s 4294967296 1"));
  EXPECT_EQ("ERR bit offset is not an integer or out of range", run_("GETBIT s -1"));
  EXPECT_EQ("ERR bit is not an integer or out of range", run_("SETBIT s 1 2"));
}

TEST_F(BitsTest, BitsAreCountedAndFound) {
  run_.Pipeline({"SET s foobar", "SET f \"\\xff\\xf0\\x00\"", "SET ones \"\\xff\\xff\""});
  EXPECT_EQ("26 4 6 17 0", run_.Pipeline({"BITCOUNT s", "BITCOUNT s 0 0", "BITCOUNT s 1 1 BYTE",
                                          "BITCOUNT s 5 30 BIT", "BITCOUNT none"}));
  EXPECT_EQ("12 0 -1 16 -1", run_.Pipeline({"BITPOS f 0", "BITPOS f 1", "BITPOS f 1 2",
                                            "BITPOS ones 0", "BITPOS ones 0 0 -1"}));
  EXPECT_EQ("9 -1 0 -1", run_.Pipeline({"BITPOS f 1 9 20 BIT", "BITPOS f 0 1 11 BIT",
                                        "BITPOS none 0", "BITPOS none 1"}));
  EXPECT_EQ("ERR The bit argument must be 1 or 0.", run_("BITPOS s 2"));
}

TEST_F(BitsTest, StringsAreCombinedBitByBit) {
  run_.Pipeline({"SET a \"\\x0f\\xff\"", "SET b \"\\x3c\"", "SADD to x"});
  EXPECT_EQ(std::string("2 \"\x0c\0\"", 6), run_.Pipeline({"BITOP AND to a b", "GET to"}));
  EXPECT_EQ("2 \"\x3f\xff\"", run_.Pipeline({"BITOP or to a b none", "GET to"}));
  EXPECT_EQ("2 \"\x33\xff\"", run_.Pipeline({"BITOP XOR to a b", "GET to"}));
  EXPECT_EQ("1 \"\xc3\" 0 0",
            run_.Pipeline({"BITOP NOT to b", "GET to", "BITOP AND to none", "EXISTS to"}));
  EXPECT_EQ("ERR BITOP NOT must be called with a single source key.", run_("BITOP NOT to a b"));
  run_("SADD set x");
  EXPECT_EQ("WRONGTYPE Operation against a key holding the wrong kind of value",
            run_("BITOP AND a a set"));
}

TEST_F(BitsTest, FieldsOverflowAsTheyAreTold) {
  EXPECT_EQ("[0, 255, 0]", run_("BITFIELD s SET u8 0 255 GET u8 0 GET i8 #1"));
  EXPECT_EQ("[4]", run_("BITFIELD s INCRBY u8 0 5"));
  EXPECT_EQ("[255, nil, 255]",
            run_("BITFIELD s OVERFLOW SAT INCRBY u8 0 300 OVERFLOW FAIL INCRBY u8 0 1 GET u8 0"));
  EXPECT_EQ("[0, -128, 127]", run_("BITFIELD s SET i8 #2 127 INCRBY i8 #2 1 OVERFLOW SAT "
                                   "INCRBY i8 #2 1000"));
  EXPECT_EQ("[-1]", run_("BITFIELD_RO s GET i8 0"));
  EXPECT_EQ("ERR BITFIELD_RO only supports the GET subcommand", run_("BITFIELD_RO s SET u8 0 1"));
  EXPECT_EQ("[0] 0", run_.Pipeline({"BITFIELD none GET u8 0", "EXISTS none"}));
}

// The bits of one string, some of them far behind its end, beside a vector.
TEST_F(BitsTest, RandomBitsAgreeWithAModel) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Choices random(seed);
  std::vector<bool> model;
  const auto count = [&](size_t first, size_t last, bool bit, size_t* at) {
    size_t found = 0;
    *at = SIZE_MAX;
    for (size_t i = first; i <= last && i < model.size(); ++i) {
      if (model[i] != bit) continue;
      if (found++ == 0) *at = i;
    }
    return found;
  };
  for (int step = 0; step < 3000; ++step) {
    const size_t bit = random.Below(1 + random.Below(3000));
    const bool value = random.OneIn(2);
    if (model.size() <= bit) model.resize(bit / 8 * 8 + 8);
    ASSERT_EQ(model[bit] ? "1" : "0",
              run_("SETBIT s " + std::to_string(bit) + (value ? " 1" : " 0")));
    model[bit] = value;
    const size_t first = random.Below(model.size()), last = first + random.Below(200);
    const std::string range = std::to_string(first) + " " + std::to_string(last) + " BIT";
    size_t at;
    ASSERT_EQ(std::to_string(count(first, last, true, &at)), run_("BITCOUNT s " + range)) << range;
    ASSERT_EQ(at == SIZE_MAX ? "-1" : std::to_string(at), run_("BITPOS s 1 " + range)) << range;
    count(first, last, false, &at);
    ASSERT_EQ(at == SIZE_MAX ? "-1" : std::to_string(at), run_("BITPOS s 0 " + range)) << range;
  }
}

}  // namespace
}  // namespace cairn::server
