#include "db/level_stats.h"

#include <cinttypes>

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

std::string RowText(const char* name, int files, int being_compacted, uint64_t bytes, double score,
                    const JobStats& s, double amplification) {
  const double seconds = static_cast<double>(s.micros) / 1e6 + 1e-9;
  const uint64_t read = s.bytes_read_start_levels + s.bytes_read_output_level + s.bytes_read_blob;
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
      s.bytes_read_blob / kGiB, s.bytes_written_blob / kGiB);
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
  d.bytes_read_blob = now.bytes_read_blob - before.bytes_read_blob;
  d.bytes_written_blob = now.bytes_written_blob - before.bytes_written_blob;
  d.records_in = now.records_in - before.records_in;
  d.records_dropped = now.records_dropped - before.records_dropped;
  d.count = now.count - before.count;
  return d;
}

std::string CompactionLine(const char* when, const JobStats& s, double seconds) {
  const uint64_t read = s.bytes_read_start_levels + s.bytes_read_output_level + s.bytes_read_blob;
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

std::vector<LevelStats::Row> LevelStats::Rows(const Version& version) const {
  std::vector<double> scores(static_cast<size_t>(version.num_levels()), 0.0);
  for (int rank = 0; rank + 1 < version.num_levels(); ++rank) {
    scores[version.CompactionScoreLevel(rank)] = version.CompactionScore(rank);
  }
  std::vector<Row> rows;
  Row sum;
  sum.name = "Sum";
  for (int level = 0; level < version.num_levels(); ++level) {
    Row row;
    row.name = "L" + std::to_string(level);
    row.stats = levels_[level];
    row.files = version.NumLevelFiles(level);
    if (row.files == 0 && row.stats.count == 0 && row.stats.bytes_written == 0) continue;
    for (const FileMetaData* file : version.files(level)) {
      row.being_compacted += file->being_compacted;
    }
    row.bytes = version.NumLevelBytes(level);
    row.score = scores[level];
    row.amplification =
        Amplification(row.stats.bytes_written,
                      level == 0 ? row.stats.bytes_written : row.stats.bytes_read_start_levels);
    sum.files += row.files;
    sum.being_compacted += row.being_compacted;
    sum.bytes += row.bytes;
    rows.push_back(std::move(row));
  }
  sum.stats = Sum(flushes_, compactions_);
  sum.amplification =
      Amplification(sum.stats.bytes_written, flushes_.bytes_written + ingested_.bytes);
  rows.push_back(std::move(sum));
  return rows;
}

std::map<std::string, std::string> LevelStats::ToMap(const Version& version) const {
  std::map<std::string, std::string> map;
  for (const Row& row : Rows(version)) {
    const JobStats& s = row.stats;
    const auto add = [&](const char* what, double value) {
      map["compaction." + row.name + "." + what] = std::to_string(value);
    };
    const double seconds = static_cast<double>(s.micros + 1) / 1e6;
    const auto read = static_cast<double>(s.bytes_read_start_levels + s.bytes_read_output_level);
    const auto written = static_cast<double>(s.bytes_written);
    const auto from_output = static_cast<double>(s.bytes_read_output_level);
    add("NumFiles", row.files);
    add("CompactedFiles", row.being_compacted);
    add("SizeBytes", static_cast<double>(row.bytes));
    add("Score", row.score);
    add("ReadGB", read / kGiB);
    add("RnGB", static_cast<double>(s.bytes_read_start_levels) / kGiB);
    add("Rnp1GB", from_output / kGiB);
    add("WriteGB", written / kGiB);
    add("WnewGB", (written - from_output) / kGiB);
    add("MovedGB", static_cast<double>(s.bytes_moved) / kGiB);
    add("WriteAmp", row.amplification);
    add("ReadMBps", read / kMiB / seconds);
    add("WriteMBps", written / kMiB / seconds);
    add("CompSec", static_cast<double>(s.micros) / 1e6);
    add("CompMergeCPU", static_cast<double>(s.cpu_micros) / 1e6);
    add("CompCount", s.count);
    add("AvgSec", s.count == 0 ? 0 : static_cast<double>(s.micros) / 1e6 / s.count);
    add("KeyIn", static_cast<double>(s.records_in));
    add("KeyDrop", static_cast<double>(s.records_dropped));
    add("RblobGB", static_cast<double>(s.bytes_read_blob) / kGiB);
    add("WblobGB", static_cast<double>(s.bytes_written_blob) / kGiB);
  }
  return map;
}

std::string LevelStats::Report(const Version& version, const Surroundings& around) {
  const std::string title = "\n** Compaction Stats [" + around.family + "] **\n";
  const std::string line(192, '-');
  std::string out = title + "Level" + kColumns + line + "\n";

  const std::vector<Row> rows = Rows(version);
  for (const Row& row : rows) {
    out += RowText(row.name.c_str(), row.files, row.being_compacted, row.bytes, row.score,
                   row.stats, row.amplification);
  }
  const Totals now{flushes_, compactions_, ingested_, around.uptime};
  const Totals& before = reported_;
  const JobStats& sum = rows.back().stats;
  const JobStats interval = Since(sum, Sum(before.flushes, before.compactions));
  const uint64_t in = now.flushes.bytes_written + now.ingested.bytes;
  const uint64_t in_before = before.flushes.bytes_written + before.ingested.bytes;
  out +=
      RowText("Int", 0, 0, 0, 0.0, interval, Amplification(interval.bytes_written, in - in_before));

  out += title + "Priority" + kColumns + line + "---\n";
  if (compactions_.count > 0) out += RowText("Low", 0, 0, 0, 0.0, compactions_, 0.0);
  if (flushes_.count > 0) out += RowText("High", 0, 0, 0, 0.0, flushes_, 0.0);

  const double seconds = now.uptime - before.uptime;
  const BlobFileTotals blobs = TotalsOf(version.blob_files());
  out +=
      StringPrintf("\nBlob file count: %" PRIu64
                   ", total size: %.1f GB, garbage size: %.1f GB, space amp: %.1f\n\n",
                   blobs.files, static_cast<double>(blobs.file_bytes) / kGiB,
                   static_cast<double>(blobs.garbage_bytes) / kGiB, BlobSpaceAmplification(blobs));
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
