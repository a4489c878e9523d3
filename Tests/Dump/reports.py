#!/usr/bin/env python3
"""reports.py SCHEMA REPORTS: does each line have the form of the schema, and do they say what reported.c has done? Prints "PASSED FAILED"."""
import copy
import json
import sys

import check


def main():
    results = []

    def expect(what, is_true):
        results.append(bool(is_true))
        if not is_true:
            print(f'FAIL {what}', file=sys.stderr)

    schema = json.load(open(sys.argv[1]))
    reports = [json.loads(line) for line in open(sys.argv[2])]
    for report in reports:
        found = list(check.faults(schema, report, schema, report['report']))
        expect(f'a report has the form of the schema: {found[:5]}', not found)
    deadlocks = [report for report in reports if report['report'] == 'deadlock']
    stalls = {(report['label'], report['kind']): report for report in reports if report['report'] == 'stall'}

    # The check itself: a report with a fault is found.
    for report, change in ((deadlocks[0], lambda report: report.pop('text')), (deadlocks[0], lambda report: report['threads'][0].update(id='1')),
                           (deadlocks[0], lambda report: report.update(report='stall')), (reports[-1], lambda report: report.update(new=1))):
        broken = copy.deepcopy(report)
        change(broken)
        expect('a report with a fault has the form of the schema', any(check.faults(schema, broken, schema)))

    expect('each refused wait is reported once', len(deadlocks) == 4)
    itself, once, group, cycle = (deadlock['threads'] for deadlock in deadlocks)
    expect('a task that waits for its own queue', len(itself) == 1 and itself[0]['runs'] == itself[0]['queue'] and itself[0]['for'] == 'turn'
           and itself[0]['label'] == itself[0]['runs_label'] == 'quote " and \\ and ?')
    expect('a once inside itself', once[0]['inside'] == once[0]['for'] == 'once' and once[0]['label'] == once[0]['inside_label'])
    expect('a group without a label', len(group) == 1 and group[0]['runs_label'] == 'mine' and group[0]['for'] == 'group'
           and group[0]['label'] == '' and group[0]['made_by'].startswith('wait_for_member ('))
    expect('a cycle leads around', len(cycle) == 2 and all(thread['queue'] == other['runs'] and thread['label'] == other['runs_label']
                                                           for thread, other in zip(cycle, cycle[::-1])))
    expect('its labels', {thread['label'] for thread in cycle} == {'first', 'second'} and cycle[0]['id'] != cycle[1]['id'])
    expect('the texts are those of sq_deadlock_report', all(f"{deadlock['threads'][0]['id']}" in deadlock['text'] for deadlock in deadlocks))
    slow, paused = stalls[('slow', 'running')], stalls[('paused', 'waiting')]
    expect('a task that runs for too long', slow['function'].startswith('wait_to_leave (') and slow['submitted_by'].startswith('stall (')
           and slow.get('waits_for', 'leave') == 'leave' and slow['nanoseconds'] >= 1000000 and slow['thread'] > 0)
    expect('a suspended queue', paused['suspended'] and paused['waiting'] == 1 and 'thread' not in paused)
    print(results.count(True), results.count(False))


main()
