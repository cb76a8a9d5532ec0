// multiscan and multiscanrandom: several ranges at a time, without overlaps.

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <vector>

#include "db_bench/flags.h"
#include "db_bench/support.h"
#include "db_bench/workloads.h"
#include "rocksdb/db.h"
#include "rocksdb/iterator.h"
#include "rocksdb/multi_scan.h"

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

// The same of all of them, in order, by DB::NewMultiScan.
uint64_t ScanTogether(rocksdb::DB* db, const rocksdb::ReadOptions& reading,
                      const std::vector<Range>& ranges) {
  rocksdb::ColumnFamilyHandle* const family = db->DefaultColumnFamily();
  rocksdb::MultiScanArgs args(family->GetComparator());
  args.io_coalesce_threshold = FLAGS_multiscan_coalesce_threshold;
  args.max_prefetch_size = FLAGS_multiscan_max_prefetch_size;
  args.use_async_io = FLAGS_multiscan_use_async_io;
  args.reverse = FLAGS_reverse_iterator;
  args.reserve(ranges.size());
  std::vector<Key> keys(2 * ranges.size());  // whose bytes the arguments borrow
  for (size_t i = 0; i < ranges.size(); ++i) {
    const rocksdb::Slice begin = keys[2 * i].Set(ranges[i].begin);
    args.insert(begin, keys[2 * i + 1].Set(ranges[i].end));
  }
  uint64_t entries = 0;
  try {
    const auto scans = db->NewMultiScan(reading, family, args);
    for (auto scan : *scans) {
      for ([[maybe_unused]] const auto& entry : scan) entries++;
    }
  } catch (const rocksdb::MultiScanException& e) {
    Fail("multiscan", e.status());
  }
  return entries;
}

int64_t KeysOfScan() { return FLAGS_seek_nexts > 0 ? FLAGS_seek_nexts : 50; }

// --multiscan_size ranges from a random key on, --multiscan_stride keys apart.
void MultiScan(Client* client) {
  rocksdb::DB* db = client->shared->db;
  Target target(client);
  target.HoldSnapshot();
  const auto length = static_cast<uint64_t>(KeysOfScan());
  const uint64_t distance = length + static_cast<uint64_t>(FLAGS_multiscan_stride);
  const auto size = static_cast<uint64_t>(FLAGS_multiscan_size);
  uint64_t scans = 0;
  int64_t step = 1;  // each key counts
  Duration duration(FLAGS_duration, Reads());
  while (!duration.Done(step)) {
    LimitReads(client, 1);
    const uint64_t first =
        client->random.Uniform(static_cast<uint64_t>(FLAGS_num) - distance * size);
    std::vector<Range> ranges(size);
    for (uint64_t i = 0; i < size; ++i) {
      ranges[i] = {first + i * distance, first + i * distance + length};
    }
    const uint64_t keys = ScanTogether(db, target.Reading(), ranges);
    step = std::max<int64_t>(1, static_cast<int64_t>(keys));
    scans++;
    client->stats.FinishedOps(db, 1, OpKind::kMultiScan);
  }
  char text[60];
  std::snprintf(text, sizeof(text), "(multiscans:%" PRIu64 ")", scans);
  client->stats.AddMessage(text);
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
    uint64_t keys = 0;
    if (FLAGS_use_multiscan) {
      keys = ScanTogether(db, target.Reading(), ranges);
    } else {
      if (FLAGS_reverse_iterator) std::reverse(ranges.begin(), ranges.end());
      const std::unique_ptr<rocksdb::Iterator> iter(db->NewIterator(target.Reading()));
      for (const Range& range : ranges) keys += Scan(iter.get(), range);
    }
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

std::string WhyNoRandomScans() {
  return FLAGS_num_column_families > 1 ? "multiscanrandom: of one family" : "";
}

std::string WhyNoScans() {
  if (FLAGS_num_column_families > 1) return "multiscan: of one family";
  if (FLAGS_multiscan_size <= 0) return "multiscan: --multiscan_size must be positive";
  if (FLAGS_multiscan_stride < 0) return "multiscan: --multiscan_stride must not be negative";
  const int64_t room = FLAGS_num / FLAGS_multiscan_size;  // of one scan
  return KeysOfScan() >= room || FLAGS_multiscan_stride >= room - KeysOfScan()
             ? "multiscan: --multiscan_size scans of --seek_nexts (else 50) keys and "
               "--multiscan_stride between them need more than --num keys"
             : "";
}

}  // namespace

std::vector<NamedWorkload> ScanWorkloads() {
  return {{.name = "multiscan",
           .help = "scan --multiscan_size ranges of --seek_nexts (else 50) keys at a time",
           .run = MultiScan,
           .refusal = WhyNoScans},
          {.name = "multiscanrandom",
           .help = "scan random ranges, up to 64 at a time",
           .run = MultiScanRandom,
           .refusal = WhyNoRandomScans}};
}

}  // namespace db_bench
