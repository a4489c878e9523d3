"""scope.py: which code the generated mutants are for. Documentation/Testing.md gives the reasons.

Chosen by what the code is for, never by what survives in it. hand.txt may have mutants of any file.
"""
import re

# What runs tasks, in their order, once: its faults lose, reorder, duplicate or block work.
ROOMS = ('alarm', 'concurrent', 'gate', 'kernel', 'objects', 'observe', 'pool', 'queue', 'runner', 'state', 'thread', 'timer', 'wait')

# Of these rooms, what only observes, reports, or chooses how long to spin. Each name stands for a .c and a .h.
FILES_LEFT_OUT = ('kernel/unwind_guard', 'observe/call_sites', 'observe/observe', 'observe/suspended_list', 'observe/timings', 'observe/trace_hooks', 'state/handle',
                  'runner/runner_list', 'thread/explored', 'thread/spin', 'wait/deadlock_report', 'wait/deadlock_text')

# Functions of other files that only a dump, a trace or an exploration calls; and those that only choose when something is done,
# or how much of it at a time. Of the 36 mutants of these one was noticed.
OBSERVING = r'alarm/alarm\.c (push|pop|sq__alarms_visit)$|wait/waiting\.c trace$|observe/observe_inline\.h sq__(is_sited|is_traced|trace_hook_seldom|timings_\w+|probe_submit)$' \
            r'|runner/runner_inline\.h (sq__pool_listed_is_stale|sq__runner_label)$|state/state\.h sq__handle_\w+$|\w+/\w+\.[ch] (\w+_explored|sq__\w+_next_ties?)$'
CHOOSING = r'gate/stripes\.c learn$|objects/apply\.c adapt$|objects/apply_alone\.c sq__apply_alone_keep_record$|kernel/ring\.c sq__ring_spin$'
FUNCTIONS_LEFT_OUT = re.compile(f'{OBSERVING}|{CHOOSING}')

# Conditions on what a queue records. With other flags next to these they are kept.
RECORDS = re.compile(r'(?!.*SQ__(CONCURRENT|DISCARD)).*SQ__(TRACED|SITED|MEASURED)')

# Statements that are not dropped.
OBSERVES = r'sq__count|sq__depth_sample|sq__explored_\w+|sq__timings_\w+|sq__probe_\w+|SQ__PROBE\w*|sq__site[sd]_\w+'
OBSERVES += r'|sq__spin_\w+|sq__trace_\w+|snprintf'
CHECKS = r'SQ__CHECK_HANDLE|sq__fatal'
FREES = r'sq__\w+_(?:free|destroy|dispose|recycle)|dispose'
UNLOCKS = r'sq__(?:\w+_)?unlock\w*'
KEPT = re.compile(rf'(?:\(void\))?(?:{OBSERVES}|{CHECKS}|{FREES}|{UNLOCKS})\(|SQ__NOBODY_UNWINDS_THROUGH')


def has(file, function, operator, text):
    if operator == 'weaken':
        return True  # each order of MemoryOrdering.md, in every file
    room, _, rest = file.partition('/')
    if room not in ROOMS or f'{room}/{rest[:-2]}' in FILES_LEFT_OUT or FUNCTIONS_LEFT_OUT.match(f'{file} {function}'):
        return False
    return is_dropped(text) if operator == 'drop' else not RECORDS.match(text)


def is_dropped(statement):
    return not KEPT.match(statement)
