"""report.py FOLDER[:FILE]...: what gcov has counted in the folders, per file of the core, and what never ran.

Of a folder with a file only that file counts: what another build has more than the first must not be asked of all its tests.

A line or branch counts as run if it ran in one of the builds. A branch is distinguished from others of its line by its number, and
by how many the line has: builds in which that differs are counted apart."""
import collections
import glob
import json
import re
import subprocess
import sys

CORE = "Sources/CSerialQueue/"
TESTING = "Sources/CSerialQueueTesting/"


def read_counts(folders):
    """{file: {line: count}}, {file: {(line, branches of the line): [count of each]}}"""
    lines = collections.defaultdict(collections.Counter)
    branches = collections.defaultdict(dict)
    for folder in folders:
        folder, _, only = folder.partition(":")
        for counts in sorted(glob.glob(folder + "/**/*.gcda", recursive=True)):
            output = subprocess.run(["gcov", "--branch-counts", "--branch-probabilities", "--json-format", "--stdout", counts],
                                    capture_output=True, text=True, check=True).stdout
            for document in output.splitlines():
                for file in json.loads(document)["files"]:
                    if (CORE in file["file"] or TESTING in file["file"]) and file["file"].endswith(only):
                        add(file, lines, branches)
    return lines, branches


def add(file, lines, branches):
    name = file["file"][file["file"].index("Sources/"):].removeprefix(CORE)
    for line in file["lines"]:
        number = line["line_number"]
        lines[name][number] += line["count"]
        now = [branch["count"] for branch in line["branches"]]
        if now:
            before = branches[name].get((number, len(now)), [0] * len(now))
            branches[name][number, len(now)] = [a + b for a, b in zip(before, now)]


def has_default(source, number):
    """Whether the switch that stands in this line has a default: its block ends at the brace of the same depth."""
    indent = re.match(r" *", source[number - 1]).group()
    for line in source[number:]:
        if re.match(indent + r"default:", line):
            return True
        if line.startswith(indent + "}"):
            return False
    return False


def missing(source, line_counts, branch_counts):
    """[(line, what never ran)], how many lines and branches there are, and how many of them never ran."""
    found = []
    lines_missing = {number for number, count in line_counts.items() if count == 0}
    total = branches_missing = 0
    for number in sorted(lines_missing):
        found.append((number, "the line"))
    for (number, of), counts in sorted(branch_counts.items()):
        never = [i for i, count in enumerate(counts) if count == 0]
        # Where a switch names all the values there are, the way past all its cases is the compiler's, not the source's.
        if re.search(r"\bswitch \(", source[number - 1]) and not has_default(source, number):
            of -= 1
            never = never[:-1]
        total += of
        branches_missing += len(never)
        if number not in lines_missing and never:
            found.append((number, "branch " + ", ".join(str(i + 1) for i in never) + f" of {of}"))
    return sorted(found), len(line_counts), len(lines_missing), total, branches_missing


def in_ranges(entries):
    """The entries [(line, text)] of one file, with lines that follow each other as one entry."""
    ranges = []
    for number, what, text in entries:
        if what == "the line" and ranges and ranges[-1][2] == what and number <= ranges[-1][1] + 2:
            ranges[-1][1] = number
        else:
            ranges.append([number, number, what, text])
    return [f"{first}: {what}: {text}" if first == last else f"{first}-{last}: the lines, from: {text}"
            for first, last, what, text in ranges]


def main():
    lines, branches = read_counts(sys.argv[1:])
    sums = [0, 0, 0, 0]
    never, total = [], 0
    print(f"{'file':<40} {'lines':>12} {'branches':>12}")
    for name in sorted(lines):
        with open(name if name.startswith(TESTING) else CORE + name) as file:
            source = file.read().split("\n")
        found, *counts = missing(source, lines[name], branches[name])
        sums = [a + b for a, b in zip(sums, counts)]
        print(f"{name.removeprefix('Sources/'):<40} {counts[0] - counts[1]:>5} of {counts[0]:>3} {counts[2] - counts[3]:>5} of {counts[2]:>3}")
        never += [f"{name}:{entry}" for entry in in_ranges([(number, what, source[number - 1].strip()) for number, what in found])]
        total += len(found)
    print(f"{'all':<40} {sums[0] - sums[1]:>5} of {sums[0]:>3} {sums[2] - sums[3]:>5} of {sums[2]:>3}")
    if never:
        print("\nnever ran:")
        print("\n".join("  " + entry for entry in never))
    print(f"\n{total} never ran")
    return 0 if sums[0] > 0 else 1


sys.exit(main())
