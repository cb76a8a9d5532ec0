// See fiber/flight.h. A PendingRead owns a Flight: the request that goes to an engine
// (io_request.h) and a word that says who takes note of its end.
//
// The word of a flight (state):
//   kIdle      -> kFlying    start()
//   kFlying    -> kLanded    the landing, on whatever thread completes the request
//   kLanded    -> kFlying    settle(): something is left to read
//   kLanded    -> kFinished  settle(): the result is there
//   kFlying    -> a FlightWait and back: the owner waits
//   a FlightWait -> kLanded  the landing, which then counts itself in that FlightWait
//   kFlying    -> kAbandoned abandon(): the landing frees the flight
// Only a landing changes the word behind the owner's back, once for each start. After that it does
// not touch the flight, which its owner may free, but for an abandoned one.
//
// The home's count of flights (worker.h) keeps the worker, and so the engine, alive until the last
// of them has landed.
#include "fiber/flight.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

#include "fiber/io.h"
#include "guest.h"
#include "io_blocking.h"
#include "io_cached.h"
#include "io_engine.h"
#include "io_request.h"
#include "sim_hooks.h"
#include "waiter.h"
#include "worker.h"

#if defined(FIBER_ASAN)
#include <sanitizer/lsan_interface.h>
#endif

namespace fiber {

using detail::Flight;
using detail::Worker;

namespace {

constexpr uintptr_t kIdle = 0;
constexpr uintptr_t kFlying = 1;
constexpr uintptr_t kLanded = 2;
constexpr uintptr_t kFinished = 3;
constexpr uintptr_t kAbandoned = 4;  // what is larger is a FlightWait

// One resumption of the owner. A plain thread that has a guest worker waits inside of it, so that
// its own reads go on.
class Signal {
 public:
  // The signal may be gone afterwards.
  void raise(Worker* guest) {
    if (guest == nullptr) {
      waiter_.resume();
      return;
    }
    guest->enter();
    raised_.store(true, std::memory_order_seq_cst);
    guest->notify_and_leave();
  }
  void await(Worker* guest) {
    if (guest == nullptr) {
      waiter_.suspend();
    } else {
      guest->run_until([this] { return raised_.load(std::memory_order_seq_cst); });
    }
  }
  // The same until `deadline`. False: it passed, and give_up(this) has said that nobody will raise
  // this any more.
  bool await_until(Worker* guest, uint64_t deadline, bool (*give_up)(Signal*)) {
    if (guest == nullptr) {
      waiter_.signal = this;
      waiter_.give_up = give_up;
      return waiter_.suspend_until(deadline, [](detail::Waiter* waiter) {
        auto* const self = static_cast<SignalWaiter*>(waiter);
        return self->give_up(self->signal);
      });
    }
    struct Alarm : detail::TimerNode {
      bool rang = false;
    } alarm;
    alarm.deadline = deadline;
    alarm.fire = [](detail::TimerNode* node) { static_cast<Alarm*>(node)->rang = true; };
    guest->start_timer(&alarm);
    guest->run_until([&] { return alarm.rang || raised_.load(std::memory_order_seq_cst); });
    guest->cancel_timer(&alarm);
    if (!raised_.load(std::memory_order_seq_cst) && give_up(this)) return false;
    await(guest);
    return true;
  }

 private:
  struct SignalWaiter : detail::Waiter {
    Signal* signal = nullptr;
    bool (*give_up)(Signal*) = nullptr;
  };
  std::atomic<bool> raised_{false};
  SignalWaiter waiter_;
};

// The owner's wait for any of several flights: on its stack, known to each flight that it waits
// for. In two steps: until the first has landed; then it withdraws from the others, and waits until
// those that have landed meanwhile no longer touch this.
class FlightWait {
 public:
  explicit FlightWait(Worker* guest) : guest_(guest) {}

  // A landing. (The first is told from the last: hits_ counts up from 0, until await_last() takes
  // off all that there will be, and from then on up to 0.)
  void hit() {
    const uint32_t before = hits_.fetch_add(1, std::memory_order_acq_rel);
    if (before == 0) {
      first_.raise(guest_);
    } else if (before == UINT32_MAX) {
      last_.raise(guest_);
    }
  }

  // `seen`: the owner itself has found one that has landed, which is a hit of its own.
  void await_first(bool seen) {
    if (!seen || hits_.fetch_add(1, std::memory_order_acq_rel) != 0) first_.await(guest_);
  }
  // The same until `deadline`. False: it passed, which is a hit, too.
  bool await_first_until(uint64_t deadline) {
    return first_.await_until(guest_, deadline, [](Signal* first) {
      uint32_t none = 0;
      return static_cast<First*>(first)->wait->hits_.compare_exchange_strong(
          none, 1, std::memory_order_acq_rel);
    });
  }
  // `count`: all hits that there are or will be, the owner's included.
  void await_last(uint32_t count) {
    if (hits_.fetch_sub(count, std::memory_order_acq_rel) != count) last_.await(guest_);
  }

 private:
  struct First : Signal {
    explicit First(FlightWait* owner) : wait(owner) {}
    FlightWait* const wait;
  };
  Worker* const guest_;
  std::atomic<uint32_t> hits_{0};
  First first_{this};
  Signal last_;
};

}  // namespace

struct detail::Flight {
  // The home, while it flies.
  Worker* home = nullptr;
  WorkerGroup* home_group = nullptr;  // null: a plain thread's
  // Written by the owner and the landing; sequentially consistent, because a worker's sleep depends
  // on it (Worker::notify()).
  std::atomic<uintptr_t> state{kIdle};
  bool awaited = false;  // the owner's: has entered a FlightWait
  bool cancelled = false;
  bool cached = false;  // the file can say what is in the page cache
  bool any_thread = false;
  int fd = -1;
  char* data = nullptr;
  size_t size = 0;
  uint64_t offset = 0;
  size_t got = 0;  // bytes that are there
  ptrdiff_t result = 0;
  Function released;  // of an abandoned one
  IoRequest request;
  CancelOp cancel_op;
  struct Group : IoGroup {
    explicit Group(Flight* owner) : IoGroup(1), flight(owner) {}
    Flight* const flight;
  } group{this};

  bool flying() const { return state.load(std::memory_order_seq_cst) == kFlying; }
  void finish(ptrdiff_t value) {
    result = value;
    state.store(kFinished, std::memory_order_relaxed);
  }
  bool launch(bool to_pool);
  bool settle();
  bool served() const;
};

namespace {

Worker* here() {
  return Worker::current_fiber() != nullptr ? Worker::current() : detail::existing_guest_worker();
}

// The request is over. Any thread.
void land(detail::IoGroup* group) {
  Flight* const flight = static_cast<Flight::Group*>(group)->flight;
  Worker* const home = flight->home;
  home->begin_landing();
  const uintptr_t before = flight->state.exchange(kLanded, std::memory_order_seq_cst);
  if (before == kAbandoned) {
    const std::unique_ptr<Flight> owned(flight);
    owned->released();
  } else if (before != kFlying) {
    reinterpret_cast<FlightWait*>(before)->hit();
  }
  home->end_landing();
}

// Waits until one of the flights has landed, or until `deadline`. Not for any that nobody serves.
template <class At>
void await_any(size_t count, At at, uint64_t deadline = kNoDeadline) {
  FlightWait wait(Worker::current_fiber() != nullptr ? nullptr : detail::existing_guest_worker());
  const uintptr_t word = reinterpret_cast<uintptr_t>(&wait);
  bool seen = false;
  for (size_t i = 0; i < count && !seen; ++i) {
    Flight* const flight = at(i);
    if (flight == nullptr || flight->awaited) continue;
    uintptr_t flying = kFlying;
    flight->awaited = flight->state.compare_exchange_strong(flying, word);
    seen = !flight->awaited && flying == kLanded;
  }
  uint32_t hits = seen ? 1 : 0;
  if (seen || deadline == kNoDeadline) {
    wait.await_first(seen);
  } else if (!wait.await_first_until(deadline)) {
    hits = 1;
  }
  for (size_t i = 0; i < count; ++i) {
    Flight* const flight = at(i);
    if (flight == nullptr || !flight->awaited) continue;
    flight->awaited = false;
    uintptr_t mine = word;
    if (!flight->state.compare_exchange_strong(mine, kFlying)) ++hits;
  }
  wait.await_last(hits);
}

void await(Flight* flight, uint64_t deadline = kNoDeadline) {
  await_any(1, [flight](size_t) { return flight; }, deadline);
}

}  // namespace

// Sends off what is left to read. False: it is finished instead.
bool Flight::launch(bool to_pool) {
  Worker* const worker = Worker::current_fiber() != nullptr ? Worker::current() : guest_worker();
  if (worker == nullptr) {
    // At the end of a thread nobody could wait for it.
    const ptrdiff_t n = io::pread(fd, data + got, size - got, offset + got);
    finish(n <= 0 && got == 0 ? n : static_cast<ptrdiff_t>(got) + std::max<ptrdiff_t>(n, 0));
    return false;
  }
  home = worker;
  home_group = worker->group();
  request = IoRequest();
  request.op.prepare_read(fd, data + got, size - got, offset + got);
  request.context = this;
  request.block = [](IoRequest* self) -> int64_t {
    const Flight& f = *static_cast<Flight*>(self->context);
    return io::blocking::pread(f.fd, f.data + f.got, f.size - f.got, f.offset + f.got);
  };
  request.cancel_op = &cancel_op;
  cancel_op = CancelOp();
  request.group = &group;
  group.pending.store(1, std::memory_order_relaxed);
  group.over = &land;
  worker->depart_flight();
  state.store(kFlying, std::memory_order_seq_cst);
  if (to_pool || any_thread || !worker->engine()->submit(&request)) submit_to_pool(&request);
  return true;
}

// Whether the read is over. If it has landed and something is left to read, that is sent off.
bool Flight::settle() {
  // One look: it may land between two.
  const uintptr_t now = state.load(std::memory_order_seq_cst);
  if (now != kLanded) return now != kFlying;
  const ptrdiff_t n = static_cast<ptrdiff_t>(request.result);
  if (n > 0) got += static_cast<size_t>(n);
  const ptrdiff_t so_far = static_cast<ptrdiff_t>(got);
  if (cancelled) {
    finish(n < 0 ? n : so_far);
    return true;
  }
  if (n == -EAGAIN || n == -EINTR) {
    // Not by the ring, then.
    if (!request.pooled) return !launch(true);
  } else if (n > 0 && got < size && cached) {
    // A short read of a regular file is its end, usually: make sure as pread() would.
    ptrdiff_t value;
    if (!io::read_cached(fd, data, size, offset, &got, &value)) return !launch(false);
    finish(value);
    return true;
  }
  finish(got > 0 ? so_far : n);
  return true;
}

// Whether the flight will land without its home's doing, or this is the home.
bool Flight::served() const { return request.pooled || home_group != nullptr || home == here(); }

namespace io {

PendingRead::PendingRead() noexcept = default;
PendingRead::~PendingRead() { cancel(); }
PendingRead::PendingRead(PendingRead&& other) noexcept = default;
PendingRead& PendingRead::operator=(PendingRead&& other) noexcept {
  if (this != &other) {
    cancel();
    flight_ = std::move(other.flight_);
  }
  return *this;
}

int PendingRead::start(int fd, void* data, size_t size, uint64_t offset, StartOptions options) {
  if (flight_ == nullptr) flight_ = std::make_unique<Flight>();
  Flight& flight = *flight_;
  if (flight.flying()) return -EBUSY;
  flight.cancelled = false;
  flight.fd = fd;
  flight.data = static_cast<char*>(data);
  flight.size = clamp(size);
  flight.offset = offset;
  flight.got = 0;
  const bool on_fiber = Worker::current_fiber() != nullptr;
  flight.any_thread = options.any_thread && detail::simulator() == nullptr &&
                      (!on_fiber || Worker::current()->group() == nullptr);
  ptrdiff_t result = -EINVAL;
  flight.cached = offset <= kMaxOffset && may_read_cached(fd);
  if (offset > kMaxOffset ||
      (flight.cached && read_cached(fd, data, flight.size, offset, &flight.got, &result))) {
    flight.finish(result);
    if (on_fiber) completed_inline();
  } else {
    flight.launch(false);
  }
  if (!options.more) {
    if (Worker* const worker = here()) worker->engine()->flush();
  }
  return 0;
}

bool PendingRead::in_flight() const { return flight_ != nullptr && flight_->flying(); }

bool PendingRead::done() {
  if (flight_ == nullptr || flight_->settle()) return true;
  if (Worker::current_fiber() == nullptr && flight_->home == detail::existing_guest_worker()) {
    flight_->home->run_until([] { return true; });
    return flight_->settle();
  }
  return false;
}

ptrdiff_t PendingRead::wait() {
  const int error = wait_until(kNoDeadline);
  return error != 0 ? error : flight_->result;
}

int PendingRead::wait_until(uint64_t deadline) {
  if (flight_ == nullptr) return -EINVAL;
  while (!flight_->settle()) {
    if (!flight_->served()) return -EXDEV;
    if (deadline != kNoDeadline && now_nanos() >= deadline) return done() ? 0 : -ETIMEDOUT;
    await(flight_.get(), deadline);
  }
  return 0;
}

void PendingRead::cancel() {
  Flight* const flight = flight_.get();
  if (flight == nullptr) return;
  flight->cancelled = true;
  if (flight->flying()) {
    detail::IoRequest* const request = &flight->request;
    Worker* const home = flight->home;
    if (request->pooled) {
      cancel_in_pool(request);
    } else if (home == here()) {
      home->engine()->cancel(request);
    } else if (flight->home_group != nullptr && Worker::current_fiber() != nullptr &&
               Worker::current()->group() == flight->home_group) {
      // Another worker of the same runtime, which lives as long as we run on it.
      home->spawn_from_outside([home, request] { home->engine()->cancel(request); }).join();
    }
    while (flight->flying()) await(flight);
  }
  flight->settle();
}

void PendingRead::abandon(Function released) {
  if (in_flight()) {
    detail::IoRequest* const request = &flight_->request;
    if (request->pooled) {
      cancel_in_pool(request);
    } else if (flight_->home == here()) {
      flight_->home->engine()->cancel(request);
      flight_->home->engine()->flush();
    }
    Flight* const flight = flight_.release();
    Worker* const home = flight->home;
    flight->released = std::move(released);
#if defined(FIBER_ASAN)
    // Only the kernel knows it from here on, and the process may end before it lands.
    __lsan_ignore_object(flight);
#endif
    uintptr_t flying = kFlying;
    if (flight->state.compare_exchange_strong(flying, kAbandoned)) {
      // A plain thread may not wait for anything for long: what the cancelling has ended lands now.
      if (home == detail::existing_guest_worker() && Worker::current_fiber() == nullptr) {
        home->take_turn();
      }
      return;
    }
    flight_.reset(flight);
    released = std::move(flight->released);
  }
  flight_.reset();
  released();
}

ptrdiff_t wait_any(std::span<PendingRead* const> reads) {
  auto at = [reads](size_t i) {
    Flight* const flight = reads[i] != nullptr ? reads[i]->flight_.get() : nullptr;
    return flight != nullptr && flight->state.load(std::memory_order_relaxed) != kIdle ? flight
                                                                                       : nullptr;
  };
  for (;;) {
    bool any = false, served = true;
    for (size_t i = 0; i < reads.size(); ++i) {
      Flight* const flight = at(i);
      if (flight == nullptr) continue;
      if (flight->settle()) return static_cast<ptrdiff_t>(i);
      any = true;
      if (!flight->served()) served = false;
    }
    if (!any) return -EINVAL;
    if (!served) return -EXDEV;
    await_any(reads.size(), at);
  }
}

int wait_all(std::span<PendingRead* const> reads) {
  for (PendingRead* const read : reads) {
    if (read != nullptr && read->wait() == -EXDEV) return -EXDEV;
  }
  return 0;
}

}  // namespace io
}  // namespace fiber
