// What INFO tells.

#ifndef CAIRN_SERVER_COMMANDS_INFO_H_
#define CAIRN_SERVER_COMMANDS_INFO_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cairn::server {

class ServerState;

// Of `wanted`, in any case: sections ("server", "clients", "memory", "persistence", "stats",
// "replication", "cpu", "engine", "cluster", "keyspace"), or all: "default", "all", "everything",
// nothing. What is not known is left out.
std::string InfoText(ServerState& server, std::span<const std::string_view> wanted);

}  // namespace cairn::server

#endif  // CAIRN_SERVER_COMMANDS_INFO_H_
