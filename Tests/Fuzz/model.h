/* model.h: what a serial queue is to do, as a plain list; the fuzzer's reference.
 *
 * DESIGN. Written from the contract in the public headers, without a look at the core: a queue is a list of what waits, in order,
 * and a few flags. The driver (drive.c) reports every call to it and every task that begins, ends or is discarded, in the order
 * in which that happens; it says what a call must return and ends the program where something happens that must not.
 * A task is known by the number of the operation that submits it; each operation is carried out at most once. */
#ifndef FUZZ_MODEL_H
#define FUZZ_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QUEUES = 4, OPERATIONS = 256 };

typedef enum fate {
    NOT_SUBMITTED,
    DELAYED,
    WAITS,
    RUNS,
    RAN,
    DISCARDED,
    WITHDRAWN,
    REJECTED
} fate_t;

typedef enum entry_kind { ASYNC_TASK, SYNC_CALLER, CALL_CALLER, DUE_TASK } entry_kind_t;

typedef struct entry {
    int id;
    entry_kind_t kind;
} entry_t;

typedef struct model_queue {
    size_t capacity; /* 0: no bound */
    int references;  /* of the program; */
    int delayed;     /* and of tasks that are not due yet */
    int suspensions;
    bool closed, discards, abandoned;
    bool seeks;      /* somebody waits for room: what becomes free is for them */
    size_t reserved; /* the room that they were given and have not used yet */
    entry_t waiting[OPERATIONS];
    size_t depth, highest;
    int running; /* the id of the task that runs, or -1 */
    uint64_t ran, discarded, withdrawn, rejected;
    uint64_t never_due; /* discarded before they were due */
} model_queue_t;

extern model_queue_t model_queues[QUEUES];
extern fate_t model_fates[OPERATIONS];
extern uint64_t model_now;

/* Prints and aborts. */
_Noreturn void model_fails(int id, const char *format, ...) __attribute__((format(printf, 2, 3)));

void model_reset(void);

/* A queue that a sync may take at once. */
bool model_is_free(const model_queue_t *queue);
/* What waits can have its turn (or is discarded); else it must wait for a resume. */
bool model_can_run(const model_queue_t *queue);
/* It is shut down and its last task is over. */
bool model_has_ended(const model_queue_t *queue);
/* No async task finds room. */
bool model_is_full(const model_queue_t *queue);

void model_accept(model_queue_t *queue, int id, entry_kind_t kind);
/* Its caller's return code said that it will not run. */
void model_take_back(model_queue_t *queue, int id, fate_t fate);

void model_begins(model_queue_t *queue, int id);
void model_ends(model_queue_t *queue, int id);
void model_is_discarded(model_queue_t *queue, int id);

void model_delay(int queue, int id, uint64_t delay);
/* The time of the next delayed task that is not due yet, or UINT64_MAX. */
uint64_t model_next_due(void);
/* What is due now is submitted, in the order of its times, then of its starts; up to task `last`, or all (-1). */
void model_submits_due(int last);

void model_release(model_queue_t *queue);

#endif
