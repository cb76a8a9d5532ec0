// See engine_pool.h.
#include "engine_pool.h"

#include <cstddef>

#include "io_request.h"

namespace fiber::detail {

void submit_to_pool(IoRequest* request) {
  request->job.run = [](PoolJob* job) {
    auto* self =
        reinterpret_cast<IoRequest*>(reinterpret_cast<char*>(job) - offsetof(IoRequest, job));
    self->complete(self->block(self));
  };
  BlockingPool::instance().submit(&request->job);
}

bool PoolEngine::submit(IoRequest* request) {
  while (request != nullptr) {
    IoRequest* const next = request->next;  // the request may be gone once it was submitted
    submit_to_pool(request);
    request = next;
  }
  return true;
}

void PoolEngine::poll(bool block, uint64_t deadline) {
  if (!block) return;
  if (!wake_word_.take()) wake_word_.sleep(deadline);
  wake_word_.take();
}

}  // namespace fiber::detail
