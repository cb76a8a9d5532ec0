// Workloads that write: fill*, overwrite, update, delete, compact.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "db_bench/fill.h"
#include "db_bench/flags.h"
#include "db_bench/workloads.h"
#include "kv_bench/permutation.h"
#include "rocksdb/write_batch.h"

namespace db_bench {

namespace {

[[noreturn]] void Fail(const char* what, const rocksdb::Status& s) {
  std::fprintf(stderr, "%s error: %s\n", what, s.ToString().c_str());
  std::exit(1);
}

rocksdb::WriteOptions MakeWriteOptions() {
  rocksdb::WriteOptions options;
  options.sync = FLAGS_sync;
  options.disableWAL = FLAGS_disable_wal;
  return options;
}

}  // namespace

void Fill(Client* client, const FillOptions& fill) {
  const int64_t keys = std::max<int64_t>(1, FLAGS_num / fill.keys_divisor);
  const int64_t ops = fill.ops >= 0 ? fill.ops : FLAGS_writes >= 0 ? FLAGS_writes : FLAGS_num;
  const size_t value_size = fill.value_size > 0 ? fill.value_size : FLAGS_value_size;
  rocksdb::WriteOptions options = MakeWriteOptions();
  options.sync |= fill.sync;
  if (keys != FLAGS_num) {
    client->stats.AddMessage("(" + std::to_string(keys) + " ops)");
  }
  KeyBuffer key(FLAGS_key_size);
  rocksdb::WriteBatch batch(/*reserved_bytes=*/0, /*max_bytes=*/0,
                            FLAGS_write_batch_protection_bytes_per_key, /*default_cf_ts_sz=*/0);
  Duration duration(fill.order == Order::kRandom ? FLAGS_duration : 0, ops);
  const kv_bench::Permutation order(static_cast<uint64_t>(keys), client->random.Next());
  const auto key_number = [&](uint64_t i) {
    return fill.order == Order::kSequential ? i
           : fill.order == Order::kRandom   ? client->random.Uniform(static_cast<uint64_t>(keys))
                                            : order.Of(i % static_cast<uint64_t>(keys));
  };
  uint64_t next = 0;
  uint64_t bytes = 0;
  while (!duration.Done(FLAGS_batch_size)) {
    batch.Clear();
    for (int64_t i = 0; i < FLAGS_batch_size; i++) {
      const uint64_t number = key_number(next++);
      const rocksdb::Slice k = key.Set(number);
      const rocksdb::Slice value = client->values->Next(value_size);
      const rocksdb::Status added = batch.Put(k, value);
      if (!added.ok()) Fail("put", added);
      bytes += k.size() + value.size();
    }
    const rocksdb::Status s = client->shared->db->Write(options, &batch);
    if (!s.ok()) Fail("put", s);
    client->stats.FinishedOps(client->shared->db, FLAGS_batch_size, OpKind::kWrite);
  }
  client->stats.AddBytes(bytes);
}

namespace {

void UpdateRandom(Client* client) {
  rocksdb::DB* db = client->shared->db;
  const rocksdb::WriteOptions write_options = MakeWriteOptions();
  rocksdb::ReadOptions read_options;
  read_options.verify_checksums = FLAGS_verify_checksum;
  const int64_t ops = FLAGS_writes >= 0 ? FLAGS_writes : FLAGS_reads >= 0 ? FLAGS_reads : FLAGS_num;
  KeyBuffer key(FLAGS_key_size);
  std::string old_value;
  int64_t updates = 0, found = 0;
  uint64_t bytes = 0;
  Duration duration(FLAGS_duration, ops);
  while (!duration.Done(1)) {
    const rocksdb::Slice k = key.Set(client->random.Uniform(FLAGS_num));
    rocksdb::Status s = db->Get(read_options, k, &old_value);
    if (s.ok()) {
      found++;
      bytes += k.size() + old_value.size();
    } else if (!s.IsNotFound()) {
      Fail("get", s);
    }
    const rocksdb::Slice value = client->values->Next(FLAGS_value_size);
    s = db->Put(write_options, k, value);
    if (!s.ok()) Fail("put", s);
    bytes += k.size() + value.size();
    updates++;
    client->stats.FinishedOps(db, 1, OpKind::kUpdate);
  }
  client->stats.AddBytes(bytes);
  client->stats.AddMessage("( updates:" + std::to_string(updates) +
                           " found:" + std::to_string(found) + ")");
}

void Delete(Client* client, Order order) {
  const int64_t ops = FLAGS_deletes >= 0 ? FLAGS_deletes : FLAGS_num;
  const rocksdb::WriteOptions options = MakeWriteOptions();
  KeyBuffer key(FLAGS_key_size);
  rocksdb::WriteBatch batch(/*reserved_bytes=*/0, /*max_bytes=*/0,
                            FLAGS_write_batch_protection_bytes_per_key, /*default_cf_ts_sz=*/0);
  Duration duration(order == Order::kSequential ? 0 : FLAGS_duration, ops);
  uint64_t next = 0;
  while (!duration.Done(FLAGS_batch_size)) {
    batch.Clear();
    for (int64_t i = 0; i < FLAGS_batch_size; i++) {
      const rocksdb::Status added = batch.Delete(
          key.Set(order == Order::kRandom ? client->random.Uniform(FLAGS_num) : next++));
      if (!added.ok()) Fail("del", added);
    }
    const rocksdb::Status s = client->shared->db->Write(options, &batch);
    if (!s.ok()) Fail("del", s);
    client->stats.FinishedOps(client->shared->db, FLAGS_batch_size, OpKind::kDelete);
  }
}

void Compact(Client* client) {
  const rocksdb::Status s =
      client->shared->db->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr);
  if (!s.ok()) Fail("compact", s);
}

}  // namespace

std::vector<NamedWorkload> WriteWorkloads() {
  std::vector<NamedWorkload> all;
  auto fill = [&all](const char* name, const char* help, bool fresh, FillOptions options) {
    all.push_back({name, help, [options](Client* client) { Fill(client, options); }, fresh});
  };
  fill("fillseq", "write N values in key order", true, {.order = Order::kSequential});
  fill("fillrandom", "write N values in random key order", true, {});
  fill("fillsync", "write N values to N/1000 keys in random order, each synced", true,
       {.sync = true, .keys_divisor = 1000});
  fill("fill100K", "write N values of 100 KB to N/1000 keys in random order", true,
       {.keys_divisor = 1000, .value_size = 100000});
  fill("overwrite", "overwrite N values in random key order", false, {});
  all.push_back({"updaterandom", "read a random key and write it again", UpdateRandom});
  all.push_back({"deleteseq", "delete N keys in key order",
                 [](Client* c) { Delete(c, Order::kSequential); }});
  all.push_back({"deleterandom", "delete N keys in random order",
                 [](Client* c) { Delete(c, Order::kRandom); }});
  all.push_back({"compact", "compact the whole database", Compact});
  return all;
}

}  // namespace db_bench
