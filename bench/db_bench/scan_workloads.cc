// multiscanrandom: several ranges at a time, without overlaps.

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <vector>

#include "db_bench/flags.h"
#include "db_bench/support.h"
#include "db_bench/workloads.h"
#include "rocksdb/iterator.h"

namespace db_bench {

namespace {

constexpr uint64_t kMostRanges = 64;
constexpr int64_t kMostBytes = 1 << 20;  // of a range

// Numbers of keys.
struct Range {
  uint64_t begin;
  uint64_t end;
};

uint64_t LongestRange() {
  return static_cast<uint64_t>(
      std::max<int64_t>(1, kMostBytes / (int64_t{FLAGS_key_size} + FLAGS_value_size)));
}

// In order; what one would share with the one before it is left out.
std::vector<Range> RandomRanges(Random* random) {
  const auto num = static_cast<uint64_t>(FLAGS_num);
  std::vector<Range> drawn(1 + random->Uniform(kMostRanges));
  for (Range& range : drawn) {
    const uint64_t length = 1 + random->Uniform(LongestRange());
    range.begin = random->Uniform(num > length ? num - length + 1 : 1);
    range.end = range.begin + length;
  }
  std::sort(drawn.begin(), drawn.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::vector<Range> ranges;
  for (const Range& range : drawn) {
    const uint64_t before = ranges.empty() ? 0 : ranges.back().end;
    if (range.end > before) ranges.push_back({std::max(range.begin, before), range.end});
  }
  return ranges;
}

// How many keys the range has, by the iterator.
uint64_t Scan(rocksdb::Iterator* iter, const Range& range) {
  Key begin_key, end_key;
  const rocksdb::Slice begin = begin_key.Set(range.begin), end = end_key.Set(range.end);
  uint64_t keys = 0;
  if (FLAGS_reverse_iterator) {
    iter->SeekForPrev(end);
    if (iter->Valid() && iter->key() == end) iter->Prev();
    for (; iter->Valid() && iter->key().compare(begin) >= 0; iter->Prev()) keys++;
  } else {
    for (iter->Seek(begin); iter->Valid() && iter->key().compare(end) < 0; iter->Next()) keys++;
  }
  if (!iter->status().ok()) Fail("iterator", iter->status());
  return keys;
}

void MultiScanRandom(Client* client) {
  rocksdb::DB* db = client->shared->db;
  Target target(client);
  target.HoldSnapshot();
  uint64_t scans = 0, rows = 0;
  int64_t step = 1;  // each key counts
  Duration duration(FLAGS_duration, Reads());
  while (!duration.Done(step)) {
    LimitReads(client, 1);
    std::vector<Range> ranges = RandomRanges(&client->random);
    if (FLAGS_reverse_iterator) std::reverse(ranges.begin(), ranges.end());
    const std::unique_ptr<rocksdb::Iterator> iter(db->NewIterator(target.Reading()));
    uint64_t keys = 0;
    for (const Range& range : ranges) keys += Scan(iter.get(), range);
    step = std::max<int64_t>(1, static_cast<int64_t>(keys));
    rows += keys;
    scans++;
    client->stats.FinishedOps(db, 1, OpKind::kMultiScan);
  }
  char text[160];
  std::snprintf(text, sizeof(text),
                "(multiscans:%" PRIu64 " rows_scanned:%" PRIu64 " rows_per_multiscan:%" PRIu64
                " max_range_keys:%" PRIu64 ")",
                scans, rows, scans == 0 ? 0 : rows / scans, LongestRange());
  client->stats.AddMessage(text);
}

std::string WhyNoScans() {
  if (FLAGS_use_multiscan) {
    return "multiscanrandom needs --use_multiscan=false: DB::NewMultiScan is not there, and an "
           "iterator reads the ranges one after the other";
  }
  return FLAGS_num_column_families > 1 ? "multiscanrandom: of one family" : "";
}

}  // namespace

std::vector<NamedWorkload> ScanWorkloads() {
  return {{.name = "multiscanrandom",
           .help = "scan random ranges, up to 64 at a time; needs --use_multiscan=false",
           .run = MultiScanRandom,
           .refusal = WhyNoScans}};
}

}  // namespace db_bench
