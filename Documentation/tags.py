#!/usr/bin/env python3
"""tags.py check | table: the tags of atomic operations, and the page that has their rules, MemoryOrdering.md.

`table` prints each place of each tag, as a page, from the comments of the code: `[tag] release: what it publishes`.
`check` prints what is wrong and `N passed, N failed`:
  - each tag of the code has a row in a table of pairs, each row's tag is in the code, and its comments name both sides of the pair;
  - each function with an operation that has an order has a tag;
  - each field that is used relaxed stands below a heading that begins with Relaxed.
The core is one half of it; what is below "## Swift", Sources/SerialQueue and Sources/Ordered the other."""
import os
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[1]
PAGE = TOP / 'Documentation/MemoryOrdering.md'
CORE = ('Sources/CSerialQueue', 'Sources/CSerialQueueTesting'), ('.c', '.h')
SWIFT = ('Sources/SerialQueue', 'Sources/Ordered'), ('.swift',)
TAG = re.compile(r'\[([a-z]+)\]')
ONE_SIDED = {'claim'}  # a swap decides, and nothing is published


class Half:
    """What the code of one half has. A place is "file: function"."""

    def __init__(self):
        self.rows = []     # (tag, place, words)
        self.ordered = {}  # place: a field
        self.relaxed = {}  # field: a place

    def add_comment(self, place, comment):
        """One comment, which may have several tags; words that follow the last of several tags belong to each of these."""
        parts = TAG.split(comment)[1:]
        waiting = []
        carried = ''  # `acquire: this; release: [tag]`: the word belongs to the tag behind it
        for number, (tag, words) in enumerate(zip(parts[::2], parts[1::2])):
            waiting.append(tag)
            words, carried = carried + words, ''
            if number * 2 + 2 < len(parts) and (order := re.search(r'\b(release|acquire): *$', words)):
                words, carried = words[:order.start()], order.group(1)
            words = re.sub(r'\s+', ' ', words).strip(' ,.:;')
            if words:
                self.rows += [(one, place, words) for one in waiting]
                waiting = []
        self.rows += [(one, place, '') for one in waiting]


def files(where):
    folders, endings = where
    for folder in folders:
        for name in sorted((TOP / folder).rglob('*')):
            if name.suffix in endings and 'include' not in name.parts and name.name != 'atomic.h':
                yield name.name, name.read_text()


def functions_of(text, head):
    """The functions' places in the text, as (offset, name); `head` finds a line at which one begins."""
    return [(0, '-')] + [(found.start(), found.group(1)) for found in head.finditer(text)]


def name_at(functions, offset):
    return [name for at, name in functions if at <= offset][-1]


C_HEAD = re.compile(r'^[a-z_][A-Za-z_0-9 *]*[ *]([a-z_0-9]+)\((?!.*;$)', re.M)
C_CALL = re.compile(r'(sq__(?:load|store|exchange|add|or|sub|cas)_[a-z_]+|sq__count)\(([^;]*)')


def field_of(arguments):
    """The last name of an operation's first argument."""
    text = arguments.lstrip('(')
    if re.match(r'sq__[a-z_]+\(', text):  # a word that a function finds, or a field of a loaded pointer
        text = re.sub(r'.*->', '', text.split(',')[0])
    else:
        text = re.split(r'[,)]', text)[0]
    if '?' in text:
        text = re.sub(r'.*->', '', text)
    return re.sub(r'[^A-Za-z_0-9]', '', re.sub(r'.*(->|\.|&)', '', re.sub(r'\[[^\]]*\]', '', text)))


def core():
    half = Half()
    for name, text in files(CORE):
        text = re.sub(r'__attribute__\(\([a-z_]+\)\)', lambda found: 'static'.ljust(len(found.group())), text)
        functions = functions_of(text, C_HEAD)
        for comment in re.finditer(r'/\*.*?\*/', text, re.S):
            words = re.sub(r'\n\s*\*', '\n', comment.group()[2:-2])
            half.add_comment(f'{name}: {name_at(functions, comment.start())}', words)
        code = re.sub(r'/\*.*?\*/', lambda found: re.sub(r'[^\n]', ' ', found.group()), text, flags=re.S)
        for line in re.finditer(r'.+', code):
            for call in re.finditer(r'(?=' + C_CALL.pattern + ')', line.group()):
                place = f'{name}: {name_at(functions, line.start() + call.start())}'
                if re.search('acquire|release|acq_rel', call.group(1)):
                    half.ordered[place] = field_of(call.group(2))
                else:
                    half.relaxed[field_of(call.group(2))] = place
    return half


SWIFT_HEAD = re.compile(r'^(?!.*Atomic\().*?\b(?:func|var) ([A-Za-z]+)(?:<[^>\n]*>)?[(:](?:(?<=\()|.*\{$)', re.M)


def swift():
    half = Half()
    for name, text in files(SWIFT):
        functions = functions_of(text, SWIFT_HEAD)
        for comment in re.finditer(r'(?:^ *// .*\n)+', text, re.M):
            half.add_comment(f'{name}: {name_at(functions, comment.start())}', re.sub(r'^ *// ', '', comment.group(), flags=re.M))
        for line in re.finditer(r'.+', text):
            place = f'{name}: {name_at(functions, line.start())}'
            if re.search(r'rdering: \.(acquir|releas|sequential)', line.group()):
                half.ordered[place] = '-'
            elif found := re.search(r'([A-Za-z]+)\.[A-Za-z]+\(.*ordering: \.relaxed', line.group()):
                half.relaxed[found.group(1)] = place
    return half


def tables(half):
    """The table of one half: a row for each place of a tag, in the order of the tags' names."""
    lines = ['| tag | where | order: what it hands over |', '|---|---|---|']
    said, last = {}, None
    for tag, place, words in half.rows:
        said.setdefault((tag, place), {})[words] = None
    for (tag, place), words in sorted(said.items()):
        text = '. '.join(filter(None, words)).replace('|', '&#124;')
        lines.append(f"| {'' if tag == last else f'**{tag}**'} | `{place}` | {text} |")
        last = tag
    return '\n'.join(lines) + '\n'


def main():
    halves = [core(), swift()]
    if sys.argv[1:] == ['table']:
        print('## Places\n\n' + tables(halves[0]) + '\n### Places in Swift\n\n' + tables(halves[1]), end='')
        return 0
    passed, wrong = 0, []

    def check(is_good, sentence):
        nonlocal passed
        if is_good:
            passed += 1
        else:
            wrong.append(sentence)

    for half, text in zip(halves, PAGE.read_text().split('\n## Swift\n')):
        listed = {tag for row in re.findall(r"^\| (\[[^|]*) \|", text, re.M) for tag in TAG.findall(row)}
        reasons = set(re.findall(r'`([A-Za-z_0-9]+)`', ''.join(re.findall(r'^#+ Relaxed.*?(?=^#|\Z)', text, re.S | re.M))))
        words = {}
        for tag, place, said in half.rows:
            words[tag] = words.get(tag, '') + ' ' + said
        tagged = {place for tag, place, said in half.rows}
        for tag in sorted(words.keys() | listed):
            check(tag in listed, f'[{tag}] is in the code and has no row on the page')
            check(tag in words, f'[{tag}] has a row and is not in the code')
            if half is halves[0] and tag in words and tag not in ONE_SIDED:
                check(re.search('release|relaxed', words[tag], re.I) and re.search('acquire', words[tag], re.I), f'the comments with [{tag}] do not name both sides')
        for place, field in sorted(half.ordered.items()):
            check(place in tagged, f'{place} orders `{field}` without a tag')
        for field, place in sorted(half.relaxed.items()):
            check(field in reasons, f'`{field}` is used relaxed ({place}) and has no reason on the page')
        check(half.rows and half.ordered, 'nothing was found to check')
    for sentence in wrong:
        print('FAIL', sentence)
    print(f'{passed} passed, {len(wrong)} failed')
    if os.environ.get('TALLY'):
        pathlib.Path(os.environ['TALLY']).write_text(f'{passed} {len(wrong)}\n')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
