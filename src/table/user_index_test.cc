// Tables with an index of the user's own: how it is built, reads by it, and what it may do wrong.
#include "table/user_index.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/convenience.h"
#include "rocksdb/utilities/object_registry.h"
#include "table/testing/list_index.h"
#include "table/testing/table_harness.h"

namespace cairn {
namespace {

using testing::Harness;
using testing::IKey;
using testing::ListIndexBuilder;
using testing::ListIndexFactory;
using testing::ListIndexIterator;
using testing::ListIndexLog;
using testing::ListIndexReader;

// Readers of this one do what `wrong` says: of each movement, and of each place.
struct Wrong {
  std::function<Status(IterateResult*)> moved;
  std::function<void(UserDefinedIndexBuilder::BlockHandle*)> placed;
  bool no_builder = false, builder_fails = false, finish_fails = false;
  bool no_reader = false, reader_fails = false, no_iterator = false;
  int iterators = 0;
};

class WrongIterator final : public UserDefinedIndexIterator {
 public:
  WrongIterator(Wrong* wrong, std::unique_ptr<UserDefinedIndexIterator> it)
      : wrong_(wrong), it_(std::move(it)) {}
  void Prepare(const ScanOptions[], size_t) override {}
  Status SeekToFirstAndGetResult(IterateResult* r) override {
    return After(it_->SeekToFirstAndGetResult(r), r);
  }
  Status SeekToLastAndGetResult(IterateResult* r) override {
    return After(it_->SeekToLastAndGetResult(r), r);
  }
  Status PrevAndGetResult(IterateResult* r) override { return After(it_->PrevAndGetResult(r), r); }
  Status NextAndGetResult(IterateResult* r) override { return After(it_->NextAndGetResult(r), r); }
  Status SeekAndGetResult(const Slice& target, IterateResult* r, const SeekContext& c) override {
    return After(it_->SeekAndGetResult(target, r, c), r);
  }
  UserDefinedIndexBuilder::BlockHandle value() override {
    UserDefinedIndexBuilder::BlockHandle handle = it_->value();
    if (wrong_->placed) wrong_->placed(&handle);
    return handle;
  }

 private:
  Status After(const Status& s, IterateResult* r) {
    return s.ok() && wrong_->moved ? wrong_->moved(r) : s;
  }
  Wrong* const wrong_;
  const std::unique_ptr<UserDefinedIndexIterator> it_;
};

class WrongReader final : public UserDefinedIndexReader {
 public:
  WrongReader(Wrong* wrong, std::unique_ptr<UserDefinedIndexReader> reader)
      : wrong_(wrong), reader_(std::move(reader)) {}
  std::unique_ptr<UserDefinedIndexIterator> NewIterator(const ReadOptions& options) override {
    ++wrong_->iterators;
    if (wrong_->no_iterator) return nullptr;
    return std::make_unique<WrongIterator>(wrong_, reader_->NewIterator(options));
  }
  size_t ApproximateMemoryUsage() const override { return 1'000'000; }

 private:
  Wrong* const wrong_;
  const std::unique_ptr<UserDefinedIndexReader> reader_;
};

class FailingBuilder final : public UserDefinedIndexBuilder {
 public:
  Slice AddIndexEntry(const Slice&, const Slice*, const BlockHandle&, std::string*,
                      const IndexEntryContext&) override {
    return Slice();
  }
  Status Finish(Slice*) override { return Status::Aborted("no index"); }
  uint64_t EstimatedSize() const override { return 0; }
};

class WrongFactory final : public ListIndexFactory {
 public:
  explicit WrongFactory(Wrong* wrong) : wrong_(wrong) {}
  Status NewBuilder(const UserDefinedIndexOption& option,
                    std::unique_ptr<UserDefinedIndexBuilder>& builder) const override {
    if (wrong_->no_builder) return Status::OK();
    if (wrong_->builder_fails) return Status::Aborted("no builder");
    if (wrong_->finish_fails) {
      builder = std::make_unique<FailingBuilder>();
      return Status::OK();
    }
    return ListIndexFactory::NewBuilder(option, builder);
  }
  Status NewReader(const UserDefinedIndexOption& option, Slice& bytes,
                   std::unique_ptr<UserDefinedIndexReader>& reader) const override {
    if (wrong_->no_reader) return Status::OK();
    if (wrong_->reader_fails) return Status::Aborted("no reader");
    std::unique_ptr<UserDefinedIndexReader> made;
    Status s = ListIndexFactory::NewReader(option, bytes, made);
    reader = std::make_unique<WrongReader>(wrong_, std::move(made));
    return s;
  }
  using ListIndexFactory::NewBuilder;
  using ListIndexFactory::NewReader;

 private:
  Wrong* const wrong_;
};

class UserIndexTest : public ::testing::Test {
 protected:
  UserIndexTest() {
    h_.table_options.block_size = 300;
    h_.table_options.user_defined_index_factory = factory_;
    h_.table_options.use_udi_as_primary_index = true;
    h_.statistics = CreateDBStatistics();
  }
  void BuildAndOpen() {
    ASSERT_TRUE(h_.Build().ok());
    const Status s = h_.Open();
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  Status Scan(const ReadOptions& options, bool forward = true, size_t* n = nullptr) {
    const std::unique_ptr<InternalIterator> it(h_.table->NewIterator(options));
    size_t seen = 0;
    if (forward) {
      for (it->SeekToFirst(); it->Valid(); it->Next()) ++seen;
    } else {
      for (it->SeekToLast(); it->Valid(); it->Prev()) ++seen;
    }
    if (n != nullptr) *n = seen;
    return it->status();
  }
  Status Find(const ReadOptions& options, const std::string& user_key) {
    PinnableSlice value;
    GetContext context(BytewiseComparator(), user_key, &value);
    return h_.table->Get(options, IKey(user_key, kMaxSequenceNumber, kValueTypeForSeek), &context);
  }

  Harness h_;
  ListIndexLog log_;
  std::shared_ptr<ListIndexFactory> factory_ = std::make_shared<ListIndexFactory>(&log_);
  Wrong wrong_;
  std::shared_ptr<WrongFactory> wrong_factory_ = std::make_shared<WrongFactory>(&wrong_);
};

TEST_F(UserIndexTest, AllReadsGoByIt) {
  for (uint32_t version = 2; version <= 7; ++version) {
    SCOPED_TRACE(version);
    h_.table_options.format_version = version;
    h_.FillRandom(version, 600);
    BuildAndOpen();
    h_.CheckAll(version, 100);
    EXPECT_EQ(h_.properties.udi_is_primary_index, 1u);
    EXPECT_TRUE(h_.table->VerifyChecksum(ReadOptions()).ok());
  }
}

TEST_F(UserIndexTest, VersionsOfOneKeyInSeveralBlocks) {
  for (int i = 0; i < 30; ++i) {
    for (SequenceNumber seq = 1; seq <= 40; ++seq) {
      h_.Put("key" + std::to_string(100 + i), seq, std::string(20, static_cast<char>('a' + i % 7)));
    }
  }
  BuildAndOpen();
  EXPECT_EQ(h_.properties.index_key_is_user_key, 0u);
  h_.CheckAll(1, 300);
  for (int i = 0; i < 30; ++i) {
    for (SequenceNumber seq = 0; seq <= 41; ++seq) {
      h_.CheckGet("key" + std::to_string(100 + i), seq);
    }
  }
}

TEST_F(UserIndexTest, OnlyReadsThatAskForItWhereItIsNotTheFirst) {
  h_.table_options.user_defined_index_factory = wrong_factory_;
  h_.table_options.use_udi_as_primary_index = false;
  h_.FillRandom(5, 300);
  BuildAndOpen();
  EXPECT_EQ(h_.properties.udi_is_primary_index, 0u);
  h_.CheckAll(5, 50);
  EXPECT_EQ(wrong_.iterators, 0);
  ReadOptions options;
  options.table_index_factory = wrong_factory_.get();
  size_t n = 0;
  EXPECT_TRUE(Scan(options, /*forward=*/true, &n).ok());
  EXPECT_EQ(n, h_.model.size());
  EXPECT_TRUE(Scan(options, /*forward=*/false, &n).ok());
  EXPECT_EQ(n, h_.model.size());
  EXPECT_EQ(wrong_.iterators, 2);
  for (const auto& [key, value] : h_.model) {
    EXPECT_TRUE(Find(options, ExtractUserKey(key).ToString()).ok());
  }
  EXPECT_EQ(static_cast<size_t>(wrong_.iterators), 2 + h_.model.size());
  EXPECT_GT(h_.table->ApproximateMemoryUsage(), 1'000'000u);
}

TEST_F(UserIndexTest, BesidePartitions) {
  h_.table_options.use_udi_as_primary_index = false;
  h_.table_options.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  h_.table_options.partition_filters = true;
  h_.table_options.metadata_block_size = 100;
  h_.FillRandom(6, 400);
  BuildAndOpen();
  h_.CheckAll(6, 50);
  ReadOptions options;
  options.table_index_factory = factory_.get();
  size_t n = 0;
  EXPECT_TRUE(Scan(options, /*forward=*/false, &n).ok());
  EXPECT_EQ(n, h_.model.size());
}

TEST_F(UserIndexTest, AnotherNameThanTheTablesIsRefused) {
  class Other final : public ListIndexFactory {
   public:
    const char* Name() const override { return "other"; }
  };
  h_.table_options.use_udi_as_primary_index = false;
  h_.FillRandom(7, 100);
  BuildAndOpen();
  const Other other;
  ReadOptions options;
  options.table_index_factory = &other;
  Status s = Scan(options);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_NE(s.ToString().find("Bad index name: other. Only supported UDI is cairn.ListIndex"),
            std::string::npos)
      << s.ToString();
  s = Find(options, "k1");
  // (The filter may know better.)
  EXPECT_TRUE(s.ok() || s.IsInvalidArgument()) << s.ToString();
}

TEST_F(UserIndexTest, ABuilderHearsOfAllInOrder) {
  h_.Put("a", 9, "1");
  h_.Put("b", 8, "", kTypeDeletion);
  h_.Put("c", 7, "2", kTypeMerge);
  h_.Put("d", 6, std::string(400, 'x'));
  h_.Put("e", 5, "", kTypeSingleDeletion);
  ASSERT_TRUE(h_.Build().ok());
  EXPECT_EQ(log_.calls.substr(0, 3), "vdm");
  EXPECT_EQ(log_.calls.back(), '|');
  EXPECT_EQ(log_.keys, (std::vector<std::string>{"a", "b", "c", "d", "e"}));
  ASSERT_EQ(log_.boundaries.size(), h_.properties.num_data_blocks);
  EXPECT_EQ(log_.boundaries.back().first, "e");
  EXPECT_EQ(log_.boundaries.back().second, "");
}

TEST_F(UserIndexTest, ADictionaryChangesNothingForIt) {
  h_.FillRandom(9, 800);
  h_.compression = kZSTD;
  h_.table_options.format_version = 5;
  ASSERT_TRUE(h_.Build().ok());
  const ListIndexLog without = log_;
  for (const uint64_t buffered : {0, 10'000}) {  // up to the end; not
    log_ = {};
    h_.compression_opts.max_dict_bytes = 4 << 10;
    h_.compression_opts.max_dict_buffer_bytes = buffered;
    BuildAndOpen();
    EXPECT_EQ(log_.calls, without.calls);
    EXPECT_EQ(log_.keys, without.keys);
    EXPECT_EQ(log_.boundaries, without.boundaries);
    h_.CheckAll(9, 50);
  }
}

TEST_F(UserIndexTest, TablesWithoutIt) {
  h_.table_options.user_defined_index_factory = nullptr;
  h_.table_options.use_udi_as_primary_index = false;
  h_.FillRandom(10, 100);
  ASSERT_TRUE(h_.Build().ok());
  h_.table_options.user_defined_index_factory = factory_;
  ASSERT_TRUE(h_.Open().ok());
  EXPECT_EQ(h_.statistics->getTickerCount(SST_USER_DEFINED_INDEX_LOAD_FAIL_COUNT), 1u);
  h_.CheckAll(10, 30);
  // By the usual index, whoever asks.
  ReadOptions options;
  options.table_index_factory = factory_.get();
  EXPECT_TRUE(Scan(options).ok());
  h_.table_options.fail_if_no_udi_on_open = true;
  EXPECT_TRUE(h_.Open().IsCorruption());
  h_.table_options.fail_if_no_udi_on_open = false;
  h_.table_options.use_udi_as_primary_index = true;
  EXPECT_TRUE(h_.Open().IsCorruption());
  // One with it needs no factory.
  h_.table_options.use_udi_as_primary_index = false;
  ASSERT_TRUE(h_.Build().ok());
  h_.table_options.user_defined_index_factory = nullptr;
  ASSERT_TRUE(h_.Open().ok());
  h_.CheckAll(10, 30);
}

TEST_F(UserIndexTest, FactoriesThatFail) {
  h_.table_options.user_defined_index_factory = wrong_factory_;
  h_.FillRandom(11, 100);
  wrong_.builder_fails = true;
  EXPECT_TRUE(h_.Build().IsAborted());
  wrong_.builder_fails = false;
  wrong_.finish_fails = true;
  EXPECT_TRUE(h_.Build().IsAborted());
  wrong_.finish_fails = false;
  ASSERT_TRUE(h_.Build().ok());
  wrong_.reader_fails = true;
  EXPECT_TRUE(h_.Open().IsAborted());
  wrong_.reader_fails = false;
  wrong_.no_reader = true;
  EXPECT_TRUE(h_.Open().IsCorruption());
  wrong_.no_reader = false;
  wrong_.no_iterator = true;
  ASSERT_TRUE(h_.Open().ok());
  EXPECT_TRUE(Scan(ReadOptions()).IsCorruption());
  wrong_.no_iterator = false;
  wrong_.no_builder = true;
  ASSERT_TRUE(h_.Build().ok());
  EXPECT_TRUE(h_.Open().IsCorruption());
  h_.table_options.use_udi_as_primary_index = false;
  ASSERT_TRUE(h_.Open().ok());
  h_.CheckAll(11, 20);
}

TEST_F(UserIndexTest, MovementsThatFailOrLie) {
  h_.table_options.user_defined_index_factory = wrong_factory_;
  h_.FillRandom(12, 200);
  BuildAndOpen();
  wrong_.moved = [](IterateResult*) { return Status::TimedOut("slow"); };
  EXPECT_TRUE(Scan(ReadOptions()).IsTimedOut());
  EXPECT_TRUE(Scan(ReadOptions(), /*forward=*/false).IsTimedOut());
  wrong_.moved = [](IterateResult* r) {
    r->bound_check_result = IterBoundCheck::kOutOfBound;
    return Status::OK();
  };
  size_t n = 1;
  EXPECT_TRUE(Scan(ReadOptions(), true, &n).ok());
  EXPECT_EQ(n, 0u);
  wrong_.moved = nullptr;
  wrong_.placed = [](UserDefinedIndexBuilder::BlockHandle* handle) {
    handle->offset = UINT64_MAX - 3;
  };
  EXPECT_TRUE(Scan(ReadOptions()).IsCorruption());
  wrong_.placed = [](UserDefinedIndexBuilder::BlockHandle* handle) { handle->size = UINT64_MAX; };
  EXPECT_TRUE(Scan(ReadOptions()).IsCorruption());
  // Any place in the file, and any order: an error or wrong entries, and no more.
  Random64 random(12);
  wrong_.placed = [&](UserDefinedIndexBuilder::BlockHandle* handle) {
    if (random.OneIn(2)) handle->offset = random.Uniform(h_.file_size + 100);
    if (random.OneIn(2)) handle->size = random.Uniform(600);
  };
  wrong_.moved = [&](IterateResult* r) {
    if (random.OneIn(3)) r->key = "zzz";
    return Status::OK();
  };
  for (int round = 0; round < 300; ++round) {
    (void)Scan(ReadOptions(), round % 2 == 0);
    (void)Find(ReadOptions(), "k" + std::to_string(random.Uniform(3000)));
  }
}

TEST_F(UserIndexTest, ADamagedOneDoesNotOpen) {
  h_.FillRandom(13, 100);
  ASSERT_TRUE(h_.Build().ok());
  std::string file;
  ASSERT_TRUE(ReadFileToString(&h_.fs, "/t.sst", &file).ok());
  // Its first entry: the size and the bytes of the first block's last key.
  const std::string& key = log_.boundaries.front().first;
  std::string begin(8, '\0');
  EncodeFixed64(begin.data(), key.size());
  const size_t at = file.rfind(begin + key);
  ASSERT_NE(at, std::string::npos);
  ASSERT_TRUE(h_.fs.CorruptFile("/t.sst", at, 1).ok());
  EXPECT_TRUE(h_.Open().IsCorruption());
}

TEST_F(UserIndexTest, WhatItDoesNotGoWith) {
  BlockBasedTableOptions& o = h_.table_options;
  const auto refused = [&](const char* words) {
    const Status s = ValidateTableOptions(o);
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_NE(s.ToString().find(words), std::string::npos) << s.ToString();
  };
  EXPECT_TRUE(ValidateTableOptions(o).ok());
  o.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  refused("use_udi_as_primary_index is incompatible with partitioned index");
  o.index_type = BlockBasedTableOptions::kBinarySearch;
  o.partition_filters = true;
  refused("use_udi_as_primary_index is incompatible with partitioned filters");
  o.partition_filters = false;
  o.user_defined_index_factory = nullptr;
  refused("use_udi_as_primary_index requires user_defined_index_factory");
  o.user_defined_index_factory = factory_;
  h_.compression = kLZ4Compression;
  h_.compression_opts.parallel_threads = 2;
  h_.FillRandom(14, 10);
  EXPECT_TRUE(h_.Build().IsInvalidArgument());
  ColumnFamilyOptions family;
  const BlockBasedTableFactory factory(o);
  EXPECT_TRUE(factory.ValidateOptions(DBOptions(), family).ok());
  family.bottommost_compression_opts.parallel_threads = 2;
  EXPECT_TRUE(factory.ValidateOptions(DBOptions(), family).IsInvalidArgument());
  const std::string text = factory.GetPrintableOptions();
  EXPECT_NE(text.find("  user_defined_index_factory: cairn.ListIndex\n"), std::string::npos);
}

TEST_F(UserIndexTest, OneThatIsRegisteredIsMadeFromText) {
  ConfigOptions config;
  config.registry->AddLibrary("list index")
      ->AddFactory<UserDefinedIndexFactory>(
          ListIndexFactory::kClassName(),
          [](const std::string&, std::unique_ptr<UserDefinedIndexFactory>* made, std::string*) {
            made->reset(new ListIndexFactory());
            return made->get();
          });
  BlockBasedTableFactory factory{BlockBasedTableOptions()};
  ASSERT_TRUE(factory
                  .ConfigureFromString(config,
                                       "user_defined_index_factory=cairn.ListIndex;"
                                       "fail_if_no_udi_on_open=true")
                  .ok());
  const BlockBasedTableOptions made = *factory.GetOptions<BlockBasedTableOptions>();
  ASSERT_NE(made.user_defined_index_factory, nullptr);
  EXPECT_STREQ(made.user_defined_index_factory->Name(), "cairn.ListIndex");
  EXPECT_TRUE(made.fail_if_no_udi_on_open);
  std::string text;
  ASSERT_TRUE(BlockBasedTableFactory(made).GetOptionString(config, &text).ok());
  EXPECT_NE(text.find("user_defined_index_factory=cairn.ListIndex;"), std::string::npos) << text;
  ASSERT_TRUE(BlockBasedTableFactory(BlockBasedTableOptions()).GetOptionString(config, &text).ok());
  EXPECT_EQ(text.find("user_defined_index_factory"), std::string::npos) << text;
  config.ignore_unsupported_options = false;
  std::shared_ptr<UserDefinedIndexFactory> none;
  EXPECT_TRUE(UserDefinedIndexFactory::CreateFromString(config, "trie", &none).IsNotSupported());
}

}  // namespace
}  // namespace cairn
