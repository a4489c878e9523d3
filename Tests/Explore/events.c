/* events.c: the descriptors of loops (platform/event.h). They order nothing: what a write and a wake-up do for the visibility of
 * memory is left out, so the core must not rest on it. A descriptor is never written twice without a read in between. */
#include "explore.h"

#include "platform/event.h"

#include <errno.h>

enum { EVENTS = 4 };
static struct { bool is_open, is_set; } events[EVENTS];

static bool *at(sq__event_fd_t event_fd) {
    int event = event_fd.reads;
    if (event < 0 || event >= EVENTS || !events[event].is_open) {
        ex_fail("a descriptor that is not open is used");
    }
    return &events[event].is_set;
}

void ex_events_reset(void) {
    for (unsigned i = 0; i < EVENTS; i += 1) {
        events[i].is_open = events[i].is_set = false;
    }
}

unsigned ex_open_events(void) {
    unsigned open = 0;
    for (unsigned i = 0; i < EVENTS; i += 1) {
        open += events[i].is_open;
    }
    return open;
}

int sq__event_open(sq__event_fd_t *opened) {
    ex_point_at(events, EX_WRITES);
    if (ex_setting.faults && ex_choose(2, EX_DISTURB) == 1) {
        EX_TRACE("cannot open a descriptor");
        return EMFILE;
    }
    int event = 0;
    for (; event < EVENTS && events[event].is_open; event += 1) {
    }
    if (event == EVENTS) {
        ex_fail("the explorer itself: more than %d descriptors", EVENTS);
    }
    events[event].is_open = true;
    events[event].is_set = false;
    *opened = (sq__event_fd_t){ .reads = event, .writes = event };
    return 0;
}

void sq__event_close(sq__event_fd_t event) {
    ex_point_at(at(event), EX_WRITES);
    (void)at(event);
    events[event.reads].is_open = false;
}

void sq__event_set(sq__event_fd_t event) {
    ex_point_at(at(event), EX_WRITES);
    bool *is_set = at(event);
    if (*is_set) {
        ex_fail("loop: the descriptor is written although it is readable");
    }
    *is_set = true;
    EX_TRACE("writes the descriptor");
    while (ex_wake(is_set)) {
    }
}

bool sq__event_clear(sq__event_fd_t event) {
    ex_point_at(at(event), EX_WRITES);
    bool *is_set = at(event), was_set = *is_set;
    *is_set = false;
    EX_TRACE("reads the descriptor: %s", was_set ? "it was written" : "nothing");
    return was_set;
}

bool sq__event_wait(sq__event_fd_t event, uint64_t deadline) {
    ex_point_at(at(event), EX_WRITES);
    bool *is_set = at(event);
    EX_TRACE("polls the descriptor");
    if (!*is_set && !ex_block(is_set, NULL, deadline, true)) {
        EX_TRACE("polls and finds nothing");
        return false;
    }
    return true;
}
