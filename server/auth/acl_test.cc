// Users of a server as its clients meet them: ACL, AUTH, and what is refused at the door of the
// executor.
#include "server/auth/acl.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/commands/registry.h"
#include "server/testing/local_server.h"

namespace cairn::server {
namespace {

using testing::LocalClient;
using testing::LocalServer;

class AclTest : public ::testing::Test {
 protected:
  // A client that has logged in.
  void LogIn(LocalClient& client, const std::string& name) {
    EXPECT_EQ("+OK", client("AUTH " + name + " secret"));
  }

  LocalServer server_;
  LocalClient admin_{server_.get()};
  LocalClient client_{server_.get()};
};

TEST_F(AclTest, UsersAreMadeShownAndDeleted) {
  EXPECT_EQ("\"default\" [\"default\"]", admin_.Pipeline({"ACL WHOAMI", "ACL USERS"}));
  EXPECT_EQ("[\"user default on nopass ~* &* +@all\"]", admin_("ACL LIST"));
  EXPECT_EQ("+OK", admin_("ACL SETUSER bob on >secret ~a* &c +@hash +get"));
  EXPECT_EQ(
      "[\"flags\", [\"on\"], \"passwords\", "
      "[\"2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b\"], "
      "\"commands\", \"-@all +@hash +get\", \"keys\", \"~a*\", \"channels\", \"&c\", "
      "\"selectors\", []]",
      admin_("ACL GETUSER bob"));
  EXPECT_EQ("nil", admin_("ACL GETUSER nobody"));
  EXPECT_EQ("[\"bob\", \"default\"]", admin_("ACL USERS"));
  EXPECT_EQ("ERR Error in ACL SETUSER modifier 'foo': Syntax error",
            admin_("ACL SETUSER bob +set foo"));
  EXPECT_NE(std::string::npos, admin_("ACL GETUSER bob").find("-@all +@hash +get\""));
  EXPECT_EQ("ERR Usernames can't contain spaces or null characters", admin_("ACL SETUSER \"a b\""));
  EXPECT_EQ("ERR The 'default' user cannot be removed", admin_("ACL DELUSER bob default"));
  EXPECT_EQ("1 [\"default\"]", admin_.Pipeline({"ACL DELUSER bob nobody", "ACL USERS"}));
}

TEST_F(AclTest, WhoLogsInMayDoWhatItsRulesSay) {
  admin_("ACL SETUSER bob on >secret ~a* +get +set +mget +acl|whoami +ping");
  EXPECT_EQ("WRONGPASS invalid username-password pair or user is disabled.",
            client_("AUTH bob wrong"));
  EXPECT_EQ("\"default\"", client_("ACL WHOAMI"));
  LogIn(client_, "bob");
  EXPECT_EQ("\"bob\" +OK \"1\" +PONG",
            client_.Pipeline({"ACL WHOAMI", "SET a1 1", "GET a1", "PING"}));
  EXPECT_EQ("NOPERM this user has no permissions to run the 'del' command", client_("DEL a1"));
  EXPECT_EQ("NOPERM this user has no permissions to run the 'acl|setuser' command",
            client_("ACL SETUSER bob allcommands"));
  EXPECT_EQ("NOPERM this user has no permissions to access one of the keys used as arguments",
            client_("MGET a1 b"));
  // In one pipeline, what is allowed goes on.
  EXPECT_EQ(
      "\"1\" NOPERM this user has no permissions to access one of the keys used as arguments "
      "+OK",
      client_.Pipeline({"GET a1", "GET b", "SET a2 2"}));
  EXPECT_EQ("+RESET \"default\" 1", client_.Pipeline({"RESET", "ACL WHOAMI", "DEL a1"}));
  admin_("ACL SETUSER bob off");
  EXPECT_NE("+OK", client_("AUTH bob secret"));
}

TEST_F(AclTest, ChangesHoldFromTheNextCommandOn) {
  admin_("ACL SETUSER bob on >secret allkeys +@all");
  LogIn(client_, "bob");
  EXPECT_EQ("+OK", client_("SET a 1"));
  EXPECT_EQ("+OK", admin_("ACL SETUSER bob -@write"));
  EXPECT_EQ("NOPERM this user has no permissions to run the 'set' command", client_("SET a 2"));
  EXPECT_EQ("\"1\"", client_("GET a"));
  // Also its own, within a pipeline.
  EXPECT_EQ("\"1\" +OK NOPERM this user has no permissions to run the 'get' command",
            client_.Pipeline({"GET a", "ACL SETUSER bob -get", "GET a"}));
  // A namesake is somebody else.
  EXPECT_EQ("1 +OK", admin_.Pipeline({"ACL DELUSER bob", "ACL SETUSER bob on nopass +@all ~*"}));
  EXPECT_EQ("NOAUTH Authentication required.", client_("GET a"));
  EXPECT_TRUE(client_.session().close_after_reply);
}

TEST_F(AclTest, TransactionsAreLookedAtWhenTheyAreQueuedAndWhenTheyRun) {
  admin_("ACL SETUSER bob on >secret ~a* +@all");
  LogIn(client_, "bob");
  EXPECT_EQ(
      "+OK +QUEUED NOPERM this user has no permissions to access one of the keys used as "
      "arguments EXECABORT Transaction discarded because of previous errors.",
      client_.Pipeline({"MULTI", "SET a 1", "SET b 1", "EXEC"}));
  EXPECT_EQ("+OK +QUEUED +QUEUED +QUEUED",
            client_.Pipeline({"MULTI", "SET a 1", "GET a", "DEL a"}));
  admin_("ACL SETUSER bob -set");
  const std::string denied =
      "NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC "
      "call. This command is no longer allowed for the following reason: this user has no "
      "permissions to run the 'set' command";
  EXPECT_EQ("[" + denied + ", nil, 0]", client_("EXEC"));
  EXPECT_EQ("0", admin_("EXISTS a"));
  EXPECT_EQ("NOPERM this user has no permissions to run the 'multi' command",
            (admin_("ACL SETUSER bob -@transaction"), client_("MULTI")));
}

TEST_F(AclTest, BitfieldWithGetAloneReads) {
  admin_("ACL SETUSER bob on nopass +@all %R~r* %RW~w*");
  const auto dry = [&](const std::string& line) {
    return admin_("ACL DRYRUN bob BITFIELD " + line);
  };
  EXPECT_EQ("+OK", dry("r GET u4 0 OVERFLOW SAT GET u8 1"));
  EXPECT_EQ("+OK", dry("w SET u4 0 1"));
  EXPECT_NE("+OK", dry("r GET u4 0 SET u4 0 1"));
  EXPECT_NE("+OK", dry("r INCRBY u4 0 1"));
}

TEST_F(AclTest, TheLogOfWhatWasDenied) {
  admin_("ACL SETUSER bob on >secret ~a +get +multi +exec");
  LogIn(client_, "bob");
  client_.Pipeline({"GET b", "GET b", "SET a 1", "AUTH carl guess", "MULTI", "GET c", "EXEC"});
  const auto entries = server_.get()->state().acl().log().Newest(10);
  ASSERT_EQ(4u, entries.size());
  EXPECT_STREQ("key", entries[0].reason);
  EXPECT_STREQ("multi", entries[0].context);
  EXPECT_EQ("c", entries[0].object);
  EXPECT_STREQ("auth", entries[1].reason);
  EXPECT_EQ("carl", entries[1].user);
  EXPECT_STREQ("command", entries[2].reason);
  EXPECT_EQ("set", entries[2].object);
  EXPECT_EQ("b", entries[3].object);
  EXPECT_EQ(2u, entries[3].count);
  EXPECT_STREQ("toplevel", entries[3].context);
  EXPECT_EQ("bob", entries[3].user);
  EXPECT_NE(std::string::npos, entries[3].client.find("user=bob"));
  EXPECT_EQ(0u, admin_("ACL LOG 1")
                    .find("[[\"count\", 1, \"reason\", \"key\", \"context\", "
                          "\"multi\", \"object\", \"c\", \"username\", \"bob\", "));
  EXPECT_EQ("+OK []", admin_.Pipeline({"ACL LOG RESET", "ACL LOG"}));
  for (int i = 0; i < 1000; ++i) client_("GET b" + std::to_string(i) + std::string(1000, 'x'));
  const auto many = server_.get()->state().acl().log().Newest(SIZE_MAX);
  EXPECT_EQ(128u, many.size());
  EXPECT_EQ(128u, many[0].object.size());
}

TEST_F(AclTest, DryRunCategoriesAndPasswords) {
  admin_("ACL SETUSER bob ~a* +@string +client|id");
  EXPECT_EQ("+OK", admin_("ACL DRYRUN bob GET a"));
  EXPECT_EQ("\"This user has no permissions to access the 'b' key\"",
            admin_("ACL DRYRUN bob SET b GET"));
  EXPECT_EQ("\"This user has no permissions to run the 'hget' command\"",
            admin_("ACL DRYRUN bob HGET a b"));
  EXPECT_EQ("\"This user has no permissions to run the 'client|kill' command\"",
            admin_("ACL DRYRUN bob CLIENT KILL x"));
  EXPECT_EQ("ERR User 'carl' not found", admin_("ACL DRYRUN carl GET a"));
  EXPECT_EQ("ERR Command 'nosuch' not found", admin_("ACL DRYRUN bob nosuch"));
  EXPECT_EQ("ERR wrong number of arguments for 'get' command", admin_("ACL DRYRUN bob GET"));
  EXPECT_NE(std::string::npos, admin_("ACL CAT").find("\"keyspace\", \"read\", \"write\""));
  EXPECT_EQ("[\"discard\", \"exec\", \"multi\", \"unwatch\", \"watch\"]",
            admin_("ACL CAT transaction"));
  EXPECT_EQ("ERR Unknown category 'nosuch'", admin_("ACL CAT nosuch"));
  EXPECT_EQ(66u, admin_("ACL GENPASS").size());
  EXPECT_EQ(4u, admin_("ACL GENPASS 5").size());
  EXPECT_NE(std::string::npos, admin_("ACL GENPASS 0").find("positive number"));
  EXPECT_NE(std::string::npos, admin_("ACL GENPASS 4097").find("positive number"));
  EXPECT_NE(std::string::npos, admin_("ACL NOSUCH").find("unknown subcommand"));
  EXPECT_NE(std::string::npos, admin_("ACL SAVE").find("no ACL file"));
}

TEST_F(AclTest, RequirepassIsTheDefaultUsersPassword) {
  EXPECT_EQ("+OK [\"requirepass\", \"(set)\"]",
            admin_.Pipeline({"CONFIG SET requirepass secret", "CONFIG GET requirepass"}));
  EXPECT_TRUE(server_.get()->state().needs_password());
  EXPECT_EQ("+OK", client_("AUTH secret"));
  EXPECT_EQ("+OK", client_("AUTH default secret"));
  EXPECT_NE("+OK", client_("AUTH wrong"));
  EXPECT_EQ(std::string::npos, admin_("ACL LIST").find("nopass"));
  EXPECT_EQ("+OK [\"requirepass\", \"\"]",
            admin_.Pipeline({"CONFIG SET requirepass \"\"", "CONFIG GET requirepass"}));
  EXPECT_FALSE(server_.get()->state().needs_password());
  EXPECT_EQ("[\"user default on nopass ~* &* +@all\"]", admin_("ACL LIST"));
}

TEST_F(AclTest, SecretsAreNotInTheSlowLog) {
  admin_.Pipeline({"CONFIG SET slowlog-log-slower-than 0", "ACL SETUSER bob >hidden1",
                   "CONFIG SET requirepass hidden2", "AUTH hidden2",
                   "CONFIG SET requirepass \"\""});
  EXPECT_EQ(std::string::npos, admin_("SLOWLOG GET -1").find("hidden"));
}

TEST(AclUnitTest, LoginsAreRightOrNull) {
  Acl acl(CommandPermissions(), "secret", "");
  EXPECT_FALSE(acl.open());
  EXPECT_EQ(nullptr, acl.LogIn("default", ""));
  EXPECT_EQ(nullptr, acl.LogIn("default", "secret2"));
  EXPECT_EQ(nullptr, acl.LogIn("nobody", "secret"));
  ASSERT_NE(nullptr, acl.LogIn("default", "secret"));
  EXPECT_TRUE(acl.LogIn("default", "secret")->unrestricted());
  AclChanges changes;
  std::string error;
  const std::string_view off[] = {"off"};
  const uint64_t before = acl.generation();
  ASSERT_TRUE(acl.SetUser("default", off, &changes, &error));
  EXPECT_NE(before, acl.generation());
  EXPECT_EQ(nullptr, acl.LogIn("default", "secret"));
  EXPECT_TRUE(Acl(CommandPermissions(), "", "").open());
}

TEST(AclUnitTest, ChangesNameThoseWhoLoseSomething) {
  Acl acl(CommandPermissions(), "", "");
  AclChanges changes;
  std::string error;
  const std::string_view rules[] = {"&a", "&b"};
  const std::string_view fewer[] = {"resetchannels", "&a"};
  ASSERT_TRUE(acl.SetUser("bob", rules, &changes, &error));
  ASSERT_TRUE(acl.SetUser("bob", rules, &changes, &error));
  EXPECT_TRUE(changes.deleted.empty() && changes.fewer_channels.empty());
  const uint64_t id = acl.Find("bob")->id();
  ASSERT_TRUE(acl.SetUser("bob", fewer, &changes, &error));
  EXPECT_EQ(std::vector<uint64_t>{id}, changes.fewer_channels);
  EXPECT_TRUE(acl.Delete("bob", &changes));
  EXPECT_FALSE(acl.Delete("bob", &changes));
  EXPECT_EQ(std::vector<uint64_t>{id}, changes.deleted);
}

}  // namespace
}  // namespace cairn::server
