// What the tests of WriteBatchWithIndex share: its contents as text.
#pragma once

#include "conformance.h"
#include "rocksdb/utilities/write_batch_with_index.h"

namespace conformance {

inline std::string Text(const WriteEntry& entry) {
  const std::string key = entry.key.ToString();
  switch (entry.type) {
    case kPutRecord:
      return "put(" + key + "," + entry.value.ToString() + ")";
    case kMergeRecord:
      return "merge(" + key + "," + entry.value.ToString() + ")";
    case kDeleteRecord:
      return "delete(" + key + ")";
    case kSingleDeleteRecord:
      return "single(" + key + ")";
    default:
      return "other(" + key + ")";
  }
}

// Of several entries of a key RocksDB 7 shows the oldest first, later ones the newest.
inline bool NewestFirst() {
  WriteBatchWithIndex batch;
  EXPECT_OK(batch.Put("k", "old"));
  EXPECT_OK(batch.Put("k", "new"));
  std::unique_ptr<WBWIIterator> it(batch.NewIterator());
  it->SeekToFirst();
  return it->Entry().value == "new";
}

// All entries, the newest of each key first; going backward must show the same.
inline std::string Entries(WriteBatchWithIndex* batch, ColumnFamilyHandle* family = nullptr) {
  std::unique_ptr<WBWIIterator> it(family == nullptr ? batch->NewIterator()
                                                     : batch->NewIterator(family));
  std::vector<std::string> forward, backward, keys;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    keys.push_back(it->Entry().key.ToString());
    forward.push_back(Text(it->Entry()));
  }
  EXPECT_OK(it->status());
  for (it->SeekToLast(); it->Valid(); it->Prev()) backward.push_back(Text(it->Entry()));
  EXPECT_OK(it->status());
  std::reverse(backward.begin(), backward.end());
  EXPECT_EQ(forward, backward);
  if (!NewestFirst()) {
    for (size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
      while (end < keys.size() && keys[end] == keys[begin]) end++;
      std::reverse(forward.begin() + static_cast<ptrdiff_t>(begin),
                   forward.begin() + static_cast<ptrdiff_t>(end));
    }
  }
  std::string text;
  for (const std::string& entry : forward) text += (text.empty() ? "" : " ") + entry;
  return text;
}

inline std::string FromBatch(WriteBatchWithIndex* batch, const std::string& key,
                             ColumnFamilyHandle* family = nullptr) {
  std::string value = "junk";
  const Status s = batch->GetFromBatch(family, DBOptions(), key, &value);
  if (s.IsNotFound()) return "NOT_FOUND";
  if (s.IsMergeInProgress()) return "MERGE_IN_PROGRESS";
  return s.ok() ? value : s.ToString();
}

}  // namespace conformance
