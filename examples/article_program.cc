// Ten threads fill one database: the kind of program that users of RocksDB write, unchanged for
// Cairn.
//   c++ -O2 article_program.cc -o article_program $(pkg-config --cflags --libs cairn) &&
//   ./article_program
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/options.h"

using namespace rocksdb;

int main(int argc, char** argv) {
  const long total = argc > 1 ? std::atol(argv[1]) : 10000000;
  const std::string path = argc > 2 ? argv[2] : "/tmp/cairn_article";
  const int thread_count = 10;

  DB* db;
  Options options;
  options.create_if_missing = true;
  options.allow_concurrent_memtable_write = true;
  options.enable_write_thread_adaptive_yield = true;
  Status status = DB::Open(options, path, &db);
  if (!status.ok()) {
    std::fprintf(stderr, "open: %s\n", status.ToString().c_str());
    return 1;
  }

  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; t++) {
    threads.emplace_back([db, t, total] {
      const std::string suffix = "_of_thread_" + std::to_string(t);
      const std::string value(64, 'v');
      for (long i = t; i < total; i += thread_count) {
        Status s = db->Put(WriteOptions(), std::to_string(i) + suffix, value);
        if (!s.ok()) {
          std::fprintf(stderr, "put: %s\n", s.ToString().c_str());
          std::exit(1);
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();

  std::string last;
  status = db->Get(
      ReadOptions(),
      std::to_string(total - 1) + "_of_thread_" + std::to_string((total - 1) % thread_count),
      &last);
  std::printf("%ld keys by %d threads, the last one: %s\n", total, thread_count,
              status.ToString().c_str());
  delete db;
  return status.ok() ? 0 : 1;
}
