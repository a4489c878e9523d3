"""mutants.py: the list of mutants, read from list/*.txt and applied to the text of the core.

    file thread/token.c                          the source that the entries below are about, under the core
    tests token_test until_test                  the C tests that are tried when the explorer sees nothing

    grant_relaxed in settle: sync_sync sc        NAME in FUNCTION: KILLER     (in -: outside of functions)
    - sq__cas_release(&token->word,              a piece of the function's text; lines are matched without their indent
    + sq__cas_relaxed(&token->word,              what stands there instead; without one the piece is just taken out.
                                                 A - after a + begins another piece

KILLER is what is tried first: `SCENARIO MEMORY [SCHEDULES]` of the explorer, `test PROGRAM [WORD]` or `debug PROGRAM [WORD]`
of Tests/C (in the debug build), or `survives: WHY`. A line that begins with # is a remark.
"""
import pathlib
import re
from dataclasses import dataclass, field

LISTS = pathlib.Path(__file__).resolve().parent / 'list'


class Wrong(Exception):
    """The list does not fit the core."""


@dataclass
class Mutant:
    name: str
    file: str
    function: str
    killer: list
    survives: str
    tests: list
    pieces: list = field(default_factory=list)  # (lines before, lines after)

    def places(self, source):
        """Where its pieces of text are: each must be there exactly once."""
        begin, end = function_span(source, self.function)
        places = []
        for before, _ in self.pieces:
            pattern = r'\n[ \t]*'.join(re.escape(line) for line in before)
            found = [match.span() for match in re.compile(pattern).finditer(source, begin, end)]
            if len(found) != 1:
                raise Wrong(f'"{before[0]}" is {len(found)} times in {self.function} of {self.file}, not once')
            places += found
        return places

    def apply(self, source):
        for (begin, end), (_, after) in sorted(zip(self.places(source), self.pieces), reverse=True):
            source = source[:begin] + '\n'.join(after) + source[end:]
        return source

    def add(self, sign, text):
        if sign == '-' and (not self.pieces or self.pieces[-1][1]):
            self.pieces.append(([], []))
        self.pieces[-1]['-+'.index(sign)].append(text)


def function_span(source, function):
    if function == '-':
        return 0, len(source)
    # A function begins at the first column; its end is a } there, or the line's own.
    for match in re.finditer(r'^[A-Za-z_][^\n;=]*\b' + re.escape(function) + r'\([^;{]*?\) \{[^\n]*$', source, re.M):
        if match.group().rstrip().endswith('}'):
            return match.span()
        return match.start(), source.index('\n}', match.start())
    raise Wrong(f'there is no function {function}')


def read_list(path):
    file, tests, mutants = None, [], []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split()
        head = re.fullmatch(r'(\w+) in (\S+): (.+)', line)
        if not words or line.startswith('#'):
            continue
        if words[0] == 'file':
            file, tests = words[1], []
        elif words[0] == 'tests':
            tests = words[1:]
        elif line[0] in '-+' and mutants:
            mutants[-1].add(line[0], line[1:].strip())
        elif head and file:
            name, function, killer = head.groups()
            why = killer[len('survives: '):] if killer.startswith('survives: ') else ''
            mutants.append(Mutant(f'{path.stem}.{name}', file, function, [] if why else killer.split(), why, tests))
        else:
            raise Wrong(f'{path.name}:{number}: cannot be read: {line}')
    return mutants


def read_all():
    mutants = [mutant for path in sorted(LISTS.glob('*.txt')) for mutant in read_list(path)]
    names = [mutant.name for mutant in mutants]
    for name in names:
        if names.count(name) > 1:
            raise Wrong(f'two mutants are called {name}')
    return mutants
