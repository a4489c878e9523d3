"""reader.py: decodes a trace file: Perfetto's TracePacket messages, as far as SerialQueue writes them.

A field is a key (number and type) and a value: a varint, eight bytes, or a length and so many bytes. Unknown fields are skipped.
A file whose end is missing, because its process was killed, is read up to its last whole packet; `is_cut` is true if it ends within one.
"""
import collections
import struct

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4  # TrackEvent.Type
THREADS, QUEUES, POOLS = 1 << 32, 2 << 32, 3 << 32  # tracks: above the number of the thread, queue or pool


class NotATrace(Exception):
    pass


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


def fields(data, at, end):
    """Yields (number, value) of each field."""
    while at < end:
        key = data[at]
        at += 1
        if key & 0x80:
            key, at = rest_of_varint(data, at, key)
        kind = key & 7
        if kind == 0:
            value = data[at]
            at += 1
            if value & 0x80:
                value, at = rest_of_varint(data, at, value)
        elif kind == 1:
            value = struct.unpack_from('<Q', data, at)[0]
            at += 8
        elif kind == 2:
            length = data[at]
            at += 1
            if length & 0x80:
                length, at = rest_of_varint(data, at, length)
            if at + length > end:
                raise IndexError
            value = (at, at + length)
            at += length
        else:
            raise NotATrace('it is no trace of SerialQueue')
        yield key >> 3, value


def rest_of_varint(data, at, value):
    value &= 0x7F
    shift = 7
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


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
            found = self.strings[data] = data.decode('utf-8', 'replace')
        return found

    def read(self):
        data = self.data
        packets = fields(data, 0, len(data))
        while True:
            try:
                number, span = next(packets)
            except StopIteration:
                break
            except IndexError:  # the end is missing
                self.trace.is_cut = True
                break
            if number != 1 or not isinstance(span, tuple):
                raise NotATrace('it is no trace of SerialQueue')
            self.packet(span)
        self.trace.events.sort(key=lambda event: event.time)  # stable
        return self.trace

    def packet(self, span):
        time = 0
        for number, value in fields(self.data, *span):
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
        for number, clock in fields(self.data, *span):
            parts = dict(fields(self.data, *clock)) if number == 1 else {}
            if parts.get(1) == 3:  # the steady one, which events have
                self.trace.last_clock = max(self.trace.last_clock, parts.get(2, 0))

    def intern(self, span):
        for kind, entry in fields(self.data, *span):
            parts = dict(fields(self.data, *entry))
            table = {2: self.names, 29: self.texts}.get(kind)
            if table is not None:
                table[parts[1]] = self.text(parts[2])

    def track(self, span):
        parts = dict(fields(self.data, *span))
        track = parts[1]
        if 3 in parts:
            self.trace.process = dict(fields(self.data, *parts[3])).get(1, 0)
        elif 4 in parts:
            thread = dict(fields(self.data, *parts[4]))
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
            for number, value in fields(self.data, *span):
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
        for number, value in fields(self.data, *span):
            if number == 4:
                key, result = self.annotation(value)
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
    try:
        return Reader(data).read()
    except (IndexError, KeyError, struct.error):
        raise NotATrace('it is no trace of SerialQueue') from None
