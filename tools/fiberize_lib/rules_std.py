"""std:: names of threads, locks and signals become fiber_std:: ones."""
from .names import STD_FLAGGED, STD_HEADERS, STD_NAMES
from .source import LOOK, WRONG

TEMPLATES = {'lock_guard', 'unique_lock', 'scoped_lock', 'shared_lock', 'future', 'shared_future', 'promise',
             'packaged_task', 'counting_semaphore', 'barrier', 'stop_callback'}
FUNCTIONS = {'call_once', 'async'}
HANDLE = 'native_handle() is the number of a fiber, which only the calls of fiber/posix.h take'


def apply(source, project):
    unqualified = project.uses_namespace_std(source.name)
    aliases = project.of_closure(source.name, 'std_aliases')
    for sequence in source.sequences:
        for i, token in enumerate(sequence):
            if token.kind != 'identifier':
                continue
            if token.value == 'std':
                _std(source, sequence, i)
            elif token.value in aliases:
                _alias(source, sequence, i)
            elif unqualified and token.value in STD_NAMES:
                _unqualified(source, project, sequence, i)
            elif token.value == 'native_handle' and source.at(sequence, i + 1) == '(' and \
                    source.qualification(sequence, i) == 'member':
                source.note(token, LOOK, HANDLE)
            elif token.value == 'namespace':
                _namespace(source, sequence, i)
    _macro_alias(source)


def _std(source, sequence, i):
    token = sequence[i]
    if '##' in (source.at(sequence, i + 1), source.at(sequence, i + 2), source.at(sequence, i + 3)):
        source.note(token, WRONG, 'std is pasted together with ##: the tool cannot read it')
        return
    if source.at(sequence, i + 1) != '::' or i + 2 >= len(sequence):
        return
    if source.qualification(sequence, i) in ('member', 'other', 'std'):
        return  # somebody else's std
    name = sequence[i + 2].value
    if name in STD_NAMES:
        if name == 'lock' and source.at(sequence, i + 3) != '(' and source.at(sequence, i - 1) != 'using':
            return
        if not source.kept(token):
            source.replace(token, 'fiber_std', 'std names', STD_HEADERS[STD_NAMES[name]][0])
    elif name in STD_FLAGGED:
        danger, why = STD_FLAGGED[name]
        source.note(token, danger, f'std::{name}: {why}')


def _unqualified(source, project, sequence, i):
    """A name under `using namespace std`: rewritten where it can only be the standard's type or function."""
    token, name = sequence[i], sequence[i].value
    if source.qualification(sequence, i) != '' or name in ('lock', 'try_lock', 'launch', 'async', 'latch') and \
            source.at(sequence, i + 1) != '(' and name != 'latch':
        return
    before, after = source.at(sequence, i - 1), source.at(sequence, i + 1)
    declared = project.declared(source.name, name)
    if declared:
        if after not in ('(', ';', '=', '.', '->') and before not in ('class', 'struct', 'union', 'enum', 'namespace'):
            source.note(token, WRONG, f"'{name}' under `using namespace std`: {declared} declares one too")
        return
    if source.declares(sequence, i) and before not in ('static', 'const', 'mutable', 'inline', 'constexpr', 'typename'):
        return  # a variable or member of that name
    is_type = (source.is_name(sequence, i + 1) or (name in TEMPLATES and after == '<') or
               (before in ('<', ',') and after in ('>', ',', '&', '*')) or after == '::' or
               (before in ('(', ',', '<', 'const') and after in ('&', '*', '&&')))
    if is_type or (name in FUNCTIONS and after == '(') or (name == 'thread' and after in ('(', '{') and
                                                           before not in ('.', '->')):
        if not source.kept(token):
            source.replace(token, f'fiber_std::{name}', 'std names', STD_HEADERS[STD_NAMES[name]][0])
    elif before not in ('.', '->') and after not in ('.', '->', ')', ';', '=', '[', '&&', '||'):
        source.note(token, WRONG, f"'{name}' under `using namespace std`: write fiber_std::{name} if it is the "
                                  "standard's")


def _namespace(source, sequence, i):
    if source.at(sequence, i + 1) == 'std' and source.at(sequence, i + 2) == '{':
        for k in range(i + 2, source.closing(sequence, i + 2) or len(sequence)):
            if sequence[k].value in STD_NAMES and source.qualification(sequence, k) == '':
                source.note(sequence[k], WRONG, f"'{sequence[k].value}' inside of namespace std: write fiber_std:: if "
                                                "it is the standard's")


def _alias(source, sequence, k):
    """After `namespace s = std;`, s::mutex is fiber_std::mutex."""
    if source.at(sequence, k + 1) == '::' and source.at(sequence, k + 2) in STD_NAMES and \
            source.qualification(sequence, k) in ('', '::') and not source.kept(sequence[k]):
        source.replace(sequence[k], 'fiber_std', 'std names', STD_HEADERS[STD_NAMES[sequence[k + 2].value]][0])


def _macro_alias(source):
    for body in source.macros:
        if len(body) == 2 and body[1].value == 'std':
            source.note(body[0], WRONG, f'the macro {body[0].value} is another name of std')
