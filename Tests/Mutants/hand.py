"""hand.py: the mutants that cannot be generated, read from hand.txt.

    file thread/token.c            the source that the entries below are about, under the core

    NAME in FUNCTION               (in -: outside of functions)
    - sq__cas_release(&token->word,              a piece of the function's text; lines are matched without their indent
    + sq__cas_relaxed(&token->word,              what stands there instead; without one the piece is just taken out.
                                                 A - after a + begins another piece

A line that begins with # is a remark.
"""
import hashlib
import pathlib
import re

from generate import CORE, Mutant
from source import Source

LIST = pathlib.Path(__file__).with_name('hand.txt')


class DoesNotFit(Exception):
    pass


def places(text, span, function, file, pieces):
    found = []
    for before, after in pieces:
        pattern = r'\n[ \t]*'.join(re.escape(line) for line in before)
        spans = [match.span() for match in re.compile(pattern).finditer(text, *span)]
        if len(spans) != 1:
            raise DoesNotFit(f'"{before[0]}" is {len(spans)} times in {function} of {file}, not once')
        found.append((*spans[0], '\n'.join(after)))
    return found


def make(file, name, function, pieces):
    text = (CORE / file).read_text()
    source = Source(text)
    spans = {'-': (0, len(text), source.words(0, len(source.tokens)))}
    for one, begin, _, end in source.functions():
        spans[one] = source.tokens[begin].begin, source.tokens[end].end, source.words(begin, end + 1)
    if function not in spans:
        raise DoesNotFit(f'there is no function {function} in {file}')
    begin, end, words = spans[function]
    edits = places(text, (begin, end), function, file, pieces)
    words += ''.join('\n'.join(after) for _, after in pieces)  # another fault is another mutant
    return Mutant(f'{file} {function}: by hand {name}', file, function, 'by hand', edits, hashlib.sha256(words.encode()).hexdigest()[:8],
                  text.count('\n', 0, edits[0][0]) + 1)


def read():
    """(the mutants, what is wrong with the list)"""
    file, entries, wrong = None, [], []
    for number, line in enumerate(LIST.read_text().splitlines(), 1):
        head = re.fullmatch(r'(\w+) in (\S+)', line)
        if not line.strip() or line.startswith('#'):
            continue
        if line.startswith('file '):
            file = line.split()[1]
        elif line[0] in '-+' and entries:
            pieces = entries[-1][3]
            if line[0] == '-' and (not pieces or pieces[-1][1]):
                pieces.append(([], []))
            pieces[-1]['-+'.index(line[0])].append(line[1:].strip())
        elif head and file:
            entries.append((file, head[1], head[2], []))
        else:
            wrong.append(f'hand.txt:{number}: cannot be read: {line}')
    mutants = []
    for entry in entries:
        try:
            mutants.append(make(*entry))
        except (DoesNotFit, OSError) as why:
            wrong.append(f'hand.txt: {entry[1]}: {why}')
    return mutants, wrong
