#!/usr/bin/env python3
"""rooms.py check | write: the tables of Design/Rooms.md, from the first sentence of each module's head: `/* ring.h: the FIFO of waiting tasks. */`.

The section of a room lists its modules, x.h and x.c as one, in the order of their names. `write` writes the tables; `check`
prints what is wrong, and `N passed, N failed`: a module without such a head, a room without a section, a table that is not that of the code."""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[1]
PAGE = TOP / 'Documentation/Design/Rooms.md'
TESTING = 'the testing library'
HEAD = re.compile(r'/\* ([a-z_]+\.[ch]): (.*?)(?=\n \*\n|\*/)', re.S)


def rooms():
    """{room: {module: files}}, the header first."""
    found = {}
    for base in ('Sources/CSerialQueue', 'Sources/CSerialQueueTesting'):
        for path in sorted((TOP / base).rglob('*.[ch]'), key=lambda path: (path.suffix != '.h', path)):
            parts = path.relative_to(TOP / base).parts
            if parts[0] != 'include':
                room = TESTING if base.endswith('Testing') else parts[0]
                found.setdefault(room, {}).setdefault(path.stem, []).append(path)
    return found


def table(modules, wrong):
    rows = ['| module | |', '|---|---|']
    for name, paths in sorted(modules.items()):
        heads = [(path, re.sub(r'\s*\n \* ?', ' ', head.group(2)).strip()) for path in paths if (head := HEAD.match(path.read_text()))]
        designs = [path for path in paths if '\n * DESIGN' in path.read_text()]
        if not heads:
            wrong.append(f'{paths[0].relative_to(TOP)} does not begin with /* {paths[0].name}: what it is. */')
            continue
        sentence = re.split(r'\.(?= |$)', heads[0][1])[0]
        link = f'[{name}](../../{(designs or [heads[0][0]])[0].relative_to(TOP)})'
        rows.append(f"| {f'**{link}**' if designs else link} | {sentence.replace('|', '&#124;')} |")
    return '\n'.join(rows) + '\n'


def main():
    page, wrong, passed = PAGE.read_text(), [], 0
    for room, modules in rooms().items():
        section = re.compile(rf'(^## {room}\n(?:(?!\||## )[^\n]*\n)*)(?:\|[^\n]*\n)+', re.M | re.I)
        before = len(wrong)
        rows = table(modules, wrong)
        found = section.search(page)
        if not found:
            wrong.append(f'Design/Rooms.md has no section with a table for {room}')
        elif sys.argv[1:] == ['write']:
            page = page[:found.end(1)] + rows + page[found.end():]
        elif found.group(0) != found.group(1) + rows:
            wrong.append(f'the table of {room} in Design/Rooms.md is not that of the code: run Documentation/rooms.py write')
        passed += len(wrong) == before
    if sys.argv[1:] == ['write']:
        PAGE.write_text(page)
    for sentence in wrong:
        print('FAIL', sentence)
    print(f'{passed} passed, {len(wrong)} failed')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
