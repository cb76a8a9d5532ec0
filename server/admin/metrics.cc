#include "server/admin/metrics.h"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

#include "fiber/clock.h"
#include "rocksdb/db.h"
#include "rocksdb/metadata.h"
#include "rocksdb/statistics.h"
#include "server/commands/info.h"
#include "server/commands/key_count.h"
#include "server/host/machine.h"
#include "server/state/server_state.h"

namespace cairn::server {

namespace {

struct Level {
  int number = 0;
  bool compacting = false;
  uint64_t bytes = 0;
  std::vector<uint64_t> files;
};

// One look at everything.
struct State {
  Stats::Totals totals;
  std::vector<Level> levels;
  uint64_t memtable_bytes = 0, cache_bytes = 0, table_reader_bytes = 0;
  uint64_t running_flushes = 0, running_compactions = 0, pending_compaction_bytes = 0;
  uint64_t write_stopped = 0, delayed_write_rate = 0, keys_estimate = 0, background_errors = 0;
  uint64_t cache_hits = 0, cache_misses = 0, filter_useful = 0, stall_micros = 0,
           compaction_bytes = 0, flush_bytes = 0, log_bytes = 0;

  explicit State(ServerState& server) : totals(server.stats().Sum()) {
    rocksdb::DB* const db = server.keyspace().db();
    const std::pair<const char*, uint64_t*> properties[] = {
        {"rocksdb.cur-size-all-mem-tables", &memtable_bytes},
        {"rocksdb.block-cache-usage", &cache_bytes},
        {"rocksdb.estimate-table-readers-mem", &table_reader_bytes},
        {"rocksdb.num-running-flushes", &running_flushes},
        {"rocksdb.num-running-compactions", &running_compactions},
        {"rocksdb.estimate-pending-compaction-bytes", &pending_compaction_bytes},
        {"rocksdb.is-write-stopped", &write_stopped},
        {"rocksdb.actual-delayed-write-rate", &delayed_write_rate},
        {"rocksdb.estimate-num-keys", &keys_estimate},
        {"rocksdb.background-errors", &background_errors}};
    for (const auto& [name, value] : properties) db->GetIntProperty(name, value);
    if (const auto& statistics = server.options().engine.statistics) {
      const std::pair<uint32_t, uint64_t*> tickers[] = {
          {rocksdb::BLOCK_CACHE_HIT, &cache_hits},
          {rocksdb::BLOCK_CACHE_MISS, &cache_misses},
          {rocksdb::BLOOM_FILTER_USEFUL, &filter_useful},
          {rocksdb::STALL_MICROS, &stall_micros},
          {rocksdb::COMPACT_WRITE_BYTES, &compaction_bytes},
          {rocksdb::FLUSH_WRITE_BYTES, &flush_bytes},
          {rocksdb::WAL_FILE_BYTES, &log_bytes}};
      for (const auto& [ticker, value] : tickers) *value = statistics->getTickerCount(ticker);
    }
    std::vector<rocksdb::LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    for (const auto& file : files) {
      const auto level = static_cast<size_t>(file.level);
      while (levels.size() <= level)
        levels.push_back({static_cast<int>(levels.size()), false, 0, {}});
      levels[level].bytes += file.size;
      levels[level].files.push_back(file.size);
      levels[level].compacting = levels[level].compacting || file.being_compacted;
    }
  }
};

std::string JsonText(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted.push_back('\\');
      quoted.push_back(c);
    } else if (byte < 0x20 || byte >= 0x7f) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", byte);
      quoted.append(escaped);
    } else {
      quoted.push_back(c);
    }
  }
  return quoted + '"';
}

class Json {
 public:
  void Add(std::string_view name, uint64_t value) { AddRaw(name, std::to_string(value)); }
  void Add(std::string_view name, std::string_view text) { AddRaw(name, JsonText(text)); }
  void AddRaw(std::string_view name, std::string_view value) {
    text_.append(text_.size() == 1 ? "" : ",").append(JsonText(name)).append(":").append(value);
  }
  std::string Take() { return std::move(text_) + "}"; }

 private:
  std::string text_ = "{";
};

// [[limit, count], ...] of the buckets that are not empty.
std::string Buckets(const LatencySum& latency) {
  std::string text = "[";
  for (size_t i = 0; i < latency.counts.size(); ++i) {
    if (latency.counts[i] == 0) continue;
    if (text.size() > 1) text.push_back(',');
    text.append("[").append(std::to_string(LatencyHistogram::LimitOf(i))).append(",");
    text.append(std::to_string(latency.counts[i])).append("]");
  }
  return text + "]";
}

class Metrics {
 public:
  void Describe(std::string_view name, std::string_view type, std::string_view help) {
    text_.append("# HELP ").append(name).append(" ").append(help);
    text_.append("\n# TYPE ").append(name).append(" ").append(type).append("\n");
  }
  void Sample(std::string_view name, std::string_view labels, double value) {
    char number[40];
    std::snprintf(number, sizeof(number),
                  value == static_cast<double>(static_cast<uint64_t>(value)) ? "%.0f" : "%.9g",
                  value);
    text_.append(name);
    if (!labels.empty()) text_.append("{").append(labels).append("}");
    text_.append(" ").append(number).append("\n");
  }
  void One(std::string_view name, std::string_view type, std::string_view help, double value) {
    Describe(name, type, help);
    Sample(name, "", value);
  }
  // Buckets from 1 microsecond to 16 seconds, a factor of 2 apart.
  void Histogram(std::string_view name, const std::string& label, const LatencySum& latency) {
    uint64_t seen = 0;
    size_t i = 0;
    for (uint64_t limit = 1 << 10; limit <= uint64_t{1} << 34; limit *= 2) {
      while (i < latency.counts.size() && LatencyHistogram::LimitOf(i) < limit) {
        seen += latency.counts[i++];
      }
      char bound[32];
      std::snprintf(bound, sizeof(bound), "%.9g", static_cast<double>(limit) / 1e9);
      Sample(std::string(name) + "_bucket", label + ",le=\"" + bound + "\"",
             static_cast<double>(seen));
    }
    Sample(std::string(name) + "_bucket", label + ",le=\"+Inf\"",
           static_cast<double>(latency.total));
    Sample(std::string(name) + "_sum", label, static_cast<double>(latency.sum_nanos) / 1e9);
    Sample(std::string(name) + "_count", label, static_cast<double>(latency.total));
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

double Number(uint64_t value) { return static_cast<double>(value); }

void AddProcess(ServerState& server, Metrics* m) {
  m->One("cairn_uptime_seconds", "gauge", "Time since the server started.",
         Number((server.keyspace().NowMillis() - server.started_at_ms()) / 1000));
  m->One("cairn_process_cpu_seconds_total", "counter", "Processor time of the process.",
         Number(fiber::process_cpu_nanos()) / 1e9);
  m->One("process_resident_memory_bytes", "gauge", "Memory of the process.",
         Number(ResidentBytes()));
  m->One("cairn_disk_full", "gauge", "1 while only writes that make room go on.",
         server.disk().full() ? 1 : 0);
  m->One("cairn_client_memory_bytes", "gauge", "Memory of large requests, values and replies.",
         Number(server.keyspace().memory().used()));
}

void AddKeyspace(ServerState& server, const State& state, Metrics* m) {
  const std::vector<KeyCount> counts = CountKeys(server.keyspace());
  const auto database = [](const KeyCount& one) {
    return "db=\"" + std::to_string(one.database) + "\"";
  };
  m->Describe("cairn_database_keys", "gauge", "Keys of a database; beyond 10000 an estimate.");
  for (const KeyCount& one : counts) {
    m->Sample("cairn_database_keys", database(one), Number(one.keys));
  }
  m->Describe("cairn_database_expiring_keys", "gauge", "Those of them that expire.");
  for (const KeyCount& one : counts) {
    m->Sample("cairn_database_expiring_keys", database(one), Number(one.expiring));
  }
  m->One("cairn_keyspace_hits_total", "counter", "Keys that were looked up and found.",
         Number(state.totals.hits));
  m->One("cairn_keyspace_misses_total", "counter", "Keys that were looked up and not found.",
         Number(state.totals.misses));
}

void AddClients(ServerState& server, const State& state, Metrics* m) {
  const Stats& stats = server.stats();
  m->One("cairn_receives_total", "counter", "Receives from clients that brought something.",
         Number(state.totals.receives));
  m->One("cairn_commands_total", "counter", "Commands that clients sent.",
         Number(state.totals.commands));
  m->Describe("cairn_command_duration_seconds", "histogram",
              "Time from the start of a run of commands to the end of each.");
  m->Histogram("cairn_command_duration_seconds", "kind=\"read\"", state.totals.reads);
  m->Histogram("cairn_command_duration_seconds", "kind=\"write\"", state.totals.writes);
  m->One("cairn_clients", "gauge", "Connected clients.", Number(server.frontend().clients()));
  m->One("cairn_connections_total", "counter", "Connections accepted.",
         Number(stats.connections()));
  m->One("cairn_connections_rejected_total", "counter", "Connections over the limit of clients.",
         Number(stats.rejected()));
  m->One("cairn_protocol_errors_total", "counter", "Connections ended by what is no request.",
         Number(stats.protocol_errors()));
  m->One("cairn_failed_tls_handshakes_total", "counter", "TLS handshakes that failed.",
         Number(stats.failed_handshakes()));
  m->One("cairn_subscribers_dropped_total", "counter", "Subscribers that were too slow.",
         Number(stats.dropped_subscribers()));
  m->One("cairn_failed_logins_total", "counter", "Wrong passwords.", Number(stats.failed_logins()));
  m->One("cairn_failed_writes_total", "counter", "Commits that the store refused.",
         Number(stats.failed_writes()));
  m->Describe("cairn_network_bytes_total", "counter", "Bytes of requests and replies.");
  m->Sample("cairn_network_bytes_total", "direction=\"in\"", Number(state.totals.bytes_in));
  m->Sample("cairn_network_bytes_total", "direction=\"out\"", Number(state.totals.bytes_out));
}

void AddStore(const State& state, Metrics* m) {
  m->Describe("cairn_level_bytes", "gauge", "Bytes of the tables of a level.");
  for (const Level& level : state.levels) {
    m->Sample("cairn_level_bytes", "level=\"" + std::to_string(level.number) + "\"",
              Number(level.bytes));
  }
  m->Describe("cairn_level_tables", "gauge", "Tables of a level.");
  for (const Level& level : state.levels) {
    m->Sample("cairn_level_tables", "level=\"" + std::to_string(level.number) + "\"",
              Number(level.files.size()));
  }
  m->Describe("cairn_memory_bytes", "gauge", "Memory of the store by its use.");
  m->Sample("cairn_memory_bytes", "use=\"memtables\"", Number(state.memtable_bytes));
  m->Sample("cairn_memory_bytes", "use=\"block_cache\"", Number(state.cache_bytes));
  m->Sample("cairn_memory_bytes", "use=\"table_readers\"", Number(state.table_reader_bytes));
  m->One("cairn_keys_estimate", "gauge", "Estimate of the pairs in the store.",
         Number(state.keys_estimate));
  m->One("cairn_block_cache_hits_total", "counter", "Blocks found in the cache.",
         Number(state.cache_hits));
  m->One("cairn_block_cache_misses_total", "counter", "Blocks that had to be read.",
         Number(state.cache_misses));
  m->One("cairn_filter_useful_total", "counter", "Tables that a filter saved a read of.",
         Number(state.filter_useful));
  m->One("cairn_compaction_written_bytes_total", "counter", "Bytes written by compactions.",
         Number(state.compaction_bytes));
  m->One("cairn_flush_written_bytes_total", "counter", "Bytes written by flushes.",
         Number(state.flush_bytes));
  m->One("cairn_log_written_bytes_total", "counter", "Bytes written to the write-ahead log.",
         Number(state.log_bytes));
  m->One("cairn_running_flushes", "gauge", "Flushes under way.", Number(state.running_flushes));
  m->One("cairn_running_compactions", "gauge", "Compactions under way.",
         Number(state.running_compactions));
  m->One("cairn_pending_compaction_bytes", "gauge", "Bytes that wait to be compacted.",
         Number(state.pending_compaction_bytes));
  m->One("cairn_write_stall_seconds_total", "counter", "Time that writes were held back.",
         Number(state.stall_micros) / 1e6);
  m->One("cairn_write_stopped", "gauge", "1 while writes are stopped.",
         Number(state.write_stopped));
  m->One("cairn_delayed_write_bytes_per_second", "gauge",
         "The rate to which writes are slowed; 0: they are not.", Number(state.delayed_write_rate));
  m->One("cairn_background_errors", "gauge", "Errors of flushes and compactions.",
         Number(state.background_errors));
}

}  // namespace

std::string StateJson(ServerState& server) {
  const State state(server);
  const uint64_t now = server.keyspace().NowMillis();
  Json json;
  json.Add("now_ms", now);
  json.Add("uptime_s", (now - server.started_at_ms()) / 1000);
  json.Add("address", server.frontend().port() != 0
                          ? server.options().bind + ":" + std::to_string(server.frontend().port())
                          : server.options().unix_socket);
  json.Add("workers", static_cast<uint64_t>(server.runtime().workers()));
  json.Add("durability", DurabilityName(server.default_durability()));
  json.Add("clients", server.frontend().clients());
  json.Add("commands", state.totals.commands);
  json.Add("bytes_in", state.totals.bytes_in);
  json.Add("bytes_out", state.totals.bytes_out);
  json.AddRaw("read_latency", Buckets(state.totals.reads));
  json.AddRaw("write_latency", Buckets(state.totals.writes));
  json.Add("failed_writes", server.stats().failed_writes());
  json.Add("protocol_errors", server.stats().protocol_errors());
  json.Add("rejected", server.stats().rejected());
  json.Add("resident_bytes", ResidentBytes());
  json.Add("keyspace_hits", state.totals.hits);
  json.Add("keyspace_misses", state.totals.misses);
  json.AddRaw("disk_full", server.disk().full() ? "true" : "false");
  json.Add("cache_hits", state.cache_hits);
  json.Add("cache_misses", state.cache_misses);
  json.Add("memtable_bytes", state.memtable_bytes);
  json.Add("cache_bytes", state.cache_bytes);
  json.Add("table_reader_bytes", state.table_reader_bytes);
  json.Add("running_flushes", state.running_flushes);
  json.Add("running_compactions", state.running_compactions);
  json.Add("pending_compaction_bytes", state.pending_compaction_bytes);
  json.Add("compaction_bytes", state.compaction_bytes);
  json.Add("stall_micros", state.stall_micros);
  json.Add("write_stopped", state.write_stopped);
  json.Add("delayed_write_rate", state.delayed_write_rate);
  std::string levels = "[";
  for (const Level& level : state.levels) {
    Json one;
    one.Add("level", static_cast<uint64_t>(level.number));
    one.Add("bytes", level.bytes);
    one.Add("tables", static_cast<uint64_t>(level.files.size()));
    one.AddRaw("compacting", level.compacting ? "true" : "false");
    // More blocks than a picture can show say nothing.
    constexpr size_t kMaxShown = 500;
    std::string files = "[";
    for (size_t i = 0; i < level.files.size() && i < kMaxShown; ++i) {
      files.append(i == 0 ? "" : ",").append(std::to_string(level.files[i]));
    }
    one.AddRaw("files", files + "]");
    levels.append(levels.size() == 1 ? "" : ",").append(one.Take());
  }
  json.AddRaw("levels", levels + "]");
  return json.Take();
}

std::string MetricsText(ServerState& server) {
  const State state(server);
  Metrics m;
  AddProcess(server, &m);
  AddKeyspace(server, state, &m);
  AddClients(server, state, &m);
  AddStore(state, &m);
  return m.Take();
}

bool TakesWrites(ServerState& server) {
  return !server.frontend().stopping() && !server.disk().full() && server.keyspace().TakesWrites();
}

}  // namespace cairn::server
