"""What the other files must know of a file: what it includes and declares. facts_of() says it of one file, as plain data
that another process can be given."""
import re

from . import conditions, rules_local
from .names import (FLAGGED_CALLS, FOREIGN_LOCKS, POSIX_CALLS, PTHREAD_CALLS, PTHREAD_TYPES, STD_FLAGGED, STD_NAMES, WORKER_CALLS)

CALLS = {*FLAGGED_CALLS, *POSIX_CALLS, *WORKER_CALLS, 'syscall'}
WATCHED = {*CALLS, *STD_NAMES, *PTHREAD_CALLS, *PTHREAD_TYPES}
TYPES = ('class', 'struct', 'union', 'enum', 'namespace', 'concept')
PAUSES = ('_mm_pause', '__builtin_ia32_pause', '__yield', 'cpu_relax', 'AsmVolatilePause')

DIRECTIVE = re.compile(r'^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif|include|import|define)\b(.*)', re.M)
WORD = re.compile(r'\w+|&&|\|\||[=!<>]=|<<|>>|\S')
BASES = re.compile(r'\b(?:class|struct)\s+(?:\w+\s+)??(\w+)(?:\s+final)?\s*:((?:[^{};:]|::)*)\{')
ATOMIC = re.compile(r'\batomic(?:_\w+)?\s*(?:<[^;{}()]*>)?\s*[&*]?\s*\b(\w+)\s*(?:[;={,)\[]|\()')
VOLATILE = re.compile(r'\bvolatile\b[^;(){}=]*?\b(\w+)\s*[;={]')
LOCAL_MACRO = re.compile(r'^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+((?:(?:static|extern|inline)[ \t]+)*'
                         r'(?:thread_local|__thread|_Thread_local)(?:[ \t]+(?:static|extern|inline))*)[ \t]*(?://.*|/\*.*)?$',
                         re.M)
USING_STD = re.compile(r'\busing\s+namespace\s+(?:::\s*)?std\b')
STD_WORD = re.compile(rf'\b(?:{"|".join(STD_NAMES)})\b')  # may be the standard's where that is said
STD_ALIAS = re.compile(r'\bnamespace\s+(\w+)\s*=\s*(?:::\s*)?std\s*;')
# A file without any of these stays as it is, and is not read word by word.
SITE = re.compile(
    rf'\b(?:{"|".join(sorted(CALLS | set(PAUSES)))})\s*\(|::\s*(?:{"|".join([*POSIX_CALLS, *WORKER_CALLS])})\b|\bstd\s*(?:\\\s*)?::\s*(?:{"|".join([*STD_NAMES, *STD_FLAGGED])})\b|pthread_|\bsem_\w+|'
    r'PTHREAD_|\bthread_local\b|\b__thread\b|\b_Thread_local\b|\bnative_handle\b|\busing\s+namespace\b|\bstd\s*(?:::\s*\w*\s*)?##|##\s*std\b|'
    r'\bnamespace\s+\w+\s*=|\bnamespace\s+std\b|\.\s*(?:wait|notify_one|notify_all)\s*\(|(?:->|::)\s*(?:rename|remove)\b|\bstd\b\s*/[/*]|'
    r'\bwhile\b[^;{}]*\)\s*(?:;|\{\s*\}|\{\s*\w+(?:::\w+)*\s*\(\s*\)\s*;\s*\}|\{[^{}]*\})|\bfor\b[^{}]*\)\s*(?:;|\{[^{}]*\})\s|'
    r'\bfor\s*\(\s*;\s*;\s*\)|\bwhile\s*\(\s*(?:true|1)\s*\)|\bdo\s*\{|\[\s*[0-9][0-9\']*\s*(?:[0-9\']{4}|\*|<<)|\bdefine\s+\w+\s+std\s*$|\\\r?\n|'
    rf'\b(?:{"|".join(n for n in FOREIGN_LOCKS if n)})\s*::|\b(?:{"|".join(sorted(FOREIGN_LOCKS[""]))})\b|'
    r'\bpragma\s+omp\b|\bstd\s*::\s*atomic|(?:\.|->)\s*load\s*\(',
    re.M)


def quick(text, known=conditions.LINUX):
    """What can be said of a text without reading it word by word."""
    includes, conditionals = [], conditions.Conditionals(known)
    for match in DIRECTIVE.finditer(text):
        name, rest = match.groups()
        if name in ('include', 'import'):
            header = re.match(r'\s*[<"]([^>"]*)[>"]', rest)
            if header and not conditionals.off:
                includes.append(header.group(1))
        elif name != 'define':
            words = WORD.findall(re.sub(r'//.*|/\*.*?(?:\*/|$)', '', rest))
            conditionals.directive(name, [_Word(w) for w in words])
    return {
        'includes': includes,
        'using_std': bool(USING_STD.search(text)),
        'std_aliases': set(STD_ALIAS.findall(text)) if 'namespace' in text else set(),
        'bases': [(m.group(1), [re.sub(r'<.*|.*::|\W', '', b.split()[-1]) for b in m.group(2).split(',') if b.split()])
                  for m in BASES.finditer(text)] if ':' in text else [],
        'atomics': {m.group(1) for m in ATOMIC.finditer(text)} if 'atomic' in text else set(),
        'volatiles': {m.group(1) for m in VOLATILE.finditer(text)} if 'volatile' in text else set(),
        'local_macros': {m.group(1): m.group(2).split() for m in LOCAL_MACRO.finditer(text)},
    }


class _Word:
    __slots__ = ('value',)

    def __init__(self, value):
        self.value = value


def facts_of(source, local_macros):
    """What the words of a file say: functions, members, types and macros of ours that have a watched name, thread-local
    variables, whether it says `using namespace std`. Sets source.variables, too."""
    functions, members, types, macros = [], [], [], []
    source.variables = set()
    for body in source.macros:
        if body[0].value in WATCHED and not body[0].off and not (len(body) > 1 and body[1].value == body[0].value):
            macros.append((body[0].value, f'{source.name}:{source.line(body[0])}'))
    code = source.code
    for i, token in enumerate(code):
        if token.value not in WATCHED or token.off or token.kind != 'identifier' or i == 0:
            continue
        before, after = code[i - 1].value, source.at(code, i + 1)
        how = source.qualification(code, i)
        function = after == '(' and how == '' and source.declares(code, i) and before not in ('new', 'goto')
        own_type = before in TYPES and after in ('{', ':', ';', 'final') and not (before == 'namespace' and
                                                                               after == ';')
        alias = (before == 'using' and after == '=') or (after == ';' and _typedef(code, i))
        if (function and not _is_variable_of(source, i)) or own_type or alias:
            _declared(source, i, function, functions, members, types)
        elif how == '' and after in (';', '=', '{', ',', ')') and source.declares(code, i) and \
                before not in ('*', '&') and token.value not in STD_NAMES and token.value not in PTHREAD_TYPES:
            source.variables.add(token.value)
    return {'functions': functions, 'members': members, 'types': types, 'macros': macros,
            'locals': rules_local.declarations(source, local_macros), 'namespace_std': _says_using_namespace_std(source)}


def _declared(source, i, function, functions, members, types):
    token, scopes = source.code[i], source.scopes()[i]
    where = f'{source.name}:{source.line(token)}'
    if not function:
        types.append((token.value, source.namespaces_around(i), where))
    elif scopes and scopes[-1].kind == 'class':
        members.append((scopes[-1].name, token.value))
    elif not any(s.kind == 'block' for s in scopes):
        # `extern "C" int open(...);` is the system's own, declared again.
        close = source.closing(source.code, i + 1)
        body = close is not None and source.at(source.code, close + 1) in ('{', 'const', 'noexcept')
        if source.namespaces_around(i) or body:
            functions.append((token.value, source.namespaces_around(i), where))
    else:
        source.variables.add(token.value)  # a function declared within another


def _typedef(code, i):
    for k in range(i - 1, max(i - 12, -1), -1):
        if code[k].text in (';', '{', '}'):
            return False
        if code[k].value == 'typedef':
            return True
    return False


def _is_variable_of(source, i):
    """`std::thread thread(...)`: a variable that is called like its type declares no function of that name."""
    code = source.code
    return code[i].value in STD_NAMES and code[i - 1].value in STD_NAMES


def _says_using_namespace_std(source):
    code = source.code
    return any(code[i].value == 'using' and code[i + 1].value == 'namespace' and
               [t.value for t in code[i + 2:i + 4]] in (['std', ';'], ['::', 'std']) for i in range(len(code) - 3))
