#include "server/commands/settings.h"

#include "server/commands/command.h"
#include "server/state/server_state.h"

namespace cairn::server {

namespace {

bool ParseCount(std::string_view text, uint64_t* value, std::string* error) {
  if (ParseUnsigned(text, value) && *value <= INT64_MAX) return true;
  *error = "argument couldn't be parsed into an integer";
  return false;
}

constexpr Setting kSettings[] = {
    {"aclfile", [](ServerState& s) { return s.acl().file(); }, nullptr},
    // What redis-benchmark and others ask for: the log is always on, and there are no dumps.
    {"appendonly", [](ServerState&) -> std::string { return "yes"; }, nullptr},
    {"bind", [](ServerState& s) { return s.options().bind; }, nullptr},
    {"databases", [](ServerState& s) { return std::to_string(s.options().databases); }, nullptr},
    {"dir", [](ServerState& s) { return s.options().directory; }, nullptr},
    {"durability",
     [](ServerState& s) { return std::string(DurabilityName(s.default_durability())); },
     [](ServerState& s, std::string_view value, std::string* error) {
       Durability durability;
       if (!ParseDurability(value, &durability)) {
         *error = "argument must be one of: none, os, sync";
         return false;
       }
       s.set_default_durability(durability);
       return true;
     }},
    {"max-pipeline", [](ServerState& s) { return std::to_string(s.options().max_pipeline); },
     nullptr},
    {"max-request-bytes",
     [](ServerState& s) { return std::to_string(s.options().max_request_bytes); }, nullptr},
    {"max-push-bytes", [](ServerState& s) { return std::to_string(s.options().max_push_bytes); },
     nullptr},
    // Nothing is evicted: the data are on disk.
    {"maxmemory", [](ServerState&) -> std::string { return "0"; }, nullptr},
    {"maxmemory-policy", [](ServerState&) -> std::string { return "noeviction"; }, nullptr},
    {"maxclients", [](ServerState& s) { return std::to_string(s.frontend().max_clients()); },
     [](ServerState& s, std::string_view value, std::string* error) {
       uint64_t count;
       if (!ParseCount(value, &count, error)) return false;
       if (count == 0) {
         *error = "argument must be between 1 and 4294967295 inclusive";
         return false;
       }
       return s.frontend().SetMaxClients(count, error);
     }},
    {"port", [](ServerState& s) { return std::to_string(s.frontend().port()); }, nullptr},
    {"proto-max-bulk-len",
     [](ServerState& s) { return std::to_string(s.options().max_argument_bytes); }, nullptr},
    {"requirepass",
     [](ServerState& s) -> std::string { return s.acl().default_has_password() ? "(set)" : ""; },
     [](ServerState& s, std::string_view value, std::string*) {
       s.acl().SetDefaultPassword(value);
       return true;
     }},
    {"save", [](ServerState&) { return std::string(); }, nullptr},
    {"slowlog-log-slower-than",
     [](ServerState& s) { return std::to_string(s.slow_log().threshold_micros()); },
     [](ServerState& s, std::string_view value, std::string* error) {
       int64_t micros;
       if (!ParseInteger(value, &micros)) {
         *error = "argument couldn't be parsed into an integer";
         return false;
       }
       s.slow_log().set_threshold_micros(micros);
       return true;
     }},
    {"slowlog-max-len", [](ServerState& s) { return std::to_string(s.slow_log().length()); },
     [](ServerState& s, std::string_view value, std::string* error) {
       uint64_t length;
       if (!ParseCount(value, &length, error)) return false;
       s.slow_log().set_length(length);
       return true;
     }},
    {"timeout", [](ServerState& s) { return std::to_string(s.idle_timeout_s()); },
     [](ServerState& s, std::string_view value, std::string* error) {
       uint64_t seconds;
       if (!ParseCount(value, &seconds, error)) return false;
       s.set_idle_timeout_s(seconds);
       return true;
     }},
    {"tls-auth-clients",
     [](ServerState& s) { return std::string(TlsClientsName(s.options().tls.auth_clients)); },
     nullptr},
    {"tls-ca-cert-file", [](ServerState& s) { return s.options().tls.ca_cert_file; }, nullptr},
    {"tls-cert-file", [](ServerState& s) { return s.options().tls.cert_file; }, nullptr},
    {"tls-key-file", [](ServerState& s) { return s.options().tls.key_file; }, nullptr},
    {"tls-port", [](ServerState& s) { return std::to_string(s.frontend().tls_port()); }, nullptr},
    {"unixsocket", [](ServerState& s) { return s.options().unix_socket; }, nullptr},
};

}  // namespace

std::span<const Setting> Settings() { return kSettings; }

const Setting* FindSetting(std::string_view name) {
  for (const Setting& setting : kSettings) {
    if (EqualsIgnoringCase(name, setting.name)) return &setting;
  }
  return nullptr;
}

}  // namespace cairn::server
