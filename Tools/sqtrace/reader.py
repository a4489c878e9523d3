"""reader.py: runs sq-trace-read (read/), which decodes a trace and finds the tasks in it. Python alone would take thirty times as long."""
import glob
import json
import os
import subprocess

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.join(HERE, '..', '..')
# What a terminal would obey is shown as in a dump (sq__make_printable), in the library's labels as in the names of code.
PRINTABLE = {code: '?' for code in [*range(0x20), *range(0x7F, 0xA0)]}


class NotATrace(Exception):
    pass


def program():
    """Where `make install` puts it; in the sources it is built when it is needed."""
    own = os.path.join(HERE, 'read')
    if not os.path.isdir(own):
        return os.path.join(TOP, '..', 'libexec', 'serialqueue', 'sq-trace-read')
    built = os.path.join(TOP, 'build', 'sq-trace-read')
    sources = glob.glob(os.path.join(own, '*.[ch]'))
    if not os.path.exists(built) or os.path.getmtime(built) < max(map(os.path.getmtime, sources)):
        environment = {name: value for name, value in os.environ.items() if not name.startswith('MAKE') and name != 'MFLAGS'}
        subprocess.run(['make', '-s', '-C', TOP, 'build/sq-trace-read'], env=environment, stdout=subprocess.DEVNULL, check=True)
    return built


class Reading:
    """The summary of a trace, and on demand its rows: see read/report.h. `words`: 'rows', 'progress'."""

    def __init__(self, path, *words):
        try:
            self.process = subprocess.Popen([program(), path, *words], stdout=subprocess.PIPE)
        except (OSError, subprocess.SubprocessError) as error:
            raise NotATrace(f'its reader is missing: {error}') from None
        try:
            self.summary = json.loads(self.process.stdout.readline().decode('utf-8', 'replace'))
        except ValueError:
            raise NotATrace(f'its reader failed: {self.process.wait()}') from None
        if 'error' in self.summary:
            raise NotATrace(self.summary['error'])
        self.summary['texts'] = [text.translate(PRINTABLE) for text in self.summary['texts']]

    def pieces(self):
        """The rows, as bytes of JSON without braces."""
        while True:
            piece = self.process.stdout.read(1 << 20)
            if not piece:
                break
            yield piece.removesuffix(b'\n')
        if self.process.wait() != 0:
            raise NotATrace('its reader failed')

    def rows(self):
        return json.loads(b'{' + b''.join(self.pieces()) + b'}')

    def close(self):
        self.process.stdout.close()
        self.process.wait()
