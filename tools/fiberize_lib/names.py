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
ATOMIC_WAIT = 'blocks the worker: wait on a fiber_std::condition_variable or with fiber::wait()'
ATOMIC_NOTIFY = 'wakes only what sleeps in std::atomic_wait, which blocks its worker'
STREAM = 'a file stream blocks the worker'
STD_FLAGGED = {
    'atomic_wait': (0, ATOMIC_WAIT), 'atomic_wait_explicit': (0, ATOMIC_WAIT), 'atomic_flag_wait': (0, ATOMIC_WAIT),
    'atomic_notify_one': (0, ATOMIC_NOTIFY), 'atomic_notify_all': (0, ATOMIC_NOTIFY),
    'fstream': (1, STREAM), 'ifstream': (1, STREAM), 'ofstream': (1, STREAM),
    'cin': (1, 'blocks the worker until there is input'),
    'filesystem': (1, 'file system calls block the worker'),
    'execution': (1, 'parallel algorithms start threads of their own'),
}

# System calls with a wrapper in fiber/posix.h: name -> (fewest, most) arguments.
POSIX_CALLS = {
    'open': (2, 3), 'creat': (2, 2), 'close': (1, 1), 'read': (3, 3), 'write': (3, 3), 'pread': (4, 4),
    'pwrite': (4, 4), 'preadv': (4, 4), 'pwritev': (4, 4), 'fsync': (1, 1), 'fdopen': (2, 2),
    'fdatasync': (1, 1), 'ftruncate': (2, 2), 'fallocate': (4, 4), 'sync_file_range': (4, 4), 'rename': (2, 2),
    'unlink': (1, 1), 'remove': (1, 1), 'link': (2, 2), 'mkdir': (2, 2), 'rmdir': (1, 1), 'stat': (2, 2),
    'access': (2, 2),
    'sleep': (1, 1), 'usleep': (1, 1), 'nanosleep': (2, 2), 'sched_yield': (0, 0), 'gettid': (0, 0),
    'socket': (3, 3), 'socketpair': (4, 4), 'connect': (3, 3), 'accept': (3, 3), 'accept4': (4, 4), 'recv': (4, 4),
    'recvfrom': (6, 6), 'recvmsg': (3, 3), 'send': (4, 4), 'sendto': (6, 6), 'sendmsg': (3, 3), 'readv': (3, 3),
    'writev': (3, 3), 'dup2': (2, 2), 'dup3': (3, 3), 'poll': (3, 3), 'ppoll': (4, 4), 'select': (5, 5), 'pselect': (6, 6),
    'epoll_wait': (4, 4), 'epoll_pwait': (5, 5), 'getaddrinfo': (4, 4), 'getnameinfo': (7, 7),
    'recvmmsg': (5, 5), 'sendmmsg': (4, 4),
    'waitpid': (3, 3), 'wait': (1, 1), 'flock': (2, 2), 'lockf': (3, 3), 'fcntl': (3, 3),
}
# Rewritten only with one of these words among the arguments: the other commands never wait.
POSIX_WITH = {'fcntl': {'F_SETLKW', 'F_OFD_SETLKW'}}
# Their last argument is a signal mask, which a fiber has none of.
MASKED_CALLS = {'ppoll', 'pselect', 'epoll_pwait'}
# An argument with which the wrapper refuses the call on a fiber: (its name, the others that must be there).
REFUSED_FLAGS = {'MSG_FASTOPEN': set(), 'MSG_PEEK': {'MSG_WAITALL'}}
# Declared in namespace std too.
POSIX_IN_STD = {'rename', 'remove'}
# Calls that would change the worker: their wrappers do nothing on a fiber.
WORKER_CALLS = {
    'pthread_setname_np': (2, 2), 'pthread_setschedparam': (3, 3), 'pthread_setschedprio': (2, 2),
    'pthread_setaffinity_np': (3, 3), 'sched_setaffinity': (3, 3), 'sched_setscheduler': (3, 3),
    'sched_setparam': (2, 2), 'setpriority': (3, 3), 'nice': (1, 1), 'prctl': (1, 5),
}

# pthread's own and semaphores, with a contract of the same name in fiber/posix/pthread.h and semaphore.h.
PTHREAD_TYPES = set('pthread_mutex_t pthread_cond_t pthread_rwlock_t pthread_spinlock_t pthread_once_t pthread_key_t sem_t'.split())
PTHREAD_INITIALISERS = {
    'PTHREAD_MUTEX_INITIALIZER': '{}', 'PTHREAD_COND_INITIALIZER': '{}', 'PTHREAD_RWLOCK_INITIALIZER': '{}',
    'PTHREAD_ONCE_INIT': '{}', 'PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP': '{}',
    'PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP': '{PTHREAD_MUTEX_RECURSIVE}',
    'PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP': '{PTHREAD_MUTEX_ERRORCHECK}',
}
PTHREAD_CALLS = {
    'pthread_mutex_init': 2, 'pthread_mutex_destroy': 1, 'pthread_mutex_lock': 1, 'pthread_mutex_trylock': 1,
    'pthread_mutex_timedlock': 2, 'pthread_mutex_clocklock': 3, 'pthread_mutex_unlock': 1, 'pthread_cond_init': 2,
    'pthread_cond_destroy': 1, 'pthread_cond_wait': 2, 'pthread_cond_timedwait': 3, 'pthread_cond_clockwait': 4,
    'pthread_cond_signal': 1, 'pthread_cond_broadcast': 1, 'pthread_rwlock_init': 2, 'pthread_rwlock_destroy': 1,
    'pthread_rwlock_rdlock': 1, 'pthread_rwlock_tryrdlock': 1, 'pthread_rwlock_timedrdlock': 2, 'pthread_rwlock_wrlock': 1,
    'pthread_rwlock_trywrlock': 1, 'pthread_rwlock_timedwrlock': 2, 'pthread_rwlock_unlock': 1, 'pthread_spin_init': 2,
    'pthread_spin_destroy': 1, 'pthread_spin_lock': 1, 'pthread_spin_trylock': 1, 'pthread_spin_unlock': 1, 'pthread_once': 2,
    'pthread_key_create': 2, 'pthread_key_delete': 1, 'pthread_getspecific': 1, 'pthread_setspecific': 2, 'pthread_create': 4,
    'pthread_join': 2, 'pthread_detach': 1, 'pthread_self': 0, 'pthread_exit': 1,
    'sem_init': 3, 'sem_destroy': 1, 'sem_wait': 1, 'sem_trywait': 1, 'sem_timedwait': 2, 'sem_post': 1, 'sem_getvalue': 2,
}
# Harmless: attributes, comparisons, handlers.
PTHREAD_HARMLESS = ('pthread_attr_', 'pthread_mutexattr_', 'pthread_condattr_', 'pthread_rwlockattr_', 'pthread_equal',
                    'pthread_atfork', 'pthread_cleanup_', 'pthread_t', 'pthread_barrierattr_')
# The others, by the longest prefix that fits.
PTHREAD_FLAGGED = {
    'pthread_': "is not in fiber/posix.h: it would take a fiber's number for a thread, or act on the worker",
    'pthread_barrier': 'blocks the worker: fiber_std::barrier', 'pthread_cancel': 'would cancel a worker',
    'pthread_kill': 'signals a worker', 'pthread_sigmask': "the worker's mask, shared by its fibers",
    'pthread_sigqueue': 'signals a worker',
}
# Raw system calls (SYS_... or __NR_...) that posix::syscall() knows, that never wait, and that wait for others.
SYSCALLS_MAPPED = set('gettid ioprio_set setpriority sched_setaffinity sched_setscheduler sched_setparam sched_setattr'.split())
SYSCALLS_HARMLESS = set('''getcpu getpid membarrier getrandom memfd_create rseq perf_event_open mbind set_mempolicy get_mempolicy
ioprio_get sched_getaffinity clock_gettime io_uring_setup io_uring_register io_setup io_destroy pidfd_open'''.split())
SYSCALLS_WAITING = set('''futex futex_waitv epoll_wait epoll_pwait epoll_pwait2 poll ppoll select pselect6 io_getevents
io_uring_enter rt_sigtimedwait msgrcv mq_timedreceive semop semtimedop accept accept4 recvfrom recvmsg nanosleep
clock_nanosleep'''.split())

# Calls that a person must look at: name -> (fewest, most arguments, danger, why). The dangers are those of source.py: what
# waits for another thread, which may be a fiber of the same worker, is wrong; what waits for a disk only blocks.
WRONG, BLOCKS, LOOK = 0, 1, 2
STDIO = 'buffered file I/O blocks the worker while it reads or writes'
INPUT = 'blocks the worker until there is input'
INTERRUPTS = 'no call of a fiber ends with EINTR: the handler runs, the wait goes on'
SIGNALS = ('blocks the worker, and who raises the signal may be a fiber of it: let a handler (sigaction) write to a pipe, and read '
           'that, which parks')
RETURNS = 'blocks the worker until it returns'
WAITS = 'blocks the worker, and whoever it waits for may be a fiber of that worker'
DIRECTORY = 'reading a directory blocks the worker'
FLAGGED_CALLS = {
    'fopen': (2, 2, BLOCKS, STDIO), 'freopen': (3, 3, BLOCKS, STDIO), 'fdopen': (2, 2, BLOCKS, STDIO),
    'tmpfile': (0, 0, BLOCKS, STDIO), 'popen': (2, 2, BLOCKS, STDIO), 'system': (1, 1, BLOCKS, RETURNS),
    'opendir': (1, 1, BLOCKS, DIRECTORY), 'scandir': (4, 4, BLOCKS, DIRECTORY),
    'mmap': (6, 6, BLOCKS, 'a page fault on a mapped file blocks the worker'),
    'gethostbyname': (1, 1, BLOCKS, RETURNS), 'gethostbyaddr': (3, 3, BLOCKS, RETURNS),
    'waitid': (4, 4, BLOCKS, RETURNS), 'wait3': (3, 3, BLOCKS, RETURNS), 'wait4': (4, 4, BLOCKS, RETURNS), 'getchar': (0, 0, BLOCKS, INPUT), 'scanf': (1, 99, BLOCKS, INPUT),
    'fgets': (3, 3, BLOCKS, INPUT), 'fgetc': (1, 1, BLOCKS, INPUT), 'getc': (1, 1, BLOCKS, INPUT),
    'fscanf': (2, 99, BLOCKS, INPUT), 'fread': (4, 4, BLOCKS, INPUT), 'getline': (3, 3, BLOCKS, INPUT),
    'getdelim': (4, 4, BLOCKS, INPUT), 'sigaction': (3, 3, LOOK, INTERRUPTS),
    'siginterrupt': (2, 2, LOOK, INTERRUPTS),
    'epoll_pwait2': (5, 5, WRONG, WAITS), 'preadv2': (5, 5, BLOCKS, RETURNS),
    'pwritev2': (5, 5, BLOCKS, RETURNS),
    'sem_open': (2, 4, WRONG, 'a named semaphore blocks the worker'), 'mq_receive': (4, 4, WRONG, WAITS),
    'msgrcv': (5, 5, WRONG, WAITS), 'pause': (0, 0, WRONG, SIGNALS), 'sigwait': (2, 2, WRONG, SIGNALS),
    'sigwaitinfo': (2, 2, WRONG, SIGNALS), 'sigtimedwait': (3, 3, WRONG, SIGNALS), 'sigsuspend': (1, 1, WRONG, SIGNALS),
    'mq_send': (4, 4, WRONG, WAITS), 'mq_timedsend': (5, 5, WRONG, WAITS), 'mq_timedreceive': (5, 5, WRONG, WAITS),
    'msgsnd': (4, 4, WRONG, WAITS), 'semop': (3, 3, WRONG, WAITS), 'semtimedop': (4, 4, WRONG, WAITS),
    'sem_clockwait': (3, 3, WRONG, 'is not in fiber/posix.h: a semaphore there is a fiber\'s (sem_timedwait() is)'),
    'aio_suspend': (3, 3, BLOCKS, RETURNS), 'lio_listio': (4, 4, BLOCKS, RETURNS),
    'vmsplice': (4, 4, WRONG, WAITS), 'tee': (4, 4, WRONG, WAITS),
    'sendfile': (4, 4, BLOCKS, RETURNS), 'copy_file_range': (6, 6, BLOCKS, RETURNS), 'splice': (6, 6, WRONG, WAITS),
    'clock_nanosleep': (4, 4, WRONG, WAITS),
    'thrd_create': (3, 3, WRONG, 'starts a thread that nothing here knows'), 'mtx_lock': (1, 1, WRONG, WAITS),
    'mtx_timedlock': (2, 2, WRONG, WAITS), 'cnd_wait': (2, 2, WRONG, WAITS), 'cnd_timedwait': (3, 3, WRONG, WAITS),
    'thrd_join': (2, 2, WRONG, WAITS), 'thrd_sleep': (2, 2, BLOCKS, RETURNS),
    'fork': (0, 0, BLOCKS, 'the child has only the calling worker: only exec is safe in it'),
    'vfork': (0, 0, BLOCKS, 'the child shares the worker: only exec is safe in it'),
    'sigprocmask': (3, 3, WRONG, "the worker's mask, shared by all its fibers"),
}
# Flagged only with one of these words among the arguments.
FLAGGED_WITH = {
    'lio_listio': {'LIO_WAIT'},
    **{name: {'stdin'} for name in ('fgets', 'fgetc', 'getc', 'fscanf', 'fread', 'getline', 'getdelim')},
}
# Locks and threads of other libraries, which stay the system's: namespace -> names; '' are names without one.
FOREIGN_LOCKS = {
    'boost': set('''mutex timed_mutex recursive_mutex recursive_timed_mutex shared_mutex upgrade_mutex condition_variable
condition_variable_any thread thread_group barrier latch future unique_future promise call_once once_flag
thread_specific_ptr'''.split()),
    'absl': set('Mutex CondVar Notification BlockingCounter Barrier call_once'.split()),
    'tbb': set('mutex spin_mutex queuing_mutex recursive_mutex rw_mutex spin_rw_mutex queuing_rw_mutex speculative_spin_mutex'.split()),
    'folly': set('SharedMutex MicroLock MicroSpinLock SpinLock Baton LifoSem ThreadLocal ThreadLocalPtr Synchronized'.split()),
    '': set('QMutex QRecursiveMutex QReadWriteLock QWaitCondition QSemaphore QThread'.split()),
}
STDIO_IN_STD = {'fopen', 'freopen', 'tmpfile', 'system', 'getchar', 'scanf', 'fgets', 'fgetc', 'getc', 'fscanf', 'fread'}

KEYWORDS = set('''alignas alignof and asm auto bool break case catch char class co_await co_return co_yield const
const_cast consteval constexpr constinit continue decltype default delete do double dynamic_cast else enum explicit
export extern false final float for friend goto if inline int long mutable namespace new noexcept not nullptr operator
or override private protected public register reinterpret_cast requires return short signed sizeof static static_assert
static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using virtual
void volatile while xor'''.split())
# After these a name begins an expression; after other words it is being declared.
BEFORE_EXPRESSION = set('return else do throw case co_return co_await co_yield and or not xor sizeof delete'.split())
