#include "base/wide_column_serialization.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/coding.h"

namespace cairn {
namespace {

constexpr uint32_t kVersion = 1;
constexpr size_t kMinIndexEntry = 2;  // bytes: an empty name, and a size
constexpr uint64_t kMaxSize = std::numeric_limits<uint32_t>::max();

Status Bad(const char* what) { return Status::Corruption("bad wide columns", what); }

// Walks the index of an entity, and then knows where its values begin.
class IndexReader {
 public:
  explicit IndexReader(const Slice& entity) : rest_(entity) {}

  Status ReadHeader() {
    uint32_t version;
    if (!GetVarint32(&rest_, &version) || version == 0) return Bad("version");
    if (version > kVersion) {
      return Status::NotSupported("wide columns of version", std::to_string(version));
    }
    if (!GetVarint32(&rest_, &left_) || left_ > rest_.size() / kMinIndexEntry) {
      return Bad("number of columns");
    }
    return Status::OK();
  }

  uint32_t left() const { return left_; }

  // REQUIRES: left() > 0
  Status ReadEntry(Slice* name, uint32_t* value_size) {
    if (!GetLengthPrefixedSlice(&rest_, name)) return Bad("name");
    if (!first_ && last_name_.compare(*name) >= 0) return Bad("names out of order");
    if (!GetVarint32(&rest_, value_size)) return Bad("size of a value");
    first_ = false;
    last_name_ = *name;
    value_bytes_ += *value_size;
    --left_;
    return Status::OK();
  }

  // REQUIRES: left() == 0
  Status FindValues(Slice* values) const {
    if (value_bytes_ != rest_.size()) return Bad("values");
    *values = rest_;
    return Status::OK();
  }

 private:
  Slice rest_;
  uint32_t left_ = 0;
  bool first_ = true;
  Slice last_name_;
  uint64_t value_bytes_ = 0;
};

Status Decode(const Slice& entity, WideColumns* columns) {
  IndexReader index(entity);
  Status s = index.ReadHeader();
  if (!s.ok()) return s;
  columns->reserve(index.left());
  while (index.left() > 0) {
    Slice name;
    uint32_t size;
    s = index.ReadEntry(&name, &size);
    if (!s.ok()) return s;
    columns->emplace_back(name, Slice(nullptr, size));  // the place comes with the last entry
  }
  Slice values;
  s = index.FindValues(&values);
  if (!s.ok()) return s;
  for (WideColumn& column : *columns) {
    const size_t size = column.value().size();
    column.value() = Slice(values.data(), size);
    values.remove_prefix(size);
  }
  return s;
}

}  // namespace

Status EncodeWideColumns(WideColumns columns, std::string* entity) {
  const auto before = [](const WideColumn& a, const WideColumn& b) {
    return a.name().compare(b.name()) < 0;
  };
  if (!std::is_sorted(columns.begin(), columns.end(), before)) {
    std::sort(columns.begin(), columns.end(), before);
  }
  if (columns.size() > kMaxSize) return Status::InvalidArgument("Too many wide columns");
  uint64_t size = 2 * kMaxVarint32Length;
  for (size_t i = 0; i < columns.size(); ++i) {
    const WideColumn& column = columns[i];
    if (column.name().size() > kMaxSize) {
      return Status::InvalidArgument("Wide column name too long");
    }
    if (column.value().size() > kMaxSize) {
      return Status::InvalidArgument("Wide column value too long");
    }
    if (i > 0 && columns[i - 1].name() == column.name()) {
      return Status::Corruption("Wide columns out of order");
    }
    size += 2 * kMaxVarint32Length + column.name().size() + column.value().size();
  }
  if (size > kMaxSize) return Status::InvalidArgument("wide column entity is too large");
  entity->reserve(entity->size() + size);
  PutVarint32(entity, kVersion);
  PutVarint32(entity, static_cast<uint32_t>(columns.size()));
  for (const WideColumn& column : columns) {
    PutLengthPrefixedSlice(entity, column.name());
    PutVarint32(entity, static_cast<uint32_t>(column.value().size()));
  }
  for (const WideColumn& column : columns) {
    entity->append(column.value().data(), column.value().size());
  }
  return Status::OK();
}

Status DecodeWideColumns(const Slice& entity, WideColumns* columns) {
  columns->clear();
  Status s = Decode(entity, columns);
  if (!s.ok()) columns->clear();
  return s;
}

Status DefaultColumnOf(const Slice& entity, Slice* value) {
  IndexReader index(entity);
  Status s = index.ReadHeader();
  bool has_default = false;
  uint32_t default_size = 0;
  for (bool first = true; s.ok() && index.left() > 0; first = false) {
    Slice name;
    uint32_t size;
    s = index.ReadEntry(&name, &size);
    if (s.ok() && first && name.empty()) {  // it sorts before all others
      has_default = true;
      default_size = size;
    }
  }
  Slice values;
  if (s.ok()) s = index.FindValues(&values);
  if (!s.ok()) return s;
  *value = has_default ? Slice(values.data(), default_size) : Slice();
  return s;
}

Status KeepDefaultColumn(PinnableSlice* value) {
  Slice column;
  Status s = DefaultColumnOf(*value, &column);
  if (!s.ok()) return s;
  if (column.empty()) {
    value->remove_prefix(value->size());
    return s;
  }
  const size_t before = column.data() - value->data();
  value->remove_suffix(value->size() - before - column.size());
  value->remove_prefix(before);
  return s;
}

}  // namespace cairn
