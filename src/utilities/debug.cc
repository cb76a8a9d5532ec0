#include "rocksdb/utilities/debug.h"

#include "base/internal_key.h"
#include "db/db_impl.h"

namespace ROCKSDB_NAMESPACE {

std::string KeyVersion::GetTypeName() const {
  switch (type) {
    case cairn::kTypeDeletion:
      return "TypeDeletion";
    case cairn::kTypeValue:
      return "TypeValue";
    case cairn::kTypeMerge:
      return "TypeMerge";
    case cairn::kTypeSingleDeletion:
      return "TypeSingleDeletion";
    case cairn::kTypeRangeDeletion:
      return "TypeRangeDeletion";
    case cairn::kTypeBlobIndex:
      return "TypeBlobIndex";
    case cairn::kTypeDeletionWithTimestamp:
      return "TypeDeletionWithTimestamp";
    case cairn::kTypeWideColumnEntity:
      return "TypeWideColumnEntity";
    default:
      return "Invalid";
  }
}

Status GetAllKeyVersions(DB* db, Slice begin_key, Slice end_key, size_t max_num_ikeys,
                         std::vector<KeyVersion>* key_versions) {
  if (db == nullptr) return Status::InvalidArgument("db cannot be null.");
  return GetAllKeyVersions(db, db->DefaultColumnFamily(), begin_key, end_key, max_num_ikeys,
                           key_versions);
}

Status GetAllKeyVersions(DB* db, ColumnFamilyHandle* cfh, Slice begin_key, Slice end_key,
                         size_t max_num_ikeys, std::vector<KeyVersion>* key_versions) {
  if (db == nullptr) return Status::InvalidArgument("db cannot be null.");
  if (cfh == nullptr) return Status::InvalidArgument("Column family handle cannot be null.");
  if (key_versions == nullptr) return Status::InvalidArgument("key_versions cannot be null.");
  auto* const impl = dynamic_cast<cairn::DBImpl*>(db->GetRootDB());
  if (impl == nullptr) return Status::InvalidArgument("not a database of this library");
  key_versions->clear();
  if (max_num_ikeys == 0) return Status::OK();
  return impl->VisitEntries(cfh, begin_key, end_key,
                            [&](const cairn::ParsedInternalKey& key, Slice value) {
                              key_versions->emplace_back(key.user_key.ToString(), value.ToString(),
                                                         key.sequence, static_cast<int>(key.type));
                              return key_versions->size() < max_num_ikeys;
                            });
}

}  // namespace ROCKSDB_NAMESPACE
