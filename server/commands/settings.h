// The settings of a running server, as CONFIG GET and CONFIG SET name them (Redis's names, where
// Redis has the setting).

#ifndef CAIRN_SERVER_COMMANDS_SETTINGS_H_
#define CAIRN_SERVER_COMMANDS_SETTINGS_H_

#include <span>
#include <string>
#include <string_view>

namespace cairn::server {

class ServerState;

struct Setting {
  std::string_view name;
  std::string (*get)(ServerState& server);
  // Null: it is fixed when the server starts. False: the value is none (*error).
  bool (*set)(ServerState& server, std::string_view value, std::string* error);
};

std::span<const Setting> Settings();
// Null if there is none. Any case.
const Setting* FindSetting(std::string_view name);

}  // namespace cairn::server

#endif  // CAIRN_SERVER_COMMANDS_SETTINGS_H_
