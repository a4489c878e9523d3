"""serialqueue.py: `sq waits` and `sq queues` in gdb, for a live process or a core file.

    (gdb) source serialqueue.py
    (gdb) sq waits       which thread waits for what, and which threads run that
    (gdb) sq queues      the queues that threads run or wait for, and the suspended ones

It reads the same lists as a dump (sq_dump), and needs the debug information of the library. Nothing runs in the process.
"""
import gdb


def variable(file, name):
    return gdb.parse_and_eval(f"'{file}'::{name}")


def text(pointer):
    return pointer.string(errors='replace') if int(pointer) else ''


def label(queue):
    return text(queue['label'].address.cast(gdb.lookup_type('char').pointer()))


def queue_at(pointer):
    return pointer.cast(gdb.lookup_type('struct sq_queue').pointer()).dereference()


def threads():
    at = variable('thread/self.c', 'listed')
    while int(at):
        yield at.dereference()
        at = at['next']


def frames(thread):
    at = thread['frame']
    while int(at) > 1:
        yield at
        at = at.dereference()['parent']


def function(frame):
    """What the frame runs."""
    address = frame.dereference()['function']
    if frame.dereference()['is_batch']:
        batch = frame.cast(gdb.lookup_type('sq__batch_frame_t').pointer()).dereference()
        address = batch['work']['task']['run']
        if int(batch['kind']) in (int(gdb.parse_and_eval(kind)) for kind in ('SQ__CALL', 'SQ__EITHER')):
            address = batch['work']['waiter']['call'].dereference()['task']['run']
    symbol = gdb.execute(f'info symbol {int(address)}', to_string=True).split(' in section')[0].strip()
    return symbol if not symbol.startswith('No symbol') else hex(int(address))


def name(thread):
    number = int(thread['thread_id'])
    for known in gdb.selected_inferior().threads():
        if known.ptid[1] == number:
            named = f'"{known.name}" ' if known.name else ''  # a core file has no names
            return f'thread {named}({number}, thread {known.num} here)'
    return f'thread {number}'


def holders(owner):
    """The threads that run a task of the queue, with the innermost function of it; of a once, those inside it."""
    for thread in threads():
        for frame in frames(thread):
            if int(frame.dereference()['owner']) == int(owner):
                yield f'{name(thread)} runs {function(frame)}'
                break
        if int(thread['hold']) and int(thread['hold'].dereference()['what']) == int(owner):
            yield f'{name(thread)} is inside its function'


def aim(wait):
    """What a wait is for, in words, and the object."""
    if int(wait['subject']):
        subject = wait['subject'].dereference()
        return f'{text(subject["kind"])} "{text(subject["label"])}"', subject['object']
    words = {'SQ__AIM_TURN': 'its turn in queue', 'SQ__AIM_ROOM': 'room in queue', 'SQ__AIM_END': 'the end of queue'}
    return f'{words.get(str(wait["aim"]), "queue")} "{label(wait["queue"].dereference())}"', wait['queue']


def print_waits():
    count = 0
    for thread in threads():
        if int(thread['wait']):
            what, owner = aim(thread['wait'].dereference())
            print(f'{name(thread)} waits for {what}')
            for holder in holders(owner) if int(owner) else ():
                print(f'    {holder}')
            count += 1
    print(f'{count} threads wait')


def suspended():
    lists = variable('kernel/suspended.c', 'lists')
    for i in range(lists.type.range()[1] + 1):
        at = lists[i]['first']
        while int(at):
            yield at.dereference()['queue']
            at = at.dereference()['next_suspended']


def print_queues():
    seen = {}
    for thread in threads():
        for frame in frames(thread):
            if int(frame.dereference()['owner']):
                seen[int(frame.dereference()['owner'])] = frame.dereference()['owner']
        if int(thread['wait']) and int(thread['wait'].dereference()['queue']):
            seen[int(thread['wait'].dereference()['queue'])] = thread['wait'].dereference()['queue']
    for queue in suspended():
        seen[int(queue)] = queue
    for pointer in seen.values():
        queue = queue_at(pointer)
        count = int(queue['suspensions'])
        print(f'queue "{label(queue)}" at {hex(int(pointer))}: ' + (f'suspended {count} times, ' if count else '')
              + f'{int(queue["ran"])} tasks have begun')
        for holder in holders(pointer):
            print(f'    {holder}')
    print(f'{len(seen)} queues')


class Group(gdb.Command):
    """The queues of libserialqueue: sq waits, sq queues."""

    def __init__(self):
        super().__init__('sq', gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, True)


class Command(gdb.Command):
    def __init__(self, name, call):
        self.__doc__ = call.__doc__
        self.call = call
        super().__init__(name, gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        self.call()


Group()
Command('sq waits', print_waits)
Command('sq queues', print_queues)
