// What Configurable and Customizable do beyond the conformance suite's customizable_test.cc: errors
// that change nothing, circles, texts that are nested too deep, and the helpers that make objects.
#include "rocksdb/configurable.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/namespace.h"
#include "rocksdb/convenience.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/utilities/customizable_util.h"
#include "rocksdb/utilities/options_type.h"

namespace cairn {
namespace {

using OptionTypes = std::unordered_map<std::string, OptionTypeInfo>;

class Knot : public Customizable {
 public:
  static const char* Type() { return "Knot"; }
  static const char* kClassName() { return "Knot"; }
  static Status CreateFromString(const ConfigOptions& options, const std::string& value,
                                 std::shared_ptr<Knot>* result) {
    return LoadSharedObject<Knot>(options, value, result);
  }
  static Status CreateFromString(const ConfigOptions& options, const std::string& value,
                                 std::unique_ptr<Knot>* result) {
    return LoadUniqueObject<Knot>(options, value, result);
  }

  struct Options {
    static const char* kName() { return "KnotOptions"; }
    int strands = 2;
    std::string label;
    std::string bytes;
    std::atomic<int> pulls{1};
    std::array<int, 3> lengths{1, 2, 3};
    std::map<std::string, std::string> words;
    std::shared_ptr<Knot> next;
    std::unique_ptr<Knot> own;
  };

  Knot() { RegisterOptions(&options, &Types()); }
  const char* Name() const override { return kClassName(); }
  Status PrepareOptions(const ConfigOptions& config) override {
    return options.strands > 9 ? Status::InvalidArgument("too many strands")
                               : Customizable::PrepareOptions(config);
  }

  static const OptionTypes& Types() {
    using enum OptionVerificationType;
    static const OptionTypes types = {
        {"strands", {At(&Options::strands), OptionType::kInt}},
        {"label", {At(&Options::label), OptionType::kString}},
        {"bytes", {At(&Options::bytes), OptionType::kEncodedString}},
        {"pulls", {At(&Options::pulls), OptionType::kAtomicInt}},
        {"lengths", OptionTypeInfo::Array<int, 3>(At(&Options::lengths), kNormal,
                                                  OptionTypeFlags::kNone, {0, OptionType::kInt})},
        {"words", OptionTypeInfo::StringMap(At(&Options::words), kNormal, OptionTypeFlags::kNone)},
        {"next", OptionTypeInfo::AsCustomSharedPtr<Knot>(At(&Options::next), kByName,
                                                         OptionTypeFlags::kAllowNull)},
        {"own", OptionTypeInfo::AsCustomUniquePtr<Knot>(At(&Options::own), kByName,
                                                        OptionTypeFlags::kAllowNull)},
    };
    return types;
  }

  Options options;

 private:
  template <typename T>
  static int At(T Options::* member) {
    static const Options base;
    return static_cast<int>(reinterpret_cast<const char*>(&(base.*member)) -
                            reinterpret_cast<const char*>(&base));
  }
};

ConfigOptions WithKnots() {
  ConfigOptions config;
  config.ignore_unsupported_options = false;
  config.registry->AddLibrary("knots")->AddFactory<Knot>(
      Knot::kClassName(),
      [](const std::string& /*id*/, std::unique_ptr<Knot>* guard, std::string* /*message*/) {
        *guard = std::make_unique<Knot>();
        return guard->get();
      });
  return config;
}

TEST(Configurable, EveryKindComesBack) {
  const ConfigOptions config = WithKnots();
  Knot knot;
  knot.options.label = "a;b={c}:#\\\n";
  knot.options.bytes = std::string("\0\xff;", 3);
  knot.options.pulls = 7;
  knot.options.lengths = {7, 8, 9};
  knot.options.words = {{"k=1", "v;"}, {"", "empty"}};
  std::string text;
  ASSERT_TRUE(knot.GetOptionString(config, &text).ok());
  Knot copy;
  const Status s = copy.ConfigureFromString(config, text);
  ASSERT_TRUE(s.ok()) << s.ToString() << " of " << text;
  EXPECT_EQ(copy.options.bytes, knot.options.bytes);
  EXPECT_EQ(copy.options.pulls.load(), 7);
  EXPECT_EQ(copy.options.lengths, knot.options.lengths);
  EXPECT_EQ(copy.options.words, knot.options.words);
  EXPECT_EQ(copy.options.label, knot.options.label);
  for (const char* bad : {"lengths=1:2", "lengths=1:2:3:4", "words={41}", "words={x=41}"}) {
    EXPECT_TRUE(copy.ConfigureFromString(config, bad).IsInvalidArgument()) << bad;
  }
  EXPECT_EQ(copy.options.lengths, knot.options.lengths);
}

TEST(Configurable, AnErrorPutsBackWhatWasThere) {
  const ConfigOptions config = WithKnots();
  Knot knot;
  const auto next = std::make_shared<Knot>();
  knot.options.next = next;
  next->options.strands = 5;
  for (const char* bad :
       {"next={id=Knot;strands=4};own=Knot;strands=3;label=x;zzz=1", "next=nullptr;strands=many",
        "next.strands=6;own=Nobody", "next.strands=6;strands=10"}) {
    const Status s = knot.ConfigureFromString(config, bad);
    EXPECT_FALSE(s.ok()) << bad;
    EXPECT_EQ(knot.options.next, next) << bad << ": the object itself";
    EXPECT_EQ(next->options.strands, 5) << bad;
    EXPECT_EQ(knot.options.own, nullptr) << bad;
    EXPECT_EQ(knot.options.strands, 2) << bad;
    EXPECT_EQ(knot.options.label, "") << bad;
  }
}

TEST(Configurable, ACircleIsRefused) {
  const ConfigOptions config = WithKnots();
  const auto one = std::make_shared<Knot>();
  const auto other = std::make_shared<Knot>();
  one->options.next = other;
  other->options.next = one;
  std::string text;
  for (const Status& s :
       {one->GetOptionString(config, &text), one->PrepareOptions(config),
        one->ConfigureFromString(config, "strands=3"), one->GetOption(config, "next", &text)}) {
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_NE(s.ToString().find("next.next"), std::string::npos) << s.ToString();
  }
  EXPECT_EQ(one->ToString(config), "Knot");
  EXPECT_FALSE(one->AreEquivalent(config, other.get(), &text));
  EXPECT_EQ(one->options.strands, 2);
  other->options.next = nullptr;
  EXPECT_TRUE(one->GetOptionString(config, &text).ok());
}

TEST(Configurable, TextsThatAreNestedTooDeepAreRefused) {
  const ConfigOptions config = WithKnots();
  const auto nested = [](int depth) {
    std::string text = "strands=3";
    for (int i = 0; i < depth; ++i) text = "next={id=Knot;" + text + "}";
    return text;
  };
  Knot knot;
  ASSERT_TRUE(knot.ConfigureFromString(config, nested(20)).ok());
  for (const int depth : {40, 1000}) {
    EXPECT_TRUE(knot.ConfigureFromString(config, nested(depth)).IsInvalidArgument()) << depth;
  }
}

TEST(Configurable, ManagedObjectsAndFactoriesOfConst) {
  const ConfigOptions config = WithKnots();
  std::shared_ptr<Knot> one;
  std::shared_ptr<Knot> other;
  ASSERT_TRUE(LoadManagedObject<Knot>(config, "{id=Knot;strands=8}", &one).ok());
  ASSERT_TRUE(LoadManagedObject<Knot>(config, "{id=Knot;strands=9}", &other).ok());
  EXPECT_EQ(one, other);
  EXPECT_EQ(one->options.strands, 8);
  std::shared_ptr<const Knot> constant;
  ASSERT_TRUE(LoadSharedObject<const Knot>(config, "{id=Knot;strands=4}", &constant).ok());
  EXPECT_EQ(constant->options.strands, 4);
  // A half configured object is nobody's.
  EXPECT_FALSE(LoadSharedObject<const Knot>(config, "{id=Knot;strands=x}", &constant).ok());
  EXPECT_EQ(constant->options.strands, 4);
  EXPECT_TRUE(NewSharedObject<Knot>(config, "", {{"strands", "1"}}, &one).IsNotSupported());
}

TEST(Configurable, TextsOfMergeOperators) {
  std::shared_ptr<MergeOperator> merges;
  const auto text_of = [&merges](const char* text) {
    EXPECT_TRUE(MergeOperator::CreateFromString(ConfigOptions(), text, &merges).ok());
    return merges->ToString(ConfigOptions());
  };
  EXPECT_EQ(text_of("max"), "MaxOperator");
  EXPECT_EQ(text_of("{id=stringappend;delimiter=|}"), "{id=StringAppendOperator;delimiter=|;}");
}

TEST(Configurable, IndividualIdsTellObjectsApart) {
  class Single : public Knot {
   public:
    std::string GetId() const override { return GenerateIndividualId(); }
  };
  const Single one;
  const Single other;
  EXPECT_NE(one.GetId(), other.GetId());
  EXPECT_EQ(one.GetId(), one.GetId());
  EXPECT_TRUE(ObjectLibrary::PatternEntry::AsIndividualId("Knot").Matches(one.GetId()))
      << one.GetId();
}

}  // namespace
}  // namespace cairn
