// What db/ would give to flush and compaction jobs, over files in memory. Test-only.
//
// Thread safety: none.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/internal_key.h"
#include "cairn/fault_injection.h"
#include "compaction/compaction.h"
#include "compaction/flush_job.h"
#include "compaction/job_env.h"
#include "compaction/leveled_picker.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "fs/info_log.h"
#include "fs/memory_file_system.h"
#include "manifest/testing/version_fixture.h"
#include "memtable/memtable.h"
#include "rocksdb/table.h"
#include "table/table_cache.h"

namespace cairn {

// One entry as a test writes it: "key" at a sequence number.
struct TestEntry {
  std::string key;
  SequenceNumber sequence;
  ValueType type;
  std::string value;

  bool operator==(const TestEntry&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const TestEntry& e) {
  return out << e.key << "@" << e.sequence << ":" << int{e.type} << "=" << e.value;
}

class JobFixture {
 public:
  JobFixture()
      : fs_(std::make_shared<fault::FaultInjectionFileSystem>(
            std::make_shared<MemoryFileSystem>())),
        picker_(&db_options_, &versions_.icmp()) {
    EXPECT_TRUE(CreateDirDurably(fs_.get(), "/db").ok());
    EXPECT_TRUE(fs_->NewDirectory("/db", IOOptions(), &directory_, nullptr).ok());
    EXPECT_TRUE(NewFileLogger(fs_.get(), "/LOG", &info_log_).ok());
    BlockBasedTableOptions table_options;
    table_options.block_size = 512;
    ColumnFamilyOptions& cf = versions_.options();
    cf.table_factory.reset(NewBlockBasedTableFactory(table_options));
    cf.compression = kNoCompression;
    TableCacheOptions options;
    options.fs = fs_.get();
    options.table_factory = cf.table_factory.get();
    options.paths = {"/db"};
    options.icmp = &versions_.icmp();
    tables_ = std::make_unique<TableCache>(std::move(options));

    env_.db_options = {std::shared_ptr<void>(), &db_options_};
    env_.fs = fs_.get();
    env_.dbname = "/db";
    env_.paths = {"/db"};
    env_.table_cache = tables_.get();
    env_.directories = {directory_.get()};
    env_.info_log = info_log_.get();
    env_.db_id = "id";
    env_.db_session_id = "0123456789ABCDEFGHIJ";
    env_.icmp = &versions_.icmp();
    env_.shutting_down = &shutting_down_;
    env_.canceled = &canceled_;
    env_.new_file_number = [this] { return ++last_file_number_; };
  }

  fault::FaultInjectionFileSystem* fs() { return fs_.get(); }
  JobEnv& env() { return env_; }
  TableCache* tables() { return tables_.get(); }
  VersionFixture& versions() { return versions_; }
  ColumnFamilyOptions& cf_options() { return versions_.options(); }
  std::atomic<bool>& shutting_down() { return shutting_down_; }
  std::atomic<bool>& canceled() { return canceled_; }
  uint64_t last_file_number() const { return last_file_number_; }

  // A memtable that the caller unreferences.
  MemTable* Fill(const std::vector<TestEntry>& entries) {
    auto* table = new MemTable(versions_.icmp(), {}, 0);
    for (const TestEntry& e : entries) {
      EXPECT_TRUE(table->Add(e.sequence, e.type, e.key, e.value, false).ok());
    }
    return table;
  }

  // Flushes without snapshots of its own: `entries` become a file on `level` of the version under
  // construction (versions().Build() makes it current).
  FileMetaData AddFile(int level, const std::vector<TestEntry>& entries) {
    MemTable* table = Fill(entries);
    const std::vector<SequenceNumber> snapshots =
        std::exchange(env_.snapshots, AllSnapshots(entries));
    FileMetaData meta;
    const uint64_t number = ++last_file_number_;
    FlushJob job(env_, cf_options(), {table}, /*epoch_number=*/number, "test");
    const Status s = job.Run(number, &meta);
    EXPECT_TRUE(s.ok()) << s.ToString();
    env_.snapshots = snapshots;
    table->Unref();
    versions_.Add(level, meta);
    return meta;
  }

  std::vector<TestEntry> ReadTable(const FileMetaData& meta) {
    std::vector<TestEntry> entries;
    const std::unique_ptr<InternalIterator> it(tables_->NewIterator(ReadOptions(), meta.TableId()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      ParsedInternalKey parsed;
      EXPECT_TRUE(ParseInternalKey(it->key(), &parsed).ok());
      entries.push_back(
          {parsed.user_key.ToString(), parsed.sequence, parsed.type, it->value().ToString()});
    }
    EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    return entries;
  }

  // Numbers of the table files that exist, ascending.
  std::vector<uint64_t> TablesOnDisk() {
    std::vector<std::string> names;
    EXPECT_TRUE(fs_->target()->GetChildren("/db", IOOptions(), &names, nullptr).ok());
    std::vector<uint64_t> numbers;
    for (const std::string& name : names) {
      uint64_t number;
      FileType type;
      if (ParseFileName(name, &number, &type) && type == FileType::kTableFile) {
        numbers.push_back(number);
      }
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

  // All files of `input_level` and of `output_level` into the latter.
  std::unique_ptr<Compaction> CompactAll(int input_level, int output_level,
                                         uint64_t target_file_size = 1 << 20,
                                         uint32_t max_subcompactions = 1) {
    return std::make_unique<Compaction>(
        &picker_, cf_options(),
        ParamsOf(input_level, output_level, target_file_size, max_subcompactions));
  }
  // The same, begun as a picker does: with a placement, where the options ask for one.
  std::unique_ptr<Compaction> StartAll(int input_level, int output_level,
                                       uint64_t target_file_size = 1 << 20,
                                       uint32_t max_subcompactions = 1) {
    return picker_.Start(cf_options(), versions_.version(),
                         ParamsOf(input_level, output_level, target_file_size, max_subcompactions));
  }

 private:
  Compaction::Params ParamsOf(int input_level, int output_level, uint64_t target_file_size,
                              uint32_t max_subcompactions) {
    Compaction::Params params;
    params.version = versions_.version();
    params.inputs.push_back({input_level, params.version->files(input_level)});
    if (output_level != input_level) {
      params.inputs.push_back({output_level, params.version->files(output_level)});
    }
    if (output_level + 1 < params.version->num_levels()) {
      params.grandparents = params.version->files(output_level + 1);
    }
    params.output_level = output_level;
    params.target_output_file_size = params.min_part_bytes = target_file_size;
    params.max_compaction_bytes = 25 * target_file_size;
    params.compression = kNoCompression;
    params.temperature = cf_options().last_level_temperature;
    params.max_subcompactions = max_subcompactions;
    return params;
  }

  // Each version in an interval of its own, so that a file can hold anything.
  static std::vector<SequenceNumber> AllSnapshots(const std::vector<TestEntry>& entries) {
    std::vector<SequenceNumber> all;
    for (const TestEntry& e : entries) all.push_back(e.sequence);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  const std::shared_ptr<fault::FaultInjectionFileSystem> fs_;
  std::unique_ptr<FSDirectory> directory_;
  std::shared_ptr<Logger> info_log_;
  DBOptions db_options_;
  std::unique_ptr<TableCache> tables_;  // outlives the versions' table slots
  VersionFixture versions_;
  LeveledPicker picker_;
  JobEnv env_;
  std::atomic<bool> shutting_down_{false};
  std::atomic<bool> canceled_{false};
  std::atomic<uint64_t> last_file_number_{0};
};

}  // namespace cairn
