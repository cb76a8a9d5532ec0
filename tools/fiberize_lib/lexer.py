"""C++ text to tokens, as far as a rewriter needs it: comments, literals (raw ones too), preprocessor lines and line
continuations are told apart from code. Blanks and comments are no tokens; a token knows where in the text it stands.

Text comes decoded as latin-1, one character per byte, so that files in any ASCII-like encoding survive. Not known:
trigraphs, digraphs and universal character names outside of literals (they come out as single characters)."""
import re

from . import conditions

SPLICE = r'\\[ \t]*(?:\r\n|\n|\r)'
PREFIX = r'(?:u8|[uUL])?'
COMMENT = rf'//(?:{SPLICE}|[^\r\n])*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/'
TOKENS = '|'.join(f'(?P<{kind}>{pattern})' for kind, pattern in [
    ('open_comment', r'/\*'),
    ('raw_string', rf'{PREFIX}R"(?P<delimiter>[^()\\\s"]{{0,16}})\((?s:.*?)\)(?P=delimiter)"'),
    ('open_raw_string', rf'{PREFIX}R"[^()\\\s"]{{0,16}}\('),
    ('string', rf'{PREFIX}"(?:[^"\\\r\n]+|\\(?:\r\n|(?s:.)))*"'),
    ('char', rf"{PREFIX}'(?:[^'\\\r\n]+|\\(?:\r\n|(?s:.)))*'"),
    ('open_quote', rf'''{PREFIX}["']'''),
    ('identifier', rf'[A-Za-z_$\x80-\xff](?:[0-9A-Za-z_$\x80-\xff]+|{SPLICE}(?=[0-9A-Za-z_$\x80-\xff\\]))*'),
    ('number', r"\.?[0-9](?:[eEpP][+-]|'[0-9A-Za-z_]|[0-9A-Za-z_.])*"),
    # '>>' stays two tokens: it may close two template argument lists.
    ('punctuator', r'::|->\*?|\.\.\.|\.\*|##|<<=?|<=>|[<>=!+*/%&|^-]=|&&|\|\||\+\+|--|[^\s]'),
])
CODE = re.compile(rf'(?:\s+|^\xef\xbb\xbf|{SPLICE}|{COMMENT})*(?:{TOKENS}|(?P<end>\Z))')
LINE = re.compile(rf'(?:[ \t\f\v]+|{SPLICE}|{COMMENT})*(?:{TOKENS})?')
HEADER_NAME = re.compile(rf'(?:[ \t\f\v]+|{SPLICE}|{COMMENT})*(<[^>\r\n]*>|"[^"\r\n]*")')
REST_OF_LINE = re.compile(rf'(?:{SPLICE}|{COMMENT}|[^\r\n])*')
CONDITIONALS = {'if', 'ifdef', 'ifndef', 'elif', 'elifdef', 'elifndef', 'else', 'endif'}
INCLUDES = ('include', 'include_next', 'import')
OPEN = {'open_comment': 'a comment that does not end', 'open_raw_string': 'a raw string literal that does not end'}


class LexError(Exception):
    """`line` counts from 1."""

    def __init__(self, line, message):
        super().__init__(message)
        self.line = line


class Token:
    """`value` is `text` without line continuations; `start` its place in the text, `index` in its list. `off`: no
    compiler for Linux sees it."""
    __slots__ = ('kind', 'text', 'value', 'start', 'index', 'off')

    def __init__(self, kind, text, start, index, off):
        self.kind, self.text, self.value, self.start, self.index, self.off = kind, text, text, start, index, off

    def __repr__(self):
        return f'{self.kind}({self.text!r}, {self.start})'

    @property
    def end(self):
        return self.start + len(self.text)


class Directive:
    """A preprocessor line: its name, its tokens behind the name, where its '#' stands, and before which token of the
    code. An #include has its header as its only token."""
    __slots__ = ('name', 'tokens', 'start', 'position', 'off')

    def __init__(self, name, start, position, off):
        self.name, self.tokens, self.start, self.position, self.off = name, [], start, position, off


class Tokens:
    """code: the tokens that are in no preprocessor line. directives: those lines."""

    def __init__(self):
        self.code, self.directives = [], []


def tokenize(text, known=conditions.LINUX):
    """Raises LexError for a literal or comment that does not end. `known`: macros of which is known whether they are
    defined."""
    return _Lexer(text, known).run()


class _Lexer:
    def __init__(self, text, known):
        self.text = text
        self.out = Tokens()
        self.conditionals = conditions.Conditionals(known)

    def run(self):
        text, code, position = self.text, self.out.code, 0
        append, count, line_end = code.append, 0, 0
        while position is not None:
            off, prose, resume = self.conditionals.off, self.conditionals.never, None
            for match in CODE.finditer(text, position):
                kind = match.lastgroup
                if kind == 'identifier':
                    token = Token('prose' if prose else kind, match.group(kind), match.start(kind), count, off)
                    if '\\' in token.text:
                        token.value = re.sub(SPLICE, '', token.text)
                    append(token)
                    count += 1
                    continue
                if kind == 'end':
                    break
                start = match.start(kind)
                word = match.group(kind)
                if kind == 'punctuator':
                    if word == '#' and self._begins_line(start, line_end):
                        resume = self._directive(start)
                        line_end = resume
                        break
                elif kind in OPEN or kind == 'open_quote':
                    self._open(kind, word, start, prose)
                    kind = 'prose'
                elif match.group('raw_string') is not None:
                    kind, word = 'raw_string', match.group('raw_string')
                    start = match.start('raw_string')
                append(Token(kind, word, start, count, off))
                count += 1
            position = resume
        return self.out

    def _begins_line(self, start, line_end):
        """Only blanks and comments stand before it on its logical line."""
        before = self.out.code[-1].end if self.out.code else 0
        between = self.text[max(before, line_end):start]
        newline = max(between.rfind('\n'), between.rfind('\r'))
        if newline < 0:
            return max(before, line_end) == 0 or before < line_end == start
        ends = re.sub(SPLICE, '', between)
        return '\n' in ends or '\r' in ends

    def _open(self, kind, word, start, allowed):
        if kind in OPEN:
            raise LexError(self._line(start), OPEN[kind])
        if not allowed:
            what = 'string' if word[-1] == '"' else 'character'
            raise LexError(self._line(start), f'a {what} literal that does not end on its line')

    def _line(self, start):
        return len(re.findall(r'\r\n|\n|\r', self.text[:start])) + 1

    def _directive(self, start):
        """Reads the line of the '#' at start; returns where it ends."""
        text = self.text
        match = LINE.match(text, start + 1)
        directive = Directive('', start, len(self.out.code), self.conditionals.off)
        self.out.directives.append(directive)
        if match.lastgroup != 'identifier':
            return REST_OF_LINE.match(text, start).end()
        directive.name = re.sub(SPLICE, '', match.group('identifier'))
        position = match.end()
        if directive.name in ('error', 'warning'):
            return REST_OF_LINE.match(text, position).end()
        if directive.name in INCLUDES:
            header = HEADER_NAME.match(text, position)
            if header:
                directive.tokens.append(Token('header', header.group(1), header.start(1), 0, directive.off))
                return REST_OF_LINE.match(text, header.end()).end()
        prose = self.conditionals.never or directive.name in ('else', 'endif')
        while True:
            match = LINE.match(text, position)
            kind = match.lastgroup
            if kind is None:
                position = match.end()
                break
            if match.group('raw_string') is not None:
                kind = 'raw_string'
            start_at, word = match.start(kind), match.group(kind)
            if kind in OPEN or kind == 'open_quote':
                self._open(kind, word, start_at, prose)
                kind = 'prose'
            token = Token(kind, word, start_at, len(directive.tokens), directive.off)
            if kind == 'identifier' and '\\' in word:
                token.value = re.sub(SPLICE, '', word)
            directive.tokens.append(token)
            position = match.end()
        if directive.name in CONDITIONALS:
            self.conditionals.directive(directive.name, directive.tokens)
        return position
