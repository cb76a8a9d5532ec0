// The OPTIONS file and option strings: any text is parsed or refused; what is parsed is written
// again as a file that says the same.
#include <algorithm>
#include <string>
#include <unordered_map>

#include "base/namespace.h"
#include "fuzz/fuzz.h"
#include "options/options_file.h"
#include "rocksdb/convenience.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"

namespace cairn::fuzz {

namespace {

void CheckFile(const std::string& text, bool ignore_unknown) {
  OptionsFileContents contents;
  if (!ParseOptionsText(text, "OPTIONS-000007", SetRules{.ignore_unknown = ignore_unknown},
                        &contents)
           .ok())
    return;
  const std::string written = FormatOptionsFile(contents.db_options, contents.families);
  OptionsFileContents again;
  const Status s = ParseOptionsText(written, "OPTIONS-000008", SetRules(), &again);
  if (!s.ok()) fprintf(stderr, "%s\n", s.ToString().c_str());
  FUZZ_CHECK(s.ok());
  const std::string twice = FormatOptionsFile(again.db_options, again.families);
  const size_t differs = static_cast<size_t>(
      std::mismatch(written.begin(), written.end(), twice.begin(), twice.end()).first -
      written.begin());
  if (differs != written.size()) {
    const size_t line = written.rfind('\n', differs) + 1;
    fprintf(stderr, "once: %.80s\ntwice: %.80s\n", written.c_str() + line, twice.c_str() + line);
  }
  FUZZ_CHECK(twice == written);
}

void CheckStrings(const std::string& text) {
  std::unordered_map<std::string, std::string> map;
  (void)StringToMap(text, &map);
  ConfigOptions config;
  Options options;
  (void)GetOptionsFromString(config, Options(), text, &options);
  BlockBasedTableOptions table_options;
  (void)GetBlockBasedTableOptionsFromString(config, BlockBasedTableOptions(), text, &table_options);
  ColumnFamilyOptions family;
  if (GetColumnFamilyOptionsFromString(config, ColumnFamilyOptions(), text, &family).ok()) {
    std::string written, again;
    FUZZ_CHECK(GetStringFromColumnFamilyOptions(config, family, &written).ok());
    ColumnFamilyOptions reread;
    FUZZ_CHECK(
        GetColumnFamilyOptionsFromString(config, ColumnFamilyOptions(), written, &reread).ok());
    FUZZ_CHECK(GetStringFromColumnFamilyOptions(config, reread, &again).ok());
    FUZZ_CHECK(written == again);
  }
  DBOptions db;
  if (GetDBOptionsFromString(config, DBOptions(), text, &db).ok()) {
    std::string written, again;
    FUZZ_CHECK(GetStringFromDBOptions(config, db, &written).ok());
    DBOptions reread;
    FUZZ_CHECK(GetDBOptionsFromString(config, DBOptions(), written, &reread).ok());
    FUZZ_CHECK(GetStringFromDBOptions(config, reread, &again).ok());
    FUZZ_CHECK(written == again);
  }
}

}  // namespace

}  // namespace cairn::fuzz

// What it is, and the text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cairn::fuzz;
  Input input(data, size);
  const uint8_t what = input.Byte();
  const std::string text(input.Rest());
  if (what % 4 < 2) {
    CheckFile(text, what % 4 == 1);
  } else {
    CheckStrings(text);
  }
  return 0;
}
