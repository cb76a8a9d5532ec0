"""What the tool leaves as it is and shows to a person."""
from .names import FLAGGED_CALLS, FLAGGED_WITH, FOREIGN_LOCKS, MASKED_CALLS, POSIX_CALLS, REFUSED_FLAGS, STDIO_IN_STD
from .rules_posix import meaning
from .source import BLOCKS, LOOK, WRONG

ATOMIC_WAITS = {'wait': 'blocks the worker: wait on a fiber_std::condition_variable or with fiber::wait()',
                'notify_one': 'wakes only what sleeps in wait() of an atomic, which blocks its worker',
                'notify_all': 'wakes only what sleeps in wait() of an atomic, which blocks its worker'}
REFUSED_CALLS = MASKED_CALLS | {'recv', 'recvfrom', 'recvmsg', 'recvmmsg', 'send', 'sendto', 'sendmsg', 'sendmmsg'}
FOREIGN = {*FOREIGN_LOCKS, *FOREIGN_LOCKS['']} - {''}
SMALL_TYPES = {'char', 'uint8_t', 'int8_t', 'byte', 'unsigned'}
LARGE_ARRAY = 16384
FIBER_STACK = 262144  # of the default runtime


def apply(source, project):
    for sequence in source.sequences:
        for i, token in enumerate(sequence):
            if token.kind != 'identifier' or token.off:
                continue
            if token.value in ATOMIC_WAITS:
                _atomic_wait(source, project, sequence, i)
            elif token.value in FLAGGED_CALLS:
                _call(source, project, sequence, i)
            elif token.value in REFUSED_CALLS:
                _refused(source, project, sequence, i)
            elif token.value in FOREIGN:
                _foreign(source, sequence, i)
    _openmp(source)
    _large_arrays(source)


def _end(source, project, sequence, i, fewest, most):
    """Where the call of the system's function ends whose name is at i; None if it is no such call."""
    how = source.qualification(sequence, i)
    if how == 'other' and source.at(sequence, i - 2) == 'posix':
        how = '::'  # fiber::posix::fdopen
    if how in ('member', 'other') or (how == 'std' and sequence[i].value not in STDIO_IN_STD):
        return None
    if source.at(sequence, i + 1) != '(':
        return None
    call = source.arguments(sequence, i + 1)
    if call is None or not fewest <= call[0] <= most:
        return None
    if how == '' and (source.declares(sequence, i) or meaning(source, project, sequence, i)):
        return None
    return call[1]


def _refused(source, project, sequence, i):
    """What the wrapper will refuse on a fiber."""
    token, name = sequence[i], sequence[i].value
    end = _end(source, project, sequence, i, *POSIX_CALLS[name])
    if end is None:
        return
    words = {sequence[k].value for k in range(i + 2, end)}
    if name in MASKED_CALLS and not (source.at(sequence, end - 1) in ('nullptr', 'NULL', '0') and
                                     source.at(sequence, end - 2) in (',', ')')):
        source.note(token, WRONG, f'{name}() with a signal mask, which a fiber has none of: fails with ENOTSUP')
    for flag, others in REFUSED_FLAGS.items():
        if flag in words and others <= words:
            source.note(token, WRONG, f'{name}() with {" and ".join([flag, *others])} fails with EOPNOTSUPP on a fiber')


def _call(source, project, sequence, i):
    token, name = sequence[i], sequence[i].value
    fewest, most, danger, why = FLAGGED_CALLS[name]
    end = _end(source, project, sequence, i, fewest, most)
    if end is None:
        return
    words = {sequence[k].value for k in range(i + 2, end)}
    if name == 'mmap' and words & {'MAP_ANONYMOUS', 'MAP_ANON'}:
        return  # memory
    if name in FLAGGED_WITH and not words & FLAGGED_WITH[name]:
        return
    source.note(token, danger, f'{name}(): {why}')


def _foreign(source, sequence, i):
    """Locks of libraries that are not rewritten: a fiber that holds one across a wait stops all of its worker."""
    first, name = sequence[i].value, sequence[i].value
    if source.qualification(sequence, i) not in ('', '::') or source.at(sequence, i - 1) in ('class', 'struct', 'namespace'):
        return
    if first in FOREIGN_LOCKS:
        name = source.at(sequence, i + 2)
        if source.at(sequence, i + 1) != '::' or name not in FOREIGN_LOCKS[first]:
            return
        name = f'{first}::{name}'
    source.note(sequence[i], WRONG, f'{name} blocks the worker, and whoever it waits for may be a fiber of that worker: '
                                    'its library is not rewritten')


def _openmp(source):
    for directive in source.directives:
        words = [t.value for t in directive.tokens[:2]]
        if directive.name == 'pragma' and words[:1] == ['omp'] and words[1:] and words[1] in ('parallel', 'critical', 'barrier'):
            source.note(directive.tokens[0], WRONG if words[1] != 'parallel' else BLOCKS,
                        f'#pragma omp {words[1]}: threads of its own, which block the worker until they are done')


def _atomic_wait(source, project, sequence, i):
    if source.at(sequence, i + 1) != '(' or source.qualification(sequence, i) != 'member':
        return
    holder = sequence[i - 2]
    if holder.kind == 'identifier' and holder.value in project.of_closure(source.name, 'atomics'):
        source.note(sequence[i], WRONG, f'{holder.value}.{sequence[i].value}(): {ATOMIC_WAITS[sequence[i].value]}')


def _large_arrays(source):
    code = source.code
    for i in range(1, len(code) - 3):
        if code[i + 1].text != '[' or code[i - 1].value not in SMALL_TYPES or code[i - 1].kind != 'identifier' or \
                not source.is_name(code, i):
            continue
        size = _size(code, i + 2)
        if size < LARGE_ARRAY:
            continue
        scope = source.scopes()[i]
        words = {source.at(code, k) for k in range(max(0, i - 5), i)} & {'static', 'thread_local'}
        if words or not scope:
            continue
        if scope[-1].kind == 'block':
            source.note(code[i], LOOK, f"{size} bytes on the stack: a fiber's is small (FIBER_STACK_SIZE)")
        elif scope[-1].kind == 'class' and size >= FIBER_STACK:
            source.note(code[i], LOOK, f"{size} bytes in each object: more than a fiber's stack has without libfiber_main "
                        "(FIBER_STACK_SIZE)")


def _size(code, k):
    """What an array's size is, if it is written with numbers alone: `[1024 * 1024]`, `[1 << 20]`; else 0."""
    size, operator = 0, ''
    while code[k].kind == 'number' and k + 1 < len(code):
        try:
            number = int(code[k].text.replace("'", '').rstrip('uUlLzZ'), 0)
        except ValueError:
            return 0
        size = size * number if operator == '*' else size << min(number, 64) if operator == '<<' else number
        operator = code[k + 1].text
        if operator == ']':
            return size
        if operator not in ('*', '<<'):
            return 0
        k += 2
    return 0
