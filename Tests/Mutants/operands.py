"""operands.py: where statements, and the operands of operators, begin and end in C."""
import re

from source import CLOSING, Source

# Operators by how tightly they bind; what `without` cuts ends where one stands that binds no tighter.
BINDS = {',': 0, '=': 1, '?': 2, ':': 2, '||': 3, '&&': 4, '|': 5, '^': 6, '&': 7, '==': 8, '!=': 8, '<': 9, '>': 9, '<=': 9,
         '>=': 9, '<<': 10, '>>': 10, '+': 11, '-': 11, '*': 12, '/': 12, '%': 12}
BINDS.update({sign: 1 for sign in ('+=', '-=', '|=', '&=', '<<=', '>>=', '*=', '/=')})


def is_constant(word):
    return word.isupper() and word != 'NULL'


class Expressions(Source):
    """A source whose statements and expressions can be taken apart. Positions are indexes of tokens."""

    def semicolon(self, at):
        while self.word(at) != ';':
            at = self.partner.get(at, at) + 1 if self.word(at) in '([{' else at + 1
        return at

    def is_declaration(self, at, end):
        words = [token.text for token in self.tokens[at:end]]
        if words[0] in ('const', 'static', 'unsigned', 'struct', 'int', 'bool', 'char', 'union', 'enum', 'volatile', '_Atomic', 'SQ__ATOMIC', 'typedef'):
            return True
        kinds = [token.kind for token in self.tokens[at:at + 4]]
        if kinds[0] != 'name':
            return False
        stars = 1
        while stars < len(words) and words[stars] in ('*', 'const'):
            stars += 1
        return stars < len(words) and kinds[:1] == ['name'] and self.tokens[at + stars].kind == 'name'

    def top_sign(self, begin, end):
        found, at = '', begin
        while at < end:
            word = self.word(at)
            if word in CLOSING:
                at = self.partner[at]
            elif word == '||' or (word == '&&' and found != '||'):
                found = word
            elif word == '?' or word == '=':
                return ''
            at += 1
        return found

    def operand_end(self, at, strength):
        """Where the operand that begins here ends: at what binds no tighter than strength."""
        at = self.skip_prefix(at)
        while at < len(self.tokens):
            word = self.word(at)
            if word in '([':
                at = self.partner[at]
            elif word in ')]};' or (word in BINDS and self.is_binary(at) and BINDS[word] <= strength):
                return at
            at += 1
        return at

    def operand_begin(self, at, strength):
        """Where the operand that ends before this operator begins."""
        at -= 1
        while True:
            word = self.word(at)
            if word in ')]':
                at = self.partner[at]
            elif word in '([{;}' or word == 'return' or (word in BINDS and self.is_binary(at) and BINDS[word] <= strength):
                return at + 1
            at -= 1

    def skip_prefix(self, at):
        while self.word(at) in ('!', '-', '~', '*', '&', '+'):
            at += 1
        return at

    def is_binary(self, at):
        """Whether an operand, not an operator, stands before this sign."""
        if self.word(at) not in ('-', '*', '&', '+'):
            return True
        before = self.tokens[at - 1]
        if before.text == ')':  # (size_t)-1 is a cast, (a) - 1 is not
            inside = self.words(self.partner[at - 1] + 1, at - 1)
            return not re.fullmatch(r'(const )?(unsigned|int|void|char|(u?int\d+|size|uintptr|\w+)_t)( ?\*)*', inside)
        return before.kind in ('name', 'number', 'string') and before.text != 'return' or before.text == ']'

    def comparison(self, at):
        strength = BINDS[self.word(at)]
        return self.words(self.operand_begin(at, strength), self.operand_end(at + 1, strength))

    def beginning(self, at):
        """Of the statement that a constant is in."""
        while self.word(at - 1) not in ('{', '}', ';', ':', '?'):
            at -= 1
            if self.word(at) in (')', ']', '}'):
                at = self.partner[at]
        return at

    def calls(self, begin, end):
        """Whether the condition may do more than look."""
        return any(self.word(at) == '(' and self.tokens[at - 1].kind == 'name' and not self.word(at - 1).startswith('sq__load_')
                   for at in range(begin + 1, end))
