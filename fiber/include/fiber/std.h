// All of fiber_std: the concurrency part of the C++ standard library with fibers for threads. One
// header per standard header, under fiber/std/; fiber/README.md has the table of what is there and
// where it differs.
#pragma once

#include "fiber/std/barrier.h"
#include "fiber/std/condition_variable.h"
#include "fiber/std/future.h"
#include "fiber/std/latch.h"
#include "fiber/std/mutex.h"
#include "fiber/std/semaphore.h"
#include "fiber/std/shared_mutex.h"
#include "fiber/std/stop_token.h"
#include "fiber/std/thread.h"
#include "fiber/std/thread_local_ptr.h"
