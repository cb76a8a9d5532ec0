// A plugin that has a database of its own, with the static library in it: loaded, used and unloaded
// by unloading.cc, while a thread that used it lives on.
#include <cstdio>
#include <memory>
#include <string>

#include "fiber/default_runtime.h"
#include "rocksdb/db.h"

// 0: all is well. Leaves behind what a thread's use of the library leaves: locals, exit actions,
// a runtime that nobody stops.
extern "C" __attribute__((visibility("default"))) int use_database(const char* path) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 10;
  rocksdb::DB* opened = nullptr;
  rocksdb::Status s = rocksdb::DB::Open(options, path, &opened);
  std::unique_ptr<rocksdb::DB> db(opened);
  for (int i = 0; s.ok() && i < 2000; i++)
    s = db->Put({}, std::to_string(i), std::string(100, 'v'));
  if (s.ok()) {
    fiber::default_runtime().spawn([&] { s = db->Put({}, "fiber", "value"); }).join();
  }
  if (s.ok()) s = db->Flush({});
  if (s.ok()) s = db->Close();
  if (!s.ok()) fprintf(stderr, "%s\n", s.ToString().c_str());
  return s.ok() ? 0 : 1;
}
