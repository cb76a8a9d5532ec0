#include "kv_bench/usage.h"

#include <sstream>

namespace kv_bench {
namespace {

constexpr const char* kTickers[] = {
    "rocksdb.wal.synced",         "rocksdb.wal.bytes",         "rocksdb.write.self",
    "rocksdb.write.other",        "rocksdb.flush.write.bytes", "rocksdb.compact.write.bytes",
    "rocksdb.compact.read.bytes", "rocksdb.stall.micros",
};

// Lines of the form `name COUNT : number`; those of histograms have more before COUNT.
std::map<std::string, uint64_t> Tickers(const std::string& text) {
  std::map<std::string, uint64_t> tickers;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    for (const std::string name : kTickers) {
      const std::string begin = name + " COUNT : ";
      if (line.starts_with(begin)) tickers[name] = std::stoull(line.substr(begin.size()));
    }
  }
  return tickers;
}

}  // namespace

Usage UsageNow(const Engine& engine, rocksdb_options_t* options) {
  Usage result{UsageOfProcess(), {}};
  char* text = engine.rocksdb_options_statistics_get_string(options);
  if (text != nullptr) result.tickers = Tickers(text);
  engine.rocksdb_free(text);
  return result;
}

Usage Difference(const Usage& before, const Usage& after) {
  Usage result = after;
  result.cpu_seconds -= before.cpu_seconds;
  result.written_bytes -= before.written_bytes;
  result.waits -= before.waits;
  result.write_calls -= before.write_calls;
  for (auto& [name, count] : result.tickers) {
    const auto found = before.tickers.find(name);
    if (found != before.tickers.end()) count -= found->second;
  }
  return result;
}

}  // namespace kv_bench
