// Names for clang's static lock analysis (-Wthread-safety); nothing under other compilers.
#pragma once

#if defined(__clang__)
#define FIBER_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define FIBER_THREAD_ATTRIBUTE(x)
#endif

// On a type: it is a lock; a scope that holds one.
#define FIBER_CAPABILITY(name) FIBER_THREAD_ATTRIBUTE(capability(name))
#define FIBER_SCOPED_CAPABILITY FIBER_THREAD_ATTRIBUTE(scoped_lockable)

// On a field: accessed only with the lock held; what it points to is.
#define FIBER_GUARDED_BY(x) FIBER_THREAD_ATTRIBUTE(guarded_by(x))
#define FIBER_PT_GUARDED_BY(x) FIBER_THREAD_ATTRIBUTE(pt_guarded_by(x))

// On a lock: the order of acquisition.
#define FIBER_ACQUIRED_BEFORE(...) FIBER_THREAD_ATTRIBUTE(acquired_before(__VA_ARGS__))
#define FIBER_ACQUIRED_AFTER(...) FIBER_THREAD_ATTRIBUTE(acquired_after(__VA_ARGS__))

// On a function: needs the lock, must not hold it, takes it, gives it back.
#define FIBER_REQUIRES(...) FIBER_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define FIBER_REQUIRES_SHARED(...) FIBER_THREAD_ATTRIBUTE(requires_shared_capability(__VA_ARGS__))
#define FIBER_EXCLUDES(...) FIBER_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define FIBER_ACQUIRE(...) FIBER_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define FIBER_ACQUIRE_SHARED(...) FIBER_THREAD_ATTRIBUTE(acquire_shared_capability(__VA_ARGS__))
#define FIBER_RELEASE(...) FIBER_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define FIBER_RELEASE_SHARED(...) FIBER_THREAD_ATTRIBUTE(release_shared_capability(__VA_ARGS__))
#define FIBER_RELEASE_GENERIC(...) FIBER_THREAD_ATTRIBUTE(release_generic_capability(__VA_ARGS__))
#define FIBER_TRY_ACQUIRE(...) FIBER_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
#define FIBER_TRY_ACQUIRE_SHARED(...) \
  FIBER_THREAD_ATTRIBUTE(try_acquire_shared_capability(__VA_ARGS__))
#define FIBER_ASSERT_HELD(x) FIBER_THREAD_ATTRIBUTE(assert_capability(x))
#define FIBER_ASSERT_HELD_SHARED(x) FIBER_THREAD_ATTRIBUTE(assert_shared_capability(x))
#define FIBER_RETURN_CAPABILITY(x) FIBER_THREAD_ATTRIBUTE(lock_returned(x))

// On a function: not analysed. Say why.
#define FIBER_NO_THREAD_SAFETY_ANALYSIS FIBER_THREAD_ATTRIBUTE(no_thread_safety_analysis)
