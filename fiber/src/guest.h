// The worker that a plain thread keeps for guest mode (fiber/guest.h) and for its reads in flight
// (fiber/flight.h). Ends with the thread, or the simulated thread.
//
// Thread safety: on the calling thread's own behalf; not on fibers.
#pragma once

namespace fiber::detail {

class Worker;

// Made with the first call. Null: the thread is about to end and its worker is gone.
Worker* guest_worker();
// Null if there is none.
Worker* existing_guest_worker();

}  // namespace fiber::detail
