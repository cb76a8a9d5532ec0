#include "trace_analyzer/reports.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rocksdb/file_system.h"
#include "text_output/output_file.h"

namespace trace_analyzer {
namespace {

using rocksdb::Status;
using text_output::OutputFile;
using text_output::WriteFile;

// A line for each second: of a trace with damaged timestamps there would be no end of them.
constexpr uint64_t kMaxSeconds = uint64_t{3} * 366 * 24 * 3600;

std::string Hex(const std::string& bytes) { return "0x" + rocksdb::Slice(bytes).ToString(true); }

double Ratio(uint64_t count, uint64_t of) {
  return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
}

// The k largest, the smallest of them first. Of equal ones that did not all fit those that were
// offered first.
template <typename Rank, typename Value>
class Largest {
 public:
  explicit Largest(size_t k) : k_(k) {}
  void Offer(const Rank& rank, const Value& value) {
    if (k_ == 0 || (kept_.size() == k_ && rank <= kept_.front().first)) return;
    if (kept_.size() == k_) kept_.erase(kept_.begin());
    const std::pair<Rank, Value> offered(rank, value);
    kept_.insert(std::upper_bound(kept_.begin(), kept_.end(), offered), offered);
  }
  const std::vector<std::pair<Rank, Value>>& kept() const { return kept_; }

 private:
  const size_t k_;
  std::vector<std::pair<Rank, Value>> kept_;
};

struct PrefixStats {
  uint64_t first_id = 0;  // of its first key
  uint64_t keys = 0;
  uint64_t accesses = 0;
  double AccessesPerKey() const { return Ratio(accesses, keys); }
};

std::map<std::string, PrefixStats> Prefixes(const KeyMap& keys, size_t length) {
  std::map<std::string, PrefixStats> prefixes;
  for (const auto& [key, stats] : keys) {
    const auto [found, is_new] = prefixes.try_emplace(key.substr(0, length));
    if (is_new) found->second.first_id = stats.id;
    found->second.keys++;
    found->second.accesses += stats.accesses;
  }
  return prefixes;
}

struct Rate {
  uint64_t peak = 0;
  double average = 0;  // per second
};

// Of whole seconds.
Rate RateOf(const std::map<uint64_t, uint64_t>& by_second, uint64_t seconds) {
  Rate rate;
  uint64_t sum = 0;
  for (const auto& [second, count] : by_second) {
    if (second >= seconds) break;
    rate.peak = std::max(rate.peak, count);
    sum += count;
  }
  rate.average = Ratio(sum, seconds);
  return rate;
}

uint64_t CountAt(const std::map<uint64_t, uint64_t>& by_second, uint64_t second) {
  const auto found = by_second.find(second);
  return found == by_second.end() ? 0 : found->second;
}

std::map<uint64_t, uint64_t> Sum(const std::map<uint32_t, OperationStats>& families) {
  std::map<uint64_t, uint64_t> sum;
  for (const auto& [family, stats] : families) {
    for (const auto& [second, count] : stats.by_second) sum[second] += count;
  }
  return sum;
}

// `counts`: how many there are of each; the smallest that half of them do not exceed. 0: there are
// none.
uint64_t Median(const std::map<uint64_t, uint64_t>& counts) {
  uint64_t total = 0;
  for (const auto& [value, count] : counts) total += count;
  uint64_t seen = 0;
  for (const auto& [value, count] : counts) {
    seen += count;
    if (seen * 2 >= total) return value;
  }
  return 0;
}

std::map<uint64_t, uint64_t> KeySizes(const OperationStats& stats, uint64_t ignored_count) {
  std::map<uint64_t, uint64_t> sizes;
  for (const auto& [key, of_key] : stats.keys) {
    if (of_key.accesses > ignored_count) sizes[key.size()]++;
  }
  return sizes;
}

double Deviation(double sum, double sum_of_squares, uint64_t count) {
  const double average = sum / static_cast<double>(count);
  return std::sqrt(std::max(0.0, sum_of_squares / static_cast<double>(count) - average * average));
}

// visit(key) for each line of a file of keys in hex.
Status ForEachKey(const std::string& path, const std::function<void(const std::string&)>& visit) {
  constexpr size_t kPiece = size_t{256} << 10;
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  Status s = rocksdb::FileSystem::Default()->NewSequentialFile(path, rocksdb::FileOptions(), &file,
                                                               nullptr);
  if (!s.ok()) return s;
  const auto piece = std::make_unique<char[]>(kPiece);
  std::string rest;
  uint64_t line_number = 0;
  const auto line = [&](std::string_view text) -> Status {
    line_number++;
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    std::string key;
    if (!text.starts_with("0x") ||
        !rocksdb::Slice(text.data() + 2, text.size() - 2).DecodeHex(&key)) {
      return Status::InvalidArgument(path + ", line " + std::to_string(line_number),
                                     "not a key in hex, as 0x6B6579");
    }
    visit(key);
    return Status::OK();
  };
  for (;;) {
    rocksdb::Slice read;
    s = file->Read(kPiece, rocksdb::IOOptions(), &read, piece.get(), nullptr);
    if (!s.ok()) return s;
    if (read.empty()) return rest.empty() ? s : line(rest);
    rest.append(read.data(), read.size());
    size_t begin = 0;
    for (size_t end; (end = rest.find('\n', begin)) != std::string::npos; begin = end + 1) {
      s = line(std::string_view(rest).substr(begin, end - begin));
      if (!s.ok()) return s;
    }
    rest.erase(0, begin);
  }
}

}  // namespace

std::string Reports::FileName(OperationType type, uint32_t family, const char* report) const {
  return options_.output_dir + "/" + options_.output_prefix + "-" + kOperationNames[type] + "-" +
         std::to_string(family) + "-" + report;
}

Status Reports::WriteFiles() {
  if (options_.qps_stats && statistics_.seconds() > kMaxSeconds) {
    return Status::Corruption("the trace's timestamps lie " +
                              std::to_string(statistics_.seconds()) +
                              " seconds apart: no queries per second of that");
  }
  for (int i = 0; i < kOperationTypes; i++) {
    const auto type = static_cast<OperationType>(i);
    for (const auto& [family, stats] : statistics_.operations(type)) {
      Status s = WriteFilesOf(type, family, stats);
      if (!s.ok()) return s;
    }
  }
  Status s;
  if (options_.qps_stats) s = WriteSecondsOfAll();
  if (options_.key_space_dir.empty()) return s;
  for (const auto& [family, unused] : statistics_.families()) {
    if (!s.ok()) break;
    s = ReadKeySpace(family);
  }
  return s;
}

Status Reports::WriteFilesOf(OperationType type, uint32_t family,
                             const OperationStats& stats) const {
  Status s = WriteKeys(type, family, stats);
  if (s.ok()) s = WriteSizes(type, family, stats);
  if (s.ok() && options_.qps_stats) s = WriteSeconds(type, family, stats);
  if (s.ok() && options_.qps_stats && options_.prefix_length > 0) {
    s = WriteBusiestSeconds(type, family, stats);
  }
  if (!s.ok() || !options_.time_series) return s;
  return WriteFile(FileName(type, family, "time_series.txt"), [&](OutputFile* file) {
    for (const auto& access : stats.series) {
      file->Print("%u %" PRIu64 " %" PRIu64 "\n", type, access.second, access.key->second.id);
    }
  });
}

Status Reports::WriteKeys(OperationType type, uint32_t family, const OperationStats& stats) const {
  Status s;
  if (options_.key_stats) {
    s = WriteFile(FileName(type, family, "accessed_key_stats.txt"), [&](OutputFile* file) {
      // A trace does not tell which reads found something: the ratio of those that did is 1.
      for (const auto& [key, of_key] : stats.keys) {
        file->Print("%u %zu %" PRIu64 " %" PRIu64 " %f\n", family, of_key.value_size, of_key.id,
                    of_key.accesses, 1.0);
      }
    });
  }
  if (s.ok() && options_.access_count_stats) {
    std::map<uint64_t, uint64_t> counts;
    for (const auto& [key, of_key] : stats.keys) {
      if (of_key.accesses > options_.ignored_count) counts[of_key.accesses]++;
    }
    s = WriteFile(FileName(type, family, "accessed_key_count_distribution.txt"),
                  [&](OutputFile* file) {
                    for (const auto& [accesses, keys] : counts) {
                      file->Print("access_count: %" PRIu64 " num: %" PRIu64 "\n", accesses, keys);
                    }
                  });
  }
  if (!s.ok() || options_.prefix_length == 0) return s;
  return WriteFile(FileName(type, family, "accessed_key_prefix_cut.txt"), [&](OutputFile* file) {
    for (const auto& [prefix, of_prefix] : Prefixes(stats.keys, options_.prefix_length)) {
      file->Print("%" PRIu64 " %" PRIu64 " %" PRIu64 " %f %f ", of_prefix.first_id,
                  of_prefix.accesses, of_prefix.keys, of_prefix.AccessesPerKey(), 1.0);
      file->Write(Hex(prefix) + "\n");
    }
  });
}

Status Reports::WriteSizes(OperationType type, uint32_t family, const OperationStats& stats) const {
  Status s;
  if (options_.key_sizes) {
    s = WriteFile(FileName(type, family, "accessed_key_size_distribution.txt"),
                  [&](OutputFile* file) {
                    for (const auto& [size, keys] : KeySizes(stats, options_.ignored_count)) {
                      file->Print("%" PRIu64 " %" PRIu64 "\n", size, keys);
                    }
                  });
  }
  if (!s.ok() || !options_.value_sizes) return s;
  const std::string path = FileName(type, family, "accessed_value_size_distribution.txt");
  return WriteFile(path, [&](OutputFile* file) {
    // The intervals between two lines have no value.
    uint64_t end = 0;
    for (const auto& [interval, values] : stats.value_sizes) {
      const uint64_t begin = std::exchange(end, (interval + 1) * options_.value_interval);
      if (type != kPut && type != kMerge && type != kPutEntity) continue;
      file->Print("Number_of_value_size_between %" PRIu64 " and %" PRIu64 " is: %" PRIu64 "\n",
                  begin, end, values);
    }
  });
}

Status Reports::WriteSeconds(OperationType type, uint32_t family,
                             const OperationStats& stats) const {
  const uint64_t seconds = statistics_.seconds();
  Status s = WriteFile(FileName(type, family, "qps_stats.txt"), [&](OutputFile* file) {
    uint64_t next = 0;
    for (const auto& [second, count] : stats.by_second) {
      if (second >= seconds) break;
      for (; next < second; next++) file->Write("0\n");
      file->Print("%" PRIu64 "\n", count);
      next++;
    }
  });
  if (!s.ok() || !options_.key_stats) return s;
  const std::string path = FileName(type, family, "accessed_unique_key_num_change.txt");
  return WriteFile(path, [&](OutputFile* file) {
    uint64_t accessed = 0;
    for (uint64_t second = 0; second < seconds; second++) {
      accessed = std::max(accessed, CountAt(stats.keys_by_second, second));
      file->Print("%" PRIu64 " %.12f\n", accessed, Ratio(accessed, stats.keys.size()));
    }
  });
}

Status Reports::WriteBusiestSeconds(OperationType type, uint32_t family,
                                    const OperationStats& stats) const {
  Largest<uint64_t, uint64_t> busiest(options_.top_k);
  for (const auto& [second, count] : stats.by_second) {
    if (second < statistics_.seconds()) busiest.Offer(count, second);
  }
  const std::string path = FileName(type, family, "accessed_top_k_qps_prefix_cut.txt");
  return WriteFile(path, [&](OutputFile* file) {
    for (const auto& [count, second] : busiest.kept()) {
      file->Print("At time: %" PRIu64 " with QPS: %" PRIu64 "\n", second, count);
      for (const auto& [prefix, accesses] : stats.prefixes_by_second.at(second)) {
        file->Write("The prefix: " + Hex(prefix));
        file->Print(" Access count: %" PRIu64 "\n", accesses);
      }
    }
  });
}

Status Reports::WriteSecondsOfAll() const {
  const std::string begin = options_.output_dir + "/" + options_.output_prefix;
  OutputFile types;
  Status s = types.Open(begin + "-qps_stats.txt");
  if (!s.ok()) return s;
  OutputFile families;
  s = families.Open(begin + "-cf_qps_stats.txt");
  if (!s.ok()) return s;
  std::vector<std::map<uint64_t, uint64_t>> by_type;
  for (int i = 0; i < kOperationTypes; i++) {
    by_type.push_back(Sum(statistics_.operations(static_cast<OperationType>(i))));
  }
  for (uint64_t second = 0; second < statistics_.seconds(); second++) {
    uint64_t all = 0;
    for (const auto& by_second : by_type) {
      const uint64_t count = CountAt(by_second, second);
      types.Print("%" PRIu64 " ", count);
      all += count;
    }
    types.Print("%" PRIu64 "\n", all);
    const char* between = "";
    for (const auto& [family, by_second] : statistics_.families()) {
      families.Print("%s%" PRIu64, between, CountAt(by_second, second));
      between = " ";
    }
    families.Write("\n");
  }
  s = types.Close();
  const Status closed = families.Close();
  return s.ok() ? closed : s;
}

Status Reports::ReadKeySpace(uint32_t family) {
  const std::string path = options_.key_space_dir + "/" + std::to_string(family) + ".txt";
  if (rocksdb::FileSystem::Default()
          ->FileExists(path, rocksdb::IOOptions(), nullptr)
          .IsNotFound()) {
    std::fprintf(stderr, "trace_analyzer: no list of all keys of family %u: %s\n", family,
                 path.c_str());
    return Status::OK();
  }
  struct Output {
    const OperationStats* stats;
    OutputFile keys;
    OutputFile prefixes;
  };
  std::vector<std::unique_ptr<Output>> outputs;
  Status s;
  for (int i = 0; i < kOperationTypes; i++) {
    const auto type = static_cast<OperationType>(i);
    const auto found = statistics_.operations(type).find(family);
    if (found == statistics_.operations(type).end()) continue;
    auto output = std::make_unique<Output>();
    output->stats = &found->second;
    if (options_.key_stats) s = output->keys.Open(FileName(type, family, "whole_key_stats.txt"));
    if (s.ok() && options_.prefix_length > 0) {
      s = output->prefixes.Open(FileName(type, family, "whole_key_prefix_cut.txt"));
    }
    if (!s.ok()) return s;
    outputs.push_back(std::move(output));
  }
  uint64_t count = 0;
  std::string prefix;
  s = ForEachKey(path, [&](const std::string& key) {
    const bool new_prefix = options_.prefix_length > 0 &&
                            (count == 0 || key.compare(0, options_.prefix_length, prefix) != 0);
    if (new_prefix) prefix = key.substr(0, options_.prefix_length);
    for (const auto& output : outputs) {
      const auto accessed = output->stats->keys.find(key);
      if (output->keys.IsOpen() && accessed != output->stats->keys.end()) {
        output->keys.Print("%" PRIu64 " %" PRIu64 "\n", count, accessed->second.accesses);
      }
      if (new_prefix) {
        output->prefixes.Print("%" PRIu64 " ", count);
        output->prefixes.Write(Hex(prefix) + "\n");
      }
    }
    count++;
  });
  key_space_[family] = count;
  for (const auto& output : outputs) {
    if (s.ok()) s = output->keys.Close();
    if (s.ok()) s = output->prefixes.Close();
  }
  return s;
}

void Reports::Print() const {
  uint64_t accessed_keys = 0;
  std::map<uint32_t, uint64_t> keys_by_family;
  for (int i = 0; i < kOperationTypes; i++) {
    const auto type = static_cast<OperationType>(i);
    if (!options_.analyzed[type]) continue;
    PrintOperation(type);
    for (const auto& [family, stats] : statistics_.operations(type)) {
      accessed_keys += stats.keys.size();
      keys_by_family[family] += stats.keys.size();
    }
  }
  constexpr char kLine[] = "*********************************************************\n";
  std::printf("\n%s%sThe column family based statistics\n", kLine, kLine);
  for (const auto& [family, unused] : statistics_.families()) {
    std::printf("The column family id: %u\n", family);
    const auto all = key_space_.find(family);
    std::printf("The whole key space key numbers: %" PRIu64 "\n",
                all == key_space_.end() ? 0 : all->second);
    std::printf("The accessed key space key numbers: %" PRIu64 "\n", keys_by_family[family]);
  }
  if (!options_.overall) return;
  std::printf("\n%s%s", kLine, kLine);
  if (options_.qps_stats) {
    std::map<uint64_t, uint64_t> all;
    for (const auto& [family, by_second] : statistics_.families()) {
      for (const auto& [second, count] : by_second) all[second] += count;
    }
    const Rate rate = RateOf(all, statistics_.seconds());
    std::printf("Average QPS per second: %f Peak QPS: %" PRIu64 "\n", rate.average, rate.peak);
  }
  std::printf("The statistics related to query number need to times: %" PRIu64 "\n",
              options_.sample_every);
  std::printf("Total_requests: %" PRIu64 " Total_accessed_keys: %" PRIu64 " Total_gets: %" PRIu64
              " Total_write_batches: %" PRIu64 " Total_seeks: %" PRIu64
              " Total_seek_for_prevs: %" PRIu64 " Total_multigets: %" PRIu64 "\n",
              statistics_.requests(), accessed_keys, statistics_.gets(), statistics_.writes(),
              statistics_.seeks(), statistics_.seeks_for_prev(), statistics_.multi_gets());
  for (int i = 0; i < kOperationTypes; i++) {
    if (!options_.analyzed[i]) continue;
    uint64_t count = 0;
    for (const auto& [family, stats] : statistics_.operations(static_cast<OperationType>(i))) {
      count += stats.count;
    }
    std::printf("Operation: '%s' has: %" PRIu64 "\n", kOperationNames[i], count);
  }
}

void Reports::PrintOperation(OperationType type) const {
  const auto& families = statistics_.operations(type);
  std::printf("\n################# Operation Type: %s #####################\n",
              kOperationNames[type]);
  if (options_.qps_stats) {
    const Rate rate = RateOf(Sum(families), statistics_.seconds());
    std::printf("Peak QPS is: %" PRIu64 " Average QPS is: %f\n", rate.peak, rate.average);
  }
  uint64_t keys = 0;
  uint64_t count = 0;
  for (const auto& [family, stats] : families) {
    PrintFamily(type, family, stats);
    keys += stats.keys.size();
    count += stats.count;
  }
  std::printf("*********************************************************\n");
  std::printf("Total keys of '%s' is: %" PRIu64 "\n", kOperationNames[type], keys);
  std::printf("Total access is: %" PRIu64 "\n", count);
}

void Reports::PrintFamily(OperationType type, uint32_t family, const OperationStats& stats) const {
  const auto count = static_cast<double>(stats.count);
  std::printf("*********************************************************\n");
  std::printf("colume family id: %u\n", family);  // so RocksDB spells it, and scripts look for it
  std::printf("Total number of queries to this cf by %s: %" PRIu64 "\n", kOperationNames[type],
              stats.count);
  std::printf("Total unique keys in this cf: %zu\n", stats.keys.size());
  std::printf("Average key size: %f key size medium: %" PRIu64 " Key size Variation: %f\n",
              stats.key_bytes / count, Median(KeySizes(stats, options_.ignored_count)),
              Deviation(stats.key_bytes, stats.key_bytes_squared, stats.count));
  if (type == kPut || type == kMerge || type == kPutEntity) {
    // The middle of the interval.
    const uint64_t median =
        Median(stats.value_sizes) * options_.value_interval + options_.value_interval / 2;
    std::printf("Average value size: %f Value size medium: %" PRIu64 " Value size variation: %f\n",
                stats.value_bytes / count, median,
                Deviation(stats.value_bytes, stats.value_bytes_squared, stats.count));
  }
  const Rate rate = RateOf(stats.by_second, statistics_.seconds());
  std::printf("Peak QPS is: %" PRIu64 " Average QPS is: %f\n", rate.peak, rate.average);

  if (options_.top_k > 0) {
    Largest<uint64_t, std::string> keys(options_.top_k);
    for (const auto& [key, of_key] : stats.keys) keys.Offer(of_key.accesses, key);
    std::printf("The Top %zu keys that are accessed:\n", options_.top_k);
    for (const auto& [accesses, key] : keys.kept()) {
      std::printf("Access_count: %" PRIu64 " %s\n", accesses, Hex(key).c_str());
    }
  }
  if (options_.prefix_length > 0) {
    Largest<uint64_t, std::string> most(options_.top_k);
    Largest<double, std::string> densest(options_.top_k);
    for (const auto& [prefix, of_prefix] : Prefixes(stats.keys, options_.prefix_length)) {
      most.Offer(of_prefix.accesses, Hex(prefix));
      densest.Offer(of_prefix.AccessesPerKey(), Hex(prefix));
    }
    std::printf("The Top %zu accessed prefix range:\n", options_.top_k);
    for (const auto& [accesses, prefix] : most.kept()) {
      std::printf("Prefix: %s Access count: %" PRIu64 "\n", prefix.c_str(), accesses);
    }
    std::printf("The Top %zu prefix with highest access per key:\n", options_.top_k);
    for (const auto& [accesses, prefix] : densest.kept()) {
      std::printf("Prefix: %s access per key: %f\n", prefix.c_str(), accesses);
    }
  }
  for (size_t i = 0; i < options_.correlations.size(); i++) {
    Pairs pairs;
    for (const auto& [key, of_key] : stats.keys) {
      if (of_key.accesses <= options_.ignored_count) continue;
      pairs.count += of_key.pairs[i].count;
      pairs.micros += of_key.pairs[i].micros;
    }
    const auto [first, second] = options_.correlations[i];
    std::printf("The correlation statistics of '%s' after '%s' is: total numbers: %" PRIu64
                " average time: %f(ms)\n",
                kOperationNames[second], kOperationNames[first], pairs.count,
                Ratio(pairs.micros, pairs.count) / 1000);
  }
}

}  // namespace trace_analyzer
