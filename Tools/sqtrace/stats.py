"""stats.py: a table of the queues, for a terminal."""
import collections

MOST_THREADS = 5
MOST_QUEUES = 40  # lines
MOST_OUTLIERS = 3  # of one label by how long they run, and so many by how long they wait
OUTLIES = 10  # times as long as it is for half of its label's queues


def duration(nanoseconds):
    for unit, size in (('s', 1_000_000_000), ('ms', 1_000_000), ('us', 1_000)):
        if nanoseconds >= size:
            value = nanoseconds / size
            return f'{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f} {unit}'
    return f'{nanoseconds} ns'


def commonest(sites):
    """'site', or 'site and 3 more'; '' if none is known. `sites`: each with a count."""
    counts = collections.Counter()
    for site, count in sites:
        if site:
            counts[site] += count
    counts = counts.most_common()
    return '' if not counts else counts[0][0] + (f' and {len(counts) - 1} more' if len(counts) > 1 else '')


class Row:
    """Figures of a queue, or of all queues of a label. Times are (p50, p99, max)."""

    def __init__(self, model, figures, waiting):
        self.queue, self.count, *times, ran, self.origins = figures  # origins: [number, tasks, time in all, longest, the longest task]
        self.label, self.number = model.queue_label(self.queue), model.numbers[self.queue]
        self.waiting, self.running = tuple(times[:3]), tuple(times[3:])
        self.busy = ran / max(1, model.finish - model.begin)
        self.site = commonest([(model.origins[origin].site, tasks) for origin, tasks, *_ in self.origins] or waiting.get(self.queue, []))
        self.members = []

    def order(self):
        return self.count == 0, -self.waiting[2]

    def slowest(self, model, most):
        """[(function, tasks, longest, the longest task)]"""
        found = {}
        for origin, tasks, _, longest, task in self.origins:
            name = model.origins[origin].name or 'task'
            before = found.get(name, (name, 0, -1, -1))
            found[name] = (name, before[1] + tasks, *max(before[2:], (longest, task)))
        return sorted(found.values(), key=lambda one: -one[2])[:most]


def rows(model):
    """A row of each queue, also if nothing ran."""
    waiting = {}
    for one in model.waiting:
        waiting.setdefault(one.queue, []).append((one.site, one.count))
    return sorted((Row(model, figures, waiting) for figures in model.summary['stats']), key=Row.order)


def groups(model, queues):
    """A row of each label, whose `members` are the rows of its queues; of a label that one queue has, the row of the queue."""
    by_label = {}
    for row in queues:
        by_label.setdefault(row.label, []).append(row)
    result = []
    for figures in model.summary['labels']:
        row = Row(model, figures, {})
        members = by_label[row.label]
        if len(members) > 1:
            row.members = members
            row.site = row.site or commonest((one.site, 1) for one in members)
        result.append(row if row.members else members[0])
    return sorted(result, key=Row.order)


def outliers(group):
    """The queues of a label whose longest run, or else wait, is far longer than that of half of them, the worst first."""
    found = []
    for what in ('running', 'waiting') if group.members else ():
        longest = sorted((row for row in group.members if row not in found), key=lambda row: -getattr(row, what)[2])
        usual = max(1, getattr(longest[len(longest) // 2], what)[2]) if longest else 1
        found += [row for row in longest[:MOST_OUTLIERS] if getattr(row, what)[2] >= OUTLIES * usual]
    return found


COLUMNS = ('queue', 'number', 'tasks', 'waiting p50', 'p99', 'max', 'running p50', 'p99', 'max', 'of', 'busy', 'submitted at')
TEXTS = (0, 1, 9, 11)             # the others are figures
NARROW = (0, 1, 2, 4, 5, 7, 8)    # without those that a narrow terminal has no room for
NARROW_NAMES = ('queue', 'number', 'tasks', 'wait p99', 'max', 'run p99', 'max')


def cells(row, name):
    def longest(what):
        return max(row.members, key=lambda one: getattr(one, what)[2]).number if row.count else ''
    waiting, running = ([*map(duration, times)] if row.count else ['-'] * 3 for times in (row.waiting, row.running))
    number, of = (longest('waiting'), longest('running')) if row.members else (row.number, '')
    return name, number, str(row.count), *waiting, *running, of, f'{100 * row.busy:.0f} %', row.site


def aligned(lines, columns):
    widths = [max(len(line[i]) for line in lines) for i in columns]
    return ['  '.join(line[i].ljust(width) if i in TEXTS else line[i].rjust(width) for i, width in zip(columns, widths)).rstrip() for line in lines]


def layout(lines, width):
    """The lines as text. Where they do not fit: fewer columns, and where a queue's tasks were submitted stands below it."""
    whole = [i for i in range(len(COLUMNS)) if i not in (9, 11) or any(line[i] for line in lines)]
    if max(map(len, aligned([COLUMNS, *lines], whole[:-1] if whole[-1] == 11 else whole))) <= width:
        return aligned([COLUMNS, *lines], whole)
    names = [''] * len(COLUMNS)
    for i, name in zip(NARROW, NARROW_NAMES):
        names[i] = name
    room = width - len(aligned([names, *(['', *line[1:]] for line in lines)], NARROW)[0])
    result = aligned([names, *([shortened(line[0], max(12, room + len('queue'))), *line[1:]] for line in lines)], NARROW)
    sites = [f'    submitted at {line[11]}' if line[11] else '' for line in lines]
    return result[:1] + [each for pair in zip(result[1:], sites) for each in pair if each]


def shortened(name, room):
    """Of "connection × 20,000" the end stays."""
    label, cross, count = name.rpartition(' × ')
    label, count = (label, cross + count) if count.replace(',', '').isdecimal() else (name, '')
    return name if len(name) <= room else label[:max(1, room - len(count) - 2)] + '..' + count


def table(model, width=1000):
    """`width`: columns of the terminal."""
    folded = groups(model, rows(model))
    alone = sorted((row for group in folded for row in outliers(group)), key=lambda row: -row.running[2])
    shown = [(row, row.label) for row in alone]
    shown += [(row, f'{row.label} × {len(row.members):,}' if row.members else row.label) for row in folded]
    text = ''.join(f'{line}\n' for line in layout([cells(row, name) for row, name in shown[:MOST_QUEUES]], width))
    text += f'{len(shown) - MOST_QUEUES:,} more\n' if len(shown) > MOST_QUEUES else ''
    return warning(model) + text + ''.join(f'{line}\n' for line in remarks(model))


def warning(model):
    """What a reader must know before the figures; '' if nothing was dropped."""
    if not model.dropped:
        return ''
    events, enough = sum(events for *_, events, _ in model.dropped), larger([(events, buffer) for *_, events, buffer in model.dropped])
    return f'{events:,} events were dropped, and what follows lacks them: their buffers were full. Record with buffer={enough}\n'


def remarks(model):
    """What else is to be said: how the trace ends, what it lacks."""
    from sqtrace import ending
    lines = [f'{ending.refused_headline(model)}:'] if model.refused else []
    lines += ['  ' * (depth + 1) + text for depth, text, _, _ in ending.refused(model)]
    unfinished = ending.lines(model)
    if unfinished:
        lines.append(f'Unfinished {ending.headline(model)}:')
        lines += ['  ' * (depth + 1) + text for depth, text, _, _ in unfinished]
    elif not model.has_end:
        lines.append(f'This is all that is known {ending.headline(model)}')
    lines += model.remarks
    lines += applies(model)
    lines += discarded(model)
    lines += missing(model)
    lines.append(f'{model.count} tasks in {duration(model.finish - model.begin)}')
    return lines


def applies(model):
    """One line for each function that was applied, the longest first."""
    by_function = {}
    for origin, *share in model.summary['applies']:
        by_function.setdefault(model.origins[origin].function or 'a function', []).append(share)
    lines = []
    for function, shares in by_function.items():
        ran, threads, whole = sum(ran for _, ran, _, _ in shares), len({thread for thread, *_ in shares}), sum(length for _, _, length, _ in shares)
        ran = f'{ran} {"iteration" if ran == 1 else "iterations"}' + (', and those that still run,' if any(is_open for *_, is_open in shares) else '')
        lines.append((whole, f'apply of {function}: {ran} on {threads} {"thread" if threads == 1 else "threads"}, {duration(whole)} in all'))
    return [line for _, line in sorted(lines, reverse=True)]


def discarded(model):
    """The tasks that never ran, by queue."""
    counts = collections.Counter()
    for queue, count in model.summary['discarded']:
        counts[model.queue_label(queue)] += count
    return [f'{count} {"task" if count == 1 else "tasks"} of {label} {"was" if count == 1 else "were"} discarded and did not run'
            for label, count in sorted(counts.items())]


def missing(model):
    """Events that found no room, and tasks whose submission is not in the trace."""
    lines = []
    dropped = sorted(model.dropped, key=lambda item: -item[2])
    enough = larger([(events, buffer) for *_, events, buffer in dropped])
    for _, thread, count, _ in dropped[:MOST_THREADS]:
        lines.append(f'{count} events of thread {thread} were dropped: its buffer was full. Record with buffer={enough}')
    if dropped[MOST_THREADS:]:
        lines.append(f'{sum(count for *_, count, _ in dropped[MOST_THREADS:])} events of {len(dropped) - MOST_THREADS} more threads were dropped')
    if model.alone:
        why = 'those events were dropped' if model.dropped else 'they were submitted before the first event that the trace has of the submitting thread'
        lines.append(f'{model.alone} {"task has" if model.alone == 1 else "tasks have"} a start and no submission: {why}')
    return lines


def larger(dropped):
    """For all threads, [(events dropped, buffer)], eight times as much, and twice what was dropped: "8M". An event takes 32 bytes."""
    wanted = max([1 << 20, *(max(8 * buffer, 2 * 32 * count) for count, buffer in dropped)])
    wanted = min(1 << (wanted - 1).bit_length(), 1 << 30)
    return f'{wanted >> 20}M'
