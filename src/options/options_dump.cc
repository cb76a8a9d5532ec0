// Options into the LOG, one per line, for whoever must find out later how a database was
// configured.
#include <string>

#include "base/logging.h"
#include "rocksdb/convenience.h"
#include "rocksdb/options.h"

namespace ROCKSDB_NAMESPACE {
namespace {

// Each "name=value" of `text` as a line of its own.
void DumpLines(Logger* log, const std::string& text) {
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    cairn::LogHeader(log, "  Options.%s", text.substr(begin, end - begin).c_str());
    begin = end + 1;
  }
}

}  // namespace

void DBOptions::Dump(Logger* log) const {
  std::string text;
  if (GetStringFromDBOptions(&text, *this, "\n").ok()) DumpLines(log, text);
}

void ColumnFamilyOptions::Dump(Logger* log) const {
  std::string text;
  if (GetStringFromColumnFamilyOptions(&text, *this, "\n").ok()) DumpLines(log, text);
}

void Options::DumpCFOptions(Logger* log) const { ColumnFamilyOptions::Dump(log); }

void Options::Dump(Logger* log) const {
  DBOptions::Dump(log);
  ColumnFamilyOptions::Dump(log);
}

}  // namespace ROCKSDB_NAMESPACE
