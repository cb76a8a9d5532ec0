// A whole database directory with damage in any of its files: it opens or says why not, what it
// holds is read or reported, and it is written to, compacted and closed.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "fs/memory_file_system.h"
#include "fuzz/fuzz.h"
#include "fuzz/log_bytes.h"
#include "fuzz/table_bytes.h"
#include "rocksdb/cache.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"

namespace cairn::fuzz {

namespace {

constexpr char kDirectory[] = "/db";
constexpr size_t kMaxSteps = 1 << 20;

void CheckOk(const Status& s) {
  if (!s.ok()) fprintf(stderr, "%s\n", s.ToString().c_str());
  FUZZ_CHECK(s.ok());
}

using Files = std::map<std::string, std::string>;

Options OptionsOf(Env* env, const std::shared_ptr<Cache>& cache, uint8_t how) {
  Options options;
  options.env = env;
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 10;
  options.max_background_jobs = 1;
  options.wal_recovery_mode = static_cast<WALRecoveryMode>(how & 3);
  options.paranoid_checks = (how & 4) == 0;
  options.avoid_flush_during_recovery = (how & 8) != 0;
  options.disable_auto_compactions = (how & 16) != 0;
  options.info_log_level = FATAL_LEVEL;
  BlockBasedTableOptions table;
  table.block_cache = cache;
  table.block_size = 512;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  return options;
}

// Closed, whatever happens.
struct OpenDb {
  ~OpenDb() {
    if (db != nullptr) (void)db->Close();
    delete db;
  }
  DB* db = nullptr;
};

std::string Key(int i) { return "key" + std::to_string(100 + i); }

void Fill(OpenDb* open, int from, int to) {
  for (int i = from; i < to; ++i) {
    WriteBatch batch;
    FUZZ_CHECK(batch.Put(Key(i), std::string(20, 'v')).ok());
    if (i % 7 == 0) FUZZ_CHECK(batch.Delete(Key(i / 2)).ok());
    FUZZ_CHECK(open->db->Write(WriteOptions(), &batch).ok());
  }
}

Files ReadFiles(FileSystem* fs) {
  Files files;
  std::vector<std::string> names;
  FUZZ_CHECK(fs->GetChildren(kDirectory, IOOptions(), &names, nullptr).ok());
  for (const std::string& name : names) {
    if (name == "LOCK" || name == "LOG" || name.rfind("LOG.old", 0) == 0) continue;
    FUZZ_CHECK(ReadFileToString(fs, std::string(kDirectory) + "/" + name, &files[name]).ok());
  }
  return files;
}

// A database with tables on two levels, and a write-ahead log.
Files MakeDatabase() {
  const auto fs = std::make_shared<MemoryFileSystem>();
  Env env(fs);
  {
    OpenDb open;
    CheckOk(DB::Open(OptionsOf(&env, NewLRUCache(256 << 10, 0), 16), kDirectory, &open.db));
    Fill(&open, 0, 40);
    CheckOk(open.db->Flush(FlushOptions()));
    CheckOk(open.db->CompactRange(CompactRangeOptions(), nullptr, nullptr));
    Fill(&open, 30, 50);
    CheckOk(open.db->Flush(FlushOptions()));
    Fill(&open, 45, 60);
    // What a crash leaves, the log among it.
    fs->CrashAndFreeze();
  }
  fs->DropUnsyncedRandomly(0);
  return ReadFiles(fs.get());
}

bool IsLog(const std::string& name) {
  return name.rfind("MANIFEST-", 0) == 0 ||
         (name.size() > 4 && name.compare(name.size() - 4, 4, ".log") == 0);
}
bool IsTable(const std::string& name) {
  return name.size() > 4 && name.compare(name.size() - 4, 4, ".sst") == 0;
}

void Damage(Input* input, Files* files) {
  static const std::map<std::string, std::vector<BlockHandle>> blocks = [&] {
    std::map<std::string, std::vector<BlockHandle>> found;
    for (const auto& [name, bytes] : *files) {
      if (IsTable(name)) found.emplace(name, FindBlocks(bytes));
    }
    return found;
  }();
  for (size_t left = 1 + input->Byte() % 4; left != 0 && !files->empty(); --left) {
    const uint8_t what = input->Byte();
    auto file = files->begin();
    std::advance(file, (what & 31) % files->size());
    if ((what & 0xe0) == 0xe0) {
      files->erase(file);
      continue;
    }
    const size_t size = file->second.size();
    DamageOnce(input, &file->second);
    if ((what & 32) != 0 && IsLog(file->first)) FixLogChecksums(&file->second);
    if ((what & 32) != 0 && IsTable(file->first) && file->second.size() == size) {
      FixTableChecksums(blocks.at(file->first), &file->second);
    }
  }
}

void Read(OpenDb* open, bool verify) {
  ReadOptions options;
  options.verify_checksums = verify;
  const std::unique_ptr<Iterator> iter(open->db->NewIterator(options));
  size_t steps = 0;
  for (iter->SeekToFirst(); iter->Valid(); iter->Next()) FUZZ_CHECK(++steps < kMaxSteps);
  (void)iter->status();
  steps = 0;
  for (iter->SeekToLast(); iter->Valid(); iter->Prev()) FUZZ_CHECK(++steps < kMaxSteps);
  for (int i = 0; i < 60; i += 7) {
    std::string value;
    (void)open->db->Get(options, Key(i), &value);
  }
}

std::shared_ptr<MemoryFileSystem> MakeFileSystem(const Files& files) {
  auto fs = std::make_shared<MemoryFileSystem>(MemoryFileSystem::Durability::kUntracked);
  FUZZ_CHECK(fs->CreateDir(kDirectory, IOOptions(), nullptr).ok());
  for (const auto& [name, bytes] : files) {
    FUZZ_CHECK(WriteStringToFile(fs.get(), bytes, std::string(kDirectory) + "/" + name).ok());
  }
  return fs;
}

// So that the cache has blocks from before the damage.
void ReadSound(const Files& files, const std::shared_ptr<Cache>& cache) {
  Env env(MakeFileSystem(files));
  OpenDb open;
  CheckOk(DB::OpenForReadOnly(OptionsOf(&env, cache, 0), kDirectory, &open.db));
  Read(&open, true);
}

// What a repair makes of it opens, and can be read.
void RepairAndRead(const Files& files, const std::shared_ptr<Cache>& cache, uint8_t how) {
  Env env(MakeFileSystem(files));
  const Options options = OptionsOf(&env, cache, how);
  if (!RepairDB(kDirectory, options).ok()) return;
  std::vector<std::string> names;
  CheckOk(DB::ListColumnFamilies(options, kDirectory, &names));
  std::vector<ColumnFamilyDescriptor> families;
  for (const std::string& name : names) families.emplace_back(name, options);
  std::vector<ColumnFamilyHandle*> handles;
  OpenDb open;
  CheckOk(DB::Open(options, kDirectory, families, &handles, &open.db));
  for (ColumnFamilyHandle* handle : handles) delete handle;
  Read(&open, /*verify=*/true);
  CheckOk(open.db->Put(WriteOptions(), "key", "value"));
  CheckOk(open.db->Flush(FlushOptions()));
}

}  // namespace

}  // namespace cairn::fuzz

// How it is opened, and what is damaged.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cairn;
  using namespace cairn::fuzz;
  static const Files sound = MakeDatabase();
  Input input(data, size);
  const uint8_t how = input.Byte();
  const uint8_t then = input.Byte();
  const std::shared_ptr<Cache> cache = NewLRUCache(256 << 10, 0);
  if ((then & 16) != 0) ReadSound(sound, cache);
  Files files = sound;
  Damage(&input, &files);
  if ((then & 32) != 0) RepairAndRead(files, cache, how);
  const auto fs = MakeFileSystem(files);
  Env env(fs);
  const Options options = OptionsOf(&env, cache, how);
  std::vector<std::string> names;
  (void)DB::ListColumnFamilies(options, kDirectory, &names);
  OpenDb open;
  const bool read_only = (then & 1) != 0;
  const Status s = read_only ? DB::OpenForReadOnly(options, kDirectory, &open.db)
                             : DB::Open(options, kDirectory, &open.db);
  FUZZ_CHECK(s.ok() == (open.db != nullptr));
  if (!s.ok()) return 0;
  Read(&open, (then & 2) == 0);
  (void)open.db->VerifyChecksum(ReadOptions());
  if (!read_only) {
    (void)open.db->Put(WriteOptions(), "key", "value");
    if ((then & 4) != 0) (void)open.db->Flush(FlushOptions());
    if ((then & 8) != 0) (void)open.db->CompactRange(CompactRangeOptions(), nullptr, nullptr);
    Read(&open, true);
  }
  return 0;
}
