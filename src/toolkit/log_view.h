// What a running database does, as its LOG tells: flushes, compactions, stalls, and the figures of
// its last report.
//
// Thread safety: none. Reading SUSPENDS; it goes on where it stopped, and begins anew when the LOG
// was replaced.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "rocksdb/status.h"

namespace cairn {

class LogView {
 public:
  struct Job {
    uint64_t end_micros = 0;  // since 1970
    bool is_flush = false;
    std::string status;
    int output_level = 0;
    uint64_t bytes = 0;   // written
    uint64_t micros = 0;  // that it took
  };

  LogView(FileSystem* fs, std::string path) : fs_(fs), path_(std::move(path)) {}

  // Takes what the LOG has by now.
  [[nodiscard]] Status Read();

  // Flushes and compactions, the last one last; the oldest are forgotten.
  const std::deque<Job>& jobs() const { return jobs_; }
  // Those that began and have not ended.
  size_t running() const { return running_.size(); }
  // How often writes were slowed down or stopped, and the last such line.
  uint64_t stalls() const { return stalls_; }
  bool stalled() const { return stalled_; }
  const std::string& last_stall() const { return last_stall_; }
  uint64_t errors() const { return errors_; }
  // A line of the last report of statistics that begins so, without that; empty: there is none.
  std::string Figure(std::string_view name) const;
  const std::string& last_time() const { return last_time_; }  // of the last line

 private:
  void Clear();
  void Take(std::string_view line);
  void TakeEvent(std::string_view json);

  FileSystem* const fs_;
  const std::string path_;
  uint64_t offset_ = 0;  // bytes that were taken
  std::string rest_;     // of a line that is not whole yet
  std::deque<Job> jobs_;
  std::map<uint64_t, uint64_t> running_;  // job: when it began
  uint64_t stalls_ = 0, errors_ = 0;
  bool stalled_ = false;
  std::string last_stall_, last_time_;
  std::map<std::string, std::string, std::less<>> figures_;
};

}  // namespace cairn
