// All workers of the process, for those who look at them from outside: fiber::dump(), stack
// overflow reports.
//
// Thread safe. Visiting locks out the coming and going of workers, not their work.
#pragma once

namespace fiber::detail {

class Worker;

// By the worker's constructor and destructor.
void register_worker(Worker* worker);
void unregister_worker(Worker* worker);

// Calls visit(worker, argument) for each. False: the list is being changed, by the thread that a
// signal handler interrupted maybe, and stayed so for a while; nobody was visited.
// Async-signal-safe, if visit() is.
bool visit_workers(void (*visit)(const Worker*, void*), void* argument);

}  // namespace fiber::detail
