#include "db_stress/client.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/write_batch.h"

namespace stress {

namespace {

using rocksdb::ReadOptions;
using rocksdb::Slice;
using rocksdb::Status;

constexpr uint64_t kKeysOfASnapshot = 30;
constexpr size_t kMostHeld = 3;
constexpr uint64_t kMostOfABatch = 8;
constexpr uint64_t kMostOfAScan = 100;

}  // namespace

void Violation(const std::string& text) {
  std::printf("VIOLATION: %s\n", text.c_str());
  std::fflush(stdout);
  std::_Exit(1);
}

void Shared::NoteDurable(const std::vector<Version>& versions) {
  const fiber::MutexLock lock(&durable_mutex);
  if (durable.empty()) durable.resize(versions.size());
  for (size_t i = 0; i < versions.size(); ++i) durable[i] = std::max(durable[i], versions[i]);
}

void Client::Run(uint64_t operations) {
  for (uint64_t i = 0; i < operations; ++i) Step();
  for (const Held& held : held_) shared_.db->ReleaseSnapshot(held.snapshot);
  held_.clear();
  shared_.operations.fetch_add(operations, std::memory_order_relaxed);
}

void Client::Step() {
  const uint64_t chance = shared_.read_only ? 450 + numbers_.Below(546) : numbers_.Below(1000);
  if (chance < 350) {
    WriteOne();
  } else if (chance < 450) {
    WriteBatch();
  } else if (chance < 700) {
    GetOne();
  } else if (chance < 800) {
    GetMany();
  } else if (chance < 870) {
    Scan();
  } else if (chance < 900) {
    TakeSnapshot();
  } else if (chance < 996) {
    ReadSnapshot();
  } else {
    Administer();
  }
}

// Half of the operations go to a twentieth of the keys.
uint64_t Client::DrawKey() {
  const uint64_t keys = shared_.expected.keys();
  return numbers_.Below(numbers_.OneIn(2) ? std::max<uint64_t>(keys / 20, 1) : keys);
}

bool Client::Answered(const Status& s, const char* what) {
  if (s.ok() || s.IsNotFound()) return true;
  // (A table's footer has no checksum before format_version 6: a wrong bit may be the version's.)
  const bool may_fail =
      shared_.read_only && (s.IsIOError() || s.IsCorruption() || s.IsNotSupported());
  if (!may_fail) {
    Violation(std::string(what) + " fails: " + s.ToString());
  }
  shared_.failed_reads.fetch_add(1, std::memory_order_relaxed);
  return false;
}

void Client::Check(uint64_t key, Version from, Version to, const std::optional<std::string>& value,
                   const char* what) {
  std::string error;
  if (!Expected::Fits(key, from, to, value, &error)) Violation(std::string(what) + ": " + error);
}

void Client::WriteOne() {
  const uint64_t key = DrawKey();
  rocksdb::WriteOptions options;
  options.sync = numbers_.OneIn(200);
  const fiber::MutexLock lock(&shared_.expected.Lock(key));
  const Version version = shared_.expected.Issue(key);
  const Status s = IsDeletion(key, version)
                       ? shared_.db->Delete(options, KeyText(key))
                       : shared_.db->Put(options, KeyText(key), ValueText(key, version));
  if (!s.ok()) Violation("a write fails: " + s.ToString());
  shared_.expected.Acknowledge(key, version);
}

void Client::WriteBatch() {
  std::set<uint64_t> keys;
  for (uint64_t i = 1 + numbers_.Below(kMostOfABatch); i > 0; --i) keys.insert(DrawKey());
  std::set<uint64_t> locks;  // each once, in an order that all clients keep
  for (const uint64_t key : keys) locks.insert(Expected::LockNumber(key));
  std::vector<std::unique_ptr<fiber::MutexLock>> held;
  for (const uint64_t lock : locks) {
    held.push_back(std::make_unique<fiber::MutexLock>(&shared_.expected.Lock(lock)));
  }
  rocksdb::WriteBatch batch;
  std::vector<std::pair<uint64_t, Version>> versions;
  for (const uint64_t key : keys) {
    const Version version = shared_.expected.Issue(key);
    versions.emplace_back(key, version);
    const Status s = IsDeletion(key, version) ? batch.Delete(KeyText(key))
                                              : batch.Put(KeyText(key), ValueText(key, version));
    if (!s.ok()) Violation("a batch is refused: " + s.ToString());
  }
  const Status s = shared_.db->Write(rocksdb::WriteOptions(), &batch);
  if (!s.ok()) Violation("a batch fails: " + s.ToString());
  for (const auto& [key, version] : versions) shared_.expected.Acknowledge(key, version);
}

void Client::GetOne() {
  const uint64_t key = DrawKey();
  const Version from = shared_.expected.acknowledged(key);
  std::string value;
  const Status s = shared_.db->Get(ReadOptions(), KeyText(key), &value);
  if (!Answered(s, "Get")) return;
  Check(key, from, shared_.expected.issued(key), s.ok() ? std::optional(value) : std::nullopt,
        "Get");
}

void Client::GetMany() {
  const size_t count = 1 + numbers_.Below(20);
  std::vector<uint64_t> keys(count);
  std::vector<std::string> texts(count);
  std::vector<Version> from(count);
  for (size_t i = 0; i < count; ++i) {
    keys[i] = DrawKey();
    texts[i] = KeyText(keys[i]);
    from[i] = shared_.expected.acknowledged(keys[i]);
  }
  const std::vector<Slice> slices(texts.begin(), texts.end());
  std::vector<rocksdb::PinnableSlice> values(count);
  std::vector<Status> statuses(count);
  ReadOptions options;
  options.async_io = numbers_.OneIn(2);
  shared_.db->MultiGet(options, shared_.db->DefaultColumnFamily(), count, slices.data(),
                       values.data(), statuses.data());
  for (size_t i = 0; i < count; ++i) {
    if (!Answered(statuses[i], "MultiGet")) continue;
    Check(keys[i], from[i], shared_.expected.issued(keys[i]),
          statuses[i].ok() ? std::optional(values[i].ToString()) : std::nullopt, "MultiGet");
  }
}

void Client::Scan() {
  const uint64_t first = DrawKey();
  const uint64_t last = std::min(first + numbers_.Below(kMostOfAScan), shared_.expected.keys() - 1);
  std::vector<Version> from;
  for (uint64_t key = first; key <= last; ++key) from.push_back(shared_.expected.acknowledged(key));
  ReadOptions options;
  options.async_io = numbers_.OneIn(2);
  const std::unique_ptr<rocksdb::Iterator> it(shared_.db->NewIterator(options));
  std::vector<std::optional<std::string>> found(last - first + 1);
  const bool forward = numbers_.OneIn(2);
  const std::string begin = KeyText(forward ? first : last);
  std::optional<uint64_t> before;
  for (forward ? it->Seek(begin) : it->SeekForPrev(begin); it->Valid();
       forward ? it->Next() : it->Prev()) {
    const std::optional<uint64_t> key =
        KeyNumber(it->key().ToStringView(), shared_.expected.keys());
    if (!key.has_value()) Violation("a scan finds a key of nobody: " + it->key().ToString());
    if (*key < first || *key > last) break;
    if (before.has_value() && (forward ? *key <= *before : *key >= *before)) {
      Violation("a scan goes from " + KeyText(*before) + " to " + KeyText(*key));
    }
    before = key;
    found[*key - first] = it->value().ToString();
  }
  if (!Answered(it->status(), "a scan")) return;
  for (uint64_t key = first; key <= last; ++key) {
    Check(key, from[key - first], shared_.expected.issued(key), found[key - first], "a scan");
  }
}

void Client::TakeSnapshot() {
  if (held_.size() == kMostHeld) {
    const size_t which = numbers_.Below(held_.size());
    shared_.db->ReleaseSnapshot(held_[which].snapshot);
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(which));
  }
  Held held;
  held.first = DrawKey();
  const uint64_t count = std::min(kKeysOfASnapshot, shared_.expected.keys() - held.first);
  for (uint64_t i = 0; i < count; ++i) {
    held.from.push_back(shared_.expected.acknowledged(held.first + i));
  }
  held.snapshot = shared_.db->GetSnapshot();
  for (uint64_t i = 0; i < count; ++i) {
    held.to.push_back(shared_.expected.issued(held.first + i));
  }
  held.found.resize(count);
  held_.push_back(std::move(held));
}

void Client::ReadSnapshot() {
  if (held_.empty()) return;
  Held& held = held_[numbers_.Below(held_.size())];
  const uint64_t which = numbers_.Below(held.found.size());
  const uint64_t key = held.first + which;
  ReadOptions options;
  options.snapshot = held.snapshot;
  std::string value;
  const Status s = shared_.db->Get(options, KeyText(key), &value);
  if (!Answered(s, "Get at a snapshot")) return;
  const std::optional<std::string> found = s.ok() ? std::optional(value) : std::nullopt;
  Check(key, held.from[which], held.to[which], found, "Get at a snapshot");
  if (held.found[which].has_value() && *held.found[which] != found) {
    Violation("a snapshot changes: " + KeyText(key));
  }
  held.found[which] = found;
}

void Client::Administer() {
  rocksdb::DB* const db = shared_.db;
  const auto must = [](const Status& s, const char* what) {
    if (!s.ok()) Violation(std::string(what) + " fails: " + s.ToString());
  };
  switch (numbers_.Below(6)) {
    case 0:
      must(db->Flush(rocksdb::FlushOptions()), "Flush");
      break;
    case 1: {
      const std::string from = KeyText(DrawKey()), to = KeyText(DrawKey());
      const Slice lower(std::min(from, to)), upper(std::max(from, to));
      const Status s = db->CompactRange(rocksdb::CompactRangeOptions(), &lower, &upper);
      if (!s.IsIncomplete()) must(s, "CompactRange");
      break;
    }
    case 2: {
      const std::vector<Version> acknowledged = shared_.expected.AllAcknowledged();
      must(db->FlushWAL(/*sync=*/true), "FlushWAL");
      shared_.NoteDurable(acknowledged);
      break;
    }
    case 3: {
      const std::vector<Version> acknowledged = shared_.expected.AllAcknowledged();
      must(db->Flush(rocksdb::FlushOptions()), "Flush");
      shared_.NoteDurable(acknowledged);
      break;
    }
    case 4:
      must(db->SetOptions(
               {{"level0_file_num_compaction_trigger", std::to_string(1 + numbers_.Below(5))},
                {"write_buffer_size", std::to_string((64 + numbers_.Below(256)) << 10)}}),
           "SetOptions");
      break;
    default: {
      std::string text;
      if (!db->GetProperty("rocksdb.stats", &text)) Violation("no rocksdb.stats");
    }
  }
}

}  // namespace stress
