// Sockets of net.h: an echo between the fibers of one process, over TCP on this machine. The
// comparison with other servers, by processes of their own, is echo_bench's.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "fiber/net.h"
#include "fiber/runtime.h"

namespace fiber {
namespace {

constexpr size_t kMessage = 64;  // bytes

// Echoes until the peer's end.
void serve(int fd) {
  char data[kMessage];
  while (net::recv_exactly(fd, data, kMessage) == kMessage) {
    if (net::send_all(fd, data, kMessage) != kMessage) break;
  }
  net::close(fd);
}

bool round_trip(int fd) {
  char data[kMessage] = {};
  return net::send_all(fd, data, kMessage) == kMessage &&
         net::recv_exactly(fd, data, kMessage) == kMessage;
}

// range(0) connections, a fiber at each end; one iteration is one round trip on one of them.
void BM_Echo(benchmark::State& state) {
  const auto count = static_cast<size_t>(state.range(0));
  Runtime runtime(RuntimeOptions{.workers = 2});
  runtime.run([&] {
    const int listener = net::listen_on(net::Address::loopback_v4(0));
    net::Address address;
    if (listener < 0 || net::local_address(listener, &address) != 0) std::abort();
    std::vector<JoinHandle> servers;
    std::vector<int> clients;
    for (size_t i = 0; i < count; ++i) {
      const int client = net::connect_to(address);
      const int server = net::accept(listener);
      if (client < 0 || server < 0) {
        state.SkipWithError("no connection");
        if (client >= 0) net::close(client);
        break;
      }
      clients.push_back(client);
      servers.push_back(spawn([server] { serve(server); }));
    }
    constexpr int64_t kTurns = 20;
    bool well = clients.size() == count;
    while (well && state.KeepRunningBatch(kTurns * state.range(0))) {
      std::vector<JoinHandle> handles;
      handles.reserve(count);
      for (int fd : clients) {
        handles.push_back(spawn([fd] {
          for (int64_t i = 0; i < kTurns; ++i) {
            if (!round_trip(fd)) std::abort();
          }
        }));
      }
      for (JoinHandle& handle : handles) handle.join();
    }
    for (int fd : clients) net::close(fd);
    for (JoinHandle& handle : servers) handle.join();
    net::close(listener);
  });
  state.counters["round_trips"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_Echo)->Arg(1)->Arg(100)->Arg(1000)->UseRealTime();

}  // namespace
}  // namespace fiber
