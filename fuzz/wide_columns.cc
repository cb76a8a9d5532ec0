// Any bytes as the stored form of an entity: decoded or refused, the same by all ways; what decodes
// encodes to something that decodes the same; columns that are built come back.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "base/wide_column_serialization.h"
#include "fuzz/fuzz.h"
#include "rocksdb/wide_columns.h"

namespace cairn::fuzz {

namespace {

Slice DefaultOf(const WideColumns& columns) {
  return !columns.empty() && columns.front().name().empty() ? columns.front().value() : Slice();
}

void Decode(std::string_view input) {
  const ExactCopy copy(input);
  const Slice bytes(copy.view().data(), copy.view().size());
  WideColumns columns;
  const Status s = DecodeWideColumns(bytes, &columns);
  FUZZ_CHECK(s.ok() || s.IsCorruption() || s.IsNotSupported());
  FUZZ_CHECK(s.ok() || columns.empty());
  Slice value;
  FUZZ_CHECK(DefaultColumnOf(bytes, &value).code() == s.code());
  PinnableSlice held;
  held.PinSelf(bytes);
  FUZZ_CHECK(KeepDefaultColumn(&held).code() == s.code());
  PinnableWideColumns pinned;
  FUZZ_CHECK(pinned.SetWideColumnValue(bytes).code() == s.code());
  FUZZ_CHECK(pinned.columns() == columns);
  if (!s.ok()) return;
  FUZZ_CHECK(value == DefaultOf(columns) && held == value);
  const PinnableWideColumns moved(std::move(pinned));
  FUZZ_CHECK(moved.columns() == columns);
  size_t size = 0;
  for (size_t i = 0; i < columns.size(); ++i) {
    FUZZ_CHECK(i == 0 || columns[i - 1].name().compare(columns[i].name()) < 0);
    size += columns[i].name().size() + columns[i].value().size();
  }
  FUZZ_CHECK(size <= bytes.size());
  // (Numbers may be longer than they must be: the bytes need not be the same.)
  std::string again;
  FUZZ_CHECK(EncodeWideColumns(columns, &again).ok());
  WideColumns same;
  FUZZ_CHECK(DecodeWideColumns(again, &same).ok() && same == columns);
}

void Build(Input* input) {
  std::vector<std::string> parts;
  while (!input->empty() && parts.size() < 64) parts.emplace_back(input->Take(input->Byte() % 24));
  WideColumns columns;
  for (size_t i = 0; i + 1 < parts.size(); i += 2) columns.emplace_back(parts[i], parts[i + 1]);
  std::string entity = "before";
  const Status s = EncodeWideColumns(columns, &entity);
  std::sort(columns.begin(), columns.end(), [](const WideColumn& a, const WideColumn& b) {
    return a.name().compare(b.name()) < 0;
  });
  const auto twice = std::adjacent_find(
      columns.begin(), columns.end(),
      [](const WideColumn& a, const WideColumn& b) { return a.name() == b.name(); });
  FUZZ_CHECK(s.ok() == (twice == columns.end()));
  FUZZ_CHECK(entity.starts_with("before") && (s.ok() || entity.size() == 6));
  if (!s.ok()) return;
  entity.erase(0, 6);
  WideColumns same;
  FUZZ_CHECK(DecodeWideColumns(entity, &same).ok() && same == columns);
  DamageOnce(input, &entity);
  Decode(entity);
}

}  // namespace

}  // namespace cairn::fuzz

// What it is: bytes, or what to make columns of.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cairn::fuzz;
  return BuildOrDecode(data, size, Build, Decode);
}
