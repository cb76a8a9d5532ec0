// Runs the corpus of a fuzz target and mutations of it, the same each time, in a build without
// libFuzzer: so every compiler, and ctest, repeats what was once found.
//
//   fuzz_replay TARGET CORPUS [--mutations=20000] [--seconds=6] [--seed=1]
//   fuzz_replay TARGET CORPUS --only=17 --out=FILE     writes the input of that number, runs
//   nothing
//
// It ends early, and says so, when the time is up. Who crashes it is told the number of the input.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "fiber/clock.h"
#include "fiber/sanitizers.h"
#include "fuzz/fuzz.h"
#include "fuzz/replay.h"
#include "rocksdb/env.h"

namespace cairn::fuzz {

namespace {

using rocksdb::Env;
using rocksdb::Status;

struct Arguments {
  std::string target, corpus, out;
  uint64_t mutations = 20000, seconds = 6, seed = 1, only = UINT64_MAX;
};

uint64_t g_input = 0;  // the number of the one that runs

void SayWhichOne() {
  char text[160];
  const int size =
      snprintf(text, sizeof(text),
               "fuzz_replay: input %llu; run again with --only=%llu --out=FILE to have it\n",
               static_cast<unsigned long long>(g_input), static_cast<unsigned long long>(g_input));
  // style: in a signal handler
  (void)!::write(STDERR_FILENO, text, static_cast<size_t>(size));
}

void OnSignal(int signal) {
  SayWhichOne();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// SplitMix64, by Steele, Lea and Flood.
class Choices {
 public:
  explicit Choices(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
  }
  uint64_t Below(uint64_t bound) { return Next() % bound; }

 private:
  uint64_t state_;
};

// Number `number` of the mutations of the corpus.
std::string Mutation(const std::vector<std::string>& corpus, uint64_t seed, uint64_t number) {
  constexpr size_t kMaxBytes = 64 << 10;
  Choices choices(seed * 0x10001 + number);
  std::string bytes = corpus[choices.Below(corpus.size())];
  for (uint64_t left = 1 + choices.Below(6); left != 0; --left) {
    if (choices.Below(8) == 0) {  // the front of this one, the end of another one
      const std::string& other = corpus[choices.Below(corpus.size())];
      bytes = bytes.substr(0, choices.Below(bytes.size() + 1)) +
              other.substr(choices.Below(other.size() + 1));
    } else {
      std::string how;
      for (int i = 0; i < 48; ++i) how.push_back(static_cast<char>(choices.Next()));
      Input input(reinterpret_cast<const uint8_t*>(how.data()), how.size());
      DamageOnce(&input, &bytes);
    }
  }
  return bytes.substr(0, kMaxBytes);
}

Status ReadCorpus(const std::string& directory, std::vector<std::string>* corpus) {
  Env* const env = Env::Default();
  std::vector<std::string> names;
  Status s = env->GetChildren(directory, &names);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (!s.ok()) break;
    if (name[0] == '.') continue;
    const std::string path = std::string(directory).append("/").append(name);
    s = rocksdb::ReadFileToString(env, path, &corpus->emplace_back());
  }
  if (s.ok() && corpus->empty()) s = Status::NotFound("no corpus in " + directory);
  return s;
}

Status Replay(const Arguments& arguments) {
  const auto targets = Targets();
  const auto target = std::find_if(targets.begin(), targets.end(),
                                   [&](const Target& one) { return one.name == arguments.target; });
  if (target == targets.end()) return Status::InvalidArgument("no target " + arguments.target);
  std::vector<std::string> corpus;
  Status s = ReadCorpus(arguments.corpus, &corpus);
  if (!s.ok()) return s;
  const uint64_t total = corpus.size() + arguments.mutations;
  const auto bytes_of = [&](uint64_t number) {
    return number < corpus.size() ? corpus[number]
                                  : Mutation(corpus, arguments.seed, number - corpus.size());
  };
  if (!arguments.out.empty()) {
    return rocksdb::WriteStringToFile(Env::Default(), bytes_of(arguments.only), arguments.out);
  }
  const uint64_t deadline = fiber::deadline_after(arguments.seconds * 1'000'000'000);
  for (g_input = 0; g_input < total; ++g_input) {
    if (g_input >= corpus.size() && fiber::now_nanos() > deadline) break;
    const ExactCopy bytes(bytes_of(g_input));
    target->run(reinterpret_cast<const uint8_t*>(bytes.view().data()), bytes.view().size());
  }
  printf("fuzz_replay: %s: %zu of the corpus, %llu of %llu mutations\n", arguments.target.c_str(),
         corpus.size(), static_cast<unsigned long long>(g_input - corpus.size()),
         static_cast<unsigned long long>(arguments.mutations));
  return s;
}

bool ParseArguments(int argc, char** argv, Arguments* arguments) {
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    const size_t is = text.find('=');
    const std::string name = text.substr(0, is);
    uint64_t* const number = name == "--mutations" ? &arguments->mutations
                             : name == "--seconds" ? &arguments->seconds
                             : name == "--seed"    ? &arguments->seed
                             : name == "--only"    ? &arguments->only
                                                   : nullptr;
    if (number != nullptr && is != std::string::npos) {
      const char* const end = text.data() + text.size();
      const auto [stopped, error] = std::from_chars(text.data() + is + 1, end, *number);
      if (error != std::errc() || stopped != end) return false;
    } else if (name == "--out" && is != std::string::npos) {
      arguments->out = text.substr(is + 1);
    } else if (text[0] == '-') {
      return false;
    } else {
      names.push_back(text);
    }
  }
  if (names.size() != 2 || arguments->out.empty() != (arguments->only == UINT64_MAX)) return false;
  arguments->target = names[0];
  arguments->corpus = names[1];
  return true;
}

}  // namespace

}  // namespace cairn::fuzz

#if defined(FIBER_ASAN)
extern "C" void __sanitizer_set_death_callback(void (*callback)());
#endif

int main(int argc, char** argv) {
  cairn::fuzz::Arguments arguments;
  if (!cairn::fuzz::ParseArguments(argc, argv, &arguments)) {
    fprintf(stderr,
            "usage: fuzz_replay TARGET CORPUS [--mutations=N] [--seconds=N] [--seed=N] "
            "[--only=NUMBER --out=FILE]\n");
    return 2;
  }
#if defined(FIBER_ASAN)
  __sanitizer_set_death_callback(cairn::fuzz::SayWhichOne);
  std::signal(SIGABRT, cairn::fuzz::OnSignal);
#else
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGTERM}) {
    std::signal(signal, cairn::fuzz::OnSignal);
  }
#if defined(SIGBUS)  // these two are POSIX's, not C's
  for (const int signal : {SIGBUS, SIGALRM}) std::signal(signal, cairn::fuzz::OnSignal);
#endif
#endif
  const rocksdb::Status s = cairn::fuzz::Replay(arguments);
  if (!s.ok()) fprintf(stderr, "fuzz_replay: %s\n", s.ToString().c_str());
  return s.ok() ? 0 : 1;
}
