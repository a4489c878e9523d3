"""ending.py: what was unfinished when the trace ended, as a tree: below each task stands what waits for it."""
import collections

from sqtrace.model import PLACE, Share, Task, Wait
from sqtrace.stats import commonest, duration

MOST_LINES = 60
FEW = 4  # so many queues that are alike are a line each


class Tree:
    """Lines: [(depth, text, task, wait)]; `task` and `wait` are what a line is about, or None."""

    def __init__(self, model):
        self.model, self.lines, self.seen = model, [], set()
        self.submitted = collections.defaultdict(list)  # by queue: what waits in it, except threads, which have a line of their own
        for one in model.waiting:
            if not one.is_thread and not model.dropped:  # what started them may be among what was dropped
                self.submitted[one.queue].append(one)
        unfinished = [[one for one in every if one.is_open] for every in (model.waits, model.tasks, model.shares)]
        self.waits, tasks, shares = ([one for one in every if self.is_known(one)] for every in unfinished)
        self.doubtful = sum(map(len, unfinished)) - len(self.waits) - len(tasks) - len(shares)
        tasks.sort(key=lambda task: task.start)
        for task in tasks:
            if not self.is_held(task.thread):
                self.task(0, task)
        for share in shares:
            if not any(isinstance(one, (Task, Wait)) for one in model.open[share.thread]):
                self.share(share)
        if model.dropped:  # what started or resumed them may be among that
            self.doubtful += len(model.suspended) + sum(one.count for one in model.waiting if not one.is_thread)
        else:
            self.fold([queue for queue, _ in model.suspended], self.suspended, self.all_suspended, dict(model.suspended))
        for wait in self.waits:
            if not self.model.holders(wait):
                self.wait(0, wait)
        for one in [*tasks, *self.waits]:  # what is left waits in a circle
            if id(one) not in self.seen:
                (self.task if isinstance(one, Task) else self.wait)(0, one)
        self.fold([queue for queue in sorted(self.submitted, key=model.queue_id) if queue not in self.seen], self.queued, self.all_queued)
        if self.doubtful:
            many = '1 task or wait is' if self.doubtful == 1 else f'{self.doubtful:,} tasks and waits are'
            self.lines.append((0, f'{many} left out: their end may be among the events that were dropped', None, None))
        if len(self.lines) > MOST_LINES:
            self.lines[MOST_LINES:] = [(0, f'and {len(self.lines) - MOST_LINES} more', None, None)]

    def is_known(self, one):
        """False: its end may be among the events that its thread dropped."""
        return all(thread != one.thread for thread, *_ in self.model.dropped)

    def is_held(self, track):
        wait = self.model.wait_of(track)
        return wait is not None and self.is_known(wait) and bool(self.model.holders(wait))

    def so_far(self, one):
        return duration(self.model.finish - one.start)

    def add(self, depth, text, one):
        self.seen.add(id(one))
        self.lines.append((depth, text, one if isinstance(one, Task) else None, one if isinstance(one, Wait) else None))

    def task(self, depth, task):
        """A task that still runs, and all that waits for it."""
        if id(task) in self.seen:
            return
        model, wait = self.model, self.model.wait_of(task.thread)
        text = f'{model.queue_name(task.queue)}: {name(task)} still running, {self.so_far(task)}, on {model.thread_label(task.thread)}'
        if wait is None:
            text += self.where(task)
        elif depth == 0:
            text += f'; waits for {wait.target}, {self.so_far(wait)}'
            self.seen.add(id(wait))
        self.add(depth, text, task)
        self.waiting_for(depth + 1, task)

    def where(self, one):
        innermost = self.model.open[one.thread][-1]
        iteration = f'; it runs an iteration of {innermost.name}' if isinstance(innermost, Share) and innermost is not one else ''
        if innermost is not one and not iteration:
            return ''
        return f'{iteration}; its thread is in no call of this library (a lock, or a read?): look at its stack, gdb -p {self.model.process}'

    def share(self, share):
        """Iterations that still run. A task on that thread, or a thread that waits for the apply, has a line of its own."""
        label = self.model.thread_label(share.thread)
        self.add(0, f'apply of {share.name} still running, {self.so_far(share)}, on {label}{self.where(share)}', share)

    def waiting_for(self, depth, task):
        for wait in self.waits:
            if task in self.model.holders(wait):
                self.wait(depth, wait)
        self.queued(depth, task.queue)

    def wait(self, depth, wait):
        """A thread that waits, and all that waits for its task."""
        if id(wait) in self.seen:
            return
        model = self.model
        inside = next((one for one in reversed(model.open.get(wait.thread, [])) if isinstance(one, Task)), None)
        who = f'{model.queue_name(inside.queue)}: {name(inside)}, on ' if inside is not None else ''
        text = f'{who}{model.thread_label(wait.thread)} waits for {wait.target}, {self.so_far(wait)}{wait.site and ", at " + wait.site}'
        self.add(depth, text, wait)
        for one in model.open.get(wait.thread, []):
            if isinstance(one, Task) and id(one) not in self.seen:
                self.seen.add(id(one))
                self.waiting_for(depth + 1, one)

    def fold(self, queues, show, show_all, *more):
        """A line for each of these, or one for all that have a label, if these are many."""
        by_label = collections.defaultdict(list)
        for queue in queues:
            by_label[self.model.queue_label(queue)].append(queue)
        for label, alike in by_label.items():
            if len(alike) > FEW:
                self.lines.append((0, f'{label} × {len(alike):,}: {show_all(alike, *more)}', None, None))
            else:
                for queue in alike:
                    show(0, queue, *more)

    def suspended(self, depth, queue, since):
        self.lines.append((depth, f'{self.model.queue_name(queue)}: suspended, {duration(self.model.finish - since[queue])}', None, None))
        for wait in self.waits:
            if wait.queue == queue:
                self.wait(depth + 1, wait)
        self.queued(depth + 1, queue)

    def all_suspended(self, queues, since):
        self.seen.update(queues)
        first = min(queues, key=since.get)
        count = sum(one.count for queue in queues for one in self.submitted.get(queue, ()))
        return f'suspended, {self.model.numbers[first]} for {duration(self.model.finish - since[first])}; {count:,} tasks wait in them'

    def queued(self, depth, queue):
        """The tasks that wait in this queue."""
        waiting = self.submitted.get(queue)
        if not waiting or queue in self.seen:
            return
        self.seen.add(queue)
        count = sum(one.count for one in waiting)
        tasks = 'a task waits' if count == 1 else f'{count:,} tasks wait'
        self.lines.append((depth, f'{self.model.queue_name(queue)}: {tasks}, {self.oldest(waiting)}', None, None))

    def all_queued(self, queues):
        waiting = [one for queue in queues for one in self.submitted[queue]]
        first = min(waiting, key=lambda one: one.oldest)
        return f'{sum(one.count for one in waiting):,} tasks wait, {self.oldest(waiting)}, in {self.model.numbers[first.queue]}'

    def oldest(self, waiting):
        site = commonest((one.site, one.count) for one in waiting)
        return f'the oldest {duration(self.model.finish - min(one.oldest for one in waiting))}' + (f', submitted at {site}' if site else '')


def refused(model):
    """Lines as in a Tree: the deadlocks that were refused, each with the cycle."""
    lines, doubtful = [], {thread for thread, *_ in model.dropped}
    for refusal in model.refusals:
        for depth, (wait, queue, origin) in enumerate(refusal.steps):
            if depth and wait.thread in doubtful:
                break  # it may have waited for something else by then
            who = f'{model.queue_name(queue)}: {name(origin)}, on ' if origin is not None else ''
            at = wait.site and f', at {wait.site}'
            text = f'{who}{model.thread_label(wait.thread)} ' + (
                f'waited for {wait.target}{at}' if depth else
                f'would have waited forever for {wait.target}{at}; refused {duration(wait.end - model.begin)} after the beginning')
            lines.append((min(depth, 1), text, None, wait))
    if model.refused > len(model.refusals):
        lines.append((0, f'and {model.refused - len(model.refusals):,} more', None, None))
    return lines


def refused_headline(model):
    """'' if there was none."""
    many = 'a wait was' if model.refused == 1 else f'{model.refused:,} waits were'
    return f'Deadlock: {many} refused' if model.refused else ''


def name(task):
    """With a place in a source: its own, or where it was submitted."""
    return f'{task.name} (from {task.site})' if task.name and PLACE.fullmatch(task.site) and '(' not in task.name else task.name or 'task'


def lines(model):
    return Tree(model).lines


def headline(model):
    """How the trace ends."""
    length = duration(model.finish - model.begin)
    if model.has_end:
        return f'when the trace was written, after {length}'
    return f'when the file ends, after {length}: the process was killed, or still runs. No later time is known'
