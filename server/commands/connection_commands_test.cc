// CLIENT: its replies switched off, alone and with transactions; who is listed and who is killed.
// And what else clients ask about the server: INFO, COMMAND LIST, ROLE.
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "server/host/machine.h"
#include "server/testing/local_server.h"
#include "server/testing/test_server.h"

namespace cairn::server {
namespace {

using testing::LocalClient;
using testing::LocalServer;
using testing::TestClient;
using testing::TestServer;

class ClientReplyTest : public ::testing::Test {
 protected:
  LocalServer server_;
  LocalClient run_{server_.get()};
};

TEST_F(ClientReplyTest, SkipsOneReplyOfAnyKind) {
  EXPECT_EQ("+PONG", run_.Pipeline({"CLIENT REPLY SKIP", "GET k", "PING"}));
  EXPECT_EQ("+PONG", run_.Pipeline({"CLIENT REPLY SKIP", "NOTHING", "PING"}));
  EXPECT_EQ("+QUEUED [1]", run_.Pipeline({"CLIENT REPLY SKIP", "MULTI", "INCR k", "EXEC"}));
}

TEST_F(ClientReplyTest, OnEndsASkip) {
  EXPECT_EQ("+OK nil", run_.Pipeline({"CLIENT REPLY SKIP", "CLIENT REPLY ON", "GET k"}));
}

TEST_F(ClientReplyTest, OffSilencesATransaction) {
  EXPECT_EQ("+OK \"1\"", run_.Pipeline({"CLIENT REPLY OFF", "MULTI", "INCR k", "EXEC",
                                        "CLIENT REPLY ON", "GET k"}));
}

TEST_F(ClientReplyTest, WithinATransactionItLeavesOutNoElement) {
  EXPECT_EQ("+OK +QUEUED +QUEUED +QUEUED +QUEUED [1, +OK, 2, +OK] +PONG",
            run_.Pipeline({"MULTI", "INCR k", "CLIENT REPLY OFF", "INCR k", "CLIENT REPLY ON",
                           "EXEC", "PING"}));
  EXPECT_EQ("+OK +QUEUED +QUEUED [+OK, 3]",
            run_.Pipeline({"MULTI", "CLIENT REPLY SKIP", "INCR k", "EXEC"}));
}

class ClientsTest : public ::testing::Test {
 protected:
  ClientsTest() {
    one_.Do("CLIENT SETNAME one");
    two_.Do("CLIENT SETNAME two");
  }
  static bool Has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  // CLIENT LIST, but for what the time does to it.
  static std::string List(TestClient& client) {
    static const std::regex kTimes("(age|idle)=[0-9]+");
    return std::regex_replace(client.Do("CLIENT LIST"), kTimes, "$1=*");
  }
  static std::string Number(const std::string& integer) { return integer.substr(1); }

  TestServer server_;
  TestClient one_{server_};
  TestClient two_{server_};
};

TEST_F(ClientsTest, AreListedWithWhatTheySayOfThemselves) {
  two_.Do("CLIENT SETINFO LIB-NAME snake");
  two_.Do("HELLO 3");
  two_.Do("SELECT 7");
  two_.Do("MULTI");
  two_.Do("GET k");
  const std::string list = List(one_);
  EXPECT_TRUE(Has(list, " name=one age=* idle=* flags=N db=0 ")) << list;
  EXPECT_TRUE(Has(list,
                  " name=two age=* idle=* flags=x db=7 sub=0 psub=0 ssub=0 multi=1 omem=0 "
                  "cmd=get user=default resp=3 lib-name=snake lib-ver= "))
      << list;
  EXPECT_TRUE(Has(list, " cmd=client|list "));
  two_.Do("DISCARD");
  EXPECT_TRUE(Has(List(one_), " multi=-1 omem=0 cmd=discard "));
  two_.Do("RESET");
  EXPECT_TRUE(Has(List(one_), " name= age=* idle=* flags=N db=0 "));
}

TEST_F(ClientsTest, AreChosenByNumberAndType) {
  const std::string two = Number(two_.Do("CLIENT ID"));
  two_.Do("SUBSCRIBE a");
  const std::string by_id = one_.Do("CLIENT LIST ID 99999 " + two);
  EXPECT_TRUE(Has(by_id, "name=two") && !Has(by_id, "name=one")) << by_id;
  const std::string listening = one_.Do("CLIENT LIST TYPE pubsub");
  EXPECT_TRUE(Has(listening, "name=two") && !Has(listening, "name=one")) << listening;
  const std::string normal = one_.Do("CLIENT LIST TYPE normal");
  EXPECT_TRUE(!Has(normal, "name=two") && Has(normal, "name=one")) << normal;
  EXPECT_EQ("\"\"", one_.Do("CLIENT LIST TYPE replica"));
  EXPECT_EQ("-ERR Unknown client type 'x'", one_.Do("CLIENT LIST TYPE x"));
  EXPECT_EQ("-ERR Invalid client ID", one_.Do("CLIENT LIST ID x"));
  EXPECT_EQ("-ERR syntax error", one_.Do("CLIENT LIST ID"));
}

TEST_F(ClientsTest, AreKilledByUserAndType) {
  EXPECT_EQ("-ERR No such user 'bob'", one_.Do("CLIENT KILL USER bob"));
  EXPECT_EQ("-ERR Unknown client type 'x'", one_.Do("CLIENT KILL TYPE x"));
  one_.Do("ACL SETUSER bob on nopass +@all ~* &*");
  two_.Do("AUTH bob x");
  EXPECT_EQ(":0", one_.Do("CLIENT KILL USER bob TYPE pubsub"));
  one_.Send("CLIENT KILL USER bob");
  one_.Send("CLIENT LIST");
  one_.Send("CLIENT KILL USER bob");
  EXPECT_EQ(":1", one_.Receive());
  EXPECT_FALSE(Has(one_.Receive(), "name=two"));
  EXPECT_EQ(":0", one_.Receive());
  EXPECT_EQ("closed", two_.Receive());
  TestClient three(server_);
  three.Do("SUBSCRIBE a");
  EXPECT_EQ(":1", one_.Do("CLIENT KILL TYPE pubsub"));
  EXPECT_EQ("closed", three.Receive());
  EXPECT_EQ("+PONG", one_.Do("PING"));
}

TEST_F(ClientsTest, SubcommandsThatThereAreNotAreToldFromWrongWords) {
  EXPECT_EQ("-ERR unknown subcommand 'nothing'. Try CLIENT HELP.", one_.Do("CLIENT nothing"));
  EXPECT_EQ("-ERR wrong number of arguments for 'client|kill' command", one_.Do("CLIENT KILL"));
  EXPECT_EQ("-ERR wrong number of arguments for 'config|get' command", one_.Do("CONFIG GET"));
  EXPECT_EQ("-ERR unknown subcommand 'x'. Try PUBSUB HELP.", one_.Do("PUBSUB x"));
}

TEST_F(ClientsTest, AskWhatTheServerIs) {
  EXPECT_EQ("[\"master\" :0 []]", one_.Do("ROLE"));
  EXPECT_EQ(":-1", one_.Do("CLIENT GETREDIR"));
  EXPECT_EQ("-WRONG said so", one_.Do({"DEBUG", "ERROR", "WRONG said so"}));
  EXPECT_EQ("[\"mset\" \"msetnx\"]", one_.Do("COMMAND LIST FILTERBY PATTERN [m]Set*"));
  EXPECT_EQ("[\"client|kill\"]", one_.Do("COMMAND LIST FILTERBY PATTERN client|k*"));
  EXPECT_EQ("[]", one_.Do("COMMAND LIST FILTERBY MODULE json"));
  EXPECT_EQ("[]", one_.Do("COMMAND LIST FILTERBY ACLCAT nothing"));
  EXPECT_TRUE(Has(one_.Do("COMMAND LIST FILTERBY ACLCAT pubsub"), "\"psubscribe\" \"publish\""));
  EXPECT_EQ("-ERR syntax error", one_.Do("COMMAND LIST FILTERBY x"));
}

TEST_F(ClientsTest, ConfigSetDoesAllOrNothing) {
  EXPECT_EQ("+OK", one_.Do("CONFIG SET timeout 100 slowlog-max-len 50"));
  EXPECT_EQ(
      "-ERR CONFIG SET failed (possibly related to argument 'timeout') - argument couldn't "
      "be parsed into an integer",
      one_.Do("CONFIG SET slowlog-max-len 60 requirepass p timeout x"));
  EXPECT_EQ("-ERR CONFIG SET failed (possibly related to argument 'Timeout') - duplicate parameter",
            one_.Do("CONFIG SET timeout 1 Timeout 2"));
  EXPECT_EQ(
      "-ERR CONFIG SET failed (possibly related to argument 'port') - can't set immutable "
      "config",
      one_.Do("CONFIG SET timeout 1 port 2"));
  EXPECT_EQ("-ERR Unknown option or number of arguments for CONFIG SET - 'x'",
            one_.Do("CONFIG SET timeout 1 x 2"));
  EXPECT_EQ("[\"requirepass\" \"\" \"slowlog-max-len\" \"50\" \"timeout\" \"100\"]",
            one_.Do("CONFIG GET timeout slowlog-max-len requirepass"));
}

TEST_F(ClientsTest, InfoHasEachSectionOnce) {
  const std::string cpu = one_.Do("INFO cpu nothing CPU");
  EXPECT_TRUE(cpu.starts_with("\"# CPU\r\nused_cpu_sys:")) << cpu;
  EXPECT_EQ(cpu.find("# "), cpu.rfind("# "));
  const std::string all = one_.Do("INFO cpu all");
  for (const char* const part : {"role:master", "cluster_enabled:0", "redis_version:"}) {
    EXPECT_TRUE(Has(all, part)) << part;
  }
  EXPECT_EQ(all.find("# CPU"), all.rfind("# CPU"));
  EXPECT_EQ("\"\"", one_.Do("INFO nothing"));
}

// The number behind `name` in the text.
uint64_t NumberOf(const std::string& text, const std::string& name) {
  const size_t at = text.find(name);
  EXPECT_NE(at, std::string::npos) << name << " in " << text;
  return at == std::string::npos ? 0 : std::stoull(text.substr(at + name.size()));
}

TEST_F(ClientsTest, InfoTellsHitsAndMissesOfReads) {
  one_.Do("MSET a 1 b 2");
  one_.Do("CONFIG RESETSTAT");
  EXPECT_EQ("[\"1\" nil \"2\"]", one_.Do("MGET a none b"));
  EXPECT_EQ("nil", one_.Do("GET none"));
  EXPECT_EQ("+string", one_.Do("TYPE a"));
  EXPECT_EQ(":2", one_.Do("INCR a"));  // a write looks, too, and does not count
  one_.Do("MULTI");
  one_.Do("GET b");
  one_.Do("INCR b");
  EXPECT_EQ("[\"2\" :3]", one_.Do("EXEC"));
  const std::string info = one_.Do("INFO stats");
  EXPECT_EQ(NumberOf(info, "keyspace_hits:"), 4u) << info;
  EXPECT_EQ(NumberOf(info, "keyspace_misses:"), 2u) << info;
  const std::string memory = one_.Do("INFO memory");
  const uint64_t resident = NumberOf(memory, "used_memory_rss:");
  EXPECT_GT(resident, uint64_t{1} << 20);
  EXPECT_GE(NumberOf(memory, "used_memory_peak:"), resident);
  EXPECT_NE(memory.find("mem_allocator:" + AllocatorName()), std::string::npos) << memory;
}

TEST_F(ClientsTest, InfoTellsTheKeysOfEachDatabaseInRedissForm) {
  one_.Do("MSET a 1 b 2 c 3");
  one_.Do("PEXPIRE a 1000000");
  one_.Do("SELECT 2");
  one_.Do("RPUSH list 1 2 3");
  std::string info = one_.Do("INFO keyspace");
  EXPECT_TRUE(std::regex_match(info, std::regex("\"# Keyspace\r\n"
                                                "db0:keys=3,expires=1,avg_ttl=[1-9][0-9]+\r\n"
                                                "db2:keys=1,expires=0,avg_ttl=0\r\n\r\n\"")))
      << info;
  // Beyond what is counted it is an estimate, and says so.
  constexpr int kKeys = 25'000;
  std::vector<std::string> words = {"MSET"};
  for (int i = 0; i < kKeys; ++i) {
    words.push_back("key" + std::to_string(i));
    words.emplace_back("a value of some length");
  }
  EXPECT_EQ("+OK", one_.Do(words));
  info = one_.Do("INFO keyspace");
  EXPECT_TRUE(Has(info, "\r\nestimated:db2\r\n")) << info;
  const uint64_t keys = NumberOf(info, "db2:keys=");
  EXPECT_GT(keys, uint64_t{kKeys} / 2);
  EXPECT_LT(keys, uint64_t{kKeys} * 2);
}

TEST_F(ClientsTest, ResetstatBeginsTheCountsAnew) {
  for (int i = 0; i < 50; ++i) one_.Do("PING");
  EXPECT_EQ("+OK", one_.Do("CONFIG RESETSTAT"));
  const std::string info = one_.Do("INFO stats");
  EXPECT_TRUE(Has(info, "total_connections_received:0\r\ntotal_commands_processed:1\r\n")) << info;
}

}  // namespace
}  // namespace cairn::server
