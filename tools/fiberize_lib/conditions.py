"""Conditions of the preprocessor, as far as a program for Linux can know them: which branches no compiler there sees.
Three values: True, False, and None for what depends on macros of the program."""

ABSENT = '''_WIN32 WIN32 _WIN64 WIN64 __CYGWIN__ __CYGWIN32__ CYGWIN __MINGW32__ __MINGW64__ _MSC_VER __APPLE__ __MACH__
__FreeBSD__ __OpenBSD__ __NetBSD__ __DragonFly__ __sun __sun__ sun _AIX __hpux __ANDROID__ __HAIKU__ __EMSCRIPTEN__ __wasm__
__VMS __sgi __QNX__ __Fuchsia__ OS_WIN OS_WINDOWS OS_MACOSX OS_MAC OS_FREEBSD OS_OPENBSD OS_NETBSD OS_SOLARIS OS_AIX OS_ANDROID
OS_DRAGONFLYBSD IOS_CROSS_COMPILE TARGET_OS_IPHONE TARGET_OS_MAC GTEST_OS_WINDOWS GTEST_OS_WINDOWS_MOBILE
GTEST_OS_WINDOWS_MINGW GTEST_OS_WINDOWS_DESKTOP GTEST_OS_WINDOWS_PHONE GTEST_OS_WINDOWS_RT GTEST_OS_CYGWIN GTEST_OS_MAC
GTEST_OS_SYMBIAN GTEST_OS_ZOS GTEST_OS_IOS LEVELDB_PLATFORM_WINDOWS'''.split()
PRESENT = '__linux__ __linux linux __unix__ __unix __GNUC__ OS_LINUX GTEST_OS_LINUX'.split()
# Macros of which is known whether they are defined (as what: a number, or True).
LINUX = {**{name: False for name in ABSENT}, **{name: True for name in PRESENT}}


class Conditionals:
    """The branches that are open: 'on', 'off', 'never' (for nobody: `#if 0`, prose may stand there) or 'maybe'."""

    def __init__(self, known):
        self.known = known
        self.stack = []  # [state of this branch, whether it or one before it is taken for sure, whether by `1`]

    def directive(self, name, tokens):
        if name in ('if', 'ifdef', 'ifndef'):
            state, literal = self._state(name, tokens)
            self.stack.append([state, state == 'on', literal])
        elif name == 'endif':
            if self.stack:
                self.stack.pop()
        elif self.stack:
            _, taken, literal = self.stack[-1]
            if taken:
                self.stack[-1][0] = 'never' if literal else 'off'
            elif name == 'else':
                self.stack[-1][0] = 'maybe'
            else:
                state, literal = self._state({'elif': 'if', 'elifdef': 'ifdef'}.get(name, 'ifndef'), tokens)
                self.stack[-1] = [state, state == 'on', literal]

    def _state(self, name, tokens):
        values = [t.value for t in tokens]
        literal = name == 'if' and len(values) == 1 and values[0].isdigit()
        if name == 'if':
            result = evaluate(values, self.known)
        else:
            result = known_defined(values[0], self.known) if values else None
            if name == 'ifndef' and result is not None:
                result = not result
        if result is None:
            return 'maybe', False
        return ('on' if result else 'never' if literal else 'off'), literal

    @property
    def off(self):
        return any(state in ('off', 'never') for state, _, _ in self.stack)

    @property
    def never(self):
        return any(state == 'never' for state, _, _ in self.stack)


def known_defined(name, known):
    value = known.get(name)
    return None if value is None else value is not False


def evaluate(values, known):
    """Whether a condition, as a list of words, holds; None if that is not known."""
    parser = _Parser(values, known)
    try:
        result = parser.either()
        return _truth(result) if parser.at == len(values) else None
    except (IndexError, ValueError):
        return None


def _truth(value):
    return None if value is None else bool(value)


class _Parser:
    """|| && ! ( ) defined, numbers and comparisons of numbers; all else is unknown."""

    def __init__(self, values, known):
        self.values, self.known, self.at = values, known, 0

    def peek(self):
        return self.values[self.at] if self.at < len(self.values) else ''

    def take(self):
        self.at += 1
        return self.values[self.at - 1]

    def either(self):
        left = self.both()
        while self.peek() == '||':
            self.take()
            right = self.both()
            truths = (_truth(left), _truth(right))
            left = True if True in truths else None if None in truths else False
        return left

    def both(self):
        left = self.compared()
        while self.peek() == '&&':
            self.take()
            right = self.compared()
            truths = (_truth(left), _truth(right))
            left = False if False in truths else None if None in truths else True
        return left

    def compared(self):
        left = self.unary()
        # '<' and '=' come apart where the lexer keeps them so.
        while self.peek() in ('==', '!=', '<', '>', '<=', '>=', '+', '-', '*', '/', '%', '&', '|', '^', '<<', '>>'):
            operator, right = self.take(), self.unary()
            both = isinstance(left, int) and isinstance(right, int) and not isinstance(left, bool) and \
                not isinstance(right, bool)
            compare = {'==': lambda a, b: a == b, '!=': lambda a, b: a != b, '<': lambda a, b: a < b,
                       '>': lambda a, b: a > b, '<=': lambda a, b: a <= b, '>=': lambda a, b: a >= b}.get(operator)
            left = compare(left, right) if both and compare else None
        return left

    def unary(self):
        word = self.take()
        if word == '!':
            value = _truth(self.unary())
            return None if value is None else not value
        if word == '(':
            value = self.either()
            if self.take() != ')':
                raise ValueError
            return value
        if word == 'defined':
            bracket = self.peek() == '('
            if bracket:
                self.take()
            value = known_defined(self.take(), self.known)
            if bracket and self.take() != ')':
                raise ValueError
            return value
        if word[0].isdigit():
            return int(word.rstrip('uUlL'), 0)
        if self.peek() == '(':  # a macro with arguments
            depth = 0
            while True:
                depth += {'(': 1, ')': -1}.get(self.take(), 0)
                if depth == 0:
                    return None
        value = self.known.get(word)
        return 0 if value is False else None if value is True else value
