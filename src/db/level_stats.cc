#include "db/level_stats.h"

#include "base/string_util.h"

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
  return StringPrintf("%.2f %s", value, kUnits[unit]);
}

// The columns of both tables, behind the one that names the row.
constexpr char kColumns[] =
    "    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) W-Amp "
    "Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop Rblob(GB) "
    "Wblob(GB)\n";

std::string Row(const char* name, int files, int being_compacted, uint64_t bytes, double score,
                const JobStats& s, double amplification) {
  const double seconds = static_cast<double>(s.micros) / 1e6 + 1e-9;
  const uint64_t read = s.bytes_read_start_levels + s.bytes_read_output_level;
  return StringPrintf(
      "%4s %6d/%-3d %8s %5.1f %8.1f %7.1f %8.1f %9.1f %8.1f %9.1f %5.1f %8.1f %8.1f "
      "%9.2f %17.2f %9d %8.3f %7s %6s %9.1f %9.1f\n",
      name, files, being_compacted, HumanBytes(bytes).c_str(), score, read / kGiB,
      s.bytes_read_start_levels / kGiB, s.bytes_read_output_level / kGiB, s.bytes_written / kGiB,
      (static_cast<double>(s.bytes_written) - static_cast<double>(s.bytes_read_output_level)) /
          kGiB,
      s.bytes_moved / kGiB, amplification, read / kMiB / seconds, s.bytes_written / kMiB / seconds,
      static_cast<double>(s.micros) / 1e6, static_cast<double>(s.cpu_micros) / 1e6, s.count,
      s.count == 0 ? 0.0 : static_cast<double>(s.micros) / 1e6 / s.count,
      NumberToHumanString(s.records_in).c_str(), NumberToHumanString(s.records_dropped).c_str(),
      0.0, 0.0);
}

// Bytes written per byte that came in.
double Amplification(uint64_t written, uint64_t in) {
  return in == 0 ? 0.0 : static_cast<double>(written) / static_cast<double>(in);
}

JobStats Sum(const JobStats& a, const JobStats& b) {
  JobStats sum = a;
  sum.Add(b);
  return sum;
}

// What came after `before`.
JobStats Since(const JobStats& now, const JobStats& before) {
  JobStats d;
  d.micros = now.micros - before.micros;
  d.cpu_micros = now.cpu_micros - before.cpu_micros;
  d.bytes_read_start_levels = now.bytes_read_start_levels - before.bytes_read_start_levels;
  d.bytes_read_output_level = now.bytes_read_output_level - before.bytes_read_output_level;
  d.bytes_written = now.bytes_written - before.bytes_written;
  d.bytes_moved = now.bytes_moved - before.bytes_moved;
  d.records_in = now.records_in - before.records_in;
  d.records_dropped = now.records_dropped - before.records_dropped;
  d.count = now.count - before.count;
  return d;
}

std::string CompactionLine(const char* when, const JobStats& s, double seconds) {
  const uint64_t read = s.bytes_read_start_levels + s.bytes_read_output_level;
  seconds += 1e-9;
  return StringPrintf(
      "%s compaction: %.2f GB write, %.2f MB/s write, %.2f GB read, %.2f MB/s read, %.1f seconds\n",
      when, s.bytes_written / kGiB, s.bytes_written / kMiB / seconds, read / kGiB,
      read / kMiB / seconds, static_cast<double>(s.micros) / 1e6);
}

}  // namespace

std::string NumberToHumanString(uint64_t number) {
  if (number < 10000) return std::to_string(number);
  if (number < 10 * 1000 * 1000) return std::to_string(number / 1000) + "K";
  if (number < uint64_t{10} * 1000 * 1000 * 1000) return std::to_string(number / 1000000) + "M";
  return std::to_string(number / 1000000000) + "G";
}

void LevelStats::AddIngested(const IngestedFiles& files) {
  ingested_.bytes += files.bytes;
  ingested_.files += files.files;
  ingested_.level0_files += files.level0_files;
  ingested_.keys += files.keys;
}

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

std::string LevelStats::Report(const Version& version, const Surroundings& around) {
  const std::string title = "\n** Compaction Stats [" + around.family + "] **\n";
  const std::string line(192, '-');
  std::string out = title + "Level" + kColumns + line + "\n";

  std::vector<double> scores(static_cast<size_t>(version.num_levels()), 0.0);
  for (int rank = 0; rank + 1 < version.num_levels(); ++rank) {
    scores[version.CompactionScoreLevel(rank)] = version.CompactionScore(rank);
  }
  int files = 0;
  int busy = 0;
  uint64_t bytes = 0;
  for (int level = 0; level < version.num_levels(); ++level) {
    const JobStats& s = levels_[level];
    const int level_files = version.NumLevelFiles(level);
    if (level_files == 0 && s.count == 0) continue;
    int level_busy = 0;
    for (const FileMetaData* file : version.files(level)) level_busy += file->being_compacted;
    out += Row(
        ("L" + std::to_string(level)).c_str(), level_files, level_busy,
        version.NumLevelBytes(level), scores[level], s,
        Amplification(s.bytes_written, level == 0 ? s.bytes_written : s.bytes_read_start_levels));
    files += level_files;
    busy += level_busy;
    bytes += version.NumLevelBytes(level);
  }
  const Totals now{flushes_, compactions_, ingested_, around.uptime};
  const Totals& before = reported_;
  const JobStats sum = Sum(now.flushes, now.compactions);
  const JobStats interval = Since(sum, Sum(before.flushes, before.compactions));
  const uint64_t in = now.flushes.bytes_written + now.ingested.bytes;
  const uint64_t in_before = before.flushes.bytes_written + before.ingested.bytes;
  out += Row("Sum", files, busy, bytes, 0.0, sum, Amplification(sum.bytes_written, in));
  out += Row("Int", 0, 0, 0, 0.0, interval, Amplification(interval.bytes_written, in - in_before));

  out += title + "Priority" + kColumns + line + "---\n";
  if (compactions_.count > 0) out += Row("Low", 0, 0, 0, 0.0, compactions_, 0.0);
  if (flushes_.count > 0) out += Row("High", 0, 0, 0, 0.0, flushes_, 0.0);

  const double seconds = now.uptime - before.uptime;
  out += "\nBlob file count: 0, total size: 0.0 GB, garbage size: 0.0 GB, space amp: 0.0\n\n";
  out += StringPrintf("Uptime(secs): %.1f total, %.1f interval\n", now.uptime, seconds);
  out +=
      StringPrintf("Flush(GB): cumulative %.3f, interval %.3f\n", now.flushes.bytes_written / kGiB,
                   (now.flushes.bytes_written - before.flushes.bytes_written) / kGiB);
  out += StringPrintf("AddFile(GB): cumulative %.3f, interval %.3f\n", now.ingested.bytes / kGiB,
                      (now.ingested.bytes - before.ingested.bytes) / kGiB);
  const auto added = [&](const char* what, uint64_t all, uint64_t earlier) {
    out += StringPrintf("AddFile(%s): cumulative %llu, interval %llu\n", what,
                        static_cast<unsigned long long>(all),
                        static_cast<unsigned long long>(all - earlier));
  };
  added("Total Files", now.ingested.files, before.ingested.files);
  added("L0 Files", now.ingested.level0_files, before.ingested.level0_files);
  added("Keys", now.ingested.keys, before.ingested.keys);
  out += CompactionLine("Cumulative", sum, now.uptime);
  out += CompactionLine("Interval", interval, seconds);
  out += StringPrintf("Estimated pending compaction bytes: %llu\n",
                      static_cast<unsigned long long>(around.pending_compaction_bytes));
  out += "Write Stall (count): " + around.stalls + "\n";
  out += around.block_cache;
  reported_ = now;
  return out;
}

}  // namespace cairn
