"""symbols.py: names for code. "PATH+0x12" becomes "function at file.c:3", by addr2line or llvm-symbolizer, if there is one."""
import os
import re
import shutil
import subprocess

from sqtrace.reader import PRINTABLE


def demangle(names):
    """Swift's names in plain text, if there is a Swift toolchain."""
    swift = shutil.which('swift-demangle') or (shutil.which('swift') and 'swift')
    mangled = sorted({name for name in names if name.startswith('$s')})
    if not swift or not mangled:
        return {}
    command = [swift] + (['demangle'] if swift == 'swift' else []) + ['--compact', '--simplified']
    try:
        found = subprocess.run(command, input='\n'.join(mangled), capture_output=True, text=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return {}
    return {name: in_words(text) for name, text in zip(mangled, found.stdout.splitlines())}


def in_words(name):
    """As it stands in the source: "closure #2 in Store.save()". Code outside of functions has no name of its own."""
    name = re.sub(r'^(?:@objc |partial apply for |specialized |implicit closure #\d+ in (?=implicit closure))+', '', name)
    name = re.sub(r'^implicit closure #\d+ in ', 'a method given as a closure in ', name)
    return re.sub(r'(closure #\d+ in )(?:\w+_main)?$', r'\1the top level', name)  # of an executable: "shop_main"


def look_up(path, offsets):
    """{offset: [(function, place)]} of one file: the function there, and below it those into which it was inlined."""
    tool = shutil.which('addr2line') or shutil.which('llvm-addr2line')
    if not tool or not os.path.isfile(path):
        return {}
    try:
        lines = subprocess.run([tool, '-a', '-i', '-f', '-C', '-e', path], input='\n'.join(offsets), capture_output=True, text=True, check=True,
                               timeout=120).stdout.splitlines()
    except (OSError, subprocess.SubprocessError):
        return {}
    starts = [i for i, line in enumerate(lines) if re.fullmatch('0x[0-9a-f]+', line)] + [len(lines)]
    frames = [list(zip(lines[start + 1:end:2], lines[start + 2:end:2])) for start, end in zip(starts, starts[1:])]
    return dict(zip(offsets, frames))


def resolve(texts, is_own):
    """{text: what to show} for each text that names code or a place in a source. Functions that are the library's own are passed over if they
    were inlined into another one."""
    files = {}
    result = {}
    for text in texts:
        match = re.fullmatch(r'(.+)\+(0x[0-9a-f]+)', text)
        if match:
            files.setdefault(match.group(1), []).append(match.group(2))
        else:
            result[text] = text
    found = {(path, offset): names for path, offsets in files.items() for offset, names in look_up(path, sorted(set(offsets))).items()}
    plain = demangle(function for frames in found.values() for function, _ in frames)
    for path, offsets in files.items():
        for offset in offsets:
            unknown = f'{os.path.basename(path)}+{offset}'
            shown = [show(plain.get(function, function), place, unknown) for function, place in found.get((path, offset), [])] or [unknown]
            result[f'{path}+{offset}'] = next((text for text in shown if not is_own(text)), shown[0])
    return result


def show(function, place, unknown):
    place = re.sub(r' \(discriminator \d+\)', '', place)
    place = '' if place.startswith('??') else os.path.basename(place)
    name = function if function != '??' else unknown
    if re.fullmatch(r'(?:\w+_)?main', name) and re.search(r'\.swift:\d+$', place):
        name = 'the top level'
    # Line 0 is the compiler's own code.
    return (f'{name} ({place})' if place and not place.endswith((':?', ':0')) else name).translate(PRINTABLE)
