// What the interoperation tests write: batches that follow from a seed, and what a database holds
// after some of them. Of the standard library alone: it is compiled against more than one engine.
//
// A phase is a fixed sequence of write batches: phase 1 loads every key, with overwrites and
// deletions among them; later ones change keys at random. Each batch also writes the key
// kProgressKey with "phase:batch", so that a database itself says which prefix of the sequence it
// holds.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../numbers.h"

namespace interop {

inline const char kProgressKey[] = "\xff\xffprogress";
// Every batch of a phase.
inline constexpr uint64_t kAll = UINT64_MAX;

struct Shape {
  uint64_t keys = 100000, seed = 1;
  bool merge = false, ranges = false, single_deletes = false;
};

using cairn_test::Numbers;

// Keys of several lengths with bytes of all values, also 0x00 and 0xff; some are prefixes of
// others.
inline std::string KeyOf(const Shape& shape, uint64_t index) {
  Numbers numbers(shape.seed * 1000003 + index);
  char head[32];
  std::snprintf(head, sizeof(head), "k%07llu", static_cast<unsigned long long>(index / 2));
  std::string key = head;
  if (index % 2 == 1) {
    for (uint64_t n = 1 + numbers.Below(16); n > 0; --n) {
      key.push_back(static_cast<char>(numbers.Below(256)));
    }
  }
  return key;
}

inline std::string ValueOf(Numbers* numbers) {
  uint64_t size = numbers->Below(200);
  if (numbers->Below(50) == 0) size = 3000 + numbers->Below(9000);
  if (numbers->Below(20) == 0) size = 0;
  std::string value;
  while (value.size() < size) {
    // Half repetitive, half noise.
    if (numbers->Below(2) == 0) {
      value.append(8 + numbers->Below(40), static_cast<char>('a' + numbers->Below(26)));
    } else {
      for (int i = 0; i < 16; ++i) value.push_back(static_cast<char>(numbers->Next()));
    }
  }
  value.resize(size);
  return value;
}

struct Operation {
  enum Kind { kPut, kDelete, kMerge, kDeleteRange, kSingleDelete };
  Kind kind;
  std::string key, value;  // or where a range ends
};

// The batches of one phase, in order.
class Phase {
 public:
  Phase(const Shape& shape, uint64_t phase)
      : shape_(shape), phase_(phase), numbers_(shape.seed * 7919 + phase) {
    operations_ = phase == 1 ? shape.keys : shape.keys / 5;
    // Odd and coprime to the number of keys often enough: a load in scattered order.
    stride_ = shape.keys * 5 / 8 | 1;
    while (Gcd(stride_, shape.keys) != 1) stride_ += 2;
  }
  uint64_t batch() const { return batch_; }
  bool done() const { return next_ >= operations_; }
  // Where the writer should flush, or compact everything, after the batch: several times per phase.
  bool flush_now() const { return Crossed(8); }
  bool compact_now() const { return Crossed(2) && !done(); }

  std::vector<Operation> Next() {
    std::vector<Operation> batch;
    before_ = next_;
    for (uint64_t n = 1 + numbers_.Below(24); n > 0 && !done(); --n) {
      if (phase_ == 1) {
        batch.push_back(
            {Operation::kPut, KeyOf(shape_, next_ * stride_ % shape_.keys), ValueOf(&numbers_)});
      }
      ++next_;
      const uint64_t dice = numbers_.Below(10);
      if (phase_ > 1 || dice < 3) {
        Operation again{dice % 3 == 0 ? Operation::kDelete : Operation::kPut,
                        KeyOf(shape_, numbers_.Below(shape_.keys)), ""};
        if (shape_.merge && dice % 3 == 1) again.kind = Operation::kMerge;
        if (shape_.ranges && numbers_.Below(8) == 0) {
          const uint64_t begin = numbers_.Below(shape_.keys);
          again = {Operation::kDeleteRange, KeyOf(shape_, begin),
                   KeyOf(shape_, begin / 2 * 2 + 2 + numbers_.Below(30) * 2)};
        }
        if (again.kind == Operation::kPut || again.kind == Operation::kMerge)
          again.value = ValueOf(&numbers_);
        batch.push_back(std::move(again));
      }
    }
    ++batch_;
    if (shape_.single_deletes) {
      batch.push_back({Operation::kPut, OnceKey(batch_), ValueOf(&numbers_)});
      if (batch_ > 5 && batch_ % 2 == 0) {
        batch.push_back({Operation::kSingleDelete, OnceKey(batch_ - 5), ""});
      }
    }
    batch.push_back({Operation::kPut, std::string(kProgressKey, sizeof(kProgressKey) - 1),
                     std::to_string(phase_) + ":" + std::to_string(batch_)});
    return batch;
  }

 private:
  static uint64_t Gcd(uint64_t a, uint64_t b) { return b == 0 ? a : Gcd(b, a % b); }
  // A key that is put once, and may be deleted singly.
  std::string OnceKey(uint64_t batch) const {
    return "once" + std::to_string(phase_) + "." + std::to_string(batch);
  }
  bool Crossed(uint64_t parts) const {
    const uint64_t part = operations_ / parts + 1;
    return before_ / part != next_ / part;
  }

  const Shape& shape_;
  const uint64_t phase_;
  Numbers numbers_;
  uint64_t operations_, stride_, before_ = 0, next_ = 0, batch_ = 0;
};

using State = std::map<std::string, std::string>;

inline void Replay(const Shape& shape, uint64_t phase, uint64_t batches, State* state) {
  Phase sequence(shape, phase);
  while (!sequence.done() && sequence.batch() < batches) {
    for (Operation& op : sequence.Next()) {
      if (op.kind == Operation::kDelete || op.kind == Operation::kSingleDelete) {
        state->erase(op.key);
      } else if (op.kind == Operation::kDeleteRange) {
        state->erase(state->lower_bound(op.key), state->lower_bound(op.value));
      } else if (const auto at = state->find(op.key);
                 op.kind == Operation::kMerge && at != state->end()) {
        at->second += "," + op.value;
      } else {
        (*state)[op.key] = std::move(op.value);
      }
    }
  }
}

}  // namespace interop
