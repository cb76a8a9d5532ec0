// A threaded program as anybody writes it: tools/fiberize turns a copy of it into fibers, see
// fiber/test/install_test.sh. Two threads hand a number to and fro, and each counts its turns in a
// thread_local.
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable turned;
int turns = 0;
thread_local int own_turns = 0;

void play(int player) {
  pthread_setname_np(pthread_self(), "player");
  while (true) {
    std::unique_lock<std::mutex> lock(mutex);
    turned.wait(lock, [player] { return turns % 2 == player || turns == 1000; });
    if (turns == 1000) break;
    turns++;
    own_turns++;
    turned.notify_all();
  }
  const std::string line = std::to_string(own_turns) + "\n";
  if (::write(1, line.data(), line.size()) < 0 || own_turns != 500) std::abort();
}

}  // namespace

int main() {
  std::thread ping(play, 0);
  std::thread pong(play, 1);
  ping.join();
  pong.join();
  return own_turns == 0 ? 0 : 1;
}
