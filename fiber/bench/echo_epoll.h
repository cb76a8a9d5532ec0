// See echo_epoll.c.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Serves for ever what connects to `listener`. `buffer_size`: bytes read at once.
void echo_epoll(int listener, size_t buffer_size);

#ifdef __cplusplus
}
#endif
