"""The Swift side: SerialQueue beside DispatchQueue, closures instead of functions. Same variables as bench.py."""

import os
import subprocess
import sys

import bench
import measure
import report
import rows

TITLES = {"SerialQueue": "SerialQueue, this library's Swift face", "DispatchQueue": "DispatchQueue, the toolchain's"}
PACKAGE = os.path.join(bench.BENCHMARKS, "Swift")
SCRATCH = os.path.join(bench.BENCHMARKS, "build", "swift")


def _build():
    print("building the Swift side, release", file=sys.stderr)
    done = subprocess.run(["swift", "build", "-c", "release", "--package-path", PACKAGE, "--scratch-path", SCRATCH],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr + "\nThe Swift side could not be built.")


def main():
    _build()
    program = os.path.join(SCRATCH, "release", "Bench")
    chosen = bench.contenders(TITLES, lambda name: [program, name])
    bench.measure_and_report("swift", "Closures in Swift", rows.SWIFT_ROWS, chosen, "DispatchQueue",
                             len(chosen) == len(TITLES))


if __name__ == "__main__":
    main()
