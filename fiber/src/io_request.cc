// See io_request.h.
#include "io_request.h"

#include <cerrno>
#include <cstddef>

namespace fiber::detail {

void submit_to_pool(IoRequest* request) {
  request->job.run = [](PoolJob* job) {
    auto* self =
        reinterpret_cast<IoRequest*>(reinterpret_cast<char*>(job) - offsetof(IoRequest, job));
    self->complete(self->block(self));
  };
  request->pooled = true;
  BlockingPool::instance().submit(&request->job);
}

void cancel_in_pool(IoRequest* request) {
  if (BlockingPool::instance().remove(&request->job)) request->complete(-ECANCELED);
}

}  // namespace fiber::detail
