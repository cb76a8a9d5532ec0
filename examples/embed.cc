// Cairn in a program: open, write, read, iterate; then the same calls from ten thousand fibers.
// Shown in README.md.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "fiber/runtime.h"
#include "rocksdb/db.h"

int main(int argc, char** argv) {
  rocksdb::Options options;
  options.create_if_missing = true;
  std::unique_ptr<rocksdb::DB> db;
  rocksdb::Status s = rocksdb::DB::Open(options, argc > 1 ? argv[1] : "/tmp/cairn_embed", &db);
  if (!s.ok()) {
    std::fprintf(stderr, "%s\n", s.ToString().c_str());
    return 1;
  }

  s = db->Put(rocksdb::WriteOptions(), "colour", "granite");
  std::string value;
  if (s.ok()) s = db->Get(rocksdb::ReadOptions(), "colour", &value);
  std::printf("colour: %s\n", s.ok() ? value.c_str() : s.ToString().c_str());

  // A fiber that waits for a lock, the log or the disk parks; its worker runs another one
  // meanwhile.
  fiber::RuntimeOptions runtime_options;
  runtime_options.workers = 2;
  fiber::Runtime runtime(runtime_options);
  std::vector<fiber::JoinHandle> clients;
  for (int i = 0; i < 10000; i++) {
    clients.push_back(runtime.spawn([&db, i] {
      (void)db->Put(rocksdb::WriteOptions(), "stone" + std::to_string(i), "placed");
    }));
  }
  for (auto& client : clients) client.join();

  int stones = 0;
  std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(rocksdb::ReadOptions()));
  for (it->Seek("stone"); it->Valid() && it->key().starts_with("stone"); it->Next()) stones++;
  std::printf("stones: %d\n", stones);
  return it->status().ok() && stones == 10000 ? 0 : 1;
}
