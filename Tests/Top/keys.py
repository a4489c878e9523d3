"""keys.py PID: runs sq-top on a terminal of its own, presses its keys, and reads what it draws. Fails if that is not what it should be."""
import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

LIMIT = 60


def main(pid):
    child, terminal = pty.fork()
    if child == 0:
        os.environ['TERM'] = 'xterm'
        os.execvp('python3', ['python3', 'Tools/sq-top', pid])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 30, 100, 0, 0))
    drawn = b''
    # Each key after what the screen shows before it: WAIT* says by what it is sorted.
    for key, sign in ((b'D', b'WAIT*'), (b'h', b'DEPTH*'), (b' ', b'A key returns'), (b'q', b'QUEUE')):
        end = time.monotonic() + LIMIT
        while sign not in drawn:
            if time.monotonic() > end or not select.select([terminal], [], [], LIMIT)[0]:
                sys.exit(f'keys.py: no {sign} before {key}, but: {drawn[-2000:]}')
            try:
                drawn += os.read(terminal, 65536)
            except OSError:
                sys.exit(f'keys.py: it ended without {sign}: {drawn[-2000:]}')
        drawn = drawn.split(sign)[-1]
        os.write(terminal, key)
    while True:
        try:
            if not os.read(terminal, 65536):
                break
        except OSError:  # the terminal's other end is closed
            break
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


sys.exit(main(sys.argv[1]))
