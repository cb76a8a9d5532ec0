#include "utilities/cache_dump.h"

#include "base/coding.h"
#include "base/crc32c.h"

namespace cairn {

namespace {

uint32_t ChecksumOf(const Slice& bytes) { return crc32c::Value(bytes.data(), bytes.size()); }

}  // namespace

void EncodeDumpUnit(const DumpUnit& unit, uint32_t sequence, std::string* metadata,
                    std::string* packet) {
  packet->clear();
  PutFixed64(packet, unit.micros);
  packet->push_back(static_cast<char>(unit.type));
  PutLengthPrefixedSlice(packet, unit.key);
  PutFixed32(packet, static_cast<uint32_t>(unit.value.size()));
  PutFixed32(packet, ChecksumOf(unit.value));
  PutLengthPrefixedSlice(packet, unit.value);
  metadata->clear();
  PutFixed32(metadata, sequence);
  PutFixed32(metadata, ChecksumOf(*packet));
  PutFixed64(metadata, packet->size());
}

Status DecodeDumpUnit(const Slice& metadata, const Slice& packet, uint32_t sequence,
                      DumpUnit* unit) {
  const auto corrupt = [sequence](const char* what) {
    return Status::Corruption("unit " + std::to_string(sequence) + " of a dump of a cache", what);
  };
  Slice in = metadata;
  uint32_t number, checksum;
  uint64_t size;
  if (!GetFixed32(&in, &number) || !GetFixed32(&in, &checksum) || !GetFixed64(&in, &size) ||
      !in.empty()) {
    return corrupt("its metadata has another size");
  }
  if (number != sequence) return corrupt("its number is another one");
  if (size != packet.size()) return corrupt("its size is another one");
  if (checksum != ChecksumOf(packet)) return corrupt("its checksum does not match");
  in = packet;
  uint32_t value_size;
  if (!GetFixed64(&in, &unit->micros) || in.empty()) return corrupt("it is too short");
  unit->type = static_cast<DumpUnitType>(in[0]);
  in.remove_prefix(1);
  if (!GetLengthPrefixedSlice(&in, &unit->key) || !GetFixed32(&in, &value_size) ||
      !GetFixed32(&in, &checksum) || !GetLengthPrefixedSlice(&in, &unit->value) || !in.empty() ||
      unit->value.size() != value_size) {
    return corrupt("its parts do not fit");
  }
  if (checksum != ChecksumOf(unit->value)) return corrupt("its value's checksum does not match");
  return Status::OK();
}

}  // namespace cairn
