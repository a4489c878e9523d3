"""What a thread runs: as a dump finds it (inspect/dump_threads.c)."""
from .memory import Unreadable

MOST = 64


class Functions:
    """For one look."""

    def __init__(self, memory, layout):
        self.memory, self.layout = memory, layout
        self.wrappers = self.read_wrappers()

    def field(self, record, name):
        return self.memory.number(record + self.layout[name], self.layout.sizes[name])

    def of(self, frame):
        """The address of what the frame runs; 0: that is not known, or is a function of the library that calls another one."""
        context = 0
        if not self.field(frame, 'sq__frame_t.is_batch') & 1:
            function = self.field(frame, 'sq__frame_t.function')
        else:
            kind = self.field(frame, 'sq__batch_frame_t.kind') & ~self.layout['SQ__BARRIER']
            record, at = frame, 'sq__batch_frame_t.work.task'
            if kind == self.layout['SQ__EMPTY']:
                return 0
            try:
                if kind in (self.layout['SQ__AWAITED'], self.layout['SQ__RUN_ANYWHERE']):
                    record, at = self.field(frame, 'sq__batch_frame_t.work.waiter.call'), 'sq__call_t.task'
                function, context = self.field(record, f'{at}.run'), self.field(record, f'{at}.context')
            except Unreadable:  # another task has begun meanwhile
                return 0
        for _ in range(MOST):
            if function not in self.wrappers:
                return function
            run, context_at = self.wrappers[function]
            try:
                function, context = (self.memory.number(context + each) if context and each != self.layout['SQ__NOT_THERE'] else 0 for each in (run, context_at))
            except Unreadable:
                return 0
        return 0

    def read_wrappers(self):
        """By the address of a function of the library that calls one of the user's: where in its context that is, and that one's context."""
        wrappers, at = {}, self.memory.number(self.layout.list('wrappers'))
        while at and len(wrappers) < MOST:
            wrappers[self.field(at, 'sq__wrapper_t.function')] = self.field(at, 'sq__wrapper_t.run'), self.field(at, 'sq__wrapper_t.context')
            at = self.field(at, 'sq__wrapper_t.next')
        return wrappers
