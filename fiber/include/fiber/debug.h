// Looking at the fibers of a process: dump(), by call or by signal, and the reports that the
// library makes by itself (a stack overflow, a fiber that does not suspend).
//
// The same from outside: fiber/gdb/fiber_gdb.py in the debugger.
#pragma once

namespace fiber {

// Writes to a descriptor, for people, all workers and all fibers of all runtimes (and of
// fiber::gather): number, name, state (running, ready, waiting), in debug builds for how long, and
// where a suspended one suspended, innermost function first. Fibers that have not started are
// counted for each worker. A line begins with "worker", "fiber" or blanks.
//
// From any thread, fiber or signal handler; nothing is stopped meanwhile, so a fiber that runs on
// another thread may change under our eyes: each line is true for some moment, and the backtrace of
// a fiber that was just resumed may be nonsense. Backtraces go by frame pointers: through code
// compiled without them they skip callers. Costs milliseconds; more with many thousands of fibers.
void dump(int fd = 2);

// Has dump(2) called when the process receives `signal`; 0 or -errno. The handler calls, after the
// dump, the handler that was there before, if there was one. Debug builds do this for SIGQUIT when
// the first runtime starts, if nobody has set a handler; every build does it for the signal that
// the environment names: FIBER_DUMP_SIGNAL=<number>, 0 for none. As safe as it can be in a handler:
// no allocation and no lock that is waited for; the first dump maps the symbol table of the
// program.
int dump_on_signal(int signal);

// A stack overflow: touching the guard below a fiber's stack ends the process with SIGSEGV, as it
// must. Before that, a handler on a signal stack of its own names the fiber on stderr, then hands
// on to the handler that was there before it (so a sanitizer or crash reporter sees the same
// fault), or to the default. Installed when the first runtime starts; FIBER_OVERFLOW_REPORT=0 keeps
// it out, and so does RuntimeOptions::report_overflow = false if no runtime before had it.

}  // namespace fiber
