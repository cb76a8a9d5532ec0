// What an operator does meanwhile: flushes, compactions, options, checkpoints, syncs. And the dump
// of a database that nobody writes to.
#include <algorithm>
#include <utility>

#include "player.h"
#include "rocksdb/options.h"
#include "rocksdb/utilities/checkpoint.h"
#include "rocksdb/wide_columns.h"

namespace differential {

void Player::Flush() {
  rocksdb::FlushOptions how;
  how.wait = true;
  how.allow_write_stall = true;
  if (OneIn(3)) {
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    for (const auto& family : families_) {
      if (!family->dropped) handles.push_back(family->handle);
    }
    Say("flush all: %s", Show(db_->Flush(how, handles)).c_str());
    return;
  }
  Family& family = AnyFamily();
  Say("flush %s: %s", family.name.c_str(), Show(db_->Flush(how, family.handle)).c_str());
}

void Player::Compact() {
  Family& family = AnyFamily();
  rocksdb::CompactRangeOptions how;
  how.bottommost_level_compaction = static_cast<rocksdb::BottommostLevelCompaction>(Below(4));
  how.exclusive_manual_compaction = OneIn(2);
  how.allow_write_stall = true;
  how.max_subcompactions = static_cast<uint32_t>(Below(3));
  if (OneIn(2)) {
    Say("compact %s: %s", family.name.c_str(),
        Show(db_->CompactRange(how, family.handle, nullptr, nullptr)).c_str());
    return;
  }
  const auto [begin, end] = Range(family);
  const rocksdb::Slice from(begin), to(end);
  Say("compact %s %s to %s: %s", family.name.c_str(), Show(from).c_str(), Show(to).c_str(),
      Show(db_->CompactRange(how, family.handle, &from, &to)).c_str());
}

void Player::SetOptions() {
  Family& family = AnyFamily();
  static const std::pair<const char*, const char*> kChoices[] = {
      {"write_buffer_size", "131072"},
      {"disable_auto_compactions", "true"},
      {"disable_auto_compactions", "false"},
      {"level0_file_num_compaction_trigger", "2"},
      {"target_file_size_base", "32768"},
      {"max_bytes_for_level_base", "131072"},
      {"compression", "kLZ4Compression"},
      {"max_sequential_skip_in_iterations", "3"},
      {"no_such_option", "1"},
      {"write_buffer_size", "many"},
  };
  const auto& [name, value] = kChoices[Below(std::size(kChoices))];
  Say("set %s of %s to %s: %s", name, family.name.c_str(), value,
      Show(db_->SetOptions(family.handle, {{name, value}})).c_str());
}

void Player::SyncLog() {
  if (OneIn(2)) {
    Say("flush the log: %s", Show(db_->FlushWAL(OneIn(2))).c_str());
  } else {
    // (Not supported with manual_wal_flush's buffer in RocksDB unless it is flushed.)
    (void)db_->FlushWAL(false);
    Say("sync the log: %s", Show(db_->SyncWAL()).c_str());
  }
}

void Player::Checkpoint() {
  const std::string path = path_ + ".checkpoint";
  RemoveTree(path);
  rocksdb::Checkpoint* checkpoint = nullptr;
  rocksdb::Status s = rocksdb::Checkpoint::Create(db_.get(), &checkpoint);
  const std::unique_ptr<rocksdb::Checkpoint> owner(checkpoint);
  // Writes that no log has are in a checkpoint if memtables are flushed for it, or were before:
  // when a memtable is full is each engine's own affair.
  const bool flushes = OneIn(2) || life_.without_log;
  if (s.ok()) s = owner->CreateCheckpoint(path, flushes ? 0 : uint64_t{1} << 20);
  Say("checkpoint: %s", Show(s).c_str());
  if (!s.ok()) return;
  std::fprintf(out_, "what is in it:\n");
  Dump(life_.seed, path, out_);
}

bool Dump(uint64_t seed, const std::string& path, std::FILE* out) {
  rocksdb::DBOptions db_options;
  std::vector<std::string> names;
  rocksdb::Status s = rocksdb::DB::ListColumnFamilies(db_options, path, &names);
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (const std::string& name : names) {
    // What a life is like does not matter here; traits do.
    descriptors.emplace_back(name, FamilyOptionsOf(seed, 0, name));
  }
  rocksdb::DB* opened = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  if (s.ok()) s = rocksdb::DB::OpenForReadOnly(db_options, path, descriptors, &handles, &opened);
  if (!s.ok()) {
    std::fprintf(out, "does not open: %d\n", static_cast<int>(s.code()));
    std::fprintf(stderr, "%s: %s\n", path.c_str(), s.ToString().c_str());
    return false;
  }
  const std::unique_ptr<rocksdb::DB> db(opened);
  for (size_t i = 0; i < names.size(); i++) {
    std::fprintf(out, "family %s\n", names[i].c_str());
    rocksdb::ReadOptions options;
    options.total_order_seek = true;
    std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(options, handles[i]));
    const auto say = [&] {
      std::fwrite(it->key().data(), 1, it->key().size(), out);
      std::fputs(" = ", out);
      for (const rocksdb::WideColumn& column : it->columns()) {
        std::fwrite(column.name().data(), 1, column.name().size(), out);
        std::fputc(':', out);
        std::fwrite(column.value().data(), 1, column.value().size(), out);
        std::fputc(' ', out);
      }
      std::fputc('\n', out);
    };
    for (it->SeekToFirst(); it->Valid(); it->Next()) say();
    std::fprintf(out, "forward: %d\n", static_cast<int>(it->status().code()));
    for (it->SeekToLast(); it->Valid(); it->Prev()) say();
    std::fprintf(out, "backward: %d\n", static_cast<int>(it->status().code()));
    it.reset();
    (void)db->DestroyColumnFamilyHandle(handles[i]);
  }
  return true;
}

}  // namespace differential
