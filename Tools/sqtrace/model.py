"""model.py: tasks and waits of a trace, with their names, as sq-trace-read found them."""
import collections
import functools
import re

from sqtrace import reader, symbols

KINDS = {2: 'async', 3: 'async', 4: 'job', 5: 'delayed', 6: 'group', 7: 'run and wait', 8: 'async and wait', 9: 'sync',
         11: 'group notification', 12: 'work item', 13: 'timer', 14: 'end of a timer', 15: 'operation', 32: 'async',
         0x40: 'barrier', 0x80: 'discard'}
# The Swift layer's own functions, as far as the library could not replace them: a closure's own place, or its queue, says more.
OWN = re.compile(r'\b(?:EscapingClosure|DelayedClosure|ItemClosure|TimerBody|HandlerBox|QueuedCall|'
                 r'AwaitedCall|AwaitedEnd|ExecutorJobs|FIFOTurn|QueuedJob)\.|'
                 r'\bCompletion\S*\.follow|\bLane\.post\(for:\)|\bOperationGraph\.(?:change|look)<|\bWorkOperationQueue\.|'
                 r'(?:^| in |^specialized )(?:Work|Concurrent|Serial)Queue\.'
                 r'(?:sync|trySync|syncOrRun|syncBarrier|asyncBarrier|asyncAndWait|runAndWait|async|asyncAfter|_enqueueJobOfTask|enqueue)\b|'
                 r'^call_closure|\((?:Work|Concurrent)Queue\+|^SerialQueue(?:Operations)?/|^sq_')
PLACE = re.compile(r'\S+:\d+')  # in a source
UNKNOWN, TASK, WAIT, SHARE = range(4)  # what a thread is in


def name_of(label, function, site):
    if label and function:
        return f'{label}: {function}'
    if label or function or not site:
        return label or function
    return f'closure from {site}' if PLACE.fullmatch(site) else f'closure in {site}'


class Origin:
    """What tasks have in common that were submitted by the same code."""

    def __init__(self, label, function, own_site, submission_site):
        self.label, self.function, self.own_site, self.site = label, function, own_site, submission_site or own_site

    @property
    def name(self):
        """The user's function, or the label of the work item; else where it was submitted."""
        return name_of(self.label, self.function, self.site)


class Task:
    def __init__(self, model, number, row):
        self.number = number
        self.queue, self.thread, start, length, origin, kind, submitted, submitter, self.parent, self.before, self.wait, is_open = row
        self.start, self.end, self.is_open = model.begin + start, model.begin + start + length, bool(is_open)
        self.kind, self.origin = KINDS.get(kind, 'task'), model.origins[origin]
        self.submitted = None if submitted < 0 else model.begin + submitted
        self.submitter = submitter

    name, function, label, site = (property(lambda self, what=what: getattr(self.origin, what)) for what in ('name', 'function', 'label', 'site'))


class Wait:
    def __init__(self, model, number, row):
        self.number = number
        self.thread, self.queue, start, length, target, self.task, outcome, is_open, self.holder, origin, self.aim = row
        self.start, self.end, self.is_open = model.begin + start, model.begin + start + length, bool(is_open)
        self.target, self.outcome, self.site = model.texts[target], model.texts[outcome], model.origins[origin].own_site
        label = model.queue_label(self.queue)
        if model.queue_id(self.queue) and self.target.endswith(label):
            self.target = self.target.removesuffix(label) + model.queue_name(self.queue)


class Share:
    """What one thread runs of an apply."""

    def __init__(self, model, number, row):
        self.number = number
        self.thread, start, length, origin, self.ran, self.count, is_open = row
        self.start, self.end, self.is_open = model.begin + start, model.begin + start + length, bool(is_open)
        self.name = model.origins[origin].function or 'a function'


def numbers_of(queues):
    """Of each queue the number that dumps and debuggers show, "0x55d0c8a012a0": its address. Of several queues, one after the other at one address, the
    second's is "0x55d0c8a012a0/2". What a file of an earlier version says of no address is "#17", as in the file."""
    numbers, at = [f'#{id_in_file}' for id_in_file, _, _ in queues], collections.defaultdict(list)
    for queue in sorted(range(len(queues)), key=lambda queue: queues[queue][0]):
        at[queues[queue][2]].append(queue)
    for handle, found in at.items():
        for place, queue in enumerate(found if handle else (), 1):
            numbers[queue] = hex(handle) + (f'/{place}' if len(found) > 1 else '')
    return numbers


class Refusal:
    """A wait that was refused, as it would have closed a cycle: [(wait, the queue of the task in which it waits or None, that task's origin)], and then
    those that it would have waited for, as far as a trace can know."""

    def __init__(self):
        self.steps = []

    def add(self, model, number, row, queue, origin):
        self.steps.append((Wait(model, number, row), None if queue < 0 else queue, None if queue < 0 else model.origins[origin]))


class Group:
    """What waits in one queue, and was submitted at one site: a task, or a thread."""

    def __init__(self, model, row):
        self.queue, origin, is_thread, self.count, oldest = row
        self.site, self.is_thread, self.oldest = model.origins[origin].own_site, bool(is_thread), model.begin + oldest


class Model:
    """`tasks`, `waits` and `shares` are those that had not ended; after load_rows, all."""

    def __init__(self, path, *words):
        self.reading = reader.Reading(path, *words)
        found = self.summary = self.reading.summary
        self.texts, self.begin, self.finish = found['texts'], found['begin'], found['finish']
        self.is_cut, self.has_end, self.process, self.count, self.alone = (found[key] for key in ('isCut', 'hasEnd', 'process', 'count', 'alone'))
        self.numbers = numbers_of(found['queues'])
        self.labels = collections.Counter(map(self.queue_label, range(len(self.numbers))))
        code = {self.texts[number] for origin in found['origins'] for number in origin[1:] if number}
        self.symbol_of = symbols.resolve(code, OWN.search)
        self.origins = [self.origin(*row) for row in found['origins']]
        self.tasks = [Task(self, number, row) for number, row in found['openTasks']]
        self.waits = [Wait(self, number, row) for number, row in found['openWaits']]
        self.shares = [Share(self, number, row) for number, row in found['openShares']]
        self.waiting = [Group(self, row) for row in found['waiting']]
        self.refused, self.refusals = found['refused'], []
        for is_first, *step in found['refusals']:
            if is_first:
                self.refusals.append(Refusal())
            self.refusals[-1].add(self, *step)
        self.suspended = [(queue, self.begin + start) for queue, start in found['suspended']]
        self.open = self.stacks()
        self.remarks = [self.texts[text] for _, text in sorted(found['remarks'], key=lambda remark: remark[0])]
        self.dropped = [(thread, self.thread_label(thread) if thread >= 0 else f'thread ({number})', events, buffer)
                        for thread, number, events, buffer in found['dropped']]

    def origin(self, label, function, context, own_site, submission_site):
        text = self.texts
        names = [self.symbol_of.get(text[number], '') for number in (context, function) if number]
        function = next((name for name in names if name and not OWN.search(name)), '')
        return Origin(text[label], function, self.site(text[own_site]), self.site(text[submission_site]))

    @functools.lru_cache(maxsize=None)
    def site(self, text):
        """Where a submission, or a call that waits, comes from: "Module/File.swift:12", or code; '' if that is not known."""
        site = self.symbol_of.get(text, text)
        return '' if OWN.search(site) else site

    def stacks(self):
        return {thread: [self.inner(*one) for one in stack] for thread, *stack in self.summary['stacks']}

    def inner(self, what, number):
        every = {TASK: self.tasks, WAIT: self.waits, SHARE: self.shares}.get(what, ())
        return next((one for one in every if one.number == number), None)

    def load_rows(self):
        """All tasks, waits and so on. A task names its parent, the one before it and its wait by their numbers."""
        rows = self.reading.rows()
        self.tasks = [Task(self, number, row) for number, row in enumerate(rows['tasks'])]
        self.waits = [Wait(self, number, row) for number, row in enumerate(rows['waits'])]
        self.shares = [Share(self, number, row) for number, row in enumerate(rows['shares'])]
        self.open = self.stacks()
        self.withdrawn = [(queue, self.origins[origin].name) for _, _, queue, origin in rows['withdrawn']]
        self.suspensions = [(queue, bool(is_open)) for queue, _, _, is_open in rows['suspensions']]
        self.marks = [(thread, self.texts[category], self.texts[name], queue) for _, thread, name, queue, category in rows['instants']]
        return self

    def queue_id(self, queue):
        """In the file; 0: this is no queue."""
        return self.summary['queues'][queue][0]

    def queue_label(self, queue):
        label = self.summary['queues'][queue][1]
        return 'queue' if label < 0 else self.texts[label]

    def queue_name(self, queue):
        """Its label, and its number if other queues have that label."""
        label = self.queue_label(queue)
        return f'{label} {self.numbers[queue]}' if self.labels[label] > 1 else label

    def thread_label(self, thread):
        number, name = self.summary['threads'][thread]
        return f'{self.texts[name] or "thread"} ({number})'

    def wait_of(self, thread):
        """The wait in which this thread is at the end of the trace, or None."""
        stack = self.open.get(thread, [])
        return stack[-1] if stack and isinstance(stack[-1], Wait) else None

    def holders(self, wait):
        """The tasks that it waits for, as far as a trace can know."""
        return [task for task in self.tasks if task.is_open and task.queue == wait.queue and self.queue_id(wait.queue) and task.thread != wait.thread]
