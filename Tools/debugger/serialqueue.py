"""serialqueue.py: `sq waits` and `sq queues` in gdb and lldb, for a live process or a core file.

    (gdb) source serialqueue.py
    (lldb) command script import serialqueue.py

    sq waits       which thread waits for what, and which threads run that
    sq queues      the queues that threads run or wait for, or that wait for a thread of their pool, and the suspended ones

It reads the same lists as a dump (sq_dump), and needs the debug information of the library. Nothing runs in the process. The
commands are written once, on a few functions that each of the two debuggers has: the class Gdb or Lldb, and its Value.
"""
try:
    import gdb
except ImportError:
    gdb = None
    import lldb


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
        return GdbValue(self.value.cast(gdb.lookup_type(type_name).pointer()))

    def around(self, type_name, field, address=None):
        """A pointer to the struct of this type whose field this pointer, or this address, points to."""
        pointer = gdb.lookup_type(type_name).pointer()
        offset = int(gdb.Value(0).cast(pointer)[field].address)
        return GdbValue(gdb.Value((address or int(self)) - offset).cast(pointer))

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
    def threads():
        """(the system's number, the debugger's number, the name or None) of each."""
        return [(known.ptid[1], known.num, known.name) for known in gdb.selected_inferior().threads()]


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
        return self.value.GetData().GetUnsignedInt64(error, 0) if self.value.GetByteSize() == 8 else self.value.GetData().GetUnsignedInt32(error, 0)

    def __str__(self):
        return self.value.GetValue() or ''

    def __len__(self):
        return self.value.GetNumChildren()

    def at(self):
        return self.value.GetLoadAddress()

    def to(self, type_name):
        found = Lldb.target().FindTypes(type_name.removeprefix('struct '))
        complete = next(each for each in found if each.GetNumberOfFields() > 0)
        return LldbValue(self.value.Cast(complete.GetPointerType()))

    def moved(self, type_name, address):
        target = Lldb.target()
        data = lldb.SBData.CreateDataFromUInt64Array(target.GetByteOrder(), target.GetAddressByteSize(), [address])
        return LldbValue(target.CreateValueFromData('moved', data, self.to(type_name).value.GetType()))

    def around(self, type_name, field, address=None):
        return self.moved(type_name, (address or int(self)) - (self.to(type_name)[field].at() - int(self)))

    def nth(self, type_name, number):
        size = self.to(type_name).value.GetType().GetPointeeType().GetByteSize()
        return self.moved(type_name, int(self) + number * size)


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
        return cls.target().GetProcess().ReadCStringFromMemory(address, 256, error) or ''

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


def printable(words):
    """What a terminal would obey is shown as in a dump (sq__make_printable)."""
    return words.translate({code: '?' for code in [*range(0x20), *range(0x7F, 0xA0)]})


def text(pointer):
    return printable(debugger.text(int(pointer))) if int(pointer) else ''


def label(queue):
    return text(queue['label'].at())


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
        if int(batch['kind']) in (debugger.constant('SQ__AWAITED'), debugger.constant('SQ__RUN_ANYWHERE')):
            address = batch['work']['waiter']['call']['task']['run']
    return debugger.function(int(address))


def name(thread):
    number = int(thread['thread_id'])
    for system, own, known in debugger.threads():
        if system == number:
            named = f'"{printable(known)}" ' if known else ''  # a core file has no names
            return f'thread {named}({number}, thread {own} here)'
    return f'thread {number}'


def holders(owner):
    """The threads that run a task of the queue, with the innermost function of it; of a once, those inside it."""
    for thread in threads():
        for frame in frames(thread):
            if int(frame['owner']) == int(owner):
                yield f'{name(thread)} runs {function(frame)}'
                break
        if int(thread['duty']) and int(thread['duty']['what']) == int(owner):
            yield f'{name(thread)} is inside its function'


def aim(wait):
    """What a wait is for, in words, and the object."""
    if int(wait['subject']):
        subject = wait['subject']
        return f'{text(subject["kind"])} "{text(subject["label"])}"', subject['object']
    words = {'SQ__AIM_TURN': 'its turn in queue', 'SQ__AIM_ROOM': 'room in queue', 'SQ__AIM_END': 'the end of queue',
             'SQ__AIM_TASK': 'a timer of queue'}
    return f'{words.get(str(wait["aim"]), "queue")} "{label(wait["queue"])}"', wait['queue']


def print_waits():
    """Which thread waits for what, and which threads run that."""
    count = 0
    for thread in threads():
        if int(thread['wait']):
            what, owner = aim(thread['wait'])
            print(f'{name(thread)} waits for {what}')
            for holder in holders(owner) if int(owner) else ():
                print(f'    {holder}')
            count += 1
    print(f'{count} {"thread waits" if count == 1 else "threads wait"}')


def suspended():
    lists = debugger.variable('observe/suspended_list.c', 'lists')
    for i in range(len(lists)):
        at = lists[i]
        while int(at):
            yield at['queue']
            at = at['next']


def ready():
    """The queues that wait for a thread of their pool."""
    pool = debugger.variable('runner/runner_list.c', 'pools')
    while int(pool):
        if int(pool['runner']['kind']['is_threadless']):
            lists = [pool.to('struct sq__hosted')['ready']]
        else:
            shared = pool.to('struct sq_pool')
            shards = [shared['shards'].nth('struct sq__shard', shard) for shard in range(int(shared['count']))]
            lists = [shard['ready'] for shard in shards]
            for entry in (int(shard['slot']) & ~3 for shard in shards):
                if entry:
                    yield pool.around('struct sq_queue', 'ready', entry)
        for lines in (ready_list['lines'] for ready_list in lists):
            for i in range(len(lines)):
                at = lines[i]['first']
                while int(at):
                    yield at.around('struct sq_queue', 'ready')
                    at = at['next']
        pool = pool['next']


def extra(queue, owner):
    """The owner's record, or NULL."""
    extras = queue['extras']
    return extras['records'][debugger.constant(owner, 'sq__extra')] if int(extras) else extras


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
    in_handoff = int(queue['handoff_kind']) != debugger.constant('SQ__EMPTY')
    shared, tallies = extra(queue, 'SQ__EXTRA_SHARED'), extra(queue, 'SQ__EXTRA_TALLIES')
    joined = int(shared.to('sq__joinable_t')['joined']) if int(shared) else 0
    of_withdrawn = debugger.constant('SQ__TALLY_WITHDRAWN', 'sq__tally')
    withdrawn = int(queue['tallies'][of_withdrawn]) + (int(tallies.to('sq__tallies_t')['tallies'][of_withdrawn]) if int(tallies) else 0)
    return max(0, max(0, ring) + in_handoff + wrapped(joined + int(queue['skipped']) - withdrawn))


def print_queues():
    """The queues that threads run or wait for, those that wait for a thread of their pool, and the suspended ones."""
    seen = {}
    for thread in threads():
        for frame in frames(thread):
            if int(frame['owner']):
                seen[int(frame['owner'])] = frame['owner']
        if int(thread['wait']) and int(thread['wait']['queue']):
            seen[int(thread['wait']['queue'])] = thread['wait']['queue']
    for queue in ready():
        seen[int(queue)] = queue
    for queue in suspended():
        seen[int(queue)] = queue
    for pointer in seen.values():
        queue = pointer.to('struct sq_queue')
        count = int(queue['suspensions'])
        print(f'queue "{label(queue)}" at {hex(int(pointer))}: ' + (f'suspended {count} time{"s" if count != 1 else ""}, ' if count else '')
              + f'{int(queue["ran"])} tasks have begun, {depth(queue)} wait')
        for holder in holders(pointer):
            print(f'    {holder}')
    print(f'{len(seen)} queues')


COMMANDS = {'waits': print_waits, 'queues': print_queues}


def add_to_gdb():
    class Group(gdb.Command):
        """The queues of libserialqueue: sq waits, sq queues."""

        def __init__(self):
            super().__init__('sq', gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, True)

    class Command(gdb.Command):
        def __init__(self, name, call):
            self.__doc__ = call.__doc__
            self.call = call
            super().__init__(f'sq {name}', gdb.COMMAND_STATUS)

        def invoke(self, argument, from_tty):
            self.call()

    Group()
    for name, call in COMMANDS.items():
        Command(name, call)


def sq(debugger_of_lldb, command, result, internal):
    """The queues of libserialqueue: sq waits, sq queues."""
    call = COMMANDS.get(command.strip())
    if call is None:
        result.SetError('sq waits, or sq queues')
        return
    lldb.debugger = debugger_of_lldb
    call()


def __lldb_init_module(debugger_of_lldb, internal):
    debugger_of_lldb.HandleCommand(f'command script add -f {__name__}.sq sq')


if gdb:
    add_to_gdb()
