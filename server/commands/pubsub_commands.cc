// SUBSCRIBE, PUBLISH and their kin, of channels, patterns and shard channels (which are channels
// here: there is one shard).
//
// A message and the reply that it must follow take different ways to the client: so its queue is
// held from the reply on until that has been sent (Subscriber::Hold).
#include "server/commands/pubsub_commands.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/commands/command.h"
#include "server/state/server_state.h"

namespace cairn::server {

namespace {

struct Words {
  std::string_view subscribe, unsubscribe;
};
constexpr Words kWords[kAudiences] = {
    {"subscribe", "unsubscribe"}, {"psubscribe", "punsubscribe"}, {"ssubscribe", "sunsubscribe"}};

std::set<std::string, std::less<>>& NamesOf(const Session& session, Audience audience) {
  return session.subscriber->names[static_cast<size_t>(audience)];
}

void Count(Session& session, Audience audience) {
  session.subscribed[static_cast<size_t>(audience)].store(NamesOf(session, audience).size());
  session.subscriptions.store(NamesOf(session, Audience::kChannel).size() +
                              NamesOf(session, Audience::kPattern).size() +
                              NamesOf(session, Audience::kShard).size());
}

void Confirm(Call& call, Audience audience, std::string_view what,
             std::optional<std::string_view> name) {
  call.reply.Push(3);
  call.reply.Bulk(what);
  if (name.has_value()) {
    call.reply.Bulk(*name);
  } else {
    call.reply.Null();
  }
  // Shard channels are counted alone.
  const size_t shards = NamesOf(call.session, Audience::kShard).size();
  call.reply.Integer(static_cast<int64_t>(
      audience == Audience::kShard ? shards : call.session.subscriptions.load() - shards));
}

// Who may hear less since the command was admitted is dropped by Server::DropUsers() if that saw
// the subscription, and else ends here.
void LookAtRightsAgain(Call& call) {
  Session& session = call.session;
  const Acl::UserPtr user = call.server.acl().Find(session.user);
  if (user == session.rights) return;
  size_t position;
  if (user == nullptr ||
      user->Check(call.command, call.arguments, &position) != AclUser::Denied::kNothing) {
    session.close_after_reply = true;
  }
}

void Subscribe(Call& call, Audience audience) {
  Session& session = call.session;
  session.subscriber->Hold();
  for (size_t i = 1; i < call.size(); ++i) {
    if (NamesOf(session, audience).emplace(call[i]).second) {
      Count(session, audience);
      call.server.pubsub().Subscribe(audience, call[i], session.subscriber);
    }
    Confirm(call, audience, kWords[static_cast<size_t>(audience)].subscribe, call[i]);
  }
  LookAtRightsAgain(call);
}
void SubscribeChannels(Call& call) { Subscribe(call, Audience::kChannel); }
void SubscribePatterns(Call& call) { Subscribe(call, Audience::kPattern); }
void SubscribeShards(Call& call) { Subscribe(call, Audience::kShard); }

void Unsubscribe(Call& call, Audience audience) {
  Session& session = call.session;
  const std::string_view what = kWords[static_cast<size_t>(audience)].unsubscribe;
  std::vector<std::string> names(call.arguments.begin() + 1, call.arguments.end());
  if (names.empty()) {
    names.assign(NamesOf(session, audience).begin(), NamesOf(session, audience).end());
  }
  session.subscriber->Hold();
  for (const std::string_view name : names) {
    if (const auto it = NamesOf(session, audience).find(name);
        it != NamesOf(session, audience).end()) {
      NamesOf(session, audience).erase(it);
      Count(session, audience);
      call.server.pubsub().Unsubscribe(audience, name, session.subscriber);
    }
    // What came before this goes before it. (Not into the reply of EXEC.)
    if (!session.in_exec) WriteMessages(session, call.reply);
    Confirm(call, audience, what, name);
  }
  if (names.empty()) Confirm(call, audience, what, std::nullopt);
}
void UnsubscribeChannels(Call& call) { Unsubscribe(call, Audience::kChannel); }
void UnsubscribePatterns(Call& call) { Unsubscribe(call, Audience::kPattern); }
void UnsubscribeShards(Call& call) { Unsubscribe(call, Audience::kShard); }

void PublishTo(Call& call, Audience audience) {
  if (call.session.subscriptions != 0) call.session.subscriber->Hold();
  PubSub& pubsub = call.server.pubsub();
  size_t receivers;
  if (call.session.in_exec) {
    // Who hears of it may look at once at what the transaction has written.
    receivers = pubsub.Receivers(audience, call[1]);
    call.session.to_publish.push_back({audience, std::string(call[1]), std::string(call[2])});
  } else {
    receivers = pubsub.Publish(audience, call[1], call[2]);
  }
  call.reply.Integer(static_cast<int64_t>(receivers));
}
void Publish(Call& call) { PublishTo(call, Audience::kChannel); }
void PublishToShard(Call& call) { PublishTo(call, Audience::kShard); }

void ReplyChannels(Call& call, Audience audience) {
  std::vector<std::string> names = call.server.pubsub().Channels(audience);
  if (call.size() == 3) {
    std::erase_if(names, [&](const auto& name) { return !MatchesPattern(call[2], name); });
  }
  call.reply.Array(names.size());
  for (const std::string& name : names) call.reply.Bulk(name);
}

void ReplyListeners(Call& call, Audience audience) {
  call.reply.Array(2 * (call.size() - 2));
  for (size_t i = 2; i < call.size(); ++i) {
    call.reply.Bulk(call[i]);
    call.reply.Integer(static_cast<int64_t>(call.server.pubsub().Listeners(audience, call[i])));
  }
}

// PUBSUB CHANNELS [pattern] | NUMSUB [channel...] | NUMPAT, and SHARDCHANNELS, SHARDNUMSUB.
void PubSubCommand(Call& call) {
  if (call.Is(1, "CHANNELS") && call.size() <= 3) {
    ReplyChannels(call, Audience::kChannel);
  } else if (call.Is(1, "SHARDCHANNELS") && call.size() <= 3) {
    ReplyChannels(call, Audience::kShard);
  } else if (call.Is(1, "NUMSUB")) {
    ReplyListeners(call, Audience::kChannel);
  } else if (call.Is(1, "SHARDNUMSUB")) {
    ReplyListeners(call, Audience::kShard);
  } else if (call.Is(1, "NUMPAT") && call.size() == 2) {
    call.reply.Integer(static_cast<int64_t>(call.server.pubsub().count(Audience::kPattern)));
  } else {
    call.NoSuchSubcommand();
  }
}

constexpr uint32_t kSubscribes = kConnection | kPubSub | kPushes;
constexpr Command kCommands[] = {
    {"psubscribe", -2, kSubscribes, 0, 0, 0, SubscribePatterns, "pubsub"},
    {"publish", 3, kConnection | kFast, 0, 0, 0, Publish, "pubsub"},
    {"pubsub", -2, kConnection, 0, 0, 0, PubSubCommand, "pubsub"},
    {"punsubscribe", -1, kSubscribes, 0, 0, 0, UnsubscribePatterns, "pubsub"},
    {"spublish", 3, kConnection | kFast, 0, 0, 0, PublishToShard, "pubsub"},
    {"ssubscribe", -2, kSubscribes, 0, 0, 0, SubscribeShards, "pubsub"},
    {"subscribe", -2, kSubscribes, 0, 0, 0, SubscribeChannels, "pubsub"},
    {"sunsubscribe", -1, kSubscribes, 0, 0, 0, UnsubscribeShards, "pubsub"},
    {"unsubscribe", -1, kSubscribes, 0, 0, 0, UnsubscribeChannels, "pubsub"},
};

}  // namespace

void UnsubscribeFromAll(ServerState& server, Session& session) {
  for (size_t i = 0; i < kAudiences; ++i) {
    const auto audience = static_cast<Audience>(i);
    for (const std::string& name : NamesOf(session, audience)) {
      server.pubsub().Unsubscribe(audience, name, session.subscriber);
    }
    NamesOf(session, audience).clear();
    Count(session, audience);
  }
}

void WriteMessages(Session& session, ReplyWriter& reply) {
  for (const Subscriber::Frame& frame : session.subscriber->TakeAll()) {
    reply.Raw(reply.version() >= 3 ? ">" : "*");
    reply.Raw(std::string_view(*frame).substr(1));
  }
}

std::span<const Command> PubSubCommands() { return kCommands; }

}  // namespace cairn::server
