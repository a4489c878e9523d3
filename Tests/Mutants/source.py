"""source.py: C source as tokens, functions, statements and tags; as much of C as the core uses."""
import re
from dataclasses import dataclass

TOKEN = re.compile(r'''
    (?P<skip>\s+|/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*)
  | (?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<name>[A-Za-z_]\w*)
  | (?P<number>\.?\d[\w.]*)
  | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|[-+*/%&|^~!=<>?:;,.(){}\[\]\#])
    ''', re.X | re.S | re.M)
CLOSING = {'(': ')', '[': ']', '{': '}'}


@dataclass
class Token:
    kind: str
    text: str
    begin: int
    end: int


class Source:
    """The tokens of a file, without comments and preprocessor lines. Positions are indexes of tokens."""

    def __init__(self, text):
        self.text, self.tokens = text, []
        for match in TOKEN.finditer(text):
            if match.lastgroup != 'skip':
                self.tokens.append(Token(match.lastgroup, match.group(), *match.span()))
        self.partner = {}
        open_ones = []
        for at, token in enumerate(self.tokens):
            if token.text in CLOSING:
                open_ones.append(at)
            elif token.text in CLOSING.values():
                begin = open_ones.pop()
                self.partner[begin], self.partner[at] = at, begin

    def word(self, at):
        return self.tokens[at].text if at < len(self.tokens) else ''

    def words(self, begin, end):
        """The tokens [begin, end) in the one spelling that does not depend on comments and line breaks."""
        spelled, before = '', None
        for token in self.tokens[begin:end]:
            if before and before.kind in ('name', 'number') and token.kind in ('name', 'number'):
                spelled += ' '
            elif before and spaced(before.text, token.text):
                spelled += ' '
            spelled += token.text
            before = token
        return spelled

    def functions(self):
        """(name, first token, first of its body's braces, last) of each function definition."""
        at, begin = 0, 0
        while at < len(self.tokens):
            word = self.word(at)
            if word == '{':
                end = self.partner[at]
                if self.word(at - 1) == ')':
                    name = self.partner[at - 1] - 1
                    yield self.word(name), begin, at, end
                elif self.word(end + 1) not in (';', ',') and self.word(end + 1) != '':
                    at = end  # a struct, whose declaration continues
                    at += 1
                    continue
                at = begin = end + 1
            elif word == ';':
                at = begin = at + 1
            elif word in CLOSING:
                at = self.partner[at] + 1
            else:
                at += 1


SPACED = {'=', '==', '!=', '<', '>', '<=', '>=', '&&', '||', '|', '?', ':', '+', '+=', '-=', '|=', '&=', '<<', '>>', '/', '%', '^'}


def spaced(left, right):
    return left in SPACED or right in SPACED or left in (',', ';') or (left in ('if', 'while', 'for', 'return', 'switch'))


class Tags:
    """Which tag a comment gives to an operation: one in its own lines, else in the nearest comment above."""

    def __init__(self, text):
        self.text = text
        self.places = [(match.start(), match.end(), re.findall(r'\[([a-z]+)\]', match.group()))
                       for match in re.finditer(r'/\*.*?\*/', text, re.S)]

    def of(self, begin, end):
        first = self.text.rfind('\n', 0, begin) + 1
        last = self.text.find('\n', end)
        for comment_begin, comment_end, tags in self.places:
            if tags and first <= comment_begin <= last:
                return f'[{tags[0]}]'
        above = [tags for comment_begin, comment_end, tags in self.places if tags and comment_end <= begin and
                 '\n\n' not in self.text[comment_end:begin] and '\n}' not in self.text[comment_end:begin]]
        return f'[{above[-1][0]}]' if above else ''
