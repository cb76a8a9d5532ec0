// See place.h: Windows has no signals that a thread answers.
#include "place.h"

namespace fiber::detail {

bool prepare_places() { return false; }

size_t place_of(uint32_t, const Stack&, uintptr_t*, size_t) { return 0; }

}  // namespace fiber::detail
