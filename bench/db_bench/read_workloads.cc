// Workloads that read, some next to a writer.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db_bench/flags.h"
#include "db_bench/histogram.h"
#include "db_bench/range_deletions.h"
#include "db_bench/support.h"
#include "db_bench/workloads.h"
#include "rocksdb/iterator.h"
#include "rocksdb/wide_columns.h"

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

// Looks random keys up. `read_one`, called with a number and its key, says how, and adds the bytes
// of what it found to the third argument.
template <typename Read>
void ReadEach(Client* client, bool missing, int64_t reads, const Read& read_one) {
  rocksdb::DB* db = client->shared->db;
  Key key;
  int64_t read = 0, found = 0;
  uint64_t bytes = 0, number = 0;
  // The keys of one MultiGet of multireadrandom, one after the other.
  const bool strided = FLAGS_multiread_stride > 0 && FLAGS_batch_size > 1;
  Duration duration(FLAGS_duration, reads);
  while (!duration.Done(1)) {
    if (!strided) {
      number = NumberToRead(&client->random);
    } else if (read % FLAGS_batch_size == 0) {
      number = FirstOfStride(&client->random);
    } else {
      number += FLAGS_multiread_stride;
    }
    const rocksdb::Slice k = missing ? key.SetMissing(number) : key.Set(number);
    LimitReads(client, 1);
    const rocksdb::Status s = read_one(number, k, &bytes);
    read++;
    if (s.ok()) {
      found++;
      bytes += k.size();
    } else if (!s.IsNotFound()) {
      Fail("get", s);
    }
    client->stats.FinishedOps(db, 1, OpKind::kRead);
  }
  client->stats.AddBytes(bytes);
  AddFound(client, found, read, "\n");
}

void ReadRandom(Client* client, bool missing, int64_t reads) {
  Target target(client);
  rocksdb::PinnableSlice value;
  ReadEach(client, missing, reads, [&](uint64_t number, const rocksdb::Slice& k, uint64_t* bytes) {
    const rocksdb::Status s = target.Get(number, k, &value);
    if (s.ok()) *bytes += value.size();
    return s;
  });
}

uint64_t BytesOf(const rocksdb::WideColumns& columns) {
  uint64_t bytes = 0;
  for (const rocksdb::WideColumn& column : columns) {
    bytes += column.name().size() + column.value().size();
  }
  return bytes;
}

void ReadRandomEntity(Client* client) {
  Target target(client);
  rocksdb::PinnableWideColumns columns;
  ReadEach(client, /*missing=*/false, Reads(),
           [&](uint64_t number, const rocksdb::Slice& k, uint64_t* bytes) {
             columns.Reset();
             const rocksdb::Status s =
                 client->shared->db->GetEntity(target.read, target.Family(number), k, &columns);
             if (s.ok()) *bytes += BytesOf(columns.columns());
             return s;
           });
}

// The operands of random keys; a key that has more than any before is asked for again.
void ReadRandomOperands(Client* client) {
  rocksdb::DB* db = client->shared->db;
  Target target(client);
  std::vector<rocksdb::PinnableSlice> operands(8);
  ReadEach(client, /*missing=*/false, Reads(),
           [&](uint64_t number, const rocksdb::Slice& k, uint64_t* bytes) {
             int count = 0;
             const auto get = [&] {
               rocksdb::GetMergeOperandsOptions options;
               options.expected_max_number_of_operands = static_cast<int>(operands.size());
               return db->GetMergeOperands(target.Reading(), target.Family(number), k,
                                           operands.data(), &options, &count);
             };
             rocksdb::Status s = get();
             for (; s.IsIncomplete(); s = get()) operands.resize(static_cast<size_t>(count));
             for (int i = 0; s.ok() && i < count; i++) {
               *bytes += operands[static_cast<size_t>(i)].size();
               operands[static_cast<size_t>(i)].Reset();
             }
             return s;
           });
}

// Each client reads every key once, in order; those that are found go to the row cache.
void ReadToRowCache(Client* client) {
  rocksdb::DB* db = client->shared->db;
  Target target(client);
  Key key;
  rocksdb::PinnableSlice value;
  int64_t found = 0;
  uint64_t bytes = 0;
  for (int64_t number = 0; number < FLAGS_num; number++) {
    const rocksdb::Slice k = key.Set(static_cast<uint64_t>(number));
    const rocksdb::Status s = target.Get(static_cast<uint64_t>(number), k, &value);
    if (s.ok()) {
      found++;
      bytes += k.size() + value.size();
    } else if (!s.IsNotFound()) {
      Fail("get", s);
    }
    client->stats.FinishedOps(db, 1, OpKind::kRead);
  }
  client->stats.AddBytes(bytes);
  AddFound(client, found, FLAGS_num, "\n");
}

std::string WhyNoRowCache() {
  return !FLAGS_use_existing_keys || FLAGS_row_cache_size <= 0
             ? "readtorowcache needs --use_existing_keys and --row_cache_size"
             : "";
}

std::string WhyNoEntities() {
  return UsesTimestamps() ? "readrandomentity and multireadentity: without --user_timestamp_size"
                          : "";
}

// How many entries memtables have in ranges of --batch_size keys, by what they say.
void ApproximateMemtableStats(Client* client) {
  rocksdb::DB* db = client->shared->db;
  Key from, to;
  const auto batch = static_cast<uint64_t>(FLAGS_batch_size);
  Histogram counts;
  Duration duration(FLAGS_duration, Reads());
  while (!duration.Done(1)) {
    const uint64_t first = client->random.Uniform(static_cast<uint64_t>(FLAGS_num) - batch + 1);
    uint64_t count = 0, size = 0;
    db->GetApproximateMemTableStats({from.Set(first), to.Set(first + batch)}, &count, &size);
    counts.Add(count);
    client->stats.FinishedOps(db, 1, OpKind::kOther);
  }
  client->stats.AddMessage("\nReported entry count stats (expected " + std::to_string(batch) +
                           "):");
  client->stats.AddMessage("\n" + counts.ToString());
}

std::string WhyNoMemtableStats() {
  return FLAGS_num < FLAGS_batch_size ? "approximatememtablestats: --batch_size is --num at most"
                                      : "";
}

void MultiReadRandom(Client* client, bool entities) {
  rocksdb::DB* db = client->shared->db;
  Target target(client);
  const auto batch = static_cast<size_t>(FLAGS_batch_size);
  std::vector<Key> buffers(batch);
  std::vector<rocksdb::Slice> keys(batch);
  std::vector<std::string> values(batch);
  std::vector<rocksdb::PinnableSlice> pinned(batch);
  std::vector<rocksdb::PinnableWideColumns> columns(batch);
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
          strided ? first + i * FLAGS_multiread_stride : NumberToRead(&client->random);
      keys[i] = buffers[i].Set(number);
      families[i] = target.Family(number);
    }
    LimitReads(client, FLAGS_batch_size);
    if (entities) {
      db->MultiGetEntity(target.read, batch, families.data(), keys.data(), columns.data(),
                         statuses.data());
    } else if (!FLAGS_multiread_batched) {
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
        bytes += keys[i].size() + (entities                  ? BytesOf(columns[i].columns())
                                   : FLAGS_multiread_batched ? pinned[i].size()
                                                             : values[i].size());
      } else if (!statuses[i].IsNotFound()) {
        Fail("multiget", statuses[i]);
      }
      pinned[i].Reset();
      columns[i].Reset();
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
  target.HoldSnapshot();
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
  target.HoldSnapshot();
  std::unique_ptr<rocksdb::Iterator> iter;
  Key key, bound_key;
  rocksdb::Slice bound;
  int64_t read = 0, found = 0;
  uint64_t bytes = 0;
  Duration duration(FLAGS_duration, Reads());
  while (!duration.Done(1)) {
    const uint64_t number = client->random.Uniform(FLAGS_num);
    const rocksdb::Slice k = key.SetToSeek(number);
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
    LimitReads(client, 1);
    // Each seek with its own, as RocksDB's db_bench does.
    iter.reset(db->NewIterator(target.Reading(), target.Family(number)));
    iter->Seek(k);
    read++;
    if (iter->Valid() && iter->key().compare(k) == 0) found++;
    for (int i = 0; i < FLAGS_seek_nexts && iter->Valid(); i++) {
      bytes += iter->key().size() + iter->value().size();
      FLAGS_reverse_iterator ? iter->Prev() : iter->Next();
    }
    for (int i = 0; i < FLAGS_seek_nexts_to_delete && iter->Valid(); i++) {
      rocksdb::WriteBatch batch;
      rocksdb::Status s = target.Delete(&batch, number, iter->key());
      if (s.ok()) s = db->Write(target.write, &batch);
      if (!s.ok()) Fail("del", s);
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
  Key key;
  const auto keys = static_cast<uint64_t>(FLAGS_bgwriter_num > 0 ? FLAGS_bgwriter_num : FLAGS_num);
  RangeDeletions ranges(&target);
  rocksdb::WriteBatch deletions;
  const auto write = [&] {
    const uint64_t number = client->random.Uniform(keys);
    const rocksdb::Slice k = key.Set(number);
    const rocksdb::Slice value = NextValue(client);
    const rocksdb::Status s =
        merges ? target.Merge(number, k, value) : target.Put(number, k, value);
    if (!s.ok()) Fail(merges ? "merge" : "put", s);
    client->stats.FinishedOps(db, 1, merges ? OpKind::kMerge : OpKind::kWrite);
    const uint64_t bytes = k.size() + value.size();
    if (ranges.Add(number, &deletions)) {
      const rocksdb::Status deleted = db->Write(target.write, &deletions);
      if (!deleted.ok()) Fail("deleterange", deleted);
      deletions.Clear();
      client->stats.FinishedOps(db, 1, OpKind::kWrite);
    }
    return bytes;
  };
  RunBeside(client, write, FLAGS_finish_after_writes ? Writes() : -1);
}

void BackgroundWriter(Client* client) { WriteBeside(client, /*merges=*/false); }
void BackgroundMerger(Client* client) { WriteBeside(client, /*merges=*/true); }

// Reads the whole database again and again.
void BackgroundScanner(Client* client) {
  rocksdb::DB* db = client->shared->db;
  Target target(client);
  target.HoldSnapshot();
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
  Key key;
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
  Key from, to;
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
  Key key;
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
  const auto multi_read_random = [](Client* c) { MultiReadRandom(c, /*entities=*/false); };
  all.push_back({"multireadrandom", "read N times in random order, --batch_size keys per MultiGet",
                 multi_read_random});
  all.push_back({.name = "readrandomentity",
                 .help = "readrandom of wide columns, by GetEntity",
                 .run = ReadRandomEntity,
                 .refusal = WhyNoEntities});
  all.push_back({.name = "multireadentity",
                 .help = "multireadrandom of wide columns, by MultiGetEntity",
                 .run = [](Client* c) { MultiReadRandom(c, /*entities=*/true); },
                 .refusal = WhyNoEntities});
  all.push_back(
      {"readrandomoperands", "read the merge operands of N random keys", ReadRandomOperands});
  all.push_back({.name = "readtorowcache",
                 .help = "read each existing key, to fill the row cache",
                 .run = ReadToRowCache,
                 .refusal = WhyNoRowCache});
  all.push_back({.name = "approximatememtablestats",
                 .help = "ask N times how many entries of --batch_size keys memtables have",
                 .run = ApproximateMemtableStats,
                 .refusal = WhyNoMemtableStats});
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
         Beside(BackgroundWriter, multi_read_random));
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
