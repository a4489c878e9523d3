"""model.py: tasks and waits, from the events of a trace.

A task is known by its flow: the place where it waited in its queue. No other has that place until the task is taken from it: by its start, or by
a grant before it. So the newest submission with a flow belongs to the next grant or start with it.
"""
import re

from sqtrace import reader, symbols

KINDS = {2: 'async', 3: 'async', 4: 'job', 5: 'delayed', 6: 'group', 7: 'run and wait', 8: 'async and wait', 9: 'sync',
         11: 'group notification', 12: 'work item', 13: 'timer', 14: 'end of a timer', 15: 'operation', 32: 'async'}
BARRIER = 0x40
DISCARDS = 0x80
# The Swift layer's own functions, as far as the library could not replace them: a closure's own place, or its queue, says more.
OWN = re.compile(r'\b(?:EscapingClosure|DelayedClosure|ItemClosure|TimerBody|HandlerBox|QueuedCall|'
                 r'AwaitedCall|AwaitedEnd|ExecutorJobs|FIFOTurn|QueuedJob)\.|'
                 r'\bCompletion\S*\.follow|\bLane\.post\(for:\)|\bOperationGraph\.(?:change|look)<|\bWorkOperationQueue\.|'
                 r'(?:^| in |^specialized )(?:Work|Concurrent|Serial)Queue\.'
                 r'(?:sync|trySync|syncOrRun|syncBarrier|asyncBarrier|asyncAndWait|runAndWait|async|asyncAfter|_enqueueJobOfTask|enqueue)\b|'
                 r'^call_closure|\((?:Work|Concurrent)Queue\+|^SerialQueue(?:Operations)?/|^sq_')
# Queues of the library itself, which are locks for a moment: no task of a user's is in them.
HIDDEN = re.compile(r'lock of (?:all operation queues|a FIFOQueue)')
PLACE = re.compile(r'\S+:\d+')  # in a source
AIMS = {0: 'its turn in', 1: 'room in', 2: 'the end of', 3: 'a timer of'}


def name_of(label, function, site):
    if label and function:
        return f'{label}: {function}'
    if label or function or not site:
        return label or function
    return f'closure from {site}' if PLACE.fullmatch(site) else f'closure in {site}'


class Task:
    __slots__ = ('number', 'queue', 'thread', 'start', 'end', 'kind', 'function', 'label', 'site', 'submitted', 'submitter', 'parent', 'wait',
                 'before', 'is_open', 'did_not_run', 'is_of_parts')

    def __init__(self, number, queue, thread, start):
        self.number, self.queue, self.thread, self.start, self.end = number, queue, thread, start, None
        self.kind = self.function = self.label = self.site = ''
        self.submitted = self.submitter = None  # when, and by which thread
        self.parent = None  # the task in which it was submitted, or in which it runs
        self.wait = None    # of its caller
        self.before = None  # the one that ran before it in a serial queue
        self.is_open = False  # it still ran when the trace ended
        self.is_of_parts = False  # its parts are tasks
        self.did_not_run = False  # a firing of a timer that was cancelled while it waited

    @property
    def waited(self):
        return 0 if self.submitted is None else max(0, self.start - self.submitted)

    @property
    def name(self):
        """The user's function, or the label of the work item; else where it was submitted."""
        return name_of(self.label, self.function, self.site)


class Wait:
    __slots__ = ('thread', 'queue', 'aim', 'what', 'start', 'end', 'task', 'parent', 'site', 'flow', 'outcome', 'is_open')

    def __init__(self, thread, queue, aim, what, start, parent, site):
        self.thread, self.queue, self.aim, self.what, self.start, self.end = thread, queue, aim, what, start, None
        self.task, self.parent, self.site = None, parent, site
        self.flow = None      # of its place in the queue
        self.outcome = ''     # why it ended without what it waited for
        self.is_open = False  # it had not ended when the trace did


class Share:
    """What one thread runs of an apply."""
    __slots__ = ('thread', 'start', 'end', 'function', 'count', 'ran', 'is_open')

    def __init__(self, thread, start, function, count):
        self.thread, self.start, self.end, self.function, self.count = thread, start, None, function, count
        self.ran, self.is_open = 0, False  # not known until it ends

    @property
    def name(self):
        return self.function or 'a function'


class Submission:
    """A task that has not started: it waits, or was withdrawn."""
    __slots__ = ('time', 'thread', 'parent', 'queue', 'site', 'wait', 'end', 'name', 'mark')

    def __init__(self, time, thread, parent, queue, site, wait=None):
        self.time, self.thread, self.parent, self.queue, self.site, self.wait = time, thread, parent, queue, site, wait
        self.end, self.name = None, ''
        self.mark = None  # the event of the timer that submitted it


class Suspension:
    __slots__ = ('queue', 'start', 'end', 'is_open')

    def __init__(self, queue, start):
        self.queue, self.start, self.end, self.is_open = queue, start, None, False


class Model:
    def __init__(self, trace):
        self.trace = trace
        self.tasks, self.waits, self.shares, self.instants, self.remarks = [], [], [], [], []
        self.withdrawn, self.suspensions, self.dropped = [], [], {}
        self.unstarted = {}  # flow: what waits there
        self.granted = {}    # flow: [(what was taken from there, by which thread)]
        self.suspended = {}  # queue: its suspension
        self.due = {}        # track: the timer's event whose task it submits next
        self.fired = set()   # events of timers whose task has a bar
        self.open = {}       # track: what runs there, innermost last
        self.last = {}       # queue: its last task
        self.has_end = False
        events = trace.events
        self.begin = events[0].time if events else 0
        self.symbol_of = symbols.resolve(
            {text for event in events for key, text in event.notes.items() if key in ('function', 'context', 'site') and text},
            OWN.search)
        for event in events:
            if event.track >> 32 == reader.THREADS >> 32:
                self.of_thread(event)
            elif event.type == reader.INSTANT:
                self.of_process(event)
        self.finish = max(events[-1].time if events else 0, trace.last_clock if events else 0)
        self.close()

    def queue_label(self, number):
        return self.trace.queues.get(number, f'queue {number}')

    def thread_label(self, track):
        number, name = self.trace.threads.get(track, (track & 0xFFFFFFFF, ''))
        return f'{name or "thread"} ({number})'

    def site(self, notes):
        """Where a submission, or a call that waits, comes from: "Module/File.swift:12", or code; '' if that is not known."""
        site = self.symbol_of.get(notes.get('site'), notes.get('site') or '')
        return '' if OWN.search(site) else site

    def function(self, notes):
        """The user's function, or closure; '' if that is not known."""
        names = [self.symbol_of.get(notes.get(key), '') for key in ('context', 'function')]
        return next((name for name in names if name and not OWN.search(name)), '')

    def of_process(self, event):
        if event.category == 'remark':
            self.remarks.append((event.time, event.name))
        elif event.category == 'end':
            self.has_end = True
        elif event.category == 'dropped':
            track = reader.THREADS | event.notes.get('thread', 0)
            count, _ = self.dropped.get(track, (0, 0))
            self.dropped[track] = (count + event.notes.get('events', 0), event.notes.get('buffer', 0))

    def of_thread(self, event):
        stack = self.open.setdefault(event.track, [])
        inside = next((one for one in reversed(stack) if isinstance(one, Task)), None)
        queue = event.notes.get('queue', 0)
        if HIDDEN.fullmatch(self.trace.queues.get(queue, '')):
            if event.type == reader.BEGIN:
                stack.append(None)
        elif event.type == reader.INSTANT:
            self.instant(event, queue, inside)
        elif event.type == reader.BEGIN and event.category == 'run':
            stack.append(self.start(event, inside))
        elif event.type == reader.BEGIN and event.category == 'wait':
            wait = Wait(event.track, queue, event.notes.get('aim', 0), event.name, event.time, inside, self.site(event.notes))
            self.waits.append(wait)
            stack.append(wait)
            for flow in event.flows:
                wait.flow = flow
                self.unstarted[flow] = Submission(event.time, event.track, inside, queue, wait.site, wait)
        elif event.type == reader.BEGIN and event.category == 'apply':
            self.shares.append(Share(event.track, event.time, self.function(event.notes), event.notes.get('count', 0)))
            stack.append(self.shares[-1])
        elif event.type == reader.BEGIN:
            stack.append(None)  # of a later version
        elif event.type == reader.END and stack:
            ended = stack.pop()
            if ended is None:
                return
            ended.end = event.time
            if isinstance(ended, Share):
                ended.ran = event.notes.get('ran', 0)
                return
            outcome = event.notes.get('outcome')
            if isinstance(ended, Wait) and outcome:
                ended.outcome = outcome
                self.forget(ended)
            elif outcome:
                ended.did_not_run = True

    def instant(self, event, queue, inside):
        category = event.category
        if category == 'submit':
            for flow in event.flows:
                self.unstarted[flow] = Submission(event.time, event.track, inside, queue, self.site(event.notes))
                self.unstarted[flow].mark = self.due.pop(event.track, None)
        elif category == 'grant':
            for flow in event.flows:
                if flow in self.unstarted:
                    self.granted.setdefault(flow, []).append((self.unstarted.pop(flow), event.track))
        elif category == 'withdrawn':
            for flow in event.last_flows:
                taken = self.take(flow, None)
                if taken is not None:
                    taken.end, taken.name = event.time, name_of(event.notes.get('label') or '', self.function(event.notes), taken.site)
                    self.withdrawn.append(taken)
        elif category == 'suspend' and queue not in self.suspended:
            self.suspended[queue] = Suspension(queue, event.time)
            self.suspensions.append(self.suspended[queue])
        elif category == 'end of the queue' or category == 'resume' and event.notes.get('detail') == 0:
            if queue in self.suspended:
                self.suspended.pop(queue).end = event.time
            if category == 'end of the queue':
                self.unstarted = {flow: one for flow, one in self.unstarted.items() if one.queue != queue}
        if category == 'mark' and event.name == 'deadlock' and self.waits and self.waits[-1].thread == event.track and self.waits[-1].outcome:
            return  # the wait says it
        if category not in ('grant', 'submit', 'withdrawn', 'suspend', 'resume'):
            self.instants.append((event.time, event.track, category, event.name, queue))
        if category == 'timer':
            self.due[event.track] = self.instants[-1]

    def forget(self, wait):
        """It ended without its turn."""
        waiting = self.unstarted.get(wait.flow)
        if waiting is not None and waiting.wait is wait:
            del self.unstarted[wait.flow]
        if wait.flow in self.granted:
            self.granted[wait.flow] = [(one, by) for one, by in self.granted[wait.flow] if one.wait is not wait]

    def take(self, flow, track):
        """What was taken from this place for a task that starts on this thread, or what waits there."""
        granted = self.granted.get(flow, [])
        # A thread's own task, which it takes just before it starts it; its wait; a call that it runs for another thread.
        for fits in (lambda one, by: one.wait is None and by == track, lambda one, by: one.wait is not None and one.thread == track,
                     lambda one, by: by == track or track is None):
            for i in range(len(granted) - 1, -1, -1):
                if fits(*granted[i]):
                    return granted.pop(i)[0]
        return self.unstarted.pop(flow, None)

    def start(self, event, inside):
        task = Task(len(self.tasks), event.notes.get('queue', 0), event.track, event.time)
        kind = event.notes.get('kind', 0)
        task.kind = 'discard' if kind & DISCARDS else 'barrier' if kind & BARRIER else KINDS.get(kind, 'task')
        task.function = self.function(event.notes)
        task.label = event.notes.get('label') or ''
        task.site = self.site(event.notes)
        task.parent = inside
        if task.kind == 'operation' and inside is not None:
            inside.is_of_parts = True
            task.parent = inside.parent
        for flow in event.last_flows:
            waiting = self.take(flow, event.track)
            if waiting is None:
                continue
            task.submitted, task.submitter, task.wait = waiting.time, waiting.thread, waiting.wait
            task.site = waiting.site or task.site
            self.fired.add(waiting.mark)
            task.parent = waiting.parent or inside
            if task.wait is not None:
                task.wait.task = task
        task.before = self.last.get(task.queue)
        self.last[task.queue] = task
        self.tasks.append(task)
        return task

    def leave_out(self):
        """What did not run, although its turn came, was cancelled; what consists of other tasks is left out."""
        for task in self.tasks:
            if not task.did_not_run:
                continue
            one = Submission(task.start if task.submitted is None else task.submitted, task.thread, task.parent, task.queue, task.site)
            one.end, one.name = task.start, task.name
            self.withdrawn.append(one)
        def is_out(task):
            return task is not None and (task.did_not_run or task.is_of_parts)
        self.tasks = [task for task in self.tasks if not is_out(task)]
        for i, task in enumerate(self.tasks):
            task.number = i
            while is_out(task.before):
                task.before = task.before.before
            while is_out(task.parent):
                task.parent = task.parent.parent

    def close(self):
        """What has not ended by the end of the trace reaches it."""
        self.leave_out()
        self.instants = [one for one in self.instants if one not in self.fired]
        self.shares = [one for one in self.shares if one.end is None or one.ran]  # a member may have come too late
        for one in [*self.tasks, *self.waits, *self.shares, *self.suspensions]:
            if one.end is None:
                one.end, one.is_open = self.finish, True
        taken = [one for waiting in self.granted.values() for one, _ in waiting if one.wait is None or one.wait.is_open]
        self.waiting = sorted([*self.unstarted.values(), *taken], key=lambda one: one.time)

    def running(self, queue):
        """The tasks of the queue that still run."""
        return [task for task in self.tasks if task.is_open and task.queue == queue]

    def share_of(self, track):
        """The iterations that this thread runs at the end of the trace, or None; within them it may run tasks."""
        return next((one for one in reversed(self.open.get(track, [])) if isinstance(one, Share)), None)

    def wait_of(self, track):
        """The wait in which this thread is at the end of the trace, or None."""
        stack = self.open.get(track, [])
        return stack[-1] if stack and isinstance(stack[-1], Wait) else None

    def target(self, wait):
        """What it waits for: "its turn in audit"."""
        label = self.trace.queues.get(wait.queue)
        if label is not None and wait.what == f'wait for {label}':
            return f'{AIMS.get(wait.aim, "")} {label}'.strip()
        return wait.what.removeprefix('wait for ')

    def holders(self, wait):
        """The tasks that it waits for, as far as a trace can know."""
        return [task for task in self.running(wait.queue) if wait.queue and task.thread != wait.thread]
