// The settings of the library's own objects as text: memtable factories, encryption, filter
// policies, secondary caches; and a database whose OPTIONS file names a plug-in.
#include <cstddef>
#include <unordered_map>
#include <unordered_set>

#include "conformance.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/convenience.h"
#include "rocksdb/env_encryption.h"
#include "rocksdb/listener.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/secondary_cache.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/utilities/object_registry.h"
#include "rocksdb/utilities/options_type.h"
#include "rocksdb/utilities/options_util.h"

namespace conformance {
namespace {

using Settings = std::map<std::string, std::string>;

class ObjectSettingsTest : public testing::Test {
 protected:
  ObjectSettingsTest() { config_.ignore_unsupported_options = false; }

  template <typename T>
  std::shared_ptr<T> Make(const std::string& text) {
    std::shared_ptr<T> object;
    EXPECT_OK(T::CreateFromString(config_, text, &object)) << text;
    return object;
  }

  // What GetOptionString() says: RocksDB's order is that of a hash.
  Settings SettingsOf(const Configurable& object) {
    std::string text;
    EXPECT_OK(object.GetOptionString(config_, &text));
    std::unordered_map<std::string, std::string> map;
    EXPECT_OK(StringToMap(text, &map)) << text;
    return Settings(map.begin(), map.end());
  }

  std::set<std::string> NamesOf(const Configurable& object) {
    std::unordered_set<std::string> names;
    EXPECT_OK(object.GetOptionNames(config_, &names));
    return std::set<std::string>(names.begin(), names.end());
  }

  ConfigOptions config_;
};

TEST_F(ObjectSettingsTest, OfMemtables) {
  struct Case {
    const char* text;
    const char* id;
    Settings settings;
  };
  const Settings kHashDefaults = {
      {"bucket_count", "1000000"}, {"skiplist_height", "4"}, {"branching_factor", "4"}};
  Settings hash_of_100 = kHashDefaults;
  hash_of_100["bucket_count"] = "100";
  const Settings kLinkDefaults = {{"bucket_count", "50000"},
                                  {"threshold", "256"},
                                  {"huge_page_size", "0"},
                                  {"logging_threshold", "4096"},
                                  {"log_when_flash", "true"}};
  Settings links_of_1000 = kLinkDefaults;
  links_of_1000["bucket_count"] = "1000";
  const Case kCases[] = {
      {"skip_list", "SkipListFactory", {}},
      {"skip_list:16", "SkipListFactory:16", {}},
      {"SkipListFactory:7", "SkipListFactory:7", {}},
      {"id=skip_list;lookahead=5", "SkipListFactory:5", {}},
      {"vector", "VectorRepFactory", {{"count", "0"}}},
      {"vector:100", "VectorRepFactory", {{"count", "100"}}},
      {"{id=vector;count=3}", "VectorRepFactory", {{"count", "3"}}},
      {"id=VectorRepFactory:12", "VectorRepFactory", {{"count", "12"}}},
      {"prefix_hash", "HashSkipListRepFactory", kHashDefaults},
      {"HashSkipListRepFactory:100", "HashSkipListRepFactory", hash_of_100},
      {"id=prefix_hash:5;skiplist_height=2;branching_factor=3",
       "HashSkipListRepFactory",
       {{"bucket_count", "5"}, {"skiplist_height", "2"}, {"branching_factor", "3"}}},
      {"hash_linkedlist", "HashLinkListRepFactory", kLinkDefaults},
      {"hash_linkedlist:1000", "HashLinkListRepFactory", links_of_1000},
      {"id=HashLinkListRepFactory;threshold=12;huge_page_size=2M;logging_threshold=1;"
       "log_when_flash=false;bucket_count=7",
       "HashLinkListRepFactory",
       {{"bucket_count", "7"},
        {"threshold", "12"},
        {"huge_page_size", "2097152"},
        {"logging_threshold", "1"},
        {"log_when_flash", "false"}}},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.text);
    const auto made = Make<MemTableRepFactory>(c.text);
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(made->GetId(), c.id);
    EXPECT_EQ(SettingsOf(*made), c.settings);
    // And back, by itself and in a family's options.
    const auto again = Make<MemTableRepFactory>(made->ToString(config_));
    ASSERT_NE(again, nullptr);
    std::string mismatch;
    EXPECT_TRUE(made->AreEquivalent(config_, again.get(), &mismatch)) << mismatch;
    ColumnFamilyOptions options;
    options.memtable_factory = made;
    std::string text;
    ASSERT_OK(GetStringFromColumnFamilyOptions(config_, options, &text));
    ColumnFamilyOptions read;
    ASSERT_OK(GetColumnFamilyOptionsFromString(config_, ColumnFamilyOptions(), text, &read));
    EXPECT_TRUE(made->AreEquivalent(config_, read.memtable_factory.get(), &mismatch)) << mismatch;
  }
  for (const Case& one : kCases) {
    for (const Case& other : kCases) {
      std::string mismatch;
      const bool equal = one.id == std::string(other.id) && one.settings == other.settings;
      EXPECT_EQ(Make<MemTableRepFactory>(one.text)->AreEquivalent(
                    config_, Make<MemTableRepFactory>(other.text).get(), &mismatch),
                equal)
          << one.text << " " << other.text;
    }
  }
}

TEST_F(ObjectSettingsTest, OfMemtablesThatThereAreNot) {
  std::shared_ptr<MemTableRepFactory> made;
  ASSERT_OK(MemTableRepFactory::CreateFromString(config_, "vector:9", &made));
  EXPECT_CODE(NotFound, MemTableRepFactory::CreateFromString(config_, "id=vector;size=1", &made));
  EXPECT_CODE(NotFound, MemTableRepFactory::CreateFromString(config_, "id=skip_list;a=1", &made));
  EXPECT_CODE(InvalidArgument,
              MemTableRepFactory::CreateFromString(config_, "id=vector;count=many", &made));
  EXPECT_CODE(InvalidArgument, MemTableRepFactory::CreateFromString(config_, "cuckoo", &made));
  for (const char* text : {"cuckoo:12", "skip_list:x", "skip_list:", "vector:1:2", "nobody"}) {
    EXPECT_CODE(NotSupported, MemTableRepFactory::CreateFromString(config_, text, &made)) << text;
  }
  EXPECT_EQ(SettingsOf(*made), (Settings{{"count", "9"}}));
  config_.ignore_unsupported_options = true;
  EXPECT_OK(MemTableRepFactory::CreateFromString(config_, "nobody", &made));
  ASSERT_NE(made, nullptr);
}

TEST_F(ObjectSettingsTest, OfMemtablesMadeByCalls) {
  const std::unique_ptr<MemTableRepFactory> links(NewHashLinkListRepFactory(9, 8, 7, false, 6));
  EXPECT_EQ(SettingsOf(*links), (Settings{{"bucket_count", "9"},
                                          {"huge_page_size", "8"},
                                          {"logging_threshold", "7"},
                                          {"log_when_flash", "false"},
                                          {"threshold", "6"}}));
  const std::unique_ptr<MemTableRepFactory> hash(NewHashSkipListRepFactory(9, 8, 7));
  EXPECT_EQ(SettingsOf(*hash),
            (Settings{{"bucket_count", "9"}, {"skiplist_height", "8"}, {"branching_factor", "7"}}));
  EXPECT_EQ(SkipListFactory(3).ToString(config_), "SkipListFactory:3");
  EXPECT_EQ(NamesOf(SkipListFactory(3)), std::set<std::string>{"lookahead"});
  EXPECT_EQ(VectorRepFactory(4).ToString(config_), "{id=VectorRepFactory;count=4;}");
  std::string value;
  ASSERT_OK(hash->GetOption(config_, "skiplist_height", &value));
  EXPECT_EQ(value, "8");
  ASSERT_OK(hash->ConfigureFromString(config_, "skiplist_height=5"));
  EXPECT_EQ(SettingsOf(*hash)["skiplist_height"], "5");
  EXPECT_EQ(SettingsOf(*hash)["bucket_count"], "9");
}

TEST_F(ObjectSettingsTest, OfCiphers) {
  for (const auto& [text, size] :
       std::map<std::string, std::string>{{"ROT13", "32"},
                                          {"ROT13:16", "16"},
                                          {"id=ROT13;block_size=24", "24"},
                                          {"{id=ROT13:8;block_size=24}", "24"}}) {
    const auto cipher = Make<BlockCipher>(text);
    ASSERT_NE(cipher, nullptr) << text;
    EXPECT_EQ(std::to_string(cipher->BlockSize()), size) << text;
    EXPECT_EQ(cipher->ToString(config_), "{id=ROT13;block_size=" + size + ";}");
  }
  std::shared_ptr<BlockCipher> cipher;
  EXPECT_CODE(NotSupported, BlockCipher::CreateFromString(config_, "ROT13:x", &cipher));
  EXPECT_CODE(NotFound, BlockCipher::CreateFromString(config_, "id=ROT13;key=1", &cipher));
  EXPECT_CODE(InvalidArgument,
              BlockCipher::CreateFromString(config_, "id=ROT13;block_size=wide", &cipher));
}

TEST_F(ObjectSettingsTest, OfProviders) {
  const std::string kText = "{id=CTR;cipher={id=ROT13;block_size=32;};}";
  for (const char* text : {"CTR://test", "1://test", "id=CTR;cipher=ROT13"}) {
    const auto provider = Make<EncryptionProvider>(text);
    ASSERT_NE(provider, nullptr) << text;
    EXPECT_EQ(provider->ToString(config_), kText) << text;
    EXPECT_TRUE(provider->IsInstanceOf("1://test"));
  }
  const auto provider = Make<EncryptionProvider>("{id=CTR;cipher={id=ROT13;block_size=16}}");
  std::string value;
  ASSERT_OK(provider->GetOption(config_, "cipher.block_size", &value));
  EXPECT_EQ(value, "16");
  EXPECT_EQ(NamesOf(*provider), std::set<std::string>{"cipher"});
  std::shared_ptr<EncryptionProvider> none;
  EXPECT_CODE(NotFound, EncryptionProvider::CreateFromString(config_, "CTR", &none));
  EXPECT_CODE(NotFound, EncryptionProvider::CreateFromString(config_, "id=CTR;key=1", &none));
  EXPECT_CODE(NotSupported,
              EncryptionProvider::CreateFromString(config_, "id=CTR;cipher=Enigma", &none));
  EXPECT_CODE(NotSupported, EncryptionProvider::CreateFromString(config_, "AES", &none));
  EXPECT_FALSE(
      provider->AreEquivalent(config_, Make<EncryptionProvider>("CTR://test").get(), &value));
  EXPECT_EQ(value, "cipher.block_size");
}

// A text makes a file system that reads what the one of the calls wrote.
TEST_F(ObjectSettingsTest, OfEncryptedFileSystems) {
  const auto provider = Make<EncryptionProvider>("{id=CTR;cipher={id=ROT13;block_size=16}}");
  const std::shared_ptr<FileSystem> made = NewEncryptedFS(FileSystem::Default(), provider);
  EXPECT_EQ(made->ToString(config_),
            "{id=EncryptedFileSystem;provider={id=CTR;cipher={id=ROT13;block_size=16;};};}");
  EXPECT_EQ(NamesOf(*made), (std::set<std::string>{"provider", "target"}));
  const auto named = Make<FileSystem>(made->ToString(config_));
  ASSERT_NE(named, nullptr);
  std::string mismatch;
  EXPECT_TRUE(made->AreEquivalent(config_, named.get(), &mismatch)) << mismatch;
  std::shared_ptr<FileSystem> none;
  EXPECT_CODE(NotFound, FileSystem::CreateFromString(config_, "EncryptedFileSystem", &none));
  EXPECT_CODE(NotSupported, FileSystem::CreateFromString(
                                config_, "{id=EncryptedFileSystem;provider=AES}", &none));

  std::string path;
  ASSERT_OK(TheEnv()->GetTestDirectory(&path));
  path += "/object_settings_" + std::to_string(TheEnv()->NowMicros());
  std::unique_ptr<FSWritableFile> file;
  ASSERT_OK(made->NewWritableFile(path, FileOptions(), &file, nullptr));
  ASSERT_OK(file->Append("hello", IOOptions(), nullptr));
  ASSERT_OK(file->Close(IOOptions(), nullptr));
  std::unique_ptr<FSRandomAccessFile> reader;
  ASSERT_OK(named->NewRandomAccessFile(path, FileOptions(), &reader, nullptr));
  char scratch[10];
  Slice got;
  ASSERT_OK(reader->Read(0, 10, IOOptions(), &got, scratch, nullptr));
  EXPECT_EQ(got.ToString(), "hello");
  reader.reset();
  ASSERT_OK(TheEnv()->DeleteFile(path));
}

TEST_F(ObjectSettingsTest, OfFilterPolicies) {
  for (const auto& [text, id] :
       std::map<std::string, std::string>{{"bloomfilter:10", "bloomfilter:10:false"},
                                          {"bloomfilter:9.5:true", "bloomfilter:9.5:false"},
                                          {"ribbonfilter:10", "ribbonfilter:10:0"},
                                          {"ribbonfilter:10:3", "ribbonfilter:10:3"},
                                          {"{id=ribbonfilter:8:-1}", "ribbonfilter:8:-1"}}) {
    std::shared_ptr<const FilterPolicy> policy;
    ASSERT_OK(FilterPolicy::CreateFromString(config_, text, &policy));
    ASSERT_NE(policy, nullptr) << text;
    // (RocksDB 10 adds the level to the text, which older releases do not read.)
    EXPECT_EQ(policy->ToString(config_), id) << text;
  }
  std::shared_ptr<const FilterPolicy> none;
  EXPECT_CODE(NotFound, FilterPolicy::CreateFromString(config_, "id=bloomfilter:10;x=1", &none));
  for (const char* text : {"bloomfilter", "ribbonfilter:a", "ribbonfilter:10:x", "10"}) {
    EXPECT_CODE(NotSupported, FilterPolicy::CreateFromString(config_, text, &none)) << text;
  }
}

TEST_F(ObjectSettingsTest, OfCompressedSecondaryCaches) {
  const auto cache = Make<SecondaryCache>(
      "compressed_secondary_cache://capacity=8M;num_shard_bits=2;compression_type=kZSTD;"
      "compress_format_version=1");
  ASSERT_NE(cache, nullptr);
  EXPECT_EQ(cache->ToString(config_), "CompressedSecondaryCache");
  EXPECT_EQ(SettingsOf(*cache), Settings());
  const std::string printed = cache->GetPrintableOptions();
  for (const char* part : {"capacity : 8388608\n", "num_shard_bits : 2\n",
                           "compression_type : ZSTD\n", "compress_format_version : 1\n"}) {
    EXPECT_NE(printed.find(part), std::string::npos) << printed;
  }
  std::shared_ptr<SecondaryCache> none;
  for (const char* text :
       {"compressed_secondary_cache://8M", "compressed_secondary_cache://capacity=8M;nope=1",
        "compressed_secondary_cache://capacity=much"}) {
    EXPECT_CODE(InvalidArgument, SecondaryCache::CreateFromString(config_, text, &none)) << text;
  }
  EXPECT_CODE(NotSupported, SecondaryCache::CreateFromString(
                                config_, "id=CompressedSecondaryCache;capacity=3", &none));
  EXPECT_EQ(none, nullptr);
}

// --- plug-ins in the OPTIONS file

const std::unordered_map<std::string, OptionTypeInfo> kLimit = {{"limit", {0, OptionType::kInt}}};

// Drops values that are longer than its limit.
class LongValues : public CompactionFilter {
 public:
  static const char* kClassName() { return "conformance.LongValues"; }
  explicit LongValues(int limit) : limit_(limit) {}
  const char* Name() const override { return kClassName(); }
  bool Filter(int /*level*/, const Slice& /*key*/, const Slice& value, std::string* /*new_value*/,
              bool* /*value_changed*/) const override {
    return value.size() > static_cast<size_t>(limit_);
  }

 private:
  const int limit_;
};

class LongValuesFactory : public CompactionFilterFactory {
 public:
  static const char* kClassName() { return "conformance.LongValuesFactory"; }
  LongValuesFactory() { RegisterOptions("limit", &limit_, &kLimit); }
  const char* Name() const override { return kClassName(); }
  std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context& /*context*/) override {
    return std::unique_ptr<CompactionFilter>(new LongValues(limit_));
  }

 private:
  int limit_ = 100;
};

// The largest value, but no more than its limit.
class CappedMaximum : public AssociativeMergeOperator {
 public:
  static const char* kClassName() { return "conformance.CappedMaximum"; }
  CappedMaximum() { RegisterOptions("limit", &limit_, &kLimit); }
  const char* Name() const override { return kClassName(); }
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
             Logger* /*logger*/) const override {
    const int old = existing == nullptr ? 0 : std::atoi(existing->ToString().c_str());
    *result = std::to_string(std::min(limit_, std::max(old, std::atoi(value.ToString().c_str()))));
    return true;
  }

 private:
  int limit_ = 10;
};

class CountingListener : public EventListener {
 public:
  static const char* kClassName() { return "conformance.CountingListener"; }
  const char* Name() const override { return kClassName(); }
  void OnFlushCompleted(DB* /*db*/, const FlushJobInfo& /*info*/) override { ++flushes; }
  int flushes = 0;
};

class UpToTheDot : public SliceTransform {
 public:
  static const char* kClassName() { return "conformance.UpToTheDot"; }
  const char* Name() const override { return kClassName(); }
  Slice Transform(const Slice& key) const override {
    const std::string text = key.ToString();
    return Slice(key.data(), std::min(text.find('.'), text.size()));
  }
  bool InDomain(const Slice& key) const override {
    return key.ToString().find('.') != std::string::npos;
  }
};

template <typename Type, typename T>
void AddPlugIn(ObjectLibrary* library) {
  library->AddFactory<Type>(
      T::kClassName(),
      [](const std::string& /*id*/, std::unique_ptr<Type>* guard, std::string* /*message*/) {
        guard->reset(new T);
        return guard->get();
      });
}

class PlugInsInOptionsFileTest : public DBTest {
 protected:
  static std::shared_ptr<ObjectLibrary> Library() {
    auto library = std::make_shared<ObjectLibrary>("plug-ins");
    AddPlugIn<CompactionFilterFactory, LongValuesFactory>(library.get());
    AddPlugIn<MergeOperator, CappedMaximum>(library.get());
    AddPlugIn<EventListener, CountingListener>(library.get());
    AddPlugIn<const SliceTransform, UpToTheDot>(library.get());
    return library;
  }

  // Opens the database by what its OPTIONS file says.
  Status OpenAsWritten(const ConfigOptions& config, DBOptions* db_options,
                       std::vector<ColumnFamilyDescriptor>* families) {
    Status s = LoadLatestOptions(config, dir_, db_options, families);
    if (!s.ok()) return s;
    std::vector<ColumnFamilyHandle*> handles;
    s = DB::Open(*db_options, dir_, *families, &handles, &db_);
    for (ColumnFamilyHandle* handle : handles) EXPECT_OK(db_->DestroyColumnFamilyHandle(handle));
    return s;
  }
};

TEST_F(PlugInsInOptionsFileTest, TheDatabaseOpensAgainByThem) {
  ConfigOptions config;
  config.registry->AddLibrary(Library());
  config.ignore_unsupported_options = false;
  ASSERT_OK(CompactionFilterFactory::CreateFromString(
      config, "{id=conformance.LongValuesFactory;limit=5}", &options_.compaction_filter_factory));
  ASSERT_OK(MergeOperator::CreateFromString(config, "{id=conformance.CappedMaximum;limit=50}",
                                            &options_.merge_operator));
  ASSERT_OK(SliceTransform::CreateFromString(config, "conformance.UpToTheDot",
                                             &options_.prefix_extractor));
  std::shared_ptr<EventListener> listener;
  ASSERT_OK(EventListener::CreateFromString(config, "conformance.CountingListener", &listener));
  options_.listeners.push_back(listener);
  Open();
  ASSERT_OK(Put("a.1", "12345678"));
  ASSERT_OK(db_->Merge(WriteOptions(), "m.1", "30"));
  Shut();

  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_OK(OpenAsWritten(config, &db_options, &families));
  ASSERT_EQ(1u, families.size());
  const ColumnFamilyOptions& read = families[0].options;
  EXPECT_EQ("{id=conformance.LongValuesFactory;limit=5;}",
            read.compaction_filter_factory->ToString(config));
  EXPECT_EQ("{id=conformance.CappedMaximum;limit=50;}", read.merge_operator->ToString(config));
  EXPECT_STREQ("conformance.UpToTheDot", read.prefix_extractor->Name());
  ASSERT_EQ(1u, db_options.listeners.size());
  EXPECT_NE(listener, db_options.listeners[0]);
  ASSERT_OK(Put("a.2", "1234"));
  ASSERT_OK(db_->Merge(WriteOptions(), "m.1", "70"));
  ASSERT_OK(Flush());
  EXPECT_EQ(1, static_cast<CountingListener*>(db_options.listeners[0].get())->flushes);
  ASSERT_OK(Compact());
  EXPECT_EQ("50", Get("m.1"));
  EXPECT_EQ("1234", Get("a.2"));
  EXPECT_EQ("NOT_FOUND", Get("a.1"));
}

TEST_F(PlugInsInOptionsFileTest, WhoDoesNotKnowThemIsTold) {
  ConfigOptions config;
  config.registry->AddLibrary(Library());
  ASSERT_OK(MergeOperator::CreateFromString(config, "{id=conformance.CappedMaximum;limit=50}",
                                            &options_.merge_operator));
  Open();
  ASSERT_OK(db_->Merge(WriteOptions(), "m.1", "30"));
  ASSERT_OK(Flush());
  Shut();

  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  ConfigOptions strange;
  strange.ignore_unsupported_options = false;
  const Status refused = LoadLatestOptions(strange, dir_, &db_options, &families);
  EXPECT_FALSE(refused.ok());
  EXPECT_NE(std::string::npos, refused.ToString().find("CappedMaximum")) << refused.ToString();
  // Else it is left out, and the rest is read.
  ASSERT_OK(OpenAsWritten(ConfigOptions(), &db_options, &families));
  ASSERT_EQ(1u, families.size());
  EXPECT_EQ(nullptr, families[0].options.merge_operator);
  std::string value;
  EXPECT_FALSE(db_->Get(ReadOptions(), "m.1", &value).ok());
}

}  // namespace
}  // namespace conformance
