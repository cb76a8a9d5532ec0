// Workloads that merge, and the same work done by reading and writing, to compare them with.

#include <algorithm>
#include <string>
#include <vector>

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
  Target target(client);
  Key key;
  int64_t merged = 0;
  uint64_t bytes = 0;
  Duration duration(FLAGS_duration, ReadsAndWrites());
  while (!duration.Done(1)) {
    const uint64_t number = client->random.Uniform(MergeKeys());
    const rocksdb::Slice k = key.Set(number);
    const rocksdb::Slice value = NextValue(client);
    const rocksdb::Status s = target.Merge(number, k, value);
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
  Target target(client);
  Key key;
  rocksdb::PinnableSlice value;
  int64_t reads = 0, merges = 0, hits = 0;
  size_t longest = 0;
  Duration duration(FLAGS_duration, ReadsAndWrites());
  while (!duration.Done(1)) {
    const uint64_t number = client->random.Uniform(MergeKeys());
    const rocksdb::Slice k = key.Set(number);
    if (static_cast<int>(client->random.Uniform(100)) < FLAGS_mergereadpercent) {
      const rocksdb::Status s = target.Get(number, k, &value);
      if (!s.ok() && !s.IsNotFound()) Fail("get", s);
      if (s.ok()) {
        hits++;
        longest = std::max(longest, value.size());
      }
      reads++;
      client->stats.FinishedOps(db, 1, OpKind::kRead);
    } else {
      const rocksdb::Status s = target.Merge(number, k, NextValue(client));
      if (!s.ok()) Fail("merge", s);
      merges++;
      client->stats.FinishedOps(db, 1, OpKind::kMerge);
    }
  }
  client->stats.AddMessage("(reads:" + std::to_string(reads) + " merges:" + std::to_string(merges) +
                           " total:" + std::to_string(reads + merges) + " hits:" +
                           std::to_string(hits) + " maxlength:" + std::to_string(longest) + ")");
}

// A random key's value and operands, apart.
void GetMergeOperands(Client* client) {
  constexpr int kMost = 1000;
  rocksdb::DB* db = client->shared->db;
  Target target(client);
  Key key;
  std::vector<rocksdb::PinnableSlice> operands(kMost);
  rocksdb::GetMergeOperandsOptions options;
  options.expected_max_number_of_operands = kMost;
  int64_t read = 0, found = 0, all = 0;
  Duration duration(FLAGS_duration, Reads());
  while (!duration.Done(1)) {
    const uint64_t number = client->random.Uniform(MergeKeys());
    int count = 0;
    const rocksdb::Status s =
        db->GetMergeOperands(target.Reading(), target.Family(number), key.Set(number),
                             operands.data(), &options, &count);
    // Incomplete: there are more than kMost, which it counts.
    if (!s.ok() && !s.IsNotFound() && !s.IsIncomplete()) Fail("GetMergeOperands", s);
    read++;
    found += !s.IsNotFound();
    if (s.ok()) all += count;
    for (int i = 0; s.ok() && i < count; i++) operands[static_cast<size_t>(i)].Reset();
    client->stats.FinishedOps(db, 1, OpKind::kRead);
  }
  AddFound(client, found, read, (" ( operands:" + std::to_string(all) + ")").c_str());
}

// Reads a random key and writes what `change` makes of its value (empty where there was none).
template <typename Change>
void ReadAndChange(Client* client, const Change& change) {
  rocksdb::DB* db = client->shared->db;
  Target target(client);
  Key key;
  rocksdb::PinnableSlice old_value;
  int64_t updates = 0, found = 0;
  uint64_t bytes = 0;
  Duration duration(FLAGS_duration, ReadsAndWrites());
  while (!duration.Done(1)) {
    const uint64_t number = client->random.Uniform(FLAGS_num);
    const rocksdb::Slice k = key.Set(number);
    rocksdb::Status s = target.Get(number, k, &old_value);
    if (s.ok()) {
      found++;
      bytes += k.size() + old_value.size();
    } else if (!s.IsNotFound()) {
      Fail("get", s);
    }
    const rocksdb::Slice value = change(s.ok() ? rocksdb::Slice(old_value) : rocksdb::Slice());
    s = target.Put(number, k, value);
    if (!s.ok()) Fail("put", s);
    bytes += k.size() + value.size();
    updates++;
    client->stats.FinishedOps(db, 1, OpKind::kUpdate);
  }
  client->stats.AddBytes(bytes);
  client->stats.AddMessage("( updates:" + std::to_string(updates) +
                           " found:" + std::to_string(found) + ")");
}

void UpdateRandom(Client* client) {
  ReadAndChange(client, [client](const rocksdb::Slice& /*old*/) { return NextValue(client); });
}

void AppendRandom(Client* client) {
  std::string value;
  ReadAndChange(client, [&](const rocksdb::Slice& old) {
    const rocksdb::Slice more = NextValue(client);
    value.assign(old.data(), old.size());
    if (!value.empty()) value.push_back(',');
    value.append(more.data(), more.size());
    return rocksdb::Slice(value);
  });
}

void XorUpdateRandom(Client* client) {
  std::string value;
  ReadAndChange(client, [&](const rocksdb::Slice& old) {
    const rocksdb::Slice other = NextValue(client);
    value.assign(old.data(), old.size());
    value.resize(std::max(old.size(), other.size()), '\0');
    for (size_t i = 0; i < other.size(); i++) {
      value[i] = static_cast<char>(value[i] ^ other[i]);
    }
    return rocksdb::Slice(value);
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
  all.push_back({.name = "getmergeoperands",
                 .help = "read N random keys' values and operands, apart",
                 .run = GetMergeOperands,
                 .refusal = NoMergeOperator});
  all.push_back({"updaterandom", "read a random key and write it again", UpdateRandom});
  all.push_back(
      {"appendrandom", "read a random key and write it with more at its end", AppendRandom});
  all.push_back(
      {"xorupdaterandom", "read a random key and write it xor another value", XorUpdateRandom});
  return all;
}

}  // namespace db_bench
