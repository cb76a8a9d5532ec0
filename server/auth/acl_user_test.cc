#include "server/auth/acl_user.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "server/commands/registry.h"
#include "server/resp/request_parser.h"

namespace cairn::server {
namespace {

constexpr uint64_t kId = 7;

std::vector<std::string> Split(std::string_view line) {
  std::vector<std::string> words;
  EXPECT_TRUE(SplitWords(line, &words)) << line;
  return words;
}

AclUser UserOf(std::string_view rules) {
  AclUser user(CommandPermissions(), "somebody", kId);
  std::string error;
  for (const std::string& rule : Split(rules)) EXPECT_TRUE(user.Apply(rule, &error)) << rule;
  return user;
}

// "" or what of the request is denied: "command", "key a", "channel b".
std::string Denied(const AclUser& user, std::string_view line) {
  const std::vector<std::string> words = Split(line);
  const std::vector<std::string_view> arguments(words.begin(), words.end());
  const Command* const command = FindCommand(words[0]);
  if (command == nullptr) return "no command";
  size_t position = 0;
  switch (user.Check(*command, arguments, &position)) {
    case AclUser::Denied::kNothing:
      return "";
    case AclUser::Denied::kCommand:
      return "command";
    case AclUser::Denied::kKey:
      return "key " + words[position];
    case AclUser::Denied::kChannel:
      return "channel " + words[position];
  }
  return "?";
}

std::string ErrorOf(AclUser user, std::string_view rule) {
  const std::string before = user.Describe();
  std::string error;
  EXPECT_FALSE(user.Apply(rule, &error)) << rule;
  EXPECT_EQ(before, user.Describe());
  return error;
}

TEST(AclUserTest, ANewOneMayDoNothingButSayWhoItIs) {
  const AclUser user(CommandPermissions(), "somebody", kId);
  EXPECT_FALSE(user.on());
  EXPECT_FALSE(user.nopass());
  EXPECT_FALSE(user.unrestricted());
  for (const char* const line : {"GET a", "PING", "MULTI", "ACL WHOAMI", "CLIENT ID", "FLUSHALL"}) {
    EXPECT_EQ("command", Denied(user, line)) << line;
  }
  for (const char* const line : {"AUTH a b", "HELLO 3", "QUIT", "RESET"}) {
    EXPECT_EQ("", Denied(user, line)) << line;
  }
  EXPECT_EQ("off resetchannels -@all", user.Describe());
}

TEST(AclUserTest, CommandsAndCategoriesInTheirOrder) {
  AclUser user = UserOf("allkeys +@string -append +client|getname +config|get +hget");
  EXPECT_EQ("", Denied(user, "GET a"));
  EXPECT_EQ("", Denied(user, "set a b"));
  EXPECT_EQ("command", Denied(user, "APPEND a b"));
  EXPECT_EQ("command", Denied(user, "DEL a"));
  EXPECT_EQ("", Denied(user, "HGET a b"));
  EXPECT_EQ("", Denied(user, "client GETNAME"));
  EXPECT_EQ("command", Denied(user, "CLIENT KILL a"));
  EXPECT_EQ("command", Denied(user, "CLIENT nosuch"));
  EXPECT_EQ("", Denied(user, "CONFIG GET a"));
  EXPECT_EQ("command", Denied(user, "CONFIG SET a b"));
  EXPECT_EQ("-@all +@string -append +client|getname +config|get +hget", user.DescribeCommands());
  user = UserOf("allkeys +@all -@dangerous -@write");
  EXPECT_EQ("", Denied(user, "GET a"));
  EXPECT_EQ("", Denied(user, "ACL WHOAMI"));
  EXPECT_EQ("", Denied(user, "CLIENT SETNAME a"));
  for (const char* const line : {"SET a b", "KEYS *", "FLUSHALL", "CONFIG GET a", "SHUTDOWN",
                                 "ACL SETUSER a", "CLIENT KILL a", "DEBUG SLEEP 1", "INFO"}) {
    EXPECT_EQ("command", Denied(user, line)) << line;
  }
  // A command brings its subcommands, and takes them along.
  user = UserOf("allkeys +client -client|kill");
  EXPECT_EQ("", Denied(user, "CLIENT ID"));
  EXPECT_EQ("command", Denied(user, "CLIENT kill a"));
  EXPECT_EQ("-@all +client -client|kill", user.DescribeCommands());
  std::string error;
  EXPECT_TRUE(user.Apply("-client", &error));
  EXPECT_EQ("-@all -client", user.DescribeCommands());
  EXPECT_EQ("command", Denied(user, "CLIENT ID"));
}

TEST(AclUserTest, EveryCommandHasACategoryOfSpeedAndAPlace) {
  uint32_t fast = 0, slow = 0;
  ASSERT_TRUE(FindCategory("FAST", &fast));
  ASSERT_TRUE(FindCategory("slow", &slow));
  EXPECT_FALSE(FindCategory("all", &slow));
  std::set<std::string> names;
  for (const Permission& one : CommandPermissions().all()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_NE((one.categories & fast) != 0, (one.categories & slow) != 0) << one.name;
  }
  for (const Command* const command : AllCommands()) {
    EXPECT_TRUE(names.contains(std::string(command->name)));
    const std::string_view name[] = {command->name};
    EXPECT_EQ(CommandPermissions().Of(*command, name).command, command);
  }
}

TEST(AclUserTest, KeysByPatternAndByWhatIsDoneWithThem) {
  const AclUser user = UserOf("allcommands ~all:* %R~read:* %W~write:* ~x");
  struct {
    const char* line;
    const char* denied;
  } cases[] = {
      {"GET all:1", ""},
      {"GET read:1", ""},
      {"GET write:1", "key write:1"},
      {"GET other", "key other"},
      {"GET al", "key al"},
      {"SET write:1 v", ""},
      {"SET read:1 v", "key read:1"},
      {"SET write:1 v GET", "key write:1"},
      {"SET all:1 v get", ""},
      {"INCR write:1", "key write:1"},  // tells what was there
      {"INCR all:1", ""},
      {"DEL write:1 all:2 x", ""},
      {"DEL write:1 read:1", "key read:1"},
      {"MSET write:1 read:1 write:2 v", ""},  // values are no keys
      {"MSET write:1 v read:2 v", "key read:2"},
      {"MGET read:1 all:1 write:1", "key write:1"},
      {"COPY read:1 write:1", ""},
      {"COPY write:1 write:2", "key write:1"},
      {"COPY read:1 read:2", "key read:2"},
      {"RENAME all:1 write:1", ""},
      {"RENAME read:1 write:1", "key read:1"},
      {"SINTERSTORE write:1 read:1 read:2", ""},
      {"SINTERSTORE write:1 read:1 write:2", "key write:2"},
      {"SINTERCARD 2 read:1 all:1", ""},
      {"SINTERCARD 2 read:1 write:1", "key write:1"},
      {"SMOVE all:1 write:1 m", ""},
      {"SMOVE write:1 write:2 m", "key write:1"},
      {"BITOP OR write:1 read:1 read:2", ""},
      {"BITOP OR write:1 read:1 write:2", "key write:2"},
      {"ZUNIONSTORE write:1 2 read:1 all:1", ""},
      {"ZUNIONSTORE read:1 2 read:1 all:1", "key read:1"},
      {"ZUNIONSTORE write:1 2 read:1 other", "key other"},
      {"ZMPOP 2 all:1 write:1 MIN", "key write:1"},
      {"EXPIRE write:1 10", ""},
      {"EXISTS write:1 read:1 x", ""},
      {"STRLEN other", "key other"},
      {"WATCH write:1 read:1", ""},
      {"WATCH other", "key other"},
      {"PING", ""},
      {"SORT read:1 BY nosort GET # LIMIT 0 1", ""},
      {"SORT read:1 STORE write:1", ""},
      {"SORT write:1", "key write:1"},
      {"SORT read:1 STORE read:2", "key read:2"},
      {"SORT read:1 BY read:*", "key SORT"},  // elements say which keys
      {"SORT_RO read:1 LIMIT 0 1 GET read:*", "key SORT_RO"},
      {"OBJECT ENCODING write:1", ""},
      {"OBJECT ENCODING other", "key other"},
      {"KEYS *", ""},              // names, as in Redis
      {"RANGE - +", "key RANGE"},  // values of keys that it does not name
  };
  for (const auto& one : cases) EXPECT_EQ(one.denied, Denied(user, one.line)) << one.line;
  EXPECT_EQ("~all:* %R~read:* %W~write:* ~x", user.DescribeKeys());
  // Two rules of one pattern are one; nothing is allowed by two halves of different ones.
  EXPECT_EQ("~x", UserOf("%R~x %W~x").DescribeKeys());
  EXPECT_EQ("key x", Denied(UserOf("+@all %R~x %W~x*"), "INCR x"));
  EXPECT_EQ("", Denied(UserOf("+@all allkeys"), "RANGE - +"));
  EXPECT_EQ("", Denied(UserOf("+@all %R~* %W~a"), "RANGE - +"));
  EXPECT_EQ("key RANGE", Denied(UserOf("+@all %W~* ~a"), "RANGE - +"));
  EXPECT_EQ("key a", Denied(UserOf("+@all allkeys resetkeys ~b"), "GET a"));
}

TEST(AclUserTest, Channels) {
  const AclUser user = UserOf("+@all &news.* &a[bc]");
  EXPECT_EQ("&news.* &a[bc]", user.DescribeChannels());
  EXPECT_FALSE(user.unrestricted());
  EXPECT_TRUE(UserOf("&*").HasChannelsOf(user));
  EXPECT_TRUE(user.HasChannelsOf(user));
  EXPECT_TRUE(user.HasChannelsOf(UserOf("&news.*")));
  EXPECT_FALSE(user.HasChannelsOf(UserOf("&news.sport")));
  EXPECT_FALSE(user.HasChannelsOf(UserOf("allchannels")));
  EXPECT_FALSE(UserOf("resetchannels").HasChannelsOf(user));
}

TEST(AclUserTest, Passwords) {
  AclUser user = UserOf(">one >two >one on");
  EXPECT_EQ(2u, user.passwords().size());
  EXPECT_TRUE(user.KnowsPassword(HashPassword("one")));
  EXPECT_TRUE(user.KnowsPassword(HashPassword("two")));
  EXPECT_FALSE(user.KnowsPassword(HashPassword("")));
  EXPECT_FALSE(user.KnowsPassword(HashPassword("three")));
  std::string error;
  EXPECT_TRUE(user.Apply("<one", &error));
  EXPECT_FALSE(user.KnowsPassword(HashPassword("one")));
  // FIPS 180-4's example.
  const std::string abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  EXPECT_EQ(abc, HashToHex(HashPassword("abc")));
  EXPECT_TRUE(user.Apply("#" + abc, &error));
  EXPECT_TRUE(user.KnowsPassword(HashPassword("abc")));
  EXPECT_TRUE(user.Apply("!" + abc, &error));
  EXPECT_FALSE(user.KnowsPassword(HashPassword("abc")));
  EXPECT_TRUE(user.Apply("nopass", &error));
  EXPECT_TRUE(user.nopass() && user.passwords().empty());
  EXPECT_TRUE(user.Apply(">three", &error));
  EXPECT_FALSE(user.nopass());
  EXPECT_TRUE(user.Apply("resetpass", &error));
  EXPECT_TRUE(!user.nopass() && user.passwords().empty());
}

TEST(AclUserTest, WhatIsNoRuleChangesNothing) {
  const AclUser user = UserOf("on >secret ~a &b +get");
  EXPECT_EQ("Syntax error", ErrorOf(user, "foo"));
  EXPECT_EQ("Syntax error", ErrorOf(user, ""));
  EXPECT_EQ("Syntax error", ErrorOf(user, "%~a"));
  EXPECT_EQ("Syntax error", ErrorOf(user, "%RR~a"));
  EXPECT_EQ("Syntax error", ErrorOf(user, "%R"));
  EXPECT_EQ("Syntax error", ErrorOf(user, "~a b"));
  EXPECT_EQ("Syntax error", ErrorOf(user, "&a\nuser"));
  for (const char* const rule : {"+", "-", "+nosuch", "+@", "+@nosuch", "+get|a", "+client|nosuch",
                                 "+|", "+client|", "+allcommands"}) {
    EXPECT_EQ("Unknown command or category name in ACL", ErrorOf(user, rule)) << rule;
  }
  for (const char* const rule : {"#12", "#", "!zz"}) {
    EXPECT_NE(std::string::npos, ErrorOf(user, rule).find("64 characters")) << rule;
  }
  EXPECT_NE(std::string::npos, ErrorOf(user, "#" + std::string(64, 'A')).find("lowercase"));
  EXPECT_NE(std::string::npos, ErrorOf(user, "<other").find("does not exist"));
  EXPECT_NE(std::string::npos, ErrorOf(UserOf("allkeys"), "~a").find("resetkeys"));
  EXPECT_NE(std::string::npos, ErrorOf(UserOf("allchannels"), "&a").find("resetchannels"));
}

TEST(AclUserTest, ItsDescriptionMakesItAnew) {
  for (const char* const rules :
       {"", "on nopass ~* &* +@all",
        "off >a >b ~k* %R~r %W~w &c +@all -@write +set -client +client|id",
        "on >a allkeys +@read +@write -@read +get -get +get", "on +acl|whoami -@all +@hash",
        "+get on reset +set"}) {
    const AclUser user = UserOf(rules);
    const AclUser again = UserOf(user.Describe());
    EXPECT_EQ(user.Describe(), again.Describe()) << rules;
    EXPECT_EQ(user.unrestricted(), again.unrestricted());
    for (const Permission& one : CommandPermissions().all()) {
      const size_t bar = one.name.find('|');
      std::vector<std::string_view> words = {std::string_view(one.name).substr(0, bar)};
      if (bar != std::string::npos) words.push_back(std::string_view(one.name).substr(bar + 1));
      while (words.size() < 4) words.push_back("k");
      size_t unused;
      EXPECT_EQ(user.Check(*one.command, words, &unused), again.Check(*one.command, words, &unused))
          << rules << ": " << one.name;
    }
  }
  EXPECT_TRUE(UserOf("allcommands allkeys allchannels").unrestricted());
  EXPECT_FALSE(UserOf("allcommands -get +get allkeys allchannels").unrestricted());
}

TEST(PasswordTest, RandomOnesHaveTheirLengthAndDiffer) {
  std::set<std::string> seen;
  for (size_t digits = 1; digits <= 1024; digits = digits * 2 + 1) {
    const std::string text = RandomHex(digits);
    EXPECT_EQ(digits, text.size());
    EXPECT_EQ(std::string::npos, text.find_first_not_of("0123456789abcdef"));
  }
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(seen.insert(RandomHex(32)).second);
  EXPECT_EQ(1024u, RandomHex(5000).size());
}

}  // namespace
}  // namespace cairn::server
