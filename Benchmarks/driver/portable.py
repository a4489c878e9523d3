"""What the portable form of the Swift layer costs (Documentation/SwiftABI.md): the same program, compiled twice.

Called by ../run.sh. ROUNDS, SCENARIO and QUICK as in bench.py."""

import os

import bench
import rows
import swift

TITLES = {"SerialQueue": "closures as Swift passes them", "portable": "compiled with -DSERIALQUEUE_PORTABLE"}
ROWS = [row._replace(bars={"": (None, None)}) for row in rows.SWIFT_ROWS
        if row.scenario in ("async-1", "sync-uncontended", "sync-value", "sync-contended-2", "item", "group-async", "concurrent-read", "apply-call")]


def main():
    programs = {"SerialQueue": swift.build(), "portable": swift.build("-portable", ["-Xswiftc", "-DSERIALQUEUE_PORTABLE"])}
    bench.measure_and_report("portable", "The portable form of the Swift layer", ROWS, TITLES,
                             lambda name: [programs[name], "SerialQueue"], "SerialQueue", ["quiet"])


if __name__ == "__main__":
    main()
