/* model.h: what a serial queue must do, as a plain list; the fuzzer's reference.
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
    PENDING, /* a notification before its event */
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
    int delayed;     /* and of tasks that are not due yet; */
    int notices;     /* and of notifications that are pending */
    int suspensions;
    bool closed, discards, abandoned;
    bool has_gap;    /* an item was cancelled: the slot that it leaves may keep the queue from being free */
    bool seeks;      /* threads or tasks wait for room: what becomes free is for them */
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

/* Objects: model_objects.c. An item is known by the number of the operation that makes it. */
enum { OBJECTS = 3, ITEM_OWNER = OBJECTS /* the owner of an item's notifications: this and its number */ };

typedef struct model_item {
    bool is_over; /* it has an outcome; its fate says which */
    bool was_submitted, was_cancelled;
    int queue;
} model_item_t;

typedef struct model_group {
    int entered, members[QUEUES];
    int zeros; /* how often it has lost its last member */
} model_group_t;

extern model_item_t model_items[OPERATIONS];
extern model_group_t model_groups[OBJECTS];
extern int model_permits[OBJECTS];

/* Of a group: those that entered, and those on queues. */
int model_members(int group);
void model_member_leaves(int group, int *count);
void model_item_is_over(int id);
/* A delayed item is taken back before it is due. */
void model_is_undelayed(model_queue_t *queue, int id);
/* A notification is registered: by a number of the owner, which has had its event or not. */
void model_notify(int owner, bool has_happened, int queue, int id);
/* The registration was refused. */
void model_unnotify(int id, bool has_happened);
/* A notification is discarded by the thread that causes the event: its queue is shut down. */
void model_notice_is_discarded(int id);
/* Clears the objects. */
void model_reset_many(void);
/* A queue may have lost the last thing that kept it. */
void model_look_for_abandonment(model_queue_t *queue);

#endif
