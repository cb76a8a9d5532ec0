#include "db/level_stats.h"

#include <cstdio>

namespace cairn {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
constexpr double kGiB = kMiB * 1024.0;

std::string HumanBytes(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"KB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes) / 1024.0;
  size_t unit = 0;
  while (value >= 1024.0 && unit + 1 < std::size(kUnits)) {
    value /= 1024.0;
    ++unit;
  }
  char out[32];
  snprintf(out, sizeof(out), "%.2f %s", value, kUnits[unit]);
  return out;
}

std::string Row(const char* name, int files, int being_compacted, uint64_t bytes, double score,
                const JobStats& s, uint64_t ingested) {
  const double seconds = static_cast<double>(s.micros) / 1e6 + 1e-9;
  const uint64_t read = s.bytes_read_start_levels + s.bytes_read_output_level;
  // A level's write amplification: bytes written per byte that came into it.
  const double amplification =
      ingested == 0 ? 0.0 : static_cast<double>(s.bytes_written) / static_cast<double>(ingested);
  char out[400];
  snprintf(
      out, sizeof(out),
      "%4s %6d/%-3d %12s %5.1f %8.1f %7.1f %8.1f %9.1f %8.1f %9.1f %5.1f %8.1f %8.1f "
      "%9.2f %17.2f %9d %8.3f %7llu %6llu\n",
      name, files, being_compacted, HumanBytes(bytes).c_str(), score, read / kGiB,
      s.bytes_read_start_levels / kGiB, s.bytes_read_output_level / kGiB, s.bytes_written / kGiB,
      (static_cast<double>(s.bytes_written) - static_cast<double>(s.bytes_read_output_level)) /
          kGiB,
      s.bytes_moved / kGiB, amplification, read / kMiB / seconds, s.bytes_written / kMiB / seconds,
      static_cast<double>(s.micros) / 1e6, static_cast<double>(s.cpu_micros) / 1e6, s.count,
      s.count == 0 ? 0.0 : static_cast<double>(s.micros) / 1e6 / s.count,
      static_cast<unsigned long long>(s.records_in),
      static_cast<unsigned long long>(s.records_dropped));
  return out;
}

}  // namespace

std::string LevelStats::FilesAndSizes(const Version& version) {
  std::string out = "Level Files Size(MB)\n--------------------\n";
  char line[80];
  for (int level = 0; level < version.num_levels(); ++level) {
    snprintf(line, sizeof(line), "%3d %8d %8.0f\n", level, version.NumLevelFiles(level),
             static_cast<double>(version.NumLevelBytes(level)) / kMiB);
    out += line;
  }
  return out;
}

std::string LevelStats::CompactionTable(const Version& version, const std::string& family) const {
  std::string out = "\n** Compaction Stats [" + family + "] **\n";
  out +=
      "Level    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) "
      "W-Amp "
      "Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop\n";
  out += std::string(170, '-') + "\n";

  std::vector<double> scores(static_cast<size_t>(version.num_levels()), 0.0);
  for (int rank = 0; rank + 1 < version.num_levels(); ++rank) {
    scores[version.CompactionScoreLevel(rank)] = version.CompactionScore(rank);
  }
  JobStats sum;
  int files = 0;
  int busy = 0;
  uint64_t bytes = 0;
  for (int level = 0; level < version.num_levels(); ++level) {
    const JobStats& s = levels_[level];
    const int level_files = version.NumLevelFiles(level);
    if (level_files == 0 && s.count == 0) continue;
    int level_busy = 0;
    for (const FileMetaData* file : version.files(level)) level_busy += file->being_compacted;
    const std::string name = "L" + std::to_string(level);
    out += Row(name.c_str(), level_files, level_busy, version.NumLevelBytes(level), scores[level],
               s, level == 0 ? s.bytes_written : s.bytes_read_start_levels);
    sum.Add(s);
    files += level_files;
    busy += level_busy;
    bytes += version.NumLevelBytes(level);
  }
  out += Row("Sum", files, busy, bytes, 0.0, sum, levels_[0].bytes_written);
  return out;
}

}  // namespace cairn
