// Makes a worker's engine: the completion port's, or the simulation's.
//
// FIBER_ENGINE=iocp|blocking wins over the program's wish. io_uring and epoll, which a program may
// ask for, are not here: it gets the port.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "engine_port.h"
#include "io_engine.h"
#include "sim_hooks.h"

namespace fiber::detail {

namespace {

bool blocking_by_environment() {
  const char* value = std::getenv("FIBER_ENGINE");
  if (value == nullptr || *value == '\0' || std::strcmp(value, "iocp") == 0) return false;
  if (std::strcmp(value, "blocking") == 0) return true;
  std::fprintf(stderr, "fiber: FIBER_ENGINE=%s is neither iocp nor blocking: ignored\n", value);
  return false;
}

}  // namespace

std::unique_ptr<IoEngine> create_io_engine(Engine /*requested*/) {
  if (simulator() != nullptr) return create_sim_engine();
  static const bool blocking = blocking_by_environment();
  if (!blocking && completion_port_works()) return std::make_unique<PortEngine>();
  return create_futex_engine();
}

}  // namespace fiber::detail
