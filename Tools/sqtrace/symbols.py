"""symbols.py: names for code. "PATH+0x12" becomes "function at file.c:3", by addr2line or llvm-symbolizer, if there is one."""
import os
import re
import shutil
import subprocess


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
    name = re.sub(r'^(?:@objc |partial apply for |implicit closure #\d+ in (?=implicit closure))+', '', name)
    name = re.sub(r'^implicit closure #\d+ in ', 'a method given as a closure in ', name)
    return re.sub(r'(closure #\d+ in )$', r'\1the top level', name)


def look_up(path, offsets):
    """{offset: (function, place)} of one file."""
    tool = shutil.which('addr2line') or shutil.which('llvm-addr2line')
    if not tool or not os.path.exists(path):
        return {}
    try:
        found = subprocess.run([tool, '-f', '-C', '-e', path], input='\n'.join(offsets), capture_output=True, text=True, check=True,
                               timeout=120).stdout.splitlines()
    except (OSError, subprocess.SubprocessError):
        return {}
    return {offset: (found[2 * i], found[2 * i + 1]) for i, offset in enumerate(offsets) if 2 * i + 1 < len(found)}


def resolve(texts):
    """{text: what to show} for each text that names code or a place in a source."""
    files = {}
    result = {}
    for text in texts:
        match = re.fullmatch(r'(.+)\+(0x[0-9a-f]+)', text)
        if match:
            files.setdefault(match.group(1), []).append(match.group(2))
        else:
            result[text] = text
    found = {(path, offset): names for path, offsets in files.items() for offset, names in look_up(path, sorted(set(offsets))).items()}
    plain = demangle(function for function, _ in found.values())
    for path, offsets in files.items():
        for offset in offsets:
            function, place = found.get((path, offset), ('??', '??'))
            place = re.sub(r' \(discriminator \d+\)', '', place)
            place = '' if place.startswith('??') else os.path.basename(place)
            name = plain.get(function, function) if function != '??' else f'{os.path.basename(path)}+{offset}'
            result[f'{path}+{offset}'] = f'{name} ({place})' if place and not place.endswith(':?') else name
    return result
