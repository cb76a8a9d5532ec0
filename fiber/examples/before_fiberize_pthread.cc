// A threaded program in the older manner, by pthread's own calls, as tools/fiberize finds it: see
// fiber/test/install_test.sh. On one worker it would hang in its busy wait, in its locks, or mix up
// what is each thread's own, were anything of it left as it is.
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#define CHECK(condition) \
  if (!(condition)) fail(#condition, __LINE__)

namespace {

constexpr int kThreads = 4, kRounds = 200;

void fail(const char* what, int line) {
  fprintf(stderr, "line %d: %s\n", line, what);
  abort();
}

int first_seed() { return 7; }

struct Counter {
  static thread_local int mine;
  static int next() { return ++mine; }
};
thread_local int Counter::mine = first_seed();

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_key_t key;
sem_t started;
std::atomic<int> waiting{0};
std::atomic<bool> go{false};
int turn = 0, total = 0, inits = 0;
std::atomic<int> destroyed{0};

void init() {
  inits++;
  CHECK(pthread_key_create(&key, [](void*) { destroyed++; }) == 0);
}

void* play(void* argument) {
  const long number = reinterpret_cast<long>(argument);
  pthread_once(&once, init);
  CHECK(pthread_setspecific(key, argument) == 0);
  const long id = syscall(SYS_gettid);
  sem_post(&started);
  waiting++;
  while (!go) {
  }
  for (int i = 0; i < kRounds; i++) {
    static thread_local int rounds = static_cast<int>(number) * 1000;
    pthread_mutex_lock(&mutex);
    while (turn % kThreads != number) pthread_cond_wait(&changed, &mutex);
    turn++;
    CHECK(rounds++ == number * 1000 + i);
    CHECK(Counter::next() == first_seed() + i + 1);
    CHECK(pthread_getspecific(key) == argument && syscall(SYS_gettid) == id);
    pthread_rwlock_wrlock(&rwlock);
    total++;
    pthread_rwlock_unlock(&rwlock);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
  }
  return argument;
}

}  // namespace

int main() {
  pthread_t threads[kThreads];
  CHECK(sem_init(&started, 0, 0) == 0);
  for (long i = 0; i < kThreads; i++) {
    CHECK(pthread_create(&threads[i], nullptr, play, reinterpret_cast<void*>(i)) == 0);
  }
  for (int i = 0; i < kThreads; i++) CHECK(sem_wait(&started) == 0);
  while (waiting.load() != kThreads) {
  }
  go = true;
  for (long i = 0; i < kThreads; i++) {
    void* result = nullptr;
    CHECK(pthread_join(threads[i], &result) == 0 && result == reinterpret_cast<void*>(i));
  }
  pthread_rwlock_rdlock(&rwlock);
  // The first one's value is null, which has no destructor.
  CHECK(total == kThreads * kRounds && inits == 1 && destroyed == kThreads - 1);
  pthread_rwlock_unlock(&rwlock);
  return 0;
}
