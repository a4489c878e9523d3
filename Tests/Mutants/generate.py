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
import sys
from dataclasses import dataclass

sys.dont_write_bytecode = True
import scope
from faults import Function
from operands import Expressions
from source import Tags

TOP = pathlib.Path(__file__).resolve().parents[2]
CORE = TOP / 'Sources/CSerialQueue'


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


def files():
    return sorted(str(path.relative_to(CORE)) for path in CORE.rglob('*.[ch]')
                  if path.parent.name not in ('include', 'posix') and path.name != 'atomic.h')


def mutants_of(file, text=None):
    text = (CORE / file).read_text() if text is None else text
    source, tags, seen = Expressions(text), Tags(text), {}
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
