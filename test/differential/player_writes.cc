// Writes: single calls, batches over families with save points, range deletions, files from
// outside.
#include <algorithm>
#include <set>
#include <utility>

#include "main.h"
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
  const char* const name = family.name.c_str();
  const uint64_t kind = Below(20);
  if (kind < 10) {
    const std::string value = Value(), key = Key();
    Note("  put %s %s = %s", name, Show(key).c_str(), Show(value).c_str());
    (void)batch.Put(family.handle, key, value);
  } else if (kind < 14) {
    const std::string key = Key();
    Note("  delete %s %s", name, Show(key).c_str());
    (void)batch.Delete(family.handle, key);
  } else if (kind < 17) {
    if (family.traits.merge == FamilyTraits::Merge::kNone) return;
    const std::string value = Value(), key = Key();
    Note("  merge %s %s = %s", name, Show(key).c_str(), Show(value).c_str());
    (void)batch.Merge(family.handle, key, value);
  } else if (kind < 18) {
    const auto [begin, end] = Range(family);
    Note("  delete range %s %s to %s", name, Show(begin).c_str(), Show(end).c_str());
    (void)batch.DeleteRange(family.handle, begin, end);
  } else if (kind < 19) {
    std::vector<std::string> storage;
    const rocksdb::WideColumns columns = Columns(&storage);
    const std::string key = EntityKey();
    Note("  put entity %s %s = %s", name, key.c_str(), Show(columns).c_str());
    (void)batch.PutEntity(family.handle, key, columns);
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
      Note("  save point");
      batch.SetSavePoint();
      save_points++;
    } else if (save_points > 0 && OneIn(6)) {
      const bool back = OneIn(2);
      Note(back ? "  back to the save point" : "  without the save point");
      (void)(back ? batch.RollbackToSavePoint() : batch.PopSavePoint());
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

rocksdb::Status Player::MakeFile(const std::string& path, const std::string& prefix,
                                 Family& family) {
  const rocksdb::Options options(life_.options,
                                 FamilyOptionsOf(life_.seed, life_.number, family.name));
  std::set<std::string> drawn;
  const uint64_t count = OneIn(10) ? 0 : 1 + Below(OneIn(4) ? 100 : 12);
  for (uint64_t i = 0; i < count; i++) drawn.insert(prefix + Key());
  std::vector<std::string> keys(drawn.begin(), drawn.end());
  if (family.traits.reverse) std::reverse(keys.begin(), keys.end());

  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options, family.handle);
  rocksdb::Status s = writer.Open(path);
  if (!s.ok()) return s;
  const bool merges = family.traits.merge != FamilyTraits::Merge::kNone;
  for (const std::string& key : keys) {
    const uint64_t kind = Below(8);
    Note("  %s %s",
         kind == 0             ? "delete"
         : kind == 1 && merges ? "merge"
                               : "put",
         Show(key).c_str());
    s = kind == 0             ? writer.Delete(key)
        : kind == 1 && merges ? writer.Merge(key, Value())
                              : writer.Put(key, Value());
    if (!s.ok()) return s;
  }
  // RocksDB 7.8.3 writes range tombstones in the order in which they come: so one at most.
  if (OneIn(4)) {
    auto [begin, end] = Range(family);
    begin.insert(0, prefix);
    end.insert(0, prefix);
    if (begin != end) {
      Note("  delete range %s to %s", Show(begin).c_str(), Show(end).c_str());
      s = writer.DeleteRange(begin, end);
      if (!s.ok()) return s;
    }
  }
  return writer.Finish();
}

void Player::Ingest() {
  const uint64_t count = 1 + Below(OneIn(3) ? 2 : 1);
  Family& family = AnyFamily();
  // Without allow_global_seqno a file is refused where the database has keys in its range already,
  // or has no longer: what compactions have left is each engine's own affair. So such files are
  // apart from all that is there. (In universal style RocksDB 7.8.3 gives a file that is apart the
  // sequence number of its level, and refuses it then.)
  const bool apart =
      OneIn(8) && FamilyOptionsOf(life_.seed, life_.number, family.name).compaction_style !=
                      rocksdb::kCompactionStyleUniversal;
  std::vector<std::string> files;
  for (uint64_t i = 0; i < count; i++) {
    const std::string file =
        path_ + ".files/" + std::to_string(life_.number) + "_" + std::to_string(++files_) + ".sst";
    const std::string prefix = "x" + std::to_string(life_.number) + std::to_string(files_) + "_";
    const rocksdb::Status s = MakeFile(file, apart ? prefix : std::string(), family);
    Say("make a file: %s", Show(s).c_str());
    if (s.ok()) files.push_back(file);
  }
  if (files.empty()) return;
  rocksdb::IngestExternalFileOptions how;
  how.move_files = OneIn(2);
  how.verify_checksums_before_ingest = OneIn(2);
  how.allow_global_seqno = !apart;
  how.snapshot_consistency = how.allow_global_seqno || OneIn(2);
  how.write_global_seqno = false;  // with true Cairn refuses
  sequence_known_ = false;
  PrepareToIngest(db_.get(), family.handle);
  const rocksdb::Status s = db_->IngestExternalFile(family.handle, files, how);
  Note("  allow_global_seqno %d, snapshot_consistency %d: %s",
       static_cast<int>(how.allow_global_seqno), static_cast<int>(how.snapshot_consistency),
       s.ToString().c_str());
  Say("ingest %zu into %s: %s", files.size(), family.name.c_str(), Show(s).c_str());
}

}  // namespace differential
