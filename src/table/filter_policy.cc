#include "table/filter_policy.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdio>
#include <memory>
#include <string>
#include <unordered_map>

#include "rocksdb/utilities/options_type.h"
#include "table/block.h"
#include "table/block_memory.h"

namespace cairn {

namespace {

class BuiltinFilterPolicy : public FilterPolicy {
 public:
  explicit BuiltinFilterPolicy(double bits_per_key) : bits_(bits_per_key) {
    if (bits_per_key < 0.5) {
      millibits_ = 0;
    } else if (bits_per_key < 1.0) {
      millibits_ = 1000;
    } else if (!(bits_per_key < 100.0)) {
      millibits_ = 100000;
    } else {
      millibits_ = static_cast<int>(bits_per_key * 1000.0 + 0.500001);
    }
  }
  const char* CompatibilityName() const override { return "rocksdb.BuiltinBloomFilter"; }

  virtual FilterRecipe Recipe(const TableBuilderOptions& options) const = 0;
  std::atomic<int64_t>* excess() const { return &excess_; }

 protected:
  const double bits_;
  int millibits_;

 private:
  mutable std::atomic<int64_t> excess_{0};
};

class BloomPolicy final : public BuiltinFilterPolicy {
 public:
  using BuiltinFilterPolicy::BuiltinFilterPolicy;

  static const char* kClassName() { return "bloomfilter"; }
  const char* Name() const override { return kClassName(); }
  const char* NickName() const override { return "rocksdb.BloomFilter"; }
  std::string GetId() const override {
    char buf[64];
    std::snprintf(buf, sizeof(buf), "bloomfilter:%g:false", bits_);
    return buf;
  }
  FilterRecipe Recipe(const TableBuilderOptions& /*options*/) const override {
    FilterRecipe recipe;
    recipe.millibits_per_key = millibits_;
    return recipe;
  }
};

class RibbonPolicy final : public BuiltinFilterPolicy {
 public:
  RibbonPolicy(double bits_per_key, int bloom_before_level)
      : BuiltinFilterPolicy(bits_per_key), bloom_before_level_(bloom_before_level) {
    // (Not in the text: the id has it, and RocksDB 7.8.3 knows no such option.)
    static const auto& kOptions = *new std::unordered_map<std::string, OptionTypeInfo>{
        {"bloom_before_level",
         {0, OptionType::kAtomicInt, OptionVerificationType::kNormal,
          OptionTypeFlags::kMutable | OptionTypeFlags::kDontSerialize}}};
    RegisterOptions("RibbonFilterPolicyOptions", &bloom_before_level_, &kOptions);
  }

  static const char* kClassName() { return "ribbonfilter"; }
  const char* Name() const override { return kClassName(); }
  const char* NickName() const override { return "rocksdb.RibbonFilter"; }
  std::string GetId() const override {
    char buf[64];
    std::snprintf(buf, sizeof(buf), "ribbonfilter:%g:%d", bits_, bloom_before_level());
    return buf;
  }
  FilterRecipe Recipe(const TableBuilderOptions& options) const override {
    FilterRecipe recipe;
    recipe.millibits_per_key = millibits_;
    // A level that is not known, or says nothing of how old the keys are, is taken for the last
    // one.
    constexpr int kLast = INT_MAX - 1;  // INT_MAX: never
    const bool is_last = !options.level_tells_age || (options.level == -1 && !options.is_flush);
    const int level = is_last ? kLast : options.is_flush ? -1 : options.level;
    if (millibits_ > 0 && level >= bloom_before_level()) {
      recipe.ribbon_one_in = 1 / BloomFalsePositiveRate(millibits_);
    }
    return recipe;
  }
  double bits() const { return bits_; }

 private:
  int bloom_before_level() const { return bloom_before_level_.load(std::memory_order_relaxed); }

  std::atomic<int> bloom_before_level_;
};

// A small Bloom filter may take less, for a Ribbon filter has some slots that are never used.
constexpr size_t kFewKeys = 1000;

bool UseRibbon(const FilterRecipe& recipe, size_t keys) {
  if (recipe.ribbon_one_in == 0) return false;
  const size_t size = RibbonSize(keys, recipe.ribbon_one_in);
  return size != 0 && (keys > kFewKeys || size <= BloomSize(keys, recipe.millibits_per_key));
}

// A filter is read into a block, whose memory comes in certain sizes: the filter gets all of one,
// so that nothing lies idle. Which of the two next ones evens out.
size_t FitToMemory(const FilterRecipe& recipe, size_t size) {
  if (recipe.excess == nullptr) return size;
  constexpr size_t kBeside = sizeof(Block) + kBlockTrailerSize;
  size_t below, above;
  BlockMemoryAround(size + kBeside, &below, &above);
  below -= kBeside;
  above -= kBeside;
  const bool smaller = recipe.excess->load(std::memory_order_relaxed) > 0;
  const size_t fitted = smaller && below >= size - size / 8 ? below : above;
  recipe.excess->fetch_add(static_cast<int64_t>(fitted) - static_cast<int64_t>(size),
                           std::memory_order_relaxed);
  return fitted;
}

}  // namespace

std::shared_ptr<const FilterPolicy> WithBloomBeforeLevel(const FilterPolicy* policy, int level) {
  const auto* const ribbon = dynamic_cast<const RibbonPolicy*>(policy);
  return ribbon == nullptr ? nullptr : std::make_shared<RibbonPolicy>(ribbon->bits(), level);
}

FilterRecipe ChooseFilter(const BlockBasedTableOptions& table_options,
                          const TableBuilderOptions& options) {
  if (table_options.filter_policy == nullptr || options.skip_filters) return {};
  if (!table_options.whole_key_filtering && options.prefix_extractor == nullptr) return {};
  // A policy of the user's own has no way to build a filter.
  const auto* policy = dynamic_cast<const BuiltinFilterPolicy*>(table_options.filter_policy.get());
  if (policy == nullptr) return {};
  FilterRecipe recipe = policy->Recipe(options);
  if (table_options.optimize_filters_for_memory) recipe.excess = policy->excess();
  return recipe;
}

size_t FilterSize(const FilterRecipe& recipe, size_t keys) {
  return UseRibbon(recipe, keys) ? RibbonSize(keys, recipe.ribbon_one_in)
                                 : BloomSize(keys, recipe.millibits_per_key);
}

size_t KeysInFilter(const FilterRecipe& recipe, size_t bytes) {
  const size_t keys = bytes * 8 * 1000 / static_cast<size_t>(recipe.millibits_per_key);
  const size_t size = FilterSize(recipe, keys);
  return std::max<size_t>(1, size == 0 ? keys : keys * bytes / size);
}

std::string BuildFilter(const FilterRecipe& recipe, const std::vector<uint64_t>& hashes) {
  if (hashes.empty()) return std::string();
  if (UseRibbon(recipe, hashes.size())) {
    const size_t size = FitToMemory(recipe, RibbonSize(hashes.size(), recipe.ribbon_one_in));
    std::string filter = BuildRibbon(hashes, size);
    if (!filter.empty()) return filter;
  }
  if (recipe.excess == nullptr) return BuildBloom(hashes, recipe.millibits_per_key);
  return BuildBloomOfSize(hashes,
                          FitToMemory(recipe, BloomSize(hashes.size(), recipe.millibits_per_key)));
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

FilterPolicy::~FilterPolicy() = default;

const FilterPolicy* NewBloomFilterPolicy(double bits_per_key, bool /*ignored*/) {
  return new cairn::BloomPolicy(bits_per_key);
}

const FilterPolicy* NewRibbonFilterPolicy(double bloom_equivalent_bits_per_key,
                                          int bloom_before_level) {
  return new cairn::RibbonPolicy(bloom_equivalent_bits_per_key, bloom_before_level);
}

}  // namespace ROCKSDB_NAMESPACE
