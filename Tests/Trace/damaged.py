"""damaged.py: what sq-trace says about files that no recorder writes: damaged ones, and labels that a terminal would obey."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import random
import re
import traceback

import packets
from sqtrace import symbols

FILES = 300
SEED = 20261127


def load(path):
    """sq-trace as a module: a process for each file would take a minute."""
    loader = importlib.machinery.SourceFileLoader('sq_trace', path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader('sq_trace', loader))
    loader.exec_module(module)
    return module


def run(tool, *arguments):
    """(why it ended: None, a message or a traceback; what it printed)"""
    out, error = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        try:
            tool.main(list(arguments))
            why = None
        except SystemExit as end:
            why = end.code
        except Exception:
            why = traceback.format_exc()
    return why, out.getvalue()


def parts_of(data):
    at = 0
    while at < len(data):
        _, (_, end) = next(packets.fields(data, at, len(data), packets.PACKETS))
        yield data[at:end]
        at = end


def changed(chance, whole):
    """Some of its packets moved, doubled or removed; or some of its bits or bytes changed, or removed, or inserted."""
    parts = list(whole)
    if chance.random() < 0.5:
        for _ in range(chance.choice((1, 4, 16))):
            part = parts.pop(chance.randrange(len(parts)))
            for _ in range(chance.randrange(3)):
                parts.insert(chance.randrange(len(parts) + 1), part)
    data = bytearray(b''.join(parts))
    for _ in range(chance.choice((0, 1, 2, 8)) if parts != whole else chance.choice((1, 2, 8))):
        at = chance.randrange(len(data))
        how = chance.randrange(4)
        if how < 2:
            data[at] = data[at] ^ 1 << chance.randrange(8) if how == 0 else chance.randrange(256)
        else:
            data[at:at + (8 if how == 2 else 0)] = chance.randbytes(chance.randrange(9))
    return bytes(data)


def check_damaged(check, tool, data, folder):
    path = os.path.join(folder, 'damaged')
    message = re.compile(re.escape(f'sq-trace: {path}: it is ') + r'(empty|no trace of SerialQueue(, or damaged at byte \d+)?)')
    whole, chance, ends = list(parts_of(data)), random.Random(SEED), {'table': 0, 'message': 0}
    for number in range(FILES):
        with open(path, 'wb') as file:
            file.write(changed(chance, whole))
        for arguments in (('stats', path), ('timeline', path, '-o', path + '.html')):
            why, printed = run(tool, *arguments)
            if why is None:
                ends['table'] += printed.strip() != ''
            else:
                ends['message'] += message.fullmatch(str(why)) is not None and printed == ''
                check(f'{arguments[0]} of damaged file {number} (SEED {SEED}) ends with one message: {why}', message.fullmatch(str(why)) and not printed)
    check(f'each damaged file has a result or a message: {ends}', sum(ends.values()) == 2 * FILES and min(ends.values()) > FILES / 10)


def varint(value):
    return bytes([value & 0x7F | 0x80]) + varint(value >> 7) if value > 0x7F else bytes([value])


def field(number, value):
    """A varint, or a text, or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def check_wrong_types(check, tool, folder):
    """Each note of an event once with no value, once with a number and once with a text, which are skipped if they do not fit."""
    path, written = os.path.join(folder, 'types'), []
    values = (b'', field(3, 7), field(6, b'text'), field(17, 9))
    for category in (b'run', b'wait', b'apply', b'submit', b'withdrawn', b'resume'):
        for kind in (packets.BEGIN, packets.END, packets.INSTANT):
            for value in values:
                notes = b''.join(field(4, field(10, name.encode()) + value) for name in (*packets.TEXT_NOTES, 'queue', 'kind', 'aim', 'count', 'ran', 'detail'))
                written.append(field(8, 1000) + field(11, field(9, kind) + field(11, packets.THREADS | 1) + field(22, category) + notes))
    for value in values:
        notes = b''.join(field(4, field(10, name) + value) for name in (b'thread', b'events', b'buffer'))
        written.append(field(8, 2000) + field(11, field(9, packets.INSTANT) + field(11, 1) + field(22, b'dropped') + notes))
    with open(path, 'wb') as file:
        file.write(b''.join(field(1, packet) for packet in written))
    for arguments in (('stats', path), ('timeline', path, '-o', path + '.html')):
        why, _ = run(tool, *arguments)
        check(f'{arguments[0]}: notes of a wrong type are skipped: {why}', why is None)


def check_damage_is_named(check, tool, data, folder):
    path, at = os.path.join(folder, 'damaged'), len(b''.join(list(parts_of(data))[:3]))
    for what, damage in (('no packet', b'\x0b' + data[at + 1:]), ('a track without a number', field(1, field(60, b''))),
                         ('a text that is longer than its packet', field(1, varint(60 << 3 | 2) + varint(9)) + data[at:])):
        with open(path, 'wb') as file:
            file.write(data[:at] + damage)
        why, _ = run(tool, 'stats', path)
        check(f'{what}: a message names the byte: {why}', why == f'sq-trace: {path}: it is no trace of SerialQueue, or damaged at byte {at}')


def check_terminal(check, tool, data, label, folder):
    """ESC, DEL, and the CSI of eight-bit terminals in UTF-8, in place of letters of the label."""
    path, bad = os.path.join(folder, 'terminal'), b'\x1b[31m\x7f\xc2\x9b'
    with open(path, 'wb') as file:
        file.write(data.replace(label, bad + label[len(bad):]))
    shown = '?[31m??' + label[len(bad):].decode()
    why, printed = run(tool, 'stats', path)
    check('a terminal gets no control characters of a label', why is None and shown in printed and not re.search(r'[\x00-\x09\x0b-\x1f\x7f-\x9f]', printed))
    why, _ = run(tool, 'timeline', path, '-o', path + '.html')
    with open(path + '.html', encoding='utf-8') as file:
        page = file.read()
    check('neither does a page', why is None and shown in page and not re.search(r'[\x00-\x08\x0b-\x1f\x7f-\x9f]|\\u00[01]|\\u007f|\\u009b', page.split('application/json">')[-1]))
    check('nor the name of a function', symbols.show('clear\x1b[2J', 'a\x9b.c:3', '') == 'clear?[2J (a?.c:3)')


def check_all(check, tool, small, labelled, label, folder):
    tool = load(tool)
    look_up, symbols.look_up = symbols.look_up, lambda path, offsets: {}  # a process for each file
    try:
        with open(small, 'rb') as file:
            data = file.read()
        check_damaged(check, tool, data, folder)
        check_wrong_types(check, tool, folder)
        check_damage_is_named(check, tool, data, folder)
        with open(labelled, 'rb') as file:
            check_terminal(check, tool, file.read(), label, folder)
    finally:
        symbols.look_up = look_up
