// A database whose keys have timestamps that two engines take turns on (timestamps_test.py). The
// public API alone, compiled once against Cairn and once against librocksdb.
//
//   timestamps_driver write DB N   the versions of round N; leaves them in the log if N is odd and
//                                  the other engine can read it
//   timestamps_driver verify DB N LOW   what a reader at any moment from LOW on sees of rounds 1 to
//   N timestamps_driver trim DB N LOW     raises the mark to LOW, compacts all, and verifies
//
// Exit status 1: the database disagrees, and stderr says where.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/comparator.h"
#include "rocksdb/db.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/write_batch.h"

#ifdef INTEROP_ROCKSDB
namespace rocksdb {
// Release 7 has it, and no header that says so.
const Comparator* BytewiseComparatorWithU64Ts();
}  // namespace rocksdb
#endif

namespace {

using rocksdb::Slice;
using rocksdb::Status;

constexpr int kKeys = 200;
constexpr uint64_t kRound = 10;  // timestamps of a round

void Die(const std::string& what) {
  std::fprintf(stderr, "timestamps_driver: %s\n", what.c_str());
  std::exit(1);
}
void Check(const std::string& what, const Status& s) {
  if (!s.ok()) Die(what + ": " + s.ToString());
}

std::string Stamp(uint64_t number) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(number >> (8 * i)));
  return bytes;
}
uint64_t NumberOf(const Slice& stamp) {
  uint64_t number = 0;
  for (size_t i = stamp.size(); i > 0; --i) {
    number = number << 8 | static_cast<unsigned char>(stamp[i - 1]);
  }
  return number;
}

std::string KeyOf(int i) {
  char text[32];
  std::snprintf(text, sizeof(text), "key%05d", i);
  return text;
}

// What round r writes, in order.
struct Write {
  enum Kind { kPut, kDelete, kSingleDelete, kDeleteRange } kind;
  std::string key, value;  // of a range the end
  uint64_t timestamp;
};
std::vector<Write> WritesOf(int round) {
  std::vector<Write> writes;
  const uint64_t first = static_cast<uint64_t>(round) * kRound;
  for (uint64_t step = 0; step < 4; ++step) {
    for (int i = 0; i < kKeys; ++i) {
      const uint64_t timestamp = first + step;
      if ((i + round * 7 + static_cast<int>(step) * 3) % 5 == 0) {
        const std::string value = std::string(static_cast<size_t>(i % 40), 'v') +
                                  std::to_string(round) + "." + std::to_string(step);
        writes.push_back({Write::kPut, KeyOf(i), value, timestamp});
      } else if ((i + round + static_cast<int>(step)) % 11 == 0) {
        writes.push_back({Write::kDelete, KeyOf(i), "", timestamp});
      }
    }
  }
  const int from = round * 13 % kKeys;
  writes.push_back({Write::kDeleteRange, KeyOf(from), KeyOf(from + 9), first + 5});
  // Of keys of their own: written once before.
  const std::string single = "single" + std::to_string(round);
  writes.push_back({Write::kPut, single, "once", first + 6});
  writes.push_back({Write::kSingleDelete, single, "", first + 7});
  return writes;
}

struct Version {
  bool there;
  std::string value;
  uint64_t timestamp;
};
using State = std::map<std::string, Version>;

State StateAt(int rounds, uint64_t timestamp) {
  State state;
  for (int round = 1; round <= rounds; ++round) {
    for (const Write& write : WritesOf(round)) {
      if (write.timestamp > timestamp) continue;
      if (write.kind == Write::kPut) {
        state[write.key] = {true, write.value, write.timestamp};
      } else if (write.kind == Write::kDeleteRange) {
        const auto end = state.lower_bound(write.value);
        for (auto it = state.lower_bound(write.key); it != end; ++it) it->second.there = false;
      } else {
        state[write.key].there = false;
      }
    }
  }
  for (auto it = state.begin(); it != state.end();) {
    it = it->second.there ? std::next(it) : state.erase(it);
  }
  return state;
}

class Database {
 public:
  explicit Database(const std::string& path) {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.comparator = rocksdb::BytewiseComparatorWithU64Ts();
    options.disable_auto_compactions = true;
    options.avoid_flush_during_shutdown = true;
    options.avoid_flush_during_recovery = true;
    rocksdb::DB* db = nullptr;
    Check("open", rocksdb::DB::Open(options, path, &db));
    db_.reset(db);
  }
  void WriteRound(int round) {
    for (const Write& write : WritesOf(round)) {
      const std::string stamp = Stamp(write.timestamp);
      Status s;
      if (write.kind == Write::kPut && write.value.size() % 2 == 0) {
        rocksdb::WriteBatch batch(0, 0, 0, 8);
        s = batch.Put(write.key, write.value);
        if (s.ok()) s = batch.UpdateTimestamps(stamp, [](uint32_t) { return size_t{8}; });
        if (s.ok()) s = db_->Write(rocksdb::WriteOptions(), &batch);
      } else if (write.kind == Write::kPut) {
        s = db_->Put(rocksdb::WriteOptions(), write.key, stamp, write.value);
      } else if (write.kind == Write::kDelete) {
        s = db_->Delete(rocksdb::WriteOptions(), write.key, stamp);
      } else if (write.kind == Write::kSingleDelete) {
        s = db_->SingleDelete(rocksdb::WriteOptions(), write.key, stamp);
      } else {
        s = db_->DeleteRange(rocksdb::WriteOptions(), db_->DefaultColumnFamily(), write.key,
                             write.value, stamp);
      }
      Check("write " + write.key, s);
    }
  }
  void Flush() { Check("flush", db_->Flush(rocksdb::FlushOptions())); }
  void Trim(uint64_t low) {
    Check("raise the mark", db_->IncreaseFullHistoryTsLow(db_->DefaultColumnFamily(), Stamp(low)));
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    Check("compact", db_->CompactRange(options, nullptr, nullptr));
  }
  void Verify(int rounds, uint64_t low) {
    std::string mark;
    // (RocksDB's debug build ends where none was set.)
    if (low != 0) {
      Check("the mark", db_->GetFullHistoryTsLow(db_->DefaultColumnFamily(), &mark));
      if (NumberOf(mark) != low) Die("the mark is " + std::to_string(NumberOf(mark)));
      std::string value;
      const std::string stamp = Stamp(low - 1);
      const Slice at(stamp);
      rocksdb::ReadOptions options;
      options.timestamp = &at;
      if (!db_->Get(options, KeyOf(0), &value).IsInvalidArgument()) Die("read below the mark");
    }
    const uint64_t end = static_cast<uint64_t>(rounds + 1) * kRound;
    for (uint64_t timestamp = low; timestamp <= end; ++timestamp) {
      VerifyAt(StateAt(rounds, timestamp), timestamp, low);
    }
  }

 private:
  void VerifyAt(const State& expected, uint64_t timestamp, uint64_t low) {
    const std::string where = " at " + std::to_string(timestamp);
    const std::string stamp = Stamp(timestamp);
    const Slice at(stamp);
    rocksdb::ReadOptions options;
    options.timestamp = &at;
    for (int i = 0; i < kKeys; i += 3) {
      std::string value, found;
      const Status s = db_->Get(options, KeyOf(i), &value, &found);
      const auto wanted = expected.find(KeyOf(i));
      if (s.IsNotFound() && wanted == expected.end()) continue;
      Check("get " + KeyOf(i) + where, s);
      if (wanted == expected.end() || wanted->second.value != value) {
        Die("get " + KeyOf(i) + where + ": " + value);
      }
      VerifyStamp(KeyOf(i) + where, NumberOf(found), wanted->second.timestamp, low);
    }
    const std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(options));
    auto wanted = expected.begin();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++wanted) {
      if (wanted == expected.end() || it->key() != wanted->first ||
          it->value() != wanted->second.value) {
        Die("scan" + where + ": " + it->key().ToString() + " = " + it->value().ToString());
      }
      VerifyStamp(wanted->first + where, NumberOf(it->timestamp()), wanted->second.timestamp, low);
    }
    Check("scan" + where, it->status());
    if (wanted != expected.end()) Die("scan" + where + " ends before " + wanted->first);
    auto back = expected.rbegin();
    for (it->SeekToLast(); it->Valid(); it->Prev(), ++back) {
      if (back == expected.rend() || it->key() != back->first) Die("backward" + where);
    }
    Check("backward" + where, it->status());
    if (back != expected.rend()) Die("backward" + where + " ends behind " + back->first);
  }
  // Below the mark it may be gone.
  static void VerifyStamp(const std::string& what, uint64_t found, uint64_t wanted, uint64_t low) {
    if (found == wanted || (found == 0 && wanted < low)) return;
    Die(what + ": timestamp " + std::to_string(found) + ", expected " + std::to_string(wanted));
  }

  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) Die("usage: COMMAND DB ROUNDS [LOW]");
  const std::string command = argv[1];
  const int rounds = std::atoi(argv[3]);
  const uint64_t low = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 0;
  Database db(argv[2]);
  if (command == "write" || command == "write-flushed") {
    db.WriteRound(rounds);
    if (command == "write-flushed") db.Flush();
  } else if (command == "trim") {
    db.Trim(low);
    db.Verify(rounds, low);
  } else if (command == "verify") {
    db.Verify(rounds, low);
  } else {
    Die("no such command: " + command);
  }
  return 0;
}
