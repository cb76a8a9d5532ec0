// A super version with real tables in memory, built entry by entry: what reads, flush and
// compaction would have made.
//
// Entries are added oldest first; each of the Flush calls moves what is in the newest memtable one
// place down. Thread safety: none, but the readers under test may run on several threads once it is
// built.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cairn/fault_injection.h"
#include "fs/file_names.h"
#include "fs/file_writer.h"
#include "fs/memory_file_system.h"
#include "manifest/version_builder.h"
#include "read/db_iterator.h"
#include "read/super_version.h"
#include "rocksdb/table.h"
#include "table/table_builder.h"
#include "table/table_cache.h"

namespace cairn {

// Its keys, in the order of `i` (0 to 99999).
inline std::string Key(int i) {
  char text[16];
  snprintf(text, sizeof(text), "key%05d", i);
  return text;
}

class LsmFixture {
 public:
  explicit LsmFixture(const Comparator* comparator = BytewiseComparator(),
                      BlockBasedTableOptions table_options = SmallBlocks(),
                      std::shared_ptr<FileSystem> disk = std::make_shared<MemoryFileSystem>())
      : icmp_(comparator),
        fs_(std::make_shared<fault::FaultInjectionFileSystem>(std::move(disk))),
        factory_(NewBlockBasedTableFactory(table_options)),
        slots_([this](SuperVersion* sv) { Retire(sv); }) {
    EXPECT_TRUE(fs_->CreateDir("/db", IOOptions(), nullptr).ok());
    cf_options_.comparator = comparator;
    cf_options_.level_compaction_dynamic_level_bytes = false;
    TableCacheOptions options;
    options.fs = fs_.get();
    options.table_factory = factory_.get();
    options.paths = {"/db"};
    options.icmp = &icmp_;
    tables_ = std::make_unique<TableCache>(std::move(options));
    mem_ = new MemTable(icmp_, {}, 0);
    imm_ = std::make_unique<ImmutableMemTables>();
  }
  ~LsmFixture() {
    mem_->Unref();
    imm_.reset();
    if (version_ != nullptr) version_->Unref();
  }

  static BlockBasedTableOptions SmallBlocks() {
    BlockBasedTableOptions options;
    options.block_size = 256;
    return options;
  }

  const InternalKeyComparator& icmp() const { return icmp_; }
  TableCache* tables() { return tables_.get(); }
  SuperVersionSlots* slots() { return &slots_; }
  fault::FaultInjectionFileSystem* fs() { return fs_.get(); }
  SequenceNumber last_sequence() const { return last_sequence_; }
  // Of readers that see all of it.
  DBIteratorEnv iterator_env() {
    DBIteratorEnv env;
    env.icmp = &icmp();
    env.super_versions = slots();
    env.tables = tables();
    env.last_sequence = [this] { return last_sequence(); };
    return env;
  }
  std::unique_ptr<Iterator> NewIterator(const ReadOptions& options) {
    return std::unique_ptr<Iterator>(NewDBIterator(iterator_env(), options));
  }
  Version* version() { return version_; }

  SequenceNumber Add(ValueType type, const std::string& key, const std::string& value = "") {
    EXPECT_TRUE(mem_->Add(++last_sequence_, type, key, value, false).ok());
    return last_sequence_;
  }
  // An entry of any type, straight into the next level-0 file, e.g. a merge operand that our
  // memtable refuses.
  void AddFileWith(ValueType type, const std::string& key, const std::string& value) {
    std::string internal_key;
    AppendInternalKey(&internal_key, ParsedInternalKey(key, ++last_sequence_, type));
    AddTable(0, {{internal_key, value}});
    Build();
  }

  // The memtable becomes immutable.
  void SwitchMemtable() { imm_->Add(std::exchange(mem_, new MemTable(icmp_, {}, last_sequence_))); }
  // The memtable becomes a file on level 0.
  void FlushToLevel0() {
    if (mem_->IsEmpty()) return;
    AddTable(0, Drain());
    Build();
  }
  // The memtable becomes `files` files of a deeper level, which must be empty.
  void FlushToLevel(int level, size_t files) {
    auto entries = Drain();
    const size_t per_file = std::max<size_t>(1, entries.size() / files);
    for (size_t i = 0; i < entries.size();) {
      size_t end = std::min(entries.size(), i + per_file);
      // All versions of a user key go into one file.
      while (end < entries.size() &&
             icmp_.CompareUserKey(ExtractUserKey(entries[end].first),
                                  ExtractUserKey(entries[end - 1].first)) == 0) {
        ++end;
      }
      AddTable(level, {entries.begin() + i, entries.begin() + end});
      i = end;
    }
    Build();
  }

  // Makes what was built current.
  void Install() {
    if (version_ == nullptr) Build();
    auto* sv = new SuperVersion;
    sv->mem = mem_;
    sv->imm = imm_->current();
    sv->current = version_;
    sv->number = ++number_;
    sv->mem->Ref();
    sv->imm->Ref();
    sv->current->Ref();
    slots_.Install(sv);
  }

 private:
  using Entries = std::vector<std::pair<std::string, std::string>>;

  Entries Drain() {
    Entries entries;
    std::unique_ptr<InternalIterator> iter(mem_->NewIterator());
    for (iter->SeekToFirst(); iter->Valid(); iter->Next()) {
      entries.emplace_back(iter->key().ToString(), iter->value().ToString());
    }
    mem_->Unref();
    mem_ = new MemTable(icmp_, {}, last_sequence_);
    return entries;
  }

  void AddTable(int level, const Entries& entries) {
    FileMetaData meta;
    meta.number = ++number_;
    meta.epoch_number = meta.number;
    std::unique_ptr<FileWriter> writer;
    const std::string name = TableFileName("/db", meta.number);
    ASSERT_TRUE(FileWriter::Open(fs_.get(), name, FileOptions(), &writer).ok());
    TableBuilderOptions options(icmp_, kNoCompression);
    std::unique_ptr<TableBuilder> builder(factory_->NewTableBuilder(options, writer.get()));
    for (const auto& [key, value] : entries) {
      builder->Add(key, value);
      meta.UpdateBoundaries(key, ExtractSequence(key));
    }
    Status s = builder->Finish();
    ASSERT_TRUE(s.ok()) << s.ToString();
    meta.file_size = builder->FileSize();
    meta.tail_size = builder->TailSize();
    ASSERT_TRUE(writer->Close().ok());
    edit_.AddFile(level, meta);
  }

  void Build() {
    VersionBuilder builder(&icmp_, version_);
    Status s = builder.Apply(edit_);
    ASSERT_TRUE(s.ok()) << s.ToString();
    edit_.Clear();
    Version* next = nullptr;
    s = builder.Save(nullptr, nullptr, ++number_, cf_options_, false, &next);
    ASSERT_TRUE(s.ok()) << s.ToString();
    next->Ref();
    if (version_ != nullptr) version_->Unref();
    version_ = next;
  }

  void Retire(SuperVersion* sv) {
    sv->mem->Unref();
    sv->imm->Unref();
    sv->current->Unref();
    delete sv;
  }

  const InternalKeyComparator icmp_;
  const std::shared_ptr<fault::FaultInjectionFileSystem> fs_;
  const std::unique_ptr<TableFactory> factory_;
  ColumnFamilyOptions cf_options_;
  std::unique_ptr<TableCache> tables_;
  SuperVersionSlots slots_;
  MemTable* mem_ = nullptr;
  std::unique_ptr<ImmutableMemTables> imm_;
  Version* version_ = nullptr;
  VersionEdit edit_;
  SequenceNumber last_sequence_ = 0;
  uint64_t number_ = 0;
};

}  // namespace cairn
