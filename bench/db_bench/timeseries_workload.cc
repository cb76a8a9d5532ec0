// timeseries: one client appends samples of --key_id_range series, each at its time, which counts
// the samples; the others read the last --time_range of a series until it is done. What is older
// goes by --expire_style.

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>

#include "db_bench/flags.h"
#include "db_bench/support.h"
#include "db_bench/workloads.h"
#include "fiber/runtime.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/iterator.h"

namespace db_bench {

namespace {

constexpr size_t kKeySize = 16;  // the series, then the time, each of 8 bytes in big-endian order

std::atomic<uint64_t> last_time{0};  // relaxed: a clock, no data hangs on it

void Append(std::string* key, uint64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8) key->push_back(static_cast<char>(number >> shift));
}

std::string SampleKey(uint64_t series, uint64_t time) {
  std::string key;
  Append(&key, series);
  Append(&key, time);
  return key;
}

uint64_t TimeOf(const rocksdb::Slice& key) {
  uint64_t time = 0;
  for (size_t i = 8; i < kKeySize; i++) time = time << 8 | static_cast<uint8_t>(key[i]);
  return time;
}

// What is older than this has expired.
uint64_t Horizon() {
  const uint64_t now = last_time.load(std::memory_order_relaxed);
  return now > FLAGS_time_range ? now - FLAGS_time_range : 0;
}

class DropExpired : public rocksdb::CompactionFilter {
 public:
  const char* Name() const override { return "db_bench.DropExpired"; }
  bool Filter(int /*level*/, const rocksdb::Slice& key, const rocksdb::Slice& /*value*/,
              std::string* /*new_value*/, bool* /*value_changed*/) const override {
    return key.size() == kKeySize && TimeOf(key) < Horizon();
  }
};

uint64_t AnySeries(Client* client) {
  return client->random.Uniform(static_cast<uint64_t>(FLAGS_key_id_range));
}

void WriteSamples(Client* client) {
  rocksdb::DB* db = client->shared->db;
  const rocksdb::WriteOptions options = MakeWriteOptions();
  uint64_t bytes = 0;
  Duration duration(FLAGS_duration, Writes());
  while (!duration.Done(1)) {
    const uint64_t now = last_time.fetch_add(1, std::memory_order_relaxed) + 1;
    const std::string key = SampleKey(AnySeries(client), now);
    const rocksdb::Slice value = NextValue(client);
    const rocksdb::Status s = db->Put(options, key, value);
    if (!s.ok()) Fail("put", s);
    bytes += key.size() + value.size();
    client->stats.FinishedOps(db, 1, OpKind::kWrite);
    // (Of fibers the others would not run before the end.)
    if (fiber::in_fiber() && now % 100 == 0) fiber::yield();
  }
  client->stats.AddBytes(bytes);
}

// Until the writer is done. `deletes`: what has expired of a series; else reads the rest of it.
void VisitSeries(Client* client, bool deletes) {
  rocksdb::DB* db = client->shared->db;
  const rocksdb::ReadOptions read_options = MakeReadOptions();
  const rocksdb::WriteOptions write_options = MakeWriteOptions();
  int64_t read = 0, found = 0;
  uint64_t bytes = 0;
  while (client->shared->ended.load(std::memory_order_relaxed) == 0) {
    const uint64_t series = AnySeries(client);
    const uint64_t from = deletes ? 0 : Horizon();
    const uint64_t until = deletes ? Horizon() : UINT64_MAX;
    const std::unique_ptr<rocksdb::Iterator> iter(db->NewIterator(read_options));
    const std::string prefix = SampleKey(series, 0).substr(0, 8);
    bool any = false;
    for (iter->Seek(SampleKey(series, from));
         iter->Valid() && iter->key().starts_with(prefix) && TimeOf(iter->key()) < until;
         iter->Next()) {
      any = true;
      bytes += iter->key().size() + iter->value().size();
      if (!deletes) continue;
      const rocksdb::Status s = db->Delete(write_options, iter->key());
      if (!s.ok()) Fail("del", s);
    }
    if (!iter->status().ok()) Fail("iterator", iter->status());
    read++;
    found += any;
    client->stats.FinishedOps(db, 1, deletes ? OpKind::kDelete : OpKind::kRead);
    if (fiber::in_fiber()) fiber::yield();
  }
  client->stats.AddBytes(bytes);
  AddFound(client, found, read, "");
}

void TimeSeries(Client* client) {
  if (client->id == 0) {
    WriteSamples(client);
  } else {
    VisitSeries(client, FLAGS_expire_style == "delete" &&
                            client->id + FLAGS_num_deletion_threads >= client->shared->clients);
  }
}

std::string WhyNoTimeSeries() {
  if (FLAGS_key_id_range <= 0) return "--key_id_range must be positive";
  if (FLAGS_expire_style != "none" && FLAGS_expire_style != "compaction_filter" &&
      FLAGS_expire_style != "delete") {
    return "--expire_style: there are none, compaction_filter and delete";
  }
  return FLAGS_threads < 2 ? "timeseries needs --threads=2 or more: one writes, the others read"
                           : "";
}

}  // namespace

const rocksdb::CompactionFilter* ExpiredSamples() {
  static const DropExpired filter;
  return FLAGS_expire_style == "compaction_filter" ? &filter : nullptr;
}

std::vector<NamedWorkload> TimeSeriesWorkloads() {
  return {{.name = "timeseries",
           .help = "one client writes N samples of series, the others read their ends",
           .run = TimeSeries,
           .fresh_db = true,
           .refusal = WhyNoTimeSeries}};
}

}  // namespace db_bench
