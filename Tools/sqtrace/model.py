"""model.py: tasks and waits, from the events of a trace.

A task is known by its flow: the place where it waited in its queue. No other has that place until the task has started, so the newest
submission with a flow belongs to the next start with it.
"""
import re

from sqtrace import reader, symbols

KINDS = {2: 'async', 3: 'async', 4: 'job', 5: 'delayed', 6: 'async', 8: 'group', 9: 'run and wait', 10: 'async and wait', 11: 'sync',
         12: 'barrier', 13: 'sync barrier'}
DISCARDS = 0x80
# A submission by the Swift layer comes from there; the closure's own place says more.
OWN = re.compile(r'EscapingClosure|QueuedCall|AwaitedCall|ExecutorJobs|\(WorkQueue\+|^sq_')
AIMS = {0: 'its turn', 1: 'room', 2: 'the end'}


class Task:
    __slots__ = ('number', 'queue', 'thread', 'start', 'end', 'kind', 'function', 'site', 'submitted', 'submitter', 'parent', 'wait', 'before')

    def __init__(self, number, queue, thread, start):
        self.number, self.queue, self.thread, self.start, self.end = number, queue, thread, start, None
        self.kind = self.function = self.site = ''
        self.submitted = self.submitter = None  # when, and by which thread
        self.parent = None  # the task in which it was submitted, or in which it runs
        self.wait = None    # of its caller
        self.before = None  # the one that ran before it in a serial queue

    @property
    def waited(self):
        return 0 if self.submitted is None else max(0, self.start - self.submitted)


class Wait:
    __slots__ = ('thread', 'queue', 'what', 'start', 'end', 'task', 'parent', 'site')

    def __init__(self, thread, queue, what, start, parent, site):
        self.thread, self.queue, self.what, self.start, self.end = thread, queue, what, start, None
        self.task, self.parent, self.site = None, parent, site


class Model:
    def __init__(self, trace):
        self.trace = trace
        self.tasks, self.waits, self.instants, self.remarks = [], [], [], []
        self.unstarted = {}  # flow: what waits there
        self.open = {}       # track: what runs there, innermost last
        self.last = {}       # queue: its last task
        events = trace.events
        self.begin = events[0].time if events else 0
        self.finish = events[-1].time if events else 0
        symbol_of = symbols.resolve(
            {text for event in events for key, text in event.notes.items() if key in ('function', 'context', 'site') and text})
        self.symbol_of = symbol_of
        for event in events:
            if event.track >> 32 == reader.THREADS >> 32:
                self.of_thread(event)
            elif event.type == reader.INSTANT and event.category == 'remark':
                self.remarks.append((event.time, event.name))
        for task in self.tasks:
            task.end = self.finish if task.end is None else task.end
        for wait in self.waits:
            wait.end = self.finish if wait.end is None else wait.end

    def queue_label(self, number):
        return self.trace.queues.get(number, f'queue {number}')

    def site(self, notes):
        """Where a submission, or a call that waits, comes from: "Module/File.swift:12", or code; '' if that is not known."""
        site = self.symbol_of.get(notes.get('site'), notes.get('site') or '')
        return '' if OWN.search(site) else site

    def of_thread(self, event):
        stack = self.open.setdefault(event.track, [])
        inside = next((one for one in reversed(stack) if isinstance(one, Task)), None)
        if event.type == reader.INSTANT:
            if event.category == 'submit':
                for flow in event.flows:
                    self.unstarted[flow] = (event.time, event.track, inside, event.notes)
            if event.category != 'grant':
                self.instants.append((event.time, event.track, event.category, event.name, event.notes.get('queue', 0)))
        elif event.type == reader.BEGIN and event.category == 'run':
            stack.append(self.start(event, inside))
        elif event.type == reader.BEGIN and event.category == 'wait':
            wait = Wait(event.track, event.notes.get('queue', 0), event.name, event.time, inside, self.site(event.notes))
            self.waits.append(wait)
            stack.append(wait)
            for flow in event.flows:
                self.unstarted[flow] = (event.time, event.track, inside, wait)
        elif event.type == reader.END and stack:
            stack.pop().end = event.time

    def start(self, event, inside):
        task = Task(len(self.tasks), event.notes.get('queue', 0), event.track, event.time)
        kind = event.notes.get('kind', 0)
        task.kind = 'discard' if kind & DISCARDS else KINDS.get(kind, 'task')
        names = [self.symbol_of.get(event.notes.get(key), '') for key in ('context', 'function')]
        task.function = names[0] or names[1]
        task.parent = inside
        for flow in event.last_flows:
            waiting = self.unstarted.pop(flow, None)
            if waiting is None:
                continue
            task.submitted, task.submitter, parent, more = waiting
            task.parent = parent or inside
            if isinstance(more, Wait):
                task.wait, more.task, task.site = more, task, more.site
            else:
                task.site = self.site(more)
        task.before = self.last.get(task.queue)
        self.last[task.queue] = task
        self.tasks.append(task)
        return task
