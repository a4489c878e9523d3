/* program.h: bytes as a program of calls.
 *
 * DESIGN. Every string of bytes is a program, and a byte more or less changes little of it: the fuzzer's mutations stay close to
 * where they came from. An operation that submits a task is followed by the operations of that task. */
#ifndef FUZZ_PROGRAM_H
#define FUZZ_PROGRAM_H

#include "model.h"

typedef enum what {
    DO_ASYNC,
    DO_ASYNC_TASK,
    DO_PAIR,
    DO_ASYNC_UNTIL,
    DO_SYNC,
    DO_SYNC_UNTIL,
    DO_SYNC_OR_RUN,
    DO_AND_WAIT,
    DO_AFTER,
    DO_SUSPEND,
    DO_RESUME,
    DO_SHUTDOWN,
    DO_RETAIN,
    DO_RELEASE,
    DO_WATCH,
    DO_RUN,     /* the pool */
    DO_ADVANCE, /* its clock */
    DO_HOLD,    /* a task that waits for the next DO_UNHOLD of its queue */
    DO_UNHOLD,
    DO_WAITER, /* another thread waits in a sync; the next operation begins when it has its place */
    DO_KINDS,
    /* Operations on objects: many.c. Only in programs whose first byte says so, as they came later than most of the corpus. */
    DO_ITEM = DO_KINDS, /* makes one; its operations are the task */
    DO_MEMBER,
    DO_ITEM_NOTIFY,
    DO_GROUP_NOTIFY,
    DO_ONCE,
    DO_ITEM_SUBMIT,
    DO_ITEM_AFTER,
    DO_ITEM_CANCEL,
    DO_ITEM_WAIT,
    DO_ITEM_RETAIN,
    DO_ITEM_RELEASE,
    DO_ENTER,
    DO_LEAVE,
    DO_GROUP_WAIT,
    DO_SIGNAL,
    DO_SEMAPHORE_WAIT,
    ALL_KINDS
} what_t;

typedef struct operation {
    uint8_t what, queue, argument;
    uint8_t failing;          /* the nth allocation or thread creation in the call fails; 0: none */
    int16_t first, next;      /* of the task's own operations; of the list that this is in; -1: none */
} operation_t;

typedef struct program {
    bool threaded[QUEUES]; /* has a thread of its own; else it is on the manual pool */
    uint8_t capacity[QUEUES];
    bool has_objects;
    bool may_discard; /* it has a shutdown or a suspension: a queue may discard tasks, and the model wants to be notified */
    operation_t operations[OPERATIONS];
    int count;
} program_t;

void program_read(program_t *program, const uint8_t *bytes, size_t size);
void program_print(const program_t *program);

#endif
