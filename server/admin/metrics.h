// What the server tells of itself: as JSON for the page, and for Prometheus. Thread safe.

#ifndef CAIRN_SERVER_ADMIN_METRICS_H_
#define CAIRN_SERVER_ADMIN_METRICS_H_

#include <string>

namespace cairn::server {

class ServerState;

std::string StateJson(ServerState& server);
// The text format, version 0.0.4:
// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
std::string MetricsText(ServerState& server);
// Whether a write would be taken just now: no error stops the store, and no shutdown is under way.
bool TakesWrites(ServerState& server);

}  // namespace cairn::server

#endif  // CAIRN_SERVER_ADMIN_METRICS_H_
