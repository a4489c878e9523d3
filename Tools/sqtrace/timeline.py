"""timeline.py: one HTML page of a trace, with everything in it: page.html with rows.js, draw.js, page.js and the data put in."""
import html
import json
import os

from sqtrace import ending, stats


class Table:
    """Texts by number."""

    def __init__(self):
        self.numbers, self.texts = {}, []

    def number(self, text):
        if text not in self.numbers:
            self.numbers[text] = len(self.texts)
            self.texts.append(text)
        return self.numbers[text]


class Data:
    """What the page draws. Times are nanoseconds since the beginning; tasks and waits are named by their number; -1: there is none."""

    def __init__(self, model):
        self.model, self.begin, self.texts = model, model.begin, Table()
        self.threads = {track: i for i, track in enumerate(sorted(model.trace.threads))}
        numbers = {task.queue for task in model.tasks} | set(model.trace.queues)
        self.queues = {number: i for i, number in enumerate(sorted(numbers))}
        self.wait_numbers = {id(wait): i for i, wait in enumerate(model.waits)}

    def task(self, task):
        return -1 if task is None else task.number

    def wait(self, wait):
        return self.wait_numbers.get(id(wait), -1)

    def tasks(self):
        text = self.texts.number
        return [[self.queues[task.queue], self.threads.get(task.thread, -1), task.start - self.begin, task.end - task.start, text(task.name),
                 text(task.site), text(task.kind), -1 if task.submitted is None else task.submitted - self.begin,
                 self.threads.get(task.submitter, -1), self.task(task.parent), self.task(task.before), self.wait(task.wait), int(task.is_open)]
                for task in self.model.tasks]

    def waits(self):
        text, model = self.texts.number, self.model
        return [[self.threads.get(wait.thread, -1), self.queues.get(wait.queue, -1), wait.start - self.begin, wait.end - wait.start,
                 text(model.target(wait)), self.task(wait.task), text(wait.outcome), int(wait.is_open),
                 self.task(next(iter(model.holders(wait)), None) if wait.is_open else None), text(wait.site)] for wait in model.waits]

    def shares(self):
        return [[self.threads.get(one.thread, -1), one.start - self.begin, one.end - one.start, self.texts.number(one.name), one.ran, one.count,
                 int(one.is_open)] for one in self.model.shares]

    def waiting(self):
        """One for each queue: [queue, since, how many tasks]."""
        first, counts = {}, {}
        for one in self.model.waiting:
            first[one.queue] = min(first.get(one.queue, one.time), one.time)
            counts[one.queue] = counts.get(one.queue, 0) + 1
        return [[self.queues.get(queue, -1), time - self.begin, counts[queue]] for queue, time in first.items()]

    def marks(self):
        return [[time - self.begin, self.threads.get(track, -1), self.texts.number(name), self.queues.get(queue, -1)]
                for time, track, _, name, queue in self.model.instants]

    def all(self):
        model, text = self.model, self.texts.number
        return {
            'length': model.finish - model.begin,
            'queues': [model.queue_label(number) for number in sorted(self.queues)],
            'threads': [model.thread_label(track) for track in sorted(self.threads)],
            'tasks': self.tasks(), 'waits': self.waits(), 'shares': self.shares(), 'waiting': self.waiting(), 'instants': self.marks(),
            'withdrawn': [[one.time - self.begin, one.end - one.time, self.queues.get(one.queue, -1), text(one.site), text(one.name)]
                          for one in model.withdrawn],
            'suspensions': [[self.queues.get(one.queue, -1), one.start - self.begin, one.end - one.start, int(one.is_open)]
                            for one in model.suspensions],
            'stats': [[label, count, *waiting, *running, round(100 * busy, 1), site]
                      for label, count, waiting, running, busy, site in stats.rows(model)],
            'hasEnd': model.has_end, 'headline': ending.headline(model),
            'ending': [[depth, line, self.task(task), self.wait(wait)] for depth, line, task, wait in ending.lines(model)],
            'remarks': [remark for _, remark in model.remarks] + stats.applies(model) + stats.missing(model),
            'texts': self.texts.texts,
        }


def part(name):
    with open(os.path.join(os.path.dirname(__file__), name), encoding='utf-8') as file:
        return file.read()


def write(model, name, path):
    # "</" would end the script; "<\/" is the same in JSON.
    data = json.dumps(Data(model).all(), separators=(',', ':')).replace('</', '<\\/')
    page = part('page.html').replace('@NAME@', html.escape(name)).replace('@SCRIPT@', part('rows.js') + part('draw.js') + part('page.js'))
    with open(path, 'w', encoding='utf-8') as file:
        file.write(page.replace('@DATA@', data))
