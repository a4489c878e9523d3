/* perfetto_state.h: what the writer of a file knows of it. perfetto.h has the design. */
#ifndef SQ__TRACE_PERFETTO_STATE_H
#define SQ__TRACE_PERFETTO_STATE_H

#include "trace/proto.h"
#include "trace/recorders.h"

enum { SQ__INTERNED = 4096, SQ__OPEN_EVENTS = 64, SQ__TEXT_BYTES = 80 };

/* Something that is written once: which event, text, ...; a part of the reader's state. */
typedef struct sq__interned {
    uint64_t key[2];
    uint32_t number; /* 0: unused */
} sq__interned_t;

/* What the file says about a queue. */
typedef struct sq__described {
    char *label;
    bool is_concurrent;
} sq__described_t;

typedef struct sq__perfetto {
    sq__proto_t proto;
    sq__described_t *queues; /* by number; 0 is not used */
    uint32_t queue_room;
    uint32_t last_interned;
    uint64_t alive; /* when the clocks were written last */
    sq__interned_t interned[SQ__INTERNED];
} sq__perfetto_t;

#endif
