"""What the screen says: what was seen at each look, the rows that are alike as one, and their text."""
import collections
import time

FEW = 4      # so many that are alike are a row each
TOP = 3      # so many stand out, as those with the highest values
LISTED = 10  # and so many that run
WIDE = 120   # columns from which a queue's thread stands in its row
SORTS = {'W': 'wait', 'R': 'run', 'D': 'depth', 'T': 'rate'}
POOLS = 5    # so many have a line each


class Row:
    """What is shown of a queue. Times are in seconds."""

    def __init__(self, queue, rate, unchanged, now):
        self.queue, self.rate, self.number, self.label, self.depth = queue, rate, queue.number, queue.label, queue.depth
        awaited = max((now - since for since, _ in queue.waits), default=0) / 1e9
        stuck = max((now - since for since, ran in queue.waits if ran == queue.ran and not queue.is_concurrent), default=0) / 1e9
        self.is_exact = {'wait': awaited > 0 and awaited >= unchanged, 'run': queue.began > 0}
        waited = max(awaited, unchanged) if queue.depth or queue.waits else 0
        ran = (now - queue.began) / 1e9 if queue.began else 0 if queue.is_concurrent else max(unchanged, stuck)
        self.values = {'wait': waited, 'run': ran if queue.holders else 0, 'depth': queue.depth, 'rate': rate or 0}

    def state(self):
        queue = self.queue
        if queue.suspensions:
            return 'suspended'
        return 'runs' if queue.holders else 'ready' if queue.is_ready else 'waited' if queue.waits else 'next'

    def order(self, sort):
        return tuple(-self.values[each] for each in (sort, 'wait', 'run', 'depth', 'rate'))


class History:
    """What was seen of each queue at the looks so far. A time that no thread has recorded is that since which a queue was seen unchanged."""

    def __init__(self):
        self.seen, self.when = {}, 0

    def look(self, walk):
        """The rows of this look."""
        rows, seen, passed = [], {}, (walk.when - self.when) / 1e9 if self.when else 0
        for queue in walk.queues.values():
            if not (queue.depth or queue.holders or queue.waits or queue.suspensions):
                continue  # it has become idle
            label, ran, since = self.seen.get(queue.number, (None, 0, 0))
            is_same = label == queue.label and ran <= queue.ran
            if not is_same or ran != queue.ran:
                since = walk.when
            seen[queue.number] = queue.label, queue.ran, since
            rate = (queue.ran - ran) / passed if is_same and passed else None
            rows.append(Row(queue, rate, (walk.when - since) / 1e9, walk.when))
        self.seen, self.when = seen, walk.when
        return rows


def fold(rows, sort, is_folded=True):
    """Lists of rows, in order: one that stands out or is one of few, or all that have a label and state."""
    rows.sort(key=lambda row: row.order(sort))
    if not is_folded:
        return [[row] for row in rows]
    alone = set()
    for key in (sort, 'wait', 'run', 'depth'):
        best = sorted(rows, key=lambda row: -row.values[key])[:TOP + 1]
        least = best[TOP].values[key] if len(best) > TOP else 0
        alone.update(row.number for row in best[:TOP] if row.values[key] > least * (1.2 if key in ('wait', 'run', 'rate') else 1))
    running = [row.number for row in rows if row.queue.holders]
    alone.update(running if len(running) <= LISTED else ())
    groups = collections.defaultdict(list)
    for row in rows:
        if row.number not in alone:
            groups[row.label, row.state()].append(row)
    lines, placed = [[row] for row in rows if row.number in alone], set()
    for row in rows:
        key = row.label, row.state()
        if row.number not in alone and key not in placed:
            placed.add(key)
            lines += [[each] for each in groups[key]] if len(groups[key]) <= FEW else [groups[key]]
    return lines


def duration(seconds, is_exact=True):
    if not seconds:
        return '-'
    text = (f'{seconds * 1e3:.0f}ms' if seconds < 1 else f'{seconds:.1f}s' if seconds < 100 else f'{seconds / 60:.0f}m' if seconds < 6000
            else f'{seconds / 3600:.0f}h' if seconds < 360000 else f'{seconds / 86400:.0f}d')
    return text if is_exact else '>' + text


def count(number):
    """At most six columns."""
    return f'{number:.0f}' if number < 100000 else f'{number / 1e3:.0f}k' if number < 1e7 else f'{number / 1e6:.0f}M' if number < 1e10 else f'{number / 1e9:.0f}G'


def fit(text, width):
    return text.ljust(width) if len(text) <= width else text[:width - 2] + '..'


def room_for_name(width):
    return max(19, min(40, width - 59 - (40 if width >= WIDE else 0)))


def holder_text(walk, queue):
    """The thread that runs it, and what that does."""
    if not queue.holders:
        return ''
    thread = queue.holders[0]
    does = f'waits for {thread.waits_for}' if thread.waits_for else {'R': 'runs', 'S': 'sleeps', 'D': 'sleeps (disk)'}.get(walk.state_of(thread.number), '')
    function = walk.function_of(thread, queue)
    does += (' ' if does == 'runs' else ' in ') + function if function else ''
    more = f', and {len(queue.holders) - 1} more' if len(queue.holders) > 1 else ''
    return f'thread {walk.name_of(thread.number)} ({thread.number}) {does}{more}'


def line_text(walk, line, sort, width):
    """The text of one or many rows: one or two lines."""
    best = line[0]
    wait, run, deepest = (max(line, key=lambda row: row.values[key]) for key in ('wait', 'run', 'depth'))
    name = best.label if len(line) == 1 else f'{best.label} x {len(line)}'
    room = room_for_name(width)
    if len(line) > 1 and len(name) > room:
        name = f'{fit(best.label, room - len(f" x {len(line)}"))} x {len(line)}'
    rates = [row.rate for row in line if row.rate is not None]
    text = (f'{fit(name, room)} {hex(best.number):>14} {best.state():9} {duration(wait.values["wait"], wait.is_exact["wait"]):>8} '
            f'{duration(run.values["run"], run.is_exact["run"]):>8} {count(deepest.depth):>6} {count(sum(rates)) if rates else "-":>6}')
    holder = holder_text(walk, best.queue) if len(line) == 1 else ''
    if not holder:
        return [text[:width]]
    return [f'{text} {holder}'[:width]] if width >= WIDE else [text[:width], f'    {holder}'[:width]]


def pool_lines(walk, width):
    if not walk.pools:
        return []
    order = sorted(walk.pools, key=lambda pool: (-pool.blocked, -pool.ready))
    room = room_for_name(width)
    lines = [f'{"POOL":{room}} {"THREADS":>8} {"BLOCKED":>8} {"IDLE":>6} {"PERMITS":>8} {"MOST":>6} {"READY":>7}']
    for pool in order[:POOLS]:
        of_pool = (fit(pool.owner, 40) if pool.kind == 'loop' else
                   f'{pool.threads:>8} {pool.blocked:>8} {pool.idle:>6} {pool.permits:>8} {pool.most:>6}')
        lines.append(f'{fit(pool.label, room)} {of_pool} {count(pool.ready):>7}')
    if len(order) > POOLS:
        lines.append(f'{len(order) - POOLS} more pools')
    return [each[:width].rstrip() for each in lines]


def screen(walk, rows, sort, width, height, is_folded=True):
    """The lines of the screen, at most `height`."""
    waiting = sum(1 for thread in walk.threads.values() if thread.waits_for)
    head = (f'{walk.name_of(walk.memory.pid)} ({walk.memory.pid}), {time.strftime("%H:%M:%S")}: {len(rows)} queues, '
            f'{sum(row.depth for row in rows)} tasks wait, {waiting} {"thread waits" if waiting == 1 else "threads wait"}')
    lines = [head[:width], *pool_lines(walk, width)]
    room = room_for_name(width)
    lines.append(f'{"QUEUE":{room}} {"NUMBER":>14} {"STATE":9} {mark("WAIT", sort):>8} {mark("RUN", sort):>8} {mark("DEPTH", sort):>6} {mark("RATE", sort):>6}'
                 f'{" THREAD" if width >= WIDE else ""}'[:width])
    folded = fold(rows, sort, is_folded)
    notes = [f'{walk.missed} more queues are ready: the list changes while it is read'] if walk.missed > max(10, len(rows) // 100) else []
    end = height - len(notes) - 1
    for i, line in enumerate(folded):
        text = line_text(walk, line, sort, width)
        if len(lines) + len(text) > end:
            lines.append(f'{len(folded) - i} more rows were left out'[:width])
            break
        lines += text
    if not rows:
        lines.append('no queue has work')
    return lines + [note[:width] for note in notes]


def mark(heading, sort):
    return f'{heading}*' if heading.lower() == sort else heading
