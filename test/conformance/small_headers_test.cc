// Headers of a few lines: functor_wrapper.h, utilities/leveldb_options.h.
#include "conformance.h"
#include "rocksdb/functor_wrapper.h"
#include "rocksdb/utilities/leveldb_options.h"

namespace conformance {
namespace {

TEST(FunctorWrapperTest, CallsWithItsArguments) {
  int sum = 0;
  FunctorWrapper<int, int> wrapper([&](int a, int b) { sum += a * b; }, 6, 7);
  EXPECT_EQ(0, sum);
  wrapper.invoke();
  EXPECT_EQ(42, sum);
  wrapper.invoke();
  EXPECT_EQ(84, sum);
}

TEST(FunctorWrapperTest, ReferencesAndNothing) {
  std::string text = "a";
  FunctorWrapper<std::string&, std::string> add(
      [](std::string& to, std::string what) { to += what; }, text, std::string("b"));
  add.invoke();
  add.invoke();
  EXPECT_EQ("abb", text);
  int calls = 0;
  FunctorWrapper<> none([&] { ++calls; });
  none.invoke();
  EXPECT_EQ(1, calls);
}

class LevelDBOptionsTest : public DBTest {};

TEST_F(LevelDBOptionsTest, HasLevelDBsDefaults) {
  const LevelDBOptions options;
  EXPECT_EQ(BytewiseComparator(), options.comparator);
  EXPECT_FALSE(options.create_if_missing);
  EXPECT_FALSE(options.error_if_exists);
  EXPECT_FALSE(options.paranoid_checks);
  EXPECT_EQ(Env::Default(), options.env);
  EXPECT_EQ(nullptr, options.info_log);
  EXPECT_EQ(size_t{4} << 20, options.write_buffer_size);
  EXPECT_EQ(1000, options.max_open_files);
  EXPECT_EQ(nullptr, options.block_cache);
  EXPECT_EQ(4096u, options.block_size);
  EXPECT_EQ(16, options.block_restart_interval);
  EXPECT_EQ(kSnappyCompression, options.compression);
  EXPECT_EQ(nullptr, options.filter_policy);
}

TEST_F(LevelDBOptionsTest, AreConverted) {
  LevelDBOptions leveldb;
  leveldb.create_if_missing = true;
  leveldb.write_buffer_size = 123456;
  leveldb.max_open_files = 77;
  leveldb.block_size = 2048;
  leveldb.block_restart_interval = 8;
  leveldb.compression = kNoCompression;
  const FilterPolicy* const filter = NewBloomFilterPolicy(10);
  leveldb.filter_policy = filter;
  options_ = ConvertOptions(leveldb);
  EXPECT_TRUE(options_.create_if_missing);
  EXPECT_FALSE(options_.paranoid_checks);
  EXPECT_EQ(123456u, options_.write_buffer_size);
  EXPECT_EQ(77, options_.max_open_files);
  EXPECT_EQ(kNoCompression, options_.compression);
  const auto* table = options_.table_factory->GetOptions<BlockBasedTableOptions>();
  ASSERT_NE(nullptr, table);
  EXPECT_EQ(2048u, table->block_size);
  EXPECT_EQ(8, table->block_restart_interval);
  EXPECT_EQ(filter, table->filter_policy.get());
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  EXPECT_EQ("1", Get("a"));
}

TEST_F(LevelDBOptionsTest, TakesOverTheLogger) {
  class Quiet : public Logger {
   public:
    explicit Quiet(bool* gone) : gone_(gone) {}
    ~Quiet() override { *gone_ = true; }
    using Logger::Logv;
    void Logv(const char* /*format*/, va_list /*ap*/) override {}

   private:
    bool* const gone_;
  };
  bool gone = false;
  {
    LevelDBOptions leveldb;
    leveldb.info_log = new Quiet(&gone);
    const Options options = ConvertOptions(leveldb);
    EXPECT_EQ(leveldb.info_log, options.info_log.get());
  }
  EXPECT_TRUE(gone);
}

}  // namespace
}  // namespace conformance
