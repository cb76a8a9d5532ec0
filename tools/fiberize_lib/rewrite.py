"""The rules over a set of files: rewrite() takes texts and gives texts, and touches no disk."""
from . import includes, rules_flag, rules_local, rules_posix, rules_std
from .lexer import LexError
from .names import FLAGGED_CALLS, POSIX_CALLS, STD_NAMES, WORKER_CALLS
from .source import Source

WATCHED = {*FLAGGED_CALLS, *POSIX_CALLS, *WORKER_CALLS, *STD_NAMES}
TYPES = ('class', 'struct', 'union', 'enum', 'namespace', 'concept')


class Project:
    """What one file must know of the others."""

    def __init__(self, sources):
        self.declared = {}  # functions, types and macros of ours that have a watched name -> where
        self.extern_locals = {}
        self.atomics = set()
        self._by_base = {}
        self._std_users = {}
        for source in sources:
            self._by_base.setdefault(source.name.rsplit('/', 1)[-1], []).append(source)
            self.extern_locals.update(rules_local.externs_of(source))
            self.atomics |= rules_flag.atomics_of(source)
            source.variables = set()
            self._find_declarations(source)

    def _find_declarations(self, source):
        code = source.code
        for body in source.macros:
            if body[0].value in WATCHED and not (len(body) > 1 and body[1].value == body[0].value):
                self.declared.setdefault(body[0].value, f'{source.name}:{body[0].line}')
        for i, token in enumerate(code):
            if token.value not in WATCHED or token.kind != 'identifier' or i == 0:
                continue
            before, after = code[i - 1].value, source.at(code, i + 1)
            how = source.qualification(code, i)
            function = after == '(' and how == '' and source.declares(code, i) and before not in ('new', 'goto')
            own_type = before in TYPES and after in ('{', ':', ';', 'final') and not (before == 'namespace' and
                                                                                   after == ';')
            # `struct stat info` names the system's type; `struct stat {` would be ours.
            alias = before == 'using' and after == '='
            if (function and not self._is_variable_of(source, i)) or own_type or alias:
                self.declared.setdefault(token.value, f'{source.name}:{token.line}')
            elif how == '' and after in (';', '=', '{', ',', ')') and source.declares(code, i) and \
                    before not in ('*', '&') and token.value not in STD_NAMES:
                source.variables.add(token.value)

    @staticmethod
    def _is_variable_of(source, i):
        """`std::thread thread(...)`: a variable that is called like its type declares no function of that name."""
        code = source.code
        return code[i].value in STD_NAMES and code[i - 1].value in STD_NAMES

    def uses_namespace_std(self, source, seen=None):
        """Whether `using namespace std;` counts in the file: its own, or that of a header of the set."""
        if source.name in self._std_users:
            return self._std_users[source.name]
        seen = seen or set()
        seen.add(source.name)
        result = _says_using_namespace_std(source)
        for name in includes.includes_of(source):
            for other in self._by_base.get(name.rsplit('/', 1)[-1], ()):
                if other.name not in seen and other.name.endswith(name.split('../')[-1]):
                    result = result or self.uses_namespace_std(other, seen)
        if len(seen) == 1 or result:
            self._std_users[source.name] = result
        return result


def _says_using_namespace_std(source):
    code = source.code
    return any(code[i].value == 'using' and code[i + 1].value == 'namespace' and
               [t.value for t in code[i + 2:i + 4]] in (['std', ';'], ['::', 'std']) for i in range(len(code) - 3))


def rewrite(texts):
    """{name: text} -> ({name: Source}, [(name, line, message)]). Sources have result(), changes and notes; what cannot
    be read is in the second part."""
    sources, errors = {}, []
    for name, text in texts.items():
        try:
            sources[name] = Source(name, text)
        except LexError as problem:
            errors.append((name, problem.line, str(problem)))
    project = Project(sources.values())
    for source in sources.values():
        rules_std.apply(source, project)
        rules_posix.apply(source, project)
        rules_local.apply(source, project)
        rules_flag.apply(source, project)
        includes.apply(source)
        source.notes.sort()
    return sources, errors
