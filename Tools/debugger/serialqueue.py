"""serialqueue.py: `sq waits` and `sq queues` in gdb and lldb, for a live process or a core file.

    (gdb) source serialqueue.py
    (lldb) command script import serialqueue.py

    sq waits [N]   which thread waits for what, and which threads run that; the longest waits first
    sq queues [N]  the queues that threads run or wait for, or that wait for a thread of their pool, and the suspended ones

N is how many lines to print at most, 200 if it is not there. What is alike is one line, and what stands out comes first: as in a dump (sq_dump). A queue's number,
as in "connection" 0x55d0c8a012a0, is the address of its handle, and the same in dumps, stall notifications and reports of deadlocks.
It reads the same lists as a dump (sq_dump), and needs the debug information of the library. Nothing runs in the process. The
commands are written once, on a few functions that each of the two debuggers has: the class Gdb or Lldb, and its Value.
"""
import collections
import functools

try:
    import gdb
except ImportError:
    gdb = None
    import lldb


@functools.lru_cache(maxsize=None)
def type_named(name):
    """A struct's type. Kept for one command: to search for it takes longer than all else that is done for a queue."""
    if gdb:
        return gdb.lookup_type(name)
    found = lldb.debugger.GetSelectedTarget().FindTypes(name.removeprefix('struct '))
    return next(each for each in found if each.GetNumberOfFields() > 0)


@functools.lru_cache(maxsize=None)
def offset_of(name, field):
    """How far a field is behind the beginning of its struct."""
    if gdb:
        return int(gdb.Value(0).cast(type_named(name).pointer())[field].address)
    return next(member.GetOffsetInBytes() for member in type_named(name).fields if member.GetName() == field)


class GdbValue:
    """A variable, a field, or what a pointer points to."""

    def __init__(self, value):
        self.value = value

    def __getitem__(self, key):
        """A field, also through a pointer; an element of an array."""
        return GdbValue(self.value[key])

    def __int__(self):
        return int(self.value)

    def __str__(self):
        """The name of an enumeration's constant."""
        return str(self.value)

    def __len__(self):
        return self.value.type.range()[1] + 1

    def at(self):
        """The address of a field."""
        return int(self.value.address)

    def to(self, type_name):
        """A pointer, as one to this type."""
        return GdbValue(self.value.cast(type_named(type_name).pointer()))

    def around(self, type_name, field, address=None):
        """A pointer to the struct of this type whose field this pointer, or this address, points to."""
        return GdbValue(gdb.Value((address or int(self)) - offset_of(type_name, field)).cast(type_named(type_name).pointer()))

    def nth(self, type_name, number):
        """The element with this number of the array that it points to."""
        return GdbValue(self.to(type_name).value + number)


class Gdb:
    @staticmethod
    def variable(file, name):
        return GdbValue(gdb.parse_and_eval(f"'{file}'::{name}"))

    @staticmethod
    def text(address):
        return gdb.Value(address).cast(gdb.lookup_type('char').pointer()).string(errors='replace')

    @staticmethod
    def constant(name, enumeration=None):
        return int(gdb.parse_and_eval(name))

    @staticmethod
    def function(address):
        symbol = gdb.execute(f'info symbol {address}', to_string=True).split(' in section')[0].strip()
        return symbol if not symbol.startswith('No symbol') else hex(address)

    @staticmethod
    def name(thread):
        try:
            return thread.name
        except UnicodeDecodeError:  # only gdb itself shows it
            return '?'

    @classmethod
    def threads(cls):
        """(the system's number, the debugger's number, the name or None) of each."""
        return [(known.ptid[1], known.num, cls.name(known)) for known in gdb.selected_inferior().threads()]


class LldbValue:
    def __init__(self, value):
        self.value = value

    def __getitem__(self, key):
        if isinstance(key, int):
            return LldbValue(self.value.GetChildAtIndex(key))
        return LldbValue(self.value.GetChildMemberWithName(key))

    def __int__(self):
        if self.value.GetType().IsPointerType() or self.value.GetValue() is not None:
            return self.value.GetValueAsUnsigned()
        error = lldb.SBError()  # an _Atomic one has no value in lldb before 15
        read = {1: 'GetUnsignedInt8', 8: 'GetUnsignedInt64'}.get(self.value.GetByteSize(), 'GetUnsignedInt32')
        return getattr(self.value.GetData(), read)(error, 0)

    def __str__(self):
        return self.value.GetValue() or ''

    def __len__(self):
        return self.value.GetNumChildren()

    def at(self):
        return self.value.GetLoadAddress()

    def to(self, type_name):
        return LldbValue(self.value.Cast(type_named(type_name).GetPointerType()))

    def moved(self, type_name, address):
        target = Lldb.target()
        data = lldb.SBData.CreateDataFromUInt64Array(target.GetByteOrder(), target.GetAddressByteSize(), [address])
        return LldbValue(target.CreateValueFromData('moved', data, type_named(type_name).GetPointerType()))

    def around(self, type_name, field, address=None):
        return self.moved(type_name, (address or int(self)) - offset_of(type_name, field))

    def nth(self, type_name, number):
        return self.moved(type_name, int(self) + number * type_named(type_name).GetByteSize())


class Lldb:
    @staticmethod
    def target():
        return lldb.debugger.GetSelectedTarget()

    @classmethod
    def variable(cls, file, name):
        for found in cls.target().FindGlobalVariables(name, 100):
            if str(found.GetDeclaration().GetFileSpec()).endswith(file):
                return LldbValue(found)
        raise RuntimeError(f'there is no {name} of {file}: the program has no libserialqueue, or no debug information of it')

    @classmethod
    def text(cls, address):
        error = lldb.SBError()
        # Not ReadCStringFromMemory, which fails unless the text is valid UTF-8. Fewer bytes are read if the rest is not mapped.
        data = cls.target().GetProcess().ReadMemory(address, 256, error) or b''
        return data.split(b'\0')[0].decode(errors='replace')

    @classmethod
    def constant(cls, name, enumeration='sq__work_kind'):
        for constant in cls.target().FindFirstType(enumeration).GetEnumMembers():
            if constant.GetName() == name:
                return constant.GetValueAsUnsigned()
        raise RuntimeError(f'there is no {name}')

    @classmethod
    def function(cls, address):
        name = cls.target().ResolveLoadAddress(address).GetSymbol().GetName()
        return name if name else hex(address)

    @classmethod
    def threads(cls):
        return [(known.GetThreadID(), known.GetIndexID(), known.GetName()) for known in cls.target().GetProcess()]


debugger = Gdb if gdb else Lldb

FEW = 4       # so many that are alike are a line each
TOP = 3       # so many stand out as the longest or deepest
LISTED = 10   # and so many as suspended or running
LINES = 200


@functools.lru_cache(maxsize=None)
def constant(name, enumeration='sq__work_kind'):
    return debugger.constant(name, enumeration)


def printable(words):
    """What a terminal would obey is shown as in a dump (sq__make_printable)."""
    return words.translate({code: '?' for code in [*range(0x20), *range(0x7F, 0xA0)]})


def text(pointer):
    return printable(debugger.text(int(pointer))) if int(pointer) else ''


def label(queue):
    return text(queue['label'].at())


def named(queue):
    """A queue by its label and number."""
    return f'queue "{label(queue)}" {hex(int(queue))}'


def threads():
    at = debugger.variable('thread/self.c', 'listed')
    while int(at):
        yield at
        at = at['next']


def frames(thread):
    at = thread['frame']
    while int(at) > 1:
        yield at
        at = at['parent']


def function(frame):
    """What the frame runs."""
    address = frame['function']
    if int(frame['is_batch']):
        batch = frame.to('sq__batch_frame_t')
        address = batch['work']['task']['run']
        if int(batch['kind']) in (constant('SQ__AWAITED'), constant('SQ__RUN_ANYWHERE')):
            address = batch['work']['waiter']['call']['task']['run']
    return debugger.function(int(address))


def name(thread):
    return name_of(int(thread['thread_id']))


def name_of(number):
    for system, own, known in debugger.threads():
        if system == number:
            named = f'"{printable(known)}" ' if known else ''  # a core file has no names
            return f'thread {named}({number}, thread {own} here)'
    return f'thread {number}'


def all_holders():
    """By the number of a queue, or the address of a once: what the threads do that run a task of it, or are inside it."""
    found = collections.defaultdict(list)
    for thread in threads():
        inside = {}
        for frame in frames(thread):  # the innermost one counts
            inside.setdefault(int(frame['owner']), frame)
        for owner, frame in inside.items():
            found[owner].append(functools.partial(lambda thread, frame: f'{name(thread)} runs {function(frame)}', thread, frame))
        if int(thread['duty']):
            found[int(thread['duty']['what'])].append(functools.partial(lambda thread: f'{name(thread)} is inside its function', thread))
    found.pop(0, None)
    return found


def aim(wait):
    """What a wait is for, in words, and the object."""
    if int(wait['subject']):
        subject = wait['subject']
        return f'{text(subject["kind"])} "{text(subject["label"])}"', subject['object']
    words = {'SQ__AIM_TURN': 'its turn in queue', 'SQ__AIM_ROOM': 'room in queue', 'SQ__AIM_END': 'the end of queue',
             'SQ__AIM_TASK': 'a timer of queue'}
    return words.get(str(wait['aim']), 'queue').removesuffix('queue') + named(wait['queue']), wait['queue']


def fold(items, key, stands_out):
    """The items as lines: lists of one item, or of more than FEW that have one key; in the order of the first. What stands out is alone."""
    groups = collections.defaultdict(list)
    of_item = []
    for item in items:
        together = [] if stands_out(item) else groups[key(item)]
        together.append(item)
        of_item.append(together)
    lines = []
    for item, together in zip(items, of_item):
        if len(together) <= FEW:
            lines.append([item])
        elif together[0] is item:
            lines.append(together)
    return lines


def print_lines(lines, most, print_line):
    for line in lines[:most]:
        print_line(line)
    if len(lines) > most:
        print(f'{len(lines) - most} more lines were left out: sq queues N and sq waits N print N')


def print_waits(most=LINES):
    """Which thread waits for what, and which threads run that: sq waits [MOST LINES]"""
    waiting = sorted((thread for thread in threads() if int(thread['wait'])), key=lambda thread: int(thread['wait']['since']))
    held = all_holders()
    causes = {int(queue): cause for queue, cause in ready(of_loops_alone=True)}
    longest = {int(thread) for thread in waiting[:TOP]}

    def key(thread):
        what, owner = aim(thread['wait'])
        return what.replace(hex(int(owner)), ''), int(owner) in held, causes.get(int(owner))

    def print_line(line):
        what, owner = aim(line[0]['wait'])
        print((f'{len(line)} alike, the longest: ' if len(line) > 1 else '') + f'{name(line[0])} waits for {what}')
        print_holders(int(owner), held, causes.get(int(owner)))

    print_lines(fold(waiting, key, lambda thread: int(thread) in longest), most, print_line)
    print(f'{len(waiting)} {"thread waits" if len(waiting) == 1 else "threads wait"}')


def print_holders(number, held, cause):
    """The threads that run it; if there are none, the cause, if it is known."""
    for holder in held.get(number, [lambda: cause] if cause else ()):
        print(f'    {holder()}')


def suspended():
    lists = debugger.variable('observe/suspended_list.c', 'lists')
    for i in range(len(lists)):
        at = lists[i]
        while int(at):
            yield at['queue']
            at = at['next']


def cause_of(pool):
    """Why a queue that is ready in the loop does not run; '': it is no loop."""
    if not int(pool['runner']['kind']['last_owner']):
        return ''
    loop = pool.to('struct sq__loop')
    last, owner = int(loop['last_owner']), loop['owner']
    if int(owner) and not int(owner['has_ended']):
        return f'waits for {name_of(last)}, which owns its loop'
    return 'no thread runs its loop: ' + (f'thread {last} was the last' if last else 'none has yet')


def ready(of_loops_alone=False):
    """The queues that wait for a thread of their pool, and the cause."""
    pool = debugger.variable('runner/runner_list.c', 'pools')
    while int(pool):
        cause, lists = cause_of(pool), []
        if of_loops_alone and not cause:
            pass
        elif int(pool['runner']['kind']['is_threadless']):
            lists = [pool.to('struct sq__hosted')['ready']]
        else:
            shared = pool.to('struct sq_pool')
            shards = [shared['shards'].nth('struct sq__shard', shard) for shard in range(int(shared['count']))]
            lists = [shard['ready'] for shard in shards]
            for entry in (int(shard['slot']) & ~3 for shard in shards):
                if entry:
                    yield pool.around('struct sq_queue', 'ready', entry), cause
        for lines in (ready_list['lines'] for ready_list in lists):
            for i in range(len(lines)):
                at = lines[i]['first']
                while int(at):
                    yield at.around('struct sq_queue', 'ready'), cause
                    at = at['next']
        pool = pool['next']


def extra(queue, owner):
    """The owner's record, or NULL."""
    extras = queue['extras']
    return extras['records'][constant(owner, 'sq__extra')] if int(extras) else extras


def wrapped(difference):
    """The difference of two counts of which the queue has 32 bits."""
    return (difference + 0x80000000) % 0x100000000 - 0x80000000


def depth(queue):
    """How many tasks wait: as sq__depth, but without what a concurrent queue has begun and withdrawn."""
    state = int(queue['state'])
    if state & 0x10:  # SQ__ENDED
        return 0
    slots = len(queue['head']['slots'])
    number, index = divmod(int(queue['position']), 0x100)
    ring = wrapped(int(queue['segments']) - number) * slots + (state >> 48 & 0xFF) - index
    in_handoff = int(queue['handoff_kind']) != constant('SQ__EMPTY')
    shared, tallies = extra(queue, 'SQ__EXTRA_SHARED'), extra(queue, 'SQ__EXTRA_TALLIES')
    joined = int(shared.to('sq__joinable_t')['joined']) if int(shared) else 0
    of_withdrawn = constant('SQ__TALLY_WITHDRAWN', 'sq__tally')
    withdrawn = int(queue['tallies'][of_withdrawn]) + (int(tallies.to('sq__tallies_t')['tallies'][of_withdrawn]) if int(tallies) else 0)
    return max(0, max(0, ring) + in_handoff + wrapped(joined + int(queue['skipped']) - withdrawn))


class Queue:
    """What a line says of a queue."""

    def __init__(self, pointer, cause, is_awaited):
        """`cause`: see ready; None: it is not."""
        queue = pointer.to('struct sq_queue')
        self.number, self.label, self.cause, self.is_awaited = int(pointer), label(queue), cause, is_awaited
        self.suspensions, self.ran, self.depth = int(queue['suspensions']), int(queue['ran']), depth(queue)

    def state(self):
        return (f'suspended {self.suspensions} time{"s" if self.suspensions != 1 else ""}, ' if self.suspensions else '') \
            + ('ready, ' if self.cause is not None else '')


def find_queues():
    """The queues that threads run or wait for, those that wait for a thread of their pool, and the suspended ones, in this order."""
    seen, causes, are_awaited = {}, {}, set()
    for thread in threads():
        for frame in frames(thread):
            if int(frame['owner']):
                seen[int(frame['owner'])] = frame['owner']
        if int(thread['wait']) and int(thread['wait']['queue']):
            seen[int(thread['wait']['queue'])] = thread['wait']['queue']
            are_awaited.add(int(thread['wait']['queue']))
    for queue, cause in ready():
        seen[int(queue)] = queue
        causes[int(queue)] = cause
    for queue in suspended():
        seen[int(queue)] = queue
    return [Queue(pointer, causes.get(number), number in are_awaited) for number, pointer in seen.items()]


def outstanding(queues, held):
    """The numbers of those that are not folded: the deepest, and if they are few, those that are suspended or run."""
    deepest = sorted(queues, key=lambda queue: -queue.depth)
    found = {queue.number for queue in deepest[:TOP] if queue.depth > (deepest[TOP].depth if len(deepest) > TOP else 0)}
    for few in ([queue.number for queue in queues if queue.suspensions], [queue.number for queue in queues if queue.number in held],
                [queue.number for queue in queues if queue.is_awaited]):
        found.update(few if len(few) <= LISTED else ())
    return found


def print_queue_line(line, held):
    queue = line[0]
    if len(line) == 1:
        print(f'queue "{queue.label}" {hex(queue.number)}: {queue.state()}{queue.ran} tasks have begun, {queue.depth} wait')
        print_holders(queue.number, held, queue.cause)
        return
    depths = [each.depth for each in line]
    waiting = f'{depths[0]} wait in each' if min(depths) == max(depths) else f'{min(depths)} to {max(depths)} wait, {sum(depths)} in all'
    deepest = max(line, key=lambda each: each.depth)
    print(f'queue "{queue.label}" x {len(line)}: {queue.state()}{waiting}; the deepest: {hex(deepest.number)}; the first: {hex(queue.number)}')
    if queue.cause and queue.number not in held:
        print(f'    {queue.cause}')


def print_queues(most=LINES):
    """The queues that threads run or wait for, or that wait for a thread of their pool, and the suspended ones: sq queues [MOST LINES]"""
    held = all_holders()
    queues = find_queues()
    alone = outstanding(queues, held)
    lines = fold(queues, lambda queue: (queue.label, queue.state(), queue.cause, queue.number in held, queue.is_awaited), lambda queue: queue.number in alone)
    if len(lines) < len(queues):
        lines.sort(key=lambda line: (line[0].number not in alone, -max(queue.depth for queue in line)))
    print_lines(lines, most, lambda line: print_queue_line(line, held))
    print(f'{len(queues)} queues')


COMMANDS = {'waits': print_waits, 'queues': print_queues}


def call(command, argument):
    """Runs a command with the rest of its line. False: there is no such command, or that is no number."""
    if command not in COMMANDS or not (argument == '' or argument.isdigit()):
        return False
    for known in (constant, type_named, offset_of):
        known.cache_clear()  # the program may be another one by now
    COMMANDS[command](int(argument) if argument else LINES)
    return True


def add_to_gdb():
    class Group(gdb.Command):
        """The queues of libserialqueue: sq waits, sq queues."""

        def __init__(self):
            super().__init__('sq', gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, True)

    class Command(gdb.Command):
        def __init__(self, command):
            self.__doc__ = COMMANDS[command].__doc__
            self.command = command
            super().__init__(f'sq {command}', gdb.COMMAND_STATUS)

        def invoke(self, argument, from_tty):
            if not call(self.command, argument.strip()):
                raise gdb.GdbError(f'sq {self.command}, or sq {self.command} N for N lines')

    Group()
    for command in COMMANDS:
        Command(command)


def sq(debugger_of_lldb, command, result, internal):
    """The queues of libserialqueue: sq waits, sq queues."""
    lldb.debugger = debugger_of_lldb
    command, _, argument = command.strip().partition(' ')
    if not call(command, argument.strip()):
        result.SetError('sq waits, or sq queues; a number behind it is how many lines to print')


def __lldb_init_module(debugger_of_lldb, internal):
    debugger_of_lldb.HandleCommand(f'command script add -f {__name__}.sq sq')


if gdb:
    add_to_gdb()
