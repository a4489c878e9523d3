"""faults.py: reads the lists of this folder (*.txt). Each fault names the test that must fail with it.

    file Sources/Operations/Queue/Lane.swift       the source that the entries below change

    endless_turns: SchedulingTests/a_lane_with_long_operations_lets_other_queues_run
    - return ended                                 a piece of the source, which is there once; lines are matched without their indent
    + return 0                                     what stands there instead; without one the piece is taken out.
                                                   A - after a + begins another piece

A test of C is named `explore_test a_race_is_found`, its program first. A line that begins with # is a remark.
"""
import dataclasses
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent
TOP = FOLDER.parents[1]
HEAD = re.compile(r'(\w+): (\w+_test \w+|\w+/\w+)')
SWIFT_TESTS = 'Tests/*Tests/**/*.swift'


class DoesNotFit(Exception):
    """The sentence says why."""


@dataclasses.dataclass
class Fault:
    list: str
    file: str
    name: str
    test: str  # 'PROGRAM TEST' of C, 'SUITE/TEST' of Swift
    pieces: list

    def is_in_c(self):
        return ' ' in self.test

    def apply(self, text):
        """The source with the fault."""
        changed = text
        for before, after in self.pieces:
            pattern = r'\n[ \t]*'.join(re.escape(line) for line in before)
            places = list(re.finditer(pattern, changed))
            if len(places) != 1:
                raise DoesNotFit(f'"{before[0]}" is {len(places)} times in {self.file}, not once')
            changed = changed[:places[0].start()] + '\n'.join(after) + changed[places[0].end():]
        if without_comments(changed) == without_comments(text):
            raise DoesNotFit('it changes nothing')
        return changed


def without_comments(text):
    return re.sub(r'/\*.*?\*/|//[^\n]*|\s+', '', text, flags=re.S)


def parse(lines, name):
    """(the faults, what cannot be read)"""
    file, faults, wrong = None, [], []
    for number, line in enumerate(lines, 1):
        head = HEAD.fullmatch(line)
        if not line.strip() or line.startswith('#'):
            continue
        if line.startswith('file '):
            file = line[5:]
        elif line[0] in '-+' and faults:
            pieces = faults[-1].pieces
            if line[0] == '-' and (not pieces or pieces[-1][1]):
                pieces.append(([], []))
            pieces[-1]['-+'.index(line[0])].append(line[1:].strip())
        elif head and file:
            faults.append(Fault(name, file, head[1], head[2], []))
        else:
            wrong.append(f'{name}:{number}: cannot be read: {line}')
    return faults, wrong


def tests():
    """All that there are, as a fault names them."""
    there = set()
    for path in TOP.glob('Tests/C/*/*_test.c'):
        there.update(f'{path.stem} {test}' for test in re.findall(r'^TEST\((\w+)\)', path.read_text(), re.M))
    for path in TOP.glob(SWIFT_TESTS):
        text = path.read_text()
        suites = re.findall(r'^(?:@Suite.*?)?\b(?:struct|class|extension|enum) (\w+)', text, re.M)
        there.update(f'{suite}/{test}' for suite in suites for test in re.findall(r'@Test.*\n?.*?func (\w+)', text))
    return there


def complaints(faults, there):
    """(fault, why it cannot be tried) of each that does not fit the code as it is."""
    for fault in faults:
        try:
            if not fault.pieces:
                raise DoesNotFit('it changes nothing')
            fault.apply((TOP / fault.file).read_text())
        except (DoesNotFit, OSError) as why:
            yield fault, str(why)
        if fault.test not in there:
            yield fault, f'there is no test {fault.test}'


def own_test():
    """What is wrong with the above: these must be refused, and the last one must not."""
    text = 'int a = 1; /* one */\n    int b = 1;\n'
    for before, after, why in ((['int c'], [], 'is 0 times'), (['= 1;'], ['= 2;'], 'is 2 times'), (['/* one */'], ['/* two */'], 'changes nothing'),
                               (['= 1; /* one */', 'int b'], ['= 1, b'], '')):
        said = ''
        try:
            Fault('', 'a text', 'own', '', [(before, after)]).apply(text)
        except DoesNotFit as refused:
            said = str(refused)
        if why not in said or (said and not why):
            yield f'the check of faults: {before[0]} is refused with "{said}", not "{why}"'
    said = [why for _, why in complaints([Fault('', 'LICENSE', 'own', 'baton_test no_such_test', [])], tests())]
    if said != ['it changes nothing', 'there is no test baton_test no_such_test']:
        yield f'the check of faults: one without a test and a piece is refused with {said}'


def read():
    """(the faults of all lists, what cannot be read)"""
    faults, wrong = [], []
    for page in sorted(FOLDER.glob('*.txt')):
        more, unreadable = parse(page.read_text().splitlines(), page.name)
        faults, wrong = faults + more, wrong + unreadable
    names = [fault.name for fault in faults]
    return faults, [*wrong, *(f'two faults are called {name}' for name in sorted(set(names)) if names.count(name) > 1)]
