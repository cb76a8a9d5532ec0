// Workloads that merge, and the same work done by reading and writing, to compare them with.

#include <algorithm>
#include <string>

#include "db_bench/flags.h"
#include "db_bench/support.h"
#include "db_bench/workloads.h"

namespace db_bench {

namespace {

// The keys that are merged: the fewer, the more operands has each.
uint64_t MergeKeys() {
  return static_cast<uint64_t>(FLAGS_merge_keys >= 0 ? FLAGS_merge_keys : FLAGS_num);
}

void MergeRandom(Client* client) {
  rocksdb::DB* db = client->shared->db;
  const rocksdb::WriteOptions options = MakeWriteOptions();
  KeyBuffer key(FLAGS_key_size);
  int64_t merged = 0;
  uint64_t bytes = 0;
  Duration duration(FLAGS_duration, ReadsAndWrites());
  while (!duration.Done(1)) {
    const rocksdb::Slice k = key.Set(client->random.Uniform(MergeKeys()));
    const rocksdb::Slice value = NextValue(client);
    const rocksdb::Status s = db->Merge(options, k, value);
    if (!s.ok()) Fail("merge", s);
    bytes += k.size() + value.size();
    merged++;
    client->stats.FinishedOps(db, 1, OpKind::kMerge);
  }
  client->stats.AddBytes(bytes);
  client->stats.AddMessage("( updates:" + std::to_string(merged) + ")");
}

void ReadRandomMergeRandom(Client* client) {
  rocksdb::DB* db = client->shared->db;
  const rocksdb::ReadOptions read_options = MakeReadOptions();
  const rocksdb::WriteOptions write_options = MakeWriteOptions();
  KeyBuffer key(FLAGS_key_size);
  std::string value;
  int64_t reads = 0, merges = 0, hits = 0;
  size_t longest = 0;
  Duration duration(FLAGS_duration, ReadsAndWrites());
  while (!duration.Done(1)) {
    const rocksdb::Slice k = key.Set(client->random.Uniform(MergeKeys()));
    if (static_cast<int>(client->random.Uniform(100)) < FLAGS_mergereadpercent) {
      const rocksdb::Status s = db->Get(read_options, k, &value);
      if (!s.ok() && !s.IsNotFound()) Fail("get", s);
      if (s.ok()) {
        hits++;
        longest = std::max(longest, value.size());
      }
      reads++;
      client->stats.FinishedOps(db, 1, OpKind::kRead);
    } else {
      const rocksdb::Status s = db->Merge(write_options, k, NextValue(client));
      if (!s.ok()) Fail("merge", s);
      merges++;
      client->stats.FinishedOps(db, 1, OpKind::kMerge);
    }
  }
  client->stats.AddMessage("(reads:" + std::to_string(reads) + " merges:" + std::to_string(merges) +
                           " total:" + std::to_string(reads + merges) + " hits:" +
                           std::to_string(hits) + " maxlength:" + std::to_string(longest) + ")");
}

// Reads a random key and writes what `change` makes of its value ("" where there was none).
template <typename Change>
void ReadAndChange(Client* client, const Change& change) {
  rocksdb::DB* db = client->shared->db;
  const rocksdb::ReadOptions read_options = MakeReadOptions();
  const rocksdb::WriteOptions write_options = MakeWriteOptions();
  KeyBuffer key(FLAGS_key_size);
  std::string value;
  int64_t updates = 0, found = 0;
  uint64_t bytes = 0;
  Duration duration(FLAGS_duration, ReadsAndWrites());
  while (!duration.Done(1)) {
    const rocksdb::Slice k = key.Set(client->random.Uniform(FLAGS_num));
    rocksdb::Status s = db->Get(read_options, k, &value);
    if (!s.ok() && !s.IsNotFound()) Fail("get", s);
    if (s.ok()) {
      found++;
      bytes += k.size() + value.size();
    } else {
      value.clear();
    }
    change(&value);
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

void AppendRandom(Client* client) {
  ReadAndChange(client, [client](std::string* value) {
    if (!value->empty()) value->push_back(',');
    value->append(NextValue(client).data(), static_cast<size_t>(FLAGS_value_size));
  });
}

void XorUpdateRandom(Client* client) {
  ReadAndChange(client, [client](std::string* value) {
    const rocksdb::Slice other = NextValue(client);
    value->resize(std::max(value->size(), other.size()), '\0');
    for (size_t i = 0; i < other.size(); i++) {
      (*value)[i] = static_cast<char>((*value)[i] ^ other[i]);
    }
  });
}

}  // namespace

std::string NoMergeOperator() {
  return FLAGS_merge_operator.empty() ? "it merges: give --merge_operator (put, stringappend, ...)"
                                      : "";
}

std::vector<NamedWorkload> MergeWorkloads() {
  std::vector<NamedWorkload> all;
  all.push_back({.name = "mergerandom",
                 .help = "merge N operands into --merge_keys random keys",
                 .run = MergeRandom,
                 .refusal = NoMergeOperator});
  all.push_back({.name = "readrandommergerandom",
                 .help = "reads and merges, --mergereadpercent of them reads",
                 .run = ReadRandomMergeRandom,
                 .refusal = NoMergeOperator});
  all.push_back(
      {"appendrandom", "read a random key and write it with more at its end", AppendRandom});
  all.push_back(
      {"xorupdaterandom", "read a random key and write it xor another value", XorUpdateRandom});
  return all;
}

}  // namespace db_bench
