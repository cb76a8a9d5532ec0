"""Loops that wait by looking again and again: the fiber that they wait for may be one of their own worker, which never
gets its turn. They get a yield. Loops that work until a flag is set get one too. Loops that go
round only because another was faster (compare-and-exchange) stay."""
from .facts import PAUSES
from .names import STD_HEADERS
from .source import LOOK, WRONG

LOOKS = ('load', 'test_and_set', 'test', 'exchange')
# The same as functions: of <stdatomic.h>, of namespace std, and the compilers' own. Those that compare and swap are given what
# they wait for anew at each call, and not told what they found instead.
LOOK_FUNCTIONS = ('atomic_load', 'atomic_load_explicit', 'atomic_exchange', 'atomic_exchange_explicit', 'atomic_flag_test',
                  'atomic_flag_test_explicit', 'atomic_flag_test_and_set', 'atomic_flag_test_and_set_explicit', '__atomic_load_n',
                  '__atomic_exchange_n', '__atomic_test_and_set', '__sync_lock_test_and_set', '__sync_bool_compare_and_swap',
                  '__sync_val_compare_and_swap')
SWAPS = ('compare_exchange_weak', 'compare_exchange_strong', 'atomic_compare_exchange_weak', 'atomic_compare_exchange_strong',
         'atomic_compare_exchange_weak_explicit', 'atomic_compare_exchange_strong_explicit', '__atomic_compare_exchange_n',
         '__atomic_compare_exchange')
FREE = {*LOOKS, *LOOK_FUNCTIONS, *PAUSES, 'sizeof', 'likely', 'unlikely', 'LIKELY', 'UNLIKELY', '__builtin_expect', 'static_cast', 'while',
        'if', 'for', 'memory_order', 'get', 'operator', 'defined', 'asm', '__asm__', 'store', 'fetch_add', 'fetch_sub'}
GIVES = {'yield', 'sched_yield', 'sleep', 'usleep', 'nanosleep', 'sleep_for', 'sleep_until'}
ASSIGNMENTS = ('=', '++', '--', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>')
YIELD = '::fiber_std::this_thread::yield();'
HEADER = STD_HEADERS['thread'][0]
WHY = 'a busy wait keeps the worker: the fiber that is waited for may be one of its own'


def apply(source, project):
    watched = None
    for sequence in source.sequences:
        for i, token in enumerate(sequence):
            if token.value in ('while', 'for', 'do') and token.kind == 'identifier' and not source.kept(token):
                if watched is None:
                    watched = project.of_closure(source.name, 'atomics') | project.of_closure(source.name, 'volatiles')
                _loop(source, sequence, i, watched)
    spun = {line for line, _, why in source.notes if why == WHY}
    for sequence in source.sequences:
        for i, token in enumerate(sequence):
            if token.value in PAUSES[:-1] and source.at(sequence, i + 1) == '(' and \
                    not source.declares(sequence, i) and source.line(token) not in spun and \
                    token.start not in source.insertions and \
                    not any(t.value in GIVES for t in sequence[max(0, i - 12):i + 12]):
                source.note(token, LOOK, 'spins with the worker: the fiber that is waited for may be one of its own')


def _loop(source, sequence, i, watched):
    word = sequence[i].value
    if word == 'do':
        if source.at(sequence, i + 1) != '{':
            return
        close = source.closing(sequence, i + 1)
        if close is None or source.at(sequence, close + 1) != 'while':
            return
        condition = (close + 3, source.closing(sequence, close + 2))
        body = (i + 2, close)
    else:
        if source.at(sequence, i + 1) != '(' or (word == 'while' and _closes_do(source, sequence, i - 1)):
            return
        end = source.closing(sequence, i + 1)
        if end is None:
            return
        condition = (i + 2, end)
        if word == 'for':
            condition = _condition_of_for(source, sequence, i + 2, end)
            if condition is None or _changes(sequence, condition, (condition[1], end), watched):
                return
        body = _body(source, sequence, end + 1)
    if condition[1] is None or body is None:
        return
    if not _waits(source, sequence, condition, body, watched) and \
            not (sequence is source.code and _works_until_told(source, sequence, condition, body, watched)):
        if not (word == 'while' and _asks_again(source, sequence, condition, body)):
            return
        if sequence is not source.code:
            source.note(sequence[i], LOOK, 'an empty loop in a macro: if it waits for another thread, it needs a yield')
            return
    if sequence is not source.code:
        source.note(sequence[i], WRONG, f'{WHY}, in a macro')
        return
    if source.at(sequence, body[0]) == ';' and body[1] == body[0] + 1:
        source.replace(sequence[body[0]], YIELD)
    elif word == 'do' or source.at(sequence, body[0] - 1) == '{':
        place = sequence[body[0]].start if body[0] < body[1] else sequence[body[1]].start
        source.insert(place, YIELD + ' ')
    else:
        source.insert(sequence[body[0]].start, '{ ' + YIELD + ' ')
        source.insert(sequence[body[1] - 1].end, ' }')
    source.changes['yields in busy waits'] += 1
    source.need(HEADER, sequence[i])


def _condition_of_for(source, sequence, begin, end):
    """The positions of what stands between the two semicolons; None if it is a loop over a range."""
    marks, k = [], begin
    while k < end:
        if sequence[k].text in ('(', '[', '{'):
            k = source.closing(sequence, k) or end
        elif sequence[k].text == ';':
            marks.append(k)
        k += 1
    return (marks[0] + 1, marks[1]) if len(marks) == 2 else None


def _body(source, sequence, k):
    """The positions of the statement at k, of a block without its braces."""
    if source.at(sequence, k) == '{':
        close = source.closing(sequence, k)
        return None if close is None else (k + 1, close)
    for end in range(k, min(k + 60, len(sequence))):
        if sequence[end].text == ';':
            return k, end + 1
        if sequence[end].text in ('{', '}'):
            return None
    return None


def _waits(source, sequence, condition, body, watched):
    """Whether the loop only looks at something that another thread must change."""
    asked, done = sequence[condition[0]:condition[1]], sequence[body[0]:body[1]]
    if len(done) > 60 or any(t.value in GIVES for t in [*asked, *done]):
        return False
    if any(_calls(source, sequence, k) for k in range(*body)):
        return False
    empty = all(t.text == ';' for t in done)
    if not empty and any(_calls(source, sequence, k) for k in range(*condition)):
        return False
    if any(t.value in ('asm', '__asm__', '__asm') for t in done) and not _looks(source, sequence, condition, watched):
        return False
    forever = not asked or [t.value for t in asked] in (['true'], ['1'])
    if any(t.value in SWAPS for t in [*asked, *done]):
        return not forever and _resets(done) and any(t.value in SWAPS for t in asked)
    if forever:
        return any(t.value in ('break', 'return', 'goto') for t in done) and \
            any(t.value in LOOKS or t.value in LOOK_FUNCTIONS for t in done) and not _stores(source, sequence, body)
    if any(t.value in ('break', 'return', 'goto', 'co_await') for t in done):
        return False
    return _looks(source, sequence, condition, watched) and not _changes(sequence, condition, body, watched)


def _asks_again(source, sequence, condition, body):
    """`while (!finished()) ;`: does nothing but ask, and changes nothing by asking as far as one can see."""
    asked = sequence[slice(*condition)]
    return all(t.text == ';' for t in sequence[slice(*body)]) and source.at(sequence, condition[0]) == '!' and \
        any(_calls(source, sequence, k) for k in range(*condition)) and \
        not any(t.value in SWAPS or t.value in GIVES or t.value in ASSIGNMENTS[:-1] for t in asked)


def _works_until_told(source, sequence, condition, body, watched):
    """Whether the loop does something again and again until a flag says that it is over (`while (!done) { read(); }`): who is to
    set the flag may be a fiber of the same worker, and need not get its turn in what the loop does."""
    asked, done = sequence[condition[0]:condition[1]], sequence[body[0]:body[1]]
    if any(t.value in GIVES or t.value in SWAPS for t in [*asked, *done]) or \
            any(t.text in ('<', '>', '<=', '>=', '[', '=') for t in asked):
        return False
    if any(_calls(source, sequence, k) for k in range(*condition)) or \
            not any(_calls(source, sequence, k) for k in range(*body)):
        return False
    return _looks(source, sequence, condition, watched) and not _changes(sequence, condition, body, watched)


def _calls(source, sequence, k):
    """Whether the name at k is called, and not one that only looks at an atomic or pauses."""
    return sequence[k].kind == 'identifier' and source.at(sequence, k + 1) == '(' and \
        sequence[k].value not in FREE and sequence[k].value not in SWAPS and not sequence[k].value.isupper()


def _looks(source, sequence, part, watched):
    for k in range(*part):
        token = sequence[k]
        if token.kind != 'identifier':
            continue
        if token.value in LOOKS and source.at(sequence, k + 1) == '(' and \
                source.at(sequence, k - 1) in ('.', '->'):
            return True
        if token.value in LOOK_FUNCTIONS and source.at(sequence, k + 1) == '(' and \
                source.qualification(sequence, k) in ('', '::', 'std'):
            return True
        if token.value in watched and source.at(sequence, k + 1) not in ('(', '.', '->', '::', '++', '--', '=', '[', '+=',
                                                                          '-=') and \
                source.at(sequence, k - 1) not in ('++', '--', '::'):
            return True
    return False


def _changes(sequence, condition, part, watched):
    """Whether the part changes a name of the condition: a loop that counts, or goes along a list."""
    asked = {sequence[k].value for k in range(*condition) if sequence[k].kind == 'identifier'}
    for k in range(*part):
        name, before = sequence[k].value, sequence[k - 1].value
        after = sequence[k + 1].value if k + 1 < len(sequence) else ''
        if name not in asked or not (after in ASSIGNMENTS or before in ('++', '--')):
            continue
        end = next((m for m in range(k, part[1]) if sequence[m].text == ';'), part[1])
        follows = {sequence[m].value for m in range(k + 2, end)}
        # `seen = ready.load();` looks again; `n = n - 1;` and `p = p->next.load();` do not.
        if after != '=' or name in follows or not (follows & {*LOOKS, *LOOK_FUNCTIONS} or follows & watched):
            return True
    return False


def _stores(source, sequence, part):
    return any(sequence[k].value in ('store', 'fetch_add', 'fetch_sub', 'fetch_or', 'fetch_and') and
               source.at(sequence, k + 1) == '(' for k in range(*part))


def _resets(done):
    """`expected = false;`: the swap is tried from the same value again, as a spin lock does."""
    words = [t.value for t in done if t.text not in ('{', '}')]
    return len(words) >= 4 and words[1] == '=' and words[3] == ';' and (words[2] in ('false', 'true', 'nullptr') or
                                                                        words[2][0].isdigit())


def _closes_do(source, sequence, i):
    if source.at(sequence, i) != '}':
        return False
    depth = 0
    for k in range(i, -1, -1):
        depth += {'}': 1, '{': -1}.get(sequence[k].text, 0)
        if depth == 0:
            return source.at(sequence, k - 1) == 'do'
    return False
