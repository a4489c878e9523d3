"""What a process's queues, pools and threads do now: the walk of a dump (inspect/dump_view.h), from outside.

The process runs meanwhile, so that what is read may not belong together. Each value is checked, each walk is bounded, and what cannot be is left out:
the next look shows it.
"""
import dataclasses
import sys
import time

from .functions import Functions
from .memory import Unreadable, printable

MOST_THREADS, MOST_FRAMES, MOST_POOLS, MOST_QUEUES, MOST_SHARDS = 1 << 17, 64, 10000, 1 << 20, 64
MOST_STRIPES, MOST_TRIES, MOST_DEPTH, LABEL = 128, 3, 1 << 40, 64


@dataclasses.dataclass
class Queue:
    number: int
    label: str = ''
    ran: int = 0
    depth: int = 0
    suspensions: int = 0
    is_concurrent: bool = False
    is_ready: bool = False
    began: int = 0    # when the running task began, if that is recorded; else 0
    waits: list = dataclasses.field(default_factory=list)    # (since, ran when it began) of each thread that waits for it
    holders: list = dataclasses.field(default_factory=list)  # the threads that run it


@dataclasses.dataclass
class Thread:
    number: int
    waits_for: str = ''  # in words
    functions: dict = dataclasses.field(default_factory=dict)  # by the number of a queue: the address of what it runs there; 0: not known


@dataclasses.dataclass
class Pool:
    label: str
    kind: str
    ready: int
    threads: int = 0
    idle: int = 0
    blocked: int = 0
    permits: int = 0
    most: int = 0
    owner: str = ''  # of a loop, in words


class Walk:
    """One look at the process."""

    def __init__(self, memory, layouts):
        self.memory = memory
        self.queues, self.pools, self.threads, self.missed = {}, [], {}, 0
        memory.forget()
        self.when = time.clock_gettime_ns(time.CLOCK_MONOTONIC)  # the library's clock
        for layout in layouts:
            one = OfLibrary(self, layout)
            for part in (one.walk_threads, one.walk_pools, one.walk_suspended):
                try:
                    part()
                except Unreadable:
                    pass

    def state_of(self, number):
        """'R' runs, 'S' sleeps, ...; '?' if the thread has ended."""
        try:
            with open(f'/proc/{self.memory.pid}/task/{number}/stat', errors='replace') as file:
                return file.read().rsplit(')', 1)[1].split()[0]
        except (OSError, IndexError):
            return '?'

    def function_of(self, thread, queue):
        """The name of what the thread runs in the queue; '': it has none that people know, or is not known."""
        address = thread.functions.get(queue.number)
        name = printable(self.memory.symbols.name(address).encode()) if address else ''
        return '' if name.startswith(('$s', '_Z')) else name

    def name_of(self, number):
        try:
            with open(f'/proc/{self.memory.pid}/task/{number}/comm', 'rb') as file:
                return printable(file.read().rstrip(b'\n'))
        except OSError:
            return '?'


class OfLibrary:
    """The part of a walk through one copy of the library."""

    def __init__(self, walk, layout):
        self.found, self.memory, self.layout = walk, walk.memory, layout
        self.spans = {name: (layout[f'sq_queue_t.{name}'], layout[f'sq_queue_t.{name}'] + layout.sizes[f'sq_queue_t.{name}'])
                      for name in ('position', 'ran', 'extras', 'control', 'state', 'segments', 'skipped', 'suspensions', 'handoff_kind')}
        self.withdrawn = layout['sq_queue_t.tallies'] + 4 * layout['SQ__TALLY_WITHDRAWN']

    def field(self, record, name):
        return self.memory.number(record + self.layout[name], self.layout.sizes[name])

    # Queues

    def queue(self, number):
        """The queue with this number, read once in a walk. Raises Unreadable: there is none now."""
        queue = self.found.queues.get(number)
        if queue is None:
            if number % 16 or not number or len(self.found.queues) >= MOST_QUEUES:
                raise Unreadable
            queue = self.found.queues[number] = self.read_queue(number)
        return queue

    def read_queue(self, number):
        layout, memory = self.layout, self.memory
        at_label = layout['sq_queue_t.label']
        try:
            data = memory.read(number, at_label + LABEL)
            label = data[at_label:]
        except Unreadable:  # the label ends before the page does
            data = memory.read(number, at_label)
            label = memory.read(number + at_label, 4096 - (number + at_label) % 4096)
        value = {name: int.from_bytes(data[start:end], sys.byteorder) for name, (start, end) in self.spans.items()}
        queue = Queue(number, printable(label[:LABEL - 1]), value['ran'])
        queue.suspensions = value['suspensions']
        queue.is_concurrent = bool(value['control'] & layout['SQ__CONCURRENT'])
        joined, withdrawn, skipped = 0, int.from_bytes(data[self.withdrawn:self.withdrawn + 4], sys.byteorder), value['skipped']
        if value['extras']:
            joined, more = self.read_extras(value, queue)
            withdrawn += more
        if queue.is_concurrent:
            not_run, entered = self.read_concurrent(number - layout['sq__concurrent_t'])
            queue.ran += entered - not_run
            skipped += not_run
        queue.depth = 0 if value['state'] & layout['SQ__ENDED'] else self.depth(value, joined + skipped - withdrawn)
        return queue

    def depth(self, value, more):
        """As sq__depth."""
        slots = self.layout['SQ__SEGMENT_SLOTS']
        segment, index = (value['position'] & ~(1 << 63)) >> 8, value['position'] & 0xFF
        taken = value['state'] >> 48 & 0xFF
        if index > slots or taken > slots:
            raise Unreadable
        ring = wrapped(value['segments'] - segment) * slots + taken - index
        depth = max(0, ring) + (value['handoff_kind'] != self.layout['SQ__EMPTY']) + wrapped(more)
        if depth > MOST_DEPTH:
            raise Unreadable
        return max(0, depth)

    def read_extras(self, value, queue):
        """(threads that joined a slot, tasks that were withdrawn, of the rest of that count)."""
        def record(owner):
            return self.memory.number(value['extras'] + self.layout['sq__extras_t.records'] + 8 * self.layout[owner])
        shared, tallies, watch = record('SQ__EXTRA_SHARED'), record('SQ__EXTRA_TALLIES'), record('SQ__EXTRA_WATCH')
        if watch and value['control'] & self.layout['SQ__WATCHED']:
            began = self.field(watch, 'sq__watch_note_t.began')
            queue.began = began if began <= self.found.when else 0
        return (self.field(shared, 'sq__joinable_t.joined') if shared else 0,
                self.memory.number(tallies + self.layout['sq__tallies_t.tallies'] + 8 * self.layout['SQ__TALLY_WITHDRAWN']) if tallies else 0)

    def read_concurrent(self, at):
        """(tasks that were counted and did not run, tasks that have entered): as sq__depth_ran."""
        entered = self.field(at, 'sq__concurrent_t.entered') + self.field(at, 'sq__concurrent_t.gate') % (1 << 42) // (1 << 9)
        stripes = self.field(at, 'sq__concurrent_t.stripes')
        if stripes:
            mask = self.field(stripes, 'sq__stripes_t.mask')
            if mask >= MOST_STRIPES:
                raise Unreadable
            first = stripes + self.layout['sq__stripes_t.stripe']
            entered += sum(self.memory.number(first + i * self.layout['sq__stripe_t']) >> 21 for i in range(mask + 1))
        return self.field(at, 'sq__concurrent_t.not_run'), entered

    # Threads

    def walk_threads(self):
        self.functions = Functions(self.memory, self.layout)
        at = self.memory.number(self.layout.list('threads'))
        for _ in range(MOST_THREADS):
            if not at:
                break
            try:
                self.read_thread(at)
            except Unreadable:
                pass  # the thread has ended, or runs
            at = self.field(at, 'sq__self_t.next')

    def read_thread(self, at):
        first, waits = self.field(at, 'sq__self_t.frame'), self.field(at, 'sq__self_t.wait')
        owners, functions, frame = {}, {}, first
        for _ in range(MOST_FRAMES):
            if frame <= 1:
                break
            owner = self.field(frame, 'sq__frame_t.owner')
            if owner and owner not in owners:
                owners[owner] = self.field(frame, 'sq__reader_t.began') if self.field(frame, 'sq__frame_t.is_reader') & 1 else 0
                functions[owner] = self.functions.of(frame)
            frame = self.field(frame, 'sq__frame_t.parent')
        thread = Thread(self.field(at, 'sq__self_t.thread_id'), functions=functions)
        wait = self.read_wait(waits, thread) if waits else None
        for offset, value in (('frame', first), ('wait', waits)):  # else the parts do not belong together
            if int.from_bytes(self.memory.read_now(at + self.layout[f'sq__self_t.{offset}'], 8), sys.byteorder) != value:
                raise Unreadable
        self.found.threads[thread.number] = thread
        for owner, began in owners.items():
            queue = self.queue(owner)
            queue.holders.append(thread)
            if 0 < began <= self.found.when:
                queue.began = min(queue.began or began, began)
        if wait and wait[0]:
            self.queue(wait[0]).waits.append(wait[1:])

    def read_wait(self, at, thread):
        """(the queue or 0, since when, how many tasks of it had begun)."""
        queue, subject = self.field(at, 'sq__wait_t.queue'), self.field(at, 'sq__wait_t.subject')
        since = self.field(at, 'sq__wait_t.since')
        if subject:
            label = self.memory.text(self.field(subject, 'sq__subject_t.label'))
            thread.waits_for = f'{self.memory.text(self.field(subject, "sq__subject_t.kind"), 16)} "{label}"'
            queue = 0
        elif queue:
            thread.waits_for = f'queue "{self.queue(queue).label}" {hex(queue)}'
        return (queue, since, self.field(at, 'sq__wait_t.ran')) if 0 < since <= self.found.when else None

    # Pools, and what waits for their threads

    def walk_pools(self):
        at = self.memory.number(self.layout.list('pools'))
        for _ in range(MOST_POOLS):
            if not at:
                break
            try:
                self.read_pool(at)
            except Unreadable:
                pass
            at = self.field(at, 'sq__pool_listed_t.next')

    def read_pool(self, at):
        label = self.memory.text(self.field(at, 'sq__pool_listed_t.label'))
        if self.field(self.field(at, 'sq__pool_listed_t.runner.kind'), 'sq__runner_kind_t.is_threadless'):
            pool = Pool(label, 'loop', self.field(at, 'sq__hosted_t.waiting'), owner=self.read_owner(at))
            self.found.pools.append(pool)
            self.walk_ready(at + self.layout['sq__hosted_t.ready'], pool.ready)
            return
        shards, count = self.field(at, 'sq__pool_t.shards'), self.field(at, 'sq__pool_t.count')
        if count > MOST_SHARDS:
            raise Unreadable
        pool = Pool(label, 'pool', 0, most=self.field(at, 'sq__pool_t.most'))
        self.found.pools.append(pool)
        for i in range(count):
            self.read_shard(shards + i * self.layout['sq__shard_t'], pool)

    def read_owner(self, at):
        """The thread that runs the loop; '': it is a manual pool."""
        if not self.field(self.field(at, 'sq__pool_listed_t.runner.kind'), 'sq__runner_kind_t.last_owner'):
            return ''
        last, owner = self.field(at, 'loop_t.last_owner'), self.field(at, 'loop_t.owner')
        if owner and not self.field(owner, 'sq__owner_t.has_ended') & 1:
            return f'thread {self.found.name_of(last)} ({last})'
        return f'no owner, the last: {last}' if last else 'no owner yet'

    def read_shard(self, at, pool):
        waiting = self.field(at, 'sq__shard_t.waiting')
        pool.ready += waiting
        pool.threads += self.field(at, 'sq__shard_t.workers')
        pool.idle += self.field(at, 'sq__shard_t.idle_workers')
        pool.permits += self.field(at, 'sq__shard_t.permits')
        worker = self.field(at, 'sq__shard_t.all')
        for _ in range(MOST_THREADS):
            if not worker:
                break
            number = self.field(worker, 'sq__pool_worker_t.thread_id')
            if self.field(worker, 'sq__pool_worker_t.is_working') & 1 and self.found.state_of(number) in 'SD':
                pool.blocked += 1
            worker = self.field(worker, 'sq__pool_worker_t.next')
        slot = self.field(at, 'sq__shard_t.slot')
        if slot > self.layout['SQ__SLOT_LEVEL']:
            self.add_ready(slot & ~self.layout['SQ__SLOT_LEVEL'])
        self.walk_ready(at + self.layout['sq__shard_t.ready'], waiting)

    def walk_ready(self, lists, waiting):
        """Adds the queues of a list that has about so many. It is first followed as fast as that goes: what is taken meanwhile leads to its end."""
        found = {}
        for _ in range(MOST_TRIES):
            self.memory.forget()
            for level in range(self.layout['SQ__LEVEL_LOW'] + 1):  # the others have no queues
                line = lists + self.layout['sq__ready_list_t.lines'] + level * self.layout['sq__ready_level_t']
                try:
                    self.follow(self.field(line, 'sq__ready_level_t.first'), found)
                except Unreadable:
                    pass
            if len(found) >= waiting * 0.99:
                break
        self.found.missed += max(0, waiting - len(found))
        for entry in found:
            try:
                self.add_ready(entry)
            except Unreadable:
                pass

    def follow(self, entry, found):
        seen, next_at = set(), self.layout['sq__ready_t.next']
        while entry and len(seen) < MOST_QUEUES:
            seen.add(entry)
            following = self.memory.number(entry + next_at)
            if not following or following in seen:  # or was it so only when its page was read?
                following = int.from_bytes(self.memory.read_now(entry + next_at, 8), sys.byteorder)
            found[entry] = True
            entry = following if following not in seen else 0

    def add_ready(self, entry):
        self.queue(entry - self.layout['sq_queue_t.ready']).is_ready = True

    def walk_suspended(self):
        lists = self.layout.list('suspended')
        for i in range(self.layout['SQ__LOCKS']):
            at = self.memory.number(lists + 8 * i)
            for _ in range(MOST_QUEUES):
                if not at:
                    break
                try:
                    self.queue(self.field(at, 'suspended_t.queue'))
                    at = self.field(at, 'suspended_t.next')
                except Unreadable:
                    break


def wrapped(difference):
    """The difference of two counts of which the queue has 32 bits."""
    return (difference + 0x80000000) % 0x100000000 - 0x80000000
