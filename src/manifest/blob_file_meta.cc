#include "manifest/blob_file_meta.h"

#include <algorithm>

#include "base/coding.h"

namespace cairn {
namespace {

// Fields that later releases may add: (varint32 tag, length-prefixed value), ended by 0. One with
// bit 1 << 6 may not be skipped.
constexpr uint32_t kEnd = 0;
constexpr uint32_t kMayNotBeSkipped = 1 << 6;

bool SkipFields(Slice* src) {
  for (;;) {
    uint32_t tag = 0;
    if (!GetVarint32(src, &tag)) return false;
    if (tag == kEnd) return true;
    Slice value;
    if ((tag & kMayNotBeSkipped) != 0 || !GetLengthPrefixedSlice(src, &value)) return false;
  }
}

}  // namespace

void BlobFileAddition::AppendTo(std::string* dst) const {
  PutVarint64(dst, number);
  PutVarint64(dst, blobs);
  PutVarint64(dst, bytes);
  PutLengthPrefixedSlice(dst, checksum_func);
  PutLengthPrefixedSlice(dst, checksum);
  PutVarint32(dst, kEnd);
}

bool BlobFileAddition::DecodeFrom(Slice* src) {
  Slice func, value;
  if (!GetVarint64(src, &number) || !GetVarint64(src, &blobs) || !GetVarint64(src, &bytes) ||
      !GetLengthPrefixedSlice(src, &func) || !GetLengthPrefixedSlice(src, &value)) {
    return false;
  }
  checksum_func = func.ToString();
  checksum = value.ToString();
  return SkipFields(src) && number != kNoBlobFile;
}

void BlobFileGarbage::AppendTo(std::string* dst) const {
  PutVarint64(dst, number);
  PutVarint64(dst, blobs);
  PutVarint64(dst, bytes);
  PutVarint32(dst, kEnd);
}

bool BlobFileGarbage::DecodeFrom(Slice* src) {
  return GetVarint64(src, &number) && GetVarint64(src, &blobs) && GetVarint64(src, &bytes) &&
         SkipFields(src) && number != kNoBlobFile;
}

const BlobFileMeta* FindBlobFile(const BlobFileList& files, uint64_t number) {
  const auto it = std::lower_bound(
      files.begin(), files.end(), number,
      [](const std::shared_ptr<const BlobFileMeta>& f, uint64_t n) { return f->number() < n; });
  return it != files.end() && (*it)->number() == number ? it->get() : nullptr;
}

BlobFileTotals TotalsOf(const BlobFileList& files) {
  BlobFileTotals totals;
  totals.files = files.size();
  for (const auto& f : files) {
    totals.file_bytes += f->file->file_size();
    totals.garbage_bytes += f->garbage_bytes;
  }
  return totals;
}

double BlobSpaceAmplification(const BlobFileTotals& totals) {
  if (totals.file_bytes <= totals.garbage_bytes) return 0;
  return static_cast<double>(totals.file_bytes) /
         static_cast<double>(totals.file_bytes - totals.garbage_bytes);
}

}  // namespace cairn
