// What the conformance tests of user-defined timestamps share: a database whose keys have them, and
// what is there at a moment.
#pragma once

#include <memory>
#include <string>

#include "conformance.h"

namespace conformance {

inline std::string Ts(uint64_t number) {
  std::string bytes(8, '\0');
  for (char& byte : bytes) {
    byte = static_cast<char>(number & 0xff);
    number >>= 8;
  }
  return bytes;
}

inline uint64_t Number(const Slice& ts) {
  uint64_t number = 0;
  for (size_t i = ts.size(); i > 0; --i) number = number << 8 | static_cast<uint8_t>(ts[i - 1]);
  return number;
}

class TimestampTest : public DBTest {
 protected:
  TimestampTest() {
    options_.comparator = TimestampComparator();
    options_.disable_auto_compactions = true;
  }
  ColumnFamilyHandle* Family() { return db_->DefaultColumnFamily(); }
  Status PutAt(const std::string& key, uint64_t ts, const std::string& value) {
    return db_->Put(WriteOptions(), key, Ts(ts), value);
  }
  Status DeleteAt(const std::string& key, uint64_t ts) {
    return db_->Delete(WriteOptions(), key, Ts(ts));
  }
  // "value@5", "NOT_FOUND@7" (deleted then), "NOT_FOUND", or the error.
  std::string GetAt(const std::string& key, uint64_t ts, const Snapshot* snapshot = nullptr) {
    const std::string stamp = Ts(ts);
    const Slice at(stamp);
    ReadOptions options;
    options.timestamp = &at;
    options.snapshot = snapshot;
    std::string value, found;
    const Status s = db_->Get(options, key, &value, &found);
    if (!s.ok() && !s.IsNotFound()) return s.ToString();
    return (s.ok() ? value : "NOT_FOUND") +
           (found.empty() ? "" : "@" + std::to_string(Number(found)));
  }
  // "a=1@5,b=2@3".
  std::string ContentsAt(uint64_t ts) {
    const std::string stamp = Ts(ts);
    const Slice at(stamp);
    ReadOptions options;
    options.timestamp = &at;
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    std::string forward, backward;
    const auto entry = [&] {
      return it->key().ToString() + "=" + it->value().ToString() + "@" +
             std::to_string(Number(it->timestamp()));
    };
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      forward += (forward.empty() ? "" : ",") + entry();
    }
    EXPECT_OK(it->status());
    for (it->SeekToLast(); it->Valid(); it->Prev()) {
      backward = entry() + (backward.empty() ? "" : ",") + backward;
    }
    EXPECT_OK(it->status());
    EXPECT_EQ(forward, backward);
    return forward;
  }
  // All versions in [from, to]: "a@5=1", "a@3x" is a deletion.
  std::string VersionsAt(uint64_t from, uint64_t to) {
    const std::string stamp = Ts(to), from_stamp = Ts(from);
    const Slice at(stamp), start(from_stamp);
    ReadOptions options;
    options.timestamp = &at;
    options.iter_start_ts = &start;
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    std::string text;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      const Slice key = it->key();  // user key, timestamp, type and sequence number
      const char type = key[key.size() - 8];
      EXPECT_EQ(Number(it->timestamp()), Number(Slice(key.data() + key.size() - 16, 8)));
      text += (text.empty() ? "" : ",") + std::string(key.data(), key.size() - 16) + "@" +
              std::to_string(Number(it->timestamp())) +
              (type == 1 ? "=" + it->value().ToString() : "x");
      EXPECT_TRUE(type == 1 || type == 0x14) << static_cast<int>(type);
    }
    EXPECT_OK(it->status());
    return text;
  }
};

}  // namespace conformance
