"""orders.py: which operations that order others have no mutant, or too few: one for a release or an acquire, two for both.

    orders.py [CORE]   prints them, with a beginning for each entry
"""
import pathlib
import re
import sys

from mutants import Wrong, read_all

OPERATION = re.compile(r'\bsq__(?:load|store|exchange|add|sub|cas)_(\w*(?:acquire|release|acq_rel)\w*)\(')
COMMENT = re.compile(r'/\*.*?\*/', re.S)


def operations(source):
    """(place, how many orders it has) of each, comments left out."""
    code = COMMENT.sub(lambda match: ' ' * len(match.group()), source)
    for match in OPERATION.finditer(code):
        if not code[:match.start()].rsplit('\n', 1)[-1].startswith('#define'):
            yield match.start(), 1 + ('acq_rel' in match.group(1) or '_or_' in match.group(1))


def uncovered(core, mutants):
    """(file, line, text, how many mutants are missing) of each operation without."""
    for path in sorted(core.glob('*/*.[ch]')):
        file = str(path.relative_to(core))
        if file.startswith('include/') or file == 'platform/atomic.h':
            continue
        source = path.read_text()
        spans = []
        for mutant in mutants:
            try:
                if mutant.file == file:
                    spans += mutant.places(source)
            except Wrong:
                pass  # told where it is run
        for place, wanted in operations(source):
            line = source.count('\n', 0, place)
            missing = wanted - sum(begin <= place < end for begin, end in spans)
            if missing > 0:
                yield file, line + 1, source.splitlines()[line].strip(), missing


if __name__ == '__main__':
    top = pathlib.Path(__file__).resolve().parents[2]
    core = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else top / 'Sources/CSerialQueue'
    for file, line, text, missing in uncovered(core, read_all()):
        print(f'# {file}:{line}: {missing} missing\n- {text}\n+ {text}\n')
