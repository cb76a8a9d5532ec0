"""What is rewritten and what is flagged: the tables. fiberize_test.py compiles every name of fiber_std and of
fiber/posix.h that stands here."""

# Header of the standard: (header of fiber, its names in fiber_std).
STD_HEADERS = {
    'thread': ('fiber/std/thread.h', 'thread jthread this_thread'),
    'stop_token': ('fiber/std/stop_token.h', 'stop_token stop_source stop_callback nostopstate nostopstate_t'),
    'mutex': ('fiber/std/mutex.h',
              'mutex timed_mutex recursive_mutex recursive_timed_mutex lock_guard unique_lock scoped_lock lock '
              'try_lock adopt_lock adopt_lock_t defer_lock defer_lock_t try_to_lock try_to_lock_t call_once once_flag'),
    'shared_mutex': ('fiber/std/shared_mutex.h', 'shared_mutex shared_timed_mutex shared_lock'),
    'condition_variable': ('fiber/std/condition_variable.h',
                           'condition_variable condition_variable_any cv_status notify_all_at_thread_exit'),
    'future': ('fiber/std/future.h',
               'future shared_future promise packaged_task async launch future_status future_error future_errc '
               'future_category'),
    'semaphore': ('fiber/std/semaphore.h', 'counting_semaphore binary_semaphore'),
    'latch': ('fiber/std/latch.h', 'latch'),
    'barrier': ('fiber/std/barrier.h', 'barrier'),
}
STD_NAMES = {name: header for header, (_, names) in STD_HEADERS.items() for name in names.split()}
LOCAL_HEADER = 'fiber/std/thread_local_ptr.h'
POSIX_HEADER = 'fiber/posix.h'

# Names that the standard's namespace keeps although a header above declares them: none is safe on a fiber unseen.
STD_FLAGGED = {
    'atomic_wait': 'blocks the worker: wait on a fiber_std::condition_variable or with fiber::wait()',
    'atomic_wait_explicit': 'blocks the worker: wait on a fiber_std::condition_variable or with fiber::wait()',
    'atomic_notify_one': 'wakes only what sleeps in std::atomic_wait, which blocks its worker',
    'atomic_notify_all': 'wakes only what sleeps in std::atomic_wait, which blocks its worker',
    'atomic_flag_wait': 'blocks the worker: wait on a fiber_std::condition_variable or with fiber::wait()',
    'fstream': 'a file stream blocks the worker',
    'ifstream': 'a file stream blocks the worker',
    'ofstream': 'a file stream blocks the worker',
    'filesystem': 'file system calls block the worker',
    'execution': 'parallel algorithms start threads of their own',
}

# System calls with a wrapper in fiber/posix.h: name -> (fewest, most) arguments.
POSIX_CALLS = {
    'open': (2, 3), 'creat': (2, 2), 'close': (1, 1), 'read': (3, 3), 'write': (3, 3), 'pread': (4, 4),
    'pwrite': (4, 4), 'preadv': (4, 4), 'pwritev': (4, 4), 'fsync': (1, 1), 'fdopen': (2, 2),
    'fdatasync': (1, 1), 'ftruncate': (2, 2), 'fallocate': (4, 4), 'sync_file_range': (4, 4), 'rename': (2, 2),
    'unlink': (1, 1), 'remove': (1, 1), 'link': (2, 2), 'mkdir': (2, 2), 'rmdir': (1, 1), 'stat': (2, 2),
    'access': (2, 2),
    'sleep': (1, 1), 'usleep': (1, 1), 'nanosleep': (2, 2), 'sched_yield': (0, 0),
}
# Declared in namespace std too.
POSIX_IN_STD = {'rename', 'remove'}
# Calls that would change the worker: their wrappers do nothing on a fiber.
WORKER_CALLS = {
    'pthread_setname_np': (2, 2), 'pthread_setschedparam': (3, 3), 'pthread_setschedprio': (2, 2),
    'pthread_setaffinity_np': (3, 3), 'sched_setaffinity': (3, 3), 'sched_setscheduler': (3, 3),
    'sched_setparam': (2, 2), 'setpriority': (3, 3), 'nice': (1, 1), 'prctl': (1, 5),
}

# Calls that a person must look at: name -> (fewest, most arguments, why).
MANY = 99
STDIO = 'buffered file I/O blocks the worker while it reads or writes'
WAITS = 'blocks the worker until it returns'
SOCKET = 'blocks the worker until it returns: fiber/net.h has it for fibers'
FLAGGED_CALLS = {
    'fopen': (2, 2, STDIO), 'freopen': (3, 3, STDIO), 'fdopen': (2, 2, STDIO), 'tmpfile': (0, 0, STDIO),
    'popen': (2, 2, STDIO), 'system': (1, 1, WAITS), 'opendir': (1, 1, 'reading a directory blocks the worker'),
    'scandir': (4, 4, 'reading a directory blocks the worker'),
    'mmap': (6, 6, 'a page fault on a mapped file blocks the worker'),
    'getaddrinfo': (4, 4, WAITS), 'gethostbyname': (1, 1, WAITS), 'wait': (1, 1, WAITS), 'waitpid': (3, 3, WAITS),
    'poll': (3, 3, WAITS), 'ppoll': (4, 4, WAITS), 'select': (5, 5, WAITS), 'pselect': (6, 6, WAITS),
    'epoll_wait': (4, 4, WAITS), 'flock': (2, 2, WAITS), 'lockf': (3, 3, WAITS), 'sem_wait': (1, 1, WAITS),
    'sem_timedwait': (2, 2, WAITS), 'mq_receive': (4, 4, WAITS), 'msgrcv': (5, 5, WAITS), 'sigwait': (2, 2, WAITS),
    'pause': (0, 0, WAITS), 'sendfile': (4, 4, WAITS), 'copy_file_range': (6, 6, WAITS), 'splice': (6, 6, WAITS),
    'accept': (3, 3, SOCKET), 'accept4': (4, 4, SOCKET), 'connect': (3, 3, SOCKET), 'recv': (4, 4, SOCKET),
    'recvfrom': (6, 6, WAITS), 'recvmsg': (3, 3, SOCKET), 'send': (4, 4, SOCKET), 'sendto': (6, 6, WAITS),
    'sendmsg': (3, 3, SOCKET),
    'readv': (3, 3, WAITS), 'writev': (3, 3, WAITS),
    'fork': (0, 0, 'the child has only the calling worker: only exec is safe in it'),
    'vfork': (0, 0, 'the child shares the worker: only exec is safe in it'),
    'gettid': (0, 0, "the worker's id, shared by all its fibers"),
    'sigprocmask': (3, 3, "the worker's mask, shared by all its fibers"),
}
STDIO_IN_STD = {'fopen', 'freopen', 'tmpfile', 'system'}
# pthread calls, by the longest prefix that fits.
PTHREAD_FLAGGED = {
    'pthread_mutex': 'blocks the worker: fiber_std::mutex', 'pthread_rwlock': 'blocks the worker: fiber_std::shared_mutex',
    'pthread_cond': 'blocks the worker: fiber_std::condition_variable',
    'pthread_spin': 'spins with the worker: fiber_std::mutex',
    'pthread_barrier': 'blocks the worker: fiber_std::barrier', 'pthread_once': 'fiber_std::call_once',
    'pthread_create': 'starts a thread: fiber_std::thread', 'pthread_join': 'blocks the worker: fiber_std::thread',
    'pthread_self': 'the worker, shared by all its fibers',
    'pthread_key': "the worker's value, shared by its fibers: fiber_std::thread_local_ptr",
    'pthread_getspecific': "the worker's value, shared by its fibers: fiber_std::thread_local_ptr",
    'pthread_setspecific': "the worker's value, shared by its fibers: fiber_std::thread_local_ptr",
    'pthread_exit': 'ends the worker', 'pthread_cancel': 'would cancel a worker', 'pthread_kill': 'signals a worker',
    'pthread_sigmask': "the worker's mask, shared by its fibers",
}

KEYWORDS = set('''alignas alignof and asm auto bool break case catch char class co_await co_return co_yield const
const_cast consteval constexpr constinit continue decltype default delete do double dynamic_cast else enum explicit
export extern false final float for friend goto if inline int long mutable namespace new noexcept not nullptr operator
or override private protected public register reinterpret_cast requires return short signed sizeof static static_assert
static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using virtual
void volatile while xor'''.split())
# After these a name begins an expression; after other words it is being declared.
BEFORE_EXPRESSION = set('return else do throw case co_return co_await co_yield and or not xor sizeof delete'.split())
