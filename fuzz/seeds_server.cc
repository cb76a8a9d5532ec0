// Seeds of the targets of the server.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/seeds.h"
#include "server/resp/request_parser.h"

namespace cairn::fuzz {

namespace {

constexpr std::string_view kNoPieces("\0", 1);

// A line of words as a client's library sends it.
std::string Encode(std::string_view line) {
  std::vector<std::string> words;
  (void)server::SplitWords(line, &words);
  std::string bytes = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string& word : words) {
    bytes += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
  }
  return bytes;
}

// Each is what one client sends; half of them are sent as arrays, half as lines.
const std::pair<std::string_view, std::vector<std::string_view>> kTalks[] = {
    {"strings",
     {"set a 1", "get a", "append a xyz", "strlen a", "getrange a 1 -1", "substr a 0 1",
      "setrange a 5 hello", "getset a 7", "incr a", "decrby a 3", "getdel a"}},
    {"set-options",
     {"set a b nx", "set a c xx get", "set a d ex 100", "set a e px 5000 keepttl",
      "set a f exat 99999999999", "getex a persist", "getex a ex 10", "setex b 10 c",
      "psetex b 1000 c", "setnx b d"}},
    {"many",
     {"mset a 1 b 2 c 3", "mget a b c d", "msetnx d 4 e 5", "exists a b a", "del a b", "unlink c",
      "touch d", "dbsize"}},
    {"expiry",
     {"set k v", "expire k 100 nx", "pexpire k 100000 gt", "expireat k 99999999999",
      "pexpireat k 99999999999999 lt", "ttl k", "pttl k", "expiretime k", "pexpiretime k",
      "persist k", "expire k -1"}},
    {"keys",
     {"mset ka 1 kb 2", "keys k?", "scan 0 match k* count 1 type string", "type ka", "rename ka kc",
      "renamenx kb kc", "copy kc kd replace", "copy kc ke db 3", "move kc 1", "randomkey",
      "swapdb 0 1", "select 1", "flushdb", "flushall async"}},
    {"hashes",
     {"hset h a 1 b 2", "hget h a", "hmget h a z", "hgetall h", "hincrby h a 5",
      "hincrbyfloat h b 1.5", "hkeys h", "hvals h", "hlen h", "hstrlen h a", "hexists h z",
      "hsetnx h c 3", "hmset h d 4", "hrandfield h -3 withvalues", "hscan h 0 match * count 2",
      "hdel h a b c d"}},
    {"sets",
     {"sadd s a b c", "sadd t b c d", "smembers s", "sismember s a", "smismember s a z", "scard s",
      "srandmember s -5", "spop s 1", "smove s t a", "sscan t 0 count 1", "sinter s t",
      "sunion s t", "sdiff s t", "sinterstore u s t", "sunionstore u s t", "sdiffstore u s t",
      "sintercard 2 s t limit 1", "srem s a b c"}},
    {"numbers",
     {"set n 9223372036854775807", "incr n", "set f 1e308", "incrbyfloat f 1e308",
      "incrbyfloat f nan", "set x -0", "incrby x -9223372036854775808", "decrby x 1"}},
    {"wrong-type",
     {"sadd s a", "get s", "hset s a b", "set h 1", "hget h a", "smembers h", "incr s"}},
    {"transaction",
     {"watch a", "multi", "set a 1", "incr a", "get a", "exec", "multi", "nothing", "exec", "multi",
      "discard", "unwatch", "exec"}},
    {"version-3",
     {"hello 3", "hset h a 1", "hgetall h", "sadd s a", "smembers s", "get none",
      "hrandfield h 1 withvalues", "info server", "client info", "reset", "hello 2"}},
    {"about",
     {"ping", "ping a", "echo hello", "time", "command count", "command info get set",
      "command getkeys mset a 1 b 2", "command docs get", "command list", "info", "client id",
      "client setname me", "client getname", "client list", "client setinfo lib-name x", "lastsave",
      "wait 0 0", "durability none", "durability"}},
    {"settings",
     {"config get *", "config set slowlog-log-slower-than 0", "get a", "slowlog get", "slowlog len",
      "config set durability none", "set a b", "config resetstat", "config set maxclients 5",
      "config set requirepass x", "auth x", "reset", "get a", "auth y"}},
    {"silence",
     {"client reply skip", "get a", "client reply off", "set a 1", "multi", "get a", "exec",
      "client reply on", "get a"}},
    {"lists",
     {"rpush l a b c", "lpush l z", "lrange l 0 -1", "lindex l -1", "linsert l before b x",
      "lset l 0 y", "lpos l b rank -1", "lrem l 0 a", "ltrim l 0 1", "llen l",
      "lmove l m left right", "rpoplpush l m", "lmpop 2 l m left count 2", "lpop m 2",
      "blpop m n 0.01", "blmove l m right left 0.01"}},
    {"sorted-sets",
     {"zadd z 1 a 2 b 3 c", "zadd z gt ch 5 a", "zincrby z 1.5 b", "zscore z a",
      "zrange z 0 -1 withscores", "zrange z (1 +inf byscore limit 0 2", "zrange z [a [c bylex rev",
      "zrank z b withscore", "zcount z -inf +inf", "zrangestore y z 0 -1",
      "zunion 2 z y weights 1 2 aggregate max withscores", "zinterstore w 2 z y", "zdiff 2 z y",
      "zrandmember z -3 withscores", "zscan z 0", "zpopmin z 2", "bzpopmax z 0.01",
      "zmpop 1 w min count 5"}},
    {"bits",
     {"setbit b 100 1", "getbit b 100", "bitcount b 0 -1 bit", "bitpos b 1", "bitop xor c b a",
      "bitfield b set u8 #1 255 overflow sat incrby i5 2 7", "bitfield_ro b get u4 0"}},
    {"users",
     {"acl whoami", "acl setuser x on >p ~k* +@read -get", "acl list", "acl getuser x", "acl cat",
      "auth x p", "get k", "set k v", "acl dryrun x get k", "acl deluser x", "acl log"}},
    {"publish",
     {"hello 3",
      "subscribe a b",
      "psubscribe a* [b",
      "ssubscribe a",
      "publish a x",
      "spublish a y",
      "pubsub channels *",
      "pubsub numsub a",
      "pubsub numpat",
      "pubsub shardchannels",
      "pubsub shardnumsub a",
      "multi",
      "publish a z",
      "unsubscribe b",
      "ping",
      "exec",
      "client reply off",
      "publish a w",
      "unsubscribe",
      "punsubscribe",
      "sunsubscribe",
      "reset"}},
    {"listen",
     {"subscribe a", "ping x", "get k", "unsubscribe a", "get k", "psubscribe *", "quit"}},
    {"quit", {"set a 1", "quit", "get a"}},
    {"save", {"set a 1", "save", "bgsave", "lastsave"}},
};

void AddTalks(const AddSeed& add) {
  bool lines = false;
  for (const auto& [name, talk] : kTalks) {
    std::string bytes;
    for (const std::string_view line : talk) {
      bytes += lines ? std::string(line) + "\r\n" : Encode(line);
    }
    add("connection", std::string(name), std::string(kNoPieces) + bytes);
    // The limits, then pieces of a few bytes.
    add("resp_parser", std::string(name), std::string("\0\3\6\0\31", 5) + bytes);
    lines = !lines;
  }
}

void AddOddities(const AddSeed& add) {
  const std::pair<std::string_view, std::string_view> oddities[] = {
      {"empty-arrays", "*0\r\n*-1\r\n\r\n  \r\nPING\r\n"},
      {"empty-words", "*2\r\n$0\r\n\r\n$0\r\n\r\n\"\" ''\r\n"},
      {"quotes", "SET \"a b\\x41\\n\\\"\" 'c\\'d'\r\nGET a\"b\"\n"},
      {"unbalanced", "SET \"a\r\n"},
      {"negative", "*1\r\n$-1\r\n"},
      {"huge-count", "*2147483648\r\n"},
      {"huge-argument", "*1\r\n$999999999999\r\n"},
      {"large-argument", "*1\r\n$1048576\r\nabc"},
      {"overflow", "*99999999999999999999\r\n"},
      {"no-dollar", "*2\r\n+OK\r\n"},
      {"wrong-end", "*1\r\n$4\r\nPINGxx"},
      {"incomplete", "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$5\r\nabc"},
      {"only-return", "*1\r$4\rPING\r"},
      {"zeros", std::string_view("\0\0PING\0\r\n", 9)},
  };
  for (const auto& [name, bytes] : oddities) {
    add("connection", std::string(name), std::string("\1\2", 2) + std::string(bytes));
    for (char limits = 0; limits < 3; ++limits) {
      add("resp_parser", std::string(name) + "-" + std::to_string(limits),
          std::string{limits, '\1', '\2'} + std::string(bytes));
    }
  }
}

}  // namespace

void AddServerSeeds(const AddSeed& add) {
  AddTalks(add);
  AddOddities(add);
}

}  // namespace cairn::fuzz
