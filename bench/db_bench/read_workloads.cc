// Workloads that read, some next to a writer.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <utility>

#include "db_bench/flags.h"
#include "db_bench/support.h"
#include "db_bench/workloads.h"
#include "rocksdb/iterator.h"

namespace db_bench {

namespace {

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

void ReadRandom(Client* client, bool missing, int64_t reads) {
  rocksdb::DB* db = client->shared->db;
  Target target(client);
  KeyBuffer key(FLAGS_key_size);
  rocksdb::PinnableSlice value;
  int64_t read = 0, found = 0;
  uint64_t bytes = 0, number = 0;
  // The keys of one MultiGet of multireadrandom, one after the other.
  const bool strided = FLAGS_multiread_stride > 0 && FLAGS_batch_size > 1;
  Duration duration(FLAGS_duration, reads);
  while (!duration.Done(1)) {
    if (!strided) {
      number = client->random.Uniform(FLAGS_num);
    } else if (read % FLAGS_batch_size == 0) {
      number = FirstOfStride(&client->random);
    } else {
      number += FLAGS_multiread_stride;
    }
    const rocksdb::Slice k = missing ? key.SetMissing(number) : key.Set(number);
    const rocksdb::Status s = target.Get(number, k, &value);
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
  Target target(client);
  const auto batch = static_cast<size_t>(FLAGS_batch_size);
  std::vector<KeyBuffer> buffers(batch, KeyBuffer(FLAGS_key_size));
  std::vector<rocksdb::Slice> keys(batch);
  std::vector<std::string> values(batch);
  std::vector<rocksdb::PinnableSlice> pinned(batch);
  std::vector<rocksdb::Status> statuses(batch);
  std::vector<rocksdb::ColumnFamilyHandle*> families(batch);
  int64_t read = 0, found = 0;
  uint64_t bytes = 0;
  Duration duration(FLAGS_duration, Reads());
  while (!duration.Done(FLAGS_batch_size)) {
    const bool strided = FLAGS_multiread_stride > 0;
    const uint64_t first = strided ? FirstOfStride(&client->random) : 0;
    for (size_t i = 0; i < batch; i++) {
      const uint64_t number =
          strided ? first + i * FLAGS_multiread_stride : client->random.Uniform(FLAGS_num);
      keys[i] = buffers[i].Set(number);
      families[i] = target.Family(number);
    }
    if (!FLAGS_multiread_batched) {
      statuses = db->MultiGet(target.Reading(), families, keys, &values);
    } else if (client->shared->families.size() == 1) {
      db->MultiGet(target.Reading(), families[0], batch, keys.data(), pinned.data(),
                   statuses.data());
    } else {
      db->MultiGet(target.Reading(), batch, families.data(), keys.data(), pinned.data(),
                   statuses.data());
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

// Up to `reads` entries, of one family after the other.
void ReadInOrder(Client* client, bool reverse, int64_t reads) {
  rocksdb::DB* db = client->shared->db;
  Target target(client);
  uint64_t bytes = 0;
  for (rocksdb::ColumnFamilyHandle* family : client->shared->families) {
    const std::unique_ptr<rocksdb::Iterator> iter(db->NewIterator(target.Reading(), family));
    reverse ? iter->SeekToLast() : iter->SeekToFirst();
    for (; reads > 0 && iter->Valid(); reads--) {
      bytes += iter->key().size() + iter->value().size();
      client->stats.FinishedOps(db, 1, OpKind::kRead);
      reverse ? iter->Prev() : iter->Next();
    }
    if (!iter->status().ok()) Fail("iterator", iter->status());
  }
  client->stats.AddBytes(bytes);
}

void SeekRandom(Client* client) {
  rocksdb::DB* db = client->shared->db;
  Target target(client);
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
        target.read.iterate_lower_bound = &bound;
      } else {
        bound = bound_key.Set(std::min<uint64_t>(FLAGS_num, number + distance));
        target.read.iterate_upper_bound = &bound;
      }
    }
    // Each seek with its own, as RocksDB's db_bench does.
    iter.reset(db->NewIterator(target.Reading(), target.Family(number)));
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

// What writes, merges or scans beside those that read: see RunBeside().
void WriteBeside(Client* client, bool merges) {
  rocksdb::DB* db = client->shared->db;
  Target target(client);
  KeyBuffer key(FLAGS_key_size);
  RunBeside(client, [&] {
    const uint64_t number = client->random.Uniform(FLAGS_num);
    const rocksdb::Slice k = key.Set(number);
    const rocksdb::Slice value = NextValue(client);
    const rocksdb::Status s =
        merges ? target.Merge(number, k, value) : target.Put(number, k, value);
    if (!s.ok()) Fail(merges ? "merge" : "put", s);
    client->stats.FinishedOps(db, 1, merges ? OpKind::kMerge : OpKind::kWrite);
    return k.size() + value.size();
  });
}

void BackgroundWriter(Client* client) { WriteBeside(client, /*merges=*/false); }
void BackgroundMerger(Client* client) { WriteBeside(client, /*merges=*/true); }

// Reads the whole database again and again.
void BackgroundScanner(Client* client) {
  rocksdb::DB* db = client->shared->db;
  Target target(client);
  std::unique_ptr<rocksdb::Iterator> iter(db->NewIterator(target.Reading()));
  RunBeside(client, [&] {
    if (iter->Valid()) {
      iter->Next();
    } else {
      if (!iter->status().ok()) Fail("iterator", iter->status());
      iter->SeekToFirst();
    }
    client->stats.FinishedOps(db, 1, OpKind::kSeek);
    return uint64_t{0};
  });
}

Workload Beside(void (*background)(Client*), std::function<void(Client*)> others) {
  return [background, others = std::move(others)](Client* client) {
    client->id == 0 ? background(client) : others(client);
  };
}

// The low bits of a random number are the key, without a division: of those up to the next power of
// two some are not there.
void ReadRandomFast(Client* client) {
  rocksdb::DB* db = client->shared->db;
  Target target(client);
  KeyBuffer key(FLAGS_key_size);
  rocksdb::PinnableSlice value;
  uint64_t power = 1;
  while (power < static_cast<uint64_t>(FLAGS_num)) power <<= 1;
  int64_t read = 0, found = 0, nonexistent = 0;
  Duration duration(FLAGS_duration, Reads());
  while (!duration.Done(1)) {
    const uint64_t number = client->random.Next() & (power - 1);
    nonexistent += number >= static_cast<uint64_t>(FLAGS_num);
    const rocksdb::Status s = target.Get(number, key.Set(number), &value);
    read++;
    if (!s.ok() && !s.IsNotFound()) Fail("get", s);
    found += s.ok();
    client->stats.FinishedOps(db, 1, OpKind::kRead);
  }
  client->stats.AddMessage("(" + std::to_string(found) + " of " + std::to_string(read) +
                           " found, issued " + std::to_string(nonexistent) + " non-exist keys)\n");
}

void NewIterators(Client* client) {
  rocksdb::DB* db = client->shared->db;
  Target target(client);
  Duration duration(FLAGS_duration, Reads());
  while (!duration.Done(1)) {
    const std::unique_ptr<rocksdb::Iterator> iter(db->NewIterator(target.Reading()));
    if (!iter->status().ok()) Fail("iterator", iter->status());
    client->stats.FinishedOps(db, 1, OpKind::kOther);
  }
}

// GetApproximateSizes of ranges between two random keys.
void ApproximateSizeRandom(Client* client) {
  rocksdb::DB* db = client->shared->db;
  KeyBuffer from(FLAGS_key_size), to(FLAGS_key_size);
  uint64_t sum = 0, asked = 0;
  Duration duration(FLAGS_duration, Reads());
  while (!duration.Done(1)) {
    const uint64_t a = client->random.Uniform(FLAGS_num), b = client->random.Uniform(FLAGS_num);
    const rocksdb::Range range(from.Set(std::min(a, b)), to.Set(std::max(a, b)));
    uint64_t size = 0;
    rocksdb::SizeApproximationOptions what;
    what.include_memtables = true;
    const rocksdb::Status s =
        db->GetApproximateSizes(what, db->DefaultColumnFamily(), &range, 1, &size);
    if (!s.ok()) Fail("GetApproximateSizes", s);
    sum += size;
    asked++;
    client->stats.FinishedOps(db, 1, OpKind::kOther);
  }
  char text[64];
  std::snprintf(text, sizeof(text), "(Avg approx size=%g)",
                asked == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(asked));
  client->stats.AddMessage(text);
}

void ReadRandomSmall(Client* client) {
  ReadRandom(client, false, std::max<int64_t>(1, Reads() / 1000));
}

void ReadRandomWriteRandom(Client* client) {
  rocksdb::DB* db = client->shared->db;
  Target target(client);
  KeyBuffer key(FLAGS_key_size);
  rocksdb::PinnableSlice value;
  int64_t reads = 0, writes = 0, found = 0;
  Duration duration(FLAGS_duration, ReadsAndWrites());
  while (!duration.Done(1)) {
    const uint64_t number = client->random.Uniform(FLAGS_num);
    const rocksdb::Slice k = key.Set(number);
    if (static_cast<int>(client->random.Uniform(100)) < FLAGS_readwritepercent) {
      const rocksdb::Status s = target.Get(number, k, &value);
      if (!s.ok() && !s.IsNotFound()) Fail("get", s);
      found += s.ok();
      reads++;
      client->stats.FinishedOps(db, 1, OpKind::kRead);
    } else {
      const rocksdb::Status s = target.Put(number, k, NextValue(client));
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
  const auto read_random = [](Client* c) { ReadRandom(c, false, Reads()); };
  all.push_back({"readrandom", "read N times in random order", read_random});
  all.push_back({"readmissing", "read N missing keys in random order",
                 [](Client* c) { ReadRandom(c, true, Reads()); }});
  all.push_back({"readrandomfast", "as readrandom, of a power of two of keys", ReadRandomFast});
  all.push_back({"readrandomsmall", "read N/1000 times in random order", ReadRandomSmall});
  all.push_back({"multireadrandom", "read N times in random order, --batch_size keys per MultiGet",
                 MultiReadRandom});
  all.push_back(
      {"readseq", "read N times in key order", [](Client* c) { ReadInOrder(c, false, Reads()); }});
  all.push_back({"readreverse", "read N times in reverse order",
                 [](Client* c) { ReadInOrder(c, true, Reads()); }});
  all.push_back({.name = "readtocache",
                 .help = "read all keys in key order, to fill the caches",
                 .run = [](Client* c) { ReadInOrder(c, false, INT64_MAX); },
                 .single_client = true});
  all.push_back({"newiterator", "make N iterators", NewIterators});
  all.push_back({"seekrandom", "N random seeks, --seek_nexts Next() calls after each", SeekRandom});
  all.push_back({"approximatesizerandom", "ask N times for the size of a random range",
                 ApproximateSizeRandom});
  const auto beside = [&all](const char* name, const char* help, const Workload& run,
                             std::string (*refusal)() = nullptr) {
    all.push_back({.name = name, .help = help, .run = run, .extra_clients = 1, .refusal = refusal});
  };
  beside("readwhilewriting", "readrandom next to one writer",
         Beside(BackgroundWriter, read_random));
  beside("readwhilemerging", "readrandom next to one who merges",
         Beside(BackgroundMerger, read_random), NoMergeOperator);
  beside("readwhilescanning", "readrandom next to one who scans",
         Beside(BackgroundScanner, read_random));
  beside("multireadwhilewriting", "multireadrandom next to one writer",
         Beside(BackgroundWriter, MultiReadRandom));
  beside("newiteratorwhilewriting", "newiterator next to one writer",
         Beside(BackgroundWriter, NewIterators));
  beside("seekrandomwhilewriting", "seekrandom next to one writer",
         Beside(BackgroundWriter, SeekRandom));
  beside("seekrandomwhilemerging", "seekrandom next to one who merges",
         Beside(BackgroundMerger, SeekRandom), NoMergeOperator);
  all.push_back({"readrandomwriterandom", "reads and writes, --readwritepercent of them reads",
                 ReadRandomWriteRandom});
  return all;
}

}  // namespace db_bench
