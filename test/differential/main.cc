// Plays lives of one history on a database, or dumps it; what the calls answered goes to standard
// output. Compiled against Cairn and against RocksDB 7.8.3 (main_cairn.cc, main_rocksdb.cc):
// differential.py compares what they say.
//
//   differential_cairn play DIRECTORY --seed=N --life=N [--operations=N] [--fibers] [--verbose]
//   differential_cairn dump DIRECTORY --seed=N
//
// Exit status 0: played (also where the life ends without a close). 2: usage. 3: it did not open.
#include "main.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "player.h"

namespace differential {
namespace {

int Usage() {
  std::fprintf(stderr,
               "usage: differential play DIRECTORY --seed=N --life=N [--operations=N] [--fibers] "
               "[--verbose]\n"
               "       differential dump DIRECTORY --seed=N\n");
  return 2;
}

int Play(const Life& life, const std::string& path, bool verbose) {
  Player player(life, path, stdout, verbose);
  if (!player.Open()) return 3;
  player.Play();
  std::fprintf(stdout, "%s\n", life.killed ? "killed" : "ended");
  std::fflush(stdout);
  // With all its threads, as by a kill: what the system has is all that is left.
  if (life.killed) _exit(0);
  player.End();
  return 0;
}

}  // namespace

int Main(int argc, char** argv) {
  if (argc < 3) return Usage();
  const std::string command = argv[1], path = argv[2];
  uint64_t seed = 1;
  int number = 0, operations = 200;
  bool fibers = false, verbose = false;
  for (int i = 3; i < argc; i++) {
    const std::string flag = argv[i];
    const auto value = [&](const char* name) -> const char* {
      const size_t n = std::strlen(name);
      return flag.compare(0, n, name) == 0 ? flag.c_str() + n : nullptr;
    };
    if (const char* text = value("--seed=")) {
      seed = std::strtoull(text, nullptr, 10);
    } else if (const char* text = value("--life=")) {
      number = std::atoi(text);
    } else if (const char* text = value("--operations=")) {
      operations = std::atoi(text);
    } else if (flag == "--fibers") {
      fibers = true;
    } else if (flag == "--verbose") {
      verbose = true;
    } else {
      return Usage();
    }
  }
  if (command == "play") {
    return Run(fibers, [&] { return Play(MakeLife(seed, number, operations), path, verbose); });
  }
  if (command == "dump") return Run(fibers, [&] { return Dump(seed, path, stdout) ? 0 : 3; });
  return Usage();
}

}  // namespace differential

int main(int argc, char** argv) { return differential::Main(argc, argv); }
