"""The names of functions of another process, from the symbols of the files that it has mapped. They are read when a name is asked for: the half million of
a large program take 0.4 seconds, once. A stripped file has none, and a name is shown only if the address is inside of that function."""
import array
import bisect
import os
import struct

SYMTAB, DYNSYM, FUNCTION, EXECUTABLE = 2, 11, 2, 2
SYMBOL = struct.Struct('=IBBHQQ')
MOST = 1 << 22


class File:
    """The functions of a file, by their addresses there."""

    def __init__(self, path):
        self.starts, self.ends, self.names, self.texts, self.is_fixed = array.array('Q'), array.array('Q'), array.array('I'), b'', False
        try:
            with open(path, 'rb') as file:
                self.read(file)
        except (OSError, struct.error, ValueError, IndexError, MemoryError):
            pass  # without names

    def read(self, file):
        head = file.read(64)
        if head[:5] != b'\x7fELF\x02':
            return
        self.is_fixed = struct.unpack_from('=H', head, 16)[0] == EXECUTABLE
        file.seek(struct.unpack_from('=Q', head, 40)[0])
        size, count = struct.unpack_from('=HH', head, 58)
        sections = [struct.unpack_from('=IIQQQQIIQQ', file.read(size)) for _ in range(count)]
        for section in sorted((each for each in sections if each[1] in (SYMTAB, DYNSYM)), key=lambda each: each[1])[:1]:
            texts = sections[section[6]]
            file.seek(section[4])
            symbols = file.read(min(section[5], MOST * SYMBOL.size) // SYMBOL.size * SYMBOL.size)
            found = sorted((value, value + length, name) for name, info, _, index, value, length in SYMBOL.iter_unpack(symbols)
                           if info & 15 == FUNCTION and index and length)
            for into, column in zip((self.starts, self.ends, self.names), zip(*found)):
                into.extend(column)
            file.seek(texts[4])
            self.texts = file.read(texts[5])

    def name(self, address):
        at = bisect.bisect_right(self.starts, address) - 1
        if at < 0 or address >= self.ends[at]:
            return ''
        start = self.names[at]
        return self.texts[start:self.texts.index(b'\0', start)].decode(errors='replace')


class Symbols:
    def __init__(self, pid):
        self.pid, self.files, self.known = pid, {}, {}

    def name(self, address):
        """'' if it has none."""
        if address not in self.known:
            if len(self.known) >= 10000:
                self.known.clear()
            self.known[address] = self.find(address)
        return self.known[address]

    def find(self, address):
        path, base = self.mapped(address)
        if not path:
            return ''
        if path not in self.files:
            self.files[path] = File(f'/proc/{self.pid}/root{path}')
        file = self.files[path]
        return file.name(address if file.is_fixed else address - base)

    def mapped(self, address):
        """(the file that is mapped at this address, where its beginning is)"""
        base = {}
        try:
            with open(f'/proc/{self.pid}/maps', errors='replace') as file:
                for line in file:
                    addresses, _, offset, _, _, *path = line.rstrip('\n').split(maxsplit=5)
                    start, end = (int(each, 16) for each in addresses.split('-'))
                    if path and int(offset, 16) == 0:
                        base[path[0]] = start
                    if start <= address < end:
                        return (path[0], base.get(path[0], 0)) if path and os.path.isabs(path[0]) else ('', 0)
        except (OSError, ValueError):
            pass
        return '', 0
