// Compression with dictionaries.
#include "conformance.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/sst_file_writer.h"

namespace conformance {
namespace {

class DictionaryTest : public DBTest, public testing::WithParamInterface<CompressionType> {
 protected:
  DictionaryTest() {
    options_.disable_auto_compactions = true;
    options_.compression = GetParam();
    table_.block_size = 1024;
    options_.table_factory.reset(NewBlockBasedTableFactory(table_));
  }
  // Values that have much in common with those of other blocks.
  std::string Value(int i) {
    Numbers numbers(static_cast<uint64_t>(i) + 1000);
    return common_.substr(numbers.Below(1800), 150) + numbers.Bytes(16);
  }
  void Fill() {
    for (int i = 0; i < 3000; i++) ASSERT_OK(Put(Key(i), Value(i)));
    ASSERT_OK(Flush());
  }
  void Check() {
    ASSERT_OK(db_->VerifyChecksum());
    for (int i = 0; i < 3000; i += 7) ASSERT_EQ(Value(i), Get(Key(i)));
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    int n = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ASSERT_EQ(Value(n++), it->value().ToString());
    ASSERT_OK(it->status());
    ASSERT_EQ(3000, n);
  }
  uint64_t Size() { return IntProperty("rocksdb.total-sst-files-size"); }

  const std::string common_ = Numbers(1).Bytes(2000);
  BlockBasedTableOptions table_;
};

TEST_P(DictionaryTest, MakeTablesSmaller) {
  Open();
  Fill();
  const uint64_t without = Size();
  Check();
  Shut();
  ASSERT_OK(DestroyDB(dir_, options_));
  options_.compression_opts.max_dict_bytes = 16 << 10;
  Open();
  Fill();
  EXPECT_LT(Size(), without * 3 / 4);
  Check();
  Open();
  Check();
  CompactRangeOptions force;
  force.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  ASSERT_OK(db_->CompactRange(force, nullptr, nullptr));
  EXPECT_LT(Size(), without * 3 / 4);
  Check();
}

TEST_P(DictionaryTest, WithTheTrainerAndWithout) {
  for (const bool trainer : {true, false}) {
    dir_ = root_ + (trainer ? "/trained" : "/finalized");
    options_.compression_opts.max_dict_bytes = 8 << 10;
    options_.compression_opts.zstd_max_train_bytes = 256 << 10;
    options_.compression_opts.use_zstd_dict_trainer = trainer;
    table_.verify_compression = true;
    options_.table_factory.reset(NewBlockBasedTableFactory(table_));
    Open();
    Fill();
    Check();
  }
}

TEST_P(DictionaryTest, WithLittleMemory) {
  options_.compression_opts.max_dict_bytes = 8 << 10;
  options_.compression_opts.max_dict_buffer_bytes = 20 << 10;
  options_.compression_opts.parallel_threads = 2;
  Open();
  Fill();
  Check();
}

TEST_P(DictionaryTest, OfTheLastLevelAlone) {
  options_.bottommost_compression = GetParam();
  options_.compression = kNoCompression;
  options_.bottommost_compression_opts.max_dict_bytes = 16 << 10;
  options_.bottommost_compression_opts.enabled = true;
  Open();
  Fill();
  const uint64_t flushed = Size();
  Fill();  // or the table would only be moved
  ASSERT_OK(Compact());
  EXPECT_LT(Size(), flushed / 2);
  Check();
}

TEST_P(DictionaryTest, CanBeSetWhileOpen) {
  Open();
  Fill();
  const uint64_t without = Size();
  ASSERT_OK(db_->SetOptions({{"compression_opts", "{max_dict_bytes=16384;}"}}));
  CompactRangeOptions force;
  force.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  ASSERT_OK(db_->CompactRange(force, nullptr, nullptr));
  EXPECT_LT(Size(), without * 3 / 4);
  Check();
}

TEST_P(DictionaryTest, OfExternalFiles) {
  options_.compression_opts.max_dict_bytes = 8 << 10;
  const std::string path = root_ + "/external.sst";
  SstFileWriter writer(EnvOptions(), options_);
  ASSERT_OK(writer.Open(path));
  for (int i = 0; i < 3000; i++) ASSERT_OK(writer.Put(Key(i), Value(i)));
  ASSERT_OK(writer.Finish());
  SstFileReader reader(options_);
  ASSERT_OK(reader.Open(path));
  ASSERT_OK(reader.VerifyChecksum());
  std::unique_ptr<Iterator> it(reader.NewIterator(ReadOptions()));
  int n = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) ASSERT_EQ(Value(n++), it->value().ToString());
  EXPECT_EQ(3000, n);
}

INSTANTIATE_TEST_SUITE_P(Types, DictionaryTest,
                         testing::Values(kZlibCompression, kLZ4Compression, kLZ4HCCompression,
                                         kZSTD));

}  // namespace
}  // namespace conformance
