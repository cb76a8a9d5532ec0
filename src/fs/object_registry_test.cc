#include "rocksdb/utilities/object_registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "base/namespace.h"
#include "fs/memory_file_system.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"

namespace cairn {
namespace {

using Pattern = ObjectLibrary::PatternEntry;

TEST(PatternEntry, ANameMatchesItselfOnly) {
  const Pattern name("disk");
  EXPECT_TRUE(name.Matches("disk"));
  for (const char* other : {"", "dis", "disks", "Disk", "a disk"}) {
    EXPECT_FALSE(name.Matches(other)) << other;
  }
  EXPECT_STREQ("disk", name.Name());
  EXPECT_TRUE(Pattern("disk", false).Matches("disk")) << "there is nothing else that it could be";
}

TEST(PatternEntry, UrisMayBeginWithASchemeAndNeedARest) {
  const Pattern uri = Pattern("remote", false).AddSeparator("://");
  EXPECT_TRUE(uri.Matches("remote://host:1"));
  for (const char* other : {"remote", "remote://", "remote:/x", "remotes://x", "xremote://x"}) {
    EXPECT_FALSE(uri.Matches(other)) << other;
  }
  const Pattern with_or_without = Pattern("posix").AddSeparator("://", false);
  EXPECT_TRUE(with_or_without.Matches("posix"));
  EXPECT_TRUE(with_or_without.Matches("posix://"));
  EXPECT_TRUE(with_or_without.Matches("posix:///tmp"));
  EXPECT_FALSE(with_or_without.Matches("posix:"));
}

TEST(PatternEntry, PartsStandInTheirOrder) {
  const Pattern hello = Pattern("Hello").AddSeparator(" ").AddSuffix("!");
  EXPECT_TRUE(hello.Matches("Hello"));
  EXPECT_TRUE(hello.Matches("Hello world!"));
  EXPECT_FALSE(hello.Matches("Hello world"));
  EXPECT_FALSE(hello.Matches("Hello !"));
  EXPECT_FALSE(hello.Matches("Hello world!!")) << "from the left, without a second try";
  const Pattern id = Pattern::AsIndividualId("Cache");
  EXPECT_TRUE(id.Matches("Cache"));
  EXPECT_TRUE(id.Matches("Cache@0x7f#12"));
  EXPECT_FALSE(id.Matches("Cache#12@0x7f"));
  EXPECT_FALSE(id.Matches("Cache@#12"));
  EXPECT_FALSE(id.Matches("Cache@0x7f"));
}

TEST(PatternEntry, NumbersAreDigits) {
  const Pattern bits = Pattern("bloom", false).AddNumber(":");
  EXPECT_TRUE(bits.Matches("bloom:10"));
  for (const char* other : {"bloom", "bloom:", "bloom:x", "bloom:1.5", "bloom:-1"}) {
    EXPECT_FALSE(bits.Matches(other)) << other;
  }
  const Pattern ratio = Pattern("bloom", false).AddNumber(":", false).AddSuffix("%");
  EXPECT_TRUE(ratio.Matches("bloom:1.5%"));
  for (const char* other : {"bloom:1%", "bloom:.5%", "bloom:1.%", "bloom:1.5", "bloom:1.5.5%"}) {
    EXPECT_FALSE(ratio.Matches(other)) << other;
  }
}

TEST(PatternEntry, OtherNamesMatchAsWell) {
  const Pattern names = Pattern("a").AnotherName("b").AddSeparator("@");
  for (const char* name : {"a", "b", "a@1", "b@1"}) EXPECT_TRUE(names.Matches(name)) << name;
  EXPECT_FALSE(names.Matches("c@1"));
  EXPECT_FALSE(Pattern(names).SetOptional(false).Matches("a"));
}

// --- objects

class Shape : public Customizable {
 public:
  static const char* Type() { return "Shape"; }
  explicit Shape(std::string id) : id_(std::move(id)) {}
  const char* Name() const override { return "Shape"; }
  std::string GetId() const override { return id_; }
  int corners = 0;

 private:
  const std::string id_;
};

Shape* NewShape(const std::string& id, std::unique_ptr<Shape>* guard, std::string* /*message*/) {
  guard->reset(new Shape(id));
  return guard->get();
}

TEST(ObjectLibrary, FindsCountsAndNames) {
  ObjectLibrary library("mine");
  EXPECT_EQ("mine", library.GetID());
  EXPECT_EQ(nullptr, library.FindFactory<Shape>("square"));
  EXPECT_NE(nullptr, library.AddFactory<Shape>("square", NewShape));
  library.AddFactory<Shape>(Pattern("ngon", false).AddNumber(":"), NewShape);
  library.AddFactory<FileSystem>("square", [](auto&&...) { return nullptr; });
  EXPECT_NE(nullptr, library.FindFactory<Shape>("ngon:5"));
  EXPECT_EQ(nullptr, library.FindFactory<FileSystem>("ngon:5")) << "another type";
  EXPECT_EQ(2u, library.GetFactoryCount("Shape"));
  EXPECT_EQ(0u, library.GetFactoryCount("Circle"));
  size_t types = 0;
  EXPECT_EQ(3u, library.GetFactoryCount(&types));
  EXPECT_EQ(2u, types);
  std::vector<std::string> names;
  library.GetFactoryNames("Shape", &names);
  EXPECT_EQ((std::vector<std::string>{"square", "ngon"}), names);
  std::unordered_set<std::string> of;
  library.GetFactoryTypes(&of);
  EXPECT_EQ((std::unordered_set<std::string>{"Shape", "FileSystem"}), of);
}

TEST(ObjectRegistry, ObjectsHaveTheOwnerThatTheFactoryWants) {
  ObjectRegistry registry(std::make_shared<ObjectLibrary>("none"));
  const auto library = registry.AddLibrary("shapes");
  static Shape eternal("eternal");
  library->AddFactory<Shape>("owned", NewShape);
  library->AddFactory<Shape>("eternal", [](auto&&...) { return &eternal; });
  std::unique_ptr<Shape> unique;
  std::shared_ptr<Shape> shared;
  Shape* forever = nullptr;
  ASSERT_TRUE(registry.NewUniqueObject<Shape>("owned", &unique).ok());
  EXPECT_EQ("owned", unique->GetId());
  ASSERT_TRUE(registry.NewSharedObject<Shape>("owned", &shared).ok());
  EXPECT_EQ(1, shared.use_count());
  EXPECT_TRUE(registry.NewStaticObject<Shape>("owned", &forever).IsInvalidArgument());
  EXPECT_EQ(nullptr, forever);
  ASSERT_TRUE(registry.NewStaticObject<Shape>("eternal", &forever).ok());
  EXPECT_EQ(&eternal, forever);
  EXPECT_TRUE(registry.NewUniqueObject<Shape>("eternal", &unique).IsInvalidArgument());
  EXPECT_TRUE(registry.NewSharedObject<Shape>("eternal", &shared).IsInvalidArgument());
}

TEST(ObjectRegistry, ErrorsNameTheTargetAndWhatThereIs) {
  ObjectRegistry registry(std::make_shared<ObjectLibrary>("none"));
  registry.AddLibrary("shapes")->AddFactory<Shape>("square", NewShape);
  registry.AddLibrary("broken")->AddFactory<Shape>(
      "line", [](const std::string&, std::unique_ptr<Shape>*, std::string* message) {
        *message = "has no corners";
        return nullptr;
      });
  std::shared_ptr<Shape> shape;
  Status s = registry.NewSharedObject<Shape>("circle", &shape);
  EXPECT_TRUE(s.IsNotSupported());
  for (const char* part : {"Shape", "circle", "square", "line"}) {
    EXPECT_NE(std::string::npos, s.ToString().find(part)) << s.ToString();
  }
  s = registry.NewSharedObject<Shape>("line", &shape);
  EXPECT_TRUE(s.IsInvalidArgument());
  EXPECT_NE(std::string::npos, s.ToString().find("line: has no corners")) << s.ToString();
}

TEST(ObjectRegistry, LaterLibrariesComeFirstAndChildrenBeforeTheirParents) {
  const auto parent = ObjectRegistry::NewInstance();
  const auto child = ObjectRegistry::NewInstance(parent);
  const auto corners = [](int n) {
    return [n](const std::string& id, std::unique_ptr<Shape>* guard, std::string*) {
      guard->reset(new Shape(id));
      (*guard)->corners = n;
      return guard->get();
    };
  };
  const auto made = [](const auto& registry) {
    std::unique_ptr<Shape> shape;
    return registry->template NewUniqueObject<Shape>("shape", &shape).ok() ? shape->corners : -1;
  };
  parent->AddLibrary("three")->AddFactory<Shape>("shape", corners(3));
  EXPECT_EQ(3, made(child));
  parent->AddLibrary("four")->AddFactory<Shape>("shape", corners(4));
  EXPECT_EQ(4, made(child));
  child->AddLibrary(
      "five",
      [&](ObjectLibrary& library, const std::string& name) {
        library.AddFactory<Shape>(name, corners(5));
        return 1;
      },
      "shape");
  EXPECT_EQ(5, made(child));
  EXPECT_EQ(4, made(parent)) << "what a child knows is its own";
  EXPECT_EQ(2u, parent->GetFactoryCount("Shape"));
  EXPECT_EQ(3u, child->GetFactoryCount("Shape"));
  EXPECT_EQ(-1, made(ObjectRegistry::Default()));
}

class LinesLogger : public Logger {
 public:
  using Logger::Logv;
  void Logv(const char* format, va_list ap) override {
    char line[400];
    std::vsnprintf(line, sizeof(line), format, ap);
    text += std::string(line) + "\n";
  }
  std::string text;
};

TEST(ObjectRegistry, PluginsHaveNamesAndAreDumped) {
  const auto registry = ObjectRegistry::NewInstance();
  const auto load = [](ObjectLibrary& library, const std::string& /*name*/) {
    library.AddFactory<Shape>("square", NewShape);
    return 1;
  };
  EXPECT_EQ(-1, registry->RegisterPlugin("", load));
  EXPECT_EQ(-1, registry->RegisterPlugin("geometry", nullptr));
  EXPECT_EQ(1, registry->RegisterPlugin("geometry", load));
  LinesLogger logger;
  registry->Dump(&logger);
  for (const char* part : {"geometry", "square", "posix"}) {
    EXPECT_NE(std::string::npos, logger.text.find(part)) << logger.text;
  }
}

TEST(ObjectRegistry, ManagedObjectsExistOnceWhileTheyLive) {
  const auto parent = ObjectRegistry::NewInstance();
  const auto registry = ObjectRegistry::NewInstance(parent);
  registry->AddLibrary("shapes")->AddFactory<Shape>(Pattern("ngon", false).AddNumber(":"),
                                                    NewShape);
  std::shared_ptr<Shape> five, again, six;
  int configured = 0;
  const auto configure = [&](Shape* shape) {
    shape->corners = ++configured;
    return Status::OK();
  };
  ASSERT_TRUE(registry->GetOrCreateManagedObject<Shape>("ngon:5", &five, configure).ok());
  ASSERT_TRUE(registry->GetOrCreateManagedObject<Shape>("ngon:5", &again, configure).ok());
  EXPECT_EQ(five, again);
  EXPECT_EQ(1, configured);
  EXPECT_TRUE(registry
                  ->GetOrCreateManagedObject<Shape>("ngon:6", &six,
                                                    [](Shape*) { return Status::Aborted("no"); })
                  .IsAborted());
  EXPECT_EQ(nullptr, registry->GetManagedObject<Shape>("ngon:6"));
  EXPECT_TRUE(registry->SetManagedObject<Shape>(five).ok()) << "the same again";
  EXPECT_TRUE(registry->SetManagedObject<Shape>("ngon:5", std::make_shared<Shape>("x"))
                  .IsInvalidArgument());
  const auto above = std::make_shared<Shape>("above");
  ASSERT_TRUE(parent->SetManagedObject<Shape>(above).ok());
  EXPECT_EQ(above, registry->GetManagedObject<Shape>("above"));
  std::vector<std::shared_ptr<Shape>> all;
  ASSERT_TRUE(registry->ListManagedObjects<Shape>(&all).ok());
  EXPECT_EQ(2u, all.size());
  ASSERT_TRUE(registry->ListManagedObjects<Shape>("Circle", &all).ok());
  EXPECT_TRUE(all.empty());
  five.reset();
  again.reset();
  EXPECT_EQ(nullptr, registry->GetManagedObject<Shape>("ngon:5"));
}

// --- file systems and Envs

ConfigOptions Strict() {
  ConfigOptions options;
  options.ignore_unsupported_options = false;
  return options;
}

TEST(CreateFromString, BuiltinFileSystems) {
  std::shared_ptr<FileSystem> fs;
  ASSERT_TRUE(FileSystem::CreateFromString(Strict(), "DefaultFileSystem", &fs).ok());
  EXPECT_EQ(FileSystem::Default(), fs);
  ASSERT_TRUE(FileSystem::CreateFromString(Strict(), "id=DefaultFileSystem;", &fs).ok());
  EXPECT_EQ(FileSystem::Default(), fs);
  ASSERT_TRUE(FileSystem::CreateFromString(Strict(), "posix://", &fs).ok());
  bool is_dir = false;
  ASSERT_TRUE(fs->IsDirectory("/", IOOptions(), &is_dir, nullptr).ok());
  EXPECT_TRUE(is_dir);
  std::shared_ptr<FileSystem> other;
  ASSERT_TRUE(FileSystem::CreateFromString(Strict(), "MemoryFileSystem", &fs).ok());
  ASSERT_TRUE(FileSystem::CreateFromString(Strict(), "MemoryFileSystem", &other).ok());
  EXPECT_NE(fs, other);
  ASSERT_TRUE(FileSystem::CreateFromString(Strict(), "", &fs).ok());
  EXPECT_EQ(nullptr, fs);
}

TEST(CreateFromString, AnUnknownFileSystemIsNamedWithThoseThereAre) {
  std::shared_ptr<FileSystem> fs = FileSystem::Default();
  const Status s = FileSystem::CreateFromString(Strict(), "hdfs://host:1/x", &fs);
  EXPECT_TRUE(s.IsNotSupported());
  for (const char* part : {"FileSystem", "hdfs://host:1/x", "posix", "MemoryFileSystem"}) {
    EXPECT_NE(std::string::npos, s.ToString().find(part)) << s.ToString();
  }
  EXPECT_TRUE(FileSystem::CreateFromString(ConfigOptions(), "hdfs://host:1/x", &fs).ok())
      << "ignore_unsupported_options";
  EXPECT_EQ(FileSystem::Default(), fs);
  // (The option is what is not found.)
  EXPECT_TRUE(
      FileSystem::CreateFromString(Strict(), "id=MemoryFileSystem;size=5", &fs).IsNotFound());
}

TEST(CreateFromString, CompactionFiltersAreFoundByTheirNames) {
  class Filter final : public CompactionFilter {
   public:
    const char* Name() const override { return "Filter"; }
  };
  class Factory final : public CompactionFilterFactory {
   public:
    const char* Name() const override { return "Factory"; }
    std::unique_ptr<CompactionFilter> CreateCompactionFilter(
        const CompactionFilter::Context&) override {
      return std::make_unique<Filter>();
    }
  };
  const ConfigOptions options = Strict();
  static Filter only;
  auto library = options.registry->AddLibrary("filters");
  library->AddFactory<CompactionFilter>(
      "only", [](const std::string&, std::unique_ptr<CompactionFilter>*, std::string*) {
        return static_cast<CompactionFilter*>(&only);
      });
  library->AddFactory<CompactionFilterFactory>(
      "made",
      [](const std::string&, std::unique_ptr<CompactionFilterFactory>* guard, std::string*) {
        *guard = std::make_unique<Factory>();
        return guard->get();
      });
  const CompactionFilter* filter = nullptr;
  ASSERT_TRUE(CompactionFilter::CreateFromString(options, "only", &filter).ok());
  EXPECT_EQ(&only, filter);
  EXPECT_TRUE(CompactionFilter::CreateFromString(options, "other", &filter).IsNotSupported());
  EXPECT_TRUE(CompactionFilter::CreateFromString(ConfigOptions(), "other", &filter).ok());
  EXPECT_EQ(&only, filter) << "as it was";
  ASSERT_TRUE(CompactionFilter::CreateFromString(options, "", &filter).ok());
  EXPECT_EQ(nullptr, filter);

  std::shared_ptr<CompactionFilterFactory> factory;
  ASSERT_TRUE(CompactionFilterFactory::CreateFromString(options, "id=made", &factory).ok());
  EXPECT_STREQ("Factory", factory->Name());
  EXPECT_TRUE(
      CompactionFilterFactory::CreateFromString(options, "other", &factory).IsNotSupported());
  ASSERT_TRUE(CompactionFilterFactory::CreateFromString(options, "nullptr", &factory).ok());
  EXPECT_EQ(nullptr, factory);
}

TEST(CreateFromString, AUsersFileSystemIsFoundByItsUri) {
  class Renamed : public FileSystemWrapper {
   public:
    explicit Renamed(std::string uri)
        : FileSystemWrapper(std::make_shared<MemoryFileSystem>()), uri_(std::move(uri)) {}
    const char* Name() const override { return uri_.c_str(); }

   private:
    const std::string uri_;
  };
  ConfigOptions options = Strict();
  options.registry->AddLibrary("mine")->AddFactory<FileSystem>(
      Pattern("mine", false).AddSeparator("://"),
      [](const std::string& uri, std::unique_ptr<FileSystem>* guard, std::string* message) {
        if (uri == "mine://fail") {
          *message = "as asked";
          return static_cast<FileSystem*>(nullptr);
        }
        guard->reset(new Renamed(uri));
        return guard->get();
      });
  std::shared_ptr<FileSystem> fs;
  ASSERT_TRUE(FileSystem::CreateFromString(options, "mine://a=b;c", &fs).ok());
  EXPECT_STREQ("mine://a=b;c", fs->Name());
  EXPECT_TRUE(FileSystem::CreateFromString(options, "mine://fail", &fs).IsInvalidArgument());
  EXPECT_TRUE(FileSystem::CreateFromString(Strict(), "mine://a", &fs).IsNotSupported())
      << "registered for those options alone";

  Env* env = nullptr;
  std::shared_ptr<Env> guard;
  ASSERT_TRUE(Env::CreateFromUri(options, "", "mine://x", &env, &guard).ok());
  EXPECT_EQ(guard.get(), env);
  EXPECT_STREQ("mine://x", env->GetFileSystem()->Name());
}

TEST(CreateFromString, Envs) {
  Env* env = nullptr;
  std::shared_ptr<Env> guard;
  for (const char* name : {"", "DefaultEnv"}) {
    env = nullptr;
    ASSERT_TRUE(Env::CreateFromString(Strict(), name, &env).ok());
    EXPECT_EQ(Env::Default(), env);
    ASSERT_TRUE(Env::CreateFromString(Strict(), name, &env, &guard).ok());
    EXPECT_EQ(Env::Default(), env);
    EXPECT_EQ(nullptr, guard);
  }
  ASSERT_TRUE(Env::CreateFromString(Strict(), "MockEnv", &env, &guard).ok());
  EXPECT_EQ(guard.get(), env);
  ASSERT_TRUE(rocksdb::WriteStringToFile(env, "x", "/object_registry_test").ok());
  EXPECT_TRUE(Env::Default()->FileExists("/object_registry_test").IsNotFound());
  EXPECT_TRUE(Env::CreateFromString(Strict(), "MockEnv", &env).IsInvalidArgument())
      << "nobody would own it";
  EXPECT_TRUE(Env::CreateFromString(Strict(), "nope", &env, &guard).IsNotSupported());
}

TEST(CreateFromString, AnEnvComesFromOneUri) {
  const std::unique_ptr<Env> memory(NewMemEnv(nullptr));
  ConfigOptions options;  // with ignore_unsupported_options
  options.env = memory.get();
  Env* env = nullptr;
  std::shared_ptr<Env> guard;
  ASSERT_TRUE(Env::CreateFromUri(options, "", "", &env, &guard).ok());
  EXPECT_EQ(memory.get(), env);
  EXPECT_EQ(nullptr, guard);
  ASSERT_TRUE(Env::CreateFromUri(options, "", "posix://", &env, &guard).ok());
  EXPECT_EQ(guard.get(), env);
  ASSERT_TRUE(Env::CreateFromUri(options, "MockEnv", "", &env, &guard).ok());
  EXPECT_EQ(guard.get(), env);
  EXPECT_TRUE(Env::CreateFromUri(options, "MockEnv", "posix://", &env, &guard).IsInvalidArgument());
  EXPECT_TRUE(Env::CreateFromUri(options, "", "nope://", &env, &guard).IsNotSupported())
      << "an Env has files";
}

}  // namespace
}  // namespace cairn
