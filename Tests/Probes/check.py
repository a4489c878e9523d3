#!/usr/bin/env python3
"""check.py FILE...: are the probes of Documentation/Probes.md in these programs and libraries, and is each of them one nop?

The notes are read by readelf, the code by objdump. `check.py --stops PROGRAM`: runs it (program.c) in gdb, which stops at the probes and
reads their arguments."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PAGE = pathlib.Path('Documentation/Probes.md')
OPERAND = re.compile(r'8@(%r\w+|\$-?\d+|-?\d*\(%r\w+\)'         # x86-64
                     r'|x\d+|-?\d+|\[(x\d+|sp)(,-?\d+)?\])')  # aarch64
passed = failed = 0


def check(what, holds):
    global passed, failed
    passed += bool(holds)
    failed += not holds
    if not holds:
        print(f'FAIL {what}')


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, 'LC_ALL': 'C'}).stdout


def documented():
    """{point: how many arguments}, from the page's table."""
    points = {}
    for names, arguments in re.findall(r'^\| ([a-z, ]+) \| [^|]* \| (\d) \|', PAGE.read_text(), re.MULTILINE):
        for name in names.split(', '):
            points[name] = int(arguments)
    return points


def notes(file):
    """[(point, address, [argument])]"""
    found = re.findall(r'Provider: (\S+)\s+Name: (\S+)\s+Location: (0x\w+), Base: (0x\w+), Semaphore: (0x\w+)\s+Arguments: (.*)',
                       output('readelf', '-nW', file))
    base = re.search(r' \.stapsdt\.base +PROGBITS +(\w+)', output('readelf', '-SW', file))
    for provider, _, _, at, semaphore, _ in found:
        check(f'{file}: the provider {provider}', provider == 'serialqueue')
        check(f'{file}: no semaphore', int(semaphore, 16) == 0)
        check(f'{file}: the base of the notes is that section', base and int(at, 16) == int(base.group(1), 16))
    return [(name, int(address, 16), arguments.replace(', ', ',').split()) for _, name, address, _, _, arguments in found]


def instructions(file):
    """{address: (how many bytes, what)}"""
    code = {}
    for address, encoded, what in re.findall(r'^ +([0-9a-f]+):\t([0-9a-f ]+?) *\t(.*)$', output('objdump', '-dw', file), re.MULTILINE):
        code[int(address, 16)] = (len(encoded.replace(' ', '')) // 2, what.strip())
    return code


def check_file(file):
    points, expected, code = notes(file), documented(), instructions(file)
    check(f'{file}: the points {sorted({name for name, _, _ in points} ^ set(expected))} are in only one of file and page',
          {name for name, _, _ in points} == set(expected))
    size = 1 if os.uname().machine == 'x86_64' else 4
    for name, address, arguments in points:
        check(f'{file}: {name} at {address:#x} is {code.get(address)}, not one nop', code.get(address) == (size, 'nop'))
        check(f'{file}: {name} has {arguments}', len(arguments) == expected.get(name))
        for argument in arguments:
            check(f'{file}: {name}: {argument} is a register, a number, or next to what a register points to', OPERAND.fullmatch(argument))
    print(f'{file}: {len(points)} places of {len(expected)} points')


# The name stands in the format: gdb passes a string literal by a call of malloc in the program, which gdb 13.1 cannot make on a processor with AMX.
LABEL = 'printf "{} label=%s\\n", (char *)($_probe_arg0 + $_probe_arg1)'
STOPS = {
    'submit': [r'submit label=com\.example\.store', r'function=0x\w+ <save>', r'context=0x\w+ <saved>'],
    'start': [r'start label=com\.example\.store', r'start label=com\.example\.cache', r'function=0x\w+ <load>'],
    'end': [r'end label=com\.example\.store', r'end label=com\.example\.cache'],
    'suspend': [r'suspend label=com\.example\.store', r'third=1\b'],
    'resume': [r'resume label=com\.example\.store', r'third=0\b'],
    'shutdown': [r'shutdown label=com\.example\.store', r'third=0\b'],
    'ended': [r'ended label=com\.example\.store'],
}


def check_stops(program):
    for point, patterns in STOPS.items():
        script = [f'break -probe-stap serialqueue:{point}', 'commands', 'silent', LABEL.format(point)]
        if documented()[point] > 3:
            script += ['printf "function="', 'output/a $_probe_arg2', 'printf " context="', 'output/a $_probe_arg3', 'printf "\\n"']
        elif documented()[point] > 2:
            script += ['printf "third=%d\\n", $_probe_arg2']
        script += ['continue', 'end', 'run']
        with tempfile.NamedTemporaryFile('w', suffix='.gdb') as file:
            file.write('\n'.join(script) + '\n')
            file.flush()
            gdb = subprocess.run(['timeout', '120', 'gdb', '-q', '-nx', '-batch', '-x', file.name, program], capture_output=True, text=True)
        for pattern in patterns:
            check(f'gdb at {point}: no "{pattern}" in:\n{gdb.stdout}{gdb.stderr}', re.search(pattern, gdb.stdout))


def main():
    if sys.argv[1] == '--stops':
        check_stops(sys.argv[2])
    else:
        for file in sys.argv[1:]:
            check_file(file)
    print(f'{passed} passed, {failed} failed')
    tally = os.environ.get('PART_TALLY')
    if tally:
        with open(tally, 'a') as file:
            file.write(f'{passed} {failed}\n')
    sys.exit(failed > 0)


main()
