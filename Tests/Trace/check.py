#!/usr/bin/env python3
"""check.py PROGRAM HANG OUTCOMES: traces these programs, and checks the files and what sq-trace makes of them (endings.py: of the last two).

The file is read twice: by sq-trace, and by Google's protobuf with Perfetto's own schema (PyPI: perfetto, protobuf), if Python has
them. The page is opened in headless Chromium, if it is there. What is missing is named."""
import collections
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(TOP, 'Tools', 'sq-trace')
sys.path.insert(0, os.path.join(TOP, 'Tools'))
sys.dont_write_bytecode = True
import damaged  # noqa: E402
import endings  # noqa: E402
from sqtrace import stats  # noqa: E402

passed = failed = 0


def check(what, holds):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f'FAIL {what}')


def equal(what, actual, expected):
    check(f'{what}: {actual}, not {expected}', actual == expected)


# ASYNCS saves, each with a redraw; a run_and_wait, a hold and a contended sync; SYNCS syncs on the other queue.
STORE, VIEWS = 300 + 3, 300 + 200


def check_foreign(path):
    try:
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2
    except ImportError:
        print('left out: the reader that is not ours (pip install perfetto protobuf)')
        return
    trace = perfetto_trace_pb2.Trace()
    with open(path, 'rb') as file:
        trace.ParseFromString(file.read())
    tracks = {p.track_descriptor.uuid: p.track_descriptor for p in trace.packet if p.HasField('track_descriptor')}
    depth, counts, last, flows = collections.Counter(), collections.Counter(), {}, collections.Counter()
    names = {}
    for packet in trace.packet:
        for name in packet.interned_data.event_names:
            names[name.iid] = name.name
        if not packet.HasField('track_event'):
            continue
        event = packet.track_event
        check('an event is on a track that is described', event.track_uuid in tracks)
        category = event.categories[0] if event.categories else ''
        if event.track_uuid >> 32 == 1:
            check('the times of a thread ascend', packet.timestamp >= last.get(event.track_uuid, 0))
            last[event.track_uuid] = packet.timestamp
        if event.type == event.TYPE_SLICE_BEGIN:
            depth[event.track_uuid] += 1
            counts[category, names.get(event.name_iid, event.name)] += 1
        elif event.type == event.TYPE_SLICE_END:
            depth[event.track_uuid] -= 1
        else:
            counts[category, event.name] += 1
        for flow in event.flow_ids:
            flows[flow] += 1
    equal('begun and not ended', sum(depth.values()), 0)
    equal('tasks of the store', counts['run', 'com.example.store'], STORE)
    equal('the same on its own track', counts['queue', 'com.example.store'], STORE)
    equal('tasks of the views', counts['run', 'com.example.<!--<script></script>"views"'], VIEWS)
    equal('submissions', counts['submit', 'submit'], 300 + 300 + 1)
    equal('waits for the semaphore', counts['wait', 'wait for semaphore permits'], 1)
    check('a wait for a turn', counts['wait', 'wait for com.example.store'] >= 1)
    threads = {track.thread.thread_name for track in tracks.values() if track.HasField('thread')}
    check(f'names of threads: {threads}', 'store' in threads)
    clocks = [packet.clock_snapshot for packet in trace.packet if packet.HasField('clock_snapshot')]
    equal('clocks', [clock.clock_id for clock in clocks[0].clocks], [3, 6, 1])


def check_own(path):
    found = endings.load(path)
    most, stats.MOST_QUEUES = stats.MOST_QUEUES, 1
    table, stats.MOST_QUEUES = stats.table(found).splitlines(), most
    equal('of many queues stats prints some, and how many more there are', (len(table), table[2]), (1 + 1 + 2, '1 more'))
    by_queue = collections.Counter(found.queue_label(task.queue) for task in found.tasks)
    equal('tasks', by_queue, {'com.example.store': STORE, 'com.example.<!--<script></script>"views"': VIEWS})
    asyncs = [task for task in found.tasks if task.kind == 'async']
    check('each async task has its submission', all(task.submitted is not None and task.submitted <= task.start for task in asyncs))
    check('no task runs while another of its queue does', all(task.before < 0 or found.tasks[task.before].end <= task.start for task in found.tasks))
    waited = [task for task in found.tasks if task.kind == 'sync' and task.wait >= 0]
    equal('syncs that waited', len(waited) >= 1, True)
    redraws = [task for task in asyncs if 'redraw' in task.function]
    if shutil.which('addr2line'):
        equal('tasks named redraw', len(redraws), 300)
        check('a submission has its site', all('save' in task.site and 'program.c' in task.site for task in redraws))
        check('a sync that waited has its site', any('sync_behind' in task.site and 'program.c' in task.site for task in waited))
        check('a redraw was submitted in a save', all(task.parent >= 0 and 'save' in found.tasks[task.parent].function for task in redraws))


def check_tool(path, folder):
    table = subprocess.run([TOOL, 'stats', path], capture_output=True, text=True)
    check('stats has both queues', table.returncode == 0 and 'com.example.store' in table.stdout and f'{STORE + VIEWS} tasks in' in table.stdout)
    bad = subprocess.run([TOOL, 'stats', __file__], capture_output=True, text=True)
    check('what is no trace is an error', bad.returncode == 1 and 'no trace' in bad.stderr and 'Traceback' not in bad.stderr)
    absent = subprocess.run([TOOL, 'timeline', '/nonexistent'], capture_output=True, text=True)
    check('what does not exist is an error', absent.returncode == 1 and 'No such file' in absent.stderr)
    with open(path, 'rb') as file:
        data = file.read()
    short = os.path.join(folder, 'short')
    with open(short, 'wb') as file:
        file.write(data[:len(data) * 2 // 3])
    check('a trace whose end is missing is read as far as it goes', subprocess.run([TOOL, 'stats', short], capture_output=True).returncode == 0)
    with open(short, 'wb') as file:
        file.write(data[:-1])  # in the middle of a packet
    cut = subprocess.run([TOOL, 'stats', short], capture_output=True, text=True)
    equal('a line says that its end is missing', cut.stderr, f'sq-trace: {short} ends in the middle: the table covers only its beginning\n')
    equal('a whole trace has no such line', table.stderr, '')
    page = os.path.join(folder, 'page.html')
    equal('timeline', subprocess.run([TOOL, 'timeline', path, '-o', page], capture_output=True).returncode, 0)
    over = subprocess.run([TOOL, 'timeline', path, '-o', os.path.join(folder, '.', 'trace')], capture_output=True, text=True)
    check('a page does not replace its trace', over.returncode == 1 and 'it is the trace' in over.stderr and os.path.getsize(path) == len(data))
    odd = os.path.join(os.fsencode(folder), b'@DATA@ \xff')
    os.link(path, odd)
    equal('a trace may have any name', subprocess.run([TOOL, 'timeline', odd], capture_output=True).returncode, 0)
    with open('/dev/full', 'w') as full:
        unwritten = subprocess.run([TOOL, 'stats', path], stdout=full, stderr=subprocess.PIPE, text=True)
    equal('a full disk is an error', (unwritten.returncode, unwritten.stderr), (1, 'sq-trace: No space left on device\n'))
    return page


def dump(browser, page, fragment, width=1400):
    return subprocess.run([browser, '--headless', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=5000', '--dump-dom',
                           f'--window-size={width},800', 'file://' + page + fragment], capture_output=True, text=True, timeout=120).stdout


# What a later script of the page finds out: the widest figures fit; marks that lie on each other have one text, which is not cut; and five marks
# that are 5 pixels apart are drawn.
PROBE = '''<script>
D.stats = [['com.example.a.long.label', 100000, 99.9e6, 99.9e6, 99.9e6, 99.9e6, 99.9e6, 99.9e6, 99.9, '', 0, []]];
showAside();
const table = document.querySelector('.table'), texts = [], fill = context.fillText.bind(context);
context.fillText = (text, left, top) => { texts.push([text, left, left + context.measureText(text).width, top]); fill(text, left, top); };
const curve = context.bezierCurveTo.bind(context), arrows = [];
context.bezierCurveTo = (...points) => { arrows.push(texts.every(([, , , top]) => top < HEAD)); curve(...points); };
select(400);
draw();
document.documentElement.dataset.arrows = arrows.length > 0 && arrows.every(isUnder => isUnder);
document.documentElement.dataset.table = table.scrollWidth <= table.clientWidth;
document.documentElement.dataset.beyond = texts.filter(([text, , right]) => text && right > wide).map(([text]) => text).join();
document.documentElement.dataset.end = texts.find(([text]) => text === 'end of the trace')[3];
document.documentElement.dataset.marks = texts.filter(([text]) => text.includes('shutdown')).map(([text]) => text).join('|');
document.documentElement.dataset.rows = queueRows.map(row => row.name).join();
const row = queueRows[0], rect = context.fillRect.bind(context);
let count = 0;
context.fillRect = (left, top, wide, high) => { count += wide === 1.5; rect(left, top, wide, high); };
row.marks = [0, 1, 2, 3, 4].map(i => [from + (0.3 + i * 5 / width()) * span, -1, row.marks[0][2], 0]);
drawMarks(row);
document.documentElement.dataset.close = count;
document.documentElement.dataset.prefixes = [['com.example.a', 'com.example.b', 'main'], ['com.a', 'b'], ['com.a.x', 'com.a.x', 'com.b'], ['com.x', 'x', 'com.y']].map(sharedPrefix).join();
document.documentElement.dataset.names = NAMES.map(name => shorterNames(name).slice(1).join('|')).join(';');
</script>'''


# What is left of a name as room gets scarce.
NAMES = {
    'closure #3 in Shop.updatePrices()': 'updatePrices() #3|updatePrices #3|updatePrices',
    'closure #2 in closure #1 in Shop.send(_:) (main.swift:28)': 'closure #2 in closure #1 in Shop.send(_:)|send(_:) #1 #2|send #1 #2|send',
    'closure #12 in the top level': 'top level #12|#12',
    'a method given as a closure in Shop.init()': 'Shop.init()|Shop.init',
    'row 8: resize_image (program.c:3)': 'row 8: resize_image|row 8',
    'closure from shop/main.swift:63': 'main.swift:63',
    'shop::deliver(int) (shop.cpp:3)': 'shop::deliver(int)|deliver(int)|deliver',
    'libshop.so.1+0x32': '',
}


def check_layout(page, browser):
    with open(page, encoding='utf-8') as file:
        text = file.read()
    probed = page + '.probed.html'
    with open(probed, 'w', encoding='utf-8') as file:
        file.write(text.replace('</body>', PROBE.replace('NAMES', json.dumps(list(NAMES))) + '</body>'))
    for width in (1400, 800):
        shown = dump(browser, probed, '', width)
        check(f'at {width} pixels the table is not cut', 'data-table="true"' in shown)
        check(f'at {width} pixels no text of the picture is cut', 'data-beyond=""' in shown)
        check('the end of the trace does not stand among the times', 'data-end="26"' in shown)
        check('arrows are drawn before the rows', 'data-arrows="true"' in shown)
        check('what labels share is left out', 'data-prefixes="com.example.,,com.,"' in shown)
        check(f'at {width} pixels the row of a queue has the rest of its label', 'data-rows="store,' in shown)
        shorter = re.findall('data-names="([^"]*)"', shown)
        equal('names get shorter in steps', html.unescape(shorter[0]).split(';') if shorter else None, list(NAMES.values()))
        check(f'at {width} pixels marks that are close are drawn', 'data-close="5"' in shown)
        equal(f'at {width} pixels the marks at the end have one text', re.findall('data-marks="([^"]*)"', shown), ['|'.join(2 * ['shutdown, end of the queue'])])


# No lane consists only of what has a mark.
LANES = '''<script>
const isFull = (row, lane) => lane === row.markLane || row.bars.some(one => one.lane === lane && !isBrief(one));
document.documentElement.dataset.lanes = rows.filter(row => !row.title && ![...Array(row.lanes).keys()].every(lane => isFull(row, lane))).map(row => row.name).join();
document.documentElement.dataset.brief = rows.flatMap(row => row.bars || []).filter(isBrief).length > 0;
</script>'''


def check_page_of_outcomes(path):
    page, browser = path + '.html', shutil.which('chromium') or shutil.which('google-chrome')
    equal('timeline of the outcomes', subprocess.run([TOOL, 'timeline', path], capture_output=True).returncode, 0)
    if browser:
        with open(page, 'a', encoding='utf-8') as file:
            file.write(LANES)
        shown = dump(browser, page, '')
        equal('its heading is the deadlocks', re.findall('<div class="ending"><h2>([^<$]+)<', shown), ['Deadlock: 4 waits were refused'])
        check('what was refused or cancelled at once has its mark\'s lane', 'data-lanes=""' in shown and 'data-brief="true"' in shown)
        found = endings.load(path)
        threads = {one.thread for one in [*found.tasks, *found.waits, *found.shares]} | {thread for thread, _, _, queue in found.marks if queue < 0}
        check('the header counts the threads that have a row', f', {len(threads)} threads,' in shown)


# What clicks do: on a queue, on the row of its label, and on the same in the picture.
CLICKS = '''<script>
const cells = () => [...document.querySelectorAll('tr[data-queue], tr[data-group], tr.function')].map(row => row.firstChild.title || row.firstChild.textContent);
const namesOfRows = () => rows.filter(row => !row.title).map(row => row.name), put = (name, value) => { document.documentElement.dataset[name] = value.join('|'); };
put('before', cells());
put('rows', namesOfRows());
document.querySelector('tr[data-queue="28"]').click();
put('queue', cells());
put('mark', rows.filter(row => row.queue === pointedQueue).map(row => row.name));
document.querySelector('tr[data-group]').click();
put('group', cells());
document.querySelector('tr[data-queue="4"]').click();
put('asked', namesOfRows());
openLabel('connection');
put('open', [namesOfRows().length]);
</script>'''


def check_page_of_many(path):
    """endings.check_folding has made the trace."""
    page, browser = path + '.html', shutil.which('chromium') or shutil.which('google-chrome')
    equal('timeline of many queues', subprocess.run([TOOL, 'timeline', path], capture_output=True).returncode, 0)
    if not browser:
        return
    with open(page, 'a', encoding='utf-8') as file:
        file.write(CLICKS)
    shown = dict(re.findall(r'data-(before|rows|queue|mark|group|asked|open)="([^"]*)"', dump(browser, page, '').split('>', 2)[1]))
    shown = {name: text.split('|') for name, text in shown.items()}
    equal('the table has what stands out, then a row a label', shown['before'], ['connection #29', 'connection #17', 'connection', 'log #31'])
    equal('so has the picture', shown['rows'][:4], ['connection #17', 'connection #29', 'log', '▸ 28 more connection'])
    equal('a click on a queue shows its slowest functions', shown['queue'][:2], ['connection #29', 'task: 1 task, the longest 40 ns'])
    equal('and marks its row', shown['mark'], ['connection #29'])
    equal('a click on a label shows its queues', len(shown['group']), 4 + 1 + 30 + 1)
    equal('a click on one of these gives it a row', shown['asked'][:4], ['connection #5', 'connection #17', 'connection #29', 'log'])
    equal('the row of a label in the picture opens', int(shown['open'][0]), 31 + 1 + 31)


def check_page_of_hang(path):
    page = path + '.html'
    equal('timeline of the hang', subprocess.run([TOOL, 'timeline', path], capture_output=True).returncode, 0)
    browser = shutil.which('chromium') or shutil.which('google-chrome')
    if browser:
        shown = dump(browser, page, '')
        check('the page of the hang was drawn', re.search(r'data-drawn="[1-9]', shown) is not None)
        check('the path says that a task still runs', 'selected, has run' in dump(browser, page, '#task=0'))
        equal('its legend has what it shows', re.findall(r'<i class="([a-z ]*)"', shown), ['runs open', 'waits', 'queued'])
        check('it says what is unfinished', 'Unfinished when the trace was written' in shown and len(re.findall(r'<p style="margin-left:\d', shown)) == 6)


def check_page(page):
    with open(page, encoding='utf-8') as file:
        text = file.read()
    check('the page needs nothing from elsewhere', not re.search(r'(src|href)\s*=\s*["\']?(https?:)?//', text))
    equal('scripts end where they end', text.count('</script>'), 2)
    browser = shutil.which('chromium') or shutil.which('google-chrome')
    if not browser:
        print('left out: the page in a browser (Debian: chromium)')
        return
    shown = dump(browser, page, '#task=400')
    check_layout(page, browser)
    check('the page was drawn', re.search(r'data-drawn="[1-9]', shown) is not None)
    equal('rows of the table', len(re.findall(r'<tr data-queue="[^$]', shown)), 2)
    check('the label is text', 'com.example.&lt;!--&lt;script&gt;&lt;/script&gt;' in shown)
    check('a task is selected, with its path', 'Critical path' in shown and len(re.findall(r'<li data-task=', shown)) >= 2)
    check('the page counts the tasks', f'{STORE + VIEWS} tasks' in shown)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'trace')
        run = subprocess.run([sys.argv[1]], env={**os.environ, 'SQ_TRACE': path}, capture_output=True, text=True)
        equal('the program ends well and says nothing', (run.returncode, run.stderr), (0, ''))
        check_foreign(path)
        check_own(path)
        check_page(check_tool(path, folder))
        hang = endings.check_all(check, equal, sys.argv[2], sys.argv[3], sys.argv[1], folder)
        check_page_of_hang(hang)
        check_page_of_many(os.path.join(folder, 'folded'))
        check_page_of_outcomes(os.path.join(folder, 'outcomes'))
        damaged.check_all(check, TOOL, os.path.join(folder, 'outcomes'), path, b'com.example.store', folder)
    print(f'{passed} passed, {failed} failed')
    if os.environ.get('TALLY'):
        with open(os.environ['TALLY'], 'w') as file:
            file.write(f'{passed} {failed}\n')
    sys.exit(failed > 0)


main()
