// The servers of echo_bench.cc. Each echoes for ever whatever connects to `listener`, a listening
// TCP socket, reading up to `buffer_size` bytes at once, and never returns.
#pragma once

#include <cstddef>

namespace fiber::bench {

// A thread for each connection, blocking calls.
void echo_threads(int listener, size_t buffer_size);
// io_uring by hand, without fibers: the floor for what a library on it can reach. One receive per
// request, polled first, or one receive for good that takes its buffers from a ring of them.
void echo_ring(int listener, size_t buffer_size);
void echo_ring_multishot(int listener, size_t buffer_size);
// A fiber for each connection on one worker.
void echo_fibers_uring(int listener, size_t buffer_size);
void echo_fibers_epoll(int listener, size_t buffer_size);

}  // namespace fiber::bench
