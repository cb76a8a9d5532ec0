// fillseqdeterministic and filluniquerandomdeterministic: a database of the same shape each time.
//
// Runs of keys are written and flushed, each a fixed part of the one before, until one is a single
// file; then each goes as it is into a level of its own, the first (largest, oldest) into the last
// level. Automatic compactions must be off, or they would change the shape.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "db_bench/fill.h"
#include "db_bench/flags.h"
#include "db_bench/support.h"
#include "db_bench/workloads.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"

namespace db_bench {

namespace {

using Names = std::vector<std::string>;

void Check(const char* what, const rocksdb::Status& s) {
  if (!s.ok()) Fail(what, s);
}

void SetLimits(rocksdb::DB* db, bool disable_auto_compactions, int slowdown, int stop) {
  Check("set options",
        db->SetOptions({{"disable_auto_compactions", disable_auto_compactions ? "true" : "false"},
                        {"level0_slowdown_writes_trigger", std::to_string(slowdown)},
                        {"level0_stop_writes_trigger", std::to_string(stop)}}));
}

// The level-0 files that are newer than the `known` oldest ones, newest first.
Names NewFiles(rocksdb::DB* db, size_t known) {
  rocksdb::ColumnFamilyMetaData meta;
  db->GetColumnFamilyMetaData(&meta);
  Names names;
  for (const auto& file : meta.levels[0].files) names.push_back(file.name);
  names.resize(names.size() - known);
  return names;
}

// Writes the runs, the largest first, and returns the files of each. At most `most` runs.
std::vector<Names> WriteRuns(Client* client, Order first, double shrink, size_t most) {
  rocksdb::DB* const db = client->shared->db;
  std::vector<Names> runs;
  size_t files = 0;
  int64_t ops = Writes();
  while (ops > 0 && runs.size() < most) {
    FillOptions fill;
    fill.order = runs.empty() ? first : Order::kUniqueRandom;
    fill.ops = ops;
    Fill(client, fill);
    Check("flush", db->Flush(rocksdb::FlushOptions()));
    Names run = NewFiles(db, files);
    if (run.empty()) break;
    files += run.size();
    runs.push_back(std::move(run));
    if (runs.back().size() == 1) break;
    ops = static_cast<int64_t>(static_cast<double>(ops) * shrink);
  }
  return runs;
}

void PrintShape(rocksdb::DB* db) {
  std::printf("---------------------- DB 0 LSM ---------------------\n");
  rocksdb::ColumnFamilyMetaData meta;
  db->GetColumnFamilyMetaData(&meta);
  for (const auto& level : meta.levels) {
    if (level.files.empty()) continue;
    if (level.level == 0) {
      for (const auto& file : level.files) {
        std::printf("Level[0]: %s(size: %llu bytes)\n", file.name.c_str(),
                    static_cast<unsigned long long>(file.size));
      }
    } else {
      std::printf("Level[%d]: %s - %s(total size: %llu bytes)\n", level.level,
                  level.files.front().name.c_str(), level.files.back().name.c_str(),
                  static_cast<unsigned long long>(level.size));
    }
  }
}

void FillDeterministic(Client* client, Order first) {
  rocksdb::DB* const db = client->shared->db;
  const rocksdb::Options options = db->GetOptions();
  const bool universal = options.compaction_style == rocksdb::kCompactionStyleUniversal;
  const auto levels = static_cast<size_t>(options.num_levels);
  constexpr int kNever = 400000000;
  SetLimits(db, true, kNever, kNever);

  const double shrink = universal
                            ? 100.0 / (options.compaction_options_universal.size_ratio + 200.0)
                            : 1.0 / options.max_bytes_for_level_multiplier;
  std::vector<Names> runs = WriteRuns(client, first, shrink, universal ? SIZE_MAX : levels - 1);
  if (runs.size() < (universal ? levels : levels - 1)) {
    Fail("n is too small to fill " + std::to_string(levels) + " levels");
  }
  if (!universal && runs.size() == levels - 1) {
    // Some of the newest files stay in level 0.
    Names& newest = runs.back();
    newest.erase(newest.begin(), newest.begin() + static_cast<std::ptrdiff_t>(newest.size() / 3));
  }

  rocksdb::CompactionOptions compact;
  compact.compression = options.compression;
  const int last = options.num_levels - 1;
  compact.output_file_size_limit = static_cast<uint64_t>(
      static_cast<double>(options.target_file_size_base) *
      std::pow(std::max(options.target_file_size_multiplier, 1), std::max(last - 1, 0)));
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!universal) std::printf("%zu\n", runs[i].size());
    Check("compact files", db->CompactFiles(compact, {runs[i].back(), runs[i].front()},
                                            std::max(last - static_cast<int>(i), 0)));
  }
  PrintShape(db);
  SetLimits(db, options.disable_auto_compactions, options.level0_slowdown_writes_trigger,
            options.level0_stop_writes_trigger);
}

std::string NeedsNoAutoCompactions() {
  return FLAGS_disable_auto_compactions
             ? ""
             : "Please disable_auto_compactions in FillDeterministic benchmark";
}

}  // namespace

std::vector<NamedWorkload> DeterministicWorkloads() {
  std::vector<NamedWorkload> all;
  const auto add = [&all](const char* name, const char* help, Order order) {
    NamedWorkload workload;
    workload.name = name;
    workload.help = help;
    workload.run = [order](Client* client) { FillDeterministic(client, order); };
    workload.fresh_db = true;
    workload.single_client = true;
    workload.refusal = NeedsNoAutoCompactions;
    all.push_back(std::move(workload));
  };
  add("fillseqdeterministic",
      "write N values in key order, then fewer, so that each level is filled", Order::kSequential);
  add("filluniquerandomdeterministic", "the same with N values in random order",
      Order::kUniqueRandom);
  return all;
}

}  // namespace db_bench
