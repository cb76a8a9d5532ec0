"""What the tool leaves as it is and shows to a person."""
from .names import FLAGGED_CALLS, KEYWORDS, PTHREAD_FLAGGED, STDIO_IN_STD, WORKER_CALLS

ATOMIC_TYPES = ('atomic', 'atomic_flag', 'atomic_ref')
ATOMIC_WAITS = {'wait': 'blocks the worker: wait on a fiber_std::condition_variable or with fiber::wait()',
                'notify_one': 'wakes only what sleeps in wait() of an atomic, which blocks its worker',
                'notify_all': 'wakes only what sleeps in wait() of an atomic, which blocks its worker'}
SPINNING = ('load', 'test_and_set', 'test', 'exchange', 'compare_exchange_weak', 'compare_exchange_strong')
PAUSES = {'_mm_pause', '__builtin_ia32_pause', '__yield', 'cpu_relax'}
SMALL_TYPES = {'char', 'uint8_t', 'int8_t', 'byte', 'unsigned'}
LARGE_ARRAY = 16384


def apply(source, project):
    for sequence in source.sequences:
        for i, token in enumerate(sequence):
            if token.kind != 'identifier':
                continue
            if token.value in ATOMIC_WAITS and source.qualification(sequence, i) == 'member':
                _atomic_wait(source, project, sequence, i)
            elif token.value in FLAGGED_CALLS:
                _call(source, project, sequence, i)
            elif token.value.startswith('pthread_') and token.value not in WORKER_CALLS:
                _pthread(source, sequence, i)
            elif token.value in PAUSES and source.at(sequence, i + 1) == '(':
                source.note(token, 'spins with the worker: the fiber that is waited for may be one of its own')
            elif token.value == 'while':
                _busy_wait(source, sequence, i)
            elif token.value == 'syscall' and 'gettid' in source.at(sequence, i + 2):
                source.note(token, "the worker's id, shared by all its fibers")
    _large_arrays(source)


def _call(source, project, sequence, i):
    token, name = sequence[i], sequence[i].value
    fewest, most, why = FLAGGED_CALLS[name]
    how = source.qualification(sequence, i)
    if how == 'other' and source.at(sequence, i - 2) == 'posix':
        how = '::'  # fiber::posix::fdopen
    if how in ('member', 'other') or (how == 'std' and name not in STDIO_IN_STD):
        return
    if source.at(sequence, i + 1) != '(':
        return
    call = source.arguments(sequence, i + 1)
    if call is None or not fewest <= call[0] <= most:
        return
    if how == '' and (source.declares(sequence, i) or name in project.declared or name in source.variables):
        return
    source.note(token, f'{name}(): {why}')


def _pthread(source, sequence, i):
    name = sequence[i].value
    if name == 'pthread_self' and source.at(sequence, i - 1) == '(' and source.at(sequence, i - 2) in WORKER_CALLS:
        return  # pthread_setname_np(pthread_self(), ...): the wrapper knows
    if source.at(sequence, i + 1) == '(':
        fits = [p for p in PTHREAD_FLAGGED if name.startswith(p)]
        if fits:
            source.note(sequence[i], f'{name}(): {PTHREAD_FLAGGED[max(fits, key=len)]}')


def _atomic_wait(source, project, sequence, i):
    if source.at(sequence, i + 1) != '(':
        return
    holder = sequence[i - 2]
    if holder.kind == 'identifier' and holder.value in project.atomics:
        source.note(sequence[i], f'{holder.value}.{sequence[i].value}(): {ATOMIC_WAITS[sequence[i].value]}')


def _busy_wait(source, sequence, i):
    """`while (!ready.load()) {}`: an empty body, or one of pauses only, behind a condition on an atomic."""
    if source.at(sequence, i + 1) != '(' or source.at(sequence, i - 1) == '}' and _closes_do(source, sequence, i - 1):
        return
    call = source.arguments(sequence, i + 1)
    if call is None:
        return
    end = call[1]
    body = [source.at(sequence, k) for k in range(end + 1, min(end + 6, len(sequence)))]
    empty = body[:1] == [';'] or body[:2] == ['{', '}'] or (body[:1] == ['{'] and body[1:2] and body[1] in PAUSES)
    if empty and any(sequence[k].value in SPINNING for k in range(i + 2, end)):
        source.note(sequence[i], 'a busy wait keeps the worker: the fiber that is waited for may be one of its own')


def _closes_do(source, sequence, i):
    depth = 0
    for k in range(i, -1, -1):
        depth += {'}': 1, '{': -1}.get(sequence[k].text, 0)
        if depth == 0:
            return source.at(sequence, k - 1) == 'do'
    return False


def _large_arrays(source):
    code = source.code
    for i in range(1, len(code) - 3):
        if code[i + 1].text != '[' or code[i + 2].kind != 'number' or code[i + 3].text != ']':
            continue
        if not source.is_name(code, i) or code[i - 1].value not in SMALL_TYPES or code[i - 1].kind != 'identifier':
            continue
        try:
            size = int(code[i + 2].text.replace("'", '').rstrip('uUlLzZ'), 0)
        except ValueError:
            continue
        scope = source.scopes()[i]
        words = {source.at(code, k) for k in range(max(0, i - 5), i)}
        if size >= LARGE_ARRAY and scope and scope[-1][0] == 'block' and not words & {'static', 'thread_local'}:
            source.note(code[i], f"{size} bytes on the stack: a fiber's is small (FIBER_STACK_SIZE)")


def atomics_of(source):
    """Names declared as atomics: `std::atomic<int> ready;`, `std::atomic_flag f`, `atomic_int n{0}`."""
    found = set()
    code = source.code
    for i, token in enumerate(code):
        if token.kind != 'identifier' or not token.value.startswith('atomic'):
            continue
        k = i + 1
        if token.value in ATOMIC_TYPES and source.at(code, k) == '<':
            depth = 0
            while k < len(code):
                depth += {'<': 1, '>': -1}.get(code[k].text, 0)
                k += 1
                if depth == 0:
                    break
        while source.at(code, k) in ('&', '*', 'const'):
            k += 1
        if source.is_name(code, k) and code[k].value not in KEYWORDS:
            found.add(code[k].value)
    return found
