// OBJECT as clients see it.
#include <gtest/gtest.h>

#include <string>

#include "server/testing/local_server.h"

namespace cairn::server {
namespace {

using testing::LocalClient;
using testing::LocalServer;

TEST(ObjectTest, TellsHowAValueIsStored) {
  LocalServer server;
  LocalClient run(server.get());
  run.Pipeline({"SET n 12", "SET s text", "SADD set 1", "HSET h f v", "ZADD z 1 a"});
  run.Run({"SET", "long", std::string(45, 'x')});
  EXPECT_EQ("\"int\" \"embstr\" \"raw\" \"hashtable\" \"hashtable\" \"skiplist\" nil",
            run.Pipeline({"OBJECT ENCODING n", "OBJECT encoding s", "OBJECT ENCODING long",
                          "OBJECT ENCODING set", "OBJECT ENCODING h", "OBJECT ENCODING z",
                          "OBJECT ENCODING none"}));
  EXPECT_EQ("1 ERR idle times are not tracked ERR access frequencies are not tracked",
            run.Pipeline({"OBJECT REFCOUNT n", "OBJECT IDLETIME n", "OBJECT FREQ n"}));
  EXPECT_EQ("ERR unknown subcommand 'SIZE'. Try OBJECT HELP.", run("OBJECT SIZE n"));
  EXPECT_EQ("ERR wrong number of arguments for 'object|encoding' command", run("OBJECT ENCODING"));
}

}  // namespace
}  // namespace cairn::server
