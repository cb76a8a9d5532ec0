// Strings as arrays of bits, the first being the highest of the first byte: SETBIT GETBIT BITCOUNT
// BITPOS BITOP BITFIELD. What lies behind the end of a string is 0.
#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/compiler.h"
#include "server/commands/command.h"
#include "server/commands/walk.h"

namespace cairn::server {

using rocksdb::PinnableSlice;

namespace {

// Of a field of `bits` bits, at word `i`. With `counted`, "#n" is n such fields from the start.
bool ParseBitOffset(Call& call, size_t i, bool counted, unsigned bits, uint64_t* offset) {
  std::string_view word = call[i];
  const bool fields = counted && word.starts_with('#');
  if (fields) word.remove_prefix(1);
  int64_t value;
  if (!ParseInteger(word, &value) ||
      (fields && compiler::MultiplyOverflows(value, static_cast<int64_t>(bits), &value)) ||
      value < 0 || static_cast<uint64_t>(value) / 8 >= kMaxStringBytes) {
    call.reply.Error("ERR bit offset is not an integer or out of range");
    return false;
  }
  *offset = static_cast<uint64_t>(value);
  return true;
}

bool BitAt(std::string_view text, uint64_t bit) {
  const uint64_t byte = bit / 8;
  return byte < text.size() && (static_cast<unsigned char>(text[byte]) >> (7 - bit % 8) & 1) != 0;
}

// REQUIRES: the string is long enough.
void PutBit(std::string* text, uint64_t bit, bool value) {
  const auto mask = static_cast<unsigned char>(0x80 >> bit % 8);
  const auto byte = static_cast<unsigned char>((*text)[bit / 8]);
  (*text)[bit / 8] = static_cast<char>(value ? byte | mask : byte & ~mask);
}

void GetBit(Call& call) {
  uint64_t offset;
  if (!ParseBitOffset(call, 2, false, 0, &offset)) return;
  Entry entry;
  PinnableSlice bytes;
  if (call.Find(call[1], Type::kString, &entry, &bytes) == Found::kFailed) return;
  call.reply.Integer(BitAt(entry.value, offset) ? 1 : 0);
}

void SetBit(Call& call) {
  uint64_t offset;
  if (!ParseBitOffset(call, 2, false, 0, &offset)) return;
  if (call[3] != "0" && call[3] != "1") {
    call.reply.Error("ERR bit is not an integer or out of range");
    return;
  }
  Entry entry;
  PinnableSlice bytes;
  if (call.Find(call[1], Type::kString, &entry, &bytes) == Found::kFailed) return;
  const size_t size = std::max<size_t>(entry.value.size(), offset / 8 + 1);
  if (!call.transaction.Reserve(size)) return;
  std::string value;
  value.reserve(size);
  value.append(entry.value).resize(size);
  const bool old = BitAt(value, offset);
  PutBit(&value, offset, call[3] == "1");
  call.transaction.PutString(call.ns(), call[1], value, entry.expires_at);
  call.reply.Integer(old ? 1 : 0);
}

// [first, last) of bits.
struct BitRange {
  uint64_t first = 0;
  uint64_t last = 0;
};

// From start and end, which may count from the end of `size` bytes or bits. Nothing if it is empty.
BitRange RangeOf(int64_t start, int64_t end, size_t bytes, bool in_bits) {
  const auto size = static_cast<int64_t>(in_bits ? 8 * bytes : bytes);
  if (start < 0) start = std::max<int64_t>(start + size, 0);
  if (end < 0) end = std::max<int64_t>(end + size, 0);
  end = std::min(end, size - 1);
  if (start > end) return {};
  const uint64_t bits = in_bits ? 1 : 8;
  return {bits * static_cast<uint64_t>(start), bits * (static_cast<uint64_t>(end) + 1)};
}

// BYTE or BIT at word `i`.
bool ParseUnit(Call& call, size_t i, bool* in_bits) {
  *in_bits = call.Is(i, "BIT");
  return *in_bits || call.Is(i, "BYTE") || call.SyntaxError();
}

uint64_t CountBits(std::string_view text) {
  uint64_t count = 0;
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + i, sizeof(word));
    count += static_cast<uint64_t>(std::popcount(word));
  }
  for (; i < text.size(); ++i) {
    count += static_cast<uint64_t>(std::popcount(static_cast<unsigned char>(text[i])));
  }
  return count;
}

// BITCOUNT key [start end [BYTE | BIT]]
void BitCount(Call& call) {
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], Type::kString, &entry, &bytes);
  if (found == Found::kNo) call.reply.Integer(0);
  if (found != Found::kYes) return;
  int64_t start = 0, end = -1;
  bool in_bits = false;
  if (call.size() == 3 || call.size() > 5) {
    call.SyntaxError();
    return;
  }
  if (call.size() > 3 && (!call.Integer(2, &start) || !call.Integer(3, &end))) return;
  const bool nothing = start < 0 && end < 0 && start > end;
  if (!nothing && call.size() == 5 && !ParseUnit(call, 4, &in_bits)) return;
  const BitRange range = nothing ? BitRange() : RangeOf(start, end, entry.value.size(), in_bits);
  uint64_t first = range.first, last = range.last, count = 0;
  for (; first < last && first % 8 != 0; ++first) count += BitAt(entry.value, first) ? 1 : 0;
  for (; first < last && last % 8 != 0; --last) count += BitAt(entry.value, last - 1) ? 1 : 0;
  count += CountBits(entry.value.substr(first / 8, (last - first) / 8));
  call.reply.Integer(static_cast<int64_t>(count));
}

// The first bit of that value in the range; its end if there is none.
uint64_t FindBit(std::string_view text, bool bit, BitRange range) {
  uint64_t at = range.first;
  while (at < range.last && at % 8 != 0 && BitAt(text, at) != bit) ++at;
  if (at < range.last && at % 8 == 0) {
    const size_t byte = text.find_first_not_of(bit ? '\0' : '\xff', at / 8);
    at = std::min(range.last, byte == std::string_view::npos ? range.last : 8 * byte);
    while (at < range.last && BitAt(text, at) != bit) ++at;
  }
  return at;
}

// BITPOS key bit [start [end [BYTE | BIT]]]
void BitPos(Call& call) {
  int64_t wanted;
  if (!call.Integer(2, &wanted)) return;
  if (wanted != 0 && wanted != 1) {
    call.reply.Error("ERR The bit argument must be 1 or 0.");
    return;
  }
  const bool bit = wanted == 1;
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], Type::kString, &entry, &bytes);
  if (found == Found::kNo) call.reply.Integer(bit ? -1 : 0);
  if (found != Found::kYes) return;
  int64_t start = 0, end = -1;
  bool in_bits = false;
  if (call.size() > 6) {
    call.SyntaxError();
    return;
  }
  if (call.size() > 3 && !call.Integer(3, &start)) return;
  if (call.size() > 5 && !ParseUnit(call, 5, &in_bits)) return;
  const bool ended = call.size() > 4;
  if (ended && !call.Integer(4, &end)) return;
  const BitRange range = RangeOf(start, end, entry.value.size(), in_bits);
  const uint64_t at = FindBit(entry.value, bit, range);
  // The zeros behind the string's end count where no end was given.
  const bool none = range.first == range.last || (at == range.last && (bit || ended));
  call.reply.Integer(none ? -1 : static_cast<int64_t>(at));
}

// BITOP AND | OR | XOR | NOT to key [key ...]
void BitOp(Call& call) {
  enum class Operation { kAnd, kOr, kXor, kNot } operation;
  if (call.Is(1, "AND")) {
    operation = Operation::kAnd;
  } else if (call.Is(1, "OR")) {
    operation = Operation::kOr;
  } else if (call.Is(1, "XOR")) {
    operation = Operation::kXor;
  } else if (call.Is(1, "NOT")) {
    operation = Operation::kNot;
  } else {
    call.SyntaxError();
    return;
  }
  if (operation == Operation::kNot && call.size() != 4) {
    call.reply.Error("ERR BITOP NOT must be called with a single source key.");
    return;
  }
  std::string result;
  for (size_t i = 3; i < call.size(); ++i) {
    Entry entry;
    PinnableSlice bytes;
    if (call.Find(call[i], Type::kString, &entry, &bytes) == Found::kFailed) return;
    const std::string_view value = entry.value;
    if (value.size() > result.size() && !call.transaction.Reserve(value.size() - result.size())) {
      return;
    }
    if (i == 3) {
      result = value;
      continue;
    }
    if (result.size() < value.size()) result.resize(value.size());
    const auto combine = [&](auto&& two) {
      for (size_t at = 0; at < value.size(); ++at) result[at] = two(result[at], value[at]);
    };
    if (operation == Operation::kAnd) {
      combine([](char a, char b) { return static_cast<char>(a & b); });
      std::fill(result.begin() + static_cast<std::ptrdiff_t>(value.size()), result.end(), '\0');
    } else if (operation == Operation::kOr) {
      combine([](char a, char b) { return static_cast<char>(a | b); });
    } else {
      combine([](char a, char b) { return static_cast<char>(a ^ b); });
    }
  }
  if (operation == Operation::kNot) {
    for (char& byte : result) byte = static_cast<char>(~byte);
  }
  if (result.empty()) {
    Entry old;
    PinnableSlice bytes;
    const Found found = call.Find(call[2], &old, &bytes);
    if (found == Found::kFailed) return;
    if (found == Found::kYes) DeleteKey(call, call[2], old);
  } else {
    call.transaction.PutString(call.ns(), call[2], result, 0);
  }
  call.reply.Integer(static_cast<int64_t>(result.size()));
}

// One step of BITFIELD.
struct FieldStep {
  enum class Kind { kGet, kSet, kIncrement } kind;
  enum class Overflow { kWrap, kSaturate, kFail } overflow;
  bool is_signed;
  unsigned bits;
  uint64_t offset;
  int64_t operand = 0;

  compiler::Int128 least() const { return is_signed ? -(compiler::Int128{1} << (bits - 1)) : 0; }
  compiler::Int128 most() const {
    return (compiler::Int128{1} << (bits - (is_signed ? 1 : 0))) - 1;
  }
};

// "u8", "i64" ...; u64 is none, for its values do not fit into a reply.
bool ParseFieldType(Call& call, size_t i, FieldStep* step) {
  const std::string_view word = call[i];
  int64_t bits = 0;
  step->is_signed = word.starts_with('i');
  const bool named = step->is_signed || word.starts_with('u');
  if (!named || !ParseInteger(word.substr(1), &bits) || bits < 1 ||
      bits > (step->is_signed ? 64 : 63)) {
    call.reply.Error(
        "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but "
        "i64 is.");
    return false;
  }
  step->bits = static_cast<unsigned>(bits);
  return true;
}

bool ParseFieldSteps(Call& call, bool read_only, std::vector<FieldStep>* steps) {
  using Kind = FieldStep::Kind;
  using Overflow = FieldStep::Overflow;
  Overflow overflow = Overflow::kWrap;
  bool writes = false;
  for (size_t i = 2; i < call.size();) {
    const size_t behind = call.size() - i - 1;
    FieldStep step{Kind::kGet, overflow, false, 0, 0};
    if (call.Is(i, "OVERFLOW") && behind >= 1) {
      if (call.Is(i + 1, "WRAP")) {
        overflow = Overflow::kWrap;
      } else if (call.Is(i + 1, "SAT")) {
        overflow = Overflow::kSaturate;
      } else if (call.Is(i + 1, "FAIL")) {
        overflow = Overflow::kFail;
      } else {
        call.reply.Error("ERR Invalid OVERFLOW type specified");
        return false;
      }
      i += 2;
      continue;
    }
    if (call.Is(i, "SET") && behind >= 3) {
      step.kind = Kind::kSet;
    } else if (call.Is(i, "INCRBY") && behind >= 3) {
      step.kind = Kind::kIncrement;
    } else if (!call.Is(i, "GET") || behind < 2) {
      return call.SyntaxError();
    }
    if (!ParseFieldType(call, i + 1, &step) ||
        !ParseBitOffset(call, i + 2, /*counted=*/true, step.bits, &step.offset)) {
      return false;
    }
    i += 3;
    if (step.kind != Kind::kGet) {
      writes = true;
      if (!call.Integer(i++, &step.operand)) return false;
    }
    steps->push_back(step);
  }
  if (read_only && writes) {
    call.reply.Error("ERR BITFIELD_RO only supports the GET subcommand");
    return false;
  }
  return true;
}

compiler::Int128 ReadField(std::string_view text, const FieldStep& step) {
  uint64_t value = 0;
  for (unsigned i = 0; i < step.bits; ++i) {
    value = value << 1 | (BitAt(text, step.offset + i) ? 1 : 0);
  }
  const compiler::Int128 exact = value;
  return exact > step.most() ? exact - (compiler::Int128{1} << step.bits) : exact;
}

void WriteField(std::string* text, const FieldStep& step, compiler::Int128 value) {
  for (unsigned i = 0; i < step.bits; ++i) {
    PutBit(text, step.offset + i, (value >> (step.bits - 1 - i) & 1) != 0);
  }
}

// What the field becomes; nothing if it fails to.
std::optional<compiler::Int128> NewField(const FieldStep& step, compiler::Int128 old) {
  const bool set = step.kind == FieldStep::Kind::kSet;
  compiler::Int128 value = set ? step.operand : old + step.operand;
  // As Redis has it, a negative number is set in an unsigned field as one that is too large.
  if (set && !step.is_signed) value = static_cast<uint64_t>(step.operand);
  if (value >= step.least() && value <= step.most()) return value;
  switch (step.overflow) {
    case FieldStep::Overflow::kFail:
      return std::nullopt;
    case FieldStep::Overflow::kSaturate:
      return value < step.least() ? step.least() : step.most();
    case FieldStep::Overflow::kWrap:
      break;
  }
  value &= (compiler::Int128{1} << step.bits) - 1;
  return value > step.most() ? value - (compiler::Int128{1} << step.bits) : value;
}

void ChangeFields(Call& call, bool read_only) {
  std::vector<FieldStep> steps;
  if (!ParseFieldSteps(call, read_only, &steps)) return;
  Entry entry;
  PinnableSlice bytes;
  if (call.Find(call[1], Type::kString, &entry, &bytes) == Found::kFailed) return;
  // The string is as long as the steps that write need it to be, even if they fail then.
  bool writes = false;
  uint64_t size = entry.value.size();
  for (const FieldStep& step : steps) {
    if (step.kind == FieldStep::Kind::kGet) continue;
    writes = true;
    size = std::max(size, (step.offset + step.bits - 1) / 8 + 1);
  }
  std::string changed;
  if (writes) {
    if (!call.transaction.Reserve(size)) return;
    changed.reserve(size);
    changed.append(entry.value).resize(size);
  }
  call.reply.Array(steps.size());
  for (const FieldStep& step : steps) {
    const compiler::Int128 old = ReadField(writes ? std::string_view(changed) : entry.value, step);
    std::optional<compiler::Int128> reply = old;
    if (step.kind != FieldStep::Kind::kGet) {
      const std::optional<compiler::Int128> value = NewField(step, old);
      if (value) WriteField(&changed, step, *value);
      if (!value || step.kind == FieldStep::Kind::kIncrement) reply = value;
    }
    if (reply) {
      call.reply.Integer(static_cast<int64_t>(*reply));
    } else {
      call.reply.Null();
    }
  }
  if (writes) call.transaction.PutString(call.ns(), call[1], changed, entry.expires_at);
}
void BitField(Call& call) { ChangeFields(call, false); }
void BitFieldRo(Call& call) { ChangeFields(call, true); }

constexpr uint32_t kUpdate = kWrite | kReadsEntries;
constexpr Command kCommands[] = {
    {"bitcount", -2, kRead, 1, 1, 1, BitCount, "bitmap"},
    {"bitfield", -2, kUpdate, 1, 1, 1, BitField, "bitmap"},
    {"bitfield_ro", -2, kRead | kFast, 1, 1, 1, BitFieldRo, "bitmap"},
    {"bitop", -4, kUpdate, 2, -1, 1, BitOp, "bitmap"},
    {"bitpos", -3, kRead, 1, 1, 1, BitPos, "bitmap"},
    {"getbit", 3, kRead | kFast, 1, 1, 1, GetBit, "bitmap"},
    {"setbit", 4, kUpdate, 1, 1, 1, SetBit, "bitmap"},
};

}  // namespace

std::span<const Command> BitCommands() { return kCommands; }

}  // namespace cairn::server
