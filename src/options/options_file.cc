#include "options/options_file.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string_view>

#include "base/string_util.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "options/options_table.h"
#include "rocksdb/cache.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/options_util.h"

namespace cairn {

namespace {

constexpr char kWrittenVersion[] = "7.8.3";  // whose option names and notation the file uses
constexpr int kFileVersion[2] = {1, 1};
constexpr size_t kOptionsFilesToKeep = 2;

std::string SectionHead(const char* kind, const std::string& family) {
  return std::string("\n[") + kind + " \"" + EscapeOptionString(family) + "\"]\n";
}

// "7.8.3" as a number that orders versions; missing parts are 0.
uint64_t VersionNumber(const std::string& text) {
  unsigned parts[3] = {0, 0, 0};
  (void)std::sscanf(text.c_str(), "%u.%u.%u", &parts[0], &parts[1], &parts[2]);
  return (uint64_t{parts[0]} << 40) | (uint64_t{parts[1]} << 20) | parts[2];
}

// What follows '#' is a comment, unless the '#' is escaped.
std::string_view WithoutComment(std::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '#') {
      return line.substr(0, i);
    }
  }
  return line;
}

struct Section {
  std::string kind;    // "Version", "DBOptions", "CFOptions", "TableOptions/BlockBasedTable"
  std::string family;  // of the last two
};

bool ParseSectionHead(std::string_view line, Section* section) {
  if (line.size() < 2 || line.front() != '[' || line.back() != ']') return false;
  line = Trim(line.substr(1, line.size() - 2));
  const size_t quote = line.find('"');
  if (quote == std::string_view::npos) {
    section->kind = line;
    section->family.clear();
    return !line.empty();
  }
  if (line.back() != '"' || line.size() < quote + 2) return false;
  section->kind = Trim(line.substr(0, quote));
  section->family = UnescapeOptionString(line.substr(quote + 1, line.size() - quote - 2));
  return true;
}

constexpr std::string_view kTableOptions = "TableOptions/";

// By a section of table options. A format that is none of ours leaves the factory as it is.
Status MakeTableFactory(const std::string& format, const OptionMap& map, SetRules rules,
                        std::shared_ptr<TableFactory>* factory) {
  const auto make = [&](auto table, auto* maker) {
    Status s = SetOptions(map, rules, &table);
    if (s.ok()) factory->reset(maker(table));
    return s;
  };
  if (format == TableFactory::kBlockBasedTableName()) {
    return make(BlockBasedTableOptions(), NewBlockBasedTableFactory);
  }
  if (format == TableFactory::kPlainTableName()) {
    return make(PlainTableOptions(), NewPlainTableFactory);
  }
  if (format == TableFactory::kCuckooTableName()) {
    return make(CuckooTableOptions(), NewCuckooTableFactory);
  }
  return Status::OK();
}

}  // namespace

std::string FormatOptionsHead(const DBOptions& db_options) {
  std::string r =
      "# This is a RocksDB option file.\n"
      "#\n"
      "# Written by Cairn with the options of the RocksDB version below, whose tools read it.\n"
      "#\n"
      "\n"
      "[Version]\n"
      "  rocksdb_version=";
  r.append(kWrittenVersion);
  r.append("\n  options_file_version=");
  r.append(std::to_string(kFileVersion[0])).append(".").append(std::to_string(kFileVersion[1]));
  r.append("\n\n[DBOptions]\n");
  r.append(FormatOptions(db_options, "  ", "\n"));
  return r;
}

std::string FormatFamilyOptions(const ColumnFamilyDescriptor& family) {
  std::string r = SectionHead("CFOptions", family.name);
  r.append(FormatOptions(family.options, "  ", "\n"));
  if (family.options.table_factory == nullptr) return r;
  const TableFactory& factory = *family.options.table_factory;
  const auto add = [&](const auto* table) {
    if (table == nullptr) return;
    const std::string kind = std::string(kTableOptions) + factory.Name();
    r.append(SectionHead(kind.c_str(), family.name));
    r.append(FormatOptions(*table, "  ", "\n"));
  };
  add(factory.GetOptions<BlockBasedTableOptions>());
  add(factory.GetOptions<PlainTableOptions>());
  add(factory.GetOptions<CuckooTableOptions>());
  return r;
}

std::string FormatOptionsFile(const DBOptions& db_options,
                              const std::vector<ColumnFamilyDescriptor>& families) {
  std::string r = FormatOptionsHead(db_options);
  for (const ColumnFamilyDescriptor& family : families) r.append(FormatFamilyOptions(family));
  return r;
}

Status PersistOptionsText(FileSystem* fs, const std::string& path, const std::string& text) {
  // What cannot be read back would only be found out at the worst time.
  OptionsFileContents check;
  if (Status s = ParseOptionsText(text, path, SetRules(), &check); !s.ok()) {
    return s;
  }
  return WriteStringToFile(fs, text, path, /*sync=*/true);
}

Status PersistOptions(FileSystem* fs, const std::string& path, const DBOptions& db_options,
                      const std::vector<ColumnFamilyDescriptor>& families) {
  return PersistOptionsText(fs, path, FormatOptionsFile(db_options, families));
}

Status WriteOptionsFile(FileSystem* fs, const std::string& dbname, uint64_t number,
                        FSDirectory* db_directory, const std::string& text) {
  const std::string temp = TempOptionsFileName(dbname, number);
  Status s = PersistOptionsText(fs, temp, text);
  if (!s.ok()) return s;
  IOStatus io = fs->RenameFile(temp, OptionsFileName(dbname, number), IOOptions(), nullptr);
  if (io.ok()) io = SyncDirectory(db_directory);
  return io;
}

Status WriteOptionsFile(FileSystem* fs, const std::string& dbname, uint64_t number,
                        FSDirectory* db_directory, const DBOptions& db_options,
                        const std::vector<ColumnFamilyDescriptor>& families) {
  return WriteOptionsFile(fs, dbname, number, db_directory,
                          FormatOptionsFile(db_options, families));
}

Status ParseOptionsText(const std::string& text, const std::string& file_name, SetRules rules,
                        OptionsFileContents* contents) {
  *contents = OptionsFileContents();
  Section section;
  std::map<std::string, OptionMap> cf_maps;
  std::map<std::string, std::pair<std::string, OptionMap>> table_maps;  // and their format
  OptionMap version_map, db_map;
  OptionMap* current = nullptr;
  OptionMap other;  // of sections that we do not know
  std::vector<std::string> names;
  bool have_db = false;
  uint64_t line_start = 0;
  const auto bad = [&](const std::string& what) {
    return Status::Corruption(file_name, what + " at offset " + std::to_string(line_start));
  };
  std::string_view rest = text;
  while (!rest.empty()) {
    line_start = text.size() - rest.size();
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = Trim(WithoutComment(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty()) continue;
    if (line.front() == '[') {
      if (!ParseSectionHead(line, &section)) return bad("malformed section head");
      if (section.kind == "Version") {
        current = &version_map;
      } else if (section.kind == "DBOptions") {
        current = &db_map;
        have_db = true;
      } else if (section.kind == "CFOptions") {
        if (cf_maps.count(section.family) != 0) return bad("a column family comes twice");
        names.push_back(section.family);
        current = &cf_maps[section.family];
      } else if (section.kind.starts_with(kTableOptions)) {
        if (cf_maps.count(section.family) == 0) return bad("table options before their family");
        auto& [format, map] = table_maps[section.family];
        format = section.kind.substr(kTableOptions.size());
        current = &map;
      } else {
        current = &other;
      }
      continue;
    }
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos || current == nullptr) return bad("malformed line");
    std::string_view value = Trim(line.substr(equals + 1));
    if (value.size() >= 2 && value.front() == '{' && value.back() == '}') {
      value = Trim(value.substr(1, value.size() - 2));
    }
    (*current)[std::string(Trim(line.substr(0, equals)))] = std::string(value);
  }
  line_start = text.size();
  const auto version = version_map.find("rocksdb_version");
  if (version == version_map.end() || !have_db) {
    return bad("no Version or DBOptions section");
  }
  if (names.empty() || names.front() != "default") {
    return bad("the first column family is not the default one");
  }
  contents->rocksdb_version = version->second;
  const bool newer = VersionNumber(version->second) > VersionNumber(kWrittenVersion);
  rules.ignore_unknown &= newer;
  const auto locate = [&file_name](const Status& s) {
    if (s.ok()) return s;
    return s.IsNotSupported() ? Status::NotSupported(file_name, s.ToString())
                              : Status::InvalidArgument(file_name, s.ToString());
  };
  Status s = SetOptions(db_map, rules, &contents->db_options);
  if (!s.ok()) return locate(s);
  for (const std::string& name : names) {
    ColumnFamilyDescriptor family(name, ColumnFamilyOptions());
    if (s = SetOptions(cf_maps[name], rules, &family.options); !s.ok()) return locate(s);
    if (const auto it = table_maps.find(name); it != table_maps.end()) {
      const auto& [format, map] = it->second;
      s = MakeTableFactory(format, map, rules, &family.options.table_factory);
      if (!s.ok()) return locate(s);
    }
    const auto comparator = cf_maps[name].find("comparator");
    contents->comparator_names[name] =
        comparator != cf_maps[name].end() ? comparator->second : family.options.comparator->Name();
    contents->families.push_back(std::move(family));
  }
  return Status::OK();
}

Status LoadOptionsFile(FileSystem* fs, const std::string& path, SetRules rules,
                       OptionsFileContents* contents) {
  std::string text;
  if (IOStatus s = ReadFileToString(fs, path, &text); !s.ok()) return s;
  return ParseOptionsText(text, path, rules, contents);
}

namespace {

// Numbers of the directory's OPTIONS files, newest first.
Status ListOptionsFiles(FileSystem* fs, const std::string& dbname, std::vector<uint64_t>* numbers) {
  std::vector<std::string> children;
  IOStatus s = fs->GetChildren(dbname, IOOptions(), &children, nullptr);
  if (!s.ok()) return s;
  for (const std::string& child : children) {
    uint64_t number = 0;
    FileType type;
    if (ParseFileName(child, &number, &type) && type == FileType::kOptionsFile) {
      numbers->push_back(number);
    }
  }
  std::sort(numbers->rbegin(), numbers->rend());
  return Status::OK();
}

}  // namespace

Status FindLatestOptionsFile(FileSystem* fs, const std::string& dbname, std::string* file_name) {
  std::vector<uint64_t> numbers;
  if (Status s = ListOptionsFiles(fs, dbname, &numbers); !s.ok()) return s;
  if (numbers.empty()) {
    return Status::NotFound(Status::kPathNotFound, "No options files found in the DB directory.",
                            dbname);
  }
  *file_name = OptionsFileName("", numbers.front()).substr(1);
  return Status::OK();
}

void RemoveOldOptionsFiles(FileSystem* fs, const std::string& dbname) {
  std::vector<uint64_t> numbers;
  if (!ListOptionsFiles(fs, dbname, &numbers).ok()) return;
  for (size_t i = kOptionsFilesToKeep; i < numbers.size(); ++i) {
    // A file that stays is found again at the next open.
    (void)fs->DeleteFile(OptionsFileName(dbname, numbers[i]), IOOptions(), nullptr);
  }
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

namespace {

FileSystem* FileSystemOf(Env* env) {
  return (env != nullptr ? env : Env::Default())->GetFileSystem().get();
}

// One block cache for all families, when the caller wants it.
void ShareCache(std::vector<ColumnFamilyDescriptor>* families, std::shared_ptr<Cache>* cache) {
  if (cache == nullptr) return;
  for (ColumnFamilyDescriptor& family : *families) {
    auto* table = family.options.table_factory->GetOptions<BlockBasedTableOptions>();
    if (table == nullptr || table->no_block_cache) continue;
    BlockBasedTableOptions with_cache = *table;
    with_cache.block_cache = *cache;
    family.options.table_factory.reset(NewBlockBasedTableFactory(with_cache));
  }
}

// The newest one, which a process that has the database open may replace between the two steps.
Status LoadLatest(const ConfigOptions& config_options, const std::string& dbpath, std::string* path,
                  cairn::OptionsFileContents* contents) {
  Status s;
  // A database that is open may have replaced the file while it was read, or taken it back to write
  // on in it: then its name is gone.
  for (int attempt = 0; attempt < 10; ++attempt) {
    std::string name;
    s = GetLatestOptionsFileName(dbpath, config_options.env, &name);
    if (!s.ok()) return s;
    *path = dbpath + "/" + name;
    FileSystem* const fs = FileSystemOf(config_options.env);
    s = cairn::LoadOptionsFile(fs, *path, cairn::RulesOf(config_options), contents);
    if (fs->FileExists(*path, IOOptions(), nullptr).ok()) return s;
  }
  return s;
}

void GiveOut(cairn::OptionsFileContents contents, Env* env, DBOptions* db_options,
             std::vector<ColumnFamilyDescriptor>* cf_descs, std::shared_ptr<Cache>* cache) {
  *db_options = contents.db_options;
  db_options->env = env;
  ShareCache(&contents.families, cache);
  *cf_descs = std::move(contents.families);
}

}  // namespace

Status LoadOptionsFromFile(const ConfigOptions& config_options,
                           const std::string& options_file_name, DBOptions* db_options,
                           std::vector<ColumnFamilyDescriptor>* cf_descs,
                           std::shared_ptr<Cache>* cache) {
  cairn::OptionsFileContents contents;
  Status s = cairn::LoadOptionsFile(FileSystemOf(config_options.env), options_file_name,
                                    cairn::RulesOf(config_options), &contents);
  if (s.ok()) GiveOut(std::move(contents), config_options.env, db_options, cf_descs, cache);
  return s;
}

Status LoadOptionsFromFile(const std::string& options_file_name, Env* env, DBOptions* db_options,
                           std::vector<ColumnFamilyDescriptor>* cf_descs,
                           bool ignore_unknown_options, std::shared_ptr<Cache>* cache) {
  ConfigOptions config;
  config.env = env;
  config.ignore_unknown_options = ignore_unknown_options;
  return LoadOptionsFromFile(config, options_file_name, db_options, cf_descs, cache);
}

Status GetLatestOptionsFileName(const std::string& dbpath, Env* env,
                                std::string* options_file_name) {
  return cairn::FindLatestOptionsFile(FileSystemOf(env), dbpath, options_file_name);
}

Status LoadLatestOptions(const ConfigOptions& config_options, const std::string& dbpath,
                         DBOptions* db_options, std::vector<ColumnFamilyDescriptor>* cf_descs,
                         std::shared_ptr<Cache>* cache) {
  std::string path;
  cairn::OptionsFileContents contents;
  Status s = LoadLatest(config_options, dbpath, &path, &contents);
  if (s.ok()) GiveOut(std::move(contents), config_options.env, db_options, cf_descs, cache);
  return s;
}

Status LoadLatestOptions(const std::string& dbpath, Env* env, DBOptions* db_options,
                         std::vector<ColumnFamilyDescriptor>* cf_descs, bool ignore_unknown_options,
                         std::shared_ptr<Cache>* cache) {
  ConfigOptions config;
  config.env = env;
  config.ignore_unknown_options = ignore_unknown_options;
  return LoadLatestOptions(config, dbpath, db_options, cf_descs, cache);
}

Status CheckOptionsCompatibility(const ConfigOptions& config_options, const std::string& dbpath,
                                 const DBOptions& /*db_options*/,
                                 const std::vector<ColumnFamilyDescriptor>& cf_descs) {
  if (config_options.IsCheckDisabled()) return Status::OK();
  std::string path;
  cairn::OptionsFileContents contents;
  Status s = LoadLatest(config_options, dbpath, &path, &contents);
  if (!s.ok()) return s;
  if (contents.families.size() != cf_descs.size()) {
    return Status::InvalidArgument("The number of column families differs from that of", path);
  }
  for (const ColumnFamilyDescriptor& wanted : cf_descs) {
    const auto it = std::find_if(contents.families.begin(), contents.families.end(),
                                 [&](const auto& f) { return f.name == wanted.name; });
    if (it == contents.families.end()) {
      return Status::InvalidArgument("Column family " + wanted.name + " is not in", path);
    }
    const auto differs = [&](const char* option) {
      return Status::InvalidArgument(
          "Option " + std::string(option) + " of column family " + wanted.name + " differs from",
          path);
    };
    if (contents.comparator_names.at(wanted.name) != wanted.options.comparator->Name()) {
      return differs("comparator");
    }
    if (wanted.options.table_factory != nullptr &&
        std::string(it->options.table_factory->Name()) != wanted.options.table_factory->Name()) {
      return differs("table_factory");
    }
    if (it->options.num_levels > wanted.options.num_levels) return differs("num_levels");
  }
  return Status::OK();
}

Status CheckOptionsCompatibility(const std::string& dbpath, Env* env, const DBOptions& db_options,
                                 const std::vector<ColumnFamilyDescriptor>& cf_descs,
                                 bool ignore_unknown_options) {
  ConfigOptions config(db_options);
  config.env = env;
  config.ignore_unknown_options = ignore_unknown_options;
  return CheckOptionsCompatibility(config, dbpath, db_options, cf_descs);
}

}  // namespace ROCKSDB_NAMESPACE
