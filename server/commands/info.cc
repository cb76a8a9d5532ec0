#include "server/commands/info.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "rocksdb/db.h"
#include "rocksdb/version.h"
#include "server/commands/command.h"
#include "server/commands/key_count.h"
#include "server/host/machine.h"
#include "server/state/server_state.h"

namespace cairn::server {

namespace {

class Text {
 public:
  explicit Text(std::string_view title) { text_ = "# " + std::string(title) + "\r\n"; }
  void Add(std::string_view name, std::string_view value) {
    text_.append(name).append(":").append(value).append("\r\n");
  }
  void Add(std::string_view name, uint64_t value) { Add(name, std::to_string(value)); }
  std::string Take() { return std::move(text_) + "\r\n"; }

 private:
  std::string text_;
};

std::string ServerSection(ServerState& server) {
  Text text("Server");
  text.Add("redis_version", kRedisVersion);
  text.Add("server_name", "cairn-server");
  text.Add("redis_mode", "standalone");
  text.Add("arch_bits", 64);
  text.Add("process_id", ProcessId());
  text.Add("tcp_port", static_cast<uint64_t>(server.frontend().port()));
  const uint64_t seconds = (server.keyspace().NowMillis() - server.started_at_ms()) / 1000;
  text.Add("uptime_in_seconds", seconds);
  text.Add("uptime_in_days", seconds / 86400);
  text.Add("io_threads_active", static_cast<uint64_t>(server.runtime().workers()));
  return text.Take();
}

std::string ClientsSection(ServerState& server) {
  Text text("Clients");
  text.Add("connected_clients", server.frontend().clients());
  text.Add("maxclients", server.frontend().max_clients());
  uint64_t blocked = 0, subscribers = 0;
  server.frontend().ForEachClient([&](ConnectedClient& client) {
    if (client.session().blocked.load(std::memory_order_relaxed)) ++blocked;
    if (client.session().subscriptions.load(std::memory_order_relaxed) != 0) ++subscribers;
  });
  text.Add("blocked_clients", blocked);
  text.Add("pubsub_clients", subscribers);
  return text.Take();
}

uint64_t IntProperty(ServerState& server, const char* name) {
  uint64_t value = 0;
  server.keyspace().db()->GetIntProperty(name, &value);
  return value;
}

std::string MemorySection(ServerState& server) {
  Text text("Memory");
  const uint64_t tables = IntProperty(server, "rocksdb.estimate-table-readers-mem");
  const uint64_t memtables = IntProperty(server, "rocksdb.cur-size-all-mem-tables");
  const uint64_t cache = IntProperty(server, "rocksdb.block-cache-usage");
  const uint64_t resident = ResidentBytes();
  text.Add("used_memory", tables + memtables + cache);
  text.Add("used_memory_rss", resident);
  text.Add("used_memory_peak", std::max(resident, UsageOfProcess().peak_resident_bytes));
  text.Add("engine_memtables", memtables);
  text.Add("engine_block_cache", cache);
  text.Add("engine_table_readers", tables);
  text.Add("client_memory", server.keyspace().memory().used());
  text.Add("client_memory_limit", server.keyspace().memory().limit());
  text.Add("maxmemory", 0);
  text.Add("mem_allocator", AllocatorName());
  text.Add("maxmemory_policy", "noeviction");
  return text.Take();
}

std::string PersistenceSection(ServerState& server) {
  Text text("Persistence");
  text.Add("loading", 0);
  Checkpoints& checkpoints = server.checkpoints();
  text.Add("rdb_bgsave_in_progress", checkpoints.busy() ? 1 : 0);
  text.Add("rdb_last_save_time", checkpoints.last_s());
  text.Add("rdb_last_bgsave_status", checkpoints.last_ok() ? "ok" : "err");
  text.Add("durability", DurabilityName(server.default_durability()));
  text.Add("failed_writes", server.stats().failed_writes());
  text.Add("disk_full", server.disk().full() ? 1 : 0);
  text.Add("disk_reserve_bytes", server.disk().held() ? server.disk().bytes() : 0);
  return text.Take();
}

std::string StatsSection(ServerState& server) {
  const Stats& stats = server.stats();
  const Stats::Totals totals = stats.SumSinceReset();
  Text text("Stats");
  text.Add("total_connections_received", totals.connections);
  text.Add("total_commands_processed", totals.commands);
  text.Add("total_net_input_bytes", totals.bytes_in);
  text.Add("total_net_output_bytes", totals.bytes_out);
  text.Add("total_reads_processed", totals.receives);
  text.Add("rejected_connections", totals.rejected);
  text.Add("keyspace_hits", totals.hits);
  text.Add("keyspace_misses", totals.misses);
  text.Add("protocol_errors", stats.protocol_errors());
  text.Add("failed_tls_handshakes", stats.failed_handshakes());
  text.Add("failed_logins", stats.failed_logins());
  text.Add("client_output_buffer_limit_disconnections", stats.dropped_subscribers());
  text.Add("pubsub_channels", server.pubsub().count(Audience::kChannel));
  text.Add("pubsub_patterns", server.pubsub().count(Audience::kPattern));
  text.Add("pubsubshard_channels", server.pubsub().count(Audience::kShard));
  const auto percentiles = [&text](const char* kind, const LatencySum& latency) {
    for (const auto& [name, fraction] :
         {std::pair{"p50", 0.5}, std::pair{"p99", 0.99}, std::pair{"p999", 0.999}}) {
      text.Add(std::string(kind) + "_latency_micros_" + name, latency.Percentile(fraction) / 1000);
    }
  };
  percentiles("read", totals.reads);
  percentiles("write", totals.writes);
  return text.Take();
}

std::string ReplicationSection(ServerState&) {
  Text text("Replication");
  text.Add("role", "master");
  text.Add("connected_slaves", 0);
  text.Add("master_repl_offset", 0);
  return text.Take();
}

std::string CpuSection(ServerState&) {
  Text text("CPU");
  const ProcessUsage usage = UsageOfProcess();
  for (const auto& [times, suffix] :
       {std::pair{usage.own, ""}, std::pair{usage.children, "_children"}}) {
    for (const auto& [name, time] :
         {std::pair{"sys", times.system_micros}, std::pair{"user", times.user_micros}}) {
      std::string micros = std::to_string(time % 1'000'000);
      micros.insert(0, 6 - micros.size(), '0');
      text.Add(std::string("used_cpu_") + name + suffix,
               std::to_string(time / 1'000'000) + "." + micros);
    }
  }
  return text.Take();
}

// Clients ask whether they have to look for other nodes.
std::string ClusterSection(ServerState&) {
  Text text("Cluster");
  text.Add("cluster_enabled", 0);
  return text.Take();
}

std::string EngineSection(ServerState& server) {
  Text text("Engine");
  text.Add("engine_keys_estimate", IntProperty(server, "rocksdb.estimate-num-keys"));
  text.Add("engine_live_data_bytes", IntProperty(server, "rocksdb.estimate-live-data-size"));
  text.Add("engine_table_bytes", IntProperty(server, "rocksdb.live-sst-files-size"));
  text.Add("engine_running_flushes", IntProperty(server, "rocksdb.num-running-flushes"));
  text.Add("engine_running_compactions", IntProperty(server, "rocksdb.num-running-compactions"));
  text.Add("engine_pending_compaction_bytes",
           IntProperty(server, "rocksdb.estimate-pending-compaction-bytes"));
  text.Add("engine_write_stopped", IntProperty(server, "rocksdb.is-write-stopped"));
  text.Add("engine_delayed_write_rate", IntProperty(server, "rocksdb.actual-delayed-write-rate"));
  return text.Take();
}

// "estimated" names the databases whose numbers are no exact ones (key_count.h).
std::string KeyspaceSection(ServerState& server) {
  Text text("Keyspace");
  std::string estimated;
  for (const KeyCount& one : CountKeys(server.keyspace())) {
    const std::string name = "db" + std::to_string(one.database);
    text.Add(name, "keys=" + std::to_string(one.keys) + ",expires=" + std::to_string(one.expiring) +
                       ",avg_ttl=" + std::to_string(one.avg_ttl_ms));
    if (one.estimated) estimated.append(estimated.empty() ? "" : ",").append(name);
  }
  if (!estimated.empty()) text.Add("estimated", estimated);
  return text.Take();
}

}  // namespace

std::string InfoText(ServerState& server, std::span<const std::string_view> wanted) {
  static constexpr std::pair<std::string_view, std::string (*)(ServerState&)> kSections[] = {
      {"server", ServerSection},   {"clients", ClientsSection},
      {"memory", MemorySection},   {"persistence", PersistenceSection},
      {"stats", StatsSection},     {"replication", ReplicationSection},
      {"cpu", CpuSection},         {"engine", EngineSection},
      {"cluster", ClusterSection}, {"keyspace", KeyspaceSection}};
  const auto wants = [&wanted](std::string_view name) {
    return std::any_of(wanted.begin(), wanted.end(),
                       [name](std::string_view one) { return EqualsIgnoringCase(one, name); });
  };
  const bool all = wanted.empty() || wants("default") || wants("all") || wants("everything");
  std::string text;
  for (const auto& [name, make] : kSections) {
    if (all || wants(name)) text += make(server);
  }
  return text;
}

}  // namespace cairn::server
