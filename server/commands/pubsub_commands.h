// What commands and the connection do with a client's subscriptions beside the commands of pub/sub.
// For the connection's fiber.

#ifndef CAIRN_SERVER_COMMANDS_PUBSUB_COMMANDS_H_
#define CAIRN_SERVER_COMMANDS_PUBSUB_COMMANDS_H_

#include "server/resp/reply.h"
#include "server/state/session.h"

namespace cairn::server {

class ServerState;

// Without a word: RESET and the end of the connection.
void UnsubscribeFromAll(ServerState& server, Session& session);
// Moves the messages that wait for the client behind what was replied.
void WriteMessages(Session& session, ReplyWriter& reply);

}  // namespace cairn::server

#endif  // CAIRN_SERVER_COMMANDS_PUBSUB_COMMANDS_H_
