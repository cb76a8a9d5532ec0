#include "server/host/requests.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "fiber/io.h"

namespace cairn::server {

using rocksdb::Status;

namespace {

// Handlers only put a byte into it.
int signal_pipe[2] = {-1, -1};

void OnSignal(int signal) {
  const char byte = signal == SIGHUP ? 'h' : 's';
  const int saved = errno;
  [[maybe_unused]] const ssize_t n = write(signal_pipe[1], &byte, 1);  // style: a signal handler
  errno = saved;
}

}  // namespace

Status CatchRequests() {
  if (pipe2(signal_pipe, O_CLOEXEC) != 0) return Status::IOError("no pipe for signals");
  // A handler must not wait, whoever sends thousands of them.
  if (fcntl(signal_pipe[1], F_SETFL, O_NONBLOCK) != 0) {  // style: it does not wait
    return Status::IOError("no pipe for signals");
  }
  struct sigaction action = {};
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
  // (Without SA_RESTART: the thread sanitizer calls handlers only where a call comes back.)
  action.sa_handler = OnSignal;
  for (const int one : {SIGHUP, SIGTERM, SIGINT}) sigaction(one, &action, nullptr);
  return Status::OK();
}

ProcessRequest NextRequest() {
  char byte;
  if (fiber::io::read(signal_pipe[0], &byte, 1) != 1 || byte == 'q') return ProcessRequest::kNoMore;
  return byte == 'h' ? ProcessRequest::kReload : ProcessRequest::kStop;
}

void EndRequests() {
  const char end = 'q';
  fiber::io::write(signal_pipe[1], &end, 1);
}

void LeaveAtOnce() { _exit(1); }

}  // namespace cairn::server
