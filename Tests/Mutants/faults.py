"""faults.py: the faults that can be put into one function; generate.py says which there are."""
import re

import scope
from operands import BINDS, is_constant

ORDERED = re.compile(r'sq__(load|store|exchange|add|sub|cas)_(acquire|release|acq_rel|release_or_acquire|acquire_or_acquire|acq_rel_or_acquire)$')
EXPLICIT = {'load': 'atomic_load_explicit', 'store': 'atomic_store_explicit', 'exchange': 'atomic_exchange_explicit',
            'add': 'atomic_fetch_add_explicit', 'sub': 'atomic_fetch_sub_explicit', 'cas': 'atomic_compare_exchange_strong_explicit'}
LOCK = re.compile(r'sq__(?:\w+_)?(un)?lock(?:_all|_list)?\((.*)\)$')
OTHER = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='}


class Function:
    """The faults of one function, in the order of its text."""

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
                elif self.has_dropped(close + 1, after) and not self.source.calls(at + 2, close):
                    self.covered.add(('never', source.tokens[at + 2].begin))
            elif word == 'while':
                self.conditions.add(at + 2)
                self.once(at, close, after)
            elif word == 'for':
                self.conditions.add(self.source.semicolon(at + 2) + 1)
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
        end = self.source.semicolon(at)
        if word not in ('return', 'break', 'continue', 'goto', '_Static_assert', ';') and not self.source.is_declaration(at, end):
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
            sign = self.source.top_sign(begin, end)
            if (operator, sign) in (('never', '||'), ('always', '&&')):
                continue  # covered by the mutants of the operands
            self.add(operator, text, (begin, end, values[operator]))

    def is_dropped(self, at):
        return any(begin <= at < end for begin, end in self.dropped)

    def expressions(self, begin, end):
        source = self.source
        for at in range(begin, end):
            word, token = source.word(at), source.tokens[at]
            order = ORDERED.match(word)
            if order:
                self.weaken(at, *order.groups())
            elif word in ('&&', '||'):
                value = 'true' if word == '&&' else 'false'
                right = self.source.operand_end(at + 1, BINDS[word])
                left = self.source.operand_begin(at, BINDS[word] - 1)
                # Of a && b && c the first sign has a for its left operand, the others add their right ones.
                first = self.source.operand_begin(at, BINDS[word])
                if first == left:
                    self.add(value, self.words(left, at), (left, at, value))
                    self.conditions.add(left)
                self.add(value, self.words(at + 1, right), (at + 1, right, value))
                self.conditions.add(at + 1)
            elif word == '?':
                left = self.source.operand_begin(at, 1)
                left = left if source.word(left) != ':' else left + 1
                self.conditions.add(left)
                for value in ('true', 'false'):
                    self.add(value, self.words(left, at) + ' ?', (left, at, value))
        for at in range(begin, end):
            word = source.word(at)
            if word in ('==', '!=') and not self.is_condition(self.source.operand_begin(at, BINDS[word])):
                self.add('opposite', self.source.comparison(at), (at, at + 1, OTHER[word]))
            elif word in OTHER and BINDS[word] == 9 and is_constant(source.word(at + 1)):
                self.add('limit', self.source.comparison(at), (at, at + 1, OTHER[word]))
            elif word == '!' and not self.is_condition(at):
                self.add('opposite', self.words(at, self.source.operand_end(at, 12)), (at, at + 1, ''))
            elif word in ('true', 'false') and not self.is_dropped(at):
                begin = self.source.beginning(at)
                self.add('opposite', self.words(begin, at + 1), (at, at + 1, 'false' if word == 'true' else 'true'))
            elif word in ('|', '&', '+') and self.source.is_binary(at) and (is_constant(source.word(at + 1)) or source.word(at + 1) == '~'):
                left, right = self.source.operand_begin(at, BINDS[word] - 1), self.source.operand_end(at + 1, BINDS[word])
                if word != '&' or source.word(at + 1) == '~':
                    self.add('without', self.words(left, right), (at, right, ''))

    def is_condition(self, at):
        """An operand that is made true and false already."""
        while self.source.word(at - 1) == '(' and at not in self.conditions:
            at -= 1
        return at in self.conditions

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
