"""endings.py: what a trace says about what did not simply run: a hang, what was cancelled or refused, and what the library calls for others."""
import os
import re
import shutil
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(TOP, 'Tools', 'sq-trace')
sys.path.insert(0, os.path.join(TOP, 'Tools'))
import damaged  # noqa: E402
import packets  # noqa: E402
from sqtrace import ending, model, stats, symbols  # noqa: E402

SECOND = 1_000_000_000  # The hang lasts two by the clock of the sleep, which is not quite that of the trace.


def load(path):
    return model.Model(path, 'rows').load_rows()


def record(program, options, path, *words):
    return subprocess.run([program, *words], env={**os.environ, 'SQ_TRACE': path + options}, capture_output=True, text=True).returncode


def check_hang(check, equal, found, least):
    """orders: place_order holds a mutex and syncs onto audit, whose write_entry wants the mutex. A thread syncs onto orders; mail is suspended."""
    queue = {task.queue: found.queue_label(task.queue) for task in found.tasks}
    tasks = {queue[task.queue]: task for task in found.tasks}
    check('what still runs reaches the end', all(task.is_open and task.end == found.finish for task in found.tasks))
    check('and is as long as the hang', all(task.end - task.start >= least for task in found.tasks))
    waits = {wait.target: wait for wait in found.waits}
    equal('waits', sorted(waits), ['its turn in audit', 'its turn in orders'])
    check('what still waits reaches the end', all(wait.is_open and wait.end == found.finish for wait in waits.values()))
    equal('the wait is held by the task of the other queue', found.holders(waits['its turn in audit']), [tasks['audit']])
    equal('the queue that is suspended', [(found.queue_label(queue), is_open) for queue, is_open in found.suspensions], [('mail', True)])
    equal('what waits, and did not start', sorted(found.queue_label(one.queue) for one in found.waiting for _ in range(one.count) if not one.is_thread), ['mail', 'orders', 'orders'])
    equal('the threads that wait for their turn', sorted(found.queue_label(one.queue) for one in found.waiting if one.is_thread), ['audit', 'orders'])
    lines = ending.lines(found)
    equal('below the task stands what waits for it, and below that what waits for that', [depth for depth, *_ in lines], [0, 1, 2, 2, 0, 1])
    texts = [text for _, text, _, _ in lines]
    for pattern, text in zip((r'^audit: write_entry.* still running, .*its thread is in no call of this library \(a lock, or a read\?\): look at its stack, gdb -p [1-9]\d*$',
                              r'^orders: place_order.* waits for its turn in audit, ', r' waits for its turn in orders, ', r'^orders: 2 tasks wait, ',
                              r'^mail: suspended, ', r'^mail: a task waits, '), texts):
        check(f'{pattern}: {text}', re.search(pattern, text) is not None)


def check_hangs(check, equal, program, folder):
    path = os.path.join(folder, 'hang')
    equal('the hang ends', record(program, ',last=10s', path, 'written'), 0)
    found = load(path)
    check('the file says that it was written', found.has_end)
    check_hang(check, equal, found, SECOND)
    table = subprocess.run([TOOL, 'stats', path], capture_output=True, text=True).stdout
    check('stats says what is unfinished', 'Unfinished when the trace was written, after ' in table and 'waits for its turn in audit' in table)
    check('and has a row for the queue where nothing ran', re.search(r'^mail +0x[0-9a-f]+ +0( +-){6} +0 % +(main .*)?$', table, re.MULTILINE) is not None)
    path = os.path.join(folder, 'window')
    equal('the hang ends, longer than what is recorded', record(program, ',last=500ms', path, 'written'), 0)
    found = load(path)
    check('what began before that, and has not ended, is there', all(task.is_open and task.end - task.start >= SECOND for task in found.tasks))
    names = sorted(task.function.split(' ')[0] for task in found.tasks)
    check(f'with its own function: {names}', names == ['place_order', 'write_entry'] or not shutil.which('addr2line'))
    path = os.path.join(folder, 'killed')
    equal('the hang is killed', record(program, '', path, 'killed'), -9)
    found = load(path)
    check('a file without its end says so', not found.has_end and 'was killed' in ending.headline(found))
    check_hang(check, equal, found, SECOND)
    return os.path.join(folder, 'hang')


def check_shares(check, equal, found, symbols_are_there):
    """An apply of four iterations on two threads, and one of one."""
    equal('iterations of an apply', sum(share.ran for share in found.shares), 4 + 1)
    equal('each thread has its share', len({share.thread for share in found.shares}), 2)
    check('a share has begun and ended', all(share.start <= share.end < found.finish and not share.is_open for share in found.shares))
    equal('it says how many the apply has', {share.count for share in found.shares}, {1, 4})
    name = 'blur_row' if symbols_are_there else 'a function'
    lines = stats.applies(found)
    check(f'stats has one line for the function: {lines}', len(lines) == 1 and re.fullmatch(rf'apply of {name}.*: 5 iterations on 2 threads, .* in all', lines[0]))


def check_outcomes(check, equal, program, folder):
    path = os.path.join(folder, 'outcomes')
    equal('the program ends', record(program, '', path), 0)
    trace, found = packets.read(path), load(path)
    equal('nothing is unfinished', (ending.lines(found), found.waiting), ([], []))
    cancelled = [(found.queue_label(queue), re.sub(r' \(.*', '', name)) for queue, name in found.withdrawn]
    symbols_are_there = shutil.which('addr2line') is not None
    equal('a cancelled item, and a firing, are withdrawn, with their names', cancelled,
          [('work', 'row 7: load_row'), ('late', 'never_runs')] if symbols_are_there else [('work', 'row 7'), ('late', '')])
    ends = [queue for _, category, _, queue in found.marks if category == 'end of the queue']
    equal('each queue ends once', len(ends), len(set(ends)))
    check_shares(check, equal, found, symbols_are_there)
    refused = [(wait.target, wait.outcome) for wait in found.waits if wait.outcome]
    deadlock = 'refused, a deadlock'
    refused = sorted((re.sub('^once.*', 'once', what), outcome) for what, outcome in refused)
    equal('a refused wait has an outcome', refused, [('a timer of timers', deadlock), *2 * [('its turn in timers', deadlock)],
                                                     ('its turn in work', 'timed out'), ('once', deadlock)])
    sites = [wait.site for wait in found.waits if wait.outcome == deadlock and wait.aim == 0 and wait.queue >= 0]
    check(f'and it is known where: {sites}', all('wait_for_itself' in site for site in sites) or not symbols_are_there)
    kinds = {task.kind for task in found.tasks}
    equal('kinds of tasks', kinds, {'async', 'barrier', 'delayed', 'discard', 'group', 'group notification', 'run and wait', 'sync', 'timer', 'work item'})
    equal('a firing that has a bar has no mark', [name for _, _, name, _ in found.marks if name == 'timer'], [])
    equal('nothing was dropped', (found.dropped, stats.missing(found)), ([], []))
    equal('what was discarded', [task.kind for task in found.tasks if found.queue_label(task.queue) == 'gone'], ['discard'])
    items = sorted(task.label for task in found.tasks if task.label)
    equal('an item has its label', items, ['row 8'])
    starts = {event.time: event for event in trace.events if event.type == packets.BEGIN and event.category == 'run'}
    last = max((task for task in found.tasks if task.kind == 'sync'), key=lambda task: task.start)
    equal('a sync that did not wait has no place, whatever waited before', starts[last.start].last_flows, ())
    grants = {(trace.threads[event.track][0], flow) for event in trace.events if event.category == 'grant' for flow in event.flows}
    for task in found.tasks:
        if found.queue_label(task.queue) == 'images':
            check('a task of a concurrent queue is taken before it starts', (found.summary['threads'][task.thread][0], starts[task.start].last_flows[0]) in grants)
    names = [task.function.split(' ')[0] for task in found.tasks]
    if any(names):  # addr2line is there
        expected = {'hold', 'resize_image', 'member_of_group', 'in_pair', 'barrier_task', 'due_later', 'all_done', 'tick', 'thrown_away', 'load_row', 'wait_for_itself'}
        equal('functions are the user\'s', set(names), expected)
        check('a sync that did not wait has its site', 'run_through_the_library' in last.site)
        sites = {task.site.split(' ')[0] for task in found.tasks if task.function.startswith('in_pair')}
        equal('a pair has its caller\'s site', sites, {'run_through_the_library'})


def check_texts(check, equal):
    """What the page and the table say about figures and names, whatever trace they are from."""
    one = 1 << 20
    figures = [stats.larger(dropped) for dropped in ([(1, 4096)], [(1, one)], [(9, 4096), (119809, 4096)])]
    equal('a buffer that is larger has room for what was dropped', figures, ['1M', '8M', '8M'])
    names = {
        'partial apply for closure #1 in Shop.receive(_:)': 'closure #1 in Shop.receive(_:)',
        'partial apply for closure #12 in ': 'closure #12 in the top level',
        'closure #2 in closure #1 in shop_main': 'closure #2 in closure #1 in the top level',
        'closure #1 in run_main()': 'closure #1 in run_main()',
        'partial apply for implicit closure #2 in implicit closure #1 in Shop.serve()': 'a method given as a closure in Shop.serve()',
    }
    equal('a Swift closure is named as in its source', [symbols.in_words(name) for name in names], list(names.values()))
    places = [symbols.show(function, place, '') for function, place in
              (('shop_main', '/shop/main.swift:7'), ('main', '/shop/main.swift:7'), ('shop_main', '/shop/main.c:7'), ('main', '/shop/main.c:7'))]
    equal('an executable\'s code outside of functions is the top level', places, [*2 * ['the top level (main.swift:7)'], 'shop_main (main.c:7)', 'main (main.c:7)'])
    task = model.Origin('', 'closure #12 in the top level', '', 'app/main.swift:63')
    closure = ending.name(task)
    task.function = 'transfer (hang.c:12)'
    equal('a name has a place in a source, and one only', [closure, ending.name(task)],
          ['closure #12 in the top level (from app/main.swift:63)', 'transfer (hang.c:12)'])
    own = ['closure #1 in ConcurrentQueue.syncBarrier<A, B>(_:)', 'WorkQueue.sync<A, B>(_:)', 'closure #1 in Lane.post(for:)',
           'SerialQueueOperations/Lane.swift:25',
           'closure #1 in variable initialization expression of static QueuedJob.onActor']
    equal('the Swift layer\'s own functions are not the user\'s', [name for name in own if not model.OWN.search(name)], [])
    equal('the user\'s are', [name for name in names.values() if model.OWN.search(name)], [])


def make(events, folder, queues=('images',), dropped=(), name='made', handles=()):
    """A model of these: [(time, type, thread, category, notes)], labels of the queues from number 1 on, what threads dropped, and the addresses of the
    first queues: the others have none."""
    field = damaged.field
    written = [field(60, field(1, 1) + field(3, field(1, 4711)))]
    for number, label in enumerate(queues, 1):
        handle = field(14, handles[number - 1].encode()) if number <= len(handles) else b''
        written.append(field(60, field(1, packets.QUEUES | number) + field(2, label.encode()) + handle))
    for notes in dropped:
        noted = b''.join(field(4, field(10, name) + field(3, value)) for name, value in zip((b'thread', b'events', b'buffer'), notes))
        written.append(field(8, 1) + field(11, field(9, packets.INSTANT) + field(11, 1) + field(22, b'dropped') + noted))
    for thread in {thread for _, _, thread, _, _ in events}:
        written.append(field(60, field(1, packets.THREADS | thread) + field(4, field(2, thread) + field(5, b'worker'))))
    for time, kind, thread, category, notes in events:
        noted = b''.join(field(4, field(10, name.encode()) + (field(6, value.encode()) if isinstance(value, str) else field(3, value)))
                         for name, value in notes.items() if name != 'flow')
        noted += field(47 if category in ('submit', 'wait') else 48, notes['flow']) if 'flow' in notes else b''
        written.append(field(8, time) + field(11, field(9, kind) + field(11, packets.THREADS | thread) + field(22, category.encode()) + noted))
    path = os.path.join(folder, name)
    with open(path, 'wb') as file:
        file.write(b''.join(field(1, packet) for packet in written))
    return load(path)


def check_nesting(check, equal, folder):
    """Iterations that still run, in a task and outside of one; and slices of a category that is not known."""
    run, share, end = ('run', {'queue': 1, 'kind': 2}), ('apply', {'count': 9}), ('', {})
    found = make([(1, packets.BEGIN, 1, *run), (2, packets.BEGIN, 1, *share), (3, packets.BEGIN, 2, *share), (4, packets.BEGIN, 3, *run),
                  (5, packets.BEGIN, 3, 'of a later version', {}), (6, packets.END, 3, *end), (7, packets.BEGIN, 4, *share),
                  (8, packets.END, 4, '', {'ran': 3}), (9, packets.BEGIN, 5, *share), (10, packets.END, 5, '', {'ran': 0}), (11, packets.END, 3, *end)], folder)
    gdb = 'its thread is in no call of this library (a lock, or a read?): look at its stack, gdb -p 4711'
    equal('iterations that still run are unfinished', [text for _, text, _, _ in ending.lines(found)],
          [f'images: task still running, 10 ns, on worker (1); it runs an iteration of a function; {gdb}',
           f'apply of a function still running, 8 ns, on worker (2); {gdb}'])
    equal('a share of none is left out', [(found.summary['threads'][one.thread][0], one.ran, one.is_open) for one in found.shares], [(1, 0, True), (2, 0, True), (4, 3, False)])
    equal('and stats says so', stats.applies(found), ['apply of a function: 3 iterations, and those that still run, on 3 threads, 18 ns in all'])
    equal('a slice that is not known ends nothing else', [task.end for task in found.tasks], [11, 11])
    equal('the task that has ended', [task.is_open for task in found.tasks], [True, False])


def check_folding(check, equal, folder):
    """Thirty queues of one label, of which the 17th is slow, and one that waits for long; and a queue with a label of its own."""
    events, labels = [], [*30 * ['connection'], 'log']
    for queue in range(1, 32):
        waits, runs = 5_000 if queue == 29 else 100, 9_000 if queue == 17 else 40
        events += [(1000 * queue, packets.INSTANT, 1, 'submit', {'queue': queue, 'flow': queue}),
                   (1000 * queue + waits, packets.BEGIN, 1 + queue, 'run', {'queue': queue, 'kind': 2, 'flow': queue}),
                   (1000 * queue + waits + runs, packets.END, 1 + queue, '', {})]
    found = make(events, folder, labels, name='folded')
    lines = [re.sub(' {2,}', '|', line).split('|') for line in stats.table(found).splitlines()]
    equal('queues of one label are one row, below those that stand out', [line[:3] for line in lines[:-2]],
          [['queue', 'number', 'tasks'], ['connection', '#17', '1'], ['connection', '#29', '1'], ['connection × 30', '#29', '30'], ['log', '#31', '1']])
    equal('it names the worst ones', (lines[3][5], lines[3][8:10]), ('5.00 us', ['9.00 us', '#17']))
    equal('its figures are those of all', (lines[3][3], lines[3][6]), ('100 ns', '40 ns'))
    narrow = stats.table(found, 64).splitlines()[:5]
    check(f'a narrow table has what it has room for: {narrow}', all(len(line) <= 64 for line in narrow) and narrow[1].split()[:2] == ['connection', '#17'])
    slow = next(row for row in stats.rows(found) if row.number == '#17')
    equal('a queue has its slowest functions', slow.slowest(found, 3), [('task', 1, 9_000, 16)])
    crowd = []
    for queue in range(1, 31):
        waits, runs = 90_000 if queue <= 10 else 100, 9_000 if queue == 17 else 40
        crowd += [(1000 * queue, packets.INSTANT, 1, 'submit', {'queue': queue, 'flow': queue}),
                  (1000 * queue + waits, packets.BEGIN, 1 + queue, 'run', {'queue': queue, 'kind': 2, 'flow': queue}),
                  (1000 * queue + waits + runs, packets.END, 1 + queue, '', {})]
    alone = stats.table(make(crowd, folder, 30 * ['connection'], name='crowd')).splitlines()[1:6]
    equal('many that wait for long do not hide the slow one', [line.split()[1] for line in alone], ['#17', '#1', '#2', '#3', '×'])


def check_numbers(check, equal, folder):
    """The number of a queue is that of a dump. Two queues that had one address after each other have different ones."""
    tasks = [(time, packets.INSTANT, 1, 'submit', {'queue': queue, 'flow': queue}) for time, queue in ((1, 1), (2, 2), (3, 3), (4, 4))]
    found = make(tasks, folder, ['connection', 'log', 'connection', 'connection'], handles=['0x55d0c8a012a0', '0x55d0c8a01300', '0x55d0c8a012a0'], name='numbers')
    equal('numbers', sorted(found.numbers[:4]), ['#4', '0x55d0c8a012a0/1', '0x55d0c8a012a0/2', '0x55d0c8a01300'])
    equal('what has the only queue of its label needs no number', [text.split(':')[0] for _, text, _, _ in ending.lines(found)],
          ['connection 0x55d0c8a012a0/1', 'connection 0x55d0c8a012a0/2', 'connection #4', 'log'])


def check_many_unfinished(check, equal, folder):
    """Thirty queues of one label are one line: in ten of them two tasks wait, in the others one; the third is the oldest."""
    events = [(1000 - 50 * (queue == 3) + queue, packets.INSTANT, 1, 'submit', {'queue': queue, 'flow': flow}) for queue in range(1, 31)
              for flow in ([queue, 100 + queue] if queue <= 10 else [queue])]
    found = make(events, folder, 30 * ['connection'], name='unfinished')
    equal('what waits in queues of one label is a line', [text for _, text, _, _ in ending.lines(found)], ['connection × 30: 40 tasks wait, the oldest 77 ns, in #3'])
    events = [(1000 + queue, packets.INSTANT, 1, 'suspend', {'queue': queue}) for queue in range(1, 31)]
    found = make(events, folder, 30 * ['connection'], name='suspended')
    equal('so are those that are suspended', [text for _, text, _, _ in ending.lines(found)],
          ['connection × 30: suspended, #1 for 29 ns; 0 tasks wait in them'])


def check_refused(check, equal, folder):
    """Thread 1 runs a task of "a" and waits for "b", thread 2 the other way round: 2 is refused. Then a task of "c" waits for "c", 30 times."""
    def run(queue):
        return 'run', {'queue': queue, 'kind': 2}

    refused = ('', {'outcome': 'refused, a deadlock'})
    events = [(1, packets.BEGIN, 1, *run(1)), (2, packets.BEGIN, 2, *run(2)), (3, packets.BEGIN, 1, 'wait', {'queue': 2, 'flow': 8}),
              (4, packets.BEGIN, 2, 'wait', {'queue': 1, 'flow': 9}), (6, packets.END, 2, *refused), (7, packets.END, 2, '', {}), (8, packets.END, 1, '', {}),
              (9, packets.END, 1, '', {}), (10, packets.BEGIN, 3, *run(3))]
    for time in range(11, 71, 2):
        events += [(time, packets.BEGIN, 3, 'wait', {'queue': 3}), (time + 1, packets.END, 3, *refused)]
    found = make(events + [(71, packets.END, 3, '', {})], folder, 'abc', name='refused')
    lines = [(depth, re.sub(r' waits? for.*| waited for.*|would have waited.*; ', '', text)) for depth, text, _, _ in ending.refused(found)]
    equal('a refused wait, and what it would have waited for', lines[:3],
          [(0, 'b: task, on worker (2) refused 5 ns after the beginning'), (1, 'a: task, on worker (1)'), (0, 'c: task, on worker (3) refused 11 ns after the beginning')])
    equal('of many the first ones', (len(lines), lines[-1]), (1 + 20 + 1, (0, 'and 11 more')))
    check('stats says so before it says what is unfinished', 'Deadlock: 31 waits were refused:' in stats.table(found))
    found = make(events, folder, 'abc', [(1, 5, 4096)], name='refused in doubt')
    equal('what a thread that dropped events waited for is not listed', [depth for depth, *_ in ending.refused(found)][:2], [0, 0])


def check_doubt(check, equal, folder):
    """Thread 1 dropped events: its task may have ended, what was submitted may have run, and a queue may have been resumed."""
    run, submit = ('run', {'queue': 1, 'kind': 2}), ('submit', {'queue': 1, 'flow': 9})
    found = make([(1, packets.BEGIN, 1, *run), (2, packets.BEGIN, 2, *run), (3, packets.INSTANT, 2, *submit),
                  (4, packets.INSTANT, 2, 'suspend', {'queue': 1})], folder, dropped=[(1, 30_000, 1 << 20)])
    equal('what may be untrue is not listed', [text.split(',')[0] for _, text, _, _ in ending.lines(found)],
          ['images: task still running', '3 tasks and waits are left out: their end may be among the events that were dropped'])
    equal('the first line says what is missing, and what helps', stats.table(found).splitlines()[0],
          '30,000 events were dropped, and what follows lacks them: their buffers were full. Record with buffer=8M')


def check_inlined(check, equal):
    """A function of the Swift layer that was inlined is passed over, for the function that called it."""
    frames = [('WorkQueue.sync<A, B>(_:)', '//<compiler-generated>:?'),
              ('Shop.deliver(_:)', '/shop/main.swift:28'), ('Shop.work()', '/shop/main.swift:3')]
    real, symbols.look_up = symbols.look_up, lambda path, offsets: {'0x1': frames, '0x2': frames[:1], '0x3': []}
    try:
        found = symbols.resolve(['shop+0x1', 'shop+0x2', 'shop+0x3', 'shop/main.swift:4'], model.OWN.search)
    finally:
        symbols.look_up = real
    equal('what code is shown as', list(found.values()),
          ['shop/main.swift:4', 'Shop.deliver(_:) (main.swift:28)', 'WorkQueue.sync<A, B>(_:)', 'shop+0x3'])
    task = model.Origin('', '', 'Shop.deliver(_:) (main.swift:28)', '')
    equal('a sync of which nothing else is known has its caller\'s name', task.name, 'closure in Shop.deliver(_:) (main.swift:28)')


def check_drops(check, equal, program, folder):
    path = os.path.join(folder, 'drops')
    run = subprocess.run([program], env={**os.environ, 'SQ_TRACE': path + ',buffer=4K'}, capture_output=True, text=True)
    found = load(path)
    if not found.dropped:
        print('left out: a thread of this run was never faster than the reader')
        return
    check('the program says how a thread gets more room', 'buffer=' in run.stderr and 'buffer of 4K' in run.stderr)
    lines = stats.missing(found)
    check(f'dropped events name their thread, and the setting that helps: {lines}', re.search(r'events of thread \S+ \(\d+\) were dropped.*buffer=\d+M', lines[0]))
    check('the first line of the table, too', re.match(r'[\d,]+ events were dropped, .*buffer=\d+M\n', stats.table(found)))


def check_all(check, equal, hang, outcomes, program, folder):
    """Returns the trace of the hang."""
    check_texts(check, equal)
    check_inlined(check, equal)
    check_nesting(check, equal, folder)
    check_folding(check, equal, folder)
    check_numbers(check, equal, folder)
    check_refused(check, equal, folder)
    check_many_unfinished(check, equal, folder)
    check_doubt(check, equal, folder)
    check_outcomes(check, equal, outcomes, folder)
    check_drops(check, equal, program, folder)
    return check_hangs(check, equal, hang, folder)
