// utilities/types_util.h.
#include "rocksdb/utilities/types_util.h"

#include "base/internal_key.h"
#include "table/property_collectors.h"

namespace ROCKSDB_NAMESPACE {

namespace {

Status MakeInternalKey(const Slice& user_key, const Comparator* comparator, bool newest,
                       std::string* buf) {
  if (comparator == nullptr || buf == nullptr) {
    return Status::InvalidArgument("an internal key needs a comparator and a buffer");
  }
  // The newest entry of a key has the largest timestamp.
  *buf = user_key.ToString() + std::string(comparator->timestamp_size(), newest ? '\xff' : '\0');
  cairn::AppendInternalKeyFooter(
      buf, newest ? cairn::kMaxSequenceNumber : 0,
      newest ? cairn::kValueTypeForSeek : cairn::kValueTypeForSeekForPrev);
  return Status::OK();
}

}  // namespace

Status GetInternalKeyForSeek(const Slice& user_key, const Comparator* comparator,
                             std::string* buf) {
  return MakeInternalKey(user_key, comparator, /*newest=*/true, buf);
}

Status GetInternalKeyForSeekForPrev(const Slice& user_key, const Comparator* comparator,
                                    std::string* buf) {
  return MakeInternalKey(user_key, comparator, /*newest=*/false, buf);
}

Status ParseEntry(const Slice& internal_key, const Comparator* comparator,
                  ParsedEntryInfo* parsed_entry) {
  if (comparator == nullptr || parsed_entry == nullptr) {
    return Status::InvalidArgument("an entry's key is taken apart by a comparator");
  }
  cairn::ParsedInternalKey parsed;
  Status s = cairn::ParseInternalKey(internal_key, &parsed);
  const size_t timestamp = comparator->timestamp_size();
  if (!s.ok() || parsed.user_key.size() < timestamp) {
    return Status::InvalidArgument("not the key of an entry", internal_key.ToString(/*hex=*/true));
  }
  parsed_entry->user_key = Slice(parsed.user_key.data(), parsed.user_key.size() - timestamp);
  parsed_entry->timestamp =
      Slice(parsed.user_key.data() + parsed.user_key.size() - timestamp, timestamp);
  parsed_entry->sequence = parsed.sequence;
  parsed_entry->type = cairn::EntryTypeOf(parsed.type);
  return Status::OK();
}

}  // namespace ROCKSDB_NAMESPACE
