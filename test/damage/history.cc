#include "damage/history.h"

#include <algorithm>

#include "numbers.h"

namespace cairn::damage {

using rocksdb::Slice;
using rocksdb::WideColumns;

namespace {

constexpr size_t kKeys = 60;
constexpr char kBetween = ';';  // merge operands

std::string KeyOf(uint64_t n) {
  char text[16];
  snprintf(text, sizeof(text), "k%03u", static_cast<unsigned>(n));
  return text;
}

// Compressible in part, and none like another.
std::string ValueOf(size_t batch, const std::string& key, size_t size,
                    cairn_test::Numbers* numbers) {
  std::string value = std::to_string(batch) + ":" + key + ":";
  while (value.size() < size) {
    value += numbers->Below(2) == 0 ? "the same words again " : std::to_string(numbers->Next());
  }
  return value;
}

WideColumns ColumnsOf(const std::string& value) {
  const size_t half = value.size() / 2;
  return {{rocksdb::kDefaultWideColumnName, value},
          {"a", Slice(value.data(), half)},
          {"b", Slice(value.data() + half, value.size() - half)}};
}

class StringTogether final : public rocksdb::AssociativeMergeOperator {
 public:
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& operand, std::string* result,
             rocksdb::Logger* /*logger*/) const override {
    result->clear();
    if (existing != nullptr) result->assign(existing->data(), existing->size()).push_back(kBetween);
    result->append(operand.data(), operand.size());
    return true;
  }
  const char* Name() const override { return "StringTogether"; }
};

}  // namespace

std::string EntityText(const WideColumns& columns) {
  std::string text;
  for (const rocksdb::WideColumn& column : columns) {
    text += column.name().ToString() + "=" + column.value().ToString() + "\n";
  }
  return text;
}

std::shared_ptr<rocksdb::MergeOperator> History::MakeMergeOperator() {
  return std::make_shared<StringTogether>();
}

History::History(uint64_t seed, size_t batches) {
  cairn_test::Numbers numbers(seed);
  written_.resize(kFamilies);
  ingested_.resize(kFamilies);
  for (size_t i = 1; i <= batches; ++i) {
    std::vector<Op> ops;
    const size_t count = 1 + numbers.Below(4);
    for (size_t n = 0; n < count; ++n) {
      Op op;
      op.family = numbers.Below(kFamilies);
      op.key = KeyOf(numbers.Below(kKeys));
      const uint64_t what = numbers.Below(20);
      if (what == 0) {
        op.kind = Op::Kind::kDeleteRange;
        op.value = KeyOf(numbers.Below(kKeys));
        if (op.value < op.key) std::swap(op.key, op.value);
      } else if (what <= 2) {
        op.kind = Op::Kind::kDelete;
      } else {
        const size_t size = numbers.Below(8) == 0 ? 1500 : 20 + numbers.Below(200);
        op.value = ValueOf(i, op.key, size, &numbers);
        op.kind = op.family == kEntities ? Op::Kind::kEntity
                  : what <= 7            ? Op::Kind::kMerge
                                         : Op::Kind::kPut;
      }
      // (A batch changes a key once: one place in time for each value.)
      const auto same = [&](const Op& other) {
        return other.family == op.family &&
               (other.key == op.key || other.kind == Op::Kind::kDeleteRange ||
                op.kind == Op::Kind::kDeleteRange);
      };
      if (std::any_of(ops.begin(), ops.end(), same)) continue;
      if (op.kind == Op::Kind::kEntity) {
        written_[op.family][op.key][EntityText(ColumnsOf(op.value))] = i;
      } else if (op.kind == Op::Kind::kPut || op.kind == Op::Kind::kMerge) {
        written_[op.family][op.key][op.value] = i;
      }
      ops.push_back(std::move(op));
    }
    for (size_t family = 0; family < kFamilies; ++family) {
      ops.push_back({Op::Kind::kPut, family, kCounterKey, std::to_string(i)});
      written_[family][kCounterKey][std::to_string(i)] = i;
    }
    batches_.push_back(std::move(ops));
    if (i % 70 == 35) {
      Ingestion& ingestion = ingestions_[i];
      ingestion.family = (i / 70) % kFamilies;
      for (size_t n = 0; n < 40; ++n) {
        // Of one size: the blocks of such a table are, too.
        char key[24];
        snprintf(key, sizeof(key), "%s%04u-%02u", kIngestedPrefix, static_cast<unsigned>(i),
                 static_cast<unsigned>(n));
        std::string value = ValueOf(i, key, 200, &numbers);
        value.resize(200);
        ingestion.entries[key] = value;
        ingested_[ingestion.family][key] = value;
        written_[ingestion.family][key][value] = i;
      }
    }
  }
}

const Ingestion* History::ingestion(size_t i) const {
  const auto it = ingestions_.find(i);
  return it == ingestions_.end() ? nullptr : &it->second;
}

State History::After(size_t n) const {
  State state(kFamilies);
  for (size_t i = 1; i <= n; ++i) {
    for (const Op& op : batches_[i - 1]) {
      auto& family = state[op.family];
      switch (op.kind) {
        case Op::Kind::kPut:
          family[op.key] = op.value;
          break;
        case Op::Kind::kEntity:
          family[op.key] = EntityText(ColumnsOf(op.value));
          break;
        case Op::Kind::kDelete:
          family.erase(op.key);
          break;
        case Op::Kind::kMerge: {
          const auto [it, is_new] = family.emplace(op.key, op.value);
          if (!is_new) it->second += kBetween + op.value;
          break;
        }
        case Op::Kind::kDeleteRange:
          family.erase(family.lower_bound(op.key), family.lower_bound(op.value));
          break;
      }
    }
    if (const Ingestion* files = ingestion(i)) {
      for (const auto& [key, value] : files->entries) state[files->family][key] = value;
    }
  }
  return state;
}

History::Origin History::OriginOf(size_t family, const std::string& key,
                                  const std::string& value) const {
  const auto versions = written_[family].find(key);
  if (versions == written_[family].end()) return Origin::kNobody;
  size_t newest = 0;
  Origin origin = Origin::kHistory;
  for (size_t begin = 0; begin <= value.size();) {
    const size_t end = std::min(value.find(kBetween, begin), value.size());
    const auto it = versions->second.find(value.substr(begin, end - begin));
    if (it == versions->second.end()) return Origin::kNobody;
    if (it->second <= newest) origin = Origin::kOperandsAgain;
    newest = it->second;
    begin = end + 1;
  }
  return origin;
}

}  // namespace cairn::damage
