"""stats.py: a table of the queues, for a terminal."""
import collections

MOST_THREADS = 5
MOST_QUEUES = 40  # an exploration makes new ones for each schedule


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


def rows(model):
    """Of each queue, also if nothing ran: [(label, tasks, (waiting p50, p99, max), (running p50, p99, max), share of the time in which it runs a task, where from)]"""
    waiting = {}
    for one in model.waiting:
        waiting.setdefault(one.queue, []).append((one.site, one.count))
    whole = max(1, model.finish - model.begin)
    result = []
    for queue, count, *figures, ran, origins in model.summary['stats']:
        sites = [(model.origins[origin].site, tasks) for origin, tasks, *_ in origins] or waiting.get(queue, [])
        result.append((model.queue_label(queue), count, tuple(figures[:3]), tuple(figures[3:]), ran / whole, commonest(sites)))
    return sorted(result, key=lambda row: (row[1] == 0, -row[2][2]))


def table(model):
    lines = [('queue', 'tasks', 'waiting p50', 'p99', 'max', 'running p50', 'p99', 'max', 'busy', 'submitted at')]
    queues = rows(model)
    for label, count, waiting, running, busy, site in queues[:MOST_QUEUES]:
        figures = [*map(duration, waiting), *map(duration, running)] if count else ['-'] * 6
        lines.append((label, str(count), *figures, f'{100 * busy:.0f} %', site))
    lines = lines if any(line[-1] for line in lines[1:]) else [line[:-1] for line in lines]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = ''.join('  '.join(cell.ljust(width) if i in (0, 9) else cell.rjust(width)
                             for i, (cell, width) in enumerate(zip(line, widths))).rstrip() + '\n' for line in lines)
    text += f'{len(queues) - MOST_QUEUES:,} more\n' if len(queues) > MOST_QUEUES else ''
    return text + ''.join(f'{line}\n' for line in remarks(model))


def remarks(model):
    """What else is to be said: how the trace ends, what it lacks."""
    from sqtrace import ending
    lines = []
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
    dropped = sorted(model.dropped, key=lambda item: -item[1])
    enough = larger([(events, buffer) for _, events, buffer in dropped])
    for thread, count, _ in dropped[:MOST_THREADS]:
        lines.append(f'{count} events of thread {thread} were dropped: its buffer was full. Record with buffer={enough}')
    if dropped[MOST_THREADS:]:
        lines.append(f'{sum(count for _, count, _ in dropped[MOST_THREADS:])} events of {len(dropped) - MOST_THREADS} more threads were dropped')
    if model.alone:
        why = 'those events were dropped' if model.dropped else 'they were submitted before the first event that the trace has of the submitting thread'
        lines.append(f'{model.alone} {"task has" if model.alone == 1 else "tasks have"} a start and no submission: {why}')
    return lines


def larger(dropped):
    """For all threads, [(events dropped, buffer)], eight times as much, and twice what was dropped: "8M". An event takes 32 bytes."""
    wanted = max([1 << 20, *(max(8 * buffer, 2 * 32 * count) for count, buffer in dropped)])
    wanted = min(1 << (wanted - 1).bit_length(), 1 << 30)
    return f'{wanted >> 20}M'
