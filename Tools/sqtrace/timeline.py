"""timeline.py: one HTML page of a trace, with everything in it: page.html with rows.js, draw.js, page.js and the data put in."""
import html
import json
import os

from sqtrace import ending, stats
from sqtrace.model import KINDS

MOST_FUNCTIONS = 3  # of a queue


def waiting(model, shown):
    """One for each queue: [queue, since, how many tasks]."""
    first, counts = {}, {}
    for one in model.waiting:
        first[one.queue] = min(first.get(one.queue, one.oldest), one.oldest)
        counts[one.queue] = counts.get(one.queue, 0) + one.count
    return [[queue if queue < shown else -1, since - model.begin, counts[queue]] for queue, since in first.items()]


def figures(row):
    return [row.label, row.count, *row.waiting, *row.running, round(100 * row.busy, 1), row.site]


def worst(group, what):
    """The queue of that label with the longest wait or run."""
    return max(group.members, key=lambda row: getattr(row, what)[2]).queue


def data(model):
    """What the page draws, apart from the rows (read/report.h). Times are nanoseconds since the beginning; tasks and waits are named by their
    number; -1: there is none."""
    rows = stats.rows(model)
    folded = stats.groups(model, rows)
    queues, threads = (range(model.summary[key]) for key in ('queuesShown', 'threadsShown'))
    return {
        'length': model.finish - model.begin,
        'queues': [model.queue_label(queue) for queue in queues],
        'threads': [model.thread_label(thread) for thread in threads],
        'origins': [[origin.name, origin.site, origin.function or 'a function'] for origin in model.origins], 'kinds': KINDS,
        'waiting': waiting(model, len(queues)),
        'numbers': model.numbers[:len(queues)],
        'stats': [figures(row) + [row.queue, row.slowest(model, MOST_FUNCTIONS)] for row in rows],
        'groups': [figures(row) + [worst(row, 'waiting'), worst(row, 'running'), len(row.members)] for row in folded if row.members],
        'outliers': [row.queue for group in folded for row in stats.outliers(group)],
        'hasEnd': model.has_end, 'headline': ending.headline(model),
        'ending': tree(ending.lines(model)), 'refusedHeadline': ending.refused_headline(model), 'refused': tree(ending.refused(model)),
        'warning': stats.warning(model).strip(), 'remarks': model.remarks + stats.applies(model) + stats.missing(model),
        'texts': model.texts,
    }


def tree(lines):
    return [[depth, line, number(task), number(wait)] for depth, line, task, wait in lines]


def number(one):
    return -1 if one is None else one.number


def part(name):
    with open(os.path.join(os.path.dirname(__file__), name), encoding='utf-8') as file:
        return file.read()


def write(model, name, path):
    # "</script>" would end the script, and "<!--<script>" hide its end; "\u003c" is the same in JSON. The rows are numbers alone.
    rest = json.dumps(data(model), separators=(',', ':')).replace('<', '\\u003c').encode()
    head, tail = part('page.html').replace('@SCRIPT@', part('rows.js') + part('draw.js') + part('page.js')).encode().split(b'@DATA@')
    head = head.replace(b'@NAME@', html.escape(name).encode(errors='replace'))  # any bytes are a file's name
    with open(path, 'wb') as file:
        file.write(head + rest[:-1] + b',')
        for piece in model.reading.pieces():
            file.write(piece)
        file.write(b'}' + tail)
