/* explored.h: what an exploration of schedules does in place of the system.
 *
 * DESIGN. A thread that runs a test under exploration, or a task of such a test, has a record (self.h). Slow paths of the library
 * call the record's functions: before a sync takes a queue and after it has returned it, when a bounded queue is full, and in place of a
 * sleep. Then another thread of the run may continue. The functions are in the testing library (Sources/CSerialQueueTesting), which sets the
 * record and which production programs do not link. Every such thread has a frame (self.h), so code that runs only without a frame need not
 * check for a record. */
#pragma once

#include "thread/self.h"

struct sq__wait;

typedef struct sq__explored_calls {
    /* Another thread of the run may go first. For reports: what this one is `doing` ("sync onto"), the label of the object, and the
     * function or NULL. All NULL: such a call is over. */
    void (*pause)(struct sq__explored *explored, const char *doing, const char *label, void (*function)(void *));
    /* Sleeps until the wait is decided, or withdraws it: the schedule decides whether its deadline passes. */
    sq__outcome_t (*sleep)(struct sq__explored *explored, const struct sq__wait *wait, uint64_t deadline);
    /* A wait was refused because of a deadlock. */
    void (*deadlock)(struct sq__explored *explored, const char *report);
    /* Names the running task. */
    void (*label)(struct sq__explored *explored, const char *label);
} sq__explored_calls_t;

typedef struct sq__explored {
    const sq__explored_calls_t *calls;
    bool is_lost; /* the run has failed and is being ended: all its waits are refused */
} sq__explored_t;

/* Another thread may go first, if a test is being explored. */
static inline void sq__explored_pause(const char *doing, const char *label, void (*function)(void *)) {
    sq__explored_t *explored = sq__self()->explored;
    if (__builtin_expect(explored != NULL, 0)) {
        explored->calls->pause(explored, doing, label, function);
    }
}

/* Such a call is over, and what it found out may be acted on: another thread may go first here, too. */
static inline void sq__explored_pause_after(void) { sq__explored_pause(NULL, NULL, NULL); }
