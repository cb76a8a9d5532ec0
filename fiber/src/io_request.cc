// See io_request.h.
#include "io_request.h"

#include <cstddef>

namespace fiber::detail {

void submit_to_pool(IoRequest* request) {
  request->job.run = [](PoolJob* job) {
    auto* self =
        reinterpret_cast<IoRequest*>(reinterpret_cast<char*>(job) - offsetof(IoRequest, job));
    self->complete(self->block(self));
  };
  BlockingPool::instance().submit(&request->job);
}

}  // namespace fiber::detail
