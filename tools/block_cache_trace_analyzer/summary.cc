#include "block_cache_trace_analyzer/summary.h"

#include <cinttypes>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/statistics.h"

namespace block_cache_trace_analyzer {
namespace {

void Print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

// Numbers, as a database's statistics tell of them.
class Histogram {
 public:
  void Add(uint64_t number) { statistics_->recordInHistogram(rocksdb::BYTES_PER_READ, number); }
  std::string ToString() const { return statistics_->getHistogramString(rocksdb::BYTES_PER_READ); }

 private:
  std::shared_ptr<rocksdb::Statistics> statistics_ = rocksdb::CreateDBStatistics();
};

// All in all, by type, by family and type.
struct Histograms {
  Histogram all;
  std::map<TraceType, Histogram> types;
  std::map<std::string, std::map<TraceType, Histogram>> families;

  void Add(const BlockPlace& place, uint64_t number) {
    all.Add(number);
    types[place.type].Add(number);
    families[place.family][place.type].Add(number);
  }
  void PrintParts(const char* of_type, const char* of_family) const {
    for (const auto& [type, histogram] : types) {
      PrintBreak();
      std::printf(of_type, TypeName(type));
      Print(histogram.ToString());
    }
    for (const auto& [family, of_types] : families) {
      for (const auto& [type, histogram] : of_types) {
        PrintBreak();
        std::printf(of_family, family.c_str(), TypeName(type));
        Print(histogram.ToString());
      }
    }
  }
};

// Counts of one thing, of which `Key` says which.
template <typename Key>
using Counts = std::map<Key, uint64_t>;

struct CallerSums {
  uint64_t accesses = 0;
  Counts<uint32_t> levels;
  Counts<uint64_t> files;
  Counts<TraceType> types;
};

struct Sums {
  uint64_t files = 0, blocks = 0, accesses = 0;
  Counts<TraceType> types;  // blocks
  std::map<TableReaderCaller, CallerSums> callers;

  void Add(const BlockPlace& place, const BlockInfo& block) {
    ++blocks;
    ++types[place.type];
    for (const auto& [caller, count] : block.callers) {
      accesses += count;
      CallerSums& sums = callers[caller];
      sums.accesses += count;
      sums.levels[place.level] += count;
      sums.files[place.file] += count;
      sums.types[place.type] += count;
    }
  }
};

void PrintSums(const Sums& sums, bool with_files) {
  for (const auto& [type, blocks] : sums.types) {
    std::printf("Number of %s blocks: %" PRIu64 " Percent: %.2f\n", TypeName(type), blocks,
                Percent(blocks, sums.blocks));
  }
  for (const auto& [caller, of_caller] : sums.callers) {
    const char* const name = CallerName(caller);
    const uint64_t whole = of_caller.accesses;
    PrintBreak();
    std::printf("Caller %s: Number of accesses %" PRIu64 " Percent: %.2f\n", name, whole,
                Percent(whole, sums.accesses));
    std::printf("Caller %s: Number of accesses per level break down\n", name);
    for (const auto& [level, count] : of_caller.levels) {
      std::printf("\t Level %" PRIu32 ": Number of accesses: %" PRIu64 " Percent: %.2f\n", level,
                  count, Percent(count, whole));
    }
    if (with_files) {
      std::printf("Caller %s: Number of accesses per file break down\n", name);
      for (const auto& [file, count] : of_caller.files) {
        std::printf("\t File %" PRIu64 ": Number of accesses: %" PRIu64 " Percent: %.2f\n", file,
                    count, Percent(count, whole));
      }
    }
    std::printf("Caller %s: Number of accesses per block type break down\n", name);
    for (const auto& [type, count] : of_caller.types) {
      std::printf("\t Block Type %s: Number of accesses: %" PRIu64 " Percent: %.2f\n",
                  TypeName(type), count, Percent(count, whole));
    }
  }
}

uint64_t CountOf(const CallerCounts& callers, bool users) {
  uint64_t sum = 0;
  for (const auto& [caller, count] : callers) {
    if (!users || IsUser(caller)) sum += count;
  }
  return sum;
}

uint64_t CountOf(const std::map<std::string, CallerCounts>& keys, bool users) {
  uint64_t sum = 0;
  for (const auto& [key, callers] : keys) sum += CountOf(callers, users);
  return sum;
}

void PrintTopBlock(const BlockInfo& block, uint64_t accesses, bool users, uint32_t top) {
  std::string text = "Caller:";
  for (const auto& [caller, count] : block.callers) {
    if (users && !IsUser(caller)) continue;
    text += std::string(",") + CallerName(caller) + ":" + std::to_string(Percent(count, accesses));
  }
  const auto add = [&](const char* name, const std::string& value) {
    text += std::string(",") + name + "=" + value;
  };
  add("nkeys", std::to_string(block.keys));
  add("block_size", std::to_string(block.size));
  add("num_ref_keys", std::to_string(block.found_keys.size()));
  add("percent_access_ref_keys",
      std::to_string(Percent(CountOf(block.found_keys, users), accesses)));
  add("num_ref_keys_does_not_exist", std::to_string(block.absent_keys.size()));
  add("percent_access_ref_keys_does_not_exist",
      std::to_string(Percent(CountOf(block.absent_keys, users), accesses)));
  add("ref_data_size", std::to_string(block.referenced_bytes));
  std::printf("Top %" PRIu32 " access count blocks access_count=%" PRIu64 " %s\n", top, accesses,
              text.c_str());
}

}  // namespace

void PrintBreak(int lines) {
  for (int i = 0; i < lines; ++i) Print(std::string(63, '*') + "\n");
}

void PrintSummary(const Accesses& accesses) {
  Sums all;
  std::map<std::string, Sums> families;
  accesses.ForEachBlock([&](const BlockPlace& place, const BlockInfo& block) {
    all.Add(place, block);
    families[place.family].Add(place, block);
  });
  for (const auto& [family, files] : accesses.families()) {
    families[family].files = files.size();
    all.files += files.size();
  }
  for (const auto& [family, sums] : families) {
    PrintBreak(3);
    std::printf("Statistics for column family %s:\n", family.c_str());
    std::printf(" Number of files:%" PRIu64 " Number of blocks: %" PRIu64
                " Number of accesses: %" PRIu64 "\n",
                sums.files, sums.blocks, sums.accesses);
    PrintSums(sums, /*with_files=*/true);
  }
  PrintBreak(3);
  std::printf("Overall statistics:\nNumber of files: %" PRIu64 " Number of blocks: %" PRIu64
              " Number of accesses: %" PRIu64 "\n",
              all.files, all.blocks, all.accesses);
  PrintSums(all, /*with_files=*/false);
}

void PrintBlockSizes(const Accesses& accesses) {
  Histograms sizes;
  accesses.ForEachBlock([&](const BlockPlace& place, const BlockInfo& block) {
    if (block.size > 0) sizes.Add(place, block.size);
  });
  Print("Block size stats: \n" + sizes.all.ToString());
  sizes.PrintParts("Block size stats for block type %s: \n",
                   "Block size stats for column family %s and block type %s: \n");
}

void PrintAccessCounts(const Accesses& accesses, bool users, uint32_t bottom, uint32_t top) {
  Histograms counts;
  std::map<uint64_t, std::vector<const BlockInfo*>> data_blocks;  // by their accesses
  accesses.ForEachBlock([&](const BlockPlace& place, const BlockInfo& block) {
    const uint64_t count = CountOf(block.callers, users);
    if (count == 0) return;
    counts.Add(place, count);
    if (place.type == rocksdb::kBlockTraceDataBlock) data_blocks[count].push_back(&block);
  });
  std::printf("Block access count stats: The number of accesses per block. %s\n",
              users ? "User accesses only" : "All accesses");
  Print(counts.all.ToString());
  uint32_t place = 0;
  for (auto it = data_blocks.begin(); it != data_blocks.end() && place < bottom; ++it, ++place) {
    CallerCounts callers;
    for (const BlockInfo* block : it->second) {
      for (const auto& [caller, count] : block->callers) {
        if (!users || IsUser(caller)) callers[caller] += count;
      }
    }
    std::string text = "Caller:";
    for (const auto& [caller, count] : callers) {
      text += std::string(CallerName(caller)) + ":" +
              std::to_string(Percent(count, it->first * it->second.size())) + ",";
    }
    std::printf("Bottom %" PRIu32 " access count. Access count=%" PRIu64 " nblocks=%zu %s\n",
                bottom, it->first, it->second.size(), text.c_str());
  }
  place = 0;
  for (auto it = data_blocks.rbegin(); it != data_blocks.rend() && place < top; ++it, ++place) {
    for (const BlockInfo* block : it->second) PrintTopBlock(*block, it->first, users, top);
  }
  counts.PrintParts("Break down by block type %s: \n",
                    "Break down by column family %s and block type %s: \n");
}

}  // namespace block_cache_trace_analyzer
