// Iterators over values in blob files: what they read ahead, how often they read, and that they
// show and tell what they did when each blob was read by itself.
#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "blob/blob_format.h"
#include "blob/blob_read_ahead.h"
#include "db/testing/db_fixture.h"
#include "fs/parking_reads.h"
#include "rocksdb/cache.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/statistics.h"
#include "table/read_ahead.h"

namespace cairn::testing {
namespace {

// Counts the reads of blob files, and lets those fail that touch a part of one.
class BlobReadCounter final : public FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "BlobReadCounter"; }

  IOStatus NewRandomAccessFile(const std::string& name, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* dbg) override {
    std::unique_ptr<FSRandomAccessFile> target;
    IOStatus s = FileSystemWrapper::NewRandomAccessFile(name, options, &target, dbg);
    if (s.ok() && name.ends_with(".blob")) {
      target = std::make_unique<CountedFile>(this, name, std::move(target));
    }
    if (s.ok()) *file = std::move(target);
    return s;
  }

  void Reset() { reads = bytes = most_at_once = 0; }

  std::atomic<uint64_t> reads{0};
  std::atomic<uint64_t> bytes{0};
  std::atomic<uint64_t> most_at_once{0};
  uint64_t nanos_of_a_read = 0;
  std::string broken;  // a file
  uint64_t broken_at = 0;

 private:
  class CountedFile final : public FSRandomAccessFile, public ParkingReads {
   public:
    CountedFile(BlobReadCounter* counter, std::string name,
                std::unique_ptr<FSRandomAccessFile> target)
        : counter_(counter), name_(std::move(name)), target_(std::move(target)) {}
    bool reads_park() const override { return true; }
    IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                  IODebugContext* dbg) const override {
      ++counter_->reads;
      counter_->bytes += n;
      const uint64_t now = ++counter_->now_;
      if (now > counter_->most_at_once) counter_->most_at_once = now;
      if (counter_->nanos_of_a_read != 0)
        fiber::sleep_for(counter_->nanos_of_a_read);  // sleeps: a disk
      --counter_->now_;
      if (name_ == counter_->broken && offset <= counter_->broken_at &&
          counter_->broken_at < offset + n) {
        return IOStatus::IOError("broken", name_);
      }
      return target_->Read(offset, n, options, result, scratch, dbg);
    }

   private:
    BlobReadCounter* const counter_;
    const std::string name_;
    const std::unique_ptr<FSRandomAccessFile> target_;
  };

  std::atomic<uint64_t> now_{0};
};

class DbBlobScanTest : public DbTest {
 protected:
  static constexpr int kKeys = 300;
  static constexpr size_t kSize = 1000;

  DbBlobScanTest()
      : counter_(std::make_shared<BlobReadCounter>(disk_.faults)),
        counted_(NewCompositeEnv(counter_)) {}
  void TearDown() override { db_.reset(); }  // before the Env goes

  Options ScanOptions() {
    Options options = SmallOptions();
    options.env = counted_.get();
    options.write_buffer_size = 4 << 20;
    options.disable_auto_compactions = true;
    options.enable_blob_files = true;
    options.min_blob_size = 50;
    return options;
  }
  static Options WithAutoReadahead(Options options, size_t initial, size_t max) {
    BlockBasedTableOptions table;
    table.initial_auto_readahead_size = initial;
    table.max_auto_readahead_size = max;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    return options;
  }
  static ReadOptions InBackground() {
    ReadOptions read;
    read.async_io = true;
    return read;
  }
  static ReadOptions Fixed(size_t bytes) {
    ReadOptions read;
    read.readahead_size = bytes;
    return read;
  }
  // Each way to read ahead.
  static std::vector<ReadOptions> EachWay() {
    ReadOptions unverified;
    unverified.verify_checksums = false;
    ReadOptions fixed_in_background = InBackground();
    fixed_in_background.readahead_size = 32 << 10;
    return {ReadOptions(), unverified, Fixed(20 << 10), InBackground(), fixed_in_background};
  }

  static uint64_t RecordSize(size_t value = kSize) { return BlobRecordSize(Key(0).size(), value); }
  std::vector<std::string> BlobFiles() { return disk_.Files(FileType::kBlobFile); }

  // From the first to the last key, or back; what the model has.
  void ScanAll(const ReadOptions& read, bool forward = true) {
    const std::unique_ptr<Iterator> it(db_->NewIterator(read));
    if (forward) {
      it->SeekToFirst();
      for (const auto& [key, value] : model_) {
        ASSERT_TRUE(it->Valid()) << key << ": " << it->status().ToString();
        ASSERT_EQ(it->key(), key);
        ASSERT_EQ(it->value(), value);
        it->Next();
      }
    } else {
      it->SeekToLast();
      for (auto at = model_.rbegin(); at != model_.rend(); ++at) {
        ASSERT_TRUE(it->Valid()) << at->first << ": " << it->status().ToString();
        ASSERT_EQ(it->key(), at->first);
        ASSERT_EQ(it->value(), at->second);
        it->Prev();
      }
    }
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().ok()) << it->status().ToString();
  }

  const std::shared_ptr<BlobReadCounter> counter_;
  const std::unique_ptr<Env> counted_;
};

TEST_F(DbBlobScanTest, AScanReadsManyBlobsAtOnceBothWays) {
  Options options = ScanOptions();
  Open(options);
  PutRange(0, kKeys, 1, kSize);
  Flush();
  ASSERT_EQ(BlobFiles().size(), 1u);
  for (const ReadOptions& read : EachWay()) {
    SCOPED_TRACE(std::to_string(read.readahead_size) + (read.async_io ? " in background" : ""));
    for (const bool forward : {true, false}) {
      ScanAll(read, forward);  // the file is open now
      counter_->Reset();
      ScanAll(read, forward);
      EXPECT_LE(counter_->reads, read.readahead_size != 0 ? 22u : 14u);
      EXPECT_LE(counter_->bytes, kKeys * RecordSize() + (32 << 10));
    }
  }
  // One by one, where the table's options want nothing read ahead.
  Open(WithAutoReadahead(options, 0, 0));
  ScanAll(ReadOptions());
  counter_->Reset();
  ScanAll(ReadOptions());
  EXPECT_EQ(counter_->reads, static_cast<uint64_t>(kKeys));
  EXPECT_EQ(counter_->bytes, kKeys * RecordSize());
}

TEST_F(DbBlobScanTest, CompressedValuesToo) {
  Options options = ScanOptions();
  options.blob_compression_type = kLZ4Compression;
  Open(options);
  for (int i = 0; i < kKeys; ++i) Put(Key(i), Value(i, 100) + std::string(900 + i, 'x'));
  Flush();
  for (const ReadOptions& read : EachWay()) {
    ScanAll(read);
    counter_->Reset();
    ScanAll(read);
    ScanAll(read, /*forward=*/false);
    EXPECT_LE(counter_->reads, 20u);
  }
}

TEST_F(DbBlobScanTest, WhoJumpsReadsWhatHeAskedForOnly) {
  Open(ScanOptions());
  PutRange(0, kKeys, 1, kSize);
  Flush();
  for (const ReadOptions& read : {ReadOptions(), InBackground(), Fixed(16 << 10)}) {
    const std::unique_ptr<Iterator> it(db_->NewIterator(read));
    it->Seek(Key(0));
    counter_->Reset();
    for (int i = 1; i <= 20; ++i) {
      const int at = i * 131 % kKeys;
      it->Seek(Key(at));
      ASSERT_TRUE(it->Valid()) << it->status().ToString();
      EXPECT_EQ(it->value(), model_[Key(at)]);
    }
    EXPECT_EQ(counter_->reads, 20u);
    EXPECT_EQ(counter_->bytes, 20 * RecordSize());
  }
  // Nor who takes a few only.
  counter_->Reset();
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->Seek(Key(100));
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(counter_->bytes, 2 * RecordSize());
}

TEST_F(DbBlobScanTest, ValuesTooLargeToGainAreReadByThemselves) {
  Open(WithAutoReadahead(ScanOptions(), 1000, 4000));
  PutRange(0, 20, 1, 5000);
  Flush();
  ScanAll(ReadOptions());
  counter_->Reset();
  ScanAll(ReadOptions());
  EXPECT_EQ(counter_->reads, 20u);
  EXPECT_EQ(counter_->bytes, 20 * RecordSize(5000));
  // In the background they are there before they are asked for.
  ScanAll(InBackground());
  ScanAll(InBackground(), /*forward=*/false);
}

TEST_F(DbBlobScanTest, GapsOfOverwrittenBlobsAreReadOver) {
  Open(ScanOptions());
  PutRange(0, kKeys, 1, kSize);
  Flush();
  for (int i = 0; i < kKeys; i += 3) Put(Key(i), Value(i, 700));
  for (int i = 1; i < kKeys; i += 10) Delete(Key(i));
  Flush();
  ASSERT_EQ(BlobFiles().size(), 2u);
  for (const ReadOptions& read : EachWay()) {
    for (const bool forward : {true, false}) {
      ScanAll(read, forward);
      counter_->Reset();
      ScanAll(read, forward);
      EXPECT_LE(counter_->reads, 30u);
    }
  }
}

// Each key's neighbours are in other files, of which an iterator has a few windows only.
TEST_F(DbBlobScanTest, KeysScatteredOverManyFilesCostFewWindows) {
  constexpr int kFiles = 40;
  constexpr int kScattered = 4000;
  Options options = WithAutoReadahead(ScanOptions(), 2000, 64 << 10);
  options.level0_file_num_compaction_trigger = 1000;
  options.level0_slowdown_writes_trigger = options.level0_stop_writes_trigger = 1000;
  Open(options);
  for (int file = 0; file < kFiles; ++file) {
    for (int i = file; i < kScattered; i += kFiles) Put(Key(i), Value(i, 200));
    Flush();
  }
  ASSERT_EQ(BlobFiles().size(), static_cast<size_t>(kFiles));
  const uint64_t all = kScattered * RecordSize(200);
  const size_t before = ReadAhead::MemoryInUse();
  for (const bool forward : {true, false}) {
    ScanAll(ReadOptions(), forward);
    counter_->Reset();
    ScanAll(ReadOptions(), forward);
    EXPECT_LE(counter_->bytes, all * 3 / 2);
    EXPECT_LT(counter_->reads, static_cast<uint64_t>(kScattered));
  }
  const std::unique_ptr<Iterator> it(db_->NewIterator(InBackground()));
  size_t most = 0;
  int keys = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++keys) {
    ASSERT_EQ(it->value(), model_[it->key().ToString()]);
    most = std::max(most, ReadAhead::MemoryInUse() - before);
  }
  ASSERT_TRUE(it->status().ok()) << it->status().ToString();
  EXPECT_EQ(keys, kScattered);
  EXPECT_GT(most, 0u);
  EXPECT_LE(most, BlobReadAheads::kMostWindows * (ReadAhead::kMaxPieces + 2) * (64 << 10));
}

// Of small files, one after the other, each is read ahead: the windows of those that were read
// change hands.
TEST_F(DbBlobScanTest, OneSmallFileAfterTheOther) {
  constexpr int kInFile = 10;
  Options options = ScanOptions();
  options.blob_file_size = kInFile * RecordSize();
  Open(options);
  PutRange(0, kKeys, 1, kSize);
  Flush();
  ASSERT_EQ(BlobFiles().size(), static_cast<size_t>(kKeys / kInFile));
  const auto scan = [&](const ReadOptions& read, bool forward) -> uint64_t {
    ScanAll(read, forward);
    counter_->Reset();
    ScanAll(read, forward);
    return counter_->reads;
  };
  for (const bool forward : {true, false}) {
    EXPECT_LE(scan(ReadOptions(), forward), 3u * kKeys / kInFile + 5);
    EXPECT_LE(scan(InBackground(), forward), 6u * kKeys / kInFile);
  }
  // Where the ends of the files are gone, it takes a while to see that they are not needed.
  for (int i = 0; i < kKeys; ++i) {
    if (i % kInFile == 0 || i % kInFile == kInFile - 1) Delete(Key(i));
  }
  Flush();
  for (const bool forward : {true, false}) {
    EXPECT_LE(scan(ReadOptions(), forward), 5u * kKeys / kInFile);
  }
}

TEST_F(DbBlobScanTest, InTheBackgroundTheNextIsReadWhileThisOneIsUsed) {
  Simulate([this] {
    Open(ScanOptions());
    PutRange(0, kKeys, 1, kSize);
    Flush();
    counter_->nanos_of_a_read = 1'000'000;
    for (const bool forward : {true, false}) {
      counter_->Reset();
      ScanAll(ReadOptions(), forward);
      EXPECT_EQ(counter_->most_at_once, 1u);
      ScanAll(InBackground(), forward);
      EXPECT_GE(counter_->most_at_once, 2u);
    }
  });
}

TEST_F(DbBlobScanTest, ABrokenPartEndsTheScanThereAndNotBefore) {
  Open(ScanOptions());
  PutRange(0, kKeys, 1, kSize);
  Flush();
  constexpr int kBroken = 200;
  const std::string file = BlobFiles().at(0);
  const uint64_t at = kBlobHeaderSize + kBroken * RecordSize() + 500;
  const auto expect_end = [&](const ReadOptions& read, bool forward, Status::Code code) {
    const std::unique_ptr<Iterator> it(db_->NewIterator(read));
    forward ? it->SeekToFirst() : it->SeekToLast();
    int i = forward ? 0 : kKeys - 1;
    while (it->Valid()) {
      ASSERT_EQ(it->key(), Key(i));
      ASSERT_EQ(it->value(), model_[Key(i)]);
      forward ? it->Next() : it->Prev();
      i += forward ? 1 : -1;
    }
    EXPECT_EQ(i, kBroken);
    EXPECT_EQ(it->status().code(), code) << it->status().ToString();
    EXPECT_NE(it->status().ToString().find(file), std::string::npos) << it->status().ToString();
    // Behind it all is well.
    it->Seek(Key(kBroken + 1));
    for (i = kBroken + 1; i < kKeys; ++i, it->Next()) {
      ASSERT_TRUE(it->Valid()) << it->status().ToString();
      ASSERT_EQ(it->value(), model_[Key(i)]);
    }
  };
  for (const ReadOptions& read : EachWay()) {
    SCOPED_TRACE(std::to_string(read.readahead_size) + (read.async_io ? " in background" : ""));
    for (const bool forward : {true, false}) {
      counter_->broken = file;
      counter_->broken_at = at;
      expect_end(read, forward, Status::kIOError);
      counter_->broken.clear();
      ScanAll(read, forward);
      if (!read.verify_checksums) continue;
      disk_.faults->FlipBits(file, at, 1);
      expect_end(read, forward, Status::kCorruption);
      disk_.faults->FlipBits(file, at, 0);
      ScanAll(read, forward);
    }
  }
}

TEST_F(DbBlobScanTest, FilesThatGoBesideAScanStayUntilItsEnd) {
  for (const ReadOptions& read : EachWay()) {
    Options options = ScanOptions();
    options.max_open_files = 20;
    options.blob_file_size = 40 * RecordSize();
    options.enable_blob_garbage_collection = true;
    options.blob_garbage_collection_age_cutoff = 1.0;
    Open(options);
    PutRange(0, kKeys, 1, kSize);
    Flush();
    const std::vector<std::string> old = BlobFiles();
    const Contents shown = model_;
    std::unique_ptr<Iterator> it(db_->NewIterator(read));
    it->SeekToFirst();
    for (int i = 0; i < 30; ++i) it->Next();
    PutRange(0, kKeys, 2, kSize);
    Flush();
    Compact();
    ASSERT_TRUE(it->Valid()) << it->status().ToString();
    for (auto at = std::next(shown.begin(), 30); at != shown.end(); ++at, it->Next()) {
      ASSERT_TRUE(it->Valid()) << it->status().ToString();
      ASSERT_EQ(it->key(), at->first);
      ASSERT_EQ(it->value(), at->second);
    }
    EXPECT_FALSE(it->Valid());
    const auto exists = [&](const std::string& file) {
      return disk_.memory->FileExists(file, IOOptions(), nullptr).ok();
    };
    EXPECT_TRUE(std::ranges::all_of(old, exists));
    it.reset();
    Put(Key(kKeys), "short");
    Flush();  // whose end looks for files that have become obsolete
    EXPECT_TRUE(Await([&] { return std::ranges::none_of(old, exists); }));
    ScanAll(read);
  }
}

TEST_F(DbBlobScanTest, TheBlobCacheHasWhatWasShownAndNothingElse) {
  Options options = ScanOptions();
  options.statistics = CreateDBStatistics();
  options.blob_cache = NewLRUCache(8 << 20);
  Open(options);
  PutRange(0, kKeys, 1, kSize);
  Flush();
  const auto added = [&] { return options.statistics->getTickerCount(BLOB_DB_CACHE_ADD); };
  ReadOptions cached;
  cached.read_tier = kBlockCacheTier;
  for (ReadOptions read : EachWay()) {
    read.fill_cache = false;
    ScanAll(read);
  }
  EXPECT_EQ(added(), 0u);
  std::string value;
  EXPECT_TRUE(db_->Get(cached, Key(10), &value).IsIncomplete());
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->SeekToFirst();
  for (int i = 0; i < 50; ++i) it->Next();
  EXPECT_EQ(added(), 51u);
  // What is in memory is shown, up to what is not.
  it.reset(db_->NewIterator(cached));
  int i = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++i) ASSERT_EQ(it->value(), model_[Key(i)]);
  EXPECT_EQ(i, 51);
  EXPECT_TRUE(it->status().IsIncomplete()) << it->status().ToString();
  // The cached ones count: the scan goes on ahead at once behind them.
  counter_->Reset();
  ScanAll(ReadOptions());
  EXPECT_LE(counter_->reads, 8u);
  EXPECT_EQ(added(), static_cast<uint64_t>(kKeys));
  counter_->Reset();
  ScanAll(cached);
  ScanAll(cached, /*forward=*/false);
  EXPECT_EQ(counter_->reads, 0u);
}

TEST_F(DbBlobScanTest, LimitsOfTimeHoldForWhatWasReadAhead) {
  Open(ScanOptions());
  PutRange(0, kKeys, 1, kSize);
  Flush();
  for (ReadOptions read : EachWay()) {
    std::atomic<bool> cancelled = false;
    read.cancelled = &cancelled;
    read.deadline = std::chrono::microseconds(fiber::wall_micros() + 3'600'000'000);
    read.io_timeout = std::chrono::seconds(3600);
    ScanAll(read);
    const std::unique_ptr<Iterator> it(db_->NewIterator(read));
    it->SeekToFirst();
    for (int i = 0; i < 20; ++i) it->Next();
    ASSERT_TRUE(it->Valid());
    cancelled = true;
    while (it->Valid()) it->Next();
    EXPECT_FALSE(it->status().ok());
    EXPECT_FALSE(it->status().IsCorruption() || it->status().IsIOError())
        << it->status().ToString();
  }
}

TEST_F(DbBlobScanTest, ARefreshedIteratorShowsTheNewValues) {
  Open(ScanOptions());
  PutRange(0, kKeys, 1, kSize);
  Flush();
  for (const ReadOptions& read : EachWay()) {
    const std::unique_ptr<Iterator> it(db_->NewIterator(read));
    it->SeekToFirst();
    for (int i = 0; i < 40; ++i) it->Next();
    PutRange(0, kKeys, 3, kSize);
    Flush();
    Compact();
    ASSERT_TRUE(it->Refresh().ok());
    int i = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++i) ASSERT_EQ(it->value(), model_[Key(i)]);
    EXPECT_EQ(i, kKeys);
  }
}

TEST_F(DbBlobScanTest, RandomMovementsShowTheSame) {
  for (const uint64_t seed : {1, 2, 3, 4}) {
    SCOPED_TRACE(SeedText(seed));
    Random64 random(seed);
    Options options = WithAutoReadahead(ScanOptions(), 1 + random.Uniform(3000), 20000);
    options.blob_file_size = 10000 + random.Uniform(200000);
    options.blob_compression_type = random.OneIn(2) ? kLZ4Compression : kNoCompression;
    Open(options);
    for (int flush = 0; flush < 3; ++flush) {
      for (int n = 0; n < kKeys; ++n) {
        const uint64_t i = random.Uniform(kKeys);
        Put(Key(i), Value(random.Next(), 20 + random.Uniform(random.OneIn(20) ? 30000 : 900)));
      }
      Flush();
    }
    std::vector<std::unique_ptr<Iterator>> iterators;
    for (ReadOptions read : EachWay()) {
      read.allow_unprepared_value = random.OneIn(2);
      iterators.emplace_back(db_->NewIterator(read));
    }
    auto at = model_.begin();
    for (auto& it : iterators) it->SeekToFirst();
    for (int step = 0; step < 60; ++step) {
      if (random.OneIn(3)) {
        at = model_.lower_bound(Key(random.Uniform(kKeys)));
        if (at == model_.end()) at = model_.begin();
        for (auto& it : iterators) it->Seek(at->first);
      }
      const bool forward = random.OneIn(2);
      for (uint64_t n = random.Uniform(40); n > 0; --n) {
        for (auto& it : iterators) {
          ASSERT_TRUE(it->Valid()) << it->status().ToString();
          ASSERT_EQ(it->key(), at->first);
          ASSERT_TRUE(it->PrepareValue()) << it->status().ToString();
          ASSERT_EQ(it->value(), at->second);
        }
        if (at == (forward ? std::prev(model_.end()) : model_.begin())) break;
        for (auto& it : iterators) forward ? it->Next() : it->Prev();
        forward ? ++at : --at;
      }
    }
    iterators.clear();
    Close();
    ASSERT_TRUE(DestroyDB(kDbName, options).ok());
    model_.clear();
  }
}

}  // namespace
}  // namespace cairn::testing
