// Objects with settings: a plug-in that derives from Customizable registers its options, is made
// from text by the registry, is written to text and comes back from it; and the objects of the
// library do so.
#include "rocksdb/customizable.h"

#include <cstddef>
#include <unordered_map>
#include <unordered_set>

#include "conformance.h"
#include "rocksdb/convenience.h"
#include "rocksdb/file_system.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/secondary_cache.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_partitioner.h"
#include "rocksdb/system_clock.h"
#include "rocksdb/utilities/object_registry.h"
#include "rocksdb/utilities/options_type.h"
#include "rocksdb/utilities/options_util.h"

namespace conformance {
namespace {

using TypeMap = std::unordered_map<std::string, OptionTypeInfo>;
using Texts = std::unordered_map<std::string, std::string>;

enum class Colour { kRed, kGreen };
const std::unordered_map<std::string, Colour> kColours = {{"red", Colour::kRed},
                                                          {"green", Colour::kGreen}};

struct Point {
  int x = 1;
  double y = 0.5;
};
const TypeMap kPoint = {{"x", {offsetof(struct Point, x), OptionType::kInt}},
                        {"y", {offsetof(struct Point, y), OptionType::kDouble}}};

// What LoadSharedObject() and LoadUniqueObject() do, whose header RocksDB 7.8.3 has not for users.
template <typename T, typename Pointer>
Status Load(const ConfigOptions& options, const std::string& value,
            Status (ObjectRegistry::*make)(const std::string&, Pointer*), Pointer* result) {
  std::string id;
  Texts settings;
  Status s = Customizable::GetOptionsMap(options, result->get(), value, &id, &settings);
  if (!s.ok()) return s;
  if (id.empty()) {
    result->reset();
    return s;
  }
  Pointer made;
  s = (options.registry.get()->*make)(id, &made);
  if (s.IsNotSupported() && options.ignore_unsupported_options) return Status::OK();
  if (s.ok()) s = Customizable::ConfigureNewObject(options, made.get(), settings);
  if (s.ok()) *result = std::move(made);
  return s;
}

class Gadget : public Customizable {
 public:
  static const char* Type() { return "Gadget"; }
  static Status CreateFromString(const ConfigOptions& options, const std::string& value,
                                 std::shared_ptr<Gadget>* result) {
    return Load<Gadget>(options, value, &ObjectRegistry::NewSharedObject<Gadget>, result);
  }
  static Status CreateFromString(const ConfigOptions& options, const std::string& value,
                                 std::unique_ptr<Gadget>* result) {
    return Load<Gadget>(options, value, &ObjectRegistry::NewUniqueObject<Gadget>, result);
  }
};

struct Settings {
  static const char* kName() { return "GadgetSettings"; }
  bool on = false;
  int count = 1;
  uint64_t size = 2;
  double ratio = 0.25;
  std::string label = "none";
  Colour colour = Colour::kRed;
  CompressionType compression = kNoCompression;
  Point point;
  std::vector<int> numbers;
  int changing = 5;
  int secret = 7;
  std::shared_ptr<Gadget> shared;
  std::unique_ptr<Gadget> unique;
};

// (offsetof is not for a struct with such members.)
const Settings kPlaces;
template <typename Member>
int OffsetOf(const Member& member) {
  return static_cast<int>(reinterpret_cast<const char*>(&member) -
                          reinterpret_cast<const char*>(&kPlaces));
}
#define AT(member) OffsetOf(kPlaces.member)
const TypeMap kSettings = {
    {"on", {AT(on), OptionType::kBoolean}},
    {"count", {AT(count), OptionType::kInt}},
    {"size", {AT(size), OptionType::kUInt64T}},
    {"ratio", {AT(ratio), OptionType::kDouble}},
    {"label", {AT(label), OptionType::kString}},
    {"colour", OptionTypeInfo::Enum<Colour>(AT(colour), &kColours)},
    {"compression", {AT(compression), OptionType::kCompressionType}},
    {"point", OptionTypeInfo::Struct("point", &kPoint, AT(point), OptionVerificationType::kNormal,
                                     OptionTypeFlags::kNone)},
    {"numbers", OptionTypeInfo::Vector<int>(AT(numbers), OptionVerificationType::kNormal,
                                            OptionTypeFlags::kNone, {0, OptionType::kInt})},
    {"changing",
     {AT(changing), OptionType::kInt, OptionVerificationType::kNormal, OptionTypeFlags::kMutable}},
    {"secret",
     {AT(secret), OptionType::kInt, OptionVerificationType::kNormal,
      OptionTypeFlags::kDontSerialize | OptionTypeFlags::kCompareNever}},
    {"old", {0, OptionType::kInt, OptionVerificationType::kDeprecated, OptionTypeFlags::kNone}},
    {"amount",
     {AT(count), OptionType::kInt, OptionVerificationType::kAlias, OptionTypeFlags::kNone}},
    {"shared", OptionTypeInfo::AsCustomSharedPtr<Gadget>(
                   AT(shared), OptionVerificationType::kByName, OptionTypeFlags::kAllowNull)},
    {"unique", OptionTypeInfo::AsCustomUniquePtr<Gadget>(
                   AT(unique), OptionVerificationType::kByName, OptionTypeFlags::kAllowNull)},
};
#undef AT

class Whole : public Gadget {
 public:
  static const char* kClassName() { return "Whole"; }
  Whole() { RegisterOptions(&settings, &kSettings); }
  const char* Name() const override { return kClassName(); }
  const char* NickName() const override { return "whole-gadget"; }
  Status PrepareOptions(const ConfigOptions& options) override {
    ++prepared;
    if (settings.count < 0) return Status::InvalidArgument("count is negative");
    return Gadget::PrepareOptions(options);
  }
  Status ValidateOptions(const DBOptions& db, const ColumnFamilyOptions& cf) const override {
    if (settings.count > 100) return Status::InvalidArgument("count is too large");
    return Gadget::ValidateOptions(db, cf);
  }

  Settings settings;
  int prepared = 0;
};

// One option, and wraps another gadget.
class Part : public Gadget {
 public:
  static const char* kClassName() { return "Part"; }
  Part() {
    static const TypeMap kMap = {
        {"weight",
         {0, OptionType::kInt, OptionVerificationType::kNormal, OptionTypeFlags::kMutable}}};
    RegisterOptions("weight", &weight, &kMap);
  }
  const char* Name() const override { return kClassName(); }
  const Customizable* Inner() const override { return inner.get(); }
  int weight = 3;
  std::shared_ptr<Gadget> inner;
};

class Bare : public Gadget {
 public:
  static const char* kClassName() { return "Bare"; }
  const char* Name() const override { return kClassName(); }
};

template <typename T>
void Add(ObjectLibrary* library) {
  library->AddFactory<Gadget>(
      T::kClassName(),
      [](const std::string& /*id*/, std::unique_ptr<Gadget>* guard, std::string* /*message*/) {
        guard->reset(new T);
        return guard->get();
      });
}

class CustomizableTest : public testing::Test {
 protected:
  CustomizableTest() {
    auto library = config_.registry->AddLibrary("gadgets");
    Add<Whole>(library.get());
    Add<Part>(library.get());
    Add<Bare>(library.get());
    config_.ignore_unsupported_options = false;
  }

  std::string Option(const Configurable& object, const std::string& name) {
    std::string value;
    const Status s = object.GetOption(config_, name, &value);
    return s.ok() ? value : "(" + s.ToString().substr(0, s.ToString().find(':')) + ")";
  }

  ConfigOptions config_;
  Whole whole_;
};

TEST_F(CustomizableTest, ReadsEveryKindOfOption) {
  ASSERT_OK(whole_.ConfigureFromString(
      config_,
      "on=true;count=3k;size=2M;ratio=1.5;label=a b;colour=green;compression=kZSTD;"
      "point={x=9;y=2.5};numbers=1:2:3;changing=6;secret=8;old=whatever"));
  const Settings& now = whole_.settings;
  EXPECT_TRUE(now.on);
  EXPECT_EQ(now.count, 3072);
  EXPECT_EQ(now.size, 2u << 20);
  EXPECT_EQ(now.ratio, 1.5);
  EXPECT_EQ(now.label, "a b");
  EXPECT_EQ(now.colour, Colour::kGreen);
  EXPECT_EQ(now.compression, kZSTD);
  EXPECT_EQ(now.point.x, 9);
  EXPECT_EQ(now.point.y, 2.5);
  EXPECT_EQ(now.numbers, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(now.changing, 6);
  EXPECT_EQ(now.secret, 8);
}

TEST_F(CustomizableTest, WritesEveryKindOfOption) {
  whole_.settings.numbers = {4, 5};
  for (const auto& [name, value] : Texts{{"on", "false"},
                                         {"count", "1"},
                                         {"size", "2"},
                                         {"label", "none"},
                                         {"colour", "red"},
                                         {"compression", "kNoCompression"},
                                         {"numbers", "4:5"},
                                         {"point.x", "1"},
                                         {"shared", "nullptr"},
                                         {"id", "Whole"},
                                         {"Whole.count", "1"}}) {
    EXPECT_EQ(Option(whole_, name), value) << name;
  }
  EXPECT_EQ(std::stod(Option(whole_, "ratio")), 0.25);
  EXPECT_EQ(Option(whole_, "none"), "(NotFound)");
  EXPECT_EQ(Option(whole_, "secret"), "(Not implemented)");
}

TEST_F(CustomizableTest, TextOfTheWholeComesBack) {
  ASSERT_OK(whole_.ConfigureFromString(
      config_,
      "count=7;label=x\\#y;point={x=3};shared={id=Part;weight=12};numbers=9;"
      "unique={id=Whole;count=8;shared=Part}"));
  std::string text;
  ASSERT_OK(whole_.GetOptionString(config_, &text));
  EXPECT_EQ(text.find("secret"), std::string::npos);
  EXPECT_EQ(text.find("old"), std::string::npos);
  EXPECT_EQ(text.find("amount"), std::string::npos);
  std::shared_ptr<Gadget> copy;
  ASSERT_OK(Gadget::CreateFromString(config_, whole_.ToString(config_), &copy));
  ASSERT_TRUE(copy->IsInstanceOf("Whole"));
  const auto* settings = copy->GetOptions<Settings>();
  ASSERT_NE(settings, nullptr);
  EXPECT_EQ(settings->count, 7);
  EXPECT_EQ(settings->label, "x#y");
  EXPECT_EQ(settings->point.x, 3);
  EXPECT_EQ(settings->point.y, 0.5);
  ASSERT_NE(settings->shared, nullptr);
  EXPECT_EQ(settings->shared->CheckedCast<Part>()->weight, 12);
  ASSERT_NE(settings->unique, nullptr);
  EXPECT_EQ(settings->unique->GetOptions<Settings>()->count, 8);
  EXPECT_NE(settings->unique->GetOptions<Settings>()->shared, nullptr);
  std::string mismatch;
  EXPECT_TRUE(whole_.AreEquivalent(config_, copy.get(), &mismatch)) << mismatch;
}

TEST_F(CustomizableTest, NamesOfOptions) {
  std::unordered_set<std::string> names;
  ASSERT_OK(whole_.GetOptionNames(config_, &names));
  EXPECT_EQ(names.count("count"), 1u);
  EXPECT_EQ(names.count("old"), 0u);
  EXPECT_EQ(names.count("amount"), 0u);
  EXPECT_EQ(names.size(), kSettings.size() - 2);
  config_.mutable_options_only = true;
  names.clear();
  ASSERT_OK(whole_.GetOptionNames(config_, &names));
  EXPECT_EQ(names, (std::unordered_set<std::string>{"changing"}));
}

TEST_F(CustomizableTest, SecondNamesAreRead) {
  ASSERT_OK(whole_.ConfigureOption(config_, "amount", "9"));
  EXPECT_EQ(whole_.settings.count, 9);
  ASSERT_OK(whole_.ConfigureOption(config_, "Whole.count", "10"));
  EXPECT_EQ(whole_.settings.count, 10);
  ASSERT_OK(whole_.ConfigureOption(config_, "point.x", "11"));
  EXPECT_EQ(whole_.settings.point.x, 11);
}

TEST_F(CustomizableTest, WhatIsWrongIsNamedAndNothingChanges) {
  const Texts wrong = {{"count", "many"},      {"on", "perhaps"},   {"colour", "blue"},
                       {"point", "{x=1;z=2}"}, {"size", "-"},       {"compression", "kBest"},
                       {"numbers", "1:two:3"}, {"ratio", "quarter"}};
  for (const auto& [name, value] : wrong) {
    const Status s = whole_.ConfigureFromMap(config_, {{name, value}, {"label", "changed"}});
    EXPECT_TRUE(s.IsInvalidArgument()) << name << ": " << s.ToString();
    EXPECT_NE(s.ToString().find(name), std::string::npos) << s.ToString();
    EXPECT_EQ(whole_.settings.label, "none") << name;
    EXPECT_EQ(whole_.settings.count, 1) << name;
    EXPECT_EQ(whole_.settings.point.x, 1) << name;
  }
  const Status s = whole_.ConfigureFromMap(config_, {{"nothing", "1"}, {"label", "changed"}});
  EXPECT_TRUE(s.IsNotFound()) << s.ToString();
  EXPECT_NE(s.ToString().find("nothing"), std::string::npos) << s.ToString();
  EXPECT_EQ(whole_.settings.label, "none");
  EXPECT_CODE(NotFound, whole_.ConfigureOption(config_, "nothing", "1"));
  EXPECT_CODE(InvalidArgument, whole_.ConfigureFromString(config_, "count=1;label"));
}

TEST_F(CustomizableTest, UnknownOptionsAreHandedBackOrLeftOut) {
  Texts unused;
  ASSERT_OK(whole_.ConfigureFromMap(config_, {{"nothing", "1"}, {"count", "4"}}, &unused));
  EXPECT_EQ(unused, (Texts{{"nothing", "1"}}));
  EXPECT_EQ(whole_.settings.count, 4);
  config_.ignore_unknown_options = true;
  ASSERT_OK(whole_.ConfigureFromMap(config_, {{"nothing", "1"}, {"count", "5"}}));
  EXPECT_EQ(whole_.settings.count, 5);
}

TEST_F(CustomizableTest, ObjectsThatNobodyMakes) {
  whole_.settings.shared = std::make_shared<Bare>();
  const auto before = whole_.settings.shared;
  EXPECT_CODE(NotSupported, whole_.ConfigureFromString(config_, "shared=Nobody"));
  EXPECT_CODE(NotSupported, whole_.ConfigureFromString(config_, "shared={id=Nobody;a=1}"));
  EXPECT_EQ(whole_.settings.shared->GetId(), "Bare");
  std::shared_ptr<Gadget> made;
  EXPECT_CODE(NotSupported, Gadget::CreateFromString(config_, "Nobody", &made));
  config_.ignore_unsupported_options = true;
  EXPECT_OK(Gadget::CreateFromString(config_, "Nobody", &made));
  EXPECT_EQ(made, nullptr);
  ASSERT_OK(whole_.ConfigureFromString(config_, "shared=Nobody;count=4"));
  EXPECT_EQ(whole_.settings.shared->GetId(), "Bare");
  EXPECT_EQ(whole_.settings.count, 4);
}

TEST_F(CustomizableTest, ObjectsFromText) {
  std::shared_ptr<Gadget> made;
  ASSERT_OK(Gadget::CreateFromString(config_, "Bare", &made));
  EXPECT_EQ(made->GetId(), "Bare");
  EXPECT_EQ(made->ToString(config_), "Bare");
  ASSERT_OK(Gadget::CreateFromString(config_, "id=Part", &made));
  EXPECT_EQ(made->CheckedCast<Part>()->weight, 3);
  ASSERT_OK(Gadget::CreateFromString(config_, "{id=Part;weight=4}", &made));
  EXPECT_EQ(made->CheckedCast<Part>()->weight, 4);
  EXPECT_EQ(made->CheckedCast<Whole>(), nullptr);
  EXPECT_EQ(made->ToString(config_), "{id=Part;weight=4;}");
  // Settings alone are of the kind that is there, and those that are not named stay.
  ASSERT_OK(Gadget::CreateFromString(config_, "weight=5", &made));
  EXPECT_EQ(made->CheckedCast<Part>()->weight, 5);
  ASSERT_OK(Gadget::CreateFromString(config_, "id=Part", &made));
  EXPECT_EQ(made->CheckedCast<Part>()->weight, 5);
  EXPECT_CODE(NotFound, Gadget::CreateFromString(config_, "id=Part;height=1", &made));
  ASSERT_OK(Gadget::CreateFromString(config_, "", &made));
  EXPECT_EQ(made, nullptr);
  ASSERT_OK(Gadget::CreateFromString(config_, "Part", &made));
  ASSERT_OK(Gadget::CreateFromString(config_, "nullptr", &made));
  EXPECT_EQ(made, nullptr);
  config_.depth = ConfigOptions::kDepthShallow;
  EXPECT_EQ(Part().ToString(config_), "Part");
}

TEST_F(CustomizableTest, OptionsOfAnObjectWithin) {
  ASSERT_OK(whole_.ConfigureFromMap(config_, {{"shared.Part.weight", "6"}, {"shared.id", "Part"}}));
  EXPECT_EQ(whole_.settings.shared->CheckedCast<Part>()->weight, 6);
  ASSERT_OK(whole_.ConfigureOption(config_, "shared.Part.weight", "7"));
  EXPECT_EQ(whole_.settings.shared->CheckedCast<Part>()->weight, 7);
  EXPECT_EQ(Option(whole_, "shared.weight"), "7");
  EXPECT_EQ(Option(whole_, "shared.id"), "Part");
  ASSERT_OK(whole_.ConfigureOption(config_, "shared.id", ""));
  EXPECT_EQ(whole_.settings.shared, nullptr);
}

TEST_F(CustomizableTest, OnlyWhatIsMutable) {
  whole_.settings.shared = std::make_shared<Part>();
  config_.mutable_options_only = true;
  EXPECT_CODE(InvalidArgument, whole_.ConfigureFromString(config_, "count=2;changing=9"));
  EXPECT_EQ(whole_.settings.count, 1);
  ASSERT_OK(whole_.ConfigureFromString(config_, "changing=9"));
  EXPECT_EQ(whole_.settings.changing, 9);
  EXPECT_CODE(InvalidArgument, whole_.ConfigureFromString(config_, "shared=Bare"));
  ASSERT_OK(whole_.ConfigureFromString(config_, "shared={id=Part;weight=2}"));
  EXPECT_EQ(whole_.settings.shared->CheckedCast<Part>()->weight, 2);
  std::string text;
  ASSERT_OK(whole_.GetOptionString(config_, &text));
  EXPECT_EQ(text.find("count"), std::string::npos) << text;
  EXPECT_NE(text.find("changing=9"), std::string::npos) << text;
}

TEST_F(CustomizableTest, Comparing) {
  Whole other;
  std::string mismatch;
  EXPECT_TRUE(whole_.AreEquivalent(config_, &other, &mismatch)) << mismatch;
  other.settings.secret = 99;
  EXPECT_TRUE(whole_.AreEquivalent(config_, &other, &mismatch)) << mismatch;
  other.settings.count = 2;
  EXPECT_FALSE(whole_.AreEquivalent(config_, &other, &mismatch));
  EXPECT_TRUE(mismatch == "count" || mismatch == "amount") << mismatch;
  config_.sanity_level = ConfigOptions::kSanityLevelLooselyCompatible;
  EXPECT_TRUE(whole_.AreEquivalent(config_, &other, &mismatch));
  EXPECT_FALSE(whole_.AreEquivalent(config_, std::make_unique<Bare>().get(), &mismatch));
  EXPECT_EQ(mismatch, "id");
  config_.sanity_level = ConfigOptions::kSanityLevelNone;
  EXPECT_TRUE(whole_.AreEquivalent(config_, std::make_unique<Bare>().get(), &mismatch));
  config_.sanity_level = ConfigOptions::kSanityLevelExactMatch;
  other.settings.count = 1;
  other.settings.point.y = 3;
  mismatch.clear();
  EXPECT_FALSE(whole_.AreEquivalent(config_, &other, &mismatch));
  EXPECT_EQ(mismatch, "point.y");
  other.settings.point.y = 0.5;
  whole_.settings.shared = std::make_shared<Part>();
  auto part = std::make_shared<Part>();
  part->weight = 44;
  other.settings.shared = part;
  mismatch.clear();
  EXPECT_FALSE(whole_.AreEquivalent(config_, &other, &mismatch));
  EXPECT_EQ(mismatch, "shared.weight");
}

TEST_F(CustomizableTest, PreparedAndValidated) {
  ASSERT_OK(whole_.ConfigureFromString(config_, "count=2"));
  EXPECT_EQ(whole_.prepared, 1);
  ASSERT_OK(whole_.ConfigureOption(config_, "count", "3"));
  EXPECT_EQ(whole_.prepared, 1);
  config_.invoke_prepare_options = false;
  ASSERT_OK(whole_.ConfigureFromString(config_, "count=4"));
  EXPECT_EQ(whole_.prepared, 1);
  config_.invoke_prepare_options = true;
  ASSERT_OK(whole_.ConfigureFromString(config_, "unique={id=Whole;count=5}"));
  EXPECT_EQ(static_cast<Whole*>(whole_.settings.unique.get())->prepared, 1);
  EXPECT_CODE(InvalidArgument, whole_.ConfigureFromString(config_, "count=-1"));
  EXPECT_EQ(whole_.settings.count, 4);
  EXPECT_OK(whole_.ValidateOptions(DBOptions(), ColumnFamilyOptions()));
  static_cast<Whole*>(whole_.settings.unique.get())->settings.count = 101;
  EXPECT_CODE(InvalidArgument, whole_.ValidateOptions(DBOptions(), ColumnFamilyOptions()));
}

TEST_F(CustomizableTest, NamesAndCasts) {
  EXPECT_TRUE(whole_.IsInstanceOf("Whole"));
  EXPECT_TRUE(whole_.IsInstanceOf("whole-gadget"));
  EXPECT_FALSE(whole_.IsInstanceOf(""));
  EXPECT_EQ(whole_.GetId(), "Whole");
  Part outer;
  auto inner = std::make_shared<Whole>();
  EXPECT_EQ(outer.CheckedCast<Whole>(), nullptr);
  EXPECT_EQ(outer.GetOptions<Settings>(), nullptr);
  outer.inner = inner;
  EXPECT_EQ(outer.CheckedCast<Whole>(), inner.get());
  EXPECT_EQ(outer.GetOptions<Settings>(), &inner->settings);
  EXPECT_EQ(outer.GetOptions<int>("weight"), &outer.weight);
}

TEST_F(CustomizableTest, PartsOfLists) {
  const std::string list = " a : {b:c} :d";
  size_t end = 0;
  std::string token;
  std::vector<std::string> tokens;
  for (size_t start = 0; start < list.size() && end != std::string::npos; start = end + 1) {
    ASSERT_OK(OptionTypeInfo::NextToken(list, ':', start, &end, &token));
    tokens.push_back(token);
  }
  EXPECT_EQ(tokens, (std::vector<std::string>{"a", "b:c", "d"}));
  EXPECT_CODE(InvalidArgument, OptionTypeInfo::NextToken("{a:b", ':', 0, &end, &token));
  EXPECT_CODE(InvalidArgument, OptionTypeInfo::NextToken("{a}b:c", ':', 0, &end, &token));
}

TEST_F(CustomizableTest, StructsByTheirMaps) {
  Point point;
  ASSERT_OK(OptionTypeInfo::ParseType(config_, "x=5;y=0.75", kPoint, &point));
  EXPECT_EQ(point.x, 5);
  std::string text;
  ASSERT_OK(OptionTypeInfo::SerializeType(config_, kPoint, &point, &text));
  EXPECT_NE(text.find("x=5;"), std::string::npos) << text;
  Point other = point;
  std::string mismatch;
  EXPECT_TRUE(OptionTypeInfo::TypesAreEqual(config_, kPoint, &point, &other, &mismatch));
  other.y = 9;
  EXPECT_FALSE(OptionTypeInfo::TypesAreEqual(config_, kPoint, &point, &other, &mismatch));
  EXPECT_EQ(mismatch, "y");
  EXPECT_CODE(NotFound, OptionTypeInfo::ParseType(config_, "z=1", kPoint, &point));
  Texts unused;
  ASSERT_OK(OptionTypeInfo::ParseType(config_, "z=1;x=6", kPoint, &point, &unused));
  EXPECT_EQ(unused, (Texts{{"z", "1"}}));
  EXPECT_EQ(point.x, 6);
}

// --- the library's own objects

TEST(ObjectsFromText, TableFactories) {
  ConfigOptions config;
  std::shared_ptr<TableFactory> factory;
  ASSERT_OK(TableFactory::CreateFromString(config, "BlockBasedTable", &factory));
  EXPECT_STREQ(factory->Name(), "BlockBasedTable");
  ASSERT_OK(TableFactory::CreateFromString(
      config,
      "{id=BlockBasedTable;block_size=16K;filter_policy=bloomfilter:8:false;"
      "block_cache={capacity=1M;num_shard_bits=4}}",
      &factory));
  auto* options = factory->GetOptions<BlockBasedTableOptions>();
  ASSERT_NE(options, nullptr);
  EXPECT_EQ(options->block_size, 16384u);
  EXPECT_EQ(options->block_cache->GetCapacity(), 1u << 20);
  EXPECT_TRUE(options->filter_policy->IsInstanceOf("bloomfilter"));
  std::string value;
  ASSERT_OK(factory->GetOption(config, "block_size", &value));
  EXPECT_EQ(value, "16384");
  ASSERT_OK(factory->GetOptionString(config, &value));
  EXPECT_NE(value.find("block_size=16384;"), std::string::npos);
  EXPECT_NE(value.find("filter_policy=bloomfilter:8:false;"), std::string::npos) << value;
  ASSERT_OK(factory->ConfigureFromString(config, "block_size=4K"));
  EXPECT_EQ(factory->GetOptions<BlockBasedTableOptions>()->block_size, 4096u);
  EXPECT_CODE(InvalidArgument, factory->ConfigureFromString(config, "block_size=big"));
  EXPECT_CODE(NotFound, factory->ConfigureFromString(config, "no_such_option=1"));
  EXPECT_EQ(factory->GetOptions<BlockBasedTableOptions>()->block_size, 4096u);
  ASSERT_OK(factory->GetOption(config, "metadata_cache_options", &value));
  EXPECT_NE(value.find("partition_pinning=kFallback;"), std::string::npos) << value;
  ASSERT_OK(TableFactory::CreateFromString(config, "{id=PlainTable;user_key_len=8}", &factory));
  ASSERT_NE(factory->GetOptions<PlainTableOptions>(), nullptr);
  EXPECT_EQ(factory->GetOptions<PlainTableOptions>()->user_key_len, 8u);
  ASSERT_OK(
      TableFactory::CreateFromString(config, "{id=CuckooTable;cuckoo_block_size=6}", &factory));
  EXPECT_EQ(factory->GetOptions<CuckooTableOptions>()->cuckoo_block_size, 6u);
  config.ignore_unsupported_options = false;
  EXPECT_CODE(NotSupported, TableFactory::CreateFromString(config, "NoTable", &factory));
}

TEST(ObjectsFromText, SettingsOfBuiltInObjects) {
  ConfigOptions config;
  config.ignore_unsupported_options = false;
  std::shared_ptr<MergeOperator> merge;
  ASSERT_OK(MergeOperator::CreateFromString(config, "{id=stringappend;delimiter=|}", &merge));
  std::string value;
  ASSERT_OK(merge->GetOption(config, "delimiter", &value));
  EXPECT_EQ(value, "|");
  EXPECT_EQ(merge->ToString(config), "{id=StringAppendOperator;delimiter=|;}");
  EXPECT_CODE(NotFound,
              MergeOperator::CreateFromString(config, "{id=stringappend;comma=1}", &merge));
  EXPECT_CODE(NotSupported, MergeOperator::CreateFromString(config, "nobody", &merge));

  std::shared_ptr<SstPartitionerFactory> partitioner;
  ASSERT_OK(SstPartitionerFactory::CreateFromString(
      config, "{id=SstPartitionerFixedPrefixFactory;length=6}", &partitioner));
  EXPECT_EQ(partitioner->ToString(config), "{id=SstPartitionerFixedPrefixFactory;length=6;}");
  ASSERT_OK(partitioner->GetOption(config, "length", &value));
  EXPECT_EQ(value, "6");

  std::shared_ptr<const FilterPolicy> filter;
  ASSERT_OK(FilterPolicy::CreateFromString(config, "ribbonfilter:10:3", &filter));
  EXPECT_TRUE(filter->IsInstanceOf("ribbonfilter"));
  ASSERT_OK(FilterPolicy::CreateFromString(config, "{id=bloomfilter:10:false}", &filter));
  EXPECT_TRUE(filter->IsInstanceOf("bloomfilter"));
  ASSERT_OK(FilterPolicy::CreateFromString(config, "nullptr", &filter));
  EXPECT_EQ(filter, nullptr);
  EXPECT_CODE(NotSupported, FilterPolicy::CreateFromString(config, "nobody:1", &filter));

  std::shared_ptr<const SliceTransform> transform;
  ASSERT_OK(SliceTransform::CreateFromString(config, "{id=fixed:4}", &transform));
  EXPECT_EQ(transform->GetId(), "rocksdb.FixedPrefix.4");
}

TEST(ObjectsFromText, Caches) {
  ConfigOptions config;
  std::shared_ptr<Cache> cache;
  ASSERT_OK(Cache::CreateFromString(config, "2M", &cache));
  EXPECT_EQ(cache->GetCapacity(), 2u << 20);
  ASSERT_OK(Cache::CreateFromString(
      config, "capacity=3M;num_shard_bits=2;strict_capacity_limit=true", &cache));
  EXPECT_EQ(cache->GetCapacity(), 3u << 20);
  EXPECT_TRUE(cache->HasStrictCapacityLimit());
  EXPECT_CODE(InvalidArgument, Cache::CreateFromString(config, "capacity=much", &cache));
  EXPECT_EQ(cache->GetCapacity(), 3u << 20);
  std::shared_ptr<SecondaryCache> secondary;
  ASSERT_OK(SecondaryCache::CreateFromString(
      config, "compressed_secondary_cache://capacity=4M;num_shard_bits=0", &secondary));
  EXPECT_STREQ(secondary->Name(), "CompressedSecondaryCache");
  std::shared_ptr<Statistics> statistics;
  ASSERT_OK(Statistics::CreateFromString(config, "", &statistics));
  EXPECT_TRUE(statistics->IsInstanceOf("BasicStatistics"));
}

// --- plug-ins in a database

class TaggedAppend : public AssociativeMergeOperator {
 public:
  static const char* kClassName() { return "conformance.TaggedAppend"; }
  TaggedAppend() {
    static const TypeMap kMap = {{"tag", {0, OptionType::kString}}};
    RegisterOptions("tag", &tag, &kMap);
  }
  const char* Name() const override { return kClassName(); }
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
             Logger* /*logger*/) const override {
    *result = (existing == nullptr ? "" : existing->ToString()) + tag + value.ToString();
    return true;
  }
  std::string tag = "-";
};

// Asks the Env below it for everything, and counts.
class CountingFs : public FileSystemWrapper {
 public:
  static const char* kClassName() { return "conformance.CountingFs"; }
  CountingFs() : FileSystemWrapper(nullptr) {
    static const TypeMap kMap = {{"start", {0, OptionType::kInt}}};
    RegisterOptions("start", &start, &kMap);
  }
  const char* Name() const override { return kClassName(); }
  IOStatus FileExists(const std::string& name, const IOOptions& options,
                      IODebugContext* debug) override {
    ++start;
    return FileSystemWrapper::FileExists(name, options, debug);
  }
  int start = 0;
};

class CountingClock : public SystemClockWrapper {
 public:
  static const char* kClassName() { return "conformance.CountingClock"; }
  CountingClock() : SystemClockWrapper(nullptr) {}
  const char* Name() const override { return kClassName(); }
};

TEST(PlugIns, AMergeOperatorStandsInTheOptionsFileAndComesBack) {
  ConfigOptions config;
  config.registry->AddLibrary("plug-in")->AddFactory<MergeOperator>(
      TaggedAppend::kClassName(),
      [](const std::string& /*id*/, std::unique_ptr<MergeOperator>* guard,
         std::string* /*message*/) {
        guard->reset(new TaggedAppend);
        return guard->get();
      });
  Options options;
  options.create_if_missing = true;
  ASSERT_OK(MergeOperator::CreateFromString(config, "{id=conformance.TaggedAppend;tag=+}",
                                            &options.merge_operator));
  ASSERT_NE(options.merge_operator, nullptr);
  std::string text;
  ASSERT_OK(GetStringFromColumnFamilyOptions(config, options, &text));
  EXPECT_NE(text.find("merge_operator={id=conformance.TaggedAppend;tag=+;}"), std::string::npos)
      << text;
  ColumnFamilyOptions read;
  ASSERT_OK(GetColumnFamilyOptionsFromString(config, ColumnFamilyOptions(), text, &read));
  ASSERT_NE(read.merge_operator, nullptr);
  std::string tag;
  ASSERT_OK(read.merge_operator->GetOption(config, "tag", &tag));
  EXPECT_EQ(tag, "+");
  // A member of an object that is set already.
  ASSERT_OK(GetColumnFamilyOptionsFromString(
      config, options, "merge_operator={id=conformance.TaggedAppend;tag=*}", &read));
  ASSERT_OK(read.merge_operator->GetOption(config, "tag", &tag));
  EXPECT_EQ(tag, "*");
  EXPECT_CODE(InvalidArgument,
              GetColumnFamilyOptionsFromString(
                  config, options, "merge_operator={id=conformance.TaggedAppend;no=*}", &read));
}

TEST(PlugIns, WrappersHaveTheirTargetAsAnOption) {
  ConfigOptions config;
  config.ignore_unsupported_options = false;
  auto library = config.registry->AddLibrary("plug-in");
  library->AddFactory<FileSystem>(
      CountingFs::kClassName(),
      [](const std::string& /*id*/, std::unique_ptr<FileSystem>* guard, std::string* /*message*/) {
        guard->reset(new CountingFs);
        return guard->get();
      });
  library->AddFactory<SystemClock>(
      CountingClock::kClassName(),
      [](const std::string& /*id*/, std::unique_ptr<SystemClock>* guard, std::string* /*message*/) {
        guard->reset(new CountingClock);
        return guard->get();
      });
  std::shared_ptr<FileSystem> fs;
  ASSERT_OK(FileSystem::CreateFromString(config, "{id=conformance.CountingFs;start=5}", &fs));
  ASSERT_NE(fs->Inner(), nullptr);
  EXPECT_EQ(fs->CheckedCast<CountingFs>()->start, 5);
  EXPECT_OK(fs->FileExists("/", IOOptions(), nullptr));
  EXPECT_EQ(fs->CheckedCast<CountingFs>()->start, 6);
  ASSERT_OK(FileSystem::CreateFromString(
      config, "{id=conformance.CountingFs;target={id=conformance.CountingFs;start=7}}", &fs));
  EXPECT_OK(fs->FileExists("/", IOOptions(), nullptr));
  EXPECT_EQ(static_cast<const CountingFs*>(fs->Inner())->start, 8);
  EXPECT_NE(fs->ToString(config).find("target="), std::string::npos) << fs->ToString(config);
  std::shared_ptr<SystemClock> clock;
  ASSERT_OK(SystemClock::CreateFromString(config, "conformance.CountingClock", &clock));
  EXPECT_GT(clock->NowMicros(), 0u);
  EXPECT_EQ(clock->Inner(), SystemClock::Default().get());
  EXPECT_CODE(NotSupported, SystemClock::CreateFromString(config, "nobody", &clock));
}

}  // namespace
}  // namespace conformance
