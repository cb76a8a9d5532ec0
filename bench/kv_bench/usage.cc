#include "kv_bench/usage.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <sstream>

#include "fiber/io.h"

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
  Usage result;
  rusage usage;
  // style: no clock, but the processor time and the writes of the whole process
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  result.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  result.written_bytes = static_cast<uint64_t>(usage.ru_oublock) * 512;
  result.peak_memory_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  char* text = engine.rocksdb_options_statistics_get_string(options);
  if (text != nullptr) result.tickers = Tickers(text);
  engine.rocksdb_free(text);
  return result;
}

Usage Difference(const Usage& before, const Usage& after) {
  Usage result = after;
  result.cpu_seconds -= before.cpu_seconds;
  result.written_bytes -= before.written_bytes;
  for (auto& [name, count] : result.tickers) {
    const auto found = before.tickers.find(name);
    if (found != before.tickers.end()) count -= found->second;
  }
  return result;
}

uint64_t ResidentBytes() {
  const int fd = fiber::io::open("/proc/self/statm", O_RDONLY);
  char text[128];
  const auto read = fd < 0 ? fd : fiber::io::pread(fd, text, sizeof(text), 0);
  if (fd >= 0) fiber::io::close(fd);
  uint64_t size = 0, resident = 0;  // pages
  std::istringstream(std::string(text, read > 0 ? static_cast<size_t>(read) : 0)) >> size >>
      resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace kv_bench
