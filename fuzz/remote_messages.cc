// Any bytes as what a primary and its workers of remote compactions tell each other: read or
// refused; what is read encodes to bytes that say the same. The first byte says which of the two it
// is, and whether version and checksum are made right.
#include <string>
#include <string_view>

#include "base/coding.h"
#include "base/crc32c.h"
#include "base/namespace.h"
#include "compaction/remote_messages.h"
#include "fuzz/fuzz.h"

namespace cairn::fuzz {

namespace {

// As remote_messages.h has it.
void Seal(std::string* bytes) {
  PutFixed32(bytes, 1);
  PutFixed32(bytes, crc32c::Mask(crc32c::Value(bytes->data(), bytes->size())));
}

template <typename Message>
void Check(std::string_view bytes) {
  const ExactCopy copy(bytes);
  Message message;
  const Status s = message.Decode(Slice(copy.view().data(), copy.view().size()));
  FUZZ_CHECK(s.ok() || s.IsCorruption() || s.IsNotSupported());
  if (!s.ok()) return;
  const std::string encoded = message.Encode();
  Message again;
  // (A table without bounds is told, and cannot be told on.)
  if (again.Decode(encoded).ok()) FUZZ_CHECK(again.Encode() == encoded);
}

}  // namespace

}  // namespace cairn::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cairn::fuzz::Input input(data, size);
  const uint8_t how = input.Byte();
  std::string bytes(input.Rest());
  if ((how & 2) != 0) cairn::fuzz::Seal(&bytes);
  if ((how & 1) != 0) {
    cairn::fuzz::Check<cairn::RemoteResult>(bytes);
  } else {
    cairn::fuzz::Check<cairn::RemoteJob>(bytes);
  }
  return 0;
}
