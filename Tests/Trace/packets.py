"""packets.py: the packets of a trace file, as far as SerialQueue writes them: for checks of what the recorder wrote, and to write traces.

A reader of its own, and not that of sq-trace: a field that both misread would look right."""
import collections

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4  # TrackEvent.Type
THREADS, QUEUES, POOLS = 1 << 32, 2 << 32, 3 << 32  # tracks: above the number of the thread, queue or pool


# The notes of an event that are texts; all others are numbers.
TEXT_NOTES = {'function', 'context', 'site', 'label', 'outcome'}
# What a terminal would obey is shown as in a dump (sq__make_printable), in the library's labels as in the names of code.
PRINTABLE = {code: '?' for code in [*range(0x20), *range(0x7F, 0xA0)]}


class NotATrace(Exception):
    pass


def damaged(at):
    return NotATrace(f'it is no trace of SerialQueue{f", or damaged at byte {at}" if at else ""}')


class Cut(Exception):
    """The field ends beyond what it is a part of."""


Event = collections.namedtuple('Event', 'time type track category name notes flows last_flows count')


class Trace:
    def __init__(self):
        self.process = 0
        self.last_clock = 0  # the last time at which the process was known to live
        self.is_cut = False
        self.threads = {}  # track: (number, name)
        self.queues = {}   # number: label
        self.counters = {} # track: name
        self.events = []   # by time; of one thread in its order


def fields(data, at, end, spans=()):
    """Yields (number, value) of each field. The value of a field in `spans` is (begin, end) of its bytes, of any other one a number."""
    while at < end:
        begin = at
        key = data[at]
        at += 1
        if key & 0x80:
            key, at = rest_of_varint(data, at, end, key)
        number, kind = key >> 3, key & 7
        if kind == 0 or kind == 2:
            if at >= end:
                raise Cut
            value = data[at]
            at += 1
            if value & 0x80:
                value, at = rest_of_varint(data, at, end, value)
            if kind == 2:
                value = (at, at + value)
                at = value[1]
        elif kind == 1:
            at += 8
            value = int.from_bytes(data[at - 8:at], 'little')
        else:
            raise damaged(begin)
        if at > end:
            raise Cut
        if (kind == 2) == (number in spans):
            yield number, value


def rest_of_varint(data, at, end, value):
    value &= 0x7F
    for shift in range(7, 70, 7):
        if at >= end:
            raise Cut
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at
    raise damaged(at)


# Of each message the fields that have a text or a message.
PACKETS, PACKET, CLOCKS, INTERNED, ENTRY, TRACK, THREAD = {1}, {6, 11, 12, 60}, {1}, {2, 29}, {2}, {2, 3, 4, 8}, {5}
EVENT, ANNOTATION = {4, 22, 23}, {6, 10}


class Reader:
    def __init__(self, data):
        self.data = data
        self.trace = Trace()
        self.names = {}       # interned names of events
        self.texts = {}       # interned texts of annotations
        self.annotations = {} # bytes of an annotation: its name and value; most are the same ones
        self.strings = {}

    def text(self, span):
        data = self.data[span[0]:span[1]]
        found = self.strings.get(data)
        if found is None:
            found = self.strings[data] = data.decode('utf-8', 'replace').translate(PRINTABLE)
        return found

    def read(self):
        data = self.data
        at = 0
        while at < len(data):
            try:
                number, span = next(fields(data, at, len(data), PACKETS), (0, ()))
            except Cut:  # the end is missing
                self.trace.is_cut = True
                break
            if number != 1:
                raise damaged(at)
            try:
                self.packet(span)
            except (Cut, KeyError):  # a part of it is longer than the packet, or missing
                raise damaged(at) from None
            at = span[1]
        self.trace.events.sort(key=lambda event: event.time)  # stable
        return self.trace

    def packet(self, span):
        time = 0
        for number, value in fields(self.data, *span, PACKET):
            if number == 8:
                time = value
            elif number == 6:
                self.clocks(value)
            elif number == 11:
                self.event(time, value)
            elif number == 12:
                self.intern(value)
            elif number == 13 and value & 1:
                self.names, self.texts, self.annotations = {}, {}, {}
            elif number == 60:
                self.track(value)

    def clocks(self, span):
        for number, clock in fields(self.data, *span, CLOCKS):
            parts = dict(fields(self.data, *clock)) if number in CLOCKS else {}
            if parts.get(1) == 3:  # the steady one, which events have
                self.trace.last_clock = max(self.trace.last_clock, parts.get(2, 0))

    def intern(self, span):
        for kind, entry in fields(self.data, *span, INTERNED):
            if kind in INTERNED:
                parts = dict(fields(self.data, *entry, ENTRY))
                table = self.names if kind == 2 else self.texts
                table[parts[1]] = self.text(parts[2])

    def track(self, span):
        parts = dict(fields(self.data, *span, TRACK))
        track = parts[1]
        if 3 in parts:
            self.trace.process = dict(fields(self.data, *parts[3])).get(1, 0)
        elif 4 in parts:
            thread = dict(fields(self.data, *parts[4], THREAD))
            self.trace.threads[track] = (thread.get(2, 0), self.text(thread[5]) if 5 in thread else '')
        elif 8 in parts:
            self.trace.counters[track] = self.text(parts[2])
        elif 2 in parts and track >> 32 == QUEUES >> 32:
            self.trace.queues[track & 0xFFFFFFFF] = self.text(parts[2])

    def annotation(self, span):
        key = self.data[span[0]:span[1]]
        found = self.annotations.get(key)
        if found is None:
            name, result = '', None
            for number, value in fields(self.data, *span, ANNOTATION):
                if number == 10:
                    name = self.text(value)
                elif number == 3:
                    result = value
                elif number == 6:
                    result = self.text(value)
                elif number == 17:
                    result = self.texts.get(value, '')
            found = self.annotations[key] = (name, result)
        return found

    def event(self, time, span):
        kind = track = count = 0
        category = name = ''
        notes, flows, last_flows = {}, (), ()
        for number, value in fields(self.data, *span, EVENT):
            if number == 4:
                key, result = self.annotation(value)
                if result is not None and isinstance(result, str) == (key in TEXT_NOTES):
                    notes[key] = result
            elif number == 9:
                kind = value
            elif number == 11:
                track = value
            elif number == 22:
                category = self.text(value)
            elif number == 10:
                name = self.names.get(value, '')
            elif number == 23:
                name = self.text(value)
            elif number == 47:
                flows += (value,)
            elif number == 48:
                last_flows += (value,)
            elif number == 30:
                count = value
        self.trace.events.append(Event(time, kind, track, category, name, notes, flows, last_flows, count))


def read(path):
    with open(path, 'rb') as file:
        data = file.read()
    if not data:
        raise NotATrace('it is empty')
    return Reader(data).read()
