// Workloads that write: fill*, overwrite, delete, compact.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "db_bench/fill.h"
#include "db_bench/flags.h"
#include "db_bench/range_deletions.h"
#include "db_bench/support.h"
#include "db_bench/workloads.h"
#include "rocksdb/iterator.h"
#include "rocksdb/metadata.h"
#include "rocksdb/write_batch.h"
#include "support/permutation.h"

namespace db_bench {

void Fill(Client* client, const FillOptions& fill) {
  const int64_t keys = std::max<int64_t>(1, FLAGS_num / fill.keys_divisor);
  const int64_t ops = fill.ops >= 0 ? fill.ops : Writes();
  Target target(client);
  rocksdb::WriteOptions options = target.write;
  options.sync |= fill.sync;
  if (keys != FLAGS_num) {
    client->stats.AddMessage("(" + std::to_string(keys) + " ops)");
  }
  Key key;
  rocksdb::WriteBatch batch(/*reserved_bytes=*/0, /*max_bytes=*/0,
                            FLAGS_write_batch_protection_bytes_per_key, /*default_cf_ts_sz=*/0);
  Duration duration(fill.order == Order::kRandom ? FLAGS_duration : 0, ops);
  const bench::Permutation order(static_cast<uint64_t>(keys), client->random.Next());
  const auto key_number = [&](uint64_t i) {
    return fill.order == Order::kSequential ? i
           : fill.order == Order::kRandom   ? client->random.Uniform(static_cast<uint64_t>(keys))
                                            : order.Of(i % static_cast<uint64_t>(keys));
  };
  uint64_t next = 0;
  uint64_t bytes = 0, limited = 0;
  RangeDeletions ranges(&target);
  WriteLimit limit(client);
  const int64_t together = fill.batch > 0 ? fill.batch : FLAGS_batch_size;
  while (!duration.Done(together)) {
    batch.Clear();
    for (int64_t i = 0; i < together; i++) {
      // One of the last keys once more, or the next one.
      const bool again =
          fill.overwrites && next > 0 && client->random.Fraction() < FLAGS_overwrite_probability;
      const uint64_t window = std::min<uint64_t>(next, FLAGS_overwrite_window_size);
      const uint64_t number =
          key_number(again ? next - 1 - client->random.Uniform(window) : next++);
      const rocksdb::Slice k = key.Set(number);
      const rocksdb::Slice value = fill.value_size > 0
                                       ? ValueOf(client, static_cast<size_t>(fill.value_size))
                                       : NextValue(client);
      const rocksdb::Status added = target.Put(&batch, number, k, value);
      if (!added.ok()) Fail("put", added);
      bytes += k.size() + value.size();
      // (A random number is drawn for one that may be due, no other.)
      if (FLAGS_writes_per_range_tombstone > 0) ranges.Add(key_number(next), &batch);
    }
    limit.Before(bytes - limited);
    limited = bytes;
    const rocksdb::Status s = client->shared->db->Write(options, &batch);
    if (!s.ok()) Fail("put", s);
    client->stats.FinishedOps(client->shared->db, together, OpKind::kWrite);
  }
  client->stats.AddBytes(bytes);
}

namespace {

void Delete(Client* client, Order order) {
  const int64_t ops = FLAGS_deletes >= 0 ? FLAGS_deletes : FLAGS_num;
  Target target(client);
  Key key;
  rocksdb::WriteBatch batch(/*reserved_bytes=*/0, /*max_bytes=*/0,
                            FLAGS_write_batch_protection_bytes_per_key, /*default_cf_ts_sz=*/0);
  Duration duration(order == Order::kSequential ? 0 : FLAGS_duration, ops);
  uint64_t next = 0;
  while (!duration.Done(FLAGS_batch_size)) {
    batch.Clear();
    for (int64_t i = 0; i < FLAGS_batch_size; i++) {
      const uint64_t number = order == Order::kRandom ? client->random.Uniform(FLAGS_num) : next++;
      const rocksdb::Status added = target.Delete(&batch, number, key.Set(number));
      if (!added.ok()) Fail("del", added);
    }
    const rocksdb::Status s = client->shared->db->Write(target.write, &batch);
    if (!s.ok()) Fail("del", s);
    client->stats.FinishedOps(client->shared->db, FLAGS_batch_size, OpKind::kDelete);
  }
}

// --numdistinct keys, which are written, and then one after the other deleted and replaced by a
// neighbour, around the middle most.
void RandomReplaceKeys(Client* client) {
  constexpr uint64_t kNeighbours = 50;
  rocksdb::DB* db = client->shared->db;
  const rocksdb::WriteOptions options = MakeWriteOptions();
  Key key;
  std::vector<uint64_t> neighbour(static_cast<size_t>(FLAGS_numdistinct));
  for (size_t i = 0; i < neighbour.size(); i++) {
    const rocksdb::Status s = db->Put(options, key.Set(i * kNeighbours), NextValue(client));
    if (!s.ok()) Fail("put", s);
  }
  // (Versions that somebody still sees stay where they are.)
  const rocksdb::Snapshot* const snapshot = db->GetSnapshot();
  const double middle = static_cast<double>(FLAGS_numdistinct) / 2;
  const auto last = static_cast<double>(FLAGS_numdistinct - 1);
  Duration duration(FLAGS_duration, FLAGS_num);
  while (!duration.Done(1)) {
    const auto i =
        static_cast<size_t>(std::clamp(middle + client->random.Normal() * FLAGS_stddev, 0.0, last));
    const rocksdb::Slice old = key.Set(i * kNeighbours + neighbour[i]);
    rocksdb::Status s =
        FLAGS_use_single_deletes ? db->SingleDelete(options, old) : db->Delete(options, old);
    if (!s.ok()) Fail("del", s);
    neighbour[i] = (neighbour[i] + 1) % kNeighbours;
    s = db->Put(options, key.Set(i * kNeighbours + neighbour[i]), rocksdb::Slice());
    if (!s.ok()) Fail("put", s);
    client->stats.FinishedOps(db, 1, OpKind::kOther);
  }
  db->ReleaseSnapshot(snapshot);
  char text[96];
  std::snprintf(text, sizeof(text), "use single deletes: %d, standard deviation: %lf\n",
                FLAGS_use_single_deletes, FLAGS_stddev);
  client->stats.AddMessage(text);
}

// Each of --numdistinct values stands under ten keys, which change together: what is read of them
// at one time is equal.
class Verifier {
 public:
  explicit Verifier(Client* client) : client_(client), db_(client->shared->db) {}

  void Run() {
    int gets = 0, puts = 0, deletes = 0;  // that are still to do of the hundred
    int64_t done[3] = {0, 0, 0};
    Duration duration(0, ReadsAndWrites());
    while (!duration.Done(1)) {
      if (gets + puts + deletes == 0) {
        gets = FLAGS_readwritepercent;
        deletes = FLAGS_deletepercent;
        puts = 100 - gets - deletes;
      }
      const rocksdb::Slice base =
          key_.Set(client_->random.Uniform(static_cast<uint64_t>(FLAGS_numdistinct)));
      if (gets > 0) {
        gets--, done[0]++;
        ReadAll(base);
        client_->stats.FinishedOps(db_, 1, OpKind::kRead);
      } else if (puts > 0) {
        puts--, done[1]++;
        WriteAll(base, /*deletes=*/false);
        client_->stats.FinishedOps(db_, 1, OpKind::kWrite);
      } else {
        deletes--, done[2]++;
        WriteAll(base, /*deletes=*/true);
        client_->stats.FinishedOps(db_, 1, OpKind::kDelete);
      }
    }
    client_->stats.AddMessage("( get:" + std::to_string(done[0]) + " put:" +
                              std::to_string(done[1]) + " del:" + std::to_string(done[2]) +
                              " total:" + std::to_string(done[0] + done[1] + done[2]) +
                              " found:" + std::to_string(found_) + ")");
  }

 private:
  static std::string KeyAt(const rocksdb::Slice& base, int i) {
    return base.ToString() + static_cast<char>('0' + i);
  }

  void ReadAll(const rocksdb::Slice& base) {
    rocksdb::ReadOptions options = MakeReadOptions();
    options.snapshot = db_->GetSnapshot();
    std::string first, value;
    for (int i = 0; i < 10; i++) {
      value.clear();
      const rocksdb::Status s = db_->Get(options, KeyAt(base, i), &value);
      if (!s.ok() && !s.IsNotFound()) Fail("get", s);
      if (i == 0) {
        first = value;
        found_ += s.ok();
      }
      if (value != first) Fail("randomwithverify: keys that were written together differ");
    }
    db_->ReleaseSnapshot(options.snapshot);
  }

  void WriteAll(const rocksdb::Slice& base, bool deletes) {
    rocksdb::WriteBatch batch;
    const rocksdb::Slice value = NextValue(client_);
    for (int i = 0; i < 10; i++) {
      const rocksdb::Status s =
          deletes ? batch.Delete(KeyAt(base, i)) : batch.Put(KeyAt(base, i), value);
      if (!s.ok()) Fail("put", s);
    }
    const rocksdb::Status s = db_->Write(options_, &batch);
    if (!s.ok()) Fail("write", s);
  }

  Client* const client_;
  rocksdb::DB* const db_;
  const rocksdb::WriteOptions options_ = MakeWriteOptions();
  Key key_;
  int64_t found_ = 0;
};

std::string WhyNoVerify() {
  return FLAGS_readwritepercent < 0 || FLAGS_deletepercent < 0 ||
                 FLAGS_readwritepercent + FLAGS_deletepercent > 100
             ? "--readwritepercent and --deletepercent: 0 to 100 together"
             : "";
}

void Compact(Client* client) {
  for (rocksdb::ColumnFamilyHandle* family : client->shared->families) {
    const rocksdb::Status s =
        client->shared->db->CompactRange(rocksdb::CompactRangeOptions(), family, nullptr, nullptr);
    if (!s.ok()) Fail("compact", s);
  }
}

// All tables of one level into the next one, in each family.
void CompactLevel(Client* client, int level) {
  rocksdb::DB* db = client->shared->db;
  for (rocksdb::ColumnFamilyHandle* family : client->shared->families) {
    rocksdb::ColumnFamilyMetaData meta;
    db->GetColumnFamilyMetaData(family, &meta);
    std::vector<std::string> tables;
    for (const rocksdb::SstFileMetaData& table : meta.levels[static_cast<size_t>(level)].files) {
      tables.push_back(table.name);
    }
    if (tables.empty()) continue;
    const rocksdb::Status s =
        db->CompactFiles(rocksdb::CompactionOptions(), family, tables, level + 1);
    if (!s.ok()) Fail("compact", s);
  }
}

std::string WhyNoLevels() {
  return FLAGS_num_levels < 3 ? "compact0 and compact1 need --num_levels=3 or more" : "";
}

// Writes keys in order, and looks for each of them at once.
void FillAndSeek(Client* client) {
  rocksdb::DB* db = client->shared->db;
  Target target(client);
  Key key;
  Duration duration(FLAGS_duration, Writes());
  for (uint64_t number = 0; !duration.Done(1); number++) {
    const rocksdb::Slice k = key.Set(number % static_cast<uint64_t>(FLAGS_num));
    rocksdb::Status s = target.Put(number, k, NextValue(client));
    if (!s.ok()) Fail("put", s);
    client->stats.FinishedOps(db, 1, OpKind::kWrite);
    const std::unique_ptr<rocksdb::Iterator> iter(
        db->NewIterator(target.Reading(), target.Family(number)));
    iter->Seek(k);
    if (!iter->status().ok()) Fail("iterator", iter->status());
    if (!iter->Valid() || iter->key() != k) Fail("fillseekseq: a key that was written is missing");
    client->stats.FinishedOps(db, 1, OpKind::kSeek);
  }
}

}  // namespace

std::vector<NamedWorkload> WriteWorkloads() {
  std::vector<NamedWorkload> all;
  auto fill = [&all](const char* name, const char* help, bool fresh, FillOptions options) {
    all.push_back({name, help, [options](Client* client) { Fill(client, options); }, fresh});
  };
  fill("fillseq", "write N values in key order", true, {.order = Order::kSequential});
  fill("fillrandom", "write N values in random key order", true, {});
  fill("fillbatch", "write N values in key order, 1000 at a time", true,
       {.order = Order::kSequential, .batch = 1000});
  fill("filluniquerandom", "write N values in random key order, each key once", true,
       {.order = Order::kUniqueRandom, .overwrites = true});
  all.back().single_client = true;
  fill("fillsync", "write N values to N/1000 keys in random order, each synced", true,
       {.sync = true, .keys_divisor = 1000});
  fill("fill100K", "write N values of 100 KB to N/1000 keys in random order", true,
       {.keys_divisor = 1000, .value_size = 100000});
  fill("overwrite", "overwrite N values in random key order", false, {});
  all.push_back({"deleteseq", "delete N keys in key order",
                 [](Client* c) { Delete(c, Order::kSequential); }});
  all.push_back({"deleterandom", "delete N keys in random order",
                 [](Client* c) { Delete(c, Order::kRandom); }});
  all.push_back({.name = "randomreplacekeys",
                 .help = "N times: delete a key and write a neighbour",
                 .run = RandomReplaceKeys,
                 .fresh_db = true,
                 .single_client = true});
  all.push_back({.name = "randomwithverify",
                 .help = "N reads, writes, deletes of ten keys together, verified",
                 .run = [](Client* c) { Verifier(c).Run(); },
                 .refusal = WhyNoVerify});
  all.push_back({"fillseekseq", "write N values in key order, and seek each", FillAndSeek,
                 /*fresh_db=*/true});
  all.push_back({"compact", "compact the whole database", Compact});
  all.push_back({"compactall", "the same", Compact});
  all.push_back({.name = "compact0",
                 .help = "compact level 0 into level 1",
                 .run = [](Client* c) { CompactLevel(c, 0); },
                 .single_client = true,
                 .refusal = WhyNoLevels});
  all.push_back({.name = "compact1",
                 .help = "compact level 1 into level 2",
                 .run = [](Client* c) { CompactLevel(c, 1); },
                 .single_client = true,
                 .refusal = WhyNoLevels});
  return all;
}

}  // namespace db_bench
