#!/usr/bin/env python3
"""check.py SCHEMA DUMP: does the dump have the form of the schema, and does it say what dumped.c has made? Prints "PASSED FAILED"."""
import copy
import json
import re
import sys

TYPES = {'object': dict, 'array': list, 'string': str, 'boolean': bool, 'null': type(None)}
KNOWN = {'$schema', '$defs', '$ref', 'title', 'description', 'type', 'required', 'additionalProperties', 'properties', 'items', 'enum', 'pattern', 'minimum', 'maxLength', 'oneOf'}


def is_a(value, name):
    return isinstance(value, int) and not isinstance(value, bool) if name == 'integer' else isinstance(value, TYPES[name])


def faults(schema, value, root, at='dump'):
    """Where and why the value does not have the form: the words of JSON Schema that the schema uses, and no others."""
    for word in schema.keys() - KNOWN:
        raise ValueError(f'{at}: this program does not know "{word}"')
    if '$ref' in schema:
        yield from faults(root['$defs'][schema['$ref'].removeprefix('#/$defs/')], value, root, at)
        return
    names = schema.get('type', [])
    names = [names] if isinstance(names, str) else names
    if names and not any(is_a(value, name) for name in names):
        yield f'{at} is {value!r}, which is no {" or ".join(names)}'
        return
    if 'enum' in schema and value not in schema['enum']:
        yield f'{at} is {value!r}'
    if 'pattern' in schema and not re.search(schema['pattern'], value):
        yield f'{at} is {value!r}'
    if 'minimum' in schema and value < schema['minimum']:
        yield f'{at} is {value!r}'
    if 'maxLength' in schema and len(value) > schema['maxLength']:
        yield f'{at} has {len(value)} characters'
    if 'oneOf' in schema:
        found = [list(faults(form, value, root, at)) for form in schema['oneOf']]
        if sum(not each for each in found) != 1:
            yield from min(found, key=len) or [f'{at} has several forms']
    if isinstance(value, dict) and 'properties' in schema:
        known = schema['properties']
        yield from (f'{at} has no {name}' for name in schema.get('required', []) if name not in value)
        yield from (f'{at} has {name}, which the schema does not know' for name in value if name not in known)
        for name in value.keys() & known.keys():
            yield from faults(known[name], value[name], root, f'{at}.{name}')
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from faults(schema['items'], item, root, f'{at}[{i}]')


def members(schema):
    """The names of all members, as paths."""
    for name, inner in schema.get('properties', {}).items():
        yield name
        yield from (f'{name}.{rest}' for rest in members(inner.get('items', inner)))


def met(value):
    """The same, of a dump."""
    for item in value if isinstance(value, list) else [value]:
        for name, inner in item.items() if isinstance(item, dict) else ():
            yield name
            yield from (f'{name}.{rest}' for rest in met(inner))


def main():
    results = []

    def check(what, is_true):
        results.append(bool(is_true))
        if not is_true:
            print(f'FAIL {what}', file=sys.stderr)

    schema = json.load(open(sys.argv[1]))
    text = open(sys.argv[2]).read()
    dump = json.loads(text)
    found = list(faults(schema, dump, schema))
    check(f'the dump has the form of the schema: {found[:5]}', not found)
    missing = set(members(schema)) - set(met(dump)) - {'threads.runs.what'}  # Swift's
    check(f'the dump has each member of the schema: {sorted(missing)}', not missing)

    # The check itself: a dump with a fault is found.
    for change in (lambda dump: dump.pop('queues'), lambda dump: dump['queues'][0].update(label=3), lambda dump: dump['queues'][0].update(new=1),
                   lambda dump: dump['queues'][0].update(number='12'), lambda dump: dump['pools'][0].update(kind='other'),
                   lambda dump: dump.update(process=0), lambda dump: dump['threads'][0].update(runs={}),
                   lambda dump: dump['queues'][0].update(submitted_by='f' * 256)):
        broken = copy.deepcopy(dump)
        change(broken)
        check('a dump with a fault has the form of the schema', any(faults(schema, broken, schema)))

    queues = {queue['label']: queue for queue in dump['queues']}
    check('each of 300 queues is there', sum(queue['label'] == 'connection' for queue in dump['queues']) == 300)
    check('labels are quoted', 'quote " and \\ and ?' in queues)
    check('a suspended queue', queues['quote " and \\ and ?']['suspensions'] == 2)
    check('each queue is on a line of its own', text.count('\n{"number"') == len(dump['queues']))
    nameless = [thread['wait'] for thread in dump['threads'] if thread.get('wait', {}).get('for') == 'semaphore']
    check('a semaphore without a label is named by where it was made', len(nameless) == 1 and nameless[0]['label'] == '' and nameless[0]['made_by'].startswith('main ('))
    entered = [thread['wait'] for thread in dump['threads'] if thread.get('wait', {}).get('for') == 'group']
    check('a group says how many have entered, and where', len(entered) == 1 and entered[0]['entered'] == 1 and entered[0]['entered_by'].startswith('main ('))
    owners = {pool['label']: pool.get('owner') for pool in dump['pools']}
    check('a loop has its owner, or none yet', owners['loop'] is None and owners['owned loop'] == queues['owned']['owner'] == dump['process'])
    check('numbers are unique', len({queue['number'] for queue in dump['queues']}) == len(dump['queues']))
    runs = [(thread, frame) for thread in dump['threads'] for frame in thread['runs'] if frame.get('label') == 'store']
    waits = [thread['wait'] for thread in dump['threads'] if thread.get('wait', {}).get('label') == 'store']
    check('a wait names the queue and the thread that runs it', len(runs) == 1 and len(waits) == 1 and waits[0]['held_by'] == [runs[0][0]['id']]
          and waits[0]['queue'] == runs[0][1]['queue'] == queues['store']['number'])
    check('the report has the number of the queue', dump['last_deadlock'] and re.search(r'"narcissus" 0x[0-9a-f]+', dump['last_deadlock']['report']))
    print(results.count(True), results.count(False))


if __name__ == '__main__':
    main()
