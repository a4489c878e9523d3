"""kill.py: tries to notice one mutant, with the cheapest means first.

What noticed it last time is tried first. Then the schedule explorer: the scenarios that run the function, those first that
noticed other mutants of the function or the file. A search must fail with the mutant and pass in the true core (the core without a
mutant). Then the C tests that run the function, the same way. Only they see the system's layer, forks and messages.
"""
import collections
import re
import threading
import time
from dataclasses import dataclass

import build
from build import DoesNotCompile, Wrong, call

FIRST, FEW, MORE, MANY = 20, 100, 1000, 20000  # schedules of each search: of all scenarios, the near, the nearest, the one from last time
NEAR, NEAREST = 60, 15  # scenarios that are searched longer
ORDERS = 5000       # schedules of each search for a memory order, in the nearest scenarios
TEST_SECONDS = 10   # what the tests of one function may take in all, in the true core
TESTS = 5           # that are always tried, unless they take longer than SLOW_SECONDS and have noticed nothing in the function
SLOW_SECONDS = 2
TESTS_EXCUSED = 2   # the same for a mutant that survivors.txt excuses, which is not tried further
HANG_SECONDS = 5    # besides four times what the test takes in the true core
SEARCH_SECONDS = 10 # what no search of FEW schedules takes


@dataclass
class Verdict:
    kind: str          # killed, survives, same (compiled, it is the true core), stillborn (it does not compile)
    by: str = ''       # `SCENARIO MEMORY SCHEDULES` or `PROGRAM`
    message: str = ''


class TrueCore:
    """What each search and test finds in the core as it is: asked once."""

    def __init__(self, true):
        self.true, self.lock, self.answers = true, threading.Lock(), {}
        self.broken = set()  # tests that fail without a mutant

    def once(self, key, ask):
        with self.lock:
            if key not in self.answers:
                self.answers[key] = ask()
            return self.answers[key]

    def is_clean(self, scenario, memory, schedules):
        return self.once((scenario, memory, schedules), lambda: call([self.true.explorer, 'find', scenario, memory, schedules])[0] == 1)

    def seconds(self, program, flavour):
        """How long this test takes; None: it fails here, too."""
        return self.once((program, flavour), lambda: self.time(program, flavour))

    def time(self, program, flavour):
        built = self.true.command(flavour, program)[-1]
        begin = time.monotonic()
        status, output = call([built])
        if status == 0 and passed(output):
            return time.monotonic() - begin
        self.broken.add(program)
        return None


def passed(output):
    planned = re.search(r'^plan (\d+)', output, re.M)
    return planned is not None and int(planned[1]) == len(re.findall(r'^ok ', output, re.M)) > 0


class Memory:
    """What noticed mutants so far: by function and by file."""

    def __init__(self):
        self.lock, self.counts = threading.Lock(), collections.defaultdict(collections.Counter)

    def note(self, mutant, by):
        name = by.split()[0]
        with self.lock:
            for key in ((mutant.file, mutant.function), mutant.file, ''):
                self.counts[key][name] += 1

    def order(self, mutant, names, breadth, seconds=None):
        """The likeliest first. Of those that never noticed a mutant: the file's own tests first, then those of its subject, then those that do little
        else and are fast."""
        breadth = {name: breadth[name] * (seconds[name] + 0.1 if seconds else 1) for name in names}
        here, file, all_files = (dict(self.counts[key]) for key in ((mutant.file, mutant.function), mutant.file, ''))
        return sorted(names, key=lambda name: (-here.get(name, 0), not is_own(mutant, name), -file.get(name, 0), subject(mutant.file) != subject(name), breadth[name],
                                           -all_files.get(name, 0)))

    def has_noticed(self, mutant, name):
        return self.counts[mutant.file, mutant.function][name] > 0


def is_own(mutant, test):
    """capacity_test, of queue/capacity.c."""
    return test.startswith(mutant.file.split('/')[1].split('.')[0])


def subject(name):
    """The first word of a file's, a test's or a scenario's name: item, of objects/item_submit.c and of item_delay_test."""
    return name.split('/')[-1].split('.')[0].split('_')[0]


def search(core, program, scenario, memory, schedules):
    """One scenario. A search must fail with the mutant and pass in the true core."""
    status, output = call([program, 'find', scenario, memory, schedules], limit=SEARCH_SECONDS if int(schedules) <= FEW else 60)
    return judge(core, status, output, scenario, memory, schedules) if status not in (1, 2) else None  # 2: it is gone


def judge(core, status, output, scenario, memory, schedules):
    found = re.search(r'found by (\w+) after (\d+) schedules, \d+ choices: (.*)', output)
    enough = str(FEW) if found and int(found[2]) <= FEW and found[1] == 'pct' else schedules
    if not core.is_clean(scenario, memory, enough):
        return None
    return Verdict('killed', f'{scenario} {memory} {enough}', found[3] if found else 'hangs' if status is None else 'crashes')


def search_all(core, program, scenarios, memory, schedules):
    """The first of these scenarios that notices it, in one process as long as that neither hangs nor crashes."""
    rest = list(scenarios)
    while rest:
        status, output = call([program, 'find', ','.join(rest), memory, schedules], limit=SEARCH_SECONDS + len(rest) // 10)
        if status == 1:
            return None
        name = output.rsplit('\n', 2)[-2].split(':')[0] if status == 0 else ''
        if name not in rest:
            return first(search(core, program, one, memory, schedules) for one in rest)
        verdict = judge(core, status, output, name, memory, schedules)
        if verdict:
            return verdict
        rest = rest[rest.index(name) + 1:]
    return None


def first(verdicts):
    return next((verdict for verdict in verdicts if verdict), None)


def try_test(core, shop, program, flavour):
    usual = core.seconds(program, flavour)
    if usual is None:
        return None
    built = shop.test(program, flavour)
    limit = HANG_SECONDS + 4 * usual
    status, output = call([built], limit=limit)
    if status is None:  # again: the machine may be busier now, or the test may hang once in a while
        now = core.time(program, flavour)
        if now is None:
            return None
        status, output = call([built], limit=HANG_SECONDS + 4 * max(now, usual))
    if status == 0 and passed(output):
        return None
    names = re.findall(r'^FAIL (\S+)', output, re.M)
    return Verdict('killed', program, 'hangs' if status is None else ' '.join(names[:1]) or f'exit {status}')


def flavour_of(mutant):
    return 'debug' if mutant.file.split('/')[-1].startswith('handle.') else 'release'


def kill(core, shop, mutant, last, memory, is_excused):
    shop.put(mutant)
    try:
        verdict = hunt(core, shop, mutant, last, memory, is_excused)
    except DoesNotCompile as why:
        shop.take_out()
        core.once(('compiles', mutant.file), lambda: compiles(shop, flavour_of(mutant), why))
        return Verdict('stillborn')
    finally:
        shop.take_out()
    if verdict.kind == 'killed':
        memory.note(mutant, verdict.by)
    return verdict


def compiles(shop, flavour, why):
    """The true core must: else the sources have changed under this run."""
    shop.objects = {}
    try:
        shop.compile_for_tests(flavour)
    except DoesNotCompile:
        raise Wrong(f'the core itself does not compile: {str(why).strip()[-300:]}')
    return True


def hunt(core, shop, mutant, last, memory, is_excused):
    """last: what noticed it last time, in the words of Verdict.by, or nothing."""
    reach, key, flavour = core.true.reach, (mutant.file, mutant.function), flavour_of(mutant)
    words = last.split()
    if len(words) == 1 and words[0] in core.true.tests:
        verdict = try_test(core, shop, words[0], flavour)
        if verdict:
            return verdict
    program = None if mutant.file.startswith('platform/') else shop.explorer()
    if program:
        verdict = explore(core, program, mutant, words, memory.order(mutant, reach.scenarios[key], reach.breadth))
        if verdict:
            return verdict
    if not shop.compile_for_tests(flavour) and not program:
        return Verdict('same')
    seconds = {name: took for took, name in reach.tests[key]}
    budget, tried, always = (0, 0, TESTS_EXCUSED) if is_excused else (TEST_SECONDS, 0, TESTS)
    for name in memory.order(mutant, seconds, reach.breadth, seconds):
        is_slow = seconds[name] > SLOW_SECONDS and not is_own(mutant, name) and not memory.has_noticed(mutant, name)
        if name not in words and not is_slow and (tried < always or seconds[name] <= budget):
            budget, tried = budget - seconds[name], tried + 1
            verdict = try_test(core, shop, name, flavour)
            if verdict:
                return verdict
    if is_excused:
        return Verdict('survives')
    return explore_longer(core, program, mutant, memory.order(mutant, reach.scenarios[key], reach.breadth)) or Verdict('survives')


def explore(core, program, mutant, last, scenarios):
    if len(last) == 3:
        verdict = search(core, program, last[0], last[1], last[2]) or search(core, program, last[0], last[1], str(MANY))
        if verdict:
            return verdict
    for names, schedules in ((scenarios, FIRST), (scenarios[:NEAR], FEW)):
        for model in ('sc', 'ra') if mutant.operator == 'weaken' else ('sc',):
            verdict = search_all(core, program, names, model, str(schedules))
            if verdict:
                return verdict
    return None


def explore_longer(core, program, mutant, scenarios):
    model, schedules = ('ra', ORDERS) if mutant.operator == 'weaken' else ('sc', MORE)
    return first(search(core, program, name, model, str(schedules)) for name in (scenarios[:NEAREST] if program else ()))
