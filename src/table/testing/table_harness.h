// Builds tables in memory and opens them. Test-only.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "base/random.h"
#include "fs/file_reader.h"
#include "fs/file_util.h"
#include "fs/file_writer.h"
#include "fs/memory_file_system.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "table/block_based_table_factory.h"
#include "table/table_builder.h"
#include "table/table_reader.h"

namespace cairn::testing {

// Internal key -> value, in internal order.
struct InternalLess {
  explicit InternalLess(const InternalKeyComparator* c) : icmp(c) {}
  bool operator()(const std::string& a, const std::string& b) const {
    return icmp->Compare(a, b) < 0;
  }
  const InternalKeyComparator* icmp;
};
using Model = std::map<std::string, std::string, InternalLess>;

inline std::string IKey(const std::string& user_key, SequenceNumber seq,
                        ValueType type = kTypeValue) {
  return InternalKey(user_key, seq, type).Encode().ToString();
}

struct Harness {
  explicit Harness(const Comparator* comparator = BytewiseComparator())
      : icmp(comparator), model(InternalLess(&icmp)) {
    table_options.filter_policy.reset(NewBloomFilterPolicy(10));
  }

  void Put(const std::string& user_key, SequenceNumber seq, const std::string& value,
           ValueType type = kTypeValue) {
    model[IKey(user_key, seq, type)] = value;
  }

  // `n` keys of several shapes, some with several versions, some deleted.
  void FillRandom(uint64_t seed, int n, size_t max_value = 100) {
    Random64 random(seed);
    for (int i = 0; i < n; ++i) {
      char key[64];
      switch (random.Uniform(4)) {
        case 0:
          snprintf(key, sizeof(key), "key%08llu",
                   static_cast<unsigned long long>(random.Uniform(1000000)));
          break;
        case 1:
          snprintf(key, sizeof(key), "k%llu",
                   static_cast<unsigned long long>(random.Uniform(3000)));
          break;
        case 2:
          snprintf(key, sizeof(key), "common/prefix/of/many/%llx",
                   static_cast<unsigned long long>(random.Next()));
          break;
        default:
          snprintf(key, sizeof(key), "%c%c", static_cast<int>('a' + random.Uniform(3)),
                   static_cast<int>('a' + random.Uniform(26)));
          break;
      }
      const std::string value(random.Uniform(max_value + 1),
                              static_cast<char>('a' + random.Uniform(26)));
      Put(key, static_cast<SequenceNumber>(i) + 1, value,
          random.Uniform(10) == 0 ? kTypeDeletion : kTypeValue);
    }
  }

  Status Build(const std::string& name = "/t.sst") {
    factory = std::make_unique<BlockBasedTableFactory>(table_options);
    std::unique_ptr<FileWriter> writer;
    Status s = FileWriter::Open(&fs, name, FileOptions(), &writer);
    if (!s.ok()) return s;
    TableBuilderOptions options(icmp, compression);
    options.compression_opts = compression_opts;
    options.compression_manager = compression_manager;
    options.prefix_extractor = prefix_extractor.get();
    options.extra_properties = extra_properties;
    options.strip_timestamps = strip_timestamps;
    options.collector_factories = &collector_factories;
    options.info_log = info_log.get();
    options.cur_file_num = 12;
    options.db_id = "test-db";
    options.db_session_id = session_id;
    options.creation_time = options.oldest_key_time = options.file_creation_time = 1234567;
    std::unique_ptr<TableBuilder> builder(factory->NewTableBuilder(options, writer.get()));
    for (const auto& [key, value] : model) builder->Add(key, value);
    s = builder->Finish();
    properties = builder->GetTableProperties();
    tail_size = builder->TailSize();
    need_compact = builder->NeedCompact();
    file_size = builder->FileSize();
    if (s.ok()) s = writer->Sync(false);
    if (s.ok()) s = writer->Close();
    EXPECT_TRUE(!s.ok() || writer->file_size() == file_size);
    return s;
  }

  Status Open(const std::string& name = "/t.sst") {
    factory = std::make_unique<BlockBasedTableFactory>(table_options);
    uint64_t size = 0;
    Status s = fs.GetFileSize(name, IOOptions(), &size, nullptr);
    std::unique_ptr<RandomAccessFileReader> reader;
    if (s.ok()) s = RandomAccessFileReader::Open(&fs, name, FileOptions(), &reader);
    if (!s.ok()) return s;
    TableReaderOptions options(icmp);
    options.level = level;
    options.max_flushed_file_size = max_flushed_file_size;
    options.prefix_extractor = prefix_extractor.get();
    options.statistics = statistics.get();
    options.compression_manager = compression_manager;
    return factory->NewTableReader(options, std::move(reader), size, &table);
  }

  // Every entry by iteration, both ways, every lookup, and random seeks agree with the model.
  void CheckAll(uint64_t seed, int seeks = 200) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::unique_ptr<InternalIterator> it(table->NewIterator(ReadOptions()));
    auto expected = model.begin();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
      ASSERT_NE(expected, model.end());
      ASSERT_EQ(it->key().ToString(), expected->first);
      ASSERT_EQ(it->value().ToString(), expected->second);
    }
    ASSERT_TRUE(it->status().ok()) << it->status().ToString();
    ASSERT_EQ(expected, model.end());
    auto reverse = model.rbegin();
    for (it->SeekToLast(); it->Valid(); it->Prev(), ++reverse) {
      ASSERT_NE(reverse, model.rend());
      ASSERT_EQ(it->key().ToString(), reverse->first);
      ASSERT_EQ(it->value().ToString(), reverse->second);
    }
    ASSERT_TRUE(it->status().ok());
    ASSERT_EQ(reverse, model.rend());

    Random64 random(seed);
    std::vector<std::string> keys;
    for (const auto& [key, value] : model) keys.push_back(key);
    for (int i = 0; i < seeks; ++i) {
      std::string user =
          keys.empty() ? "x" : ExtractUserKey(keys[random.Uniform(keys.size())]).ToString();
      switch (random.Uniform(5)) {
        case 0:
          user += static_cast<char>(random.Uniform(256));
          break;
        case 1:
          if (!user.empty()) user.pop_back();
          break;
        case 2:
          if (!user.empty())
            user[random.Uniform(user.size())] = static_cast<char>(random.Uniform(256));
          break;
        default:
          break;
      }
      const std::string target = IKey(user, random.Uniform(model.size() + 2), kValueTypeForSeek);
      auto at = model.lower_bound(target);
      if (random.Uniform(2) == 0) {
        it->Seek(target);
      } else {
        it->SeekForPrev(target);
        at = model.upper_bound(target);
        if (at == model.begin()) {
          ASSERT_FALSE(it->Valid());
          continue;
        }
        --at;
      }
      ASSERT_EQ(it->Valid(), at != model.end())
          << Slice(target).ToString(true) << it->status().ToString();
      // A random walk from there.
      for (int step = 0; step < 20 && it->Valid(); ++step) {
        ASSERT_EQ(it->key().ToString(true), Slice(at->first).ToString(true));
        ASSERT_EQ(it->value().ToString(), at->second);
        if (random.Uniform(2) == 0) {
          it->Next();
          ++at;
        } else {
          it->Prev();
          if (at == model.begin()) {
            ASSERT_FALSE(it->Valid());
            break;
          }
          --at;
        }
        ASSERT_EQ(it->Valid(), at != model.end());
      }
      CheckGet(user, ExtractSequence(target));
    }
  }

  void CheckGet(const std::string& user, SequenceNumber seq) {
    const std::string target = IKey(user, seq, kValueTypeForSeek);
    const auto at = model.lower_bound(target);
    const bool present = at != model.end() && icmp.EqualUserKey(ExtractUserKey(at->first), user);
    PinnableSlice value;
    SequenceNumber found = 0;
    GetContext context(icmp.user_comparator(), user, &value, &found);
    const Status s = table->Get(ReadOptions(), target, &context);
    ASSERT_TRUE(s.ok()) << s.ToString();
    if (!present) {
      ASSERT_EQ(context.state(), GetContext::kNotFound) << user;
    } else if (ExtractValueType(at->first) == kTypeValue) {
      ASSERT_EQ(context.state(), GetContext::kFound);
      ASSERT_EQ(value.ToString(), at->second);
      ASSERT_EQ(found, ExtractSequence(at->first));
    } else {
      ASSERT_EQ(context.state(), GetContext::kDeleted);
    }
  }

  InternalKeyComparator icmp;
  MemoryFileSystem fs{MemoryFileSystem::Durability::kUntracked};
  BlockBasedTableOptions table_options;
  CompressionType compression = kNoCompression;
  CompressionOptions compression_opts;
  std::shared_ptr<CompressionManager> compression_manager;
  std::string session_id = "SESSION0000000000001";
  int level = -1;
  uint64_t max_flushed_file_size = UINT64_MAX;
  std::shared_ptr<const SliceTransform> prefix_extractor;
  UserCollectedProperties extra_properties;
  bool strip_timestamps = false;  // of the builder
  ColumnFamilyOptions::TablePropertiesCollectorFactories collector_factories;
  std::shared_ptr<Logger> info_log;        // of the builder
  std::shared_ptr<Statistics> statistics;  // of the reader
  Model model;
  std::unique_ptr<BlockBasedTableFactory> factory;
  std::unique_ptr<TableReader> table;
  TableProperties properties;
  uint64_t tail_size = 0;
  bool need_compact = false;
  uint64_t file_size = 0;
};

}  // namespace cairn::testing
