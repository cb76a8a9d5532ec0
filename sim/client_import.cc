// Families that leave as files and come back under another name.
#include <memory>
#include <string>

#include "rocksdb/iterator.h"
#include "rocksdb/metadata.h"
#include "rocksdb/utilities/checkpoint.h"
#include "sim/client.h"
#include "sim/entity.h"
#include "sim/world.h"

namespace cairn::sim {

using rocksdb::Status;

namespace {

// What of these files is still there goes.
void RemoveExport(rocksdb::Env* env, const std::string& path,
                  const rocksdb::ExportImportFilesMetaData& exported) {
  for (const rocksdb::LiveFileMetaData& file : exported.files) {
    env->DeleteFile(path + file.name).PermitUncheckedError();
  }
  env->DeleteDir(path).PermitUncheckedError();
}

}  // namespace

Status ImportedState::Check(rocksdb::Iterator* it, std::string* difference) const {
  auto wanted = state.begin();
  for (it->Seek(prefix); it->Valid() && it->key().starts_with(prefix); it->Next(), ++wanted) {
    if (wanted == state.end() || it->key() != wanted->first || !Shows(*it, wanted->second)) {
      *difference = "finds " + it->key().ToString() + ", expected " +
                    (wanted == state.end() ? "the end" : wanted->first);
      return Status::OK();
    }
  }
  if (it->status().ok() && wanted != state.end()) *difference = "ends before " + wanted->first;
  return it->status();
}

// The client's family, as it is now, under another name, and thereafter compacted.
void Client::ExportAndImport() {
  // (A repair goes by the family that a table was made for.)
  if (world_->plan().kind == Plan::Kind::kRepairs) return GetOne();
  rocksdb::DB* const db = world_->db();
  rocksdb::Checkpoint* made = nullptr;
  if (!Ok("checkpoint", "", rocksdb::Checkpoint::Create(db, &made))) return;
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  const std::string name = prefix_.substr(0, 3) + "-" + std::to_string(number_);
  const std::string path = "/export of " + name;
  rocksdb::ExportImportFilesMetaData* metadata = nullptr;
  Status s = checkpoint->ExportColumnFamily(world_->family_of(*this), path, &metadata);
  if (s.IsNotSupported() || !Ok("export", path, s)) return;  // (values in blob files)
  const std::unique_ptr<rocksdb::ExportImportFilesMetaData> exported(metadata);
  rocksdb::Env* const env = db->GetEnv();
  if (exported->files.empty()) return RemoveExport(env, path, *exported);
  const ImportedState expected{prefix_, ledger_.state()};
  world_->ExpectImport("import of " + name, expected);
  rocksdb::ImportColumnFamilyOptions how;
  how.move_files = random_.OneIn(2);
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  s = db->CreateColumnFamilyWithImport(db->GetOptions(world_->family_of(*this)),
                                       "import of " + name, how, *exported, &handle);
  const std::unique_ptr<rocksdb::ColumnFamilyHandle> family(handle);
  RemoveExport(env, path, *exported);
  if (!Ok("import", name, s)) return;
  bool goes_on = LookAtImport(family.get(), expected, "an imported family");
  if (goes_on && world_->has_compactions() && random_.OneIn(2)) {
    s = db->CompactRange(rocksdb::CompactRangeOptions(), family.get(), nullptr, nullptr);
    goes_on = s.IsIncomplete() || Ok("compact an imported family", name, s);
    if (goes_on) LookAtImport(family.get(), expected, "an imported family, compacted,");
  }
  if (Ok("drop an imported family", name, db->DropColumnFamily(family.get()))) {
    world_->ForgetImport("import of " + name);
  }
}

bool Client::LookAtImport(rocksdb::ColumnFamilyHandle* family, const ImportedState& expected,
                          const char* what) {
  const std::unique_ptr<rocksdb::Iterator> it(world_->db()->NewIterator(Reading(), family));
  std::string difference;
  const Status s = expected.Check(it.get(), &difference);
  ++world_->history().counts.reads;
  if (!Ok("read an imported family", family->GetName(), s)) return false;
  if (!difference.empty()) {
    world_->history().Violation("client " + std::to_string(id_) + ": " + what + " " + difference);
    return false;
  }
  // Which of two files is the newer one matters to these.
  for (int i = 0; i < 10; ++i) {
    const std::string key = DrawKey();
    std::string value;
    Compare(key, expected.state, world_->db()->Get(rocksdb::ReadOptions(), family, key, &value),
            value, "get of an imported family");
  }
  return true;
}

}  // namespace cairn::sim
