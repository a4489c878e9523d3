#!/usr/bin/env python3
"""generate.py [WORD...]: the mutants of the core, made from its sources; as a program, prints those whose names contain all words.

Each is one small fault in one function:

    drop STATEMENT          an expression statement (a call, an assignment, a count) is left out
    lockless LOCK           all calls of the function that lock or unlock this are left out
    never CONDITION         an if is not taken, a do loop is not repeated
    always CONDITION        an if is taken every time
    once LOOP               a loop ends after its first round
    true/false OPERAND      one operand of && or ||, or the condition of ?:, does not count
    opposite EXPRESSION     where no condition is: == becomes !=, !x becomes x, true becomes false
    limit COMPARISON        with a constant by name: < becomes <=, > becomes >=, and back
    without OPERAND         a flag or a constant by name is left out of | & +
    weaken ORDER            a memory order is weakened by one step; named by its tag

Not made: what another one covers, and what hardly ever tells more than its neighbours do (other numbers, other comparisons).
Two that are covered: `always a && b` where there are `true a` and `true b`; `never a` where a calls nothing and a statement of
the body is left out by a mutant of its own. What scope.py names is not made, either.

A mutant's name is `FILE FUNCTION: OPERATOR TEXT`, where TEXT is the code it changes, without comments and line breaks, and
#2, #3 for the same text again in the same function. It does not depend on what stands around it.
"""
import hashlib
import pathlib
import re
import sys
from dataclasses import dataclass

sys.dont_write_bytecode = True
import scope
from source import CLOSING, Source

TOP = pathlib.Path(__file__).resolve().parents[2]
CORE = TOP / 'Sources/CSerialQueue'
ORDERED = re.compile(r'sq__(load|store|exchange|add|sub|cas)_(acquire|release|acq_rel|release_or_acquire|acquire_or_acquire|acq_rel_or_acquire)$')
EXPLICIT = {'load': 'atomic_load_explicit', 'store': 'atomic_store_explicit', 'exchange': 'atomic_exchange_explicit',
            'add': 'atomic_fetch_add_explicit', 'sub': 'atomic_fetch_sub_explicit', 'cas': 'atomic_compare_exchange_strong_explicit'}
LOCK = re.compile(r'sq__(?:\w+_)?(un)?lock(?:_all|_list)?\((.*)\)$')
# Operators by how tightly they bind; what `without` cuts ends where one stands that binds no tighter.
BINDS = {',': 0, '=': 1, '?': 2, ':': 2, '||': 3, '&&': 4, '|': 5, '^': 6, '&': 7, '==': 8, '!=': 8, '<': 9, '>': 9, '<=': 9,
         '>=': 9, '<<': 10, '>>': 10, '+': 11, '-': 11, '*': 12, '/': 12, '%': 12}
BINDS.update({sign: 1 for sign in ('+=', '-=', '|=', '&=', '<<=', '>>=', '*=', '/=')})
OTHER = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='}


@dataclass
class Mutant:
    name: str
    file: str
    function: str
    operator: str
    edits: list  # (begin, end, new text) in the file
    hash: str    # of the function's tokens
    line: int

    def apply(self, source):
        for begin, end, new in sorted(self.edits, reverse=True):
            source = source[:begin] + new + source[end:]
        return source


class Function:
    """The mutants of one function, in the order of its text."""

    def __init__(self, source, body, end, tags):
        self.source, self.tags, self.found, self.covered = source, tags, [], set()
        self.conditions, self.dropped, self.locks = set(), [], {}
        self.statement(body)
        self.expressions(body + 1, end)
        for lock, calls in self.locks.items():
            self.add('lockless', lock, *calls)
        self.found.sort(key=lambda one: one[2][0][0])

    def add(self, operator, text, *edits):
        """Each edit is (first token, last token + 1, new text)."""
        tokens = self.source.tokens
        self.found.append((operator, text, [(tokens[begin].begin, tokens[end - 1].end, new) for begin, end, new in edits]))

    def words(self, begin, end):
        return self.source.words(begin, end)

    def statement(self, at):
        """Looks at the statement that begins here; returns where the next begins."""
        source, word = self.source, self.source.word(at)
        if word == '{':
            end, at = source.partner[at], at + 1
            while at < end:
                at = self.statement(at)
            return end + 1
        if word in ('if', 'while', 'switch', 'for'):
            close = source.partner[at + 1]
            after = self.statement(close + 1)
            if word == 'if':
                self.condition(at + 2, close, 'never always')
                if source.word(after) == 'else':
                    after = self.statement(after + 1)
                elif self.has_dropped(close + 1, after) and not self.calls(at + 2, close):
                    self.covered.add(('never', source.tokens[at + 2].begin))
            elif word == 'while':
                self.conditions.add(at + 2)
                self.once(at, close, after)
            elif word == 'for':
                self.conditions.add(self.semicolon(at + 2) + 1)
                self.once(at, close, after)
            return after
        if word == 'do':
            after = self.statement(at + 1)  # at `while`
            close = source.partner[after + 1]
            self.condition(after + 2, close, 'never')
            return close + 2
        if word in ('case', 'default'):
            while source.word(at) != ':':
                at += 1
            return at + 1
        if source.word(at + 1) == ':' and source.tokens[at].kind == 'name':
            return at + 2
        end = self.semicolon(at)
        if word not in ('return', 'break', 'continue', 'goto', '_Static_assert', ';') and not self.is_declaration(at, end):
            self.expression_statement(at, end)
        return end + 1

    def has_dropped(self, at, after):
        """Whether this body itself, not a statement in it, has one that a mutant leaves out."""
        depth, tokens = 0, self.source.tokens
        made = {begin for begin, end in self.dropped if scope.is_dropped(self.words(begin, end))}
        for place in range(at, after):
            depth += (tokens[place].text == '{') - (tokens[place].text == '}')
            if place in made and (depth == 0 and place == at or depth == 1 and tokens[at].text == '{' and tokens[place - 1].text in '{};'):
                return True
        return False

    def calls(self, begin, end):
        """Whether the condition may do more than look."""
        source = self.source
        return any(source.word(at) == '(' and source.tokens[at - 1].kind == 'name' and not source.word(at - 1).startswith('sq__load_')
                   for at in range(begin + 1, end))

    def expression_statement(self, at, end):
        lock = LOCK.match(self.words(at, end))
        if self.words(at, at + 3) == '(void)' and end == at + 4:
            return
        if lock and lock[1] == 'un':
            self.locks.setdefault(lock[2], []).append((at, end + 1, ';'))
        elif lock:
            self.locks.setdefault(lock[2], []).append((at, end + 1, ';'))
            return
        self.dropped.append((at, end))
        self.add('drop', self.words(at, end), (at, end + 1, ';'))

    def semicolon(self, at):
        while self.source.word(at) != ';':
            at = self.source.partner.get(at, at) + 1 if self.source.word(at) in '([{' else at + 1
        return at

    def is_declaration(self, at, end):
        words = [token.text for token in self.source.tokens[at:end]]
        if words[0] in ('const', 'static', 'unsigned', 'struct', 'int', 'bool', 'char', 'union', 'enum', 'volatile', '_Atomic', 'SQ__ATOMIC', 'typedef'):
            return True
        kinds = [token.kind for token in self.source.tokens[at:at + 4]]
        if kinds[0] != 'name':
            return False
        stars = 1
        while stars < len(words) and words[stars] in ('*', 'const'):
            stars += 1
        return stars < len(words) and kinds[:1] == ['name'] and self.source.tokens[at + stars].kind == 'name'

    def once(self, at, close, after):
        if self.source.word(after - 1) == '}':
            self.add('once', self.words(at, close + 1), (after - 1, after, 'break; }'))
        else:
            self.add('once', self.words(at, close + 1), (close + 1, close + 2, '{ ' + self.source.word(close + 1)), (after - 1, after, '; break; }'))

    def condition(self, begin, end, operators):
        text = self.words(begin, end)
        self.conditions.add(begin)
        values = {'never': 'false', 'always': 'true'}
        for operator in operators.split():
            sign = self.top_sign(begin, end)
            if (operator, sign) in (('never', '||'), ('always', '&&')):
                continue  # covered by the mutants of the operands
            self.add(operator, text, (begin, end, values[operator]))

    def top_sign(self, begin, end):
        found, at = '', begin
        while at < end:
            word = self.source.word(at)
            if word in CLOSING:
                at = self.source.partner[at]
            elif word == '||' or (word == '&&' and found != '||'):
                found = word
            elif word == '?' or word == '=':
                return ''
            at += 1
        return found

    def is_dropped(self, at):
        return any(begin <= at < end for begin, end in self.dropped)

    def operand_end(self, at, strength):
        """Where the operand that begins here ends: at what binds no tighter than strength."""
        source, at = self.source, self.skip_prefix(at)
        while at < len(source.tokens):
            word = source.word(at)
            if word in '([':
                at = source.partner[at]
            elif word in ')]};' or (word in BINDS and self.is_binary(at) and BINDS[word] <= strength):
                return at
            at += 1
        return at

    def operand_begin(self, at, strength):
        """Where the operand that ends before this operator begins."""
        source, at = self.source, at - 1
        while True:
            word = source.word(at)
            if word in ')]':
                at = source.partner[at]
            elif word in '([{;}' or word == 'return' or (word in BINDS and self.is_binary(at) and BINDS[word] <= strength):
                return at + 1
            at -= 1

    def skip_prefix(self, at):
        while self.source.word(at) in ('!', '-', '~', '*', '&', '+'):
            at += 1
        return at

    def is_binary(self, at):
        """Whether an operand, not an operator, stands before this sign."""
        if self.source.word(at) not in ('-', '*', '&', '+'):
            return True
        before = self.source.tokens[at - 1]
        if before.text == ')':  # (size_t)-1 is a cast, (a) - 1 is not
            inside = self.words(self.source.partner[at - 1] + 1, at - 1)
            return not re.fullmatch(r'(const )?(unsigned|int|void|char|(u?int\d+|size|uintptr|\w+)_t)( ?\*)*', inside)
        return before.kind in ('name', 'number', 'string') and before.text != 'return' or before.text == ']'

    def expressions(self, begin, end):
        source = self.source
        for at in range(begin, end):
            word, token = source.word(at), source.tokens[at]
            order = ORDERED.match(word)
            if order:
                self.weaken(at, *order.groups())
            elif word in ('&&', '||'):
                value = 'true' if word == '&&' else 'false'
                right = self.operand_end(at + 1, BINDS[word])
                left = self.operand_begin(at, BINDS[word] - 1)
                # Of a && b && c the first sign has a for its left operand, the others add their right ones.
                first = self.operand_begin(at, BINDS[word])
                if first == left:
                    self.add(value, self.words(left, at), (left, at, value))
                    self.conditions.add(left)
                self.add(value, self.words(at + 1, right), (at + 1, right, value))
                self.conditions.add(at + 1)
            elif word == '?':
                left = self.operand_begin(at, 1)
                left = left if source.word(left) != ':' else left + 1
                self.conditions.add(left)
                for value in ('true', 'false'):
                    self.add(value, self.words(left, at) + ' ?', (left, at, value))
        for at in range(begin, end):
            word = source.word(at)
            if word in ('==', '!=') and not self.is_condition(self.operand_begin(at, BINDS[word])):
                self.add('opposite', self.comparison(at), (at, at + 1, OTHER[word]))
            elif word in OTHER and BINDS[word] == 9 and is_constant(source.word(at + 1)):
                self.add('limit', self.comparison(at), (at, at + 1, OTHER[word]))
            elif word == '!' and not self.is_condition(at):
                self.add('opposite', self.words(at, self.operand_end(at, 12)), (at, at + 1, ''))
            elif word in ('true', 'false') and not self.is_dropped(at):
                begin = self.beginning(at)
                self.add('opposite', self.words(begin, at + 1), (at, at + 1, 'false' if word == 'true' else 'true'))
            elif word in ('|', '&', '+') and self.is_binary(at) and (is_constant(source.word(at + 1)) or source.word(at + 1) == '~'):
                left, right = self.operand_begin(at, BINDS[word] - 1), self.operand_end(at + 1, BINDS[word])
                if word != '&' or source.word(at + 1) == '~':
                    self.add('without', self.words(left, right), (at, right, ''))

    def is_condition(self, at):
        """An operand that is made true and false already."""
        while self.source.word(at - 1) == '(' and at not in self.conditions:
            at -= 1
        return at in self.conditions

    def comparison(self, at):
        strength = BINDS[self.source.word(at)]
        return self.words(self.operand_begin(at, strength), self.operand_end(at + 1, strength))

    def beginning(self, at):
        """Of the statement that a constant is in."""
        while self.source.word(at - 1) not in ('{', '}', ';', ':', '?'):
            at -= 1
            if self.source.word(at) in (')', ']', '}'):
                at = self.source.partner[at]
        return at

    def weaken(self, at, operation, order):
        source, close = self.source, self.source.partner[at + 1]
        arguments = source.text[source.tokens[at + 1].end:source.tokens[close].begin]
        success, _, failure = order.partition('_or_')
        tag = self.tags.of(source.tokens[at].begin, source.tokens[close].end)
        # failure may not be stronger than nothing at all; C17 lets it be stronger than success.
        steps = []
        for weaker in {'acq_rel': ['acquire', 'release']}.get(success, ['relaxed']):
            steps.append((weaker, failure or 'relaxed', success if success != 'acq_rel' else {'acquire': 'release', 'release': 'acquire'}[weaker]))
        if failure:
            steps.append((success, 'relaxed', f'{failure} of the failure'))
        for now, failing, lost in steps:
            orders = f'memory_order_{now}' + (f', memory_order_{failing}' if operation == 'cas' else '')
            self.add('weaken', f'{lost}{" " + tag if tag else ""} of {self.words(at, close + 1)}', (at, close + 1, f'{EXPLICIT[operation]}({arguments}, {orders})'))


def is_constant(word):
    return word.isupper() and word != 'NULL'


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


def files():
    return sorted(str(path.relative_to(CORE)) for path in CORE.glob('*/*.[ch]')
                  if path.parent.name != 'include' and path.name != 'atomic.h')


def mutants_of(file, text=None):
    text = (CORE / file).read_text() if text is None else text
    source, tags, seen = Source(text), Tags(text), {}
    for function, begin, body, end in source.functions():
        digest = hashlib.sha256(source.words(begin, end + 1).encode()).hexdigest()[:8]
        made = Function(source, body, end, tags)
        for operator, what, edits in made.found:
            name = f'{file} {function}: {operator} {what}'
            seen[name] = seen.get(name, 0) + 1
            name += f' #{seen[name]}' if seen[name] > 1 else ''
            if (operator, edits[0][0]) in made.covered or not scope.has(file, function, operator, what):
                continue
            yield Mutant(name, file, function, operator, edits, digest, text.count('\n', 0, edits[0][0]) + 1)


def all_mutants():
    return [mutant for file in files() for mutant in mutants_of(file)]


if __name__ == '__main__':
    for mutant in all_mutants():
        if all(word in mutant.name for word in sys.argv[1:]):
            print(mutant.name)
