"""One file under rewriting: its tokens without the blanks, the scopes of its braces, the edits that the rules ask for
and the notes for a person. An edit replaces or inserts the text of whole tokens, so that what is not edited stays as
it is, byte for byte."""
import collections

from . import lexer
from .names import KEYWORDS

KEEP = 'fiberize: keep'  # a comment with this on a line, or alone on the line above, keeps the tool from that line


class Source:
    def __init__(self, name, text):
        self.name = name
        self.tokens = lexer.tokenize(text)
        self.changes = collections.Counter()  # kind -> count
        self.notes = []  # (line, why)
        self.replaced = {}  # index of a token -> its new text
        self.inserted = collections.defaultdict(list)  # index of a token -> lines to insert before it
        self.needed = {}  # header of fiber -> the first line that needs it
        self.newline = '\r\n' if text.count('\r\n') * 2 > text.count('\n') else '\n'
        self.code = [t for t in self.tokens if not t.blank and t.directive is None]
        self.macros = self._macro_bodies()
        self._kept = self._kept_lines()
        self._scopes = None

    def _macro_bodies(self):
        bodies, last_line = [], None
        for token in self.tokens:
            if token.directive != 'define' or token.blank:
                last_line = None if token.directive != 'define' else last_line
                continue
            if last_line is None:
                bodies.append([])
            last_line = token.line
            bodies[-1].append(token)
        return [body[1:] for body in bodies if len(body) > 1]  # without the word define

    def _kept_lines(self):
        kept, code_lines = set(), {t.line for t in self.tokens if not t.blank}
        for token in self.tokens:
            if token.kind == 'comment' and KEEP in token.text:
                kept.add(token.line)
                if token.line not in code_lines:
                    kept.add(token.line + token.text.count('\n') + 1)
        return kept

    @property
    def sequences(self):
        """Runs of tokens that are read on their own: the code, and the body of each macro."""
        return [self.code, *self.macros]

    def kept(self, token):
        return token.line in self._kept

    def replace(self, token, text, kind=None, header=None):
        self.replaced[token.index] = text
        if kind:
            self.changes[kind] += 1
        if header:
            self.needed.setdefault(header, token.line)

    def insert_before(self, index, text):
        self.inserted[index].append(text)

    def note(self, token, why):
        if not self.kept(token) and (token.line, why) not in self.notes:
            self.notes.append((token.line, why))

    def result(self):
        parts = []
        for token in self.tokens:
            parts += self.inserted.get(token.index, ())
            parts.append(self.replaced.get(token.index, token.text))
        parts += self.inserted.get(len(self.tokens), ())
        return ''.join(parts)

    # --- scopes

    def scopes(self):
        """For each token of the code, by position: the open braces around it, as (kind, position of the '{')."""
        if self._scopes is None:
            self._scopes = self._find_scopes()
        return self._scopes

    def _find_scopes(self):
        positions = {t.index: i for i, t in enumerate(self.code)}
        stack, found, saved = (), [()] * len(self.code), []
        for token in self.tokens:
            if token.directive is not None:
                # The branches of a conditional each begin with the braces that were open before it.
                if token.kind == 'identifier' and token.text == token.directive:
                    if token.text in ('if', 'ifdef', 'ifndef'):
                        saved.append(stack)
                    elif token.text in ('else', 'elif', 'elifdef', 'elifndef') and saved:
                        stack = saved[-1]
                    elif token.text == 'endif' and saved:
                        saved.pop()
                continue
            if token.blank:
                continue
            position = positions[token.index]
            if token.text == '}':
                stack = stack[:-1]
            found[position] = stack
            if token.text == '{':
                stack = stack + ((self._brace_kind(position, stack), position),)
        return found

    def _brace_kind(self, position, stack):
        """namespace, class or block (a function's body, a statement, an initialiser, an enum)."""
        words, depth, i = [], 0, position - 1
        while i >= 0:
            text = self.code[i].text
            if text in (')', ']'):
                depth += 1
            elif text in ('(', '['):
                depth -= 1
                if depth < 0:
                    return 'block'
            elif depth == 0 and text in (';', '{', '}'):
                break
            elif depth == 0:
                words.append(text)
            elif depth > 0 and len(words) < 2:
                words.append('(')
            i -= 1
        if 'namespace' in words and '(' not in words:
            return 'namespace'
        if 'extern' in words and any(w.startswith('"') for w in words):
            return 'namespace'
        if words and words[0] in (')', '(', '=', 'return'):
            return 'block'
        if any(w in ('class', 'struct', 'union') for w in words) and 'enum' not in words and '=' not in words:
            # `struct S f() {` is a function; `class ALIGNED(8) S : public B {` is a class.
            return 'class' if not self._ends_like_function(position) else 'block'
        return 'block'

    def _ends_like_function(self, position):
        i = position - 1
        while i > 0 and self.code[i].text in ('const', 'noexcept', 'override', 'final', 'volatile', '&', '&&'):
            if self.code[i].text == 'final' and self.code[i - 1].kind == 'identifier':
                return False
            i -= 1
        return self.code[i].text == ')'

    # --- small questions of the rules; positions are within a sequence

    @staticmethod
    def at(sequence, i):
        return sequence[i].value if 0 <= i < len(sequence) else ''

    @staticmethod
    def is_name(sequence, i):
        return 0 <= i < len(sequence) and sequence[i].kind == 'identifier' and sequence[i].value not in KEYWORDS

    def qualification(self, sequence, i):
        """How the name at i is qualified: '' (not), '::' (global), 'std' (also ::std), 'member' (after . or ->), 'other'."""
        before = self.at(sequence, i - 1)
        if before in ('.', '->', '.*', '->*'):
            return 'member'
        if before != '::':
            return ''
        if self.at(sequence, i - 2) == 'std' and self.at(sequence, i - 3) not in ('.', '->'):
            outer = self.at(sequence, i - 3) == '::' and (self.is_name(sequence, i - 4) or
                                                            self.at(sequence, i - 4) == '>')
            return 'other' if outer else 'std'
        if self.is_name(sequence, i - 2) or self.at(sequence, i - 2) in ('>', 'decltype', ')'):
            return 'other'
        return '::'

    def arguments(self, sequence, i):
        """The number of arguments of the call whose '(' is at i, and the position of its ')'; None if it has no end."""
        depth, count, something = 0, 1, False
        for k in range(i, len(sequence)):
            text = sequence[k].text
            if text in '([{' and len(text) == 1:
                depth += 1
            elif text in ')]}' and len(text) == 1:
                depth -= 1
                if depth == 0:
                    return (count if something else 0), k
            elif text == ',' and depth == 1:
                count += 1
            if k > i:
                something = True
        return None

    def declares(self, sequence, i):
        """Whether the name at i, unqualified, looks like it is being declared: `int close(`, `auto* open`, `~wait`."""
        from .names import BEFORE_EXPRESSION
        before = sequence[i - 1] if i > 0 else None
        if before is None:
            return False
        if before.text in ('~', 'operator'):
            return True
        if before.kind == 'identifier':
            return before.value not in BEFORE_EXPRESSION
        if before.text in ('>', '*', '&', '&&'):
            return i >= 2 and (sequence[i - 2].kind == 'identifier' and sequence[i - 2].value not in BEFORE_EXPRESSION or
                               sequence[i - 2].text in ('>', '*'))
        return False
