// Workloads that read, some next to a writer.

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "db_bench/flags.h"
#include "db_bench/workloads.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "rocksdb/iterator.h"

namespace db_bench {

namespace {

[[noreturn]] void Fail(const char* what, const rocksdb::Status& s) {
  std::fprintf(stderr, "%s error: %s\n", what, s.ToString().c_str());
  std::exit(1);
}

int64_t Reads() { return FLAGS_reads >= 0 ? FLAGS_reads : FLAGS_num; }

rocksdb::ReadOptions MakeReadOptions() {
  rocksdb::ReadOptions options;
  options.verify_checksums = FLAGS_verify_checksum;
  options.readahead_size = FLAGS_readahead_size;
  options.adaptive_readahead = FLAGS_adaptive_readahead;
  options.async_io = FLAGS_async_io;
  options.optimize_multiget_for_io = FLAGS_optimize_multiget_for_io;
  options.tailing = FLAGS_use_tailing_iterator;
  options.total_order_seek = FLAGS_total_order_seek;
  options.prefix_same_as_start = FLAGS_prefix_same_as_start;
  options.auto_prefix_mode = FLAGS_auto_prefix_mode;
  return options;
}

void AddFound(Client* client, int64_t found, int64_t read, const char* end) {
  client->stats.AddMessage("(" + std::to_string(found) + " of " + std::to_string(read) + " found)" +
                           end);
}

// The first of --batch_size keys that stand --multiread_stride apart: any key, but where they would
// reach past the last one, all begin at the same place before the end.
uint64_t FirstOfStride(Random* random) {
  const auto num = static_cast<uint64_t>(FLAGS_num);
  const auto batch = static_cast<uint64_t>(FLAGS_batch_size);
  const auto stride = static_cast<uint64_t>(FLAGS_multiread_stride);
  const uint64_t first = random->Uniform(num);
  if (first + (batch - 1) * stride < num) return first;
  return batch * stride < num ? num - batch * stride : 0;
}

void ReadRandom(Client* client, bool missing) {
  rocksdb::DB* db = client->shared->db;
  const rocksdb::ReadOptions options = MakeReadOptions();
  KeyBuffer key(FLAGS_key_size);
  rocksdb::PinnableSlice value;
  int64_t read = 0, found = 0;
  uint64_t bytes = 0, number = 0;
  // The keys of one MultiGet of multireadrandom, one after the other.
  const bool strided = FLAGS_multiread_stride > 0 && FLAGS_batch_size > 1;
  Duration duration(FLAGS_duration, Reads());
  while (!duration.Done(1)) {
    if (!strided) {
      number = client->random.Uniform(FLAGS_num);
    } else if (read % FLAGS_batch_size == 0) {
      number = FirstOfStride(&client->random);
    } else {
      number += FLAGS_multiread_stride;
    }
    const rocksdb::Slice k = missing ? key.SetMissing(number) : key.Set(number);
    value.Reset();
    const rocksdb::Status s = db->Get(options, db->DefaultColumnFamily(), k, &value);
    read++;
    if (s.ok()) {
      found++;
      bytes += k.size() + value.size();
    } else if (!s.IsNotFound()) {
      Fail("get", s);
    }
    client->stats.FinishedOps(db, 1, OpKind::kRead);
  }
  client->stats.AddBytes(bytes);
  AddFound(client, found, read, "\n");
}

void MultiReadRandom(Client* client) {
  rocksdb::DB* db = client->shared->db;
  const rocksdb::ReadOptions options = MakeReadOptions();
  const auto batch = static_cast<size_t>(FLAGS_batch_size);
  std::vector<KeyBuffer> buffers(batch, KeyBuffer(FLAGS_key_size));
  std::vector<rocksdb::Slice> keys(batch);
  std::vector<std::string> values(batch);
  std::vector<rocksdb::PinnableSlice> pinned(batch);
  std::vector<rocksdb::Status> statuses(batch);
  int64_t read = 0, found = 0;
  uint64_t bytes = 0;
  Duration duration(FLAGS_duration, Reads());
  while (!duration.Done(FLAGS_batch_size)) {
    const bool strided = FLAGS_multiread_stride > 0;
    const uint64_t first = strided ? FirstOfStride(&client->random) : 0;
    for (size_t i = 0; i < batch; i++) {
      keys[i] = buffers[i].Set(strided ? first + i * FLAGS_multiread_stride
                                       : client->random.Uniform(FLAGS_num));
    }
    if (FLAGS_multiread_batched) {
      db->MultiGet(options, db->DefaultColumnFamily(), batch, keys.data(), pinned.data(),
                   statuses.data());
    } else {
      statuses = db->MultiGet(options, keys, &values);
    }
    for (size_t i = 0; i < batch; i++) {
      read++;
      if (statuses[i].ok()) {
        found++;
        bytes += keys[i].size() + (FLAGS_multiread_batched ? pinned[i].size() : values[i].size());
      } else if (!statuses[i].IsNotFound()) {
        Fail("multiget", statuses[i]);
      }
      pinned[i].Reset();
    }
    client->stats.FinishedOps(db, FLAGS_batch_size, OpKind::kMultiGet);
  }
  client->stats.AddBytes(bytes);
  AddFound(client, found, read, "");
}

void ReadInOrder(Client* client, bool reverse) {
  rocksdb::DB* db = client->shared->db;
  std::unique_ptr<rocksdb::Iterator> iter(db->NewIterator(MakeReadOptions()));
  uint64_t bytes = 0;
  const int64_t reads = Reads();
  reverse ? iter->SeekToLast() : iter->SeekToFirst();
  for (int64_t i = 0; i < reads && iter->Valid(); i++) {
    bytes += iter->key().size() + iter->value().size();
    client->stats.FinishedOps(db, 1, OpKind::kRead);
    reverse ? iter->Prev() : iter->Next();
  }
  if (!iter->status().ok()) Fail("iterator", iter->status());
  client->stats.AddBytes(bytes);
}

void SeekRandom(Client* client) {
  rocksdb::DB* db = client->shared->db;
  rocksdb::ReadOptions options = MakeReadOptions();
  std::unique_ptr<rocksdb::Iterator> iter;
  KeyBuffer key(FLAGS_key_size), bound_key(FLAGS_key_size);
  rocksdb::Slice bound;
  int64_t read = 0, found = 0;
  uint64_t bytes = 0;
  Duration duration(FLAGS_duration, Reads());
  while (!duration.Done(1)) {
    const uint64_t number = client->random.Uniform(FLAGS_num);
    const rocksdb::Slice k = key.Set(number);
    if (FLAGS_max_scan_distance > 0) {
      const auto distance = static_cast<uint64_t>(FLAGS_max_scan_distance);
      if (FLAGS_reverse_iterator) {
        bound = bound_key.Set(number > distance ? number - distance : 0);
        options.iterate_lower_bound = &bound;
      } else {
        bound = bound_key.Set(std::min<uint64_t>(FLAGS_num, number + distance));
        options.iterate_upper_bound = &bound;
      }
    }
    iter.reset(db->NewIterator(options));  // each seek with its own, as RocksDB's db_bench does
    iter->Seek(k);
    read++;
    if (iter->Valid() && iter->key().compare(k) == 0) found++;
    for (int i = 0; i < FLAGS_seek_nexts && iter->Valid(); i++) {
      bytes += iter->key().size() + iter->value().size();
      FLAGS_reverse_iterator ? iter->Prev() : iter->Next();
    }
    if (!iter->status().ok()) Fail("iterator", iter->status());
    client->stats.FinishedOps(db, 1, OpKind::kSeek);
  }
  client->stats.AddBytes(bytes);
  AddFound(client, found, read, "\n");
}

// The writer next to the readers: random overwrites until all readers ended, at
// --benchmark_write_rate_limit.
void BackgroundWriter(Client* client) {
  client->stats.SetExcludedFromMerge();
  rocksdb::DB* db = client->shared->db;
  rocksdb::WriteOptions options;
  options.sync = FLAGS_sync;
  options.disableWAL = FLAGS_disable_wal;
  KeyBuffer key(FLAGS_key_size);
  const uint64_t start = fiber::now_nanos();
  uint64_t bytes = 0;
  // Relaxed: the count only says when to stop, no data hangs on it.
  while (client->shared->ended.load(std::memory_order_relaxed) + 1 < client->shared->clients) {
    const rocksdb::Slice k = key.Set(client->random.Uniform(FLAGS_num));
    const rocksdb::Slice value = client->values->Next(FLAGS_value_size);
    const rocksdb::Status s = db->Put(options, k, value);
    if (!s.ok()) Fail("put", s);
    bytes += k.size() + value.size();
    client->stats.FinishedOps(db, 1, OpKind::kWrite);
    if (FLAGS_benchmark_write_rate_limit > 0) {
      const double due =
          static_cast<double>(bytes) / static_cast<double>(FLAGS_benchmark_write_rate_limit) * 1e9;
      fiber::sleep_until(start + static_cast<uint64_t>(due));
    } else if (fiber::in_fiber()) {
      fiber::yield();  // a put without a wait must not keep the readers off this worker
    }
  }
}

void ReadWhileWriting(Client* client) {
  if (client->id == 0) {
    BackgroundWriter(client);
  } else {
    ReadRandom(client, false);
  }
}

void ReadRandomWriteRandom(Client* client) {
  rocksdb::DB* db = client->shared->db;
  const rocksdb::ReadOptions read_options = MakeReadOptions();
  rocksdb::WriteOptions write_options;
  write_options.sync = FLAGS_sync;
  write_options.disableWAL = FLAGS_disable_wal;
  KeyBuffer key(FLAGS_key_size);
  rocksdb::PinnableSlice value;
  int64_t reads = 0, writes = 0, found = 0;
  Duration duration(FLAGS_duration, Reads());
  while (!duration.Done(1)) {
    const rocksdb::Slice k = key.Set(client->random.Uniform(FLAGS_num));
    if (static_cast<int>(client->random.Uniform(100)) < FLAGS_readwritepercent) {
      value.Reset();
      const rocksdb::Status s = db->Get(read_options, db->DefaultColumnFamily(), k, &value);
      if (!s.ok() && !s.IsNotFound()) Fail("get", s);
      found += s.ok();
      reads++;
      client->stats.FinishedOps(db, 1, OpKind::kRead);
    } else {
      const rocksdb::Status s = db->Put(write_options, k, client->values->Next(FLAGS_value_size));
      if (!s.ok()) Fail("put", s);
      writes++;
      client->stats.FinishedOps(db, 1, OpKind::kWrite);
    }
  }
  client->stats.AddMessage(
      "( reads:" + std::to_string(reads) + " writes:" + std::to_string(writes) +
      " total:" + std::to_string(reads + writes) + " found:" + std::to_string(found) + ")");
}

}  // namespace

std::vector<NamedWorkload> ReadWorkloads() {
  std::vector<NamedWorkload> all;
  all.push_back(
      {"readrandom", "read N times in random order", [](Client* c) { ReadRandom(c, false); }});
  all.push_back({"readmissing", "read N missing keys in random order",
                 [](Client* c) { ReadRandom(c, true); }});
  all.push_back({"multireadrandom", "read N times in random order, --batch_size keys per MultiGet",
                 MultiReadRandom});
  all.push_back({"readseq", "read N times in key order", [](Client* c) { ReadInOrder(c, false); }});
  all.push_back(
      {"readreverse", "read N times in reverse order", [](Client* c) { ReadInOrder(c, true); }});
  all.push_back({"seekrandom", "N random seeks, --seek_nexts Next() calls after each", SeekRandom});
  NamedWorkload writing{"readwhilewriting", "readrandom next to one writer", ReadWhileWriting};
  writing.extra_clients = 1;
  all.push_back(writing);
  all.push_back({"readrandomwriterandom", "reads and writes, --readwritepercent of them reads",
                 ReadRandomWriteRandom});
  return all;
}

}  // namespace db_bench
