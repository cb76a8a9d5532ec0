// A column family that one engine exports and another one imports (import_test.py). The public API
// alone, compiled once against Cairn and once against librocksdb.
//
//   import_driver make DB DIR LIST whole|cut   a database with a family of several levels; exports
//                        it to DIR, and writes to LIST what is to be known of it. cut: compactions
//                        have cut tombstones of ranges, one of which lies in many tables
//   import_driver take DB LIST                 imports it into another database, and checks it
//   import_driver check DB                     checks it once more, writes, compacts, checks
//
// Exit status 1: something is not as expected, and stderr says what.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/iterator.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "rocksdb/utilities/checkpoint.h"

namespace {

using rocksdb::ColumnFamilyHandle;
using rocksdb::Status;

constexpr int kKeys = 6000;
const char kFamily[] = "family";

void Die(const std::string& what) {
  std::fprintf(stderr, "import_driver: %s\n", what.c_str());
  std::exit(1);
}
void Check(const char* what, const Status& s) {
  if (!s.ok()) Die(std::string(what) + ": " + s.ToString());
}

std::string KeyOf(int i) {
  char text[32];
  std::snprintf(text, sizeof(text), "key%06d", i);
  return text;
}
std::string ValueOf(int i, int version) {
  return std::to_string(version) + ":" + std::string(static_cast<size_t>(100 + i % 50), 'v') +
         KeyOf(i);
}

rocksdb::Options SmallTables() {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.target_file_size_base = 64 << 10;
  options.compression = rocksdb::kNoCompression;
  return options;
}

// The history of the family, and what is left of it.
template <typename Put, typename Delete, typename DeleteRange, typename Step>
void Play(Put put, Delete remove, DeleteRange remove_range, Step step) {
  for (int i = 0; i < kKeys; ++i) put(i, 1);
  step("compact");
  remove_range(1000, 4000);
  for (int i = 900; i < 5000; i += 3) put(i, 2);
  step("compact");
  for (int i = 0; i < kKeys; i += 7) remove(i);
  step("flush");
  for (int i = 0; i < kKeys; i += 14) put(i, 3);
  remove_range(5500, 5600);
  step("flush");
  for (int i = 2000; i < 2100; ++i) put(i, 4);
}
std::map<std::string, std::string> Expected() {
  std::map<std::string, std::string> expected;
  Play([&](int i, int version) { expected[KeyOf(i)] = ValueOf(i, version); },
       [&](int i) { expected.erase(KeyOf(i)); },
       [&](int from, int to) {
         expected.erase(expected.lower_bound(KeyOf(from)), expected.lower_bound(KeyOf(to)));
       },
       [](const char*) {});
  return expected;
}

struct Database {
  explicit Database(const std::string& dir, bool with_family = false) {
    rocksdb::DB* opened = nullptr;
    if (!with_family) {
      Check("open", rocksdb::DB::Open(SmallTables(), dir, &opened));
    } else {
      std::vector<ColumnFamilyHandle*> handles;
      Check("open", rocksdb::DB::Open(SmallTables(), dir,
                                      {{rocksdb::kDefaultColumnFamilyName, SmallTables()},
                                       {kFamily, SmallTables()}},
                                      &handles, &opened));
      other.reset(handles[0]);
      family.reset(handles[1]);
    }
    db.reset(opened);
  }
  ~Database() {
    other.reset();
    family.reset();
  }
  void Compact() {
    rocksdb::CompactRangeOptions options;
    Check("compact", db->CompactRange(options, family.get(), nullptr, nullptr));
  }
  void Flush() { Check("flush", db->Flush(rocksdb::FlushOptions(), family.get())); }
  void ExpectContents(const std::map<std::string, std::string>& expected) {
    const std::unique_ptr<rocksdb::Iterator> it(
        db->NewIterator(rocksdb::ReadOptions(), family.get()));
    auto at = expected.begin();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++at) {
      if (at == expected.end() || it->key() != at->first || it->value() != at->second) {
        Die("an iterator is at " + it->key().ToString() + ", expected " +
            (at == expected.end() ? "the end" : at->first));
      }
    }
    Check("iterator", it->status());
    if (at != expected.end()) Die("an iterator ends before " + at->first);
    for (int i = 0; i < kKeys; i += 11) {
      std::string value;
      const Status s = db->Get(rocksdb::ReadOptions(), family.get(), KeyOf(i), &value);
      const auto wanted = expected.find(KeyOf(i));
      if (wanted == expected.end() ? !s.IsNotFound() : !s.ok() || value != wanted->second) {
        Die("Get of " + KeyOf(i) + ": " + s.ToString());
      }
    }
  }

  std::unique_ptr<rocksdb::DB> db;
  std::unique_ptr<ColumnFamilyHandle> family, other;
};

// One line for a file; the engines' metadata differ in what they know, so that only what both have
// is kept: a reader has to find the bounds itself.
void WriteList(const std::string& path, const rocksdb::ExportImportFilesMetaData& metadata) {
  std::ostringstream out;
  out << metadata.db_comparator_name << "\n";
  for (const rocksdb::LiveFileMetaData& file : metadata.files) {
    out << file.db_path << " " << file.name << " " << file.size << " " << file.level << " "
        << file.smallest_seqno << " " << file.largest_seqno << " " << file.smallestkey << " "
        << file.largestkey << "\n";
  }
  Check("list", rocksdb::WriteStringToFile(rocksdb::Env::Default(), out.str(), path));
}
rocksdb::ExportImportFilesMetaData ReadList(const std::string& path) {
  rocksdb::ExportImportFilesMetaData metadata;
  std::string text;
  Check("list", rocksdb::ReadFileToString(rocksdb::Env::Default(), path, &text));
  std::istringstream in(text);
  in >> metadata.db_comparator_name;
  rocksdb::LiveFileMetaData file;
  while (in >> file.db_path >> file.name >> file.size >> file.level >> file.smallest_seqno >>
         file.largest_seqno >> file.smallestkey >> file.largestkey) {
    metadata.files.push_back(file);
  }
  if (metadata.files.empty()) Die("no files in " + path);
  return metadata;
}

void Make(const std::string& dir, const std::string& to, const std::string& list, bool cut) {
  Database d(dir);
  rocksdb::DB* const db = d.db.get();
  const rocksdb::WriteOptions writing;
  for (int i = 0; i < 100; ++i) Check("put", db->Put(writing, "other" + KeyOf(i), "x"));
  ColumnFamilyHandle* made = nullptr;
  Check("create", db->CreateColumnFamily(SmallTables(), "source", &made));
  d.family.reset(made);
  // Tombstones stay for it, and what they cover.
  const rocksdb::Snapshot* snapshot = nullptr;
  Play([&](int i,
           int version) { Check("put", db->Put(writing, made, KeyOf(i), ValueOf(i, version))); },
       [&](int i) { Check("delete", db->Delete(writing, made, KeyOf(i))); },
       [&](int from, int to_key) {
         if (cut && snapshot == nullptr) snapshot = db->GetSnapshot();
         Check("delete range", db->DeleteRange(writing, made, KeyOf(from), KeyOf(to_key)));
       },
       [&](const std::string& what) {
         d.Flush();
         if (what == "compact") d.Compact();
       });
  d.ExpectContents(Expected());
  rocksdb::Checkpoint* checkpoint = nullptr;
  Check("checkpoint", rocksdb::Checkpoint::Create(db, &checkpoint));
  rocksdb::ExportImportFilesMetaData* metadata = nullptr;
  Check("export", checkpoint->ExportColumnFamily(made, to, &metadata));
  WriteList(list, *metadata);
  std::printf("%zu tables\n", metadata->files.size());
  delete metadata;
  delete checkpoint;
  if (snapshot != nullptr) db->ReleaseSnapshot(snapshot);
}

void Take(const std::string& dir, const std::string& list) {
  Database d(dir);
  Check("put", d.db->Put(rocksdb::WriteOptions(), "own", "1"));
  ColumnFamilyHandle* made = nullptr;
  Check("import",
        d.db->CreateColumnFamilyWithImport(
            SmallTables(), kFamily, rocksdb::ImportColumnFamilyOptions(), ReadList(list), &made));
  d.family.reset(made);
  d.ExpectContents(Expected());
  Check("put", d.db->Put(rocksdb::WriteOptions(), made, KeyOf(1), "taken"));
}

void CheckAgain(const std::string& dir) {
  Database d(dir, /*with_family=*/true);
  auto expected = Expected();
  expected[KeyOf(1)] = "taken";
  d.ExpectContents(expected);
  Check("verify", d.db->VerifyChecksum());
  expected.erase(expected.lower_bound(KeyOf(100)), expected.lower_bound(KeyOf(200)));
  Check("delete range",
        d.db->DeleteRange(rocksdb::WriteOptions(), d.family.get(), KeyOf(100), KeyOf(200)));
  d.ExpectContents(expected);
  d.Flush();
  d.Compact();
  d.ExpectContents(expected);
  // For the next one: as it was.
  const auto before = Expected();
  for (auto it = before.lower_bound(KeyOf(100)); it != before.lower_bound(KeyOf(200)); ++it) {
    Check("put", d.db->Put(rocksdb::WriteOptions(), d.family.get(), it->first, it->second));
  }
  std::string own;
  Check("get", d.db->Get(rocksdb::ReadOptions(), "own", &own));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "make" && argc == 6) {
    Make(argv[2], argv[3], argv[4], argv[5] == std::string("cut"));
  } else if (command == "take" && argc == 4) {
    Take(argv[2], argv[3]);
  } else if (command == "check" && argc == 3) {
    CheckAgain(argv[2]);
  } else {
    Die("usage: make DB DIR LIST whole|cut | take DB LIST | check DB");
  }
  return 0;
}
