#include "sim/entity.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/wide_column_serialization.h"

namespace cairn::sim {

using rocksdb::Slice;
using rocksdb::WideColumns;

namespace {

constexpr char kMark = '\xee';

bool IsEntity(const std::string& text) { return !text.empty() && text[0] == kMark; }

}  // namespace

WideColumns ColumnsOf(const std::string& text) {
  if (!IsEntity(text)) return {{"", text}};
  WideColumns columns;
  if (!DecodeWideColumns(Slice(text.data() + 1, text.size() - 1), &columns).ok()) std::abort();
  return columns;
}

std::string TextOf(const WideColumns& columns) {
  if (columns.size() == 1 && columns[0].name().empty()) return columns[0].value().ToString();
  std::string text(1, kMark);
  // (Columns that cannot be encoded are no columns of ours: they differ from all expected ones.)
  if (!EncodeWideColumns(columns, &text).ok()) text += "not sorted";
  return text;
}

std::string Printable(const std::string& text, size_t most) {
  std::string shown = text;
  WideColumns columns;
  if (IsEntity(text) && DecodeWideColumns(Slice(text.data() + 1, text.size() - 1), &columns).ok()) {
    shown = "{";
    for (const rocksdb::WideColumn& column : columns) {
      if (shown.size() > 1) shown += ' ';
      shown += column.name().ToString() + "=" + column.value().ToString();
    }
    shown += "}";
  }
  shown.resize(std::min(shown.size(), most));
  std::replace_if(shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return shown;
}

std::string Shown(const std::optional<std::string>& value) {
  return value ? '"' + Printable(*value, 40) + "\" (" + std::to_string(value->size()) + " bytes)"
               : "nothing";
}

std::string DefaultOf(const std::string& text) {
  if (!IsEntity(text)) return text;
  Slice value;
  if (!DefaultColumnOf(Slice(text.data() + 1, text.size() - 1), &value).ok()) std::abort();
  return value.ToString();
}

std::string Merged(const std::optional<std::string>& text, const std::string& operand) {
  if (!text) return operand;
  const std::string joined = DefaultOf(*text) + "," + operand;
  if (!IsEntity(*text)) return joined;
  WideColumns columns = ColumnsOf(*text);
  if (columns.empty() || !columns.front().name().empty()) {
    columns.insert(columns.begin(), rocksdb::WideColumn("", joined));
  } else {
    columns.front().value() = joined;
  }
  return TextOf(columns);
}

bool Shows(const rocksdb::Iterator& it, const std::string& text) {
  return it.value() == DefaultOf(text) && TextOf(it.columns()) == text;
}

}  // namespace cairn::sim
