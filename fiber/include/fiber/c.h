/* Fibers for C, and for programs that open the library with dlopen(): a runtime, spawning and
   joining. What is called on a fiber behaves as fiber/runtime.h says: it parks where it would
   block. Thread safety: every function from any thread or fiber. */
#ifndef FIBER_C_H_
#define FIBER_C_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fiber_runtime_t fiber_runtime_t;
typedef struct fiber_handle_t fiber_handle_t;

/* Starts `workers` OS threads that run fibers with stacks of `stack_size` bytes (0: the default).
   NULL if the number of workers is not sensible (see RuntimeOptions). The caller destroys it. */
fiber_runtime_t* fiber_runtime_create(int workers, size_t stack_size);
/* Waits for all fibers, then stops the workers. Not from one of its own fibers. NULL is ignored. */
void fiber_runtime_destroy(fiber_runtime_t* runtime);

/* Starts a fiber that calls function(argument). The handle must be given to fiber_join(), once. */
fiber_handle_t* fiber_spawn(fiber_runtime_t* runtime, void (*function)(void*), void* argument);
/* Waits for the fiber's end. */
void fiber_join(fiber_handle_t* handle);

/* Lets the other ready fibers of the worker run first; on a plain thread gives up the time slice.
 */
void fiber_yield(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* FIBER_C_H_ */
