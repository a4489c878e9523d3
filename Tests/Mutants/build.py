"""build.py: the programs that mutants are tried in, made from the true core's objects and what a mutant changes."""
import collections
import concurrent.futures
import filecmp
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import threading
import time

from generate import CORE, TOP, all_mutants
from source import Source

EXPLORE = TOP / 'Tests/Explore'
SETTINGS = ('SEED', 'SCENARIO', 'MEMORY', 'SCHEDULES', 'QUICK', 'TAPE', 'CORE', 'SLOTS', 'SQ_TEST', 'SQ_SEED', 'MAKEFLAGS', 'MAKELEVEL')
CLEAN = {name: value for name, value in os.environ.items() if name not in SETTINGS}
spent = threading.local()  # .seconds: processor time of the processes that this thread has called


class Wrong(Exception):
    """Nothing can be tried: the sentence says why."""


class DoesNotCompile(Exception):
    pass


def call(words, limit=600, **variables):
    """(exit status, output); the status is None if it did not end in time."""
    process = subprocess.Popen([str(word) for word in words], env={**CLEAN, **variables}, cwd=TOP, text=True, errors='replace',
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    late = threading.Event()

    def end():
        late.set()
        os.killpg(process.pid, signal.SIGKILL)  # with its children

    timer = threading.Timer(limit, end)
    timer.start()
    output = process.stdout.read()  # to its end; the process has not been waited for yet, so its number is still its own
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    timer.cancel()
    timer.join()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    spent.seconds = getattr(spent, 'seconds', 0) + usage.ru_utime + usage.ru_stime
    return None if late.is_set() else process.returncode, output


def must(words, what, **variables):
    status, output = call(words, **variables)
    if status != 0:
        errors = re.findall(r'.*error: .*|.*undefined reference.*', output) or output.splitlines()[-1:]
        raise Wrong(f'{what}: {errors[0] if errors else status}')
    return output


class TrueBuild:
    """The explorer and the C tests with the core as it is; and which functions of the core each of them runs."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.explorer = folder / 'explore'
        must([EXPLORE / 'build.sh', self.explorer, CORE], 'the explorer')
        self.sources_with = self.dependents()
        self.commands, self.lock = {}, threading.Lock()
        self.make('release', 'test-programs')
        self.scenarios = [name for name in must([self.explorer, 'list'], 'the scenarios').split() if not name.startswith('litmus')]
        self.tests = sorted(path.stem for path in TOP.glob('Tests/C/*/*_test.c'))
        self.reach = Reach(self)

    def dependents(self):
        """Which .c files have each header in them."""
        files = sorted(str(path.relative_to(CORE)) for path in CORE.rglob('*.c'))
        rules = must(['gcc', '-MM', f'-I{CORE}', f'-I{CORE}/include', *[CORE / file for file in files]], 'the dependencies')
        found = collections.defaultdict(list)
        for rule in rules.replace('\\\n', ' ').splitlines():
            names = [str(pathlib.Path(name).resolve().relative_to(CORE)) for name in rule.split(':')[1].split() if str(CORE) in str(pathlib.Path(name).resolve())]
            for name in names:
                found[name].append(names[0])
        return found

    def users(self, file, function):
        """Which .c files an inline function of this header is in: they name it, or a function or macro of a header that does."""
        with self.lock:
            if not hasattr(self, 'headers'):
                self.headers = [found for path in CORE.rglob('*.h') for found in inlines(path.read_text())]
        if function == '-':
            return self.sources_with[file]  # a mutant by hand, outside of functions
        names, before = {function}, 0
        while len(names) > before:
            before = len(names)
            names |= {name for name, words in self.headers if not names.isdisjoint(words)}
        return [source for source in self.sources_with[file] if not names.isdisjoint(re.findall(r'\w+', (CORE / source).read_text()))]

    def out(self, flavour):
        return self.folder / f'tests-{flavour}'

    def make(self, flavour, *words, dry=False):
        flags = ['CFLAGS=-O1 -g'] if flavour == 'release' else []
        return must(['make', '--no-print-directory', *(['-nB'] if dry else ['-j2']), f'FLAVOUR={flavour}', f'OUT={self.out(flavour)}', 'V=1', *flags, *words], flavour)

    def command(self, flavour, what):
        """The words with which make compiles this source of the core, or links this test."""
        with self.lock:
            if (flavour, what) not in self.commands:
                target = f'{self.out(flavour)}/tests/{what}' if what.endswith('_test') else f'{self.out(flavour)}/static/{what[:-2]}.o'
                self.make(flavour, target)
                lines = [line for line in self.make(flavour, target, dry=True).splitlines() if line.endswith(f'-o {target}')]
                self.commands[flavour, what] = lines[-1].split()
            return self.commands[flavour, what]


def inlines(text):
    """(name, the words in it) of each function and macro."""
    source = Source(text)
    for name, begin, _, end in source.functions():
        yield name, {token.text for token in source.tokens[begin:end]}
    for name, words in re.findall(r'^#define (\w+)((?:.*\\\n)*.*)', text, re.M):
        yield name, set(re.findall(r'\w+', words))


class Reach:
    """By function (FILE, NAME): the scenarios, and the tests with their seconds, that run it.

    A new scenario or test is measured alone; all are measured again when one function in twenty is new. What runs a new function until then:
    what runs others of its file.
    """

    def __init__(self, true):
        self.scenarios, self.tests = collections.defaultdict(list), collections.defaultdict(list)
        self.breadth = collections.Counter()  # how many functions each of them runs
        folder = true.folder / 'reach'
        page = folder / 'page'
        self.read(page)
        functions = {(mutant.file, mutant.function) for mutant in all_mutants()}
        # An inline function that is compiled into a .c file is listed with the line there.
        self.header_of = {name: file for file, name in functions if file.endswith('.h')}
        names = {*true.scenarios, *true.tests}
        if len(functions - self.known) > len(functions) / 20:
            shutil.rmtree(folder, ignore_errors=True)
            self.measure(true, folder, page, names)
            page.with_suffix('.known').write_text('\n'.join(' '.join(one) for one in sorted(functions)))
        elif set(self.breadth) != names:
            self.measure(true, folder, page, names - set(self.breadth))
        self.read(page)
        for function in functions - self.known:
            self.borrow(function)

    def borrow(self, function):
        for kind in (self.scenarios, self.tests):
            same_file = [one for (file, _), found in list(kind.items()) if file == function[0] for one in found]
            kind[function] = sorted(set(same_file or [one for found in list(kind.values()) for one in found]))

    def read(self, page):
        self.known = set()
        for kind in (self.scenarios, self.tests, self.breadth):
            kind.clear()
        if not page.exists() or not page.with_suffix('.known').exists():
            return
        self.known = {tuple(line.split(' ')) for line in page.with_suffix('.known').read_text().splitlines()}
        for line in page.read_text().splitlines():
            kind, name, seconds, *functions = line.split('\t')
            self.breadth[name] = len(functions)
            for function in functions:
                key = tuple(function.split(' '))
                if kind == 'test':
                    self.tests[key].append((float(seconds), name))
                else:
                    self.scenarios[key].append(name)

    def measure(self, true, folder, page, names):
        """Measures those with these names. The page keeps what it has about the others that there still are."""
        print('which functions does each scenario and each test run?', flush=True)
        folder.mkdir(parents=True, exist_ok=True)
        there = {*true.scenarios, *true.tests} - names
        kept = [line for line in page.read_text().splitlines() if line.split('\t')[1] in there] if page.exists() else []
        object_file, explorer, out = folder / 'reach.o', folder / 'explore', folder / 'tests'
        must(['gcc', '-O1', '-g', '-c', pathlib.Path(__file__).with_name('reach.c'), '-o', object_file], 'reach.c')
        must([EXPLORE / 'build.sh', explorer, CORE], 'the explorer', REACH=str(object_file))
        tests = [f'{out}/tests/{name}' for name in true.tests if name in names]
        programs = tests if len(tests) < len(true.tests) else ['test-programs']
        if programs:
            must(['make', '--no-print-directory', '-j2', f'OUT={out}', 'CFLAGS=-O1 -g', *programs, f'LDFLAGS=-no-pie {object_file}',
                  'COMPILE=$(CC) -std=c11 -pthread $(WARNINGS) $(FLAVOUR_FLAGS) $(CPPFLAGS) -I$(CORE) -I$(CORE)/include -finstrument-functions '
                  f'-finstrument-functions-exclude-file-list={TOP}/Tests,Tests/'], 'the tests')
        asked = [('scenario', name, explorer, [explorer, 'find', name, 'sc', '100']) for name in true.scenarios]
        asked += [('test', name, out / 'tests' / name, [out / 'tests' / name]) for name in true.tests]
        asked = [one for one in asked if one[1] in names]
        with concurrent.futures.ThreadPoolExecutor(2) as threads:
            lines = threads.map(lambda one: self.one(*one, folder / f'{one[1]}.addresses'), asked)
            page.write_text('\n'.join([*kept, *lines]) + '\n')

    def one(self, kind, name, program, words, record):
        begin = time.monotonic()
        record.unlink(missing_ok=True)
        call(words, limit=900, REACH=str(record))
        seconds = time.monotonic() - begin
        data = record.read_bytes() if record.exists() else b''
        addresses = sorted(set(struct.unpack(f'<{len(data) // 8}Q', data[:len(data) // 8 * 8])))
        functions = set()
        if addresses:
            lines = must(['addr2line', '-f', '-e', program, *map(hex, addresses)], 'addr2line').splitlines()
            for function, place in zip(lines[::2], lines[1::2]):
                if 'Sources/CSerialQueue/' in place:
                    function = function.split('.')[0]
                    file = place.split('Sources/CSerialQueue/')[1].split(':')[0]
                    functions.add(f'{self.header_of.get(function, file)} {function}')
        return '\t'.join([kind, name, f'{seconds:.1f}', *sorted(functions)])


class Shop:
    """Where one mutant at a time is built, next to other such folders."""

    def __init__(self, folder, true):
        self.folder, self.core, self.true = folder, folder / 'core', true
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shutil.copytree(CORE, self.core)

    def put(self, mutant):
        self.sources = [mutant.file] if mutant.file.endswith('.c') else self.true.users(mutant.file, mutant.function)
        self.objects, self.file, self.built = {}, mutant.file, None
        (self.core / mutant.file).write_text(mutant.apply((CORE / mutant.file).read_text()))

    def take_out(self):
        shutil.copy(CORE / self.file, self.core / self.file)

    def explorer(self):
        """The explorer with the mutant; None if its code is that of the true core."""
        sources = [source for source in self.sources if not source.startswith('platform/')]
        program = self.folder / 'explore'
        pairs = [word for source in sources for word in (source, self.core / source)]
        status, output = call([EXPLORE / 'build.sh', self.true.explorer, self.core, *pairs], SEEDED=str(program))
        if status != 0:
            raise DoesNotCompile(output)
        names = [f'core-{source[:-2].replace("/", "-")}.o' for source in sources]
        objects = pathlib.Path(f'{self.true.explorer}.objects')
        if all(self.same(objects / name, pathlib.Path(f'{program}-{name}')) for name in names):
            return None
        return program

    def compile_for_tests(self, flavour):
        """The objects that differ from those of the true core."""
        if flavour not in self.objects:
            found = []
            for source in self.sources:
                words = self.true.command(flavour, source)
                mine = self.folder / f'{flavour}-{source.replace("/", "-")[:-2]}.o'
                changed = [f'-I{self.core}' if word == '-ISources/CSerialQueue' else
                           f'-I{self.core}/include' if word == '-ISources/CSerialQueue/include' else
                           str(self.core / source) if word == f'Sources/CSerialQueue/{source}' else word for word in words[:-1]]
                status, output = call([*[word for word in changed if word not in ('-MMD', '-MP')], mine])
                if status != 0:
                    raise DoesNotCompile(output)
                if not self.same(pathlib.Path(words[-1]), mine):
                    found.append(mine)
            self.objects[flavour] = found
        return self.objects[flavour]

    def same(self, one, other):
        mine = self.folder / 'stripped-one', self.folder / 'stripped-other'
        for source, target in zip((one, other), mine):
            must(['objcopy', '--strip-debug', source, target], 'objcopy')
        return filecmp.cmp(*mine, shallow=False)

    def test(self, program, flavour):
        """The test program with the mutant: its objects come before the archive's, so that those are not linked."""
        words = self.true.command(flavour, program)
        archive = next(place for place, word in enumerate(words) if word.endswith('libserialqueue.a'))
        must([*words[:archive], *self.compile_for_tests(flavour), *words[archive:-1], self.folder / program], program)
        if program == 'foreign_test' and (pathlib.Path(words[-1]).parent / 'foreign_throw').exists():
            shutil.copy(pathlib.Path(words[-1]).parent / 'foreign_throw', self.folder)
        return self.folder / program
