"""sq-top on a terminal: a look each second, and keys."""
import curses
import time

from .memory import Ended
from .rows import SORTS, screen
from .walk import Walk

HELP = '''W  sort by the longest wait            R  by the longest run
D  by depth (tasks that wait)          T  by rate (tasks a second)
g  each queue a row, or groups again   space  look now
h  this page                           q  quit

WAIT   how long a thread, or a task, has waited for the queue
RUN    how long its task has been running
>      at least so long: since sq-top first saw it so
DEPTH  how many tasks wait; of many queues, in the deepest one
RATE   tasks begun in a second; of many queues, of all
STATE  runs, ready (waits for a thread of its pool), waited
       (threads wait for it), suspended, next (is handed over)

Queues of one label and state are one row; the number is that of
the first in the order. A key returns.'''
LINE = 'W wait  R run  D depth  T rate  g groups  space now  h help  q quit'


def put(window, lines):
    height, width = window.getmaxyx()
    window.erase()
    for i, text in enumerate(lines[:height]):
        try:
            window.addnstr(i, 0, text, width, curses.A_REVERSE if i == height - 1 else curses.A_NORMAL)
        except curses.error:  # the last column of the last line
            pass
    window.refresh()


def run(memory, layouts, history, interval, sort, is_folded):
    """Until q, or the end of the process (Ended)."""
    def loop(window):
        nonlocal sort, is_folded
        try:
            curses.curs_set(0)
            curses.use_default_colors()
        except curses.error:
            pass
        walk, rows, next_look = None, [], 0
        while True:
            if time.monotonic() >= next_look:
                walk = Walk(memory, layouts)
                if not memory.read_now(layouts[0].lists['threads'], 8):
                    raise Ended(f'process {memory.pid} has ended')
                rows = history.look(walk)
                next_look = time.monotonic() + interval
            height, width = window.getmaxyx()
            lines = screen(walk, rows, sort, width, height - 1, is_folded)
            put(window, lines + [''] * (height - 1 - len(lines)) + [LINE.ljust(width)])
            window.timeout(max(1, int((next_look - time.monotonic()) * 1000)))
            try:
                key = window.get_wch()
            except curses.error:  # none came
                continue
            if key == 'q':
                return
            if key == 'g':
                is_folded = not is_folded
            elif key == ' ':
                next_look = 0
            elif key in ('h', '?'):
                put(window, HELP.split('\n'))
                window.timeout(-1)
                window.get_wch()
            elif isinstance(key, str):
                sort = SORTS.get(key.upper(), sort)

    try:
        curses.wrapper(loop)
    except KeyboardInterrupt:
        pass
