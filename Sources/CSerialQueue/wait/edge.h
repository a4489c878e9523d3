/* edge.h: a sleeping thread's wait and what the thread holds; whether it holds what another wait needs. The search for deadlocks
 * (deadlock.h) follows these edges. */
#pragma once

#include "trace/trace.h"
#include "wait/wait.h"

/* The label, in reports, of what the thread waits for. */
static inline const char *sq__wait_label(const sq__wait_t *wait) {
    return wait->subject != NULL ? wait->subject->label : wait->label != NULL ? wait->label : wait->queue->label;
}

/* Where the subject was made; NULL: it has a label, or is none that has a maker. */
static inline const void *sq__subject_maker(const sq__subject_t *subject) {
    return sq__kind_has_maker(subject->kind) ? sq__maker_of(subject->label) : NULL;
}

/* A task of a queue or the function of a once that a thread is running, or a runner that it owns: one of them is there. */
typedef struct sq__held {
    const sq__frame_t *frame;
    const sq__duty_t *duty;
    sq__runner_t owned; /* 0: none */
} sq__held_t;

/* On the waiting thread's stack. M: under the lock of the waits. The other fields are fixed while the edge is listed. */
typedef struct sq__edge {
    const sq__wait_t *wait;
    sq_time_t deadline;
    const sq__frame_t *frames; /* the tasks that the thread is running */
    const sq__duty_t *duties;   /* the onces and applies whose functions it is running */
    const sq__owner_t *owner;  /* its record as the owner of runners; NULL: it owns none */
    struct sq__deadlock_report *report; /* M  the thread's report; NULL: no memory */
    uint64_t thread_id;
    char thread_name[16];
    bool has_begun;               /* M  its call was found claimed */
    bool is_refused;              /* M  because of a cycle */
    struct sq__edge *next;         /* M */
    struct sq__edge **link;        /* M  the pointer to this edge */
    uint64_t reached;              /* M  the last search for a cycle that found it */
    struct sq__edge *next_reached; /* M */
    struct sq__edge *onward;       /* M  the edge of the thread that it waits for, on the path that the search found */
    sq__held_t held;               /* M  what this thread holds and the previous thread of the cycle waits for */
} sq__edge_t;

/* M. What the edge's thread holds that the wait needs; none of them: nothing. */
sq__held_t sq__edge_held_for(const sq__edge_t *edge, const sq__wait_t *wait);

/* M. True: the wait cannot end before the edge's thread continues: it holds what the wait needs, or has a barrier in front of it. */
bool sq__edge_holds_up(const sq__edge_t *edge, const sq__wait_t *wait);
