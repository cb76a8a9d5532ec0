#include "cairn_demo/process.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fiber/io.h"

namespace demo {

namespace {

Ending EndingOf(int status, const rusage& usage) {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  const bool by_itself = WIFEXITED(status);
  return {by_itself, by_itself ? WEXITSTATUS(status) : WTERMSIG(status),
          seconds(usage.ru_utime) + seconds(usage.ru_stime)};
}

class PosixChild final : public Child {
 public:
  explicit PosixChild(pid_t id) : id_(id) {}

  bool HasEnded(Ending* ending) override { return Reap(WNOHANG, ending); }

  Ending Wait() override {
    Ending ending;
    while (!Reap(0, &ending)) {
    }
    return ending;
  }

  void Kill() override { kill(id_, SIGKILL); }

 private:
  bool Reap(int flags, Ending* ending) {
    int status = 0;
    rusage usage = {};
    if (wait4(id_, &status, flags, &usage) != id_) return false;
    *ending = EndingOf(status, usage);
    return true;
  }

  const pid_t id_;
};

}  // namespace

std::unique_ptr<Child> Child::Start(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = arguments;
  words.insert(words.begin(), "cairn_demo");
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);
  const pid_t id = fork();
  if (id == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execv("/proc/self/exe", argv.data());
    std::perror("cairn_demo: exec");
    std::_Exit(127);
  }
  if (id < 0) {
    std::perror("cairn_demo: fork");
    return nullptr;
  }
  return std::make_unique<PosixChild>(id);
}

void IgnoreInterrupts() { ::signal(SIGINT, SIG_IGN); }

void* CreateSharedMemory(size_t size, uint64_t* name) {
  const int fd = memfd_create("cairn_demo", 0);
  if (fd < 0) {
    std::perror("cairn_demo: memfd_create");
    return nullptr;
  }
  *name = static_cast<uint64_t>(fd);
  const int result = fiber::io::ftruncate(fd, static_cast<int64_t>(size));
  if (result < 0) {
    std::fprintf(stderr, "cairn_demo: ftruncate: %s\n", std::strerror(-result));
    return nullptr;
  }
  return AttachSharedMemory(size, *name);
}

void* AttachSharedMemory(size_t size, uint64_t name) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED,  // style: memory
                      static_cast<int>(name), 0);
  if (memory != MAP_FAILED) return memory;
  std::perror("cairn_demo: mmap");
  return nullptr;
}

void ReleaseSharedMemory(void* memory, size_t size, uint64_t name) {
  munmap(memory, size);  // style: no file I/O
  fiber::io::close(static_cast<int>(name));
}

bool ErrorIsTerminal() { return isatty(STDERR_FILENO) == 1; }

std::string TemporaryFolder() {
  const char* folder = std::getenv("TMPDIR");
  return folder == nullptr || *folder == '\0' ? "/tmp" : folder;
}

}  // namespace demo
