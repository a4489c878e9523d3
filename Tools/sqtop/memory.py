"""The memory of another process, and where the library keeps its records there (Sources/CSerialQueue/platform/layout.h)."""
import os
import struct
import sys

from . import symbols

VERSION = 1  # SQ__LAYOUT_VERSION
PAGE = 4096
PT_LOAD, PT_NOTE = 1, 4
ENTRY = struct.Struct('=QII40s')  # sq__layout_t
MOST_TABLES, MOST_ENTRIES = 32, 1000


class Failure(Exception):
    """What ends sq-top, in words for its user."""


class Ended(Failure):
    """The process is no longer there."""


class Unreadable(Exception):
    """An address that is not mapped, or a value that cannot be: what led there changed meanwhile."""


class Memory:
    """Reads pages, and keeps them until `forget`. Nothing is written, and nothing stops the process."""

    def __init__(self, pid):
        self.pid, self.symbols = pid, symbols.Symbols(pid)
        self.pages = {}
        try:
            self.file = os.open(f'/proc/{pid}/mem', os.O_RDONLY)
        except (FileNotFoundError, ProcessLookupError):
            raise Ended(f'there is no process {pid}') from None
        except PermissionError:
            raise Failure(not_permitted(pid)) from None

    def close(self):
        os.close(self.file)

    def forget(self):
        self.pages.clear()

    def page(self, number):
        found = self.pages.get(number)
        if found is None:
            found = self.pages[number] = self.read_now(number * PAGE, PAGE)
        if len(found) < PAGE:
            raise Unreadable
        return found

    def read_now(self, address, size):
        """The bytes as they are now, fewer if they are not mapped."""
        try:
            return os.pread(self.file, size, address)
        except (OSError, OverflowError):
            return b''

    def read(self, address, size):
        number, start = divmod(address, PAGE)
        end = start + size
        if end <= PAGE:
            return self.page(number)[start:end]
        pages = [self.page(each) for each in range(number, number + (end + PAGE - 1) // PAGE)]
        return b''.join(pages)[start:end]

    def number(self, address, size=8):
        return int.from_bytes(self.read(address, size), sys.byteorder)

    def text(self, address, most=64):
        """Up to a NUL; what a terminal would obey is '?', as in a dump."""
        try:
            return printable(self.read(address, most))
        except Unreadable:  # it ends before its page does
            return printable(self.read(address, PAGE - address % PAGE)[:most])


OBEYED = {code: '?' for code in [*range(0x20), *range(0x7F, 0xA0)]}


def printable(data):
    return data.split(b'\0')[0].decode(errors='replace').translate(OBEYED)


def not_permitted(pid):
    try:
        owner = os.stat(f'/proc/{pid}').st_uid
    except OSError:
        return f'there is no process {pid}'
    try:
        with open('/proc/sys/kernel/yama/ptrace_scope') as file:
            scope = int(file.read())
    except (OSError, ValueError):
        scope = 0
    as_root = f'run it as root: sudo sq-top {pid}'
    if os.geteuid() == 0:
        return f'the memory of process {pid} cannot be read even as root: in a container, start that with --cap-add=SYS_PTRACE'
    if owner != os.geteuid():
        return f'process {pid} belongs to user {owner}: {as_root}'
    if scope == 1:
        return f'ptrace_scope forbids reading process {pid}: {as_root}; or, until the next boot: echo 0 | sudo tee /proc/sys/kernel/yama/ptrace_scope'
    if scope > 1:
        return f'ptrace_scope is {scope}, so only root may read process {pid}: {as_root}' if scope == 2 else f'ptrace_scope is {scope}: nobody may read process {pid}'
    return f'the system does not let you read process {pid}: {as_root}'


class Layout:
    """The fields, constants and lists of one copy of the library, by name."""

    def __init__(self, memory, tables):
        self.values, self.sizes, self.lists = {}, {}, {}
        for i in range(MOST_TABLES):
            table = memory.number(tables + 8 * i)
            if table == 0:
                break
            self.read_table(memory, table)

    def read_table(self, memory, table):
        for i in range(MOST_ENTRIES):
            at, value, size, name = ENTRY.unpack(memory.read(table + ENTRY.size * i, ENTRY.size))
            name = printable(name)
            if not name:
                return
            if at:
                self.lists[name] = at
            self.values[name], self.sizes[name] = value, size

    def __getitem__(self, name):
        try:
            return self.values[name]
        except KeyError:
            raise Failure(f'the library in this process has no {name}: use the sq-top that was installed with it') from None

    def list(self, name):
        self[name]
        return self.lists[name]


def mappings(pid):
    """(start, the file's path) of what is mapped from the beginning of a file."""
    try:
        with open(f'/proc/{pid}/maps') as file:
            lines = file.readlines()
    except (FileNotFoundError, ProcessLookupError):
        raise Ended(f'there is no process {pid}') from None
    except PermissionError:
        raise Failure(not_permitted(pid)) from None
    for line in lines:
        addresses, rights, offset, _, inode, *path = line.split(maxsplit=5)
        if rights[0] == 'r' and int(offset, 16) == 0 and inode != '0' and path:
            yield int(addresses.split('-')[0], 16), path[0].strip()


def notes(memory, start):
    """(name, the address of the rest, its size) of each note of the program or library that is mapped here."""
    head = memory.read(start, 64)
    if head[:5] != b'\x7fELF\x02':
        return
    at, = struct.unpack_from('=Q', head, 32)
    size, count = struct.unpack_from('=HH', head, 54)
    headers = [struct.unpack('=IIQQQQQQ', memory.read(start + at + size * i, 56)) for i in range(min(count, 64))]
    first = next((header for header in headers if header[0] == PT_LOAD), None)
    if first is None:
        return
    base = start - (first[3] - first[3] % PAGE)
    for kind, _, _, address, _, length, _, _ in headers:
        end = base + address + min(length, 1 << 16)
        at = base + address
        while kind == PT_NOTE and at + 12 <= end:
            name_size, size, _ = struct.unpack('=III', memory.read(at, 12))
            rest = at + 12 + (name_size + 3) // 4 * 4
            if name_size > 64 or rest + size > end:
                break
            yield memory.read(at + 12, name_size), rest, size
            at = rest + (size + 3) // 4 * 4


def find_layouts(memory):
    """The layout of each copy of the library in the process: more than one if a plug-in has its own."""
    found, other = [], None
    for start, _ in mappings(memory.pid):
        try:
            for name, at, size in notes(memory, start):
                if name == b'SerialQueue\0' and size >= 8:
                    distance, version = struct.unpack('=iI', memory.read(at, 8))
                    if version == VERSION:
                        found.append(Layout(memory, at + distance))
                    else:
                        other = version
        except Unreadable:
            continue
    if not found and other is not None:
        raise Failure(f'the library in process {memory.pid} has records of version {other}, and this sq-top reads version {VERSION}: '
                      'use the sq-top that was installed with that library')
    if not found:
        raise Failure(f'process {memory.pid} has no libserialqueue in it, or one from before sq-top')
    return found
