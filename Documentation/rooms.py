#!/usr/bin/env python3
"""rooms.py check | table [ROOM]: what each module of the core is, from the first sentence of its head: `/* ring.h: the FIFO of waiting tasks. */`.

`table` prints the modules of each room, or of one, as a page: x.h and x.c are one module, in bold if it has a DESIGN comment. `check` prints what is
wrong, and `N passed, N failed`: a module without such a head, a room without a row in the table of Design.md."""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[1]
PAGE = TOP / 'Documentation/Design.md'
TESTING = 'testing library'
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


def table(room, modules, wrong):
    rows = [f'### {room}', '', '| module | |', '|---|---|']
    for name, paths in sorted(modules.items()):
        heads = [re.sub(r'\s*\n \* ?', ' ', head.group(2)).strip() for path in paths if (head := HEAD.match(path.read_text()))]
        if not heads:
            wrong.append(f'{paths[0].relative_to(TOP)} does not begin with /* {paths[0].name}: what it is. */')
            continue
        sentence = re.split(r'\.(?= |$)', heads[0])[0]
        has_design = any('\n * DESIGN' in path.read_text() for path in paths)
        rows.append(f"| {f'**{name}**' if has_design else name} | {sentence.replace('|', '&#124;')} |")
    return '\n'.join(rows) + '\n'


def main():
    page, wrong, passed, tables = PAGE.read_text(), [], 0, []
    listed = re.findall(r'^\| \[([a-z ]+)\]\(\.\./Sources/', page, re.M)
    there = rooms()
    for room in sorted(there, key=lambda room: (listed + [room]).index(room)):
        before = len(wrong)
        tables.append((room, table(room, there[room], wrong)))
        if room not in listed:
            wrong.append(f'the table of rooms in Design.md has no row for {room}')
        passed += len(wrong) == before
    if sys.argv[1:2] == ['table']:
        print('\n'.join(['## Modules\n'] * (not sys.argv[2:]) + [text for room, text in tables if room in (sys.argv[2:] or there)]), end='')
        return 0
    for sentence in wrong:
        print('FAIL', sentence)
    print(f'{passed} passed, {len(wrong)} failed')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
