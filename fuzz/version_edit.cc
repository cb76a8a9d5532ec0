// Records of the MANIFEST: one that decodes encodes to the same edit again; a whole MANIFEST of any
// records is read to its end, and the edits of a sound one make a Version or an error.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "fs/memory_file_system.h"
#include "fuzz/fuzz.h"
#include "fuzz/log_bytes.h"
#include "manifest/manifest_reader.h"
#include "manifest/version_builder.h"
#include "manifest/version_edit.h"
#include "rocksdb/comparator.h"
#include "rocksdb/options.h"

namespace cairn::fuzz {

namespace {

void CheckEdit(std::string_view bytes) {
  const ExactCopy copy(bytes);
  VersionEdit edit;
  if (!edit.DecodeFrom(Slice(copy.view().data(), copy.view().size())).ok()) return;
  (void)edit.DebugString(true);
  std::string encoded;
  if (!edit.EncodeTo(&encoded)) return;
  VersionEdit again;
  FUZZ_CHECK(again.DecodeFrom(encoded).ok());
  std::string encoded_again;
  FUZZ_CHECK(again.EncodeTo(&encoded_again));
  FUZZ_CHECK(encoded == encoded_again);
}

// All edits of the default family, one on top of the other.
void MakeVersions(const std::vector<VersionEdit>& edits) {
  const InternalKeyComparator icmp(BytewiseComparator());
  ColumnFamilyOptions options;
  options.level_compaction_dynamic_level_bytes = false;
  VersionBuilder builder(&icmp, nullptr);
  for (const VersionEdit& edit : edits) {
    if (edit.column_family() == 0 && !builder.Apply(edit).ok()) return;
  }
  Version* version = nullptr;
  if (!builder.Save(nullptr, nullptr, 1, options, /*infer_epochs=*/true, &version).ok()) return;
  VersionBuilder::Discard(version);
}

void CheckManifest(const std::string& bytes) {
  MemoryFileSystem fs(MemoryFileSystem::Durability::kUntracked);
  FUZZ_CHECK(WriteStringToFile(&fs, bytes, "/MANIFEST-000005").ok());
  std::unique_ptr<ManifestReader> reader;
  FUZZ_CHECK(ManifestReader::Open(&fs, "/MANIFEST-000005", 5, &reader).ok());
  std::vector<VersionEdit> edits;
  VersionEdit edit;
  while (reader->Next(&edit)) {
    FUZZ_CHECK(reader->offset() < bytes.size());
    FUZZ_CHECK(edits.size() < bytes.size());
    edits.push_back(edit);
  }
  (void)reader->Locate(reader->status());
  if (reader->status().ok()) MakeVersions(edits);
}

}  // namespace

}  // namespace cairn::fuzz

// What it is, and its bytes: one edit; records of a length and their bytes; a file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cairn::fuzz;
  Input input(data, size);
  switch (input.Byte() % 3) {
    case 0:
      CheckEdit(input.Rest());
      break;
    case 1: {
      std::vector<std::string> records;
      while (!input.empty()) records.emplace_back(input.Take(input.Byte()));
      CheckManifest(WriteLog(records, false, 5));
      break;
    }
    default: {
      std::string bytes(input.Rest());
      FixLogChecksums(&bytes);
      CheckManifest(bytes);
    }
  }
  return 0;
}
