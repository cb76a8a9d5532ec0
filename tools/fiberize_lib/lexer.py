"""C++ text to tokens, as far as a rewriter needs it: comments, literals (raw ones too), preprocessor lines and line
continuations are told apart from code, and the tokens joined together give the text back, byte for byte.

Text comes decoded as latin-1, one character per byte, so that files in any ASCII-like encoding survive. Not known:
trigraphs, digraphs and universal character names outside of literals (they come out as single characters)."""
import re

SPLICE = r'\\[ \t]*(?:\r\n|\n|\r)'
PREFIX = r'(?:u8|[uUL])?'
TOKEN = re.compile('|'.join(f'(?P<{kind}>{pattern})' for kind, pattern in [
    ('splice', SPLICE),
    ('newline', r'\r\n|\n|\r'),
    ('space', r'[ \t\f\v]+|^\xef\xbb\xbf'),
    ('comment', rf'//(?:{SPLICE}|[^\r\n])*|/\*.*?\*/'),
    ('open_comment', r'/\*'),
    ('raw_string', rf'{PREFIX}R"(?P<delimiter>[^()\\\s"]{{0,16}})\(.*?\)(?P=delimiter)"'),
    ('open_raw_string', rf'{PREFIX}R"[^()\\\s"]{{0,16}}\('),
    ('string', rf'{PREFIX}"(?:\\(?:\r\n|.)|[^"\\\r\n])*"'),
    ('char', rf"{PREFIX}'(?:\\(?:\r\n|.)|[^'\\\r\n])*'"),
    ('open_quote', rf'''{PREFIX}["']'''),
    ('number', r"\.?[0-9](?:[eEpP][+-]|'[0-9A-Za-z_]|[0-9A-Za-z_.])*"),
    ('identifier', rf'[A-Za-z_$\x80-\xff](?:(?:{SPLICE})*[0-9A-Za-z_$\x80-\xff])*'),
    # '>>' stays two tokens: it may close two template argument lists.
    ('punctuator', r'::|->\*?|\.\.\.|\.\*|##|<<=?|<=>|[<>=!+*/%&|^-]=|&&|\|\||\+\+|--|.'),
]), re.DOTALL)
HEADER_NAME = re.compile(r'<[^>\r\n]*>|"[^"\r\n]*"')
REST_OF_LINE = re.compile(rf'(?:{SPLICE}|[^\r\n])+')
BLANK = ('splice', 'newline', 'space', 'comment')


class LexError(Exception):
    """`line` counts from 1."""

    def __init__(self, line, message):
        super().__init__(message)
        self.line = line


class Token:
    """`value` is `text` without line continuations. `directive` is the name of the preprocessor line that the token
    stands on ('' for a lone '#'), None in code."""
    __slots__ = ('kind', 'text', 'value', 'line', 'index', 'directive')

    def __init__(self, kind, text, line, index, directive):
        self.kind, self.text, self.line, self.index, self.directive = kind, text, line, index, directive
        self.value = re.sub(SPLICE, '', text) if kind == 'identifier' and '\\' in text else text

    def __repr__(self):
        return f'{self.kind}({self.text!r}, {self.line})'

    @property
    def blank(self):
        return self.kind in BLANK


class _Conditionals:
    """Whether the text stands in a group that `#if 0` (or the `#else` of `#if 1`) takes out: prose is allowed there."""

    def __init__(self):
        self.stack = []

    def directive(self, name, condition):
        if name in ('if', 'ifdef', 'ifndef'):
            self.stack.append({'if 0': 'off', 'if 1': 'on'}.get(f'{name} {condition.strip()}', 'unknown'))
        elif name in ('else', 'elif', 'elifdef', 'elifndef') and self.stack:
            self.stack[-1] = {'off': 'unknown', 'on': 'off'}.get(self.stack[-1], self.stack[-1])
        elif name == 'endif' and self.stack:
            self.stack.pop()

    @property
    def off(self):
        return 'off' in self.stack


def tokenize(text):
    """All tokens of the text, blank ones too. Raises LexError for a literal or comment that does not end."""
    tokens = []
    conditionals = _Conditionals()
    position, line = 0, 1
    line_begins = True  # only blanks so far on this logical line
    directive = None
    while position < len(text):
        match = None
        if directive in ('include', 'include_next', 'import') and text[position] in '<"':
            match = HEADER_NAME.match(text, position)
            kind = 'header'
        elif directive in ('error', 'warning') and not text[position] in '\r\n':
            match = REST_OF_LINE.match(text, position)
            kind = 'prose'
        if match is None:
            match = TOKEN.match(text, position)
            kind = match.lastgroup
            if match.group('raw_string') is not None:
                kind = 'raw_string'
        if kind == 'open_comment':
            raise LexError(line, 'a comment that does not end')
        if kind == 'open_raw_string':
            raise LexError(line, 'a raw string literal that does not end')
        if kind == 'open_quote':
            if not conditionals.off:
                what = 'string' if match.group(0)[-1] == '"' else 'character'
                raise LexError(line, f'a {what} literal that does not end on its line')
            kind = 'prose'
        if kind == 'newline':
            directive = None
        elif kind == 'punctuator' and match.group(0) == '#' and line_begins:
            directive = ''
        elif kind == 'identifier' and directive == '' and tokens[-1].directive == '':
            directive = match.group(0)
            rest = REST_OF_LINE.match(text, match.end())
            conditionals.directive(directive, re.sub(r'//.*|/\*.*?\*/', '', rest.group(0)) if rest else '')
        tokens.append(Token(kind, match.group(0), line, len(tokens), directive))
        line_begins = kind == 'newline' or (line_begins and kind in BLANK)
        line += len(re.findall(r'\r\n|\n|\r', match.group(0)))
        position = match.end()
    return tokens
