// Chooses a worker's engine: what the program asks for, or the environment, or the best that works
// here.
//
// FIBER_ENGINE=io_uring|epoll wins over the program's wish ("pool", the name from before sockets,
// means epoll). Asking for io_uring where the kernel refuses it gives epoll and one line on stderr;
// without a wish epoll is taken silently.
#include "engine_factory.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "engine_epoll.h"
#include "engine_ring.h"
#include "engine_uring.h"
#include "sim_hooks.h"

namespace fiber::detail {

std::unique_ptr<IoEngine> (*uring_engine_for_tests)() = nullptr;

namespace {

// The environment's choice, read once.
Engine engine_of_environment() {
  const char* value = std::getenv("FIBER_ENGINE");
  if (value == nullptr || *value == '\0') return Engine::kAuto;
  if (std::strcmp(value, "io_uring") == 0) return Engine::kIoUring;
  if (std::strcmp(value, "epoll") == 0 || std::strcmp(value, "pool") == 0) return Engine::kEpoll;
  std::fprintf(stderr, "fiber: FIBER_ENGINE=%s is neither io_uring nor epoll: ignored\n", value);
  return Engine::kAuto;
}

}  // namespace

std::unique_ptr<IoEngine> create_io_engine(Engine requested) {
  if (simulator() != nullptr) return create_sim_engine();
  static const Engine environment = engine_of_environment();
  if (environment != Engine::kAuto) requested = environment;
  if (requested == Engine::kIoUring && uring_engine_for_tests != nullptr)
    return uring_engine_for_tests();
  if (requested == Engine::kEpoll) return std::make_unique<EpollEngine>();
  const RingSupport& support = ring_support();
  if (support.error == 0) return std::make_unique<UringEngine>();
  if (requested == Engine::kIoUring) {
    static std::once_flag told;
    std::call_once(told, [&] {
      std::fprintf(
          stderr,
          "fiber: io_uring was asked for but is not available (%s): using epoll and threads\n",
          std::strerror(-support.error));
    });
  }
  return std::make_unique<EpollEngine>();
}

}  // namespace fiber::detail
