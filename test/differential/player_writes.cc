// Writes: single calls, batches over families with save points, range deletions, files from
// outside.
#include <algorithm>
#include <set>
#include <utility>

#include "player.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"

namespace differential {

void Player::WriteOne() {
  Family& family = AnyFamily();
  const rocksdb::WriteOptions how = HowToWrite();
  const uint64_t kind = Below(10);
  if (kind < 5) {
    const std::string key = Key(), value = Value();
    Say("put %s %s: %s", family.name.c_str(), Show(key).c_str(),
        Show(db_->Put(how, family.handle, key, value)).c_str());
  } else if (kind < 7) {
    const std::string key = OneIn(4) ? EntityKey() : Key();
    Say("delete %s %s: %s", family.name.c_str(), Show(key).c_str(),
        Show(db_->Delete(how, family.handle, key)).c_str());
  } else if (kind < 9) {
    if (family.traits.merge == FamilyTraits::Merge::kNone) return;
    const std::string key = Key(), value = Value();
    Say("merge %s %s: %s", family.name.c_str(), Show(key).c_str(),
        Show(db_->Merge(how, family.handle, key, value)).c_str());
  } else {
    const std::string key = EntityKey();
    std::vector<std::string> storage;
    const rocksdb::WideColumns columns = Columns(&storage);
    Say("put entity %s %s: %s", family.name.c_str(), key.c_str(),
        Show(db_->PutEntity(how, family.handle, key, columns)).c_str());
  }
}

void Player::AddToBatch(rocksdb::WriteBatch& batch) {
  Family& family = AnyFamily();
  const uint64_t kind = Below(20);
  if (kind < 10) {
    (void)batch.Put(family.handle, Key(), Value());
  } else if (kind < 14) {
    (void)batch.Delete(family.handle, Key());
  } else if (kind < 17) {
    if (family.traits.merge == FamilyTraits::Merge::kNone) return;
    (void)batch.Merge(family.handle, Key(), Value());
  } else if (kind < 18) {
    const auto [begin, end] = Range(family);
    (void)batch.DeleteRange(family.handle, begin, end);
  } else if (kind < 19) {
    std::vector<std::string> storage;
    const rocksdb::WideColumns columns = Columns(&storage);
    (void)batch.PutEntity(family.handle, EntityKey(), columns);
  } else {
    (void)batch.PutLogData("log data " + std::to_string(step_));
  }
}

void Player::WriteBatch() {
  rocksdb::WriteBatch batch;
  const uint64_t count = OneIn(12) ? 40 + Below(200) : 1 + Below(8);
  int save_points = 0;
  for (uint64_t i = 0; i < count; i++) {
    if (OneIn(8)) {
      batch.SetSavePoint();
      save_points++;
    } else if (save_points > 0 && OneIn(6)) {
      (void)(OneIn(2) ? batch.RollbackToSavePoint() : batch.PopSavePoint());
      save_points--;
    } else {
      AddToBatch(batch);
    }
  }
  const rocksdb::WriteOptions how = HowToWrite();
  Say("batch of %d: %s", static_cast<int>(batch.Count()), Show(db_->Write(how, &batch)).c_str());
}

void Player::Single() {
  Family& family = AnyFamily();
  if (family.single_keys > family.single_deleted && OneIn(2)) {
    const std::string key =
        "s" + std::to_string(life_.number) + "_" + std::to_string(++family.single_deleted);
    Say("single delete %s %s: %s", family.name.c_str(), key.c_str(),
        Show(db_->SingleDelete(HowToWrite(), family.handle, key)).c_str());
    return;
  }
  const std::string key =
      "s" + std::to_string(life_.number) + "_" + std::to_string(++family.single_keys);
  Say("single put %s %s: %s", family.name.c_str(), key.c_str(),
      Show(db_->Put(HowToWrite(), family.handle, key, Value())).c_str());
}

void Player::DeleteRange() {
  Family& family = AnyFamily();
  const auto [begin, end] = Range(family);
  Say("delete range %s %s to %s: %s", family.name.c_str(), Show(begin).c_str(), Show(end).c_str(),
      Show(db_->DeleteRange(HowToWrite(), family.handle, begin, end)).c_str());
}

rocksdb::Status Player::MakeFile(const std::string& path, Family& family) {
  const rocksdb::Options options(life_.options,
                                 FamilyOptionsOf(life_.seed, life_.number, family.name));
  std::set<std::string> drawn;
  const uint64_t count = OneIn(10) ? 0 : 1 + Below(OneIn(4) ? 100 : 12);
  for (uint64_t i = 0; i < count; i++) drawn.insert(Key());
  std::vector<std::string> keys(drawn.begin(), drawn.end());
  if (family.traits.reverse) std::reverse(keys.begin(), keys.end());

  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options, family.handle);
  rocksdb::Status s = writer.Open(path);
  if (!s.ok()) return s;
  const bool merges = family.traits.merge != FamilyTraits::Merge::kNone;
  for (const std::string& key : keys) {
    const uint64_t kind = Below(8);
    s = kind == 0             ? writer.Delete(key)
        : kind == 1 && merges ? writer.Merge(key, Value())
                              : writer.Put(key, Value());
    if (!s.ok()) return s;
  }
  // RocksDB 7.8.3 writes range tombstones in the order in which they come: so one at most.
  if (OneIn(4)) {
    const auto [begin, end] = Range(family);
    if (begin != end) {
      s = writer.DeleteRange(begin, end);
      if (!s.ok()) return s;
    }
  }
  return writer.Finish();
}

void Player::Ingest() {
  const uint64_t count = 1 + Below(OneIn(3) ? 2 : 1);
  Family& family = AnyFamily();
  std::vector<std::string> files;
  for (uint64_t i = 0; i < count; i++) {
    const std::string file =
        path_ + ".files/" + std::to_string(life_.number) + "_" + std::to_string(++files_) + ".sst";
    const rocksdb::Status s = MakeFile(file, family);
    Say("make a file: %s", Show(s).c_str());
    if (s.ok()) files.push_back(file);
  }
  if (files.empty()) return;
  rocksdb::IngestExternalFileOptions how;
  how.move_files = OneIn(2);
  how.verify_checksums_before_ingest = OneIn(2);
  // With a snapshot in use, or where keys are there already, files take a sequence number.
  how.allow_global_seqno = !OneIn(8);
  how.snapshot_consistency = how.allow_global_seqno || OneIn(2);
  how.write_global_seqno = false;  // with true Cairn refuses
  sequence_known_ = false;
  Say("ingest %zu into %s: %s", files.size(), family.name.c_str(),
      Show(db_->IngestExternalFile(family.handle, files, how)).c_str());
}

}  // namespace differential
