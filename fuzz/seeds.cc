// Writes the seeds that the corpora begin with: valid inputs of each kind. What was found later
// lies beside them under names of its own, which this never writes.
//
//   fuzz_seeds DIRECTORY      e.g. fuzz/corpus
#include "fuzz/seeds.h"

#include <cstdio>
#include <string>

#include "rocksdb/env.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: fuzz_seeds DIRECTORY\n");
    return 2;
  }
  rocksdb::Env* const env = rocksdb::Env::Default();
  const std::string root = argv[1];
  rocksdb::Status s = env->CreateDirIfMissing(root);
  size_t written = 0;
  const cairn::fuzz::AddSeed add = [&](const std::string& target, const std::string& name,
                                       const std::string& bytes) {
    const std::string directory = root + "/" + target;
    if (s.ok()) s = env->CreateDirIfMissing(directory);
    if (s.ok()) s = rocksdb::WriteStringToFile(env, bytes, directory + "/seed-" + name);
    if (s.ok()) ++written;
  };
  cairn::fuzz::AddServerSeeds(add);
  cairn::fuzz::AddEngineSeeds(add);
  if (!s.ok()) {
    fprintf(stderr, "fuzz_seeds: %s\n", s.ToString().c_str());
    return 1;
  }
  printf("fuzz_seeds: %zu files in %s\n", written, root.c_str());
  return 0;
}
